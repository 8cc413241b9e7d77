"""Writing a machine as a YAML text that reads back to a bitwise identical machine."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.files import write_file
from dalembert.core.parameter import Scalar, nominal, to_text
from dalembert.io.beam_entries import beam_to_data
from dalembert.io.contact_entries import collider_to_data, contact_to_data
from dalembert.io.field_entries import field_to_data
from dalembert.io.flexible_entries import flexible_to_data
from dalembert.io.geometry_entries import geometry_to_data
from dalembert.io.kind_entries import constraint_to_data, fields_to_data
from dalembert.io.rod_entries import rod_to_data
from dalembert.io.rope_entries import rope_to_data
from dalembert.io.yaml_nodes import plain_value
from dalembert.model.beam import Beam
from dalembert.model.body import Body
from dalembert.model.elastic.contract import Elastic
from dalembert.model.elastic.finite_elements import FlexibleBody
from dalembert.model.elastic.rod import Rod
from dalembert.model.friction import Friction
from dalembert.model.joint import Joint, Limits
from dalembert.model.machine import STANDARD_GRAVITY, Machine
from dalembert.model.parts import Motor, Thruster, Wrench
from dalembert.model.signals import Sensor, Signal
from dalembert.model.transform import IDENTITY, Transform
from dalembert.spatial.rotations import rpy_from_matrix

__all__ = ["data_to_yaml", "machine_to_data", "machine_to_yaml", "sensor_to_data", "signal_to_data"]


def machine_to_yaml(machine: Machine, path: str | Path | None = None) -> str:
    """Return the machine file of a machine, and write it to ``path`` if one is given.

    Numbers are written with all their digits, expressions as text, and default values are left out.

    Parameters
    ----------
    machine
        The machine.
    path
        File to write.

    Examples
    --------
    >>> from dalembert.systems.textbook import double_pendulum
    >>> print(machine_to_yaml(double_pendulum()).splitlines()[0])
    name: double-pendulum
    """
    return data_to_yaml(machine_to_data(machine), path)


def data_to_yaml(data: dict[str, Any], path: str | Path | None = None) -> str:
    """Return the YAML text of data that reads back to the same data, and write it to ``path`` if one is given."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Dumper that writes no aliases, and quotes texts that the reader would not take for text."""

        def ignore_aliases(self, data: object) -> bool:
            return True

    def text_node(dumper: Dumper, text: str) -> yaml.ScalarNode:
        # Only double quotes keep every line break and control character.
        style = '"' if not text.isprintable() else "'" if plain_value(text) != text else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    Dumper.add_representer(str, text_node)
    text = yaml.dump(
        data,
        Dumper=Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,
        width=110,
    )
    if path is not None:
        write_file(path, text)
    return str(text)


def machine_to_data(machine: Machine) -> dict[str, Any]:
    """Return the data of the machine file of a machine."""
    data: dict[str, Any] = {"name": machine.name}
    if not _same(machine.gravity, STANDARD_GRAVITY):
        data["gravity"] = _numbers(machine.gravity)
    if machine.parameters:
        data["parameters"] = {p.name: p.value for p in machine.parameters}
    if machine.gains:
        data["gains"] = [gain.name for gain in machine.gains]
    data["bodies"] = {b.name: _body(b) for b in machine.bodies}
    data["joints"] = {j.name: _joint(j) for j in machine.joints}
    data["frames"] = {f.name: {"body": f.body} | _origin(f.origin) for f in machine.frames}
    data["motors"] = {m.name: _motor(m) for m in machine.motors}
    data["thrusters"] = {
        x.name: (_wrench(x, "frame") if x.toward is None else {"frame": x.frame, "toward": _numbers(x.toward)})
        | _given("effort", x.effort, float("inf"))
        | ({"one_sided": True} if x.one_sided else {})
        for x in machine.thrusters
    }
    data["wrenches"] = {w.name: _wrench(w, "world") for w in machine.wrenches}
    data["couplings"] = {
        c.joint: {"leader": c.leader} | _given("ratio", c.ratio, 1.0) | _given("offset", c.offset, 0.0)
        for c in machine.couplings
    }
    data["constraints"] = {c.name: constraint_to_data(c, _given, _origin) for c in machine.constraints}
    data["cables"] = {c.name: fields_to_data(c, _given, _origin) for c in machine.cables}
    data["ropes"] = {r.name: rope_to_data(r, _given) for r in machine.ropes}
    data["fields"] = {f.name: field_to_data(f, _given, _origin) for f in machine.fields}
    data["contacts"] = {c.name: contact_to_data(c, _given, _origin) for c in machine.contacts}
    data["colliders"] = {c.name: collider_to_data(c, _given, _origin) for c in machine.colliders}
    data["signals"] = {x.name: signal_to_data(x) for x in machine.signals}
    data["sensors"] = {x.name: sensor_to_data(x) for x in machine.sensors}
    return {key: value for key, value in data.items() if value != {} or key in ("bodies", "joints")}


def _same(a: object, b: object) -> bool:
    """Whether two values are bitwise identical: the sign of a zero counts."""
    return repr(a) == repr(b)


def _number(x: Scalar) -> float | str:
    return x if isinstance(x, float) else to_text(x)


