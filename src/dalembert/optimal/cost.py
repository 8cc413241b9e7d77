"""Costs of optimal control: weights of squared errors, of effort, of time, and at the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from dalembert.core.errors import InputError
from dalembert.core.frozen import FrozenMapping
from dalembert.core.validation import check_number

__all__ = ["Cost"]

Weights = Mapping[str, float] | float


@dataclass(frozen=True)
class Cost:
    """Weights of an optimal control problem, over the time from 0 to its end T.

    The cost is the integral of ``sum_i w_i (x_i - r_i)^2`` over states, inputs and outputs, of ``sum_i w_i u_i'^2``
    over rates of inputs and of ``effort sum_i u_i^2``, plus ``time T``, plus the cost at the end. There is no factor of
    one half. ``r`` is the reference of the problem, and zero without one.

    Parameters
    ----------
    states
        Weights of coordinates and velocities, by name.
    inputs
        Weights of inputs by name, or one for all, on their distance to the reference.
    outputs
        Weights of other quantities: names and texts of them, as in `dalembert.Signal`.
    rates
        Weights of the rates of inputs by name, or one for all.
    effort
        Weight of the squared inputs themselves, whatever their reference.
    time
        Weight of the duration (plans only; the horizon of a controller has a fixed one).
    terminal
        Cost at the end: weights of states by name; ``"lqr"``: the cost of a linear-quadratic regulator with these
        weights that takes over there; None: none.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Cost(states={"x": 1.0, "swing": 10.0}, inputs=1e-6, terminal="lqr").terminal
    'lqr'
    """

    states: Mapping[str, float] = field(default_factory=dict)
    inputs: Weights = field(default_factory=dict)
    outputs: Mapping[str, float] = field(default_factory=dict)
    rates: Weights = field(default_factory=dict)
    effort: float = 0.0
    time: float = 0.0
    terminal: Mapping[str, float] | str | None = None

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            what = f"weight '{item.name}' of a Cost"
            if item.name == "terminal" and (value is None or value == "lqr"):
                continue
            if isinstance(value, Mapping):
                checked: Any = {str(k): _weight(w, f"{what} of '{k}'") for k, w in value.items()}
                checked = FrozenMapping(checked)
            elif item.name in ("states", "outputs", "terminal"):
                more = ' or "lqr"' if item.name == "terminal" else ""
                raise InputError(f"{what} must map names to numbers{more}, got {value!r}")
            else:
                checked = _weight(value, what)
            object.__setattr__(self, item.name, checked)

    def weights(self, kind: str, names: tuple[str, ...]) -> dict[str, float]:
        """Return the weights of inputs or of their rates by name; those that are zero are left out.

        Parameters
        ----------
        kind
            ``"inputs"`` or ``"rates"``.
        names
            All names there are.
        """
        value = getattr(self, kind)
        each = value if isinstance(value, Mapping) else dict.fromkeys(names, value)
        return {name: weight for name, weight in each.items() if weight}


def _weight(value: object, what: str) -> float:
    number = check_number(what, value, positive=False)
    if number < 0.0:
        raise InputError(f"{what} must not be negative, got {value!r}")
    return number
