"""Straight lines of a rope between wheels and points.

A wheel with the centre ``c``, the radius ``r`` and the axis ``n`` is touched where the line lies in the tangent plane
of its rim: with the unit vector ``rho`` from the centre to the point of contact ``x = c + r rho``

    rho . (x_2 - x_1) = 0    at both wheels.

The rope runs counter-clockwise about ``n``: its direction has a positive component along ``n x rho``. For wheels with
parallel axes only the projection along the axes counts, and the line is the common tangent of two circles: with
``d = c_2 - c_1``, the senses ``s`` of the axes along ``n`` and ``e = s_2 r_2 - s_1 r_1``

    l^2 = d.d - e^2,   u = (l d - e n x d)/(d.d),   rho_k = -s_k n x u,

a point being a wheel of radius 0. Otherwise two angles are found by Newton's method, with a fixed number of steps from
where each wheel is touched by the line from the centre of the other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import casadi as ca

__all__ = ["STEPS", "Circle", "Line", "angle_between", "line_between"]

STEPS = 7
"""Steps of Newton's method."""

_VANISHED = 1e-4  # length of a line, as part of the radii at its ends, below which its direction stays finite only


@dataclass(frozen=True)
class Circle:
    """A circle that a rope touches, or a point.

    Parameters
    ----------
    centre
        Its centre.
    radius
        Its radius; None for a point.
    axis
        Unit vector about which the rope runs counter-clockwise; None for a point.
    carrier, direction
        The node whose rotation alone turns the axis, and the axis in that node: parallel for ever if these are.
    """

    centre: ca.SX
    radius: ca.SX | None = None
    axis: ca.SX | None = None
    carrier: int = -1
    direction: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def sense_along(self, other: Circle) -> int:
        """1 or -1 if the axes are always parallel or opposite, 0 if they are not."""
        if self.carrier != other.carrier:
            return 0
        along = sum(a * b for a, b in zip(self.direction, other.direction, strict=True))
        return round(along) if abs(abs(along) - 1.0) < 1e-9 else 0


@dataclass(frozen=True)
class Line:
    """A straight line of a rope.

    Parameters
    ----------
    start, end
        Its ends.
    length
        Its length.
    out, into
        Unit vectors from the centres of the wheels at both ends to the points of contact; None at a point.
    clear
        Square of the line's length in the plane of the wheels; negative if there is no tangent.
    error
        Error of Newton's method [m]; None if there is a closed form.
    """

    start: ca.SX
    end: ca.SX
    length: ca.SX
    out: ca.SX | None
    into: ca.SX | None
    clear: ca.SX
    error: ca.SX | None = None


def line_between(first: Circle, second: Circle) -> Line:
    """Return the line on which a rope runs from one wheel or point to another."""
    if first.axis is None and second.axis is None:
        square = ca.sumsqr(second.centre - first.centre)
        # The small number leaves every length beyond 1e-92 m as it is, and gives two points at one place a derivative.
        return Line(first.centre, second.centre, ca.sqrt(square + 1e-200), None, None, ca.SX(1.0))
    if first.axis is None or second.axis is None:
        return _tangent(first, second, 1)
    sense = first.sense_along(second)
    return _tangent(first, second, sense) if sense else _crossed(first, second)


