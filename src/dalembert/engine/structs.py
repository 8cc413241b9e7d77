"""Structures that C and Python share: the compiler checks that both mean the same memory."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

__all__ = ["struct_checks"]

_KINDS = {ctypes.c_int64: 1, ctypes.c_double: 2, ctypes.c_void_p: 3}

# C99 has no static assertion: a type of negative size is the error, and its name says what is wrong.
_HEAD = """#include <stddef.h>
#define KIND(x) _Generic((x), int64_t: 1, double: 2, default: 3)
#define SAME(s, member, at, kind) typedef char s##_##member##_differs[ \\
    offsetof(struct s, member) == (at) && KIND(((struct s *)0)->member) == (kind) ? 1 : -1]
"""


def struct_checks(name: str, fields: Sequence[tuple[str, Any]]) -> str:
    """Return C text that compiles only if a structure has the members that Python knows.

    Each must have its name, place and kind (64-bit integer, double, or a pointer), and none may be missing.

    Parameters
    ----------
    name
        Name of the structure in C, whose definition comes before this text.
    fields
        Members as declared in Python: names and types of `ctypes`.
    """

    class Mirror(ctypes.Structure):
        _fields_ = list(fields)

    lines = [f"SAME({name}, {member}, {getattr(Mirror, member).offset}, {_KINDS[kind]});" for member, kind in fields]
    size = ctypes.sizeof(Mirror)
    lines.append(f"typedef char {name}_size_differs[sizeof(struct {name}) == {size} ? 1 : -1];")
    return _HEAD + "\n".join(lines) + "\n"
