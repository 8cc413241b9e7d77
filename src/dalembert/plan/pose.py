"""Paths of a hand in position and attitude: from rest, or from any motion, onto a target that moves and turns."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array
from dalembert.core.validation import check_number
from dalembert.plan.tumbling import TumblingBody

__all__ = ["PoseMotion", "PosePath", "grip_rotation", "gripped", "meet_pose", "resting_pose"]


class PoseMotion(NamedTuple):
    """Motion of a frame in world axes: position (..., 3) and rotation (..., 3, 3), their rates and accelerations."""

    position: Array
    velocity: Array
    acceleration: Array
    rotation: Array
    rate: Array
    rate_change: Array


Pose = Callable[[ArrayLike], PoseMotion]


def resting_pose(position: ArrayLike, rotation: ArrayLike) -> PoseMotion:
    """Motion of a frame that is at rest."""
    x, R = as_numbers(position), as_numbers(rotation)
    if x.shape != (3,) or R.shape != (3, 3) or np.abs(R @ R.T - np.eye(3)).max() > 1e-9:
        raise InputError(f"a pose is a position (3) and a rotation matrix (3 x 3), got {position!r} and {rotation!r}")
    zero = np.zeros(3)
    return PoseMotion(x, zero, zero, R, zero, zero)


def grip_rotation(grip: ArrayLike | None) -> Array:
    """Attitude of the tip in axes of the debris (3 x 3) of a grip.

    Parameters
    ----------
    grip
        That attitude itself (3 x 3), as plans have it; or the pose of the debris in axes of the tip (4 x 4), as
        machines after the grip have it; None: the tip has the attitude of the debris.

    Examples
    --------
    >>> turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    >>> held = np.eye(4)
    >>> held[:3, :3] = turn.T
    >>> bool(np.all(grip_rotation(turn) == grip_rotation(held)))
    True
    """
    if grip is None:
        return np.eye(3)
    try:
        X = as_numbers(grip)
    except (TypeError, ValueError):
        X = np.zeros(0)
    R = X[:3, :3].T if X.shape == (4, 4) else X
    if R.shape != (3, 3) or np.abs(R @ R.T - np.eye(3)).max() > 1e-6:
        raise InputError(
            "a grip is the attitude of the tip in axes of the debris (a rotation matrix, 3 x 3) or the pose of the "
            f"debris in axes of the tip (4 x 4), got {grip!r}"
        )
    return np.asarray(R)


def gripped(body: TumblingBody, rotation: ArrayLike | None = None) -> Pose:
    """Motion of a grip at the target point of a tumbling body: a function of time.

    Parameters
    ----------
    body
        The body.
    rotation
        The grip, see `grip_rotation`; None: the attitude of the body.

    Examples
    --------
    >>> body = TumblingBody(inertia=(1.0, 2.0, 3.0), rate=(0.0, 0.1, 0.0), point=(1.0, 0.0, 0.0))
    >>> gripped(body)(0.0).velocity.round(3).tolist()
    [0.0, 0.0, -0.1]
    """
    grip = grip_rotation(rotation)

    def motion(t: ArrayLike) -> PoseMotion:
        R, w, change, point = body.motion(t)
        return PoseMotion(*point[:3], R @ grip, _times(R, w), _times(R, change))

    return motion


@dataclass(frozen=True)
class PosePath:
    """A path that meets a target in pose, velocity and acceleration, and goes with it from there on.

    Position and rotation vector (relative to the attitude at the start) are polynomials of least jerk, SPACE (7.46).

    Attributes
    ----------
    target, duration
        Motion of the target, and when it is met [s].
    start
        Attitude at the start.
    places, turns
        Coefficients (6, 3) of the powers of ``t / duration``.
    """

    target: Pose
    duration: float
    start: Array
    places: Array
    turns: Array

    def __call__(self, t: ArrayLike) -> PoseMotion:
        """Motion at times (...) after the start."""
        s = as_numbers(t)
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
        s = t / self.duration
        powers = s[..., None] ** np.arange(6)
        both = np.hstack([self.places, self.turns])
        values = [powers[..., : 6 - k] @ (_FACTORS[k] * both[k:]) / self.duration**k for k in range(3)]
        R, w, change = _turned(*(y[..., 3:] for y in values))
        A = self.start @ R
        x, v, a = (y[..., :3] for y in values)
        return PoseMotion(x, v, a, A, _times(A, w), _times(A, change))


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
    if not np.isfinite(np.concatenate([np.ravel(x) for x in (*start, *end)])).all():
        raise InputError(f"a path needs finite motions at its ends, got {start} and {end}")
    R0 = np.asarray(start.rotation)
    first = _vector(np.eye(3), R0.T @ start.rate, R0.T @ start.rate_change)
    last = _vector(R0.T @ end.rotation, end.rotation.T @ end.rate, end.rotation.T @ end.rate_change)
    return PosePath(target, tf, R0, _least_jerk(start[:3], end[:3], tf), _least_jerk(first, last, tf))


_FACTORS = tuple(np.array([[float(math.perm(i, k))] for i in range(k, 6)]) for k in range(3))
"""Factors of the derivatives of the powers up to the fifth."""


def _least_jerk(start: Sequence[Array], end: Sequence[Array], tf: float) -> Array:
    """Coefficients (6, 3) of the powers of ``t / tf``: from position, velocity and acceleration to others, (7.46)."""
    c0, c1, c2 = start[0], tf * start[1], 0.5 * tf**2 * start[2]
    d, e, f = end[0] - c0 - c1 - c2, tf * end[1] - c1 - 2.0 * c2, tf**2 * end[2] - 2.0 * c2
    return np.array([c0, c1, c2, 10 * d - 4 * e + f / 2, -15 * d + 7 * e - f, 6 * d - 3 * e + f / 2])


def _vector(R: Array, w: Array, change: Array) -> tuple[Array, Array, Array]:
    """Rotation vector of a rotation with body rate ``w`` and its rate of change, and the vector's first derivatives."""
    phi = _log(R)
    shapes = _shapes(np.linalg.norm(phi))
    a, b, _, _ = shapes
    K = _cross(phi)
    J = np.eye(3) - a * K + b * (K @ K)
    rate: Array = np.asarray(np.linalg.solve(J, w), dtype=float)
    second = np.linalg.solve(J, change - _right_jacobian_rate(phi, rate, shapes) @ rate)
    return phi, rate, np.asarray(second, dtype=float)


