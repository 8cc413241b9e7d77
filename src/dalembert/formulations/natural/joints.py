"""Joints between bodies in natural coordinates: their constraints, and the machine's coordinates of them."""

from __future__ import annotations

from typing import Any

import casadi as ca

from dalembert.core.parameter import nominal
from dalembert.formulations.constraints.kinds import across, misalignment, rotation_error
from dalembert.formulations.joint_kinematics import plane_axes
from dalembert.model.joint import Joint

__all__ = ["joint_angle", "joint_constraints", "joint_state", "quaternion_of"]


def joint_constraints(joint: Joint, R: Any, p: Any) -> Any:
    """Conditions on the pose (R, p) of a child in the fixed frame of its joint."""
    first, second = across(joint.axis)
    match joint.kind:
        case "free":
            return ca.SX(0, 1)
        case "spherical":
            return p
        case "revolute":
            return ca.vertcat(p, misalignment(joint.axis, R, joint.axis))
        case "prismatic":
            return ca.vertcat(ca.dot(first, p), ca.dot(second, p), rotation_error(R))
        case "planar":
            axis = ca.DM([nominal(x) for x in joint.axis])
            return ca.vertcat(ca.dot(axis, p), misalignment(joint.axis, R, joint.axis))
    raise AssertionError(joint.kind)


def joint_angle(joint: Joint, R: Any) -> Any:
    """Angle of a rotation about the joint's axis, in (-pi, pi]."""
    first, second = across(joint.axis)
    turned = R @ first
    return ca.atan2(ca.dot(second, turned), ca.dot(first, turned))


def joint_state(joint: Joint, R: Any, p: Any, pdot: Any, w: Any) -> tuple[Any, Any]:
    """Coordinates and velocities of a joint from the pose (R, p) of its child, its rate p' and its body rate w."""
    axis = ca.DM([nominal(x) for x in joint.axis])
    match joint.kind:
        case "free":
            return ca.vertcat(p, quaternion_of(R)), ca.vertcat(R.T @ pdot, w)
        case "spherical":
            return quaternion_of(R), w
        case "revolute":
            return joint_angle(joint, R), ca.dot(axis, w)
        case "prismatic":
            return ca.dot(axis, p), ca.dot(axis, pdot)
        case "planar":
            E = ca.DM(plane_axes(joint.axis)[:, :2])
            return ca.vertcat(E.T @ p, joint_angle(joint, R)), ca.vertcat(E.T @ pdot, ca.dot(axis, w))
    raise AssertionError(joint.kind)


def quaternion_of(R: Any) -> Any:
    """Unit quaternion (w, x, y, z) of a rotation matrix on symbols: the best conditioned of four forms."""
    t = R[0, 0] + R[1, 1] + R[2, 2]
    forms = [
        (1 + t, (1 + t, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])),
        (1 + 2 * R[0, 0] - t, (R[2, 1] - R[1, 2], 1 + 2 * R[0, 0] - t, R[0, 1] + R[1, 0], R[0, 2] + R[2, 0])),
        (1 + 2 * R[1, 1] - t, (R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], 1 + 2 * R[1, 1] - t, R[1, 2] + R[2, 1])),
        (1 + 2 * R[2, 2] - t, (R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], 1 + 2 * R[2, 2] - t)),
    ]
    best, Q = forms[0][0], ca.vertcat(*forms[0][1])
    for weight, entries in forms[1:]:
        better = weight > best
        best, Q = ca.if_else(better, weight, best), ca.if_else(better, ca.vertcat(*entries), Q)
    Q = ca.if_else(Q[0] < 0, -Q, Q)
    return Q / ca.norm_2(Q)
