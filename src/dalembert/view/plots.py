"""Pictures of runs for reports."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.files import target_file, write_file
from dalembert.simulation.run import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["group_signals", "picture_file", "plot_run", "save_figure"]

_LINES_PER_PANEL = 8
# Colour-blind safe (P. Tol, "bright"), and dark enough on white.
_COLOURS = ("#4477aa", "#ee6677", "#228833", "#aa3377", "#ccbb44", "#66ccee", "#994455", "#666666")
_RATES = ("_dot", ".wx", ".wy", ".wz", ".vx", ".vy", ".vz")
_TITLES = {"u": "inputs", "command": "commands"}
_SUM = "kinetic + potential"
_ENERGY = ("energy.kinetic", "energy.potential", "work.input", "work.loss")
_MEASURED = ("offset.", "length0.")  # states of constraints that change only when these begin to act
_SWITCHES = ("work.", "active.", "integral.")  # states that are no coordinates


def plot_run(run: Run, names: Sequence[str] | None = None, path: str | os.PathLike[str] | None = None) -> Figure:
    """Draw a run as small multiples over time.

    Parameters
    ----------
    run
        The run.
    names
        Signals to draw; None: all, with the energies and their audit.
    path
        File to write (its ending chooses the format); None: only return the figure.

    Returns
    -------
    matplotlib.figure.Figure
        Independent of any window system; in a notebook it shows itself.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    target = None if path is None else picture_file(path)
    chosen = [names] if isinstance(names, str) else None if names is None else list(names)
    if chosen is not None and not chosen:
        raise InputError(f"names of signals to plot must not be empty; known: {', '.join(run.names)}")
    groups = group_signals(run, chosen)
    audited = chosen is None and "energy.kinetic" in run and "energy.potential" in run
    n_panels = len(groups) + 2 * audited
    columns = 1 if n_panels < 4 else 2
    rows = math.ceil(n_panels / columns)
    figure = Figure(figsize=(5.2 * columns + 0.6, 1.9 * rows + 0.9), layout="constrained")
    FigureCanvasAgg(figure)
    axes = list(figure.subplots(rows, columns, sharex=True, squeeze=False).T.flat)
    for panel, (title, members) in zip(axes, groups, strict=False):
        _draw(panel, run, title, [(_short(name, title), run[name]) for name in members])
    if audited:
        _draw_energy(axes[len(groups)], axes[len(groups) + 1], run)
    for unused in axes[n_panels:]:
        unused.set_visible(False)
    for k, panel in enumerate(axes[:n_panels]):
        _mark_events(panel, run, labelled=k % rows == 0)
        if k % rows == rows - 1 or k == n_panels - 1:
            panel.set_xlabel("time [s]", fontsize=9)
            panel.tick_params(labelbottom=True)
    title = str(run.metadata.get("machine") or "run")
    title = title if run.status == "completed" else f"{title}: {run.status}"
    figure.suptitle(title, fontsize=11, parse_math=False)
    if target is not None:
        save_figure(figure, target)
    return figure


def save_figure(figure: Figure, path: Path, dpi: int = 150) -> Path:
    """Draw a figure in memory and write it as a whole."""
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=dpi, format=path.suffix.lower().removeprefix(".") or "png")
    return write_file(path, drawn.getvalue())


def picture_file(path: str | os.PathLike[str]) -> Path:
    """Return the path of a picture to write, or say why it cannot be one."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    return target_file(path, tuple(f".{ending}" for ending in sorted(FigureCanvasAgg.get_supported_filetypes())))


def group_signals(run: Run, names: Sequence[str] | None = None) -> list[tuple[str, list[str]]]:
    """Sort signals into panels: coordinates, velocities, then one panel per prefix (``u.``, ``command.``, ...).

    Energies and works have panels of their own unless they are asked for by name, and what a constraint has measured is
    only drawn when it is. A panel holds at most eight lines.
    """
    wanted = list(names or (name for name in run.names if name not in _ENERGY and not name.startswith(_MEASURED)))
    groups: dict[str, list[str]] = {}
    for name in wanted:
        run[name]  # an unknown name is an error here, not in the middle of drawing
        if name in run.state_names and not name.startswith(_SWITCHES):
            title = "velocities" if name.endswith(_RATES) else "coordinates"
        elif "." in name:
            prefix = name.partition(".")[0]
            title = _TITLES.get(prefix, prefix)
        else:
            title = "signals"
        groups.setdefault(title, []).append(name)
    panels = []
    for title, members in groups.items():
        count = math.ceil(len(members) / _LINES_PER_PANEL)
        size = math.ceil(len(members) / count)
        for k in range(count):
            part = members[k * size : (k + 1) * size]
            panels.append((title if count == 1 else f"{title} ({k + 1} of {count})", part))
    return panels


def _short(name: str, title: str) -> str:
    """Leave out of a line's name what its panel says already."""
    prefix = name.partition(".")[0]
    return name.removeprefix(f"{prefix}.") if title.split(" (")[0] == _TITLES.get(prefix, prefix) else name


def _draw(panel: Axes, run: Run, title: str, lines: Sequence[tuple[str, Any]]) -> None:
    drawn = []
    for (label, values), colour in zip(lines, _COLOURS, strict=False):
        dark = label == _SUM
        drawn += panel.plot(run.t, values, "--" if dark else "-", color="#333333" if dark else colour, linewidth=1.2)
    panel.set_title(title, loc="left", fontsize=9, parse_math=False)
    panel.grid(alpha=0.25, linewidth=0.5)
    panel.tick_params(labelsize=8)
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
    panel.margins(x=0.0)
    panel.yaxis.get_offset_text().set_fontsize(7)
    if len(lines) > 1 or lines[0][0] != title:
        where: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
        legend = panel.legend(drawn, [""] * len(drawn), fontsize=7, frameon=False, **where)
        for text, (label, _) in zip(legend.get_texts(), lines, strict=False):
            text.set(text=label, parse_math=False)  # names are text, whatever signs they have


def _draw_energy(energies: Axes, audit: Axes, run: Run) -> None:
    energy = run.energy
    lines = [("kinetic", energy.kinetic), ("potential", energy.potential)]
    works = {"input work": energy.work_input, "loss work": energy.work_loss, "transitions": energy.transition}
    lines += [(label, work) for label, work in works.items() if np.any(work)]
    _draw(energies, run, "energy [J]", [*lines, (_SUM, energy.total)])
    title = f"energy balance, relative to the peak: drift {energy.drift:.1e}"
    _draw(audit, run, title, [(title, energy.audit)])


def _mark_events(panel: Axes, run: Run, *, labelled: bool) -> None:
    for event in run.events[:50]:
        panel.axvline(event.t, color="#999999", linewidth=0.7, linestyle=":", zorder=0)
    if labelled and 0 < len(run.events) <= 6:
        for event in run.events:
            panel.annotate(
                event.name,
                (event.t, 1.0),
                xycoords=("data", "axes fraction"),
                xytext=(2, -2),
                textcoords="offset points",
                fontsize=6,
                color="#666666",
                va="top",
                rotation=90,
                parse_math=False,
            )
