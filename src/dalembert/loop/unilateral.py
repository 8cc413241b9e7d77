"""What acts one way only, cables that pull and contacts that push: their impacts, and how the motion goes on.

A pair can act if it touches: it does, or its gap has closed. All that touch are looked at together, so that any number
may take hold or let go at once, redundant or not. Without friction and restitution that is the principle of least
constraint (``core/constraint_algebra.py``), with them ``core/contact_algebra.py``; a cable is a pair without either.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from dalembert.core.constraint_algebra import Impact, impact, least_constraint, minimum_norm
from dalembert.core.contact_algebra import (
    Cones,
    NoContactForcesError,
    Touch,
    delassus,
    jammed,
    linear,
    solve_cones,
    strike,
)
from dalembert.core.types import Array
from dalembert.formulations.constraints.system import ConstraintSystem

__all__ = [
    "LETS_GO",
    "SLIPS",
    "STRIKES",
    "TOUCHES",
    "Collision",
    "Instant",
    "Mask",
    "Pairs",
    "SlipsEndError",
    "close_gaps",
    "hit",
    "rest",
    "settle",
    "shock",
]

Mask = NDArray[np.bool_]
# Impacts may follow each other ever faster and ever weaker: a ball that bounces, a body on several cables. Below these
# they are taken to rest; what a pair does within the gap of its event (1e-11 m) lies well below.
TOUCHES = 1e-8  # gap [m] up to which what is open touches
_STILL = 1e-4  # rate [m/s] up to which what touches stays closed
_BEYOND = 0.999e-11  # gap [m], negative, at which what is open may be: just before gaps are seen to close
_EDGE = 1.0 - 1e-9  # part of the limit of friction from which on a contact slips
SLIPS = 1e-7  # rate [m/s] from which on a contact slips
_RESTS = 1e-12  # rate [m/s] up to which what slips no more is at rest
STRIKES = 1e-10  # rate [m/s] from which on a gap closes with an impact
_PULLS = 1e-9  # part of the largest multiplier that counts as one
_AHEAD = 10.0  # times what accelerates pairs, up to which u / T of a slow slip is told from them
_NEARER = 1e-6  # part of its slip by which a pair that jams is taken to approach
LETS_GO = 1e-6  # the same of a contact whose force, or what its friction lacks of the limit, was seen to pass zero


@dataclass(frozen=True, eq=False)
class Instant:
    """A state of a machine at an event.

    Parameters
    ----------
    t, q, v, latches, p
        Time, coordinates, velocities, latches and parameter values.
    loose
        What has just let go; ``NAME.slip`` if friction has just reached its limit, ``NAME.open`` if a pair is to open,
        ``NAME.end`` if its slip is to end.
    """

    t: float
    q: Array
    v: Array
    latches: Array
    p: Array
    loose: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class Collision:
    """An impact: velocities, impulses of all rows, energy that they took, by how much restitution had to be lowered."""

    v: Array
    impulses: Array
    energy_lost: float
    factor: float = 1.0


class SlipsEndError(ArithmeticError):
    """Slow slips of some pairs end before their friction could turn: they come to rest (see `rest`)."""

    def __init__(self, pairs: Mask) -> None:
        super().__init__(pairs)
        self.pairs = pairs


@dataclass(frozen=True, eq=False)
class Pairs:
    """The unilateral rows of a system as pairs, with places of their tangents and latches (-1: there is none)."""

    system: ConstraintSystem

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(r.name for r in self.system.rows if r.unilateral)

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """Rows of the normals."""
        return np.array([r.start for r in self.system.rows if r.unilateral], dtype=np.int64)

    @cached_property
    def flags(self) -> NDArray[np.int64]:
        """Latches that say whether they act."""
        return np.array([r.flag for r in self.system.rows if r.unilateral], dtype=np.int64)

    @cached_property
    def is_contact(self) -> Mask:
        """Which of them are contacts."""
        return np.array([r.kind == "contact" for r in self.system.rows if r.unilateral], dtype=bool)

    @cached_property
    def tangents(self) -> NDArray[np.int64]:
        """Rows of their two tangents (k x 2)."""
        made = np.full((len(self.names), 2), -1, dtype=np.int64)
        for r in self.system.rows:
            if r.kind == "friction":
                ways = self.system.tangents[self.system.contacts.names.index(r.name)]
                made[self.names.index(r.name), [way - 1 for way in ways]] = np.arange(r.start, r.stop)
        return made

    @cached_property
    def rubs(self) -> Mask:
        """Which have friction."""
        return np.asarray((self.tangents >= 0).any(axis=1))

    @cached_property
    def friction(self) -> NDArray[np.int64]:
        """Latches of friction (k x 7): whether it sticks, where it slips to (2), forces as shared (3), leeway."""
        what = ("stick.{0}", *(f"{name}.{{0}}[{j}]" for name, n in (("toward", 2), ("share", 3)) for j in range(n)))
        what = (*what, "leeway.{0}")
        places = [[self.system.latch_index(x.format(name)) for x in what] for name in self.names]
        return np.array(places, dtype=np.int64).reshape(-1, 7)

    @cached_property
    def coefficients_tape(self) -> ca.Function:
        """Restitution and friction as a function of the parameters."""
        contacts, e, mu = self.system.contacts, ca.SX(len(self.names), 1), ca.SX(len(self.names), 1)
        for k, pair in enumerate(np.flatnonzero(self.is_contact)):
            e[int(pair)] = contacts.restitution[k]
            mu[int(pair)] = contacts.friction[k] if self.rubs[pair] else 0.0
        p = self.system.variables.p
        return ca.Function("coefficients", [p], [ca.densify(e), ca.densify(mu)], ["p"], ["e", "mu"])

    def coefficients(self, p: Array) -> tuple[Array, Array]:
        """Restitution and friction at parameter values (np,), or of each of many (N, np)."""
        tape = self.coefficients_tape.map(len(p)) if p.ndim == 2 else self.coefficients_tape
        e, mu = (np.array(x.full()).T.reshape(*p.shape[:-1], -1) for x in tape.call([ca.DM(p.T)]))
        return e, mu

    @cached_property
    def poisson(self) -> Mask:
        """Which have Poisson's restitution."""
        made = np.zeros(len(self.names), dtype=bool)
        made[self.is_contact] = self.system.contacts.poisson
        return made

    def touching(self, latches: Array, phi: Array, loose: frozenset[str]) -> Mask:
        """Which act or could: they do, or their gap has closed; what was cut, or has just let go, does not."""
        on = latches[self.flags]
        near = (on > -0.5) & (on < 0.5) & (phi[self.rows] > -TOUCHES)
        return ((on > 0.5) | near) & np.array([name not in loose for name in self.names], dtype=bool)

    def marked(self, what: str, loose: frozenset[str]) -> Mask:
        """Which have been seen to do something at an instant (see `Instant`)."""
        return np.array([f"{name}.{what}" in loose for name in self.names], dtype=bool)

    def spread(self, values: Array, which: Mask) -> Array:
        """Rows of the chosen pairs, three each (zero where there is none), of values by row (m, ...), turned round."""
        chosen = np.flatnonzero(which)
        made = np.zeros((3 * len(chosen), *values.shape[1:]))
        made[::3] = -values[self.rows[chosen]]
        for j in range(2):
            rows = self.tangents[chosen, j]
            made[j + 1 :: 3][rows >= 0] = -values[rows[rows >= 0]]
        return made

    def gather(self, values: Array, which: Mask, m: int) -> Array:
        """Multipliers of all rows from forces of the chosen pairs (k x 3)."""
        chosen, made = np.flatnonzero(which), np.zeros(m)
        made[self.rows[chosen]] = values[:, 0]
        for j in range(2):
            rows = self.tangents[chosen, j]
            made[rows[rows >= 0]] = values[rows >= 0, j + 1]
        return made


