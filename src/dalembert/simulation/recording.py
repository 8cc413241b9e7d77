"""The rows of a run as a `Run`: all of them in the end, and new ones during the run for a `watch` function."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from dalembert.core.types import Array
from dalembert.core.version import __version__
from dalembert.engine.constraints.runs import constraint_signals
from dalembert.engine.kernels import ProblemKernels
from dalembert.engine.loop.native import NativeEngine
from dalembert.engine.sampling import Sampler
from dalembert.engine.setup import Setup
from dalembert.simulation.events import EventWatcher, told_events
from dalembert.simulation.instants import told_rows
from dalembert.simulation.methods import METHODS
from dalembert.simulation.run import EndState, Run

__all__ = ["Recorder"]

_INTERVAL = 0.1  # seconds between two parts


class Recorder:
    """Makes runs of the rows that a time loop records. Signals are evaluated once, with or without a `watch` function.

    Parameters
    ----------
    engine, setup, kernels, sampler, watcher
        The loop, and the sources of the rest of its rows: kernels for signals, the sampler for held values, the watcher
        for events.
    watch
        Called with the new rows, as a run, about ten times a second; None: never.
    each_transition
        As in `integrate`.
    """

    def __init__(
        self,
        engine: NativeEngine,
        setup: Setup,
        kernels: ProblemKernels,
        sampler: Sampler,
        watcher: EventWatcher,
        watch: Callable[[Run], object] | None = None,
        *,
        each_transition: bool = False,
    ) -> None:
        self._engine, self._setup, self._kernels, self._sampler = engine, setup, kernels, sampler
        self._watcher, self._watch, self._each = watcher, watch, each_transition
        self._began, self._next = time.perf_counter(), time.monotonic()
        self._rows, self._events = 0, 0  # that were passed on
        self._signals: list[Array] = []  # of those rows

    def pass_on(self) -> None:
        """Pass on the new rows, if there is a `watch` function and it is time to.

        Rows at the present time stay: a sample or a transition at this very instant may still change them.
        """
        if self._watch is None or time.monotonic() < self._next:
            return
        first = max(self._rows, self._watcher.skip)
        rows = self._recorded(first)
        n = int(np.searchsorted(rows[0], self._engine.t))
        if n:
            t, x, held = self._told(*(values[:n] for values in rows))
            y = self._evaluated(t, x, held)
            so_far = self._run((t, x, y, held), "running", "", self._events, time.perf_counter() - self._began)
            self._signals.append(y)
            self._rows, self._events = first + n, len(self._watcher.records)
            self._watch(so_far)
        self._next = time.monotonic() + _INTERVAL

    def whole(self, status: str, message: str) -> Run:
        """Return the run up to the present time."""
        wall_time = time.perf_counter() - self._began
        self._engine.record()
        t, x, held = self._told(*self._recorded(self._watcher.skip))
        done = sum(map(len, self._signals))
        y = self._evaluated(t[done:], x[done:], held[done:])
        return self._run((t, x, np.concatenate([*self._signals, y]), held), status, message, 0, wall_time)

    def _recorded(self, first: int) -> tuple[Array, Array, Array]:
        """Rows from one on: times, states, held values."""
        engine = self._engine
        t, x = engine.rows(first)
        return t, x, engine.held(first)

    def _told(self, t: Array, x: Array, held: Array) -> tuple[Array, Array, Array]:
        """Those of the rows, with all or none of an instant, that a run tells."""
        if self._each:
            return t, x, held
        told = told_rows(t, x, self._setup.problem.counted, self._sampler.is_instant(t))
        return (t, x, held) if told.all() else (t[told], x[told], held[told])

    def _evaluated(self, t: Array, x: Array, held: Array) -> Array:
        setup, kernels = self._setup, self._kernels
        y = kernels.evaluate_signals(t, x, held, setup.p)
        if setup.problem.constrained is None:
            return y
        return np.hstack([y, constraint_signals(setup.problem, setup.constraint_method, kernels, t, x, held, setup.p)])

    def _run(self, rows: tuple[Array, ...], status: str, message: str, events: int, wall_time: float) -> Run:
        engine, sampler, problem = self._engine, self._sampler, self._setup.problem
        (t, x, y, held), recorded = rows, len(problem.held_names) - problem.unrecorded
        more = () if problem.constrained is None else problem.constrained.all_signal_names
        return Run(
            t=t,
            x=x,
            y=y,
            held=held[:, :recorded],
            state_names=problem.state_names,
            signal_names=(*problem.signal_names, *more),
            held_names=problem.held_names[:recorded],
            events=told_events(self._watcher.records[events:], problem.event_specs),
            status=status,
            message=message,
            final=EndState(
                engine.t,
                engine.x,
                sampler.held.copy(),
                sample_origin=sampler.origin,
                sample_period=sampler.updates[-1].period if sampler.updates else 0.0,
                samples=int(sampler.counts[-1]) if sampler.updates else 0,
                step=engine.next_step or 0.0,
            ),
            metadata=self._metadata(wall_time),
        )

    def _metadata(self, wall_time: float) -> dict[str, Any]:
        setup, counts, adaptive = self._setup, self._engine.counts, METHODS[self._setup.method].adaptive
        metadata: dict[str, Any] = {
            "method": setup.method,
            "backend": self._engine.backend,
            **({"rtol": setup.rtol, "atol": _scalar_or_list(setup.atol)} if adaptive else {"step": setup.step}),
            "record": setup.record,
            "controller": self._sampler.label,
            "controller_period": self._sampler.period,
            "steps": counts.steps,
            "rejected": counts.rejected,
            "function_calls": counts.calls,
            "wall_time": wall_time,
            "version": __version__,
            "machine": setup.problem.name,
        }
        if setup.problem.constrained is not None:
            metadata["constraints"] = setup.constraint_method.name
        if setup.problem.stepping is not None:
            metadata["contact"] = setup.problem.stepping.way.name
            metadata["contact_faults"] = self._engine.constrained.faults._asdict()
        return metadata


def _scalar_or_list(values: Array) -> float | list[float]:
    return float(values[0]) if np.all(values == values[0]) else [float(v) for v in values]
