"""Guaranteed bounds over all frequencies: intervals on which fixed scalings are proven to hold.

On an interval around ``w0`` the response is its Taylor polynomial and a remainder that the resolvent bounds:
``(jw - A)^-1 = sum (-j d)^k R^(k+1)``, ``R = (j w0 - A)^-1``, ``d = w - w0``. The scaled form is then a Hermitian
polynomial of ``d`` whose largest eigenvalue is bounded by convexity of its linear part and norms of the rest. No
frequency is left between samples: what cannot be proven is reported. (Tests of imaginary eigenvalues of Hamiltonian
pencils miss crossings near zero frequency in floating point; these bounds do not depend on eigenvalues being found.
They are exact but for the rounding of double precision, for which a part of 1e-9 of the squared level is kept.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from dalembert.control.mu.scalings import Complex, Scaling, largest, upper_bound
from dalembert.control.norms import Matrices
from dalembert.control.uncertain.blocks import DeltaBlock

__all__ = ["Interval", "Sweep", "sweep"]

_SAFETY = 1e-9  # part of the squared level that rounding may cost


@dataclass(frozen=True)
class Interval:
    """Frequencies [rad/s] on which a bound is proven."""

    low: float
    high: float
    bound: float


@dataclass
class Sweep:
    """Bounds over all frequencies.

    Parameters
    ----------
    level
        The bound that holds on all proven intervals.
    intervals
        The intervals, ascending.
    gaps
        Where nothing could be proven at this level: (low, high, best upper bound there).
    """

    level: float
    intervals: list[Interval] = field(default_factory=list)
    gaps: list[tuple[float, float, float]] = field(default_factory=list)
    seconds: float = 0.0
    solves: int = 0

    @property
    def complete(self) -> bool:
        """Whether every frequency is covered."""
        return (
            not self.gaps
            and bool(self.intervals)
            and self.intervals[0].low == 0.0
            and np.isinf(self.intervals[-1].high)
        )


@dataclass(frozen=True, eq=False)
class _Taylor:
    """Terms of degree 0 to 2, and what bounds the rest: ``|left| |right| rate^2 d^3 / (1 - rate d)``."""

    terms: list[Complex]
    left: Complex
    right: Complex
    rate: float


class _Response:
    """The response of a system in coordinates in which its resolvent is small."""

    def __init__(self, system: Matrices, size: int) -> None:
        A, B, C, D = system
        B, C, D = B[:, :size], C[:size], D[:size, :size]
        poles, V = np.linalg.eig(A)
        if A.size and np.linalg.cond(V) < 1e7:
            self.A: Any = np.diag(poles)
            self.B, self.C = np.linalg.solve(V, B.astype(complex)), C @ V
        else:
            from scipy.linalg import matrix_balance

            balanced, T = matrix_balance(A)
            self.A, self.B, self.C = (
                balanced.astype(complex),
                np.linalg.solve(T, B).astype(complex),
                (C @ T).astype(complex),
            )
        self.D = D.astype(complex)

    def at(self, w: float) -> Complex:
        """Response at a frequency."""
        if np.isinf(w):
            return self.D
        n = self.A.shape[0]
        return np.asarray(self.D + self.C @ np.linalg.solve(1j * w * np.eye(n) - self.A, self.B))

    def taylor(self, w: float) -> _Taylor:
        """Expansion about a frequency."""
        n = self.A.shape[0]
        R = np.linalg.inv(1j * w * np.eye(n) - self.A)
        RB, CR = R @ self.B, self.C @ R
        terms = [self.D + self.C @ RB, -1j * CR @ RB, -CR @ (R @ RB)]
        return _Taylor(terms, CR, RB, float(np.linalg.norm(R, 2)))

    def taylor_at_infinity(self) -> _Taylor:
        """Expansion about infinite frequency, in ``d = 1 / w``."""
        terms = [self.D, -1j * (self.C @ self.B), -(self.C @ self.A @ self.B)]
        return _Taylor(terms, self.C, self.B, max(float(np.linalg.norm(self.A, 2)), 1e-300))


def _hermitian(X: Complex) -> Complex:
    return np.asarray((X + X.conj().T) / 2.0)


class _ScaledForm:
    """The scaled form about a frequency, and what bounds it beside: all that does not depend on the displacement."""

    def __init__(self, x: _Taylor, s: Scaling) -> None:
        N = [s.T @ term @ s.inverse for term in x.terms]
        H = [term.conj().T for term in N]
        G = s.G
        self.rate = x.rate
        self.size = float(np.linalg.norm(s.T @ x.left, 2) * np.linalg.norm(x.right @ s.inverse, 2))
        self.constant = _hermitian(H[0] @ N[0] + 1j * (G @ N[0] - H[0] @ G))
        self.linear = _hermitian(H[1] @ N[0] + H[0] @ N[1] + 1j * (G @ N[1] - H[1] @ G))
        second = _hermitian(H[1] @ N[1] + H[2] @ N[0] + H[0] @ N[2] + 1j * (G @ N[2] - H[2] @ G))
        self.here = float(np.linalg.eigvalsh(self.constant)[-1])
        self.second = max(float(np.linalg.eigvalsh(second)[-1]), 0.0)
        self.third = float(np.abs(np.linalg.eigvalsh(_hermitian(H[1] @ N[2] + H[2] @ N[1]))).max())
        self.sizes = [float(np.sqrt(max(np.linalg.eigvalsh(h @ n)[-1], 0.0))) for h, n in zip(H, N, strict=True)]
        self.G = float(np.abs(np.linalg.eigvalsh(_hermitian(G))).max())

    def below(self, level: float, h: float) -> bool:
        """Whether it is below the level for all displacements from 0 to ``h``."""
        if h * self.rate >= 0.99:
            return False
        least = level * level * (1.0 - _SAFETY)
        remainder = self.size * self.rate**2 * h**3 / (1.0 - self.rate * h)
        # The form is convex up to its quadratic part, which is added where it is positive.
        rest = h * h * self.second + h**3 * self.third + h**4 * self.sizes[2] ** 2
        rest += (2.0 * sum(n * h**k for k, n in enumerate(self.sizes)) + 2.0 * self.G + remainder) * remainder
        if self.here + rest >= least:
            return False
        return bool(np.linalg.eigvalsh(self.constant + h * self.linear)[-1] + rest < least)


def sweep(
    system: Matrices,
    blocks: Sequence[DeltaBlock],
    level: float,
    *,
    seconds: float = 60.0,
    each: float = 5.0,
    stop_at_gap: bool = False,
    progress: Callable[[float, float], object] | None = None,
) -> Sweep:
    """Prove ``mu <= level`` over all frequencies, as far as it can be.

    Parameters
    ----------
    system
        Stable system whose first inputs and outputs belong to the blocks.
    blocks
        The blocks.
    level
        The level to prove.
    seconds, each
        Time limits: of all, and of one upper bound.
    stop_at_gap
        Whether to end where nothing can be proven, instead of going on behind it.
    progress
        Called with the frequency reached and the seconds spent.
    """
    began = perf_counter()
    n = sum(b.size for b in blocks)
    response = _Response(system, n)
    result = Sweep(level)
    # From infinity down to a frequency above which one proof is enough.
    x = response.taylor_at_infinity()
    reached: list[tuple[float, float]] = []
    for high in (np.inf, 10.0 * x.rate):  # where nothing passes directly, infinity itself says nothing of scalings
        top = upper_bound(response.at(high), blocks, target=0.9 * level, seconds=each)
        result.solves += 1
        d, form = 0.9 / x.rate, _ScaledForm(x, top)
        while d > 1e-9 / x.rate and not form.below(level, d):
            d *= 0.5
        reached.append((d if form.below(level, d) else 0.0, top.bound))
        if d > 0.1 / x.rate:
            break
    d, bound = max(reached)
    if d == 0.0:
        d = 1e-3 / x.rate
        result.gaps.append((1.0 / d, np.inf, bound))
    else:
        result.intervals.append(Interval(1.0 / d, np.inf, bound))
    end, w = 1.0 / d, 0.0
    scaling: Scaling | None = None
    while w < end:
        if perf_counter() - began > seconds:
            result.gaps.append((w, end, np.nan))
            break
        x = response.taylor(w)
        step, least = 0.5 / x.rate, 1e-9 / x.rate
        fitted = False
        if scaling is None or not _good(x.terms[0], scaling, level):
            scaling, fitted = upper_bound(x.terms[0], blocks, target=0.95 * level, start=scaling, seconds=each), True
            if scaling.bound > 0.99 * level:  # a fresh start may do better than the neighbour's scalings
                fresh = upper_bound(x.terms[0], blocks, target=0.95 * level, seconds=each)
                scaling = fresh if fresh.bound < scaling.bound else scaling
            result.solves += 1
        form = _ScaledForm(x, scaling)
        while step > least and not form.below(level, step):
            step *= 0.5
        if step <= least:
            if not fitted:
                scaling = None
                continue
            # Nothing can be proven here: leave a gap as small as the resolution, and go on behind it.
            width = max(1e-6 * max(w, 1e-3 / x.rate), least)
            _gap(result, w, min(w + width, end), scaling.bound)
            w += width
            scaling = None
            if stop_at_gap or sum(high - low for low, high, _ in result.gaps) > 0.01 * end or len(result.gaps) > 20:
                result.gaps.append((w, end, np.nan))
                break
            continue
        result.intervals.append(Interval(w, min(w + step, end), scaling.bound))
        w += step
        if progress is not None:
            progress(w, perf_counter() - began)
    result.intervals.sort(key=lambda i: i.low)
    result.seconds = perf_counter() - began
    return result


def _good(M: Complex, s: Scaling, level: float) -> bool:
    return largest(s.T @ M @ s.inverse, s.G) < (0.985 * level) ** 2


def _gap(result: Sweep, low: float, high: float, bound: float) -> None:
    if result.gaps and abs(result.gaps[-1][1] - low) <= 1e-12 * max(low, 1.0):
        first, _, worst = result.gaps[-1]
        result.gaps[-1] = (first, high, max(worst, bound))
    else:
        result.gaps.append((low, high, bound))
