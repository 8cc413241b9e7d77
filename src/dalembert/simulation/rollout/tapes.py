"""The functions that a time loop of many members calls: rates, projections onto constraints, terms of contacts."""

from __future__ import annotations

from typing import Any

import casadi as ca

from dalembert.engine.methods.constraints import ConstraintMethod
from dalembert.engine.problem.constrained import GAP, ConstrainedSystem
from dalembert.engine.problem.constrained_tape import dynamics_tape, projection_tape
from dalembert.engine.problem.problem import Problem
from dalembert.engine.problem.stepping import SteppingSystem
from dalembert.simulation.rollout.contacts import collider_tapes, stepping_macros, stepping_tapes
from dalembert.simulation.rollout.events import watches

__all__ = [
    "constraint_macros",
    "events_tape",
    "lasting_rows",
    "outside_modes",
    "rollout_tapes",
    "solves_on_tape",
]

_NAMES = ["t", "x", "c", "p"]


def solves_on_tape(way: ConstraintMethod) -> bool:
    """Whether a constraint method is solved on the tape, as lanes need it."""
    return "tape" not in way.tapes


def rollout_tapes(
    problem: Problem,
    way: ConstraintMethod,
    *,
    alone: bool = False,
    watching: bool | None = None,
    implicit: bool = False,
) -> tuple[ca.Function, dict[str, ca.Function]]:
    """Return the rates of a problem, and the other functions of its time loop, by macro.

    For a constrained machine the rates are (t, x, c, p) -> (x', share) and the projection is (t, x, c, p) -> (projected
    coordinates and velocities, largest violation, share); see `TapeFactors` for the share. With contacts there are no
    rates, but the terms of a step (`SteppingSystem`); with members that go alone there is nothing. With ``watching``
    (None: where events change members) the event functions are among the others. With ``implicit`` steps the tape is
    that of their iteration (`Problem.midpoint`) in place of the rates.
    """
    system = problem.constrained
    if alone:
        arguments = [ca.SX.sym(name, problem.ode.size1_in(k)) for k, name in enumerate(_NAMES)]
        return ca.Function("alone", arguments, [arguments[0]], _NAMES, ["out"]), {}
    symbols: list[Any] = [ca.SX.sym(name, problem.ode.size1_in(k)) for k, name in enumerate(_NAMES)]
    if system is None:
        ode, further = (problem.ode, {}) if problem.stepping is None else _stepping(problem.stepping)
        if implicit and problem.midpoint is not None:
            ode = problem.midpoint()
        if watching and problem.events is not None:
            outputs = [ca.densify(problem.events(*symbols)), ca.SX(1)]
            further["WATCH"] = ca.Function("events", symbols, ca.cse(outputs), _NAMES, ["g", "share"])
        return ode, further
    terms, kept = _terms(way), lasting_rows(system)
    if kept:
        dynamics = dynamics_tape(_of_rows(system.tape, kept), system.flags[kept], None if any(terms) else ())
        rates, *_, phi_t, _, a, multipliers, share = dynamics(*symbols, ca.DM(terms))
        xdot = ca.densify(ca.SX(rates))
        xdot[system.nq : system.nq + system.nv] = a
        xdot[system.work_input] = xdot[system.work_input] + ca.dot(multipliers, phi_t)
    else:
        assert system.free is not None
        xdot, share = system.free(*symbols)[0], ca.SX(1)
    ode = ca.Function("ode", symbols, ca.cse([xdot, ca.SX(share)]), _NAMES, ["out", "share"])
    further = {}
    if (watches(problem) if watching is None else watching) and problem.event_specs:
        further["WATCH"] = events_tape(problem, symbols, way)
    if not way.projects or not kept:
        return ode, further
    geometry = _of_rows(system.geometry, kept)
    tape = projection_tape(geometry, system.move, system.flags[kept], system.nq, system.nv)
    *_, q, v, error, share = tape(*symbols)
    outputs = ca.cse([ca.vertcat(q, v), ca.SX(error), ca.SX(share)])
    further["PROJECT"] = ca.Function("project", symbols, outputs, _NAMES, ["out", "error", "share"])
    return ode, further


def _stepping(system: SteppingSystem) -> tuple[ca.Function, dict[str, ca.Function]]:
    return stepping_tapes(system) if system.colliders is None else collider_tapes(system)


def _terms(way: ConstraintMethod) -> list[float]:
    """Factors of ``Phi'`` and ``Phi`` in Baumgarte's equations; zero of other methods."""
    return [2.0 * way.settings.get("alpha", 0.0), way.settings.get("beta", 0.0) ** 2]


