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
from dalembert.model.machine import Machine
from dalembert.plan.references import Quintic, Sine

__all__ = ["law_faults", "make_law", "motor_units"]


# What tells a reference from references by motor.
_OWN = {field.name for kind in (Quintic, Sine) for field in dataclasses.fields(kind)}


def make_law(
    settings: Mapping[str, Any] | None,
    parameters: Mapping[str, Parameter] | None = None,
    machine: Machine | None = None,
) -> Any:
    """Return the control law that the settings describe; None without settings.

    Parameters
    ----------
    settings
        The block.
    parameters
        Of the machine, by name: gains may be expressions of them.
    machine
        The machine, whose motors tell the units of gains and references; None: these may be of turning or sliding
        joints.
    """
    if settings is None:
        return None
    values = dict(settings)
    name = values.pop("law", None)
    if not isinstance(name, str) or name not in LAWS:
        raise UnknownNameError("law", name, LAWS, "the control of the simulation")
    reading = _Reading(parameters or {}, None if machine is None else motor_units(machine))
    units = getattr(LAWS[name], "units", {})
    for key, value in values.items():
        if key == "reference" and isinstance(value, Mapping):
            values[key] = _reference_or_motors(value, reading)
        else:
            values[key] = reading.numbers(value, units.get(key, ""), key)
    return _build(LAWS[name], values, f"law '{name}'")


_TURNING, _SLIDING = {"{q}": "rad", "{f}": "N m"}, {"{q}": "m", "{f}": "N"}


def motor_units(machine: Machine) -> dict[str, Mapping[str, str]]:
    """Of each motor what stands for the units of coordinate and force of its joint."""
    turns = {motor.name: 0 in machine.joint(motor.joint).info.angles for motor in machine.motors}
    return {name: _TURNING if turning else _SLIDING for name, turning in turns.items()}


@dataclasses.dataclass(frozen=True)
class _Reading:
    """How numbers of a block are read: with which parameters, and for which motors (None: nobody knows)."""

    parameters: Mapping[str, Parameter]
    motors: Mapping[str, Mapping[str, str]] | None

    def only(self, motor: str) -> _Reading:
        """Return how those of one motor are read."""
        named = self.motors is not None and motor in self.motors
        return dataclasses.replace(self, motors={motor: self.motors[motor]} if self.motors and named else self.motors)

    def numbers(self, value: Any, unit: str, key: str) -> Any:
        """Numbers of one key: text is read as an expression of parameters, with units."""
        if isinstance(value, str):
            number, dimension = parse_quantity(value, self.parameters, {})
            if fault := unit_fault(value, dimension, self._unit(unit)):
                raise InputError(f"{key} of a law {fault}")
            return number
        if isinstance(value, list):
            names = list(self.motors or ())
            each = [self.only(names[k]) if k < len(names) else self for k in range(len(value))]
            return [one.numbers(x, unit, key) for one, x in zip(each, value, strict=True)]
        if isinstance(value, Mapping):
            return {name: self.only(name).numbers(x, unit, key) for name, x in value.items()}
        return value

    def _unit(self, unit: str) -> str:
        """The unit with that of the joints put in; empty where motors of both kinds would share a number."""
        kinds = (_TURNING, _SLIDING) if self.motors is None else self.motors.values()
        meant = {_put_in(unit, symbols) for symbols in kinds} or {unit}
        return "|".join(sorted(meant)) if len(meant) == 1 or self.motors is None else ""


def _put_in(unit: str, symbols: Mapping[str, str]) -> str:
    for symbol, meaning in symbols.items():
        unit = unit.replace(symbol, meaning)
    return unit


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


def _reference_or_motors(reference: Mapping[str, Any], reading: _Reading) -> Any:
    """One reference, or one per motor by name."""
    if _OWN & set(reference):
        return _reference(reference, reading)
    return {
        name: _reference(entry, reading.only(name))
        if isinstance(entry, Mapping)
        else reading.only(name).numbers(entry, "{q}", "reference")
        for name, entry in reference.items()
    }


def _reference(settings: Mapping[str, Any], reading: _Reading) -> Any:
    kind = Quintic if "start" in settings or "end" in settings else Sine
    values = {key: reading.numbers(value, kind.units.get(key, ""), key) for key, value in settings.items()}
    return _build(kind, values, "the reference")


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
