"""Guaranteed bounds over all frequencies: intervals on which fixed scalings are proven to hold.

About a frequency ``w0`` the response is ``M0 + C (u - F)^-1 B``, ``u = 1 / (w - w0)``, ``F = -j (j w0 - A)^-1`` (about
infinity: ``u = w``, ``F = -j A``). Where fixed scalings prove a level at ``w0``, they prove it up to the frequency
where the scaled form becomes singular, which it does at the real eigenvalues ``u`` of a Hamiltonian matrix of twice as
many rows as there are states. An interval thus ends where its scalings end, and no frequency is left between samples.

Eigenvalues are computed with errors, and a crossing that is missed would be a false proof. The test is therefore not
whether a computed eigenvalue is real, but a disk around each in which the true ones lie (Bauer and Fike, with the
residual of the computed eigenvectors): whatever disk meets the real axis ends the interval. Where the eigenvectors are
useless the norm of the matrix serves, which is a bound of all eigenvalues.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import thread_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.control.mu.scalings import Complex, Scaling, largest, upper_bound
from dalembert.control.norms import Matrices
from dalembert.control.uncertain.blocks import DeltaBlock

__all__ = ["ExpandedResponse", "Interval", "Known", "Sweep", "proven_ends", "sweep", "uncovered"]

_SAFETY = 1e-9  # part of the squared level that rounding may cost
_ROUNDING = 1e-13  # of the Hamiltonian matrix, relative to its norm: several hundred roundings of double precision
_PART = 0.99  # of an interval that is used
_SHORTEST = 1e-7  # relative length of an interval that is worth it
_HOLE = 5e-3  # relative half-width of the gap where nothing can be proven
_HOLES = 6  # after as many the sweep ends

Known = dict[float, Scaling]  # scalings by the frequency at which they were fitted


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
        Where nothing could be proven at this level: (low, high, best upper bound there), then the part that time did
        not allow.
    """

    level: float
    intervals: list[Interval] = field(default_factory=list)
    gaps: list[tuple[float, float, float]] = field(default_factory=list)
    seconds: float = 0.0
    solves: int = 0

    @property
    def complete(self) -> bool:
        """Whether every frequency is covered."""
        return not self.gaps and not uncovered(self.intervals, [])


def uncovered(intervals: Sequence[Interval], gaps: Sequence[tuple[float, float, float]]) -> list[tuple[float, float]]:
    """Frequencies that neither lie in intervals nor in gaps, ascending."""
    left, reached = [], -1.0
    for low, high in sorted([(i.low, i.high) for i in intervals] + [(low, high) for low, high, _ in gaps]):
        if low > max(reached, 0.0) or reached < 0.0 < low:
            left.append((max(reached, 0.0), low))
        reached = max(reached, high)
    return left if np.isinf(reached) else [*left, (max(reached, 0.0), np.inf)]


def _trimmed(intervals: Sequence[Interval]) -> list[Interval]:
    """Intervals in ascending order, without parts that others cover."""
    kept: list[Interval] = []
    for i in sorted(intervals, key=lambda i: (i.low, -i.high)):
        reached = kept[-1].high if kept else -1.0
        if i.high > reached:
            kept.append(Interval(max(i.low, reached), i.high, i.bound))
    return kept


@dataclass(frozen=True, eq=False)
class _Local:
    """The response about a frequency: ``here + C (u - F)^-1 B``."""

    here: Complex
    F: Complex
    B: Complex
    C: Complex


