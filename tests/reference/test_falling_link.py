"""Case study I of IMPACT by a derivation of its own: energies by hand, impacts by trying all that may push."""

from __future__ import annotations

from itertools import combinations

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from dalembert.studies.falling_links.link import EXACT, HEIGHT, PRINTED, fall, falling_link

G, EI, SECTIONS = 9.81, 1000.0, 2.94e-5


def link(b: float, c: float) -> tuple[ca.Function, ca.Function]:
    """Accelerations, and heights of the ends with their rows and the mass matrix, in X1, X2, angle and amplitude."""
    x, w = np.polynomial.legendre.leggauss(60)
    x, w = (x + 1) / 2, w / 2

    def phi(s: np.ndarray | float) -> np.ndarray:
        return c * (np.cosh(b * s) - np.cos(b * s)) - (np.sinh(b * s) - np.sin(b * s))

    curved = b**2 * (c * (np.cosh(b * x) + np.cos(b * x)) - (np.sinh(b * x) + np.sin(b * x)))
    q, v = ca.SX.sym("q", 4), ca.SX.sym("v", 4)
    along = ca.vertcat(ca.cos(q[2]), ca.sin(q[2]))
    across = ca.vertcat(-ca.sin(q[2]), ca.cos(q[2]))
    T = SECTIONS * v[2] ** 2 / 2  # sections turn with the link, not with its bending: (4)
    V = EI * float(w @ curved**2) * q[3] ** 2 / 2
    for s, weight in zip(x, w, strict=True):
        f = float(phi(s))
        rate = v[:2] + (v[2] * s + v[3] * f) * across - v[2] * q[3] * f * along
        T += weight * ca.sumsqr(rate) / 2
        V += weight * G * (q[1] + s * along[1] + q[3] * f * across[1])
    M, p = ca.hessian(T, v)[0], ca.gradient(T, v)
    force = ca.gradient(T - V, q) - ca.jtimes(p, q, v)
    ends = ca.vertcat(q[1], q[1] + along[1] + q[3] * float(phi(1.0)) * across[1])
    return ca.Function("a", [q, v], [ca.solve(M, force)]), ca.Function("e", [q], [ends, ca.jacobian(ends, q), M])


def impacts(mode: tuple[float, float], end: float) -> list[float]:
    """Times at which an end strikes, with e = 1."""
    acceleration, heights = link(*mode)

    def slope(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[4:], acceleration(y[:4], y[4:]).full()[:, 0]])

    events = [lambda t, y, i=i: float(heights(y[:4])[0][i]) for i in range(2)]
    for event in events:
        event.terminal, event.direction = True, -1  # type: ignore[attr-defined]
    t, y, found = 0.0, np.array([0.0, HEIGHT, 0, 0, 0, 0, 0, 0]), list[float]()
    while True:
        part = solve_ivp(slope, (t, end), y, "DOP853", events=events, rtol=1e-11, atol=1e-13, max_step=1e-2)
        t, y = float(part.t[-1]), part.y[:, -1]
        if part.status != 1:
            return found
        found.append(t)
        g, J, M = (value.full() for value in heights(y[:4]))
        touching = [i for i in range(2) if g[i, 0] < 1e-9]
        before = J @ y[4:]
        for which in (list(k) for n in (2, 1) for k in combinations(touching, n)):
            rows = J[which]
            impulses = np.linalg.solve(rows @ np.linalg.solve(M, rows.T), -2.0 * np.minimum(before[which], 0.0))
            after = y[4:] + np.linalg.solve(M, rows.T @ impulses)
            if (impulses >= 0.0).all() and (J[touching] @ after >= -np.minimum(before[touching], 0.0) - 1e-9).all():
                y[4:] = after
                break


@pytest.mark.parametrize(("mode", "end"), [(EXACT, 0.33), pytest.param(PRINTED, 0.97, marks=pytest.mark.slow)])
def test_impacts_of_the_link(mode: tuple[float, float], end: float) -> None:
    assert fall(falling_link(mode), end).times == pytest.approx(impacts(mode, end), abs=2e-7)
