"""The rows that a time loop in Python records."""

from __future__ import annotations

import numpy as np

from dalembert.core.types import Array

__all__ = ["RowLog"]


class RowLog:
    """Times and states, in order; what is recorded must not be changed afterwards."""

    def __init__(self, t: float, x: Array) -> None:
        self._t, self._x = [t], [x]

    def add(self, t: float, x: Array) -> None:
        """Record a row."""
        self._t.append(t)
        self._x.append(x)

    def add_new(self, t: float, x: Array) -> None:
        """Record a row, unless it is the last one recorded."""
        if t != self._t[-1] or not np.array_equal(x, self._x[-1]):
            self.add(t, x)

    def arrays(self, first: int = 0) -> tuple[Array, Array]:
        """Rows from one on: times (n,) and states (n, n_states)."""
        return np.array(self._t[first:]), np.array(self._x[first:])