def _taking_part(pairs: Pairs, latches: Array, phi: Array, loose: frozenset[str]) -> tuple[Mask, Mask]:
    """Rows that take part in an instant, and which of all rows act one way only."""
    part = pairs.system.activity(latches) != 0.0
    one_way = np.zeros(len(part), dtype=bool)
    one_way[pairs.rows] = True
    part[pairs.rows] = pairs.touching(latches, phi, loose)
    return part, one_way


def _held(pairs: Pairs, latches: Array) -> Mask:
    """Rows of constraints that act: all but those of pairs."""
    held = pairs.system.activity(latches) != 0.0
    held[pairs.rows] = False
    held[pairs.tangents[pairs.tangents >= 0]] = False
    return held


def close_gaps(eom: Any, pairs: Pairs, s: Instant) -> Array:
    """Coordinates moved onto the constraints and closed gaps, so that nothing that touches is beyond.

    Gaps are seen to close when they are negative by 1e-11 m, and taken to be closed within `TOUCHES`; methods that do
    not project violate constraints by more than either.
    """
    q, acts = s.q.copy(), eom.constraint_system.activity(s.latches) != 0.0
    for _ in range(4):
        phi = eom.constraints(q, t=s.t, p=s.p, latches=s.latches)
        part, one_way = _taking_part(pairs, s.latches, phi, s.loose)
        one_way &= ~acts
        # what flies off starts where it struck, just beyond, so that it has all of its way back before it strikes again
        room = np.zeros(len(phi))
        room[pairs.rows[pairs.is_contact]] = _BEYOND
        room = np.where(one_way, room, 0.0)
        beyond = np.max((phi - room)[part & one_way], initial=0.0)
        if beyond <= 1e-15 and np.max(np.abs(phi[part & ~one_way]), initial=0.0) <= 1e-12:
            break
        J = eom.constraint_jacobian(q, t=s.t, p=s.p, latches=s.latches)[part]
        M = eom.mass_matrix(q, p=s.p)
        q = eom.integrate(q, least_constraint(M, np.zeros(eom.nv), J, (room - phi)[part], one_way[part]).acceleration)
    return q


