"""Stiff problems with events: Radau IIA of order 5 by SciPy, with the exact Jacobian of the equations.

E. Hairer, G. Wanner, "Solving Ordinary Differential Equations II", 2nd ed., 1996, section IV.8. Steps are cut to end at
the instants to record, so that nothing is interpolated. Limits: quadratures count in the error norm; problems with
constraints are not taken.
"""

# ruff: noqa: D102 -- the methods of an engine are described in `Engine`

from __future__ import annotations

import math
import time
from typing import Any, cast

import casadi
import numpy as np

from dalembert.core.types import Array
from dalembert.engine.problem.problem import Problem
from dalembert.engine.setup import Counts, Outcome, Setup, normalise
from dalembert.simulation.engines.fallback import evaluator
from dalembert.simulation.engines.row_log import RowLog

__all__ = ["RadauEngine"]


class RadauEngine:
    """Radau IIA over the instants to record (see `Engine`)."""

    backend = "scipy"
    bad = -1

    def __init__(self, setup: Setup) -> None:
        self._setup, self._problem = setup, setup.problem
        self._ode = evaluator(setup.problem.ode, setup.p)
        self._slope = evaluator(_jacobian(setup.problem), setup.p)
        self._events = None if setup.problem.events is None else evaluator(setup.problem.events, setup.p)
        self._directions = np.array([float(spec.direction) for spec in setup.problem.event_specs])
        self.t, self._x, self._c = setup.t0, setup.x0.copy(), np.zeros(len(setup.problem.held_names))
        self._t_end, self._index = setup.t0, 1
        self._h = setup.first_step
        self._solver: Any = None
        self._pending, self._whole = False, True
        self._t_next, self._x_next = setup.t0, self._x
        n_events = len(setup.problem.event_specs)
        self.signs, self.g_next = np.zeros(n_events), np.zeros(n_events)
        self._rows = RowLog(self.t, self._x)
        self._steps, self._calls, self.message = 0, 0, ""

    def _rates(self, t: float, x: Array) -> Array:
        self._calls += 1
        return self._ode(t, x, self._c)

    def _jacobian(self, t: float, x: Array) -> Array:
        return self._slope(t, x, self._c).reshape(len(x), len(x), order="F")

    def _started(self, t_bound: float, first_step: float | None) -> Any:
        """Return a solver at the present state."""
        from scipy.integrate import Radau

        setup = self._setup
        first = None if first_step is None else min(first_step, t_bound - self.t)
        return Radau(
            self._rates, self.t, self._x, t_bound, max_step=setup.max_step, rtol=setup.rtol,
            atol=cast(Any, setup.atol), jac=self._jacobian, first_step=first,
        )  # fmt: skip

    @property
    def x(self) -> Array:
        return self._x.copy()

    @property
    def h_used(self) -> float:
        if self._pending:
            return self._t_next - self.t
        return self._h or 1e-3 * (self._setup.t_end - self._setup.t0)

    @property
    def next_step(self) -> float | None:
        return self._h

    @property
    def counts(self) -> Counts:
        return Counts(self._steps, 0, self._calls)

    def begin(self, c: Array, t_end: float) -> None:
        self._c, self._t_end, self._solver = np.array(c, dtype=float), t_end, None

    def _bound(self) -> float:
        """Where the next step must end at the latest: the next instant to record, or the end of the segment."""
        if not self._setup.record:
            return self._t_end
        instant = self._setup.t0 + self._index * self._setup.record
        return self._t_end if instant > self._t_end - 1e-9 * self._setup.record else instant

    def advance(self) -> Outcome:
        began = time.monotonic()
        while True:
            if not self._pending:
                if self.t >= self._t_end:
                    return Outcome.REACHED
                if self._steps >= self._setup.max_steps:
                    return Outcome.EXHAUSTED
                if time.monotonic() - began > self._setup.patience:
                    return Outcome.YIELD
                outcome = self._take()
                if outcome is not Outcome.REACHED:
                    return outcome
                crossing = (self.signs != 0.0) & (self.g_next * self.signs <= 0.0)
                if np.any(crossing & (self._directions * self.signs <= 0.0)):
                    return Outcome.CROSSING
            self._accept()

    def _take(self) -> Outcome:
        """Take a step, which is then pending."""
        bound = self._bound()
        try:
            if self._solver is None:
                self._solver = self._started(bound, self._h)
            solver = self._solver
            solver.t_bound, solver.status = bound, "running"
            message = solver.step()
        except (ValueError, np.linalg.LinAlgError) as error:  # values that are not finite, in an LU decomposition
            self.message = f"radau gave up in the step from t = {self.t:.9g} s: {error}"
            return Outcome.FAILED
        if solver.status == "failed":
            self.message = str(message)
            return Outcome.UNDERFLOW
        self._t_next, self._x_next = float(solver.t), np.array(solver.y)
        if not np.isfinite(self._x_next).all():
            self.bad = int(np.argmax(~np.isfinite(self._x_next)))
            return Outcome.DIVERGED
        if self._problem.quaternions:
            normalise(self._x_next, self._problem.quaternions)
            solver.y, solver.f = self._x_next.copy(), self._rates(solver.t, self._x_next)
        self._pending = self._whole = True
        self._h = float(solver.h_abs)
        if self._events is not None:
            self.g_next[:] = self._events(self._t_next, self._x_next, self._c)
        return Outcome.REACHED

    def partial(self, s: float) -> tuple[Array, Array]:
        x = self._x.copy()
        if s > 0.0:
            solver = self._started(self.t + s, s)
            while solver.status == "running":
                solver.step()
            x = np.array(solver.y)
            normalise(x, self._problem.quaternions)
        return x, self.g_next[:0] if self._events is None else self._events(self.t + s, x, self._c)

    def commit(self, s: float) -> None:
        if self.t + s < self._t_next:
            self._x_next, self.g_next[:] = self.partial(s)
            self._t_next, self._whole = self.t + s, False
            self._solver = None
        self._accept()
        self.record()

    def expect(self, s: float) -> None:
        """Leave it: the solver chooses its steps by itself."""

    def restart(self, x: Array) -> None:
        self._x, self._solver = np.array(x, dtype=float), None
        self._rows.add(self.t, self._x)

    def record(self) -> None:
        self._rows.add_new(self.t, self._x)

    def rows(self, first: int = 0) -> tuple[Array, Array]:
        return self._rows.arrays(first)

    def _accept(self) -> None:
        self.t, self._x, self._pending = self._t_next, self._x_next, False
        self._steps += 1
        self.signs[:] = np.sign(self.g_next)
        record = self._setup.record
        due = not record
        if record:
            passed = math.floor((self.t - self._setup.t0) / record + 1e-9)
            due = passed >= self._index
            self._index = max(self._index, passed + 1)
        if not self._whole or due or self.t >= self._setup.t_end:
            self._rows.add_new(self.t, self._x)


def _jacobian(problem: Problem) -> casadi.Function:
    """(t, x, c, p) -> derivatives of the rates with respect to the state."""
    arguments = [casadi.SX.sym(name, problem.ode.size1_in(k)) for k, name in enumerate("txcp")]
    slope = casadi.densify(casadi.jacobian(problem.ode(*arguments), arguments[1]))
    return casadi.Function("jacobian", arguments, [casadi.cse(casadi.vec(slope))], list("txcp"), ["out"])
