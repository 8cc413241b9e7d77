"""The JSON Schema of machine files, with which editors complete and check them while they are written."""

from __future__ import annotations

import math
from typing import Any

from dalembert.io.machine_schema import machine_file
from dalembert.io.schema_keys import schema_entries, schema_keys

__all__ = ["machine_json_schema"]


def machine_json_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of machine files.

    Examples
    --------
    >>> schema = machine_json_schema()
    >>> sorted(schema["required"])
    ['bodies', 'joints', 'name']
    >>> schema["$defs"]["MotorEntry"]["properties"]["speed"]["description"]
    'Speed on the motor side above which the motor only brakes. [rad/s] Example: speed: 3000 rpm'
    """
    schema: dict[str, Any] = _finite(machine_file().model_json_schema())
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "dalembert machine file"
    for key in schema_keys():
        entry = schema if key.entry == "MachineFile" else schema["$defs"][schema_entries()[key.entry].__name__]
        if key.description:
            unit = f" [{' or '.join(key.units)}]" if key.units and key.units != ("1",) else ""
            entry["properties"][key.key]["description"] = f"{key.description}{unit} Example: {key.key}: {key.example}"
    return schema


def _finite(value: Any) -> Any:
    """Leave out defaults that JSON cannot write: no limit is infinite here."""
    if isinstance(value, dict):
        return {key: _finite(v) for key, v in value.items() if not (isinstance(v, float) and not math.isfinite(v))}
    if isinstance(value, list):
        return [_finite(v) for v in value]
    return value
