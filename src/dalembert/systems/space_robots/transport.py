"""After rest: the base turns the stack into a wanted attitude, about its centre of mass, with the joints held."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from dalembert.core.errors import PlanError
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.plan.robot_limits import RobotLimits
from dalembert.spatial.rotations import quaternion_from_matrix
from dalembert.systems.space_robots.feedback import CaptureFeedback
from dalembert.systems.space_robots.flying_around import rotation_vector, smooth, turned_by
from dalembert.systems.space_robots.guidance import pose_of
from dalembert.systems.space_robots.settings import growth
from dalembert.systems.space_robots.twins import ChaserTwins

__all__ = ["StackTurn", "stack_turn", "transport_feedback"]

_SHORTEST, _LONGEST = 30.0, 30.0 * 60.0  # times of a turn [s]
_SETTLE = 30.0  # time after it [s]
_PART = 0.5  # of the torque limits that a turn takes
_GRID = 64  # rows of its table
_SLOW = (0.1, 0.05, 0.025, 0.0125)  # frequencies of the loop of the base that are tried [rad/s]
_GROWTH = 1e-3  # fastest growth that is taken for none [1/s]


@dataclass(frozen=True)
class StackTurn:
    """Guidance of a turn of the stack about one axis, at rest at both ends.

    The torque of the base and those of the joints are the efforts of the rigid stack, whose centre of mass stays at
    rest: no force acts.

    Attributes
    ----------
    begin, duration
        Time of its begin, and of the turn [s].
    first, axis
        Attitude at the begin, and the rotation vector in axes of the base that leads to the wanted one.
    posture
        Joints that are held.
    table
        Efforts (n, 3 + joints) at equal times: torque of the base in its axes, torques of the joints.
    damping
        Gains of the base on its rate (3): the law damps the rate itself, so that guidance adds that of the turn.
    """

    begin: float
    duration: float
    first: Array
    axis: Array
    posture: Array
    table: Array
    damping: Array

    def __call__(self, t: float, q: Array, v: Array, s: Mapping[str, float]) -> Array:
        """Values to hold."""
        x = min(max((t - self.begin) / self.duration, 0.0), 1.0)
        R = self.first @ turned_by(smooth(x) * self.axis)
        rate = 30.0 * x**2 * (1.0 - x) ** 2 / self.duration * self.axis
        row = np.array([np.interp(x, np.linspace(0.0, 1.0, _GRID), column) for column in self.table.T])
        torque, efforts = row[:3] + self.damping * rate, row[3:]
        Q = quaternion_from_matrix(R).ravel()
        return np.concatenate([self.posture, np.zeros_like(efforts), efforts, torque, Q])

    @property
    def whole(self) -> float:
        """Seconds of the turn and of its settling."""
        return self.duration + _SETTLE


def _efforts(nominal: EquationsOfMotion, p: Array, twins: ChaserTwins, q: Array, axis: Array, time: float) -> Array:
    """Torques of base and joints (n, 3 + joints) of a turn about an axis of the base in a time."""
    base = next(b for b in nominal.layout.blocks if b.name == twins.base)
    rows = [nominal.v_names.index(f"{n}_dot") for n in twins.joints]
    at = slice(base.q.start, base.q.stop)
    X = pose_of(q[at].tolist())
    # the inertia does not depend on the attitude: the base stays where it is, and turns in its own axes
    c = X[:3, :3].T @ (nominal.center_of_mass(q, p=p) - X[:3, 3])
    table = []
    for x in np.linspace(0.0, 1.0, _GRID):
        w = 30.0 * x**2 * (1.0 - x) ** 2 / time * axis
        dw = 60.0 * x * (1.0 - 3.0 * x + 2.0 * x * x) / time**2 * axis
        v, a = np.zeros(nominal.nv), np.zeros(nominal.nv)
        # the centre of mass is at rest: v + w x c = 0, in axes that turn
        v[base.v.start : base.v.stop] = np.concatenate([-np.cross(w, c), w])
        a[base.v.start : base.v.stop] = np.concatenate([-np.cross(dw, c), dw])
        effort = nominal.inverse_dynamics(q, v, a, p=p)
        table.append(np.concatenate([effort[base.v.start + 3 : base.v.stop], effort[rows]]))
    return np.array(table)


def stack_turn(
    nominal: EquationsOfMotion,
    p: dict[str, float],
    twins: ChaserTwins,
    state: tuple[float, Array],
    wanted: Array,
    limits: RobotLimits,
    law: CaptureFeedback,
) -> StackTurn:
    """The shortest turn of a stack into a wanted attitude of its base that keeps half of the torque limits.

    Parameters
    ----------
    nominal, p
        Equations of the rigid stack and the parameters of its grip.
    twins
        The chaser.
    state
        Time and configuration of the rigid stack at the begin.
    wanted
        Quaternion of the base in world axes.
    limits, law
        Torque limits, and the feedback.

    Raises
    ------
    PlanError
        If it takes too long within the limits.
    """
    t, q = state
    block = next(b for b in nominal.layout.blocks if b.name == twins.base)
    first = pose_of(q[block.q.start : block.q.stop].tolist())[:3, :3]
    axis = rotation_vector(first.T @ pose_of([0.0, 0.0, 0.0, *wanted.tolist()])[:3, :3])
    values, n = nominal.parameter_values({k: x for k, x in p.items() if k in nominal.p_names}), len(twins.joints)
    most = _PART * np.concatenate([np.broadcast_to(limits.base_torque, 3), np.broadcast_to(limits.joint_torque, n)])
    time = _SHORTEST
    while True:
        table = _efforts(nominal, values, twins, q, axis, time)
        ratio = float((np.abs(table).max(axis=0) / np.maximum(most, 1e-12)).max())
        if ratio <= 1.0:
            joints = q[[nominal.q_names.index(name) for name in twins.joints]]
            return StackTurn(t, time, first, axis, joints, table, np.array(law.base_kd))
        time *= max(1.02, float(np.sqrt(ratio)))
        if time > _LONGEST:
            raise PlanError(
                f"a turn of the stack by {np.degrees(np.linalg.norm(axis)):.0f} degrees takes longer than "
                f"{_LONGEST:g} s with the torques of the base"
            )


def transport_feedback(
    true: EquationsOfMotion, p: Array, q: Array, twins: ChaserTwins, law: CaptureFeedback, period: float
) -> CaptureFeedback:
    """The feedback of the stack with a loop for its attitude, as fast as the flexible stack allows.

    The gains are those of a frequency on the inertia of the whole stack about its centre of mass; the fastest one of
    some is taken for which the sampled law is stable on the linearised flexible stack, with gains half as large again.

    Raises
    ------
    PlanError
        If none is stable.
    """
    block = next(b for b in true.layout.blocks if b.name == twins.base)
    M = true.mass_matrix(q, p=p)[block.v.start : block.v.stop, block.v.start : block.v.stop]
    inertia = np.diag(M[3:, 3:] - M[3:, :3] @ np.linalg.solve(M[:3, :3], M[:3, 3:]))
    for omega in _SLOW:
        kp, kd = omega**2 * inertia, 2.0 * omega * inertia
        held = replace(law, base_kp=tuple(kp.tolist()), base_kd=tuple(kd.tolist()))
        if growth(true, q, p, held, period) < _GROWTH:
            return held
    raise PlanError(f"no loop of {_SLOW[-1]:g} rad/s or faster holds the attitude of the stack stably")
