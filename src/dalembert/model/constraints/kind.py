"""The contract of a kind of constraint, which each module of this package fulfils.

A constraint takes degrees of freedom from a machine by rows ``Phi``. With the poses of frames in the world, the
coordinates of joints and the scalars of the machine, all of them CasADi expressions of ``q``, ``t`` and ``p`` that a
`RowContext` gives, a kind says

========================  =============================================================================================
``Phi(q, t, p) = 0``      `Constraint.rows`: a column of m expressions, twice differentiable where they vanish and of
                          full rank there: ``rank dPhi/dq = m`` unless the machine itself is redundant
``R_0, p_0``              `Constraint.holds_pose`: whether rows use the pose of ``frame`` in ``other`` at the instant at
                          which the constraint begins to act (`RowContext.held_pose`)
``lambda``                `Constraint.multiplier_units`: units of the multipliers, one for each row
``|f| <= c |lambda|``     `Constraint.rubbing`, if it `rubs`: friction against a rate, in proportion to the multipliers
                          of some of its rows (gears, bearings, guides)
``(x_1, x_2), ...``       `Constraint.rods`: ends of lines that are drawn, in the world
========================  =============================================================================================

The other terms follow from these: ``J v = Phi' - Phi_t`` with the velocities ``v``, the right side ``gamma`` of ``J v'
= gamma`` with ``Phi'' = J v' - gamma``, CDPR (26), and the forces ``-J^T lambda``.

A kind is a frozen dataclass. The types of its fields (``model/kind_fields.py``) say which of them are frames,
joints, numbers or axes; checks, references, parameters, the entry in machine files and its JSON Schema follow from
them. ``tests/unit/test_constraint_kinds.py`` checks all this for every kind of the register.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Protocol

import casadi as ca
import numpy as np

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.types import Array
from dalembert.core.validation import Vector, check_name, field_scalar, field_vector, unit_vector
from dalembert.model.context import MachineContext
from dalembert.model.joint import WORLD
from dalembert.model.kind_fields import FrameName, Role, Terms, kind_fields, names_in, scalars_in
from dalembert.model.transform import as_transform

__all__ = ["Constraint", "FramePair", "RelativeRates", "RowContext", "Rubbing", "axis_numbers"]


class RowContext(MachineContext, Protocol):
    """Context of the rows of a constraint: the machine, and the pose that they hold."""

    def held_pose(self) -> tuple[ca.SX, ca.SX]:
        """Pose of ``frame`` in ``other`` when the constraint began to act; for kinds with `Constraint.holds_pose`."""


class RelativeRates(Protocol):
    """Rates of joints and of frames to each other, for the friction of a constraint."""

    def of_joint(self, joint: str) -> ca.SX:
        """Rate of a joint with one coordinate."""

    def between(self, frame: str, other: str) -> tuple[ca.SX, ca.SX]:
        """Velocity of the origin and angular velocity of a frame relative to another one, in the axes of that."""


@dataclass(frozen=True, eq=False)
class Rubbing:
    """Friction of a constraint that is proportional to its own forces.

    Parameters
    ----------
    rate
        Rate ``w(q, v)`` against which it acts.
    coefficient
        ``c(q, p)``: the friction is at most ``c |lambda|``.
    loads
        First of the rows whose multipliers are the load, and their number.
    tensions
        Names of tensions whose sum is the load, of the bearing of a sheave.
    """

    rate: ca.SX
    coefficient: ca.SX
    loads: tuple[int, int]
    tensions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Constraint(ABC):
    """Fields that all constraints share.

    Parameters
    ----------
    name
        Unique name; it names the multipliers.
    switchable
        Whether it can be added and removed during a run.
    active
        Whether it acts at the start.
    """

    name: str
    switchable: bool = field(default=False, kw_only=True)
    active: bool = field(default=True, kw_only=True)

    key: ClassVar[str]
    """Name of the kind: the ``type`` in machine files."""
    units: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """SI units of its numbers, by field; ``{q}``: of the coordinate of its joint. Others take no units in files."""

    def __post_init__(self) -> None:
        check_name(self.name, "constraint")
        for declared in kind_fields(type(self)):
            value = getattr(self, declared.name)
            if value is not None or not declared.optional:
                what = f"{declared.name} of constraint '{self.name}'"
                object.__setattr__(self, declared.name, self._checked(declared.role, value, declared.name, what))
        if not self.active and not self.switchable:
            raise MachineError(f"constraint '{self.name}' is neither active nor switchable: it would never act")

    def _checked(self, role: Role, value: Any, name: str, what: str) -> Any:
        match role:
            case Role.FRAME | Role.JOINT:
                return check_name(value, what)
            case Role.NUMBER:
                return field_scalar(value, what, time=True)
            case Role.VECTOR:
                return field_vector(value, what, time=True)
            case Role.AXIS:
                return unit_vector(value, what)
            case Role.TERMS:
                return _checked_terms(value, what)
            case Role.PLACEMENT:
                return as_transform(value, f"constraint '{self.name}': {name}")
            case Role.FLAG if not isinstance(value, bool):
                raise MachineError(f"'{name}' of constraint '{self.name}' must be true or false")
        return value

    @abstractmethod
    def rows(self, context: RowContext) -> ca.SX:
        """``Phi(q, t, p)``, a column."""

    def rubbing(self, context: RowContext, rates: RelativeRates) -> Rubbing | None:
        """Friction in proportion to its forces; None: it has none."""
        return None

    @property
    def rubs(self) -> bool:
        """Whether it has friction in proportion to its forces."""
        return False

    def without_friction(self) -> Constraint:
        """Return it without that friction."""
        return self

    @property
    def holds_pose(self) -> bool:
        """Whether it holds ``frame`` in the pose in ``other`` in which it begins to act."""
        return False

    @property
    def multiplier_units(self) -> tuple[str, ...]:
        """Units of the multipliers, one for each row; empty if they are not known."""
        return ()

    def rods(self, context: MachineContext) -> tuple[tuple[ca.SX, ca.SX], ...]:
        """Lines that show it, each by its two ends in the world."""
        return ()

    @property
    def frames(self) -> tuple[str, ...]:
        """Frames that it refers to."""
        return names_in(self, Role.FRAME)

    @property
    def joints(self) -> tuple[str, ...]:
        """Joints whose coordinate it refers to."""
        return names_in(self, Role.JOINT)

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the constraint."""
        return scalars_in(self)


