"""Units of the engine that tests compile with entries of their own: calls of these, and kernels in Python."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dalembert.compile.cache import build_library
from dalembert.engine.memory import NativeMemory
from dalembert.engine.sources import unit_text

__all__ = ["KERNEL", "Code", "arguments", "calls", "numbers", "unit_with"]

KERNEL = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.POINTER(ctypes.c_void_p)] * 2, ctypes.c_void_p)


def unit_with(
    entries: str, unit: str, name: str, *, doubles: Sequence[str] = (), integers: Sequence[str] = ()
) -> ctypes.CDLL:
    """A unit of the engine with the entries of a test behind it, compiled without optimisation.

    ``doubles`` and ``integers`` (of 64 bits) are the entries that return such numbers.
    """
    text = unit_text(unit).replace('#pragma GCC optimize("O3")', "")
    library = build_library(text + entries, name, optimise=("-O0",))
    for kind, names in ((ctypes.c_double, doubles), (ctypes.c_int64, integers)):
        for entry in names:
            getattr(library, entry).restype = kind
    return library


def calls(library: ctypes.CDLL) -> Callable[..., Any]:
    """``call(name, *values)`` of the entries of a library."""
    return lambda name, *values: getattr(library, name)(*arguments(*values))


def arguments(*values: Any) -> list[Any]:
    """Arguments of C: addresses of arrays and of memory, whole numbers of 64 bits, and doubles."""
    passed: list[Any] = []
    for value in values:
        if value is None:
            passed.append(ctypes.c_void_p(None))
        elif isinstance(value, np.ndarray):
            assert value.flags.c_contiguous
            passed.append(ctypes.c_void_p(value.ctypes.data))
        elif isinstance(value, NativeMemory):
            passed.append(ctypes.c_void_p(value.address))
        elif isinstance(value, int):
            passed.append(ctypes.c_int64(value))
        else:
            passed.append(ctypes.c_double(value) if isinstance(value, float) else value)
    return passed


def numbers(address: int | None, count: int) -> np.ndarray:
    """The doubles at an address."""
    return np.ctypeslib.as_array((ctypes.c_double * count).from_address(address)) if address and count else np.zeros(0)


class Code:
    """A kernel in Python: f(inputs) -> outputs; inputs are (t, x, ...) of these sizes."""

    def __init__(self, f: Any, sizes: tuple[int, ...]) -> None:
        def kernel(inputs: Any, outputs: Any, _work: Any) -> int:
            made = f(*(numbers(inputs[k], size).copy() for k, size in enumerate(sizes)))
            if made is None:
                return 1
            for k, values in enumerate(made):
                flat = np.asarray(values, dtype=float).ravel()
                numbers(outputs[k], flat.size)[:] = flat
            return 0

        self._kept = KERNEL(kernel)
        self.address = ctypes.cast(self._kept, ctypes.c_void_p).value

    def work(self) -> np.ndarray:
        """Its work array."""
        return np.zeros(1)
