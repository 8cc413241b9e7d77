"""Distances of points, spheres and segments from surfaces, in the axes of the surface; CasADi expressions."""

from __future__ import annotations

from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from dalembert.core.parameter import nominal
from dalembert.model.contacts import CylindricalSurface, HalfSpace, SphericalSurface, Surface

__all__ = ["Distance", "closest", "distance", "tangents"]

_CENTRE = 1e-60  # square of a length that keeps the direction from a centre finite in the centre itself


class Distance(NamedTuple):
    """How far a point is from a surface (negative behind it), and the direction away from the surface."""

    value: Any
    normal: Any


def distance(surface: Surface, x: Any, value: Any) -> Distance:
    """Distance of the point ``x`` from a surface.

    Parameters
    ----------
    surface
        The surface.
    x
        Position in the axes of the frame that carries the surface.
    value
        Turns a scalar of the machine into an expression.
    """
    if isinstance(surface, HalfSpace):
        n = ca.SX(_numbers(surface.normal))
        return Distance(ca.dot(n, x - _vector(surface.point, value)), n)
    out = _outwards(surface, x, value)
    r = ca.sqrt(ca.dot(out, out) + _CENTRE)
    sign = -1.0 if surface.inside else 1.0
    return Distance(sign * (r - value(surface.radius)), sign * out / r)


def closest(surface: SphericalSurface | CylindricalSurface, x: Any, d: Any, reach: Any, value: Any) -> Any:
    """Where the segment ``x + s d``, ``-reach <= s <= reach``, is closest to the centre (axis) of a surface: ``s``."""
    a, b = _outwards(surface, x, value), d
    if isinstance(surface, CylindricalSurface):
        b = _across(ca.DM(_numbers(surface.axis)), d)
    s = -ca.dot(a, b) / (ca.dot(b, b) + _CENTRE)
    return ca.fmax(-reach, ca.fmin(reach, s))


def tangents(n: Any) -> tuple[Any, Any]:
    """Two unit vectors across a unit vector, the three of them right-handed.

    T. Duff and others, "Building an orthonormal basis, revisited" (2017). They are smooth but where ``n_z`` changes its
    sign, and stay in the x-z plane and across it for normals in that plane.
    """
    x, y, z = n[0], n[1], n[2]
    s = ca.if_else(z >= 0, 1.0, -1.0)
    a = -1.0 / (s + z)
    b = x * y * a
    return ca.vertcat(1.0 + s * x * x * a, s * b, -s * x), ca.vertcat(b, s + y * y * a, -y)


def _outwards(surface: SphericalSurface | CylindricalSurface, x: Any, value: Any) -> Any:
    """Vector from the centre or the axis of a surface to a point."""
    if isinstance(surface, SphericalSurface):
        return x - _vector(surface.centre, value)
    return _across(ca.DM(_numbers(surface.axis)), x - _vector(surface.point, value))


def _across(axis: Any, x: Any) -> Any:
    return x - axis * ca.dot(axis, x)


def _vector(x: Any, value: Any) -> Any:
    return ca.vertcat(*[value(c) for c in x])


def _numbers(axis: Any) -> Any:
    return np.array([nominal(x) for x in axis])
