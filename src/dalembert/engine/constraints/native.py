"""The constrained equations of motion in native code: `constrained.c`, driven through one structure."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np

from dalembert.core.constraint_algebra import RANK_TOLERANCE
from dalembert.core.types import Array
from dalembert.engine.layout import structure, structure_fields
from dalembert.engine.library import functions, library
from dalembert.engine.memory import Functions, NativeMemory
from dalembert.engine.methods.constraints import ConstraintMethod
from dalembert.engine.problem.problem import Problem

__all__ = ["EQUATIONS", "NativeConstrained"]

EQUATIONS = functions("equations")
"""The functions of the constrained equations and of what happens at their events."""

_MEMBERS = frozenset(name for name, _ in structure_fields("constrained"))


class NativeConstrained:
    """Memory of the constrained equations of one run.

    Parameters
    ----------
    problem
        The problem, with its constrained part.
    kernels
        Native kernels of the functions of `ConstrainedSystem` that the method needs, and of the ``events`` (or None).
    method
        How the constraints are kept.
    functions
        Where the functions of constrained.c are; by default those of the library.
    further
        Tapes besides those of the method.
    """

    def __init__(
        self,
        problem: Problem,
        kernels: dict[str, Any],
        method: ConstraintMethod,
        functions: Functions = EQUATIONS,
        *,
        further: tuple[str, ...] = (),
    ) -> None:
        system = problem.constrained
        assert system is not None
        self._function, self._kernels = functions, kernels
        self.memory = NativeMemory(structure("constrained"))
        c, array, self.address = self.memory.struct, self.memory.array, self.memory.address
        self._n_events, self._alpha = len(problem.event_specs), method.implicit
        n, nq, nv, m = problem.n_states, system.nq, system.nv, system.m
        c.n, c.nq, c.nv, c.m = n, nq, nv, m
        c.nc, c.np = len(problem.held_names), problem.n_parameters
        c.on_tape = not {"tape", "plain"} & set(method.tapes) and system.solves
        c.routine, c.constant_mass = method.routine, system.constant_mass
        c.projects, c.work_input = method.projects, system.work_input
        c.rank_tolerance = RANK_TOLERANCE
        for name, value in method.settings.items():
            if name not in _MEMBERS:
                raise AssertionError(f"struct constrained has no member '{name}' for {method!r}")
            setattr(c, name, value)
        for name in (*method.tapes, *further, "events"):
            kernel = kernels.get(name)
            if kernel is not None:
                place = {"accelerations": "tape", "dynamics": "tape", "plain": "tape", "projection": "geometry"}.get(
                    name, name
                )
                setattr(c, place, kernel.address)
                self.memory.work(f"{place}_work", kernel)
        array("flags", np.asarray(system.flags, dtype=np.int64))
        array("unilateral", np.array(system.unilateral, dtype=np.int64))
        c.n_unilateral = len(system.unilateral)
        c.n_tape_events = self._n_events - system.n_events
        c.n_rubbing, c.work_loss, c.impulses = len(system.rubbing), system.work_loss, system.impulses
        array("losses", np.asarray(system.losses, dtype=np.int64))
        array("rubbing", np.array(system.rubbing, dtype=np.int64))
        array("shares", np.asarray(system.shares, dtype=np.int64))
        c.n_ropes, spans = len(system.ropes), sum(system.ropes) + len(system.ropes)
        joints = sum(normal < 0 for normal, *_ in system.rubbing)
        c.n_joints, loads = joints, system.loads or ((-1, 0),) * joints
        array("load_first", np.array([first for first, _ in loads], dtype=np.int64))
        array("load_count", np.array([count for _, count in loads], dtype=np.int64))
        tugs = system.tugs or ((),) * joints
        array("tug_first", np.array([0, *accumulate(map(len, tugs))], dtype=np.int64))
        array("tugs", np.array([row for rows in tugs for row in rows], dtype=np.int64))
        array("rope_first", np.array([0, *accumulate(system.ropes)], dtype=np.int64))
        of_rope = np.zeros(max(1, m), dtype=np.int64)
        of_rope[[row for entry in system.rubbing[: sum(system.ropes)] for row in entry[:2]]] = 1
        array("of_rope", of_rope)
        self._prefix = "contact" if system.rubbing else "constrained"
        sizes = {
            "rates": n, "M": nv * nv, "f": nv, "Jt": nv * m, "phi": m, "phidot": m, "gamma": m, "phi_t": m,
            "q_moved": nq, "v_moved": nv, "error": 1, "share": 1, "seen": n + c.nc + c.np,
            "R": nv * nv, "Y": nv * m, "S": m * m, "y0": nv, "a": nv, "lambda": m, "b": m, "mu": 3 * m,
            "Q": nv * m, "norms": m, "U": 2 * m * m, "moved": nv, "reflectors": 5 * m,
            "x_base": n, "x_known": n, "acceleration_base": nv,
            "acceleration_known": nv, "auxiliary_base": nv, "auxiliary_known": nv, "multipliers": m, "rates_base": n,
            "K": nv * nv, "D": nv * nv, "matrix": (nv + m) ** 2, "residual": nv + m, "increment": nv,
            "drag": m, "cone": 3 * len(system.rubbing) + spans + joints, "lead": len(system.rubbing), "Z": nv * m,
            "tension": spans, "ratio": spans, "yields": sum(system.ropes), "load_way": 3 * joints, "jams": joints,
            "dense_work": library("equations").contact_memory(nv, m),
        }  # fmt: skip
        for name, size in sizes.items():
            array(name, np.zeros(max(1, size)))
        for name in ("active", "pivot"):
            array(name, np.zeros(max(1, m), dtype=np.int64))
        array("columns", np.zeros(2 * (nv + m), dtype=np.int64))
        c.t_base = c.t_known = c.t_seen = float("nan")

    @property
    def functions(self) -> tuple[int, int]:
        """Addresses of the rates and of the projection, which take `address` as their context."""
        return self._function("constrained_ode"), self._function("constrained_project")

    @property
    def rates(self) -> int:
        """Address of the rates with contacts and ropes."""
        return self._function(f"{self._prefix}_ode")

    def attach(self, loop: Any) -> None:
        """Put these equations into the structure of a time loop."""
        loop.ode, loop.ode_work = self.rates, self.address
        if self._n_events:
            loop.events, loop.events_work = self._function(f"{self._prefix}_events"), self.address
        if self.memory.struct.gaps:
            pairs = int(self.memory.struct.n_unilateral)
            loop.gaps, loop.n_gaps = self._function("constrained_gaps"), pairs
            loop.first_gap = int(self.memory.struct.n_tape_events) + pairs
        loop.context = self.address
        if self.memory.struct.balance:
            loop.admits = self._function("contact_admits")
        if self.memory.struct.projects:
            loop.project = self._function("constrained_project")
        if self._alpha:
            loop.custom = self._function("constrained_alpha")

    def signals(self, t: Array, x: Array, held: Array, p: Array) -> Array:
        """Multipliers, position and velocity violation of rows, and undetermined directions (n, m + 3).

        ``held`` and ``p`` may be those of all rows.
        """
        t, x, held, p = (np.ascontiguousarray(a, dtype=float) for a in (t, x, held, p))
        out = np.zeros((len(t), self.memory.struct.m + 3))
        strides = [a.shape[1] if a.ndim == 2 else 0 for a in (held, p)]
        getattr(library("equations"), f"{self._prefix}_signals")(
            self.address, len(t), t.ctypes.data, x.ctypes.data, held.ctypes.data, strides[0], p.ctypes.data, strides[1],
            out.ctypes.data,
        )  # fmt: skip
        return out
