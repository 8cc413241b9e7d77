"""Scaling of linear systems: states of equal size, whatever their units are."""

from __future__ import annotations

import numpy as np

from dalembert.core.types import Array

__all__ = ["Matrices", "balanced"]

Matrices = tuple[Array, Array, Array, Array]


def balanced(system: Matrices) -> Matrices:
    """The same system with states of equal size: rows and columns of ``[A B; C 0]`` have similar norms.

    Inputs and outputs keep their units: all of them are one row and one column for LAPACK's ``gebal``, and its factors
    are relative to that of theirs. The factors are powers of two, so that nothing is rounded.
    """
    from scipy.linalg import matrix_balance

    A, B, C, D = system
    if not A.size:
        return system
    n = len(A)
    joined = np.zeros((n + 1, n + 1))
    joined[:n, :n], joined[:n, n], joined[n, :n] = A, np.linalg.norm(B, axis=1), np.linalg.norm(C, axis=0)
    _, (factors, _) = matrix_balance(joined, permute=False, separate=True)
    t = factors[:n] / factors[n]
    return A * (t[None, :] / t[:, None]), B / t[:, None], C * t[None, :], D
