"""Data of a machine for native transitions: its unilateral pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol, runtime_checkable

import casadi
import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.core.errors import SimulationError
from dalembert.core.types import Array

__all__ = [
    "KINK",
    "Lacks",
    "PairTable",
    "SwitchTable",
    "TransitionEntry",
    "TransitionMaker",
    "UnilateralLaw",
    "slowest_slip",
]

KINK = 1e-10
"""Time [s] before the direction of a row jumps at which its event happens: too short for anything else to change."""


def slowest_slip(rtol: float | None = None) -> float:
    """Half the rate [m/s] at which a slip ends: as low as errors of steps allow, and well below what counts as one."""
    return 2.5e-8 if rtol is None else min(max(2.5 * rtol, 1e-9), 2.5e-8)


class UnilateralLaw(IntEnum):
    """The law of a block at events, as in ``laws.c``, which says what each of them demands."""

    CONE = 0
    LIMIT = 1
    ROPE = 2


class Lacks(IntEnum):
    """Missing at a pair: impulses or forces that obey the laws; from AT_SHEAVE on where a rope jams."""

    IMPULSES = 0
    FORCES = 1
    AT_SHEAVE = 2


@dataclass(frozen=True, eq=False)
class PairTable:
    """The blocks of a machine: cables and ropes that only pull, contacts that only push, then joints that stick.

    A block has a law, rows, and numbers in place of names. A cable, or a contact without friction, is a cone with one
    row, its normal; a contact with friction has three, those of its tangents after that of its normal. A rope over
    sheaves has those of its sheaves, then its own. A joint that sticks has one row and no normal; its limit is on the
    tape of the equations, as the numbers of sheaves are.

    Parameters
    ----------
    laws
        Law of each block.
    rows
        Rows of each block, -1 for one that never moves.
    flags
        Index in x of the latch that says whether it acts, -1 where it always does.
    friction
        Indices in x of the latches of friction, of each entry of ``ConstrainedSystem.rubbing`` (n x 7): whether it
        sticks, where it slips to (2), how forces were shared (3), leeway of its slip; -1 where there are none.
    is_contact, poisson
        Which are contacts, have Poisson's restitution.
    rubs
        How many such entries each block has: contacts with friction and joints one, ropes one of each sheave.
    restitution, friction_coefficient
        Their coefficients.
    varies
        Place of each coefficient of friction among the contacts with friction (``ConstrainedSystem.rubbing``), whose
        tape tells it at each instant, if it depends on the state; else -1. None: none does.
    """

    laws: tuple[UnilateralLaw, ...]
    rows: tuple[tuple[int, ...], ...]
    flags: NDArray[np.int64]
    friction: NDArray[np.int64]
    is_contact: NDArray[np.bool_]
    rubs: NDArray[np.int64]
    poisson: NDArray[np.bool_]
    restitution: Array
    friction_coefficient: Array
    varies: NDArray[np.int64] | None = None


@dataclass(frozen=True, eq=False)
class SwitchTable:
    """The switches of a run, and what measures itself when it begins to act, with numbers in place of names.

    Parameters
    ----------
    events
        Event of each switch.
    sets
        For each switch the indices in x of latches, with their new values.
    measures
        For each constraint that measures itself the index in x of the latch that is 1 while it acts, and of those that
        keep its measurements.
    measure
        (t, x, c, p) -> all that they measure, one after the other; None if none does.
    kinks
        Events just after which the direction of a row jumps.
    counts
        Events, and the indices in x of latches that grow by a number there.
    """

    events: tuple[int, ...] = ()
    sets: tuple[tuple[tuple[int, float], ...], ...] = ()
    measures: tuple[tuple[int, tuple[int, ...]], ...] = ()
    measure: casadi.Function | None = None
    kinks: tuple[int, ...] = ()
    counts: tuple[tuple[int, int, float], ...] = ()


@dataclass(frozen=True, eq=False)
class TransitionEntry:
    """Effects of a transition.

    Parameters
    ----------
    t
        Time.
    names
        Its events.
    impulses
        Impulses of all rows.
    energy_lost
        Energy that it took.
    factor
        Factor to which restitution was lowered.
    shocks
        How many slips were stopped at once (Painleve).
    speed
        Largest velocity after it.
    """

    t: float
    names: tuple[str, ...]
    impulses: Array
    energy_lost: float
    factor: float
    shocks: int
    speed: float


@runtime_checkable
class TransitionMaker(Protocol):
    """Describes native transitions to the engine, and receives their reports."""

    user: Callable[[float, Array, tuple[str, ...]], ArrayLike | None] | None
    """The caller's own transition, which is asked after the native one."""

    @property
    def settles(self) -> bool:
        """Whether states of the caller's own have to be settled: cables may slacken, contacts touch, joints stick."""

    def pair_table(self) -> PairTable:
        """Return the pairs in numbers."""

    def switch_table(self, events: Sequence[str]) -> SwitchTable:
        """Return what is switched at the events of a run, in numbers."""

    def differs(self, x: Array, made: Array) -> bool:
        """Whether a state that was made of x is another one: other pairs act, or it moves otherwise."""

    def cable_events(self, x: Array, made: Array) -> tuple[str, ...]:
        """Return the events of cables that went slack or became taut where a state was made of x."""

    def noted(self, entry: TransitionEntry) -> None:
        """Take note of a transition that native code has made."""

    def ill_posed(self, t: float, pair: int, lacks: int) -> SimulationError:
        """Return the error of a pair at which no impulses, or no forces, obey the laws (`Lacks`)."""

    def not_closed(self, t: float, row: int, gap: float | None = None) -> SimulationError:
        """Return the error of a constraint that cannot begin to act, of which one row has an open gap."""
