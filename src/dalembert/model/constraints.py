"""Constraints between frames and between coordinates: what closes the loops of a tree, joins bodies, prescribes motion.

Each is a description without equations; ``formulations/constraints`` turns it into rows ``Phi(q, t) = 0``.
A constraint with ``switchable=True`` can be added and removed during a run (`Switch`), which never compiles anything.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, depends_on_time, nominal
from dalembert.core.validation import Vector, check_name, field_axis, field_scalar
from dalembert.model.joint import WORLD
from dalembert.model.transform import Transform, as_transform

__all__ = [
    "BallConstraint",
    "Constraint",
    "DistanceConstraint",
    "GearConstraint",
    "LoopConstraint",
    "MotionConstraint",
    "OrthogonalConstraint",
    "ParallelConstraint",
    "WeldConstraint",
    "unit_vector",
]


def unit_vector(value: Any, what: str) -> Vector:
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


@dataclass(frozen=True)
class Constraint:
    """What all constraints have.

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

    def __post_init__(self) -> None:
        check_name(self.name, "constraint")
        for flag in ("switchable", "active"):
            if not isinstance(getattr(self, flag), bool):
                raise MachineError(f"'{flag}' of constraint '{self.name}' must be true or false")
        if not self.active and not self.switchable:
            raise MachineError(f"constraint '{self.name}' is neither active nor switchable: it would never act")

    @property
    def frames(self) -> tuple[str, ...]:
        """Frames that it refers to."""
        return tuple(getattr(self, f) for f in ("frame", "other") if getattr(self, f, None) is not None)

    @property
    def joints(self) -> tuple[str, ...]:
        """Joints whose coordinate it refers to."""
        return ()

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the constraint."""
        return ()


@dataclass(frozen=True)
class _FramePair(Constraint):
    """Constraints between two frames."""

    frame: str
    other: str = WORLD

    def __post_init__(self) -> None:
        super().__post_init__()
        for end in ("frame", "other"):
            check_name(getattr(self, end), f"{end} of constraint '{self.name}'")
        if self.frame == self.other:
            raise MachineError(f"constraint '{self.name}' joins frame '{self.frame}' to itself")


@dataclass(frozen=True)
class BallConstraint(_FramePair):
    """The origins of two frames coincide: a ball joint.

    Parameters
    ----------
    frame, other
        The frames.
    components
        Which components, along the axes of ``other``, are held; ``"xz"`` closes a planar loop without redundancy.
    """

    components: str = "xyz"

    def __post_init__(self) -> None:
        super().__post_init__()
        c = self.components
        if not isinstance(c, str) or not c or len(set(c)) != len(c) or not set(c) <= set("xyz"):
            raise MachineError(f"components of constraint '{self.name}' must be some of x, y, z, got {c!r}")


@dataclass(frozen=True)
class DistanceConstraint(_FramePair):
    """The origins of two frames keep a distance: a massless rod with ball ends. The length may depend on time."""

    length: Scalar = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        what = f"length of constraint '{self.name}'"
        object.__setattr__(self, "length", field_scalar(self.length, what, lower=0.0, strict=True, time=True))

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the constraint."""
        return (self.length,)


@dataclass(frozen=True)
class WeldConstraint(_FramePair):
    """Two frames are joined rigidly, CDPR (19), and (20) by crossed pairs (see the errata).

    Parameters
    ----------
    offset
        Pose of ``frame`` in ``other``; None: the pose that they have when the constraint becomes active, as of a
        gripper that holds what it has got.
    """

    offset: Transform | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.offset is not None:
            object.__setattr__(self, "offset", as_transform(self.offset, f"constraint '{self.name}': offset"))

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the constraint."""
        return () if self.offset is None else self.offset.scalars


@dataclass(frozen=True)
class ParallelConstraint(_FramePair):
    """An axis of one frame stays parallel to an axis of another."""

    axis: Vector = (0.0, 0.0, 1.0)
    other_axis: Vector = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        for which in ("axis", "other_axis"):
            value = unit_vector(getattr(self, which), f"{which} of constraint '{self.name}'")
            object.__setattr__(self, which, value)


@dataclass(frozen=True)
class OrthogonalConstraint(_FramePair):
    """An axis of one frame keeps an angle with an axis of another (a right angle by default)."""

    axis: Vector = (1.0, 0.0, 0.0)
    other_axis: Vector = (0.0, 0.0, 1.0)
    angle: Scalar = math.pi / 2

    def __post_init__(self) -> None:
        super().__post_init__()
        for which in ("axis", "other_axis"):
            value = unit_vector(getattr(self, which), f"{which} of constraint '{self.name}'")
            object.__setattr__(self, which, value)
        angle = field_scalar(self.angle, f"angle of constraint '{self.name}'", time=True)
        if not 1e-3 < nominal(angle) < math.pi - 1e-3:
            raise MachineError(
                f"angle of constraint '{self.name}' must lie between 0 and pi, got {nominal(angle):g}; "
                "for parallel axes use ParallelConstraint"
            )
        object.__setattr__(self, "angle", angle)

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the constraint."""
        return (self.angle,)


