"""Kinematics of each kind of joint on CasADi symbols: motion, joint-rate propagation, coordinate rates, structure.

For a joint with coordinates ``q`` and velocities ``v``:

- `joint_motion`: pose (R, p) of the moving frame in the fixed one;
- `joint_subspace`: joint-rate-propagation matrix ``P`` (SPACE 4.28): the relative twist in moving axes is ``P v``;
- `joint_subspace_rate`: its componentwise time derivative;
- `coordinate_rate`: ``q' = B(q) v``;
- `structure_matrix`: the skew matrix ``G(p)`` of the quasi-velocities: ``G(p) v`` completes Lagrange's equations.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.model.joint import Joint
from dalembert.spatial.rotations import (
    cross_matrix,
    quaternion_difference,
    quaternion_exp,
    quaternion_matrix,
    quaternion_product,
    quaternion_rate,
    rotation_about,
)

__all__ = [
    "coordinate_rate",
    "joint_difference",
    "joint_integrate",
    "joint_motion",
    "joint_subspace",
    "joint_subspace_rate",
    "plane_axes",
    "structure_matrix",
]


def plane_axes(normal: Any) -> Array:
    """Axes of a planar joint as columns: the least rotation that takes z into the normal, applied to x, y, z."""
    n = np.array([nominal(x) for x in normal])
    if n[2] <= -1.0 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    k = np.array([[0.0, 0.0, n[0]], [0.0, 0.0, n[1]], [-n[0], -n[1], 0.0]])
    return np.eye(3) + k + k @ k / (1.0 + n[2])


def _axis(joint: Joint) -> Any:
    return ca.DM([nominal(x) for x in joint.axis])


def joint_motion(joint: Joint, q: Any) -> tuple[Any, Any]:
    """Rotation and position of the joint's moving frame in its fixed frame."""
    zero = ca.SX(3, 1)
    match joint.kind:
        case "fixed":
            return ca.SX.eye(3), zero
        case "revolute":
            return rotation_about(_axis(joint), q[0]), zero
        case "prismatic":
            return ca.SX.eye(3), _axis(joint) * q[0]
        case "spherical":
            return quaternion_matrix(q), zero
        case "planar":
            E = plane_axes(joint.axis)
            return rotation_about(_axis(joint), q[2]), ca.DM(E[:, :2]) @ q[:2]
        case "free":
            return quaternion_matrix(q[3:]), q[:3]
    raise AssertionError(joint.kind)


def joint_subspace(joint: Joint, q: Any) -> Any:
    """Matrix ``P`` (6 x nv) that turns joint velocities into the relative twist [v; w] in moving axes."""
    zero = ca.SX(3, 1)
    match joint.kind:
        case "fixed":
            return ca.SX(6, 0)
        case "revolute":
            return ca.vertcat(zero, _axis(joint))
        case "prismatic":
            return ca.vertcat(_axis(joint), zero)
        case "spherical":
            return ca.vertcat(ca.SX(3, 3), ca.SX.eye(3))
        case "planar":
            E = ca.DM(plane_axes(joint.axis)[:, :2])
            Rt = rotation_about(_axis(joint), q[2]).T
            return ca.vertcat(ca.horzcat(Rt @ E, zero), ca.horzcat(ca.SX(3, 2), _axis(joint)))
        case "free":
            return ca.SX.eye(6)
    raise AssertionError(joint.kind)


def joint_subspace_rate(joint: Joint, q: Any, v: Any) -> Any:
    """Componentwise time derivative of ``P``; zero for all kinds but the planar joint."""
    nv = joint.info.nv
    if joint.kind != "planar":
        return ca.SX(6, nv)
    P = joint_subspace(joint, q)
    spin = cross_matrix(_axis(joint)) * v[2]
    return ca.vertcat(ca.horzcat(-spin @ P[:3, :2], ca.SX(3, 1)), ca.SX(3, 3))


def coordinate_rate(joint: Joint, q: Any, v: Any) -> Any:
    """Rate of the coordinates, ``B(q) v``."""
    match joint.kind:
        case "spherical":
            return quaternion_rate(q, v)
        case "free":
            return ca.vertcat(quaternion_matrix(q[3:]) @ v[:3], quaternion_rate(q[3:], v[3:]))
    return v


def structure_matrix(joint: Joint, p: Any) -> Any:
    """Skew matrix ``G(p)`` of the momenta ``p``: zero unless the velocities are quasi-velocities.

    For a free body ``G(p) [v; w] = [w x p_v; w x p_w + v x p_v]`` (Kirchhoff's equations; compare SPACE 4.12).
    """
    match joint.kind:
        case "spherical":
            return -cross_matrix(p)
        case "free":
            f, n = cross_matrix(p[:3]), cross_matrix(p[3:])
            return ca.vertcat(ca.horzcat(ca.SX(3, 3), -f), ca.horzcat(-f, -n))
    return ca.SX(joint.info.nv, joint.info.nv)


def joint_integrate(kind: str, q: Any, d: Any) -> Any:
    """Configuration reached from ``q`` by the tangent displacement ``d`` (nv numbers)."""
    match kind:
        case "spherical":
            return quaternion_product(q, quaternion_exp(d))
        case "free":
            moved = q[:3] + quaternion_matrix(q[3:]) @ d[:3]
            return ca.vertcat(moved, quaternion_product(q[3:], quaternion_exp(d[3:])))
    return q + d


def joint_difference(kind: str, q0: Any, q1: Any) -> Any:
    """Tangent displacement from ``q0`` to ``q1``: the inverse of `joint_integrate`."""
    match kind:
        case "spherical":
            return quaternion_difference(q0, q1)
        case "free":
            moved = quaternion_matrix(q0[3:]).T @ (q1[:3] - q0[:3])
            return ca.vertcat(moved, quaternion_difference(q0[3:], q1[3:]))
    return q1 - q0
