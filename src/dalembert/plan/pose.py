"""Paths of a hand in position and attitude: from rest, or from any motion, onto a target that moves and turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.core.validation import check_number
from dalembert.plan.capture import CapturePlan, plan_capture
from dalembert.plan.tumbling import PointMotion, TumblingBody

__all__ = ["PoseMotion", "PosePath", "gripped", "meet_pose", "resting_pose"]


class PoseMotion(NamedTuple):
    """Motion of a frame in world axes: position (..., 3) and rotation (..., 3, 3), their rates and accelerations."""

    position: Array
    velocity: Array
    acceleration: Array
    rotation: Array
    rate: Array
    rate_change: Array


Pose = Callable[[Any], PoseMotion]


def resting_pose(position: ArrayLike, rotation: ArrayLike) -> PoseMotion:
    """Motion of a frame that is at rest."""
    x, R = np.asarray(position, dtype=float), np.asarray(rotation, dtype=float)
    if x.shape != (3,) or R.shape != (3, 3) or np.abs(R @ R.T - np.eye(3)).max() > 1e-9:
        raise InputError(f"a pose is a position (3) and a rotation matrix (3 x 3), got {position!r} and {rotation!r}")
    zero = np.zeros(3)
    return PoseMotion(x, zero, zero, R, zero, zero)


def gripped(body: TumblingBody, rotation: ArrayLike | None = None) -> Pose:
    """Motion of a grip at the target point of a tumbling body: a function of time.

    Parameters
    ----------
    body
        The body.
    rotation
        Attitude of the grip in body axes (3 x 3); None: that of the body.
    """
    grip = np.eye(3) if rotation is None else np.asarray(rotation, dtype=float)
    I = np.array(body.inertia)

    def motion(t: ArrayLike) -> PoseMotion:
        point, R, w = body.target(t), body.attitude(t), body.rates(t)
        change = np.linalg.solve(I, -np.cross(w, w @ I)[..., None])[..., 0]
        rate, turn = (np.einsum("...ij,...j->...i", R, x) for x in (w, change))
        return PoseMotion(point.position, point.velocity, point.acceleration, R @ grip, rate, turn)

    return motion


@dataclass(frozen=True)
class PosePath:
    """A path that meets a target in pose, velocity and acceleration, and goes with it from there on.

    Position and rotation vector (relative to the attitude at the start) are polynomials of least jerk, SPACE (7.46).
    """

    target: Pose
    duration: float
    start: Array
    places: CapturePlan
    turns: CapturePlan

    def __call__(self, t: ArrayLike) -> PoseMotion:
        """Motion at times (...) after the start."""
        s = np.asarray(t, dtype=float)
        if s.ndim == 0:
            return self.target(t) if s >= self.duration else self._before(s)
        before = s < self.duration
        if before.all():
            return self._before(s)
        there = self.target(s)
        way = self._before(np.where(before, s, self.duration))
        return PoseMotion(
            *(np.where(before[(..., *(None,) * (x.ndim - s.ndim))], x, y) for x, y in zip(way, there, strict=True))
        )

    def _before(self, t: Array) -> PoseMotion:
        x, phi = self.places(t), self.turns(t)
        R, w, change = _turned(phi.position, phi.velocity, phi.acceleration)
        A = self.start @ R
        w, change = (np.einsum("...ij,...j->...i", A, y) for y in (w, change))
        return PoseMotion(x.position, x.velocity, x.acceleration, A, w, change)


def meet_pose(target: Pose, start: PoseMotion, duration: float) -> PosePath:
    """Path from a motion onto that of a target, whose position and attitude it matches up to the accelerations.

    Parameters
    ----------
    target
        Motion of the target, a function of time, such as `gripped` gives.
    start
        Motion of the hand at time zero, such as `resting_pose` gives.
    duration
        Time at which they meet.
    """
    tf = check_number("duration", duration, unit="s")
    end = target(tf)
    R0 = np.asarray(start.rotation)
    first = _vector(np.eye(3), R0.T @ start.rate, R0.T @ start.rate_change)
    last = _vector(R0.T @ end.rotation, end.rotation.T @ end.rate, end.rotation.T @ end.rate_change)
    places = plan_capture(_at(PointMotion(*end[:3], np.zeros(3))), np.array(start[:3]), duration=tf)
    turns = plan_capture(_at(PointMotion(*last, np.zeros(3))), np.array(first), duration=tf)
    return PosePath(target, tf, R0, places, turns)


def _at(motion: PointMotion) -> Callable[[Any], PointMotion]:
    """A target that is known at the end only."""
    return lambda t: PointMotion(*(np.broadcast_to(x, (*np.shape(t), 3)) for x in motion))


def _vector(R: Array, w: Array, change: Array) -> tuple[Array, Array, Array]:
    """Rotation vector of a rotation with body rate ``w`` and its rate of change, and the vector's first derivatives."""
    phi = _log(R)
    J = _right_jacobian(phi)
    rate: Array = np.asarray(np.linalg.solve(J, w), dtype=float)
    second = np.linalg.solve(J, change - _right_jacobian_rate(phi, rate) @ rate)
    return phi, rate, np.asarray(second, dtype=float)


