"""Rendezvous with a target in orbit: a path of least impulse around it and into a corridor, within limits.

The motion of the chaser relative to the target is linear (Clohessy and Wiltshire, Yamanaka and Ankersen), so that the
states are a linear function of the accelerations at the nodes of a grid, between which they are straight lines. Least
impulse is then a linear program. A sphere that must not be entered is not convex: each node keeps to the outer side of
the plane that touches the sphere under the path of the last solution, which is sufficient; few rounds settle.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError, PlanError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array
from dalembert.core.validation import check_number
from dalembert.model.orbit import Orbit
from dalembert.model.relative_motion import yamanaka_ankersen
from dalembert.plan.robot_limits import Verdict

__all__ = ["Rendezvous", "RendezvousLimits", "plan_rendezvous", "two_impulses"]

_NODES, _ROUNDS, _SIDES = 72, 6, 12
_GAUSS = np.polynomial.legendre.leggauss(4)
_TIGHT = 1e-6  # relative rounding of a limit that a program keeps
_WITHIN = 0.98  # of a limit that the program uses: the limit holds between the nodes as well


def _transition(orbit: Orbit | None, start: float, end: float) -> Array:
    """Transition matrix (6, 6) in world axes; without an orbit that of free motion."""
    if orbit is not None:
        return yamanaka_ankersen(orbit, start, end, axes="world")
    X = np.eye(6)
    X[:3, 3:] = (end - start) * np.eye(3)
    return X


def two_impulses(
    orbit: Orbit | None, start: ArrayLike, end: ArrayLike, times: tuple[float, float]
) -> tuple[Array, Array]:
    """Changes of velocity at the begin and the end of a transfer between two states near an orbit.

    With the blocks of the transition matrix the velocity after the first impulse is
    ``v = Phi_rv^-1 (r_end - Phi_rr r_start)``.

    Parameters
    ----------
    orbit
        The orbit; None: free space.
    start, end
        States (6): position and velocity relative to the orbit, in axes that do not turn.
    times
        Times of both [s], counted as those of the orbit.

    Raises
    ------
    InputError
        If no velocity, or more than one, leads there: after half a revolution or a whole one.

    Examples
    --------
    >>> first, last = two_impulses(None, [0.0] * 6, [10.0, 0, 0, 0, 0, 0], (0.0, 100.0))
    >>> (first + 0.0).tolist(), (last + 0.0).tolist()
    ([0.1, 0.0, 0.0], [-0.1, 0.0, 0.0])
    """
    x, y = _state(start, "start"), _state(end, "end")
    if not times[1] > times[0]:
        raise InputError(f"a transfer must end after its begin, got times {times!r}")
    X = _transition(orbit, *times)
    size = np.linalg.svd(X[:3, 3:], compute_uv=False)
    if size[-1] < 1e-6 * size[0]:
        raise InputError(
            f"a transfer of {times[1] - times[0]:g} s has no unique velocity: choose another time, not half a "
            "revolution or a whole one"
        )
    v = np.linalg.solve(X[:3, 3:], y[:3] - X[:3, :3] @ x[:3])
    arrived = X[3:, :3] @ x[:3] + X[3:, 3:] @ v
    return np.asarray(v - x[3:]), np.asarray(y[3:] - arrived)


@dataclass(frozen=True)
class RendezvousLimits:
    """Limits of a rendezvous; the target is at the origin.

    Parameters
    ----------
    keep_out
        Radius of the sphere around the target that the path enters in the corridor only [m].
    corridor
        Half angle of the cone of the final approach, from the target along the direction of the end [rad].
    acceleration
        Largest acceleration along each axis of the thrusters [m/s2].
    ramp
        Time in which an acceleration comes up to its largest value [s]: what bends is not excited by steps.
    plume
        Distance [m] within which nozzles may not blow at the target, and the acceleration [m/s2] away from it that is
        allowed there.
    speed
        Largest speed in the corridor [m/s].

    Examples
    --------
    >>> RendezvousLimits(keep_out=10.0, acceleration=0.01, plume=(8.0, 0.002)).ramp
    20.0
    """

    keep_out: float
    corridor: float = float(np.radians(15.0))
    acceleration: float = 0.01
    ramp: float = 20.0
    plume: tuple[float, float] = (0.0, np.inf)
    speed: float = np.inf

    def __post_init__(self) -> None:
        for name in ("keep_out", "corridor", "acceleration", "ramp"):
            object.__setattr__(self, name, check_number(f"{name} of RendezvousLimits", getattr(self, name)))
        if self.corridor >= np.pi / 2:
            raise InputError(f"corridor of RendezvousLimits must be below pi / 2, got {self.corridor:g}")
        if len(self.plume) != 2 or min(self.plume) < 0.0 or not self.speed > 0.0:
            raise InputError("plume of RendezvousLimits must be a distance and an acceleration >= 0, speed must be > 0")


@dataclass(frozen=True)
class Rendezvous:
    """A path to a target, in axes that do not turn, with the target at the origin.

    Attributes
    ----------
    t, x, a
        Nodes (n) in time, states (n, 6) and accelerations by thrust (n, 3), straight lines between the nodes.
    entry
        When the path is in the corridor [s].
    limits
        The limits.
    orbit
        The orbit; None: free space.
    verdicts
        Use of each limit.
    """

    t: Array
    x: Array
    a: Array
    entry: float
    limits: RendezvousLimits
    orbit: Orbit | None = None
    verdicts: tuple[Verdict, ...] = ()

    @property
    def duration(self) -> float:
        """Seconds of the path."""
        return float(self.t[-1] - self.t[0])

    @property
    def impulse(self) -> float:
        """Sum of the changes of velocity: integral of the size of the acceleration [m/s]."""
        fine = np.linspace(self.t[0], self.t[-1], 20 * len(self.t))
        size = np.linalg.norm(self.thrust(fine), axis=-1)
        return float(np.trapezoid(size, fine))

    def thrust(self, t: ArrayLike) -> Array:
        """Accelerations by thrust (..., 3)."""
        s = np.asarray(t, dtype=float)
        return np.stack([np.interp(s, self.t, self.a[:, k]) for k in range(3)], axis=-1)

    def state(self, t: float) -> Array:
        """State (6) at a time; before and after, that of the ends."""
        s = float(np.clip(t, self.t[0], self.t[-1]))
        k = min(int(np.searchsorted(self.t, s, side="right")) - 1, len(self.t) - 2)
        h = float(self.t[k + 1] - self.t[k])
        if s <= self.t[k]:
            return np.asarray(self.x[k])
        low, high = _forced(self.orbit, float(self.t[k]), s)
        part = (s - self.t[k]) / h
        end = (1.0 - part) * self.a[k] + part * self.a[k + 1]
        return np.asarray(_transition(self.orbit, float(self.t[k]), s) @ self.x[k] + low @ self.a[k] + high @ end)

    def __str__(self) -> str:
        near = min(self.verdicts, key=lambda v: v.slack, default=None)
        used = "" if near is None else f", nearest limit: {near.name} {near.value:.3g} of {near.limit:.3g} {near.unit}"
        return f"rendezvous in {self.duration:.0f} s with {self.impulse:.3f} m/s{used}"


def _forced(orbit: Orbit | None, start: float, end: float) -> tuple[Array, Array]:
    """State (6, 3 each) at the end by accelerations that fall from one to zero, and rise from zero to one."""
    middle, half = 0.5 * (start + end), 0.5 * (end - start)
    low, high = np.zeros((6, 3)), np.zeros((6, 3))
    for node, weight in zip(*_GAUSS, strict=True):
        X = half * weight * _transition(orbit, middle + half * node, end)[:, 3:]
        low, high = low + 0.5 * (1.0 - node) * X, high + 0.5 * (1.0 + node) * X
    return low, high


def _state(value: ArrayLike, what: str) -> Array:
    x = as_numbers(value)
    if x.shape != (6,) or not np.isfinite(x).all():
        raise InputError(f"{what} of a rendezvous must be a position and a velocity, 6 numbers, got {value!r}")
    return np.asarray(x)


def plan_rendezvous(
    start: ArrayLike,
    end: ArrayLike,
    limits: RendezvousLimits,
    *,
    times: tuple[float, float, float],
    orbit: Orbit | None = None,
    axes: Callable[[Array, Array], Array] | None = None,
) -> Rendezvous:
    """Path of least impulse around a target and into its corridor.

    The least impulse is that of thrusters along three axes: the integral of the sum of the sizes of the three
    components of the acceleration.

    Parameters
    ----------
    start, end
        States (6): position from the target and velocity, in axes that do not turn. The direction of the end is that
        of the corridor.
    limits
        The limits.
    times
        Begin, when the path must be in the corridor, and end [s], counted as those of the orbit.
    orbit
        The orbit of the target; None: free space.
    axes
        Rotations (n, 3, 3) of the axes of the thrusters, as a function of the nodes in time (n) and the places of the
        chaser then (n, 3); None: axes that do not turn.

    Raises
    ------
    PlanError
        If no path keeps the limits, with the limits that fail.

    Examples
    --------
    >>> limits = RendezvousLimits(keep_out=8.0, acceleration=0.01)
    >>> path = plan_rendezvous([-30.0, 0, 0, 0, 0, 0], [0, 5.0, 0, 0, 0, 0], limits, times=(0.0, 250.0, 400.0))
    >>> all(v.ok for v in path.verdicts)
    True
    """
    x0, x1 = _state(start, "start"), _state(end, "end")
    begin, entry, finish = (float(t) for t in times)
    if not begin < entry < finish:
        raise InputError(f"times of a rendezvous must increase (begin, corridor, end), got {times!r}")
    if np.linalg.norm(x0[:3]) * _WITHIN < limits.keep_out:
        raise InputError(
            f"a rendezvous begins outside of its keep-out zone of {limits.keep_out:g} m, got "
            f"{np.linalg.norm(x0[:3]):.3g} m"
        )
    if not np.linalg.norm(x1[:3]) > 0.0:
        raise InputError("the end of a rendezvous must not be at the target: its direction is that of the corridor")
    first = int(np.clip(round(_NODES * (entry - begin) / (finish - begin)), 2, _NODES - 2))
    t = np.concatenate([np.linspace(begin, entry, first + 1), np.linspace(entry, finish, _NODES - first + 1)[1:]])
    free, forced = _responses(orbit, tuple(t.tolist()))
    path = _first_path(x0, x1, t, entry, limits)
    a = np.zeros((len(t), 3))
    for _ in range(_ROUNDS):
        turned = np.tile(np.eye(3), (len(t), 1, 1)) if axes is None else axes(t, path)
        a, x = _program(x0, x1, t, entry, limits, (free, forced), path, turned)
        moved = float(np.abs(x[:, :3] - path).max())
        path = x[:, :3]
        if moved < 1e-2:
            break
    found = Rendezvous(t, x, a, entry, limits, orbit)
    return replace(found, verdicts=_judged(found, turned))


@lru_cache(maxsize=4)
def _responses(orbit: Orbit | None, t: tuple[float, ...]) -> tuple[Array, Array]:
    """States at the nodes (n, 6, 6) by the first one, and (n, 6, n, 3) by the accelerations at the nodes."""
    n = len(t)
    free, forced = np.zeros((n, 6, 6)), np.zeros((n, 6, n, 3))
    free[0] = np.eye(6)
    for k in range(n - 1):
        X = _transition(orbit, t[k], t[k + 1])
        low, high = _forced(orbit, t[k], t[k + 1])
        free[k + 1] = X @ free[k]
        forced[k + 1] = np.einsum("ij,jkl->ikl", X, forced[k])
        forced[k + 1][:, k] += low
        forced[k + 1][:, k + 1] += high
    return free, forced


def _first_path(x0: Array, x1: Array, t: Array, entry: float, limits: RendezvousLimits) -> Array:
    """Places (n, 3) of a first guess: around the target on an arc, then straight in."""
    far, near = float(np.linalg.norm(x0[:3])), float(np.linalg.norm(x1[:3]))
    a, b = x0[:3] / far, x1[:3] / near
    angle = float(np.arccos(np.clip(a @ b, -1.0, 1.0)))
    across = b - (a @ b) * a
    if np.linalg.norm(across) < 1e-6:
        across = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
    across = across / np.linalg.norm(across)
    gate = max(limits.keep_out / _WITHIN, near)
    s = np.clip((t - t[0]) / (entry - t[0]), 0.0, 1.0)
    w = np.clip((t - entry) / (t[-1] - entry), 0.0, 1.0)
    s, w = (x**3 * (10.0 - 15.0 * x + 6.0 * x * x) for x in (s, w))
    rho = far + s * (gate - far) + w * (near - gate)
    return np.asarray(rho[:, None] * (np.cos(s * angle)[:, None] * a + np.sin(s * angle)[:, None] * across))


def _cone(axis: Array) -> tuple[Array, Array]:
    """Directions across an axis (m, 3), and the axis."""
    one = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    one /= np.linalg.norm(one)
    other = np.cross(axis, one)
    angles = 2.0 * np.pi * np.arange(_SIDES) / _SIDES
    return np.cos(angles)[:, None] * one + np.sin(angles)[:, None] * other, axis


def _program(
    x0: Array,
    x1: Array,
    t: Array,
    entry: float,
    limits: RendezvousLimits,
    responses: tuple[Array, Array],
    path: Array,
    axes: Array,
) -> tuple[Array, Array]:
    """Accelerations and states at the nodes of least impulse, with planes under the last path.

    The unknowns are accelerations ``a = R (r - f)`` with ``r, f >= 0`` along the axes ``R`` of the thrusters; the cost
    is the integral of ``r + f``.
    """
    from scipy.optimize import linprog

    free, forced = responses
    n = len(t)
    drift = free @ x0
    F = np.einsum("ijkl,klm->ijkm", forced, axes).reshape(n, 6, 3 * n)
    near = np.linalg.norm(path, axis=1)
    u = path / near[:, None]
    rows: list[Array] = []
    bounds: list[float] = []

    def at_most(row: Array, limit: float) -> None:
        rows.append(row)
        bounds.append(limit)

    inside = t >= entry - 1e-9
    out, axis = _cone(x1[:3] / np.linalg.norm(x1[:3]))
    slope = np.tan(_WITHIN * limits.corridor) * np.cos(np.pi / _SIDES)  # the pyramid within the cone
    for k in range(1, n - 1):
        if t[k] <= entry + 1e-9:
            at_most(-u[k] @ F[k, :3], float(u[k] @ drift[k, :3]) - limits.keep_out / _WITHIN)
        if inside[k]:
            for side in out:
                face = side - slope * axis
                at_most(face @ F[k, :3], -float(face @ drift[k, :3]))
        if inside[k] and np.isfinite(limits.speed):
            for side in (*np.eye(3), *-np.eye(3)):
                at_most(side @ F[k, 3:], _WITHIN * limits.speed / np.sqrt(3.0) - float(side @ drift[k, 3:]))
        if near[k - 1 : k + 2].min() < limits.plume[0] and np.isfinite(limits.plume[1]):
            row = np.zeros(3 * n)
            row[3 * k : 3 * k + 3] = u[k] @ axes[k]
            at_most(row, _WITHIN * limits.plume[1])
    change = limits.acceleration / limits.ramp
    for k in range(n - 1):
        for j in range(3):
            row = np.zeros(3 * n)
            row[3 * k + 3 : 3 * k + 6], row[3 * k : 3 * k + 3] = axes[k + 1, j], -axes[k, j]
            at_most(row, change * float(t[k + 1] - t[k]))
            at_most(-row, change * float(t[k + 1] - t[k]))
    A, b = np.array(rows), np.array(bounds)
    weights = np.repeat(np.gradient(t), 3)
    most = np.full((n, 3), limits.acceleration)
    most[0] = most[-1] = 0.0
    room = [(0.0, float(x)) for x in np.tile(most.ravel(), 2)]
    answer = linprog(
        np.tile(weights, 2), A_ub=np.hstack([A, -A]), b_ub=b, A_eq=np.hstack([F[-1], -F[-1]]), b_eq=x1 - drift[-1],
        bounds=room, method="highs",
    )  # fmt: skip
    if answer.status != 0:
        raise PlanError(
            f"no path of {t[-1] - t[0]:.0f} s keeps the limits: {limits.acceleration:.3g} m/s2 in {limits.ramp:g} s, "
            f"{limits.keep_out:.3g} m away until the corridor at {entry - t[0]:.0f} s, "
            f"{np.degrees(limits.corridor):.3g} degrees within it"
        )
    both = np.asarray(answer.x)
    z = both[: 3 * n] - both[3 * n :]
    return np.einsum("kij,kj->ki", axes, z.reshape(n, 3)), np.asarray(drift + F @ z)


def _judged(found: Rendezvous, axes: Array) -> tuple[Verdict, ...]:
    """Use of the limits between the nodes as well; the acceleration is straight between them."""
    from scipy.interpolate import CubicHermiteSpline

    limits, fine = found.limits, np.linspace(found.t[0], found.t[-1], 4 * (len(found.t) - 1) + 1)
    curve = CubicHermiteSpline(found.t, found.x[:, :3], found.x[:, 3:])
    x, a = np.hstack([curve(fine), curve(fine, 1)]), found.thrust(fine)
    along = np.einsum("kji,kj->ki", axes, found.a)  # the axes of the thrusters
    distance = np.linalg.norm(x[:, :3], axis=1)
    before = fine < found.entry
    axis = x[-1, :3] / distance[-1]
    angle = np.arccos(np.clip(x[:, :3] @ axis / distance, -1.0, 1.0))[fine >= found.entry]
    away = float(distance[before].min())
    verdicts = [
        Verdict("keep-out distance", "m", away, limits.keep_out, away / limits.keep_out - 1.0),
        _below("corridor", "degrees", float(np.degrees(angle.max())), float(np.degrees(limits.corridor))),
        _below("acceleration", "m/s2", float(np.abs(along).max()), limits.acceleration),
    ]
    if np.isfinite(limits.plume[1]):
        blown = np.sum(a * x[:, :3], axis=1)[distance < limits.plume[0]] / distance[distance < limits.plume[0]]
        verdicts.append(_below("plume", "m/s2", float(max(blown.max(initial=0.0), 0.0)), limits.plume[1]))
    if np.isfinite(limits.speed):
        speed = np.linalg.norm(x[:, 3:], axis=1)[fine >= found.entry]
        verdicts.append(_below("closing speed", "m/s", float(speed.max()), limits.speed))
    return tuple(verdicts)


def _below(name: str, unit: str, value: float, limit: float) -> Verdict:
    return Verdict(name, unit, value, limit, 1.0 - value / limit + _TIGHT if limit > 0.0 else -value)
