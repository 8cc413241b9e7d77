"""Time-stepping through contacts in native code: `cone.c` and `moreau.c`, driven through one structure."""

from __future__ import annotations

import ctypes
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.engine.layout import structure
from dalembert.engine.library import functions, library
from dalembert.engine.memory import Functions, NativeMemory
from dalembert.engine.problem.stepping import SteppingSystem

__all__ = ["ConeSolution", "NativeStepping", "solve_cone"]

_BLOCK, _SCRATCH = 16, 54
"""Doubles of ``struct block`` of cone.c, and of what its solver needs for each contact besides."""

_STEPPING = functions("stepping")


class NativeStepping:
    """Memory of the time-stepping of one run.

    Parameters
    ----------
    system
        The contacts of the problem.
    n
        Number of states.
    kernels
        Native kernels by name: ``terms``, ``bias``, ``gaps``, ``move``, ``finish``, ``lift``; those of single contacts.
    functions
        Where ``moreau_step`` of moreau.c is; by default in the library.
    """

    def __init__(
        self,
        system: SteppingSystem,
        n: int,
        kernels: dict[str, Any],
        functions: Functions = _STEPPING,
    ) -> None:
        self._functions, self._kernels = functions, kernels
        self.memory = NativeMemory(structure("moreau"))
        c, array = self.memory.struct, self.memory.array
        nv, k = system.nv, len(system.names)
        sizes, counts = np.asarray(system.sizes, dtype=np.int64), np.array([len(s) for s in system.supports], np.int64)
        c.n, c.nq, c.nv, c.nz, c.n_contacts = n, system.nq, nv, system.nz, k
        c.forces, c.losses, c.residual_at, c.sweeps_at = system.forces, system.losses, system.residual, system.sweeps
        c.work_loss, c.work_input = system.work_loss, system.work_input
        way = system.way
        c.theta, c.tolerance, c.margin, c.max_sweeps = system.theta, way.tolerance, way.margin, int(way.max_sweeps)
        for name in ("terms", "bias", "gaps", "move", "finish", "lift"):
            setattr(c, name, kernels[name].address)
            self.memory.work(f"{name}_work", kernels[name])
        integers = {
            "L_start": [0, *accumulate(len(row) for row in system.factor)],
            "L_column": [j for row in system.factor for j in row],
            "size": sizes,
            "count": counts,
            "support_start": [0, *accumulate(counts)],
            "row_start": [0, *accumulate(sizes)],
            "value_start": [0, *accumulate(sizes * counts)],
            "support": [j for support in system.supports for j in support],
        }
        for name, values in integers.items():
            array(name, np.append(np.asarray(values, dtype=np.int64), 0))
        array("feature", np.append(system.features, 0.0))
        reals = {
            "L": sum(map(len, system.factor)), "d": nv, "s0": nv, "Y": int(np.sum(sizes * counts)),
            "u0": int(np.sum(sizes)), "g": k, "e": k, "mu": k, "pace": k, "b": nv, "b_middle": nv, "zdot": system.nz,
            "work": 2, "x_middle": n, "moved": system.nq + nv, "displacement": nv, "dv": nv, "s": nv, "correction": nv,
            "lambda": k, "total": 3 * k, "gap": k, "gap_before": k, "active_x": 3 * k, "active_w": _BLOCK * k,
            "active_bounce": k, "active_mu": k, "lengths": k, "scratch": 2 * nv + _SCRATCH * k,
        }  # fmt: skip
        for name, size in reals.items():
            array(name, np.zeros(max(1, size)))
        for name in ("active", "active_size", "active_count", "forced", "fast"):
            array(name, np.zeros(max(1, k), dtype=np.int64))
        array("near", np.ones(max(1, k), dtype=np.int64))
        if system.pairs is not None:
            pair_kernels = [kernels[pair.key] for pair in system.pairs]
            array("pair", np.array([kernel.address for kernel in pair_kernels], dtype=np.uintp))
            kinds = {pair.key: kernels[pair.key].work() for pair in system.pairs}
            self._kinds = kinds  # what the work arrays point to must outlive the copies of them
            places = dict(zip(kinds, accumulate(map(len, kinds.values()), initial=0), strict=False))
            array("pair_work", np.concatenate(list(kinds.values())))
            array("pair_at", np.array([places[pair.key] for pair in system.pairs], dtype=np.int64))
            c.n_p = system.n_parameters
            array("values", np.zeros(1 + n + c.n_p + sum(map(len, system.factor)) + nv))
            array("gathered", np.zeros(max(1, *(len(pair.gather) for pair in system.pairs))))
            starts = [0, *accumulate(len(pair.gather) for pair in system.pairs)]
            array("gather_start", np.array(starts, dtype=np.int64))
            array("gather", np.array([i for pair in system.pairs for i in pair.gather], dtype=np.int64))
        for name in ("active_support", "active_rows", "active_u0"):
            array(name, np.zeros(max(1, k), dtype=np.uintp))

    def attach(self, loop: Any) -> None:
        """Put this method into the structure of a time loop."""
        loop.custom, loop.context = self.function, self.address

    @property
    def function(self) -> int:
        """Address of the step, ``moreau_step`` of moreau.c."""
        return self._functions("moreau_step")

    @property
    def address(self) -> int:
        """Address of its memory, the first argument of the step; no two threads may share it."""
        return self.memory.address


