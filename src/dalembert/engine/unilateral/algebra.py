"""The algebra of what acts one way only, on plain arrays: laws and solvers of `unilateral`, called from Python."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.core.constraint_algebra import factorise
from dalembert.core.types import Array
from dalembert.engine.library import library

__all__ = [
    "Cones",
    "LeastConstraint",
    "NoContactForcesError",
    "Solution",
    "Strike",
    "Touch",
    "delassus",
    "least_constraint",
    "solve_cones",
    "strike",
]


class LeastConstraint(NamedTuple):
    """Accelerations, multipliers, how far rows open (``J a - gamma``, negative), and whether there are any such."""

    acceleration: Array
    multipliers: Array
    opening: Array
    feasible: bool


class Touch(IntEnum):
    """What a pair does."""

    OPEN = 0
    STICK = 1
    SLIP = 2


class NoContactForcesError(ArithmeticError):
    """No forces fulfil the laws: Painleve's paradox at the pair of the given index, certainly if it ``jams``."""

    def __init__(self, pair: int, *, jams: bool = False) -> None:
        super().__init__(pair)
        self.pair, self.jams = pair, jams


@dataclass(frozen=True, eq=False)
class Cones:
    """What is asked: ``u = W p + b`` of k pairs, three rows each.

    Parameters
    ----------
    W, b
        Matrix (3k x 3k) and right side (3k).
    mu
        Coefficients of friction (k).
    slip
        Directions in which pairs slip already (k x 2), NaN where they do not: there friction is what it has to be.
    preload
        Normal impulses that act besides ``p_n`` and count for friction (k).
    yields
        Pairs that leave friction to others if these can bear it (k).
    """

    W: Array
    b: Array
    mu: Array
    slip: Array
    preload: Array
    yields: NDArray[np.bool_]

    @staticmethod
    def of(
        W: Array,
        b: Array,
        mu: Array,
        slip: Array | None = None,
        preload: Array | None = None,
        yields: NDArray[np.bool_] | None = None,
    ) -> Cones:
        """Make them; nothing slips yet, no other impulses act and no pair yields unless given."""
        k = len(mu)
        return Cones(
            W,
            b,
            mu,
            np.full((k, 2), np.nan) if slip is None else slip,
            np.zeros(k) if preload is None else preload,
            np.zeros(k, dtype=bool) if yields is None else yields,
        )


@dataclass(frozen=True, eq=False)
class Solution:
    """Forces or impulses ``p`` (k x 3), relative velocities ``u`` (k x 3), and what each pair does (k)."""

    p: Array
    u: Array
    modes: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Strike:
    """What an impact does.

    Parameters
    ----------
    impulses
        Impulses along the normals and tangents (k x 3).
    u
        Relative velocities after it (k x 3).
    factor
        Factor of the coefficients of restitution: 1, or the largest at which no energy is added.
    energy_lost
        Kinetic energy that it took.
    """

    impulses: Array
    u: Array
    factor: float
    energy_lost: float


_SOLVED = -1


@cache
def _library() -> ctypes.CDLL:
    loaded = library("equations")
    for name in ("least_constraint", "solve_cones", "strike"):
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


def least_constraint(
    M: Array, force: Array, J: Array, gamma: Array, pulls: NDArray[np.bool_], *, tolerance: float = 1e-11
) -> LeastConstraint:
    """Solve ``M a + J^T lambda = force`` with ``J a = gamma``, or ``<=`` and ``lambda >= 0`` in rows that only pull.

    Gauss' principle: the accelerations are those that deviate least from free motion, in the metric of M.
    """
    m, nv = J.shape
    a, multipliers, opening, feasible = np.zeros(nv), np.zeros(m), np.zeros(m), np.zeros(1, dtype=np.int64)
    arguments = [*(_reals(x) for x in (M, force, J, gamma)), _flags(pulls), ctypes.c_double(tolerance)]
    if _call("least_constraint", (nv, m, 1), _size(nv), _size(m), *arguments, a, multipliers, opening, feasible):
        raise np.linalg.LinAlgError("the mass matrix is not positive definite")
    return LeastConstraint(a, multipliers, opening, bool(feasible[0]))


def solve_cones(c: Cones) -> Solution:
    """Return forces or impulses of all pairs that obey their laws together.

    Raises
    ------
    NoContactForcesError
        If there are none: at which pair.
    """
    k = len(c.mu)
    p, u, modes = np.zeros((k, 3)), np.zeros((k, 3)), np.zeros(k, dtype=np.int64)
    arguments = [_reals(x) for x in (c.W, c.b, c.mu, c.slip, c.preload)]
    bad = _call("solve_cones", (1, 1, k), _size(k), *arguments, p, u, modes)
    if bad != _SOLVED:
        raise NoContactForcesError(bad)
    return Solution(p, u, modes)


def strike(W: Array, u: Array, e: Array, mu: Array, poisson: NDArray[np.bool_]) -> Strike:
    """Solve an impact of k pairs with velocities u (k x 3) before it.

    Parameters
    ----------
    W
        Velocities (3k) that unit impulses bring.
    u
        Normal and tangential velocities before.
    e, mu
        Coefficients of restitution and friction.
    poisson
        Which have Poisson's restitution, of impulses; the others have Newton's, of velocities.

    Raises
    ------
    NoContactForcesError
        If no impulses obey the laws: at which pair.
    """
    k = len(mu)
    p, factor, lost = np.zeros((k, 3)), np.zeros(1), np.zeros(1)
    arguments = [*(_reals(x) for x in (W, u, e, mu)), _flags(poisson)]
    bad = _call("strike", (1, 1, k), _size(k), *arguments, p, factor, lost)
    if bad != _SOLVED:
        raise NoContactForcesError(bad)
    return Strike(p, (W @ p.ravel()).reshape(k, 3) + u, float(factor[0]), float(lost[0]))


def delassus(M: Array, A: Array, held: Array) -> tuple[Array, Callable[[Array], Array]]:
    """``W = A P A^T`` and the function ``f -> P f``: what forces do under constraints that hold.

    Parameters
    ----------
    M
        Mass matrix.
    A
        Rows of the pairs (3k x nv).
    held
        Rows of constraints that hold.
    """
    F = factorise(M, held)
    U = F.reactions

    def inward(x: Array) -> Array:
        y = np.linalg.solve(F.L, x)
        return np.asarray(y - U @ (U.T @ y))

    Y = inward(A.T)

    def respond(f: Array) -> Array:
        return np.asarray(np.linalg.solve(F.L.T, inward(f)))

    return np.asarray(Y.T @ Y), respond
