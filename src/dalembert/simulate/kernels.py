"""The functions of a problem, compiled once per problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import casadi
import numpy as np

from dalembert.compile import compile_function
from dalembert.compile.kernel import Backend
from dalembert.simulate.engine import Array
from dalembert.simulate.problem import Problem

__all__ = ["ProblemKernels", "problem_kernels"]


@dataclass(frozen=True, eq=False)
class ProblemKernels:
    """Kernels of a problem's functions; None where there is nothing to compute."""

    ode: Any
    signals: Any
    events: Any

    @property
    def native(self) -> bool:
        """Whether the time loop can call them directly."""
        return all(kernel is None or kernel.native is not None for kernel in (self.ode, self.events))

    def evaluate_signals(self, t: Array, x: Array, c: Array, p: Array) -> Array:
        """Return the signals (n, n_signals) of the rows (t, x, c)."""
        if self.signals is None:
            return np.zeros((len(t), 0))
        return np.asarray(self.signals(t, x, c, p))


_compiled: WeakKeyDictionary[Problem, dict[str, ProblemKernels]] = WeakKeyDictionary()


def problem_kernels(problem: Problem, backend: Backend = "auto") -> ProblemKernels:
    """Compile a problem's functions, or return what was compiled before."""
    known = _compiled.setdefault(problem, {})
    if backend not in known:
        known[backend] = ProblemKernels(
            ode=_compile(problem.ode, backend),
            signals=_compile(problem.signals, backend),
            events=None if problem.events is None else _compile(problem.events, backend),
        )
    return known[backend]


def _compile(function: casadi.Function, backend: Backend) -> Any:
    if function.numel_out(0) == 0:
        return None
    return compile_function(function, backend=backend, shapes={function.name_in(0): ()}, lanes=False)
