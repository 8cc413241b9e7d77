"""Guidance of a capture: references that respect momentum, efforts fed forward, updated from the pictures.

The base is fed the torque that the nominal motion takes, and so are the joints; feedback has only the rest to do.
Without it the base turns by a degree and the tip misses by centimetres, as its flexible arm would follow the base.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert.control.cascade import Guidance
from dalembert.control.estimation import StereoCamera, TumblingEstimate, TumblingFilter
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.plan.pose import PosePath
from dalembert.plan.robot_capture import RobotCapture
from dalembert.plan.tumbling import TumblingBody
from dalembert.systems.space_robots.feedback import CaptureGains, held_names
from dalembert.systems.space_robots.guide_law import GuideLaw, packed
from dalembert.systems.space_robots.sensors import BEHIND

__all__ = ["EYE", "SEEN", "CaptureGuide", "pose_of"]

EYE = tuple(f"eye.{x}" for x in ("x", "y", "z", "qw", "qx", "qy", "qz"))
HAND = tuple(f"hand.{x}" for x in ("x", "y", "z", "qw", "qx", "qy", "qz"))
SEEN = tuple(f"seen.{x}" for x in ("x", "y", "z", "qw", "qx", "qy", "qz"))
TARGET = tuple(f"target.{x}" for x in ("x", "y", "z"))


class CaptureGuide:
    """Outer stage of a capture: cameras, filter of the debris, replanning, references of the whole robot.

    It sees the measurements of the sensors; the true poses of the cameras only serve to take the pictures.

    Parameters
    ----------
    plan
        The plan, made of the estimate.
    law
        Computation of each instant.
    estimate, watch
        First estimate of the debris, its clock that of the run, and the filter; None: the debris is known.
    body
        The debris, if it is known.
    gains
        Settings of the loops.
    rng
        Source of the noise of the pictures; None: without.
    mount
        Pose of the camera on the base (4 x 4).
    scene
        Equations of the machine that flies, in whose coordinates the measurements are.
    centre
        Centre of mass of the debris in axes of its body.
    hand_error
        How far beside its place the camera in the hand sees the target point, in axes of the tip; None: not at all.
    hand_camera
        Camera in the hand; None: one like that of the filter.

    Examples
    --------
    >>> from dalembert.systems.space_robots import random_case, fly_capture
    >>> outcome = fly_capture(random_case(0))  # makes a guide for its approach  # doctest: +SKIP
    """

    def __init__(
        self,
        plan: RobotCapture,
        law: GuideLaw,
        *,
        estimate: TumblingEstimate | None,
        watch: TumblingFilter | None,
        body: TumblingBody,
        gains: CaptureGains,
        rng: np.random.Generator | None,
        mount: Array,
        scene: EquationsOfMotion,
        centre: Array,
        hand_error: Array | None = None,
        hand_camera: StereoCamera | None = None,
    ) -> None:
        if (estimate is None) != (watch is None):
            raise InputError("an estimate of the debris needs its filter, and the filter an estimate")
        self.plan, self.gains, self._law, self._holds = plan, gains, law.kernel, held_names(law.n)
        self.estimate, self.watch, self.body, self.rng = estimate, watch, body, rng
        self.state = law.start(plan.motion.joints[0])
        block = next(b for b in scene.layout.blocks if b.name == law.robot.base)
        self._base, self._centre, self._robot = slice(block.q.start, block.q.stop), centre, law.robot
        self._joints = np.array([scene.q_names.index(n) for n in law.robot.names])
        self.correction = np.zeros(3)
        self._behind = BEHIND if hand_error is None else BEHIND - hand_error
        self.pictures: deque[Any] = deque()
        self.hand_pictures: deque[Any] = deque()
        self.camera = StereoCamera() if watch is None else watch.camera
        self._hand_camera = self.camera if hand_camera is None else hand_camera
        self._frame = np.concatenate([plan.centre, plan.attitude])
        self._period = gains.period * gains.every
        self._filter = np.array([self._period, gains.follow])
        self._mount = mount
        self._next_plan = gains.replan
        self._go_on(0.0, plan.path)

    def stage(self) -> Guidance:
        """The stage of a `dalembert.control.Cascade`, below which `CaptureFeedback` runs."""
        return Guidance(self, self._period, self._holds, (*EYE, *HAND, *SEEN, *TARGET))

    def _go_on(self, t: float, path: PosePath) -> None:
        """Take a path, and all its points up to the next one at once: that is many times faster than one by one."""
        self.path, self.begun = path, t
        self._ahead = packed(path(self._period * np.arange(round(self.gains.replan / self._period) + 1)))

    def _picture(self, t: float) -> int | None:
        """Number of the picture that is taken now, if one is."""
        k = round(t / self.camera.period)
        return k if abs(t / self.camera.period - k) < 1e-6 else None

    def _look(self, t: float, q: Array, s: Mapping[str, float], k: int | None) -> None:
        """Take a picture when it is time, and use those that have arrived."""
        if self.watch is None or self.estimate is None:
            return
        if k is not None:
            X = pose_of([s[n] for n in SEEN])
            X[:3, 3] += X[:3, :3] @ self._centre
            chosen, pixels = self.watch.picture(X, pose_of([s[n] for n in EYE]), self.rng)
            self.pictures.append((t, chosen, pixels, pose_of(q[self._base].tolist()) @ self._mount))
        while self.pictures and self.pictures[0][0] + self.camera.delay <= t + 1e-9:
            self.estimate = self.watch.correct(self.estimate, *self.pictures.popleft())

    def _hand(self, q: Array, motion: Array) -> Array:
        """Attitude of the hand as the chaser knows it: the planned one, or where that is free as its joints tell."""
        if self.plan.task == "pose":
            return motion[9:18].reshape(3, 3)
        return np.asarray(pose_of(q[self._base].tolist())[:3, :3] @ self._robot.tip(q[self._joints])[0][:3, :3])

    def _look_by_hand(self, t: float, q: Array, motion: Array, s: Mapping[str, float], k: int | None) -> None:
        """Image of the target point in the camera on the hand, compared with the desired one."""
        g, camera = self.gains, self._hand_camera
        if not g.hand or t < self.plan.duration - g.hand_from:
            return
        if k is not None:
            X = pose_of([s[n] for n in HAND])
            seen = X[:3, :3].T @ (np.array([s[n] for n in TARGET]) - X[:3, 3]) + BEHIND
            if seen[2] > 0.1 and camera.seen(seen):
                place = camera.points(camera.take(seen, self.rng)) - self._behind
                planned = self._expected(t) - motion[:3]
                self.hand_pictures.append((t, self._hand(q, motion) @ place - planned))
        while self.hand_pictures and self.hand_pictures[0][0] + camera.delay <= t + 1e-9:
            _, miss = self.hand_pictures.popleft()
            self.correction = self.correction + g.hand * self.camera.period * miss

    def _expected(self, t: float) -> Array:
        """Place of the target point as it is estimated."""
        point = np.array(self.plan.body.point)
        if self.estimate is None:
            return self.body.target(t).position
        return self.estimate.place(t, point)

    @property
    def debris(self) -> TumblingBody:
        """The debris as it is estimated now."""
        return self.body if self.estimate is None else self.estimate.body(self.plan.body.point)

    def __call__(self, t: float, q: Array, v: Array, s: Mapping[str, float]) -> Array:
        """Values to hold."""
        k = self._picture(t)
        self._look(t, q, s, k)
        if t >= self._next_plan - 1e-9:
            self._next_plan += self.gains.replan
            now = self.path(t - self.begun)
            self._go_on(t, self.plan.replan(t, now, self.debris, lead=self.gains.lead))
        motion = self._ahead[min(round((t - self.begun) / self._period), len(self._ahead) - 1)]
        self._look_by_hand(t, q, motion, s, k)
        self.state, held = self._law(self.state, q[self._base], motion, self.correction, self._frame, self._filter)
        return np.asarray(held)


def pose_of(values: list[float]) -> Array:
    """Homogeneous matrix of a place and a quaternion."""
    a, b, c, w, x, y, z = values
    n = 1.0 / (w * w + x * x + y * y + z * z)
    return np.array(
        [
            [1 - 2 * n * (y * y + z * z), 2 * n * (x * y - w * z), 2 * n * (x * z + w * y), a],
            [2 * n * (x * y + w * z), 1 - 2 * n * (x * x + z * z), 2 * n * (y * z - w * x), b],
            [2 * n * (x * z - w * y), 2 * n * (y * z + w * x), 1 - 2 * n * (x * x + y * y), c],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )
