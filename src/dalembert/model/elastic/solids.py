"""Solid finite elements: stresses at the nodes of a mesh, and geometric stiffness under them.

Tetrahedra with 4 and 10 nodes and hexahedra with 8 and 20, in the order of CalculiX and Abaqus, of an isotropic
material. With the gradients of the shape functions at a Gauss point, ``dN/dx = J^-1 dN/dxi``, strains, stresses and the
geometric stiffness are

    eps = (grad u + grad u^T) / 2,    sigma = lambda tr(eps) 1 + 2 mu eps,    K_g = int grad N^T sigma grad N (x) 1 dV

(O. C. Zienkiewicz, R. L. Taylor, "The finite element method", volume 1, chapters 4, 8 and 14; volume 2, chapter 5).
Stresses of a node are those of the Gauss points of each element at which they are most accurate, extrapolated to the
node and averaged over the elements that share it, as finite-element programs print them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.core.errors import MachineError
from dalembert.core.types import Array

__all__ = ["COMPONENTS", "Solids", "check_solids", "geometric_stiffness", "stress_matrix"]

COMPONENTS = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))
"""Components of a stress, in their order: xx, yy, zz, xy, yz, zx."""

_BLOCK = 400
"""Elements whose matrices are made at once."""

_CORNERS = np.array(
    [(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)]
)
_EDGES = {
    4: ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)),
    8: ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)),
}
"""Ends of the edges whose middles are the further nodes of quadratic elements, by the number of corners."""


@dataclass(frozen=True, eq=False)
class Solids:
    """Solid elements of one kind and their material.

    Parameters
    ----------
    elements
        Nodes (m, k) of each element, as indices; k is 4, 8, 10 or 20.
    E
        Young's modulus [Pa], one number or one of each element (m).
    nu
        Poisson's ratio, likewise.

    Examples
    --------
    A tetrahedron of steel:

    >>> import dalembert as da
    >>> da.Solids([[0, 1, 2, 3]], E=210e9, nu=0.3).elements.shape
    (1, 4)
    """

    elements: NDArray[np.int64]
    E: Array
    nu: Array

    def __init__(self, elements: ArrayLike, E: ArrayLike, nu: ArrayLike) -> None:
        table = np.asarray(elements)
        if table.ndim != 2 or table.shape[1] not in (4, 8, 10, 20) or not np.issubdtype(table.dtype, np.integer):
            raise MachineError(
                "solids must be node indices (m, 4), (m, 8), (m, 10) or (m, 20), got shape "
                f"{table.shape} of {table.dtype}"
            )
        modulus, ratio = (np.broadcast_to(np.asarray(x, dtype=float), len(table)).copy() for x in (E, nu))
        if not (np.isfinite(modulus).all() and (modulus > 0.0).all()):
            raise MachineError(f"E of solids must be positive, got {modulus.min():g} Pa")
        if not ((ratio > -1.0) & (ratio < 0.5)).all():
            raise MachineError(f"nu of solids must be between -1 and 0.5, got {ratio.min():g} to {ratio.max():g}")
        object.__setattr__(self, "elements", table.astype(np.int64))
        object.__setattr__(self, "E", modulus)
        object.__setattr__(self, "nu", ratio)


def _powers(k: int) -> NDArray[np.int64]:
    """Exponents of the monomials that the shape functions of an element with k nodes consist of."""
    if k in (4, 10):
        most = 1 if k == 4 else 2
        return np.array([p for p in np.ndindex(3, 3, 3) if sum(p) <= most])
    if k == 8:
        return np.array(list(np.ndindex(2, 2, 2)))
    return np.array([p for p in np.ndindex(3, 3, 3) if p.count(2) < 2])


def _places(k: int) -> Array:
    """Local coordinates (k, 3) of the nodes."""
    corners = np.vstack([np.zeros(3), np.eye(3)]) if k in (4, 10) else _CORNERS.astype(float)
    if k in (4, 8):
        return corners
    middles = [(corners[a] + corners[b]) / 2 for a, b in _EDGES[len(corners)]]
    return np.vstack([corners, middles])


@cache
def _shapes(k: int) -> Array:
    """Coefficients (monomials, k) of the shape functions."""
    return np.asarray(np.linalg.inv(np.prod(_places(k)[:, None] ** _powers(k), axis=2)))


def _gradients(k: int, point: Array) -> Array:
    """Derivatives (3, k) of the shape functions by the local coordinates."""
    powers, rows = _powers(k), []
    for a in range(3):
        lower = np.maximum(powers - np.eye(3, dtype=int)[a], 0)
        rows.append(powers[:, a] * np.prod(point**lower, axis=1) @ _shapes(k))
    return np.array(rows)


def _gauss(k: int, *, fine: bool = False) -> tuple[Array, Array]:
    """Gauss points and weights: those of stresses, or with ``fine`` those that integrate products of gradients."""
    if k == 4:
        return np.full((1, 3), 0.25), np.array([1.0 / 6.0])
    if k == 10:
        a, b = (5 + 3 * 5**0.5) / 20, (5 - 5**0.5) / 20
        return np.array([(b, b, b), (a, b, b), (b, a, b), (b, b, a)]), np.full(4, 1.0 / 24.0)
    x, w = np.polynomial.legendre.leggauss(3 if fine and k == 20 else 2)
    grid = np.array([(x[i], x[j], x[l]) for i, j, l in np.ndindex(len(x), len(x), len(x))])
    return grid, np.array([w[i] * w[j] * w[l] for i, j, l in np.ndindex(len(x), len(x), len(x))])


def _extrapolation(k: int) -> Array:
    """Matrix (k, Gauss points) from values at Gauss points to the nodes: linear in tetrahedra, trilinear in bricks."""
    points, corners = _gauss(k)[0], 4 if k in (4, 10) else 8
    if k == 4:
        return np.ones((4, 1))
    linear = _powers(corners)
    at_gauss, at_nodes = (np.prod(x[:, None] ** linear, axis=2) for x in (points, _places(k)[:corners]))
    E = at_nodes @ np.linalg.inv(at_gauss)
    if k == corners:
        return np.asarray(E)
    return np.vstack([E, *[(E[a] + E[b])[None] / 2 for a, b in _EDGES[corners]]])


def _mapped(nodes: Array, elements: NDArray[np.int64], point: Array) -> tuple[Array, Array]:
    """Gradients (m, 3, k) of the shape functions in space, and the volume factors (m), at a local point."""
    dN = _gradients(elements.shape[1], point)
    J = np.einsum("ak,mkb->mab", dN, nodes[elements])
    volume = np.linalg.det(J)
    if not (volume > 0.0).all():
        bad = int(np.argmin(volume))
        raise MachineError(f"solid {bad} is turned inside out or has no volume: its nodes are {elements[bad].tolist()}")
    return np.linalg.solve(J, np.broadcast_to(dN, (len(J), *dN.shape))), volume


def _blocks(solids: Solids) -> Iterator[tuple[NDArray[np.int64], Array, Array]]:
    """Some elements at a time, with Lame's constants of each."""
    shear = solids.E / (2 * (1 + solids.nu))
    first = solids.E * solids.nu / ((1 + solids.nu) * (1 - 2 * solids.nu))
    for k in range(0, len(solids.elements), _BLOCK):
        yield solids.elements[k : k + _BLOCK], first[k : k + _BLOCK], shear[k : k + _BLOCK]


