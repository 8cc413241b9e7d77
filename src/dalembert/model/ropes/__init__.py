"""Massless ropes over drums, sheaves and guides.

A `Route` describes a rope (``route.py``); cables, which are ropes of one span, have one too. The straight lines between
wheels are in ``tangents.py``, the elements of the path in ``elements.py``.
"""

from dalembert.model.ropes.elements import Anchor, Drum, Guide, PathElement, Sheave, SheaveLoss
from dalembert.model.ropes.rope import Rope
from dalembert.model.ropes.route import Arc, Condition, RopeBase, Route, RouteSection, Rub, WrappedWheel

__all__ = [
    "Anchor",
    "Arc",
    "Condition",
    "Drum",
    "Guide",
    "PathElement",
    "Rope",
    "RopeBase",
    "Route",
    "RouteSection",
    "Rub",
    "Sheave",
    "SheaveLoss",
    "WrappedWheel",
]
