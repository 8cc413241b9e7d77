"""Constraints that a user adds and removes during a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.validation import check_names
from dalembert.core.warn import warn
from dalembert.engine.problem.pairs import SwitchTable
from dalembert.engine.problem.problem import Problem
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["CUT", "Switch", "check_switched", "check_switches", "switch_table"]

CUT = -1.0
"""Switch of a cable that was taken away: unlike a slack one (0) it does not become taut again."""


@dataclass(frozen=True)
class Switch:
    """Constraints that are added and removed at an instant, or at an event.

    Parameters
    ----------
    at
        Time.
    event
        Name of an event of the run, instead of a time.
    on, off
        Names of the constraints.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Switch(at=1.5, off=["hook"]).off
    ('hook',)
    """

    at: float | None = None
    event: str | None = None
    on: tuple[str, ...] = ()
    off: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.at is None) == (self.event is None):
            raise InputError("a Switch happens either at a time or at an event: give one of 'at' and 'event'")
        if self.at is not None and not (isinstance(self.at, int | float) and np.isfinite(self.at)):
            raise InputError(f"the time of a Switch must be a finite number, got {self.at!r}")
        for side in ("on", "off"):
            names = getattr(self, side)
            object.__setattr__(self, side, tuple(check_names(names, f"'{side}' of a Switch")))
        if not self.on and not self.off:
            raise InputError("a Switch turns nothing on or off: give 'on' or 'off'")


def check_switched(eom: EquationsOfMotion, switches: Sequence[Switch], events: Sequence[str]) -> None:
    """Refuse names that do not exist."""
    known = [n.removeprefix("active.") for n in eom.constraint_system.latch_names if n.startswith("active.")]
    for switch in switches:
        if not isinstance(switch, Switch):
            raise InputError(f"switches must be Switch objects, got {switch!r}")
        for name in (*switch.on, *switch.off):
            if name not in known:
                where = f"machine '{eom.machine.name}'"
                raise UnknownNameError("switchable constraint or unilateral cable", name, known, where)
        if switch.event is not None and switch.event not in events:
            raise UnknownNameError("event", switch.event, events, "this run")


def check_switches(switches: Sequence[Switch], begin: float, duration: float, *, goes_on: bool = False) -> None:
    """Refuse a switch before the start, and warn of one after the end; a continued run has done the former already."""
    for switch in [switches] if isinstance(switches, Switch) else switches:
        at = getattr(switch, "at", None)
        if at is None:
            continue
        names = ", ".join((*switch.on, *switch.off))
        if at <= begin and not goes_on:
            raise InputError(
                f"the Switch of {names} at t = {at:g} s comes before the run, which starts at {begin:g} s: declare "
                "in the machine which constraints act at the start (active=False)"
            )
        if at > begin + duration:
            end = begin + duration
            warn(f"the Switch of {names} at t = {at:g} s comes after the end of the run at {end:g} s")


def switch_table(
    eom: EquationsOfMotion, problem: Problem, first: int, switches: Mapping[str, Switch], events: Sequence[str]
) -> SwitchTable:
    """Return switches and self-measuring rows as arrays: latches from ``first`` on in x, events as in the run."""
    system, s = eom.constraint_system, eom.symbolic
    contacts = set(system.contacts.names)
    one_way = {r.name for r in system.rows if r.unilateral}

    def place(name: str) -> int:
        return first + int(system.latch_index(f"active.{name}"))

    sets = []
    for switch in switches.values():
        off = [(place(n), CUT if n in one_way else 0.0) for n in switch.off if n not in switch.on]
        sets.append((*off, *((place(n), 1.0) for n in switch.on if n not in contacts)))
    names = list(switches)
    for rope, route in system.routes.items():  # a rope that meets an obstacle lies on it until it leaves
        for meeting in route.meetings:
            on = first + int(system.latch_index(f"on.{rope}.{meeting.name}"))
            names += [f"{rope}.{meeting.name}.{what}" for what in ("meet", "leave")]
            halves = int(system.latch_index(f"halves.{rope}.{meeting.name}"))
            first_turn = () if halves < 0 else ((first + halves, 0.0),)
            sets += [((on, 1.0), *first_turn), ((on, 0.0),)]
    latched = [(f"slips.{pulley}", pulley, "slip", "stick") for pulley in system.heavy_pulleys]
    for section, sheaves in system.elastic_sections.items():
        latched.append((f"taut.{section}", section, "taut", "slack"))
        latched += [(f"slips.{sheave}", sheave, "slip", "stick") for sheave in sheaves]
    for latch, name, begins, ends in latched:
        at = first + int(system.latch_index(latch))
        names += [f"{name}.{begins}", f"{name}.{ends}"]
        sets += [((at, 1.0),), ((at, 0.0),)]
    for k in system.contacts.windowed:
        name = system.contacts.names[k]
        names.append(f"{name}.leave")
        sets.append(((place(name), 0.0),))
    counts = []
    for route in system.routes.values():
        for angle in route.counted:
            place_of = int(system.latch_index(f"halves.{angle.name}"))
            if place_of >= 0:
                counts += [(f"{angle.name}.on", first + place_of, 1.0), (f"{angle.name}.back", first + place_of, -1.0)]
    counted = tuple((events.index(name), place_of, step) for name, place_of, step in counts)
    measured = system.latch_table.measures
    measures = [(place(name), tuple(range(first + at.start, first + at.stop))) for name, at, _ in measured]
    measure = None
    if measured:
        held, rest = len(problem.held_names), problem.n_states - eom.nq
        arguments = [s.t, ca.vertcat(s.q, ca.SX.sym("rest", rest)), ca.SX.sym("c", held), s.p]
        out = ca.cse(ca.densify(ca.vertcat(*(expression for _, _, expression in measured))))
        measure = ca.Function("measure", arguments, [out], ["t", "x", "c", "p"], ["out"])
    kinks = tuple(events.index(spec.name) for spec in problem.event_specs if spec.kinks and spec.switches)
    switching = tuple(events.index(name) for name in names)
    return SwitchTable(switching, tuple(sets), tuple(measures), measure, kinks, counted)
