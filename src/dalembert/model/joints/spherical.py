"""Spherical joint: any rotation about a point."""

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

__all__ = ["Spherical"]


class Spherical(JointKind):
    """A unit quaternion; the velocities are the angular velocity in moving axes: ``P = [0; 1]``."""

    name = "spherical"
    q = (".qw", ".qx", ".qy", ".qz")
    v = (".wx", ".wy", ".wz")
    neutral = (1.0, 0.0, 0.0, 0.0)
    quaternion = 0

    def motion(self, q: Expression) -> tuple[Expression, Expression]:
        """Rotation of the quaternion."""
        return quaternion_matrix(q), ca.SX(3, 1)

    def subspace(self, q: Expression) -> Expression:
        """All rates of rotation."""
        return ca.vertcat(ca.SX(3, 3), ca.SX.eye(3))

    @classmethod
    def rate(cls, q: Expression, v: Expression) -> Expression:
        """Rate of the quaternion."""
        return quaternion_rate(q, v)

    @classmethod
    def structure(cls, p: Expression) -> Expression:
        """``G(p) w = w x p`` (Euler's equations)."""
        return -cross_matrix(p)

    @classmethod
    def integrate(cls, q: Expression, d: Expression) -> Expression:
        """Rotation by the vector ``d`` in moving axes."""
        return quaternion_product(q, quaternion_exp(d))

    @classmethod
    def difference(cls, q0: Expression, q1: Expression) -> Expression:
        """Rotation vector, the shorter way."""
        return quaternion_difference(q0, q1)

    @classmethod
    def chart_rate(cls, d: Expression, v: Expression) -> Expression:
        """A rotation by the vector ``d`` in body axes has ``d' = w + d x w / 2 + ..``."""
        return v + ca.cross(d, v) / 2

    def constraints(self, R: Expression, p: Expression) -> Expression:
        """The origins coincide."""
        return p

    def state(self, R: Expression, p: Expression, pdot: Expression, w: Expression) -> tuple[Expression, Expression]:
        """Quaternion and rate."""
        return quaternion_of(R), w
