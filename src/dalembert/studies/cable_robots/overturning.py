"""CDPR 5.3: a moving exit point turns the platform over."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from dalembert.analysis.cables.statics import static_equilibrium
from dalembert.api import simulate
from dalembert.formulations.equations import derive
from dalembert.loop.closed_loop import Event
from dalembert.simulation.constrained.methods import Penalty
from dalembert.simulation.run import Run
from dalembert.systems.cable_robots import overturning_robot

__all__ = ["PAPER_PENALTY", "overturning_run", "start_pose"]

PAPER_PENALTY = Penalty(penalty=1e8, damping=1.0, frequency=100.0)
"""Penalty formulation (21) with the printed parameters."""

_LENGTHS = (1.666913, 1.666913, 0.6)


@lru_cache(maxsize=1)
def start_pose() -> tuple[float, ...]:
    """Configuration of the static equilibrium at t = 0."""
    machine = overturning_robot()
    guess = machine.q_neutral
    guess[:3] = (0.41, 1.0, 0.6)
    return tuple(static_equilibrium(machine, _LENGTHS, guess).q)


def _upright(t: Any, q: Any, v: Any) -> Any:
    """First component of the platform's x axis in natural coordinates: zero at a pitch of -90 degrees."""
    return q[3] - q[0]


@lru_cache(maxsize=4)
def overturning_run(bilateral: bool = True, **options: Any) -> Run:
    """Run of 14 s in natural coordinates from the static equilibrium."""
    eom = derive(overturning_robot(bilateral=bilateral), "natural")
    settings: dict[str, Any] = {"method": "rk4", "step": 1e-3, "record": 1e-2} | options
    overturn = Event("overturn", _upright)
    return simulate(eom, duration=14.0, q0=list(start_pose()), events=(overturn,), **settings)
