"""Kinematics of an exact rod on CasADi symbols: a recursion over its points.

With the curvature ``k`` and the strain ``e`` of a section in its own axes (J. C. Simo, L. Vu-Quoc, "A three-dimensional
finite-strain rod model, part II", Comput. Methods Appl. Mech. Eng. 58 (1986) 79-116),

    R' = R k^,      r' = R (e_x + e),      R(0) = 1,  r(0) = 0.

Where sections turn about one axis only, the angle is the integral of a polynomial, so that the rotation is exact.
In space each step is ``R_1 = R_0 exp(W^)``, ``W`` the Magnus expansion of order 6 of the curvature. With

    dexp(W) = 1 + b W^ + c W^ W^,    b = (1 - cos w)/w^2,   c = (w - sin w)/w^3,   w = |W|,

the derivatives follow step by step, exact for the discrete rotations:

    T_1 = T_0 + R_0 dexp(W) dW/d(delta),   w_1 = w_0 + R_0 y,   w_1' = w_0' + w_0 x R_0 y + R_0 y',   y = dexp(W) W',

``T`` being the angular velocity per rate of the coordinates, ``w`` that of a section. A coordinate of a piece moves all
that is beyond the piece as a rigid body: `RodKinematics.screws` has these motions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import factorial

import casadi as ca
import numpy as np

from dalembert.core.types import Array, Expression
from dalembert.model.elastic.rod_points import RodCell, RodPiece, RodPoints, RodStep, integration_rows
from dalembert.spatial.rotations import cross_matrix

__all__ = ["PieceMotion", "RodKinematics", "RodRates"]

_TERMS = 9
"""Terms of the series of b and c: rounding for steps of 1 rad, 1e-12 for steps of 2 rad."""
_X = ca.DM([1.0, 0.0, 0.0])


def _sparse(x: Array) -> ca.DM:
    return ca.sparsify(ca.DM(x))


def _coefficients(t: Expression, derivative: int = 0) -> tuple[Expression, Expression]:
    """``b`` and ``c``, or their derivatives, as series of ``t = w^2``."""
    b, c = ca.SX(0), ca.SX(0)
    for k in range(_TERMS - 1, derivative - 1, -1):
        share = float((-1) ** k * (k if derivative else 1))
        b, c = b * t + share / factorial(2 * k + 2), c * t + share / factorial(2 * k + 3)
    return b, c


class _Magnus:
    """``W = a_1 + a_3/12 - X x Y/240`` and its derivatives, from the generators ``a`` of a step."""

    def __init__(self, a: tuple[Expression, Expression, Expression]) -> None:
        a1, a2, a3 = a
        self.a = a
        self.C = ca.cross(a1, a2)
        self.Z = self.C - 2 * a3
        self.X = 20 * a1 + a3 + self.C
        self.Y = ca.cross(a1, self.Z) / 60 - a2
        self.W = a1 + a3 / 12 - ca.cross(self.X, self.Y) / 240

    def jacobians(self) -> tuple[Expression, Expression, Expression]:
        """``dW/da_1, dW/da_2, dW/da_3`` (3 x 3)."""
        A1, A2, one = cross_matrix(self.a[0]), cross_matrix(self.a[1]), ca.SX.eye(3)
        X, Y, Z = (cross_matrix(x) for x in (self.X, self.Y, self.Z))
        dC = (-A2, A1, ca.SX(3, 3))
        dZ = (dC[0], dC[1], -2 * one)
        dX = (20 * one + dC[0], dC[1], one)
        dY = ((A1 @ dZ[0] - Z) / 60, A1 @ dZ[1] / 60 - one, A1 @ dZ[2] / 60)
        first = (one, ca.SX(3, 3), one / 12)
        return tuple(f - (X @ y - Y @ x) / 240 for f, x, y in zip(first, dX, dY, strict=True))  # type: ignore[return-value]

    def rates(self, d: tuple[Expression, Expression, Expression]) -> tuple[Expression, Expression]:
        """``W'`` and ``W''`` for constant rates of the generators."""
        (a1, a2, _), (d1, d2, d3) = self.a, d
        C1, C2 = ca.cross(d1, a2) + ca.cross(a1, d2), 2 * ca.cross(d1, d2)
        Z1 = C1 - 2 * d3
        X1 = 20 * d1 + d3 + C1
        Y1 = (ca.cross(d1, self.Z) + ca.cross(a1, Z1)) / 60 - d2
        Y2 = (2 * ca.cross(d1, Z1) + ca.cross(a1, C2)) / 60
        W1 = d1 + d3 / 12 - (ca.cross(X1, self.Y) + ca.cross(self.X, Y1)) / 240
        W2 = -(ca.cross(C2, self.Y) + 2 * ca.cross(X1, Y1) + ca.cross(self.X, Y2)) / 240
        return W1, W2


