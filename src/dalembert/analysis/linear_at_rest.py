"""Matrices of small motions about rest: mass, damping and stiffness, without the forces of gravity's equilibrium."""

from __future__ import annotations

import numpy as np

from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["linear_matrices"]


def linear_matrices(eom: EquationsOfMotion, q: Array, p: Array) -> tuple[Array, Array, Array]:
    """Mass, damping and stiffness matrix at rest in a posture; the stiffness of what bends alone."""
    zero, small = np.zeros(eom.nv), 1e-6
    C, K = np.zeros((eom.nv, eom.nv)), np.zeros((eom.nv, eom.nv))
    for k in range(eom.nv):
        step = small * np.eye(eom.nv)[k]
        high, low = (eom.inverse_dynamics(q, s * step, zero, p=p) for s in (1.0, -1.0))
        C[:, k] = (high - low) / (2 * small)
        high, low = (eom.inverse_dynamics(eom.integrate(q, s * step), zero, zero, p=p) for s in (1.0, -1.0))
        K[:, k] = (high - low) / (2 * small)
    return eom.mass_matrix(q, p=p), C, K
