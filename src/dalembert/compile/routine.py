"""Routines: C that calls tapes for many instances at a time, as one function of the engine's signature."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

from dalembert.compile.backend import Backend, usable_toolchain
from dalembert.compile.build import TAPE_OPTIMISATION, build_units, find_toolchain, missing_toolchain
from dalembert.compile.cache import build_library, load_library
from dalembert.compile.forms import LANES, definitions, read_text
from dalembert.compile.native import emit_function, generator_digest, symbol_of
from dalembert.compile.tape import row_major
from dalembert.core.errors import BuildError
from dalembert.core.types import Array

__all__ = ["HEAD", "Routine", "RoutineCode", "load_routine"]

_TYPE = "int {}(long, const double *const *, const long *, double *const *, const long *, double *)"
HEAD = "#include <math.h>\n#include <stdint.h>\n#include <string.h>\n"
"""Headers that the text of a routine needs."""


@dataclass(frozen=True, eq=False)
class Routine:
    """A function in C that calls tapes.

    Parameters
    ----------
    name
        Its name, a C identifier.
    inputs
        Sizes of its inputs.
    n_out
        Size of its output.
    tapes
        Functions by the name of the macro ``NAME(n, in, in_stride, out, out_stride, work)`` that evaluates them for n
        instances (``SYM_batch`` of ``emit_c.py``).
    text
        C99 that ends with ``static int routine(in, out, own, work)``, where ``own`` has ``OWN_WORK`` doubles.
    """

    name: str
    inputs: tuple[int, ...]
    n_out: int
    tapes: Mapping[str, ca.Function]
    text: str
    kept: dict[str, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def named(self) -> dict[str, ca.Function]:
        """The tapes, with names that are unique in a program, and matrices row by row."""
        return {macro: _renamed(row_major(f), f"{self.name}_{macro.lower()}") for macro, f in self.tapes.items()}

    @cached_property
    def own_work(self) -> int:
        """Doubles of its own memory."""
        nothing = "".join(f"#define {macro}(n, a, b, c, d, e) 0\n" for macro in self.tapes)
        entry = "EXPORT long own_work(void) {\n    return OWN_WORK;\n}\n"
        text = f"{read_text('library.h')}{HEAD}{nothing}{self.text}\n{entry}"
        library = build_library(text, f"{self.name} size", optimise=("-O0",))
        library.own_work.restype = ctypes.c_long
        return int(library.own_work())

    def n_instructions(self) -> int:
        """Number of operations of its tapes."""
        return sum(int(f.n_instructions()) for f in self.tapes.values())


@dataclass(frozen=True, slots=True)
class RoutineCode:
    """The code of a routine, loaded.

    Parameters
    ----------
    address, block_address
        Addresses of its functions: for one instance, and for a block of lanes.
    n_work, n_block
        Doubles of their work arrays.
    width
        Number of lanes.
    n_out
        Size of its output.
    library
        The loaded library.
    """

    address: int
    block_address: int
    n_work: int
    n_block: int
    width: int
    n_out: int
    library: ctypes.CDLL

    def work(self) -> Array:
        """Return a new work array; no two threads may share one."""
        return np.zeros(self.n_work)

    def __call__(self, *arguments: Any) -> Array:
        """Evaluate one instance."""
        inputs = [np.ascontiguousarray(np.atleast_1d(a), dtype=float) for a in arguments]
        out, work = np.zeros(self.n_out), self.work()
        pointers = (ctypes.c_void_p * len(inputs))(*(a.ctypes.data for a in inputs))
        results = (ctypes.c_void_p * 1)(out.ctypes.data)
        ctypes.CFUNCTYPE(ctypes.c_int)(self.address)(pointers, results, ctypes.c_void_p(work.ctypes.data))
        return out


def load_routine(routine: Routine, backend: Backend = "auto") -> RoutineCode:
    """Build a routine with its tapes in lanes, or find it in the cache, and load it.

    Raises
    ------
    BuildError
        If there is no compiler: a routine has no form on the virtual machine.
    """
    toolchain = usable_toolchain(backend)
    if toolchain is None:
        why = "the backend is 'vm'" if find_toolchain() is not None else missing_toolchain()
        raise BuildError(f"{routine.name!r} is a routine in C, and needs a C compiler: {why}")
    if toolchain.identity in routine.kept:
        code: RoutineCode = routine.kept[toolchain.identity]
        return code
    tapes, symbol, key = routine.named, f"da_{routine.name}", hashlib.sha256()
    unit = _unit(routine, symbol)
    known = (toolchain.identity, generator_digest(), *LANES.optimisation, unit)
    for text in (*known, *(f.serialize() for f in tapes.values())):
        key.update(text.encode() + b"\0")

    def build(directory: Path) -> Path:
        sources = [emit_function(f, LANES).units for f in tapes.values()]
        units = [unit, *(first for first, *_ in sources), *(chunk for _, *rest in sources for chunk in rest)]
        return build_units(
            toolchain, units, directory, name=routine.name, optimise=TAPE_OPTIMISATION, first=LANES.optimisation,
            n_first=1 + len(sources), fused=True,
        )  # fmt: skip

    library = load_library(key.hexdigest(), build)
    sizes = {}
    for name in ("n_work", "block_n_work", "width"):
        size = library[f"{symbol}_{name}"]
        size.restype = ctypes.c_long
        sizes[name] = int(size())
    address, block = (ctypes.cast(library[f"{symbol}_{x}"], ctypes.c_void_p).value or 0 for x in ("call", "block"))
    code = RoutineCode(address, block, sizes["n_work"], sizes["block_n_work"], sizes["width"], routine.n_out, library)
    routine.kept[toolchain.identity] = code
    return code


def _unit(routine: Routine, symbol: str) -> str:
    """Translation unit of a routine whose tapes are lanes of other units."""
    lines, most = [], ["0L"]
    for macro, function in routine.named.items():
        name = symbol_of(function)
        lines += [
            f"extern {_TYPE.format(f'{name}_lanes')};\nextern const long {name}_lanes_n_work, {name}_lanes_width;\n"
        ]
        lines += [f"#define {macro} {name}_lanes\n"]
        most += [f"{name}_lanes_n_work"]
    width = f"{symbol_of(next(iter(routine.named.values())))}_lanes_width"
    entries = definitions(
        {
            "SYMBOL": symbol, "N_IN": len(routine.inputs), "IN_SIZES": ", ".join(map(str, routine.inputs)),
            "OUT_SIZE": routine.n_out, "TAPE_WORK": f"({' + '.join(most)})", "WIDTH": width,
            "JOIN_(a, b)": "a##b", "JOIN(a, b)": "JOIN_(a, b)",
        }
    )  # fmt: skip
    return "".join([read_text("library.h"), HEAD, *lines, routine.text, "\n", entries, read_text("routine_entries.c")])


def _renamed(function: ca.Function, name: str) -> ca.Function:
    symbols = function.sx_in()
    names = (
        [function.name_in(k) for k in range(function.n_in())],
        [function.name_out(k) for k in range(function.n_out())],
    )
    return ca.Function(name, symbols, function.call(symbols), *names)
