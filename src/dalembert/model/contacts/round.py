"""Common parts of spheres and cylinders: a radius, and an outward direction from a centre or an axis."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import casadi as ca

from dalembert.core.parameter import Scalar
from dalembert.core.validation import Bound, field_scalar
from dalembert.model.contacts.surface import Distance, Surface, Value
from dalembert.model.kind_fields import Role

__all__ = ["RoundSurface"]

_CENTRE = 1e-60  # square of a length that keeps the direction from a centre finite in the centre itself


class RoundSurface(Surface):
    """A surface at ``radius`` from a centre or an axis, touched from outside, or (``inside=True``) from within.

    With the vector ``o(x)`` outwards, linear in ``x``: ``d = |o| - radius`` and ``n = o / |o|``, or their opposites.
    """

    radius: Scalar
    inside: bool

    def _checked(self, role: Role, value: Any, name: str) -> Any:
        if name == "radius":
            return field_scalar(value, f"the radius of a {self.noun}", lower=0.0, strict=True)
        return super()._checked(role, value, name)

    @abstractmethod
    def outwards(self, x: ca.SX, value: Value) -> ca.SX:
        """Vector from the centre or the axis to a point."""

    @abstractmethod
    def across(self, direction: ca.SX) -> ca.SX:
        """Derivative of `outwards` along a direction."""

    def distance(self, x: ca.SX, value: Value) -> Distance:
        """``|o| - radius`` and ``o / |o|``; their opposites inside."""
        out = self.outwards(x, value)
        r = ca.sqrt(ca.dot(out, out) + _CENTRE)
        sign = -1.0 if self.inside else 1.0
        return Distance(sign * (r - value(self.radius)), sign * out / r)

    def nearest(self, x: ca.SX, direction: ca.SX, reach: ca.SX, value: Value) -> ca.SX:
        """Where the segment is closest to the centre (axis)."""
        a, b = self.outwards(x, value), self.across(direction)
        s = -ca.dot(a, b) / (ca.dot(b, b) + _CENTRE)
        return ca.fmax(-reach, ca.fmin(reach, s))

    @property
    def convex_side(self) -> bool:
        """``radius - |o|`` is concave."""
        return self.inside

    def bounds(self, owner: str) -> Iterator[Bound]:
        """The radius."""
        yield Bound(f"the radius of the surface of {owner}", self.radius, strict=True)
