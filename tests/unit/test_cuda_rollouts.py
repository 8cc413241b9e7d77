"""Rollouts on a GPU through the public verb, with the text for a GPU compiled as C++: they equal those in lanes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest
from tests.support.gpu_on_processor import CountingCupy, ProcessorCupy, cupy_of_tests, needs_gpp

import dalembert as da
from dalembert.control import Sampled
from dalembert.core.errors import InputError
from dalembert.simulation.rollout import cuda
from dalembert.systems.cable_robots import pulley_robot
from dalembert.systems.mechanisms import four_bars

pytestmark = needs_gpp
RNG = np.random.default_rng(21)
LAW = da.PD(kp=(8.0,), kd=(3.0,), reference=lambda t: ca.sin(3 * t))
Q0 = np.column_stack([RNG.uniform(-0.5, 0.5, 7), RNG.uniform(-2.5, 2.5, 7)])
MASS = RNG.uniform(0.3, 3.0, 7)


def cart_pendulum(*, stop: bool = False) -> da.Machine:
    rails = da.Limits(lower=-3.0, upper=0.6, stop=stop)
    return da.Machine(
        "cart",
        bodies=[da.point_mass("cart", 2.0), da.point_mass("bob", da.Parameter("mass", 0.8), com=(0, 0, -0.6))],
        joints=[
            da.Joint("x", "prismatic", "world", "cart", axis=(1, 0, 0), damping=0.3, limits=rails),
            da.Joint("theta", "revolute", "cart", "bob", axis=(0, 1, 0)),
        ],
        motors=[da.Motor("drive", "x")],
    )


def tumbling() -> da.Machine:
    """A free body with a quaternion."""
    return da.Machine(
        "box", bodies=[da.box("box", 2.0, (0.2, 0.3, 0.1))], joints=[da.Joint("base", "free", "world", "box")]
    )


@pytest.fixture
def gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ProcessorCupy | CountingCupy:
    made = cupy_of_tests(tmp_path)
    monkeypatch.setattr(cuda, "import_cupy", lambda: made)
    return made


def both(machine: da.Machine, **settings: Any) -> tuple[da.Rollout, da.Rollout]:
    """The same members on the GPU and in lanes; of the GPU a second time, with the time loop that was kept."""
    eom = da.equations(machine)
    there = da.rollout(eom, device="cuda", **settings)
    again = da.rollout(eom, device="cuda", **settings)
    np.testing.assert_array_equal(again.x, there.x)
    assert there.metadata["backend"] == "cuda"
    return there, da.rollout(eom, **settings)


def assert_same(there: da.Rollout, here: da.Rollout, tolerance: float = 1e-10) -> None:
    """Measures look at the ends of steps, whose places the rounding of the error estimate moves in adaptive methods."""
    np.testing.assert_array_equal(there.status, here.status)
    np.testing.assert_array_equal(there.rows, here.rows)
    np.testing.assert_array_equal(there.stopped_by, here.stopped_by)
    scale = np.abs(here.final).max()
    for a, b in ((there.x, here.x), (there.final, here.final), (there.stopped_at, here.stopped_at)):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * scale)
    for name, values in here.measures.items():
        measured = tolerance if "step" in here.metadata else 1e-6
        np.testing.assert_allclose(there.measures[name], values, rtol=measured, atol=measured * scale)


MEASURES = {
    "far": da.Measure("x", "max"),
    "end": da.Measure("theta"),
    "work": da.Measure(lambda s: s["x_dot"] * s["x_dot"], "integral"),
}


@pytest.mark.parametrize(
    "settings",
    [
        {"method": "rk4", "step": 1e-2, "record": 0.25},
        {"method": "dopri5", "record": 0.25},
        {"method": "dopri5", "rtol": 1e-6, "atol": 1e-8, "record": 0.3, "t0": 1.0, "measure": {"end": MEASURES["end"]}},
        pytest.param({"method": "bs32", "rtol": 1e-6, "max_step": 0.02}, marks=pytest.mark.slow),
        {"method": "dopri5", "control": Sampled(LAW, 0.1), "record": 0.25, "measure": MEASURES, "seed": 4},
    ],
    ids=["rk4", "default", "loose", "third order", "sampled"],
)
def test_members_are_those_of_lanes(gpu: ProcessorCupy | CountingCupy, settings: dict[str, Any]) -> None:
    if "seed" in settings:
        settings = {**settings, "sensors": [da.Sensor("ruler", ("x", "theta"), 0.05, noise=(1e-2, 2e-2), delay=0.05)]}
    common = {"duration": 0.8, "q0": Q0, "p": {"mass": MASS}, "control": LAW, **settings}
    there, here = both(cart_pendulum(), **common)
    assert here.ok.all()
    assert_same(there, here)
    if "sensors" in settings:
        np.testing.assert_allclose(there["ruler.x"], here["ruler.x"], rtol=0, atol=1e-10)
    if settings["method"] != "rk4":
        assert there.metadata["steps"] == here.metadata["steps"]


def test_quaternions(gpu: ProcessorCupy | CountingCupy) -> None:
    v0 = RNG.normal(size=(4, 6))
    there, here = both(tumbling(), duration=1.0, v0=v0, method="dopri5", rtol=1e-8)
    assert_same(there, here)


def test_members_go_on_in_another_launch(gpu: ProcessorCupy | CountingCupy, monkeypatch: pytest.MonkeyPatch) -> None:
    """A launch makes a number of steps; how many changes nothing, not to the bit, also of quaternions and measures."""
    eom = da.equations(tumbling())
    settings: dict[str, Any] = {"duration": 1.0, "v0": RNG.normal(size=(3, 6)), "method": "dopri5", "record": 0.5}
    settings |= {"measure": {"path": da.Measure("base.x", "integral"), "high": da.Measure("base.z", "max")}}
    whole = da.rollout(eom, device="cuda", **settings)
    before = gpu.launches
    monkeypatch.setattr(cuda, "_TRIES", 3)
    parts = da.rollout(eom, device="cuda", **settings)
    assert gpu.launches - before > 2 * before
    np.testing.assert_array_equal(parts.x, whole.x)
    for name in settings["measure"]:
        np.testing.assert_array_equal(parts.measures[name], whole.measures[name])


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_members_stop(gpu: ProcessorCupy | CountingCupy, method: str) -> None:
    """At a hard stop, where lanes stop them."""
    common = {"duration": 1.0, "q0": Q0, "p": {"mass": MASS}, "control": LAW, "measure": MEASURES, "record": 0.1}
    there, here = both(cart_pendulum(stop=True), method=method, **common)
    assert {"completed", "stopped"} == set(here.status.tolist())
    assert_same(there, here)


def test_too_many_steps_and_divergence(gpu: ProcessorCupy | CountingCupy) -> None:
    common = {"q0": Q0[:2], "p": {"mass": MASS[:2]}, "control": LAW, "method": "dopri5"}
    there, here = both(cart_pendulum(), duration=1.0, max_steps=7, **common)
    assert set(here.status.tolist()) == {"failed"}
    np.testing.assert_array_equal(there.status, here.status)
    # The first steps are so short that rounding is all of their error, from which the next ones are chosen.
    np.testing.assert_allclose(there.failed_at, here.failed_at, rtol=1e-3)
    runaway = cart_pendulum().with_(motors=(), gravity=(0.0, 0.0, 0.0))
    there, here = both(runaway, duration=1.0, v0=np.array([[1e200, 1e200]]), method="dopri5")
    assert here.status.tolist() == ["diverged"]
    assert_same(there, here)


def test_interrupts_are_seen_between_launches(
    gpu: ProcessorCupy | CountingCupy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cuda, "_TRIES", 2)
    monkeypatch.setattr(cuda, "_PATIENCE", -1.0)
    settings: dict[str, Any] = {"duration": 5.0, "q0": Q0, "control": LAW, "method": "dopri5", "record": 5.0}
    result = da.rollout(cart_pendulum(), device="cuda", progress=lambda fraction: False, **settings)
    assert gpu.launches == 1
    assert set(result.status.tolist()) == {"interrupted"}
    assert (result.rows == 1).all() and np.isnan(result.x[:, 1]).all()


@pytest.mark.slow
def test_members_with_constraints(gpu: ProcessorCupy | CountingCupy) -> None:
    place, v0 = {"platform.y": 0.25, "platform.z": 0.37}, {"platform.vx": 0.1 * RNG.normal(size=5)}
    there, here = both(pulley_robot(2), duration=0.1, step=1e-2, record=0.1, q0=place, v0=v0)
    assert_same(there, here)


def test_starts_that_are_refused(gpu: ProcessorCupy | CountingCupy) -> None:
    for device in ("cuda", "cpu"):
        with pytest.raises(InputError, match=r"member 3.*do not allow crank0 = 0.9, crank1 = -1 together"):
            far = {"crank0": [0.0, 0.01, 0.0, 0.9, 0.8], "crank1": [0.0, 0.01, 0.0, -1.0, 0.8]}
            da.rollout(four_bars(1), duration=1e-2, q0=far, device=device)
        with pytest.raises(InputError, match="velocities crank0_dot, crank1_dot of member 1 together"):
            speeds = {"crank0_dot": 1.0, "crank1_dot": [1.0, 2.0]}
            da.rollout(four_bars(1), duration=1e-2, v0=speeds, device=device)
