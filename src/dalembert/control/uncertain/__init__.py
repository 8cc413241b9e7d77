"""Uncertain systems as linear fractional transformations: their algebra, and machines over ranges of configurations."""

from typing import TYPE_CHECKING

from dalembert.control.uncertain.blocks import DeltaBlock
from dalembert.control.uncertain.dynamics import multiplicative, neglected_delay, neglected_lag
from dalembert.control.uncertain.lft import LFT, append, constant, parameter, rotation, system_lft
from dalembert.core.later import later

if TYPE_CHECKING:
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

# Models of machines are proven by structured singular values, whose room knows the blocks of this one.
_LATER = dict.fromkeys(("UncertainMachine", "uncertain"), "dalembert.control.uncertain.machines")
__getattr__ = later(__name__, _LATER)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
