"""From a hold point to the side of the debris where the arm begins: fly-around, then a straight final approach.

The chaser faces the debris all the way, so that the camera on the base sees it. It stays outside of a sphere around the
debris until the last part, which is straight, along the direction in which the arm works.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from dalembert.control.cascade import Cascade, Follow, Guidance, Sampled
from dalembert.control.estimation import TumblingEstimate, TumblingFilter
from dalembert.control.laws import PD
from dalembert.control.spacecraft import BasePD, Feedforward, FollowPose, Together
from dalembert.core.errors import PlanError
from dalembert.core.ports import Law
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.spatial.rotations import quaternion_from_matrix
from dalembert.systems.space_robots.feedback import CaptureGains
from dalembert.systems.space_robots.guidance import EYE, SEEN, pose_of
from dalembert.systems.space_robots.twins import ChaserTwins

__all__ = [
    "USE",
    "FlightGuide",
    "FlyAround",
    "Way",
    "chosen_way",
    "cross_matrix",
    "flight_loop",
    "rotation_vector",
    "smooth",
    "smooth_rates",
    "turned_by",
]

_POSE, _TWIST = ("x", "y", "z", "qw", "qx", "qy", "qz"), ("vx", "vy", "vz", "wx", "wy", "wz")
_WRENCH = tuple(f"ff.{k}" for k in ("fx", "fy", "fz", "nx", "ny", "nz"))
_GRID = 0.5  # of the tables of efforts [s]
_FILTER = 8.0  # corner frequency of the filter of the base's feedback over the frequency of its loop
_BRAKE = 12.0  # time in which joints come to rest [s]
USE = 0.6  # part of the hardware's force and torque that the way may take


class Way(Protocol):
    """A way of the base in time."""

    @property
    def duration(self) -> float:
        """Seconds of the way."""

    def motion(self, t: float) -> tuple[Array, Array, Array]:
        """Pose (7), twist, and its rate of change by thrust, in axes of the base, at a time from the begin."""


@dataclass(frozen=True)
class FlyAround:
    """A way of the base around a debris and on to it, at rest at both ends.

    The base is at ``centre - rho(t) R(t) outward`` with the attitude ``R(t) = exp(s(t) log side^T)``; first it goes
    around at distances from ``far`` to ``near``, then straight from ``near`` to ``distance``. Both parts are
    polynomials of fifth degree.

    Attributes
    ----------
    centre, outward
        Centre of the debris in world axes, and the direction of the arm in axes of the base.
    side
        Side of the plan: the debris as it is seen at the end is turned by it.
    far, near, distance
        Distances of the base from the centre at the hold point, at the begin of the straight part, and at the end [m].
    times
        Durations of both parts [s].
    """

    centre: Array
    outward: Array
    side: Array
    far: float
    near: float
    distance: float
    times: tuple[float, float]

    @property
    def duration(self) -> float:
        """Seconds of the way."""
        return sum(self.times)

    def pose(self, t: float) -> tuple[Array, Array]:
        """Position and rotation of the base at a time from the begin."""
        s = smooth(t / self.times[0])
        w = smooth((t - self.times[0]) / self.times[1])
        R = turned_by(s * rotation_vector(self.side.T))
        rho = self.far + s * (self.near - self.far) + w * (self.distance - self.near)
        return self.centre - rho * R @ self.outward, R

    def motion(self, t: float) -> tuple[Array, Array, Array]:
        """Pose (7), twist and its rate of change in axes of the base."""
        (s, s1, s2), (w, w1, w2) = (
            (smooth(x), *smooth_rates(x, time))
            for x, time in ((t / self.times[0], self.times[0]), ((t - self.times[0]) / self.times[1], self.times[1]))
        )
        axis = rotation_vector(self.side.T)
        K, R = cross_matrix(axis), turned_by(s * axis)
        steps = self.near - self.far, self.distance - self.near
        rho, rho1, rho2 = (a * steps[0] + b * steps[1] for a, b in ((s, w), (s1, w1), (s2, w2)))
        rho += self.far
        # derivatives of R outward, in axes of the base: the rate of R is along the axis, in both axes
        d0, d1 = self.outward, s1 * (K @ self.outward)
        d2 = s2 * (K @ self.outward) + s1 * (K @ d1)
        v, second = -(rho1 * d0 + rho * d1), -(rho2 * d0 + 2.0 * rho1 * d1 + rho * d2)
        # rate of change of the velocity in axes that turn
        pose = np.concatenate([self.centre - rho * (R @ d0), quaternion_from_matrix(R).ravel()])
        return pose, np.concatenate([v, s1 * axis]), np.concatenate([second - s1 * (K @ v), s2 * axis])


def braked(x: float) -> float:
    """Way of a motion that brakes smoothly from the rate one at zero to rest at one."""
    y = min(max(x, 0.0), 1.0)
    return y - y**4 * (2.5 - 3.0 * y + y * y)


def smooth(x: float) -> float:
    """Fraction of a smooth move after a fraction of its time."""
    y = min(max(x, 0.0), 1.0)
    return y**3 * (10.0 - 15.0 * y + 6.0 * y * y)


def smooth_rates(x: float, time: float) -> tuple[float, float]:
    """First and second derivative of that fraction by time, for a move that takes a time."""
    y = min(max(x, 0.0), 1.0)
    return 30.0 * y**2 * (1.0 - y) ** 2 / time, 60.0 * y * (1.0 - 3.0 * y + 2.0 * y * y) / time**2


def rotation_vector(R: Array) -> Array:
    """Rotation vector of a rotation, by its quaternion."""
    w, *rest = quaternion_from_matrix(R).ravel()
    v = np.array(rest) * (1.0 if w >= 0.0 else -1.0)
    s = float(np.linalg.norm(v))
    return np.asarray(2.0 * v if s < 1e-12 else 2.0 * np.arctan2(s, abs(float(w))) / s * v)


def cross_matrix(w: Array) -> Array:
    """Matrix of the cross product from the left."""
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def turned_by(w: Array) -> Array:
    """Rotation of a rotation vector."""
    a = float(np.linalg.norm(w))
    K = cross_matrix(w)
    whole = 1.0 if a < 1e-9 else np.sin(a) / a
    half = 0.5 if a < 1e-9 else (1.0 - np.cos(a)) / a**2
    return np.asarray(np.eye(3) + whole * K + half * K @ K)


class FlightGuide:
    """Guidance of the way: references and efforts from tables, pictures of the debris meanwhile.

    Parameters
    ----------
    way
        The way; its begin is at ``begin`` of the clock.
    twins, posture
        The chaser, and the joints that its arms keep.
    begin
        Time of the begin [s].
    estimate, watch
        Estimate of the debris and its filter; None: the debris is known.
    scene, mount, centre
        As in `CaptureGuide`.
    rng
        Source of the noise of the pictures.
    rates
        Rates of the joints at the begin, from which they brake; None: they rest.
    """

    def __init__(
        self,
        way: Way,
        twins: ChaserTwins,
        posture: Array,
        begin: float,
        *,
        estimate: TumblingEstimate | None,
        watch: TumblingFilter | None,
        scene: EquationsOfMotion,
        mount: Array,
        centre: Array,
        rng: np.random.Generator,
        rates: Array | None = None,
    ) -> None:
        self._rates = np.zeros(len(posture)) if rates is None else rates
        self.way, self.twins, self.posture, self.begin = way, twins, posture, begin
        self.estimate, self.watch, self.rng = estimate, watch, rng
        block = next(b for b in scene.layout.blocks if b.name == twins.base)
        self._base, self._mount, self._centre = slice(block.q.start, block.q.stop), mount, centre
        self._pictures: deque[Any] = deque()
        self._next = begin

    @property
    def holds(self) -> tuple[str, ...]:
        """Names of the held values."""
        joints = (f"{kind}.{n}" for kind in ("ff", "still") for n in self.twins.joints)
        return (*(f"fly.{k}" for k in (*_POSE, *_TWIST)), *_WRENCH, *joints)

    @cached_property
    def table(self) -> tuple[Array, Array]:
        """Times from the begin, and poses, twists, wrenches of the base and torques of the joints then."""
        robot = self.twins.rigid
        eom, (base, joints, _) = robot.eom, robot.rows
        block = next(b for b in eom.layout.blocks if b.name == robot.base)
        t = np.linspace(0.0, self.way.duration, int(np.ceil(self.way.duration / _GRID)) + 1)
        pose, twist, change = (np.array(x) for x in zip(*(self.way.motion(float(x)) for x in t), strict=True))
        q, v, a = np.tile(eom.q_neutral, (len(t), 1)), np.zeros((len(t), eom.nv)), np.zeros((len(t), eom.nv))
        q[:, robot.rows[2]] = self.posture
        q[:, block.q], v[:, base], a[:, base] = pose, twist, change
        effort = eom.inverse_dynamics(q, v, a)
        table = np.hstack([pose, twist, effort[:, base], effort[:, joints]])
        flips = np.cumprod(np.where(np.sum(table[1:, 3:7] * table[:-1, 3:7], axis=1) < 0.0, -1.0, 1.0))
        table[1:, 3:7] *= flips[:, None]
        return t, table

    def most(self) -> Array:
        """Largest wrench of the base on the way, (6)."""
        return np.asarray(np.abs(self.table[1][:, 13:19]).max(axis=0))

    def __call__(self, t: float, q: Array, v: Array, s: Mapping[str, float]) -> Array:
        """Values to hold."""
        self._look(t, q, s)
        times, table = self.table
        since = min(t - self.begin, self.way.duration)
        k = min(int(since / times[1]), len(times) - 2)
        part = since / times[1] - k
        row = (1.0 - part) * table[k] + part * table[k + 1]
        pose, twist, _ = self.way.motion(since)
        if pose[3:] @ row[3:7] < 0.0:
            pose[3:] = -pose[3:]
        return np.concatenate([pose, twist, row[13:], self.posture + braked(since / _BRAKE) * _BRAKE * self._rates])

    def _look(self, t: float, q: Array, s: Mapping[str, float]) -> None:
        """Take a picture every fifth period of the camera, and use those that have arrived."""
        if self.watch is None or self.estimate is None:
            return
        camera = self.watch.camera
        if t >= self._next - 1e-9:
            self._next += 5.0 * camera.period
            X = pose_of([s[n] for n in SEEN])
            X[:3, 3] += X[:3, :3] @ self._centre
            chosen, pixels = self.watch.picture(X, pose_of([s[n] for n in EYE]), self.rng)
            self._pictures.append((t, chosen, pixels, pose_of(q[self._base].tolist()) @ self._mount))
        while self._pictures and self._pictures[0][0] + camera.delay <= t + 1e-9:
            self.estimate = self.watch.correct(self.estimate, *self._pictures.popleft())


def flight_loop(
    guide: FlightGuide,
    gains: CaptureGains,
    tuned_at: tuple[float, ...],
    jets: Callable[[Law], Law],
    slower: int = 1,
) -> Cascade:
    """PD of base and joints around the references of the way, with their efforts fed forward.

    Parameters
    ----------
    guide
        The guidance.
    gains, tuned_at
        Settings of the loops, and the posture for which their gains are computed: one law serves every start.
    jets
        Returns a law with its thrusters metered.
    slower
        How many usual periods of guidance are one here; between them the references move on with their rates.
    """
    twins, robot = guide.twins, guide.twins.rigid
    q = robot.configuration(np.array(tuned_at), np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
    D = np.diag(robot.eom.mass_matrix(q))
    base, joints, _ = robot.rows
    kp, kd = gains.base**2 * D[base], 2.0 * gains.base_damping * gains.base * D[base]
    driven = [m.joint for m in twins.machine.motors if m.joint in twins.joints]
    arm = [float(D[joints][twins.joints.index(n)]) for n in driven]
    names = [f"still.{n}" for n in driven]
    stiff, damped = gains.arm**2, 2.0 * gains.arm_damping * gains.arm
    pose = FollowPose("fly", since="guidance.t")
    law = Together(
        [
            BasePD(kp, kd, pose, twins.base, feedforward=_WRENCH, filter=_FILTER * gains.base),
            PD([stiff * x for x in arm], [damped * x for x in arm], Follow(names)),
            Feedforward({m.name: f"ff.{m.joint}" for m in twins.machine.motors if m.joint in twins.joints}),
        ]
    )
    stage = Guidance(guide, gains.period * gains.every * slower, guide.holds, (*EYE, *SEEN))
    return Cascade(Sampled(jets(law), gains.period), [stage])


def chosen_way(
    twins: ChaserTwins, capacity: Array, posture: Array, way: FlyAround, longest: float = 30.0 * 60.0
) -> FlyAround:
    """The way with the shortest times that the hardware can fly, from those of a first guess on.

    Raises
    ------
    PlanError
        If it takes longer than the longest time, with the component of the wrench that lacks.
    """
    while True:
        guide = FlightGuide(
            way, twins, posture, 0.0, estimate=None, watch=None, scene=twins.rigid.eom, mount=np.eye(4),
            centre=np.zeros(3), rng=np.random.default_rng(0),
        )  # fmt: skip
        ratio = float((guide.most() / (USE * np.maximum(capacity, 1e-12))).max())
        if ratio <= 1.0:
            return way
        longer = tuple(float(np.ceil(x * max(1.05, min(np.sqrt(ratio), 2.0)))) for x in way.times)  # whole seconds
        if sum(longer) > longest:
            raise PlanError(f"the flight around the debris takes longer than {longest:g} s with the forces of the base")
        way = FlyAround(way.centre, way.outward, way.side, way.far, way.near, way.distance, (longer[0], longer[1]))