@dataclass(frozen=True)
class FramePair(Constraint):
    """Constraints between two frames."""

    frame: FrameName
    other: FrameName = WORLD

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.frame == self.other:
            raise MachineError(f"constraint '{self.name}' joins frame '{self.frame}' to itself")

    def relative_pose(self, context: MachineContext) -> tuple[ca.SX, ca.SX]:
        """Rotation matrix and position of ``frame`` in ``other``: ``R_o^T R_f`` and ``R_o^T (p_f - p_o)``."""
        R_f, p_f = context.pose(self.frame)
        R_o, p_o = context.pose(self.other)
        return R_o.T @ R_f, R_o.T @ (p_f - p_o)


def axis_numbers(axis: Vector) -> Array:
    """Numbers of a unit vector."""
    return np.array([nominal(x) for x in axis])


def _checked_terms(value: Any, what: str) -> Terms:
    """Pairs of a joint and a coefficient, from a mapping or from pairs."""
    pairs: Any = value.items() if isinstance(value, Mapping) else value
    if isinstance(pairs, str) or not isinstance(pairs, Iterable):
        raise MachineError(f"{what} must map joints to coefficients, got {value!r}")
    terms = []
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise MachineError(f"{what} must be pairs (joint, coefficient), got {pair!r}")
        joint = check_name(pair[0], f"joint in the {what}")
        terms.append((joint, field_scalar(pair[1], f"coefficient of '{joint}' in the {what}")))
    if not terms or all(nominal(c) == 0.0 for _, c in terms):
        raise MachineError(f"{what} must hold at least one coefficient that is not zero")
    return tuple(terms)
