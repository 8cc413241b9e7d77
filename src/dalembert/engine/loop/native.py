"""The time loop in native code: `loop.c`, driven through one structure."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from dalembert.compile.backend import Backend
from dalembert.core.types import Array
from dalembert.engine.codes import Code
from dalembert.engine.layout import structure
from dalembert.engine.library import library
from dalembert.engine.loop.watch import EventKind, Watch
from dalembert.engine.memory import NativeMemory
from dalembert.engine.methods.tableaus import EULER, Tableau
from dalembert.engine.sampling import Sampler, Update
from dalembert.engine.setup import Counts, Outcome, Setup
from dalembert.engine.unilateral.native import Transitions

__all__ = ["NativeEngine", "loop_memory", "update_memory"]

_INT, _REAL, _POINTER = ctypes.c_int64, ctypes.c_double, ctypes.c_void_p
_MARGIN = 8  # rows beyond the capacity, for rows that the caller records between two calls
_ROWS_BYTES = 1 << 20


def loop_memory(
    setup: Setup,
    method: Tableau,
    *,
    adaptive: bool,
    capacity: int,
    ode: Code | None = None,
    events: Code | None = None,
) -> NativeMemory:
    """Return the memory of a time loop at the start of a run.

    Parameters
    ----------
    setup
        The checked settings.
    method, adaptive
        The tableau, and whether steps follow from its embedded solution.
    capacity
        Rows that it can record.
    ode, events
        Code of the problem's functions; None where there are none, or constrained
        equations take their place.
    """
    problem, n, stages = setup.problem, setup.problem.n_states, method.stages
    n_events, n_held = len(problem.event_specs), len(problem.held_names)
    memory = NativeMemory(structure("loop"))
    loop, array = memory.struct, memory.array
    array("x", setup.x0)
    for name in ("signs", "g_next"):
        array(name, np.zeros(n_events))
    for name in ("x_next", "x_stage", "error"):
        array(name, np.zeros(n))
    array("rows_t", np.zeros(capacity + _MARGIN))
    array("rows_x", np.zeros((capacity + _MARGIN, n)))
    array("rows_c", np.zeros((capacity + _MARGIN, n_held)))
    array("c", np.zeros(n_held))
    array("p", setup.p)
    for name in ("stage", "stage_partial"):
        array(name, np.zeros((stages, n)))
    array("quaternions", np.array(problem.quaternions, dtype=np.int64))
    array("directions", np.array([s.direction for s in problem.event_specs], dtype=np.int64))
    array("counted", problem.counted.astype(float))
    array("atol", setup.atol)
    array("a", method.a)
    array("b", method.b)
    array("nodes", method.c)
    array("e", np.zeros(stages) if method.b_hat is None else method.b - method.b_hat)
    if method.b_second is not None:
        array("e_second", method.b - method.b_second)
    if method.along is not None:
        loop.n_further = len(method.along.c)
        array("further_a", method.along.a)
        array("further_nodes", method.along.c)
        array("inner", method.along.weights)
    if ode is not None:
        memory.work("ode_work", ode)
        loop.ode = ode.address
    if events is not None:
        memory.work("events_work", events)
        loop.events = events.address
    loop.n, loop.n_events, loop.n_quaternions, loop.n_held = n, n_events, len(problem.quaternions), n_held
    loop.n_counted = float(np.count_nonzero(problem.counted))
    loop.stages, loop.fsal = stages, method.fsal
    loop.order, loop.high_order = float(method.estimated_order), float(method.order)
    loop.adaptive = adaptive
    loop.step, loop.max_step, loop.rtol = setup.step, setup.max_step, setup.rtol
    loop.t = loop.t_end = loop.anchor = loop.record_origin = setup.t0
    loop.error_old, loop.bad = 1e-4, -1
    loop.record_interval, loop.record_index = setup.record, 1
    loop.capacity, loop.max_steps, loop.patience = capacity, setup.max_steps, setup.patience
    loop.h = setup.first_step or 0.0
    return memory


def update_memory(update: Update, kernel: Code | None, struct: Any = None) -> NativeMemory:
    """Return the memory of a sampled update; without a kernel the caller samples it.

    Parameters
    ----------
    update
        Sampled elements.
    kernel
        Its code, or None.
    struct
        Its structure, if there is one already.
    """
    memory, n = NativeMemory(structure("update"), struct), len(update.rows)
    fields = memory.struct
    fields.n, fields.period, fields.offset = n, update.period, update.offset
    if kernel is not None:
        noise = update.noise + update.noise % 2
        memory.work("work", kernel)
        arrays = {"w": np.zeros(noise), "values": np.zeros(n)}
        for name, values in (arrays | {"rows": np.array(update.rows, dtype=np.int64)}).items():
            memory.array(name, values)
        fields.f, fields.n_noise, fields.stream = kernel.address, noise, update.stream
    return memory


class NativeEngine:
    """A time loop in native code, which can be stopped anywhere and resumed: explicit Runge-Kutta methods.

    ``message`` is what a loop says about a failure, if anything.

    Parameters
    ----------
    setup
        The checked settings.
    ode, events
        Code of the problem's functions.
    tableau
        The method; by default that of ``setup``. With ``adaptive`` False its embedded solution is
        unused.
    constrained
        The constrained equations of motion, which take the place of ``ode`` and ``events``.
    steps
        The implicit steps, which take the place of the method.
    capacity
        Rows that are recorded before the loop comes back; by default as many as a megabyte holds.
    backend
        Where the tapes run.
    """

    message = ""

    def __init__(
        self,
        setup: Setup,
        ode: Code | None,
        events: Code | None = None,
        *,
        tableau: Tableau | None = None,
        adaptive: bool | None = None,
        constrained: Any = None,
        steps: Any = None,
        capacity: int | None = None,
        backend: Backend = "native",
    ) -> None:
        self.backend: str = backend
        method = tableau or setup.tableau or EULER  # a method that steps by itself never looks at it
        n, n_held = setup.problem.n_states, len(setup.problem.held_names)
        self._library = library("loop")
        self._memory = memory = loop_memory(
            setup,
            method,
            adaptive=method.adaptive if adaptive is None else adaptive,
            capacity=capacity or max(64, min(_ROWS_BYTES // (8 * (n + n_held + 1)), 1 << 16)),
            ode=ode,
            events=events,
        )
        self._loop, self._reference = memory.struct, memory.address
        self._kept: list[Any] = [ode, events, constrained, steps]  # what the structure points to must outlive it
        self._x, self._x_next, self._c = (memory.arrays[name] for name in ("x", "x_next", "c"))
        self.signs = memory.arrays["signs"]
        self._rows_t, self._rows_x, self._rows_c = (memory.arrays[f"rows_{name}"] for name in "txc")
        for part in (constrained, steps):
            if part is not None:
                part.attach(self._loop)
        self._setup = setup
        self._full: list[tuple[Array, Array, Array]] = []
        self.constrained, self._steps = constrained, steps
        self.watch: Watch | None = None
        self._library.loop_push(self._reference)

    @property
    def t(self) -> float:
        """Time of the last accepted step."""
        return self._loop.t

    @property
    def x(self) -> Array:
        """State at `t` (a copy)."""
        return self._x.copy()

    @property
    def h_used(self) -> float:
        """Length of the pending step, or of the one to come."""
        loop = self._loop
        if loop.pending:
            return loop.h_used
        return loop.h if loop.adaptive else loop.step

    @property
    def next_step(self) -> float | None:
        """Step that an adaptive method would try next."""
        return self._loop.h if self._loop.adaptive else None

    @property
    def bad(self) -> int:
        """Index of the state (from n on: of the event function) to blame for a failure; -1 if unknown."""
        return self._loop.bad

    @property
    def counts(self) -> Counts:
        """Cost so far."""
        calls = self._loop.n_calls if self._steps is None else self._steps.evaluations
        return Counts(self._loop.n_steps - self._loop.n_rejected, self._loop.n_rejected, calls)

    @property
    def held_now(self) -> Array:
        """Values that are held."""
        return self._c

    def derivative(self, t: float, x: Array) -> Array:
        """Return xdot; NaN where the equations cannot be evaluated."""
        x, out = np.ascontiguousarray(x, dtype=float), np.zeros(len(x))
        failed = self._library.loop_derivative(self._reference, t, x.ctypes.data, out.ctypes.data)
        return np.full(len(x), np.nan) if failed else out

    def take_over(self, sampler: Sampler) -> None:
        """Take native samples natively, on the memory of the sampler, which takes the others."""
        loop, updates = self._loop, (structure("update") * len(sampler.updates))()
        for update, code, struct in zip(sampler.updates, sampler.codes, updates, strict=True):
            self._kept += [code, update_memory(update, code, struct)]
        self._kept += [updates, sampler.held, sampler.counts]
        loop.updates, loop.n_updates = ctypes.addressof(updates), len(updates)
        loop.c, loop.instants = sampler.held.ctypes.data, sampler.counts.ctypes.data
        loop.seed, loop.member, loop.sample_origin = sampler.seed, sampler.member, sampler.origin
        loop.t_last = self._setup.t_end
        self._c = sampler.held
        sampler.update = lambda i: not self._library.loop_update(self._reference, i)

    def begin(self, c: Array, t_end: float) -> None:
        """Start a segment: hold ``c`` from now on and run to ``t_end``."""
        self._c[:] = c
        loop = self._loop
        self._library.loop_hold(self._reference, t_end)
        if loop.adaptive and not loop.h > 0.0:
            loop.h = self._library.loop_first_step(self._reference, self._setup.t_end - loop.t)

    def advance(self) -> Outcome:
        """Run until something needs the caller."""
        patience = time.monotonic() + self._loop.patience
        while True:
            outcome = self._go_on()
            if outcome is Outcome.FULL:
                self._drain()
            elif outcome is Outcome.LOG_FULL and self.watch is not None:
                self.watch.drain()
            else:
                return outcome
            if time.monotonic() > patience:  # the loop counts anew each time: one that fills up soon would never yield
                return Outcome.YIELD

    def _go_on(self) -> Outcome:
        if self.watch is None:
            return Outcome(self._library.loop_advance(self._reference))
        return Outcome(self._library.watch_advance(self.watch.address))

    def watch_events(
        self, kinds: Sequence[EventKind], transitions: Transitions | None = None, *, asks: bool = False, **changes: int
    ) -> Watch:
        """Watch for events, and act on each according to its kind; return where native code reports them."""
        self.watch = Watch(self._setup, self._reference, kinds, transitions, asks=asks, **changes)
        return self.watch

    def arm(self) -> None:
        """Take the signs that the events have just after the present time."""
        if self.watch is not None:
            self._library.watch_begin(self.watch.address)

    def answer(self, x: Array | None, *, landed: bool) -> Outcome:
        """Continue with ``x`` after `Outcome.ASKED`; None: it stays. ``landed``: a transition has made it so."""
        assert self.watch is not None
        state = None if x is None else np.ascontiguousarray(x, dtype=float)
        address = None if state is None else state.ctypes.data
        return Outcome(self._library.watch_answer(self.watch.address, address, landed))

    def restart(self, x: Array) -> None:
        """Replace the state at t, and record it."""
        self._x[:] = x
        self._loop.fresh = 0
        self._library.loop_push(self._reference)

    def record(self) -> None:
        """Record the state at t, unless it is the last one recorded."""
        k = self._loop.n_rows
        t, x = (self._rows_t[k - 1], self._rows_x[k - 1]) if k else (self._full[-1][0][-1], self._full[-1][1][-1])
        if t != self._loop.t or not np.array_equal(x, self._x):
            self._library.loop_push(self._reference)

    def rows(self, first: int = 0) -> tuple[Array, Array]:
        """Rows (t, x) recorded so far, from one on."""
        return self._since(first, 0), self._since(first, 1)

    def held(self, first: int = 0) -> Array:
        """Return the held values of the rows from one on."""
        return self._since(first, 2)

    def _since(self, first: int, which: int) -> Array:
        # Rows that came last stay with the loop, which sets their held values anew when it samples at their instant.
        k = self._loop.n_rows
        last = self._rows_t[:k], self._rows_x[:k], self._rows_c[:k]
        parts, before = [], 0
        for block in (*self._full, last):
            parts.append(block[which][max(0, first - before) :])
            before += len(block[which])
        return np.concatenate(parts)

    def _drain(self) -> None:
        k = self._loop.n_rows
        if k:
            self._full.append((self._rows_t[:k].copy(), self._rows_x[:k].copy(), self._rows_c[:k].copy()))
            self._loop.n_rows = 0
