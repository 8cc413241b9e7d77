"""Screw joint: a turn about an axis and a slide along it, tied together by the pitch."""

from __future__ import annotations

import casadi as ca

from dalembert.core.types import Expression
from dalembert.model.joints.kind import JointKind, Turn
from dalembert.spatial.alignment import across, misalignment
from dalembert.spatial.rotations import rotation_about

__all__ = ["Screw"]


class Screw(JointKind):
    """One angle about the axis ``a``; the slide is the pitch ``h`` [m/rad] times the angle.

    ``R = Rot(a, q)``, ``p = a h q``, ``P = [a h; a]``. A lead ``l`` per turn is the pitch ``l / (2 pi)``.
    """

    name = "screw"
    q = ("",)
    v = ("_dot",)
    neutral = (0.0,)
    angles = (0,)
    needs = ("pitch",)

    @property
    def _h(self) -> Expression | float:
        assert self.pitch is not None  # a joint that needs one has one
        return self.pitch

    def motion(self, q: Expression) -> tuple[Expression, Expression]:
        """Turn about the axis and slide along it."""
        axis = ca.DM(self.axis)
        return rotation_about(axis, q[0]), axis * (self._h * q[0])

    def subspace(self, q: Expression) -> Expression:
        """The axis as a rate of rotation, and times the pitch as a velocity."""
        axis = ca.DM(self.axis)
        return ca.vertcat(axis * self._h, axis)

    def turns(self, q: Expression) -> list[Turn]:
        """The one turn."""
        return [(self.axis, q[0])]

    def constraints(self, R: Expression, p: Expression) -> Expression:
        """No displacement across the axis, the axes parallel, and the rotation is that of the slide over the pitch.

        The sine of the difference of the two angles keeps count of the turns, which the rotation alone does not.
        """
        first, second = across(self.axis)
        angle = ca.dot(ca.DM(self.axis), p) / self._h
        turned = R @ first
        tied = ca.sin(angle) * ca.dot(first, turned) - ca.cos(angle) * ca.dot(second, turned)
        return ca.vertcat(ca.dot(first, p), ca.dot(second, p), misalignment(self.axis, R, self.axis), tied)

    def state(self, R: Expression, p: Expression, pdot: Expression, w: Expression) -> tuple[Expression, Expression]:
        """Slide over the pitch, which knows the turns, and rate about the axis."""
        axis = ca.DM(self.axis)
        return ca.dot(axis, p) / self._h, ca.dot(axis, w)