def _stresses(gradient: Array, first: Array, shear: Array) -> Array:
    """Stress components per displacement (m, 6, 3 k), from gradients (m, 3, k)."""
    m, _, k = gradient.shape
    sigma = np.zeros((m, 6, k, 3))
    for row, (a, b) in enumerate(COMPONENTS):
        if a == b:
            for c in range(3):
                sigma[:, row, :, c] += first[:, None] * gradient[:, c]
            sigma[:, row, :, a] += 2 * shear[:, None] * gradient[:, a]
        else:
            sigma[:, row, :, a] += shear[:, None] * gradient[:, b]
            sigma[:, row, :, b] += shear[:, None] * gradient[:, a]
    return sigma.reshape(m, 6, 3 * k)


def check_solids(solids: Sequence[Solids], n: int) -> None:
    """Refuse solids whose nodes do not exist."""
    for one in solids:
        if one.elements.min(initial=0) < 0 or one.elements.max(initial=0) >= n:
            raise MachineError(
                f"solids have nodes {one.elements.min()} to {one.elements.max()}; the mesh has {n} nodes"
            )


def stress_matrix(nodes: ArrayLike, solids: Sequence[Solids]) -> Any:
    """Return the sparse matrix (6 N, 3 N) from displacements of the nodes to their stresses [Pa].

    Parameters
    ----------
    nodes
        Positions (N, 3) [m].
    solids
        Elements and materials.

    Notes
    -----
    Rows of a node are xx, yy, zz, xy, yz, zx. Nodes that belong to no solid have none.

    Examples
    --------
    A cube of 2 m that is stretched by a thousandth:

    >>> import numpy as np, dalembert as da
    >>> square = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    >>> x = np.array([(*point, z) for z in (-1, 1) for point in square])
    >>> S = da.analysis.stress_matrix(x, [da.Solids([range(8)], E=200e9, nu=0.0)])
    >>> u = np.zeros((8, 3))
    >>> u[:, 0] = 1e-3 * x[:, 0]
    >>> (S @ u.ravel()).reshape(8, 6)[0].round(-3) / 1e6
    array([200.,   0.,   0.,   0.,   0.,   0.])
    """
    import scipy.sparse as sp

    x = np.asarray(nodes, dtype=float)
    check_solids(solids, len(x))
    total, count = sp.csr_matrix((6 * len(x), 3 * len(x))), np.zeros(len(x))
    for one in solids:
        k = one.elements.shape[1]
        points, E = _gauss(k)[0], _extrapolation(k)
        np.add.at(count, one.elements.ravel(), 1.0)
        for elements, first, shear in _blocks(one):
            at_gauss = np.array([_stresses(_mapped(x, elements, point)[0], first, shear) for point in points])
            at_nodes = np.einsum("ag,gmcj->macj", E, at_gauss)  # m, k, 6, 3 k
            rows = (6 * elements[:, :, None] + np.arange(6)).reshape(len(elements), 6 * k, 1)
            columns = (3 * elements[:, :, None] + np.arange(3)).reshape(len(elements), 1, 3 * k)
            i, j = np.broadcast_arrays(rows, columns)
            total = total + sp.csr_matrix((at_nodes.ravel(), (i.ravel(), j.ravel())), shape=total.shape)
    return (sp.diags(np.repeat(1.0 / np.maximum(count, 1.0), 6)) @ total).tocsr()


