"""Events: located inside the step in which their function changes sign, simultaneous ones together."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.core.errors import SimulationError
from dalembert.core.types import Array
from dalembert.engine.loop.native import NativeEngine
from dalembert.engine.loop.startup import arm
from dalembert.engine.problem.pairs import TransitionMaker
from dalembert.engine.problem.problem import EventSpec
from dalembert.engine.setup import Engine, Outcome, Setup
from dalembert.engine.unilateral.native import NativeTransitions, measure_kernel
from dalembert.simulation.roots import find_crossing
from dalembert.simulation.run import EventRecord

__all__ = ["EventWatcher", "Transition", "told_events"]

Transition = Callable[[float, Array, tuple[str, ...]], ArrayLike | None]
"""(t, x, names of the events) -> state after them, or None if it stays."""

_SIMULTANEOUS = 1e-9  # part of a step within which two events are one instant
_LOCATED = 1e-13  # part of a step to which an event is located
_RETURN = 1.05  # length of a step after which a bounce is expected, by the time up to it
_SHORTEST = 1e-6  # of such steps, as part of what the method would take
_CLOSER = 4  # intervals between events, each shorter than the last, that may have no end
_CROWD, _CROWDED = 500, 1e-6  # so many transitions within this part of the run will never end


def told_events(records: Iterable[EventRecord], specs: Sequence[EventSpec]) -> tuple[EventRecord, ...]:
    """Records of the events that a run tells of."""
    hidden = {spec.name for spec in specs if spec.hidden}
    return tuple(record for record in records if record.name not in hidden)


class EventWatcher:
    """Finds the events of a pending step and says what becomes of the run.

    A function that reaches or passes zero fires once; it is armed again by leaving zero. An event that
    neither stops the run nor changes the state is noted, and the step is kept as it is.
    """

    def __init__(self, setup: Setup, on_event: Transition | None) -> None:
        self.records: list[EventRecord] = []
        self.skip = 0  # rows at the start that did not hold
        self._setup, self._on_event = setup, on_event
        self._specs = setup.problem.event_specs
        self._positive = np.array([spec.positive for spec in self._specs], dtype=bool)
        self._directions = np.array([float(spec.direction) for spec in self._specs])
        self._armed_at, self._armed_for = -math.inf, 0.0
        self._maker = on_event if isinstance(on_event, TransitionMaker) else None
        self._native: NativeTransitions | None = None
        self._stops: deque[float] = deque(maxlen=_CROWD)
        self._times: dict[int, deque[float]] = {}  # when each event last led to a transition

    def go_native(self, engine: Engine) -> None:
        """Let native code make the transitions, where the loop is native and whoever makes them can be told in numbers.

        It then handles the events of pairs by itself; `handle` has what other events fire, and `collect` what happened.
        """
        way = self._setup.constraint_method
        if self._maker is None:
            return
        if not isinstance(engine, NativeEngine) or not way.projects or way.implicit:
            self._maker.leave_to(None)
            return
        table = self._maker.table()
        if table is not None:
            pairs, switches = table
            self._native = engine.make_transitions(pairs, switches, measure_kernel(switches))
            self._native.armed = self._armed_at, self._armed_for
        self._maker.leave_to(self._native)

    def collect(self, engine: Engine, outcome: Outcome) -> None:
        """Take note of what native transitions did, and raise the error with which they ended.

        Raises
        ------
        SimulationError
            If events accumulate, or a transition leads nowhere.
        """
        if self._native is None or self._maker is None:
            return
        records, entries = self._native.taken()
        self._armed_at, self._armed_for = self._native.armed
        self.records += records
        for entry in entries:
            self._maker.noted(entry)
        if outcome is Outcome.ILL_POSED and self._native.pair is not None:
            raise self._maker.ill_posed(engine.t, *self._native.pair)
        if outcome is Outcome.ILL_POSED and self._native.open_row is not None:
            raise self._maker.not_closed(engine.t, *self._native.open_row)
        if outcome >= Outcome.ACCUMULATED:
            raise self._native.error(outcome, engine.t)

    def arm(self, engine: Engine, which: NDArray[np.bool_] | None = None) -> None:
        """Take the signs that the events have just after the present time."""
        if self._specs:
            self._armed_at = engine.t
            self._armed_for = arm(engine, self._setup.t_end, which, None if which is None else self._positive)
            if self._native is not None:
                self._native.armed = self._armed_at, self._armed_for

    def begin(self, engine: Engine) -> None:
        """Let whoever changes the state at events look at the first one, and arm the events."""
        settle = getattr(self._on_event, "begin", None)
        x = None if settle is None else settle(engine.t, engine.x)
        if x is not None:
            engine.restart(x)
            self.skip = 1
        self.arm(engine)
        self._at_once(engine)

    def handle(self, engine: Engine) -> str | None:
        """Deal with a pending step; return the names of terminal events that stop the run there, if any.

        Raises
        ------
        SimulationError
            If a transition returns no valid state, or events accumulate.
        """
        signs = engine.signs.copy()
        for s, fired in self._located(engine, signs):
            names = tuple(self._specs[i].name for i in fired)
            stops = [self._specs[i].name for i in fired if self._specs[i].terminal]
            if not stops and self._on_event is None:
                self._note(engine.t + s, engine.partial(s)[0], fired, signs)
                continue
            engine.commit(s)
            self._note(engine.t, engine.x, fired, signs)
            if stops:
                return ", ".join(map(repr, stops))
            assert self._on_event is not None
            self._change(engine, self._on_event(engine.t, engine.x, names), fired, signs)
            self._at_once(engine)
            return None
        return None

    def _located(self, engine: Engine, signs: Array) -> list[tuple[float, list[int]]]:
        """Return the events of the pending step as (time since its start, indices), in time."""
        h, g_end = engine.h_used, engine.g_next.copy()
        crossing = (signs != 0.0) & (g_end * signs <= 0.0) & (self._directions * signs <= 0.0)
        tolerance = max(_LOCATED * h, 2.0 * math.ulp(engine.t + h))
        g_start = engine.partial(0.0)[1]
        crossings = []

        def value(i: int) -> Callable[[float], float]:
            return lambda s: float(engine.partial(s)[1][i])

        for i in map(int, np.flatnonzero(crossing)):
            a, g_a = 0.0, float(g_start[i])
            if g_a * signs[i] <= 0.0 and engine.t == self._armed_at:
                a = self._armed_for
                g_a = float(engine.partial(a)[1][i]) if a < h else 0.0
                if g_a * signs[i] <= 0.0:
                    continue
            if g_a * signs[i] <= 0.0:  # the function jumped with a held value, at the start of the step
                crossings.append((0.0, i))
                continue
            crossings.append((find_crossing(value(i), a, g_a, h, float(g_end[i]), tolerance=tolerance), i))
        if crossings:  # what has crossed at the first of them but is back at the end of the step came before
            s, _ = min(crossings)
            g_there = engine.partial(s)[1]
            back = ~crossing & (g_there * signs <= 0.0) & (g_start * signs > 0.0) & (self._directions * signs <= 0.0)
            for i in map(int, np.flatnonzero(back)):
                ends = float(g_start[i]), s, float(g_there[i])
                crossings.append((find_crossing(value(i), 0.0, *ends, tolerance=tolerance), i))
        groups: list[tuple[float, list[int]]] = []  # each at its first event: no gap is beyond what it may be
        for s, i in sorted(crossings):
            if groups and s - groups[-1][0] <= max(_SIMULTANEOUS * h, 2.0 * tolerance):
                groups[-1][1].append(i)
            else:
                groups.append((s, [i]))
        return groups

    def _note(self, t: float, x: Array, fired: list[int], signs: Array) -> None:
        for i in sorted(fired):
            self.records.append(EventRecord(self._specs[i].name, t, x, -int(signs[i])))

    def _change(self, engine: Engine, x: ArrayLike | None, fired: list[int], signs: Array) -> None:
        """Apply a transition and arm the events, which had these signs, for what follows."""
        t, names = engine.t, self._setup.problem.state_names
        if x is not None:
            try:
                state = np.array(x, dtype=float)
            except (TypeError, ValueError):
                state = np.full(0, np.nan)
            if state.shape != (len(names),) or not np.isfinite(state).all():
                raise SimulationError(
                    f"the transition at t = {t:g} s must return {len(names)} finite states, got {x!r}"
                )
            engine.restart(state)
            engine.signs[:] = np.sign(engine.partial(0.0)[1])
            if self._maker is not None and engine.next_step is not None:
                engine.expect(max(_RETURN * self._maker.returns(t, engine.x), _SHORTEST * engine.next_step))
        which = np.zeros(len(self._specs), dtype=bool)
        which[fired] = True
        self.arm(engine, which)
        if x is not None:
            self._check_returns(engine, fired, signs)
        self._stops.append(t)
        if len(self._stops) == _CROWD and t - self._stops[0] <= _CROWDED * (self._setup.t_end - self._setup.t0):
            label = ", ".join(repr(self._specs[i].name) for i in fired)
            raise SimulationError(f"events accumulate at t = {t:g} s: {_CROWD} of them up to {label}")

    def _check_returns(self, engine: Engine, fired: list[int], signs: Array) -> None:
        """Refuse to go on past an event that comes ever closer and that a transition no longer takes back.

        A ball that bounces lower and lower comes to rest in finite time, after infinitely many bounces. At the last one
        that can be told from rest it is on the wrong side of the floor at once, and would be let through.
        """
        for i in fired:
            if self._specs[i].positive:
                continue  # it would happen again at once
            times = self._times.setdefault(i, deque(maxlen=_CLOSER + 1))
            times.append(engine.t)
            gaps = np.diff(np.array(times))
            closer = len(gaps) == _CLOSER and bool(np.all(np.diff(gaps) < 0.0)) and gaps[-1] <= 1e-3 * engine.h_used
            if closer and engine.signs[i] != signs[i]:
                raise SimulationError(
                    f"events accumulate at t = {engine.t:.9g} s: {self._specs[i].name!r} comes ever closer, the last "
                    f"time after {gaps[-1]:.3g} s, and the transition does not take it back any more"
                )

    def _at_once(self, engine: Engine) -> None:
        """Let happen what must not be negative and is, such as the tension of a cable, at this very instant."""
        while self._on_event is not None:
            fired = [i for i, spec in enumerate(self._specs) if spec.positive and engine.signs[i] < 0.0]
            if not fired:
                return
            self._note(engine.t, engine.x, fired, np.ones(len(self._specs)))
            names = tuple(self._specs[i].name for i in fired)
            self._change(engine, self._on_event(engine.t, engine.x, names), fired, engine.signs.copy())
