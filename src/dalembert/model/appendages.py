"""Parts of spacecraft as bodies, joints and motors: flexible appendages by their modes, wheels, control moment gyros.

Each has ``bodies``, ``joints`` and (where it is driven) ``motors``; `Machine.with_parts` adds them to a machine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.renamed import renamed
from dalembert.core.types import Array
from dalembert.core.validation import Matrix, Vector, check_name, field_axis, field_matrix, field_scalar, field_vector
from dalembert.model.body import Body
from dalembert.model.geometry import Geometry
from dalembert.model.joint import Joint, Limits
from dalembert.model.parts import SPEED_RAMP, Motor
from dalembert.model.transform import IDENTITY, Transform, as_transform

__all__ = ["ControlMomentGyro", "ModalAppendage", "Wheel"]

_ROUNDING = 1e-9
_PRINTED = 1e-3  # data are printed with three digits


@renamed("rad/s", frequencies="omega")
@dataclass(frozen=True)
class ModalAppendage:
    """A flexible appendage given by its cantilever modes: a solar array, an antenna, a tank (SPACE D.2.1).

    To first order it obeys ``[M_r L^T; L 1] [t'; eta''] + [0; 2 zeta w eta' + w^2 eta] = [w; 0]`` with the rigid mass
    matrix ``M_r`` at its frame and modal coordinates ``eta`` of unit modal mass. A machine has no such part; it has
    masses on springs, and each row ``(p, h)`` of ``L`` is one: a point mass ``|p|^2`` that slides along ``p``, at
    ``p x h / |p|^2``; without a force (``p = 0``) a rod of inertia ``|h|^2`` that turns about ``h``; where ``p`` and
    ``h`` are not perpendicular a rod on a screw. The remainder of ``M_r`` is the rigid rest. The equations above hold
    exactly for small motions, and momentum and energy are conserved in large ones.

    Parameters
    ----------
    name
        Unique name; that of the rigid rest and of the joint that fixes it. The coordinates are ``NAME.mode1`` and so on
        [m or rad].
    parent, origin
        Body that carries it, and its frame there.
    mass, com, inertia
        Mass properties of the whole appendage as a rigid body, as in `Body`.
    omega, damping
        Natural frequencies of the modes with the frame held [rad/s], and their damping ratios (one for all, or each).
    participation
        ``L``: for each mode the force and torque [f; n] at the frame per unit modal acceleration; plain numbers, like
        mode shapes.
    scale
        Factor of all its masses, those of the modes included; frequencies stay.
    geometry
        Its shape, in its frame.

    Examples
    --------
    >>> import dalembert as da
    >>> array = da.ModalAppendage(
    ...     "array", "hub", mass=10.0, com=(2, 0, 0), inertia=(3.4, 13.3, 16.7), omega=[2.0], damping=0.005,
    ...     participation=[[0, 2.0, 0, 0, 0, 4.0]],
    ... )
    >>> hub = da.Body("hub", 100.0, inertia=(30, 30, 30))
    >>> craft = da.Machine("craft", [hub], [da.Joint("hub", "free", "world", "hub")])
    >>> craft.with_parts(array).q_names[-1]
    'array.mode1'
    """

    name: str
    parent: str
    mass: Scalar
    com: Vector
    inertia: Matrix
    omega: tuple[Scalar, ...]
    participation: tuple[tuple[float, ...], ...]
    damping: Scalar | tuple[Scalar, ...] = 0.0
    origin: Transform = IDENTITY
    scale: Scalar = 1.0
    geometry: tuple[Geometry, ...] = ()

    def __post_init__(self) -> None:
        name, set_ = check_name(self.name, "appendage"), object.__setattr__
        what = f"appendage '{name}'"
        check_name(self.parent, f"parent of {what}")
        set_(self, "mass", field_scalar(self.mass, f"mass of {what}", lower=0.0, strict=True))
        set_(self, "com", field_vector(self.com, f"centre of mass of {what}"))
        set_(self, "inertia", field_matrix(self.inertia, f"inertia of {what}"))
        set_(self, "scale", field_scalar(self.scale, f"scale of {what}", lower=0.0, strict=True))
        set_(self, "origin", as_transform(self.origin, f"{what}: origin"))
        listed = _listed(self.omega, f"omega of {what}")
        if not listed:
            raise MachineError(f"{what} has no modes; for a rigid appendage use a Body on a fixed joint")
        fields = [field_scalar(w, f"omega {i + 1} of {what}", lower=0.0, strict=True) for i, w in enumerate(listed)]
        set_(self, "omega", tuple(fields))
        ratios = self.damping if isinstance(self.damping, Sequence | np.ndarray) else [self.damping] * len(fields)
        if len(ratios) != len(fields):
            raise MachineError(f"{what} has {len(fields)} modes but {len(ratios)} damping ratios")
        set_(self, "damping", tuple(field_scalar(z, f"damping of {what}", lower=0.0) for z in ratios))
        set_(self, "participation", _rows(self.participation, len(fields), what))
        self._check()

    def _check(self) -> None:
        """Refuse modes that take more inertia than there is."""
        what = f"appendage '{self.name}'"
        M, L = _rigid_mass(self), np.array(self.participation)
        least, vectors = np.linalg.eigh(M - L.T @ L)
        if least[0] < -_ROUNDING * np.linalg.norm(M):
            along = ", ".join(f"{x:.3g}" for x in vectors[:, 0])
            raise MachineError(
                f"participation of {what} exceeds the inertia: M_r - L^T L must not be negative, but is "
                f"{least[0]:.4g} along [{along}]"
            )
        rest, _, inertia = self._rest()
        mass, J = nominal(rest), np.array([[nominal(x) for x in row] for row in inertia])
        second = np.linalg.eigvalsh(0.5 * np.trace(J) * np.eye(3) - J)[0]
        if mass < 0.0 or second < -_PRINTED * np.linalg.norm(M[3:, 3:]):
            lack = f"{mass:.4g} kg" if mass < 0.0 else f"a second moment of {second:.4g} kg m2"
            raise MachineError(
                f"{what}: as masses on springs its modes leave {lack} for its rigid part; give fewer modes, or modes "
                "with less participation"
            )

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The rigid rest, and a body per mode."""
        moving = (
            Body(f"{self.name}.mode{i + 1}", self.scale * m.mass, inertia=_times(m.inertia, self.scale))
            for i, m in enumerate(self._modes())
        )
        mass, com, inertia = self._rest()
        return Body(self.name, self.scale * mass, com, _times(inertia, self.scale), self.geometry), *moving

    @property
    def joints(self) -> tuple[Joint, ...]:
        """Clamps of the rest, and a spring per mode."""
        joints = [Joint(self.name, "fixed", self.parent, self.name, self.origin)]
        ratios: Any = self.damping
        for i, (m, w, zeta) in enumerate(zip(self._modes(), self.omega, ratios, strict=True)):
            inertia, name = self.scale * m.modal, f"{self.name}.mode{i + 1}"
            joints.append(
                Joint(
                    name,
                    m.kind,
                    self.name,
                    name,
                    Transform(m.place),
                    m.axis,
                    stiffness=inertia * w**2,
                    damping=2.0 * zeta * w * inertia,
                    pitch=m.pitch,
                )
            )
        return tuple(joints)

    def _modes(self) -> list[_MassOnSpring]:
        J = np.array([[nominal(x) for x in row] for row in self.inertia])
        spread = 0.5 * np.trace(J) * np.eye(3) - J
        return [_mass_on_spring(np.array(row), spread) for row in self.participation]

    def _rest(self) -> tuple[Scalar, Vector, Matrix]:
        """Mass, centre and inertia of the appendage without its modes."""
        mass, moment = self.mass, [self.mass * x for x in self.com]
        J = _add(self.inertia, _steiner(self.mass, self.com))
        for m in self._modes():
            mass = mass - m.mass
            moment = [a - m.mass * c for a, c in zip(moment, m.place, strict=True)]
            J = _add(_add(J, m.inertia, -1.0), _steiner(m.mass, m.place), -1.0)
        if abs(nominal(mass)) <= _ROUNDING * nominal(self.mass):
            return 0.0, (0.0, 0.0, 0.0), J
        com = (moment[0] / mass, moment[1] / mass, moment[2] / mass)
        return mass, com, _add(J, _steiner(mass, com), -1.0)


