"""The problem that a simulation integrates: functions and sizes, never bodies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import casadi
import numpy as np
from numpy.typing import NDArray

from dalembert.core.errors import InputError
from dalembert.engine.problem.constrained import ConstrainedSystem
from dalembert.engine.problem.stepping import SteppingSystem

__all__ = ["EventSpec", "Problem"]

_ARGUMENTS = ("t", "x", "c", "p")


@dataclass(frozen=True)
class EventSpec:
    """One event function g: name, direction and action of its sign change.

    Parameters
    ----------
    name
        The event, such as ``"impact"``.
    terminal
        Whether the run stops at it.
    direction
        ``+1`` for g rising through zero, ``-1`` for falling, ``0`` for both.
    positive
        Whether g must never be negative when a run begins or continues after a transition: it then happens at once.
    switches
        Whether constraints begin or cease to act at it.
    kinks
        Whether the direction of a row jumps there: no polynomial through a step is asked where it is. If something
        switches, a transition takes the machine to the other side.
    hidden
        Whether the event is internal: the loop evaluates the state there but does not report the event.
    jumps
        Whether it also happens where a transition makes g jump over zero.
    """

    name: str
    terminal: bool = False
    direction: int = 0
    positive: bool = False
    switches: bool = False
    hidden: bool = False
    jumps: bool = False
    kinks: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InputError(f"the name of an event must be a non-empty string, got {self.name!r}")
        if self.direction not in (-1, 0, 1):
            raise InputError(f"direction of event {self.name!r} must be -1, 0 or +1, got {self.direction!r}")


@dataclass(frozen=True, eq=False)
class Problem:
    """An initial value problem x' = f(t, x, c, p) with named states, recorded signals and events.

    Parameters
    ----------
    state_names
        Names of x = (q, v, z, latches, work quadratures), in order.
    ode
        (t, x, c, p) -> xdot.
    signals
        (t, x, c, p) -> y, recorded besides the state. ``"energy.kinetic"`` and ``"energy.potential"``, with
        ``"work.input"`` and ``"work.loss"`` (signals or states), carry the energy audit.
    signal_names
        Names of y.
    held_names
        Names of c: values that sampled controllers and sensors set and that stay constant between their samples.
    unrecorded
        How many of them, the last ones, are of no interest: memory of delays.
    quaternions
        Offsets in x of unit quaternions (4 entries each); they are normalised after each accepted step.
    events
        (t, x, c, p) -> g, located at sign changes; None without events.
    event_specs
        One `EventSpec` per entry of g.
    name
        The machine, for the run's metadata.
    n_counted
        How many states, from the first on, count in the error norm of adaptive steppers; the others are latches
        and quadratures, on which nothing depends. None: all up to the last ones named ``"work.*"``.
    constrained
        Constrained equations of motion, which then give the accelerations (``ode`` returns NaN for them).
        The last ones of ``event_specs`` are those of its unilateral rows and of contacts with friction; ``events`` has
        none for them.
    stepping
        Contacts, with which the problem is stepped from velocity to velocity instead of integrated.
    velocities
        First velocity in x, and the one after the last.
    midpoint
        Makes the tape (t, x, c, p, y, (h, damping)) -> y of implicit midpoint steps of length h: better rates in the
        middle of a step from a guess of them. None: the problem has no such steps.
    """

    state_names: tuple[str, ...]
    ode: casadi.Function
    signals: casadi.Function
    signal_names: tuple[str, ...] = ()
    held_names: tuple[str, ...] = ()
    unrecorded: int = 0
    quaternions: tuple[int, ...] = ()
    events: casadi.Function | None = None
    event_specs: tuple[EventSpec, ...] = ()
    name: str = ""
    constrained: ConstrainedSystem | None = None
    n_counted: int | None = None
    stepping: SteppingSystem | None = None
    midpoint: Callable[[], casadi.Function] | None = None
    velocities: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        for field in ("state_names", "signal_names", "held_names", "quaternions", "event_specs"):
            object.__setattr__(self, field, tuple(getattr(self, field)))
        if not self.state_names:
            raise InputError("a problem needs at least one state, got no state_names")
        _check_names((*self.state_names, *self.signal_names, *self.held_names), "signal")
        _check_names(tuple(spec.name for spec in self.event_specs), "event")
        self._check_function("ode", self.ode, len(self.state_names))
        self._check_function("signals", self.signals, len(self.signal_names))
        if self.events is not None:
            self._check_function("events", self.events, len(self.event_specs) - self.n_constraint_events)
        elif len(self.event_specs) > self.n_constraint_events:
            raise InputError(f"{len(self.event_specs)} event_specs but no events function")
        self._check_quaternions()

    @property
    def n_states(self) -> int:
        """Number of states."""
        return len(self.state_names)

    @property
    def n_parameters(self) -> int:
        """Number of run-time parameters p."""
        return int(self.ode.size1_in(3))

    @property
    def n_constraint_events(self) -> int:
        """Number of events that come from unilateral constraints."""
        return 0 if self.constrained is None else self.constrained.n_events

    @property
    def counted(self) -> NDArray[np.bool_]:
        """Which states count in the error norm of adaptive steppers; all of them if none would."""
        n = self.n_counted
        if n is None:
            n = max((k + 1 for k, name in enumerate(self.state_names) if not name.startswith("work.")), default=0)
        return np.arange(self.n_states) < (n or self.n_states)

    def _check_function(self, label: str, function: casadi.Function, n_out: int) -> None:
        if not isinstance(function, casadi.Function):
            raise InputError(f"{label} must be a casadi.Function, got {type(function).__name__}")
        if function.n_in() != 4 or function.n_out() != 1:
            raise InputError(
                f"{label} must map (t, x, c, p) to one vector, "
                f"got {function.n_in()} inputs and {function.n_out()} outputs"
            )
        n_p = self.ode.size1_in(3)
        expected = (1, len(self.state_names), len(self.held_names), n_p)
        for k, (argument, n) in enumerate(zip(_ARGUMENTS, expected, strict=True)):
            got = function.numel_in(k)
            if got != n or (n and function.size2_in(k) != 1):
                raise InputError(f"{label}: input {argument} must have {n} rows, got {function.size_in(k)}")
        if function.numel_out(0) != n_out:
            raise InputError(f"{label} must return {n_out} values (one per name), got {function.numel_out(0)}")

    def _check_quaternions(self) -> None:
        taken: set[int] = set()
        for offset in self.quaternions:
            entries = set(range(offset, offset + 4))
            if offset < 0 or offset + 4 > self.n_states or entries & taken:
                raise InputError(
                    f"quaternion offset {offset} needs 4 states of its own within 0..{self.n_states - 1}, "
                    f"got offsets {self.quaternions}"
                )
            taken |= entries


def _check_names(names: tuple[str, ...], kind: str) -> None:
    for name in names:
        if not isinstance(name, str) or not name:
            raise InputError(f"the name of a {kind} must be a non-empty string, got {name!r}")
        if name == "t":
            raise InputError(f"'t' is the time and cannot name a {kind}")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(f"{kind} names must be unique, got {', '.join(map(repr, twice))} more than once")
