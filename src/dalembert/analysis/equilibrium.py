"""Rest of a machine: the inputs, and the reactions of its constraints, with which it does not move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis.contact_forces import check_contacts, contact_forces, touching_latches
from dalembert.collide import with_declared_contacts
from dalembert.core.constraint_algebra import allowed_motions, minimum_norm
from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.states import named_vector
from dalembert.core.types import Array, Expression, StateLike
from dalembert.formulations.constraints.assembly import Branch, assembled_start
from dalembert.formulations.constraints.projection import consistent_state
from dalembert.formulations.constraints.reduction import locked_rows
from dalembert.formulations.equations import EquationsOfMotion, Parameters, derive

__all__ = ["Equilibrium", "check_rest", "contact_equations", "equilibrium", "with_contacts"]

_ELSEWHERE = 1e-4  # part of the largest force that counts at every velocity: rounding passes from one to another
_SLACK = 1e-9  # gap from which on a cable counts as slack


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A configuration in which the machine stays at rest, and the inputs that keep it there.

    Parameters
    ----------
    q, u
        Coordinates and inputs.
    residual
        Generalised forces that neither inputs nor constraints balance, per velocity.
    scale
        Largest generalised force at work, or that a unit displacement would raise: the scale of the residual.
    multipliers
        Multipliers of the constraints, zero where a constraint does not act; tensions of cables.
    latches
        Latches of the constraints (activity, and measurements), as in ``eom.constraint_system``.
    J
        Rows that hold the machine: those of the constraints that act, and of locked joints.
    sizes
        As ``scale``, velocity by velocity: a large force elsewhere does not hide a small one.
    """

    q: Array
    u: Array
    residual: Array
    scale: float
    multipliers: Array = field(default_factory=lambda: np.zeros(0))
    latches: Array = field(default_factory=lambda: np.zeros(0))
    J: Array = field(default_factory=lambda: np.zeros((0, 0)))
    sizes: Array = field(default_factory=lambda: np.zeros(0))

    def unbalanced(self, tolerance: float) -> int | None:
        """Velocity whose force is left unbalanced by more than the tolerance, the worst one; None if there is none."""
        limit = tolerance * np.maximum(self.sizes, max(_ELSEWHERE * self.scale, 1e-12))
        ratio = np.abs(self.residual) / limit if tolerance > 0.0 else np.where(self.residual != 0.0, np.inf, 0.0)
        return int(ratio.argmax()) if ratio.size and not ratio.max() <= 1.0 else None


