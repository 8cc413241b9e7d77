"""Outputs of linear models beside states and reactions: signals of frames, declared signals and readings of sensors.

All are functions of coordinates, velocities, accelerations and parameters. A reading is what its sensor measures:
samples, noise, bias and rounding are no part of a linear model, and a sensor with a delay is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Expression
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.formulations.named import derived_quantity, text_expression
from dalembert.model.signals import signal_groups

__all__ = ["COMPONENTS", "all_outputs", "is_signal", "output_signal", "signal_names"]

COMPONENTS = ("x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz", "ax", "ay", "az")
"""Components of a frame: position of its origin, its velocity, rate of rotation, acceleration of the origin."""

_ATTITUDE = ("qw", "qx", "qy", "qz")


def all_outputs(eom: EquationsOfMotion, names: Sequence[str]) -> list[str]:
    """Names of outputs, each sensor replaced by its readings ``SENSOR.SIGNAL``."""
    readings = _readings(eom)
    sensors = {s.name: [r for r in readings if r.partition(".")[0] == s.name] for s in eom.machine.sensors}
    return [one for name in names for one in sensors.get(name, [name])]


def is_signal(eom: EquationsOfMotion, name: str) -> bool:
    """Whether a name such as ``"tool.x"``, ``"reach"`` or ``"gyro.base.wz"`` is known to `output_signal`."""
    frame, _, component = name.rpartition(".")
    signals = {c for s in eom.machine.signals for c in s.components}
    known = name in signals or name in _readings(eom) or _derived(eom, name) is not None
    return known or (component in COMPONENTS and frame in eom.machine.tree.frames)


def signal_names(eom: EquationsOfMotion) -> tuple[str, ...]:
    """Names of outputs for messages, those of a frame in one."""
    frames = (f"{f}.{'|'.join(COMPONENTS)}" for f in eom.machine.tree.frames)
    return (*frames, *(s.name for s in eom.machine.signals), *_readings(eom))


def output_signal(eom: EquationsOfMotion, name: str) -> Expression:
    """An output as an expression in the coordinates, velocities, accelerations, time and parameters of the equations.

    Parameters
    ----------
    eom
        The equations.
    name
        ``FRAME.x`` to ``FRAME.z`` (position), ``FRAME.vx`` to ``.vz`` (velocity), ``FRAME.wx`` to ``.wz`` (rate of
        rotation) and ``FRAME.ax`` to ``.az`` (acceleration), all in world axes; a declared signal; or the reading
        ``SENSOR.SIGNAL`` of a sensor.
    """
    readings = _readings(eom)
    if name in readings:
        _check_sensor(eom, name)
        return _quantity(eom, readings[name], f"sensor reading '{name}'")
    return _quantity(eom, name, f"output '{name}'")


def _quantity(eom: EquationsOfMotion, name: str, owner: str) -> Expression:
    """A coordinate, velocity, parameter, signal or component of a frame."""
    s = eom.symbolic
    for names, values in ((eom.q_names, s.q), (eom.v_names, s.v), (eom.p_names, s.p)):
        if name in names:
            return ca.SX(values[list(names).index(name)])
    if name == "t":
        return s.t
    head, _, component = name.rpartition(".")
    for signal in eom.machine.signals:
        if name == signal.name and isinstance(signal.expression, str):
            return text_expression(signal.expression, owner, lambda x: _quantity(eom, x, owner))
        if head == signal.name and signal.frame is not None:
            if component in _ATTITUDE:
                raise InputError(
                    f"{owner} of machine '{eom.machine.name}' is part of a quaternion, which a linear model does not "
                    f"have: name the rate, {head}.wx, .wy or .wz"
                )
            return _of_frame(eom, signal.frame, component)
    derived = _derived(eom, name)
    if derived is not None:
        return derived
    if component in COMPONENTS and head in eom.machine.tree.frames:
        return _of_frame(eom, head, component)
    raise UnknownNameError("quantity", name, (*eom.q_names, *eom.v_names, *signal_names(eom)), owner)


def _of_frame(eom: EquationsOfMotion, frame: str, component: str) -> Expression:
    s, axis = eom.symbolic, "xyz".index(component[-1])
    if len(component) == 1:
        return ca.SX(s.pose(frame)[axis, 3])
    twist = s.jacobian(frame, "world") @ s.v
    moved = ca.SX(twist[3 + axis if component[0] == "w" else axis])
    if component[0] != "a":
        return moved
    return ca.jtimes(moved, s.q, s.coordinate_rate) + ca.jtimes(moved, s.v, s.a)


def _derived(eom: EquationsOfMotion, name: str) -> Expression | None:
    """Names that every machine has, ``position.FRAME.x`` and ``velocity.FRAME.x``."""
    return None if name.startswith("parameter.") else derived_quantity(eom, name)


def _readings(eom: EquationsOfMotion) -> dict[str, str]:
    """Quantities behind the readings of sensors."""
    machine = eom.machine
    groups = signal_groups(machine, machine.signals) if machine.sensors else {}
    return {f"{s.name}.{one}": one for s in machine.sensors for name in s.of for one in groups[name]}


def _check_sensor(eom: EquationsOfMotion, name: str) -> None:
    """Refuse the reading of a sensor with a delay."""
    sensor = next(s for s in eom.machine.sensors if s.name == name.partition(".")[0])
    if sensor.delay > 0.0:
        raise InputError(
            f"output '{name}' of machine '{eom.machine.name}' is {sensor.delay:g} s late (delay of sensor "
            f"'{sensor.name}'), and a delay is no function of the state: name what it measures, "
            f"{', '.join(sensor.of)}, and cover the delay by neglected_delay"
        )
