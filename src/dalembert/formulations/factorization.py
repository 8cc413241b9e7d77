"""Symmetric positive definite systems on a tape: square-root-free Cholesky, no pivoting, no branches."""

from __future__ import annotations

from typing import Any

import casadi as ca

__all__ = ["solve_spd"]


def solve_spd(A: Any, b: Any) -> Any:
    """Solve ``A x = b`` for a symmetric positive definite matrix by ``A = L^T D L``.

    Elimination runs from the last row to the first: for the mass matrix of a tree, whose rows are ordered from the root
    to the leaves, nothing fills in, and structural zeros of ``A`` and ``b`` cost nothing.

    Parameters
    ----------
    A
        Symmetric matrix (n x n); the lower triangle is read.
    b
        Right sides (n x m).
    """
    n, m = A.shape[0], b.shape[1]
    rows: list[list[Any]] = [[A[i, j] if A.has_nz(i, j) else None for j in range(i + 1)] for i in range(n)]
    L: list[dict[int, Any]] = [{} for _ in range(n)]  # L[k][j], j < k: row k of the unit factor
    inverse: list[Any] = [None] * n  # one division per pivot
    for k in range(n - 1, -1, -1):
        pivot = rows[k]
        inverse[k] = 1 / pivot[k]
        L[k] = {j: x * inverse[k] for j, x in enumerate(pivot[:k]) if x is not None}
        for i in L[k]:
            for j in L[k]:
                if j <= i:
                    update = L[k][i] * pivot[j]
                    rows[i][j] = -update if rows[i][j] is None else rows[i][j] - update
    y: list[Any] = [b[k, :] for k in range(n)]
    for k in range(n - 1, -1, -1):
        for j, factor in L[k].items():
            y[j] = y[j] - factor * y[k]
    x: list[Any] = [y[k] * inverse[k] for k in range(n)]
    for k in range(n):
        for j, factor in L[k].items():
            x[k] = x[k] - factor * x[j]
    return ca.vertcat(*x) if n else ca.SX(0, m)
