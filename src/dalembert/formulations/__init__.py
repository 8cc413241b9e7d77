"""Formulations that turn a machine into equations of motion, and the contract they all fulfil."""

from dalembert.formulations import natural
from dalembert.formulations.base import FormulationBase
from dalembert.formulations.constraints.projection import ConsistentState, consistent_state
from dalembert.formulations.equations import Energy, EquationsOfMotion
from dalembert.formulations.factorization import solve_spd
from dalembert.formulations.impact import ContactImpact
from dalembert.formulations.mapped import CoordinateMap
from dalembert.formulations.registry import register_formulation
from dalembert.formulations.tree.formulation import TreeFormulation

__all__ = [
    "ConsistentState",
    "ContactImpact",
    "CoordinateMap",
    "Energy",
    "EquationsOfMotion",
    "FormulationBase",
    "TreeFormulation",
    "consistent_state",
    "natural",
    "register_formulation",
    "solve_spd",
]
