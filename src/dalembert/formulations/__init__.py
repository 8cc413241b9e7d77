"""Formulations that turn a machine into equations of motion, and the contract they all fulfil."""

from dalembert.formulations import natural
from dalembert.formulations.constraints.projection import ConsistentState, consistent_state
from dalembert.formulations.equations import Energy, EquationsOfMotion
from dalembert.formulations.impact import ContactImpact
from dalembert.formulations.mapped import CoordinateMap

__all__ = [
    "ConsistentState",
    "ContactImpact",
    "CoordinateMap",
    "Energy",
    "EquationsOfMotion",
    "consistent_state",
    "natural",
]
