"""A tape as straight-line C.

The generated functions (chunks) speak of a type ``real`` and of the operations of C only. A `Form` says what
``real`` is (a double, a vector of doubles, a double or float of a GPU's thread), by the text before the chunks, and
how they are called, by the entries after them.

A long tape is split into chunks, because compile time grows faster than the length of a function. Within a
chunk values are locals; a value that a later chunk needs also lives in a slot of the work array, and slots
are reused as soon as their value is dead. Inputs and constants are read again in each chunk.

Entries of the scalar forms (``SYM`` is the symbol of the kernel)::

    int SYM(const double *const *in, double *const *out, double *work);     // no checks: for inner loops
    int SYM_checked(const double *const *in, double *const *out, double *work);
    int SYM_frame(void *const *frame);      // SYM_checked(frame[0], frame[1], frame[2]), for foreign callers
    int SYM_batch(long n, const double *const *in, const long *in_stride,
                  double *const *out, const long *out_stride, double *work);
    extern const long SYM_n_work;           // length of work

and of lanes::

    int SYM_lanes(...);                     // as SYM_batch
    void SYM_block(const void *const *in, void *const *out, void *work);    // vectors, no checks
    extern const long SYM_lanes_n_work, SYM_lanes_width;

Inputs and outputs are dense and row-major and must not overlap. All functions but SYM and SYM_block return 1 + k,
and leave the outputs alone, if input k holds a number that is not finite. Strides are in doubles; an input with
stride 0 is the same for all rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .forms import SCALAR, Form, definitions
from .tape import Tape

__all__ = ["CHUNK_SIZE", "CSource", "emit_c"]

CHUNK_SIZE = 2500
"""Operations per generated function; longer tapes are split."""

_MACROS = ("LT", "LE", "EQ", "NE", "AND", "OR", "IF_ELSE_ZERO")
_FUNCTIONS_1 = (
    *("exp", "log", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"),
    *("asinh", "acosh", "atanh", "floor", "ceil", "fabs", "erf", "log1p", "expm1"),
)
_FUNCTIONS_2 = ("pow", "atan2", "fmod", "remainder", "copysign", "fmin", "fmax", "hypot")

_TEMPLATES = {
    "ADD": "{a} + {b}",
    "SUB": "{a} - {b}",
    "MUL": "{a} * {b}",
    "DIV": "{a} / {b}",
    "NEG": "-{a}",
    "SQ": "{a} * {a}",
    "TWICE": "K(2.0) * {a}",
    "INV": "K(1.0) / {a}",
    "SIGN": "SIGN({a})",
    "NOT": "NOT({a})",
    "CONSTPOW": "pow({a}, {b})",
    **{name: f"{name}({{a}}, {{b}})" for name in _MACROS},
    **{name.upper(): f"{name}({{a}})" for name in _FUNCTIONS_1},
    **{name.upper(): f"{name}({{a}}, {{b}})" for name in _FUNCTIONS_2},
}


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
        What a ``real`` is, and which entries there are.
    macros
        Further definitions for the entries.
    """
    chunks = _split(tape, chunk_size)
    slots, n_work = _allocate_slots(tape, chunks)
    signatures = [
        f"{form.chunk} {symbol}_chunk{k}(const real *const *in, real *const *out, real *restrict w)"
        for k in range(len(chunks))
    ]
    targets = _targets(tape)
    joint = _angles(tape) if form.joint else {}
    bodies = [
        _chunk(tape, signature, chunk, slots, targets, joint, first=k == 0)
        for k, (signature, chunk) in enumerate(zip(signatures, chunks, strict=True))
    ]
    defined = definitions(
        {
            "SYMBOL": symbol,
            "N_IN": len(tape.inputs),
            "N_OUT": len(tape.outputs),
            "N_WORK": n_work,
            "IN_SIZES": ", ".join(map(str, [*tape.inputs.values(), 0])),
            "OUT_SIZES": ", ".join(map(str, [*tape.outputs.values(), 0])),
            "IN_TOTAL": sum(tape.inputs.values()),
            "OUT_TOTAL": sum(tape.outputs.values()),
            "CHUNKS(in, out, work)": " ".join(f"{symbol}_chunk{k}(in, out, work);" for k in range(len(chunks))),
            **(macros or {}),
        }
    )
    head, entries = form.head, f"{defined}\n{form.tail}" if form.entries else ""
    if form.units == "one" or (len(chunks) == 1 and form.units == "auto"):
        units = ["\n".join([head, *bodies, entries])]
    else:
        prototypes = "".join(f"{signature};\n" for signature in signatures)
        units = [f"{head}\n{prototypes}\n{entries}"]
        units += [f"{head}\n{body}" for body in bodies]
    return CSource(symbol, tuple(units), n_work, tape.n_operations, form)


