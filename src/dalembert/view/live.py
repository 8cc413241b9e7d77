"""Pictures of a machine whose motion is not known beforehand: one after another, in a frame that stays or follows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.formulations.layout import Layout
from dalembert.model.machine import Machine
from dalembert.view.animation import plane_axes, plane_of_motion
from dalembert.view.baked import Baked
from dalembert.view.drawing import Picture, compose_picture
from dalembert.view.exposure import Exposure
from dalembert.view.looks import rail_reach
from dalembert.view.scene_builder import build_scene

__all__ = ["LivePicture"]

_DPI = 80
_MARGIN = 0.15  # of the frame, on each side of a machine that is followed
_SAMPLES, _MOST = 64, 256  # configurations that make a frame, at first and after it became too small


class LivePicture:
    """Picture of a machine in its present state, in pixels.

    The frame holds all that the machine can reach by its angles and within the limits of its slides. Where it can leave
    (a slide without limits, a free body), the frame follows as soon as it comes near its edge, in the same scale:
    successive pictures are a motion without jumps. A machine with loops gets a larger frame once it needs it.

    Parameters
    ----------
    machine
        The machine.
    q
        Configuration (nq) in which it starts.
    p
        Parameter values that differ from the nominal ones, or None.
    size
        Width and height [pixels].
    plane, view, frames
        As in `dalembert.view.animate`.
    exaggerate
        Factor on the displacements by the bending of beams.

    Examples
    --------
    >>> from dalembert.systems.textbook import double_pendulum
    >>> picture = LivePicture(double_pendulum(), np.zeros(2), size=(240, 180))
    >>> picture.pixels(np.array([0.3, 0.0])).shape
    (180, 240, 3)
    """

    def __init__(
        self,
        machine: Machine,
        q: Array,
        p: Mapping[str, float] | None = None,
        *,
        size: tuple[int, int] = (480, 360),
        plane: str | None = "auto",
        view: tuple[float, float] = (-58.0, 20.0),
        frames: Sequence[str] = (),
        exaggerate: float = 1.0,
    ) -> None:
        pixels = tuple(size) if isinstance(size, tuple | list) else ()
        if len(pixels) != 2 or not all(isinstance(n, int) and 32 <= n <= 8192 for n in pixels):
            raise InputError(f"size of a picture must be two whole numbers of pixels from 32 to 8192, got {size!r}")
        if len(view) != 2 or not np.isfinite(view).all():
            raise InputError(f"view must be azimuth and elevation in degrees, got {view!r}")
        self._size, self._exaggerate = pixels, exaggerate
        self._places: dict[int, tuple[float, float]] = {}
        self._scene = build_scene(machine, p)
        self._look: dict[str, Any] = {"frames": frames, "plane": plane_axes(plane), "view": tuple(view)}
        if plane == "auto":
            self._look["plane"] = plane_of_motion(self._scene, q, p)
        self._compose(np.array([q]), p)
        extent = self._picture.painter.size
        self._reach, self._free = _reach(machine, q, 0.5 * extent if extent > 1e-6 else 1.0)
        self._compose(self._reach, p)

    def _compose(self, q: Array, p: Mapping[str, float] | None) -> None:
        """Set a frame that holds some configurations."""
        baked = self._scene.bake(q, 0.0, p, exaggerate=self._exaggerate)
        inches = (self._size[0] / _DPI, self._size[1] / _DPI)
        self._picture: Picture = compose_picture(self._scene, baked, size=inches, **self._look)
        going = np.ptp(self._picture.outline, axis=0).any(axis=-1)
        self._going = going if going.any() else np.ones(len(going), dtype=bool)  # points that are not of the world
        self._places.clear()
        self._film = Exposure(self._picture.figure, self._picture.show(baked, 0, ""), _DPI)

    def _move(self, place: tuple[float, float], baked: Baked) -> None:
        """Move the frame, and make rails as long as they are needed."""
        painter = self._picture.painter
        for rail in self._scene.rails:
            (low, high), (least, most) = painter.rails[rail.joint], rail_reach(self._scene, baked, rail)
            painter.rails[rail.joint] = (min(low, least), max(high, most))
        self._picture.move(place)
        self._film = Exposure(self._picture.figure, self._picture.show(baked, 0, ""), _DPI)

    def pixels(
        self,
        q: Array,
        t: float = 0.0,
        p: Mapping[str, float] | None = None,
        *,
        label: str = "",
        measured: Mapping[str, float] | None = None,
        member: int = 0,
    ) -> NDArray[np.uint8]:
        """Picture (height, width, 3) of one configuration.

        Parameters
        ----------
        q, t, p
            Configuration (nq), time and parameter values.
        label
            Written above.
        measured
            As in `Scene.bake`.
        member
            Which machine of several it is: each is followed by itself.
        """
        rows = {name: np.array([value]) for name, value in (measured or {}).items()}
        baked = self._scene.bake(q, t, p, exaggerate=self._exaggerate, measured=rows)
        place = self._places.get(member, (0.0, 0.0))
        if place != self._picture.shifted:
            self._move(place, baked)
        follows = bool(self._free.any())
        by = self._picture.lack(baked, self._going, _MARGIN) if follows else self._picture.lack(baked)
        if by is None or (by.any() and not follows):
            self._reach[:, self._free] += q[self._free] - self._reach[0, self._free]
            self._reach = np.concatenate([self._reach[:_MOST], [q]])
            self._compose(self._reach, p)
        elif by.any():
            place = (place[0] + float(by[0]), place[1] + float(by[1]))
            self._places[member] = place
            self._move(place, baked)
        return self._film.taken(self._picture.show(baked, 0, label))[..., :3].copy()


def _reach(machine: Machine, q: Array, room: float) -> tuple[Array, NDArray[np.bool_]]:
    """Configurations (n, nq) that tell how far a machine reaches, the first its start, and which lengths have no end.

    Angles go all the way round or between their limits, slides between their limits or, where they have none, by
    ``room``. A machine with loops, which would not close, and one with coordinates of its own stay where they start.
    """
    layout = Layout.of_nodes(machine.coordinate_nodes)
    reach, free = np.tile(q, (_SAMPLES, 1)), np.zeros(machine.nq, dtype=bool)
    if machine.constraints or layout.q_names != tuple(machine.q_names):
        return reach[:1], free
    rng, joints = np.random.default_rng(0), {joint.name: joint for joint in machine.joints}
    for block in layout.blocks:
        joint = joints.get(block.name)
        if joint is None:
            continue  # bending is small
        start, turning = block.q.start, joint.info.quaternion
        if turning == 0:  # a free body stays as it lies: it has room by its position
            attitude = rng.normal(size=(_SAMPLES, 4))
            reach[1:, start : start + 4] = (attitude / np.linalg.norm(attitude, axis=1, keepdims=True))[1:]
        for k in range(joint.info.nq if turning is None else turning):
            angle, limits = k in joint.info.angles, joint.limits
            ends = (-math.pi, math.pi) if angle else (q[start + k] - room, q[start + k] + room)
            low = limits.lower if math.isfinite(limits.lower) else ends[0]
            high = limits.upper if math.isfinite(limits.upper) else ends[1]
            free[start + k] = not angle and not math.isfinite(limits.upper - limits.lower)
            reach[1:, start + k] = low + (high - low) * rng.integers(0, 5, _SAMPLES - 1) / 4
    return reach, free