class ExpandedResponse:
    """The response of a system in coordinates in which its resolvent is small."""

    def __init__(self, system: Matrices, size: int) -> None:
        from scipy.linalg import matrix_balance

        A, B, C, D = system
        B, C, D = B[:, :size], C[:size], D[:size, :size]
        poles, V = np.linalg.eig(A)
        if A.size and np.linalg.cond(V) < 1e7:
            self.A: NDArray[Any] = np.diag(poles)
            self.B, self.C = np.linalg.solve(V, B.astype(complex)), C @ V
        else:
            balanced, T = matrix_balance(A)
            self.A, self.B, self.C = balanced.astype(complex), np.linalg.solve(T, B).astype(complex), C @ T
        self.D = D.astype(complex)
        fast = np.abs(poles[np.abs(poles) > 0.0])
        self.slowest, self.fastest = (float(fast.min()), float(fast.max())) if fast.size else (1.0, 1.0)

    def about(self, w: float) -> _Local:
        """Expansion about a frequency."""
        if np.isinf(w):
            return _Local(self.D, -1j * self.A, self.B, -1j * self.C)
        R = np.linalg.inv(1j * w * np.eye(self.A.shape[0]) - self.A)
        B = R @ self.B
        return _Local(self.D + self.C @ B, -1j * R, B, -1j * (self.C @ R))

    def at(self, w: float) -> Complex:
        """Response at a frequency."""
        return self.about(w).here


def proven_ends(x: _Local, s: Scaling, level: float) -> tuple[float, float] | None:
    """``u`` above the first, or below minus the second: there the scaled form is below the level; None if not at all.

    With ``R = level^2 - form`` at the frequency itself and ``S = C^H (N - j G)`` the eigenvalues are those of
    ``[F + B R^-1 S^H, B R^-1 B^H; C^H C + S R^-1 S^H, F^H + S R^-1 B^H]``, all in scaled coordinates.
    """
    from scipy.linalg import matrix_balance, solve_triangular

    N, B, C = s.T @ x.here @ s.inverse, x.B @ s.inverse, s.T @ x.C
    form = N.conj().T @ N + 1j * (s.G @ N - N.conj().T @ s.G)
    try:
        L = np.linalg.cholesky((level**2 - _slack(x.here, N, s, level)) * np.eye(len(N)) - (form + form.conj().T) / 2.0)
    except np.linalg.LinAlgError:
        return None
    S = solve_triangular(L, (N - 1j * s.G).conj().T @ C, lower=True)
    B = solve_triangular(L, B.conj().T, lower=True)
    H = np.block(
        [
            [x.F + B.conj().T @ S, B.conj().T @ B],
            [C.conj().T @ C + S.conj().T @ S, x.F.conj().T + S.conj().T @ B],
        ]
    )
    H = matrix_balance(H, permute=False)[0]
    if not np.isfinite(H).all():
        return None
    size = float(np.linalg.norm(H, 2)) * (1.0 + len(H) * _ROUNDING)
    values, V = np.linalg.eig(H)
    condition = float(np.linalg.cond(V))
    if condition > 1e12:
        return size, size
    radius = float(np.linalg.norm(np.linalg.solve(V, H @ V) - np.diag(values))) + _ROUNDING * condition * size
    real = values.real[np.abs(values.imag) <= radius]
    return min(size, real.max(initial=0.0) + radius), min(size, (-real).max(initial=0.0) + radius)


def _slack(M: Complex, N: Complex, s: Scaling, level: float) -> float:
    """Bound of the rounding error of the scaled form: of the response, of the products, and of the inverse."""
    rounding = len(N) * np.finfo(float).eps
    product = np.linalg.norm(np.abs(s.T) @ np.abs(M) @ np.abs(s.inverse))
    inverse = np.linalg.norm(s.T @ s.inverse - np.eye(len(N)))
    error = rounding * float(product) + float(inverse * np.linalg.norm(N))
    return _SAFETY * level**2 + error * (2.0 * float(np.linalg.norm(N) + np.linalg.norm(s.G)) + error)


