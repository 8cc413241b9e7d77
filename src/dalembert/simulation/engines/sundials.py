"""Stiff problems: CVODES and IDAS of SUNDIALS, through CasADi, behind the same interface as the Runge-Kutta loops.

Limits: rows are recorded at given instants only (SUNDIALS interpolates there to the order of its method); events are
located between rows, so that a function that changes sign twice between two rows is not seen; quadratures count in the
error norm; between two restarts (50 rows at most) quaternions are normalised in the rows, not in the solver.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import astuple
from typing import Any

import casadi
import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.engine.constraints.native import NativeConstrained
from dalembert.engine.kernels import ProblemKernels
from dalembert.engine.setup import Counts, Outcome, Setup, normalise
from dalembert.simulation.engines.evaluator import evaluator
from dalembert.simulation.engines.idas import AlgebraicPart
from dalembert.simulation.engines.offered import OfferedEngine, Step

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


class SundialsEngine(OfferedEngine):
    """CVODES or IDAS over the instants to record.

    One solver serves all time spans: it integrates over tau in [0, 1] with t = t_a + tau (t_b - t_a), where t_a and t_b
    are parameters. IDAS takes the semi-explicit form x' = f(t, x, z), 0 = g(t, x, z), here without z.

    Parameters
    ----------
    setup
        The checked settings.
    kernels
        Kernels of the problem.
    further
        Tapes that transitions need.
    """

    next_step = None

    def __init__(self, setup: Setup, kernels: ProblemKernels, further: tuple[str, ...] = ()) -> None:
        if np.ptp(setup.atol) > 0.0:
            raise InputError(f"method {setup.method!r} takes one atol for all states, got one per state")
        problem, self._algebraic, constrained = setup.problem, None, None
        if problem.constrained is not None:
            codes = kernels.constrained_codes()
            constrained = NativeConstrained(problem, codes, setup.constraint_method, further=further)
            self._algebraic = AlgebraicPart(setup, constrained)
        super().__init__(setup, kernels.events_code() if constrained is None else None, constrained)
        self.backend, self._problem = setup.method, problem
        self._dae, self._options = self._formulate()
        self._solvers: dict[int, casadi.Function] = {}
        self._queue: deque[Step] = deque()
        self._cautious = False
        self._cost = Counts(0, 0, 0)

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
        guess = {} if self._algebraic is None else {"z0": self._algebraic.start(self.derivative(t_a, x))}
        result = solver(x0=x, p=np.concatenate([[t_a, t_b], self._c, self._setup.p]), **guess)
        stats = solver.stats()
        more = (int(stats[name]) for name in ("nsteps", "netfails", "nfevals"))
        self._cost = Counts(*(a + b for a, b in zip(astuple(self._cost), more, strict=True)))
        rows = np.array(result["xf"]).T
        normalise(rows, self._problem.quaternions)
        return rows

    @property
    def counts(self) -> Counts:
        """Cost so far."""
        return self._cost

    def forget(self) -> None:
        """Start anew at the present state."""
        self._queue.clear()

    @property
    def at_hand(self) -> bool:
        """Whether the next row has been solved for already."""
        return bool(self._queue)

    def next_offer(self, t_end: float) -> Step | Outcome:
        """Return the next row."""
        if not self._queue and not self._fill(t_end):
            return Outcome.FAILED
        return self._queue.popleft()

    def part(self, t: float, h: float, x: Array) -> Array:
        """Return the state after a step of length h from (t, x)."""
        return self._solve(t, t + h, x, 1)[0]

    def _fill(self, t_end: float) -> bool:
        """Solve up to the next rows; False, with a message, if that fails."""
        setup = self._setup
        near, index = 1e-9 * setup.record, self._loop.record_index
        instant = setup.t0 + index * setup.record
        count, last, on_record = 1, min(instant, t_end), instant <= t_end + near
        if abs(t_end - instant) <= near:
            last = t_end
        elif on_record and abs(instant - self.t - setup.record) <= near and not self._cautious:
            # Equal distances from here on: as many rows as one call may have.
            count = max(1, min(_ROWS_PER_CALL, int((t_end + near - self.t) / setup.record)))
            last = setup.t0 + (index + count - 1) * setup.record
            last = t_end if abs(last - t_end) <= near else last
        try:
            rows = self._solve(self.t, last, self.x, count)
        except RuntimeError as error:
            if count > 1:  # find the valid part row by row
                self._cautious = True
                return self._fill(t_end)
            self.message = self._explain(str(error), last)
            return False
        times = [setup.t0 + (index + k) * setup.record for k in range(count - 1)] + [last]
        self._queue.extend(Step(t, row, on_record) for t, row in zip(times, rows, strict=True))
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
