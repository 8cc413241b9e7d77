"""Compiled functions that take NumPy arrays with any leading batch axes."""

from __future__ import annotations

import functools
import math
import os
import threading
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Literal

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from ..core.errors import InputError, NoCompilerWarning
from .arguments import Array, Shape, Signature, make_signature, nonfinite_error
from .batch import BatchEntry, check_threads
from .build import BrokenToolchainError, Toolchain, find_toolchain, missing_toolchain
from .forms import EXACT, SCALAR
from .native import Lanes, Native, NativeFrame, emit_function, load_lanes, load_native
from .tape import row_major
from .vm import VmFrame

__all__ = ["Backend", "Bound", "Kernel", "compile_function", "usable_toolchain"]

Backend = Literal["auto", "native", "vm"]
_BACKENDS = ("auto", "native", "vm")
_FLOAT64 = np.dtype(np.float64)
_ARRAY = np.ndarray
_SCALARS = frozenset({float, int, np.float64})

_warning_lock = threading.Lock()
_warned = False


def compile_function(
    function: ca.Function,
    *,
    backend: Backend = "auto",
    shapes: Mapping[str, Shape] | None = None,
    exact: bool = False,
    lanes: bool = True,
) -> Kernel:
    """Compile a CasADi function.

    Parameters
    ----------
    function
        With named inputs and outputs; SX, or MX that can be expanded to SX.
    backend
        ``"native"``: C code; ``"vm"``: the CasADi virtual machine; ``"auto"``: native if there is a compiler
        that works, else the virtual machine with one `NoCompilerWarning` per process. The environment
        variable ``DALEMBERT_BACKEND`` (``native`` or ``vm``) replaces ``"auto"``.
    shapes
        NumPy shapes of named inputs and outputs. Default: a column (n, 1) is ``(n,)``, anything else ``(rows,
        columns)``. Matrices are row-major.
    exact
        Compute what the virtual machine computes, to the bit as far as the mathematical library goes: no fused
        multiplication and addition, no shared reciprocals, no sine and cosine of our own, no lanes. Otherwise the
        last digits differ.
    lanes
        Evaluate batches in lanes of SIMD vectors, with code that is built for the first batch. Without, a batch
        runs row by row on the scalar code: for kernels that see short batches only.

    Returns
    -------
    Kernel
        Callable with NumPy arrays.

    Raises
    ------
    InputError
        If the function cannot be written as scalar operations, or a shape does not fit.
    BuildError
        If the compiler refuses the source; the message holds its log.
    """
    if backend not in _BACKENDS:
        raise InputError(f"got backend {backend!r}, expected one of {', '.join(_BACKENDS)}")
    return Kernel(function, backend, dict(shapes or {}), exact=exact, lanes=lanes)