class _Cover:
    """Intervals of one level, as they are found."""

    def __init__(self, response: ExpandedResponse, blocks: Sequence[DeltaBlock], level: float, known: Known) -> None:
        self.response, self.blocks, self.level, self.known = response, blocks, level, known
        self.result = Sweep(level)

    def uncovered(self) -> list[tuple[float, float]]:
        """The remaining intervals."""
        return uncovered(self.result.intervals, self.result.gaps)

    def use(self, w: float, s: Scaling) -> bool:
        """Add the interval on which scalings hold that were fitted at a frequency; False if there is none."""
        ends = proven_ends(self.response.about(w), s, self.level)
        if ends is None:
            return False
        up, down = ends
        if np.isinf(w):
            interval = Interval(up / _PART, np.inf, self._value(w, s))
        else:
            high, low = w + _PART / up, max(w - _PART / down, 0.0)
            interval = Interval(low, high, self._value(w, s))
        if np.isfinite(w) and interval.high - interval.low < _SHORTEST * max(w, _SHORTEST * self.response.slowest):
            return False
        # Rounding that no bound foresees shows at the ends first.
        if any(self._value(end, s) >= self.level for end in (interval.low, interval.high)):
            return False
        self.result.intervals.append(interval)
        return True

    def _value(self, w: float, s: Scaling) -> float:
        return float(np.sqrt(max(largest(s.T @ self.response.at(w) @ s.inverse, s.G), 0.0)))

    def fit(self, w: float, seconds: float) -> None:
        """Scalings for a frequency, from those of its neighbour, or afresh; what they do not prove becomes a gap."""
        M = self.response.at(w)
        near = min(self.known, key=lambda k: _distance(k, w), default=None)
        best: Scaling | None = None
        for start in (None,) if near is None or not self.known[near].sound else (self.known[near], None):
            s = upper_bound(M, self.blocks, target=0.95 * self.level, start=start, seconds=seconds / 2.0)
            self.result.solves += 1
            if best is None or s.bound < best.bound:
                best = s
            if best.bound <= 0.97 * self.level:
                break
        assert best is not None
        if w not in self.known or best.bound < self.known[w].bound:
            self.known[w] = best
        if not self.use(w, best):
            self.result.gaps.append((*self._hole(w), best.bound))

    def _hole(self, w: float) -> tuple[float, float]:
        if np.isinf(w):
            return 1e3 * self.response.fastest, np.inf
        if w == 0.0:
            return 0.0, 1e-3 * self.response.slowest
        return w * (1.0 - _HOLE), w * (1.0 + _HOLE)


def _distance(a: float, b: float) -> float:
    """Distance of frequencies on a logarithmic scale that has room for zero and infinity."""
    x, y = (math.log(min(max(w, 1e-12), 1e12)) for w in (a, b))
    return abs(x - y)


def sweep(
    system: Matrices,
    blocks: Sequence[DeltaBlock],
    level: float,
    *,
    known: Known | None = None,
    first: Sequence[float] = (),
    seconds: float = 60.0,
    each: float = 10.0,
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
    known
        Scalings of earlier sweeps, which are used first; those that are found join them.
    first
        Frequencies to look at before all others: where it is likely to fail.
    seconds, each
        Limits of all, and of one upper bound [s of processor time].
    stop_at_gap
        Whether to end where nothing can be proven, instead of continuing behind it.
    progress
        Called with the frequency reached and the seconds spent.
    """
    began = thread_time()
    response = ExpandedResponse(system, sum(b.size for b in blocks))
    cover = _Cover(response, blocks, level, {} if known is None else known)
    result = cover.result
    todo = [*first, np.inf, 0.0]
    for w, s in list(cover.known.items()):
        if thread_time() - began > seconds:
            break
        cover.use(w, s)
    while left := cover.uncovered():
        spent = thread_time() - began
        if spent > seconds or (result.gaps and (stop_at_gap or len(result.gaps) >= _HOLES)):
            result.gaps += [(low, high, np.nan) for low, high in left]
            break
        while todo and not any(low <= todo[0] <= high for low, high in left):
            todo.pop(0)
        low, high = left[0]
        w = todo.pop(0) if todo else float(np.sqrt(max(low, 1e-6 * high) * high))
        cover.fit(w, min(each, seconds - spent))
        if progress is not None:
            progress(cover.uncovered()[0][0] if cover.uncovered() else np.inf, thread_time() - began)
    result.intervals = _trimmed(result.intervals)
    result.seconds = thread_time() - began
    return result
