"""Motion relative to an orbit, linearised: state transition matrices of circular and eccentric orbits.

Axes of the orbit are radial (outward), along the motion (normal to the radius, in the plane of the orbit) and normal to
the orbit. They turn with it; positions and velocities are those that are seen in them.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.model.orbit import Orbit

__all__ = ["orbit_axes", "yamanaka_ankersen"]

_OF_YAMANAKA = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]])
"""Axes of Yamanaka and Ankersen (along, against the normal, down) from those of the orbit."""


def orbit_axes(orbit: Orbit, t: float) -> tuple[Array, float, float]:
    """Axes of an orbit (3 x 3, columns) in world axes, the rate about their last one [rad/s], and the true anomaly.

    Examples
    --------
    >>> axes, rate, _ = orbit_axes(Orbit(altitude=500e3), 0.0)
    >>> axes.round(9).tolist()[0], round(rate * 1e3, 3)
    ([1.0, 0.0, 0.0], 1.107)
    """
    r, v = (np.asarray(x, dtype=float) for x in orbit.motion(float(t)))
    h = np.cross(r, v)
    radial, normal = r / np.linalg.norm(r), h / np.linalg.norm(h)
    P, Q = orbit.axes[:, 0], orbit.axes[:, 1]
    rate = float(np.linalg.norm(h) / (r @ r))
    return np.column_stack([radial, np.cross(normal, radial), normal]), rate, math.atan2(float(r @ Q), float(r @ P))


def yamanaka_ankersen(orbit: Orbit, start: float, end: ArrayLike, *, axes: str = "orbit") -> Array:
    """Transition matrix (..., 6, 6) of positions and velocities near an orbit of any eccentricity.

    In the true anomaly the equations of Tschauner and Hempel have the fundamental solutions of Yamanaka and Ankersen
    ("New state transition matrix for relative motion on an arbitrary elliptical orbit", 2002); the matrix is their
    value at the end times its inverse at the start. On circular orbits it is `clohessy_wiltshire`.

    Parameters
    ----------
    orbit
        The orbit.
    start, end
        Times [s], counted as those of the orbit; ``end`` may be an array.
    axes
        ``"orbit"``: axes that turn with the orbit; ``"world"``: axes that do not turn, as those of `in_orbit`.

    Examples
    --------
    >>> from dalembert.model import clohessy_wiltshire
    >>> low = Orbit(altitude=500e3)
    >>> apart = yamanaka_ankersen(low, 0.0, 600.0) - clohessy_wiltshire(low.mean_motion, 600.0)
    >>> bool(np.abs(apart).max() < 1e-7)
    True
    """
    if not isinstance(orbit, Orbit):
        raise InputError(f"orbit must be an Orbit, got {orbit!r}")
    if axes not in ("orbit", "world"):
        raise InputError(f"axes of a relative motion must be 'orbit' or 'world', got {axes!r}")
    times = np.asarray(end, dtype=float)
    if not (np.isfinite(times).all() and np.isfinite(float(start))):
        raise InputError(f"times of a relative motion must be finite, got {start!r} and {end!r}")
    first = np.linalg.inv(_solutions(orbit, float(start), float(start), axes))
    ends = [_solutions(orbit, float(start), float(t), axes) for t in times.ravel()]
    return np.asarray(np.array(ends).reshape(*times.shape, 6, 6) @ first)


def _solutions(orbit: Orbit, start: float, t: float, axes: str) -> Array:
    """Fundamental solutions (6, 6): positions and velocities, one solution per column."""
    R, rate, theta = orbit_axes(orbit, t)
    e = orbit.eccentricity
    p = orbit.semi_major_axis * (1.0 - e * e)
    k2 = math.sqrt(orbit.mu / p**3)  # theta' = k2 rho^2
    rho, J = 1.0 + e * math.cos(theta), k2 * (t - start)
    s, c = rho * math.sin(theta), rho * math.cos(theta)
    sd, cd = math.cos(theta) + e * math.cos(2.0 * theta), -(math.sin(theta) + e * math.sin(2.0 * theta))
    more = 1.0 + 1.0 / rho
    X = np.zeros((6, 6))  # transformed along, cross, down, and their derivatives by the anomaly
    X[0, :4] = 1.0, -c * more, s * more, 3.0 * rho**2 * J
    X[2, :4] = 0.0, s, c, 2.0 - 3.0 * e * s * J
    X[3, :4] = 0.0, 2.0 * s, 2.0 * c - e, 3.0 * (1.0 - 2.0 * e * s * J)
    X[5, :4] = 0.0, sd, cd, -3.0 * e * (sd * J + s / rho**2)
    X[1, 4:] = math.cos(theta), math.sin(theta)
    X[4, 4:] = -math.sin(theta), math.cos(theta)
    place = X[:3] / rho
    speed = k2 * rho * (X[3:] + e * math.sin(theta) * place)
    turn = _OF_YAMANAKA.T
    place, speed = turn @ place, turn @ speed
    if axes == "world":
        across = np.array([[0.0, -rate, 0.0], [rate, 0.0, 0.0], [0.0, 0.0, 0.0]])
        place, speed = R @ place, R @ (speed + across @ place)
    return np.vstack([place, speed])
