"""Compiled functions as C99 that stands alone: for embedded targets, and for other languages."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.compile.emit_c import emit_c
from dalembert.compile.forms import PORTABLE
from dalembert.compile.kernel import Kernel
from dalembert.compile.passes import share_reciprocals
from dalembert.compile.tape import Tape, read_tape
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.files import make_folder, write_files
from dalembert.core.version import __version__

__all__ = ["export_c"]

_KEYWORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while main "
    "in out work".split()  # and names inside the generated functions
)

_MAKEFILE = """\
CFLAGS = -std=c99 -O2 -Wall -Wextra -pedantic

example: example.o {objects}
\t$(CC) $(CFLAGS) -o $@ $^ -lm

%.o: %.c {name}.h
\t$(CC) $(CFLAGS) -c -o $@ $<

clean:
\trm -f example *.o

.PHONY: clean
"""


def export_c(
    functions: Sequence[Kernel | ca.Function],
    folder: str | os.PathLike[str],
    *,
    name: str = "machine",
    examples: Mapping[str, ArrayLike] | None = None,
    layout: Mapping[str, Sequence[str]] | None = None,
    constants: Mapping[str, str | float] | None = None,
) -> Path:
    """Write functions as C99 sources without any dependency but the mathematical library.

    The folder gets ``NAME.h``, a ``NAME_FUNCTION.c`` for each function, an ``example.c`` that calls each of them once
    and prints its result, and a ``Makefile``. A function takes its inputs and then its outputs as arrays of doubles;
    matrices are row-major. It is straight-line code with a work array on the stack: no loops, no state, no external
    memory, and only calls of ``math.h``.

    Parameters
    ----------
    functions
        Kernels or CasADi functions, with different names.
    folder
        Made if it does not exist; files of the same names are replaced.
    name
        Prefix of all names, a C identifier.
    examples
        Numbers of named inputs in the example. Default: 0.1, 0.2, ...
    layout
        Names of the entries of arrays, in order. The header lists them, with an ``enum`` of their indices.
    constants
        Texts and numbers that the header defines as macros, such as a digest: ``digest`` is ``NAME_DIGEST``.

    Returns
    -------
    Path
        The folder.
    """
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_]\w*", name, flags=re.ASCII) or name in _KEYWORDS:
        raise InputError(f"name must be a C identifier, got {name!r}")
    if not functions:
        raise InputError("export_c needs at least one function")
    tapes = [share_reciprocals(read_tape(f.function if isinstance(f, Kernel) else f)) for f in functions]
    names = [f"{name}_{_identifier(tape.name)}" for tape in tapes]
    if len(set(names)) != len(names):
        raise InputError(f"the functions to export must have different names, got {', '.join(t.name for t in tapes)}")
    numbers = _examples(tapes, examples or {})
    texts = {f"{name}.h": _header(name, names, tapes, layout or {}, constants or {})}
    texts |= {f"{symbol}.c": _source(name, symbol, tape) for symbol, tape in zip(names, tapes, strict=True)}
    texts["example.c"] = _example(name, names, tapes, numbers)
    texts["Makefile"] = _MAKEFILE.format(name=name, objects=" ".join(f"{symbol}.o" for symbol in names))
    target = make_folder(folder)
    write_files({target / file: text for file, text in texts.items()})
    return target


def _identifier(text: str) -> str:
    word = re.sub(r"\W", "_", text, flags=re.ASCII)
    return f"{word}_" if word in _KEYWORDS else word


def _signature(symbol: str, tape: Tape) -> str:
    """Prototype with named arrays; an array of nothing is a pointer, which C99 wants."""
    inputs = [f"const double {_dimension(_identifier(n), size)}" for n, size in tape.inputs.items()]
    outputs = [f"double {_dimension(_output(n, tape), size)}" for n, size in tape.outputs.items()]
    return f"void {symbol}({', '.join(inputs + outputs)})"


def _output(name: str, tape: Tape) -> str:
    return _identifier(name) + ("_out" if name in tape.inputs else "")


def _dimension(name: str, size: int) -> str:
    return f"{name}[{size}]" if size else f"*{name}"


def _layout(name: str, layout: Mapping[str, Sequence[str]]) -> str:
    """The entries of arrays: a comment, and an enumeration of their indices."""
    blocks = []
    for array, entries in layout.items():
        if not entries:
            continue
        listed = "\n".join(f" *   {array}[{k}]  {entry}" for k, entry in enumerate(entries))
        words = [f"{name}_{array}_{_identifier(entry)}".upper() for entry in entries]
        unique = words if len(set(words)) == len(words) else [f"{word}_{k}" for k, word in enumerate(words)]
        values = ",\n".join(f"    {word} = {k}" for k, word in enumerate(unique))
        blocks.append(f"/* Entries of {array}:\n{listed}\n */\nenum {{\n{values}\n}};\n\n")
    return "".join(blocks)


def _macros(name: str, constants: Mapping[str, str | float]) -> str:
    """Texts and numbers as macros of a header."""
    for key, value in constants.items():
        if isinstance(value, str) and not re.fullmatch(r"[\w .:/+-]*", value, flags=re.ASCII):
            raise InputError(f"the constant {key!r} of a header must be a word or a number, got {value!r}")
    lines = [
        f"#define {_identifier(f'{name}_{key}').upper()} " + (f'"{value}"' if isinstance(value, str) else repr(value))
        for key, value in constants.items()
    ]
    return "\n".join([*lines, "", ""]) if lines else ""


def _header(
    name: str,
    names: Sequence[str],
    tapes: Sequence[Tape],
    layout: Mapping[str, Sequence[str]],
    constants: Mapping[str, str | float],
) -> str:
    guard = f"{name.upper()}_H"
    prototypes = "\n\n".join(
        f"/* {tape.n_operations} operations. */\n{_signature(symbol, tape)};"
        for symbol, tape in zip(names, tapes, strict=True)
    )
    return (
        f"/* Written by dalembert {__version__}. Inputs come first, then outputs; matrices are row-major; inputs and\n"
        " * outputs must not overlap. */\n"
        f"#ifndef {guard}\n#define {guard}\n\n"
        '#ifdef __cplusplus\nextern "C" {\n#endif\n\n'
        f"{_macros(name, constants)}{_layout(name, layout)}{prototypes}\n\n"
        "#ifdef __cplusplus\n}\n#endif\n\n#endif\n"
    )


def _source(name: str, symbol: str, tape: Tape) -> str:
    source = emit_c(tape, symbol=symbol, form=PORTABLE)
    n_chunks = source.text.count(f"static void {symbol}_chunk")
    inputs = ", ".join([*map(_identifier, tape.inputs), "0"])
    outputs = ", ".join([*(_output(n, tape) for n in tape.outputs), "0"])
    calls = "\n".join(f"    {symbol}_chunk{k}(in, out, work);" for k in range(n_chunks))
    return (
        f'#include "{name}.h"\n\n{source.text}\n'
        f"{_signature(symbol, tape)} {{\n"
        f"    const double *const in[] = {{{inputs}}};\n"
        f"    double *const out[] = {{{outputs}}};\n"
        f"    double work[{max(1, source.n_work)}];\n"
        f"{calls}\n}}\n"
    )


def _examples(tapes: Sequence[Tape], examples: Mapping[str, ArrayLike]) -> dict[str, list[float]]:
    sizes = {name: size for tape in tapes for name, size in tape.inputs.items()}
    for name in examples:
        if name not in sizes:
            raise UnknownNameError("input", name, sizes, "the functions to export")
    numbers: dict[str, list[float]] = {}
    for name, size in sizes.items():
        values = np.asarray(examples.get(name, 0.1 * np.arange(1, size + 1)), dtype=float).ravel()
        if values.size != size or not np.isfinite(values).all():
            raise InputError(f"the example of input {name!r} must be {size} finite numbers, got {values.tolist()}")
        numbers[name] = [float(v) for v in values]
    return numbers


def _example(name: str, names: Sequence[str], tapes: Sequence[Tape], numbers: Mapping[str, list[float]]) -> str:
    blocks = []
    for symbol, tape in zip(names, tapes, strict=True):
        lines = []
        for n in tape.inputs:
            listed = ", ".join(map(repr, numbers[n])) or "0"
            lines.append(f"        const double {_identifier(n)}[] = {{{listed}}};")
        for n, size in tape.outputs.items():
            lines.append(f"        double {_output(n, tape)}[{max(1, size)}];")
        arguments = ", ".join([*map(_identifier, tape.inputs), *(_output(n, tape) for n in tape.outputs)])
        lines.append(f"        {symbol}({arguments});")
        for n, size in tape.outputs.items():
            lines.append(f"        for (int i = 0; i < {size}; i++)")
            lines.append(f'            printf("{symbol} {n} %d %.17g\\n", i, {_output(n, tape)}[i]);')
        blocks.append("    {\n" + "\n".join(lines) + "\n    }\n")
    return (
        f'#include <stdio.h>\n\n#include "{name}.h"\n\n'
        f"/* Calls each function once; prints function, output, index and value. */\n"
        f"int main(void) {{\n{''.join(blocks)}    return 0;\n}}\n"
    )
