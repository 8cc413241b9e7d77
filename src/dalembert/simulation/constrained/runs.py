"""What a constrained run needs beside its time loop: the integrator that fits, and the recorded multipliers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.simulation.constrained.fallback import PythonConstrained
from dalembert.simulation.constrained.native import NativeConstrained
from dalembert.simulation.constrained.system import ConstraintMethod
from dalembert.simulation.engines.engine import Setup
from dalembert.simulation.engines.tableaus import TABLEAUS
from dalembert.simulation.problem import Problem

if TYPE_CHECKING:
    from dalembert.simulation.kernels import ProblemKernels

__all__ = ["constraint_signals", "integrator_for"]


def integrator_for(problem: Problem, method: str, constraints: ConstraintMethod) -> str:
    """Return the integrator that honours the constraints of a problem, or refuse."""
    if not isinstance(problem, Problem) or problem.constrained is None:
        return method
    if constraints.name == "idas":
        return "idas"
    if method == "idas" and constraints.name == "projection":
        return "idas"
    if constraints.name == "generalized-alpha":
        return "rk4"  # its place in the loop: fixed steps
    if method not in TABLEAUS:
        explicit = ", ".join(TABLEAUS)
        raise InputError(
            f"method {method!r} cannot keep constraints by {constraints.name!r}; use one of {explicit}, "
            "or constraints='idas'"
        )
    return method


def constraint_signals(setup: Setup, kernels: ProblemKernels, t: Array, x: Array, held: Array) -> Array:
    """Recorded multipliers, and the largest violation of position and velocity constraints, of each row."""
    system, way = setup.problem.constrained, setup.constraint_method
    assert system is not None
    if way.name in ("generalized-alpha", "idas"):
        way = ConstraintMethod("projection")
    if kernels.native:
        values = NativeConstrained(setup.problem, kernels.native_constrained(), way).signals(t, x, held, setup.p)
    else:
        values = PythonConstrained(setup.problem, setup.p, way).signals(t, x, held, setup.p)
    return np.hstack([values[:, list(system.signal_rows)], values[:, -2:]])
