"""Rollouts without a compiler, or with implicit steps: members one by one in the engine of single runs (singles.c)."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dalembert.compile import compile_function
from dalembert.compile.batch import run_threads
from dalembert.compile.routine import Routine, load_routine
from dalembert.core.types import Array
from dalembert.engine.codes import Code, code_of
from dalembert.engine.layout import structure
from dalembert.engine.library import library
from dalembert.engine.loop.native import update_memory
from dalembert.engine.memory import NativeMemory
from dalembert.engine.problem.problem import Problem
from dalembert.engine.sampling import Schedule
from dalembert.simulation.methods import METHODS, check_outlet
from dalembert.simulation.rollout.events import ThreadSteps
from dalembert.simulation.rollout.measures import Measures
from dalembert.simulation.rollout.members import Members
from dalembert.simulation.rollout.plan import Plan

__all__ = ["SingleRollout"]

_STEPS = 1000
"""Steps of a member between two looks at interrupts."""


class SingleRollout:
    """The time loop of single runs, for many members; see `LaneRollout`.

    Parameters
    ----------
    problem, method, measures, schedule
        As in `LaneRollout`. The code that takes the members over their steps implements the constraint method
        (`Members.outside`).
    backend
        Where the tapes run.
    """

    def __init__(
        self,
        problem: Problem,
        method: str,
        measures: Measures | None = None,
        schedule: Schedule | None = None,
        *,
        backend: Literal["vm", "native"] = "vm",
    ) -> None:
        self.backend: str = backend
        code = partial(_code, backend=backend)
        if problem.stepping is None:
            check_outlet(METHODS[method], "rollout")
        self._problem, self._measures, self._schedule = problem, measures, schedule
        self._gauge = None if measures is None else code(measures.function)
        self._updates = [] if schedule is None else [code(update.function) for update in schedule.updates]
        self._tables = None if measures is None else (measures.kinds, measures.since, measures.until)

    def run(self, plan: Plan, members: Members, *, threads: int, proceed: Callable[[float], bool]) -> None:
        """Integrate all members; see `RolloutEngine`."""
        n, cuts = len(members.x), _cuts(plan)
        threads = max(1, min(threads, n))
        waiting, advanced = iter(range(n)), [0] * threads
        taking, stop = threading.Lock(), threading.Event()
        highest, total = np.maximum.accumulate(plan.segments["row"]) + 1, n * len(plan.segments)

        def work(k: int) -> None:
            run, outside, kept = self._thread(plan, members)
            while True:
                with taking:
                    member = next(waiting, n)
                if member == n:
                    break
                for first, last in cuts:
                    if stop.is_set():
                        return
                    run(member, last - first, plan.segments[first:].ctypes.data)
                    outside.flush()
                    members.done[member] = max(1, int(highest[last - 1]))
                    advanced[k] += last - first
                    if k == 0 and not proceed(sum(advanced) / total):
                        stop.set()
            assert members.outside is not None
            members.outside.give_back(outside)
            del kept

        run_threads(work, threads, stop)

    def bind(self, plan: Plan, members: Members, *, threads: int) -> Callable[[], None]:
        """Return a function that runs the same plan again; see `RolloutEngine`."""
        if threads > 1:
            return lambda: self.run(plan, members, threads=threads, proceed=lambda fraction: True)
        run, outside, kept = self._thread(plan, members)
        segments, everything = plan.segments.ctypes.data, (outside, kept, plan, members)

        def advance(kept: object = everything) -> None:
            for member in range(len(members.x)):
                run(member, len(plan.segments), segments)

        return advance

    def _thread(
        self, plan: Plan, members: Members
    ) -> tuple[Callable[[int, int, int], None], ThreadSteps, list[object]]:
        """The object that takes a member over segments in this thread, its stepper, and objects to keep alive."""
        assert members.outside is not None
        outside = members.outside.in_thread()
        memory = NativeMemory(structure("singles"))
        struct, kept = memory.struct, [memory, outside, plan]
        struct.steps, struct.n_rows = outside.address, members.rows.shape[1]
        tables: dict[str, Array | NDArray[np.int64] | None] = {
            "state": members.x, "held": members.held, "parameters": members.p, "clock": members.clock,
            "fresh": members.fresh, "watched": members.watched, "status": members.status,
            "failed_at": members.failed_at, "rows": members.rows, "values": members.measured,
            "instants": plan.instants, "number": members.numbers, "held_rows": members.held_rows,
        }  # fmt: skip
        for name, table in tables.items():
            if table is not None:
                memory.point(name, table)
        struct.held_stride, struct.p_stride = (a.shape[1] if a.ndim == 2 else 0 for a in (members.held, members.p))
        count = 0 if self._measures is None else len(self._measures)
        for name, size in (("before", count), ("y", count), ("kept", self._problem.n_states)):
            memory.array(name, np.zeros(max(1, size)))
        if self._measures is not None and self._gauge is not None and self._tables is not None:
            struct.n_measures, struct.every, struct.measure = count, self._measures.every, self._gauge.address
            memory.work("measure_work", self._gauge)
            for name, values in zip(("kinds", "since", "until"), self._tables, strict=True):
                memory.point(name, values)
        if self._schedule is not None:
            updates = (structure("update") * len(self._updates))()
            parts = zip(self._schedule.updates, self._updates, updates, strict=True)
            kept += [updates, [update_memory(update, code, part) for update, code, part in parts]]
            struct.n_updates, struct.updates, struct.seed = len(updates), ctypes.addressof(updates), members.seed
        native, address = library("members").singles_run, memory.address
        return (lambda member, count, segments: native(address, member, count, segments)), outside, kept


def _code(function: Any, backend: Literal["vm", "native"]) -> Code:
    if isinstance(function, Routine):
        return load_routine(function, backend)
    return code_of(compile_function(function, backend=backend, shapes={function.name_in(0): ()}, lanes=False))


def _cuts(plan: Plan) -> list[tuple[int, int]]:
    """Divide all segments (first, last) into calls of bounded work."""
    steps = np.cumsum(plan.segments["count"] + (plan.segments["rest"] > 0.0))
    marks = np.searchsorted(steps, np.arange(_STEPS, int(steps[-1]) + _STEPS, _STEPS), side="left") + 1
    return list(pairwise(sorted({0, len(steps), *(min(int(mark), len(steps)) for mark in marks)})))
