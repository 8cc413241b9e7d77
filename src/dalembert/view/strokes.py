"""Strokes of a picture: polygons and lines seen by a camera, sorted by depth, for one collection of matplotlib."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.core.types import Array
from dalembert.model.geometry import Box, Mesh, Solid
from dalembert.model.meshes import TriangleMesh
from dalembert.view.solids import Indices, coarse, faces_of

if TYPE_CHECKING:
    from matplotlib.collections import PolyCollection
    from matplotlib.typing import ColorType

__all__ = ["Camera", "Polygons", "Strokes"]

_AXES = {"x": 0, "y": 1, "z": 2}
_LAMP = np.array([0.35, -0.45, 0.82])


@dataclass(frozen=True, eq=False)
class Camera:
    """Directions of a parallel projection in world axes: right and up in the picture, and towards who looks."""

    right: Array
    up: Array
    towards: Array

    @staticmethod
    def in_plane(plane: tuple[str, str]) -> Camera:
        """Look at a plane of two world axes, the first to the right and the second up."""
        right, up = (np.eye(3)[_AXES[a]] for a in plane)
        return Camera(right, up, np.cross(right, up))

    @staticmethod
    def looking(up: Array, azimuth: float = -58.0, elevation: float = 20.0) -> Camera:
        """Look from a direction given by angles [deg] about the vertical ``up`` and above the horizon."""
        forward = np.eye(3)[int(np.argmin(np.abs(up)))] if abs(up[2]) < 0.9 else np.eye(3)[0]
        x = forward - (forward @ up) * up
        x /= np.linalg.norm(x)
        y = np.cross(up, x)
        a, e = np.radians([azimuth, elevation])
        towards = np.cos(e) * (np.cos(a) * x + np.sin(a) * y) + np.sin(e) * up
        right = np.cross(up, towards)
        right /= np.linalg.norm(right)
        return Camera(right, np.cross(towards, right), towards)

    def flat(self, X: Array) -> Array:
        """Coordinates in the picture (..., 2)."""
        return np.stack([X @ self.right, X @ self.up], axis=-1)


@dataclass(frozen=True, eq=False)
class Polygons:
    """Polygons of a solid in its own frame."""

    pose: int
    vertices: Array
    faces: Indices
    normals: Array
    colour: Array
    edged: bool
    closed: bool

    @staticmethod
    def of(pose: int, solid: Solid, mesh: TriangleMesh | None, colour: str) -> Polygons:
        """Polygons of a solid that follows the pose of that index."""
        from matplotlib.colors import to_rgb

        vertices, faces = faces_of(solid, None if mesh is None else coarse(mesh))
        corners = vertices[faces]
        # The diagonals of a quadrangle, also of one with two equal corners.
        last = corners[:, min(3, faces.shape[1] - 1)]
        normals = np.cross(corners[:, 2] - corners[:, 0], last - corners[:, 1])
        if faces.shape[1] > 4 or faces.shape[1] == 3:
            normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        size = np.linalg.norm(normals, axis=1, keepdims=True)
        normals = normals / np.where(size > 0, size, 1.0)
        rgb = np.array(to_rgb(colour))
        closed = not isinstance(solid, Mesh) or _encloses(vertices, faces)
        return Polygons(pose, vertices, faces, normals, rgb, isinstance(solid, Box), closed)


def _encloses(vertices: Array, triangles: Indices) -> bool:
    """Whether triangles look outwards and enclose something: their volume is a large part of the box about them."""
    a, b, c = (vertices[triangles[:, k]] - vertices.mean(axis=0) for k in range(3))
    volume = float(np.sum(a * np.cross(b, c))) / 6
    return volume > 0.1 * float(np.prod(np.ptp(vertices, axis=0)))


class Strokes:
    """Polygons and lines of one picture, to be sorted by depth."""

    def __init__(self, camera: Camera) -> None:
        self.camera = camera
        self.outlines: list[Array] = []
        self.depths: list[float] = []
        self.faces: list[ColorType] = []
        self.edges: list[ColorType] = []
        self.widths: list[float] = []

    def add(
        self,
        outlines: Iterable[Array],
        depths: Iterable[float],
        faces: ColorType | Iterable[ColorType],
        edges: ColorType | Iterable[ColorType],
        width: float,
    ) -> None:
        """Add polygons with their depths, and their colours (one for all, or one each)."""
        new = list(outlines)
        self.outlines += new
        self.depths += list(depths)
        self.faces += [faces] * len(new) if isinstance(faces, str | tuple) else list(faces)
        self.edges += [edges] * len(new) if isinstance(edges, str | tuple) else list(edges)
        self.widths += [width] * len(new)

    def line(self, points: Array, colour: str, width: float, nearer: float = 0.0) -> None:
        """A line through points (n, 3), ``nearer`` than it is by so many metres."""
        flat = self.camera.flat(points)
        depth = points @ self.camera.towards
        pieces = [flat[i : i + 2] for i in range(len(flat) - 1)]
        self.add(pieces, (depth[:-1] + depth[1:]) / 2 + nearer, (0.0, 0.0, 0.0, 0.0), colour, width)

    def disc(self, centre: Array, radius: float, face: str, edge: str, width: float = 0.6, nearer: float = 0.0) -> None:
        """A round spot that faces the camera."""
        angle = np.linspace(0, 2 * np.pi, 21)[:-1]
        outline = self.camera.flat(centre) + radius * np.column_stack([np.cos(angle), np.sin(angle)])
        self.add([outline], [float(centre @ self.camera.towards) + nearer], face, edge, width)

    def solid(self, shape: Polygons, pose: Array) -> None:
        """A solid under a lamp; of a closed one, only the faces towards the camera."""
        R, p = pose[:, :3], pose[:, 3]
        normals = shape.normals @ R.T
        seen = normals @ self.camera.towards > 1e-6 if shape.closed else np.ones(len(normals), dtype=bool)
        corners = (shape.vertices @ R.T + p)[shape.faces[seen]]
        light = normals[seen] @ _LAMP
        shade = 0.72 + 0.28 * (np.abs(light) if not shape.closed else light)
        colours = np.clip(shape.colour * shade[:, None] + 0.06, 0, 1)
        edges = colours * 0.6 if shape.edged else colours
        depth = corners.mean(axis=1) @ self.camera.towards
        self.add(self.camera.flat(corners), depth, map(tuple, colours), map(tuple, edges), 0.5)

    def put(self, collection: PolyCollection) -> None:
        """Hand everything to the collection, distant parts first."""
        order = np.argsort(self.depths, kind="stable")
        collection.set_verts([self.outlines[i] for i in order], closed=False)
        collection.set_facecolor([self.faces[i] for i in order])
        collection.set_edgecolor([self.edges[i] for i in order])
        collection.set_linewidth([self.widths[i] for i in order])
