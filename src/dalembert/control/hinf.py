"""H-infinity norms from both sides: a gain that is reached, and a level that no frequency exceeds.

The lower bound is a gain that was evaluated at its frequency. The upper one is a proof over all frequencies: about a
frequency the gain stays below a level until the first real eigenvalue of a Hamiltonian matrix, and the intervals
between them must cover the axis (module `mu.sweep`, with one full block and nothing to scale). Each eigenvalue counts
with the disk in which rounding may have moved it. The search continues at a frequency at which a level fails.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from dalembert.control.mu.scalings import Scaling
from dalembert.control.mu.sweep import ExpandedResponse, Interval, proven_ends, uncovered
from dalembert.control.norms import Band, Matrices, Modal, Peak, balanced, gain_peaks, matrices_of, modal, peak_gain
from dalembert.core.errors import InputError
from dalembert.core.renamed import renamed
from dalembert.core.types import Array

if TYPE_CHECKING:
    import control

__all__ = ["GainBounds", "HinfNorm", "gain_bounds", "hinf_norm"]

_SLACKS = (1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)  # above the gain that is reached: levels to prove, one after the other
_PART = 0.99  # of an interval that is used
_SHORTEST = 1e-9  # relative length of an interval below which a level counts as not provable
_INTERVALS = 40  # per state, and as many for a system of any size, after which a level counts as not provable


@renamed("rad/s", frequency="omega")
@dataclass(frozen=True)
class HinfNorm:
    """H-infinity norm of a system.

    Parameters
    ----------
    value
        The norm: a gain that is reached; infinite if the system is not stable.
    peaks
        Where it is reached, to the tolerance of the computation [rad/s], largest first; empty if it is infinite.
    upper
        A level that is proven to be above the gain at all frequencies; infinite if none within one per cent of the
        value could be proven.
    """

    value: float
    peaks: tuple[Peak, ...] = ()
    upper: float = np.inf

    @property
    def omega(self) -> float:
        """Angular frequency of the largest peak [rad/s]."""
        return self.peaks[0].omega if self.peaks else np.nan


@dataclass(frozen=True)
class GainBounds:
    """The largest gain that is reached, and a proven upper bound (infinite: none)."""

    peak: Peak
    upper: float


def hinf_norm(
    system: control.StateSpace | control.TransferFunction | ArrayLike,
    *,
    band: Band | None = None,
    tolerance: float = 1e-9,
    proof: bool = True,
) -> HinfNorm:
    """H-infinity norm of a system: the largest gain over all frequencies, or over a band.

    Parameters
    ----------
    system
        System of python-control, continuous or sampled.
    band
        Frequencies [rad/s] between which the gain counts; stability is required all the same.
    tolerance
        Relative accuracy.
    proof
        Whether to prove an upper bound, which takes seconds for systems of several hundred states.

    Returns
    -------
    HinfNorm
        The norm, all frequencies at which it is reached, and the proven upper bound.

    Examples
    --------
    >>> import control
    >>> norm = hinf_norm(control.tf([1], [1, 0.2, 1]))
    >>> round(norm.value, 6), round(norm.omega, 6)
    (5.025189, 0.989949)
    """
    (A, B, C, D), period = matrices_of(system)
    lo, hi = _check_band(band)
    if period:
        if A.size and np.abs(np.linalg.eigvals(A)).max() >= 1.0:
            return HinfNorm(np.inf)
        A, B, C, D = _bilinear(A, B, C, D)
        nyquist = np.pi / period
        lo, hi = (np.tan(w * period / 2) if w < nyquist else np.inf for w in (lo, hi))
        if not lo < hi:
            raise InputError(f"the band starts at {band} rad/s, beyond the Nyquist frequency {nyquist:g} rad/s")
    elif A.size and np.linalg.eigvals(A).real.max() >= 0.0:
        return HinfNorm(np.inf)
    parts = balanced((A, B, C, D))
    form = modal(parts)
    if proof:
        bounds = gain_bounds(parts, (lo, hi), form=form, tolerance=tolerance)
    else:
        bounds = GainBounds(peak_gain(form, (lo, hi), tolerance=tolerance), np.inf)
    peaks = gain_peaks(form, bounds.peak, (lo, hi), fraction=1.0 - 10.0 * tolerance)
    peaks = sorted((Peak(p.omega, _gain(parts, p.omega)) for p in peaks), key=lambda p: -p.gain)
    if period:
        peaks = [Peak(2.0 * np.arctan(p.omega) / period, p.gain) for p in peaks]
    return HinfNorm(peaks[0].gain, tuple(peaks), max(bounds.upper, peaks[0].gain))


def gain_bounds(
    system: Matrices,
    band: Band = (0.0, np.inf),
    *,
    form: Modal | None = None,
    near: Iterable[float] = (),
    tolerance: float = 1e-9,
) -> GainBounds:
    """Largest gain of a stable continuous system over a band, from both sides."""
    system = balanced(system)
    form = modal(system) if form is None else form
    first = list(near)
    peak = peak_gain(form, band, near=first, tolerance=tolerance)
    A, B, C, D = system
    if not (A.size and D.size and B.any() and C.any()):  # no state is on the way
        return GainBounds(peak, peak.gain)
    for slack in _SLACKS:
        if abs(peak.gain / max(_gain(system, peak.omega), 1e-300) - 1.0) > 0.1 * slack:
            continue  # modal coordinates, in which the proof is made, are not that accurate
        for _ in range(len(system[0]) + 2):  # a peak that was missed is climbed, and the level raised
            level = _gain(system, peak.omega) * (1.0 + slack)
            failure = _fails(system, form, level, band, peak.omega)
            if failure is None:
                return GainBounds(Peak(peak.omega, level / (1.0 + slack)), level)
            first.append(failure)
            further = peak_gain(form, band, near=first, tolerance=tolerance)
            if not _gain(system, further.omega) > level:
                break
            peak = further
    return GainBounds(Peak(peak.omega, _gain(system, peak.omega)), np.inf)


def _fails(system: Matrices, form: Modal, level: float, band: Band, peak: float) -> float | None:
    """None if the gain is proven to stay below a level over a band, else a frequency at which the proof fails."""
    size = max(system[3].shape)
    response = ExpandedResponse(_square(form.matrices, size), size)
    one = Scaling(np.eye(size, dtype=complex), np.eye(size, dtype=complex), np.zeros((size, size), dtype=complex), 0.0)
    lo, hi = band
    proven = [Interval(-1.0, lo, 0.0)] if lo > 0.0 else []
    proven += [Interval(hi, np.inf, 0.0)] if np.isfinite(hi) else []
    todo = [hi, lo, peak, *np.abs(form.poles.imag), *np.abs(form.poles)]
    for _ in range(_INTERVALS * (1 + len(system[0]))):
        left = uncovered(proven, [])
        if not left:
            return None
        while todo and not any(low <= todo[0] <= high for low, high in left):
            todo.pop(0)
        low, high = left[0]
        middle = np.sqrt(max(low, 1e-6 * high) * high) if np.isfinite(high) else 2.0 * max(low, response.fastest)
        w = float(todo.pop(0) if todo else middle)
        ends = proven_ends(response.about(w), one, level)
        if ends is None:
            return w
        up, down = (max(end, 1e-300) for end in ends)
        if np.isinf(w):
            proven.append(Interval(up / _PART, np.inf, level))
            continue
        interval = Interval(max(w - _PART / down, 0.0), w + _PART / up, level)
        if interval.high - interval.low < _SHORTEST * max(w, _SHORTEST * response.slowest):
            return w
        proven.append(interval)
    return low


def _square(system: Matrices, size: int) -> Matrices:
    """The same system with as many inputs as outputs: those that are added do nothing."""
    A, B, C, D = system
    more, further = size - B.shape[1], size - C.shape[0]
    return A, np.pad(B, ((0, 0), (0, more))), np.pad(C, ((0, further), (0, 0))), np.pad(D, ((0, further), (0, more)))


def _gain(system: Matrices, w: float) -> float:
    """Largest singular value at a frequency, the solution of the equations refined in extended precision."""
    A, B, C, D = system
    if not A.size or np.isinf(w):
        return float(np.linalg.norm(D, 2)) if D.size else 0.0
    pencil = 1j * w * np.eye(len(A)) - A
    exact, b = pencil.astype(np.clongdouble), B.astype(np.clongdouble)
    X = np.zeros_like(b)
    try:
        inverse = np.linalg.inv(pencil)
    except np.linalg.LinAlgError:
        return np.inf
    for _ in range(4):
        X = X + inverse @ (b - exact @ X).astype(complex)
    return float(np.linalg.norm((D + C.astype(np.clongdouble) @ X).astype(complex), 2))


def _check_band(band: Band | None) -> Band:
    if band is None:
        return 0.0, np.inf
    try:
        lo, hi = (float(w) for w in band)
    except (TypeError, ValueError):
        raise InputError(f"a band must be two frequencies in rad/s, got {band!r}") from None
    if not 0.0 <= lo < hi:
        raise InputError(f"a band must be two frequencies with 0 <= low < high, got {band!r}")
    return lo, hi


def _bilinear(A: Array, B: Array, C: Array, D: Array) -> Matrices:
    """Continuous system with the gains of a sampled one: ``z = (1 + s) / (1 - s)``, so that ``w = tan(theta / 2)``."""
    if not A.size:
        return A, B, C, D
    inverse = np.linalg.inv(A + np.eye(A.shape[0]))
    root = np.sqrt(2.0)
    return inverse @ (A - np.eye(A.shape[0])), root * inverse @ B, root * C @ inverse, D - C @ inverse @ B