def _tangent(first: Circle, second: Circle, sense: int) -> Line:
    """Common tangent in the plane across the axis of the first wheel, or of the second if the first is a point."""
    n = first.axis if first.axis is not None else second.axis
    assert n is not None
    d = second.centre - first.centre
    r_1, r_2 = (ca.SX(0.0) if w.radius is None else w.radius for w in (first, second))
    e = sense * r_2 - r_1 if first.axis is not None else r_2
    rise = ca.dot(d, n)
    flat = d - rise * n
    square = ca.sumsqr(flat)
    clear = square - e**2
    # Routes end at longer lines (Routing): the bound keeps a step finite that goes beyond, for its event to be located.
    bounded = ca.fmax(clear, (_VANISHED * (r_1 + r_2)) ** 2)
    l = ca.sqrt(bounded)
    u = (l * flat - e * ca.cross(n, flat)) / square
    normal = ca.cross(n, u)
    s_1, s_2 = (1, sense) if first.axis is not None else (1, 1)
    out = None if first.axis is None else -s_1 * normal
    into = None if second.axis is None else -s_2 * normal
    start = first.centre if out is None else first.centre + r_1 * out
    end = second.centre if into is None else second.centre + r_2 * into
    length = l if rise.is_zero() else ca.sqrt(bounded + rise**2)
    return Line(start, end, length, out, into, clear)


def _crossed(first: Circle, second: Circle) -> Line:
    """Line between wheels in different planes, by Newton's method on the two angles of contact."""
    n_1, n_2, r_1, r_2 = first.axis, second.axis, first.radius, second.radius
    assert n_1 is not None and n_2 is not None and r_1 is not None and r_2 is not None
    d = second.centre - first.centre
    from_first, to_second = _tangent(first, Circle(second.centre), 1), _tangent(Circle(first.centre), second, 1)
    rho_1, rho_2 = from_first.out, to_second.into
    assert rho_1 is not None and rho_2 is not None
    for _ in range(STEPS):
        t_1, t_2 = ca.cross(n_1, rho_1), ca.cross(n_2, rho_2)
        F_1, F_2 = _residuals(d, r_1, r_2, rho_1, rho_2)
        a, b = ca.dot(t_1, d + r_2 * rho_2), r_2 * ca.dot(rho_1, t_2)
        c, e = -r_1 * ca.dot(t_1, rho_2), ca.dot(t_2, d - r_1 * rho_1)
        det = a * e - b * c
        rho_1 = _turned(rho_1, t_1, -(e * F_1 - b * F_2) / det)
        rho_2 = _turned(rho_2, t_2, -(a * F_2 - c * F_1) / det)
    F_1, F_2 = _residuals(d, r_1, r_2, rho_1, rho_2)
    start, end = first.centre + r_1 * rho_1, second.centre + r_2 * rho_2
    clear = ca.fmin(from_first.clear, to_second.clear)
    error = ca.if_else(clear > 0, ca.sqrt(F_1**2 + F_2**2), math.inf)  # not a largest one, which would pass over NaN
    return Line(start, end, ca.norm_2(end - start), rho_1, rho_2, clear, error)


def _residuals(d: ca.SX, r_1: ca.SX, r_2: ca.SX, rho_1: ca.SX, rho_2: ca.SX) -> tuple[ca.SX, ca.SX]:
    """``rho_k . (x_2 - x_1)`` of both wheels."""
    between = ca.dot(rho_1, rho_2)
    return ca.dot(rho_1, d) + r_2 * between - r_1, ca.dot(rho_2, d) + r_2 - r_1 * between


def _turned(rho: ca.SX, t: ca.SX, angle: ca.SX) -> ca.SX:
    """A unit vector turned towards ``t``, by ``angle`` to second order."""
    return (rho + angle * t) / ca.sqrt(1 + angle**2)


def angle_between(axis: ca.SX, start: ca.SX, end: ca.SX, centre: float, halves: ca.SX) -> ca.SX:
    """Angle about an axis from one direction to another, within half a turn of ``centre`` and some half turns."""
    sine, cosine = ca.dot(axis, ca.cross(start, end)), ca.dot(start, end)
    s, c = math.sin(centre), math.cos(centre)
    if abs(s) == 1.0:
        c = 0.0
    sign = 1 - 2 * (halves - 2 * ca.floor(halves / 2 + 0.25))  # 1 or -1, of even and odd ones
    return centre + math.pi * halves + ca.atan2(sign * (sine * c - cosine * s), sign * (cosine * c + sine * s))
