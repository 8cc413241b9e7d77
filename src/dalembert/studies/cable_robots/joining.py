"""CDPR 3.3.5: a platform on four cables goes down, joins a payload and lifts it.

Not printed, chosen here: the reference (z from 1.5 m to 0.5 m by a quintic in 10 s, lift to 1.5 m from 12 s to 18 s)
and the gains of the winches. The payload waits at the origin and joins at 11 s, as printed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np

from dalembert.analysis.cables.statics import structure_matrix
from dalembert.analysis.cables.tensions import platform_load
from dalembert.api import simulate
from dalembert.formulations.equations import derive
from dalembert.loop.switching import Switch
from dalembert.simulation.run import Run
from dalembert.systems.cable_robots import WinchPID, joining_robot, winch_reference

__all__ = ["PICK", "joining_law", "joining_run"]

PICK = 11.0
_DOWN, _UP = 0.5, 1.5


def _height(t: Any) -> Any:
    def blend(x: Any) -> Any:
        s = ca.fmin(ca.fmax(x, 0), 1)
        return s**3 * (10 - 15 * s + 6 * s**2)

    return _UP + (_DOWN - _UP) * (blend(t / 10.0) - blend((t - 12.0) / 6.0))


def joining_law() -> WinchPID:
    """PID at the winches along the vertical path, with the torques that hold the platform at the start."""
    machine = joining_robot()
    names = list(machine.q_names)

    def path(t: Any) -> Any:
        q = ca.SX(ca.DM(machine.q_neutral))
        q[names.index("platform.z")] = _height(t)
        return q

    def first(t: Any) -> Any:
        return ca.DM(np.array(ca.evalf(path(ca.SX(0.0))).full())) if isinstance(t, ca.DM) else path(t)

    q = machine.q_neutral.copy()
    q[names.index("platform.z")] = _UP
    f = np.linalg.lstsq(structure_matrix(machine, q), platform_load(machine, q), rcond=None)[0]
    return WinchPID(20.0, 20.0, 1.0, winch_reference(machine, first), tuple(float(-0.03 * x) for x in f))


@lru_cache(maxsize=4)
def joining_run(by: str = "natural", **options: Any) -> Run:
    """Run of 20 s with the pick at 11 s."""
    machine = joining_robot()
    settings: dict[str, Any] = {"method": "rk4", "step": 1e-3, "record": 1e-2} | options
    pick = Switch(at=PICK, on=("grip",), off=("floor",))
    q0 = {"platform.z": _UP}
    return simulate(derive(machine, by), duration=20.0, q0=q0, control=joining_law(), switches=(pick,), **settings)
