"""CDPR 5.1 against 5.2: an exit point that a carriage carries, beside one whose motion is prescribed.

The paper calls the prescribed motion reasonable "in the presence of small inertia ratio or in the presence of
effective controllers". Here both are numbers: the carriage is driven along the printed path by its own acceleration,
its weight and a critically damped feedback of a given bandwidth, independent of the cable that pulls at it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np

from dalembert.api import simulate
from dalembert.control.law_bases import machine_state
from dalembert.core.parameter import TIME, evaluate, nominal
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.simulation.run import Run
from dalembert.studies.cable_robots.overturning import start_pose
from dalembert.systems.cable_robots import overturning_robot
from dalembert.systems.cable_robots.robots import overturning_exit

__all__ = ["UNTIL", "CarriageDrive", "deviation", "exit_run"]

UNTIL = 7.0
"""End of the comparison [s]: before the platform turns over, after which small differences grow."""


@dataclass(frozen=True)
class CarriageDrive:
    """Forces that take the carriage along the path: ``m (r'' + 2 w e' + w^2 e)``, and its weight.

    Parameters
    ----------
    mass
        Mass of the carriage.
    bandwidth
        ``w`` [rad/s].
    """

    mass: float
    bandwidth: float

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """It has none."""
        return ()

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """It has none."""
        return np.zeros(0)

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Forces as expressions."""
        eom, q, v = machine_state(eom, q, v, p)
        names = ("drive_x", "drive_z")
        x = ca.vertcat(*[q[eom.q_names.index(name)] for name in names])
        rate = ca.vertcat(*[v[eom.v_names.index(f"{name}_dot")] for name in names])
        path, start = overturning_exit(TIME), overturning_exit(0.0)
        r = ca.vertcat(*[evaluate(path[k], {}, t) - nominal(start[k]) for k in (0, 2)])
        r_dot = ca.jacobian(r, t)
        w = self.bandwidth
        demand = ca.jacobian(r_dot, t) + 2 * w * (r_dot - rate) + w**2 * (r - x) + ca.DM([0.0, 9.81])
        return self.mass * demand, ca.SX(0, 1)


@lru_cache(maxsize=8)
def exit_run(ratio: float | None = None, bandwidth: float = 20.0, duration: float = UNTIL) -> Run:
    """Run with a carriage, ``ratio`` being the platform's mass over the carriage's; None: the prescribed exit."""
    carriage = None if ratio is None else 2.1 / ratio
    law = None if carriage is None else CarriageDrive(carriage, bandwidth)
    q0 = dict(zip(overturning_robot().q_names, start_pose(), strict=True))
    settings: dict[str, Any] = {"method": "rk4", "step": 1e-3, "record": 1e-2}
    return simulate(derive(overturning_robot(carriage=carriage)), duration=duration, q0=q0, control=law, **settings)


def deviation(ratio: float, bandwidth: float = 20.0) -> float:
    """Largest distance of the platform from where the prescribed exit takes it [m]."""
    prescribed, driven = exit_run(), exit_run(ratio, bandwidth)
    gaps = [driven[f"platform.{c}"] - prescribed[f"platform.{c}"] for c in "xyz"]
    return float(np.linalg.norm(gaps, axis=0).max())
