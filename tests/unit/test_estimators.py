"""Estimators: Kalman's filter on linear machines, parameters, delays, dropped samples, bounds, refusals."""

from __future__ import annotations

from typing import Any

import control as pc
import numpy as np
import pytest

import dalembert as da
from dalembert import control
from dalembert.core.errors import InputError
from dalembert.systems.cranes import planar_crane, uniform_cable

H = 0.05
NOISE = {"x": 0.001, "x_dot": 0.05}
UNSURE = {"x": 0.1, "x_dot": 0.1}


def cart(mass: Any = 2.0, **sensor: Any) -> da.Machine:
    settings = {"period": H, "noise": 1e-2, "feedback": False, **sensor}
    return da.Machine(
        "cart",
        [da.point_mass("cart", mass)],
        [da.Joint("x", "prismatic", "world", "cart", axis="x", stiffness=3.0, damping=0.2)],
        motors=[da.Motor("push", "x")],
        sensors=[da.Sensor("encoder", "x", **settings)],
    )


LAW = control.Sampled(da.PD(kp=4.0, kd=4.0, reference=[1.0]), H)


def simulated(machine: da.Machine, estimator: Any, duration: float = 3.0, **keywords: Any) -> Any:
    settings: dict[str, Any] = {"record": H, "step": 0.01, "q0": [0.05], **keywords}
    return da.simulate(machine, duration=duration, control=control.Cascade(LAW, [estimator]), **settings)


@pytest.fixture(scope="module")
def filtered() -> Any:
    return simulated(cart(), da.ekf(cart(), period=H, noise=NOISE, uncertainty=UNSURE), 20.0)


def test_the_filter_and_the_loop_with_it_are_those_of_python_control(filtered: Any) -> None:
    """The covariance ends at the Riccati equation's, and the loop is the recursion of an LQG controller."""
    A = np.array([[0.0, 1.0], [-1.5, -0.1]])
    Z = A * H
    half = np.eye(2) + Z / 2 + Z @ Z / 6 + Z @ Z @ Z / 24
    Ad, Bd, C = np.eye(2) + Z @ half, H * half @ np.array([[0.0], [0.5]]), np.array([[1.0, 0.0]])
    Q, R = np.diag([NOISE["x"] ** 2, NOISE["x_dot"] ** 2]) * H, np.array([[1e-4]])
    _, P, _ = pc.dlqe(Ad, np.eye(2), C, Q, R)
    corrected = P - P @ C.T @ np.linalg.solve(C @ P @ C.T + R, C @ P)
    end = [filtered[f"ekf.deviation.{n}"][-1] for n in ("x", "x_dot")]
    np.testing.assert_allclose(end, np.sqrt(np.diag(corrected)), rtol=1e-10)
    seen = da.ekf(cart(), period=H, noise=NOISE, uncertainty=UNSURE)
    stationary = seen.stationary_deviation({"x": 0.3}, {})
    np.testing.assert_allclose(list(stationary.values()), np.sqrt(np.diag(corrected)), rtol=1e-10)
    with pytest.raises(da.DalembertError, match="stationary_deviation of estimator 'ekf'"):
        seen.stationary_deviation({"y": 0.3}, {})
    gain = P @ C.T @ np.linalg.inv(C @ P @ C.T + R)
    rows = slice(300, 400)
    estimate = np.c_[filtered["ekf.x"], filtered["ekf.x_dot"]][rows]
    u, y = filtered["command.push"][rows], filtered["encoder.x"][rows]
    for k in range(1, 90):
        ahead = Ad @ estimate[k - 1] + Bd[:, 0] * u[k - 1]
        np.testing.assert_allclose(estimate[k], ahead + gain[:, 0] * (y[k] - ahead[0]), atol=1e-10)
        assert u[k] == pytest.approx(4.0 * (1.0 - estimate[k, 0]) - 4.0 * estimate[k, 1], abs=1e-10)


def test_a_moving_horizon_is_the_same_filter_on_a_linear_machine(filtered: Any) -> None:
    window = da.mhe(cart(), horizon=8 * H, period=H, noise=NOISE, uncertainty=UNSURE)
    run = simulated(cart(), window)
    n = len(run.t) - 1
    for name in ("x", "x_dot"):
        np.testing.assert_allclose(run[f"mhe.{name}"][:n], filtered[f"ekf.{name}"][:n], atol=1e-10)
    assert run["mhe.status"].max() == 0 and run["mhe.window"].max() == 8


def test_parameters_are_estimated_within_their_limits() -> None:
    mass = da.Parameter("mass", 2.0)
    for make, more in ((da.ekf, {}), (da.mhe, {"horizon": 10 * H})):
        estimator = make(
            cart(mass, noise=1e-3), period=H, noise=NOISE, uncertainty={**UNSURE, "mass": 1.0}, estimate=["mass"],
            limits={"mass": (0.5, 2.9)}, **more,
        )  # fmt: skip
        run = simulated(cart(mass, noise=1e-3), estimator, 8.0, p={"mass": 2.8})
        values = run[f"{estimator.name}.mass"]
        assert values.max() <= 2.9 + 1e-12
        assert abs(values[-1] - 2.8) < 0.12, estimator.name
    with pytest.warns(da.DalembertWarning, match=r"mass.*neither known nor estimated"):
        da.ekf(cart(mass), period=H, noise=NOISE, uncertainty=UNSURE)