@dataclass(frozen=True, eq=False)
class RodRates:
    """Angular velocity, angular acceleration, velocity and acceleration of a section for constant rates."""

    w: Expression
    w_dot: Expression
    v: Expression
    v_dot: Expression


_AT_REST = RodRates(*(ca.SX(3, 1) for _ in range(4)))


class _Turn:
    """A step of the rotation in space."""

    def __init__(self, step: RodStep, piece: RodPiece, delta: Expression, R: Expression) -> None:
        self._step, self._piece, self._R0 = step, piece, R
        self._magnus = _Magnus(self._generators(delta, step.rest))
        W = self._W = self._magnus.W
        self._t = ca.dot(W, W)
        self._b, self._c = _coefficients(self._t)
        S = cross_matrix(W)
        self._S, self._SS = S, S @ S
        self.R = R @ (ca.SX.eye(3) + (1 - self._c * self._t) * S + self._b * self._SS)

    def _generators(self, x: Expression, rest: Array) -> tuple[Expression, Expression, Expression]:
        columns = self._piece.columns
        shares = np.zeros((3, 3, len(columns)))
        for j, c in enumerate(columns):
            if c.component < 3:
                shares[:, c.component, j] = self._step.shares[j]
        a1, a2, a3 = (_sparse(rest[:, k]) + _sparse(shares[k]) @ x for k in range(3))
        return a1, a2, a3

    @cached_property
    def columns(self) -> Expression:
        """``R_0 dexp(W) dW/d(delta)`` (3 x columns of the piece)."""
        A = self._R0 @ (ca.SX.eye(3) + self._b * self._S + self._c * self._SS)
        by = [A @ J for J in self._magnus.jacobians()]
        shares = self._step.shares
        columns = [
            sum((float(shares[j, k]) * by[k][:, c.component] for k in range(3) if shares[j, k]), ca.SX(3, 1))
            if c.component < 3
            else ca.SX(3, 1)
            for j, c in enumerate(self._piece.columns)
        ]
        return ca.horzcat(*columns)

    def rates(self, w: Expression, w_dot: Expression, rate: Expression) -> tuple[Expression, Expression]:
        """Angular velocity and acceleration behind the step."""
        W1, W2 = self._magnus.rates(self._generators(rate, np.zeros((3, 3))))
        W, b, c = self._W, self._b, self._c
        db, dc = _coefficients(self._t, derivative=1)
        t_dot = 2 * ca.dot(W, W1)
        u, u2 = ca.cross(W, W1), ca.cross(W, W2)
        uu = ca.cross(W, u)
        y = W1 + b * u + c * uu
        y_dot = W2 + b * u2 + c * ca.cross(W, u2) + (db * t_dot) * u + (dc * t_dot) * uu + c * ca.cross(W1, u)
        turned = self._R0 @ y
        return w + turned, w_dot + ca.cross(w, turned) + self._R0 @ y_dot


