"""The linear algebra of constraints ``M a + J^T lambda = f``, ``J a = gamma``: all that is asked of M and J.

With ``M = L L^T`` and ``Y = L^-1 J^T`` everything is a question about the columns of ``Y``, in coordinates in which the
mass matrix is the identity: accelerations and multipliers, corrections, allowed motions.
Rows that depend on others are no exception: they are not seen, and multipliers are those of least norm.

The time loops have the first two of these in native code (``engine/constraints``), with the same tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalembert.core.constraint_tape import SHARE
from dalembert.core.types import Array

__all__ = [
    "RANK_TOLERANCE",
    "ConstrainedDynamics",
    "Factors",
    "allowed_motions",
    "correction",
    "corrections",
    "factorise",
    "independent_rows",
    "minimum_norm",
]


RANK_TOLERANCE = 1e-7
"""Part of a row of ``J M^-1/2`` that must be independent of the other rows for the row to count."""

_NOTHING = 1e-300


class ConstrainedDynamics(NamedTuple):
    """Accelerations and multipliers."""

    acceleration: Array
    multipliers: Array


def independent_rows(A: Array) -> NDArray[np.int64]:
    """Number of independent rows of ``A`` (..., m, n), whatever their lengths."""
    if 0 in A.shape[-2:]:
        return np.zeros(A.shape[:-2], dtype=int)
    lengths = np.linalg.norm(A, axis=-1, keepdims=True)
    s = np.linalg.svd(A / np.maximum(lengths, _NOTHING), compute_uv=False)
    return np.sum(s > RANK_TOLERANCE * np.maximum(s[..., :1], _NOTHING), axis=-1)


def _transposed(A: Array) -> Array:
    return np.swapaxes(A, -1, -2)


@dataclass(frozen=True, eq=False)
class Factors:
    """Mass matrix and rows as ``M = L L^T``, ``Y = L^-1 J^T = U diag(s) V^T``; batch axes lead.

    Parameters
    ----------
    L, Y
        Cholesky factor, and the rows in its metric (nv, m).
    U, Vt
        Singular vectors; the first columns of U span the reactions, the others (nv in all) the allowed motions.
    inverse
        ``1/s``, zero where rows depend on others.
    """

    L: Array
    Y: Array
    U: Array
    inverse: Array
    Vt: Array

    def inward(self, force: Array) -> Array:
        """``L^-1 force``."""
        return np.asarray(np.linalg.solve(self.L, force[..., None])[..., 0])

    def outward(self, w: Array) -> Array:
        """``L^-T w``."""
        return np.asarray(np.linalg.solve(_transposed(self.L), w[..., None])[..., 0])

    @property
    def reactions(self) -> Array:
        """Orthonormal basis of the row space, with zeros in place of the rows that a rank deficit leaves out."""
        return self.U[..., : self.inverse.shape[-1]] * (self.inverse > 0.0)[..., None, :]

    def least(self, rhs: Array) -> Array:
        """Shortest ``x`` with ``Y^T x = rhs``."""
        scaled = self.inverse * (self.Vt @ rhs[..., None])[..., 0]
        return np.asarray((self.reactions @ scaled[..., None])[..., 0])

    def shares(self, w: Array) -> Array:
        """Multipliers of least norm with ``Y lambda = w``, as nearly as there are."""
        along = self.inverse * (_transposed(self.reactions) @ w[..., None])[..., 0]
        return np.asarray((_transposed(self.Vt) @ along[..., None])[..., 0])


def factorise(M: Array, J: Array) -> Factors:
    """Factorise a mass matrix (..., nv, nv) and rows (..., m, nv)."""
    L: Any = np.linalg.cholesky(M)
    Y: Any = np.linalg.solve(L, _transposed(J))
    U, s, Vt = np.linalg.svd(Y)
    keep = np.arange(s.shape[-1]) < independent_rows(_transposed(Y))[..., None]
    keep &= s > 0.0
    return Factors(L, Y, U, np.where(keep, 1.0 / np.where(keep, s, 1.0), 0.0), Vt[..., : s.shape[-1], :])


def minimum_norm(M: Array, force: Array, J: Array, gamma: Array) -> ConstrainedDynamics:
    """Solve ``M a + J^T lambda = force``, ``J a = gamma`` with the multipliers of least norm; batch axes lead.

    ``a = L^-T (w - Y lambda)`` with ``w = L^-1 force`` and ``Y^T Y lambda = Y^T w - gamma``: Udwadia and Kalaba's
    equation, with a pseudo-inverse that does not see rows which depend on others. One step of iterative refinement
    follows: ill-conditioned mass matrices, such as those of natural coordinates, cost no digits.
    """
    F = factorise(M, J)

    def solve(f: Array, g: Array) -> tuple[Array, Array]:
        w = F.inward(f)
        taken = F.least((_transposed(F.Y) @ w[..., None])[..., 0] - g)
        return F.outward(w - taken), F.shares(taken)

    a, multipliers = solve(force, gamma)
    left = force - (M @ a[..., None] + _transposed(J) @ multipliers[..., None])[..., 0]
    more = solve(left, gamma - (J @ a[..., None])[..., 0])
    return ConstrainedDynamics(a + more[0], multipliers + more[1])


def correction(M: Array, J: Array, error: Array) -> Array:
    """Least change ``-M^-1 J^T (J M^-1 J^T)^+ error`` that takes an error of the rows away."""
    F = factorise(M, J)
    return -F.outward(F.least(error))


def corrections(M: Array, J: Array, error: Array) -> Array:
    """Least changes of many (N, ...), as in `correction`; each is bitwise independent of the others.

    ``S = J M^-1 J^T`` is factorised without pivoting, as on a tape, followed by one step of iterative refinement. Where
    a pivot keeps less than `SHARE` of its diagonal element, rows depend on each other: these go through `correction`.
    """
    X: Any = np.linalg.solve(M, _transposed(J))
    S: Any = J @ X
    m = S.shape[-1]
    diagonal = np.einsum("nii->ni", S)
    diagonal[:] = np.where((J == 0.0).all(axis=-1), 1.0, diagonal)  # rows that do not act
    share, size = np.full(len(S), np.inf), diagonal.copy()
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for k in range(m):  # S = U^T D U, with U above the diagonal
            share = np.minimum(share, S[:, k, k] / size[:, k])
            row = S[:, k, k + 1 :] / S[:, k, k, None]
            S[:, k + 1 :, k + 1 :] -= row[:, :, None] * S[:, None, k, k + 1 :]
            S[:, k, k + 1 :] = row

        def solved(rhs: Array) -> Array:
            y = rhs.copy()
            for k in range(m):
                y[:, k + 1 :] -= S[:, k, k + 1 :] * y[:, k, None]
            y /= diagonal
            for k in reversed(range(m)):
                y[:, k] -= np.einsum("nj,nj->n", S[:, k, k + 1 :], y[:, k + 1 :])
            return np.asarray((X @ y[..., None])[..., 0])

        change = -solved(error)
        change -= solved(error + (J @ change[..., None])[..., 0])
    for i in np.flatnonzero(~(share >= SHARE)):
        change[i] = correction(M[i], J[i], error[i])
    return np.asarray(change)


def allowed_motions(M: Array, J: Array) -> Array:
    """Basis ``N`` of the motions with ``J N = 0``, orthonormal in the metric of the mass matrix."""
    F = factorise(M, J)
    rank = int(np.count_nonzero(F.inverse))
    return np.asarray(np.linalg.solve(F.L.T, F.U[:, rank:]), dtype=float)
