"""Elements of the path of a rope: anchors, drums, sheaves and guides.

The rope runs counter-clockwise about the axis of a drum, sheave or guide, in the order of its path; to lead it round
the other side, turn the axis round.

The law of a wheel is one number, the largest ``|ln(T2/T1)|`` of the tensions before and after it:

==============================  =====================================================================================
ideal sheave                    0
friction ``mu``                 ``mu phi`` with the angle of wrap (L. Euler, 1769; J. A. Eytelwein, 1808)
bearing and bending loss        ``ln k``, see `SheaveLoss`
both, of a sheave without mass  the smaller of them: it turns in its bearing, or the rope slips on it
both, of a turning sheave       ``mu phi``; the loss is friction of its joint, see `SheaveLoss`
teeth                           infinite: the rope is cut into sections
==============================  =====================================================================================
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import casadi as ca

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, depends_on_time, nominal
from dalembert.core.validation import (
    Bound,
    Vector,
    VectorLike,
    check_name,
    field_scalar,
    field_vector,
    unit_vector,
)
from dalembert.model.context import MachineContext
from dalembert.model.ropes.layers import DrumLayers

__all__ = ["CLAMPS", "Anchor", "Drum", "Guide", "PathElement", "RopeObstacle", "Sheave", "SheaveLoss"]

_ZERO: Vector = (0.0, 0.0, 0.0)

CLAMPS = 20.0
"""The largest ``kappa``: a ratio of tensions of 5e8 is as good as a clamp."""


@dataclass(frozen=True)
class SheaveLoss:
    """Losses of a sheave: friction in its bearing, and bending of the rope.

    The pin of radius ``r_b`` in a bearing with the coefficient of friction ``mu_b`` holds up to a moment in proportion
    to the force on it, so that the larger tension is ``k`` times the smaller one where

        (k_b - 1)^2 = c^2 (1 + k_b^2 - 2 k_b cos phi),   c = mu_b r_b / r,   k = k_b (1 + bending).

    A sheave that turns with a joint has inertia, so that this ratio does not hold. The moment of friction about its
    joint is at most ``r tanh(ln(k)/2) (T1 + T2)``. Without inertia that is the same law, because
    ``tanh(ln(k)/2) = (k - 1)/(k + 1)``. With a wrap of half a turn and no bending it is ``c r (T1 + T2)``, the moment
    of the bearing force.

    Parameters
    ----------
    bearing
        Coefficient of friction of the bearing.
    pin
        Radius of the pin [m].
    bending
        Part of the tension that bending and straightening the rope takes.

    Examples
    --------
    >>> import dalembert as da
    >>> da.SheaveLoss(bearing=0.02, pin=0.01).pin
    0.01
    """

    bearing: Scalar = 0.0
    pin: Scalar = 0.0
    bending: Scalar = 0.0

    def __post_init__(self) -> None:
        for field in ("bearing", "pin", "bending"):
            object.__setattr__(self, field, field_scalar(getattr(self, field), f"'{field}' of a sheave loss", lower=0))
        if (nominal(self.bearing) > 0.0) != (nominal(self.pin) > 0.0):
            raise MachineError("the bearing loss of a sheave needs both 'bearing' (friction) and 'pin' (radius)")

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars."""
        return (self.bearing, self.pin, self.bending)

    def kappa(self, angle: ca.SX, radius: ca.SX, context: MachineContext) -> ca.SX:
        """``ln k`` at an angle of wrap on a sheave of a radius."""
        c = context.value(self.bearing) * context.value(self.pin) / radius
        half, rest = 1 - c**2 * ca.cos(angle), 1 - c**2
        k = (half + ca.sqrt(ca.fmax(half**2 - rest**2, 0))) / rest
        return ca.log(k * (1 + context.value(self.bending)))


