"""Rollouts on an NVIDIA GPU: one member per thread (cuda_rollout.cu), through CuPy."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import casadi
import numpy as np

from dalembert.compile.cuda import BLOCK, CudaSource, Precision, emit_cuda, import_cupy, load_entry
from dalembert.compile.tape import row_major
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.engine.collide.worlds import WorldImage, device_text, world_image
from dalembert.engine.methods.constraints import ConstraintMethod, Projection
from dalembert.engine.problem.problem import Problem
from dalembert.engine.rollout.forms import CUDA_ROLLOUT
from dalembert.engine.sampling import Schedule
from dalembert.simulation.methods import METHODS
from dalembert.simulation.rollout.contacts import collider_macros
from dalembert.simulation.rollout.desk import Desk, DeskRow, GpuDesk
from dalembert.simulation.rollout.events import leaves_threads, watched_problem
from dalembert.simulation.rollout.measures import Measures
from dalembert.simulation.rollout.members import Members, RolloutEngine
from dalembert.simulation.rollout.plan import Plan, rollout_macros
from dalembert.simulation.rollout.tapes import constraint_macros, outside_modes, rollout_tapes, solves_on_tape

__all__ = ["CudaRollout", "rollout_source"]

_NOTHING: Any = np.uintp(0)
"""The null address."""
_PATIENCE = 0.05
_SAMPLES, _SAMPLES_AND_LEAVES = 1, 2  # launches that only sample, as in cuda_rollout.cu
_STACK_SIZE = 0  # cudaLimitStackSize
_STACK = 56 << 10
"""Bytes of local arrays of the functions below the entry, with colliders: EPA alone has 24 kB, manifolds 10 kB,
lists of contacts 7 kB."""
_TRIES = 1000
"""Adaptive steps of a launch: some tens of milliseconds, after which an interrupt is seen."""


def rollout_source(
    problem: Problem,
    method: str,
    measures: Measures | None = None,
    schedule: Schedule | None = None,
    way: ConstraintMethod | None = None,
    options: Mapping[str, float] | None = None,
) -> CudaSource:
    """Write the time loop of a problem as CUDA C."""
    way = Projection() if way is None else way
    if problem.constrained is not None and not solves_on_tape(way):
        raise InputError(
            f"a GPU keeps constraints by methods that are solved on the tape (projection, baumgarte), got {way.name!r} "
            f"for machine {problem.name!r}; leave out device='cuda' for a rollout on the processor"
        )
    implicit = METHODS[method].implicit
    if implicit and problem.constrained is not None:
        raise InputError(
            f"a GPU takes implicit steps of machines without constraints, and machine {problem.name!r} has some: use "
            "device='cpu'"
        )
    watching = leaves_threads(problem, method)
    problem = watched_problem(problem) if watching else problem
    ode, others = rollout_tapes(problem, way, watching=watching, implicit=implicit)
    macros: dict[str, object] = {**rollout_macros(problem, method, options)}
    macros |= {**constraint_macros(problem, way, watching=watching), "N_MEASURES": 0, "N_UPDATES": 0}
    image = _image(problem)
    if image is not None and problem.stepping is not None:
        macros |= collider_macros(problem.stepping, len(image.words))
    further = {name: row_major(f) for name, f in others.items()}
    if measures is not None:
        further["MEASURE"] = row_major(measures.function)
        macros |= {"N_MEASURES": len(measures), "EVERY": int(measures.every)}
        macros["KINDS"] = ", ".join(map(str, measures.kinds.tolist()))
        for name, times in (("SINCE", measures.since), ("UNTIL", measures.until)):
            macros[name] = ", ".join(repr(float(np.clip(t, -1e300, 1e300))) for t in times)
    if schedule is not None:
        statements = []
        for k, update in enumerate(schedule.updates):
            if not isinstance(update.function, casadi.Function):
                raise InputError(f"{update.name!r} is a routine in C, which GPUs do not run: use device='cpu'")
            further[f"UPDATE{k}"] = row_major(update.function)
            even = update.noise + update.noise % 2
            drawn = f"draw(seed, number, {update.stream}u, (uint64_t)due[{k}], {even}, noise);"
            put = " ".join(f"c[{row}] = new_[{j}];" for j, row in enumerate(update.rows))
            statements.append(f"if (due[{k}] >= 0) {{ {drawn} UPDATE{k}(in, out, w) {put} }}")
        macros |= {"N_UPDATES": len(schedule.updates), "UPDATES": " ".join(statements)}
        macros["MOST_NOISE"] = max(update.noise + update.noise % 2 for update in schedule.updates)
        macros["MOST_UPDATED"] = max(len(update.rows) for update in schedule.updates)
    source = emit_cuda(row_major(ode), form=CUDA_ROLLOUT, macros=macros, further=further, entry="rollout")
    return source if image is None else replace(source, text=device_text() + source.text)


def _image(problem: Problem) -> WorldImage | None:
    """Memory of the steps of a member with colliders; None without them."""
    system = problem.stepping
    if system is None or system.colliders is None:
        return None
    if system.pairs is not None:
        raise InputError(
            f"machine {problem.name!r} has colliders beside {len(system.pairs)} declared contacts, cables and joints, "
            "too many for a GPU: use device='cpu', or colliders in place of the contacts"
        )
    return world_image(system, problem.n_states)


class _Paces:
    """Steps that members choose, on the GPU: arguments of an adaptive time loop."""

    def __init__(self, cupy: Any, members: Members, dtype: np.dtype[Any]) -> None:
        pacing, n = members.pacing, len(members.x)
        assert pacing is not None and members.pace is not None
        self.pace = cupy.asarray(members.pace.T, order="C")
        self.reached = cupy.full(n, np.nan)
        self._going = cupy.zeros(1, dtype=cupy.int32)
        self.arguments = (
            cupy.asarray(pacing.atol),
            *map(np.float64, (pacing.rtol, pacing.max_step, pacing.max_steps, pacing.t_end)),
            *(self.pace, self.reached, cupy.empty((members.x.shape[1], n), dtype=dtype), np.int64(_TRIES), self._going),
        )

    def going(self) -> bool:
        """Whether some members have not reached the end of the segment; they have to continue."""
        going = bool(self._going.get()[0])
        self._going.fill(0)
        return going


def _make_stack(cupy: Any, entry: Any) -> None:
    """Give threads memory for the local arrays of all functions that call each other; the entry knows its own alone."""
    runtime, needed = cupy.cuda.runtime, int(entry.local_size_bytes) + _STACK
    if runtime.deviceGetLimit(_STACK_SIZE) < needed:
        runtime.deviceSetLimit(_STACK_SIZE, needed)


class _Worlds:
    """Memory of the steps of n members with colliders, on the GPU."""

    def __init__(self, cupy: Any, image: WorldImage, n: int) -> None:
        self._shared = cupy.asarray(image.shared)
        try:
            self.words = cupy.empty((n, len(image.words)), dtype=cupy.int64)
        except cupy.cuda.memory.OutOfMemoryError as error:
            raise InputError(
                f"{n} members with colliders need {image.words.nbytes * n / 1e9:.3g} GB of GPU memory, "
                f"{image.words.nbytes / 1e6:.3g} MB each: simulate fewer members at a time ({error})"
            ) from error
        at = [array.__cuda_array_interface__["data"][0] for array in (self.words, self._shared)]
        self.words[:] = cupy.asarray(image.wired(*at))
        further = self.words.strides[0] * cupy.asarray(np.arange(n))
        for word in image.inner[:, 0].tolist():
            self.words[:, word] += further


class _Flight:
    """All members on the GPU, and the launches that take them over the segments of a plan.

    Parameters
    ----------
    cupy, entry, dtype
        CuPy, the compiled time loop and its numbers.
    plan, members
        The steps and the members.
    desk
        Where members are taken that leave their threads; None if none does.
    image
        Memory of the steps of each member, where there are colliders.
    """

    def __init__(
        self,
        cupy: Any,
        entry: Any,
        dtype: np.dtype[Any],
        plan: Plan,
        members: Members,
        desk: Desk | None,
        image: WorldImage | None = None,
    ) -> None:
        n = len(members.x)
        self._cupy, self._entry, self._dtype = cupy, entry, dtype
        self._plan, self._members, self._desk = plan, members, desk
        self._grid = ((n + BLOCK - 1) // BLOCK,), (BLOCK,)
        self.state = self.columns(members.x)
        self.start = self.state.copy()
        self._held, self._parameters = self._table(members.held), self._table(members.p)
        self._clock = _NOTHING if members.clock is None else cupy.asarray(members.clock)
        memory = members.measured
        self._values = _NOTHING if memory is None else self.columns(memory.reshape(n, -1))
        self.flags, self._times = cupy.zeros(n, dtype=cupy.int32), cupy.zeros(n)
        self._record = cupy.empty((members.rows.shape[1] - 1, members.rows.shape[2], n), dtype=dtype)
        self._numbers = _NOTHING
        self._held_record: Any = None
        if members.held_rows is not None and members.numbers is not None:
            self._numbers, self._instants = cupy.asarray(members.numbers), cupy.asarray(plan.instants)
            shape = members.held_rows.shape[1], members.held.shape[1], n
            self._held_record = cupy.full(shape, np.nan, dtype=dtype)
        self._paces = None if members.pacing is None else _Paces(cupy, members, dtype)
        self._looks = members.measured is not None
        self._left = None
        if desk is not None and members.watched is not None:
            self._left = GpuDesk(cupy, desk, self.columns(members.watched), n)
        self._worlds = None if image is None else _Worlds(cupy, image, n)

    def _launch(
        self, segment: np.void, due: Any = _NOTHING, holds: Any = (_NOTHING, _NOTHING), *, samples: int = 0
    ) -> None:
        row = int(segment["row"])
        target = self._record[row - 1] if row >= 0 else _NOTHING
        steps = (segment["anchor"], segment["h"], segment["first"], segment["count"], segment["rest"])
        state = (np.int64(len(self._members.x)), self.state, *self._held, *self._parameters, self._clock)
        self._entry(
            *self._grid,
            (
                *(*state, *steps, self.flags, self._times, target, self._values),
                *(due, np.uint64(self._members.seed), self._numbers, *holds),
                *(() if self._paces is None else self._paces.arguments),
                *(() if self._left is None else self._left.arguments(samples=samples)),
                *(() if self._worlds is None else (self._worlds.words,)),
            ),
        )

    def _due(self, segment: np.void) -> Any:
        return self._instants[int(segment["sample"])] if segment["sample"] >= 0 else _NOTHING

    def begin(self, segment: np.void) -> None:
        """Let members begin whose events have to be armed; samples at the start are taken before."""
        members, n_held = self._members, self._members.held.shape[-1]
        if self._desk is None or self._left is None or members.watched is None:
            return
        held = members.held
        if self._held_record is not None and segment["sample"] >= 0:
            self._launch(segment, self._due(segment), samples=_SAMPLES)
            held = self._held[0][:n_held].T.get().astype(np.float64)
        self._desk.begin(segment, held)
        self.state, self._left.watched = self.columns(members.x), self.columns(members.watched)
        self.flags = self._cupy.asarray(members.status, dtype=self._cupy.int32)
        self._times = self._cupy.asarray(members.failed_at)
        if self._paces is not None and members.pace is not None:
            self._paces.pace[:] = self._cupy.asarray(members.pace.T)

    def over(self, number: int, proceeds: Callable[[int], bool]) -> bool:
        """Take all members over a segment; False if some are not at its end, because the rollout is to be stopped.

        ``proceeds`` is asked between launches, with the number of segments that are done.
        """
        segment = self._plan.segments[number]
        due, holds, row = _NOTHING, (_NOTHING, _NOTHING), int(segment["row"])
        if self._held_record is not None:
            begin = int(segment["begin"]) if segment["sample"] >= 0 else -1
            due = self._due(segment) if number or self._left is None else _NOTHING  # else sampled to begin
            holds = tuple(self._held_record[k] if k >= 0 else _NOTHING for k in (begin, row))
        if self._paces is not None:
            self._paces.reached.fill(np.nan)
        if self._left is not None and due is not _NOTHING and (begin >= 0 or self._looks):
            due, holds = self._sampled(segment, due, holds, begin)
        self._launch(segment, due, holds)
        holds = _NOTHING, holds[1]  # set anew at the start, not when members continue
        while True:
            going = self._paces is not None and self._paces.going()
            back = self._left is not None and self._left.take(segment)
            if not proceeds(number + 1 - (going or back)) or not (going or back):
                return not (going or back)
            if back:
                self._launch(segment, holds=holds)
            if going:
                self._launch(segment, holds=holds)

    def _sampled(self, segment: np.void, due: Any, holds: Any, begin: int) -> tuple[Any, Any]:
        """Sample at the start of a segment and make the transitions that follow at once; its row shows them."""
        assert self._left is not None
        self._launch(segment, due, (holds[0], _NOTHING), samples=_SAMPLES_AND_LEAVES)
        which, x, signs = self._left.sampled(segment)
        if len(which):
            self.state[:, which], self._left.watched[:, which] = x, signs
            if begin > 0:
                self._record[begin - 1][:, which] = x
        return _NOTHING, (_NOTHING, holds[1])

    def synchronize(self) -> None:
        """Wait for the launches."""
        self._cupy.cuda.get_current_stream().synchronize()

    def fetch(self, reached: int) -> None:
        """Bring back the states and status of the members, of whose record ``reached`` rows are written."""
        members = self._members
        x, rows = members.x, members.rows
        self._bring(self.state, x)
        members.status[:], members.failed_at[:] = self.flags.get(), self._times.get()
        members.done[:] = reached
        ended = reached == rows.shape[1] and int(self._plan.segments["row"][-1]) == reached - 1
        between = reached - ended  # the last row is in the states, and need not be fetched
        if between > 1:
            rows[:, 1:between] = self._record[: between - 1].transpose(2, 0, 1).get()
        if ended:
            rows[:, -1] = x
            rows[members.status != 0, -1] = np.nan
        if members.held_rows is not None:
            members.held_rows[:] = self._held_record.transpose(2, 0, 1).get()
            members.held[:] = self._held[0][: members.held.shape[1]].T.get()
        if members.watched is not None and self._left is not None:
            members.watched[:] = self._left.watched.T.get()
        if members.pace is not None and self._paces is not None:
            members.pace[:] = self._paces.pace.T.get()
        if members.measured is not None:
            members.measured[:] = self._values.T.get().reshape(members.measured.shape)

    def columns(self, values: Array) -> Any:
        """Rows of the members as columns; the GPU turns them: the processor would take longer than the transfer."""
        return self._cupy.ascontiguousarray(self._cupy.asarray(values, dtype=self._dtype).T)

    def _bring(self, columns: Any, rows: Array) -> None:
        """Bring columns back as rows, into existing memory where possible."""
        turned = self._cupy.ascontiguousarray(columns.T)
        if rows.flags.c_contiguous and rows.dtype == turned.dtype:
            turned.get(out=rows)
        else:
            rows[:] = turned.get()

    def _table(self, values: Array) -> tuple[Any, np.int64, np.int64]:
        """Numbers of all members, or of each, on the GPU, with their strides."""
        if values.ndim == 1:
            return self._cupy.asarray(np.append(values, 0.0), dtype=self._dtype), np.int64(1), np.int64(0)
        padded = np.hstack([values, np.zeros((len(values), 1))])  # an array of nothing has no address
        return self.columns(padded), np.int64(len(values)), np.int64(1)


class CudaRollout:
    """The time loop of a problem on a GPU; see `LaneRollout`.

    Parameters
    ----------
    problem
        Its terminal events stop members; those that change members are watched.
    method
        Name of the method.
    precision, fast_math
        As in `dalembert.compile.compile_cuda`.
    measures, schedule, way
        As in `LaneRollout`.
    options
        As in `LaneRollout`.
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
        options: Mapping[str, float] | None = None,
    ) -> None:
        if METHODS[method].implicit and precision == "float":
            raise InputError(f"method {method!r} iterates in double precision on a GPU, got precision='float'")
        self._image = _image(problem)
        if self._image is not None and precision == "float":
            raise InputError(f"machine {problem.name!r} has colliders, which need double precision, got 'float'")
        self._cupy = import_cupy()
        self._beside = beside
        self._watched = watched_problem(problem) if leaves_threads(problem, method) else None
        self._measures = measures
        self.source = rollout_source(problem, method, measures, schedule, way, options)
        self._dtype = np.dtype(np.float64 if precision == "double" else np.float32)
        self._entry = load_entry(self._cupy, self.source, precision, fast_math, BLOCK)
        if self._image is not None:
            _make_stack(self._cupy, self._entry)

    def run(self, plan: Plan, members: Members, *, threads: int, proceed: Callable[[float], bool]) -> None:
        """Integrate all members; see `RolloutEngine`."""
        before = members.held.copy(), None if members.measured is None else members.measured.copy()
        desk = self._desk(members, threads)
        flight = _Flight(self._cupy, self._entry, self._dtype, plan, members, desk, self._image)
        reached, looked, go_on = 1, time.monotonic(), True

        def proceeds(done: int) -> bool:
            nonlocal looked, go_on
            if time.monotonic() - looked > _PATIENCE:
                flight.synchronize()
                looked = time.monotonic()
                go_on = proceed(done / len(plan.segments))
            return go_on

        try:
            flight.begin(plan.segments[0])
            for k, segment in enumerate(plan.segments):
                there = flight.over(k, proceeds)
                reached = max(reached, int(segment["row"]) + 1) if there else reached
                if not go_on:
                    break
        finally:
            if desk is not None:
                desk.close()
        flight.fetch(reached)
        again = np.flatnonzero(members.status == -1)
        if len(again) and self._beside is not None:
            some = members.some(again, flight.start.T[again].get().astype(np.float64), *before)
            self._beside().run(plan, some, threads=threads, proceed=proceed)
            members.put(again, some)

    def _desk(self, members: Members, threads: int) -> Desk | None:
        """Where members are taken that leave their threads."""
        problem = self._watched
        if problem is None:
            return None
        n_pace = 0 if members.pace is None else members.pace.shape[1]
        n_measures = 0 if self._measures is None else len(self._measures)
        row = DeskRow(problem.n_states, len(problem.event_specs), len(problem.held_names), n_pace, n_measures)
        looks = self._measures is not None and bool(self._measures.every)
        modes = [] if looks or problem.constrained is None else outside_modes(problem.constrained)
        return Desk(members, row, np.array(modes, dtype=np.int64), threads)

    def bind(self, plan: Plan, members: Members, *, threads: int) -> Callable[[], None]:
        """Return a function that runs the same plan again; see `RolloutEngine`."""
        return lambda: self.run(plan, members, threads=threads, proceed=lambda fraction: True)
