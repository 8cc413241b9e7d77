"""A tape as straight-line C99.

The generated functions speak of a scalar type ``real`` and of a few macros (`SCALAR_PRELUDE`) only. Lanes of
SIMD vectors and CUDA threads are the same text after another prelude: ``real`` becomes a vector type (or
stays ``double`` behind ``__device__``), the pointers step over structures of arrays, and the transcendental
functions get vector forms. A second prelude and a second set of entries (`_ENTRIES`) is all that they add.

A long tape is split into chunks, because compile time grows faster than the length of a function. Within a
chunk values are locals; a value that a later chunk needs also lives in a slot of the work array, and slots
are reused as soon as their value is dead. Inputs and constants are read again in each chunk.

Entries (``SYM`` is the symbol of the kernel)::

    int SYM(const double *const *in, double *const *out, double *work);     // no checks: for inner loops
    int SYM_checked(const double *const *in, double *const *out, double *work);
    int SYM_frame(void *const *frame);      // SYM_checked(frame[0], frame[1], frame[2]), for foreign callers
    int SYM_batch(long n, const double *const *in, const long *in_stride,
                  double *const *out, const long *out_stride, double *work);
    extern const long SYM_n_work;           // length of work

Inputs and outputs are dense and row-major and must not overlap. All functions but the first return 1 + k, and
leave the outputs alone, if input k holds a number that is not finite. Strides are in doubles; an input with
stride 0 is the same for all rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .tape import Tape

__all__ = ["CHUNK_SIZE", "SCALAR_PRELUDE", "CSource", "emit_c"]

CHUNK_SIZE = 2500
"""Operations per generated function; longer tapes are split."""

SCALAR_PRELUDE = """\
#include <math.h>
#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#define HIDDEN
#else
#define EXPORT __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))
#endif
typedef double real;
#define K(c) (c)
#define SIGN(a) ((a) < 0 ? -1.0 : (a) > 0 ? 1.0 : (a))
#define NOT(a) ((a) == 0 ? 1.0 : 0.0)
#define LT(a, b) ((a) < (b) ? 1.0 : 0.0)
#define LE(a, b) ((a) <= (b) ? 1.0 : 0.0)
#define EQ(a, b) ((a) == (b) ? 1.0 : 0.0)
#define NE(a, b) ((a) != (b) ? 1.0 : 0.0)
#define AND(a, b) ((a) != 0 && (b) != 0 ? 1.0 : 0.0)
#define OR(a, b) ((a) != 0 || (b) != 0 ? 1.0 : 0.0)
#define IF_ELSE_ZERO(a, b) ((a) == 0 ? 0.0 : (b))
"""

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

_ENTRIES = """\
static int finite_all(const double *x, long n) {{
    int bad = 0;
    for (long i = 0; i < n; i++) bad |= !(x[i] - x[i] == 0.0);
    return !bad;
}}

static const long in_size[] = {{{in_sizes}}};

EXPORT extern const long {symbol}_n_work;
const long {symbol}_n_work = {n_work};

EXPORT int {symbol}(const double *const *in, double *const *out, double *work) {{
{calls}
    return 0;
}}

EXPORT int {symbol}_checked(const double *const *in, double *const *out, double *work) {{
    for (int k = 0; k < {n_in}; k++)
        if (!finite_all(in[k], in_size[k])) return 1 + k;
    return {symbol}(in, out, work);
}}

EXPORT int {symbol}_frame(void *const *frame) {{
    return {symbol}_checked((const double *const *)frame[0], (double *const *)frame[1], (double *)frame[2]);
}}

EXPORT int {symbol}_batch(long n, const double *const *in, const long *in_stride,
                          double *const *out, const long *out_stride, double *work) {{
    const double *x[{n_in} + 1];
    double *y[{n_out} + 1];
    for (int k = 0; k < {n_in}; k++) {{
        const long rows = in_stride[k] == 0 && n > 0 ? 1 : n;
        x[k] = in[k];
        for (long i = 0; i < rows; i++)
            if (!finite_all(in[k] + i * in_stride[k], in_size[k])) return 1 + k;
    }}
    for (int k = 0; k < {n_out}; k++) y[k] = out[k];
    for (long i = 0; i < n; i++) {{
        const int status = {symbol}(x, y, work);
        if (status) return status;
        for (int k = 0; k < {n_in}; k++) x[k] += in_stride[k];
        for (int k = 0; k < {n_out}; k++) y[k] += out_stride[k];
    }}
    return 0;
}}
"""


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
    """

    symbol: str
    units: tuple[str, ...]
    n_work: int
    n_operations: int

    @property
    def text(self) -> str:
        """All units, one after the other."""
        return "\n".join(self.units)


def emit_c(tape: Tape, *, symbol: str = "kernel", chunk_size: int = CHUNK_SIZE) -> CSource:
    """Write a tape as C.

    Parameters
    ----------
    tape
        The operations.
    symbol
        C name of the entry.
    chunk_size
        Largest number of operations in one function.
    """
    chunks = _split(tape, chunk_size)
    slots, n_work = _allocate_slots(tape, chunks)
    signatures = [
        f"HIDDEN void {symbol}_chunk{k}(const real *const *in, real *const *out, real *restrict w)"
        for k in range(len(chunks))
    ]
    targets = _targets(tape)
    bodies = [
        _chunk(tape, signature, chunk, slots, targets, first=k == 0)
        for k, (signature, chunk) in enumerate(zip(signatures, chunks, strict=True))
    ]
    entries = _ENTRIES.format(
        symbol=symbol,
        n_in=len(tape.inputs),
        n_out=len(tape.outputs),
        in_sizes=", ".join(map(str, [*tape.inputs.values(), 0])),
        n_work=n_work,
        calls="\n".join(f"    {symbol}_chunk{k}(in, out, work);" for k in range(len(chunks))),
    )
    if len(chunks) == 1:
        units = [f"{SCALAR_PRELUDE}\n{bodies[0]}\n{entries}"]
    else:
        prototypes = "".join(f"{signature};\n" for signature in signatures)
        units = [f"{SCALAR_PRELUDE}\n{prototypes}\n{entries}"]
        units += [f"{SCALAR_PRELUDE}\n{body}" for body in bodies]
    return CSource(symbol, tuple(units), n_work, tape.n_operations)


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
    for i in chunk:
        a = operand(left[i])
        b = operand(right[i]) if right[i] >= 0 else ""
        name = spelled[i] = f"a{i}"
        lines.append(f"    const real {name} = {_TEMPLATES[operations[i]].format(a=a, b=b)};")
        if i in slots:
            lines.append(f"    w[{slots[i]}] = {name};")
        lines += [f"    {place} = {name};" for place in targets.get(i, ())]

    pointers = [f"    const real *restrict x{k} = in[{k}];" for k in range(len(tape.inputs))]
    pointers += [f"    real *restrict y{k} = out[{k}];" for k in range(len(tape.outputs))]
    return "\n".join([f"{signature} {{", *pointers, *lines, "}", ""])
