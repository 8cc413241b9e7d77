"""Animation of runs: the skeleton of any machine, drawn with matplotlib, without a display.

The skeleton joins the origin of each node's frame to that of its parent, and to the frames fixed to it. A motion that
stays in a plane of the world axes is drawn in that plane, any other in perspective.
"""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError, WriteError
from dalembert.core.files import target_file, temporary_folder, write_file
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.formulations.tree.model import TreeModel
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure
from dalembert.model.transform import Transform

__all__ = ["Skeleton", "animate", "draw_frames", "skeleton"]

_LINE, _MASS, _TRACE, _GROUND = "#4477aa", "#ee6677", "#bbbbbb", "#444444"
_AXES = {"x": 0, "y": 1, "z": 2}


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Points of a machine over time and the lines between them.

    Parameters
    ----------
    t
        Times (n).
    points
        World positions (n, points, 3).
    names
        What each point is: a joint, a body's centre of mass, or a frame.
    lines
        Pairs of points.
    masses
        Mass at each point, zero if it is no centre of mass.
    """

    t: Array
    points: Array
    names: tuple[str, ...]
    lines: tuple[tuple[int, int], ...]
    masses: Array

    @property
    def plane(self) -> tuple[str, str] | None:
        """World axes of the plane in which all points stay, or None."""
        spread = np.ptp(self.points.reshape(-1, 3), axis=0)
        for normal, axes in (("y", ("x", "z")), ("x", ("y", "z")), ("z", ("x", "y"))):
            if spread[_AXES[normal]] <= 1e-9 * max(spread.max(), 1e-12):
                return axes
        return None


def skeleton(run: Run, machine: Machine, times: Array | None = None) -> Skeleton:
    """Positions of a machine's joints, centres of mass and frames along a run.

    Parameters
    ----------
    run
        A run of the machine, in any coordinates.
    machine
        The machine.
    times
        Instants; default those of the run. In between coordinates are interpolated linearly.
    """
    missing = [name for name in machine.q_names if name not in run]
    if missing:
        raise InputError(f"this run is not one of machine '{machine.name}': it has no signal '{missing[0]}'")
    if machine.couplings:
        raise InputError(f"machine '{machine.name}' has coupled joints, which the skeleton does not follow")
    q = run.array(machine.q_names)
    t = run.t if times is None else np.asarray(times, dtype=float)
    if times is not None:
        q = np.column_stack([np.interp(t, run.t, column) for column in q.T])
    model = TreeModel(machine)
    names, lines, masses, positions = ["world"], [], [0.0], [ca.SX(3, 1)]
    for i, node in enumerate(machine.tree.nodes):
        R, p = model.world_poses[i]
        here = len(names)
        names.append(node.joint.name)
        positions.append(p)
        masses.append(0.0)
        lines.append((_index(machine, node.parent, names), here))
        for body, pose in node.bodies:
            mass = nominal(body.mass)
            if mass > 0:
                at = [nominal(x) for x in (pose @ _at(body.com)).translation]
                lines.append((here, len(names)))
                names.append(body.name)
                positions.append(p + R @ ca.DM(at))
                masses.append(mass)
    x = model.variables
    f = ca.Function("points", [x.q, x.p], [ca.densify(ca.horzcat(*positions))])
    nominal_p = machine.p_nominal
    points = np.stack([np.array(f(row, nominal_p).full()).T for row in q])
    return Skeleton(t, points, tuple(names), tuple(lines), np.array(masses))


def _index(machine: Machine, parent: int, names: list[str]) -> int:
    return 0 if parent < 0 else names.index(machine.tree.nodes[parent].joint.name)


def _at(com: Any) -> Any:

    return Transform(com)


def animate(
    run: Run,
    machine: Machine,
    path: str | os.PathLike[str],
    *,
    fps: float = 25.0,
    speed: float = 1.0,
    trace: Sequence[str] = (),
    size: tuple[float, float] = (6.0, 4.5),
    dpi: int = 80,
) -> Path:
    """Write an animation of a run: ``.gif``, ``.html`` (one file, with controls), or ``.mp4`` where ffmpeg is.

    Parameters
    ----------
    run, machine
        A run and its machine.
    path
        The file; its ending chooses the format.
    fps
        Pictures per second.
    speed
        Seconds of the run per second of the picture.
    trace
        Points (joints or bodies) whose path is drawn.
    size, dpi
        Of the picture: inches, and dots per inch.
    """
    if not isinstance(run, Run) or not isinstance(machine, Machine):
        raise InputError(f"animate takes a run, its machine and a file, got {type(run)} and {type(machine)}")
    target = target_file(path, (".gif", ".html", ".mp4"))
    if target.suffix == ".mp4" and shutil.which("ffmpeg") is None:
        raise InputError("an .mp4 file needs the program ffmpeg, which is not installed; write a .gif or .html instead")
    if not (fps > 0 and speed > 0):
        raise InputError(f"fps and speed of an animation must be > 0, got {fps!r} and {speed!r}")
    count = max(2, round((run.t[-1] - run.t[0]) / speed * fps) + 1)
    shape = skeleton(run, machine, np.linspace(run.t[0], run.t[-1], count))
    figure, update = draw_frames(shape, title=machine.name, trace=trace, size=size)
    if target.suffix == ".gif":
        _write_gif(figure, update, count, target, fps, dpi)
        return target
    writer = _writer(target.suffix, max(1, round(fps)))
    with temporary_folder() as folder:  # these writers know files only
        try:
            with writer.saving(figure, str(folder / target.name), dpi):
                for k in range(count):
                    update(k)
                    writer.grab_frame()
            made = (folder / target.name).read_bytes()
        except OSError as error:
            raise WriteError(f"cannot write {target}: {error.strerror or error} (in {folder})") from error
    return write_file(target, made)


def _writer(suffix: str, fps: int) -> Any:
    from matplotlib import animation

    if suffix == ".html":
        return animation.HTMLWriter(fps=fps, embed_frames=True, default_mode="loop")
    return animation.FFMpegWriter(fps=fps)


def _write_gif(figure: Figure, update: Any, count: int, target: Path, fps: float, dpi: int) -> None:
    """Draw what stands still once and what moves over it: ten times faster than whole pictures."""
    from PIL import Image

    figure.set_dpi(dpi)
    canvas: Any = figure.canvas
    moving = update(0)
    for artist in moving:
        artist.set_animated(True)
    canvas.draw()
    still = canvas.copy_from_bbox(figure.bbox)
    pictures = []
    for k in range(count):
        canvas.restore_region(still)
        for artist in update(k):
            figure.draw_artist(artist)
        pictures.append(Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("P", palette=Image.Palette.ADAPTIVE))
    made = io.BytesIO()
    pictures[0].save(made, "GIF", save_all=True, append_images=pictures[1:], duration=1000 / fps, loop=0)
    write_file(target, made.getvalue())


def draw_frames(
    shape: Skeleton, *, title: str = "", trace: Sequence[str] = (), size: tuple[float, float] = (6.0, 4.5)
) -> tuple[Figure, Any]:
    """A figure of a skeleton, and the function that shows its picture number ``k``."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    for name in trace:
        if name not in shape.names:
            raise InputError(f"no point '{name}' to trace; known: {', '.join(shape.names)}")
    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    plane = shape.plane
    axes: Any = figure.add_subplot() if plane else figure.add_subplot(projection="3d")
    columns = [_AXES[a] for a in plane] if plane else [0, 1, 2]
    X = shape.points[:, :, columns]
    _frame_axes(axes, X, plane)
    blank: list[list[float]] = [[]] * len(columns)
    paths = [axes.plot(*blank, color=_TRACE, linewidth=1.0)[0] for _ in trace]
    (bones,) = axes.plot(*blank, color=_LINE, linewidth=1.6, solid_capstyle="round")
    # One artist for all bones (NaN breaks the line) and one per size of ball: drawing each by itself is slow.
    ends = np.array([k for i, j in shape.lines for k in (i, j, i)])
    breaks = np.arange(2, len(ends), 3)
    sizes = np.round(3 + 9 * (shape.masses / shape.masses.max(initial=1e-300)) ** (1 / 3), 1)
    groups = [np.flatnonzero((shape.masses > 0) & (sizes == size)) for size in np.unique(sizes[shape.masses > 0])]
    balls = [axes.plot(*blank, "o", color=_MASS, markersize=sizes[members[0]])[0] for members in groups]
    clock = axes.set_title(title, loc="left", fontsize=9)

    def put(line: Any, values: Array) -> None:
        line.set_data(values[..., 0], values[..., 1])
        if plane is None:
            line.set_3d_properties(values[..., 2])

    def update(k: int) -> list[Any]:
        for line, name in zip(paths, trace, strict=True):
            put(line, X[: k + 1, shape.names.index(name)])
        drawn = X[k, ends].copy()
        drawn[breaks] = np.nan
        put(bones, drawn)
        for ball, members in zip(balls, groups, strict=True):
            put(ball, X[k, members])
        clock.set_text(f"{title}  t = {shape.t[k]:.2f} s")
        return [*paths, bones, *balls, clock]

    update(0)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # the layout stays as it is now
    if plane is None:
        axes.set_position((0.02, 0.1, 0.92, 0.82))  # labels in perspective stand outside what the layout sees
    return figure, update


def _frame_axes(axes: Any, X: Array, plane: tuple[str, str] | None) -> None:
    low, high = X.reshape(-1, X.shape[-1]).min(axis=0), X.reshape(-1, X.shape[-1]).max(axis=0)
    span = max(float((high - low).max()), 1e-9)
    middle = (low + high) / 2
    half = np.maximum((high - low) / 2 + 0.08 * span, 0.3 * span)
    limits = list(zip(middle - half, middle + half, strict=True))
    labels = plane or ("x", "y", "z")
    for letter, limit, label in zip("xyz", limits, labels, strict=False):
        getattr(axes, f"set_{letter}lim")(*limit)
        getattr(axes, f"set_{letter}label")(f"{label} [m]", fontsize=8)
    axes.tick_params(labelsize=7)
    if plane:
        axes.set_aspect("equal")
        axes.grid(alpha=0.25, linewidth=0.5)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    else:
        axes.set_box_aspect(half, zoom=0.9)
