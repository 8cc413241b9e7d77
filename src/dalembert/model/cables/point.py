"""Point exit: the cable runs through an eyelet."""

from __future__ import annotations

import casadi as ca

from dalembert.model.cables.exit import CableExit, CablePath

__all__ = ["PointExit"]


class PointExit(CableExit):
    """A point, CDPR 4.1: ``L = |b - d|``, ``a = d``."""

    key = "point"

    @staticmethod
    def path(b: ca.SX, d: ca.SX, R: ca.SX, radius: ca.SX) -> CablePath:
        """The straight way."""
        # The small number leaves every length beyond 1e-92 m as it is, and gives an anchor at the exit, where the cable
        # is slack, a derivative.
        free = ca.sqrt(ca.sumsqr(b - d) + 1e-200)
        return CablePath(free, d, (d - b) / free)
