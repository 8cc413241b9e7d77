"""Constraints of a machine, for every formulation."""
