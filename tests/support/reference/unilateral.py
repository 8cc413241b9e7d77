"""Laws of what acts one way only, by methods that have nothing in common with those of the engine."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np

from dalembert.engine.unilateral.algebra import Cones


def least_constraint(M: np.ndarray, f: np.ndarray, J: np.ndarray, gamma: np.ndarray, pulls: np.ndarray) -> np.ndarray:
    """Accelerations nearest to free motion with ``J a = gamma``, or ``<=`` in rows that only pull (Gauss).

    Every set of pulling rows is taken to hold, with the rows that hold both ways; of the accelerations that break no
    row the nearest is the solution.
    """
    free, held = np.linalg.solve(M, f), np.flatnonzero(~pulls)
    size = np.abs(gamma).max() + np.abs(J).max() * np.abs(free).max()
    best, least = None, np.inf
    loose = np.flatnonzero(pulls)
    for some in chain.from_iterable(combinations(loose, n) for n in range(len(loose) + 1)):
        rows = [*held, *some]
        A = J[rows]
        W = A @ np.linalg.solve(M, A.T)
        a = free - np.linalg.solve(M, A.T @ (np.linalg.pinv(W, rcond=1e-10) @ (A @ free - gamma[rows])))
        off = J @ a - gamma
        cost = (a - free) @ M @ (a - free)
        if np.abs(off[rows]).max(initial=0.0) < 1e-8 * size and off.max(initial=0.0) < 1e-8 * size and cost < least:
            best, least = a, cost
    assert best is not None
    return best


def solve_cones(c: Cones, sweeps: int = 50_000) -> np.ndarray:
    """Forces (k x 3) by a fixed point of the laws: normal forces onto what pushes, then friction onto its disc.

    It converges where pairs hardly act on each other and friction is weak. Pairs that slip already have friction
    against their slip.
    """
    k, p = len(c.mu), np.zeros((len(c.mu), 3))
    r = 0.5 / np.linalg.eigvalsh(c.W)[-1]
    for _ in range(sweeps):
        u = (c.W @ p.ravel() + c.b).reshape(k, 3)
        old = p.copy()
        p[:, 0] = np.maximum(0.0, p[:, 0] - r * u[:, 0])
        limit = c.mu * (p[:, 0] + c.preload)
        aim = p[:, 1:] - r * u[:, 1:]
        length = np.maximum(np.hypot(*aim.T), 1e-300)
        rubs = aim * np.minimum(1.0, limit / length)[:, None]
        p[:, 1:] = np.where(np.isfinite(c.slip), -limit[:, None] * c.slip, rubs)
        if np.abs(p - old).max() <= 1e-16 * np.abs(p).max(initial=1e-300):
            break
    return p


def strike(
    W: np.ndarray, u: np.ndarray, e: np.ndarray, mu: np.ndarray, poisson: np.ndarray
) -> tuple[np.ndarray, float, float]:
    """Impulses, factor of restitution and energy lost, by Newton's and Poisson's laws; the factor by bisection."""
    k = len(mu)

    def impulses(factor: float) -> tuple[np.ndarray, float]:
        newton = np.where(poisson, 0.0, factor * e) * np.minimum(u[:, 0], 0.0)
        b = u + np.column_stack([newton, np.zeros((k, 2))])
        p = solve_cones(Cones.of(W, b.ravel(), mu))
        returned = np.where(poisson, factor * e * p[:, 0], 0.0)
        if returned.any():
            p[:, 0] += returned
            p = p + solve_cones(Cones.of(W, (W @ p.ravel()).ravel() + b.ravel(), mu, preload=returned))
        x = p.ravel()
        return p, -float(x @ u.ravel() + 0.5 * x @ W @ x)

    p, lost = impulses(1.0)
    if lost >= -1e-10 * float(np.abs(p).ravel() @ np.abs(u).ravel()):
        return p, 1.0, lost
    low, high = 0.0, 1.0
    while high - low > 1e-11:
        middle = 0.5 * (low + high)
        p, lost = impulses(middle)
        low, high = (middle, high) if lost >= 0.0 else (low, middle)
    p, lost = impulses(low)
    return p, low, lost


def fault(c: Cones, p: np.ndarray, u: np.ndarray) -> float:
    """By how much forces break the laws of contact, as a relative velocity; from their statement."""
    length = np.diag(c.W)[::3]
    worst = [np.abs(np.minimum(p[:, 0] * length, u[:, 0])).max(), np.maximum(-u[:, 0], 0.0).max()]
    for i in range(len(p)):
        limit, slip, push = c.mu[i] * (p[i, 0] + c.preload[i]), np.hypot(*u[i, 1:]), np.hypot(*p[i, 1:])
        worst.append(length[i] * (push - limit) - 1e-12 * np.abs(p).max() * length[i])
        if c.mu[i] > 0.0 and slip > 0.0 and not np.isfinite(c.slip[i, 0]):
            worst.append(min(slip, length[i] * abs(u[i, 1:] @ p[i, 1:] / slip + limit)))
    return float(max(worst))
