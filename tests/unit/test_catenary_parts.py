"""Heavy cables between two points: what is solved, what is missed, and what follows from a solution."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from dalembert.model.ropes.catenary import Hanging, cut, pull, reach

Array = np.ndarray
W, EA = 5.0, 3e3


def _numbers(*values: ca.SX) -> list[float]:
    return [float(x) for x in ca.DM(ca.evalf(ca.vertcat(*map(ca.SX, values)))).full()[:, 0]]


def _tensions(H: float, V: float, L: float) -> Array:
    return np.hypot(H, V - W * np.linspace(0.0, L, 200001))


@pytest.mark.parametrize("height", [-4.0, 3.0, 12.0])
def test_a_cable_with_a_tension_along_its_chord(height: float) -> None:
    start, end, gravity = ca.SX([0.3, -0.2, 1.0]), ca.SX([6.3, 4.8, 1.0 + height]), ca.SX([0.0, 0.0, -9.81])
    made = Hanging.tightened(start, end, gravity, (ca.SX(90.0), ca.SX(W), ca.SX(EA)))
    H, V, L, error = _numbers(made.H, made.V, made.L, made.error)
    l = np.hypot(6.0, 5.0)
    assert [float(x) for x in reach(H, V, L, W, EA)] == pytest.approx([l, height], rel=1e-10) and abs(error) < 1e-12
    cable = np.linspace(0.0, L, 200001)
    slope = (V - W * cable) / H
    along = int(np.argmin(np.abs(slope - height / l)))
    assert np.hypot(H, V - W * cable[along]) == pytest.approx(90.0, rel=1e-4)
    assert _numbers(made.chord_tension)[0] == pytest.approx(90.0)
    mass, chord = W / 9.81, np.hypot(l, height)  # a string: f = sqrt(T / mass) / 2 L
    assert _numbers(made.frequency(gravity))[0] == pytest.approx(np.sqrt(90.0 / mass) / (2.0 * chord))
    tensions = _tensions(H, V, L)
    assert _numbers(*made.extremes) == pytest.approx([tensions.min(), tensions.max()], rel=1e-8)
    assert _numbers(*made.tensions) == pytest.approx([tensions[-1], tensions[0]])


def test_extremes_of_tension_with_and_without_a_lowest_point() -> None:
    for H, V, L in ((40.0, 90.0, 12.0), (40.0, 30.0, 12.0), (40.0, -10.0, 12.0)):
        l, h = (float(x) for x in reach(H, V, L, W, EA))
        start, end = ca.SX([0.0, 0.0, 2.0]), ca.SX([l, 0.0, 2.0 + h])
        made = Hanging.between(start, end, ca.SX([0.0, 0.0, -9.81]), (ca.SX(L), ca.SX(W), ca.SX(EA)))
        tensions = _tensions(H, V, L)
        assert _numbers(*made.extremes) == pytest.approx([tensions.min(), tensions.max()], rel=1e-7)


def test_a_step_that_does_not_arrive_tells_by_how_much() -> None:
    """The larger miss of the end, or of the length ahead, as a part of the larger one of chord and cable."""
    rng, found = np.random.default_rng(4), []
    for _ in range(12):
        l, h, H, V = rng.uniform([4.0, -4.0, 20.0, 5.0], [9.0, 4.0, 60.0, 50.0])
        total = 10.0
        V1, L1, error = _numbers(*cut(*map(ca.SX, (l, h, H, W, EA)), near=ca.SX([V, total])))
        x, z = (float(y) for y in reach(H, V1, L1, W, EA))
        assert error == pytest.approx(max(abs(x - l), abs(z - h)) / max(np.hypot(l, h), L1), rel=1e-9, abs=1e-13)
        found.append(error)
        near = (ca.SX(total), ca.SX(H), ca.SX(V))
        L2, H2, V2, error = _numbers(*pull(*map(ca.SX, (l, h, total, W, EA)), near, ca.SX(1.5)))
        x, z = (float(y) for y in reach(H2, V2, L2, W, EA))
        ahead = abs(total - 1.5 / (1.0 + np.hypot(H2, V2 - W * L2) / EA) - L2)
        miss = max(abs(x - l), abs(z - h), ahead)
        assert error == pytest.approx(miss / max(np.hypot(l, h), L2), rel=1e-9, abs=1e-13)
        found.append(error)
    assert sum(e > 1e-4 for e in found) > 8


def test_cables_with_a_part_ahead_of_the_start_are_found() -> None:
    """It has the tension of the start; the rest of the length hangs to the end."""
    rng, n = np.random.default_rng(7), 300
    l, h, total, c = (ca.SX.sym(name) for name in ("l", "h", "total", "c"))
    for stiffness in (2e2, EA, 1e6):
        made = pull(l, h, total, ca.SX(W), ca.SX(stiffness), None, c)
        solve = ca.Function("solve", [l, h, total, c], list(made)).map(n)
        chord, slope, ahead = rng.uniform(1.0, 20.0, n), rng.uniform(-1.3, 1.3, n), rng.uniform(0.0, 12.0, n)
        length = ahead + chord * rng.uniform(1.01, 1.6, n)
        L, H, V, error = (np.array(x)[0] for x in solve(chord * np.cos(slope), chord * np.sin(slope), length, ahead))
        assert error.max() < 1e-11
        T = np.hypot(H, V - W * L)
        np.testing.assert_allclose(L + ahead / (1.0 + T / stiffness), length, rtol=1e-10)
        for k in range(0, n, 30):
            place = [float(x) for x in reach(H[k], V[k], L[k], W, stiffness)]
            expected = chord[k] * np.array([np.cos(slope[k]), np.sin(slope[k])])
            np.testing.assert_allclose(place, expected, atol=1e-9 * chord[k])


def test_the_gradient_of_the_energy_of_a_cable_on_a_winch() -> None:
    """By differences, of places of both ends and of the length that is paid out."""
    q, gravity = ca.SX.sym("q", 7), ca.SX([0.0, 0.0, -9.81])
    made = Hanging.between(q[:3], q[3:6], gravity, (ca.SX(11.0), ca.SX(W), ca.SX(EA)), q[6])
    f = ca.Function("f", [q], [made.potential, made.gradient(q), made.winch_tension, made.unstretched])
    at = np.array([0.3, -0.2, 1.0, 6.3, 4.8, 2.5, 0.7])
    _, gradient, tension, length = (np.array(x.full()).ravel() for x in f(at))
    slopes = [(float(f(at + 1e-5 * e)[0]) - float(f(at - 1e-5 * e)[0])) / 2e-5 for e in np.eye(7)]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-6)
    assert length.item() == pytest.approx(11.7)
    assert gradient[6] == pytest.approx(-tension.item() - tension.item() ** 2 / (2.0 * EA))
    np.testing.assert_allclose(gradient[:3] + gradient[3:6], [0.0, 0.0, W * 11.0], atol=1e-6)  # carried as a whole


def test_the_energy_of_a_cable_on_a_pulley_has_all_its_parts() -> None:
    """On the arc, of the part between pulley and winch, of the hanging part, and of what the winch has coiled up."""
    start, end = ca.SX([0.0, 0.0, 2.0]), ca.SX([6.0, 0.0, 3.0])
    plain = Hanging.between(start, end, ca.SX([0.0, 0.0, -9.81]), (ca.SX(8.0), ca.SX(W), ca.SX(EA)))
    fields = {**vars(plain), "lead": ca.SX(1.5), "wound": ca.SX(33.0), "arc": ca.SX(0.8), "payout": ca.SX(0.6)}
    (own,) = _numbers(Hanging(**{**vars(plain), "origin": ca.SX([0.0, 0.0, 0.0])}).potential)
    above, before = 0.4, 2.7
    made = Hanging(**{**fields, "laid": (ca.SX(before), ca.SX(above))})
    low = 2.0 - above
    L = _numbers(plain.L)[0]
    strain = 1.5 * 33.0**2 / (2.0 * EA)
    expected = own + W * L * above + before + strain + W * (L + 0.8 + 1.5 - 0.6) * low
    assert _numbers(made.potential)[0] == pytest.approx(expected)
    assert _numbers(made.unstretched, made.winch_tension) == pytest.approx([L + 2.3, 33.0])
    entered = Hanging(**{**vars(plain), "entry": ca.SX(21.0)})
    assert _numbers(entered.winch_tension, plain.winch_tension) == pytest.approx([21.0, _numbers(plain.tensions[0])[0]])
