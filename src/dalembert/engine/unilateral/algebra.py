"""The algebra of unilateral constraints, on plain arrays: laws and solvers of `unilateral`, called from Python."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.core.constraint_algebra import factorise
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.engine.library import library
from dalembert.engine.problem.pairs import UnilateralLaw

__all__ = [
    "BlockForces",
    "Blocks",
    "Cones",
    "LeastConstraint",
    "NoContactForcesError",
    "Reeve",
    "Solution",
    "Strike",
    "Touch",
    "UnilateralLaw",
    "delassus",
    "least_constraint",
    "solve_blocks",
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
    """State of a pair."""

    OPEN = 0
    STICK = 1
    SLIP = 2


class Reeve(IntEnum):
    """State of a rope at a sheave: it is slack, sticks, or slips from the span before it to that after it, or back."""

    SLACK = 0
    STICK = 1
    SLIP = 2
    BACK = 3


class NoContactForcesError(ArithmeticError):
    """No forces fulfil the laws: Painleve's paradox at the block of the given index; of a rope also at which sheave."""

    def __init__(self, pair: int, sheave: int | None = None) -> None:
        super().__init__(f"block {pair}" if sheave is None else f"block {pair}, a rope that jams at sheave {sheave}")
        self.pair, self.sheave = pair, sheave


@dataclass(frozen=True, eq=False)
class Blocks:
    """A problem of k blocks with n rows in all: ``u = W p + b``, with the laws of ``laws.c``.

    Parameters
    ----------
    W, b
        Matrix (n x n) and right side (n).
    laws, sizes
        Law and number of rows of each block.
    mu
        Numbers of the rows (n): of a cone the coefficient of friction at its normal, of a limit the limit, of a rope at
        each span but the first the largest ``|ln(T_j / T_{j-1})|`` of the sheave before it.
    slip
        Directions in which blocks slip already (n), NaN where they do not: of a cone at its tangents, of a rope 1 or -1
        at each span but the first, for the sheave before it. None: nothing slips yet.
    last
        Forces (n) from which those that are indeterminate differ least; None: as small as can be.
    lengths
        Lengths of spans (n), the weights of these differences in ropes; None: all alike.
    """

    W: Array
    b: Array
    laws: Sequence[UnilateralLaw]
    sizes: Sequence[int]
    mu: Array
    slip: Array | None = None
    last: Array | None = None
    lengths: Array | None = None

    @staticmethod
    def rope(
        W: Array,
        b: Array,
        kappa: ArrayLike,
        slip: ArrayLike | None = None,
        last: Array | None = None,
        lengths: Array | None = None,
    ) -> Blocks:
        """Make one rope of n spans, with ``kappa`` and ``slip`` of its n - 1 sheaves."""
        ways = None if slip is None else np.append(np.nan, slip)
        return Blocks(W, b, (UnilateralLaw.ROPE,), (len(b),), np.append(0.0, kappa), ways, last, lengths)


class BlockForces(NamedTuple):
    """Forces or impulses, relative velocities and what blocks do, by rows.

    The mode stands at the first row of a block (`Touch`); of a rope also at that of each span, for the sheave before it
    (`Reeve`).
    """

    p: Array
    u: Array
    modes: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Cones:
    """A problem: ``u = W p + b`` of k pairs, three rows each.

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
    """

    W: Array
    b: Array
    mu: Array
    slip: Array
    preload: Array

    @staticmethod
    def of(
        W: Array,
        b: Array,
        mu: Array,
        slip: Array | None = None,
        preload: Array | None = None,
    ) -> Cones:
        """Make them; nothing slips yet and no other impulses act unless given."""
        k = len(mu)
        return Cones(
            W,
            b,
            mu,
            np.full((k, 2), np.nan) if slip is None else slip,
            np.zeros(k) if preload is None else preload,
        )


@dataclass(frozen=True, eq=False)
class Solution:
    """Forces or impulses ``p`` (k x 3), relative velocities ``u`` (k x 3), and what each pair does (k)."""

    p: Array
    u: Array
    modes: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Strike:
    """Effects of an impact.

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
    for name in ("least_constraint", "solve_blocks", "strike"):
        getattr(loaded, f"algebra_{name}").restype = ctypes.c_int64
    return loaded


def _call(name: str, sizes: tuple[int, int, int], *arguments: object) -> int:
    """Call a routine with scratch memory for machines of ``sizes``: velocities, rows, rows of blocks."""
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


def _first(sizes: Sequence[int]) -> NDArray[np.int64]:
    return np.append(0, np.cumsum(sizes)).astype(np.int64)


def _solve(c: Blocks, preload: Array) -> BlockForces:
    first, n = _first(c.sizes), sum(c.sizes)
    shapes = {"W": (n, n), "b": (n,), "mu": (n,), "slip": (n,), "last": (n,), "lengths": (n,)}
    for name, shape in shapes.items():
        value = getattr(c, name)
        if value is not None and np.shape(value) != shape:
            raise InputError(f"{len(c.laws)} blocks with {n} rows need {name} {shape}, got {np.shape(value)}")
    p, u, modes, sheave = np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.int64), np.zeros(1, dtype=np.int64)
    slip = np.full(n, np.nan) if c.slip is None else c.slip
    arguments: list[object] = [_flags(c.laws), first, *(_reals(x) for x in (c.W, c.b, c.mu, slip, preload))]
    arguments += [ctypes.c_void_p() if x is None else _reals(x) for x in (c.last, c.lengths)]
    bad = _call("solve_blocks", (1, 1, n), _size(len(c.laws)), *arguments, p, u, modes, sheave)
    if bad != _SOLVED:
        raise NoContactForcesError(bad, None if sheave[0] < 0 else int(sheave[0] - first[bad]))
    return BlockForces(p, u, modes)


def solve_blocks(c: Blocks) -> BlockForces:
    """Return forces or impulses of all blocks that obey their laws together.

    Raises
    ------
    NoContactForcesError
        If there are none: at which block.
    """
    return _solve(c, np.zeros(len(c.b)))


def solve_cones(c: Cones) -> Solution:
    """Return forces or impulses of all pairs that obey their laws together.

    Raises
    ------
    NoContactForcesError
        If there are none: at which pair.
    """
    k = len(c.mu)
    slip = np.column_stack([np.full(k, np.nan), c.slip]).ravel()
    blocks = Blocks(c.W, c.b, (UnilateralLaw.CONE,) * k, (3,) * k, _at_normals(c.mu), slip)
    p, u, modes = _solve(blocks, _at_normals(c.preload))
    return Solution(p.reshape(k, 3), u.reshape(k, 3), modes[::3])


def _at_normals(values: ArrayLike) -> Array:
    """Numbers of the rows of pairs, those of pairs at their normals and zero elsewhere."""
    rows = np.zeros((np.size(values), 3))
    rows[:, 0] = values
    return rows.ravel()


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
    arguments: list[object] = [_flags([UnilateralLaw.CONE] * k), _first([3] * k)]
    arguments += [*(_reals(x) for x in (W, u, e, _at_normals(mu))), _flags(poisson)]
    bad = _call("strike", (1, 1, 3 * k), _size(k), *arguments, p, factor, lost)
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
