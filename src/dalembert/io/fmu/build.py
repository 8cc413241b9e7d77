"""A program in C as a library: for all processors of this kind, or for WebAssembly."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import platform
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from dalembert.compile.build import Toolchain, available_cores
from dalembert.compile.cache import load_cached
from dalembert.core.errors import BuildError
from dalembert.core.files import temporary_folder

__all__ = ["SHARED", "WASM", "Target", "build_program", "is_x86", "plain_flags"]


def is_x86() -> bool:
    """Whether this is a 64-bit processor of Intel's kind."""
    return platform.machine().lower() in ("x86_64", "amd64")


_FLAGS = ("-std=c99", "-O2", "-fno-math-errno", "-fno-trapping-math", "-fvisibility=hidden")
_BASELINES = (("-march=x86-64",), ("-march=x86_64",)) if is_x86() else ((),)  # of GCC and Clang, and of Zig
_TAPES = '#include "tapes.h"\n'  # how units of tapes begin, in which multiplications and additions may be fused
_FUSED = "-ffp-contract=fast"


@dataclass(frozen=True)
class Target:
    """Platform of a program.

    Parameters
    ----------
    baselines
        Compiler flags of the platform; the first accepted ones are used.
    link
        Flags with which it is linked.
    """

    baselines: tuple[tuple[str, ...], ...]
    link: tuple[str, ...]


SHARED = Target(tuple(("-fPIC", *baseline) for baseline in _BASELINES), ("-shared",))
"""A shared library for all processors of this kind."""

_WASM = ("-target", "wasm32-wasi")
WASM = Target((_WASM,), (*_WASM, "-mexec-model=reactor", "-s", "-Wl,--export-dynamic"))
"""A WebAssembly module; needs the compiler of the ziglang wheel."""


@functools.cache
def plain_flags(toolchain: Toolchain, target: Target = SHARED) -> tuple[str, ...]:
    """Return flags with which every processor of the target's kind runs the result.

    Raises
    ------
    BuildError
        If no compiler accepts them.
    """
    with temporary_folder() as folder:
        source = folder / "probe.c"
        source.write_text("double probe(double x) { return x; }\n", encoding="utf-8")
        *others, last = ((*_FLAGS, *baseline) for baseline in target.baselines)
        for flags in others:
            with contextlib.suppress(BuildError):
                return _probed(toolchain, flags, source)
        return _probed(toolchain, last, source)


def _probed(toolchain: Toolchain, flags: tuple[str, ...], source: Path) -> tuple[str, ...]:
    _run([*toolchain.command, *flags, "-c", str(source), "-o", f"{source}.o"])
    return flags


def build_program(
    toolchain: Toolchain, texts: Mapping[str, str], folder: Path, library: str, target: Target = SHARED
) -> Path:
    """Compile all ``.c`` files of a program and link them.

    Independent code, the native code that all machines share, is compiled once and then taken from the cache.

    Parameters
    ----------
    toolchain
        The compiler.
    texts
        Sources by name.
    folder
        An empty folder.
    library
        Name of the library in it.
    target
        Its platform.

    Raises
    ------
    BuildError
        With the command and the compiler's log.
    """
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    names = [name for name in texts if name.endswith(".c")]
    plain_flags(toolchain, target)  # before threads do so at once
    with ThreadPoolExecutor(max_workers=available_cores()) as pool:
        objects = list(pool.map(lambda name: _object(toolchain, name, texts[name], folder, target), names))
    built = folder / library
    _run([*toolchain.command, *target.link, "-o", str(built), *map(str, objects), "-lm"])
    return built


def _object(toolchain: Toolchain, name: str, text: str, folder: Path, kind: Target) -> Path:
    target = folder / f"{name}.o"
    flags = plain_flags(toolchain, kind)
    if text.startswith(_TAPES):
        flags = (*flags, _FUSED)

    def compiled(place: Path) -> Path:
        source = folder / name if place is folder else place / name
        source.write_text(text, encoding="utf-8")
        _run([*toolchain.command, *flags, "-c", str(source), "-o", str(place / target.name)])
        return place / target.name

    if '#include "' in text:
        return compiled(folder)
    key = hashlib.sha256("\0".join([toolchain.identity, *flags, text]).encode()).hexdigest()
    target.write_bytes(load_cached(key, compiled, lambda path: Path(path).read_bytes()))
    return target


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise BuildError(f"the C compiler failed on the program\n$ {shlex.join(command)}\n{done.stderr}")
