"""Structured singular values, and their guarantees for an uncertain closed loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import thread_time

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.control.mu.lower import WorstCase, complex_lower_bound, destabilising
from dalembert.control.mu.machine import at_level, extent, sampled_error, without_errors
from dalembert.control.mu.mixed import mixed_in_box, mixed_lower_bound, worst_gain_in_box, worst_mixed
from dalembert.control.mu.real import real_lower_bound
from dalembert.control.mu.scalings import upper_bound
from dalembert.control.mu.search import MARGINS, Aim, Search, hardest, looked_at
from dalembert.control.mu.sweep import Interval, Known, sweep
from dalembert.control.norms import Matrices, peak_gain
from dalembert.control.signals import place
from dalembert.control.uncertain.blocks import DeltaBlock
from dalembert.control.uncertain.lft import LFT
from dalembert.core.errors import InputError
from dalembert.core.labels import as_complex
from dalembert.core.renamed import renamed
from dalembert.core.validation import check_number

__all__ = [
    "MuBounds",
    "Robustness",
    "WorstGain",
    "mu",
    "performance_channel",
    "performance_within",
    "robust_performance",
    "robust_stability",
    "skew_mu",
    "worst_gain",
]


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
        Limit of the upper bound [s of processor time].

    Notes
    -----
    The lower bound is shown by an uncertainty: the power iteration for complex blocks, ascent over the real ones where
    there are both, edges of the box and linear programs for only real blocks. These may find nothing, which leaves
    zero. With only real blocks mu jumps where a matrix becomes real: the lower bound of a matrix with imaginary parts
    of the size of rounding errors is zero unless a solution exists in spite of them.
    """
    M = _checked(matrix, blocks)
    size = float(np.abs(M).max())
    if size == 0.0:
        return MuBounds(0.0, 0.0)
    size = 1.0 if 1e-60 < size < 1e60 else size  # what would overflow when it is squared
    upper = upper_bound(M / size, blocks, seconds=seconds, rounds=12).bound
    lower = _lower(M / size, blocks)
    return MuBounds(size * min(lower, upper), size * upper)


def _lower(M: NDArray[np.complex128], blocks: Sequence[DeltaBlock]) -> float:
    kinds = {b.kind == "real" for b in blocks}
    if kinds == {True}:
        return real_lower_bound(M, blocks)
    return mixed_lower_bound(M, blocks)[0] if True in kinds else complex_lower_bound(M, blocks)


def skew_mu(
    matrix: ArrayLike,
    blocks: Sequence[DeltaBlock],
    fixed: Sequence[str],
    *,
    seconds: float = 10.0,
    tolerance: float = 1e-4,
) -> MuBounds:
    """Bounds of the skewed structured singular value: blocks ``fixed`` stay below one, only the others grow.

    ``1 / skew_mu`` is the least size of the others at which ``1 - M Delta`` can become singular; with a performance
    block as the only one that is not fixed it is the worst gain over the whole box.

    Parameters
    ----------
    matrix, blocks
        As in `mu`.
    fixed
        Names of the blocks that keep their size; with them alone the bound must be below one, else it is infinite.
    seconds
        Limit [s of processor time].
    tolerance
        Relative accuracy of the bisection.

    Examples
    --------
    >>> from dalembert.control.uncertain import parameter
    >>> bounds = skew_mu([[0.5]], parameter("k").blocks, fixed=[])
    >>> round(bounds.upper, 3)
    0.5
    """
    M = _checked(matrix, blocks)
    names = [b.name for b in blocks]
    for name in fixed:
        place(name, names, "block")
    if set(names) <= set(fixed):
        raise InputError("skew_mu needs a block that is not fixed")
    began = thread_time()
    grows = np.concatenate([np.full(b.size, b.name not in fixed) for b in blocks])

    def scaled(size: float) -> NDArray[np.complex128]:
        return np.asarray(M * np.where(grows, size, 1.0)[:, None])

    def below(size: float) -> bool:
        left = max(seconds - (thread_time() - began), 0.2)
        return upper_bound(scaled(size), blocks, target=1.0, seconds=left / 4.0, rounds=10).bound <= 1.0

    if not below(1e-9):
        return MuBounds(0.0, np.inf)
    low, high = 1e-9, 1.0  # sizes that are proven, and that are not
    while below(high):
        low, high = high, 4.0 * high
        if high > 1e12:
            return MuBounds(0.0, 0.0)
    while high / low > 1.0 + tolerance and thread_time() - began < 0.7 * seconds:
        middle = float(np.sqrt(low * high)) if low > 1e-6 * high else 0.25 * high
        low, high = (middle, high) if below(middle) else (low, middle)
    upper = 1.0 / low
    if all((b.kind == "real") == (b.name in fixed) for b in blocks):
        return MuBounds(min(mixed_in_box(M, blocks), upper), upper)
    low, high, lower = 0.2 / upper, 5.0 / upper, 0.0  # sizes at which the bound from below is one
    while high / low > 1.0 + 10.0 * tolerance and thread_time() - began < seconds:
        middle = float(np.sqrt(low * high))
        if _lower(scaled(middle), blocks) >= 1.0:
            high, lower = middle, 1.0 / middle
        else:
            low = middle
    return MuBounds(min(lower, upper), upper)


