"""Pictures of a baked scene, drawn with matplotlib.

A motion that stays in a plane of the world axes is drawn in that plane, with its axes in metres. Any other is drawn in
parallel projection above a grid, whose spacing is written below. Distant parts are drawn first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from dalembert.core.errors import InputError
from dalembert.core.keywords import field_defaults, flat_keywords, grouped
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.core.validation import check_names
from dalembert.model.geometry import Cylinder
from dalembert.view.baked import Baked
from dalembert.view.looks import body_colours, rail_reach, vertical
from dalembert.view.parts import CablePart, JointPart, RailPart, SolidPart
from dalembert.view.scene import Scene
from dalembert.view.solids import faces_of
from dalembert.view.strokes import Camera, Polygons, Strokes
from dalembert.view.touching import Arrows, draw_surfaces, floor_level

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import Collection, PolyCollection
    from matplotlib.figure import Figure
    from matplotlib.text import Text

__all__ = ["Look", "LookKeywords", "Picture", "compose_picture", "draw_scene", "plane_of"]

_AXES = {"x": 0, "y": 1, "z": 2}
_LINK, _BEAM, _CABLE, _SLACK, _RAIL, _DARK = "#5b7899", "#4477aa", "#333333", "#999999", "#9a9a9a", "#333333"
_MASS, _TRACES = "#b0705f", ("#ee6677", "#228833", "#aa3377", "#ccbb44")
_FRAME = ("#cc3311", "#228833", "#3355bb")


def plane_of(points: Array) -> tuple[str, str] | None:
    """World axes of the plane in which all points (..., 3) stay, or None."""
    spread = np.ptp(points.reshape(-1, 3), axis=0)
    for normal, axes in (("y", ("x", "z")), ("x", ("y", "z")), ("z", ("x", "y"))):
        if spread[_AXES[normal]] <= 1e-9 * max(spread.max(), 1e-12):
            return axes
    return None


class _Painter:
    """Draws one instant of a baked scene."""

    def __init__(self, scene: Scene, baked: Baked, camera: Camera, floor: float | None, frames: Sequence[str]) -> None:
        self.scene, self.baked, self.camera = scene, baked, camera
        self.up, self.floor = vertical(scene), floor
        self.thin = [solid for solid in scene.solids if not len(faces_of(solid.solid, solid.mesh)[1])]
        self.meshes = any(solid.mesh is not None for solid in scene.solids)
        self.colours = body_colours(scene)
        self.shapes = [
            Polygons.of(solid.pose, solid.solid, solid.mesh, solid.colour or self.colours[solid.body])
            for solid in scene.solids
            if solid not in self.thin
        ]
        self.wheels = [
            Polygons.of(pulley.pose, Cylinder(pulley.radius, 0.3 * pulley.radius), None, "#bbbbbb")
            for pulley in scene.pulleys
        ]
        self.marked = [frame for frame in scene.frames if frame.name in frames]
        self.heaviest = max(nominal(body.mass) for body in scene.machine.bodies) or 1.0
        self.rails = {rail.joint: rail_reach(scene, baked, rail) for rail in scene.rails}
        self.scale = 1.0  # points of the picture per metre
        self.size = 1.0  # extent of the machine [m]
        self.arrows: Arrows | None = None

    def outline(self) -> Array:
        """Points (n, m, 3) that the picture must hold."""
        baked, n = self.baked, len(self.baked.t)
        points = [baked.points]
        for shape in [*self.shapes, *self.wheels]:
            low, high = shape.vertices.min(axis=0), shape.vertices.max(axis=0)
            box = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
            pose = baked.poses[:, shape.pose]
            points.append(np.einsum("nij,mj->nmi", pose[..., :3], box) + pose[:, None, :, 3])
        for body in self.thin:
            points.append(np.stack([self._thin(body, k) for k in range(n)]))
        for rail in self.scene.rails:
            points.append(np.stack([self._rail(rail, k) for k in range(n)]))
        return np.concatenate([*points, *baked.cables.values()], axis=1)

    def feet(self) -> Array:
        """Points on the floor below the exits of cables that are fixed in the world."""
        exits = [self.baked.cables[cable.name][0, 0] for cable in self.scene.cables if cable.grounded]
        assert self.floor is not None
        return np.array([x + (self.floor - x @ self.up) * self.up for x in exits]).reshape(1, -1, 3)

    def _thin(self, body: SolidPart, k: int) -> Array:
        pose = self.baked.poses[k, body.pose]
        ends: Array = faces_of(body.solid)[0] @ pose[:, :3].T + pose[:, 3]
        return ends

    def _rail(self, rail: RailPart, k: int) -> Array:
        pose, reach = self.baked.poses[k, rail.pose], np.array(self.rails[rail.joint])
        ends: Array = pose[:, 3] + reach[:, None] * (pose[:, :3] @ np.array(rail.axis))
        return ends

    def paint(self, k: int, collection: PolyCollection) -> None:
        """Draw picture number ``k``."""
        strokes, X, size = Strokes(self.camera), self.baked.points[k], self.size
        scene, spot = self.scene, 0.012 * self.size
        for rail in scene.rails:
            strokes.line(self._rail(rail, k), _RAIL, 2.5, -0.02 * size)
        for cable in scene.cables:
            self._cable(strokes, cable, k)
        for link in scene.links:
            thin = link.kind == "rod"
            strokes.line(_between(X[list(link.ends)], 5), _DARK if thin else _LINK, 1.4 if thin else 2.6)
        for body in self.thin:
            colour = body.colour or self.colours[body.body]
            strokes.line(_between(self._thin(body, k), 9), colour, 3.4)
        for beam in scene.beams:
            strokes.line(X[list(beam.points)], _BEAM, max(3.4, 2 * beam.radius * self.scale))
        for shape in self.shapes:
            strokes.solid(shape, self.baked.poses[k, shape.pose])
        for wheel in self.wheels:
            pose = self.baked.poses[k, wheel.pose]
            strokes.solid(wheel, np.column_stack([pose[:, 0], -pose[:, 2], pose[:, 1], pose[:, 3]]))
        for ball in scene.balls:
            radius = spot * (0.6 + 1.2 * (ball.mass / self.heaviest) ** (1 / 3))
            strokes.disc(X[ball.point], radius, _MASS, "#99333f", nearer=0.02 * size)
        if not self.meshes:
            for joint in scene.joints:
                self._joint(strokes, joint, X[joint.point])
        for frame in self.marked:
            pose = self.baked.poses[k, frame.pose]
            for axis, colour in enumerate(_FRAME):
                ends = np.array([pose[:, 3], pose[:, 3] + 0.08 * size * pose[:, axis]])
                strokes.line(ends, colour, 1.8, 0.03 * size)
        if self.arrows is not None:
            self.arrows.paint(k, strokes, size)
        strokes.put(collection)

    def _cable(self, strokes: Strokes, cable: CablePart, k: int) -> None:
        way = self.baked.cables[cable.name][k]
        slack = cable.name in self.baked.slack and self.baked.slack[cable.name][k]
        strokes.line(way, _SLACK if slack else _CABLE, 1.3)
        if not cable.grounded:
            return
        if self.floor is not None:
            foot = way[0] + (self.floor - way[0] @ self.up) * self.up
            strokes.line(np.linspace(foot, way[0], 5), "#cccccc", 2.0, -0.02 * self.size)
        strokes.disc(way[0], 0.008 * self.size, _DARK, _DARK, nearer=0.01 * self.size)

    def _joint(self, strokes: Strokes, joint: JointPart, at: Array) -> None:
        spot, camera = 0.012 * self.size * min(1.0, 3 / len(self.scene.joints) ** 0.5), self.camera
        if joint.grounded:
            legs = np.array([[0.0, 0.0], [-1.5, -2.4], [1.5, -2.4]]) * spot
            outline = camera.flat(at) + legs
            strokes.add([outline], [float(at @ camera.towards) - 0.01 * self.size], "#999999", "#555555", 0.6)
        strokes.disc(at, spot * 0.75, "#ffffff", _DARK, 0.9, 0.03 * self.size)


def _between(ends: Array, count: int) -> Array:
    """Points from one end to the other: long lines in pieces, each with its own depth."""
    return np.asarray(np.linspace(ends[0], ends[1], count))


@dataclass(eq=False)
class Picture:
    """A figure with a frame, and the painter of its moving parts (made by `compose_picture`).

    ``outline`` has the points that the frame holds, ``floor`` the grid below them, if there is one.
    """

    figure: Figure
    axes: Axes
    painter: _Painter
    moving: PolyCollection
    label: Text
    outline: Array
    floor: Collection | None = None
    shifted: tuple[float, float] = (0.0, 0.0)

    def show(self, baked: Baked, k: int, label: str) -> list[Artist]:
        """Draw an instant of a baked scene, and return the artists that have moved."""
        self.painter.baked = baked
        self.painter.paint(k, self.moving)
        self.label.set_text(label)
        return [self.moving, self.label]

    def lack(self, baked: Baked, points: slice | NDArray[np.bool_] = slice(None), margin: float = 0.0) -> Array | None:
        """By how much (x, y) the frame must move to hold a baked scene: zeros if it does; None if it is too small.

        A point that is outside by more than the size of the frame comes into the middle.

        Parameters
        ----------
        baked
            The scene.
        points
            Which points of its outline count.
        margin
            Part of the frame that is to be free on each side, if its content is small enough.
        """
        self.painter.baked = baked
        flat = self.painter.camera.flat(self.painter.outline()[:, points]).reshape(-1, 2)
        (low, high), (least, most) = self._frame(), (flat.min(axis=0), flat.max(axis=0))
        size = high - low
        room = 0.5 * (size - (most - least))
        if (room < 0.0).any():
            return None
        if (least > high + size).any() or (most < low - size).any():
            return np.asarray(0.5 * (least + most - low - high))
        free = np.minimum(margin * size, 0.95 * room)
        return np.asarray(np.maximum(most - high + free, 0.0) + np.minimum(least - low - free, 0.0))

    def _frame(self) -> tuple[Array, Array]:
        low, high = np.array([self.axes.get_xlim(), self.axes.get_ylim()]).T
        return low, high

    def move(self, to: tuple[float, float]) -> None:
        """Move the frame to a place (x, y) relative to where it was composed, with the floor below it."""
        by = np.subtract(to, self.shifted)
        low, high = self._frame()
        self.axes.set_xlim(low[0] + by[0], high[0] + by[0])
        self.axes.set_ylim(low[1] + by[1], high[1] + by[1])
        self.shifted = to
        if self.floor is not None:
            self.floor.remove()
            camera, up = self.painter.camera, self.painter.up
            ahead = np.linalg.lstsq(np.array([camera.right, camera.up, up]), np.array([*to, 0.0]), rcond=None)[0]
            self.floor = _draw_floor(self.axes, camera, self.outline + ahead, up, self.painter)


def compose_picture(
    scene: Scene,
    baked: Baked,
    *,
    frames: Sequence[str] = (),
    size: tuple[float, float] = (6.0, 4.5),
    plane: tuple[str, str] | str | None = "auto",
    view: tuple[float, float] = (-58.0, 20.0),
    parameters: Mapping[str, float] | None = None,
) -> Picture:
    """Choose camera and frame so that all instants of a baked scene are in the picture.

    Parameters
    ----------
    scene, baked
        As in `draw_scene`.
    frames, size, plane, view
        As in `Look`.
    parameters
        Values of parameters at which surfaces are drawn; None: the nominal ones.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure

    known = [frame.name for frame in scene.frames]
    for name in check_names(frames, "frames"):
        if name not in known:
            raise InputError(f"no frame '{name}' to draw; known: {', '.join(known) or '(none)'}")
    chosen = plane_of(np.concatenate([baked.points, *baked.cables.values()], axis=1)) if plane == "auto" else plane
    up = vertical(scene)
    camera = Camera.looking(up, *view) if chosen is None else Camera.in_plane(chosen)  # type: ignore[arg-type]
    painter = _Painter(scene, baked, camera, None, frames)
    outline = painter.outline()
    flat = [camera.flat(outline).reshape(-1, 2)]
    painter.size = max(float(np.ptp(outline.reshape(-1, 3), axis=0).max()), 1e-9)
    figure = Figure(figsize=size, layout="constrained" if chosen else None)
    FigureCanvasAgg(figure)
    axes = figure.add_subplot() if chosen else figure.add_axes((0.0, 0.0, 1.0, 0.94))
    floor = None
    if chosen is None and up @ np.array([nominal(x) for x in scene.machine.gravity]) < 0:
        level, lowest = floor_level(scene.machine, up, parameters), float((outline @ up).min())
        painter.floor = lowest if level is None else level
        flat += [camera.flat(painter.feet()).reshape(-1, 2)]
        floor = _draw_floor(axes, camera, outline, up, painter)
        spacing = f"grid {_grid(painter):g} m"
        axes.text(0.985, 0.012, spacing, transform=axes.transAxes, fontsize=7, color="#777777", ha="right")
    _frame_axes(axes, np.concatenate(flat), chosen, size)
    draw_surfaces(axes, scene.machine, camera, up, outline, parameters)
    if chosen is None:
        _draw_triad(figure, camera)
    moving = PolyCollection([], zorder=3, capstyle="round", joinstyle="round")
    axes.add_collection(moving, autolim=False)
    label = figure.text(0.02, 0.975, "", fontsize=9, va="top", parse_math=False)
    if chosen:
        axes.set_title(" ", fontsize=9)  # room for the label
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # the layout stays as it is now
    width = float(axes.get_position().width) * size[0] * 72
    painter.scale = width / float(np.ptp(axes.get_xlim()))
    return Picture(figure, axes, painter, moving, label, outline, floor)


