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
from functools import cache, cached_property

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.compile import Kernel, compile_function
from dalembert.control.estimation.camera import StereoCamera, pose_from_points
from dalembert.core.errors import ConvergenceError, InputError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array, Expression
from dalembert.core.validation import check_number
from dalembert.model.geometry import Geometry
from dalembert.plan.clearance import boxes_of
from dalembert.plan.tumbling import TumblingBody
from dalembert.spatial.rotations import (
    numpy,
    quaternion_exp,
    quaternion_from_matrix,
    quaternion_matrix,
    quaternion_product,
)

__all__ = ["ERRORS", "TumblingEstimate", "TumblingFilter"]

ERRORS = ("position", "velocity", "attitude", "rate", "inertia")
_ROWS = (slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 12), slice(12, 17))
_ITERATIONS, _ROUNDS, _SMALL = 8, 40, 1e-4
_STEP = 0.5  # of the Runge-Kutta steps in a prediction [s]


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
        return _inertia_matrix(self.x[13:])

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
        x = _stepped(self.x, span)[0] if span else self.x
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
        rest = _inertia_numbers(np.array(body.inertia)) - self.x[13:]
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
        if len(pictures) != 2 or not pictures[1][0] > pictures[0][0]:
            raise InputError("the first estimate needs two pictures, the second later than the first")
        poses = []
        for _, chosen, pixels, C in pictures:
            if len(chosen) < 3:
                raise InputError(f"the first estimate needs pictures of at least 3 markers, got one of {len(chosen)}")
            X = np.asarray(C) @ pose_from_points(self.camera.points(pixels), np.asarray(self.markers)[chosen])
            poses.append(X)
        span = pictures[1][0] - pictures[0][0]
        A = poses[0][:3, :3].T @ poses[1][:3, :3]
        turn = np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]]) / 2
        s = float(np.linalg.norm(turn))
        rate = (turn if s < 1e-9 else turn * np.arctan2(s, (np.trace(A) - 1) / 2) / s) / span
        Q = quaternion_from_matrix(poses[1][:3, :3]).ravel()
        x = np.concatenate([poses[1][:3, 3], np.zeros(3), Q, rate, _inertia_numbers(_moments(inertia))])
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
        Here its result is carried back to the first picture and improved by Gauss-Newton steps over all of them.

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
        first = self.begin([pictures[0], pictures[second]], inertia, inertia_error=inertia_error, drift=drift)
        rest, known = pictures[second + 1 :], np.linalg.inv(first.P)
        filtered = first
        for picture in rest:
            filtered = self.correct(filtered, *picture)
        x = _carried(filtered, first.t)
        for _ in range(_ROUNDS):
            N, g, _, _ = self._through(x, first.t, rest)
            g = g + known @ _apart(x, first.x)
            step = np.asarray(np.linalg.solve(N + known, g), dtype=float)
            x = _moved(x, step * min(1.0, 0.5 / float(np.abs(step).max())))
            if np.abs(step).max() < _SMALL * 1e-2:
                break
        else:
            raise ConvergenceError(
                f"the pictures do not fit the motion of a free body: after {_ROUNDS} steps the state still changes by "
                f"{np.abs(step).max():.2g}"
            )
        N, _, end, F = self._through(x, first.t, rest)
        P = F @ np.linalg.inv(N + known) @ F.T
        return TumblingEstimate(float(times[-1]), end, 0.5 * (P + P.T))

    def _through(
        self, x: Array, t: float, pictures: Sequence[tuple[float, Array, Array, Array]]
    ) -> tuple[Array, Array, Array, Array]:
        """Information and its gradient at the start, state and matrix of the errors at the end, of a motion."""
        lens, points, size = self._lens, np.asarray(self.markers), self._size
        N, g, F = np.zeros((17, 17)), np.zeros(17), np.eye(17)
        for time, chosen, pixels, C in pictures:
            x, step = _stepped(x, time - t)
            t, F = time, step @ F
            if not len(chosen):
                continue
            expected, H = _sight(len(chosen))(x, C, points[chosen], lens)
            A = H @ F / size
            N += A.T @ A
            g += A.T @ (pixels.ravel() - expected) / size
        return N, g, x, F

    def predict(self, estimate: TumblingEstimate, t: float) -> TumblingEstimate:
        """The estimate at a later time."""
        span = float(t) - estimate.t
        if span < 0.0:
            raise InputError(f"an estimate at t = {estimate.t:g} s is predicted to later times, got {t:g}")
        if span == 0.0:
            return estimate
        x, F = _stepped(estimate.x, span)
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
        sight, R, z = _sight(len(k)), size * np.eye(z.size), z.ravel()
        x, back = before.x, np.zeros(17)
        for _ in range(_ITERATIONS):  # Gauss-Newton: far from the estimate a picture is not linear in its errors
            expected, H = sight(x, C, points, self._lens)
            HP = H @ before.P
            K = np.linalg.solve(HP @ H.T + R, HP).T
            step = K @ (z - expected - H @ back) + back
            x = _moved(x, step)
            if np.abs(step).max() < _SMALL:
                break
            back = _apart(x, before.x)
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
            x, step = _stepped(x, time - t)
            t, F = time, step @ F
            pose = np.eye(4)
            pose[:3, :3], pose[:3, 3] = numpy(quaternion_matrix(x[6:10])), x[:3]
            chosen = self.visible(pose, C)
            if len(chosen):
                _, H = _sight(len(chosen))(x, C, np.asarray(self.markers)[chosen], self._lens)
                A = H @ F / self._size
                total += A.T @ A
        L = np.linalg.cholesky(estimate.P)
        return np.linalg.eigvalsh(L.T @ total @ L)


