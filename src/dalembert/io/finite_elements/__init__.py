"""Finite-element models from files: matrices, nodes, sets of nodes."""

from dalembert.io.finite_elements.matrices import read_matrix
from dalembert.io.finite_elements.models import FiniteElements, read_finite_elements

__all__ = ["FiniteElements", "read_finite_elements", "read_matrix"]
