"""From the relation of a machine's linearised equations to its unknowns, with a bound of the change.

The relation ``0 = N y + D w + K d - B u`` in blocks between -1 and 1 is reduced, solved for its unknowns ``y`` and
reduced again. The unknowns are the accelerations, and ``N`` is the mass matrix; with constraints the reactions and the
dependent displacements and velocities join them. Every signal of the result obeys the relation of the tape up to
``rho``, ``|rho| <= P |(y, w, d, u)|`` (`moved_by`), so that the unknowns of the machine are those of the model less
``N^-1 rho``. With factors ``X N Z`` near one whose least singular value stays above ``kappa`` in the whole box, which a
structured singular value proves,

    y_machine = y_model + Z Theta W (y, w, d, u),        |Theta| <= 1,

with diagonal weights ``W``. ``Theta`` is the block of the error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from dalembert.control.mu.scalings import upper_bound
from dalembert.control.uncertain.blocks import DeltaBlock, merged
from dalembert.control.uncertain.enclosures import UNIT
from dalembert.control.uncertain.error import majorant, moved_by, size_of
from dalembert.control.uncertain.lft import LFT
from dalembert.control.uncertain.reduction import (
    Quad,
    Reduced,
    cleaned,
    equal_scales,
    lifted,
    outward,
    reduce_map,
    relative,
    residual,
    scales,
    singular,
)
from dalembert.control.uncertain.replay import Raw
from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["ERROR", "AccelerationMap", "ModelError", "acceleration_map", "output_map"]

ERROR = "model error"
_GOOD = 1e-10  # relative error of a reduction that is accepted
_FINER = (1e-10, 1e-12, 0.0)  # tolerances that are tried where it is not
_KAPPAS = (0.5, 0.1, 0.02, 2e-3, 1e-4)  # least singular values of the scaled mass matrix that are tried


@dataclass(frozen=True)
class ModelError:
    """How far a model may be from its machine.

    Parameters
    ----------
    bound
        Bound, over the whole box, of the forces that the model leaves unbalanced in the machine, relative to the
        largest forces that accelerations, velocities, displacements and inputs raise; None if there is none.
    sampled
        The largest error of the accelerations that was met at samples, relative to their sizes.
    message
        How it was bounded, or why not.
    """

    bound: float | None
    sampled: float
    message: str


@dataclass(frozen=True, eq=False)
class AccelerationMap:
    """Accelerations of a machine, and its other unknowns, as a map of velocities, displacements and inputs.

    Parameters
    ----------
    matrices, blocks
        The map.
    inertia
        Accelerations to forces: the mass matrix.
    error
        Matrices before and behind the block of the error, ``Z`` and ``W``; None if there is no bound.
    bound, message
        As in `ModelError`.
    """

    matrices: Quad
    blocks: tuple[DeltaBlock, ...]
    inertia: LFT
    error: tuple[Array, Array] | None
    bound: float | None
    message: str

    def accelerations(self, values: Mapping[str, float]) -> Array:
        """The map at numbers of the blocks."""
        lft = LFT(*self.matrices, self.blocks)
        return np.asarray(lft.at(**{n: values[n] for n in lft.sizes}))


def acceleration_map(
    raw: Raw, nv: int, driven: list[int], tolerance: float, *, unknowns: int | None = None, free: int | None = None
) -> AccelerationMap:
    """Solve the relation of a tape for the accelerations.

    Parameters
    ----------
    raw
        The relation: forces over ``(y, w, d, u, f)``. The first unknowns ``y`` are the accelerations, and the first
        rows the forces that move them.
    nv
        Number of accelerations.
    driven
        Inputs to keep, among ``(u, f)``.
    tolerance
        Tolerance of the reductions; where it costs more than digits, finer ones are taken.
    unknowns, free
        Number of all unknowns, and of independent velocities; default: that of accelerations.
    """
    n = nv if unknowns is None else unknowns
    known = n + 2 * (nv if free is None else free)
    raw = _chosen(raw, [*range(known), *(known + k for k in driven)])
    S = majorant(raw)
    sizes = size_of(raw, S)
    relation = _finest(raw, S, sizes, tolerance)
    own = moved_by(raw, S, _raw_change(raw, relation, None))
    solved = _solved(relation.matrices, n)
    tries = [] if tolerance == 0.0 else [tolerance, *(t for t in _FINER if 0.0 < t < tolerance)]

    def reduced(t: float) -> tuple[Reduced, Array]:
        last = reduce_map(solved, relation.blocks, t)
        change = _relation_change(relation.matrices, solved, lifted(last.steps, _none(last.matrices)), n)
        return last, moved_by(raw, S, _raw_change(raw, relation, change))

    last, P = reduced(0.0)
    least = relative(P, sizes)
    for t in tries:
        smaller, moved = reduced(t)
        if relative(moved, sizes) < max(_GOOD, 10.0 * least):
            last, P = smaller, moved
            break
    A, B, C, D = relation.matrices
    inertia = reduce_map((A, B[:, :nv], C[:nv], D[:nv, :nv]), relation.blocks, tolerance)
    error, message = _error(relation, n, own[:, :n], P, massive=n == nv)
    bound = None if error is None else relative(P, sizes)
    return AccelerationMap(last.matrices, last.blocks, LFT(*inertia.matrices, inertia.blocks), error, bound, message)


def output_map(raw: Raw, tolerance: float) -> LFT | None:
    """A map without anything to solve, with a block for its error; None if the error has no bound.

    Parameters
    ----------
    raw
        The map, as the tape gives it.
    tolerance
        As in `acceleration_map`.
    """
    p, m = raw.matrices[3].shape
    raw = _chosen(raw, list(range(m)))
    S = majorant(raw)
    reduced = _finest(raw, S, size_of(raw, S), tolerance)
    P = moved_by(raw, S, _raw_change(raw, reduced, None))
    if not np.isfinite(P).all():
        return None
    A, B, C, D = reduced.matrices
    row = np.where(P.max(axis=1) > 0.0, P.max(axis=1), 1.0)
    column = (P / row[:, None]).max(axis=0)
    k = max(p, m) if P.any() else 0
    into, seen = np.zeros((p, k)), np.zeros((k, m))
    if k:  # |P| is at most row column^T, whose norm between these weights is at most sqrt(p m)
        into[:, :p] = np.diag(row) * np.sqrt(p * m) * (1.0 + 1e-9)
        seen[:m] = np.diag(column)
    n = len(A)
    M11 = np.block([[A, np.zeros((n, k))], [np.zeros((k, n + k))]])
    return LFT(M11, np.vstack([B, seen]), np.hstack([C, into]), D, (*reduced.blocks, DeltaBlock(ERROR, k, "error")))


def _chosen(raw: Raw, columns: list[int]) -> Raw:
    """The relation with some of its inputs, its channels scaled by powers of two, which changes nothing."""

    def cut(quad: Quad) -> Quad:
        A, B, C, D = quad
        return A, B[:, columns], C, D[:, columns]

    t, _, _ = scales(cut(raw.matrices), raw.blocks)

    def scaled(quad: Quad) -> Quad:
        A, B, C, D = quad
        return t[:, None] * A / t, t[:, None] * B, C / t, D

    return replace(raw, matrices=scaled(cut(raw.matrices)), radii=scaled(cut(raw.radii)))


def _none(matrices: Quad) -> Quad:
    A, B, C, D = (np.zeros_like(X) for X in matrices)
    return A, B, C, D


def _finest(raw: Raw, S: Array, sizes: Array, tolerance: float) -> Reduced:
    """The relation reduced with the given tolerance, or with a finer one where that would cost more than digits."""
    blocks, order = merged(raw.blocks)
    A, B, C, D = raw.matrices
    maps = (A[np.ix_(order, order)], B[order], C[:, order], D)
    tries = [] if tolerance == 0.0 else [tolerance, *(t for t in _FINER if 0.0 < t < tolerance)]
    exact = reduce_map(maps, blocks, 0.0)
    least = relative(moved_by(raw, S, _raw_change(raw, exact, None)), sizes)
    for t in tries:
        reduced = reduce_map(maps, blocks, t)
        if relative(moved_by(raw, S, _raw_change(raw, reduced, None)), sizes) < max(_GOOD, 10.0 * least):
            return reduced
    return exact


def _raw_change(raw: Raw, reduced: Reduced, change: Quad | None) -> Quad:
    """Bounds of the changes of the tape's matrices that make it the reduced relation, in the order of the tape."""
    _, order = merged(raw.blocks)
    E_A, E_B, E_C, E_D = lifted(reduced.steps, _none(reduced.matrices) if change is None else change)
    back = np.argsort(order)
    return E_A[np.ix_(back, back)], E_B[back], E_C[:, back], E_D


