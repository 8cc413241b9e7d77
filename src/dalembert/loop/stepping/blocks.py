"""Blocks of unilateral laws of a machine (contacts, cables and ropes, joints that stick), and rows that always hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import casadi as ca

from dalembert.core.types import Expression
from dalembert.engine.problem.stepping import BlockLaw
from dalembert.formulations.constraints.ropes import RopeSection
from dalembert.formulations.constraints.system import ConstraintRows, sticking_names
from dalembert.formulations.contact.system import ContactSystem
from dalembert.formulations.equations import EquationsOfMotion

__all__ = [
    "HeldRows",
    "StepBlock",
    "bent_rates",
    "load_rows",
    "recorded_losses",
    "rows_held",
    "rows_of",
    "section_of",
    "tug_rows",
    "unilateral_blocks",
]

_AT_REST = 1e-6
"""Rate [rad/s or m/s] below which a joint with friction rests: it has to be broken away."""


class StepBlock(NamedTuple):
    """A block: its law, rows (n x nv), velocities ``J v + Phi_t``, gap, restitution, and the number of its law.

    ``turn``: of contacts the rates of their velocities while all bodies keep theirs.
    """

    name: str
    law: BlockLaw
    J: Any
    u: Any
    gap: Any
    restitution: Any
    number: Any
    turn: Any = None


def unilateral_blocks(
    eom: EquationsOfMotion, system: ContactSystem, inputs: Expression, pulls: Mapping[str, Expression]
) -> list[StepBlock]:
    """Contacts, cables and ropes that only pull, and joints that stick.

    Parameters
    ----------
    eom, system
        The equations and their contacts.
    inputs
        Inputs of the motors.
    pulls
        Tensions of elastic ropes by the names of spans.
    """
    blocks = []
    coasting = eom.layout.coasting(eom.symbolic.v)
    # How fast a pair is that may pass the other one by its side, its normal alone does not say.
    for a, pair in enumerate(system.pairs):
        around = pair.contact is not None and not pair.contact.surface.convex_side
        n, law = (3, BlockLaw.COULOMB) if pair.rubs or around else (1, BlockLaw.UNILATERAL)
        rows = slice(3 * a, 3 * a + n)
        numbers = system.gaps[a], system.restitution[a], system.friction[a]
        J, u = ca.SX(system.jacobian[rows, :]), system.velocity[rows]
        blocks.append(StepBlock(pair.name, law, J, u, *numbers, system.bias[rows] + J @ coasting))
    constraints = eom.constraint_system
    for r in rows_of(eom)[0]:
        section = section_of(eom, r) if r.kind == "rope" else None
        if section is not None and section.sheaves:
            J, u = -ca.jacobian(section.rates, eom.symbolic.v), -section.rates
            blocks.append(StepBlock(r.name, BlockLaw.ROPE, ca.SX(J), u, -section.opening, 0.0, ca.exp(section.kappa)))
            continue
        J, u, phi = (-e[r.start : r.stop, :] for e in (constraints.jacobian, constraints.velocity, constraints.phi))
        blocks.append(StepBlock(r.name, BlockLaw.UNILATERAL, ca.SX(J), u, phi, 0.0, 0.0))
    kinetic, holding = constraints.joint_levels(inputs, pulls)
    for k, name in enumerate(sticking_names(eom.machine)):
        rate = constraints.joint_rates[k]
        limit = _limit(rate, holding[k], kinetic[k])
        blocks.append(StepBlock(name, BlockLaw.STICTION, ca.jacobian(rate, eom.symbolic.v), rate, 0.0, 0.0, limit))
    return blocks


def _limit(rate: Any, holding: Any, kinetic: Any) -> Any:
    """Largest friction that holds in a step, and that in motion: the same one if the joint moves before the step."""
    if ca.is_equal(holding, kinetic, 10):
        return ca.vertcat(kinetic, kinetic)
    return ca.vertcat(ca.if_else(ca.fabs(rate) < _AT_REST, holding, kinetic), kinetic)


def bent_rates(eom: EquationsOfMotion, pulling: list[StepBlock], past: Expression) -> Expression:
    """Velocities of cables and ropes in the middle of a step less those at its start, some time ago."""
    s = eom.symbolic
    u = ca.densify(ca.vertcat(ca.SX(0, 1), *(block.u for block in pulling)))
    back = -past * s.v
    here = ca.vertcat(s.q, s.v, s.t)
    there = ca.vertcat(eom.formulation.moved(back), eom.layout.transported(s.v, back), s.t - past)
    return ca.densify(u - ca.substitute(u, here, there))


def recorded_losses(block: StepBlock, of_contact: bool) -> int:
    """How many losses of a block are recorded: of a contact or a joint one, of a rope one of each sheave."""
    return block.J.shape[0] - 1 if block.law is BlockLaw.ROPE else int(of_contact or block.law is BlockLaw.STICTION)


def load_rows(eom: EquationsOfMotion, names: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """First and number of those rows that always hold which are the load of each block; -1, 0: there are none."""
    held = [i for r in rows_of(eom)[1] for i in range(r.start, r.stop)]
    loads = eom.constraint_system.loads if eom.machine.rubbing else ()
    known = {name: load for name, load in zip(sticking_names(eom.machine), loads, strict=False) if load[1]}
    return tuple((held.index(known[n][0]), known[n][1]) if n in known else (-1, 0) for n in names)


class HeldRows(NamedTuple):
    """Rows that always hold: ``Phi``, ``J``, ``Phi' = J v + Phi_t`` and ``Phi_t``; zero while they are switched off."""

    phi: Any
    J: Any
    velocity: Any
    time_rate: Any

    @property
    def m(self) -> int:
        """Number of rows."""
        return int(self.phi.shape[0])


