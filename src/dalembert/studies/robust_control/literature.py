"""Cases of the literature on structured singular values."""

from __future__ import annotations

import numpy as np

from dalembert.control.mu.scalings import upper_bound
from dalembert.control.uncertain import LFT, DeltaBlock

__all__ = ["column_bounds", "spike"]


def spike() -> LFT:
    """``x'' + (0.2 + 0.5 d) x' + x = 0``: unstable from ``d = -0.4``, where mu is 2.5 at one frequency only."""
    M11 = np.array([[0.0, 1.0, 0.0], [-1.0, -0.2, -0.5], [0.0, 1.0, 0.0]])
    blocks = (DeltaBlock("1/s", 2, "state"), DeltaBlock("d", 1))
    return LFT(M11, np.zeros((3, 1)), np.zeros((1, 3)), np.zeros((1, 1)), blocks)


def column_bounds() -> tuple[float, float]:
    """Peaks of mu of Skogestad's distillation column with its inverse-based controller: stability and performance.

    Skogestad, Morari and Doyle, IEEE Transactions on Automatic Control 33 (1988): ``G = G0 / (75 s + 1)``,
    ``K = 0.7 / s G^-1``, uncertainty of the inputs ``0.2 (5 s + 1) / (0.5 s + 1)``, weight of the sensitivity
    ``0.5 (10 s + 1) / (10 s)``. The loop is ``0.7 / s`` in every direction.
    """
    G0, one = np.array([[0.878, -0.864], [1.082, -1.096]]), np.eye(2)
    blocks = (DeltaBlock("u1", 1, "complex"), DeltaBlock("u2", 1, "complex"))
    whole = (*blocks, DeltaBlock("performance", 2, "full"))
    stability, performance = 0.0, 0.0
    for frequency in np.geomspace(0.02, 20.0, 60):
        s = 1j * frequency
        T, S = 0.7 / (s + 0.7), s / (s + 0.7)
        w_i, w_p = 0.2 * (5 * s + 1) / (0.5 * s + 1), 0.5 * (10 * s + 1) / (10 * s)
        G = G0 / (75 * s + 1)
        stability = max(stability, upper_bound(-w_i * T * one, blocks).bound)
        N = np.block([[-w_i * T * one, -w_i * S * 0.7 / s * np.linalg.inv(G)], [w_p * S * G, w_p * S * one]])
        performance = max(performance, upper_bound(N, whole, target=performance or None, rounds=8).bound)
    return stability, performance
