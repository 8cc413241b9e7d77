"""Worlds of machines with colliders on a GPU: the engine of single runs as CUDA C, and the memory of each member.

A world consists of the structures ``articulated``, ``scene`` and ``moreau`` and of the arrays that they write to, one
after the other. All of their members have eight bytes. All worlds share the arrays that are constant.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.core.types import Array
from dalembert.engine.collide.articulated import NativeColliders
from dalembert.engine.layout import POINTER
from dalembert.engine.memory import NativeMemory
from dalembert.engine.problem.stepping import SteppingSystem
from dalembert.engine.sources import header_text, unit_text

__all__ = ["WorldImage", "device_text", "world_image"]

_UNITS = ("stepping", "collide")
_WORD = 8
_SHORT = 8
"""Lines of a function that compilers may put into others."""
_HEADERS = {"articulated": "scene.h", "scene": "scene.h", "moreau": "moreau.h"}


_FUNCTION = re.compile(
    r"^(?:static|FUNCTION|int|int64_t|double|void) [^{;]*(?:;|\{[^\n]*\}$|\{.*?^\})", flags=re.MULTILINE | re.DOTALL
)
"""Declarations and definitions of functions, as the sources of the engine are laid out."""


@cache
def device_text() -> str:
    """Return the steps of machines with colliders as CUDA C, in the namespace ``engine``; its macros are undefined."""
    units = "\n".join(map(unit_text, _UNITS))
    head = resources.files(__package__).joinpath("device.h").read_text(encoding="utf-8")
    text = re.sub(r"^#include <\w+\.h>\n", "", units, flags=re.MULTILINE)
    text = _FUNCTION.sub(_on_device, text)
    own = head.partition("namespace engine")[2]
    macros = dict.fromkeys(re.findall(r"^#define (\w+)", own + units, flags=re.MULTILINE))
    return f"{head}\n{text}\n}} // namespace engine\n" + "".join(f"#undef {name}\n" for name in macros)


def _on_device(found: re.Match[str]) -> str:
    """A function or table of the engine on a GPU. Long ones stay apart, or else compilers take minutes."""
    text = re.sub("^FUNCTION|^static inline", "static", found.group())
    apart = " __noinline__" if text.count("\n") > _SHORT else ""
    return re.sub("^(static )?", rf"\1__device__{apart} ", text)


class _ByName:
    """Code that is called by its name: it has no address, and no work array of a caller."""

    address = 0

    def work(self) -> Array:
        """Return a work array that is not used."""
        return np.zeros(1)


@dataclass(frozen=True, eq=False)
class WorldImage:
    """Memory of a world at its start.

    Parameters
    ----------
    words
        Contents of a world, with zeros in place of addresses.
    shared
        Arrays that all worlds share.
    inner, outer
        Addresses (k x 2): the word that has one, and the word of the world, or of the shared arrays, that it means.
    """

    words: NDArray[np.int64]
    shared: NDArray[np.int64]
    inner: NDArray[np.int64]
    outer: NDArray[np.int64]

    def wired(self, worlds: int, shared: int) -> NDArray[np.int64]:
        """Return the contents of the first world, for the addresses of the worlds and of the shared arrays.

        The addresses that ``inner`` lists grow by the size of a world from one to the next.
        """
        words = self.words.copy()
        for wires, base in ((self.inner, worlds), (self.outer, shared)):
            words[wires[:, 0]] = base + _WORD * wires[:, 1]
        return words


def world_image(system: SteppingSystem, n: int) -> WorldImage:
    """Return the memory of a world of a machine with colliders, with n states."""
    assert system.colliders is not None
    kernels: dict[str, Any] = dict.fromkeys(system.functions, _ByName())
    native = NativeColliders(system, system.colliders, n, kernels, lambda name: 0)
    structures = {name: native.structures[name] for name in _HEADERS}
    written = {
        id(array)
        for name, memory in structures.items()
        for member, array in memory.arrays.items()
        if member not in _constant_members(name)
    }
    parts: dict[bool, list[NDArray[np.int64]]] = {True: [], False: []}
    ends, places = {True: 0, False: 0}, dict[int, tuple[bool, int]]()

    def put(address: int, values: Any, own: bool) -> None:
        if address not in places:
            words = np.frombuffer(values, dtype=np.int64)
            places[address] = own, ends[own]
            parts[own].append(words)
            ends[own] += len(words)

    for memory in structures.values():
        put(memory.address, memory.struct, own=True)
    for memory in structures.values():
        for array in memory.arrays.values():
            put(array.ctypes.data, np.ascontiguousarray(array).ravel(), own=id(array) in written)
    words, shared = (np.concatenate([*parts[own], np.zeros(1, dtype=np.int64)]) for own in (True, False))
    wires: dict[bool, list[tuple[int, int]]] = {True: [], False: []}
    for memory in structures.values():
        for at, address in _addresses(memory):
            own, to = places[address]
            word = places[memory.address][1] + at
            wires[own].append((word, to))
            words[word] = 0
    inner, outer = (np.array(wires[own], dtype=np.int64).reshape(-1, 2) for own in (True, False))
    return WorldImage(words, shared, inner, outer)


def _addresses(memory: NativeMemory) -> list[tuple[int, int]]:
    """Members of a structure that point to something: the word of each, and the address that it has."""
    fields = enumerate(type(memory.struct)._fields_)
    return [(k, at) for k, (name, kind) in fields if kind is POINTER and (at := getattr(memory.struct, name))]


@cache
def _constant_members(structure: str) -> frozenset[str]:
    """Members of a structure that its header declares as constant."""
    text = re.sub(r"/\*.*?\*/", "", header_text(_HEADERS[structure]), flags=re.DOTALL)
    body = re.search(rf"struct {structure} {{(.*?)\n}};", text, flags=re.DOTALL)
    assert body is not None
    declared = [line.strip() for line in body.group(1).split(";")]
    return frozenset(name for line in declared if line.startswith("const ") for name in re.findall(r"\*(\w+)", line))
