"""Guidance and control of a capture: references that respect momentum, efforts fed forward, and feedback around them.

The base is fed the torque that the nominal motion takes, and so are the joints; feedback has only the rest to do.
Without it the base turns by a degree and the tip misses by centimetres, as its flexible arm would follow the base.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from dalembert.compile import Kernel, compile_function
from dalembert.control.cascade import Guidance, read
from dalembert.control.estimation import StereoCamera, TumblingEstimate, TumblingFilter
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.model.signals import Sensor
from dalembert.plan.held_base import HeldBase
from dalembert.plan.pose import PoseMotion, PosePath
from dalembert.plan.robot_capture import RobotCapture
from dalembert.plan.tumbling import TumblingBody
from dalembert.spatial.rotations import quaternion_product

__all__ = [
    "BentArm",
    "CaptureFeedback",
    "CaptureGains",
    "CaptureGuide",
    "SensorNoise",
    "base_camera",
    "chaser_sensors",
]


@dataclass(frozen=True)
class SensorNoise:
    """Standard deviations of what the chaser measures of itself; white, normal, at each sample.

    Parameters
    ----------
    attitude, rate
        Of the base [rad, rad/s]: 0.003 degrees of a star tracker, 0.001 degrees per second of a gyro.
    position, velocity
        Of the base [m, m/s].
    encoder, joint_rate
        Step of the joint encoders, of 19 bits, and noise of their rates [rad, rad/s].
    """

    attitude: float = float(np.radians(0.003))
    rate: float = float(np.radians(0.001))
    position: float = 1e-3
    velocity: float = 2e-4
    encoder: float = 2.0 * np.pi / 2**19
    joint_rate: float = 5e-5


@dataclass(frozen=True)
class CaptureGains:
    """Settings of the loops.

    Parameters
    ----------
    arm, arm_damping
        Frequency [rad/s] and damping ratio of the joints, on the diagonal of the nominal mass matrix.
    base, base_damping
        Of the attitude of the base.
    follow
        Frequency of the filter through which the reference follows the base [rad/s].
    period, every
        Of the feedback [s], and how many of them make one of guidance.
    replan, lead
        Time between new paths, and how far ahead they meet the debris at least [s].
    hand, hand_from
        Rate at which what the camera in the hand sees is taken over [1/s], and how long before the meeting [s].
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