class PathElement:
    """An element of a rope's path.

    Attributes
    ----------
    key
        Its key in machine files, whose value is the frame or joint that it belongs to.
    """

    key: ClassVar[str]
    name: str | None
    at: Any
    radius: Scalar
    axis: Any
    zero: Any = None
    turns: int = 0

    @property
    def on(self) -> str:
        """The frame or joint that it belongs to."""
        return str(getattr(self, self.key if self.key == "joint" else "frame"))

    @property
    def label(self) -> str:
        """Its name in the rope: the one that it has, or that of the frame or joint."""
        return self.name or self.on

    @property
    def what(self) -> str:
        """The element in messages."""
        return f"{self.key} '{self.label}'"

    @property
    def frames(self) -> tuple[str, ...]:
        """Frames that it refers to."""
        return (self.on,)

    @property
    def joints(self) -> tuple[str, ...]:
        """Joints that it refers to."""
        return ()

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All its scalars."""
        return tuple(self.at)

    @property
    def rheonomous(self) -> bool:
        """Whether its position depends on time."""
        return any(depends_on_time(x) for x in self.at)

    @property
    def cuts(self) -> bool:
        """Whether the rope is fixed to it: it ends a section."""
        return False

    @property
    def rubs(self) -> bool:
        """Whether the tension changes at it, by a finite ratio."""
        return False

    def bounds(self) -> Iterator[Bound]:
        """Ranges that must hold for any parameter values."""
        yield from ()

    def kappa(self, angle: ca.SX, context: MachineContext) -> ca.SX:
        """Largest ``|ln(T2/T1)|`` at an angle of wrap."""
        return ca.SX(0.0)

    def _check(self, field: str, kind: str, *, time: bool = True) -> None:
        """Check name, place and position."""
        set_ = object.__setattr__
        check_name(getattr(self, field), f"{field} of a rope's {kind}")
        if self.name is not None:
            check_name(self.name, f"name of a rope's {kind}")
        set_(self, "at", field_vector(self.at, f"position of {self.what}", time=time))

    def _check_wheel(self, *, point: bool = False) -> None:
        """Check radius, axis, zero and turns of a wheel."""
        set_, what = object.__setattr__, self.what
        radius = field_scalar(self.radius, f"radius of {what}", lower=0.0, strict=not point)
        set_(self, "radius", radius)
        if self.axis is not None:
            set_(self, "axis", unit_vector(self.axis, f"axis of {what}"))
        if getattr(self, "zero", None) is not None:
            set_(self, "zero", unit_vector(self.zero, f"zero direction of {what}"))
        turns = getattr(self, "turns", 0)
        if isinstance(turns, bool) or not isinstance(turns, int | float) or turns < 0 or turns != int(turns):
            raise MachineError(f"turns of {what} must be a whole number >= 0, got {turns!r}")


@dataclass(frozen=True)
class Anchor(PathElement):
    """An end of a rope, fixed to a frame.

    Parameters
    ----------
    frame, at
        The frame, and the position in it, which may depend on time.
    name
        Name in the rope; None: that of the frame.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Anchor("hook", at=(0, 0, 0.1)).frame
    'hook'
    """

    frame: str
    at: VectorLike = _ZERO
    name: str | None = None

    key = "anchor"

    def __post_init__(self) -> None:
        self._check("frame", self.key)

    @property
    def cuts(self) -> bool:
        """True: the rope ends here."""
        return True


@dataclass(frozen=True)
class Drum(PathElement):
    """An end of a rope, coiled on a drum that turns with a joint.

    A turn about ``axis`` pays out if the drum is the first element of the path, and coils up if it is the last one.

    Parameters
    ----------
    joint
        Revolute joint of the drum.
    radius
        Radius at which the rope lies.
    axis
        Axis about which the rope runs counter-clockwise, along the joint's axis or against it; None: the joint's axis.
    at
        Position of the centre in the frame of the joint's child, on the joint's axis.
    zero
        Direction from the centre, in the joint's fixed frame, up to which the drum's arc counts to the length of the
        rope; None: where the rope touches the drum in the neutral configuration.
    name
        Name in the rope; None: that of the joint.
    layers
        Layers of rope on it; None: all rope lies at its radius.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Drum("winch", 0.2).joint
    'winch'
    """

    joint: str
    radius: Scalar
    axis: VectorLike | str | None = None
    at: VectorLike = _ZERO
    zero: VectorLike | str | None = None
    name: str | None = None
    layers: DrumLayers | None = None

    key = "drum"

    def __post_init__(self) -> None:
        self._check("joint", self.key, time=False)
        self._check_wheel()
        if self.layers is not None and not isinstance(self.layers, DrumLayers):
            raise MachineError(f"layers of {self.what} must be DrumLayers, got {self.layers!r}")

    @property
    def on(self) -> str:
        """The joint."""
        return self.joint

    @property
    def frames(self) -> tuple[str, ...]:
        """None."""
        return ()

    @property
    def joints(self) -> tuple[str, ...]:
        """The joint."""
        return (self.joint,)

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """Position, radius and those of layers."""
        return (*self.at, self.radius, *(() if self.layers is None else self.layers.scalars))

    @property
    def cuts(self) -> bool:
        """True: the rope ends here."""
        return True

    def bounds(self) -> Iterator[Bound]:
        """The radius is positive, and the layers have room."""
        yield Bound(f"radius of {self.what}", self.radius, strict=True)
        if self.layers is not None:
            yield from self.layers.bounds(self.what)


@dataclass(frozen=True)
class Sheave(PathElement):
    """A sheave that a rope runs over.

    Parameters
    ----------
    frame, at
        Frame that carries it, and the position of its centre in that frame, which may depend on time.
    radius
        Radius at which the rope lies.
    axis
        Axis in that frame; the rope runs counter-clockwise about it.
    joint
        Revolute joint with which it turns; None: it has no inertia.
    friction
        Coefficient of friction between rope and sheave; 0: the rope moves over it as if it turned freely.
    teeth
        Whether the rope cannot slip on it.
    loss
        Losses in its bearing, and by bending of the rope. With a joint, they are friction against the rate of the
        joint: the rope is inextensible then.
    turns
        Full turns of the rope about it, besides the wrap of -90 to 270 degrees that the path makes.
    zero
        See `Drum`; in the fixed frame of the joint, for a sheave with teeth. An elastic rope that rubs on the sheave
        has its arc divided between the spans at this direction; None: the middle of the arc in the neutral
        configuration.
    name
        Name in the rope; None: that of the frame.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Sheave("block", 0.1, "y").frame
    'block'
    """

    frame: str
    radius: Scalar
    axis: VectorLike | str
    at: VectorLike = _ZERO
    joint: str | None = None
    friction: Scalar = 0.0
    teeth: bool = False
    loss: SheaveLoss | None = None
    turns: int = 0
    zero: VectorLike | str | None = None
    name: str | None = None

    key = "sheave"

    def __post_init__(self) -> None:
        self._check("frame", self.key)
        self._check_wheel()
        what = self.what
        object.__setattr__(self, "friction", field_scalar(self.friction, f"friction of {what}", lower=0.0))
        if not isinstance(self.teeth, bool):
            raise MachineError(f"'teeth' of {what} must be true or false, got {self.teeth!r}")
        if self.loss is not None and not isinstance(self.loss, SheaveLoss):
            raise MachineError(f"loss of {what} must be a SheaveLoss, got {self.loss!r}")
        given = [name for name in ("friction", "loss") if self._has(name)]
        if self.teeth and (given if self.joint is None else "friction" in given):
            raise MachineError(f"{what} has teeth, on which the rope does not slip: leave out its {given[0]}")
        if self.joint is not None:
            check_name(self.joint, f"joint of {what}")
            if not self.teeth and "friction" not in given:
                raise MachineError(
                    f"{what} turns with the joint '{self.joint}', but nothing makes the rope turn it: give its "
                    "friction, or teeth if the rope does not slip"
                )

    def _has(self, field: str) -> bool:
        value = getattr(self, field)
        return value is not None and not (isinstance(value, float) and value == 0.0)

    @property
    def joints(self) -> tuple[str, ...]:
        """The joint, if it has one."""
        return () if self.joint is None else (self.joint,)

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All its scalars."""
        return (*self.at, self.radius, self.friction, *(() if self.loss is None else self.loss.scalars))

    @property
    def cuts(self) -> bool:
        """Whether it has teeth."""
        return self.teeth

    @property
    def rubs(self) -> bool:
        """Whether it has friction, or losses and no joint."""
        return self._has("friction") or (self.loss is not None and self.joint is None)

    @property
    def has_bearing(self) -> bool:
        """Whether its losses are friction of the joint with which it turns."""
        return self.loss is not None and self.joint is not None

    def bounds(self) -> Iterator[Bound]:
        """Radius and coefficients are not negative."""
        yield Bound(f"radius of {self.what}", self.radius, strict=True)
        yield Bound(f"friction of {self.what}", self.friction)
        for field in ("bearing", "pin", "bending") if self.loss is not None else ():
            yield Bound(f"{field} of {self.what}", getattr(self.loss, field))

    def kappa(self, angle: ca.SX, context: MachineContext) -> ca.SX:
        """``mu phi``, ``ln k``, or the smaller of both."""
        slips = context.value(self.friction) * angle
        if self.loss is None or self.joint is not None:
            return slips
        turns = self.loss.kappa(angle, context.value(self.radius), context)
        return ca.fmin(slips, turns) if self._has("friction") else turns