class Kernel:
    """A compiled function (made by `compile_function`).

    Calling it with arrays whose trailing axes have the shapes of the inputs evaluates it for all leading
    axes, which broadcast against each other, and returns an array, or a tuple of arrays if there are several
    outputs. A single number comes back as a NumPy scalar. Numbers that are not finite are refused, never
    computed with. A batch runs in lanes of SIMD vectors; what a row gives does not depend on the other rows, on their
    number and order, or on the number of ``threads``, to the bit.

    A kernel may be called from several threads at once; each has its own scratch memory, and native code runs
    without the interpreter lock. A kernel can be pickled; it is compiled again, or found in the cache, where
    it is loaded.

    Attributes
    ----------
    function
        The CasADi function.
    signature
        Names and shapes.
    native
        Addresses of the native code, or None on the virtual machine.
    """

    def __init__(
        self,
        function: ca.Function,
        backend: Backend,
        shapes: Mapping[str, Shape],
        *,
        exact: bool = False,
        lanes: bool = True,
    ) -> None:
        self.function = function
        self.signature: Signature = make_signature(function, shapes)
        self._requested: tuple[Backend, dict[str, Shape], bool, bool] = (backend, dict(shapes), exact, lanes)
        self._flat = row_major(function)
        self.native: Native | None = _load(self._flat, backend, exact)
        self._in_lanes = lanes and not exact
        self._local = threading.local()
        self._n_in = len(self.signature.input_names)
        self._one_output = len(self.signature.output_names) == 1
        self._one_array = self._one_output and bool(self.signature.output_shapes[0])

    @property
    def name(self) -> str:
        """Name of the function."""
        return self.signature.name

    @property
    def backend(self) -> str:
        """``"native"`` or ``"vm"``."""
        return "vm" if self.native is None else "native"

    @property
    def source(self) -> str:
        """The C text of the function (also where it runs on the virtual machine)."""
        return emit_function(self._flat, EXACT if self._requested[2] else SCALAR).text

    @functools.cached_property
    def lanes(self) -> Lanes | None:
        """The lane code, built when first asked for; None on the virtual machine."""
        toolchain = find_toolchain()
        if self.native is None or toolchain is None or not self._in_lanes:
            return None
        return load_lanes(self._flat, toolchain)

    @functools.cached_property
    def _batch(self) -> BatchEntry:
        n_instructions = self._flat.n_instructions()
        if self.lanes is not None:
            return BatchEntry(self.lanes.address, self.lanes.n_work, self.lanes.width, n_instructions)
        assert self.native is not None
        return BatchEntry(self.native.batch_address, self.native.n_work, 1, n_instructions)

    def __call__(self, *arguments: Any, threads: int = 1) -> Any:
        """Evaluate; see the class.

        Parameters
        ----------
        *arguments
            Arrays, in the order of the inputs.
        threads
            Number of threads over which a batch is divided; 0: one per core.
        """
        try:
            frame = self._local.frame
        except AttributeError:
            frame = self._local.frame = self._frame()
        if len(arguments) != self._n_in:
            return self._call_general(frame, arguments, threads)
        for argument, (array, shape) in zip(arguments, frame.shaped_inputs):  # noqa: B905 -- 0.3 us
            if (type(argument) is _ARRAY and argument.dtype is _FLOAT64 and argument.shape == shape) or (
                not shape and type(argument) is float
            ):
                array[...] = argument
            else:
                return self._call_general(frame, arguments, threads)
        status = frame.run()
        if status:
            raise self._nonfinite(status, frame.inputs)
        if self._one_array:
            return frame.outputs[0].copy()
        return self._results(frame)

    def bind(self, *arrays: NDArray[np.float64]) -> Bound:
        """Fix the arrays that a hot loop reads; see `Bound`.

        Parameters
        ----------
        *arrays
            One contiguous float64 array per input, with or without batch axes. None makes a new one without
            batch axes.
        """
        shapes = self.signature.input_shapes
        given = [np.zeros(shape) if a is None else a for a, shape in zip(arrays, shapes, strict=False)]
        checked, batch = self.signature.arrays([*given, *arrays[len(given) :]])
        for name, mine, theirs in zip(self.signature.input_names, checked, given, strict=True):
            if mine is not theirs or not mine.flags.c_contiguous or not mine.flags.aligned:
                raise InputError(
                    f"input {name!r} of kernel {self.name!r} cannot be bound: expected a contiguous float64 array"
                )
        return Bound(self, checked, batch)

    def on(self, device: str, **options: Any) -> Any:
        """Return this kernel on a device.

        Parameters
        ----------
        device
            ``"cpu"``: the kernel itself; ``"cuda"``: a `dalembert.compile.cuda.CudaKernel`, which takes and returns
            arrays on the GPU.
        **options
            Of `dalembert.compile.cuda.compile_cuda`: ``precision``, ``fast_math``, ``block``.

        Raises
        ------
        BuildError
            If there is no GPU, or no CuPy.
        """
        if device == "cpu":
            return self
        if device != "cuda":
            raise InputError(f"got device {device!r}, expected one of cpu, cuda")
        from .cuda import compile_cuda

        return compile_cuda(self._flat, self.signature, **options)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by the serialised CasADi function."""
        return _restore, (self.function.serialize(), *self._requested)

    def __repr__(self) -> str:
        """Show names and shapes."""
        s = self.signature
        takes = ", ".join(f"{n}{list(k)}" for n, k in zip(s.input_names, s.input_shapes, strict=True))
        gives = ", ".join(f"{n}{list(k)}" for n, k in zip(s.output_names, s.output_shapes, strict=True))
        return f"<Kernel {self.name}: ({takes}) -> ({gives}), {self.backend}>"

    def _frame(self, inputs: list[Array] | None = None, outputs: list[Array] | None = None) -> NativeFrame | VmFrame:
        if self.native is None:
            return VmFrame(self._flat, self.signature, inputs, outputs)
        return NativeFrame(self.native, self.signature, lambda: self._batch, inputs, outputs)

    def _call_general(self, frame: NativeFrame | VmFrame, arguments: tuple[Any, ...], threads: int) -> Any:
        arrays, batch = self.signature.arrays(arguments)
        if not batch:
            for mine, array in zip(frame.inputs, arrays, strict=True):
                mine[...] = array
            status = frame.run()
            if status:
                raise self._nonfinite(status, arrays)
            return self._results(frame)
        inputs, strides = self._rows(arrays, batch)
        outputs = [np.empty(batch + shape) for shape in self.signature.output_shapes]
        status = frame.run_batch(math.prod(batch), inputs, strides, outputs, check_threads(threads))
        if status:
            raise self._nonfinite(status, arrays)
        return outputs[0] if self._one_output else tuple(outputs)

    def _results(self, frame: NativeFrame | VmFrame) -> Any:
        results = tuple([array.copy()[()] for array in frame.outputs])
        return results[0] if self._one_output else results

    def _rows(self, arrays: list[Array], batch: Shape) -> tuple[list[Array], list[int]]:
        """Lay out the rows of a batch: contiguous arrays as they are, stride 0 for what all rows share."""
        rows, strides = [], []
        for array, shape in zip(arrays, self.signature.input_shapes, strict=True):
            lead = array.shape[: array.ndim - len(shape)]
            shared = math.prod(lead) == 1
            if not shared and lead != batch:
                array = np.broadcast_to(array, batch + shape)
            rows.append(np.require(array, requirements=["C", "A"]))
            strides.append(0 if shared else math.prod(shape))
        return rows, strides

    def _nonfinite(self, status: int, arrays: list[Array]) -> InputError:
        return nonfinite_error(self.name, self.signature.input_names[status - 1], arrays[status - 1])


class Bound:
    """A kernel with its own input and output arrays, for hot loops (made by `Kernel.bind`).

    Fill `inputs` in place, call, read `outputs`: nothing is allocated and no shape is checked again. Numbers
    that are not finite are still refused. Not to be shared between threads.

    Attributes
    ----------
    inputs, outputs
        The arrays; each call overwrites the outputs.
    """

    __slots__ = ("_frame", "_kernel", "_result", "_run", "inputs", "outputs")

    def __init__(self, kernel: Kernel, inputs: list[Array], batch: Shape) -> None:
        self._kernel = kernel
        self.inputs = tuple(inputs)
        self.outputs = tuple(np.zeros(batch + shape) for shape in kernel.signature.output_shapes)
        self._result = self.outputs[0] if len(self.outputs) == 1 else self.outputs
        self._run: Callable[[], int]
        if batch:
            frame = kernel._frame()
            rows, strides = kernel._rows(inputs, batch)
            n, outputs = math.prod(batch), self.outputs
            for name, mine, theirs in zip(kernel.signature.input_names, rows, inputs, strict=True):
                if mine is not theirs:
                    raise InputError(
                        f"input {name!r} of kernel {kernel.name!r} cannot be bound: "
                        f"got shape {theirs.shape}, expected batch axes {batch} or none"
                    )
            self._run = lambda: frame.run_batch(n, rows, strides, outputs)
        else:
            frame = kernel._frame(inputs, list(self.outputs))
            self._run = frame.run
        self._frame = frame

    def __call__(self) -> Any:
        """Evaluate; return `outputs`, or the only one."""
        status = self._run()
        if status:
            raise self._kernel._nonfinite(status, list(self.inputs))
        return self._result


def usable_toolchain(backend: Backend) -> Toolchain | None:
    """Return the compiler for a backend, or None for the virtual machine.

    Raises
    ------
    BrokenToolchainError
        If native code is asked for and there is no compiler.
    """
    if backend == "auto":
        override = os.environ.get("DALEMBERT_BACKEND", "") or "auto"
        if override not in _BACKENDS:
            raise InputError(f"got DALEMBERT_BACKEND={override!r}, expected one of {', '.join(_BACKENDS)}")
        backend = override  # type: ignore[assignment]
    if backend == "vm":
        return None
    toolchain = find_toolchain()
    if toolchain is None:
        missing = BrokenToolchainError(f"no C compiler: {missing_toolchain()}")
        if backend == "native":
            raise missing
        _warn_no_compiler(str(missing))
    return toolchain


def _load(function: ca.Function, backend: Backend, exact: bool) -> Native | None:
    toolchain = usable_toolchain(backend)
    if toolchain is None:
        return None
    try:
        return load_native(function, toolchain, exact=exact)
    except BrokenToolchainError as error:
        if backend == "native" or os.environ.get("DALEMBERT_BACKEND", "") == "native":
            raise
        _warn_no_compiler(str(error))
    return None


def _warn_no_compiler(reason: str) -> None:
    global _warned
    with _warning_lock:
        if _warned:
            return
        _warned = True
    warnings.warn(
        f"kernels run on the CasADi virtual machine, some twenty times slower than native code. "
        f"Install gcc, clang or the ziglang wheel. Reason: {reason}",
        NoCompilerWarning,
        stacklevel=5,
    )


def _restore(serialized: str, backend: Backend, shapes: dict[str, Shape], exact: bool, lanes: bool) -> Kernel:
    return Kernel(ca.Function.deserialize(serialized), backend, shapes, exact=exact, lanes=lanes)
