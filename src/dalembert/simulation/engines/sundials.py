"""Stiff problems: CVODES and IDAS of SUNDIALS, through CasADi, behind the same interface as the Runge-Kutta loops.

Limits: rows are recorded at given instants only (SUNDIALS interpolates there to the order of its method); events are
looked for between rows, so that a function that changes sign twice between two rows is not seen; quadratures count in
the error norm; between two restarts (50 rows at most) quaternions are normalised in the rows, not in the solver.
"""

# ruff: noqa: D102 -- the methods of an engine are described in `Engine`

from __future__ import annotations

import re
import time
from collections import deque
from typing import Any

import casadi
import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.engine.setup import Counts, Outcome, Setup, normalise
from dalembert.simulation.engines.fallback import evaluator
from dalembert.simulation.engines.idas import AlgebraicPart
from dalembert.simulation.engines.row_log import RowLog

__all__ = ["SundialsEngine"]

_ROWS_PER_CALL = 50
_STEPS_PER_ROW = 100_000

_REASONS = {
    "TOO_MUCH_WORK": f"more than {_STEPS_PER_ROW} internal steps; diverging, or tolerances too tight",
    "TOO_MUCH_ACC": "the tolerances are tighter than the arithmetic",
    "ERR_FAILURE": "the error test fails at the smallest step; the solution diverges or jumps",
    "CONV_FAILURE": "the Newton iteration does not converge at the smallest step",
    "CONV_FAIL": "the Newton iteration does not converge at the smallest step",
    "LSETUP_FAIL": "the Jacobian cannot be factorised",
    "FIRST_RHSFUNC_ERR": "the equations of motion have no finite value at the start",
    "RHSFUNC_FAIL": "the equations of motion have no finite value",
    "REPTD_RHSFUNC_ERR": "the equations of motion have no finite value",
    "UNREC_RHSFUNC_ERR": "the equations of motion have no finite value",
    "REP_RES_ERR": "the equations of motion have no finite value",
    "RES_FAIL": "the equations of motion have no finite value",
    "FIRST_RES_FAIL": "the equations of motion have no finite value at the start",
}


