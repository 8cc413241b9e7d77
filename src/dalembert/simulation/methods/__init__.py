"""How a run is integrated in time: methods as objects, each with its own settings, in one table.

`METHODS` is that table. The class of a method declares its properties: its Butcher tableau if it is an explicit
Runge-Kutta method, whether it chooses its steps, the constraint or contact method that comes with it, and the outlets
(`OUTLETS`) that can run it. All functions that run a machine use this table, so that a new method works wherever its
kind of method works, and is refused by name elsewhere.
"""

from __future__ import annotations

from dalembert.simulation.methods.base import (
    METHOD_SETTINGS,
    METHODS,
    OUTLETS,
    TABLEAUS,
    AdaptiveMethod,
    FixedStepMethod,
    Method,
    register_method,
)
from dalembert.simulation.methods.choice import (
    agree,
    check_method_setting,
    check_outlet,
    integration_method,
    revised_method,
)
from dalembert.simulation.methods.explicit import RK4, BogackiShampine, DormandPrince, DormandPrince8, Euler, Heun
from dalembert.simulation.methods.implicit import (
    AdaptiveMidpoint,
    AlphaSteps,
    Cvodes,
    IdasSteps,
    ImplicitMidpoint,
    MoreauSteps,
    Radau,
)

__all__ = [
    "METHODS",
    "METHOD_SETTINGS",
    "OUTLETS",
    "RK4",
    "TABLEAUS",
    "AdaptiveMethod",
    "AdaptiveMidpoint",
    "AlphaSteps",
    "BogackiShampine",
    "Cvodes",
    "DormandPrince",
    "DormandPrince8",
    "Euler",
    "FixedStepMethod",
    "Heun",
    "IdasSteps",
    "ImplicitMidpoint",
    "Method",
    "MoreauSteps",
    "Radau",
    "agree",
    "check_method_setting",
    "check_outlet",
    "integration_method",
    "register_method",
    "revised_method",
]
