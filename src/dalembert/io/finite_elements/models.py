"""Finite-element models from files: saved models, CalculiX decks, separate matrices and nodes."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Array
from dalembert.io.finite_elements.calculix import InputDeck, read_deck, read_storage, run_calculix
from dalembert.io.finite_elements.matrices import LabelledMatrix, completed, read_matrix
from dalembert.model.elastic.finite_elements import FlexibleBody
from dalembert.model.elastic.mesh_lines import surface_of_solids
from dalembert.model.elastic.solids import Solids, geometric_stiffness, stress_matrix

__all__ = ["FiniteElements", "read_finite_elements"]

_SOLIDS = re.compile(r"solids\d+")
_LENGTHS = {"m": 1.0, "mm": 1e-3}


@dataclass(frozen=True, eq=False)
class FiniteElements:
    """A finite-element model without boundary conditions.

    Parameters
    ----------
    K, M
        Stiffness and mass matrix (sparse), freedoms node by node.
    nodes
        Positions (N, 3).
    sets
        Nodes (indices) of named sets.
    surface
        Triangles (m, 3) of node indices; may be empty.
    solids
        Solid elements with their materials, which stresses and stiffening need; may be empty.
    no_solids
        The reason why there are none.

    Examples
    --------
    >>> import numpy as np, dalembert as da
    >>> model = da.FiniteElements(np.zeros((9, 9)), np.eye(9), np.eye(3), {"ROOT": np.array([0, 1])})
    >>> model.nodes_of("root")
    array([0, 1])
    """

    K: Any
    M: Any
    nodes: Array
    sets: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    surface: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int64))
    solids: tuple[Solids, ...] = ()
    no_solids: str = "it was made without solids"

    def body(
        self,
        name: str,
        interfaces: Mapping[str, str | ArrayLike],
        modes: int = 20,
        *,
        stress: Any = None,
        stiffening: Any = None,
        **settings: Any,
    ) -> FlexibleBody:
        """Reduce the model to a flexible body.

        Parameters
        ----------
        name
            Name of the body.
        interfaces
            Nodes of each interface, or the name of a set of nodes; the first one carries the joint.
        stress, stiffening
            True: at all nodes, from the solids of the model; or as in `dalembert.FlexibleBody.from_matrices`.
        modes, **settings
            As in `dalembert.FlexibleBody.from_matrices`; stations may be names of sets too.

        Raises
        ------
        InputError
            If the model has no solids for its stresses.
        """
        if stress is True:
            stress = stress_matrix(self.nodes, self._checked_solids(name, "stress"))
        if stiffening is True:
            stiffening = partial(geometric_stiffness, self.nodes, self._checked_solids(name, "stiffening"))
        settings |= {"stress": None if stress is False else stress, "stiffening": stiffening or None}
        if settings.get("stations"):
            settings["stations"] = {key: self.nodes_of(value) for key, value in settings["stations"].items()}
        settings.setdefault("surface", self._surface())
        chosen = {key: self.nodes_of(value) for key, value in interfaces.items()}
        return FlexibleBody.from_matrices(name, self.K, self.M, self.nodes, chosen, modes, **settings)

    def _surface(self) -> NDArray[np.int64] | None:
        """Surface for pictures: that of the model, or of its solids."""
        if len(self.surface):
            return self.surface
        return np.concatenate([surface_of_solids(one.elements) for one in self.solids]) if self.solids else None

    def _checked_solids(self, name: str, purpose: str) -> tuple[Solids, ...]:
        if not self.solids:
            raise InputError(f"{purpose} of flexible body '{name}' needs the solids of its model: {self.no_solids}")
        if np.shape(self.K)[0] != 3 * len(self.nodes):
            raise InputError(f"{purpose} of flexible body '{name}' is for models with three freedoms per node")
        return self.solids

    def scaled(self, length: float) -> FiniteElements:
        """Return a model in SI units that was written in another unit of length, with newtons and seconds.

        Energies ``K u u/2`` and ``M v v/2`` are then in units of N times that length.

        Parameters
        ----------
        length
            The unit of length [m], such as 1e-3 for millimetres.

        Examples
        --------
        A spring of 1 N/mm between two masses of one tonne:

        >>> import numpy as np, dalembert as da
        >>> K = np.kron([[1.0, -1.0], [-1.0, 1.0]], np.diag([1.0, 0.0, 0.0]))
        >>> model = da.FiniteElements(K, np.eye(6), np.array([[0.0, 0, 0], [50.0, 0, 0]])).scaled(1e-3)
        >>> float(model.K[0, 0]), float(model.M[0, 0]), float(model.nodes[1, 0])
        (1000.0, 1000.0, 0.05)
        """
        import scipy.sparse as sp

        count = np.shape(self.K)[0] // max(1, len(self.nodes))
        per_unit = sp.diags(np.tile(np.where(np.arange(count) < 3, 1.0 / length, 1.0), len(self.nodes)))
        K, M = (length * (per_unit @ sp.csc_matrix(A) @ per_unit) for A in (self.K, self.M))
        solids = tuple(Solids(one.elements, one.E / length**2, one.nu) for one in self.solids)
        return replace(self, K=K.tocsc(), M=M.tocsc(), nodes=length * self.nodes, solids=solids)

    def nodes_of(self, chosen: str | ArrayLike) -> ArrayLike:
        """Nodes of a set by its name; nodes are returned as they are."""
        if not isinstance(chosen, str):
            return chosen
        found = {key.upper(): value for key, value in self.sets.items()}
        if chosen.upper() not in found:
            raise UnknownNameError("set of nodes", chosen, self.sets)
        return found[chosen.upper()]

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the model to one ``.npz`` file, which `read_finite_elements` reads."""
        import scipy.sparse as sp

        file = Path(path)
        if file.suffix != ".npz":
            raise InputError(f"a finite-element model is saved as .npz, got {str(file)!r}")
        arrays: dict[str, Any] = {"nodes": self.nodes, "surface": self.surface}
        for label, matrix in (("K", self.K), ("M", self.M)):
            A = sp.triu(sp.csc_matrix(matrix)).tocsc()
            arrays |= {f"{label}_data": A.data, f"{label}_indices": A.indices, f"{label}_indptr": A.indptr}
        arrays |= {f"set:{key}": np.asarray(value, dtype=np.int64) for key, value in self.sets.items()}
        for k, one in enumerate(self.solids):
            arrays |= {f"solids{k}": one.elements, f"solids{k}_E": one.E, f"solids{k}_nu": one.nu}
        np.savez_compressed(file, **arrays)
        return file


