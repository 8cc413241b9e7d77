"""What acts after an instant, sticks, slips or opens."""

from __future__ import annotations

import numpy as np

from dalembert.core.constraint_algebra import least_constraint, minimum_norm
from dalembert.core.contact_algebra import Cones, NoContactForcesError, Touch, delassus, jammed, solve_cones
from dalembert.core.types import Array
from dalembert.loop.pairs import LETS_GO, SLIPS, STILL, Mask, Pairs, Terms, candidates, held_rows, taking_part

__all__ = ["SlipsEndError", "settle"]

_EDGE = 1.0 - 1e-9  # part of the limit of friction from which on a contact slips
_PULLS = 1e-9  # part of the largest multiplier that counts as one
_AHEAD = 10.0  # times what accelerates pairs, up to which u / T of a slow slip is told from them


class SlipsEndError(ArithmeticError):
    """Slow slips of some pairs end before their friction could turn: they come to rest (see `rest`)."""

    def __init__(self, pairs: Mask) -> None:
        super().__init__(pairs)
        self.pairs = pairs


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
    active, one_way = taking_part(pairs, latches, x.phi, loose)
    active &= ~one_way | (x.phidot > -STILL)
    solution = least_constraint(x.M, x.f, x.J[active], x.gamma[active], one_way[active])
    force, opening = np.zeros(len(active)), np.full(len(active), -np.inf)
    force[active], opening[active] = solution.multipliers, solution.opening
    least = _PULLS * np.max(np.abs(force), initial=1e-6)
    sizes = np.linalg.norm(x.J, axis=1) * np.max(np.abs(solution.acceleration), initial=0.0)
    needed = ~one_way & active | (one_way & (force > least))
    acts = needed | (one_way & active & (opening >= -1e-9 * (1.0 + sizes)))
    while (acts & ~needed).any():
        shared = np.zeros(len(active))
        shared[acts] = minimum_norm(x.M, x.f, x.J[acts], x.gamma[acts])[1]
        spare = acts & ~needed & (shared <= least)
        if spare.any():
            acts[int(np.argmin(np.where(spare, shared, np.inf)))] = False
        elif (one_way & acts & (shared <= least)).any():
            acts = needed
        else:
            break
    return acts


def _settle_friction(pairs: Pairs, latches: Array, x: Terms, loose: frozenset[str], p: Array, ways: Array) -> Array:
    which = candidates(pairs, latches, x.phi, x.phidot, loose)
    held = held_rows(pairs, latches)
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
        solution = solve_cones(cones)
    except NoContactForcesError as error:
        jams = bool(jammed(cones)[error.pair])
        raise NoContactForcesError(int(np.flatnonzero(which)[error.pair]), jams=jams) from None
    ends = turns & (solution.modes == Touch.STICK) & ~pairs.marked("end", loose)[which]
    if ends.any():  # in half of the time that friction against the slip would take, or sooner
        stopped = np.zeros(len(pairs.names), dtype=bool)
        stopped[which] = ends
        raise SlipsEndError(stopped)
    # the force of a pair that lets go is rounding of what it would have to hold, if all the motion were along it
    natural = np.sqrt(free @ x.M @ free / np.maximum(np.diag(W)[::3], 1e-300))
    lets_go = np.array([name in loose for name in pairs.names], dtype=bool)[which]
    begun = pairs.marked("slip", loose)
    result, least = latches.copy(), np.where(lets_go, LETS_GO, _PULLS)
    least *= np.maximum(natural, np.abs(solution.p).max(initial=1e-6))
    free_flags = latches[pairs.flags] > -0.5
    result[pairs.flags[free_flags]] = 0.0
    for i in map(int, np.flatnonzero(pairs.rubs)):
        _set_friction(pairs, result, i, Touch.OPEN, np.zeros(3), np.zeros(2))
    for n, i in enumerate(map(int, np.flatnonzero(which))):
        seen = begun[i] or lets_go[n]
        carries = solution.modes[n] == Touch.STICK and abs(solution.u[n, 0]) == 0.0 and not seen
        if solution.p[n, 0] <= least[n] and not carries:
            continue
        result[pairs.flags[i]] = 1.0
        if pairs.rubs[i]:
            mode, way, push = Touch(int(solution.modes[n])), toward[n], float(np.hypot(*solution.p[n, 1:]))
            if slips[n]:
                mode = Touch.SLIP
            else:  # it slips against the friction that has reached its limit
                limit = (1.0 - LETS_GO if begun[i] else _EDGE) * mu[i] * solution.p[n, 0]
                edge = push > 0.0 and push >= limit
                mode, way = (Touch.SLIP, -solution.p[n, 1:] / push) if edge else (Touch.STICK, way)
            _set_friction(pairs, result, i, mode, solution.p[n], way)
    return result


def _set_friction(pairs: Pairs, latches: Array, i: int, mode: Touch, force: Array, toward: Array) -> None:
    """Write what a pair with friction does into its latches."""
    closed = mode != Touch.OPEN
    way = toward if mode == Touch.SLIP else np.zeros(2)
    latches[pairs.friction[i, :6]] = [float(mode == Touch.STICK), *way, *(force if closed else np.zeros(3))]
