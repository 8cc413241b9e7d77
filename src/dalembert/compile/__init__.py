"""From CasADi functions to native code.

A function is read into a tape of scalar operations (`tape`), written as C (`emit_c`), built (`build`), kept
on disk (`cache`) and called with NumPy arrays (`kernel`, `native`, `vm`). Nothing here knows mechanics.

Where the fast batches go: SIMD lanes and CUDA are further preludes and entries over the same text in
`emit_c`; ``nvcc`` is a second toolchain in `build`; threads and lanes are chosen in `native`, in
`NativeFrame.run_batch`; a GPU is a third frame beside `NativeFrame` and `VmFrame`.
"""

from __future__ import annotations

from .build import Toolchain, find_toolchain
from .cache import build_library, cache_directory
from .kernel import Bound, Kernel, compile_function
from .native import Native

__all__ = [
    "Bound",
    "Kernel",
    "Native",
    "Toolchain",
    "build_library",
    "cache_directory",
    "compile_function",
    "find_toolchain",
]
