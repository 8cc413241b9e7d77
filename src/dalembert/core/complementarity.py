"""Linear complementarity problems ``w = A z + q``, ``w >= 0``, ``z >= 0``, ``w z = 0``, by pivots."""

from __future__ import annotations

import numpy as np

from dalembert.core.types import Array

__all__ = ["complementary"]

_PIVOT = 1e-11  # least size of a pivot, of a matrix whose entries are about 1
_TIE = 1e-13  # part of a step by which the artificial variable may leave late
_PIVOTS = 10  # per row: what takes longer goes round in a circle
_GOLDEN = 0.6180339887498949


def complementary(A: Array, q: Array) -> Array | None:
    """Solution ``z``, or None where a ray says that there may be none.

    C. E. Lemke's method ("Bimatrix equilibrium points and mathematical programming", 1965): an artificial variable
    takes up all of ``q`` that is negative, and leaves again by exchanges of one variable for another, which keep all
    others complementary. It finds solutions of impacts with friction, whose matrices are copositive (M. Anitescu and
    F. A. Potra, 1997). ``simulation/transitions/complementarity.c`` is the same in C.

    Parameters
    ----------
    A, q
        The problem; entries of ``A`` and ``q`` of about 1.
    """
    n = len(q)
    if not (q < 0.0).any():
        return np.zeros(n)
    # basic variables in terms of the others: w_i = sum_j T_ij z_j + T_in z_0 + q_i. The artificial variable counts a
    # little differently in each row, so that rows which are alike do not tie
    T = np.column_stack([A, 1.0 + 0.1 * np.modf(_GOLDEN * np.arange(n))[0], q])
    basic, others = np.arange(n), np.arange(n, 2 * n + 1)  # w_i is i, z_i is n + i, the artificial variable is 2 n
    row, column = int(np.argmin(q / T[:, n])), n
    for _ in range(_PIVOTS * n):
        pivot = T[row, column]
        T[row] /= -pivot
        T[row, column] = 1.0 / pivot
        rest = np.arange(n) != row
        factor = T[rest, column].copy()
        T[rest, column] = 0.0
        T[rest] += np.outer(factor, T[row])
        basic[row], others[column] = others[column], basic[row]
        left = int(others[column])
        if left == 2 * n:
            z = np.zeros(2 * n)
            z[basic] = np.maximum(T[:, -1], 0.0)
            return z[n:]
        column = int(np.flatnonzero(others == (left + n if left < n else left - n))[0])
        falls = T[:, column] < -_PIVOT
        if not falls.any():
            return None
        ratio = np.where(falls, np.maximum(T[:, -1], 0.0) / np.where(falls, -T[:, column], 1.0), np.inf)
        row = int(np.argmin(ratio))
        artificial = int(np.argmax(basic == 2 * n))
        if ratio[artificial] <= ratio[row] + _TIE * max(1.0, ratio[row]):
            row = artificial
    return None