@dataclass(frozen=True)
class _MassOnSpring:
    """One mode: kind and axis of its joint, its place, and its moving mass; ``modal`` is its generalised inertia."""

    kind: str
    place: tuple[float, float, float]
    axis: tuple[float, float, float]
    mass: float
    inertia: Matrix
    modal: float
    pitch: float | None = None


def _mass_on_spring(row: Array, spread: Array) -> _MassOnSpring:
    """Body on a spring that has the participation ``row``; ``spread`` is the appendage's second moment of mass."""
    p, h = row[:3], row[3:]
    P = float(np.linalg.norm(p))
    if P == 0.0:
        J = float(h @ h)
        e = h / math.sqrt(J)
        return _MassOnSpring("revolute", (0.0, 0.0, 0.0), _three(e), 0.0, _rod(J, e, spread), J)
    e = p / P
    place, turn = np.cross(p, h) / P**2, float(e @ h)
    if abs(turn) <= 1e-12 * float(np.linalg.norm(h)):
        return _MassOnSpring("prismatic", _three(place), _three(e), P**2, _rod(0.0, e, spread), P**2)
    # A body of mass m and inertia J about e, on a screw of pitch k: P = m k / s, turn = J / s with s^2 = m k^2 + J. One
    # of the three is free; this pitch takes twice the mass and twice the inertia of a mode that only slides or turns.
    k, s = turn / P, 2.0 * turn
    return _MassOnSpring("screw", _three(place), _three(e), 2.0 * P**2, _rod(turn * s, e, spread), s * s, k)


