"""Expressions ``Phi`` of each kind of constraint, from the poses of its frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np

from dalembert.core.parameter import nominal
from dalembert.model.constraints import (
    BallConstraint,
    Constraint,
    DistanceConstraint,
    GearConstraint,
    LoopConstraint,
    MotionConstraint,
    OrthogonalConstraint,
    ParallelConstraint,
    WeldConstraint,
)
from dalembert.model.tree import place
from dalembert.spatial.rotations import quaternion_matrix

__all__ = ["across", "misalignment", "residual", "rotation_error"]


def across(axis: Any) -> tuple[Any, Any]:
    """Two unit vectors that are orthogonal to an axis and to each other."""
    n = np.array([nominal(x) for x in axis])
    e = np.eye(3)[int(np.argmin(np.abs(n)))]
    first = np.cross(n, e)
    first /= np.linalg.norm(first)
    return ca.DM(first), ca.DM(np.cross(n, first))


def rotation_error(R: Any) -> Any:
    """``sin(angle) axis`` of a rotation: zero for the identity, of full rank near it.

    CDPR (20) takes the dot products of equal vectors, which are stationary for aligned bodies (rank 15 of 18); these
    are the differences of its crossed pairs.
    """
    return ca.vertcat(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]) / 2


def misalignment(axis: Any, R: Any, other_axis: Any) -> Any:
    """Components of an axis, turned by ``R``, across another axis: zero when they are parallel."""
    u = R @ ca.DM([nominal(x) for x in axis])
    first, second = across(other_axis)
    return ca.vertcat(ca.dot(first, u), ca.dot(second, u))


def residual(c: Constraint, pose: Callable[[str], Any], coordinate: Callable[[str], Any], value: Any, held: Any) -> Any:
    """``Phi`` of a constraint.

    Parameters
    ----------
    c
        The constraint.
    pose
        Rotation and position of a frame in the world.
    coordinate
        Coordinate of a joint.
    value
        Turns a scalar into an expression.
    held
        Offset (position, quaternion) of a weld that keeps the pose it was made in.
    """
    if isinstance(c, GearConstraint):
        return sum((value(k) * coordinate(joint) for joint, k in c.terms), ca.SX(0)) - value(c.value)
    if isinstance(c, MotionConstraint):
        if c.joint is not None:
            return coordinate(c.joint) - value(c.value)
        return pose(str(c.frame))[1]["xyz".index(c.component)] - value(c.value)
    R_f, p_f = pose(c.frame)  # type: ignore[attr-defined]
    R_o, p_o = pose(c.other)  # type: ignore[attr-defined]
    R, p = R_o.T @ R_f, R_o.T @ (p_f - p_o)
    match c:
        case BallConstraint():
            return p[["xyz".index(k) for k in c.components]]
        case DistanceConstraint():
            return ca.norm_2(p_f - p_o) - value(c.length)
        case WeldConstraint():
            R_0, p_0 = place(c.offset, value) if c.offset is not None else (quaternion_matrix(held[3:]), held[:3])
            return ca.vertcat(p - p_0, rotation_error(R_0.T @ R))
        case ParallelConstraint():
            return misalignment(c.axis, R, c.other_axis)
        case OrthogonalConstraint():
            u, w = ca.DM([nominal(x) for x in c.axis]), ca.DM([nominal(x) for x in c.other_axis])
            return ca.dot(w, R @ u) - ca.cos(value(c.angle))
        case LoopConstraint():
            return _closure(c, R, p)
    raise AssertionError(type(c))


def _closure(c: LoopConstraint, R: Any, p: Any) -> Any:
    first, second = across(c.axis)
    aside = ca.vertcat(ca.dot(first, p), ca.dot(second, p))
    match c.kind:
        case "ball":
            return p
        case "revolute":
            return ca.vertcat(p, misalignment(c.axis, R, c.axis))
        case "prismatic":
            return ca.vertcat(aside, rotation_error(R))
        case "cylindrical":
            return ca.vertcat(aside, misalignment(c.axis, R, c.axis))
        case "fixed":
            return ca.vertcat(p, rotation_error(R))
    raise AssertionError(c.kind)
