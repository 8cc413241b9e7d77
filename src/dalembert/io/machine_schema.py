"""Structure of a machine file, as pydantic models: which keys exist and which kind of value each takes."""

from __future__ import annotations

import math
from typing import Any, Literal

from dalembert.io.body_schema import BodyEntry, BoxSolidEntry, OriginEntry, RoundSolidEntry, SphereSolidEntry
from dalembert.io.schema_values import ZERO, Axis, Bound, FileEntry, Limit, Number, Vector

__all__ = ["JointEntry", "MachineFile", "SensorEntry", "SimulationEntry"]


class LimitsEntry(FileEntry):
    """Range of a coordinate, largest speed and effort."""

    lower: Bound = -math.inf
    upper: Bound = math.inf
    velocity: Bound = math.inf
    effort: Bound = math.inf
    stop: bool = False
    restitution: Bound = 0.0


class JointEntry(FileEntry):
    """A joint."""

    kind: str
    parent: str
    child: str
    origin: OriginEntry = OriginEntry()
    axis: Axis = [0.0, 0.0, 1.0]
    limits: LimitsEntry = LimitsEntry()
    stiffness: Number = 0.0
    rest: Number = 0.0
    damping: Number = 0.0
    friction: Number = 0.0
    friction_velocity: Number = 1e-3
    armature: Number = 0.0
    second_axis: Axis | None = None
    pitch: Number | None = None


class FrameEntry(FileEntry):
    """A frame fixed to a body."""

    body: str
    origin: OriginEntry = OriginEntry()


class MotorEntry(FileEntry):
    """A motor; it drives the joint of its own name unless told otherwise."""

    joint: str | None = None
    ratio: Number = 1.0
    rotor_inertia: Number = 0.0
    damping: Number = 0.0
    effort: Limit = math.inf


class ThrusterEntry(FileEntry):
    """An input that pushes or turns a body at a frame."""

    frame: str
    force: Vector = ZERO
    torque: Vector = ZERO
    axes: Literal["world", "frame"] = "frame"
    effort: Limit = math.inf
    one_sided: bool = False


class WrenchEntry(FileEntry):
    """A load at a frame."""

    frame: str
    force: Vector = ZERO
    torque: Vector = ZERO
    axes: Literal["world", "frame"] = "world"


class OrbitEntry(FileEntry):
    """Kepler elements of an orbit."""

    altitude: Limit
    eccentricity: Limit = 0.0
    inclination: Limit = 0.0
    node: Limit = 0.0
    perigee: Limit = 0.0
    anomaly: Limit = 0.0
    mu: Limit = 0.0
    radius: Limit = 0.0


class FieldEntry(FileEntry):
    """A force that depends on the motion of a frame; which of the fields apply depends on its type."""

    type: Literal["orbital-gravity", "drag", "solar-pressure", "third-body", "magnetic-torque"]
    frame: str
    mass: Number = 0.0
    inertia: list[Number] | None = None
    orbit: OrbitEntry | None = None
    J2: Limit = 0.0
    area: Number = 1.0
    normal: Vector = [0.0, 0.0, 1.0]
    density: Number = 1e-12
    scale_height: Limit = math.inf
    coefficient: Number = 2.2
    sun: Vector = [1.0, 0.0, 0.0]
    absorbed: Limit = 1.0
    diffuse: Limit = 0.0
    specular: Limit = 0.0
    pressure: Number = 4.56e-6
    body: Literal["moon", "sun"] = "moon"
    epoch: Limit = 2451545.0
    dipole: Vector = [0.0, 0.0, 0.0]


class CouplingEntry(FileEntry):
    """A joint that follows another one."""

    leader: str
    ratio: Number = 1.0
    offset: Number = 0.0


class ConstraintEntry(FileEntry):
    """A constraint; which of the fields apply depends on its type."""

    type: Literal["ball", "distance", "weld", "parallel", "orthogonal", "loop", "gear", "motion"]
    switchable: bool = False
    active: bool = True
    frame: str | None = None
    other: str = "world"
    components: str = "xyz"
    length: Number = 0.0
    offset: OriginEntry | None = None
    axis: Axis = [0.0, 0.0, 1.0]
    other_axis: Axis = [0.0, 0.0, 1.0]
    angle: Number = math.pi / 2
    kind: str = "revolute"
    terms: dict[str, Number] = {}
    value: Number = 0.0
    joint: str | None = None
    component: str = "x"


