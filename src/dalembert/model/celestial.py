"""Where Sun and Moon are, and the magnetic field of the Earth: formulas of low precision, for numbers and expressions.

Positions are from the centre of the Earth along the mean equator and equinox of date; against those of a fixed year
they turn by 0.014 degrees per year, which the disturbance of a spacecraft does not see.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.types import Array, Expression
from dalembert.model.orbit import EARTH_RADIUS

T = TypeVar("T", bound=Any)
Numbers: TypeAlias = Expression | Array

__all__ = ["J2000", "MOON_MU", "SUN_MU", "magnetic_field", "moon_position", "sidereal_angle", "sun_position"]

J2000 = 2451545.0
"""Julian date of noon on 1 January 2000."""
MOON_MU = 4.9028e12
"""Gravitational parameter of the Moon [m3/s2]."""
SUN_MU = 1.32712440018e20
"""Gravitational parameter of the Sun [m3/s2]."""

_ASTRONOMICAL_UNIT = 149597870700.0
_DIPOLE = (-1450.9e-9, 4652.5e-9, -29404.8e-9)  # g11, h11, g10 of the IGRF-13 for 2020 [T]
# Moon: amplitude, phase, rate per century, all in degrees; longitude and latitude with sines, parallax with cosines
_LONGITUDE = (
    (6.29, 134.9, 477198.85), (-1.27, 259.2, -413335.38), (0.66, 235.7, 890534.23), (0.21, 269.9, 954397.70),
    (-0.19, 357.5, 35999.05), (-0.11, 186.6, 966404.05),
)  # fmt: skip
_LATITUDE = ((5.13, 93.3, 483202.03), (0.28, 228.2, 960400.87), (-0.28, 318.3, 6003.18), (-0.17, 217.6, -407332.20))
_PARALLAX = (
    (0.0518, 134.9, 477198.85),
    (0.0095, 259.2, -413335.38),
    (0.0078, 235.7, 890534.23),
    (0.0028, 269.9, 954397.70),
)


def sun_position(date: Expression | ArrayLike, seconds: Expression | ArrayLike = 0.0) -> Any:
    """Position of the Sun from the centre of the Earth [m]: (3) for a CasADi time, (..., 3) for numbers.

    Low-precision formulas of the Astronomical Almanac, section C: 0.01 degrees from 1950 to 2050.

    Parameters
    ----------
    date
        Julian date (terrestrial time).
    seconds
        Time since then, a number or an expression.

    Examples
    --------
    >>> (sun_position(2451623.8) / 1e9).round() + 0.0  # at the vernal equinox of 2000 it stands in the x axis
    array([149.,   0.,   0.])
    """
    n = _days(date, seconds)
    g = _radians(357.528 + 0.9856003 * n)
    m = _library(n)
    longitude = _radians(280.460 + 0.9856474 * n + 1.915 * m.sin(g) + 0.020 * m.sin(2 * g))
    distance = 1.00014 - 0.01671 * m.cos(g) - 0.00014 * m.cos(2 * g)
    return _equatorial(distance * _ASTRONOMICAL_UNIT, longitude, 0.0 * longitude, n)


def moon_position(date: Expression | ArrayLike, seconds: Expression | ArrayLike = 0.0) -> Any:
    """Position of the Moon from the centre of the Earth [m], as `sun_position`.

    Low-precision formulas of the Astronomical Almanac, section D: 0.3 degrees in longitude, 0.2 in latitude, 0.2
    radii of the Earth in distance.

    Parameters
    ----------
    date, seconds
        As in `sun_position`.

    Examples
    --------
    Distance on 1 January 2000 at noon [1000 km]:

    >>> round(float(np.linalg.norm(moon_position(2451545.0))) / 1e6)
    402
    """
    n = _days(date, seconds)
    T, m = n / 36525.0, _library(n)

    def waves(terms: tuple[tuple[float, float, float], ...], of: Callable[[Any], Any]) -> Any:
        return sum(a * of(_radians(phase + rate * T)) for a, phase, rate in terms)

    longitude = _radians(218.32 + 481267.883 * T + waves(_LONGITUDE, m.sin))
    latitude = _radians(waves(_LATITUDE, m.sin))
    parallax = _radians(0.9508 + waves(_PARALLAX, m.cos))
    return _equatorial(EARTH_RADIUS / m.sin(parallax), longitude, latitude, n)


def sidereal_angle(date: Expression | ArrayLike, seconds: Expression | ArrayLike = 0.0) -> Any:
    """Angle by which the Earth has turned from the equinox: Greenwich mean sidereal time [rad].

    Parameters
    ----------
    date, seconds
        As in `sun_position`; universal time, of which terrestrial time is a minute ahead.

    Examples
    --------
    >>> round(float(sidereal_angle(2451545.0)), 6)
    4.894961
    """
    return _radians(280.46061837 + 360.98564736629 * _days(date, seconds))


def magnetic_field(position: Expression | ArrayLike, angle: Expression | float = 0.0) -> Any:
    """Magnetic field of the Earth [T] as that of a tilted dipole, in axes that do not turn.

    ``B = (a/r)^3 (3 (d . u) u - d)`` with the Gauss coefficients of first order ``d`` of the IGRF-13 for 2020, which
    turn with the Earth. The field as it is differs by a fifth, more over the South Atlantic.

    Parameters
    ----------
    position
        From the centre of the Earth [m], three numbers or expressions.
    angle
        `sidereal_angle` [rad].

    Examples
    --------
    Above the equator [microtesla]:

    >>> round(float(np.linalg.norm(magnetic_field([6.778e6, 0.0, 0.0]))) * 1e6, 1)
    24.9
    """
    symbols = (ca.SX, ca.MX)
    x: Any = position
    turn: Any = angle
    if not isinstance(position, symbols):
        try:
            numbers = np.asarray(position, dtype=float)
        except (TypeError, ValueError):
            numbers = np.zeros(0)
        if numbers.shape != (3,) or not np.isfinite(numbers).all() or not numbers.any():
            raise InputError(f"position must be three numbers from the centre of the Earth, got {position!r}")
        x = ca.DM(numbers)
    if not isinstance(angle, symbols) and (isinstance(angle, str) or not np.isfinite(angle)):
        raise InputError(f"angle must be a finite number, got {angle!r}")
    r = ca.norm_2(x)
    gx, gy, gz = _DIPOLE
    c, s = ca.cos(turn), ca.sin(turn)
    d = ca.vertcat(c * gx - s * gy, s * gx + c * gy, gz)
    u = x / r
    B = (EARTH_RADIUS / r) ** 3 * (3 * ca.dot(d, u) * u - d)
    return np.array(B).ravel() if isinstance(B, ca.DM) else B


def _days(date: Expression | ArrayLike, seconds: Expression | ArrayLike) -> Any:
    """Days since J2000."""
    if isinstance(date, ca.SX | ca.MX) or isinstance(seconds, ca.SX | ca.MX):
        days: Any = (date - J2000) + seconds / 86400.0  # type: ignore[operator]
        return days
    try:
        n = (np.asarray(date, dtype=float) - J2000) + np.asarray(seconds, dtype=float) / 86400.0
    except (TypeError, ValueError):
        n = np.array(math.nan)
    if not np.isfinite(n).all():
        raise InputError(f"a date must be a finite Julian date, got {date!r}")
    return n


def _library(x: object) -> Any:
    return ca if isinstance(x, ca.SX | ca.MX) else np


def _radians(degrees: T) -> T:
    return degrees * (math.pi / 180.0)


def _equatorial(distance: Numbers, longitude: Numbers, latitude: Numbers, n: Numbers) -> Any:
    """Position along the axes of the equator from ecliptic longitude and latitude."""
    m = _library(n)
    tilt = _radians(23.439 - 0.0000004 * n)
    x, y, z = m.cos(latitude) * m.cos(longitude), m.cos(latitude) * m.sin(longitude), m.sin(latitude)
    parts = [
        distance * x,
        distance * (m.cos(tilt) * y - m.sin(tilt) * z),
        distance * (m.sin(tilt) * y + m.cos(tilt) * z),
    ]
    return ca.vertcat(*parts) if m is ca else np.stack(parts, axis=-1)
