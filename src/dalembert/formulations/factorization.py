"""Symmetric positive definite systems: square-root-free Cholesky, no pivoting, no branches.

``A = L^T D L`` with a unit lower factor ``L``: elimination runs from the last row to the first. For the mass matrix of
a tree, whose rows are ordered from the root to the leaves, nothing fills in (R. Featherstone, "Rigid Body Dynamics
Algorithms", 2008, section 6.5).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import casadi as ca

from dalembert.compile.rows import ALIGN, Block, aligned
from dalembert.compile.rows_builder import Cell, RowsBuilder
from dalembert.core.types import Expression

__all__ = [
    "BoardFactors",
    "UnitFactors",
    "back_solve",
    "half_solve",
    "solve_factored",
    "solve_spd",
    "unit_factors",
    "unit_rows",
]


def solve_spd(A: Expression, b: Expression) -> Expression:
    """Solve ``A x = b`` for a symmetric positive definite matrix, on a tape.

    Structural zeros of ``A`` and ``b`` cost nothing.

    Parameters
    ----------
    A
        Symmetric matrix (n x n); the lower triangle is read.
    b
        Right sides (n x m).

    Examples
    --------
    >>> import casadi as ca
    >>> solve_spd(ca.SX(ca.DM([[4, 2], [2, 3]])), ca.SX(ca.DM([8, 7])))
    SX([1.25, 1.5])
    """
    return solve_factored(unit_factors(A), b)


def solve_factored(factors: UnitFactors, b: Expression) -> Expression:
    """Solve ``A x = b`` (n x m) by the factors of A."""
    n, m = len(factors.rows), b.shape[1]
    y = half_solve(factors, [b[k, :] for k in range(n)])
    x = back_solve(factors, [y[k] * factors.inverse[k] for k in range(n)])
    return ca.vertcat(*x) if n else ca.SX(0, m)


class UnitFactors(NamedTuple):
    """Rows of the unit factor ``L`` below its diagonal, by column, and the reciprocals of ``D``, of ``A = L^T D L``."""

    rows: list[dict[int, Expression]]
    inverse: list[Expression]


def unit_factors(A: Expression) -> UnitFactors:
    """Factor a symmetric positive definite matrix on a tape; its lower triangle is read."""
    n = A.shape[0]
    rows: list[list[Any]] = [[A[i, j] if A.has_nz(i, j) else None for j in range(i + 1)] for i in range(n)]
    L: list[dict[int, Expression]] = [{} for _ in range(n)]  # L[k][j], j < k: row k of the unit factor
    inverse: list[Expression] = [ca.SX(0)] * n  # one division per pivot
    for k in range(n - 1, -1, -1):
        pivot = rows[k]
        inverse[k] = 1 / pivot[k]
        L[k] = {j: x * inverse[k] for j, x in enumerate(pivot[:k]) if x is not None}
        for i in L[k]:
            for j in L[k]:
                if j <= i:
                    update = L[k][i] * pivot[j]
                    rows[i][j] = -update if rows[i][j] is None else rows[i][j] - update
    return UnitFactors(L, inverse)


def half_solve(factors: UnitFactors, b: Sequence[Expression | None]) -> list[Any]:
    """``L^-T b`` for entries of a vector, None where they are zero: a zero subtree stays zero."""
    x: list[Any] = list(b)
    for k in range(len(x) - 1, -1, -1):
        if x[k] is None:
            continue
        for j, factor in factors.rows[k].items():
            update = factor * x[k]
            x[j] = -update if x[j] is None else x[j] - update
    return x


def back_solve(factors: UnitFactors, b: Sequence[Expression]) -> list[Expression]:
    """``L^-1 b`` for entries, or rows, of b."""
    x = list(b)
    for k, row in enumerate(factors.rows):
        for j, factor in row.items():
            x[k] = x[k] - factor * x[j]
    return x


def unit_rows(board: RowsBuilder, n: int) -> Block:
    """Give one row of which all rows of the matrix -I of order n are ranges."""
    return board.give(ca.horzcat(ca.SX(1, n - 1), -1, ca.SX(1, n - 1)))


class BoardFactors:
    """Factors of a mass matrix on a board.

    From the last row to the first, each row is reduced by those below it, which are final.

    Parameters
    ----------
    board
        Gets the stages.
    mass
        How M is computed: for each row, the cells that are not zero. The lower triangle is read.
    """

    def __init__(self, board: RowsBuilder, mass: Sequence[Mapping[int, Cell]]) -> None:
        self._board, self._n = board, len(mass)
        n = range(self._n)
        self._lower = _fill(mass)
        # Terms that were final first come first in a sum.
        self._below = [[k for k in reversed(n) if j in self._lower[k]] for j in n]
        M = board.block(self._n, self._n)
        self._L, self._D = board.block(self._n, self._n), board.block(1, self._n)  # they hold -L and -1/D
        for j in reversed(n):
            lower = self._lower[j]
            board.row(M.place(j), self._reduced(j, mass[j], {*lower, j}, M, lambda k, c: c in self._lower[k]))
            board.pivot(self._D.place(0, j), M.place(j, j))
            board.row(self._L.place(j), {c: (None, ((self._D.place(0, j), M.place(j)),)) for c in lower})

    def solve_tape(self, b: Expression) -> Expression:
        """Solution of ``M x = b`` as expressions for the tape that is given next."""
        L, D = self._board.read(self._L), self._board.read(self._D)
        x = ca.vertsplit(b)
        for j in reversed(range(self._n)):
            for k in self._below[j]:
                x[j] += L[k, j] * x[k]
        for k in range(self._n):
            x[k] = -D[k] * x[k]
            for j in sorted(self._lower[k]):
                x[k] += L[k, j] * x[j]
        return ca.vertcat(*x)

    def solve_rows(self, unit: Block, right: Sequence[Mapping[int, Cell]], columns: int) -> tuple[Block, Block]:
        """Append stages for ``X = -M^-1 B`` and ``M^-1``; return where they are.

        The right side is ``[-I, B]``. Only the upper triangle of ``M^-1`` is right.

        Parameters
        ----------
        unit
            See `unit_rows`.
        right
            How B is computed.
        columns
            Number of columns of B.
        """
        board, n, L, D = self._board, self._n, self._L, self._D
        both = board.block(n, aligned(n) + columns)
        inverse, X = both.submatrix(0, 0, n, n), both.submatrix(0, aligned(n), n, columns)
        filled: list[set[int]] = [set() for _ in range(n)]  # columns of B that are not zero, row by row
        board.clear(both)
        for j in reversed(range(n)):
            # Rows of the unit matrix are ranges of one row. Zeros left of the diagonal count, for longer runs.
            units: dict[int, Cell] = {c: (unit.place(0, n - 1 - j), ()) for c in (j, *self._below[j])}
            board.row(inverse.place(j), self._reduced(j, units, set(units), inverse, self._related))
        for j in reversed(range(n)):
            filled[j] = set(right[j]).union(*(filled[k] for k in self._below[j]))
            board.row(X.place(j), self._reduced(j, right[j], filled[j], X, lambda k, c: c in filled[k]))
        for k in range(n):
            above = ((L.place(k, j), both.place(j)) for j in sorted(self._lower[k]))
            cell: Cell = None, ((D.place(0, k), both.place(k)), *above)
            board.row(both.place(k), dict.fromkeys(range(k // ALIGN * ALIGN, both.columns), cell))
        return X, inverse

    def _reduced(
        self,
        j: int,
        cells: Mapping[int, Cell],
        columns: set[int],
        source: Block,
        counts: Callable[[int, int], bool],
    ) -> dict[int, Cell]:
        """Cells of row j of a matrix, less the multiples of those rows k below it that count for a column c."""
        result: dict[int, Cell] = {}
        for c in columns:
            start, terms = cells.get(c, (None, ()))
            below = ((self._L.place(k, j), source.place(k)) for k in self._below[j] if counts(k, c))
            result[c] = start, (*terms, *below)
        return result

    def _related(self, i: int, j: int) -> bool:
        return i == j or i in self._lower[j] or j in self._lower[i]


def _fill(mass: Sequence[Mapping[int, Cell]]) -> list[set[int]]:
    """Columns left of the diagonal of ``L`` that are not zero, row by row."""
    lower = [{c for c in row if c < k} for k, row in enumerate(mass)]
    for k in reversed(range(len(mass))):
        for j in lower[k]:
            lower[j] |= {c for c in lower[k] if c < j}
    return lower
