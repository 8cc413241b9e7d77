"""Minimising the largest of several functions: BFGS with a weak Wolfe search, then a bundle of linear pieces.

BFGS with a line search that only asks for the weak Wolfe conditions runs well on functions with kinks (Lewis and
Overton, 2013) but stalls where many pieces meet; a proximal bundle over all nearly active pieces goes on from there
(Apkarian and Noll, 2006).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from dalembert.core.types import Array

__all__ = ["Budget", "bfgs", "bundle"]

Function = Callable[[Array], tuple[float, Array]]
Pieces = Callable[[Array], tuple[Array, Array]]


@dataclass
class Budget:
    """Time and evaluations that may be spent."""

    seconds: float = np.inf
    on_value: Callable[[float], object] | None = None
    evaluations: int = 0
    began: float = field(default_factory=perf_counter)

    @property
    def spent(self) -> bool:
        """Whether nothing is left."""
        return perf_counter() - self.began > self.seconds

    def count(self, value: float) -> None:
        """Count an evaluation."""
        self.evaluations += 1
        if self.on_value is not None:
            self.on_value(value)


def bfgs(
    f: Function, x: Array, budget: Budget, *, max_iterations: int = 500, stop: Callable[[float], bool] | None = None
) -> tuple[Array, float]:
    """Minimise by BFGS; returns the best point and its value. Infinite values are walls."""
    value, g = f(x)
    budget.count(value)
    n, H = len(x), np.eye(len(x))
    if not np.isfinite(value):
        return x, value
    for iteration in range(max_iterations):
        if budget.spent or (stop is not None and stop(value)) or np.linalg.norm(g) < 1e-14 * max(1.0, abs(value)):
            break
        d = -H @ g
        slope = float(g @ d)
        if not slope < 0.0:
            H, d = np.eye(n), -g
            slope = float(g @ d)
        if iteration == 0:
            size = max(1.0, float(np.linalg.norm(d)))
            d, slope = d / size, slope / size
        step = _weak_wolfe(f, x, value, d, slope, budget)
        if step is None:
            break
        y, fy, gy, wolfe = step
        s, r = y - x, gy - g
        gained = value - fy
        x, value, g = y, fy, gy
        curvature = float(s @ r)
        if curvature > 1e-300:
            if iteration == 0:
                H = np.eye(n) * curvature / float(r @ r)
            Hr = H @ r
            H += (curvature + r @ Hr) / curvature**2 * np.outer(s, s) - (np.outer(s, Hr) + np.outer(Hr, s)) / curvature
        if not wolfe and gained < 1e-12 * abs(value):
            break
    return x, value


def _weak_wolfe(
    f: Function, x: Array, value: float, d: Array, slope: float, budget: Budget
) -> tuple[Array, float, Array, bool] | None:
    """A step with sufficient decrease and, unless it cannot be found, increased slope."""
    low, high, t = 0.0, np.inf, 1.0
    kept: tuple[Array, float, Array, bool] | None = None
    for _ in range(50):
        y = x + t * d
        fy, gy = f(y)
        budget.count(fy)
        if not (np.isfinite(fy) and fy < value + 1e-4 * t * slope):
            high = t
        else:
            kept = (y, fy, gy, float(gy @ d) >= 0.9 * slope)
            if kept[3]:
                return kept
            low = t
        t = (low + high) / 2.0 if np.isfinite(high) else 2.0 * low
        if high - low < 1e-14 * max(1.0, high) or budget.spent:
            break
    return kept


def bundle(
    f: Function, pieces: Pieces, x: Array, value: float, budget: Budget, *, max_iterations: int = 100
) -> tuple[Array, float]:
    """Minimise ``max_i (value_i + slope_i . d) + r/2 |d|^2`` over nearly active pieces, again and again."""
    r = 1.0
    for _ in range(max_iterations):
        if budget.spent:
            break
        values, slopes = pieces(x)
        cuts_v, cuts_s = list(values), list(slopes)
        moved = False
        for _ in range(30):
            G, c = np.array(cuts_s), np.array(cuts_v)
            d = -(G.T @ _simplex_dual(G, c, r)) / r
            predicted = value - float((c + G @ d).max())
            if predicted <= 1e-13 * max(1.0, abs(value)) or np.linalg.norm(d) < 1e-12 * (1.0 + np.linalg.norm(x)):
                break
            y = x + d
            fy, gy = f(y)
            budget.count(fy)
            if np.isfinite(fy) and value - fy > 0.1 * predicted:
                if value - fy > 0.7 * predicted:
                    r = max(0.3 * r, 1e-10)
                moved, gained = True, value - fy
                x, value = y, fy
                break
            r *= 4.0
            if np.isfinite(fy):  # the plane of the trial point, held below the function here
                cuts_v.append(min(fy - float(gy @ d), value))
                cuts_s.append(gy)
        if not moved or gained < 1e-9 * max(abs(value), 1e-300):
            break
    return x, value


def _simplex_dual(G: Array, c: Array, r: float) -> Array:
    """Weights on the simplex that maximise ``c . l - |G^T l|^2 / (2 r)``, by non-negative least squares."""
    from scipy.optimize import nnls

    m = len(c)
    if m == 1:
        return np.ones(1)
    Q = G @ G.T / r
    size = float(np.trace(Q)) / m + 1e-300
    L = np.linalg.cholesky(Q + 1e-12 * size * np.eye(m))
    heavy = 1e3 * np.sqrt(size)
    A = np.vstack([L.T, heavy * np.ones((1, m))])
    b = np.concatenate([np.linalg.solve(L, c - c.max()), [heavy]])
    try:
        weights, _ = nnls(A, b, maxiter=50 * m)
    except RuntimeError:
        weights = np.ones(m)
    total = float(weights.sum())
    return weights / total if total > 0 else np.full(m, 1.0 / m)
