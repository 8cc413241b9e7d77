"""Members outside of their lanes: the steps in which something happens, each as a single run takes it.

Lanes watch the signs of the event functions. A member in whose step one changes leaves its lane for that step: the time
loop of single runs goes over it, in native code (members.c), locates the events, lets the transitions happen, and hands
the member back at its end. The results are therefore those of a single run. Where lanes cannot take the steps at
all, or there is no compiler for lanes, members are outside for all of them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from dalembert.compile.backend import Backend
from dalembert.core.types import Array
from dalembert.engine.collide.articulated import NativeColliders, native_steps
from dalembert.engine.constraints.native import NativeConstrained
from dalembert.engine.implicit.native import NativeMidpoint
from dalembert.engine.kernels import problem_kernels
from dalembert.engine.layout import structure
from dalembert.engine.library import library
from dalembert.engine.loop.native import NativeEngine
from dalembert.engine.loop.watch import event_kinds, gave_up, told
from dalembert.engine.methods.tableaus import EULER
from dalembert.engine.problem.pairs import PairTable, SwitchTable, TransitionMaker
from dalembert.engine.problem.problem import Problem
from dalembert.engine.setup import Outcome, Setup
from dalembert.engine.stepping.native import NativeStepping
from dalembert.engine.unilateral.native import NOT_CLOSED, Transitions
from dalembert.simulation.events import told_events
from dalembert.simulation.methods import METHODS
from dalembert.simulation.rollout.stops import terminal_events
from dalembert.simulation.run import EventRecord

__all__ = [
    "EventSteps",
    "ThreadSteps",
    "goes_alone",
    "leaves_threads",
    "watched_problem",
    "watches",
]

_CHANGES = 1024  # transitions of a thread that are logged between two looks of Python
_POINTER = ctypes.c_void_p

_ARMED_AT, _OUTCOME, _CULPRIT, _LACKS, _PAIR, _CARRIED = 0, 2, 3, 4, 5, 7  # as in members.c
_DRAIN = ctypes.CFUNCTYPE(None)


def watches(problem: Problem) -> bool:
    """Whether events change members of a problem, so that they must be handled."""
    if problem.constrained is None:
        return False
    return bool(problem.constrained.unilateral or problem.constrained.rubbing) or any(
        spec.switches for spec in problem.event_specs
    )


def goes_alone(problem: Problem, method: str, on_tape: bool) -> bool:
    """Whether members take all their steps outside of lanes.

    These have no friction that sticks and slips, no adaptive steps under constraints, and only constraint methods that
    are solved ``on_tape``.
    """
    system = problem.constrained
    return system is not None and (bool(system.rubbing) or METHODS[method].adaptive or not on_tape)


def leaves_threads(problem: Problem, method: str) -> bool:
    """Whether members leave the threads of a GPU for some of their steps.

    Those of machines with events that change or stop them do, and with constraints those whose adaptive steps come to
    an end or to rows that depend on each other.
    """
    adapts = problem.constrained is not None and METHODS[method].adaptive
    return watches(problem) or terminal_events(problem) is not None or adapts


_watched: WeakKeyDictionary[Problem, Problem] = WeakKeyDictionary()


def watched_problem(problem: Problem) -> Problem:
    """Return the problem without events that change nothing, if none changes anything but by its end.

    The result is kept with the problem, so that its functions are compiled once.
    """
    if watches(problem):
        return problem
    if problem not in _watched:
        stops = terminal_events(problem)
        specs = tuple(spec for spec in problem.event_specs if spec.terminal)
        _watched[problem] = replace(problem, events=None if stops is None else stops.function, event_specs=specs)
    return _watched[problem]


@dataclass(frozen=True, eq=False)
class EventSteps:
    """Takes members over the steps in which events happen, or over all of them.

    Parameters
    ----------
    setup
        Settings of the whole run of a member, with the `watched_problem`.
    table
        Its pairs; None if there are no transitions.
    switches
        Switched constraints, and measurements of constraints when they begin to act; None if there are no transitions.
    coefficients
        Restitution and friction of the pairs of each member (N, 2 k).
    maker
        Describes transitions, given the parameters of a member; None without pairs.
    parameters
        Parameters of the members (N, np), or (np,).
    pace
        As in `Members`, with adaptive steps.
    every
        Whether lanes look at each step of an adaptive method.
    keeps
        Whether events and transitions are kept.
    endless
        Whether the end of the run is unknown.
    backend
        Where the tapes run.
    """

    setup: Setup
    table: PairTable | None
    switches: SwitchTable | None
    coefficients: Array
    maker: Callable[[Array], TransitionMaker] | None
    parameters: Array
    pace: Array | None
    every: bool
    keeps: bool
    endless: bool = False
    backend: Backend = "native"

    @cached_property
    def carried(self) -> Array:
        """State that members keep from one step to the next."""
        carried = np.zeros((len(self.coefficients), _CARRIED))
        carried[:, _ARMED_AT] = -np.inf
        return carried

    @cached_property
    def _logs(self) -> list[dict[str, Any]]:
        return []

    def _log(self, member: int) -> tuple[list[EventRecord], list[Any]]:
        records: list[EventRecord] = []
        entries: list[Any] = []
        for log in self._logs:
            if member in log["members"]:
                more = told(log, self.setup.problem.event_specs, member)
                records, entries = records + more[0], entries + more[1]
        return records, entries

    def _maker_of(self, member: int) -> TransitionMaker | None:
        p = self.parameters[member] if self.parameters.ndim == 2 else self.parameters
        return None if self.maker is None else self.maker(p)

    def records(self, member: int) -> tuple[EventRecord, ...]:
        """Events of a member."""
        return told_events(self._log(member)[0], self.setup.problem.event_specs)

    def log(self, member: int) -> list[object]:
        """Transitions of a member, as its `metadata` has them."""
        maker = self._maker_of(member)
        if maker is None:
            return []
        for entry in self._log(member)[1]:
            maker.noted(entry)
        return list(getattr(maker, "log", ()))

    def message(self, member: int, t: float) -> str:
        """Say why transitions of a member gave up at ``t``; empty if they did not."""
        code, culprit, lacks = (int(x) for x in self.carried[member, [_OUTCOME, _CULPRIT, _LACKS]])
        outcome, maker = Outcome(code), self._maker_of(member)
        if outcome < Outcome.ACCUMULATED:
            return ""
        if outcome is Outcome.ILL_POSED and culprit >= 0 and maker is not None:
            return str(maker.ill_posed(t, culprit, lacks))
        if outcome is Outcome.ILL_POSED and culprit == NOT_CLOSED and maker is not None:
            return str(maker.not_closed(t, int(self.carried[member, _PAIR])))
        return gave_up(outcome, t, [spec.name for spec in self.setup.problem.event_specs], culprit)

    @cached_property
    def _idle(self) -> list[ThreadSteps]:
        return []

    def in_thread(self) -> ThreadSteps:
        """Return the memory of one thread, until it gives it back."""
        try:
            return self._idle.pop()
        except IndexError:
            return ThreadSteps(self, self._logs)

    def give_back(self, steps: ThreadSteps) -> None:
        """Keep the memory of a finished thread for the next one: a stepper has new threads for every period."""
        self._idle.append(steps)

    def dismiss(self) -> None:
        """Forget returned memory of threads: the run is over, its events stay."""
        self._idle.clear()


class ThreadSteps:
    """Memory of a thread for `EventSteps`: the functions that lanes call, and their arguments.

    Attributes
    ----------
    address
        Address of the structure.
    begin, sampled, step
        Addresses of the functions.
    """

    def __init__(self, steps: EventSteps, logs: list[dict[str, Any]]) -> None:
        setup, table = steps.setup, steps.table
        problem, way, kind = setup.problem, setup.constraint_method, METHODS[setup.method]
        further = () if table is None or way.projects else ("projection", "move")
        kernels = problem_kernels(problem, steps.backend, tapes=(*way.tapes, *further))
        ode, events = None, None
        equations: NativeConstrained | NativeStepping | NativeColliders | None = None
        implicit: NativeMidpoint | None = None
        if problem.constrained is not None:
            equations = NativeConstrained(problem, kernels.constrained_codes(), way, further=further)
        elif problem.stepping is not None:
            events = kernels.events_code()
            equations = native_steps(problem.stepping, problem.n_states, kernels.stepping_codes())
        else:
            ode, events = kernels.ode_code(), kernels.events_code()
        if kind.implicit:
            constrained = equations if isinstance(equations, NativeConstrained) else None
            code = kernels.midpoint_code(problem)
            implicit = NativeMidpoint(problem, code, setup.options, equations=constrained, adaptive=kind.adaptive)
        engine = NativeEngine(
            replace(setup, patience=np.inf, record=0.0),
            ode,
            events,
            constrained=equations,
            steps=implicit,
            tableau=setup.tableau or kind.paced_by or EULER,
            adaptive=kind.adaptive,
            capacity=1 if steps.every else 64,
        )
        changes = _CHANGES if steps.keeps else 64
        transitions = None
        if table is not None:
            assert isinstance(equations, NativeConstrained)
            transitions = Transitions(
                problem,
                equations,
                table,
                rtol=setup.rtol,
                changes=changes,
                switches=steps.switches,
                backend=steps.backend,
            )
        stops, specs = terminal_events(problem), problem.event_specs
        kinds = event_kinds(specs, problem.n_constraint_events, passes=True)
        self._watch = watch = engine.watch_events(kinds, transitions, changes=changes)
        if steps.endless:
            watch.endless()
        unit = library("members")
        self._struct = struct = structure("members")()
        self._whose: tuple[NDArray[np.int64], ...] = tuple(np.zeros(watch.capacity, dtype=np.int64) for _ in range(2))
        self._logs, self._steps = logs, steps
        numbers = np.zeros(len(specs) + 1, dtype=np.int64)
        for k, name in enumerate(() if stops is None else stops.names):
            numbers[[spec.name for spec in specs].index(name)] = k
        drain = _DRAIN(self.flush)
        before = np.zeros(problem.n_states)
        self._kept = (engine, numbers, drain, before, steps.carried)
        struct.watch = watch.address
        if transitions is not None and table is not None and len(table.rows):
            struct.begin = ctypes.cast(library("equations").transitions_begin, _POINTER).value
            struct.transitions, struct.n_pairs = transitions.address, len(table.rows)
            struct.restitution, struct.friction = transitions.place("e"), transitions.place("mu")
        if transitions is not None:
            for name in ("t_loose", "lacks", "pair"):
                setattr(struct, name, transitions.place(name))
        struct.coefficients, struct.stops = steps.coefficients.ctypes.data, numbers.ctypes.data
        struct.every, struct.keeps = steps.every, steps.keeps
        struct.carried = steps.carried.ctypes.data
        struct.pace = None if steps.pace is None else steps.pace.ctypes.data
        struct.record_member, struct.change_member = (whose.ctypes.data for whose in self._whose)
        struct.guess_of, struct.guess_at = -1, None if implicit is None else implicit.guess
        struct.drain, struct.x_before = ctypes.cast(drain, _POINTER).value, before.ctypes.data
        self.address = ctypes.addressof(struct)
        self.begin, self.sampled, self.step = (
            ctypes.cast(unit[f"members_{name}"], _POINTER).value for name in ("begin", "sampled", "step")
        )

    def at_desk(self, desk: ctypes.Structure, task: int) -> None:
        """Do a task for members that are not in the threads of a GPU: steps, their beginning, or what samples cause."""
        library("members").members_at_desk(self.address, ctypes.addressof(desk), task)

    def flush(self) -> None:
        """Take the entries of the log; native code, or the end of the run, empties it."""
        log = self._watch.logged()
        if self._steps.keeps and (len(log["event"]) or len(log["change_t"])):
            whose, of_changes = self._whose
            log |= {
                "member": whose[: len(log["event"])].copy(),
                "change_member": of_changes[: len(log["change_t"])].copy(),
            }
            members = frozenset([*log["member"].tolist(), *log["change_member"].tolist()])
            self._logs.append(log | {"members": members})
        self._watch.forget()
        self._struct.n_signed = self._struct.n_changes_signed = 0
