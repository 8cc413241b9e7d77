"""Shapes of the colliders of a machine on their bodies, and the pairs of them that do not touch."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dalembert.collide.shapes import CollisionShape, shape_of
from dalembert.core.errors import MachineError
from dalembert.core.parameter import Expression as Formula
from dalembert.core.parameter import Scalar
from dalembert.core.types import Array
from dalembert.core.validation import Vector
from dalembert.engine.problem.shapes import ShapeKind, ShapeTable
from dalembert.model.axis_segments import AxisSegment
from dalembert.model.body import Body
from dalembert.model.colliders import Collider
from dalembert.model.machine import Machine
from dalembert.model.transform import Transform

__all__ = [
    "Number", "PlacedShape", "collider_groups", "placed_planes", "placed_segment", "placed_shapes", "pose_of",
    "shape_table",
]  # fmt: skip

Number = Callable[[Scalar], float]

_ROOM = 16
"""Contacts of each shape, on average, for which there is room."""


@dataclass(frozen=True, eq=False)
class PlacedShape:
    """A shape in the frame of a body, or in the world.

    Parameters
    ----------
    body
        Number of the body; -1: the shape does not move.
    owner
        Name of its body, or of the collider of a plane.
    collider, shape
        Its collider, and the shape.
    place
        Position (3) and rotation by rows (9).
    segment
        The part of a beam or rod that it is.
    clamped
        Whether it is the first one of several parts, and their root does not move.
    """

    body: int
    owner: str
    collider: Collider
    shape: CollisionShape
    place: Array
    segment: AxisSegment | None = None
    clamped: bool = False

    @property
    def belt(self) -> tuple[Scalar, ...]:
        """Velocity of its surface, in its own axes."""
        return self._own(self.collider.belt)

    @property
    def grain(self) -> tuple[float, ...]:
        """Direction of its grain in its own axes; zeros: none."""
        return tuple(float(x) for x in self._own(self.collider.grain or (0.0, 0.0, 0.0)))

    @property
    def across(self) -> Scalar:
        """Friction across its grain, or in all directions."""
        return self.collider.friction if self.collider.across is None else self.collider.across

    @property
    def compliance(self) -> Scalar:
        """1 / stiffness; 0: rigid."""
        return 0.0 if self.collider.stiffness is None else 1.0 / self.collider.stiffness

    def _own(self, vector: Vector) -> tuple[Scalar, ...]:
        """A vector of its collider in its own axes: those of half-spaces are in axes of the world."""
        if self.collider.surface is None or not any(isinstance(x, Formula) or x for x in vector):
            return tuple(vector)
        R = self.place[3:].reshape(3, 3)
        return tuple(sum((float(R[j, i]) * vector[j] for j in range(3)), 0.0) for i in range(3))

    def seen_from(self, axes: Array, origin: Array) -> PlacedShape:
        """Return the shape in a frame with these axes (columns) and this origin."""
        p, R = axes.T @ (self.place[:3] - origin), axes.T @ self.place[3:].reshape(3, 3)
        return replace(self, place=np.concatenate([p, R.ravel()]))


def pose_of(pose: Transform, number: Number) -> tuple[Array, Array]:
    """Rotation and translation of a transform in numbers."""
    R = np.array([[number(x) for x in row] for row in pose.rotation])
    return R, np.array([number(x) for x in pose.translation])


def collider_groups(machine: Machine) -> dict[str, Collider]:
    """Return the collider of each body with geometry for collision."""
    groups = {name: c for c in machine.colliders for name in c.bodies or ()}
    rest = [c for c in machine.colliders if c.bodies is None and c.surface is None]
    for body in machine.bodies:
        if rest and isinstance(body, Body) and body.name not in groups and any(g.collision for g in body.geometry):
            groups[body.name] = rest[0]
    return groups


def placed_shapes(machine: Machine, bodies: Iterable[tuple[int, Body, Transform]], number: Number) -> list[PlacedShape]:
    """Return the shapes of bodies in colliders: each body with its number and its pose in the frame of that number."""
    groups, shapes = collider_groups(machine), []
    for i, body, pose in bodies:
        if body.name not in groups:
            continue
        for g in (g for g in body.geometry if g.collision):
            (R, p), inner = pose_of(pose, number), pose_of(g.origin, number)
            owner = f"body '{body.name}' of machine '{machine.name}'"
            shape = shape_of(g.solid, number, owner)
            if shape.kind is ShapeKind.FIELD and i >= 0:
                raise MachineError(f"{owner} has a height field and moves: terrain belongs to a body on a fixed joint")
            p, R = p + R @ inner[1], R @ inner[0]
            place = np.concatenate([p + R @ shape.centre, R.ravel()])
            shapes.append(PlacedShape(i, body.name, groups[body.name], shape, place))
    return shapes


def placed_segment(i: int, segment: AxisSegment, collider: Collider, half: float, clamped: bool) -> PlacedShape:
    """Return the capsule of a segment, which its frame has in the middle along z; ``half`` is half of its length."""
    shape = CollisionShape(
        ShapeKind.CAPSULE, np.array([segment.radius, half, 0.0]), segment.radius + half, segment.radius
    )
    place = np.concatenate([np.zeros(3), np.eye(3).ravel()])
    return PlacedShape(i, segment.body.name, collider, shape, place, segment, clamped)


def placed_planes(machine: Machine, number: Number) -> list[PlacedShape]:
    """Return the half-spaces of the colliders."""
    shapes = []
    for collider in machine.colliders:
        if collider.surface is not None:
            n = np.array([float(x) for x in collider.surface.normal])
            p = np.array([number(x) for x in collider.surface.point])
            plane = CollisionShape(ShapeKind.HALF_SPACE, np.zeros(3), np.inf, np.inf)
            place = np.concatenate([p, _turned_to(n).ravel()])
            shapes.append(PlacedShape(-1, collider.name, collider, plane, place))
    return shapes


def shape_table(shapes: list[PlacedShape], number: Number, apart: Iterable[tuple[str, str]] = ()) -> ShapeTable:
    """Return shapes in numbers; the owners in ``apart`` do not touch each other."""
    m = len(shapes)
    return ShapeTable(
        kinds=np.array([int(s.shape.kind) for s in shapes], dtype=np.int64),
        bodies=np.array([s.body for s in shapes], dtype=np.int64),
        sizes=np.array([s.shape.size for s in shapes]).reshape(-1, 3),
        places=np.array([s.place for s in shapes]).reshape(-1, 12),
        reach=np.array([s.shape.reach for s in shapes]),
        inner=np.array([s.shape.inner for s in shapes]),
        friction=np.array([number(s.collider.friction) for s in shapes]),
        restitution=np.array([number(s.collider.restitution) for s in shapes]),
        spinning=np.array([number(s.collider.spinning) for s in shapes]),
        rolling=np.array([number(s.collider.rolling) for s in shapes]),
        compliance=np.array([number(s.compliance) for s in shapes]),
        damping=np.array([number(s.collider.damping) for s in shapes]),
        adhesion=np.array([number(s.collider.adhesion) for s in shapes]),
        belt=np.array([[number(x) for x in s.belt] for s in shapes]).reshape(-1, 3),
        grain=np.array([s.grain for s in shapes]).reshape(-1, 3),
        across=np.array([number(s.across) for s in shapes]),
        resists=any(s.collider.resists for s in shapes),
        yields=any(s.collider.stiffness is not None for s in shapes),
        adheres=any(s.collider.adheres for s in shapes),
        excluded=_excluded(shapes, apart),
        contacts=64 + _ROOM * m,
        hulls={k: s.shape.hull for k, s in enumerate(shapes) if s.shape.hull is not None},
    )


def _excluded(shapes: list[PlacedShape], apart: Iterable[tuple[str, str]]) -> NDArray[np.int64]:
    """Return the pairs of shapes that ignore each other: by their colliders, by their owners, and near by on an axis.

    A round axis of at least the radius r needs the length pi r to come back to itself. Clamped segments ignore shapes
    that do not move: they could not leave them.
    """
    m = len(shapes)
    by_collider: dict[str, list[int]] = {}
    by_owner: dict[str, list[int]] = {}
    for k, s in enumerate(shapes):
        by_collider.setdefault(s.collider.name, []).append(k)
        by_owner.setdefault(s.owner, []).append(k)
    found = [(i, j) for i, s in enumerate(shapes) for name in s.collider.ignores for j in by_collider.get(name, ())]
    found += [(i, j) for one, two in apart for i in by_owner.get(one, ()) for j in by_owner.get(two, ())]
    still = [k for k, s in enumerate(shapes) if s.body < 0]
    found += [(i, j) for i, s in enumerate(shapes) if s.clamped for j in still]
    segments = [(k, s.segment) for k, s in enumerate(shapes) if s.segment is not None]
    for i, one in segments:
        for j, two in segments:
            apart_along = two.start - one.end
            if one.body is two.body and one.start < two.start and apart_along < np.pi * max(one.radius, two.radius):
                found.append((i, j))
    return np.array(sorted({min(i, j) * m + max(i, j) for i, j in found if i != j}), dtype=np.int64)


def _turned_to(n: Array) -> Array:
    """Return a rotation whose z axis is n."""
    helper = np.eye(3)[int(np.argmin(np.abs(n)))]
    x = np.cross(helper, n) / np.linalg.norm(np.cross(helper, n))
    return np.column_stack([x, np.cross(n, x), n])
