"""Optimal control of machines: costs and limits, predictive control, estimation, plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.core.later import later

if TYPE_CHECKING:
    from dalembert.optimal.cost import Cost
    from dalembert.optimal.estimator import Estimator
    from dalembert.optimal.estimator_settings import EstimatorSettings
    from dalembert.optimal.estimators import ekf, mhe
    from dalembert.optimal.following import TrackingLQR, follow
    from dalembert.optimal.guidance import PredictiveGuidance
    from dalembert.optimal.ipopt import Iterate
    from dalembert.optimal.limits import QuantityBound, bounds_of, soft
    from dalembert.optimal.motion import MotionConditions, MotionCost, MotionSettings, OptimalMotion, optimal_motion
    from dalembert.optimal.optimise import PlanConditions, PlanSettings
    from dalembert.optimal.phases import Phase
    from dalembert.optimal.planned import GridRecord, OptimalPlan, PlannedInputs, PlanReference
    from dalembert.optimal.predictive import ACTIONS, STATUSES, PredictiveLaw, PredictiveSettings, mpc
    from dalembert.optimal.quantities import NamedQuantity, quantity
    from dalembert.optimal.refined_capture import RefinedCapture, refine_capture

__all__ = [
    "ACTIONS",
    "STATUSES",
    "Cost",
    "Estimator",
    "EstimatorSettings",
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
    "PredictiveGuidance",
    "PredictiveLaw",
    "PredictiveSettings",
    "QuantityBound",
    "RefinedCapture",
    "TrackingLQR",
    "bounds_of",
    "ekf",
    "follow",
    "mhe",
    "mpc",
    "optimal_motion",
    "quantity",
    "refine_capture",
    "soft",
]

_LATER = {
    "ACTIONS": "dalembert.optimal.predictive",
    "STATUSES": "dalembert.optimal.predictive",
    "Cost": "dalembert.optimal.cost",
    "Estimator": "dalembert.optimal.estimator",
    "EstimatorSettings": "dalembert.optimal.estimator_settings",
    "GridRecord": "dalembert.optimal.planned",
    "Iterate": "dalembert.optimal.ipopt",
    "MotionConditions": "dalembert.optimal.motion",
    "MotionCost": "dalembert.optimal.motion",
    "MotionSettings": "dalembert.optimal.motion",
    "NamedQuantity": "dalembert.optimal.quantities",
    "OptimalMotion": "dalembert.optimal.motion",
    "OptimalPlan": "dalembert.optimal.planned",
    "Phase": "dalembert.optimal.phases",
    "PlanConditions": "dalembert.optimal.optimise",
    "PlanReference": "dalembert.optimal.planned",
    "PlanSettings": "dalembert.optimal.optimise",
    "PlannedInputs": "dalembert.optimal.planned",
    "PredictiveGuidance": "dalembert.optimal.guidance",
    "PredictiveLaw": "dalembert.optimal.predictive",
    "PredictiveSettings": "dalembert.optimal.predictive",
    "QuantityBound": "dalembert.optimal.limits",
    "RefinedCapture": "dalembert.optimal.refined_capture",
    "TrackingLQR": "dalembert.optimal.following",
    "bounds_of": "dalembert.optimal.limits",
    "ekf": "dalembert.optimal.estimators",
    "follow": "dalembert.optimal.following",
    "mhe": "dalembert.optimal.estimators",
    "mpc": "dalembert.optimal.predictive",
    "optimal_motion": "dalembert.optimal.motion",
    "quantity": "dalembert.optimal.quantities",
    "refine_capture": "dalembert.optimal.refined_capture",
    "soft": "dalembert.optimal.limits",
}

__getattr__ = later(__name__, _LATER)
