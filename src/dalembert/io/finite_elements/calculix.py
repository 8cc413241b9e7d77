"""CalculiX: nodes, sets and solids of an input deck, and the matrices that it stores (``SOLVER=MATRIXSTORAGE``)."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.io.finite_elements.matrices import completed
from dalembert.model.elastic.mesh_lines import surface_of_solids
from dalembert.model.elastic.solids import Solids

__all__ = ["InputDeck", "read_deck", "read_storage", "run_calculix"]

_NODES = {"C3D4": 4, "C3D10": 10, "C3D8": 8, "C3D8R": 8, "C3D8I": 8, "C3D20": 20, "C3D20R": 20}
"""Solids whose surface is found, by the number of their nodes."""


@dataclass(frozen=True, eq=False)
class InputDeck:
    """Nodes of a mesh: numbers (N), positions (N x 3), sets as indices, triangles of the surface, and solids.

    Solids are those whose section has an isotropic material; ``no_solids`` is the reason why there are none.
    """

    numbers: NDArray[np.int64]
    positions: Array
    sets: dict[str, NDArray[np.int64]]
    surface: NDArray[np.int64]
    solids: tuple[Solids, ...] = ()
    no_solids: str = "it has no nodes of a deck"

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
    materials = _Materials()
    keyword, options, pending = "", dict[str, str](), list[int]()
    for line in _lines(file):
        if line.startswith("*"):
            keyword, options = _keyword(line)
            pending = []
            materials.enter(keyword, options)
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
                solids.setdefault(count, []).append(pending[: count + 1])
                materials.sets.setdefault(options.get("ELSET", ""), set()).add(pending[0])
                pending = []
        else:
            materials.read(keyword, options, fields)
    if not numbers:
        raise InputError(f"{str(file)!r} has no *NODE entries")
    place = {number: k for k, number in enumerate(numbers)}
    return InputDeck(
        np.array(numbers),
        np.array(positions),
        {name: np.array(sorted({place[n] for n in nodes if n in place})) for name, nodes in sets.items()},
        _surface(solids, place),
        *materials.solids(solids, place),
    )


class _Materials:
    """Materials of the solids of a deck: isotropic ones, by the sets of elements that their sections name."""

    def __init__(self) -> None:
        self.sets: dict[str, set[int]] = {}
        self._elastic: dict[str, tuple[float, float]] = {}
        self._sections: list[tuple[str, str]] = []
        self._other: dict[str, str] = {}
        self._material = ""

    def enter(self, keyword: str, options: dict[str, str]) -> None:
        """Note a keyword."""
        if keyword == "MATERIAL":
            self._material = options.get("NAME", "")
        if keyword == "SOLID SECTION":
            self._sections.append((options.get("ELSET", ""), options.get("MATERIAL", "")))
        if keyword == "ELASTIC" and options.get("TYPE", "ISO") not in ("ISO", "ISOTROPIC"):
            self._other[self._material] = options["TYPE"]

    def read(self, keyword: str, options: dict[str, str], fields: list[str]) -> None:
        """Read a line of data; of an elastic material that depends on temperature the first one counts."""
        if keyword == "ELASTIC" and self._material not in self._elastic and self._material not in self._other:
            self._elastic[self._material] = float(fields[0]), float(fields[1])
        if keyword == "ELSET":
            members = self.sets.setdefault(options.get("ELSET", ""), set())
            if "GENERATE" in options:
                first, last, step = (*map(int, fields), 1)[:3]
                members.update(range(first, last + 1, step))
            else:
                for one in fields:
                    members.update({int(one)} if one.isdigit() else self.sets.get(one.upper(), set()))

    def solids(self, solids: dict[int, list[list[int]]], place: dict[int, int]) -> tuple[tuple[Solids, ...], str]:
        """Elements with their materials; without one of them none, and the reason."""
        if not solids:
            return (), "its deck has no solids of a known kind: " + ", ".join(_NODES)
        of: dict[int, tuple[float, float]] = {}
        for elset, material in self._sections:
            if material in self._other:
                return (), f"material '{material}' is elastic of type {self._other[material]}, not isotropic"
            if material in self._elastic:
                of |= dict.fromkeys(self.sets.get(elset, ()), self._elastic[material])
        result = []
        for elements in solids.values():
            bare = [element[0] for element in elements if element[0] not in of]
            if bare:
                return (), f"element {bare[0]} has no *SOLID SECTION with an isotropic *ELASTIC material"
            nodes = [[place[n] for n in element[1:]] for element in elements]
            E, nu = zip(*(of[element[0]] for element in elements), strict=True)
            result.append(Solids(nodes, E, nu))
        return tuple(result), ""


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
        surface_of_solids(np.array([[place[n] for n in element[1:]] for element in elements]))
        for elements in solids.values()
    ]
    return np.concatenate(parts) if parts else np.zeros((0, 3), dtype=np.int64)


_LEFT_OUT = (
    "BOUNDARY",
    "EQUATION",
    "MPC",
    "RIGID BODY",
    "CLOAD",
    "DLOAD",
    "INITIAL CONDITIONS",
    "AMPLITUDE",
    "HEADING",
)
"""Keywords that are not part of the free model of a deck."""


def run_calculix(file: Path) -> tuple[Any, Any, NDArray[np.int64]]:
    """Let ``ccx`` assemble the matrices of a deck, as `read_storage` returns them.

    The deck is read up to its first step, without boundary conditions, equations and loads.
    """
    program = shutil.which("ccx")
    if program is None:
        raise InputError(
            f"run=True needs the program ccx of CalculiX, to assemble {file.name!r}: it is not on the path"
        )
    kept: list[str] = []
    keep = True
    for line in _lines(file):
        if line.startswith("*"):
            keyword = _keyword(line)[0]
            if keyword == "STEP":
                break
            keep = keyword not in _LEFT_OUT
        if keep:
            kept.append(line)
    with tempfile.TemporaryDirectory() as folder:
        deck = Path(folder) / "model.inp"
        deck.write_text("\n".join([*kept, *_STEP]) + "\n", encoding="utf-8")
        done = subprocess.run([program, "model"], cwd=folder, capture_output=True, text=True, check=False)
        if not deck.with_suffix(".sti").is_file():
            said = [line.strip() for line in done.stdout.splitlines() if "ERROR" in line] or done.stdout.splitlines()[
                -1:
            ]
            raise InputError(f"ccx has stored no matrices of {file.name!r}: {' '.join(said[:2])}")
        return read_storage(deck)


_STEP = ("*STEP", "*FREQUENCY, SOLVER=MATRIXSTORAGE", "*END STEP")


def read_storage(file: Path) -> tuple[Any, Any, NDArray[np.int64]]:
    """Read the stiffness, the mass and the freedoms (node, direction) that CalculiX has stored for a deck."""
    import scipy.sparse as sp

    paths = [file.with_suffix(suffix) for suffix in (".sti", ".mas", ".dof")]
    missing = [path.name for path in paths if not path.is_file()]
    if missing:
        raise InputError(
            f"{missing[0]!r} is not beside {file.name!r}: run ccx on the deck, without boundary conditions, with the "
            "step *FREQUENCY, SOLVER=MATRIXSTORAGE, or read it with run=True"
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
