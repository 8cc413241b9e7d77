"""Comparison of directions and rotations: components across an axis, angles about it, errors of a rotation.

All functions take CasADi or NumPy values and return CasADi ones; axes are plain numbers.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.types import Array, Expression, ExpressionLike

__all__ = ["across", "angle_about", "misalignment", "plane_axes", "rotation_error"]


def across(axis: ArrayLike) -> tuple[ca.DM, ca.DM]:
    """Two unit vectors that are orthogonal to an axis and to each other."""
    n = np.asarray(axis, dtype=float)
    e = np.eye(3)[int(np.argmin(np.abs(n)))]
    first = np.cross(n, e)
    first /= np.linalg.norm(first)
    return ca.DM(first), ca.DM(np.cross(n, first))


def plane_axes(normal: ArrayLike) -> Array:
    """Axes of a plane as columns: the least rotation that takes z into the normal, applied to x, y, z."""
    n = np.asarray(normal, dtype=float)
    if n[2] <= -1.0 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    k = np.array([[0.0, 0.0, n[0]], [0.0, 0.0, n[1]], [-n[0], -n[1], 0.0]])
    return np.eye(3) + k + k @ k / (1.0 + n[2])


def angle_about(axis: ArrayLike, R: ExpressionLike) -> Expression:
    """Angle of a rotation about an axis, in (-pi, pi]."""
    first, second = across(axis)
    turned = R @ first
    return ca.atan2(ca.dot(second, turned), ca.dot(first, turned))


def misalignment(axis: ArrayLike, R: ExpressionLike, other_axis: ArrayLike) -> Expression:
    """Components of an axis, turned by ``R``, across another axis: zero when they are parallel."""
    u = R @ ca.DM(np.asarray(axis, dtype=float))
    first, second = across(other_axis)
    return ca.vertcat(ca.dot(first, u), ca.dot(second, u))


def rotation_error(R: ExpressionLike) -> Expression:
    """``sin(angle) axis`` of a rotation: zero for the identity, of full rank near it.

    CDPR (20) takes the dot products of equal vectors, which are stationary for aligned bodies (rank 15 of 18); these
    are the differences of its crossed pairs.
    """
    return ca.vertcat(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]) / 2
