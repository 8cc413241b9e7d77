"""Prismatic joint: a slide along an axis."""

from __future__ import annotations

import casadi as ca

from dalembert.core.types import Expression
from dalembert.model.joints.kind import JointKind, Turn
from dalembert.spatial.alignment import across, rotation_error

__all__ = ["Prismatic"]


class Prismatic(JointKind):
    """One length along the axis ``a``: ``p = a q``, ``P = [a; 0]``."""

    name = "prismatic"
    q = ("",)
    v = ("_dot",)
    neutral = (0.0,)

    def motion(self, q: Expression) -> tuple[Expression, Expression]:
        """Slide along the axis."""
        return ca.SX.eye(3), ca.DM(self.axis) * q[0]

    def subspace(self, q: Expression) -> Expression:
        """The axis as a velocity."""
        return ca.vertcat(ca.DM(self.axis), ca.SX(3, 1))

    def turns(self, q: Expression) -> list[Turn]:
        """None at all."""
        return []

    def constraints(self, R: Expression, p: Expression) -> Expression:
        """No displacement across the axis, no rotation."""
        first, second = across(self.axis)
        return ca.vertcat(ca.dot(first, p), ca.dot(second, p), rotation_error(R))

    def state(self, R: Expression, p: Expression, pdot: Expression, w: Expression) -> tuple[Expression, Expression]:
        """Displacement and velocity along the axis."""
        axis = ca.DM(self.axis)
        return ca.dot(axis, p), ca.dot(axis, pdot)
