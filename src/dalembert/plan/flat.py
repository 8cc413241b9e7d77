"""References for a load that hangs on a driven joint: the load moves as requested, and the joint moves accordingly.

A load on a pendulum of frequency ``w`` below a trolley at ``r`` obeys ``y'' = w^2 (r - y)`` for small angles: ``y`` is
a flat output, and ``r = y + y''/w^2`` brings the load from rest to rest exactly (M. Fliess, J. Levine, Ph. Martin and
P. Rouchon, Int. J. Control 61, 1995).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from math import comb

import casadi as ca
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.renamed import renamed
from dalembert.plan.references import Positions, Time, blended, check_move, progress

__all__ = ["LoadReference", "SmoothStep"]


@dataclass(frozen=True)
class SmoothStep:
    """Polynomial between two rests whose first ``order`` derivatives vanish at both.

    Parameters
    ----------
    start, end
        Positions.
    duration
        Seconds from start to end.
    order
        Number of derivatives that vanish; 2 is the `Quintic`, 4 is smooth enough for a `LoadReference`.
    delay
        Seconds before it starts.
    """

    start: ArrayLike
    end: ArrayLike
    duration: float
    order: int = 4
    delay: float = 0.0

    def __post_init__(self) -> None:
        check_move(self)
        if not isinstance(self.order, int) or not 0 <= self.order <= 10:
            raise InputError(f"order of a SmoothStep must be an integer from 0 to 10, got {self.order!r}")

    def __call__(self, t: Time) -> Positions:
        """Positions at time ``t``."""
        n, s = self.order, progress(self, t)
        coefficients = [comb(n + k, k) * comb(2 * n + 1, n - k) * (-1) ** k for k in range(n + 1)]
        blend = s ** (n + 1) * sum(c * s**k for k, c in enumerate(coefficients))
        return blended(self, blend)


@renamed("rad/s", frequency="omega")
@dataclass(frozen=True)
class LoadReference:
    """Where a driven joint has to be so that a load hanging on it follows a reference: ``r = y + y''/w^2``.

    Parameters
    ----------
    load
        Reference ``y`` of the load; its fourth derivative must be continuous for the joint's acceleration to be.
    omega
        Angular frequency of the load's pendulum [rad/s].
    """

    load: Callable[[Time], Positions]
    omega: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.omega) and self.omega > 0):
            raise InputError(f"omega of a LoadReference must be > 0 rad/s, got {self.omega!r}")

    @property
    def duration(self) -> float:
        """Seconds until it rests."""
        return float(getattr(self.load, "duration", math.nan))

    def __call__(self, t: Time) -> Positions:
        """Positions at time ``t``."""
        return self.load(t) + self.acceleration(t) / self.omega**2

    def acceleration(self, t: Time) -> Positions:
        """Acceleration ``y''`` of the load."""
        time = ca.SX.sym("t")
        y = ca.SX(self.load(time))
        return ca.Function("y", [time], [ca.jacobian(ca.jacobian(y, time), time)])(t)