def rows_held(eom: EquationsOfMotion) -> HeldRows:
    """Rows that always hold, of a machine's loops, welds, gears and prescribed motions."""
    _, held = rows_of(eom)
    if not held:
        return HeldRows(ca.SX(0, 1), ca.SX(0, eom.nv), ca.SX(0, 1), ca.SX(0, 1))
    system = eom.constraint_system
    which = [i for r in held for i in range(r.start, r.stop)]
    acts = [
        ca.SX(1) if r.flag < 0 else ca.SX(system.latches[r.flag] > 0.5) for r in held for _ in range(r.start, r.stop)
    ]
    on = ca.vertcat(*acts)
    phi, velocity, time_rate = (
        ca.densify(e[which] * on) for e in (system.phi, system.velocity, ca.densify(system.time_rate))
    )
    return HeldRows(phi, ca.diag(on) @ system.jacobian[which, :], velocity, time_rate)


def rows_of(eom: EquationsOfMotion) -> tuple[list[ConstraintRows], list[ConstraintRows]]:
    """Rows of the cables and ropes that only pull, and those that always hold."""
    if not eom.constrained:
        return [], []
    rows = [r for r in eom.constraint_system.rows if r.kind in ("constraint", "cable", "rope")]
    return [r for r in rows if r.unilateral], [r for r in rows if not r.unilateral]


def tug_rows(eom: EquationsOfMotion, blocks: Sequence[StepBlock]) -> tuple[tuple[int, ...], ...]:
    """Rows of blocks, those of spans, whose tensions are the load of each block."""
    if not eom.machine.sheave_bearings:
        return ((),) * len(blocks)
    system, first, rows = eom.constraint_system, 0, dict[str, int]()
    sections = {section.name: section for section in system.sections}
    for block in blocks:
        if block.name in sections:
            rows |= {name: first + span for name, span in sections[block.name].tensions}
        first += int(block.J.shape[0])
    loads = dict(zip(system.sticking[len(eom.machine.sticking) :], system.rubbing, strict=True))
    return tuple(tuple(rows[n] for n in loads[b.name].tensions if n in rows) if b.name in loads else () for b in blocks)


def section_of(eom: EquationsOfMotion, r: ConstraintRows) -> RopeSection:
    """Return the section of a rope whose rows these are."""
    return next(section for section in eom.constraint_system.sections if section.name == r.name)
