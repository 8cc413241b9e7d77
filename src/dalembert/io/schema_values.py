"""Values of machine files, as types of pydantic: numbers or expressions, vectors, axes, limits, inertias."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    WithJsonSchema,
    WrapValidator,
    field_validator,
)
from pydantic_core import PydanticCustomError

from dalembert.core.errors import DalembertError
from dalembert.core.scalar_text import parse_quantity
from dalembert.core.units import Dimension, parse_unit
from dalembert.core.validation import AXES

__all__ = [
    "ZERO",
    "Axis",
    "Bound",
    "FileEntry",
    "Inertia",
    "Limit",
    "Number",
    "Quantity",
    "Units",
    "Vector",
    "unit_fault",
]

Units = Mapping[str, str]
"""SI units of the numbers of an entry, by key; alternatives are separated by ``|``.

Units that depend on other entries: ``{q}``, ``{f}`` and ``{i}`` are those of the coordinate, the effort and the inertia
of the joint, ``{l}`` of the coordinate of a leading joint, ``{s}`` of the measured quantity of a sensor; ``{x}`` is the
unit of each name."""


def unit_fault(text: str, dimension: Dimension | None, unit: str) -> str:
    """Return the fault of a text of this dimension where a unit is expected; empty if there is none.

    An empty ``unit`` says that there is none to compare with.
    """
    if dimension is None:
        return ""
    if not unit:
        return f"takes a number without a unit, in SI units, got {text!r}"
    if any(parse_unit(one).dimension.admits(dimension) for one in unit.split("|")):
        return ""
    units = ["a number without a unit" if one == "1" else f"a quantity in {one}" for one in unit.split("|")]
    expected = " or ".join(dict.fromkeys(units))
    return f"must be {expected}, got {text!r} in {dimension}"


def _number(value: object) -> float | str:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise PydanticCustomError("number", "must be a number or an expression of parameters")
    if isinstance(value, float) and not math.isfinite(value):
        raise PydanticCustomError("number", "must be finite")
    return value


def _limit(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise PydanticCustomError("limit", "must be a number (.inf where there is no limit)")
    return value


def _quantity(value: object) -> float | str:
    if not isinstance(value, str):
        return _limit(value)
    try:
        parse_quantity(value, {}, {})
    except DalembertError as error:
        raise PydanticCustomError("quantity", "{reason}", {"reason": f"must be a number ({error})"}) from None
    return value


def _bound(value: object) -> float | str:
    return value if isinstance(value, str) else _limit(value)


def _axis(value: object, vector: Callable[[object], object]) -> object:
    if not isinstance(value, str):
        return vector(value)
    if value not in AXES:
        raise PydanticCustomError("axis", "must be 3 numbers or one of x, y, z, -x, -y, -z")
    return value


def _inertia(value: object) -> list[float | str] | list[list[float | str]]:
    if isinstance(value, list) and len(value) in (3, 6) and not any(isinstance(v, list) for v in value):
        return [_number(v) for v in value]
    rows = value if isinstance(value, list) else []
    if len(rows) == 3 and all(isinstance(row, list) and len(row) == 3 for row in rows):
        return [[_number(v) for v in row] for row in rows]
    raise PydanticCustomError("inertia", "must be 3 numbers, 6 numbers (xx, yy, zz, xy, xz, yz) or 3 rows of 3")


_EXPRESSION = {"type": "string", "description": "an expression such as m * l**2 / 12, or with a unit: 45 deg"}
_WITH_UNIT = {"type": "string", "pattern": r"^\s*[-+.(0-9]", "description": "a number with a unit: 45 deg"}
_QUANTITY = {"anyOf": [{"type": "number"}, _WITH_UNIT]}
_NUMBER: dict[str, Any] = {"anyOf": [{"type": "number"}, _EXPRESSION]}
_THREE: dict[str, Any] = {"type": "array", "items": _NUMBER, "minItems": 3, "maxItems": 3}
_INERTIA = {
    "anyOf": [
        _THREE,
        {"type": "array", "items": _NUMBER, "minItems": 6, "maxItems": 6},
        {"type": "array", "items": _THREE, "minItems": 3, "maxItems": 3},
    ]
}
Number = Annotated[Any, BeforeValidator(_number), WithJsonSchema(_NUMBER)]
Limit = Annotated[Any, BeforeValidator(_limit), WithJsonSchema(_QUANTITY)]
Quantity = Annotated[Any, BeforeValidator(_quantity), WithJsonSchema(_QUANTITY)]
Bound = Annotated[Any, BeforeValidator(_bound), WithJsonSchema(_NUMBER)]
Inertia = Annotated[Any, BeforeValidator(_inertia), WithJsonSchema(_INERTIA)]
Vector = Annotated[list[Number], Field(min_length=3, max_length=3)]
Axis = Annotated[Vector, WrapValidator(_axis), WithJsonSchema({"anyOf": [_THREE, {"enum": list(AXES)}]})]
ZERO = [0.0, 0.0, 0.0]


class FileEntry(BaseModel):
    """Base of all entries: no unknown keys, no conversion of one kind of value to another."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    units: ClassVar[Units] = MappingProxyType({})
    hints: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Further advice in the message about an unknown key."""

    @field_validator("*", mode="before")
    @classmethod
    def _converted(cls, value: Any, info: ValidationInfo) -> Any:
        """Numbers with units, where no parameters may be part of them; the others are read when the parameters are."""
        name = str(info.field_name)
        return _plain(value, cls.units.get(name, "")) if _holds_limits(cls.model_fields[name]) else value


def _plain(value: Any, unit: str, path: tuple[str | int, ...] = ()) -> Any:
    """Numbers of a value; errors carry the ``path`` of the number in it and its text."""
    if isinstance(value, list):
        return [_plain(item, unit, (*path, i)) for i, item in enumerate(value)]
    if isinstance(value, dict):
        return {key: _plain(item, unit, (*path, key)) for key, item in value.items()}
    if not isinstance(value, str):
        return value
    try:
        number, dimension = parse_quantity(value, {}, {})
        reason = unit_fault(value, dimension, unit).rpartition(", got")[0]
    except DalembertError as error:
        reason = f"must be a number: {error}"
    if reason:
        raise PydanticCustomError("quantity", "{reason}", {"reason": reason, "path": path, "text": value})
    return number


def _holds_limits(annotation: Any) -> bool:
    """Whether an annotation has the validator of `Limit` somewhere in it."""
    metadata = (*getattr(annotation, "metadata", ()), *getattr(annotation, "__metadata__", ()))
    if any(getattr(one, "func", None) is _limit for one in metadata):
        return True
    inner = getattr(annotation, "annotation", None)
    return any(_holds_limits(one) for one in (*get_args(annotation), *((inner,) if inner is not None else ())))
