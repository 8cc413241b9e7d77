"""Searches for the forces of contacts with friction (the laws are in ``cones``), from which their modes are read."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dalembert.core.complementarity import complementary
from dalembert.core.cones import Cones, NoContactForcesError, Solution, Touch, tolerance
from dalembert.core.types import Array

__all__ = ["newton", "pivoted", "project", "sweep"]

_SIDES = 8  # of a cone that is made of planes
_CROWDS = 64  # pairs up to which pivots are worth their memory


def _steps(c: Cones) -> tuple[Array, Array]:
    """Steps of projections, normal and tangential: how much force takes away a unit of velocity."""
    diagonal = np.maximum(np.diag(c.W).reshape(-1, 3), 0.0)
    normal = 1.0 / np.maximum(diagonal[:, 0], 1e-300)
    across = diagonal[:, 1:].max(axis=1)
    return normal, np.where(across > 0.0, 1.0 / np.maximum(across, 1e-300), 0.0)


def project(c: Cones, p: Array, sweeps: int) -> None:
    """Plain projections onto the cones, pair by pair; ``p`` changes in place."""
    r_n, r_t = _steps(c)
    x = p.reshape(-1)
    for _ in range(sweeps):
        for i in range(len(c.mu)):
            u = c.W[3 * i : 3 * i + 3] @ x + c.b[3 * i : 3 * i + 3]
            p[i, 0] = max(0.0, p[i, 0] - 0.8 * r_n[i] * u[0])
            limit = c.mu[i] * (p[i, 0] + c.preload[i])
            if math.isfinite(c.slip[i, 0]):
                p[i, 1:] = -limit * c.slip[i]
                continue
            push = p[i, 1:] - 0.8 * r_t[i] * u[1:]
            size = math.hypot(push[0], push[1])
            p[i, 1:] = push if size <= limit else push * (limit / size)


def newton(c: Cones, start: Array) -> Solution:
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
        limit = c.mu * (np.maximum(z_n, 0.0) + c.preload)
        z = p[:, 1:] - r_t[:, None] * u[:, 1:]
        size = np.hypot(z[:, 0], z[:, 1])
        aim = np.where((size <= limit)[:, None], z, z * (limit / np.maximum(size, 1e-300))[:, None])
        aim[sliding] = -(c.mu * (p[:, 0] + c.preload))[sliding, None] * c.slip[sliding]
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
        for fraction in (1.0, 0.5, 0.25, 0.1, 0.02):
            trial = law(x + fraction * step)
            if np.linalg.norm(trial[0]) < best:
                break
        else:
            break
        x = x + fraction * step
        F, z_n, limit, z, size = trial
        if np.linalg.norm(F) <= 1e-15 * np.linalg.norm(x):
            break
    p, u = x.reshape(k, 3), (c.W @ x + c.b).reshape(k, 3)
    least = 1e-12 * float(np.abs(p).max(initial=0.0))
    slips = sliding | (np.hypot(u[:, 1], u[:, 2]) > 10.0 * tolerance(c))
    pushes = p[:, 0] + c.preload > least
    modes = np.where(pushes, np.where((c.mu > 0.0) & slips, Touch.SLIP, Touch.STICK), Touch.OPEN)
    return Solution(p, u, modes)


def pivoted(c: Cones) -> Array | None:
    """Forces by pivots, with cones that have so many sides: exact in the plane, elsewhere near enough to begin with.

    Friction is a sum of pushes ``f_j >= 0`` along directions ``d_j``, with ``0 <= d_j u_t + s`` and ``0 <= mu p_n - sum
    f_j``, each of which is zero or its partner is (D. E. Stewart and J. C. Trinkle, 1996); ``s`` is the slip's rate.
    """
    k = len(c.mu)
    if k > _CROWDS:
        return None
    sliding = np.isfinite(c.slip[:, 0])
    sizes = 1.0 / np.sqrt(np.maximum(np.diag(c.W), 1e-300))
    columns, rows, limits = [], [], []  # pushes; what they act against; of each pair that may slip its pushes
    right = c.b.copy()
    for i in range(k):
        push, opening = np.zeros(3 * k), np.zeros(3 * k)
        push[3 * i] = opening[3 * i] = sizes[3 * i]
        if sliding[i]:
            drag = -c.mu[i] * c.slip[i]
            push[3 * i + 1 : 3 * i + 3] = sizes[3 * i] * drag
            right += c.preload[i] * (c.W[:, 3 * i + 1 : 3 * i + 3] @ drag)
        columns.append(push)
        rows.append(opening)
    for i in map(int, np.flatnonzero(~sliding & (c.mu > 0.0))):
        moves = [j for j in (1, 2) if c.W[3 * i + j, 3 * i + j] > 1e-14 * c.W[3 * i, 3 * i]]
        if not moves:
            continue
        size = min(sizes[3 * i + j] for j in moves)
        first, sides = len(columns), 2 if len(moves) == 1 else _SIDES
        for side in range(sides):
            d, angle = np.zeros(3 * k), 2.0 * math.pi * side / sides
            d[3 * i + moves[0]] = size * math.cos(angle)
            if len(moves) == 2:
                d[3 * i + 2] = size * math.sin(angle)
            columns.append(d)
            rows.append(d)
        limits.append((i, first, sides, size))
    m, n = len(columns), len(columns) + len(limits)
    P, scale = np.array(columns), max(float(np.abs(c.b).max(initial=0.0)), 1e-300)
    A, q = np.zeros((n, n)), np.zeros(n)
    A[:m, :m], q[:m] = np.array(rows) @ c.W @ P.T, np.array(rows) @ right / scale
    for r, (i, first, sides, size) in enumerate(limits, start=m):
        A[first : first + sides, r] = 1.0
        A[r, first : first + sides] = -1.0
        A[r, i] = c.mu[i] * sizes[3 * i] / size
        q[r] = c.mu[i] * c.preload[i] / size / scale
    z = complementary(A, q)
    if z is None:
        return None
    p = (scale * (z[:m] @ P)).reshape(k, 3)
    p[sliding, 1:] -= (c.mu * c.preload)[sliding, None] * c.slip[sliding]
    return p


def sweep(c: Cones, p: Array) -> tuple[float, NDArray[np.int64]]:
    """One round over all pairs, each solved with the forces of the others as they are; ``p`` changes in place."""
    k, change = len(c.mu), 0.0
    modes = np.zeros(k, dtype=np.int64)
    for i in range(k):
        r = slice(3 * i, 3 * i + 3)
        W = c.W[r, r]
        b = c.W[r] @ p.ravel() + c.b[r] - W @ p[i]
        new, mode = _one(W, b, float(c.mu[i]), c.slip[i], float(c.preload[i]), i)
        change = max(change, float(np.abs(new - p[i]).max()))
        p[i], modes[i] = new, mode
    return change, modes


def _one(W: Array, b: Array, mu: float, slip: Array, preload: float, i: int) -> tuple[Array, Touch]:
    """Force of one pair, all others known, and what it does."""
    nothing = np.zeros(3)
    if W[0, 0] <= 0.0:
        return nothing, Touch.OPEN
    if mu == 0.0:
        return (nothing, Touch.OPEN) if b[0] >= 0.0 else (np.array([-b[0] / W[0, 0], 0.0, 0.0]), Touch.STICK)
    if math.isfinite(slip[0]):
        pivot = W[0, 0] - mu * float(W[0, 1:] @ slip)
        bn = b[0] - mu * preload * float(W[0, 1:] @ slip)
        if pivot <= 0.0 and bn < 0.0:
            raise NoContactForcesError(i)
        pn = max(0.0, -bn / pivot) if pivot > 0.0 else 0.0
        return np.array([pn, *(-mu * (pn + preload) * slip)]), Touch.SLIP if pn > 0.0 else Touch.OPEN
    if b[0] >= 0.0 and preload == 0.0:
        return nothing, Touch.OPEN
    rows = [0, *(j for j in (1, 2) if W[j, j] > 1e-14 * W[0, 0])]
    stuck = np.zeros(3)
    stuck[rows] = np.linalg.lstsq(W[np.ix_(rows, rows)], -b[rows], rcond=None)[0]
    if stuck[0] >= 0.0 and math.hypot(stuck[1], stuck[2]) <= mu * (stuck[0] + preload):
        return stuck, Touch.STICK
    slipping = _slipping(W, b, mu, preload, len(rows) == 3)
    if slipping is None:
        raise NoContactForcesError(i)
    return slipping, Touch.SLIP if slipping[0] + preload > 0.0 else Touch.OPEN


def _slipping(W: Array, b: Array, mu: float, preload: float, spatial: bool) -> Array | None:
    """Force of a pair that slips: of all directions the one in which it then moves."""
    if spatial:
        angles = np.linspace(-math.pi, math.pi, 97)
        d = np.column_stack([np.cos(angles), np.sin(angles)])
    else:
        d = np.array([[1.0, 0.0], [-1.0, 0.0]]) if W[1, 1] >= W[2, 2] else np.array([[0.0, 1.0], [0.0, -1.0]])
    p, u = _slip_states(W, b, mu, preload, d)
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
            pm, um = _slip_states(W, b, mu, preload, dm)
            f = um[0, 0] * dm[0, 1] - um[0, 1] * dm[0, 0]
            if f * f_low > 0.0:
                low = middle
            else:
                high = middle
        speed = float(um[0] @ dm[0])
        if speed > 0.0 and (best is None or speed > best[0]):
            best = (speed, pm[0])
    return None if best is None else best[1]


def _slip_states(W: Array, b: Array, mu: float, preload: float, d: Array) -> tuple[Array, Array]:
    """Forces with friction against the directions ``d`` that stop the normal motion, and tangential velocities."""
    pivot = W[0, 0] - mu * (d @ W[0, 1:])
    with np.errstate(divide="ignore", invalid="ignore"):
        pn = np.where(pivot > 0.0, np.maximum(0.0, -(b[0] - mu * preload * (d @ W[0, 1:])) / pivot), np.nan)
    pt = -mu * (pn + preload)[:, None] * d
    u = b[1:] + pn[:, None] * W[1:, 0] + pt @ W[1:, 1:]
    return np.column_stack([pn, pt]), u
