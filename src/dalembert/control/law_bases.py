"""The common parts of laws: references, gains by motor, driven joints, and laws as values.

Gains are given per motor or once for all, in order or by name (``{motor: value}``). A reference is a vector of joint
positions, a function of time on CasADi symbols that returns one (its velocity and acceleration follow by
differentiation), or one of these per motor by name. It may also be an object whose ``motion(t)`` gives positions,
velocities and accelerations, such as `Follow`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, Protocol

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.control.rotors import base_gyros, base_wheels
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.labels import as_numbers, by_name
from dalembert.core.parameter import Expression as ParameterExpression
from dalembert.core.parameter import Scalar, parameters_of
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import EquationsOfMotion, derive

__all__ = ["Motion", "Reference", "Stateless", "driven_response", "machine_state"]


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
    """Motors that a reference is for: all of them, or those of no wheels and gyros, if it has one value each."""
    motors, free = _motors(eom), [b.name for b in eom.layout.blocks if b.kind == "free"]
    wheels = [name for base in free for found in (base_wheels, base_gyros) for name in found(eom.machine, base)]
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


def _called(reference: Callable[[Expression], Any], t: Expression, law: str) -> Expression:
    """A reference that is a function, at a symbol of time."""
    try:
        r = reference(t)
        return ca.SX(ca.vertcat(*r) if isinstance(r, list | tuple) else r)
    except Exception as error:
        reason = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
        raise InputError(f"{law}: the reference fails on a CasADi symbol of time: {reason}") from error


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
        r = _called(reference, t, law)
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


class Stateless:
    """A law without internal states."""

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """No internal states."""
        return ()

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """No internal states."""
        return np.zeros(0)


class _Stateless(Stateless, _Value):
    """A law without internal states whose fields cannot change."""


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
