"""A planar arm of two links with Coulomb friction at its joints, by time-stepping with tiny steps.

Equations of motion from the textbook (point masses at the ends of massless links, absolute angle and elbow angle). In
each step the friction impulses ``|P| <= F h`` are those for which a joint stops, or slips against its impulse: all nine
cases of two joints are tried. It shares no code and no idea of events with the library.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import cos, sin

import numpy as np

__all__ = ["arm_by_steps"]

_MODES = ((0, 0), (0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))
assert sorted(_MODES) == sorted(product((-1, 0, 1), repeat=2))


def arm_by_steps(
    m: tuple[float, float],
    l: tuple[float, float],
    F: tuple[float, float],
    torque: Callable[[float], tuple[float, float]],
    q: tuple[float, float],
    duration: float,
    h: float,
    g: float = 9.81,
) -> np.ndarray:
    """Angles at the end; both measured from hanging down, the second one from the first link."""
    (m1, m2), (l1, l2), (F1, F2) = m, l, F
    q1, q2 = q
    v1 = v2 = 0.0
    mode = (0, 0)
    n = round(duration / h)
    for k in range(n):
        middle1, middle2 = q1 + 0.5 * h * v1, q2 + 0.5 * h * v2
        c, s = cos(middle2), sin(middle2)
        a, b, d = m1 * l1 * l1 + m2 * (l1 * l1 + l2 * l2 + 2 * l1 * l2 * c), m2 * (l2 * l2 + l1 * l2 * c), m2 * l2 * l2
        w = m2 * l1 * l2 * s
        t1, t2 = torque((k + 0.5) * h)
        g2 = m2 * g * l2 * sin(middle1 + middle2)
        f1 = t1 + w * (2 * v1 * v2 + v2 * v2) - (m1 + m2) * g * l1 * sin(middle1) - g2
        f2 = t2 - w * v1 * v1 - g2
        det = a * d - b * b
        A, B, D = d / det, -b / det, a / det  # inverse of the mass matrix
        u1, u2 = v1 + h * (A * f1 + B * f2), v2 + h * (B * f1 + D * f2)
        for one, two in (mode, *_MODES):  # 0: it stops; 1, -1: it slips that way
            if one == 0 and two == 0:
                P1, P2 = -(a * u1 + b * u2), -(b * u1 + d * u2)
            elif one == 0:
                P2 = -two * F2 * h
                P1 = -(u1 + B * P2) / A
            elif two == 0:
                P1 = -one * F1 * h
                P2 = -(u2 + B * P1) / D
            else:
                P1, P2 = -one * F1 * h, -two * F2 * h
            w1, w2 = u1 + A * P1 + B * P2, u2 + B * P1 + D * P2
            fits1 = one * w1 >= 0.0 if one else abs(P1) <= F1 * h
            fits2 = two * w2 >= 0.0 if two else abs(P2) <= F2 * h
            if fits1 and fits2:
                mode = (one, two)
                break
        else:
            raise AssertionError("no impulses obey the law")
        v1, v2 = 0.0 if one == 0 else w1, 0.0 if two == 0 else w2
        q1, q2 = middle1 + 0.5 * h * v1, middle2 + 0.5 * h * v2
    return np.array([q1, q2])
