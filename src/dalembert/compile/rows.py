"""Functions that end in linear algebra: a tape, then sums of rows of the numbers that it left on a board.

Factorisations and products of matrices do the same to all columns of a row. Written out as scalar operations they are
most of a long tape; as sums of rows they are a table, which the processor works through with neighbouring columns in
vectors. What is zero for structural reasons is left out by rows and by ranges of columns.

The board is an array of numbers. The tape (the *head*) fills its beginning; the steps of a `RowProgram` go on from
there, in order; the outputs are matrices on the board.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import casadi as ca

from .forms import Form, definitions, read_text

__all__ = ["Block", "Pivot", "RowFunction", "RowProgram", "RowSum", "Rows", "RowsBuilder", "aligned", "emit_rows", "rows_signature"]

ALIGN = 8
"""Rows start at multiples of so many numbers, and so many may be read beyond the end of the board."""


def aligned(columns: int) -> int:
    """Least multiple of `ALIGN` that is not less."""
    return -(-columns // ALIGN) * ALIGN


@dataclass(frozen=True, slots=True)
class RowSum:
    """``b[target : target + n] = b[start : start + n] + sum of b[f] * b[x : x + n]`` over the terms ``(f, x)``.

    The sum is formed from the left. Nothing is added to it if `start` is -1. Rows of terms may be the target itself,
    but must not overlap it otherwise; factors must lie outside of it.
    """

    target: int
    n: int
    terms: tuple[tuple[int, int], ...]
    start: int = -1


@dataclass(frozen=True, slots=True)
class Pivot:
    """``b[target] = -1 / b[source]``."""

    target: int
    source: int


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

    def part(self, i: int, j: int, rows: int, columns: int) -> Block:
        """The matrix of so many rows and columns that starts at entry (i, j)."""
        return Block(self.place(i, j), rows, columns, self.stride)


@dataclass(frozen=True, slots=True)
class RowProgram:
    """Steps on a board.

    Parameters
    ----------
    size
        Length of the board.
    steps
        What is computed, in order.
    outputs
        The results.
    symmetric
        For each output, whether its upper triangle counts for both.
    """

    size: int
    steps: tuple[RowSum | Pivot, ...]
    outputs: tuple[Block, ...]
    symmetric: tuple[bool, ...]

    @property
    def room(self) -> int:
        """Length of the board with room to align it."""
        return self.size + ALIGN

    @property
    def n_operations(self) -> int:
        """Number of scalar operations."""
        return sum(1 if isinstance(s, Pivot) else 2 * s.n * len(s.terms) for s in self.steps)

    def apply(self, head: Any) -> list[Any]:
        """Compute the outputs as dense expressions."""
        b = ca.vertcat(ca.densify(head), ca.SX.zeros(self.size - head.numel()))
        for s in self.steps:
            if isinstance(s, Pivot):
                b[s.target] = -1 / b[s.source]
                continue
            total = b[s.start : s.start + s.n] if s.start >= 0 else ca.SX.zeros(s.n)
            for f, x in s.terms:
                total = total + b[f] * b[x : x + s.n]
            b[s.target : s.target + s.n] = total
        return [self._output(b, *output) for output in zip(self.outputs, self.symmetric, strict=True)]

    @staticmethod
    def _output(b: Any, block: Block, symmetric: bool) -> Any:
        if not block.rows or not block.columns:
            return ca.SX(block.rows, block.columns)
        rows = [b[block.place(i) : block.place(i, block.columns)].T for i in range(block.rows)]
        matrix = ca.vertcat(*rows)
        return ca.densify(ca.triu2symm(ca.triu(matrix))) if symmetric else matrix


@dataclass(frozen=True)
class Rows:
    """Expressions in two parts: what the tape delivers, a dense column, and the steps from there."""

    head: Any
    program: RowProgram

    def expressions(self) -> list[Any]:
        """The outputs, written out."""
        return self.program.apply(self.head)

    def function(
        self, name: str, inputs: Sequence[Any], input_names: Sequence[str], output_names: Sequence[str]
    ) -> RowFunction:
        """Make a function of these expressions."""
        head = ca.Function(name, list(inputs), [ca.cse(self.head)], list(input_names), ["board"])
        return RowFunction(head, self.program, tuple(output_names))


@dataclass(frozen=True)
class RowFunction:
    """A function in two parts: its head, and a program. It answers for its names and sizes as a CasADi function does.

    Parameters
    ----------
    head
        From the inputs to the beginning of the board, a column.
    program
        What follows.
    output_names
        Names of the outputs of the program.
    """

    head: ca.Function
    program: RowProgram
    output_names: tuple[str, ...]

    @cached_property
    def function(self) -> ca.Function:
        """The same function written out as scalar operations."""
        inputs = self.head.sx_in()
        outputs = ca.cse(self.program.apply(self.head(*inputs)))
        return ca.Function(self.head.name(), inputs, outputs, self.head.name_in(), list(self.output_names))

    def name(self) -> str:
        """Name of the function."""
        return str(self.head.name())

    def name_in(self) -> list[str]:
        """Names of the inputs."""
        return list(self.head.name_in())

    def name_out(self) -> list[str]:
        """Names of the outputs."""
        return list(self.output_names)

    def size_in(self, name: str) -> tuple[int, int]:
        """Rows and columns of an input."""
        rows, columns = self.head.size_in(name)
        return int(rows), int(columns)

    def size_out(self, name: str) -> tuple[int, int]:
        """Rows and columns of an output."""
        block = self.program.outputs[self.output_names.index(name)]
        return block.rows, block.columns

    def n_instructions(self) -> int:
        """Number of scalar operations."""
        return int(self.head.n_instructions()) + self.program.n_operations

    def serialize(self) -> str:
        """A text that identifies it."""
        return f"{self.head.serialize()}\n{self.program!r}\n{self.output_names!r}"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by the serialised head."""
        return _restore, (self.head.serialize(), self.program, self.output_names)


