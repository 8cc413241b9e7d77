"""The machine as controllers and estimators predict it: rates of its state, and steps with their derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.model.machine import Machine
from dalembert.optimal.attitudes import of_unit_norm

__all__ = ["PredictionModel", "check_rk4", "midpoint_tape", "padded", "prediction_model", "rk4_tape"]


@dataclass(frozen=True, eq=False)
class PredictionModel:
    """Equations of motion as ``x' = f(x, u, par, t)`` with ``x = (q, v)``.

    Parameters
    ----------
    eom
        The equations.
    free
        Names of the parameters that are inputs of it; the others have their nominal values.
    """

    eom: EquationsOfMotion
    free: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the states."""
        return (*self.eom.q_names, *self.eom.v_names)

    @property
    def nx(self) -> int:
        """Number of states."""
        return len(self.names)

    @cached_property
    def symbols(self) -> tuple[Any, Any, Any, Any]:
        """Symbols x, u, par, t."""
        return (
            ca.SX.sym("x", self.nx), ca.SX.sym("u", self.eom.nu), ca.SX.sym("par", len(self.free)), ca.SX.sym("t")
        )  # fmt: skip

    def at(self, expression: Expression) -> Expression:
        """Return an expression of the symbols of the equations as one of `symbols`."""
        s, (x, u, par, t) = self.eom.symbolic, self.symbols
        nominal = self.eom.parameter_values(None)
        p = [par[self.free.index(n)] if n in self.free else nominal[k] for k, n in enumerate(self.eom.p_names)]
        n = self.eom.nq
        old = ca.vertcat(s.q, s.v, s.u, s.t, s.p)
        q = of_unit_norm(self.eom, x[:n]) if self.eom.layout.quaternions else x[:n]
        new = ca.vertcat(q, x[n:], u, t, *p)
        return ca.densify(ca.substitute(ca.SX(expression), old, new))

    @cached_property
    def rate(self) -> ca.Function:
        """``x, u, par, t -> x'``."""
        s = self.eom.symbolic
        a = ca.substitute(s.forward_dynamics, s.tau, ca.densify(s.applied))
        return ca.Function("rate", list(self.symbols), [self.at(ca.vertcat(s.coordinate_rate, a))])

    @cached_property
    def motion(self) -> ca.Function:
        """``x, u, par, t, a -> M a + bias - applied``, which vanishes."""
        s, a = self.eom.symbolic, ca.SX.sym("a", self.eom.nv)
        force = self.at(ca.substitute(s.inverse_dynamics - ca.densify(s.applied), s.a, a))
        return ca.Function("motion", [*self.symbols, a], [force])

    def holding(self, x: Expression, par: Expression, t: Expression) -> Expression:
        """Inputs that hold the machine at rest at a state, as well as they can: of least norm where they are many."""
        u = ca.SX.sym("u", self.eom.nu)
        still = ca.vertcat(x[: self.eom.nq], ca.SX.zeros(self.eom.nv))
        force = self.motion(still, u, par, t, ca.SX.zeros(self.eom.nv))
        S = -ca.jacobian(force, u)
        zero = ca.substitute(force, u, ca.SX.zeros(self.eom.nu))
        wide = self.eom.nu > self.eom.nv
        N = S @ S.T if wide else S.T @ S
        N = N + 1e-14 * (1.0 + ca.trace(N)) * ca.SX.eye(N.shape[0])
        return S.T @ ca.solve(N, zero) if wide else ca.solve(N, S.T @ zero)


