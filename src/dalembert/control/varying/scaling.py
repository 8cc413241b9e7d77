"""Scales of states, signals and time, so that the numbers of inequalities are of one size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dalembert.control.norms import Matrices
from dalembert.control.uncertain.blocks import DeltaBlock, slices
from dalembert.core.types import Array

__all__ = ["scaled"]


def scaled(system: Matrices, blocks: Sequence[DeltaBlock]) -> tuple[Matrices, Array, float]:
    """The system in scaled time, states and signals of blocks; scales are powers of two, so that nothing is rounded.

    Parameters
    ----------
    system, blocks
        Matrices and blocks of the loop.

    Returns
    -------
    tuple
        The matrices, the scales of the states, and that of the rates [1/s].
    """
    from scipy.linalg import matrix_balance

    A, B, C, D = system
    states = np.asarray(matrix_balance(A, permute=False, separate=True)[1][0], dtype=float)
    A, B, C = A * states[None, :] / states[:, None], B / states[:, None], C * states[None, :]
    time = _power(float(np.linalg.norm(A, 2)) or 1.0)
    A, B = A / time, B / time
    size = np.ones(B.shape[1]), np.ones(C.shape[0])
    for b, s in slices(blocks):
        into, out = np.linalg.norm(C[s], axis=1), np.linalg.norm(B[:, s], axis=0)
        if b.kind in ("full", "error"):
            into, out = np.full(b.size, np.linalg.norm(into)), np.full(b.size, np.linalg.norm(out))
        both = (into > 0.0) & (out > 0.0)
        one = np.array([_power(np.sqrt(i / o)) if k else 1.0 for i, o, k in zip(into, out, both, strict=True)])
        size[0][s], size[1][s] = one, one
    return (A, B * size[0][None, :], C / size[1][:, None], D * size[0][None, :] / size[1][:, None]), states, time


def _power(x: float) -> float:
    return float(2.0 ** np.round(np.log2(x)))
