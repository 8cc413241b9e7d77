"""Rollouts on the processor: members in SIMD lanes and threads (lanes_rollout.c)."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np
from casadi import Function
from numpy.typing import NDArray

from dalembert.compile.batch import run_threads
from dalembert.compile.build import Toolchain
from dalembert.compile.native import load_form, load_lanes, symbol_of
from dalembert.compile.routine import Routine, load_routine
from dalembert.compile.tape import row_major
from dalembert.core.types import Array
from dalembert.engine.collide.articulated import native_steps
from dalembert.engine.constraints.native import NativeConstrained
from dalembert.engine.kernels import problem_kernels
from dalembert.engine.methods.constraints import ConstraintMethod, Projection
from dalembert.engine.problem.problem import Problem
from dalembert.engine.rollout.forms import LANES_ROLLOUT, LANES_STEPPING
from dalembert.engine.sampling import Schedule
from dalembert.simulation.methods import METHODS, RK4
from dalembert.simulation.rollout.events import ThreadSteps, goes_alone, watched_problem, watches
from dalembert.simulation.rollout.measures import Measures
from dalembert.simulation.rollout.members import Members
from dalembert.simulation.rollout.plan import Plan, rollout_macros
from dalembert.simulation.rollout.stops import terminal_events
from dalembert.simulation.rollout.tapes import constraint_macros, rollout_tapes, solves_on_tape

__all__ = ["LaneRollout"]

_WORK = 30_000_000
"""Operations of one call into native code: some tens of milliseconds, after which an interrupt is seen."""
_LEAST = 1_000_000
"""Operations for which it is worth to go to another core."""
_SHARES = 16
"""Pieces of a thread: the last ones wait for each other for a sixteenth of their time at most."""

_INT, _POINTER = ctypes.c_int64, ctypes.c_void_p


class _Rollout(ctypes.Structure):
    """``struct rollout`` of lanes_rollout.c."""

    _fields_ = (
        ("n", _INT),
        ("state", _POINTER),
        ("held", _POINTER),
        ("held_stride", _INT),
        ("parameters", _POINTER),
        ("p_stride", _INT),
        ("clock", _POINTER),
        ("n_segments", _INT),
        ("segments", _POINTER),
        ("status", _POINTER),
        ("failed_at", _POINTER),
        ("rows", _POINTER),
        ("n_rows", _INT),
        ("n_measures", _INT),
        ("every", _INT),
        ("measure", _POINTER),
        ("kinds", _POINTER),
        ("since", _POINTER),
        ("until", _POINTER),
        ("values", _POINTER),
        ("n_updates", _INT),
        ("updates", _POINTER),
        ("instants", _POINTER),
        ("seed", ctypes.c_uint64),
        ("number", _POINTER),
        ("held_rows", _POINTER),
        ("dynamics", _POINTER),
        ("project", _POINTER),
        ("step", _POINTER),
        ("context", _POINTER),
        ("member", _POINTER),
        ("n_events", _INT),
        ("events", _POINTER),
        ("directions", _POINTER),
        ("events_work", _POINTER),
        ("atol", _POINTER),
        *((name, ctypes.c_double) for name in ("rtol", "max_step", "max_steps", "t_end")),
        ("pace", _POINTER),
        *((name, _POINTER) for name in ("fresh", "watched", "begin", "sampled", "outside", "steps")),
        ("first", _INT),
        ("most_noise", _INT),
        ("most_rows", _INT),
        ("work", _POINTER),
        ("measure_work", _POINTER),
        ("sample_work", _POINTER),
    )


class _Update(ctypes.Structure):
    """``struct update`` of lanes_rollout.c."""

    _fields_ = (
        ("function", _POINTER),
        ("n_rows", _INT),
        ("rows", _POINTER),
        ("n_noise", _INT),
        ("stream", _INT),
    )


class _Updates:
    """Sampled elements, in lanes: each update is a separate library."""

    def __init__(self, schedule: Schedule, toolchain: Toolchain) -> None:
        updates = schedule.updates
        codes = [_block(u.function, toolchain) for u in updates]
        self._codes = [code for code, _, _ in codes]
        self._rows = [np.array(u.rows, dtype=np.int64) for u in updates]
        self.most_noise = max((u.noise + u.noise % 2 for u in updates), default=0)
        self.most_rows = max((len(u.rows) for u in updates), default=0)
        self.most_work = max((n_work for _, _, n_work in codes), default=0)
        self.table = (_Update * len(updates))(
            *(
                _Update(address, len(rows), rows.ctypes.data, u.noise + u.noise % 2, u.stream)
                for (_, address, _), rows, u in zip(codes, self._rows, updates, strict=True)
            )
        )


def _block(function: object, toolchain: Toolchain) -> tuple[object, int, int]:
    """Code of an update in lanes, the address of its block, and the doubles of its work array."""
    if isinstance(function, Routine):
        routine = load_routine(function, "native")
        return routine, routine.block_address, routine.n_block
    assert isinstance(function, Function)
    lanes = load_lanes(row_major(function), toolchain)
    return lanes, lanes.block_address, lanes.n_work


class LaneRollout:
    """The compiled time loop of a problem.

    Parameters
    ----------
    problem
        Its terminal events stop members; others are not looked at.
    method
        Name of the method.
    toolchain
        The compiler.
    measures
        Measured quantities; a separate library, so that other measures leave the time loop unchanged.
    schedule
        Sampled elements, all of them native; likewise.
    way
        How constraints are kept, if there are any.
    options
        Settings that the method alone has, if its steps are implicit.
    """

    backend = "lanes"

    def __init__(
        self,
        problem: Problem,
        method: str,
        toolchain: Toolchain,
        measures: Measures | None = None,
        schedule: Schedule | None = None,
        way: ConstraintMethod | None = None,
        options: Mapping[str, float] | None = None,
    ) -> None:
        way = Projection() if way is None else way
        alone = goes_alone(problem, method, solves_on_tape(way))
        problem = watched_problem(problem) if alone else problem
        ode, others = rollout_tapes(problem, way, alone=alone, implicit=METHODS[method].implicit)
        function, further = row_major(ode), {name: row_major(f) for name, f in others.items()}
        macros = rollout_macros(problem, method, options, alone=alone) | constraint_macros(problem, way, alone=alone)
        form = LANES_ROLLOUT if problem.stepping is None else LANES_STEPPING
        library = load_form(function, toolchain, form, macros, further)
        self._problem, self._way, self._alone = problem, way, alone
        self._scalars = None
        if problem.constrained is not None and not alone:
            self._scalars = problem_kernels(problem, "native", tapes=way.tapes).constrained_codes()
        self._steps = None
        if problem.stepping is not None:
            self._steps = problem_kernels(problem, "native").stepping_codes()
        symbol = symbol_of(function)
        self._library = library
        self._n_work = ctypes.c_long.in_dll(library, f"{symbol}_rollout_n_work").value
        self.width = ctypes.c_long.in_dll(library, f"{symbol}_rollout_width").value
        assert ctypes.c_long.in_dll(library, f"{symbol}_rollout_size").value == ctypes.sizeof(_Rollout)
        self._call = getattr(library, f"{symbol}_rollout")
        self._call.restype, self._call.argtypes = None, [_POINTER]
        self._cost = 4 * function.n_instructions() + 2 * sum(f.n_instructions() for f in further.values())
        if alone and problem.constrained is not None:
            self._cost += 20 * self.width * problem.constrained.tape.n_instructions()
        self._measures = measures
        self._adaptive = METHODS[method].adaptive
        self._stops = None if alone or watches(problem) else terminal_events(problem)
        if self._stops is not None:
            self._events = load_lanes(row_major(self._stops.function), toolchain)
        self._updates = None if schedule is None else _Updates(schedule, toolchain)
        if measures is not None:
            self._gauge = load_lanes(row_major(measures.function), toolchain)
            self._tables = measures.kinds, measures.since, measures.until
            self._cost += measures.function.n_instructions() if measures.every else 0

    def run(self, plan: Plan, members: Members, *, threads: int, proceed: Callable[[float], bool]) -> None:
        """Integrate all members; see `RolloutEngine`."""
        n, done = len(members.x), members.done
        pieces, cuts = self._pieces(n, plan, threads)
        threads = max(1, min(threads, len(pieces)))
        waiting, advanced = iter(pieces), [0] * threads
        taking, stop = threading.Lock(), threading.Event()
        total, highest = n * len(plan.segments), np.maximum.accumulate(plan.segments["row"]) + 1

        def work(k: int) -> None:
            loop, kept, outside = self._loop(members)
            reference = ctypes.addressof(loop)
            place = self._placing(loop, members)
            loop.instants = plan.instants.ctypes.data
            while True:
                with taking:
                    start, end = next(waiting, (n, n))
                if start == n:
                    break
                place(start, end)
                for first, last in cuts:
                    if stop.is_set():
                        return
                    loop.n_segments, loop.segments = last - first, plan.segments[first:].ctypes.data
                    self._call(reference)
                    if outside is not None:
                        outside.flush()
                    done[start:end] = max(1, int(highest[last - 1]))
                    advanced[k] += (end - start) * (last - first)
                    if k == 0 and not proceed(sum(advanced) / total):
                        stop.set()
            if outside is not None and members.outside is not None:
                members.outside.give_back(outside)
            del kept

        run_threads(work, threads, stop)

    def bind(self, plan: Plan, members: Members, *, threads: int) -> Callable[[], None]:
        """Return a function that runs the same plan again; see `RolloutEngine`.

        In one thread and one call, if that is short: the loop receives all addresses once.
        """
        pieces, cuts = self._pieces(len(members.x), plan, 1)
        if threads > 1 or len(pieces) * len(cuts) > 1:
            return lambda: self.run(plan, members, threads=threads, proceed=lambda fraction: True)
        loop, kept, _ = self._loop(members)
        self._placing(loop, members)(0, len(members.x))
        loop.n_segments, loop.segments = len(plan.segments), plan.segments.ctypes.data
        call, reference = self._call, ctypes.c_void_p(ctypes.addressof(loop))
        everything = (loop, kept, plan, members)

        def advance(kept: object = everything) -> None:
            call(reference)

        return advance

    def _loop(self, members: Members) -> tuple[_Rollout, list[object], ThreadSteps | None]:
        """Context of a thread, objects to keep alive, and the code that takes members out of their lanes."""
        loop, scratch = _Rollout(), np.empty(self._n_work)
        kept: list[object] = [scratch]
        outside = None if members.outside is None else members.outside.in_thread()
        loop.work, loop.n_rows = scratch.ctypes.data, members.rows.shape[1]
        if self._scalars is not None or self._steps is not None or outside is not None:
            sizes = 2 * self._problem.n_states, len(self._problem.held_names), self._problem.n_parameters
            room = np.empty(sum(sizes) + len(self._problem.event_specs) + 1)
            kept.append(room)
            loop.member = room.ctypes.data
        if self._scalars is not None:
            beside = NativeConstrained(self._problem, self._scalars, self._way)
            kept.append(beside)
            loop.dynamics, loop.project = beside.functions
            loop.context = beside.address
        if self._steps is not None and self._problem.stepping is not None:
            stepping = native_steps(self._problem.stepping, self._problem.n_states, self._steps)
            kept.append(stepping)
            loop.step, loop.context = stepping.function, stepping.address
        if members.pacing is not None:
            own_pace = members.pacing
            loop.atol, loop.rtol, loop.max_step = own_pace.atol.ctypes.data, own_pace.rtol, own_pace.max_step
            loop.max_steps, loop.t_end = float(own_pace.max_steps), own_pace.t_end
        if self._stops is not None:
            count = len(self._stops)
            room = np.empty(self._events.n_work + (2 * count + 1) * self.width)
            kept.append(room)
            loop.n_events, loop.events, loop.events_work = count, self._events.block_address, room.ctypes.data
            loop.directions = self._stops.directions.ctypes.data
        if outside is not None:
            kept.append(outside)
            loop.begin, loop.sampled, loop.outside = outside.begin, outside.sampled, outside.step
            loop.steps = outside.address
        if self._measures is not None:
            kinds, since, until = self._tables
            vectors = np.empty(self._gauge.n_work + (4 * len(self._measures) + 1) * self.width)
            kept.append(vectors)
            loop.n_measures, loop.every = len(self._measures), self._measures.every
            loop.measure, loop.measure_work = self._gauge.block_address, vectors.ctypes.data
            loop.kinds, loop.since, loop.until = (table.ctypes.data for table in (kinds, since, until))
        if self._updates is not None:
            sampled = self._updates
            vectors = np.empty(sampled.most_work + (sampled.most_noise + sampled.most_rows + 1) * self.width)
            kept.append(vectors)
            loop.n_updates, loop.updates = len(sampled.table), ctypes.addressof(sampled.table)
            loop.most_noise, loop.most_rows, loop.sample_work = (
                sampled.most_noise,
                sampled.most_rows,
                vectors.ctypes.data,
            )
            loop.seed = members.seed
        return loop, kept, outside

    @staticmethod
    def _placing(loop: _Rollout, members: Members) -> Callable[[int, int], None]:
        """Return a function that points a loop at the members start..end."""
        tables: list[tuple[str, Array | NDArray[np.int64] | None]] = [
            *(("state", members.x), ("rows", members.rows), ("status", members.status)),
            *(("failed_at", members.failed_at), ("clock", members.clock), ("values", members.measured)),
            *(("pace", members.pace), ("watched", members.watched)),
            *(("number", members.numbers), ("held_rows", members.held_rows), ("fresh", members.fresh)),
        ]
        for name, stride, array in (("held", "held_stride", members.held), ("parameters", "p_stride", members.p)):
            per_member = array.ndim == 2
            setattr(loop, stride, array.shape[-1] if per_member else 0)
            if per_member:
                tables.append((name, array))
            else:
                setattr(loop, name, array.ctypes.data)
        places = [(name, a.ctypes.data, a.strides[0]) for name, a in tables if a is not None]

        def place(start: int, end: int) -> None:
            loop.n, loop.first = end - start, start
            for name, address, stride in places:
                setattr(loop, name, address + start * stride)

        return place

    def _pieces(self, n: int, plan: Plan, threads: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Divide n members (start, end) and all segments (first, last) into calls of bounded work.

        There are several pieces for each thread, so that one on a slower core takes fewer of them, but none that is not
        worth its call.
        """
        steps = plan.segments["count"] + (plan.segments["rest"] > 0.0)
        if self._adaptive:  # how many there will be is not known; some hundreds per second are usual
            steps = np.ceil(plan.segments["rest"] / RK4.step).astype(np.int64)
        whole = max(1, int(steps.sum())) * self._cost
        blocks = max(1, _WORK // whole)
        if threads > 1:
            blocks = min(blocks, max(-(-_LEAST // whole), -(-n // (self.width * threads * _SHARES))))
        cuts = [0]
        if whole > _WORK:
            budget = _WORK // self._cost
            sums = np.cumsum(steps)
            marks = np.searchsorted(sums, np.arange(budget, int(sums[-1]) + budget, budget), side="left") + 1
            cuts += sorted({int(min(mark, len(steps))) for mark in marks})
        if cuts[-1] != len(steps):
            cuts.append(len(steps))
        size = blocks * self.width
        return [(a, min(n, a + size)) for a in range(0, n, size)], list(pairwise(cuts))
