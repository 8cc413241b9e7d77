"""Plots of runs: small multiples over time, each with one unit."""

from __future__ import annotations

import fnmatch
import io
import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.files import target_file, write_file
from dalembert.core.types import Array
from dalembert.core.validation import check_names
from dalembert.io.units import signal_units
from dalembert.simulation.run import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "COLOURS",
    "Panel",
    "chosen_signals",
    "group_signals",
    "picture_file",
    "plot_run",
    "save_figure",
    "shown_figure",
]

_LINES_PER_PANEL = 8
# Colour-blind safe (P. Tol, "bright"), and dark enough on white.
COLOURS = ("#4477aa", "#ee6677", "#228833", "#aa3377", "#ccbb44", "#66ccee", "#994455", "#666666")
_RATES = ("_dot", ".wx", ".wy", ".wz", ".vx", ".vy", ".vz")
_TITLES = {
    "u": "inputs",
    "command": "commands",
    "tension": "tensions",
    "length": "lengths of cables and ropes",
    "swivel": "swivel angles",
    "wrap": "angles of wrap",
    "fleet": "fleet angles",
    "multiplier": "multipliers",
    "constraint": "violation of constraints",
    "integral": "integrals",
    "active": "what acts",
    "stick": "what sticks",
    "force": "contact forces",
    "friction": "friction of joints",
    "gap": "gaps",
    "slip": "speeds of slip",
    "loss": "losses of contacts and joints",
    "contact": "solution of contacts",
}
_COORDINATES = {"rad": "angles", "m": "positions", "1": "quaternions"}
_VELOCITIES = {"rad/s": "angular velocities", "m/s": "velocities"}
_ENERGY = ("energy.kinetic", "energy.potential", "work.input", "work.loss")
_MEASURED = ("offset.", "length0.")  # states of constraints that change only when these begin to act
# latches of contacts and joints that stick: directions and shares of friction; what steps follow
_KEPT = ("toward.", "share.", "leeway.", "impulse.")
_FLAGS = ("active.", "stick.")  # drawn where they change
_IDLE = (
    "u.",
    "command.",
    "multiplier.",
    "force.",
    "friction.",
    "slip.",
    "loss.",
)  # not drawn where they are zero all the time
# states that are no coordinates
_OTHER_STATES = ("work.", *_FLAGS, *_KEPT, "integral.", "effort.", "force.", "loss.", "contact.")
_NATURAL = re.compile(r"\.[rv][ij]\.[xyz](_dot)?$|^turned\.")  # natural coordinates, and the turns that they count
_TOTAL = "sum"


@dataclass(frozen=True)
class Panel:
    """Signals that are drawn together: a title, the unit of all of them (empty if it is not known), their names."""

    title: str
    unit: str
    names: tuple[str, ...]


@cache
def shown_figure() -> type[Figure]:
    """Figures that a notebook shows as a picture, also where pyplot was never imported."""
    from matplotlib.figure import Figure

    class ShownFigure(Figure):
        """A figure with its picture for notebooks."""

        def _repr_png_(self) -> bytes:
            content = io.BytesIO()
            self.savefig(content, format="png", dpi=110)
            return content.getvalue()

    return ShownFigure


def plot_run(run: Run, names: Sequence[str] | None = None, path: str | os.PathLike[str] | None = None) -> Figure:
    """Draw a run as small multiples over time.

    Parameters
    ----------
    run
        The run.
    names
        Signals to draw, also as patterns such as ``"theta*"``; None: all, with the energies and their audit.
    path
        File to write (its ending chooses the format); None: only return the figure.

    Returns
    -------
    matplotlib.figure.Figure
        Independent of any window system; in a notebook it shows itself.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.systems.textbook import double_pendulum
    >>> run = da.simulate(double_pendulum(), duration=0.1, q0=[0.3, 0.0])
    >>> len(plot_run(run, ["q_1", "energy.*"]).axes)
    2
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    target = None if path is None else picture_file(path)
    groups = group_signals(run, None if names is None else chosen_signals(run, names))
    audited = names is None and "energy.kinetic" in run and "energy.potential" in run
    count = len(groups) + 2 * audited
    columns = 1 if count < 4 else 2
    rows = math.ceil(count / columns)
    figure = shown_figure()(figsize=(5.2 * columns + 0.6, 1.9 * rows + 0.9), layout="constrained")
    FigureCanvasAgg(figure)
    axes = _axes(figure, count, rows, columns)
    for panel, group in zip(axes, groups, strict=False):
        _draw(panel, run, group.title, group.unit, [(_short(name, group.title), run[name]) for name in group.names])
    if audited:
        _draw_energy(axes[-2], axes[-1], run)
    for k, panel in enumerate(axes):
        _mark_events(panel, run, labelled=k < columns)
    title = str(run.metadata.get("machine") or "run")
    title = title if run.status == "completed" else f"{title}: {run.status}"
    figure.suptitle(title, fontsize=11, parse_math=False)
    if target is not None:
        save_figure(figure, target)
    return figure


def _axes(figure: Figure, count: int, rows: int, columns: int) -> list[Axes]:
    """Panels row by row; the last one takes the whole of its row if it is alone there."""
    grid = figure.add_gridspec(rows, columns)
    panels: list[Axes] = []
    for k in range(count):
        row, column = divmod(k, columns)
        alone = k == count - 1 and column == 0
        where = grid[row, :] if alone else grid[row, column]
        axes = figure.add_subplot(where, sharex=panels[0] if panels else None)
        last = row == rows - 1
        axes.tick_params(labelbottom=last)
        if last:
            axes.set_xlabel("time [s]", fontsize=9)
        panels.append(axes)
    return panels


def chosen_signals(run: Run, names: Sequence[str]) -> list[str]:
    """Names of signals, patterns replaced by their matches."""
    wanted = check_names(names, "names of signals to plot")
    if not wanted:
        raise InputError(f"names of signals to plot must not be empty; known: {', '.join(run.names)}")
    signals: dict[str, None] = {}
    for name in wanted:
        matched = [name]
        if name not in run and any(sign in name for sign in "*?"):
            matched = [known for known in run.names if fnmatch.fnmatchcase(known, name)]
            if not matched:
                raise InputError(f"no signal matches {name!r}; known: {', '.join(run.names)}")
        signals |= dict.fromkeys(matched)
    return list(signals)


def save_figure(figure: Figure, path: Path, dpi: int = 150) -> Path:
    """Draw a figure in memory and write it as a whole."""
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=dpi, format=path.suffix.lower().removeprefix(".") or "png")
    return write_file(path, drawn.getvalue())


def picture_file(path: str | os.PathLike[str]) -> Path:
    """Return the path of a picture to write, or say why it cannot be one."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    return target_file(path, tuple(f".{ending}" for ending in sorted(FigureCanvasAgg.get_supported_filetypes())))


