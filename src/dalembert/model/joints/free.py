"""Free joint: any motion."""

from __future__ import annotations

import casadi as ca

from dalembert.core.types import Expression
from dalembert.model.joints.kind import JointKind
from dalembert.spatial.rotations import (
    cross_matrix,
    quaternion_difference,
    quaternion_exp,
    quaternion_matrix,
    quaternion_of,
    quaternion_product,
    quaternion_rate,
)

__all__ = ["Free"]


class Free(JointKind):
    """Position and unit quaternion; the velocities are the twist in moving axes: ``P = 1``."""

    name = "free"
    q = (".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz")
    v = (".vx", ".vy", ".vz", ".wx", ".wy", ".wz")
    neutral = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    quaternion = 3

    def motion(self, q: Expression) -> tuple[Expression, Expression]:
        """Rotation of the quaternion, and position."""
        return quaternion_matrix(q[3:]), q[:3]

    def subspace(self, q: Expression) -> Expression:
        """All twists."""
        return ca.SX.eye(6)

    @classmethod
    def rate(cls, q: Expression, v: Expression) -> Expression:
        """Velocity turned into fixed axes, and rate of the quaternion."""
        return ca.vertcat(quaternion_matrix(q[3:]) @ v[:3], quaternion_rate(q[3:], v[3:]))

    @classmethod
    def structure(cls, p: Expression) -> Expression:
        """``G(p) [v; w] = [w x p_v; w x p_w + v x p_v]`` (Kirchhoff's equations; compare SPACE 4.12)."""
        f, n = cross_matrix(p[:3]), cross_matrix(p[3:])
        return ca.vertcat(ca.horzcat(ca.SX(3, 3), -f), ca.horzcat(-f, -n))

    @classmethod
    def integrate(cls, q: Expression, d: Expression) -> Expression:
        """Displacement in moving axes, then rotation by a vector in them."""
        moved = q[:3] + quaternion_matrix(q[3:]) @ d[:3]
        return ca.vertcat(moved, quaternion_product(q[3:], quaternion_exp(d[3:])))

    @classmethod
    def difference(cls, q0: Expression, q1: Expression) -> Expression:
        """Displacement in moving axes, and rotation vector the shorter way."""
        moved = quaternion_matrix(q0[3:]).T @ (q1[:3] - q0[:3])
        return ca.vertcat(moved, quaternion_difference(q0[3:], q1[3:]))

    @classmethod
    def chart_rate(cls, d: Expression, v: Expression) -> Expression:
        """The displacement's axes stay, the velocity's turn by ``d``."""
        return ca.vertcat(v[:3] + ca.cross(d[3:], v[:3]), v[3:] + ca.cross(d[3:], v[3:]) / 2)

    @classmethod
    def flow(cls, d: Expression) -> Expression:
        """The linear part turns with the body meanwhile: ``d + w x d / 2 + w x (w x d) / 6``, the series on SE(3)."""
        turned = ca.cross(d[3:], d[:3])
        return ca.vertcat(d[:3] + turned / 2 + ca.cross(d[3:], turned) / 6, d[3:])

    @classmethod
    def transported(cls, v: Expression, d: Expression) -> Expression:
        """The axes of the linear velocity turn; the body keeps its rates."""
        return ca.vertcat(quaternion_matrix(quaternion_exp(d[3:])).T @ v[:3], v[3:])

    @classmethod
    def coasting(cls, v: Expression) -> Expression:
        """``-w x v``: the axes turn under the velocity."""
        return ca.vertcat(-ca.cross(v[3:], v[:3]), ca.SX(3, 1))

    def constraints(self, R: Expression, p: Expression) -> Expression:
        """None."""
        return ca.SX(0, 1)

    def state(self, R: Expression, p: Expression, pdot: Expression, w: Expression) -> tuple[Expression, Expression]:
        """Position and quaternion, twist in moving axes."""
        return ca.vertcat(p, quaternion_of(R)), ca.vertcat(R.T @ pdot, w)
