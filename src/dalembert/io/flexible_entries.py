"""Flexible bodies from finite elements in machine files: `finite_elements` of a body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from dalembert.core.errors import InputError
from dalembert.io.body_schema import FiniteElementsEntry
from dalembert.io.finite_elements import read_finite_elements
from dalembert.model.elastic.finite_elements import FlexibleBody

__all__ = ["flexible_to_data", "make_flexible"]

_FILES = ("file", "stiffness", "mass", "nodes")


def make_flexible(name: str, entry: FiniteElementsEntry, folder: Path | None, damping: Any) -> FlexibleBody:
    """Make a flexible body from its entry; relative paths begin in ``folder``."""
    paths = {key: _path(getattr(entry, key), folder) for key in _FILES if getattr(entry, key) is not None}
    model = read_finite_elements(
        paths.get("file"),
        stiffness=paths.get("stiffness"),
        mass=paths.get("mass"),
        nodes=paths.get("nodes"),
        unit=entry.unit,
    )
    body = model.body(
        name,
        entry.interfaces,
        entry.modes,
        method=entry.method,
        relief=entry.relief,
        stress=entry.stress,
        stiffening=entry.stiffening,
        stations=dict(entry.stations),
        damping=damping,
    )
    plain = {key: getattr(entry, key) for key in entry.model_fields_set - {"damping"}}
    plain |= {key: _path(getattr(entry, key), folder) for key in _FILES if getattr(entry, key) is not None}
    order = [key for key in type(entry).model_fields if key in plain]
    return replace(body, source=tuple((key, plain[key]) for key in order))


def _path(text: str, folder: Path | None) -> str:
    """Path of a file that a machine file names, with the name of a matrix behind a colon left as it is."""
    return text if folder is None or Path(text).is_absolute() else str(folder.resolve() / text)


def flexible_to_data(body: FlexibleBody, number: Callable[[Any], Any]) -> dict[str, Any]:
    """Entry of a flexible body that came from a machine file."""
    if not body.source:
        raise InputError(
            f"flexible body '{body.name}' was made from arrays: write its model by FiniteElements.save, and name that "
            "file in the machine file (finite_elements: {file: ...})"
        )
    data = dict(body.source)
    if body.damping != 0.0:
        data["damping"] = number(body.damping)
    return {"finite_elements": data}
