"""Values of machine files, as types of pydantic: numbers or expressions, vectors, axes, limits, inertias."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, WrapValidator
from pydantic_core import PydanticCustomError

from dalembert.core.validation import AXES

__all__ = ["ZERO", "Axis", "Bound", "FileEntry", "Inertia", "Limit", "Number", "Vector"]


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


_EXPRESSION = {"type": "string", "description": "an expression such as m * l**2 / 12, or an angle: 45 deg"}
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
Limit = Annotated[Any, BeforeValidator(_limit), WithJsonSchema({"type": "number"})]
Bound = Annotated[Any, BeforeValidator(_bound), WithJsonSchema(_NUMBER)]
Inertia = Annotated[Any, BeforeValidator(_inertia), WithJsonSchema(_INERTIA)]
Vector = Annotated[list[Number], Field(min_length=3, max_length=3)]
Axis = Annotated[Vector, WrapValidator(_axis), WithJsonSchema({"anyOf": [_THREE, {"enum": list(AXES)}]})]
ZERO = [0.0, 0.0, 0.0]


class FileEntry(BaseModel):
    """What all entries have in common: no unknown keys, no conversion of one kind of value to another."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
