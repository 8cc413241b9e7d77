"""From C text to a shared library: the compiler, its flags, and the processes that run it.

Flags keep IEEE semantics: no fast-math. Fusing multiplications and additions, which IEEE 754 leaves to the language, is
allowed where the `Form` allows it.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from dalembert.core.doing import doing
from dalembert.core.errors import BuildError
from dalembert.core.files import temporary_folder

__all__ = [
    "LIBRARY_SUFFIX",
    "TAPE_OPTIMISATION",
    "BrokenToolchainError",
    "Toolchain",
    "available_cores",
    "build_units",
    "find_toolchain",
    "find_zig",
    "missing_toolchain",
    "usable_flags",
]

LIBRARY_SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")

_REQUIRED_FLAGS = ("-std=c99", "-fPIC", "-ffp-contract=off")
_FUSED = "-ffp-contract=fast"
_OPTIONAL_FLAGS = ("-march=native", "-fno-math-errno", "-fno-trapping-math")
TAPE_OPTIMISATION = ("-O1", "-fexpensive-optimizations", "-fno-tree-dse", "-fno-dse")
"""For straight-line code: on tapes of 600 to 58,000 operations gcc builds it in half to two thirds of the time that -O2
takes, and it runs as fast. The second flag, a part of -O2, is the one that fuses multiplications and additions. A tape
stores each value once: the search for stores that nothing reads takes a fifth of the time and finds none. Its flags are
those of gcc only (`_GCC_FLAGS`)."""

_GCC_FLAGS = ("-fno-tree-dse", "-fno-dse")


class BrokenToolchainError(BuildError):
    """There is a compiler, but it cannot build the simplest library (no C headers, say)."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A C compiler.

    Parameters
    ----------
    command
        Words that start it.
    identity
        Digest of everything outside the source that decides on the machine code: compiler, flags, processor,
        C library.
    """

    command: tuple[str, ...]
    identity: str


def find_toolchain() -> Toolchain | None:
    """Find a C compiler: ``DALEMBERT_CC`` if set, else ``cc``, ``gcc`` or ``clang``, else the ziglang wheel.

    Only looks for it; whether it works is seen when it is first used (`usable_flags`). None if there is none.

    Examples
    --------
    >>> find_toolchain() is None or find_toolchain().command[0] != ""
    True
    """
    return _find_toolchain(os.environ.get("DALEMBERT_CC", ""), os.environ.get("PATH", ""))


def missing_toolchain() -> str:
    """Name the compilers that were not found."""
    override = os.environ.get("DALEMBERT_CC", "")
    if override:
        return f"DALEMBERT_CC={override!r} does not name a program"
    return "no cc, gcc or clang on the PATH, and the ziglang wheel is not installed"


@functools.cache
def _find_toolchain(override: str, path: str) -> Toolchain | None:
    if override:
        words = shlex.split(override)
        program = shutil.which(words[0], path=path) if words else None
        return _toolchain((program, *words[1:]), Path(program)) if program else None
    for name in ("cc", "gcc", "clang"):
        program = shutil.which(name, path=path)
        if program:
            return _toolchain((program,), Path(program))
    return find_zig()


def find_zig() -> Toolchain | None:
    """Find the compiler of the ziglang wheel, which builds for other processors too; None if it is not installed.

    Examples
    --------
    >>> zig = find_zig()
    >>> zig is None or "zig" in " ".join(zig.command)
    True
    """
    spec = importlib.util.find_spec("ziglang")
    if spec is not None and spec.origin is not None:
        return _toolchain((sys.executable, "-m", "ziglang", "cc"), Path(spec.origin).parent)
    return None


def _toolchain(command: tuple[str, ...], program: Path) -> Toolchain:
    resolved = program.resolve()
    stat = resolved.stat()
    facts = (
        *command,
        str(resolved),
        str(stat.st_mtime_ns),
        str(stat.st_size),
        *_REQUIRED_FLAGS,
        *_OPTIONAL_FLAGS,
        *platform.uname()[::4],
        _c_library(),
        _processor(),
    )
    return Toolchain(command, hashlib.sha256("\0".join(facts).encode()).hexdigest())


def _c_library() -> str:
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (AttributeError, ValueError, OSError):
        return ""


def _processor() -> str:
    """Describe the processor's features as far as ``-march=native`` depends on them."""
    wanted = (
        "vendor_id",
        "cpu family",
        "model",
        "stepping",
        "flags",
        "Features",
        "CPU implementer",
        "CPU part",
    )
    features: dict[str, str] = {}
    try:
        with open("/proc/cpuinfo") as lines:
            for line in lines:
                if not line.strip() and features:
                    break
                name, _, value = line.partition(":")
                if name.strip() in wanted:
                    features[name.strip()] = value.strip()
    except OSError:
        return platform.processor()
    return repr(sorted(features.items()))


