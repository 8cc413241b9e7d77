"""Which backend a kernel runs on: native code, or the virtual machine where there is no compiler that works."""

from __future__ import annotations

import os
import threading
from typing import Literal

from dalembert.compile.build import BrokenToolchainError, Toolchain, find_toolchain, missing_toolchain
from dalembert.compile.native import Native, Source, load_native
from dalembert.core.errors import InputError, NoCompilerWarning
from dalembert.core.warn import warn

__all__ = ["BACKENDS", "Backend", "load_backend", "usable_toolchain"]

Backend = Literal["auto", "native", "vm"]
BACKENDS = ("auto", "native", "vm")

_warning_lock = threading.Lock()
_warned = False


def usable_toolchain(backend: Backend) -> Toolchain | None:
    """Return the compiler for a backend, or None for the virtual machine.

    Raises
    ------
    BrokenToolchainError
        If native code is requested and there is no compiler.
    """
    if backend == "auto":
        override = os.environ.get("DALEMBERT_BACKEND", "") or "auto"
        if override not in BACKENDS:
            raise InputError(f"got DALEMBERT_BACKEND={override!r}, expected one of {', '.join(BACKENDS)}")
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


def load_backend(function: Source, backend: Backend, exact: bool) -> Native | None:
    """Build or find the scalar code of a function; None where it runs on the virtual machine."""
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
    warn(
        f"kernels run on the CasADi virtual machine, two to seventy times slower than native code. "
        f"Install gcc, clang or the ziglang wheel. Reason: {reason}",
        NoCompilerWarning,
    )