def _solved(relation: Quad, n: int) -> Quad:
    """The ``n`` unknowns of the relation ``0 = r``, as a map of all other inputs."""
    A, B, C, D = relation
    M = D[:, :n]
    if singular(M):
        raise InputError("the mass matrix, or that of constrained motion, is singular in the middle of the ranges")
    inverse = np.asarray(np.linalg.inv(M), dtype=float)
    noise = 64.0 * n * UNIT * np.abs(inverse) @ np.abs(M) @ np.abs(inverse)  # of the inverse itself
    c = cleaned((-inverse, C), noise=noise @ np.abs(C))
    d = cleaned((-inverse, D[:, n:]), noise=noise @ np.abs(D[:, n:]))
    into = np.abs(B[:, :n]) @ noise
    return (
        cleaned((A,), (B[:, :n], c), noise=into @ np.abs(C)),
        cleaned((B[:, n:],), (B[:, :n], d), noise=into @ np.abs(D[:, n:])),
        c,
        d,
    )


def _relation_change(relation: Quad, solved: Quad, change: Quad, n: int) -> Quad:
    """Changes of the relation with which the solved map, itself changed, obeys it exactly."""
    A, B, C, D = relation
    a, b, c, d = solved
    E_a, E_b, E_c, E_d = change
    B1, M = np.abs(B[:, :n]), np.abs(D[:, :n])
    E_B = np.zeros_like(B)
    E_B[:, n:] = outward(residual((b,), (-B[:, n:],), (-B[:, :n], d)) + E_b + B1 @ E_d)
    E_D = np.zeros_like(D)
    E_D[:, n:] = outward(residual((D[:, n:],), (D[:, :n], d)) + M @ E_d)
    E_A = outward(residual((a,), (-A,), (-B[:, :n], c)) + E_a + B1 @ E_c)
    E_C = outward(residual((C,), (D[:, :n], c)) + M @ E_c)
    return E_A, E_B, E_C, E_D


