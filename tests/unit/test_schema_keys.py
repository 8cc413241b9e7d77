"""Every key of machine files is described, with an example that the schema accepts; the reference shows all of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

import dalembert as da
from dalembert.control.law_blocks import LAWS
from dalembert.core.scalar_text import parse_quantity
from dalembert.engine.methods.constraints import CONSTRAINT_METHODS
from dalembert.engine.methods.contacts import CONTACT_METHODS
from dalembert.io import machine_json_schema, make_law
from dalembert.io.field_entries import FIELD_TYPES
from dalembert.io.key_pages import _EXTRA, key_pages
from dalembert.io.machine_schema import MachineFile
from dalembert.io.schema_keys import documented_fields, key_descriptions, schema_entries, schema_keys
from dalembert.io.schema_values import unit_fault
from dalembert.io.yaml_nodes import parse_yaml
from dalembert.model.constraints import CONSTRAINT_KINDS
from dalembert.plan import Quintic, Sine
from dalembert.simulation.methods import METHODS

KEYS = list(schema_keys())
FIGURES = Path(__file__).parents[2] / "docs" / "figures"


def own(register: Any) -> dict[str, Any]:
    """What the library itself registers; other tests add kinds of their own."""
    return {name: kind for name, kind in register.items() if kind.__module__.startswith("dalembert.")}


@pytest.mark.parametrize("entry", dict.fromkeys(key.entry for key in KEYS))
def test_every_key_is_described(entry: str) -> None:
    """Write a line in src/dalembert/io/key_descriptions.yaml for a new key."""
    keys = [key for key in KEYS if key.entry == entry]
    lacking = [key.key for key in keys if not (key.description.endswith((".", "`.")) and key.example)]
    foreign = {field.name for kind in CONSTRAINT_KINDS.values() if kind not in own(CONSTRAINT_KINDS).values()
               for field in kind.__dataclass_fields__.values()} if entry == "Constraint" else set()  # fmt: skip
    assert not set(lacking) - foreign, f"keys of {entry} without description and example"
    unknown = set(key_descriptions()[entry]) - {key.key for key in keys}
    assert not unknown, f"descriptions of keys that {entry} does not have"


def test_descriptions_belong_to_entries() -> None:
    groups = {"Constraint types", "Field types", "Law types"}
    assert set(key_descriptions()) - groups == set(schema_entries())


def test_a_new_key_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry with one key more than is described has a key without description."""
    from pydantic import create_model

    from dalembert.io import schema_keys as module

    joint: Any = create_model("JointEntry", __base__=schema_entries()["Joint"], colour=(str, "red"))
    changed = create_model("MachineFile", __base__=MachineFile, joints=(dict[str, joint], ...))
    monkeypatch.setattr(module, "machine_file", lambda: changed)
    lacking = [(key.entry, key.key) for key in schema_keys() if not key.description]
    assert ("Joint", "colour") in lacking


@pytest.mark.parametrize("key", KEYS, ids=lambda key: f"{key.entry}.{key.key}")
def test_examples_are_accepted(key: Any) -> None:
    """By the type of the key, and with a unit that it takes."""
    if not key.example:
        pytest.skip("a kind of another test")
    data = parse_yaml(f"{key.key}: {key.example}\n", "<example>").data
    entry = schema_entries()[key.entry]
    try:
        entry.model_validate(data)
    except ValidationError as error:
        wrong = [found for found in error.errors() if found["type"] != "missing" or len(found["loc"]) > 1]
        assert not wrong, f"{key.entry}: {key.key}: {key.example}"
    if key.kind in ("number", "constant") and key.units and isinstance(data[key.key], str):
        _, dimension = parse_quantity(data[key.key], {}, {})
        assert not unit_fault(data[key.key], dimension, "|".join(key.units))
    if key.values and isinstance(data[key.key], str):
        assert data[key.key] in key.values


@pytest.mark.parametrize(
    ("group", "register", "key"),
    [
        ("Constraint types", CONSTRAINT_KINDS, "type"),
        ("Field types", FIELD_TYPES, "type"),
        ("Law types", LAWS, "law"),
    ],
)
def test_types_have_examples(group: str, register: Any, key: str) -> None:
    assert set(key_descriptions()[group]) == set(own(register))
    for name, (_, example) in key_descriptions()[group].items():
        data = parse_yaml(f"entry: {example}\n", "<example>").data["entry"]
        assert data[key] == name
        if group == "Law types":
            assert isinstance(make_law(data), register[name])
        else:
            entry = schema_entries()["Constraint" if group == "Constraint types" else "Field"].model_validate(data)
            assert entry.type == name and set(data) - {"type"} <= set(register[name].__dataclass_fields__)


@pytest.mark.parametrize(
    "kind",
    [*own(LAWS).values(), *own(METHODS).values(), *own(CONSTRAINT_METHODS).values(), *own(CONTACT_METHODS).values(),
     Quintic, Sine],
    ids=lambda kind: kind.__name__,
)  # fmt: skip
def test_settings_are_described(kind: type) -> None:
    """In the docstring, from which the reference takes them."""
    lacking = [name for name, (_, text) in documented_fields(kind).items() if not text]
    assert not lacking, f"settings of {kind.__name__} without description"


def test_reference_shows_every_key() -> None:
    pages = key_pages()
    for key in KEYS:
        rows = [line for page in pages.values() for line in page.splitlines() if line.startswith(f"| `{key.key}` |")]
        assert any(key.description.replace("|", r"\|") in row and key.example in row for row in rows), key
    text = "\n".join(pages.values())
    assert not set(re.findall(r"figures/(\w+)\.png", text)) - {path.stem for path in FIGURES.glob("*.png")}
    assert set(_EXTRA) <= set(schema_entries())
    targets = set(re.findall(r"^\((keys-\w+)\)=", text, re.M))
    assert set(re.findall(r"#(keys-\w+)\)", text)) <= targets


def test_editors_are_told() -> None:
    schema = machine_json_schema()
    assert "normal of a planar joint" in schema["$defs"]["JointEntry"]["properties"]["axis"]["description"]


@pytest.mark.parametrize(
    ("axis", "x", "y"),
    re.findall(r"^\| `(-?[xyz])` \| ([+-][xyz]) \| ([+-][xyz]) \|$", key_pages()["joints"], re.M),
)
def test_directions_of_planar_joints(axis: str, x: str, y: str) -> None:
    """The table of the reference against the pose that the equations give."""
    machine = da.Machine(
        "sheet",
        bodies=[da.box("b", 1.0, (0.1, 0.1, 0.1))],
        joints=[da.Joint("j", "planar", "world", "b", axis=axis)],
    )
    eom = da.equations(machine, backend="vm")
    for q, direction in (((1.5, 0, 0), x), ((0, 1.5, 0), y)):
        expected = np.zeros(3)
        expected["xyz".index(direction[1])] = 1.5 if direction[0] == "+" else -1.5
        assert np.allclose(eom.pose("b", q)[:3, 3], expected, atol=1e-14)


def test_planar_table_is_whole() -> None:
    assert len(re.findall(r"^\| `-?[xyz]` \| [+-][xyz] \| [+-][xyz] \|$", key_pages()["joints"], re.M)) == 6
