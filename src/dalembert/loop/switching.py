"""Constraints that begin and cease to act during a run: switched constraints, unilateral cables and contacts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError, SimulationError
from dalembert.core.types import Array
from dalembert.engine.methods.constraints import ConstraintMethod, Projection
from dalembert.engine.problem.pairs import PairTable, SwitchTable, TransitionEntry
from dalembert.engine.problem.problem import Problem
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.pairs import Pairs
from dalembert.loop.switches import Switch, switch_table
from dalembert.loop.transition_log import LETS_GO, TAKES_HOLD, TransitionLog

__all__ = ["Switching"]


@dataclass(eq=False)
class Switching:
    """Pairs and switches of a closed loop, as arrays for the engine, and its reports about them (`TransitionMaker`).

    Parameters
    ----------
    eom
        The equations.
    problem
        The closed loop.
    latches
        Range in x of the latches.
    switches
        Switches, by the name of the event that triggers them.
    p, user
        Parameters of one run, and the user's own transition.
    """

    eom: EquationsOfMotion
    problem: Problem
    latches: slice
    switches: dict[str, Switch]
    p: Array = field(default_factory=lambda: np.zeros(0))
    user: Callable[[float, Array, tuple[str, ...]], ArrayLike | None] | None = None

    @cached_property
    def pairs(self) -> Pairs:
        """Unilateral constraints."""
        return Pairs(self.eom.constraint_system)

    @cached_property
    def _log(self) -> TransitionLog:
        return TransitionLog(self.eom, self.problem, self.pairs, self.switches, self.p)

    def for_run(self, p: Array, user: Callable[..., ArrayLike | None] | None) -> Switching:
        """Return the same for one run: its parameters, the user's own transition, an empty log."""
        return Switching(self.eom, self.problem, self.latches, self.switches, p, user)

    @property
    def needed(self) -> bool:
        """Whether anything can be switched."""
        rows = self.eom.constraint_system.rows
        kinks = any(spec.kinks and spec.switches for spec in self.problem.event_specs)
        slips = bool(self.eom.constraint_system.elastic_sections or self.eom.constraint_system.heavy_pulleys)
        return bool(self.switches) or kinks or slips or any(r.unilateral or r.kind == "stick" for r in rows)

    @property
    def sticks(self) -> bool:
        """Whether joints have friction that sticks, or sheaves of ropes."""
        return bool(self.eom.constraint_system.sticking) or bool(self.eom.constraint_system.sheaves)

    @property
    def lands_first(self) -> bool:
        """Whether a state is to be settled before a motion in any case: joints stick, or friction depends on it."""
        return self.sticks or bool(self.pairs.varies.any())

    @property
    def measuring(self) -> bool:
        """Whether any constraint measures itself when it begins to act."""
        return bool(self.eom.constraint_system.latch_table.measuring)

    @property
    def has_contacts(self) -> bool:
        """Whether any pair is a contact."""
        return bool(self.pairs.is_contact.any())

    @property
    def settles(self) -> bool:
        """Whether states of the caller's own have to be settled: cables may slacken, contacts touch, joints stick."""
        return bool(self.pairs.names) or self.sticks

    def check_way(self, way: ConstraintMethod) -> None:
        """Refuse constraint methods that do not support contacts and joints that stick."""
        if (self.has_contacts or self.sticks) and not isinstance(way, Projection):
            of_ropes = bool(self.eom.constraint_system.sheaves)
            what = "contacts" if self.has_contacts else "ropes over sheaves" if of_ropes else "joints that stick"
            raise InputError(
                f"{what} of machine '{self.problem.name}' need constraints='projection' and an explicit method, got "
                f"{way.name!r}"
            )

    # -- inputs of the engine ------------------------------------------------------------------------------------------

    def pair_table(self) -> PairTable:
        """Return the pairs in numbers."""
        return self.pairs.table(*self.pairs.coefficients(self.p), self.latches.start)

    def member_table(self, p: Array) -> tuple[PairTable | None, Array]:
        """Tell of the pairs of many members with parameters (N, np), and their restitution and friction (N, 2 k)."""
        if not self.needed:
            return None, np.zeros((len(p), 0))
        e, mu = self.pairs.coefficients(p)
        joints = np.zeros((len(p), len(self.eom.constraint_system.sticking)))  # whose limits are their own
        coefficients = np.ascontiguousarray(np.hstack([e, joints, mu, joints + 1.0]))  # it is read by rows
        return self.pairs.table(e[0], mu[0], self.latches.start), coefficients

    def switch_table(self, events: Sequence[str]) -> SwitchTable:
        """Return the switches, and constraints that measure themselves, as arrays; these are the events of the run."""
        return switch_table(self.eom, self.problem, self.latches.start, self.switches, events)

    @property
    def flags(self) -> list[int]:
        """Indices in x of the latches that are 1 while a constraint acts."""
        system, first = self.eom.constraint_system, self.latches.start
        told = ("active.", "stick.", *(f"toward.{name}" for name in (*system.sticking, *system.sheaves)))
        return [first + i for i, name in enumerate(system.latch_names) if name.startswith(told)]

    def differs(self, x: Array, made: Array) -> bool:
        """Whether a state that was made of x is another one: other pairs act, or it moves otherwise."""
        flags, first = self.flags, self.latches.start
        same = np.array_equal(np.rint(made[flags]), np.rint(x[flags]))
        return not (same and np.array_equal(made[:first], x[:first]))

    def cable_events(self, x: Array, made: Array) -> tuple[str, ...]:
        """Return the events of cables that went slack or became taut where a state was made of x."""
        places = zip(self.pairs.names, self.pairs.flags + self.latches.start, self.pairs.is_contact, strict=True)
        cables = [(name, i) for name, i, pushes in places if not pushes]
        turned = [(name, made[i] > 0.5) for name, i in cables if (x[i] > 0.5) != (made[i] > 0.5)]
        return tuple(f"{name}.{(TAKES_HOLD if taut else LETS_GO)['cable']}" for name, taut in turned)

    # -- what it tells ------------------------------------------------------------------------------------------------

    @property
    def log(self) -> list[dict[str, Any]]:
        """Transitions of the run."""
        return self._log.entries

    def noted(self, entry: TransitionEntry) -> None:
        """Take note of a transition that native code has made."""
        self._log.add(entry)

    def described(self, entry: TransitionEntry) -> dict[str, Any]:
        """Describe a transition, by names."""
        return self._log.described(entry)

    def ill_posed(self, t: float, pair: int, lacks: int) -> SimulationError:
        """Return the error of a pair at which no impulses, or no forces, obey the law of friction (`Lacks`)."""
        return self._log.ill_posed(t, pair, lacks)

    def not_closed(self, t: float, row: int, gap: float | None = None) -> SimulationError:
        """Return the error of a constraint that cannot begin to act, of which one row has an open gap."""
        return self._log.not_closed(t, row, gap)
