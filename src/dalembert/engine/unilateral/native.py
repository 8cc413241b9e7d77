"""Transitions of a time loop in native code: `unilateral.c` behind the events of `engines/events.c`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from dalembert.compile import compile_function
from dalembert.compile.native import Native
from dalembert.core.errors import SimulationError
from dalembert.core.types import Array
from dalembert.engine.constraints.native import EQUATIONS, NativeConstrained
from dalembert.engine.layout import structure
from dalembert.engine.library import library
from dalembert.engine.memory import Functions, NativeMemory
from dalembert.engine.problem.pairs import PairTable, SwitchTable, TransitionEntry, slowest_slip
from dalembert.engine.problem.problem import EventSpec
from dalembert.engine.records import EventRecord
from dalembert.engine.setup import Outcome, Setup

__all__ = [
    "NOT_CLOSED",
    "NativeTransitions",
    "gave_up",
    "measure_kernel",
    "told",
    "transitions_memory",
    "watch_memory",
]

NOT_CLOSED = -3
"""What a transition ends in at a constraint that cannot begin to act, as in transitions.h."""

_LANDED = -1  # as in transitions.h
_CHANGES = 64  # transitions that are logged between two looks of Python
_CROWD, _NODES = 500, 4  # as in events.c


def watch_memory(
    setup: Setup, loop: int, *, n_left: int, changes: int = _CHANGES, terminal: Sequence[bool] | None = None
) -> NativeMemory:
    """Return the memory of the events of a run.

    Parameters
    ----------
    setup
        Of the run.
    loop
        Address of the time loop's structure.
    n_left
        How many events, the first ones, are left to the caller.
    changes
        Transitions that are logged between two looks of the caller.
    terminal
        Which events end the run, where native code looks for that.
    """
    problem, memory = setup.problem, NativeMemory(structure("watch"))
    watch, array, n, n_events = memory.struct, memory.array, problem.n_states, len(problem.event_specs)
    records = max(4 * changes, 2 * n_events)
    watch.loop, watch.n_left, watch.first_own = loop, n_left, n_events - problem.n_constraint_events
    watch.first_hidden = watch.first_own - sum(spec.hidden for spec in problem.event_specs)
    watch.changes_capacity, watch.records_capacity = changes, records
    watch.run_start, watch.run_end, watch.armed_at = setup.t0, setup.t_end, float("-inf")
    sizes = {"stops": _CROWD, "nodes": _NODES, "newton": 2 * _NODES * n}
    sizes |= dict.fromkeys(("x_part", "x_found", "x_kept", "slope"), n)
    for name, size in (sizes | dict.fromkeys(("g_part", "g_start", "g_found", "g_kept"), n_events)).items():
        array(name, np.zeros(size))
    array("fired", np.zeros(n_events, dtype=np.int64))
    for name in ("event", "sign"):
        array(f"record_{name}", np.zeros(records, dtype=np.int64))
    array("record_t", np.zeros(records))
    array("record_x", np.zeros((records, n)))
    array("change_first", np.zeros(changes + 1, dtype=np.int64))
    array("n_changes", np.zeros(1, dtype=np.int64))
    if terminal is not None:
        array("terminal", np.array(terminal, dtype=np.int64))
    return memory


def transitions_memory(
    setup: Setup,
    equations: NativeConstrained,
    table: PairTable,
    watch: NativeMemory,
    *,
    switches: SwitchTable | None = None,
    measure: Native | None = None,
    functions: Functions = EQUATIONS,
) -> NativeMemory:
    """Return the memory of the transitions of a run, to which the events of ``watch`` then lead.

    Parameters
    ----------
    setup
        Of the run.
    equations
        Its constrained equations in native code.
    table
        Its pairs.
    watch
        Memory of its events.
    switches, measure
        What is switched at events, and the kernel of what is measured then.
    functions
        Where the functions of unilateral.c are; by default those of the library.
    """
    problem, memory = setup.problem, NativeMemory(structure("transitions"))
    system = problem.constrained
    assert system is not None
    struct, array = memory.struct, memory.array
    n, m, nv, changes = problem.n_states, system.m, system.nv, watch.struct.changes_capacity
    blocks = len(table.rows)
    struct.equations, struct.slowest = equations.address, slowest_slip(setup.rtol)
    struct.k, struct.n_blocks = int(np.count_nonzero(table.rows >= 0)), blocks
    for name in ("rows", "flags", "tangents", "friction", "is_contact", "rubs", "poisson"):
        array(name, np.asarray(getattr(table, name), dtype=np.int64))
    array("e", table.restitution)
    array("mu", table.friction_coefficient)
    array("varies", np.full(blocks, -1) if table.varies is None else np.asarray(table.varies, dtype=np.int64))
    if switches is not None:
        sets = [pair for some in switches.sets for pair in some]
        struct.n_switches, struct.n_measures = len(switches.events), len(switches.measures)
        integers = {
            "switch_event": switches.events,
            "switch_first": [0, *accumulate(len(some) for some in switches.sets)],
            "switch_latch": [latch for latch, _ in sets],
            "measure_flag": [flag for flag, _ in switches.measures],
            "measure_first": [0, *accumulate(len(places) for _, places in switches.measures)],
            "measure_latch": [latch for _, places in switches.measures for latch in places],
        }
        for name, values in integers.items():
            array(name, np.array(values, dtype=np.int64))
        array("switch_value", np.array([value for _, value in sets]))
        if measure is not None:
            struct.measure = measure.address
            array("measure_work", np.zeros(measure.n_work))
            array("measured", np.zeros(len(integers["measure_latch"])))
    sizes = {"M": nv * nv, "R": nv * nv, "f": nv, "J": m * nv, "Y": nv * m, "gamma": m, "phi": m, "rate": m}
    sizes["x_bare"] = n
    for name, size in (sizes | {"work": library("equations").transitions_memory(nv, m, blocks)}).items():
        array(name, np.zeros(size))
    for name in ("loose", "slipping"):
        array(name, np.zeros(blocks, dtype=np.int64))
    struct.t_loose, struct.log_capacity = float("nan"), changes
    for name in ("t", "impulses", "lost", "factor", "speed"):
        array(f"log_{name}", np.zeros((changes, m) if name == "impulses" else changes))
    array("log_shocks", np.zeros(changes, dtype=np.int64))
    watch.struct.transition, watch.struct.context = functions("transitions_switch"), memory.address
    watch.struct.returns = functions("transitions_return")
    watch.struct.n_changes = memory.address + structure("transitions").n_log.offset
    return memory


class NativeTransitions:
    """Memory of the transitions of one run, and of the events that lead to them.

    Parameters
    ----------
    setup
        Of the run.
    equations
        Its constrained equations in native code.
    table
        Its pairs; None: there are no transitions, only events of others.
    loop
        Address of the time loop's structure.
    switches, measure
        As of `transitions_memory`.
    changes
        Transitions that are logged before the loop comes back.
    """

    def __init__(
        self,
        setup: Setup,
        equations: NativeConstrained,
        table: PairTable | None,
        loop: int,
        switches: SwitchTable | None = None,
        measure: Native | None = None,
        *,
        changes: int = _CHANGES,
    ) -> None:
        problem = setup.problem
        self._specs, self._kept = problem.event_specs, (equations, measure)  # which structures point to
        left = len(self._specs) - problem.n_constraint_events - sum(spec.hidden for spec in self._specs)
        self._watch_memory = watch = watch_memory(setup, loop, n_left=left, changes=changes)
        self._watch, self.address = watch.struct, watch.address
        self._memory = None
        if table is not None:
            self._memory = transitions_memory(setup, equations, table, watch, switches=switches, measure=measure)
        self._log = {
            name: np.zeros(0) if self._memory is None else self._memory.arrays[f"log_{name}"]
            for name in ("t", "impulses", "lost", "factor", "speed", "shocks")
        }
        self._records = {name: watch.arrays[f"record_{name}"] for name in ("event", "sign", "t", "x")}
        self._first = watch.arrays["change_first"]
        self._seen: tuple[list[EventRecord], list[TransitionEntry]] = ([], [])

    @property
    def armed(self) -> tuple[float, float]:
        """When events were last armed, and by the signs that they had how long after."""
        return self._watch.armed_at, self._watch.armed_for

    @armed.setter
    def armed(self, value: tuple[float, float]) -> None:
        self._watch.armed_at, self._watch.armed_for = value

    @property
    def capacity(self) -> int:
        """Events that are logged before the loop comes back."""
        return int(self._watch.records_capacity)

    def drain(self) -> None:
        """Take what has happened out of the log of the native code."""
        records, entries = told(self.logged(), self._specs)
        self._seen[0].extend(records)
        self._seen[1].extend(entries)
        self.forget()

    def logged(self) -> dict[str, Any]:
        """Arrays of what the log has: of each event, and (``change_*``) of each transition; see `told`."""
        n, k = int(self._watch.n_records), 0 if self._memory is None else int(self._memory.struct.n_log)
        log = {name: values[:n].copy() for name, values in self._records.items()}
        first = self._first[:k].copy()
        log |= {"change_first": first, "change_last": np.append(first[1:], n)[:k]}
        return log | {f"change_{name}": values[:k].copy() for name, values in self._log.items()}

    def forget(self) -> None:
        """Empty the log."""
        self._watch.n_records = 0
        if self._memory is not None:
            self._memory.struct.n_log = 0

    def endless(self) -> None:
        """Let the run have no end."""
        self._watch.run_end = float("inf")

    def place(self, member: str) -> int:
        """Address of a member of ``struct transitions``; that of the structure itself with an empty name."""
        assert self._memory is not None
        return self._memory.address + (getattr(structure("transitions"), member).offset if member else 0)

    def begun(self, t: float, x: Array, held: Array, p: Array) -> tuple[Array, TransitionEntry]:
        """State with which a run begins at x (NaN: see `pair`), and what the impact there did, if there is one."""
        assert self._memory is not None
        made, given = np.full(len(x), np.nan), [np.ascontiguousarray(a, dtype=float) for a in (x, held, p)]
        places = [a.ctypes.data for a in (given[0], made, *given[1:])]
        self._watch.culprit = library("equations").transitions_begin(self._memory.address, t, *places)
        return made if self._watch.culprit == _LANDED else np.full(len(x), np.nan), self._entry(t, ("start",))

    def switched(
        self, t: float, x: Array, held: Array, p: Array, names: Sequence[str]
    ) -> tuple[Array, TransitionEntry]:
        """State after the events of these names at x (NaN: see `pair`), and what the transition did."""
        assert self._memory is not None
        x, held, p = (np.array(a, dtype=float) for a in (x, held, p))
        fired = np.array([spec.name in names for spec in self._specs], dtype=np.int64)
        places = [a.ctypes.data for a in (x, held, p, fired)]
        self._watch.culprit = library("equations").transitions_switch(self._memory.address, t, *places)
        if self._watch.culprit != _LANDED:
            x[:] = np.nan
        return x, self._entry(t, names)

    def _entry(self, t: float, names: Sequence[str]) -> TransitionEntry:
        """What the transition did that was made last, and is not yet part of the log."""
        assert self._memory is not None
        log = {name: values[int(self._memory.struct.n_log)] for name, values in self._log.items()}
        lost, factor, speed = (float(log[name]) for name in ("lost", "factor", "speed"))
        return TransitionEntry(t, tuple(names), np.array(log["impulses"]), lost, factor, int(log["shocks"]), speed)

    def taken(self) -> tuple[list[EventRecord], list[TransitionEntry]]:
        """What has happened since this was last asked: events, and what transitions did."""
        self.drain()
        seen, self._seen = self._seen, ([], [])
        return seen

    @property
    def pair(self) -> tuple[int, bool] | None:
        """Pair at which no impulses (forces: True) obey the laws, if that is why native code gave up."""
        if self._memory is None or self._watch.culprit < 0:
            return None
        return int(self._memory.struct.pair), bool(self._memory.struct.lacks)

    @property
    def open_row(self) -> tuple[int, float] | None:
        """Row whose constraint cannot begin to act, and its gap, if that is why native code gave up."""
        if self._memory is None or self._watch.culprit != NOT_CLOSED:
            return None
        row = int(self._memory.struct.pair)
        return row, abs(float(self._memory.arrays["phi"][row]))

    def error(self, outcome: Outcome, t: float) -> SimulationError:
        """Return why native code gave up at ``t``, if not for a pair."""
        return SimulationError(gave_up(outcome, t, [spec.name for spec in self._specs], int(self._watch.culprit)))


def told(
    log: Mapping[str, Any], specs: Sequence[EventSpec], member: int | None = None
) -> tuple[list[EventRecord], list[TransitionEntry]]:
    """Events and transitions of a log (`NativeTransitions.logged`), of one member if it says whose each of them is."""
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


def measure_kernel(switches: SwitchTable | None) -> Native | None:
    """Compile what constraints measure when they begin to act; None if none does."""
    if switches is None or switches.measure is None:
        return None
    return compile_function(switches.measure, backend="native", shapes={"t": ()}, lanes=False).native


def gave_up(outcome: Outcome, t: float, names: Sequence[str], culprit: int) -> str:
    """Say why native transitions gave up at ``t``, of events with these names, if not for a pair."""
    if outcome is Outcome.ACCUMULATED:
        return f"events accumulate at t = {t:g} s: {_CROWD} of them up to {names[culprit]!r}"
    return f"the transition at t = {t:.9g} s has no finite state: the equations are singular there"
