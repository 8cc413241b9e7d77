"""Animations of runs and pictures of machines, drawn with matplotlib, without a display."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.doing import doing
from dalembert.core.errors import InputError
from dalembert.core.files import target_file, temporary_folder, write_file
from dalembert.core.keywords import field_defaults, flat_keywords, grouped
from dalembert.core.types import Array
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run
from dalembert.view.drawing import Look, LookKeywords, draw_scene, plane_of
from dalembert.view.exposure import Exposure
from dalembert.view.looks import drawn_posture
from dalembert.view.scene import Scene, bake_run
from dalembert.view.scene_builder import build_scene
from dalembert.view.touching import contact_arrows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.animation import AbstractMovieWriter
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

__all__ = ["animate", "draw_machine", "gif_of", "plane_axes", "plane_of_motion"]

MARK = b"dalembert animation"
"""Marker in the files of animations, in every format, which identifies them."""


@flat_keywords(LookKeywords, defaults=field_defaults(Look))
def animate(
    run: Run,
    path: str | os.PathLike[str],
    *,
    machine: Machine | None = None,
    fps: float = 25.0,
    speed: float = 1.0,
    exaggerate: float = 1.0,
    look: Look | None = None,
    dpi: int = 80,
    **keywords: Unpack[LookKeywords],
) -> Path:
    """Write an animation of a run: ``.gif``, ``.html`` (one file, with controls), or ``.mp4`` where ffmpeg is.

    Parameters
    ----------
    run
        The run.
    path
        The file; its ending chooses the format.
    machine
        The machine; None: the one that the run knows.
    fps
        Pictures per second.
    speed
        Seconds of the run per second of the animation.
    exaggerate
        Factor on the displacements by the bending of beams.
    look
        Content and viewpoint of the picture.
    dpi
        Dots per inch.
    **keywords
        Fields of `Look`: ``trace``, ``frames``, ``plane``, ``view``, ``size``.
    """
    machine = _machine_of(run, machine)
    look = grouped(Look, look, keywords)
    target = target_file(path, (".gif", ".html", ".mp4"))
    if target.suffix == ".mp4" and shutil.which("ffmpeg") is None:
        raise InputError("an .mp4 file needs the program ffmpeg, which is not installed; write a .gif or .html instead")
    for name, value in (("fps", fps), ("speed", speed)):
        if not (isinstance(value, int | float) and 0 < value < np.inf):
            raise InputError(f"fps and speed of an animation must be > 0, got {name}={value!r}")
    count = max(2, round((run.t[-1] - run.t[0]) / speed * fps) + 1)
    scene = build_scene(machine, run.metadata.get("parameters"))
    fine = max(1, 300 // count) if look.trace else 1  # so that paths are smooth
    times = np.linspace(run.t[0], run.t[-1], (count - 1) * fine + 1)
    baked = bake_run(scene, run, times, exaggerate=exaggerate)
    title = machine.name if exaggerate == 1.0 or not scene.modal else f"{machine.name}, bending x {exaggerate:g}"
    figure, show = draw_scene(
        scene,
        baked,
        title=title,
        look=replace(look, plane=plane_axes(look.plane)),
        arrows=contact_arrows(run, machine, times, every=fine, exaggerate=exaggerate),
        parameters=run.metadata.get("parameters"),
    )

    def update(k: int) -> list[Artist]:
        return show(k * fine)

    if target.suffix == ".gif":
        return write_file(target, gif_of(figure, update, count, fps, dpi))
    return write_file(target, _film(figure, update, count, target.suffix, fps, dpi))


def draw_machine(
    machine: Machine,
    q: ArrayLike | Mapping[str, float] | None = None,
    *,
    frames: Sequence[str] = (),
    plane: str | None = "auto",
    view: tuple[float, float] = (-58.0, 20.0),
    size: tuple[float, float] = (5.0, 3.8),
) -> Figure:
    """Draw a machine in a configuration.

    Parameters
    ----------
    machine
        The machine.
    q
        Coordinates, or a mapping of names to numbers; missing ones are neutral, or follow from the constraints.
    frames, plane, view, size
        As in `Look`.
    """
    scene = build_scene(machine)
    at = drawn_posture(machine, q)
    chosen = plane_axes(plane)
    if chosen == "auto":
        chosen = plane_of_motion(scene, at)
    baked = scene.bake(at)
    return draw_scene(scene, baked, title=machine.name, frames=frames, size=size, plane=chosen, view=view)[0]


def _machine_of(run: Run, machine: Machine | None) -> Machine:
    if not isinstance(run, Run):
        raise InputError(f"an animation needs a Run first, got {type(run).__name__}")
    machine = run.machine if machine is None else machine
    if machine is None:
        raise InputError("this run does not contain its machine; pass it as machine=")
    if not isinstance(machine, Machine):
        raise InputError(f"machine of an animation must be a Machine, got {type(machine).__name__}")
    return machine


def plane_of_motion(scene: Scene, q: Array, p: Mapping[str, float] | None = None) -> tuple[str, str] | None:
    """World axes of the plane in which any motion from a configuration stays, or None."""
    rng = np.random.default_rng(0)
    return plane_of(scene.bake(np.array([q, *(q + 0.1 * rng.normal(size=(3, len(q))))]), 0.0, p).points)


def plane_axes(plane: tuple[str, str] | str | None) -> tuple[str, str] | str | None:
    """Axes of a plane such as ``"xz"``; None and ``"auto"`` are themselves."""
    if plane is None or plane == "auto":
        return plane
    axes = tuple(plane) if isinstance(plane, str | tuple | list) else ()
    if len(axes) != 2 or axes[0] == axes[1] or any(a not in ("x", "y", "z") for a in axes):
        raise InputError(f"plane must be two of x, y, z, such as 'xz', or None or 'auto', got {plane!r}")
    return axes[0], axes[1]


def gif_of(figure: Figure, update: Callable[[int], list[Artist]], count: int, fps: float, dpi: int) -> bytes:
    """Content of a GIF."""
    from PIL import Image

    film = Exposure(figure, update(0), dpi)
    pictures = []
    for k in range(count):
        with doing(f"drawing picture {k + 1} of {count}"):
            pictures.append(Image.fromarray(film.taken(update(k))).convert("P", palette=Image.Palette.ADAPTIVE))
    content = io.BytesIO()
    pictures[0].save(
        content, format="GIF", save_all=True, append_images=pictures[1:], duration=1000 / fps, loop=0, optimize=True,
        comment=MARK,
    )  # fmt: skip
    return content.getvalue()


def _film(
    figure: Figure, update: Callable[[int], list[Artist]], count: int, suffix: str, fps: float, dpi: int
) -> bytes:
    from matplotlib import animation

    rate = max(1, round(fps))
    writer: AbstractMovieWriter = animation.FFMpegWriter(fps=rate, metadata={"comment": MARK.decode()})
    if suffix == ".html":
        writer = animation.HTMLWriter(fps=rate, embed_frames=True, default_mode="loop")
    with temporary_folder() as folder:  # these writers know files only
        film = folder / f"film{suffix}"
        with writer.saving(figure, str(film), dpi):
            for k in range(count):
                with doing(f"drawing picture {k + 1} of {count}"):
                    update(k)
                    writer.grab_frame()
        return (b"<!-- " + MARK + b" -->\n" if suffix == ".html" else b"") + film.read_bytes()
