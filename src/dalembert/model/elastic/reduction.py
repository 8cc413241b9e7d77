"""MeshReduction of a finite-element model to a few shapes: fixed-interface modes, constraint modes, inertia relief.

The frame of the reduced body is at the centroid of its first interface, where its joint is. An interface is a face that
moves as a rigid body. The shapes vanish at the first one, so that the frame needs no conditions on mean axes. They are

- six constraint modes for each other interface: static shapes for unit motions of it (R. R. Craig, M. C. C. Bampton,
  "Coupling of substructures for dynamic analyses", AIAA J. 6 (1968) 1313-1319),
- the lowest modes with all interfaces fixed,
- on demand twelve static shapes for the inertia forces ``M e_c`` and ``M x_b e_c`` of a rigid motion, which
  acceleration, angular acceleration and spin cause: stresses converge slowly without them.

They are then combined so that the modal mass is 1 and the stiffness diagonal. Free-interface modes, relative to the
mean motion of the first interface, are the alternative.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.core.errors import MachineError
from dalembert.core.types import Array
from dalembert.model.elastic.integrals import ModalIntegrals
from dalembert.model.elastic.mesh_checks import MeshModel, check_interfaces, rigid_motions
from dalembert.model.elastic.stiffening import StiffeningIntegrals

__all__ = ["METHODS", "GeometricStiffness", "MeshReduction", "reduce_model"]

GeometricStiffness = Callable[[Array], Sequence[Any]]
"""Function of displacements (freedoms x loads): the geometric stiffness matrix under the stresses of each."""

METHODS = ("craig-bampton", "free")
_NEGATIVE = 1e-9
"""Part of the largest eigenvalue below which a negative one is rounding."""
_DEPENDENT = 1e-10
"""Part of the largest mass of a combination of shapes below which they depend on each other."""


@dataclass(frozen=True, eq=False)
class MeshReduction:
    """A reduced finite-element model in the frame of its first interface.

    Parameters
    ----------
    positions
        Nodes (N x 3).
    shapes, rotations
        Translations and, where the model has them, rotations (N x 3 x n) of the nodes per coordinate.
    omega
        Angular frequencies (n) [rad/s] with the first interface fixed.
    integrals
        Inertia integrals.
    fields
        Vectors whose energy is that of the body: weights (k), and coefficients (k x (4 + 3 n)) of ``1, x_0, X``.
    sections
        By name: undeformed position (3), and modes of displacement and rotation (6 x n).
    lost
        Part of the modal mass that lumping the mass to the nodes has lost; 0 where the integrals are exact.
    faces
        Triangles (m x 3) of the surface, by nodes; may be empty.
    stress
        Stresses (P x 6 x n) at some points per coordinate, or None.
    stiffening
        Integrals of the motion of second order, or None: it is left out.
    """

    positions: Array
    shapes: Array
    rotations: Array | None
    omega: Array
    integrals: ModalIntegrals
    fields: tuple[Array, Array]
    sections: Mapping[str, tuple[Array, Array]]
    lost: float
    faces: NDArray[np.int64]
    stress: Array | None = None
    stiffening: StiffeningIntegrals | None = None


def reduce_model(
    model: MeshModel,
    interfaces: Mapping[str, NDArray[np.int64]],
    *,
    modes: int,
    method: str,
    relief: bool,
    stations: Mapping[str, NDArray[np.int64]],
    stress: Any | None = None,
    stiffening: GeometricStiffness | None = None,
) -> MeshReduction:
    """Reduce a checked model.

    Parameters
    ----------
    model
        Matrices and nodes.
    interfaces
        Nodes of each interface; the first one carries the joint.
    modes
        Number of fixed-interface or free modes.
    method
        One of `METHODS`.
    relief
        Whether to add static shapes for inertia forces.
    stations
        Nodes of further sections, whose motion is the mean one of these nodes.
    stress
        Matrix (6 P x freedoms) from displacements to stresses, or None.
    stiffening
        Gives geometric stiffness matrices, or None: motions of second order are left out.
    """
    check_interfaces(model, interfaces)
    names = list(interfaces)
    origin = model.nodes[interfaces[names[0]]].mean(axis=0)
    if method == "free":
        basis = _free_modes(model, interfaces[names[0]], origin, modes)
    else:
        basis = _fixed_modes(model, interfaces, origin, modes, relief=relief)
    omega, basis = _orthonormal(model, basis)
    freedoms = basis.reshape(len(model.nodes), model.per_node, -1)
    shapes, rotations = freedoms[:, :3], freedoms[:, 3:] if model.per_node == 6 else None
    sections = {
        name: _mean_motion(model, nodes, basis, origin)
        for name, nodes in {**{k: interfaces[k] for k in names[1:]}, **stations}.items()
    }
    x0 = model.nodes - origin
    sigma = None if stress is None else np.asarray(stress @ basis).reshape(-1, 6, basis.shape[1])
    gram, lost = _gram(model, x0, shapes, rotations)
    integrals = _integrals(gram, basis.shape[1])
    bent = None
    if stiffening is not None:
        loaded = {**{k: interfaces[k] for k in names[1:]}, **stations}
        moments, moved = _second_moments(model, interfaces, origin, basis, loaded, stiffening)
        bent = StiffeningIntegrals.of(integrals, moments, moved)
    fields = _fields(gram)
    return MeshReduction(x0, shapes, rotations, omega, integrals, fields, sections, lost, model.faces, sigma, bent)


def _second_moments(
    model: MeshModel,
    interfaces: Mapping[str, NDArray[np.int64]],
    origin: Array,
    basis: Array,
    sections: Mapping[str, NDArray[np.int64]],
    stiffness: GeometricStiffness,
) -> tuple[Array, dict[str, Array]]:
    """Moments of the motion of second order (4 x 3 x n x n) and that of sections (3 x n x n), from stresses of loads.

    The loads are inertia forces of rigid motions, and unit forces on the sections.
    """
    import scipy.sparse.linalg as sl

    G, _ = _selection(model, interfaces)
    loads = [model.M @ _rigid_accelerations(model, origin)]
    for nodes in sections.values():
        force = np.zeros((len(model.nodes), model.per_node, 3))
        force[nodes, :3] = np.eye(3) / len(nodes)
        loads.append(force.reshape(model.size, 3))
    displacements = G @ sl.splu((G.T @ model.K @ G).tocsc()).solve(G.T @ np.hstack(loads))
    matrices = stiffness(np.asarray(displacements))
    if len(matrices) != displacements.shape[1] or any(np.shape(A) != (model.size, model.size) for A in matrices):
        raise MachineError(
            f"stiffening must return {displacements.shape[1]} matrices of shape ({model.size}, {model.size}), got "
            f"{[np.shape(A) for A in matrices][:3]}"
        )
    Q = -np.array([basis.T @ (A @ basis) for A in matrices])
    Q = (Q + Q.transpose(0, 2, 1)) / 2
    for part in [Q[:3], Q[3:12], *[Q[k : k + 3] for k in range(12, len(Q), 3)]]:
        part[np.abs(part) < 1e-12 * np.abs(part).max()] = 0.0
    n = basis.shape[1]
    of = {name: Q[12 + 3 * k : 15 + 3 * k] for k, name in enumerate(sections)}
    return Q[:12].reshape(4, 3, n, n), of


def _selection(model: MeshModel, interfaces: Mapping[str, NDArray[np.int64]]) -> tuple[Any, int]:
    """Matrix from the freedoms of inner nodes and of rigid faces but the first to all, and the number of inner ones."""
    import scipy.sparse as sp

    width, n = model.per_node, model.size
    held = np.zeros(len(model.nodes), dtype=bool)
    for nodes in interfaces.values():
        held[nodes] = True
    inner = np.flatnonzero(np.repeat(~held, width))
    blocks = [sp.csc_matrix((np.ones(len(inner)), (inner, np.arange(len(inner)))), shape=(n, len(inner)))]
    for nodes in list(interfaces.values())[1:]:
        centre = model.nodes[nodes].mean(axis=0)
        rows = (width * nodes[:, None] + np.arange(width)).ravel()
        T = rigid_motions(model.nodes[nodes], centre, width)
        columns = np.broadcast_to(np.arange(6), T.shape)
        blocks.append(sp.csc_matrix((T.ravel(), (np.repeat(rows, 6), columns.ravel())), shape=(n, 6)))
    return sp.hstack(blocks).tocsc(), len(inner)


def _fixed_modes(
    model: MeshModel, interfaces: Mapping[str, NDArray[np.int64]], origin: Array, modes: int, *, relief: bool
) -> Array:
    """Fixed-interface modes, constraint modes and static shapes of inertia forces (freedoms x n)."""
    import scipy.sparse.linalg as sl

    G, inner = _selection(model, interfaces)
    k, m = (G.T @ model.K @ G).tocsc(), (G.T @ model.M @ G).tocsc()
    if modes >= inner:
        raise MachineError(f"the model has {inner} inner freedoms: modes must be fewer, got {modes}")
    try:
        solve = sl.splu(k[:inner, :inner]).solve
    except RuntimeError:
        raise MachineError(
            "the stiffness matrix is singular with the interfaces fixed: parts of the mesh are not connected to them"
        ) from None
    faces = k.shape[0] - inner
    columns = []
    if faces:
        static = np.zeros((k.shape[0], faces))
        static[:inner] = -solve(k[:inner, inner:].toarray())
        static[inner:] = np.eye(faces)
        columns.append(static)
    if modes:
        _, Phi = sl.eigsh(k[:inner, :inner], k=modes, M=m[:inner, :inner], sigma=0.0, v0=np.ones(inner))
        columns.append(np.vstack([Phi, np.zeros((faces, modes))]))
    if relief:
        loads = (G.T @ (model.M @ _rigid_accelerations(model, origin)))[:inner]
        columns.append(np.vstack([solve(loads), np.zeros((faces, loads.shape[1]))]))
    return np.asarray(G @ np.hstack(columns))


def _rigid_accelerations(model: MeshModel, origin: Array) -> Array:
    """Fields ``e_c`` and ``x_b e_c`` (freedoms x 12): inertia forces of a rigid motion are combinations of them."""
    x = np.column_stack([np.ones(len(model.nodes)), model.nodes - origin])
    field = np.zeros((len(model.nodes), model.per_node, 4, 3))
    for c in range(3):
        field[:, c, :, c] = x
    return field.reshape(model.size, 12)


def _free_modes(model: MeshModel, root: NDArray[np.int64], origin: Array, modes: int) -> Array:
    """Elastic modes of the free body, relative to the mean motion of the first interface."""
    import scipy.sparse.linalg as sl

    n = modes + 6
    if n >= model.size:
        raise MachineError(f"the model has {model.size} freedoms: modes must be < {model.size - 6}, got {modes}")
    shift = -1e-6 * float(np.abs(model.K.diagonal()).max()) / float(np.abs(model.M.diagonal()).max())
    w2, Phi = sl.eigsh(model.K, k=n, M=model.M, sigma=shift, v0=np.ones(model.size))
    Phi = Phi[:, np.argsort(w2)[6:]]
    width = model.per_node
    rows = (width * root[:, None] + np.arange(width)).ravel()
    mean = np.linalg.lstsq(rigid_motions(model.nodes[root], origin, width), Phi[rows], rcond=None)[0]
    return np.asarray(Phi - rigid_motions(model.nodes, origin, width) @ mean)


def _orthonormal(model: MeshModel, basis: Array) -> tuple[Array, Array]:
    """Combine shapes so that their mass matrix is 1 and their stiffness diagonal; dependent ones are left out."""
    from scipy.linalg import eigh

    m, k = basis.T @ (model.M @ basis), basis.T @ (model.K @ basis)
    scale = 1 / np.sqrt(np.diag(m))
    values, vectors = eigh((m + m.T) / 2 * np.outer(scale, scale))
    if not values[-1] > 0.0 or values[0] < -_NEGATIVE * values[-1]:
        raise MachineError(
            f"the mass matrix is not positive definite: a shape has the generalized mass {values[0]:.3g}"
        )
    kept = values > _DEPENDENT * values[-1]
    T = scale[:, None] * vectors[:, kept] / np.sqrt(values[kept])
    w2, U = eigh(T.T @ ((k + k.T) / 2) @ T)
    if w2[0] < -_NEGATIVE * w2[-1]:
        raise MachineError(
            f"the stiffness matrix has a negative eigenvalue: a mode has omega^2 = {w2[0]:.4g} rad^2/s^2"
        )
    basis = basis @ (T @ U)
    m = basis.T @ (model.M @ basis)  # 1 except for the rounding of small values, which this step removes
    basis = basis @ (1.5 * np.eye(len(m)) - (m + m.T) / 4)
    largest = basis[np.abs(basis).argmax(axis=0), np.arange(basis.shape[1])]
    return np.sqrt(np.maximum(w2, 0.0)), np.asarray(basis * np.sign(largest))


def _mean_motion(model: MeshModel, nodes: NDArray[np.int64], basis: Array, origin: Array) -> tuple[Array, Array]:
    """Position of a face, and its displacement and rotation per coordinate (6 x n): exact where the face is rigid."""
    width, centre = model.per_node, model.nodes[nodes].mean(axis=0)
    rows = (width * nodes[:, None] + np.arange(width)).ravel()
    motion = np.linalg.lstsq(rigid_motions(model.nodes[nodes], centre, width), basis[rows], rcond=None)[0]
    return centre - origin, np.asarray(motion)


def _gram(model: MeshModel, x0: Array, shapes: Array, rotations: Array | None) -> tuple[Array, float]:
    """Gram matrix of the scalar fields ``1, x_0, X`` by the mass, and the part of the modal mass that is lost.

    Where the mass matrix is ``m (x) 1``, its factor m is used as it is. Otherwise the translational mass of each node
    is lumped, and nodes with rotations carry the moments of inertia of their diagonal blocks.
    """
    n = shapes.shape[2]
    Y = np.column_stack([np.ones(len(x0)), x0, shapes.reshape(len(x0), 3 * n)])
    scalar = model.scalar_mass
    if scalar is not None:
        gram = np.asarray(Y.T @ (scalar @ Y))
        return (gram + gram.T) / 2, 0.0
    masses, inertias = model.lumped
    gram = Y.T @ (masses[:, None] * Y)
    if rotations is not None:
        gram = gram + _director_products(inertias, rotations)
    modal = sum(gram[4 + b * n : 4 + (b + 1) * n, 4 + b * n : 4 + (b + 1) * n] for b in range(3))
    return np.asarray(gram), float(np.linalg.norm(modal - np.eye(n)) / np.sqrt(n))


def _director_products(inertias: Array, rotations: Array) -> Array:
    """Gram matrix of the directors of nodes that turn, ``d = e + theta x e``, weighted with ``tr(J)/2 - J``."""
    n = rotations.shape[2]
    size = 4 + 3 * n
    gram = np.zeros((size, size))
    for J, turn in zip(inertias, rotations, strict=True):
        values, axes = np.linalg.eigh(np.trace(J) / 2 * np.eye(3) - J)
        for value, e in zip(values, axes.T, strict=True):
            if value == 0.0:
                continue
            d = np.cross(turn.T, e)  # n x 3
            field = np.concatenate([[0.0], e, d.T.ravel()])
            gram += value * np.outer(field, field)
    return gram


def _integrals(gram: Array, n: int) -> ModalIntegrals:
    """Inertia integrals from the Gram matrix."""
    X = gram[4:, 4:].reshape(3, n, 3, n).transpose(0, 2, 1, 3)
    size = np.sqrt(np.abs(np.einsum("bbii->i", X)))
    B = np.where(np.abs(X) < 1e-13 * np.outer(size, size), 0.0, X)  # zeros cost nothing
    axes, (i, j) = np.arange(3), np.indices((n, n))
    same = B[axes, axes]  # the largest of three takes what the others lose, so that the modal mass stays 1
    largest = np.abs(same).argmax(axis=0)
    lost = (X[axes, axes] - same).sum(axis=0)
    B[largest, largest, i, j] += np.where(same[largest, i, j] != 0.0, lost, 0.0)
    return ModalIntegrals(
        float(gram[0, 0]), gram[0, 1:4], gram[1:4, 1:4], gram[0, 4:].reshape(3, n), gram[1:4, 4:].reshape(3, 3, n), B
    )


def _fields(gram: Array) -> tuple[Array, Array]:
    """Weights and coefficients of as many vectors as the Gram matrix has ranks: their energy is that of the body."""
    scale = np.sqrt(np.abs(np.diag(gram)))
    scale[scale == 0.0] = 1.0
    values, vectors = np.linalg.eigh(gram / np.outer(scale, scale))
    kept = np.abs(values) > 1e-15 * np.abs(values).max()
    return values[kept], (vectors[:, kept] * scale[:, None]).T
