"""Structure of a machine file, as pydantic models: which keys exist and which kind of value each takes.

Entries of elements that are of several kinds are made from the registers of the kinds, those of the user among them:
`machine_file` returns the model of the whole file.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, ClassVar, Literal, TypeVar

from pydantic import create_model

from dalembert.io.body_schema import BodyEntry, GeometryEntry, OriginEntry
from dalembert.io.contact_entries import solid_keys
from dalembert.io.friction_entries import FrictionEntry, MotorFrictionEntry
from dalembert.io.kind_entries import entry_fields, entry_units
from dalembert.io.rope_entries import RopeEntry
from dalembert.io.schema_values import ZERO, Axis, Bound, FileEntry, Limit, Number, Quantity, Units, Vector
from dalembert.model.cables import pulley_keys
from dalembert.model.constraints import CONSTRAINT_KINDS
from dalembert.model.contacts import SURFACE_KINDS
from dalembert.model.orbit import EARTH_MU, EARTH_RADIUS

__all__ = ["JointEntry", "MachineFile", "SensorEntry", "SimulationEntry", "machine_file"]

Entry = TypeVar("Entry", bound=FileEntry)


class LimitsEntry(FileEntry):
    """Range of a coordinate, largest speed and effort."""

    units: ClassVar[Units] = {"lower": "{q}", "upper": "{q}", "velocity": "{q}/s", "effort": "{f}", "restitution": "1"}

    lower: Bound = -math.inf
    upper: Bound = math.inf
    velocity: Bound = math.inf
    effort: Bound = math.inf
    stop: bool = False
    restitution: Bound = 0.0


class JointEntry(FileEntry):
    """A joint."""

    units: ClassVar[Units] = {
        "axis": "1",
        "second_axis": "1",
        "stiffness": "{f}/{q}",
        "rest": "{q}",
        "damping": "{f} s/{q}",
        "friction": "{f}",
        "friction_velocity": "{q}/s",
        "armature": "{i}",
        "pitch": "m/rad",
    }

    kind: str
    parent: str
    child: str
    origin: OriginEntry = OriginEntry()
    axis: Axis = [0.0, 0.0, 1.0]
    limits: LimitsEntry = LimitsEntry()
    stiffness: Number = 0.0
    rest: Number = 0.0
    damping: Number = 0.0
    friction: FrictionEntry | Number = 0.0
    friction_velocity: Number = 1e-3
    friction_law: Literal["smooth", "stick"] = "smooth"
    armature: Number = 0.0
    second_axis: Axis | None = None
    pitch: Number | None = None


class FrameEntry(FileEntry):
    """A frame fixed to a body."""

    body: str
    origin: OriginEntry = OriginEntry()


class MotorEntry(FileEntry):
    """A motor; it drives the joint of its own name unless told otherwise."""

    units: ClassVar[Units] = {
        "ratio": "1|rad/{q}",
        "rotor_inertia": "kg m^2|{i}",
        "damping": "N m s/rad|{f} s/{q}",
        "effort": "N m|{f}",
        "speed": "rad/s",
        "efficiency": "1",
        "back_efficiency": "1",
    }

    joint: str | None = None
    ratio: Number = 1.0
    rotor_inertia: Number = 0.0
    damping: Number = 0.0
    effort: Quantity = math.inf
    speed: Quantity = math.inf
    friction: MotorFrictionEntry | None = None
    efficiency: Number = 1.0
    back_efficiency: Number | None = None


class ThrusterEntry(FileEntry):
    """An input that pushes or turns a body at a frame."""

    units: ClassVar[Units] = {"force": "N|1", "torque": "N m|1", "effort": "N|N m|1", "toward": "m"}

    frame: str
    force: Vector = ZERO
    torque: Vector = ZERO
    axes: Literal["world", "frame"] = "frame"
    effort: Limit = math.inf
    one_sided: bool = False
    toward: Vector | None = None


class WrenchEntry(FileEntry):
    """A load at a frame."""

    units: ClassVar[Units] = {"force": "N", "torque": "N m"}

    frame: str
    force: Vector = ZERO
    torque: Vector = ZERO
    axes: Literal["world", "frame"] = "world"


class OrbitEntry(FileEntry):
    """Kepler elements of an orbit."""

    units: ClassVar[Units] = {
        "altitude": "m",
        "eccentricity": "1",
        "inclination": "rad",
        "node": "rad",
        "perigee": "rad",
        "anomaly": "rad",
        "mu": "m^3/s^2",
        "radius": "m",
    }

    altitude: Limit
    eccentricity: Limit = 0.0
    inclination: Limit = 0.0
    node: Limit = 0.0
    perigee: Limit = 0.0
    anomaly: Limit = 0.0
    mu: Limit = EARTH_MU
    radius: Limit = EARTH_RADIUS


class FieldEntry(FileEntry):
    """A force that depends on the motion of a frame; which of the fields apply depends on its type."""

    units: ClassVar[Units] = {
        "mass": "kg",
        "inertia": "kg m^2",
        "J2": "1",
        "area": "m^2",
        "normal": "1",
        "density": "kg/m^3",
        "scale_height": "m",
        "coefficient": "1",
        "sun": "1",
        "absorbed": "1",
        "diffuse": "1",
        "specular": "1",
        "pressure": "Pa",
        "epoch": "1",
        "dipole": "A m^2",
        "radius": "m",
        "stiffness": "N/m",
        "damping": "s/m",
        "friction": "1",
        "creep": "m/s",
    }

    type: Literal["orbital-gravity", "drag", "solar-pressure", "third-body", "magnetic-torque", "soft-contact"]
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
    atmosphere: Literal["exponential", "standard"] = "exponential"
    shadow: bool = False
    radius: Number = 0.0
    on: str = "world"
    stiffness: Number = 1e4
    damping: Number = 0.0
    friction: Number = 0.0
    creep: Number = 1e-3


class CouplingEntry(FileEntry):
    """A joint that follows another one."""

    units: ClassVar[Units] = {"ratio": "{q}/{l}", "offset": "{q}"}

    leader: str
    ratio: Number = 1.0
    offset: Number = 0.0


class ConstraintEntry(FileEntry):
    """A constraint; which of the fields apply depends on its type."""

    type: str


class CableEntry(FileEntry):
    """A cable."""

    units: ClassVar[Units] = {
        "anchor_at": "m",
        "exit_at": "m",
        "length": "m",
        "drum": "m/rad|1",
        "pulley": "m",
        "stiffness": "N",
        "damping": "N s",
        "weight": "N/m",
        "friction": "1",
        "lead": "m",
    }

    anchor: str
    exit: str = "world"
    anchor_at: Vector = ZERO
    exit_at: Vector = ZERO
    length: Number | None = None
    winch: str | None = None
    drum: Number = 0.0
    pulley: Number = 0.0
    swivel: str = "free"
    stiffness: Number | None = None
    damping: Number = 0.0
    bilateral: bool = False
    weight: Number = 0.0
    friction: Number = 0.0
    lead: Number = 0.0


class ContactEntry(FileEntry):
    """A contact: a solid (none of them: a point), a surface (none: the ground), restitution and friction."""

    frame: str


class ColliderEntry(FileEntry):
    """Bodies that touch with their geometry (none named: all others), or a half-space."""

    units: ClassVar[Units] = {
        "friction": "1", "restitution": "1", "rolling": "m", "spinning": "m", "stiffness": "N/m",
        "damping": "s/m", "adhesion": "N", "belt": "m/s", "grain": "1", "across": "1", "radius": "m",
    }  # fmt: skip

    bodies: list[str] | None = None
    friction: Number = 0.5
    restitution: Number = 0.0
    ignores: list[str] = []
    rolling: Number = 0.0
    spinning: Number = 0.0
    stiffness: Number | None = None
    damping: Number = 0.0
    adhesion: Number = 0.0
    belt: Vector = ZERO
    grain: Axis | None = None
    across: Number | None = None
    segments: int | None = None
    radius: Number | None = None


class SignalEntry(FileEntry):
    """A named quantity: an expression of the state, or the motion of a frame."""

    expression: str | None = None
    frame: str | None = None


class SensorEntry(FileEntry):
    """Measurements of signals."""

    units: ClassVar[Units] = {"period": "s", "noise": "{s}", "bias": "{s}", "quantum": "{s}", "delay": "s"}

    of: list[str] | str
    period: Number
    noise: Number | list[Number] = 0.0
    bias: Number | list[Number] = 0.0
    quantum: Number | list[Number] = 0.0
    delay: Number = 0.0
    feedback: bool = True


class SwitchEntry(FileEntry):
    """Constraints that are added and removed at a time or at an event."""

    units: ClassVar[Units] = {"at": "s"}

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
    """The experiment: the start, the law, events, and the integration method."""

    units: ClassVar[Units] = {
        "duration": "s",
        "t0": "s",
        "step": "s",
        "rtol": "1",
        "atol": "{x}",
        "max_step": "s",
        "record": "s",
        "reach": "m|rad",
        "branch": "m|rad",
        "q0": "{x}",
        "v0": "{x}",
        "p": "{x}",
        "control": "{x}",
    }

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
    branch: int | dict[str, Number] | None = None
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

    units: ClassVar[Units] = {"gravity": "m/s^2", "parameters": "{x}"}

    name: str
    gravity: Vector = [0.0, 0.0, -9.81]
    parameters: dict[str, Quantity] = {}
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
    ropes: dict[str, RopeEntry] = {}
    fields: dict[str, FieldEntry] = {}
    contacts: dict[str, ContactEntry] = {}
    colliders: dict[str, ColliderEntry] = {}
    signals: dict[str, SignalEntry] = {}
    sensors: dict[str, SensorEntry] = {}
    simulation: SimulationEntry | None = None


def machine_file() -> type[MachineFile]:
    """Return the model of a machine file, with all kinds that are registered now."""
    return _machine_file(tuple(CONSTRAINT_KINDS.items()), tuple(SURFACE_KINDS.items()), pulley_keys())


_Kinds = tuple[tuple[str, type], ...]


@lru_cache(maxsize=8)
def _machine_file(constraints: _Kinds, surfaces: _Kinds, pulleys: tuple[str, ...]) -> type[MachineFile]:
    constraint: Any = _constraint_entry(dict(constraints))
    contact: Any = _contact_entry(dict(surfaces))
    surface: Any = contact.model_fields["half_space"].annotation
    collider: Any = _completed(ColliderEntry, {"half_space": (surface, None)})
    field: Any = _completed(FieldEntry, {key: (contact.model_fields[key].annotation, None) for key, _ in surfaces})
    swivel: Any = Literal[pulleys]
    cable: Any = _completed(CableEntry, {"swivel": (swivel, "free")})
    return create_model(
        "MachineFile",
        __base__=MachineFile,
        __doc__=MachineFile.__doc__,
        constraints=(dict[str, constraint], {}),
        cables=(dict[str, cable], {}),
        fields=(dict[str, field], {}),
        contacts=(dict[str, contact], {}),
        colliders=(dict[str, collider], {}),
    )


def _constraint_entry(kinds: dict[str, type]) -> type[ConstraintEntry]:
    key: Any = Literal[tuple(kinds)]
    entry = _completed(ConstraintEntry, {"type": (key, ...), **entry_fields(kinds.values(), required=False)})
    entry.units = entry_units(kinds.values())
    return entry


def _contact_entry(surfaces: dict[str, type]) -> type[ContactEntry]:
    solid, law, surface = GeometryEntry.model_fields, Literal["newton", "poisson"], {}
    for key, kind in surfaces.items():
        entry: Any = create_model(
            f"{kind.__name__}Entry",
            __base__=FileEntry,
            __doc__=(kind.__doc__ or "").partition("\n")[0],
            **entry_fields([kind]),
        )
        entry.units = entry_units([kind])
        surface[key] = (entry | None, None)
    fields = {
        **{key: (solid[key].annotation, None) for key in solid_keys()},
        "origin": (OriginEntry, OriginEntry()),
        **surface,
        "on": (str, "world"),
        "restitution": (Number, 0.0),
        "friction": (Number, 0.0),
        "law": (law, "newton"),
    }
    entry = _completed(ContactEntry, fields)
    entry.units = {"restitution": "1", "friction": "1"}
    return entry


def _completed(base: type[Entry], fields: dict[str, Any]) -> type[Entry]:
    """An entry with the fields that depend on registers."""
    return create_model(base.__name__, __base__=base, __doc__=base.__doc__, **fields)
