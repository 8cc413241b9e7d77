"""Pictures of the mode shapes of machines, still and moving, on the scene of the machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis.modal import MachineModes
from dalembert.core.errors import InputError
from dalembert.core.files import target_file, write_file
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array
from dalembert.view.animation import gif_of
from dalembert.view.baked import Baked, exaggerated, sagging
from dalembert.view.drawing import draw_scene
from dalembert.view.scene import Scene
from dalembert.view.scene_builder import build_scene
from dalembert.view.solids import axis_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["animate_mode", "bake_mode", "plot_modes", "wires"]

_STEP = 1e-5


def bake_mode(modes: MachineModes, mode: int, phases: ArrayLike, *, size: float = 0.15) -> tuple[Scene, Baked]:
    """The scene of a machine that moves in one of its modes, to first order.

    Parameters
    ----------
    modes
        The modes.
    mode
        Index of the mode.
    phases
        Factors of the mode, between -1 and 1: one picture each.
    size
        Largest displacement of a point, relative to the extent of the machine.
    """
    eom = modes.equations
    if not eom.formulation.machine_coordinates:
        raise InputError(
            f"mode shapes of machine '{eom.machine.name}' are drawn in its own coordinates, got equations in others "
            f"({', '.join(eom.q_names)}); derive them in these"
        )
    scene = build_scene(eom.machine)
    ahead = eom.integrate(modes.q, _STEP * modes.shapes[:, mode])
    moved, rest = (scene.bake(np.atleast_2d(q)) for q in (ahead, modes.q))
    way = np.concatenate([moved.points - rest.points, moved.poses[..., 3] - rest.poses[..., 3]], axis=1)
    largest = max(float(np.linalg.norm(way, axis=-1).max()), 1e-300)
    extent = float(np.ptp(np.concatenate([rest.points, rest.poses[..., 3]], axis=1), axis=1).max()) or 1.0
    factors = as_numbers(phases) * size * extent / largest
    both = ((moved.points, moved.poses), (rest.points, rest.poses))
    pictures = [exaggerated(*both, float(x)) for x in factors]
    points, poses = (np.concatenate([picture[i] for picture in pictures]) for i in (0, 1))
    straight = np.zeros(len(factors))
    cables = {
        cable.name: sagging(points[:, list(cable.points)], straight, np.zeros(3), cable.lines) for cable in scene.cables
    }
    q = rest.q + factors[:, None] * (moved.q - rest.q)
    return scene, Baked(np.arange(len(factors), dtype=float), points, poses, cables, q=q)


def wires(scene: Scene, baked: Baked) -> list[Array]:
    """Lines (n, points, 3) that stand for a baked scene: beams, links, cables, and the axes of solids."""
    lines = [baked.points[:, list(beam.points)] for beam in scene.beams]
    lines += [baked.points[:, list(link.ends)] for link in scene.links]
    for solid in scene.solids:
        pose = baked.poses[:, solid.pose]
        lines.append(np.einsum("nij,mj->nmi", pose[..., :3], axis_of(solid.solid, solid.mesh)) + pose[:, None, :, 3])
    return [*lines, *baked.cables.values()]


def plot_modes(
    modes: MachineModes, which: ArrayLike | None = None, *, plane: str = "xy", size: float = 0.15, columns: int = 3
) -> Figure:
    """Draw mode shapes of a machine, projected on a coordinate plane; return the matplotlib figure.

    Parameters
    ----------
    modes
        The modes.
    which
        Indices of the modes; default the first six with stiffness.
    plane
        Axes of the picture, such as ``"xy"``.
    size
        Largest displacement, relative to the extent of the machine.
    columns
        Pictures per row.

    Examples
    --------
    >>> from dalembert.analysis import machine_modes
    >>> from dalembert.systems.flexible_arms import planar_arm
    >>> figure = plot_modes(machine_modes(planar_arm()), [0, 1])
    >>> len(figure.axes)
    2
    """
    from matplotlib.figure import Figure

    chosen = list(modes.elastic[:6]) if which is None else [int(k) for k in np.atleast_1d(as_numbers(which))]
    if not chosen:
        raise InputError(f"machine '{modes.equations.machine.name}' has no mode with stiffness to draw")
    a, b = ("xyz".index(letter) for letter in _axes(plane))
    rows = -(-len(chosen) // columns)
    figure = Figure(figsize=(3.6 * columns, 2.6 * rows), layout="constrained")
    for n, k in enumerate(chosen):
        axes = figure.add_subplot(rows, columns, n + 1)
        lines = wires(*bake_mode(modes, k, [0.0, 1.0, -1.0], size=size))
        looks = (("-", "0.75", 2.5), ("-", "tab:blue", 1.5), (":", "tab:blue", 1.5))
        for i, (style, colour, width) in enumerate(looks):
            for line in lines:
                axes.plot(line[i, :, a], line[i, :, b], style, color=colour, linewidth=width, solid_capstyle="round")
        axes.set_title(f"mode {k + 1}: {modes.omega[k]:.4g} rad/s", fontsize=9)
        axes.set_aspect("equal", adjustable="datalim")
        axes.tick_params(labelsize=7)
        axes.set_xlabel(f"{plane[0]} [m]", fontsize=8)
        axes.set_ylabel(f"{plane[1]} [m]", fontsize=8)
    return figure


def animate_mode(
    modes: MachineModes,
    mode: int,
    path: str | Path,
    *,
    plane: str | None = "xy",
    size: float = 0.15,
    frames: int = 24,
) -> Path:
    """Write an animated GIF of one mode shape.

    Parameters
    ----------
    modes, size
        As in `plot_modes`.
    mode
        Index of the mode.
    path
        The file.
    plane
        Axes of the picture; None: in space.
    frames
        Pictures per period.

    Examples
    --------
    >>> import tempfile
    >>> from dalembert.analysis import machine_modes
    >>> from dalembert.systems.flexible_arms import planar_arm
    >>> folder = tempfile.mkdtemp()
    >>> animate_mode(machine_modes(planar_arm()), 0, f"{folder}/mode.gif", frames=4).name
    'mode.gif'
    """
    target = target_file(path, (".gif",))
    axes = None if plane is None else _axes(plane)
    scene, baked = bake_mode(modes, mode, np.sin(2 * np.pi * np.arange(frames) / frames), size=size)
    title = f"{scene.machine.name}, mode {mode + 1}: {modes.omega[mode]:.4g} rad/s"
    figure, update = draw_scene(scene, baked, title=title, plane=axes, size=(5.0, 3.2), clock=False)
    return write_file(target, gif_of(figure, update, frames, fps=20.0, dpi=100))


def _axes(plane: str) -> tuple[str, str]:
    if len(plane) != 2 or any(c not in "xyz" for c in plane) or plane[0] == plane[1]:
        raise InputError(f"plane must be two of x, y, z, such as 'xy', got {plane!r}")
    return plane[0], plane[1]