def _restore(head: str, program: RowProgram, output_names: tuple[str, ...]) -> RowFunction:
    return RowFunction(ca.Function.deserialize(head), program, output_names)


@dataclass
class RowsBuilder:
    """A board and its steps as they grow: first what the head gives, then what is computed."""

    _head: list[Any] = field(default_factory=list)
    _given: int = 0
    _size: int = 0
    _steps: list[RowSum | Pivot] = field(default_factory=list)

    def give(self, matrix: Any) -> Block:
        """Put a matrix of the head on the board."""
        if self._size != self._given:
            raise ValueError("what the head gives comes first")
        block = self.block(*matrix.shape)
        padding = ca.SX(matrix.shape[0], block.stride - matrix.shape[1])
        self._head.append(ca.vec(ca.horzcat(matrix, padding).T))
        self._given = self._size
        return block

    def block(self, rows: int, columns: int) -> Block:
        """Make room for a matrix; nothing is in it yet."""
        stride = aligned(columns)
        made = Block(self._size, rows, columns, stride)
        self._size += rows * stride
        return made

    def clear(self, block: Block) -> None:
        """Make all entries of a block zero."""
        self._steps.append(RowSum(block.at, block.rows * block.stride, ()))

    def pivot(self, target: int, source: int) -> None:
        """Append ``b[target] = -1 / b[source]``."""
        self._steps.append(Pivot(target, source))

    def row(self, target: int, cells: Mapping[int, Cell]) -> None:
        """Append what computes a row from its cells; neighbours that are computed alike share a step.

        Parameters
        ----------
        target
            Place of column 0 of the row.
        cells
            For each column that is computed, how; see `Cell`.
        """
        run: list[int] = []
        for column in sorted(cells):
            if run and (column != run[-1] + 1 or cells[column] != cells[run[0]]):
                self._append(target, run, cells[run[0]])
                run = []
            run.append(column)
        if run:
            self._append(target, run, cells[run[0]])

    def _append(self, target: int, run: Sequence[int], cell: Cell) -> None:
        start, terms = cell
        first = run[0]
        shifted = tuple((f, x + first) for f, x in terms)
        self._steps.append(RowSum(target + first, len(run), shifted, start + first if start is not None else -1))

    def finish(self, outputs: Sequence[Block], symmetric: Sequence[Block] = ()) -> Rows:
        """Return what was made; see `RowProgram` for the outputs."""
        which = tuple(block in symmetric for block in outputs)
        program = RowProgram(self._size + ALIGN, tuple(self._steps), tuple(outputs), which)
        return Rows(ca.densify(ca.vertcat(*self._head)), program)


Cell = tuple[int | None, tuple[tuple[int, int], ...]]
"""How a column ``c`` of a row is computed: ``b[start + c] + sum of b[f] * b[x + c]``, as (start, terms (f, x))."""


def emit_rows(program: RowProgram, symbol: str, signatures: Sequence[str], n_work: int, form: Form) -> str:
    """Write the function ``SYM_rows``, which calls the head and works through the program.

    Parameters
    ----------
    program
        The steps.
    symbol
        C name of the kernel.
    signatures
        Of the functions of the head; the board is their only output.
    n_work
        Length of their work array. The board lies behind it.
    form
        What a ``real`` is.
    """
    terms: list[tuple[int, int]] = []
    steps: list[tuple[int, ...]] = []
    for s in program.steps:
        if isinstance(s, Pivot):
            steps.append((s.target, s.source, 0, 0, 0))
        else:
            steps.append((s.target, s.start, s.n, len(terms), len(terms) + len(s.terms)))
            terms += s.terms
    outputs = [
        (o.at, o.stride, o.rows, o.columns, int(symmetric))
        for o, symmetric in zip(program.outputs, program.symmetric, strict=True)
    ]
    names = [signature.split("(")[0].split()[-1] for signature in signatures]
    calls = "".join(f"    {name}(in, board, w);\n" for name in names)
    return "\n".join(
        [
            definitions({"ROWS_IN_PACKS": int(form.packs)}) + read_text("rows.h"),
            *(f"{signature};" for signature in signatures),
            _table("row_step", f"{symbol}_steps", steps),
            _table("row_term", f"{symbol}_terms", terms),
            _table("row_output", f"{symbol}_outputs", outputs),
            f"{rows_signature(symbol, form)} {{",
            f"    real *const b = BOARD(w + {n_work});",
            "    real *const board[] = {b};",
            f"{calls}    row_steps(b, {symbol}_steps, {len(steps)}, {symbol}_terms);",
            f"    row_outputs(b, {symbol}_outputs, {len(outputs)}, out);",
            "}",
            "",
        ]
    )


def rows_signature(symbol: str, form: Form) -> str:
    """Signature of the function that `emit_rows` writes."""
    return f"{form.chunk} {symbol}_rows(const real *const *in, real *const *out, real *restrict w)"


def _table(kind: str, name: str, entries: Sequence[Sequence[int]]) -> str:
    listed = ", ".join(f"{{{', '.join(map(str, entry))}}}" for entry in entries) or "{0}"
    return f"TABLE struct {kind} {name}[] = {{{listed}}};"
