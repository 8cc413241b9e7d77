"""Functions in stages: tapes, and linear algebra on a board of numbers.

Factorisations and products of matrices do the same to all columns of a row, and many formulas are the same for all
bodies of a machine. Written out as scalar operations they make a long tape; in stages they are short, and the processor
computes neighbouring columns in vectors. Structural zeros are left out, by rows and by ranges of columns.

The board is an array of numbers that holds matrices (`Block`) row by row. Stages run in order:

- `Fill`: a tape computes blocks from the inputs and from other blocks;
- `Map`: a function of a few numbers is evaluated for each column of some blocks;
- `Clear`: a block becomes zero;
- `RowSum`: a row becomes a sum of multiples of rows;
- `Pivot`: a number becomes minus the reciprocal of another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from dalembert.core.types import Expression

__all__ = ["ALIGN", "Block", "Clear", "Fill", "Map", "Pivot", "RowFunction", "RowSum", "Stage", "aligned", "neighbours"]

ALIGN = 8
"""Rows start at multiples of so many numbers."""


def aligned(columns: int) -> int:
    """Least multiple of `ALIGN` that is not less."""
    return -(-columns // ALIGN) * ALIGN


def neighbours(numbers: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Neighbours among sorted numbers, as (first, number)."""
    runs: list[tuple[int, int]] = []
    for x in numbers:
        if runs and x == sum(runs[-1]):
            runs[-1] = runs[-1][0], runs[-1][1] + 1
        else:
            runs.append((x, 1))
    return tuple(runs)


@dataclass(frozen=True, slots=True)
class Block:
    """A matrix on the board, row by row.

    Parameters
    ----------
    at
        Place of its first number.
    rows, columns
        Its size.
    stride
        Numbers from one row to the next.
    """

    at: int
    rows: int
    columns: int
    stride: int

    def place(self, i: int, j: int = 0) -> int:
        """Place of an entry."""
        return self.at + i * self.stride + j

    def submatrix(self, i: int, j: int, rows: int, columns: int) -> Block:
        """The matrix of so many rows and columns that starts at entry (i, j)."""
        return Block(self.place(i, j), rows, columns, self.stride)

    @property
    def length(self) -> int:
        """Numbers from its first row to the end of its last one, with the gaps between the rows."""
        return self.rows * self.stride

    def matrix(self, column: Expression) -> Expression:
        """The matrix in a column vector of so many numbers."""
        return ca.reshape(column, self.stride, self.rows).T[:, : self.columns]


@dataclass(frozen=True, slots=True)
class Fill:
    """A tape: a column ``function(inputs, reads)`` fills the blocks that it writes, and the gaps between their rows."""

    function: ca.Function
    reads: tuple[Block, ...]
    writes: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Map:
    """A function of columns of blocks, evaluated for each column; it has additions and multiplications only."""

    function: ca.Function
    reads: tuple[Block, ...]
    writes: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class RowSum:
    """``b[target + c] = b[start + c] + sum of b[f] * b[x + c]`` over the terms ``(f, x)``, for some columns ``c``.

    The sum is formed from the left; it starts with nothing if `start` is None. Columns are given as runs (first,
    number). Factors must lie outside of the target.
    """

    target: int
    runs: tuple[tuple[int, int], ...]
    terms: tuple[tuple[int, int], ...]
    start: int | None = None


@dataclass(frozen=True, slots=True)
class Pivot:
    """``b[target] = -1 / b[source]``."""

    target: int
    source: int


@dataclass(frozen=True, slots=True)
class Clear:
    """All entries of a block, and the gaps between its rows, become zero."""

    block: Block


Stage = Fill | Map | Clear | RowSum | Pivot


@dataclass(frozen=True)
class RowFunction:
    """A function in stages. It has names and sizes as a CasADi function does.

    Parameters
    ----------
    label
        Its name.
    inputs
        Names and lengths of the inputs.
    outputs
        Names of the results, and where they are.
    symmetric
        Names of the outputs whose upper triangle counts for both.
    size
        Length of the board.
    stages
        Computed stages, in order.
    """

    label: str
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, Block], ...]
    symmetric: frozenset[str]
    size: int
    stages: tuple[Stage, ...]

    def name(self) -> str:
        """Name of the function."""
        return self.label

    def name_in(self) -> list[str]:
        """Names of the inputs."""
        return [name for name, _ in self.inputs]

    def name_out(self) -> list[str]:
        """Names of the outputs."""
        return [name for name, _ in self.outputs]

    def size_in(self, name: str) -> tuple[int, int]:
        """Rows and columns of an input."""
        return dict(self.inputs)[name], 1

    def size_out(self, name: str) -> tuple[int, int]:
        """Rows and columns of an output."""
        block = dict(self.outputs)[name]
        return block.rows, block.columns

    def n_instructions(self) -> int:
        """Number of scalar operations."""
        return sum(map(_n_operations, self.stages))

    def serialize(self) -> str:
        """A text that identifies it."""
        texts = [repr((self.label, self.inputs, self.outputs, sorted(self.symmetric), self.size))]
        for stage in self.stages:
            if isinstance(stage, Fill | Map):
                texts.append(stage.function.serialize())
            texts.append(repr(stage))
        return "\n".join(texts)

    @cached_property
    def function(self) -> ca.Function:
        """The same function as scalar operations."""
        inputs = [ca.SX.sym(name, n) for name, n in self.inputs]
        return ca.Function(self.label, inputs, ca.cse(self.apply(inputs)), self.name_in(), self.name_out())

    def apply(self, inputs: Sequence[Expression]) -> list[Expression]:
        """Write the outputs as dense expressions of the inputs."""
        b = ca.SX.zeros(self.size)
        for s in self.stages:
            match s:
                case Fill():
                    filled = s.function(*inputs, *(b[x.at : x.at + x.length] for x in s.reads))
                    b[s.writes[0].at : s.writes[0].at + filled.numel()] = ca.densify(filled)
                case Map():
                    for c in range(s.writes[0].columns):
                        columns = [b[x.place(0, c) :: x.stride][: x.rows] for x in s.reads]
                        for block, value in zip(s.writes, s.function.call(columns), strict=True):
                            for i in range(block.rows):
                                b[block.place(i, c)] = value[i]
                case Clear():
                    b[s.block.at : s.block.at + s.block.length] = 0
                case Pivot():
                    b[s.target] = -1 / b[s.source]
                case RowSum():
                    for first, n in s.runs:
                        total = ca.SX.zeros(n) if s.start is None else b[s.start + first : s.start + first + n]
                        for f, x in s.terms:
                            total = total + b[f] * b[x + first : x + first + n]
                        b[s.target + first : s.target + first + n] = total
        return [self._output(b, name, block) for name, block in self.outputs]

    def _output(self, b: Expression, name: str, block: Block) -> Expression:
        if not block.rows or not block.columns:
            return ca.SX(block.rows, block.columns)
        rows = [b[block.place(i) : block.place(i, block.columns)].T for i in range(block.rows)]
        matrix = ca.vertcat(*rows)
        return ca.densify(ca.triu2symm(ca.triu(matrix))) if name in self.symmetric else matrix


def _n_operations(stage: Stage) -> int:
    match stage:
        case Fill():
            return int(stage.function.n_instructions())
        case Map():
            return int(stage.function.n_instructions()) * stage.writes[0].columns
        case RowSum():
            return 2 * len(stage.terms) * sum(n for _, n in stage.runs)
        case Clear():
            return 0
        case Pivot():
            return 1
