"""Rows that a run keeps of the instants at which its state changes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalembert.core.types import Array

__all__ = ["told_rows"]

Mask = NDArray[np.bool_]

_STAYS = 1e-7  # part of a state, or of one, by which it may differ where it does not jump


def told_rows(t: Array, x: Array, moves: Mask, sampled: Mask) -> Mask:
    """For each instant, the row before all changes, and the row after them.

    Between two transitions of an instant a state has forces that belong to no motion: a contact pulls until the next
    one opens it. The same holds for the state before a transition that follows from values set at a sample, since the
    row of a sample shows these values; unless the motion itself jumps, such an instant has its last row alone.

    Parameters
    ----------
    t
        Times of the rows, not decreasing.
    x, moves
        States of the rows, and which of them are those of the motion.
    sampled
        Which rows are at the instant of a sample.
    """
    again = np.diff(t) == 0.0
    first, last = np.append(True, ~again), np.append(~again, True)
    told = first | last
    begin, ends = np.flatnonzero(first & ~last & sampled), np.flatnonzero(last)
    after = ends[np.searchsorted(ends, begin)]
    told[begin] = ~np.isclose(x[after][:, moves], x[begin][:, moves], rtol=_STAYS, atol=_STAYS).all(axis=1)
    return told
