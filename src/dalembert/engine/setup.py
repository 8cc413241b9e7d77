"""What `integrate` asks of a time loop, whoever runs it: native code, NumPy or SUNDIALS."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol

import numpy as np

from dalembert.core.types import Array
from dalembert.engine.methods.constraints import ConstraintMethod, Projection
from dalembert.engine.methods.tableaus import Tableau
from dalembert.engine.problem.problem import Problem

__all__ = ["Counts", "Engine", "Outcome", "Setup", "normalise"]


class Outcome(IntEnum):
    """Why a loop came back; the numbers are those of loop.c and events.c."""

    REACHED = 0
    CROSSING = 1
    YIELD = 2
    FULL = 3  # handled by the native engine itself
    DIVERGED = 4
    UNDERFLOW = 5
    EXHAUSTED = 6
    FAILED = 7
    LOG_FULL = 8  # handled by the native engine itself
    ACCUMULATED = 9  # from here on: native transitions gave up
    ILL_POSED = 10
    NOT_FINITE = 11
    STOPPED = 12  # at a terminal event, where native code looks for it


@dataclass(frozen=True)
class Counts:
    """What a run has cost."""

    steps: int
    rejected: int
    calls: int


@dataclass(frozen=True, eq=False)
class Setup:
    """All that a loop is told before it starts; every value has been checked.

    ``record`` 0 records every step. ``step`` is the step of fixed-step methods, ``first_step`` the first one
    of adaptive methods (None: chosen from the problem). ``tableau`` has the coefficients of an explicit Runge-Kutta
    method; other methods have none.
    """

    problem: Problem
    method: str
    x0: Array
    t0: float
    t_end: float
    p: Array
    step: float
    max_step: float
    rtol: float
    atol: Array
    record: float
    max_steps: int
    first_step: float | None = None
    patience: float = 0.05
    constraint_method: ConstraintMethod = field(default_factory=Projection)
    tableau: Tableau | None = None


class Engine(Protocol):
    """A time loop that can be stopped anywhere and resumed.

    After `Outcome.CROSSING` a step from ``t`` to ``t_next`` is pending, in which an armed event function
    changes its sign: ``g_next`` are the event functions at its end, ``signs`` what they were armed with.
    `partial` looks inside the step; `advance` accepts it, `commit` accepts a part of it.
    """

    signs: Array
    g_next: Array

    @property
    def backend(self) -> str:
        """What runs it, as runs tell it."""

    @property
    def t(self) -> float:
        """Time of the last accepted step."""

    @property
    def x(self) -> Array:
        """State at `t` (a copy)."""

    @property
    def h_used(self) -> float:
        """Length of the pending step, or of the one to come."""

    @property
    def next_step(self) -> float | None:
        """Step that an adaptive method would try next."""

    @property
    def bad(self) -> int:
        """Index of the state (from n on: of the event function) to blame for a failure; -1 if unknown."""

    @property
    def message(self) -> str:
        """What the loop says about a failure, if anything."""

    @property
    def counts(self) -> Counts:
        """Cost so far."""

    def begin(self, c: Array, t_end: float) -> None:
        """Start a segment: hold ``c`` from now on and run to ``t_end``."""

    def advance(self) -> Outcome:
        """Run until something needs the caller."""

    def partial(self, s: float) -> tuple[Array, Array]:
        """Return the state and the event functions at t + s, by a step of length s from (t, x)."""

    def commit(self, s: float) -> None:
        """Accept the part of length s of the pending step, and record it."""

    def expect(self, s: float) -> None:
        """Take the next step no longer than ``s``, if steps are chosen here: an event is expected within it."""

    def restart(self, x: Array) -> None:
        """Replace the state at t (a transition), and record it."""

    def record(self) -> None:
        """Record the state at t, unless it is the last one recorded."""

    def rows(self, first: int = 0) -> tuple[Array, Array]:
        """Rows (t, x) recorded so far, from one on."""


def normalise(x: Array, offsets: tuple[int, ...]) -> None:
    """Scale the quaternions of x (..., n) to unit length, in place."""
    for offset in offsets:
        u = x[..., offset : offset + 4]
        u /= np.sqrt(np.sum(u * u, axis=-1, keepdims=True))
