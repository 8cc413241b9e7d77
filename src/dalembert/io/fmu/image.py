"""Structures of native code, with all that they point to, as C: an image that a program sets up in its own memory.

The structures are those that simulations fill (``NativeMemory``). Each instance of a program has them and
their arrays in one ``struct image``; ``image_start`` sets values, ``image_wire`` pointers, so that an image can be
copied to another place and wired there.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.engine.memory import NativeMemory

__all__ = ["Image", "Symbols"]


@dataclass
class Symbols:
    """Names in place of addresses: placeholders of functions while structures are filled.

    Attributes
    ----------
    names
        Names by the number that stands for each.
    """

    names: dict[int, str] = field(default_factory=dict)

    def __call__(self, name: str) -> int:
        """Return the placeholder of a function."""
        known = {n: token for token, n in self.names.items()}
        token = known.get(name, len(self.names) + 1)
        self.names[token] = name
        return token


@dataclass(frozen=True)
class Image:
    """Memory of an instance of a program.

    Parameters
    ----------
    symbols
        Names of the functions.
    structures
        Filled structures by the name that they have as members; those of an array, in order, as ``name[0]``, ...
    arrays
        Further arrays by the name of a member that points to them; those of structures are shared.
    """

    symbols: Symbols
    structures: Mapping[str, NativeMemory]
    arrays: Mapping[str, Any]

    def texts(self, headers: tuple[str, ...], prototypes: str) -> dict[str, str]:
        """Return ``image.h`` and ``image.c``."""
        places = self._places()
        sizes = {kind: sum(len(flat) for flat in flats.values()) for kind, flats in self._storage(places).items()}
        members = [f"    struct {kind} {name};" for name, kind in self._declared().items()]
        members += [f"    double *{name};" for name in self.arrays]
        members += [f"    double reals[{sizes['reals'] + 1}];", f"    int64_t integers[{sizes['integers'] + 1}];"]
        members += [f"    const void *pointers[{sizes['pointers'] + 1}];"]
        header = (
            "/* Memory of an instance: structures, and the arrays that they point to. */\n#ifndef IMAGE_H\n"
            "#define IMAGE_H\n\n" + "".join(f'#include "{name}"\n' for name in headers) + f"\n{prototypes}\n"
            "struct image {\n" + "\n".join(members) + "\n};\n\n"
            "/* Values, then pointers, which belong to one place in memory. */\n"
            "void image_start(struct image *I);\nvoid image_wire(struct image *I);\n\n#endif\n"
        )
        return {"image.h": header, "image.c": self._source(places)}

    def _declared(self) -> dict[str, str]:
        """Members of the image by name, with their types; elements of an array are one."""
        members: dict[str, str] = {}
        for name, memory in self.structures.items():
            array, bracket, index = name.partition("[")
            if bracket:
                members.pop(f"{array}[{index[:-1]}]", None)  # it was the last one so far
                name = f"{array}[{int(index[:-1]) + 1}]"
            members[name] = type(memory.struct).__name__.strip("_").lower()
        return members

    def _places(self) -> dict[int, tuple[str, int, Any]]:
        """Kind, first element and content of each array, by its identity."""
        places: dict[int, tuple[str, int, Any]] = {}
        ends = {"reals": 0, "integers": 0, "pointers": 0}
        every = [array for memory in self.structures.values() for array in memory.arrays.values()]
        for array in (*every, *self.arrays.values()):
            if id(array) in places:
                continue
            flat = np.asarray(array).ravel()
            kind = {"f": "reals", "i": "integers", "u": "pointers"}[flat.dtype.kind]
            places[id(array)] = (kind, ends[kind], flat)
            ends[kind] += len(flat)
        return places

    @staticmethod
    def _storage(places: Mapping[int, tuple[str, int, Any]]) -> dict[str, dict[int, Any]]:
        kinds: dict[str, dict[int, Any]] = {"reals": {}, "integers": {}, "pointers": {}}
        for kind, first, flat in places.values():
            if len(flat):
                kinds[kind][first] = flat
        return kinds

    def _source(self, places: Mapping[int, tuple[str, int, Any]]) -> str:
        storage = self._storage(places)
        tables, copies = [], []
        for kind, c_type in (("reals", "double"), ("integers", "int64_t")):
            values = {first: flat for first, flat in storage[kind].items() if np.any(flat != 0) or np.isnan(flat).any()}
            listed = [_literal(x) for flat in values.values() for x in flat.tolist()]
            at = 0
            for first, flat in values.items():
                copies.append(
                    f"    memcpy(I->{kind} + {first}, {kind}_of_start + {at}, {len(flat)} * sizeof({c_type}));"
                )
                at += len(flat)
            if listed:
                tables.append(f"static const {c_type} {kind}_of_start[] = {{\n{_lines(listed)}}};\n")
        wires, kernels = [], 0
        for name, memory in self.structures.items():
            for member, kind in type(memory.struct)._fields_:
                value = getattr(memory.struct, member)
                to = f"I->{name}.{member}"
                if member in memory.arrays and value == memory.arrays[member].ctypes.data:
                    array_kind, first, flat = places[id(memory.arrays[member])]
                    if array_kind == "pointers" and np.any(flat):
                        functions = ", ".join(self.symbols.names[int(token)] for token in flat)
                        tables.append(f"static const kernel kernels{kernels}[] = {{{functions}}};\n")
                        wires.append(f"    {to} = kernels{kernels};")
                        kernels += 1
                    else:
                        wires.append(f"    {to} = {_pointer(array_kind, first)};")
                elif kind is not ctypes.c_void_p:
                    if value != 0:
                        copies.append(f"    {to} = {_literal(value)};")
                elif value:
                    wires.append(f"    {to} = {self._target(value, places)};")
        for name, array in self.arrays.items():
            kind, first, _ = places[id(array)]
            wires.append(f"    I->{name} = I->{kind} + {first};")
        return (
            '#include <math.h>\n#include <string.h>\n\n#include "image.h"\n\n' + "\n".join(tables) + "\n"
            "void image_start(struct image *I) {\n    memset(I, 0, sizeof *I);\n" + "\n".join(copies) + "\n}\n\n"
            "void image_wire(struct image *I) {\n" + "\n".join(wires) + "\n}\n"
        )

    def _target(self, value: int, places: Mapping[int, tuple[str, int, Any]]) -> str:
        """Meaning of a pointer that is none to its own array: a structure, its member or array, or a function."""
        if value in self.symbols.names:
            return self.symbols.names[value]
        for name, memory in self.structures.items():
            offset = value - memory.address
            if offset == 0:
                return f"(void *)&I->{name}"
            if 0 < offset < ctypes.sizeof(memory.struct):
                member = next(m for m, _ in memory.struct._fields_ if getattr(type(memory.struct), m).offset == offset)
                return f"&I->{name}.{member}"
            for array in memory.arrays.values():
                if array.size and value == array.ctypes.data:
                    return _pointer(*places[id(array)][:2])
        raise AssertionError(f"a structure points to {value:#x}, which is no part of the image")


def _pointer(kind: str, first: int) -> str:
    return f"(void *)(I->pointers + {first})" if kind == "pointers" else f"I->{kind} + {first}"


def _literal(value: float) -> str:
    if isinstance(value, int):
        return str(value)
    if np.isnan(value):
        return "NAN"
    return ("-" if value < 0 else "") + "INFINITY" if np.isinf(value) else repr(value)


def _lines(items: list[str], width: int = 100) -> str:
    lines, line = [], ""
    for item in items:
        if len(line) + len(item) > width:
            lines.append(line)
            line = ""
        line += f"{item}, "
    return "\n".join(f"    {text.rstrip()}" for text in (*lines, line)) + "\n"