@dataclass(frozen=True)
class LoopConstraint(_FramePair):
    """A joint that closes a loop of the tree.

    Parameters
    ----------
    kind
        ``"ball"``, ``"revolute"``, ``"prismatic"``, ``"cylindrical"`` or ``"fixed"``.
    axis
        The joint's axis in both frames.
    """

    kind: str = "revolute"
    axis: Vector = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        kinds = ("ball", "revolute", "prismatic", "cylindrical", "fixed")
        if self.kind not in kinds:
            raise MachineError(f"constraint '{self.name}' has the kind {self.kind!r}; known kinds: {', '.join(kinds)}")
        object.__setattr__(self, "axis", unit_vector(self.axis, f"axis of constraint '{self.name}'"))


@dataclass(frozen=True)
class GearConstraint(Constraint):
    """A linear relation of coordinates: ``sum c_j q_j = value``; gears, differentials, winches, levers.

    Parameters
    ----------
    terms
        Coefficients by joint (with one coordinate): a mapping, or pairs.
    value
        Right side; it may depend on time.
    """

    terms: tuple[tuple[str, Scalar], ...] = ()
    value: Scalar = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        pairs: Any = self.terms.items() if isinstance(self.terms, Mapping) else self.terms
        what = f"terms of constraint '{self.name}'"
        if isinstance(pairs, str) or not isinstance(pairs, Iterable):
            raise MachineError(f"{what} must map joints to coefficients, got {self.terms!r}")
        terms = []
        for pair in pairs:
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise MachineError(f"{what} must be pairs (joint, coefficient), got {pair!r}")
            joint = check_name(pair[0], f"joint in the {what}")
            terms.append((joint, field_scalar(pair[1], f"coefficient of '{joint}' in the {what}")))
        if not terms or all(nominal(c) == 0.0 for _, c in terms):
            raise MachineError(f"{what} must hold at least one coefficient that is not zero")
        object.__setattr__(self, "terms", tuple(terms))
        value = field_scalar(self.value, f"value of constraint '{self.name}'", time=True)
        object.__setattr__(self, "value", value)

    @property
    def joints(self) -> tuple[str, ...]:
        """Joints whose coordinate it refers to."""
        return tuple(joint for joint, _ in self.terms)

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the constraint."""
        return (*(c for _, c in self.terms), self.value)


@dataclass(frozen=True)
class MotionConstraint(Constraint):
    """A coordinate follows a given function of time: a rheonomous constraint, CDPR (25).

    Parameters
    ----------
    joint
        Revolute or prismatic joint.
    frame, component
        Instead of a joint: component ``"x"``, ``"y"`` or ``"z"`` of the position of a frame in the world.
    value
        Expression of time, such as ``0.2 * sin(3 * TIME)``.
    """

    joint: str | None = None
    frame: str | None = None
    component: str = "x"
    value: Scalar = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.joint is None) == (self.frame is None):
            raise MachineError(f"constraint '{self.name}' must name either a joint or a frame")
        check_name(self.joint if self.joint is not None else self.frame, f"target of constraint '{self.name}'")
        if self.component not in ("x", "y", "z"):
            raise MachineError(f"component of constraint '{self.name}' must be x, y or z, got {self.component!r}")
        value = field_scalar(self.value, f"value of constraint '{self.name}'", time=True)
        object.__setattr__(self, "value", value)

    @property
    def joints(self) -> tuple[str, ...]:
        """Joints whose coordinate it refers to."""
        return () if self.joint is None else (self.joint,)

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the constraint."""
        return (self.value,)

    @property
    def rheonomous(self) -> bool:
        """Whether the value depends on time."""
        return depends_on_time(self.value)
