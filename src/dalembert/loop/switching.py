"""What begins and ceases to act during a run: switched constraints, cables and contacts that act one way only."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.compile.batch import in_parts
from dalembert.core.contact_algebra import NoContactForcesError
from dalembert.core.errors import InputError, SimulationError
from dalembert.core.types import Array
from dalembert.core.warn import warn
from dalembert.engine.constraints.fallback import TURNED, TURNS, PythonConstrained
from dalembert.engine.methods.constraints import ConstraintMethod, Projection
from dalembert.engine.problem.pairs import PairTable, SwitchTable, TransitionEntry, slowest_slip
from dalembert.engine.problem.problem import Problem
from dalembert.engine.unilateral.native import NativeTransitions
from dalembert.formulations.constraints.projection import consistent_state, consistent_states, kept_velocities
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.impacts import STRIKES, close_gaps, hit, rest, shock
from dalembert.loop.pairs import Instant, Pairs, Terms
from dalembert.loop.settling import SlipsEndError, settle
from dalembert.loop.slips import fits, give_leeway, moves_slips, slides
from dalembert.loop.starts import place_starts
from dalembert.loop.switches import CUT, Switch, switch_table

__all__ = ["LETS_GO", "TAKES_HOLD", "Switching"]

LETS_GO = {"cable": "slack", "contact": "release"}
TAKES_HOLD = {"cable": "taut", "contact": "impact"}
"""What events are called at which a unilateral row lets go and takes hold, by its kind."""

_CLOSED = 1e-6  # gap that counts as closed when a constraint begins to act
_CLOSE = 1e-3  # part of the velocities that may change without a word, as printed digits do
_PENETRATES = 1e-6  # overlap [m] that a run may start with: the rounding of a position that someone has typed
_WORTH = 4096  # members of a thread of NumPy: with fewer, threads wait for each other longer than they work


@dataclass(eq=False)
class Switching:
    """Keeps the switches of a run and the state consistent with them.

    Parameters
    ----------
    eom
        The equations.
    problem
        The closed loop.
    latches
        Range in x of the latches.
    switches
        What is switched when, by the name of the event that triggers it.
    """

    eom: EquationsOfMotion
    problem: Problem
    latches: slice
    switches: dict[str, Switch]
    p: Array = field(default_factory=lambda: np.zeros(0))
    user: Callable[..., ArrayLike | None] | None = None
    slowest: float = slowest_slip()
    log: list[dict[str, Any]] = field(default_factory=list)
    initial: dict[str, Any] = field(default_factory=dict)  # the impact that a run starts with, if it does
    held: Callable[[], Array] = field(default=lambda: np.zeros(0))
    native: NativeTransitions | None = None  # what makes all transitions, if joints stick
    _instant: tuple[float, frozenset[str]] = (-np.inf, frozenset())  # when something last let go, and what

    @cached_property
    def pairs(self) -> Pairs:
        """What acts one way only."""
        return Pairs(self.eom.constraint_system)

    @cached_property
    def _kinds(self) -> dict[str, str]:
        """Kind of what acts one way only, by name."""
        return {r.name: r.kind for r in self.eom.constraint_system.rows if r.unilateral}

    @cached_property
    def _hidden(self) -> frozenset[str]:
        """Events that nobody is told of."""
        return frozenset(spec.name for spec in self.problem.event_specs if spec.hidden)

    @cached_property
    def _row_names(self) -> tuple[str, ...]:
        return self.eom.constraint_system.row_names

    def for_run(self, p: Array, user: Callable[..., ArrayLike | None] | None, rtol: float | None = None) -> Switching:
        """Return the same for one run: its parameters, the user's own transition, its tolerance, an empty log."""
        return Switching(self.eom, self.problem, self.latches, self.switches, p, user, slowest_slip(rtol))

    @property
    def needed(self) -> bool:
        """Whether anything can be switched."""
        rows = self.eom.constraint_system.rows
        return bool(self.switches) or any(r.unilateral or r.kind == "stick" for r in rows)

    @property
    def sticks(self) -> bool:
        """Whether joints have friction that sticks."""
        return bool(self.eom.constraint_system.sticking)

    @property
    def only_native(self) -> bool:
        """Whether native code alone makes transitions: joints stick, or friction of contacts depends on the state."""
        return self.sticks or bool(self.pairs.varies.any())

    @property
    def measuring(self) -> bool:
        """Whether any constraint measures itself when it begins to act."""
        return bool(self.eom.constraint_system.measuring)

    def check_way(self, way: ConstraintMethod) -> None:
        """Refuse ways of keeping constraints that know nothing of contacts and of joints that stick."""
        if isinstance(way, Projection):
            return
        what = "contacts" if self.pairs.is_contact.any() else "joints that stick" if self.sticks else ""
        if what:
            raise InputError(
                f"{what} of machine '{self.problem.name}' need constraints='projection' and an explicit method, got "
                f"{way.name!r}"
            )

    def leave_to(self, native: NativeTransitions | None) -> None:
        """Leave transitions to native code where it alone can make them; refuse runs that have none."""
        if not self.only_native:
            return
        if native is None:
            raise InputError(
                f"{self._wants_native}: runs need a C compiler, an explicit method and constraints='projection'"
                + "; or use friction_law='smooth'" * self.sticks
            )
        self.native = native

    @property
    def _wants_native(self) -> str:
        """What it is that native code alone can deal with, in words."""
        joints, where = self.eom.constraint_system.sticking, f"machine '{self.eom.machine.name}'"
        if joints:
            return f"joints of {where} stick ({', '.join(joints)})"
        return f"friction at contacts of {where} depends on its state"

    def bind(self, held: Callable[[], Array]) -> None:
        """Tell how to get the values that a sampled controller holds."""
        self.held = held

    # -- start ------------------------------------------------------------------------------------------------------

    def prepare(
        self, x: Array, t: float, reach: float, wanted: Mapping[str, float] | None = None
    ) -> tuple[Array, dict[str, float]]:
        """Return the initial state on the constraints, with the velocities that are wanted, and how far it was moved.

        Cables that are longer than their way start slack; so do cables that would have to push (see `begin`). Contacts
        that touch may start with an impact; contacts that overlap are refused.
        """
        eom, system = self.eom, self.eom.constraint_system
        x = x.copy()
        q, v = x[: eom.nq], x[eom.nq : eom.nq + eom.nv]
        latches = system.measured(x[self.latches], q, t, self.p)
        phi = eom.constraints(q, t=t, p=self.p, latches=latches)
        for rows in system.rows:
            if rows.unilateral and phi[rows.start] < -1e-9:
                latches[rows.flag] = 0.0
        self._check_overlap(phi)
        state = consistent_state(eom, q, v, t=t, p=self.p, latches=latches, reach=reach)
        new = state.v
        if wanted:
            kept = kept_velocities(eom, state.q, v, wanted, t=t, p=self.p, latches=latches)
            new = state.v if kept is None else kept
            if kept is None:
                self._check_wanted(state.q, new, wanted, latches)
        moved = float(np.max(np.abs(new - v)))
        x[: eom.nq], x[eom.nq : eom.nq + eom.nv], x[self.latches] = state.q, new, latches
        if not self.problem.held_names and not self.only_native:  # what a controller holds is known when the run begins
            if self.pairs.is_contact.any():
                x, entry = self._landed(t, x, frozenset(), ("start",))
                self.initial = entry if entry["impulse"] else {}
            else:
                x = self._settled(t, x)
        return x, {"position": state.position_correction, "velocity": moved}

    def prepare_all(
        self,
        x: Array,
        t: float,
        reach: float,
        p: Array,
        wanted: Mapping[str, Array],
        threads: int = 1,
        *,
        compiled: bool = False,
    ) -> Array:
        """Return the initial states of many members (N, n), each with its parameters (N, np), as `prepare` does.

        But what pulls or pushes there is for their time loop to say. With ``compiled`` there is a kernel for it
        (`place_starts`), and what it returns is the same but for rounding.
        """
        eom, start, x = self.eom, x, x.copy()
        q, v = x[:, : eom.nq].copy(), x[:, eom.nq : eom.nq + eom.nv].copy()
        latches = eom.measured_latches(q, t=t, p=p, latches=x[:, self.latches], threads=threads)
        if self.pairs.names:
            phi = eom.constraints(q, t=t, p=p, latches=latches)
            latches[:, self.pairs.flags] = np.where(phi[:, self.pairs.rows] < -1e-9, 0.0, latches[:, self.pairs.flags])
            for i in np.flatnonzero((phi[:, self.pairs.rows[self.pairs.is_contact]] > _PENETRATES).any(axis=1))[:1]:
                self._check_overlap(phi[i])
        x[:, self.latches] = latches

        def place(which: NDArray[np.int64] | slice) -> None:
            named = {name: values[which] for name, values in wanted.items()}
            x[which, : eom.nq], x[which, eom.nq : eom.nq + eom.nv] = consistent_states(
                eom, q[which], v[which], t=t, p=p[which], latches=latches[which], reach=reach, wanted=named
            )

        constrained = self.problem.constrained
        try:
            if compiled and eom.formulation.machine_coordinates and constrained is not None and constrained.solves:
                placed = place_starts(eom, self.problem, x, t=t, p=p, reach=reach, wanted=wanted, threads=threads)
                left = np.flatnonzero(~placed)
                if len(left):
                    in_parts(lambda rows: place(left[rows]), len(left), threads, least=_WORTH)
            else:
                in_parts(place, len(x), threads, least=_WORTH)
        except InputError:
            if self.pairs.names:  # of velocities that cables do not allow a member is told, and starts with others
                for i, p_i in enumerate(p):
                    named = {name: float(values[i]) for name, values in wanted.items()} or None
                    x[i] = self.for_run(p_i, None).prepare(start[i], t, reach, named)[0]
                return x
            place(slice(None))  # once more, so that the first member which cannot start is the one that is named
        return x

    def _check_overlap(self, phi: Array) -> None:
        """Refuse a start at which a contact overlaps."""
        contacts = self.eom.constraint_system.contacts
        deep = {
            name: float(phi[row])
            for name, row, contact in zip(self.pairs.names, self.pairs.rows, self.pairs.is_contact, strict=True)
            if contact and phi[row] > _PENETRATES
        }
        if not deep:
            return
        name = max(deep, key=lambda key: deep[key])
        pair = contacts.pairs[contacts.names.index(name)]
        more = f" (and {len(deep) - 1} more overlap)" if len(deep) > 1 else ""
        where = f"machine '{self.eom.machine.name}'"
        if pair.contact is None:
            raise InputError(f"{pair.between} of {where} starts {deep[name]:.4g} beyond its stop '{name}'{more}")
        raise InputError(
            f"contact '{name}' of {where}: {pair.between} overlap by {deep[name]:.4g} m at the start{more}; move them "
            "apart"
        )

    def _check_wanted(self, q: Array, v: Array, wanted: Mapping[str, float], latches: Array) -> None:
        """Refuse velocities that contradict each other; if a cable is among those that hold, tell of them."""
        eom, names = self.eom, self.eom.machine.v_names
        got = eom.to_machine(q, v, p=self.p)[1]
        gaps = {name: abs(got[names.index(name)] - value) for name, value in wanted.items()}
        name = max(gaps, key=lambda key: gaps[key])
        if gaps[name] <= _CLOSE * max(abs(value) for value in wanted.values()):
            return
        text = (
            f"v0: the constraints of machine '{eom.machine.name}' do not allow the velocities {', '.join(wanted)} "
            f"together: {name!r} of {wanted[name]:g} would become {got[names.index(name)]:.4g}"
        )
        if any(rows.unilateral and latches[rows.flag] > 0.5 for rows in eom.constraint_system.rows):
            warn(f"{text}; the run starts with that")
        else:
            raise InputError(f"{text}; name fewer of them, the others follow")

    def begin(self, t: float, x: Array) -> Array | None:
        """State at the start of a run, if other cables pull there than its switches say; None if they are right.

        A run that goes on with other parameters, or under another controller, may start with other tensions than those
        that the last one ended with.
        """
        if self.native is not None:
            new, entry = self.native.begun(t, x, self.held(), self.p)
            self._solved(t, new)
            impact = self._entry(entry)
            self.initial = impact if impact["impulse"] else {}
        elif self.pairs.is_contact.any() and self.problem.held_names:
            new = self._landed(t, x.copy(), frozenset(), ("start",))[0]
        else:
            new = self._settled(t, x)
        system = self.eom.constraint_system
        kept = ("active.", "stick.", *(f"toward.{joint}" for joint in system.sticking))
        flags = [i for i, n in enumerate(system.latch_names) if n.startswith(kept)]
        same = np.array_equal(np.rint(new[self.latches][flags]), np.rint(x[self.latches][flags]))
        return None if same and np.array_equal(new[: self.latches.start], x[: self.latches.start]) else new

    # -- transitions --------------------------------------------------------------------------------------------------

    def __call__(self, t: float, x: Array, names: tuple[str, ...]) -> ArrayLike | None:
        """State after the events of an instant."""
        on, off, rubs = self._wanted(names)
        new = x.copy()
        if self.native is not None:
            return self._switched(t, new, names) if on or off or rubs else None
        changed = bool(on or off or rubs)
        if changed:
            new = self._switch(t, new, on, off, names)
        if self.user is not None:
            answer = self.user(t, new, names)
            if answer is not None:
                return self._after_user(t, answer)
        return new if changed else None

    def _switched(self, t: float, x: Array, names: tuple[str, ...]) -> Array:
        """State after switches of an instant, by native code."""
        assert self.native is not None
        x, entry = self.native.switched(t, x, self.held(), self.p, names)
        self._solved(t, x)
        self.noted(entry)
        return x

    def _solved(self, t: float, x: Array) -> Array:
        """Return what native code has made of a state; raise why it could not."""
        if self.native is None or np.isfinite(x).all():
            return x
        if self.native.pair is not None:
            raise self.ill_posed(t, *self.native.pair)
        if self.native.open_row is not None:
            raise self.not_closed(t, *self.native.open_row)
        raise SimulationError(f"the transition at t = {t:.9g} s has no finite state: the equations are singular there")

    def _after_user(self, t: float, answer: ArrayLike) -> ArrayLike:
        """What contacts make of a state that the user's own transition returned."""
        state = np.array(answer, dtype=float)
        if not self.pairs.is_contact.any() or state.shape != (self.problem.n_states,) or not np.isfinite(state).all():
            return answer
        return self._landed(t, state, frozenset(), ())[0]

    def _wanted(self, names: tuple[str, ...]) -> tuple[set[str], set[str], bool]:
        """What takes hold and lets go at these events, and whether any is about friction."""
        on: set[str] = set()
        off: set[str] = set()
        rubs = False
        kinds, sticking = self._kinds, self.eom.constraint_system.sticking
        for name in names:
            if name in self.switches:
                on |= set(self.switches[name].on)
                off |= set(self.switches[name].off)
            pair, _, what = name.rpartition(".")
            if pair in kinds:
                if what == LETS_GO[kinds[pair]]:
                    off.add(pair)
                elif what == TAKES_HOLD[kinds[pair]]:
                    on.add(pair)
                rubs |= what in ("slip", "stick", "jam")
            rubs |= pair in sticking and what in ("slip", "stick")
        return on, off - on, rubs

    def _switch(self, t: float, x: Array, on: set[str], off: set[str], names: tuple[str, ...]) -> Array:
        eom, system = self.eom, self.eom.constraint_system
        latches = x[self.latches].copy()
        cut = {n for name in names if name in self.switches for n in self.switches[name].off} - on
        begin = {n for n in on if latches[system.latch_index(f"active.{n}")] < 0.5}
        contacts = set(system.contacts.names)
        for name in (on | off) - contacts:  # whether contacts act is for their forces to say
            latches[system.latch_index(f"active.{name}")] = float(name in on)
        for rows in system.rows:
            if rows.unilateral and rows.name in cut:
                latches[rows.flag] = CUT
        latches = system.measured(latches, x[: eom.nq], t, self.p, begin)
        self._check_gap(t, x[: eom.nq], latches, begin)
        x[self.latches] = latches
        slips = {name for name in names if name.endswith(".slip")}
        x, entry = self._landed(t, x, self._let_go(t, on, off | slips), names)
        self.log.append({"t": t, "events": self._told(names), "on": sorted(on), "off": sorted(off)} | entry)
        return x

    def _landed(
        self, t: float, x: Array, loose: frozenset[str], names: tuple[str, ...]
    ) -> tuple[Array, dict[str, Any]]:
        """State after the impacts of an instant, with what goes on to act; and what they did."""
        eom, system = self.eom, self.eom.constraint_system
        impulses, lost, factor, shocks = np.zeros(system.m), 0.0, 1.0, 0
        settled, again, before = False, len(self.pairs.names), x.copy()
        while True:
            try:
                struck = hit(eom, self.pairs, self._at(t, x, loose), settled=settled)
            except NoContactForcesError as error:
                raise self._ill_posed(t, error.pair, "impulses") from None
            moved = struck.v - x[eom.nq : eom.nq + eom.nv]
            x[eom.nq : eom.nq + eom.nv] = struck.v
            impulses, lost, factor = impulses + struck.impulses, lost + struck.energy_lost, min(factor, struck.factor)
            if settled:  # where that has moved what slips, the modes are those of other slips
                J = eom.constraint_jacobian(x[: eom.nq], t=t, p=self.p, latches=x[self.latches])
                if again == 0 or not moves_slips(self.pairs, x[self.latches], J @ moved):
                    break
                settled, again = False, again - 1
            rested = rest(eom, self.pairs, self._at(t, x, loose))
            x[eom.nq : eom.nq + eom.nv] = rested.v
            impulses, lost = impulses + rested.impulses, lost + rested.energy_lost
            try:
                x, settled = self._settled(t, x, loose), True
            except SlipsEndError as error:
                loose |= {f"{name}.end" for name in np.array(self.pairs.names)[error.pairs]}
            except NoContactForcesError as error:
                terms = self._terms(t, x)
                if terms.phidot[self.pairs.rows[error.pair]] < -STRIKES:  # it opens, and may do so
                    loose |= {f"{self.pairs.names[error.pair]}.open"}
                    continue
                shocks += 1
                impact = shock(self.pairs, self._at(t, x, loose), terms, error.pair)
                if impact is None or shocks > len(self.pairs.names):
                    raise self._ill_posed(t, error.pair, "forces") from None
                x[eom.nq : eom.nq + eom.nv] = impact.v
                impulses, lost = impulses + impact.impulses, lost + impact.energy_lost
        if self.pairs.rubs.any():
            q, v = x[: eom.nq], x[eom.nq : eom.nq + eom.nv]
            rate = eom.constraint_velocity(q, v, t=t, p=self.p, latches=x[self.latches])
            x[self.latches] = give_leeway(self.pairs, x[self.latches], rate, self.slowest)
        x[: eom.nq] = close_gaps(eom, self.pairs, self._at(t, x, loose))
        assert self.problem.constrained is not None
        x[self.problem.constrained.work_loss] -= lost
        self._share_losses(t, before, x, impulses)
        speed = float(np.abs(x[eom.nq : eom.nq + eom.nv]).max(initial=0.0))
        return x, self._entry(TransitionEntry(t, names, impulses, lost, factor, shocks, speed))

    def _share_losses(self, t: float, before: Array, x: Array, impulses: Array) -> None:
        """Book what an impact took to the contacts, by their velocities ``u`` before and after it and their impulses.

        Of each that is ``-(u- + u+) p / 2``. With what constraints have of it that begin to act this is all the energy
        lost, since ``M (v+ - v-)`` is the sum of all ``J^T p``; what drives constraints does work besides.
        """
        eom, constrained = self.eom, self.problem.constrained
        assert constrained is not None
        q, v, v_new = before[: eom.nq], *(y[eom.nq : eom.nq + eom.nv] for y in (before, x))
        J = eom.constraint_jacobian(q, t=t, p=self.p, latches=before[self.latches])
        driven = eom.constraint_velocity(q, np.zeros(eom.nv), t=t, p=self.p, latches=before[self.latches])
        x[constrained.work_input] += driven @ impulses
        of_contacts = constrained.losses >= 0
        taken = 0.5 * (J @ (v + v_new)) * impulses  # contacts do not move by themselves
        np.add.at(x, constrained.losses[of_contacts], taken[of_contacts])

    def _entry(self, transition: TransitionEntry) -> dict[str, Any]:
        """What a transition did, by names; tell of restitution that was lowered."""
        machine, impulses = self.eom.machine, transition.impulses.tolist()
        least = 1e-12 * max(1e-9 * transition.speed, max(impulses, default=0.0), -min(impulses, default=0.0))
        named = zip(self._row_names, impulses, strict=True)
        entry: dict[str, Any] = {
            "energy_lost": transition.energy_lost,
            "impulse": {n: i for n, i in named if i > least or i < -least},
        }
        if transition.shocks:
            entry["painleve"] = transition.shocks
        if transition.factor < 1.0:
            entry["restitution_factor"] = transition.factor
            warn(
                f"machine '{machine.name}': restitution would have added energy at t = {transition.t:.6g} s "
                f"({', '.join(transition.names)}); it was lowered to {transition.factor:.6g} of what it is"
            )
        return entry

    def returns(self, t: float, x: Array) -> float:
        """Time after which a contact that is open touches again, if it falls on as it does at x; infinite: never."""
        pairs, terms, latches = self.pairs, self._terms(t, x), x[self.latches]
        open_now = pairs.is_contact & pairs.touching(latches, terms.phi, frozenset()) & (latches[pairs.flags] < 0.5)
        rows = pairs.rows[open_now & (terms.phidot[pairs.rows] < 0.0)]
        if not len(rows):
            return math.inf
        fall = (terms.J @ self._equations.solve(t, x, self.held())[1] - terms.gamma)[rows]
        falls = fall > 0.0
        return float(np.min(-2.0 * terms.phidot[rows][falls] / fall[falls], initial=math.inf))

    # -- transitions in native code -----------------------------------------------------------------------------------

    def table(self) -> tuple[PairTable, SwitchTable | None] | None:
        """Tell what transitions are about in numbers; None where Python makes them: the user has one of his own.

        Switches are among them if one is at an event of a pair, or a pair measures itself when it begins to act.
        """
        system, names, problem = self.eom.constraint_system, self.pairs.names, self.problem
        if self.only_native and self.user is not None:
            raise InputError(
                f"on_event: {self._wants_native}, and what a Python function makes of such a state is not settled; use "
                "switches" + ", or friction_law='smooth'" * self.sticks
            )
        if not (names or self.sticks) or self.user is not None:
            return None
        events = [spec.name for spec in problem.event_specs]
        constraint_events = set(events[len(events) - problem.n_constraint_events :])
        needed = (
            (self.only_native and self.switches)
            or constraint_events & set(self.switches)
            or set(names) & set(system.measuring)
        )
        return self.pair_table(), self.switch_table(events) if needed else None

    def pair_table(self) -> PairTable:
        """Return the pairs in numbers."""
        return self._table(*self.pairs.coefficients(self.p))

    def member_table(self, p: Array) -> tuple[PairTable | None, Array]:
        """Tell of the pairs of many members with parameters (N, np), and their restitution and friction (N, 2 k)."""
        if not self.needed:
            return None, np.zeros((len(p), 0))
        e, mu = self.pairs.coefficients(p)
        ends = np.zeros(
            (len(p), len(self.eom.constraint_system.sticking))
        )  # of joints that stick: their limit is their own
        coefficients = np.hstack([e, ends, mu, ends + 1.0])
        return self._table(e[0], mu[0]), np.ascontiguousarray(coefficients)  # native code reads it by rows

    def _table(self, e: Array, mu: Array) -> PairTable:
        pairs, first, system = self.pairs, self.latches.start, self.eom.constraint_system
        joints = [r for r in system.rows if r.kind == "stick"]
        n = len(joints)
        none, never = np.full(n, -1), np.zeros(n, dtype=bool)
        of_joints = np.full((n, 7), -1)
        for k, r in enumerate(joints):
            for what, place in (("stick", 0), ("toward", 1), ("share", 4), ("leeway", 6)):
                of_joints[k, place] = first + system.latch_index(f"{what}.{r.name}")
        return PairTable(
            np.concatenate([pairs.rows, none]),
            np.concatenate([pairs.flags + first, none]),
            np.vstack([pairs.tangents, *([[r.start, -1]] for r in joints)]),
            np.vstack([np.where(pairs.rubs[:, None], pairs.friction + first, -1), of_joints]),
            np.concatenate([pairs.is_contact, never]),
            np.concatenate([pairs.rubs, ~never]),
            np.concatenate([pairs.poisson, never]),
            np.concatenate([e, np.zeros(n)]),
            np.concatenate([mu, np.ones(n)]),
            np.concatenate([np.where(pairs.varies, np.cumsum(pairs.rubs) - 1, -1), none]),
        )

    def switch_table(self, events: Sequence[str]) -> SwitchTable:
        """Return the switches, and what measures itself, in numbers; these are the events of the run."""
        return switch_table(self.eom, self.problem, self.latches.start, self.switches, events)

    def noted(self, entry: TransitionEntry) -> None:
        """Take a transition that native code has made into the log."""
        on, off, _ = self._wanted(entry.names)
        told = self._told(entry.names)
        self.log.append({"t": entry.t, "events": told, "on": sorted(on), "off": sorted(off)} | self._entry(entry))

    def _told(self, names: Sequence[str]) -> list[str]:
        """Events that a run tells of."""
        return [name for name in names if name not in self._hidden]

    def ill_posed(self, t: float, pair: int, forces: bool) -> SimulationError:
        """Return the error of a pair at which no impulses, or no forces, obey the law of friction."""
        return self._ill_posed(t, pair, "forces" if forces else "impulses")

    def _ill_posed(self, t: float, pair: int, what: str) -> SimulationError:
        if pair >= len(self.pairs.names):
            joint = self.eom.constraint_system.sticking[pair - len(self.pairs.names)]
            return SimulationError(
                f"no {what} obey the law of friction at joint '{joint}' of machine '{self.eom.machine.name}' at "
                f"t = {t:.9g} s"
            )
        name = self.pairs.names[pair]
        if not self.pairs.coefficients(self.p)[1][pair] > 0.0:
            return SimulationError(
                f"no {what} keep contact '{name}' of machine '{self.eom.machine.name}' from closing at t = {t:.9g} s: "
                "the constraints of the machine drive it there"
            )
        return SimulationError(
            f"no {what} obey the law of friction at contact '{name}' of machine '{self.eom.machine.name}' at "
            f"t = {t:.9g} s: Painleve's paradox; lower its friction"
        )

    def _check_gap(self, t: float, q: Array, latches: Array, begin: set[str]) -> None:
        system = self.eom.constraint_system
        phi = self.eom.constraints(q, t=t, p=self.p, latches=latches)
        for rows in system.rows:
            gap = np.max(np.abs(phi[rows.start : rows.stop]), initial=0.0)
            if rows.name in begin and not rows.unilateral and gap > _CLOSED:
                raise self.not_closed(t, rows.start, gap)

    def not_closed(self, t: float, row: int, gap: float | None = None) -> SimulationError:
        """Return the error of a constraint that cannot begin to act, of which one row has an open gap."""
        name = next(rows.name for rows in self.eom.constraint_system.rows if rows.start <= row < rows.stop)
        how = "not closed" if gap is None else f"{gap:.4g}, more than {_CLOSED:g}"
        return SimulationError(f"constraint '{name}' cannot begin to act at t = {t:.9g} s: its gap is {how}")

    def _let_go(self, t: float, on: set[str], off: set[str]) -> frozenset[str]:
        """What is let go at this instant: it is not taken up again unless its gap says so."""
        before = self._instant[1] if self._instant[0] == t else frozenset()
        self._instant = (t, (before | off) - on)
        return self._instant[1]

    # -- what acts one way only ---------------------------------------------------------------------------------------

    def _at(self, t: float, x: Array, loose: frozenset[str]) -> Instant:
        eom = self.eom
        return Instant(t, x[: eom.nq], x[eom.nq : eom.nq + eom.nv], x[self.latches], self.p, loose)

    def _settled(self, t: float, x: Array, loose: frozenset[str] = frozenset()) -> Array:
        """Return the state with those cables taut that pull, and those contacts closed that push."""
        if not self.pairs.names:
            return x
        x, terms, ways = x.copy(), self._terms(t, x), None
        pairs, rows = self.pairs, self.pairs.tangents
        for turn in range(TURNS + 1):
            try:
                x[self.latches] = latches = settle(pairs, x[self.latches], terms, loose, self.p, ways)
            except NoContactForcesError as error:
                if ways is None or error.jams:
                    raise
                break  # none were found with friction turned
            slip = slides(pairs, latches)
            if not slip.any() or turn == TURNS:
                break
            # friction of slow slips is turned to where they are going, see `loop.constraints`
            solved, a, multipliers = self._equations.solve(t, x, self.held())
            _, mu = pairs.coefficients(self.p)
            change = solved[2].T @ a - solved[5][:, 0]
            if fits(pairs, latches, terms.phidot, change, multipliers, loose, self.p):
                break
            turned = np.where(rows >= 0, -solved[8][rows, 0], 0.0) / np.where(slip, mu, 1.0)[:, None]
            toward = latches[pairs.friction[:, 1:3]]
            before = toward if ways is None else np.where(np.isfinite(ways[:, 1:]), ways[:, 1:], toward)
            if not np.abs(turned - before)[slip].max() > TURNED:
                break
            lead = np.full(len(pairs.names), np.nan)
            lead[pairs.rubs] = self._equations.leads
            known = np.column_stack([lead, turned])
            ways = np.where(slip[:, None], known, np.nan if ways is None else ways)
        return x

    @cached_property
    def _equations(self) -> PythonConstrained:
        return PythonConstrained(self.problem, self.p, Projection())

    def _terms(self, t: float, x: Array) -> Terms:
        """Terms of the constrained equations, at what the controller holds."""
        assert self.problem.constrained is not None
        tape = self.problem.constrained.tape.call([np.atleast_1d(a) for a in (t, x, self.held(), self.p)])
        _, f, Jt, phi, phidot, gamma, _, M = (np.array(a.full()) for a in tape)
        return Terms(M, f[:, 0], Jt.T, gamma[:, 0], phi[:, 0], phidot[:, 0])
