"""Rollouts on an NVIDIA GPU: one member per thread (cuda_rollout.cu), through CuPy."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import casadi
import numpy as np

from dalembert.compile.cuda import BLOCK, CudaSource, Precision, emit_cuda, import_cupy, load_entry
from dalembert.compile.forms import CUDA_ROLLOUT
from dalembert.compile.tape import row_major
from dalembert.core.types import Array
from dalembert.simulation.constrained.methods import ConstraintMethod, Projection
from dalembert.simulation.problem import Problem
from dalembert.simulation.rollout.events import check_processor, goes_alone, watches
from dalembert.simulation.rollout.measures import Measures
from dalembert.simulation.rollout.members import Members, RolloutEngine
from dalembert.simulation.rollout.plan import Plan, rollout_macros
from dalembert.simulation.rollout.stops import terminal_events
from dalembert.simulation.rollout.tapes import constraint_macros, rollout_tapes, solves_on_tape
from dalembert.simulation.sampling import Schedule

__all__ = ["CudaRollout", "rollout_source"]

_PATIENCE = 0.05
_TRIES = 1000
"""Adaptive steps of a launch: some tens of milliseconds, after which an interrupt is seen."""


def rollout_source(
    problem: Problem,
    method: str,
    measures: Measures | None = None,
    schedule: Schedule | None = None,
    way: ConstraintMethod | None = None,
) -> CudaSource:
    """Write the time loop of a problem as CUDA C."""
    way = Projection() if way is None else way
    if watches(problem) or goes_alone(problem, method, solves_on_tape(way)):
        check_processor(problem, "cuda")
    ode, others = rollout_tapes(problem, way)
    macros: dict[str, object] = {**rollout_macros(problem, method), **constraint_macros(problem, way)}
    macros |= {"N_MEASURES": 0, "N_UPDATES": 0, "N_EVENTS": 0}
    further = {name: row_major(f) for name, f in others.items()}
    stops = terminal_events(problem)
    if stops is not None:
        further["EVENTS"] = row_major(stops.function)
        macros |= {"N_EVENTS": len(stops), "DIRECTIONS": ", ".join(map(str, stops.directions.tolist()))}
    if measures is not None:
        further["MEASURE"] = row_major(measures.function)
        macros |= {"N_MEASURES": len(measures), "EVERY": int(measures.every)}
        macros["KINDS"] = ", ".join(map(str, measures.kinds.tolist()))
        for name, times in (("SINCE", measures.since), ("UNTIL", measures.until)):
            macros[name] = ", ".join(repr(float(np.clip(t, -1e300, 1e300))) for t in times)
    if schedule is not None:
        statements = []
        for k, update in enumerate(schedule.updates):
            assert isinstance(update.function, casadi.Function)
            further[f"UPDATE{k}"] = row_major(update.function)
            even = update.noise + update.noise % 2
            drawn = f"draw(seed, number, {update.stream}u, (uint64_t)due[{k}], {even}, noise);"
            put = " ".join(f"c[{row}] = new_[{j}];" for j, row in enumerate(update.rows))
            statements.append(f"if (due[{k}] >= 0) {{ {drawn} UPDATE{k}(in, out, w) {put} }}")
        macros |= {"N_UPDATES": len(schedule.updates), "UPDATES": " ".join(statements)}
        macros["MOST_NOISE"] = max(update.noise + update.noise % 2 for update in schedule.updates)
        macros["MOST_ROWS"] = max(len(update.rows) for update in schedule.updates)
    return emit_cuda(row_major(ode), form=CUDA_ROLLOUT, macros=macros, further=further, entry="rollout")


class _Paces:
    """Steps that members choose, on the GPU: the last arguments of an adaptive time loop."""

    def __init__(self, cupy: Any, members: Members, dtype: np.dtype[Any]) -> None:
        pacing, n = members.pacing, len(members.x)
        assert pacing is not None and members.pace is not None
        self.pace = cupy.asarray(members.pace.T, order="C")
        self.reached = cupy.empty(n)
        self._going = cupy.zeros(1, dtype=cupy.int32)
        self.arguments = (
            cupy.asarray(pacing.atol),
            *map(np.float64, (pacing.rtol, pacing.max_step, pacing.max_steps, pacing.t_end)),
            *(self.pace, self.reached, cupy.empty((members.x.shape[1], n), dtype=dtype), np.int64(_TRIES), self._going),
        )

    def going(self) -> bool:
        """Whether some members have not reached the end of the segment; they have to go on."""
        going = bool(self._going.get()[0])
        self._going.fill(0)
        return going


class CudaRollout:
    """The time loop of a problem on a GPU; see `LaneRollout`.

    Parameters
    ----------
    problem
        Its terminal events stop members; others are not looked at.
    method
        Name of the method.
    precision, fast_math
        As of `dalembert.compile.compile_cuda`.
    measures, schedule, way
        As of `LaneRollout`.
    beside
        Makes a time loop that simulates again those members whose constraints depend on each other on the way, or whose
        contacts have to be swept.
    """

    backend = "cuda"

    def __init__(
        self,
        problem: Problem,
        method: str,
        precision: Precision = "double",
        fast_math: bool = False,
        measures: Measures | None = None,
        schedule: Schedule | None = None,
        way: ConstraintMethod | None = None,
        beside: Callable[[], RolloutEngine] | None = None,
    ) -> None:
        self._cupy = import_cupy()
        self._beside = beside
        self.source = rollout_source(problem, method, measures, schedule, way)
        self._dtype = np.dtype(np.float64 if precision == "double" else np.float32)
        self._entry = load_entry(self._cupy, self.source, precision, fast_math, BLOCK)

    def run(self, plan: Plan, members: Members, *, threads: int, proceed: Callable[[float], bool]) -> None:
        """Integrate all members; see `RolloutEngine`."""
        x, rows, memory = members.x, members.rows, members.measured
        before = members.held.copy(), None if memory is None else memory.copy()
        cupy, n = self._cupy, len(x)
        state = self._columns(x)
        start = state.copy()
        held, parameters = self._table(members.held), self._table(members.p)
        nothing = np.uintp(0)
        clock = nothing if members.clock is None else cupy.asarray(members.clock)
        values: Any = nothing
        if memory is not None:
            values = self._columns(memory.reshape(n, -1))
        flags, times = cupy.zeros(n, dtype=cupy.int32), cupy.zeros(n)
        record = cupy.empty((rows.shape[1] - 1, rows.shape[2], n), dtype=self._dtype)
        signs: Any = nothing
        if members.signs is not None:
            signs = self._columns(members.signs)
        numbers: Any = nothing
        instants: Any = None
        due: Any = nothing
        holds: tuple[Any, ...] = (nothing, nothing)
        held_record: Any = None
        if members.held_rows is not None and members.numbers is not None:
            numbers, instants = cupy.asarray(members.numbers), cupy.asarray(plan.instants)
            held_record = cupy.full((members.held_rows.shape[1], members.held.shape[1], n), np.nan, dtype=self._dtype)
        grid, block = ((n + BLOCK - 1) // BLOCK,), (BLOCK,)
        reached, looked, proceeds = 1, time.monotonic(), True
        paces = None if members.pacing is None else _Paces(cupy, members, self._dtype)
        for k, segment in enumerate(plan.segments):
            row = int(segment["row"])
            target = record[row - 1] if row >= 0 else nothing
            if held_record is not None:
                begin = int(segment["begin"]) if segment["sample"] >= 0 else -1
                due = instants[int(segment["sample"])] if segment["sample"] >= 0 else nothing
                holds = tuple(held_record[k] if k >= 0 else nothing for k in (begin, row))
            steps = (segment["anchor"], segment["h"], segment["first"], segment["count"], segment["rest"])
            if paces is not None:
                paces.reached.fill(np.nan)
            while True:
                self._entry(
                    grid,
                    block,
                    (
                        *(np.int64(n), state, *held, *parameters, clock, *steps, flags, times, target, values),
                        *(due, np.uint64(members.seed), numbers, *holds, signs),
                        *(() if paces is None else paces.arguments),
                    ),
                )
                going = paces is not None and paces.going()
                if time.monotonic() - looked > _PATIENCE:
                    cupy.cuda.get_current_stream().synchronize()
                    looked = time.monotonic()
                    proceeds = proceed((k + 1 - going) / len(plan.segments))
                if not (going and proceeds):
                    break
                due, holds = nothing, (nothing, holds[1])  # set anew at the start, not when members go on
            reached = reached if going else max(reached, row + 1)
            if not proceeds:
                break
        self._fetch(state, x)
        members.status[:], members.failed_at[:], members.done[:] = flags.get(), times.get(), reached
        ended = reached == rows.shape[1] and int(plan.segments["row"][-1]) == reached - 1
        between = reached - ended  # the last row is in the states, and need not be fetched
        if between > 1:
            rows[:, 1:between] = record[: between - 1].transpose(2, 0, 1).get()
        if ended:
            rows[:, -1] = x
            rows[members.status != 0, -1] = np.nan
        if held_record is not None and members.held_rows is not None:
            members.held_rows[:] = held_record.transpose(2, 0, 1).get()
            members.held[:] = held[0][: members.held.shape[1]].T.get()
        if members.signs is not None:
            members.signs[:] = signs.T.get()
        if paces is not None and members.pace is not None:
            members.pace[:] = paces.pace.T.get()
        if memory is not None:
            memory[:] = values.T.get().reshape(memory.shape)
        again = np.flatnonzero(members.status == -1)
        if len(again) and self._beside is not None:
            some = members.some(again, start.T[again].get().astype(np.float64), *before)
            self._beside().run(plan, some, threads=threads, proceed=proceed)
            members.put(again, some)

    def bind(self, plan: Plan, members: Members, *, threads: int) -> Callable[[], None]:
        """Return what runs the same plan again; see `RolloutEngine`."""
        return lambda: self.run(plan, members, threads=threads, proceed=lambda fraction: True)

    def _columns(self, values: Array) -> Any:
        """Rows of the members as columns; the GPU turns them: the processor would take longer than the transfer."""
        return self._cupy.ascontiguousarray(self._cupy.asarray(values, dtype=self._dtype).T)

    def _fetch(self, columns: Any, rows: Array) -> None:
        """Bring columns back as rows, where they can into the memory that is there."""
        turned = self._cupy.ascontiguousarray(columns.T)
        if rows.flags.c_contiguous and rows.dtype == turned.dtype:
            turned.get(out=rows)
        else:
            rows[:] = turned.get()

    def _table(self, values: Array) -> tuple[Any, np.int64, np.int64]:
        """Numbers of all members, or of each, on the GPU, with their strides."""
        cupy = self._cupy
        if values.ndim == 1:
            return cupy.asarray(np.append(values, 0.0), dtype=self._dtype), np.int64(1), np.int64(0)
        padded = np.hstack([values, np.zeros((len(values), 1))])  # an array of nothing has no address
        return self._columns(padded), np.int64(len(values)), np.int64(1)
