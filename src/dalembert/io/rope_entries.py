"""Ropes in machine files: entries of their paths, reading and writing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, ClassVar

from dalembert.core.errors import InputError
from dalembert.io.beam_entries import Read
from dalembert.io.schema_values import ZERO, Axis, FileEntry, Number, Units, Vector
from dalembert.model.ropes import Anchor, Drum, DrumLayers, Guide, PathElement, Rope, RopeObstacle, Sheave, SheaveLoss

__all__ = ["PATH_KINDS", "RopeEntry", "make_rope", "rope_to_data"]

PATH_KINDS: dict[str, type[PathElement]] = {kind.key: kind for kind in (Anchor, Drum, Sheave, Guide, RopeObstacle)}
"""Kinds of path elements by the key of their entry."""


class SheaveLossEntry(FileEntry):
    """Losses of a sheave without mass."""

    units: ClassVar[Units] = {"bearing": "1", "pin": "m", "bending": "1"}

    bearing: Number = 0.0
    pin: Number = 0.0
    bending: Number = 0.0


class DrumLayersEntry(FileEntry):
    """Layers in which a drum coils its rope."""

    units: ClassVar[Units] = {"turns": "1", "rope": "m", "wound": "1", "ramp": "1"}

    turns: Number
    rope: Number
    wound: Number
    count: int = 5
    nested: bool = True
    ramp: Number = 1.0


class PathEntry(FileEntry):
    """An element of a rope's path: one of anchor, drum, sheave, guide and obstacle, and what that takes."""

    units: ClassVar[Units] = {"radius": "m", "at": "m", "axis": "1", "zero": "1", "friction": "1"}

    anchor: str | None = None
    drum: str | None = None
    sheave: str | None = None
    guide: str | None = None
    obstacle: str | None = None
    name: str | None = None
    at: Vector = ZERO
    radius: Number = 0.0
    axis: Axis | None = None
    zero: Axis | None = None
    joint: str | None = None
    friction: Number = 0.0
    teeth: bool = False
    turns: int = 0
    loss: SheaveLossEntry | None = None
    layers: DrumLayersEntry | None = None


class RopeEntry(FileEntry):
    """A rope."""

    units: ClassVar[Units] = {"length": "m", "stiffness": "N", "damping": "N s", "pretension": "N", "weight": "N/m"}

    path: list[PathEntry]
    length: Number | None = None
    stiffness: Number | None = None
    damping: Number = 0.0
    pretension: Number = 0.0
    closed: bool = False
    weight: Number = 0.0


_NUMBERS = (
    *("length", "stiffness", "damping", "pretension", "weight", "radius", "friction"),
    *("bearing", "pin", "bending", "rope", "wound", "ramp"),
)


def make_rope(name: str, entry: RopeEntry, number: Read) -> Rope:
    """Make a rope from its entry; ``number`` reads numbers."""
    here = ("ropes", name)
    path = [_element(one, (*here, "path", k), number) for k, one in enumerate(entry.path)]
    return Rope(name, tuple(path), **_read(entry, entry.model_fields_set - {"path"}, here, number))


def _element(entry: PathEntry, here: tuple[str | int, ...], number: Read) -> PathElement:
    """Make an element of a path from its entry."""
    filled = {key for key in entry.model_fields_set if getattr(entry, key) is not None}
    kinds = [key for key in PATH_KINDS if key in filled]
    if len(kinds) != 1:
        got = f"'{kinds[0]}' and '{kinds[1]}'" if kinds else "none of them"
        raise InputError(f"element {here[-1]} of the path must have one of {', '.join(PATH_KINDS)}, got {got}")
    kind = PATH_KINDS[kinds[0]]
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    place, *rest = known
    what = f"{kind.key} '{getattr(entry, kind.key)}'"
    wrong = sorted(filled - {kind.key} - set(rest))
    if wrong:
        raise InputError(f"{what} takes {', '.join(sorted(rest))}, got '{wrong[0]}'")
    if kind in (Drum, Sheave, RopeObstacle) and "radius" not in filled:
        raise InputError(f"{what} needs 'radius'")
    if kind is Sheave and "axis" not in filled:
        raise InputError(f"{what} needs 'axis', about which the rope runs counter-clockwise")
    values = _read(entry, filled - {kind.key, "loss", "layers"}, here, number)
    if entry.loss is not None:
        values["loss"] = SheaveLoss(**_read(entry.loss, entry.loss.model_fields_set, (*here, "loss"), number))
    if entry.layers is not None:
        values["layers"] = DrumLayers(**_read(entry.layers, entry.layers.model_fields_set, (*here, "layers"), number))
    return kind(**{place: getattr(entry, kind.key)}, **values)


def _read(entry: FileEntry, keys: set[str], here: tuple[str | int, ...], number: Read) -> dict[str, Any]:
    """Values of keys of an entry; texts of numbers are read as expressions."""
    values: dict[str, Any] = {}
    for key in sorted(keys):
        value = getattr(entry, key)
        if isinstance(value, list):
            value = tuple(number(x, (*here, key, i)) for i, x in enumerate(value))
        elif (key in _NUMBERS or (key == "turns" and isinstance(entry, DrumLayersEntry))) and value is not None:
            value = number(value, (*here, key))
        values[key] = value
    return values


def rope_to_data(rope: Rope, number_entry: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    """Write a rope: its path, and the fields that differ from their defaults."""
    return {"path": [_element_to_data(one, number_entry) for one in rope.path]} | _given(
        rope, ("length", "stiffness", "damping", "pretension", "closed", "weight"), number_entry
    )


def _element_to_data(element: PathElement, number_entry: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    place, *rest = (field.name for field in fields(element))  # type: ignore[arg-type]
    parts = {"loss", "layers"}
    data = {element.key: getattr(element, place)} | _given(element, [x for x in rest if x not in parts], number_entry)
    for part in sorted(parts):
        value = getattr(element, part, None)
        if value is not None:
            data[part] = _given(value, [field.name for field in fields(value)], number_entry)
    return data


def _given(element: Any, keys: Any, number_entry: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    """Fields that differ from their defaults."""
    defaults = {field.name: field.default for field in fields(element)}
    data: dict[str, Any] = {}
    for key in keys:
        value = getattr(element, key)
        if repr(value) == repr(defaults[key]):
            continue
        data |= {key: value} if isinstance(value, str | bool | int) else number_entry(key, value, None)
    return data
