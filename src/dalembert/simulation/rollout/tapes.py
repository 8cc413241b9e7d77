"""The functions that a time loop of many members calls: rates, and for constrained machines projections."""

from __future__ import annotations

from typing import Any

import casadi as ca

from dalembert.core.errors import InputError
from dalembert.simulation.constrained.methods import CONSTRAINT_METHODS, ConstraintMethod
from dalembert.simulation.constrained.tape import dynamics_tape, projection_tape
from dalembert.simulation.problem import Problem

__all__ = ["check_way", "constraint_macros", "rollout_tapes"]

_NAMES = ["t", "x", "c", "p"]


def check_way(problem: Problem, way: ConstraintMethod) -> None:
    """Refuse methods that do not solve on the tape."""
    able = [name for name, kind in CONSTRAINT_METHODS.items() if "tape" not in kind.tapes]
    if problem.constrained is not None and way.name not in able:
        raise InputError(f"rollouts keep constraints by {' or '.join(able)}, got {way.name!r}; use simulate")


def rollout_tapes(problem: Problem, way: ConstraintMethod) -> tuple[ca.Function, dict[str, ca.Function]]:
    """Return the rates of a problem, and what else its time loop calls, by macro.

    Of a constrained machine the rates are (t, x, c, p) -> (x', share) and the projection is (t, x, c, p) -> (projected
    coordinates and velocities, largest violation, share); see `TapeFactors` for the share.
    """
    system = problem.constrained
    if system is None:
        return problem.ode, {}
    symbols: list[Any] = [ca.SX.sym(name, problem.ode.size1_in(k)) for k, name in enumerate(_NAMES)]
    settings = way.settings
    terms = [2.0 * settings.get("alpha", 0.0), settings.get("beta", 0.0) ** 2]
    dynamics = dynamics_tape(system.tape, system.flags, None if any(terms) else ())
    rates, *_, phi_t, _, a, multipliers, share = dynamics(*symbols, ca.DM(terms))
    xdot = ca.densify(ca.SX(rates))
    xdot[system.nq : system.nq + system.nv] = a
    xdot[system.work_input] = xdot[system.work_input] + ca.dot(multipliers, phi_t)
    ode = ca.Function("ode", symbols, ca.cse([xdot, ca.SX(share)]), _NAMES, ["out", "share"])
    if not way.projects:
        return ode, {}
    tape = projection_tape(system.geometry, system.move, system.flags, system.nq, system.nv)
    *_, q, v, error, share = tape(*symbols)
    outputs = ca.cse([ca.vertcat(q, v), ca.SX(error), ca.SX(share)])
    return ode, {"PROJECT": ca.Function("project", symbols, outputs, _NAMES, ["out", "error", "share"])}


def constraint_macros(problem: Problem, way: ConstraintMethod) -> dict[str, object]:
    """Describe the constraints of a problem to the generated time loops."""
    system = problem.constrained
    if system is None:
        return {"CONSTRAINED": 0, "PROJECTS": 0}
    found: dict[str, object] = {"CONSTRAINED": 1, "PROJECTS": int(way.projects), "N_POSE": system.nq + system.nv}
    if way.projects:
        found |= {"N_COORDINATES": system.nq}
        found |= {name.upper(): repr(float(way.settings[name])) for name in ("tolerance", "drift")}
    return found
