"""Massless ropes over drums, sheaves and guides.

What a rope tells about itself is a `Route` (``route.py``); cables, which are ropes of one span, tell the same. The
straight lines between wheels are in ``tangents.py``, what a rope runs along in ``elements.py``.
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
