"""Rollouts on a GPU of machines to which something happens: members leave their threads for it, and come back.

The text for a GPU is compiled as C++ and runs on the processor; where there is a GPU, on that as well.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest
from tests.support.gpu_on_processor import ProcessorCupy, needs_gpp
from tests.support.hybrid_machines import HYBRID
from tests.support.swinging_ball import swing

import dalembert as da
from dalembert.control import Sampled
from dalembert.simulation.rollout import cuda
from dalembert.simulation.rollout.desk import Desk
from dalembert.systems.cable_robots import overturning_robot
from dalembert.systems.mechanisms import four_bars

RNG = np.random.default_rng(8)
GPU = pytest.mark.skipif(importlib.util.find_spec("cupy") is None, reason="CuPy is not installed")


@pytest.fixture(params=[pytest.param("processor", marks=needs_gpp), pytest.param("gpu", marks=GPU)])
def device(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "processor":
        made = ProcessorCupy(tmp_path)
        monkeypatch.setattr(cuda, "import_cupy", lambda: made)


def thrown(n: int) -> dict[str, Any]:
    """The ball falls into its cables, which go slack again."""
    speed = {"ball.vx": 0.5 * RNG.normal(size=n), "ball.vy": RNG.uniform(4.5, 6.5, n)}
    return {"q0": {"ball.z": -0.8}, "v0": speed, "p": {"side": RNG.uniform(0.3, 0.6, n)}, "duration": 0.8}


def bouncing(friction: float) -> da.Machine:
    floor = da.Contact("floor", "ball", da.Sphere(0.1), restitution=da.Parameter("e", 0.6), friction=friction)
    joint = da.Joint("base", "free", "world", "ball")
    return da.Machine("ball", bodies=[da.sphere("ball", 1.0, 0.1)], joints=[joint], contacts=[floor])


BOUNCES: dict[str, Any] = {
    "q0": {"base.z": np.linspace(0.2, 1.2, 4)},
    "v0": {"base.vx": 2.0},
    "p": {"e": np.array([0.2, 0.8, 0.5, 0.6])},
    "duration": 0.8,
}


def told(run: da.Run) -> list[tuple[object, ...]]:
    """What happened, in words, and when."""
    return [(entry["events"], entry["on"], entry["off"]) for entry in run.metadata.get("transitions", ())]


def assert_same(there: da.Rollout, here: da.Rollout, tolerance: float = 1e-10) -> int:
    """Everything that is said of the members; returns how many transitions they had."""
    assert (there.metadata["backend"], here.metadata["backend"]) == ("cuda", "lanes")
    np.testing.assert_array_equal(there.status, here.status)
    np.testing.assert_array_equal(there.rows, here.rows)
    np.testing.assert_array_equal(there.stopped_by, here.stopped_by)
    good = here.status != "failed"  # of these lanes keep the state with which the segment began
    for a, b in ((there.x, here.x), (there.final[good], here.final[good]), (there.stopped_at, here.stopped_at)):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
    for name, values in here.measures.items():
        np.testing.assert_allclose(there.measures[name], values, rtol=tolerance, atol=tolerance)
    count = 0
    for i in range(len(here.x)):
        one, two = there.member(i), here.member(i)
        assert told(one) == told(two)
        assert [e.name for e in one.events] == [e.name for e in two.events]
        times = [[e.t for e in run.events] for run in (one, two)]
        np.testing.assert_allclose(*times, rtol=0, atol=1e-9)
        count += len(told(two))
    return count


def both(eom: da.EquationsOfMotion, **settings: Any) -> tuple[da.Rollout, da.Rollout]:
    return da.rollout(eom, device="cuda", **settings), da.rollout(eom, **settings)


@pytest.mark.parametrize(
    "method",
    [pytest.param({"step": 2e-3}, marks=pytest.mark.slow), {"method": "dopri5", "rtol": 1e-7}],
    ids=["fixed", "adaptive"],
)
def test_cables_go_slack(device: None, method: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A member is the same to the bit among others, in another order, and with other threads."""
    eom, settings = da.equations(swing()), {**thrown(11), "record": 0.1, **method}
    there, here = both(eom, **settings)
    assert assert_same(there, here) > 11
    order = [7, 2, 9]
    part = {key: {n: v[order] for n, v in settings[key].items()} for key in ("v0", "p")}
    some = da.rollout(eom, device="cuda", threads=3, **{**settings, **part})
    np.testing.assert_array_equal(some.x, there.x[order])
    if "method" in method:  # launches of a few steps, between which other members go on
        monkeypatch.setattr(cuda, "_TRIES", 3)
        np.testing.assert_array_equal(da.rollout(eom, device="cuda", **settings).x, there.x)


