"""Routines of a program as C: their text with its tapes, which a loop calls for one instance after the other."""

from __future__ import annotations

from collections.abc import Mapping

from dalembert.compile.forms import definitions, read_text
from dalembert.compile.routine import HEAD, Routine
from dalembert.io.fmu.tapes import TapeText, write_tape

__all__ = ["tape_loops", "write_routine"]


def write_routine(symbol: str, routine: Routine) -> tuple[TapeText, dict[str, str]]:
    """Write a routine as a unit of a program.

    Parameters
    ----------
    symbol
        Name of its function.
    routine
        The routine.

    Returns
    -------
    unit, texts
        Its unit, and those of its tapes by file name.
    """
    tapes = {macro: write_tape(f"{symbol}_{macro.lower()}", f) for macro, f in routine.named.items()}
    texts = {f"{symbol}_{macro.lower()}.c": tape.text for macro, tape in tapes.items()}
    most = max(tape.n_work for tape in tapes.values())
    head = f"int {symbol}(const double *const *in, double *const *out, double *work)"
    entries = definitions(
        {"SYMBOL": symbol, "TAPE_WORK": most, "EXPORT": "static", "JOIN_(a, b)": "a##b", "JOIN(a, b)": "JOIN_(a, b)"}
    )
    text = "".join(
        [
            HEAD, *(tape.prototype for tape in tapes.values()), f"{head};\n", tape_loops(symbol, routine),
            routine.text, "\n", entries, read_text("routine_entries.c"),
            f"\n{head} {{\n    return JOIN(SYMBOL, _call)(in, out, work);\n}}\n",
        ]
    )  # fmt: skip
    return TapeText(text, f"{head};\n", 8 + routine.own_work + most), texts


def tape_loops(symbol: str, routine: Routine) -> str:
    """Return functions that evaluate tapes for several instances, and the macros that call them."""
    parts = []
    for macro, function in routine.named.items():
        name = f"{symbol}_{macro.lower()}"
        sizes: Mapping[str, list[int]] = {
            "in": [int(function.numel_in(k)) for k in range(function.n_in())],
            "out": [int(function.numel_out(k)) for k in range(function.n_out())],
        }
        parts.append(
            f"static int {name}_many(long n, const double *const *in, const long *from, double *const *out, "
            f"const long *to,\n"
            f"                       double *work) {{\n"
            f"    static const long size[] = {{{', '.join(map(str, sizes['in']))}}};\n"
            f"    for (long i = 0; i < n; i++) {{\n"
            f"        const double *x[{len(sizes['in'])}];\n"
            f"        double *y[{len(sizes['out'])}];\n"
            f"        for (int k = 0; k < {len(sizes['in'])}; k++) {{\n"
            f"            x[k] = in[k] + i * from[k];\n"
            f"            for (long j = 0; j < size[k]; j++)\n"
            f"                if (!isfinite(x[k][j])) return 1 + k;\n"
            f"        }}\n"
            f"        for (int k = 0; k < {len(sizes['out'])}; k++) y[k] = out[k] + i * to[k];\n"
            f"        {name}(x, y, work);\n"
            f"    }}\n"
            f"    return 0;\n"
            f"}}\n"
            f"#define {macro} {name}_many\n"
        )
    return "".join(parts)
