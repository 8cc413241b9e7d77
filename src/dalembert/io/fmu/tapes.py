"""Tapes of a program as C: plain for every processor, and once more in short vectors for those that have them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

import casadi as ca

from dalembert.compile.emit_c import CHUNK_SIZE, Chunks, write_chunks
from dalembert.compile.forms import PORTABLE, Form, read_text
from dalembert.compile.passes import share_reciprocals
from dalembert.compile.tape import read_tape

__all__ = ["TapeText", "tape_sources", "write_tape"]

_WIDE = Form("wide", (), (), chunk="static WIDE void", bundles=True)
_WORTHWHILE = 100
"""Operations from which on a tape is written twice."""
_FILES = ("tapes.h", "tapes.c")


@dataclass(frozen=True, slots=True)
class TapeText:
    """A tape as a translation unit.

    Parameters
    ----------
    text
        The unit.
    prototype
        Declaration of its function.
    n_work
        Length of the work array.
    """

    text: str
    prototype: str
    n_work: int


def write_tape(symbol: str, function: ca.Function) -> TapeText:
    """Write a function as a unit of a program; ``tapes.h`` lists its includes."""
    tape = share_reciprocals(read_tape(function))
    plain = write_chunks(tape, symbol, CHUNK_SIZE, PORTABLE)
    parts, body, n_work = list(plain.units), _calls(plain, 1), plain.n_work
    if tape.n_operations >= _WORTHWHILE:
        wide = write_chunks(tape, f"{symbol}_wide", CHUNK_SIZE, _WIDE)
        parts += ["#if defined(WIDE_TAPES)\n", *wide.units, "#endif\n"]
        body = f"#if defined(WIDE_TAPES)\n    if (wide_processor) {{\n{_calls(wide, 2)}    }}\n#endif\n{body}"
        n_work = max(n_work, wide.n_work)
    head = f"int {symbol}(const double *const *in, double *const *out, double *work)"
    text = "\n".join(['#include "tapes.h"\n', f"{head};\n", *parts, f"{head} {{\n{body}}}\n"])
    return TapeText(text, f"{head};\n", max(1, n_work))


def _calls(chunks: Chunks, depth: int) -> str:
    """Call all functions of a tape."""
    lines = [f"{name}(in, out, work);" for name in chunks.names] or ["(void)in, (void)out, (void)work;"]
    return "".join(f"{'    ' * depth}{line}\n" for line in (*lines, "return 0;"))


@cache
def tape_sources() -> dict[str, str]:
    """Return the common sources of the units of tapes, by name."""
    here = resources.files(__package__)
    texts = {name: here.joinpath(name).read_text(encoding="utf-8") for name in _FILES}
    known = {path.name for path in resources.files("dalembert.compile").joinpath("text").iterdir()}

    def place(include: re.Match[str]) -> str:
        return read_text(include[1]) if include[1] in known else include[0]

    return {name: re.sub(r'^#include "(\w+\.h)"\n', place, text, flags=re.MULTILINE) for name, text in texts.items()}
