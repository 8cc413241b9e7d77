"""Structured singular values, and what they guarantee of an uncertain closed loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import ArrayLike

from dalembert.control.mu.lower import WorstCase, complex_lower_bound, destabilising
from dalembert.control.mu.scalings import upper_bound
from dalembert.control.mu.sweep import Interval, sweep
from dalembert.control.norms import Matrices, response
from dalembert.control.signals import place
from dalembert.control.uncertain.blocks import DeltaBlock
from dalembert.control.uncertain.lft import LFT
from dalembert.core.errors import InputError

_MARGINS = (2.0, 1.4, 1.15, 1.05)  # above the estimate, in the order in which they are tried

__all__ = ["MuBounds", "Robustness", "mu", "robust_performance", "robust_stability"]


@dataclass(frozen=True)
class MuBounds:
    """Bounds of the structured singular value of one matrix."""

    lower: float
    upper: float


def mu(matrix: ArrayLike, blocks: Sequence[DeltaBlock], *, seconds: float = 10.0) -> MuBounds:
    """Bounds of the structured singular value of a matrix.

    Parameters
    ----------
    matrix
        Square complex matrix.
    blocks
        Its blocks, in order.
    seconds
        Time limit of the upper bound.

    Notes
    -----
    The lower bound is that of complex and full blocks; with real blocks it is zero, since a single matrix has no
    poles to follow (`robust_stability` finds destabilising values of real blocks).
    """
    M = np.asarray(matrix, dtype=complex)
    n = sum(b.size for b in blocks)
    if M.shape != (n, n):
        raise InputError(f"the blocks need a matrix of {n} x {n}, got {M.shape}")
    if not np.isfinite(M).all():
        raise InputError("the matrix must be finite")
    if any(b.kind == "state" for b in blocks):
        raise InputError("mu of a matrix has no states: give the frequency response")
    upper = upper_bound(M, blocks, seconds=seconds, rounds=12).bound
    lower = 0.0 if any(b.kind == "real" for b in blocks) else complex_lower_bound(M, blocks)
    return MuBounds(min(lower, upper), upper)


@dataclass(frozen=True)
class Robustness:
    """What is guaranteed of an uncertain loop, in blocks between -1 and 1.

    Parameters
    ----------
    upper
        Proven bound over all frequencies; the loop keeps what was asked while every block is below ``1 / upper``.
    lower
        Bound from below, by values that break it.
    worst
        These values; None if none were found.
    intervals
        Proven intervals of frequency.
    complete
        Whether every frequency is covered by a proof at ``upper``.
    message
        What was reached, or why not.
    seconds, solves
        Cost.
    """

    upper: float
    lower: float
    worst: WorstCase | None
    intervals: tuple[Interval, ...]
    complete: bool
    message: str
    seconds: float
    solves: int

    @property
    def guaranteed(self) -> bool:
        """Whether the whole box of blocks between -1 and 1 is proven."""
        return self.complete and self.upper <= 1.0


def robust_stability(
    loop: LFT,
    *,
    level: float | None = None,
    seconds: float = 120.0,
    seed: int = 0,
    progress: Callable[[float, float], object] | None = None,
) -> Robustness:
    """How far an uncertain closed loop stays stable, with a proof over all frequencies.

    Parameters
    ----------
    loop
        The closed loop, in blocks between -1 and 1 (see `LFT.feedback`, `LFT.normalised`).
    level
        Prove this level only; None: 1 (the whole box) where that is far above the estimate, else the least level that
        can be proven, to a few per cent as time allows.
    seconds
        Time limit.
    seed
        Of the search for destabilising values.
    progress
        Called with the frequency reached and the seconds spent.
    """
    system, blocks = loop.state_space()
    n = sum(b.size for b in blocks)
    parts = (system[0], system[1][:, :n], system[2][:n], system[3][:n, :n])
    return _bounds(parts, blocks, level, seconds, seed, progress)


def robust_performance(
    loop: LFT,
    inputs: Sequence[str],
    outputs: Sequence[str],
    *,
    bound: float = 1.0,
    level: float | None = None,
    seconds: float = 120.0,
    progress: Callable[[float, float], object] | None = None,
) -> Robustness:
    """How far the gain between signals stays below a bound, with a proof over all frequencies.

    The channel is closed by a full complex block (main loop theorem): below ``1 / upper`` the loop is stable and
    its gain is below ``bound * upper``.
    """
    rows = [place(name, loop.outputs, "output") for name in outputs]
    columns = [place(name, loop.inputs, "input") for name in inputs]
    channel = loop.part(rows, columns)
    system, blocks = channel.state_space()
    p, m = channel.shape
    k = max(p, m)
    A, B, C, D = system
    n = sum(b.size for b in blocks)
    B = np.hstack([B, np.zeros((B.shape[0], k - m))])
    C = np.vstack([C, np.zeros((k - p, C.shape[1]))])
    D = np.block([[D, np.zeros((D.shape[0], k - m))], [np.zeros((k - p, D.shape[1] + k - m))]])
    C = np.vstack([C[:n], C[n:] / bound])
    D = np.vstack([D[:n], D[n:] / bound])
    return _bounds((A, B, C, D), (*blocks, DeltaBlock("performance", k, "full")), level, seconds, 0, progress)


def _bounds(
    system: Matrices,
    blocks: Sequence[DeltaBlock],
    level: float | None,
    seconds: float,
    seed: int,
    progress: Callable[[float, float], object] | None,
) -> Robustness:
    began = perf_counter()
    A = system[0]
    if A.size and np.linalg.eigvals(A).real.max() >= 0.0:
        message = "the loop is not stable at the middle of the ranges"
        return Robustness(np.inf, np.inf, None, (), True, message, perf_counter() - began, 0)
    if not sum(b.size for b in blocks):
        return Robustness(0.0, 0.0, None, (), True, "nothing is uncertain", perf_counter() - began, 0)
    worst = None
    lower = 0.0
    if all(b.kind == "real" for b in blocks):
        worst = destabilising(system, blocks, seed=seed, seconds=0.2 * seconds)
        lower = 1.0 / worst.size if worst is not None else 0.0
    estimate, solves = _estimate(system, blocks, 0.2 * seconds)
    if not any(b.kind == "real" for b in blocks):
        lower = estimate[1]
    base = max(estimate[0], lower)
    if level is not None and lower > level:
        message = f"values of size {1.0 / lower:.4g} destabilise the loop"
        return Robustness(np.inf, lower, worst, (), True, message, perf_counter() - began, solves)
    proven, found = None, None
    # A wide margin is proven fast; what time is left goes into narrower ones.
    targets = [1.0] if base <= 0.5 else [m * base for m in _MARGINS]
    for target in [level] if level is not None else targets:
        left = seconds - (perf_counter() - began)
        if proven is not None and left < 1.5 * proven.seconds:
            break
        while True:
            left = max(seconds - (perf_counter() - began), 0.5)
            found = sweep(system, blocks, target, seconds=left, stop_at_gap=level is None, progress=progress)
            solves += found.solves
            known = [g[2] for g in found.gaps if np.isfinite(g[2])]
            spent = perf_counter() - began > seconds
            if found.complete or level is not None or spent or proven is not None:
                break
            target = 1.2 * max([target, *known])
        if found.complete:
            proven = found
        if spent or not found.complete:
            break
    assert found is not None
    if proven is not None:
        message = f"proven at {proven.level:.4g} over all frequencies"
        return Robustness(
            proven.level, lower, worst, tuple(proven.intervals), True, message, perf_counter() - began, solves
        )
    low, high, best = found.gaps[0]
    why = "time limit reached" if np.isnan(best) else f"the best bound there is {best:.4g}"
    message = f"not proven at {found.level:.4g} between {low:.4g} and {high:.4g} rad/s: {why}"
    return Robustness(np.inf, lower, worst, tuple(found.intervals), False, message, perf_counter() - began, solves)


def _estimate(system: Matrices, blocks: Sequence[DeltaBlock], seconds: float) -> tuple[tuple[float, float], int]:
    """Largest upper (and complex lower) bound on a coarse grid of frequencies, to know where to begin."""
    began = perf_counter()
    poles = np.abs(np.linalg.eigvals(system[0])) if system[0].size else np.ones(1)
    poles = poles[poles > 1e-12]
    w = np.unique(np.concatenate([[0.0, np.inf], poles, np.geomspace(poles.min() / 10, poles.max() * 10, 12)]))
    highest, lowest, solves = 0.0, 0.0, 0
    for M in response(system, w):
        if perf_counter() - began > seconds:
            break
        highest = max(highest, upper_bound(M, blocks, seconds=1.0, target=highest or None).bound)
        if not any(b.kind == "real" for b in blocks):
            lowest = max(lowest, complex_lower_bound(M, blocks))
        solves += 1
    return (highest, lowest), solves
