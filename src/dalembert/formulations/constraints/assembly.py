"""Assembly: coordinates with which the constraints of a machine hold and every value that is given is kept.

From the values that are given and the others where the machine has them by nature, in this order:

1. Newton's method, if it ends nearby: the nearest state in the metric of the mass matrix.
2. Where more values are given than the machine has freedoms, the nearest state all the same, if it moves none of them
   by more than ``reach``: numbers as they are typed contradict each other in the last digit.
3. Continuation: from the assembled nominal posture the given values are led to what they are to be, and the machine
   follows, as a mechanism on the bench would. So a sweep of one coordinate stays on one branch.
4. A search from many postures, always the same ones, by the method of Levenberg and Marquardt (J. J. More, "The
   Levenberg-Marquardt algorithm: implementation and theory", Lecture Notes in Mathematics 630, 1978). It takes the
   solution nearest to the posture of 1.

Conditions that cannot be met are refused, with the nearest state that was found and the number of starts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dalembert.core.constraint_algebra import allowed_motions
from dalembert.core.errors import InputError
from dalembert.core.labels import by_name
from dalembert.core.states import named_vector
from dalembert.core.types import Array, StateLike
from dalembert.core.warn import warn
from dalembert.formulations.constraints.conditions import Conditions, Landing, given_sizes, settle
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.model.machine import Machine

__all__ = [
    "STARTS",
    "Assembled",
    "Branch",
    "Solutions",
    "assemble",
    "assembled_members",
    "assembled_start",
    "conditions_of",
    "described",
    "every_assembly",
    "freedoms_left",
    "solutions",
]

STARTS = 64
"""Postures that a search begins from, besides the guess and the nominal posture."""

_REACH = 0.1  # how far given values that contradict each other may be moved, in sizes
_NEAR = 0.5  # how far Newton's method may lead, in sizes, to count as near
_STRIDE = 0.25  # largest change of a given value in one step of continuation, in sizes
_SHORTEST = 1e-3  # smallest step of continuation
_DESCENTS = 120  # steps of Levenberg and Marquardt
_TURN = 0.7  # longest of them, in sizes
_APART = 1e-4  # by how much two solutions differ at least, in sizes
_TOLD = 1e-6  # part of its size that a given value may be moved by without a warning: the rounding of printed digits
_SLACK = 1e-9  # by how much a cable is longer than its way if it is slack
_ASIDE = (0.0, 0.05, 0.3, 1.0)  # how far beside a posture a descent begins, in sizes
_BESIDE = 1e-2  # how far beside a posture it is judged whether it is special, in sizes
_SLIDES = 60  # steps along the solutions toward the guess

Branch = int | Mapping[str, float] | None
"""Which assembly: its number in the list of `dalembert.assemblies`, coordinates that it is near to, or None."""


@dataclass(frozen=True, eq=False)
class Assembled:
    """Assembled coordinates of members.

    Parameters
    ----------
    q
        Coordinates of the machine (N, nq).
    moved
        How far each given value had to be moved (N, k), in radians or metres; zeros where all are kept.
    """

    q: Array
    moved: Array


@dataclass(frozen=True, eq=False)
class Solutions:
    """Results of a search.

    Parameters
    ----------
    q
        Distinct solutions (N, nq): that which a start without a branch takes, then those nearest to the guess, those
        within the limits of the joints first.
    starts
        How many postures it began from.
    nearest
        If there is no solution, the state on the constraints nearest to the given values; None if none was found.
    """

    q: Array
    starts: int
    nearest: Array | None


def conditions_of(
    eom: EquationsOfMotion,
    given: Sequence[int],
    values: Array,
    *,
    t: float,
    p: Array,
    latches: Array,
    q: Array,
) -> Conditions:
    """Return what members (N, nq) must satisfy.

    Rows that act are those of constraints and of cables that are taut; not those of contacts, and not those of
    constraints that hold the machine as it is when they begin to act.
    """
    system = eom.constraint_system
    latches = latches.copy()
    kinds = [
        rows.kind in ("constraint", "cable", "internal") and rows.name not in system.measuring for rows in system.rows
    ]
    counts = (
        np.repeat(kinds, [rows.stop - rows.start for rows in system.rows]) if system.rows else np.zeros(0, dtype=bool)
    )
    phi = eom.constraints(q, t=t, p=p, latches=latches)
    for rows in system.rows:
        if rows.unilateral and rows.kind == "cable":
            latches[:, rows.flag] = np.where(phi[:, rows.start] < -_SLACK, 0.0, latches[:, rows.flag])
    acting = (system.activity(latches) != 0.0) & counts
    return Conditions(eom, tuple(given), values, t, p, latches, acting)


def _tightened(c: Conditions, nominal: Array, q: Array) -> Conditions:
    """Return conditions with the cables taut that are too short at a state without them."""
    latches, phi = c.latches.copy(), c.eom.constraints(q, t=c.t, p=c.p, latches=c.latches)
    acting = c.acting.copy()
    for rows in c.eom.constraint_system.rows:
        if rows.unilateral and rows.kind == "cable" and rows.name not in c.eom.constraint_system.measuring:
            short = (phi[:, rows.start] > _SLACK) & (nominal[:, rows.flag] > 0.5) & ~acting[:, rows.start]
            latches[short, rows.flag] = 1.0
            acting[short, rows.start] = True
    return replace(c, latches=latches, acting=acting)


def assemble(
    eom: EquationsOfMotion,
    q: Array,
    given: Sequence[int],
    *,
    t: float = 0.0,
    p: Array,
    latches: Array | None = None,
    branch: Branch = None,
    reach: float | None = None,
    what: str = "q0",
) -> Assembled:
    """Assemble members of a machine.

    Parameters
    ----------
    eom
        Equations in the machine's own coordinates.
    q
        Coordinates (N, nq): what is given, and of the others where the machine has them by nature.
    given
        Places in ``q`` of the coordinates that are kept.
    t, p
        Time, and parameters (N, np).
    latches
        Latches of the constraints (N, n) or (n,); None: nominal.
    branch
        Which assembly, where there are several.
    reach
        How far given values may be moved (parts of a radian, or of the machine's size); None: not at all, or by 0.1 if
        there are more of them than the machine has freedoms.
    what
        The coordinates, in messages.

    Raises
    ------
    InputError
        If a member has no such state.
    """
    n, system = len(q), eom.constraint_system
    nominal = np.array(
        np.broadcast_to(system.latch_nominal if latches is None else latches, (n, len(system.latch_names)))
    )
    _check_quaternions(eom, q, given, what)
    q = _with_guess(eom, q, given, branch, what)
    values = q[:, list(given)].copy()
    c = conditions_of(eom, given, values, t=t, p=p, latches=nominal, q=q)
    moved, result = np.zeros((n, len(given))), q.copy()
    members = np.arange(n)
    for _ in range(len(system.rows) + 1):
        found, moved[members] = _members(c, q[members], branch, reach, what, members if n > 1 else None)
        result[members] = found
        tight = _tightened(c, nominal[members], found)
        again = (tight.acting != c.acting).any(axis=-1)
        members, c = members[again], tight.of(np.flatnonzero(again))
        if not len(members):
            break
    return Assembled(result, moved)


def _members(
    c: Conditions, q: Array, branch: Branch, reach: float | None, what: str, members: NDArray[np.int64] | None
) -> tuple[Array, Array]:
    """Assembled coordinates of members, and how far given values were moved."""
    result, moved = q.copy(), np.zeros((len(q), len(c.given)))
    closed = np.max(np.abs(c.phi(q)), axis=-1, initial=0.0)
    with np.errstate(invalid="ignore"):
        left = np.flatnonzero(~(closed <= 1e-13)) if not isinstance(branch, int) else np.arange(len(q))
    if len(left) and not isinstance(branch, int) and len(c.given) < c.eom.nq:
        landing = settle(c.of(left), q[left], by_mass=True)
        near = landing.solved & (landing.travel <= _NEAR)
        result[left[near]] = landing.q[near]
        left = left[~near]
    if len(left) and c.given:
        landing = settle(c.without().of(left), q[left], by_mass=True)
        for k in np.flatnonzero(landing.solved):
            one = c.of([left[k]])
            gap = one.moved(landing.q[k : k + 1])[0]
            if gap.max() <= (_REACH if reach is None else reach) and (
                reach is not None or _contradict(one, landing.q[k])
            ):
                result[left[k]] = landing.q[k]
                moved[left[k]] = np.abs(landing.q[k, list(c.given)] - one.values[0])
        left = left[~(moved[left] > 0.0).any(axis=-1)]
    if len(left) and branch is None and len(c.given) < c.eom.nq:
        followed = _followed(c.of(left), q[left])
        result[left[followed.solved]] = followed.q[followed.solved]
        left = left[~followed.solved]
    for i in map(int, left):
        found = solutions(c.of([i]), q[i])
        result[i] = _chosen(c.of([i]), q[i], found, branch, reach, what, None if members is None else int(members[i]))
        moved[i] = np.abs(result[i, list(c.given)] - c.values[i])
    return result, moved


def _contradict(c: Conditions, q: Array) -> bool:
    """Whether the constraints determine some of the given coordinates, or combinations of them, all by themselves.

    At the end of a range they seem to, and do not beside it: that is where it is judged.
    """
    free, one = c.without(), np.eye(c.eom.nv)
    N = allowed_motions(one, free.rows(q[None])[0])
    aside = N @ np.random.default_rng(2).normal(size=N.shape[1])
    aside *= _BESIDE / max(float(np.abs(aside).max(initial=0.0)), 1e-300)
    beside = settle(free, c.eom.integrate(q[None], aside[None] * c.sizes.v))
    x = beside.q if beside.solved[0] else q[None]
    freedoms = allowed_motions(one, free.rows(x)[0]).shape[1]
    left = allowed_motions(one, c.rows(x)[0]).shape[1]
    named = int(np.linalg.matrix_rank(c.rows(x)[0, c.acting.shape[1] :]))
    return freedoms - left < named


def _check_quaternions(eom: EquationsOfMotion, q: Array, given: Sequence[int], what: str) -> None:
    """Refuse quaternions that are no rotations; a component of one is given with the others."""
    for name, start in eom.layout.quaternions:
        length = np.linalg.norm(q[:, start : start + 4], axis=1)
        worst = int(np.argmax(np.abs(length - 1.0)))
        if abs(length[worst] - 1.0) > 1e-6:
            raise InputError(
                f"{what}: the quaternion of joint '{name}' must have unit norm, got norm {length[worst]:g}; give all "
                "four of its components"
            )


def _with_guess(eom: EquationsOfMotion, q: Array, given: Sequence[int], branch: Branch, what: str) -> Array:
    """Coordinates with those of a branch, which some of them identify."""
    if not isinstance(branch, Mapping):
        return q
    q, names = q.copy(), list(eom.machine.q_names)
    for name, value in branch.items():
        if names.index(name) in given:
            raise InputError(f"branch: {name!r} is given in {what}, and kept; the other coordinates identify a branch")
        q[:, names.index(name)] = value
    for _, start in eom.layout.quaternions:
        q[:, start : start + 4] /= np.linalg.norm(q[:, start : start + 4], axis=1, keepdims=True)
    return q


def _closed(c: Conditions, q: Array) -> Landing:
    """Postures on the constraints near others: by Newton's method, or by descent where it does not lead there.

    Links in one line, where many machines have their zero, give no direction to go: then from a little beside.
    """
    landing = settle(c, q, by_mass=True)
    aside = np.where(c.sizes.modes, 0.0, np.random.default_rng(1).normal(size=c.eom.nv)) * c.sizes.v
    for size in _ASIDE:
        lost = np.flatnonzero(~landing.solved)
        if not len(lost):
            break
        begin = c.eom.integrate(q[lost], np.broadcast_to(size * aside, (len(lost), c.eom.nv)))
        again = settle(c.of(lost), _descended(c.of(lost), begin))
        landing.q[lost], landing.solved[lost] = again.q, again.solved
    return landing


def _followed(c: Conditions, q: Array) -> Landing:
    """Lead given values from the assembled nominal posture to what they are to be; the others follow."""
    n, places = len(q), list(c.given)
    start = q.copy()
    start[:, places] = np.broadcast_to(c.eom.q_neutral[places], (n, len(places)))
    free = _closed(c.without(), start)
    x, alive = free.q.copy(), free.solved.copy()
    begun, change = x[:, places].copy(), c.values - x[:, places]
    turning = {i for i, _ in c.sizes.angles}
    for k, i in enumerate(places):
        if i in turning:
            change[:, k] -= 2.0 * np.pi * np.round(change[:, k] / (2.0 * np.pi))
    plain = all(not start <= i < start + 4 for i in places for _, start in c.eom.layout.quaternions)
    if not plain:  # attitudes do not go along straight lines
        return Landing(x, np.zeros(n, dtype=bool), np.zeros(n))
    size = np.max(np.abs(change) / c.given_sizes, axis=-1, initial=0.0)
    s, h = np.zeros(n), np.minimum(1.0, _STRIDE / np.maximum(size, 1e-300))
    while True:
        going = np.flatnonzero(alive & (s < 1.0))
        if not len(going):
            break
        target = np.minimum(1.0, s[going] + h[going])
        part = replace(c.of(going), values=begun[going] + target[:, None] * change[going])
        landing = settle(part, x[going])
        good = landing.solved & (landing.travel <= 2.0 * _STRIDE)
        x[going[good]], s[going[good]] = landing.q[good], target[good]
        h[going] = np.where(good, 1.5 * h[going], 0.5 * h[going])
        alive[going[h[going] < _SHORTEST * np.minimum(1.0, _STRIDE / np.maximum(size[going], 1e-300))]] = False
    exact = c.exact(x)
    solved = alive & (np.max(np.abs(c.phi(exact)), axis=-1, initial=0.0) <= 1e-10)
    return Landing(exact, solved, np.zeros(n))


def _descended(c: Conditions, q: Array) -> Array:
    """Least squares of the errors from many postures (N, nq), by the method of Levenberg and Marquardt."""
    eom, v, q = c.eom, c.sizes.v, q.copy()
    F = c.errors(q)
    cost = _cost(F)
    damping, open_, idle = np.full(len(q), 1e-2), np.arange(len(q)), np.zeros(len(q), dtype=int)
    for _ in range(_DESCENTS):
        open_ = open_[(cost[open_] > 1e-24) & (idle[open_] < 12) & np.isfinite(cost[open_])]
        if not len(open_):
            break
        part = c.of(open_)
        J = part.rows(q[open_])
        J = np.where(np.isfinite(J), J, 0.0)
        A = np.swapaxes(J, -1, -2) @ J + damping[open_, None, None] * np.eye(len(v))
        step = -np.linalg.solve(A, np.einsum("nij,ni->nj", J, F[open_])[..., None])[..., 0]
        step *= np.minimum(1.0, _TURN / np.maximum(np.max(np.abs(step), axis=-1), 1e-300))[:, None]
        new = eom.integrate(q[open_], step * v)
        G = part.errors(new)
        got = _cost(G)
        better = got < cost[open_]
        idle[open_] = np.where(got < (1.0 - 1e-4) * cost[open_], 0, idle[open_] + 1)
        q[open_[better]], F[open_[better]], cost[open_[better]] = new[better], G[better], got[better]
        damping[open_] = np.clip(damping[open_] * np.where(better, 0.2, 5.0), 1e-10, 1e6)
    return q


def _cost(F: Array) -> Array:
    return np.asarray(np.where(np.isfinite(F).all(axis=-1), (F * F).sum(axis=-1), np.inf))


def _postures(c: Conditions, q: Array, n: int) -> Array:
    """Postures to begin a search from: the guess, the nominal posture, and n others, always the same ones."""
    eom, rng = c.eom, np.random.default_rng(0)
    kept = set(c.given)
    starts = np.tile(q, (n + 2, 1))
    limits = {joint.name: joint.limits for joint in eom.machine.joints}
    turning = {i for i, _ in c.sizes.angles}
    for block in eom.layout.moving:
        if block.kind == "modal":
            continue
        quaternion = block.coordinates.quaternion
        for i in range(block.q.start, block.q.stop):
            if i in kept:
                continue
            length = (
                c.sizes.v[block.v.start + i - block.q.start]
                if quaternion is None or i < block.q.start + quaternion
                else 1.0
            )
            scale = np.pi if i in turning else 2.0 * length
            drawn = q[i] + scale * rng.uniform(-1.0, 1.0, n)
            bound = limits.get(block.name)
            if bound is not None and block.q.stop - block.q.start == 1:
                lower, upper = max(bound.lower, q[i] - scale), min(bound.upper, q[i] + scale)
                if lower < upper:
                    drawn = rng.uniform(lower, upper, n)
            starts[2:, i] = drawn
        if quaternion is not None and block.q.start + quaternion not in kept:
            first = block.q.start + quaternion
            Q = rng.normal(size=(n, 4))
            starts[2:, first : first + 4] = Q / np.linalg.norm(Q, axis=1, keepdims=True)
    starts[1] = _closed(c.without(), q[None]).q[0]
    return starts


def solutions(c: Conditions, q: Array, starts: int = STARTS) -> Solutions:
    """Search for all assemblies of one member, from many postures.

    Where freedoms are left, the posture nearest to the guess identifies a branch.

    Parameters
    ----------
    c
        Conditions of one member.
    q
        The guess (nq,): what is given, and the others near which posture.
    starts
        How many postures to try besides the guess and the nominal one.
    """
    begin = _postures(c, q, starts)
    many = c.repeated(len(begin))
    landing = settle(many, _descended(many, begin))
    found = landing.q[landing.solved]
    if not len(found):
        scattered = _postures(c.without(), q, starts)
        both = np.concatenate([landing.q, scattered])
        return Solutions(found, len(begin), _nearest(c.repeated(len(both)), both, q))
    found = _slid(c.repeated(len(found)), found, q)
    found = _near_turns(c, found, q)
    order = np.argsort([_distance(c, q, one) for one in found], kind="stable")
    distinct: list[Array] = []
    for one in found[order]:
        if all(_differs(c, one, other) for other in distinct):
            distinct.append(one)
    ranked = sorted(distinct, key=lambda one: not _within_limits(c.eom, one))
    first = _led_there(c, q)
    if first is not None:
        ranked = [first, *(one for one in ranked if _differs(c, one, first))]
    return Solutions(np.array(ranked), len(begin), None)


def _led_there(c: Conditions, q: Array) -> Array | None:
    """The assembly that the machine is led to without a search; None if there is none."""
    landing = settle(c, q[None], by_mass=True)
    if landing.solved[0] and landing.travel[0] <= _NEAR:
        return np.asarray(landing.q[0])
    followed = _followed(c, q[None])
    return np.asarray(followed.q[0]) if followed.solved[0] else None


def _slid(c: Conditions, found: Array, q: Array) -> Array:
    """Move solutions along what freedom is left to the posture nearest to the guess."""
    if not len(found) or not allowed_motions(np.eye(c.eom.nv), c.of([0]).rows(found[:1])[0]).shape[1]:
        return found
    v, x = c.sizes.v, found.copy()
    gap = np.array([_distance(c, q, one) for one in x])
    pace, open_ = np.ones(len(x)), np.arange(len(x))
    for _ in range(_SLIDES):
        open_ = open_[pace[open_] > 1e-3]
        if not len(open_):
            break
        J = c.of(open_).rows(x[open_])
        step = np.zeros((len(open_), c.eom.nv))
        for k, i in enumerate(open_):
            N = allowed_motions(np.eye(c.eom.nv), J[k])
            toward = N @ (N.T @ _toward(c, x[i], q))
            step[k] = pace[i] * toward * min(1.0, 0.3 / max(float(np.abs(toward).max(initial=0.0)), 1e-300))
        landing = settle(c.of(open_), c.eom.integrate(x[open_], step * v))
        new = np.array([_distance(c, q, one) for one in landing.q])
        better = landing.solved & (new < gap[open_] - 1e-12)
        x[open_[better]], gap[open_[better]] = landing.q[better], new[better]
        pace[open_] = np.where(better, np.minimum(1.0, 2.0 * pace[open_]), 0.3 * pace[open_])
    return x


def _toward(c: Conditions, q: Array, other: Array) -> Array:
    """Displacement from one posture to another, in sizes; angles go the shorter way."""
    other = other.copy()
    for _, start in c.eom.layout.quaternions:
        if np.dot(q[start : start + 4], other[start : start + 4]) < 0.0:
            other[start : start + 4] *= -1.0
    d = np.array(c.eom.difference(q, other))
    for _, j in c.sizes.angles:
        d[j] -= 2.0 * np.pi * np.round(d[j] / (2.0 * np.pi))
    return np.asarray(d / c.sizes.v)


def _distance(c: Conditions, q: Array, other: Array) -> float:
    return float(np.linalg.norm(_toward(c, q, other)))


def _differs(c: Conditions, one: Array, other: Array) -> bool:
    return float(np.abs(_toward(c, one, other)).max(initial=0.0)) > _APART


def _near_turns(c: Conditions, found: Array, q: Array) -> Array:
    """Take full turns off angles that were found, as near to the guess as there are; what counts turns keeps them."""
    turned = found.copy()
    for i, _ in c.sizes.angles:
        if i not in c.given:
            turned[:, i] -= 2.0 * np.pi * np.round((turned[:, i] - q[i]) / (2.0 * np.pi))
    same = np.max(np.abs(c.repeated(len(found)).phi(turned)), axis=-1, initial=0.0) <= 1e-10
    return np.where(same[:, None], turned, found)


def _within_limits(eom: EquationsOfMotion, q: Array) -> bool:
    names = list(eom.machine.q_names)
    return all(
        joint.limits.lower - 1e-9 <= q[names.index(joint.name)] <= joint.limits.upper + 1e-9
        for joint in eom.machine.joints
        if joint.name in names
    )


def _nearest(c: Conditions, q: Array, guess: Array) -> Array | None:
    """State on the constraints whose given coordinates are nearest to their values; the others near to the guess."""
    free = c.without()
    landing = settle(free, _descended(free, q))
    there = landing.q[landing.solved]
    if not len(there):
        return None
    many = c.of(np.flatnonzero(landing.solved))
    apart = np.array([_distance(many, guess, one) for one in there])
    best = np.argsort(np.linalg.norm(many.moved(there), axis=-1) + 1e-3 * apart, kind="stable")[:4]
    x, part = there[best], many.of(best)
    v, gap, pace = part.sizes.v, np.linalg.norm(part.moved(x), axis=-1), np.ones(len(best))
    for _ in range(4 * _SLIDES):
        if not (pace > 1e-8).any():
            break
        J, m = part.rows(x), part.acting.shape[1]
        left, step = part.errors(x)[:, m:], np.zeros((len(x), len(v)))
        for k in range(len(x)):
            N = allowed_motions(np.eye(len(v)), J[k, :m])
            S = J[k, m:] @ N
            step[k] = -N @ (S.T @ left[k])
            step[k] *= pace[k] * min(1.0, 0.3 / max(float(np.abs(step[k]).max(initial=0.0)), 1e-300))
        landing = settle(part.without(), part.eom.integrate(x, step * v))
        new = np.linalg.norm(part.moved(landing.q), axis=-1)
        better = landing.solved & (new < gap)
        x, gap = np.where(better[:, None], landing.q, x), np.where(better, new, gap)
        pace = np.where(better, 2.0 * pace, 0.3 * pace)
    gap += 1e-6 * np.array([_distance(part, guess, one) for one in x])
    return np.asarray(x[int(np.argmin(gap))])


def _chosen(
    c: Conditions, q: Array, found: Solutions, branch: Branch, reach: float | None, what: str, member: int | None
) -> Array:
    """The requested solution; refused if there is none."""
    machine = c.eom.machine
    whose = f"machine '{machine.name}'" + ("" if member is None else f" (member {member})")
    if len(found.q):
        number = branch if isinstance(branch, int) else 0
        if not 0 <= number < len(found.q):
            raise InputError(
                f"branch: {whose} has {len(found.q)} {'assembly' if len(found.q) == 1 else 'assemblies'} with what "
                f"{what} gives, numbered from 0, got {number}; see dalembert.assemblies"
            )
        return np.asarray(found.q[number])
    if found.nearest is not None and c.given:
        gap = c.moved(found.nearest[None])[0]
        contradictory = _contradict(c, found.nearest)
        if gap.max() <= (_REACH if reach is None else reach) and (reach is not None or contradictory):
            return found.nearest
        names = machine.q_names
        asked = ", ".join(f"{names[i]} = {x:.6g}" for i, x in zip(c.given, c.values[0], strict=True))
        together = " together" if len(c.given) > 1 else ""
        fewer = "; name fewer of them, the others follow" if contradictory else ""
        kept = found.nearest.copy()
        kept[list(c.given)] = c.values[0]
        row, off = _furthest(c, kept)
        raise InputError(
            f"{what}: the constraints of {whose} do not allow {_short(asked)}{together}: '{row}' would be off "
            f"by {off:.4g}; {found.starts} starts were tried; the nearest state that was found is "
            f"{described(machine.q_names, found.nearest)}{fewer}"
        )
    if not np.isfinite(c.phi(q[None])).all():
        row = c.eom.constraint_system.row_names[int(np.argmax(~np.isfinite(c.phi(q[None])[0])))]
        raise InputError(
            f"constraint '{row}' of {whose} has no value at {what}; of a cable: is its pulley larger than the "
            "distance, or the distance zero?"
        )
    row, _ = _furthest(c, settle(c.without(), q[None]).q[0])
    raise InputError(
        f"{what}: no state satisfies the constraints of {whose}: {found.starts} starts were tried, and '{row}' stays "
        "off"
    )


def _furthest(c: Conditions, q: Array) -> tuple[str, float]:
    """Row that is off by most in a posture, and by how much."""
    phi = np.abs(c.phi(q[None]) * c.sizes.rows)[0]
    phi = np.where(np.isfinite(phi), phi, np.inf)
    return c.eom.constraint_system.row_names[int(np.argmax(phi))], float(phi.max())


def _short(text: str) -> str:
    return text if len(text) <= 300 else text[:297] + "..."


def described(names: Sequence[str], q: Array) -> str:
    """Coordinates by name, as a message has them."""
    return _short(", ".join(f"{name} = {x:.6g}" for name, x in zip(names, q, strict=True)))


def assembled_start(
    eom: EquationsOfMotion,
    q0: StateLike,
    *,
    t: float = 0.0,
    p: Array,
    latches: Array | None = None,
    branch: Branch = None,
    reach: float | None = None,
    what: str = "q0",
) -> tuple[Array, float]:
    """Return the coordinates of the machine at a start, and how far the farthest of those that are given was moved.

    It is reported where that is more than rounding.

    Parameters
    ----------
    eom
        The equations, in any coordinates.
    q0
        Coordinates of the machine: by name, and the others follow; all of them; or None.
    t, p
        Time and parameter values.
    latches, branch, reach, what
        As in `assemble`.
    """
    names, q0 = eom.machine.q_names, by_name(q0, what)
    q = named_vector(q0, names, eom.machine.q_neutral, what)[None]
    given: Sequence[str] = names if q0 is not None and not isinstance(q0, Mapping) else tuple(q0 or ())
    result = assembled_members(eom, q, given, t=t, p=p[None], latches=latches, branch=branch, reach=reach, what=what)
    return result.q[0], float(result.moved.max(initial=0.0))


def every_assembly(
    eom: EquationsOfMotion, q0: StateLike, *, t: float, p: Array, starts: int = STARTS, what: str = "q0"
) -> Solutions:
    """Return all assemblies of one machine that a search finds; refused if there is none.

    Parameters
    ----------
    eom
        The equations, in any coordinates.
    q0
        Coordinates of the machine that are given.
    t, p
        Time and parameter values.
    starts, what
        As in `solutions` and `assemble`.
    """
    own, names, q0 = eom.in_machine_coordinates(), eom.machine.q_names, by_name(q0, what)
    q = named_vector(q0, names, eom.machine.q_neutral, what)
    places = _given_places(own, names if q0 is not None and not isinstance(q0, Mapping) else tuple(q0 or ()))
    _check_quaternions(own, q[None], places, what)
    nominal = own.constraint_system.latch_nominal[None]
    c = conditions_of(own, places, q[None, list(places)], t=t, p=p[None], latches=nominal, q=q[None])
    found = solutions(c, q, starts)
    if not len(found.q):
        _chosen(c, q, found, None, None, what, None)
    return found


def assembled_members(
    eom: EquationsOfMotion,
    q: Array,
    given: Sequence[str],
    *,
    t: float,
    p: Array,
    latches: Array | None = None,
    branch: Branch = None,
    reach: float | None = None,
    what: str = "q0",
) -> Assembled:
    """Assemble members as `assemble` does, from equations in any coordinates; report given values that were moved.

    Parameters
    ----------
    eom
        The equations.
    q
        Coordinates of the machine (N, nq).
    given
        Names of those that are given.
    t, p, latches, branch, reach, what
        As in `assemble`; parameters (N, np).
    """
    machine = eom.machine
    branch = _checked_branch(machine, branch)
    if not machine.constrained:
        if branch is not None:
            raise InputError(f"branch: machine '{machine.name}' has no constraints, and one assembly only")
        return Assembled(q, np.zeros((len(q), len(given))))
    own = eom.in_machine_coordinates()
    if latches is not None and own is not eom:
        latches = _latches_of(own, eom, np.asarray(latches))
    places = _given_places(own, given)
    result = assemble(own, q, places, t=t, p=p, latches=latches, branch=branch, reach=reach, what=what)
    _tell_moved(own, places, q, result, what)
    return result


def freedoms_left(eom: EquationsOfMotion, q: Array, given: Sequence[str], *, t: float, p: Array) -> int | None:
    """Return how many freedoms are left at a state (nq,) if some coordinates are kept.

    None if the constraints do not leave these coordinates free, or one of them belongs to a quaternion.
    """
    own = eom.in_machine_coordinates()
    places = _given_places(own, given)
    if any(start <= i < start + 4 for i in places for _, start in own.layout.quaternions):
        return None
    nominal = own.constraint_system.latch_nominal[None]
    c = conditions_of(own, places, q[None, list(places)], t=t, p=p[None], latches=nominal, q=q[None])
    freedoms = allowed_motions(np.eye(own.nv), c.without().rows(q[None])[0]).shape[1]
    left = allowed_motions(np.eye(own.nv), c.rows(q[None])[0]).shape[1]
    return left if freedoms - left == len(places) else None


def _latches_of(own: EquationsOfMotion, eom: EquationsOfMotion, latches: Array) -> Array:
    """Latches of equations in the machine's coordinates, from those of others, by name."""
    there, here = own.constraint_system, eom.constraint_system
    shared = [name for name in there.latch_names if name in here.latch_names]
    result = np.array(np.broadcast_to(there.latch_nominal, (*latches.shape[:-1], len(there.latch_names))))
    result[..., [there.latch_index(n) for n in shared]] = latches[..., [here.latch_index(n) for n in shared]]
    return result


def _given_places(eom: EquationsOfMotion, given: Sequence[str]) -> tuple[int, ...]:
    """Places of coordinates by name; of a quaternion all four are given, or none."""
    places = {eom.machine.q_names.index(name) for name in given}
    for _, start in eom.layout.quaternions:
        whole = set(range(start, start + 4))
        places |= whole if places & whole else set()
    return tuple(sorted(places))


def _checked_branch(machine: Machine, branch: object) -> Branch:
    if branch is None or (isinstance(branch, int | np.integer) and not isinstance(branch, bool)):
        if branch is not None and branch < 0:
            raise InputError(f"branch must be a number from 0 on, or coordinates by name, got {branch!r}")
        return None if branch is None else int(branch)
    if not isinstance(branch, Mapping):
        raise InputError(f"branch must be a number from 0 on, or coordinates by name, got {branch!r}")
    named_vector(branch, machine.q_names, machine.q_neutral, "branch")
    return {str(name): float(value) for name, value in branch.items()}


def _tell_moved(eom: EquationsOfMotion, places: tuple[int, ...], asked: Array, result: Assembled, what: str) -> None:
    """Tell of the given value that was moved farthest, if that is more than rounding."""
    if not places or not result.moved.any():
        return
    sizes = given_sizes(eom, places)
    member, k = (int(x) for x in np.unravel_index(int(np.argmax(result.moved / sizes)), result.moved.shape))
    if result.moved[member, k] <= _TOLD * sizes[k]:
        return
    name, i = eom.machine.q_names[places[k]], places[k]
    whose = f" of member {member}" if len(asked) > 1 else ""
    warn(
        f"{what}: the coordinates{whose} contradict the constraints of machine '{eom.machine.name}' and were moved by "
        f"up to {result.moved[member, k]:.3g}: {name!r} starts at {result.q[member, i]:.6g} instead of "
        f"{asked[member, i]:g}"
    )
