"""Measures of the members of a rollout, reduced where the member runs: numbers instead of trajectories."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from dalembert.core.types import Array

__all__ = ["REDUCERS", "MeasureKind", "Measures", "looked_at"]


class MeasureKind(IntEnum):
    """Operation of a time loop on a value at the end of a step; the numbers are those of rollout.h."""

    FINAL = 0
    MAXIMUM = 1
    MINIMUM = 2
    INTEGRAL = 3
    FIRST = 4
    LAST = 5


_START = {MeasureKind.MAXIMUM: -np.inf, MeasureKind.MINIMUM: np.inf, MeasureKind.INTEGRAL: 0.0}


@dataclass(frozen=True)
class Reducer:
    """How a history becomes a number.

    Parameters
    ----------
    reduction
        Operation of the time loop.
    prepare
        The reduced quantity, as a function of the given expression.
    finish
        The result, from the reduced value and its time span.
    """

    reduction: MeasureKind
    prepare: Callable[[Any], Any] = lambda y: y
    finish: Callable[[Array, Array], Array] = lambda value, seen: value


REDUCERS: Mapping[str, Reducer] = MappingProxyType(
    {
        "final": Reducer(MeasureKind.FINAL),
        "max": Reducer(MeasureKind.MAXIMUM),
        "min": Reducer(MeasureKind.MINIMUM),
        "max abs": Reducer(MeasureKind.MAXIMUM, ca.fabs),
        "integral": Reducer(MeasureKind.INTEGRAL),
        "mean": Reducer(MeasureKind.INTEGRAL, finish=lambda value, seen: value / seen),
        "rms": Reducer(MeasureKind.INTEGRAL, lambda y: y * y, lambda value, seen: np.sqrt(value / seen)),
        "first": Reducer(MeasureKind.FIRST),
        "last": Reducer(MeasureKind.LAST),
    }
)
"""The words of ``by``."""


@dataclass(frozen=True, eq=False)
class Measures:
    """Measures of each member.

    Parameters
    ----------
    function
        (t, x, c, p) -> what is reduced, one number per measure.
    names
        Names of the measures.
    by
        Words in `REDUCERS`.
    since, until
        The time over which each is measured.
    """

    function: ca.Function
    names: tuple[str, ...]
    by: tuple[str, ...]
    since: Array
    until: Array

    def __len__(self) -> int:
        return len(self.names)

    @property
    def kinds(self) -> NDArray[np.int64]:
        """Reductions."""
        return np.array([int(REDUCERS[word].reduction) for word in self.by], dtype=np.int64)

    @property
    def every(self) -> bool:
        """Whether every step must be checked; otherwise the last one is enough."""
        plain = np.isneginf(self.since) & np.isposinf(self.until)
        return not (plain.all() and set(self.by) <= {"final"})

    def start(self, members: int) -> Array:
        """Memory (members, 2, n): reduced values, and how much was seen of each."""
        memory = np.zeros((members, 2, len(self)))
        memory[:, 0] = [_START.get(MeasureKind(kind), np.nan) for kind in self.kinds.tolist()]
        return memory

    def finish(self, memory: Array, good: NDArray[np.bool_]) -> dict[str, Array]:
        """Numbers of the members by name; NaN for members that are not good and where nothing was seen."""
        result = {}
        for j, (name, word) in enumerate(zip(self.names, self.by, strict=True)):
            value, seen = memory[:, 0, j], memory[:, 1, j]
            usable = good & (seen > 0.0)
            numbers = np.full(len(memory), np.nan)
            numbers[usable] = REDUCERS[word].finish(value[usable], seen[usable])
            result[name] = numbers
        return result


def looked_at(names: Sequence[str], function: ca.Function) -> Measures:
    """Measures that are the last values of some quantities."""
    n = len(names)
    return Measures(function, tuple(names), ("final",) * n, np.full(n, -np.inf), np.full(n, np.inf))
