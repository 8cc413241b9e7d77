"""Errors of pydantic in a file, as messages with the file, the line, the value and the expected values."""

from __future__ import annotations

import reprlib
from types import UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from dalembert.core.errors import FileFormatError, did_you_mean
from dalembert.io.source import located
from dalembert.io.yaml_nodes import Document, Path

__all__ = ["describe", "describe_all", "path_name"]

_ELEMENTS: dict[str | int, str] = {
    "bodies": "body",
    "joints": "joint",
    "frames": "frame",
    "motors": "motor",
    "thrusters": "thruster",
    "wrenches": "wrench",
    "fields": "force field",
    "colliders": "collider",
    "signals": "signal",
    "sensors": "sensor",
    "ropes": "rope",
    "couplings": "coupling of joint",
    "parameters": "parameter",
}
_UNIONS = (UnionType, Union)

# Section and key of values that are kinds of a register.
_REGISTERED: dict[tuple[str | int, str | int], str] = {
    ("constraints", "type"): "dalembert.model.register_constraint",
    ("cables", "swivel"): "dalembert.model.register_cable_exit",
}
_EXPECTED = {
    "string_type": "must be text (put a number in quotes if it is a name)",
    "dict_type": "must be a mapping",
    "model_type": "must be a mapping",
    "list_type": "must be a list",
}

_FEW = 6  # keys that a message lists where a mapping is expected


def describe(error: ValidationError, model: type[BaseModel], document: Document) -> FileFormatError:
    """Return a finding as an error with its place; an unknown key first, often the reason of the others."""
    findings = list(_telling(error, document).values())
    return _located(next((f for f in findings if f["type"] == "extra_forbidden"), findings[0]), model, document)


def describe_all(error: ValidationError, model: type[BaseModel], document: Document) -> list[FileFormatError]:
    """Return every finding as an error with its place, one for each value."""
    return [_located(finding, model, document) for finding in _telling(error, document).values()]


def _telling(error: ValidationError, document: Document) -> dict[Path, ErrorDetails]:
    """One finding for each value; of a value that may be of several types, those of the type that fits furthest in."""
    findings: dict[Path, ErrorDetails] = {}
    for finding in error.errors(include_url=False):
        path = _data_path(finding["loc"], document.data, missing=finding["type"] == "missing")
        findings.setdefault(path, finding)
    inner = {path[:k] for path in findings for k in range(len(path))}
    return {path: finding for path, finding in findings.items() if path not in inner}


def _located(finding: ErrorDetails, model: type[BaseModel], document: Document) -> FileFormatError:
    path = _data_path(finding["loc"], document.data, missing=finding["type"] == "missing")
    line = document.line(path)
    where = path_name(path)
    match finding["type"]:
        case "extra_forbidden":
            entry = _entry(model, finding["loc"][:-1])
            keys, hints = list(entry.model_fields), getattr(entry, "hints", {})
            near = did_you_mean(path[-1], keys)
            message = f"unknown key {path[-1]!r}{_in(path[:-1])}{near}; allowed: {', '.join(keys)}"
            if hint := hints.get(str(path[-1])):
                message += f". {hint}"
        case "missing":
            line = document.line(path[:-1])
            message = f"the key {path[-1]!r}{_in(path[:-1])} is missing"
        case "too_short" | "too_long":
            context = finding.get("ctx", {})
            count = context.get("min_length", context.get("max_length"))
            message = f"{where} must have {count} entries, got {len(finding['input'])}"
        case "literal_error":
            message = f"{where} must be {finding['ctx']['expected']}, got {_short(finding['input'])}"
            if decorator := _REGISTERED.get((path[0], path[-1])):
                message += f"; import the module of another kind first, which registers it ({decorator})"
        case "quantity" if inner := finding.get("ctx", {}).get("path"):
            path = (*path, *inner)
            line, where = document.line(path), path_name(path)
            message = f"{where} {finding['msg']}, got {_short(finding['ctx']['text'])}"
        case kind:
            expected = _EXPECTED.get(kind, finding["msg"])
            if kind == "model_type" and len(keys := list(_entry(model, finding["loc"]).model_fields)) <= _FEW:
                expected += f" with the keys {', '.join(keys)}"
            message = f"{where} {expected}, got {_short(finding['input'])}"
    return located(document.label, line, message)


def _data_path(path: Path, data: Any, *, missing: bool) -> Path:
    """Leave out of a path what is no key of the data: where a value may be of several types, pydantic names them.

    With ``missing`` the last step is a key that should be there.
    """
    kept = []
    for k, step in enumerate(path):
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            if not missing or k < len(path) - 1:
                continue
        kept.append(step)
    return tuple(kept)


def _short(value: object) -> str:
    if isinstance(value, dict):
        return f"a mapping with the keys {reprlib.repr(list(value))}"
    return reprlib.repr(value)


def path_name(path: Path) -> str:
    """Write a path as a reader would: ``axis[1] of joint 'theta'``."""
    owner = ""
    if len(path) > 1 and path[0] in _ELEMENTS:
        owner, path = f"{_ELEMENTS[path[0]]} '{path[1]}'", path[2:]
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f" {step}" if text else step
    return f"{text} of {owner}" if text and owner else text or owner


def _in(path: Path) -> str:
    return f" of {path_name(path)}" if path else ""


def _entry(model: type[BaseModel], path: Path) -> type[BaseModel]:
    """The model that validates the value at ``path``."""
    current: Any = model
    for step in path:
        if isinstance(current, type) and issubclass(current, BaseModel):
            current = current.model_fields[str(step)].annotation
        elif get_origin(current) in _UNIONS:  # one of several types, which the step names
            current = next(a for a in get_args(current) if getattr(a, "__name__", "") == step or get_origin(a) is list)
        else:  # the value of a mapping, the element of a list
            current = get_args(current)[-1]
        kinds = [a for a in get_args(current) if a is not type(None)]
        if get_origin(current) in _UNIONS and len(kinds) == 1:
            current = kinds[0]
    assert isinstance(current, type) and issubclass(current, BaseModel)
    return current
