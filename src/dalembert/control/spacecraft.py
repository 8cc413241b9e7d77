"""Laws of robots on a free base: PD on its pose, PD of joints with their coupling, feedforward, and sums of laws.

SPACE 8.1: the base has thrusters and a PD on its position and attitude (8.1), the joints a PD each (8.3, which is `PD`)
or one that knows the mass matrix of a posture (8.2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.control.allocation import COMPONENTS, allocate
from dalembert.control.cascade import read
from dalembert.control.gyro_steering import base_inputs
from dalembert.control.law_bases import (
    Reference,
    _called,
    _driven,
    _fixed,
    _gain,
    _motors,
    _reference,
    _Stateless,
    _thrusters_off,
    machine_state,
)
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.labels import as_numbers
from dalembert.core.ports import Law
from dalembert.core.states import named_vector
from dalembert.core.types import Array, Expression, StateLike
from dalembert.core.validation import check_names, check_number
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.formulations.floating import free_base
from dalembert.formulations.layout import CoordinateBlock
from dalembert.spatial.rotations import quaternion_difference, quaternion_matrix, quaternion_product

__all__ = ["BasePD", "CentralizedPD", "Feedforward", "FollowPose", "PoseReference", "Together", "pose_reference"]

_POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")
_TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")
_WRENCH = ("fx", "fy", "fz", "nx", "ny", "nz")


@dataclass(frozen=True)
class FollowPose:
    """A pose that an outer stage holds, for the base: ``NAME.x`` to ``NAME.qz``, as the coordinates of a free joint.

    Parameters
    ----------
    name
        Prefix of the names.
    moving
        Whether ``NAME.vx`` to ``NAME.wz`` are its twist, in its own axes as those of a free joint; else it rests.
    since
        Name of the time at which the stage has set it, ``STAGE.t``: from then on it moves on with its twist. None: it
        stays until the next one.

    Examples
    --------
    >>> FollowPose("target").moving
    True
    """

    name: str
    moving: bool = True
    since: str | None = None

    def motion(self, t: Expression) -> tuple[Expression, Expression, Expression, Expression]:
        """Position, quaternion, velocity in world axes, and rate in its own axes."""
        x = read(*[f"{self.name}.{k}" for k in _POSE])
        twist = read(*[f"{self.name}.{k}" for k in _TWIST]) if self.moving else ca.SX.zeros(6)
        velocity = quaternion_matrix(x[3:]) @ twist[:3]
        if self.since is None:
            return x[:3], x[3:], velocity, twist[3:]
        passed = t - read(self.since)
        half = 0.5 * passed * twist[3:]
        turn = ca.vertcat(1.0, half) / ca.sqrt(1.0 + ca.sumsqr(half))
        return x[:3] + passed * velocity, quaternion_product(x[3:], turn), velocity, twist[3:]


PoseReference = ArrayLike | Callable[[Expression], Any] | FollowPose


def pose_reference(
    reference: PoseReference, t: Expression, law: str
) -> tuple[Expression | ca.DM, Expression | ca.DM, Expression, Expression]:
    """Position, quaternion, velocity in world axes and rate in own axes of a reference of a free joint."""
    if hasattr(reference, "motion"):
        x, Q, v, w = reference.motion(t)
        return x, Q, v, w
    if callable(reference):
        r = _called(reference, t, law)
        if r.shape != (7, 1):
            raise InputError(f"{law}: the reference must be a position and a quaternion, 7 numbers, got {r.shape[0]}")
        x, Q = r[:3], r[3:] / ca.norm_2(r[3:])
        rate = ca.jacobian(Q, t)
        w = 2 * quaternion_product(ca.vertcat(Q[0], -Q[1], -Q[2], -Q[3]), rate)[1:]
        return x, Q, ca.jacobian(x, t), w
    try:
        array = as_numbers(reference)
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.shape != (7,) or not np.isfinite(array).all() or abs(np.linalg.norm(array[3:]) - 1.0) > 1e-6:
        raise InputError(f"{law}: the reference must be a position and a unit quaternion, 7 numbers, got {reference!r}")
    return ca.DM(array[:3]), ca.DM(array[3:]), ca.SX.zeros(3), ca.SX.zeros(3)


def _base_block(eom: EquationsOfMotion, joint: str | None) -> CoordinateBlock:
    """Block of coordinates of the base."""
    name = free_base(eom, joint)
    return next(b for b in eom.layout.blocks if b.name == name)


def _square(value: ArrayLike, name: str) -> ca.DM:
    """A gain on a wrench: 6 numbers, one for all, or 6 x 6."""
    try:
        K = as_numbers(value)
        K = np.diag(np.broadcast_to(K, (6,))) if K.ndim < 2 else K
    except (TypeError, ValueError):
        K = np.zeros(0)
    if K.shape != (6, 6) or not np.isfinite(K).all():
        raise InputError(f"{name} of a BasePD must be 6 numbers (force, torque), or 6 x 6, got {value!r}")
    if np.linalg.eigvalsh((K + K.T) / 2)[0] < -1e-9 * np.abs(K).max():
        raise InputError(f"{name} of a BasePD must not be negative, got {value!r}")
    return ca.DM(K)


@dataclass(frozen=True)
class BasePD(_Stateless):
    """PD on the pose of a free base, by thrusters and wheels: SPACE (8.1), with the error on SE(3).

    Force and torque in base axes are ``kp e + kd e'``, ``e`` the position error in base axes and the rotation vector
    from the attitude to that of the reference, the shorter way. `allocate` shares them out: wheels or control moment
    gyros that span all directions give the torque, thrusters the rest, nozzles that only push with inputs >= 0; other
    motors stay off.

    Parameters
    ----------
    kp, kd
        Gains: six numbers (x, y, z, and about them), or 6 x 6. Zeros for the force leave the position alone
        (attitude-only), all zeros let the base float.
    reference
        Position and quaternion: 7 numbers, a function of time on CasADi symbols, or `FollowPose`.
    joint
        The free joint; needed where there is more than one.
    gates
        Names of two held values that force and torque are multiplied by: guidance switches the base from flying (1, 1)
        to attitude only (0, 1) and to floating (0, 0) with them.
    feedforward
        Names of six held values, force and torque in base axes, to be added.
    filter
        Corner frequency of a first-order filter of the feedback [rad/s], about ten times that of the loop: thrusters
        then follow less of the noise of the sensors, and use less propellant. None: there is none.

    Examples
    --------
    >>> law = BasePD(kp=[50.0] * 6, kd=[200.0] * 6, reference=[0, 0, 0, 1, 0, 0, 0])
    >>> law.joint is None
    True
    """

    kp: ArrayLike
    kd: ArrayLike
    reference: PoseReference
    joint: str | None = None
    gates: Sequence[str] | None = None
    feedforward: Sequence[str] | None = None
    filter: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.filter is not None:
            check_number("filter of a BasePD", self.filter, unit="rad/s")

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """Force and torque behind the filter, if there is one."""
        name = "" if self.joint is None else f"{self.joint}."
        return () if self.filter is None else tuple(f"{name}feedback.{k}" for k in _WRENCH)

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """The filter at rest."""
        return np.zeros(len(self.state_names(eom)))

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs as expressions."""
        eom, q, v = machine_state(eom, q, v, p)
        block = _base_block(eom, self.joint)
        r, Q, twist = q[block.q][:3], q[block.q][3:], v[block.v]
        x, Qr, speed, rate = pose_reference(self.reference, t, "BasePD")
        R, turn = quaternion_matrix(Q), quaternion_difference(Q, Qr)
        e = ca.vertcat(R.T @ (x - r), turn)
        ed = ca.vertcat(R.T @ speed, R.T @ quaternion_matrix(Qr) @ rate) - twist
        wrench = _square(self.kp, "kp") @ e + _square(self.kd, "kd") @ ed
        zdot = ca.SX(0, 1)
        if self.filter is not None:
            zdot, wrench = self.filter * (wrench - z), z
        if self.feedforward is not None:
            names = check_names(self.feedforward, "feedforward of a BasePD")
            if len(names) != 6:
                raise InputError(f"feedforward of a BasePD must be 6 names (force, torque), got {len(names)}")
            wrench = wrench + read(*names)
        if self.gates is not None:
            names = check_names(self.gates, "gates of a BasePD")
            if len(names) != 2:
                raise InputError(f"gates of a BasePD must be 2 names (of force and torque), got {len(names)}")
            force, torque = ca.vertsplit(read(*names))
            wrench = ca.vertcat(force * wrench[:3], torque * wrench[3:])
        shared = allocate(eom, block.name, need=())
        used = np.abs(_square(self.kp, "kp").full()) + np.abs(_square(self.kd, "kd").full())
        lacking = [name for name in shared.missing if used[COMPONENTS.index(name)].any()]
        if lacking:
            raise InputError(
                f"BasePD: the actuators on the body of joint '{block.name}' of machine '{eom.machine.name}' cannot "
                f"give {', '.join(lacking)} alone, in both directions; give zero gains for it, or other actuators: "
                f"there are {', '.join((*shared.wheels, *shared.gyros, *shared.jets)) or 'none'}"
            )
        return base_inputs(eom, block.name, shared, (t, q, v), wrench), zdot


