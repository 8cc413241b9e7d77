"""Impacts of frames as algebra: velocities after it and impulses, IMPACT (58)-(62), for several contacts at once.

With the rows ``J`` of the velocities of the touching points along the normals, the impact obeys

    M (v+ - v-) = J^T F                                                                                        (60)
    F >= 0,   J v+ >= -e min(J v-, 0),   equal where F > 0                                                     (61)

A contact only pushes. Where all of them do, (61) is the document's ``J v+ = -e J v-`` and the whole its linear system
(62). Constraints of the machine hold during the impact. With friction, Coulomb's law holds between the tangential
impulses and the tangential velocities after the impact (``core/contact_algebra.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.constraint_algebra import least_constraint, minimum_norm
from dalembert.core.contact_algebra import NoContactForcesError, delassus, strike
from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["ContactImpact", "contact_impact"]

_ROUNDING = 1e-10
_NONE = 1e-9  # factor of restitution that is none but for rounding
_Outcome = tuple[Array, Array, float] | None
"""Velocities, impulses and energy lost; None: there are no impulses that do what is asked."""


@dataclass(frozen=True, eq=False)
class ContactImpact:
    """What an impact does.

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
        Kinetic energy that the impact took [J].
    """

    v: Array
    contacts: tuple[str, ...]
    impulses: Array
    friction: Array
    restitution: Array
    energy_lost: float


def contact_impact(
    eom: Any,
    q: ArrayLike,
    v: ArrayLike,
    contacts: Mapping[str, ArrayLike],
    e: ArrayLike,
    friction: ArrayLike,
    t: float,
    p: Any,
) -> ContactImpact:
    """Solve an impact; see `EquationsOfMotion.impact`."""
    q, v = _vector(q, "q", eom.nq), _vector(v, "v", eom.nv)
    names, normals = _rows(contacts)
    given = _coefficients(e, names, "restitution", 1.0)
    mu = _coefficients(friction, names, "friction", np.inf)
    M = eom.mass_matrix(q, t=t, p=p)
    turned = {name: eom.jacobian(name, q, axes="world", t=t, p=p)[:3] for name in dict.fromkeys(names)}
    J = np.array([n @ turned[name] for name, n in zip(names, normals, strict=True)])
    before = J @ v
    held, rate, pulls = _constraints(eom, q, v, t, p)
    if mu.any():
        return _rubbing(eom, v, M, names, normals, turned, given, mu, held[~pulls], rate[~pulls])
    rows, one_sided = np.vstack([held, -J]), np.concatenate([pulls, np.ones(len(J), dtype=bool)])

    def after(factor: float) -> _Outcome:
        bounds = before + factor * given * np.minimum(before, 0.0)  # -J (v+ - v) <= J v + e min(J v, 0)
        found = least_constraint(M, np.zeros(eom.nv), rows, np.concatenate([-rate, bounds]), one_sided)
        if not found.feasible:
            return None
        v_after = v + found.acceleration
        return v_after, found.multipliers[len(held) :], 0.5 * float(v @ M @ v - v_after @ M @ v_after)

    factor, result = 1.0, after(1.0)
    least = -_ROUNDING * 0.5 * float(v @ M @ v)
    if result is None or result[2] < least:
        # Without restitution all frames may stop, and no energy is added (Moreau): in between lies the largest factor.
        factor, result = _largest(after, least)
    if result is None:
        raise InputError(
            f"no impulses keep the frames {', '.join(dict.fromkeys(names))} from going on: the velocities contradict "
            f"the constraints of machine '{eom.machine.name}'"
        )
    return ContactImpact(result[0], names, result[1], np.zeros((len(names), 3)), factor * given, result[2])


def _rubbing(
    eom: Any,
    v: Array,
    M: Array,
    names: tuple[str, ...],
    normals: list[Array],
    turned: Mapping[str, Array],
    e: Array,
    mu: Array,
    held: Array,
    rate: Array,
) -> ContactImpact:
    """Impact with friction; cables of the machine take no part in it."""
    axes = [np.vstack([n, _across(n)]) for n in normals]
    A = np.vstack([R @ turned[name] for name, R in zip(names, axes, strict=True)])
    start = v + minimum_norm(M, np.zeros(eom.nv), held, -rate).acceleration
    W, respond = delassus(M, A, held)
    try:
        made = strike(W, (A @ start).reshape(-1, 3), e, mu, np.zeros(len(names), dtype=bool))
    except NoContactForcesError as error:
        raise InputError(
            f"no impulses obey the law of friction at frame '{names[error.pair]}': the impact is ill-posed"
        ) from None
    after = start + respond(A.T @ made.impulses.ravel())
    along = np.array([P[1:] @ R[1:] for P, R in zip(made.impulses, axes, strict=True)])
    lost = 0.5 * float(v @ M @ v - after @ M @ after)
    return ContactImpact(after, names, made.impulses[:, 0], along, made.factor * e, lost)


def _across(n: Array) -> Array:
    """Two unit vectors across a unit vector."""
    least = np.eye(3)[int(np.argmin(np.abs(n)))]
    one = least - n * (n @ least)
    one /= np.linalg.norm(one)
    return np.vstack([one, np.cross(n, one)])


def _largest(after: Callable[[float], _Outcome], least: float) -> tuple[float, _Outcome]:
    """Largest factor of restitution, by bisection, at which there is an outcome that loses no less than ``least``."""
    low, high, best = 0.0, 1.0, after(0.0)
    while high - low > 1e-12 and best is not None:
        middle = 0.5 * (low + high)
        made = after(middle)
        if made is not None and made[2] >= least:
            low, best = middle, made
        else:
            high = middle
    return (low, best) if low > _NONE else (0.0, after(0.0))


def _vector(x: ArrayLike, what: str, n: int) -> Array:
    try:
        made = np.asarray(x, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{what} must be {n} numbers, got {x!r}") from None
    if made.shape != (n,) or not np.isfinite(made).all():
        raise InputError(f"an impact is one state: {what} must be {n} finite numbers, got {x!r}")
    return made


def _rows(contacts: Mapping[str, ArrayLike]) -> tuple[tuple[str, ...], list[Array]]:
    """Frame and unit normal of each contact."""
    if not isinstance(contacts, Mapping) or not contacts:
        raise InputError(f"contacts must map frames to normals in world axes, got {contacts!r}")
    names: list[str] = []
    normals: list[Array] = []
    for name, value in contacts.items():
        try:
            made = np.atleast_2d(np.asarray(value, dtype=float))
        except (TypeError, ValueError):
            made = np.zeros((0, 0))
        sizes = np.linalg.norm(made, axis=-1) if made.ndim == 2 and made.shape[1] == 3 else np.zeros(0)
        if not (sizes.size and np.isfinite(sizes).all() and (sizes > 0.0).all()):
            expected = "must be a normal (3 numbers, not zero) or several"
            raise InputError(f"the contact of frame '{name}' {expected}, got {value!r}")
        names += [name] * len(made)
        normals += list(made / sizes[:, None])
    return tuple(names), normals


def _coefficients(given: ArrayLike, names: Sequence[str], what: str, most: float) -> Array:
    try:
        made = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        made = np.full(0, np.nan)
    if made.shape not in ((), (len(names),)) or not ((made >= 0.0) & (made <= most) & np.isfinite(made)).all():
        one = "one number from 0 to 1" if most == 1.0 else "one number >= 0"
        raise InputError(f"{what} must be {one}, or one for each of {len(names)} contacts, got {given!r}")
    return np.broadcast_to(made, (len(names),)).copy()


def _constraints(eom: Any, q: Array, v: Array, t: float, p: Any) -> tuple[Array, Array, Any]:
    """Rows of the machine's constraints that act, their rates, and which of them only pull."""
    if not eom.constrained:
        return np.zeros((0, eom.nv)), np.zeros(0), np.zeros(0, dtype=bool)
    system = eom.constraint_system
    on = system.activity(system.latch_nominal) > 0.0
    pulls = np.zeros(len(on), dtype=bool)
    for rows in system.rows:
        pulls[rows.start : rows.stop] = rows.unilateral
    J, rate = eom.constraint_jacobian(q, t=t, p=p), eom.constraint_velocity(q, v, t=t, p=p)
    return J[on], rate[on], pulls[on]