@dataclass(frozen=True)
class Look:
    """Content and viewpoint of a picture of a machine.

    Parameters
    ----------
    trace
        Bodies, frames, sections of beams (``"boom.tip"``) or joints whose path is drawn.
    frames
        Frames whose axes are drawn.
    plane
        Plane of the picture, such as ``"xz"``; None: in space; ``"auto"``: in the plane that the motion stays in, if it
        does.
    view
        Azimuth and elevation [deg] of the viewer, for pictures in space.
    size
        Size of the figure [inches].

    Examples
    --------
    >>> Look(trace=["load"], plane="xz").size
    (6.0, 4.5)
    """

    trace: Sequence[str] = ()
    frames: Sequence[str] = ()
    plane: tuple[str, str] | str | None = "auto"
    view: tuple[float, float] = (-58.0, 20.0)
    size: tuple[float, float] = (6.0, 4.5)


class LookKeywords(TypedDict, total=False):
    """Short forms of `Look`."""

    trace: Sequence[str]
    frames: Sequence[str]
    plane: tuple[str, str] | str | None
    view: tuple[float, float]
    size: tuple[float, float]


@flat_keywords(LookKeywords, defaults=field_defaults(Look))
def draw_scene(
    scene: Scene,
    baked: Baked,
    *,
    title: str = "",
    look: Look | None = None,
    clock: bool = True,
    arrows: Arrows | None = None,
    parameters: Mapping[str, float] | None = None,
    **keywords: Unpack[LookKeywords],
) -> tuple[Figure, Callable[[int], list[Artist]]]:
    """A figure of a baked scene, and the function that shows its picture number ``k`` and returns the moving artists.

    Parameters
    ----------
    scene, baked
        The scene, and where its parts are.
    title
        Written above, with the time.
    look
        Content and viewpoint of the picture.
    clock
        Whether the title shows the time.
    arrows
        Forces of contacts, for each picture.
    parameters
        As in `compose_picture`.
    **keywords
        Fields of `Look`: ``trace``, ``frames``, ``plane``, ``view``, ``size``.

    Examples
    --------
    >>> import numpy as np
    >>> from dalembert.systems.textbook import double_pendulum
    >>> from dalembert.view import build_scene
    >>> scene = build_scene(double_pendulum())
    >>> baked = scene.bake(np.array([[0.3, 0.0], [0.4, 0.0]]), np.array([0.0, 0.1]))
    >>> figure, show = draw_scene(scene, baked, title="pendulum")
    >>> len(figure.axes)
    1
    """
    look = grouped(Look, look, keywords)
    traced = [scene.index(name) for name in check_names(look.trace, "trace")]
    picture = compose_picture(
        scene, baked, frames=look.frames, size=look.size, plane=look.plane, view=look.view, parameters=parameters
    )
    picture.painter.arrows = arrows
    paths = [picture.axes.plot([], [], color=_TRACES[i % 4], linewidth=1.2, zorder=2)[0] for i in range(len(traced))]
    lines = picture.painter.camera.flat(baked.points[:, traced])

    def update(k: int) -> list[Artist]:
        for line, at in zip(paths, range(len(traced)), strict=True):
            line.set_data(lines[: k + 1, at, 0], lines[: k + 1, at, 1])
        label = f"{title}  t = {baked.t[k]:.2f} s" if clock and len(baked.t) > 1 else title
        return [*paths, *picture.show(baked, k, label)]

    update(0)
    return picture.figure, update


