"""Members with steps of their own: each is the adaptive simulation of that member."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.control import Sampled
from dalembert.core.errors import InputError

RNG = np.random.default_rng(12)
LAW = da.PD(kp=(8.0,), kd=(3.0,), reference=lambda t: ca.sin(3 * t))


def cart_pendulum(*, stop: bool = False) -> da.Machine:
    mass = da.Parameter("mass", 0.8)
    rails = da.Limits(lower=-3.0, upper=0.9, stop=stop)
    return da.Machine(
        "cart",
        bodies=[da.point_mass("cart", 2.0), da.point_mass("bob", mass, com=(0, 0, -0.6))],
        joints=[
            da.Joint("x", "prismatic", "world", "cart", axis=(1, 0, 0), damping=0.3, limits=rails),
            da.Joint("theta", "revolute", "cart", "bob", axis=(0, 1, 0)),
        ],
        motors=[da.Motor("drive", "x")],
    )


@pytest.fixture(scope="module")
def cart() -> da.EquationsOfMotion:
    return da.equations(cart_pendulum())


Q0 = np.column_stack([RNG.uniform(-0.5, 0.5, 11), RNG.uniform(-2.5, 2.5, 11)])
MASS = RNG.uniform(0.3, 3.0, 11)


@pytest.mark.parametrize(
    "settings",
    [
        {"duration": 2.0, "method": "dopri5", "record": 0.25},
        {"duration": 1.3, "method": "dopri5", "rtol": 1e-6, "atol": 1e-8, "record": 0.5, "t0": 1.0},
        {"duration": 0.5, "method": "bs32", "rtol": 1e-6, "max_step": 0.02, "record": 0.5},
        {"duration": 0.5, "method": "dopri5", "control": Sampled(LAW, 0.1), "record": 0.25},
    ],
    ids=["default", "loose", "third order", "sampled"],
)
def test_members_are_simulations(cart: da.EquationsOfMotion, settings) -> None:
    settings = {"control": LAW, **settings}
    result = da.rollout(cart, q0=Q0, p={"mass": MASS}, **settings)
    assert result.ok.all()
    steps = []
    for i in (0, 4, 10):
        run = da.simulate(cart, q0=Q0[i], p={"mass": MASS[i]}, limits="ignore", **settings)
        np.testing.assert_allclose(result.t, run.t, rtol=0, atol=1e-13 * run.t[-1])
        np.testing.assert_allclose(result.x[i], run.x, rtol=1e-10, atol=1e-10 * np.abs(run.x).max())
        steps.append(run.metadata["steps"] + run.metadata["rejected"])
    assert result.metadata["steps"] >= max(steps)
    assert "rtol" in repr(result)


def test_members_do_not_depend_on_others(cart: da.EquationsOfMotion) -> None:
    settings = {"duration": 1.0, "method": "dopri5", "control": LAW, "measure": {"far": da.Measure("x", "max")}}
    whole = da.rollout(cart, q0=Q0, p={"mass": MASS}, threads=1, **settings)
    order = RNG.permutation(11)
    mixed = da.rollout(cart, q0=Q0[order], p={"mass": MASS[order]}, threads=3, **settings)
    np.testing.assert_array_equal(mixed.final, whole.final[order])
    np.testing.assert_array_equal(mixed.measures["far"], whole.measures["far"][order])
    alone = da.rollout(cart, q0=Q0[7], p={"mass": MASS[7]}, **settings)
    np.testing.assert_array_equal(alone.final[0], whole.final[7])
    run = da.simulate(cart, q0=Q0[7], p={"mass": MASS[7]}, duration=1.0, method="dopri5", control=LAW, limits="ignore")
    # The peak is looked for at the ends of steps, whose places the rounding of the error estimate moves.
    np.testing.assert_allclose(whole.measures["far"][7], run["x"].max(), rtol=1e-6)


def test_members_stop_where_single_runs_do() -> None:
    eom = da.equations(cart_pendulum(stop=True))
    settings = {"duration": 2.0, "method": "dopri5", "control": LAW}
    result = da.rollout(eom, q0=Q0, measure={"end": da.Measure("t")}, **settings)
    assert set(result.status) == {"completed", "stopped"} or set(result.status) == {"stopped"}
    for i in range(4):
        run = da.simulate(eom, q0=Q0[i], limits="ignore", **settings)
        assert result.status[i] == run.status
        np.testing.assert_allclose(result.final[i], run.final.x, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(result.measures["end"][i], run.final.t, rtol=1e-10)


def test_a_member_that_cannot_go_on_stops_alone(cart: da.EquationsOfMotion) -> None:
    v0 = np.zeros((5, 2))
    v0[2, 1] = 1e160
    result = da.rollout(cart, v0=v0, duration=0.5, method="dopri5")
    assert list(result.status) == ["completed", "completed", "diverged", "completed", "completed"]
    few = da.rollout(cart, q0=Q0[:3], duration=5.0, method="dopri5", max_steps=5)
    assert set(few.status) == {"failed"}
    assert "max_steps" in few.message(0)


def test_quaternions_stay_unit() -> None:
    top = da.Machine(
        "top",
        bodies=[da.Body("top", mass=1.0, com=(0, 0, 0.3), inertia=np.diag([0.02, 0.03, 0.01]))],
        joints=[da.Joint("tip", "spherical", "world", "top")],
    )
    v0 = RNG.normal(size=(3, 3)) + [0, 0, 20]
    result = da.rollout(top, duration=0.3, v0=v0, method="dopri5", record=0.1)
    run = da.simulate(top, duration=0.3, v0=v0[1], method="dopri5", record=0.1)
    np.testing.assert_allclose(result.x[1], run.x, rtol=1e-9, atol=1e-9 * np.abs(run.x).max())
    np.testing.assert_allclose(np.linalg.norm(result.x[:, :, :4], axis=2), 1.0, rtol=1e-14)


def test_refusals(cart: da.EquationsOfMotion) -> None:
    with pytest.raises(InputError, match="a stepper runs the methods euler, heun, rk4, midpoint, not 'dopri5'"):
        da.stepper(cart, period=0.1, method="dopri5")
    with pytest.raises(InputError, match="step is for"):
        da.rollout(cart, duration=0.1, method="dopri5", step=1e-3)
    with pytest.raises(InputError, match="rtol is for"):
        da.rollout(cart, duration=0.1, rtol=1e-3)
    with pytest.raises(InputError, match="bs32, dopri5, midpoint, adaptive-midpoint, not 'cvodes'"):
        da.rollout(cart, duration=0.1, method="cvodes")
