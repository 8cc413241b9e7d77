"""Numbers of callers: data with labels by their labels, and plain real numbers of everything else.

Labels decide wherever data have them (`pandas` and `xarray` objects, structured arrays): `by_name` makes a mapping of
names to numbers of them, and the caller treats it as any other mapping. Where nothing has a name, `as_numbers` takes
plain arrays only; data with labels are refused there, never taken by position. None of these packages is imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["as_complex", "as_numbers", "by_name", "has_labels"]

_PACKAGES = frozenset({"pandas", "xarray", "polars", "pyarrow", "dask"})
_PLAIN = (np.ndarray, list, tuple, float, int, str, dict, type(None))
_KINDS = {"c": "complex numbers", "M": "dates", "m": "time spans", "U": "text", "S": "text", "b": "truth values"}


def has_labels(value: object) -> bool:
    """Whether data have labels: a table, a series, an xarray object, a structured array."""
    kind = type(value)
    if isinstance(value, np.ndarray | np.void):
        return value.dtype.names is not None
    return kind not in _PLAIN and any(base.__module__.partition(".")[0] in _PACKAGES for base in kind.__mro__)


def by_name(value: Any, what: str) -> Any:
    """Return data with labels as a mapping of the labels to numbers, and anything else as it is.

    A series or a one-dimensional xarray object has a number by each name, a table or a structured array a column.
    Labels that only count (0, 1, 2, ...) are no names: such a series is returned as a plain array.

    Parameters
    ----------
    value
        The argument as given.
    what
        Its name in messages.

    Raises
    ------
    InputError
        If the labels are no names or occur twice, or if it is an array of no real numbers.

    Examples
    --------
    >>> state = np.array([(0.1, 0.2)], dtype=[("x", float), ("theta", float)])[0]
    >>> {name: float(number) for name, number in by_name(state, "q0").items()}
    {'x': 0.1, 'theta': 0.2}
    """
    if fault := _fault(value):
        raise InputError(f"{what}: {fault}")
    if not has_labels(value):
        return value
    if isinstance(value, np.ndarray | np.void):
        return {name: _column(value[name]) for name in value.dtype.names or ()}
    package = {base.__module__.partition(".")[0] for base in type(value).__mro__} & _PACKAGES
    if package == {"pandas"} and hasattr(value, "columns"):
        _counting(value.index, f"rows of {what}")
        return {name: _column(value[name].to_numpy()) for name in _names(value.columns, what)}
    if package == {"pandas"} and hasattr(value, "index"):
        labels = list(value.index)
        if labels == list(range(len(labels))):
            return as_numbers(value.to_numpy())
        return dict(zip(_names(labels, what), as_numbers(value.to_numpy()), strict=True))
    if package == {"xarray"} and hasattr(value, "data_vars"):
        return {name: _column(value[name].to_numpy()) for name in _names(value.data_vars, what)}
    if package == {"xarray"} and hasattr(value, "dims"):
        named = [d for d in value.dims if d in value.coords and value.coords[d].dtype.kind in "UO"]
        if len(named) == 1:
            array = as_numbers(value.transpose(named[0], ...).to_numpy())
            return dict(zip(_names(value.coords[named[0]].to_numpy().tolist(), what), array, strict=True))
        raise InputError(
            f"{what} is an xarray object with the dimensions {', '.join(map(str, value.dims)) or '(none)'}; one of "
            "them needs names as its coordinate, or give .to_numpy() for numbers in order"
        )
    raise InputError(f"{what} is a {type(value).__module__}.{type(value).__name__}: give a mapping of names to numbers")


def _names(labels: Iterable[Any], what: str) -> list[str]:
    names = list(labels)
    wrong = [label for label in names if not isinstance(label, str)]
    if wrong:
        raise InputError(f"the labels of {what} must be names, got {wrong[0]!r}; give .to_numpy() to keep their order")
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise InputError(f"{what} has the label '{twice[0]}' more than once")
    return names


def _counting(index: Iterable[Any], what: str) -> None:
    labels = list(index)
    if labels != list(range(len(labels))):
        raise InputError(
            f"the {what} must be numbered 0, 1, 2, ..., got {labels[:3]}; .reset_index(drop=True) renumbers them "
            "in their order"
        )


def _fault(value: object) -> str:
    """Reason why an array cannot be converted to plain real numbers; empty if it can."""
    if isinstance(value, np.ma.MaskedArray):
        return "got a masked array; fill or remove the masked entries"
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "cMm":
        return f"got {_KINDS[value.dtype.kind]}, which are not real numbers"
    if hasattr(value, "magnitude") or (isinstance(value, np.ndarray) and hasattr(value, "unit")):
        return f"got a quantity with a unit, {value!r}; give plain numbers in SI units"
    return ""


def _column(value: object) -> Array | float:
    array = as_numbers(value)
    return array if array.ndim else float(array)


def as_numbers(value: object) -> Array:
    """Return plain real numbers as an array.

    Text and truth values are none, though they could be read as such; neither are complex numbers, dates, and arrays
    with masked numbers. Data with labels are refused, a series that only counts is not.

    Raises
    ------
    InputError
        If it cannot be done; the caller adds the meaning of the numbers.
    """
    if type(value) is np.ndarray and value.dtype.kind in "fiu":
        return value.astype(np.float64, copy=False)
    for item in (value, *(value if isinstance(value, list | tuple) else ())):
        if fault := _fault(item):
            raise InputError(fault)
        if has_labels(item):
            plain = by_name(item, "this")
            if isinstance(plain, Mapping):
                raise InputError(
                    f"got numbers with the labels {', '.join(list(plain)[:6])}, expected numbers without "
                    "labels; give .to_numpy(), in the right order"
                )
            if item is value:
                return plain
    try:
        array = np.asarray(value)
    except (TypeError, ValueError) as error:
        raise InputError(f"this is not an array of numbers: {error}") from None
    if array.dtype == object and any(item is None for item in array.flat):
        raise InputError("got None, which is not a number")
    kinds = {array.dtype.kind} if array.dtype != object else {np.asarray(item).dtype.kind for item in array.flat}
    for kind in sorted(kinds & _KINDS.keys()):
        raise InputError(f"got {_KINDS[kind]}, which are not real numbers")
    try:
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"this is not an array of numbers: {error}") from None


def as_complex(value: object) -> NDArray[np.complex128]:
    """Return plain numbers, which may be complex, as an array; the rest is refused as by `as_numbers`."""
    plain = value
    if not isinstance(value, np.ndarray) or isinstance(value, np.ma.MaskedArray) or value.dtype.kind not in "cfiu":
        array = None if has_labels(value) else _array(value)
        plain = array if array is not None and array.dtype.kind == "c" else as_numbers(value)
    return np.asarray(plain, dtype=complex)


def _array(value: object) -> NDArray[Any] | None:
    """Convert a value to an array; None if that is impossible, or if entries are masked."""
    if isinstance(value, np.ma.MaskedArray):
        return None
    try:
        return np.asarray(value)
    except (TypeError, ValueError):
        return None
