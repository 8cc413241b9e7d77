"""The debris is watched from afar: the chaser's knowledge of it when the approach begins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from dalembert.control.estimation import StereoCamera, TumblingEstimate, TumblingFilter
from dalembert.core.types import Array
from dalembert.core.validation import check_number
from dalembert.loop.experiment import Start, experiment_of
from dalembert.loop.experiment_keywords import ExperimentKeywords
from dalembert.loop.simulate import run_experiment
from dalembert.model.orbit import Orbit
from dalembert.plan.tumbling import TumblingBody
from dalembert.simulation.methods import DormandPrince
from dalembert.spatial.rotations import numpy, quaternion_from_matrix, quaternion_matrix
from dalembert.systems.space_robots.debris_twin import DebrisTwin
from dalembert.systems.space_robots.sensors import SensorNoise

__all__ = ["free_motion", "later", "moved", "picture_times", "placed", "watched"]

_RANDOM = 30.0  # time after which the torque of the gravity gradient on a tumbling body is another one [s]


def free_motion(
    debris: DebrisTwin,
    motion: tuple[ArrayLike, ArrayLike, ArrayLike],
    p: Mapping[str, float],
    times: Array,
    end: float,
) -> tuple[Array, dict[str, float], dict[str, float]]:
    """Poses (n, 4, 4) of the debris' centre of mass at times from zero, and its state by name at the end.

    A rigid debris moves by the closed form, a flexible one is simulated.

    Parameters
    ----------
    debris
        The debris.
    motion
        Its rate in its axes, attitude and place at time zero; nothing bends then.
    p
        True values of its parameters.
    times, end
        Times of the poses, spaced evenly, and how long it moves [s].
    """
    rate, quaternion, place = motion
    body = debris.tumbling(rate, quaternion, place, p)
    X = np.broadcast_to(np.eye(4), (len(times), 4, 4)).copy()
    X[:, :3, 3] = np.array(body.position)
    q, v = placed(debris, body, 0.0)
    if not debris.flexible:
        X[:, :3, :3] = body.attitude(times)
        return X, *placed(debris, body, end)
    mine = {k: x for k, x in p.items() if k in {y.name for y in debris.machine.parameters}}
    flight: ExperimentKeywords = {
        "start": Start(q, v), "p": mine, "method": DormandPrince(rtol=1e-9, atol=1e-11),
        "duration": end, "record": float(times[1] - times[0]),
    }  # fmt: skip
    run = run_experiment(experiment_of(debris.machine, flight))
    names = [f"{debris.joint}.{x}" for x in ("x", "y", "z", "qw", "qx", "qy", "qz")]
    rows = run.array(names)[np.searchsorted(run.t, times - 1e-9)]
    X[:, :3, :3] = [numpy(quaternion_matrix(row[3:])) for row in rows]
    X[:, :3, 3] = rows[:, :3] + X[:, :3, :3] @ debris.centre
    machine = debris.machine
    last = [dict(zip(n, run.array(n)[-1].tolist(), strict=True)) for n in (machine.q_names, machine.v_names)]
    return X, last[0], last[1]


def placed(debris: DebrisTwin, body: TumblingBody, t: float) -> tuple[dict[str, float], dict[str, float]]:
    """Coordinates and velocities by name of a debris that moves as a rigid body; its centre of mass does not move."""
    R, w = body.attitude(t), body.rates(t)
    place = np.array(body.position) - R @ debris.centre
    Q = quaternion_from_matrix(R).ravel()
    twist = np.concatenate([-np.cross(w, debris.centre), w])
    q = {
        f"{debris.joint}.{n}": float(x)
        for n, x in zip(("x", "y", "z", "qw", "qx", "qy", "qz"), (*place, *Q), strict=True)
    }
    return q, {
        f"{debris.joint}.{n}": float(x) for n, x in zip(("vx", "vy", "vz", "wx", "wy", "wz"), twist, strict=True)
    }


def moved(debris: DebrisTwin, q: Mapping[str, float], v: Mapping[str, float]) -> tuple[Array, Array, Array]:
    """Rate, attitude and place of the centre of mass of a debris from its state by name: the inverse of `placed`."""
    x, Q = (
        np.array([q[f"{debris.joint}.{n}"] for n in names]) for names in (("x", "y", "z"), ("qw", "qx", "qy", "qz"))
    )
    w = np.array([v[f"{debris.joint}.{n}"] for n in ("wx", "wy", "wz")])
    return w, Q, x + numpy(quaternion_matrix(Q)) @ debris.centre


def later(body: TumblingBody, t: float) -> TumblingBody:
    """The body with its time zero a while later."""
    Q = quaternion_from_matrix(body.attitude(t)).ravel()
    place = np.array(body.position) + t * np.array(body.velocity)
    return TumblingBody(body.inertia, body.rates(t), Q, place, body.velocity, body.point)


def watched(
    debris: DebrisTwin,
    poses: Array,
    times: Array,
    eye: tuple[Array, SensorNoise | None],
    camera: StereoCamera,
    rng: np.random.Generator,
    orbit: Orbit | None = None,
) -> tuple[TumblingEstimate, TumblingFilter]:
    """The chaser's knowledge of the debris after watching it, at time zero.

    Parameters
    ----------
    debris
        The debris.
    poses, times
        True poses of its centre of mass (n, 4, 4) at the times of the pictures, the last one zero.
    eye
        Pose of the camera (4 x 4), and the noise with which the chaser knows it.
    camera, rng
        The camera, and the source of noise.
    orbit
        The orbit; its gravity gradient is noise to the filter. None: free space.
    """
    filter_ = TumblingFilter(camera, debris.features, solids=debris.solids)
    if orbit is not None:
        I = np.linalg.eigvalsh(debris.inertia()[2])
        change = 1.5 * orbit.mean_motion**2 * float(I[-1] - I[0]) / float(I[0])
        filter_ = replace(filter_, turning=max(filter_.turning, change * np.sqrt(_RANDOM)))
    mount, noise = eye
    pictures = []
    for t, X in zip(times, poses, strict=True):
        believed = mount.copy()
        if noise is not None:
            w = noise.attitude * rng.normal(size=3)
            turn = np.eye(3) + np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
            believed[:3, :3], believed[:3, 3] = turn @ mount[:3, :3], mount[:3, 3] + noise.position * rng.normal(size=3)
        pictures.append((float(t), *filter_.picture(X, mount, rng), believed))
    return filter_.observe(pictures, debris.inertia()[2]), filter_


def picture_times(watch: float, camera: StereoCamera) -> Array:
    """Times of the pictures while the debris is watched, from zero on."""
    return np.asarray(np.arange(0.0, check_number("watch", watch, unit="s") + 1e-9, 5.0 * camera.period))