def _turned(phi: Array, rate: Array, second: Array) -> tuple[Array, Array, Array]:
    """Rotation of a rotation vector, its body rate and rate of change."""
    K, angle = _cross(phi), np.linalg.norm(phi, axis=-1)
    a, b = (x[..., None, None] for x in _shapes(angle)[:2])
    # sin x / x = 1 - x^2 b
    R = np.eye(3) + (1.0 - (angle**2)[..., None, None] * b) * K + a * (K @ K)
    J = _right_jacobian(phi)
    change = _times(J, second) + _times(_right_jacobian_rate(phi, rate), rate)
    return R, _times(J, rate), change


def _times(A: Array, x: Array) -> Array:
    return np.asarray(np.einsum("...ij,...j->...i", A, x))


def _cross(x: Array) -> Array:
    a, b, c = np.moveaxis(np.asarray(x, dtype=float), -1, 0)
    zero = np.zeros_like(a)
    rows = [[zero, -c, b], [c, zero, -a], [-b, a, zero]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _shapes(angle: ArrayLike) -> tuple[Array, Array, Array, Array]:
    """``a = (1 - cos x) / x^2``, ``b = (x - sin x) / x^3`` and their derivatives over ``x``."""
    given = np.asarray(angle, dtype=float)
    small = given < 0.1  # series, before the differences lose their digits
    s = np.where(small, given, 0.0) ** 2
    x = np.where(small, 1.0, given)
    a, b = (1.0 - np.cos(x)) / x**2, (x - np.sin(x)) / x**3
    far = (a, b, (np.sin(x) / x - 2.0 * a) / x**2, (a - 3.0 * b) / x**2)
    near = (
        1 / 2 - s / 24 + s**2 / 720 - s**3 / 40320 + s**4 / 3628800,
        1 / 6 - s / 120 + s**2 / 5040 - s**3 / 362880 + s**4 / 39916800,
        -1 / 12 + s / 180 - s**2 / 6720 + s**3 / 453600,
        -1 / 60 + s / 1260 - s**2 / 60480 + s**3 / 4989600,
    )
    a, b, da, db = (np.where(small, n, f) for n, f in zip(near, far, strict=True))
    return a, b, da, db


def _right_jacobian(phi: Array) -> Array:
    """Matrix ``J`` of the body rate ``J phi'`` of a rotation vector."""
    a, b, _, _ = (x[..., None, None] for x in _shapes(np.linalg.norm(phi, axis=-1)))
    K = _cross(phi)
    return np.asarray(np.eye(3) - a * K + b * (K @ K))


def _right_jacobian_rate(phi: Array, rate: Array) -> Array:
    a, b, da, db = (x[..., None, None] for x in _shapes(np.linalg.norm(phi, axis=-1)))
    K, D, along = _cross(phi), _cross(rate), np.sum(phi * rate, axis=-1)[..., None, None]
    return np.asarray(-a * D + b * (D @ K + K @ D) + along * (-da * K + db * (K @ K)))


def _log(R: Array) -> Array:
    """Rotation vector of a rotation, by its quaternion: accurate at every angle."""
    trace = float(np.trace(R))
    squares = np.array([trace, *np.diag(R)])
    k = int(np.argmax(squares))
    if k == 0:
        q = np.array([1.0 + trace, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    else:
        i, j, m = k - 1, k % 3, (k + 1) % 3
        q = np.zeros(4)
        q[0], q[1 + i] = R[m, j] - R[j, m], 1.0 + 2.0 * R[i, i] - trace
        q[1 + j], q[1 + m] = R[j, i] + R[i, j], R[m, i] + R[i, m]
    q = q / np.linalg.norm(q) * (1.0 if q[0] >= 0.0 else -1.0)
    s = float(np.linalg.norm(q[1:]))
    return np.asarray(2.0 * q[1:] if s < 1e-12 else 2.0 * np.arctan2(s, q[0]) / s * q[1:])
