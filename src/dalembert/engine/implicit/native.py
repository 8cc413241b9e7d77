"""Implicit midpoint steps of one run in native code (`midpoint.c`), driven through one structure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert.engine.codes import Code
from dalembert.engine.constraints.native import NativeConstrained
from dalembert.engine.layout import structure
from dalembert.engine.library import functions
from dalembert.engine.memory import Functions, NativeMemory
from dalembert.engine.problem.problem import Problem

__all__ = ["NUMERICAL_LOSS", "NativeMidpoint"]

NUMERICAL_LOSS = "loss.numerical"
"""State with the work of numerical damping."""

_MIDPOINT = functions("implicit")


class NativeMidpoint:
    """Memory of the implicit steps of one run.

    Parameters
    ----------
    problem
        The problem.
    tape
        Code of its `Problem.midpoint`.
    options
        ``tolerance``, ``numerical_damping`` and ``max_iterations``.
    functions
        Where ``midpoint_step`` of midpoint.c is; by default in the library.
    equations
        The constrained equations, if the problem has constraints; their method is `EnlargedProjection`.
    adaptive
        Whether steps have an estimate of their error, from two steps of half their length.
    """

    def __init__(
        self,
        problem: Problem,
        tape: Code,
        options: Mapping[str, float],
        functions: Functions = _MIDPOINT,
        equations: NativeConstrained | None = None,
        *,
        adaptive: bool = False,
    ) -> None:
        self._functions, self._tape, self._equations = functions, tape, equations
        self.memory = NativeMemory(structure("midpoint"))
        c = self.memory.struct
        c.n, c.n_counted, c.tape = problem.n_states, int(np.count_nonzero(problem.counted)), tape.address
        c.tolerance, c.damping = options["tolerance"], options["numerical_damping"]
        c.max_iterations = int(options["max_iterations"])
        c.t_known = np.nan
        self.memory.work("work", tape)
        for name in ("y", "y_next", "x_known"):
            self.memory.array(name, np.zeros(problem.n_states))
        if adaptive:
            self.memory.array("x_half", np.zeros(problem.n_states))
        self._adaptive = adaptive
        c.first_velocity, c.end_velocity = problem.velocities
        names = problem.state_names
        c.work_loss, c.account = len(names) - 1, names.index(NUMERICAL_LOSS) if NUMERICAL_LOSS in names else -1
        if equations is not None:
            nv = equations.memory.struct.nv
            equations.memory.struct.constant_mass = 0
            c.equations, c.rates = equations.address, equations.rates
            for name, size in {"x_middle": problem.n_states, "W": nv * nv, "further": nv}.items():
                self.memory.array(name, np.zeros(size))

    def attach(self, loop: Any) -> None:
        """Put this method into the structure of a time loop, beside its constrained equations."""
        loop.custom, loop.steps = self.function, self.address
        if self._adaptive:
            self.memory.struct.error = loop.error

    @property
    def guess(self) -> int:
        """Address of the time at which the rates are known with which the next step begins."""
        return self.memory.address + int(type(self.memory.struct).t_known.offset)

    @property
    def evaluations(self) -> int:
        """Evaluations of the tape so far."""
        return int(self.memory.struct.n_iterations)

    @property
    def function(self) -> int:
        """Address of the step, ``midpoint_step`` of midpoint.c."""
        return self._functions("midpoint_step")

    @property
    def address(self) -> int:
        """Address of its memory, the first argument of the step; no two threads may share it."""
        return self.memory.address
