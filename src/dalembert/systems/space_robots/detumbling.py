"""After the grip: the arm brakes, and the base takes the momentum of the stack out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np

from dalembert.compile import Kernel, compile_function
from dalembert.control.detumbling import braking_torque, momentum_about_centre
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.join import Handover
from dalembert.plan.robot_limits import RobotLimits
from dalembert.spatial.rotations import quaternion_matrix
from dalembert.systems.space_robots.feedback import CaptureFeedback
from dalembert.systems.space_robots.twins import ChaserTwins

__all__ = ["Braking", "StackGuide", "calm_after", "chosen_braking", "stack_feedback"]

_WINDOW = 50  # instants over which the momentum is averaged: the rates of the joints are noisy, the debris is heavy
_RISE = 4.0  # seconds in which the torque of the base comes up
_STIFF, _DAMPED = 0.5, 0.8  # frequency [rad/s] and damping ratio of the joints on their loads
_PART = 0.72  # of the torque limits that is used


@dataclass(frozen=True)
class Braking:
    """How the stack is brought to rest.

    Parameters
    ----------
    time
        In which the joints come to rest [s].
    torque
        Largest torque of the base [N m].
    settle
        Time constant with which the last of the momentum goes [s].
    calm
        Time in which momentum and joints calm down after the braking [s].
    """

    time: float = 12.0
    torque: float = 3.6
    settle: float = 8.0
    calm: float = 40.0


class StackGuide:
    """Guidance of the stack: the arm brakes, and the base takes the momentum out against its own direction.

    Parameters
    ----------
    true, nominal
        Equations of the stack that is simulated, and of the rigid one that is computed with.
    p
        Parameters of the nominal one: its grip.
    handover
        Where and how it begins.
    braking
        Settings.
    twins
        The chaser.
    """

    def __init__(
        self,
        true: EquationsOfMotion,
        nominal: EquationsOfMotion,
        p: dict[str, float],
        handover: Handover,
        braking: Braking,
        twins: ChaserTwins,
    ) -> None:
        self._q, self._v = (
            np.array([all_.index(n) for n in names])
            for all_, names in ((true.q_names, nominal.q_names), (true.v_names, nominal.v_names))
        )
        known = {name: value for name, value in p.items() if name in nominal.p_names}
        self._t, self._law, self._p = handover.t, _law(nominal, twins), nominal.parameter_values(known)
        joints = handover.q[[true.q_names.index(n) for n in twins.joints]]
        rates = handover.v[[true.v_names.index(f"{n}_dot") for n in twins.joints]]
        self._start = np.concatenate([joints, rates])
        self._braking = np.array([braking.time, braking.torque, braking.settle])
        self._seen, self._count = np.zeros((_WINDOW, 3)), 0
        about = self._computed(self._t, handover.q, handover.v)[0]
        # the joints come to rest, the base turns against the remaining momentum, and the rest of it dies out
        self.duration = braking.time + float(np.linalg.norm(about)) / braking.torque + braking.calm

    def _computed(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        n = float(min(self._count + 1, _WINDOW))
        about, held = self._law(t - self._t, q[self._q], v[self._v], self._seen, n, self._start, self._braking, self._p)
        return about, held

    def __call__(self, t: float, q: Array, v: Array, s: Mapping[str, float]) -> Array:
        """Values to hold."""
        k = self._count % _WINDOW
        self._seen[k] = 0.0
        self._seen[k], held = self._computed(t, q, v)
        self._count += 1
        return held


@lru_cache(maxsize=16)
def _law(nominal: EquationsOfMotion, twins: ChaserTwins) -> Kernel:
    """Computation of an instant.

    ``since, q, v, seen (window, 3), n, start (2 per joint), braking (3), p -> about (3), held``: the angular momentum
    about the centre of mass now, and the held values after the mean of it and of those ``seen`` before, ``n`` in all.
    """
    s, joints = nominal.symbolic, len(twins.joints)
    since, n, seen = ca.SX.sym("since"), ca.SX.sym("n"), ca.SX.sym("seen", _WINDOW, 3)
    start, braking = ca.SX.sym("start", 2 * joints), ca.SX.sym("braking", 3)
    measured, v, p = ca.SX.sym("q", nominal.nq), ca.SX.sym("v", nominal.nv), ca.SX.sym("p", s.p.shape[0])
    at = nominal.q_names.index(f"{twins.base}.qw")
    Q = measured[at : at + 4] / ca.norm_2(measured[at : at + 4])
    q = ca.vertcat(measured[:at], Q, measured[at + 4 :])
    about = momentum_about_centre(nominal, q, v, p)
    mean = (ca.sum1(seen).T + about) / n
    time, most, settle = ca.vertsplit(braking)
    begin = ca.fmin(since / _RISE, 1.0)
    torque = begin * braking_torque(mean, most, settle)
    x = ca.fmin(since / time, 1.0)
    left = 1.0 - x**3 * (10.0 - 15.0 * x + 6.0 * x * x)
    way = time * (x - x**4 * (2.5 - 3.0 * x + x * x))
    goal, speed = start[:joints] + way * start[joints:], left * start[joints:]
    held = ca.vertcat(goal, speed, ca.DM.zeros(joints), quaternion_matrix(Q).T @ torque, Q)
    inputs = [since, measured, v, seen, n, start, braking, p]
    names = ["since", "q", "v", "seen", "n", "start", "braking", "p"]
    function = ca.Function("stack", inputs, ca.cse([about, ca.densify(held)]), names, ["about", "held"])
    return compile_function(function, backend=nominal.backend, shapes={"since": (), "n": ()}, lanes=False)


@lru_cache(maxsize=16)
def stack_feedback(
    nominal: EquationsOfMotion, twins: ChaserTwins, posture: tuple[float, ...], reach: float
) -> CaptureFeedback:
    """Joints at half a radian per second on their loads; the base follows its momentum alone.

    The gains are those of the arm in a posture with the debris held along the axis of the hand, at the distance of its
    target point, the same for every grip, so that its code is compiled once.
    """
    D = _loads(nominal, twins, posture, reach)
    kp, kd = _STIFF**2 * D, 2.0 * _DAMPED * _STIFF * D
    zero = (0.0, 0.0, 0.0)
    return CaptureFeedback(tuple(kp.tolist()), tuple(kd.tolist()), zero, zero, twins.joints, twins.base, wheels=False)


def _loads(nominal: EquationsOfMotion, twins: ChaserTwins, posture: tuple[float, ...], reach: float) -> Array:
    """Inertia at each joint if the base is free to move as well."""
    q = nominal.q_neutral.copy()
    q[[nominal.q_names.index(n) for n in twins.joints]] = posture
    return np.diag(_joint_inertia(nominal, twins, q, {"grip_z": reach}))


def _joint_inertia(nominal: EquationsOfMotion, twins: ChaserTwins, q: Array, p: dict[str, float]) -> Array:
    """Inertia matrix of the joints if the base is free to move: the Schur complement of the base."""
    M = nominal.mass_matrix(q, p=p)
    block = next(b for b in nominal.layout.blocks if b.name == twins.base)
    base = list(range(block.v.start, block.v.stop))
    rows = [nominal.v_names.index(f"{n}_dot") for n in twins.joints]
    across = M[np.ix_(base, rows)]
    return np.asarray(M[np.ix_(rows, rows)] - across.T @ np.linalg.solve(M[np.ix_(base, base)], across))


def calm_after(
    nominal: EquationsOfMotion, twins: ChaserTwins, q: Array, p: dict[str, float], feedback: CaptureFeedback
) -> float:
    """Time after the braking in which the joints calm down, in the posture of a grip [s].

    Their gains are those of one posture for every grip. In another one a joint can carry a multiple of its load, and
    swing slowly: six time constants of the slowest mode of the rigid stack, and at least those of the momentum.
    Flexible links and arrays make that mode slower, in one mission by a third.
    """
    known = {name: value for name, value in p.items() if name in nominal.p_names}
    D, n = _joint_inertia(nominal, twins, q, known), len(twins.joints)
    kp, kd = (np.asarray(k) if np.ndim(k) == 2 else np.diag(k) for k in (feedback.kp, feedback.kd))
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(D, kp), -np.linalg.solve(D, kd)]])
    decay = -float(np.linalg.eigvals(A).real.max())
    return max(Braking.calm, 6.0 / decay) if decay > 0.0 else Braking.calm


def chosen_braking(
    nominal: EquationsOfMotion,
    twins: ChaserTwins,
    posture: tuple[float, ...],
    reach: float,
    rates: Array,
    limits: RobotLimits,
) -> Braking:
    """How a stack is brought to rest within limits: from its loads, and the rates of its joints at the grip."""
    most = np.broadcast_to(np.array(limits.joint_torque, dtype=float), (len(twins.joints),))
    # the largest slope of the braking of a joint is 15/8 of its rate over the time
    needed = 1.875 * np.abs(rates) * _loads(nominal, twins, posture, reach) / (_PART * most)
    torque = _PART * min(float(np.min(limits.base_torque)), float(most.min()))
    return Braking(
        time=max(Braking.time, float(needed.max())), torque=torque if np.isfinite(torque) else Braking.torque
    )
