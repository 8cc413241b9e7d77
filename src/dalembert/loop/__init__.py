"""Equations, law, switches and cables, composed into the problem that is integrated."""

from dalembert.loop.closed_loop import ClosedLoop, close_loop
from dalembert.loop.events import Event
from dalembert.loop.join import Handover, join
from dalembert.loop.laws import SampledController
from dalembert.loop.poles import SampledPoles, sampled_poles
from dalembert.loop.switches import Switch

__all__ = [
    "ClosedLoop",
    "Event",
    "Handover",
    "SampledController",
    "SampledPoles",
    "Switch",
    "close_loop",
    "join",
    "sampled_poles",
]
