"""Constraints and cables in machine files: their entries, reading and writing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any

from dalembert.core.errors import InputError
from dalembert.io.beam_entries import Read
from dalembert.model.cables import Cable
from dalembert.model.constraints import (
    BallConstraint,
    Constraint,
    DistanceConstraint,
    GearConstraint,
    LoopConstraint,
    MotionConstraint,
    OrthogonalConstraint,
    ParallelConstraint,
    WeldConstraint,
)
from dalembert.model.transform import Transform

__all__ = ["CONSTRAINT_TYPES", "fields_to_data", "make_cable", "make_constraint"]

CONSTRAINT_TYPES: dict[str, type[Any]] = {
    "ball": BallConstraint,
    "distance": DistanceConstraint,
    "weld": WeldConstraint,
    "parallel": ParallelConstraint,
    "orthogonal": OrthogonalConstraint,
    "loop": LoopConstraint,
    "gear": GearConstraint,
    "motion": MotionConstraint,
}
_KEYS = {part: key for key, part in CONSTRAINT_TYPES.items()}


def make_constraint(name: str, entry: Any, number: Read, origin: Read) -> Constraint:
    """Make a constraint from its entry; ``number`` and ``origin`` read numbers and placements."""
    part = CONSTRAINT_TYPES[entry.type]
    given = entry.model_fields_set - {"type"}
    known = {f.name for f in fields(part)} - {"name"}
    wrong = sorted(given - known)
    if wrong:
        raise InputError(f"a constraint of type '{entry.type}' takes {', '.join(sorted(known))}, got '{wrong[0]}'")
    missing = [f.name for f in fields(part) if f.name in known - given and f.default is MISSING]
    if missing:
        raise InputError(f"a constraint of type '{entry.type}' needs '{missing[0]}'")
    return part(name, **_values(entry, given, ("constraints", name), number, origin))


def make_cable(name: str, entry: Any, number: Read, origin: Read) -> Cable:
    """Make a cable from its entry."""
    return Cable(name, **_values(entry, entry.model_fields_set, ("cables", name), number, origin))


_TEXTS = {"frame", "other", "components", "kind", "joint", "component", "anchor", "exit", "winch", "swivel"}
_AXES = {"axis", "other_axis"}


def _values(entry: Any, given: set[str], path: tuple[str, str], number: Read, origin: Read) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key in sorted(given):
        value = getattr(entry, key)
        if value is None or isinstance(value, bool) or key in _TEXTS or (key in _AXES and isinstance(value, str)):
            values[key] = value
        elif key == "offset":
            values[key] = origin(value, (*path, key))
        elif isinstance(value, dict):
            values[key] = tuple((k, number(v, (*path, key, k))) for k, v in value.items())
        elif isinstance(value, list):
            values[key] = tuple(number(v, (*path, key, i)) for i, v in enumerate(value))
        else:
            values[key] = number(value, (*path, key))
    return values


def fields_to_data(part: Constraint | Cable, given: Callable[..., dict[str, Any]], origin: Any) -> dict[str, Any]:
    """Write the fields of a constraint or cable that differ from their defaults."""
    data: dict[str, Any] = {} if isinstance(part, Cable) else {"type": _KEYS[type(part)]}
    for field in fields(part):
        value = getattr(part, field.name)
        if field.name == "name" or (field.default is not MISSING and repr(value) == repr(field.default)):
            continue
        if isinstance(value, Transform):
            data["offset"] = origin(value).get("origin", {})
        elif field.name == "terms":
            data["terms"] = {joint: given("c", c, None)["c"] for joint, c in value}
        elif value is None or isinstance(value, str | bool):
            data[field.name] = value
        else:
            data |= given(field.name, value, None)
    return data
