"""Time-stepping of a closed loop: its blocks, tapes of the half-factored mass matrix, rows, gaps and works."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from dalembert.collide import body_names, collider_system, machine_yields, refuse_overlaps
from dalembert.core.errors import InputError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.types import Array, Expression
from dalembert.engine.collide.native import STORED
from dalembert.engine.methods.contacts import TimeStepping
from dalembert.engine.problem.stepping import BlockLaw, PairRows, SteppingSystem
from dalembert.engine.stepping.native import MOST_ROWS
from dalembert.formulations.constraints.projection import consistent_state, consistent_states, kept_velocities
from dalembert.formulations.constraints.ropes import RopeSection
from dalembert.formulations.constraints.system import ConstraintRows
from dalembert.formulations.contact.system import ContactPair, ContactSystem
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.formulations.factorization import UnitFactors, half_solve, unit_factors
from dalembert.formulations.states import Parameters
from dalembert.loop.elastic_sheaves import ElasticSheaves
from dalembert.loop.rope_memory import RopeMemory
from dalembert.model.contacts import HalfSpace, SphericalSurface
from dalembert.model.elastic.contract import Elastic
from dalembert.model.geometry import Box, Capsule, Sphere

__all__ = [
    "SteppedStart",
    "check_gaps",
    "check_stepping",
    "contact_signals",
    "held_signals",
    "kept_latches",
    "loss_names",
    "same_tensions",
    "stepping_names",
    "stepping_part",
    "stiffness_matrix",
]

_DEEP = 1e-6
"""Penetration [m] that an initial state may have: the rounding of a typed position."""

_TOGETHER = 32
"""Blocks up to which the rows of all are one tape; of more, each is evaluated only where it is near."""

_FLEXIBLE = 0.55
"""Where in the step machines with beams are evaluated, by default."""

_AT_REST = 1e-6
"""Rate [rad/s or m/s] below which a joint with friction rests: it has to be broken away."""

_AXES = ("normal", "tangent1", "tangent2")


def check_stepping(eom: EquationsOfMotion, system: ContactSystem, elastic: ElasticSheaves) -> None:
    """Raise an error that names a setting that time-stepping does not support."""
    machine = eom.machine
    if not eom.formulation.machine_coordinates:
        raise InputError(
            f"contact='time-stepping' steps in the coordinates of the machine; leave out the other coordinates of "
            f"machine '{machine.name}' (by={eom.by!r})"
        )
    if not (system.pairs or machine.colliders or _rows_of(eom)[0] or _sticking(eom) or elastic.belts):
        raise InputError(
            "contact='time-stepping' is for machines with contacts, colliders, inextensible cables or ropes, elastic "
            f"ropes with friction, or joints that stick; machine '{machine.name}' has none: declare them, or leave "
            "it out"
        )
    for section in eom.constraint_system.sections if eom.constrained else ():
        if len(section.sheaves) >= MOST_ROWS:
            raise InputError(
                f"rope '{section.name}' of machine '{machine.name}' has {len(section.sheaves)} sheaves with friction; "
                f"contact='time-stepping' takes at most {MOST_ROWS - 1}"
            )
    for pair in system.pairs:
        if pair.poisson:
            raise InputError(
                f"contact '{pair.name}' of machine '{machine.name}' has Poisson's restitution; contact='time-stepping' "
                "supports only Newton's: law='newton'"
            )


def check_gaps(
    eom: EquationsOfMotion, x: Array, p: Parameters, *, limits: bool = False, stepping: SteppingSystem | None = None
) -> None:
    """Refuse to start in penetration, and beyond the limits of joints if these are stops.

    States (..., n) and parameters may be those of many members; the energy that compliant contacts store is written
    into them. ``stepping`` has the colliders, if there are any.
    """
    q = x[..., : eom.nq]
    if stepping is not None and stepping.colliders is not None:
        stored = refuse_overlaps(stepping.colliders, eom, q, p)
        if stepping.colliders.stored >= 0:
            x[..., stepping.colliders.stored] = stored if x.ndim > 1 else stored[0]
    system = eom.contact_system(limits=limits)
    if not system.pairs:
        return
    gaps = np.atleast_2d(eom.contact_gaps(q, p=p, limits=limits))
    member, worst = np.unravel_index(np.argmin(gaps), gaps.shape)
    if gaps[member, worst] < -_DEEP:
        pair, whose = system.pairs[int(worst)], f" of member {member}" if q.ndim > 1 else ""
        raise InputError(
            f"q0{whose}: contact '{pair.name}' of machine '{eom.machine.name}' ({pair.between}) starts "
            f"{-gaps[member, worst]:.6g} m deep in the surface; move it out"
        )


def stepping_names(eom: EquationsOfMotion, system: ContactSystem) -> tuple[str, ...]:
    """Names of the states that time-stepping adds; latches of constraints come after them."""
    forces = [f"force.{name}.{axis}" for name in system.names for axis in _AXES]
    cables, held = _rows_of(eom)
    tensions = [f"tension.{name}" for r in cables for name in _tension_names(eom, r)]
    frictions = [f"friction.{name}" for name in _sticking(eom)]
    multipliers = [f"{'tension' if r.kind == 'cable' else 'multiplier'}.{name}" for r in held for name in r.names]
    sheaves = eom.constraint_system.sheaves if eom.constrained else ()
    losses = [*loss_names(system), *(f"loss.{name}" for name in (*sheaves, *_sticking(eom)))]
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
    for name, span in _section(eom, r).tensions:
        names.setdefault(span, name)
    return tuple(names[span] for span in sorted(names))


def same_tensions(eom: EquationsOfMotion) -> list[tuple[str, str]]:
    """Tensions of spans behind a sheave without friction, and the names of those that they are the same as."""
    pairs = []
    for r in _rows_of(eom)[0]:
        if r.kind == "rope":
            section, own = _section(eom, r), _tension_names(eom, r)
            pairs += [(f"tension.{n}", f"tension.{own[span]}") for n, span in section.tensions if n not in own]
    return pairs


def _section(eom: EquationsOfMotion, r: ConstraintRows) -> RopeSection:
    return next(section for section in eom.constraint_system.sections if section.name == r.name)


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
    cables, held = _rows_of(eom)
    if not (cables or held):
        return []
    system, rows = eom.constraint_system, _held(eom)
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


@dataclass(frozen=True, eq=False)
class SteppedStart:
    """Puts the starts of runs by time-stepping on their constraints.

    Parameters
    ----------
    eom
        The equations.
    chosen
        Which latches are states.
    places
        Their indices in x.
    """

    eom: EquationsOfMotion
    chosen: list[int]
    places: list[int]

    def one(self, x: Array, t: float, p: Array, wanted: Mapping[str, float] | None) -> tuple[Array, dict[str, float]]:
        """Return a state on the constraints, with the requested velocities, and how far it was moved."""
        eom, x = self.eom, x.copy()
        q, v = x[: eom.nq], x[eom.nq : eom.nq + eom.nv]
        latches = self._latches(q[None], t, p[None])[0]
        state = consistent_state(eom, q, v, t=t, p=p, latches=latches)
        new = state.v
        if wanted:
            kept = kept_velocities(eom, state.q, v, wanted, t=t, p=p, latches=latches)
            if kept is None:
                raise InputError(
                    f"v0: the constraints of machine '{eom.machine.name}' do not allow the velocities "
                    f"{', '.join(wanted)} together; name fewer of them, the others follow from the constraints"
                )
            new = kept
        moved = float(np.max(np.abs(new - v)))
        x[: eom.nq], x[eom.nq : eom.nq + eom.nv] = state.q, new
        x[self.places] = latches[self.chosen]
        return x, {"position": state.position_correction, "velocity": moved}

    def many(self, x: Array, t: float, p: Array, wanted: Mapping[str, Array], threads: int) -> Array:
        """Return the states (N, n) of members with parameters (N, np) on the constraints."""
        eom, x = self.eom, x.copy()
        q, v = x[:, : eom.nq].copy(), x[:, eom.nq : eom.nq + eom.nv].copy()
        latches = self._latches(q, t, p, threads)
        x[:, : eom.nq], x[:, eom.nq : eom.nq + eom.nv] = consistent_states(
            eom, q, v, t=t, p=p, latches=latches, wanted=wanted
        )
        x[:, self.places] = latches[:, self.chosen]
        return x

    def _latches(self, q: Array, t: float, p: Array, threads: int = 1) -> Array:
        """All latches (N, n), with measurements; cables that are longer than their way, and contacts, are off."""
        eom, system = self.eom, self.eom.constraint_system
        nominal = np.array(np.broadcast_to(system.latch_nominal, (len(q), len(system.latch_names))))
        latches = eom.measured_latches(q, t=t, p=p, latches=nominal, threads=threads)
        phi = eom.constraints(q, t=t, p=p, latches=latches)
        for r in system.rows:
            if r.unilateral:
                latches[:, r.flag] = np.where(phi[:, r.start] < -1e-9, 0.0, latches[:, r.flag])
        return latches


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
    D_loss = _within(M, -ca.jacobian(applied[1], s.v))
    K_spans, D_spans = (_within(M, tangent) for tangent in elastic.tangents(h))
    K = K_in + _within(M, stiffness_matrix(eom, B)) + K_spans
    implicit = M + (h * theta) * (D_in + D_loss + D_spans) + (h * theta) ** 2 * K
    # Velocities in axes that turn with a body are carried along by the step: this change is no force.
    bias = ca.densify(ca.substitute(ca.SX(s.inverse_dynamics), s.a, ca.densify(eom.layout.coasting(s.v))))
    friction = elastic.force(h)
    force = applied[0] + applied[1] + friction - bias
    if theta != 0.5:
        force -= (2.0 * theta - 1.0) * h * (K @ s.v)
    factors = unit_factors(implicit)
    scale = [ca.sqrt(i) for i in factors.inverse]
    s0 = _scaled(half_solve(factors, ca.vertsplit(ca.densify(h * force))), scale)

    blocks, held = _blocks(eom, system, inputs), _held(eom)
    held_rows = [_scaled(half_solve(factors, _entries(held.J[i, :])), scale) for i in range(held.m)]
    groups = _groups([frozenset(j for j, e in enumerate(row) if e is not None) for row in held_rows])
    columns = [sorted(row) for row in factors.rows]
    L = ca.vertcat(*[factors.rows[i][j] for i in range(nv) for j in columns[i]]) if any(columns) else ca.SX(0, 1)
    outputs = [L, ca.vertcat(*scale), ca.vertcat(*[0.0 if e is None else e for e in s0])]
    outputs += [ca.vertcat(*(getattr(block, name) for block in blocks)) for name in ("gap", "restitution", "number")]
    outputs += [bias, ca.vertcat(ca.SX(0, 1), *(0.0 if e is None else e for row in held_rows for e in row))]
    pulling = blocks[k : k + len(_rows_of(eom)[0])]
    outputs += [held.velocity, held.time_rate, _bent(eom, pulling, (1.0 - theta) * h)]
    labels = ["L", "d", "s0", "g", "e", "mu", "b", "Q", "held_u0", "held_t", "bent"]
    pairs = None
    if len(blocks) > _TOGETHER:
        symbols = _FactorSymbols(columns)
        rows = [_rows(block, symbols.factors, symbols.scale, groups) for block in blocks]
        pairs = _pair_rows(rows, ca.vertcat(t, x, p, symbols.L, symbols.d))
        outputs.append(ca.vertcat(_paces(system), *(ca.fabs(block.u) for block in blocks[k:])))
        labels.append("pace")
    else:
        rows = [_rows(block, factors, scale, groups) for block in blocks]
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
    losing = [_losses(block, a < k) for a, block in enumerate(blocks)]
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
        features=np.append(_features(system.pairs), np.full(len(blocks) - k, math.inf)),
        n_held=held.m,
        first_bent=sum(sizes[:k]),
        n_bent=sum(int(block.J.shape[0]) for block in pulling),
        names=tuple(block.name for block in blocks),
        forces=tuple(map(int, forces[:-1])),
        loads=_loads(eom, [block.name if block.law is BlockLaw.STICTION else "" for block in blocks]),
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


class _Block(NamedTuple):
    """A block: its law, rows (n x nv), velocities ``J v + Phi_t``, gap, restitution, and the number of its law."""

    name: str
    law: BlockLaw
    J: Any
    u: Any
    gap: Any
    restitution: Any
    number: Any


def _bent(eom: EquationsOfMotion, pulling: list[_Block], past: Expression) -> Expression:
    """Velocities of cables and ropes in the middle of a step less those at its start, some time ago."""
    s = eom.symbolic
    u = ca.densify(ca.vertcat(ca.SX(0, 1), *(block.u for block in pulling)))
    back = -past * s.v
    here = ca.vertcat(s.q, s.v, s.t)
    there = ca.vertcat(eom.formulation.moved(back), eom.layout.transported(s.v, back), s.t - past)
    return ca.densify(u - ca.substitute(u, here, there))


def _losses(block: _Block, of_contact: bool) -> int:
    """How many losses of a block are recorded: of a contact or a joint one, of a rope one of each sheave."""
    return block.J.shape[0] - 1 if block.law is BlockLaw.ROPE else int(of_contact or block.law is BlockLaw.STICTION)


def _blocks(eom: EquationsOfMotion, system: ContactSystem, inputs: Expression) -> list[_Block]:
    """Contacts, cables and ropes that only pull, and joints that stick."""
    blocks = []
    # How fast a pair is that may pass the other one by its side, its normal alone does not say.
    for a, pair in enumerate(system.pairs):
        around = pair.contact is not None and not pair.contact.surface.convex_side
        n, law = (3, BlockLaw.COULOMB) if pair.rubs or around else (1, BlockLaw.UNILATERAL)
        rows = slice(3 * a, 3 * a + n)
        numbers = system.gaps[a], system.restitution[a], system.friction[a]
        blocks.append(_Block(pair.name, law, ca.SX(system.jacobian[rows, :]), system.velocity[rows], *numbers))
    constraints = eom.constraint_system
    for r in _rows_of(eom)[0]:
        section = _section(eom, r) if r.kind == "rope" else None
        if section is not None and section.sheaves:
            J, u = -ca.jacobian(section.rates, eom.symbolic.v), -section.rates
            blocks.append(_Block(r.name, BlockLaw.ROPE, ca.SX(J), u, -section.opening, 0.0, ca.exp(section.kappa)))
            continue
        J, u, phi = (-e[r.start : r.stop, :] for e in (constraints.jacobian, constraints.velocity, constraints.phi))
        blocks.append(_Block(r.name, BlockLaw.UNILATERAL, ca.SX(J), u, phi, 0.0, 0.0))
    for k, name in enumerate(_sticking(eom)):
        rate = constraints.joint_rates[k]
        levels = constraints.joint_limits[k], constraints.joint_frictions[k]
        limit = _limit(rate, *ca.substitute(list(levels), [eom.symbolic.u], [ca.densify(inputs)]))
        blocks.append(_Block(name, BlockLaw.STICTION, ca.jacobian(rate, eom.symbolic.v), rate, 0.0, 0.0, limit))
    return blocks


def _limit(rate: Any, holding: Any, kinetic: Any) -> Any:
    """Largest friction that holds in a step, and that in motion: the same one if the joint moves before the step."""
    if ca.is_equal(holding, kinetic, 10):
        return ca.vertcat(kinetic, kinetic)
    return ca.vertcat(ca.if_else(ca.fabs(rate) < _AT_REST, holding, kinetic), kinetic)


class _HeldRows(NamedTuple):
    """Rows that always hold: ``Phi``, ``J``, ``Phi' = J v + Phi_t`` and ``Phi_t``; zero while they are switched off."""

    phi: Any
    J: Any
    velocity: Any
    time_rate: Any

    @property
    def m(self) -> int:
        return int(self.phi.shape[0])


