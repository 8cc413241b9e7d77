"""Compiled functions that take NumPy arrays with any leading batch axes."""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.compile.arguments import Shape, Signature, make_signature, nonfinite_error
from dalembert.compile.backend import BACKENDS, Backend, load_backend, usable_toolchain
from dalembert.compile.batch import BatchEntry, check_threads
from dalembert.compile.build import find_toolchain
from dalembert.compile.calls import direct_call
from dalembert.compile.cuda import compile_cuda
from dalembert.compile.forms import EXACT, SCALAR
from dalembert.compile.native import Lanes, Native, NativeFrame, Source, emit_function, load_lanes
from dalembert.compile.rows import RowFunction
from dalembert.compile.tape import row_major
from dalembert.compile.vm import VmFrame
from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["Backend", "BoundKernel", "Kernel", "compile_function", "usable_toolchain"]

_FLOAT64 = np.dtype(np.float64)
_ARRAY = np.ndarray
_pack = b"".join
_Memory = tuple[Callable[[bytes], int], Callable[[], Any], Any]
"""Functions of a thread: one evaluates packed inputs, one copies the results; and the memory of both."""


def compile_function(
    function: Source,
    *,
    backend: Backend = "auto",
    shapes: Mapping[str, Shape] | None = None,
    exact: bool = False,
    lanes: bool = True,
    nonfinite: str | None = None,
) -> Kernel:
    """Compile a CasADi function.

    Parameters
    ----------
    function
        With named inputs and outputs; SX, or MX that can be expanded to SX; or a `RowFunction`.
    backend
        ``"native"``: C code; ``"vm"``: the CasADi virtual machine; ``"auto"``: native if there is a compiler
        that works, else the virtual machine with one `NoCompilerWarning` per process. The environment
        variable ``DALEMBERT_BACKEND`` (``native`` or ``vm``) replaces ``"auto"``.
    shapes
        NumPy shapes of named inputs and outputs. Default: a column (n, 1) is ``(n,)``, anything else ``(rows,
        columns)``. Matrices are row-major.
    exact
        Compute as the virtual machine does, bitwise identical as far as the mathematical library goes: no fused
        multiplication and addition, no shared reciprocals, not our own sine and cosine, no lanes. Otherwise the last
        digits differ.
    lanes
        Evaluate batches in lanes of SIMD vectors, with code that is built for the first batch. Without, a batch
        runs row by row on the scalar code: for kernels that see short batches only.
    nonfinite
        Meaning of a result that is not finite: the message of the `InputError` that a call then raises. Without,
        such results are returned.

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

    Examples
    --------
    >>> import casadi as ca
    >>> x = ca.SX.sym("x", 2)
    >>> length = compile_function(ca.Function("length", [x], [ca.norm_2(x)], ["x"], ["length"]), backend="vm")
    >>> float(length([3.0, 4.0])[0])
    5.0
    """
    if backend not in BACKENDS:
        raise InputError(f"got backend {backend!r}, expected one of {', '.join(BACKENDS)}")
    return Kernel(function, backend, dict(shapes or {}), exact=exact, lanes=lanes, nonfinite=nonfinite)


