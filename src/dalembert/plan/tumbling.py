"""A body that tumbles freely, in closed form, and the motion of a point on it up to its jerk (SPACE 7.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array
from dalembert.spatial.rotations import numpy, quaternion_from_matrix, quaternion_matrix

__all__ = ["BodyMotion", "PointMotion", "TumblingBody"]

_STEADY = 1e-13  # part of momentum off the spin axis below which the spin is steady


class BodyMotion(NamedTuple):
    """Attitude (..., 3, 3), rate and its change in body axes (..., 3), and the motion of the target point."""

    attitude: Array
    rate: Array
    rate_change: Array
    target: PointMotion


class PointMotion(NamedTuple):
    """Position, velocity, acceleration and jerk of a point in world axes, each (..., 3)."""

    position: Array
    velocity: Array
    acceleration: Array
    jerk: Array


@dataclass(frozen=True)
class TumblingBody:
    """A rigid body without forces and torques: its centre moves on a line, its rate on a polhode.

    The rate is that of Jacobi's elliptic functions, ``w_1 = a_1 cn``, ``w_2 = a_2 sn``, ``w_3 = a_3 dn`` in principal
    axes, and the attitude follows from the momentum, which does not move, with one elliptic integral of the third kind
    (Whittaker, Analytical Dynamics, 69). It holds at any time, before and after.

    Parameters
    ----------
    inertia
        Inertia about the centre of mass in body axes (3 x 3, or three moments).
    rate
        Angular rate in body axes at time zero [rad/s].
    quaternion
        Attitude at time zero (w, x, y, z).
    position, velocity
        Position and velocity of the centre of mass in world axes.
    point
        The target point ``p_t`` in body axes.

    Examples
    --------
    >>> body = TumblingBody(inertia=(1.0, 2.0, 3.0), rate=(0.0, 0.1, 0.0), point=(1.0, 0.0, 0.0))
    >>> body.target(0.0).velocity.round(3).tolist()
    [0.0, 0.0, -0.1]
    """

    inertia: ArrayLike
    rate: ArrayLike
    quaternion: ArrayLike = (1.0, 0.0, 0.0, 0.0)
    position: ArrayLike = (0.0, 0.0, 0.0)
    velocity: ArrayLike = (0.0, 0.0, 0.0)
    point: ArrayLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        for name, n in (("rate", 3), ("quaternion", 4), ("position", 3), ("velocity", 3), ("point", 3)):
            object.__setattr__(self, name, _numbers(getattr(self, name), n, name))
        Q = np.array(self.quaternion)
        if abs(np.linalg.norm(Q) - 1.0) > 1e-6:
            raise InputError(f"quaternion of a tumbling body must have unit norm, got norm {np.linalg.norm(Q):g}")
        object.__setattr__(self, "quaternion", tuple(Q / np.linalg.norm(Q)))
        try:
            I = as_numbers(self.inertia)
        except (TypeError, ValueError):
            I = np.zeros(0)
        I = np.diag(I) if I.shape == (3,) else I
        if I.shape != (3, 3) or not np.isfinite(I).all() or np.abs(I - I.T).max() > 1e-9 * np.abs(I).max():
            raise InputError(f"inertia of a tumbling body must be 3 moments or symmetric 3 x 3, got {self.inertia!r}")
        moments = np.linalg.eigvalsh(I)
        if not moments[0] > 0.0:
            raise InputError(f"inertia of a tumbling body must be positive, got the principal moment {moments[0]:g}")
        object.__setattr__(self, "inertia", tuple(map(tuple, I.tolist())))

    @cached_property
    def _motion(self) -> _Polhode | _Steady:
        return _motion(np.array(self.inertia), np.array(self.rate), numpy(quaternion_matrix(np.array(self.quaternion))))

    def turned(self, rotation: ArrayLike) -> TumblingBody:
        """The body in a world that is turned about its place: as it is seen from another side."""
        G = as_numbers(rotation)
        Q = quaternion_from_matrix(G @ self.attitude(0.0)).ravel()
        body = replace(self, quaternion=Q, velocity=G @ np.array(self.velocity))
        # the elliptic functions are the same: only the frame in which the momentum stands has turned
        object.__setattr__(body, "_motion", self._motion.turned(G))
        return body

    def rates(self, t: ArrayLike) -> Array:
        """Angular rate in body axes, (..., 3)."""
        return self._motion.rates(_times(t))

    def attitude(self, t: ArrayLike) -> Array:
        """Rotation matrix from body to world axes, (..., 3, 3)."""
        return self._motion.attitude(_times(t))

    def target(self, t: ArrayLike) -> PointMotion:
        """Motion of the target point in world axes, SPACE (7.6) with (7.8)."""
        return self.motion(t).target

    def motion(self, t: ArrayLike) -> BodyMotion:
        """Attitude, rate, its change and the target point, all at once."""
        t = _times(t)
        (w, R), I = self._motion.both(t), np.array(self.inertia)
        inverse = np.linalg.inv(I)
        wd = -_cross(w, w @ I) @ inverse  # SPACE (7.3d) with the inverse of the inertia
        # time derivative of the rate of change, in body axes, then as seen from the world
        wdd = -(_cross(wd, w @ I) + _cross(w, wd @ I)) @ inverse + _cross(w, wd)
        p = np.broadcast_to(np.array(self.point), w.shape)
        v = _cross(w, p)
        bent = _cross(wd, p)
        a = bent + _cross(w, v)
        square = np.sum(w * w, axis=-1, keepdims=True)
        j = _cross(wdd, p) + 2.0 * _cross(wd, v) + _cross(w, bent) - square * v
        x, drift = np.array(self.position), np.array(self.velocity)
        p, v, a, j = (R @ np.stack([p, v, a, j], axis=-1)).transpose(-1, *range(w.ndim))
        return BodyMotion(R, w, wd, PointMotion(x + t[..., None] * drift + p, drift + v, a, j))


def _cross(a: Array, b: Array) -> Array:
    """Cross product over the last axis; the same as `numpy.cross`, several times faster for few vectors."""
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    for k, (i, j) in enumerate(((1, 2), (2, 0), (0, 1))):
        out[..., k] = a[..., i] * b[..., j] - a[..., j] * b[..., i]
    return out


@dataclass(frozen=True)
class _Steady:
    """Spin about a principal axis: the rate does not change."""

    rate: Array
    start: Array

    def turned(self, G: Array) -> _Steady:
        return replace(self, start=G @ self.start)

    def both(self, t: Array) -> tuple[Array, Array]:
        return self.rates(t), self.attitude(t)

    def rates(self, t: Array) -> Array:
        return np.broadcast_to(self.rate, (*t.shape, 3)).copy()

    def attitude(self, t: Array) -> Array:
        speed = float(np.linalg.norm(self.rate))
        e = self.rate / speed if speed > 0.0 else np.array([0.0, 0.0, 1.0])
        K = np.array([[0.0, -e[2], e[1]], [e[2], 0.0, -e[0]], [-e[1], e[0], 0.0]])
        angle = (speed * t)[..., None, None]
        return np.asarray(self.start @ (np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)))


@dataclass(frozen=True)
class _Polhode:
    """Rate and attitude in principal axes ``P``, of which the third is the one that the rate goes around."""

    P: Array
    moments: Array
    amplitudes: Array
    speed: float
    complement: float  # 1 - m: next to the separatrix m has lost its digits
    phase: float
    momentum: float
    precession: tuple[float, float, float]  # of psi' = c_0 + c_1 / (1 + nu sn^2)
    frame: Array

    def _functions(self, t: Array) -> tuple[Array, Array, Array, Array]:
        amplitude = _amplitude(self.speed * t + self.phase, self.complement)
        sn, cn = np.sin(amplitude), np.cos(amplitude)
        return sn, cn, np.sqrt(cn**2 + self.complement * sn**2), amplitude

    def turned(self, G: Array) -> _Polhode:
        return replace(self, frame=G @ self.frame)

    def rates(self, t: Array) -> Array:
        sn, cn, dn, _ = self._functions(t)
        return np.stack([cn, sn, dn], axis=-1) * self.amplitudes @ self.P.T

    def attitude(self, t: Array) -> Array:
        return self.both(t)[1]

    def both(self, t: Array) -> tuple[Array, Array]:
        """Rate and attitude."""
        sn, cn, dn, amplitude = self._functions(t)
        w = np.stack([cn, sn, dn], axis=-1) * self.amplitudes
        h = w * self.moments / self.momentum
        across = np.hypot(h[..., 0], h[..., 1])
        s, c, cos = h[..., 0] / across, h[..., 1] / across, h[..., 2]
        A = np.zeros((*across.shape, 3, 3))
        A[..., 0, 0], A[..., 0, 1] = c, -s
        A[..., 1, 0], A[..., 1, 1], A[..., 1, 2] = cos * s, cos * c, -across
        A[..., 2, :] = h
        c0, c1, nu = self.precession
        # 1 / (1 + nu sn^2) = 1 - nu sn^2 / (1 + nu sn^2): the first part is time, exactly, however slow the polhode
        waves = _third_kind(nu, amplitude, self.complement) - _third_kind(nu, self._start, self.complement)
        psi = (c0 + c1) * t - c1 * waves / self.speed
        turn = np.zeros_like(A)
        turn[..., 0, 0] = turn[..., 1, 1] = np.cos(psi)
        turn[..., 1, 0] = np.sin(psi)
        turn[..., 0, 1] = -turn[..., 1, 0]
        turn[..., 2, 2] = 1.0
        return w @ self.P.T, np.asarray(self.frame @ turn @ A @ self.P.T)

    @cached_property
    def _start(self) -> Array:
        return self._functions(np.zeros(()))[3]


def _motion(I: Array, w: Array, R: Array) -> _Polhode | _Steady:
    """Choose the axis that the rate goes around, and the constants of the elliptic functions."""
    h = I @ w
    if np.linalg.norm(np.cross(h, w)) <= _STEADY * np.linalg.norm(h) * np.linalg.norm(w):
        return _Steady(w, R)
    moments, axes = np.linalg.eigh(I)
    x = axes.T @ w
    # L^2 - 2 T I_2, again without the difference of large numbers
    side = moments[0] * (moments[0] - moments[1]) * x[0] ** 2 + moments[2] * (moments[2] - moments[1]) * x[2] ** 2
    order = [0, 1, 2] if side >= 0.0 else [2, 1, 0]
    P, (I1, I2, I3) = axes[:, order], moments[order]
    if np.linalg.det(P) < 0.0:
        P[:, 1] = -P[:, 1]
    w1, w2, w3 = P.T @ w
    # 2 T I_3 - L^2 and L^2 - 2 T I_1 as sums of terms of one sign: they keep their digits near steady spin.
    off = I1 * (I3 - I1) * w1**2 + I2 * (I3 - I2) * w2**2
    along = I2 * (I2 - I1) * w2**2 + I3 * (I3 - I1) * w3**2
    a1, a2 = np.sqrt(off / (I1 * (I3 - I1))), np.sqrt(off / (I2 * (I3 - I2)))
    a3 = np.copysign(np.sqrt(along / (I3 * (I3 - I1))), w3)
    speed = float(np.copysign(np.sqrt((I3 - I2) * along / (I1 * I2 * I3)), (I3 - I2) * a3))
    m, m1 = (I2 - I1) * off / ((I3 - I2) * along), (I3 - I1) * side / ((I3 - I2) * along)
    phase = _first_kind(float(np.arctan2(w2 / a2, w1 / a1)), float(m1))
    L = float(np.linalg.norm(h))
    across = (I1 * a1) ** 2
    precession = (L / I3, L * off / (I3 * across), float(I3**2 * a3**2 * m / across))
    constants = (P, np.array([I1, I2, I3]), np.array([a1, a2, a3]), speed, float(m1), phase, L, precession)
    return _Polhode(*constants, R @ _Polhode(*constants, np.eye(3)).attitude(np.zeros(())).T)


def _amplitude(u: Array, m1: float) -> Array:
    """Jacobi's amplitude for the complement ``m1 = 1 - m``, by the arithmetic-geometric mean."""
    a, b, ratios = 1.0, math.sqrt(m1), []
    for _ in range(40):
        if a - b <= 1e-16 * a:
            break
        a, b, c = (a + b) / 2, math.sqrt(a * b), (a - b) / 2
        ratios.append(c / a)
    if not b > 0.0:  # the separatrix itself: the mean is zero, the functions hyperbolic
        return np.asarray(np.arctan(np.sinh(np.clip(u, -700.0, 700.0))))
    phi = 2.0 ** len(ratios) * a * u
    for ratio in reversed(ratios):
        phi = (phi + np.arcsin(ratio * np.sin(phi))) / 2
    return np.asarray(phi)