def prediction_model(
    what: Machine | EquationsOfMotion,
    free: Sequence[str],
    bounds: Mapping[str, tuple[float, float]],
    owner: str,
    *,
    attitudes: bool = False,
) -> PredictionModel:
    """Return the prediction model of a machine, or refuse it by name.

    Parameters
    ----------
    what
        The machine or its equations.
    free
        Names of parameters that are inputs of the model.
    bounds
        Bounds of inputs: motors that saturate need them, because the model leaves the saturation out.
    owner
        Whose it is, in messages.
    attitudes
        Whether joints with quaternions are allowed.
    """
    machine = what if isinstance(what, Machine) else what.machine
    if machine.constrained:
        raise InputError(
            f"{owner}: machine '{machine.name}' has constraints; describe it as a tree, in independent coordinates"
        )
    if machine.contacts:
        names = ", ".join(c.name for c in machine.contacts)
        raise InputError(f"{owner}: the prediction has no contacts, and machine '{machine.name}' has {names}")
    for name in free:
        if name not in (known := tuple(p.name for p in machine.parameters)):
            raise UnknownNameError("parameter", name, known, f"machine '{machine.name}'")
    motors = []
    for motor in machine.limited_motors:
        low, high = bounds.get(motor.name, (-np.inf, np.inf))
        if np.isfinite(motor.speed):
            raise InputError(
                f"{owner}: motor '{motor.name}' stops driving at its speed {motor.speed:g} inside the model, where the "
                f"prediction loses its gradient; bound the velocity of joint '{motor.joint}' in limits instead, and "
                "give the model a motor without a speed"
            )
        if np.isfinite(motor.effort) and not (-motor.effort <= low and high <= motor.effort):
            raise InputError(
                f"{owner}: motor '{motor.name}' saturates at {motor.effort:g} inside the model, where the prediction "
                f"loses its gradient; bound it instead: "
                f"limits={{'{motor.name}': ({-motor.effort:g}, {motor.effort:g})}}"
            )
        motors.append(replace(motor, effort=np.inf))
    thrusters = []
    for thruster in machine.thrusters:
        low, high = bounds.get(thruster.name, (-np.inf, np.inf))
        least = 0.0 if thruster.one_sided else -thruster.effort
        if (np.isfinite(thruster.effort) or thruster.one_sided) and not (least <= low and high <= thruster.effort):
            raise InputError(
                f"{owner}: thruster '{thruster.name}' saturates inside the model, where the prediction loses its "
                f"gradient; bound it instead: limits={{'{thruster.name}': ({least:g}, {thruster.effort:g})}}"
            )
        thrusters.append(replace(thruster, effort=np.inf, one_sided=False))
    joints = tuple(replace(j, limits=replace(j.limits, effort=np.inf)) for j in machine.joints)
    eom = derive(machine.with_(motors=tuple(motors), thrusters=tuple(thrusters), joints=joints))
    if eom.layout.quaternions and not attitudes:
        names = ", ".join(owner_name for owner_name, _ in eom.layout.quaternions)
        raise InputError(
            f"{owner}: joints with quaternions ({names}) are not supported; use joints with one coordinate each"
        )
    if not eom.nu:
        raise InputError(f"{owner}: machine '{machine.name}' has no motors or thrusters")
    return PredictionModel(eom, tuple(free))


def padded(n: int) -> int:
    """Length of a row of matrices of the engine."""
    return (n + 7) // 8 * 8


def rk4_tape(rate: ca.Function, h: float, steps: int = 1, *, inputs: Expression | None = None) -> ca.Function:
    """``x, u, par, t -> x+, [A B]`` of a Runge-Kutta step of fourth order, with rows of [A B] padded.

    The chain rule runs over the stages: the Jacobians of the rate are multiplied on the tape, which takes half the
    operations of the Jacobian of the whole step.

    Parameters
    ----------
    rate
        ``x, u, par, t -> x'``.
    h
        Length of the interval, in ``steps`` steps.
    steps
        Steps of the interval.
    inputs
        If not None: states behind those of the rate that take the inputs of this interval.
    """
    nx, nu, np_ = (rate.size1_in(k) for k in range(3))
    extra = 0 if inputs is None else nu
    x, u, par, t = (ca.SX.sym(n, k) for n, k in (("x", nx + extra), ("u", nu), ("par", np_), ("t", 1)))
    a, b = ca.SX.sym("a", nx), ca.SX.sym("b", nu)
    r = rate(a, b, par, t)
    D = ca.Function("D", [a, b, par, t], [r, ca.jacobian(r, a), ca.jacobian(r, b)])
    S = ca.horzcat(ca.SX.eye(nx), ca.SX(nx, extra), ca.SX(nx, nu))
    E = ca.horzcat(ca.SX(nu, nx + extra), ca.SX.eye(nu))
    y, d = x[:nx], h / steps
    for i in range(steps):
        total: Any = 0
        slope: Any = 0
        k: Any = None
        K: Any = None
        for part, weight in ((0.0, 1), (0.5, 2), (0.5, 2), (1.0, 1)):
            at = y if k is None else y + d * part * k
            Y = S if K is None else S + d * part * K
            k, A, B = D(at, u, par, t + (i + part) * d)
            K = A @ Y + B @ E
            total, slope = total + weight * k, slope + weight * K
        y, S = y + d / 6 * total, S + d / 6 * slope
    if extra:
        y, S = ca.vertcat(y, u), ca.vertcat(S, E)
    n = nx + extra
    S = ca.horzcat(S, ca.SX(n, padded(n + nu) - n - nu))
    return ca.Function("step", [x, u, par, t], [ca.densify(y), S], ["x", "u", "par", "t"], ["F", "BA"])


