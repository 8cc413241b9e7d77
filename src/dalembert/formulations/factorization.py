"""Symmetric positive definite systems on a tape: square-root-free Cholesky, no pivoting, no branches."""

from __future__ import annotations

from typing import Any

import casadi as ca

__all__ = ["solve_spd"]


def solve_spd(A: Any, b: Any) -> Any:
    """Solve ``A x = b`` for a symmetric positive definite matrix by ``A = L D L^T``.

    Parameters
    ----------
    A
        Symmetric matrix (n x n); the lower triangle is read.
    b
        Right sides (n x m).
    """
    n = A.shape[0]
    L: list[list[Any]] = [[None] * n for _ in range(n)]
    d: list[Any] = [None] * n
    inverse: list[Any] = [None] * n  # one division per pivot
    for j in range(n):
        w = [L[j][k] * d[k] for k in range(j)]
        d[j] = A[j, j] - sum((L[j][k] * w[k] for k in range(j)), ca.SX(0))
        inverse[j] = 1 / d[j]
        for i in range(j + 1, n):
            L[i][j] = (A[i, j] - sum((L[i][k] * w[k] for k in range(j)), ca.SX(0))) * inverse[j]
    y: list[Any] = []
    for i in range(n):
        y.append(b[i, :] - sum((L[i][k] * y[k] for k in range(i)), ca.SX(1, b.shape[1])))
    x: list[Any] = [y[i] * inverse[i] for i in range(n)]
    for i in range(n - 1, -1, -1):
        x[i] = x[i] - sum((L[k][i] * x[k] for k in range(i + 1, n)), ca.SX(1, b.shape[1]))
    return ca.vertcat(*x)