class _AxisTurn:
    """A step of the rotation about one coordinate axis: the angle is linear in the coordinates."""

    def __init__(self, step: RodStep, piece: RodPiece, delta: Expression, angle: Expression, axis: int) -> None:
        self._axis = axis
        turned = step.shares[:, 0] + step.shares[:, 2] / 12
        self._shares = np.array([x if c.component == axis else 0.0 for x, c in zip(turned, piece.columns, strict=True)])
        rest = float(step.rest[axis, 0] + step.rest[axis, 2] / 12)
        self.angle = angle + rest + _sparse(self._shares[None, :]) @ delta
        self.R = _rotation(axis, self.angle)

    @property
    def columns(self) -> Expression:
        """Constant angular velocities (3 x columns of the piece)."""
        rows = np.zeros((3, len(self._shares)))
        rows[self._axis] = self._shares
        return ca.SX(_sparse(rows))

    def rates(self, w: Expression, w_dot: Expression, rate: Expression) -> tuple[Expression, Expression]:
        """Angular velocity behind the step; its derivative is zero."""
        return w + self.columns @ rate, w_dot


def _rotation(axis: int, angle: Expression) -> Expression:
    """Rotation about a coordinate axis, with its zeros left out."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = ca.SX(3, 3)
    R[axis, axis] = 1
    R[i, i] = R[j, j] = ca.cos(angle)
    R[j, i] = ca.sin(angle)
    R[i, j] = -R[j, i]
    return R


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
        return _sparse(P) @ x if P.any() else ca.SX(3, 1)

    def strain_columns(self, cell: RodCell, l: int, R: Expression) -> Expression:
        """``R de/d(delta)`` (3 x columns)."""
        columns = [
            R[:, c.component - 3] * float(cell.strains[l, j]) if c.component >= 3 else ca.SX(3, 1)
            for j, c in enumerate(self.piece.columns)
        ]
        return ca.horzcat(*columns)

    def begin(self, k: int) -> tuple[Expression, Expression, Expression]:
        """Rotation, position and angle at the start of cell ``k``."""
        return self._start if k == 0 else self.cells[k - 1].end

    def turn(self, step: RodStep, R: Expression, angle: Expression) -> _Turn | _AxisTurn:
        """Make a step of the rotation."""
        if self._axis is None:
            return _Turn(step, self.piece, self.delta, R)
        return _AxisTurn(step, self.piece, self.delta, angle, self._axis)

    @property
    def end(self) -> tuple[Expression, Expression, Expression]:
        """Rotation, position and angle of the last section."""
        return self.cells[-1].end

    @property
    def end_columns(self) -> tuple[Expression, Expression]:
        """Angular velocity and velocity (3 x columns each) of the last section per rate of the coordinates."""
        return self.cells[-1].columns[-1]

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
        self.turns: list[_Turn | _AxisTurn] = []
        for step in cell.steps:
            self.turns.append(piece.turn(step, R, angle))
            R, angle = self.turns[-1].R, getattr(self.turns[-1], "angle", angle)
        self.tangents = [self.turns[l].R @ (_X + piece.strain(cell, l, piece.delta)) for l in range(len(cell.points))]
        self._tangents = ca.horzcat(*self.tangents)
        self.positions = self._integrated(self._tangents, p)
        self.end = (R, self.positions[-1], angle)

    def _integrated(self, values: Expression, start: Expression, rows: Array | None = None) -> list[Expression]:
        """Integrals of vectors at the points (3 x m): at each point and at the end."""
        table = self.cell.integrals if rows is None else rows
        return [start + values @ ca.DM(row) for row in table]

    @cached_property
    def _before(self) -> tuple[Expression, Expression]:
        """Angular velocity and velocity per rate at the start of the cell."""
        n = len(self.piece.piece.columns)
        return (ca.SX(3, n), ca.SX(3, n)) if self._index == 0 else self.piece.cells[self._index - 1].columns[-1]

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

    @cached_property
    def columns(self) -> list[tuple[Expression, Expression]]:
        """Angular velocity and velocity (3 x columns each) per rate of the coordinates, at the points and the end."""
        turned, slopes = self._tangent_columns
        moved = self._spread(slopes, self.cell.integrals)
        return list(zip(turned, moved, strict=True))

    def _spread(self, slopes: list[Expression], table: Array) -> list[Expression]:
        n = slopes[0].shape[1]
        flat = ca.horzcat(*[ca.reshape(x, 3 * n, 1) for x in slopes])
        return [self._before[1] + ca.reshape(flat @ ca.DM(row), 3, n) for row in table]

    def rates(self, start: RodRates, rate: Expression) -> list[RodRates]:
        """Rates at the points and the end, from those at the start and the rates of the piece's coordinates."""
        tangents, rows = self._tangent_rates(start, rate)
        v = ca.horzcat(*[x for x, _ in tangents])
        a = ca.horzcat(*[x for _, x in tangents])
        moved = zip(self._integrated(v, start.v), self._integrated(a, start.v_dot), strict=True)
        return [RodRates(w, w_dot, x, y) for (w, w_dot), (x, y) in zip(rows, moved, strict=True)]

    def _tangent_rates(
        self, start: RodRates, rate: Expression
    ) -> tuple[list[tuple[Expression, Expression]], list[tuple[Expression, Expression]]]:
        w, w_dot, rows = start.w, start.w_dot, []
        for turn in self.turns:
            w, w_dot = turn.rates(w, w_dot, rate)
            rows.append((w, w_dot))
        tangents = []
        for l, ((w, w_dot), d) in enumerate(zip(rows[:-1], self.tangents, strict=True)):
            stretched = self.turns[l].R @ self.piece.strain(self.cell, l, rate)
            d_dot = ca.cross(w, d) + stretched
            tangents.append((d_dot, ca.cross(w_dot, d) + ca.cross(w, d_dot + stretched)))
        return tangents, rows

    # -- sections between the points ----------------------------------------------------------------------------------

    def _branch(self, s: float) -> tuple[int, _Turn | _AxisTurn, Array]:
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
        return turn.angle if isinstance(turn, _AxisTurn) else None

    def columns_at(self, s: float) -> tuple[Expression, Expression]:
        """`columns` at an abscissa."""
        k, turn, row = self._branch(s)
        turned, slopes = self._tangent_columns
        T = (turned[k - 1] if k else self._before[0]) + turn.columns
        return T, self._spread(slopes, row)[0]

    def rates_at(self, s: float, start: RodRates, rate: Expression) -> RodRates:
        """`rates` at an abscissa."""
        k, turn, row = self._branch(s)
        tangents, rows = self._tangent_rates(start, rate)
        w, w_dot = turn.rates(*(rows[k - 1] if k else (start.w, start.w_dot)), rate)
        v, a = (ca.horzcat(*[x[i] for x in tangents]) for i in range(2))
        return RodRates(w, w_dot, self._integrated(v, start.v, row)[0], self._integrated(a, start.v_dot, row)[0])


