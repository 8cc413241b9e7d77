"""A machine as the studio holds it: what it is, how it is simulated, what of it can be changed, and its file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dalembert.core.errors import FileFormatError, InputError, UnknownNameError
from dalembert.io.control_blocks import make_law
from dalembert.io.machine_files import load_simulation
from dalembert.io.robot_files import ROBOT_ENDINGS, load_robot
from dalembert.model.body import Body
from dalembert.model.geometry import Mesh
from dalembert.model.machine import Machine
from dalembert.simulation.contact.methods import contact_method
from dalembert.simulation.engines.integrators import INTEGRATORS
from dalembert.simulation.run import Run
from dalembert.simulation.settings import overridden
from dalembert.systems.catalogue import SYSTEMS

__all__ = ["Changes", "Opened", "open_object", "open_path", "open_run", "open_system", "open_text", "refuse_meshes"]

_ROWS = 5000  # rows of a run with fixed steps, which would otherwise record every one
_MANY = 10**9
_NUMBERS = ("duration", "step", "rtol", "atol", "record")


@dataclass(frozen=True)
class Changes:
    """What somebody has set on the page, by name: parameters, initial coordinates and velocities, gains, settings."""

    p: Mapping[str, float] = field(default_factory=dict)
    q0: Mapping[str, float] = field(default_factory=dict)
    v0: Mapping[str, float] = field(default_factory=dict)
    gains: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def read(data: Any) -> Changes:
        """Check what came from a page."""
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
                if value not in INTEGRATORS:
                    raise UnknownNameError("method", str(value), INTEGRATORS)
            elif name in _NUMBERS:
                settings[name] = _finite(value, name)
            else:
                raise UnknownNameError("setting", name, (*_NUMBERS, "method"))
        return Changes(**checked, settings=settings)


def _finite(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"{what} must be a finite number, got {value!r}")
    return float(value)


@dataclass(frozen=True, eq=False)
class Opened:
    """A machine that is open.

    Parameters
    ----------
    title
        What was opened.
    machine
        The machine.
    settings
        How it is simulated, as arguments of `dalembert.simulate`.
    text
        Its machine file, or empty where it has none.
    control
        The block ``control`` of its file, or None.
    run
        A run that was opened with it.
    about
        What it is, in a line.
    """

    title: str
    machine: Machine
    settings: dict[str, Any]
    text: str = ""
    control: dict[str, Any] | None = None
    run: Run | None = None
    about: str = ""

    def simulation(self, changes: Changes) -> dict[str, Any]:
        """Arguments of `dalembert.simulate`, with what was changed."""
        settings = overridden(self.settings, dict(changes.settings))
        for key in ("q0", "v0", "p"):
            given = getattr(changes, key)
            if given:
                settings[key] = {**settings.get(key, {}), **given}
        if changes.gains:
            known = {parameter.name: parameter for parameter in self.machine.parameters}
            settings["control"] = make_law(self.law(changes.gains), known)
        settings.setdefault("duration", 10.0)
        settings.setdefault("max_steps", _MANY)  # whoever waits too long cancels
        if "record" not in settings and not INTEGRATORS[settings.get("method") or "rk4"].adaptive:
            step = settings.get("step") or 1e-3
            settings["record"] = step * max(1, math.ceil(settings["duration"] / step / _ROWS))
        return settings

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

        Gains that are parameters of the machine have sliders of their own.
        """
        found: dict[str, Any] = {}
        for name, value in (self.control or {}).items():
            if name in ("law", "reference"):
                continue
            if isinstance(value, dict) and _numbers(value):
                found[name] = list(_numbers(value).values())
            elif _number(value) or (isinstance(value, list) and value and all(map(_number, value))):
                found[name] = value
        return found

    def gain_labels(self) -> dict[str, list[str]]:
        """Which motor each number of a list of gains belongs to."""
        return {
            name: list(_numbers(self.control[name])) if self.control and isinstance(self.control[name], dict)
            else list(self.machine.u_names)
            for name, value in self.gains().items()
            if isinstance(value, list)
        }  # fmt: skip

    def file(self, changes: Changes) -> str:
        """The machine file with what was changed in its block ``simulation``: what ran is what is saved."""
        import yaml

        document = yaml.safe_load(self.text) if self.text else yaml.safe_load(self.machine.to_yaml())
        own = {} if self.text else {key: value for key, value in self.settings.items() if key != "control"}
        block = {**own, **(document.get("simulation") or {})}
        block = overridden(block, dict(changes.settings))
        for key in ("q0", "v0", "p"):
            given = getattr(changes, key)
            if given:
                block[key] = {**(block.get(key) or {}), **given}
        if changes.gains or (self.control and "control" not in block):
            block["control"] = self.law(changes.gains)
        block.setdefault("duration", 10.0)
        return str(yaml.safe_dump({**document, "simulation": block}, sort_keys=False, allow_unicode=True))

    def card(self) -> dict[str, Any]:
        """Everything the page has to know about the machine to offer it for changing."""
        machine, settings = self.machine, self.settings
        q0, v0, p = (dict(settings.get(key) or {}) for key in ("q0", "v0", "p"))
        neutral = dict(zip(machine.q_names, machine.q_neutral.tolist(), strict=True))
        coordinates, velocities = [], []
        for node in machine.coordinate_nodes:
            joint, kind = node.joint, node.joint.info
            count = len(joint.q_names)
            fixed = () if kind.quaternion is None else range(kind.quaternion, kind.quaternion + 4)
            for k, name in enumerate(node.q_names):
                if k in fixed:
                    continue
                modal, angle = k >= count, k in kind.angles
                span = 0.2 if modal else math.pi if angle else 2.0
                low, high = -span, span
                if count == 1 and not modal:
                    low, high = max(low, joint.limits.lower), min(high, joint.limits.upper)
                value = float(q0.get(name, neutral[name]))
                unit = "" if modal else "rad" if angle else "m"
                coordinates.append(_slider(name, value, min(low, value), max(high, value), unit, modal=modal))
            for k, name in enumerate(node.v_names):
                modal = k >= len(joint.v_names)
                value = float(v0.get(name, 0.0))
                span = max(3.0, abs(value))
                velocities.append(_slider(name, value, -span, span, "", modal=modal))
        brought = contact_method(settings["contact"]).integrator if settings.get("contact") else ""
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
                "duration": settings.get("duration", 10.0),
                "method": settings.get("method") or brought or "rk4",
                "step": settings.get("step") or 1e-3,
            },
            "methods": [brought] if brought else list(INTEGRATORS),
            "text": self.text or machine.to_yaml(),
        }


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _numbers(values: Mapping[str, Any]) -> dict[str, float]:
    """Gains by motor that are numbers."""
    return {motor: value for motor, value in values.items() if _number(value)}


