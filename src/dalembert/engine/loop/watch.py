"""Events of a time loop in native code: `events.c`, driven through one structure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.core.errors import SimulationError
from dalembert.core.types import Array
from dalembert.engine.constraints.native import EQUATIONS
from dalembert.engine.layout import structure
from dalembert.engine.memory import Functions, NativeMemory
from dalembert.engine.problem.pairs import TransitionEntry
from dalembert.engine.problem.problem import EventSpec
from dalembert.engine.records import EventRecord
from dalembert.engine.setup import Outcome, Setup
from dalembert.engine.unilateral.native import CHANGES, NOT_CLOSED, Transitions

__all__ = ["EventKind", "Watch", "connect", "event_kinds", "gave_up", "told", "watch_memory"]

_CROWD, _NODES = 500, 4  # as in events.c
_HAPPENS, _HAPPENS_LAST = 1, 2  # as in kernel.h


class EventKind(IntEnum):
    """Action at an event; the numbers are those of loop.h."""

    PASSES = 0
    CUTS = 1
    STAYS = 2
    SWITCHES = 3
    ENDS = 4


def event_kinds(specs: Sequence[EventSpec], n_own: int, *, passes: bool = False) -> list[EventKind]:
    """Return the action at each event of a run, of which the last ``n_own`` are those of pairs.

    With ``passes`` what is only taken note of changes nothing: steps stay as they are.
    """
    first_own, kinds = len(specs) - n_own, []
    for k, spec in enumerate(specs):
        kind = EventKind.PASSES if passes else EventKind.STAYS
        if k >= first_own or spec.switches:
            kind = EventKind.SWITCHES
        elif spec.hidden:
            kind = EventKind.CUTS
        kinds.append(EventKind.ENDS if spec.terminal else kind)
    return kinds


def watch_memory(
    setup: Setup, loop: int, kinds: Sequence[EventKind], *, asks: bool = False, changes: int = CHANGES
) -> NativeMemory:
    """Return the memory of the events of a run.

    Parameters
    ----------
    setup
        Setup of the run.
    loop
        Address of the time loop's structure.
    kinds
        Action at each event.
    asks
        Whether the loop comes back wherever a step has ended at an event, so that its caller may change the state.
    changes
        Transitions that are logged between two looks of the caller.
    """
    problem, memory = setup.problem, NativeMemory(structure("watch"))
    watch, array, n, n_events = memory.struct, memory.array, problem.n_states, len(problem.event_specs)
    records = max(4 * changes, 2 * n_events)
    watch.loop, watch.asks = loop, asks
    positive = [spec.positive for spec in problem.event_specs]
    watch.n_positive = sum(positive)
    array("positive", np.array(positive, dtype=np.int64))
    for name in ("jumps", "kinks"):
        array(name, np.array([getattr(spec, name) for spec in problem.event_specs], dtype=np.int64))
    watch.changes_capacity, watch.records_capacity = changes, records
    watch.run_start, watch.run_end, watch.armed_at = setup.t0, setup.t_end, float("-inf")
    sizes = {"stops": _CROWD, "nodes": _NODES, "newton": 2 * _NODES * n}
    sizes |= dict.fromkeys(("x_part", "x_found", "x_kept", "slope"), n)
    for name, size in (sizes | dict.fromkeys(("g_part", "g_start", "g_found", "g_kept"), n_events)).items():
        array(name, np.zeros(size))
    array("kinds", np.array(kinds, dtype=np.int64))
    for name in ("fired", "passed"):
        array(name, np.zeros(n_events, dtype=np.int64))
    for name in ("event", "sign"):
        array(f"record_{name}", np.zeros(records, dtype=np.int64))
    array("record_t", np.zeros(records))
    array("record_x", np.zeros((records, n)))
    array("change_first", np.zeros(changes + 1, dtype=np.int64))
    array("n_changes", np.zeros(1, dtype=np.int64))
    return memory


def connect(watch: NativeMemory, transitions: int, functions: Functions = EQUATIONS) -> None:
    """Let the events of a run lead to its transitions, whose structure is at this address."""
    watch.struct.transition, watch.struct.context = functions("transitions_switch"), transitions
    watch.struct.returns = functions("transitions_return")
    watch.struct.n_changes = transitions + int(structure("transitions").n_log.offset)


class Watch:
    """Memory of the events of one run, and of the transitions to which they lead.

    Parameters
    ----------
    setup, loop, kinds, asks, changes
        As in `watch_memory`.
    transitions
        Handles events of pairs and switches; None: there are none.
    """

    def __init__(
        self,
        setup: Setup,
        loop: int,
        kinds: Sequence[EventKind],
        transitions: Transitions | None = None,
        *,
        asks: bool = False,
        changes: int = CHANGES,
    ) -> None:
        self._specs, self.transitions = setup.problem.event_specs, transitions
        self._memory = memory = watch_memory(setup, loop, kinds, asks=asks, changes=changes)
        self._watch, self.address, self.fired = memory.struct, memory.address, memory.arrays["fired"]
        if transitions is not None:
            connect(memory, transitions.address)
        self._records = {name: memory.arrays[f"record_{name}"] for name in ("event", "sign", "t", "x")}
        self._first = memory.arrays["change_first"]
        self._seen: tuple[list[EventRecord], list[TransitionEntry]] = ([], [])

    @property
    def names(self) -> tuple[str, ...]:
        """Events that have just happened, without internal ones."""
        return tuple(self._specs[i].name for i in np.flatnonzero(self._happened) if not self._specs[i].hidden)

    @property
    def _happened(self) -> NDArray[np.bool_]:
        """Which events have happened; those of which a transition is still to come have not."""
        return np.isin(self.fired, (_HAPPENS, _HAPPENS_LAST))

    @property
    def signs_before(self) -> Array:
        """Signs that the event functions had before those that have just happened."""
        return self._memory.arrays["g_start"]

    @property
    def capacity(self) -> int:
        """Events that are logged before the loop comes back."""
        return int(self._watch.records_capacity)

    def drain(self) -> None:
        """Take what has happened out of the log of the native code."""
        if not self._watch.n_records and (self.transitions is None or not self.transitions.n_log):
            return
        records, entries = told(self.logged(), self._specs)
        self._seen[0].extend(records)
        self._seen[1].extend(entries)
        self.forget()

    def logged(self) -> dict[str, Any]:
        """Arrays of the log: of each event, and (``change_*``) of each transition; see `told`."""
        n, k = int(self._watch.n_records), 0 if self.transitions is None else self.transitions.n_log
        log = {name: values[:n].copy() for name, values in self._records.items()}
        first = self._first[:k].copy()
        log |= {"change_first": first, "change_last": np.append(first[1:], n)[:k]}
        changes = _NOTHING if self.transitions is None else self.transitions.logged()
        return log | {f"change_{name}": values for name, values in changes.items()}

    def forget(self) -> None:
        """Empty the log."""
        self._watch.n_records = 0
        if self.transitions is not None:
            self.transitions.forget()

    def endless(self) -> None:
        """Let the run have no end."""
        self._watch.run_end = float("inf")

    def taken(self) -> tuple[list[EventRecord], list[TransitionEntry]]:
        """Events and transitions since the last call."""
        self.drain()
        seen, self._seen = self._seen, ([], [])
        return seen

    @property
    def pair(self) -> tuple[int, int] | None:
        """Pair at which no impulses or forces obey the laws, and which (`Lacks`), if native code gave up for that."""
        return None if self.transitions is None or self._watch.culprit < 0 else self.transitions.pair

    @property
    def open_row(self) -> tuple[int, float] | None:
        """Row whose constraint cannot begin to act, and its gap, if that is why native code gave up."""
        gave_up_there = self.transitions is not None and self._watch.culprit == NOT_CLOSED
        return self.transitions.open_row if gave_up_there and self.transitions is not None else None

    def error(self, outcome: Outcome, t: float) -> SimulationError:
        """Return why native code gave up at ``t``, if not for a pair."""
        return SimulationError(gave_up(outcome, t, [spec.name for spec in self._specs], int(self._watch.culprit)))


_NOTHING: Mapping[str, Any] = {name: np.zeros(0) for name in ("t", "impulses", "lost", "factor", "speed", "shocks")}


def told(
    log: Mapping[str, Any], specs: Sequence[EventSpec], member: int | None = None
) -> tuple[list[EventRecord], list[TransitionEntry]]:
    """Events and transitions of a log (`Watch.logged`), of one member if it says whose each of them is."""
    n, k = len(log["event"]), len(log["change_t"])
    of_member = np.ones(n, dtype=bool) if member is None else log["member"] == member
    changes = range(k) if member is None else np.flatnonzero(log["change_member"] == member)
    names, times = [specs[i].name for i in log["event"].tolist()], log["t"].tolist()
    x, signs, impulses = log["x"].copy(), log["sign"].tolist(), log["change_impulses"].copy()
    records = [EventRecord(names[i], times[i], x[i], signs[i]) for i in np.flatnonzero(of_member).tolist()]
    first, last, t, lost, factor, shocks, speed = (
        log[f"change_{what}"].tolist() for what in ("first", "last", "t", "lost", "factor", "shocks", "speed")
    )
    entries = []
    for j in changes:
        its = tuple(names[i] for i in range(first[j], last[j]) if of_member[i] and times[i] == t[j])
        entries.append(TransitionEntry(t[j], its, impulses[j], lost[j], factor[j], shocks[j], speed[j]))
    return records, entries


def gave_up(outcome: Outcome, t: float, names: Sequence[str], culprit: int) -> str:
    """Say why native transitions gave up at ``t``, of events with these names, if not for a pair."""
    if outcome is Outcome.ACCUMULATED:
        last = names[culprit] if culprit < len(names) else "a hidden one"
        return f"events accumulate at t = {t:g} s: {_CROWD} of them up to {last!r}"
    return f"the transition at t = {t:.9g} s has no finite state: the equations are singular there"
