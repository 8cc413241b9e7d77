"""A machine as the studio holds it: its description, its simulation, its variable settings, and its file."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.parameter import evaluate
from dalembert.io.control_blocks import make_law
from dalembert.io.units import machine_units
from dalembert.loop.experiment import Experiment, values_by_name
from dalembert.loop.postures import posture, revised
from dalembert.model.joint import Joint
from dalembert.model.machine import Machine
from dalembert.simulation.methods import METHOD_SETTINGS, METHODS, RK4, DormandPrince, FixedStepMethod
from dalembert.simulation.run import Run
from dalembert.spatial.rotations import (
    numpy,
    quaternion_from_matrix,
    quaternion_matrix,
    rotation_euler321,
    rpy_from_matrix,
)

__all__ = ["Changes", "Opened", "machine_text", "with_block"]

_ROWS = 5000  # rows of a run with fixed steps, which would otherwise record every one
_MANY = 10**9
_DURATION = 10.0  # seconds, by default
_NUMBERS = ("duration", "step", "rtol", "atol", "record")
_ANGLES = ("roll", "pitch", "yaw")  # in place of a quaternion


@dataclass(frozen=True)
class Changes:
    """Settings made on the page, by name: parameters, initial coordinates and velocities, gains, settings."""

    p: Mapping[str, float] = field(default_factory=dict)
    q0: Mapping[str, float] = field(default_factory=dict)
    v0: Mapping[str, float] = field(default_factory=dict)
    gains: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def read(data: object) -> Changes:
        """Check data from a page."""
        if not isinstance(data, dict):
            raise InputError(f"changes must be a mapping, got {type(data).__name__}")
        known = ("p", "q0", "v0", "gains", "settings")
        for key in data:
            if key not in known:
                raise UnknownNameError("change", key, known)
        checked: dict[str, Any] = {}
        for key in ("p", "q0", "v0"):
            checked[key] = {str(name): _finite(x, f"{key} of '{name}'") for name, x in dict(data.get(key, {})).items()}
        checked["gains"] = {
            str(name): [_finite(v, f"gain {name}") for v in x] if isinstance(x, list) else _finite(x, f"gain {name}")
            for name, x in dict(data.get("gains", {})).items()
        }
        settings = dict(data.get("settings", {}))
        for name, value in settings.items():
            if name == "method":
                if value not in METHODS:
                    raise UnknownNameError("method", str(value), METHODS)
            elif name in _NUMBERS:
                settings[name] = _finite(value, name)
            else:
                raise UnknownNameError("setting", name, (*_NUMBERS, "method"))
        return Changes(**checked, settings=settings)


def _finite(value: object, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"{what} must be a finite number, got {value!r}")
    return float(value)


@dataclass(frozen=True, eq=False)
class Opened:
    """A machine that is open.

    Parameters
    ----------
    title
        Title of the opened file or machine.
    experiment
        The machine and how it is simulated.
    text
        Its machine file, or empty where it has none.
    control
        The block ``control`` of its file, or None.
    run
        A run that was opened with it.
    about
        Description, in a line.
    folder
        Folder of its file, where it was named on the command line: meshes begin there.
    system
        Name of the ready-made machine, if it is one as it comes.
    """

    title: str
    experiment: Experiment
    text: str = ""
    control: dict[str, Any] | None = None
    run: Run | None = None
    about: str = ""
    folder: Path | None = None
    system: str = ""

    @property
    def machine(self) -> Machine:
        """The machine."""
        return self.experiment.machine

    def simulation(self, changes: Changes) -> Experiment:
        """The experiment, with the changes."""
        values: dict[str, Any] = dict(changes.settings)
        values |= {"v0": changes.v0 or None, "p": changes.p or None}
        if changes.gains:
            known = {parameter.name: parameter for parameter in self.machine.parameters}
            values["control"] = make_law(self.law(changes.gains), known)
        values["q0"] = self.turned(changes) or None
        experiment = revised(self.experiment, **{name: x for name, x in values.items() if x is not None})
        duration, method = experiment.duration or _DURATION, experiment.integrator
        if method.max_steps == RK4.max_steps:
            method = replace(method, max_steps=_MANY)  # the user can cancel a long run
        record = experiment.record
        if record is None and isinstance(method, FixedStepMethod):
            record = method.step * max(1, math.ceil(duration / method.step / _ROWS))
        return experiment.replace(duration=duration, method=method, record=record)

    def turned(self, changes: Changes) -> dict[str, float]:
        """Initial coordinates that were changed, quaternions for angles of roll, pitch and yaw."""
        q0 = dict(changes.q0)
        before = values_by_name(self.experiment)["q0"]
        for joint in _turning(self.machine):
            asked = [q0.pop(f"{joint.name}.{angle}", None) for angle in _ANGLES]
            if any(x is not None for x in asked):
                names, now = _attitude(self.machine, joint, before | q0)
                angles = [old if x is None else x for x, old in zip(asked, now, strict=True)]
                Q = quaternion_from_matrix(numpy(rotation_euler321(angles)))
                q0 |= dict(zip(names, Q.tolist(), strict=True))
        return q0

    def law(self, gains: Mapping[str, Any]) -> dict[str, Any]:
        """The block ``control`` with other gains."""
        block = dict(self.control or {})
        for name, value in gains.items():
            if name not in self.gains():
                raise UnknownNameError("gain", name, self.gains(), f"the control of machine '{self.machine.name}'")
            if isinstance(block[name], dict):
                block[name] = {**block[name], **dict(zip(_numbers(block[name]), value, strict=True))}
            else:
                block[name] = value
        return block

    def gains(self) -> dict[str, Any]:
        """Numbers of the control law that can be changed: one for all motors, or a list of one each.

        Gains that are parameters of the machine have sliders as such.
        """
        numbers: dict[str, Any] = {}
        for name, value in (self.control or {}).items():
            if name in ("law", "reference"):
                continue
            if isinstance(value, dict) and _numbers(value):
                numbers[name] = list(_numbers(value).values())
            elif _number(value) or (isinstance(value, list) and value and all(map(_number, value))):
                numbers[name] = value
        return numbers

    def gain_labels(self) -> dict[str, list[str]]:
        """Which motor each number of a list of gains belongs to."""
        return {
            name: list(_numbers(self.control[name])) if self.control and isinstance(self.control[name], dict)
            else list(self.machine.u_names)
            for name, value in self.gains().items()
            if isinstance(value, list)
        }  # fmt: skip

    def file(self, changes: Changes) -> str:
        """The machine file with the changes in its block ``simulation``: the saved experiment is the one that ran."""
        import yaml

        text = self.text or machine_text(self.experiment)
        document = yaml.safe_load(text)
        if document is None:
            raise InputError(text.removeprefix("# ").strip())
        block = _overridden(document.get("simulation") or {}, changes.settings)
        for key in ("q0", "v0", "p"):
            values = self.turned(changes) if key == "q0" else getattr(changes, key)
            if values:
                block[key] = {**(block.get(key) or {}), **values}
        changed = self.simulation(changes)
        before, after = (getattr(x.start, "branch", None) for x in (self.experiment, changed))
        if isinstance(after, Mapping) and after != before:  # the others follow
            block |= {"q0": values_by_name(changed)["q0"], "branch": dict(after)}
        elif after is None:
            block.pop("branch", None)
        if changes.gains or (self.control and "control" not in block):
            block["control"] = self.law(changes.gains)
        block.setdefault("duration", _DURATION)
        if block == document.get("simulation"):
            return text
        return with_block(text, block)

    def card(self) -> dict[str, Any]:
        """Everything the page has to know about the machine to offer it for changing."""
        machine, experiment = self.machine, self.experiment
        q0, v0, p = (values_by_name(experiment)[key] for key in ("q0", "v0", "p"))
        q0 = posture(experiment)
        neutral = dict(zip(machine.q_names, machine.q_neutral.tolist(), strict=True))
        units = machine_units(machine)
        coordinates: list[dict[str, Any]] = []
        velocities: list[dict[str, Any]] = []
        for node in machine.coordinate_nodes:
            joint, kind = node.joint, node.joint.info
            count = len(joint.q_names)
            fixed = () if kind.quaternion is None else range(kind.quaternion, kind.quaternion + 4)
            for k, name in enumerate(node.q_names):
                if k in fixed:
                    if k == kind.quaternion:
                        coordinates.extend(_angles(machine, joint, q0))
                    continue
                modal, angle = k >= count, k in kind.angles
                value = float(q0.get(name, neutral[name]))
                span = 0.2 if modal else math.pi if angle else max(2.0, 2.0 * abs(value))
                low, high = _range(joint, span) if count == 1 and not modal else (-span, span)
                unit = "" if modal else units[name]
                coordinates.append(_slider(name, value, min(low, value), max(high, value), unit, modal=modal))
            for k, name in enumerate(node.v_names):
                modal = k >= len(joint.v_names)
                value = float(v0.get(name, 0.0))
                span = max(3.0, abs(value))
                velocities.append(_slider(name, value, -span, span, "" if modal else units[name], modal=modal))
        brought = experiment.contact.integrator
        parameters: list[dict[str, Any]] = []
        gains: list[dict[str, Any]] = []
        for parameter in machine.parameters:
            value = float(p.get(parameter.name, parameter.value))
            span = 2.0 * abs(value) or 1.0
            low = 0.1 * value if value > 0 else value - span
            high = value + span
            row = _slider(parameter.name, value, low, high, "")
            (gains if parameter in machine.gains else parameters).append(row)
        return {
            "title": self.title,
            "about": self.about or str(machine),
            "name": machine.name,
            "summary": str(machine),
            "parameters": parameters,
            "q0": coordinates,
            "v0": velocities,
            "gains": self.gains(),
            "gain_labels": self.gain_labels(),
            "gain_parameters": gains,
            "law": (self.control or {}).get("law", ""),
            "settings": {
                "duration": experiment.duration or _DURATION,
                "method": experiment.integrator.name,
                "step": getattr(experiment.integrator, "step", RK4.step),
                "rtol": getattr(experiment.integrator, "rtol", DormandPrince.rtol),
            },
            "methods": [brought] if brought else list(METHODS),
            "adaptive": [name for name, method in METHODS.items() if method.adaptive],
            "text": self.text or machine_text(experiment),
            "elements": _elements(machine, p),
        }


def machine_text(experiment: Experiment) -> str:
    """The machine file of an experiment; of the machine alone where a part of the experiment is Python code.

    Where no file can hold the machine, such as a flexible body made from arrays, it is a comment with the reason.
    """
    for thing in (experiment, experiment.machine):
        try:
            return thing.to_yaml()
        except InputError as error:
            reason = error
    return f"# {reason}\n"


def _overridden(block: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the block of a file with changes; settings that another method does not have are left out."""
    method = changes.get("method")
    useless = set() if method is None else set(METHOD_SETTINGS) - set(METHODS[method].settings())
    return {name: value for name, value in block.items() if name not in useless} | dict(changes)


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _numbers(values: Mapping[str, Any]) -> dict[str, float]:
    """Gains by motor that are numbers."""
    return {motor: value for motor, value in values.items() if _number(value)}


