"""Controllers that are called at their own period, and whose values are held in between."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError, SimulationError
from dalembert.core.types import Array

__all__ = ["SampledLaw", "Sampler"]


class SampledLaw(Protocol):
    """What `integrate` expects of a controller."""

    period: float

    def __call__(self, t: float, x: Array) -> ArrayLike:
        """Return the values to hold until the next sample."""


class Sampler:
    """The sampling grid origin + k period, and the values held since the last instant of it.

    Parameters
    ----------
    controller
        Called once per instant; None if nothing is sampled.
    names
        Names of the held values.
    origin, count, held
        Grid, number of instants that have passed, and values held at the start.
    """

    def __init__(
        self,
        controller: SampledLaw | None,
        names: tuple[str, ...],
        origin: float,
        count: int = 0,
        held: Array | None = None,
    ) -> None:
        self.controller, self.names, self.origin, self.count = controller, names, origin, count
        self.held = np.zeros(len(names)) if held is None else held
        self.history: list[tuple[float, Array]] = [(-math.inf, self.held)]
        self.period, self.label = 0.0, ""
        if controller is None:
            if names:
                raise InputError(f"the problem holds values ({', '.join(names)}) that a controller must set; got none")
            return
        self.label = str(getattr(controller, "name", "") or type(controller).__name__)
        if not names:
            raise InputError(f"controller {self.label!r} was given, but the problem has no held values to set")
        try:
            self.period = float(controller.period)
        except (AttributeError, TypeError, ValueError):
            got = repr(getattr(controller, "period", "no attribute 'period'"))
            raise InputError(f"controller {self.label!r} needs a period in seconds, got {got}") from None
        if not (math.isfinite(self.period) and self.period > 0.0):
            raise InputError(f"period of controller {self.label!r} must be > 0 s, got {self.period:g}")

    def next_stop(self, t_end: float) -> float:
        """Time of the next sample, or the end of the run if that comes first."""
        if self.controller is None:
            return t_end
        instant = self.origin + self.count * self.period
        return t_end if instant > t_end - 1e-9 * self.period else instant

    def sample(self, t: float, x: Array) -> None:
        """Call the controller if t is one of its instants."""
        if self.controller is None or self.origin + self.count * self.period > t + 1e-9 * self.period:
            return
        self.held = self._checked(t, self.controller(t, x))
        self.history.append((t, self.held))
        self.count += 1

    def _checked(self, t: float, values: ArrayLike) -> Array:
        where = f"controller {self.label!r} at t = {t:g} s"
        try:
            c = np.array(values, dtype=float)
        except (TypeError, ValueError):
            raise SimulationError(f"{where} must return {len(self.names)} numbers, got {values!r}") from None
        if c.shape != (len(self.names),):
            raise SimulationError(
                f"{where} must return {len(self.names)} numbers ({', '.join(self.names)}), got shape {c.shape}"
            )
        wrong = ~np.isfinite(c)
        if wrong.any():
            k = int(np.argmax(wrong))
            raise SimulationError(f"{where} returned {c[k]} for {self.names[k]!r}, expected a finite number")
        return c

    def held_at(self, t: Array) -> Array:
        """Return the values held at recorded times; at an instant, those set there."""
        instants = np.array([instant for instant, _ in self.history])
        values = np.array([value for _, value in self.history]).reshape(len(instants), len(self.names))
        return values[np.searchsorted(instants, t, side="right") - 1]