def _held(eom: EquationsOfMotion) -> _HeldRows:
    _, held = _rows_of(eom)
    if not held:
        return _HeldRows(ca.SX(0, 1), ca.SX(0, eom.nv), ca.SX(0, 1), ca.SX(0, 1))
    system = eom.constraint_system
    which = [i for r in held for i in range(r.start, r.stop)]
    acts = [
        ca.SX(1) if r.flag < 0 else ca.SX(system.latches[r.flag] > 0.5) for r in held for _ in range(r.start, r.stop)
    ]
    on = ca.vertcat(*acts)
    phi, velocity, time_rate = (
        ca.densify(e[which] * on) for e in (system.phi, system.velocity, ca.densify(system.time_rate))
    )
    return _HeldRows(phi, ca.diag(on) @ system.jacobian[which, :], velocity, time_rate)


def _rows_of(eom: EquationsOfMotion) -> tuple[list[ConstraintRows], list[ConstraintRows]]:
    """Rows of the cables and ropes that only pull, and those that always hold."""
    if not eom.constrained:
        return [], []
    rows = [r for r in eom.constraint_system.rows if r.kind in ("constraint", "cable", "rope")]
    return [r for r in rows if r.unilateral], [r for r in rows if not r.unilateral]


def _sticking(eom: EquationsOfMotion) -> tuple[str, ...]:
    """Joints with Coulomb friction that sticks, and constraints whose friction is proportional to their forces."""
    return (*eom.machine.sticking, *(c.name for c in eom.machine.rubbing))


