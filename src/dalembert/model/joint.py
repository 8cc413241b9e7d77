"""Joints: their axes, limits, springs and losses; ``model/joints`` defines each kind of joint."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from dalembert.core.errors import MachineError, did_you_mean
from dalembert.core.parameter import Scalar, nominal, parameters_of
from dalembert.core.types import Array, Expression
from dalembert.core.validation import Bound, Vector, check_angle, check_name, field_axis, field_scalar
from dalembert.model.friction import Friction
from dalembert.model.joints import JOINT_KINDS, JointKind
from dalembert.model.transform import IDENTITY, Transform, as_transform

__all__ = ["WORLD", "Joint", "Limits"]

WORLD = "world"
_LAWS = ("smooth", "stick")
_NOT_NEGATIVE = ("stiffness", "damping", "armature")


@dataclass(frozen=True)
class Limits:
    """Range of a joint's coordinate, and largest speed and effort; infinite where there is none.

    Parameters
    ----------
    lower, upper
        Range of the coordinate.
    velocity
        Largest speed; passing it is an event of a simulation.
    effort
        Largest effort of a motor on the joint, ``|n u|``: its input saturates there.
    stop
        Whether a simulation must stop at the range: beyond it the machine has no meaning (a rope of no length).
    restitution
        Newton's coefficient of restitution of the range as hard stops (``simulate(..., limits="contact")``).

    Examples
    --------
    >>> import dalembert as da
    >>> da.Limits(lower=-1.0, upper=1.0, effort=20.0).velocity
    inf
    """

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf
    stop: bool = False
    restitution: float = 0.0

    def __post_init__(self) -> None:
        for name in ("lower", "upper", "velocity", "effort", "restitution"):
            value = getattr(self, name)
            try:
                number = float(value)
            except (TypeError, ValueError):
                raise MachineError(f"the limit '{name}' must be a number, got {value!r}") from None
            if math.isnan(number) or (name == "effort" and number < 0):
                raise MachineError(f"the limit '{name}' must be a number{' >= 0' * (name == 'effort')}, got {number}")
            if name == "velocity" and number <= 0:
                raise MachineError(f"the limit 'velocity' must be > 0, got {number:g}; lock a joint that does not move")
            object.__setattr__(self, name, number)
        if not 0.0 <= self.restitution <= 1.0:
            raise MachineError(f"the restitution of limits must be from 0 to 1, got {self.restitution:g}")
        if not isinstance(self.stop, bool):
            raise MachineError(f"the limit 'stop' must be true or false, got {self.stop!r}")
        if self.lower > self.upper:
            raise MachineError(f"the lower limit {self.lower:g} must not exceed the upper limit {self.upper:g}")


@dataclass(frozen=True)
class Joint:
    """A joint between a parent and a child body; the child's frame is the joint's moving frame.

    Parameters
    ----------
    name
        Unique name.
    kind
        One of revolute, prismatic, screw, cylindrical, universal, spherical, planar, free, fixed.
    parent, child
        Names of bodies; the parent may be ``"world"``.
    origin
        Placement of the joint's fixed frame in the parent's frame; three numbers are a translation.
    axis
        Axis of a joint that turns about or slides along one, the first of a universal joint, the normal of a planar
        one, in the joint's frame (normalised); ``"x"``, ``"-y"`` and so on stand for coordinate axes.
    limits
        Range of the coordinate.
    stiffness, rest
        Joint spring [N m/rad or N/m] and its rest position; one-coordinate joints only.
    damping
        Viscous loss on the link side, per velocity.
    friction
        A `Friction`; or a number F, the Coulomb friction [N m or N] of the next two fields.
    friction_velocity
        Smoothing speed ``v_s`` of the friction ``-F tanh(v / v_s)``, per velocity, which creeps under any load.
    friction_law
        ``"smooth"`` for that law; ``"stick"`` for Coulomb's own: the joint sticks while less than F [N m or N] holds
        it, and F acts against its rate while it moves. Joints with one velocity only.
    armature
        Inertia that moves with each velocity of the joint but with no body, ``J v^2 / 2``: that of rotors and gears,
        reflected to the link side [kg m2 or kg]; free joints have none. A `Motor` adds its own.
    second_axis
        Axis of a universal joint that moves with the child (normalised), in the joint's frame when both angles are
        zero; not parallel to the first.
    pitch
        Slide of a screw joint per angle [m/rad]: a lead per turn over ``2 pi``; negative for a left-handed thread.

    Examples
    --------
    >>> import dalembert as da
    >>> screw = da.Joint("turn", "screw", "world", "nut", axis="z", pitch=0.01)
    >>> screw.q_names, screw.axis
    (('turn',), (0.0, 0.0, 1.0))
    """

    name: str
    kind: str
    parent: str
    child: str
    origin: Transform = IDENTITY
    axis: Vector = (0.0, 0.0, 1.0)
    limits: Limits = Limits()
    stiffness: Scalar = 0.0
    rest: Scalar = 0.0
    damping: Scalar = 0.0
    friction: Scalar | Friction = 0.0
    friction_velocity: Scalar = 1e-3
    second_axis: Vector | None = None
    pitch: Scalar | None = None
    armature: Scalar = 0.0
    friction_law: str = "smooth"

    def __post_init__(self) -> None:
        name = check_name(self.name, "joint")
        if self.kind not in JOINT_KINDS:
            hint = did_you_mean(self.kind, JOINT_KINDS)
            raise MachineError(
                f"joint '{name}' has the kind {self.kind!r}{hint}; known kinds: {', '.join(JOINT_KINDS)}"
            )
        for end in ("parent", "child"):
            check_name(getattr(self, end), f"{end} of joint '{name}'")
        if self.child == WORLD:
            raise MachineError(f"joint '{name}': the world cannot be a child")
        if self.parent == self.child:
            raise MachineError(f"joint '{name}' joins body '{self.child}' to itself")
        object.__setattr__(self, "origin", as_transform(self.origin, f"joint '{name}': origin"))
        if not isinstance(self.limits, Limits):
            raise MachineError(f"joint '{name}': limits must be Limits, got {self.limits!r}")
        set_ = object.__setattr__
        self._set_geometry()
        for field in _NOT_NEGATIVE:
            set_(self, field, field_scalar(getattr(self, field), f"{field} of joint '{name}'", lower=0.0))
        set_(self, "rest", field_scalar(self.rest, f"rest position of joint '{name}'"))
        self._check_friction()
        if self.info.nv == 1 and self.info.angles:
            for field, value in (("lower limit", self.limits.lower), ("upper limit", self.limits.upper)):
                check_angle(value, f"{field} of joint '{name}'")
            check_angle(self.rest, f"rest position of joint '{name}'")
        if self.info.nv != 1 and (self.stiffness != 0.0 or self.limits != Limits()):
            raise MachineError(f"joint '{name}': a {self.kind} joint takes no spring and no limits")
        if self.kind == "fixed" and (self.damping != 0.0 or self.friction != 0.0):
            raise MachineError(f"joint '{name}': a fixed joint has no losses")
        if self.kind in ("fixed", "free") and self.armature != 0.0:
            cure = "; give its body the mass and inertia" * (self.kind == "free")
            raise MachineError(f"joint '{name}': a {self.kind} joint has no armature{cure}")

    def _check_friction(self) -> None:
        name, law, set_ = self.name, self.friction_law, object.__setattr__
        what = f"friction velocity of joint '{name}'"
        set_(self, "friction_velocity", field_scalar(self.friction_velocity, what, lower=0.0, strict=True))
        if not isinstance(law, str) or law not in _LAWS:
            hint = did_you_mean(law, _LAWS) if isinstance(law, str) else ""
            known = ", ".join(_LAWS)
            raise MachineError(f"joint '{name}' has the friction law {law!r}{hint}; known laws: {known}")
        if isinstance(self.friction, Friction):
            if law != "smooth" or self.friction_velocity != 1e-3:
                raise MachineError(
                    f"joint '{name}': its friction is {self.friction!r}, which has its own law and velocity; leave out "
                    "friction_law and friction_velocity"
                )
            law = self.friction.law
            if law == "smooth" and self.friction.plain:  # one way to say it, for files and comparisons
                set_(self, "friction_velocity", self.friction.velocity)
                set_(self, "friction", self.friction.coulomb)
            elif law == "stick" and self.friction.plain:
                set_(self, "friction_law", "stick")
                set_(self, "friction", self.friction.coulomb)
        else:
            set_(self, "friction", field_scalar(self.friction, f"friction of joint '{name}'", lower=0.0))
        if law == "smooth":
            return
        if self.info.nv != 1:
            several = "has no velocity" if self.info.nv == 0 else f"has {self.info.nv}; make it of simple joints"
            raise MachineError(
                f"joint '{name}': friction_law={law!r} is for joints with one velocity, a {self.kind} joint {several}"
            )
        if self.friction_velocity != 1e-3:
            raise MachineError(
                f"joint '{name}': friction_law='stick' has no friction_velocity, got {self.friction_velocity}"
            )

    def _set_geometry(self) -> None:
        set_ = object.__setattr__
        for field in ("second_axis", "pitch"):
            has, needed = getattr(self, field) is not None, field in self.info.needs
            if has != needed:
                asked = f"needs a {field}" if needed else f"takes no {field}"
                raise MachineError(f"joint '{self.name}': a {self.kind} joint {asked}, got {getattr(self, field)!r}")
        set_(self, "axis", self._unit(self.axis, f"axis of joint '{self.name}'"))
        if self.second_axis is not None:
            set_(self, "second_axis", self._unit(self.second_axis, f"second axis of joint '{self.name}'"))
            if np.linalg.norm(np.cross(_plain(self.axis), _plain(self.second_axis))) < 1e-6:
                raise MachineError(
                    f"joint '{self.name}': its two axes must not be parallel, but both point along {self.axis}"
                )
        if self.pitch is not None:
            set_(self, "pitch", field_scalar(self.pitch, f"pitch of joint '{self.name}'"))

    def _unit(self, value: object, what: str) -> Vector:
        axis = field_axis(value, what)
        if any(parameters_of(x) for x in axis):
            raise MachineError(f"{what} must be plain numbers, got a parameter")
        values = [nominal(x) for x in axis]
        norm = math.sqrt(sum(x * x for x in values))
        if norm < 1e-9:
            raise MachineError(f"{what} must not be zero, got {tuple(values)}")
        if abs(norm - 1.0) > 1e-15:
            values = [x / norm for x in values]
        x, y, z = (0.0 if abs(v) < 1e-15 else v for v in values)
        return (x, y, z)

    @property
    def info(self) -> type[JointKind]:
        """The kind of the joint, with the properties that all joints of this kind share."""
        return JOINT_KINDS[self.kind]

    @property
    def friction_model(self) -> Friction:
        """Its friction: levels and law."""
        if isinstance(self.friction, Friction):
            return self.friction
        return Friction(self.friction, law=self.friction_law, velocity=self.friction_velocity)

    @property
    def sticks(self) -> bool:
        """Whether it has Coulomb friction with stick."""
        return self.friction_model.sticks

    def mechanism(self, value: Callable[[Scalar], Expression | float] = nominal) -> JointKind:
        """The motion that the joint admits, ``value`` applied to its scalars; in numbers by default."""
        second = None if self.second_axis is None else _plain(self.second_axis)
        return self.info(_plain(self.axis), second, None if self.pitch is None else value(self.pitch))

    @property
    def q_names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return tuple(self.name + s for s in self.info.q)

    @property
    def v_names(self) -> tuple[str, ...]:
        """Names of the velocities."""
        return tuple(self.name + s for s in self.info.v)

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the joint."""
        return (
            *self.origin.scalars,
            self.stiffness,
            self.rest,
            self.damping,
            *self.friction_model.scalars,
            self.armature,
            *(() if self.pitch is None else (self.pitch,)),
        )

    def bounds(self) -> Iterator[Bound]:
        """Ranges that must hold for any parameter values."""
        for field in _NOT_NEGATIVE:
            yield Bound(f"{field} of joint '{self.name}'", getattr(self, field))
        yield from self.friction_model.bounds(f"joint '{self.name}'")


def _plain(axis: Vector) -> Array:
    return np.array([nominal(x) for x in axis])
