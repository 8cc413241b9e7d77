"""The frozen description of a machine: bodies, joints, frames, motors, wrenches and parameters. No equations here."""

from dalembert.core.parameter import TIME, Parameter, Scalar
from dalembert.core.validation import Vector
from dalembert.model.appendages import ControlMomentGyro, ModalAppendage, Wheel
from dalembert.model.beam import Beam
from dalembert.model.beam_modes import Support
from dalembert.model.body import Body, box, cylinder, hollow_cylinder, point_mass, rod, sphere
from dalembert.model.cables import Cable, CableExit, CablePath, register_cable_exit, winch
from dalembert.model.celestial import J2000, magnetic_field, moon_position, sidereal_angle, sun_position
from dalembert.model.colliders import Collider
from dalembert.model.constraints import (
    BallConstraint,
    Constraint,
    DistanceConstraint,
    FramePair,
    GearConstraint,
    LoopConstraint,
    MotionConstraint,
    OrthogonalConstraint,
    ParallelConstraint,
    RowContext,
    WeldConstraint,
    register_constraint,
)
from dalembert.model.contacts import (
    Ball,
    BoxSurface,
    Contact,
    CylindricalSurface,
    Distance,
    HalfSpace,
    Plane,
    SphericalSurface,
    Surface,
    Tube,
    body_contacts,
    geometry_contacts,
    register_surface,
)
from dalembert.model.context import MachineContext
from dalembert.model.elastic.contract import Elastic, ElasticBody, ElasticSection
from dalembert.model.elastic.finite_elements import FlexibleBody
from dalembert.model.elastic.rod import Rod
from dalembert.model.elastic_joint import ElasticJoint, elastic_joint
from dalembert.model.far_fields import MagneticTorque, ThirdBody
from dalembert.model.fields import Drag, ForceField, OrbitalGravity, SolarPressure
from dalembert.model.friction import Friction
from dalembert.model.from_dh import machine_from_dh
from dalembert.model.geometry import Box, Capsule, Cone, Cylinder, Geometry, HeightField, Mesh, Sphere
from dalembert.model.harmonics import GravityModel, earth_zonals, read_gfc
from dalembert.model.joint import WORLD, Joint, Limits
from dalembert.model.kind_fields import Axis, FrameName, JointName, Terms
from dalembert.model.machine import Machine
from dalembert.model.orbit import Orbit, clohessy_wiltshire
from dalembert.model.orbiting import in_orbit
from dalembert.model.parts import Coupling, Frame, Motor, Thruster, Wrench
from dalembert.model.relative_motion import orbit_axes, yamanaka_ankersen
from dalembert.model.ropes import Anchor, Drum, DrumLayers, Guide, Rope, RopeBase, RopeObstacle, Sheave, SheaveLoss
from dalembert.model.section import Load, Section
from dalembert.model.shapes import Shape
from dalembert.model.signals import Sensor, Signal
from dalembert.model.soft_contact import SoftContact
from dalembert.model.surroundings import shadow_edges, standard_density, sunlight
from dalembert.model.transform import Transform

__all__ = [
    "J2000",
    "TIME",
    "WORLD",
    "Anchor",
    "Axis",
    "Ball",
    "BallConstraint",
    "Beam",
    "Body",
    "Box",
    "BoxSurface",
    "Cable",
    "CableExit",
    "CablePath",
    "Capsule",
    "Collider",
    "Cone",
    "Constraint",
    "Contact",
    "ControlMomentGyro",
    "Coupling",
    "Cylinder",
    "CylindricalSurface",
    "Distance",
    "DistanceConstraint",
    "Drag",
    "Drum",
    "DrumLayers",
    "Elastic",
    "ElasticBody",
    "ElasticJoint",
    "ElasticSection",
    "FlexibleBody",
    "ForceField",
    "Frame",
    "FrameName",
    "FramePair",
    "Friction",
    "GearConstraint",
    "Geometry",
    "GravityModel",
    "Guide",
    "HalfSpace",
    "HeightField",
    "Joint",
    "JointName",
    "Limits",
    "Load",
    "LoopConstraint",
    "Machine",
    "MachineContext",
    "MagneticTorque",
    "Mesh",
    "ModalAppendage",
    "MotionConstraint",
    "Motor",
    "Orbit",
    "OrbitalGravity",
    "OrthogonalConstraint",
    "ParallelConstraint",
    "Parameter",
    "Plane",
    "Rod",
    "Rope",
    "RopeBase",
    "RopeObstacle",
    "RowContext",
    "Scalar",
    "Section",
    "Sensor",
    "Shape",
    "Sheave",
    "SheaveLoss",
    "Signal",
    "SoftContact",
    "SolarPressure",
    "Sphere",
    "SphericalSurface",
    "Support",
    "Surface",
    "Terms",
    "ThirdBody",
    "Thruster",
    "Transform",
    "Tube",
    "Vector",
    "WeldConstraint",
    "Wheel",
    "Wrench",
    "body_contacts",
    "box",
    "clohessy_wiltshire",
    "cylinder",
    "earth_zonals",
    "elastic_joint",
    "geometry_contacts",
    "hollow_cylinder",
    "in_orbit",
    "machine_from_dh",
    "magnetic_field",
    "moon_position",
    "orbit_axes",
    "point_mass",
    "read_gfc",
    "register_cable_exit",
    "register_constraint",
    "register_surface",
    "rod",
    "shadow_edges",
    "sidereal_angle",
    "sphere",
    "standard_density",
    "sun_position",
    "sunlight",
    "winch",
    "yamanaka_ankersen",
]
