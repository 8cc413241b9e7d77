"""Planar joint: two slides in a plane and a turn about its normal."""

from __future__ import annotations

import casadi as ca

from dalembert.core.types import Expression
from dalembert.model.joints.kind import JointKind, Turn
from dalembert.spatial.alignment import angle_about, misalignment, plane_axes
from dalembert.spatial.rotations import cross_matrix, rotation_about

__all__ = ["Planar"]


class Planar(JointKind):
    """Two lengths along the axes ``E`` of the plane, and an angle about its normal ``n``.

    ``R = Rot(n, q_3)``, ``p = E (q_1, q_2)``, ``P = [R^T E, 0; 0, n]``. ``E`` has the directions of x and y after the
    least rotation from z to the normal.
    """

    name = "planar"
    q = (".x", ".y", ".angle")
    v = (".x_dot", ".y_dot", ".angle_dot")
    neutral = (0.0, 0.0, 0.0)
    angles = (2,)
    wrapped = (2,)
    constant = False

    @property
    def _plane(self) -> ca.DM:
        return ca.DM(plane_axes(self.axis)[:, :2])

    def motion(self, q: Expression) -> tuple[Expression, Expression]:
        """Slides in the plane, turn about its normal."""
        return rotation_about(ca.DM(self.axis), q[2]), self._plane @ q[:2]

    def subspace(self, q: Expression) -> Expression:
        """The axes of the plane seen from the body that turns; the normal."""
        Rt = rotation_about(ca.DM(self.axis), q[2]).T
        return ca.vertcat(ca.horzcat(Rt @ self._plane, ca.SX(3, 1)), ca.horzcat(ca.SX(3, 2), ca.DM(self.axis)))

    def subspace_rate(self, q: Expression, v: Expression) -> Expression:
        """The axes of the plane turn backwards."""
        spin = cross_matrix(ca.DM(self.axis)) * v[2]
        return ca.vertcat(ca.horzcat(-spin @ self.subspace(q)[:3, :2], ca.SX(3, 1)), ca.SX(3, 3))

    def turns(self, q: Expression) -> list[Turn]:
        """The one turn."""
        return [(self.axis, q[2])]

    def constraints(self, R: Expression, p: Expression) -> Expression:
        """No displacement along the normal, the normals parallel."""
        return ca.vertcat(ca.dot(ca.DM(self.axis), p), misalignment(self.axis, R, self.axis))

    def state(self, R: Expression, p: Expression, pdot: Expression, w: Expression) -> tuple[Expression, Expression]:
        """Displacements in the plane and angle about the normal, and their rates."""
        E = self._plane
        return (
            ca.vertcat(E.T @ p, angle_about(self.axis, R)),
            ca.vertcat(E.T @ pdot, ca.dot(ca.DM(self.axis), w)),
        )
