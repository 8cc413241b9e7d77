"""Contacts from the geometry that bodies have for collision."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from dalembert.core.errors import MachineError, UnknownNameError
from dalembert.core.parameter import nominal
from dalembert.model.body import Body
from dalembert.model.contacts.contact import Contact
from dalembert.model.contacts.half_space import GROUND
from dalembert.model.contacts.surface import Surface
from dalembert.model.geometry import Capsule, Cone, Cylinder, HeightField, Mesh
from dalembert.model.joint import WORLD

if TYPE_CHECKING:
    from dalembert.model.machine import Machine

__all__ = ["geometry_contacts"]


def geometry_contacts(
    machine: Machine,
    bodies: Iterable[str] | None = None,
    *,
    surface: Surface = GROUND,
    on: str = WORLD,
    restitution: Any = 0.0,
    friction: Any = 0.0,
    law: str = "newton",
    capsules: bool = False,
) -> tuple[Contact, ...]:
    """Contacts of the collision geometry of bodies, such as that of URDF files, with one surface.

    Spheres and capsules stay what they are, and boxes touch with their corners. Meshes and cylinders are refused by
    name: a cylinder stands on its rim, which no contact does (`Collider` does).

    Parameters
    ----------
    machine
        The machine.
    bodies
        Bodies whose geometry is used; None: all bodies that have any, except ``on``.
    surface, on, restitution, friction, law
        As in `Contact`.
    capsules
        Whether a cylinder that is longer than wide is replaced by a capsule of its length from end to end: it rolls
        alike, but cannot stand.

    Returns
    -------
    tuple of Contact
        One for each solid, with the name of its body (and a number where it has several).

    Examples
    --------
    >>> import dalembert as da
    >>> ball = da.Machine("ball", [da.sphere("ball", 1.0, 0.1)], [da.Joint("base", "free", "world", "ball")])
    >>> ball = ball.with_(contacts=da.geometry_contacts(ball, friction=0.5))
    >>> [c.name for c in ball.contacts]
    ['ball']
    """
    known = {b.name: b for b in machine.bodies if isinstance(b, Body)}
    chosen: Sequence[str] = list(known) if bodies is None else [bodies] if isinstance(bodies, str) else list(bodies)
    contacts = []
    for name in chosen:
        if name not in known:
            raise UnknownNameError("body", name, known, f"machine '{machine.name}'")
        if name == on:
            continue
        solids = [g for g in known[name].geometry if g.collision]
        if bodies is not None and not solids:
            raise MachineError(f"body '{name}' of machine '{machine.name}' has no geometry for collision")
        for k, geometry in enumerate(solids):
            label = name if len(solids) == 1 else f"{name}.{k}"
            solid = geometry.solid
            if isinstance(solid, Mesh):
                raise MachineError(
                    f"body '{name}' of machine '{machine.name}' has the mesh '{solid.file}' for collision: contacts "
                    "support spheres, boxes, cylinders and capsules; replace it, or name the bodies that touch"
                )
            if isinstance(solid, Cone | HeightField):
                kind = "cone" if isinstance(solid, Cone) else "height field"
                raise MachineError(
                    f"body '{name}' of machine '{machine.name}' has a {kind} for collision: contacts support spheres, "
                    "boxes, cylinders and capsules; a Collider takes it as it is"
                )
            if isinstance(solid, Cylinder):
                solid = _capsule(solid, f"body '{name}' of machine '{machine.name}'", capsules)
            contacts.append(Contact(label, name, solid, geometry.origin, surface, on, restitution, friction, law))
    return tuple(contacts)


def _capsule(solid: Cylinder, owner: str, allowed: bool) -> Capsule:
    """Capsule within a cylinder, of its length from end to end; refused unless it is allowed."""
    straight = solid.length - 2.0 * solid.radius
    if not allowed:
        raise MachineError(
            f"{owner} has a cylinder for collision: contacts take spheres, boxes and capsules; capsules=True takes the "
            "capsule within it, which cannot stand; a Collider takes it as it is"
        )
    if not nominal(straight) > 0.0:
        raise MachineError(
            f"{owner} has a cylinder for collision that is not longer ({nominal(solid.length):g} m) than it is wide: a "
            "capsule cannot replace it; give a Sphere, or your own contacts"
        )
    return Capsule(solid.radius, straight)
