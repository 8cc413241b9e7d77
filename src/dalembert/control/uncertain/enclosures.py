"""Numbers with a bound of their error: the effect of rounding on a coefficient of a tape.

An enclosure ``(m, r)`` holds the exact value within ``r`` of ``m`` (midpoint and radius; S. M. Rump, *Verification
methods*, Acta Numerica 19, 2010, section 10). Additions find their rounding error exactly (D. E. Knuth's two-sum);
products are off by half a unit in the last place; sines and roots of the C library by two units.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from dalembert.core.errors import InputError

__all__ = ["ONE", "UNIT", "ZERO", "Enclosure", "cosine", "exact", "root", "sine"]

UNIT = 2.0**-53
_TINY = 1e-300  # what a product that underflows may lose, with much to spare
_MORE = 1.0 + 8.0 * UNIT  # rounding of the radii themselves
_EXACT_FACTORS = (1.0, -1.0, 2.0, -2.0, 0.5, -0.5)


class Enclosure(NamedTuple):
    """A number known to a radius.

    Parameters
    ----------
    m, r
        Midpoint and radius.
    """

    m: float
    r: float = 0.0

    @property
    def most(self) -> float:
        """Largest magnitude."""
        return (abs(self.m) + self.r) * _MORE

    @property
    def zero(self) -> bool:
        """Whether it is exactly zero."""
        return self.m == 0.0 and self.r == 0.0

    def plus(self, other: Enclosure) -> Enclosure:
        """Sum."""
        m = self.m + other.m
        back = m - self.m
        lost = abs((self.m - (m - back)) + (other.m - back))
        return Enclosure(m, (self.r + other.r + lost) * _MORE if lost or self.r or other.r else 0.0)

    def times(self, other: Enclosure) -> Enclosure:
        """Product."""
        m = self.m * other.m
        trivial = 0.0 in (self.m, other.m) or (m != 0.0 and (self.m in _EXACT_FACTORS or other.m in _EXACT_FACTORS))
        if trivial and self.r == other.r == 0.0:
            return Enclosure(m)
        r = abs(self.m) * other.r + abs(other.m) * self.r + self.r * other.r
        return Enclosure(m, (r + UNIT * abs(m) + _TINY) * _MORE)

    def inverse(self) -> Enclosure:
        """``1 / x``; zero must not be enclosed."""
        least = abs(self.m) - self.r
        if not least > 0.0:
            raise InputError("the equations divide by a number that may be zero within rounding")
        m = 1.0 / self.m
        return Enclosure(m, (self.r / (abs(self.m) * least) * _MORE + UNIT * abs(m)) * _MORE)


ZERO, ONE = Enclosure(0.0), Enclosure(1.0)


def exact(value: Fraction) -> Enclosure:
    """The enclosure of a rational number."""
    m = float(value)
    return Enclosure(m, 0.0 if Fraction(m) == value else abs(m) * UNIT * 2.0)


def root(x: Enclosure) -> Enclosure:
    """Square root of positive numbers."""
    if x.m < x.r or x.m < 0.0:
        raise InputError(f"the equations contain the square root of {x.m:g}, which is not positive")
    m = math.sqrt(x.m)
    return Enclosure(m, (x.r / m if x.r else 0.0) * _MORE + 2.0 * UNIT * m)


def sine(x: Enclosure) -> Enclosure:
    """Sine of an angle [rad]; the C library is taken to be right to two units in the last place."""
    m = math.sin(x.m)
    return ZERO if x == ZERO else Enclosure(m, (x.r + 4.0 * UNIT * abs(m)) * _MORE)


def cosine(x: Enclosure) -> Enclosure:
    """Cosine of an angle [rad]; the C library is taken to be right to two units in the last place."""
    m = math.cos(x.m)
    return ONE if x == ZERO else Enclosure(m, (x.r + 4.0 * UNIT * abs(m)) * _MORE)
