"""Shapes of bodies for drawing and contact: boxes, cylinders, capsules, cones, spheres, meshes and terrain, placed.

Geometry does not affect the equations of free motion. Pictures use `visual` geometry; contact and clearance use
`collision` geometry; the two may differ, as in URDF. Dimensions may be parameters like any other number of a machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar
from dalembert.core.types import Array
from dalembert.core.validation import Bound, Vector, field_scalar, field_vector
from dalembert.model.meshes import TriangleMesh, load_mesh
from dalembert.model.transform import IDENTITY, Transform, as_transform

__all__ = [
    "Box", "Capsule", "Cone", "Cylinder", "Geometry", "HeightField", "Mesh", "Solid", "Sphere", "along", "as_geometry",
]  # fmt: skip

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True)
class Box:
    """Box with its centre at the origin.

    Parameters
    ----------
    size
        Sides along x, y and z [m].

    Examples
    --------
    >>> import dalembert as da
    >>> da.Box((0.4, 0.3, 0.2)).size
    (0.4, 0.3, 0.2)
    """

    size: Vector

    def __post_init__(self) -> None:
        size = field_vector(self.size, "the size of a box")
        names = ("length", "width", "height")
        sides = (field_scalar(x, f"the {n} of a box", lower=0.0, strict=True) for n, x in zip(names, size, strict=True))
        object.__setattr__(self, "size", tuple(sides))


def _check_round(solid: Cylinder | Cone, kind: str) -> None:
    """Set radius and length to scalars above zero."""
    for name in ("radius", "length"):
        value = field_scalar(getattr(solid, name), f"the {name} of a {kind}", lower=0.0, strict=True)
        object.__setattr__(solid, name, value)


@dataclass(frozen=True)
class Cylinder:
    """Cylinder about the z axis with its centre at the origin.

    Parameters
    ----------
    radius, length
        Its dimensions [m].

    Examples
    --------
    >>> import dalembert as da
    >>> da.Cylinder(radius=0.05, length=0.3).radius
    0.05
    """

    radius: Scalar
    length: Scalar

    def __post_init__(self) -> None:
        _check_round(self, "cylinder")


@dataclass(frozen=True)
class Capsule:
    """All points within ``radius`` of a segment of the z axis with its centre at the origin.

    Parameters
    ----------
    radius
        Radius of the round part [m]; zero: the segment itself, as of a slender rod.
    length
        Length of the segment [m], without the round ends.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Capsule(radius=0.05, length=0.3).length
    0.3
    """

    radius: Scalar
    length: Scalar

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", field_scalar(self.radius, "the radius of a capsule", lower=0.0))
        length = field_scalar(self.length, "the length of a capsule", lower=0.0, strict=True)
        object.__setattr__(self, "length", length)


@dataclass(frozen=True)
class Cone:
    """Cone about the z axis: its base is at ``-length/2``, its tip at ``length/2``.

    Parameters
    ----------
    radius, length
        Radius of the base, and height [m].

    Examples
    --------
    >>> import dalembert as da
    >>> da.Cone(radius=0.1, length=0.3).length
    0.3
    """

    radius: Scalar
    length: Scalar

    def __post_init__(self) -> None:
        _check_round(self, "cone")


@dataclass(frozen=True)
class HeightField:
    """Terrain: heights above the points of a grid, with two triangles in each cell; all that is below is solid.

    Parameters
    ----------
    heights
        Heights [m]: rows along x, columns along y, at least two of both.
    size
        Extent along x and y [m]; the centre of the grid is at the origin.

    Examples
    --------
    >>> import dalembert as da
    >>> da.HeightField([[0.0, 0.0, 0.1], [0.0, 0.2, 0.1]], size=(1.0, 2.0)).spacing
    (1.0, 1.0)
    """

    heights: tuple[tuple[float, ...], ...]
    size: tuple[float, float]

    def __post_init__(self) -> None:
        try:
            heights, size = np.array(self.heights, dtype=float), np.array(self.size, dtype=float)
        except (TypeError, ValueError):
            raise MachineError("a height field takes rows of numbers, all of one length, and two sizes") from None
        if heights.ndim != 2 or min(heights.shape) < 2:
            raise MachineError(
                f"heights of a height field must have at least two rows and columns, got {heights.shape}"
            )
        if not np.isfinite(heights).all():
            raise MachineError("heights of a height field must be finite numbers")
        if size.shape != (2,) or not (np.isfinite(size) & (size > 0.0)).all():
            raise MachineError(f"the size of a height field must be two positive lengths, got {self.size!r}")
        object.__setattr__(self, "heights", tuple(tuple(row) for row in heights.tolist()))
        object.__setattr__(self, "size", tuple(size.tolist()))

    @property
    def spacing(self) -> tuple[float, float]:
        """Distances of the points along x and y."""
        return self.size[0] / (len(self.heights) - 1), self.size[1] / (len(self.heights[0]) - 1)

    def points(self) -> Array:
        """Points of the grid, row by row (n x 3)."""
        heights = np.array(self.heights)
        x, y = (np.linspace(-0.5 * s, 0.5 * s, n) for s, n in zip(self.size, heights.shape, strict=True))
        return np.column_stack([np.repeat(x, len(y)), np.tile(y, len(x)), heights.ravel()])


@dataclass(frozen=True)
class Sphere:
    """Sphere with its centre at the origin.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Sphere(0.1).radius
    0.1
    """

    radius: Scalar

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", field_scalar(self.radius, "the radius of a sphere", lower=0.0, strict=True))


@dataclass(frozen=True)
class Mesh:
    """Triangles in a file, which is read on demand.

    Parameters
    ----------
    file
        Path of the file (.stl, .obj).
    scale
        Factors along x, y and z.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Mesh("hook.stl", scale=(0.001, 0.001, 0.001)).file
    'hook.stl'
    """

    file: str
    scale: Vector = (1.0, 1.0, 1.0)

    def __post_init__(self) -> None:
        if not isinstance(self.file, str) or not self.file.strip() or "\0" in self.file:
            raise MachineError(f"the file of a mesh must be a path, got {self.file!r}")
        scale = field_vector(self.scale, f"the scale of mesh '{self.file}'")
        if any(x == 0.0 for x in scale):
            raise MachineError(f"the scale of mesh '{self.file}' must not be zero, got {list(scale)}")
        object.__setattr__(self, "scale", scale)

    def triangles(self) -> TriangleMesh:
        """Read the file: corners and triangles, before scaling."""
        return load_mesh(self.file)


Solid = Box | Cylinder | Capsule | Cone | Sphere | Mesh | HeightField


@dataclass(frozen=True)
class Geometry:
    """A solid fixed to a body.

    Parameters
    ----------
    solid
        `Box`, `Cylinder`, `Capsule`, `Cone`, `Sphere`, `Mesh` or `HeightField`.
    origin
        Placement of the solid in the frame of the body.
    colour
        Such as ``"#4477aa"``; None: the renderer chooses.
    visual, collision
        Whether it is drawn, and whether it touches others.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Geometry(da.Sphere(0.1), colour="#ccbb44", collision=False).visual
    True
    """

    solid: Solid
    origin: Transform = IDENTITY
    colour: str | None = None
    visual: bool = True
    collision: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.solid, Solid):
            raise MachineError(
                f"a geometry needs a Box, Cylinder, Capsule, Cone, Sphere, Mesh or HeightField, got {self.solid!r}"
            )
        object.__setattr__(self, "origin", as_transform(self.origin, "the origin of a geometry"))
        if self.colour is not None and not (isinstance(self.colour, str) and _COLOUR.fullmatch(self.colour)):
            raise MachineError(f"the colour of a geometry must be such as '#4477aa', got {self.colour!r}")
        for flag in ("visual", "collision"):
            if not isinstance(getattr(self, flag), bool):
                raise MachineError(f"'{flag}' of a geometry must be true or false, got {getattr(self, flag)!r}")
        if not (self.visual or self.collision):
            raise MachineError("a geometry that is neither visual nor for collision has no effect; leave it out")

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the geometry."""
        numbers: list[Scalar] = []
        if isinstance(self.solid, HeightField):
            return self.origin.scalars
        for field in fields(self.solid):
            value = getattr(self.solid, field.name)
            if not isinstance(value, str):
                numbers += value if isinstance(value, tuple) else [value]
        return (*numbers, *self.origin.scalars)

    def bounds(self, body: str) -> Iterator[Bound]:
        """Ranges that its dimensions must keep for any parameter values."""
        match self.solid:
            case Box(size=size):
                for side in size:
                    yield Bound(f"a side of the box of body '{body}'", side, strict=True)
            case Cylinder(radius=radius, length=length):
                yield Bound(f"the radius of the cylinder of body '{body}'", radius, strict=True)
                yield Bound(f"the length of the cylinder of body '{body}'", length, strict=True)
            case Cone(radius=radius, length=length):
                yield Bound(f"the radius of the cone of body '{body}'", radius, strict=True)
                yield Bound(f"the length of the cone of body '{body}'", length, strict=True)
            case Capsule(radius=radius, length=length):
                yield Bound(f"the radius of the capsule of body '{body}'", radius)
                yield Bound(f"the length of the capsule of body '{body}'", length, strict=True)
            case Sphere(radius=radius):
                yield Bound(f"the radius of the sphere of body '{body}'", radius, strict=True)


def as_geometry(geometry: object, body: str) -> tuple[Geometry, ...]:
    """Return the geometry of a body from one or several `Geometry` or solids."""
    items = (geometry,) if isinstance(geometry, Geometry | Solid) else geometry
    if isinstance(items, str) or not hasattr(items, "__iter__"):
        raise MachineError(f"geometry of body '{body}' must be a list of Geometry, got {geometry!r}")
    result = []
    for item in items:
        if not isinstance(item, Geometry | Solid):
            raise MachineError(f"geometry of body '{body}' must be a list of Geometry, got the element {item!r}")
        result.append(item if isinstance(item, Geometry) else Geometry(item))
    return tuple(result)


_TURNS: dict[str, Any] = {
    "x": ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)),
    "y": ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)),
    "z": IDENTITY.rotation,
}


def along(axis: str, centre: Vector = (0.0, 0.0, 0.0)) -> Transform:
    """Placement that lays the z axis of a cylinder or capsule along the given axis of the body."""
    return Transform(centre, _TURNS[axis])
