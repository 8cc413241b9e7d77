"""Forces of motors and thrusters as functions of their inputs."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

import casadi as ca

from dalembert.core.parameter import Scalar
from dalembert.core.types import Expression
from dalembert.model.machine import Machine
from dalembert.model.parts import SPEED_RAMP, Actuator, Motor

__all__ = ["actuator_efforts", "gear_excess", "gear_friction"]

_LARGEST = 1e300  # effort that still counts as a number


def actuator_efforts(
    machine: Machine,
    u: Expression,
    value: Callable[[Scalar], Expression | float],
    rate: Callable[[str], Expression],
) -> list[Expression]:
    """Efforts of all motors and thrusters for the inputs ``u``, cut at their limits.

    The effort limit of a joint holds for the sum of its motors: where several drive a joint, the efforts of all are
    reduced by one factor, so that ``|sum n u| <= effort``.

    Parameters
    ----------
    machine, u
        The machine and its inputs.
    value
        Returns a scalar of the machine as a number or an expression.
    rate
        Returns the rate of a joint.
    """
    efforts = [_saturated(actuator, u[k]) for k, actuator in enumerate(machine.actuators)]
    for k, motor in enumerate(machine.motors):
        if isfinite(motor.speed):
            efforts[k] = _driving(motor, efforts[k], value(motor.ratio) * rate(motor.joint))
    shared: dict[str, list[int]] = {}
    for k, motor in enumerate(machine.motors):
        shared.setdefault(motor.joint, []).append(k)
    limits = {joint.name: joint.limits.effort for joint in machine.joints}
    for joint, motors in shared.items():
        limit = limits.get(joint, float("inf"))
        if len(motors) == 1 or not isfinite(limit):
            continue
        total = sum((value(machine.motors[k].ratio) * efforts[k] for k in motors), ca.SX(0))
        for k in motors:
            efforts[k] = efforts[k] * (limit / ca.fmax(ca.fabs(total), limit))
    return efforts


def gear_friction(
    machine: Machine, joint: str, efforts: list[Expression], value: Callable[[Scalar], Expression | float]
) -> Expression:
    """Friction on a joint of the gears of its motors, half the width of the band ``eta n u .. n u / eta_b``."""
    parts = ((motor, efforts[k]) for k, motor in enumerate(machine.motors) if motor.joint == joint and motor.lossy)
    return sum(
        (ca.SX(value(motor.gear[1])) * ca.fabs(value(motor.ratio) * effort) for motor, effort in parts), ca.SX(0)
    )


def gear_excess(motor: Motor, effort: Expression, value: Callable[[Scalar], Expression | float]) -> Expression:
    """Force of a motor on its joint in the middle of that band, beyond ``n u``."""
    return (ca.SX(value(motor.gear[0])) - 1.0) * value(motor.ratio) * effort


def _driving(motor: Motor, effort: Expression, speed: Expression) -> Expression:
    """Effort of a motor that does not drive beyond its largest speed, but brakes."""
    room = (1.0 - ca.fabs(speed) / motor.speed) / SPEED_RAMP
    return ca.if_else(effort * speed > 0, effort * ca.fmax(ca.fmin(room, 1.0), 0.0), effort)


def _saturated(actuator: Actuator, effort: Expression) -> Expression:
    """Effort of an actuator for a commanded one: cut at its limits where it has any."""
    lower, upper = actuator.range
    cut = effort
    if isfinite(upper):
        cut = ca.fmin(cut, upper)
    if isfinite(lower):
        cut = ca.fmax(cut, lower)
    if cut is effort:
        return effort
    # minimum and maximum take "not a number" for the limit: a value that is not finite must not look like full effort
    return ca.if_else(ca.fabs(effort) <= _LARGEST, cut, effort)
