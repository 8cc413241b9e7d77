"""Accelerations and multipliers by the methods that keep constraints, in NumPy."""

from __future__ import annotations

import numpy as np

from dalembert.core.constraint_algebra import minimum_norm
from dalembert.engine.methods.constraints import ConstraintMethod


def solved(
    way: ConstraintMethod,
    M: np.ndarray,
    f: np.ndarray,
    J: np.ndarray,
    phi: np.ndarray,
    phidot: np.ndarray,
    gamma: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Solve ``M a + J^T lambda = f`` with what a method makes of ``J a = gamma``."""
    settings = way.settings
    if "penalty" in settings:  # CDPR (21), repeated by the augmented Lagrangian
        damping, omega = settings["damping"], settings["omega"]
        b = gamma - 2 * damping * omega * phidot - omega**2 * phi
        A, mu, a = M + settings["penalty"] * J.T @ J, np.zeros(len(J)), np.zeros(len(M))
        for _ in range(int(settings.get("max_iterations", 1))):
            a = np.linalg.solve(A, f + J.T @ (settings["penalty"] * b - mu))
            mu = mu + settings["penalty"] * (J @ a - b)
        return a, mu
    alpha, beta = (settings.get(name, 0.0) for name in ("alpha", "beta"))
    a, multipliers = minimum_norm(M, f, J, gamma - 2 * alpha * phidot - beta**2 * phi)
    return a, multipliers
