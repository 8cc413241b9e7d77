"""Measures of rollouts: the numbers that the trajectories of the members give, without the trajectories."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import dalembert as da
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.systems.cable_robots import pulley_robot

RNG = np.random.default_rng(8)
LAW = da.PD(kp=(8.0,), kd=(3.0,), reference=lambda t: ca.sin(3 * t))
SETTINGS = {"duration": 0.637, "step": 1e-2, "control": LAW}


def cart_pendulum() -> da.Machine:
    mass = da.Parameter("mass", 0.8)
    return da.Machine(
        "cart",
        bodies=[da.point_mass("cart", 2.0), da.point_mass("bob", mass, com=(0, 0, -0.6))],
        joints=[
            da.Joint("x", "prismatic", "world", "cart", axis=(1, 0, 0), damping=0.3),
            da.Joint("theta", "revolute", "cart", "bob", axis=(0, 1, 0)),
        ],
        frames=[da.Frame("tip", "bob", da.Transform((0, 0, -0.6)))],
        motors=[da.Motor("drive", "x", effort=6.0)],
    )


@pytest.fixture(scope="module")
def cart() -> da.EquationsOfMotion:
    return da.equations(cart_pendulum())


MEASURES = {
    "end": da.Measure("theta"),
    "far": da.Measure("x", "max"),
    "low": da.Measure("position.tip.z", "min"),
    "swing": da.Measure("theta", "max abs", since=0.3),
    "early": da.Measure("x", "mean", until=0.25),
    "effort": da.Measure(lambda s: s["u.drive"] ** 2, "integral"),
    "speed": da.Measure("velocity.tip.x", "rms", since=0.1, until=0.5),
    "reached": da.Measure(lambda s: s["x"] > 0.2, "first"),
    "settled": da.Measure(lambda s: ca.fabs(s["theta"]) - 0.1, "last"),
    "never": da.Measure(lambda s: s["x"] > 50, "first"),
    "weighed": da.Measure(lambda s: s["parameter.mass"] * s["t"], "final"),
}


def expected(run: da.Run, eom: da.EquationsOfMotion, mass: float) -> dict[str, float]:
    """The same numbers from a whole history, by NumPy."""
    t, theta, x = run.t, run["theta"], run["x"]
    tip = eom.pose("tip", run.x[:, :2])[:, :3, 3]
    speed = np.einsum("nij,nj->ni", eom.jacobian("tip", run.x[:, :2], axes="world")[:, :3], run.x[:, 2:4])[:, 0]

    def within(since: float, until: float) -> np.ndarray:
        return (t >= since - 1e-9) & (t <= until + 1e-9)

    def mean(y: np.ndarray, on: np.ndarray) -> float:
        return float(np.trapezoid(y[on], t[on]) / (t[on][-1] - t[on][0]))

    reached, unsettled = t[x > 0.2], t[np.abs(theta) > 0.1]
    return {
        "end": theta[-1],
        "far": x.max(),
        "low": tip[:, 2].min(),
        "swing": np.abs(theta[within(0.3, 9)]).max(),
        "early": mean(x, within(0, 0.25)),
        "effort": float(np.trapezoid(run["u.drive"] ** 2, t)),
        "speed": np.sqrt(mean(speed**2, within(0.1, 0.5))),
        "reached": reached[0] if len(reached) else np.nan,
        "settled": unsettled[-1] if len(unsettled) else np.nan,
        "never": np.nan,
        "weighed": mass * t[-1],
    }


def test_measures_are_those_of_single_simulations(cart: da.EquationsOfMotion) -> None:
    q0, mass = RNG.normal(scale=0.3, size=(11, 2)), RNG.uniform(0.5, 2, 11)
    result = da.rollout(cart, q0=q0, p={"mass": mass}, measure=MEASURES, **SETTINGS)
    assert result.x.shape == (11, 2, 6)  # no trajectories
    assert set(result.measures) == set(MEASURES)
    for i in (0, 3, 10):
        run = da.simulate(cart, q0=q0[i], p={"mass": mass[i]}, **SETTINGS)
        for name, value in expected(run, cart, mass[i]).items():
            np.testing.assert_allclose(result.measures[name][i], value, rtol=1e-10, atol=1e-10, err_msg=name)
    dataset = result.to_xarray()
    np.testing.assert_array_equal(dataset["measure.far"], result.measures["far"])
    assert "measures  end, far" in repr(result)


def test_measures_do_not_depend_on_others_or_on_rows(cart: da.EquationsOfMotion) -> None:
    q0, mass = RNG.normal(size=(21, 2)), RNG.uniform(0.5, 2, 21)
    whole = da.rollout(cart, q0=q0, p={"mass": mass}, measure=MEASURES, threads=1, **SETTINGS)
    order = RNG.permutation(21)
    shuffled = da.rollout(cart, q0=q0[order], p={"mass": mass[order]}, measure=MEASURES, threads=3, **SETTINGS)
    alone = da.rollout(cart, q0=q0[13], p=mass[13:14], measure=MEASURES, **SETTINGS)
    for name, values in whole.measures.items():
        np.testing.assert_array_equal(shuffled.measures[name], values[order])
        np.testing.assert_array_equal(alone.measures[name][0], values[13])
    again = whole.again([13, 2])
    np.testing.assert_array_equal(again.x[:, -1], whole.x[[13, 2], -1])
    assert len(again.t) == 65
    thin = whole.again(np.arange(21) == 13, record=0.1)  # steps are counted anew from each row
    np.testing.assert_allclose(thin.x[0, -1], whole.final[13], rtol=1e-13)
    unmeasured = da.rollout(cart, q0=q0, p={"mass": mass}, record=0.637, **SETTINGS)
    np.testing.assert_array_equal(unmeasured.x, whole.x)


def test_virtual_machine_measures_the_same(cart: da.EquationsOfMotion) -> None:
    q0 = RNG.normal(size=(3, 2))
    compiled = da.rollout(cart, q0=q0, measure=MEASURES, **SETTINGS)
    interpreted = da.rollout(da.equations(cart_pendulum(), backend="vm"), q0=q0, measure=MEASURES, **SETTINGS)
    for name, values in compiled.measures.items():
        np.testing.assert_allclose(interpreted.measures[name], values, rtol=1e-10, atol=1e-12)


def test_diverged_members_have_no_measures(cart: da.EquationsOfMotion) -> None:
    v0 = np.zeros((9, 2))
    v0[4, 1] = 1e160
    result = da.rollout(cart, v0=v0, measure={"far": da.Measure("x", "max")}, **SETTINGS)
    np.testing.assert_array_equal(np.isnan(result.measures["far"]), np.arange(9) == 4)


def test_a_quantity_that_is_not_a_number_stays_seen(cart: da.EquationsOfMotion) -> None:
    """The root is not a number for part of the time only: the maximum must not forget it."""
    root = da.Measure(lambda s: ca.sqrt(0.3 - s["t"]), "max")
    result = da.rollout(cart, measure={"root": root, "end": da.Measure("x")}, **SETTINGS)
    assert np.isnan(result.measures["root"][0]) and np.isfinite(result.measures["end"][0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: da.Measure("theta", "median"), "no way to measure named 'median'.*max abs"),
        (lambda: da.Measure(3.0), "a name or of a function of signals, got 3.0"),
        (lambda: da.Measure("theta", since=2.0, until=1.0), "since < until"),
        (lambda: da.Measure("theta", since="soon"), "'since' of a Measure must be a time"),
        (lambda: {"a": "theta"}, r"measure 'a' must be a Measure, such as Measure\('theta', 'max abs'\)"),
        (lambda: ["theta"], "measure must map names"),
        (lambda: {"a": da.Measure("thet")}, "no signal named 'thet' in machine 'cart'.*did you mean 'theta'"),
        (lambda: {"a": da.Measure("position.top.x")}, "did you mean 'position.tip.x'"),
        (lambda: {"a": da.Measure(lambda s: ca.vertcat(s["x"], s["t"]))}, "measure 'a' must be one expression"),
        (lambda: {"a": da.Measure(lambda s: np.sin(s["x"], 1, 2, 3))}, "measure 'a' fails on CasADi symbols"),
        (lambda: {"a": da.Measure(lambda s: ca.SX.sym("w"))}, "unknown symbols: w"),
    ],
)
def test_wrong_measures(cart: da.EquationsOfMotion, make, message: str) -> None:
    with pytest.raises((InputError, UnknownNameError), match=message):
        da.rollout(cart, measure=make(), **SETTINGS)


def test_wrong_members_to_repeat(cart: da.EquationsOfMotion) -> None:
    result = da.rollout(cart, q0=np.zeros((3, 2)), measure={"far": da.Measure("x", "max")}, **SETTINGS)
    for members in ([3], [-1], [], [0.5], [True, False]):
        with pytest.raises(InputError, match="members must be numbers from 0 to 2"):
            result.again(members)
    with pytest.raises(InputError, match=r"use measures\['far'\]"):
        result["far"]


def test_tensions_of_cables_are_measured() -> None:
    """Multipliers on the tape, against those that single runs record."""
    eom = da.equations(pulley_robot(2))
    start = {"q0": {"platform.y": 0.25, "platform.z": 0.37}, "duration": 0.2, "step": 2e-3}
    measure = {
        "least": da.Measure(lambda s: ca.fmin(s["tension.cable1"], s["tension.cable2"]), "min"),
        "most": da.Measure("tension.cable1", "max"),
    }
    speeds = np.array([-0.1, 0.05, 0.1])
    result = da.rollout(eom, v0={"platform.vx": speeds}, measure=measure, **start)
    for i in (0, 2):
        run = da.simulate(eom, v0={"platform.vx": speeds[i]}, **start)
        least = min(run["tension.cable1"].min(), run["tension.cable2"].min())
        np.testing.assert_allclose(result.measures["least"][i], least, rtol=1e-9)
        np.testing.assert_allclose(result.measures["most"][i], run["tension.cable1"].max(), rtol=1e-9)
