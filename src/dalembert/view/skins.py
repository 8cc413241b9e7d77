"""Surfaces of flexible bodies from finite elements, for pictures that move."""

from __future__ import annotations

import numpy as np

from dalembert.analysis.stress import von_mises
from dalembert.core.types import Array
from dalembert.model.elastic.finite_elements import FlexibleBody
from dalembert.model.meshes import TriangleMesh
from dalembert.view.parts import SkinPart
from dalembert.view.solids import cells_of, joined_cells

__all__ = ["largest_stress", "skin_of"]

_NUMBERS = 400_000  # numbers of the shapes and stresses of a surface
_FRAMES = 200  # frames of a film that the search for its largest stress evaluates


def skin_of(body: FlexibleBody, pose: int, modal: tuple[int, ...]) -> SkinPart | None:
    """Return the surface of a body, coarser if it is large; None if it has none.

    Parameters
    ----------
    body
        The body.
    pose, modal
        As in `SkinPart`.
    """
    reduction = body.reduction
    if not len(reduction.faces):
        return None
    corners, faces = np.unique(reduction.faces, return_inverse=True)
    mesh = TriangleMesh(reduction.positions[corners], faces.reshape(-1, 3))
    shapes, stress = reduction.shapes[corners], reduction.stress
    values, at_nodes = [shapes.reshape(len(corners), -1)], False
    if stress is not None and len(stress) == len(reduction.positions):
        values, at_nodes = [*values, stress[corners].reshape(len(corners), -1)], True
    together = np.concatenate(values, axis=1)
    cell = cells_of(mesh, max(200, 2 * _NUMBERS // together.shape[1]))  # a closed surface has two triangles per corner
    if cell is not None:
        count = np.bincount(cell)
        together = np.stack([np.bincount(cell, column) / count for column in together.T], axis=1)
        mesh = joined_cells(mesh, cell)
    n = body.n_modes
    moved, sigma = together[:, : 3 * n].reshape(-1, 3, n), together[:, 3 * n :].reshape(-1, 6, n)
    return SkinPart(body.name, pose, modal, mesh, moved, sigma if at_nodes else None)


def largest_stress(skin: SkinPart, q: Array) -> float | None:
    """Largest equivalent stress [Pa] of a surface in some frames of a film, or None without stresses.

    Parameters
    ----------
    skin
        The surface.
    q
        Coordinates (n, nq) of the machine.
    """
    if skin.stress is None:
        return None
    rows = np.unique(np.linspace(0, len(q) - 1, min(len(q), _FRAMES)).astype(np.int64))
    return max(float(von_mises(skin.stress @ delta).max()) for delta in q[rows][:, list(skin.modal)])
