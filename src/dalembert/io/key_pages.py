"""The reference of machine files as pages of Markdown, made from the schema; ``docs/conf.py`` writes them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from dalembert.control.law_blocks import LAWS
from dalembert.core.parameter import nominal
from dalembert.core.validation import AXES
from dalembert.engine.methods.constraints import CONSTRAINT_METHODS
from dalembert.engine.methods.contacts import CONTACT_METHODS
from dalembert.io.field_entries import FIELD_TYPES
from dalembert.io.predictive_blocks import PREDICTIVE
from dalembert.io.schema_keys import SchemaKey, documented_fields, key_descriptions, schema_entries, schema_keys
from dalembert.loop.experiment_keywords import KEYWORD_DEFAULTS
from dalembert.model.constraints import CONSTRAINT_KINDS
from dalembert.model.joints import JOINT_KINDS
from dalembert.model.kind_fields import kind_fields
from dalembert.optimal.predictive import PredictiveSettings
from dalembert.plan.references import Quintic, Sine
from dalembert.simulation.methods import METHODS
from dalembert.spatial.alignment import plane_axes

__all__ = ["key_pages"]

# Sections that share a page, and entries with a separate page; every other section has one page.
_SHARED = {"frames": "parts", "motors": "parts", "thrusters": "parts", "wrenches": "parts", "couplings": "parts",
           "signals": "signals_and_sensors", "sensors": "signals_and_sensors"}  # fmt: skip
_OWN = {"Beam": "beams", "ExactRod": "exact_rods", "FiniteElements": "finite_elements", "Origin": "origins"}
_ORDER = (
    "bodies", "beams", "exact_rods", "finite_elements", "joints", "origins", "parts", "constraints", "cables", "ropes",
    "contacts", "colliders", "fields",
)  # fmt: skip
_PICTURES = {
    "joints": ("joint_kinds", "Axes and coordinates of each kind of joint"),
    "beams": ("beam_keys", "Keys of a beam and its cross-sections"),
    "origins": ("origin_keys", "An origin: position, then roll, pitch and yaw"),
    "cables": ("cable_keys", "Keys of a cable with a winch, with an exit point and with a pulley"),
    "contacts": ("contact_keys", "Keys of a contact: the solid in its frame, the surface in its frame"),
}
_TITLES = {"parts": "Frames, motors, thrusters, wrenches, couplings", "signals_and_sensors": "Signals and sensors"}

_INTRODUCTION = """\
# Keys of machine files

This reference is made from the schema of machine files. It lists every key with its type, unit, default, allowed
values and an example. [Machine files](../../machine_files.md) explains the format.

| type | what the value may be |
| --- | --- |
| number | a number, or an expression of numbers, `pi`, units and parameters, such as `l/2 + 30 mm` |
| constant | the same without parameters, such as `90 deg` or `pi/2`: the number is fixed when the file is read |
| 3 numbers, list of numbers | a list of numbers, each of which may be an expression |
| whole number | a number without a fraction; no expression |
| text, true or false | a name or a choice; a truth value |
| mapping | keys with values; the table of these keys is linked |

