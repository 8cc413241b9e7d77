"""The constrained part of a closed loop: tapes of M, f, J, Phi, gamma, and the events of ropes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from dalembert.core.types import Expression
from dalembert.engine.problem.constrained import ConstrainedSystem
from dalembert.engine.problem.constrained_tape import seen_gaps
from dalembert.engine.problem.problem import EventSpec
from dalembert.formulations.constraints.ropes import RopeSection
from dalembert.formulations.constraints.system import ConstraintRows, ConstraintSystem
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.switches import Switch
from dalembert.loop.transition_log import LETS_GO, TAKES_HOLD
from dalembert.model.cables import Cable

__all__ = [
    "constrained_part",
    "rope_events",
    "rope_signals",
    "sheave_signals",
    "switch_events",
    "tension_specs",
]

_AHEAD = math.tan(math.pi / 6)  # friction stays within 60 degrees of the direction at the start of the slip
_TURN = 2.5  # angle from the centre of the turn in which it is found at which a run counts half a turn [rad]
_FORWARD = 5e-8  # slip [m/s] that a pair has at least, along the way in which it began to slip: with less it ends


def constrained_part(
    eom: EquationsOfMotion,
    arguments: list[Expression],
    rates: Expression,
    force: Expression,
    n_before: int,
    inputs: Expression,
    pulls: Mapping[str, Expression],
) -> ConstrainedSystem:
    """Tapes of the constrained equations of motion.

    Parameters
    ----------
    eom
        The equations.
    arguments
        Symbols t, x, c, p; x = (q, v, z, impulses of joints that stick, latches, losses, work).
    rates
        Rates of x, zero for the velocities.
    force
        Applied generalised forces (motors, losses, wrenches).
    n_before
        Number of states before ``latches``.
    inputs
        Inputs of the motors.
    pulls
        Tensions of elastic ropes by the names of spans.
    """
    s, system = eom.symbolic, eom.constraint_system
    n, m, nv = int(arguments[1].shape[0]), system.m, eom.nv
    M, f = ca.densify(ca.SX(s.mass_matrix)), ca.densify(force - s.bias)
    Jt = ca.densify(system.jacobian.T)
    phi, phidot, gamma, phi_t = (ca.densify(e) for e in (system.phi, system.velocity, system.rhs, system.time_rate))
    names = ["t", "x", "c", "p"]
    outputs = ca.cse([ca.densify(rates), f, Jt, phi, phidot, gamma, phi_t, M])
    labels = ["rates", "f", "Jt", "phi", "phidot", "gamma", "phi_t", "M"]
    tape = ca.Function("tape", arguments, outputs, names, labels)
    geometry = ca.Function("geometry", arguments, ca.cse([Jt, phi, phidot, M]), names, ["Jt", "phi", "phidot", "M"])
    d = ca.SX.sym("d", nv)
    moved = ca.densify(eom.formulation.moved(eom.layout.flow(d)))
    move = ca.Function("move", [arguments[1], d, arguments[3]], [moved], ["x", "d", "p"], ["q"])
    rubbing, shares = _friction_rows(system)
    contact = None
    if rubbing:
        contact = _contact_tape(eom, arguments, outputs, labels, rubbing, shares, inputs, pulls)

    def rate() -> ca.Function:
        a, multipliers = ca.SX.sym("a", nv), ca.SX.sym("lambda", m)
        residual = M @ a + Jt @ multipliers - f
        B = ca.jacobian(s.coordinate_rate, s.v)
        K, D = ca.densify(ca.jacobian(residual, s.q) @ B), ca.densify(ca.jacobian(residual, s.v))
        return ca.Function("rate", [*arguments, a, multipliers], ca.cse([K, D]), [*names, "a", "lambda"], ["K", "D"])

    free, flags = None, system.row_flags
    unilateral = tuple(r.start for r in system.rows if r.unilateral)
    if np.all(flags >= 0) and not system.sticking:  # friction of a joint that slips is on the tape of contacts
        moving = ca.SX(rates)
        moving[eom.nq : eom.nq + nv] = ca.substitute(eom.formulation.forward_dynamics(), s.tau, force)
        both = ca.cse([ca.densify(moving), ca.densify(seen_gaps(phi, unilateral))])
        free = ca.Function("free", arguments, both, names, ["rates", "phi"])
    balance = None
    if any(normal >= 0 for normal, *_ in rubbing):
        works = arguments[1][n - 2] + arguments[1][n - 1]
        energies = ca.cse([ca.SX(s.kinetic_energy + s.potential_energy - works), ca.SX(s.kinetic_energy)])
        balance = ca.Function("balance", arguments, list(map(ca.densify, energies)), names, ["left", "kinetic"])
    factors, sweeps = eom.formulation.mass_factors(), None
    if factors is not None:
        b = ca.SX.sym("b", nv)
        outputs = ca.cse([ca.densify(x) for x in (factors.lower(b), factors.upper(b), factors.inverse)])
        sweeps = ca.Function("sweeps", [*arguments, b], outputs, [*names, "b"], ["lower", "upper", "inverse"])
    recorded = [(name, row) for r in system.rows for name, row in _signals(system, r)]
    return ConstrainedSystem(
        nq=eom.nq,
        nv=nv,
        m=m,
        tape=tape,
        geometry=geometry,
        move=move,
        make_rate=rate,
        flags=flags + (flags >= 0) * n_before,
        row_names=system.row_names,
        signal_names=tuple(name for name, _ in recorded),
        signal_rows=tuple(row for _, row in recorded),
        unilateral=unilateral,
        work_input=n - 2,
        work_loss=n - 1,
        losses=_loss_rows(system, n_before + len(system.latch_names)),
        constant_mass=bool(M.is_constant()),
        rubbing=rubbing,
        loads=system.loads,
        tugs=system.tugs,
        ropes=tuple(len(section.sheaves) for section in system.sections if section.sheaves),
        impulses=n_before - len(system.sheaves) - len(system.sticking),
        shares=shares + (shares >= 0) * n_before,
        sweeps=sweeps,
        free=free,
        contact=contact,
        balance=balance,
    )


def _signals(system: ConstraintSystem, r: ConstraintRows) -> list[tuple[str, int]]:
    """Names of the recorded multipliers of some rows, each with its row."""
    if r.kind == "rope":
        section = next(section for section in system.sections if section.name == r.name)
        return [(f"tension.{name}", system.tension_rows[name]) for name, _ in section.tensions]
    if r.kind in ("internal", "sheave"):
        return []
    names = [f"{'tension' if r.kind == 'cable' else 'multiplier'}.{n}" for n in r.names]
    if r.kind == "contact":
        names = [f"force.{r.name}.normal"]
    if r.kind == "friction":
        names = [f"force.{r.name}.tangent{j}" for j in system.tangents[system.contacts.names.index(r.name)]]
    if r.kind == "stick":
        names = [f"friction.{r.name}"]
    return list(zip(names, range(r.start, r.stop), strict=False))


def _friction_rows(system: ConstraintSystem) -> tuple[tuple[tuple[int, int, int], ...], NDArray[np.int64]]:
    """Rows of sheaves, of contacts with friction, then of joints, and the latch with the given part of each multiplier.

    Joints that stick have no normal: -1 replaces it, as for other missing rows and latches.
    The latches of the rows of a rope hold tensions.
    """
    normals = {r.name: r.start for r in system.rows if r.kind in ("contact", "rope")}
    rope = {sheave: section.name for section in system.sections for sheave in section.sheave_names}
    shares = np.full(system.m, -1, dtype=np.int64)
    rubbing = []
    for r in system.rows:
        if r.kind == "friction":
            rubbing.append((normals[r.name], r.start, r.start + 1 if r.stop - r.start == 2 else -1))
            tangents = system.tangents[system.contacts.names.index(r.name)]
            for row, j in ((normals[r.name], 0), *zip(range(r.start, r.stop), tangents, strict=True)):
                shares[row] = system.latch_index(f"share.{r.name}[{j}]")
        if r.kind == "sheave":
            rubbing.append((normals[rope[r.name]], r.start, -1))
            shares[r.start] = system.latch_index(f"share.{r.name}")
            shares[normals[rope[r.name]]] = system.latch_index(f"share.{rope[r.name]}")
        if r.kind == "stick":
            rubbing.append((-1, r.start, -1))
            shares[r.start] = system.latch_index(f"share.{r.name}")
    return tuple(rubbing), shares


def _loss_rows(system: ConstraintSystem, first: int) -> NDArray[np.int64]:
    """Index in x of the loss of the contact, sheave or joint of each row, with those of all from ``first`` on."""
    rows = np.full(system.m, -1, dtype=np.int64)
    for r in system.rows:
        if r.kind in ("contact", "friction"):
            rows[r.start : r.stop] = first + system.contacts.names.index(r.name)
        if r.kind == "stick":
            rows[r.start] = first + system.contacts.k + len(system.sheaves) + system.sticking.index(r.name)
        if r.kind == "sheave":
            rows[r.start] = first + system.contacts.k + system.sheaves.index(r.name)
    return rows


def _contact_tape(
    eom: EquationsOfMotion,
    arguments: list[Any],
    outputs: list[Any],
    labels: list[str],
    rubbing: Sequence[tuple[int, int, int]],
    shares: NDArray[np.int64],
    inputs: Expression,
    pulls: Mapping[str, Expression],
) -> ca.Function:
    """Tape of equations with friction.

    Where a pair slips, friction is ``f_t = -mu f_n d``: ``M a + (J_n + sum drag_j J_j)^T f_n = f``, with the direction
    ``d`` of the slip. It is that of the velocity ``u``, but within 60 degrees of the direction in which the slip began
    (``toward``), and beyond a stop what it was before, so that nothing jumps until the event at which the slip ends, or
    ``toward`` is taken anew, is located. Multipliers are counted from the given ones (``share``), whose forces are part
    of ``f``.

    The slower a slip, the faster it turns: its angle has the rate ``u'_across / |u|``. A slip that begins, or all but
    stops, would take any number of steps, although its direction is that in which it is pulled, and known. The solver
    of these equations therefore turns the friction of slips below 1e-2 m/s to the direction that they are approaching
    (``turn_slow_slips`` of contact.c): ``d`` is the direction of ``u + T u'(d)``, the velocity a time T ahead, as in an
    implicit step. Where ``u`` follows the pull this is the friction, up to terms in ``T |u|``; where it does not yet,
    it is off by ``T u'``. T is 1e-4 s below slips of 1e-5 m/s, falls off with the fourth power beyond, and is at most
    half of the time in which a slip that slows down would stop: under a pull of 10 m/s^2 no rate is above 3e5 1/s, and
    the effect on a position is below 1e-10 m.

    Friction of a joint that slips is known, ``-F(v) d``, and a part of ``f``. For such a joint ``cone`` has the limit
    ``F_s`` at rest, the slip speed in the direction in which it began, and its friction. For a sheave it has ``kappa``,
    the same speed, and the relative excess of the tension before it over that behind it while it slips,
    ``e^(-kappa d) - 1``; then lengths of spans, and ``F(v)`` of joints, whether or not they slip.
    """
    system = eom.constraint_system
    pairs, latches = system.contacts, system.latches
    drag, cone, shared = ca.SX(system.m, 1), ca.SX(3 * len(rubbing), 1), ca.SX(system.m, 1)
    flags = system.row_flags
    frictions, limits = system.joint_levels(inputs, pulls)
    cone[: 3 * len(system.sheaves)] = ca.vertcat(ca.SX(0, 1), *(_sheave_cones(system, s) for s in system.sections))
    of_ropes = [s for s in system.sections if s.sheaves]
    given_tensions: dict[int, Any] = {}
    for section in of_ropes:
        given_tensions |= _share_tensions(system, section, shared)
    roped = {row for entry in rubbing[: len(system.sheaves)] for row in entry[:2]}
    for row, share in enumerate(shares):
        if share >= 0 and row not in roped:
            shared[row] = ca.if_else(latches[int(flags[row])] > 0.5, latches[int(share)], 0.0)
    for joint, name in enumerate(system.sticking):
        j = len(rubbing) - len(system.sticking) + joint
        side, leeway = (latches[system.latch_index(f"{what}.{name}")] for what in ("toward", "leeway"))
        friction, row = frictions[joint], rubbing[j][1]
        if system.of_state[joint]:  # else it is proportional to a load, and no part of f
            shared[row] += -friction * side
        for tug in system.tugs[joint]:
            shared[row] += -friction * side * given_tensions.get(tug, 0.0)
        turned = ca.if_else(side * side > 0.5, system.joint_rates[joint] * side + leeway, 1.0)
        cone[3 * j], cone[3 * j + 1], cone[3 * j + 2] = limits[joint], turned, -friction * side
    for j, (normal, *tangents) in enumerate(rubbing):
        if normal < 0 or j < len(system.sheaves):
            continue
        name = next(r.name for r in system.rows if r.kind == "contact" and r.start == normal)
        k = pairs.names.index(name)
        ways = system.tangents[k]
        u = [pairs.velocity[3 * k + way] for way in ways]
        toward = [latches[system.latch_index(f"toward.{name}[{way - 1}]")] for way in ways]
        slips = sum((d * d for d in toward), ca.SX(0))  # 1, or 0 where it does not slip
        along = sum((a * b for a, b in zip(u, toward, strict=True)), ca.SX(0))
        across = [a - along * b for a, b in zip(u, toward, strict=True)]
        aside = ca.sqrt(sum((x * x for x in across), ca.SX(0)))
        forward = ca.fmax(ca.fmax(ca.fabs(along), _AHEAD * aside), _FORWARD)
        d = [forward * b + a for a, b in zip(across, toward, strict=True)]
        size = ca.sqrt(sum((x * x for x in d), ca.SX(1e-60)))
        speed = ca.sqrt(sum((x * x for x in u), ca.SX(0)))
        mu = pairs.friction[k]
        for row, x in zip((r for r in tangents if r >= 0), d, strict=True):
            drag[row] = -mu * slips * x / size
            shared[row] += drag[row] * shared[normal]
        leeway = latches[system.latch_index(f"leeway.{name}")]
        turned = ca.if_else(slips > 0.5, along - 0.5 * speed + leeway, 1.0)
        cone[3 * j], cone[3 * j + 1], cone[3 * j + 2] = mu, turned, size
    f, Jt = outputs[labels.index("f")], outputs[labels.index("Jt")]
    terms = [f - Jt @ shared if label == "f" else x for label, x in zip(labels, outputs, strict=True)]
    cone = ca.vertcat(cone, *(section.lengths for section in of_ropes), frictions)
    dense = ca.cse([ca.densify(ca.SX(x)) for x in (*terms, drag, cone)])
    return ca.Function("contact", arguments, dense, ["t", "x", "c", "p"], [*labels, "drag", "cone"])


def _sheave_cones(system: ConstraintSystem, section: RopeSection) -> Expression:
    """The numbers of `_contact_tape` for each sheave of a rope."""
    cones: list[Any] = []
    for k, sheave in enumerate(section.sheave_names):
        side, leeway = (system.latches[system.latch_index(f"{what}.{sheave}")] for what in ("toward", "leeway"))
        kappa = section.kappa[k]
        turned = ca.if_else(side * side > 0.5, leeway - section.slips[k] * side, 1.0)
        cones += [kappa, turned, ca.exp(-kappa * side) - 1.0]
    return ca.vertcat(ca.SX(0, 1), *cones)


def _share_tensions(system: ConstraintSystem, section: RopeSection, shared: Expression) -> dict[int, Expression]:
    """Put multipliers of a rope into ``shared``: tensions as they were shared, in the ratios of sheaves that slip.

    Returns these tensions, by the rows at which their spans end.
    """
    rows = {r.name: r.start for r in system.rows if r.kind in ("rope", "sheave")}

    def latch(name: str) -> Expression:
        return system.latches[system.latch_index(name)]

    behind = ca.if_else(latch(f"active.{section.name}") > 0.5, latch(f"share.{section.name}"), 0.0)
    shared[rows[section.name]] = behind
    tensions = {rows[section.name]: behind}
    for k, sheave in reversed(list(enumerate(section.sheave_names))):
        side = latch(f"toward.{sheave}")
        kept = ca.if_else(latch(f"stick.{sheave}") > 0.5, latch(f"share.{sheave}"), 0.0)
        tension = ca.if_else(side * side > 0.5, behind * ca.exp(-section.kappa[k] * side), kept)
        shared[rows[sheave]] = tension - behind
        tensions[rows[sheave]] = behind = tension
    return tensions


def tension_specs(eom: EquationsOfMotion) -> tuple[EventSpec, ...]:
    """Events of unilateral rows, first all that let go, then all that take hold; then those of friction."""
    rows = eom.constraint_system.rows
    specs = [
        EventSpec(f"{r.name}.{ends[r.kind]}", direction=-1, positive=True)
        for ends in (LETS_GO, TAKES_HOLD)
        for r in rows
        if r.unilateral
    ]
    for what in ("slip", "stick", "jam"):
        for r in rows:
            if r.kind in ("friction", "sheave") or (r.kind == "stick" and what != "jam"):
                specs.append(EventSpec(f"{r.name}.{what}", direction=-1, positive=True))
    return tuple(specs)


def rope_events(
    eom: EquationsOfMotion, *, located: bool = True, but: frozenset[str] = frozenset()
) -> tuple[list[Expression], list[EventSpec]]:
    """Events of elastic cables and ropes (``but`` some): stretch or tension passes zero; of routes that cease to exist.

    A damped rope that shortens fast pulls no more although it is stretched. Obstacles and turns have events only where
    these are ``located``.
    """
    g: list[Any] = []
    specs: list[EventSpec] = []
    for c in eom.formulation.elastic_ropes():
        if not (c.rope.bilateral or c.rope.heavy or c.rope.name in but):
            value = eom.symbolic.value
            pull = ca.fmin(c.stretch, c.stretch + value(c.rope.damping) / value(c.rope.stiffness) * c.rate)
            g += [pull, pull]
            for what, direction in (("slack", -1), ("taut", 1)):
                specs.append(EventSpec(f"{c.name}.{what}", direction=direction, jumps=True))
    system = eom.constraint_system
    for name, route in system.routes.items():
        for meeting in route.meetings if located else ():
            g += [meeting.meets, meeting.leaves]
            events = (f"{name}.{meeting.name}.{what}" for what in ("meet", "leave"))
            specs += [EventSpec(event, direction=-1, switches=True) for event in events]
        for angle in route.counted if located else ():
            if system.latch_index(f"halves.{angle.name}") >= 0:
                beyond = angle.angle - angle.centre
                g += [ca.if_else(angle.on, _TURN - side * beyond, 1) for side in (1, -1)]
                events = (f"{angle.name}.{what}" for what in ("on", "back"))
                specs += [EventSpec(e, direction=-1, switches=True, hidden=True, positive=True) for e in events]
        for drum, layer in route.layers:
            g.append(layer)
            specs.append(EventSpec(f"{drum}.layer"))
        for condition in route.conditions:
            g.append(condition.value)
            specs.append(EventSpec(condition.name, terminal=True, direction=-1))
    return g, specs


def switch_events(eom: EquationsOfMotion, switches: Sequence[Switch]) -> tuple[list[Expression], list[EventSpec]]:
    """Events of switches at given times."""
    timed = [s for s in switches if s.at is not None]
    specs = [EventSpec(f"switch{k}", direction=1, switches=True) for k, _ in enumerate(timed)]
    return [eom.symbolic.t - float(s.at) for s in timed if s.at is not None], specs


def rope_signals(eom: EquationsOfMotion, rubbing: frozenset[str] = frozenset()) -> list[tuple[str, Expression]]:
    """Lengths of cables and ropes, swivel angles, angles of wrap, and tensions of elastic ones but ``rubbing``."""
    signals: list[tuple[str, Any]] = []
    system = eom.constraint_system
    for rope in eom.machine.all_ropes:
        route = system.routes[rope.name]
        signals.append((f"length.{rope.name}", route.length))
        signals += [(f"wrap.{rope.name}.{wrap.name}", wrap.arc.angle) for wrap in route.wraps]
        fleets = [(f"fleet.{rope.name}.{wrap.name}", wrap.fleet) for wrap in route.wraps if wrap.fleet is not None]
        signals += [(name, fleet) for name, fleet in fleets if not ca.SX(fleet).is_zero()]
        if route.errors:
            signals.append((f"tangent_error.{rope.name}", ca.norm_2(ca.vertcat(*route.errors))))
        if isinstance(rope, Cable) and rope.has_pulley and rope.swivel == "free":
            signals.append((f"swivel.{rope.name}", system.paths[rope.name].swivel))
        elastic = [] if rubbing and rope.name in rubbing else eom.formulation.elastic_ropes()
        if rope.heavy and rope.name not in rubbing:
            shape = rope.hanging(system.context)
            gravity = ca.vertcat(*[ca.SX(eom.symbolic.value(x)) for x in eom.machine.gravity])
            signals.append((f"tension_start.{rope.name}", shape.tensions[0]))
            if shape.entry is not None:
                signals.append((f"tension_winch.{rope.name}", shape.winch_tension))
            signals.append((f"own_frequency.{rope.name}", shape.frequency(gravity)))
        tensions = {k: c.tension for c in elastic if c.rope is rope for k in c.spans}
        signals += [(f"tension.{name}", tensions[k]) for k, name in enumerate(rope.tension_names) if k in tensions]
    return signals


def sheave_signals(eom: EquationsOfMotion) -> list[tuple[str, Expression]]:
    """Slips of ropes at their sheaves: the rate at which rope runs from the span before to that behind."""
    system = eom.constraint_system
    return [(f"slip.{name}", -system.sheave_rates[k]) for k, name in enumerate(system.sheaves)]
