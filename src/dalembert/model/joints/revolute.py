"""Revolute joint: a turn about an axis."""

from __future__ import annotations

import casadi as ca

from dalembert.core.types import Expression
from dalembert.model.joints.kind import JointKind, Turn
from dalembert.spatial.alignment import angle_about, misalignment
from dalembert.spatial.rotations import rotation_about

__all__ = ["Revolute"]


class Revolute(JointKind):
    """One angle about the axis ``a``: ``R = Rot(a, q)``, ``P = [0; a]``."""

    name = "revolute"
    q = ("",)
    v = ("_dot",)
    neutral = (0.0,)
    angles = (0,)
    wrapped = (0,)

    def motion(self, q: Expression) -> tuple[Expression, Expression]:
        """Turn about the axis."""
        return rotation_about(ca.DM(self.axis), q[0]), ca.SX(3, 1)

    def subspace(self, q: Expression) -> Expression:
        """The axis as a rate of rotation."""
        return ca.vertcat(ca.SX(3, 1), ca.DM(self.axis))

    def turns(self, q: Expression) -> list[Turn]:
        """The one turn."""
        return [(self.axis, q[0])]

    def constraints(self, R: Expression, p: Expression) -> Expression:
        """The origins coincide, the axes are parallel."""
        return ca.vertcat(p, misalignment(self.axis, R, self.axis))

    def state(self, R: Expression, p: Expression, pdot: Expression, w: Expression) -> tuple[Expression, Expression]:
        """Angle and rate about the axis."""
        return angle_about(self.axis, R), ca.dot(ca.DM(self.axis), w)
