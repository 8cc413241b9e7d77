"""The algebra of constraints and contacts in native code, called as its reference in Python is."""

from __future__ import annotations

import ctypes
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.core.constraint_algebra import ConstrainedDynamics, LeastConstraint
from dalembert.core.contact_algebra import Cones, NoContactForcesError, Solution, Strike
from dalembert.core.types import Array
from dalembert.engine.library import library

__all__ = ["least_constraint", "minimum_norm", "solve_cones", "strike"]

_SOLVED = -1


@cache
def _library() -> ctypes.CDLL:
    loaded = library("equations")
    for name in ("minimum_norm", "least_constraint", "solve_cones", "strike"):
        getattr(loaded, f"algebra_{name}").restype = ctypes.c_int64
    return loaded


def _call(name: str, sizes: tuple[int, int, int], *arguments: object) -> int:
    """Call a routine with scratch memory for machines of ``sizes``: velocities, rows, pairs."""
    loaded = _library()
    work = np.zeros(loaded.transitions_memory(*sizes))
    passed = [ctypes.c_void_p(x.ctypes.data) if isinstance(x, np.ndarray) else x for x in (*arguments, work)]
    return int(getattr(loaded, f"algebra_{name}")(*passed))


def _reals(values: ArrayLike) -> Array:
    return np.ascontiguousarray(values, dtype=float)


def _flags(values: ArrayLike) -> NDArray[np.int64]:
    return np.ascontiguousarray(values, dtype=np.int64)


def _size(n: int) -> ctypes.c_int64:
    return ctypes.c_int64(n)


def minimum_norm(M: Array, force: Array, J: Array, gamma: Array) -> ConstrainedDynamics:
    """As its reference in `constraint_algebra`, of one system."""
    m, nv = J.shape
    a, multipliers = np.zeros(nv), np.zeros(m)
    arguments = [_reals(x) for x in (M, force, J, gamma)]
    if _call("minimum_norm", (nv, m, 1), _size(nv), _size(m), *arguments, a, multipliers):
        raise np.linalg.LinAlgError("the mass matrix is not positive definite")
    return ConstrainedDynamics(a, multipliers)


def least_constraint(
    M: Array, force: Array, J: Array, gamma: Array, pulls: NDArray[np.bool_], *, tolerance: float = 1e-11
) -> LeastConstraint:
    """As its reference in `constraint_algebra`."""
    m, nv = J.shape
    a, multipliers, opening, feasible = np.zeros(nv), np.zeros(m), np.zeros(m), np.zeros(1, dtype=np.int64)
    arguments = [*(_reals(x) for x in (M, force, J, gamma)), _flags(pulls), ctypes.c_double(tolerance)]
    if _call("least_constraint", (nv, m, 1), _size(nv), _size(m), *arguments, a, multipliers, opening, feasible):
        raise np.linalg.LinAlgError("the mass matrix is not positive definite")
    return LeastConstraint(a, multipliers, opening, bool(feasible[0]))


def solve_cones(c: Cones) -> Solution:
    """As its reference in `contact_algebra`."""
    k = len(c.mu)
    p, u, modes = np.zeros((k, 3)), np.zeros((k, 3)), np.zeros(k, dtype=np.int64)
    arguments = [_reals(x) for x in (c.W, c.b, c.mu, c.slip, c.preload)]
    bad = _call("solve_cones", (1, 1, k), _size(k), *arguments, p, u, modes)
    if bad != _SOLVED:
        raise NoContactForcesError(bad)
    return Solution(p, u, modes)


def strike(W: Array, u: Array, e: Array, mu: Array, poisson: NDArray[np.bool_]) -> Strike:
    """As its reference in `contact_algebra`."""
    k = len(mu)
    p, factor, lost = np.zeros((k, 3)), np.zeros(1), np.zeros(1)
    arguments = [*(_reals(x) for x in (W, u, e, mu)), _flags(poisson)]
    bad = _call("strike", (1, 1, k), _size(k), *arguments, p, factor, lost)
    if bad != _SOLVED:
        raise NoContactForcesError(bad)
    return Strike(p, (W @ p.ravel()).reshape(k, 3) + u, float(factor[0]), float(lost[0]))
