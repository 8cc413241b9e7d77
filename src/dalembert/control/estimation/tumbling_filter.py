"""Extended Kalman filter for a body that tumbles freely, with the ratios of its inertia.

States are position and velocity of the centre of mass, attitude (a quaternion, with its error in body axes), rate in
body axes, and five numbers for the inertia, which is known up to a factor without torques:

    J = [e^m1, m3, m4; m3, e^m2, m5; m4, m5, 1]

The filter lives at the time of the last picture. Since the body is free, its motion until a later time is known: a
delay of the pictures costs only the prediction across it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from dalembert.control.estimation.camera import StereoCamera, pose_from_points
from dalembert.control.estimation.tumbling_fit import Fit
from dalembert.control.estimation.tumbling_motion import (
    apart,
    inertia_matrix,
    inertia_numbers,
    moved,
    sight,
    stepped,
)
from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array
from dalembert.core.validation import check_number
from dalembert.model.geometry import Geometry
from dalembert.plan.clearance import boxes_of
from dalembert.plan.tumbling import TumblingBody
from dalembert.spatial.rotations import numpy, quaternion_from_matrix, quaternion_matrix

__all__ = ["ERRORS", "TumblingEstimate", "TumblingFilter"]

ERRORS = ("position", "velocity", "attitude", "rate", "inertia")
_ROWS = (slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 12), slice(12, 17))
_ITERATIONS, _SMALL = 8, 1e-4


@dataclass(frozen=True)
class TumblingEstimate:
    """Estimate of a tumbling body at a time.

    Attributes
    ----------
    t
        The time [s].
    x
        State (18): position, velocity, quaternion (w, x, y, z), body rate, five numbers of the inertia.
    P
        Covariance (17, 17) of the errors: position, velocity, rotation vector in body axes, rate, inertia.
    """

    t: float
    x: Array
    P: Array

    @property
    def inertia(self) -> Array:
        """Inertia (3, 3) relative to its last moment."""
        return inertia_matrix(self.x[13:])

    def deviation(self, name: str) -> float:
        """Root of the sum of the variances of an error: ``"position"``, ``"velocity"``, ``"attitude"``, ``"rate"``."""
        if name not in ERRORS:
            raise InputError(f"an error is one of {', '.join(map(repr, ERRORS))}, got {name!r}")
        rows = _ROWS[ERRORS.index(name)]
        return float(np.sqrt(np.trace(self.P[rows, rows])))

    def body(self, point: ArrayLike = (0.0, 0.0, 0.0)) -> TumblingBody:
        """The estimated body in closed form, its time zero that of the clock, at any time before and after."""
        r, v, Q, w = self.x[:3], self.x[3:6], self.x[6:10], self.x[10:13]
        now = TumblingBody(self.inertia, w, Q, r, v, point)
        then = quaternion_from_matrix(now.attitude(-self.t)).ravel()
        return TumblingBody(self.inertia, now.rates(-self.t), then, r - self.t * v, v, point)

    def place(self, t: float, point: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """Place (3) of a point, in axes of the body, at a later time."""
        span = float(t) - self.t
        if span < 0.0:
            raise InputError(f"an estimate at t = {self.t:g} s predicts later times only, got {t:g}")
        x = stepped(self.x, span)[0] if span else self.x
        return np.asarray(x[:3] + numpy(quaternion_matrix(x[6:10])) @ as_numbers(point))

    def turned(self, rotation: ArrayLike, about: ArrayLike = (0.0, 0.0, 0.0)) -> TumblingEstimate:
        """The estimate in a world that is turned about a point: as it is seen from another side."""
        G, centre = as_numbers(rotation), as_numbers(about)
        x = self.x.copy()
        x[:3], x[3:6] = centre + G @ (x[:3] - centre), G @ x[3:6]
        x[6:10] = quaternion_from_matrix(G @ numpy(quaternion_matrix(self.x[6:10]))).ravel()
        B = np.eye(17)
        B[:3, :3] = B[3:6, 3:6] = G
        return TumblingEstimate(self.t, x, B @ self.P @ B.T)

    def error(self, body: TumblingBody) -> Array:
        """Error (17) against the true body, whose time zero is that of the clock."""
        R = body.attitude(self.t)
        place = np.array(body.position) + self.t * np.array(body.velocity)
        Q = numpy(quaternion_matrix(self.x[6:10]))
        A = Q.T @ R
        w = np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]]) / 2
        s = float(np.linalg.norm(w))
        turn = w if s < 1e-9 else w * np.arctan2(s, (np.trace(A) - 1) / 2) / s
        rest = inertia_numbers(np.array(body.inertia)) - self.x[13:]
        return np.concatenate(
            [place - self.x[:3], np.array(body.velocity) - self.x[3:6], turn, body.rates(self.t) - self.x[10:13], rest]
        )

    def nees(self, body: TumblingBody) -> float:
        """Normalised squared error against the true body; 17 on average if the filter is consistent."""
        e = self.error(body)
        return float(e @ np.linalg.solve(self.P, e))


@dataclass(frozen=True)
class TumblingFilter:
    """The filter: functions from estimate to estimate.

    Parameters
    ----------
    camera
        The camera.
    markers
        Known points on the body (n, 3) in its axes.
    acceleration, turning
        Densities of the noise that drives velocity and rate [m/s^1.5, rad/s^1.5]: effects that the model of a free
        rigid body leaves out.
    solids
        Boxes of the body, in its axes: the camera does not see markers behind them. Without solids it sees all of them.

    Examples
    --------
    >>> import numpy as np
    >>> from dalembert.control import StereoCamera, TumblingFilter
    >>> corners = [[x, y, z] for x in (-0.5, 0.5) for y in (-1, 1) for z in (-0.5, 0.5)]
    >>> TumblingFilter(StereoCamera(), corners).markers.shape
    (8, 3)
    """

    camera: StereoCamera
    markers: ArrayLike
    acceleration: float = 1e-5
    turning: float = 1e-6
    solids: Sequence[Geometry] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "solids", tuple(self.solids))
        points = as_numbers(self.markers)
        if points.ndim != 2 or points.shape[1:] != (3,) or len(points) < 3 or not np.isfinite(points).all():
            raise InputError(f"markers must be at least 3 points (n, 3), got shape {points.shape}")
        object.__setattr__(self, "markers", points)
        for name in ("acceleration", "turning"):
            object.__setattr__(self, name, check_number(name, getattr(self, name), positive=False))

    @cached_property
    def _lens(self) -> Array:
        return np.array([self.camera.gain, self.camera.baseline])

    @property
    def _size(self) -> float:
        """Deviation of a pixel; a camera without noise would leave nothing to weigh."""
        return max(self.camera.noise, 1e-3)

    @cached_property
    def _noise(self) -> Array:
        return np.repeat([0.0, self.acceleration**2, 0.0, self.turning**2, 0.0], [3, 3, 3, 3, 5])

    def visible(self, pose: ArrayLike, camera: ArrayLike, count: int = 4) -> Array:
        """Indices of the markers of a body at a pose (4 x 4) that the camera at a pose sees best.

        They are the nearest ones that no solid of the body hides.
        """
        X, C = as_numbers(pose), as_numbers(camera)
        return self._nearest(self._in_camera(X, C), self.hidden(X, C), count)

    def hidden(self, pose: ArrayLike, camera: ArrayLike) -> Array:
        """Whether the solids of a body at a pose (4 x 4) hide its markers (n) from the camera at a pose (4 x 4).

        A marker is hidden if the straight line to the camera passes through a box; its own surface is no obstacle.
        """
        X, C = as_numbers(pose), as_numbers(camera)
        p = np.asarray(self.markers)
        eye = X[:3, :3].T @ (C[:3, 3] - X[:3, 3])
        behind = np.zeros(len(p), dtype=bool)
        for R, centre, half in self._boxes:
            start, way = (p - centre) @ R, (eye - p) @ R
            with np.errstate(divide="ignore", invalid="ignore"):
                low, high = (-half - start) / way, (half - start) / way
            # along an axis that the line does not go, it is between the faces all the time, or never
            inside = np.abs(start) < half
            level = np.abs(way) < 1e-12
            enter = np.where(level, np.where(inside, -np.inf, np.inf), np.minimum(low, high)).max(axis=1)
            leave = np.where(level, np.where(inside, np.inf, -np.inf), np.maximum(low, high)).min(axis=1)
            behind |= (np.maximum(enter, 0.0) < np.minimum(leave, 1.0)) & (leave > 0.0)
        return behind

    @cached_property
    def _boxes(self) -> list[tuple[Array, Array, Array]]:
        """Rotation, centre and half size of each solid, a thousandth smaller: markers lie on their surfaces."""
        return [(o.pose[:3, :3], o.pose[:3, 3], 0.4995 * o.size) for o in boxes_of("body", tuple(self.solids))]

    def _nearest(self, p: Array, hidden: Array, count: int) -> Array:
        order = np.argsort(p[:, 2], kind="stable")
        near = np.array([k for k in order if not hidden[k]][:count], dtype=int)
        return np.asarray(near[self.camera.seen(p[near])])

    def _in_camera(self, X: Array, C: Array) -> Array:
        world = np.asarray(self.markers) @ X[:3, :3].T + X[:3, 3]
        return np.asarray((world - C[:3, 3]) @ C[:3, :3])

    def picture(
        self, pose: ArrayLike, camera: ArrayLike, rng: np.random.Generator | None = None
    ) -> tuple[Array, Array]:
        """Markers that are seen, and their pixels, of a body at a pose (4 x 4) by the camera at a pose (4 x 4)."""
        X, C = as_numbers(pose), as_numbers(camera)
        p = self._in_camera(X, C)
        chosen = self._nearest(p, self.hidden(X, C), 4)
        return chosen, self.camera.take(p[chosen], rng)

    def begin(
        self,
        pictures: list[tuple[float, Array, Array, Array]],
        inertia: ArrayLike,
        *,
        inertia_error: float = 0.1,
        drift: float = 0.01,
    ) -> TumblingEstimate:
        """First estimate, from two pictures and a guess of the inertia.

        Parameters
        ----------
        pictures
            Two of time, markers, pixels and pose of the camera.
        inertia
            Guess of the inertia (3 moments or 3 x 3); only its ratios count.
        inertia_error
            Standard deviation of its entries, as a part of the moments.
        drift
            Standard deviation of the velocity of the centre of mass, which is taken as zero [m/s].
        """
        return self._begun(pictures, inertia, inertia_error, drift)

    def _begun(
        self,
        pictures: list[tuple[float, Array, Array, Array]],
        inertia: ArrayLike,
        inertia_error: float,
        drift: float,
        mirrored: bool = False,
    ) -> TumblingEstimate:
        """First estimate, of the markers where they are seen or mirrored in depth."""
        if len(pictures) != 2 or not pictures[1][0] > pictures[0][0]:
            raise InputError("the first estimate needs two pictures, the second later than the first")
        poses = []
        for _, chosen, pixels, C in pictures:
            if len(chosen) < 3:
                raise InputError(f"the first estimate needs pictures of at least 3 markers, got one of {len(chosen)}")
            seen = self.camera.points(pixels)
            seen = _mirrored(seen) if mirrored else seen
            poses.append(np.asarray(C) @ pose_from_points(seen, np.asarray(self.markers)[chosen]))
        span = pictures[1][0] - pictures[0][0]
        A = poses[0][:3, :3].T @ poses[1][:3, :3]
        turn = np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]]) / 2
        s = float(np.linalg.norm(turn))
        rate = (turn if s < 1e-9 else turn * np.arctan2(s, (np.trace(A) - 1) / 2) / s) / span
        Q = quaternion_from_matrix(poses[1][:3, :3]).ravel()
        x = np.concatenate([poses[1][:3, 3], np.zeros(3), Q, rate, inertia_numbers(_moments(inertia))])
        # errors of the triangulation: of depth, the worst, for the position; over the spread of the markers for angles
        C = np.asarray(pictures[1][3])
        z = float(np.linalg.norm(poses[1][:3, 3] - C[:3, 3]))
        depth = z**2 / (self.camera.gain * self.camera.baseline) * np.sqrt(2.0) * max(self.camera.noise, 1e-3)
        spread = float(np.linalg.norm(np.std(np.asarray(self.markers), axis=0)))
        angle = depth / spread
        sizes = np.repeat([depth, drift, angle, 2.0 * angle / span + 1e-4, inertia_error], [3, 3, 3, 3, 5])
        return TumblingEstimate(float(pictures[1][0]), x, np.diag(sizes**2))

    def observe(
        self,
        pictures: Sequence[tuple[float, Array, Array, Array]],
        inertia: ArrayLike,
        *,
        inertia_error: float = 0.1,
        drift: float = 0.01,
        span: float = 2.0,
    ) -> TumblingEstimate:
        """Estimate from a sequence of pictures and a guess of the inertia: the most probable motion.

        A filter linearises the motion about an inertia that it does not know yet, and then believes itself too much.
        Here Gauss-Newton steps fit the whole motion, first to the pictures of a short time, then of twice that time,
        and so on: the rate that two pictures from afar give may be wrong by more than itself. From afar four markers of
        a face and their mirror image in depth look nearly alike, so both are tried, and the better fit is returned.

        Parameters
        ----------
        pictures
            Times, markers, pixels and poses of the camera, in order.
        inertia, inertia_error, drift
            As in `begin`.
        span
            Time between the two pictures from which the first guess is made [s].

        Returns
        -------
        The estimate at the time of the last picture, from which the filter continues.
        """
        times = np.array([p[0] for p in pictures])
        second = int(np.searchsorted(times, times[0] + span - 1e-9)) if len(times) else 0
        if not 0 < second < len(times) - 1:
            raise InputError(f"the pictures must span more than {span:g} s, got {len(times)} of them")
        start, rest = [pictures[0], pictures[second]], pictures[second + 1 :]
        fit = Fit(np.asarray(self.markers), self._lens, self._size, rest)
        firsts = [self._begun(start, inertia, inertia_error, drift, mirrored) for mirrored in (False, True)]
        x, P = fit.best([(first.t, first.x, first.P) for first in firsts])
        return TumblingEstimate(float(times[-1]), x, P)

    def predict(self, estimate: TumblingEstimate, t: float) -> TumblingEstimate:
        """The estimate at a later time."""
        span = float(t) - estimate.t
        if span < 0.0:
            raise InputError(f"an estimate at t = {estimate.t:g} s is predicted to later times, got {t:g}")
        if span == 0.0:
            return estimate
        x, F = stepped(estimate.x, span)
        P = F @ estimate.P @ F.T
        P[np.arange(17), np.arange(17)] += span * self._noise
        return TumblingEstimate(float(t), x, P)

    def correct(
        self, estimate: TumblingEstimate, t: float, chosen: ArrayLike, pixels: ArrayLike, camera: ArrayLike
    ) -> TumblingEstimate:
        """The estimate at the time of a picture, updated with the picture.

        Parameters
        ----------
        estimate
            At that time or before.
        t
            When the picture was taken, not when it arrived.
        chosen, pixels
            Markers (k) and their pixels (k, 4).
        camera
            Pose of the camera (4 x 4) then.
        """
        before = self.predict(estimate, t)
        k = np.asarray(chosen, dtype=int)
        z = as_numbers(pixels)
        if not len(k):
            return before
        if z.shape != (len(k), 4):
            raise InputError(f"pixels must be ({len(k)}, 4), got shape {z.shape}")
        C, points, size = np.asarray(camera, dtype=float), np.asarray(self.markers)[k], self._size**2
        look, R, z = sight(len(k)), size * np.eye(z.size), z.ravel()
        x, back = before.x, np.zeros(17)
        for _ in range(_ITERATIONS):  # Gauss-Newton: far from the estimate a picture is not linear in its errors
            expected, H = look(x, C, points, self._lens)
            HP = H @ before.P
            K = np.linalg.solve(HP @ H.T + R, HP).T
            step = K @ (z - expected - H @ back) + back
            x = moved(x, step)
            if np.abs(step).max() < _SMALL:
                break
            back = apart(x, before.x)
        A = np.eye(17) - K @ H
        P = A @ before.P @ A.T + size * (K @ K.T)  # Joseph's form stays symmetric and positive
        return TumblingEstimate(before.t, x, P)

    def information(self, estimate: TumblingEstimate, times: ArrayLike, camera: ArrayLike) -> Array:
        """How well pictures at later times can tell the errors of an estimate apart: eigenvalues, (17).

        They are those of the information that the pictures add, in units of the prior information: far above one where
        the pictures are informative, below one where an error remains. A body that spins steadily about a principal
        axis does not show all ratios of its inertia.
        """
        C = as_numbers(camera)
        x, F, t, total = estimate.x, np.eye(17), estimate.t, np.zeros((17, 17))
        for time in np.asarray(times, dtype=float):
            x, step = stepped(x, time - t)
            t, F = time, step @ F
            pose = np.eye(4)
            pose[:3, :3], pose[:3, 3] = numpy(quaternion_matrix(x[6:10])), x[:3]
            chosen = self.visible(pose, C)
            if len(chosen):
                _, H = sight(len(chosen))(x, C, np.asarray(self.markers)[chosen], self._lens)
                A = H @ F / self._size
                total += A.T @ A
        L = np.linalg.cholesky(estimate.P)
        return np.linalg.eigvalsh(L.T @ total @ L)


def _mirrored(points: Array) -> Array:
    """Points (n, 3) that a camera sees nearly as these: mirrored in depth about their centre."""
    centre = points.mean(axis=0)
    u = centre / np.linalg.norm(centre)
    return np.asarray(points - 2.0 * np.outer((points - centre) @ u, u))


def _moments(inertia: ArrayLike) -> Array:
    I = as_numbers(inertia)
    I = np.diag(I) if I.shape == (3,) else I
    if I.shape != (3, 3) or not np.isfinite(I).all() or not np.linalg.eigvalsh(I)[0] > 0.0:
        raise InputError(f"inertia must be 3 positive moments or a positive 3 x 3 matrix, got {inertia!r}")
    return I
