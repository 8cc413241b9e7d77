"""The forms in which a tape is written: the C text before and after its straight-line functions.

Every form has the same straight-line text; ``real`` and its surroundings are decided here. The texts
are C files in the folder ``text``.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from dalembert.compile.build import TAPE_OPTIMISATION

__all__ = [
    "CUDA",
    "EXACT",
    "LANES",
    "PORTABLE",
    "SCALAR",
    "Form",
    "definitions",
    "read_text",
]


@dataclass(frozen=True, slots=True)
class Form:
    """A way to write a tape.

    Parameters
    ----------
    name
        Its name.
    prelude
        Files in front of each translation unit.
    entries
        Files after the chunks, in the first unit; those of another package as ``package:file``.
    chunk
        Prefix of the name of a chunk.
    joint
        Whether ``sincos_`` exists: sine and cosine of the same angle are then one call.
    fused
        Whether the compiler may fuse multiplications and additions.
    units
        ``"auto"``: entries and chunks are separate translation units if there are several chunks; ``"separate"``: in
        any case, because the loops of the entries gain from an optimisation that a long straight line only pays for;
        ``"one"``: never.
    level
        Optimisation of the unit of the entries.
    whole
        Whether a tape is one function as far as it has no loops: long-lived values then stay in registers, where a
        compiler can take that, instead of going through the work array.
    packs
        Whether ``real`` is a double and the compiler knows vectors, so that functions in stages can be written.
    bundles
        Whether equal operations on different values may be written as short vectors.
    """

    name: str
    prelude: tuple[str, ...]
    entries: tuple[str, ...]
    chunk: str = "HIDDEN void"
    joint: bool = True
    fused: bool = True
    units: str = "auto"
    level: str = "-O2"
    whole: bool = False
    packs: bool = False
    bundles: bool = False

    @property
    def optimisation(self) -> tuple[str, ...]:
        """Flags of the unit of the entries. ``DALEMBERT_QUICK_BUILDS=1`` lowers them to those of tapes."""
        return TAPE_OPTIMISATION if os.environ.get("DALEMBERT_QUICK_BUILDS", "") == "1" else (self.level,)

    @property
    def head(self) -> str:
        """Text in front of each unit."""
        return "\n".join(map(read_text, self.prelude))

    @property
    def tail(self) -> str:
        """Text of the entries."""
        return "\n".join(map(read_text, self.entries))


EXACT = Form("exact", ("library.h", "scalar.h", "truth.h"), ("scalar_entries.c",), joint=False, fused=False, packs=True)
"""One instance at a time, every operation as IEEE 754 and the mathematical library have it."""

SCALAR = Form(
    "scalar",
    (*EXACT.prelude, "sincos.h", "scalar_math.h", "bundles.h", "vector.h", "sincos.h", "vector_sincos.h", "angles.h"),
    ("scalar_entries.c",),
    packs=True,
    bundles=True,
)
"""One instance at a time, with our own sine and cosine."""

LANES = Form(
    "lanes",
    ("library.h", "vector.h", "lanes.h", "sincos.h", "vector_sincos.h", "lanes_math.h"),
    ("transpose.h", "lanes_entries.c"),
    units="separate",
    level="-O3",
)
"""As many instances at a time as a vector register holds."""

PORTABLE = Form("portable", ("portable.h", "truth.h"), (), chunk="static void", joint=False, fused=False, units="one")
"""One instance at a time in C99 without any extension."""

CUDA = Form("cuda", ("cuda.h",), ("cuda_entries.cu",), chunk="CHUNK void", units="one", whole=True)
"""One instance per thread of a GPU."""


@functools.cache
def read_text(name: str) -> str:
    """Return a file of the folder ``text``, or ``package:file`` of another package."""
    package, _, file = name.rpartition(":")
    folder = resources.files(package) if package else resources.files(__package__).joinpath("text")
    return folder.joinpath(file).read_text(encoding="utf-8")


def definitions(values: Mapping[str, object]) -> str:
    """Write macros."""
    return "".join(f"#define {name} {value}\n" for name, value in values.items())
