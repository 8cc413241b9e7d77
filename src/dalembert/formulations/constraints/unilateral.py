"""Constraints of which some only pull: Gauss' principle of least constraint with inequalities.

Of all accelerations with ``J a = gamma`` (rows that hold) and ``J a <= gamma`` (rows that only pull) the machine takes
those nearest to the free ones in the metric of the mass matrix. They are unique, however many rows depend on each
other, and have multipliers ``lambda >= 0`` of the pulling rows that vanish where a row opens. The same problem with
rates instead of accelerations is an inelastic impact (J. J. Moreau), which never adds energy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalembert.formulations.constraints.contract import RANK_TOLERANCE

__all__ = ["LeastConstraint", "least_constraint"]

Array = NDArray[np.float64]


class LeastConstraint(NamedTuple):
    """Accelerations, multipliers, how far rows open (``J a - gamma``, negative), and whether there are any such."""

    acceleration: Array
    multipliers: Array
    opening: Array
    feasible: bool


def least_constraint(
    M: Array, force: Array, J: Array, gamma: Array, pulls: NDArray[np.bool_], *, tolerance: float = 1e-11
) -> LeastConstraint:
    """Solve ``M a + J^T lambda = force`` where each row holds, or (if it only pulls) holds or opens.

    The dual active-set method of D. Goldfarb and A. Idnani ("A numerically stable dual method for solving strictly
    convex quadratic programs", 1983): violated rows are taken in one by one, rows that would push are let go. The rows
    that it ends with are independent of each other.

    Parameters
    ----------
    M, force
        Mass matrix and applied forces.
    J, gamma
        Rows and their right sides.
    pulls
        Which rows only pull.
    tolerance
        Violation that counts as none, relative to the accelerations (in the metric of the mass matrix).
    """
    L = np.linalg.cholesky(M)
    z, Y = np.linalg.solve(L, force), np.linalg.solve(L, J.T)
    multipliers, held = np.zeros(len(J)), Y[:, ~pulls]
    U, s, Vt = np.linalg.svd(held, full_matrices=False)
    keep = s > RANK_TOLERANCE * s.max(initial=1e-300)
    U, s, Vt = U[:, keep], s[keep], Vt[keep]
    z = z - U @ (U.T @ z - (Vt @ gamma[~pulls]) / s)
    rows = np.flatnonzero(pulls)
    sizes = np.maximum(np.linalg.norm(Y[:, rows], axis=0), 1e-300)
    scale = np.linalg.norm(z) + np.abs(gamma[rows] / sizes).max(initial=0.0) + 1e-300
    X = (Y - U @ (U.T @ Y))[:, rows] / sizes  # what the rows that only pull can do besides those that hold
    found, feasible = _pulling(X, X.T @ z + (Y[:, rows].T @ (U @ (U.T @ z)) - gamma[rows]) / sizes, tolerance * scale)
    z = z - X @ found
    multipliers[rows] = found / sizes
    w = np.linalg.solve(L, force) - z - Y[:, rows] @ multipliers[rows]  # what the rows that hold must do
    multipliers[~pulls] = Vt.T @ ((U.T @ w) / s)
    a = np.linalg.solve(L.T, z)
    return LeastConstraint(a, multipliers, J @ a - gamma, feasible)


def _pulling(X: Array, violation: Array, tolerance: float) -> tuple[Array, bool]:
    """Multipliers ``x >= 0`` with ``violation - X^T X x <= 0``, zero where that is negative; whether there are any."""
    n = X.shape[1]
    x, taken, feasible = np.zeros(n), list[int](), True
    lost = np.zeros(n, dtype=bool)  # rows that no pull can hold
    for _ in range(20 * n + 20):
        left = violation - X.T @ (X @ x)
        left[taken] = -np.inf
        left[lost] = -np.inf
        j = int(np.argmax(left)) if n else -1
        if j < 0 or left[j] <= tolerance:
            break
        while True:  # row j takes up what it can until it holds; a row that would push is let go
            share = np.linalg.lstsq(X[:, taken], X[:, j], rcond=None)[0] if taken else np.zeros(0)
            own = X[:, j] - X[:, taken] @ share
            whole = np.inf
            if np.linalg.norm(own) > RANK_TOLERANCE:
                whole = float((violation[j] - X[:, j] @ (X @ x)) / (own @ own))
            limits = [(x[k] / b, k) for k, b in zip(taken, share, strict=True) if b > 1e-12]
            part, first = min(limits, default=(np.inf, -1))
            step = min(whole, part)
            if step == np.inf:
                lost[j], x[j], feasible = True, 0.0, False
                break
            x[taken] -= step * share
            x[j] += step
            if whole <= part:
                taken.append(j)
                break
            x[first] = 0.0
            taken.remove(first)
    return x, feasible
