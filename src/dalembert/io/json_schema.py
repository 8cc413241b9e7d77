"""The JSON Schema of machine files, with which editors complete and check them while they are written."""

from __future__ import annotations

import math
from typing import Any

from dalembert.io.machine_schema import machine_file

__all__ = ["machine_json_schema"]

_MEANINGS = {
    "name": "Name of the machine.",
    "gravity": "Acceleration of gravity [m/s^2], world axes; [0, 0, -9.81] by default.",
    "parameters": "Nominal values by name; any number of the file may be an expression of them.",
    "bodies": "Elements with mass, by name: mass, com and inertia, or one homogeneous shape, or a flexible beam.",
    "joints": "How each body moves relative to its parent, by name.",
    "frames": "Named places on bodies.",
    "motors": "Inputs that drive joints; a motor drives the joint of its own name unless `joint` says another.",
    "thrusters": "Inputs that push or turn a body at a frame.",
    "wrenches": "Known forces and torques at frames; they may depend on the time t.",
    "couplings": "Joints that follow others, by the name of the one that follows.",
    "constraints": "Constraints that close loops or hold bodies together, by name.",
    "cables": "Cables, by name; one without stiffness is inextensible.",
    "fields": "Forces that depend on the motion of a frame: orbital gravity, drag, solar pressure.",
    "contacts": "Bodies that touch each other or the ground.",
    "sensors": "Measured quantities and their accuracy.",
    "simulation": "Default settings of `dalembert simulate` for the machine.",
}


def machine_json_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of machine files.

    Examples
    --------
    >>> sorted(machine_json_schema()["required"])
    ['bodies', 'joints', 'name']
    """
    schema: dict[str, Any] = _finite(machine_file().model_json_schema())
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "dalembert machine file"
    for name, entry in schema["properties"].items():
        if name in _MEANINGS:
            entry["description"] = _MEANINGS[name]
    return schema


def _finite(value: Any) -> Any:
    """Leave out defaults that JSON cannot write: no limit is infinite here."""
    if isinstance(value, dict):
        return {key: _finite(v) for key, v in value.items() if not (isinstance(v, float) and not math.isfinite(v))}
    if isinstance(value, list):
        return [_finite(v) for v in value]
    return value