def _frame_axes(axes: Axes, flat: Array, plane: tuple[str, str] | str | None, size: tuple[float, float]) -> None:
    low, high = flat.min(axis=0), flat.max(axis=0)
    span = max(float((high - low).max()), 1e-9)
    middle, half = (low + high) / 2, (high - low) / 2 + 0.06 * span
    if plane is None:
        aspect = size[0] / (0.94 * size[1])
        half = np.array([max(half[0], half[1] * aspect), max(half[1], half[0] / aspect)])
        axes.set_axis_off()
    else:
        half = np.maximum(half, 0.3 * span)
    axes.set_xlim(middle[0] - half[0], middle[0] + half[0])
    axes.set_ylim(middle[1] - half[1], middle[1] + half[1])
    if plane is not None:
        axes.set_xlabel(f"{plane[0]} [m]", fontsize=8)
        axes.set_ylabel(f"{plane[1]} [m]", fontsize=8)
        axes.tick_params(labelsize=7)
        axes.set_aspect("equal")
        axes.grid(alpha=0.25, linewidth=0.5)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)


def _grid(painter: _Painter) -> float:
    """Spacing of the grid on the floor: a round number."""
    raw = painter.size / 6
    steps = (m * 10.0 ** np.floor(np.log10(raw)) for m in (1, 2, 5, 10))
    return float(min(steps, key=lambda s: abs(np.log(s / raw))))


