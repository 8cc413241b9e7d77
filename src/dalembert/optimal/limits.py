"""Limits of optimal control: bounds of quantities by name, hard or soft."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from dalembert.core.errors import InputError

__all__ = ["QuantityBound", "bounds_of", "soft"]


@dataclass(frozen=True)
class QuantityBound:
    """Bounds of a quantity: ``lower <= quantity <= upper``, infinite where there is none.

    A soft bound may be exceeded by a slack ``s >= 0`` that costs ``linear s + quadratic s^2`` per second. With a large
    linear weight it is kept wherever that is possible.

    Parameters
    ----------
    quantity
        The bounded quantity: an input, a state, ``rate.INPUT``, or another quantity or text of them, as in
        `dalembert.Signal`.
    lower, upper
        The bounds.
    linear, quadratic
        Weights of the slack; both None: the bound is hard.
    """

    quantity: str
    lower: float = -math.inf
    upper: float = math.inf
    linear: float | None = None
    quadratic: float | None = None

    @property
    def soft(self) -> bool:
        """Whether it may be exceeded."""
        return self.linear is not None or self.quadratic is not None

    def __post_init__(self) -> None:
        where = f"limit of '{self.quantity}'" if self.quantity else "soft limit"
        for name in ("lower", "upper"):
            object.__setattr__(self, name, _number(getattr(self, name), f"{name} {where}"))
        if not self.lower < self.upper or self.lower == math.inf or self.upper == -math.inf:
            raise InputError(f"{where} needs a lower number below the upper one, got {self.lower:g}, {self.upper:g}")
        if not self.soft:
            return
        for name in ("linear", "quadratic"):
            weight = getattr(self, name)
            weight = 0.0 if weight is None else _number(weight, f"{name} weight of the {where}")
            if not 0.0 <= weight < math.inf:
                raise InputError(f"{name} weight of the {where} must be finite and not negative, got {weight!r}")
            object.__setattr__(self, name, weight)
        if self.linear == 0.0 and self.quadratic == 0.0:
            raise InputError(f"the {where} costs nothing when it is exceeded: give a linear or a quadratic weight")


def soft(lower: float, upper: float, *, linear: float = 1e3, quadratic: float = 0.0) -> QuantityBound:
    """Bounds that may be exceeded at a cost, as a value of ``limits``.

    Parameters
    ----------
    lower, upper
        The bounds.
    linear, quadratic
        Costs of exceeding them, per unit and per squared unit, and per second.

    Examples
    --------
    >>> import dalembert as da
    >>> da.soft(-0.1, 0.1, linear=1e4).soft
    True
    """
    return QuantityBound("", lower, upper, linear, quadratic)


def bounds_of(limits: Mapping[str, Any] | None) -> tuple[QuantityBound, ...]:
    """Return limits by name as bounds.

    Parameters
    ----------
    limits
        ``{quantity: (lower, upper)}``, with None for a side without a bound, or ``{quantity: soft(...)}``.

    Examples
    --------
    >>> bounds_of({"x": (0.0, None)})[0].quantity
    'x'
    """
    if limits is None:
        return ()
    if not isinstance(limits, Mapping):
        raise InputError(f"limits must map quantities to (lower, upper) or soft(lower, upper), got {limits!r}")
    bounds = []
    for name, value in limits.items():
        if isinstance(value, QuantityBound):
            bounds.append(replace(value, quantity=str(name)))
            continue
        if not isinstance(value, tuple | list) or len(value) != 2:
            raise InputError(f"limit of '{name}' must be (lower, upper) or soft(lower, upper), got {value!r}")
        low, high = (side if x is None else x for x, side in zip(value, (-math.inf, math.inf), strict=True))
        bounds.append(QuantityBound(str(name), low, high))
    return tuple(bounds)


def _number(value: object, what: str) -> float:
    if isinstance(value, bool | str):
        raise InputError(f"{what} must be a number, got {value!r}")
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise InputError(f"{what} must be a number, got {value!r}") from None
    if math.isnan(number):
        raise InputError(f"{what} must be a number, got {value!r}")
    return number