def group_signals(run: Run, names: Sequence[str] | None = None) -> list[Panel]:
    """Sort signals into panels of one unit: coordinates, velocities, then by prefix (``u.``, ``command.``, ...).

    Energies and works have separate panels unless they are requested by name. Measurements of constraints, switches
    that do not change and inputs that are zero are drawn only if requested by name. A panel holds eight lines.
    """
    wanted = list(names or (name for name in run.names if _is_shown(run, name)))
    units, machine = signal_units(run, wanted), run.machine
    coordinates = frozenset(() if machine is None else (*machine.q_names, *machine.v_names))
    groups: dict[tuple[str, str], list[str]] = {}
    for name in wanted:
        run[name]  # an unknown name is an error here, not in the middle of drawing
        unit = units.get(name, "")
        groups.setdefault((_title(run, coordinates, name, unit), unit), []).append(name)
    panels = []
    for (title, unit), members in groups.items():
        count = math.ceil(len(members) / _LINES_PER_PANEL)
        size = math.ceil(len(members) / count)
        for k in range(count):
            shown = tuple(members[k * size : (k + 1) * size])
            panels.append(Panel(title if count == 1 else f"{title} ({k + 1} of {count})", unit, shown))
    return panels


def _is_shown(run: Run, name: str) -> bool:
    if name in _ENERGY or name.startswith((*_MEASURED, *_KEPT)):
        return False
    if run.machine is not None and _NATURAL.search(name):  # the machine's own coordinates are there as well
        return False
    if name.startswith(_FLAGS):
        return bool(np.ptp(run[name]) > 0)
    return not name.startswith(_IDLE) or bool(np.any(run[name]))


def _title(run: Run, coordinates: frozenset[str], name: str, unit: str) -> str:
    """Title of the panel of a signal; ``own`` are the names of the machine's coordinates and velocities."""
    if name in coordinates or (name in run.state_names and not name.startswith(_OTHER_STATES)):
        if name.partition(".")[2].startswith(("delta", "mode")):  # of beams and appendages
            return "modal velocities" if name.endswith("_dot") else "modal coordinates"
        if name.endswith(_RATES):
            return _VELOCITIES.get(unit, "velocities")
        return _COORDINATES.get(unit, "coordinates")
    if "." in name:
        prefix = name.partition(".")[0]
        return _TITLES.get(prefix, prefix)
    return "signals"


def _short(name: str, title: str) -> str:
    """Leave out of a line's name the part that its panel shows already."""
    prefix = name.partition(".")[0]
    return name.removeprefix(f"{prefix}.") if title.split(" (")[0] == _TITLES.get(prefix, prefix) else name


def _draw(panel: Axes, run: Run, title: str, unit: str, lines: Sequence[tuple[str, Array]]) -> None:
    drawn = []
    for (label, values), colour in zip(lines, COLOURS, strict=False):
        dark = label == _TOTAL
        drawn += panel.plot(run.t, values, "--" if dark else "-", color="#333333" if dark else colour, linewidth=1.2)
    panel.set_title(title, loc="left", fontsize=9, parse_math=False)
    if unit:
        panel.set_ylabel(f"[{unit}]", fontsize=8)
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
    """Change of each energy since the start, so that a large constant hides nothing; and the residual."""
    energy = run.energy
    lines = [(name, x - x[0]) for name, x in (("kinetic", energy.kinetic), ("potential", energy.potential))]
    works = {"input work": energy.work_input, "loss work": energy.work_loss, "transitions": energy.transition}
    lines += [(label, work - work[0]) for label, work in works.items() if np.any(work)]
    _draw(energies, run, "energies since the start", "J", [*lines, (_TOTAL, energy.total - energy.total[0])])
    title = f"energy balance: drift {energy.drift:.1e} of the peak"
    _draw(audit, run, title, "of the peak", [(title, energy.audit)])


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
