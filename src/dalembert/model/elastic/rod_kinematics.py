"""Kinematics of an exact rod on CasADi symbols: a recursion over its points.

With the curvature ``k`` and the strain ``e`` of a section in its own axes (J. C. Simo, L. Vu-Quoc, "A three-dimensional
finite-strain rod model, part II", Comput. Methods Appl. Mech. Eng. 58 (1986) 79-116),

    R' = R k^,      r' = R (e_x + e),      R(0) = 1,  r(0) = 0.

Rotations go from point to point (`rod_turns`), positions are integrals of the tangents ``r'``. A coordinate of a piece
moves all that is beyond the piece as a rigid body: `RodKinematics.screws` has these motions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from dalembert.core.types import Array, Expression
from dalembert.model.elastic.rod_points import RodCell, RodPiece, RodPoints, RodStep, integration_rows
from dalembert.model.elastic.rod_turns import AxisTurn, SpatialTurn, sparse
from dalembert.spatial.rotations import cross_matrix

__all__ = ["CellRates", "PieceMotion", "RodKinematics", "RodRates", "combined"]

_X = ca.DM([1.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class RodRates:
    """Angular velocity and acceleration of a section and acceleration of its axis, in the axes of the frame.

    They are those of a frame that turns with a constant angular velocity while the coordinates have constant rates.
    """

    w: Expression
    w_dot: Expression
    v_dot: Expression


@dataclass(frozen=True, eq=False)
class CellRates:
    """Angular velocity and acceleration and acceleration of the tangent at each point of a cell; rates at its end."""

    turned: list[tuple[Expression, Expression]]
    tangents: list[Expression]
    end: RodRates


class PieceMotion:
    """Motion of the sections of one piece.

    Parameters
    ----------
    piece
        Its constants.
    delta
        Its coordinates.
    R, p
        Rotation and position of its first section.
    axis, angle
        Axis of all rotations and angle of the first section; the axis is None in space.
    """

    def __init__(
        self, piece: RodPiece, delta: Expression, R: Expression, p: Expression, axis: int | None, angle: Expression
    ) -> None:
        self.piece, self.delta, self._axis = piece, delta, axis
        self._start = (R, p, angle)
        self.cells: list[CellMotion] = []
        for k, cell in enumerate(piece.cells):
            self.cells.append(CellMotion(self, cell, k))

    def strain(self, cell: RodCell, l: int, x: Expression) -> Expression:
        """Strain ``e`` (3) at a point of a cell; of rates of the coordinates its rate."""
        P = np.zeros((3, len(self.piece.columns)))
        for j, c in enumerate(self.piece.columns):
            if c.component >= 3:
                P[c.component - 3, j] = cell.strains[l, j]
        return sparse(P) @ x if P.any() else ca.SX(3, 1)

    def strain_columns(self, cell: RodCell, l: int, R: Expression) -> Expression:
        """``R de/d(delta)`` (3 x columns)."""
        columns = [
            R[:, c.component - 3] * float(cell.strains[l, j]) if c.component >= 3 else ca.SX(3, 1)
            for j, c in enumerate(self.piece.columns)
        ]
        return ca.horzcat(*columns)

    def strain_rows(self, k: int) -> Expression:
        """`strain_columns` at point ``k`` of the piece."""
        for cell in self.cells:
            if k < len(cell.cell.points):
                return self.strain_columns(cell.cell, k, cell.turns[k].R)
            k -= len(cell.cell.points)
        raise IndexError(k)

    @property
    def start(self) -> Expression:
        """Position of its first section."""
        return self._start[1]

    def begin(self, k: int) -> tuple[Expression, Expression, Expression]:
        """Rotation, position and angle at the start of cell ``k``."""
        return self._start if k == 0 else self.cells[k - 1].end

    def turn(self, step: RodStep, R: Expression, angle: Expression) -> SpatialTurn | AxisTurn:
        """Make a step of the rotation."""
        if self._axis is None:
            return SpatialTurn(step, self.piece, self.delta, R)
        return AxisTurn(step, self.piece, self.delta, angle, self._axis)

    @property
    def end(self) -> tuple[Expression, Expression, Expression]:
        """Rotation, position and angle of the last section."""
        return self.cells[-1].end

    @property
    def end_columns(self) -> tuple[Expression, Expression]:
        """Angular velocity and velocity (3 x columns each) of the last section per rate of the coordinates."""
        return self.cells[-1].end_columns

    def at(self, s: float) -> tuple[CellMotion, float]:
        """Cell of an abscissa, the one before it at a jump."""
        cell = next((c for c in self.cells if s <= c.cell.end), self.cells[-1])
        return cell, min(max(s, cell.cell.start), cell.cell.end)


class CellMotion:
    """Motion of the sections of one cell: at its points and at its end."""

    def __init__(self, piece: PieceMotion, cell: RodCell, index: int) -> None:
        self.piece, self.cell, self._index = piece, cell, index
        R, p, angle = piece.begin(index)
        self._first = (R, p, angle)
        self.turns: list[SpatialTurn | AxisTurn] = []
        for step in cell.steps:
            self.turns.append(piece.turn(step, R, angle))
            R, angle = self.turns[-1].R, getattr(self.turns[-1], "angle", angle)
        self.tangents = [self.turns[l].R @ (_X + piece.strain(cell, l, piece.delta)) for l in range(len(cell.points))]
        self._tangents = ca.horzcat(*self.tangents)
        self.end = (R, self._integrated(self._tangents, p, cell.integrals[-1:])[0], angle)

    @cached_property
    def positions(self) -> list[Expression]:
        """Positions of the points."""
        return self._integrated(self._tangents, self._first[1], self.cell.integrals[:-1])

    @staticmethod
    def _integrated(values: Expression, start: Expression, rows: Array) -> list[Expression]:
        """Integrals of vectors at the points (3 x m)."""
        return [start + values @ ca.DM(row) for row in rows]

    @cached_property
    def _before(self) -> tuple[Expression, Expression]:
        """Angular velocity and velocity per rate at the start of the cell."""
        n = len(self.piece.piece.columns)
        return (ca.SX(3, n), ca.SX(3, n)) if self._index == 0 else self.piece.cells[self._index - 1].end_columns

    @cached_property
    def _tangent_columns(self) -> tuple[list[Expression], list[Expression]]:
        """Angular velocities at points and end, and derivatives of the tangents at the points (3 x columns)."""
        T, turned = self._before[0], []
        for turn in self.turns:
            T = T + turn.columns
            turned.append(T)
        slopes = [
            _crossed(T, d) + self.piece.strain_columns(self.cell, l, self.turns[l].R)
            for l, (T, d) in enumerate(zip(turned[:-1], self.tangents, strict=True))
        ]
        return turned, slopes

    @property
    def columns(self) -> list[tuple[Expression, Expression]]:
        """Angular velocities and derivatives of the tangents (3 x columns each) per rate, at the points."""
        turned, slopes = self._tangent_columns
        return list(zip(turned[:-1], slopes, strict=True))

    @cached_property
    def end_columns(self) -> tuple[Expression, Expression]:
        """Angular velocity and velocity (3 x columns each) per rate of the coordinates, at the end."""
        turned, slopes = self._tangent_columns
        return turned[-1], self._moved(slopes, self.cell.integrals[-1])

    def _moved(self, slopes: list[Expression], row: Array) -> Expression:
        return self._before[1] + combined(slopes, row)

    def rates(self, start: RodRates, rate: Expression) -> CellRates:
        """Rates at the points and the end, from those at the start and the rates of the piece's coordinates."""
        tangents, rows = self._tangent_rates(start, rate)
        v_dot = self._integrated(tangents, start.v_dot, self.cell.integrals[-1:])[0]
        return CellRates(rows[:-1], ca.horzsplit(tangents), RodRates(*rows[-1], v_dot))

    def _tangent_rates(
        self, start: RodRates, rate: Expression
    ) -> tuple[Expression, list[tuple[Expression, Expression]]]:
        """Accelerations of the tangents (3 x m), and angular velocity and acceleration at points and end."""
        w, w_dot, rows = start.w, start.w_dot, []
        for turn in self.turns:
            w, w_dot = turn.rates(w, w_dot, rate)
            rows.append((w, w_dot))
        tangents = []
        for l, ((w, w_dot), d) in enumerate(zip(rows[:-1], self.tangents, strict=True)):
            stretched = self.turns[l].R @ self.piece.strain(self.cell, l, rate)
            tangents.append(ca.cross(w_dot, d) + ca.cross(w, ca.cross(w, d) + 2 * stretched))
        return ca.horzcat(*tangents), rows

    # -- sections between the points ----------------------------------------------------------------------------------

    def _branch(self, s: float) -> tuple[int, SpatialTurn | AxisTurn, Array]:
        """Last point before an abscissa, the step from there, and the row of the integral up to it."""
        cell = self.cell
        k = int(np.searchsorted(cell.points, s, side="right"))
        before = cell.points[k - 1] if k else cell.start
        step = self.piece.piece.step(float(before), s, cell.curvature)
        R, angle = self._first[0], self._first[2]
        if k:
            R, angle = self.turns[k - 1].R, getattr(self.turns[k - 1], "angle", angle)
        half = (cell.end - cell.start) / 2
        row = half * integration_rows(np.array([(s - cell.start) / half - 1]), len(cell.points))
        return k, self.piece.turn(step, R, angle), row

    def position(self, s: float) -> Expression:
        """Position of the section at an abscissa."""
        half = (self.cell.end - self.cell.start) / 2
        row = half * integration_rows(np.array([(s - self.cell.start) / half - 1]), len(self.cell.points))
        return self._integrated(self._tangents, self._first[1], row)[0]

    def pose_at(self, s: float) -> tuple[Expression, Expression]:
        """Rotation and position of the section at an abscissa."""
        _, turn, row = self._branch(s)
        return turn.R, self._integrated(self._tangents, self._first[1], row)[0]

    def angle_at(self, s: float) -> Expression | None:
        """Angle of the section at an abscissa where all turn about one axis, else None."""
        turn = self._branch(s)[1]
        return turn.angle if isinstance(turn, AxisTurn) else None

    def columns_at(self, s: float) -> tuple[Expression, Expression]:
        """`columns` at an abscissa."""
        k, turn, row = self._branch(s)
        turned, slopes = self._tangent_columns
        T = (turned[k - 1] if k else self._before[0]) + turn.columns
        return T, self._moved(slopes, row[0])

    def rates_at(self, s: float, start: RodRates, rate: Expression) -> RodRates:
        """`rates` at an abscissa."""
        k, turn, row = self._branch(s)
        tangents, rows = self._tangent_rates(start, rate)
        w, w_dot = turn.rates(*(rows[k - 1] if k else (start.w, start.w_dot)), rate)
        return RodRates(w, w_dot, self._integrated(tangents, start.v_dot, row)[0])


