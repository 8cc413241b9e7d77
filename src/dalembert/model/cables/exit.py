"""The contract of a kind of cable exit, which each module fulfils.

A cable runs from ``d``, a point of a frame with the axes ``R``, over the exit to the anchor ``b``. On CasADi symbols a
kind says

=======================  ==============================================================================================
``L(b, d, R)``           length from ``d`` to the anchor, wrapped arc included
``a``                    where the cable leaves the exit
``e = (a - b)/|a - b|``  the direction in which the cable pulls the anchor: ``dL/db = -e``, as an exit without mass
                         holds no force across the cable; of a pulley that keeps its plane for anchors in that plane
=======================  ==============================================================================================

as a `CablePath`. ``tests/unit/test_cable_exits.py`` checks these for every kind of the register.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import casadi as ca

__all__ = ["CableExit", "CablePath"]


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
        counted towards z; or None. It is what is drawn of a pulley.
    from_axis
        Distance of the anchor from the axis about which the pulley swivels, or None. On the axis the cable has no
        direction, and beyond it the pulley is on the other side.
    """

    length: ca.SX
    exit: ca.SX
    direction: ca.SX
    swivel: ca.SX | None = None
    tangent: ca.SX | None = None
    arc: tuple[ca.SX, ca.SX] | None = None
    from_axis: ca.SX | None = None


class CableExit(ABC):
    """A kind of exit."""

    key: ClassVar[str]
    """Name of the kind: the ``swivel`` of cables with a pulley."""

    @staticmethod
    @abstractmethod
    def path(b: ca.SX, d: ca.SX, R: ca.SX, radius: ca.SX) -> CablePath:
        """Way of a cable from ``d`` in a frame with the axes ``R`` to the anchor ``b``, over a pulley of ``radius``."""
