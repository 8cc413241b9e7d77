"""Checks of the routes of ropes at the start of runs: where there is none, and what is doubtful."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import casadi as ca
import numpy as np

from dalembert.core.types import Array, Expression
from dalembert.formulations.constraints.system import ConstraintSystem
from dalembert.model.ropes import CLAMPS

__all__ = ["route_fault", "route_warnings"]

_FLEET = np.radians(4.0)  # fleet angle above which a rope wears


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


def route_warnings(system: ConstraintSystem, q: Array, t: float, p: Array) -> Iterator[str]:
    """Yield what is doubtful about ropes in one of many configurations (N, nq)."""
    machine, routes = system.machine.name, system.routes
    doubts = [doubt for route in routes.values() for doubt in route.doubts]
    rows = _at_starts(system, [doubt.value for doubt in doubts], q, t, p) if doubts else ()
    yield from (doubt.message for doubt, row in zip(doubts, rows, strict=True) if row.min() < 0.0)
    fleets = {f"{n}.{w.name}": w.fleet for n, r in routes.items() for w in r.wraps if w.fleet is not None}
    fleets = {name: angle for name, angle in fleets.items() if not ca.SX(angle).is_zero()}
    for name, angles in _named(fleets, system, q, t, p).items():
        if angles.max() > _FLEET:
            yield (
                f"the rope runs over sheave '{name}' of machine '{machine}' with a fleet angle of "
                f"{np.degrees(angles.max()):.1f} degrees at its start; above {np.degrees(_FLEET):.0f} degrees ropes "
                "wear and leave their grooves: let the sheave swivel, or turn its axis"
            )
    parts = [(name, part) for name, route in routes.items() for part in route.sections]
    rubs = {f"{name}.{rub.name}": rub.kappa for name, part in parts for rub in part.wheels}
    for name, kappas in _named(rubs, system, q, t, p).items():
        if kappas.max() >= CLAMPS:
            yield (
                f"friction at '{name}' of machine '{machine}' lets the tensions differ by more than a factor of "
                f"e^{CLAMPS:g}: runs take that factor, at which a rope is as good as clamped; give teeth to a sheave "
                "to which the rope is fixed"
            )


def _named(found: Mapping[str, Expression], system: ConstraintSystem, q: Array, t: float, p: Array) -> dict[str, Array]:
    return dict(zip(found, _at_starts(system, list(found.values()), q, t, p), strict=True)) if found else {}


def _at_starts(system: ConstraintSystem, values: list[Expression], q: Array, t: float, p: Array) -> Array:
    """Values in many configurations, a row each, with ropes on their obstacles as at the start of a run."""
    x, at_start = system.variables, system.latch_table.at_start
    made = ca.Function("starts", [x.q, x.t, x.p], [ca.densify(ca.vertcat(*(at_start(value) for value in values)))])
    arguments = (q, np.full((len(q), 1), t), np.broadcast_to(p, (len(q), p.shape[-1])))
    return np.array(ca.DM(made(*(ca.DM(np.atleast_2d(a).T) for a in arguments))).full())
