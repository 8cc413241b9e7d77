"""Triangles from mesh files: STL (binary and text) and Wavefront OBJ; other formats by the package trimesh."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dalembert.core.errors import FileFormatError
from dalembert.core.files import read_bytes

__all__ = ["TriangleMesh", "load_mesh"]


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """Triangles with shared corners.

    Parameters
    ----------
    vertices
        Corners (n, 3).
    faces
        Indices of the corners of each triangle (m, 3), anticlockwise seen from outside.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]


def load_mesh(path: str | os.PathLike[str]) -> TriangleMesh:
    """Read a mesh file.

    Raises
    ------
    FileFormatError
        If there is no such file, it holds no triangles, or its format needs a package that is not installed.
    """
    source = Path(path)
    if str(path).startswith("package://"):
        raise FileFormatError(
            f"{path}: the package of this mesh was not found; pass its folder as load_urdf(packages={{NAME: FOLDER}})"
        )
    ending = source.suffix.lower()
    if ending not in (".stl", ".obj"):
        return _by_trimesh(source)
    data = read_bytes(source, "mesh")
    try:
        vertices, faces = _stl(data) if ending == ".stl" else _obj(data)
    except (ValueError, IndexError, OverflowError) as error:
        raise FileFormatError(f"{source}: is not a mesh of the format {ending}: {error}") from None
    if not len(faces) or not np.isfinite(vertices).all():
        raise FileFormatError(f"{source}: holds no triangles with finite corners")
    return TriangleMesh(vertices, faces)


def _stl(data: bytes) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Corners and triangles of an STL file; equal corners become one."""
    count = int.from_bytes(data[80:84], "little")
    if len(data) >= 84 and len(data) == 84 + 50 * count:
        record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
        corners = np.frombuffer(data, record, count, 84)["corners"].reshape(-1, 3).astype(float)
    else:
        words = data.decode("ascii", "strict").split()
        if words[:1] != ["solid"]:
            raise ValueError("it is neither binary of the right size nor text that begins with 'solid'")
        at = [i for i, word in enumerate(words) if word == "vertex"]
        corners = np.array([[float(x) for x in words[i + 1 : i + 4]] for i in at]).reshape(-1, 3)
    vertices, index = np.unique(corners, axis=0, return_inverse=True)
    return vertices, np.asarray(index, dtype=np.int64).reshape(-1, 3)


def _obj(data: bytes) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Corners and triangles of an OBJ file; a polygon becomes a fan."""
    vertices: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    for line in data.decode("utf-8", "replace").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(x) for x in words[1:4]])
        elif words[:1] == ["f"]:
            corners = [int(word.partition("/")[0]) for word in words[1:]]
            corners = [c - 1 if c > 0 else len(vertices) + c for c in corners]
            faces += [(corners[0], corners[k], corners[k + 1]) for k in range(1, len(corners) - 1)]
    if any(not 0 <= c < len(vertices) for face in faces for c in face):
        raise ValueError("a face refers to a corner that does not exist")
    return np.array(vertices, dtype=float).reshape(-1, 3), np.array(faces, dtype=np.int64).reshape(-1, 3)


def _by_trimesh(source: Path) -> TriangleMesh:
    if not source.is_file():
        raise FileFormatError(f"{source}: no such file, expected a mesh file")
    try:
        import trimesh
    except ImportError:
        raise FileFormatError(
            f"{source}: meshes of the format '{source.suffix}' need the package trimesh, which is not installed; "
            ".stl and .obj need nothing"
        ) from None
    try:
        mesh = trimesh.load(source, force="mesh")
        return TriangleMesh(np.array(mesh.vertices, dtype=float), np.array(mesh.faces, dtype=np.int64))
    except Exception as error:  # whatever its many readers raise
        raise FileFormatError(f"{source}: cannot be read by trimesh: {error}") from error
