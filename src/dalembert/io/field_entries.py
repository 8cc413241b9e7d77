"""Force fields and orbits in machine files: reading and writing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from dalembert.core.errors import InputError
from dalembert.io.beam_entries import Read
from dalembert.io.contact_entries import read_kind
from dalembert.io.kind_entries import fields_to_data
from dalembert.io.machine_schema import FieldEntry
from dalembert.model.contacts import SURFACE_KINDS, Surface
from dalembert.model.far_fields import MagneticTorque, ThirdBody
from dalembert.model.fields import Drag, ForceField, OrbitalGravity, SolarPressure
from dalembert.model.orbit import Orbit
from dalembert.model.soft_contact import SoftContact
from dalembert.model.transform import Transform

__all__ = ["field_to_data", "make_field"]

FIELD_TYPES: dict[str, type[Any]] = {
    kind.key: kind for kind in (OrbitalGravity, Drag, SolarPressure, ThirdBody, MagneticTorque, SoftContact)
}


def make_field(name: str, entry: FieldEntry, number: Read, origin: Read) -> ForceField:
    """Make a force field from its entry; ``number`` and ``origin`` read numbers and placements."""
    kind = FIELD_TYPES[entry.type]
    known = {f.name for f in fields(kind)} - {"name", "surface"} | (set(SURFACE_KINDS) if _touches(kind) else set())
    keys = entry.model_fields_set - {"type"}
    if wrong := sorted(keys - known):
        raise InputError(f"a force field of type '{entry.type}' takes {', '.join(sorted(known))}, got '{wrong[0]}'")
    if "orbit" in known and "orbit" not in keys and kind is not SolarPressure:
        raise InputError(f"a force field of type '{entry.type}' needs an 'orbit'")
    values: dict[str, Any] = {}
    if _touches(kind):
        surface = read_kind(entry, dict(SURFACE_KINDS), ("fields", name), number, origin)
        values |= {} if surface is None else {"surface": surface}
    for key in sorted(keys - set(SURFACE_KINDS)):
        value, path = getattr(entry, key), ("fields", name, key)
        if key == "orbit":
            values[key] = Orbit(**{k: getattr(value, k) for k in value.model_fields_set})
        elif key in ("frame", "body", "on", "atmosphere", "shadow"):
            values[key] = value
        elif isinstance(value, list):
            values[key] = tuple(number(v, (*path, i)) for i, v in enumerate(value))
        else:
            values[key] = number(value, path)
    field: ForceField = kind(name, **values)
    return field


def _touches(kind: type[ForceField]) -> bool:
    """Whether it has a surface, which stands under the key of its kind."""
    return issubclass(kind, SoftContact)


def field_to_data(
    field: ForceField, number_entry: Callable[..., dict[str, Any]], origin: Callable[[Transform], dict[str, Any]]
) -> dict[str, Any]:
    """Write values other than the defaults."""
    if type(field) not in FIELD_TYPES.values():
        kinds = ", ".join(FIELD_TYPES)
        raise InputError(
            f"force field '{field.name}' is a {type(field).__name__}: machine files can store {kinds} only"
        )
    if isinstance(field, OrbitalGravity) and field.harmonics is not None:
        raise InputError(f"force field '{field.name}' has a gravity model, which machine files cannot store")
    data: dict[str, Any] = {"type": field.key}
    for f in fields(field):
        value = getattr(field, f.name)
        if f.name == "name" or repr(value) == repr(f.default):
            continue
        if isinstance(value, Orbit):
            kept = {x.name: getattr(value, x.name) for x in fields(value)}
            defaults = {x.name: x.default for x in fields(value)}
            data[f.name] = {k: v for k, v in kept.items() if repr(v) != repr(defaults[k])}
        elif isinstance(value, Surface):
            data[value.key] = fields_to_data(value, number_entry, origin)
        elif f.name == "inertia":
            (xx, xy, xz), (_, yy, yz), (_, _, zz) = value
            data |= number_entry("inertia", (xx, yy, zz, xy, xz, yz), None)
        else:
            data |= {f.name: value} if isinstance(value, str | bool) else number_entry(f.name, value, None)
    return data
