"""Convex hulls of meshes, and the reasons for which a mesh is none."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from dalembert.core.errors import MachineError
from dalembert.core.types import Array
from dalembert.engine.problem.shapes import Hull

__all__ = ["convex_hull"]

_CONVEX = 1e-3
"""Part of its volume by which a mesh may be less than its hull."""

_FLAT = 1e-9
"""Deviation of normals, and of planes by the size, within which triangles are one face."""

_MOST_CORNERS = 60
"""Corners of a face at most, as of shapes.c."""


def convex_hull(vertices: Array, faces: NDArray[np.int64], owner: str) -> tuple[Hull, Array]:
    """Return the hull of a closed, convex mesh about its centre, and the centre.

    Parameters
    ----------
    vertices, faces
        Corners (n x 3) and triangles (m x 3), anticlockwise seen from outside.
    owner
        Name of the mesh in errors.

    Raises
    ------
    MachineError
        If the mesh is open, inside out, flat or not convex.
    """
    from scipy.spatial import ConvexHull, QhullError

    size = float(np.ptp(vertices, axis=0).max())
    _, same = np.unique(np.round(vertices / (1e-9 * size + 1e-300)), axis=0, return_inverse=True)
    triangles = np.asarray(same).reshape(-1)[faces]
    edges = Counter((int(t[i]), int(t[(i + 1) % 3])) for t in triangles for i in range(3) if t[i] != t[(i + 1) % 3])
    single = sum(edges[i, j] != edges[j, i] for i, j in edges)
    if single:
        raise MachineError(f"{owner} is open: {single} of its edges belong to one triangle only; close it")
    try:
        hull = ConvexHull(vertices)
    except QhullError:
        raise MachineError(
            f"{owner} is flat: its {len(vertices)} corners lie in a plane; give it a thickness"
        ) from None
    a, b, c = (vertices[faces[:, k]] - vertices.mean(axis=0) for k in range(3))
    volume = float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum()) / 6.0
    if volume <= 0.0:
        raise MachineError(f"{owner} is inside out: its volume is {volume:.4g} m3; turn its triangles over")
    if volume < (1.0 - _CONVEX) * hull.volume:
        part = 100.0 * volume / hull.volume
        raise MachineError(
            f"{owner} is not convex: it fills {part:.3g} % of its hull; split it into convex meshes, or use spheres, "
            "boxes, cylinders and capsules"
        )
    corners = vertices[hull.vertices]
    centre = corners.mean(axis=0)
    places = {int(vertex): k for k, vertex in enumerate(hull.vertices)}
    groups: list[tuple[Array, float, set[int]]] = []
    for simplex, (*normal, offset) in zip(hull.simplices, hull.equations, strict=True):
        n = np.array(normal)
        for known, distance, members in groups:
            if known @ n > 1.0 - _FLAT and abs(distance - offset) < _FLAT * size:
                members.update(places[int(k)] for k in simplex)
                break
        else:
            groups.append((n, float(offset), {places[int(k)] for k in simplex}))
    loops = tuple(_around(corners, n, sorted(members)) for n, _, members in groups)
    if max(map(len, loops)) > _MOST_CORNERS:
        raise MachineError(
            f"{owner} has a face of {max(map(len, loops))} corners: {_MOST_CORNERS} at most; simplify it"
        )
    return Hull(corners - centre, np.array([n for n, _, _ in groups]), loops), centre


def _around(corners: Array, normal: Array, members: list[int]) -> tuple[int, ...]:
    """Return the corners of a face in their order about its normal."""
    d = corners[members] - corners[members].mean(axis=0)
    x = d[0] / np.linalg.norm(d[0])
    angles = np.arctan2(d @ np.cross(normal, x), d @ x)
    return tuple(members[k] for k in np.argsort(angles))
