"""Checks of the routes of ropes at the start of runs: where there is none, fleet angles, and friction of sheaves."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np

from dalembert.core.types import Array, Expression
from dalembert.formulations.constraints.system import ConstraintSystem

__all__ = ["fleet_angles", "rope_kappas", "route_fault"]


def route_fault(system: ConstraintSystem, q: Array, t: float, p: Array) -> tuple[int, str] | None:
    """First of many configurations (N, nq) in which a rope has no route, and the error there."""
    conditions = [condition for route in system.routes.values() for condition in route.conditions]
    if not conditions:
        return None
    for member, row in enumerate(_at_starts(system, [c.value for c in conditions], q, t, p).T):
        for condition, value in zip(conditions, row, strict=True):
            if not value > 0.0:
                return member, condition.message
    return None


def fleet_angles(system: ConstraintSystem, q: Array, t: float, p: Array) -> dict[str, Array]:
    """Fleet angles [rad] at the sheaves of ropes in many configurations (N, nq), by the names ``ROPE.SHEAVE``."""
    found = {f"{n}.{w.name}": w.fleet for n, r in system.routes.items() for w in r.wraps if w.fleet is not None}
    return _named({name: angle for name, angle in found.items() if not ca.SX(angle).is_zero()}, system, q, t, p)


def rope_kappas(system: ConstraintSystem, q: Array, t: float, p: Array) -> dict[str, Array]:
    """Largest ``|ln(T2/T1)|`` of sheaves and guides in many configurations (N, nq), by ``ROPE.SHEAVE``."""
    parts = [(name, part) for name, route in system.routes.items() for part in route.sections]
    return _named({f"{name}.{rub.name}": rub.kappa for name, part in parts for rub in part.wheels}, system, q, t, p)


def _named(found: Mapping[str, Expression], system: ConstraintSystem, q: Array, t: float, p: Array) -> dict[str, Array]:
    return dict(zip(found, _at_starts(system, list(found.values()), q, t, p), strict=True)) if found else {}


def _at_starts(system: ConstraintSystem, values: list[Expression], q: Array, t: float, p: Array) -> Array:
    """Values in many configurations, a row each, with ropes on their obstacles as at the start of a run."""
    x, at_start = system.variables, system.latch_table.at_start
    made = ca.Function("starts", [x.q, x.t, x.p], [ca.densify(ca.vertcat(*(at_start(value) for value in values)))])
    arguments = (q, np.full((len(q), 1), t), np.broadcast_to(p, (len(q), p.shape[-1])))
    return np.array(ca.DM(made(*(ca.DM(np.atleast_2d(a).T) for a in arguments))).full())
