"""Which unit a number of a machine file has: from the schema, and from the joints that it speaks of."""

from __future__ import annotations

from collections.abc import Iterable
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from dalembert.control.law_blocks import LAWS
from dalembert.io.control_blocks import REFERENCE_KEYS
from dalembert.io.machine_schema import MachineFile, machine_file
from dalembert.io.schema_values import FileEntry
from dalembert.io.units import coordinate_units
from dalembert.io.yaml_nodes import Path
from dalembert.model.joints import JOINT_KINDS
from dalembert.plan.references import Quintic, Sine

__all__ = ["declared_unit", "entries_of", "expected_unit", "keys_with_units"]

_TURNING = {"{q}": "rad", "{f}": "N m", "{i}": "kg m^2"}
_SLIDING = {"{q}": "m", "{f}": "N", "{i}": "kg"}


def declared_unit(path: Path) -> str:
    """Return the unit that the schema has for a path, with placeholders of units of joints; empty if it has none."""
    unit, current = "", [machine_file()]
    for step in path:
        entry = next((one for one in current if _is_entry(one) and step in one.model_fields), None)
        if entry is not None:
            unit, current = entry.units.get(str(step), ""), _choices(entry.model_fields[str(step)].annotation)
        else:
            kind = list if isinstance(step, int) else dict
            current = [c for one in current if get_origin(one) is kind for c in _choices(get_args(one)[-1])]
    return unit


def expected_unit(file: MachineFile, path: Path) -> str:
    """Return the unit of the number at a path of a file; empty if it takes none."""
    if path[:2] == ("simulation", "method"):
        path = ("simulation", *path[2:])
    if path[:2] == ("simulation", "control") and len(path) > 2 and isinstance(path[2], str):
        return _reference_unit(file, path[3:]) if path[2] == "reference" else _gain_unit(file, path[2], path[3:])
    unit, section = declared_unit(path), path[0]
    if "{" not in unit:
        return unit
    symbols: dict[str, str] | None = {}
    if section == "joints":
        symbols = _joint_units(file, str(path[1]))
    elif section == "motors":
        symbols = _joint_units(file, file.motors[str(path[1])].joint or str(path[1]))
    elif section == "couplings":
        symbols, leader = (_joint_units(file, name) for name in (str(path[1]), file.couplings[str(path[1])].leader))
        symbols = symbols and leader and {**symbols, "{l}": leader["{q}"]}
    elif section == "constraints":
        joint = getattr(file.constraints[str(path[1])], "joint", None)
        symbols = _SLIDING if joint is None else _joint_units(file, joint)
    elif "sensors" in path:
        sensors = file.sensors if section == "sensors" else file.simulation.sensors if file.simulation else {}
        symbols = {"{s}": _measured(file, sensors[str(path[path.index("sensors") + 1])].of)}
    for symbol, meaning in (symbols or {}).items():
        unit = unit.replace(symbol, meaning)
    known = [one for one in unit.split("|") if "{" not in one and one]
    return "|".join(known)


def _reference_unit(file: MachineFile, path: Path) -> str:
    """Unit of a number of a reference: of one for all motors, of a list, or of one per motor by name."""
    motors = list(file.motors)
    if path and path[0] not in REFERENCE_KEYS and isinstance(path[0], str):
        motors, path = [name for name in motors if name == path[0]], path[1:]
    fixed = {unit for kind in (Quintic, Sine) for key, unit in kind.units.items() if path and key == path[0]}
    unit = fixed.pop() if fixed else "{q}"
    if unit != "{q}":
        return unit
    if len(motors) > 1 and path and isinstance(path[-1], int):
        motors = motors[path[-1] : path[-1] + 1]
    joints = [_joint_units(file, file.motors[name].joint or name) for name in motors]
    return "|".join(dict.fromkeys(joint["{q}"] for joint in joints if joint))


def _gain_unit(file: MachineFile, key: str, path: Path) -> str:
    """Unit of a setting of a law: one for all motors, a list, or one per motor by name.

    Empty where motors that turn and motors that slide would share a number.
    """
    block: Any = file.simulation.control if file.simulation else None
    law = LAWS.get(str(block.get("law"))) if isinstance(block, dict) else None
    unit = str(getattr(law, "units", {}).get(key, ""))
    if "{" not in unit:
        return unit
    motors = list(file.motors)
    if path and isinstance(path[0], str):
        motors = [name for name in motors if name == path[0]]
    elif path:
        motors = motors[int(path[0]) : int(path[0]) + 1]
    meant = set()
    for symbols in (_joint_units(file, file.motors[name].joint or name) for name in motors):
        own = unit
        for symbol, meaning in (symbols or {}).items():
            own = own.replace(symbol, meaning)
        meant.add(own)
    own = meant.pop() if len(meant) == 1 else ""
    return "" if "{" in own else own


def _joint_units(file: MachineFile, name: str) -> dict[str, str] | None:
    """Placeholders of the units of a joint; None where its coordinates are of different units."""
    kind = JOINT_KINDS.get(file.joints[name].kind) if name in file.joints else None
    if kind is None:
        return None
    rates = {unit for v, unit in coordinate_units("", kind).items() if v in kind.v}
    return {"rad/s": _TURNING, "m/s": _SLIDING}.get(rates.pop()) if len(rates) == 1 else None


def _measured(file: MachineFile, of: str | list[str]) -> str:
    """Unit of the measured quantity of a sensor; empty if it is not one of coordinates and velocities."""
    known: dict[str, str] = {}
    for name, joint in file.joints.items():
        if joint.kind in JOINT_KINDS:
            known |= coordinate_units(name, JOINT_KINDS[joint.kind])
    units = {known.get(name, "") for name in ([of] if isinstance(of, str) else of)}
    return units.pop() if len(units) == 1 else ""


def _is_entry(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, FileEntry)


def _choices(annotation: Any) -> list[Any]:
    """Types that a value may have."""
    if get_origin(annotation) is Annotated:
        return _choices(get_args(annotation)[0])
    if get_origin(annotation) in (UnionType, Union):
        return [choice for one in get_args(annotation) for choice in _choices(one)]
    return [annotation]


def keys_with_units(model: type[BaseModel] | None = None) -> Iterable[tuple[str, str, str]]:
    """All keys of machine files that have units: the kind of entry, the key, and the unit."""
    pending, seen = [model or machine_file()], set()
    while pending:
        entry = pending.pop(0)
        if entry in seen:
            continue
        seen.add(entry)
        for key, field in entry.model_fields.items():
            if unit := getattr(entry, "units", {}).get(key, ""):
                yield entry.__name__.removesuffix("Entry"), key, unit
            pending += list(entries_of(field.annotation))


def entries_of(annotation: Any) -> Iterable[Any]:
    """Entries that an annotation holds."""
    for one in _choices(annotation):
        if _is_entry(one):
            yield one
        else:
            for inner in get_args(one):
                yield from entries_of(inner)
