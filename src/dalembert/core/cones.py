"""The laws of contacts with Coulomb friction, by how much forces break them, and the forces of given modes.

All is a question about the relative velocities (at an impact) or accelerations (in sustained contact) of k pairs,

    u = W p + b,        W = A M^-1 A^T,

with the rows ``A`` of a normal and two tangents each (those of constraints that hold are eliminated in ``W`` and
``b``), and impulses or forces ``p`` with

    0 <= p_n,  u_n >= 0,  p_n u_n = 0;        |p_t| <= mu p_n,  u_t = 0  or  p_t = -mu p_n u_t / |u_t|.

Cables that only pull are pairs without friction. Nothing here knows of machines; arrays in, arrays out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from dalembert.core.constraint_algebra import RANK_TOLERANCE, pulling
from dalembert.core.types import Array

__all__ = [
    "Cones",
    "NoContactForcesError",
    "Solution",
    "Touch",
    "eased",
    "fault",
    "jammed",
    "linear",
    "polished",
    "shared",
    "tolerance",
    "without_friction",
]

_TIGHT = 1e-11  # part of the largest velocity that counts as none
_INNER = 1.0 - 1e-9  # part of the cone within which friction that is shared freely must stay
_LEAST = 1e-12  # part of the largest normal force below which friction is shared as if it were that: what all but lifts
_YIELDS = 1e-6  # part of its share of friction that a pair takes which leaves it to others


class Touch(IntEnum):
    """What a pair does."""

    OPEN = 0
    STICK = 1
    SLIP = 2


class NoContactForcesError(ArithmeticError):
    """No forces fulfil the laws: Painleve's paradox at the pair of the given index, certainly if it ``jams``."""

    def __init__(self, pair: int, *, jams: bool = False) -> None:
        super().__init__(pair)
        self.pair, self.jams = pair, jams


@dataclass(frozen=True, eq=False)
class Cones:
    """What is asked: ``u = W p + b`` of k pairs, three rows each.

    Parameters
    ----------
    W, b
        Matrix (3k x 3k) and right side (3k).
    mu
        Coefficients of friction (k).
    slip
        Directions in which pairs slip already (k x 2), NaN where they do not: there friction is what it has to be.
    preload
        Normal impulses that act besides ``p_n`` and count for friction (k).
    yields
        Pairs that leave friction to others if these can bear it (k).
    """

    W: Array
    b: Array
    mu: Array
    slip: Array
    preload: Array
    yields: NDArray[np.bool_]

    @staticmethod
    def of(
        W: Array,
        b: Array,
        mu: Array,
        slip: Array | None = None,
        preload: Array | None = None,
        yields: NDArray[np.bool_] | None = None,
    ) -> Cones:
        """Make them; nothing slips yet, no other impulses act and no pair yields unless given."""
        k = len(mu)
        return Cones(
            W,
            b,
            mu,
            np.full((k, 2), np.nan) if slip is None else slip,
            np.zeros(k) if preload is None else preload,
            np.zeros(k, dtype=bool) if yields is None else yields,
        )


@dataclass(frozen=True, eq=False)
class Solution:
    """Forces or impulses ``p`` (k x 3), relative velocities ``u`` (k x 3), and what each pair does (k)."""

    p: Array
    u: Array
    modes: NDArray[np.int64]


def jammed(c: Cones) -> NDArray[np.bool_]:
    """Which pairs slip so that no push of theirs would part them: ``W_nn - mu W_nt d`` is not positive.

    Forces grow without bounds where this pivot vanishes, and beyond they would press what they should part (P.
    Painleve, 1895): such a pair may open, or its slip is stopped at once.
    """
    k = len(c.mu)
    W = c.W.reshape(k, 3, k, 3)[np.arange(k), 0, np.arange(k)]
    pivot = W[:, 0] - c.mu * (W[:, 1:] * np.nan_to_num(c.slip)).sum(axis=1)
    return np.isfinite(c.slip[:, 0]) & (pivot <= RANK_TOLERANCE * W[:, 0])


def tolerance(c: Cones) -> float:
    """Velocity that counts as none."""
    return _TIGHT * float(np.abs(c.b).max(initial=0.0)) + 1e-300


