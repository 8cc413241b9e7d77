"""CDPR 5.3: a moving exit point turns the platform over, with cables of given length and with winches.

Not printed, chosen here: the profiles of the motors. Both lengths are constant; with winches, PID control keeps them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np

from dalembert.analysis.cables.statics import static_equilibrium
from dalembert.api import simulate
from dalembert.core.types import Expression
from dalembert.engine.methods.constraints import Penalty
from dalembert.formulations.equations import derive
from dalembert.loop.events import Event
from dalembert.simulation.run import Run
from dalembert.systems.cable_robots import WinchPID, gimbal_lock, overturning_robot

__all__ = ["PAPER_PENALTY", "euler_run", "overturning_run", "start_pose", "winch_inertia_error", "winch_run"]

PAPER_PENALTY = Penalty(penalty=1e8, damping=1.0, omega=100.0)
"""Penalty formulation (21) with the printed parameters."""

_LENGTHS = (1.666913, 1.666913, 0.6)
_RADIUS, _INERTIA = 0.03, 8.5e-5


@lru_cache(maxsize=1)
def start_pose() -> tuple[float, ...]:
    """Configuration of the static equilibrium at t = 0."""
    return tuple(_rest().q)


@lru_cache(maxsize=1)
def _rest() -> Any:
    machine = overturning_robot()
    guess = machine.q_neutral
    guess[:3] = (0.41, 1.0, 0.6)
    return static_equilibrium(machine, _LENGTHS, guess)


def _upright(t: Expression, q: Expression, v: Expression) -> Expression:
    """First component of the platform's x axis in natural coordinates: zero at a pitch of -90 degrees."""
    return q[3] - q[0]


@lru_cache(maxsize=4)
def overturning_run(bilateral: bool = True, **options: Any) -> Run:
    """Run of 14 s in natural coordinates from the static equilibrium."""
    eom = derive(overturning_robot(bilateral=bilateral), "natural")
    settings: dict[str, Any] = {"method": "rk4", "step": 1e-3, "record": 1e-2} | options
    overturn = Event("overturn", _upright)
    return simulate(eom, duration=14.0, q0=list(start_pose()), events=(overturn,), **settings)


@lru_cache(maxsize=2)
def winch_run(**options: Any) -> Run:
    """The same with winches, CDPR (27): PID control holds the drums, the torques of the start being known."""
    machine = overturning_robot(winches=True)
    torques = tuple(float(-_RADIUS * f) for f in _rest().tensions[:2])
    law = WinchPID(20.0, 20.0, 1.0, lambda t: ca.SX.zeros(2, 1), torques)
    settings: dict[str, Any] = {"method": "rk4", "step": 1e-4, "record": 1e-2, "constraints": PAPER_PENALTY} | options
    q0 = dict(zip(overturning_robot().q_names, start_pose(), strict=True))
    overturn = Event("overturn", _upright)
    return simulate(derive(machine, "natural"), duration=14.0, q0=q0, control=law, events=(overturn,), **settings)


def winch_inertia_error() -> float:
    """Largest difference of the mass matrix from (27): that of the platform, and J_m of each motor, in blocks."""
    alone, coiled = (derive(overturning_robot(winches=w), "natural", backend="vm") for w in (False, True))
    pose = np.array(start_pose())
    M_ee = alone.mass_matrix(alone.from_machine(pose, np.zeros(6))[0])
    M = coiled.mass_matrix(coiled.from_machine([*pose, 0.0, 0.0], np.zeros(8))[0])
    blocks = np.block([[M_ee, np.zeros((12, 2))], [np.zeros((2, 12)), _INERTIA * np.eye(2)]])
    return float(np.abs(M - blocks).max())


@lru_cache(maxsize=2)
def euler_run(**options: Any) -> Run:
    """The platform in Z-Y-X angles (CDPR 3.2), stopped by name where they are singular."""
    machine = overturning_robot(mount="euler")
    x, y, z, w, _, pitch, _ = start_pose()
    q0 = {"x": x, "y": y, "z": z, "beta": 2.0 * float(np.arctan2(pitch, w))}
    settings: dict[str, Any] = {"method": "rk4", "step": 1e-3, "record": 1e-2, "events": (gimbal_lock(machine),)}
    return simulate(machine, duration=14.0, q0=q0, **settings | options)
