"""Tapes of a step: half-factored mass matrix, rows, gaps and works."""

from __future__ import annotations

import math

import casadi as ca
import numpy as np

from dalembert.collide import collider_system
from dalembert.core.types import Expression
from dalembert.engine.methods.contacts import TimeStepping
from dalembert.engine.problem.stepping import BlockLaw, SteppingSystem
from dalembert.formulations.constraints.elastic_sheaves import ElasticSheaves
from dalembert.formulations.contact.system import ContactSystem
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.formulations.factorization import half_solve, unit_factors
from dalembert.loop.rope_memory import RopeMemory
from dalembert.loop.stepping.blocks import (
    bent_rates,
    load_rows,
    recorded_losses,
    rows_held,
    rows_of,
    tug_rows,
    unilateral_blocks,
)
from dalembert.loop.stepping.bounds import contact_paces, contact_sizes
from dalembert.loop.stepping.rows import (
    FactorSymbols,
    coupled_groups,
    half_rows,
    pair_rows,
    row_entries,
    scaled_entries,
)
from dalembert.model.elastic.contract import Elastic

__all__ = ["stepping_part", "stiffness_matrix"]

_TOGETHER = 32
"""Blocks up to which the rows of all are one tape; of more, each is evaluated only where it is near."""

_FLEXIBLE = 0.55
"""Where in the step machines with beams are evaluated, by default."""


