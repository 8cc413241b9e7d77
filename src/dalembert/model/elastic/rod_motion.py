"""An exact rod as a flexible body on CasADi symbols: its inertia, its Coriolis terms and its sections.

The points of a piece follow from its tangents ``d_k`` by constants, so that its kinetic energy is a quadratic form of
their velocities (`PieceInertia`: ``c``, ``G = U^T U``, and vectors ``b`` of the inertia of sections). With the motions
``S = dd/d(delta)`` of the tangents and ``T`` of sections per rate of the coordinates, and ``y = G d``,

    V = sum c_k S_k,    H = sum (y_k x S_k + b b^T T_k),    M = Z^T Z,   Z = rows of U S and b^T T.

The accelerations ``d''`` of the tangents for constant rates and a frame that turns raise ``h = G d'' + c x_0''`` and
the moments ``e = d x h + d(b b^T w)/dt``: ``sum T_k^T e_k`` on the coordinates, ``sum e_k`` about the start ``x_0``.

Sums run over the points of one piece and its own coordinates. Beyond the piece these move everything as a rigid
body by the screws ``S = [u; T]``: with the inertia ``I_o`` of all beyond, they add ``I_o S`` to ``[V; H]`` and
``S^T I_o S`` to ``M``, and ``S^T [V; H]`` is the block between two pieces. Coriolis forces are summed in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from dalembert.core.types import Expression
from dalembert.model.elastic.contract import EnergyField
from dalembert.model.elastic.rod_kinematics import CellRates, PieceMotion, RodKinematics, RodRates, combined
from dalembert.model.elastic.rod_points import PieceInertia
from dalembert.model.elastic.rod_turns import sparse
from dalembert.spatial.inertia import Inertia, symmetric
from dalembert.spatial.rotations import cross_matrix

__all__ = ["RodBody", "RodSection", "rod_field"]


@dataclass(frozen=True, eq=False)
class _Mass:
    """Mass of a piece per unit density, with the tangents ``d``, ``y = G d`` and vectors ``b`` in axes of the body."""

    motion: PieceMotion
    inertia: PieceInertia

    @cached_property
    def d(self) -> list[Expression]:
        """Tangents at the points."""
        return [d for cell in self.motion.cells for d in cell.tangents]

    @cached_property
    def y(self) -> list[Expression]:
        """``G d``."""
        return self.spread(self.d)

    @cached_property
    def axes(self) -> list[list[Expression]]:
        """Vectors ``b`` at the points."""
        R = [cell.turns[l].R for cell in self.motion.cells for l in range(len(cell.cell.points))]
        return [[R @ sparse(b) for b in axes] for R, axes in zip(R, self.inertia.axes, strict=True)]

    @property
    def columns(self) -> list[tuple[Expression, Expression]]:
        """``T`` and ``S`` at the points."""
        return [c for cell in self.motion.cells for c in cell.columns]

    def spread(self, values: list[Expression]) -> list[Expression]:
        """``G`` times vectors at the points."""
        return [combined(values, row) for row in self.inertia.G]

    @cached_property
    def rigid(self) -> Inertia:
        """Rigid inertia about the origin."""
        p, m = self.motion.start, self.inertia.mass
        f = combined(self.d, self.inertia.c)
        Q = ca.triu(m * (p @ p.T) + p @ f.T + f @ p.T)
        for d, y in zip(self.d, self.y, strict=True):
            Q = Q + ca.triu(d @ y.T)
        Q = symmetric(Q)
        turning = sum((ca.triu(b @ b.T) for axes in self.axes for b in axes), ca.SX(3, 3))
        return Inertia.rigid(m, m * p + f, ca.trace(Q) * ca.SX.eye(3) - Q + turning)

    @cached_property
    def turning(self) -> list[list[Expression]]:
        """Rows ``b^T T`` at the points."""
        return [[b.T @ T for b in axes] for (T, _), axes in zip(self.columns, self.axes, strict=True)]

    @cached_property
    def rows(self) -> Expression:
        """``Z``: the mass matrix of its coordinates is ``Z^T Z``."""
        slopes = [S for _, S in self.columns]
        moving = [combined(slopes, row) for row in self.inertia.U]
        return ca.vertcat(*moving, *(row for rows in self.turning for row in rows))

    def couplings(self) -> tuple[Expression, Expression]:
        """``V`` and ``H`` (3 x columns)."""
        V = combined([S for _, S in self.columns], self.inertia.c)
        H = cross_matrix(self.motion.start) @ V
        for (_, S), y, axes, turning in zip(self.columns, self.y, self.axes, self.turning, strict=True):
            H = H + cross_matrix(y) @ S
            for b, row in zip(axes, turning, strict=True):
                H = H + b @ row
        return V, H

    def forces(self, start: RodRates, cells: list[CellRates]) -> tuple[Expression, Expression, Expression]:
        """Inertia force, its moment about the origin, and forces on its coordinates."""
        tangents = [x for cell in cells for x in cell.tangents]
        turned = [x for cell in cells for x in cell.turned]
        force = self.inertia.mass * start.v_dot + combined(tangents, self.inertia.c)
        moment, own = ca.cross(self.motion.start, force), ca.SX(len(self.motion.piece.columns), 1)
        spread = zip(self.spread(tangents), self.inertia.c, strict=True)
        for k, (g, c) in enumerate(spread):
            h, e = g + float(c) * start.v_dot, ca.SX(3, 1)
            w, w_dot = turned[k]
            for b in self.axes[k]:
                e = e + ca.dot(b, w_dot) * b + ca.dot(b, w) * ca.cross(w, b)
            e = e + ca.cross(self.d[k], h)
            moment, own = moment + e, own + self.columns[k][0].T @ e
            if self.motion.piece.extends:
                own = own + self.motion.strain_rows(k).T @ h
        return force, moment, own


class RodBody:
    """Inertia, strain and Coriolis forces of a rod in the axes of its frame.

    Parameters
    ----------
    kinematics
        Motion of its sections.
    density, stiffness, damping
        Density, stiffness matrix and damping matrix (n x n).
    loses
        Whether there is damping.
    """

    constant = False

    def __init__(
        self,
        kinematics: RodKinematics,
        density: Expression | float,
        stiffness: Expression,
        damping: Expression,
        *,
        loses: bool,
    ) -> None:
        self._k, self._rho, self.n = kinematics, density, kinematics.n
        self.stiffness, self.damping, self.loses = stiffness, damping, loses

    @cached_property
    def _masses(self) -> list[_Mass]:
        return [_Mass(motion, motion.piece.inertia) for motion in self._k.pieces]

    @cached_property
    def _beyond(self) -> list[Inertia]:
        """Inertia of all beyond each piece, per unit density; the last entry is that of nothing."""
        result = [Inertia.zero()]
        for mass in reversed(self._masses[1:]):
            result.append(result[-1] + mass.rigid)
        return result[::-1]

    @cached_property
    def _whole(self) -> Inertia:
        return self._beyond[0] + self._masses[0].rigid

    @property
    def mass(self) -> Expression | float:
        """Mass."""
        return self._rho * self._k.points.volume

    @property
    def _first(self) -> Expression:
        B = self._whole.B
        return ca.vertcat(B[1, 2], B[2, 0], B[0, 1])

    @cached_property
    def first_moment(self) -> Expression:
        """First moment."""
        return self._rho * self._first

    @property
    def deformed_first_moment(self) -> Expression:
        """First moment: the mass matrix knows of the deformation."""
        return self.first_moment

    @property
    def inertia(self) -> Expression:
        """Inertia about the origin."""
        return self._rho * self._whole.D

    @cached_property
    def _couplings(self) -> list[tuple[Expression, Expression]]:
        """``V`` and ``H`` (3 x columns) of each piece, per unit density."""
        result = []
        for k, mass in enumerate(self._masses):
            V, H = mass.couplings()
            if k + 1 < len(self._masses):
                T, u = self._k.screws[k]
                f, n = self._beyond[k].times(u, T)
                V, H = V + f, H + n
            result.append((V, H))
        return result

    @cached_property
    def V(self) -> Expression:
        """Coupling of translation and coordinates (3 x n)."""
        return self._rho * ca.horzcat(*[V for V, _ in self._couplings])

    @cached_property
    def H(self) -> Expression:
        """Coupling of rotation and coordinates (3 x n)."""
        return self._rho * ca.horzcat(*[H for _, H in self._couplings])

    @cached_property
    def modal_mass(self) -> Expression:
        """Mass matrix of the coordinates (n x n)."""
        rows: list[list[Expression]] = []
        for k, mass in enumerate(self._masses):
            own = _half_product(mass.rows, mass.rows)
            coupled = []
            if k + 1 < len(self._masses):
                T, u = self._k.screws[k]
                f, n = self._beyond[k].times(u, T)
                own = own + _half_product(u, f) + _half_product(T, n)
                coupled = [u.T @ V + T.T @ H for V, H in self._couplings[k + 1 :]]
            rows.append([ca.SX(own.shape[0], mass.motion.piece.first), own, *coupled])
        return self._rho * ca.triu2symm(ca.vertcat(*[ca.horzcat(*row) for row in rows]))

    def coriolis(
        self, w: Expression, rate: Expression, v: Expression | None = None
    ) -> tuple[Expression, Expression, Expression]:
        """Force, moment and force on the coordinates beyond those of a rigid body of this inertia."""
        force, moment = ca.SX(3, 1), ca.SX(3, 1)
        modal: list[Expression] = []
        rates = self._k.rates(w, rate)
        for k in range(len(self._masses) - 1, -1, -1):
            f, n, own = self._masses[k].forces(*rates[k])
            if modal:
                T, u = self._k.screws[k]
                own = own + u.T @ force + T.T @ moment
            force, moment = force + f, moment + n
            modal.insert(0, own)
        force = force - ca.cross(w, ca.cross(w, self._first))
        moment = moment - ca.cross(w, self._whole.D @ w)
        return self._rho * force, self._rho * moment, self._rho * ca.vertcat(*modal)

    def coriolis_blocks(self, w: Expression, rate: Expression) -> tuple[Expression, Expression, Expression, Expression]:
        """Blocks (rr, rd, dr, dd) of ``int E^T (w^ E + E') dm``, by differentiation of the points and directors."""
        field = rod_field(self._k, ca.SX.eye(3), ca.SX(3, 1), self._rho)
        delta, n = self._k.delta, self.n
        rr, rd, dr, dd = ca.SX(6, 6), ca.SX(6, n), ca.SX(n, 6), ca.SX(n, n)
        share = self._shares(field)
        columns = [ca.horzsplit(x) for x in (field.left, field.right)]
        for i, (x, y) in enumerate(zip(*columns, strict=True)):
            E, F = (self._moved(z, share[i], delta) for z in (x, y))
            weight = field.weights[i] / 2
            for one, other in ((E, F), (F, E)):
                change = _spun(w, other) + ca.reshape(ca.jtimes(ca.vec(other), delta, rate), 3, 6 + n)
                B = weight * (one.T @ change)
                rr, rd, dr, dd = rr + B[:6, :6], rd + B[:6, 6:], dr + B[6:, :6], dd + B[6:, 6:]
        return rr, rd, dr, dd

    def _shares(self, field: EnergyField) -> list[float]:
        """1 for points, 0 for directors."""
        points = sum(len(mass.d) for mass in self._masses)
        return [1.0] * points + [0.0] * (field.left.shape[1] - points)

    @staticmethod
    def _moved(x: Expression, share: float, delta: Expression) -> Expression:
        """Velocity of a vector of the body per twist and rates (3 x (6 + n))."""
        return ca.densify(ca.horzcat(share * ca.SX.eye(3), -cross_matrix(x), ca.jacobian(x, delta)))


def _spun(w: Expression, E: Expression) -> Expression:
    return cross_matrix(w) @ E


def _half_product(A: Expression, B: Expression) -> Expression:
    """Upper triangle of a symmetric product ``A^T B``."""
    n = A.shape[1]
    rows = [ca.horzcat(ca.SX(1, i), A[:, i].T @ B[:, i:]) for i in range(n)]
    return ca.vertcat(*rows)


class RodSection:
    """Motion of a section of a rod in the frame of the rod.

    Parameters
    ----------
    kinematics
        Motion of all sections.
    s
        Its abscissa.
    """

    def __init__(self, kinematics: RodKinematics, s: float) -> None:
        self._k, self._s = kinematics, s
        self.R, self.p = kinematics.pose(s)

    @property
    def lever(self) -> Expression:
        """Position in the propagation of twists."""
        return self.p

    @property
    def turns(self) -> list[tuple[int, Expression | float, Expression | float]] | None:
        """The rotation as a turn about a coordinate axis; None in space."""
        axis = self._k.points.axis
        if axis is None:
            return None
        i, j = (axis + 1) % 3, (axis + 2) % 3
        return [(axis, self.R[i, i], self.R[j, i])]

    def angle(self, axis: int) -> Expression | None:
        """Angle of the section if it turns about this coordinate axis alone, else None."""
        return self._k.angle(self._s) if self._k.points.axis == axis else None

    @cached_property
    def S(self) -> Expression:
        """Twist (6 x n) per rate of the coordinates."""
        return self._k.columns(self._s)

    @property
    def mixed(self) -> Expression:
        """`S`: the rates of three angles are the angular velocity here."""
        return self.S

    @property
    def rates(self) -> Expression:
        """Identity."""
        return ca.SX.eye(3)

    def twist(self, rate: Expression) -> tuple[Expression, Expression]:
        """Velocity and angular velocity of the section in the frame of the rod."""
        x = self.S @ rate
        return x[:3], x[3:]

    def convective(self, w: Expression, rate: Expression) -> tuple[Expression, Expression]:
        """Linear and angular acceleration of the section without those of the frame and of the coordinates."""
        r = self._k.section_rates(self._s, w, rate)
        return r.v_dot, r.w_dot


def rod_field(kinematics: RodKinematics, R: Expression, p: Expression, density: Expression | float) -> EnergyField:
    """Moving points and directors of a rod whose frame has the pose (R, p)."""
    cells = [cell for motion in kinematics.pieces for cell in motion.cells]
    points, weights, directors = [], [], []
    for cell in cells:
        for l, (w, A) in enumerate(zip(cell.cell.weights, cell.cell.area, strict=True)):
            points.append(p + R @ cell.positions[l])
            weights.append(float(w * A))
            I_y, I_z, I_yz = w * cell.cell.moments[l]
            d = {axis: R @ cell.turns[l].R[:, axis] for axis in (1, 2)}
            directors += [(I_z, d[1], d[1]), (I_y, d[2], d[2]), (2 * I_yz, d[1], d[2])]
    moving = [x for x in directors if x[0] != 0.0]
    first = ca.horzcat(*points) @ ca.DM(weights)
    return EnergyField(
        ca.horzcat(*points, *(x for _, x, _ in moving)),
        ca.horzcat(*points, *(y for _, _, y in moving)),
        density * ca.SX(ca.DM([*weights, *(float(x) for x, _, _ in moving)])),
        density * kinematics.points.volume,
        density * first,
    )