@pytest.mark.parametrize("horizon", [None, 8 * H])
def test_delayed_readings_belong_to_their_time(horizon: float | None) -> None:
    """Without noise of any kind a delayed sensor gives the state of now, once the inputs since are known."""
    machine = cart(noise=0.0, delay=3 * H)
    settings: dict[str, Any] = {
        "period": H,
        "noise": {"x_dot": 1e-6},
        "uncertainty": UNSURE,
        "deviation": {"encoder": 1e-4},
    }
    estimator = da.ekf(machine, **settings) if horizon is None else da.mhe(machine, horizon=horizon, **settings)
    run = simulated(machine, estimator, 4.0)
    assert np.abs(run[f"{estimator.name}.x"] - run["x"])[20:-1].max() < 2e-5  # of steps of 0.05 s
    naive = np.abs(run["encoder.x"] - run["x"])[20:-1].max()
    assert naive > 1e-3


def test_dropped_and_slow_samples_do_not_count() -> None:
    machine = cart(noise=1e-3)
    signals = [da.Signal("link", "1 - max(0, min(1, 1e6 * (t - 1.0)))")]
    broken = da.ekf(machine, period=H, noise=NOISE, uncertainty=UNSURE, valid={"encoder": "link"})
    run = simulated(machine, broken, signals=signals)
    deviation = run["ekf.deviation.x"]
    assert deviation[15] < 2e-3 and deviation[-1] > 5 * deviation[15]  # it grows without readings
    slow = da.ekf(cart(period=4 * H), period=H, noise=NOISE, uncertainty=UNSURE)
    steps = simulated(cart(period=4 * H), slow)["ekf.deviation.x"]
    assert (steps[9:40][(np.arange(9, 40) % 4) == 0] < steps[8:39][(np.arange(9, 40) % 4) == 0]).all()
    assert (steps[9:40][(np.arange(9, 40) % 4) == 1] > steps[8:39][(np.arange(9, 40) % 4) == 1]).all()


def test_what_it_cannot_do_is_refused_by_name() -> None:
    settings: dict[str, Any] = {"period": H, "noise": NOISE, "uncertainty": UNSURE}
    cases: list[tuple[da.Machine, dict[str, Any], str]] = [
        (cart(), {"uncertainty": {"x": 1.0}}, "none for x_dot"),
        (cart(), {"noise": {"y": 1.0}}, "'y'"),
        (cart(), {"sensors": ["camera"]}, "camera"),
        (cart(noise=0.0), {}, "no noise to weigh"),
        (cart(delay=0.07), {}, "whole number of periods"),
        (cart().with_(sensors=()), {}, "no sensors"),
        (cart(), {"limits": {"x": da.soft(0, 1)}}, "hard"),
    ]
    for machine, change, message in cases:
        with pytest.raises(da.DalembertError, match=message):
            da.ekf(machine, **{**settings, **change})
    continuous = control.Cascade(da.PD(kp=4.0, kd=4.0, reference=[1.0]), [da.ekf(cart(), **settings)])
    with pytest.raises(InputError, match="inputs that are held"):
        da.simulate(cart(), duration=1.0, control=continuous)
    with pytest.raises(InputError, match="sets no inputs"):
        da.simulate(cart(), duration=1.0, control=da.ekf(cart(), **settings))


def test_a_moving_horizon_has_a_third_of_the_error_of_the_filter_far_from_the_truth() -> None:
    """Swing and mass of a crane from two encoders, 12 random starts, with and without process noise.

    The figures without process noise are those of a prototype with its own filter and window in NumPy (the table of
    ``docs/estimators.md``): 6.4 mrad and 5.9 kg, 2.0 mrad and 0.57 kg in the median, 58 and 7.5 mrad at worst.
    """
    swing, mass = _crane_errors(process=0.0)
    np.testing.assert_allclose(1e3 * np.median(swing, axis=0), [6.4, 2.0], atol=0.05)
    np.testing.assert_allclose(1e3 * np.max(swing, axis=0), [58.0, 7.5], rtol=0.01)
    np.testing.assert_allclose(np.median(mass, axis=0), [5.9, 0.57], rtol=0.02)
    swing, mass = _crane_errors(process=1.0)
    filtered, window = np.median(swing, axis=0)
    assert window < 0.36 * filtered and np.max(swing[:, 1]) < 0.15 * np.max(swing[:, 0])
    assert np.median(mass[:, 1]) < 1.0 < 5.0 < np.median(mass[:, 0])


