"""Equations, law, switches and cables, composed into the problem that is integrated."""

from dalembert.loop.closed_loop import ClosedLoop, Event, SampledController, close_loop
from dalembert.loop.switching import Switch

__all__ = [
    "ClosedLoop",
    "Event",
    "SampledController",
    "Switch",
    "close_loop",
]
