"""A program in C as a shared library with plain instructions of this kind of processor."""

from __future__ import annotations

import hashlib
import platform
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dalembert.compile.build import Toolchain, available_cores
from dalembert.compile.cache import load_cached
from dalembert.core.errors import BuildError

__all__ = ["PLAIN", "build_program", "is_x86"]


def is_x86() -> bool:
    """Whether this is a 64-bit processor of Intel's kind."""
    return platform.machine().lower() in ("x86_64", "amd64")


_BASELINE = ("-march=x86-64", "-mtune=generic") if is_x86() else ()
PLAIN = ("-std=c99", "-O2", "-fno-math-errno", "-fno-trapping-math", "-fPIC", *_BASELINE)
"""Flags with which every processor of this kind understands what is built."""


def build_program(toolchain: Toolchain, texts: Mapping[str, str], folder: Path, library: str) -> Path:
    """Compile all ``.c`` files of a program and link them.

    What stands alone, the native code that all machines share, is compiled once and then taken from the cache.

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

    Raises
    ------
    BuildError
        With the command and the compiler's log.
    """
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    names = [name for name in texts if name.endswith(".c")]
    with ThreadPoolExecutor(max_workers=available_cores()) as pool:
        objects = list(pool.map(lambda name: _object(toolchain, name, texts[name], folder), names))
    target = folder / library
    _run([*toolchain.command, "-shared", "-o", str(target), *map(str, objects), "-lm"])
    return target


def _object(toolchain: Toolchain, name: str, text: str, folder: Path) -> Path:
    target = folder / f"{name}.o"

    def compiled(place: Path) -> Path:
        source = folder / name if place is folder else place / name
        source.write_text(text, encoding="utf-8")
        _run([*toolchain.command, *PLAIN, "-c", str(source), "-o", str(place / target.name)])
        return place / target.name

    if '#include "' in text:
        return compiled(folder)
    key = hashlib.sha256("\0".join([toolchain.identity, *PLAIN, text]).encode()).hexdigest()
    target.write_bytes(load_cached(key, compiled, lambda path: Path(path).read_bytes()))
    return target


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise BuildError(f"the C compiler refused the program\n$ {shlex.join(command)}\n{done.stderr}")