def _numbers(values: tuple[Scalar, ...]) -> list[float | str]:
    return [_number(x) for x in values]


def _given(key: str, value: Any, default: object) -> dict[str, Any]:
    """Entry of a field that differs from its default."""
    if _same(value, default):
        return {}
    return {key: _numbers(value) if isinstance(value, tuple) else _number(value)}


def _body(body: Body | Elastic) -> dict[str, Any]:
    if isinstance(body, Beam):
        return beam_to_data(body, _number)
    if isinstance(body, Rod):
        return rod_to_data(body, _number)
    if isinstance(body, FlexibleBody):
        return flexible_to_data(body, _number)
    if isinstance(body, Elastic):
        raise InputError(f"{body.kind} '{body.name}' cannot be stored in machine files")
    data = _given("mass", body.mass, 0.0) | _given("com", body.com, (0.0, 0.0, 0.0))
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia
    off = (xy, xz, yz)
    if not _same(off, (0.0, 0.0, 0.0)):
        data |= {"inertia": _numbers((xx, yy, zz, *off))}
    else:
        data |= _given("inertia", (xx, yy, zz), (0.0, 0.0, 0.0))
    return data | ({"geometry": [geometry_to_data(g, _given, _origin) for g in body.geometry]} if body.geometry else {})


def _joint(joint: Joint) -> dict[str, Any]:
    data: dict[str, Any] = {"kind": joint.kind, "parent": joint.parent, "child": joint.child}
    data |= _origin(joint.origin) | _given("axis", joint.axis, (0.0, 0.0, 1.0))
    data |= _given("second_axis", joint.second_axis, None) | _given("pitch", joint.pitch, None)
    limits: dict[str, Any] = {}
    for key in ("lower", "upper", "velocity", "effort", "restitution"):
        limits |= _given(key, getattr(joint.limits, key), getattr(Limits(), key))
    if joint.limits.stop:
        limits["stop"] = True
    if limits:
        data["limits"] = limits
    defaults = dict.fromkeys(("stiffness", "rest", "damping", "friction", "armature"), 0.0)
    defaults["friction_velocity"] = 1e-3
    for key, default in defaults.items():
        value = getattr(joint, key)
        data |= {key: _friction(value)} if isinstance(value, Friction) else _given(key, value, default)
    if joint.friction_law != "smooth":
        data["friction_law"] = joint.friction_law
    return data


def _friction(friction: Friction) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for field in fields(friction):
        value = getattr(friction, field.name)
        data |= {"law": value} if field.name == "law" else _given(field.name, value, field.default)
    return data


def _motor(motor: Motor) -> dict[str, Any]:
    data: dict[str, Any] = {} if motor.joint == motor.name else {"joint": motor.joint}
    defaults = {"ratio": 1.0, "rotor_inertia": 0.0, "damping": 0.0, "effort": float("inf"), "speed": float("inf")}
    for key, default in defaults.items():
        data |= _given(key, getattr(motor, key), default)
    data |= _given("efficiency", motor.efficiency, 1.0) | _given("back_efficiency", motor.back_efficiency, None)
    return data if motor.friction is None else data | {"friction": _friction(motor.friction)}


def signal_to_data(signal: Signal) -> dict[str, Any]:
    """Return the entry of a signal; one that is a function has none."""
    if signal.frame is not None:
        return {"frame": signal.frame}
    if not isinstance(signal.expression, str):
        raise InputError(
            f"signal '{signal.name}' is a Python function, which machine files cannot store; write it as a string"
        )
    return {"expression": signal.expression}


def sensor_to_data(sensor: Sensor) -> dict[str, Any]:
    """Return the entry of a sensor."""
    data: dict[str, Any] = {"of": list(sensor.of), "period": sensor.period}
    for key in ("noise", "bias", "quantum", "delay"):
        data |= _given(key, getattr(sensor, key), 0.0)
    return data if sensor.feedback else data | {"feedback": False}


def _wrench(load: Wrench | Thruster, axes: str) -> dict[str, Any]:
    """Entries of a frame and a wrench at it; its axes where they are not the usual ones."""
    data: dict[str, Any] = {"frame": load.frame}
    for key in ("force", "torque"):
        data |= _given(key, getattr(load, key), (0.0, 0.0, 0.0))
    return data | ({"axes": load.axes} if load.axes != axes else {})


def _origin(pose: Transform) -> dict[str, Any]:
    """Entry of a placement: angles where they give back a bitwise identical matrix, the matrix otherwise."""
    data = _given("xyz", pose.translation, (0.0, 0.0, 0.0))
    if not _same(pose.rotation, IDENTITY.rotation):
        angles = _angles(pose)
        data |= {"rpy": list(angles)} if angles else {"matrix": [_numbers(row) for row in pose.rotation]}
    return {"origin": data} if data else {}


def _angles(pose: Transform) -> tuple[float, ...] | None:
    if not all(isinstance(x, float) for row in pose.rotation for x in row):
        return None
    angles = rpy_from_matrix(np.array([[nominal(x) for x in row] for row in pose.rotation]))
    x, y, z = (float(a) + 0.0 for a in angles)
    return (x, y, z) if _same(Transform.rpy(x, y, z).rotation, pose.rotation) else None
