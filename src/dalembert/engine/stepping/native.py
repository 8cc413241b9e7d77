"""Time-stepping of one run in native code, driven through one structure (`moreau.h`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.engine.layout import structure
from dalembert.engine.library import functions, library
from dalembert.engine.memory import Functions, NativeMemory
from dalembert.engine.problem.stepping import STEP_TAPES, BlockLaw, SteppingSystem

__all__ = [
    "DIRECT",
    "MOST_ROWS",
    "BlockSolution",
    "NativeStepping",
    "StepFaults",
    "block_memory",
    "solve_blocks",
    "solve_cone",
    "step_faults",
]

_FILL = 24
"""Blocks beside the diagonal of the factors of a large island, by the number of its nodes (factors.c)."""

_SCRATCH = 18
"""Doubles that history.c needs for each row, besides two vectors of velocities."""

MOST_ROWS = 16
"""Rows of a block at most, as of one.c."""

_TESTED, DIRECT = 48, 96
"""Rows up to which it is tested whether they depend on each other (one.c); those of an island solved directly."""

_STEPPING = functions("stepping")


class NativeStepping:
    """Memory of the time-stepping of one run.

    Parameters
    ----------
    system
        The blocks of the problem.
    n
        Number of states.
    kernels
        Native kernels by name: those of `SteppingSystem.functions`, and those of single blocks.
    functions
        Where ``moreau_step`` of moreau.c is; by default in the library.
    more
        Entries of the tables of blocks that are found at run time, behind the others.
    direct
        Rows of an island up to which forces that are not unique follow the rule.
    """

    def __init__(
        self,
        system: SteppingSystem,
        n: int,
        kernels: dict[str, Any],
        functions: Functions = _STEPPING,
        more: Mapping[str, list[int]] | None = None,
        direct: int = DIRECT,
    ) -> None:
        self._functions, self._kernels = functions, kernels
        self.memory = NativeMemory(structure("moreau"))
        c, array = self.memory.struct, self.memory.array
        nv, k, m = system.nv, len(system.names), system.n_held
        tables = {name: [*values, *(more or {}).get(name, ())] for name, values in system.tables.items()}
        most = len(tables["law"])
        rows, values, n_L = tables["row_start"][-1], tables["value_start"][-1], tables["L_start"][-1]
        c.n, c.nq, c.nv, c.nz, c.n_blocks, c.n_held, c.n_p = n, system.nq, nv, system.nz, k, m, system.n_parameters
        c.n_fixed = k
        c.first_bent, c.n_bent = system.first_bent, system.n_bent
        c.residual_at, c.sweeps_at, c.multipliers = system.residual, system.sweeps, system.multipliers
        c.undetermined_at, c.lowered_at = system.undetermined, system.lowered
        c.work_loss, c.work_input = system.work_loss, system.work_input
        way = system.way
        c.theta, c.tolerance, c.margin, c.max_sweeps = system.theta, way.tolerance, way.margin, int(way.max_sweeps)
        for name in STEP_TAPES:
            setattr(c, name, kernels[name].address)
            self.memory.work(f"{name}_work", kernels[name])
        for name, integers in tables.items():
            array(name, np.append(np.asarray(integers, dtype=np.int64), 0))
        array("feature", np.concatenate([system.features, np.full(most - k + 1, np.inf)]))
        block_memory(
            self.memory, n, nv=nv, blocks=most, rows=rows, values=values, numbers=tables["mu_start"][-1],
            kept=tables["block_start"][-1], n_L=n_L, nz=system.nz, held=m, bent=rows if more else system.n_bent,
            direct=direct, nodes=nv,
        )  # fmt: skip
        if system.pairs is not None:
            pair_kernels = [kernels[pair.key] for pair in system.pairs]
            array("pair", np.array([kernel.address for kernel in pair_kernels], dtype=np.uintp))
            kinds = {pair.key: kernels[pair.key].work() for pair in system.pairs}
            self._kinds = kinds  # what the work arrays point to must outlive the copies of them
            places = dict(zip(kinds, accumulate(map(len, kinds.values()), initial=0), strict=False))
            array("pair_work", np.concatenate(list(kinds.values())))
            array("pair_at", np.array([places[pair.key] for pair in system.pairs], dtype=np.int64))
            array("values", np.zeros(1 + n + c.n_p + n_L + nv))
            array("gathered", np.zeros(max(1, *(len(pair.gather) for pair in system.pairs))))
            starts = [0, *accumulate(len(pair.gather) for pair in system.pairs)]
            array("gather_start", np.array(starts, dtype=np.int64))
            array("gather", np.array([i for pair in system.pairs for i in pair.gather], dtype=np.int64))

    def attach(self, loop: Any) -> None:
        """Put this method into the structure of a time loop."""
        loop.custom, loop.context = self.function, self.address

    @property
    def structures(self) -> dict[str, NativeMemory]:
        """All its memory, by the names of the structures."""
        return {"moreau": self.memory}

    @property
    def faults(self) -> StepFaults:
        """Faults of the contacts in the steps so far."""
        return step_faults(self.memory)

    @property
    def function(self) -> int:
        """Address of the step, ``moreau_step`` of moreau.c."""
        return self._functions("moreau_step")

    @property
    def address(self) -> int:
        """Address of its memory, the first argument of the step; no two threads may share it."""
        return self.memory.address


class StepFaults(NamedTuple):
    """Faults of the contacts in all steps, recorded or not.

    Parameters
    ----------
    unsolved
        How many steps have impulses that violate the laws by more than a thousandth of the largest one.
    most_residual, residual_t
        The largest violation, and when its step ended.
    lowered, lowered_since
        How many steps have a restitution that was lowered, and when the first of them ended.
    most_lowered, lowered_t
        The largest part of it that was taken away, and when.
    """

    unsolved: int
    most_residual: float
    residual_t: float
    lowered: int
    lowered_since: float
    most_lowered: float
    lowered_t: float


def step_faults(memory: NativeMemory) -> StepFaults:
    """Return the counts of a ``struct moreau``."""
    values = StepFaults._make(memory.arrays["faults"].tolist())
    return values._replace(unsolved=int(values.unsolved), lowered=int(values.lowered))


def block_memory(
    memory: NativeMemory,
    n: int,
    *,
    nv: int,
    blocks: int,
    rows: int,
    values: int,
    numbers: int,
    kept: int,
    n_L: int = 0,
    nz: int = 0,
    held: int = 0,
    bent: int = 0,
    direct: int = DIRECT,
    nodes: int = 0,
) -> None:
    """Allocate the arrays that steps write to.

    Parameters
    ----------
    memory
        That of a ``struct moreau``.
    n, nv, nz
        Numbers of states, velocities and internal states.
    blocks, rows, values, numbers, kept
        Blocks, their rows and the entries of these, numbers of their laws, and those that are kept of each.
    n_L
        Entries of L.
    held, bent
        Rows that always hold, and those that turn with the machine.
    direct
        Rows of an island up to which forces that are not unique follow the rule.
    nodes
        Most nodes of an island with sparse equations (factors.c): bodies, or velocities; 0: there are none.
    """
    k, m = blocks, held
    reals = {
        "L": n_L, "d": nv, "s0": nv, "g": k, "e": k, "mu": numbers, "b": nv, "bent": bent,
        "Y": values, "u0": rows, "driven": rows, "pace": k, "zdot": nz, "work": 2,
        "w": kept, "bounce": k, "x": rows, "s": nv, "dv": nv,
        "r": nv, "gap": k, "stays": k, "lambda": k, "total": rows, "last": rows, "Q": m * nv, "held_u0": m, "held_t": m,
        "held_phi": m, "held_rate": m, "T": m * m, "zeta": m, "held_x": m, "P": m * rows, "before": rows,
        "held_total": m, "x_middle": n, "x_swept": n, "displacement": nv, "lengths": k, "gap_now": k,
        "gap_before": k, "turns": k, "scratch": 2 * nv + _SCRATCH * rows,
    }  # fmt: skip
    for name, size in reals.items():
        memory.array(name, np.zeros(max(1, size)))
    for name in ("active", "forced", "fast"):
        memory.array(name, np.zeros(max(1, k), dtype=np.int64))
    memory.array("faults", np.zeros(len(StepFaults._fields)))
    memory.array("near", np.ones(max(1, k), dtype=np.int64))
    _make_room(memory, nv, rows, k, direct, nodes)


def _make_room(memory: NativeMemory, nv: int, rows: int, blocks: int, direct: int = DIRECT, nodes: int = 0) -> None:
    """Allocate what unique.c, factors.c and restrain.c need."""
    memory.struct.direct, memory.struct.n_nodes = direct, nodes
    memory.struct.n_factors = factors = min(nv * nv, 6 * nv * (2 * _FILL + 1)) if nodes else 0
    memory.array("nodes", np.zeros(nv + 1 + nodes * (9 + 2 * _FILL + nodes // 64) + 8, dtype=np.int64))
    memory.array("factors", np.zeros(max(1, factors)))
    memory.array("newton", np.zeros(7 * rows + 7 * blocks + 4 * nv + 8))
    most = min(rows, direct)
    memory.array("ref", np.zeros(max(1, rows)))
    memory.array("gram", np.zeros(_TESTED * (_TESTED + 1) // 2))
    memory.array("dense", np.zeros(2 * most * most + 12 * most + 2 * nv + 2 * rows + 16))
    memory.array("places", np.zeros(max(1, nv), dtype=np.int64))
    memory.array("start", np.zeros(max(1, nv)))
    memory.array("full", np.zeros(max(1, blocks)))
    for name in ("restrained", "alone"):
        memory.array(name, np.zeros(nv + 2 * blocks + 4, dtype=np.int64))
    memory.array("island", np.zeros(nv + 2 * blocks + most + 4, dtype=np.int64))


class BlockSolution(NamedTuple):
    """Impulses of blocks, residual by the largest of them, sweeps, and directions in which they are undetermined."""

    impulses: Array
    residual: float
    sweeps: int
    undetermined: int


def solve_blocks(
    W: ArrayLike,
    u: ArrayLike,
    laws: Sequence[BlockLaw],
    numbers: ArrayLike,
    *,
    sizes: Sequence[int] | None = None,
    guess: ArrayLike | None = None,
    tolerance: float = 1e-12,
    max_sweeps: int = 10_000,
) -> BlockSolution:
    """Solve for the impulses of blocks with laws: the routine of time-stepping, on plain arrays.

    With the velocities ``w = W x + u`` every block obeys its law (`BlockLaw`, ``laws.h``).

    Parameters
    ----------
    W
        Symmetric matrix ``J M^-1 J^T`` of all rows: three of each block by Coulomb, ``sizes`` of ropes, one of others.
    u
        Velocities without impulses, with ``e`` times the normal velocity before the impact added.
    laws, numbers
        Law of each block; one after the other its coefficient of friction, the largest impulses of a joint at rest and
        in motion, or of a rope of n spans the largest ratio of tensions ``e^kappa`` at each of its n - 1 sheaves.
    sizes
        Number of rows of each block, where there are ropes.
    guess
        Impulses to start from.
    tolerance, max_sweeps
        As in `TimeStepping`.
    """
    W, u, numbers = (np.ascontiguousarray(a, dtype=float) for a in (W, u, numbers))
    k, rows = len(laws), [3 if law is BlockLaw.COULOMB else 1 for law in laws] if sizes is None else list(sizes)
    n, given = sum(rows), np.cumsum([0, *(law.given(m) for law, m in zip(laws, rows, strict=True))])
    if max(rows) > MOST_ROWS:
        raise InputError(f"a block has at most {MOST_ROWS} rows, got {max(rows)}")
    if W.shape != (n, n) or u.shape != (n,) or numbers.shape != (given[-1],):
        raise InputError(
            f"{k} blocks with {n} rows need W ({n}, {n}), u ({n},) and numbers ({given[-1]},), got {W.shape}, "
            f"{u.shape} and {numbers.shape}"
        )
    size, vectors = np.linalg.eigh(W)
    x = np.zeros(n) if guess is None else np.array(guess, dtype=float).reshape(n)
    memory = NativeMemory(structure("moreau"))
    c, starts = memory.struct, np.append(0, np.cumsum(rows))
    c.nv, c.n_blocks, c.tolerance, c.max_sweeps = n, k, tolerance, max_sweeps
    integers: dict[str, Any] = {
        "law": [int(law) for law in laws], "size": rows, "count": np.full(k, n), "support": np.arange(n),
        "support_start": np.zeros(k), "row_start": starts, "mu_start": given, "value_start": n * starts,
        "block_start": np.cumsum([0, *(law.numbers(int(m)) for law, m in zip(laws, rows, strict=True))]),
        "active": np.zeros(k),
    }  # fmt: skip
    for name, values in integers.items():
        memory.array(name, np.asarray(values, dtype=np.int64))
    reals: dict[str, Any] = {
        "Y": vectors * np.sqrt(np.maximum(size, 0.0)), "u0": u, "mu": numbers, "bounce": np.zeros(k), "s": np.zeros(n),
        "w": np.zeros(int(integers["block_start"][-1])), "scratch": np.zeros((2 + _SCRATCH) * n), "r": np.zeros(n),
    }  # fmt: skip
    for name, values in reals.items():
        memory.array(name, values)
    memory.point("x", x)
    memory.array("force", np.asarray(starts[:-1], dtype=np.int64))
    _make_room(memory, n, n, k)
    account = np.zeros(2)
    library("stepping").block_problem(memory.address, account.ctypes.data, account[1:].ctypes.data)
    return BlockSolution(x, float(account[0]), int(account[1]), int(c.undetermined))


def solve_cone(W: ArrayLike, u: ArrayLike, mu: ArrayLike, **settings: Any) -> BlockSolution:
    """Solve Coulomb's law for several contacts, with impulses (k, 3); otherwise as `solve_blocks`."""
    laws = [BlockLaw.COULOMB] * np.size(mu)
    solution = solve_blocks(W, u, laws, mu, **settings)
    return solution._replace(impulses=solution.impulses.reshape(-1, 3))
