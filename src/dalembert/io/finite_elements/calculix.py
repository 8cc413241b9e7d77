"""CalculiX: nodes, sets and solids of an input deck, and the matrices that it stores (``SOLVER=MATRIXSTORAGE``)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.io.finite_elements.matrices import completed
from dalembert.model.elastic.mesh_lines import surface_of_solids

__all__ = ["InputDeck", "read_deck", "read_storage"]

_NODES = {"C3D4": 4, "C3D10": 10, "C3D8": 8, "C3D8R": 8, "C3D8I": 8, "C3D20": 20, "C3D20R": 20}
"""Solids whose surface is found, by the number of their nodes."""


@dataclass(frozen=True, eq=False)
class InputDeck:
    """Nodes of a mesh: numbers (N), positions (N x 3), sets as indices, and triangles of the surface."""

    numbers: NDArray[np.int64]
    positions: Array
    sets: dict[str, NDArray[np.int64]]
    surface: NDArray[np.int64]

    @staticmethod
    def plain(positions: Array) -> InputDeck:
        """Nodes numbered from 1 on."""
        return InputDeck(np.arange(1, len(positions) + 1), positions, {}, np.zeros((0, 3), dtype=np.int64))


def read_deck(file: Path) -> InputDeck:
    """Read nodes, sets of nodes and solids of a CalculiX or Abaqus deck; other entries are passed over."""
    numbers: list[int] = []
    positions: list[list[float]] = []
    sets: dict[str, list[int]] = {}
    solids: dict[int, list[list[int]]] = {}
    keyword, options, pending = "", dict[str, str](), list[int]()
    for line in _lines(file):
        if line.startswith("*"):
            keyword, options = _keyword(line)
            pending = []
            continue
        fields = [field.strip() for field in line.split(",") if field.strip()]
        if keyword == "NODE":
            numbers.append(int(fields[0]))
            positions.append([*map(float, fields[1:4]), *[0.0] * (4 - len(fields))])
            if "NSET" in options:
                sets.setdefault(options["NSET"], []).append(numbers[-1])
        elif keyword == "NSET":
            name = options.get("NSET", "")
            if "GENERATE" in options:
                first, last, step = (*map(int, fields), 1)[:3]
                sets.setdefault(name, []).extend(range(first, last + 1, step))
            else:
                members = sets.setdefault(name, [])
                for one in fields:
                    members.extend([int(one)] if one.isdigit() else sets.get(one.upper(), []))
        elif keyword == "ELEMENT" and options.get("TYPE") in _NODES:
            pending += [int(one) for one in fields]
            count = _NODES[options["TYPE"]]
            if len(pending) > count:
                solids.setdefault(count, []).append(pending[1 : count + 1])
                pending = []
    if not numbers:
        raise InputError(f"{str(file)!r} has no *NODE entries")
    place = {number: k for k, number in enumerate(numbers)}
    return InputDeck(
        np.array(numbers),
        np.array(positions),
        {name: np.array(sorted({place[n] for n in nodes if n in place})) for name, nodes in sets.items()},
        _surface(solids, place),
    )


def _lines(file: Path) -> list[str]:
    """Lines without comments, with included files in their places."""
    lines: list[str] = []
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("**") or not line.strip():
            continue
        keyword, options = _keyword(line) if line.startswith("*") else ("", {})
        if keyword == "INCLUDE":
            inner = file.parent / options["INPUT"]
            if not inner.is_file():
                raise InputError(f"{str(file)!r} includes {options['INPUT']!r}, a file that does not exist")
            lines += _lines(inner)
        else:
            lines.append(line.strip())
    return lines


def _keyword(line: str) -> tuple[str, dict[str, str]]:
    first, *rest = (part.strip() for part in line[1:].split(","))
    options = {}
    for part in rest:
        key, _, value = part.partition("=")
        key = key.strip().upper()
        options[key] = value.strip().strip('"') if key == "INPUT" else value.strip().upper()
    return first.upper(), options


def _surface(solids: dict[int, list[list[int]]], place: dict[int, int]) -> NDArray[np.int64]:
    parts = [
        surface_of_solids(np.array([[place[n] for n in element] for element in elements]))
        for elements in solids.values()
    ]
    return np.concatenate(parts) if parts else np.zeros((0, 3), dtype=np.int64)


def read_storage(file: Path) -> tuple[Any, Any, NDArray[np.int64]]:
    """Read the stiffness, the mass and the freedoms (node, direction) that CalculiX has stored for a deck."""
    import scipy.sparse as sp

    paths = [file.with_suffix(suffix) for suffix in (".sti", ".mas", ".dof")]
    missing = [path.name for path in paths if not path.is_file()]
    if missing:
        raise InputError(
            f"{missing[0]!r} is not beside {file.name!r}: run ccx on the deck, without boundary conditions, with the "
            "step *FREQUENCY, SOLVER=MATRIXSTORAGE"
        )
    freedoms = np.array(
        [[int(part) for part in entry.split(".")] for entry in paths[2].read_text(encoding="ascii").split()]
    )
    size = len(freedoms)
    matrices = []
    for path in paths[:2]:
        table = np.loadtxt(path, ndmin=2)
        if table.shape[1] != 3:
            raise InputError(f"{path.name!r} must have row, column and value in each line")
        i, j = (table[:, k].astype(np.int64) - 1 for k in (0, 1))
        if max(i.max(), j.max()) >= size:
            raise InputError(f"{path.name!r} has {max(i.max(), j.max()) + 1} rows, {paths[2].name!r} {size} freedoms")
        matrices.append(completed(sp.coo_matrix((table[:, 2], (i, j)), shape=(size, size))))
    return matrices[0], matrices[1], freedoms
