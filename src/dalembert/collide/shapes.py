"""Solids of bodies as shapes of a scene."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from dalembert.collide.hulls import convex_hull
from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar
from dalembert.core.types import Array
from dalembert.engine.problem.shapes import Hull, ShapeKind
from dalembert.model.geometry import Box, Capsule, Cone, Cylinder, HeightField, Mesh, Solid, Sphere

__all__ = ["CollisionShape", "shape_of"]


@dataclass(frozen=True, eq=False)
class CollisionShape:
    """A shape in numbers, centred in its own frame.

    Parameters
    ----------
    kind, size
        As in scene.h.
    reach, inner
        Radii of spheres about the centre, around the shape and inside of it [m].
    hull
        Corners and faces of a hull.
    centre
        Centre of the shape in the frame of its solid.
    """

    kind: ShapeKind
    size: Array
    reach: float
    inner: float
    hull: Hull | None = None
    centre: Array = field(default_factory=lambda: np.zeros(3))


def shape_of(solid: Solid, number: Callable[[Scalar], float], owner: str) -> CollisionShape:
    """Return the shape of a solid; ``owner`` names it in errors."""
    match solid:
        case Sphere(radius=radius):
            r = number(radius)
            return CollisionShape(ShapeKind.SPHERE, np.array([r, 0.0, 0.0]), r, r)
        case Capsule(radius=radius, length=length):
            r, half = number(radius), number(length) / 2
            if not r > 0.0:
                raise MachineError(
                    f"{owner} has a capsule of radius 0 m for collision: colliders need one that is round"
                )
            return CollisionShape(ShapeKind.CAPSULE, np.array([r, half, 0.0]), r + half, r)
        case Cylinder(radius=radius, length=length):
            r, half = number(radius), number(length) / 2
            return CollisionShape(ShapeKind.CYLINDER, np.array([r, half, 0.0]), float(np.hypot(r, half)), min(r, half))
        case Cone(radius=radius, length=length):
            r, half = number(radius), number(length) / 2
            inner = half * r / float(np.hypot(r, 2.0 * half))
            return CollisionShape(ShapeKind.CONE, np.array([r, half, inner]), float(np.hypot(r, half)), inner)
        case HeightField():
            points, size = solid.points(), np.array([*solid.spacing, len(solid.heights)])
            grid = Hull(points, np.zeros((0, 3)), ())
            return CollisionShape(ShapeKind.FIELD, size, float(np.linalg.norm(points, axis=1).max()), np.inf, grid)
        case Box(size=size):
            sides = np.array([number(side) / 2 for side in size])
            return CollisionShape(ShapeKind.BOX, sides, float(np.linalg.norm(sides)), float(sides.min()))
        case Mesh():
            return _hull(solid, number, owner)


def _hull(mesh: Mesh, number: Callable[[Scalar], float], owner: str) -> CollisionShape:
    """Return the shape of a convex mesh; others are refused by name."""
    read = mesh.triangles()
    scale = np.array([number(x) for x in mesh.scale])
    faces = read.faces if np.prod(scale) > 0.0 else read.faces[:, ::-1]  # a reflection turns triangles over
    hull, centre = convex_hull(read.vertices * scale, faces, f"{owner}: the mesh '{mesh.file}' for collision")
    inner = min(float(n @ hull.vertices[loop[0]]) for n, loop in zip(hull.normals, hull.loops, strict=True))
    reach = float(np.linalg.norm(hull.vertices, axis=1).max())
    return CollisionShape(ShapeKind.HULL, np.array([inner, 0.0, 0.0]), reach, inner, hull, centre)
