"""Guidance of a capture at an instant, as one compiled function.

References of the whole robot that belong to a motion of the tip and respect momentum, the efforts that they take, and
commands of the joints that bring the tip of the bent arm to its path on the base as it is measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

import casadi as ca
import numpy as np

from dalembert.compile import Kernel, compile_function
from dalembert.core.types import Array, Expression, ExpressionLike
from dalembert.formulations.equations import derive
from dalembert.plan.held_base import HeldBase, held_base
from dalembert.plan.pose import PoseMotion
from dalembert.spatial.rotations import quaternion_matrix
from dalembert.systems.space_robots.bent_arm import BentArm
from dalembert.systems.space_robots.chaser import space_chaser

__all__ = ["GuideLaw", "chaser_law", "packed"]

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

    def start(self, joints: Array) -> Array:
        """State (24) at rest: joints of the reference, commanded joints, way of the base from it, and its rate."""
        return np.concatenate([joints, joints, np.zeros(12)])

    @cached_property
    def kernel(self) -> Kernel:
        """``state, base, motion, correction, frame, filter -> state, held``.

        ``base`` is the measured pose (7), ``motion`` as in `packed`, ``correction`` the correction of the place of the
        tip by the camera in the hand, ``frame`` the centre of mass and the attitude that the base keeps (7), ``filter``
        period and frequency of the filter through which the arm follows the base. Held values: joints, rates, torques
        of the joints, torque and attitude of the base.
        """
        sizes = {"state": 24, "base": 7, "motion": 24, "correction": 3, "frame": 7, "filter": 2}
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
        theta, command, shift, shift_rate = (state[6 * k : 6 * k + 6] for k in range(4))
        x, v, a, w, change = (motion[k : k + 3] for k in (0, 3, 6, 18, 21))
        A = ca.reshape(motion[9:18], 3, 3).T
        centre, R0 = frame[:3], quaternion_matrix(frame[3:])
        theta, rates, second, efforts = self._reference(theta, R0, x - centre, A, (v, w), (a, change))
        # the base is not quite where the model puts it: the arm follows it, through a filter
        home = centre + R0 @ self.robot.place.function(theta)
        R = quaternion_matrix(measured[3:] / ca.norm_2(measured[3:]))
        off = ca.vertcat(measured[:3] - home, _log(R @ R0.T))
        h, f = filter_[0], filter_[1]
        shift_rate = shift_rate + h * (f * f * (off - shift) - _DAMPING * f * shift_rate)
        shift = shift + h * shift_rate
        Rb = _exp(shift[3:]) @ R0
        base = ca.vertcat(home + shift[:3], _quaternion(Rb))
        delta = self.arm.deflection(theta, rates, second)
        for _ in range(2):
            X, Jb, Jt = self.arm.tip(base, command, delta)
            e = ca.vertcat(x + correction - X[:3, 3], X[:3, :3] @ _log(X[:3, :3].T @ A))
            solve = _solver(Jt)
            command = command + _clipped(solve(e), _CORRECTION)
        carried = Jb @ ca.vertcat(Rb.T @ shift_rate[:3], Rb.T @ shift_rate[3:])
        rows, joints, _ = self.robot.rows
        held = ca.vertcat(
            command, rates - solve(carried), efforts[joints.tolist()], efforts[rows[3:].tolist()], frame[3:]
        )
        return ca.vertcat(theta, command, shift, shift_rate), held

    def _reference(
        self,
        theta: Expression,
        R0: Expression,
        place: Expression,
        rotation: Expression,
        twist: tuple[Expression, Expression],
        change: tuple[Expression, Expression],
    ) -> tuple[Expression, Expression, Expression, Expression]:
        """Joints, their rates and accelerations, and efforts, by one step of Newton's method from the last joints."""
        robot = self.robot
        X, J = robot.tip.function(theta)
        e = ca.vertcat(R0.T @ place - X[:3, 3], X[:3, :3] @ _log(X[:3, :3].T @ (R0.T @ rotation)))
        theta = theta + _clipped(_solver(J)(e), _STEP)
        solve = _solver(robot.tip.function(theta)[1])
        rates = solve(ca.vertcat(*[R0.T @ y for y in twist]))
        second = solve(ca.vertcat(*[R0.T @ y for y in change]) - robot.drift.function(theta, rates))
        return theta, rates, second, robot.effort.function(theta, rates, second)


@cache
def chaser_law() -> GuideLaw:
    """The law of the nominal `space_chaser`; derived and compiled once."""
    rigid = derive(space_chaser("rigid", arrays="rigid"))
    return GuideLaw(held_base(rigid), BentArm(derive(space_chaser("flexible", arrays="rigid"))))


def _solver(A: Expression) -> Callable[[Expression], Expression]:
    """Solution of linear equations with a matrix, by its QR factors, for any number of right sides."""
    Q, R = ca.qr(ca.densify(A))
    return lambda b: ca.solve(R, Q.T @ b)


def _clipped(x: Expression, most: float) -> Expression:
    return ca.fmin(ca.fmax(x, -most), most)


def _log(R: Expression) -> Expression:
    """Rotation as a vector; near half a turn its direction is lost, not its size."""
    w = 0.5 * ca.vertcat(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])
    s = ca.norm_2(w)
    small = s < 1e-9
    safe = ca.if_else(small, 1.0, s)
    return ca.if_else(small, 1.0, ca.atan2(s, 0.5 * (ca.trace(R) - 1.0)) / safe) * w


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
