"""Structured synthesis: controllers of a given structure, tuned to requirements on closed loops."""

from dalembert.control.structured.certificate import Check
from dalembert.control.structured.controllers import (
    fixed_controller,
    gains,
    low_pass,
    notch,
    pd_gains,
    pid_gains,
    positive_gains,
    state_space,
)
from dalembert.control.structured.requirements import (
    ControllerGain,
    Gain,
    Poles,
    Requirement,
    Variance,
    margin,
    roll_off,
    tracking,
)
from dalembert.control.structured.results import TuneResult, TuneSettings
from dalembert.control.structured.structures import Structure, Tunable, beside
from dalembert.control.structured.tuning import tune

__all__ = [
    "Check",
    "ControllerGain",
    "Gain",
    "Poles",
    "Requirement",
    "Structure",
    "Tunable",
    "TuneResult",
    "TuneSettings",
    "Variance",
    "beside",
    "fixed_controller",
    "gains",
    "low_pass",
    "margin",
    "notch",
    "pd_gains",
    "pid_gains",
    "positive_gains",
    "roll_off",
    "state_space",
    "tracking",
    "tune",
]
