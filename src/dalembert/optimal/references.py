"""References of predictive control: numbers, texts, functions of time and quantities of the loop, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import casadi as ca

from dalembert.core.errors import InputError
from dalembert.core.types import Expression

__all__ = ["Reference", "reference_expressions"]

Reference = float | Callable[[Any], Any]
"""A number, or a function of time on CasADi symbols; it may hold symbols of `dalembert.control.read`."""


def reference_expressions(
    reference: Mapping[str, Reference] | None, names: tuple[str, ...], t: Expression, owner: str
) -> dict[str, Any]:
    """Return references as expressions of the time and of symbols that are read.

    Parameters
    ----------
    reference
        By name.
    names
        Names of states, inputs and outputs.
    t
        Symbol of time.
    owner
        Whose they are, in messages.
    """
    if reference is None:
        return {}
    if not isinstance(reference, Mapping):
        raise InputError(f"reference of {owner} must map names to numbers or functions of time, got {reference!r}")
    values: dict[str, Any] = {}
    for name, value in reference.items():
        if name not in names:
            raise InputError(f"reference of {owner} names '{name}', which is none of {', '.join(names)}")
        try:
            expression = ca.SX(value(t) if callable(value) else value)
        except Exception as error:
            raise InputError(
                f"reference '{name}' of {owner} must be a number or a function of time on CasADi symbols, "
                f"got {value!r}: {error}"
            ) from None
        if expression.shape != (1, 1):
            raise InputError(f"reference '{name}' of {owner} must be one number, got {expression.shape}")
        values[name] = expression
    return values
