"""Rest-to-rest references as expressions of time.

A reference is a function ``r(t)`` on CasADi symbols that returns the positions; laws differentiate it themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError

__all__ = ["Quintic", "Sine"]


def _vector(value: ArrayLike, what: str) -> tuple[float, ...]:
    try:
        array = np.atleast_1d(np.asarray(value, dtype=float))
    except (TypeError, ValueError):
        raise InputError(f"{what} must be numbers, got {value!r}") from None
    if array.ndim != 1 or not np.isfinite(array).all():
        raise InputError(f"{what} must be a vector of finite numbers, got {value!r}")
    return tuple(array.tolist())


@dataclass(frozen=True)
class Quintic:
    """Fifth-order polynomial between two rests, with zero velocity and acceleration at both.

    Parameters
    ----------
    start, end
        Positions.
    duration
        Seconds from start to end.
    delay
        Seconds before it starts.
    """

    start: ArrayLike
    end: ArrayLike
    duration: float
    delay: float = 0.0

    def __post_init__(self) -> None:
        start, end = _vector(self.start, "start of a Quintic"), _vector(self.end, "end of a Quintic")
        if len(start) != len(end):
            raise InputError(f"start and end of a Quintic must have equal lengths, got {len(start)} and {len(end)}")
        if not (np.isfinite(self.duration) and self.duration > 0):
            raise InputError(f"duration of a Quintic must be > 0, got {self.duration!r}")
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "end", end)

    def __call__(self, t: Any) -> Any:
        """Positions at time ``t``."""
        s = ca.fmin(ca.fmax((t - self.delay) / self.duration, 0), 1)
        blend = s**3 * (10 + s * (-15 + 6 * s))
        a, b = ca.DM(np.asarray(self.start)), ca.DM(np.asarray(self.end))
        return a + (b - a) * blend


@dataclass(frozen=True)
class Sine:
    """Sinusoids ``center + amplitude sin(2 pi frequency t + phase)``, component by component."""

    center: ArrayLike
    amplitude: ArrayLike
    frequency: float
    phase: ArrayLike = 0.0

    def __call__(self, t: Any) -> Any:
        """Positions at time ``t``."""
        center, amplitude = np.broadcast_arrays(
            _vector(self.center, "center of a Sine"), _vector(self.amplitude, "amplitude of a Sine")
        )
        phase = np.broadcast_to(_vector(self.phase, "phase of a Sine"), center.shape)
        return ca.DM(center) + ca.DM(amplitude) * ca.sin(2 * np.pi * self.frequency * t + ca.DM(phase))
