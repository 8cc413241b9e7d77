"""Time-stepping of a closed loop: its blocks, tapes of the half-factored mass matrix, rows, gaps and works."""

from __future__ import annotations

from dalembert.loop.stepping.names import (
    contact_signals,
    held_signals,
    kept_latches,
    loss_names,
    same_tensions,
    stepping_names,
)
from dalembert.loop.stepping.start import SteppedStart, check_gaps, check_stepping
from dalembert.loop.stepping.tapes import stepping_part, stiffness_matrix

__all__ = [
    "SteppedStart",
    "check_gaps",
    "check_stepping",
    "contact_signals",
    "held_signals",
    "kept_latches",
    "loss_names",
    "same_tensions",
    "stepping_names",
    "stepping_part",
    "stiffness_matrix",
]
