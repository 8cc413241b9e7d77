"""The search for assemblies: states on the constraints with the given values, from one posture or from many.

`followed` leads given values from the assembled nominal posture to their targets, and `solutions` searches for all
assemblies of a member, from postures that are always the same ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dalembert.core.constraint_algebra import allowed_motions
from dalembert.core.types import Array
from dalembert.formulations.constraints.conditions import Conditions, Landing, settle
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["NEAR", "STARTS", "Solutions", "followed", "solutions"]

STARTS = 64
"""Postures that a search begins from, besides the guess and the nominal posture."""

NEAR = 0.5
"""How far Newton's method may lead, in sizes, to count as near."""

_STRIDE = 0.25  # largest change of a given value in one step of continuation, in sizes
_SHORTEST = 1e-3  # smallest step of continuation
_DESCENTS = 120  # steps of Levenberg and Marquardt
_TURN = 0.7  # longest of them, in sizes
_APART = 1e-4  # by how much two solutions differ at least, in sizes
_ASIDE = (0.0, 0.05, 0.3, 1.0)  # how far beside a posture a descent begins, in sizes
_SLIDES = 60  # steps along the solutions toward the guess


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


def _closed_nearby(c: Conditions, q: Array) -> Landing:
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


def followed(c: Conditions, q: Array) -> Landing:
    """Lead given values from the assembled nominal posture to their targets; the others follow."""
    n, places = len(q), list(c.given)
    if any(first <= i < first + 4 for i in places for _, first in c.eom.layout.quaternions):
        return Landing(q, np.zeros(n, dtype=bool), np.zeros(n))  # attitudes do not go along straight lines
    start = q.copy()
    start[:, places] = np.broadcast_to(c.eom.q_neutral[places], (n, len(places)))
    free = _closed_nearby(c.without(), start)
    x, alive = free.q.copy(), free.solved.copy()
    begun, change = x[:, places].copy(), c.values - x[:, places]
    turning = {i for i, _ in c.sizes.angles}
    for k, i in enumerate(places):
        if i in turning:
            change[:, k] -= 2.0 * np.pi * np.round(change[:, k] / (2.0 * np.pi))
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
    starts[1] = _closed_nearby(c.without(), q[None]).q[0]
    return starts


def solutions(c: Conditions, q: Array, starts: int = STARTS) -> Solutions:
    """Search for all assemblies of one member, from many postures.

    Where freedoms are left, the posture nearest to the guess identifies a branch.

    Parameters
    ----------
    c
        Conditions of one member.
    q
        The guess (nq,): the given values, and the others near which posture.
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
        return Solutions(found, len(begin), _nearest_to_given(c.repeated(len(both)), both, q))
    found = _slid_to_guess(c.repeated(len(found)), found, q)
    found = _turned_to_guess(c, found, q)
    order = np.argsort([_distance(c, q, one) for one in found], kind="stable")
    distinct: list[Array] = []
    for one in found[order]:
        if all(_differs(c, one, other) for other in distinct):
            distinct.append(one)
    ranked = sorted(distinct, key=lambda one: not _within_limits(c.eom, one))
    first = _without_search(c, q)
    if first is not None:
        ranked = [first, *(one for one in ranked if _differs(c, one, first))]
    return Solutions(np.array(ranked), len(begin), None)


def _without_search(c: Conditions, q: Array) -> Array | None:
    """The assembly that the machine is led to without a search; None if there is none."""
    landing = settle(c, q[None], by_mass=True)
    if landing.solved[0] and landing.travel[0] <= NEAR:
        return np.asarray(landing.q[0])
    landing = followed(c, q[None])
    return np.asarray(landing.q[0]) if landing.solved[0] else None


def _slid_to_guess(c: Conditions, found: Array, q: Array) -> Array:
    """Move solutions along the remaining freedom to the posture nearest to the guess."""
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
            toward = N @ (N.T @ _displacement(c, x[i], q))
            step[k] = pace[i] * toward * min(1.0, 0.3 / max(float(np.abs(toward).max(initial=0.0)), 1e-300))
        landing = settle(c.of(open_), c.eom.integrate(x[open_], step * v))
        new = np.array([_distance(c, q, one) for one in landing.q])
        better = landing.solved & (new < gap[open_] - 1e-12)
        x[open_[better]], gap[open_[better]] = landing.q[better], new[better]
        pace[open_] = np.where(better, np.minimum(1.0, 2.0 * pace[open_]), 0.3 * pace[open_])
    return x


def _displacement(c: Conditions, q: Array, other: Array) -> Array:
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
    return float(np.linalg.norm(_displacement(c, q, other)))


def _differs(c: Conditions, one: Array, other: Array) -> bool:
    return float(np.abs(_displacement(c, one, other)).max(initial=0.0)) > _APART


def _turned_to_guess(c: Conditions, found: Array, q: Array) -> Array:
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


def _nearest_to_given(c: Conditions, q: Array, guess: Array) -> Array | None:
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