def read_finite_elements(
    path: str | os.PathLike[str] | None = None,
    *,
    stiffness: str | os.PathLike[str] | None = None,
    mass: str | os.PathLike[str] | None = None,
    nodes: str | os.PathLike[str] | ArrayLike | None = None,
    run: bool = False,
    unit: str = "m",
) -> FiniteElements:
    """Read a finite-element model.

    Parameters
    ----------
    path
        ``.npz`` written by `FiniteElements.save`, or the ``.inp`` of a CalculiX run with ``*FREQUENCY,
        SOLVER=MATRIXSTORAGE`` whose ``.sti``, ``.mas`` and ``.dof`` lie beside it.
    stiffness, mass
        In place of ``path``: files that `read_matrix` reads. ``"FILE:NAME"`` is a matrix of an op4 or DMIG file that
        holds several.
    nodes
        With these: positions (N, 3), or a file of them: ``.npy``, or a table of x, y, z or number, x, y, z; or a
        CalculiX or Abaqus ``.inp``, whose sets are read too.
    run
        Let the program ``ccx`` of CalculiX assemble the matrices of an ``.inp``, from its model without boundary
        conditions, constraints and steps. Machine files never run it.
    unit
        Unit of length of the files: ``"m"``, or ``"mm"`` with N, s, tonnes and MPa. The model is in SI units.

    Raises
    ------
    InputError
        If a file is missing, of another format, or the files do not fit each other.

    Examples
    --------
    >>> import tempfile, numpy as np, dalembert as da
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/K.npy", np.zeros((6, 6)))
    ...     np.save(f"{folder}/M.npy", np.eye(6))
    ...     files = {"stiffness": f"{folder}/K.npy", "mass": f"{folder}/M.npy"}
    ...     model = da.read_finite_elements(nodes=[[0, 0, 0], [1, 0, 0]], **files)
    >>> model.M.shape
    (6, 6)
    """
    if unit not in _LENGTHS:
        raise UnknownNameError("unit of length", unit, _LENGTHS, "a finite-element model")
    model = _read(path, stiffness, mass, nodes, run)
    return model if unit == "m" else model.scaled(_LENGTHS[unit])


