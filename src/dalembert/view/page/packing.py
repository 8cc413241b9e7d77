"""A run, a machine or a mode as data of the page: the nodes of its scene, and a film of where they are.

A film has frames at given times. The page interpolates between them; at a time that stands twice something jumps, and
nothing is interpolated there. Where beams bend, the film of the unbent machine goes with it, so that the page can
exaggerate the bending by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis.modal import MachineModes
from dalembert.core.errors import InputError
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.model.colliders import world_shapes
from dalembert.model.contacts import Plane
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run
from dalembert.view.baked import Baked, interpolated
from dalembert.view.drawing import plane_of
from dalembert.view.looks import drawn_posture, vertical
from dalembert.view.mode_shapes import bake_mode
from dalembert.view.page.arrays import pack_array, unpack_array
from dalembert.view.page.forces import forces_of
from dalembert.view.page.nodes import Nodes, inclines, outline
from dalembert.view.scene import Scene, bake_run
from dalembert.view.scene_builder import build_scene

__all__ = [
    "GrowingFilm",
    "LaidOut",
    "film_times",
    "lay_out",
    "pack_machine",
    "pack_mode",
    "pack_motion",
    "pack_run",
    "unpack_array",
]

_FPS = 60.0
_FEWEST, _MOST = 90, 1800  # frames of a film
_NUMBERS = 400_000  # numbers of a film
_FAR = 100.0  # sizes of itself that a machine may be away when it diverges
_ROOM, _BELOW = 0.25, 0.02  # of its size that a machine may go beyond the place laid out for it, and below its floor
_BENDING = 0.25  # largest exaggerated displacement, relative to the extent of the machine


def film_times(run: Run, most: int = _MOST) -> Array:
    """Times of the frames of a run: evenly spaced, those of its events, and twice where its coordinates jump."""
    t0, t1 = float(run.t[0]), float(run.t[-1])
    if t1 <= t0:
        return np.array([t0])
    count = int(np.clip((t1 - t0) * _FPS + 1, _FEWEST, most))
    twice = np.flatnonzero(np.diff(run.t) == 0)
    jumps = np.any(run.x[twice + 1] != run.x[twice], axis=1)
    events = run.t[twice][:most]
    jumping = run.t[twice[jumps]][:most]
    return np.sort(np.concatenate([np.setdiff1d(np.linspace(t0, t1, count), events), np.unique(events), jumping]))


def pack_run(run: Run, machine: Machine | None = None, *, most: int | None = None) -> dict[str, Any]:
    """Pack a run for the page.

    Parameters
    ----------
    run
        The run.
    machine
        The machine; None: the one that the run knows.
    most
        Largest number of frames; None: as many as keep a report small.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.systems.textbook import double_pendulum
    >>> run = da.simulate(double_pendulum(), duration=0.1, q0=[0.3, 0.0])
    >>> sorted(pack_run(run))[:3]
    ['levels', 'points', 'poses']
    """
    drawn = run.machine if machine is None else machine
    if not isinstance(drawn, Machine):
        raise InputError("this run does not contain its machine; pass it as machine=")
    return lay_out(run, drawn, most=most).film


@dataclass(frozen=True, eq=False)
class LaidOut:
    """A film, and its parts.

    Parameters
    ----------
    film
        Data of the page.
    scene, nodes
        The scene, and its parts as the page draws them.
    cloud
        Points (m, 3) within which everything stays.
    """

    film: dict[str, Any]
    scene: Scene
    nodes: Nodes
    cloud: Array


def predicted_paths(run: Run, times: Array) -> dict[str, Array]:
    """Paths (n, m, 3) that predictive controllers plan at some times, by the name of their signals.

    Parameters
    ----------
    run
        The run.
    times
        The times.
    """
    paths = {}
    for first in (name for name in run.names if name.endswith(".path.0.x")):
        owner, count = first.removesuffix(".0.x"), 0
        while f"{owner}.{count}.x" in run:
            count += 1
        values = np.stack([run[f"{owner}.{k}.{axis}"] for k in range(count) for axis in "xyz"], axis=1)
        held = np.clip(np.searchsorted(run.t, times, side="right") - 1, 0, len(run.t) - 1)
        paths[owner] = values[held].reshape(len(times), count, 3)
    return paths


def lay_out(run: Run, machine: Machine, *, most: int | None = None, idle: bool = False) -> LaidOut:
    """Return the film of a run, and its parts.

    Parameters
    ----------
    run, machine, most
        As in `pack_run`.
    idle
        Whether forces that are zero throughout have an arrow, too: for pages that simulate.
    """
    scene = build_scene(machine, run.metadata.get("parameters"))
    times = film_times(run, most or _most_frames(scene))
    baked = bake_run(scene, run, times)
    seen = _before_it_flies_apart(baked)
    if run.status in ("diverged", "failed") and seen < len(times):
        times = times[:seen]
        baked = bake_run(scene, run, times)
    straight = bake_run(scene, run, times, exaggerate=0.0) if scene.modal else None
    tensions = {
        name: interpolated(times, run.t, run[name][:, None], ())[:, 0]
        for cable in scene.cables
        for name in cable.tensions
        if name in run
    }
    forces = forces_of(run, machine, times, idle=idle)
    paths = predicted_paths(run, times)
    return _laid_out(scene, baked, straight, title=machine.name, tensions=tensions, forces=forces, paths=paths)


def _most_frames(scene: Scene) -> int:
    """Frames of a film that keep a report small."""
    return int(np.clip(_NUMBERS // (3 * len(scene.points) + 10), 120, _MOST))


def _before_it_flies_apart(baked: Baked) -> int:
    """Number of frames before a diverging run is too far away to be seen; at least one."""
    with np.errstate(invalid="ignore", over="ignore"):
        clouds = np.concatenate([baked.points, baked.poses[..., 3]], axis=1)
        extent = np.abs(clouds - clouds[:1]).max(axis=(1, 2))
        size = max(float(np.ptp(clouds[0], axis=0).max()), 1e-3)
    lost = np.flatnonzero(~(extent < _FAR * size))
    return max(1, int(lost[0])) if len(lost) else len(extent)


def pack_machine(
    machine: Machine, q: ArrayLike | Mapping[str, float] | None = None, p: Mapping[str, float] | None = None
) -> dict[str, Any]:
    """Pack a machine that stands still.

    Parameters
    ----------
    machine
        The machine.
    q
        Coordinates, or a mapping of names to numbers; missing ones are neutral, or follow from the constraints.
    p
        Parameter values that differ from the nominal ones.

    Examples
    --------
    >>> from dalembert.systems.textbook import double_pendulum
    >>> sorted(pack_machine(double_pendulum()))[:3]
    ['levels', 'points', 'poses']
    """
    scene = build_scene(machine, p)
    baked = scene.bake(drawn_posture(machine, q, p), p=p)
    return _packed(scene, baked, None, title=machine.name)


def pack_motion(machine: Machine, t: ArrayLike, q: ArrayLike, p: Mapping[str, float] | None = None) -> dict[str, Any]:
    """Pack a motion that is given, of a plan or a recording, without forces and tensions.

    Parameters
    ----------
    machine
        The machine.
    t, q
        Times (n), not decreasing, and coordinates (n, nq); a time that stands twice is before and after a jump.
    p
        Parameter values that differ from the nominal ones.

    Examples
    --------
    >>> from dalembert.systems.textbook import double_pendulum
    >>> film = pack_motion(double_pendulum(), [0.0, 1.0], [[0.0, 0.0], [0.5, 0.0]])
    >>> sorted(film)[:3]
    ['levels', 'points', 'poses']
    """
    times = np.asarray(t, dtype=float)
    if times.ndim != 1 or len(times) < 1 or not np.isfinite(times).all() or np.any(np.diff(times) < 0):
        raise InputError(f"t of a motion must be finite times that do not decrease, got the shape {times.shape}")
    if len(np.atleast_2d(np.asarray(q))) != len(times):
        raise InputError(f"q of a motion must have a row for each of {len(times)} times, got {np.shape(q)}")
    scene = build_scene(machine, p)
    baked = scene.bake(q, times, p)
    straight = scene.bake(q, times, p, exaggerate=0.0) if scene.modal else None
    return _packed(scene, baked, straight, title=machine.name)


def pack_mode(modes: MachineModes, mode: int, *, size: float = 0.15) -> dict[str, Any]:
    """Pack one vibration of a machine, as a film of one second in which it swings once.

    Parameters
    ----------
    modes
        The modes.
    mode
        Index of the mode.
    size
        Largest displacement of a point, relative to the extent of the machine.

    Examples
    --------
    >>> from dalembert.analysis import machine_modes
    >>> from dalembert.systems.textbook import double_pendulum
    >>> film = pack_mode(machine_modes(double_pendulum()), 0)
    >>> sorted(film)[:3]
    ['levels', 'points', 'poses']
    """
    frames = 49
    phase = np.linspace(0.0, 1.0, frames)
    scene, baked = bake_mode(modes, mode, np.sin(2 * np.pi * phase), size=size)
    title = f"{scene.machine.name}, mode {mode + 1}: {modes.omega[mode]:.4g} rad/s"
    packed = _packed(scene, replace(baked, t=phase), None, title=title)
    packed["scene"] |= {"speed": 1.0, "trace": ""}
    return packed


def _packed(scene: Scene, baked: Baked, straight: Baked | None, *, title: str) -> dict[str, Any]:
    return _laid_out(scene, baked, straight, title=title, tensions={}, forces={}).film


def _laid_out(
    scene: Scene,
    baked: Baked,
    straight: Baked | None,
    *,
    title: str,
    tensions: dict[str, Array],
    forces: dict[str, tuple[Array, Array]],
    paths: dict[str, Array] | None = None,
) -> LaidOut:
    """Put a baked scene in its place."""
    up = vertical(scene)
    cloud = outline(scene, baked)
    low, high = cloud.min(axis=0), cloud.max(axis=0)
    size = max(float((high - low).max()), 1e-9)
    place = _place(scene)
    level = float((cloud @ up).min()) - (0.06 * size if place == "bench" else 0.0)
    level = _ground(scene, up, cloud, level)
    nodes = Nodes(scene, baked, size, up, None if place == "space" else level, gravity=place == "ground")
    nodes.cables(tensions)
    touched = nodes.surfaces({x.name: x.value for x in scene.machine.parameters})
    nodes.arrows(forces)
    nodes.plans(paths or {})
    nodes.skins(baked)
    points = nodes.points(baked)
    near = [ring for ring in touched if float(np.ptp(ring, axis=0).max()) < 3.0 * size]
    cloud = np.concatenate([cloud, *nodes.still, *near])
    bending = 1.0
    if straight is not None:
        largest = float(np.linalg.norm(baked.points - straight.points, axis=-1).max())
        bending = float(np.clip(_BENDING * size / max(largest, 1e-12), 1.0, 1000.0))
    traces, trace = _traces(scene, baked, size)
    across = _across(up)
    film = {
        "scene": {
            "name": title,
            "nodes": [_rounded(node) for node in nodes.nodes],
            "up": up.tolist(),
            "across": across.tolist(),
            "eye": _eye(baked, up, across).tolist(),
            "cloud": _flat(_hull(cloud)),
            "centre": ((low + high) / 2).tolist(),
            "size": size,
            "place": place,
            "floor": {"level": level, "step": _step(size)},
            "speed": _speed(float(baked.t[-1] - baked.t[0])),
            "bending": bending,
            "traces": traces,
            "trace": trace,
            "legend": nodes.legend,
        },
        "t": pack_array(baked.t),
        "points": pack_array(_channels(points)),
        "poses": pack_array(_pose_channels(baked)),
        "levels": pack_array(np.array(nodes.levels).reshape(len(nodes.levels), len(baked.t))),
    }
    if straight is not None and bending > 1.0:
        film["straight_points"] = pack_array(_channels(nodes.points(straight)))
        film["straight_poses"] = pack_array(_pose_channels(straight))
    return LaidOut(film, scene, nodes, cloud)


class GrowingFilm:
    """A film of an unfinished run: a frame for each of its rows, packed as they arrive.

    Quantities that are scaled by the whole run have to wait for its end: colours of tensions, arrows of forces,
    exaggeration.

    Parameters
    ----------
    machine
        The machine.
    p
        Parameter values that differ from the nominal ones.
    duration
        Duration of the whole run [s].
    """

    def __init__(self, machine: Machine, p: Mapping[str, float] | None, duration: float) -> None:
        self._scene, self._speed = build_scene(machine, p), _speed(duration)
        self._nodes: Nodes | None = None
        self.most = _most_frames(self._scene)

    def whole(self, run: Run) -> dict[str, Any]:
        """Pack the rows so far, the machine in a place of the size that they need."""
        baked = bake_run(self._scene, run)
        title = self._scene.machine.name
        laid_out = _laid_out(self._scene, baked, None, title=title, tensions={}, forces={})
        film, self._nodes, self._cloud = laid_out.film, laid_out.nodes, laid_out.cloud
        self._low, self._high, self._size = self._cloud.min(axis=0), self._cloud.max(axis=0), film["scene"]["size"]
        self._floor = film["scene"]["floor"]["level"]
        film["scene"]["speed"] = self._speed
        return film

    def more(self, run: Run) -> dict[str, Any] | None:
        """Pack further rows; None where the machine leaves its place, so that all are to be packed anew."""
        if self._nodes is None:
            return None
        baked = bake_run(self._scene, run)
        cloud = outline(self._scene, baked)
        beyond = max((self._low - cloud).max(), (cloud - self._high).max())
        below = self._floor - (cloud @ vertical(self._scene)).min()
        if beyond > _ROOM * self._size or below > _BELOW * self._size:
            return None
        self._cloud = _hull(np.concatenate([self._cloud, cloud]))
        return {
            "cloud": _flat(self._cloud),
            "t": pack_array(baked.t),
            "points": pack_array(_channels(self._nodes.points(baked))),
            "poses": pack_array(_pose_channels(baked)),
            "levels": pack_array(baked.q[:, self._nodes.skinned].T),
        }


def _speed(duration: float) -> float:
    """How many times as fast as in life a film is played: short ones in four seconds, long ones in a minute."""
    return duration / 4 if 0 < duration < 2 else max(1.0, duration / 60)


def _flat(cloud: Array) -> list[float]:
    return [float(f"{x:.5g}") for x in cloud.reshape(-1)]


def _ground(scene: Scene, up: Array, cloud: Array, lowest: float) -> float:
    """Height of the ground that a machine touches, of the foot of its ramp, or else the lowest place where it goes."""
    planes = [shape for shape in world_shapes(scene.machine) if isinstance(shape, Plane)]
    heights = [float(plane.point @ up) for plane in planes if plane.normal @ up > 1 - 1e-9]
    heights += [float((corners @ up).min()) for corners in inclines(planes, cloud, up)]
    return min(heights) if heights else lowest


def _hull(cloud: Array, directions: int = 96) -> Array:
    """The points that lie farthest in many directions: the view of a camera must include them."""
    k = np.arange(directions) + 0.5  # evenly over the sphere, on a spiral
    z, a = 1 - 2 * k / directions, np.pi * (1 + 5**0.5) * k
    r = np.sqrt(1 - z**2)
    ways = np.stack([r * np.cos(a), r * np.sin(a), z], axis=1)
    farthest = np.argmax(ways @ cloud.T, axis=1)  # along rows, which is several times as fast as down columns
    return np.asarray(cloud[np.unique(farthest)])


def _place(scene: Scene) -> str:
    """Where a machine is: on the ground, in space, or, without gravity but held, on a bench."""
    if any(nominal(g) != 0.0 for g in scene.machine.gravity):
        return "ground"
    return "space" if any(joint.kind == "free" for joint in scene.machine.joints) else "bench"


def _across(up: Array) -> Array:
    """A horizontal direction: along x where that is horizontal."""
    x = np.eye(3)[int(np.argmin(np.abs(up)))] if abs(up[0]) > 0.9 else np.array([1.0, 0.0, 0.0])
    x = x - (x @ up) * up
    return np.asarray(x / np.linalg.norm(x))


def _eye(baked: Baked, up: Array, across: Array) -> Array:
    """Direction to the viewer: a little from the side and above, more from the front where all moves in a plane."""
    flat = plane_of(np.concatenate([baked.points, *baked.cables.values()], axis=1))
    other = np.cross(up, across)
    normal = None if flat is None else np.eye(3)["xyz".index(({"x", "y", "z"} - set(flat)).pop())]
    if normal is not None and abs(normal @ up) > 0.9:
        eye = -0.35 * other + 0.15 * across + normal
    elif normal is not None:
        side = np.cross(up, normal)
        eye = -normal * np.sign(normal @ other or 1.0) + 0.35 * side + 0.22 * up
    else:
        eye = 0.55 * across - other + 0.42 * up
    return np.asarray(eye / np.linalg.norm(eye))


def _step(size: float) -> float:
    """Spacing of the grid: 1, 2 or 5 times a power of ten, about a sixth of the machine."""
    raw = size / 6
    candidates = [m * 10.0 ** np.floor(np.log10(raw)) for m in (1, 2, 5, 10)]
    return float(min(candidates, key=lambda s: abs(np.log(s / raw))))


def _traces(scene: Scene, baked: Baked, size: float) -> tuple[list[list[Any]], int | str]:
    """Points whose path can be drawn, by name, and the one that is drawn at first: the last one that moves."""
    machine = scene.machine
    tips = [name for name in scene.points if name.endswith(".tip")]
    names = [*(body.name for body in machine.bodies), *tips, *(frame.name for frame in machine.frames)]
    known: list[list[Any]] = [[name, scene.index(name)] for name in dict.fromkeys(names) if name in scene.points]
    if len(baked.t) == 1:
        return known, ""
    far = [np.ptp(baked.points[:, k], axis=0).max() > 0.02 * size for _, k in known]
    moving = [point for (_, point), moves in zip(known, far, strict=True) if moves]
    return known, moving[-1] if moving else ""


def _channels(points: Array) -> Array:
    return np.ascontiguousarray(points.reshape(len(points), -1).T)


def _pose_channels(baked: Baked) -> Array:
    """Position and attitude (w, x, y, z) of every pose, signs of quaternions continuous in time."""
    quaternions = _quaternions(baked.poses[..., :3])
    both = np.concatenate([baked.poses[..., 3], quaternions], axis=-1)
    return np.ascontiguousarray(both.reshape(len(both), -1).T) if both.size else np.zeros((0, len(baked.t)))


def _quaternions(R: Array) -> Array:
    """Quaternions (n, m, 4) of rotations (n, m, 3, 3), each with the sign nearest to the one before."""
    xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    squares = np.stack([1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz], axis=-1)
    largest = np.argmax(squares, axis=-1)
    a, b, c = R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]
    d, e, f = R[..., 0, 1] + R[..., 1, 0], R[..., 0, 2] + R[..., 2, 0], R[..., 1, 2] + R[..., 2, 1]
    w, x, y, z = np.moveaxis(squares, -1, 0)
    rows = np.stack([np.stack(r, axis=-1) for r in ([w, a, b, c], [a, x, d, e], [b, d, y, f], [c, e, f, z])], axis=-2)
    q = np.take_along_axis(rows, largest[..., None, None], axis=-2)[..., 0, :]
    q = q / np.where((size := np.linalg.norm(q, axis=-1, keepdims=True)) > 0, size, 1.0)
    signs = np.sign(np.sum(q[1:] * q[:-1], axis=-1))
    q[1:] *= np.cumprod(np.where(signs == 0, 1.0, signs), axis=0)[..., None]
    return np.asarray(q)


def _rounded(node: dict[str, Any]) -> dict[str, Any]:
    """Numbers of a node with as many digits as 32 bits have."""

    def short(x: object) -> object:
        if isinstance(x, float):
            return float(f"{x:.7g}")
        return [short(v) for v in x] if isinstance(x, list) else x

    return {key: short(value) for key, value in node.items()}
