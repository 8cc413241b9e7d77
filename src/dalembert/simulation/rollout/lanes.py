"""Rollouts on the processor: members in SIMD lanes and threads (lanes_rollout.c)."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from dalembert.compile.batch import run_threads
from dalembert.compile.build import Toolchain
from dalembert.compile.forms import LANES_ROLLOUT
from dalembert.compile.native import load_form, symbol_of
from dalembert.compile.tape import row_major
from dalembert.simulation.problem import Problem
from dalembert.simulation.rollout.members import Members
from dalembert.simulation.rollout.plan import Plan, rollout_macros

__all__ = ["LaneRollout"]

_WORK = 30_000_000
"""Operations of one call into native code: some tens of milliseconds, after which an interrupt is seen."""


class LaneRollout:
    """The compiled time loop of a problem.

    Parameters
    ----------
    problem
        Without events and constraints.
    method
        Name of a fixed-step method.
    toolchain
        The compiler.
    """

    backend = "lanes"

    def __init__(self, problem: Problem, method: str, toolchain: Toolchain) -> None:
        function = row_major(problem.ode)
        library = load_form(function, toolchain, LANES_ROLLOUT, rollout_macros(problem, method))
        symbol = symbol_of(function)
        self._library = library
        self._n_work = ctypes.c_long.in_dll(library, f"{symbol}_rollout_n_work").value
        self.width = ctypes.c_long.in_dll(library, f"{symbol}_rollout_width").value
        self._call = getattr(library, f"{symbol}_rollout")
        self._call.restype = None
        integer, pointer = ctypes.c_int64, ctypes.c_void_p
        self._call.argtypes = [integer, *[pointer] * 3, integer, integer, *[pointer] * 4, integer, pointer]
        self._cost = 4 * function.n_instructions()

    def run(self, plan: Plan, members: Members, *, threads: int, proceed: Callable[[float], bool]) -> None:
        """Integrate all members; see `RolloutEngine`."""
        x, p, rows, done = members.x, members.p, members.rows, members.done
        n, n_rows = rows.shape[:2]
        held = np.ascontiguousarray(np.append(members.held, 0.0))
        blocks = -(-n // self.width)
        threads = max(1, min(threads, blocks))
        bounds = [min(n, blocks * k // threads * self.width) for k in range(threads + 1)]
        advanced = [0] * threads
        stop = threading.Event()
        total = n * len(plan.segments)

        def work(k: int) -> None:
            scratch = np.empty(self._n_work)
            for start, end, first, last in self._pieces(bounds[k], bounds[k + 1], plan):
                if stop.is_set():
                    return
                segments = plan.segments[first:last]
                self._call(
                    end - start,
                    x[start:].ctypes.data,
                    held.ctypes.data,
                    (p[start:] if p.ndim == 2 else p).ctypes.data,
                    p.shape[-1] if p.ndim == 2 else 0,
                    last - first,
                    segments.ctypes.data,
                    members.status[start:].ctypes.data,
                    members.failed_at[start:].ctypes.data,
                    rows[start:].ctypes.data,
                    n_rows,
                    scratch.ctypes.data,
                )
                done[start:end] = max(1, int(segments["row"].max(initial=-1)) + 1, int(done[start]))
                advanced[k] += (end - start) * (last - first)
                if k == 0 and not proceed(sum(advanced) / total):
                    stop.set()

        run_threads(work, threads, stop)

    def _pieces(self, start: int, end: int, plan: Plan) -> list[tuple[int, int, int, int]]:
        """Divide members start..end and all segments into calls of bounded work: (start, end, first, last)."""
        steps = plan.segments["count"] + (plan.segments["rest"] > 0.0)
        whole = max(1, int(steps.sum())) * self._cost
        blocks = max(1, _WORK // whole)
        cuts = [0]
        if whole > _WORK:
            budget = _WORK // self._cost
            sums = np.cumsum(steps)
            marks = np.searchsorted(sums, np.arange(budget, int(sums[-1]) + budget, budget), side="left") + 1
            cuts += sorted({int(min(mark, len(steps))) for mark in marks})
        if cuts[-1] != len(steps):
            cuts.append(len(steps))
        return [
            (a, min(end, a + blocks * self.width), first, last)
            for a in range(start, end, blocks * self.width)
            for first, last in pairwise(cuts)
        ]
