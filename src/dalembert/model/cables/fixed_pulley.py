"""Fixed pulley: its plane is fixed in the exit frame."""

from __future__ import annotations

import casadi as ca

from dalembert.model.cables.exit import CableExit, CablePath
from dalembert.model.cables.pulley import wrap

__all__ = ["FixedPulley"]


class FixedPulley(CableExit):
    """A pulley in the x-z plane of the exit frame, CDPR 4.2.2: the frame of a body that swivels by a joint."""

    key = "fixed"

    @staticmethod
    def path(b: ca.SX, d: ca.SX, R: ca.SX, radius: ca.SX) -> CablePath:
        """The anchor may lie off the plane: the free length is that to where the cable leaves the pulley."""
        delta, s = b - d, R[:, 0]
        square, psi, a = wrap(ca.dot(delta, s), delta, d, s, R[:, 2], radius)
        free = ca.norm_2(b - a)
        return CablePath(free + radius * (ca.pi - psi), a, (a - b) / free, ca.SX(0), square, (psi, s))
