"""Ropes over sheaves in the time loops of time-stepping: single runs, lanes and the text for a GPU; beside contacts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.gpu_on_processor import needs_gpp, stepped_on_a_gpu
from tests.support.hand_made_ropes import atwood, roped, section

import dalembert as da
from dalembert.core.errors import InputError

WRAP, RADIUS = 0.25 * np.pi, 0.1
ROWS = [{"x1_dot": 1.0, "turn_dot": RADIUS}, {"x2_dot": 1.0, "turn_dot": -RADIUS}]
START: dict[str, Any] = {"q0": {"x1": 1.0, "x2": 1.0}, "v0": {"turn_dot": 60.0}}
STEPS: dict[str, Any] = {"contact": "time-stepping", "limits": "ignore"}


@pytest.fixture
def machine() -> Iterator[da.Machine]:
    """Masses of 5 and 3 kg on a sheave of 0.02 kg m^2; the rope is 2 m long with its arc."""
    with roped(section(ROWS, 2.0, WRAP)):
        yield atwood(5.0, 3.0, 0.02)


def test_a_spun_sheave_slips_and_sticks(machine: da.Machine) -> None:
    """It lifts the heavier mass until it sticks at 0.363594443517 s; by 1.5 s that has gone to the closed form."""
    exact, errors = np.array([0.62540666611, 1.743, -17.43]), []
    for h in (5e-3, 2.5e-3):
        run = da.simulate(machine, duration=1.5, record=0.3, step=h, **START, **STEPS)
        errors.append(np.abs(np.array([run["x1"][-1] - 1.0, run["x1_dot"][-1], run["turn_dot"][-1]]) - exact))
        assert run["contact.residual"].max() < 1e-9 and run.energy.drift < 1e-10
        np.testing.assert_allclose(run["x1"] + run["x2"], 2.0, rtol=0, atol=1e-9)
        tensions = np.column_stack([run["tension.rope[0]"], run["tension.rope[1]"]])
        np.testing.assert_allclose(tensions[1], [55.7419023447, 25.4148585932], rtol=1e-9)
        np.testing.assert_allclose(tensions[-1], [39.24, 35.316], rtol=1e-9)
        slip = 60.0 * RADIUS  # it falls to zero in proportion to time
        np.testing.assert_allclose(
            run["loss.rope.s1"][-1], (tensions[1, 0] - tensions[1, 1]) * slip * 0.363594443517 / 2, rtol=1e-4
        )
    assert (errors[-1] < [1e-4, 1e-9, 1e-8]).all(), errors


def test_lanes_are_single_runs(machine: da.Machine) -> None:
    """Members that slip one way, the other, stick, and whose rope is slack to begin with."""
    eom = da.equations(machine)
    settings: dict[str, Any] = {"duration": 0.2, "step": 1e-3, **STEPS}
    spins, lows = np.array([60.0, -60.0, 0.0, 5.0]), np.array([1.0, 1.0, 1.0, 0.95])
    many = da.rollout(eom, threads=1, q0={"x1": lows, "x2": np.ones(4)}, v0={"turn_dot": spins}, **settings)
    assert many.ok.all()
    for i, (spin, low) in enumerate(zip(spins, lows, strict=True)):
        run = da.simulate(eom, q0={"x1": low, "x2": 1.0}, v0={"turn_dot": spin}, **settings)
        scale = 1.0 + np.abs(run.x).max(axis=0)
        np.testing.assert_allclose(many.x[i] / scale, run.x / scale, rtol=0, atol=1e-12)
        tensions = run["tension.rope[0]"]
        assert (tensions[1] > 0.0) == (low == 1.0) and tensions[-1] > 0.0


@needs_gpp
def test_threads_of_a_gpu_are_lanes(machine: da.Machine, tmp_path: Path) -> None:
    """The text of the kernel, one thread after the other on the processor."""
    eom = da.equations(machine)
    spins = np.array([60.0, -60.0, 0.0])
    many = da.rollout(
        eom, threads=1, q0=START["q0"], v0={"turn_dot": spins}, duration=0.1, step=1e-3, contact="time-stepping"
    )
    x, status = stepped_on_a_gpu(eom, "time-stepping", many.x[:, 0], 1e-3, 100, tmp_path)
    assert not status.any()
    np.testing.assert_allclose(x, many.final, rtol=1e-9, atol=1e-9)


def test_a_rope_over_many_sheaves_is_refused() -> None:
    rows = [{"x1_dot": 1.0}] * 16 + [{"x2_dot": 1.0}]
    with roped(section(rows, 17.0, [0.1] * 16)), pytest.raises(InputError, match="has 16 sheaves with friction"):
        da.simulate(atwood(5.0, 3.0, 0.02), duration=0.1, q0=START["q0"], **STEPS)


def crane(loss: da.SheaveLoss | None) -> da.Machine:
    """A tower crane whose drum and trolley are driven: two sheaves on the trolley, a hook between, then the tip."""
    travel = 15.0 + 0.4 * da.TIME + (0.2 / 1.3) * (1.0 - da.cos(1.3 * da.TIME))
    path = [
        da.Drum("winch", 0.3, axis="y"),
        da.Sheave("trolley", 0.2, "y", at=(-0.45, 0.0, 0.0), loss=loss, name="a"),
        da.Sheave("hook", 0.25, "-y", loss=loss, name="hook"),
        da.Sheave("trolley", 0.2, "y", at=(0.45, 0.0, 0.0), loss=loss, name="b"),
        da.Anchor("world", (40.0, 0.0, 30.2)),
    ]
    return da.Machine(
        "tower crane",
        bodies=[
            da.Body("drum", 100.0, inertia=(1, 1, 1)),
            da.Body("trolley", 100.0, inertia=(1, 1, 1)),
            da.Body("carrier", 0.0),
            da.Body("hook", 2000.0, inertia=(1, 1, 1)),
        ],
        joints=[
            da.Joint("winch", "revolute", "world", "drum", da.Transform((0.0, 0.0, 29.9)), axis="y"),
            da.Joint("rail", "prismatic", "world", "trolley", da.Transform((0.0, 0.0, 30.0)), axis="x"),
            da.Joint("x", "prismatic", "world", "carrier", axis="x"),
            da.Joint("z", "prismatic", "carrier", "hook", axis="z"),
        ],
        constraints=[
            da.GearConstraint("haul", terms={"rail": 1.0}, value=travel),
            da.GearConstraint("pay out", terms={"winch": 1.0}, value=0.8 / 0.3 * da.TIME),
        ],
        ropes=[da.Rope("hoist", path)],
    )


HOISTED: dict[str, Any] = {
    "q0": {"rail": 15.0, "x": 15.0, "z": 15.0},
    "v0": {"x_dot": 0.4, "z_dot": -0.4, "rail_dot": 0.4, "winch_dot": 0.8 / 0.3},
}
LOSS = da.SheaveLoss(bearing=0.1, pin=0.03, bending=0.005)


def test_a_tower_crane_from_event_to_event() -> None:
    """Its hook sheave reverses four times and never sticks; positions and tensions at 10 s."""
    settings: dict[str, Any] = {"method": "dopri5", "rtol": 1e-10, "atol": 1e-12, "record": 1.0, "backend": "vm"}
    run = da.simulate(crane(LOSS), duration=10.0, **settings, **HOISTED)
    assert [e.name for e in run.events] == ["hoist.hook.slip"] * 4
    reversals = [2.4166087022, 4.8332154181, 7.2498325181, 9.6664391075]
    np.testing.assert_allclose([e.t for e in run.events], reversals, rtol=0, atol=1e-9)
    ends = [run["x"][-1], run["z"][-1], *(run[f"tension.hoist[{i}]"][-1] for i in range(4))]
    exact = [19.142979812462, 11.000436168377, 9693.886087954, 9950.533138923, 9666.221010812, 9415.553475408]
    np.testing.assert_allclose(ends, exact, rtol=1e-10)
    assert run.energy.drift < 1e-9 and not run["stick.hoist.hook"].any()


def test_a_tower_crane_in_steps() -> None:
    errors = []
    for h in (2e-2, 1e-2):
        run = da.simulate(crane(LOSS), duration=10.0, step=h, record=1.0, backend="vm", **HOISTED, **STEPS)
        errors.append(np.hypot(run["x"][-1] - 19.142979812462, run["z"][-1] - 11.000436168377))
        assert run["contact.residual"].max() < 1e-9 and run.energy.drift < 1e-9
    assert errors[1] < 5e-6 and errors[0] / errors[1] > 3.8, errors


@pytest.mark.slow
def test_a_hook_lands_on_the_floor() -> None:
    """Contacts beside a rope: what hangs is set down, the rope goes slack; lanes are single runs."""
    floor = da.Contact("floor", "hook", surface=da.HalfSpace(point=(0.0, 0.0, 14.9)), friction=0.3)
    eom = da.equations(crane(LOSS).with_(contacts=[floor]))
    settings: dict[str, Any] = {"duration": 0.6, "step": 5e-3, **STEPS}
    speeds = np.array([0.4, 0.2])
    many = da.rollout(eom, threads=1, q0=HOISTED["q0"], v0=HOISTED["v0"] | {"x_dot": speeds}, **settings)
    assert many.ok.all()
    for i, speed in enumerate(speeds):
        run = da.simulate(eom, q0=HOISTED["q0"], v0=HOISTED["v0"] | {"x_dot": float(speed)}, **settings)
        scale = 1.0 + np.abs(run.x).max(axis=0)
        np.testing.assert_allclose(many.x[i] / scale, run.x / scale, rtol=0, atol=1e-11)
        np.testing.assert_allclose(run["force.floor.normal"][-1], 2000.0 * 9.81, rtol=1e-9)
        assert run["tension.hoist[1]"][5] > 9000.0 and run["tension.hoist[1]"][-1] == 0.0
