"""Shape integrals of a body that is linear in its coordinates: all that the equations of motion need of its shapes.

With points at ``x = x_0 + X delta`` in the frame of the body and ``dm`` the mass per unit density,

    V = int X dm,    n_bc = int x_0b X_c dm,    B_bc = int X_b^T X_c dm,    G_bc = int x_0b x_0c dm

(b, c = x, y, z: components).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.core.types import Array
from dalembert.model.elastic.contract import UndeformedInertia

__all__ = ["ModalIntegrals"]


@dataclass(frozen=True)
class ModalIntegrals:
    """Shape integrals of a body with n modes, per unit density.

    Parameters
    ----------
    volume, first, second
        ``int dV``, ``int x_0 dV`` (3), ``int x_0 x_0^T dV`` (3 x 3).
    V
        ``int X dV`` (3 x n).
    n
        ``int x_0b X_c dV`` (3 x 3 x n).
    B
        ``int X_b^T X_c dV`` (3 x 3 x n x n).
    """

    volume: float
    first: Array
    second: Array
    V: Array
    n: Array
    B: Array

    @property
    def participation(self) -> Array:
        """Modal participation ``L^T = [M_vd; M_wd]`` (6 x n) of the undeformed body, per unit density (5.19)."""
        n = self.n
        return np.vstack([self.V, n[1, 2] - n[2, 1], n[2, 0] - n[0, 2], n[0, 1] - n[1, 0]])

    def undeformed(self, density: float = 1.0) -> UndeformedInertia:
        """Mass matrix with zero coordinates, of a density."""
        modal = density * np.einsum("bbij->ij", self.B)
        rigid = density * self.volume, density * self.first, density * self.second
        return UndeformedInertia(*rigid, density * self.participation, modal)
