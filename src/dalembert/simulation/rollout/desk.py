"""Members that have left the threads of a GPU: the processor takes them over the steps in which something happens.

A thread watches the signs of the event functions as a lane does. A member whose step contains a sign change is queued
in the desk, with its state before that step: a row of numbers (cuda_rollout.cu). The processor takes all queued members
over their steps at once, by the code that takes members out of their lanes (members.c), in threads, and hands them
back; another launch continues with only these members. A member always has the same one of the processor's threads,
which keeps its events in order.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.compile.batch import run_threads
from dalembert.core.types import Array
from dalembert.engine.layout import structure
from dalembert.simulation.rollout.events import EventSteps, ThreadSteps
from dalembert.simulation.rollout.members import Members

__all__ = ["Desk", "DeskRow", "GpuDesk"]

_CLOCK, _T, _STATUS, _STATE = 0, 1, 4, 5  # as in members.c and cuda_rollout.cu
_FEW = 8  # members for which it is not worth to go to other cores


@dataclass(frozen=True)
class DeskRow:
    """Numbers of a queued member: of its state, of events, held values and pace, and of measures."""

    n_states: int
    n_events: int
    n_held: int
    n_pace: int
    n_measures: int

    @property
    def x(self) -> slice:
        """Its state."""
        return slice(_STATE, _STATE + self.n_states)

    @property
    def signs(self) -> slice:
        """Signs of its event functions."""
        return slice(self.x.stop, self.x.stop + self.n_events)

    @property
    def held(self) -> slice:
        """Its held values."""
        return slice(self.signs.stop, self.signs.stop + self.n_held)

    @property
    def size(self) -> int:
        """All of them."""
        return self.held.stop + self.n_pace + self.n_measures


class Desk:
    """Where the processor takes members over their steps.

    Parameters
    ----------
    members
        All members.
    row
        Layout of the row of each member.
    modes
        Indices of states, none of which is 1 where a thread of a GPU takes the steps; the processor keeps other
        members, unless each of their steps is checked.
    threads
        Number of threads.
    """

    def __init__(self, members: Members, row: DeskRow, modes: NDArray[np.int64], threads: int) -> None:
        assert members.outside is not None
        self.row = row
        self._members, self._modes = members, modes
        self._outside: EventSteps = members.outside
        self._steps: list[ThreadSteps | None] = [None] * max(1, min(threads, len(members.x)))

    def begin(self, segment: np.void, held: Array) -> None:
        """Let members begin that have not left their start: they settle, and their events are armed."""
        members, row = self._members, self.row
        assert members.fresh is not None and members.watched is not None
        which = np.flatnonzero(members.fresh)
        rows = np.zeros((len(which), row.size))
        rows[:, _T] = segment["anchor"] + (0.0 if members.clock is None else members.clock[which])
        rows[:, row.x], rows[:, row.held] = members.x[which], held[which] if held.ndim == 2 else held
        self.take(rows, which, segment, begins=True)
        members.x[which], members.watched[which] = rows[:, row.x], rows[:, row.signs]
        members.status[which], members.fresh[which] = rows[:, _STATUS].astype(np.int64), 0
        ended = which[rows[:, _STATUS] != 0.0]
        members.failed_at[ended] = rows[rows[:, _STATUS] != 0.0, _T]
        members.rows[which, 0] = members.x[which]
        members.rows[ended, 0] = np.nan

    def take(self, rows: Array, which: NDArray[np.int64], segment: np.void, *, begins: bool = False) -> None:
        """Take the members ``which``, that lie in ``rows``, over their steps of a segment."""
        count, p = len(self._steps), self._members.p

        def work(k: int) -> None:
            steps = self._steps[k]
            if steps is None:
                self._steps[k] = steps = self._outside.in_thread()
            desk = structure("desk")(
                n=len(which),
                size=rows.shape[1],
                rows=rows.ctypes.data,
                member=which.ctypes.data,
                parameters=p.ctypes.data,
                p_stride=p.shape[1] if p.ndim == 2 else 0,
                n_modes=len(self._modes),
                modes=self._modes.ctypes.data,
                threads=count,
                thread=k,
                **{name: segment[name].item() for name in ("anchor", "h", "rest", "first", "count")},
            )
            steps.at_desk(desk, begins=begins)

        if len(which) <= _FEW:
            for k in np.unique(which % count):
                work(int(k))
        else:
            run_threads(work, count, threading.Event())

    def close(self) -> None:
        """Keep the events of the members."""
        for steps in self._steps:
            if steps is not None:
                steps.flush()
                self._outside.give_back(steps)
        self._steps = [None] * len(self._steps)


class GpuDesk:
    """A `Desk` in the memory of a GPU: the last arguments of a time loop that watches events.

    Parameters
    ----------
    cupy
        CuPy.
    desk
        Where the processor takes the members.
    watched
        Signs of the event functions, on the GPU.
    n
        Number of members.
    """

    def __init__(self, cupy: Any, desk: Desk, watched: Any, n: int) -> None:
        self._cupy, self._desk, self.watched = cupy, desk, watched
        self._lying, self._taken = (cupy.empty((n, desk.row.size)) for _ in range(2))
        self._left, self._n_left = cupy.empty(n, dtype=cupy.int32), cupy.zeros(1, dtype=cupy.int32)
        self._back: Any = None
        self._count = 0

    def arguments(self, *, samples: bool = False) -> tuple[Any, ...]:
        """Those of a launch: with the members that are back, or with all that have not left."""
        nothing = np.uintp(0)
        back, desk = (nothing, nothing) if self._back is None else (self._back, self._taken)
        count, self._back = np.int64(self._count), None
        return self.watched, back, count, desk, self._left, self._n_left, self._lying, np.int64(samples)

    def take(self, segment: np.void) -> bool:
        """Take the queued members over their steps; return whether there were any, so that a launch has to follow."""
        self._count = count = int(self._n_left.get()[0])
        if count == 0:
            return False
        left, rows = self._left[:count].get(), self._lying[:count].get()
        self._desk.take(rows, left.astype(np.int64), segment)
        self._taken[:count], self._back = self._cupy.asarray(rows), self._cupy.asarray(left)
        self._n_left.fill(0)
        return True