def _error(relation: Reduced, n: int, own: Array, P: Array, *, massive: bool) -> tuple[tuple[Array, Array] | None, str]:
    """Matrices of the block of the error, or why there is none; ``massive``: the unknowns are accelerations alone."""
    if not np.isfinite(P).all():
        return None, "the order of the tape gives no bound of its signals"
    try:
        X, Z = _factors(relation.matrices[3][:, :n], massive)
    except np.linalg.LinAlgError:
        return None, "the mass matrix is not positive in the middle of the ranges"
    slack = float(np.linalg.norm(outward(np.abs(X) @ own @ np.abs(Z))))
    kappa = _least_singular_value(relation, X, Z) - slack
    if not kappa > 0.0:
        what = "mass matrix" if massive else "matrix of constrained motion"
        return None, f"the {what} is not proven to be regular over the ranges"
    Q = outward(np.abs(X) @ P)
    weight = np.sqrt((Q**2).sum(axis=0))
    used = weight > 0.0
    if not used.any():
        return (np.zeros((n, 0)), np.zeros((0, P.shape[1]))), "nothing is rounded"
    weight[used] *= float(np.linalg.norm(Q[:, used] / weight[used], 2)) * (1.0 + 1e-9) / kappa
    k = max(n, int(used.sum()))
    into, seen = np.zeros((n, k)), np.zeros((k, P.shape[1]))
    half = 2.0 ** np.round(np.log2(np.median(weight[used])) / 2.0)
    into[:, :n] = half * Z
    seen[range(int(used.sum())), np.flatnonzero(used)] = weight[used] / half
    return (into, seen), "bounded over the whole box, rounding included"


def _factors(N: Array, massive: bool) -> tuple[Array, Array]:
    """Factors ``X``, ``Z`` with ``X N Z`` near one: from Cholesky's of a mass matrix, else the scaled inverse."""
    if massive:
        scale = np.exp2(np.round(np.log2(np.maximum(np.diag(N), 1e-300)) / -2.0))
        X = np.linalg.inv(np.linalg.cholesky(scale[:, None] * (N + N.T) / 2.0 * scale)) * scale
        return np.asarray(X), np.asarray(X.T)
    row, column = equal_scales(N)
    return np.asarray(np.linalg.inv(row[:, None] * N * column) * row), np.diag(column)


def _least_singular_value(relation: Reduced, X: Array, Z: Array) -> float:
    """A proven bound from below of the singular values of ``X N Z`` over the whole box, zero if none is found."""
    n = len(X)
    A, B, C, D = relation.matrices
    B, C, D = B[:, :n] @ Z, X @ C, X @ D[:, :n] @ Z
    near = float(np.linalg.norm(residual((D,), (-np.eye(n),))))
    if not len(A) or not (B.any() and C.any()):
        return max(0.999 - near, 0.0)
    over = np.linalg.inv(D)
    blocks = [*relation.blocks, DeltaBlock("least singular value", n, "full")]
    for kappa in _KAPPAS:
        T = np.block([[A - B @ over @ C, -kappa * B @ over], [-over @ C, -kappa * over]])
        if upper_bound(T, blocks, target=0.98, seconds=20.0, rounds=10).bound < 0.99:
            return 0.999 * kappa
    return 0.0
