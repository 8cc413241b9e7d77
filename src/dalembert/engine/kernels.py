"""The functions of a problem, compiled once per problem."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import casadi
import numpy as np

from dalembert.compile import Kernel, build_together, compile_function
from dalembert.compile.kernel import Backend
from dalembert.core.types import Array
from dalembert.engine.codes import Code, code_of
from dalembert.engine.problem.problem import Problem

__all__ = ["ProblemKernels", "problem_kernels"]


@dataclass(frozen=True, eq=False)
class ProblemKernels:
    """Kernels of a problem's functions; None where there is nothing to compute."""

    ode: Any
    signals: Any
    events: Any
    constrained: dict[str, Any] = field(default_factory=dict)
    stepping: dict[str, Any] = field(default_factory=dict)
    implicit: dict[str, Any] = field(default_factory=dict)

    @property
    def backend(self) -> Backend:
        """``"native"``, or ``"vm"`` if one of them is on the virtual machine."""
        kernels = (self.ode, self.events, *self.constrained.values(), *self.stepping.values(), *self.implicit.values())
        return "native" if all(kernel is None or kernel.native is not None for kernel in kernels) else "vm"

    def ode_code(self) -> Code:
        """Code of the rates."""
        return code_of(self.ode)

    def events_code(self) -> Code | None:
        """Code of the event functions, if there are any."""
        return None if self.events is None else code_of(self.events)

    def constrained_codes(self) -> dict[str, Code]:
        """Code of the constrained equations by name, with that of the events."""
        named = {**self.constrained, "events": self.events}
        return {name: code_of(kernel) for name, kernel in named.items() if kernel is not None}

    def stepping_codes(self) -> dict[str, Code]:
        """Return the code of what time-stepping calls, by name."""
        return {name: code_of(kernel) for name, kernel in self.stepping.items()}

    def midpoint_code(self, problem: Problem) -> Code:
        """Code of the tape of implicit steps, compiled on first use."""
        if "midpoint" not in self.implicit:
            assert problem.midpoint is not None
            self.implicit["midpoint"] = compile_function(problem.midpoint(), backend=self.backend, lanes=False)
        return code_of(self.implicit["midpoint"])

    def evaluate_signals(self, t: Array, x: Array, c: Array, p: Array) -> Array:
        """Return the signals (n, n_signals) of the rows (t, x, c)."""
        if self.signals is None:
            return np.zeros((len(t), 0))
        return np.asarray(self.signals(t, x, c, p))


_compiled: WeakKeyDictionary[Problem, dict[str, ProblemKernels]] = WeakKeyDictionary()
_compiling = threading.Lock()  # threads of a rollout ask for the same ones


def problem_kernels(problem: Problem, backend: Backend = "auto", *, tapes: Sequence[str] = ()) -> ProblemKernels:
    """Compile a problem's functions, or return what was compiled before.

    For a constrained problem also those of its `ConstrainedSystem` that are named in ``tapes``.
    """
    with _compiling:
        known = _compiled.setdefault(problem, {})
        build_together(_missing(problem, known.get(backend), tapes), backend)
        if backend not in known:
            known[backend] = ProblemKernels(
                ode=None if problem.constrained or problem.stepping else _compile(problem.ode, backend),
                signals=_compile(problem.signals, backend),
                events=None if problem.events is None else _compile(problem.events, backend),
            )
            if problem.stepping is not None:
                for name, function in problem.stepping.functions.items():
                    known[backend].stepping[name] = compile_function(function, backend=backend, lanes=False)
                for pair in problem.stepping.pairs or ():
                    if pair.key not in known[backend].stepping:
                        known[backend].stepping[pair.key] = compile_function(
                            pair.function, backend=backend, lanes=False
                        )
        kernels = known[backend]
        if problem.constrained is not None:
            for name in tapes:
                function = getattr(problem.constrained, name)
                if name not in kernels.constrained and function is not None:
                    kernels.constrained[name] = compile_function(function, backend=backend, lanes=False)
        return kernels


def _missing(problem: Problem, known: ProblemKernels | None, tapes: Sequence[str]) -> list[casadi.Function]:
    """Functions that `problem_kernels` has to compile."""
    functions: list[casadi.Function | None] = []
    if known is None:
        functions += [problem.signals, problem.events]
        if problem.stepping is not None:
            functions += problem.stepping.functions.values()
            functions += [pair.function for pair in problem.stepping.pairs or ()]
        elif problem.constrained is None:
            functions.append(problem.ode)
    if problem.constrained is not None:
        done = known.constrained if known else {}
        functions += [getattr(problem.constrained, name) for name in tapes if name not in done]
    return [function for function in functions if function is not None and function.numel_out(0)]


def _compile(function: casadi.Function, backend: Backend) -> Kernel | None:
    if function.numel_out(0) == 0:
        return None
    return compile_function(function, backend=backend, shapes={function.name_in(0): ()}, lanes=False)