def _angles(tape: Tape) -> dict[int, int]:
    """Map each sine whose angle has a cosine to that cosine, and back."""
    place = {
        (op, a): i for i, (op, a) in enumerate(zip(tape.operations, tape.left, strict=True)) if op in ("SIN", "COS")
    }
    return {
        i: place[other, a] for (op, a), i in place.items() if (other := "COS" if op == "SIN" else "SIN", a) in place
    }


def _split(tape: Tape, chunk_size: int) -> list[list[int]]:
    """Divide the computed values into runs of about equal length."""
    computed = [i for i, op in enumerate(tape.operations) if op not in ("CONST", "INPUT")]
    n_chunks = max(1, -(-len(computed) // chunk_size))
    bounds = [len(computed) * k // n_chunks for k in range(n_chunks + 1)]
    return [computed[start:stop] for start, stop in pairwise(bounds)]


def _allocate_slots(tape: Tape, chunks: Sequence[Sequence[int]]) -> tuple[dict[int, int], int]:
    """Give each value that crosses a chunk boundary a slot of the work array; return slots and their number.

    A slot is free again for values of the chunks after the last one that reads it.
    """
    home = {i: k for k, chunk in enumerate(chunks) for i in chunk}
    last_use: dict[int, int] = {}
    for k, chunk in enumerate(chunks):
        for i in chunk:
            for operand in (tape.left[i], tape.right[i]):
                if home.get(operand, k) < k:
                    last_use[operand] = k
    slots: dict[int, int] = {}
    free: list[int] = []
    dying: list[list[int]] = [[] for _ in chunks]
    n_work = 0
    for k, chunk in enumerate(chunks):
        if k:
            free += dying[k - 1]
        for i in chunk:
            if i not in last_use:
                continue
            if free:
                slots[i] = free.pop()
            else:
                slots[i] = n_work
                n_work += 1
            dying[last_use[i]].append(slots[i])
    return slots, n_work


def _targets(tape: Tape) -> dict[int, list[str]]:
    """List the places of the outputs that each value goes to."""
    targets: dict[int, list[str]] = {}
    for k, values in enumerate(tape.stores):
        for element, i in enumerate(values):
            targets.setdefault(i, []).append(f"y{k}[{element}]")
    return targets


def _literal(value: float) -> str:
    if math.isnan(value):
        return "K(NAN)"
    if math.isinf(value):
        return "K(INFINITY)" if value > 0 else "K(-INFINITY)"
    return f"K({value!r})"


def _chunk(
    tape: Tape,
    signature: str,
    chunk: Sequence[int],
    slots: Mapping[int, int],
    targets: Mapping[int, Sequence[str]],
    joint: Mapping[int, int],
    *,
    first: bool,
) -> str:
    """Write one function; the first one also stores the outputs that are inputs or constants."""
    operations, left, right = tape.operations, tape.left, tape.right
    lines: list[str] = []
    spelled: dict[int, str] = {}

    def operand(i: int) -> str:
        """Spell a value, loading it into a local at its first use in this chunk."""
        text = spelled.get(i)
        if text is None:
            if operations[i] == "CONST":
                text = _literal(tape.constants[left[i]])
            else:
                text = f"a{i}"
                place = f"x{left[i]}[{right[i]}]" if operations[i] == "INPUT" else f"w[{slots[i]}]"
                lines.append(f"    const real {text} = {place};")
            spelled[i] = text
        return text

    if first:
        for i, places in targets.items():
            if operations[i] in ("CONST", "INPUT"):
                value = operand(i)
                lines += [f"    {place} = {value};" for place in places]
    here = set(chunk)
    for i in chunk:
        if i in spelled:
            continue
        a = operand(left[i])
        b = operand(right[i]) if right[i] >= 0 else ""
        computed = [i]
        name = spelled[i] = f"a{i}"
        if joint.get(i) in here:
            computed.append(joint[i])
            other = spelled[joint[i]] = f"a{joint[i]}"
            sine, cosine = (name, other) if operations[i] == "SIN" else (other, name)
            lines.append(f"    real {sine}, {cosine};")
            lines.append(f"    sincos_({a}, &{sine}, &{cosine});")
        else:
            lines.append(f"    const real {name} = {_TEMPLATES[operations[i]].format(a=a, b=b)};")
        for j in computed:
            if j in slots:
                lines.append(f"    w[{slots[j]}] = a{j};")
            lines += [f"    {place} = a{j};" for place in targets.get(j, ())]

    body = "\n".join(lines)
    pointers = [f"    const real *restrict x{k} = in[{k}];" for k in range(len(tape.inputs)) if f" x{k}[" in body]
    pointers += [f"    real *restrict y{k} = out[{k}];" for k in range(len(tape.outputs)) if f" y{k}[" in body]
    return "\n".join([f"{signature} {{", "    (void)in, (void)out, (void)w;", *pointers, *lines, "}", ""])