def _elements(machine: Machine, p: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """A few facts of every body and joint, for the one that is selected."""
    values = {parameter.name: float(p.get(parameter.name, parameter.value)) for parameter in machine.parameters}
    carried = {joint.child: joint.name for joint in machine.joints}
    facts: dict[str, dict[str, Any]] = {}
    for body in machine.bodies:
        mass = {"mass [kg]": float(evaluate(body.mass, values))}
        facts[body.name] = {"element": type(body).__name__.lower(), **mass, "joint": carried.get(body.name, "")}
    for joint in machine.joints:
        facts.setdefault(joint.name, {"element": f"{joint.kind} joint", "between": f"{joint.parent} and {joint.child}"})
    for rope in machine.all_ropes:
        facts.setdefault(rope.name, {"element": "cable or rope"})
    return facts


def _range(joint: Joint, span: float) -> tuple[float, float]:
    """Range of a slider: the limits of the joint, and a span where it has none."""
    lower, upper = joint.limits.lower, joint.limits.upper
    if math.isfinite(lower) and math.isfinite(upper):
        return lower, upper
    low = lower if math.isfinite(lower) else min(-span, upper - 2.0 * span)
    high = upper if math.isfinite(upper) else max(span, lower + 2.0 * span)
    return low, high


def _slider(name: str, value: float, lower: float, upper: float, unit: str, *, modal: bool = False) -> dict[str, Any]:
    return {"name": name, "value": value, "lower": lower, "upper": upper, "unit": unit, "modal": modal}


def _turning(machine: Machine) -> Iterator[Joint]:
    """Joints whose coordinates have a quaternion."""
    return (joint for joint in machine.coordinate_joints if joint.info.quaternion is not None)


def _attitude(machine: Machine, joint: Joint, q0: Mapping[str, float]) -> tuple[tuple[str, ...], list[float]]:
    """Names of the quaternion of a joint, and its angles of roll, pitch and yaw at the start."""
    start = joint.info.quaternion or 0
    names = tuple(joint.q_names[start : start + 4])
    neutral = dict(zip(machine.q_names, machine.q_neutral.tolist(), strict=True))
    Q = np.array([float(q0.get(name, neutral[name])) for name in names])
    size = np.linalg.norm(Q)
    angles: list[float] = rpy_from_matrix(numpy(quaternion_matrix(Q / size))).tolist() if size > 0 else [0.0] * 3
    return names, angles


def _angles(machine: Machine, joint: Joint, q0: Mapping[str, float]) -> Iterator[dict[str, Any]]:
    """Sliders of roll, pitch and yaw, which stand for a quaternion."""
    for angle, value in zip(_ANGLES, _attitude(machine, joint, q0)[1], strict=True):
        span = 0.5 * math.pi if angle == "pitch" else math.pi
        yield _slider(f"{joint.name}.{angle}", value, -span, span, "rad")


def with_block(text: str, block: Mapping[str, Any]) -> str:
    """A machine file with another block ``simulation``; the rest stays as it was written, with its comments."""
    import yaml

    document = {**yaml.safe_load(text), "simulation": dict(block)}
    written = str(yaml.safe_dump({"simulation": dict(block)}, sort_keys=False, allow_unicode=True))
    kept = _with_text(text, written)
    if kept and yaml.safe_load(kept) == document:
        return kept
    return str(yaml.safe_dump(document, sort_keys=False, allow_unicode=True))


def _with_text(text: str, block: str) -> str:
    """A machine file with another block ``simulation``; empty where its text has no place for it."""
    match = re.search(r"^simulation:[^\n]*\n?(?:(?:[ \t#][^\n]*)?\n|[ \t#][^\n]+$)*", text, re.MULTILINE)
    if match:
        return text[: match.start()] + block + text[match.end() :]
    return "" if text.lstrip().startswith("{") else f"{text.rstrip()}\n\n{block}"