def _rod(J: float, axis: Array, spread: Array) -> Matrix:
    """Inertia ``J`` about an axis of a rod across it, along where the appendage has most of its mass."""
    across = np.linalg.svd(axis[None, :])[2][1:]
    n = across.T @ np.linalg.eigh(across @ spread @ across.T)[1][:, -1]
    return tuple(map(_three, J * (np.eye(3) - np.outer(n, n))))  # type: ignore[return-value]


def _rigid_mass(appendage: ModalAppendage) -> Array:
    """Mass matrix (6 x 6) of the appendage as a rigid body, at its frame."""
    m, c = nominal(appendage.mass), np.array([nominal(x) for x in appendage.com])
    J = np.array(
        [[nominal(x) for x in row] for row in _add(appendage.inertia, _steiner(appendage.mass, appendage.com))]
    )
    C = m * np.array([[0.0, -c[2], c[1]], [c[2], 0.0, -c[0]], [-c[1], c[0], 0.0]])
    return np.block([[m * np.eye(3), -C], [C, J]])


def _steiner(m: Scalar, c: Sequence[Scalar]) -> Matrix:
    square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2]
    rows = [[m * ((square if i == j else 0.0) - c[i] * c[j]) for j in range(3)] for i in range(3)]
    return tuple(map(tuple, rows))  # type: ignore[return-value]


def _add(a: Matrix, b: Matrix, factor: float = 1.0) -> Matrix:
    return tuple(tuple(x + factor * y for x, y in zip(r, s, strict=True)) for r, s in zip(a, b, strict=True))  # type: ignore[return-value]


def _times(a: Matrix, factor: Scalar) -> Matrix:
    return tuple(tuple(factor * x for x in row) for row in a)  # type: ignore[return-value]


def _three(x: Array) -> tuple[float, float, float]:
    a, b, c = (float(v) for v in x)
    return a, b, c


def _listed(value: object, what: str) -> list[Any]:
    if isinstance(value, str | bytes) or not isinstance(value, Sequence | np.ndarray):
        raise MachineError(f"{what} must be a list of numbers, got {value!r}")
    return list(value)


