"""Transitions in native code: `unilateral.c`, driven through one structure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from dalembert.compile import compile_function
from dalembert.compile.backend import Backend
from dalembert.core.types import Array
from dalembert.engine.codes import Code, code_of
from dalembert.engine.constraints.native import NativeConstrained
from dalembert.engine.kernels import problem_kernels
from dalembert.engine.layout import structure
from dalembert.engine.library import library
from dalembert.engine.memory import NativeMemory
from dalembert.engine.methods.constraints import Projection
from dalembert.engine.problem.pairs import KINK, PairTable, SwitchTable, TransitionEntry, UnilateralLaw, slowest_slip
from dalembert.engine.problem.problem import Problem

__all__ = ["LANDED", "NOT_CLOSED", "TransitionDesk", "Transitions", "measure_code", "transitions_memory"]

LANDED, NOT_CLOSED = -1, -3
"""Outcome of a transition, as in transitions.h: success, or a constraint that cannot begin to act."""

CHANGES = 64
"""Transitions that are logged between two looks of Python."""


def transitions_memory(
    problem: Problem,
    equations: NativeConstrained,
    table: PairTable,
    *,
    rtol: float | None = None,
    changes: int = CHANGES,
    switches: SwitchTable | None = None,
    measure: Code | None = None,
) -> NativeMemory:
    """Return the memory of the transitions of a run.

    Parameters
    ----------
    problem
        The problem to integrate.
    equations
        Its constrained equations in native code.
    table
        Its pairs.
    rtol
        Relative tolerance of an adaptive method.
    changes
        Transitions that are logged between two looks of the caller.
    switches, measure
        Switches at events, and the kernel of the measurements then.
    """
    memory, system = NativeMemory(structure("transitions")), problem.constrained
    assert system is not None
    struct, array = memory.struct, memory.array
    n, m, nv, blocks = problem.n_states, system.m, system.nv, len(table.rows)
    struct.equations, struct.slowest = equations.address, slowest_slip(rtol)
    struct.k, struct.n_blocks = sum(law is not UnilateralLaw.LIMIT for law in table.laws), blocks
    rows = [row for of_block in table.rows for row in of_block]
    array("law", np.array(table.laws, dtype=np.int64))
    array("first", np.array([0, *accumulate(map(len, table.rows))], dtype=np.int64))
    array("row", np.array(rows, dtype=np.int64))
    array("entry", np.array([0, *accumulate(map(int, table.rubs))], dtype=np.int64))
    for name in ("flags", "friction", "is_contact", "rubs", "poisson"):
        array(name, np.asarray(getattr(table, name), dtype=np.int64))
    array("e", table.restitution)
    array("mu", table.friction_coefficient)
    array("varies", np.full(blocks, -1) if table.varies is None else np.asarray(table.varies, dtype=np.int64))
    if switches is not None:
        sets = [pair for some in switches.sets for pair in some]
        struct.n_switches, struct.n_measures = len(switches.events), len(switches.measures)
        struct.n_counts = len(switches.counts)
        struct.n_kinks, struct.kink_time = len(switches.kinks), KINK
        integers = {
            "switch_event": switches.events,
            "kink_event": switches.kinks,
            "switch_first": [0, *accumulate(len(some) for some in switches.sets)],
            "switch_latch": [latch for latch, _ in sets],
            "count_event": [event for event, _, _ in switches.counts],
            "count_latch": [latch for _, latch, _ in switches.counts],
            "measure_flag": [flag for flag, _ in switches.measures],
            "measure_first": [0, *accumulate(len(places) for _, places in switches.measures)],
            "measure_latch": [latch for _, places in switches.measures for latch in places],
        }
        for name, values in integers.items():
            array(name, np.array(values, dtype=np.int64))
        array("switch_value", np.array([value for _, value in sets]))
        array("count_step", np.array([step for _, _, step in switches.counts]))
        if measure is not None:
            struct.measure = measure.address
            memory.work("measure_work", measure)
            array("measured", np.zeros(len(integers["measure_latch"])))
    sizes = {"M": nv * nv, "R": nv * nv, "f": nv, "J": m * nv, "Y": nv * m, "gamma": m, "phi": m, "rate": m}
    sizes["x_bare"] = n
    for name, size in (sizes | {"work": library("equations").transitions_memory(nv, m, len(rows))}).items():
        array(name, np.zeros(size))
    entries = max(1, len(table.friction))
    for name, size in (("loose", blocks), ("slipping", entries), ("acted", blocks)):
        array(name, np.zeros(size, dtype=np.int64))
    array("toward", np.zeros(entries))
    struct.t_loose, struct.log_capacity = float("nan"), changes
    for name in ("t", "impulses", "lost", "factor", "speed"):
        array(f"log_{name}", np.zeros((changes, m) if name == "impulses" else changes))
    array("log_shocks", np.zeros(changes, dtype=np.int64))
    return memory


class Transitions:
    """Memory of the transitions of one run.

    Parameters
    ----------
    problem, equations, table, rtol, changes, switches
        As in `transitions_memory`.
    backend
        Backend of the kernel of the measurements.
    """

    def __init__(
        self,
        problem: Problem,
        equations: NativeConstrained,
        table: PairTable,
        *,
        rtol: float | None = None,
        changes: int = CHANGES,
        switches: SwitchTable | None = None,
        backend: Backend = "auto",
    ) -> None:
        measure = measure_code(switches, backend)
        self._kept = (equations, measure)  # which the structure points to
        self._memory = transitions_memory(
            problem, equations, table, rtol=rtol, changes=changes, switches=switches, measure=measure
        )
        self.address, self._struct, self._n = self._memory.address, self._memory.struct, problem.n_states

    def place(self, member: str) -> int:
        """Address of a member of the structure."""
        return self.address + int(getattr(structure("transitions"), member).offset)

    @property
    def n_log(self) -> int:
        """How many transitions are logged."""
        return int(self._struct.n_log)

    def logged(self) -> dict[str, Any]:
        """Arrays of the log's entries of each transition."""
        names = ("t", "impulses", "lost", "factor", "speed", "shocks")
        return {name: self._memory.arrays[f"log_{name}"][: self.n_log].copy() for name in names}

    def forget(self) -> None:
        """Empty the log."""
        self._struct.n_log = 0

    @property
    def pair(self) -> tuple[int, int]:
        """Pair at which no impulses or forces obey the laws, and which of them are lacking (`Lacks`)."""
        return int(self._struct.pair), int(self._struct.lacks)

    @property
    def open_row(self) -> tuple[int, float]:
        """Row whose constraint cannot begin to act, and its gap, after one that ended in NOT_CLOSED."""
        row = int(self._struct.pair)
        return row, abs(float(self._memory.arrays["phi"][row]))

    def begin(self, t: float, x: Array, held: Array, p: Array) -> tuple[int, Array]:
        """State with which a run begins at x, with what pulls or pushes there; and what that ended in."""
        made = np.zeros(self._n)
        outcome = library("equations").transitions_begin(
            self.address, t, x.ctypes.data, made.ctypes.data, held.ctypes.data, p.ctypes.data
        )
        return int(outcome), made

    def land(self, t: float, x: Array, held: Array, p: Array) -> tuple[int, Array]:
        """State after the impacts of an instant that x is at, with the pairs that continue to act; and the outcome."""
        made, struct = x.copy(), self._struct
        for name in ("loose", "slipping"):
            self._memory.arrays[name][:] = 0
        struct.t_loose = float("nan")
        outcome = library("equations").transitions_land(
            self.address, t, made.ctypes.data, held.ctypes.data, p.ctypes.data
        )
        return int(outcome), made

    def last(self, names: Sequence[str]) -> TransitionEntry:
        """Effects of the last transition, which is not logged."""
        k, log = self.n_log, self._memory.arrays
        t, lost, factor, speed = (float(log[f"log_{name}"][k]) for name in ("t", "lost", "factor", "speed"))
        shocks = int(log["log_shocks"][k])
        return TransitionEntry(t, tuple(names), log["log_impulses"][k].copy(), lost, factor, shocks, speed)


class TransitionDesk(Transitions):
    """Transitions outside of a time loop, at states of the caller.

    Parameters
    ----------
    problem, table, rtol
        As in `transitions_memory`.
    backend
        Backend of the kernels.
    """

    def __init__(
        self, problem: Problem, table: PairTable, *, rtol: float | None = None, backend: Backend = "auto"
    ) -> None:
        way = Projection()
        kernels = problem_kernels(problem, backend, tapes=way.tapes).constrained_codes()
        super().__init__(problem, NativeConstrained(problem, kernels, way), table, rtol=rtol, changes=1)


def measure_code(switches: SwitchTable | None, backend: Backend = "auto") -> Code | None:
    """Compile what constraints measure when they begin to act; None if none does."""
    if switches is None or switches.measure is None:
        return None
    return code_of(compile_function(switches.measure, backend=backend, shapes={"t": ()}, lanes=False))