def _first_kind(phi: float, m1: float) -> float:
    """Incomplete integral of the first kind for ``|phi| <= pi``, by Carlson's form."""
    from scipy.special import elliprf

    turns = round(phi / math.pi)
    whole = 2.0 * turns * float(elliprf(0.0, m1, 1.0)) if turns else 0.0
    s, c = math.sin(phi - math.pi * turns), math.cos(phi - math.pi * turns)
    return whole + s * float(elliprf(c * c, c * c + m1 * s * s, 1.0))


def _third_kind(nu: float, phi: Array, m1: float) -> Array:
    """Integral of ``nu sin^2 / ((1 + nu sin^2) sqrt(1 - m sin^2))`` from zero, by Carlson's form of the third kind."""
    from scipy.special import elliprj

    turns = np.round(phi / np.pi)

    def part(x: Array) -> Array:
        s, c = np.sin(x), np.cos(x)
        return np.asarray(nu / 3.0 * s**3 * elliprj(c * c, c * c + m1 * s * s, 1.0, 1.0 + nu * s * s))

    rest = part(phi - np.pi * turns)
    if not np.any(turns):  # of no period: on the separatrix it would be infinite
        return rest
    return np.asarray(2.0 * turns * part(np.array(np.pi / 2)) + rest)


def _times(t: ArrayLike) -> Array:
    try:
        return as_numbers(t)
    except (TypeError, ValueError):
        raise InputError(f"t must be a time or an array of times, got {t!r}") from None


def _numbers(value: ArrayLike, n: int, name: str) -> tuple[float, ...]:
    try:
        x = as_numbers(value)
    except (TypeError, ValueError):
        x = np.zeros(0)
    if x.shape != (n,) or not np.isfinite(x).all():
        raise InputError(f"{name} of a tumbling body must be {n} finite numbers, got {value!r}")
    return tuple(float(v) for v in x)
