"""Equations of motion of machines: derived by several formulations, made to agree, compiled, simulated."""

from typing import TYPE_CHECKING

from dalembert.api import equations, load_run, simulate
from dalembert.control.laws import PD, PID, ComputedTorque, GravityCompensation
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
    WriteError,
)
from dalembert.core.later import later
from dalembert.core.parameter import TIME, Parameter, cos, deg, sin, smoothstep, sqrt
from dalembert.core.version import __version__
from dalembert.formulations.equations import Energy, EquationsOfMotion
from dalembert.formulations.mapped import CoordinateMap
from dalembert.loop.closed_loop import Event, SampledController
from dalembert.loop.experiment import Experiment, Start
from dalembert.loop.switches import Switch
from dalembert.model.appendages import ControlMomentGyro, ModalAppendage, Wheel
from dalembert.model.beam import Beam
from dalembert.model.beam_modes import Support
from dalembert.model.body import Body, box, cylinder, hollow_cylinder, point_mass, rod, sphere
from dalembert.model.cables import Cable, winch
from dalembert.model.constraints import (
    BallConstraint,
    DistanceConstraint,
    GearConstraint,
    LoopConstraint,
    MotionConstraint,
    OrthogonalConstraint,
    ParallelConstraint,
    WeldConstraint,
)
from dalembert.model.contacts import Contact, CylindricalSurface, HalfSpace, SphericalSurface, geometry_contacts
from dalembert.model.geometry import Box, Capsule, Cylinder, Geometry, Mesh, Sphere
from dalembert.model.joint import WORLD, Joint, Limits
from dalembert.model.machine import Machine
from dalembert.model.parts import Coupling, Frame, Motor, Thruster, Wrench
from dalembert.model.section import Load, Section
from dalembert.model.shapes import Shape
from dalembert.model.signals import Sensor, Signal
from dalembert.model.transform import Transform
from dalembert.plan.references import Quintic, Sine
from dalembert.simulation.constrained.methods import (
    AugmentedLagrangian,
    Baumgarte,
    ConstraintMethod,
    GeneralizedAlpha,
    Idas,
    Penalty,
    Projection,
    UdwadiaKalaba,
)
from dalembert.simulation.contact.methods import ContactMethod, EventDriven, TimeStepping
from dalembert.simulation.methods import (
    RK4,
    BogackiShampine,
    Cvodes,
    DormandPrince,
    DormandPrince8,
    Euler,
    Heun,
    Method,
    Radau,
)
from dalembert.simulation.run import Run

if TYPE_CHECKING:
    from dalembert.analysis.closed_form.form import closed_form
    from dalembert.analysis.inverse_kinematics import inverse_kinematics
    from dalembert.analysis.linearize import linearize
    from dalembert.analysis.verify import verify
    from dalembert.campaigns.campaign import campaign, open_campaign
    from dalembert.campaigns.identification import identify
    from dalembert.io.experiment_files import load_experiment
    from dalembert.io.fmu.export import export_fmu
    from dalembert.io.machine_files import load_machine, load_simulation
    from dalembert.io.mjcf.load import load_mjcf
    from dalembert.io.mjcf.writer import to_mjcf
    from dalembert.io.realtime import realtime
    from dalembert.io.urdf import load_urdf
    from dalembert.io.urdf_writer import to_urdf
    from dalembert.loop.join import join
    from dalembert.loop.rollout import rollout
    from dalembert.loop.signals import Measure
    from dalembert.loop.stepper import stepper
    from dalembert.view.page.report import report

__all__ = [
    "PD",
    "PID",
    "RK4",
    "TIME",
    "WORLD",
    "AugmentedLagrangian",
    "BallConstraint",
    "Baumgarte",
    "Beam",
    "Body",
    "BogackiShampine",
    "Box",
    "BuildError",
    "Cable",
    "Capsule",
    "ComputedTorque",
    "ConstraintMethod",
    "Contact",
    "ContactMethod",
    "ControlMomentGyro",
    "CoordinateMap",
    "Coupling",
    "Cvodes",
    "Cylinder",
    "CylindricalSurface",
    "DalembertError",
    "DalembertWarning",
    "DistanceConstraint",
    "DormandPrince",
    "DormandPrince8",
    "Energy",
    "EquationsOfMotion",
    "Euler",
    "Event",
    "EventDriven",
    "Experiment",
    "FileFormatError",
    "Frame",
    "GearConstraint",
    "GeneralizedAlpha",
    "Geometry",
    "GravityCompensation",
    "HalfSpace",
    "Heun",
    "Idas",
    "InputError",
    "Joint",
    "Limits",
    "Load",
    "LoopConstraint",
    "Machine",
    "MachineError",
    "Measure",
    "Mesh",
    "Method",
    "ModalAppendage",
    "MotionConstraint",
    "Motor",
    "NoCompilerWarning",
    "OrthogonalConstraint",
    "ParallelConstraint",
    "Parameter",
    "Penalty",
    "Projection",
    "Quintic",
    "Radau",
    "Run",
    "SampledController",
    "Section",
    "Sensor",
    "Shape",
    "Signal",
    "SimulationError",
    "Sine",
    "Sphere",
    "SphericalSurface",
    "Start",
    "Support",
    "Switch",
    "Thruster",
    "TimeStepping",
    "Transform",
    "UdwadiaKalaba",
    "UnknownNameError",
    "WeldConstraint",
    "Wheel",
    "Wrench",
    "WriteError",
    "__version__",
    "box",
    "campaign",
    "closed_form",
    "cos",
    "cylinder",
    "deg",
    "equations",
    "export_fmu",
    "geometry_contacts",
    "hollow_cylinder",
    "identify",
    "inverse_kinematics",
    "join",
    "linearize",
    "load_experiment",
    "load_machine",
    "load_mjcf",
    "load_run",
    "load_simulation",
    "load_urdf",
    "open_campaign",
    "point_mass",
    "realtime",
    "report",
    "rod",
    "rollout",
    "simulate",
    "sin",
    "smoothstep",
    "sphere",
    "sqrt",
    "stepper",
    "to_mjcf",
    "to_urdf",
    "verify",
    "winch",
]

_LATER = {
    "Measure": "dalembert.loop.signals",
    "closed_form": "dalembert.analysis.closed_form.form",
    "inverse_kinematics": "dalembert.analysis.inverse_kinematics",
    "join": "dalembert.loop.join",
    "linearize": "dalembert.analysis.linearize",
    "campaign": "dalembert.campaigns.campaign",
    "export_fmu": "dalembert.io.fmu.export",
    "identify": "dalembert.campaigns.identification",
    "load_experiment": "dalembert.io.experiment_files",
    "load_machine": "dalembert.io.machine_files",
    "load_mjcf": "dalembert.io.mjcf.load",
    "realtime": "dalembert.io.realtime",
    "open_campaign": "dalembert.campaigns.campaign",
    "load_simulation": "dalembert.io.machine_files",
    "load_urdf": "dalembert.io.urdf",
    "report": "dalembert.view.page.report",
    "rollout": "dalembert.loop.rollout",
    "stepper": "dalembert.loop.stepper",
    "to_mjcf": "dalembert.io.mjcf.writer",
    "to_urdf": "dalembert.io.urdf_writer",
    "verify": "dalembert.analysis.verify",
}
"""Verbs whose modules are loaded when they are first asked for, so that the import is quick."""

_ROOMS = ("analysis", "benchmarks", "campaigns", "io", "studies", "systems", "view")
"""Rooms that a user may ask for and that this module does not load."""

__getattr__ = later(__name__, _LATER, _ROOMS)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS})
