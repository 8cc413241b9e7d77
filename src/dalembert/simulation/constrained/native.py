"""The constrained equations of motion in native code: `constrained.c`, driven through one structure."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from dalembert.compile import build_library
from dalembert.compile.structs import struct_checks
from dalembert.core.constraint_algebra import RANK_TOLERANCE
from dalembert.core.types import Array
from dalembert.simulation.constrained.methods import ConstraintMethod
from dalembert.simulation.memory import Functions, NativeMemory, functions_of
from dalembert.simulation.problem import Problem
from dalembert.simulation.sources import unit_text
from dalembert.simulation.transitions.layout import TRANSITIONS_FIELDS

__all__ = ["EQUATIONS", "NativeConstrained", "constrained_library"]

_INT, _REAL, _POINTER = ctypes.c_int64, ctypes.c_double, ctypes.c_void_p

# The members of `struct constrained`, in order; the compiler checks them.
_LAYOUT: tuple[tuple[Any, str], ...] = (
    (_INT, "n nq nv m nc np routine constant_mass projects on_tape work_input"),
    (_POINTER, "tape geometry move events tape_work geometry_work move_work events_work"),
    (_POINTER, "free free_work gaps gaps_work motion shift motion_work shift_work flags unilateral"),
    (_INT, "n_unilateral n_tape_events"),
    (_REAL, "alpha beta penalty damping frequency rank_tolerance tolerance drift"),
    (_INT, "max_iterations"),
    (_POINTER, "rates M f Jt phi phidot gamma phi_t q_moved v_moved error share"),
    (_REAL, "t_seen"),
    (_POINTER, "seen R Y S y0 a lambda b mu Q norms U moved reflectors active pivot"),
    (_INT, "n_active factored rank_lost iterations"),
    # generalized-alpha
    (_POINTER, "rate rate_work"),
    (_REAL, "alpha_m alpha_f gamma_n beta_n"),
    (_INT, "index n_newton"),
    (_REAL, "t_base t_known"),
    (_POINTER, "x_base x_known acceleration_base acceleration_known auxiliary_base auxiliary_known multipliers"),
    (_POINTER, "rates_base K D matrix residual columns increment"),
    # contacts
    (_INT, "n_rubbing work_loss"),
    (_POINTER, "losses rubbing shares drag cone Z dense_work lead"),
)

_MEMBERS = frozenset(name for _, names in _LAYOUT for name in names.split())


_FIELDS = [(name, kind) for kind, names in _LAYOUT for name in names.split()]


class _Constrained(ctypes.Structure):
    _fields_ = _FIELDS


@cache
def constrained_library() -> ctypes.CDLL:
    """Build and load the library."""
    checks = struct_checks("constrained", _FIELDS) + struct_checks("transitions", TRANSITIONS_FIELDS)
    library = build_library(unit_text("equations") + checks, "constrained")
    library.contact_memory.restype = library.transitions_memory.restype = _INT
    library.contact_memory.argtypes, library.transitions_memory.argtypes = [_INT] * 2, [_INT] * 3
    for signals in (library.constrained_signals, library.contact_signals):
        signals.restype = _INT
        signals.argtypes = [_POINTER, _INT, *[_POINTER] * 3, _INT, _POINTER, _INT, _POINTER]
    return library


EQUATIONS = functions_of(constrained_library)
"""The functions of that library."""


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
        self.memory = NativeMemory(_Constrained)
        c, array, self.address = self.memory.struct, self.memory.array, self.memory.address
        self._n_events, self._alpha = len(problem.event_specs), method.implicit
        n, nq, nv, m = problem.n_states, system.nq, system.nv, system.m
        c.n, c.nq, c.nv, c.m = n, nq, nv, m
        c.nc, c.np = len(problem.held_names), problem.n_parameters
        c.on_tape = "tape" not in method.tapes and system.solves
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
                place = {"accelerations": "tape", "dynamics": "tape", "projection": "geometry"}.get(name, name)
                setattr(c, place, kernel.address)
                array(f"{place}_work", np.zeros(max(1, kernel.n_work)))
        array("flags", np.asarray(system.flags, dtype=np.int64))
        array("unilateral", np.array(system.unilateral, dtype=np.int64))
        c.n_unilateral = len(system.unilateral)
        c.n_tape_events = self._n_events - system.n_events
        c.n_rubbing, c.work_loss = len(system.rubbing), system.work_loss
        array("losses", np.asarray(system.losses, dtype=np.int64))
        array("rubbing", np.array(system.rubbing, dtype=np.int64))
        array("shares", np.asarray(system.shares, dtype=np.int64))
        self._prefix = "contact" if system.rubbing else "constrained"
        sizes = {
            "rates": n, "M": nv * nv, "f": nv, "Jt": nv * m, "phi": m, "phidot": m, "gamma": m, "phi_t": m,
            "q_moved": nq, "v_moved": nv, "error": 1, "share": 1, "seen": n + c.nc + c.np,
            "R": nv * nv, "Y": nv * m, "S": m * m, "y0": nv, "a": nv, "lambda": m, "b": m, "mu": 3 * m,
            "Q": nv * m, "norms": m, "U": 2 * m * m, "moved": nv, "reflectors": 5 * m,
            "x_base": n, "x_known": n, "acceleration_base": nv,
            "acceleration_known": nv, "auxiliary_base": nv, "auxiliary_known": nv, "multipliers": m, "rates_base": n,
            "K": nv * nv, "D": nv * nv, "matrix": (nv + m) ** 2, "residual": nv + m, "increment": nv,
            "drag": m, "cone": 3 * len(system.rubbing), "lead": len(system.rubbing), "Z": nv * m,
            "dense_work": constrained_library().contact_memory(nv, m),
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

    def attach(self, loop: Any) -> None:
        """Put these equations into the structure of a time loop."""
        loop.ode, loop.ode_work = self._function(f"{self._prefix}_ode"), self.address
        if self._n_events:
            loop.events, loop.events_work = self._function(f"{self._prefix}_events"), self.address
        if self.memory.struct.gaps:
            pairs = int(self.memory.struct.n_unilateral)
            loop.gaps, loop.n_gaps = self._function("constrained_gaps"), pairs
            loop.first_gap = int(self.memory.struct.n_tape_events) + pairs
        loop.context = self.address
        if self.memory.struct.projects:
            loop.project = self._function("constrained_project")
        if self._alpha:
            loop.custom = self._function("constrained_alpha")

    def signals(self, t: Array, x: Array, held: Array, p: Array) -> Array:
        """Multipliers, position and velocity violation of rows (n, m + 2); ``held`` and ``p`` also for all rows."""
        t, x, held, p = (np.ascontiguousarray(a, dtype=float) for a in (t, x, held, p))
        out = np.zeros((len(t), self.memory.struct.m + 2))
        strides = [a.shape[1] if a.ndim == 2 else 0 for a in (held, p)]
        getattr(constrained_library(), f"{self._prefix}_signals")(
            self.address, len(t), t.ctypes.data, x.ctypes.data, held.ctypes.data, strides[0], p.ctypes.data, strides[1],
            out.ctypes.data,
        )  # fmt: skip
        return out