def _rows(value: object, n: int, what: str) -> tuple[tuple[float, ...], ...]:
    try:
        L = np.asarray(value, dtype=float)
    except (TypeError, ValueError, MachineError):
        L = np.zeros(0)
    if L.shape != (n, 6) or not np.isfinite(L).all():
        raise MachineError(f"participation of {what} must be {n} rows of 6 finite numbers [f; n], got {value!r}")
    for i, row in enumerate(L):
        if not row.any():
            raise MachineError(
                f"mode {i + 1} of {what} has no participation: it does not act on the rest of the machine"
            )
    return tuple(tuple(float(x) for x in row) for row in L)


@dataclass(frozen=True)
class Wheel:
    """A reaction wheel: a rotor on the body that carries it, and the motor that turns it.

    Parameters
    ----------
    name
        Name of rotor, joint and motor; the torque on the body is the negative of the input.
    parent, origin
        Body that carries it, and the place of its centre there.
    axis
        Spin axis.
    inertia
        Inertia about the spin axis.
    transverse
        Inertia about the other axes; default half of it, a thin disc.
    mass
        Mass; zero where that of the body includes it.
    torque
        Largest torque, where the motor saturates.
    momentum
        Largest momentum, inertia times speed relative to the body. The motor does not drive the wheel beyond it; from
        99 % of it on it gives less torque, which is an event of a simulation.
    damping, friction
        Viscous [N m s/rad] and dry [N m] friction of the bearing, as those of a `Joint`.

    Examples
    --------
    >>> import dalembert as da
    >>> [motor.name for motor in da.Wheel("wheel", "hull", axis="z", inertia=0.05).motors]
    ['wheel']
    """

    name: str
    parent: str
    axis: Vector = (0.0, 0.0, 1.0)
    inertia: Scalar = 1.0
    transverse: Scalar | None = None
    mass: Scalar = 0.0
    torque: float = math.inf
    momentum: float = math.inf
    origin: Transform = IDENTITY
    damping: Scalar = 0.0
    friction: Scalar = 0.0

    def __post_init__(self) -> None:
        name = check_name(self.name, "wheel")
        object.__setattr__(self, "axis", field_axis(self.axis, f"axis of wheel '{name}'"))
        object.__setattr__(self, "origin", as_transform(self.origin, f"wheel '{name}': origin"))
        spin = field_scalar(self.inertia, f"inertia of wheel '{name}'", lower=0.0, strict=True)
        object.__setattr__(self, "inertia", spin)
        _positive(self.torque, f"torque limit of wheel '{name}'")
        _positive(self.momentum, f"momentum limit of wheel '{name}'")

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The rotor."""
        transverse = 0.5 * self.inertia if self.transverse is None else self.transverse
        return (Body(self.name, self.mass, inertia=_about(self.axis, self.inertia, transverse)),)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """Its bearing."""
        limits = Limits(velocity=(1.0 - SPEED_RAMP) * self._speed)
        bearing = Joint(self.name, "revolute", self.parent, self.name, self.origin, self.axis, limits)
        return (replace(bearing, damping=self.damping, friction=self.friction),)

    @property
    def motors(self) -> tuple[Motor, ...]:
        """Its motor."""
        return (Motor(self.name, self.name, effort=self.torque, speed=self._speed),)

    @property
    def _speed(self) -> float:
        """Speed at the largest momentum."""
        return self.momentum / nominal(self.inertia)


@dataclass(frozen=True)
class ControlMomentGyro:
    """A control moment gyro: a rotor that spins freely in a gimbal, which a motor turns.

    The rotor runs without losses or drive, so that the start of a run (`v0`) sets its spin; turning the
    gimbal at the rate ``w`` gives the torque ``h x w`` on the body.

    Parameters
    ----------
    name
        Name of the motor; the joints are ``NAME.gimbal`` and ``NAME.rotor``.
    parent, origin
        Body that carries it, and the place of its centre there.
    gimbal_axis, spin_axis
        Axis of the gimbal, and that of the rotor at gimbal angle zero; perpendicular.
    inertia, momentum
        Inertia of the rotor about its axis, and its angular momentum.
    transverse
        Inertia of the rotor about the other axes; default half of it.
    gimbal_inertia
        Inertia of the gimbal about its axis.
    mass
        Mass of the rotor; zero where that of the body includes it.
    torque, rate
        Largest torque of the gimbal's motor, and largest rate of the gimbal, which is an event to pass.

    Examples
    --------
    >>> import dalembert as da
    >>> gyro = da.ControlMomentGyro("cmg", "hull", "z", "x", inertia=0.1, momentum=30.0)
    >>> [joint.name for joint in gyro.joints]
    ['cmg.gimbal', 'cmg.rotor']
    """

    name: str
    parent: str
    gimbal_axis: Vector
    spin_axis: Vector
    inertia: Scalar
    momentum: float
    transverse: Scalar | None = None
    gimbal_inertia: Scalar = 0.0
    mass: Scalar = 0.0
    torque: float = math.inf
    rate: float = math.inf
    origin: Transform = IDENTITY

    def __post_init__(self) -> None:
        name = check_name(self.name, "gyro")
        axes = [
            field_axis(a, f"{k} axis of gyro '{name}'")
            for k, a in (("gimbal", self.gimbal_axis), ("spin", self.spin_axis))
        ]
        g, s = (np.array([nominal(x) for x in a]) for a in axes)
        if abs(g @ s) > 1e-9 * np.linalg.norm(g) * np.linalg.norm(s):
            raise MachineError(
                f"gimbal and spin axis of gyro '{name}' must be perpendicular, got {axes[0]} and {axes[1]}"
            )
        object.__setattr__(self, "gimbal_axis", axes[0])
        object.__setattr__(self, "spin_axis", axes[1])
        object.__setattr__(self, "origin", as_transform(self.origin, f"gyro '{name}': origin"))
        spin = field_scalar(self.inertia, f"inertia of gyro '{name}'", lower=0.0, strict=True)
        object.__setattr__(self, "inertia", spin)
        _positive(self.torque, f"torque limit of gyro '{name}'")
        _positive(self.rate, f"rate limit of gyro '{name}'")
        field_scalar(self.momentum, f"momentum of gyro '{name}'")

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Gimbal and rotor."""
        transverse = 0.5 * self.inertia if self.transverse is None else self.transverse
        ring = _about(self.gimbal_axis, self.gimbal_inertia, 0.5 * self.gimbal_inertia)
        rotor = _about(self.spin_axis, self.inertia, transverse)
        return Body(f"{self.name}.gimbal", inertia=ring), Body(f"{self.name}.rotor", self.mass, inertia=rotor)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """Bearing of the gimbal and of the rotor."""
        gimbal, rotor = f"{self.name}.gimbal", f"{self.name}.rotor"
        held = Limits(velocity=self.rate)
        return (
            Joint(gimbal, "revolute", self.parent, gimbal, self.origin, self.gimbal_axis, held),
            Joint(rotor, "revolute", gimbal, rotor, axis=self.spin_axis),
        )

    @property
    def motors(self) -> tuple[Motor, ...]:
        """Motor of the gimbal."""
        return (Motor(self.name, f"{self.name}.gimbal", effort=self.torque),)

    @property
    def v0(self) -> Mapping[str, float]:
        """Spin that the rotor starts with, by the name of its velocity."""
        return {f"{self.name}.rotor_dot": self.momentum / nominal(self.inertia)}


def _about(axis: Vector, along: Scalar, across: Scalar) -> Matrix:
    """Inertia of a solid of revolution."""
    a = np.array([nominal(x) for x in axis])
    P = np.outer(a, a) / (a @ a)
    return tuple(tuple(along * float(P[i, j]) + across * float((i == j) - P[i, j]) for j in range(3)) for i in range(3))  # type: ignore[return-value]


def _positive(value: object, what: str) -> None:
    if isinstance(value, bool | str) or not isinstance(value, int | float) or not value > 0:
        raise MachineError(f"{what} must be > 0, got {value!r}")
