"""Kernels in native code: the library of a function, and calls into it.

Threads and SIMD lanes of batches belong into `NativeFrame.run_batch`: it is the one place that hands rows to
native code.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from .arguments import Signature
from .build import TAPE_OPTIMISATION, Toolchain, build_units
from .cache import load_library
from .emit_c import CSource, emit_c
from .tape import read_tape

__all__ = ["Native", "NativeFrame", "emit_function", "load_native"]

Array = NDArray[np.float64]
_LONG = np.dtype(ctypes.c_long)
_ROWS_TIMES_OPERATIONS = 50_000_000
"""Work of one call into a batch: some tens of milliseconds, after which Python can see an interrupt."""


@dataclass(frozen=True, slots=True)
class Native:
    """The native code of a kernel; keeps its library loaded.

    Parameters
    ----------
    address, frame_address, batch_address
        Of the C functions that `dalembert.compile.emit_c` describes.
    n_work
        Number of doubles of the work array that each call needs; no two threads may share one.
    library
        The loaded library.
    symbol
        C name of the function at `address`.
    """

    address: int
    frame_address: int
    batch_address: int
    n_work: int
    library: ctypes.CDLL
    symbol: str


def emit_function(function: ca.Function) -> CSource:
    """Write a CasADi function as C."""
    return emit_c(read_tape(function), symbol=_symbol(function))


def load_native(function: ca.Function, toolchain: Toolchain) -> Native:
    """Build a function, or find it in the cache, and load it.

    The key is made from the serialised function and from the text of the modules that turn it into C, so that
    a cached kernel is found without reading its tape.
    """
    key = hashlib.sha256()
    for part in (toolchain.identity, _generator_digest(), function.serialize()):
        key.update(part.encode() + b"\0")

    def build(directory: Path) -> Path:
        source = emit_function(function)
        return build_units(toolchain, source.units, directory, name=function.name(), optimise=TAPE_OPTIMISATION)

    library = load_library(key.hexdigest(), build)
    symbol = _symbol(function)

    def address(name: str) -> int:
        return ctypes.cast(library[name], ctypes.c_void_p).value or 0

    return Native(
        address=address(symbol),
        frame_address=address(f"{symbol}_frame"),
        batch_address=address(f"{symbol}_batch"),
        n_work=ctypes.c_long.in_dll(library, f"{symbol}_n_work").value,
        library=library,
        symbol=symbol,
    )


def _symbol(function: ca.Function) -> str:
    return "da_" + re.sub(r"\W", "_", function.name(), flags=re.ASCII)


@functools.cache
def _generator_digest() -> str:
    here = Path(__file__).parent
    texts = [(here / name).read_bytes() for name in ("tape.py", "emit_c.py", "build.py")]
    return hashlib.sha256(b"\0".join([ca.CasadiMeta.version().encode(), *texts])).hexdigest()


class NativeFrame:
    """Memory of one thread for calls into one kernel.

    Attributes
    ----------
    inputs, outputs
        Arrays that `run` reads and writes.
    shaped_inputs
        The inputs and their shapes.
    run
        Evaluates once; returns 0, or 1 + k if input k is not finite.
    """

    __slots__ = ("_batch", "_keep", "_n_rows", "_work", "inputs", "outputs", "run", "shaped_inputs")

    def __init__(
        self,
        native: Native,
        signature: Signature,
        n_instructions: int,
        inputs: Sequence[Array] | None = None,
        outputs: Sequence[Array] | None = None,
    ) -> None:
        self.inputs = [np.zeros(s) for s in signature.input_shapes] if inputs is None else list(inputs)
        self.outputs = [np.zeros(s) for s in signature.output_shapes] if outputs is None else list(outputs)
        self.shaped_inputs = [(array, array.shape) for array in self.inputs]
        work = np.zeros(max(1, native.n_work))
        tables = [_addresses(self.inputs), _addresses(self.outputs)]
        frame = _addresses([*tables, work])
        self._work = work.ctypes.data
        self._keep = (native, work, tables, frame)
        self._n_rows = max(1, _ROWS_TIMES_OPERATIONS // max(1, n_instructions))
        self._batch = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_long, *[ctypes.c_void_p] * 5)(native.batch_address)
        call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(native.frame_address)
        self.run: Callable[[], int] = functools.partial(call, ctypes.c_void_p(frame.ctypes.data))

    def run_batch(self, n: int, inputs: Sequence[Array], in_strides: Sequence[int], outputs: Sequence[Array]) -> int:
        """Evaluate `n` rows; return 0, or 1 + k if input k is not finite.

        Parameters
        ----------
        n
            Number of rows.
        inputs
            Contiguous arrays.
        in_strides
            Doubles from one row to the next; 0 for an input that all rows share.
        outputs
            Contiguous arrays of `n` rows.
        """
        source, target = _addresses(inputs), _addresses(outputs)
        in_stride = np.array(in_strides, dtype=_LONG)
        out_stride = np.array([y.size // max(1, n) for y in outputs], dtype=_LONG)
        for start in range(0, n, self._n_rows):
            status: int = self._batch(
                min(self._n_rows, n - start),
                source.ctypes.data,
                in_stride.ctypes.data,
                target.ctypes.data,
                out_stride.ctypes.data,
                self._work,
            )
            if status:
                return status
            source[:-1] += (in_stride * (8 * self._n_rows)).astype(np.uintp)
            target[:-1] += (out_stride * (8 * self._n_rows)).astype(np.uintp)
        return 0


def _addresses(arrays: Sequence[NDArray[Any]]) -> NDArray[np.uintp]:
    return np.array([a.ctypes.data for a in arrays] + [0], dtype=np.uintp)
