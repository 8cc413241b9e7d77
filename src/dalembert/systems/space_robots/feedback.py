"""Feedback of a capture: PD of the joints and of the base's attitude around the held values of guidance."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert.control.allocation import Allocation, allocate
from dalembert.control.cascade import read
from dalembert.control.gyro_steering import base_inputs
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.plan.held_base import HeldBase
from dalembert.spatial.rotations import quaternion_product

__all__ = ["CaptureFeedback", "CaptureGains", "held_names", "torque_allocation"]

_TORQUE = ("torque_x", "torque_y", "torque_z")
_ATTITUDE = ("heading_w", "heading_x", "heading_y", "heading_z")


def held_names(n: int) -> tuple[str, ...]:
    """Values that guidance holds for the feedback: joints, their rates and torques, torque and attitude of the base."""
    return (*(f"{kind}{i}" for kind in ("goal", "speed", "effort") for i in range(1, n + 1)), *_TORQUE, *_ATTITUDE)


@dataclass(frozen=True)
class CaptureGains:
    """Settings of the loops.

    Parameters
    ----------
    arm, arm_damping
        Frequency [rad/s] and damping ratio of the joints, on the diagonal of the nominal mass matrix.
    base, base_damping
        Gains of the attitude of the base.
    follow
        Frequency of the filter through which the reference follows the base [rad/s].
    period, every
        Period of the feedback [s], and the number of periods between two updates of guidance.
    replan, lead
        Time between new paths, and how far ahead they meet the debris at least [s].
    hand, hand_from
        Rate at which the image of the camera in the hand is taken over [1/s], and how long before the meeting [s].
    law
        Gains of joints and base in the approach, such as `tune_capture` finds; None: those of the frequencies.

    Examples
    --------
    >>> from dalembert.systems.space_robots import CaptureGains
    >>> softer = CaptureGains(arm=0.5, base=0.2)  # rad/s
    >>> softer.period
    0.004
    """

    arm: float = 1.0
    arm_damping: float = 0.8
    base: float = 0.3
    base_damping: float = 1.0
    follow: float = 1.0
    period: float = 0.004
    every: int = 5
    replan: float = 1.0
    lead: float = 4.0
    hand: float = 0.25
    hand_from: float = 8.0
    law: CaptureFeedback | None = None


@dataclass(frozen=True)
class CaptureFeedback:
    """Inner law of a capture: PD of the joints and of the base's attitude around the held values of guidance.

    Parameters
    ----------
    kp, kd
        Gains of the joints, one each (n), or as matrices (n x n) [N m/rad, N m s/rad].
    base_kp, base_kd
        Gains of the base (3).
    joints
        The joints, in the order of the gains.
    base
        The free joint; its torques are shared out among wheels, gyros and thrusters by `control.allocate`.
    wheels
        Whether wheels or gyros turn the base, where there are enough; after a grip thrusters do, if they can.

    Examples
    --------
    >>> from dalembert.plan import held_base
    >>> from dalembert.systems.space_robots import CaptureFeedback, CaptureGains, space_chaser
    >>> robot = held_base(space_chaser("rigid", arrays=None))
    >>> law = CaptureFeedback.tuned(robot, CaptureGains(), [0.0, -0.9, 1.7, -0.8, 0.0, 0.0])
    >>> len(law.kp), len(law.base_kp)
    (6, 3)
    """

    kp: tuple[float, ...] | tuple[tuple[float, ...], ...]
    kd: tuple[float, ...] | tuple[tuple[float, ...], ...]
    base_kp: tuple[float, ...]
    base_kd: tuple[float, ...]
    joints: tuple[str, ...]
    base: str
    wheels: bool = True

    @staticmethod
    def tuned(robot: HeldBase, gains: CaptureGains, posture: Array) -> CaptureFeedback:
        """Gains on the diagonal of the mass matrix of a robot with its joints in a posture."""
        q = robot.configuration(posture, np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
        D = np.diag(robot.eom.mass_matrix(q))
        base, joints, _ = robot.rows
        kp, kd = gains.arm**2 * D[joints], 2.0 * gains.arm_damping * gains.arm * D[joints]
        base_kp, base_kd = gains.base**2 * D[base[3:]], 2.0 * gains.base_damping * gains.base * D[base[3:]]
        a, b, c, d = (tuple(float(x) for x in row) for row in (kp, kd, base_kp, base_kd))
        return CaptureFeedback(a, b, c, d, robot.names, robot.base)

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """No internal states."""
        return ()

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """No internal states."""
        return np.zeros(0)

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs of the motors of the joints, and of wheels or thrusters for the torque of the base."""
        names, blocks = held_names(len(self.joints)), {b.name: b for b in eom.layout.blocks}
        n = len(self.joints)
        rows_q, rows_v = ([getattr(blocks[j], k).start for j in self.joints] for k in ("q", "v"))
        speed = read(*names[n : 2 * n])
        goal = read(*names[:n]) + (t - read("guidance.t")) * speed
        wanted = read(*names[2 * n : 3 * n]) + _times(self.kp, goal - q[rows_q]) + _times(self.kd, speed - v[rows_v])
        a, w = blocks[self.base].q.start + 3, blocks[self.base].v.start + 3
        heading = read(*_ATTITUDE)
        turn = quaternion_product(ca.vertcat(heading[0], -heading[1:]), q[a : a + 4])
        small = 2.0 * turn[1:] * ca.if_else(turn[0] < 0.0, -1.0, 1.0)
        torque = read(*_TORQUE) - ca.DM(self.base_kp) * small - ca.DM(self.base_kd) * v[w : w + 3]
        shared = torque_allocation(eom, self.base, self.wheels)
        u = base_inputs(eom, self.base, shared, (t, q, v), ca.vertcat(ca.SX.zeros(3), torque))
        motors = {m.joint: m for m in eom.machine.motors}
        for k, joint in enumerate(self.joints):
            u[eom.u_names.index(motors[joint].name)] = wanted[k] / eom.symbolic.value(motors[joint].ratio)
        return ca.SX(u), ca.SX(0, 1)


def _times(gain: tuple[float, ...] | tuple[tuple[float, ...], ...], x: Expression) -> Expression:
    """Gains of the joints times their errors."""
    K = np.array(gain)
    return ca.DM(K) @ x if K.ndim == 2 else ca.DM(K) * x


def torque_allocation(eom: EquationsOfMotion, base: str, wheels: bool) -> Allocation:
    """How the torque of a base is shared out: by thrusters alone where that is asked and possible."""
    if not wheels:
        jets = allocate(eom, base, need=(), wheels=False)
        if not any(x.startswith("torque") for x in jets.missing):
            return jets
    return allocate(eom, base, need=("torque",))
