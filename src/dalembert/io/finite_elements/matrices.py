"""Matrices of finite-element programs: MatrixMarket, NumPy and SciPy files, Abaqus, Nastran op4 and DMIG.

A matrix whose file names the freedoms of its rows (node and direction, 1 to 6) comes with these labels. A file that has
one triangle only is completed.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.core.errors import InputError
from dalembert.io.finite_elements.nastran import read_dmig, read_op4

__all__ = ["LabelledMatrix", "completed", "labelled", "read_matrix"]


@dataclass(frozen=True, eq=False)
class LabelledMatrix:
    """A sparse matrix and, where the file has them, the freedoms of its rows.

    Parameters
    ----------
    values
        Sparse (n x n).
    freedoms
        Node number and direction (n x 2), or None.
    """

    values: Any
    freedoms: NDArray[np.int64] | None = None


def read_matrix(path: str | os.PathLike[str], name: str | None = None) -> LabelledMatrix:
    """Read a matrix of a finite-element program.

    Parameters
    ----------
    path
        ``.mtx`` (MatrixMarket, or Abaqus: node, direction, node, direction, value), ``.npy``, ``.npz`` (SciPy),
        ``.op4`` (Nastran, text or binary), ``.pch``, ``.dmig`` or ``.bdf`` (Nastran DMIG).
    name
        Name of the matrix in a file that holds several (op4, DMIG); None: there is one.

    Raises
    ------
    InputError
        If the file is missing or of another format, or has no such matrix.
    """
    file = Path(path)
    if not file.is_file():
        raise InputError(f"no such file: {str(file)!r} to read a matrix from")
    readers = {
        ".mtx": _read_mtx, ".npy": _read_numpy, ".npz": _read_numpy, ".op4": _read_op4,
        ".pch": _read_dmig, ".dmig": _read_dmig, ".bdf": _read_dmig,
    }  # fmt: skip
    if file.suffix.lower() not in readers:
        raise InputError(f"{str(file)!r} is not a matrix file of a known format: {', '.join(readers)}")
    try:
        return readers[file.suffix.lower()](file, name)
    except (ValueError, IndexError, KeyError, EOFError) as error:
        raise InputError(f"{str(file)!r} cannot be read as a matrix: {error}") from None


def completed(A: Any) -> Any:
    """Return a matrix with both triangles: entries are mirrored if none of them has a mirror image."""
    import scipy.sparse as sp

    A = sp.csc_matrix(A)
    A.eliminate_zeros()
    beside = A - sp.diags(A.diagonal(), shape=A.shape) if A.shape[0] == A.shape[1] else A
    beside = sp.csc_matrix(beside)
    beside.eliminate_zeros()
    if A.shape[0] != A.shape[1] or abs(beside).multiply(abs(beside.T)).nnz:
        return A
    return (A + beside.T).tocsc()


def labelled(rows: NDArray[np.int64], columns: NDArray[np.int64], values: NDArray[np.float64]) -> LabelledMatrix:
    """Return the matrix of entries whose rows and columns are freedoms (n x 2)."""
    import scipy.sparse as sp

    freedoms = np.unique(np.concatenate([rows, columns]), axis=0)
    place = {tuple(freedom): k for k, freedom in enumerate(freedoms.tolist())}
    i, j = (np.array([place[tuple(freedom)] for freedom in side.tolist()]) for side in (rows, columns))
    size = len(freedoms)
    return LabelledMatrix(completed(sp.coo_matrix((values, (i, j)), shape=(size, size))), freedoms)


def _read_mtx(file: Path, name: str | None) -> LabelledMatrix:
    with file.open(encoding="ascii", errors="replace") as lines:
        market = lines.readline().startswith("%%MatrixMarket")
    if market:
        from scipy.io import mmread

        return LabelledMatrix(completed(mmread(file)))
    table = np.atleast_2d(np.loadtxt(file, delimiter=",", comments=("**", "%")))
    if table.shape[1] != 5:
        raise ValueError(f"expected node, direction, node, direction, value in each line, got {table.shape[1]} columns")
    whole = table[:, :4].astype(np.int64)
    return labelled(whole[:, :2], whole[:, 2:4], table[:, 4])


def _read_numpy(file: Path, name: str | None) -> LabelledMatrix:
    import scipy.sparse as sp

    if file.suffix.lower() == ".npy":
        return LabelledMatrix(completed(np.load(file, allow_pickle=False)))
    return LabelledMatrix(completed(sp.load_npz(file)))


def _chosen(matrices: dict[str, Any], name: str | None) -> Any:
    if name is None and len(matrices) == 1:
        return next(iter(matrices.values()))
    if name is None or name.upper() not in matrices:
        raise ValueError(f"it holds the matrices {', '.join(matrices) or '(none)'}, got the name {name!r}")
    return matrices[name.upper()]


def _read_op4(file: Path, name: str | None) -> LabelledMatrix:
    return LabelledMatrix(completed(_chosen(read_op4(file), name)))


def _read_dmig(file: Path, name: str | None) -> LabelledMatrix:
    return labelled(*_chosen(read_dmig(file), name))
