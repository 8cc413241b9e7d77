"""Steppers: a period at a time is the simulation of a sampled controller, for each member alone."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.core.errors import InputError, UnknownNameError

RNG = np.random.default_rng(4)
PERIOD = 0.02


def cart_pendulum() -> da.Machine:
    mass = da.Parameter("mass", 0.8)
    return da.Machine(
        "cart",
        bodies=[da.point_mass("cart", 2.0), da.point_mass("bob", mass, com=(0, 0, -0.6))],
        joints=[
            da.Joint("x", "prismatic", "world", "cart", axis=(1, 0, 0), damping=0.3),
            da.Joint("theta", "revolute", "cart", "bob", axis=(0, 1, 0)),
        ],
        motors=[da.Motor("drive", "x", effort=6.0)],
    )


@pytest.fixture(scope="module")
def cart() -> da.EquationsOfMotion:
    return da.equations(cart_pendulum())


def policy(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.array([8 * (np.sin(3 * t) - q[..., 0]) - 3 * v[..., 0]]).T


def test_steps_are_those_of_a_sampled_controller(cart: da.EquationsOfMotion) -> None:
    q0, mass = RNG.normal(size=(11, 2)), RNG.uniform(0.5, 2, 11)
    carts = da.stepper(cart, period=PERIOD, members=11, q0=q0, p={"mass": mass}, step=5e-3)
    assert (carts.input_names, carts.observed) == (("drive",), ("x", "theta", "x_dot", "theta_dot"))
    seen = carts.reset()
    np.testing.assert_array_equal(seen[:, :2], q0)
    for k in range(40):
        u = np.array([policy(carts.t[i], seen[i, :2], seen[i, 2:])[0] for i in range(11)]).reshape(11, 1)
        np.testing.assert_allclose(carts.t, k * PERIOD)
        seen = carts.step(u)
    for i in (0, 10):
        controller = da.SampledController(lambda t, q, v: policy(t, q, v).reshape(1), PERIOD)
        run = da.simulate(
            cart, duration=40 * PERIOD, q0=q0[i], p={"mass": mass[i]}, control=controller, step=5e-3, record=PERIOD
        )
        np.testing.assert_allclose(carts.x[i], run.x[-1], rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(seen[i], run.x[-1, :4], rtol=1e-10, atol=1e-10)


def test_members_do_not_depend_on_others_and_are_reset_alone(cart: da.EquationsOfMotion) -> None:
    """Members with clocks of their own under a law that knows the time: those that were reset repeat themselves."""
    law = da.PD(kp=(8.0,), kd=(3.0,), reference=lambda t: ca.sin(3 * t))
    q0, mass = RNG.normal(size=(21, 2)), RNG.uniform(0.5, 2, 21)
    make = {"period": PERIOD, "control": law, "observe": ["theta", "u.drive", "t", "parameter.mass"]}
    many = da.stepper(cart, members=21, q0=q0, p={"mass": mass}, **make)
    threaded = da.stepper(cart, members=21, q0=q0, p={"mass": mass}, threads=3, **make)
    alone = da.stepper(cart, q0=q0[13], p=mass[13:14], **make)
    first = [many.step() for _ in range(5)]
    for _ in range(5):
        last, one = threaded.step(), alone.step()
    np.testing.assert_array_equal(first[-1], last)
    np.testing.assert_array_equal(first[-1][13], one[0])
    before = first[-1].copy()
    chosen = np.isin(np.arange(21), [3, 13, 20])
    seen = many.reset(chosen)
    np.testing.assert_array_equal(seen[~chosen], before[~chosen])
    np.testing.assert_array_equal(seen[chosen, 0], q0[chosen, 1])
    np.testing.assert_array_equal(many.t[chosen], 0.0)
    for k in range(5):
        seen = many.step()
        np.testing.assert_array_equal(seen[chosen], first[k][chosen])
    np.testing.assert_allclose(seen[:, 2], many.t)
    np.testing.assert_array_equal(seen[:, 3], mass)
    seen = many.reset([2, 5], q0={"theta": [0.1, 0.2]}, p={"mass": 1.5})
    np.testing.assert_array_equal(seen[[2, 5]][:, [0, 3]], [[0.1, 1.5], [0.2, 1.5]])
    np.testing.assert_array_equal(many.reset(chosen, q0=q0)[chosen, 0], q0[chosen, 1])


def test_a_member_that_diverges_waits_for_its_reset(cart: da.EquationsOfMotion) -> None:
    carts = da.stepper(cart, period=PERIOD, members=9, observe={"far": lambda s: ca.fabs(s["x"])})
    carts.reset([4], v0={"theta_dot": 1e160})
    seen = carts.step(np.ones(1))
    np.testing.assert_array_equal(carts.ok, np.arange(9) != 4)
    np.testing.assert_array_equal(np.isnan(seen[:, 0]), np.arange(9) == 4)
    assert carts.t[4] == 0.0
    seen = carts.reset(~carts.ok)
    assert carts.ok.all() and seen[4, 0] == 0.0
    np.testing.assert_array_equal(carts.step([[1.0]])[4] > 0, True)


def test_virtual_machine_steps_the_same(cart: da.EquationsOfMotion) -> None:
    q0, u = RNG.normal(size=(3, 2)), RNG.normal(size=(3, 1))
    compiled = da.stepper(cart, period=PERIOD, members=3, q0=q0)
    interpreted = da.stepper(da.equations(cart_pendulum(), backend="vm"), period=PERIOD, members=3, q0=q0)
    for _ in range(2):
        np.testing.assert_allclose(interpreted.step(u), compiled.step(u), rtol=1e-10, atol=1e-12)
    assert "(vm)" in repr(interpreted) and "inputs    drive" in repr(compiled)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"period": 0.0}, "period must be"),
        ({"members": 0}, "members must be a whole number >= 1"),
        ({"members": 3, "q0": np.zeros((2, 2))}, "of 3 members, or of one for all, got 2"),
        ({"p": {"mass": -1.0}}, "mass"),
        ({"step": 1e-9}, "takes 20000000 steps"),
        ({"observe": "theta"}, "observe must be names of signals"),
        ({"observe": []}, "nothing to observe"),
        ({"observe": ["thet"]}, "did you mean 'theta'"),
        ({"method": "idas"}, "a stepper runs the methods euler, heun, rk4, midpoint, not 'idas'"),
        ({"control": da.SampledController(lambda t, q, v: [0.0], 0.1)}, "not Python controllers"),
    ],
)
def test_wrong_arguments(cart: da.EquationsOfMotion, settings, message: str) -> None:
    with pytest.raises((InputError, UnknownNameError), match=message):
        da.stepper(cart, **{"period": PERIOD, **settings})


def test_wrong_calls(cart: da.EquationsOfMotion) -> None:
    carts = da.stepper(cart, period=PERIOD, members=3)
    for u, message in (
        (None, "needs inputs for drive"),
        (np.zeros((2, 1)), r"shape \(3, 1\) or \(1,\), got \(2, 1\)"),
        ([[0.0], [np.nan], [0.0]], "input 'drive' of member 1 must be finite"),
    ):
        with pytest.raises(InputError, match=message):
            carts.step(u)
    for which in ([3], [-1], [0.5], [True]):
        with pytest.raises(InputError, match="a mask of 3 or numbers from 0 to 2"):
            carts.reset(which)
    law = da.PD(kp=(8.0,), kd=(3.0,), reference=np.zeros(1))
    with pytest.raises(InputError, match="takes no inputs here"):
        da.stepper(cart, period=PERIOD, control=law).step(np.zeros(1))
