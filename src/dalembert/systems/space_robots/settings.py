"""Gains, limits, distance and time step of a capture, from the machine of the chaser."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from dalembert.analysis.linear_at_rest import linear_matrices
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.model.machine import Machine
from dalembert.plan.clearance import arm_shape
from dalembert.plan.robot_limits import RobotLimits
from dalembert.systems.space_robots.debris_twin import DebrisTwin
from dalembert.systems.space_robots.feedback import CaptureFeedback, CaptureGains, torque_allocation
from dalembert.systems.space_robots.start import CaptureStart
from dalembert.systems.space_robots.twins import ChaserTwins

__all__ = [
    "GROWTH",
    "derived_gains",
    "derived_limits",
    "growth",
    "stack_gains",
    "stack_limits",
    "stand_off",
    "time_step",
]

_SLOWER = (4.0, 13.0)  # parts of the lowest flexible frequency at which the loops of joints and base stay
_LARGER = (1.0, 1.5)  # gains, as parts of those of the law, at which it must be stable
GROWTH = 1e-3  # fastest growth that is taken for none: motions of a free base grow with time [1/s]
_FASTEST, _TRIES = 2.5e-4, 8  # shortest period of a law [s], and how often its joints are made slower
_ABLE = 0.72  # part of its reach at which an arm is most able
_TURNED = 0.75  # part of the radius of the target point by which the debris stands farther away
_SINGULAR = 0.032  # least singular value as a part of the reach
_SMOOTH = 1.2  # largest product of time step and frequency: in an approach the tip then differs by 6e-11 m
_CALM = (2e-3, 2.25)  # longest step [s] and that product where the arms rest; RK4 is stable up to 2.83
_SHORTEST = 2e-5  # [s]


def growth(eom: EquationsOfMotion, q: Array, p: Array, law: CaptureFeedback, period: float) -> float:
    """Fastest growth [1/s] of small motions about a posture under a sampled law, its gains as they are and larger.

    The machine is linearised and integrated exactly over the period, in which the torques are held.
    """
    from scipy.linalg import expm

    M, C, K = linear_matrices(eom, q, p)
    n, inverse = eom.nv, np.linalg.inv(M)
    base = next(b for b in eom.layout.blocks if b.name == law.base).v
    rows = [eom.v_names.index(f"{name}_dot") for name in law.joints] + list(range(base.start + 3, base.stop))
    A = np.zeros((2 * n + len(rows), 2 * n + len(rows)))
    A[:n, n : 2 * n] = np.eye(n)
    A[n : 2 * n, :n], A[n : 2 * n, n : 2 * n], A[n : 2 * n, 2 * n :] = -inverse @ K, -inverse @ C, inverse[:, rows]
    E = expm(A * period)
    worst = -np.inf
    for more in _LARGER:
        F = np.zeros((len(rows), 2 * n))
        F[:, rows] = -more * _gain_matrix(law.kp, law.base_kp)
        F[:, n + np.array(rows)] = -more * _gain_matrix(law.kd, law.base_kd)
        poles = np.linalg.eigvals(E[: 2 * n, : 2 * n] + E[: 2 * n, 2 * n :] @ F)
        worst = max(worst, float(np.log(np.abs(poles).max()) / period))
    return worst


def _gain_matrix(joints: tuple[float, ...] | tuple[tuple[float, ...], ...], base: tuple[float, ...]) -> Array:
    """Gains of joints, one each or as a matrix, and of the base."""
    K, n = np.array(joints), len(joints)
    whole = np.zeros((n + 3, n + 3))
    whole[:n, :n], whole[n:, n:] = K if K.ndim == 2 else np.diag(K), np.diag(base)
    return whole


def stable_period(eom: EquationsOfMotion, q: Array, p: Array, law: CaptureFeedback, longest: float) -> float | None:
    """Longest period, of the longest one and its halves, at which a sampled law is stable; None: there is none."""
    period = longest
    while period >= _FASTEST:
        if growth(eom, q, p, law, period) < GROWTH:
            return period
        period /= 2.0
    return None


def frequencies(eom: EquationsOfMotion, loose: bool) -> Array:
    """Angular frequencies of what bends, ascending [rad/s]: everything else held, or ``loose``."""
    driven = {m.joint for m in eom.machine.motors} | {b.name for b in eom.layout.blocks if b.kind == "free"}
    at = [k for b in eom.layout.blocks if b.name not in driven for k in range(b.v.start, b.v.stop)]
    if not at:
        return np.zeros(0)
    M, _, K = linear_matrices(eom, eom.q_neutral, eom.parameter_values())
    inverse = np.linalg.inv(M)[np.ix_(at, at)] if loose else np.linalg.inv(M[np.ix_(at, at)])
    return np.sort(np.sqrt(np.maximum(np.linalg.eigvals(inverse @ K[np.ix_(at, at)]).real, 0.0)))


@lru_cache(maxsize=32)
def _bending(machine: Machine, loose: bool) -> tuple[float, ...]:
    return tuple(frequencies(derive(machine), loose).tolist())


def derived_gains(twins: ChaserTwins, start: CaptureStart) -> CaptureGains:
    """Settings of the loops: the usual frequencies and period, slower where something soft bends, faster where needed.

    The loops stay below the lowest frequency that bends with joints and base held, by the factors 4 and 13. The period
    is halved until the sampled law is stable on the linearised flexible machine, also with gains half as large again;
    if no period helps, the joints become slower.
    """
    posture = start.posture(twins.joints, f"machine '{twins.machine.name}'")
    return _derived_gains(twins, tuple(posture.tolist()))


@lru_cache(maxsize=64)
def _derived_gains(twins: ChaserTwins, posture: tuple[float, ...]) -> CaptureGains:
    usual, eom = CaptureGains(), derive(twins.machine)
    lowest = min((w for w in _bending(twins.machine, False) if w > 1e-6), default=np.inf)
    arm, base = min(usual.arm, lowest / _SLOWER[0]), min(usual.base, lowest / _SLOWER[1])
    q = eom.q_neutral.copy()
    q[[eom.q_names.index(n) for n in twins.joints]] = posture
    for _ in range(_TRIES):
        gains = replace(usual, arm=float(arm), base=float(base))
        law = CaptureFeedback.tuned(twins.rigid, gains, np.array(posture))
        period = stable_period(eom, q, eom.parameter_values(), law, usual.period)
        if period is not None:
            return replace(gains, period=period, every=round(usual.every * usual.period / period))
        arm *= 0.7
    raise InputError(
        f"no sampled law keeps the joints of machine '{twins.machine.name}' stable, down to {arm:.2g} rad/s and a "
        f"period of {_FASTEST:g} s: a joint is too light for its load; give it the armature of its rotor"
    )


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
    """Limits after the grip, when thrusters turn the base in place of wheels and gyros, if they can."""
    shared = torque_allocation(eom, twins.base, False)
    if not (twins.wheels or twins.gyros) or shared.gyros:
        return limits
    capacity = shared.capacity[3:]
    return replace(limits, base_torque=tuple(float(x) for x in capacity))


def stack_gains(
    eom: EquationsOfMotion,
    twins: ChaserTwins,
    law: CaptureFeedback,
    gains: CaptureGains,
    grip: tuple[tuple[float, ...], float],
) -> CaptureGains:
    """Settings after the grip: a period at which the joints hold the debris stably, in a posture, at a distance."""
    q, p = eom.q_neutral.copy(), eom.parameter_values({"grip_z": grip[1]})
    q[[eom.q_names.index(n) for n in twins.joints]] = grip[0]
    period = stable_period(eom, q, p, law, gains.period)
    if period is None:
        raise InputError(
            f"no sampled law with a period of {_FASTEST:g} s or more holds the debris stably by the joints of machine "
            f"'{twins.machine.name}': a joint is too light for it; give it the armature of its rotor"
        )
    return replace(gains, period=period, every=round(gains.every * gains.period / period))


def stand_off(twins: ChaserTwins, debris: DebrisTwin) -> float:
    """Distance of the centre of the debris from the base at which the arm can do most [m]."""
    first, reach = _reach(twins)
    return float(first @ twins.outward) + _ABLE * reach + _TURNED * float(np.linalg.norm(debris.point))


def time_step(
    twins: ChaserTwins, debris: DebrisTwin, gains: CaptureGains, calm: bool = False, asked: float | None = None
) -> float:
    """Step of the integration: a millisecond or a part of the law's period, short against all that bends [s].

    Where the arms rest (``calm``) fast bending follows its loads, and the step is longer: over the way of a mission the
    base then differs by 5e-9 m and a joint by 2e-7 rad from the run with short steps. With nozzles that are on or off
    a few pulses begin a sample earlier or later; at the end both differ by 4e-7 m and 1e-7 rad. No step is longer than
    the one that is ``asked`` for.
    """
    fastest = max((*_bending(twins.machine, True), *_bending(debris.machine, True)), default=0.0)
    most, part = _CALM if calm else (1e-3, _SMOOTH)
    longest = min(most, part / fastest if fastest > 0.0 else np.inf, np.inf if asked is None else asked)
    if longest < _SHORTEST:
        raise InputError(
            f"something of machine '{twins.machine.name}' or '{debris.machine.name}' bends at {fastest:.3g} rad/s: "
            f"make it rigid, or use fewer modes (at most {_SMOOTH / _SHORTEST:.3g} rad/s can be simulated here)"
        )
    return gains.period / int(np.ceil(gains.period / longest - 1e-9))
