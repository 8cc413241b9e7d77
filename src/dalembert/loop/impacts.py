"""Impacts of pairs that act one way only: with restitution and friction, of what is stopped, of what comes to rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.core.constraint_algebra import Impact, impact, least_constraint, minimum_norm
from dalembert.core.contact_algebra import Cones, NoContactForcesError, delassus, linear, solve_cones, strike
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.pairs import LETS_GO, SLIPS, Instant, Mask, Pairs, Terms, candidates, held_rows, taking_part

__all__ = ["STRIKES", "Collision", "close_gaps", "hit", "rest", "shock"]

_BEYOND = 0.999e-11  # gap [m], negative, at which what is open may be: just before gaps are seen to close
_RESTS = 1e-12  # rate [m/s] up to which what slips no more is at rest
STRIKES = 1e-10  # rate [m/s] from which on a gap closes with an impact
_NEARER = 1e-6  # part of its slip by which a pair that jams is taken to approach


@dataclass(frozen=True, eq=False)
class Collision:
    """An impact: velocities, impulses of all rows, energy that they took, by how much restitution had to be lowered."""

    v: Array
    impulses: Array
    energy_lost: float
    factor: float = 1.0


def close_gaps(eom: EquationsOfMotion, pairs: Pairs, s: Instant) -> Array:
    """Coordinates moved onto the constraints and closed gaps, so that nothing that touches is beyond.

    Gaps are seen to close when they are negative by 1e-11 m, and taken to be closed within 1e-8 m; methods that do
    not project violate constraints by more than either.
    """
    q, acts = s.q.copy(), eom.constraint_system.activity(s.latches) != 0.0
    for _ in range(4):
        phi = eom.constraints(q, t=s.t, p=s.p, latches=s.latches)
        active, one_way = taking_part(pairs, s.latches, phi, s.loose)
        one_way &= ~acts
        # what flies off starts where it struck, just beyond, so that it has all of its way back before it strikes again
        room = np.zeros(len(phi))
        room[pairs.rows[pairs.is_contact]] = _BEYOND
        room = np.where(one_way, room, 0.0)
        beyond = np.max((phi - room)[active & one_way], initial=0.0)
        if beyond <= 1e-15 and np.max(np.abs(phi[active & ~one_way]), initial=0.0) <= 1e-12:
            break
        J = eom.constraint_jacobian(q, t=s.t, p=s.p, latches=s.latches)[active]
        M = eom.mass_matrix(q, p=s.p)
        q = eom.integrate(
            q, least_constraint(M, np.zeros(eom.nv), J, (room - phi)[active], one_way[active]).acceleration
        )
    return q


def hit(eom: EquationsOfMotion, pairs: Pairs, s: Instant, *, settled: bool = False) -> Collision:
    """Velocities after the impact of all constraints that act and all that touches.

    Of pairs that only just act nothing is known but which way they act; once it is ``settled`` what goes on to act,
    that keeps its gap closed.
    """
    phi = eom.constraints(s.q, t=s.t, p=s.p, latches=s.latches)
    J = eom.constraint_jacobian(s.q, t=s.t, p=s.p, latches=s.latches)
    rate = eom.constraint_velocity(s.q, s.v, t=s.t, p=s.p, latches=s.latches)
    M = eom.mass_matrix(s.q, p=s.p)
    touch = pairs.touching(s.latches, phi, s.loose)
    e, mu = pairs.coefficients(s.p)
    if not settled and (touch & ((e > 0.0) | (mu > 0.0))).any():
        return _strike(pairs, s, M, J, rate, touch, e, mu)
    active, one_way = taking_part(pairs, s.latches, phi, s.loose)
    if settled:
        one_way &= eom.constraint_system.activity(s.latches) == 0.0
    if np.where(one_way, rate, np.abs(rate))[active].max(initial=0.0) <= _RESTS:
        return Collision(s.v, np.zeros(len(active)), 0.0)
    struck: Impact = impact(M, J[active], rate[active], s.v, one_way[active])
    impulses = np.zeros(len(active))
    impulses[active] = struck.impulses
    return Collision(struck.v, impulses, _taken(rate, J @ (struck.v - s.v), impulses))


def _taken(rate: Array, change: Array, impulses: Array) -> float:
    """Energy that impulses took of rows with these rates and their change; what drives a row does work besides."""
    return float((rate + 0.5 * change) @ impulses)


def _strike(pairs: Pairs, s: Instant, M: Array, J: Array, rate: Array, touch: Mask, e: Array, mu: Array) -> Collision:
    """Impact with restitution and friction, under the constraints that act."""
    held = held_rows(pairs, s.latches)
    v, impulses = s.v, np.zeros(len(J))
    if np.abs(rate[held]).max(initial=0.0) > _RESTS:  # constraints that begin to act, or drift
        kept = minimum_norm(M, np.zeros(len(v)), J[held], -rate[held])
        v, impulses[held] = v + kept.acceleration, kept.multipliers
    A = pairs.spread(J, touch)
    u = pairs.spread(rate, touch).reshape(-1, 3) + (A @ (v - s.v)).reshape(-1, 3)
    lost = _taken(rate, J @ (v - s.v), impulses)
    if not (u[:, 0] < -STRIKES).any():
        return Collision(v, impulses, lost)
    W, respond = delassus(M, A, J[held])
    struck = strike(W, u, e[touch], mu[touch], pairs.poisson[touch])
    v = v + respond(A.T @ struck.impulses.ravel())
    impulses += pairs.gather(struck.impulses, touch, len(J)) + _answer(M, J, held, A.T @ struck.impulses.ravel())
    return Collision(v, impulses, lost + struck.energy_lost, struck.factor)


def _answer(M: Array, J: Array, held: Mask, force: Array) -> Array:
    """Impulses of all rows with which constraints that hold answer a generalised one."""
    impulses = np.zeros(len(J))
    impulses[held] = minimum_norm(M, force, J[held], np.zeros(int(held.sum()))).multipliers
    return impulses


def rest(eom: EquationsOfMotion, pairs: Pairs, s: Instant) -> Collision:
    """Velocities after what slips no more has come to rest, all of it together, and slips that end.

    A slip is seen to end when it has turned by a rate that is rounding, and of several that are so slow none can be
    said to be still slipping. Which of them go on to stick, and where the others slip to, is for their accelerations to
    say (see `settle`): from rest, so that nothing slips against its friction, and what begins to stick does not move
    the others, which would make them turn, and turn the first again, without end. What this brings to rest in turn
    rests too; what acts keeps its gap closed. The velocities are those nearest in the metric of the mass matrix, so no
    energy is added.
    """
    phi = eom.constraints(s.q, t=s.t, p=s.p, latches=s.latches)
    J = eom.constraint_jacobian(s.q, t=s.t, p=s.p, latches=s.latches)
    rate = eom.constraint_velocity(s.q, s.v, t=s.t, p=s.p, latches=s.latches)
    M = eom.mass_matrix(s.q, p=s.p)
    close, (_, mu) = candidates(pairs, s.latches, phi, rate, s.loose), pairs.coefficients(s.p)
    active, one_way = held_rows(pairs, s.latches), np.zeros(len(phi), dtype=bool)
    active[pairs.rows[close]] = True
    one_way[pairs.rows[close]] = s.latches[pairs.flags[close]] < 0.5
    still, ends = np.zeros(len(pairs.names), dtype=bool), pairs.marked("end", s.loose)
    v, impulses, lost = s.v, np.zeros(len(phi)), 0.0
    while True:
        u = np.where(pairs.tangents >= 0, rate[pairs.tangents], 0.0)
        speed = np.hypot(u[:, 0], u[:, 1])
        slow = close & (mu > 0.0) & ((speed <= SLIPS) | ends) & ~still
        still |= slow
        if speed[slow].max(initial=0.0) <= _RESTS:
            return Collision(v, impulses, lost)
        rows = pairs.tangents[still]
        active[rows[rows >= 0]] = True
        struck = impact(M, J[active], rate[active], v, one_way[active])
        change, more = J @ (struck.v - v), np.zeros(len(phi))
        more[active] = struck.impulses
        lost += _taken(rate, change, more)
        rate, v, impulses = rate + change, struck.v, impulses + more


def shock(pairs: Pairs, s: Instant, x: Terms, i: int) -> Collision | None:
    """Impact without collision: what Painleve's paradox at pair ``i`` ends in, its slip stopped at once; or None.

    No finite forces obey the laws of friction there; impulses do (P. Painleve, 1895; L. Lecornu): those of an impact of
    all that touches, at which the pair approaches by ever so little. Pushes that keep it slipping would only press it
    on, so its slip ends, or turns round.
    """
    which = candidates(pairs, s.latches, x.phi, x.phidot, s.loose)
    which[i] = True
    held, n = held_rows(pairs, s.latches), int(which[:i].sum())
    A, mu = pairs.spread(x.J, which), pairs.coefficients(s.p)[1][which]
    W, respond = delassus(x.M, A, x.J[held])
    u = pairs.spread(x.phidot, which)
    nearer = u.copy()
    nearer[3 * n] -= _NEARER * max(float(np.hypot(u[3 * n + 1], u[3 * n + 2])), 1e-4 * float(np.abs(u).max()))
    try:
        begun = solve_cones(Cones.of(W, nearer, mu))
    except NoContactForcesError:
        return None
    speed = np.hypot(begun.u[:, 1], begun.u[:, 2])[:, None]
    toward = begun.u[:, 1:] / np.maximum(speed, 1e-300)
    P = linear(Cones.of(W, u, mu), begun.modes, begun.p, np.ones_like(begun.p), toward)
    # where a slip has just jammed the impulse is the limit
    if (P[:, 0] < 0.0).any() or (np.hypot(P[:, 1], P[:, 2]) > (1.0 + LETS_GO) * mu * P[:, 0]).any():
        P = begun.p
    lost = -float(P.ravel() @ u + 0.5 * P.ravel() @ W @ P.ravel())
    if not lost > 0.0:
        return None
    impulses = pairs.gather(P, which, len(x.J)) + _answer(x.M, x.J, held, A.T @ P.ravel())
    return Collision(s.v + respond(A.T @ P.ravel()), impulses, lost)
