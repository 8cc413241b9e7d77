"""Variation of a quantity of a campaign: a range, a list of values, or a distribution, as a function of probability."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Array

__all__ = ["Spread", "as_spread"]

_SHORT = {"uniform", "normal", "loguniform", "choice"}


@dataclass(frozen=True)
class Spread:
    """How a quantity varies.

    Parameters
    ----------
    kind
        ``"uniform"``, ``"normal"``, ``"loguniform"``, ``"choice"``, or the name of a distribution of `scipy.stats`.
    numbers
        Ends, mean and deviation, or the values.
    shape
        Shape parameters of a distribution of `scipy.stats`, by name.

    Examples
    --------
    >>> Spread("normal", (500.0, 20.0)).kind
    'normal'
    """

    kind: str
    numbers: tuple[float, ...] = ()
    shape: tuple[tuple[str, float], ...] = ()

    def quantiles(self, probability: Array) -> Array:
        """Return the values below which the quantity is with the given probabilities."""
        from scipy import stats

        if self.kind == "choice":
            values = np.asarray(self.numbers)
            return np.asarray(values[np.minimum((probability * len(values)).astype(int), len(values) - 1)])
        if self.kind == "uniform":
            low, high = self.numbers
            return np.asarray(low + (high - low) * probability)
        if self.kind == "loguniform":
            low, high = self.numbers
            return np.asarray(low * (high / low) ** probability)
        if self.kind == "normal":
            mean, deviation = self.numbers
            return np.asarray(mean + deviation * stats.norm.ppf(probability))
        return np.asarray(getattr(stats, self.kind)(*self.numbers, **dict(self.shape)).ppf(probability), dtype=float)

    @property
    def description(self) -> dict[str, Any]:
        """The same as plain data."""
        return {self.kind: dict(self.shape) if self.shape and not self.numbers else [*self.numbers, *self.shape]}


def as_spread(spread: Any, name: str) -> Spread:
    """Return how a quantity varies.

    Parameters
    ----------
    spread
        ``(low, high)``: uniform between them; a list or an array: its values, each as likely; a frozen distribution of
        `scipy.stats`; a mapping such as ``{"normal": [mean, deviation]}``, ``{"loguniform": [low, high]}``,
        ``{"choice": [...]}`` or ``{"lognorm": {"s": 0.1, "scale": 2.0}}`` (any distribution of `scipy.stats`).
    name
        The quantity, for messages.
    """
    if isinstance(spread, Spread):
        return spread
    if hasattr(spread, "ppf") and hasattr(spread, "dist"):
        parts = tuple(float(x) for x in spread.args)
        return _checked(Spread(spread.dist.name, parts, tuple((k, float(v)) for k, v in spread.kwds.items())), name)
    if isinstance(spread, tuple) and len(spread) == 2:
        return _checked(Spread("uniform", _numbers(spread, name)), name)
    if isinstance(spread, Mapping):
        if len(spread) != 1:
            raise InputError(f"'{name}' must vary as one distribution, got the keys {', '.join(map(str, spread))}")
        kind, values = next(iter(spread.items()))
        if isinstance(values, Mapping):
            keys = tuple(values)
            return _checked(Spread(str(kind), (), tuple(zip(keys, _numbers(values.values(), name), strict=True))), name)
        return _checked(Spread(str(kind), _numbers(values, name)), name)
    if isinstance(spread, Sequence | np.ndarray) and not isinstance(spread, str):
        return _checked(Spread("choice", _numbers(spread, name)), name)
    raise InputError(
        f"'{name}' must vary between (low, high), over a list of values, or as a distribution of scipy.stats, "
        f"got {spread!r}"
    )


def _numbers(values: Any, name: str) -> tuple[float, ...]:
    numbers_ = tuple(values) if not isinstance(values, str) and hasattr(values, "__iter__") else (values,)
    for value in numbers_:
        if isinstance(value, bool) or not isinstance(value, numbers.Real) or not math.isfinite(value):
            raise InputError(f"the distribution of '{name}' takes finite numbers, got {value!r}")
    return tuple(float(value) for value in numbers_)


def _checked(spread: Spread, name: str) -> Spread:
    from scipy import stats

    n = len(spread.numbers)
    if spread.kind == "choice":
        if not n:
            raise InputError(f"'{name}' needs at least one value")
        return spread
    if spread.kind in _SHORT:
        if n != 2 or spread.shape:
            raise InputError(f"'{name}': {spread.kind} takes two numbers, got {spread.description[spread.kind]}")
        low, high = spread.numbers
        if spread.kind == "normal" and high < 0.0:
            raise InputError(f"'{name}': the deviation must be >= 0, got {high:g}")
        if spread.kind != "normal" and high < low:
            raise InputError(f"'{name}' must vary between low <= high, got {low:g} and {high:g}")
        if spread.kind == "loguniform" and low <= 0.0:
            raise InputError(f"'{name}': loguniform needs positive ends, got {low:g}")
        return spread
    distribution = getattr(stats, spread.kind, None)
    if not isinstance(distribution, stats.rv_continuous | stats.rv_discrete):
        known = [
            *_SHORT,
            *(k for k, v in vars(stats).items() if isinstance(v, stats.rv_continuous | stats.rv_discrete)),
        ]
        raise UnknownNameError("distribution", spread.kind, known, f"the spread of '{name}'")
    try:
        probe = spread.quantiles(np.array([0.25, 0.5, 0.75]))
    except (TypeError, ValueError) as error:
        raise InputError(
            f"'{name}': scipy.stats.{spread.kind} refuses {spread.description[spread.kind]}: {error}"
        ) from None
    if not np.isfinite(probe).all():
        raise InputError(f"'{name}': scipy.stats.{spread.kind} has no quantiles for {spread.description[spread.kind]}")
    return spread