@dataclass(frozen=True)
class CentralizedPD(_Stateless):
    """PD of all joints together: ``tau = D (kp e + kd e')``, SPACE (8.2); thrusters stay off.

    ``D`` is the mass matrix of the driven joints in one posture, so that each joint's torque knows of the others.

    Parameters
    ----------
    kp, kd
        Gains per motor [1/s2, 1/s].
    reference
        Joint positions or a function of time.
    at
        The posture; None: the neutral one.

    Examples
    --------
    >>> CentralizedPD(kp=[40.0, 40.0], kd=[12.0, 12.0], reference=[0.5, -0.5]).kd
    (12.0, 12.0)
    """

    kp: ArrayLike
    kd: ArrayLike
    reference: Reference
    at: StateLike = None

    def inertia(self, eom: EquationsOfMotion) -> Array:
        """Return the matrix ``D``."""
        machine = eom.machine
        at = dict(self.at) if isinstance(self.at, Mapping) else self.at
        q0 = named_vector(at, machine.q_names, machine.q_neutral, "at")
        rows = _driven(eom, "CentralizedPD", thrusters=True)[1]
        s = eom.symbolic
        M = ca.Function("M", [s.q, s.p], [ca.densify(s.mass_matrix)])(q0, eom.parameter_values())
        return np.array(M.full())[np.ix_(rows, rows)]

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs as expressions."""
        eom, q, v = machine_state(eom, q, v, p)
        rows_q, rows_v, n = _driven(eom, "CentralizedPD", thrusters=True)
        r, rd, _ = _reference(self.reference, t, _motors(eom), "CentralizedPD")
        kp, kd = (_gain(x, _motors(eom), name, at=(eom, p)) for x, name in ((self.kp, "kp"), (self.kd, "kd")))
        tau = ca.DM(self.inertia(eom)) @ (kp * (r - q[rows_q]) + kd * (rd - v[rows_v]))
        return _thrusters_off(eom, tau / n), ca.SX(0, 1)


@dataclass(frozen=True)
class Feedforward(_Stateless):
    """Inputs from held values, from functions of time, or as numbers; the others stay off.

    Parameters
    ----------
    inputs
        By name of the motor or thruster: the name of a held value or signal, a function of time on CasADi symbols, or a
        number.

    Examples
    --------
    >>> Feedforward({"drive": lambda t: 10 * t, "brake": 0.0}).inputs["brake"]
    0.0
    """

    inputs: Mapping[str, str | float | Callable[[Expression], Expression]]

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs as expressions."""
        if not isinstance(self.inputs, Mapping):
            raise InputError(f"Feedforward needs inputs by name, got {self.inputs!r}")
        u = ca.SX.zeros(eom.nu)
        for name, source in self.inputs.items():
            if name not in eom.u_names:
                raise UnknownNameError("motor or thruster", name, eom.u_names, f"machine '{eom.machine.name}'")
            value = read(source) if isinstance(source, str) else source(t) if callable(source) else source
            u[eom.u_names.index(name)] = value
        return u, ca.SX(0, 1)


