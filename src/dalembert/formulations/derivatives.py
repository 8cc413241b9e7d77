"""Derivatives of inverse and forward dynamics with respect to q, v, the input and the parameters.

Derivatives with respect to ``q`` are taken in the tangent space: along ``integrate(q, d)`` at ``d = 0``, nv columns.

Inverse dynamics are differentiated in closed form where there is one (`dalembert.formulations.derivatives_tree`), and
by CasADi on the tape otherwise. Forward dynamics follow from ``da = -M^-1 (d tau at a)``. Both end in linear algebra,
which is written in rows (`dalembert.compile.rows`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from dalembert.compile.rows import Block, Cell, Rows, RowsBuilder, aligned
from dalembert.core.errors import InputError
from dalembert.core.ports import Formulation
from dalembert.formulations.derivatives_tree import TreeCells, is_plain, tree_cells
from dalembert.formulations.factorization import solve_rows
from dalembert.formulations.newton_euler import NewtonEuler

__all__ = ["Derivatives", "forward_derivatives", "inverse_derivatives"]


class Derivatives(NamedTuple):
    """Derivatives of a dynamics function by ``q`` (tangent), ``v``, its input (``a`` or ``tau``) and the parameters."""

    q: NDArray[np.float64]
    v: NDArray[np.float64]
    input: NDArray[np.float64]
    p: NDArray[np.float64]


def inverse_derivatives(formulation: Formulation) -> Rows:
    """Derivatives of the inverse dynamics by q, v, a and p, as expressions of (q, v, a, p)."""
    board = RowsBuilder()
    parts, P = _cells(board, formulation, formulation.variables.a)
    blocks = []
    for cells in parts:
        blocks.append(board.block(len(cells), len(cells)))
        board.clear(blocks[-1])
        for i, row in enumerate(cells):
            board.row(blocks[-1].place(i), row)
    return board.finish([*blocks, P])


def forward_derivatives(formulation: Formulation) -> Rows:
    """Derivatives of the forward dynamics by q, v, tau and p, as expressions of (q, v, tau, p)."""
    machine = formulation.model.machine
    if machine.constrained:
        raise InputError(f"machine '{machine.name}' has constraints: its forward dynamics has no such derivatives")
    board = RowsBuilder()
    (by_q, by_v, mass), P = _cells(board, formulation, formulation.forward_dynamics())
    nv, step = P.rows, aligned(P.rows)
    right = [
        {**q, **_beside(v, step), **_beside(dict.fromkeys(range(P.columns), (P.place(i), ())), 2 * step)}
        for i, (q, v) in enumerate(zip(by_q, by_v, strict=True))
    ]
    X, inverse = solve_rows(board, mass, right, 2 * step + P.columns)
    parts = [X.part(0, 0, nv, nv), X.part(0, step, nv, nv), inverse, X.part(0, 2 * step, nv, P.columns)]
    return board.finish(parts, symmetric=[inverse])


def _beside(cells: Mapping[int, Cell], columns: int) -> dict[int, Cell]:
    """Cells of a row, moved to the right."""
    return {
        c + columns: (None if start is None else start - columns, tuple((f, x - columns) for f, x in terms))
        for c, (start, terms) in cells.items()
    }


def _cells(board: RowsBuilder, formulation: Formulation, a: Any) -> tuple[TreeCells, Block]:
    """How d tau/d q, d tau/d v and M at the accelerations `a` are computed; and d tau/d p, which the head gives."""
    x = formulation.variables
    tau = formulation.inverse_dynamics()
    by_p = ca.jacobian(tau, x.p)
    if isinstance(formulation, NewtonEuler) and is_plain(formulation.model):
        cells, expressions = tree_cells(board, formulation.model, a), [by_p]
    else:
        tau = ca.cse(tau)
        rates = ca.jacobian(formulation.model.coordinate_rates(), x.v)
        expressions = [ca.jacobian(tau, x.q) @ rates, ca.jacobian(tau, x.v), formulation.mass_matrix(), by_p]
    given = ca.substitute(expressions, [x.a], [a])
    if len(given) > 1:
        cells = TreeCells(*(_given(board, matrix) for matrix in given[:3]))
    return cells, board.give(given[-1])


def _given(board: RowsBuilder, matrix: Any) -> list[dict[int, Cell]]:
    """Cells of a matrix that the head gives."""
    block = board.give(matrix)
    return [{c: (block.place(i), ()) for c in range(block.columns) if matrix.has_nz(i, c)} for i in range(block.rows)]
