"""States and signals of a run by time-stepping, by name."""

from __future__ import annotations

from typing import Any

import casadi as ca

from dalembert.collide import body_names, machine_yields
from dalembert.engine.collide.native import STORED
from dalembert.formulations.constraints.system import ConstraintRows, sticking_names
from dalembert.formulations.contact.system import ContactSystem
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.stepping.blocks import rows_held, rows_of, section_of

__all__ = ["contact_signals", "held_signals", "kept_latches", "loss_names", "same_tensions", "stepping_names"]

_AXES = ("normal", "tangent1", "tangent2")


def stepping_names(eom: EquationsOfMotion, system: ContactSystem) -> tuple[str, ...]:
    """Names of the states that time-stepping adds; latches of constraints come after them."""
    forces = [f"force.{name}.{axis}" for name in system.names for axis in _AXES]
    cables, held = rows_of(eom)
    tensions = [f"tension.{name}" for r in cables for name in _tension_names(eom, r)]
    frictions = [f"friction.{name}" for name in sticking_names(eom.machine)]
    multipliers = [f"{'tension' if r.kind == 'cable' else 'multiplier'}.{name}" for r in held for name in r.names]
    sheaves = eom.constraint_system.sheaves if eom.constrained else ()
    losses = [*loss_names(system), *(f"loss.{name}" for name in (*sheaves, *sticking_names(eom.machine)))]
    account = ("contact.residual", "contact.sweeps", "contact.undetermined", "contact.lowered")
    found: tuple[str, ...] = ()
    if eom.machine.colliders:
        pushed = [f"force.{name}.{axis}" for name in body_names(eom.machine) for axis in "xyz"]
        found = ("contact.count", "contact.deepest", *pushed, *((STORED,) if machine_yields(eom.machine) else ()))
    return (*forces, *tensions, *frictions, *losses, *account, *multipliers, *found)


def _tension_names(eom: EquationsOfMotion, r: ConstraintRows) -> tuple[str, ...]:
    """Names of the tensions that are states; of spans of a rope that have the same one that of the first of them."""
    if r.kind == "cable":
        return r.names
    names: dict[int, str] = {}
    for name, span in section_of(eom, r).tensions:
        names.setdefault(span, name)
    return tuple(names[span] for span in sorted(names))


def same_tensions(eom: EquationsOfMotion) -> list[tuple[str, str]]:
    """Tensions of spans behind a sheave without friction, and the names of those that they are the same as."""
    pairs = []
    for r in rows_of(eom)[0]:
        if r.kind == "rope":
            section, own = section_of(eom, r), _tension_names(eom, r)
            pairs += [(f"tension.{n}", f"tension.{own[span]}") for n, span in section.tensions if n not in own]
    return pairs


def loss_names(system: ContactSystem) -> tuple[str, ...]:
    """Names of the energies that contacts have taken."""
    return tuple(f"loss.{name}" for name in system.names)


def contact_signals(system: ContactSystem) -> list[tuple[str, Any]]:
    """Gaps, and the speeds with which contacts slip."""
    u = ca.densify(system.velocity)
    signals = []
    for k, name in enumerate(system.names):
        signals.append((f"gap.{name}", system.gaps[k]))
        if system.pairs[k].rubs:
            signals.append((f"slip.{name}", ca.norm_2(u[3 * k + 1 : 3 * k + 3])))
    return signals


def held_signals(eom: EquationsOfMotion) -> list[tuple[str, Any]]:
    """Largest violations of what constraints, cables and ropes demand of positions and velocities."""
    cables, held = rows_of(eom)
    if not (cables or held):
        return []
    system, rows = eom.constraint_system, rows_held(eom)
    long = [ca.SX(ca.fmax(system.phi[i], 0.0)) for r in cables for i in range(r.start, r.stop)]

    def largest(values: list[Any]) -> Any:
        return ca.mmax(ca.vertcat(0.0, *values))

    return [
        ("constraint.position", largest([*(ca.fabs(e) for e in ca.vertsplit(rows.phi)), *long])),
        ("constraint.velocity", largest([ca.fabs(e) for e in ca.vertsplit(rows.velocity)])),
    ]


def kept_latches(eom: EquationsOfMotion) -> list[int]:
    """Which latches of the constraints a run by time-stepping has: switches, and measurements of constraints."""
    if not eom.constrained:
        return []
    switched = {f"active.{c.name}" for c in eom.machine.constraints}
    names = eom.constraint_system.latch_names
    return [i for i, n in enumerate(names) if n in switched or n.startswith(("offset.", "length0."))]
