"""Feedback of a capture: PD of the joints and of the base's attitude around the held values of guidance."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert.control.cascade import read
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.plan.held_base import HeldBase
from dalembert.spatial.rotations import quaternion_product
from dalembert.systems.space_robots.cases import HOME

__all__ = ["HELD", "CaptureFeedback", "CaptureGains"]

GOALS = tuple(f"goal{i}" for i in range(1, 7))
SPEEDS = tuple(f"speed{i}" for i in range(1, 7))
EFFORTS = tuple(f"effort{i}" for i in range(1, 7))
TORQUE = ("torque_x", "torque_y", "torque_z")
ATTITUDE = ("heading_w", "heading_x", "heading_y", "heading_z")
HELD = (*GOALS, *SPEEDS, *EFFORTS, *TORQUE, *ATTITUDE)
"""Values that guidance holds for the feedback: joints, their rates and torques, torque and attitude of the base."""


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


@dataclass(frozen=True)
class CaptureFeedback:
    """Inner law of a capture: PD of the joints and of the base's attitude around the held values of guidance.

    Parameters
    ----------
    kp, kd
        Gains of the joints (6) [N m/rad, N m s/rad].
    base_kp, base_kd
        Gains of the base (3).
    """

    kp: tuple[float, ...]
    kd: tuple[float, ...]
    base_kp: tuple[float, ...]
    base_kd: tuple[float, ...]

    @staticmethod
    def tuned(robot: HeldBase, gains: CaptureGains) -> CaptureFeedback:
        """Gains on the diagonal of the mass matrix of a robot, its arm at home."""
        posture = robot.configuration(np.array(HOME), np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
        D = np.diag(robot.eom.mass_matrix(posture))
        base, joints, _ = robot.rows
        kp, kd = gains.arm**2 * D[joints], 2.0 * gains.arm_damping * gains.arm * D[joints]
        base_kp, base_kd = gains.base**2 * D[base[3:]], 2.0 * gains.base_damping * gains.base * D[base[3:]]
        return CaptureFeedback(*(tuple(float(x) for x in row) for row in (kp, kd, base_kp, base_kd)))

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """No internal states."""
        return ()

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """No internal states."""
        return np.zeros(0)

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Torques of the joints, no force, and torque of the base."""
        names_q, names_v = list(eom.q_names), list(eom.v_names)
        joints = [m.joint for m in eom.machine.motors]
        theta = q[[names_q.index(n) for n in joints]]
        rate = v[[names_v.index(f"{n}_dot") for n in joints]]
        speed = read(*SPEEDS)
        goal = read(*GOALS) + (t - read("guidance.t")) * speed
        torques = read(*EFFORTS) + ca.DM(self.kp) * (goal - theta) + ca.DM(self.kd) * (speed - rate)
        a, w = names_q.index("base.qw"), names_v.index("base.wx")
        heading = read(*ATTITUDE)
        turn = quaternion_product(ca.vertcat(heading[0], -heading[1:]), q[a : a + 4])
        small = 2.0 * turn[1:] * ca.if_else(turn[0] < 0.0, -1.0, 1.0)
        torque = read(*TORQUE) - ca.DM(self.base_kp) * small - ca.DM(self.base_kd) * v[w : w + 3]
        return ca.vertcat(torques, ca.DM.zeros(3), torque), ca.SX(0, 1)