def _checked(matrix: ArrayLike, blocks: Sequence[DeltaBlock]) -> NDArray[np.complex128]:
    try:
        M = as_complex(matrix)
    except InputError as error:
        raise InputError(f"the matrix of mu must be plain numbers: {error}") from None
    n = sum(b.size for b in blocks)
    if not n:
        raise InputError("mu needs at least one block with a size")
    if M.shape != (n, n):
        raise InputError(f"the blocks need a matrix of {n} x {n}, got {M.shape}")
    if not np.isfinite(M).all():
        raise InputError("the matrix must be finite")
    if any(b.kind == "state" for b in blocks):
        raise InputError("mu of a matrix has no states: give the frequency response")
    return M


@dataclass(frozen=True)
class Robustness:
    """Guarantees of an uncertain loop, in blocks between -1 and 1.

    Parameters
    ----------
    upper
        Proven bound over all frequencies; the loop keeps the requirement while every block is below ``1 / upper``.
    lower
        Bound from below, by values that break it.
    worst
        These values; None if none were found.
    intervals
        Proven intervals of frequency.
    complete
        Whether every frequency is covered by a proof at ``upper``.
    message
        The result, or the reason of a failure.
    seconds, solves
        Cost.
    sampled_error
        For a model of a machine whose error has no rigorous bound: the largest error at samples. A proof then holds for
        the model, and gives no guarantee for the machine.
    """

    upper: float
    lower: float
    worst: WorstCase | None
    intervals: tuple[Interval, ...] = field(repr=False)
    complete: bool
    message: str
    seconds: float
    solves: int
    sampled_error: float | None = None

    @property
    def guaranteed(self) -> bool:
        """Whether the whole box of blocks between -1 and 1 is proven, of a machine with the error of its model."""
        return self.complete and self.upper <= 1.0 and self.sampled_error is None