def _moments(inertia: ArrayLike) -> Array:
    I = as_numbers(inertia)
    I = np.diag(I) if I.shape == (3,) else I
    if I.shape != (3, 3) or not np.isfinite(I).all() or not np.linalg.eigvalsh(I)[0] > 0.0:
        raise InputError(f"inertia must be 3 positive moments or a positive 3 x 3 matrix, got {inertia!r}")
    return I


def _inertia_numbers(I: Array) -> Array:
    J = I / I[2, 2]
    return np.array([np.log(J[0, 0]), np.log(J[1, 1]), J[0, 1], J[0, 2], J[1, 2]])


def _inertia_matrix(m: ArrayLike) -> Array:
    a, b, c, d, e = np.asarray(m, dtype=float)
    return np.array([[np.exp(a), c, d], [c, np.exp(b), e], [d, e, 1.0]])


def _moved(x: Array, d: Array) -> Array:
    """State moved by an error."""
    result = x.copy()
    result[:6] += d[:6]
    half = 0.5 * float(np.linalg.norm(d[6:9]))
    turn = np.array([np.cos(half), *(0.5 * np.sinc(half / np.pi) * d[6:9])])
    Q = _product(x[6:10], turn)
    result[6:10] = Q / np.linalg.norm(Q)
    result[10:] += d[9:]
    return result


def _apart(x: Array, y: Array) -> Array:
    """Error that moves ``x`` to ``y``."""
    turn = _product(x[6:10] * np.array([1.0, -1.0, -1.0, -1.0]), y[6:10])
    s = float(np.linalg.norm(turn[1:]))
    w = 2.0 * turn[1:] * np.sign(turn[0]) if s < 1e-9 else 2.0 * np.arctan(s / turn[0]) / s * turn[1:]
    return np.concatenate([y[:6] - x[:6], w, y[10:] - x[10:]])


def _product(a: Array, b: Array) -> Array:
    w, x, y, z = a.tolist()
    return np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]]) @ b


def _symbolic_moved(x: Expression, d: Expression) -> Expression:
    return ca.vertcat(x[:6] + d[:6], quaternion_product(x[6:10], quaternion_exp(d[6:9])), x[10:] + d[9:])


