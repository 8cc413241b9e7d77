"""Control of winches: PID on their angles, references from a path of the platform."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert.control.law_bases import machine_state
from dalembert.core.errors import InputError
from dalembert.core.parameter import nominal
from dalembert.core.types import Array, Expression, ExpressionLike
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.model.machine import Machine

__all__ = ["WinchPID", "winch_reference"]


@dataclass(frozen=True)
class WinchPID:
    """Independent PID controllers at the winches with feedforward torques.

    ``u = u_0 + kp e + ki z + kd e'``, ``z' = e``, ``e = reference - theta``.

    Parameters
    ----------
    kp, ki, kd
        Gains [N m/rad, N m/(rad s), N m s/rad], the same for all winches.
    reference
        Angles as a function of time, on CasADi symbols.
    feedforward
        Torques that hold the platform: numbers, or a function of time on CasADi symbols.
    """

    kp: float
    ki: float
    kd: float
    reference: Callable[[Expression], Expression]
    feedforward: tuple[float, ...] | Callable[[Expression], Expression] = ()

    def __post_init__(self) -> None:
        for name in ("kp", "ki", "kd"):
            gain = getattr(self, name)
            if not (isinstance(gain, int | float) and np.isfinite(gain) and gain >= 0.0):
                raise InputError(f"WinchPID: {name} must be a finite number >= 0, got {gain!r}")
        if not callable(self.reference):
            raise InputError(f"WinchPID: reference must be a function of time, got {self.reference!r}")
        if callable(self.feedforward):
            return
        object.__setattr__(self, "feedforward", tuple(float(u) for u in self.feedforward))
        if not np.isfinite(self.feedforward).all():
            raise InputError(f"WinchPID: feedforward must be finite numbers, got {self.feedforward}")

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """One integrator per winch."""
        return tuple(f"integral.{name}" for name in eom.u_names)

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """Integrators start empty."""
        return np.zeros(eom.nu)

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs and integrator rates as expressions."""
        eom, q, v = machine_state(eom, q, v, p)
        blocks = {b.name: b for b in eom.layout.blocks}
        for motor in eom.machine.motors:
            if motor.joint not in blocks:
                raise InputError(f"WinchPID: motor '{motor.name}' drives '{motor.joint}', which is not a coordinate")
        rows = [(blocks[m.joint].q.start, blocks[m.joint].v.start) for m in eom.machine.motors]
        r = ca.SX(self.reference(t))
        if r.shape != (eom.nu, 1):
            raise InputError(f"WinchPID: reference must have {eom.nu} components, got {r.shape[0]}")
        feedforward = self.feedforward or (0.0,) * eom.nu
        u_0 = ca.SX(feedforward(t) if callable(feedforward) else ca.DM(list(feedforward)))
        if u_0.shape != (eom.nu, 1):
            raise InputError(f"WinchPID: feedforward must have {eom.nu} components, got {u_0.shape[0]}")
        rd = ca.jacobian(r, t)
        e = r - ca.vertcat(*[q[i] for i, _ in rows])
        ed = rd - ca.vertcat(*[v[j] for _, j in rows])
        return u_0 + self.kp * e + self.ki * z + self.kd * ed, e


def winch_reference(
    machine: Machine, path: Callable[[ExpressionLike], ExpressionLike], start: Array | None = None
) -> Callable[[Expression], Expression]:
    """Winch angles that take the platform along a path, as a function of time for a control law.

    Parameters
    ----------
    machine
        The robot.
    path
        Configuration of the machine (winch angles are ignored) as a function of time, on CasADi symbols.
    start
        Configuration in which cables of unknown length were measured; default ``path(0)``.
    """
    eom = derive(machine, backend="vm")
    s, system = eom.symbolic, eom.constraint_system
    coiled = [c for c in machine.cables if c.winch is not None]
    if not coiled:
        raise InputError(f"machine '{machine.name}' has no cables with winches")
    sample = ca.SX(path(ca.SX.sym("t")))
    if sample.shape != (eom.nq, 1):
        raise InputError(
            f"winch_reference: path must return the {eom.nq} coordinates {', '.join(eom.q_names)}, got {sample.numel()}"
        )
    L = ca.Function("L", [s.q], [ca.vertcat(*[system.paths[c.name].length for c in coiled])])
    first = ca.DM(path(ca.DM(0.0))) if start is None else ca.DM(start)
    measured = np.array(L(first).full())[:, 0]
    l_0 = [m if c.length is None else nominal(c.length) for c, m in zip(coiled, measured, strict=True)]
    r = ca.DM([nominal(c.drum) for c in coiled])

    def angles(t: Expression) -> Expression:
        return (L(ca.SX(path(t))) - ca.DM(l_0)) / r

    return angles