def _slider(name: str, value: float, lower: float, upper: float, unit: str, *, modal: bool = False) -> dict[str, Any]:
    return {"name": name, "value": value, "lower": lower, "upper": upper, "unit": unit, "modal": modal}


def open_system(name: str) -> Opened:
    """Open a ready-made machine."""
    if name not in SYSTEMS:
        raise UnknownNameError("ready-made machine", name, SYSTEMS)
    system = SYSTEMS[name]
    text = system.to_yaml()
    return Opened(name, system.make(), system.settings(), text, _control(text), about=system.description)


def open_text(text: str, title: str = "machine file") -> Opened:
    """Open the text of a machine file that came from a page: it has no folder, hence no meshes."""
    if not isinstance(text, str) or not text.strip():
        raise FileFormatError(f"{title}: is empty, expected a machine file")
    machine, settings = load_simulation(text + "\n")  # with a line's end it is a text, never a path
    refuse_meshes(machine, title)
    return Opened(title, machine, settings, text, _control(text))


def refuse_meshes(machine: Machine, title: str) -> None:
    """Refuse a machine from a page that names files of this computer."""
    for body in machine.bodies:
        meshes = [g.solid for g in body.geometry if isinstance(g.solid, Mesh)] if isinstance(body, Body) else []
        if meshes:
            raise FileFormatError(
                f"{title}: body '{body.name}' has the mesh '{meshes[0].file}'; a page may not read files: open the "
                "machine with: dalembert studio FILE"
            )


def open_run(run: Run, title: str) -> Opened:
    """Open a run, and its machine with the same start and parameters."""
    machine = run.machine
    if not isinstance(machine, Machine):
        raise InputError(f"{title}: this run does not know its machine")
    starts = {
        "q0": {name: float(run[name][0]) for name in machine.q_names if name in run},
        "v0": {name: float(run[name][0]) for name in machine.v_names if name in run},
        "p": dict(run.metadata.get("parameters") or {}),
    }
    settings: dict[str, Any] = {key: value for key, value in starts.items() if value}
    given = dict(run.metadata.get("settings") or {})
    settings |= {key: given[key] for key in ("duration", "method", "step", "rtol", "record") if given.get(key)}
    block, note = run.metadata.get("control"), ""
    if isinstance(block, dict):
        settings["control"] = make_law(block, {parameter.name: parameter for parameter in machine.parameters})
    elif block:
        note = f"; its law in Python ({block}) is not part of it"
    law = block if isinstance(block, dict) else None
    return Opened(title, machine, settings, control=law, run=run, about=f"run file: {run.status}{note}")


def open_object(given: Any) -> Opened:
    """Open a machine or a run of this process."""
    if isinstance(given, Run):
        return open_run(given, "run")
    if isinstance(given, Machine):
        return Opened(given.name, given, {})
    raise InputError(f"a studio opens a Machine or a Run, got {type(given).__name__}")


def open_path(path: Path) -> Opened:
    """Open what somebody named on the command line: a machine file, a URDF, an MJCF or a run file."""
    suffix = path.suffix.lower()
    if suffix == ".nc":
        return open_run(Run.load(path), path.name)
    if suffix in ROBOT_ENDINGS:
        return Opened(path.name, *load_robot(path))
    if suffix not in (".yaml", ".yml"):
        raise FileFormatError(
            f"{path}: expected a machine file (.yaml, .yml), a .urdf, an MJCF (.xml) or a run file (.nc)"
        )
    machine, settings = load_simulation(path)
    text = path.read_text(encoding="utf-8")
    return Opened(path.name, machine, settings, text, _control(text))


def _control(text: str) -> dict[str, Any] | None:
    """The block ``control`` of a machine file that is known to be one."""
    import yaml

    simulation = yaml.safe_load(text).get("simulation") or {}
    found = simulation.get("control")
    return dict(found) if isinstance(found, dict) else None
