"""Equations of motion of machines: derived by several formulations, made to agree, compiled, simulated."""

from dalembert.api import equations
from dalembert.core.errors import (
    BuildError,
    DalembertError,
    DalembertWarning,
    FileFormatError,
    InputError,
    MachineError,
    NoCompilerWarning,
    SimulationError,
    UnknownNameError,
)
from dalembert.core.parameter import TIME, Parameter, cos, sin, sqrt
from dalembert.formulations.equations import Energy, EquationsOfMotion
from dalembert.formulations.mapped import CoordinateMap
from dalembert.model.body import Body, box, cylinder, hollow_cylinder, point_mass, rod, sphere
from dalembert.model.joint import WORLD, Joint, Limits
from dalembert.model.machine import Machine
from dalembert.model.parts import Coupling, Frame, Motor, Wrench
from dalembert.model.transform import Transform

__version__ = "0.1.0"

__all__ = [
    "TIME",
    "WORLD",
    "Body",
    "BuildError",
    "CoordinateMap",
    "Coupling",
    "DalembertError",
    "DalembertWarning",
    "Energy",
    "EquationsOfMotion",
    "FileFormatError",
    "Frame",
    "InputError",
    "Joint",
    "Limits",
    "Machine",
    "MachineError",
    "Motor",
    "NoCompilerWarning",
    "Parameter",
    "SimulationError",
    "Transform",
    "UnknownNameError",
    "Wrench",
    "__version__",
    "box",
    "cos",
    "cylinder",
    "equations",
    "hollow_cylinder",
    "point_mass",
    "rod",
    "sin",
    "sphere",
    "sqrt",
]
