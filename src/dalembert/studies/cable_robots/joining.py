"""CDPR 3.3.5: a platform on four cables goes down, joins a payload and lifts it.

Not printed, chosen here: the reference (z from 1.5 m to 0.5 m by a quintic in 10 s, lift to 1.5 m from 12 s to 18 s)
and the gains of the winches. The payload waits at the origin and joins at 11 s, as printed. Stiff gains take the
payload without a trace; with soft ones tensions and heights oscillate after the pick as in Figs. 6 and 7.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from dalembert.analysis.linearize import linearize
from dalembert.api import simulate
from dalembert.core.types import Expression, ExpressionLike
from dalembert.formulations.equations import derive
from dalembert.loop.switches import Switch
from dalembert.simulation.run import Run
from dalembert.systems.cable_robots import WinchPID, joining_robot, winch_reference

__all__ = ["PICK", "SOFT", "STIFF", "closed_loop_poles", "joining_law", "joining_run", "oscillation"]

PICK = 11.0
_DOWN, _UP, _DRUM = 0.5, 1.5, 0.03
_WINCHES = tuple(f"winch{k}" for k in range(1, 5))

STIFF = (20.0, 20.0, 1.0)
SOFT = (2.0, 0.3, 0.05)
"""Gains kp, ki, kd of the winches [N m/rad, N m/(rad s), N m s/rad]: well damped, and softer than the load."""


def _height(t: Expression, lift: bool) -> Expression:
    def blend(x: Expression) -> Expression:
        s = ca.fmin(ca.fmax(x, 0), 1)
        return s**3 * (10 - 15 * s + 6 * s**2)

    return _UP + (_DOWN - _UP) * (blend(t / 10.0) - lift * blend((t - 12.0) / 6.0))


def joining_law(gains: tuple[float, float, float] = STIFF, *, lift: bool = True) -> WinchPID:
    """PID at the winches along the vertical path, with the torques that hold the platform alone there."""
    machine = joining_robot()
    names = list(machine.q_names)

    def path(t: Expression) -> Expression:
        q = ca.SX(ca.DM(machine.q_neutral))
        q[names.index("platform.z")] = _height(t, lift)
        return q

    def first(t: ExpressionLike) -> ExpressionLike:
        return ca.DM(np.array(ca.evalf(path(ca.SX(0.0))).full())) if isinstance(t, ca.DM) else path(ca.SX(t))

    reference = winch_reference(machine, first)
    l_0 = float(np.linalg.norm([0.9, 0.9, 2.0 - _UP]))

    def holding(t: Expression) -> Expression:
        """A quarter of the platform's weight per cable, by the steepness (2 - z)/l; paying out is positive."""
        return -_DRUM * 62.8 * 9.81 / 4.0 * (l_0 + _DRUM * reference(t)) / (2.0 - _height(t, lift))

    return WinchPID(*gains, reference, holding)


@lru_cache(maxsize=8)
def joining_run(
    by: str = "natural", *, gains: tuple[float, float, float] = STIFF, lift: bool = True, **options: Any
) -> Run:
    """Run of 20 s with the pick at 11 s; without ``lift`` the platform stays where it has picked the payload."""
    machine = joining_robot()
    settings: dict[str, Any] = {"method": "rk4", "step": 1e-3, "record": 1e-2} | options
    pick = Switch(at=PICK, on=("grip",), off=("floor",))
    q0, law = {"platform.z": _UP}, joining_law(gains, lift=lift)
    return simulate(derive(machine, by), duration=20.0, q0=q0, control=law, switches=(pick,), **settings)


def closed_loop_poles(gains: tuple[float, float, float]) -> NDArray[np.complex128]:
    """Poles of platform, payload and winches under PID control, from the linear model at the pick."""
    outputs = [*_WINCHES, *(f"{name}_dot" for name in _WINCHES)]
    active = {"grip": True, "floor": False}
    plant = linearize(joining_robot(), {"platform.z": _DOWN}, active=active, outputs=outputs)
    A, B, C = (np.asarray(x) for x in (plant.A, plant.B, plant.C))
    angle, rate = np.split(C, 2)
    kp, ki, kd = gains
    closed = np.block([[A - B @ (kp * angle + kd * rate), ki * B], [-angle, np.zeros((4, 4))]])
    return np.asarray(np.linalg.eigvals(closed))


def oscillation(run: Run) -> complex:
    """Pole of the oscillation after the pick, from the recorded velocity alone (Prony: a pair and a real pole)."""
    first = int(np.flatnonzero(run.t == PICK)[-1])
    x, dt, n = run["platform.vz"][first:], run.t[-1] - run.t[-2], 3
    H = np.column_stack([x[k : len(x) - n + k] for k in range(n)])
    c = np.linalg.lstsq(H, -x[n:], rcond=None)[0]
    poles = np.log(np.roots([1.0, *c[::-1]]).astype(complex)) / dt
    return complex(poles[np.argmax(poles.imag)])
