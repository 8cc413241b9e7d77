"""Lower bounds with real and complex blocks together.

With the real blocks closed at ``delta``, the remaining system has a structured singular value ``g(delta)`` of complex
blocks, so that ``min(1 / max |delta|, g(delta))`` bounds that of the whole from below. It is maximised by projected
gradient ascent in a box, which is shrunk along the ray to the point found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import thread_time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dalembert.control.mu.lower import WorstCase, complex_direction
from dalembert.control.norms import Matrices, modal, peak_gain, response
from dalembert.control.uncertain.blocks import DeltaBlock, slices
from dalembert.control.uncertain.reduction import singular
from dalembert.core.types import Array

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

__all__ = ["GainInBox", "mixed_in_box", "mixed_lower_bound", "worst_gain_in_box", "worst_mixed"]

Complex = NDArray[np.complex128]
ValueAndSlope = Callable[[Array], tuple[float, Array]]


def _repeated(blocks: Sequence[DeltaBlock], delta: Array) -> Array:
    """The diagonal of real blocks."""
    return np.repeat(delta, [b.size for b in blocks])


class _Partial:
    """A matrix whose real blocks are closed: the matrix that the other blocks see, and its derivatives."""

    def __init__(self, M: Complex, blocks: Sequence[DeltaBlock]) -> None:
        real = [i for b, s in slices(blocks) if b.kind == "real" for i in range(s.start, s.stop)]
        rest = [i for b, s in slices(blocks) if b.kind != "real" for i in range(s.start, s.stop)]
        self.M11, self.M12 = M[np.ix_(real, real)], M[np.ix_(real, rest)]
        self.M21, self.M22 = M[np.ix_(rest, real)], M[np.ix_(rest, rest)]
        self.real = [b for b in blocks if b.kind == "real"]
        self.rest = [b for b in blocks if b.kind != "real"]
        self.parts = list(slices(self.real))

    def value(self, delta: Array) -> tuple[float, Array]:
        """Lower bound of the complex blocks, and its gradient; infinite where the real blocks alone are singular."""
        d = _repeated(self.real, delta)
        inner = np.eye(len(d)) - self.M11 * d[None, :]
        if singular(inner):
            return np.inf, np.zeros(len(delta))
        right = np.linalg.solve(inner, self.M12)  # dM = left dDelta right
        left = self.M21 @ np.linalg.inv(np.eye(len(d)) - d[:, None] * self.M11)
        g, row, column = complex_direction(self.M22 + (self.M21 * d[None, :]) @ right, self.rest)
        into, out = row @ left, right @ column
        return g, np.array([float(np.real(into[s] @ out[s])) for _, s in self.parts])


def mixed_lower_bound(
    M: NDArray[Any], blocks: Sequence[DeltaBlock], *, starts: int = 4, seed: int = 0
) -> tuple[float, Array]:
    """Lower bound of a matrix with real and complex blocks, and the values of the real ones."""
    count = sum(b.kind == "real" for b in blocks)
    return _raise(_Partial(np.asarray(M, dtype=complex), blocks).value, count, starts, seed)


def mixed_in_box(M: NDArray[Any], blocks: Sequence[DeltaBlock], *, starts: int = 6, seed: int = 0) -> float:
    """Largest bound of the complex blocks that was found with the real ones between -1 and 1."""
    partial, rng = _Partial(np.asarray(M, dtype=complex), blocks), np.random.default_rng(seed)
    k = len(partial.real)
    begin = [np.zeros(k), *(rng.uniform(-1.0, 1.0, k) for _ in range(starts - 1))]
    return max(_climb(partial.value, delta, 1.0, np.inf)[1] for delta in begin)


def _raise(value: ValueAndSlope, count: int, starts: int, seed: int, deadline: float = np.inf) -> tuple[float, Array]:
    """Largest ``min(1 / max |delta|, value(delta))`` that was found."""
    rng = np.random.default_rng(seed)
    best, at = value(np.zeros(count))[0], np.zeros(count)
    for attempt in range(starts):
        reach = min(1.0 / max(best, 1e-6), 100.0)
        delta = reach * (rng.uniform(-1.0, 1.0, count) if attempt else np.full(count, 1e-3))
        for _ in range(20):
            if thread_time() > deadline:
                return best, at
            delta, g = _climb(value, delta, reach, deadline)
            if g <= best * (1.0 + 1e-9):
                break
            level, delta = _on_ray(value, delta)
            if level <= best * (1.0 + 1e-6):
                break
            best, at = level, delta
            reach = 1.0 / best
    return float(best), at


def _climb(value: ValueAndSlope, delta: Array, reach: float, deadline: float) -> tuple[Array, float]:
    """Projected gradient ascent in a box."""
    g, slope = value(delta)
    step = 0.5 * reach
    for _ in range(40):
        size = float(np.abs(slope).max(initial=0.0))
        if size == 0.0 or not np.isfinite(g) or thread_time() > deadline:
            break
        trial = np.clip(delta + step * slope / size, -reach, reach)
        better, gradient = value(trial)
        if better > g * (1.0 + 1e-9):
            delta, g, slope, step = trial, better, gradient, min(2.0 * step, reach)
        else:
            step *= 0.35
            if step < 1e-5 * reach:
                break
    return delta, g


def _on_ray(value: ValueAndSlope, delta: Array) -> tuple[float, Array]:
    """The best point on the ray to ``delta``: where ``1 / max |delta|`` and the value meet."""
    size = float(np.abs(delta).max(initial=0.0))
    if size == 0.0:
        return value(delta)[0], delta
    low, high = 0.0, 1.0
    if value(delta)[0] < 1.0 / size:
        return value(delta)[0], delta
    for _ in range(30):
        middle = (low + high) / 2.0
        low, high = (low, middle) if value(middle * delta)[0] >= 1.0 / (middle * size) else (middle, high)
    return min(1.0 / (high * size), value(high * delta)[0]), high * delta


class _ClosedGain:
    """Largest gain over all frequencies of a system whose real blocks are closed; infinite where it is unstable."""

    def __init__(self, system: Matrices, blocks: Sequence[DeltaBlock]) -> None:
        self.real = [b for b in blocks if b.kind == "real"]
        n = sum(b.size for b in self.real)
        A, B, C, D = system
        self.A, self.B1, self.B2, self.C1, self.C2 = A, B[:, :n], B[:, n:], C[:n], C[n:]
        self.D11, self.D12, self.D21, self.D22 = D[:n, :n], D[:n, n:], D[n:, :n], D[n:, n:]
        self.parts = list(slices(self.real))
        self.omega = 0.0

    def value(self, delta: Array) -> tuple[float, Array]:
        """The gain and its gradient."""
        d = _repeated(self.real, delta)
        none = np.inf, np.zeros(len(delta))
        inner = np.eye(len(d)) - self.D11 * d[None, :]
        if singular(inner):
            return none
        C, D = np.linalg.solve(inner, self.C1), np.linalg.solve(inner, self.D12)
        closed = (
            self.A + (self.B1 * d) @ C,
            self.B2 + (self.B1 * d) @ D,
            self.C2 + (self.D21 * d) @ C,
            self.D22 + (self.D21 * d) @ D,
        )
        form = modal(closed)
        if form.poles.real.max(initial=-1.0) >= 0.0:
            return none
        peak = peak_gain(form, tolerance=1e-7)
        self.omega = peak.omega
        out = np.linalg.inv(np.eye(len(d)) - d[:, None] * self.D11)
        left, right = self.D21 @ out, D
        if np.isfinite(peak.omega) and closed[0].size:
            pencil = 1j * peak.omega * np.eye(len(closed[0])) - closed[0]
            left = left + closed[2] @ np.linalg.solve(pencil, self.B1 @ out)
            right = right + C @ np.linalg.solve(pencil, closed[1].astype(complex))
        T = response(closed, [peak.omega])[0]
        U, sigma, Vh = np.linalg.svd(T)
        into, back = U[:, 0].conj() @ left, right @ Vh[0].conj()
        return float(sigma[0]), np.array([float(np.real(into[s] @ back[s])) for _, s in self.parts])


@dataclass(frozen=True)
class GainInBox:
    """The largest gain that was found in the box of real blocks between -1 and 1."""

    gain: float
    values: dict[str, float]
    omega: float


def worst_gain_in_box(
    system: Matrices, blocks: Sequence[DeltaBlock], *, starts: int = 6, seed: int = 0, seconds: float = 10.0
) -> GainInBox:
    """Climb to the largest gain between the inputs and outputs behind those of the blocks; infinite if unstable."""
    closed, rng, deadline = _ClosedGain(system, blocks), np.random.default_rng(seed), thread_time() + seconds
    k = len(closed.real)
    best = GainInBox(0.0, {}, 0.0)
    for attempt in range(starts):
        delta = np.zeros(k) if attempt == 0 else rng.choice([-1.0, 1.0], k) * rng.uniform(0.3, 1.0, k)
        delta, g = _climb(closed.value, delta, 1.0, deadline)
        if g > best.gain:
            closed.value(delta)
            best = GainInBox(g, {b.name: float(x) for b, x in zip(closed.real, delta, strict=True)}, closed.omega)
        if np.isinf(g) or thread_time() > deadline:
            break
    return best


def worst_mixed(
    system: Matrices, blocks: Sequence[DeltaBlock], frequencies: Array, *, seconds: float = 10.0, seed: int = 0
) -> WorstCase | None:
    """Lower bound of a system with real and complex blocks: values of the real ones, and the frequency.

    With one full block the gain over all frequencies is followed; otherwise the best of the frequencies is refined.
    """
    from scipy.optimize import minimize_scalar

    deadline = thread_time() + seconds
    count = sum(b.kind == "real" for b in blocks)
    names = [b.name for b in blocks if b.kind == "real"]
    rest = [b for b in blocks if b.kind != "real"]
    if len(rest) == 1 and rest[0].kind == "full" and [b.kind for b in blocks][-1] == "full":
        closed = _ClosedGain(system, blocks)
        bound, delta = _raise(closed.value, count, 4, seed, deadline)
        if not bound > 0.0:
            return None
        closed.value(delta)
        return WorstCase(dict(zip(names, delta.tolist(), strict=True)), 1.0 / bound, closed.omega)
    best: tuple[float, Array, float] = (0.0, np.zeros(count), 0.0)
    there = response(system, frequencies)
    # Time is best spent where the response is largest.
    for k in np.argsort([-float(np.linalg.norm(M, 2)) for M in there]):
        if thread_time() > deadline:
            break
        w = float(frequencies[k])
        bound, delta = mixed_lower_bound(there[k], blocks, starts=2, seed=seed)
        if bound > best[0]:
            best = (bound, delta, float(w))
    w, fixed = best[2], best[1]
    if 0.0 < w < np.inf:

        def lower(x: float) -> float:
            M = _Partial(response(system, [np.exp(x)])[0], blocks)
            return -min(M.value(fixed)[0], 1.0 / max(float(np.abs(fixed).max(initial=0.0)), 1e-9))

        peak: OptimizeResult = minimize_scalar(lower, bounds=(np.log(w / 1.5), np.log(1.5 * w)), method="bounded")
        if -peak.fun > best[0]:
            best = (float(-peak.fun), fixed, float(np.exp(peak.x)))
    if best[0] <= 0.0:
        return None
    return WorstCase(dict(zip(names, best[1].tolist(), strict=True)), 1.0 / best[0], best[2])
