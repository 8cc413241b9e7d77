"""Every key of machine files: type, unit, default and allowed values of the schema, description and example.

Types, units, defaults and allowed values come from the schema. Descriptions and examples are in
``key_descriptions.yaml``. Editors show them (`dalembert.io.machine_json_schema`), and the reference of machine files is
made of them (``key_pages.py``).
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args, get_origin

from pydantic_core import PydanticUndefined

from dalembert.engine.methods.constraints import CONSTRAINT_METHODS
from dalembert.engine.methods.contacts import CONTACT_METHODS
from dalembert.formulations.registry import FORMULATIONS
from dalembert.io.machine_schema import machine_file
from dalembert.io.schema_units import entries_of
from dalembert.io.schema_values import Axis, Bound, FileEntry, Inertia, Limit, Number, Quantity
from dalembert.loop.events import LIMITS
from dalembert.model.beam import NORMALIZATIONS
from dalembert.model.elastic.reduction import METHODS as REDUCTIONS
from dalembert.model.joints import JOINT_KINDS
from dalembert.simulation.methods import METHODS

__all__ = ["SchemaKey", "documented_fields", "key_descriptions", "schema_entries", "schema_keys"]

_BACKENDS = ("auto", "native", "vm")
_NAMES: dict[tuple[str, str], Any] = {
    ("Joint", "kind"): JOINT_KINDS,
    ("Beam", "normalization"): NORMALIZATIONS,
    ("FiniteElements", "method"): REDUCTIONS,
    ("Simulation", "method"): METHODS,
    ("Simulation", "constraints"): CONSTRAINT_METHODS,
    ("Simulation", "contact"): CONTACT_METHODS,
    ("Simulation", "limits"): LIMITS,
    ("Simulation", "by"): FORMULATIONS,
    ("Simulation", "backend"): _BACKENDS,
}
"""Texts that a register admits, by entry and key."""

_TURNING = {"{q}": "rad", "{f}": "N m", "{i}": "kg m^2"}
_SLIDING = {"{q}": "m", "{f}": "N", "{i}": "kg"}


@dataclasses.dataclass(frozen=True)
class SchemaKey:
    """One key of an entry of machine files.

    Parameters
    ----------
    entry, key
        Name of the entry, such as ``Joint``, and of the key.
    kind
        Kind of value in words.
    units
        SI units that its numbers may have; empty where it holds no numbers or each name has its own.
    default
        Its default as YAML, or ``required``; empty where leaving it out means that there is none.
    values
        Texts that it may have; empty where any will do.
    description, example
        Meaning, and an example of the value as YAML; empty if they are not written yet.
    inner
        Entries of which the value consists.
    """

    entry: str
    key: str
    kind: str
    units: tuple[str, ...]
    default: str
    values: tuple[str, ...]
    description: str
    example: str
    inner: tuple[str, ...]


@cache
def key_descriptions() -> Mapping[str, Mapping[str, tuple[str, str]]]:
    """Descriptions and examples by entry and key."""
    import yaml

    text = (files(__package__) / "key_descriptions.yaml").read_text(encoding="utf-8")
    data = yaml.load(text, Loader=yaml.BaseLoader)  # a loader that makes texts, lists and mappings only
    return {entry: {key: (means, example) for key, (means, example) in keys.items()} for entry, keys in data.items()}


def schema_entries() -> dict[str, type[FileEntry]]:
    """All entries of machine files by name, in the order in which the file reaches them."""
    pending: list[type[FileEntry]] = [machine_file()]
    found: dict[str, type[FileEntry]] = {}
    while pending:
        entry = pending.pop(0)
        if found.setdefault(_name(entry), entry) is entry:
            pending += [
                inner
                for field in entry.model_fields.values()
                for inner in entries_of(field.annotation)
                if _name(inner) not in found
            ]
    return found


def schema_keys() -> Iterator[SchemaKey]:
    """All keys of machine files, entry by entry."""
    for name, entry in schema_entries().items():
        written = key_descriptions().get(name, {})
        for key, field in entry.model_fields.items():
            annotation: Any = field.annotation
            for tag in reversed(field.metadata):
                annotation = _Tagged(annotation, tag)
            description, example = written.get(key, ("", ""))
            yield SchemaKey(
                name,
                key,
                _kind(annotation),
                _units(entry.units.get(key, "")),
                _default(field),
                tuple(_NAMES.get((name, key), ())) or _literals(field.annotation),
                description,
                example,
                tuple(_name(inner) for inner in entries_of(field.annotation)),
            )


class _Tagged:
    """An annotation with metadata that pydantic has taken off it."""

    def __init__(self, annotation: Any, tag: Any) -> None:
        self.annotation, self.tag = annotation, tag


_KINDS: list[tuple[Any, str]] = [
    (Number, "number"),
    (Limit, "constant"),
    (Quantity, "constant"),
    (Bound, "constant"),
    (Inertia, "3 numbers, 6 numbers or 3 rows of 3"),
    (Axis, "3 numbers, or x, y, z, -x, -y, -z"),
]
# The last tag of the metadata identifies a kind: an axis also carries the tags of a vector.
_MARKS = {id(kind.__metadata__[-1]): words for kind, words in _KINDS}
_PLAIN = {str: "text", bool: "true or false", int: "whole number", Any: "any value", float: "number"}


def _kind(annotation: Any) -> str:
    """Kind of value of an annotation, in words."""
    tags = list(getattr(annotation, "__metadata__", ()))
    inner = annotation
    while isinstance(inner, _Tagged):
        tags.append(inner.tag)
        inner = inner.annotation
    for tag in tags:
        if id(tag) in _MARKS:
            return _MARKS[id(tag)]
    if tags:
        inner = get_args(inner)[0] if hasattr(inner, "__metadata__") else inner
        limits = [one for tag in tags for one in (tag, *getattr(tag, "metadata", ()))]
        lengths = [x for one in limits if (x := getattr(one, "min_length", None))]
        words = _kind(inner)
        return words.replace("list of", str(lengths[0])) if lengths else words
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    if isinstance(annotation, type) and issubclass(annotation, FileEntry):
        return "mapping"
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is list:
        words = _kind(arguments[0])
        return f"list of {words}s" if not words.endswith("s") and words != "text" else f"list of {words}"
    if origin is dict:
        words = _kind(arguments[1])
        return "mapping" if words == "any value" else f"{words} by name"
    if origin is Literal:
        return "text" if all(isinstance(x, str) for x in arguments) else "whole number"
    return " or ".join(dict.fromkeys(_kind(one) for one in arguments if one is not type(None)))


def _literals(annotation: Any) -> tuple[str, ...]:
    if get_origin(annotation) is Literal:
        return tuple(map(str, get_args(annotation)))
    return tuple(text for one in get_args(annotation) for text in _literals(one))


def _units(unit: str) -> tuple[str, ...]:
    """Units with those of turning and sliding joints in place of their symbols."""
    found: list[str] = []
    for one in unit.split("|") if unit else ():
        for symbols in (_TURNING, _SLIDING):
            for leader in ("rad", "m"):
                text = one.replace("{l}", leader)
                for symbol, meaning in symbols.items():
                    text = text.replace(symbol, meaning)
                text = {"rad/rad": "1", "m/m": "1"}.get(text, text)
                found += [text] if "{" not in text else []
    return tuple(dict.fromkeys(found))


def _default(field: Any) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if value is None or value is PydanticUndefined:
        return ""
    if isinstance(value, FileEntry):
        return "{}"
    return _yaml(value)


def _yaml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return {"inf": ".inf", "-inf": "-.inf"}.get(str(value), f"{value:.12g}")
    if isinstance(value, list | tuple):
        return f"[{', '.join(_yaml(x) for x in value)}]"
    return str(value)


def _name(entry: type[FileEntry]) -> str:
    return entry.__name__.removesuffix("Entry")


def documented_fields(kind: type) -> dict[str, tuple[str, str]]:
    """Default and description of the fields of a dataclass, the latter from its docstring and those it inherits from.

    Parameters
    ----------
    kind
        A dataclass with a section ``Parameters`` in its docstring.

    Examples
    --------
    >>> from dalembert.plan import Sine
    >>> documented_fields(Sine)["frequency"]
    ('required', 'Frequency of all components [Hz].')
    """
    texts: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        texts |= _parameters(vars(base).get("__doc__") or "")
    return {
        field.name: (
            "required"
            if field.default is dataclasses.MISSING
            else ""
            if field.default is None
            else _yaml(field.default),
            texts.get(field.name, ""),
        )
        for field in dataclasses.fields(kind)
        if field.init
    }


def _parameters(doc: str) -> dict[str, str]:
    """Descriptions of the section ``Parameters`` of a docstring, by name."""
    match = re.search(r"\n *Parameters\n *-+\n(.*?)(?=\n *\w+\n *---|\Z)", doc, re.S)
    if not match:
        return {}
    lines = [line for line in match[1].splitlines() if line.strip()]
    indent = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    texts: dict[str, str] = {}
    names: list[str] = []
    for line in lines:
        if len(line) - len(line.lstrip()) == indent:
            names = [name.strip() for name in line.split(":")[0].split(",")]
        else:
            texts |= {name: f"{texts.get(name, '')} {line.strip()}".strip() for name in names}
    return texts
