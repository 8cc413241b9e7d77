"""Integration over time: Runge-Kutta steppers, SUNDIALS, events, sampled control, runs.

This room sees functions and sizes (`Problem`), never bodies.
"""

from __future__ import annotations

from dalembert.engine.methods.constraints import (
    AugmentedLagrangian,
    Baumgarte,
    ConstraintMethod,
    GeneralizedAlpha,
    Idas,
    Penalty,
    Projection,
    UdwadiaKalaba,
)
from dalembert.engine.methods.contacts import ContactMethod, EventDriven, TimeStepping
from dalembert.engine.methods.tableaus import Tableau, explicit_tableau
from dalembert.engine.problem.problem import EventSpec, Problem
from dalembert.simulation.energy import EnergyAudit
from dalembert.simulation.integrate import integrate
from dalembert.simulation.methods import (
    METHODS,
    RK4,
    TABLEAUS,
    AdaptiveMethod,
    AdaptiveMidpoint,
    BogackiShampine,
    Cvodes,
    DormandPrince,
    DormandPrince8,
    Euler,
    FixedStepMethod,
    Heun,
    ImplicitMidpoint,
    Method,
    Radau,
    register_method,
)
from dalembert.simulation.rollout.result import Rollout
from dalembert.simulation.run import EndState, EventRecord, Run
from dalembert.simulation.settings import Settings

__all__ = [
    "METHODS",
    "RK4",
    "TABLEAUS",
    "AdaptiveMethod",
    "AdaptiveMidpoint",
    "AugmentedLagrangian",
    "Baumgarte",
    "BogackiShampine",
    "ConstraintMethod",
    "ContactMethod",
    "Cvodes",
    "DormandPrince",
    "DormandPrince8",
    "EndState",
    "EnergyAudit",
    "Euler",
    "EventDriven",
    "EventRecord",
    "EventSpec",
    "FixedStepMethod",
    "GeneralizedAlpha",
    "Heun",
    "Idas",
    "ImplicitMidpoint",
    "Method",
    "Penalty",
    "Problem",
    "Projection",
    "Radau",
    "Rollout",
    "Run",
    "Settings",
    "Tableau",
    "TimeStepping",
    "UdwadiaKalaba",
    "explicit_tableau",
    "integrate",
    "register_method",
]
