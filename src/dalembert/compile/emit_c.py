"""A tape as C: straight lines, and loops where it repeats itself.

The generated functions (chunks) speak of a type ``real`` and of the operations of C only. A `Form` defines ``real`` (a
double, a vector of doubles, a double or float of a GPU's thread), by the text before the chunks, and how they are
called, by the entries after them.

A long tape is split into chunks, because compile time grows faster than the length of a function, and code that fits
into the cache is faster. Within a chunk values are locals; a value that another chunk needs also lives in the work
array. Inputs and constants are read again in each chunk.

Entries of the scalar forms (``SYM`` is the symbol of the kernel), which ``text/scalar_calls.c`` calls with checks::

    int SYM(const double *const *in, double *const *out, double *work);     // no checks
    extern const long SYM_n_work;           // length of work

and of lanes::

    int SYM_lanes(long n, const double *const *in, const long *in_stride,
                  double *const *out, const long *out_stride, double *work);
    void SYM_block(const void *const *in, void *const *out, void *work);    // vectors, no checks
    extern const long SYM_lanes_n_work, SYM_lanes_width;

Inputs and outputs are dense and row-major and must not overlap. SYM_lanes returns 1 + k, and leaves the
outputs alone, if input k holds a number that is not finite. Strides are in doubles; an input with
stride 0 is the same for all rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dalembert.compile.bundles import find_bundles
from dalembert.compile.emit_bundles import BundleWriter
from dalembert.compile.forms import SCALAR, Form, definitions
from dalembert.compile.loops import Piece, joined, split_tape
from dalembert.compile.statements import Operands, operands_of, write_piece
from dalembert.compile.tape import Tape

__all__ = ["CHUNK_SIZE", "CSource", "Chunks", "emit_c", "join_source", "write_chunks"]

CHUNK_SIZE = 2500
"""Operations per generated function; longer tapes are split."""


@dataclass(frozen=True, slots=True)
class CSource:
    """C translation units of one library.

    Parameters
    ----------
    symbol
        Name of the unchecked entry.
    units
        Translation units. The first holds the entries; each may be compiled on its own.
    n_work
        Length of the work array.
    n_operations
        Number of scalar operations.
    form
        How it is written.
    """

    symbol: str
    units: tuple[str, ...]
    n_work: int
    n_operations: int
    form: Form

    @property
    def text(self) -> str:
        """All units, one after the other."""
        return "\n".join(self.units)


def emit_c(
    tape: Tape,
    *,
    symbol: str = "kernel",
    chunk_size: int = CHUNK_SIZE,
    form: Form = SCALAR,
    macros: Mapping[str, object] | None = None,
    further: Mapping[str, Tape] | None = None,
) -> CSource:
    """Write a tape as C.

    Parameters
    ----------
    tape
        The operations.
    symbol
        C name of the entry.
    chunk_size
        Largest number of operations in one function.
    form
        The type of ``real``, and the entries.
    macros
        Further definitions for the entries.
    further
        Further tapes that the entries call, by the name of the macro ``NAME(in, out, work)`` that does so.
    """
    tapes = dict(further or {})
    return join_source(
        write_chunks(tape, symbol, chunk_size, form),
        symbol=symbol,
        inputs=tape.inputs,
        outputs=tape.outputs,
        n_operations=max(t.n_operations for t in (tape, *tapes.values())),
        form=form,
        macros=macros,
        further={name: write_chunks(t, f"{symbol}_{name.lower()}", chunk_size, form) for name, t in tapes.items()},
    )


@dataclass(frozen=True, slots=True)
class Chunks:
    """The functions of a tape.

    Parameters
    ----------
    names, signatures
        Called functions, in order.
    units
        Texts of the functions; each may be compiled on its own.
    n_work
        Length of the work array.
    """

    names: tuple[str, ...]
    signatures: tuple[str, ...]
    units: tuple[str, ...]
    n_work: int


def write_chunks(tape: Tape, symbol: str, chunk_size: int, form: Form) -> Chunks:
    """Write the functions of a tape; see `emit_c` for the parameters."""
    pieces = split_tape(tape, chunk_size)
    if form.bundles and all(piece.turns == 1 for piece in pieces):
        return _write_bundles(tape, symbol, chunk_size, form)
    if form.whole:
        pieces = joined(pieces)
    operands = [operands_of(tape, piece) for piece in pieces]
    places, n_work = _allocate(pieces, operands)
    names, signatures = _heads(symbol, len(pieces), form)
    targets = _targets(tape)
    joint = _angles(tape) if form.joint else {}
    functions = [
        write_piece(tape, names[k], signatures[k], piece, operands[k], places, targets, joint, first=k == 0)
        for k, piece in enumerate(pieces)
    ]
    units = _units(functions, [piece.length for piece in pieces], chunk_size)
    return Chunks(tuple(names), tuple(signatures), tuple(units), n_work)


def _write_bundles(tape: Tape, symbol: str, chunk_size: int, form: Form) -> Chunks:
    """Write a straight tape with bundles."""
    writer = BundleWriter(tape, find_bundles(tape), chunk_size, _angles(tape) if form.joint else {}, _targets(tape))
    names, signatures = _heads(symbol, len(writer.chunks), form)
    functions = [writer.write(k, signature) for k, signature in enumerate(signatures)]
    units = _units(functions, [len(chunk) for chunk in writer.chunks], chunk_size)
    return Chunks(tuple(names), tuple(signatures), tuple(units), writer.n_work)


def _heads(symbol: str, n: int, form: Form) -> tuple[list[str], list[str]]:
    """Names and signatures of n functions."""
    names = [f"{symbol}_chunk{k}" for k in range(n)]
    return names, [f"{form.chunk} {name}(const real *const *in, real *const *out, real *restrict w)" for name in names]


def join_source(
    chunks: Chunks,
    *,
    symbol: str,
    inputs: Mapping[str, int],
    outputs: Mapping[str, int],
    n_operations: int,
    form: Form,
    macros: Mapping[str, object] | None,
    further: Mapping[str, Chunks] | None = None,
) -> CSource:
    """Add the entries of a form to functions.

    Parameters
    ----------
    chunks
        The functions.
    inputs, outputs
        Number of scalars of each named input and output, in order.
    symbol, n_operations, form
        As in `CSource`.
    macros
        Further definitions for the entries.
    further
        Functions of further tapes by the name of the macro that calls them; all share one work array.
    """
    named = {"CHUNKS": chunks, **(further or {})}
    n_work = max(c.n_work for c in named.values())
    defined = definitions(
        {
            "SYMBOL": symbol,
            "N_IN": len(inputs),
            "N_OUT": len(outputs),
            "N_WORK": n_work,
            "IN_SIZES": ", ".join(map(str, [*inputs.values(), 0])),
            "OUT_SIZES": ", ".join(map(str, [*outputs.values(), 0])),
            "IN_TOTAL": sum(inputs.values()),
            "OUT_TOTAL": sum(outputs.values()),
            **{
                f"{macro}(in, out, work)": " ".join(f"{name}(in, out, work);" for name in c.names)
                for macro, c in named.items()
            },
            **(macros or {}),
        }
    )
    head, entries = form.head, f"{defined}\n{form.tail}" if form.entries else ""
    texts = [text for c in named.values() for text in c.units]
    if form.units == "one" or (len(texts) == 1 and form.units == "auto"):
        units = ["\n".join([head, *texts, entries])]
    else:
        prototypes = "".join(f"{signature};\n" for c in named.values() for signature in c.signatures)
        units = [f"{head}\n{prototypes}\n{entries}"]
        units += [f"{head}\n{text}" for text in texts]
    return CSource(symbol, tuple(units), n_work, n_operations, form)


def _angles(tape: Tape) -> dict[int, int]:
    """Map each sine whose angle has a cosine to that cosine, and back."""
    place = {
        (op, a): i for i, (op, a) in enumerate(zip(tape.operations, tape.left, strict=True)) if op in ("SIN", "COS")
    }
    return {
        i: place[other, a] for (op, a), i in place.items() if (other := "COS" if op == "SIN" else "SIN", a) in place
    }


def _allocate(pieces: Sequence[Piece], operands: Sequence[Operands]) -> tuple[dict[int, int], int]:
    """Give each value that is read from memory a place in the work array; return the places and their number.

    A place of a straight piece is free again after the last piece that reads it. A loop has one frame for each turn,
    with a place for each of its operations that is read anywhere, so that places of one operation lie at equal
    distances; an operation of which only the last turn is read has one place for all turns.
    """
    last_use: dict[int, int] = {}
    for k, piece_operands in enumerate(operands):
        for operand in (o for pair in piece_operands for o in pair):
            last_use.update(dict.fromkeys(operand.read, k))
    places: dict[int, int] = {}
    free: list[int] = []
    dying: list[list[int]] = [[] for _ in pieces]
    n_work = 0
    for k, piece in enumerate(pieces):
        if k:
            free += dying[k - 1]
        if piece.turns > 1:
            columns = piece.values.T.tolist()
            stored = [column for column in columns if any(i in last_use for i in column[:-1])]
            for place, column in enumerate(stored):
                places.update({i: n_work + place + turn * len(stored) for turn, i in enumerate(column)})
            n_work += len(stored) * piece.turns
            for column in columns:
                if column[-1] in last_use and column[-1] not in places:
                    places.update(dict.fromkeys(column, n_work))
                    n_work += 1
            continue
        for i in piece.values[0].tolist():
            if i not in last_use:
                continue
            if free:
                places[i] = free.pop()
            else:
                places[i] = n_work
                n_work += 1
            dying[last_use[i]].append(places[i])
    return places, n_work


def _targets(tape: Tape) -> dict[int, list[tuple[int, int]]]:
    """List the outputs and their elements that each value goes to."""
    targets: dict[int, list[tuple[int, int]]] = {}
    for output, values in enumerate(tape.stores):
        for element, i in enumerate(values):
            if i >= 0:
                targets.setdefault(i, []).append((output, element))
    return targets


def _units(functions: Sequence[str], lengths: Sequence[int], size: int) -> list[str]:
    """Join short functions, so that no translation unit is much longer than `size`."""
    units: list[str] = []
    room = 0
    for text, length in zip(functions, lengths, strict=True):
        if not units or length > room:  # the tape of a constant has no length
            units.append(text)
            room = size - length
        else:
            units[-1] += f"\n{text}"
            room -= length
    return units
