"""Control laws of driven joints: PD, PID, computed torque, gravity compensation.

Each law computes forces at the joints and hands each motor its share ``tau / n``. ``law_bases.py`` describes gains and
references.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.control.law_bases import (
    Reference,
    _driven,
    _gain,
    _gravity_force,
    _motors,
    _reference,
    _Stateless,
    _thrusters_off,
    _Value,
    _without_wheels,
    driven_response,
    machine_state,
)
from dalembert.core.errors import InputError
from dalembert.core.types import Array, Expression
from dalembert.formulations.actuation import actuator_efforts
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.formulations.factorization import solve_spd

__all__ = ["PD", "PID", "ComputedTorque", "GravityCompensation"]


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
