"""Records of a constrained run besides its states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.core.types import Array
from dalembert.engine.constraints.native import NativeConstrained
from dalembert.engine.methods.constraints import ConstraintMethod
from dalembert.engine.problem.problem import Problem

if TYPE_CHECKING:
    from dalembert.engine.kernels import ProblemKernels

__all__ = ["constraint_signals"]


def constraint_signals(
    problem: Problem, way: ConstraintMethod, kernels: ProblemKernels, t: Array, x: Array, held: Array, p: Array
) -> Array:
    """Recorded multipliers of each row, its largest violations, and its undetermined directions.

    Violations are those of position and velocity constraints; directions are those of the forces of contacts, if any.

    Held values and parameters may be those of each row, or one for all.
    """
    system = problem.constrained
    assert system is not None
    values = NativeConstrained(problem, kernels.constrained_codes(), way).signals(t, x, held, p)
    return values[:, list(system.all_signal_rows)]
