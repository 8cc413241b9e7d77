"""Distances between capsules and boxes, for whole arrays of them, as compiled functions."""

from __future__ import annotations

from functools import cache

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.compile import Kernel, compile_function
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array, Expression

__all__ = ["box_distance", "segment_box_distance", "segment_distance"]

_SECTIONS = 32  # of the golden section: 0.618^32 is 2e-7 of the segment
_GOLDEN = 0.5 * (5.0**0.5 - 1.0)
_TINY = 1e-300


def segment_distance(a: ArrayLike, b: ArrayLike, c: ArrayLike, d: ArrayLike) -> Array:
    """Distance between the segments from ``a`` to ``b`` and from ``c`` to ``d``, (...).

    The nearest points are the stationary ones of both lines, moved into the segments one after the other (Ericson,
    Real-Time Collision Detection, 5.1.9).

    Parameters
    ----------
    a, b, c, d
        Ends, (..., 3), broadcast against each other.

    Examples
    --------
    >>> float(segment_distance((0, 0, 0), (1, 0, 0), (0.5, 1, 2), (0.5, -1, 2)))
    2.0
    """
    result: Array = _segments()(a, b, c, d)
    return result


def segment_box_distance(a: ArrayLike, b: ArrayLike, pose: ArrayLike, size: ArrayLike) -> Array:
    """Distance of the segment from ``a`` to ``b`` from a box, (...); zero where they meet.

    Along the segment the distance from a convex body is a convex function: its minimum is found by golden section.

    Parameters
    ----------
    a, b
        Ends, (..., 3).
    pose
        Homogeneous matrix of the centre of the box, (..., 4, 4).
    size
        Its sides, (..., 3).

    Examples
    --------
    >>> float(segment_box_distance((2.0, -1.0, 0.0), (2.0, 1.0, 0.0), np.eye(4), (1.0, 1.0, 1.0)).round(6))
    1.5
    """
    result: Array = _segment_box()(a, b, pose, size)
    return result


def box_distance(X: ArrayLike, size: ArrayLike, Y: ArrayLike, extent: ArrayLike) -> Array:
    """Distance between two boxes, (...): the least of the distances of the edges of either from the other.

    Parameters
    ----------
    X, Y
        Homogeneous matrices of their centres, (..., 4, 4).
    size, extent
        Their sides, (3,).

    Examples
    --------
    >>> far = np.eye(4)
    >>> far[:3, 3] = (3.0, 0.0, 0.0)
    >>> float(box_distance(np.eye(4), (1.0, 1.0, 1.0), far, (2.0, 1.0, 1.0)).round(9))
    1.5
    """
    X, Y, size, extent = (as_numbers(x) for x in (X, Y, size, extent))
    return np.minimum(_edges(X, size, Y, extent), _edges(Y, extent, X, size))


def _edges(X: Array, size: Array, Y: Array, extent: Array) -> Array:
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    corners = np.einsum("...ij,kj->...ki", X[..., :3, :3], 0.5 * signs * size) + X[..., None, :3, 3]
    pairs = [(i, j) for i in range(8) for j in range(i + 1, 8) if np.abs(signs[i] - signs[j]).sum() == 2.0]
    a, b = corners[..., [i for i, _ in pairs], :], corners[..., [j for _, j in pairs], :]
    return np.asarray(segment_box_distance(a, b, Y[..., None, :, :], extent).min(axis=-1))


@cache
def _segments() -> Kernel:
    a, b, c, d = (ca.SX.sym(name, 3) for name in "abcd")
    u, v, r = b - a, d - c, a - c
    uu, vv, uv, ur, vr = ca.dot(u, u), ca.dot(v, v), ca.dot(u, v), ca.dot(u, r), ca.dot(v, r)
    across = uu * vv - uv * uv
    s = ca.if_else(across > 1e-14 * uu * vv, _clip((uv * vr - ur * vv) / ca.fmax(across, _TINY)), 0.0)
    t = _clip((uv * s + vr) / ca.fmax(vv, _TINY))
    s = _clip((uv * t - ur) / ca.fmax(uu, _TINY))
    gap = a + s * u - c - t * v
    function = ca.Function("segments", [a, b, c, d], [ca.norm_2(gap)], list("abcd"), ["distance"])
    return compile_function(function, shapes={"distance": ()})


@cache
def _segment_box() -> Kernel:
    a, b, size, X = ca.SX.sym("a", 3), ca.SX.sym("b", 3), ca.SX.sym("size", 3), ca.SX.sym("pose", 4, 4)
    p, e = (X[:3, :3].T @ (x - X[:3, 3]) for x in (a, b))

    def square(s: Expression | float) -> Expression:
        return ca.sumsqr(ca.fmax(ca.fabs(p + s * (e - p)) - 0.5 * size, 0.0))

    lower, upper = ca.SX(0.0), ca.SX(1.0)
    left, right = ca.SX(1.0 - _GOLDEN), ca.SX(_GOLDEN)
    at_left, at_right = square(left), square(right)
    for _ in range(_SECTIONS):
        first = at_left <= at_right
        lower, upper = ca.if_else(first, lower, left), ca.if_else(first, right, upper)
        new = ca.if_else(first, upper - _GOLDEN * (upper - lower), lower + _GOLDEN * (upper - lower))
        at_new = square(new)
        left, right = ca.if_else(first, new, right), ca.if_else(first, left, new)
        at_left, at_right = ca.if_else(first, at_new, at_right), ca.if_else(first, at_left, at_new)
    # the ends count too: where the minimum is at one of them the section only comes near to it
    least = ca.fmin(ca.fmin(at_left, at_right), ca.fmin(square(0.0), square(1.0)))
    function = ca.Function("box", [a, b, X, size], [ca.sqrt(least)], ["a", "b", "pose", "size"], ["distance"])
    return compile_function(function, shapes={"pose": (4, 4), "distance": ()})


def _clip(x: Expression) -> Expression:
    return ca.fmin(ca.fmax(x, 0.0), 1.0)
