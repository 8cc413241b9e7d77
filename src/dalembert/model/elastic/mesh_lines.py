"""Edges of a triangulated surface that show its shape, as lines through nodes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalembert.core.types import Array

__all__ = ["feature_lines", "surface_of_solids"]

_SHARP = np.cos(np.radians(40.0))

_FACES = {
    4: ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)),
    8: ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)),
}
"""Corners of the faces of tetrahedra and hexahedra, by the number of corners, outward."""


def surface_of_solids(elements: NDArray[np.int64]) -> NDArray[np.int64]:
    """Triangles (m x 3) of the surface of tetrahedra (4 or 10 nodes) or hexahedra (8 or 20 nodes)."""
    corners = {4: 4, 10: 4, 8: 8, 20: 8}[elements.shape[1]]
    faces = np.concatenate([elements[:, list(face)] for face in _FACES[corners]])
    _, first, counts = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    outer = faces[first[counts == 1]]
    if corners == 4:
        return outer
    return np.concatenate([outer[:, [0, 1, 2]], outer[:, [0, 2, 3]]])


def feature_lines(points: Array, faces: NDArray[np.int64]) -> list[list[int]]:
    """Lines along the edges at which a surface ends or bends by more than 40 degrees."""
    if not len(faces):
        return []
    corners = points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None]
    owners: dict[tuple[int, int], list[int]] = {}
    for k, face in enumerate(faces.tolist()):
        for a, b in zip(face, face[1:] + face[:1], strict=True):
            owners.setdefault((min(a, b), max(a, b)), []).append(k)
    edges = [edge for edge, near in owners.items() if len(near) != 2 or normals[near[0]] @ normals[near[1]] < _SHARP]
    return _joined(edges)


def _joined(edges: list[tuple[int, int]]) -> list[list[int]]:
    """Edges as lines: continued through nodes at which two of them meet."""
    near: dict[int, list[int]] = {}
    for a, b in edges:
        near.setdefault(a, []).append(b)
        near.setdefault(b, []).append(a)
    left = set(edges)
    lines = []

    def walk(start: int, then: int) -> list[int]:
        line = [start, then]
        left.discard((min(start, then), max(start, then)))
        while len(near[line[-1]]) == 2:
            following = [n for n in near[line[-1]] if (min(n, line[-1]), max(n, line[-1])) in left]
            if not following:
                break
            left.discard((min(following[0], line[-1]), max(following[0], line[-1])))
            line.append(following[0])
        return line

    for a, b in edges:
        for start, then in ((a, b), (b, a)):
            if (a, b) in left and len(near[start]) != 2:
                lines.append(walk(start, then))
    while left:
        lines.append(walk(*min(left)))
    return lines