def fault(c: Cones, s: Solution) -> float:
    """By how much a solution breaks the laws, as a relative velocity."""
    lengths = np.diag(c.W)[::3]
    p, u, size = s.p, s.u, np.hypot(s.u[:, 1], s.u[:, 2])
    limit = c.mu * (p[:, 0] + c.preload)
    faults = [np.abs(np.minimum(p[:, 0] * lengths, u[:, 0])), np.maximum(-u[:, 0], 0.0)]
    push = np.hypot(p[:, 1], p[:, 2])
    faults.append(lengths * np.maximum(push - limit - 1e-12 * np.abs(p).max(initial=0.0), 0.0))
    faults.append(np.where(jammed(c), lengths * p[:, 0], 0.0))
    free = (c.mu > 0.0) & ~np.isfinite(c.slip[:, 0])
    # where it slips, friction is against it and at its limit: (u_t, p_t) + |u_t| limit = 0
    against = np.where(size > 0.0, (u[:, 1] * p[:, 1] + u[:, 2] * p[:, 2]) / np.maximum(size, 1e-300) + limit, 0.0)
    faults.append(np.where(free, np.minimum(size, lengths * np.abs(against)), 0.0))
    return float(np.max(faults, initial=0.0))


def linear(c: Cones, modes: NDArray[np.int64], near: Array | None, weights: Array, d: Array) -> Array:
    """Forces with ``u_n = 0`` where pairs push and ``u_t = 0`` where they stick, as near as can be to given ones."""
    k = len(modes)
    E: list[Array] = []
    rows: list[int] = []
    fixed = np.zeros(3 * k)
    for i in range(k):
        if modes[i] == Touch.OPEN:
            continue
        e = np.zeros(3 * k)
        e[3 * i] = 1.0
        if modes[i] == Touch.SLIP:
            e[3 * i + 1 : 3 * i + 3] = -c.mu[i] * d[i]
            fixed[3 * i + 1 : 3 * i + 3] = -c.mu[i] * c.preload[i] * d[i]
        E.append(e * weights[i, 0])
        rows.append(3 * i)
        if modes[i] == Touch.STICK and c.mu[i] > 0.0:
            for j in (1, 2):
                if c.W[3 * i + j, 3 * i + j] > 0.0:
                    e = np.zeros(3 * k)
                    e[3 * i + j] = weights[i, j]
                    E.append(e)
                    rows.append(3 * i + j)
    if not E:
        return fixed.reshape(k, 3)
    basis = np.array(E).T
    S = (c.W @ basis)[rows]
    z = np.zeros(len(rows))
    if near is not None:
        z = np.array([near.ravel()[r] / basis[r, j] for j, r in enumerate(rows)])
    right = -(c.W @ fixed + c.b)[rows]
    lengths = np.sqrt(np.diag(c.W)[rows])
    for _ in range(3):  # what rounding leaves of an ill-conditioned system is taken away by repetition
        z = z + np.linalg.lstsq(S / lengths[:, None], (right - S @ z) / lengths, rcond=RANK_TOLERANCE**2)[0]
    return (fixed + basis @ z).reshape(k, 3)


def shared(c: Cones, modes: NDArray[np.int64]) -> Solution | None:
    """Solution with these modes, redundant forces in proportion to the normal ones; None if it breaks a law.

    What is open may do what it likes. Pairs that yield have as little friction as they can, or are like all others.
    """
    yielding = _shared_with(c, modes, _YIELDS) if c.yields.any() else None
    return _shared_with(c, modes, 1.0) if yielding is None else yielding


