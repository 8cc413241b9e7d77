"""Impacts of frames as algebra: velocities after it and impulses, IMPACT (58)-(62), for several contacts at once.

With the rows ``J`` of the velocities of the touching points along the normals, the impact obeys

    M (v+ - v-) = J^T F                                                                                        (60)
    F >= 0,   J v+ >= -e min(J v-, 0),   equal where F > 0                                                     (61)

A contact only pushes. Where all of them do, (61) is the document's ``J v+ = -e J v-`` and the whole its linear system
(62). Constraints of the machine hold during the impact, and cables that are taut pull. With friction, Coulomb's law
holds between the tangential impulses and the tangential velocities after the impact (``engine/unilateral``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.constraint_algebra import minimum_norm
from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array
from dalembert.engine.unilateral.algebra import NoContactForcesError, delassus, strike

if TYPE_CHECKING:
    from dalembert.formulations.equations import EquationsOfMotion
    from dalembert.formulations.states import Parameters

__all__ = ["ContactImpact", "contact_impact"]

_NONE = 1e-9  # factor of restitution that is zero up to rounding
_TAUT = 1e-8  # length [m] by which a cable may be too short and still pull at once


@dataclass(frozen=True, eq=False)
class ContactImpact:
    """Effects of an impact.

    Parameters
    ----------
    v
        Velocities after it.
    contacts
        Frame of each contact.
    impulses
        Impulse of each contact along its normal [N s]; zero where it does not push.
    friction
        Impulse of each contact along its surface [N s], in world axes (n x 3); zero without friction.
    restitution
        Coefficient of restitution of each contact. It is the given one unless that would have added energy, or none of
        the impulses could do it (a body between two walls): then all were lowered by one factor, to the largest values
        that can be.
    energy_lost
        Kinetic energy that the impact took [J]; prescribed motion may bring some.
    """

    v: Array
    contacts: tuple[str, ...]
    impulses: Array
    friction: Array
    restitution: Array
    energy_lost: float


def contact_impact(
    eom: EquationsOfMotion,
    q: ArrayLike,
    v: ArrayLike,
    contacts: Mapping[str, ArrayLike],
    e: ArrayLike,
    friction: ArrayLike,
    t: float,
    p: Parameters,
) -> ContactImpact:
    """Solve an impact; see `EquationsOfMotion.impact`."""
    q, v = _vector(q, "q", eom.nq), _vector(v, "v", eom.nv)
    names, normals = _rows(contacts)
    k = len(names)
    restitution = _coefficients(e, names, "restitution", 1.0)
    mu = _coefficients(friction, names, "friction", np.inf)
    M = eom.mass_matrix(q, t=t, p=p)
    turned = {name: eom.jacobian(name, q, axes="world", t=t, p=p)[:3] for name in dict.fromkeys(names)}
    held, rate, cables, pull = _constraints(eom, q, v, t, p)
    axes = [np.vstack([n, _across(n)]) for n in normals]
    A = np.zeros((3 * (k + len(cables)), eom.nv))  # normal and tangents of each contact, then cables: normals alone
    A[: 3 * k] = np.vstack([R @ turned[name] for name, R in zip(names, axes, strict=True)])
    A[3 * k :: 3] = -cables
    start = v + minimum_norm(M, np.zeros(eom.nv), held, -rate).acceleration
    u = (A @ start).reshape(-1, 3)
    u[k:, 0] -= pull - cables @ v
    W, respond = delassus(M, A, held)
    none = np.zeros(len(cables))
    rubs, newton = np.concatenate([mu, none]), np.zeros(k + len(cables), dtype=bool)
    try:
        blow = strike(W, u, np.concatenate([restitution, none]), rubs, newton)
        if blow.factor < _NONE:
            blow = replace(strike(W, u, 0.0 * rubs, rubs, newton), factor=0.0)
    except NoContactForcesError as error:
        by_friction = error.pair < k and mu[error.pair] > 0.0 and W[3 * error.pair, 3 * error.pair] > 0.0
        raise InputError(_ill_posed(eom, names, error.pair if by_friction else None)) from None
    after = start + respond(A.T @ blow.impulses.ravel())
    pushed, along = blow.impulses[:k], np.zeros((k, 3))
    for i in np.flatnonzero(mu):
        along[i] = pushed[i, 1:] @ axes[i][1:]
    lost = 0.5 * float(v @ M @ v - after @ M @ after)
    return ContactImpact(after, names, pushed[:, 0], along, blow.factor * restitution, lost)


def _ill_posed(eom: EquationsOfMotion, names: tuple[str, ...], pair: int | None) -> str:
    """Message where there are no impulses, because of the friction of a pair or of none."""
    if pair is not None:
        return f"no impulses obey the law of friction at frame '{names[pair]}': the impact is ill-posed"
    return (
        f"no impulses stop the frames {', '.join(dict.fromkeys(names))}: the velocities contradict "
        f"the constraints of machine '{eom.machine.name}'"
    )


def _across(n: Array) -> Array:
    """Two unit vectors across a unit vector."""
    least = np.eye(3)[int(np.argmin(np.abs(n)))]
    one = least - n * (n @ least)
    one /= np.linalg.norm(one)
    return np.vstack([one, np.cross(n, one)])


def _vector(x: ArrayLike, what: str, n: int) -> Array:
    try:
        vector = as_numbers(x)
    except (TypeError, ValueError):
        raise InputError(f"{what} must be {n} numbers, got {x!r}") from None
    if vector.shape != (n,) or not np.isfinite(vector).all():
        raise InputError(f"an impact is one state: {what} must be {n} finite numbers, got {x!r}")
    return vector


def _rows(contacts: Mapping[str, ArrayLike]) -> tuple[tuple[str, ...], list[Array]]:
    """Frame and unit normal of each contact."""
    if not isinstance(contacts, Mapping) or not contacts:
        raise InputError(f"contacts must map frames to normals in world axes, got {contacts!r}")
    names: list[str] = []
    normals: list[Array] = []
    for name, value in contacts.items():
        try:
            rows = np.atleast_2d(as_numbers(value))
        except (TypeError, ValueError):
            rows = np.zeros((0, 0))
        sizes = np.linalg.norm(rows, axis=-1) if rows.ndim == 2 and rows.shape[1] == 3 else np.zeros(0)
        if not (sizes.size and np.isfinite(sizes).all() and (sizes > 0.0).all()):
            expected = "must be a normal (3 numbers, not zero) or several"
            raise InputError(f"the contact of frame '{name}' {expected}, got {value!r}")
        names += [name] * len(rows)
        normals += list(rows / sizes[:, None])
    return tuple(names), normals


def _coefficients(coefficients: ArrayLike, names: Sequence[str], what: str, most: float) -> Array:
    try:
        values = as_numbers(coefficients)
    except (TypeError, ValueError):
        values = np.full(0, np.nan)
    if values.shape not in ((), (len(names),)) or not ((values >= 0.0) & (values <= most) & np.isfinite(values)).all():
        one = "one number from 0 to 1" if most == 1.0 else "one number >= 0"
        raise InputError(f"{what} must be {one}, or one for each of {len(names)} contacts, got {coefficients!r}")
    return np.broadcast_to(values, (len(names),)).copy()


def _constraints(
    eom: EquationsOfMotion, q: Array, v: Array, t: float, p: Parameters
) -> tuple[Array, Array, Array, Array]:
    """Rows of the machine's constraints that act and their rates, then those of its taut cables."""
    if not eom.constrained:
        return np.zeros((0, eom.nv)), np.zeros(0), np.zeros((0, eom.nv)), np.zeros(0)
    system = eom.constraint_system
    latches = system.latch_table.measured(system.latch_nominal, q, t, eom.parameter_values(p))
    on = system.activity(system.latch_nominal) > 0.0
    pulls = np.zeros(len(on), dtype=bool)
    for rows in system.rows:
        pulls[rows.start : rows.stop] = rows.unilateral
    taut = on & pulls & (eom.constraints(q, t=t, p=p, latches=latches) > -_TAUT)
    J = eom.constraint_jacobian(q, t=t, p=p, latches=latches)
    rate = eom.constraint_velocity(q, v, t=t, p=p, latches=latches)
    return J[on & ~pulls], rate[on & ~pulls], J[taut], rate[taut]
