"""Analyses of equations: agreement, closed forms, linear models, equilibria, modes, inverse kinematics."""

from dalembert.analysis.assembly import Assemblies, Assembly, Mobility, assemblies, mobility
from dalembert.analysis.base_parameters import BaseParameters, base_parameters
from dalembert.analysis.cables.catenary import Catenary, catenary
from dalembert.analysis.cables.forward import forward_kinematics
from dalembert.analysis.cables.held import HeldPose, hold_pose, wrench_feasible
from dalembert.analysis.cables.kinematics import cable_lengths, winch_angles
from dalembert.analysis.cables.statics import StaticPose, static_equilibrium, structure_matrix
from dalembert.analysis.cables.tensions import platform_load, tension_distribution
from dalembert.analysis.closed_form.form import ClosedForm, closed_form
from dalembert.analysis.denoc import DeNOC, denoc
from dalembert.analysis.derivation.formula import SheetFormula, SheetStep
from dalembert.analysis.derivation.sheet import Derivation, derivation
from dalembert.analysis.energy_split import EnergySplit, energy_split
from dalembert.analysis.equilibrium import Equilibrium, equilibrium
from dalembert.analysis.floating import GeneralizedJacobian, Manipulability, generalized_jacobian, manipulability
from dalembert.analysis.inverse_kinematics import IKResult, IKSettings, inverse_kinematics
from dalembert.analysis.linearize import ModelForm, OperatingPoint, law_gain, linearize
from dalembert.analysis.load_path import CriticalPoint, EquilibriumPath, equilibrium_path
from dalembert.analysis.modal import (
    MachineModes,
    frequency_response,
    machine_modes,
    modal_reduction,
    natural_frequencies,
)
from dalembert.analysis.operations import OperationCount, count_operations, operation_count
from dalembert.analysis.outboard import outboard_load, with_outboard_loads
from dalembert.analysis.resting import RestingPlace, find_equilibrium
from dalembert.analysis.rope_rest import RestPose, rest_pose
from dalembert.analysis.ropes import RopeEfficiency, RopeTensions, rope_efficiency, rope_tensions
from dalembert.analysis.sticking import with_sticking_contacts
from dalembert.analysis.stress import Cycles, StressHistory, rainflow, stress_history, von_mises
from dalembert.analysis.tip_inertia import tip_inertia
from dalembert.analysis.verify import VerifyReport, VerifyRow, verify
from dalembert.analysis.weld_wrench import weld_wrench
from dalembert.model.elastic.solids import geometric_stiffness, stress_matrix

__all__ = [
    "Assemblies",
    "Assembly",
    "BaseParameters",
    "Catenary",
    "ClosedForm",
    "CriticalPoint",
    "Cycles",
    "DeNOC",
    "Derivation",
    "EnergySplit",
    "Equilibrium",
    "EquilibriumPath",
    "GeneralizedJacobian",
    "HeldPose",
    "IKResult",
    "IKSettings",
    "MachineModes",
    "Manipulability",
    "Mobility",
    "ModelForm",
    "OperatingPoint",
    "OperationCount",
    "RestPose",
    "RestingPlace",
    "RopeEfficiency",
    "RopeTensions",
    "SheetFormula",
    "SheetStep",
    "StaticPose",
    "StressHistory",
    "VerifyReport",
    "VerifyRow",
    "assemblies",
    "base_parameters",
    "cable_lengths",
    "catenary",
    "closed_form",
    "count_operations",
    "denoc",
    "derivation",
    "energy_split",
    "equilibrium",
    "equilibrium_path",
    "find_equilibrium",
    "forward_kinematics",
    "frequency_response",
    "generalized_jacobian",
    "geometric_stiffness",
    "hold_pose",
    "inverse_kinematics",
    "law_gain",
    "linearize",
    "machine_modes",
    "manipulability",
    "mobility",
    "modal_reduction",
    "natural_frequencies",
    "operation_count",
    "outboard_load",
    "platform_load",
    "rainflow",
    "rest_pose",
    "rope_efficiency",
    "rope_tensions",
    "static_equilibrium",
    "stress_history",
    "stress_matrix",
    "structure_matrix",
    "tension_distribution",
    "tip_inertia",
    "verify",
    "von_mises",
    "weld_wrench",
    "winch_angles",
    "with_outboard_loads",
    "with_sticking_contacts",
    "wrench_feasible",
]
