"""Cylindrical surface, touched from outside or from within."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import casadi as ca

from dalembert.core.parameter import Scalar, nominal
from dalembert.core.validation import Vector
from dalembert.model.contacts.round import RoundSurface
from dalembert.model.contacts.surface import Number, Tube, Value, numbers, vector
from dalembert.model.kind_fields import Axis

__all__ = ["CylindricalSurface"]


@dataclass(frozen=True)
class CylindricalSurface(RoundSurface):
    """An infinite cylinder, touched from outside or (``inside=True``) from within.

    Parameters
    ----------
    radius
        Radius [m].
    axis
        Direction of its axis (normalised), in the frame that carries it.
    point
        A point of the axis.
    inside
        Whether what touches it is within.

    Examples
    --------
    >>> import dalembert as da
    >>> da.CylindricalSurface(radius=0.5, axis="y").axis
    (0.0, 1.0, 0.0)
    """

    radius: Scalar
    axis: Axis = (0.0, 0.0, 1.0)
    point: Vector = (0.0, 0.0, 0.0)
    inside: bool = False

    key = "cylindrical"
    units = MappingProxyType({"radius": "m", "point": "m"})
    noun = "cylindrical surface"

    def outwards(self, x: ca.SX, value: Value) -> ca.SX:
        """Component of ``x - point`` across the axis."""
        return self.across(x - vector(self.point, value))

    def across(self, direction: ca.SX) -> ca.SX:
        """Component of a direction across the axis."""
        axis = ca.DM(numbers(self.axis))
        return direction - axis * ca.dot(axis, direction)

    def shapes(self, number: Number = nominal) -> tuple[Tube, ...]:
        """The cylinder."""
        return (Tube(numbers(self.point, number), numbers(self.axis), number(self.radius), self.inside),)
