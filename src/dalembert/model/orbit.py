"""Orbits of two bodies: Kepler elements and states, both ways, and motion near an orbit (SPACE 6.1.2)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError, MachineError
from dalembert.core.types import Array, Expression

__all__ = ["EARTH_J2", "EARTH_MU", "EARTH_RADIUS", "Orbit", "clohessy_wiltshire"]

EARTH_MU = 3.986004418e14
"""Gravitational parameter of the Earth [m3/s2]."""
EARTH_RADIUS = 6378137.0
"""Equatorial radius of the Earth [m]."""
EARTH_J2 = 1.08262668e-3
"""First zonal harmonic of the Earth."""

_NEWTON = 8  # steps that reach rounding for all eccentricities below the bound
_MOST_ECCENTRIC = 0.9


@dataclass(frozen=True)
class Orbit:
    """An elliptic orbit by its Kepler elements; time is counted from where the true anomaly is ``anomaly``.

    Parameters
    ----------
    altitude
        Altitude ``h`` of the perigee above `radius` [m]: the semi-major axis is ``(radius + h) / (1 - e)``.
    eccentricity, inclination, node, perigee, anomaly
        Shape ``e``, inclination ``i``, right ascension ``Omega`` of the ascending node, argument ``omega`` of the
        perigee, true anomaly ``nu`` at time zero [rad].
    mu, radius
        Gravitational parameter and radius of the central body; default the Earth's.

    Examples
    --------
    >>> low = Orbit(altitude=800e3, inclination=1.7)
    >>> round(low.period / 60, 1)
    100.9
    """

    altitude: float
    eccentricity: float = 0.0
    inclination: float = 0.0
    node: float = 0.0
    perigee: float = 0.0
    anomaly: float = 0.0
    mu: float = EARTH_MU
    radius: float = EARTH_RADIUS

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if isinstance(value, bool | str) or not isinstance(value, int | float) or not math.isfinite(value):
                raise MachineError(f"{name} of an orbit must be a finite number, got {value!r}")
            object.__setattr__(self, name, float(value))
        if not 0.0 <= self.eccentricity <= _MOST_ECCENTRIC:
            raise MachineError(f"eccentricity of an orbit must be 0 to {_MOST_ECCENTRIC}, got {self.eccentricity:g}")
        if not (self.mu > 0.0 and self.radius >= 0.0 and self.radius + self.altitude > 0.0):
            raise MachineError(
                f"an orbit needs mu > 0, radius >= 0 and a perigee outside of the centre, got mu = {self.mu:g}, "
                f"radius = {self.radius:g}, altitude = {self.altitude:g}"
            )

    @property
    def semi_major_axis(self) -> float:
        """Semi-major axis ``a`` [m]."""
        return (self.radius + self.altitude) / (1.0 - self.eccentricity)

    @property
    def mean_motion(self) -> float:
        """Mean motion ``n`` [rad/s]."""
        return math.sqrt(self.mu / self.semi_major_axis**3)

    @property
    def period(self) -> float:
        """Time of one revolution [s]."""
        return 2.0 * math.pi / self.mean_motion

    @property
    def axes(self) -> Array:
        """Axes of the orbit as columns, SPACE (6.3) with its last rotation about Z: perigee, motion there, normal."""
        cO, sO, ci, si = (
            math.cos(self.node),
            math.sin(self.node),
            math.cos(self.inclination),
            math.sin(self.inclination),
        )
        cw, sw = math.cos(self.perigee), math.sin(self.perigee)
        Z = np.array([[cO, -sO, 0.0], [sO, cO, 0.0], [0.0, 0.0, 1.0]])
        X = np.array([[1.0, 0.0, 0.0], [0.0, ci, -si], [0.0, si, ci]])
        return np.asarray(Z @ X @ np.array([[cw, -sw, 0.0], [sw, cw, 0.0], [0.0, 0.0, 1.0]]))

    def motion(self, t: Expression | ArrayLike) -> tuple[Any, Any]:
        """Position and velocity from the centre, (3) for a CasADi time, (..., 3) for numbers."""
        symbolic = isinstance(t, ca.SX | ca.MX)
        m: Any = ca if symbolic else np
        time: Any = t if symbolic else np.asarray(t, dtype=float)
        e, a, n = self.eccentricity, self.semi_major_axis, self.mean_motion
        E0 = 2.0 * math.atan2(
            math.sqrt(1 - e) * math.sin(self.anomaly / 2), math.sqrt(1 + e) * math.cos(self.anomaly / 2)
        )
        M = E0 - e * math.sin(E0) + n * time
        E = M + e * m.sin(M) / m.sqrt(1.0 - 2.0 * e * m.cos(M) + e * e)
        for _ in range(_NEWTON if e > 0.0 else 0):
            E = E - (E - e * m.sin(E) - M) / (1.0 - e * m.cos(E))
        c, s, b = m.cos(E), m.sin(E), a * math.sqrt(1.0 - e * e)
        speed = n / (1.0 - e * c)
        x, y, vx, vy = a * (c - e), b * s, -a * s * speed, b * c * speed
        P, Q = self.axes[:, 0], self.axes[:, 1]
        if symbolic:
            return ca.DM(P) * x + ca.DM(Q) * y, ca.DM(P) * vx + ca.DM(Q) * vy
        return x[..., None] * P + y[..., None] * Q, vx[..., None] * P + vy[..., None] * Q

    @staticmethod
    def through(
        position: ArrayLike, velocity: ArrayLike, *, mu: float = EARTH_MU, radius: float = EARTH_RADIUS
    ) -> Orbit:
        """Orbit through a position with a velocity, at time zero: the elements of a state.

        Where the orbit is circular the perigee is taken at the ascending node, where it lies in the equator the node
        at the x axis.
        """
        try:
            r, v = np.asarray(position, dtype=float), np.asarray(velocity, dtype=float)
        except (TypeError, ValueError):
            r, v = np.zeros(0), np.zeros(0)
        if r.shape != (3,) or v.shape != (3,) or not (np.isfinite(r).all() and np.isfinite(v).all()):
            raise InputError(f"position and velocity must be 3 finite numbers each, got {position!r} and {velocity!r}")
        distance = float(np.linalg.norm(r))
        h = np.cross(r, v)
        if distance == 0.0 or not np.linalg.norm(h) > 1e-9 * distance * float(np.linalg.norm(v)):
            raise InputError("the motion passes through the centre, so it is not an orbit")
        energy = float(v @ v) / 2 - mu / distance
        if energy >= 0.0:
            raise InputError(
                f"the speed of {np.linalg.norm(v):g} m/s at {distance:g} m exceeds the escape speed: the orbit is "
                "not an ellipse"
            )
        w = h / np.linalg.norm(h)
        line = np.cross([0.0, 0.0, 1.0], w)
        line = line / np.linalg.norm(line) if np.linalg.norm(line) > 1e-12 else np.array([1.0, 0.0, 0.0])
        vector = np.cross(v, h) / mu - r / distance
        e = float(np.linalg.norm(vector))
        apse = vector / e if e > 1e-11 else line
        e = e if e > 1e-11 else 0.0

        def angle(a: Array, b: Array) -> float:
            return math.atan2(float(np.cross(a, b) @ w), float(a @ b))

        return Orbit(
            altitude=-mu / (2 * energy) * (1.0 - e) - radius,
            eccentricity=e,
            inclination=math.atan2(math.hypot(w[0], w[1]), w[2]),
            node=math.atan2(line[1], line[0]),
            perigee=angle(line, apse),
            anomaly=angle(apse, r / distance),
            mu=mu,
            radius=radius,
        )


def clohessy_wiltshire(rate: float, t: ArrayLike) -> Array:
    """Transition matrix (..., 6, 6) of the motion near a circular orbit, in axes that turn with it.

    The axes are radial (outward), along the motion and normal to the orbit; the state is relative position and velocity
    in them, ``x'' = 3 n^2 x + 2 n y'``, ``y'' = -2 n x'``, ``z'' = -n^2 z`` (Clohessy and Wiltshire).

    Parameters
    ----------
    rate
        Mean motion ``n`` of the orbit [rad/s].
    t
        Times.

    Examples
    --------
    A satellite 100 m behind on the same circular orbit stays there:

    >>> state = clohessy_wiltshire(1.13e-3, 600.0) @ [0.0, -100.0, 0.0, 0.0, 0.0, 0.0]
    >>> state[:3].tolist()
    [0.0, -100.0, 0.0]
    """
    n, t = float(rate), np.asarray(t, dtype=float)
    if not n > 0.0:
        raise InputError(f"rate of an orbit must be > 0, got {rate!r}")
    a = n * t
    s, c, one, zero = np.sin(a), np.cos(a), np.ones_like(a), np.zeros_like(a)
    rows = [
        [4 - 3 * c, zero, zero, s / n, 2 * (1 - c) / n, zero],
        [6 * (s - a), one, zero, 2 * (c - 1) / n, (4 * s - 3 * a) / n, zero],
        [zero, zero, c, zero, zero, s / n],
        [3 * n * s, zero, zero, c, 2 * s, zero],
        [6 * n * (c - 1), zero, zero, -2 * s, 4 * c - 3, zero],
        [zero, zero, -n * s, zero, zero, c],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
