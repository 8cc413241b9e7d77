"""Structure of the bodies of a machine file: shapes, beams, geometry, placements."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from dalembert.io.schema_values import ZERO, FileEntry, Inertia, Limit, Number, Units, Vector

__all__ = [
    "SHAPES",
    "BodyEntry",
    "BoxSolidEntry",
    "GeometryEntry",
    "OriginEntry",
    "RoundSolidEntry",
    "SphereSolidEntry",
]


class BoxEntry(FileEntry):
    """Homogeneous box."""

    units: ClassVar[Units] = {"mass": "kg", "size": "m", "com": "m"}

    mass: Number
    size: Vector
    com: Vector = ZERO


class CylinderEntry(FileEntry):
    """Homogeneous solid cylinder."""

    units: ClassVar[Units] = {"mass": "kg", "radius": "m", "length": "m", "com": "m"}

    mass: Number
    radius: Number
    length: Number
    axis: Literal["x", "y", "z"] = "x"
    com: Vector = ZERO


class HollowCylinderEntry(FileEntry):
    """Homogeneous tube."""

    units: ClassVar[Units] = {"mass": "kg", "outer": "m", "inner": "m", "length": "m", "com": "m"}

    mass: Number
    outer: Number
    inner: Number
    length: Number
    axis: Literal["x", "y", "z"] = "x"
    com: Vector = ZERO


class RodEntry(FileEntry):
    """Slender rod."""

    units: ClassVar[Units] = {"mass": "kg", "length": "m", "com": "m"}

    mass: Number
    length: Number
    axis: Literal["x", "y", "z"] = "x"
    com: Vector = ZERO


class SphereEntry(FileEntry):
    """Homogeneous sphere."""

    units: ClassVar[Units] = {"mass": "kg", "radius": "m", "com": "m"}

    mass: Number
    radius: Number
    com: Vector = ZERO


class PointMassEntry(FileEntry):
    """Point mass, without rotational inertia."""

    units: ClassVar[Units] = {"mass": "kg", "com": "m"}

    mass: Number
    com: Vector = ZERO


class SectionEntry(FileEntry):
    """Cross-section of a beam: moments of area, or a tube, or a rectangle."""

    units: ClassVar[Units] = {
        "area": "m^2",
        "I_y": "m^4",
        "I_z": "m^4",
        "I_p": "m^4",
        "torsion": "m^4",
        "I_yz": "m^4",
        "outer": "m",
        "inner": "m",
        "width": "m",
        "height": "m",
    }

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


class StretchEntry(FileEntry):
    """Part of a beam with one section."""

    units: ClassVar[Units] = {"length": "m"}

    length: Limit
    section: SectionEntry


class LoadEntry(FileEntry):
    """Load at the tip of a beam, for its modes."""

    units: ClassVar[Units] = {"mass": "kg", "inertia": "kg m^2", "first_moment": "kg m"}

    mass: Limit = 0.0
    inertia: Annotated[list[Limit], Field(min_length=3, max_length=3)] = ZERO
    first_moment: Limit = 0.0


class ShapeEntry(FileEntry):
    """A given mode shape: Legendre coefficients per interval, or a polynomial of s/l, or nodal values."""

    units: ClassVar[Units] = {
        "breaks": "m",
        "coefficients": "1",
        "polynomial": "1",
        "nodes": "m",
        "values": "1",
        "slopes": "1/m",
    }

    breaks: list[Limit] | None = None
    coefficients: list[list[Limit]] | None = None
    polynomial: list[Limit] | None = None
    nodes: list[Limit] | None = None
    values: list[Limit] | None = None
    slopes: list[Limit] | None = None


class SupportEntry(FileEntry):
    """Support of an end of a beam."""

    units: ClassVar[Units] = {"deflection_spring": "N/m", "slope_spring": "N m/rad"}

    deflection: bool = False
    slope: bool = False
    deflection_spring: Limit = 0.0
    slope_spring: Limit = 0.0


class SlenderEntry(FileEntry):
    """Length, section and material of a beam or rod."""

    units: ClassVar[Units] = {"length": "m", "E": "Pa", "G": "Pa", "density": "kg/m^3", "stations": "m"}

    length: Number
    section: SectionEntry | list[StretchEntry]
    E: Number
    G: Number = 0.0
    density: Number


class BeamEntry(SlenderEntry):
    """A flexible segment."""

    units: ClassVar[Units] = {**SlenderEntry.units, "offset": "m", "damping": "1"}

    modes: dict[str, int | list[ShapeEntry]] = {}
    boundary: str | Annotated[list[SupportEntry], Field(min_length=2, max_length=2)] | None = None
    load: LoadEntry | None = None
    offset: Annotated[list[Limit], Field(min_length=3, max_length=3)] = ZERO
    normalization: str = "unit"
    damping: Number = 0.0
    rotary_inertia: bool | Literal["rigid"] = True
    stiffening: bool = False
    stations: dict[str, Limit] = {}


class CurvedStretchEntry(FileEntry):
    """Part of a rod with one curvature."""

    units: ClassVar[Units] = {"length": "m", "curvature": "1/m"}

    length: Limit
    curvature: Annotated[list[Limit], Field(min_length=3, max_length=3)]


class ExactRodEntry(SlenderEntry):
    """A flexible rod whose deflection has no limit."""

    units: ClassVar[Units] = {
        **SlenderEntry.units,
        "pieces": "m",
        "curvature": "1/m",
        "shear_factor": "1",
        "damping_time": "s",
    }

    strains: dict[str, int]
    pieces: int | list[Limit] = 1
    curvature: Annotated[list[Limit], Field(min_length=3, max_length=3)] | list[CurvedStretchEntry] = ZERO
    tip_section: SectionEntry | None = None
    shear_factor: Limit | None = None
    damping_time: Number = 0.0
    rotary_inertia: bool = True
    points: int | None = None
    stations: dict[str, Limit] = {}


class FiniteElementsEntry(FileEntry):
    """A flexible body from finite elements."""

    units: ClassVar[Units] = {"damping": "1"}

    file: str | None = None
    stiffness: str | None = None
    mass: str | None = None
    nodes: str | None = None
    unit: str = "m"
    interfaces: dict[str, str | list[int]]
    modes: int = 20
    method: str = "craig-bampton"
    relief: bool = False
    stress: bool = False
    stiffening: bool = False
    stations: dict[str, str | list[int]] = {}
    damping: Number = 0.0


class OriginEntry(FileEntry):
    """Placement of a frame: position, and the rotation in one of three ways."""

    units: ClassVar[Units] = {"xyz": "m", "rpy": "rad", "quaternion": "1", "matrix": "1"}

    xyz: Vector = ZERO
    rpy: Vector | None = None
    quaternion: Annotated[list[Limit], Field(min_length=4, max_length=4)] | None = None
    matrix: Annotated[list[Vector], Field(min_length=3, max_length=3)] | None = None


class BoxSolidEntry(FileEntry):
    """A box to draw and to touch."""

    units: ClassVar[Units] = {"size": "m"}

    size: Vector


class RoundSolidEntry(FileEntry):
    """A cylinder, capsule or cone along z to draw and to touch."""

    units: ClassVar[Units] = {"radius": "m", "length": "m"}

    radius: Number
    length: Number


class SphereSolidEntry(FileEntry):
    """A sphere to draw and to touch."""

    units: ClassVar[Units] = {"radius": "m"}

    radius: Number


class MeshEntry(FileEntry):
    """Triangles in a file."""

    units: ClassVar[Units] = {"scale": "1"}

    file: str
    scale: Vector = [1.0, 1.0, 1.0]


class HeightFieldEntry(FileEntry):
    """Terrain: rows of heights."""

    units: ClassVar[Units] = {"heights": "m", "size": "m"}

    heights: list[list[Number]]
    size: Annotated[list[Number], Field(min_length=2, max_length=2)]


class GeometryEntry(FileEntry):
    """One solid of a body, its placement and its purpose."""

    box: BoxSolidEntry | None = None
    cylinder: RoundSolidEntry | None = None
    capsule: RoundSolidEntry | None = None
    cone: RoundSolidEntry | None = None
    sphere: SphereSolidEntry | None = None
    mesh: MeshEntry | None = None
    height_field: HeightFieldEntry | None = None
    origin: OriginEntry = OriginEntry()
    colour: str | None = None
    visual: bool = True
    collision: bool = True


class BodyEntry(FileEntry):
    """A body: mass, centre of mass and inertia, or one shape, or a beam, an exact rod, or finite elements."""

    units: ClassVar[Units] = {"mass": "kg", "com": "m", "inertia": "kg m^2"}

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
    exact_rod: ExactRodEntry | None = None
    finite_elements: FiniteElementsEntry | None = None
    geometry: list[GeometryEntry] | None = None


SHAPES = ("box", "cylinder", "hollow_cylinder", "rod", "sphere", "point_mass")