def _rates(y: Expression) -> Expression:
    """Rates of position, velocity, quaternion, body rate and inertia (Euler's equations)."""
    Q, w, m = y[6:10], y[10:13], y[13:]
    J = ca.vertcat(
        ca.horzcat(ca.exp(m[0]), m[2], m[3]), ca.horzcat(m[2], ca.exp(m[1]), m[4]), ca.horzcat(m[3], m[4], 1.0)
    )
    turn = 0.5 * quaternion_product(Q, ca.vertcat(0.0, w))
    return ca.vertcat(y[3:6], ca.SX(3, 1), turn, ca.solve(J, -ca.cross(w, J @ w)), ca.SX(5, 1))


def _carried(estimate: TumblingEstimate, t: float) -> Array:
    """State at another time, by the closed form."""
    body = estimate.body()
    Q = quaternion_from_matrix(body.attitude(t)).ravel()
    place = np.array(body.position) + t * np.array(body.velocity)
    return np.concatenate([place, body.velocity, Q, body.rates(t), estimate.x[13:]])


def _stepped(x: Array, span: float) -> tuple[Array, Array]:
    """State after a time, and the matrix of its errors."""
    steps = max(1, int(np.ceil(span / _STEP - 1e-9)))
    F = np.eye(17)
    for _ in range(steps):
        x, step = _motion()(x, span / steps)
        F = step @ F
    return x, F


@cache
def _motion() -> Kernel:
    """``x, h -> x`` after a step and the matrix of its errors, by a Runge-Kutta step of fourth order."""
    x, d, h = ca.SX.sym("x", 18), ca.SX.sym("d", 17), ca.SX.sym("h")

    def after(y: Expression) -> Expression:
        k1 = _rates(y)
        k2 = _rates(y + h / 2 * k1)
        k3 = _rates(y + h / 2 * k2)
        k4 = _rates(y + h * k3)
        z = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return ca.vertcat(z[:6], z[6:10] / ca.norm_2(z[6:10]), z[10:])

    end, moved = after(x), after(_symbolic_moved(x, d))
    inverse = ca.vertcat(end[6], -end[7:10])
    turn = 2.0 * quaternion_product(inverse, moved[6:10])[1:]  # first order is all that the derivative sees
    change = ca.vertcat(moved[:6] - end[:6], turn, moved[10:] - end[10:])
    F = ca.substitute(ca.jacobian(change, d), d, _NEAR)
    function = ca.Function("tumbling", [x, h], [end, ca.densify(F)], ["x", "h"], ["end", "F"])
    return compile_function(function, shapes={"h": (), "F": (17, 17)}, lanes=False)


_NEAR = ca.DM([0.0] * 17)


@cache
def _sight(n: int) -> Kernel:
    """``x, camera pose, n markers, (f / rho, baseline) -> pixels (n, 4) and their derivatives (4 n, 17) by errors``."""
    x, d, C = ca.SX.sym("x", 18), ca.SX.sym("d", 17), ca.SX.sym("camera", 4, 4)
    p, cam = ca.SX.sym("markers", n, 3), ca.SX.sym("lens", 2)

    def seen(y: Expression) -> Expression:
        k, half, rows = cam[0], 0.5 * cam[1], []
        for i in range(n):
            world = y[:3] + quaternion_matrix(y[6:10]) @ p[i, :].T
            s = C[:3, :3].T @ (world - C[:3, 3])
            rows += [k * (s[0] + half) / s[2], k * s[1] / s[2], k * (s[0] - half) / s[2], k * s[1] / s[2]]
        return ca.vertcat(*rows)

    H = ca.substitute(ca.jacobian(seen(_symbolic_moved(x, d)), d), d, _NEAR)
    names, outputs = ["x", "camera", "markers", "lens"], ca.cse([seen(x), ca.densify(H)])
    function = ca.Function(f"sight{n}", [x, C, p, cam], outputs, names, ["pixels", "H"])
    shapes = {"camera": (4, 4), "markers": (n, 3), "H": (4 * n, 17)}
    return compile_function(function, shapes=shapes, lanes=False)
