"""Equations of motion of machines: derived by several formulations, made to agree, compiled, simulated."""

from typing import TYPE_CHECKING

from dalembert.core.later import later

if TYPE_CHECKING:
    from dalembert.analysis.assembly import assemblies
    from dalembert.analysis.closed_form.form import closed_form
    from dalembert.analysis.derivation.sheet import derivation
    from dalembert.analysis.inverse_kinematics import inverse_kinematics
    from dalembert.analysis.linearize import linearize
    from dalembert.analysis.verify import verify
    from dalembert.api import equations, load_run, simulate
    from dalembert.campaigns.campaign import campaign, open_campaign
    from dalembert.campaigns.identification import identify
    from dalembert.control.laws import PD, PID, ComputedTorque, GravityCompensation
    from dalembert.control.passivity import PassivityBased, SlotineLi
    from dalembert.core.errors import (
        BuildError,
        DalembertError,
        DalembertWarning,
        FileFormatError,
        InputError,
        MachineError,
        NoCompilerWarning,
        PlanError,
        SimulationError,
        UnknownNameError,
        WriteError,
    )
    from dalembert.core.parameter import TIME, Parameter, cos, deg, sin, smoothstep, sqrt
    from dalembert.core.version import __version__
    from dalembert.engine.methods.constraints import (
        AugmentedLagrangian,
        Baumgarte,
        ConstraintMethod,
        GeneralizedAlpha,
        Idas,
        Penalty,
        Projection,
        UdwadiaKalaba,
    )
    from dalembert.engine.methods.contacts import ContactMethod, EventDriven, TimeStepping
    from dalembert.formulations.equations import Energy, EquationsOfMotion
    from dalembert.formulations.mapped import CoordinateMap
    from dalembert.io.controllers import export_controller
    from dalembert.io.experiment_files import load_experiment
    from dalembert.io.finite_elements.models import FiniteElements, read_finite_elements
    from dalembert.io.fmu.export import export_fmu
    from dalembert.io.machine_files import load_machine, load_simulation
    from dalembert.io.mjcf.load import load_mjcf
    from dalembert.io.mjcf.writer import to_mjcf
    from dalembert.io.realtime import realtime
    from dalembert.io.urdf import load_urdf
    from dalembert.io.urdf_writer import to_urdf
    from dalembert.loop.events import Event
    from dalembert.loop.experiment import Experiment, Start
    from dalembert.loop.join import join
    from dalembert.loop.laws import SampledController
    from dalembert.loop.optimise import optimise
    from dalembert.loop.rollout import rollout
    from dalembert.loop.signals import Measure
    from dalembert.loop.stepper import stepper
    from dalembert.loop.switches import Switch
    from dalembert.model.appendages import ControlMomentGyro, ModalAppendage, Wheel
    from dalembert.model.beam import Beam
    from dalembert.model.beam_modes import Support
    from dalembert.model.body import Body, box, cylinder, hollow_cylinder, point_mass, rod, sphere
    from dalembert.model.cables import Cable, winch
    from dalembert.model.colliders import Collider
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
    from dalembert.model.contacts import (
        BoxSurface,
        Contact,
        CylindricalSurface,
        HalfSpace,
        SphericalSurface,
        body_contacts,
        geometry_contacts,
    )
    from dalembert.model.elastic.finite_elements import FlexibleBody
    from dalembert.model.elastic.rod import Rod
    from dalembert.model.elastic.solids import Solids
    from dalembert.model.friction import Friction
    from dalembert.model.geometry import Box, Capsule, Cone, Cylinder, Geometry, HeightField, Mesh, Sphere
    from dalembert.model.joint import WORLD, Joint, Limits
    from dalembert.model.machine import Machine
    from dalembert.model.parts import Coupling, Frame, Motor, Thruster, Wrench
    from dalembert.model.ropes import Anchor, Drum, DrumLayers, Guide, Rope, RopeObstacle, Sheave, SheaveLoss
    from dalembert.model.section import Load, Section
    from dalembert.model.shapes import Shape
    from dalembert.model.signals import Sensor, Signal
    from dalembert.model.transform import Transform
    from dalembert.optimal.cost import Cost
    from dalembert.optimal.estimators import ekf, mhe
    from dalembert.optimal.limits import soft
    from dalembert.optimal.phases import Phase
    from dalembert.optimal.predictive import mpc
    from dalembert.plan.references import Quintic, Sine
    from dalembert.simulation.methods import (
        RK4,
        AdaptiveMidpoint,
        BogackiShampine,
        Cvodes,
        DormandPrince,
        DormandPrince8,
        Euler,
        Heun,
        ImplicitMidpoint,
        Method,
        Radau,
    )
    from dalembert.simulation.run import Run
    from dalembert.view.derivation import write_derivation
    from dalembert.view.page.live import share
    from dalembert.view.page.report import report

