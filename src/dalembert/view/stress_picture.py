"""Pictures of stresses: the deformed mesh of a flexible body, coloured, and its largest stress over time."""

from __future__ import annotations

import base64
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dalembert.analysis.stress import stress_history
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.model.elastic.finite_elements import FlexibleBody
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run
from dalembert.view.plots import shown_figure
from dalembert.view.strokes import Camera

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw_mesh", "plot_stress", "stress_section"]

_ENLARGED = 0.06
"""Largest displacement in a picture, as a part of the size of the body."""


def plot_stress(run: Run, body: str, *, time: float | None = None, scale: float | None = None) -> Figure:
    """Draw the deformed mesh of a flexible body, coloured by its equivalent stress, and the largest stress over time.

    Parameters
    ----------
    run
        The run.
    body
        Name of a flexible body whose stresses are those of its nodes, as with ``stress=True``.
    time
        Instant of the picture [s]; None: that of the largest stress.
    scale
        Factor of the displacements; None: 6 % of the size of the body.

    Raises
    ------
    InputError
        If the body has no surface, or its stresses are not those of its nodes.

    Examples
    --------
    A bar of one brick on a hinge:

    >>> import numpy as np, dalembert as da
    >>> from dalembert.view import plot_stress
    >>> x = np.array([(a, b, c) for a in (0.0, 1.0) for b, c in ((0, 0), (0.1, 0), (0.1, 0.1), (0, 0.1))])
    >>> solids = da.Solids([range(8)], E=1e9, nu=0.3)
    >>> S = da.analysis.stress_matrix(x, [solids])
    >>> model = da.FiniteElements(1e-2 * S.T @ S / 1e9, np.eye(24), x, {"ROOT": np.arange(4)}, solids=(solids,))
    >>> bar = model.body("bar", {"root": "ROOT"}, 2, stress=True)
    >>> machine = da.Machine("bar", [bar], [da.Joint("hinge", "revolute", "world", "bar", axis="y")])
    >>> run = da.simulate(machine, duration=0.01, method=da.ImplicitMidpoint(step=1e-3))
    >>> len(plot_stress(run, "bar").axes)
    3
    """
    history = stress_history(run, body)  # refuses other bodies by name
    flexible = next(b for b in (run.machine.bodies if run.machine else ()) if b.name == body)
    assert isinstance(flexible, FlexibleBody)
    reduction = flexible.reduction
    if not len(reduction.faces):
        raise InputError(f"flexible body '{body}' has no surface to draw: give surface=, or a model with solids")
    if history.sigma.shape[1] != len(reduction.positions):
        raise InputError(
            f"flexible body '{body}' has stresses at {history.sigma.shape[1]} points and {len(reduction.positions)} "
            "nodes: make it with stress=True"
        )
    k = int(history.largest.argmax()) if time is None else int(np.abs(run.t - time).argmin())
    moved = flexible.displacements(run.array(list(flexible.q_names))[k])
    largest = max(float(np.linalg.norm(moved, axis=1).max()), 1e-300)
    factor = scale if scale is not None else min(max(1.0, _ENLARGED * flexible.size / largest), 1e6)
    figure = shown_figure()(figsize=(9.0, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    camera = _camera(reduction.positions)
    draw_mesh(figure, left, camera, reduction.positions + factor * moved, reduction.faces, history.von_mises[k] / 1e6)
    worst = camera.flat((reduction.positions + factor * moved)[history.where[k]])
    left.plot(*worst, "o", mfc="none", mec="#b02020", ms=9, mew=1.4)
    left.set_title(f"{body} at {run.t[k]:.4g} s, displacements x {factor:.3g}", fontsize=9)
    right.plot(run.t, history.largest / 1e6, color="#2f5d8a", lw=1.2)
    right.plot(run.t[k], history.largest[k] / 1e6, "o", mfc="none", mec="#b02020", ms=8, mew=1.4)
    right.set(title="largest stress [MPa]", xlabel="time [s]", ylim=(0, None))
    right.title.set_fontsize(9)
    right.grid(alpha=0.3)
    return figure


def _camera(points: Array) -> Camera:
    """Look at the broadest side of a body: from high above where it is flat."""
    flat = int(np.argmin(np.ptp(points, axis=0)))
    return Camera.looking(np.eye(3)[2], azimuth=-75.0, elevation=55.0 if flat == 2 else 25.0)


def draw_mesh(
    figure: Figure, axes: object, camera: Camera, points: Array, faces: NDArray[np.int64], values: Array
) -> None:
    """Draw the triangles (m, 3) of points (N, 3) that a camera sees, coloured by values at the points [MPa]."""
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection

    assert isinstance(axes, Axes)
    corners = points[faces]
    order = np.argsort((corners @ camera.towards).mean(axis=1))
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    seen = order[(normals @ camera.towards)[order] > 0.0]
    drawn = PolyCollection(list(camera.flat(corners[seen])), cmap="viridis", edgecolors="face", linewidths=0.4)
    drawn.set_array(values[faces[seen]].mean(axis=1))
    drawn.set_clim(0.0, float(values.max()) or 1.0)
    axes.add_collection(drawn)
    axes.autoscale_view()
    axes.set_aspect("equal")
    axes.set_axis_off()
    figure.colorbar(drawn, ax=axes, label="equivalent stress [MPa]", fraction=0.035, pad=0.02)


def stress_section(run: Run, machine: Machine) -> str:
    """HTML of a report: picture, largest stress and cycles of each body with stresses at its nodes; "" without one."""
    parts = []
    for body in machine.bodies:
        if not isinstance(body, FlexibleBody) or f"stress.{body.name}" not in run or run.machine is None:
            continue
        stress = body.reduction.stress
        history = stress_history(run, body.name)
        point, k = history.critical, int(history.largest.argmax())
        cycles = history.cycles()
        text = (
            f"largest equivalent stress of {body.name}: {history.largest[k] / 1e6:.4g} MPa at {run.t[k]:.4g} s, at "
            f"point {point}; {cycles.counts.sum():g} load cycles there, the largest of "
            f"{cycles.ranges.max(initial=0.0) / 1e6:.4g} MPa"
        )
        parts.append(f"<p>{escape(text)}</p>")
        if stress is not None and len(stress) == len(body.reduction.positions) and len(body.reduction.faces):
            content = BytesIO()
            plot_stress(run, body.name).savefig(content, format="png", dpi=110)
            data = base64.b64encode(content.getvalue()).decode("ascii")
            label = escape(f"deformed mesh of {body.name}, coloured by its equivalent stress", quote=True)
            parts.append(f'<img alt="{label}" style="max-width:100%" src="data:image/png;base64,{data}">')
    return "<h2>Stresses</h2>" + "\n".join(parts) if parts else ""
