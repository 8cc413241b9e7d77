"""The contract of a kind of surface, which each kind fulfils.

A surface bounds the region that solids stay out of. In the axes of the frame that carries it, for a point ``x`` in
front of it, on CasADi symbols, a kind says

============================  =========================================================================================
``d(x)``, ``n(x)``            `Surface.distance`: distance of the nearest point, negative behind the surface, and the
                              direction away from it: ``grad d = n``, ``|n| = 1``
``s = argmin d(x + s u)``     `Surface.nearest`: where a segment, ``|s| <= reach``, comes nearest; only asked where
                              `Surface.convex_side` is false
``d`` concave                 `Surface.convex_side`: along every line, so that a segment touches with its ends
``n`` constant                `Surface.flat`
faces, edges and corners      `Surface.sharp`
============================  =========================================================================================

A kind that is touched from outside may have a ``radius``: with that of a solid, the length that time steps must not
pass over. `Surface.shapes` returns its drawing. A kind is a frozen dataclass; its entry in machine files, checks and
parameters follow from the types of its fields (``model/kind_fields.py``).
``tests/unit/test_surface_kinds.py`` checks this for every kind of the register.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import casadi as ca
import numpy as np

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.types import Array
from dalembert.core.validation import Bound, Vector, field_scalar, field_vector, unit_vector
from dalembert.model.kind_fields import Role, kind_fields, scalars_in

__all__ = ["Ball", "Distance", "Number", "Plane", "Surface", "SurfaceShape", "Tube", "Value", "numbers", "vector"]

Value = Callable[[Scalar], ca.SX]
"""Turns a scalar of a machine into an expression."""

Number = Callable[[Scalar], float]
"""Turns a scalar of a machine into a number."""


class Distance(NamedTuple):
    """How far a point is from a surface (negative behind it), and the direction away from the surface."""

    value: ca.SX
    normal: ca.SX


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane that is drawn: a point and the direction out of it."""

    point: Array
    normal: Array


@dataclass(frozen=True, eq=False)
class Ball:
    """A sphere that is drawn, filled unless it is touched from ``inside``."""

    centre: Array
    radius: float
    inside: bool


@dataclass(frozen=True, eq=False)
class Tube:
    """A cylinder without ends that is drawn, filled unless it is touched from ``inside``."""

    point: Array
    axis: Array
    radius: float
    inside: bool


SurfaceShape = Plane | Ball | Tube
"""Drawings of a surface."""


class Surface(ABC):
    """The touched element."""

    key: ClassVar[str]
    """Name of the kind: its key in the contacts of machine files."""
    units: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """SI units of its numbers, by field; others take no units in machine files."""
    noun: ClassVar[str]
    """Its name in messages."""
    flat: ClassVar[bool] = False
    """Whether its normal is the same everywhere."""
    sharp: ClassVar[bool] = False
    """Whether it is a box: all but spheres touch it in pairs that have windows (``sharp.py``)."""
    radius: Scalar
    """Its size, if it is touched from outside; 0 for kinds without such a field."""
    inside: bool
    """Whether solids touch it from within; false for kinds without such a field."""

    def __init_subclass__(cls) -> None:
        kinds = [kind for kind in cls.__mro__ if kind is not Surface]
        declared = {name for kind in kinds for name in getattr(kind, "__annotations__", ())}
        if "radius" not in declared:
            cls.radius = 0.0
        if "inside" not in declared:
            cls.inside = False

    def __post_init__(self) -> None:
        for declared in kind_fields(type(self)):
            value = getattr(self, declared.name)
            if value is not None or not declared.optional:
                object.__setattr__(self, declared.name, self._checked(declared.role, value, declared.name))

    def _checked(self, role: Role, value: Any, name: str) -> Any:
        what = f"the {name} of a {self.noun}"
        match role:
            case Role.NUMBER:
                return field_scalar(value, what)
            case Role.VECTOR:
                return field_vector(value, what)
            case Role.AXIS:
                return unit_vector(value, what)
            case Role.FLAG if not isinstance(value, bool):
                raise MachineError(f"'{name}' of a {self.noun} must be true or false, got {value!r}")
        return value

    @abstractmethod
    def distance(self, x: ca.SX, value: Value) -> Distance:
        """Distance of the point ``x`` from the surface, and the direction away from it."""

    def nearest(self, x: ca.SX, direction: ca.SX, reach: ca.SX, value: Value) -> ca.SX:
        """Where the segment ``x + s direction``, ``-reach <= s <= reach``, comes nearest: ``s``."""
        raise MachineError(f"a {self.noun} takes points and spheres only: its kind does not define 'nearest'")

    @property
    @abstractmethod
    def convex_side(self) -> bool:
        """Whether a segment touches with its ends, if it touches at all."""

    def shapes(self, number: Number = nominal) -> tuple[SurfaceShape, ...]:
        """Its drawing, in the axes of its frame."""
        return ()

    def bounds(self, owner: str) -> Iterator[Bound]:
        """Ranges that must hold for any parameter values; ``owner`` is the contact."""
        yield from ()

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the surface."""
        return scalars_in(self)


def vector(x: Vector, value: Value) -> ca.SX:
    """Expressions of the components of a vector."""
    return ca.vertcat(*[value(c) for c in x])


def numbers(x: Vector, number: Number = nominal) -> Array:
    """Components of a vector in numbers."""
    return np.array([number(c) for c in x], dtype=float)
