"""Frames, motors, applied wrenches and couplings of joints."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.validation import Bound, Vector, check_name, field_scalar, field_vector
from dalembert.model.transform import IDENTITY, Transform, as_transform

__all__ = ["Coupling", "Frame", "Motor", "Wrench"]


@dataclass(frozen=True)
class Frame:
    """A named frame fixed to a body, such as a tool; every body has a frame of its own name."""

    name: str
    body: str
    origin: Transform = IDENTITY

    def __post_init__(self) -> None:
        check_name(self.name, "frame")
        check_name(self.body, f"body of frame '{self.name}'")
        object.__setattr__(self, "origin", as_transform(self.origin, f"frame '{self.name}': origin"))

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the frame."""
        return self.origin.scalars


@dataclass(frozen=True)
class Motor:
    """A motor that drives a joint with one coordinate through a gear; its input is the effort on the motor side.

    With the motor's coordinate ``theta_m = n theta`` the rotor adds ``n^2 I_m`` to the inertia of the joint, the loss
    on the motor side ``n^2 b_m`` to its damping, and the effort acts as ``n tau_m`` (ROBOTICS, actuated pendulum). The
    rotor's gyroscopic coupling with the link that carries it is neglected.

    Parameters
    ----------
    name
        Unique name; it names the input.
    joint
        The joint it drives.
    ratio
        Gear ratio ``n``, not zero.
    rotor_inertia
        Rotor inertia ``I_m`` on the motor side.
    damping
        Viscous loss ``b_m`` on the motor side; the joint's own ``damping`` is the loss on the link side.
    effort
        Largest effort on the motor side; the input saturates there.
    """

    name: str
    joint: str
    ratio: Scalar = 1.0
    rotor_inertia: Scalar = 0.0
    damping: Scalar = 0.0
    effort: float = math.inf

    def __post_init__(self) -> None:
        name = check_name(self.name, "motor")
        check_name(self.joint, f"joint of motor '{name}'")
        set_ = object.__setattr__
        set_(self, "ratio", field_scalar(self.ratio, f"gear ratio of motor '{name}'"))
        if nominal(self.ratio) == 0.0:
            raise MachineError(f"gear ratio of motor '{name}' must not be zero")
        for field in ("rotor_inertia", "damping"):
            what = f"{field.replace('_', ' ')} of motor '{name}'"
            set_(self, field, field_scalar(getattr(self, field), what, lower=0.0))
        try:
            effort = float(self.effort)
        except (TypeError, ValueError):
            effort = math.nan
        if not effort >= 0.0:
            raise MachineError(f"effort limit of motor '{name}' must be >= 0, got {self.effort!r}")
        set_(self, "effort", effort)

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the motor."""
        return (self.ratio, self.rotor_inertia, self.damping)

    def bounds(self) -> Iterator[Bound]:
        """Ranges that must hold for any parameter values."""
        yield Bound(f"rotor inertia of motor '{self.name}'", self.rotor_inertia)
        yield Bound(f"damping of motor '{self.name}'", self.damping)


@dataclass(frozen=True)
class Wrench:
    """A force and a torque applied at the origin of a frame; their components may depend on parameters and time.

    Parameters
    ----------
    name
        Unique name.
    frame
        The frame (or body) at whose origin it acts.
    force, torque
        Components.
    axes
        ``"world"`` or ``"frame"``: the axes of the components.
    """

    name: str
    frame: str
    force: Vector = (0.0, 0.0, 0.0)
    torque: Vector = (0.0, 0.0, 0.0)
    axes: str = "world"

    def __post_init__(self) -> None:
        name = check_name(self.name, "wrench")
        check_name(self.frame, f"frame of wrench '{name}'")
        object.__setattr__(self, "force", field_vector(self.force, f"force of wrench '{name}'", time=True))
        object.__setattr__(self, "torque", field_vector(self.torque, f"torque of wrench '{name}'", time=True))
        if self.axes not in ("world", "frame"):
            raise MachineError(f"axes of wrench '{name}' must be 'world' or 'frame', got {self.axes!r}")

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the wrench."""
        return (*self.force, *self.torque)


@dataclass(frozen=True)
class Coupling:
    """A joint that follows another one: ``q_joint = ratio q_leader + offset`` (URDF's mimic)."""

    joint: str
    leader: str
    ratio: Scalar = 1.0
    offset: Scalar = 0.0

    def __post_init__(self) -> None:
        name = check_name(self.joint, "coupled joint")
        check_name(self.leader, f"leader of coupled joint '{name}'")
        object.__setattr__(self, "ratio", field_scalar(self.ratio, f"ratio of the coupling of joint '{name}'"))
        object.__setattr__(self, "offset", field_scalar(self.offset, f"offset of the coupling of joint '{name}'"))

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the coupling."""
        return (self.ratio, self.offset)
