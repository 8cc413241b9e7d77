"""Geometry of bodies in machine files: its entries, reading and writing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from dalembert.io.body_schema import GeometryEntry
from dalembert.io.source import located, locating
from dalembert.io.yaml_nodes import Document
from dalembert.model.geometry import Box, Capsule, Cone, Cylinder, Geometry, HeightField, Mesh, Sphere
from dalembert.model.transform import Transform

__all__ = ["SOLIDS", "file_folder", "geometry_to_data", "make_geometry", "mesh_path"]

SOLIDS: dict[str, type[Any]] = {
    "box": Box, "cylinder": Cylinder, "capsule": Capsule, "cone": Cone, "sphere": Sphere, "mesh": Mesh,
    "height_field": HeightField,
}  # fmt: skip
_KEYS = {solid: key for key, solid in SOLIDS.items()}

Read = Callable[[Any, tuple[str | int, ...]], Any]


def make_geometry(
    entries: Sequence[GeometryEntry], path: tuple[str | int, ...], number: Read, origin: Read, document: Document
) -> tuple[Geometry, ...]:
    """Make the geometry of a body from its entries; ``number`` and ``origin`` read numbers and placements."""
    geometry = []
    for i, entry in enumerate(entries):
        here = (*path, i)
        kinds = [key for key in SOLIDS if getattr(entry, key) is not None]
        owner = f"body '{path[1]}'"
        if len(kinds) != 1:
            got = " and ".join(kinds) or "none"
            raise located(
                document.label, document.line(here), f"{owner}: a geometry takes one of {', '.join(SOLIDS)}, got {got}"
            )
        solid = getattr(entry, kinds[0])
        values: dict[str, Any] = {}
        for key in type(solid).model_fields:
            value = getattr(solid, key)
            at = (*here, kinds[0], key)
            if key == "file":
                values[key] = mesh_path(value, file_folder(document))
            elif key == "heights":
                values[key] = [[number(v, (*at, i, k)) for k, v in enumerate(row)] for i, row in enumerate(value)]
            elif isinstance(value, list):
                values[key] = tuple(number(v, (*at, k)) for k, v in enumerate(value))
            else:
                values[key] = number(value, at)
        with locating(document.label, document.line(here), owner=owner):
            placed = origin(entry.origin, (*here, "origin"))
            geometry.append(Geometry(SOLIDS[kinds[0]](**values), placed, entry.colour, entry.visual, entry.collision))
    return tuple(geometry)


def file_folder(document: Document) -> Path | None:
    """Folder of the machine file; None where its text was given."""
    return None if document.label.startswith("<") else Path(document.label).parent


def mesh_path(file: str, folder: Path | None) -> str:
    """Path of a mesh that a file in ``folder`` names: relative paths begin there, addresses stay as they are."""
    if folder is None or "://" in file or Path(file).is_absolute():
        return file
    return str((folder / file).resolve())


def geometry_to_data(
    geometry: Geometry, number_entry: Callable[..., dict[str, Any]], origin: Callable[[Transform], dict[str, Any]]
) -> dict[str, Any]:
    """Write a geometry: default values are left out."""
    solid: dict[str, Any] = {}
    rest = fields(geometry.solid)
    if isinstance(geometry.solid, HeightField):
        solid, rest = {"heights": [list(row) for row in geometry.solid.heights]}, rest[1:]
    for field in rest:
        value = getattr(geometry.solid, field.name)
        solid |= {field.name: value} if isinstance(value, str) else number_entry(field.name, value, field.default)
    data: dict[str, Any] = {_KEYS[type(geometry.solid)]: solid} | origin(geometry.origin)
    if geometry.colour is not None:
        data["colour"] = geometry.colour
    return data | {flag: False for flag in ("visual", "collision") if not getattr(geometry, flag)}
