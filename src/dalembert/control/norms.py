"""Norms of linear systems, with the frequencies at which they are reached.

The H-infinity norm comes from the level sets of the largest singular value: ``sigma(G(jw)) = gamma`` exactly where the
Hamiltonian matrix of ``gamma`` has the eigenvalue ``jw`` (Boyd, Balakrishnan, Kabamba 1989; two-sided iteration of
Bruinsma and Steinbuch 1990). Eigenvalues only say where to look: every gain that is returned was evaluated at its
frequency, so that an inaccurate eigenvalue costs an iteration, not the answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array

if TYPE_CHECKING:
    import control
    from scipy.optimize import OptimizeResult

    LinearSystem: TypeAlias = control.StateSpace | control.TransferFunction | ArrayLike

__all__ = [
    "HinfNorm",
    "Matrices",
    "Peak",
    "gain_peaks",
    "gains",
    "h2_norm",
    "hinf_norm",
    "matrices_of",
    "peak_gain",
    "response",
]

Matrices = tuple[Array, Array, Array, Array]
Band = tuple[float, float]

_WHOLE: Band = (0.0, np.inf)
_LARGE = 40  # states above which climbing to a peak is cheaper than one more Hamiltonian
_NEAR_AXIS = 1e-5  # real part, relative, up to which an eigenvalue of the Hamiltonian is a place to look at


@dataclass(frozen=True)
class Peak:
    """A local maximum of the largest singular value."""

    frequency: float
    gain: float


@dataclass(frozen=True)
class HinfNorm:
    """H-infinity norm of a system.

    Parameters
    ----------
    value
        The norm; infinite if the system is not stable.
    peaks
        Where it is reached, to the tolerance of the computation [rad/s], largest first; empty if it is infinite.
    """

    value: float
    peaks: tuple[Peak, ...] = ()

    @property
    def frequency(self) -> float:
        """Frequency of the largest peak [rad/s]."""
        return self.peaks[0].frequency if self.peaks else np.nan


def matrices_of(system: LinearSystem) -> tuple[Matrices, float]:
    """Matrices A, B, C, D of a system of python-control (or of constant gains), and its period, 0 if continuous."""
    import control

    if isinstance(system, control.TransferFunction):
        system = control.ss(system)
    if isinstance(system, control.StateSpace):
        matrices = tuple(np.array(getattr(system, k), dtype=float) for k in "ABCD")
        n, m, p = system.nstates, system.ninputs, system.noutputs
        A, B, C, D = (x.reshape(s) for x, s in zip(matrices, ((n, n), (n, m), (p, n), (p, m)), strict=True))
        return _finite((A, B, C, D)), 1.0 if system.dt is True else float(system.dt or 0.0)
    try:
        D = np.atleast_2d(as_numbers(system))
    except (TypeError, ValueError):
        raise InputError(f"expected a system of python-control or constant gains, got {system!r}") from None
    return _finite((np.zeros((0, 0)), np.zeros((0, D.shape[1])), np.zeros((D.shape[0], 0)), D)), 0.0


def _finite(matrices: Matrices) -> Matrices:
    for name, x in zip("ABCD", matrices, strict=True):
        if not np.isfinite(x).all():
            raise InputError(f"the matrix {name} of a linear system must be finite, got {x!r}")
    return matrices


def hinf_norm(
    system: control.StateSpace | control.TransferFunction | ArrayLike,
    *,
    band: Band | None = None,
    tolerance: float = 1e-9,
) -> HinfNorm:
    """H-infinity norm of a system: the largest gain over all frequencies, or over a band.

    Parameters
    ----------
    system
        System of python-control, continuous or sampled.
    band
        Frequencies [rad/s] between which the gain counts; stability is asked for all the same.
    tolerance
        Relative accuracy.

    Returns
    -------
    HinfNorm
        The norm and all frequencies at which it is reached.

    Examples
    --------
    >>> import control
    >>> norm = hinf_norm(control.tf([1], [1, 0.2, 1]))
    >>> round(norm.value, 6), round(norm.frequency, 6)
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
    best = peak_gain((A, B, C, D), (lo, hi), tolerance=tolerance)
    peaks = gain_peaks((A, B, C, D), best, (lo, hi), fraction=1.0 - 10.0 * tolerance)
    if period:
        peaks = [Peak(2.0 * np.arctan(p.frequency) / period, p.gain) for p in peaks]
    return HinfNorm(peaks[0].gain, tuple(peaks))


