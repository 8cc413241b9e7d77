"""Roots of a scalar function in a bracket."""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["find_crossing"]


def find_crossing(
    g: Callable[[float], float], a: float, g_a: float, b: float, g_b: float, *, tolerance: float
) -> float:
    """Return the far end of a bracket of the sign change of g in (a, b], no wider than ``tolerance``.

    Inverse quadratic interpolation where it can be trusted, else bisection: T. R. Chandrupatla, "A new hybrid
    quadratic/bisection algorithm for finding the zero of a nonlinear function without using derivatives", Adv. Eng.
    Software 28 (1997) 145-149. At the returned point g has the sign of ``g_b`` or is zero: whoever stops there has
    crossed.

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
    far = math.copysign(1.0, g_b)
    # x1 is the newest point, x2 the other end of the bracket, x3 the point before x1.
    x1, g1, x2, g2 = b, g_b, a, g_a
    fraction = 0.5
    while abs(x2 - x1) > (width := max(tolerance, 4.0 * math.ulp(max(abs(x1), abs(x2))))):
        x = x1 + fraction * (x2 - x1)
        g_x = g(x)
        if g_x == 0.0:
            return x
        if math.copysign(1.0, g_x) == math.copysign(1.0, g1):
            x3, g3 = x1, g1
        else:
            x3, g3, x2, g2 = x2, g2, x1, g1
        x1, g1 = x, g_x
        xi, phi = (x1 - x2) / (x3 - x2), (g1 - g2) / (g3 - g2)
        fraction = 0.5
        if phi * phi < xi and (1.0 - phi) ** 2 < 1.0 - xi:
            fraction = (g1 / (g2 - g1)) * (g3 / (g2 - g3))
            fraction += (x3 - x1) / (x2 - x1) * (g1 / (g3 - g1)) * (g2 / (g3 - g2))
        least = 0.5 * width / abs(x2 - x1)
        fraction = min(max(fraction, least), 1.0 - least)
    return x1 if math.copysign(1.0, g1) == far else x2
