"""Symmetric positive definite systems: square-root-free Cholesky, no pivoting, no branches.

``A = L^T D L`` with a unit lower factor ``L``: elimination runs from the last row to the first. For the mass matrix of a
tree, whose rows are ordered from the root to the leaves, nothing fills in (R. Featherstone, "Rigid Body Dynamics
Algorithms", 2008, section 6.5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import casadi as ca

from dalembert.compile.rows import ALIGN, Block, Cell, RowsBuilder, aligned

__all__ = ["solve_rows", "solve_spd"]


def solve_spd(A: Any, b: Any) -> Any:
    """Solve ``A x = b`` for a symmetric positive definite matrix, on a tape.

    Structural zeros of ``A`` and ``b`` cost nothing.

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


def solve_rows(
    board: RowsBuilder, mass: Sequence[Mapping[int, Cell]], right: Sequence[Mapping[int, Cell]], columns: int
) -> tuple[Block, Block]:
    """Append steps for ``X = -M^-1 B`` and ``M^-1``; return where they are. Of ``M^-1`` the upper triangle is computed.

    The right side is ``[-I, B]``. From the last row to the first, each row of ``M`` and of the right side is reduced by
    those below it, which are final; then the solution runs from the first row to the last.

    Parameters
    ----------
    board
        Grows by the steps.
    mass
        How the lower triangle of M is computed: for each row, the cells that are not zero.
    right
        The same of B.
    columns
        Number of columns of B.
    """
    n = len(mass)
    unit = board.give(ca.horzcat(ca.SX(1, n - 1), -1, ca.SX(1, n - 1)))
    M, L, D = board.block(n, n), board.block(n, n), board.block(1, n)  # L holds -L, and D -1/D
    both = board.block(n, aligned(n) + columns)
    inverse, X = both.part(0, 0, n, n), both.part(0, aligned(n), n, columns)
    lower = _fill(mass)
    # Rows that were final first come first in a sum.
    below = [[k for k in range(n - 1, j, -1) if j in lower[k]] for j in range(n)]
    filled: list[set[int]] = [set() for _ in range(n)]  # columns of B that are not zero, row by row

    def reduced(j: int, own: Mapping[int, Cell], columns: set[int], source: Block, counts: Any) -> dict[int, Cell]:
        """Cells of row j, less the multiples of the rows below it that count for a column."""
        result: dict[int, Cell] = {}
        for c in columns:
            start, terms = own.get(c, (None, ()))
            result[c] = start, (*terms, *((L.place(k, j), source.place(k)) for k in below[j] if counts(k, c)))
        return result

    board.clear(both)
    for j in reversed(range(n)):
        board.row(M.place(j), reduced(j, mass[j], lower[j] | {j}, M, lambda k, c: c in lower[k]))
        board.pivot(D.place(0, j), M.place(j, j))
        board.row(L.place(j), {c: (None, ((D.place(0, j), M.place(j)),)) for c in lower[j]})
        # Rows of the unit matrix are ranges of one row. Zeros left of the diagonal count, for longer runs.
        units: dict[int, Cell] = {c: (unit.place(0, n - 1 - j), ()) for c in (j, *below[j])}
        board.row(inverse.place(j), reduced(j, units, set(units), inverse, lambda k, c: _related(lower, k, c)))
        filled[j] = set(right[j]).union(*(filled[k] for k in below[j]))
        board.row(X.place(j), reduced(j, right[j], filled[j], X, lambda k, c: c in filled[k]))
    for k in range(n):
        cell: Cell = None, ((D.place(0, k), both.place(k)), *((L.place(k, j), both.place(j)) for j in sorted(lower[k])))
        board.row(both.place(k), dict.fromkeys(range(k // ALIGN * ALIGN, both.columns), cell))
    return X, inverse


def _fill(mass: Sequence[Mapping[int, Cell]]) -> list[set[int]]:
    """Columns left of the diagonal of ``L`` that are not zero, row by row."""
    lower = [{c for c in row if c < k} for k, row in enumerate(mass)]
    for k in reversed(range(len(mass))):
        for j in lower[k]:
            lower[j] |= {c for c in lower[k] if c < j}
    return lower


def _related(lower: Sequence[set[int]], i: int, j: int) -> bool:
    return i == j or i in lower[j] or j in lower[i]
