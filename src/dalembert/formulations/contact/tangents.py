"""Directions of a contact across its normal."""

from __future__ import annotations

import casadi as ca

from dalembert.core.types import Expression

__all__ = ["tangents"]


def tangents(n: Expression) -> tuple[Expression, Expression]:
    """Two unit vectors across a unit vector, the three of them right-handed.

    T. Duff and others, "Building an orthonormal basis, revisited" (2017). They are smooth but where ``n_z`` changes its
    sign, and stay in the x-z plane and across it for normals in that plane.
    """
    x, y, z = n[0], n[1], n[2]
    s = ca.if_else(z >= 0, 1.0, -1.0)
    a = -1.0 / (s + z)
    b = x * y * a
    return ca.vertcat(1.0 + s * x * x * a, s * b, -s * x), ca.vertcat(b, s + y * y * a, -y)
