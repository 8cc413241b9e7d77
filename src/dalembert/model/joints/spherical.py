"""Spherical joint: any rotation about a point."""

from __future__ import annotations

from typing import Any

import casadi as ca

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

    def motion(self, q: Any) -> tuple[Any, Any]:
        """Rotation of the quaternion."""
        return quaternion_matrix(q), ca.SX(3, 1)

    def subspace(self, q: Any) -> Any:
        """All rates of rotation."""
        return ca.vertcat(ca.SX(3, 3), ca.SX.eye(3))

    @classmethod
    def rate(cls, q: Any, v: Any) -> Any:
        """Rate of the quaternion."""
        return quaternion_rate(q, v)

    @classmethod
    def structure(cls, p: Any) -> Any:
        """``G(p) w = w x p`` (Euler's equations)."""
        return -cross_matrix(p)

    @classmethod
    def integrate(cls, q: Any, d: Any) -> Any:
        """Rotation by the vector ``d`` in moving axes."""
        return quaternion_product(q, quaternion_exp(d))

    @classmethod
    def difference(cls, q0: Any, q1: Any) -> Any:
        """Rotation vector, the shorter way."""
        return quaternion_difference(q0, q1)

    @classmethod
    def chart_rate(cls, d: Any, v: Any) -> Any:
        """A rotation by the vector ``d`` in body axes has ``d' = w + d x w / 2 + ..``."""
        return v + ca.cross(d, v) / 2

    def constraints(self, R: Any, p: Any) -> Any:
        """The origins coincide."""
        return p

    def state(self, R: Any, p: Any, pdot: Any, w: Any) -> tuple[Any, Any]:
        """Quaternion and rate."""
        return quaternion_of(R), w
