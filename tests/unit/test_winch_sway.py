"""Sway damped by the winch alone: energy that never grows, motions that it does not reach, parametric resonance."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.studies.crane.winch import parametric_rates, winch_run
from dalembert.systems.cranes import (
    WinchSwayDamping,
    hanging,
    planar_crane,
    spatial_crane,
    sway_energy,
    uniform_cable,
    winch_reach,
)

ONE = planar_crane(uniform_cable(1, 5.0, payload=50.0), lengths="hoisted")


@pytest.mark.parametrize("links", [1, 3, pytest.param(10, marks=pytest.mark.slow)])
def test_energy_of_the_sway_never_grows(links: int) -> None:
    run, energy = winch_run(links, duration=20.0)
    assert np.diff(energy).max() <= 1e-10 * energy[0]
    assert energy[-1] < 0.8 * energy[0]
    assert np.abs(run["x"]).max() < 1e-12  # the winch alone


def test_energy_of_one_link_is_that_of_a_pendulum() -> None:
    run = da.simulate(ONE, duration=1.0, q0=hanging(ONE, theta1=0.3), v0={"l1_dot": 0.2}, control=[0.0, -490.5])
    l, theta, rate = run["l1"], run["theta1"], run["theta1_dot"]
    np.testing.assert_allclose(
        sway_energy(ONE, run), 50.0 * ((l * rate) ** 2 / 2 + 9.81 * l * (1 - np.cos(theta))), rtol=1e-12
    )


def test_sway_decays_as_parametric_resonance_says() -> None:
    """Over the length's own cosine at twice the frequency the best rate is 3/4 eps w; the law comes near it."""
    run, energy = winch_run(1, duration=60.0)
    rate = -np.log(energy[-1] / energy[0]) / 2 / 60.0
    best = winch_reach(ONE)[0].rate(0.02)
    assert best == pytest.approx(0.75 * 0.02 * np.sqrt(9.81 / 5.0), rel=1e-6)
    assert 0.6 * best < rate < 1.1 * best
    assert abs(run["l1"] - 5.0).max() < 0.2  # it swings by 0.1 m, and hardly wanders
    up, down = parametric_rates(0.02)
    assert up == pytest.approx(best, rel=2e-3)
    assert down == pytest.approx(-best, rel=2e-3)


def test_a_winch_that_lags() -> None:
    """One pendulum written by hand, the winch's speed delayed: damped, untouched at an eighth of a period, driven."""
    g, l0, depth = 9.81, 5.0, 0.02
    w = np.sqrt(g / l0)
    h = 2 * np.pi / w / 400

    def speed(theta: float, p: float, l: float) -> tuple[float, float]:
        energy, A = p**2 / (2 * l**2) + g * l * (1 - np.cos(theta)), -(p**2) / l**3 + g * (1 - np.cos(theta))
        whole = energy + g * l0 * 1e-6 / 2
        sigma = np.tanh(3 * (l - l0) / l0 + np.arctanh(0.4957904))
        k = 4 / 3 * depth * w * l0**2 / whole * (1 + sigma * A / np.hypot(A, 0.1 * whole / l0))
        return -k * A, energy

    def left(steps: int) -> float:
        past, theta, p, l = [0.0] * (steps + 1), 0.2, 0.0, l0
        first = speed(theta, p, l)[1]
        for _ in range(int(60.0 / h)):
            past.append(speed(theta, p, l)[0])
            s = past[-1 - steps]
            mid, p_mid, l_mid = theta + h / 2 * p / l**2, p - h / 2 * g * l * np.sin(theta), l + h / 2 * s
            theta, p, l = theta + h * p_mid / l_mid**2, p - h * g * l_mid * np.sin(mid), l + h * s
        return speed(theta, p, l)[1] / first

    _, energy = winch_run(1)
    assert left(0) == pytest.approx(energy[-1] / energy[0], rel=0.05)
    assert left(25) < 0.4  # a sixteenth of a period
    assert 0.8 < left(50) < 1.25
    assert left(75) > 3.0


