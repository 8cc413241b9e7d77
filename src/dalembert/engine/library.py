"""The units of the engine, built and loaded."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from dalembert.compile import build_library, find_toolchain
from dalembert.compile.build import BrokenToolchainError, missing_toolchain
from dalembert.core.errors import BuildError
from dalembert.engine.layout import INT, POINTER, REAL
from dalembert.engine.memory import Functions, functions_of
from dalembert.engine.shipped import shipped_path, shipped_state
from dalembert.engine.sources import checked_text

__all__ = ["functions", "library"]

_SIGNALS = (INT, [POINTER, INT, *[POINTER] * 3, INT, POINTER, INT, POINTER])

_SIGNATURES: dict[str, dict[str, tuple[Any, list[Any]]]] = {
    "loop": {
        "loop_advance": (INT, [POINTER]),
        "watch_advance": (INT, [POINTER]),
        "watch_begin": (None, [POINTER]),
        "watch_settle": (INT, [POINTER]),
        "watch_offer": (INT, [POINTER]),
        "loop_offer": (INT, [POINTER]),
        "watch_answer": (INT, [POINTER, POINTER, INT]),
        "loop_first_step": (REAL, [POINTER, REAL]),
        "loop_accept": (None, [POINTER]),
        "loop_push": (None, [POINTER]),
        "loop_hold": (None, [POINTER, REAL]),
        "loop_update": (INT, [POINTER, INT]),
        "loop_derivative": (INT, [POINTER, REAL, POINTER, POINTER]),
    },
    "equations": {
        "contact_memory": (INT, [INT] * 2),
        "transitions_memory": (INT, [INT] * 3),
        "transitions_begin": (INT, [POINTER, REAL, *[POINTER] * 4]),
        "transitions_land": (INT, [POINTER, REAL, *[POINTER] * 3]),
        "constrained_signals": _SIGNALS,
        "contact_signals": _SIGNALS,
    },
    "stepping": {
        "block_problem": (None, [POINTER] * 3),
        "moreau_retrace": (INT, [POINTER, INT, *[POINTER] * 4, INT, *[POINTER] * 3]),
    },
    "collide": {
        "scene_advance": (INT, [POINTER] * 2 + [REAL, REAL, INT] + [POINTER] * 2),
        "scene_touching": (INT, [POINTER, POINTER, REAL]),
    },
    "members": {
        "members_at_desk": (None, [POINTER, POINTER, INT]),
        "singles_run": (None, [POINTER, INT, INT, POINTER]),
    },
    "implicit": {},
    "vm": {},
}
"""Functions that Python calls: results and arguments."""


@cache
def library(unit: str) -> ctypes.CDLL:
    """Load a unit of the engine (`sources.UNITS`): built for this processor, or without a compiler as it was installed.

    The compiler checks that C and Python mean the same memory by the structures that they share.

    Raises
    ------
    BuildError
        If no compiler works, and the installation brought no engine that does.
    """
    loaded = _loaded(unit)
    for name, (result, arguments) in _SIGNATURES[unit].items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, arguments
    return loaded


def _loaded(unit: str) -> ctypes.CDLL:
    """Build a unit for this processor and load it, or load the one that the installation brought."""
    reason = missing_toolchain()
    if find_toolchain() is not None:
        try:
            return build_library(checked_text(unit), unit)
        except BrokenToolchainError as error:
            reason = str(error)
    path, state = shipped_path(unit), shipped_state(unit)
    fault = {"missing": "is missing", "stale": "was compiled from other sources", "current": ""}[state]
    if not fault:
        try:
            return ctypes.CDLL(str(path))
        except OSError as error:
            fault = f"does not load ({error})"
    raise BuildError(
        f"simulations need the compiled engine: {path} {fault}, and no C compiler can build it here ({reason}). "
        "Install dalembert again, which compiles it (pip install --force-reinstall --no-deps dalembert, or pip install "
        "--editable . in its sources), or install gcc, clang or the ziglang wheel"
    )


def functions(unit: str) -> Functions:
    """Return a lookup of the functions of a unit, which is built on first use."""
    return functions_of(lambda: library(unit))