@pytest.mark.parametrize("friction", [pytest.param(0.0, marks=pytest.mark.slow), 0.3])
@pytest.mark.parametrize(
    "method", [pytest.param({"step": 2e-3}, marks=pytest.mark.slow), {"method": "dopri5"}], ids=["fixed", "adaptive"]
)
def test_balls_bounce(device: None, friction: float, method: dict[str, Any]) -> None:
    """Those that rub stay outside while they touch the floor."""
    there, here = both(da.equations(bouncing(friction)), record=0.1, **BOUNCES, **method)
    assert assert_same(there, here) > 4


@pytest.mark.parametrize("friction", [pytest.param(0.0, marks=pytest.mark.slow), 0.3])
def test_measures_see_the_steps_outside(device: None, friction: float) -> None:
    measure = {
        "up": da.Measure("base.vz", "max"),
        "work": da.Measure(lambda s: s["base.vz"] * s["base.vz"], "integral"),
        "down": da.Measure(lambda s: s["base.vz"] < 0, "last"),
        "end": da.Measure("base.z"),
    }
    eom = da.equations(bouncing(friction))
    assert_same(*both(eom, step=2e-3, measure=measure, **BOUNCES))
    assert_same(*both(eom, step=2e-3, measure={"end": measure["end"]}, **BOUNCES))


def test_single_precision(device: None) -> None:
    """Threads have seven digits, the processor takes members over events with all of theirs."""
    eom, settings = da.equations(bouncing(0.3)), {**BOUNCES, "step": 2e-3, "record": 0.1}
    there, here = da.rollout(eom, device="cuda", precision="float", **settings), da.rollout(eom, **settings)
    np.testing.assert_allclose(there.x, here.x, atol=1e-3)
    assert [told(there.member(i)) for i in range(4)] == [told(here.member(i)) for i in range(4)]


@pytest.mark.parametrize("limits", [pytest.param("ignore", marks=pytest.mark.slow), "stop"])
@pytest.mark.parametrize(
    "method", [pytest.param({"step": 2e-3}, marks=pytest.mark.slow), {"method": "dopri5"}], ids=["fixed", "adaptive"]
)
def test_sampled_laws_and_stops(device: None, method: dict[str, Any], limits: str) -> None:
    """What is sampled starts to pull before the cable is settled; at the top of the rail members stop."""
    lift = da.Machine(
        "lift",
        bodies=[da.sphere("ball", 1.0, 0.1)],
        joints=[da.Joint("z", "prismatic", "world", "ball", axis=(0, 0, 1), limits=da.Limits(-2.0, 0.3))],
        cables=[da.Cable("rope", "ball", exit_at=(0.3, 0.0, 1.0), length=1.2)],
        motors=[da.Motor("push", "z", effort=80.0)],
    )
    law = Sampled(da.PD(kp=(40.0,), kd=(1.0,), reference=np.array([0.1])), 0.01)
    ruler = da.Sensor("ruler", ("z", "z_dot"), period=0.02, noise=(1e-3, 1e-2))
    settings: dict[str, Any] = {"duration": 0.4, "record": 0.1, "control": law, "sensors": [ruler], "seed": 4}
    there, here = both(da.equations(lift), v0={"z_dot": [-1.0, 4.0, 0.5]}, limits=limits, **settings, **method)
    assert assert_same(there, here) > 0
    np.testing.assert_allclose(there["command.push"], here["command.push"], rtol=0, atol=1e-9)
    assert set(here.status) == ({"completed", "stopped"} if limits == "stop" else {"completed"})


@pytest.mark.slow
@pytest.mark.parametrize("method", [{"step": 2e-3}, {"method": "dopri5"}], ids=["fixed", "adaptive"])
def test_rows_at_samples_show_what_these_make_happen(device: None, method: dict[str, Any]) -> None:
    """A ball hangs on a rope until its law, at the sample of 0.06 s, lifts it: the row there has the rope slack."""
    lift = da.Machine(
        "lift",
        bodies=[da.sphere("ball", 1.0, 0.1)],
        joints=[da.Joint("z", "prismatic", "world", "ball", axis=(0, 0, 1))],
        cables=[da.Cable("rope", "ball", exit_at=(0.0, 0.0, 1.0), length=1.0)],
        motors=[da.Motor("push", "z", effort=80.0)],
    )
    law = Sampled(da.PD(kp=(40.0,), kd=(1.0,), reference=lambda t: ca.if_else(t > 0.055, 0.9, 0.0)), 0.02)
    settings: dict[str, Any] = {"duration": 0.1, "record": 0.01, "control": law, **method}
    lifted = {"q0": {"z": 0.0}, "p": None, "v0": {"z_dot": np.zeros(3)}}
    there, here = both(da.equations(lift), **lifted, **settings)
    one = da.simulate(lift, q0={"z": 0.0}, **settings)
    last = [int(np.flatnonzero(one.t <= t + 1e-12)[-1]) for t in here.t]
    for rolled in (here, there):
        np.testing.assert_array_equal(rolled["active.rope"][0], one["active.rope"][last])
    np.testing.assert_array_equal(there["active.rope"][1], [1.0] * 6 + [0.0] * 5)
    assert assert_same(there, here) > 0


