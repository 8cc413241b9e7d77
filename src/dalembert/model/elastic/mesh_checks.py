"""A finite-element model as matrices and nodes, checked: what is refused, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.core.errors import MachineError
from dalembert.core.types import Array

__all__ = ["MeshModel", "as_nodes", "check_interfaces", "check_model", "rigid_motions"]

_SYMMETRY = 1e-9
_RIGID = 1e-8
"""Force of a rigid motion, by the largest entry of K and the motion, beyond which K resists it."""
_COLLINEAR = 1e-6


@dataclass(frozen=True, eq=False)
class MeshModel:
    """Matrices of a model whose freedoms are ordered by nodes: 3 translations, or these and 3 rotations.

    Parameters
    ----------
    K, M
        Sparse matrices (size x size).
    nodes
        Positions (N x 3) [m].
    per_node
        Freedoms of a node: 3 or 6.
    faces
        Triangles of the surface; may be empty.
    """

    K: Any
    M: Any
    nodes: Array
    per_node: int
    faces: NDArray[np.int64]

    @property
    def size(self) -> int:
        """Number of freedoms."""
        return int(self.K.shape[0])

    @cached_property
    def scalar_mass(self) -> Any | None:
        """Factor m (N x N) of a mass matrix ``m (x) 1``, as of isoparametric solids; None: it is no such product."""
        import scipy.sparse as sp

        if self.per_node != 3:
            return None
        m = self.M[0::3, 0::3].tocsc()
        rest = self.M - sp.kron(m, sp.identity(3))
        return m if rest.nnz == 0 or abs(rest).max() <= 1e-9 * abs(self.M).max() else None

    @cached_property
    def lumped(self) -> tuple[Array, Array]:
        """Mass of each node (N), from the forces of uniform accelerations, and its moments of inertia (N x 3 x 3)."""
        width, n = self.per_node, len(self.nodes)
        masses = np.zeros(n)
        for c in range(3):
            push = np.zeros(self.size)
            push[c::width] = 1.0
            masses += (self.M @ push)[c::width] / 3.0
        inertias = np.zeros((n, 3, 3))
        if width == 6:
            dense = self.M.tocsr()
            for i in range(n):
                rows = slice(6 * i + 3, 6 * i + 6)
                inertias[i] = dense[rows, rows].toarray()
        return masses, inertias


def rigid_motions(points: Array, centre: Array, per_node: int = 3) -> Array:
    """Freedoms (per_node N x 6) of points that move as a rigid body: translations, then rotations about a centre."""
    motion = np.zeros((len(points), per_node, 6))
    motion[:, :3, :3] = np.eye(3)
    for a in range(3):
        motion[:, :3, 3 + a] = np.cross(np.eye(3)[a], points - centre)
    if per_node == 6:
        motion[:, 3:, 3:] = np.eye(3)
    return motion.reshape(-1, 6)


def check_model(name: str, K: Any, M: Any, nodes: ArrayLike, faces: ArrayLike | None) -> MeshModel:
    """Check matrices and nodes, and return them as a model.

    Raises
    ------
    MachineError
        If sizes do not agree, a matrix is not finite or not symmetric, the stiffness resists rigid motions, or the mass
        is not positive or differs by axis.
    """
    import scipy.sparse as sp

    what = f"flexible body '{name}'"
    points = np.asarray(nodes, dtype=float)
    if points.ndim != 2 or points.shape[1] != 3 or not len(points) or not np.isfinite(points).all():
        raise MachineError(f"nodes of {what} must be finite positions (N, 3), got shape {points.shape}")
    matrices = []
    for label, matrix in (("K", K), ("M", M)):
        A = sp.csc_matrix(matrix)
        if A.shape[0] != A.shape[1] or A.shape[0] not in (3 * len(points), 6 * len(points)):
            raise MachineError(
                f"{label} of {what} has shape {A.shape}; expected {3 * len(points)} freedoms (3 translations of each "
                f"of {len(points)} nodes) or {6 * len(points)} (and 3 rotations), ordered node by node"
            )
        if not np.isfinite(A.data).all():
            raise MachineError(f"{label} of {what} has entries that are not finite")
        largest = float(abs(A).max()) if A.nnz else 0.0
        if largest == 0.0:
            raise MachineError(f"{label} of {what} is zero")
        apart = abs(A - A.T)
        if apart.nnz and apart.max() > _SYMMETRY * largest:
            raise MachineError(
                f"{label} of {what} is not symmetric: entries differ by {apart.max() / largest:.2g} of the largest one "
                "(a file of one triangle must be completed)"
            )
        matrices.append(((A + A.T) / 2).tocsc())
    if matrices[0].shape != matrices[1].shape:
        raise MachineError(f"K of {what} has shape {matrices[0].shape}, M has {matrices[1].shape}")
    per_node = matrices[0].shape[0] // len(points)
    model = MeshModel(matrices[0], matrices[1], points, per_node, _checked_faces(what, faces, len(points)))
    _check_rigid(what, model)
    _check_mass(what, model)
    return model


def _checked_faces(what: str, faces: ArrayLike | None, n: int) -> NDArray[np.int64]:
    if faces is None:
        return np.zeros((0, 3), dtype=np.int64)
    triangles = np.asarray(faces)
    if triangles.ndim != 2 or triangles.shape[1] != 3 or triangles.dtype.kind not in "iu":
        raise MachineError(f"surface of {what} must be triangles (m, 3) of node indices, got shape {triangles.shape}")
    if triangles.size and (triangles.min() < 0 or triangles.max() >= n):
        raise MachineError(f"surface of {what} names the node {int(triangles.max())}; nodes are 0 to {n - 1}")
    return triangles.astype(np.int64)


def _check_rigid(what: str, model: MeshModel) -> None:
    centre = model.nodes.mean(axis=0)
    motion = rigid_motions(model.nodes, centre, model.per_node)
    size = float(np.abs(motion).max()) if model.per_node == 3 else max(1.0, float(np.abs(motion).max()))
    force = np.abs(model.K @ motion).max(axis=0) / (abs(model.K).max() * size)
    worst = int(force.argmax())
    if force[worst] > _RIGID:
        axis = f"{'translation along' if worst < 3 else 'rotation about'} {'xyz'[worst % 3]}"
        raise MachineError(
            f"K of {what} resists the rigid {axis} (force {force[worst]:.2g} of its largest entry, expected below "
            f"{_RIGID:g}): the model is constrained, or its freedoms are not ordered node by node"
        )


def _check_mass(what: str, model: MeshModel) -> None:
    total = []
    for c in range(3):
        push = np.zeros(model.size)
        push[c :: model.per_node] = 1.0
        total.append(float(push @ (model.M @ push)))
    if not min(total) > 0.0:
        raise MachineError(f"M of {what} has the mass {min(total):.3g} kg; expected a positive one")
    if max(total) - min(total) > 1e-6 * max(total):
        x, y, z = total
        raise MachineError(
            f"M of {what} has another mass along each axis ({x:.6g}, {y:.6g}, {z:.6g} kg): rotational or scalar "
            "freedoms are missing, or its freedoms are not ordered node by node"
        )
    if not (model.M.diagonal() >= 0.0).all():
        raise MachineError(f"M of {what} has a negative diagonal entry")


def as_nodes(what: str, nodes: ArrayLike, n: int) -> NDArray[np.int64]:
    """Node indices of a set, checked."""
    array = np.atleast_1d(np.asarray(nodes))
    if array.dtype == bool:
        array = np.flatnonzero(array)
    if array.ndim != 1 or not array.size:
        raise MachineError(f"{what} is empty: it must name nodes")
    if array.dtype.kind not in "iu":
        raise MachineError(f"{what} must be node indices, got {array.dtype}")
    if array.min() < 0 or array.max() >= n:
        raise MachineError(f"{what} names the node {int(array.max())}; nodes are 0 to {n - 1}")
    return np.unique(array).astype(np.int64)


def check_interfaces(model: MeshModel, interfaces: Mapping[str, NDArray[np.int64]]) -> None:
    """Refuse interfaces that overlap, or whose rotation is undefined."""
    owner: dict[int, str] = {}
    for name, nodes in interfaces.items():
        shared = [i for i in nodes.tolist() if owner.setdefault(i, name) != name]
        if shared:
            raise MachineError(f"interfaces '{owner[shared[0]]}' and '{name}' overlap: both have the node {shared[0]}")
        check_spread(model, f"interface '{name}'", nodes)


def check_spread(model: MeshModel, what: str, nodes: NDArray[np.int64]) -> None:
    """Refuse nodes on a line, whose rotation about it is undefined; nodes that turn have one by themselves."""
    if model.per_node == 6:
        return
    points = model.nodes[nodes]
    size = np.linalg.svd(points - points.mean(axis=0), compute_uv=False) if len(nodes) > 1 else np.zeros(2)
    if len(nodes) < 3 or size[1] <= _COLLINEAR * size[0]:
        raise MachineError(
            f"{what} has {len(nodes)} node{'s' if len(nodes) > 1 else ''} on a line: its rotation is undefined; "
            "expected three nodes or more that are not collinear"
        )
