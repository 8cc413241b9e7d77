"""Kernels in native code: the libraries of a function, and calls into them.

A function has up to two libraries: the scalar one, built when the kernel is made, and the one of lanes, built when
the first batch is evaluated.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import numpy as np

from dalembert.compile.batch import BATCH_ARGUMENTS, pointers
from dalembert.compile.build import TAPE_OPTIMISATION, Toolchain, build_units
from dalembert.compile.cache import build_library, load_library
from dalembert.compile.emit_c import CSource, emit_c
from dalembert.compile.emit_rows import emit_rows
from dalembert.compile.forms import EXACT, LANES, SCALAR, Form, read_text
from dalembert.compile.passes import share_reciprocals
from dalembert.compile.rows import RowFunction
from dalembert.compile.tape import Tape, read_tape
from dalembert.core.types import Array

__all__ = [
    "Lanes",
    "Native",
    "NativeFrame",
    "Source",
    "emit_function",
    "form_key",
    "generator_digest",
    "kernel_calls",
    "load_form",
    "load_lanes",
    "load_native",
    "symbol_of",
]

Source = ca.Function | RowFunction
"""Functions that can be written as C."""

STAGED = 10_000
"""Operations from which on a function in stages is written as such. A shorter one is faster as one tape, and so are
lanes, which have all their vectors full anyway: the work array of a tape is smaller than a board."""

LOCKED = 10_000
"""Operations up to which a single call keeps the interpreter lock: some microseconds, less than a change of threads."""


class Called(ctypes.Structure):
    """``struct called`` of ``scalar_calls.c``."""

    _fields_ = (
        ("function", ctypes.c_void_p),
        ("n_in", ctypes.c_long),
        ("n_out", ctypes.c_long),
        ("in_size", ctypes.POINTER(ctypes.c_long)),
        ("out_size", ctypes.POINTER(ctypes.c_long)),
    )


def _sized(address: int, inputs: Sequence[int], outputs: Sequence[int]) -> Called:
    sizes = [(ctypes.c_long * max(1, len(numbers)))(*numbers) for numbers in (inputs, outputs)]
    return Called(address, len(inputs), len(outputs), *sizes)


@functools.cache
def kernel_calls(toolchain: Toolchain) -> ctypes.CDLL:
    """Calls of scalar kernels, the same for all that this compiler builds."""
    return build_library(read_text("library.h") + read_text("scalar_calls.c"), "calls of kernels", toolchain=toolchain)


@dataclass(frozen=True, slots=True)
class Native:
    """The scalar code of a kernel; keeps its library loaded.

    Parameters
    ----------
    address
        Address of the function ``SYM`` (see ``compile/emit_c.py``).
    n_work
        Number of doubles of the work array that each call needs; no two threads may share one.
    n_operations
        Number of scalar operations, about.
    library
        The loaded library.
    symbol
        C name of the function at `address`.
    called
        The function with the sizes of its inputs and outputs, for ``scalar_calls.c``.
    toolchain
        Its compiler.

    Examples
    --------
    >>> import casadi as ca
    >>> from dalembert.compile import compile_function
    >>> x = ca.SX.sym("x")
    >>> square = compile_function(ca.Function("square", [x], [x * x], ["x"], ["y"]))
    >>> square.native is None or square.native.work().size > 0  # None: there is no compiler
    True
    """

    address: int
    n_work: int
    n_operations: int
    library: ctypes.CDLL
    symbol: str
    called: Called
    toolchain: Toolchain

    def work(self) -> Array:
        """Return a new work array."""
        return np.zeros(max(1, self.n_work))

    @property
    def rows(self) -> Callable[..., int]:
        """Evaluation of rows one by one, as `BatchEntry` calls it."""
        signature = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, *BATCH_ARGUMENTS)
        call = signature(_address(kernel_calls(self.toolchain), "call_rows"))
        return functools.partial(call, ctypes.byref(self.called))


@dataclass(frozen=True, slots=True)
class Lanes:
    """The lane code of a kernel; keeps its library loaded.

    Parameters
    ----------
    address, block_address
        Addresses of the C functions ``SYM_lanes`` and ``SYM_block``.
    n_work
        Number of doubles of the work array of ``SYM_lanes``.
    width
        Number of lanes.
    library
        The loaded library.
    """

    address: int
    block_address: int
    n_work: int
    width: int
    library: ctypes.CDLL

    @property
    def rows(self) -> Callable[..., int]:
        """Evaluation of rows, as `BatchEntry` calls it."""
        return ctypes.CFUNCTYPE(ctypes.c_int, *BATCH_ARGUMENTS)(self.address)


def emit_function(
    function: Source,
    form: Form = SCALAR,
    macros: Mapping[str, object] | None = None,
    further: Mapping[str, ca.Function] | None = None,
) -> CSource:
    """Write a function as C, with definitions and further functions for the entries of the form (see `emit_c`)."""
    if isinstance(function, RowFunction):
        if form.packs and function.n_instructions() >= STAGED:
            return emit_rows(function, symbol=symbol_of(function), form=form, macros=macros)
        function = function.function

    def tape(f: ca.Function) -> Tape:
        return read_tape(f) if form is EXACT else share_reciprocals(read_tape(f))

    others = {name: tape(f) for name, f in (further or {}).items()}
    return emit_c(tape(function), symbol=symbol_of(function), form=form, macros=macros, further=others)


def load_native(function: Source, toolchain: Toolchain, *, exact: bool = False) -> Native:
    """Build the scalar code of a function, or find it in the cache, and load it."""
    library, symbol = load_form(function, toolchain, EXACT if exact else SCALAR), symbol_of(function)
    address = _address(library, symbol)
    return Native(
        address=address,
        n_work=_constant(library, f"{symbol}_n_work"),
        n_operations=function.n_instructions(),
        library=library,
        symbol=symbol,
        called=_sized(
            address,
            [math.prod(function.size_in(name)) for name in function.name_in()],
            [math.prod(function.size_out(name)) for name in function.name_out()],
        ),
        toolchain=toolchain,
    )


def load_lanes(function: Source, toolchain: Toolchain) -> Lanes:
    """Build the lane code of a function, or find it in the cache, and load it."""
    library, symbol = load_form(function, toolchain, LANES), symbol_of(function)
    return Lanes(
        address=_address(library, f"{symbol}_lanes"),
        block_address=_address(library, f"{symbol}_block"),
        n_work=_constant(library, f"{symbol}_lanes_n_work"),
        width=_constant(library, f"{symbol}_lanes_width"),
        library=library,
    )


def symbol_of(function: Source) -> str:
    """Return the C name of a function."""
    return "da_" + re.sub(r"\W", "_", function.name(), flags=re.ASCII)


def form_key(
    function: Source,
    toolchain: Toolchain,
    form: Form,
    macros: Mapping[str, object] | None = None,
    further: Mapping[str, ca.Function] | None = None,
) -> str:
    """Return the key under which the cache has a function in a form.

    It is made from the serialised function, from the text of this room, which turns it into C, and from the texts of
    the form, which may be those of other rooms, so that a cached kernel is found without reading its tape.
    """
    key = hashlib.sha256()
    others = [text for name, f in (further or {}).items() for text in (name, f.serialize())]
    known = (toolchain.identity, generator_digest(), repr(form), *form.optimisation, form.head, form.tail, repr(macros))
    for text in (*known, function.serialize(), *others):
        key.update(text.encode() + b"\0")
    return key.hexdigest()


def load_form(
    function: Source,
    toolchain: Toolchain,
    form: Form,
    macros: Mapping[str, object] | None = None,
    further: Mapping[str, ca.Function] | None = None,
) -> ctypes.CDLL:
    """Build the library of a function in a form, or find it in the cache, and load it; see `emit_function`."""

    def build(directory: Path) -> Path:
        source = emit_function(function, form, macros, further)
        return build_units(
            toolchain,
            source.units,
            directory,
            name=function.name(),
            optimise=TAPE_OPTIMISATION,
            first=form.optimisation,
            fused=form.fused,
        )

    return load_library(form_key(function, toolchain, form, macros, further), build)


def _address(library: ctypes.CDLL, name: str) -> int:
    return ctypes.cast(library[name], ctypes.c_void_p).value or 0


def _constant(library: ctypes.CDLL, name: str) -> int:
    return ctypes.c_long.in_dll(library, name).value


@functools.cache
def generator_digest() -> str:
    """Return the digest of all texts that turn functions into C."""
    # The whole room: a list of the relevant modules would not be kept up to date.
    here = Path(__file__).parent
    texts = [path.read_bytes() for path in sorted([*here.glob("*.py"), *(here / "text").iterdir()]) if path.is_file()]
    return hashlib.sha256(b"\0".join([ca.CasadiMeta.version().encode(), *texts])).hexdigest()


class NativeFrame:
    """Memory of one thread for calls into one kernel.

    Parameters
    ----------
    native
        The code.
    outputs
        Arrays for the results.
    inputs
        Arrays that `run` reads.

    Attributes
    ----------
    evaluate
        Takes the inputs as bytes, one after the other, and fills the outputs. Returns 0; 1 + k if input k is not
        finite; -1 if a result is not.
    run
        Evaluates the bound inputs; returns 0, or 1 + k.
    """

    __slots__ = ("_keep", "evaluate", "run")

    def __init__(self, native: Native, outputs: Sequence[Array], inputs: Sequence[Array] = ()) -> None:
        work = np.zeros(max(1, native.n_work))
        tables = [pointers(inputs), pointers(outputs)]
        called, calls = ctypes.addressof(native.called), kernel_calls(native.toolchain)
        frame = np.array([*(a.ctypes.data for a in (*tables, work)), called], dtype=np.uintp)
        self._keep = (native, inputs, outputs, work, tables, frame)
        address = ctypes.c_void_p(frame.ctypes.data)
        # Types of arguments are not declared: bytes and pointers need no conversion, which would take 50 ns.
        signature = (ctypes.PYFUNCTYPE if native.n_operations < LOCKED else ctypes.CFUNCTYPE)(ctypes.c_int)
        self.evaluate: Callable[[bytes], int] = functools.partial(signature(_address(calls, "call_packed")), address)
        self.run: Callable[[], int] = functools.partial(signature(_address(calls, "call_frame")), address)
