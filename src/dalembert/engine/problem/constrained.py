"""The constrained part of a problem: what is integrated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import casadi
import numpy as np
from numpy.typing import NDArray

from dalembert.core.constraint_tape import swept_cost, tape_cost
from dalembert.core.types import Array
from dalembert.engine.problem.constrained_tape import dynamics_tape, gaps_tape, projection_tape, swept_motion

__all__ = ["GAP", "ConstrainedSystem"]

GAP = 1e-11
"""Gap [m] at which what is open takes hold, as in constrained.c."""

_LONGEST = 10_000
"""Multiplications of a factorisation on the tape."""


@dataclass(frozen=True, eq=False)
class ConstrainedSystem:
    """Constrained part of a problem: ``M a + J^T lambda = f``, ``J a = gamma`` as tapes.

    Parameters
    ----------
    nq, nv, m
        Numbers of coordinates, velocities and rows.
    tape
        (t, x, c, p) -> rates of x (zero for the velocities), f, J^T, Phi, Phi', gamma, Phi_t, M.
    geometry
        (t, x, c, p) -> J^T, Phi, Phi', M.
    move
        (x, d, p) -> q moved by the tangent displacement d.
    make_rate
        Makes (t, x, c, p, a, lambda) -> derivatives of ``M a + J^T lambda - f`` by a displacement and by v, which only
        implicit steps need.
    flags
        Index in x of each row's switch, -1 if it always acts.
    row_names
        Names of the rows.
    signal_names
        Names of the recorded multipliers.
    signal_rows
        Their rows.
    unilateral
        Rows whose multiplier must not become negative.
    work_input, work_loss
        Indices in x of the works.
    losses
        Index in x of the energy that the contact of each row has taken, -1 if it is none of a contact.
    constant_mass
        Whether M never changes.
    rubbing
        Sheaves of ropes: row of the whole rope, of the sheave, and no second tangent (-1). After them contacts with
        friction: row of the normal, of the first tangent and of the second one. After them joints that stick: no
        normal, their row, no second tangent.
    loads
        First row and number of rows whose multipliers are the load to which the friction of each joint that sticks is
        proportional; -1, 0: its limit is given. Empty: all limits are given.
    tugs
        Rows at which the spans end whose tensions are the load of each joint that sticks. Empty: there are none.
    ropes
        How many sheaves each rope has.
    impulses
        Index in x of the first integral of the friction of sheaves, then of joints that stick.
    shares
        Index in x of the part of each row's multiplier that is given, -1 if it has none.
    sweeps
        (t, x, c, p, b) -> ``L^-1 b``, ``L^-T b`` and the diagonal of ``D^-1`` of ``M = L D L^T``, in O(n); None if the
        mass matrix is not that of a tree.
    free
        (t, x, c, p) -> rates of x and ``Phi`` of the unilateral rows (of others zero) while no row acts; None if some
        always do.
    contact
        (t, x, c, p) -> what ``tape`` gives, then the friction of rows that slip as part of the normal force (m), then
        of each contact with friction its coefficient, how fast it slips the way it did when it began to, and the
        speed to which its direction belongs; of each joint that sticks the limit, the same speed, and the friction; of
        each sheave ``kappa``, the same speed, and ``T_k / T_{k+1} - 1`` while it slips; then lengths of spans of ropes.
    balance
        (t, x, c, p) -> energy less the work that was done on the machine, and kinetic energy, where contacts rub; None:
        steps are not refused for the energy that they add.
    """

    nq: int
    nv: int
    m: int
    tape: casadi.Function
    geometry: casadi.Function
    move: casadi.Function
    make_rate: Callable[[], casadi.Function]
    flags: NDArray[np.int64]
    row_names: tuple[str, ...]
    signal_names: tuple[str, ...]
    signal_rows: tuple[int, ...]
    unilateral: tuple[int, ...]
    work_input: int
    work_loss: int
    losses: NDArray[np.int64]
    constant_mass: bool
    rubbing: tuple[tuple[int, int, int], ...] = ()
    loads: tuple[tuple[int, int], ...] = ()
    tugs: tuple[tuple[int, ...], ...] = ()
    ropes: tuple[int, ...] = ()
    impulses: int = -1
    shares: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    sweeps: casadi.Function | None = None
    free: casadi.Function | None = None
    contact: casadi.Function | None = None
    balance: casadi.Function | None = None

    @cached_property
    def rate(self) -> casadi.Function:
        """The function of `make_rate`."""
        return self.make_rate()

    @cached_property
    def solves(self) -> bool:
        """Whether tapes solve for accelerations; of large dense systems they would be longer than a loop is slow."""
        if self.contact is not None:
            return False
        symbols = [casadi.SX.sym("a", self.tape.size1_in(k)) for k in range(4)]
        terms = self.tape(*symbols)
        return tape_cost(terms[7], terms[2]) <= _LONGEST

    @cached_property
    def dynamics(self) -> casadi.Function:
        """The tape, with accelerations and multipliers solved for if it `solves`; see `dynamics_tape`."""
        return dynamics_tape(self.tape, self.flags) if self.solves else self.tape

    @cached_property
    def accelerations(self) -> casadi.Function:
        """The `dynamics` of a method that leaves ``Phi`` to projections."""
        if self.contact is not None:
            return self.contact
        return dynamics_tape(self.tape, self.flags, self.unilateral) if self.solves else self.tape

    @property
    def plain(self) -> casadi.Function:
        """The tape of the equations, with friction if there is any, which solves for nothing."""
        return self.tape if self.contact is None else self.contact

    @cached_property
    def projection(self) -> casadi.Function:
        """The geometry, with the projected state if it `solves`; see `projection_tape`."""
        if not self.solves:
            return self.geometry
        return projection_tape(self.geometry, self.move, self.flags, self.nq, self.nv)

    @cached_property
    def gaps(self) -> casadi.Function | None:
        """Gaps of the unilateral rows, see `gaps_tape`; None: there are no such rows."""
        return gaps_tape(self.tape, self.unilateral) if self.unilateral else None

    @cached_property
    def _swept(self) -> bool:
        """Whether sweeps along the tree solve for accelerations: a factorisation on the tape would be too long."""
        if self.sweeps is None or self.contact is not None or self.solves:
            return False
        symbols = [casadi.SX.sym("a", self.tape.size1_in(k)) for k in range(4)]
        return swept_cost(self.tape(*symbols)[2]) <= _LONGEST

    @cached_property
    def motion(self) -> casadi.Function | None:
        """Accelerations and multipliers by sweeps along the tree, see `swept_motion`; None: the tape is good enough."""
        if not self._swept or self.sweeps is None:
            return None
        return swept_motion(self.tape, self.flags, self.unilateral, self.sweeps)

    @cached_property
    def shift(self) -> casadi.Function | None:
        """The `projection` by the same sweeps."""
        if not self._swept:
            return None
        return projection_tape(self.geometry, self.move, self.flags, self.nq, self.nv, self.sweeps)

    @property
    def has_contacts(self) -> bool:
        """Whether some of the unilateral rows are those of contacts."""
        return any(self.losses[row] >= 0 for row in self.unilateral)

    @property
    def all_signal_names(self) -> tuple[str, ...]:
        """Names of the signals that a constrained run has more than others."""
        kept = (*self.signal_names, "constraint.position", "constraint.velocity")
        return (*kept, "contact.undetermined") if self.has_contacts else kept

    @property
    def all_signal_rows(self) -> tuple[int, ...]:
        """Places of these signals in what constrained.c writes: m multipliers, two violations, one count."""
        kept = (*self.signal_rows, self.m, self.m + 1)
        return (*kept, self.m + 2) if self.has_contacts else kept

    @property
    def n_events(self) -> int:
        """Number of events: of unilateral rows two, of sheaves and contacts with friction three more, of joints two."""
        jamming = sum(normal >= 0 for normal, *_ in self.rubbing)
        return 2 * len(self.unilateral) + 2 * len(self.rubbing) + jamming

    def active(self, x: Array) -> NDArray[np.bool_]:
        """Which rows act in a state."""
        return np.where(self.flags >= 0, x[np.maximum(self.flags, 0)] > 0.5, True)
