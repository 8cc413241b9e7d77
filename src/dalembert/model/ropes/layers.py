"""Layers of rope on a drum."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import casadi as ca

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.validation import Bound, field_scalar

__all__ = ["DrumLayers"]


@dataclass(frozen=True)
class DrumLayers:
    """Layers in which a drum coils its rope.

    The rope lies at the radius ``r`` of the drum in the first layer. Each layer has the same number of turns and lies
    higher than the one below it: by ``sqrt(3)/2`` of the diameter if its turns lie in the grooves between those
    below, by the whole diameter otherwise. The rope climbs while the drum makes the ``ramp``, half of it before the
    layer is full: a radius that jumps would make the speed of the rope jump.

    Parameters
    ----------
    turns
        Turns of a layer.
    rope
        Diameter of the rope [m].
    wound
        Turns on the drum while its joint is at zero.
    count
        Most layers.
    nested
        Whether turns lie in the grooves between those below.
    ramp
        Turns over which the rope climbs to the next layer.

    Examples
    --------
    >>> import dalembert as da
    >>> layers = da.DrumLayers(turns=20, rope=0.02, wound=50)
    >>> round(layers.coiled(0.31, 50), 6)
    101.742491
    """

    turns: Scalar
    rope: Scalar
    wound: Scalar
    count: int = 5
    nested: bool = True
    ramp: Scalar = 1.0

    def __post_init__(self) -> None:
        for field in ("turns", "rope", "ramp"):
            what = f"'{field}' of layers on a drum"
            object.__setattr__(self, field, field_scalar(getattr(self, field), what, lower=0, strict=True))
        object.__setattr__(self, "wound", field_scalar(self.wound, "'wound' of layers on a drum", lower=0))
        if isinstance(self.count, bool) or not isinstance(self.count, int) or not 1 <= self.count <= 20:
            raise MachineError(f"'count' of layers on a drum must be a whole number from 1 to 20, got {self.count!r}")
        if not isinstance(self.nested, bool):
            raise MachineError(f"'nested' of layers on a drum must be true or false, got {self.nested!r}")
        if nominal(self.ramp) > nominal(self.turns):
            raise MachineError(
                f"the ramp of {nominal(self.ramp):g} turns to the next layer of a drum must be at most the "
                f"{nominal(self.turns):g} turns of a layer"
            )
        if nominal(self.wound) > self.count * nominal(self.turns):
            raise MachineError(
                f"{nominal(self.wound):g} turns are wound on a drum that takes {self.count} layers of "
                f"{nominal(self.turns):g} turns"
            )

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars."""
        return (self.turns, self.rope, self.wound, self.ramp)

    def bounds(self, of: str) -> Iterator[Bound]:
        """Ranges that must hold for any parameter values."""
        for field in ("turns", "rope", "ramp"):
            yield Bound(f"{field} of the layers of {of}", getattr(self, field), strict=True)
        yield Bound(f"turns wound on {of}", self.wound)
        yield Bound(f"turns left free on {of}", self.count * self.turns - self.wound)

    def radius_at(self, radius: Any, turns: Any, value: Callable[[Scalar], Any]) -> Any:
        """Radius at which the rope leaves a drum with so many turns on it."""
        climbed = (self._climbed(turns, j, value)[0] for j in range(1, self.count))
        return radius + self._height(value) * sum(climbed, ca.SX(0))

    def length_of(self, radius: Any, turns: Any, value: Callable[[Scalar], Any]) -> Any:
        """Rope on a drum with so many turns on it, the integral of the radius over the angle."""
        climbed = sum((self._climbed(turns, j, value)[1] for j in range(1, self.count)), ca.SX(0))
        return 2 * math.pi * (radius * turns + self._height(value) * climbed)

    def coiled(self, radius: float, turns: float) -> float:
        """Length [m] of the rope on a drum of a radius with so many turns on it, with nominal values."""
        return float(ca.DM(ca.evalf(self.length_of(ca.SX(radius), ca.SX(turns), nominal))))

    def _height(self, value: Callable[[Scalar], Any]) -> Any:
        return value(self.rope) * (math.sqrt(3.0) / 2 if self.nested else 1.0)

    def _climbed(self, turns: Any, layer: int, value: Callable[[Scalar], Any]) -> tuple[Any, Any]:
        """How far the rope has climbed to a layer, from 0 to 1 with two continuous derivatives, and the integral."""
        ramp = value(self.ramp)
        x = (turns - layer * value(self.turns)) / ramp + 0.5
        s = ca.fmin(ca.fmax(x, 0), 1)
        return s**3 * (s * (6 * s - 15) + 10), ramp * (s**4 * (s * (s - 3) + 2.5) + ca.fmax(x - 1, 0))
