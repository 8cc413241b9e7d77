"""A loop in real time as a run of the studio that grows: its rows, as they are in its ring buffer."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from dalembert.core.errors import SimulationError
from dalembert.core.types import Array
from dalembert.io.realtime import Realtime
from dalembert.simulation.run import EndState, Run

__all__ = ["follow_loop", "rows_of_loop"]

_EVERY = 0.1  # seconds between two looks


def rows_of_loop(loop: Realtime, after: float = -np.inf, *, status: str = "running", message: str = "") -> Run | None:
    """Rows of a loop after a time, as a run; None if there are no new ones.

    Parameters
    ----------
    loop
        The loop.
    after
        Time of the last known row [s].
    status, message
        As in `Run`.
    """
    rows = loop.read()
    new = rows["t"] > after
    if not new.any():
        return None
    signals = loop.outputs[len(loop.states) :]
    held = tuple(name for name in rows if name not in ("t", *loop.outputs))
    t = rows["t"][new]

    def table(names: tuple[str, ...]) -> Array:
        return np.column_stack([rows[name][new] for name in names]) if names else np.zeros((len(t), 0))

    x, machine = table(loop.states), loop.experiment.machine
    end = EndState(float(t[-1]), x[-1])
    names = (loop.states, signals, held)
    about = {"machine": machine.name}
    return Run(t, x, table(signals), table(held), *names, (), status, message, end, about, source=machine)


def follow_loop(loop: Realtime, add: Callable[[Run], object], going: Callable[[], bool]) -> Run:
    """Hand over the rows of a loop as they arrive, until it ends or ``going`` returns False; return all kept rows."""
    last = -np.inf
    while True:
        alive = loop.running
        new = rows_of_loop(loop, last)
        if new is not None:
            add(new)
            last = float(new.t[-1])
        if not alive or not going():
            break
        time.sleep(_EVERY)
    try:
        loop.check()
        status, message = ("completed", "") if not loop.running else ("interrupted", "stopped by the user")
    except SimulationError as error:
        status, message = "failed", str(error)
    whole = rows_of_loop(loop, status=status, message=message)
    if whole is None:
        raise SimulationError("the loop has no rows", None)
    return whole
