"""Reduction of linear fractional transformations, free of units, with a bound of the change of each step.

Channels and ports are scaled by powers of two until the logarithms of all entries are near zero in the mean (A. R.
Curtis and J. K. Reid, *On the automatic scaling of matrices for Gaussian elimination*, 1972): this is exact, and the
retained part does not depend on units. Then the blocks are restricted to the subspaces that their inputs reach and
their outputs see (R. D'Andrea and S. Khatri, *Kalman decomposition of linear fractional transformation representations
and minimality*, 1997).

A step from ``(A, B, C)`` to ``(A~, B~, C~)`` has a matrix ``W`` that commutes with the blocks. Were ``A W = W A~``,
``B = W B~`` and ``C W = C~``, both would be the same map. In floating-point arithmetic they differ by residuals ``R``,
and the smaller map is *exactly* that of

    A + R_A W+,    B + R_B,    C + R_C W+,        W+ W = 1.

`lifted` bounds these changes entry by entry, step by step back to the first map, whatever the reduction did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dalembert.control.uncertain.blocks import DeltaBlock, slices
from dalembert.control.uncertain.enclosures import UNIT
from dalembert.core.types import Array

__all__ = [
    "Quad",
    "Reduced",
    "ReductionStep",
    "block_diagonal",
    "cleaned",
    "equal_scales",
    "lifted",
    "outward",
    "reduce_map",
    "relative",
    "residual",
    "scales",
    "similar",
    "singular",
]

_NOTHING = 1e-13  # of a combination of scaled channels: the omitted part counts as an error of the model

KEPT = ("state", "full", "error")  # blocks whose coordinates mean something
Quad = tuple[Array, Array, Array, Array]  # A, B, C, D of a map, or bounds of their changes


@dataclass(frozen=True, eq=False)
class ReductionStep:
    """One step of a reduction, between two maps.

    Parameters
    ----------
    W, inverse
        The matrix of the step, and an approximate left inverse of it.
    before, after
        The maps.
    dual
        Whether the step is one of the transposed maps.
    rounds
        Whether its products are rounded; scalings by powers of two are not.
    """

    W: Array
    inverse: Array
    before: Quad
    after: Quad
    dual: bool
    rounds: bool = True


@dataclass(frozen=True, eq=False)
class Reduced:
    """A map after its reduction, its blocks, and the steps that led to it."""

    matrices: Quad
    blocks: tuple[DeltaBlock, ...]
    steps: tuple[ReductionStep, ...]


def outward(x: Array) -> Array:
    """A bound that was computed in floating-point arithmetic, with room for its own rounding."""
    return np.asarray(x * (1.0 + 1e-9))


def residual(*terms: tuple[Array, ...]) -> Array:
    """Bound of the magnitude of a sum of products, entry by entry, with the rounding of its evaluation."""
    total, rounding = _summed(terms)
    return outward(np.abs(total) + rounding)


def cleaned(*terms: tuple[Array, ...], noise: Array | float = 0.0) -> Array:
    """A sum of products, without the entries that are nothing but rounding; these count as an error."""
    total, rounding = _summed(terms)
    return np.asarray(np.where(np.abs(total) > 2.0 * rounding + noise, total, 0.0))


def _summed(terms: Sequence[tuple[Array, ...]]) -> tuple[Array, Array]:
    """A sum of products, and a bound of its rounding (N. J. Higham, *Accuracy and Stability*, 2002, section 3.5)."""
    total, sizes = np.zeros(1), np.zeros(1)
    inner = 2 * len(terms)
    for factors in terms:
        product, size = factors[0], np.abs(factors[0])
        for factor in factors[1:]:
            product, size, inner = product @ factor, size @ np.abs(factor), inner + 2 * factor.shape[0]
        total, sizes = total + product, sizes + size
    return total, inner * UNIT * sizes


def reduce_map(matrices: Quad, blocks: Sequence[DeltaBlock], tolerance: float) -> Reduced:
    """The same map with as few repetitions as it needs; states, full blocks and error blocks stay.

    Parameters
    ----------
    matrices, blocks
        The map, with blocks of equal names put together.
    tolerance
        Sine of the angle below which a direction lies in a subspace. Zero: only parts that no path of entries joins
        with the ports are left out, which changes nothing.
    """
    A, B, C, D = matrices
    channel, row, column = scales(matrices, blocks)
    A, B, C, D = (
        channel[:, None] * A / channel,
        channel[:, None] * B * column,
        row[:, None] * C / channel,
        row[:, None] * D * column,
    )
    blocks, steps = list(blocks), []

    def take(W: Array, inverse: Array, dual: bool) -> None:
        nonlocal A, B, C
        before = (A, B, C, D)
        left, right = (W.T, inverse.T) if dual else (inverse, W)
        A, B, C = cleaned((left, A, right)), cleaned((left, B)), cleaned((C, right))
        steps.append(ReductionStep(W, inverse, before, (A, B, C, D), dual))

    while True:
        size = sum(b.size for b in blocks)
        for dual in (False, True):
            given = (A.T, C.T) if dual else (A, B)
            bases = _structural(*given, blocks) if tolerance == 0.0 else _reachable(*given, blocks, tolerance)
            if all(X.shape[1] == X.shape[0] for X in bases):
                continue
            chosen = [_interpolated(X) for X in bases]
            take(block_diagonal(*(W for W, _ in chosen)), block_diagonal(*(P for _, P in chosen)), dual)
            blocks = [replace(b, size=X.shape[1]) for b, X in zip(blocks, bases, strict=True)]
        if sum(b.size for b in blocks) == size:
            break
    kept = tuple(b for b in blocks if b.size or b.kind == "error")
    undone = [
        ReductionStep(s.W, s.inverse, _unscaled(s.before, row, column), _unscaled(s.after, row, column), s.dual)
        for s in steps
    ]
    scaled = undone[0].before if undone else _unscaled((A, B, C, D), row, column)
    first = ReductionStep(np.diag(1.0 / channel), np.diag(channel), matrices, scaled, False, rounds=False)
    small = _unscaled((A, B, C, D), row, column)
    even = _even(small, blocks)
    after = (even[:, None] * small[0] / even, even[:, None] * small[1], small[2] / even, matrices[3])
    last = ReductionStep(np.diag(1.0 / even), np.diag(even), small, after, False, rounds=False)
    return Reduced(after, kept, (first, *undone, last))


def similar(matrices: Quad, blocks: Sequence[DeltaBlock]) -> Quad:
    """The same map in balanced coordinates of its repeated blocks."""
    A, B, C, D = matrices
    W, inverse = _balance(matrices, blocks)
    return inverse @ A @ W, inverse @ B, C @ W, D


def lifted(steps: Sequence[ReductionStep], change: Quad) -> Quad:
    """Bounds of the changes of the first map that make it exactly the last one, itself changed within bounds."""
    for step in reversed(steps):
        before, after = step.before, step.after
        if step.dual:
            before, after = _transposed(before), _transposed(after)
            change = _transposed(change)
        (A, B, C, _), (a, b, c, _) = before, after
        W, size = step.W, np.abs(step.W)
        back = _left_inverse(step)
        E_a, E_b, E_c, E_d = change
        R_a, R_b, R_c = (residual((W, a), (-A, W)), residual((W, b), (-B,)), residual((c,), (-C, W)))
        if not step.rounds:
            R_a, R_b, R_c = (np.zeros_like(R) for R in (R_a, R_b, R_c))
        change = (
            outward((R_a + size @ E_a) @ back),
            outward(R_b + size @ E_b),
            outward((R_c + E_c) @ back),
            E_d,
        )
        if step.dual:
            change = _transposed(change)
    return change


def singular(matrix: NDArray[np.inexact], limit: float = 1e14) -> bool:
    """Whether equations have no solution to speak of, whatever the units of their rows and columns.

    The spectral radius of ``|M^-1| |M|`` (F. L. Bauer, 1966) is the condition number under the best scaling.
    """
    if not matrix.size:
        return False
    try:
        inverse = np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return True
    product = np.abs(inverse) @ np.abs(matrix)
    return not (np.isfinite(product).all() and float(np.abs(np.linalg.eigvals(product)).max()) <= limit)


def block_diagonal(*blocks: Array) -> Array:
    """Blocks along the diagonal of a matrix."""
    rows, columns = sum(p.shape[0] for p in blocks), sum(p.shape[1] for p in blocks)
    M, i, j = np.zeros((rows, columns)), 0, 0
    for p in blocks:
        M[i : i + p.shape[0], j : j + p.shape[1]] = p
        i, j = i + p.shape[0], j + p.shape[1]
    return M


def _transposed(quad: Quad) -> Quad:
    A, B, C, D = quad
    return A.T, C.T, B.T, D.T


def _unscaled(quad: Quad, row: Array, column: Array) -> Quad:
    """A map in the units of its ports; powers of two, so that nothing is rounded."""
    A, B, C, D = quad
    return A, B / column, C / row[:, None], D / column / row[:, None]


def _left_inverse(step: ReductionStep) -> Array:
    """Bound of the magnitude of the exact left inverse ``(X W)^-1 X`` near the approximate one."""
    X, k = step.inverse, step.W.shape[1]
    if not (k and step.rounds):
        return np.abs(X)
    defect = residual((X, step.W), (-np.eye(k),))
    size = float(defect.sum(axis=1).max())  # (1 + F)^-1 - 1 is at most |F| + size^2 / (1 - size) in every entry
    if not size < 0.5:
        return np.full(X.shape, np.inf)
    return outward(np.abs(X) + (defect + 2.0 * size**2) @ np.abs(X))


def scales(matrices: Quad, blocks: Sequence[DeltaBlock], sweeps: int = 30) -> tuple[Array, Array, Array]:
    """Powers of two for channels, output ports and input ports; kept blocks are not scaled."""
    A, B, C, D = matrices
    n, m, p = A.shape[0], B.shape[1], C.shape[0]
    whole = np.abs(np.block([[A, B], [C, D]]))
    some = whole > 0.0
    log = np.log2(np.where(some, whole, 1.0))
    rows, columns = np.zeros(n + p), np.zeros(n + m)
    fixed = np.concatenate([np.full(b.size, b.kind in KEPT) for b in blocks]) if n else np.zeros(0, dtype=bool)

    def mean(values: Array, axis: int) -> Array:
        return np.asarray(np.where(some, values, 0.0).sum(axis=axis) / np.maximum(some.sum(axis=axis), 1))

    for _ in range(sweeps):
        rows[n:] -= mean(log + rows[:, None] + columns, 1)[n:]
        columns[n:] -= mean(log + rows[:, None] + columns, 0)[n:]
        now = log + rows[:, None] + columns
        shift = np.where(fixed, 0.0, 0.5 * (mean(now, 0)[:n] - mean(now, 1)[:n]))
        rows[:n] += shift
        columns[:n] -= shift
    channel, row, column = (np.exp2(np.round(np.clip(x, -900, 900))) for x in (rows[:n], rows[n:], columns[n:]))
    return channel, row, column


def equal_scales(matrix: Array) -> tuple[Array, Array]:
    """Powers of two for rows and columns of a matrix, with which the logarithms of its entries are near zero."""
    p, m = matrix.shape
    _, row, column = scales((np.zeros((0, 0)), np.zeros((0, m)), np.zeros((p, 0)), matrix), ())
    return row, column


def relative(error: Array, sizes: Array) -> float:
    """The largest entry of an error, with rows and columns in units in which the largest size of each is one.

    Such units are found by equilibration (D. Ruiz, *A scaling algorithm to equilibrate both rows and columns norms in
    matrices*, 2001).
    """
    if not np.isfinite(error).all():
        return np.inf
    for _ in range(40):
        for axis in (1, 0):
            largest = np.sqrt(sizes.max(axis=axis, keepdims=True, initial=0.0))
            unit = np.where(largest > 0.0, largest, 1.0)
            error, sizes = error / unit, sizes / unit
    return float(error.max(initial=0.0))


def _structural(A: Array, B: Array, blocks: Sequence[DeltaBlock]) -> list[Array]:
    """Unit vectors of the channels that a path of entries joins with the ports."""
    reached = np.concatenate([np.full(b.size, b.kind in KEPT) for b in blocks]) if blocks else np.zeros(0, dtype=bool)
    reached = reached | (B != 0.0).any(axis=1)
    while True:
        more = reached | ((A != 0.0) & reached[None, :]).any(axis=1)
        if (more == reached).all():
            break
        reached = more
    return [np.eye(b.size)[:, reached[s]] for b, s in slices(blocks)]


def _reachable(A: Array, B: Array, blocks: Sequence[DeltaBlock], tolerance: float) -> list[Array]:
    """Bases of the smallest subspaces, one per block, that hold the range of B and are invariant together under A."""
    bases = [np.eye(b.size) if b.kind in KEPT else np.zeros((b.size, 0)) for b in blocks]
    rounding = 8.0 * (len(A) + 2) * UNIT
    while True:
        W = block_diagonal(*bases) if bases else np.zeros((0, 0))
        Y = np.hstack([B, A @ W])
        noise = np.hstack([np.zeros_like(B), rounding * np.abs(A) @ np.abs(W)])
        larger = []
        for (b, s), X in zip(slices(blocks), bases, strict=True):
            new = X if b.kind in KEPT else np.hstack([X, _new_directions(X, Y[s], noise[s], tolerance)])
            larger.append(new)
        if all(a.shape == b.shape for a, b in zip(larger, bases, strict=True)):
            return bases
        bases = larger


def _new_directions(X: Array, Y: Array, noise: Array, tolerance: float) -> Array:
    """Orthonormal directions of the columns of Y outside of the span of X; each column counts by its own size."""
    length = np.linalg.norm(Y, axis=0)
    some = length > np.linalg.norm(noise, axis=0)
    Y = Y[:, some] / length[some]
    rest = Y - X @ (X.T @ Y)
    rest -= X @ (X.T @ rest)
    left = np.linalg.norm(rest, axis=0)
    rest = rest[:, left > tolerance] / left[left > tolerance]
    if not rest.size:
        return np.zeros((Y.shape[0], 0))
    return _orthonormal(rest, X, tolerance)


def _orthonormal(columns: Array, X: Array, tolerance: float) -> Array:
    """Directions of columns of length one, the longest remainder first, so that separate ones stay separate."""
    found = np.zeros((len(columns), 0))
    while found.shape[1] < X.shape[0] - X.shape[1]:
        left = np.linalg.norm(columns, axis=0)
        k = int(left.argmax())
        if left[k] <= tolerance:
            break
        basis = np.hstack([X, found])
        direction = columns[:, k] / left[k]
        for _ in range(2):
            direction = direction - basis @ (basis.T @ direction)
        direction /= np.linalg.norm(direction)
        found = np.hstack([found, direction[:, None]])
        columns = columns - np.outer(direction, direction @ columns)
    return found


def _interpolated(X: Array) -> tuple[Array, Array]:
    """The same subspace in a choice of channels: a matrix with rows of the identity, and the choice of these rows.

    The other channels are combinations of the chosen ones; only these combinations are rounded.
    """
    from scipy.linalg import qr

    k, r = X.shape
    if r == 0 or r == k:
        return (X, X.T) if r == 0 else (np.eye(k), np.eye(k))
    chosen = np.sort(qr(X.T, mode="r", pivoting=True)[1][:r])
    W = X @ np.linalg.inv(X[chosen])
    W[np.abs(W) < _NOTHING] = 0.0
    W[chosen] = np.eye(r)
    return W, np.eye(k)[chosen]


def _even(matrices: Quad, blocks: Sequence[DeltaBlock], sweeps: int = 20) -> Array:
    """Powers of two for channels with which inputs and outputs have nearly equal size."""
    A, B, C, _ = matrices
    n = len(A)
    scale = np.ones(n)
    fixed = np.concatenate([np.full(b.size, b.kind in KEPT) for b in blocks]) if n else np.zeros(0, dtype=bool)
    for _ in range(sweeps):
        M = scale[:, None] * A / scale
        into = np.hypot(np.linalg.norm(M, axis=1), np.linalg.norm(scale[:, None] * B, axis=1))
        out = np.hypot(np.linalg.norm(M, axis=0), np.linalg.norm(C / scale, axis=0))
        some = (into > 0.0) & (out > 0.0) & ~fixed
        scale = np.where(some, scale * np.sqrt(np.where(some, out, 1.0) / np.where(some, into, 1.0)), scale)
    return np.asarray(np.exp2(np.round(np.log2(scale))))


def _balance(matrices: Quad, blocks: Sequence[DeltaBlock], sweeps: int = 8) -> tuple[Array, Array]:
    """Coordinates of the repeated blocks in which inputs and outputs have equal size, and the inverse.

    A similarity of each repeated block leaves the map as it is; without it evaluations lose digits, and bounds of
    structured singular values are far off.
    """
    A, B, C, D = matrices
    n = A.shape[0]
    whole, W = np.block([[A, B], [C, D]]), np.eye(n)
    for _ in range(sweeps):
        for b, s in slices(blocks):
            if b.kind in KEPT or not b.size:
                continue
            T, inverse = _balancing(whole[s], whole[:, s])
            whole[s] = T @ whole[s]
            whole[:, s] = whole[:, s] @ inverse
            W[:, s] = W[:, s] @ inverse
    return W, np.asarray(np.linalg.inv(W), dtype=float) if n else W


def _balancing(rows: Array, columns: Array) -> tuple[Array, Array]:
    """Transformation, and its inverse, that makes ``rows rows^T`` and ``columns^T columns`` nearly equal and diagonal.

    Directions with little effect are moved by a bounded amount only: a similarity must not cost digits.
    """
    k = rows.shape[0]
    P, Q = rows @ rows.T, columns.T @ columns
    if not (P.any() and Q.any()):
        return np.eye(k), np.eye(k)
    P += 1e-12 * np.trace(P) / k * np.eye(k)
    Q += 1e-12 * np.trace(Q) / k * np.eye(k)
    R = np.linalg.cholesky(P)
    sigma, U = np.linalg.eigh(R.T @ Q @ R)
    inverse = (R @ U) / np.maximum(sigma, 1e-16 * sigma.max()) ** 0.25
    return np.linalg.inv(inverse), inverse
