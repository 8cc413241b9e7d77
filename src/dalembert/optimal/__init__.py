"""Optimal control of machines: costs and limits, predictive control, estimation, plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.core.later import later

if TYPE_CHECKING:
    from dalembert.optimal.cost import Cost
    from dalembert.optimal.estimators import Estimator, EstimatorSettings, ekf, mhe
    from dalembert.optimal.limits import QuantityBound, bounds_of, soft
    from dalembert.optimal.predictive import ACTIONS, STATUSES, PredictiveLaw, PredictiveSettings, mpc
    from dalembert.optimal.quantities import NamedQuantity, quantity

__all__ = [
    "ACTIONS",
    "STATUSES",
    "Cost",
    "Estimator",
    "EstimatorSettings",
    "NamedQuantity",
    "PredictiveLaw",
    "PredictiveSettings",
    "QuantityBound",
    "bounds_of",
    "ekf",
    "mhe",
    "mpc",
    "quantity",
    "soft",
]

_LATER = {
    "ACTIONS": "dalembert.optimal.predictive",
    "STATUSES": "dalembert.optimal.predictive",
    "Estimator": "dalembert.optimal.estimators",
    "EstimatorSettings": "dalembert.optimal.estimators",
    "PredictiveLaw": "dalembert.optimal.predictive",
    "PredictiveSettings": "dalembert.optimal.predictive",
    "ekf": "dalembert.optimal.estimators",
    "mhe": "dalembert.optimal.estimators",
    "mpc": "dalembert.optimal.predictive",
    "QuantityBound": "dalembert.optimal.limits",
    "Cost": "dalembert.optimal.cost",
    "NamedQuantity": "dalembert.optimal.quantities",
    "bounds_of": "dalembert.optimal.limits",
    "quantity": "dalembert.optimal.quantities",
    "soft": "dalembert.optimal.limits",
}

__getattr__ = later(__name__, _LATER)