def h2_norm(system: control.StateSpace | control.TransferFunction) -> float:
    """H2 norm of a system: root of the summed variance of its outputs under white noise of unit intensity.

    Infinite for a continuous system with a direct path, and for one that is not stable.

    Examples
    --------
    >>> import control
    >>> round(h2_norm(control.tf([1], [1, 1])) ** 2, 12)
    0.5
    """
    from scipy.linalg import solve_continuous_lyapunov, solve_discrete_lyapunov

    (A, B, C, D), period = matrices_of(system)
    poles = np.linalg.eigvals(A) if A.size else np.zeros(0)
    unstable = (np.abs(poles) >= 1.0).any() if period else (poles.real >= 0.0).any()
    if unstable or (not period and np.any(D)):
        return np.inf
    if not A.size:
        return float(np.linalg.norm(D))
    P = solve_discrete_lyapunov(A, B @ B.T) if period else solve_continuous_lyapunov(A, -B @ B.T)
    return float(np.sqrt(max(np.trace(C @ P @ C.T + D @ D.T), 0.0)))


# -- gains at frequencies ----------------------------------------------------------------------------------------------


def response(system: Matrices, frequencies: Iterable[float]) -> NDArray[np.complex128]:
    """Frequency response ``D + C (jw - A)^-1 B``, shape (frequencies, outputs, inputs); infinity gives ``D``."""
    A, B, C, D = system
    w = as_numbers(list(frequencies))
    G = np.broadcast_to(D.astype(complex), (len(w), *D.shape)).copy()
    at = np.flatnonzero(np.isfinite(w))
    if A.size and at.size:
        n = A.shape[0]
        pencil = 1j * w[at, None, None] * np.eye(n) - A
        G[at] += C @ np.linalg.solve(pencil, np.broadcast_to(B.astype(complex), (at.size, *B.shape)))
    return G


def gains(system: Matrices, frequencies: Iterable[float]) -> Array:
    """Largest singular values of the frequency response; infinite at a pole on the axis."""
    w = list(frequencies)
    try:
        G = response(system, w)
    except np.linalg.LinAlgError:
        return np.array([gains(system, [x])[0] for x in w]) if len(w) > 1 else np.array([np.inf])
    if 0 in G.shape[1:]:
        return np.zeros(len(G))
    return np.asarray(np.linalg.svd(G, compute_uv=False)[:, 0], dtype=float)


def peak_gain(
    system: Matrices,
    band: Band = _WHOLE,
    *,
    near: Iterable[float] = (),
    poles: NDArray[Any] | None = None,
    tolerance: float = 1e-9,
    max_iterations: int = 60,
) -> Peak:
    """Largest gain of a continuous system over a band, and where.

    ``near`` are frequencies to look at first; ``poles`` those of the system, if the caller has them.
    """
    lo, hi = band
    A, B, C, D = system
    if not A.size or not (np.any(B) and np.any(C)):
        return Peak(lo, float(np.linalg.norm(D, 2)) if D.size else 0.0)
    best = _best(system, _first_candidates(np.linalg.eigvals(A) if poles is None else poles, near, band))
    if best.gain == 0.0:
        return best
    for _ in range(max_iterations):
        if A.shape[0] > _LARGE:
            best = _refine(system, best, band)
        w = level_frequencies(system, best.gain * (1.0 + tolerance))
        w = w[(w > lo) & (w < hi)]
        if not w.size:
            break
        edges = np.concatenate([[lo], w, [hi if np.isfinite(hi) else 2.0 * w[-1]]])
        inside = np.concatenate([(edges[1:] + edges[:-1]) / 2, w])
        further = _best(system, inside)
        if further.gain <= best.gain * (1.0 + tolerance):
            break
        best = further
    return best


