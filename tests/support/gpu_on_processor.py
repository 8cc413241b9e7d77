"""Text for a GPU on the processor, compiled as C++, one thread after the other; and a CuPy that runs it so.

`ProcessorCupy` has what rollouts ask of CuPy, on NumPy arrays: with it they go their whole way without a GPU. With
`DALEMBERT_TEST_GPU=1` the same tests run on a GPU, through CuPy.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.compile.cuda import import_cupy
from dalembert.engine.methods.contacts import contact_method
from dalembert.loop.closed_loop import close_loop
from dalembert.simulation.rollout.cuda import rollout_source

__all__ = ["SHIM", "CountingCupy", "ProcessorCupy", "compile_text", "cupy_of_tests", "needs_gpp", "stepped_on_a_gpu"]

needs_gpp = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")

SHIM = """
#include <math.h>
#include <stddef.h>
extern "C" void *memcpy(void *, const void *, size_t);
extern "C" void *memset(void *, int, size_t);
#define __global__
#define __device__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
static struct { long long x; } blockIdx, blockDim = {1}, threadIdx = {0};
extern "C" void set_thread(long long i) { blockIdx.x = i; }
static int atomicAdd(int *at, int more) { const int before = *at; *at += more; return before; }
static double __attribute__((noinline)) __dmul_rn(double a, double b) { return a * b; }
static long long __double_as_longlong(double a) { long long i; memcpy(&i, &a, sizeof i); return i; }
static double __longlong_as_double(long long i) { double a; memcpy(&a, &i, sizeof a); return a; }
"""
"""What a GPU gives to each thread: here one thread per block. Of the functions of <string.h> a GPU has these two."""


def compile_text(text: str, folder: Path, *options: str) -> ctypes.CDLL:
    """Compile text for a GPU as C++ and load it."""
    folder.mkdir(exist_ok=True)
    (folder / "kernel.cpp").write_text(SHIM + text)
    command = ["g++", "-O1", "-shared", "-fPIC", "-w", *options]
    command += [str(folder / "kernel.cpp"), "-o", str(folder / "kernel.so")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(folder / "kernel.so"))


def stepped_on_a_gpu(
    eom: da.EquationsOfMotion, way: Any, x0: np.ndarray, step: float, steps: int, folder: Path
) -> tuple[np.ndarray, np.ndarray]:
    """States and status after some steps of time-stepping by the text for a GPU, at nominal parameters."""
    problem = close_loop(eom, None, limits="ignore", contact=contact_method(way)).problem
    assert x0.shape[1] == problem.n_states
    source = rollout_source(problem, "moreau")
    call = f"""
extern "C" void all(long long n, double *x, double *p, double h, long long steps, int *status, double *failed) {{
    for (blockIdx.x = 0; blockIdx.x < n; blockIdx.x++)
        {source.entry}(n, x, 0, 1, 0, p, 1, 0, 0, 0.0, h, 0, steps, 0.0, status, failed, 0, 0, 0, 0, 0, 0, 0);
}}
"""
    library = compile_text(source.text + call, folder)
    x, p, n = np.ascontiguousarray(x0.T), np.array(eom.machine.p_nominal, dtype=float), len(x0)
    status, failed = np.zeros(n, dtype=np.int32), np.zeros(n)
    at = [ctypes.c_void_p(a.ctypes.data) for a in (x, p, status, failed)]
    library["all"](ctypes.c_longlong(n), *at[:2], ctypes.c_double(step), ctypes.c_longlong(steps), *at[2:])
    return x.T.copy(), status


class _Array(np.ndarray):
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"data": (self.ctypes.data, False)}

    def get(self, out: np.ndarray | None = None) -> np.ndarray:
        if out is None:
            return np.array(self)
        out[...] = self
        return out


def _like(make: Any) -> Any:
    return lambda *args, **named: make(*args, **named).view(_Array)


class ProcessorCupy:
    """See the module; ``launches`` counts them."""

    int32, int64 = np.int32, np.int64

    def __init__(self, folder: Path) -> None:
        self._folder, self.launches, self._modules = folder, 0, 0
        self.empty, self.zeros, self.full = _like(np.empty), _like(np.zeros), _like(np.full)
        self.ascontiguousarray = _like(np.ascontiguousarray)
        self.stack = 1024
        runtime = SimpleNamespace(deviceGetLimit=lambda which: self.stack, deviceSetLimit=self._set_limit)
        stream = SimpleNamespace(synchronize=lambda: None)
        self.cuda = SimpleNamespace(get_current_stream=lambda: stream, runtime=runtime)

    def _set_limit(self, which: int, size: int) -> None:
        self.stack = size

    @staticmethod
    def asarray(values: Any, dtype: Any = None, order: Any = None) -> Any:
        return np.array(values, dtype=dtype, order=order or "C").view(_Array)  # memory of its own, as on a GPU

    def RawModule(self, code: str, options: tuple[str, ...]) -> Any:
        self._modules += 1
        kept = [o for o in options if o.startswith("-D")]
        library = compile_text(code, self._folder / str(self._modules), *kept)
        return SimpleNamespace(get_function=lambda name: self._entry(library, name))

    def _entry(self, library: ctypes.CDLL, name: str) -> Any:
        function = library[name]
        kinds = {np.int64: ctypes.c_longlong, np.float64: ctypes.c_double, np.uint64: ctypes.c_ulonglong}

        def launch(grid: tuple[int], block: tuple[int], arguments: tuple[Any, ...]) -> None:
            self.launches += 1
            given = [
                ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else kinds[type(a)](a) for a in arguments
            ]
            for i in range(int(arguments[0])):
                library.set_thread(ctypes.c_longlong(i))
                function(*given)

        launch.local_size_bytes = 4096  # type: ignore[attr-defined]
        return launch


class CountingCupy:
    """CuPy on a GPU; ``launches`` counts them, and ``stack`` is the limit of the GPU."""

    def __init__(self) -> None:
        self._cupy, self.launches = import_cupy(), 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cupy, name)

    @property
    def stack(self) -> int:
        return int(self._cupy.cuda.runtime.deviceGetLimit(0))

    def RawModule(self, **named: Any) -> Any:
        module = self._cupy.RawModule(**named)
        return SimpleNamespace(get_function=lambda name: self._counted(module.get_function(name)))

    def _counted(self, entry: Any) -> Any:
        def launch(*arguments: Any) -> None:
            self.launches += 1
            entry(*arguments)

        launch.local_size_bytes = entry.local_size_bytes  # type: ignore[attr-defined]
        return launch


def cupy_of_tests(folder: Path) -> ProcessorCupy | CountingCupy:
    """The processor in place of a GPU, or the GPU if `DALEMBERT_TEST_GPU` says so."""
    return CountingCupy() if os.environ.get("DALEMBERT_TEST_GPU") == "1" else ProcessorCupy(folder)
