"""The blocks of a problem: what a step after Moreau and Jean asks for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from itertools import accumulate

import casadi
import numpy as np
from numpy.typing import NDArray

from dalembert.core.types import Array
from dalembert.engine.methods.contacts import TimeStepping
from dalembert.engine.problem.shapes import ColliderSystem

__all__ = ["STEP_TAPES", "BlockLaw", "PairRows", "SteppingSystem"]

STEP_TAPES = ("terms", "bias", "gaps", "move", "finish", "lift", "held")
"""Functions that a step calls, as members of `SteppingSystem`."""


@dataclass(frozen=True, eq=False)
class PairRows:
    """Rows of one block, where machines have so many that they are evaluated one by one.

    Parameters
    ----------
    key
        Name of the function; blocks of the same kind share it.
    function
        (values) -> rows ``J L^-T D^-1/2`` at the support of the block; velocities ``J v``; of
        contacts the rates of these while all bodies keep their velocities.
    gather
        Which of the values (t, x, p, L, ``D^-1/2``) it takes.
    """

    key: str
    function: casadi.Function
    gather: tuple[int, ...]


class BlockLaw(IntEnum):
    """The law of a block, as in ``laws.h``, which says what each of them demands."""

    UNILATERAL = 0
    COULOMB = 1
    STICTION = 2
    ROPE = 3
    RESISTED = 4

    def given(self, rows: int) -> int:
        """Return how many numbers tapes give of a block in every step: friction, two limits, or ratios of sheaves."""
        if self is BlockLaw.RESISTED:
            return 3
        return rows - 1 if self is BlockLaw.ROPE else 2 if self is BlockLaw.STICTION else 1

    def numbers(self, rows: int) -> int:
        """Return how many numbers are kept of a block: its matrix, and numbers that the law derives from it."""
        more = {BlockLaw.COULOMB: 10, BlockLaw.RESISTED: 16}
        return rows * (rows + 1) // 2 + more.get(self, 1)


@dataclass(frozen=True, eq=False)
class SteppingSystem:
    """Blocks of a problem that is stepped from velocity to velocity: ``M^ (v+ - v) = h f + J^T x``.

    A block is a contact, a cable that only pulls, a joint that sticks or a rope over sheaves: rows with a law
    (`BlockLaw`). Rows that always hold (loops, welds, gears, prescribed motion) are no blocks: they are eliminated.

    Parameters
    ----------
    way
        The settings.
    theta
        Where in the step damping and stiffness are taken.
    nq, nv, nz
        Numbers of coordinates, velocities and internal states (of laws).
    terms
        (t, x, c, p, h) -> entries of L and ``D^-1/2`` of ``M^ = L^T D L``; ``D^-1/2 L^-T h f``; of the blocks gaps,
        restitution, friction (of those that stick the largest forces at rest and in motion, of ropes the largest ratio
        of tensions at each sheave); the part of the bias of the equations in ``f``; of the rows that always hold
        ``J L^-T D^-1/2`` (dense, row by row), ``J v + Phi_t`` and ``Phi_t``; of contacts, cables and ropes the change
        of their velocities from the start to the middle of the step by the turn of their rows; then rows
        ``J L^-T D^-1/2`` of the blocks at their supports and velocities ``J v``, or, with ``pairs``, bounds of the
        speeds of the blocks.
    pairs
        Rows of each block; None: they are in ``terms``.
    n_parameters
        Number of run-time parameters p.
    bias
        (t, x, c, p) -> that bias.
    gaps
        (t, x, c, p) -> gaps.
    move
        (x, d, p) -> q moved by the tangent displacement d, and v as it is in the axes there.
    finish
        (t, x, c, p, h, dv) -> rates of the internal states; work of inputs and of losses in the step.
    lift
        (t, x, d, p) -> potential energy that a small displacement d brings.
    held
        (t, x, c, p) -> ``Phi`` and ``J v + Phi_t`` of the rows that always hold.
    factor
        Columns before the diagonal of each row of L that are not zero.
    supports
        Velocities that the rows of each block have entries at, once those that always hold are eliminated.
    laws, sizes
        Law and number of rows of each block.
    features
        Length of each block below which nothing can pass through it unseen; infinite: no search is needed.
    n_held
        Number of rows that always hold.
    first_bent, n_bent
        First row of cables and ropes; how many rows contacts, cables and ropes have.
    names
        Names of the blocks.
    forces, losses
        Places in x: of the first force of each block, and of the energy that it has taken (-1: not recorded), of a rope
        that of its first sheave.
    loads
        First and number of those rows that always hold whose impulses are the load to which the friction of each block
        is proportional; -1, 0: there are none.
    tugs
        Rows of blocks, the spans of ropes whose tensions are the load of each block; empty: there are none.
    first_force, n_forces
        Where forces are, those of contacts without friction among them, which have three.
    multipliers, residual, sweeps, undetermined, lowered, work_input, work_loss
        Places in x: of the multipliers of the rows that always hold, of the account of the solver, of the works.
    colliders
        Shapes whose contacts are found in every step: blocks behind the others.
    """

    way: TimeStepping
    theta: float
    nq: int
    nv: int
    nz: int
    terms: casadi.Function
    pairs: tuple[PairRows, ...] | None
    n_parameters: int
    bias: casadi.Function
    gaps: casadi.Function
    move: casadi.Function
    finish: casadi.Function
    lift: casadi.Function
    held: casadi.Function
    factor: tuple[tuple[int, ...], ...]
    supports: tuple[tuple[int, ...], ...]
    laws: tuple[BlockLaw, ...]
    sizes: NDArray[np.int64]
    features: Array
    n_held: int
    first_bent: int
    n_bent: int
    names: tuple[str, ...]
    forces: tuple[int, ...]
    losses: tuple[int, ...]
    loads: tuple[tuple[int, int], ...]
    tugs: tuple[tuple[int, ...], ...]
    first_force: int
    n_forces: int
    multipliers: int
    residual: int
    sweeps: int
    undetermined: int
    lowered: int
    work_input: int
    work_loss: int
    colliders: ColliderSystem | None = None

    @property
    def functions(self) -> dict[str, casadi.Function]:
        """The functions that a step calls, by name; those of ``pairs`` besides."""
        named = {name: getattr(self, name) for name in STEP_TAPES}
        return named if self.colliders is None else named | {"poses": self.colliders.poses}

    @property
    def tables(self) -> dict[str, list[int]]:
        """Tables of the blocks, by the names that they have in C."""
        sizes, counts = [int(n) for n in self.sizes], [len(support) for support in self.supports]
        numbers = [law.numbers(n) for law, n in zip(self.laws, sizes, strict=True)]
        return {
            "L_start": [0, *accumulate(map(len, self.factor))],
            "L_column": [j for row in self.factor for j in row],
            "law": [int(law) for law in self.laws],
            "size": sizes,
            "count": counts,
            "support_start": [0, *accumulate(counts)],
            "support": [j for support in self.supports for j in support],
            "row_start": [0, *accumulate(sizes)],
            "mu_start": [0, *accumulate(law.given(n) for law, n in zip(self.laws, sizes, strict=True))],
            "value_start": [0, *accumulate(n * m for n, m in zip(sizes, counts, strict=True))],
            "block_start": [0, *accumulate(numbers)],
            "force": list(self.forces),
            "loss": list(self.losses),
            "load": [first for first, _ in self.loads],
            "load_count": [count for _, count in self.loads],
            "tug_start": [0, *accumulate(map(len, self.tugs))],
            "tug": [row for rows in self.tugs for row in rows],
        }