def gain_peaks(system: Matrices, best: Peak, band: Band = _WHOLE, fraction: float = 0.9) -> list[Peak]:
    """All local maxima of the gain within a band above ``fraction`` of its largest one, that one first."""
    lo, hi = band
    A = system[0]
    floor = float(np.linalg.norm(system[3], 2)) if system[3].size else 0.0
    level = best.gain * fraction
    if not A.size or best.gain == 0.0:
        return [best]
    if floor >= level:  # the direct path alone is above the level, which the Hamiltonian cannot resolve
        level = min(floor * (1.0 + 1e-9), best.gain * (1.0 - 1e-12))
    w = level_frequencies(system, level)
    w = w[(w > lo) & (w < hi)]
    edges = np.concatenate([[lo], w, [hi]])
    peaks = [best]
    for a, b in pairwise(edges):
        if b <= a or a <= best.frequency <= b:
            continue
        middle = _best(system, _between(a, b))
        if middle.gain < level:
            continue
        peak = _refine(system, middle, (a, b))
        if a * (1.0 + 1e-7) < peak.frequency < b * (1.0 - 1e-7) or peak.frequency in band:
            peaks.append(peak)  # else it lies on the slope of a neighbour
    return sorted(peaks, key=lambda peak: -peak.gain)


def level_frequencies(system: Matrices, level: float) -> Array:
    """Frequencies at which a singular value equals ``level``: imaginary eigenvalues of the Hamiltonian, ascending."""
    A, B, C, D = system
    # Scaling to a level of one, with inputs and outputs of equal size, keeps the eigenvalues of large gains accurate.
    b, c = np.linalg.norm(B), np.linalg.norm(C)
    s = np.sqrt(c / b) if b > 0 and c > 0 else 1.0
    B, C, D = B * s / np.sqrt(level), C / (s * np.sqrt(level)), D / level
    R = np.eye(D.shape[1]) - D.T @ D
    try:
        Ri = np.linalg.inv(R)
    except np.linalg.LinAlgError:
        return np.zeros(0)
    F = A + B @ Ri @ D.T @ C
    H = np.block([[F, B @ Ri @ B.T], [-C.T @ (np.eye(D.shape[0]) + D @ Ri @ D.T) @ C, -F.T]])
    eigenvalues = np.linalg.eigvals(H)
    close = np.abs(eigenvalues.real) <= _NEAR_AXIS * np.abs(eigenvalues) + 1e-14 * np.linalg.norm(H)
    return np.unique(np.abs(eigenvalues[close].imag))


def _first_candidates(poles: NDArray[Any], near: Iterable[float], band: Band) -> Array:
    """Ends of the band, frequencies of the poles and of their resonances, and what the caller knows."""
    poles = poles[poles.imag >= 0]
    resonant = poles.imag**2 - poles.real**2
    w = [*band, *np.abs(poles), *poles.imag, *np.sqrt(np.maximum(resonant, 0.0)), *near]
    return np.unique(np.clip(w, *band))


def _best(system: Matrices, frequencies: Array) -> Peak:
    g = gains(system, frequencies)
    k = int(g.argmax())
    return Peak(float(frequencies[k]), float(g[k]))


def _between(a: float, b: float) -> Array:
    if np.isinf(b):
        return a * np.array([1.01, 2.0, 10.0, 100.0]) if a > 0 else np.array([1.0])
    inner = np.linspace(a, b, 9)
    return np.concatenate([inner, np.geomspace(max(a, 1e-6 * b), b, 9)]) if b > 0 else inner


def _refine(system: Matrices, peak: Peak, band: Band) -> Peak:
    """Climb to the local maximum next to a peak (golden section and parabolas on the logarithm of the frequency)."""
    from scipy.optimize import minimize_scalar

    lo, hi = band
    w0 = peak.frequency
    if not np.isfinite(w0) or w0 <= 0.0:
        return peak
    best, width = peak, 0.05
    for _ in range(3):
        a, b = max(lo, w0 * np.exp(-width), 1e-300), min(hi, w0 * np.exp(width))
        if not a < b:
            return best
        peak_at: OptimizeResult = minimize_scalar(
            lambda x: -gains(system, [np.exp(x)])[0],
            bounds=(np.log(a), np.log(b)),
            method="bounded",
            options={"xatol": 1e-10},
        )
        w = float(np.exp(peak_at.x))
        if -peak_at.fun > best.gain:
            best = Peak(w, float(-peak_at.fun))
        if min(w / a, b / w) > 1.0 + 0.01 * width:
            return best
        w0 = w
    return best


def _check_band(band: Band | None) -> Band:
    if band is None:
        return _WHOLE
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
