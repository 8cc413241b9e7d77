"""Flexible bodies: the contract that all of them fulfil, and bodies that are linear in their coordinates."""

from dalembert.model.elastic.contract import (
    APPROXIMATIONS,
    Elastic,
    ElasticBody,
    ElasticSection,
    EnergyField,
    UndeformedInertia,
)

__all__ = ["APPROXIMATIONS", "Elastic", "ElasticBody", "ElasticSection", "EnergyField", "UndeformedInertia"]
