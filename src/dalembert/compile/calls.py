"""Single calls of native kernels: a small extension of CPython in place of `ctypes`, where it can be built.

The extension (``text/calls.c``) is one for all kernels of an installation and lies in their cache. It needs the headers
of Python and NumPy; without them, calls go through `ctypes` (module `native`) and give the same numbers.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.machinery
import importlib.util
import os
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from dalembert.compile.arguments import Signature
from dalembert.compile.build import Toolchain, build_units, find_toolchain, missing_toolchain
from dalembert.compile.cache import load_cached
from dalembert.compile.forms import read_text
from dalembert.compile.native import LOCKED, Native
from dalembert.core.errors import BuildError, InputError

__all__ = ["CALLS", "direct_call"]

CALLS = ("auto", "extension", "ctypes")
_MODULE = "_dalembert_calls"


def direct_call(
    native: Native, signature: Signature, general: Callable[..., Any], *, finite: bool
) -> Callable[..., Any] | None:
    """Return a callable for single calls of a kernel, or None where `ctypes` has to serve.

    Parameters
    ----------
    native
        The code.
    signature
        Shapes of inputs and outputs.
    general
        Called with the same arguments where they, or the results, do not fit the fast path.
    finite
        Whether results that are not finite go to `general`, too.

    Raises
    ------
    InputError, BuildError
        See `_extension`.
    """
    module = _extension(os.environ.get("DALEMBERT_CALLS", "") or "auto", find_toolchain())
    if module is None:
        return None
    inputs, outputs = signature.input_shapes, signature.output_shapes
    most_axes = max(map(len, inputs + outputs), default=0)
    if max(len(inputs), len(outputs)) > module.MOST_ARRAYS or most_axes > module.MOST_AXES:
        return None
    unlocked = native.n_operations >= LOCKED
    caller: Callable[..., Any] = module.Caller(
        native.address, inputs, outputs, native.n_work, general, native, finite, unlocked
    )
    return caller


@functools.cache
def _extension(calls: str, toolchain: Toolchain | None) -> ModuleType | None:
    """Build the extension, or find it in the cache, and load it; None where that fails.

    Raises
    ------
    InputError
        If ``DALEMBERT_CALLS`` is none of `CALLS`.
    BuildError
        If it is ``extension`` and there is none, with the reason.
    """
    if calls not in CALLS:
        raise InputError(f"got DALEMBERT_CALLS={calls!r}, expected one of {', '.join(CALLS)}")
    if calls == "ctypes":
        return None
    try:
        return _load(toolchain)
    except BuildError:
        if calls == "extension":
            raise
        return None


def _load(toolchain: Toolchain | None) -> ModuleType:
    if toolchain is None:
        raise BuildError(f"the extension for calls needs a C compiler: {missing_toolchain()}")
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        raise BuildError("the extension for calls is for CPython with the interpreter lock")
    folders = [sysconfig.get_path("include"), sysconfig.get_path("platinclude"), np.get_include()]
    for folder, header in zip(folders, ("Python.h", "pyconfig.h", "numpy/arrayobject.h"), strict=True):
        if not Path(folder, header).is_file():
            raise BuildError(f"the extension for calls needs the header {header}, which is not in {folder}")
    flags = ["-O3", *(f"-I{folder}" for folder in dict.fromkeys(folders))]
    if sys.platform == "darwin":
        flags += ["-undefined", "dynamic_lookup"]
    text = read_text("calls.c")
    facts = (toolchain.identity, "calls", sys.version, str(sysconfig.get_config_var("SOABI")), np.__version__, *flags)
    key = hashlib.sha256("\0".join((*facts, text)).encode()).hexdigest()
    return load_cached(
        key, lambda folder: build_units(toolchain, [text], folder, name="calls", optimise=flags), _import
    )


def _import(path: str) -> ModuleType:
    """Import the extension from a file; it is not entered into `sys.modules`, because no module imports it by name."""
    loader = importlib.machinery.ExtensionFileLoader(_MODULE, path)
    spec = importlib.util.spec_from_loader(_MODULE, loader)
    assert spec is not None
    try:
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except ImportError as error:
        raise OSError(str(error)) from error
    return module
