"""Building of functions in stages (``compile/rows.py``): blocks, and how their entries are computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field

import casadi as ca

from dalembert.compile.rows import (
    ALIGN,
    Block,
    Clear,
    Fill,
    Map,
    Pivot,
    RowFunction,
    RowSum,
    Stage,
    aligned,
    neighbours,
)
from dalembert.core.types import Expression

__all__ = ["Cell", "RowExpressions", "RowsBuilder"]

Cell = tuple[int | None, tuple[tuple[int, int], ...]]
"""How a column ``c`` of a row is computed: ``b[start + c] + sum of b[f] * b[x + c]``, as (start, terms (f, x))."""


@dataclass(frozen=True)
class _Expression:
    """A `Fill` whose inputs are not named yet: a column, and the symbols of the blocks that it reads."""

    column: Expression
    reads: tuple[tuple[Block, Expression], ...]
    writes: tuple[Block, ...]


@dataclass(frozen=True)
class RowExpressions:
    """Expressions in stages.

    Parameters
    ----------
    stages
        As in a `RowFunction`, with expressions instead of tapes.
    size
        Length of the board.
    outputs, symmetric
        The results, and those whose upper triangle counts for both.
    """

    stages: tuple[_Expression | Stage, ...]
    size: int
    outputs: tuple[Block, ...]
    symmetric: tuple[Block, ...]

    def function(
        self, name: str, inputs: Sequence[Expression], input_names: Sequence[str], output_names: Sequence[str]
    ) -> RowFunction:
        """Make a function of the expressions, whose symbols are columns."""
        stages: list[Stage] = []
        for k, s in enumerate(self.stages):
            if isinstance(s, _Expression):
                symbols = [*inputs, *(symbol for _, symbol in s.reads)]
                names = [*input_names, *(f"board{i}" for i in range(len(s.reads)))]
                tape = ca.Function(f"{name}_{k}", symbols, [ca.cse(s.column)], names, ["board"])
                s = Fill(tape, tuple(block for block, _ in s.reads), s.writes)
            stages.append(s)
        outputs = dict(zip(output_names, self.outputs, strict=True))
        symmetric = frozenset(n for n, block in outputs.items() if block in self.symmetric)
        sizes = tuple((n, int(x.numel())) for n, x in zip(input_names, inputs, strict=True))
        return RowFunction(name, sizes, tuple(outputs.items()), symmetric, self.size, tuple(stages))

    def expressions(self) -> list[Expression]:
        """The outputs, as scalar operations on the symbols."""
        tapes = [s for s in self.stages if isinstance(s, _Expression)]
        read = {y.element_hash() for s in tapes for _, x in s.reads for y in ca.symvar(x)}
        used = ca.symvar(ca.vertcat(*(s.column for s in tapes)))
        symbols = ca.vertcat(*(x for x in used if x.element_hash() not in read))
        function = self.function("rows", [symbols], ["x"], [f"y{k}" for k in range(len(self.outputs))])
        return function.apply([symbols])


@dataclass
class RowsBuilder:
    """A board and its stages as they grow."""

    _stages: list[_Expression | Stage] = field(default_factory=list)
    _size: int = 0
    _pending: dict[Block, Expression] = field(default_factory=dict)
    _symbols: dict[Block, Expression] = field(default_factory=dict)

    def block(self, rows: int, columns: int) -> Block:
        """Make room for a matrix; nothing is in it yet."""
        self._close()
        return self._room(rows, columns)

    def give(self, matrix: Expression) -> Block:
        """Put a matrix of expressions on the board; neighbours share a tape."""
        block = self._room(*matrix.shape)
        padding = ca.SX(block.rows, block.stride - block.columns)
        if block.length:
            self._pending[block] = ca.vec(ca.densify(ca.horzcat(matrix, padding)).T)
        return block

    def read(self, block: Block) -> Expression:
        """Symbols of the entries of a block, for tapes: they stand for its content when the tape runs."""
        if block in self._pending:  # no tape reads its own output
            self._close()
        if block not in self._symbols:
            self._symbols[block] = ca.SX.sym(f"board_{block.at}", block.length)
        return block.matrix(self._symbols[block])

    def map(
        self, function: Callable[..., Sequence[Expression]], reads: Sequence[Block], writes: Sequence[Block]
    ) -> None:
        """Compute the columns of blocks by a function of columns of others."""
        self._close()
        symbols = [ca.SX.sym(f"x{k}", block.rows) for k, block in enumerate(reads)]
        tape = ca.Function("map", symbols, ca.cse([ca.densify(y) for y in function(*symbols)]))
        self._stages.append(Map(tape, tuple(reads), tuple(writes)))

    def clear(self, block: Block) -> None:
        """Make all entries of a block zero, and the gaps between its rows."""
        self._append(Clear(block))

    def pivot(self, target: int, source: int) -> None:
        """Append ``b[target] = -1 / b[source]``."""
        self._append(Pivot(target, source))

    def row(self, target: int, cells: Mapping[int, Cell]) -> None:
        """Append the stages that compute a row from its cells; columns that are computed alike share a stage.

        Parameters
        ----------
        target
            Place of column 0 of the row.
        cells
            For each column that is computed, how; see `Cell`.
        """
        alike: dict[Cell, list[int]] = {}
        for column in sorted(cells):
            alike.setdefault(cells[column], []).append(column)
        for (start, terms), columns in alike.items():
            self._append(RowSum(target, neighbours(columns), terms, start))

    def add(self, target: int, columns: Set[int], terms: tuple[tuple[int, int], ...], start: int | None = None) -> None:
        """Append the stages that compute some columns of a row alike; see `Cell`."""
        if columns:
            self._append(RowSum(target, neighbours(sorted(columns)), terms, start))

    def finish(self, outputs: Sequence[Block], symmetric: Sequence[Block] = ()) -> RowExpressions:
        """Return the result; see `RowExpressions` for the outputs."""
        self._close()
        return RowExpressions(tuple(self._stages), self._size + ALIGN, tuple(outputs), tuple(symmetric))

    def _room(self, rows: int, columns: int) -> Block:
        block = Block(self._size, rows, columns, aligned(columns))
        self._size += block.length
        return block

    def _append(self, stage: Stage) -> None:
        self._close()
        self._stages.append(stage)

    def _close(self) -> None:
        """End the tape that is being given."""
        if self._pending:
            column = ca.vertcat(*self._pending.values())
            reads = tuple((block, x) for block, x in self._symbols.items() if ca.depends_on(column, x))
            self._stages.append(_Expression(column, reads, tuple(self._pending)))
            self._pending = {}