def lasting_rows(system: ConstrainedSystem) -> list[int]:
    """Rows that act on the tape of many members: all but those of contacts with friction, which act outside alone."""
    rubbing = {row for contact in system.rubbing for row in contact}
    return [row for row in range(system.m) if row not in rubbing]


def outside_modes(system: ConstrainedSystem) -> list[int]:
    """Indices in x of the latches that are 1 where contacts with friction act, so that members have to be outside."""
    return [int(system.flags[normal]) for normal, *_ in system.rubbing if normal >= 0]


def _of_rows(function: ca.Function, kept: list[int]) -> ca.Function:
    """A tape or a geometry of a system with these rows alone."""
    if len(kept) == function.size1_out("phi"):
        return function
    symbols = [ca.SX.sym(name, function.size1_in(k)) for k, name in enumerate(_NAMES)]
    outputs = {name: ca.SX(value) for name, value in zip(function.name_out(), function(*symbols), strict=True)}
    for name in ("phi", "phidot", "gamma", "phi_t"):
        if name in outputs:
            outputs[name] = outputs[name][kept]
    outputs["Jt"] = outputs["Jt"][:, kept]
    return ca.Function(function.name(), symbols, list(outputs.values()), _NAMES, list(outputs))


def events_tape(problem: Problem, symbols: list[Any], way: ConstraintMethod) -> ca.Function:
    """Event functions and a share: (t, x, c, p) -> (g, share); as constrained_events of constrained.c.

    Where a contact with friction acts the share is zero: that is not for the tape. Until then nothing sticks or slips.
    """
    system, x, terms = problem.constrained, symbols[1], _terms(way)
    assert system is not None
    kept, share, one = lasting_rows(system), ca.SX(1), ca.SX(1)
    events = ca.SX(0, 1) if problem.events is None else problem.events(*symbols)
    phi, lasting = ca.SX(system.tape(*symbols)[3]), [row for row in system.unilateral if row in kept]
    multipliers: dict[int, Any] = {}
    if lasting:
        watched = [kept.index(row) for row in lasting]
        tape = dynamics_tape(_of_rows(system.tape, kept), system.flags[kept], None if any(terms) else watched)
        solved = tape(*symbols, ca.DM(terms))
        multipliers = {row: solved[9][k] for row, k in zip(lasting, watched, strict=True)}
        share = ca.SX(solved[10])
    switches = {row: x[int(system.flags[row])] for row in system.unilateral}
    tensions = [ca.if_else(s > 0.5, multipliers[row], 1) if row in lasting else one for row, s in switches.items()]
    gaps = [ca.if_else(ca.logic_and(s > -0.5, s <= 0.5), GAP - phi[row], 1) for row, s in switches.items()]
    for mode in outside_modes(system):
        share = ca.if_else(x[mode] > 0.5, 0, share)
    friction = [one] * (3 * len(system.rubbing))
    outputs = ca.cse([ca.densify(ca.vertcat(events, *tensions, *gaps, *friction)), share])
    return ca.Function("events", symbols, outputs, _NAMES, ["g", "share"])


def constraint_macros(
    problem: Problem, way: ConstraintMethod, *, alone: bool = False, watching: bool | None = None
) -> dict[str, object]:
    """Describe constraints and contacts of a problem to the generated time loops; as in `rollout_tapes`."""
    system = problem.constrained
    if alone:
        sizes: dict[str, object] = {"ALONE": 1, "WATCHES": 1, "N_WATCHED": len(problem.event_specs)}
        return sizes | {"CONSTRAINED": 0, "PROJECTS": 0, "STEPPING": 0}
    directions = ", ".join(str(float(spec.direction)) for spec in problem.event_specs)
    if system is None:
        watched = len(problem.event_specs) if watching else 0
        nobody = {"ALONE": 0, "CONSTRAINED": 0, "PROJECTS": 0}
        events = {"WATCHES": int(bool(watching)), "N_WATCHED": watched, "DIRECTIONS": directions}
        return {**nobody, **events, **stepping_macros(problem)}
    macros: dict[str, object] = {"ALONE": 0, "STEPPING": 0, "CONSTRAINED": 1, "PROJECTS": int(way.projects)}
    if not lasting_rows(system):
        macros["PROJECTS"] = 0
    watching = watches(problem) if watching is None else watching
    macros |= {"N_POSE": system.nq + system.nv, "WATCHES": int(watching)}
    macros |= {"N_WATCHED": len(problem.event_specs) if watching else 0}
    macros |= {"DIRECTIONS": directions}
    if way.projects:
        macros |= {"N_COORDINATES": system.nq}
        macros |= {name.upper(): repr(float(way.settings[name])) for name in ("tolerance", "drift")}
    return macros
