"""Optimal control of machines: costs and limits, predictive control, estimation, plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.core.later import later

if TYPE_CHECKING:
    from dalembert.optimal.cost import Cost
    from dalembert.optimal.follow import TrackingLQR, follow
    from dalembert.optimal.ipopt import Iterate
    from dalembert.optimal.limits import QuantityBound, bounds_of, soft
    from dalembert.optimal.motion import MotionConditions, MotionCost, MotionSettings, OptimalMotion, optimal_motion
    from dalembert.optimal.optimise import PlanConditions, PlanSettings
    from dalembert.optimal.phases import Phase
    from dalembert.optimal.planned import GridRecord, OptimalPlan, PlannedInputs, PlanReference
    from dalembert.optimal.quantities import NamedQuantity, quantity
    from dalembert.optimal.refined_capture import RefinedCapture, refine_capture

__all__ = [
    "Cost",
    "GridRecord",
    "Iterate",
    "MotionConditions",
    "MotionCost",
    "MotionSettings",
    "NamedQuantity",
    "OptimalMotion",
    "OptimalPlan",
    "Phase",
    "PlanConditions",
    "PlanReference",
    "PlanSettings",
    "PlannedInputs",
    "QuantityBound",
    "RefinedCapture",
    "TrackingLQR",
    "bounds_of",
    "follow",
    "optimal_motion",
    "quantity",
    "refine_capture",
    "soft",
]

_LATER = {
    "Cost": "dalembert.optimal.cost",
    "GridRecord": "dalembert.optimal.planned",
    "Iterate": "dalembert.optimal.ipopt",
    "MotionConditions": "dalembert.optimal.motion",
    "MotionCost": "dalembert.optimal.motion",
    "MotionSettings": "dalembert.optimal.motion",
    "NamedQuantity": "dalembert.optimal.quantities",
    "OptimalMotion": "dalembert.optimal.motion",
    "Phase": "dalembert.optimal.phases",
    "OptimalPlan": "dalembert.optimal.planned",
    "PlanConditions": "dalembert.optimal.optimise",
    "PlanReference": "dalembert.optimal.planned",
    "PlanSettings": "dalembert.optimal.optimise",
    "PlannedInputs": "dalembert.optimal.planned",
    "QuantityBound": "dalembert.optimal.limits",
    "RefinedCapture": "dalembert.optimal.refined_capture",
    "TrackingLQR": "dalembert.optimal.follow",
    "bounds_of": "dalembert.optimal.limits",
    "follow": "dalembert.optimal.follow",
    "optimal_motion": "dalembert.optimal.motion",
    "quantity": "dalembert.optimal.quantities",
    "refine_capture": "dalembert.optimal.refined_capture",
    "soft": "dalembert.optimal.limits",
}

__getattr__ = later(__name__, _LATER)
