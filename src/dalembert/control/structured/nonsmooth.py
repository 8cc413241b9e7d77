"""Minimising the largest of several functions: BFGS with a weak Wolfe search, then a bundle of linear pieces.

BFGS with a line search that only asks for the weak Wolfe conditions runs well on functions with kinks (Lewis and
Overton, 2013) but stalls where many pieces meet; a proximal bundle over all nearly active pieces continues from there
(Apkarian and Noll, 2006).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import thread_time

import numpy as np
from numpy.typing import NDArray

from dalembert.core.types import Array

__all__ = ["Budget", "bfgs", "bfgs_of", "bundle"]

Function = Callable[[Array], tuple[float, Array]]
Pieces = Callable[[Array], tuple[Array, Array]]


@dataclass
class Budget:
    """Evaluations that may be spent, and seconds if they are limited."""

    limit: float = np.inf
    seconds: float = np.inf
    evaluations: int = 0
    began: float = field(default_factory=thread_time)

    @property
    def spent(self) -> bool:
        """Whether nothing is left."""
        return self.evaluations >= self.limit or self._late

    @property
    def _late(self) -> bool:
        return np.isfinite(self.seconds) and thread_time() - self.began > self.seconds

    @property
    def reason(self) -> str:
        """The exhausted resource."""
        return f"time limit of {self.seconds:g} s reached" if self._late else f"{self.limit:g} evaluations spent"

    def count(self) -> None:
        """Count an evaluation."""
        self.evaluations += 1

    def part(self, limit: float) -> Budget:
        """A separate budget that ends no later than this one."""
        left = max(self.limit - self.evaluations, 0.0)
        return Budget(min(limit, left), self.seconds, began=self.began)


def bfgs(
    f: Function, x: Array, budget: Budget, *, max_iterations: int = 500, stop: Callable[[float], bool] | None = None
) -> tuple[Array, float]:
    """Minimise by BFGS; returns the best point and its value. Infinite values are walls."""
    value, g = f(x)
    budget.count()
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


def bfgs_of(
    f: Function,
    x: Array,
    some: NDArray[np.bool_],
    budget: Budget,
    *,
    max_iterations: int,
    stop: Callable[[float], bool] | None,
) -> tuple[Array, float]:
    """Minimise over some of the variables; the others keep their values."""

    def over(part: Array) -> tuple[float, Array]:
        y = x.copy()
        y[some] = part
        value, slope = f(y)
        return value, slope[some]

    part, value = bfgs(over, x[some], budget, max_iterations=max_iterations, stop=stop)
    y = x.copy()
    y[some] = part
    return y, value


def _weak_wolfe(
    f: Function, x: Array, value: float, d: Array, slope: float, budget: Budget
) -> tuple[Array, float, Array, bool] | None:
    """A step with sufficient decrease and, unless it cannot be found, increased slope."""
    low, high, t = 0.0, np.inf, 1.0
    kept: tuple[Array, float, Array, bool] | None = None
    for _ in range(50):
        y = x + t * d
        fy, gy = f(y)
        budget.count()
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
    """Minimise ``max_i (value_i + slope_i . d) + r/2 d . B d`` over nearly active pieces, again and again.

    ``B`` learns the curvature of the aggregate, the combination of slopes that is zero at the solution, by damped BFGS
    updates of its inverse ``H``: along the curves on which the same pieces stay active steps are as long as Newton's.
    """
    r, H = 1.0, np.eye(len(x))
    last: tuple[Array, Array] | None = None
    for _ in range(max_iterations):
        if budget.spent:
            break
        values, slopes = pieces(x)
        cuts_v, cuts_s = list(values), list(slopes)
        moved = False
        for trial in range(30):
            G, c = np.array(cuts_s), np.array(cuts_v)
            weights = _simplex_dual(G @ H @ G.T, c, r)
            aggregate = G.T @ weights
            if trial == 0:
                if last is not None:
                    H = _updated(H, x - last[0], aggregate - last[1])
                last = x, aggregate
            d = -(H @ aggregate) / r
            predicted = value - float((c + G @ d).max())
            if predicted <= 1e-13 * max(1.0, abs(value)) or np.linalg.norm(d) < 1e-12 * (1.0 + np.linalg.norm(x)):
                break
            y = x + d
            fy, gy = f(y)
            budget.count()
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


def _updated(H: Array, s: Array, y: Array) -> Array:
    """Inverse Hessian after a step ``s`` with a change ``y`` of the slope; Powell's damping keeps it positive."""
    Hy = H @ y
    curvature, size = float(s @ y), float(y @ Hy)
    if size <= 1e-300:
        return H
    if curvature < 0.2 * size:  # damped in the space of the inverse: s moves towards H y
        theta = 0.8 * size / (size - curvature)
        s = theta * s + (1.0 - theta) * Hy
        curvature = float(s @ y)
    return H + (curvature + size) / curvature**2 * np.outer(s, s) - (np.outer(s, Hy) + np.outer(Hy, s)) / curvature


def _simplex_dual(gram: Array, c: Array, r: float) -> Array:
    """Weights on the simplex that maximise ``c . l - l . gram l / (2 r)``, by non-negative least squares."""
    from scipy.optimize import nnls

    m = len(c)
    if m == 1:
        return np.ones(1)
    Q = gram / r
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