def combined(matrices: list[Expression], row: Array) -> Expression:
    """Sum of matrices of one shape with constant factors."""
    flat = ca.horzcat(*[ca.vec(x) for x in matrices])
    return ca.reshape(flat @ sparse(np.asarray(row)), matrices[0].shape)


def _crossed(T: Expression, d: Expression) -> Expression:
    """Columns ``T_j x d``."""
    return -cross_matrix(d) @ T


def _begin(w: Expression) -> RodRates:
    return RodRates(w, ca.SX(3, 1), ca.SX(3, 1))


class RodKinematics:
    """Motion of all sections of a rod.

    Parameters
    ----------
    points
        The constants of its points.
    delta
        Symbols of its coordinates.
    """

    def __init__(self, points: RodPoints, delta: Expression) -> None:
        self.points, self.delta, self.n = points, delta, points.n
        R, p, angle = ca.SX.eye(3), ca.SX(3, 1), ca.SX(1, 1)
        self.pieces: list[PieceMotion] = []
        for piece in points.pieces:
            motion = PieceMotion(piece, delta[piece.range], R, p, points.axis, angle)
            self.pieces.append(motion)
            R, p, angle = motion.end

    @cached_property
    def screws(self) -> list[tuple[Expression, Expression]]:
        """Motion ``x' = u + T x x`` of all beyond a piece per rate of its coordinates: ``T``, ``u`` (3 x columns)."""
        result = []
        for motion in self.pieces:
            T, moved = motion.end_columns
            result.append((T, moved + cross_matrix(motion.end[1]) @ T))
        return result

    def rates(self, w: Expression, rate: Expression) -> list[tuple[RodRates, list[CellRates]]]:
        """Rates at the start and in the cells of each piece, for a frame that turns with ``w``."""
        start, result = _begin(w), []
        for motion in self.pieces:
            own, first, cells = rate[motion.piece.range], start, []
            for cell in motion.cells:
                cells.append(cell.rates(start, own))
                start = cells[-1].end
            result.append((first, cells))
        return result

    def _cell_of(self, s: float) -> tuple[int, CellMotion, float]:
        k = next((i for i, m in enumerate(self.pieces) if s <= m.piece.end), len(self.pieces) - 1)
        cell, s = self.pieces[k].at(s)
        return k, cell, s

    def position(self, s: float) -> Expression:
        """Position of the section at an abscissa."""
        _, cell, s = self._cell_of(s)
        return cell.position(s)

    def pose(self, s: float) -> tuple[Expression, Expression]:
        """Rotation and position of the section at an abscissa."""
        _, cell, s = self._cell_of(s)
        return cell.end[:2] if s == cell.cell.end else cell.pose_at(s)

    def angle(self, s: float) -> Expression | None:
        """Angle of the section at an abscissa where all turn about one axis, else None."""
        _, cell, s = self._cell_of(s)
        return cell.angle_at(s)

    def columns(self, s: float) -> Expression:
        """Velocity and angular velocity (6 x n) of the section at an abscissa per rate of the coordinates."""
        k, cell, s = self._cell_of(s)
        T, moved = cell.end_columns if s == cell.cell.end else cell.columns_at(s)
        p = self.pose(s)[1]
        blocks = [ca.vertcat(u - cross_matrix(p) @ W, W) for W, u in self.screws[:k]]
        beyond = self.n - self.points.pieces[k].range.stop
        return ca.horzcat(*blocks, ca.vertcat(moved, T), ca.SX(6, beyond))

    def section_rates(self, s: float, w: Expression, rate: Expression) -> RodRates:
        """Rates of the section at an abscissa, for a frame that turns with ``w``."""
        k, cell, s = self._cell_of(s)
        start = _begin(w)
        for motion in self.pieces[: k + 1]:
            own = rate[motion.piece.range]
            for other in motion.cells:
                if other is cell and s != cell.cell.end:
                    return cell.rates_at(s, start, own)
                start = other.rates(start, own).end
                if other is cell:
                    return start
        return start