def usable_flags(toolchain: Toolchain) -> tuple[str, ...]:
    """Return the flags that the compiler takes, after building an empty library with them.

    Raises
    ------
    BrokenToolchainError
        If it cannot build even that.
    """
    return _usable_flags(toolchain)[0]


@functools.cache
def _usable_flags(toolchain: Toolchain) -> tuple[tuple[str, ...], bool]:
    """Return the flags of all units, and whether the compiler takes those of gcc, too."""
    with temporary_folder() as directory:
        source = directory / "probe.c"
        source.write_text("#include <math.h>\ndouble probe(double x) { return sqrt(x); }\n")

        def works(flags: Sequence[str]) -> str:
            return _run([*toolchain.command, *flags, "-shared", str(source), "-lm", "-o", f"{source}.lib"])

        if not works([*_REQUIRED_FLAGS, *_OPTIONAL_FLAGS, *_GCC_FLAGS]):
            return (*_REQUIRED_FLAGS, *_OPTIONAL_FLAGS), True
        log = works(_REQUIRED_FLAGS)
        if log:
            raise BrokenToolchainError(f"the C compiler cannot build a library\n{log}")
        optional = (flag for flag in _OPTIONAL_FLAGS if not works([*_REQUIRED_FLAGS, flag]))
        return (*_REQUIRED_FLAGS, *optional), not works([*_REQUIRED_FLAGS, *_GCC_FLAGS])


def build_units(
    toolchain: Toolchain,
    units: Sequence[str],
    directory: Path,
    *,
    name: str,
    optimise: Sequence[str] = ("-O2",),
    first: Sequence[str] | None = None,
    n_first: int = 1,
    fused: bool = False,
) -> Path:
    """Compile translation units in parallel, link them, and return the path of the library in `directory`.

    Parameters
    ----------
    toolchain
        The compiler.
    units
        C texts.
    directory
        An empty folder.
    name
        Name of the library, for error messages and file names.
    optimise
        Flags of optimisation.
    first, n_first
        Those of the first units, if others, and how many these are.
    fused
        Whether multiplications and additions may be fused.

    Raises
    ------
    BuildError
        With the command and the compiler's log.
    """
    usable, is_gcc = _usable_flags(toolchain)
    flags = [*usable, *([_FUSED] if fused else [])]
    wanted = [optimise if first is None or k >= n_first else first for k in range(len(units))]
    levels = [[flag for flag in level if is_gcc or flag not in _GCC_FLAGS] for level in wanted]
    library = directory / f"library{LIBRARY_SUFFIX}"
    sources = [directory / f"unit{k}.c" for k in range(len(units))]
    for source, text in zip(sources, units, strict=True):
        source.write_text(text)
    if len(units) == 1:
        commands = [[*toolchain.command, *levels[0], *flags, "-shared", str(sources[0]), "-lm", "-o", str(library)]]
    else:
        commands = [
            [*toolchain.command, *level, *flags, "-c", str(source), "-o", str(source.with_suffix(".o"))]
            for source, level in zip(sources, levels, strict=True)
        ]
    with doing(f"compiling '{name}'"):
        logs = _run_all(commands)
        if not logs and len(units) > 1:
            objects = [str(source.with_suffix(".o")) for source in sources]
            log = _run([*toolchain.command, *flags, "-shared", *objects, "-lm", "-o", str(library)])
            logs = [log] if log else []
    if logs:
        raise BuildError(f"the C compiler failed on {name!r}\n{logs[0]}")
    return library


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _run_all(commands: Sequence[Sequence[str]]) -> list[str]:
    """Run commands in parallel and return the logs of those that failed; an interruption ends them all."""
    running: set[subprocess.Popen[bytes]] = set()
    with ThreadPoolExecutor(max_workers=available_cores()) as pool:
        try:
            return [log for log in pool.map(lambda command: _run(command, running), commands) if log]
        except BaseException:  # Ctrl-C: do not wait for the cancelled build
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(running):
                process.kill()
            raise


def _run(command: Sequence[str], running: set[subprocess.Popen[bytes]] | None = None) -> str:
    """Run a command; return an empty text, or the command and its log if it failed."""
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError as error:
        return f"$ {shlex.join(command)}\n{error}"
    started = set() if running is None else running
    started.add(process)
    try:
        log = process.communicate()[0]
    except BaseException:
        process.kill()
        process.wait()
        raise
    finally:
        started.discard(process)
    if process.returncode == 0:
        return ""
    ending = f"exit status {process.returncode}"
    if process.returncode < 0:
        ending = f"killed by signal {-process.returncode} (is there enough memory?)"
    return f"$ {shlex.join(command)}\n{ending}\n{log.decode(errors='replace')}"
