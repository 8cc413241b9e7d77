"""Control laws of driven joints: PD, PID, computed torque, gravity compensation.

Each law computes forces at the joints and hands each motor its share ``tau / n``. Gains are given per motor or once
for all, in order or by name (``{motor: value}``). A reference is a vector of joint positions, a function of time on
CasADi symbols that returns one (its velocity and acceleration follow by differentiation), or one of these per motor by
name. It may also be an object whose ``motion(t)`` gives positions, velocities and accelerations, such as `Follow`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.control.allocation import base_wheels
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.labels import as_numbers, by_name
from dalembert.core.parameter import Expression as ParameterExpression
from dalembert.core.parameter import Scalar, parameters_of
from dalembert.core.types import Array, Expression
from dalembert.formulations.actuation import actuator_efforts
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.formulations.factorization import solve_spd

__all__ = ["PD", "PID", "ComputedTorque", "GravityCompensation", "driven_response", "machine_state"]


class Motion(Protocol):
    """A reference with rates."""

    def motion(self, t: Expression) -> tuple[Expression, Expression, Expression]:
        """Positions, velocities and accelerations as expressions."""


Reference = ArrayLike | Callable[[Expression], Any] | Mapping[str, Any] | Motion


def machine_state(
    eom: EquationsOfMotion, q: Expression, v: Expression, p: Expression
) -> tuple[EquationsOfMotion, Expression, Expression]:
    """Equations in the machine's own coordinates and the state in them, for the laws of joints.

    Parameters
    ----------
    eom
        The equations of the loop.
    q, v, p
        Symbols of its state and of the parameters.
    """
    if eom.formulation.machine_coordinates:
        return eom, q, v
    s = eom.symbolic
    return derive(eom.machine, backend=eom.backend), *ca.Function("own", [s.q, s.v, s.p], [*s.to_machine])(q, v, p)


def _driven(eom: EquationsOfMotion, law: str, *, thrusters: bool = False) -> tuple[list[int], list[int], Expression]:
    """Rows of ``q`` and ``v`` that the motors drive, and their gear ratios; ``thrusters``: whether there may be any."""
    if eom.machine.thrusters and not thrusters:
        names = ", ".join(x.name for x in eom.machine.thrusters)
        raise InputError(
            f"{law} drives joints only, but machine '{eom.machine.name}' has the thrusters {names}; leave them out "
            "(machine.with_(thrusters=())), or write your own law"
        )
    blocks = {b.name: b for b in eom.layout.blocks}
    rows_q, rows_v, ratios = [], [], []
    for motor in eom.machine.motors:
        if motor.joint not in blocks:
            raise InputError(
                f"{law}: motor '{motor.name}' drives '{motor.joint}', which is not a coordinate of the equations"
            )
        rows_q.append(blocks[motor.joint].q.start)
        rows_v.append(blocks[motor.joint].v.start)
        ratios.append(eom.symbolic.value(motor.ratio))
    if len(set(rows_v)) != len(rows_v):
        raise InputError(f"{law}: two motors drive one joint; give one law per joint")
    return rows_q, rows_v, ca.vertcat(*ratios)


def _thrusters_off(eom: EquationsOfMotion, u: Expression) -> Expression:
    """Inputs from those of the motors."""
    return ca.vertcat(u, ca.SX.zeros(len(eom.machine.thrusters)))


def _motors(eom: EquationsOfMotion) -> tuple[str, ...]:
    """Names of the motors, in their order."""
    return tuple(motor.name for motor in eom.machine.motors)


def _without_wheels(eom: EquationsOfMotion, reference: Reference, t: Expression) -> tuple[str, ...]:
    """Motors that a reference is for: all of them, or those that are no reaction wheels, if it has one value each."""
    motors, free = _motors(eom), [b.name for b in eom.layout.blocks if b.kind == "free"]
    wheels = base_wheels(eom.machine, free[0]) if len(free) == 1 else ()
    others = tuple(name for name in motors if name not in wheels)
    if not wheels:
        return motors
    if isinstance(reference, Mapping):
        return others if set(reference) <= set(others) else motors
    if hasattr(reference, "motion"):
        size = int(reference.motion(t)[0].shape[0])
    elif callable(reference):
        try:
            value = reference(t)
            size = len(value) if isinstance(value, list | tuple) else int(ca.SX(value).shape[0])
        except Exception:  # the law itself reports it
            return motors
    else:
        size = int(np.size(np.asarray(reference, dtype=object)))
    return others if size == len(others) else motors


class _Named(Mapping[str, object]):
    """Values by name: a mapping that cannot change, and so may be a part of a law."""

    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = {str(name): _fixed(value) for name, value in values.items()}

    def __getitem__(self, name: str) -> object:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(frozenset(self._values.items()))

    def __repr__(self) -> str:
        return repr(self._values)


def _in_order(value: _Named, motors: Sequence[str], what: str) -> list[Any]:
    """Values of all motors, in their order."""
    by_name = dict(value)
    for name in by_name:
        if name not in motors:
            raise UnknownNameError(f"motor in {what}", name, motors)
    missing = [name for name in motors if name not in by_name]
    if missing:
        raise InputError(f"{what} by name needs all motors; there is none for {', '.join(missing)}")
    return [by_name[name] for name in motors]


def _gain(
    value: ArrayLike | _Named,
    motors: int | Sequence[str],
    name: str,
    *,
    signed: bool = False,
    at: tuple[EquationsOfMotion, Expression] | None = None,
) -> Expression | ca.DM:
    """Gains in the order of the motors (their names, or how many there are).

    With ``at``, equations and the symbols of their parameters, gains may be parameters and expressions of them.
    """
    motors = motors if isinstance(motors, Sequence) else int(motors)  # any integer, of NumPy too
    n = motors if isinstance(motors, int) else len(motors)
    if isinstance(value, _Named):
        if isinstance(motors, int):
            raise InputError(f"{name} is one number and has no motors, got {dict(value)!r}")
        value = _in_order(value, motors, name)
    listed: list[Any] = list(value) if isinstance(value, list | tuple) else [value] * n
    if any(isinstance(x, ParameterExpression) for x in listed):
        return _parametric(listed, n, name, at)
    try:
        array = as_numbers(value)
        array = np.broadcast_to(array, (n,))
    except (TypeError, ValueError):
        raise InputError(f"{name} must be one number or {n} numbers (one per motor), got {value!r}") from None
    if not np.isfinite(array).all() or (not signed and (array < 0).any()):
        raise InputError(f"{name} must be finite{'' if signed else ' and not negative'}, got {value!r}")
    return ca.DM(array)


def _parametric(values: list[Scalar], n: int, name: str, at: tuple[EquationsOfMotion, Expression] | None) -> Expression:
    """Gains that are parameters of the machine, as expressions of their symbols."""
    if at is None:
        raise InputError(f"{name} must be numbers here, got {values!r}")
    eom, p = at
    if len(values) != n:
        raise InputError(f"{name} must be one value or {n} (one per motor), got {len(values)}")
    for parameter in (q for x in values for q in parameters_of(x)):
        if parameter.name not in eom.p_names:
            raise InputError(
                f"{name} uses the parameter '{parameter.name}', which machine '{eom.machine.name}' does not have: "
                "name it among the machine's gains, Machine(..., gains=[...])"
            )
    s = eom.symbolic
    return ca.Function("gain", [s.p], [ca.vertcat(*(s.value(x) for x in values))])(p)


def _reference(
    reference: Reference | _Named, t: Expression, motors: int | Sequence[str], law: str
) -> tuple[Expression, Expression, Expression]:
    """Position, velocity and acceleration of a reference."""
    motors = motors if isinstance(motors, Sequence) else int(motors)  # any integer, of NumPy too
    n = motors if isinstance(motors, int) else len(motors)
    if isinstance(reference, _Named):
        if isinstance(motors, int):
            raise InputError(f"{law}: a reference of all coordinates is given in order, not by the names of motors")
        references = _in_order(reference, motors, f"the reference of {law}")
        columns = [_reference(one, t, 1, law) for one in references]
        r, rd, rdd = (ca.vertcat(*x) for x in zip(*columns, strict=True))
        return r, rd, rdd
    if hasattr(reference, "motion"):
        r, rd, rdd = reference.motion(t)
        for name, x in (("positions", r), ("velocities", rd), ("accelerations", rdd)):
            if x.shape != (n, 1):
                raise InputError(f"{law}: reference must have {n} {name} (one per motor), got {x.shape[0]}")
        return r, rd, rdd
    if callable(reference):
        try:
            r = reference(t)
            r = ca.SX(ca.vertcat(*r) if isinstance(r, list | tuple) else r)
        except Exception as error:
            reason = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
            raise InputError(f"{law}: the reference fails on a CasADi symbol of time: {reason}") from error
    else:
        try:
            r = ca.SX(ca.DM(np.atleast_1d(as_numbers(reference))))
        except (TypeError, ValueError):
            raise InputError(f"{law}: reference must be {n} numbers or a function of time, got {reference!r}") from None
    if r.is_constant() and not np.isfinite(ca.DM(r).full()).all():
        raise InputError(
            f"{law}: reference must be finite, got {r}; a function of time computes on CasADi symbols (casadi.sin, not "
            "math.sin)"
        )
    if r.shape != (n, 1):
        raise InputError(f"{law}: reference must have {n} components (one per motor), got {r.shape[0]}")
    rd = ca.jacobian(r, t)
    return r, rd, ca.jacobian(rd, t)


def _fixed(value: Any) -> Any:
    """Arrays and lists as tuples, mappings as pairs: a law is a value, and its closed loop may be kept."""
    value = by_name(value, "a setting of a law")
    if isinstance(value, Mapping):
        return _Named(value)
    if isinstance(value, np.ndarray | list | tuple):
        return tuple(_fixed(x) for x in (value.tolist() if isinstance(value, np.ndarray) else value))
    return value


class _Value:
    """A law whose fields cannot change."""

    units: ClassVar[Mapping[str, str]] = {}
    """SI units of its numbers, by field; ``{q}`` and ``{f}``: of coordinate and force of the joint of a motor."""

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            object.__setattr__(self, field.name, _fixed(getattr(self, field.name)))


class _Stateless(_Value):
    """A law without internal states."""

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """No internal states."""
        return ()

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """No internal states."""
        return np.zeros(0)


def _gravity_force(eom: EquationsOfMotion, q: Expression, p: Expression) -> Expression:
    s = eom.symbolic
    return ca.Function("g", [s.q, s.p], [ca.densify(s.gravity)])(q, p)


def driven_response(
    eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, p: Expression
) -> tuple[Expression, Expression]:
    """Accelerations ``b`` of the driven joints without motor forces, and their response ``G = M_bar^-1`` to them.

    Expressions of ``q_a'' = b + G tau``; losses and wrenches are part of ``b``.

    Examples
    --------
    >>> import casadi as ca
    >>> import dalembert as da
    >>> from dalembert.systems.textbook import actuated_pendulum
    >>> eom = da.equations(actuated_pendulum())
    >>> t, p = ca.SX.sym("t"), ca.SX.sym("p", 0)
    >>> q, v = ca.SX.sym("q", 1), ca.SX.sym("v", 1)
    >>> b, G = driven_response(eom, t, q, v, p)
    >>> b.shape, G.shape
    ((1, 1), (1, 1))
    """
    s = eom.symbolic
    _, rows, _ = _driven(eom, "driven_response", thrusters=True)
    free = ca.Function("free", [s.q, s.v, s.t, s.p], [ca.densify(s.losses + s.wrenches)])(q, v, t, p)
    forward = ca.Function("forward", [s.q, s.v, s.tau, s.p], [ca.densify(s.forward_dynamics)])
    tau = ca.SX.sym("tau", eom.nv)
    acceleration = forward(q, v, tau, p)
    columns = []
    for row in rows:
        unit = ca.SX(eom.nv, 1)
        unit[row] = 1
        columns.append(ca.jtimes(acceleration, tau, ca.densify(unit))[rows])
    G = ca.substitute(ca.horzcat(*columns), tau, free)
    return ca.substitute(acceleration[rows], tau, free), (G + G.T) / 2


@dataclass(frozen=True)
class PD(_Stateless):
    """``tau = kp (r - q) + kd (r' - v)``, with gravity compensation on request; thrusters stay off.

    On a base with reaction wheels, a reference of all motors but the wheels leaves the wheels to another law.

    Parameters
    ----------
    kp, kd
        Gains per motor, on the joint side.
    reference
        Joint positions or a function of time.
    gravity
        Whether to add the gravity force of the configuration.

    Examples
    --------
    >>> import dalembert as da
    >>> arm = da.Machine(
    ...     "arm",
    ...     bodies=[da.rod("link", 1.0, 0.5, com=(0.25, 0, 0))],
    ...     joints=[da.Joint("q", "revolute", "world", "link", axis="y")],
    ...     motors=[da.Motor("q", "q", effort=20.0)],
    ... )
    >>> run = da.simulate(arm, duration=3.0, control=da.PD(kp=40.0, kd=8.0, reference=[0.5], gravity=True))
    >>> round(float(run["q"][-1]), 3)
    0.5
    """

    units: ClassVar[Mapping[str, str]] = {"kp": "{f}/{q}", "kd": "{f} s/{q}"}

    kp: ArrayLike
    kd: ArrayLike
    reference: Reference
    gravity: bool = False

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs as expressions."""
        eom, q, v = machine_state(eom, q, v, p)
        rows_q, rows_v, n = _driven(eom, "PD", thrusters=True)
        motors = _without_wheels(eom, self.reference, t)
        at = [_motors(eom).index(name) for name in motors]
        rows_q, rows_v = [rows_q[k] for k in at], [rows_v[k] for k in at]
        r, rd, _ = _reference(self.reference, t, motors, "PD")
        kp, kd = (_gain(x, motors, name, at=(eom, p)) for x, name in ((self.kp, "kp"), (self.kd, "kd")))
        tau = kp * (r - q[rows_q]) + kd * (rd - v[rows_v])
        if self.gravity:
            tau = tau + _gravity_force(eom, q, p)[rows_v]
        if len(at) == len(_motors(eom)):
            return _thrusters_off(eom, tau / n), ca.SX(0, 1)
        u = ca.SX.zeros(len(_motors(eom)))
        u[at] = tau / n[at]
        return _thrusters_off(eom, u), ca.SX(0, 1)


@dataclass(frozen=True)
class PID(_Value):
    """``tau = kp e + ki z + kd e'`` with ``z' = e + (sat(u) - u) n / (ki Tt)``: anti-windup by back-calculation.

    Parameters
    ----------
    kp, ki, kd
        Gains per motor, on the joint side.
    reference
        Joint positions or a function of time.
    tracking_time
        Time constant ``Tt`` [s] of the back-calculation while a motor saturates; None switches anti-windup off.
    gravity
        Whether to add the gravity force of the configuration.

    Examples
    --------
    >>> import dalembert as da
    >>> arm = da.Machine(
    ...     "arm",
    ...     bodies=[da.rod("link", 1.0, 0.5, com=(0.25, 0, 0))],
    ...     joints=[da.Joint("q", "revolute", "world", "link", axis="y")],
    ...     motors=[da.Motor("q", "q", effort=20.0)],
    ... )
    >>> run = da.simulate(arm, duration=6.0, control=da.PID(kp=40.0, ki=20.0, kd=8.0, reference=[0.5]))
    >>> bool(abs(run["q"][-1] - 0.5) < 0.01)
    True
    """

    units: ClassVar[Mapping[str, str]] = {**PD.units, "ki": "{f}/{q}/s", "tracking_time": "s"}

    kp: ArrayLike
    ki: ArrayLike
    kd: ArrayLike
    reference: Reference
    tracking_time: float | None = 0.1
    gravity: bool = False

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """One integrator per motor."""
        return tuple(f"integral.{name}" for name in eom.u_names[: len(eom.machine.motors)])

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """Integrators start empty."""
        return np.zeros(len(eom.machine.motors))

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs and integrator rates as expressions."""
        Tt = self.tracking_time
        if Tt is not None and not (isinstance(Tt, int | float) and 0 < Tt < np.inf):
            raise InputError(f"tracking_time of a PID must be > 0 or None, got {Tt!r}")
        eom, q, v = machine_state(eom, q, v, p)
        rows_q, rows_v, n = _driven(eom, "PID", thrusters=True)
        r, rd, _ = _reference(self.reference, t, _motors(eom), "PID")
        e, ki = r - q[rows_q], ca.SX(_gain(self.ki, _motors(eom), "ki", at=(eom, p)))
        kp, kd = (_gain(x, _motors(eom), name, at=(eom, p)) for x, name in ((self.kp, "kp"), (self.kd, "kd")))
        tau = kp * e + ki * z + kd * (rd - v[rows_v])
        if self.gravity:
            tau = tau + _gravity_force(eom, q, p)[rows_v]
        u = tau / n
        rates = []
        u, blocks = _thrusters_off(eom, u), {b.name: b for b in eom.layout.blocks}
        efforts = actuator_efforts(eom.machine, u, eom.symbolic.value, lambda joint: v[blocks[joint].v.start])
        for i, motor in enumerate(eom.machine.limited_motors):
            rate = e[i]
            if Tt is not None and np.isfinite(motor.effort) and not ki[i].is_zero():
                excess = efforts[i] - u[i]
                rate = rate + excess * n[i] / (ki[i] * Tt)
            rates.append(rate)
        return u, ca.vertcat(*rates)


@dataclass(frozen=True)
class GravityCompensation(_Stateless):
    """Motors carry the gravity force of the configuration, less damping on request.

    Parameters
    ----------
    damping
        Gain on the joint velocity.

    Examples
    --------
    >>> import dalembert as da
    >>> arm = da.Machine(
    ...     "arm",
    ...     bodies=[da.rod("link", 1.0, 0.5, com=(0.25, 0, 0))],
    ...     joints=[da.Joint("q", "revolute", "world", "link", axis="y")],
    ...     motors=[da.Motor("q", "q", effort=20.0)],
    ... )
    >>> run = da.simulate(arm, duration=1.0, q0=[0.3], control=da.GravityCompensation())
    >>> round(float(run["q"][-1]), 9)
    0.3
    """

    units: ClassVar[Mapping[str, str]] = {"damping": "{f} s/{q}"}

    damping: ArrayLike = 0.0

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs as expressions."""
        eom, q, v = machine_state(eom, q, v, p)
        _, rows_v, n = _driven(eom, "GravityCompensation", thrusters=True)
        tau = _gravity_force(eom, q, p)[rows_v] - _gain(self.damping, _motors(eom), "damping", at=(eom, p)) * v[rows_v]
        return _thrusters_off(eom, tau / n), ca.SX(0, 1)


@dataclass(frozen=True)
class ComputedTorque(_Stateless):
    """``tau = M (r'' + kd e' + kp e) + C v + dV/dq - losses``: the closed loop is ``e'' + kd e' + kp e = 0``.

    Needs a motor at every velocity, unless it is ``partial``: then the driven joints alone obey that equation, whatever
    the others do (a base that floats, flexible links), and thrusters stay off.

    Parameters
    ----------
    kp, kd
        Gains of the error equation [1/s2, 1/s].
    reference
        Joint positions or a function of time.
    partial
        Whether velocities without a motor may be left to themselves.

    Examples
    --------
    >>> import dalembert as da
    >>> arm = da.Machine(
    ...     "arm",
    ...     bodies=[da.rod("link", 1.0, 0.5, com=(0.25, 0, 0))],
    ...     joints=[da.Joint("q", "revolute", "world", "link", axis="y")],
    ...     motors=[da.Motor("q", "q", effort=20.0)],
    ... )
    >>> law = da.ComputedTorque(kp=100.0, kd=20.0, reference=da.Quintic([0.0], [0.5], duration=1.0))
    >>> round(float(da.simulate(arm, duration=1.5, control=law)["q"][-1]), 6)
    0.5
    """

    units: ClassVar[Mapping[str, str]] = {"kp": "1/s^2", "kd": "1/s"}

    kp: ArrayLike
    kd: ArrayLike
    reference: Reference
    partial: bool = False

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs as expressions."""
        eom, q, v = machine_state(eom, q, v, p)
        rows_q, rows_v, n = _driven(eom, "ComputedTorque", thrusters=self.partial)
        missing = [name for i, name in enumerate(eom.v_names) if i not in rows_v]
        if missing and not self.partial:
            raise InputError(
                f"ComputedTorque needs a motor at every velocity of machine '{eom.machine.name}'; "
                f"there is none at {', '.join(missing)}; partial=True leaves these uncontrolled"
            )
        r, rd, rdd = _reference(self.reference, t, _motors(eom), "ComputedTorque")
        e, ed = r - q[rows_q], rd - v[rows_v]
        kp, kd = (_gain(x, _motors(eom), name, at=(eom, p)) for x, name in ((self.kp, "kp"), (self.kd, "kd")))
        demand = rdd + kd * ed + kp * e
        if missing:
            b, G = driven_response(eom, t, q, v, p)
            return _thrusters_off(eom, solve_spd(G, demand - b) / n), ca.SX(0, 1)
        a = ca.SX(eom.nv, 1)
        a[rows_v] = demand
        s = eom.symbolic
        model = ca.Function("model", [s.q, s.v, s.a, s.p, s.t], [s.inverse_dynamics - s.losses - s.wrenches])
        return model(q, v, a, p, t)[rows_v] / n, ca.SX(0, 1)