def equilibrium(
    eom: EquationsOfMotion,
    at: StateLike = None,
    *,
    u: ArrayLike | None = None,
    active: Mapping[str, bool] | None = None,
    locked: Sequence[str] = (),
    branch: Branch = None,
    t: float = 0.0,
    p: Parameters = None,
) -> Equilibrium:
    """Inputs that balance gravity, springs and wrenches at rest; least squares where motors are missing.

    A machine with constraints is first assembled, as a run is at its start, and the reactions share the load. A cable
    that is longer than its way is slack. Contacts that are closed push and stick as their law allows; colliders that
    touch are contacts ``ONE.OTHER``, after their bodies.

    Parameters
    ----------
    eom
        The equations.
    at
        Configuration: numbers, or a mapping of names (the others are neutral, or follow from the constraints); of
        natural coordinates that of the machine.
    u
        Inputs to take instead of those that balance best; where constraints leave a choice (more motors than motions),
        the least ones.
    active
        Switchable constraints and cables, by name, that are to act or not; closed contacts that are left out (False).
    locked
        Joints that do not move.
    branch
        Which assembly of a closed mechanism, as in `dalembert.Start`.
    t, p
        Time (of wrenches and moving constraints) and parameter values.
    """
    values = eom.parameter_values(p)
    eom = contact_equations(eom, at, active=active, branch=branch, t=t, p=values)
    s = eom.symbolic
    q, latches = _configuration(eom, at, active, branch, t, values)
    latches = touching_latches(eom, q, np.zeros(eom.nv), latches, active=active, p=values)
    load = s.bias - s.losses - s.wrenches
    outputs = [load, ca.jacobian(s.actuation, s.u), s.actuation, s.gravity, s.bias - s.gravity, s.mass_matrix]
    f = ca.Function("load", [s.q, s.v, s.u, s.t, s.p], outputs)
    zero = np.zeros(eom.nv)
    demand, B, _, weight, springs, M = (np.array(ca.DM(x).full()) for x in f(q, zero, np.zeros(eom.nu), t, values))
    locks, gamma = locked_rows(eom, locked), np.zeros(0)
    J, on = locks, np.zeros(0, dtype=bool)
    if eom.has_rows:
        on = eom.constraint_system.activity(latches) != 0.0
    if on.any():
        J = np.vstack([eom.constraint_jacobian(q, t=t, p=values, latches=latches)[on], locks])
        gamma = eom.constraint_rhs(q, zero, t=t, p=values, latches=latches)[on]
    held = len(J) > 0
    N = allowed_motions(M, J) if held else np.eye(eom.nv)
    if u is None:
        inputs = np.linalg.lstsq(N.T @ B, N.T @ demand[:, 0], rcond=1e-10)[0] if eom.nu else np.zeros(0)
    else:
        try:
            inputs = as_numbers(u)
        except (TypeError, ValueError):
            inputs = np.full(1 + eom.nu, np.nan)
        if inputs.shape != (eom.nu,) or not np.isfinite(inputs).all():
            raise InputError(f"u must be {eom.nu} finite numbers ({', '.join(eom.u_names)}), got {u!r}")
    supply = np.array(ca.DM(f(q, zero, inputs, t, values)[2]).full())[:, 0]  # after saturation
    residual, multipliers = demand[:, 0] - supply, np.zeros(len(on))
    if held:
        a, forces = minimum_norm(M, -residual, J, np.concatenate([gamma, np.zeros(len(J) - len(gamma))]))
        residual, multipliers[on] = -M @ a, forces[: len(gamma)]
    contacts = contact_forces(eom, q, zero, inputs, latches, locks, t=t, p=values)
    if contacts is not None:
        latches, J, multipliers = contacts.latches, contacts.J, contacts.multipliers
        residual, forces = contacts.residual, multipliers[eom.constraint_system.activity(latches) != 0.0]
        forces = np.concatenate([forces, np.zeros(len(locks))])
        held = len(J) > 0
    parts = [np.abs(np.reshape(x, -1)) for x in (demand, supply, weight, springs)]
    sizes = np.max([_stiffness_sizes(eom, load, q, t, values), *parts], axis=0)
    scale = float(sizes.max(initial=0.0))
    if held:
        sizes = np.maximum(sizes, np.abs(J).T @ np.abs(forces))
    return Equilibrium(q, inputs, residual, scale, multipliers, latches, J, sizes)


def contact_equations(
    eom: EquationsOfMotion,
    at: StateLike,
    *,
    active: Mapping[str, bool] | None = None,
    branch: Branch = None,
    t: float = 0.0,
    p: Array,
) -> EquationsOfMotion:
    """Equations in which the colliders that touch in a configuration are contacts; without colliders the same ones."""
    if not eom.machine.colliders:
        return eom
    known = {k: on for k, on in (active or {}).items() if f"active.{k}" in eom.constraint_system.latch_names}
    q, _ = _configuration(eom, at, known or None, branch, t, p)
    return derive(with_declared_contacts(eom, q, p), eom.by, backend=eom.backend)


def with_contacts(
    eom: EquationsOfMotion,
    point: Equilibrium,
    v: Array,
    locks: Array,
    *,
    active: Mapping[str, bool] | None = None,
    t: float,
    p: Array,
) -> Equilibrium:
    """Return a point with its closed contacts as they are at velocities ``v``: they stick, or they slide.

    Raises an error that names a contact at which the equations have no derivative. ``locks`` are the rows of locked
    joints, ``active`` is as in `equilibrium`.
    """
    latches = touching_latches(eom, point.q, v, point.latches, active=active, p=p)
    found = contact_forces(eom, point.q, v, point.u, latches, locks, t=t, p=p)
    if found is None:
        return point
    check_contacts(eom, found, v)
    return replace(point, residual=found.residual, multipliers=found.multipliers, latches=found.latches, J=found.J)


