"""Half-space: all below a plane."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import casadi as ca

from dalembert.core.parameter import nominal
from dalembert.core.validation import Vector
from dalembert.model.contacts.surface import Distance, Number, Plane, Surface, Value, numbers, vector
from dalembert.model.kind_fields import Axis

__all__ = ["GROUND", "HalfSpace"]


@dataclass(frozen=True)
class HalfSpace(Surface):
    """The half-space below a plane: the ground, an incline, a wall, the face of a moving body.

    Parameters
    ----------
    normal
        Direction out of it (normalised), in the frame that carries it.
    point
        A point of the plane.

    Examples
    --------
    >>> import dalembert as da
    >>> da.HalfSpace(normal=(0, 0, 2)).normal
    (0.0, 0.0, 1.0)
    """

    normal: Axis = (0.0, 0.0, 1.0)
    point: Vector = (0.0, 0.0, 0.0)

    key = "half_space"
    units = MappingProxyType({"point": "m"})
    noun = "half-space"
    flat = True

    def distance(self, x: ca.SX, value: Value) -> Distance:
        """``n . (x - point)`` and ``n``."""
        n = ca.SX(numbers(self.normal))
        return Distance(ca.dot(n, x - vector(self.point, value)), n)

    @property
    def convex_side(self) -> bool:
        """The distance is linear."""
        return True

    def shapes(self, number: Number = nominal) -> tuple[Plane, ...]:
        """The plane."""
        return (Plane(numbers(self.point, number), numbers(self.normal)),)


GROUND = HalfSpace()
"""All below z = 0."""