class ConeSolution(NamedTuple):
    """Impulses of contacts (k, 3), residual by the largest of them, and the sweeps that it took."""

    impulses: Array
    residual: float
    sweeps: int


def solve_cone(
    W: ArrayLike,
    u: ArrayLike,
    mu: ArrayLike,
    *,
    guess: ArrayLike | None = None,
    tolerance: float = 1e-12,
    max_sweeps: int = 10_000,
) -> ConeSolution:
    """Solve Coulomb's law for several contacts: the routine of time-stepping, on plain arrays.

    With the velocities ``w = W x + u``, each contact has ``0 <= x_n``, ``w_n >= 0``, ``x_n w_n = 0`` and
    ``|x_t| <= mu x_n``; it slips only against a tangential impulse of that size.

    Parameters
    ----------
    W
        Symmetric matrix ``J M^-1 J^T`` (3k x 3k): normal and two tangents of each contact.
    u
        Velocities (3k) without impulses, with ``e`` times the normal velocity before the impact added.
    mu
        Coefficients of friction (k).
    guess
        Impulses to start from.
    tolerance, max_sweeps
        As of `TimeStepping`.
    """
    W, u, mu = (np.ascontiguousarray(a, dtype=float) for a in (W, u, mu))
    k = len(mu)
    if W.shape != (3 * k, 3 * k) or u.shape != (3 * k,):
        raise InputError(f"{k} contacts need W ({3 * k}, {3 * k}) and u ({3 * k},), got {W.shape} and {u.shape}")
    size, Q = np.linalg.eigh(W)
    Y = np.ascontiguousarray(Q * np.sqrt(np.maximum(size, 0.0)))
    x = np.zeros((k, 3)) if guess is None else np.array(guess, dtype=float).reshape(k, 3)
    arrays = {
        "Y": Y, "u0": u, "bounce": np.zeros(k), "mu": mu, "s": np.zeros(3 * k), "x": x, "w": np.zeros(_BLOCK * k),
        "scratch": np.zeros((6 + _SCRATCH) * k),
        **{name: np.zeros(k, np.int64) for name in ("size", "count")}, "support": np.zeros(3 * k, np.int64),
        **{name: np.zeros(k, np.uintp) for name in ("supports", "rows", "velocities")},
    }  # fmt: skip
    problem = structure("problem")(n=k, nv=3 * k, max_sweeps=max_sweeps, tolerance=tolerance)
    for name, array in arrays.items():
        setattr(problem, name, array.ctypes.data)
    library("stepping").contact_problem(ctypes.addressof(problem))
    return ConeSolution(x, problem.residual, problem.sweeps)
