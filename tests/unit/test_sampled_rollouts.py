"""What is sampled in rollouts: laws, sensors with noise and delays, guidance, as in `simulate`, member by member."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.control import ActuatorLag, Cascade, Follow, Known, NativeGuidance, Sampled
from dalembert.core.errors import InputError

RNG = np.random.default_rng(6)
PD = da.PD(kp=(8.0,), kd=(3.0,), reference=lambda t: ca.sin(3 * t))
PID = da.PID(kp=(8.0,), ki=(4.0,), kd=(3.0,), reference=(0.3,))
ENCODER = da.Sensor("encoder", ("x", "theta"), 0.02, noise=(1e-2, 2e-2), bias=1e-2, quantum=1e-3)
SLOW = da.Sensor("slow", ("x", "x_dot"), 0.03, noise=0.1, delay=0.05)


def cart_pendulum() -> da.Machine:
    mass = da.Parameter("mass", 0.8)
    return da.Machine(
        "cart",
        bodies=[da.point_mass("cart", 2.0), da.point_mass("bob", mass, com=(0, 0, -0.6))],
        joints=[
            da.Joint("x", "prismatic", "world", "cart", axis=(1, 0, 0), damping=0.3),
            da.Joint("theta", "revolute", "cart", "bob", axis=(0, 1, 0)),
        ],
        motors=[da.Motor("drive", "x", effort=60.0)],
    )


@pytest.fixture(scope="module")
def cart() -> da.EquationsOfMotion:
    return da.equations(cart_pendulum())


def guided(known: Known) -> tuple[list[object], list[object]]:
    """A goal that moves on with the samples, and how fast."""
    return [0.3 + 0.1 * known["count"] - 0.2 * known["theta"], 0.5], [known["count"] + 1]


CASCADE = Cascade(
    Sampled(da.PD(8.0, 3.0, Follow(["goal"], ["pace"], since="guidance.t")), 0.01),
    [NativeGuidance(guided, 0.05, ["goal", "pace"], {"count": 0.0})],
)


@pytest.mark.parametrize(
    ("control", "settings"),
    [
        (Sampled(PD, 0.02), {"duration": 0.3, "step": 5e-3, "record": 0.03}),
        (Sampled(PD, 0.025), {"duration": 0.31, "step": 1e-2, "sensors": [ENCODER], "seed": 3}),
        (Sampled(PID, 0.02), {"duration": 0.3, "step": 5e-3, "record": 0.05, "t0": 1.0, "sensors": [SLOW]}),
        (PD, {"duration": 0.3, "step": 1e-2, "record": 0.1, "sensors": [ENCODER, da.Sensor("v", "x_dot", 0.01)]}),
        (ActuatorLag(Sampled(PD, 0.02), 0.05), {"duration": 0.2, "step": 1e-2, "method": "heun"}),
        (CASCADE, {"duration": 0.3, "step": 5e-3, "record": 0.01}),
    ],
    ids=["law", "noise", "delay", "measured", "lag", "cascade"],
)
def test_members_are_simulations(cart: da.EquationsOfMotion, control, settings) -> None:
    q0, mass = RNG.normal(size=(11, 2)), RNG.uniform(0.5, 2, 11)
    result = da.rollout(cart, q0=q0, p={"mass": mass}, control=control, **settings)
    for i in (0, 10):
        run = da.simulate(cart, q0=q0[i], p={"mass": mass[i]}, control=control, limits="ignore", member=i, **settings)
        member = result.member(i)
        assert member.names == run.names
        np.testing.assert_allclose(member.t, run.t, rtol=0, atol=1e-12)
        for name in run.names:
            np.testing.assert_allclose(member[name], run[name], rtol=1e-10, atol=1e-10, err_msg=name)
            np.testing.assert_allclose(result[name][i], run[name], rtol=1e-10, atol=1e-10, err_msg=name)


def test_members_do_not_depend_on_number_or_threads(cart: da.EquationsOfMotion) -> None:
    law, q0 = Sampled(PD, 0.02), RNG.normal(scale=0.1, size=(21, 2))
    measure = {"effort": da.Measure("u.drive", "max abs"), "seen": da.Measure("encoder.x", "max")}
    settings = {"duration": 0.3, "step": 5e-3, "measure": measure, "control": law, "sensors": [ENCODER]}
    whole = da.rollout(cart, q0=q0, threads=1, seed=5, **settings)
    threaded = da.rollout(cart, q0=q0, threads=3, seed=5, **settings)
    np.testing.assert_array_equal(threaded.final, whole.final)
    first = da.rollout(cart, q0=q0[:13], seed=5, **settings)
    np.testing.assert_array_equal(first.final, whole.final[:13])
    np.testing.assert_array_equal(first.measures["seen"], whole.measures["seen"][:13])
    again = whole.again([13, 4])
    np.testing.assert_array_equal(again.final, whole.final[[13, 4]])
    np.testing.assert_allclose(np.abs(again["u.drive"]).max(axis=1), whole.measures["effort"][[13, 4]], rtol=1e-12)
    np.testing.assert_array_equal(again["encoder.x"].max(axis=1), whole.measures["seen"][[13, 4]])
    other = da.rollout(cart, q0=q0, seed=6, **settings)
    assert (other.final != whole.final).any(axis=1).all()
    same = da.rollout(cart, q0=np.tile(q0[0], (21, 1)), seed=5, **settings)
    assert len(np.unique(same.final[:, 0])) == 21  # every member has noise of its own


def test_virtual_machine_samples_the_same(cart: da.EquationsOfMotion) -> None:
    q0 = RNG.normal(size=(3, 2))
    measure = {"effort": da.Measure("u.drive", "rms")}
    settings = {"duration": 0.1, "step": 5e-3, "control": Sampled(PID, 0.02), "sensors": [SLOW], "measure": measure}
    compiled = da.rollout(cart, q0=q0, **settings)
    interpreted = da.rollout(da.equations(cart_pendulum(), backend="vm"), q0=q0, **settings)
    np.testing.assert_allclose(interpreted.final, compiled.final, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(interpreted.measures["effort"], compiled.measures["effort"], rtol=1e-10)


def test_refusals(cart: da.EquationsOfMotion) -> None:
    with pytest.raises(InputError, match="not Python controllers, got 'pilot'"):
        da.rollout(cart, duration=0.1, control=da.SampledController(lambda t, q, v: [0.0], 0.1, "pilot"))
    with pytest.raises(InputError, match="seed must be an integer"):
        da.rollout(cart, duration=0.1, seed=-1)
    with pytest.raises(InputError, match="member must be an integer"):
        da.simulate(cart, duration=0.1, member=-1)
    with pytest.raises(InputError, match="a stepper has its own period"):
        da.stepper(cart, period=0.1, control=Sampled(PD, 0.1))