A number without a unit is in SI units and radians; [units](../../machine_files.md#units) lists the others. Numbers of
sensors are constants. Numbers of `simulation` and of references may use parameters; they take the nominal values.

## Top level

"""


def key_pages() -> dict[str, str]:
    """Return the pages by name: ``index``, and one for each section of machine files."""
    keys: dict[str, list[SchemaKey]] = {}
    for key in schema_keys():
        keys.setdefault(key.entry, []).append(key)
    homes = _homes(keys)
    pages = {"index": _INTRODUCTION + _table(keys["MachineFile"], homes, "index")}
    names = [page for page in _ORDER if page in homes.values()]
    names += [page for page in dict.fromkeys(homes.values()) if page not in (*names, "index")]
    for page in names:
        title = _TITLES.get(page, page.replace("_", " ").capitalize())
        parts = [f"# Keys: {title[0].lower() + title[1:]}\n"]
        if page in _PICTURES:
            file, text = _PICTURES[page]
            parts.append(f"![{text}](../../figures/{file}.png)\n")
        for entry, home in homes.items():
            if home == page:
                about = (schema_entries()[entry].__doc__ or "").partition("\n")[0]
                parts.append(f"({_anchor(entry)})=\n## {_heading(entry, keys)}\n\n{about}\n")
                parts.append(_table(keys[entry], homes, page))
                parts += _EXTRA[entry]() if entry in _EXTRA else []
        pages[page] = "\n".join(parts)
    laws = [*_settings("Control laws", LAWS, "law"), *_predictive()]
    pages["control"] = "\n".join(["# Keys: control\n", *laws, *_references()])
    toc = "\n".join([*names, "control"])
    pages["index"] += f"\n```{{toctree}}\n:maxdepth: 1\n:hidden:\n\n{toc}\n```\n"
    return pages


def _homes(keys: Mapping[str, list[SchemaKey]]) -> dict[str, str]:
    """Page of each entry: that of the first section which reaches it, unless the entry has a separate page."""
    homes = {"MachineFile": "index"}

    def visit(entry: str, page: str) -> None:
        page = _OWN.get(entry, page)
        if homes.setdefault(entry, page) == page:
            for inner in (inner for key in keys[entry] for inner in key.inner):
                if inner not in homes:
                    visit(inner, page)

    for key in keys["MachineFile"]:
        for inner in key.inner:
            visit(inner, _SHARED.get(key.key, key.key))
    return homes


def _anchor(entry: str) -> str:
    return f"keys-{entry.lower()}"


def _heading(entry: str, keys: Mapping[str, list[SchemaKey]]) -> str:
    """The keys under which an entry stands."""
    under = dict.fromkeys(key.key for listed in keys.values() for key in listed if entry in key.inner)
    return ", ".join(f"`{name}`" for name in under)


def _table(listed: Iterable[SchemaKey], homes: Mapping[str, str], page: str) -> str:
    rows = ["| key | type | unit | default | meaning | example |", "| --- | --- | --- | --- | --- | --- |"]
    for key in listed:
        kind = key.kind
        if key.inner:
            links = [f"[{kind}]({'' if homes[x] == page else homes[x] + '.md'}#{_anchor(x)})" for x in key.inner[:1]]
            kind = links[0]
        if key.values:
            kind = f"{'' if kind == 'text' else kind + ': '}{', '.join(f'`{value}`' for value in key.values)}"
        default = key.default
        if key.entry == "Simulation" and not default and KEYWORD_DEFAULTS.get(key.key) is not None:
            default = str(KEYWORD_DEFAULTS[key.key])
        if key.entry == "Constraint" and key.key in _differing():
            default = "by type"
        units = " or ".join("none" if unit == "1" else unit for unit in key.units)
        example = f"`{key.key}: {key.example}`" if key.example else ""
        cells = (f"`{key.key}`", kind, units, f"`{default}`" if default not in ("", "required", "by type") else default,
                 key.description, example)  # fmt: skip
        rows.append("| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |")
    return "\n".join(rows) + "\n"


def _differing() -> set[str]:
    """Keys of constraints whose default depends on the type."""
    defaults: dict[str, set[str]] = {}
    for kind in CONSTRAINT_KINDS.values():
        for field in kind_fields(kind):
            defaults.setdefault(field.name, set()).add("required" if field.required else str(field.default))
    return {name for name, found in defaults.items() if len(found) > 1}


def _plain(text: str) -> str:
    """Text of a docstring as Markdown: literals, and names of the library."""
    return re.sub(r"`+([^`]+)`+", r"`\1`", text).replace("|", r"\|")


def _summary(kind: type) -> str:
    return _plain(" ".join((kind.__doc__ or "").partition("\n\n")[0].split()))


def _types(title: str, kinds: Mapping[str, Any], group: str, fields: Any) -> list[str]:
    """A table of types: their meaning, the keys that they take with their defaults, an example."""
    examples = key_descriptions()[group]
    rows = [f"## {title}\n", "| type | meaning | keys | example |", "| --- | --- | --- | --- |"]
    for name, kind in kinds.items():
        if kind.__module__.startswith("dalembert."):
            taken = ", ".join(
                f"`{key}`" + (" (required)" if default == "required" else f" ({default})" if default else "")
                for key, default in fields(kind)
            )
            rows.append(f"| `{name}` | {_summary(kind)} | {taken} | `{examples.get(name, ('', ''))[1]}` |")
    return ["\n".join(rows) + "\n"]


def _constraint_fields(kind: type) -> Iterable[tuple[str, str]]:
    for field in kind_fields(kind):
        if field.name not in ("switchable", "active"):
            default = "" if field.required or field.default in (None, ()) else field.default
            text = f"[{', '.join(f'{x:g}' for x in default)}]" if isinstance(default, tuple) else default
            yield field.name, "required" if field.required else f"{text:.6g}" if isinstance(text, float) else str(text)


def _field_fields(kind: type) -> Iterable[tuple[str, str]]:
    for name, (default, _) in documented_fields(kind).items():
        if name != "name":
            yield name, "required" if name == "orbit" else default if not default.startswith("[[") else ""


def _joint_kinds() -> list[str]:
    """Coordinates of each kind, and where x and y of a planar joint point."""
    rows = ["## Kinds of joints\n", "| kind | meaning | coordinates | velocities |", "| --- | --- | --- | --- |"]
    for name, kind in JOINT_KINDS.items():
        q, v = (", ".join(f"`NAME{suffix}`" for suffix in suffixes) or "none" for suffixes in (kind.q, kind.v))
        rows.append(f"| `{name}` | {_JOINTS.get(name, '')} | {q} | {v} |")
    rows.append(
        "\nThe x and y coordinates of a planar joint lie along the directions into which the smallest rotation from z "
        "to the normal takes the x and y axes of the joint frame:\n"
    )
    rows += ["| `axis` (normal) | `NAME.x` points along | `NAME.y` points along |", "| --- | --- | --- |"]
    for axis in ("z", "-z", "y", "-y", "x", "-x"):
        x, y, _ = (_direction(column) for column in plane_axes([nominal(n) for n in AXES[axis]]).T)
        rows.append(f"| `{axis}` | {x} | {y} |")
    rows.append("\nWith `kind: planar, axis: y` the coordinate `y = 1.5` is at z = -1.5 of the joint frame.\n")
    return ["\n".join(rows)]


_JOINTS = {
    "revolute": "rotation about `axis`",
    "prismatic": "translation along `axis`",
    "screw": "rotation about `axis` with a translation of `pitch` per radian along it",
    "cylindrical": "rotation about `axis` and translation along it",
    "universal": "rotation about `axis`, then about `second_axis`, which is fixed to the child",
    "spherical": "rotation about a point; unit quaternion w, x, y, z; angular velocity in body axes",
    "planar": "two translations in the plane normal to `axis`, and a rotation about `axis`",
    "free": "position, then unit quaternion; linear and angular velocity in body axes",
    "fixed": "no motion",
}


def _direction(vector: Any) -> str:
    k = max(range(3), key=lambda i: abs(vector[i]))
    return f"{'-' if vector[k] < 0 else '+'}{'xyz'[k]}"


def _settings(title: str, kinds: Mapping[str, type], key: str) -> list[str]:
    """Tables of the settings that registered classes take."""
    parts = [f"## {title}\n"]
    for name, kind in kinds.items():
        if not kind.__module__.startswith("dalembert."):
            continue
        parts.append(f"**`{key}: {name}`**: {_summary(kind)}\n")
        if group := key_descriptions().get(f"{key.capitalize()} types", {}).get(name):
            parts.append(f"Example: `control: {group[1]}`\n")
        parts.append(_field_table(kind))
    return parts


def _predictive() -> list[str]:
    """Settings of the predictive controller."""
    return [
        f"**`law: {PREDICTIVE}`**: Predictive control ([page](../../predictive_control.md)). The machine of the file "
        "is the model of the prediction.\n",
        "Example: `control: {law: mpc, horizon: 2.0, intervals: 20, cost: {states: {x: 1.0}, inputs: 1.0e-3, "
        "terminal: lqr}, reference: {x: 1.0}, limits: {push: [-1.0, 1.0], x_dot: {lower: -0.5, upper: 0.5, "
        "linear: 1000}}}`\n",
        "| setting | default | meaning |\n| --- | --- | --- |\n"
        "| `horizon`, `intervals` | required | planned seconds, and their number of intervals |\n"
        "| `cost` | required | weights: `states`, `inputs`, `outputs`, `rates`, `effort`, `terminal` (`lqr` or "
        "weights) |\n"
        "| `reference` | zero | numbers of states, inputs and outputs, by name |\n"
        "| `limits` | none | `[lower, upper]` by quantity, null for a side without a bound; soft as "
        "`{lower, upper, linear, quadratic}` |\n"
        "| `keep` | none | texts that stay at zero or above, by name; soft as `{expression, linear, quadratic}` |\n"
        "| `fallback` | reference inputs | block of the law for samples without a plan |",
        _field_table(PredictiveSettings).partition("| --- | --- | --- |\n")[2],
    ]


def _field_table(kind: type) -> str:
    fields = documented_fields(kind)
    if not fields:
        return "It has no settings.\n"
    rows = ["| setting | default | meaning |", "| --- | --- | --- |"]
    for name, (default, text) in fields.items():
        shown = f"`{default}`" if default not in ("", "required") else default
        rows.append(f"| `{name}` | {shown} | {_plain(text)} |")
    return "\n".join(rows) + "\n"


def _references() -> list[str]:
    parts = [
        "## References of laws\n",
        "`reference` is a list of positions, one per motor; or one of the two mappings below; or a mapping of motors "
        "to either of them.\n",
    ]
    for kind, example in (
        (Quintic, "{start: [0, 0], end: [90 deg, 30 mm], duration: 4.0, delay: 1.0}"),
        (Sine, "{center: [0, 0], amplitude: [10 deg, 5 mm], frequency: 0.5 Hz, phase: 90 deg}"),
    ):
        names = ", ".join(f"`{field.name}`" for field in dataclasses.fields(kind))
        parts.append(f"**{names}**: {_summary(kind)} Example: `reference: {example}`\n\n{_field_table(kind)}")
    return parts


_EXTRA: dict[str, Callable[[], list[str]]] = {
    "Joint": _joint_kinds,
    "Constraint": lambda: _types("Types of constraints", CONSTRAINT_KINDS, "Constraint types", _constraint_fields),
    "Field": lambda: _types("Types of force fields", FIELD_TYPES, "Field types", _field_fields),
    "Simulation": lambda: [
        *_settings("Integration methods", METHODS, "method"),
        *_settings("Constraint methods", CONSTRAINT_METHODS, "constraints"),
        *_settings("Contact methods", CONTACT_METHODS, "contact"),
    ],
}
