"""Control laws from the block ``control`` of a machine file.

::

    control:
      law: computed-torque            # or pd, pid, gravity-compensation
      kp: 100.0                       # the law's own settings
      kd: 20.0
      reference: [0.5, 1.0]           # positions per motor, or
      # reference: {start: [0, 0], end: [0.5, 1.0], duration: 2.0, delay: 0.5}
      # reference: {center: [0, 0], amplitude: [0.1, 0.1], frequency: 1.0}
      # kp: {shoulder: 100.0, elbow: 50.0}                   # by motor, and so may be the reference:
      # kp: k1                                               # a parameter of the machine, named among its gains
      # reference: {shoulder: 0.5, elbow: {start: 0, end: 1.0, duration: 2.0}}
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dalembert.control.law_blocks import LAWS
from dalembert.core.errors import DalembertError, InputError, UnknownNameError
from dalembert.core.parameter import Parameter, parse_quantity
from dalembert.io.schema_values import unit_fault
from dalembert.plan.references import Quintic, Sine

__all__ = ["law_faults", "make_law"]


# Keys that distinguish a reference from references by motor.
_OWN = {field.name for kind in (Quintic, Sine) for field in dataclasses.fields(kind)}


def make_law(settings: Mapping[str, Any] | None, parameters: Mapping[str, Parameter] | None = None) -> Any:
    """Return the control law that the settings describe; None without settings.

    Parameters
    ----------
    settings
        The block.
    parameters
        Parameters of the machine, by name: gains may be expressions of them.
    """
    if settings is None:
        return None
    values = dict(settings)
    name = values.pop("law", None)
    if not isinstance(name, str) or name not in LAWS:
        raise UnknownNameError("law", name, LAWS, "the control of the simulation")
    if isinstance(values.get("reference"), Mapping):
        values["reference"] = _reference_or_motors(values["reference"])
    known = parameters or {}
    values = {key: value if key == "reference" else _scalars(value, known) for key, value in values.items()}
    return _build(LAWS[name], values, f"law '{name}'")


def law_faults(settings: Mapping[str, Any], motors: Sequence[str]) -> Iterator[tuple[str, DalembertError]]:
    """Say what of a block does not fit these motors, with the key at which it stands: numbers and names of entries."""
    for key, value in settings.items():
        if isinstance(value, Mapping) and not (key == "reference" and _OWN & set(value)):
            for name in set(value) - set(motors):
                yield key, UnknownNameError(f"motor in {key}", str(name), motors)
            missing = [name for name in motors if name not in value]
            if missing:
                yield key, InputError(f"{key} by name needs all motors; there is none for {', '.join(missing)}")
        else:
            for field, listed in value.items() if isinstance(value, Mapping) else [("", value)]:
                if isinstance(listed, list) and len(listed) != len(motors):
                    what = f"{key}.{field}" if field else key
                    expected = f"one entry per motor ({', '.join(motors)})"
                    yield key, InputError(f"{what} must have {expected}, got {len(listed)}")
                    break


def _scalars(value: Any, parameters: Mapping[str, Parameter]) -> Any:
    """Gains, text read as expressions of parameters."""
    if isinstance(value, str):
        number, dimension = parse_quantity(value, parameters, {})
        if fault := unit_fault(value, dimension, ""):
            raise InputError(f"a setting of a law {fault}")
        return number
    if isinstance(value, list):
        return [_scalars(x, parameters) for x in value]
    if isinstance(value, Mapping):
        return {name: _scalars(x, parameters) for name, x in value.items()}
    return value


def _reference_or_motors(reference: Mapping[str, Any]) -> Any:
    """One reference, or one per motor by name."""
    if _OWN & set(reference):
        return _reference(dict(reference))
    return {name: _reference(dict(entry)) if isinstance(entry, Mapping) else entry for name, entry in reference.items()}


def _reference(settings: dict[str, Any]) -> Any:
    kind = Quintic if "start" in settings or "end" in settings else Sine
    return _build(kind, settings, "the reference")


def _build(kind: type[Any], settings: dict[str, Any], what: str) -> Any:
    fields = dataclasses.fields(kind)
    names = [f.name for f in fields]
    for name in settings:
        if name not in names:
            raise UnknownNameError("setting", name, names, what)
    needed = [f.name for f in fields if f.default is dataclasses.MISSING and f.name not in settings]
    if needed:
        raise InputError(f"{what} needs {', '.join(needed)}")
    return kind(**settings)
