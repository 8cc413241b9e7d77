"""Guidance of a capture at an instant, as one compiled function.

References of the whole robot that belong to a motion of the tip and respect momentum, the efforts that they take, and
commands of the joints that bring the tip of the bent arm to its path on the base as it is measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from dalembert.compile import Kernel, compile_function
from dalembert.core.types import Array, Expression, ExpressionLike
from dalembert.formulations.factorization import solve_spd
from dalembert.plan.held_base import HeldBase
from dalembert.plan.pose import PoseMotion
from dalembert.plan.tip_task import TASKS, linear_solver, rotation_vector, task_error, task_rows
from dalembert.spatial.rotations import quaternion_matrix
from dalembert.systems.space_robots.bent_arm import BentArm

__all__ = ["GuideLaw", "packed"]

_STEP, _CORRECTION = 0.3, 0.05  # largest steps of a joint in one iteration [rad]
_DAMPING = 1.6  # twice the damping ratio of the filter through which the arm follows the base


def packed(motion: PoseMotion) -> Array:
    """Motions (..., 24) as the law takes them: position, velocity, acceleration, rotation by rows, rate and change."""
    shape = np.shape(motion.position)[:-1]
    parts = (*motion[:3], np.reshape(motion.rotation, (*shape, 9)), *motion[4:])
    return np.ascontiguousarray(np.concatenate(parts, axis=-1))


@dataclass(frozen=True)
class GuideLaw:
    """The law of an instant.

    Attributes
    ----------
    robot, arm
        The nominal robot, rigid and flexible.
    """

    robot: HeldBase
    arm: BentArm

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.robot.names)

    @property
    def size(self) -> int:
        """Number of states."""
        return 2 * self.n + 12

    def start(self, joints: Array) -> Array:
        """State at rest: joints of the reference, commanded joints, way of the base from it (6), and its rate (6)."""
        return np.concatenate([joints, joints, np.zeros(12)])

    @cached_property
    def kernel(self) -> Kernel:
        """``state, base, motion, correction, frame, filter -> state, held``.

        ``base`` is the measured pose (7), ``motion`` as in `packed`, ``correction`` the correction of the place of the
        tip by the camera in the hand, ``frame`` the centre of mass and the attitude that the base keeps (7), ``filter``
        period and frequency of the filter through which the arm follows the base. Held values: joints, rates, torques
        of the joints, torque and attitude of the base.
        """
        sizes = {"state": self.size, "base": 7, "motion": 24, "correction": 3, "frame": 7, "filter": 2}
        inputs = [ca.SX.sym(name, n) for name, n in sizes.items()]
        outputs = ca.cse([ca.densify(y) for y in self.expression(*inputs)])
        function = ca.Function("guide", inputs, outputs, list(sizes), ["next", "held"])
        return compile_function(function, backend=self.robot.eom.backend, lanes=False)

    def expression(
        self,
        state: Expression,
        measured: Expression,
        motion: Expression,
        correction: Expression,
        frame: ExpressionLike,
        filter_: ExpressionLike,
    ) -> tuple[Expression, Expression]:
        """Next state and held values, of the symbols that `kernel` describes."""
        n, task = self.n, self.robot.task
        theta, command, shift, shift_rate = ca.vertsplit(state, [0, n, 2 * n, 2 * n + 6, 2 * n + 12])
        x, v, a, w, change = (motion[k : k + 3] for k in (0, 3, 6, 18, 21))
        A = ca.reshape(motion[9:18], 3, 3).T
        centre, R0 = frame[:3], quaternion_matrix(frame[3:])
        h, f = filter_[0], filter_[1]
        before = theta
        theta, rates, second, efforts = self._reference(theta, R0, x - centre, A, (v, w), (a, change), h)
        # the base is not quite where the model puts it: the arm follows it, through a filter
        home = centre + R0 @ self.robot.place.function(theta)
        R = quaternion_matrix(measured[3:] / ca.norm_2(measured[3:]))
        off = ca.vertcat(measured[:3] - home, rotation_vector(R @ R0.T))
        shift_rate = shift_rate + h * (f * f * (off - shift) - _DAMPING * f * shift_rate)
        shift = shift + h * shift_rate
        Rb = _exp(shift[3:]) @ R0
        base = ca.vertcat(home + shift[:3], _quaternion(Rb))
        delta = self.arm.deflection(theta, rates, second)
        if self._free:
            command = command + (theta - before)  # where joints have a choice, corrections alone leave it to the model
        for _ in range(2):
            X, Jb, Jt = self.arm.tip(base, command, delta)
            rows = task_rows(task, X)
            solve = self._corrections(rows @ Jt)
            command = command + _clipped(solve(task_error(task, X, x + correction, A)), _CORRECTION)
        carried = Jb @ ca.vertcat(Rb.T @ shift_rate[:3], Rb.T @ shift_rate[3:])
        base_rows, joints, _ = self.robot.rows
        held = ca.vertcat(
            command, rates - solve(rows @ carried), efforts[joints.tolist()], efforts[base_rows[3:].tolist()], frame[3:]
        )
        return ca.vertcat(theta, command, shift, shift_rate), held

    @property
    def _free(self) -> bool:
        """Whether the joints have a choice."""
        return self.n > TASKS[self.robot.task]

    def _corrections(self, J: Expression) -> Callable[[Expression], Expression]:
        """Least corrections of the commanded joints."""
        if not self._free:
            return linear_solver(J)
        A = J @ J.T
        return lambda e: J.T @ solve_spd(A, e)

    def _reference(
        self,
        theta: Expression,
        R0: Expression,
        place: Expression,
        rotation: Expression,
        twist: tuple[Expression, Expression],
        change: tuple[Expression, Expression],
        h: ExpressionLike,
    ) -> tuple[Expression, Expression, Expression, Expression]:
        """Joints, their rates and accelerations, and efforts, by one step of Newton's method from the last joints."""
        robot = self.robot
        t, dt = (ca.vertcat(*[R0.T @ y for y in pair]) for pair in (twist, change))
        if self._free:
            theta = theta + h * robot.rates.function(theta, t)
        theta = theta + _clipped(robot.step.function(theta, R0.T @ place, R0.T @ rotation)[0], _STEP)
        rates, second = robot.rates.function(theta, t), robot.accelerations.function(theta, t, dt)
        return theta, rates, second, robot.effort.function(theta, rates, second)


def _clipped(x: Expression, most: float) -> Expression:
    return ca.fmin(ca.fmax(x, -most), most)


def _exp(w: Expression) -> Expression:
    """Rotation of a vector."""
    a = ca.norm_2(w)
    small = a < 1e-6
    safe = ca.if_else(small, 1.0, a)
    K = ca.skew(w)
    whole = ca.if_else(small, 1.0 - a * a / 6.0, ca.sin(safe) / safe)
    half = ca.if_else(small, 1.0 - a * a / 24.0, 2.0 * ca.sin(safe / 2) / safe)
    return ca.DM.eye(3) + whole * K + 0.5 * half * half * (K @ K)


def _quaternion(R: Expression) -> Expression:
    """Quaternion of a rotation that is not near half a turn."""
    w = 0.5 * ca.sqrt(ca.fmax(1.0 + ca.trace(R), 1e-12))
    Q = ca.vertcat(w, (R[2, 1] - R[1, 2]) / (4 * w), (R[0, 2] - R[2, 0]) / (4 * w), (R[1, 0] - R[0, 1]) / (4 * w))
    return Q / ca.norm_2(Q)
