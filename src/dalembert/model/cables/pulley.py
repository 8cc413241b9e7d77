"""The way of a cable over a pulley in a plane (CDPR, section 4.2).

The pulley of radius ``r`` touches its swivel axis z at D; its centre is ``C = D + r s``. With ``x = delta . s`` and
``z = delta . z`` of ``delta = b - d`` the cable leaves the pulley where the tangent through the anchor touches it,

    psi = atan2(z, x - r) + atan2(sqrt((x - r)^2 + z^2 - r^2), r),   n = cos(psi) s + sin(psi) z,   a = d + r (s + n).

This is CDPR (22) and (24), there with ``2 r / (delta . s)`` outside the root by mistake:
``tan(psi/2) = alpha + sqrt(alpha^2 + 1 - beta)``, ``alpha = z/x``, ``beta = 2 r/x``. Unlike that form it has no
singularity at x = 0. The cable wraps the arc ``r (pi - psi)``.
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca

__all__ = ["Wrap", "wrap"]


class Wrap(NamedTuple):
    """Where a cable leaves a pulley: the square of the tangent's length, the angle ``psi`` and the point ``a``."""

    square: ca.SX
    psi: ca.SX
    a: ca.SX


def wrap(x: ca.SX, delta: ca.SX, d: ca.SX, s: ca.SX, z_axis: ca.SX, radius: ca.SX) -> Wrap:
    """Wrap a cable around a pulley in the plane of ``s`` and z; ``x`` is ``delta . s``."""
    z = ca.dot(delta, z_axis)
    square = (x - radius) ** 2 + z**2 - radius**2
    psi = ca.atan2(z, x - radius) + ca.atan2(ca.sqrt(square), radius)
    n = ca.cos(psi) * s + ca.sin(psi) * z_axis
    return Wrap(square, psi, d + radius * (s + n))