def _draw_floor(axes: Axes, camera: Camera, outline: Array, up: Array, painter: _Painter) -> Collection:
    """A grid below the machine."""
    from matplotlib.collections import LineCollection

    x = camera.right - (camera.right @ up) * up
    first = np.eye(3)[int(np.argmax(np.abs(x)))]
    first = first - (first @ up) * up
    first /= np.linalg.norm(first)
    second = np.cross(up, first)
    level = painter.floor
    assert level is not None
    step = _grid(painter)
    ranges = []
    for axis in (first, second):
        s = outline @ axis
        ranges.append(np.arange(np.floor(s.min() / step - 0.3), np.ceil(s.max() / step + 0.3) + 1) * step)
    lines = [(a * first + b * second, a * first + c * second) for a in ranges[0] for b, c in [ranges[1][[0, -1]]]]
    lines += [(b * first + a * second, c * first + a * second) for a in ranges[1] for b, c in [ranges[0][[0, -1]]]]
    flat = camera.flat(np.array(lines) + level * up)
    lines_on_floor = LineCollection(list(flat), colors="#e3e3e3", linewidths=0.8, zorder=0)
    return axes.add_collection(lines_on_floor, autolim=False)


def _draw_triad(figure: Figure, camera: Camera) -> None:
    """The directions of the world axes, in a corner."""
    axes = figure.add_axes((0.0, 0.0, 0.14, 0.19))
    axes.set_axis_off()
    axes.set_xlim(-1.8, 1.8)
    axes.set_ylim(-1.8, 1.8)
    axes.set_aspect("equal")
    for k in np.argsort(camera.towards):
        x, y = camera.flat(np.eye(3)[k])
        axes.plot([0, x], [0, y], color=_FRAME[k], linewidth=1.4, solid_capstyle="round")
        axes.text(1.35 * x, 1.35 * y, "xyz"[k], fontsize=7, color=_FRAME[k], ha="center", va="center")
