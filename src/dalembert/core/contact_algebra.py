"""The algebra of contacts with Coulomb friction: which of them push, stick, slip and open, and with which forces.

The laws are those of ``cones``. Here they are solved, in sustained contact and at impacts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalembert.core.cone_search import newton, pivoted, project, sweep
from dalembert.core.cones import (
    Cones,
    NoContactForcesError,
    Solution,
    Touch,
    eased,
    fault,
    jammed,
    linear,
    polished,
    shared,
    tolerance,
    without_friction,
)
from dalembert.core.constraint_algebra import factorise
from dalembert.core.types import Array

__all__ = [
    "Cones",
    "NoContactForcesError",
    "Solution",
    "Strike",
    "Touch",
    "delassus",
    "jammed",
    "linear",
    "solve_cones",
    "strike",
]

_SWEEPS = 1000
_ATTEMPTS = 3
_NEARLY = 1e-7  # part of the velocities by which the laws may be missed: bodies that all but lie on a plane


def delassus(M: Array, A: Array, held: Array) -> tuple[Array, Callable[[Array], Array]]:
    """``W = A P A^T`` and the function ``f -> P f``: what forces do under constraints that hold.

    Parameters
    ----------
    M
        Mass matrix.
    A
        Rows of the pairs (3k x nv).
    held
        Rows of constraints that hold.
    """
    F = factorise(M, held)
    U = F.reactions

    def inward(x: Array) -> Array:
        y = np.linalg.solve(F.L, x)
        return np.asarray(y - U @ (U.T @ y))

    Y = inward(A.T)

    def respond(f: Array) -> Array:
        return np.asarray(np.linalg.solve(F.L.T, inward(f)))

    return np.asarray(Y.T @ Y), respond


def solve_cones(c: Cones, start: Array | None = None) -> Solution:
    """Find forces that fulfil the laws.

    First with all pairs pushing and none beginning to slip, where redundant forces are shared in proportion to the
    normal ones; then by Newton's method from a few projections, or from pivots where pairs depend on each other so
    nearly that projections do not tell them apart (a flat chain that rubs); last by Gauss-Seidel sweeps with exact
    solutions pair by pair (J. J. Moreau; M. Jean). These tell the modes, whose equations are linear.

    Parameters
    ----------
    c
        What is asked.
    start
        Forces to begin with (k x 3).

    Raises
    ------
    NoContactForcesError
        If there are none.
    """
    k = len(c.mu)
    sliding = np.isfinite(c.slip[:, 0])
    jams = jammed(c)
    driven = (np.diag(c.W)[::3] <= 0.0) & (c.b[::3] < 0.0)  # by constraints: no force keeps it back
    if driven.any():
        raise NoContactForcesError(int(np.argmax(driven)))
    if k == 1 and jams[0] and c.b[0] < 0.0:  # of several the others may carry it
        raise NoContactForcesError(0)
    first = np.where(sliding, Touch.SLIP, Touch.STICK)
    guess = shared(c, first)
    if guess is not None:
        return guess
    if not c.mu.any():
        return without_friction(c)
    p = np.zeros((k, 3)) if start is None else start.copy()
    scale = float(np.abs(c.b).max(initial=0.0))
    best: Solution | None = None
    for attempt in range(_ATTEMPTS + 1):  # the last one from forces found by pivots
        if attempt < _ATTEMPTS:
            project(c, p, 40 * (attempt + 1))
        else:
            begun = pivoted(c)
            if begun is None:
                break
            p = begun
        candidate = newton(c, p)
        if fault(c, candidate) <= 10.0 * tolerance(c):
            return eased(c, polished(c, candidate.modes, candidate.p) or candidate)
        if best is None or fault(c, candidate) < fault(c, best):
            best = candidate
    if best is not None and fault(c, best) <= _NEARLY * scale:
        return eased(c, best)
    modes = np.full(k, -1)
    for count in range(_SWEEPS):
        change, now = sweep(c, p)
        steady = bool((now == modes).all())
        modes = now
        sharp = polished(c, modes, p) if steady and count % 5 == 4 else None
        if sharp is not None:
            return eased(c, sharp)
        if change <= 1e-15 * (1.0 + float(np.abs(p).max(initial=0.0))):
            break
    u = (c.W @ p.ravel() + c.b).reshape(k, 3)
    swept = Solution(p, u, modes)
    if fault(c, swept) <= _NEARLY * max(scale, 1e-300):
        return eased(c, swept)
    raise NoContactForcesError(int(np.argmax(jams) if jams.any() else np.argmax(np.abs(u).max(axis=1))))


@dataclass(frozen=True, eq=False)
class Strike:
    """What an impact does.

    Parameters
    ----------
    impulses
        Impulses along the normals and tangents (k x 3).
    u
        Relative velocities after it (k x 3).
    factor
        Factor of the coefficients of restitution: 1, or the largest at which no energy is added.
    energy_lost
        Kinetic energy that it took.
    """

    impulses: Array
    u: Array
    factor: float
    energy_lost: float


def strike(W: Array, u: Array, e: Array, mu: Array, poisson: NDArray[np.bool_]) -> Strike:
    """Impact of k pairs that touch, all at once, none of them pulling.

    Newton: ``u_n+ >= -e u_n-`` where a pair approaches (IMPACT 61). Poisson: compression without restitution, then at
    least ``e`` times its normal impulses. Where either would add energy (T. R. Kane's double pendulum), all restitution
    is lowered by one factor to the largest that adds none.

    Parameters
    ----------
    W
        Matrix of the impulses' effects (3k x 3k).
    u
        Relative velocities before it (k x 3).
    e, mu
        Coefficients of restitution and friction (k).
    poisson
        Which pairs have Poisson's restitution (k).
    """
    k = len(mu)

    def after(factor: float) -> tuple[Array, float]:
        try:
            return impulses(factor)
        except NoContactForcesError:
            if factor == 0.0:
                raise
            return np.zeros((k, 3)), -math.inf  # between two walls, say: less restitution can be

    def impulses(factor: float) -> tuple[Array, float]:
        newton = np.where(poisson, 0.0, factor * e)
        b = u.copy()
        b[:, 0] += newton * np.minimum(u[:, 0], 0.0)
        p = solve_cones(Cones.of(W, b.ravel(), mu)).p
        if (poisson & (e * factor * p[:, 0] > 0.0)).any():
            returned = np.where(poisson, factor * e * p[:, 0], 0.0)
            pushed = p.copy()
            pushed[:, 0] += returned
            b = (W @ pushed.ravel()).reshape(k, 3) + u
            b[:, 0] += newton * np.minimum(u[:, 0], 0.0)
            more = solve_cones(Cones.of(W, b.ravel(), mu, preload=returned)).p
            p = pushed + more
        x = p.ravel()
        return p, -float(x @ u.ravel() + 0.5 * x @ W @ x)

    p, lost = after(1.0)
    x = np.abs(p.ravel())
    least = -1e-10 * float(x @ np.abs(u).ravel())
    factor = 1.0
    if lost < least:
        factor, low, high = 0.0, 0.0, 1.0
        p, lost = after(0.0)
        while high - low > 1e-13:
            middle = 0.5 * (low + high)
            struck = after(middle)
            if struck[1] >= 0.0:
                low, (p, lost) = middle, struck
            else:
                high = middle
        factor = low
    return Strike(p, (W @ p.ravel()).reshape(k, 3) + u, factor, lost)