@pytest.mark.parametrize("method", [pytest.param("rk4", marks=pytest.mark.slow), "dopri5"])
@pytest.mark.parametrize("name", ["grip", *(pytest.param(name, marks=pytest.mark.slow) for name in ("cut", "flap"))])
def test_switches_and_impacts(device: None, name: str, method: str) -> None:
    """Constraints that are added, measure themselves and are removed; cables that are cut; hard stops."""
    case = HYBRID[name]
    settings = {"limits": "ignore", "method": method, "duration": case.duration, "record": 0.1, **case.settings}
    assert assert_same(*both(da.equations(case.make()), **settings)) >= case.events


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"method": "dopri5"}, marks=pytest.mark.slow),
        {"method": "bs32", "constraints": "baumgarte"},
        {"method": "dopri5", "max_steps": 7},
    ],
    ids=["projection", "baumgarte", "too few steps"],
)
def test_steps_of_their_own_under_constraints(device: None, settings: dict[str, Any]) -> None:
    speeds = {"crank0_dot": [1.0, 2.0, -1.0]}
    there, here = both(da.equations(four_bars(1)), duration=0.5, record=0.1, v0=speeds, **settings)
    assert_same(there, here)
    assert there.metadata["steps"] == here.metadata["steps"]


@pytest.mark.slow
def test_rows_that_depend_on_each_other(device: None) -> None:
    """Of a pendulum on a rod that is there twice the rank-revealing routine takes every step, outside."""
    rods = [da.Cable(f"rod{i}", "ball", exit_at=(0, 0, 1), length=1.0, bilateral=True) for i in range(2)]
    double = da.Machine(
        "double", [da.sphere("ball", 1.0, 0.1)], [da.Joint("ball", "free", "world", "ball")], cables=rods
    )
    assert_same(*both(da.equations(double), duration=0.2, record=0.1, v0={"ball.vx": [0.5, -1.0]}, method="dopri5"))


@pytest.mark.slow
def test_members_that_cannot_go_on(device: None) -> None:
    slide = da.Machine(
        "slide",
        bodies=[da.Body("one", 2.0)],
        joints=[da.Joint("x", "prismatic", "world", "one", axis=(1, 0, 0))],
        constraints=[da.BallConstraint("pin", "one", "world", components="x", switchable=True, active=False)],
    )
    pins = [da.Switch(at=0.1, on="pin")]
    there, here = both(da.equations(slide), duration=0.2, step=1e-2, q0={"x": [0.0, 0.5]}, switches=pins)
    assert_same(there, here)
    assert there.message(1) == here.message(1) and "its gap is not closed" in there.message(1)


def test_members_are_taken_together_and_interrupts_are_seen(device: None, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    take = Desk.take

    def counted(self: Desk, rows: np.ndarray, *given: Any, **how: Any) -> None:
        taken.append(len(rows))
        take(self, rows, *given, **how)

    monkeypatch.setattr(Desk, "take", counted)
    eom, settings = da.equations(swing()), {**thrown(30), "record": 0.8, "step": 2e-3}
    da.rollout(eom, device="cuda", **settings)
    assert taken[0] == 30 and taken[1] == 30 and len(taken) < 15  # all begin, all become taut
    monkeypatch.setattr(cuda, "_PATIENCE", -1.0)
    stopped = da.rollout(eom, device="cuda", progress=lambda fraction: False, **settings)
    assert set(stopped.status) == {"interrupted"}


def test_what_is_refused(device: None) -> None:
    with pytest.raises(da.InputError, match=r"a GPU keeps constraints by .* got 'udwadia-kalaba' for machine 'swing'"):
        da.rollout(swing(), duration=0.1, constraints="udwadia-kalaba", device="cuda")


@pytest.mark.slow
def test_all_transitions_of_the_overturning_robot(device: None) -> None:
    """Ninety of them in 14 s, up to three cables at once, as in the single run."""
    eom = da.equations(overturning_robot(bilateral=False), by="natural")
    pose = (0.4103720245171186, 1.0, 0.6015053021164266, 0.9999892917677689, 0.0, 0.004627780223404874, 0.0)
    settings: dict[str, Any] = {"q0": pose, "duration": 14.0, "step": 1e-3, "record": 0.5}
    run, member = da.simulate(eom, limits="ignore", **settings), da.rollout(eom, device="cuda", **settings).member(0)
    got, want = ([[e["t"], e["energy_lost"]] for e in r.metadata["transitions"]] for r in (member, run))
    assert len(want) > 60
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)
