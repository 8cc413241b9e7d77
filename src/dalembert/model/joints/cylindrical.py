"""Cylindrical joint: a turn about an axis and a slide along it, each free."""

from __future__ import annotations

import casadi as ca

from dalembert.core.types import Expression
from dalembert.model.joints.kind import JointKind, Turn
from dalembert.spatial.alignment import across, angle_about, misalignment
from dalembert.spatial.rotations import rotation_about

__all__ = ["Cylindrical"]


class Cylindrical(JointKind):
    """An angle about the axis ``a`` and a length along it: ``R = Rot(a, q_1)``, ``p = a q_2``, ``P = [0, a; a, 0]``."""

    name = "cylindrical"
    q = (".angle", ".slide")
    v = (".angle_dot", ".slide_dot")
    neutral = (0.0, 0.0)
    angles = (0,)
    wrapped = (0,)

    def motion(self, q: Expression) -> tuple[Expression, Expression]:
        """Turn about the axis and slide along it."""
        axis = ca.DM(self.axis)
        return rotation_about(axis, q[0]), axis * q[1]

    def subspace(self, q: Expression) -> Expression:
        """The axis as a rate of rotation, and as a velocity; the turn does not move it."""
        axis, zero = ca.DM(self.axis), ca.SX(3, 1)
        return ca.horzcat(ca.vertcat(zero, axis), ca.vertcat(axis, zero))

    def turns(self, q: Expression) -> list[Turn]:
        """The one turn."""
        return [(self.axis, q[0])]

    def constraints(self, R: Expression, p: Expression) -> Expression:
        """No displacement across the axis, the axes parallel."""
        first, second = across(self.axis)
        return ca.vertcat(ca.dot(first, p), ca.dot(second, p), misalignment(self.axis, R, self.axis))

    def state(self, R: Expression, p: Expression, pdot: Expression, w: Expression) -> tuple[Expression, Expression]:
        """Angle and displacement, rate and velocity."""
        axis = ca.DM(self.axis)
        q = ca.vertcat(angle_about(self.axis, R), ca.dot(axis, p))
        return q, ca.vertcat(ca.dot(axis, w), ca.dot(axis, pdot))