def _read(
    path: str | os.PathLike[str] | None,
    stiffness: str | os.PathLike[str] | None,
    mass: str | os.PathLike[str] | None,
    nodes: str | os.PathLike[str] | ArrayLike | None,
    run: bool,
) -> FiniteElements:
    """Read a model in the units of its files."""
    if path is not None:
        if stiffness is not None or mass is not None or nodes is not None:
            raise InputError("give either one file of a model, or stiffness, mass and nodes")
        file = Path(path)
        if not file.is_file():
            raise InputError(f"there is no finite-element model {str(file)!r}")
        if file.suffix.lower() == ".npz":
            return _saved(file)
        if file.suffix.lower() == ".inp":
            deck = read_deck(file)
            K, M, freedoms = run_calculix(file) if run else read_storage(file)
            return _assembled(LabelledMatrix(K, freedoms), LabelledMatrix(M, freedoms), deck)
        raise InputError(f"{str(file)!r} is not a finite-element model of a known format: .npz, .inp")
    if stiffness is None or mass is None or nodes is None:
        raise InputError("a finite-element model needs a file, or stiffness, mass and nodes")
    return _assembled(_named(stiffness), _named(mass), _deck(nodes))


def _named(path: str | os.PathLike[str]) -> LabelledMatrix:
    text = os.fspath(path)
    file, colon, name = text.rpartition(":")
    several = colon and "." in Path(file).name and not Path(text).is_file()
    return read_matrix(file, name) if several else read_matrix(text)


def _deck(nodes: str | os.PathLike[str] | ArrayLike) -> InputDeck:
    if not isinstance(nodes, str | os.PathLike):
        return InputDeck.plain(np.asarray(nodes, dtype=float))
    file = Path(nodes)
    if not file.is_file():
        raise InputError(f"there is no file {str(file)!r} to read nodes from")
    if file.suffix.lower() == ".inp":
        return read_deck(file)
    try:
        table = np.load(file, allow_pickle=False) if file.suffix.lower() == ".npy" else _table(file)
    except ValueError as error:
        raise InputError(f"{str(file)!r} cannot be read as a table of nodes: {error}") from None
    if table.ndim != 2 or table.shape[1] not in (3, 4):
        raise InputError(f"{str(file)!r} must have the columns x, y, z or number, x, y, z, got shape {table.shape}")
    if table.shape[1] == 3:
        return InputDeck.plain(table)
    return InputDeck(table[:, 0].astype(np.int64), table[:, 1:], {}, np.zeros((0, 3), dtype=np.int64))


def _table(file: Path) -> Array:
    text = file.read_text(encoding="utf-8")
    return np.atleast_2d(np.loadtxt(text.splitlines(), delimiter="," if "," in text else None, comments=("#", "%")))


def _assembled(K: LabelledMatrix, M: LabelledMatrix, deck: InputDeck) -> FiniteElements:
    """Matrices with their freedoms in the order of the nodes."""
    width = max((int(A.freedoms[:, 1].max()) for A in (K, M) if A.freedoms is not None), default=0)
    per_node = 6 if width > 3 else 3
    stiffness, mass = (_ordered(A, deck, per_node) for A in (K, M))
    return FiniteElements(stiffness, mass, deck.positions, deck.sets, deck.surface, deck.solids, deck.no_solids)


def _ordered(A: LabelledMatrix, deck: InputDeck, per_node: int) -> Any:
    import scipy.sparse as sp

    if A.freedoms is None:
        return A.values
    place = {int(number): k for k, number in enumerate(deck.numbers)}
    unknown = sorted({int(n) for n in A.freedoms[:, 0]} - place.keys())
    if unknown:
        raise InputError(f"a matrix has freedoms of node {unknown[0]}, which is not among the {len(place)} nodes")
    at = np.array([per_node * place[int(n)] + int(d) - 1 for n, d in A.freedoms])
    size = per_node * len(place)
    P = sp.csc_matrix((np.ones(len(at)), (at, np.arange(len(at)))), shape=(size, size if len(at) == size else len(at)))
    return (P @ A.values @ P.T).tocsc()


def _saved(file: Path) -> FiniteElements:
    import scipy.sparse as sp

    with np.load(file, allow_pickle=False) as data:
        missing = [key for key in ("nodes", "K_data", "M_data") if key not in data]
        if missing:
            raise InputError(f"{str(file)!r} is not a saved finite-element model: it has no {missing[0]!r}")
        size = len(data["K_indptr"]) - 1
        K, M = (
            completed(sp.csc_matrix((data[f"{k}_data"], data[f"{k}_indices"], data[f"{k}_indptr"]), shape=(size, size)))
            for k in "KM"
        )
        sets = {key[4:]: data[key] for key in data if key.startswith("set:")}
        solids = [
            Solids(data[key], data[f"{key}_E"], data[f"{key}_nu"]) for key in sorted(data) if _SOLIDS.fullmatch(key)
        ]
        reason = f"{str(file)!r} was saved without them"
        return FiniteElements(K, M, data["nodes"], sets, data["surface"], tuple(solids), reason)
