"""The editor of machine files: mistakes with their lines, the schema, and forms that write a block."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import MISSING
from functools import cache
from typing import Any

from dalembert.control.law_blocks import LAWS
from dalembert.core.errors import FileFormatError, InputError, UnknownNameError
from dalembert.io.json_schema import machine_json_schema
from dalembert.io.machine_check import check_machine
from dalembert.model.joints import JOINT_KINDS
from dalembert.model.machine import Machine
from dalembert.plan.references import Quintic, Sine
from dalembert.simulation.methods import METHODS
from dalembert.view.studio.opened import with_block

__all__ = ["check_text", "editor_schema", "forms", "with_entry"]

_LINE = re.compile(r"^<text>:(\d+): ", re.DOTALL)
_REFERENCES: dict[str, tuple[type[Any], ...]] = {"point": (), "move": (Quintic,), "sine": (Sine,)}


def check_text(text: object) -> list[dict[str, Any]]:
    """Everything that is wrong with the text of a machine file: line (from 1) and message."""
    if not isinstance(text, str):
        raise InputError("the text of a machine file is expected")
    if not text.strip():
        return [{"line": 1, "message": "the file is empty, expected a machine file"}]
    rows = []
    for fault in check_machine(text.rstrip() + "\n"):
        message = str(fault)
        match = _LINE.match(message)
        rows.append({"line": int(match[1]) if match else 1, "message": _LINE.sub("", message)})
    return rows


@cache
def editor_schema() -> dict[str, Any]:
    """The JSON Schema of machine files for completion, with the names of joints, methods and laws that exist."""
    schema = machine_json_schema()
    entries = schema["$defs"]
    entries["JointEntry"]["properties"]["kind"]["enum"] = list(JOINT_KINDS)
    entries["SimulationEntry"]["properties"]["method"]["enum"] = list(METHODS)
    entries["SimulationEntry"]["properties"]["limits"]["enum"] = ["record", "stop", "ignore", "contact"]
    about = "Setting of the law: one value, a list, or a mapping by motor."
    keys: dict[str, Any] = {key: {"description": about} for _, key, _ in _law_keys()}
    keys["law"] = {"enum": list(LAWS), "description": "Control law. Example: law: pd"}
    keys["reference"] = {
        "description": "Positions per motor, a move, or a sine. Example: reference: {start: 0, end: 1, duration: 2 s}",
        "type": "object",
        "properties": {field.name: {} for kind in (Quintic, Sine) for field in dataclasses.fields(kind)},
    }
    control = entries["SimulationEntry"]["properties"]["control"]
    control["anyOf"] = [{"type": "object", "properties": keys}, *control["anyOf"]]
    return {"schema": schema}


def _law_keys() -> list[tuple[str, str, bool]]:
    """Law, setting, and whether the setting has a default, of all laws."""
    kinds: list[tuple[str, Any]] = [(name, kind) for name, kind in LAWS.items() if dataclasses.is_dataclass(kind)]
    return [
        (name, field.name, field.default is not MISSING or field.default_factory is not MISSING)
        for name, kind in kinds
        for field in dataclasses.fields(kind)
        if field.init
    ]


def forms(machine: Machine) -> dict[str, Any]:
    """Fields of the forms that add a law, a reference, an event or a switch to a file of this machine."""
    laws: dict[str, list[dict[str, Any]]] = {name: [] for name in LAWS}
    for name, key, optional in _law_keys():
        laws[name].append({"key": key, "optional": optional})
    references = {
        name: [field.name for kind in kinds for field in dataclasses.fields(kind)]
        for name, kinds in _REFERENCES.items()
    }
    return {
        "laws": laws,
        "references": references,
        "motors": [motor.name for motor in machine.motors],
        "switchable": [*(one.name for one in machine.constraints), *(rope.name for rope in machine.all_ropes)],
    }


def with_entry(text: object, what: object, value: object) -> str:
    """Add an entry to the block ``simulation`` of a machine file; the rest of the text stays as it is.

    Parameters
    ----------
    text
        The machine file.
    what
        ``control`` or ``reference``, which replace the old one, or ``events`` or ``switches``, which are lists.
    value
        The entry.
    """
    import yaml

    if not isinstance(text, str):
        raise InputError("the text of a machine file is expected")
    if what not in ("control", "reference", "events", "switches"):
        raise UnknownNameError("entry", str(what), ("control", "reference", "events", "switches"))
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise FileFormatError(f"the file must be readable before something is added: {error}") from None
    if not isinstance(document, dict) or not isinstance(document.get("simulation") or {}, dict):
        raise FileFormatError("the file must be a mapping before something is added")
    block = dict(document.get("simulation") or {})
    if what == "reference":
        if not isinstance(block.get("control"), dict):
            raise InputError("a reference needs a law: add one first")
        block["control"] = {**block["control"], "reference": value}
    elif what == "control":
        if not isinstance(value, dict):
            raise InputError(f"a law must be a mapping, got {value!r}")
        old = block.get("control")
        kept = {"reference": old["reference"]} if isinstance(old, dict) and "reference" in old else {}
        block["control"] = {**value, **kept}
    else:
        block[str(what)] = [*(block.get(str(what)) or []), value]
    return with_block(text, block)
