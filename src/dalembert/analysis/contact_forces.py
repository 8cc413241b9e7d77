"""Closed contacts of a machine at one state: which of them stick or slide, and the forces that they bear.

Contacts that slide at the velocities of the state do so on; for those that rest the law of the contacts decides,

    u' = W f + b,    W = A P A^T,

for the rows A of the contacts (normal and tangents) and the mobility P that all other constraints leave. A contact that
sticks has a row along its normal and rows along its tangents; one that slides has the first alone, and its friction
``-mu f_n u/|u|`` follows from the normal force. A round solid that sticks rolls: its tangential rows restrict
velocities, and displacements from the state in question only as far as they come from such velocities.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from dalembert.core.constraint_algebra import allowed_motions, minimum_norm
from dalembert.core.errors import InputError
from dalembert.core.types import Array, Expression
from dalembert.engine.unilateral.algebra import Cones, NoContactForcesError, Touch, delassus, solve_cones
from dalembert.formulations.constraints.system import ConstraintSystem
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.model.geometry import Capsule, Sphere

__all__ = ["ContactForces", "check_contacts", "contact_forces", "sliding_multipliers", "touching_latches"]

CLOSED = 1e-6
"""Gap [m] below which a contact is closed."""
_STILL = 1e-9
"""Speed [m/s] from which on a contact slides, opens or strikes."""
_NONE = 1e-9
"""Part of the largest contact force that counts as none."""


class ContactForces(NamedTuple):
    """Forces of the closed contacts at a state.

    Attributes
    ----------
    pairs, modes
        Which pairs are closed, and what each of them does.
    forces, friction
        Their forces along normal and tangents (k x 3), and coefficients of friction (k).
    stays
        Whether the other rows that act keep the pair in place, so that it may bear all the friction it can.
    latches, J
        Latches of the constraints, and rows that act: those of the constraints, then those of locked joints.
    residual, multipliers
        Forces that are left unbalanced, and multipliers of all rows of the constraints.
    """

    pairs: tuple[int, ...]
    modes: NDArray[np.int64]
    forces: Array
    friction: Array
    stays: NDArray[np.bool_]
    latches: Array
    J: Array
    residual: Array
    multipliers: Array


def touching_latches(
    eom: EquationsOfMotion, q: Array, v: Array, latches: Array, *, active: Mapping[str, bool] | None, p: Array
) -> Array:
    """Latches with the contacts that are closed at q: they slide at velocities along the surface, otherwise they stick.

    Parameters
    ----------
    eom, q, v
        The equations and the state.
    latches
        Latches of the constraints.
    active
        Contacts, by name, that are left out (False).
    p
        Parameter values.
    """
    system, latches = eom.constraint_system, latches.copy()
    where = f"machine '{eom.machine.name}'"
    if not system.contacts.k:
        return latches
    gap, _, u, _, _, mu = _terms(system, q, v, p)
    for k, pair in enumerate(system.contacts.pairs):
        name = pair.name
        asked = (active or {}).get(name)
        for label in (f"active.{name}", f"stick.{name}", f"toward.{name}[0]", f"toward.{name}[1]"):
            _set(system, latches, label, 0.0)
        if gap[k] >= CLOSED or asked is False:
            if asked:
                raise InputError(f"contact '{name}' of {where} is open there: its gap is {gap[k]:.3g} m")
            continue
        if gap[k] < -CLOSED:
            raise InputError(f"contact '{name}' of {where} is {-gap[k]:.3g} m inside its surface")
        if abs(u[k, 0]) > _STILL * max(1.0, float(np.abs(v).max(initial=0.0))):
            verb = "strikes" if u[k, 0] < 0.0 else "leaves"
            raise InputError(f"contact '{name}' of {where} {verb} its surface there at {abs(u[k, 0]):.3g} m/s")
        _set(system, latches, f"active.{name}", 1.0)
        speed = float(np.hypot(u[k, 1], u[k, 2]))
        if speed > _STILL:
            for j in range(2):
                _set(system, latches, f"toward.{name}[{j}]", u[k, 1 + j] / speed)
        elif mu[k] > 0.0:
            _set(system, latches, f"stick.{name}", 1.0)
    return latches


def contact_forces(
    eom: EquationsOfMotion, q: Array, v: Array, u: Array, latches: Array, locks: Array, *, t: float, p: Array
) -> ContactForces | None:
    """Forces of the contacts that the latches close, by their law; None if there are none.

    Parameters
    ----------
    eom, q, v, u
        The equations, the state and the inputs.
    latches
        Latches, see `touching_latches`.
    locks
        Rows of locked joints.
    t, p
        Time and parameter values.
    """
    system = eom.constraint_system
    pairs = tuple(k for k, c in enumerate(system.contacts.pairs) if _get(system, latches, f"active.{c.name}"))
    if not pairs:
        return None
    _, J, _, bias, _, mu = _terms(system, q, v, p)
    own = _rows_of_pairs(system)
    every = [row for rows in own for row in rows]
    on = system.activity(latches) != 0.0
    others = [i for i in np.flatnonzero(on) if i not in every]
    full = eom.constraint_jacobian(q, t=t, p=p, latches=latches)
    gamma = eom.constraint_rhs(q, v, t=t, p=p, latches=latches)[others]
    held, given = np.vstack([full[others], locks]), np.concatenate([gamma, np.zeros(len(locks))])
    M = eom.mass_matrix(q, p=p)
    force = eom.applied(q, v, u, t=t, p=p) - eom.bias(q, v, p=p)
    free = minimum_norm(M, force, held, given).acceleration
    A = np.vstack([J[k] for k in pairs])
    W, respond = delassus(M, A, held)
    slip = np.full((len(pairs), 2), np.nan)
    for i, k in enumerate(pairs):
        toward = _toward(system, latches, system.contacts.pairs[k].name)
        if any(toward):
            slip[i] = toward
    b = A @ free + np.concatenate([bias[k] for k in pairs])
    try:
        solution = solve_cones(Cones.of(W, b, mu[list(pairs)], slip))
    except NoContactForcesError as error:
        name = system.contacts.pairs[pairs[error.pair]].name
        raise InputError(
            f"contact '{name}' of machine '{eom.machine.name}' has no force there that obeys the law of friction"
        ) from None
    a = free + respond(A.T @ solution.p.ravel())
    multipliers, latches = np.zeros(system.m), latches.copy()
    for i, k in enumerate(pairs):
        name = system.contacts.pairs[k].name
        stays = solution.modes[i] != Touch.OPEN
        _set(system, latches, f"active.{name}", float(stays))
        _set(system, latches, f"stick.{name}", float(solution.modes[i] == Touch.STICK and mu[k] > 0.0))
        multipliers[own[k][0]] = solution.p[i, 0]
        multipliers[own[k][1:]] = [solution.p[i, j] for j in system.tangents[k]]
    left = force + A.T @ solution.p.ravel() - M @ a
    multipliers[others] = minimum_norm(M, left, held, np.zeros(len(held))).multipliers[: len(others)]
    acting = system.activity(latches) != 0.0
    rows = np.vstack([full[acting], locks])
    moves = np.abs(A.reshape(len(pairs), 3, -1) @ allowed_motions(M, rows)).max(axis=(1, 2), initial=0.0)
    stays = moves < 1e-9 * np.sqrt(np.diag(W).reshape(-1, 3).max(axis=1))
    return ContactForces(pairs, solution.modes, solution.p, mu[list(pairs)], stays, latches, rows, -M @ a, multipliers)


def check_contacts(eom: EquationsOfMotion, found: ContactForces | None, v: Array) -> None:
    """Raise an error that names a contact at which the equations have no derivative.

    Those are contacts that open, that bear no force or that begin to slide; and, while the machine moves, round solids
    that roll.
    """
    if found is None:
        return
    where, pairs = f"of machine '{eom.machine.name}'", eom.constraint_system.contacts.pairs
    none = _NONE * max(float(np.abs(found.forces).max()), 1e-300)
    leave_out = "leave it out by active={{'{0}': False}}"
    for i, k in enumerate(found.pairs):
        name, normal, pull = pairs[k].name, found.forces[i, 0], float(np.hypot(*found.forces[i, 1:]))
        if found.modes[i] == Touch.OPEN or normal <= none:
            raise InputError(
                f"contact '{name}' {where} touches there without a force: it has no derivative; press it, or "
                + leave_out.format(name)
            )
        if any(_toward(eom.constraint_system, found.latches, name)) or not found.friction[i] > 0.0:
            continue
        if found.modes[i] == Touch.SLIP and not found.stays[i]:
            raise InputError(
                f"contact '{name}' {where} does not stick there: it needs a tangential force of {pull:.6g} N or more "
                f"at a normal force of {normal:.6g} N, and its friction is {found.friction[i]:g}; give inputs with "
                "which it sticks, or velocities with which it slides"
            )
        contact = pairs[k].contact
        if v.any() and contact is not None and isinstance(contact.solid, Sphere | Capsule):
            raise InputError(
                f"contact '{name}' {where} rolls there: linear models of solids that roll are those at rest"
            )


def sliding_multipliers(system: ConstraintSystem, multipliers: Expression) -> Expression:
    """Multipliers of all rows, with the friction of contacts that slide from their normal forces."""
    result, latches, u = ca.SX(multipliers), system.latches, system.contacts.velocity
    for k, rows in enumerate(_rows_of_pairs(system)):
        if len(rows) < 2:
            continue
        name = system.contacts.pairs[k].name
        toward = ca.vertcat(*(latches[system.latch_index(f"toward.{name}[{j}]")] for j in range(2)))
        slides = ca.if_else(ca.sumsqr(toward) > 0.5, 1.0, 0.0)
        slip = u[3 * k + 1 : 3 * k + 3]
        speed = ca.sqrt(ca.sumsqr(slip) + (1.0 - slides))  # no division by zero where nothing slides
        friction = -system.contacts.friction[k] * result[rows[0]] / speed * slip
        for row, j in zip(rows[1:], system.tangents[k], strict=True):
            result[row] = ca.if_else(slides > 0.5, friction[j - 1], result[row])
    return result


def _terms(system: ConstraintSystem, q: Array, v: Array, p: Array) -> tuple[Array, ...]:
    """Gaps (k), rows (k x 3 x nv), velocities and their biases (k x 3), restitution and friction (k) of all pairs."""
    gap, J, u, b, e, mu = (np.array(ca.DM(x).full()) for x in system.contacts.terms(q, v, p))
    k = system.contacts.k
    return gap[:, 0], J.reshape(k, 3, -1), u.reshape(k, 3), b.reshape(k, 3), e[:, 0], mu[:, 0]


def _rows_of_pairs(system: ConstraintSystem) -> list[list[int]]:
    """Rows of each pair: that of the normal, then those of its tangents."""
    starts = {(r.kind, r.name): list(range(r.start, r.stop)) for r in system.rows}
    return [starts["contact", c.name] + starts.get(("friction", c.name), []) for c in system.contacts.pairs]


def _toward(system: ConstraintSystem, latches: Array, name: str) -> tuple[float, float]:
    """Direction in which a pair slides, zeros if it does not."""
    return _get(system, latches, f"toward.{name}[0]"), _get(system, latches, f"toward.{name}[1]")


def _set(system: ConstraintSystem, latches: Array, label: str, value: float) -> None:
    place = system.latch_index(label)
    if place >= 0:
        latches[place] = value


def _get(system: ConstraintSystem, latches: Array, label: str) -> float:
    place = system.latch_index(label)
    return float(latches[place]) if place >= 0 else 0.0
