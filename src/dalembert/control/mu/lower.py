"""Lower bounds of structured singular values: uncertainties that destabilise, found and shown.

Real blocks: the spectral abscissa is maximised over the box of the parameters, and the box shrunk until it fails.
Complex blocks: the power iteration of Packard, Fan and Doyle at one frequency.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import thread_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.control.mu.scalings import Complex
from dalembert.control.norms import Matrices
from dalembert.control.uncertain.blocks import DeltaBlock, slices
from dalembert.control.uncertain.reduction import singular
from dalembert.core.renamed import renamed
from dalembert.core.types import Array

__all__ = ["WorstCase", "complex_direction", "complex_lower_bound", "destabilising", "most_unstable"]


@renamed("rad/s", frequency="omega")
@dataclass(frozen=True)
class WorstCase:
    """Values of real blocks on the brink of instability.

    Parameters
    ----------
    values
        Numbers of the blocks by name.
    size
        The largest magnitude among them; ``1 / size`` is a lower bound.
    omega
        Angular frequency at which the poles cross [rad/s]; infinite if the equations lose their solution.
    """

    values: dict[str, float]
    size: float
    omega: float


class _Loop:
    """Poles of a system with real blocks closed, and their derivatives."""

    def __init__(self, system: Matrices, blocks: Sequence[DeltaBlock]) -> None:
        n = sum(b.size for b in blocks)
        A, B, C, D = system
        self.A, self.B, self.C, self.D = A, B[:, :n], C[:n], D[:n, :n]
        self.parts = list(slices(blocks))

    def abscissa(self, d: Array) -> tuple[float, Array, float]:
        """Largest real part of the poles, its gradient and the frequency; infinite where the loop is not well posed."""
        full = np.concatenate([np.full(b.size, x) for (b, _), x in zip(self.parts, d, strict=True)])
        inner = np.eye(len(full)) - self.D * full[None, :]
        if singular(inner):
            return np.inf, np.zeros(len(d)), np.inf
        right = np.linalg.solve(inner, self.C)
        left = self.B @ np.linalg.inv(np.eye(len(full)) - full[:, None] * self.D)
        poles, V = np.linalg.eig(self.A + self.B @ (full[:, None] * right))
        k = int(poles.real.argmax())
        try:
            row = np.linalg.inv(V)[k]
        except np.linalg.LinAlgError:
            return float(poles[k].real), np.zeros(len(d)), float(abs(poles[k].imag))
        into, out = row @ left, right @ V[:, k]
        slope = np.array([float(np.real(into[s] @ out[s])) for _, s in self.parts])
        return float(poles[k].real), slope, float(abs(poles[k].imag))


def destabilising(
    system: Matrices, blocks: Sequence[DeltaBlock], *, seed: int = 0, starts: int = 12, seconds: float = 10.0
) -> WorstCase | None:
    """Smallest destabilising values of real blocks that were found; None if there were none up to a size of 100."""
    loop, rng, began = _Loop(system, blocks), np.random.default_rng(seed), thread_time()
    k = len(loop.parts)
    best: tuple[float, Array, float] | None = None
    radius = 100.0
    for attempt in range(starts):
        if thread_time() - began > seconds or (best is None and attempt > 5):
            break
        corner = rng.choice([-1.0, 1.0], size=k) if attempt else np.ones(k)
        reach = radius if best is None else 0.98 * best[0]
        for _ in range(40):
            unstable = _climb(loop, reach * corner * rng.uniform(0.2, 1.0, size=k), reach, began, seconds)
            if unstable is None:
                if best is not None or reach < 1e-3:
                    break
                reach *= 0.5 if attempt < 3 else 0.1  # where nothing was found at all the search becomes coarse
                continue
            d, w = _brink(loop, unstable)
            best = (float(np.abs(d).max()), d, w)
            reach, corner = 0.98 * best[0], np.sign(d) + (d == 0)
            if thread_time() - began > seconds:
                break
    if best is None:
        return None
    names = [b.name for b, _ in loop.parts]
    return WorstCase(dict(zip(names, best[1].tolist(), strict=True)), best[0], best[2])


def most_unstable(system: Matrices, blocks: Sequence[DeltaBlock], values: dict[str, float]) -> dict[str, float]:
    """Values between -1 and 1 at which the loop is more unstable than at those given: a climb to the next maximum."""
    loop = _Loop(system, blocks)
    d = np.array([values[b.name] for b, _ in loop.parts])
    value, slope, _ = loop.abscissa(d)
    step = 0.25
    for _ in range(40):
        size = float(np.abs(slope).max(initial=0.0))
        if size == 0.0 or not np.isfinite(value) or step < 1e-3:
            break
        trial = np.clip(d + step * slope / size, -1.0, 1.0)
        better, gradient, _ = loop.abscissa(trial)
        if better > value:
            d, value, slope, step = trial, better, gradient, min(2.0 * step, 0.5)
        else:
            step *= 0.4
    return {b.name: float(x) for (b, _), x in zip(loop.parts, d, strict=True)}


def _climb(loop: _Loop, d: Array, reach: float, began: float, seconds: float) -> Array | None:
    """Unstable values within a box, by projected gradient ascent of the abscissa."""
    value, slope, _ = loop.abscissa(d)
    step = 0.5 * reach
    for _ in range(60):
        if value >= 0.0:
            return d
        if thread_time() - began > seconds:
            return None
        size = float(np.abs(slope).max())
        if size == 0.0:
            return None
        trial = np.clip(d + step * slope / size, -reach, reach)
        better, gradient, _ = loop.abscissa(trial)
        if better > value + 1e-12 * abs(value):
            d, value, slope, step = trial, better, gradient, min(2.0 * step, reach)
        else:
            step *= 0.4
            if step < 1e-6 * reach:
                return None
    return None


def _brink(loop: _Loop, d: Array) -> tuple[Array, float]:
    """The point on the ray to ``d`` where stability is lost first."""
    low, high = 0.0, 1.0
    for s in np.linspace(0.0, 1.0, 41)[1:]:
        if loop.abscissa(s * d)[0] >= 0.0:
            high = float(s)
            break
        low = float(s)
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (low, middle) if loop.abscissa(middle * d)[0] >= 0.0 else (middle, high)
    return high * d, loop.abscissa(high * d)[2]


def complex_lower_bound(
    M: NDArray[Any], blocks: Sequence[DeltaBlock], *, iterations: int = 100, starts: int = 5, seed: int = 0
) -> float:
    """Lower bound for complex and full blocks by power iteration: the spectral radius of ``Q M``, ``Q`` unitary."""
    return complex_direction(M, blocks, iterations=iterations, starts=starts, seed=seed)[0]


def complex_direction(
    M: NDArray[Any], blocks: Sequence[DeltaBlock], *, iterations: int = 40, starts: int = 2, seed: int = 0
) -> tuple[float, NDArray[Any], NDArray[Any]]:
    """Lower bound for complex and full blocks, with ``row`` and ``column``: it changes by ``Re(row dM column)``."""
    M = np.asarray(M, dtype=complex)
    n = M.shape[0]
    if len(blocks) == 1 and blocks[0].kind == "full":
        U, sigma, Vh = np.linalg.svd(M)
        return float(sigma[0]), U[:, 0].conj(), Vh[0].conj()
    best: tuple[float, NDArray[Any]] = (-1.0, np.eye(n))
    for Q in _candidates(M, blocks, iterations, starts, seed):
        radius = float(np.abs(np.linalg.eigvals(Q @ M)).max())
        if radius > best[0]:
            best = (radius, Q)
    radius, Q = best
    values, V = np.linalg.eig(Q @ M)
    k = int(np.abs(values).argmax())
    try:
        row = np.linalg.inv(V)[k]
    except np.linalg.LinAlgError:
        return radius, np.zeros(n), np.zeros(n)
    phase = values[k].conj() / max(abs(values[k]), 1e-300)
    return radius, phase * (row @ Q), V[:, k]


def _candidates(
    M: NDArray[Any], blocks: Sequence[DeltaBlock], iterations: int, starts: int, seed: int
) -> Iterator[NDArray[np.complex128]]:
    """Matrices of norm one with the structure of the blocks, by the power iteration from several starts."""
    rng, n = np.random.default_rng(seed), M.shape[0]
    if len(blocks) == 1:
        yield np.eye(n, dtype=complex)
        return
    for attempt in range(starts):
        if attempt == 0:
            _, _, Vh = np.linalg.svd(M)
            b = Vh[0].conj()
        else:
            b = rng.normal(size=n) + 1j * rng.normal(size=n)
        b /= np.linalg.norm(b)
        w, a = b.copy(), b
        for _ in range(iterations):
            a = M @ b
            beta = float(np.linalg.norm(a))
            if beta < 1e-300:
                break
            a /= beta
            z = _align(w, a, blocks)
            w = M.conj().T @ z
            size = float(np.linalg.norm(w))
            if size < 1e-300:
                break
            w /= size
            before, b = b, _align(a, w, blocks)
            if np.abs(b - before).max() < 1e-9:
                break
        yield _turning(a, b, blocks)


def _align(x: Complex, y: Complex, blocks: Sequence[DeltaBlock]) -> Complex:
    """Vector with the direction that the structure allows: phases of repeated blocks, directions of full ones."""
    z = np.zeros_like(y)
    for b, s in slices(blocks):
        if b.kind == "full":
            size = np.linalg.norm(y[s])
            z[s] = np.linalg.norm(x[s]) / size * y[s] if size > 0 else y[s]
        else:
            inner = np.vdot(x[s], y[s])
            z[s] = inner / abs(inner) * x[s] if abs(inner) > 0 else x[s]
    norm = np.linalg.norm(z)
    return z / norm if norm > 0 else y


def _turning(a: Complex, b: Complex, blocks: Sequence[DeltaBlock]) -> Complex:
    """Matrix ``Q`` of norm one that turns ``a`` to ``b``: the spectral radius of ``Q M`` is then a bound."""
    n = len(a)
    Q = np.zeros((n, n), dtype=complex)
    for block, s in slices(blocks):
        if block.kind == "full":
            size = np.linalg.norm(a[s]) * np.linalg.norm(b[s])
            Q[s, s] = np.outer(b[s], a[s].conj()) / size if size > 0 else 0.0
        else:
            inner = np.vdot(a[s], b[s])
            Q[s, s] = (inner / abs(inner) if abs(inner) > 0 else 1.0) * np.eye(block.size)
    return Q
