"""Universal joint: turns about two axes that cross, as in a Cardan shaft."""

from __future__ import annotations

import casadi as ca
import numpy as np

from dalembert.core.types import Expression, ExpressionLike
from dalembert.model.joints.kind import JointKind, Turn
from dalembert.spatial.rotations import cross_matrix, rotation_about

__all__ = ["Universal"]


class Universal(JointKind):
    """An angle about the axis ``a`` of the fixed frame, then one about the axis ``b`` of the moving frame.

    ``R = Rot(a, q_1) Rot(b, q_2)``, ``P = [0, 0; Rot(b, q_2)^T a, b]``. The angle between the
    axes is that of the two given ones, whatever the coordinates: it need not be right, but must not be zero.
    """

    name = "universal"
    q = (".angle1", ".angle2")
    v = (".angle1_dot", ".angle2_dot")
    neutral = (0.0, 0.0)
    angles = (0, 1)
    wrapped = (0, 1)
    constant = False
    needs = ("second_axis",)

    @property
    def _axes(self) -> tuple[ca.DM, ca.DM]:
        return ca.DM(self.axis), ca.DM(np.asarray(self.second_axis))

    def motion(self, q: Expression) -> tuple[Expression, Expression]:
        """The two turns."""
        a, b = self._axes
        return rotation_about(a, q[0]) @ rotation_about(b, q[1]), ca.SX(3, 1)

    def subspace(self, q: Expression) -> Expression:
        """The axes in moving axes: the second turn leaves its own where it is."""
        a, b = self._axes
        return ca.vertcat(ca.SX(3, 2), ca.horzcat(rotation_about(b, q[1]).T @ a, b))

    def subspace_rate(self, q: Expression, v: Expression) -> Expression:
        """The first axis turns backwards about the second."""
        _, b = self._axes
        first = self.subspace(q)[3:, 0]
        return ca.vertcat(ca.SX(3, 2), ca.horzcat(-v[1] * (cross_matrix(b) @ first), ca.SX(3, 1)))

    def turns(self, q: Expression) -> list[Turn]:
        """Both turns."""
        return [(self.axis, q[0]), (np.asarray(self.second_axis), q[1])]

    def constraints(self, R: Expression, p: Expression) -> Expression:
        """The origins coincide, and the axes keep their angle."""
        a, b = self._axes
        return ca.vertcat(p, ca.dot(a, R @ b) - ca.dot(a, b))

    def state(self, R: Expression, p: Expression, pdot: Expression, w: Expression) -> tuple[Expression, Expression]:
        """The first turn takes ``b`` to ``R b``, the second ``R^T a`` to ``a``; the rate is resolved on the axes."""
        a, b = self._axes
        first = R.T @ a
        q = ca.vertcat(_turn_between(a, b, R @ b), _turn_between(b, first, a))
        c = ca.dot(a, b)
        along = ca.vertcat(ca.dot(first, w), ca.dot(b, w))
        return q, ca.vertcat(along[0] - c * along[1], along[1] - c * along[0]) / (1 - c**2)


def _turn_between(axis: ExpressionLike, x: ExpressionLike, y: ExpressionLike) -> Expression:
    """Angle about an axis that takes ``x`` to ``y``, in (-pi, pi]."""
    return ca.atan2(ca.dot(axis, ca.cross(x, y)), ca.dot(x, y) - ca.dot(axis, x) * ca.dot(axis, y))