def midpoint_tape(model: PredictionModel, h: float, *, rates: bool = False) -> ca.Function:
    """``x, u, a, par, t -> [R_a R_z R]``: equations of motion at the midpoint of an interval and their derivatives.

    ``q_m = q + h/2 v + h^2/4 a``, ``v_m = v + h/2 a`` with the acceleration a of the interval as a further unknown.

    Parameters
    ----------
    model
        The model.
    h
        Length of the interval.
    rates
        Whether the state also has the inputs of the last interval.
    """
    n, nu = model.eom.nv, model.eom.nu
    x, u, par, t = (
        ca.SX.sym(k, m) for k, m in (("x", 2 * n + rates * nu), ("u", nu), ("par", len(model.free)), ("t", 1))
    )
    a = ca.SX.sym("a", n)
    q, v, m = ca.SX.sym("q", n), ca.SX.sym("v", n), ca.SX.sym("m", n)
    force = model.motion(ca.vertcat(q, v), u, par, t + h / 2, m)
    D = ca.Function("D", [q, v, m, u, par, t], [force, *(ca.jacobian(force, y) for y in (q, v, m, u))])
    R, Rq, Rv, Ra, Ru = D(x[:n] + h / 2 * x[n : 2 * n] + h * h / 4 * a, x[n : 2 * n] + h / 2 * a, a, u, par, t)
    E = ca.horzcat(
        Ra + h / 2 * Rv + h * h / 4 * Rq, Rq, h / 2 * Rq + Rv, ca.SX(n, rates * nu), Ru, ca.SX(R)
    )  # fmt: skip
    return ca.Function("step", [x, u, a, par, t], [E], ["x", "u", "a", "par", "t"], ["E"])


def check_rk4(model: PredictionModel, x: Array, u: Array, par: Array, h: float, owner: str) -> None:
    """Refuse a step beyond the stability limit of the Runge-Kutta method, naming the frequency.

    Parameters
    ----------
    model
        The model.
    x, u, par
        Where it is linearised.
    h
        Length of a step.
    owner
        Whose it is, in messages.
    """
    s = model.symbols
    A = ca.Function("A", list(s), [ca.jacobian(model.rate(*s), s[0])])(x, u, par, 0.0)
    J = np.array(A, dtype=float)
    if not np.isfinite(J).all():
        where = ", ".join(f"{name} = {value:g}" for name, value in zip(model.names, x, strict=True))
        raise InputError(f"{owner}: the equations of motion are not finite at {where}; give another reference or start")
    values = np.linalg.eigvals(J)
    stable = values[values.real <= 1e-6 * np.abs(values)]
    z = h * stable
    growth = np.abs(1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24)
    bad = (growth > 1.0 + 1e-6) & (np.abs(z) > 2.0)
    if bad.any():
        k = int(np.argmax(np.where(bad, np.abs(z), 0.0)))
        raise InputError(
            f"{owner}: RK4 with steps of {h:g} s is unstable at the machine's mode of "
            f"{abs(stable[k]) / (2 * np.pi):.4g} "
            f"Hz (h |lambda| = {abs(z[k]):.3g}, limit 2.8); use integrator='midpoint', more intervals or more steps"
        )
