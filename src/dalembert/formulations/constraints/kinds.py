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
from dalembert.model.joints import JOINT_KINDS
from dalembert.model.tree import place
from dalembert.spatial.alignment import misalignment, rotation_error
from dalembert.spatial.rotations import quaternion_matrix

__all__ = ["residual"]


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
            return misalignment(_numbers(c.axis), R, _numbers(c.other_axis))
        case OrthogonalConstraint():
            u, w = ca.DM(_numbers(c.axis)), ca.DM(_numbers(c.other_axis))
            return ca.dot(w, R @ u) - ca.cos(value(c.angle))
        case LoopConstraint():
            return _closure(c, R, p)
    raise AssertionError(type(c))


def _closure(c: LoopConstraint, R: Any, p: Any) -> Any:
    kind = JOINT_KINDS["spherical" if c.kind == "ball" else c.kind]
    return kind(_numbers(c.axis)).constraints(R, p)


def _numbers(axis: Any) -> Any:
    return np.array([nominal(x) for x in axis])