def hit(eom: Any, pairs: Pairs, s: Instant, *, settled: bool = False) -> Collision:
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
    part, one_way = _taking_part(pairs, s.latches, phi, s.loose)
    if settled:
        one_way &= eom.constraint_system.activity(s.latches) == 0.0
    if np.where(one_way, rate, np.abs(rate))[part].max(initial=0.0) <= _RESTS:
        return Collision(s.v, np.zeros(len(part)), 0.0)
    struck: Impact = impact(M, J[part], rate[part], s.v, one_way[part])
    impulses = np.zeros(len(part))
    impulses[part] = struck.impulses
    return Collision(struck.v, impulses, _taken(rate, J @ (struck.v - s.v), impulses))


def _taken(rate: Array, change: Array, impulses: Array) -> float:
    """Energy that impulses took of rows with these rates and their change; what drives a row does work besides."""
    return float((rate + 0.5 * change) @ impulses)


def _strike(pairs: Pairs, s: Instant, M: Array, J: Array, rate: Array, touch: Mask, e: Array, mu: Array) -> Collision:
    """Impact with restitution and friction, under the constraints that act."""
    held = _held(pairs, s.latches)
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
    made = strike(W, u, e[touch], mu[touch], pairs.poisson[touch])
    v = v + respond(A.T @ made.impulses.ravel())
    impulses += pairs.gather(made.impulses, touch, len(J)) + _answer(M, J, held, A.T @ made.impulses.ravel())
    return Collision(v, impulses, lost + made.energy_lost, made.factor)


def _answer(M: Array, J: Array, held: Mask, force: Array) -> Array:
    """Impulses of all rows with which constraints that hold answer a generalised one."""
    made = np.zeros(len(J))
    made[held] = minimum_norm(M, force, J[held], np.zeros(int(held.sum()))).multipliers
    return made


def rest(eom: Any, pairs: Pairs, s: Instant) -> Collision:
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
    close, (_, mu) = _candidates(pairs, s.latches, phi, rate, s.loose), pairs.coefficients(s.p)
    part, one_way = _held(pairs, s.latches), np.zeros(len(phi), dtype=bool)
    part[pairs.rows[close]] = True
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
        part[rows[rows >= 0]] = True
        struck = impact(M, J[part], rate[part], v, one_way[part])
        change, more = J @ (struck.v - v), np.zeros(len(phi))
        more[part] = struck.impulses
        lost += _taken(rate, change, more)
        rate, v, impulses = rate + change, struck.v, impulses + more


