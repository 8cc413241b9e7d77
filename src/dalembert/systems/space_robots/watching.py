"""The debris is watched from afar: the chaser's knowledge of it when the approach begins."""

from __future__ import annotations

import numpy as np

from dalembert.control.estimation import StereoCamera, TumblingEstimate, TumblingFilter
from dalembert.core.validation import check_number
from dalembert.plan.tumbling import TumblingBody
from dalembert.spatial.rotations import quaternion_from_matrix
from dalembert.systems.space_robots.cases import CaptureCase
from dalembert.systems.space_robots.debris import CORNER, INERTIA, SIZE
from dalembert.systems.space_robots.sensors import SensorNoise, base_camera

__all__ = ["STAND_OFF", "watched"]

STAND_OFF = (7.4, 0.0, 0.0)


def watched(
    case: CaptureCase, watch: float, noise: SensorNoise | None, camera: StereoCamera | None, rng: np.random.Generator
) -> tuple[TumblingBody, TumblingEstimate | None, TumblingFilter | None]:
    """The true debris when the approach begins, and the chaser's knowledge of it then."""
    first = TumblingBody(case.inertia, case.rate, case.quaternion, STAND_OFF, (0.0, 0.0, 0.0), CORNER)
    end = check_number("watch", watch, unit="s")
    Q = quaternion_from_matrix(first.attitude(end)).ravel()
    body = TumblingBody(case.inertia, first.rates(end), Q, STAND_OFF, (0.0, 0.0, 0.0), CORNER)
    if camera is None:
        return body, None, None
    half = np.array(SIZE) / 2
    corners = [half * [x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    filter_ = TumblingFilter(camera, np.array(corners))
    times = np.arange(0.0, end + 1e-9, 5.0 * camera.period)
    pictures, mount = [], base_camera()
    for t, R in zip(times, first.attitude(times), strict=True):
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = R, STAND_OFF
        believed = mount.copy()
        if noise is not None:
            w = noise.attitude * rng.normal(size=3)
            turn = np.eye(3) + np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
            believed[:3, :3], believed[:3, 3] = turn @ mount[:3, :3], mount[:3, 3] + noise.position * rng.normal(size=3)
        pictures.append((float(t) - end, *filter_.picture(X, mount, rng), believed))
    return body, filter_.observe(pictures, INERTIA), filter_
