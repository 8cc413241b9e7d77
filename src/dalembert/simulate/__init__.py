"""Integration over time: Runge-Kutta steppers, SUNDIALS, events, sampled control, runs.

This room sees functions and sizes (`Problem`), never bodies.

The verb `dalembert.simulate` has the name of this room. Import from the room by ``from dalembert.simulate.run import
Run``; ``import dalembert.simulate.run as r`` looks for ``run`` in the verb and fails.
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
