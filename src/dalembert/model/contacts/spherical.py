"""Spherical surface, touched from outside or from within."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import casadi as ca

from dalembert.core.parameter import Scalar, nominal
from dalembert.core.validation import Vector
from dalembert.model.contacts.round import RoundSurface
from dalembert.model.contacts.surface import Ball, Number, Value, numbers, vector

__all__ = ["SphericalSurface"]


@dataclass(frozen=True)
class SphericalSurface(RoundSurface):
    """A sphere, touched from outside or (``inside=True``) from within.

    Parameters
    ----------
    radius
        Radius [m].
    centre
        Its centre, in the frame that carries it.
    inside
        Whether what touches it is within.

    Examples
    --------
    >>> import dalembert as da
    >>> da.SphericalSurface(radius=0.5, inside=True).centre
    (0.0, 0.0, 0.0)
    """

    radius: Scalar
    centre: Vector = (0.0, 0.0, 0.0)
    inside: bool = False

    key = "spherical"
    units = MappingProxyType({"radius": "m", "centre": "m"})
    noun = "spherical surface"

    def outwards(self, x: ca.SX, value: Value) -> ca.SX:
        """``x - centre``."""
        return x - vector(self.centre, value)

    def across(self, direction: ca.SX) -> ca.SX:
        """The direction itself."""
        return direction

    def shapes(self, number: Number = nominal) -> tuple[Ball, ...]:
        """The sphere."""
        return (Ball(numbers(self.centre, number), number(self.radius), self.inside),)