__all__ = [
    "PD",
    "PID",
    "RK4",
    "TIME",
    "WORLD",
    "AdaptiveMidpoint",
    "Anchor",
    "AugmentedLagrangian",
    "BallConstraint",
    "Baumgarte",
    "Beam",
    "Body",
    "BogackiShampine",
    "Box",
    "BoxSurface",
    "BuildError",
    "Cable",
    "Capsule",
    "Collider",
    "ComputedTorque",
    "Cone",
    "ConstraintMethod",
    "Contact",
    "ContactMethod",
    "ControlMomentGyro",
    "CoordinateMap",
    "Cost",
    "Coupling",
    "Cvodes",
    "Cylinder",
    "CylindricalSurface",
    "DalembertError",
    "DalembertWarning",
    "DistanceConstraint",
    "DormandPrince",
    "DormandPrince8",
    "Drum",
    "DrumLayers",
    "Energy",
    "EquationsOfMotion",
    "Euler",
    "Event",
    "EventDriven",
    "Experiment",
    "FileFormatError",
    "FiniteElements",
    "FlexibleBody",
    "Frame",
    "Friction",
    "GearConstraint",
    "GeneralizedAlpha",
    "Geometry",
    "GravityCompensation",
    "Guide",
    "HalfSpace",
    "HeightField",
    "Heun",
    "Idas",
    "ImplicitMidpoint",
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
    "PassivityBased",
    "Penalty",
    "Phase",
    "PlanError",
    "Projection",
    "Quintic",
    "Radau",
    "Rod",
    "Rope",
    "RopeObstacle",
    "Run",
    "SampledController",
    "Section",
    "Sensor",
    "Shape",
    "Sheave",
    "SheaveLoss",
    "Signal",
    "SimulationError",
    "Sine",
    "SlotineLi",
    "Solids",
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
    "assemblies",
    "body_contacts",
    "box",
    "campaign",
    "closed_form",
    "cos",
    "cylinder",
    "deg",
    "derivation",
    "ekf",
    "equations",
    "export_controller",
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
    "mhe",
    "mpc",
    "open_campaign",
    "optimise",
    "point_mass",
    "read_finite_elements",
    "realtime",
    "report",
    "rod",
    "rollout",
    "share",
    "simulate",
    "sin",
    "smoothstep",
    "soft",
    "sphere",
    "sqrt",
    "stepper",
    "to_mjcf",
    "to_urdf",
    "verify",
    "winch",
    "write_derivation",
]