def geometric_stiffness(nodes: ArrayLike, solids: Sequence[Solids], displacements: ArrayLike) -> list[Any]:
    """Return the geometric stiffness matrices (3 N, 3 N), sparse, under the stresses of displacements.

    Parameters
    ----------
    nodes
        Positions (N, 3) [m].
    solids
        Elements and materials.
    displacements
        Displacements (3 N, loads) of each load [m].

    Examples
    --------
    >>> import numpy as np, dalembert as da
    >>> x = np.vstack([np.zeros(3), np.eye(3)])
    >>> K_g, = da.analysis.geometric_stiffness(x, [da.Solids([[0, 1, 2, 3]], E=1e9, nu=0.0)], np.ones((12, 1)))
    >>> bool(abs(K_g).max() < 1e-6)  # a rigid motion has no stress
    True
    """
    import scipy.sparse as sp

    x, u = np.asarray(nodes, dtype=float), np.asarray(displacements, dtype=float)
    check_solids(solids, len(x))
    if u.ndim != 2 or len(u) != 3 * len(x):
        raise MachineError(f"displacements must have shape ({3 * len(x)}, loads), got {u.shape}")
    totals = [sp.csr_matrix((len(x), len(x))) for _ in range(u.shape[1])]
    for one in solids:
        k = one.elements.shape[1]
        for elements, first, shear in _blocks(one):
            moved = u.reshape(len(x), 3, -1)[elements].reshape(len(elements), 3 * k, -1)
            blocks = np.zeros((u.shape[1], len(elements), k, k))
            for point, weight in zip(*_gauss(k, fine=True), strict=True):
                gradient, volume = _mapped(x, elements, point)
                sigma = np.einsum("mcj,mjl->lmc", _stresses(gradient, first, shear), moved)
                tensor = np.zeros((*sigma.shape[:2], 3, 3))
                for row, (a, b) in enumerate(COMPONENTS):
                    tensor[..., a, b] = tensor[..., b, a] = sigma[..., row]
                blocks += np.einsum("mai,lmab,mbj,m->lmij", gradient, tensor, gradient, weight * volume, optimize=True)
            i, j = np.broadcast_arrays(elements[:, :, None], elements[:, None, :])
            for load, block in enumerate(blocks):
                totals[load] = totals[load] + sp.csr_matrix(
                    (block.ravel(), (i.ravel(), j.ravel())), shape=totals[load].shape
                )
    return [sp.kron(total, sp.eye(3), format="csr") for total in totals]
