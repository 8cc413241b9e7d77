"""Overhead cranes with N-link cables (CRANE): machines, closed forms, structure, reduction."""

from dalembert.systems.cranes.cable import Cable, uniform_cable
from dalembert.systems.cranes.closed_forms import (
    PlanarClosedForms,
    bending_stiffness_alpha,
    mass_matrix_two_links,
    one_link_forces,
)
from dalembert.systems.cranes.coordinates import crane_coordinates, document_order, hanging
from dalembert.systems.cranes.machines import hook_crane, planar_crane, spatial_crane

__all__ = [
    "Cable",
    "PlanarClosedForms",
    "bending_stiffness_alpha",
    "crane_coordinates",
    "document_order",
    "hanging",
    "hook_crane",
    "mass_matrix_two_links",
    "one_link_forces",
    "planar_crane",
    "spatial_crane",
    "uniform_cable",
]
