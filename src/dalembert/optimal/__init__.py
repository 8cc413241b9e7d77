"""Optimal control of machines: costs and limits, predictive control, estimation, plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.core.later import later

if TYPE_CHECKING:
    from dalembert.optimal.cost import Cost
    from dalembert.optimal.limits import QuantityBound, bounds_of, soft
    from dalembert.optimal.quantities import NamedQuantity, quantity

__all__ = ["Cost", "NamedQuantity", "QuantityBound", "bounds_of", "quantity", "soft"]

_LATER = {
    "QuantityBound": "dalembert.optimal.limits",
    "Cost": "dalembert.optimal.cost",
    "NamedQuantity": "dalembert.optimal.quantities",
    "bounds_of": "dalembert.optimal.limits",
    "quantity": "dalembert.optimal.quantities",
    "soft": "dalembert.optimal.limits",
}

__getattr__ = later(__name__, _LATER)
