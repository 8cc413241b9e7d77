"""Constraints and cables in machine files: entries made from the fields of their kinds, reading and writing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from dalembert.core.errors import InputError
from dalembert.io.beam_entries import Read
from dalembert.io.body_schema import OriginEntry
from dalembert.io.schema_values import Axis, Number, Vector
from dalembert.model.cables import Cable
from dalembert.model.constraints import CONSTRAINT_KINDS, Constraint
from dalembert.model.kind_fields import KindField, Role, kind_fields
from dalembert.model.transform import Transform

if TYPE_CHECKING:
    from dalembert.io.machine_schema import CableEntry, ConstraintEntry

__all__ = [
    "constraint_to_data",
    "entry_fields",
    "entry_units",
    "fields_to_data",
    "make_cable",
    "make_constraint",
    "read_fields",
]

_TYPES: dict[Role, Any] = {
    Role.FRAME: str,
    Role.JOINT: str,
    Role.NUMBER: Number,
    Role.VECTOR: Vector,
    Role.AXIS: Axis,
    Role.TERMS: dict[str, Number],
    Role.PLACEMENT: OriginEntry,
    Role.TEXT: str,
    Role.FLAG: bool,
}


def entry_fields(kinds: Iterable[type], *, required: bool = True) -> dict[str, Any]:
    """Fields of an entry that one of these kinds may fill: by name a type of pydantic and the default.

    Parameters
    ----------
    kinds
        The kinds; fields of one name hold the same in all of them.
    required
        Whether fields without default must be there. Where there are several kinds they need not, as only one of the
        kinds may have them: `make_constraint` asks for them.
    """
    declared: dict[str, list[KindField]] = {}
    for kind in kinds:
        for field in kind_fields(kind):
            declared.setdefault(field.name, []).append(field)
    return {name: _entry_field(fields, required) for name, fields in declared.items()}


def _entry_field(fields: list[KindField], required: bool) -> tuple[Any, Any]:
    annotation = _TYPES[fields[0].role]
    if any(field.optional for field in fields):
        annotation = annotation | None
    defaults = [field.default for field in fields if not field.required]
    if not defaults:
        return annotation, ... if required else Field(default_factory=lambda: None)
    default = defaults[0]
    if fields[0].role is Role.TERMS:
        default = dict(default)
    return annotation, list(default) if isinstance(default, tuple) else default


def entry_units(kinds: Iterable[type]) -> dict[str, str]:
    """Units of the numbers of these kinds, by field: those that the kinds declare as ``units``, and 1 of directions."""
    units: dict[str, str] = {}
    for kind in kinds:
        units |= {field.name: "1" for field in kind_fields(kind) if field.role is Role.AXIS}
        units |= getattr(kind, "units", {})
    return units


def make_constraint(name: str, entry: ConstraintEntry, number: Read, origin: Read) -> Constraint:
    """Make a constraint from its entry; ``number`` and ``origin`` read numbers and placements."""
    kind = CONSTRAINT_KINDS[entry.type]
    known = {field.name: field for field in kind_fields(kind)}
    filled = entry.model_fields_set - {"type"}
    wrong = sorted(filled - set(known))
    if wrong:
        raise InputError(f"a constraint of type '{entry.type}' takes {', '.join(sorted(known))}, got '{wrong[0]}'")
    missing = [field.name for field in known.values() if field.required and field.name not in filled]
    if missing:
        raise InputError(f"a constraint of type '{entry.type}' needs '{missing[0]}'")
    return kind(name, **read_fields(entry, known, ("constraints", name), number, origin))


def make_cable(name: str, entry: CableEntry, number: Read, origin: Read) -> Cable:
    """Make a cable from its entry."""
    known = {field.name: field for field in kind_fields(Cable)}
    return Cable(name, **read_fields(entry, known, ("cables", name), number, origin))


def read_fields(
    entry: BaseModel, known: Mapping[str, KindField], path: tuple[str, ...], number: Read, origin: Read
) -> dict[str, Any]:
    """Values of the fields that an entry fills, by name; texts of numbers are read as expressions."""
    values: dict[str, Any] = {}
    for key in sorted(entry.model_fields_set & set(known)):
        value, here = getattr(entry, key), (*path, key)
        match known[key].role:
            case _ if value is None:
                values[key] = None
            case Role.NUMBER:
                values[key] = number(value, here)
            case Role.VECTOR | Role.AXIS if isinstance(value, list):
                values[key] = tuple(number(v, (*here, i)) for i, v in enumerate(value))
            case Role.TERMS:
                values[key] = tuple((k, number(v, (*here, k))) for k, v in value.items())
            case Role.PLACEMENT:
                values[key] = origin(value, here)
            case _:
                values[key] = value
    return values


def constraint_to_data(
    constraint: Constraint, number_entry: Callable[..., dict[str, Any]], origin: Callable[[Transform], dict[str, Any]]
) -> dict[str, Any]:
    """Write a constraint: its type, and the fields that differ from their defaults."""
    return {"type": constraint.key} | fields_to_data(constraint, number_entry, origin)


def fields_to_data(
    element: object, number_entry: Callable[..., dict[str, Any]], origin: Callable[[Transform], dict[str, Any]]
) -> dict[str, Any]:
    """Write the fields of a constraint, cable or surface that differ from their defaults."""
    data: dict[str, Any] = {}
    for field in kind_fields(type(element)):
        value = getattr(element, field.name)
        if not field.required and repr(value) == repr(field.default):
            continue
        match field.role:
            case _ if value is None:
                data[field.name] = None
            case Role.NUMBER | Role.VECTOR | Role.AXIS:
                data |= number_entry(field.name, value, None)
            case Role.TERMS:
                data[field.name] = {joint: number_entry("c", c, None)["c"] for joint, c in value}
            case Role.PLACEMENT:
                data[field.name] = origin(value).get("origin", {})
            case _:
                data[field.name] = value
    return data