@dataclass(frozen=True, eq=False)
class Terms:
    """Terms of the constrained equations at an instant: ``M a + J^T lambda = f``, ``J a = gamma``."""

    M: Array
    f: Array
    J: Array
    gamma: Array
    phi: Array
    phidot: Array


def settle(
    pairs: Pairs, latches: Array, terms: Terms, loose: frozenset[str], p: Array, ways: Array | None = None
) -> Array:
    """Latches with which the motion goes on: what touches and pulls (pushes) acts, all else is open.

    Contacts with friction that act stick or slip. Where rows are redundant, multipliers are shared.

    Parameters
    ----------
    pairs
        What acts one way only.
    latches
        The latches.
    terms
        Terms of the equations.
    loose
        What has just let go, and what has been seen of pairs at this instant (see `Instant`).
    p
        Parameter values.
    ways
        Of pairs that slip slowly the time by which their friction is ahead of them, and what it is against there (k x
        3); NaN, or None: against their slip.

    Raises
    ------
    NoContactForcesError
        If no forces obey the laws of friction: Painleve's paradox, with the index of the pair.
    SlipsEndError
        If slow slips end within the time by which their friction is ahead of them.
    """
    rubbing = pairs.touching(latches, terms.phi, frozenset()) & pairs.rubs
    if rubbing.any():
        known = np.full((len(pairs.names), 3), np.nan) if ways is None else ways
        return _settle_friction(pairs, latches, terms, loose, p, known)
    taut = _settle_plain(pairs, latches, terms, loose)
    result = latches.copy()
    free = latches[pairs.flags] > -0.5
    result[pairs.flags[free]] = taut[pairs.rows[free]]
    for i in map(int, np.flatnonzero(pairs.rubs)):
        _set_friction(pairs, result, i, Touch.OPEN, np.zeros(3), np.zeros(2))
    return result


def _settle_plain(pairs: Pairs, latches: Array, x: Terms, loose: frozenset[str]) -> Mask:
    """Rows that go on to act, without friction.

    Where rows are redundant the multipliers are shared, those of least norm, among the pairs that keep their gap; a
    pair that would have none, or act the other way, is left out of the sharing.
    """
    part, one_way = _taking_part(pairs, latches, x.phi, loose)
    part &= ~one_way | (x.phidot > -_STILL)
    found = least_constraint(x.M, x.f, x.J[part], x.gamma[part], one_way[part])
    force, opening = np.zeros(len(part)), np.full(len(part), -np.inf)
    force[part], opening[part] = found.multipliers, found.opening
    least = _PULLS * np.max(np.abs(force), initial=1e-6)
    sizes = np.linalg.norm(x.J, axis=1) * np.max(np.abs(found.acceleration), initial=0.0)
    needed = ~one_way & part | (one_way & (force > least))
    acts = needed | (one_way & part & (opening >= -1e-9 * (1.0 + sizes)))
    while (acts & ~needed).any():
        shared = np.zeros(len(part))
        shared[acts] = minimum_norm(x.M, x.f, x.J[acts], x.gamma[acts])[1]
        spare = acts & ~needed & (shared <= least)
        if spare.any():
            acts[int(np.argmin(np.where(spare, shared, np.inf)))] = False
        elif (one_way & acts & (shared <= least)).any():
            acts = needed
        else:
            break
    return acts


def _candidates(pairs: Pairs, latches: Array, phi: Array, phidot: Array, loose: frozenset[str]) -> Mask:
    """Pairs that may go on to act: those that touch and do not open."""
    touch = pairs.touching(
        latches, phi, loose & {n for n, c in zip(pairs.names, pairs.is_contact, strict=True) if not c}
    )
    return touch & (phidot[pairs.rows] > -_STILL) & ~pairs.marked("open", loose)


