"""Rollouts on an NVIDIA GPU: one member per thread (cuda_rollout.cu), through CuPy."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from dalembert.compile.cuda import BLOCK, CudaSource, Precision, emit_cuda, import_cupy, load_entry
from dalembert.compile.forms import CUDA_ROLLOUT
from dalembert.compile.tape import row_major
from dalembert.simulation.problem import Problem
from dalembert.simulation.rollout.members import Members
from dalembert.simulation.rollout.plan import Plan, rollout_macros

__all__ = ["CudaRollout", "rollout_source"]

_PATIENCE = 0.05


def rollout_source(problem: Problem, method: str) -> CudaSource:
    """Write the time loop of a problem as CUDA C."""
    macros = rollout_macros(problem, method)
    return emit_cuda(row_major(problem.ode), form=CUDA_ROLLOUT, macros=macros, entry="rollout")


class CudaRollout:
    """The time loop of a problem on a GPU; see `LaneRollout`.

    Parameters
    ----------
    problem
        Without events and constraints.
    method
        Name of a fixed-step method.
    precision, fast_math
        As of `dalembert.compile.compile_cuda`.
    """

    backend = "cuda"

    def __init__(self, problem: Problem, method: str, precision: Precision = "double", fast_math: bool = False) -> None:
        self._cupy = import_cupy()
        self.source = rollout_source(problem, method)
        self._dtype = np.dtype(np.float64 if precision == "double" else np.float32)
        self._entry = load_entry(self._cupy, self.source, precision, fast_math, BLOCK)

    def run(self, plan: Plan, members: Members, *, threads: int, proceed: Callable[[float], bool]) -> None:
        """Integrate all members; see `RolloutEngine`."""
        x, p, rows = members.x, members.p, members.rows
        cupy, n = self._cupy, len(x)
        state = cupy.asarray(x.T, dtype=self._dtype, order="C")
        c = cupy.asarray(np.append(members.held, 0.0), dtype=self._dtype)
        parameters: Any = cupy.asarray(p.T if p.ndim == 2 else np.append(p, 0.0), dtype=self._dtype, order="C")
        p_strides = (np.int64(n), np.int64(1)) if p.ndim == 2 else (np.int64(1), np.int64(0))
        flags, times = cupy.zeros(n, dtype=cupy.int32), cupy.zeros(n)
        record = cupy.empty((rows.shape[1] - 1, rows.shape[2], n), dtype=self._dtype)
        grid, block = ((n + BLOCK - 1) // BLOCK,), (BLOCK,)
        reached, looked = 1, time.monotonic()
        for k, segment in enumerate(plan.segments):
            row = int(segment["row"])
            target = record[row - 1] if row >= 0 else np.uintp(0)
            self._entry(
                grid,
                block,
                (
                    *(np.int64(n), state, c, parameters, *p_strides),
                    *(np.float64(segment["anchor"]), np.float64(segment["h"]), np.int64(segment["first"])),
                    *(np.int64(segment["count"]), np.float64(segment["rest"]), flags, times, target),
                ),
            )
            reached = max(reached, row + 1)
            if time.monotonic() - looked > _PATIENCE:
                cupy.cuda.get_current_stream().synchronize()
                looked = time.monotonic()
                if not proceed((k + 1) / len(plan.segments)):
                    break
        x[:] = state.T.get()
        members.status[:], members.failed_at[:], members.done[:] = flags.get(), times.get(), reached
        rows[:, 1:reached] = record[: reached - 1].transpose(2, 0, 1).get()
