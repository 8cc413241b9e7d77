"""Derivatives of inverse and forward dynamics with respect to q, v, the input and the parameters.

Derivatives with respect to ``q`` are taken in the tangent space: along ``integrate(q, d)`` at ``d = 0``, nv columns.

Inverse dynamics are differentiated in closed form where there is one (``formulations/tree/derivatives.py``), and
by CasADi on the tape otherwise. Forward dynamics follow from ``da = -M^-1 (d tau at a)``. Both end in linear algebra,
which is written in rows (``compile/rows.py``).
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca

from dalembert.compile.rows import Block, aligned
from dalembert.compile.rows_builder import RowExpressions, RowsBuilder
from dalembert.core.errors import InputError
from dalembert.core.ports import Formulation
from dalembert.core.types import Array, Expression
from dalembert.formulations.factorization import BoardFactors, unit_rows
from dalembert.formulations.tree.composite import Cells, beside

__all__ = ["Derivatives", "forward_derivatives", "inverse_derivatives", "write_cells"]


class Derivatives(NamedTuple):
    """Derivatives of a dynamics function by ``q`` (tangent), ``v``, its input (``a`` or ``tau``) and the parameters."""

    q: Array
    v: Array
    input: Array
    p: Array


def inverse_derivatives(formulation: Formulation) -> RowExpressions:
    """Derivatives of the inverse dynamics by q, v, a and p, as expressions of (q, v, a, p)."""
    board = RowsBuilder()
    a = formulation.variables.a
    tree = formulation.closed_derivatives(board)
    if tree is not None:
        by_p, (by_q, by_v), mass = board.give(_by_p(formulation, a)), tree.at(a), tree.mass
    else:
        by_q, by_v, mass = (_cells(board, x) for x in (*_by_tape(formulation, a), formulation.mass_matrix()))
        by_p = board.give(_by_p(formulation, a))
    return board.finish([*(write_cells(board, cells) for cells in (by_q, by_v, mass)), by_p])


def write_cells(board: RowsBuilder, cells: Cells) -> Block:
    """Append stages that compute a square matrix from its cells; return where it is."""
    block = board.block(len(cells), len(cells))
    board.clear(block)
    for i, row in enumerate(cells):
        board.row(block.place(i), row)
    return block


def forward_derivatives(formulation: Formulation) -> RowExpressions:
    """Derivatives of the forward dynamics by q, v, tau and p, as expressions of (q, v, tau, p)."""
    machine, x = formulation.machine, formulation.variables
    if machine.constrained:
        name = machine.name
        raise InputError(f"machine '{name}' has constraints: its forward dynamics has no such derivatives")
    board = RowsBuilder()
    nv = x.v.numel()
    unit = unit_rows(board, nv)
    tree = formulation.closed_derivatives(board)
    if tree is not None:
        factors = tree.factors()
        a = factors.solve_tape(x.tau - board.read(tree.bias).T - tree.spring_force)
        by_p, (by_q, by_v) = board.give(_by_p(formulation, a)), tree.at(a)
    else:
        a = formulation.forward_dynamics()
        by_q, by_v, mass = (_cells(board, y) for y in (*_by_tape(formulation, a), formulation.mass_matrix()))
        by_p = board.give(_by_p(formulation, a))
        factors = BoardFactors(board, mass)
    step = aligned(nv)
    right = [
        {**q, **beside(v, step), **beside(dict.fromkeys(range(by_p.columns), (by_p.place(i), ())), 2 * step)}
        for i, (q, v) in enumerate(zip(by_q, by_v, strict=True))
    ]
    X, inverse = factors.solve_rows(unit, right, 2 * step + by_p.columns)
    parts = [
        X.submatrix(0, 0, nv, nv),
        X.submatrix(0, step, nv, nv),
        inverse,
        X.submatrix(0, 2 * step, nv, by_p.columns),
    ]
    return board.finish(parts, symmetric=[inverse])


def _by_p(formulation: Formulation, a: Expression) -> Expression:
    """Derivatives of the inverse dynamics by the parameters, at accelerations `a`."""
    x = formulation.variables
    return ca.substitute(ca.jacobian(formulation.inverse_dynamics(), x.p), x.a, a)


def _by_tape(formulation: Formulation, a: Expression) -> list[Expression]:
    """Derivatives of the inverse dynamics by q and v, at accelerations `a`, without a closed form."""
    x = formulation.variables
    tau = ca.cse(formulation.inverse_dynamics())
    rates = ca.jacobian(formulation.coordinate_rates(), x.v)
    matrices: list[Expression] = ca.substitute([ca.jacobian(tau, x.q) @ rates, ca.jacobian(tau, x.v)], [x.a], [a])
    return matrices


def _cells(board: RowsBuilder, matrix: Expression) -> Cells:
    """Cells of a matrix that a tape gives."""
    block = board.give(matrix)
    return [{c: (block.place(i), ()) for c in range(block.columns) if matrix.has_nz(i, c)} for i in range(block.rows)]