@dataclass(frozen=True)
class Guide(PathElement):
    """A guide that does not turn: an eyelet, or a rounded surface that the rope slides over.

    Parameters
    ----------
    frame, at
        Frame that carries it, and the position in that frame, which may depend on time.
    radius, axis
        Radius at which the rope lies and the axis about which it runs counter-clockwise; radius 0: an eyelet.
    friction
        Coefficient of friction between rope and guide.
    turns, name
        As in a `Sheave`.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Guide("edge", radius=0.02, axis="y", friction=0.1).frame
    'edge'
    """

    frame: str
    radius: Scalar = 0.0
    axis: VectorLike | str | None = None
    at: VectorLike = _ZERO
    friction: Scalar = 0.0
    turns: int = 0
    name: str | None = None

    key = "guide"

    def __post_init__(self) -> None:
        self._check("frame", self.key)
        self._check_wheel(point=True)
        what = self.what
        object.__setattr__(self, "friction", field_scalar(self.friction, f"friction of {what}", lower=0.0))
        if self.is_point:
            if self.rubs:
                raise MachineError(f"{what} has friction but no radius: the friction of a rope needs an angle of wrap")
            if self.turns:
                raise MachineError(f"{what} has turns but no radius")
        elif self.axis is None:
            raise MachineError(f"{what} has a radius: give the axis about which the rope runs counter-clockwise")

    @property
    def is_point(self) -> bool:
        """Whether it is an eyelet."""
        return isinstance(self.radius, float) and self.radius == 0.0

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All its scalars."""
        return (*self.at, self.radius, self.friction)

    @property
    def rubs(self) -> bool:
        """Whether it has friction."""
        return not (isinstance(self.friction, float) and self.friction == 0.0)

    def bounds(self) -> Iterator[Bound]:
        """Radius and friction are not negative."""
        yield Bound(f"radius of {self.what}", self.radius)
        yield Bound(f"friction of {self.what}", self.friction)

    def kappa(self, angle: ca.SX, context: MachineContext) -> ca.SX:
        """``mu phi``."""
        return context.value(self.friction) * angle


@dataclass(frozen=True)
class RopeObstacle(PathElement):
    """A cylinder or sphere that a rope may leave and meet again.

    A rope that lies on a cylinder runs counter-clockwise about its axis, on a helix if its neighbours are at different
    heights along the axis. On a sphere it lies on the great circle in the plane of its neighbours. Otherwise it runs
    straight past the obstacle.

    Parameters
    ----------
    frame, at
        Frame that carries it, and the position of its centre in that frame, which may depend on time.
    radius
        Radius at which the rope lies.
    axis
        Axis of a cylinder in that frame; None: a sphere.
    friction
        Coefficient of friction between rope and obstacle.
    name
        Name in the rope; None: that of the frame.

    Examples
    --------
    >>> import dalembert as da
    >>> da.RopeObstacle("quay", 0.3, axis="y").frame
    'quay'
    """

    frame: str
    radius: Scalar
    axis: VectorLike | str | None = None
    at: VectorLike = _ZERO
    friction: Scalar = 0.0
    name: str | None = None

    key = "obstacle"

    def __post_init__(self) -> None:
        self._check("frame", self.key)
        self._check_wheel()
        object.__setattr__(self, "friction", field_scalar(self.friction, f"friction of {self.what}", lower=0.0))

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All its scalars."""
        return (*self.at, self.radius, self.friction)

    @property
    def rubs(self) -> bool:
        """Whether it has friction."""
        return not (isinstance(self.friction, float) and self.friction == 0.0)

    def bounds(self) -> Iterator[Bound]:
        """The radius is positive, friction not negative."""
        yield Bound(f"radius of {self.what}", self.radius, strict=True)
        yield Bound(f"friction of {self.what}", self.friction)

    def kappa(self, angle: ca.SX, context: MachineContext) -> ca.SX:
        """``mu phi``."""
        return context.value(self.friction) * angle
