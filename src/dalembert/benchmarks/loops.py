"""Loops in C over calls of a kernel or of a peer, so that Python's own cost is not measured."""

from __future__ import annotations

import ctypes
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from dalembert.compile.cache import build_library

__all__ = ["compiled_loops", "pointer"]


def pointer(x: NDArray[np.generic]) -> ctypes.c_void_p:
    """Address of an array's memory."""
    return ctypes.c_void_p(x.ctypes.data)


def compiled_loops() -> ctypes.CDLL:
    """The loops of ``loops.c``."""
    return build_library(files("dalembert.benchmarks").joinpath("loops.c").read_text(encoding="utf-8"), "loops")
