"""Gains of linear systems over frequency: where they peak, and their H2 norm.

The largest gain comes from the level sets of the largest singular value: ``sigma(G(jw)) = gamma`` exactly where the
Hamiltonian matrix of ``gamma`` has the eigenvalue ``jw`` (Boyd, Balakrishnan, Kabamba 1989; two-sided iteration of
Bruinsma and Steinbuch 1990). Eigenvalues only say where to look: every gain that is returned was evaluated at its
frequency, so that an inaccurate eigenvalue costs an iteration, not the answer. Modal coordinates keep them accurate
where a loop has poles over many decades. The H-infinity norm with its upper bound is in `hinf`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.core.balance import Matrices, balanced
from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.renamed import renamed
from dalembert.core.types import Array

if TYPE_CHECKING:
    import control
    from scipy.optimize import OptimizeResult

    LinearSystem: TypeAlias = control.StateSpace | control.TransferFunction | ArrayLike

__all__ = [
    "Band",
    "Matrices",
    "Modal",
    "Peak",
    "balanced",
    "gain_peaks",
    "gains",
    "h2_norm",
    "matrices_of",
    "modal",
    "peak_gain",
    "realised",
    "response",
]

Band = tuple[float, float]

_WHOLE: Band = (0.0, np.inf)
_DEFECTIVE = 1e9  # condition of the modes from which on the states themselves are used
_LARGE = 40  # states above which climbing to a peak is cheaper than one more Hamiltonian
_NEAR_AXIS = 0.05  # real part, relative, up to which an eigenvalue of the Hamiltonian is a candidate
_ROUNDING = 1e-13  # of poles, relative to the norm of A
_SAME = 1e-5  # distance of frequencies, relative, up to which peaks are one: where a peak is flat no better is known
_SINGULAR = 1e-6  # distance of the level from the singular values of D, relative, up to which the pencil is used


@renamed("rad/s", frequency="omega")
@dataclass(frozen=True)
class Peak:
    """A local maximum of the largest singular value, at the angular frequency ``omega`` [rad/s]."""

    omega: float
    gain: float


@dataclass(frozen=True, eq=False)
class Modal:
    """A system in coordinates in which slow and fast modes do not disturb each other's rounding, and its poles.

    ``residues`` are the factors ``(C V, V^-1 B)`` of the sum over poles that the response is; None where the
    eigenvectors ``V`` are nearly dependent.
    """

    matrices: Matrices
    poles: NDArray[np.complex128]
    residues: tuple[NDArray[np.complex128], NDArray[np.complex128]] | None = None

    @property
    def stable(self) -> bool:
        """Whether all poles lie to the left of the axis by more than their rounding."""
        A = self.matrices[0]
        return not A.size or bool(self.poles.real.max() < -_ROUNDING * np.linalg.norm(A))

    def gains(self, w: Array) -> Array:
        """Largest singular values of the frequency response; infinite at a pole on the axis."""
        if self.residues is None:
            return gains(self.matrices, w)
        out, into = self.residues
        with np.errstate(divide="ignore", invalid="ignore"):
            factors = 1.0 / (1j * np.where(np.isfinite(w), w, 0.0)[:, None] - self.poles)
            factors[~np.isfinite(w)] = 0.0
            G = self.matrices[3] + (out * factors[:, None, :]) @ into
        return _largest_singular(G)


def matrices_of(system: LinearSystem) -> tuple[Matrices, float]:
    """Matrices A, B, C, D of a system of python-control (or of constant gains), and its period, 0 if continuous."""
    import control

    if isinstance(system, control.TransferFunction):
        system = realised(system)
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


def realised(system: control.TransferFunction) -> control.StateSpace:
    """State space of a transfer function of any size, each entry by itself; improper ones are refused by name."""
    import control
    from scipy.linalg import block_diag
    from scipy.signal import tf2ss

    inputs, outputs = list(system.input_labels), list(system.output_labels)
    A, B, C = np.zeros((0, 0)), np.zeros((0, len(inputs))), np.zeros((len(outputs), 0))
    D = np.zeros((len(outputs), len(inputs)))
    for i, output in enumerate(outputs):
        for j, name in enumerate(inputs):
            num, den = (np.trim_zeros(np.atleast_1d(x), "f") for x in (system.num[i][j], system.den[i][j]))
            if len(num) > len(den):
                raise InputError(
                    f"the transfer function from '{name}' to '{output}' is improper (degree {len(num) - 1} over "
                    f"{len(den) - 1}): its gain grows without limit; divide it by (T s + 1) as often as needed"
                )
            a, b, c, d = tf2ss(num if num.size else [0.0], den)
            n = len(den) - 1
            D[i, j] = d[0, 0]
            if n:
                A = block_diag(A, a) if A.size else a
                column, row = np.zeros((n, len(inputs))), np.zeros((len(outputs), n))
                column[:, j], row[i] = b[:, 0], c[0]
                B, C = np.vstack([B, column]), np.hstack([C, row])
    return control.ss(A, B, C, D, system.dt, inputs=inputs, outputs=outputs, name=system.name)


def _finite(matrices: Matrices) -> Matrices:
    for name, x in zip("ABCD", matrices, strict=True):
        if not np.isfinite(x).all():
            raise InputError(f"the matrix {name} of a linear system must be finite, got {x!r}")
    return matrices


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
    return _largest_singular(G)


def _largest_singular(G: NDArray[np.complex128]) -> Array:
    """Largest singular values of matrices, by the smaller of their products; infinite where one is not finite."""
    if 0 in G.shape[1:]:
        return np.zeros(len(G))
    finite = np.asarray(np.isfinite(G).all(axis=(1, 2)))
    G = np.where(finite[:, None, None], G, 0.0)
    if 1 in G.shape[1:]:
        largest = np.linalg.norm(G.reshape(len(G), -1), axis=1)
    else:
        unit = np.maximum(np.abs(G).max(axis=(1, 2)), 1e-300)  # squares must neither vanish nor overflow
        N = G / unit[:, None, None]
        N = N.conj().transpose(0, 2, 1) @ N if G.shape[2] <= G.shape[1] else N @ N.conj().transpose(0, 2, 1)
        largest = unit * np.sqrt(np.maximum(np.linalg.eigvalsh(N)[:, -1], 0.0))
    return np.asarray(np.where(finite, largest, np.inf), dtype=float)


def peak_gain(
    system: Matrices | Modal,
    band: Band = _WHOLE,
    *,
    near: Iterable[float] = (),
    tolerance: float = 1e-9,
    max_iterations: int = 60,
) -> Peak:
    """Largest gain of a continuous system over a band, and where; ``near`` are frequencies to look at first."""
    lo, hi = band
    form = system if isinstance(system, Modal) else modal(system)
    A, B, C, D = form.matrices
    if not A.size or not (np.any(B) and np.any(C)):
        return Peak(lo, float(np.linalg.norm(D, 2)) if D.size else 0.0)
    best = _best(form, _first_candidates(form.poles, near, band))
    if best.gain == 0.0 or not np.isfinite(best.gain):
        return best
    for _ in range(max_iterations):
        if A.shape[0] > _LARGE:
            best = _refine(form, best, band)
        w = level_frequencies(form.matrices, best.gain * (1.0 + tolerance))
        w = w[(w > lo) & (w < hi)]
        if not w.size:
            break
        further = _best(form, _with_middles(np.concatenate([[lo], w, [hi if np.isfinite(hi) else 2.0 * w[-1]]])))
        if further.gain <= best.gain * (1.0 + tolerance):
            break
        best = further
    return best


def modal(system: Matrices) -> Modal:
    """The same system with ``A`` in blocks of single poles and of pairs, balanced.

    Where the eigenvectors are nearly dependent (poles that meet) the balanced system itself is returned.
    """
    A, B, C, D = system = balanced(system)
    if not A.size:
        return Modal(system, np.zeros(0, dtype=complex))
    poles, V = np.linalg.eig(A)
    poles = poles.astype(complex)
    try:
        inverse = np.linalg.inv(V)
    except np.linalg.LinAlgError:
        return Modal(system, poles)
    if not np.linalg.norm(V) * np.linalg.norm(inverse) < _DEFECTIVE:
        return Modal(system, poles)
    into, out = inverse @ B.astype(complex), C @ V
    # The real form of a pair: z = x - jy with x, y real is (x, y), as eigenvectors come in conjugate pairs.
    pair = np.flatnonzero(poles.imag > 0.0)
    blocks, b, c = np.diag(poles.real), into.real.copy(), out.real.copy()
    blocks[pair, pair + 1], blocks[pair + 1, pair] = poles.imag[pair], -poles.imag[pair]
    b[pair], b[pair + 1] = 2.0 * into.real[pair], -2.0 * into.imag[pair]
    c[:, pair + 1] = out.imag[:, pair]
    rows, columns = np.linalg.norm(b, axis=1), np.linalg.norm(c, axis=0)
    rows[pair] = rows[pair + 1] = np.hypot(rows[pair], rows[pair + 1])
    columns[pair] = columns[pair + 1] = np.hypot(columns[pair], columns[pair + 1])
    t = np.sqrt(np.where((rows > 0.0) & (columns > 0.0), rows / np.maximum(columns, 1e-300), 1.0))
    return Modal((blocks, b / t[:, None], c * t, D), poles, (out.astype(complex), into))


def gain_peaks(system: Matrices | Modal, best: Peak, band: Band = _WHOLE, fraction: float = 0.9) -> list[Peak]:
    """All local maxima of the gain within a band above ``fraction`` of its largest one, that one first."""
    lo, hi = band
    level = best.gain * fraction
    form = system if isinstance(system, Modal) else modal(system)
    if not form.poles.size or best.gain == 0.0:
        return [best]
    w = level_frequencies(form.matrices, level)
    w = w[(w > lo) & (w < hi)]
    last = hi if np.isfinite(hi) else 2.0 * max(w.max(initial=0.0), lo)
    w = np.union1d(_with_middles(np.concatenate([[lo], w, [last]])), [hi])
    g = form.gains(w)
    peaks = [best]
    for k in np.flatnonzero(g >= level).tolist():
        low, high = w[max(k - 1, 0)], w[min(k + 1, len(w) - 1)]
        if (g[k] <= g[max(k - 1, 0)] and k > 0) or g[k] < g[min(k + 1, len(w) - 1)]:
            continue  # on the slope of a neighbour
        peak = _refine(form, Peak(float(w[k]), float(g[k])), (low, high))
        if not any(np.isclose(peak.omega, p.omega, rtol=_SAME, atol=0.0) for p in peaks):
            peaks.append(peak)
    return sorted(peaks, key=lambda peak: -peak.gain)


def level_frequencies(system: Matrices, level: float) -> Array:
    """Frequencies near which a singular value may equal ``level``, ascending.

    These are the eigenvalues of the Hamiltonian that lie on the imaginary axis, or so near to it that rounding may
    have moved them. Where the level is a singular value of ``D`` or close to one, that matrix does not exist; the
    eigenvalues are then those of the pencil from which it is made.
    """
    A, B, C, D = system
    # Scaling to a level of one, with inputs and outputs of equal size, keeps the eigenvalues of large gains accurate.
    b, c = np.linalg.norm(B), np.linalg.norm(C)
    s = np.sqrt(c / b) if b > 0 and c > 0 else 1.0
    B, C, D = B * s / np.sqrt(level), C / (s * np.sqrt(level)), D / level
    if np.any(D) and np.abs(np.linalg.svd(D, compute_uv=False) - 1.0).min(initial=1.0) < _SINGULAR:
        eigenvalues = _pencil_eigenvalues(A, B, C, D)
    else:
        n = len(A)
        Ri = np.linalg.inv(np.eye(D.shape[1]) - D.T @ D)
        F = A + B @ (Ri @ D.T) @ C
        H = np.empty((2 * n, 2 * n))
        H[:n, :n], H[:n, n:] = F, B @ Ri @ B.T
        H[n:, :n], H[n:, n:] = -C.T @ (np.eye(D.shape[0]) + D @ Ri @ D.T) @ C, -F.T
        eigenvalues = np.asarray(np.linalg.eigvals(H), dtype=complex)
    close = np.abs(eigenvalues.real) <= _NEAR_AXIS * np.abs(eigenvalues)
    return np.unique(np.abs(eigenvalues[close].imag))


def _pencil_eigenvalues(A: Array, B: Array, C: Array, D: Array) -> NDArray[np.complex128]:
    """Finite ``s`` with ``G(-s)^T G(s) u = u``: ``s x = A x + B u``, ``s p = -A^T p - C^T y``, ``u``, ``y`` as rows."""
    from scipy.linalg import eigvals

    n, m, p = len(A), B.shape[1], C.shape[0]
    pencil = np.zeros((2 * n + m + p, 2 * n + m + p))
    x, costate, u, y = (slice(k, k + size) for k, size in ((0, n), (n, n), (2 * n, m), (2 * n + m, p)))
    pencil[x, x], pencil[x, u] = A, B
    pencil[costate, costate], pencil[costate, y] = -A.T, -C.T
    pencil[u, costate], pencil[u, u], pencil[u, y] = B.T, -np.eye(m), D.T
    pencil[y, x], pencil[y, u], pencil[y, y] = C, D, -np.eye(p)
    moving = np.diag(np.repeat([1.0, 0.0], [2 * n, m + p]))
    alpha, beta = eigvals(pencil, moving, homogeneous_eigvals=True)
    finite = np.abs(beta) > 1e-300
    return np.asarray(alpha[finite] / beta[finite], dtype=complex)


def _first_candidates(poles: NDArray[Any], near: Iterable[float], band: Band) -> Array:
    """Ends of the band, frequencies of the poles and of their resonances, between them, and those of the caller."""
    poles = poles[poles.imag >= 0]
    resonant = poles.imag**2 - poles.real**2
    w = np.unique([*np.abs(poles), *poles.imag, *np.sqrt(np.maximum(resonant, 0.0)), *near])
    return np.unique(np.clip([*band, *_with_middles(w)], *band))


def _with_middles(w: Array) -> Array:
    """Ascending frequencies, and the arithmetic and geometric means of neighbours."""
    low, high = w[:-1], w[1:]
    return np.unique(np.concatenate([w, (low + high) / 2.0, np.sqrt(low * high)]))


def _best(form: Modal, frequencies: Array) -> Peak:
    g = form.gains(frequencies)
    k = int(g.argmax())
    return Peak(float(frequencies[k]), float(g[k]))


def _refine(form: Modal, peak: Peak, band: Band) -> Peak:
    """Climb to the local maximum next to a peak (golden section and parabolas on the logarithm of the frequency)."""
    from scipy.optimize import minimize_scalar

    lo, hi = band
    w0 = peak.omega
    if not np.isfinite(w0) or w0 <= 0.0:
        return peak
    best, width = peak, 0.05
    for _ in range(3):
        a, b = max(lo, w0 * np.exp(-width), 1e-300), min(hi, w0 * np.exp(width))
        if not a < b:
            return best
        peak_at: OptimizeResult = minimize_scalar(
            lambda x: -form.gains(np.exp([x]))[0],
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
