"""A function in stages as C: tapes by ``emit_c.py``, maps as loops, sums of rows by ``row_tables.py``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from dalembert.compile.emit_c import CHUNK_SIZE, Chunks, CSource, join_source, write_chunks
from dalembert.compile.forms import EXACT, SCALAR, Form, read_text
from dalembert.compile.passes import share_reciprocals
from dalembert.compile.row_tables import RowTables, write_table
from dalembert.compile.rows import ALIGN, Clear, Fill, Map, Pivot, RowFunction, RowSum, neighbours
from dalembert.compile.statements import write_number, write_operation
from dalembert.compile.tape import Tape, read_tape

__all__ = ["emit_rows"]

_LISTED = 1000
"""Constants that a tape stores, from which on a table holds them: the data of many bodies take long to compile."""


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
    tables = RowTables(symbol)
    tapes: list[Chunks] = []
    maps: list[str] = []
    calls: list[str] = []
    for stage in function.stages:
        if isinstance(stage, Pivot | RowSum):
            tables.add(stage)
            continue
        calls += tables.call()
        match stage:
            case Clear():
                calls.append(f"row_clear(b + {stage.block.at}, {stage.block.length});")
            case Map():
                maps.append(_map(stage, f"{symbol}_map{len(maps)}"))
                calls.append(f"{symbol}_map{len(maps) - 1}(b);")
            case Fill():
                tape = _without_gaps(read_tape(stage.function), stage)
                constants = _constants(tape)
                if len(constants) >= _LISTED:
                    maps.append(_copies(tape, constants, f"{symbol}_constants{len(maps)}"))
                    calls.append(f"{symbol}_constants{len(maps) - 1}(b + {stage.writes[0].at});")
                    tape = _stored(tape, set(range(len(tape.stores[0]))).difference(constants))
                tape = tape if form is EXACT else share_reciprocals(tape)
                tapes.append(write_chunks(tape, f"{symbol}_tape{len(tapes)}", chunk_size, form))
                calls.append(_tape_call(stage, tapes[-1], len(function.inputs)))
    calls += tables.call()
    n_work = max((tape.n_work for tape in tapes), default=0)
    outputs = [(o.at, o.stride, o.rows, o.columns, int(name in function.symmetric)) for name, o in function.outputs]
    signature = f"{form.chunk} {symbol}_rows(const real *const *in, real *const *out, real *restrict w)"
    head = tables.index(function.size) + read_text("rows.h")
    text = "\n".join(
        [
            head,
            *(f"{s};" for tape in tapes for s in tape.signatures),
            *(f"{s};" for s in tables.signatures),
            *tables.texts(),
            write_table("row_output", f"{symbol}_outputs", outputs),
            *maps,
            f"{signature} {{",
            f"    double *const b = (double *)(((uintptr_t)(w + {n_work}) + 63) / 64 * 64);",
            *(f"    {call}" for call in calls),
            f"    row_outputs(b, {symbol}_outputs, {len(outputs)}, out);",
            "}",
            "",
        ]
    )
    units = (*(unit for tape in tapes for unit in tape.units), text, *(f"{head}\n{unit}" for unit in tables.units()))
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
    """Leave out entries between the rows of blocks."""
    first = stage.writes[0].at
    inside = {b.place(i, j) - first for b in stage.writes for i in range(b.rows) for j in range(b.columns)}
    return _stored(tape, inside)


def _stored(tape: Tape, places: Set[int]) -> Tape:
    """Leave out entries that are not stored at some places."""
    return replace(tape, stores=(tuple(i if k in places else -1 for k, i in enumerate(tape.stores[0])),))


def _constants(tape: Tape) -> list[int]:
    """Places at which a tape stores constants."""
    return [k for k, i in enumerate(tape.stores[0]) if i >= 0 and tape.operations[i] == "CONST"]


def _copies(tape: Tape, places: Sequence[int], name: str) -> str:
    """A function that stores the constants of some places, neighbours in one loop."""
    values = ", ".join(write_number(tape.constants[tape.left[tape.stores[0][k]]]) for k in places)
    runs = neighbours(places)
    listed = ", ".join(f"{{{first}, {n}}}" for first, n in runs)
    return (
        f"static const double {name}_values[] = {{{values}}};\n"
        f"static const int {name}_runs[][2] = {{{listed}}};\n"
        f"static void {name}(double *b) {{\n    const double *x = {name}_values;\n"
        f"    for (int k = 0; k < {len(runs)}; k++)\n"
        f"        for (int i = 0; i < {name}_runs[k][1]; i++) b[{name}_runs[k][0] + i] = *x++;\n}}"
    )


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
