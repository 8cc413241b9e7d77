"""The algebra of contacts with Coulomb friction: which of them push, stick, slip and open, and with which forces.

All is a question about the relative velocities (at an impact) or accelerations (in sustained contact) of k pairs,

    u = W p + b,        W = A M^-1 A^T,

with the rows ``A`` of a normal and two tangents each (those of constraints that hold are eliminated in ``W`` and
``b``), and impulses or forces ``p`` with

    0 <= p_n,  u_n >= 0,  p_n u_n = 0;        |p_t| <= mu p_n,  u_t = 0  or  p_t = -mu p_n u_t / |u_t|.

Cables that only pull are pairs without friction. Nothing here knows of machines; arrays in, arrays out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from dalembert.core.constraint_algebra import RANK_TOLERANCE, factorise, pulling
from dalembert.core.types import Array

__all__ = ["Cones", "NoContactForcesError", "Solution", "Strike", "Touch", "delassus", "solve_cones", "strike"]

_TIGHT = 1e-11  # part of the largest velocity that counts as none
_INNER = 1.0 - 1e-9  # part of the cone within which friction that is shared freely must stay
_SWEEPS = 1000
_ATTEMPTS = 3
_NEARLY = 1e-7  # part of the velocities by which the laws may be missed: bodies that all but lie on a plane


class Touch(IntEnum):
    """What a pair does."""

    OPEN = 0
    STICK = 1
    SLIP = 2


class NoContactForcesError(ArithmeticError):
    """No forces fulfil the laws: Painleve's paradox at the pair of the given index."""

    def __init__(self, pair: int) -> None:
        super().__init__(pair)
        self.pair = pair


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
    given
        Normal impulses that act besides ``p_n`` and count for friction (k).
    """

    W: Array
    b: Array
    mu: Array
    slip: Array
    given: Array

    @staticmethod
    def of(W: Array, b: Array, mu: Array, slip: Array | None = None, given: Array | None = None) -> Cones:
        """Make them; nothing slips yet and no other impulses act unless given."""
        k = len(mu)
        return Cones(
            W, b, mu, np.full((k, 2), np.nan) if slip is None else slip, np.zeros(k) if given is None else given
        )


@dataclass(frozen=True, eq=False)
class Solution:
    """Forces or impulses ``p`` (k x 3), relative velocities ``u`` (k x 3), and what each pair does (k)."""

    p: Array
    u: Array
    modes: NDArray[np.int64]


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
    normal ones; then from Gauss-Seidel sweeps with exact solutions pair by pair (J. J. Moreau; M. Jean), which tell the
    modes, and the linear equations of these modes.

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
    for i in np.flatnonzero(sliding):
        n = 3 * i
        pivot = c.W[n, n] - c.mu[i] * (c.W[n, n + 1 : n + 3] @ c.slip[i])
        if pivot <= RANK_TOLERANCE * c.W[n, n] and c.b[n] < 0.0:
            raise NoContactForcesError(int(i))
    first = np.where(sliding, Touch.SLIP, Touch.STICK)
    guess = _shared(c, first)
    if guess is not None:
        return guess
    if not c.mu.any():
        return _smooth(c)
    p = np.zeros((k, 3)) if start is None else start.copy()
    scale = float(np.abs(c.b).max(initial=0.0))
    best: Solution | None = None
    for attempt in range(_ATTEMPTS):
        _project(c, p, 40 * (attempt + 1))
        made = _newton(c, p)
        if _fault(c, made) <= 10.0 * _tolerance(c):
            return _polished(c, made.modes, made.p) or made
        if best is None or _fault(c, made) < _fault(c, best):
            best = made
    if best is not None and _fault(c, best) <= _NEARLY * scale:
        return best
    modes = np.full(k, -1)
    for sweep in range(_SWEEPS):
        change, now = _sweep(c, p)
        steady = bool((now == modes).all())
        modes = now
        if steady and sweep % 5 == 4:
            polished = _polished(c, modes, p)
            if polished is not None:
                return polished
        if change <= 1e-15 * (1.0 + float(np.abs(p).max(initial=0.0))):
            break
    u = (c.W @ p.ravel() + c.b).reshape(k, 3)
    found = Solution(p, u, modes)
    if _fault(c, found) <= _NEARLY * max(scale, 1e-300):
        return found
    raise NoContactForcesError(int(np.argmax(np.abs(u).max(axis=1))))


def _steps(c: Cones) -> tuple[Array, Array]:
    """Steps of projections, normal and tangential: how much force takes away a unit of velocity."""
    own = np.maximum(np.diag(c.W).reshape(-1, 3), 0.0)
    normal = 1.0 / np.maximum(own[:, 0], 1e-300)
    across = own[:, 1:].max(axis=1)
    return normal, np.where(across > 0.0, 1.0 / np.maximum(across, 1e-300), 0.0)


def _project(c: Cones, p: Array, sweeps: int) -> None:
    """Plain projections onto the cones, pair by pair; ``p`` changes in place."""
    r_n, r_t = _steps(c)
    x = p.reshape(-1)
    for _ in range(sweeps):
        for i in range(len(c.mu)):
            u = c.W[3 * i : 3 * i + 3] @ x + c.b[3 * i : 3 * i + 3]
            p[i, 0] = max(0.0, p[i, 0] - 0.8 * r_n[i] * u[0])
            limit = c.mu[i] * (p[i, 0] + c.given[i])
            if math.isfinite(c.slip[i, 0]):
                p[i, 1:] = -limit * c.slip[i]
                continue
            push = p[i, 1:] - 0.8 * r_t[i] * u[1:]
            size = math.hypot(push[0], push[1])
            p[i, 1:] = push if size <= limit else push * (limit / size)


def _newton(c: Cones, start: Array) -> Solution:
    """Newton's method on the laws as equations (P. Alart and A. Curnier, 1991), from forces that are nearly right.

    ``p_n = max(0, p_n - r u_n)``, and ``p_t`` is the projection of ``p_t - r u_t`` onto the disk of radius ``mu p_n``.
    """
    k = len(c.mu)
    r_n, r_t = _steps(c)
    sliding = np.isfinite(c.slip[:, 0])
    I = np.eye(3 * k)

    def law(x: Array) -> tuple[Array, Array, Array, Array, Array]:
        p, u = x.reshape(k, 3), (c.W @ x + c.b).reshape(k, 3)
        z_n = p[:, 0] - r_n * u[:, 0]
        limit = c.mu * (np.maximum(z_n, 0.0) + c.given)
        z = p[:, 1:] - r_t[:, None] * u[:, 1:]
        size = np.hypot(z[:, 0], z[:, 1])
        aim = np.where((size <= limit)[:, None], z, z * (limit / np.maximum(size, 1e-300))[:, None])
        aim[sliding] = -(c.mu * (p[:, 0] + c.given))[sliding, None] * c.slip[sliding]
        F = np.column_stack([p[:, 0] - np.maximum(z_n, 0.0), p[:, 1:] - aim])
        return F.ravel(), z_n, limit, z, size

    x = start.ravel().copy()
    F, z_n, limit, z, size = law(x)
    for _ in range(30):
        G = I.copy()
        for i in range(k):
            n, t = 3 * i, slice(3 * i + 1, 3 * i + 3)
            d_n = I[n] - r_n[i] * c.W[n] if z_n[i] > 0.0 else np.zeros(3 * k)
            G[n] -= d_n
            if sliding[i]:
                G[t] += c.mu[i] * np.outer(c.slip[i], I[n])
            elif limit[i] > 0.0:
                d_t = I[t] - r_t[i] * c.W[t]
                if size[i] > limit[i]:
                    way = z[i] / size[i]
                    d_t = limit[i] / size[i] * (d_t - np.outer(way, way @ d_t)) + c.mu[i] * np.outer(way, d_n)
                G[t] -= d_t
        step = np.linalg.lstsq(G, -F, rcond=1e-12)[0]
        best = np.linalg.norm(F)
        for part in (1.0, 0.5, 0.25, 0.1, 0.02):
            made = law(x + part * step)
            if np.linalg.norm(made[0]) < best:
                break
        else:
            break
        x = x + part * step
        F, z_n, limit, z, size = made
        if np.linalg.norm(F) <= 1e-15 * np.linalg.norm(x):
            break
    p, u = x.reshape(k, 3), (c.W @ x + c.b).reshape(k, 3)
    least = 1e-12 * float(np.abs(p).max(initial=0.0))
    slips = sliding | (np.hypot(u[:, 1], u[:, 2]) > 10.0 * _tolerance(c))
    pushes = p[:, 0] + c.given > least
    modes = np.where(pushes, np.where((c.mu > 0.0) & slips, Touch.SLIP, Touch.STICK), Touch.OPEN)
    return Solution(p, u, modes)


def _smooth(c: Cones) -> Solution:
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


def _shared(c: Cones, modes: NDArray[np.int64]) -> Solution | None:
    """Solution with these modes, redundant forces in proportion to the normal ones; None if it breaks a law."""
    k = len(modes)
    weights = np.ones((k, 3))
    made = None
    for _ in range(2):
        z = _linear(c, modes, None, weights, c.slip)
        made = Solution(z, (c.W @ z.ravel() + c.b).reshape(k, 3), modes.copy())
        largest = float(z[:, 0].max(initial=0.0))
        if largest <= 0.0:
            break
        weights[:, 1:] = np.sqrt(np.clip(z[:, 0] / largest, 1e-6, 1.0))[:, None]
    if made is None:
        return None
    least = 1e-13 * float(np.abs(made.p).max(initial=0.0))
    stuck = modes == Touch.STICK
    inside = np.hypot(made.p[:, 1], made.p[:, 2]) <= _INNER * c.mu * (made.p[:, 0] + c.given)
    still = np.abs(made.u[:, 0]) <= _tolerance(c)
    held = ~stuck | (np.abs(made.u[:, 1:]).max(axis=1, initial=0.0) <= _tolerance(c)) | (c.mu == 0.0)
    if (made.p[:, 0] > least).all() and (inside | ~stuck | (c.mu == 0.0)).all() and still.all() and held.all():
        return made
    return None


def _tolerance(c: Cones) -> float:
    return _TIGHT * float(np.abs(c.b).max(initial=0.0)) + 1e-300


def _linear(c: Cones, modes: NDArray[np.int64], near: Array | None, weights: Array, d: Array) -> Array:
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
            fixed[3 * i + 1 : 3 * i + 3] = -c.mu[i] * c.given[i] * d[i]
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


def _polished(c: Cones, modes: NDArray[np.int64], near: Array) -> Solution | None:
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
        p = _linear(c, modes, near, weights, d)
        u = (c.W @ p.ravel() + c.b).reshape(k, 3)
        if np.abs(p - before).max(initial=0.0) <= 1e-14 * np.abs(p).max(initial=0.0):
            break
    made = Solution(p, u, modes.copy())
    return made if _fault(c, made) <= 10.0 * _tolerance(c) else None


def _fault(c: Cones, s: Solution) -> float:
    """By how much a solution breaks the laws, as a relative velocity."""
    lengths = np.diag(c.W)[::3]
    p, u, size = s.p, s.u, np.hypot(s.u[:, 1], s.u[:, 2])
    limit = c.mu * (p[:, 0] + c.given)
    faults = [np.abs(np.minimum(p[:, 0] * lengths, u[:, 0])), np.maximum(-u[:, 0], 0.0)]
    push = np.hypot(p[:, 1], p[:, 2])
    faults.append(lengths * np.maximum(push - limit - 1e-12 * np.abs(p).max(initial=0.0), 0.0))
    free = (c.mu > 0.0) & ~np.isfinite(c.slip[:, 0])
    # where it slips, friction is against it and at its limit: (u_t, p_t) + |u_t| limit = 0
    against = np.where(size > 0.0, (u[:, 1] * p[:, 1] + u[:, 2] * p[:, 2]) / np.maximum(size, 1e-300) + limit, 0.0)
    faults.append(np.where(free, np.minimum(size, lengths * np.abs(against)), 0.0))
    return float(np.max(faults, initial=0.0))


def _sweep(c: Cones, p: Array) -> tuple[float, NDArray[np.int64]]:
    """One round over all pairs, each solved with the forces of the others as they are; ``p`` changes in place."""
    k, change = len(c.mu), 0.0
    modes = np.zeros(k, dtype=np.int64)
    for i in range(k):
        r = slice(3 * i, 3 * i + 3)
        W = c.W[r, r]
        b = c.W[r] @ p.ravel() + c.b[r] - W @ p[i]
        new, mode = _one(W, b, float(c.mu[i]), c.slip[i], float(c.given[i]), i)
        change = max(change, float(np.abs(new - p[i]).max()))
        p[i], modes[i] = new, mode
    return change, modes


def _one(W: Array, b: Array, mu: float, slip: Array, given: float, i: int) -> tuple[Array, Touch]:
    """Force of one pair, all others known, and what it does."""
    nothing = np.zeros(3)
    if W[0, 0] <= 0.0:
        return nothing, Touch.OPEN
    if mu == 0.0:
        return (nothing, Touch.OPEN) if b[0] >= 0.0 else (np.array([-b[0] / W[0, 0], 0.0, 0.0]), Touch.STICK)
    if math.isfinite(slip[0]):
        pivot = W[0, 0] - mu * float(W[0, 1:] @ slip)
        bn = b[0] - mu * given * float(W[0, 1:] @ slip)
        if pivot <= 0.0 and bn < 0.0:
            raise NoContactForcesError(i)
        pn = max(0.0, -bn / pivot) if pivot > 0.0 else 0.0
        return np.array([pn, *(-mu * (pn + given) * slip)]), Touch.SLIP if pn > 0.0 else Touch.OPEN
    if b[0] >= 0.0 and given == 0.0:
        return nothing, Touch.OPEN
    rows = [0, *(j for j in (1, 2) if W[j, j] > 1e-14 * W[0, 0])]
    stuck = np.zeros(3)
    stuck[rows] = np.linalg.lstsq(W[np.ix_(rows, rows)], -b[rows], rcond=None)[0]
    if stuck[0] >= 0.0 and math.hypot(stuck[1], stuck[2]) <= mu * (stuck[0] + given):
        return stuck, Touch.STICK
    made = _slipping(W, b, mu, given, len(rows) == 3)
    if made is None:
        raise NoContactForcesError(i)
    return made, Touch.SLIP if made[0] + given > 0.0 else Touch.OPEN


def _slipping(W: Array, b: Array, mu: float, given: float, spatial: bool) -> Array | None:
    """Force of a pair that slips: of all directions the one in which it then moves."""
    if spatial:
        angles = np.linspace(-math.pi, math.pi, 97)
        d = np.column_stack([np.cos(angles), np.sin(angles)])
    else:
        d = np.array([[1.0, 0.0], [-1.0, 0.0]]) if W[1, 1] >= W[2, 2] else np.array([[0.0, 1.0], [0.0, -1.0]])
    p, u = _slip_states(W, b, mu, given, d)
    if not spatial:
        good = [j for j in range(len(d)) if np.isfinite(p[j, 0]) and u[j] @ d[j] >= -1e-14 * np.abs(b).max()]
        return p[max(good, key=lambda j: float(u[j] @ d[j]))] if good else None
    across = u[:, 0] * d[:, 1] - u[:, 1] * d[:, 0]
    along = np.sum(u * d, axis=1)
    best: tuple[float, Array] | None = None
    for j in range(len(d) - 1):
        if not (np.isfinite(across[j]) and np.isfinite(across[j + 1])) or across[j] * across[j + 1] > 0.0:
            continue
        if along[j] <= 0.0 and along[j + 1] <= 0.0:
            continue
        low, high, f_low = angles[j], angles[j + 1], across[j]
        for _ in range(60):
            middle = 0.5 * (low + high)
            dm = np.array([[math.cos(middle), math.sin(middle)]])
            pm, um = _slip_states(W, b, mu, given, dm)
            f = um[0, 0] * dm[0, 1] - um[0, 1] * dm[0, 0]
            if f * f_low > 0.0:
                low = middle
            else:
                high = middle
        speed = float(um[0] @ dm[0])
        if speed > 0.0 and (best is None or speed > best[0]):
            best = (speed, pm[0])
    return None if best is None else best[1]


def _slip_states(W: Array, b: Array, mu: float, given: float, d: Array) -> tuple[Array, Array]:
    """Forces with friction against the directions ``d`` that stop the normal motion, and tangential velocities."""
    pivot = W[0, 0] - mu * (d @ W[0, 1:])
    with np.errstate(divide="ignore", invalid="ignore"):
        pn = np.where(pivot > 0.0, np.maximum(0.0, -(b[0] - mu * given * (d @ W[0, 1:])) / pivot), np.nan)
    pt = -mu * (pn + given)[:, None] * d
    u = b[1:] + pn[:, None] * W[1:, 0] + pt @ W[1:, 1:]
    return np.column_stack([pn, pt]), u


# -- impacts ----------------------------------------------------------------------------------------------------------


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
            given = np.where(poisson, factor * e * p[:, 0], 0.0)
            pushed = p.copy()
            pushed[:, 0] += given
            b = (W @ pushed.ravel()).reshape(k, 3) + u
            b[:, 0] += newton * np.minimum(u[:, 0], 0.0)
            more = solve_cones(Cones.of(W, b.ravel(), mu, given=given)).p
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
            made = after(middle)
            if made[1] >= 0.0:
                low, (p, lost) = middle, made
            else:
                high = middle
        factor = low
    return Strike(p, (W @ p.ravel()).reshape(k, 3) + u, factor, lost)
