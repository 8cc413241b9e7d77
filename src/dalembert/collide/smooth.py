"""All pairs of colliders as contacts, whose rows have derivatives: for derivatives of runs by time-stepping.

The gap of a sphere on a half-space, a sphere or a box, of the ends of a capsule on a half-space, of its side on a
sphere, and of a corner of a box on a half-space is an expression of the coordinates. Other pairs are found by searches
in each step, and their points jump: they have no such contact.
"""

from __future__ import annotations

from itertools import combinations

from dalembert.collide.articulated import joined_bodies, machine_shapes
from dalembert.collide.declared import check_law, mean_friction
from dalembert.collide.placed import PlacedShape, shape_table
from dalembert.core.errors import InputError
from dalembert.core.parameter import Scalar, nominal
from dalembert.engine.problem.shapes import ShapeKind
from dalembert.model.contacts import BoxSurface, Contact, HalfSpace, SphericalSurface, Surface
from dalembert.model.geometry import Box, Capsule, Sphere
from dalembert.model.joint import WORLD
from dalembert.model.machine import Machine
from dalembert.model.transform import Transform

__all__ = ["with_smooth_contacts"]

_MOST = 300
"""Pairs of shapes, at most: each has rows on the tapes."""

_TAKES: dict[ShapeKind, tuple[ShapeKind, ...]] = {
    ShapeKind.HALF_SPACE: (ShapeKind.SPHERE, ShapeKind.CAPSULE, ShapeKind.BOX),
    ShapeKind.SPHERE: (ShapeKind.SPHERE, ShapeKind.CAPSULE),
    ShapeKind.BOX: (ShapeKind.SPHERE,),
}
"""Kinds of surface, with the solids that touch them smoothly."""


def with_smooth_contacts(machine: Machine, purpose: str) -> Machine:
    """Machine in which all pairs of colliders are contacts; pairs without closed forms raise an error that names them.

    Parameters
    ----------
    machine
        A machine with colliders.
    purpose
        The reason why pairs need closed forms, for messages.
    """
    return machine.kept.once("smooth contacts", purpose, lambda: _converted(machine, purpose))


def _converted(machine: Machine, purpose: str) -> Machine:
    where = f"machine '{machine.name}'"

    def number(x: Scalar) -> float:
        if not isinstance(x, float):
            raise InputError(f"{where}: '{x}' is a size or a place of a collider that depends on parameters: {purpose}")
        return x

    shapes = machine_shapes(machine, number)
    excluded = set(shape_table(shapes, nominal, joined_bodies(machine)).excluded.tolist())
    contacts: list[Contact] = []
    for (i, one), (j, two) in combinations(enumerate(shapes), 2):
        if one.body == two.body or i * len(shapes) + j in excluded:
            continue
        pair = f"'{one.owner}' and '{two.owner}' of {where}"
        check_law(one, two, f"{pair} may touch", purpose)
        solid, surface = _sides(one, two, pair, purpose)
        label = f"{solid.owner}.{surface.owner}.{len(contacts)}"
        contacts.append(
            Contact(
                label,
                _frame(solid),
                _solid(solid),
                _transform(solid),
                _surface(surface),
                _frame(surface),
                _least(one.collider.restitution, two.collider.restitution, pair, purpose),
                mean_friction(one.collider.friction, two.collider.friction),
            )
        )
        if len(contacts) > _MOST:
            raise InputError(f"{where} has more than {_MOST} pairs of colliders: {purpose}")
    return machine.with_(contacts=(*machine.contacts, *contacts), colliders=())


def _sides(one: PlacedShape, two: PlacedShape, pair: str, purpose: str) -> tuple[PlacedShape, PlacedShape]:
    """Which of two shapes is the solid, and which the surface."""
    for solid, surface in ((one, two), (two, one)):
        if solid.shape.kind in _TAKES.get(surface.shape.kind, ()):
            return solid, surface
    kinds = " and a ".join(s.shape.kind.name.lower().replace("_", "-") for s in (one, two))
    raise InputError(
        f"{pair} are a {kinds}, whose points of contact have no closed form: {purpose}; spheres on half-spaces, "
        "spheres and boxes, capsules on half-spaces and spheres, and boxes on half-spaces have one; let the colliders "
        "of other pairs ignore each other"
    )


def _least(one: Scalar, two: Scalar, pair: str, purpose: str) -> Scalar:
    """Return the smaller of two restitutions."""
    if one is two or one == two:
        return one
    if isinstance(one, float) and isinstance(two, float):
        return min(one, two)
    raise InputError(
        f"{pair} have different restitutions, of which one is a parameter: {purpose}; give both colliders the same one"
    )


def _frame(shape: PlacedShape) -> str:
    return WORLD if shape.body < 0 else shape.owner


def _transform(shape: PlacedShape) -> Transform:
    p, *rows = ((float(x), float(y), float(z)) for x, y, z in shape.place.reshape(4, 3))
    return Transform(p, (rows[0], rows[1], rows[2]))


def _solid(shape: PlacedShape) -> Sphere | Capsule | Box:
    size = [float(x) for x in shape.shape.size]
    match shape.shape.kind:
        case ShapeKind.SPHERE:
            return Sphere(size[0])
        case ShapeKind.CAPSULE:
            return Capsule(size[0], 2.0 * size[1])
        case _:
            return Box((2.0 * size[0], 2.0 * size[1], 2.0 * size[2]))


def _surface(shape: PlacedShape) -> Surface:
    place, solid = _transform(shape), shape.shape.kind
    if solid is ShapeKind.HALF_SPACE:
        x, y, z = (float(row[2]) for row in shape.place[3:].reshape(3, 3))
        return HalfSpace((x, y, z), place.translation)
    if solid is ShapeKind.SPHERE:
        return SphericalSurface(float(shape.shape.size[0]), place.translation)
    box = _solid(shape)
    assert isinstance(box, Box)
    return BoxSurface(box.size, place)