def _shared_with(c: Cones, modes: NDArray[np.int64], share: float) -> Solution | None:
    """Solution in which pairs that yield take a part of their share."""
    k = len(modes)
    weights = np.ones((k, 3))
    solution = None
    for _ in range(2):
        z = linear(c, modes, None, weights, c.slip)
        solution = Solution(z, (c.W @ z.ravel() + c.b).reshape(k, 3), modes.copy())
        largest = float(z[:, 0].max(initial=0.0))
        if largest <= 0.0:
            break
        shares = np.where(c.yields, share, 1.0) * np.clip(z[:, 0] / largest, _LEAST, 1.0)
        weights[:, 1:] = np.sqrt(shares)[:, None]
    if solution is None:
        return None
    least = 1e-13 * float(np.abs(solution.p).max(initial=0.0))
    stuck, acts = modes == Touch.STICK, modes != Touch.OPEN
    inside = np.hypot(solution.p[:, 1], solution.p[:, 2]) <= _INNER * c.mu * (solution.p[:, 0] + c.preload)
    still = np.abs(solution.u[:, 0]) <= tolerance(c)
    held = ~stuck | (np.abs(solution.u[:, 1:]).max(axis=1, initial=0.0) <= tolerance(c)) | (c.mu == 0.0)
    if (
        not jammed(c).any()
        and (solution.p[:, 0] > least)[acts].all()
        and (inside | ~stuck | (c.mu == 0.0)).all()
        and still[acts].all()
        and held.all()
    ):
        return solution
    return None


def eased(c: Cones, s: Solution) -> Solution:
    """Return the same motion with the forces of all that is at rest shared in proportion to the normal ones.

    Searches end where they first fulfil the laws: with friction at its limit where less would do, and with pairs that
    touch but carry nothing. Where shared forces break a law, they are shared among those that push, or stay as found.
    """
    least = 10.0 * tolerance(c)
    rests = ~np.isfinite(c.slip[:, 0]) & (np.abs(s.u[:, 0]) <= least)
    rests &= (np.abs(s.u[:, 1:]).max(axis=1) <= least) | (c.mu == 0.0)
    for which in (rests, rests & (s.modes == Touch.STICK)):
        if not which.any():
            break
        kept = np.where(which[:, None], 0.0, s.p)
        free = Cones.of(c.W, c.b + c.W @ kept.ravel(), c.mu, preload=c.preload, yields=c.yields)
        relaxed = shared(free, np.where(which, Touch.STICK, Touch.OPEN))
        if relaxed is not None:
            return Solution(relaxed.p + kept, relaxed.u, np.where(which, Touch.STICK, s.modes))
    return s


def polished(c: Cones, modes: NDArray[np.int64], near: Array) -> Solution | None:
    """Solution with these modes to the last digit; None if it breaks a law."""
    k = len(modes)
    d = c.slip.copy()
    known = np.isfinite(d[:, 0])
    p, weights = near, np.ones((k, 3))
    u = (c.W @ p.ravel() + c.b).reshape(k, 3)
    for _ in range(60):
        for i in np.flatnonzero((modes == Touch.SLIP) & ~known):
            size = math.hypot(u[i, 1], u[i, 2])
            push = math.hypot(near[i, 1], near[i, 2])
            if size > 0.0:
                d[i] = u[i, 1:] / size
            elif push > 0.0:
                d[i] = -near[i, 1:] / push
            else:
                return None
        before = p
        p = linear(c, modes, near, weights, d)
        u = (c.W @ p.ravel() + c.b).reshape(k, 3)
        if np.abs(p - before).max(initial=0.0) <= 1e-14 * np.abs(p).max(initial=0.0):
            break
    solution = Solution(p, u, modes.copy())
    return solution if fault(c, solution) <= 10.0 * tolerance(c) else None


def without_friction(c: Cones) -> Solution:
    """Solution without friction, a convex problem, by the method of active sets."""
    W, b = c.W[::3, ::3], c.b[::3]
    values, vectors = np.linalg.eigh(W)
    X = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    sizes = np.maximum(np.linalg.norm(X, axis=0), 1e-300)
    violation = -b / sizes
    x, feasible = pulling(X / sizes, violation, _TIGHT * float(np.abs(violation).max(initial=0.0)))
    p = np.zeros((len(b), 3))
    p[:, 0] = x / sizes
    u = (c.W @ p.ravel() + c.b).reshape(-1, 3)
    if not feasible:
        raise NoContactForcesError(int(np.argmin(u[:, 0])))
    return Solution(p, u, np.where(p[:, 0] > 0.0, Touch.STICK, Touch.OPEN))
