"""Structure of a machine file, as pydantic models: which keys exist and which kind of value each takes."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, WrapValidator
from pydantic_core import PydanticCustomError

from dalembert.core.validation import AXES

__all__ = ["SHAPES", "BodyEntry", "GeometryEntry", "JointEntry", "MachineFile", "OriginEntry", "SimulationEntry"]


def _number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise PydanticCustomError("number", "must be a number or an expression of parameters")
    if isinstance(value, float) and not math.isfinite(value):
        raise PydanticCustomError("number", "must be finite")
    return value


def _limit(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise PydanticCustomError("limit", "must be a number (.inf where there is no limit)")
    return value


def _bound(value: Any) -> Any:
    return value if isinstance(value, str) else _limit(value)


def _axis(value: Any, vector: Any) -> Any:
    if not isinstance(value, str):
        return vector(value)
    if value not in AXES:
        raise PydanticCustomError("axis", "must be 3 numbers or one of x, y, z, -x, -y, -z")
    return value


def _inertia(value: Any) -> Any:
    if isinstance(value, list) and len(value) in (3, 6) and not any(isinstance(v, list) for v in value):
        return [_number(v) for v in value]
    rows = value if isinstance(value, list) else []
    if len(rows) == 3 and all(isinstance(row, list) and len(row) == 3 for row in rows):
        return [[_number(v) for v in row] for row in value]
    raise PydanticCustomError("inertia", "must be 3 numbers, 6 numbers (xx, yy, zz, xy, xz, yz) or 3 rows of 3")


_EXPRESSION = {"type": "string", "description": "an expression such as m * l**2 / 12, or an angle: 45 deg"}
_NUMBER: dict[str, Any] = {"anyOf": [{"type": "number"}, _EXPRESSION]}
_THREE: dict[str, Any] = {"type": "array", "items": _NUMBER, "minItems": 3, "maxItems": 3}
_INERTIA = {
    "anyOf": [
        _THREE,
        {"type": "array", "items": _NUMBER, "minItems": 6, "maxItems": 6},
        {"type": "array", "items": _THREE, "minItems": 3, "maxItems": 3},
    ]
}
Number = Annotated[Any, BeforeValidator(_number), WithJsonSchema(_NUMBER)]
Limit = Annotated[Any, BeforeValidator(_limit), WithJsonSchema({"type": "number"})]
Bound = Annotated[Any, BeforeValidator(_bound), WithJsonSchema(_NUMBER)]
Inertia = Annotated[Any, BeforeValidator(_inertia), WithJsonSchema(_INERTIA)]
Vector = Annotated[list[Number], Field(min_length=3, max_length=3)]
Axis = Annotated[Vector, WrapValidator(_axis), WithJsonSchema({"anyOf": [_THREE, {"enum": list(AXES)}]})]
ZERO = [0.0, 0.0, 0.0]


class _Entry(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class BoxEntry(_Entry):
    """Homogeneous box."""

    mass: Number
    size: Vector
    com: Vector = ZERO


class CylinderEntry(_Entry):
    """Homogeneous solid cylinder."""

    mass: Number
    radius: Number
    length: Number
    axis: Literal["x", "y", "z"] = "x"
    com: Vector = ZERO


class HollowCylinderEntry(_Entry):
    """Homogeneous tube."""

    mass: Number
    outer: Number
    inner: Number
    length: Number
    axis: Literal["x", "y", "z"] = "x"
    com: Vector = ZERO


class RodEntry(_Entry):
    """Slender rod."""

    mass: Number
    length: Number
    axis: Literal["x", "y", "z"] = "x"
    com: Vector = ZERO


class SphereEntry(_Entry):
    """Homogeneous sphere."""

    mass: Number
    radius: Number
    com: Vector = ZERO


class PointMassEntry(_Entry):
    """Mass without inertia of its own."""

    mass: Number
    com: Vector = ZERO


class SectionEntry(_Entry):
    """Cross-section of a beam: moments of area, or a tube, or a rectangle."""

    area: Limit | None = None
    I_y: Limit = 0.0
    I_z: Limit = 0.0
    I_p: Limit | None = None
    torsion: Limit | None = None
    I_yz: Limit = 0.0
    outer: Limit | None = None
    inner: Limit = 0.0
    width: Limit | None = None
    height: Limit | None = None


class StretchEntry(_Entry):
    """Part of a beam with one section."""

    length: Limit
    section: SectionEntry


class LoadEntry(_Entry):
    """Load at the tip of a beam, for its modes."""

    mass: Limit = 0.0
    inertia: Annotated[list[Limit], Field(min_length=3, max_length=3)] = ZERO
    first_moment: Limit = 0.0


class ShapeEntry(_Entry):
    """A given mode shape: Legendre coefficients per interval, or a polynomial of s/l, or nodal values."""

    breaks: list[Limit] | None = None
    coefficients: list[list[Limit]] | None = None
    polynomial: list[Limit] | None = None
    nodes: list[Limit] | None = None
    values: list[Limit] | None = None
    slopes: list[Limit] | None = None


class SupportEntry(_Entry):
    """Support of an end of a beam."""

    deflection: bool = False
    slope: bool = False
    deflection_spring: Limit = 0.0
    slope_spring: Limit = 0.0


class BeamEntry(_Entry):
    """A flexible segment."""

    length: Limit
    section: SectionEntry | list[StretchEntry]
    E: Number
    G: Number = 0.0
    density: Number
    modes: dict[str, int | list[ShapeEntry]] = {}
    boundary: str | Annotated[list[SupportEntry], Field(min_length=2, max_length=2)] | None = None
    load: LoadEntry | None = None
    offset: Annotated[list[Limit], Field(min_length=3, max_length=3)] = ZERO
    normalization: str = "unit"
    damping: Number = 0.0
    rotary_inertia: bool = True
    stiffening: bool = False
    stations: dict[str, Limit] = {}


class OriginEntry(_Entry):
    """Placement of a frame: position, and the rotation in one of three ways."""

    xyz: Vector = ZERO
    rpy: Vector | None = None
    quaternion: Annotated[list[Limit], Field(min_length=4, max_length=4)] | None = None
    matrix: Annotated[list[Vector], Field(min_length=3, max_length=3)] | None = None


class BoxSolidEntry(_Entry):
    """A box to draw and to touch."""

    size: Vector


class RoundSolidEntry(_Entry):
    """A cylinder or a capsule along z to draw and to touch."""

    radius: Number
    length: Number


class SphereSolidEntry(_Entry):
    """A sphere to draw and to touch."""

    radius: Number


class MeshEntry(_Entry):
    """Triangles in a file."""

    file: str
    scale: Vector = [1.0, 1.0, 1.0]


class GeometryEntry(_Entry):
    """One solid of a body, its placement and what it is for."""

    box: BoxSolidEntry | None = None
    cylinder: RoundSolidEntry | None = None
    capsule: RoundSolidEntry | None = None
    sphere: SphereSolidEntry | None = None
    mesh: MeshEntry | None = None
    origin: OriginEntry = OriginEntry()
    colour: str | None = None
    visual: bool = True
    collision: bool = True


class BodyEntry(_Entry):
    """A body: mass, centre of mass and inertia, or one shape, or a beam."""

    mass: Number = 0.0
    com: Vector = ZERO
    inertia: Inertia = ZERO
    box: BoxEntry | None = None
    cylinder: CylinderEntry | None = None
    hollow_cylinder: HollowCylinderEntry | None = None
    rod: RodEntry | None = None
    sphere: SphereEntry | None = None
    point_mass: PointMassEntry | None = None
    beam: BeamEntry | None = None
    geometry: list[GeometryEntry] | None = None


SHAPES = ("box", "cylinder", "hollow_cylinder", "rod", "sphere", "point_mass")


class LimitsEntry(_Entry):
    """Range of a coordinate, largest speed and effort."""

    lower: Bound = -math.inf
    upper: Bound = math.inf
    velocity: Bound = math.inf
    effort: Bound = math.inf
    stop: bool = False
    restitution: Bound = 0.0


class JointEntry(_Entry):
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


class FrameEntry(_Entry):
    """A frame fixed to a body."""

    body: str
    origin: OriginEntry = OriginEntry()


class MotorEntry(_Entry):
    """A motor; it drives the joint of its own name unless told otherwise."""

    joint: str | None = None
    ratio: Number = 1.0
    rotor_inertia: Number = 0.0
    damping: Number = 0.0
    effort: Limit = math.inf


class ThrusterEntry(_Entry):
    """An input that pushes or turns a body at a frame."""

    frame: str
    force: Vector = ZERO
    torque: Vector = ZERO
    axes: Literal["world", "frame"] = "frame"
    effort: Limit = math.inf
    one_sided: bool = False


class WrenchEntry(_Entry):
    """A load at a frame."""

    frame: str
    force: Vector = ZERO
    torque: Vector = ZERO
    axes: Literal["world", "frame"] = "world"


class OrbitEntry(_Entry):
    """Kepler elements of an orbit."""

    altitude: Limit
    eccentricity: Limit = 0.0
    inclination: Limit = 0.0
    node: Limit = 0.0
    perigee: Limit = 0.0
    anomaly: Limit = 0.0
    mu: Limit = 0.0
    radius: Limit = 0.0


class FieldEntry(_Entry):
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


class CouplingEntry(_Entry):
    """A joint that follows another one."""

    leader: str
    ratio: Number = 1.0
    offset: Number = 0.0


class ConstraintEntry(_Entry):
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


class CableEntry(_Entry):
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


class HalfSpaceEntry(_Entry):
    """All below a plane."""

    normal: Axis = [0.0, 0.0, 1.0]
    point: Vector = ZERO


class SphericalSurfaceEntry(_Entry):
    """A sphere that is touched from outside or inside."""

    radius: Number
    centre: Vector = ZERO
    inside: bool = False


class CylindricalSurfaceEntry(_Entry):
    """A cylinder without ends that is touched from outside or inside."""

    radius: Number
    axis: Axis = [0.0, 0.0, 1.0]
    point: Vector = ZERO
    inside: bool = False


class ContactEntry(_Entry):
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


class SignalEntry(_Entry):
    """A named quantity: an expression of the state, or the motion of a frame."""

    expression: str | None = None
    frame: str | None = None


class SensorEntry(_Entry):
    """Measurements of signals."""

    of: list[str] | str
    period: Number
    noise: Number | list[Number] = 0.0
    bias: Number | list[Number] = 0.0
    quantum: Number | list[Number] = 0.0
    delay: Number = 0.0
    feedback: bool = True


class SwitchEntry(_Entry):
    """Constraints that are added and removed at a time or at an event."""

    at: Number | None = None
    event: str | None = None
    on: list[str] = []
    off: list[str] = []


class SimulationEntry(_Entry):
    """How to simulate the machine: the settings, the initial state and what acts on it."""

    duration: Number | None = None
    t0: Number | None = None
    method: str | None = None
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
    q0: dict[str, Number] = {}
    v0: dict[str, Number] = {}
    p: dict[str, Number] = {}
    switches: list[SwitchEntry] = []
    control: dict[str, Any] | None = None


class MachineFile(_Entry):
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
