"""Contacts of two bodies with each other, from the geometry that they have for collision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dalembert.core.errors import MachineError, UnknownNameError
from dalembert.model.body import Body
from dalembert.model.contacts.box_surface import BoxSurface
from dalembert.model.contacts.contact import Contact
from dalembert.model.contacts.spherical import SphericalSurface
from dalembert.model.geometry import Box, Capsule, Geometry, Sphere
from dalembert.model.transform import Transform

if TYPE_CHECKING:
    from dalembert.model.machine import Machine

__all__ = ["body_contacts"]

_MOST = 252
"""Points in which two bodies may touch, at most: those of three boxes and one. Each has rows on the tapes."""


def body_contacts(
    machine: Machine, one: str, two: str, *, restitution: Any = 0.0, friction: Any = 0.0, law: str = "newton"
) -> tuple[Contact, ...]:
    """Contacts of two bodies with each other: of their spheres, capsules and boxes.

    Two boxes touch with the corners of both and with crossing edges, each within the face or edge of the other one.
    Event by event each impact is located. Two capsules, cylinders, cones, meshes and height fields are refused by name,
    and so are bodies of many boxes: a `Collider` takes them, with time-stepping.

    Parameters
    ----------
    machine
        The machine.
    one, two
        Names of the bodies.
    restitution, friction, law
        As in `Contact`.

    Returns
    -------
    tuple of Contact
        One for each two solids, ``one-two``, with numbers where bodies have several.

    Examples
    --------
    >>> import dalembert as da
    >>> boxes = [da.box(name, 1.0, (0.2, 0.2, 0.2)) for name in ("lower", "upper")]
    >>> two = da.Machine("boxes", boxes, [da.Joint(b.name, "free", "world", b.name) for b in boxes])
    >>> [(c.name, c.count) for c in da.body_contacts(two, "upper", "lower", friction=0.5)]
    [('upper-lower', 84)]
    """
    solids = {name: _solids(machine, name) for name in (one, two)}
    if one == two:
        raise MachineError(f"body '{one}' of machine '{machine.name}' does not touch itself: give two bodies")
    several = len(solids[one]) * len(solids[two]) > 1
    contacts = []
    for i, first in enumerate(solids[one]):
        for j, second in enumerate(solids[two]):
            label = f"{one}.{i}-{two}.{j}" if several else f"{one}-{two}"
            frame, solid, origin, on, surface = _sides((one, first), (two, second), machine.name)
            contacts.append(Contact(label, frame, solid, origin, surface, on, restitution, friction, law))
    points = sum(contact.count for contact in contacts)
    if points > _MOST:
        raise MachineError(
            f"bodies '{one}' and '{two}' of machine '{machine.name}' may touch in {points} points, more than the "
            f"{_MOST} of contacts that are located event by event; use colliders and contact='time-stepping'"
        )
    return tuple(contacts)


def _solids(machine: Machine, name: str) -> list[Geometry]:
    known = {b.name: b for b in machine.bodies if isinstance(b, Body)}
    if name not in known:
        raise UnknownNameError("body", name, known, f"machine '{machine.name}'")
    solids = [g for g in known[name].geometry if g.collision]
    if not solids:
        raise MachineError(f"body '{name}' of machine '{machine.name}' has no geometry for collision")
    return solids


def _sides(
    one: tuple[str, Geometry], two: tuple[str, Geometry], machine: str
) -> tuple[str, Sphere | Capsule | Box, Transform, str, BoxSurface | SphericalSurface]:
    """Which of two solids touches, with its body and place, and the surface of the other one."""
    for (name, shape), (on, other) in ((one, two), (two, one)):
        match shape.solid, other.solid:
            case ((Sphere() | Capsule() | Box() as solid), Box(size=size)):
                return name, solid, shape.origin, on, BoxSurface(size, other.origin)
            case ((Sphere() | Capsule() as solid), Sphere(radius=radius)):
                return name, solid, shape.origin, on, SphericalSurface(radius, other.origin.translation)
    kinds = " and ".join(f"a {type(g.solid).__name__} ('{name}')" for name, g in (one, two))
    raise MachineError(
        f"{kinds} of machine '{machine}' cannot be located event by event: contacts take spheres, capsules and boxes, "
        "but no two capsules; use colliders and contact='time-stepping'"
    )
