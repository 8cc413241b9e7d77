"""References to follow, and shaping of inputs."""

from dalembert.plan.flat import LoadReference, SmoothStep
from dalembert.plan.references import Quintic, Sine
from dalembert.plan.shaping import SCurve, Shaped, Shaper, ei, excitation, zv, zvd

__all__ = [
    "LoadReference",
    "Quintic",
    "SCurve",
    "Shaped",
    "Shaper",
    "Sine",
    "SmoothStep",
    "ei",
    "excitation",
    "zv",
    "zvd",
]
