"""Kernels on an NVIDIA GPU, through CuPy: the same tape as CUDA C, one thread per instance.

The source needs neither CuPy nor dalembert: `CudaSource.text` can be written to a file and compiled by ``nvcc`` or
NVRTC elsewhere.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal

import casadi as ca
import numpy as np

from dalembert.compile.arguments import Signature
from dalembert.compile.emit_c import CHUNK_SIZE
from dalembert.compile.forms import CUDA, Form
from dalembert.compile.native import Source, emit_function
from dalembert.core.errors import BuildError, InputError

__all__ = ["CudaKernel", "CudaSource", "Precision", "compile_cuda", "emit_cuda", "import_cupy"]

Precision = Literal["double", "float"]
BLOCK = 128
"""Threads of a block."""


@dataclass(frozen=True, slots=True)
class CudaSource:
    """CUDA C of one kernel.

    Parameters
    ----------
    text
        One translation unit.
    entry
        Name of the ``__global__`` function.
    inputs, outputs
        Number of scalars of each named input and output, in order.
    """

    text: str
    entry: str
    inputs: Mapping[str, int]
    outputs: Mapping[str, int]


def emit_cuda(
    function: Source,
    *,
    form: Form = CUDA,
    macros: Mapping[str, object] | None = None,
    further: Mapping[str, ca.Function] | None = None,
    entry: str = "cuda",
) -> CudaSource:
    """Write a function as CUDA C.

    Parameters
    ----------
    function
        The function.
    form
        The entries.
    macros, further
        Definitions and further functions for the entries.
    entry
        Suffix of the name of the ``__global__`` function.
    """
    sizes_in = {name: math.prod(function.size_in(name)) for name in function.name_in()}
    sizes_out = {name: math.prod(function.size_out(name)) for name in function.name_out()}
    inputs, outputs = list(sizes_in.values()), list(sizes_out.values())
    names = [f"x{k}" for k in range(len(inputs))], [f"y{k}" for k in range(len(outputs))]
    arrays = [*zip(names[0], inputs, strict=True), *zip(names[1], outputs, strict=True)]
    every = {
        "ARGUMENTS": ", ".join(
            [f"const real *restrict in_{x}, long long e_{x}, long long r_{x}" for x in names[0]]
            + [f"real *restrict out_{y}, long long e_{y}, long long r_{y}" for y in names[1]]
        ),
        "LOCALS": ", ".join(f"{name}[{size + 1}]" for name, size in arrays),
        "LOADS": " ".join(
            f"UNROLL for (int j = 0; j < {n}; j++) {x}[j] = in_{x}[j * e_{x} + i * r_{x}];"
            for x, n in zip(names[0], inputs, strict=True)
        ),
        "STORES": " ".join(
            f"UNROLL for (int j = 0; j < {n}; j++) out_{y}[j * e_{y} + i * r_{y}] = {y}[j];"
            for y, n in zip(names[1], outputs, strict=True)
        ),
        "INPUTS": ", ".join([*names[0], "0"]),
        "OUTPUTS": ", ".join([*names[1], "0"]),
    }
    source = emit_function(function, form, every if macros is None else macros, further)
    inline = "__noinline__" if source.n_operations > CHUNK_SIZE else "__forceinline__"
    text = f"#define INLINE {inline}\n{source.text}"
    return CudaSource(text, f"{source.symbol}_{entry}", sizes_in, sizes_out)


def import_cupy() -> Any:
    """Return the module ``cupy``, after making sure that it finds a GPU.

    Raises
    ------
    BuildError
        With the missing part.
    """
    try:
        cupy: Any = importlib.import_module("cupy")
    except ImportError as error:
        raise BuildError(
            f"device 'cuda' needs CuPy ({error}); install it with: pip install 'dalembert[cuda]'"
        ) from error
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise BuildError(f"device 'cuda' needs an NVIDIA GPU and its driver: {error}") from error
    if not count:
        raise BuildError("device 'cuda' needs an NVIDIA GPU; the driver reports none")
    return cupy


def load_entry(cupy: ModuleType, source: CudaSource, precision: Precision, fast_math: bool, block: int) -> Any:
    """Compile a source with NVRTC and return its entry."""
    if precision not in ("double", "float"):
        raise InputError(f"got precision {precision!r}, expected 'double' or 'float'")
    options = ["--std=c++14", f"-DDA_BLOCK={block}"]
    options += ["-DDA_FLOAT"] if precision == "float" else []
    options += ["--use_fast_math"] if fast_math else []
    try:
        return cupy.RawModule(code=source.text, options=tuple(options)).get_function(source.entry)
    except cupy.cuda.compiler.CompileException as error:
        raise BuildError(f"NVRTC failed on {source.entry!r}\n{error}") from error


class CudaKernel:
    """A function on a GPU (made by `Kernel.on`).

    Takes NumPy or CuPy arrays like `Kernel`, and returns CuPy arrays, which `cupy.asnumpy` or ``.get()`` brings back.
    Fastest are CuPy arrays of the right precision whose memory holds each scalar of all instances in one piece
    (``x.T`` is contiguous); those that it returns are such arrays. Numbers that are not finite are not refused.
    """

    def __init__(
        self, function: Source, signature: Signature, precision: Precision, fast_math: bool, block: int
    ) -> None:
        self._cupy = import_cupy()
        self.signature = signature
        self.source = emit_cuda(function)
        self.dtype = np.dtype(np.float64 if precision == "double" else np.float32)
        self._entry = load_entry(self._cupy, self.source, precision, fast_math, block)
        self._block = block

    @property
    def name(self) -> str:
        """Name of the function."""
        return self.signature.name

    def __call__(self, *arguments: object) -> Any:
        """Evaluate; see the class."""
        cupy, signature = self._cupy, self.signature
        if len(arguments) != len(signature.input_names):
            raise InputError(
                f"kernel {self.name!r} takes {len(signature.input_names)} inputs "
                f"({', '.join(signature.input_names)}), got {len(arguments)}"
            )
        arrays = [cupy.asarray(x, dtype=self.dtype) for x in arguments]
        leads = []
        for name, shape, array in zip(signature.input_names, signature.input_shapes, arrays, strict=True):
            n_lead = array.ndim - len(shape)
            if n_lead < 0 or array.shape[n_lead:] != shape:
                raise InputError(f"input {name!r} of kernel {self.name!r}: got shape {array.shape}, expected {shape}")
            leads.append(array.shape[:n_lead])
        batch = np.broadcast_shapes(*leads)
        n = math.prod(batch)
        parameters: list[Any] = [np.int64(n)]
        for array, lead, shape in zip(arrays, leads, signature.input_shapes, strict=True):
            if math.prod(lead) == 1:
                flat = cupy.ascontiguousarray(array).reshape(-1)
                parameters += [flat, np.int64(1), np.int64(0)]
            else:
                rows = cupy.broadcast_to(array, batch + shape).reshape(n, math.prod(shape))
                columns = cupy.ascontiguousarray(rows.T)
                parameters += [columns, np.int64(n), np.int64(1)]
        outputs = [cupy.empty((math.prod(shape), n), dtype=self.dtype) for shape in signature.output_shapes]
        for columns in outputs:
            parameters += [columns, np.int64(n), np.int64(1)]
        if n:
            self._entry(((n + self._block - 1) // self._block,), (self._block,), tuple(parameters))
        results = tuple(y.T.reshape(batch + s) for y, s in zip(outputs, signature.output_shapes, strict=True))
        return results[0] if len(results) == 1 else results

    def __repr__(self) -> str:
        return f"<CudaKernel {self.name}, {self.dtype}>"


def compile_cuda(
    function: Source,
    signature: Signature,
    *,
    precision: Precision = "double",
    fast_math: bool = False,
    block: int = BLOCK,
) -> CudaKernel:
    """Compile a function for the GPU.

    Parameters
    ----------
    function
        The function.
    signature
        Names and shapes of its inputs and outputs.
    precision
        ``"double"`` or ``"float"``.
    fast_math
        Approximate divisions, roots and transcendental functions, and flush subnormal numbers: several times faster
        in ``"float"``, at the cost of some digits.
    block
        Threads of a block.

    Examples
    --------
    >>> import casadi as ca
    >>> from dalembert.compile import compile_cuda, compile_function
    >>> x = ca.SX.sym("x")
    >>> square = ca.Function("square", [x], [x * x], ["x"], ["y"])
    >>> on_gpu = compile_cuda(square, compile_function(square).signature)  # doctest: +SKIP
    """
    return CudaKernel(function, signature, precision, fast_math, block)
