"""Steps that a solver elsewhere makes, with the events and the record of the native time loop."""

from __future__ import annotations

import ctypes
import time
from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

from dalembert.core.types import Array
from dalembert.engine.codes import Code
from dalembert.engine.loop.native import NativeEngine
from dalembert.engine.setup import Outcome, Setup

__all__ = ["OfferedEngine", "Step"]

_REALS = ctypes.POINTER(ctypes.c_double)
_PART = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_double, ctypes.c_double, _REALS, _REALS, _REALS, _REALS
)


class Step(NamedTuple):
    """A step of a solver: its end, the state there, and whether that is to be recorded."""

    t: float
    x: Array
    on_record: bool


class OfferedEngine(NativeEngine, ABC):
    """A time loop whose steps come from a solver in Python; a subclass has three methods.

    `next_offer` makes the next step, `part` a part of a step (so that events can be located in it), and `forget` drops
    the history of the solver, after the state has been changed or a step was cut.

    Parameters
    ----------
    setup
        The checked settings.
    events
        Code of the event functions.
    constrained
        The constrained equations of motion, in whose place ``events`` is then None.
    """

    def __init__(self, setup: Setup, events: Code | None, constrained: Any = None) -> None:
        super().__init__(setup, None, events, constrained=constrained, adaptive=False)
        self._callback = _PART(self._made_part)
        self._loop.custom = ctypes.cast(self._callback, ctypes.c_void_p).value
        self._loop.step = setup.record or 1e-3 * (setup.t_end - setup.t0)
        self._failure: Exception | None = None
        self._at = (setup.t0, setup.x0.copy())  # where the solver left off

    @abstractmethod
    def next_offer(self, t_end: float) -> Step | Outcome:
        """Return the next step from the present state, not beyond ``t_end``; or why there is none."""

    @property
    def at_hand(self) -> bool:
        """Whether the next step has been made already."""
        return False

    @abstractmethod
    def part(self, t: float, h: float, x: Array) -> Array:
        """Return the state after a step of length h from (t, x)."""

    @abstractmethod
    def forget(self) -> None:
        """Start anew at the present state."""

    def begin(self, c: Array, t_end: float) -> None:
        """Start a segment: hold ``c`` from now on and run to ``t_end``."""
        self._c[:] = c
        self._library.loop_hold(self._reference, t_end)
        self.forget()

    def _made_part(self, _: Any, t: float, h: float, x: Any, c: Any, p: Any, out: Any) -> int:
        n = self._loop.n
        try:
            np.ctypeslib.as_array(out, (n,))[:] = self.part(t, h, np.ctypeslib.as_array(x, (n,)).copy())
        except Exception as error:  # must not pass through native code
            self._failure = error
            return 1
        return 0

    def _raise_failure(self) -> None:
        """Raise the error of a part of a step, which native code can only report as a missing state."""
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _go_on(self) -> Outcome:
        loop, until = self._loop, time.monotonic() + self._loop.patience
        while True:
            if self.watch is not None:
                settled = Outcome(self._library.watch_settle(self.watch.address))
                self._raise_failure()
                if settled is not Outcome.REACHED:
                    return settled
            if loop.t >= loop.t_end:
                return Outcome.REACHED
            if loop.n_rows >= loop.capacity:
                return Outcome.FULL
            if self.counts.steps >= self._setup.max_steps:
                return Outcome.EXHAUSTED
            if time.monotonic() > until and not self.at_hand:
                return Outcome.YIELD
            if self._at[0] != loop.t or not np.array_equal(self._at[1], self._x):
                self.forget()
            step = self.next_offer(loop.t_end)
            if isinstance(step, Outcome):
                return step
            loop.t_next, loop.h_used = step.t, step.t - loop.t
            loop.whole, loop.landed, loop.on_record = 1, 1, step.on_record
            self._x_next[:] = step.x
            if self.watch is not None:
                outcome = Outcome(self._library.watch_offer(self.watch.address))
            else:
                outcome = Outcome(self._library.loop_offer(self._reference))
                if outcome is Outcome.REACHED:
                    self._library.loop_accept(self._reference)
            self._raise_failure()
            self._at = (step.t, self._x_next.copy())  # with unit quaternions
            if outcome is not Outcome.REACHED:
                return outcome
