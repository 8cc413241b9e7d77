"""Pictures of the mode shapes of machines with beams: axes of beams and lines between frames, still and moving."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis.modal import MachineModes
from dalembert.core.errors import InputError
from dalembert.core.files import target_file, temporary_folder, write_file
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.formulations.mapped import tree_coordinates
from dalembert.formulations.tree.flexible import SectionMotion
from dalembert.formulations.tree.model import TreeModel
from dalembert.model.body import Body
from dalembert.model.joint import WORLD

__all__ = ["animate_mode", "machine_lines", "plot_modes"]


def machine_lines(eom: EquationsOfMotion, q: ArrayLike, points: int = 30) -> list[Array]:
    """Lines (points x 3) that draw a machine in a configuration: the axes of its beams, and rods between its frames."""
    model = _model(eom)
    machine, x = eom.machine, model.variables
    lines: list[Any] = []
    for node, (R, p) in zip(model.tree.nodes, model.world_poses, strict=True):
        if node.is_root and node.beam is not None:
            delta = x.q[node.modal_q]
            stations = np.linspace(0.0, node.beam.length, points)
            axis = [p + R @ SectionMotion(node.beam, float(s), delta).p for s in stations]
            lines.append(ca.horzcat(p, *axis).T)
    rods = [(j.parent, j.child) for j in machine.joints if j.parent != WORLD]
    rods += [(f.body, f.name) for f in machine.frames]
    lines += [ca.horzcat(model.frame_pose(a)[1], model.frame_pose(b)[1]).T for a, b in rods]
    for body in machine.bodies:
        if isinstance(body, Body):
            R, p = model.frame_pose(body.name)
            lines.append(ca.horzcat(p, p + R @ ca.vertcat(*[x.value(c) for c in body.com])).T)
    at = tree_coordinates(machine, np.asarray(q, dtype=float))
    arguments = [ca.DM(at), ca.DM(machine.p_nominal)]
    values = ca.Function("lines", [x.q, x.p], lines).call(arguments)
    return [np.array(ca.DM(v).full()) for v in values]


def _model(eom: EquationsOfMotion) -> Any:

    if not eom.formulation.machine_coordinates:
        raise InputError(
            f"mode shapes of machine '{eom.machine.name}' are drawn in its own coordinates, got equations in others "
            f"({', '.join(eom.q_names)}); derive them in these"
        )
    return TreeModel(eom.machine)


def _displacements(modes: MachineModes, k: int, size: float) -> tuple[list[Array], list[Array]]:
    """Lines at rest and their displacements in a mode, to first order, the largest ``size`` of the machine's extent."""
    eom, step = modes.equations, 1e-5
    rest = machine_lines(eom, modes.q)
    ahead, behind = (machine_lines(eom, eom.integrate(modes.q, x * modes.shapes[:, k])) for x in (step, -step))
    moved = [(a - b) / (2 * step) for a, b in zip(ahead, behind, strict=True)]
    extent = float(np.ptp(np.concatenate(rest), axis=0).max()) or 1.0
    largest = max(float(np.linalg.norm(np.concatenate(moved), axis=1).max()), 1e-300)
    return rest, [x * (size * extent / largest) for x in moved]


def plot_modes(
    modes: MachineModes, which: ArrayLike | None = None, *, plane: str = "xy", size: float = 0.15, columns: int = 3
) -> Any:
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
    """
    from matplotlib.figure import Figure

    chosen = list(modes.elastic[:6]) if which is None else [int(k) for k in np.atleast_1d(np.asarray(which))]
    if not chosen:
        raise InputError(f"machine '{modes.equations.machine.name}' has no mode with stiffness to draw")
    a, b = _axes(plane)
    rows = -(-len(chosen) // columns)
    figure = Figure(figsize=(3.6 * columns, 2.6 * rows), layout="constrained")
    for n, k in enumerate(chosen):
        axes = figure.add_subplot(rows, columns, n + 1)
        rest, moved = _displacements(modes, k, size)
        for line in rest:
            axes.plot(line[:, a], line[:, b], color="0.75", linewidth=2.5, solid_capstyle="round")
        for sign, style in ((1.0, "-"), (-1.0, ":")):
            for line, shift in zip(rest, moved, strict=True):
                x = line + sign * shift
                axes.plot(x[:, a], x[:, b], style, color="tab:blue", linewidth=1.5)
        axes.set_title(f"mode {k + 1}: {modes.frequencies[k]:.4g} rad/s", fontsize=9)
        axes.set_aspect("equal", adjustable="datalim")
        axes.tick_params(labelsize=7)
        axes.set_xlabel(f"{plane[0]} [m]", fontsize=8)
        axes.set_ylabel(f"{plane[1]} [m]", fontsize=8)
    return figure


def animate_mode(
    modes: MachineModes, mode: int, path: str | Path, *, plane: str = "xy", size: float = 0.15, frames: int = 24
) -> Path:
    """Write an animated GIF of one mode shape.

    Parameters
    ----------
    modes, plane, size
        As of `plot_modes`.
    mode
        Index of the mode.
    path
        The file.
    frames
        Pictures per period.
    """
    from matplotlib.animation import FuncAnimation, PillowWriter
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    a, b = _axes(plane)
    rest, moved = _displacements(modes, mode, size)
    phases = np.sin(2 * np.pi * np.arange(frames) / frames)
    pictures = [[line + x * shift for line, shift in zip(rest, moved, strict=True)] for x in phases]
    figure = Figure(figsize=(5, 3.2), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    lines = [axes.plot(line[:, a], line[:, b], color="tab:blue", linewidth=2)[0] for line in pictures[0]]
    everything = np.concatenate([line for picture in pictures for line in picture])
    low, high = everything.min(axis=0), everything.max(axis=0)
    pad = 0.05 * float((high - low).max())
    axes.set_xlim(low[a] - pad, high[a] + pad)
    axes.set_ylim(low[b] - pad, high[b] + pad)
    axes.set_aspect("equal")
    axes.set_title(f"mode {mode + 1}: {modes.frequencies[mode]:.4g} rad/s")

    def draw(n: int) -> Any:
        for line, points in zip(lines, pictures[n], strict=True):
            line.set_data(points[:, a], points[:, b])
        return lines

    target = target_file(path, (".gif",))
    with temporary_folder() as folder:
        FuncAnimation(figure, draw, frames=frames).save(folder / "mode.gif", writer=PillowWriter(fps=20))
        return write_file(target, (folder / "mode.gif").read_bytes())


def _axes(plane: str) -> tuple[int, int]:
    if len(plane) != 2 or any(c not in "xyz" for c in plane) or plane[0] == plane[1]:
        raise InputError(f"plane must be two of x, y, z, such as 'xy', got {plane!r}")
    return "xyz".index(plane[0]), "xyz".index(plane[1])
