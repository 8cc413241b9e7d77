"""The block ``simulation`` of a machine file: every setting of a simulation is a key of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.parameter import Scalar, depends_on_time, nominal, parameters_of
from dalembert.core.validation import check_angle
from dalembert.formulations.registry import FORMULATIONS
from dalembert.io.machine_schema import SimulationEntry
from dalembert.io.source import locating
from dalembert.io.yaml_nodes import Document, Path
from dalembert.loop.switching import Switch
from dalembert.model.machine import Machine
from dalembert.simulation.settings import Settings

__all__ = ["read_simulation"]

_BACKENDS = ("auto", "native", "vm")
_WORDS = ("method", "limits")


def read_simulation(
    entry: SimulationEntry, machine: Machine, document: Document, number: Callable[[Any, Path], Scalar]
) -> dict[str, Any]:
    """Return what a file says about the simulation, as arguments of `dalembert.simulate`; only what is given.

    Parameters
    ----------
    entry
        The block.
    machine
        The machine of the file.
    document
        The file, for the lines of errors.
    number
        Reads a number or an expression of the parameters at a path.
    """

    def plain(value: Any, path: Path) -> float:
        expression = number(value, path)
        with locating(document.label, document.line(path)):
            if depends_on_time(expression):
                raise InputError(f"'{path[-1]}' of the simulation must not depend on time, got {value!r}")
            return nominal(expression) if parameters_of(expression) else float(expression)

    settings: dict[str, Any] = {}
    given = entry.model_dump(exclude_unset=True)
    for field in fields(Settings):
        path: Path = ("simulation", field.name)
        value: Any = given.get(field.name)
        if value is None:
            continue
        if isinstance(value, list):
            value = [plain(item, (*path, i)) for i, item in enumerate(value)]
        elif isinstance(value, dict):
            value = {key: v if key == "name" else _whole(plain(v, (*path, key))) for key, v in value.items()}
        elif field.name not in (*_WORDS, "max_steps", "constraints", "contact", "seed", "member"):
            value = plain(value, path)
        with locating(document.label, document.line(path)):
            one: dict[str, Any] = {"duration": 1.0, field.name: value}
            Settings(**one)
        settings[field.name] = value
    for key, known in (("by", FORMULATIONS), ("backend", _BACKENDS)):
        if (word := given.get(key)) is not None:
            with locating(document.label, document.line(("simulation", key))):
                if word not in known:
                    raise UnknownNameError("formulation" if key == "by" else "backend", word, known)
            settings[key] = word
    named = {"q0": ("coordinate", machine.q_names), "v0": ("velocity", machine.v_names)}
    named["p"] = ("parameter", tuple(parameter.name for parameter in machine.parameters))
    angles = {j.q_names[i] for j in machine.coordinate_joints for i in j.info.angles}
    for key, (kind, names) in named.items():
        for name, value in given.get(key, {}).items():
            path = ("simulation", key, name)
            with locating(document.label, document.line(path), owner=key):
                if name not in names:
                    raise UnknownNameError(kind, name, names, f"machine '{machine.name}'")
            settings.setdefault(key, {})[name] = plain(value, path)
            if key == "q0" and name in angles:
                check_angle(settings[key][name], f"{document.label}:{document.line(path)}: q0 of '{name}'")
    for i, switch in enumerate(given.get("switches", ())):
        path = ("simulation", "switches", i)
        at = None if switch.get("at") is None else plain(switch["at"], (*path, "at"))
        with locating(document.label, document.line(path)):
            made = Switch(at, switch.get("event"), tuple(switch.get("on", ())), tuple(switch.get("off", ())))
        settings["switches"] = (*settings.get("switches", ()), made)
    if entry.control is not None:
        settings["control"] = entry.control
    return settings


def _whole(value: float) -> float:
    """Return a whole number as such: some settings count."""
    return int(value) if value == int(value) else value
