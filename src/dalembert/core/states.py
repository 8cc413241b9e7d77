"""Initial states and parameters of a machine, given as arrays or by name (``NAME``, ``q0.NAME``, ``v0.NAME``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.labels import as_numbers, by_name
from dalembert.core.types import Array, StateLike

__all__ = ["assigned", "named_vector", "names_given", "place_of"]


def named_vector(value: StateLike, names: Sequence[str], default: Array, what: str) -> Array:
    """Return a vector from numbers, from a mapping of some names to numbers, or the default.

    Parameters
    ----------
    value
        None, numbers, a mapping, or data with labels, which are matched by them.
    names
        Names of the components.
    default
        Default values.
    what
        The vector's name in messages, such as ``"q0"``.
    """
    if value is None:
        return default.copy()
    value = by_name(value, what)
    if isinstance(value, Mapping):
        vector = default.copy()
        for name, number in value.items():
            if name not in names:
                raise UnknownNameError(f"component of {what}", name, names)
            try:
                vector[names.index(name)] = as_numbers(number).reshape(())
            except (TypeError, ValueError):
                raise InputError(f"{what}['{name}'] must be a number, got {number!r}") from None
    else:
        try:
            vector = np.atleast_1d(as_numbers(value))
        except InputError as error:
            raise InputError(f"{what} must be numbers or a mapping of names to numbers: {error}") from None
        if vector.shape != (len(names),):
            raise InputError(f"{what} must have {len(names)} components ({_listed(names)}), got shape {vector.shape}")
    bad = [n for n, x in zip(names, vector, strict=True) if not np.isfinite(x)]
    if bad:
        raise InputError(f"{what} must be finite, but {bad[0]} is {vector[list(names).index(bad[0])]}")
    return vector


def names_given(value: Any, names: Sequence[str], what: str) -> tuple[str, ...]:
    """Return the names of the components that a caller gives: those of labels, none of None, otherwise all.

    Parameters
    ----------
    value
        As in `named_vector`, or of many members.
    names
        Names of all components.
    what
        The vector's name in messages.
    """
    value = by_name(value, what)
    if value is None:
        return ()
    return tuple(value) if isinstance(value, Mapping) else tuple(names)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 12 else ", ".join(names[:12]) + ", ..."


def place_of(name: str) -> tuple[str, str]:
    """Return the argument of a simulation (q0, v0 or p) that a quantity belongs to, and its name there."""
    kind, _, rest = name.partition(".")
    return (kind, rest) if kind in ("q0", "v0") and rest else ("p", name)


def assigned(start: Mapping[str, Any], values: Iterable[tuple[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return q0, v0 and p by name: the start, and over it the values of quantities."""
    result: dict[str, dict[str, Any]] = {k: dict(start.get(k) or {}) for k in ("q0", "v0", "p")}
    for name, value in values:
        target, key = place_of(name)
        result[target][key] = value
    return result
