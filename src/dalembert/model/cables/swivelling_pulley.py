"""Swivelling pulley: it turns into the plane of the cable."""

from __future__ import annotations

import casadi as ca

from dalembert.model.cables.exit import CableExit, CablePath
from dalembert.model.cables.pulley import wrap

__all__ = ["SwivellingPulley"]


class SwivellingPulley(CableExit):
    """A pulley that turns freely about the z axis of the exit frame, without inertia, CDPR 4.2.1."""

    key = "free"

    @staticmethod
    def path(b: ca.SX, d: ca.SX, R: ca.SX, radius: ca.SX) -> CablePath:
        """The plane of the pulley holds the anchor: ``s`` points from z to it. CDPR (24) corrected."""
        delta = b - d
        x_axis, y_axis, z_axis = R[:, 0], R[:, 1], R[:, 2]
        sigma = ca.atan2(ca.dot(y_axis, delta), ca.dot(x_axis, delta))
        # cos(sigma) and sin(sigma) without the detour over the angle
        rho = ca.sqrt(ca.dot(x_axis, delta) ** 2 + ca.dot(y_axis, delta) ** 2)
        s = (ca.dot(x_axis, delta) * x_axis + ca.dot(y_axis, delta) * y_axis) / rho
        square, psi, a = wrap(rho, delta, d, s, z_axis, radius)
        free = ca.sqrt(square)
        return CablePath(free + radius * (ca.pi - psi), a, (a - b) / free, sigma, square, (psi, s), rho)