def _settle_friction(pairs: Pairs, latches: Array, x: Terms, loose: frozenset[str], p: Array, ways: Array) -> Array:
    which = _candidates(pairs, latches, x.phi, x.phidot, loose)
    held = _held(pairs, latches)
    _, mu = pairs.coefficients(p)
    A = pairs.spread(x.J, which)
    W, _ = delassus(x.M, A, x.J[held])
    free = minimum_norm(x.M, x.f, x.J[held], x.gamma[held]).acceleration
    b = A @ free - pairs.spread(x.gamma, which)
    u = pairs.spread(x.phidot, which).reshape(-1, 3)[:, 1:]
    speed = np.hypot(u[:, 0], u[:, 1])
    slips = (mu[which] > 0.0) & (speed > SLIPS)
    toward = np.where(slips[:, None], u / np.maximum(speed, 1e-300)[:, None], np.nan)
    lead, way = ways[which][:, 0], ways[which][:, 1:]
    slip = np.where(slips[:, None] & np.isfinite(way), way, toward)
    # friction of a slow slip is against u + T u', where that is: the law of a pair at rest, with u / T to begin with
    turns = slips & (speed <= _AHEAD * np.abs(b).max(initial=0.0) * np.nan_to_num(lead))
    slip[turns] = np.nan
    b.reshape(-1, 3)[turns, 1:] += u[turns] / lead[turns, None]
    cones = Cones.of(W, b, mu[which], slip, yields=pairs.marked("slip", loose)[which])
    try:
        found = solve_cones(cones)
    except NoContactForcesError as error:
        jams = bool(jammed(cones)[error.pair])
        raise NoContactForcesError(int(np.flatnonzero(which)[error.pair]), jams=jams) from None
    ends = turns & (found.modes == Touch.STICK) & ~pairs.marked("end", loose)[which]
    if ends.any():  # in half of the time that friction against the slip would take, or sooner
        stopped = np.zeros(len(pairs.names), dtype=bool)
        stopped[which] = ends
        raise SlipsEndError(stopped)
    # the force of a pair that lets go is rounding of what it would have to hold, if all the motion were along it
    natural = np.sqrt(free @ x.M @ free / np.maximum(np.diag(W)[::3], 1e-300))
    lets_go = np.array([name in loose for name in pairs.names], dtype=bool)[which]
    begun = pairs.marked("slip", loose)
    result, least = latches.copy(), np.where(lets_go, LETS_GO, _PULLS)
    least *= np.maximum(natural, np.abs(found.p).max(initial=1e-6))
    free_flags = latches[pairs.flags] > -0.5
    result[pairs.flags[free_flags]] = 0.0
    for i in map(int, np.flatnonzero(pairs.rubs)):
        _set_friction(pairs, result, i, Touch.OPEN, np.zeros(3), np.zeros(2))
    for n, i in enumerate(map(int, np.flatnonzero(which))):
        seen = begun[i] or lets_go[n]
        carries = found.modes[n] == Touch.STICK and abs(found.u[n, 0]) == 0.0 and not seen
        if found.p[n, 0] <= least[n] and not carries:
            continue
        result[pairs.flags[i]] = 1.0
        if pairs.rubs[i]:
            mode, way, push = Touch(int(found.modes[n])), toward[n], float(np.hypot(*found.p[n, 1:]))
            if slips[n]:
                mode = Touch.SLIP
            else:  # it slips against the friction that has reached its limit
                limit = (1.0 - LETS_GO if begun[i] else _EDGE) * mu[i] * found.p[n, 0]
                edge = push > 0.0 and push >= limit
                mode, way = (Touch.SLIP, -found.p[n, 1:] / push) if edge else (Touch.STICK, way)
            _set_friction(pairs, result, i, mode, found.p[n], way)
    return result


def _set_friction(pairs: Pairs, latches: Array, i: int, mode: Touch, force: Array, toward: Array) -> None:
    """Write what a pair with friction does into its latches."""
    closed = mode != Touch.OPEN
    way = toward if mode == Touch.SLIP else np.zeros(2)
    latches[pairs.friction[i, :6]] = [float(mode == Touch.STICK), *way, *(force if closed else np.zeros(3))]


def shock(pairs: Pairs, s: Instant, x: Terms, i: int) -> Collision | None:
    """Impact without collision: what Painleve's paradox at pair ``i`` ends in, its slip stopped at once; or None.

    No finite forces obey the laws of friction there; impulses do (P. Painleve, 1895; L. Lecornu): those of an impact of
    all that touches, at which the pair approaches by ever so little. Pushes that keep it slipping would only press it
    on, so its slip ends, or turns round.
    """
    which = _candidates(pairs, s.latches, x.phi, x.phidot, s.loose)
    which[i] = True
    held, n = _held(pairs, s.latches), int(which[:i].sum())
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
