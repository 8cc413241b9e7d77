"""Integration over time: Runge-Kutta steppers, SUNDIALS, events, sampled control, runs.

This room sees functions and sizes (`Problem`), never bodies.
"""

from __future__ import annotations

from dalembert.simulate.checks import METHODS
from dalembert.simulate.energy import EnergyAudit
from dalembert.simulate.integrate import integrate
from dalembert.simulate.problem import EventSpec, Problem
from dalembert.simulate.run import EndState, EventRecord, Run
from dalembert.simulate.tableaus import TABLEAUS, Tableau

__all__ = [
    "METHODS",
    "TABLEAUS",
    "EndState",
    "EnergyAudit",
    "EventRecord",
    "EventSpec",
    "Problem",
    "Run",
    "Tableau",
    "integrate",
]
