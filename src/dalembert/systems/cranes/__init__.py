"""Overhead cranes with N-link cables (CRANE): machines, closed forms, structure, references, reduced designs."""

from dalembert.systems.cranes.cable import LumpedCable, uniform_cable
from dalembert.systems.cranes.closed_forms import (
    PlanarClosedForms,
    bending_stiffness_alpha,
    mass_matrix_two_links,
    one_link_forces,
)
from dalembert.systems.cranes.continuum import (
    cable_sway_frequencies,
    elastic_cable_frequencies,
    linear_chain_frequencies,
)
from dalembert.systems.cranes.coordinates import crane_coordinates, document_order, hanging
from dalembert.systems.cranes.machines import hook_crane, planar_crane, spatial_crane
from dalembert.systems.cranes.reduction import DesignedOn, sway_angle
from dalembert.systems.cranes.references import PayloadTransport, residual_sway, sway_frequencies
from dalembert.systems.cranes.structure import Finding, StructureReport, crane_structure

__all__ = [
    "DesignedOn",
    "Finding",
    "LumpedCable",
    "PayloadTransport",
    "PlanarClosedForms",
    "StructureReport",
    "bending_stiffness_alpha",
    "cable_sway_frequencies",
    "crane_coordinates",
    "crane_structure",
    "document_order",
    "elastic_cable_frequencies",
    "hanging",
    "hook_crane",
    "linear_chain_frequencies",
    "mass_matrix_two_links",
    "one_link_forces",
    "planar_crane",
    "residual_sway",
    "spatial_crane",
    "sway_angle",
    "sway_frequencies",
    "uniform_cable",
]