def _loads(eom: EquationsOfMotion, names: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """First and number of those rows that always hold which are the load of each block; -1, 0: there are none."""
    held = [i for r in _rows_of(eom)[1] for i in range(r.start, r.stop)]
    loads = eom.constraint_system.loads if eom.machine.rubbing else ()
    known = {name: load for name, load in zip(_sticking(eom), loads, strict=False) if load[1]}
    return tuple((held.index(known[n][0]), known[n][1]) if n in known else (-1, 0) for n in names)


def _groups(supports: list[frozenset[int]]) -> list[frozenset[int]]:
    """Velocities that rows couple: unions of those that overlap."""
    groups: list[frozenset[int]] = []
    for support in supports:
        apart = [g for g in groups if not g & support]
        groups = [*apart, support.union(*(g for g in groups if g & support))]
    return groups


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


def _within(M: Expression, A: Expression) -> Expression:
    """Symmetric part of a matrix, where the mass matrix is not zero; the other entries stay explicit."""
    return ca.project((A + A.T) / 2, (M + M.T).sparsity())


def _positive_diagonal(A: Expression) -> Expression:
    """Diagonal of a matrix where it is positive: feedback of a joint on itself that damps or holds it."""
    entries = [ca.fmax(A[i, i], 0.0) if A.has_nz(i, i) else ca.SX(1, 1) for i in range(A.shape[0])]
    return ca.diagcat(*entries)


class _Rows(NamedTuple):
    """Rows ``J L^-T D^-1/2`` of a contact at its support, velocities ``J v``, and the support."""

    Y: Any
    u: Any
    support: tuple[int, ...]


def _rows(block: _Block, factors: UnitFactors, scale: list[Any], groups: list[frozenset[int]]) -> _Rows:
    size, nv = block.J.shape
    rows = [_scaled(half_solve(factors, _entries(block.J[i, :])), scale) for i in range(size)]
    entries = frozenset(j for j in range(nv) if any(row[j] is not None for row in rows))
    support = tuple(sorted(entries.union(*(g for g in groups if g & entries))))
    Y = [0.0 if row[j] is None else row[j] for row in rows for j in support]
    return _Rows(ca.vertcat(*Y) if Y else ca.SX(0, 1), ca.densify(ca.SX(block.u)), support)


class _FactorSymbols:
    """Symbols in the place of the factors of the mass matrix, for functions that are given them."""

    def __init__(self, columns: list[list[int]]) -> None:
        self.L, self.d = ca.SX.sym("L", sum(map(len, columns))), ca.SX.sym("d", len(columns))
        entries = iter(ca.vertsplit(self.L) if self.L.numel() else ())
        rows = [{j: next(entries) for j in row} for row in columns]
        self.scale = ca.vertsplit(self.d)
        self.factors = UnitFactors(rows, [e**2 for e in self.scale])


def _pair_rows(rows: list[_Rows], values: Expression) -> tuple[PairRows, ...]:
    """Functions of single contacts; those that differ only in their inputs are one."""
    places = {e.element_hash(): i for i, e in enumerate(ca.vertsplit(values))}
    known: dict[str, str] = {}
    functions = []
    for row in rows:
        outputs = [ca.densify(ca.SX(e)) for e in (row.Y, row.u)]
        used = sorted(ca.symvar(ca.vertcat(*outputs)), key=lambda e: places[e.element_hash()])
        inputs = ca.SX.sym("values", len(used))
        if used:
            outputs = ca.substitute(outputs, [ca.vertcat(*used)], [inputs])
        function = ca.Function("pair", [inputs], ca.cse(outputs), ["values"], ["Y", "u0"])
        key = known.setdefault(function.serialize(), f"pair{len(known)}")
        functions.append(PairRows(key, function, tuple(places[e.element_hash()] for e in used)))
    return tuple(functions)


def _paces(system: ContactSystem) -> Expression:
    """Bounds of the speeds with which the two sides of contacts move: of their frames, and of arms that turn."""
    f, v, value = system.formulation, system.variables.v, system.variables.value

    def pace(frame: str, arm: Expression) -> Expression | float:
        if system.machine.tree.frames[frame][0] < 0:
            return 0.0
        twist = ca.densify(ca.SX(f.jacobian(frame)) @ v)
        return ca.norm_2(twist[:3]) + ca.norm_2(twist[3:]) * arm

    def length(vector: Iterable[Scalar]) -> Expression:
        return ca.norm_2(ca.vertcat(*[ca.SX(value(x)) for x in vector]))

    paces = []
    for k, pair in enumerate(system.pairs):
        contact = pair.contact
        if contact is None:
            paces.append(ca.fabs(system.velocity[3 * k]))
            continue
        arm = length(contact.origin.translation)
        match contact.solid:
            case Sphere(radius=radius):
                arm += value(radius)
            case Capsule(radius=radius, length=straight):
                arm += value(radius) + value(straight) / 2
            case Box(size=size):
                arm += length(size) / 2
        if isinstance(contact.surface, SphericalSurface):
            other = length(contact.surface.centre) + value(contact.surface.radius)
        else:
            p_a, p_o = (ca.SX(f.frame_pose(frame)[1]) for frame in contact.frames)
            other = ca.norm_2(p_a - p_o) + arm
        paces.append(ca.SX(pace(contact.frame, arm) + pace(contact.on, other + ca.fabs(system.gaps[k]))))
    return ca.vertcat(*paces)


def _entries(row: Expression) -> list[Expression | None]:
    return [row[0, j] if row.has_nz(0, j) else None for j in range(row.shape[1])]


def _scaled(x: list[Any], scale: list[Any]) -> list[Any]:
    return [None if e is None else e * f for e, f in zip(x, scale, strict=True)]


def _features(pairs: tuple[ContactPair, ...]) -> Array:
    """Length below which nothing passes unseen: a half-space has no other side, but a ball has a finite size."""
    sizes = []
    for pair in pairs:
        contact = pair.contact
        size = math.inf
        if contact is not None:
            solid = contact.solid
            size = float(nominal(solid.radius)) if isinstance(solid, Sphere | Capsule) else 0.0
            if not isinstance(contact.surface, HalfSpace) and not contact.surface.inside:
                size += float(nominal(contact.surface.radius))
        sizes.append(size if size > 0.0 else math.inf)
    return np.array(sizes)
