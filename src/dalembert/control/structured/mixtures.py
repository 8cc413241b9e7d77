"""Variables of a search in which directions of a gain matrix count by their effect on the loop, not by their units.

Gains that cancel each other, as those on nearly parallel measurements do, are reached along one such direction. Without
bounds they move together.
"""

from __future__ import annotations

import numpy as np

from dalembert.control.structured.objective import Objective
from dalembert.control.structured.plants import LoopPlant
from dalembert.control.structured.terms import GainTerm
from dalembert.core.types import Array

__all__ = ["gain_mixture"]

_FLOOR = 1e-10  # of the squared size of directions that have no effect, relative


def gain_mixture(objective: Objective, omega: float) -> Array | None:
    """Numbers of a structure per variable of size one; None where numbers have bounds, scales or starts.

    The size of a gain matrix ``K`` is the norm of ``Wu^1/2 K Wy^1/2``. ``Wy`` is the covariance of the measurements
    under noise at the channel's inputs and ``Wu`` its dual, the effect of the controls on its outputs, both of the
    plant with its poles shifted to decay at the rate ``omega`` [1/s] at least. Units and axes of measurements and
    controls do not change it.

    Parameters
    ----------
    objective
        The function; its first channel of a gain counts.
    omega
        Typical frequency [rad/s].
    """
    free = all(np.isinf(r.lower) and np.isinf(r.upper) for r in objective.limits)
    given = any(t.start is not None or t.scale is not None for t in objective.structure.tunables)
    channels = [t.channel for t in (*objective.soft, *objective.hard) if isinstance(t, GainTerm) and t.plant]
    if not free or given or not channels:
        return None
    inputs, outputs = _covariances(channels[0], omega)
    J = objective.slope(objective.start())
    metric = J.T @ np.kron(outputs, inputs) @ J
    values, vectors = np.linalg.eigh((metric + metric.T) / 2.0)
    if not (np.isfinite(values).all() and values[-1] > 0.0):
        return None
    return np.asarray((vectors / np.sqrt(np.maximum(values, _FLOOR * values[-1]))) @ vectors.T)


def _covariances(P: LoopPlant, omega: float) -> tuple[Array, Array]:
    """``Wu`` and ``Wy``."""
    from scipy.linalg import solve_continuous_lyapunov

    n = len(P.A)
    fastest = float(np.linalg.eigvals(P.A).real.max(initial=0.0))
    A = P.A - (max(fastest, 0.0) + omega) * np.eye(n)
    X = solve_continuous_lyapunov(A, -P.B1 @ P.B1.T)
    Q = solve_continuous_lyapunov(A.T, -P.C1.T @ P.C1)
    return P.B2.T @ Q @ P.B2 + P.D12.T @ P.D12, P.C2 @ X @ P.C2.T + P.D21 @ P.D21.T
