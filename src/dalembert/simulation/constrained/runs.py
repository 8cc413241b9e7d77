"""What a constrained run records beside its states."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.core.types import Array
from dalembert.simulation.constrained.fallback import PythonConstrained
from dalembert.simulation.constrained.native import NativeConstrained
from dalembert.simulation.engines.engine import Setup

if TYPE_CHECKING:
    from dalembert.simulation.kernels import ProblemKernels

__all__ = ["constraint_signals"]


def constraint_signals(setup: Setup, kernels: ProblemKernels, t: Array, x: Array, held: Array) -> Array:
    """Recorded multipliers, and the largest violation of position and velocity constraints, of each row."""
    system, way = setup.problem.constrained, setup.constraint_method
    assert system is not None
    if kernels.native:
        values = NativeConstrained(setup.problem, kernels.native_constrained(), way).signals(t, x, held, setup.p)
    else:
        values = PythonConstrained(setup.problem, setup.p, way).signals(t, x, held, setup.p)
    return np.hstack([values[:, list(system.signal_rows)], values[:, -2:]])