def base_camera(height: float = 0.9, forward: float = 1.3) -> Array:
    """Pose (4 x 4) of a camera on the base that looks along its x axis, at the edge of its face."""
    X = np.eye(4)
    X[:3, :3] = [[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]
    X[:3, 3] = [forward, 0.0, height]
    return X


@dataclass(frozen=True)
class BentArm:
    """The nominal flexible arm on its base: how far the booms bend while it moves, and where the tip is then.

    Attributes
    ----------
    eom
        Equations of the chaser with flexible booms and rigid arrays.
    frame, base
        The tip, and the free joint.
    """

    eom: EquationsOfMotion
    frame: str = "tip"
    base: str = "base"

    @cached_property
    def rows(self) -> tuple[list[int], list[int], list[int]]:
        """Rows of the base, the joints and the booms in the velocities."""
        names = list(self.eom.v_names)
        own = next(b for b in self.eom.layout.blocks if b.name == self.base)
        motors = [m.joint for m in self.eom.machine.motors]
        joints = [names.index(f"{name}_dot") for name in motors]
        base = list(range(own.v.start, own.v.stop))
        return base, joints, [k for k in range(self.eom.nv) if k not in base and k not in joints]

    @cached_property
    def _q(self) -> tuple[Any, Any, Any, Any]:
        """Symbols: pose of the base (7), joints, deflections; and the whole configuration."""
        block = next(b for b in self.eom.layout.blocks if b.name == self.base)
        motors = [m.joint for m in self.eom.machine.motors]
        at = [self.eom.q_names.index(name) for name in motors]
        rest = [k for k in range(self.eom.nq) if k not in at and not block.q.start <= k < block.q.stop]
        base, theta, delta = ca.SX.sym("base", 7), ca.SX.sym("theta", len(at)), ca.SX.sym("delta", len(rest))
        q = ca.SX(self.eom.nq, 1)
        q[block.q.start : block.q.stop], q[at], q[rest] = base, theta, delta
        return base, theta, delta, q

    def _at(self, expression: Any, q: Any) -> Any:
        s = self.eom.symbolic
        return ca.Function("f", [s.q, s.p], [ca.densify(expression)])(q, self.eom.parameter_values())

    @cached_property
    def tip(self) -> Kernel:
        """``base (7), theta, delta -> pose (4, 4), Jacobians (6, 6) of base and (6, n) of joints``, world axes."""
        base, theta, delta, q = self._q
        s = self.eom.symbolic
        J = self._at(s.jacobian(self.frame, "world"), q)
        outputs = [self._at(s.pose(self.frame), q), J[:, self.rows[0]], J[:, self.rows[1]]]
        f = ca.Function("tip", [base, theta, delta], outputs, ["base", "theta", "delta"], ["pose", "Jb", "J"])
        return compile_function(f, backend=self.eom.backend, shapes={"pose": (4, 4), "Jb": (6, 6)}, lanes=False)

    @cached_property
    def deflection(self) -> Kernel:
        """``theta, theta', theta'' -> delta``: how the booms bend, quasi-statically, while the base does not turn."""
        s, (base_rows, joints, booms) = self.eom.symbolic, self.rows
        base, theta, delta, q = self._q
        rate, second = ca.SX.sym("rate", theta.shape[0]), ca.SX.sym("second", theta.shape[0])
        straight = ca.substitute(
            q, ca.vertcat(base, delta), ca.vertcat(0, 0, 0, 1, 0, 0, 0, ca.SX.zeros(delta.shape[0]))
        )
        place = -self._at(s.center_of_mass, straight)
        speed = ca.jtimes(place, theta, rate)
        v, a = ca.SX(self.eom.nv, 1), ca.SX(self.eom.nv, 1)
        v[base_rows[:3]], v[joints] = speed, rate
        a[base_rows[:3]] = ca.jtimes(speed, theta, rate) + ca.jtimes(place, theta, second)
        a[joints] = second
        f = ca.Function("f", [s.q, s.v, s.a, s.p], [s.inverse_dynamics])
        force = f(straight, v, a, self.eom.parameter_values())[booms]
        bias = ca.Function("b", [s.q, s.v, s.p], [s.bias])(q, ca.SX(self.eom.nv, 1), self.eom.parameter_values())
        K = ca.substitute(ca.jacobian(bias[booms], delta), delta, ca.SX.zeros(delta.shape[0]))
        stiffness = ca.Function("K", [base, theta], [K])([0, 0, 0, 1, 0, 0, 0], ca.DM.zeros(theta.shape[0]))
        out = -ca.DM(np.linalg.inv(np.array(stiffness))) @ force
        g = ca.Function("deflection", [theta, rate, second], [ca.densify(out)], ["theta", "rate", "second"], ["delta"])
        return compile_function(g, backend=self.eom.backend, lanes=False)


GOALS = tuple(f"goal{i}" for i in range(1, 7))
SPEEDS = tuple(f"speed{i}" for i in range(1, 7))
EFFORTS = tuple(f"effort{i}" for i in range(1, 7))
TORQUE = ("torque_x", "torque_y", "torque_z")
ATTITUDE = ("heading_w", "heading_x", "heading_y", "heading_z")
HELD = (*GOALS, *SPEEDS, *EFFORTS, *TORQUE, *ATTITUDE)
"""What guidance holds for the feedback: joints, their rates and torques, torque and attitude of the base."""
EYE = tuple(f"eye.{x}" for x in ("x", "y", "z", "qw", "qx", "qy", "qz"))
HAND = tuple(f"hand.{x}" for x in ("x", "y", "z", "qw", "qx", "qy", "qz"))


def chaser_sensors(noise: SensorNoise, period: float) -> tuple[Sensor, ...]:
    """Sensors of the chaser, whose readings the laws see in place of the truth."""
    joints = [f"theta{i}" for i in range(1, 7)]
    of = ("base.position", "base.attitude", "base.velocity", "base.rate")
    sizes = np.repeat([noise.position, noise.attitude, noise.velocity, noise.rate], 3)
    return (
        Sensor("inertial", of, period, noise=tuple(map(float, sizes))),
        Sensor(
            "arm",
            [*joints, *(f"{x}_dot" for x in joints)],
            period,
            noise=(0.0,) * 6 + (noise.joint_rate,) * 6,
            quantum=(noise.encoder,) * 6 + (0.0,) * 6,
        ),
    )


@dataclass(frozen=True)
class CaptureFeedback:
    """Inner law of a capture: PD of the joints and of the base's attitude around what guidance holds.

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
    def tuned(robot: HeldBase, posture: Array, gains: CaptureGains) -> CaptureFeedback:
        """Gains on the diagonal of the mass matrix of a robot in a posture (nq)."""
        D = np.diag(robot.eom.mass_matrix(posture))
        base, joints, _ = robot.rows
        kp, kd = gains.arm**2 * D[joints], 2.0 * gains.arm_damping * gains.arm * D[joints]
        own, rate = gains.base**2 * D[base[3:]], 2.0 * gains.base_damping * gains.base * D[base[3:]]
        return CaptureFeedback(*(tuple(float(x) for x in row) for row in (kp, kd, own, rate)))

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """No internal states."""
        return ()

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """No internal states."""
        return np.zeros(0)

    def expression(self, eom: EquationsOfMotion, t: Any, q: Any, v: Any, z: Any, p: Any) -> tuple[Any, Any]:
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


class CaptureGuide:
    """Outer stage of a capture: cameras, filter of the debris, replanning, references of the whole robot.

    It sees what the sensors measure; the true poses of the cameras only serve to take the pictures.

    Parameters
    ----------
    plan
        The plan, made of the estimate.
    robot, arm
        The nominal robot, rigid and flexible.
    estimate, watch
        First estimate of the debris, its clock that of the run, and the filter; None: the debris is known.
    body
        The true debris, of which the cameras take pictures.
    gains
        Settings of the loops.
    rng
        Source of the noise of the pictures; None: without.
    """

    def __init__(
        self,
        plan: RobotCapture,
        robot: HeldBase,
        arm: BentArm,
        *,
        estimate: TumblingEstimate | None,
        watch: TumblingFilter | None,
        body: TumblingBody,
        gains: CaptureGains,
        rng: np.random.Generator | None,
    ) -> None:
        if (estimate is None) != (watch is None):
            raise InputError("an estimate of the debris needs its filter, and the filter an estimate")
        self.plan, self.robot, self.arm, self.gains = plan, robot, arm, gains
        self.estimate, self.watch, self.body, self.rng = estimate, watch, body, rng
        self.R0 = _matrix(plan.attitude)
        self.theta = plan.motion.joints[0].copy()
        self.command = self.theta.copy()
        self.shift, self.shift_rate = np.zeros(6), np.zeros(6)
        self.correction = np.zeros(3)
        self.pictures: deque[Any] = deque()
        self.hand_pictures: deque[Any] = deque()
        self.camera = StereoCamera() if watch is None else watch.camera
        self.least = np.inf
        self._next_plan = gains.replan
        self._go_on(0.0, plan.path)

    def stage(self) -> Guidance:
        """The stage of a `dalembert.control.Cascade`, below which `CaptureFeedback` runs."""
        return Guidance(self, self.gains.period * self.gains.every, HELD, (*EYE, *HAND))

    def _go_on(self, t: float, path: PosePath) -> None:
        """Take a path, and all its points up to the next one at once: that is many times faster than one by one."""
        h = self.gains.period * self.gains.every
        self.path, self.begun = path, t
        self._ahead = path(h * np.arange(round(self.gains.replan / h) + 1))

    def _due(self, t: float) -> bool:
        """Whether a picture is taken now."""
        return abs(t / self.camera.period - round(t / self.camera.period)) < 1e-6

    def _look(self, t: float, x: Array, R: Array, s: Mapping[str, float]) -> None:
        """Take a picture when it is time, and use those that have arrived."""
        if self.watch is None or self.estimate is None:
            return
        if self._due(t):
            debris = np.eye(4)
            debris[:3, :3] = self.body.attitude(t)
            debris[:3, 3] = np.array(self.body.position) + t * np.array(self.body.velocity)
            believed = np.eye(4)
            believed[:3, :3], believed[:3, 3] = R, x
            chosen, pixels = self.watch.picture(debris, _pose(s, EYE), self.rng)
            self.pictures.append((t, chosen, pixels, believed @ base_camera()))
        while self.pictures and self.pictures[0][0] + self.camera.delay <= t + 1e-9:
            self.estimate = self.watch.correct(self.estimate, *self.pictures.popleft())

    def _look_by_hand(self, t: float, motion: PoseMotion, s: Mapping[str, float]) -> None:
        """What the camera in the hand sees of the target point, compared with what it should see."""
        g, camera = self.gains, self.camera
        if not g.hand or t < self.plan.duration - g.hand_from:
            return
        if self._due(t):
            X = _pose(s, HAND)
            seen = X[:3, :3].T @ (self.body.target(t).position - X[:3, 3]) + _BEHIND
            if seen[2] > 0.1 and camera.seen(seen):
                found = camera.points(camera.take(seen, self.rng)) - _BEHIND
                planned = self.debris.target(t).position - motion.position
                self.hand_pictures.append((t, motion.rotation @ found - planned))
        while self.hand_pictures and self.hand_pictures[0][0] + camera.delay <= t + 1e-9:
            _, miss = self.hand_pictures.popleft()
            self.correction = self.correction + g.hand * camera.period * miss

    @property
    def debris(self) -> TumblingBody:
        """The debris as it is estimated now."""
        return self.body if self.estimate is None else self.estimate.body(self.plan.body.point)

    def __call__(self, t: float, q: Array, v: Array, s: Mapping[str, float]) -> Array:
        """Values to hold."""
        g, plan, robot, R0 = self.gains, self.plan, self.robot, self.R0
        x, R = q[:3], _matrix(q[3:7] / np.linalg.norm(q[3:7]))
        self._look(t, x, R, s)
        if t >= self._next_plan - 1e-9:
            self._next_plan += g.replan
            self._go_on(t, plan.replan(t, self.path(t - self.begun), self.debris, lead=g.lead))
        k = min(round((t - self.begun) / (g.period * g.every)), len(self._ahead[0]) - 1)
        motion = PoseMotion(*(y[k] for y in self._ahead))
        self._look_by_hand(t, motion, s)
        self.theta, _ = robot.solve(self.theta, R0.T @ (motion.position - plan.centre), R0.T @ motion.rotation, 1)
        _, J = robot.tip(self.theta)
        lift = np.kron(np.eye(2), R0.T)
        rates = np.linalg.solve(J, lift @ np.concatenate([motion.velocity, motion.rate]))
        drift = robot.drift(self.theta, rates)
        second = np.linalg.solve(J, lift @ np.concatenate([motion.acceleration, motion.rate_change]) - drift)
        efforts = robot.effort(self.theta, rates, second)
        self.least = min(self.least, float(np.linalg.svd(J, compute_uv=False)[-1]))
        command_rates = self._command(x, R, motion, rates, second)
        base, joints, _ = robot.rows
        return np.concatenate([self.command, command_rates, efforts[joints], efforts[base[3:]], plan.attitude])

    def _command(self, x: Array, R: Array, motion: PoseMotion, rates: Array, second: Array) -> Array:
        """Joints that bring the tip of the bent arm to its path on the base as it is, and their rates."""
        g, plan, robot, R0 = self.gains, self.plan, self.robot, self.R0
        home = plan.centre + R0 @ robot.place(self.theta)
        # the base is not quite where the model puts it: the arm follows it, through a filter
        h, w = g.period * g.every, g.follow
        off = np.concatenate([x - home, _log(R @ R0.T)])
        self.shift_rate = self.shift_rate + h * (w * w * (off - self.shift) - 1.6 * w * self.shift_rate)
        self.shift = self.shift + h * self.shift_rate
        Rb = _exp(self.shift[3:]) @ R0
        base = np.concatenate([home + self.shift[:3], _quaternion(Rb)])
        delta = self.arm.deflection(self.theta, rates, second)
        for _ in range(2):
            X, Jb, Jt = self.arm.tip(base, self.command, delta)
            goal = motion.position + self.correction
            e = np.concatenate([goal - X[:3, 3], X[:3, :3] @ _log(X[:3, :3].T @ motion.rotation)])
            self.command = self.command + np.clip(np.linalg.solve(Jt, e), -0.05, 0.05)
        carried = Jb @ np.concatenate([Rb.T @ self.shift_rate[:3], Rb.T @ self.shift_rate[3:]])
        return np.asarray(rates - np.linalg.solve(Jt, carried))


_BEHIND = np.array([0.0, 0.0, 0.3])
"""Place of the tip as the camera in the hand sees it: far enough that the target point is seen until the end."""


def _pose(s: Mapping[str, float], names: tuple[str, ...]) -> Array:
    values = np.array([s[name] for name in names])
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = _matrix(values[3:]), values[:3]
    return X


def _matrix(Q: Array) -> Array:
    w, x, y, z = np.asarray(Q, dtype=float).tolist()
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _log(R: Array) -> Array:
    w = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    s = float(np.sqrt(w @ w))
    return w if s < 1e-9 else np.arctan2(s, 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1.0)) / s * w


def _exp(w: Array) -> Array:
    a = float(np.sqrt(w @ w))
    K = np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
    return np.asarray(np.eye(3) + np.sinc(a / np.pi) * K + 0.5 * np.sinc(a / 2 / np.pi) ** 2 * (K @ K))


def _quaternion(R: Array) -> Array:
    """Quaternion of a rotation that is not near half a turn."""
    w = 0.5 * np.sqrt(max(1.0 + R[0, 0] + R[1, 1] + R[2, 2], 1e-12))
    Q = np.array([w, (R[2, 1] - R[1, 2]) / (4 * w), (R[0, 2] - R[2, 0]) / (4 * w), (R[1, 0] - R[0, 1]) / (4 * w)])
    return np.asarray(Q / np.linalg.norm(Q))
