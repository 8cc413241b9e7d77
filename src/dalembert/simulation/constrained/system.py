"""The constrained part of a problem: what is integrated."""

from __future__ import annotations

from dataclasses import dataclass

import casadi
import numpy as np
from numpy.typing import NDArray

from dalembert.core.types import Array

__all__ = ["ConstrainedSystem"]


@dataclass(frozen=True, eq=False)
class ConstrainedSystem:
    """Constrained part of a problem: ``M a + J^T lambda = f``, ``J a = gamma`` as tapes.

    Parameters
    ----------
    nq, nv, m
        Numbers of coordinates, velocities and rows.
    tape
        (t, x, c, p) -> rates of x (zero for the velocities), f, J^T, Phi, Phi', gamma, Phi_t, M.
    geometry
        (t, x, c, p) -> J^T, Phi, Phi', M.
    move
        (x, d, p) -> q moved by the tangent displacement d.
    rate
        (t, x, c, p, a, lambda) -> derivatives of ``M a + J^T lambda - f`` by a displacement and by v.
    flags
        Index in x of each row's switch, -1 if it always acts.
    row_names
        Names of the rows.
    signal_names
        Names of the recorded multipliers.
    signal_rows
        Their rows.
    unilateral
        Rows whose multiplier must not become negative.
    work_input, work_loss
        Indices in x of the works.
    constant_mass
        Whether M never changes.
    """

    nq: int
    nv: int
    m: int
    tape: casadi.Function
    geometry: casadi.Function
    move: casadi.Function
    rate: casadi.Function
    flags: NDArray[np.int64]
    row_names: tuple[str, ...]
    signal_names: tuple[str, ...]
    signal_rows: tuple[int, ...]
    unilateral: tuple[int, ...]
    work_input: int
    work_loss: int
    constant_mass: bool

    @property
    def all_signal_names(self) -> tuple[str, ...]:
        """Names of the signals that a constrained run has more than others."""
        return (*self.signal_names, "constraint.position", "constraint.velocity")

    def active(self, x: Array) -> NDArray[np.bool_]:
        """Which rows act in a state."""
        return np.where(self.flags >= 0, x[np.maximum(self.flags, 0)] > 0.5, True)
