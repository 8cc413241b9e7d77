"""Mass matrix and Coriolis matrix in rows (``compile/rows.py``), where they are too large for one tape."""

from __future__ import annotations

from dalembert.compile.rows_builder import RowExpressions, RowsBuilder
from dalembert.core.ports import Formulation
from dalembert.formulations.derivatives import write_cells

__all__ = ["coriolis_rows", "mass_rows"]


def mass_rows(formulation: Formulation) -> RowExpressions | None:
    """Mass matrix as an expression of (q, p); None where a tape is as good."""
    return _rows(formulation, "mass_cells")


def coriolis_rows(formulation: Formulation) -> RowExpressions | None:
    """Coriolis matrix as an expression of (q, v, p); None where a tape is as good."""
    return _rows(formulation, "coriolis_cells")


def _rows(formulation: Formulation, name: str) -> RowExpressions | None:
    board = RowsBuilder()
    cells = getattr(formulation, name)(board)
    return None if cells is None else board.finish([write_cells(board, cells)])