def test_upper_mode_grows_at_the_rate_of_its_reach() -> None:
    """Reach of the second mode of two links, by Floquet multipliers of the linear equations of the whole crane."""
    crane = planar_crane(uniform_cable(2, 5.0, payload=50.0, mass=4.0), lengths="hoisted")
    row = winch_reach(crane)[1]
    w, depth, l0 = row.omega, 2e-5, 2.5
    eom = da.equations(crane, backend="vm")
    angle = [crane.q_names.index(n) for n in ("theta1", "theta2")]
    l = crane.q_names.index("l1")

    def linear(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """M, D, K of the angles while the length is prescribed, by central differences of the inverse dynamics."""
        q, v, a = np.zeros((3, 4))
        size = depth * 5.0
        q[l], v[l], a[l] = (
            l0 + size * np.cos(2 * w * t),
            -2 * w * size * np.sin(2 * w * t),
            -4 * w**2 * size * np.cos(2 * w * t),
        )
        K, D = np.zeros((2, 2, 2))
        for k, i in enumerate(angle):
            step = 1e-4 * np.eye(4)[i]
            K[:, k] = (eom.inverse_dynamics(q + step, v, a) - eom.inverse_dynamics(q - step, v, a))[angle] / 2e-4
            D[:, k] = (eom.inverse_dynamics(q, v + step, a) - eom.inverse_dynamics(q, v - step, a))[angle] / 2e-4
        return eom.mass_matrix(q)[np.ix_(angle, angle)], D, K

    def slope(t: float, X: np.ndarray) -> np.ndarray:
        M, D, K = linear(t)
        return np.vstack([X[2:], -np.linalg.solve(M, K @ X[:2] + D @ X[2:])])

    period, steps = np.pi / w, 60
    X, h = np.eye(4), np.pi / w / 60
    for k in range(steps):
        t = k * h
        k1 = slope(t, X)
        k2 = slope(t + h / 2, X + h / 2 * k1)
        k3 = slope(t + h / 2, X + h / 2 * k2)
        k4 = slope(t + h, X + h * k3)
        X = X + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    rates = np.log(np.abs(np.linalg.eigvals(X))) / period
    assert rates.max() == pytest.approx(row.rate(depth), rel=0.02)


def test_circular_sway_is_out_of_reach() -> None:
    """The winch leaves the angular momentum about the vertical, and so the energy of the circle that has it."""
    crane = spatial_crane(uniform_cable(1, 5.0, payload=50.0), lengths="hoisted")
    rows = winch_reach(crane)
    assert [row.mode for row in rows if not row.damped] == ["mode 1, circular"]
    w = rows[0].omega
    run = da.simulate(
        crane,
        duration=60.0,
        q0=hanging(crane, theta1=0.05),
        v0={"phi1_dot": 0.02 * w},
        control=WinchSwayDamping(depth=0.02, rest=1e-4),
        method="dopri5",
        rtol=1e-9,
        record=0.5,
    )
    energy = sway_energy(crane, run)
    theta, phi, l = run["theta1"], run["phi1"], run["l1"]
    x, y = l * np.sin(theta) * np.cos(phi), l * np.sin(phi)
    vx = (
        run["l1_dot"] * np.sin(theta) * np.cos(phi)
        + l * np.cos(theta) * np.cos(phi) * run["theta1_dot"]
        - l * np.sin(theta) * np.sin(phi) * run["phi1_dot"]
    )
    vy = run["l1_dot"] * np.sin(phi) + l * np.cos(phi) * run["phi1_dot"]
    spin = 50.0 * (x * vy - y * vx)
    np.testing.assert_allclose(spin, spin[0], rtol=1e-6)
    above = energy - np.sqrt(9.81 / l) * abs(spin[0])  # the circle with this angular momentum
    assert np.diff(energy).max() <= 1e-9 * energy[0]
    assert above.min() > -1e-3 * energy[0]  # the energy of small circles
    assert above[-1] < 0.5 * above[0]


@pytest.mark.parametrize(
    ("crane", "message"),
    [
        (planar_crane(uniform_cable(2, 5.0, payload=5.0, mass=1.0)), "lengths='hoisted'"),
        (planar_crane(uniform_cable(2, 5.0, payload=5.0, mass=1.0), lengths="variable"), "the lengths l1, l2"),
        (planar_crane(uniform_cable(2, 5.0, payload=5.0, mass=1.0, rods=True), lengths="hoisted"), "telescoping"),
    ],
)
def test_other_cranes_are_refused(crane: da.Machine, message: str) -> None:
    with pytest.raises(da.InputError, match=message):
        winch_reach(crane)


def test_bad_settings_are_refused() -> None:
    with pytest.raises(da.InputError, match="depth of WinchSwayDamping"):
        WinchSwayDamping(depth=0.0)
    with pytest.raises(da.InputError, match="at of WinchSwayDamping must be a finite number, got 'left'"):
        WinchSwayDamping(at="left")  # type: ignore[arg-type]
    with pytest.raises(da.InputError, match="run must be one of crane 'crane'"):
        sway_energy(ONE, 3.0)  # type: ignore[arg-type]
    with pytest.raises(da.InputError, match="at of WinchSwayDamping must be 1 numbers, got 2"):
        da.simulate(ONE, duration=0.1, q0=hanging(ONE), control=WinchSwayDamping(at=(0.0, 1.0)))
