"""Solids of contacts: in which points each kind may touch.

`SOLID_KINDS` is their register by the class of the solid (``model/geometry.py``); None is a point.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from types import NoneType
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import casadi as ca

from dalembert.core.errors import MachineError
from dalembert.core.validation import Bound
from dalembert.model.contacts.box_surface import BoxSurface
from dalembert.model.contacts.sharp import (
    BOX_PAIRS,
    CAPSULE_PAIRS,
    POINT_PAIRS,
    Facing,
    box_on_box,
    capsule_on_box,
    point_on_box,
)
from dalembert.model.contacts.surface import Surface, Value, vector
from dalembert.model.geometry import Box, Capsule, Sphere

__all__ = ["SOLID_KINDS", "SolidKind", "Touching"]


class Touching(NamedTuple):
    """A sphere that may touch; ``sweep`` is the direction in which it is swept, and how far both ways."""

    centre: ca.SX
    radius: ca.SX | float
    sweep: tuple[ca.SX, ca.SX] | None = None


T = TypeVar("T")


@dataclass(frozen=True)
class SolidKind(ABC, Generic[T]):
    """A solid as contacts see it: spheres, and spheres swept along a segment, that may touch."""

    solid: T

    key: ClassVar[str]
    """Name of the kind: its key in the contacts of machine files."""

    def count(self, surface: Surface) -> int:
        """In how many points it may touch a surface."""
        return 1

    def check(self, surface: Surface, owner: str) -> None:
        """Refuse a surface that it cannot touch; ``owner`` is the contact."""

    @abstractmethod
    def touching(self, surface: Surface, R: ca.SX, p: ca.SX, value: Value) -> list[Touching]:
        """Candidate contact points, `count` of them, of the solid in the pose ``R, p``."""

    def facing(self, surface: BoxSurface, R: ca.SX, p: ca.SX, value: Value) -> list[Facing]:
        """Pairs with windows behind those of `touching`, with a box of which the solid has the pose ``R, p``."""
        return []

    def bounds(self, owner: str) -> Iterator[Bound]:
        """Ranges that must hold for any parameter values."""
        yield from ()


class PointSolid(SolidKind[None]):
    """The origin of the pose."""

    key = "point"

    def count(self, surface: Surface) -> int:
        """One point, or the faces of a box."""
        return POINT_PAIRS if surface.sharp else 1

    def touching(self, surface: Surface, R: ca.SX, p: ca.SX, value: Value) -> list[Touching]:
        """The point."""
        return [] if surface.sharp else [Touching(p, 0.0)]

    def facing(self, surface: BoxSurface, R: ca.SX, p: ca.SX, value: Value) -> list[Facing]:
        """The point, with the faces across each axis."""
        return point_on_box(p, surface.halves(value))


class SphereSolid(SolidKind[Sphere]):
    """A sphere."""

    key = "sphere"

    def touching(self, surface: Surface, R: ca.SX, p: ca.SX, value: Value) -> list[Touching]:
        """The sphere."""
        return [Touching(p, value(self.solid.radius))]

    def bounds(self, owner: str) -> Iterator[Bound]:
        """The radius."""
        yield Bound(f"the radius of {owner}", self.solid.radius, strict=True)


class CapsuleSolid(SolidKind[Capsule]):
    """A capsule: its two ends, or where it comes nearest to a surface that it may touch in between."""

    key = "capsule"

    def count(self, surface: Surface) -> int:
        """Two ends, or one point between them; two ends and its side on a box."""
        return 2 + CAPSULE_PAIRS if surface.sharp else 2 if surface.convex_side else 1

    def touching(self, surface: Surface, R: ca.SX, p: ca.SX, value: Value) -> list[Touching]:
        """Spheres at the ends, or one swept from end to end."""
        half, axis, radius = value(self.solid.length) / 2, R[:, 2], value(self.solid.radius)
        if surface.convex_side or surface.sharp:
            return [Touching(p + s * half * axis, radius) for s in (-1, 1)]
        return [Touching(p, radius, (axis, half))]

    def facing(self, surface: BoxSurface, R: ca.SX, p: ca.SX, value: Value) -> list[Facing]:
        """Its side, with edges and corners."""
        half, radius = value(self.solid.length) / 2, value(self.solid.radius)
        return capsule_on_box(R[:, 2], p, half, radius, surface.halves(value))

    def bounds(self, owner: str) -> Iterator[Bound]:
        """Radius and length."""
        yield Bound(f"the radius of {owner}", self.solid.radius)
        yield Bound(f"the length of {owner}", self.solid.length, strict=True)


class BoxSolid(SolidKind[Box]):
    """The corners of a box."""

    key = "box"

    def count(self, surface: Surface) -> int:
        """Eight corners; on a box also its corners, and edges."""
        return BOX_PAIRS if surface.sharp else 8

    def check(self, surface: Surface, owner: str) -> None:
        """Corners touch only where the distance is least at the end of an edge."""
        if not (surface.convex_side or surface.sharp):
            raise MachineError(
                f"{owner}: a box touches with its corners only, but its faces reach a round surface first; use a "
                "Sphere, a Capsule or points in place of the box, a HalfSpace or BoxSurface in place of the surface, "
                "or colliders, which are time-stepped"
            )

    def touching(self, surface: Surface, R: ca.SX, p: ca.SX, value: Value) -> list[Touching]:
        """The corners."""
        if surface.sharp:
            return []
        a, b, c = (value(side) / 2 for side in self.solid.size)
        signs = [(i, j, k) for k in (-1, 1) for j in (-1, 1) for i in (-1, 1)]
        return [Touching(p + R @ ca.vertcat(i * a, j * b, k * c), 0.0) for i, j, k in signs]

    def facing(self, surface: BoxSurface, R: ca.SX, p: ca.SX, value: Value) -> list[Facing]:
        """Corners of both boxes, and edges."""
        return box_on_box(R, p, vector(self.solid.size, value) / 2, surface.halves(value))

    def bounds(self, owner: str) -> Iterator[Bound]:
        """The sides."""
        for side in self.solid.size:
            yield Bound(f"a side of the box of {owner}", side, strict=True)


SOLID_KINDS: dict[type, type[SolidKind[Any]]] = {
    Sphere: SphereSolid,
    Capsule: CapsuleSolid,
    Box: BoxSolid,
    NoneType: PointSolid,
}