class Kernel:
    """A compiled function (made by `compile_function`).

    Calling it with arrays whose trailing axes have the shapes of the inputs evaluates it for all leading
    axes, which broadcast against each other, and returns an array, or a tuple of arrays if there are several
    outputs. A single number comes back as a NumPy scalar. Numbers that are not finite are refused, never
    computed with. A batch runs in lanes of SIMD vectors; the result of a row is bitwise independent of the other rows,
    their number and order, and the number of ``threads``.

    A kernel may be called from several threads at once; each has its own scratch memory. Batches, and single calls that
    take more than some microseconds, run without the interpreter lock. A kernel can be pickled; it is compiled again,
    or found in the cache, where it is loaded.

    Attributes
    ----------
    signature
        Names and shapes.
    native
        Addresses of the native code, or None on the virtual machine.
    """

    def __init__(
        self,
        function: Source,
        backend: Backend,
        shapes: Mapping[str, Shape],
        *,
        exact: bool = False,
        lanes: bool = True,
        nonfinite: str | None = None,
    ) -> None:
        self._function = function
        self.signature: Signature = make_signature(function, shapes)
        self._requested = (backend, dict(shapes), exact, lanes, nonfinite)
        self._source: Source = function if isinstance(function, RowFunction) else row_major(function)
        self.native: Native | None = load_backend(self._source, backend, exact)
        self._in_lanes = lanes and not exact
        self._nonfinite = nonfinite
        self._local = threading.local()
        self._n_in = len(self.signature.input_names)
        self._shapes = (*self.signature.input_shapes, None)  # no array has the shape None: one too many is noticed

    @functools.cached_property
    def function(self) -> ca.Function:
        """The CasADi function."""
        return self._function.function if isinstance(self._function, RowFunction) else self._function

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
        return emit_function(self._source, EXACT if self._requested[2] else SCALAR).text

    @functools.cached_property
    def lanes(self) -> Lanes | None:
        """The lane code, built on first use; None on the virtual machine."""
        toolchain = find_toolchain()
        if self.native is None or toolchain is None or not self._in_lanes:
            return None
        return load_lanes(self._source, toolchain)

    @functools.cached_property
    def _batch(self) -> BatchEntry:
        n_instructions = self._source.n_instructions()
        if self.lanes is not None:
            return BatchEntry(self.lanes.rows, self.lanes.n_work, self.lanes.width, n_instructions)
        assert self.native is not None
        return BatchEntry(self.native.rows, self.native.n_work, 1, n_instructions)

    def __call__(self, *arguments: ArrayLike, threads: int = 1) -> Any:
        """Evaluate; see the class.

        Parameters
        ----------
        *arguments
            Arrays, in the order of the inputs.
        threads
            Number of threads over which a batch is divided; 0: one per core.
        """
        if threads.__class__ is int and threads == 1:
            return self.direct(*arguments)
        return self._call(*arguments, threads=threads)

    @functools.cached_property
    def direct(self) -> Callable[..., Any]:
        """The kernel as the fastest callable, for callers that need the last 0.1 us; it accepts only arrays."""
        if self.native is None:
            return self._call
        return direct_call(self.native, self.signature, self._call, finite=self._nonfinite is not None) or self._call

    def _call(self, *arguments: Any, threads: int = 1) -> Any:
        """Evaluate without the extension: packed inputs through `ctypes`, or the virtual machine; raises all errors."""
        shapes, k = self._shapes, 0
        for argument in arguments:  # counted by hand, because zip and enumerate take 0.2 us
            if type(argument) is not _ARRAY or argument.dtype is not _FLOAT64 or argument.shape != shapes[k]:
                if type(argument) is not float or shapes[k] != ():
                    return self._call_general(arguments, threads)
                arguments = (*arguments[:k], np.array(argument), *arguments[k + 1 :])
            k += 1
        if k != self._n_in:
            return self._call_general(arguments, threads)
        try:
            packed = _pack(arguments)
        except TypeError:  # an array that is not contiguous
            return self._call_general(arguments, threads)
        try:
            evaluate, copies, _ = self._local.memory
        except AttributeError:
            evaluate, copies, _ = self._memory()
        status = evaluate(packed)
        if status:
            self._refuse(status, arguments)
        return copies()

    def bind(self, *arrays: Array) -> BoundKernel:
        """Fix the arrays that a hot loop reads; see `BoundKernel`.

        Parameters
        ----------
        *arrays
            One contiguous float64 array per input, with or without batch axes. None makes a new one without
            batch axes.
        """
        shapes = self.signature.input_shapes
        bound = [np.zeros(shape) if a is None else a for a, shape in zip(arrays, shapes, strict=False)]
        checked, batch = self.signature.arrays([*bound, *arrays[len(bound) :]])
        for name, mine, theirs in zip(self.signature.input_names, checked, bound, strict=True):
            if mine is not theirs or not mine.flags.c_contiguous or not mine.flags.aligned:
                raise InputError(
                    f"input {name!r} of kernel {self.name!r} cannot be bound: expected a contiguous float64 array"
                )
        return BoundKernel(self, checked, batch)

    def on(self, device: str, **options: Any) -> Any:
        """Return this kernel on a device.

        Parameters
        ----------
        device
            ``"cpu"``: the kernel itself; ``"cuda"``: a `dalembert.compile.CudaKernel`, which takes and returns
            arrays on the GPU.
        **options
            Options of `dalembert.compile.compile_cuda`: ``precision``, ``fast_math``, ``block``.

        Raises
        ------
        BuildError
            If there is no GPU, or no CuPy.
        """
        if device == "cpu":
            return self
        if device != "cuda":
            raise InputError(f"got device {device!r}, expected one of cpu, cuda")

        return compile_cuda(self._source, self.signature, **options)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by the serialised function."""
        function = self._function if isinstance(self._function, RowFunction) else self._function.serialize()
        return _restore, (function, *self._requested)

    def __repr__(self) -> str:
        """Show names and shapes."""
        s = self.signature
        takes = ", ".join(f"{n}{list(k)}" for n, k in zip(s.input_names, s.input_shapes, strict=True))
        gives = ", ".join(f"{n}{list(k)}" for n, k in zip(s.output_names, s.output_shapes, strict=True))
        return f"<Kernel {self.name}: ({takes}) -> ({gives}), {self.backend}>"

    def _frame(self, outputs: Sequence[Array], inputs: Sequence[Array] | None = None) -> NativeFrame | VmFrame:
        if self.native is None:
            return VmFrame(row_major(self.function), outputs, inputs)
        return NativeFrame(self.native, outputs, inputs or ())

    def _memory(self) -> _Memory:
        """Make the memory of this thread for single calls."""
        outputs = [np.zeros(shape) for shape in self.signature.output_shapes]
        frame = self._frame(outputs)
        one_array = len(outputs) == 1 and outputs[0].ndim
        copies = outputs[0].copy if one_array else functools.partial(_copies, outputs)
        self._local.memory = memory = (frame.evaluate, copies, frame)
        return memory

    def _call_general(self, arguments: tuple[ArrayLike, ...], threads: int) -> Any:
        arrays, batch = self.signature.arrays(arguments)
        if not batch:
            return self._call(*map(_plain, arrays))
        inputs, strides = self._rows(arrays, batch)
        outputs = tuple([np.empty(batch + shape) for shape in self.signature.output_shapes])
        status = self._run_batch(math.prod(batch), inputs, strides, outputs, check_threads(threads))
        if not status and self._nonfinite is not None and not all(np.isfinite(y).all() for y in outputs):
            status = -1
        if status:
            self._refuse(status, arrays)
        return outputs[0] if len(outputs) == 1 else outputs

    def _run_batch(
        self, n: int, inputs: Sequence[Array], strides: Sequence[int], outputs: Sequence[Array], threads: int = 1
    ) -> int:
        if self.native is not None:
            return self._batch.run(n, inputs, strides, outputs, threads)
        _, _, frame = getattr(self._local, "memory", None) or self._memory()
        return frame.run_batch(n, inputs, strides, outputs)

    def _rows(self, arrays: list[Array], batch: Shape) -> tuple[list[Array], list[int]]:
        """Lay out the rows of a batch: contiguous arrays as they are, stride 0 for inputs that all rows share."""
        rows, strides = [], []
        for array, shape in zip(arrays, self.signature.input_shapes, strict=True):
            lead = array.shape[: array.ndim - len(shape)]
            shared = math.prod(lead) == 1
            if not shared and lead != batch:
                array = np.broadcast_to(array, batch + shape)
            rows.append(np.require(array, requirements=["C", "A"]))
            strides.append(0 if shared else math.prod(shape))
        return rows, strides

    def _refuse(self, status: int, arrays: Sequence[Array]) -> None:
        """Raise what the status of an evaluation means: an input that is not finite, or a result where that matters."""
        if status > 0:
            raise nonfinite_error(self.name, self.signature.input_names[status - 1], arrays[status - 1])
        if self._nonfinite is not None:
            raise InputError(self._nonfinite)


def _plain(array: Array) -> Array:
    """Copy an array to one that is packed without further checks."""
    fresh = np.empty(array.shape)
    fresh[...] = array
    return fresh


def _copies(outputs: Sequence[Array]) -> Any:
    results = tuple([array.copy()[()] for array in outputs])
    return results[0] if len(results) == 1 else results


class BoundKernel:
    """A kernel with its own input and output arrays, for hot loops (made by `Kernel.bind`).

    Fill `inputs` in place, call, read `outputs`: nothing is allocated and no shape is checked again. Inputs that are
    not finite are still refused; results are not looked at. Not to be shared between threads.

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
            rows, strides = kernel._rows(inputs, batch)
            for name, mine, theirs in zip(kernel.signature.input_names, rows, inputs, strict=True):
                if mine is not theirs:
                    raise InputError(
                        f"input {name!r} of kernel {kernel.name!r} cannot be bound: "
                        f"got shape {theirs.shape}, expected batch axes {batch} or none"
                    )
            self._run = functools.partial(kernel._run_batch, math.prod(batch), rows, strides, self.outputs)
        else:
            self._frame = kernel._frame(self.outputs, inputs)
            self._run = self._frame.run

    def __call__(self) -> Any:
        """Evaluate; return `outputs`, or the only one."""
        status = self._run()
        if status:
            self._kernel._refuse(status, self.inputs)
        return self._result


def _restore(
    serialised: str | RowFunction,
    backend: Backend,
    shapes: dict[str, Shape],
    exact: bool,
    lanes: bool,
    nonfinite: str | None,
) -> Kernel:
    function = serialised if isinstance(serialised, RowFunction) else ca.Function.deserialize(serialised)
    return Kernel(function, backend, shapes, exact=exact, lanes=lanes, nonfinite=nonfinite)
