"""Solids as polygons, for pictures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.model.geometry import Box, Capsule, Cone, Cylinder, HeightField, Solid, Sphere
from dalembert.model.meshes import TriangleMesh

__all__ = ["Indices", "axis_of", "cells_of", "coarse", "faces_of", "joined_cells", "triangles_of"]

Indices = NDArray[np.int64]
_ROUND = 16  # corners of a circle
_FINE = 3000  # triangles above which grids finer than a picture needs are tried first


def faces_of(solid: Solid, mesh: TriangleMesh | None = None, corners: int = _ROUND) -> tuple[Array, Indices]:
    """Corners (n, 3) and faces (m, k) of a solid with numbers for dimensions; faces are anticlockwise from outside.

    A face with fewer corners than others repeats its last one. A capsule without thickness has no faces, only its ends.
    """
    match solid:
        case Box(size=size):
            return _box(np.array(size, dtype=float))
        case Cylinder(radius=r, length=h):
            rings = np.array([[r, -h / 2], [r, h / 2]], dtype=float)
            return _turned(rings, corners, lids=True)
        case Cone(radius=r, length=h):
            return _turned(np.array([[r, -h / 2], [0.0, h / 2]], dtype=float), corners, lids=True)
        case HeightField(heights=heights):
            rows, columns = len(heights), len(heights[0])
            low = (columns * np.arange(rows - 1)[:, None] + np.arange(columns - 1)).ravel()
            right, ahead, both = low + columns, low + 1, low + columns + 1
            cells = [np.column_stack([low, right, both]), np.column_stack([low, both, ahead])]
            return solid.points(), np.concatenate(cells)
        case Sphere(radius=r):
            a = np.linspace(-np.pi / 2, np.pi / 2, corners // 2 + 1)
            return _turned(np.column_stack([r * np.cos(a), r * np.sin(a)]), corners)
        case Capsule(radius=r, length=h):
            if r == 0.0:
                return np.array([[0.0, 0.0, -h / 2], [0.0, 0.0, h / 2]]), np.zeros((0, 4), dtype=np.int64)
            a = np.linspace(0, np.pi / 2, corners // 4 + 1)
            upper = np.array([0.0, nominal(h) / 2]) + nominal(r) * np.column_stack([np.cos(a), np.sin(a)])
            return _turned(np.concatenate([upper[::-1] * [1, -1], upper]), corners)
    assert mesh is not None
    return mesh.vertices, mesh.faces


def triangles_of(solid: Solid, mesh: TriangleMesh | None = None) -> TriangleMesh:
    """Return a solid as a mesh."""
    if mesh is not None:
        return mesh
    vertices, faces = faces_of(solid)
    fans = [faces[:, [0, k, k + 1]] for k in range(1, faces.shape[1] - 1)]
    triangles = np.concatenate(fans)
    return TriangleMesh(vertices, triangles[triangles[:, 1] != triangles[:, 2]])


def axis_of(solid: Solid, mesh: TriangleMesh | None = None) -> Array:
    """The two ends of a solid along the longest of its sides, in the middle of the others."""
    vertices, _ = faces_of(solid, mesh)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    ends = np.tile((low + high) / 2, (2, 1))
    longest = int(np.argmax(high - low))
    ends[:, longest] = low[longest], high[longest]
    return ends


def _box(size: Array) -> tuple[Array, Indices]:
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    sides = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return signs * size / 2, np.array(sides, dtype=np.int64)


def _turned(profile: Array, corners: int, *, lids: bool = False) -> tuple[Array, Indices]:
    """Solid of revolution about z: ``profile`` lists radius and height from bottom to top."""
    angle = 2 * np.pi * np.arange(corners) / corners
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    vertices = np.concatenate([np.column_stack([r * ring, np.full(corners, z)]) for r, z in profile])
    k, after = np.arange(corners), (np.arange(corners) + 1) % corners
    faces = [np.column_stack([k, after, corners + after, corners + k]) + corners * i for i in range(len(profile) - 1)]
    sides = np.concatenate(faces)
    if not lids:
        return vertices, sides
    padded = np.concatenate([sides, np.repeat(sides[:, -1:], corners - 4, axis=1)], axis=1)
    top = corners * (len(profile) - 1) + k
    return vertices, np.concatenate([padded, k[None, ::-1], top[None]])


def coarse(mesh: TriangleMesh, largest: int = 400) -> TriangleMesh:
    """A mesh with at most about ``largest`` triangles: corners that fall into one cell of a grid become one."""
    cell = cells_of(mesh, largest)
    return mesh if cell is None else joined_cells(mesh, cell)


def cells_of(mesh: TriangleMesh, largest: int) -> Indices | None:
    """Cell in which each corner lies, of the finest grid that leaves ``largest`` triangles; None: all stay."""
    if len(mesh.faces) <= largest:
        return None
    low, size = mesh.vertices.min(axis=0), float(np.ptp(mesh.vertices, axis=0).max())
    cell = np.arange(len(mesh.vertices))
    for cells in (96, 72, 54, 40, 32, 24, 20, 16, 13, 10, 8, 6) if largest > _FINE else (24, 20, 16, 13, 10, 8, 6):
        keys = np.round((mesh.vertices - low) / (size / cells)).astype(np.int64)
        _, cell = np.unique(keys, axis=0, return_inverse=True)
        cell = np.asarray(cell).reshape(-1)
        if len(joined_cells(mesh, cell).faces) <= largest:
            break
    return cell


def joined_cells(mesh: TriangleMesh, cell: Indices) -> TriangleMesh:
    """A mesh whose corners in one cell are one, in the middle of them."""
    count = np.bincount(cell)
    centres = np.column_stack([np.bincount(cell, mesh.vertices[:, i]) / count for i in range(3)])
    faces = cell[mesh.faces]
    kept = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    faces = faces[kept]
    _, unique = np.unique(np.sort(faces, axis=1), axis=0, return_index=True)
    return TriangleMesh(centres, faces[np.sort(unique)])