def _crossed(T: Expression, d: Expression) -> Expression:
    """Columns ``T_j x d``."""
    return -cross_matrix(d) @ T


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

    def rates(self, rate: Expression) -> list[list[list[RodRates]]]:
        """Rates at all points and ends, by piece and cell, for constant rates of the coordinates."""
        start, result = _AT_REST, []
        for motion in self.pieces:
            own = rate[motion.piece.range]
            cells = []
            for cell in motion.cells:
                cells.append(cell.rates(start, own))
                start = cells[-1][-1]
            result.append(cells)
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
        T, moved = cell.columns[-1] if s == cell.cell.end else cell.columns_at(s)
        p = self.pose(s)[1]
        blocks = [ca.vertcat(u - cross_matrix(p) @ W, W) for W, u in self.screws[:k]]
        beyond = self.n - self.points.pieces[k].range.stop
        return ca.horzcat(*blocks, ca.vertcat(moved, T), ca.SX(6, beyond))

    def section_rates(self, s: float, rate: Expression) -> RodRates:
        """Rates of the section at an abscissa for constant rates of the coordinates."""
        k, cell, s = self._cell_of(s)
        start = _AT_REST
        for motion in self.pieces[: k + 1]:
            own = rate[motion.piece.range]
            for other in motion.cells:
                if other is cell and s != cell.cell.end:
                    return cell.rates_at(s, start, own)
                start = other.rates(start, own)[-1]
                if other is cell:
                    return start
        return start
