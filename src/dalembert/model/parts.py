"""Frames, motors, thrusters, applied wrenches and couplings of joints."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.validation import Bound, Vector, check_name, field_scalar, field_vector
from dalembert.model.friction import Friction
from dalembert.model.transform import IDENTITY, Transform, as_transform

__all__ = ["SPEED_RAMP", "Actuator", "Coupling", "Frame", "Motor", "Thruster", "Wrench"]


SPEED_RAMP = 0.01
"""Part of its largest speed over which a motor ceases to drive."""


@dataclass(frozen=True)
class Frame:
    """A named frame fixed to a body, such as a tool; every body has a frame of its own name.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Frame("tip", "bar", da.Transform((0, 0, -0.5))).body
    'bar'
    """

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
    parent of a joint that turns carries the rotor, whose axis is that of the joint: where the parent moves with the
    angular velocity ``w`` the rotor has the kinetic energy ``I_m (e.w + n theta')^2 / 2``, from which its coupling with
    the motion of the parent and its gyroscopic moments follow. Its mass and its moments across the axis belong to the
    parent body. A rotor that turns otherwise, such as one on the base that drives by a belt, is an ``armature`` of the
    joint; so is one that drives a prismatic joint.

    Parameters
    ----------
    name
        Unique name; it names the input.
    joint
        The joint it drives.
    ratio
        Gear ratio ``n``, not zero.
    rotor_inertia
        Moment of inertia ``I_m`` of the rotor about its axis, on the motor side.
    damping
        Viscous loss ``b_m`` on the motor side; the joint's own ``damping`` is the loss on the link side.
    effort
        Largest effort on the motor side; the input saturates there.
    speed
        Speed on the motor side beyond which the motor does not drive. Effort that would make it faster falls linearly
        to zero over the last hundredth of it; the motor brakes at any speed.
    friction
        `Friction` on the motor side: its levels act on the joint times ``n``. A brake or a gear that holds is one.
    efficiency, back_efficiency
        Efficiency ``eta`` of the gear while the motor drives the joint, and ``eta_b`` while the joint drives the motor:
        the joint gets ``eta n u`` or ``n u / eta_b``, and stands in between. By default ``eta_b = 2 - 1 / eta``, the
        same friction both ways. A gear that locks itself has none (``eta <= 0.5``): give a brake instead. The inertia
        of the rotor has no such loss.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Motor("drive", "x", ratio=30.0, effort=8.0).joint
    'x'
    """

    name: str
    joint: str
    ratio: Scalar = 1.0
    rotor_inertia: Scalar = 0.0
    damping: Scalar = 0.0
    effort: float = math.inf
    speed: float = math.inf
    friction: Friction | None = None
    efficiency: Scalar = 1.0
    back_efficiency: Scalar | None = None

    def __post_init__(self) -> None:
        name = check_name(self.name, "motor")
        self._check_efficiency(name)
        if self.friction is not None and not isinstance(self.friction, Friction):
            raise MachineError(f"friction of motor '{name}' must be a Friction, got {self.friction!r}")
        check_name(self.joint, f"joint of motor '{name}'")
        set_ = object.__setattr__
        set_(self, "ratio", field_scalar(self.ratio, f"gear ratio of motor '{name}'"))
        if nominal(self.ratio) == 0.0:
            raise MachineError(f"gear ratio of motor '{name}' must not be zero")
        for field in ("rotor_inertia", "damping"):
            what = f"{field.replace('_', ' ')} of motor '{name}'"
            set_(self, field, field_scalar(getattr(self, field), what, lower=0.0))
        set_(self, "effort", _effort(self.effort, f"motor '{name}'"))
        set_(self, "speed", _effort(self.speed, f"motor '{name}'", "speed"))
        if self.speed == 0.0:
            raise MachineError(f"speed limit of motor '{name}' must be > 0, got {self.speed!r}")

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the motor."""
        more = self.friction.scalars if self.friction else ()
        back = () if self.back_efficiency is None else (self.back_efficiency,)
        return (self.ratio, self.rotor_inertia, self.damping, *more, self.efficiency, *back)

    @property
    def lossy(self) -> bool:
        """Whether its gear has an efficiency below 1, one way or the other."""
        return self.efficiency != 1.0 or self.back_efficiency not in (None, 1.0)

    @property
    def gear(self) -> tuple[Scalar, Scalar]:
        """Middle and half width of the effort per ``n u``: ``(eta + 1/eta_b)/2`` and ``(1/eta_b - eta)/2``."""
        forward, back = self.efficiency, self.back_efficiency
        if back is None:
            back = 2.0 - 1.0 / forward
        return (forward + 1.0 / back) / 2.0, (1.0 / back - forward) / 2.0

    def _check_efficiency(self, name: str) -> None:
        for key in ("efficiency", "back_efficiency"):
            if getattr(self, key) is None:
                continue
            what = f"{key.replace('_', ' ')} of motor '{name}'"
            value = field_scalar(getattr(self, key), what, lower=0.0, strict=True)
            object.__setattr__(self, key, value)
            if nominal(value) > 1.0:
                raise MachineError(f"{what} must be at most 1, got {nominal(value):g}")
        if self.back_efficiency is None and nominal(self.efficiency) <= 0.5:
            raise MachineError(
                f"a gear with the efficiency {nominal(self.efficiency):g} is self-locking, because 2 - 1/eta is not "
                f"above 0: give motor '{name}' a back_efficiency, or give the worm a joint, and a GearConstraint this "
                "efficiency"
            )

    @property
    def range(self) -> tuple[float, float]:
        """Least and largest effort."""
        return -self.effort, self.effort

    def bounds(self) -> Iterator[Bound]:
        """Ranges that must hold for any parameter values."""
        yield Bound(f"rotor inertia of motor '{self.name}'", self.rotor_inertia)
        yield Bound(f"damping of motor '{self.name}'", self.damping)
        if self.friction is not None:
            yield from self.friction.bounds(f"motor '{self.name}'")
        yield Bound(f"efficiency of motor '{self.name}'", self.efficiency, strict=True)
        yield Bound(f"spread of the efficiencies of motor '{self.name}'", self.gear[1])


@dataclass(frozen=True)
class Thruster:
    """An input that pushes or turns a body at a frame: the wrench ``u [force; torque]`` at the frame's origin.

    It acts on any body, free ones included: the nozzles of a spacecraft, or the ideal force and torque of its attitude
    control (SPACE 8.1). Mass is not spent; `dalembert.systems.space_robots.fuel_mass` counts the fuel afterwards (SPACE
    9.1).

    Parameters
    ----------
    name
        Unique name; it names the input.
    frame
        The frame (or body) at whose origin it acts.
    force, torque
        Wrench of a unit input; with a unit force the input is in newtons.
    axes
        ``"frame"`` or ``"world"``: the axes of the components.
    effort
        Largest magnitude of the input, which saturates there.
    one_sided
        Whether it only pushes: negative inputs do nothing.
    toward
        Point of the world toward which it pulls, in place of ``force`` and ``torque``: a cable with an ideal winch,
        whose tension is the input.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Thruster("nozzle", "hull", force=(1, 0, 0), effort=22.0, one_sided=True).effort
    22.0
    >>> da.Thruster("cable", "platform", toward=(0, 0, 3), one_sided=True).axes
    'world'
    """

    name: str
    frame: str
    force: Vector = (0.0, 0.0, 0.0)
    torque: Vector = (0.0, 0.0, 0.0)
    axes: str = "frame"
    effort: float = math.inf
    one_sided: bool = False
    toward: Vector | None = None

    def __post_init__(self) -> None:
        name = check_name(self.name, "thruster")
        check_name(self.frame, f"frame of thruster '{name}'")
        object.__setattr__(self, "force", field_vector(self.force, f"force of thruster '{name}'"))
        object.__setattr__(self, "torque", field_vector(self.torque, f"torque of thruster '{name}'"))
        wrench = any(nominal(x) != 0.0 for x in (*self.force, *self.torque))
        if self.toward is not None:
            if wrench:
                raise MachineError(f"thruster '{name}' has a wrench and pulls toward a point; give one of them")
            object.__setattr__(self, "toward", field_vector(self.toward, f"toward of thruster '{name}'"))
            object.__setattr__(self, "axes", "world")
        elif not wrench:
            raise MachineError(
                f"thruster '{name}' has neither force nor torque; give the wrench of a unit input, or toward"
            )
        _check_axes(self.axes, f"thruster '{name}'")
        object.__setattr__(self, "effort", _effort(self.effort, f"thruster '{name}'"))
        if not isinstance(self.one_sided, bool):
            raise MachineError(f"'one_sided' of thruster '{name}' must be true or false, got {self.one_sided!r}")

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the thruster."""
        return (*self.force, *self.torque, *(self.toward or ()))

    @property
    def range(self) -> tuple[float, float]:
        """Least and largest input."""
        return (0.0 if self.one_sided else -self.effort), self.effort


Actuator = Motor | Thruster
"""Element that an input of a machine drives."""


def _effort(value: object, owner: str, what: str = "effort") -> float:
    try:
        effort = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        effort = math.nan
    if not effort >= 0.0:
        raise MachineError(f"{what} limit of {owner} must be >= 0, got {value!r}")
    return effort


def _check_axes(axes: object, owner: str) -> None:
    if axes not in ("world", "frame"):
        raise MachineError(f"axes of {owner} must be 'world' or 'frame', got {axes!r}")


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

    Examples
    --------
    >>> import dalembert as da
    >>> da.Wrench("wind", "tip", force=(2.0 * da.sin(da.TIME), 0, 0)).axes
    'world'
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
        _check_axes(self.axes, f"wrench '{name}'")

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the wrench."""
        return (*self.force, *self.torque)


@dataclass(frozen=True)
class Coupling:
    """A joint that follows another one: ``q_joint = ratio q_leader + offset`` (URDF's mimic).

    Examples
    --------
    >>> import dalembert as da
    >>> da.Coupling("finger2", "finger1", ratio=-1.0).leader
    'finger1'
    """

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
