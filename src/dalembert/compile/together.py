"""Several functions in one library: starting and linking a compiler takes longer than it works on a short function."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import casadi as ca

from dalembert.compile.backend import Backend, usable_toolchain
from dalembert.compile.build import TAPE_OPTIMISATION, BrokenToolchainError, Toolchain, build_units
from dalembert.compile.cache import is_cached, store_cached
from dalembert.compile.emit_c import CHUNK_SIZE, CSource
from dalembert.compile.forms import SCALAR
from dalembert.compile.native import emit_function, form_key, symbol_of
from dalembert.compile.tape import row_major

__all__ = ["build_together"]


def build_together(functions: Iterable[ca.Function], backend: Backend = "auto") -> None:
    """Build the scalar code of those functions that are not in the cache as one library, which all of them then have.

    `compile_function` finds them there. Short functions share translation units, which are compiled in parallel. The
    code of a function is the same as if it was built alone.

    Parameters
    ----------
    functions
        With different names; of two with the same name the second is left to `compile_function`.
    backend
        As in `compile_function`.

    Examples
    --------
    >>> import casadi as ca
    >>> x = ca.SX.sym("x")
    >>> build_together([ca.Function("twice", [x], [2 * x]), ca.Function("square", [x], [x * x])])
    """
    toolchain = usable_toolchain(backend)
    if toolchain is None:
        return
    named: dict[str, ca.Function] = {}
    for function in functions:
        named.setdefault(symbol_of(function), row_major(function))
    keys = {form_key(function, toolchain, SCALAR): function for function in named.values()}
    missing = {key: function for key, function in keys.items() if not is_cached(key)}
    if len(missing) < 2:
        return

    def build(directory: Path) -> Path:
        return _build(toolchain, [emit_function(function) for function in missing.values()], directory)

    try:
        store_cached(list(missing), build)
    except BrokenToolchainError:  # `compile_function` raises it, or uses the virtual machine
        return


def _build(toolchain: Toolchain, sources: Sequence[CSource], directory: Path) -> Path:
    """Compile functions with their entries first, then the rest of long ones."""
    head, room = SCALAR.head, 0
    first: list[str] = []
    for source in sources:
        body, length = source.units[0].removeprefix(head), source.n_operations if len(source.units) == 1 else 0
        if not first or length > room:
            first.append(head + body)
            room = CHUNK_SIZE - length
        else:
            first[-1] += body
            room -= length
    rest = [unit for source in sources for unit in source.units[1:]]
    name = ", ".join(source.symbol.removeprefix("da_") for source in sources)
    return build_units(
        toolchain,
        [*first, *rest],
        directory,
        name=name,
        optimise=TAPE_OPTIMISATION,
        first=SCALAR.optimisation,
        n_first=len(first),
        fused=SCALAR.fused,
    )
