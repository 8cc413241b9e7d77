"""The block ``simulation`` of a machine file: every keyword of an experiment that is data is a key of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.parameter import Scalar, depends_on_time, nominal, parameters_of
from dalembert.core.validation import check_angle
from dalembert.formulations.registry import FORMULATIONS
from dalembert.io.machine_schema import SensorEntry, SimulationEntry
from dalembert.io.source import locating
from dalembert.io.units import coordinate_units, machine_units
from dalembert.io.yaml_nodes import Document, Path
from dalembert.loop.events import Event
from dalembert.loop.experiment import check_keyword
from dalembert.loop.switches import Switch
from dalembert.model.joint import Joint
from dalembert.model.machine import Machine
from dalembert.model.signals import Sensor, Signal
from dalembert.simulation.methods import METHOD_SETTINGS

__all__ = ["StateNames", "read_sensor", "read_simulation"]

_BACKENDS = ("auto", "native", "vm")
_WORDS = ("method", "limits")
_CHECKED = (
    "duration", "t0", "method", *METHOD_SETTINGS, "record", "constraints", "reach", "branch", "limits", "contact",
    "seed", "member",
)  # fmt: skip


@dataclass(frozen=True)
class StateNames:
    """Names for an initial state: coordinates (some of them angles), velocities, parameters of a machine."""

    machine: str
    q: tuple[str, ...]
    v: tuple[str, ...]
    p: tuple[str, ...]
    angles: frozenset[str]
    units: Mapping[str, str]
    inputs: tuple[str, ...] = ()

    @staticmethod
    def of(machine: Machine, parameter_unit: Callable[[str], str] = lambda name: "") -> StateNames:
        """Return the names of a machine; ``parameter_unit`` tells the units of its parameters."""
        parameters = tuple(parameter.name for parameter in machine.parameters)
        names = StateNames.gathered(
            machine.name, machine.q_names, machine.v_names, parameters, machine.coordinate_joints, parameter_unit
        )
        units = {f"u.{name}": unit for name in machine.u_names if (unit := machine_units(machine).get(f"u.{name}"))}
        return replace(names, units={**names.units, **units}, inputs=machine.u_names)

    @staticmethod
    def gathered(
        name: str,
        q: Iterable[str],
        v: Iterable[str],
        p: Iterable[str],
        joints: Iterable[Joint],
        parameter_unit: Callable[[str], str] = lambda name: "",
    ) -> StateNames:
        """Return names with the angles of some joints."""
        angles = frozenset(j.q_names[i] for j in joints for i in j.info.angles)
        units = {key: unit for j in joints for key, unit in coordinate_units(j.name, j.info).items()}
        units |= {f"p.{key}": parameter_unit(key) for key in p}
        return StateNames(name, tuple(q), tuple(v), tuple(p), angles, units)


def read_simulation(
    entry: SimulationEntry,
    names: StateNames | None,
    document: Document,
    number: Callable[..., Scalar],
    each: AbstractContextManager[Any] | None = None,
) -> dict[str, Any]:
    """Return the simulation settings of a file, as arguments of `dalembert.simulate`; only the given ones.

    Parameters
    ----------
    entry
        The block.
    names
        Names for the initial state; None: unknown, and the state is not read.
    document
        The file, for the lines of errors.
    number
        Reads a number or an expression of the parameters at a path.
    each
        Context in which each setting is read, so that one that is wrong need not keep others from it.
    """
    each = nullcontext() if each is None else each

    def plain(value: object, path: Path, unit: str | None = None) -> float:
        expression = number(value, path, unit)
        with locating(document.label, document.line(path)):
            if depends_on_time(expression):
                raise InputError(f"'{path[-1]}' of the simulation must not depend on time, got {value!r}")
            return nominal(expression) if parameters_of(expression) else float(expression)

    settings: dict[str, Any] = {}
    data = entry.model_dump(exclude_unset=True)
    for name in _CHECKED:
        if (value := data.get(name)) is not None:
            with each:
                settings[name] = _setting(name, value, document, plain)
    for key, known in (("by", FORMULATIONS), ("backend", _BACKENDS)):
        if (word := data.get(key)) is not None:
            with each, locating(document.label, document.line(("simulation", key))):
                if word not in known:
                    raise UnknownNameError("formulation" if key == "by" else "backend", word, known)
                settings[key] = word
    for key, kind in (("q0", "coordinate"), ("v0", "velocity"), ("p", "parameter")) if names else ():
        assert names is not None
        known_names = {"q0": names.q, "v0": names.v, "p": names.p}[key]
        values = data.get(key, {})
        if isinstance(values, list):
            with each, locating(document.label, document.line(("simulation", key))):
                if len(values) != len(known_names):
                    listed = ", ".join(known_names)
                    raise InputError(f"{key} as a list needs {len(known_names)} numbers ({listed}), got {len(values)}")
            listed_names = zip(values, known_names, strict=False)
            settings[key] = tuple(
                plain(value, ("simulation", key, i), _unit(names, key, name))
                for i, (value, name) in enumerate(listed_names)
            )
            continue
        for name, value in values.items():
            path: Path = ("simulation", key, name)
            with each:
                with locating(document.label, document.line(path), owner=key):
                    if name not in known_names:
                        raise UnknownNameError(kind, name, known_names, f"machine '{names.machine}'")
                settings.setdefault(key, {})[name] = plain(value, path, _unit(names, key, name))
                if key == "q0" and name in names.angles:
                    check_angle(settings[key][name], f"{document.label}:{document.line(path)}: q0 of '{name}'")
    for i, switch in enumerate(data.get("switches", ())):
        path = ("simulation", "switches", i)
        with each:
            at = None if switch.get("at") is None else plain(switch["at"], (*path, "at"))
            with locating(document.label, document.line(path)):
                new_switch = Switch(at, switch.get("event"), tuple(switch.get("on", ())), tuple(switch.get("off", ())))
            settings["switches"] = (*settings.get("switches", ()), new_switch)
    for i, event in enumerate(entry.events):
        path = ("simulation", "events", i)
        with each, locating(document.label, document.line(path)):
            new_event = Event(event.name, event.expression, event.terminal, event.direction)
            settings["events"] = (*settings.get("events", ()), new_event)
    for name, signal in entry.signals.items():
        with each, locating(document.label, document.line(("simulation", "signals", name)), owner=f"'{name}'"):
            new_signal = Signal(name, signal.expression, signal.frame)
            settings["signals"] = (*settings.get("signals", ()), new_signal)
    for name, sensor in entry.sensors.items():
        path = ("simulation", "sensors", name)
        with each, locating(document.label, document.line(path), owner=f"'{name}'"):
            settings["sensors"] = (*settings.get("sensors", ()), read_sensor(name, sensor, path, number))
    if isinstance(entry.control, list):
        inputs = names.inputs if names is not None else ()
        units = [names.units.get(f"u.{name}", "") for name in inputs] if names is not None else []
        units += [""] * len(entry.control)
        settings["control"] = tuple(
            plain(x, ("simulation", "control", i), units[i]) for i, x in enumerate(entry.control)
        )
    elif entry.control is not None:
        settings["control"] = entry.control
    return settings


def _unit(names: StateNames, key: str, name: str) -> str:
    """Unit of a coordinate, velocity or parameter; empty if it is not known."""
    unit = names.units.get(f"p.{name}" if key == "p" else name, "")
    return "" if "sqrt" in unit else unit


def read_sensor(name: str, entry: SensorEntry, path: Path, number: Callable[..., Scalar]) -> Sensor:
    """Return a sensor; ``number`` reads a number at a path."""
    fields: dict[str, Any] = {}
    for key in ("period", "noise", "bias", "quantum", "delay"):
        value = getattr(entry, key)
        listed = isinstance(value, list)
        read = [number(x, (*path, key, i)) for i, x in enumerate(value)] if listed else [number(value, (*path, key))]
        if any(parameters_of(x) or depends_on_time(x) for x in read):
            raise InputError(f"{key} of sensor '{name}' must be a plain number, got the expression {value!r}")
        fields[key] = tuple(map(nominal, read)) if listed else nominal(read[0])
    return Sensor(name, entry.of, feedback=entry.feedback, **fields)


def _setting(name: str, value: Any, document: Document, plain: Callable[[Any, Path], float]) -> Any:
    """Return the value of one setting, judged of itself."""
    path: Path = ("simulation", name)
    if isinstance(value, list):
        value = [plain(item, (*path, i)) for i, item in enumerate(value)]
    elif isinstance(value, dict):
        value = {key: v if key == "name" else _whole(plain(v, (*path, key))) for key, v in value.items()}
    elif name not in (*_WORDS, "max_steps", "constraints", "contact", "seed", "member", "branch"):
        value = plain(value, path)
    with locating(document.label, document.line(path)):
        check_keyword(name, value)
    return value


def _whole(value: float) -> float:
    """Return a whole number as such: some settings count."""
    return int(value) if value == int(value) else value