class CableEntry(FileEntry):
    """A cable."""

    anchor: str
    exit: str = "world"
    anchor_at: Vector = ZERO
    exit_at: Vector = ZERO
    length: Number | None = None
    winch: str | None = None
    drum: Number = 0.0
    pulley: Number = 0.0
    swivel: Literal["free", "fixed"] = "free"
    stiffness: Number | None = None
    damping: Number = 0.0
    bilateral: bool = False


class HalfSpaceEntry(FileEntry):
    """All below a plane."""

    normal: Axis = [0.0, 0.0, 1.0]
    point: Vector = ZERO


class SphericalSurfaceEntry(FileEntry):
    """A sphere that is touched from outside or inside."""

    radius: Number
    centre: Vector = ZERO
    inside: bool = False


class CylindricalSurfaceEntry(FileEntry):
    """A cylinder without ends that is touched from outside or inside."""

    radius: Number
    axis: Axis = [0.0, 0.0, 1.0]
    point: Vector = ZERO
    inside: bool = False


class ContactEntry(FileEntry):
    """A contact: a solid (none of them: a point), a surface (none: the ground), restitution and friction."""

    frame: str
    sphere: SphereSolidEntry | None = None
    capsule: RoundSolidEntry | None = None
    box: BoxSolidEntry | None = None
    origin: OriginEntry = OriginEntry()
    half_space: HalfSpaceEntry | None = None
    spherical: SphericalSurfaceEntry | None = None
    cylindrical: CylindricalSurfaceEntry | None = None
    on: str = "world"
    restitution: Number = 0.0
    friction: Number = 0.0
    law: Literal["newton", "poisson"] = "newton"


class SignalEntry(FileEntry):
    """A named quantity: an expression of the state, or the motion of a frame."""

    expression: str | None = None
    frame: str | None = None


class SensorEntry(FileEntry):
    """Measurements of signals."""

    of: list[str] | str
    period: Number
    noise: Number | list[Number] = 0.0
    bias: Number | list[Number] = 0.0
    quantum: Number | list[Number] = 0.0
    delay: Number = 0.0
    feedback: bool = True


class SwitchEntry(FileEntry):
    """Constraints that are added and removed at a time or at an event."""

    at: Number | None = None
    event: str | None = None
    on: list[str] = []
    off: list[str] = []


class EventEntry(FileEntry):
    """An event of a run: an expression of quantities that changes its sign."""

    name: str
    expression: str
    terminal: bool = False
    direction: Literal[-1, 0, 1] = 0


class SimulationEntry(FileEntry):
    """The experiment: the start, the law, what happens, and how it is integrated."""

    duration: Number | None = None
    t0: Number | None = None
    method: str | dict[str, Any] | None = None
    step: Number | None = None
    rtol: Number | None = None
    atol: Number | list[Number] | None = None
    max_step: Number | None = None
    max_steps: int | None = None
    record: Number | None = None
    constraints: str | dict[str, Any] | None = None
    reach: Number | None = None
    limits: str | None = None
    contact: str | dict[str, Any] | None = None
    seed: int | None = None
    member: int | None = None
    by: str | None = None
    backend: str | None = None
    q0: dict[str, Number] | list[Number] = {}
    v0: dict[str, Number] | list[Number] = {}
    p: dict[str, Number] = {}
    switches: list[SwitchEntry] = []
    events: list[EventEntry] = []
    signals: dict[str, SignalEntry] = {}
    sensors: dict[str, SensorEntry] = {}
    control: dict[str, Any] | list[Number] | None = None


class MachineFile(FileEntry):
    """The whole file."""

    name: str
    gravity: Vector = [0.0, 0.0, -9.81]
    parameters: dict[str, Limit] = {}
    gains: list[str] = []
    bodies: dict[str, BodyEntry]
    joints: dict[str, JointEntry]
    frames: dict[str, FrameEntry] = {}
    motors: dict[str, MotorEntry] = {}
    thrusters: dict[str, ThrusterEntry] = {}
    wrenches: dict[str, WrenchEntry] = {}
    couplings: dict[str, CouplingEntry] = {}
    constraints: dict[str, ConstraintEntry] = {}
    cables: dict[str, CableEntry] = {}
    fields: dict[str, FieldEntry] = {}
    contacts: dict[str, ContactEntry] = {}
    signals: dict[str, SignalEntry] = {}
    sensors: dict[str, SensorEntry] = {}
    simulation: SimulationEntry | None = None