_LATER = {
    "AdaptiveMidpoint": "dalembert.simulation.methods",
    "Anchor": "dalembert.model.ropes",
    "AugmentedLagrangian": "dalembert.engine.methods.constraints",
    "BallConstraint": "dalembert.model.constraints",
    "Baumgarte": "dalembert.engine.methods.constraints",
    "Beam": "dalembert.model.beam",
    "Body": "dalembert.model.body",
    "BogackiShampine": "dalembert.simulation.methods",
    "Box": "dalembert.model.geometry",
    "BoxSurface": "dalembert.model.contacts",
    "BuildError": "dalembert.core.errors",
    "Cable": "dalembert.model.cables",
    "Capsule": "dalembert.model.geometry",
    "Cone": "dalembert.model.geometry",
    "HeightField": "dalembert.model.geometry",
    "ComputedTorque": "dalembert.control.laws",
    "ConstraintMethod": "dalembert.engine.methods.constraints",
    "Collider": "dalembert.model.colliders",
    "Contact": "dalembert.model.contacts",
    "ContactMethod": "dalembert.engine.methods.contacts",
    "ControlMomentGyro": "dalembert.model.appendages",
    "CoordinateMap": "dalembert.formulations.mapped",
    "Cost": "dalembert.optimal.cost",
    "Coupling": "dalembert.model.parts",
    "Cvodes": "dalembert.simulation.methods",
    "Cylinder": "dalembert.model.geometry",
    "CylindricalSurface": "dalembert.model.contacts",
    "DalembertError": "dalembert.core.errors",
    "DalembertWarning": "dalembert.core.errors",
    "DistanceConstraint": "dalembert.model.constraints",
    "DormandPrince": "dalembert.simulation.methods",
    "DormandPrince8": "dalembert.simulation.methods",
    "Drum": "dalembert.model.ropes",
    "DrumLayers": "dalembert.model.ropes",
    "Energy": "dalembert.formulations.equations",
    "EquationsOfMotion": "dalembert.formulations.equations",
    "Euler": "dalembert.simulation.methods",
    "Event": "dalembert.loop.events",
    "EventDriven": "dalembert.engine.methods.contacts",
    "Experiment": "dalembert.loop.experiment",
    "FileFormatError": "dalembert.core.errors",
    "FiniteElements": "dalembert.io.finite_elements.models",
    "FlexibleBody": "dalembert.model.elastic.finite_elements",
    "Frame": "dalembert.model.parts",
    "Friction": "dalembert.model.friction",
    "GearConstraint": "dalembert.model.constraints",
    "GeneralizedAlpha": "dalembert.engine.methods.constraints",
    "Geometry": "dalembert.model.geometry",
    "GravityCompensation": "dalembert.control.laws",
    "Guide": "dalembert.model.ropes",
    "HalfSpace": "dalembert.model.contacts",
    "Heun": "dalembert.simulation.methods",
    "Idas": "dalembert.engine.methods.constraints",
    "ImplicitMidpoint": "dalembert.simulation.methods",
    "InputError": "dalembert.core.errors",
    "Joint": "dalembert.model.joint",
    "Limits": "dalembert.model.joint",
    "Load": "dalembert.model.section",
    "LoopConstraint": "dalembert.model.constraints",
    "Machine": "dalembert.model.machine",
    "MachineError": "dalembert.core.errors",
    "Measure": "dalembert.loop.signals",
    "Mesh": "dalembert.model.geometry",
    "Method": "dalembert.simulation.methods",
    "ModalAppendage": "dalembert.model.appendages",
    "MotionConstraint": "dalembert.model.constraints",
    "Motor": "dalembert.model.parts",
    "NoCompilerWarning": "dalembert.core.errors",
    "RopeObstacle": "dalembert.model.ropes",
    "OrthogonalConstraint": "dalembert.model.constraints",
    "PD": "dalembert.control.laws",
    "PID": "dalembert.control.laws",
    "ParallelConstraint": "dalembert.model.constraints",
    "Parameter": "dalembert.core.parameter",
    "PassivityBased": "dalembert.control.passivity",
    "Penalty": "dalembert.engine.methods.constraints",
    "Phase": "dalembert.optimal.phases",
    "PlanError": "dalembert.core.errors",
    "Projection": "dalembert.engine.methods.constraints",
    "Quintic": "dalembert.plan.references",
    "RK4": "dalembert.simulation.methods",
    "Radau": "dalembert.simulation.methods",
    "Rod": "dalembert.model.elastic.rod",
    "Rope": "dalembert.model.ropes",
    "Run": "dalembert.simulation.run",
    "SampledController": "dalembert.loop.laws",
    "Section": "dalembert.model.section",
    "Sensor": "dalembert.model.signals",
    "Shape": "dalembert.model.shapes",
    "Sheave": "dalembert.model.ropes",
    "SheaveLoss": "dalembert.model.ropes",
    "Signal": "dalembert.model.signals",
    "SimulationError": "dalembert.core.errors",
    "Sine": "dalembert.plan.references",
    "SlotineLi": "dalembert.control.passivity",
    "Solids": "dalembert.model.elastic.solids",
    "Sphere": "dalembert.model.geometry",
    "SphericalSurface": "dalembert.model.contacts",
    "Start": "dalembert.loop.experiment",
    "Support": "dalembert.model.beam_modes",
    "Switch": "dalembert.loop.switches",
    "TIME": "dalembert.core.parameter",
    "Thruster": "dalembert.model.parts",
    "TimeStepping": "dalembert.engine.methods.contacts",
    "Transform": "dalembert.model.transform",
    "UdwadiaKalaba": "dalembert.engine.methods.constraints",
    "UnknownNameError": "dalembert.core.errors",
    "WORLD": "dalembert.model.joint",
    "WeldConstraint": "dalembert.model.constraints",
    "Wheel": "dalembert.model.appendages",
    "Wrench": "dalembert.model.parts",
    "WriteError": "dalembert.core.errors",
    "assemblies": "dalembert.analysis.assembly",
    "body_contacts": "dalembert.model.contacts",
    "box": "dalembert.model.body",
    "campaign": "dalembert.campaigns.campaign",
    "closed_form": "dalembert.analysis.closed_form.form",
    "derivation": "dalembert.analysis.derivation.sheet",
    "cos": "dalembert.core.parameter",
    "cylinder": "dalembert.model.body",
    "deg": "dalembert.core.parameter",
    "ekf": "dalembert.optimal.estimators",
    "equations": "dalembert.api",
    "export_controller": "dalembert.io.controllers",
    "export_fmu": "dalembert.io.fmu.export",
    "geometry_contacts": "dalembert.model.contacts",
    "hollow_cylinder": "dalembert.model.body",
    "identify": "dalembert.campaigns.identification",
    "inverse_kinematics": "dalembert.analysis.inverse_kinematics",
    "join": "dalembert.loop.join",
    "linearize": "dalembert.analysis.linearize",
    "load_experiment": "dalembert.io.experiment_files",
    "load_machine": "dalembert.io.machine_files",
    "load_mjcf": "dalembert.io.mjcf.load",
    "load_run": "dalembert.api",
    "load_simulation": "dalembert.io.machine_files",
    "load_urdf": "dalembert.io.urdf",
    "mhe": "dalembert.optimal.estimators",
    "mpc": "dalembert.optimal.predictive",
    "open_campaign": "dalembert.campaigns.campaign",
    "optimise": "dalembert.loop.optimise",
    "point_mass": "dalembert.model.body",
    "read_finite_elements": "dalembert.io.finite_elements.models",
    "realtime": "dalembert.io.realtime",
    "report": "dalembert.view.page.report",
    "rod": "dalembert.model.body",
    "rollout": "dalembert.loop.rollout",
    "share": "dalembert.view.page.live",
    "write_derivation": "dalembert.view.derivation",
    "simulate": "dalembert.api",
    "sin": "dalembert.core.parameter",
    "smoothstep": "dalembert.core.parameter",
    "soft": "dalembert.optimal.limits",
    "sphere": "dalembert.model.body",
    "sqrt": "dalembert.core.parameter",
    "stepper": "dalembert.loop.stepper",
    "to_mjcf": "dalembert.io.mjcf.writer",
    "to_urdf": "dalembert.io.urdf_writer",
    "verify": "dalembert.analysis.verify",
    "winch": "dalembert.model.cables",
    "__version__": "dalembert.core.version",
}
"""Names and their modules, which load on first use: `import dalembert` alone loads none."""

_ROOMS = (
    "analysis",
    "api",
    "benchmarks",
    "campaigns",
    "compile",
    "control",
    "core",
    "formulations",
    "io",
    "loop",
    "model",
    "optimal",
    "plan",
    "simulation",
    "spatial",
    "studies",
    "systems",
    "view",
)
"""The rooms, which load in the same way."""

__getattr__ = later(__name__, _LATER, _ROOMS)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS})