def _crane_errors(process: float, runs: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """Errors of filter and window: swing, rms of 0.5 to 2 s [rad], and mass after 1 s [kg]."""
    payload = da.Parameter("payload", 500.0)
    sensors = [da.Sensor(f"{n}.encoder", n, period=H, noise=2e-3, feedback=False) for n in ("x", "l1")]
    crane = planar_crane(uniform_cable(1, 4.5, payload=payload), trolley=200.0, lengths="hoisted")
    crane = crane.with_(sensors=sensors)
    names = (*crane.q_names, *crane.v_names, "payload")
    deviation = np.array([1e-5] * 3 + [1e-3] * 3 + [0.1])  # of a period
    settings: dict[str, Any] = {
        "period": H, "estimate": ["payload"], "start": {"l1": 4.5}, "limits": {"payload": (100.0, 1500.0)},
        "noise": dict(zip(names, deviation / np.sqrt(H), strict=True)),
        "uncertainty": dict(zip(names, (0.01, 0.15, 0.01, 0.05, 0.15, 0.05, 200.0), strict=True)),
    }  # fmt: skip
    pair = [da.ekf(crane, **settings), da.mhe(crane, horizon=15 * H, rounds=1, **settings)]
    step, swing, mass = pair[0].tapes["STEP_TAPE"], [], []
    for seed in range(runs):
        m = (700.0, 250.0, 1000.0)[seed % 3]
        x, u, y = _hoisted(step, seed, m, process * deviation)
        found = [
            one.replay({"x.encoder.x": y[:, 0], "l1.encoder.l1": y[:, 1]}, {"F": u[:, 0], "F1": u[:, 1]})
            for one in pair
        ]
        swing.append([np.sqrt(np.mean((one["theta1"] - x[:, 1])[10:40] ** 2)) for one in found])
        mass.append([abs(one["payload"][20] - x[20, 6]) for one in found])
    return np.array(swing), np.array(mass)


def _hoisted(step: Any, seed: int, mass: float, deviation: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """States, inputs and readings of 2 s; the draws of noise are those of a prototype that ran for 10 s."""
    rng, other, n = np.random.default_rng(seed), np.random.default_rng(1000 + seed), 40
    x, u = np.zeros((n + 1, 7)), np.zeros((n + 1, 2))
    x[0] = [0.0, rng.uniform(-0.25, 0.25), 4.5, 0.0, rng.uniform(-0.3, 0.3), 0.0, mass]
    for k in range(n):
        t = k * H
        hold = 2000.0 * (4.5 - x[k, 2]) - 1500.0 * x[k, 5] - 9.81 * mass * np.cos(x[k, 1])
        u[k] = 300.0 * np.sin(1.3 * t) - 80.0 * x[k, 3], hold + 500.0 * np.sin(2.0 * t)
        x[k + 1] = np.array(step(x[k], u[k], 0.0)[0]).ravel() + deviation * other.normal(size=7)
    return x, u, x[:, [0, 2]] + 2e-3 * rng.normal(size=(201, 2))[: n + 1]


@pytest.mark.parametrize("horizon", [None, 6 * H])
def test_recorded_readings_give_the_estimates_of_the_loop(horizon: float | None) -> None:
    """A sensor with a delay, a dropped link, a time that does not start at zero."""
    machine = cart(delay=2 * H)
    more: dict[str, Any] = {"period": H, "noise": NOISE, "uncertainty": UNSURE, "valid": {"encoder": "link"}}
    estimator = da.ekf(machine, **more) if horizon is None else da.mhe(machine, horizon=horizon, **more)
    signals = [da.Signal("link", "1 - max(0, min(1, 1e6 * (t - 2.3)))")]
    run = simulated(machine, estimator, 2.0, t0=1.0, signals=signals)
    replayed = estimator.replay(
        {"encoder.x": run["encoder.x"]}, {"push": run["command.push"]}, {"encoder": run["link"]}, t0=1.0
    )
    for name in ("x", "x_dot"):
        of_loop = run[f"{estimator.name}.{name}"][:-1]  # the loop takes no sample at its end
        np.testing.assert_allclose(replayed[name][:-1], of_loop, rtol=0, atol=1e-12)
    kept = estimator.replay({"encoder.x": run["encoder.x"]}, {"push": run["command.push"]}, t0=1.0)
    assert np.abs(kept["x"] - replayed["x"])[-5:].max() > 1e-4
    for wrong, message in (
        (({"encoder.x": [0.0]}, {"push": [0.0, 0.0]}), "'push' must be 1 finite numbers"),
        (({}, {"push": [0.0]}), "readings of replay of estimator.*none for encoder.x"),
        (({"encoder.x": [0.0]}, {"pull": [0.0]}), "'pull'"),
    ):
        with pytest.raises(da.DalembertError, match=message):
            estimator.replay(*wrong)


def test_a_motor_may_have_the_name_of_a_measured_coordinate() -> None:
    machine = cart().with_(motors=[da.Motor("x", "x")])
    seen = da.ekf(machine, period=H, noise=NOISE, uncertainty=UNSURE)
    pushed = seen.replay({"encoder.x": [0.0, 0.0, 0.0]}, {"x": [8.0, 8.0, 8.0]})
    assert pushed["x_dot"][-1] > seen.replay({"encoder.x": [0.0, 0.0, 0.0]}, {"x": [0.0, 0.0, 0.0]})["x_dot"][-1] + 1e-3