def robust_stability(
    loop: LFT,
    *,
    level: float | None = None,
    enough: float | None = None,
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
        Prove this level only; None: the least level that can be proven, to a few per cent as time allows, but none
        below a half.
    enough
        Where no level is given: nothing below this one is tried.
    seconds
        Limit [s of processor time].
    seed
        Seed of the search for destabilising values.
    progress
        Called with the frequency reached and the seconds spent.
    """
    system, blocks = loop.state_space()
    n = sum(b.size for b in blocks)
    parts = (system[0], system[1][:, :n], system[2][:n], system[3][:n, :n])
    return _bounds(parts, blocks, Aim(level, enough), seconds, seed, progress)


def robust_performance(
    loop: LFT,
    inputs: Sequence[str],
    outputs: Sequence[str],
    *,
    bound: float = 1.0,
    level: float | None = None,
    enough: float | None = None,
    seconds: float = 120.0,
    progress: Callable[[float, float], object] | None = None,
) -> Robustness:
    """How far the gain between signals stays below a bound, with a proof over all frequencies.

    The channel is closed by a full complex block (main loop theorem): below ``1 / upper`` the loop is stable and
    its gain is below ``bound * upper``.

    Examples
    --------
    >>> import control
    >>> from dalembert.control.uncertain import constant, parameter, system_lft
    >>> gain = constant([[1.0]]) + constant([[0.5]]) @ parameter("k")  # 0.5 to 1.5
    >>> integrator = system_lft(control.ss(0.0, 1.0, 1.0, 0.0))
    >>> loop = integrator.feedback(gain, integrator.outputs, integrator.inputs)
    >>> proof = robust_performance(loop, loop.inputs, loop.outputs, bound=4.0)  # the largest gain is 2
    >>> proof.complete, proof.upper < 1.0
    (True, True)
    """
    system, blocks = performance_channel(loop, inputs, outputs, bound)
    return _bounds(system, blocks, Aim(level, enough), seconds, 0, progress)


@renamed("rad/s", frequency="omega")
@dataclass(frozen=True)
class WorstGain:
    """The largest gain between signals over the whole box of blocks between -1 and 1.

    Parameters
    ----------
    upper
        Proven bound; infinite if none was.
    lower
        A gain that is reached (infinite: the loop can become unstable).
    values
        Values of the real blocks at which it is reached.
    omega
        Angular frequency at which it is reached [rad/s].
    complete
        Whether ``upper`` is proven over all frequencies.
    message
        The result, or the reason of a failure.
    seconds
        Cost.
    sampled_error
        As in `Robustness`.
    """

    upper: float
    lower: float
    values: dict[str, float]
    omega: float
    complete: bool
    message: str
    seconds: float
    sampled_error: float | None = None


def worst_gain(
    loop: LFT, inputs: Sequence[str], outputs: Sequence[str], *, bound: float | None = None, seconds: float = 120.0
) -> WorstGain:
    """The largest gain over the whole box of blocks: values that reach it, and a proof that none exceeds it.

    A skewed structured singular value: the blocks keep their size, and only the performance is scaled.

    Parameters
    ----------
    loop
        The closed loop, in real blocks between -1 and 1.
    inputs, outputs
        Names of its signals.
    bound
        Prove this gain only; None: the least one that can be proven, to a few per cent as time allows.
    seconds
        Limit [s of processor time].
    """
    began = thread_time()
    if bound is not None:
        check_number("bound", bound)
    system, blocks = performance_channel(loop, inputs, outputs, 1.0)
    sampled, about = sampled_error(blocks), extent(blocks)
    bare, certain = without_errors(system, blocks)
    if any(b.kind != "real" for b in certain[:-1]):
        raise InputError("worst_gain takes loops with real blocks only: use robust_performance")
    if system[0].size and np.linalg.eigvals(system[0]).real.max() >= 0.0:
        message = "the loop is not stable at the middle of the ranges"
        return WorstGain(np.inf, np.inf, {b.name: 0.0 for b in certain[:-1]}, np.nan, True, message, 0.0)
    reached = worst_gain_in_box(bare, certain, seconds=0.3 * seconds)
    values, omega = reached.values, reached.omega

    def answer(upper: float, complete: bool, message: str) -> WorstGain:
        return WorstGain(upper, reached.gain, values, omega, complete, message, thread_time() - began, sampled)

    if np.isinf(reached.gain):
        return answer(np.inf, True, "the loop becomes unstable within the box")
    if bound is not None and reached.gain > bound:
        return answer(np.inf, True, f"a gain of {reached.gain:.4g} is reached")
    proven, message = np.inf, ""
    known: Known = {}
    for gain in [bound] if bound is not None else [m * max(reached.gain, 1e-12) for m in (4.0, 2.0, *MARGINS)]:
        left = seconds - (thread_time() - began)
        if left < 0.5:
            break
        scaled, _ = performance_channel(loop, inputs, outputs, gain)
        proof = sweep(*at_level(scaled, blocks, 1.0), 1.0, known=known, first=[omega], seconds=left, stop_at_gap=True)
        if not proof.complete:
            low, high, best = proof.gaps[0]
            why = "time limit reached" if np.isnan(best) else f"the best bound of mu there is {best:.4g}"
            message = f"a gain of {gain:.4g} is not proven between {low:.4g} and {high:.4g} rad/s: {why}"
            break
        proven = gain
    if np.isfinite(proven):
        return answer(proven, True, f"proven at {proven:.4g}{about} over all frequencies")
    return answer(np.inf, False, message or "time limit reached")


def performance_within(
    loop: LFT, inputs: Sequence[str], outputs: Sequence[str], bound: float, *, seconds: float = 120.0
) -> tuple[float, Robustness]:
    """Factor by which the blocks must shrink so that a gain is proven to stay below a bound, and the proof.

    The performance keeps its size while the blocks shrink (a skewed value). A factor is given up at the first
    frequency at which it fails, which the next one then meets first; the next one is larger by the bound there, since
    shrinking the blocks alone cannot lower it by more, and by four per cent at least.
    """
    began = thread_time()

    def failed(message: str) -> tuple[float, Robustness]:
        return np.inf, Robustness(np.inf, 0.0, None, (), False, message, thread_time() - began, solves)

    solves, factor = 0, 1.0
    system, blocks = performance_channel(loop, inputs, outputs, bound)
    n = sum(b.size for b in blocks[:-1])
    A, B, C, D = system
    grows = np.concatenate([np.full(b.size, b.kind != "error" and b is not blocks[-1]) for b in blocks])
    if A.size and np.linalg.eigvals(A).real.max() >= 0.0:
        return failed("the loop is not stable at the middle of the ranges")
    at_rest = peak_gain((A, B[:, n:], C[n:], D[n:, n:])).gain
    if at_rest >= 1.0:
        return failed(f"the gain at the middle of the ranges is {at_rest * bound:.4g}, and {bound:.4g} is required")
    known: Known = {}
    first = list(looked_at(system))
    while (left := seconds - (thread_time() - began)) > 0.0:
        shrunk = np.where(grows, 1.0 / factor, 1.0)
        parts = (A, B * shrunk, C, D * shrunk)
        proof = sweep(*at_level(parts, blocks, 1.0), 1.0, known=known, first=first, seconds=left, stop_at_gap=True)
        solves += proof.solves
        if proof.complete:
            message = f"proven at {factor:.4g}{extent(blocks)} over all frequencies, with a gain below {bound:.4g}"
            cost = thread_time() - began, solves
            proven = tuple(proof.intervals)
            return factor, Robustness(1.0, 0.0, None, proven, True, message, *cost, sampled_error(blocks))
        w, best = hardest(proof)
        if np.isnan(best):
            break
        first.insert(0, w)
        factor *= max(1.04, best)
    return failed(f"a gain below {bound:.4g} is not proven at {factor:.4g}: time limit reached")


def performance_channel(
    loop: LFT, inputs: Sequence[str], outputs: Sequence[str], bound: float
) -> tuple[Matrices, tuple[DeltaBlock, ...]]:
    """The channel between signals, over a bound, closed by a full block behind those of the loop."""
    check_number("bound", bound)
    rows = [place(name, loop.outputs, "output") for name in outputs]
    columns = [place(name, loop.inputs, "input") for name in inputs]
    channel = loop.part(rows, columns)
    (A, B, C, D), blocks = channel.state_space()
    p, m = channel.shape
    k, n = max(p, m), sum(b.size for b in blocks)
    B = np.hstack([B, np.zeros((B.shape[0], k - m))])
    C = np.vstack([C, np.zeros((k - p, C.shape[1]))])
    D = np.block([[D, np.zeros((D.shape[0], k - m))], [np.zeros((k - p, D.shape[1] + k - m))]])
    C = np.vstack([C[:n], C[n:] / bound])
    D = np.vstack([D[:n], D[n:] / bound])
    return (A, B, C, D), (*blocks, DeltaBlock("performance", k, "full"))


def _bounds(
    system: Matrices,
    blocks: Sequence[DeltaBlock],
    aim: Aim,
    seconds: float,
    seed: int,
    progress: Callable[[float, float], object] | None,
) -> Robustness:
    began = thread_time()
    A = system[0]
    if A.size and np.linalg.eigvals(A).real.max() >= 0.0:
        message = "the loop is not stable at the middle of the ranges"
        return Robustness(np.inf, np.inf, None, (), True, message, thread_time() - began, 0)
    sampled, about = sampled_error(blocks), extent(blocks)
    bare, certain = without_errors(system, blocks)
    if not sum(b.size for b in blocks):
        message = f"nothing is uncertain{about}"
        return Robustness(0.0, 0.0, None, (), True, message, thread_time() - began, 0, sampled)
    if not A.size:
        (_, _, _, D), full = at_level(system, blocks, 1.0)
        still = mu(D, full, seconds=seconds)
        everywhere = (Interval(0.0, np.inf, still.upper),)
        complete = still.upper <= 1.0 or len(certain) == len(blocks)  # above one an error would have shrunk too
        message = f"nothing moves: one bound holds{about} at all frequencies"
        cost = thread_time() - began, 1
        return Robustness(still.upper, still.lower, None, everywhere, complete, message, *cost, sampled)
    if not sum(b.size for b in certain):
        worst = None
    elif all(b.kind == "real" for b in certain):
        worst = destabilising(bare, certain, seed=seed, seconds=0.2 * seconds)
    else:
        worst = worst_mixed(bare, certain, looked_at(bare), seconds=0.2 * seconds, seed=seed)
    lower = 1.0 / worst.size if worst is not None else 0.0
    if aim.level is not None and lower > aim.level:
        message = f"values of size {1.0 / lower:.4g} destabilise the loop"
        return Robustness(np.inf, lower, worst, (), True, message, thread_time() - began, 0)
    first = list(looked_at(system)) if worst is None else [worst.omega, *looked_at(system)]
    search = Search(system, blocks, first, began + seconds, progress)
    if aim.level is not None:
        proof = search.at(aim.level)
    else:
        proof = search.least(aim.passes(lower))
    cost = thread_time() - began, search.solves
    if proof.complete:
        message = f"proven at {proof.level:.4g}{about} over all frequencies"
        return Robustness(proof.level, lower, worst, tuple(proof.intervals), True, message, *cost, sampled)
    low, high, best = proof.gaps[0]
    why = "time limit reached" if np.isnan(best) else f"the best bound there is {best:.4g}"
    message = f"not proven at {proof.level:.4g} between {low:.4g} and {high:.4g} rad/s: {why}"
    return Robustness(np.inf, lower, worst, tuple(proof.intervals), False, message, *cost, sampled)
