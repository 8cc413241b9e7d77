"""Checks of a machine's fields; each error has the element's name, the value and the expected values."""

from __future__ import annotations

import math
import operator
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from dalembert.core.errors import InputError, MachineError
from dalembert.core.labels import by_name
from dalembert.core.parameter import Scalar, depends_on_time, nominal, scalar
from dalembert.core.types import Array
from dalembert.core.warn import warn

__all__ = [
    "AXES",
    "Bound",
    "check_angle",
    "check_index",
    "check_level",
    "check_name",
    "check_names",
    "check_number",
    "check_objects",
    "check_seed",
    "field_axis",
    "field_matrix",
    "field_scalar",
    "field_vector",
    "unit_vector",
]

Vector = tuple[Scalar, Scalar, Scalar]
Matrix = tuple[Vector, Vector, Vector]
VectorLike = Sequence[Scalar] | Array
"""Three components as callers write them; `field_vector` makes a `Vector` of them."""

AXES: dict[str, Vector] = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
    "-x": (-1.0, 0.0, 0.0),
    "-y": (0.0, -1.0, 0.0),
    "-z": (0.0, 0.0, -1.0),
}
"""Coordinate axes by name."""

_T = TypeVar("_T")

_TURNS = 3  # an angle beyond this many turns is more often one in degrees


@dataclass(frozen=True)
class Bound:
    """A range that a scalar of a machine must keep, also when a call overrides its parameters.

    Parameters
    ----------
    what
        The field, such as ``"mass of body 'link1'"``.
    value
        The scalar.
    lower
        Its smallest admissible value.
    strict
        Whether ``lower`` itself is refused.
    upper
        Its largest admissible value.
    """

    what: str
    value: Scalar
    lower: float = 0.0
    strict: bool = False
    upper: float = math.inf

    def holds(self, number: float | Array) -> bool | NDArray[np.bool_]:
        """Whether a number (or each of an array) keeps the bound; NaN does not."""
        return (number > self.lower if self.strict else number >= self.lower) & (number <= self.upper)

    def violation(self, number: float) -> str:
        """Return the error message for ``number``."""
        if self.upper < math.inf:
            return f"{self.what} must be from {self.lower:g} to {self.upper:g}, got {number:g}"
        sign = ">" if self.strict else ">="
        return f"{self.what} must be {sign} {self.lower:g}, got {number:g}"


def check_name(name: object, kind: str) -> str:
    """Return ``name`` if it is a non-empty string without white space at its ends, and without control characters."""
    if not isinstance(name, str) or not name or name != name.strip():
        raise MachineError(f"the name of a {kind} must be a non-empty string, got {name!r}")
    # Categories of Unicode: control characters, of which C and files cannot hold all, and halves of pairs.
    if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in name):
        raise MachineError(f"the name of a {kind} must not contain control characters such as null, got {name!r}")
    return name


def check_number(name: str, value: object, *, positive: bool = True, unit: str = "") -> float:
    """Return an argument of a call that must be a finite (and positive) number."""
    expected = f"a finite number{' > 0' if positive else ''}{' ' + unit if unit else ''}"
    try:
        if isinstance(value, str | bytes | bool):
            raise TypeError
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise InputError(f"{name} must be {expected}, got {value!r}") from None
    if not math.isfinite(number) or (positive and number <= 0.0):
        raise InputError(f"{name} must be {expected}, got {number:g}")
    return number


def check_names(names: object, what: str) -> list[str]:
    """Return names as a list; a single name is accepted."""
    listed = list(names) if isinstance(names, Iterable) and not isinstance(names, str) else [names]
    if not all(isinstance(name, str) for name in listed):
        raise InputError(f"{what} must be names, got {names!r}")
    return cast(list[str], listed)


def check_objects(items: object, kind: type[_T], what: str) -> tuple[_T, ...]:
    """Return objects of one class as a tuple; None is an empty one, and a single object is accepted."""
    if items is None:
        return ()
    listed = (items,) if isinstance(items, kind) else tuple(items) if isinstance(items, Iterable) else (items,)
    for item in listed:
        if not isinstance(item, kind):
            raise InputError(f"{what} must be {kind.__name__} objects, got {item!r}")
    return listed


