"""Gains, limits, distance and time step of a capture, from the machine of the chaser."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.model.machine import Machine
from dalembert.plan.clearance import arm_shape
from dalembert.plan.robot_capture import RobotLimits
from dalembert.systems.space_robots.debris_twin import DebrisTwin
from dalembert.systems.space_robots.feedback import CaptureGains, torque_allocation
from dalembert.systems.space_robots.start import CaptureStart
from dalembert.systems.space_robots.twins import ChaserTwins, light_inertia

__all__ = ["derived_gains", "derived_limits", "stack_limits", "stand_off", "time_step"]

_SLOWER = (4.0, 13.0)  # parts of the lowest flexible frequency at which the loops of joints and base stay
_SAMPLED = 0.5  # largest product of damping and period over the inertia of a joint: a sampled law is unstable at 2
_ABLE = 0.72  # part of its reach at which an arm is most able
_TURNED = 0.75  # part of the radius of the target point by which the debris stands farther away
_SINGULAR = 0.032  # least singular value as a part of the reach
_SMOOTH = 0.5  # largest product of time step and frequency
_SHORTEST = 2e-5  # [s]


def frequencies(eom: EquationsOfMotion, held: frozenset[str] | None) -> Array:
    """Angular frequencies of what bends, ascending [rad/s]: with some joints held, or None with nothing held."""
    q, zero = eom.q_neutral, np.zeros(eom.nv)
    driven = {m.joint for m in eom.machine.motors} | {b.name for b in eom.layout.blocks if b.kind == "free"}
    passive = [(n, eom.v_names.index(n)) for b in eom.layout.blocks if b.name not in driven for n in eom.v_names[b.v]]
    if not passive:
        return np.zeros(0)
    at, small, K = [k for _, k in passive], 1e-6, np.zeros((len(passive), len(passive)))
    for k, (name, _) in enumerate(passive):
        row = eom.q_names.index(name.removesuffix("_dot"))
        high, low = q.copy(), q.copy()
        high[row], low[row] = q[row] + small, q[row] - small
        K[:, k] = (eom.inverse_dynamics(high, zero, zero) - eom.inverse_dynamics(low, zero, zero))[at] / (2 * small)
    M = eom.mass_matrix(q)
    inverse = np.linalg.inv(M)[np.ix_(at, at)] if held is None else np.linalg.inv(M[np.ix_(at, at)])
    return np.sort(np.sqrt(np.maximum(np.linalg.eigvals(inverse @ K).real, 0.0)))


@lru_cache(maxsize=32)
def _bending(machine: Machine, loose: bool) -> tuple[float, ...]:
    return tuple(frequencies(derive(machine), None if loose else frozenset()).tolist())


def derived_gains(twins: ChaserTwins, start: CaptureStart) -> CaptureGains:
    """Settings of the loops: the usual frequencies, slower where something soft bends or a joint is light.

    The loops stay below the lowest frequency that bends with joints and base held, by the factors 4 and 13. A sampled
    law damps a joint only while ``Kd Ts < 2 J`` with the inertia ``J`` that the joint has at high frequencies, what
    bends beyond it being free; the product is kept at a quarter of that.
    """
    usual = CaptureGains()
    soft = [w for w in _bending(twins.machine, False) if w > 1e-6]
    lowest = min(soft, default=np.inf)
    arm, base = min(usual.arm, lowest / _SLOWER[0]), min(usual.base, lowest / _SLOWER[1])
    robot = twins.rigid
    posture = start.posture(twins.joints, f"machine '{twins.machine.name}'")
    D = np.diag(robot.eom.mass_matrix(robot.configuration(posture, np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))))
    most = _SAMPLED * light_inertia(twins, posture) / (2.0 * usual.arm_damping * D[robot.rows[1]] * usual.period)
    return replace(usual, arm=float(min(arm, most.min())), base=float(base))


def _reach(twins: ChaserTwins) -> tuple[Array, float]:
    """Place of the first joint of the arm in axes of the base, and the length of the arm."""
    robot = twins.rigid
    shape = arm_shape(robot)
    neutral = np.zeros(len(robot.names))
    points = robot.points(shape.frames)(neutral)
    return np.asarray(points[0] - robot.place(neutral)), float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def derived_limits(twins: ChaserTwins) -> RobotLimits:
    """Limits of a plan: torques that motors, wheels and thrusters can give, and the distance from singular postures."""
    base, joints = twins.torque_limits
    usual = RobotLimits()
    return replace(
        usual, base_torque=base, joint_torque=joints, singularity=min(usual.singularity, _SINGULAR * _reach(twins)[1])
    )


def stack_limits(eom: EquationsOfMotion, twins: ChaserTwins, limits: RobotLimits) -> RobotLimits:
    """Limits after the grip, when thrusters turn the base in place of wheels."""
    if not twins.wheels:
        return limits
    capacity = torque_allocation(eom, twins.base, False).capacity[3:]
    return replace(limits, base_torque=tuple(float(x) for x in capacity))


def stand_off(twins: ChaserTwins, debris: DebrisTwin) -> float:
    """Distance of the centre of the debris from the base at which the arm can do most [m]."""
    first, reach = _reach(twins)
    return float(first @ twins.outward) + _ABLE * reach + _TURNED * float(np.linalg.norm(debris.point))


def time_step(twins: ChaserTwins, debris: DebrisTwin, gains: CaptureGains) -> float:
    """Step of the integration: a millisecond or a part of the law's period, short against all that bends [s]."""
    fastest = max((*_bending(twins.machine, True), *_bending(debris.machine, True)), default=0.0)
    longest = min(1e-3, _SMOOTH / fastest if fastest > 0.0 else np.inf)
    if longest < _SHORTEST:
        raise InputError(
            f"something of machine '{twins.machine.name}' or '{debris.machine.name}' bends at {fastest:.3g} rad/s: make "
            f"it rigid, or use fewer modes (at most {_SMOOTH / _SHORTEST:.3g} rad/s can be simulated here)"
        )
    return gains.period / int(np.ceil(gains.period / longest - 1e-9))
