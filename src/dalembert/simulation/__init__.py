"""Integration over time: Runge-Kutta steppers, SUNDIALS, events, sampled control, runs.

This room sees functions and sizes (`Problem`), never bodies.
"""

from __future__ import annotations

from dalembert.simulation.constrained.methods import (
    AugmentedLagrangian,
    Baumgarte,
    ConstraintMethod,
    GeneralizedAlpha,
    Idas,
    Penalty,
    Projection,
    UdwadiaKalaba,
)
from dalembert.simulation.contact.methods import ContactMethod, EventDriven, TimeStepping
from dalembert.simulation.energy import EnergyAudit
from dalembert.simulation.engines.integrators import METHODS
from dalembert.simulation.engines.tableaus import TABLEAUS, Tableau
from dalembert.simulation.integrate import integrate
from dalembert.simulation.problem import EventSpec, Problem
from dalembert.simulation.rollout.result import Rollout
from dalembert.simulation.run import EndState, EventRecord, Run
from dalembert.simulation.settings import Settings

__all__ = [
    "METHODS",
    "TABLEAUS",
    "AugmentedLagrangian",
    "Baumgarte",
    "ConstraintMethod",
    "ContactMethod",
    "EndState",
    "EnergyAudit",
    "EventDriven",
    "EventRecord",
    "EventSpec",
    "GeneralizedAlpha",
    "Idas",
    "Penalty",
    "Problem",
    "Projection",
    "Rollout",
    "Run",
    "Settings",
    "Tableau",
    "TimeStepping",
    "UdwadiaKalaba",
    "integrate",
]