def check_index(index: object, count: int, what: str, *, backwards: bool = False) -> int:
    """Return the number of one of ``count`` things; ``backwards`` allows -1 for the last one, and so on."""
    try:
        if isinstance(index, bool | np.bool_):
            raise TypeError
        number = operator.index(index)  # type: ignore[arg-type]
    except TypeError:
        number = count
    if not (-count if backwards else 0) <= number < count:
        raise InputError(f"{what} must be a number from 0 to {count - 1}, got {index!r}")
    return number


def check_level(level: object, what: str = "level") -> float:
    """Return the level of a confidence interval: a number between 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, int | float | np.number) or not 0.0 < level < 1.0:
        raise InputError(f"{what} must be a number between 0 and 1, got {level!r}")
    return float(level)


def check_seed(seed: object, name: str = "seed") -> int:
    """Return the seed of random numbers, or another number that chooses them."""
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InputError(f"{name} must be an integer >= 0, got {seed!r}")
    return seed


def field_scalar(
    value: object, what: str, *, lower: float | None = None, strict: bool = False, time: bool = False
) -> Scalar:
    """Return a scalar field, its nominal value at or above ``lower``; ``time`` allows it to depend on time."""
    try:
        result = scalar(value, what)
    except InputError as error:
        raise MachineError(str(error)) from None
    try:
        number = nominal(result)
    except InputError as error:
        raise MachineError(f"{what}: {error}") from None
    if not time and depends_on_time(result):
        raise MachineError(f"{what} must not depend on time, got '{result}'; only wrenches may")
    if lower is not None:
        bound = Bound(what, result, lower, strict)
        if not bound.holds(number):
            raise MachineError(bound.violation(number))
    return result


def field_vector(value: object, what: str, *, time: bool = False) -> Vector:
    """Return a vector field of three scalars."""
    items = _sequence(value)
    if items is None or len(items) != 3:
        raise MachineError(f"{what} must have 3 components, got {value!r}")
    x, y, z = (field_scalar(v, f"component {'xyz'[i]} of {what}", time=time) for i, v in enumerate(items))
    return (x, y, z)


def field_axis(value: object, what: str) -> Vector:
    """Return a direction: three scalars, or a coordinate axis such as ``"x"`` or ``"-z"``."""
    if isinstance(value, str):
        if value not in AXES:
            raise MachineError(f"{what} must be 3 components or one of {', '.join(AXES)}, got {value!r}")
        return AXES[value]
    return field_vector(value, what)


def unit_vector(value: object, what: str) -> Vector:
    """Return a direction of plain numbers, normalised."""
    v = field_axis(value, what)
    if not all(isinstance(x, float) for x in v):
        raise MachineError(f"{what} must be plain numbers, got a parameter")
    numbers = [nominal(x) for x in v]
    norm = math.sqrt(sum(x * x for x in numbers))
    if norm < 1e-9:
        raise MachineError(f"{what} must not be zero, got {tuple(numbers)}")
    x, y, z = (c / norm if abs(norm - 1.0) > 4e-16 else c for c in numbers)
    return (x, y, z)


def check_angle(value: Scalar, what: str) -> None:
    """Warn of an angle that looks like degrees."""
    number = nominal(value)
    if math.isfinite(number) and abs(number) > _TURNS * 2 * math.pi:
        warn(
            f"{what} is {number:g} rad, more than {_TURNS} turns: angles are in radians; da.deg(...) converts degrees, "
            "as does 'deg' in machine files"
        )


def field_matrix(value: object, what: str) -> Matrix:
    """Return a 3x3 field; three numbers stand for a diagonal, six for xx, yy, zz, xy, xz, yz."""
    items = _sequence(value)
    if items is not None and len(items) in (3, 6) and not any(_sequence(v) is not None for v in items):
        s = [field_scalar(v, f"{what}[{i}]") for i, v in enumerate(items)]
        xy, xz, yz = s[3:] if len(s) == 6 else (0.0, 0.0, 0.0)
        return ((s[0], xy, xz), (xy, s[1], yz), (xz, yz, s[2]))
    if items is None or len(items) != 3:
        raise MachineError(f"{what} must be 3 numbers, 6 numbers (xx, yy, zz, xy, xz, yz) or 3x3, got {value!r}")
    a, b, c = (field_vector(row, f"row {i} of {what}") for i, row in enumerate(items))
    return (a, b, c)


def _sequence(value: object) -> list[object] | None:
    if isinstance(value, str | bytes | dict | np.ma.MaskedArray) or not isinstance(value, Iterable):
        return None
    if isinstance(by_name(value, "a field"), dict):  # labels such as x, y, z: in no order of ours
        return None
    return list(value)
