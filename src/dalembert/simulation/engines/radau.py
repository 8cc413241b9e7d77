"""Stiff problems with events: Radau IIA of order 5 by SciPy, with the exact Jacobian of the equations.

E. Hairer, G. Wanner, "Solving Ordinary Differential Equations II", 2nd ed., 1996, section IV.8. Steps are cut to end at
the instants to record, so that nothing is interpolated. Limits: quadratures count in the error norm; problems with
constraints are not taken.
"""

from __future__ import annotations

import math
from typing import Any, cast

import casadi
import numpy as np

from dalembert.core.types import Array
from dalembert.engine.kernels import ProblemKernels
from dalembert.engine.problem.problem import Problem
from dalembert.engine.setup import Counts, Outcome, Setup, normalise
from dalembert.simulation.engines.evaluator import evaluator
from dalembert.simulation.engines.offered import OfferedEngine, Step

__all__ = ["RadauEngine"]


class RadauEngine(OfferedEngine):
    """Radau IIA over the instants to record.

    Parameters
    ----------
    setup
        The checked settings.
    kernels
        Kernels of the problem.
    """

    def __init__(self, setup: Setup, kernels: ProblemKernels) -> None:
        super().__init__(setup, kernels.events_code())
        self.backend = "scipy"
        self._ode = evaluator(setup.problem.ode, setup.p)
        self._slope = evaluator(_jacobian(setup.problem), setup.p)
        self._h = setup.first_step
        self._solver: Any = None
        self._calls = 0

    @property
    def next_step(self) -> float | None:
        """Step that would be tried next."""
        return self._h

    @property
    def counts(self) -> Counts:
        """Cost so far."""
        return Counts(self._loop.n_steps, 0, self._calls)

    def _rates(self, t: float, x: Array) -> Array:
        self._calls += 1
        return self._ode(t, x, self._c)

    def _jacobian(self, t: float, x: Array) -> Array:
        return self._slope(t, x, self._c).reshape(len(x), len(x), order="F")

    def _started(self, t: float, x: Array, t_bound: float, first_step: float | None) -> Any:
        """Return a solver at a state."""
        from scipy.integrate import Radau

        setup = self._setup
        first = None if first_step is None else min(first_step, t_bound - t)
        return Radau(
            self._rates, t, x, t_bound, max_step=setup.max_step, rtol=setup.rtol,
            atol=cast(Any, setup.atol), jac=self._jacobian, first_step=first,
        )  # fmt: skip

    def forget(self) -> None:
        """Start anew at the present state."""
        self._solver = None

    def next_offer(self, t_end: float) -> Step | Outcome:
        """Return the next step; it ends at the next instant to record, or the end of the segment, at the latest."""
        record, bound = self._setup.record, t_end
        if record:
            instant = self._setup.t0 + self._loop.record_index * record
            bound = t_end if instant > t_end - 1e-9 * record else instant
        try:
            if self._solver is None:
                self._solver = self._started(self.t, self.x, bound, self._h)
            solver = self._solver
            solver.t_bound, solver.status = bound, "running"
            message = solver.step()
        except (ValueError, np.linalg.LinAlgError) as error:  # values that are not finite, in an LU decomposition
            self.message = f"radau gave up in the step from t = {self.t:.9g} s: {error}"
            return Outcome.FAILED
        if solver.status == "failed":
            self.message = str(message)
            return Outcome.UNDERFLOW
        x = np.array(solver.y)
        if self._setup.problem.quaternions and np.isfinite(x).all():
            normalise(x, self._setup.problem.quaternions)
            solver.y, solver.f = x.copy(), self._rates(solver.t, x)
        self._h = float(solver.h_abs)
        t = float(solver.t)
        due = not record or math.floor((t - self._setup.t0) / record + 1e-9) >= self._loop.record_index
        return Step(t, x, due)

    def part(self, t: float, h: float, x: Array) -> Array:
        """Return the state after a step of length h from (t, x)."""
        solver = self._started(t, x, t + h, h)
        while solver.status == "running":
            solver.step()
        return np.array(solver.y)


def _jacobian(problem: Problem) -> casadi.Function:
    """(t, x, c, p) -> derivatives of the rates with respect to the state."""
    arguments = [casadi.SX.sym(name, problem.ode.size1_in(k)) for k, name in enumerate("txcp")]
    slope = casadi.densify(casadi.jacobian(problem.ode(*arguments), arguments[1]))
    return casadi.Function("jacobian", arguments, [casadi.cse(casadi.vec(slope))], list("txcp"), ["out"])
