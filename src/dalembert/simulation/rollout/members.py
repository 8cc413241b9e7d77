"""The members of a rollout, their results, and the interface of their time loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dalembert.core.types import Array
from dalembert.engine.setup import Setup
from dalembert.simulation.rollout.events import EventSteps
from dalembert.simulation.rollout.plan import Plan
from dalembert.simulation.rollout.stops import STOPPED

__all__ = ["Members", "Pacing", "RolloutEngine"]


@dataclass(frozen=True, eq=False)
class Pacing:
    """How adaptive steps are chosen: tolerances, longest step, most steps, and the end of the run."""

    atol: Array
    rtol: float
    max_step: float
    max_steps: int
    t_end: float


@dataclass(frozen=True, eq=False)
class Members:
    """Arrays of N members, which a time loop writes in place.

    Parameters
    ----------
    x
        States (N, n); in the end the last ones.
    held
        Constant inputs (N, nc), or (nc,) for all.
    p
        Parameters (N, np), or (np,) for all.
    rows
        Record (N, n_t, n); NaN where a member has not been.
    status, failed_at
        1 + the number of the state that stopped being finite (0: none), and when. One more than there are states: the
        constraints; two more: too many steps; -2 and less: at a terminal event.
    done
        Number of rows of the record that each member has reached.
    clock
        Times of the members to which those of the plan are added; None: the times of the plan.
    measured
        Memory of the measures (N, 2, n), if there are any.
    numbers, seed
        Numbers of the members and their seed, which say which random numbers they get; None if they need none.
    pacing, pace
        How adaptive steps are chosen, and of each member (N, 4): the next step (0: to be chosen), the last error,
        whether the last try was rejected, and the number of steps; None with fixed steps.
    held_rows
        Record of the held values of a sampled law (N, n_t, nc), if there is one; ``held`` is then (N, nc) and changes.
    fresh, watched, outside
        Where there are events, or members go alone: which have not left their start (N), signs of all event
        functions (N, n_events), and who takes a member over a step in which they change; else None.
    """

    x: Array
    held: Array
    p: Array
    rows: Array
    status: NDArray[np.int64]
    failed_at: Array
    done: NDArray[np.int64]
    clock: Array | None = None
    measured: Array | None = None
    numbers: NDArray[np.int64] | None = None
    held_rows: Array | None = None
    seed: int = 0
    pacing: Pacing | None = None
    pace: Array | None = None
    fresh: NDArray[np.int64] | None = None
    watched: Array | None = None
    outside: EventSteps | None = None

    @classmethod
    def at_start(cls, x0: Array, held: Array, p: Array, n_rows: int, measured: Array | None = None) -> Members:
        """Members at their initial states (N, n), with room for ``n_rows`` rows."""
        n = len(x0)
        rows = np.full((n, n_rows, x0.shape[1]), np.nan)
        rows[:, 0] = x0
        zeros, ones = np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.int64)
        return cls(np.array(x0, order="C"), held, p, rows, zeros, np.full(n, np.nan), ones, None, measured)

    def sampled(self, start: Array, numbers: NDArray[np.int64], seed: int) -> Members:
        """Return these members with individual held values, from a start (nc,), numbers and a seed."""
        held = np.tile(start, (len(self.x), 1))
        rows = np.full((*self.rows.shape[:2], len(start)), np.nan)
        return replace(self, held=held, numbers=np.ascontiguousarray(numbers), held_rows=rows, seed=seed)

    def some(self, which: NDArray[np.int64], x: Array, held: Array, measured: Array | None) -> Members:
        """Some of the members, with the states (of those alone), held values and measures that they began with."""
        held_values, p = (a[which] if a.ndim == 2 else a for a in (held, self.p))
        memory = None if measured is None else measured[which]
        some = Members.at_start(x, held_values, p, self.rows.shape[1], memory)
        clock, rows = (None if a is None else a[which] for a in (self.clock, self.held_rows))
        numbers = None if self.numbers is None else self.numbers[which]
        return replace(some, clock=clock, numbers=numbers, held_rows=rows, seed=self.seed)

    def put(self, which: NDArray[np.int64], some: Members) -> None:
        """Write the results of some of the members into their places."""
        for name in ("x", "held", "rows", "status", "done", "failed_at", "measured", "held_rows"):
            mine, other = getattr(self, name), getattr(some, name)
            if mine is not None and (name != "held" or mine.ndim == 2):
                mine[which] = other

    def going_out(self, outside: EventSteps) -> Members:
        """Return these members with who takes them out of their lanes."""
        n = len(self.x)
        signs = np.zeros((n, len(outside.setup.problem.event_specs)))
        return replace(self, fresh=np.ones(n, dtype=np.int64), watched=signs, outside=outside)

    def paced(self, setup: Setup) -> Members:
        """Return these members with individual steps."""
        pace = np.tile([0.0, 1e-4, 0.0, 0.0], (len(self.x), 1))
        pacing = Pacing(np.array(setup.atol), setup.rtol, setup.max_step, setup.max_steps, setup.t_end)
        return replace(self, pacing=pacing, pace=pace)

    @property
    def words(self) -> NDArray[np.str_]:
        """Status of each member."""
        words = np.array(("interrupted", "completed", "stopped", "diverged", "failed"))
        which = (self.done == self.rows.shape[1]).astype(np.int8)
        which[self.status <= STOPPED] = 2
        which[self.status > 0] = 3
        which[self.status == self.x.shape[1] + 2] = 4
        return words[which]

    def good_rows(self, t: Array) -> NDArray[np.int64]:
        """Number of rows of each member, recorded at ``t``, that are finite."""
        before = np.searchsorted(t, self.failed_at, side="right")
        ended = np.flatnonzero(self.status != 0)
        good = np.where(self.status != 0, before, self.done)
        at_row = np.isnan(self.rows[ended, np.minimum(good[ended], self.rows.shape[1]) - 1]).any(axis=1)
        good[ended] -= at_row  # it ended at this very instant, before the row was written
        return np.minimum(np.maximum(good, 1), self.done)


class RolloutEngine(Protocol):
    """A time loop of many members, in lanes, on a GPU, or by the engine of single runs."""

    backend: str

    def run(self, plan: Plan, members: Members, *, threads: int, proceed: Callable[[float], bool]) -> None:
        """Integrate all members.

        Parameters
        ----------
        plan
            The steps.
        members
            The members.
        threads
            Number of threads, where the loop has any.
        proceed
            Called now and then with the fraction done; False stops the rollout.
        """

    def bind(self, plan: Plan, members: Members, *, threads: int) -> Callable[[], None]:
        """Return what integrates the same members over the same plan, again and again: what differs is in them.

        Parameters
        ----------
        plan, members, threads
            As in `run`.
        """
