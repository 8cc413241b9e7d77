"""Code that the engine calls: tapes compiled to C, or on CasADi's virtual machine.

Either is a function ``int f(const double *const *in, double *const *out, double *work)``. The work array of a tape on
the virtual machine is a structure (``vm.c``) that names the tape, so that one function serves all of them.
"""

from __future__ import annotations

import ctypes
from functools import cache
from importlib import import_module
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import casadi
import numpy as np

from dalembert.compile import Kernel
from dalembert.compile.tape import row_major
from dalembert.core.errors import BuildError
from dalembert.core.types import Array
from dalembert.engine.layout import structure
from dalembert.engine.library import functions

__all__ = ["Code", "VirtualTape", "code_of"]

_EVALUATE = "_ZN6casadi21_function_buffer_evalEPv"  # casadi::_function_buffer_eval(void *), as compilers name it

_VM = functions("vm")


class Code(Protocol):
    """A function of the engine's signature."""

    @property
    def address(self) -> int:
        """Address of the function."""

    def work(self) -> Array:
        """Return a new work array; no two threads may share one."""


class VirtualTape:
    """A CasADi function on its virtual machine, as code that the engine calls without Python.

    Parameters
    ----------
    function
        With any sparsity; matrices go in and out row by row, all their entries.
    """

    def __init__(self, function: casadi.Function) -> None:
        self._function = row_major(function)
        count_in, count_out = self._function.n_in(), self._function.n_out()
        self._sizes = (
            np.array([self._function.numel_in(k) for k in range(count_in)], dtype=np.int64),
            np.array([self._function.numel_out(k) for k in range(count_out)], dtype=np.int64),
        )

    @property
    def address(self) -> int:
        """Address of the function that serves all tapes on the virtual machine."""
        return _VM("virtual_kernel")

    def work(self) -> Array:
        """Return a structure with separate memory for CasADi, as an array of doubles that keeps all of it alive."""
        values = [np.zeros(max(1, int(sizes.sum()))) for sizes in self._sizes]
        buffer: Any
        buffer, evaluate = self._function.buffer()
        for attach, sizes, array in zip((buffer.set_arg, buffer.set_res), self._sizes, values, strict=True):
            ends = np.cumsum(sizes)
            for k, (size, end) in enumerate(zip(sizes.tolist(), ends.tolist(), strict=True)):
                if size:
                    attach(k, array[end - size : end].data)
        tape = structure("virtual_tape")(
            _evaluator(), _capsule_pointer(evaluate.args[0]), *map(len, self._sizes),
            *(sizes.ctypes.data for sizes in self._sizes), *(array.ctypes.data for array in values),
        )  # fmt: skip
        tape.keeps = (self, buffer, values)
        return np.frombuffer(tape, dtype=np.float64)  # type: ignore[call-overload]


def _capsule_pointer(capsule: Any) -> int:
    """Address that CasADi hands over as a capsule."""
    api = ctypes.pythonapi
    name, pointer = api.PyCapsule_GetName, api.PyCapsule_GetPointer
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address: int = pointer(capsule, name(capsule))
    return address


@cache
def _evaluator() -> int:
    """Address of CasADi's function that evaluates a `FunctionBuffer`: of the library that Python has loaded."""
    library = ctypes.CDLL(import_module("casadi._casadi").__file__)  # also searches the libraries that it links
    try:
        return ctypes.cast(library[_EVALUATE], ctypes.c_void_p).value or 0
    except (AttributeError, ValueError):
        raise BuildError(
            f"CasADi {casadi.CasadiMeta.version()} has no function that evaluates a FunctionBuffer: install another "
            "version of casadi, or a C compiler (gcc, clang or the ziglang wheel)"
        ) from None


_virtual: WeakKeyDictionary[Kernel, VirtualTape] = WeakKeyDictionary()


def code_of(kernel: Kernel) -> Code:
    """Return what the engine calls for a kernel: its native code, or its function on the virtual machine."""
    if kernel.native is not None:
        return kernel.native
    if kernel not in _virtual:
        _virtual[kernel] = VirtualTape(kernel.function)
    return _virtual[kernel]
