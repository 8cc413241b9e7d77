"""The way of a chaser as a rendezvous with least impulse, facing the debris, and a retreat."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dalembert.control.estimation import StereoCamera
from dalembert.core.types import Array
from dalembert.model.orbit import Orbit
from dalembert.plan.rendezvous import Rendezvous, RendezvousLimits, plan_rendezvous
from dalembert.plan.robot_limits import Verdict
from dalembert.spatial.rotations import quaternion_from_matrix
from dalembert.systems.space_robots.flying_around import (
    FlyAround,
    cross_matrix,
    rotation_vector,
    smooth,
    smooth_rates,
    turned_by,
)
from dalembert.systems.space_robots.guidance import pose_of

__all__ = ["RendezvousWay", "Retreat", "camera_verdict", "facing", "rendezvous_way"]

_FINE = 0.1  # of the table of the motion [s]
_RAMP = 0.12  # parts of the time of a turn in which it speeds up and slows down
_COARSE = 6.0  # between the attitudes that the spline goes through [s]


@dataclass(frozen=True, eq=False)
class RendezvousWay:
    """A way of the base to a debris by a rendezvous; the arm's direction points at the debris all the way.

    Attributes
    ----------
    path
        Path of the base from the debris.
    centre, outward
        Centre of the debris in world axes, and the direction of the arm in axes of the base.
    side
        Side of the plan: the debris as it is seen at the end is turned by it.
    far, near, distance
        Distances of the base from the centre at the hold point, at the begin of the corridor, and at the end [m].
    """

    path: Rendezvous
    centre: Array
    outward: Array
    side: Array

    @property
    def duration(self) -> float:
        """Seconds of the way."""
        return self.path.duration

    @property
    def times(self) -> tuple[float, float]:
        """Durations of the flight around the debris and of the corridor [s]."""
        around = self.path.entry - float(self.path.t[0])
        return around, self.duration - around

    @property
    def far(self) -> float:
        """Distance at the hold point [m]."""
        return float(np.linalg.norm(self.path.x[0, :3]))

    @property
    def near(self) -> float:
        """Distance where the corridor begins [m]."""
        return float(np.linalg.norm(self.path.state(self.path.entry)[:3]))

    @property
    def distance(self) -> float:
        """Distance at the end [m]."""
        return float(np.linalg.norm(self.path.x[-1, :3]))

    @cached_property
    def table(self) -> tuple[Array, Array, Array, Array]:
        """Places, velocities and accelerations by thrust (n, 3 each), and attitudes with rates (n, 10), at a fine grid.

        The attitude is that of `facing`.
        """
        from scipy.interpolate import CubicHermiteSpline
        from scipy.spatial.transform import Rotation, RotationSpline

        path, begin = self.path, float(self.path.t[0])
        curve = CubicHermiteSpline(path.t, path.x[:, :3], path.x[:, 3:])
        n = max(8, int(np.ceil(self.duration / _COARSE)))
        coarse = np.linspace(0.0, self.duration, n + 1)
        R = facing(coarse, np.asarray(curve(begin + coarse)), self.side)
        # at rest before and after
        step = float(coarse[1])
        times = np.concatenate([[-2 * step, -step], coarse, self.duration + step * np.array([1.0, 2.0])])
        spline = RotationSpline(times, Rotation.from_matrix(np.array([R[0], R[0], *R, R[-1], R[-1]])))
        fine = np.arange(0.0, self.duration + _FINE, _FINE)
        s = begin + np.minimum(fine, self.duration)
        Q = spline(fine).as_quat(scalar_first=True)
        Q *= np.cumprod(np.concatenate([[1.0], np.where(np.sum(Q[1:] * Q[:-1], axis=1) < 0.0, -1.0, 1.0)]))[:, None]
        attitude = np.hstack([Q, spline(fine, 1), spline(fine, 2)])
        return np.asarray(curve(s)), np.asarray(curve(s, 1)), path.thrust(s), attitude

    def pose(self, t: float) -> tuple[Array, Array]:
        """Position and rotation of the base at a time from the begin."""
        pose = self.motion(t)[0]
        return pose[:3], pose_of(pose.tolist())[:3, :3]

    @cached_property
    def _rows(self) -> Array:
        """The table as one, (n, 19)."""
        return np.hstack(self.table)

    def motion(self, t: float) -> tuple[Array, Array, Array]:
        """Pose (7), twist, and the part of its rate of change that thrust has to give, in axes of the base."""
        rows = self._rows
        s = min(max(t, 0.0), self.duration) / _FINE
        k = min(int(s), len(rows) - 2)
        part = s - k
        row = (1.0 - part) * rows[k] + part * rows[k + 1]
        Q, w, change = row[9:13] / math.sqrt(row[9:13] @ row[9:13]), row[13:16], row[16:]
        speed = row[3:6]
        R = pose_of([0.0, 0.0, 0.0, *Q.tolist()])[:3, :3]
        push, body = row[6:9] @ R, speed @ R
        place = self.centre + rows[k, :3] + part * _FINE * 0.5 * (rows[k, 3:6] + speed)
        return (
            np.concatenate([place, Q]),
            np.concatenate([body, w]),
            np.concatenate([push - cross_matrix(w) @ body, change]),
        )


def facing(t: Array, places: Array, side: Array) -> Array:
    """Attitudes (n, 3, 3) of a base that faces the debris, from none to the transpose of ``side``.

    The base turns by the least rotation from direction to direction; the roll that is left at the end is spread over
    the way, at a constant rate between ramps, which needs less torque than a smooth move.

    Parameters
    ----------
    t, places
        Times (n) and places (n, 3) from the debris.
    side
        Side of the plan.
    """
    toward = -places / np.linalg.norm(places, axis=1)[:, None]
    R = [np.eye(3)]
    for a, b in itertools.pairwise(toward):
        axis = np.cross(a, b)
        size = float(np.linalg.norm(axis))
        turn = np.zeros(3) if size < 1e-14 else np.arctan2(size, float(a @ b)) / size * axis
        R.append(turned_by(turn) @ R[-1])
    roll = float(rotation_vector(side.T @ R[-1].T) @ toward[-1])  # about the last direction
    part = (t - t[0]) / (t[-1] - t[0])
    return np.array([turned_by(_coasting(s) * roll * d) @ A for s, d, A in zip(part, toward, R, strict=True)])


def _coasting(x: float) -> float:
    """Fraction of a turn after a fraction of its time: the rate ramps up, stays, and ramps down."""
    r = _RAMP
    if x < r or x > 1.0 - r:
        y = min(x, 1.0 - x) ** 2 / (2.0 * r * (1.0 - r))
        return y if x < r else 1.0 - y
    return (x - 0.5 * r) / (1.0 - r)


def rendezvous_way(first: FlyAround, limits: RendezvousLimits, orbit: Orbit | None) -> RendezvousWay:
    """The way with the ends and times of a first one, by least impulse within limits; its end is at time zero."""
    begin, end = -first.far * first.outward, -first.distance * first.side.T @ first.outward
    zero = np.zeros(3)
    path = plan_rendezvous(
        np.concatenate([begin, zero]), np.concatenate([end, zero]), limits,
        times=(-first.duration, -first.times[1], 0.0), orbit=orbit,
        axes=lambda t, places: facing(t, places, first.side),
    )  # fmt: skip
    return RendezvousWay(path, first.centre, first.outward, first.side)


def camera_verdict(way: RendezvousWay, mount: Array, camera: StereoCamera) -> Verdict:
    """Largest angle between the axis of the camera and the centre of the debris on a way, against its field of view."""
    angles = []
    for t in np.linspace(0.0, way.duration, 200):
        x, R = way.pose(float(t))
        eye = R @ mount[:3, 3] + x
        to = way.centre - eye
        angles.append(float(np.arccos(np.clip((R @ mount[:3, 2]) @ to / np.linalg.norm(to), -1.0, 1.0))))
    half = float(np.arctan(0.5 * min(camera.size) / camera.gain))
    most = float(np.max(angles))
    return Verdict("camera view", "degrees", float(np.degrees(most)), float(np.degrees(half)), 1.0 - most / half)


@dataclass(frozen=True, eq=False)
class Retreat:
    """A straight way of the base out of the corridor, with its attitude kept, at rest at both ends.

    Attributes
    ----------
    place, rotation
        Where it begins, and the attitude.
    direction
        Direction away from the debris, in world axes.
    length, duration
        Its length [m] and time [s].
    """

    place: Array
    rotation: Array
    direction: Array
    length: float
    duration: float

    def motion(self, t: float) -> tuple[Array, Array, Array]:
        """Pose (7), twist and its rate of change in axes of the base."""
        s = min(max(t / self.duration, 0.0), 1.0)
        speed, change = (self.length * x for x in smooth_rates(s, self.duration))
        zero, along = np.zeros(3), self.rotation.T @ self.direction
        place = self.place + smooth(s) * self.length * self.direction
        Q = quaternion_from_matrix(self.rotation).ravel()
        return np.concatenate([place, Q]), np.concatenate([speed * along, zero]), np.concatenate([change * along, zero])