@dataclass(frozen=True)
class Together:
    """The sum of laws: of the joints and of the base, of feedback and feedforward.

    Parameters
    ----------
    laws
        Expression laws.

    Examples
    --------
    >>> from dalembert.control import PD
    >>> both = Together([PD(kp=40.0, kd=8.0, reference=[0.0]), Feedforward({"drive": 3.0})])
    >>> len(both.laws)
    2
    """

    laws: Sequence[Law]

    def __post_init__(self) -> None:
        laws = tuple(self.laws) if isinstance(self.laws, list | tuple) else (self.laws,)
        for law in laws:
            if not isinstance(law, Law) or getattr(law, "sampled", None) is not None:
                raise InputError(f"Together needs expression laws, got {law!r}")
        if not laws:
            raise InputError("Together needs at least one law")
        object.__setattr__(self, "laws", _fixed(laws))

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """States of all laws."""
        return tuple(name for law in self.laws for name in law.state_names(eom))

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """Their initial values."""
        return np.concatenate([np.zeros(0), *(law.initial_state(eom) for law in self.laws)])

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs and rates of the states."""
        total, rates, first = ca.SX.zeros(eom.nu), ca.SX(0, 1), 0
        for law in self.laws:
            n = len(law.state_names(eom))
            u, zdot = law.expression(eom, t, q, v, z[first : first + n] if n else ca.SX(0, 1), p)
            total, rates, first = total + u, ca.vertcat(rates, zdot), first + n
        return total, rates
