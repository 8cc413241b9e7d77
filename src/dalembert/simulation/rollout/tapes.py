"""The functions that a time loop of many members calls: rates, projections onto constraints, terms of contacts."""

from __future__ import annotations

from typing import Any

import casadi as ca

from dalembert.core.errors import InputError
from dalembert.simulation.constrained.fallback import GAP
from dalembert.simulation.constrained.methods import CONSTRAINT_METHODS, ConstraintMethod
from dalembert.simulation.constrained.tape import dynamics_tape, projection_tape
from dalembert.simulation.problem import Problem
from dalembert.simulation.rollout.contacts import stepping_macros, stepping_tapes
from dalembert.simulation.rollout.events import watches

__all__ = ["check_way", "constraint_macros", "events_tape", "rollout_tapes", "solves_on_tape"]

_NAMES = ["t", "x", "c", "p"]


def check_way(problem: Problem, way: ConstraintMethod) -> None:
    """Refuse ways to keep constraints that bring their own integrator."""
    able = [name for name, kind in CONSTRAINT_METHODS.items() if not kind.integrator]
    if problem.constrained is not None and way.name not in able:
        raise InputError(f"rollouts keep constraints by {', '.join(able)}, got {way.name!r}; use simulate")


def solves_on_tape(way: ConstraintMethod) -> bool:
    """Whether a way to keep constraints is solved on the tape, as lanes need it."""
    return "tape" not in way.tapes


def rollout_tapes(
    problem: Problem, way: ConstraintMethod, *, alone: bool = False
) -> tuple[ca.Function, dict[str, ca.Function]]:
    """Return the rates of a problem, and what else its time loop calls, by macro.

    Of a constrained machine the rates are (t, x, c, p) -> (x', share) and the projection is (t, x, c, p) -> (projected
    coordinates and velocities, largest violation, share); see `TapeFactors` for the share. With contacts there are no
    rates, but the terms of a step (`SteppingSystem`); with members that go alone there is nothing.
    """
    system = problem.constrained
    if alone:
        given = [ca.SX.sym(name, problem.ode.size1_in(k)) for k, name in enumerate(_NAMES)]
        return ca.Function("alone", given, [given[0]], _NAMES, ["out"]), {}
    if problem.stepping is not None:
        return stepping_tapes(problem.stepping)
    if system is None:
        return problem.ode, {}
    symbols: list[Any] = [ca.SX.sym(name, problem.ode.size1_in(k)) for k, name in enumerate(_NAMES)]
    terms = _terms(way)
    dynamics = dynamics_tape(system.tape, system.flags, None if any(terms) else ())
    rates, *_, phi_t, _, a, multipliers, share = dynamics(*symbols, ca.DM(terms))
    xdot = ca.densify(ca.SX(rates))
    xdot[system.nq : system.nq + system.nv] = a
    xdot[system.work_input] = xdot[system.work_input] + ca.dot(multipliers, phi_t)
    ode = ca.Function("ode", symbols, ca.cse([xdot, ca.SX(share)]), _NAMES, ["out", "share"])
    further: dict[str, ca.Function] = {}
    if watches(problem):
        further["WATCH"] = events_tape(problem, symbols, way)
    if not way.projects:
        return ode, further
    tape = projection_tape(system.geometry, system.move, system.flags, system.nq, system.nv)
    *_, q, v, error, share = tape(*symbols)
    outputs = ca.cse([ca.vertcat(q, v), ca.SX(error), ca.SX(share)])
    further["PROJECT"] = ca.Function("project", symbols, outputs, _NAMES, ["out", "error", "share"])
    return ode, further


def _terms(way: ConstraintMethod) -> list[float]:
    """Factors of ``Phi'`` and ``Phi`` in Baumgarte's equations; zero of other methods."""
    return [2.0 * way.settings.get("alpha", 0.0), way.settings.get("beta", 0.0) ** 2]


def events_tape(problem: Problem, symbols: list[Any], way: ConstraintMethod) -> ca.Function:
    """Event functions and a share: (t, x, c, p) -> (g, share); as constrained_events of constrained.c."""
    system, x, terms = problem.constrained, symbols[1], _terms(way)
    assert system is not None
    tape = dynamics_tape(system.tape, system.flags, None if any(terms) else system.unilateral)
    found = tape(*symbols, ca.DM(terms))
    phi, multipliers, share = found[3], found[9], found[10]
    own = ca.SX(0, 1) if problem.events is None else problem.events(*symbols)
    switches = [x[int(system.flags[row])] for row in system.unilateral]
    tensions = [ca.if_else(s > 0.5, multipliers[row], 1) for s, row in zip(switches, system.unilateral, strict=True)]
    gaps = [
        ca.if_else(ca.logic_and(s > -0.5, s <= 0.5), GAP - phi[row], 1)
        for s, row in zip(switches, system.unilateral, strict=True)
    ]
    outputs = ca.cse([ca.densify(ca.vertcat(own, *tensions, *gaps)), ca.SX(share)])
    return ca.Function("events", symbols, outputs, _NAMES, ["g", "share"])


def constraint_macros(problem: Problem, way: ConstraintMethod, *, alone: bool = False) -> dict[str, object]:
    """Describe constraints and contacts of a problem to the generated time loops."""
    system = problem.constrained
    if alone:
        sizes: dict[str, object] = {"ALONE": 1, "WATCHES": 1, "N_WATCHED": len(problem.event_specs)}
        return sizes | {"CONSTRAINED": 0, "PROJECTS": 0, "STEPPING": 0}
    if system is None:
        nobody = {"ALONE": 0, "WATCHES": 0, "N_WATCHED": 0, "CONSTRAINED": 0, "PROJECTS": 0}
        return {**nobody, **stepping_macros(problem)}
    found: dict[str, object] = {"ALONE": 0, "STEPPING": 0, "CONSTRAINED": 1, "PROJECTS": int(way.projects)}
    found |= {"N_POSE": system.nq + system.nv, "WATCHES": int(watches(problem))}
    found |= {"N_WATCHED": len(problem.event_specs) if watches(problem) else 0}
    found |= {"DIRECTIONS": ", ".join(str(float(spec.direction)) for spec in problem.event_specs)}
    if way.projects:
        found |= {"N_COORDINATES": system.nq}
        found |= {name.upper(): repr(float(way.settings[name])) for name in ("tolerance", "drift")}
    return found
