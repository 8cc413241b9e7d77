"""Colliders that touch in a configuration as contacts, whose rows have derivatives: for static and linear models.

Near a configuration, shapes touch with a face, a corner, a sphere or the side of a cylinder. A pair of these is a
contact of a point or a sphere with a half-space, a sphere or a cylinder, whose gap is that of the pair to second order.
Edges, rims and the sides of cones have no such contact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dalembert.collide.articulated import joined_bodies, machine_shapes
from dalembert.collide.frames import ShapeFrame, frame_poses, shape_frames
from dalembert.collide.placed import PlacedShape, shape_table
from dalembert.core.errors import InputError
from dalembert.core.parameter import Scalar, evaluate, nominal
from dalembert.core.types import Array
from dalembert.engine.collide.articulated import ShapesAtRest
from dalembert.engine.problem.shapes import ShapeKind, ShapeTable
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.model.contacts import Contact, CylindricalSurface, HalfSpace, SphericalSurface, Surface
from dalembert.model.geometry import Sphere
from dalembert.model.joint import WORLD
from dalembert.model.machine import Machine
from dalembert.model.transform import Transform

__all__ = ["check_law", "collider_gap", "mean_friction", "with_declared_contacts"]

_CLOSED = 0.9e-6
"""Gap [m] below which shapes touch; contacts count as closed below 1e-6 m."""
_ALONG = 1e-6
"""Sine of the angle up to which a normal is that of a face, and part of a size up to which a point is a corner."""


@dataclass(frozen=True, eq=False)
class _Feature:
    """Part of a shape that touches: a face, a sphere or a cylinder about a point, or a corner (radius 0).

    ``axis`` is the normal of a face, or the direction of a cylinder, in the frame of the carrier, as ``point`` is.
    """

    kind: str
    point: Array
    axis: Array
    radius: float = 0.0
    corner: bool = False


class _Side(NamedTuple):
    """A shape of a pair, the frame that carries it, the touching point and the outward normal in that frame."""

    shape: PlacedShape
    frame: str
    point: Array
    normal: Array


def with_declared_contacts(eom: EquationsOfMotion, q: ArrayLike, p: Array) -> Machine:
    """Machine in which the colliders that touch at q are contacts, and which has no colliders.

    Pairs that overlap, that touch with edges or rims, or whose law no contact has raise an error that names them.

    Parameters
    ----------
    eom, q
        The equations of a machine with colliders, and its coordinates.
    p
        Parameter values.
    """
    machine, frames = eom.machine, shape_frames(eom.machine)
    shapes, table = _shapes(eom, p)
    poses, halves = frame_poses(eom)(np.asarray(q, dtype=float), p)
    touching = ShapesAtRest(table, len(frames)).touching(poses, halves, _CLOSED)
    contacts: list[Contact] = []
    taken = {c.name for c in machine.contacts}
    for (i, j), point, normal, gap in zip(*touching, strict=True):
        one, two = shapes[i], shapes[j]
        pair = f"'{one.owner}' and '{two.owner}' of machine '{machine.name}'"
        if gap < -_CLOSED:
            raise InputError(f"{pair} overlap by {-gap:.3g} m there")
        check_law(one, two, f"{pair} touch", "no linear model has it")
        sides = [_side(shape, frames, poses, point, outward) for shape, outward in ((one, -normal), (two, normal))]
        name, count = f"{one.owner}.{two.owner}", 1
        while name in taken:
            name, count = f"{one.owner}.{two.owner}.{count}", count + 1
        taken.add(name)
        contacts.append(_contact(name, sides, pair))
    return machine.with_(contacts=(*machine.contacts, *contacts), colliders=())


def collider_gap(eom: EquationsOfMotion, p: Array) -> Callable[[Array], float]:
    """Return the function q -> smallest gap of the colliders of a machine, infinite where none of them is near."""
    still, poses = ShapesAtRest(_shapes(eom, p)[1], len(shape_frames(eom.machine))), frame_poses(eom)

    def gap(q: Array) -> float:
        return float(still.touching(*poses(q, p), _CLOSED).gaps.min(initial=np.inf))

    return gap


def _shapes(eom: EquationsOfMotion, p: Array) -> tuple[list[PlacedShape], ShapeTable]:
    values = dict(zip(eom.p_names, p.tolist(), strict=True))
    shapes = machine_shapes(eom.machine, lambda x: float(evaluate(x, values)))
    return shapes, shape_table(shapes, nominal, joined_bodies(eom.machine))


def check_law(one: PlacedShape, two: PlacedShape, pair: str, purpose: str) -> None:
    """Raise an error that names a law that contacts do not have, or a beam: what the pair does, and the reason."""
    for shape in (one, two):
        if shape.segment is not None:
            raise InputError(
                f"{pair}, and '{shape.owner}' is a {shape.segment.body.kind}, whose capsules bend: {purpose}; declare "
                "contacts at its sections (da.Contact)"
            )
    for collider in (one.collider, two.collider):
        moves = any(not isinstance(x, float) or x != 0.0 for x in collider.belt)
        for has, what in (
            (collider.resists, "resistance against rolling or spinning"),
            (moves, "a belt"),
            (collider.grain is not None, "a grain"),
            (collider.stiffness is not None, "a stiffness"),
            (collider.adheres, "adhesion"),
        ):
            if has:
                raise InputError(f"{pair}, and collider '{collider.name}' has {what}: {purpose}")


def _side(shape: PlacedShape, frames: tuple[ShapeFrame, ...], poses: Array, point: Array, outward: Array) -> _Side:
    """Point and normal in the frame that carries the shape."""
    if shape.body < 0:
        return _Side(shape, WORLD, point, outward)
    p, R = poses[shape.body, :3], poses[shape.body, 3:].reshape(3, 3)
    return _Side(shape, frames[shape.body].owner, R.T @ (point - p), R.T @ outward)


def _contact(name: str, sides: list[_Side], pair: str) -> Contact:
    """Contact of two shapes that touch in a point."""
    found: list[tuple[_Feature, _Side]] = []
    for side in sides:
        feature = _feature(side)
        if feature is None:
            raise InputError(
                f"{pair} touch there with an edge, a rim or the side of a cone ('{side.shape.owner}'): static and "
                "linear models support faces, corners, spheres and the sides of cylinders and capsules"
            )
        found.append((feature, side))
    (surface, b), (solid, a) = sorted(found, key=lambda both: _as_solid(*both))
    if surface.kind == "corner" or (solid.kind == "tube" and surface.kind != "face"):
        what = "with two corners" if surface.kind == "corner" else "along their sides"
        raise InputError(f"{pair} touch there {what}: static and linear models do not support such a pair")
    radius = solid.radius
    centre = a.point - radius * a.normal if radius else a.point
    mu = mean_friction(a.shape.collider.friction, b.shape.collider.friction)
    x, y, z = (float(v) for v in centre)
    return Contact(
        name, a.frame, Sphere(radius) if radius else None, Transform((x, y, z)), _surface(surface), b.frame, friction=mu
    )


def _as_solid(feature: _Feature, side: _Side) -> int:
    """How well a feature is a solid that touches the surface of the other one."""
    if feature.kind == "face":
        return (2 if feature.corner else 1) if side.frame != WORLD else 0
    return {"sphere": 4, "tube": 3, "corner": 5}[feature.kind]


def _surface(feature: _Feature) -> Surface:
    point, axis = ((float(x), float(y), float(z)) for x, y, z in (feature.point, feature.axis))
    if feature.kind == "face":
        return HalfSpace(axis, point)
    if feature.kind == "sphere":
        return SphericalSurface(feature.radius, point)
    return CylindricalSurface(feature.radius, axis, point)


def mean_friction(one: Scalar, two: Scalar) -> Scalar:
    """Geometric mean of two coefficients, a formula if they are parameters."""
    return one if one is two or one == two else (one * two) ** 0.5


def _feature(side: _Side) -> _Feature | None:
    """Face, sphere, cylinder or corner of a shape at its touching point; None: an edge, a rim or the side of a cone."""
    shape, place = side.shape.shape, side.shape.place
    R, origin = place[3:].reshape(3, 3), place[:3]
    x, n, size = R.T @ (side.point - origin), R.T @ side.normal, shape.size
    z = np.array([0.0, 0.0, 1.0])

    def face(normal: Array) -> _Feature:
        return _Feature("face", side.point, R @ normal)

    def round_about(kind: str, height: float, radius: float) -> _Feature:
        return _Feature(kind, origin + R @ (height * z), R @ z, float(radius))

    match shape.kind:
        case ShapeKind.HALF_SPACE:
            return face(z)
        case ShapeKind.SPHERE:
            return round_about("sphere", 0.0, size[0])
        case ShapeKind.CAPSULE:
            radius, half = size[0], size[1]
            foot = x - radius * n
            inside = abs(foot[2]) < half - _ALONG * shape.reach and abs(n[2]) < _ALONG
            return round_about("tube" if inside else "sphere", 0.0 if inside else np.sign(foot[2]) * half, radius)
        case ShapeKind.CYLINDER:
            if abs(abs(n[2]) - 1.0) < _ALONG**2:
                return face(np.sign(n[2]) * z)
            return round_about("tube", 0.0, size[0]) if abs(n[2]) < _ALONG else None
        case ShapeKind.CONE:
            return face(-z) if n[2] < -1.0 + _ALONG**2 else None
        case ShapeKind.BOX:
            axes = np.vstack([np.eye(3), -np.eye(3)])
            corners = np.array([(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) * size
            return _of_polyhedron(axes, corners, x, n, side)
        case ShapeKind.HULL:
            assert shape.hull is not None
            return _of_polyhedron(shape.hull.normals, shape.hull.vertices, x, n, side)
        case _:
            return None


def _of_polyhedron(normals: Array, corners: Array, x: Array, n: Array, side: _Side) -> _Feature | None:
    """A face or a corner; None: an edge."""
    best = int(np.argmax(normals @ n))
    near = bool((np.linalg.norm(corners - x, axis=1) < _ALONG * side.shape.shape.reach + 1e-6).any())
    if np.linalg.norm(np.cross(normals[best], n)) < _ALONG:
        outward = side.shape.place[3:].reshape(3, 3) @ normals[best]
        return _Feature("face", side.point, outward, corner=near)
    return _Feature("corner", side.point, side.normal) if near else None