def _configuration(
    eom: EquationsOfMotion, at: StateLike, active: Mapping[str, bool] | None, branch: Branch, t: float, p: Array
) -> tuple[Array, Array]:
    """Configuration on the constraints, and their latches there."""
    if not eom.constrained:
        if active and not eom.constraint_system.contacts.k:
            raise InputError(f"machine '{eom.machine.name}' has no constraints, so 'active' has no effect")
        eom.constraint_system.latch_table.vector(active)  # knows the names
        latches = eom.constraint_system.latch_nominal  # of contacts and joints that stick, none of which act
        return named_vector(at, eom.q_names, eom.q_neutral, "at"), latches.copy()
    system = eom.constraint_system
    initial = system.latch_table.vector(active)
    if eom.formulation.machine_coordinates or not eom.formulation.minimal:
        posture, _ = assembled_start(eom, at, t=t, p=p, latches=initial, branch=branch, what="at")
        q, _ = eom.from_machine(posture, np.zeros(eom.machine.nv), p=p)
    else:
        q = named_vector(at, eom.q_names, eom.q_neutral, "at")
    latches = system.latch_table.measured(initial, q, t, p)
    phi = eom.constraints(q, t=t, p=p, latches=latches)
    for rows in system.rows:
        if rows.unilateral and phi[rows.start] < -_SLACK and rows.name not in (active or {}):
            latches[rows.flag] = 0.0
    return consistent_state(eom, q, np.zeros(eom.nv), t=t, p=p, latches=latches, what="the configuration").q, latches


def _stiffness_sizes(eom: EquationsOfMotion, load: Expression, q: Array, t: float, p: Array) -> Array:
    """Sizes of the rows of ``d load/d q`` from a few directions: random signs s give |K s|^2 the mean |K|^2."""
    s = eom.symbolic
    seed = ca.SX.sym("seed", eom.nq)
    f = ca.Function("K", [s.q, s.v, s.u, s.t, s.p, seed], [ca.densify(ca.jtimes(load, s.q, seed))])
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(3, eom.nq))
    columns = [np.array(f(q, np.zeros(eom.nv), np.zeros(eom.nu), t, p, x).full()) for x in signs]
    return np.asarray(np.sqrt(np.mean(np.square(columns), axis=0))[:, 0])


def check_rest(
    eom: EquationsOfMotion,
    point: Equilibrium,
    v: Array,
    tolerance: float,
    *,
    t: float,
    p: Array,
    hint: str = "give an equilibrium",
) -> None:
    """Refuse a state in which the machine does not stay at rest.

    Parameters
    ----------
    eom
        The equations.
    point, v
        Configuration with its inputs, and velocities.
    tolerance
        Largest force that may be left unbalanced, relative to the largest one.
    t, p
        Time and parameter values.
    hint
        The cure, in messages.
    """
    where = f"machine '{eom.machine.name}'"
    if v.any():
        raise InputError(f"{where} is not at rest with v = {v.tolist()}; {hint}")
    if eom.constrained:
        _check_constraints(eom, point, where, tolerance, t, p)
    worst = point.unbalanced(tolerance)
    if worst is not None:
        by = "the motors and constraints" if len(point.J) else "the motors"
        raise InputError(
            f"{where} is not in equilibrium there: a force of {point.residual[worst]:.6g} at '{eom.v_names[worst]}' "
            f"is left unbalanced by {by}; {hint}"
        )


def _check_constraints(
    eom: EquationsOfMotion, point: Equilibrium, where: str, tolerance: float, t: float, p: Array
) -> None:
    system = eom.constraint_system
    rate = np.abs(eom.constraint_velocity(point.q, np.zeros(eom.nv), t=t, p=p, latches=point.latches))
    rate = rate * system.activity(point.latches)
    if rate.max(initial=0.0) > 1e-9:
        name = system.row_names[int(rate.argmax())]
        raise InputError(f"{where} is not at rest: constraint '{name}' moves at t = {t:g} s; give another time t")
    independent = allowed_motions(eom.mass_matrix(point.q, p=p), point.J).shape[1] + len(point.J) == eom.nv
    for rows in system.rows:
        tension = float(point.multipliers[rows.start])
        if rows.unilateral and independent and tension < -tolerance * point.scale:
            raise InputError(
                f"{where} cannot rest there with these inputs: {rows.kind} '{rows.name}' would have to push with "
                f"{-tension:.4g} N; give inputs u with which each {rows.kind} pulls, or active={{'{rows.name}': False}}"
            )
