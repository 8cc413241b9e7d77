"""Settings of a time loop, and the reasons for which it returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from dalembert.core.types import Array
from dalembert.engine.methods.constraints import ConstraintMethod, Projection
from dalembert.engine.methods.tableaus import Tableau
from dalembert.engine.problem.problem import Problem

__all__ = ["Counts", "Outcome", "Setup", "normalise"]


class Outcome(IntEnum):
    """Why a loop came back; the numbers are those of loop.h."""

    REACHED = 0
    CROSSING = 1  # handled by native code itself, as are those that are full
    YIELD = 2
    FULL = 3
    DIVERGED = 4
    UNDERFLOW = 5
    EXHAUSTED = 6
    FAILED = 7
    LOG_FULL = 8
    ACCUMULATED = 9  # up to NOT_FINITE: transitions gave up
    ILL_POSED = 10
    NOT_FINITE = 11
    STOPPED = 12  # at a terminal event
    ASKED = 13  # at an event at which the caller may change the state


@dataclass(frozen=True)
class Counts:
    """Cost of a run."""

    steps: int
    rejected: int
    calls: int


@dataclass(frozen=True, eq=False)
class Setup:
    """Complete settings of a loop; every value has been checked.

    ``record`` 0 records every step. ``step`` is the step of fixed-step methods, ``first_step`` the first one
    of adaptive methods (None: chosen from the problem). ``tableau`` has the coefficients of an explicit Runge-Kutta
    method; other methods have none. ``options`` are settings that one method alone has.
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
    options: Mapping[str, float] = field(default_factory=dict)


def normalise(x: Array, offsets: tuple[int, ...]) -> None:
    """Scale the quaternions of x (..., n) to unit length, in place."""
    for offset in offsets:
        u = x[..., offset : offset + 4]
        u /= np.sqrt(np.sum(u * u, axis=-1, keepdims=True))
