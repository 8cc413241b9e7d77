"""Events of a run: native code locates them and makes transitions, and calls Python for user-defined ones."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from dalembert.compile.kernel import Backend
from dalembert.core.errors import SimulationError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array
from dalembert.engine.loop.native import NativeEngine
from dalembert.engine.loop.watch import Watch, event_kinds
from dalembert.engine.problem.pairs import TransitionMaker, UnilateralLaw
from dalembert.engine.problem.problem import EventSpec
from dalembert.engine.records import EventRecord
from dalembert.engine.setup import Outcome, Setup
from dalembert.engine.unilateral.native import LANDED, NOT_CLOSED, Transitions

__all__ = ["EventWatcher", "Transition", "told_events"]

Transition = Callable[[float, Array, tuple[str, ...]], ArrayLike | None]
"""(t, x, names of the events) -> state after them, or None if it stays."""

_APART = 1e-9  # gap [m] from which on a cable is slack, as in pairs.c
_CLOSER = 4  # intervals between events, each shorter than the last, that may have no end


def told_events(records: Iterable[EventRecord], specs: Sequence[EventSpec]) -> tuple[EventRecord, ...]:
    """Records of the events that a run reports."""
    hidden = {spec.name for spec in specs if spec.hidden}
    return tuple(record for record in records if record.name not in hidden)


class EventWatcher:
    """Lets native code look for the events of a run, and asks and tells who has to do with them.

    An event that neither stops the run nor changes the state is recorded, and the step is kept as it is.

    Parameters
    ----------
    setup
        Setup of the run.
    on_event
        The caller's transition, or who makes transitions with pairs and switches (`TransitionMaker`).
    """

    def __init__(self, setup: Setup, on_event: Transition | TransitionMaker | None) -> None:
        self.records: list[EventRecord] = []
        self.skip = 0  # rows at the start that did not hold
        self._setup, self._specs = setup, setup.problem.event_specs
        self._maker = on_event if isinstance(on_event, TransitionMaker) else None
        self._user: Transition | None = self._maker.user if self._maker is not None else on_event  # type: ignore[assignment]
        self._passes = self._user is None  # what is only taken note of changes no motion
        self._transitions: Transitions | None = None
        self._watch: Watch | None = None
        self._times: dict[str, deque[float]] = {}  # when each event last led to a transition

    @property
    def tapes(self) -> tuple[str, ...]:
        """Tapes that transitions need besides those of the constraint method."""
        own = self._setup.constraint_method.tapes
        wanted = ("projection", "move") if self._maker is not None else ()
        return () if "projection" in own else tuple(name for name in wanted if name not in own)

    def attach(self, engine: NativeEngine, backend: Backend) -> None:
        """Let the loop look for events."""
        setup, problem = self._setup, self._setup.problem
        if not self._specs and self._maker is None:
            return
        if self._maker is not None and problem.constrained is not None:
            switches = self._maker.switch_table([spec.name for spec in self._specs])
            self._transitions = Transitions(
                problem,
                engine.constrained,
                self._maker.pair_table(),
                rtol=setup.rtol,
                switches=switches,
                backend=backend,
            )
        if self._specs:
            kinds = event_kinds(self._specs, problem.n_constraint_events, passes=self._passes)
            self._watch = engine.watch_events(kinds, self._transitions, asks=self._user is not None)

    def begin(self, engine: NativeEngine, held: Array) -> None:
        """Settle the active cables and contacts at the start, and arm the events.

        A continued run with other parameters, or under another controller, may start with other forces than those at
        the end of the last one.
        """
        if self._transitions is not None and self._maker is not None:
            x = engine.x
            outcome, made = self._transitions.begin(engine.t, x, held, self._setup.p)
            self._check(outcome, engine.t)
            if self._maker.differs(x, made):
                engine.restart(made)
                self.skip = 1
        engine.arm()

    def collect(self, engine: NativeEngine, outcome: Outcome) -> str | None:
        """Record the events, and let the caller answer where it is asked.

        Returns
        -------
        str or None
            Names of terminal events that stop the run there, if any.

        Raises
        ------
        SimulationError
            If events accumulate, or a transition leads nowhere.
        """
        watch = self._watch
        if watch is None:
            return None
        records, entries = watch.taken()
        self.records += records
        if self._maker is not None:
            for entry in entries:
                self._maker.noted(entry)
            if outcome is Outcome.ILL_POSED and watch.pair is not None:
                raise self._maker.ill_posed(engine.t, *watch.pair)
            if outcome is Outcome.ILL_POSED and watch.open_row is not None:
                raise self._maker.not_closed(engine.t, *watch.open_row)
        if outcome is Outcome.STOPPED:
            stops = [spec.name for spec, fired in zip(self._specs, watch.fired, strict=True) if fired and spec.terminal]
            return ", ".join(map(repr, stops))
        if outcome is Outcome.ASKED:
            outcome = self._ask(engine, watch)
        if outcome in (Outcome.ACCUMULATED, Outcome.ILL_POSED, Outcome.NOT_FINITE):
            raise watch.error(outcome, engine.t)
        return None

    def _ask(self, engine: NativeEngine, watch: Watch) -> Outcome:
        """Let the caller change the state at the events that have just happened."""
        assert self._user is not None
        fired, before = watch.names, watch.signs_before.copy()
        asked = np.array(engine.x)
        answer = self._user(engine.t, asked, fired)
        if answer is None:
            if np.array_equal(asked, engine.x, equal_nan=True):
                return engine.answer(None, landed=False)
            answer = asked  # edited in place
        state, landed = self._checked(answer, engine.t), False
        if self._transitions is not None and self._maker is not None and self._maker.settles:
            self._slacken(engine, state)
            outcome, state = self._transitions.land(engine.t, state, engine.held_now, self._setup.p)
            self._check(outcome, engine.t)
            landed = True
            self._note_cables(engine, state)
        result = engine.answer(state, landed=landed)
        self._check_returns(engine, fired, before)
        return result

    def _slacken(self, engine: NativeEngine, state: Array) -> None:
        """Let go of cables that are longer than their way in a state of the caller's own."""
        assert self._maker is not None
        table, system = self._maker.pair_table(), self._setup.problem.constrained
        assert system is not None
        cables = [k for k, law in enumerate(table.laws) if law is UnilateralLaw.CONE and not table.is_contact[k]]
        taut = [k for k in cables if state[table.flags[k]] > 0.5]
        if taut:
            phi = np.array(system.geometry(engine.t, state, engine.held_now, self._setup.p)[1]).ravel()
            for k in taut:
                if phi[table.rows[k][0]] < -_APART:
                    state[table.flags[k]] = 0.0

    def _note_cables(self, engine: NativeEngine, state: Array) -> None:
        """Log cables that went slack or became taut in a state of the caller's own."""
        assert self._transitions is not None
        assert self._maker is not None
        names = self._maker.cable_events(engine.x, state)
        if names:
            self.records += [EventRecord(name, engine.t, np.array(engine.x), -1) for name in names]
            self._maker.noted(self._transitions.last(names))

    def _checked(self, answer: ArrayLike, t: float) -> Array:
        n = len(self._setup.problem.state_names)
        try:
            state = as_numbers(answer).copy()
        except (TypeError, ValueError):
            state = np.full(0, np.nan)
        if state.shape != (n,) or not np.isfinite(state).all():
            raise SimulationError(f"the transition at t = {t:g} s must return {n} finite states, got {answer!r}")
        return state

    def _check(self, outcome: int, t: float) -> None:
        """Raise the error of a transition that leads nowhere."""
        if outcome == LANDED:
            return
        assert self._transitions is not None
        assert self._maker is not None
        if outcome >= 0:
            raise self._maker.ill_posed(t, *self._transitions.pair)
        if outcome == NOT_CLOSED:
            raise self._maker.not_closed(t, *self._transitions.open_row)
        raise SimulationError(f"the equations have no finite value at t = {t:.9g} s")

    def _check_returns(self, engine: NativeEngine, fired: Sequence[str], signs: Array) -> None:
        """Refuse to continue past an accumulating event that a transition no longer reverses.

        A ball that bounces lower and lower comes to rest in finite time, after infinitely many bounces. At the last one
        that can be distinguished from rest it is on the wrong side of the floor at once, and would be let through.
        """
        for i, spec in enumerate(self._specs):
            if spec.positive or spec.name not in fired:
                continue  # it would happen again at once
            times = self._times.setdefault(spec.name, deque(maxlen=_CLOSER + 1))
            times.append(engine.t)
            gaps = np.diff(np.array(times))
            closer = len(gaps) == _CLOSER and bool(np.all(np.diff(gaps) < 0.0)) and gaps[-1] <= 1e-3 * engine.h_used
            if closer and engine.signs[i] != signs[i]:
                raise SimulationError(
                    f"events accumulate at t = {engine.t:.9g} s: {spec.name!r} recurs ever faster, the last "
                    f"time after {gaps[-1]:.3g} s, and the transition no longer reverses it"
                )
