"""The time loop of stepper.c in NumPy, for machines without a C compiler; keep the two alike."""

# ruff: noqa: D102 -- the methods of an engine are described in `Engine`

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any

import casadi
import numpy as np

from dalembert.core.types import Array
from dalembert.engine.constraints.fallback import PythonConstrained
from dalembert.engine.loop.startup import first_step
from dalembert.engine.methods.tableaus import EULER, Tableau
from dalembert.engine.setup import Counts, Outcome, Setup, normalise
from dalembert.simulation.engines.row_log import RowLog

__all__ = ["PythonEngine", "evaluator"]

_EPSILON = sys.float_info.epsilon
_LEAST_ERROR = 1e-4  # as in stepper.c


def evaluator(function: casadi.Function, p: Array) -> Callable[[float, Array, Array], Array]:
    """Return (t, x, c) -> value of a problem's function, on the CasADi virtual machine."""
    if not function.sparsity_out(0).is_dense():
        arguments = [casadi.MX.sym(function.name_in(k), function.sparsity_in(k)) for k in range(4)]
        function = casadi.Function(function.name(), arguments, [casadi.densify(function(*arguments))])
    t, x, c, p = np.zeros(1), np.zeros(function.numel_in(1)), np.zeros(function.numel_in(2)), p.copy()
    out = np.zeros(function.numel_out(0))
    buffer: Any
    buffer, run = function.buffer()
    for k, array in enumerate((t, x, c, p)):
        if function.nnz_in(k) not in (0, array.size):
            raise ValueError(f"input {k} of {function.name()} is partly sparse")
        if function.nnz_in(k):
            buffer.set_arg(k, array.data)
    if out.size:
        buffer.set_res(0, out.data)

    def evaluate(t_now: float, x_now: Array, c_now: Array) -> Array:
        t[0], x[:], c[:] = t_now, x_now, c_now
        run()
        return out.copy()

    evaluate.kept = (buffer, p)  # type: ignore[attr-defined]  # `run` uses them through bare pointers
    return evaluate


def _same_instant(a: float, b: float) -> bool:
    return abs(a - b) <= 16.0 * _EPSILON * max(abs(a), abs(b))


