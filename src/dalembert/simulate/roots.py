"""Roots of a scalar function in a bracket."""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["find_crossing"]


def find_crossing(
    g: Callable[[float], float], a: float, g_a: float, b: float, g_b: float, *, tolerance: float
) -> float:
    """Return the far end of a bracket of the sign change of g in (a, b], no wider than ``tolerance``.

    The Illinois variant of regula falsi (M. Dowell, P. Jarratt, BIT 11 (1971) 168-174), with a bisection
    whenever three steps did not halve the bracket. At the returned point g has the sign of ``g_b`` or is
    zero: whoever stops there has crossed.

    Parameters
    ----------
    g
        The function.
    a, g_a
        Near end and its value, which is not zero.
    b, g_b
        Far end and its value, zero or of the other sign.
    tolerance
        Largest width of the final bracket; it is raised to the resolution of the numbers.
    """
    if g_b == 0.0:
        return b
    side, since, width = 0, 0, b - a
    while b - a > max(tolerance, 4.0 * math.ulp(max(abs(a), abs(b)))):
        since += 1
        s = b - g_b * (b - a) / (g_b - g_a)
        if since == 3:
            if b - a > 0.5 * width:
                s = 0.5 * (a + b)
            since, width = 0, b - a
        # A secant step that lands next to an end would leave the other end where it is: step over the root
        # instead.
        s = min(max(s, a + 0.5 * tolerance), b - 0.5 * tolerance)
        if not a < s < b:
            s = 0.5 * (a + b)
        g_s = g(s)
        if g_s == 0.0:
            return s
        if math.copysign(1.0, g_s) == math.copysign(1.0, g_a):
            a, g_a = s, g_s
            g_b = 0.5 * g_b if side == -1 else g_b
            side = -1
        else:
            b, g_b = s, g_s
            g_a = 0.5 * g_a if side == 1 else g_a
            side = 1
    return b
