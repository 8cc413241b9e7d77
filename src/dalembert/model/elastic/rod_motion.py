"""An exact rod as a flexible body on CasADi symbols: its inertia, its Coriolis terms and its sections.

Sections have the mass ``rho A`` per length at ``x = r(s)`` and the moments of inertia ``J`` in their own axes. With the
motions ``x_d`` of points and ``T`` of sections per rate of the coordinates, ``J_r = R J R^T`` and ``dm = rho A ds``,

    V = int x_d dm,    H = int x^ x_d dm + int J_r T ds,    M = int x_d^T x_d dm + int T^T J_r T ds.

Integrals run over the points of one piece and its own coordinates. Beyond the piece these move everything as a rigid
body by the screws ``S = [u; T]``: with the inertia ``I_o`` of all beyond, they add ``I_o S`` to ``[V; H]`` and
``S^T I_o S`` to ``M``, and ``S^T [V; H]`` is the block between two pieces. Coriolis forces are summed in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from dalembert.core.types import Array, Expression
from dalembert.model.elastic.contract import EnergyField
from dalembert.model.elastic.rod_kinematics import RodKinematics, RodRates
from dalembert.model.elastic.rod_points import RodCell
from dalembert.spatial.inertia import Inertia, symmetric
from dalembert.spatial.rotations import cross_matrix

__all__ = ["RodBody", "RodSection", "rod_field"]

_E = np.eye(3)


@dataclass(frozen=True, eq=False)
class _Slice:
    """Mass and section inertia of a point: weight ``m``, position ``x``, rotation ``R``, moments of inertia ``J``."""

    m: float
    x: Expression
    R: Expression
    J: Array

    @cached_property
    def J_r(self) -> Expression:
        """Moments of inertia in the axes of the body."""
        return symmetric(self.R @ ca.sparsify(ca.DM(self.J)) @ self.R.T)

    @property
    def turns(self) -> bool:
        """Whether it has inertia of rotation."""
        return bool(self.J.any())


def _section_inertia(cell: RodCell, l: int) -> Array:
    I_y, I_z, I_yz = cell.moments[l]
    J = np.diag([I_y + I_z, I_y, I_z])
    J[1, 2] = J[2, 1] = -I_yz
    return np.asarray(cell.weights[l] * J)


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
    def _slices(self) -> list[list[_Slice]]:
        """Slices by piece, per unit density."""
        return [
            [
                _Slice(float(w * A), cell.positions[l], cell.turns[l].R, _section_inertia(cell.cell, l))
                for cell in motion.cells
                for l, (w, A) in enumerate(zip(cell.cell.weights, cell.cell.area, strict=True))
            ]
            for motion in self._k.pieces
        ]

    @cached_property
    def _pieces(self) -> list[Inertia]:
        """Rigid inertia of each piece about the origin, per unit density."""
        result = []
        for slices in self._slices:
            m, c, G, I = 0.0, ca.SX(3, 1), ca.SX(3, 3), ca.SX(3, 3)
            for s in slices:
                carried = s.m * s.x
                m, c, G = m + s.m, c + carried, G + ca.triu(s.x @ carried.T)
                I = I + s.J_r if s.turns else I
            G = symmetric(G)
            result.append(Inertia.rigid(m, c, ca.trace(G) * ca.SX.eye(3) - G + I))
        return result

    @cached_property
    def _beyond(self) -> list[Inertia]:
        """Inertia of all beyond each piece, per unit density; the last entry is that of nothing."""
        result = [Inertia.zero()]
        for own in reversed(self._pieces[1:]):
            result.append(result[-1] + own)
        return result[::-1]

    @cached_property
    def _whole(self) -> Inertia:
        return self._beyond[0] + self._pieces[0]

    @property
    def mass(self) -> Expression | float:
        """Mass."""
        return self._rho * self._k.points.volume

    @cached_property
    def first_moment(self) -> Expression:
        """First moment."""
        B = self._whole.B
        return self._rho * ca.vertcat(B[1, 2], B[2, 0], B[0, 1])

    @property
    def deformed_first_moment(self) -> Expression:
        """First moment: the mass matrix knows of the deformation."""
        return self.first_moment

    @property
    def inertia(self) -> Expression:
        """Inertia about the origin."""
        return self._rho * self._whole.D

    def _columns(self, k: int) -> list[tuple[Expression, Expression]]:
        """``T`` and ``x_d`` of the slices of a piece for its own coordinates."""
        return [c for cell in self._k.pieces[k].cells for c in cell.columns[:-1]]

    @cached_property
    def _couplings(self) -> list[tuple[Expression, Expression]]:
        """``V`` and ``H`` (3 x columns) of each piece, per unit density."""
        result = []
        for k, slices in enumerate(self._slices):
            T, u = self._k.screws[k]
            V, H = self._beyond[k].times(u, T) if k + 1 < len(self._slices) else (ca.SX(*u.shape), ca.SX(*u.shape))
            for s, (W, moved) in zip(slices, self._columns(k), strict=True):
                V, H = V + s.m * moved, H + cross_matrix(s.m * s.x) @ moved
                H = H + s.J_r @ W if s.turns else H
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
        for k, slices in enumerate(self._slices):
            T, u = self._k.screws[k]
            own = ca.SX(u.shape[1], u.shape[1])
            for s, (W, moved) in zip(slices, self._columns(k), strict=True):
                own = own + _half_product(moved, s.m * moved)
                own = own + _half_product(W, s.J_r @ W) if s.turns else own
            if k + 1 < len(self._slices):
                f, n = self._beyond[k].times(u, T)
                own = own + _half_product(u, f) + _half_product(T, n)
            coupled = [u.T @ V + T.T @ H for V, H in self._couplings[k + 1 :]]
            rows.append([ca.SX(own.shape[0], self._k.points.pieces[k].first), own, *coupled])
        return self._rho * ca.triu2symm(ca.vertcat(*[ca.horzcat(*row) for row in rows]))

    def coriolis(
        self, w: Expression, rate: Expression, v: Expression | None = None
    ) -> tuple[Expression, Expression, Expression]:
        """Force, moment and force on the coordinates beyond those of a rigid body of this inertia."""
        force, moment, f_all, n_all = (ca.SX(3, 1) for _ in range(4))
        modal: list[Expression] = []
        rates = self._k.rates(rate)
        for k in range(len(self._slices) - 1, -1, -1):
            T, u = self._k.screws[k]
            own = u.T @ f_all + T.T @ n_all if k + 1 < len(self._slices) else ca.SX(u.shape[1], 1)
            moving = [r for cell in rates[k] for r in cell[:-1]]
            for s, (W, moved), r in zip(self._slices[k], self._columns(k), moving, strict=True):
                a = s.m * (2 * ca.cross(w, r.v) + r.v_dot)
                f = a + s.m * ca.cross(w, ca.cross(w, s.x))
                force, moment = force + a, moment + ca.cross(s.x, a)
                f_all, n_all = f_all + f, n_all + ca.cross(s.x, f)
                own = own + moved.T @ f
                if s.turns:
                    n = _turning(s, w, r)
                    moment = moment + n - ca.cross(w, s.J_r @ w)
                    n_all, own = n_all + n, own + W.T @ n
            modal.insert(0, own)
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
        points = sum(len(slices) for slices in self._slices)
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


def _turning(s: _Slice, w: Expression, r: RodRates) -> Expression:
    """Moment of inertia forces of a slice that turns with ``w`` and, relative to the frame, with ``r.w``."""
    total = w + r.w
    return s.J_r @ (ca.cross(w, r.w) + r.w_dot) + ca.cross(total, s.J_r @ total)


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
        r = self._k.section_rates(self._s, rate)
        return ca.cross(w, ca.cross(w, self.p) + 2 * r.v) + r.v_dot, ca.cross(w, r.w) + r.w_dot


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