class PythonEngine:
    """Explicit Runge-Kutta loop in NumPy (see `Engine`); parameters as of `NativeEngine`."""

    backend = "python"
    message = ""

    def __init__(self, setup: Setup, *, tableau: Tableau | None = None, adaptive: bool | None = None) -> None:
        self._setup, self._problem = setup, setup.problem
        self._method = tableau or setup.tableau or EULER  # a method that steps by itself never looks at it
        self._adaptive = self._method.adaptive if adaptive is None else adaptive
        self._constrained: PythonConstrained | None = None
        self._ode = evaluator(setup.problem.ode, setup.p)
        self._events = None if setup.problem.events is None else evaluator(setup.problem.events, setup.p)
        if setup.problem.constrained is not None:
            self._constrained = PythonConstrained(setup.problem, setup.p, setup.constraint_method, self._events)
            self._ode = self._constrained.ode
            self._events = self._constrained.events if setup.problem.event_specs else None
        self._e, self._e_second = (
            np.zeros(self._method.stages) if weights is None else self._method.b - weights
            for weights in (self._method.b_hat, self._method.b_second)
        )
        self._directions = np.array([float(spec.direction) for spec in setup.problem.event_specs])
        self._counted = setup.problem.counted

        self.t, self._x, self._c = setup.t0, setup.x0.copy(), np.zeros(len(setup.problem.held_names))
        self._t_end = self._anchor = setup.t0
        self._k, self._fresh, self._stage = 0, False, np.zeros((self._method.stages, setup.problem.n_states))
        self._h, self._error_old, self._rejected_last = setup.first_step or 0.0, _LEAST_ERROR, False
        self._pending, self._landed, self._on_record, self._whole, self._soon = False, False, False, True, math.inf
        self._t_next, self._h_used, self._x_next = setup.t0, 0.0, self._x
        n_events = len(setup.problem.event_specs)
        self.signs, self.g_next = np.zeros(n_events), np.zeros(n_events)
        self._record_index, self._rows = 1, RowLog(self.t, self._x)
        self._n_steps, self._n_rejected, self._n_calls, self.bad = 0, 0, 0, -1

    @property
    def x(self) -> Array:
        return self._x.copy()

    @property
    def h_used(self) -> float:
        if self._pending:
            return self._h_used
        return self._h if self._adaptive else self._setup.step

    @property
    def next_step(self) -> float | None:
        return self._h if self._adaptive else None

    @property
    def counts(self) -> Counts:
        return Counts(self._n_steps - self._n_rejected, self._n_rejected, self._n_calls)

    def derivative(self, t: float, x: Array) -> Array:
        """Return xdot."""
        self._n_calls += 1
        return self._ode(t, x, self._c)

    def begin(self, c: Array, t_end: float) -> None:
        self._c = np.array(c, dtype=float)
        self._fresh, self._t_end = False, t_end
        if self._adaptive and not self._h > 0.0:
            self._h = first_step(self.derivative, self._setup, self._method)

    def advance(self) -> Outcome:
        began = time.monotonic()
        while True:
            if not self._pending:
                if self.t >= self._t_end:
                    return Outcome.REACHED
                if self._n_steps >= self._setup.max_steps:
                    return Outcome.EXHAUSTED
                if time.monotonic() - began > self._setup.patience:
                    return Outcome.YIELD
                outcome = self._attempt()
                if outcome is None:
                    continue
                if outcome is not Outcome.REACHED:
                    return outcome
                falling = self.g_next * self.signs <= 0.0
                if np.any(falling & (self.signs != 0.0) & (self._directions * self.signs <= 0.0)):
                    return Outcome.CROSSING
            self._accept()

    def partial(self, s: float) -> tuple[Array, Array]:
        with np.errstate(all="ignore"):
            x = self._take(s, self._stage.copy())
            x = self._settle(self.t + s, x)
        return x, self.g_next[:0] if self._events is None else self._events(self.t + s, x, self._c)

    def commit(self, s: float) -> None:
        if s < self._h_used and self.t + s < self._t_next:
            self._x_next, self.g_next[:] = self.partial(s)
            self._t_next, self._whole = self.t + s, False
        self._accept()
        self.record()

    def expect(self, s: float) -> None:
        self._soon = s

    def restart(self, x: Array) -> None:
        self._x, self._fresh = np.array(x, dtype=float), False
        self._rows.add(self.t, self._x)

    def record(self) -> None:
        self._rows.add_new(self.t, self._x)

    def rows(self, first: int = 0) -> tuple[Array, Array]:
        return self._rows.arrays(first)

    def _take(self, h: float, k: Array) -> Array:
        """One step of length h from (t, x), its stages in k."""
        a, b, c = self._method.a, self._method.b, self._method.c
        if not self._fresh:
            self._stage[0] = k[0] = self.derivative(self.t, self._x)
            self._fresh = True
        for s in range(1, self._method.stages):
            x_stage = self._x + (h * a[s, :s]) @ k[:s]
            k[s] = self.derivative(self.t + c[s] * h, x_stage)
        return x_stage if self._method.fsal else self._x + (h * b) @ k

    def _settle(self, t: float, x: Array) -> Array:
        """What a state must satisfy after a step: unit quaternions, constraints."""
        normalise(x, self._problem.quaternions)
        return x if self._constrained is None else self._constrained.project(t, x, self._c)

    def _plan(self) -> None:
        setup, target = self._setup, self._t_end
        self._on_record = False
        if setup.record > 0.0:
            r = setup.t0 + self._record_index * setup.record
            if _same_instant(r, target):
                self._on_record = True
            elif r < target:
                self._on_record, target = True, r
        rest, self._whole = target - self.t, True
        if not self._adaptive:
            self._t_next = self._anchor + (self._k + 1) * setup.step
            self._landed = self._t_next >= target - 1e-9 * setup.step
            if self._landed:
                self._t_next = target
            self._h_used = self._t_next - self.t
            if abs(self._h_used - setup.step) <= 1e-9 * setup.step + 8.0 * _EPSILON * abs(self._t_next):
                self._h_used = setup.step
            return
        h = min(self._h, setup.max_step, self._soon)
        self._landed = rest <= h * (1.0 + 1e-9)
        if self._landed:
            self._h_used, self._t_next = rest, target
        else:
            self._h_used = 0.5 * rest if rest < 2.0 * h else h
            self._t_next = self.t + self._h_used

    def _attempt(self) -> Outcome | None:
        """Try one step: REACHED (it is pending), None (rejected), or why it failed."""
        if self._adaptive and (self._h < 4.0 * _EPSILON * abs(self.t) or self._h < 1e-290):
            return Outcome.UNDERFLOW
        self._plan()
        self._n_steps += 1
        self.bad = -1
        with np.errstate(all="ignore"):
            self._x_next = self._take(self._h_used, self._stage)
            bad = self._find_bad()
            if not self._adaptive:
                self.bad = bad
                if bad >= 0:
                    return Outcome.DIVERGED
            else:
                outcome = self._control(bad)
                if outcome is not Outcome.REACHED:
                    return outcome
            self._x_next = self._settle(self._t_next, self._x_next)
            if not np.isfinite(self._x_next).all():
                return Outcome.DIVERGED
            if self._events is not None:
                self.g_next[:] = self._events(self._t_next, self._x_next, self._c)
                if np.isnan(self.g_next).any():
                    self.bad = self._x.size + int(np.argmax(np.isnan(self.g_next)))
                    return Outcome.DIVERGED
        self._pending = True
        return Outcome.REACHED

    def _find_bad(self) -> int:
        wrong = ~np.isfinite(self._x_next)
        return int(np.argmax(np.where(wrong, np.abs(self._x), -1.0))) if wrong.any() else -1

    def _difference(self, e: Array) -> float:
        """Weighted root mean square of the difference to an embedded solution."""
        setup = self._setup
        scale = setup.atol + setup.rtol * np.maximum(np.abs(self._x), np.abs(self._x_next))
        squares = (self._counted * (((self._h_used * e) @ self._stage) / scale)) ** 2
        self.bad = int(np.argmax(squares))
        return math.sqrt(np.sum(squares) / np.count_nonzero(self._counted))

    def _control(self, bad: int) -> Outcome | None:
        """Judge the step and choose the next one."""
        order = self._method.estimated_order
        beta = 0.2 / (order + 1.0)
        power = 1.0 / (order + 1.0) - 0.75 * beta
        error = math.inf
        if bad < 0:
            second = self._difference(self._e_second)
            error = self._difference(self._e)
            if self._method.b_second is not None and error > 0.0:
                error = error**2 / math.hypot(error, 0.1 * second)
        scaled = max(error, _LEAST_ERROR) ** power
        if not error <= 1.0:
            self._n_rejected += 1
            self._rejected_last = True
            self._h = self._h_used * (max(0.2, 0.9 / scaled) if math.isfinite(error) else 0.2)
            if bad >= 0:
                self.bad = bad
            return None
        factor = min(10.0, max(0.2, 0.9 * self._error_old**beta / scaled))
        h = self._h_used * (min(factor, 1.0) if self._rejected_last else factor)
        self._h = max(h, self._h) if self._h_used < self._h else h
        self._error_old, self._rejected_last = max(error, _LEAST_ERROR), False
        return Outcome.REACHED

    def _accept(self) -> None:
        self._x, self.t, self._pending, self._soon = self._x_next, self._t_next, False, math.inf
        self.signs[:] = np.sign(self.g_next)
        self._fresh = self._whole and self._method.fsal and self._constrained is None
        if self._fresh:
            self._stage[0] = self._stage[-1]
        hit = self._whole and self._landed and self._on_record
        if self._whole:
            self._k += 1
            if self._landed:
                self._anchor, self._k = self.t, 0
        self._record_index += hit
        if not self._whole or self._setup.record == 0.0 or hit:
            self._rows.add(self.t, self._x)