def _turned(phi: Array, rate: Array, second: Array) -> tuple[Array, Array, Array]:
    """Rotation of a rotation vector, its body rate and rate of change."""
    K, angle = _cross(phi), np.sqrt(np.sum(phi * phi, axis=-1))
    shapes = _shapes(angle)
    a, b = (x[..., None, None] for x in shapes[:2])
    # sin x / x = 1 - x^2 b
    square = K @ K
    R = np.eye(3) + (1.0 - (angle**2)[..., None, None] * b) * K + a * square
    J = np.eye(3) - a * K + b * square
    change = _times(J, second) + _times(_right_jacobian_rate(phi, rate, shapes), rate)
    return R, _times(J, rate), change


def _times(A: Array, x: Array) -> Array:
    return np.asarray((A @ x[..., None])[..., 0])


def _cross(x: Array) -> Array:
    K = np.zeros((*x.shape, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        K[..., i, j], K[..., j, i] = -x[..., k], x[..., k]
    return K


def _shapes(angle: ArrayLike) -> tuple[Array, Array, Array, Array]:
    """``a = (1 - cos x) / x^2``, ``b = (x - sin x) / x^3`` and their derivatives over ``x``."""
    theta = np.asarray(angle, dtype=float)
    small = theta < 0.1  # series, before the differences lose their digits
    s = np.where(small, theta, 0.0) ** 2
    x = np.where(small, 1.0, theta)
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


def _right_jacobian_rate(phi: Array, rate: Array, shapes: tuple[Array, ...]) -> Array:
    """Time derivative of the matrix ``J = 1 - a K + b K K`` of the body rate ``J phi'`` of a rotation vector."""
    a, b, da, db = (x[..., None, None] for x in shapes)
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
