"""A function in stages as C: tapes as ``compile/emit_c.py`` writes them, maps as loops, sums of rows as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from dalembert.compile.emit_c import CHUNK_SIZE, Chunks, CSource, join_source, write_chunks
from dalembert.compile.forms import EXACT, SCALAR, Form, read_text
from dalembert.compile.passes import share_reciprocals
from dalembert.compile.rows import ALIGN, Clear, Fill, Map, Pivot, RowFunction, RowSum
from dalembert.compile.statements import write_number, write_operation
from dalembert.compile.tape import Tape, read_tape

__all__ = ["emit_rows"]

_GROUP = 4
"""Packs of a row that are summed at the same time."""


def emit_rows(
    function: RowFunction,
    *,
    symbol: str = "kernel",
    chunk_size: int = CHUNK_SIZE,
    form: Form = SCALAR,
    macros: Mapping[str, object] | None = None,
) -> CSource:
    """Write a function in stages as C; see ``emit_c`` for the parameters.

    ``real`` has to be a double. The board lies behind the work array of the tapes. The function ``SYM_rows`` calls the
    stages and copies the outputs.
    """
    tables = _Tables()
    tapes: list[Chunks] = []
    maps: list[str] = []
    calls: list[str] = []
    for stage in function.stages:
        if isinstance(stage, Pivot | RowSum):
            tables.add(stage)
            continue
        calls += tables.call(symbol)
        match stage:
            case Clear():
                calls.append(f"row_clear(b + {stage.block.at}, {stage.block.length});")
            case Map():
                maps.append(_map(stage, f"{symbol}_map{len(maps)}"))
                calls.append(f"{symbol}_map{len(maps) - 1}(b);")
            case Fill():
                tape = _without_gaps(read_tape(stage.function), stage)
                tape = tape if form is EXACT else share_reciprocals(tape)
                tapes.append(write_chunks(tape, f"{symbol}_tape{len(tapes)}", chunk_size, form))
                calls.append(_tape_call(stage, tapes[-1], len(function.inputs)))
    calls += tables.call(symbol)
    n_work = max((tape.n_work for tape in tapes), default=0)
    outputs = [(o.at, o.stride, o.rows, o.columns, int(name in function.symmetric)) for name, o in function.outputs]
    signature = f"{form.chunk} {symbol}_rows(const real *const *in, real *const *out, real *restrict w)"
    text = "\n".join(
        [
            tables.index(function.size) + read_text("rows.h"),
            *(f"{s};" for tape in tapes for s in tape.signatures),
            *tables.texts(symbol),
            _table("row_output", f"{symbol}_outputs", outputs),
            *maps,
            f"{signature} {{",
            f"    double *const b = (double *)(((uintptr_t)(w + {n_work}) + 63) / 64 * 64);",
            *(f"    {call}" for call in calls),
            f"    row_outputs(b, {symbol}_outputs, {len(outputs)}, out);",
            "}",
            "",
        ]
    )
    units = (*(unit for tape in tapes for unit in tape.units), text)
    return join_source(
        Chunks((f"{symbol}_rows",), (signature,), units, n_work + function.size + 2 * ALIGN),
        symbol=symbol,
        inputs=dict(function.inputs),
        outputs={name: o.rows * o.columns for name, o in function.outputs},
        n_operations=function.n_instructions(),
        form=form,
        macros=macros,
    )


def _without_gaps(tape: Tape, stage: Fill) -> Tape:
    """Leave out what is stored between the rows of blocks."""
    first = stage.writes[0].at
    inside = {b.place(i, j) - first for b in stage.writes for i in range(b.rows) for j in range(b.columns)}
    return replace(tape, stores=(tuple(i if k in inside else -1 for k, i in enumerate(tape.stores[0])),))


def _tape_call(stage: Fill, chunks: Chunks, n_in: int) -> str:
    x = ", ".join([*(f"in[{k}]" for k in range(n_in)), *(f"b + {block.at}" for block in stage.reads)])
    names = " ".join(f"{name}(x, y, w);" for name in chunks.names)
    return f"{{ const double *const x[] = {{{x}}}; double *const y[] = {{b + {stage.writes[0].at}}}; {names} }}"


def _map(stage: Map, name: str) -> str:
    """A loop over packs of columns."""
    tape = read_tape(stage.function)
    lines: list[str] = []
    spelled: dict[int, str] = {}
    for i, (operation, a, b) in enumerate(zip(tape.operations, tape.left, tape.right, strict=True)):
        spelled[i] = f"a{i}"
        if operation == "CONST":
            spelled[i] = f"K({write_number(tape.constants[a])})"
        elif operation == "INPUT":
            lines.append(f"const pack a{i} = READ(x, {stage.reads[a].place(b)});")
        else:
            lines.append(f"const pack a{i} = {write_operation(operation, spelled[a], spelled.get(b, ''))};")
    for block, values in zip(stage.writes, tape.stores, strict=True):
        lines += [f"AT(x, {block.place(k)}) = {spelled[i]};" for k, i in enumerate(values)]
    body = "\n        ".join(lines)
    return (
        f"static void {name}(double *b) {{\n    double *x = b;\n"
        f"    for (int c = 0; c < {stage.writes[0].columns}; c += PACK, x += PACK) {{\n        {body}\n    }}\n}}"
    )


class _Tables:
    """The tables of sums and pivots as they grow; see ``rows.h``."""

    def __init__(self) -> None:
        self._steps: list[tuple[int | str, ...]] = []
        self._terms: list[tuple[int, int]] = []
        self._masks: dict[tuple[int, ...], int] = {(-1,) * ALIGN: 0}
        self._called = 0

    def add(self, stage: RowSum | Pivot) -> None:
        """Append the steps of a stage."""
        if isinstance(stage, Pivot):
            self._steps.append((stage.target, stage.source, 0, 0))
            return
        first = len(self._terms)
        self._terms += [(f, x - stage.target) for f, x in stage.terms]
        start = "NO_START" if stage.start is None else stage.start - stage.target
        self._steps += [(first, len(self._terms), start, *group) for group in self._groups(stage)]

    def _groups(self, stage: RowSum) -> Iterator[tuple[int, ...]]:
        """Packs that hold the columns of a sum, in groups: their number, their places, and which columns count."""
        inside: dict[int, list[int]] = {}
        for first, n in stage.runs:
            for place in range(stage.target + first, stage.target + first + n):
                inside.setdefault(place // ALIGN, [0] * ALIGN)[place % ALIGN] = -1
        packs = [(ALIGN * k, self._masks.setdefault(tuple(m), len(self._masks))) for k, m in sorted(inside.items())]
        n_groups = -(-len(packs) // _GROUP)
        for k in range(n_groups):
            group = packs[len(packs) * k // n_groups : len(packs) * (k + 1) // n_groups]
            places, masks = zip(*group, strict=True)
            yield len(group), *places, *(0,) * (_GROUP - len(group)), *masks

    def call(self, symbol: str) -> list[str]:
        """Write the call that works through the steps since the last one."""
        first, self._called = self._called, len(self._steps)
        if first == self._called:
            return []
        return [f"row_steps(b, {symbol}_steps + {first}, {self._called - first}, {symbol}_terms, {symbol}_masks);"]

    def index(self, size: int) -> str:
        """Write the type of the numbers in the tables, and one that is too small to be among them."""
        kind, bits = ("short", 15) if max(size, len(self._terms)) < 2**15 else ("int", 31)
        return f"typedef {kind} row_index;\n#define NO_START ({1 - 2**bits})\n"

    def texts(self, symbol: str) -> list[str]:
        """Write the tables."""
        return [
            _table("row_step", f"{symbol}_steps", self._steps),
            _table("row_term", f"{symbol}_terms", self._terms),
            _table("row_mask", f"{symbol}_masks", list(self._masks)),
        ]


def _table(kind: str, name: str, entries: Sequence[Sequence[object]]) -> str:
    listed = ", ".join(f"{{{', '.join(map(str, entry))}}}" for entry in entries) or "{0}"
    return f"static const struct {kind} {name}[] = {{{listed}}};"