class SundialsEngine:
    """CVODES or IDAS over the instants to record (see `Engine`).

    One solver serves all time spans: it integrates over tau in [0, 1] with t = t_a + tau (t_b - t_a), where t_a and t_b
    are parameters. IDAS takes the semi-explicit form x' = f(t, x, z), 0 = g(t, x, z), here without z.
    """

    message = ""
    next_step = None

    def __init__(self, setup: Setup) -> None:
        if np.ptp(setup.atol) > 0.0:
            raise InputError(f"method {setup.method!r} takes one atol for all states, got one per state")
        self.backend = setup.method
        self._setup, self._problem = setup, setup.problem
        self._algebraic = None if setup.problem.constrained is None else AlgebraicPart(setup)
        self._dae, self._options = self._formulate()
        self._solvers: dict[int, casadi.Function] = {}
        self._events = None if setup.problem.events is None else evaluator(setup.problem.events, setup.p)
        if self._algebraic is not None and setup.problem.event_specs:
            self._events = self._algebraic.events
        self._directions = np.array([float(spec.direction) for spec in setup.problem.event_specs])

        self.t, self._x, self._c = setup.t0, setup.x0.copy(), np.zeros(len(setup.problem.held_names))
        self._t_end, self._index = setup.t0, 1
        self._queue: deque[tuple[float, Array, bool]] = deque()
        self._pending, self._cautious = False, False
        self._t_next, self._x_next, self._on_record, self._whole = setup.t0, self._x, False, True
        n_events = len(setup.problem.event_specs)
        self.signs, self.g_next = np.zeros(n_events), np.zeros(n_events)
        self._rows = RowLog(self.t, self._x)
        self._steps, self._rejected, self._calls, self.bad = 0, 0, 0, -1

    def _formulate(self) -> tuple[dict[str, casadi.SX], dict[str, Any]]:
        problem, setup = self._problem, self._setup
        tau, span = casadi.SX.sym("tau"), casadi.SX.sym("span", 2)
        x = casadi.SX.sym("x", problem.n_states)
        c, p = casadi.SX.sym("c", len(problem.held_names)), casadi.SX.sym("p", problem.n_parameters)
        length = span[1] - span[0]
        dae, more = {"t": tau, "x": x, "p": casadi.vertcat(span, c, p)}, dict[str, Any]()
        if self._algebraic is None:
            dae["ode"] = length * problem.ode(span[0] + tau * length, x, c, p)
        else:
            rates, residual = self._algebraic.equations(span[0] + tau * length, x, c, p)
            dae |= {"ode": length * rates, "z": self._algebraic.z, "alg": residual}
            # Multipliers jump from step to step by more than states: they must not rule the step.
            more["suppress_algebraic"] = True
        options: dict[str, Any] = {
            "reltol": setup.rtol,
            "abstol": float(setup.atol[0]),
            "max_num_steps": _STEPS_PER_ROW,
            "disable_internal_warnings": True,
            "show_eval_warnings": False,
            **more,
        }
        return dae, options

    def _solve(self, t_a: float, t_b: float, x: Array, count: int) -> Array:
        """Integrate from t_a to t_b; return ``count`` rows at equal distances, the last one at t_b."""
        if count not in self._solvers:
            grid = [(k + 1) / count for k in range(count)]
            name = f"solver_{count}"
            self._solvers[count] = casadi.integrator(name, self._setup.method, self._dae, 0.0, grid, self._options)
        solver = self._solvers[count]
        # The end of the span is passed, not its length: t_b is hit exactly.
        guess = {} if self._algebraic is None else {"z0": self._algebraic.start(t_a, x, self._c)}
        result = solver(x0=x, p=np.concatenate([[t_a, t_b], self._c, self._setup.p]), **guess)
        stats = solver.stats()
        self._steps += int(stats["nsteps"])
        self._rejected += int(stats["netfails"])
        self._calls += int(stats["nfevals"])
        rows = np.array(result["xf"]).T
        normalise(rows, self._problem.quaternions)
        return rows

    @property
    def x(self) -> Array:
        return self._x.copy()

    @property
    def h_used(self) -> float:
        return self._t_next - self.t if self._pending else self._setup.record

    @property
    def counts(self) -> Counts:
        return Counts(self._steps, self._rejected, self._calls)

    def begin(self, c: Array, t_end: float) -> None:
        self._c, self._t_end = np.array(c, dtype=float), t_end
        self._queue.clear()

    def advance(self) -> Outcome:
        began = time.monotonic()
        while True:
            if not self._pending:
                if self.t >= self._t_end:
                    return Outcome.REACHED
                if self._steps >= self._setup.max_steps:
                    return Outcome.EXHAUSTED
                if not self._queue:
                    if time.monotonic() - began > self._setup.patience:
                        return Outcome.YIELD
                    if not self._fill():
                        return Outcome.FAILED
                self._t_next, self._x_next, self._on_record = self._queue.popleft()
                self._pending = self._whole = True
                if not np.isfinite(self._x_next).all():
                    self._pending, self.bad = False, int(np.argmax(~np.isfinite(self._x_next)))
                    return Outcome.DIVERGED
                if self._events is not None:
                    self.g_next[:] = self._events(self._t_next, self._x_next, self._c)
                crossing = (self.signs != 0.0) & (self.g_next * self.signs <= 0.0)
                if np.any(crossing & (self._directions * self.signs <= 0.0)):
                    return Outcome.CROSSING
            self._accept()

    def _fill(self) -> bool:
        """Solve up to the next rows; False, with a message, if that fails."""
        setup = self._setup
        near = 1e-9 * setup.record
        instant = setup.t0 + self._index * setup.record
        count, last, on_record = 1, min(instant, self._t_end), instant <= self._t_end + near
        if abs(self._t_end - instant) <= near:
            last = self._t_end
        elif on_record and abs(instant - self.t - setup.record) <= near and not self._cautious:
            # Equal distances from here on: as many rows as one call may have.
            count = max(1, min(_ROWS_PER_CALL, int((self._t_end + near - self.t) / setup.record)))
            last = setup.t0 + (self._index + count - 1) * setup.record
            last = self._t_end if abs(last - self._t_end) <= near else last
        try:
            rows = self._solve(self.t, last, self._x, count)
        except RuntimeError as error:
            if count > 1:  # find the good part row by row
                self._cautious = True
                return self._fill()
            self.message = self._explain(str(error), last)
            return False
        times = [setup.t0 + (self._index + k) * setup.record for k in range(count - 1)] + [last]
        self._queue.extend((t, row, on_record) for t, row in zip(times, rows, strict=True))
        return True

    def _explain(self, text: str, t_b: float) -> str:
        flag = re.search(r'returned "(?:CV|IDA)_(\w+)"', text)
        code = flag.group(1) if flag else ""
        reason = _REASONS.get(code, code or text.strip().splitlines()[-1])
        rate = np.abs(evaluator(self._problem.ode, self._setup.p)(self.t, self._x, self._c))
        fastest = int(np.argmax(np.nan_to_num(rate, nan=np.inf) / (self._setup.atol + np.abs(self._x))))
        where = f"between t = {self.t:.9g} s and {t_b:.9g} s"
        which = f"where state {self._problem.state_names[fastest]!r} changes fastest"
        return f"{self._setup.method} gave up {where}, {which}: {reason}"

    def partial(self, s: float) -> tuple[Array, Array]:
        x = self._x.copy() if s == 0.0 else self._solve(self.t, self.t + s, self._x, 1)[0]
        return x, self.g_next[:0] if self._events is None else self._events(self.t + s, x, self._c)

    def commit(self, s: float) -> None:
        if self.t + s < self._t_next:
            self._x_next, self.g_next[:] = self.partial(s)
            self._t_next, self._whole = self.t + s, False
            self._queue.clear()
        self._accept()
        self.record()

    def expect(self, s: float) -> None:
        """Leave it: the solvers choose their steps by themselves."""

    def restart(self, x: Array) -> None:
        self._x = np.array(x, dtype=float)
        self._queue.clear()
        self._rows.add(self.t, self._x)

    def record(self) -> None:
        self._rows.add_new(self.t, self._x)

    def rows(self, first: int = 0) -> tuple[Array, Array]:
        return self._rows.arrays(first)

    def _accept(self) -> None:
        self.t, self._x, self._pending = self._t_next, self._x_next, False
        self.signs[:] = np.sign(self.g_next)
        if self._whole and self._on_record:
            self._index += 1
        if not self._whole or self._on_record:
            self._rows.add(self.t, self._x)
