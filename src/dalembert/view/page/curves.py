"""Curves of a run for pages: signals, energies, forces and events over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.core.types import Array
from dalembert.io.units import signal_units
from dalembert.simulation.run import Run
from dalembert.view.page.arrays import pack_array
from dalembert.view.plots import chosen_signals, group_signals

__all__ = ["pack_more", "pack_signals"]


def pack_signals(
    run: Run,
    names: Sequence[str] | None = None,
    *,
    numbers: int = 150_000,
    every: bool = False,
    balance: bool = True,
) -> dict[str, Any]:
    """Pack signals of a run for the plots of the page.

    Parameters
    ----------
    run
        The run.
    names
        The signals, also as patterns such as ``"theta*"``; None: those of `plot_run`, with the energies.
    numbers
        Largest number of values; rows are left out evenly until there are no more. The row of the last time stays.
    every
        Pack the signals that are in no panel as well.
    balance
        Pack the changes of energies and their balance, which needs the run from its start.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.systems.textbook import double_pendulum
    >>> run = da.simulate(double_pendulum(), duration=0.1, q0=[0.3, 0.0])
    >>> sorted(pack_signals(run, ["q_1"]))[:3]
    ['events', 'names', 'panels']
    """
    chosen = None if names is None else chosen_signals(run, names)
    panels = [(p.title, p.unit, list(p.names)) for p in group_signals(run, chosen)]
    columns = {name: run[name] for _, _, members in panels for name in members}
    columns |= {name: run[name] for name in run.names if every and name not in columns}
    units = signal_units(run, columns)
    if balance and names is None and "energy.kinetic" in run and "energy.potential" in run:
        since, audit = _energy_columns(run)
        panels += [("energies since the start", "J", list(since)), ("energy balance, of the peak", "1", list(audit))]
        columns |= since | audit
        units |= dict.fromkeys(since, "J") | dict.fromkeys(audit, "1")
    most = max(200, numbers // max(1, len(columns)))
    stride = max(1, -(-len(run.t) // most))
    rows = np.unique(np.concatenate([np.arange(0, len(run.t), stride), [len(run.t) - 1]]))
    return {
        "units": units,
        "stride": stride,
        **_curves(run, rows, columns),
        "panels": [{"title": title, "unit": unit, "names": members} for title, unit, members in panels],
    }


def pack_more(run: Run) -> dict[str, Any]:
    """Pack further rows of a run whose first ones `pack_signals` has packed, with every signal."""
    return _curves(run, np.arange(len(run.t)), {name: run[name] for name in run.names})


def _curves(run: Run, rows: NDArray[np.int64], columns: Mapping[str, Array]) -> dict[str, Any]:
    return {
        "names": list(columns),
        "t": pack_array(run.t[rows]),
        "values": pack_array(np.array([values[rows] for values in columns.values()])),
        "events": [{"name": event.name, "t": event.t} for event in run.events[:200]],
    }


def _energy_columns(run: Run) -> tuple[dict[str, Array], dict[str, Array]]:
    """Change of each energy since the start, and the residual of their balance."""
    energy = run.energy
    both = {"kinetic": energy.kinetic, "potential": energy.potential}
    works = {"input work": energy.work_input, "loss work": energy.work_loss, "transitions": energy.transition}
    lines = both | {name: work for name, work in works.items() if np.any(work)} | {"sum": energy.total}
    return {name: x - x[0] for name, x in lines.items()}, {"balance": energy.audit}