def stepping_part(
    eom: EquationsOfMotion,
    system: ContactSystem,
    way: TimeStepping,
    arguments: list[Expression],
    zdot: Expression,
    applied: list[Expression],
    n_before: int,
    inputs: Expression,
    elastic: ElasticSheaves,
    memory: RopeMemory,
) -> SteppingSystem:
    """Tapes of a step.

    Parameters
    ----------
    eom, system, way
        The equations, their contacts and the settings.
    arguments
        Symbols t, x, c, p; x = (q, v, z, states of time-stepping, latches, work).
    zdot
        Rates of z.
    applied
        Generalised forces of inputs and of losses.
    n_before
        Number of states before those of time-stepping.
    inputs
        Inputs of the motors.
    elastic
        Friction of elastic ropes, whose states follow those of laws.
    memory
        Memory of ropes; its states follow.
    """
    s, nv, k = eom.symbolic, eom.nv, system.k
    t, x, _, p = arguments
    h, dv, d = ca.SX.sym("h"), ca.SX.sym("dv", nv), ca.SX.sym("d", nv)
    theta, names = _theta(eom, way), ["t", "x", "c", "p"]
    M = ca.SX(s.mass_matrix)
    B = ca.jacobian(s.coordinate_rate, s.v)
    D_in, K_in = (_positive_diagonal(-ca.jacobian(applied[0], y) @ b) for y, b in ((s.v, ca.SX.eye(nv)), (s.q, B)))
    # Elastic ropes couple bodies that the mass matrix does not: without these entries they would add inertia.
    D_loss = _symmetric(-ca.jacobian(applied[1], s.v))
    K_spans, D_spans = (_symmetric(tangent) for tangent in elastic.tangents(h))
    K = K_in + _symmetric(stiffness_matrix(eom, B)) + K_spans
    implicit = M + (h * theta) * (D_in + D_loss + D_spans) + (h * theta) ** 2 * K
    # Velocities in axes that turn with a body are carried along by the step: this change is no force.
    bias = ca.densify(ca.substitute(ca.SX(s.inverse_dynamics), s.a, ca.densify(eom.layout.coasting(s.v))))
    friction = elastic.force(h)
    force = applied[0] + applied[1] + friction - bias
    if theta != 0.5:
        force -= (2.0 * theta - 1.0) * h * (K @ s.v)
    factors = unit_factors(implicit)
    scale = [ca.sqrt(i) for i in factors.inverse]
    s0 = scaled_entries(half_solve(factors, ca.vertsplit(ca.densify(h * force))), scale)

    blocks, held = unilateral_blocks(eom, system, inputs, elastic.pulls(h)), rows_held(eom)
    held_rows = [scaled_entries(half_solve(factors, row_entries(held.J[i, :])), scale) for i in range(held.m)]
    groups = coupled_groups([frozenset(j for j, e in enumerate(row) if e is not None) for row in held_rows])
    columns = [sorted(row) for row in factors.rows]
    L = ca.vertcat(*[factors.rows[i][j] for i in range(nv) for j in columns[i]]) if any(columns) else ca.SX(0, 1)
    outputs = [L, ca.vertcat(*scale), ca.vertcat(*[0.0 if e is None else e for e in s0])]
    outputs += [ca.vertcat(*(getattr(block, name) for block in blocks)) for name in ("gap", "restitution", "number")]
    outputs += [bias, ca.vertcat(ca.SX(0, 1), *(0.0 if e is None else e for row in held_rows for e in row))]
    pulling = blocks[k : k + len(rows_of(eom)[0])]
    pairs, many = None, len(blocks) > _TOGETHER
    bent = [ca.SX.zeros(block.J.shape[0]) if many else (1.0 - theta) * h * block.turn for block in blocks[:k]]
    outputs += [held.velocity, held.time_rate, ca.vertcat(*bent, bent_rates(eom, pulling, (1.0 - theta) * h))]
    labels = ["L", "d", "s0", "g", "e", "mu", "b", "Q", "held_u0", "held_t", "bent"]
    if many:
        symbols = FactorSymbols(columns)
        rows = [half_rows(block, symbols.factors, symbols.scale, groups) for block in blocks]
        pairs = pair_rows(rows, ca.vertcat(t, x, p, symbols.L, symbols.d))
        outputs.append(ca.vertcat(contact_paces(system), *(ca.fabs(block.u) for block in blocks[k:])))
        labels.append("pace")
    else:
        rows = [half_rows(block, factors, scale, groups) for block in blocks]
        outputs += [ca.vertcat(*[row.Y for row in rows]), ca.vertcat(*[row.u for row in rows])]
        labels += ["Y", "u0"]
    dense = ca.cse([ca.densify(ca.SX(y)) for y in outputs])
    middle = s.v + dv / 2
    pull = applied[0] - theta * (D_in @ dv) - h * (theta**2 * (K_in @ dv) + (2.0 * theta - 1.0) * (K_in @ s.v))
    lost = applied[1] + friction - theta * ((D_loss + D_spans) @ dv) - h * theta**2 * (K_spans @ dv)
    if theta != 0.5:
        lost -= (2.0 * theta - 1.0) * h * (K_spans @ s.v)
    works = ca.vertcat(h * ca.dot(middle, pull), h * ca.dot(middle, lost))
    rates = ca.substitute(ca.densify(zdot), s.v, middle) if zdot.numel() else ca.SX(0, 1)
    rates = ca.vertcat(rates, elastic.rates(h, dv), memory.rates(h, dv))
    raised = ca.dot(ca.substitute(ca.densify(s.bias), s.v, ca.SX.zeros(nv)), d)
    moved = [ca.densify(eom.formulation.moved(d)), ca.densify(eom.layout.transported(s.v, d))]
    gaps = ca.vertcat(*(block.gap for block in blocks))
    sizes, n = [int(block.J.shape[0]) for block in blocks], int(x.shape[0])
    forces = n_before + np.cumsum([0, *(3 if a < k else size for a, size in enumerate(sizes))])
    losing = [recorded_losses(block, a < k) for a, block in enumerate(blocks)]
    losses = forces[-1] + np.cumsum([0, *losing])
    colliders = None
    if eom.machine.colliders:
        colliders = collider_system(eom, (*arguments, h), theta, columns, groups, int(losses[-1]) + 4 + held.m)
    return SteppingSystem(
        way=way,
        theta=theta,
        nq=eom.nq,
        nv=nv,
        nz=n_before - eom.nq - nv,
        terms=ca.Function("contact_step", [*arguments, h], dense, [*names, "h"], labels),
        bias=ca.Function("bias", arguments, [bias], names, ["b"]),
        gaps=ca.Function("gaps", arguments, [ca.densify(gaps)], names, ["g"]),
        move=ca.Function("move", [x, d, p], ca.cse(moved), ["x", "d", "p"], ["q", "v"]),
        finish=ca.Function(
            "finish", [*arguments, h, dv], ca.cse([rates, ca.densify(works)]), [*names, "h", "dv"], ["zdot", "work"]
        ),
        lift=ca.Function("lift", [t, x, d, p], [ca.densify(raised)], ["t", "x", "d", "p"], ["work"]),
        held=ca.Function("held", arguments, ca.cse([held.phi, held.velocity]), names, ["phi", "rate"]),
        pairs=pairs,
        n_parameters=int(p.shape[0]),
        factor=tuple(map(tuple, columns)),
        supports=tuple(row.support for row in rows),
        laws=tuple(block.law for block in blocks),
        sizes=np.array(sizes, dtype=np.int64),
        features=np.append(contact_sizes(system.pairs), np.full(len(blocks) - k, math.inf)),
        n_held=held.m,
        first_bent=sum(sizes[:k]),
        n_bent=sum(sizes[: k + len(pulling)]),
        names=tuple(block.name for block in blocks),
        forces=tuple(map(int, forces[:-1])),
        loads=load_rows(eom, [block.name if block.law is BlockLaw.STICTION else "" for block in blocks]),
        tugs=tug_rows(eom, blocks),
        losses=tuple(int(at) if loses else -1 for at, loses in zip(losses, losing, strict=False)),
        first_force=n_before,
        n_forces=int(forces[-1]) - n_before,
        residual=int(losses[-1]),
        sweeps=int(losses[-1]) + 1,
        undetermined=int(losses[-1]) + 2,
        lowered=int(losses[-1]) + 3,
        multipliers=int(losses[-1]) + 4,
        work_input=n - 2,
        work_loss=n - 1,
        colliders=colliders,
    )


def _theta(eom: EquationsOfMotion, way: TimeStepping) -> float:
    if way.theta is not None:
        return float(way.theta)
    return _FLEXIBLE if any(isinstance(body, Elastic) for body in eom.machine.bodies) else 0.5


def stiffness_matrix(eom: EquationsOfMotion, B: Expression) -> Expression:
    """Stiffness of joints and of beams: second derivatives of the potential energy without gravity."""
    s, machine = eom.symbolic, eom.machine
    free = derive(machine.with_(gravity=(0.0, 0.0, 0.0)), eom.by, backend=eom.backend).symbolic
    V = ca.substitute([ca.SX(free.potential_energy)], [free.q, free.p, free.t], [s.q, s.p, s.t])[0]
    return B.T @ ca.hessian(V, s.q)[0] @ B


def _symmetric(A: Expression) -> Expression:
    return (A + A.T) / 2


def _positive_diagonal(A: Expression) -> Expression:
    """Diagonal of a matrix where it is positive: feedback of a joint on itself that damps or holds it."""
    entries = [ca.fmax(A[i, i], 0.0) if A.has_nz(i, i) else ca.SX(1, 1) for i in range(A.shape[0])]
    return ca.diagcat(*entries)
