"""Operations on linear models: sampling, and removal of states that cannot be controlled or observed."""

from __future__ import annotations

import numpy as np

from dalembert.core.balance import balanced
from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["minimal_part", "sampled"]

_RANK = 1e-9  # of a direction that states reach through one more integration, relative to the rates of the states


def sampled(A: Array, B: Array, period: float) -> tuple[Array, Array]:
    """``x(t + T) = F x(t) + G u`` with ``u`` held over the period ``T``: the exponential of ``[A B; 0 0] T``."""
    from scipy.linalg import expm

    if isinstance(period, bool) or not (np.isreal(period) and np.isfinite(period) and period > 0):
        raise InputError(f"period must be a positive number of seconds, got {period!r}")
    n, m = B.shape
    joined = np.zeros((n + m, n + m))
    joined[:n, :n], joined[:n, n:] = A * period, B * period
    both = expm(joined)
    if not np.isfinite(both).all():
        raise InputError(f"a period of {period:g} s is too long for the fastest unstable mode of this model")
    return both[:n, :n], both[:n, n:]


def minimal_part(A: Array, B: Array, C: Array) -> tuple[Array, Array, Array]:
    """The part that inputs move and outputs show (Kalman), in coordinates that are balanced first."""
    A, B, C, _ = balanced((A, B, C, np.zeros((C.shape[0], B.shape[1]))))
    Q = _reached(A, B)
    if Q.shape[1] < len(A):
        A, B, C = Q.T @ A @ Q, Q.T @ B, C @ Q
    Q = _reached(A.T, C.T)
    if Q.shape[1] < len(A):
        A, B, C = Q.T @ A @ Q, Q.T @ B, C @ Q
    return A, B, C


def _reached(A: Array, B: Array) -> Array:
    """Orthonormal basis of the states that inputs reach: their directions, then products of ``A`` with these."""
    size = max(float(np.linalg.norm(A, 2)), 1e-300) if A.size else 1.0
    Q = np.zeros((len(A), 0))
    new = B / max(float(np.linalg.norm(B, 2)), 1e-300) if B.size else np.zeros((len(A), 0))
    while new.size:
        for _ in range(2):  # twice is enough against rounding
            new = new - Q @ (Q.T @ new)
        U, sigma, _ = np.linalg.svd(new, full_matrices=False)
        U = U[:, sigma > _RANK]
        if not U.size:
            break
        Q = np.hstack([Q, U])
        new = A @ U / size
    return Q
