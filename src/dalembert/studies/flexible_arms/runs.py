"""The two runs of SPACE 5.2.6: free vibration of the planar arm, pick and place of the Canadarm."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert import EquationsOfMotion, Run, equations, simulate
from dalembert.core.types import Array, Expression
from dalembert.model.machine import Machine

__all__ = ["BENT", "PickAndPlace", "energy_error", "free_vibration", "pick_and_place"]

BENT = {"link2.delta1": 0.1, "link2.delta2": 0.002}
"""Deflection of the planar arm at the start of its free vibration."""


@dataclass(frozen=True)
class PickAndPlace:
    """Joint torques that would move the rigid machine along the cycloidal reference of 5.2.6.2.

    Every joint goes by ``angle (t/T - sin(2 pi t/T)/(2 pi))``; the modal coordinates are held at zero for the torques.
    """

    angle: float = 0.5
    duration: float = 10.0

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """No states."""
        return ()

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """No states."""
        return np.zeros(0)

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inverse dynamics at the reference."""
        s, T = eom.symbolic, self.duration
        x = ca.fmin(t / T, 1.0)
        theta = self.angle * (x - ca.sin(2 * np.pi * x) / (2 * np.pi))
        rate = self.angle / T * (1 - ca.cos(2 * np.pi * x))
        acceleration = self.angle / T**2 * 2 * np.pi * ca.sin(2 * np.pi * x)
        driven = [m.joint for m in eom.machine.motors]
        inverse = ca.Function("tau", [s.q, s.v, s.a, s.p], [s.inverse_dynamics])
        at = [ca.vertcat(*[y if n in driven else 0 for n in eom.q_names]) for y in (theta, rate, acceleration)]
        tau = inverse(*at, p)
        return ca.vertcat(*[tau[eom.q_names.index(name)] for name in driven]), ca.SX(0, 1)


def free_vibration(
    arm: Machine | EquationsOfMotion, approximation: str = "flex", duration: float = 4.0, step: float = 1e-3
) -> Run:
    """Planar arm released with a bent second link, without torques (5.2.6.2); equations have their model already.

    Examples
    --------
    >>> from dalembert.studies import energy_error, free_vibration
    >>> from dalembert.systems import load_system
    >>> run = free_vibration(load_system("planar-flexible-arm"), duration=0.1)
    >>> run.status, energy_error(run) < 1e-5
    ('completed', True)
    """
    eom = equations(arm, approximation=approximation) if isinstance(arm, Machine) else arm
    return simulate(eom, duration=duration, q0=BENT, step=step)


def pick_and_place(
    arm: Machine | EquationsOfMotion, approximation: str = "flex", duration: float = 10.0, step: float = 1e-3
) -> Run:
    """Canadarm driven by the torques of its rigid reference (5.2.6.2); equations have their model already.

    Examples
    --------
    >>> from dalembert.studies import pick_and_place
    >>> from dalembert.systems import load_system
    >>> pick_and_place(load_system("canadarm")).status  # doctest: +SKIP
    'completed'
    """
    eom = equations(arm, approximation=approximation) if isinstance(arm, Machine) else arm
    return simulate(eom, duration=duration, control=PickAndPlace(duration=duration), step=step, record=0.01)


def energy_error(run: Run) -> float:
    """RMS over time of ``(E - E_0 - W_input) / E_peak`` (5.2.6.3).

    Examples
    --------
    >>> from dalembert.studies import energy_error, free_vibration
    >>> from dalembert.systems import load_system
    >>> run = free_vibration(load_system("planar-flexible-arm"), duration=0.1)
    >>> energy_error(run) < 1e-5
    True
    """
    E = run["energy.kinetic"] + run["energy.potential"]
    error = (E - E[0] - (run["work.input"] - run["work.input"][0])) / np.abs(E).max()
    return float(np.sqrt(np.trapezoid(error**2, run.t) / (run.t[-1] - run.t[0])))
