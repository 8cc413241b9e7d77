"""Uncertain systems as linear fractional transformations: their algebra, and machines over ranges of configurations."""

from dalembert.control.uncertain.blocks import DeltaBlock
from dalembert.control.uncertain.dynamics import multiplicative, neglected_delay, neglected_lag
from dalembert.control.uncertain.lft import LFT, append, constant, parameter, rotation, system_lft
from dalembert.control.uncertain.machines import UncertainMachine, uncertain

__all__ = [
    "LFT",
    "DeltaBlock",
    "UncertainMachine",
    "append",
    "constant",
    "multiplicative",
    "neglected_delay",
    "neglected_lag",
    "parameter",
    "rotation",
    "system_lft",
    "uncertain",
]
