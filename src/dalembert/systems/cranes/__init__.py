"""Overhead cranes with N-link cables (CRANE): machines, closed forms, structure, references, reduced designs."""

from dalembert.core.renamed import renamed_function
from dalembert.systems.cranes.cable import LumpedCable, uniform_cable
from dalembert.systems.cranes.closed_forms import (
    PlanarClosedForms,
    bending_stiffness_alpha,
    mass_matrix_two_links,
    one_link_forces,
)
from dalembert.systems.cranes.continuum import (
    cable_sway_omega,
    elastic_cable_omega,
    linear_chain_omega,
)
from dalembert.systems.cranes.coordinates import crane_coordinates, document_order, hanging
from dalembert.systems.cranes.machines import hook_crane, planar_crane, spatial_crane
from dalembert.systems.cranes.multi_cable import multi_cable_crane
from dalembert.systems.cranes.reduction import DesignedOn, sway_angle
from dalembert.systems.cranes.references import PayloadTransport, residual_sway, sway_omega
from dalembert.systems.cranes.ritz import RitzCable
from dalembert.systems.cranes.simplified import simplified_crane
from dalembert.systems.cranes.structure import Finding, StructureReport, crane_structure
from dalembert.systems.cranes.winch import WinchReach, WinchSwayDamping, sway_energy, winch_reach

__all__ = [
    "DesignedOn",
    "Finding",
    "LumpedCable",
    "PayloadTransport",
    "PlanarClosedForms",
    "RitzCable",
    "StructureReport",
    "WinchReach",
    "WinchSwayDamping",
    "bending_stiffness_alpha",
    "cable_sway_omega",
    "crane_coordinates",
    "crane_structure",
    "document_order",
    "elastic_cable_omega",
    "hanging",
    "hook_crane",
    "linear_chain_omega",
    "mass_matrix_two_links",
    "multi_cable_crane",
    "one_link_forces",
    "planar_crane",
    "residual_sway",
    "simplified_crane",
    "spatial_crane",
    "sway_angle",
    "sway_energy",
    "sway_omega",
    "uniform_cable",
    "winch_reach",
]

# Old names, which warn.
cable_sway_frequencies = renamed_function(cable_sway_omega, "cable_sway_frequencies", "rad/s")
elastic_cable_frequencies = renamed_function(elastic_cable_omega, "elastic_cable_frequencies", "rad/s")
linear_chain_frequencies = renamed_function(linear_chain_omega, "linear_chain_frequencies", "rad/s")
sway_frequencies = renamed_function(sway_omega, "sway_frequencies", "rad/s")
