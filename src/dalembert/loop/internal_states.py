"""States of a loop besides coordinates and velocities."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.types import Array, Expression

__all__ = ["InternalStates"]


class InternalStates:
    """Names, symbols, rates and initial values of the internal states of a loop, in the order in which they are added.

    Examples
    --------
    >>> states = InternalStates()
    >>> states.add(("energy",))
    >>> states.names, float(states.initial[0])
    (('energy',), 0.0)
    """

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()
        self.symbols: Expression = ca.SX(0, 1)
        self.rates: Expression = ca.SX(0, 1)
        self.initial: Array = np.zeros(0)

    def __len__(self) -> int:
        return len(self.names)

    def add(
        self,
        names: Sequence[str],
        symbols: Expression | None = None,
        rates: Expression | None = None,
        initial: ArrayLike | None = None,
    ) -> None:
        """Add states; by default with new symbols, changed by the engine only, and zero at the start."""
        n = len(names)
        self.names = (*self.names, *names)
        self.symbols = ca.vertcat(self.symbols, ca.SX.sym("state", n) if symbols is None else symbols)
        self.rates = ca.vertcat(self.rates, ca.SX.zeros(n) if rates is None else rates)
        self.initial = np.concatenate([self.initial, np.zeros(n) if initial is None else np.asarray(initial, float)])
