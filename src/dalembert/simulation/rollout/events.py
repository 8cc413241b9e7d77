"""Members outside of their lanes: the steps in which something happens, each as a single run takes it.

Lanes watch the signs of the event functions. A member in whose step one changes leaves its lane for that step: a time
loop of single runs goes over it, locates the events, lets the transitions happen, and hands the member back at its
end. What happens is therefore what happens in a single run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dalembert.core.errors import DalembertError, SimulationError
from dalembert.core.types import Array
from dalembert.simulation.constrained.native import NativeConstrained
from dalembert.simulation.engines.engine import Outcome, Setup
from dalembert.simulation.engines.native import NativeEngine
from dalembert.simulation.engines.tableaus import TABLEAUS
from dalembert.simulation.events import EventWatcher
from dalembert.simulation.kernels import problem_kernels
from dalembert.simulation.run import EventRecord

__all__ = ["EventSteps"]


class EventSteps:
    """Takes members over the steps in which events happen.

    Parameters
    ----------
    setup
        Of the whole run of a member.
    transition
        Makes what changes the state of a member at an event, given its parameters; it may have ``begin`` and ``bind``,
        as of `dalembert.simulation.integrate`.
    """

    def __init__(self, setup: Setup, transition: Callable[[Array], Callable[..., object]]) -> None:
        self._setup, self._transition = setup, transition
        self._kernels = problem_kernels(setup.problem, "native", tapes=setup.constraint_method.tapes)
        self._watchers: dict[int, EventWatcher] = {}
        self._changes: dict[int, object] = {}
        self.notes: dict[int, str] = {}

    def records(self, member: int) -> tuple[EventRecord, ...]:
        """Events of a member."""
        watcher = self._watchers.get(member)
        return () if watcher is None else tuple(watcher.records)

    def log(self, member: int) -> list[object]:
        """Transitions of a member, as its `metadata` has them."""
        return list(getattr(self._changes.get(member), "log", ()))

    def start(self, member: int, x: Array, c: Array, p: Array) -> tuple[Array, Array]:
        """State from which a member goes on, and the signs of its event functions there."""
        engine, watcher = self._engine(member, self._setup.t0, self._setup.step, x, c, p)
        watcher.begin(engine)
        return engine.x, engine.signs.copy()

    def step(self, member: int, t: float, h: float, x: Array, c: Array, p: Array, signs: Array) -> bool:
        """Advance a member by a step, in place; False, with a note, if it cannot go on."""
        try:
            engine, watcher = self._engine(member, t, h, x, c, p)
            engine.signs[:] = signs
            while True:
                outcome = engine.advance()
                watcher.collect(engine, outcome)
                if outcome is Outcome.CROSSING:
                    watcher.handle(engine)
                elif outcome is Outcome.REACHED:
                    break
                elif outcome is not Outcome.YIELD:
                    raise SimulationError(f"the constraints could not be kept in the step from t = {engine.t:.9g} s")
        except DalembertError as error:
            self.notes[member] = str(error)
            return False
        x[:], signs[:] = engine.x, engine.signs
        return True

    def _engine(
        self, member: int, t: float, h: float, x: Array, c: Array, p: Array
    ) -> tuple[NativeEngine, EventWatcher]:
        own = replace(self._setup, x0=x.copy(), t0=t, t_end=t + h, step=h, p=p.copy(), record=0.0)
        if member not in self._watchers:
            self._changes[member] = change = self._transition(own.p)
            whole = replace(own, t0=self._setup.t0, t_end=self._setup.t_end, step=self._setup.step)
            self._watchers[member] = EventWatcher(whole, change)  # type: ignore[arg-type]
        bind = getattr(self._changes[member], "bind", None)
        if bind is not None:
            held = c.copy()
            bind(lambda: held)
        equations = NativeConstrained(own.problem, self._kernels.native_constrained(), own.constraint_method)
        engine = NativeEngine(own, None, constrained=equations, tableau=TABLEAUS[own.method])
        engine.begin(c, t + h)
        self._watchers[member].go_native(engine)
        return engine, self._watchers[member]
