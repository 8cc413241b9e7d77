"""Contacts and colliders in machine files: reading and writing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dalembert.core.errors import InputError
from dalembert.io.beam_entries import Read
from dalembert.io.kind_entries import fields_to_data, read_fields
from dalembert.model.colliders import Collider
from dalembert.model.contacts import SOLID_KINDS, SURFACE_KINDS, Contact, HalfSpace
from dalembert.model.kind_fields import kind_fields
from dalembert.model.transform import Transform

if TYPE_CHECKING:
    from dalembert.io.machine_schema import ColliderEntry, ContactEntry

__all__ = ["collider_to_data", "contact_to_data", "make_collider", "make_contact", "read_kind", "solid_keys"]


def solid_keys() -> dict[str, type]:
    """Solids of contacts by their key in machine files; a point has none."""
    return {kind.key: solid for solid, kind in SOLID_KINDS.items() if solid is not type(None)}


def make_contact(name: str, entry: ContactEntry, number: Read, origin: Read) -> Contact:
    """Make a contact from its entry; ``number`` and ``origin`` read numbers and placements."""
    path = ("contacts", name)
    values: dict[str, Any] = {}
    kinds: dict[str, type]
    for field, kinds in (("solid", solid_keys()), ("surface", dict(SURFACE_KINDS))):
        found = read_kind(entry, kinds, path, number, origin)
        values |= {} if found is None else {field: found}
    for key in entry.model_fields_set & {"on", "law"}:
        values[key] = getattr(entry, key)
    for key in entry.model_fields_set & {"restitution", "friction"}:
        values[key] = number(getattr(entry, key), (*path, key))
    for key in entry.model_fields_set & {"origin"}:
        values[key] = origin(getattr(entry, key), (*path, key))
    return Contact(name, entry.frame, **values)


def read_kind(entry: Any, kinds: dict[str, type], path: tuple[str, str], number: Read, origin: Read) -> Any:
    """Read the solid or surface of an entry, which stands under the key of its kind; None if there is none."""
    keys = [key for key in kinds if getattr(entry, key) is not None]
    if len(keys) > 1:
        raise InputError(f"a contact takes one of {', '.join(kinds)}, got {' and '.join(keys)}")
    for key in keys:
        known = {f.name: f for f in kind_fields(kinds[key])}
        return kinds[key](**read_fields(getattr(entry, key), known, (*path, key), number, origin))
    return None


def contact_to_data(
    contact: Contact, number_entry: Callable[..., dict[str, Any]], origin: Callable[[Transform], dict[str, Any]]
) -> dict[str, Any]:
    """Write a contact: default values are left out."""
    data: dict[str, Any] = {"frame": contact.frame}
    if contact.solid is not None:
        data[contact.solid_kind.key] = fields_to_data(contact.solid, number_entry, origin)
    if repr(contact.surface) != repr(HalfSpace()):
        data[contact.surface.key] = fields_to_data(contact.surface, number_entry, origin)
    data |= origin(contact.origin)
    for key, default in (("on", "world"), ("law", "newton")):
        if getattr(contact, key) != default:
            data[key] = getattr(contact, key)
    return (
        data | number_entry("restitution", contact.restitution, 0.0) | number_entry("friction", contact.friction, 0.0)
    )


_COEFFICIENTS: dict[str, Any] = {
    "friction": 0.5, "restitution": 0.0, "rolling": 0.0, "spinning": 0.0, "stiffness": None, "damping": 0.0,
    "adhesion": 0.0, "belt": (0.0, 0.0, 0.0), "grain": None, "across": None, "radius": None,
}  # fmt: skip
"""Numbers and vectors of a collider, with their defaults."""


def make_collider(name: str, entry: ColliderEntry, number: Read, origin: Read) -> Collider:
    """Make a collider from its entry; ``number`` and ``origin`` read numbers and placements."""
    path, plane = ("colliders", name), getattr(entry, "half_space", None)
    values: dict[str, Any] = {}
    for key in _COEFFICIENTS.keys() & entry.model_fields_set:
        given = getattr(entry, key)
        listed = isinstance(given, list)
        read = [number(x, (*path, key, i)) for i, x in enumerate(given)] if listed else number(given, (*path, key))
        values[key] = tuple(read) if listed else read
    if plane is not None:
        known = {f.name: f for f in kind_fields(HalfSpace)}
        values["surface"] = HalfSpace(**read_fields(plane, known, (*path, "half_space"), number, origin))
    for key in ("bodies", "ignores"):
        if getattr(entry, key) is not None:
            values[key] = tuple(getattr(entry, key))
    return Collider(name, segments=entry.segments, **values)


def collider_to_data(
    collider: Collider, number_entry: Callable[..., dict[str, Any]], origin: Callable[[Transform], dict[str, Any]]
) -> dict[str, Any]:
    """Write a collider: default values are left out."""
    data: dict[str, Any] = {}
    for key in ("bodies", "ignores"):
        if getattr(collider, key):
            data[key] = list(getattr(collider, key))
    if collider.segments is not None:
        data["segments"] = collider.segments
    if collider.surface is not None:
        data["half_space"] = fields_to_data(collider.surface, number_entry, origin)
    for key, default in _COEFFICIENTS.items():
        data |= number_entry(key, getattr(collider, key), default)
    return data
