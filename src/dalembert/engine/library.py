"""The units of the engine, built and loaded."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from dalembert.compile import build_library
from dalembert.compile.structs import struct_checks
from dalembert.engine.layout import INT, POINTER, REAL, structure_fields
from dalembert.engine.memory import Functions, functions_of
from dalembert.engine.sources import unit_text

__all__ = ["functions", "library"]

_STRUCTURES = {
    "loop": ("loop", "update", "watch"),
    "equations": ("constrained", "transitions"),
    "stepping": ("moreau",),
    "members": ("members", "desk"),
}
"""Structures that each unit shares with Python."""

_SIGNALS = (INT, [POINTER, INT, *[POINTER] * 3, INT, POINTER, INT, POINTER])

_SIGNATURES: dict[str, dict[str, tuple[Any, list[Any]]]] = {
    "loop": {
        "loop_advance": (INT, [POINTER]),
        "watch_advance": (INT, [POINTER]),
        "loop_accept": (None, [POINTER]),
        "loop_push": (None, [POINTER]),
        "loop_hold": (None, [POINTER, REAL]),
        "loop_update": (INT, [POINTER, INT]),
        "loop_partial": (INT, [POINTER, REAL, POINTER, POINTER]),
        "loop_derivative": (INT, [POINTER, REAL, POINTER, POINTER]),
    },
    "equations": {
        "contact_memory": (INT, [INT] * 2),
        "transitions_memory": (INT, [INT] * 3),
        "transitions_begin": (INT, [POINTER, REAL, *[POINTER] * 4]),
        "transitions_switch": (INT, [POINTER, REAL, *[POINTER] * 4]),
        "constrained_signals": _SIGNALS,
        "contact_signals": _SIGNALS,
    },
    "stepping": {"block_problem": (None, [POINTER] * 3)},
    "members": {"members_at_desk": (None, [POINTER, POINTER, INT])},
}
"""What Python calls: results and arguments."""


@cache
def library(unit: str) -> ctypes.CDLL:
    """Build and load a unit of the engine (`sources.UNITS`).

    The compiler checks that C and Python mean the same memory by the structures that they share.
    """
    checks = "".join(struct_checks(name, structure_fields(name)) for name in _STRUCTURES[unit])
    loaded = build_library(unit_text(unit) + checks, unit)
    for name, (result, arguments) in _SIGNATURES[unit].items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, arguments
    return loaded


def functions(unit: str) -> Functions:
    """Return how to find the functions of a unit, which is not built before one is asked for."""
    return functions_of(lambda: library(unit))
