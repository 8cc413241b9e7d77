"""Contacts in machine files: reading and writing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any

from dalembert.core.errors import InputError
from dalembert.io.beam_entries import Read
from dalembert.model.contacts import Contact, CylindricalSurface, HalfSpace, SphericalSurface
from dalembert.model.geometry import Box, Capsule, Sphere

__all__ = ["contact_to_data", "make_contact"]

SOLIDS: dict[str, type[Any]] = {"sphere": Sphere, "capsule": Capsule, "box": Box}
SURFACES: dict[str, type[Any]] = {
    "half_space": HalfSpace,
    "spherical": SphericalSurface,
    "cylindrical": CylindricalSurface,
}
_KEYS = {kind: key for key, kind in (SOLIDS | SURFACES).items()}


def make_contact(name: str, entry: Any, number: Read, origin: Read) -> Contact:
    """Make a contact from its entry; ``number`` and ``origin`` read numbers and placements."""
    path = ("contacts", name)
    values: dict[str, Any] = {}
    for field, kinds in (("solid", SOLIDS), ("surface", SURFACES)):
        given = [key for key in kinds if getattr(entry, key) is not None]
        if len(given) > 1:
            raise InputError(f"a contact takes one of {', '.join(kinds)}, got {' and '.join(given)}")
        if given:
            values[field] = kinds[given[0]](**_fields(getattr(entry, given[0]), (*path, given[0]), number))
    for key in entry.model_fields_set & {"on", "law"}:
        values[key] = getattr(entry, key)
    for key in entry.model_fields_set & {"restitution", "friction"}:
        values[key] = number(getattr(entry, key), (*path, key))
    if "origin" in entry.model_fields_set:
        values["origin"] = origin(entry.origin, (*path, "origin"))
    return Contact(name, entry.frame, **values)


def _fields(part: Any, path: tuple[str, ...], number: Read) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key in sorted(part.model_fields_set):
        value = getattr(part, key)
        if isinstance(value, bool) or (key in ("normal", "axis") and isinstance(value, str)):
            values[key] = value
        elif isinstance(value, list):
            values[key] = tuple(number(v, (*path, key, i)) for i, v in enumerate(value))
        else:
            values[key] = number(value, (*path, key))
    return values


def contact_to_data(contact: Contact, given: Callable[..., dict[str, Any]], origin: Any) -> dict[str, Any]:
    """Write a contact: what has its default value is left out."""
    data: dict[str, Any] = {"frame": contact.frame}
    for part in (contact.solid, contact.surface):
        if part is None or repr(part) == repr(HalfSpace()):
            continue
        values: dict[str, Any] = {}
        for field in fields(part):
            value = getattr(part, field.name)
            if isinstance(value, bool):
                values |= {field.name: value} if value else {}
            else:
                values |= given(field.name, value, None if field.default is MISSING else field.default)
        data[_KEYS[type(part)]] = values
    data |= origin(contact.origin)
    for key, default in (("on", "world"), ("law", "newton")):
        if getattr(contact, key) != default:
            data[key] = getattr(contact, key)
    return data | given("restitution", contact.restitution, 0.0) | given("friction", contact.friction, 0.0)
