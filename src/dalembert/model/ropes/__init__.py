"""Ropes over drums, sheaves and guides, without mass; heavy cables between two points.

A rope describes its way as a `Route` (``route.py``); cables, which are ropes of one span, do so too. The straight
lines between wheels are in ``tangents.py``, the elements of paths in ``elements.py``.
"""

from dalembert.model.ropes.catenary import Hanging
from dalembert.model.ropes.elements import CLAMPS, Anchor, Drum, Guide, PathElement, RopeObstacle, Sheave, SheaveLoss
from dalembert.model.ropes.layers import DrumLayers
from dalembert.model.ropes.rope import Rope
from dalembert.model.ropes.route import (
    Arc,
    Condition,
    Counted,
    Meeting,
    RopeBase,
    Route,
    RouteSection,
    Rub,
    WrappedWheel,
)

__all__ = [
    "CLAMPS",
    "Anchor",
    "Arc",
    "Condition",
    "Counted",
    "Drum",
    "DrumLayers",
    "Guide",
    "Hanging",
    "Meeting",
    "PathElement",
    "Rope",
    "RopeBase",
    "RopeObstacle",
    "Route",
    "RouteSection",
    "Rub",
    "Sheave",
    "SheaveLoss",
    "WrappedWheel",
]
