"""The parts of a scene: their shapes, and the points and poses of the scene's kernel that each follows."""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.core.types import Array
from dalembert.model.geometry import Solid
from dalembert.model.meshes import TriangleMesh

__all__ = [
    "BallPart",
    "BeamPart",
    "CablePart",
    "FramePart",
    "JointPart",
    "LinkPart",
    "PulleyPart",
    "RailPart",
    "SkinPart",
    "SolidPart",
]


@dataclass(frozen=True)
class SolidPart:
    """A rigid solid of a body.

    Parameters
    ----------
    body
        The body.
    solid
        Its dimensions as numbers.
    mesh
        Its triangles, if it is a mesh.
    colour
        Its colour, or None.
    pose
        Index of its pose.
    """

    body: str
    solid: Solid
    mesh: TriangleMesh | None
    colour: str | None
    pose: int


@dataclass(frozen=True)
class LinkPart:
    """A straight line of a body that has no solid there: from its joint to the bodies that it carries.

    Parameters
    ----------
    name
        The body, joint or constraint that it stands for.
    kind
        ``"link"`` (a body), ``"slide"`` (from the seat of a joint that slides to its child) or ``"rod"`` (a line
        that shows a constraint).
    ends
        Indices of its two points.
    """

    name: str
    kind: str
    ends: tuple[int, int]


@dataclass(frozen=True)
class BeamPart:
    """The axis of a beam, from its root frame to its tip.

    Parameters
    ----------
    name
        The beam.
    points
        Indices of its points.
    radius
        Radius of a tube with the area and the second moment of its sections.
    """

    name: str
    points: tuple[int, ...]
    radius: float


@dataclass(frozen=True, eq=False)
class SkinPart:
    """The surface of a flexible body from finite elements, which deforms.

    Parameters
    ----------
    name
        The body.
    pose
        Index of the pose of its frame.
    modal
        Indices of its modal coordinates in q.
    mesh
        Undeformed surface in its frame.
    shapes
        Displacements (V, 3, n) of its corners per coordinate.
    stress
        Stresses (V, 6, n) there per coordinate [Pa], or None.
    """

    name: str
    pose: int
    modal: tuple[int, ...]
    mesh: TriangleMesh
    shapes: Array
    stress: Array | None


@dataclass(frozen=True)
class CablePart:
    """A cable or rope: over its wheels to its end.

    Parameters
    ----------
    name
        The cable or rope.
    row
        Index of its lengths.
    points
        Indices of the points along it; arcs are in pieces.
    bilateral
        Whether it could push: such a cable never sags.
    grounded
        Whether it is a cable whose exit is fixed in the world.
    lines
        Places among the points at which its free lines begin.
    tensions
        Signals of the tensions of its free lines; one for all where it has no wheels.
    """

    name: str
    row: int
    points: tuple[int, ...]
    bilateral: bool
    grounded: bool
    lines: tuple[int, ...]
    tensions: tuple[str, ...]


@dataclass(frozen=True)
class PulleyPart:
    """A pulley, sheave or drum of a cable or rope; its axis is the y axis of its pose."""

    cable: str
    pose: int
    radius: float


@dataclass(frozen=True)
class BallPart:
    """A body of which nothing is known but its mass and where that is."""

    body: str
    point: int
    mass: float


@dataclass(frozen=True)
class JointPart:
    """A joint, at the origin of its moving frame; ``grounded`` if it is fixed to the world."""

    name: str
    kind: str
    point: int
    grounded: bool


@dataclass(frozen=True)
class RailPart:
    """The rail of a carriage that moves on the world, or on another carriage.

    Parameters
    ----------
    joint
        The prismatic joint.
    pose
        Index of the pose of its fixed frame.
    axis
        Its direction there.
    coordinate
        Index of its coordinate in the machine's q.
    lower, upper
        Its limits.
    """

    joint: str
    pose: int
    axis: tuple[float, float, float]
    coordinate: int
    lower: float
    upper: float


@dataclass(frozen=True)
class FramePart:
    """A named frame."""

    name: str
    pose: int
