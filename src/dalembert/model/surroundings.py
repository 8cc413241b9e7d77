"""Sunlight behind the Earth, and the density of the air: for numbers and expressions."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.types import Expression
from dalembert.model.orbit import EARTH_RADIUS

__all__ = ["shadow_edges", "standard_density", "sunlight"]

SUN_RADIUS = 6.957e8
# Altitudes [km] and densities [kg/m3] of the table by Vallado, Fundamentals of Astrodynamics and Applications (4th
# edition, Table 8-4), from the US Standard Atmosphere 1976 and CIRA-72
_ALTITUDES = (0, 25, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150, 180, 200, 250, 300, 350, 400, 450, 500,
              600, 700, 800, 900, 1000)  # fmt: skip
_DENSITIES = (1.225, 3.899e-2, 1.774e-2, 3.972e-3, 1.057e-3, 3.206e-4, 8.770e-5, 1.905e-5, 3.396e-6, 5.297e-7, 9.661e-8,
              2.438e-8, 8.484e-9, 3.845e-9, 2.070e-9, 5.464e-10, 2.789e-10, 7.248e-11, 2.418e-11, 9.518e-12, 3.725e-12,
              1.585e-12, 6.967e-13, 1.454e-13, 3.614e-14, 1.170e-14, 5.245e-15, 3.019e-15)  # fmt: skip
_LAST_SCALE = 268.0  # scale height above the table [km]


def standard_density(altitude: Expression | float) -> Any:
    """Density of the air [kg/m3] at an altitude [m], of a standard atmosphere for mean solar activity.

    Between the rows of the table it is exponential, so that it is continuous; its slope jumps at the rows.

    Parameters
    ----------
    altitude
        A number or an expression.

    Examples
    --------
    >>> round(1e12 * standard_density(400e3), 6)
    3.725
    """
    symbolic = isinstance(altitude, ca.SX | ca.MX)
    if not symbolic and not np.isfinite(altitude):
        raise InputError(f"altitude must be a finite number, got {altitude!r}")
    h: Any = altitude / 1e3
    logs = np.log(_DENSITIES)
    slopes = [*(np.diff(logs) / np.diff(_ALTITUDES)), -1.0 / _LAST_SCALE]
    if not symbolic:
        k = max(int(np.searchsorted(_ALTITUDES, h, side="right")) - 1, 0)
        return float(np.exp(logs[k] + slopes[k] * (h - _ALTITUDES[k])))
    log = logs[0] + slopes[0] * h
    for k in range(1, len(logs)):
        log = log + (slopes[k] - slopes[k - 1]) * ca.fmax(h - _ALTITUDES[k], 0.0)
    return ca.exp(log)


def sunlight(position: Expression | ArrayLike, sun: Expression | ArrayLike, radius: float = EARTH_RADIUS) -> Any:
    """Part of the Sun's disc that is seen from a place: 1 in the light, 0 in the umbra, between them the penumbra.

    Discs of Earth and Sun overlap (Montenbruck and Gill, Satellite Orbits, 3.4.2); the Earth is a sphere without air.

    Parameters
    ----------
    position, sun
        Places from the centre of the Earth [m], three numbers or expressions each.
    radius
        Radius of the Earth [m].

    Examples
    --------
    >>> sun = [1.5e11, 0.0, 0.0]
    >>> float(sunlight([7e6, 0.0, 0.0], sun)), float(sunlight([-7e6, 0.0, 0.0], sun))
    (1.0, 0.0)
    """
    a, b, c = _discs(position, sun, radius)
    safe = ca.fmax(c, 1e-12)
    along = (safe * safe + a * a - b * b) / (2.0 * safe)
    across = ca.sqrt(ca.fmax(a * a - along * along, 0.0))
    hidden = (
        a * a * ca.acos(ca.fmin(ca.fmax(along / a, -1.0), 1.0))
        + b * b * ca.acos(ca.fmin(ca.fmax((safe - along) / b, -1.0), 1.0))
        - safe * across
    )
    partly = 1.0 - hidden / (np.pi * a * a)
    inside = ca.if_else(a < b, 0.0, 1.0 - (b / a) ** 2)
    share = ca.if_else(c >= a + b, 1.0, ca.if_else(c <= ca.fabs(b - a), inside, partly))
    return float(share) if isinstance(share, ca.DM) else share


def shadow_edges(position: Expression | ArrayLike, sun: Expression | ArrayLike, radius: float = EARTH_RADIUS) -> Any:
    """Angles to the edges of penumbra and umbra [rad]: two numbers or expressions, positive outside of each.

    `sunlight` has kinks at these edges. As functions of `dalembert.Event` they locate them.

    Parameters
    ----------
    position, sun, radius
        As in `sunlight`.

    Examples
    --------
    >>> sun = [1.5e11, 0.0, 0.0]
    >>> [x > 0 for x in shadow_edges([7e6, 0.0, 0.0], sun)], [x > 0 for x in shadow_edges([-7e6, 0.0, 0.0], sun)]
    ([True, True], [False, False])
    """
    a, b, c = _discs(position, sun, radius)
    edges = c - (a + b), c - (b - a)
    return tuple(float(x) if isinstance(x, ca.DM) else x for x in edges)


def _discs(position: Expression | ArrayLike, sun: Expression | ArrayLike, radius: float) -> tuple[Any, Any, Any]:
    """Apparent radii of Sun and Earth, and the angle between their centres."""
    places: list[Any] = [y if isinstance(y, ca.SX) else ca.DM(np.asarray(y, dtype=float)) for y in (position, sun)]
    x, s = places
    d = s - x
    far, high = ca.norm_2(d), ca.norm_2(x)
    a, b = ca.asin(SUN_RADIUS / far), ca.asin(ca.fmin(radius / high, 1.0))
    # by the half angle, which keeps its digits where both point the same way
    u, w = -x / high, d / far
    return a, b, 2.0 * ca.atan2(ca.norm_2(u - w), ca.norm_2(u + w))
