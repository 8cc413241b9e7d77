"""Values that the fields of a kind hold, as their types declare it.

A kind of constraint or surface is a frozen dataclass. The types of its fields define their meaning; machine files,
their JSON Schema, references, parameters and checks are derived from that:

===================  ==========================================  ==========================================
type of the field    what it is                                  in machine files
===================  ==========================================  ==========================================
``FrameName``        name of a frame, of a body or ``"world"``   text
``JointName``        name of a joint with one coordinate         text
``Scalar``           number, or expression of parameters         number or expression
``Vector``           three scalars                               list of three
``Axis``             unit vector of plain numbers                list of three, or x, y, z, -x, -y, -z
``Terms``            coefficients by joint                       mapping
``Transform``        placement                                   ``xyz`` and a rotation
``str``, ``bool``    a choice, a flag                            text, true or false
===================  ==========================================  ==========================================

Each may be optional (``Scalar | None``).
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from types import NoneType
from typing import Annotated, Any, get_args, get_type_hints
from weakref import WeakKeyDictionary

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar
from dalembert.core.validation import Vector
from dalembert.model.transform import Transform

__all__ = ["Axis", "FrameName", "JointName", "KindField", "Role", "Terms", "kind_fields", "names_in", "scalars_in"]


class Role(enum.Enum):
    """Type of the values of a field; the text is used in messages."""

    FRAME = "FrameName"
    JOINT = "JointName"
    NUMBER = "Scalar"
    VECTOR = "Vector"
    AXIS = "Axis"
    TERMS = "Terms"
    PLACEMENT = "Transform"
    TEXT = "str"
    FLAG = "bool"


FrameName = Annotated[str, Role.FRAME]
"""Name of a frame or body, or ``"world"``."""

JointName = Annotated[str, Role.JOINT]
"""Name of a joint with one coordinate."""

Axis = Annotated[Vector, Role.AXIS]
"""Unit vector of plain numbers."""

Terms = tuple[tuple[str, Scalar], ...]
"""Coefficients by joint."""

_ROLES: list[tuple[Any, Role]] = [
    (Vector, Role.VECTOR),
    (Terms, Role.TERMS),
    (Transform, Role.PLACEMENT),
    (str, Role.TEXT),
    (bool, Role.FLAG),
]


@dataclass(frozen=True)
class KindField:
    """One field of a kind.

    Parameters
    ----------
    name
        Its name.
    role
        The type of its values.
    optional
        Whether it may be None.
    default
        Its default; ``dataclasses.MISSING`` if it has none.
    """

    name: str
    role: Role
    optional: bool
    default: Any

    @property
    def required(self) -> bool:
        """Whether it has no default."""
        return self.default is MISSING


_DECLARED: WeakKeyDictionary[type, tuple[KindField, ...]] = WeakKeyDictionary()


def kind_fields(kind: type) -> tuple[KindField, ...]:
    """Fields of a kind but its ``name``, in order; a field of an unknown type is refused."""
    if kind not in _DECLARED:
        _DECLARED[kind] = tuple(_declared(kind))
    return _DECLARED[kind]


def _declared(kind: type) -> Iterator[KindField]:
    if not is_dataclass(kind):
        raise MachineError(f"{kind.__name__} must be a frozen dataclass: machine files hold its fields")
    try:
        hints = get_type_hints(kind, include_extras=True)
    except NameError as error:
        raise MachineError(f"the types of the fields of {kind.__name__} must be known in its module: {error}") from None
    for f in fields(kind):
        if f.name != "name":
            yield _field(kind, f.name, hints[f.name], f.default)


def _field(kind: type, name: str, hint: Any, default: Any) -> KindField:
    choices = get_args(hint) if not hasattr(hint, "__metadata__") else ()
    optional = NoneType in choices
    rest = tuple(choice for choice in choices if choice is not NoneType)
    if set(rest) == set(get_args(Scalar)):
        return KindField(name, Role.NUMBER, optional, default)
    one = rest[0] if optional and len(rest) == 1 else hint
    for tag in getattr(one, "__metadata__", ()):
        if isinstance(tag, Role):
            return KindField(name, tag, optional, default)
    for declared, role in _ROLES:
        if one == declared:
            return KindField(name, role, optional, default)
    known = ", ".join(role.value for role in Role)
    raise MachineError(f"field '{name}' of {kind.__name__} has the type {hint}; a kind has fields of {known}")


def _values(element: object) -> Iterator[tuple[Role, Any]]:
    for field in kind_fields(type(element)):
        value = getattr(element, field.name)
        if value is not None:
            yield field.role, value


def names_in(element: object, role: Role) -> tuple[str, ...]:
    """Names of frames or joints that the fields of an element hold; joints of `Terms` are among them."""
    names: list[str] = []
    for declared, value in _values(element):
        if declared is role:
            names.append(value)
        elif declared is Role.TERMS and role is Role.JOINT:
            names += [joint for joint, _ in value]
    return tuple(names)


def scalars_in(element: object) -> tuple[Scalar, ...]:
    """All scalars that the fields of an element hold, in order."""
    scalars: list[Scalar] = []
    for role, value in _values(element):
        match role:
            case Role.NUMBER:
                scalars.append(value)
            case Role.VECTOR:
                scalars += value
            case Role.TERMS:
                scalars += [coefficient for _, coefficient in value]
            case Role.PLACEMENT:
                scalars += value.scalars
    return tuple(scalars)
