"""The way of a cable from its exit to its anchor: point exits and guiding pulleys (CDPR, sections 4.1 and 4.2).

The pulley of radius ``r`` touches its swivel axis z at D; its centre is ``C = D + r s``. With ``x = delta . s`` and
``z = delta . z`` of ``delta = b - d`` the cable leaves the pulley where the tangent through the anchor touches it,

    psi = atan2(z, x - r) + atan2(sqrt((x - r)^2 + z^2 - r^2), r),   n = cos(psi) s + sin(psi) z,   a = d + r (s + n).

This is CDPR (22) and (24), there with ``2 r / (delta . s)`` outside the root by mistake:
``tan(psi/2) = alpha + sqrt(alpha^2 + 1 - beta)``, ``alpha = z/x``, ``beta = 2 r/x``. Unlike that form it has no
singularity at x = 0. The cable wraps the arc ``r (pi - psi)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca

from dalembert.model.cables import Cable

__all__ = ["CablePath", "cable_path", "point_path", "pulley_path"]


@dataclass(frozen=True)
class CablePath:
    """Where a cable runs, as expressions.

    Parameters
    ----------
    length
        Length from D (or the exit point) to the anchor, wrapped arc included.
    exit
        Where it leaves the pulley: point A.
    direction
        Unit vector from the anchor to A: the direction in which the cable pulls the anchor.
    swivel
        Swivel angle of the pulley's plane in the exit frame, or None.
    tangent
        Square of the tangent's length in the pulley's plane: negative if the anchor is inside the pulley; or None.
    arc
        Angle ``psi`` at which the cable leaves the pulley (it reaches it at pi), and the axis ``s`` from which it is
        counted towards z; or None.
    """

    length: Any
    exit: Any
    direction: Any
    swivel: Any = None
    tangent: Any = None
    arc: tuple[Any, Any] | None = None


def point_path(b: Any, a: Any) -> CablePath:
    """Way of a cable from the point ``a`` to the anchor ``b``, CDPR 4.1."""
    # The small number leaves every length beyond 1e-92 m as it is, and gives an anchor at the exit, where the cable is
    # slack, a derivative.
    free = ca.sqrt(ca.sumsqr(b - a) + 1e-200)
    return CablePath(free, a, (a - b) / free)


def pulley_path(b: Any, d: Any, R: Any, radius: Any, *, swivel: str = "free") -> CablePath:
    """Way of a cable over a pulley at ``d`` with the axes ``R`` (z: swivel axis), CDPR (24) corrected."""
    delta = b - d
    x_axis, y_axis, z_axis = R[:, 0], R[:, 1], R[:, 2]
    if swivel == "free":
        sigma = ca.atan2(ca.dot(y_axis, delta), ca.dot(x_axis, delta))
        # cos(sigma) and sin(sigma) without the detour over the angle
        rho = ca.sqrt(ca.dot(x_axis, delta) ** 2 + ca.dot(y_axis, delta) ** 2)
        s = (ca.dot(x_axis, delta) * x_axis + ca.dot(y_axis, delta) * y_axis) / rho
        x = rho
    else:
        sigma, s = ca.SX(0), x_axis
        x = ca.dot(delta, s)
    z = ca.dot(delta, z_axis)
    square = (x - radius) ** 2 + z**2 - radius**2
    psi = ca.atan2(z, x - radius) + ca.atan2(ca.sqrt(square), radius)
    n = ca.cos(psi) * s + ca.sin(psi) * z_axis
    a = d + radius * (s + n)
    free = ca.sqrt(square) if swivel == "free" else ca.norm_2(b - a)
    return CablePath(free + radius * (ca.pi - psi), a, (a - b) / free, sigma, square, (psi, s))


def cable_path(cable: Cable, pose: Any, value: Any) -> CablePath:
    """Way of a machine's cable; ``pose(frame)`` gives (R, p), ``value`` turns scalars into expressions."""
    R_b, p_b = pose(cable.anchor)
    R_d, p_d = pose(cable.exit)
    b = p_b + R_b @ ca.vertcat(*[value(x) for x in cable.anchor_at])
    d = p_d + R_d @ ca.vertcat(*[value(x) for x in cable.exit_at])
    if not cable.has_pulley:
        return point_path(b, d)
    return pulley_path(b, d, R_d, value(cable.pulley), swivel=cable.swivel)
