"""How far a model in linear fractional form may be from the machine, over the whole box of its blocks.

The tape gives a relation ``r = R(delta) zeta`` between generalised forces ``r`` and ``zeta = (a, w, d, u, f)``, whose
rows depend on earlier rows only. The model is, exactly, the map of slightly changed matrices of that relation
(`lifted`). With ``S`` the inverse of ``1 - A Delta``, which the order of the rows bounds by a matrix ``S >= |S|`` of
positive numbers for all blocks between -1 and 1, a change of ``A``, ``B``, ``C``, ``D`` by at most ``E`` moves the
relation by at most

    P = |C| S (E_A m + E_B) + E_C m + E_D,      m = (1 - S E_A)^-1 S (|B| + E_B)

entry by entry: the forces that the model leaves unbalanced in the machine.
"""

from __future__ import annotations

import numpy as np

from dalembert.control.uncertain.reduction import Quad, outward
from dalembert.control.uncertain.replay import Raw
from dalembert.core.types import Array

__all__ = ["majorant", "moved_by", "size_of"]

_PIECES = 4096  # of the range of an angle at most


def majorant(raw: Raw) -> Array:
    """Bound, entry by entry, of ``(1 - A Delta)^-1`` for all blocks between -1 and 1; infinite if there is none."""
    A = np.abs(raw.matrices[0]) + raw.radii[0]
    n = len(A)
    S = np.zeros((n, n))
    starts = dict(raw.groups)
    i = 0
    while i < n:
        end = starts.get(i, i + 1)
        g = slice(i, end)
        right = A[g, :i] @ S[:i]
        right[:, g] += np.eye(end - i)
        S[g] = outward(_inverse(raw.matrices[0][g, g], raw.radii[0][g, g], raw.owners[g]) @ right)
        i = end
    return S


def _inverse(A: Array, radius: Array, owners: tuple[str, ...]) -> Array:
    """Bound of ``(1 - A Delta)^-1`` of the rows of one rotation or one division."""
    size = np.abs(A) + radius
    n = len(A)
    if not size.any():
        return np.eye(n)
    if float(np.abs(np.linalg.eigvals(size)).max()) < 0.9:
        return _neumann(size, np.eye(n))
    if len(set(owners)) > 1:  # a division: the joint effect of its parameters is bounded by the sum alone
        return _neumann(size, np.eye(n))
    pieces = 8
    while pieces <= _PIECES:
        half = 1.0 / pieces
        largest = np.zeros((n, n))
        for centre in np.linspace(-1.0 + half, 1.0 - half, pieces):
            X = np.linalg.inv(np.eye(n) - centre * A)
            defect = np.abs(X @ (np.eye(n) - centre * A) - np.eye(n)) + 1e-14 * np.abs(X) @ (np.eye(n) + size)
            step = defect + np.abs(X) @ (half * (1.0 + 1e-12) * np.abs(A) + radius)
            largest = np.maximum(largest, _neumann(step, np.abs(X)))
        if np.isfinite(largest).all():
            return largest
        pieces *= 4
    return np.full((n, n), np.inf)


def _neumann(step: Array, right: Array) -> Array:
    """Bound of ``(1 - F)^-1 X`` for all ``|F| <= step`` and ``|X| <= right``; infinite if none is found.

    Any ``Z >= right + step Z`` is one, if a positive vector shows that the series converges.
    """
    n = len(step)
    none = np.full(right.shape, np.inf)
    if not (np.isfinite(step).all() and np.isfinite(right).all()):
        return none
    try:
        Z, x = (np.linalg.solve(np.eye(n) - step, X) for X in (right, np.ones(n)))
    except np.linalg.LinAlgError:
        return none
    if not (np.isfinite(Z).all() and (x > 0.0).all() and (outward(step @ x) < x).all()):
        return none
    Z = np.maximum(Z, 0.0)
    for _ in range(60):
        needed = outward(right + step @ Z)
        if (needed <= Z).all():
            return Z
        Z = np.maximum(Z, needed) * (1.0 + 1e-6)
    return none


def size_of(raw: Raw, S: Array) -> Array:
    """Bound of the entries of the relation itself."""
    _, B, C, D = (np.abs(M) + R for M, R in zip(raw.matrices, raw.radii, strict=True))
    return outward(C @ (S @ B) + D)


def moved_by(raw: Raw, S: Array, change: Quad) -> Array:
    """Bound of the entries by which a change of its matrices moves the relation; infinite if there is none."""
    _, B, C, D = (np.abs(M) + R for M, R in zip(raw.matrices, raw.radii, strict=True))
    E_A, E_B, E_C, E_D = (E + R for E, R in zip(change, raw.radii, strict=True))
    if not all(np.isfinite(X).all() for X in (S, E_A, E_B, E_C, E_D)):
        return np.full(D.shape, np.inf)
    loop = outward(S @ E_A)
    m = _neumann(loop, outward(S @ (B + E_B))) if len(loop) else np.zeros((0, B.shape[1]))
    if not np.isfinite(m).all():
        return np.full(D.shape, np.inf)
    return outward(C @ outward(S @ (E_A @ m + E_B)) + E_C @ m + E_D)
