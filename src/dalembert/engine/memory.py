"""Structures that native code works on, with the arrays that they point to."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Functions", "NativeMemory", "functions_of"]

Functions = Callable[[str], int]
"""Address of a native function by its name."""


class NativeMemory:
    """A structure of C and the arrays that it points to, which live as long as it does.

    Parameters
    ----------
    kind
        Type of the structure.
    struct
        One that exists, as an element of an array.

    Attributes
    ----------
    struct
        The structure.
    arrays
        Arrays that it points to, by member.
    """

    def __init__(self, kind: type[ctypes.Structure], struct: Any = None) -> None:
        self.struct: Any = kind() if struct is None else struct
        self.arrays: dict[str, Any] = {}
        self._copied: dict[str, Any] = {}

    @property
    def address(self) -> int:
        """Address of the structure; no two threads may share it."""
        return ctypes.addressof(self.struct)

    def array(self, name: str, values: ArrayLike) -> NDArray[Any]:
        """Let a member point to a copy of these values, and return that."""
        array = np.array(values, order="C")
        self._copied[name] = values  # a work array may keep alive what its values point to
        self.point(name, array)
        return array

    def work(self, name: str, code: Any) -> None:
        """Let a member point to a new work array of code that the engine calls."""
        self.point(name, code.work())

    def point(self, name: str, array: NDArray[Any]) -> None:
        """Let a member point to an array."""
        self.arrays[name] = array
        setattr(self.struct, name, array.ctypes.data)


def functions_of(library: Callable[[], ctypes.CDLL]) -> Functions:
    """Return a lookup of the functions of a library, which is loaded on first use."""

    def find(name: str) -> int:
        return ctypes.cast(library()[name], ctypes.c_void_p).value or 0

    return find
