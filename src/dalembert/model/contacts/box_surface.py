"""Surface of a box of finite size, touched from outside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import casadi as ca

from dalembert.core.validation import Bound, Vector, field_scalar
from dalembert.model.contacts.surface import Distance, Surface, Value, vector
from dalembert.model.kind_fields import Role
from dalembert.model.transform import IDENTITY, Transform, as_transform
from dalembert.model.tree import place

__all__ = ["BoxSurface"]

_CORNER = 1e-60  # square of a length that keeps the direction from a corner finite in the corner itself


@dataclass(frozen=True)
class BoxSurface(Surface):
    """The outside of a box: a table, a step, a brick, with faces, edges and corners.

    A `Sphere` rolls over its faces, edges and corners. A point touches its faces, each within its sides. A `Box` on it
    touches with its own corners, with the corners of this box, and with crossing edges. It is not drawn: give its
    carrier the geometry of the box.

    Parameters
    ----------
    size
        Sides along x, y and z [m].
    origin
        Placement of the box in the frame that carries it; three numbers are a translation.

    Examples
    --------
    >>> import dalembert as da
    >>> table = da.BoxSurface((2.0, 1.0, 0.1), (0, 0, 0.7))
    >>> da.Contact("top", "crate", da.Box((0.2, 0.2, 0.2)), surface=table).count
    84
    """

    size: Vector
    origin: Transform = IDENTITY

    key = "box_surface"
    units = MappingProxyType({"size": "m"})
    noun = "box surface"
    sharp = True

    def _checked(self, role: Role, value: Any, name: str) -> Any:
        if name == "origin":
            return as_transform(value, f"the origin of a {self.noun}")
        size = super()._checked(role, value, name)
        return tuple(field_scalar(x, f"a side of a {self.noun}", lower=0.0, strict=True) for x in size)

    def halves(self, value: Value) -> ca.SX:
        """Half of each side."""
        return vector(self.size, value) / 2

    def placed(self, value: Value) -> tuple[ca.SX, ca.SX]:
        """Axes of the box as columns, and its centre, in the frame that carries it."""
        R, p = place(self.origin, value)
        return ca.SX(R), ca.SX(p)

    def distance(self, x: ca.SX, value: Value) -> Distance:
        """Distance of the nearest point of the box; within it, of the nearest face."""
        R, p = self.placed(value)
        y = R.T @ (x - p)
        side = ca.if_else(y >= 0, 1.0, -1.0)
        q = ca.fabs(y) - self.halves(value)
        out = ca.fmax(q, 0.0)
        away = ca.sqrt(ca.dot(out, out) + _CORNER)
        deepest = ca.fmax(ca.fmax(q[0], q[1]), q[2])
        first = ca.if_else(q[0] >= deepest, 1.0, 0.0)
        second = ca.if_else(q[1] >= deepest, 1.0 - first, 0.0)
        face = ca.vertcat(first, second, 1.0 - first - second)
        outside = deepest > 0.0
        normal = side * ca.if_else(outside, out / away, face)
        return Distance(ca.if_else(outside, away, deepest), R @ normal)

    @property
    def convex_side(self) -> bool:
        """A segment may touch an edge between its ends."""
        return False

    def bounds(self, owner: str) -> Iterator[Bound]:
        """The sides."""
        for side in self.size:
            yield Bound(f"a side of the surface of {owner}", side, strict=True)
