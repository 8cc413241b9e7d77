"""From CasADi functions to native code.

A function is read into a tape of scalar operations (`tape`), rewritten (`passes`), rolled up where it repeats itself
(`loops`), written as C (`statements`, `emit_c`) in one of several forms (`forms` and the folder ``text``), built
(`build`, several functions `together`), kept on disk (`cache`) and called with NumPy arrays (`kernel`, `backend`,
`native`, `calls`, `batch`, `vm`).
The same text runs on a GPU (`cuda`) and elsewhere (`export`). A function that ends in linear algebra may come in stages
(`rows`, `rows_builder`, `emit_rows`). Nothing here knows mechanics.
"""

from __future__ import annotations

from dalembert.compile.build import Toolchain, find_toolchain, find_zig
from dalembert.compile.cache import build_library, cache_content, cache_directory, clean_cache
from dalembert.compile.cuda import CudaKernel, CudaSource, compile_cuda, emit_cuda
from dalembert.compile.export import export_c
from dalembert.compile.kernel import BoundKernel, Kernel, compile_function
from dalembert.compile.native import Native
from dalembert.compile.together import build_together

__all__ = [
    "BoundKernel",
    "CudaKernel",
    "CudaSource",
    "Kernel",
    "Native",
    "Toolchain",
    "build_library",
    "build_together",
    "cache_content",
    "cache_directory",
    "clean_cache",
    "compile_cuda",
    "compile_function",
    "emit_cuda",
    "export_c",
    "find_toolchain",
    "find_zig",
]
