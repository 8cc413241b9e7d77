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
from dalembert.systems.cranes.multi_cable import multi_cable_crane
from dalembert.systems.cranes.reduction import DesignedOn, sway_angle
from dalembert.systems.cranes.references import PayloadTransport, residual_sway, sway_frequencies
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
    "cable_sway_frequencies",
    "crane_coordinates",
    "crane_structure",
    "document_order",
    "elastic_cable_frequencies",
    "hanging",
    "hook_crane",
    "linear_chain_frequencies",
    "mass_matrix_two_links",
    "multi_cable_crane",
    "one_link_forces",
    "planar_crane",
    "residual_sway",
    "simplified_crane",
    "spatial_crane",
    "sway_angle",
    "sway_energy",
    "sway_frequencies",
    "uniform_cable",
    "winch_reach",
]
