"""Compiled libraries on disk, shared by all processes of one user.

A key (digest of the sources and the compiler of the library) is a small file that holds the digest of the library's
bytes; the library is a file named by that digest, which may be that of several keys. Both appear by atomic rename and
are never changed. A library whose bytes do not match, for whatever reason, counts as absent and is built again. The
same applies to files that another user could have written: folders and files must belong to the user, be writable by no
other user, and be no links (the cache itself may be a link of the user's). Files left by a killed process do no harm: a
build folder is removed when the next kernel is built, an unused lock file after a day by the next process that builds.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import hashlib
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from dalembert.compile.build import LIBRARY_SUFFIX, Toolchain, build_units, find_toolchain, missing_toolchain
from dalembert.core.errors import BuildError
from dalembert.core.files import LEFTOVER_AGE, owner, temporary_folder
from dalembert.core.warn import warn

__all__ = [
    "build_library",
    "cache_content",
    "cache_directory",
    "clean_cache",
    "is_cached",
    "load_cached",
    "load_library",
    "store_cached",
]

Loaded = TypeVar("Loaded")

Builder = Callable[[Path], Path]
"""Builds a library in the empty folder it is given, and returns its path."""


_ROOMS = ("keys", "objects", "locks", "build")
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def cache_directory() -> Path:
    """Return the folder of compiled kernels.

    It is ``kernels`` in ``DALEMBERT_CACHE``, else in ``dalembert`` in the user's cache folder. It is created
    if needed and made private to the user. Where that is impossible (a read-only home), kernels go to a
    temporary folder of this process, with a warning.

    Examples
    --------
    >>> cache_directory().is_dir()
    True
    """
    return _cache_directory(os.environ.get("DALEMBERT_CACHE", ""), os.environ.get("XDG_CACHE_HOME", ""))


@functools.cache
def _cache_directory(override: str, xdg: str) -> Path:
    root = Path(override).expanduser() if override else Path(xdg or "~/.cache").expanduser() / "dalembert"
    folder = root / "kernels"
    try:
        return _private(folder)
    except (OSError, RuntimeError) as error:
        temporary = tempfile.mkdtemp(prefix=f"dalembert-{owner()}-")
        atexit.register(shutil.rmtree, temporary, ignore_errors=True)
        warn(
            f"kernels cannot be kept in {folder} ({error}); they are built again in each process. "
            "Set DALEMBERT_CACHE to a folder that you own."
        )
        return _private(Path(temporary))


def _private(folder: Path) -> Path:
    """Create a folder that only this user can enter: code is loaded from it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if hasattr(os, "getuid"):
        for status in (folder.lstat(), folder.stat()):
            if status.st_uid != os.getuid():
                raise PermissionError(f"it belongs to user {status.st_uid}")
        mode = stat.S_IMODE(folder.stat().st_mode)
        if mode & 0o077:
            folder.chmod(0o700)
        for name in _ROOMS:
            with contextlib.suppress(FileNotFoundError):
                if mode & _OTHERS_WRITE or not _is_own(folder / name, stat.S_ISDIR):
                    _discard(folder / name)
    for name in _ROOMS:
        (folder / name).mkdir(mode=0o700, exist_ok=True)
    if not os.access(folder / "keys", os.W_OK):
        raise PermissionError("it is not writable")
    return folder


def _is_own(path: Path, kind: Callable[[int], bool]) -> bool:
    """Whether a file or folder is of this kind, no link, belongs to this user, and is writable by no other user."""
    if not hasattr(os, "getuid"):
        return True
    status = path.lstat()
    return kind(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & _OTHERS_WRITE


def _discard(path: Path) -> None:
    """Remove a folder of the cache in which others could write; a link is removed, not its target."""
    if stat.S_ISDIR(path.lstat().st_mode):
        shutil.rmtree(path)
    else:
        path.unlink()


def load_library(key: str, build: Builder) -> ctypes.CDLL:
    """Load the library of a key, building it first if there is none that is whole.

    Parameters
    ----------
    key
        Digest of everything that decides on the library's bytes.
    build
        Called at most once at a time among all processes of the user.

    Raises
    ------
    BuildError
        If the compiler refuses the source, or the library cannot be stored.
    """
    return load_cached(key, build, ctypes.CDLL)


def load_cached(key: str, build: Builder, load: Callable[[str], Loaded]) -> Loaded:
    """Load the library of a key by a given function; see `load_library`.

    Parameters
    ----------
    key, build
        As there.
    load
        Takes the path. An `OSError` means that the library is of no use here.
    """
    folder = cache_directory()
    library = _open(_lookup(folder, key), load)
    if library is not None:
        return library
    try:
        _private(folder)
        with _exclusive(folder / "locks" / key):
            library = _open(_lookup(folder, key), load)
            if library is not None:
                return library
            _prune_once(folder)
            with temporary_folder(folder / "build", prefix="") as directory:
                path = _store(folder, [key], build(directory))
        return load(str(path))
    except OSError as error:
        raise BuildError(f"a kernel cannot be stored in or loaded from {folder}: {error}") from error


def is_cached(key: str) -> bool:
    """Whether there is a library of a key; whether it is whole is seen when it is loaded."""
    return (cache_directory() / "keys" / key).is_file()


def store_cached(keys: Sequence[str], build: Builder) -> None:
    """Build one library of several keys, unless all of them have one by then.

    Raises
    ------
    BuildError
        As in `load_library`.
    """
    folder = cache_directory()
    try:
        _private(folder)
        with _exclusive(folder / "locks" / hashlib.sha256("".join(sorted(keys)).encode()).hexdigest()):
            if all(map(is_cached, keys)):
                return
            _prune_once(folder)
            with temporary_folder(folder / "build", prefix="") as directory:
                _store(folder, keys, build(directory))
    except OSError as error:
        raise BuildError(f"kernels cannot be stored in {folder}: {error}") from error


def build_library(
    source: str,
    name: str,
    *,
    optimise: tuple[str, ...] = ("-O2",),
    fused: bool = False,
    toolchain: Toolchain | None = None,
) -> ctypes.CDLL:
    """Compile hand-written C99 with the flags and the cache of the kernels, and load it.

    Parameters
    ----------
    source
        One translation unit; its non-static functions are exported.
    name
        Its name, for error messages.
    optimise, fused
        As in ``build_units`` of ``compile/build.py``.
    toolchain
        The compiler. Default: the one that is found.

    Raises
    ------
    BuildError
        If there is no compiler, or with the compiler's log.

    Examples
    --------
    >>> square = build_library("double square(double x) { return x * x; }", "square").square
    >>> square.restype, square.argtypes = ctypes.c_double, [ctypes.c_double]
    >>> square(3.0)
    9.0
    """
    found = toolchain or find_toolchain()
    if found is None:
        raise BuildError(f"{name!r} needs a C compiler: {missing_toolchain()}")
    key = hashlib.sha256(f"{found.identity}\0source\0{optimise}{fused}\0{source}".encode()).hexdigest()

    def build(directory: Path) -> Path:
        return build_units(found, [source], directory, name=name, optimise=optimise, fused=fused)

    return load_library(key, build)


def cache_content() -> tuple[int, int]:
    """Return how many libraries the cache holds, and their bytes.

    Examples
    --------
    >>> count, size = cache_content()
    >>> count >= 0
    True
    """
    sizes = [path.stat().st_size for path in _objects(cache_directory())]
    return len(sizes), sum(sizes)


def clean_cache(unused: float = 0.0) -> tuple[int, int]:
    """Remove the libraries of the cache; they are rebuilt when needed. Running processes keep those they have loaded.

    Parameters
    ----------
    unused
        Leave those that were built or loaded within this many seconds.

    Returns
    -------
    count, size
        How many were removed, and their bytes.

    Examples
    --------
    Remove libraries that were not used for a year:

    >>> count, size = clean_cache(unused=365 * 86400.0)
    >>> count >= 0
    True
    """
    folder = cache_directory()
    count = size = 0
    latest = time.time() - unused
    for path in _objects(folder):
        with contextlib.suppress(OSError):  # another process may be doing the same
            status = path.stat()
            if max(status.st_atime, status.st_mtime) <= latest:
                path.unlink()
                count, size = count + 1, size + status.st_size
    for entry in (folder / "keys").iterdir():
        if _lookup(folder, entry.name) is None:
            entry.unlink(missing_ok=True)
    _prune(folder)
    return count, size


def _objects(folder: Path) -> list[Path]:
    return [path for path in (folder / "objects").iterdir() if path.suffix == LIBRARY_SUFFIX]


@functools.cache
def _prune_once(folder: Path) -> None:
    """Prune before the first build of a process: a cache has thousands of locks, and to look at all takes a while."""
    _prune(folder)


def _prune(folder: Path) -> None:
    """Remove the remains of killed processes."""
    oldest = time.time() - LEFTOVER_AGE
    for path in (*(folder / "build").iterdir(), *(folder / "locks").iterdir()):
        with contextlib.suppress(OSError):  # another process may be doing the same
            if path.stat().st_mtime < oldest:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def _lookup(folder: Path, key: str) -> Path | None:
    """Return the library of a key if no other user could have written it, and its bytes are as stored."""
    entry = folder / "keys" / key
    try:
        if not (_is_own(folder.resolve(), stat.S_ISDIR) and _is_own(entry.parent, stat.S_ISDIR)):
            return None
        if not _is_own(entry, stat.S_ISREG):
            return None
        digest = entry.read_text(encoding="ascii").strip()
        if len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
            return None
        path = folder / "objects" / f"{digest}{LIBRARY_SUFFIX}"
        if not (_is_own(path.parent, stat.S_ISDIR) and _is_own(path, stat.S_ISREG)):
            return None
        return path if hashlib.sha256(path.read_bytes()).hexdigest() == digest else None
    except (OSError, UnicodeDecodeError):
        return None


def _open(path: Path | None, load: Callable[[str], Loaded]) -> Loaded | None:
    """Load a library; one that does not load (from another system in a shared home, say) counts as absent."""
    if path is None:
        return None
    try:
        return load(str(path))
    except OSError:
        return None


def _store(folder: Path, keys: Sequence[str], built: Path) -> Path:
    digest = hashlib.sha256(built.read_bytes()).hexdigest()
    path = folder / "objects" / f"{digest}{LIBRARY_SUFFIX}"
    built.chmod(0o700)  # whatever the user's umask leaves to others
    os.replace(built, path)
    for key in keys:
        entry = built.with_name("key")
        entry.write_text(f"{digest}\n", encoding="ascii")
        entry.chmod(0o600)
        os.replace(entry, folder / "keys" / key)
    return path


@contextlib.contextmanager
def _exclusive(path: Path) -> Iterator[None]:
    """Let one process at a time build a kernel.

    Many workers that start together then compile it once. Only saves work: without locks (Windows, some
    network file systems) the atomic renames still keep the cache whole.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    with open(path, "w") as handle:  # not inherited by the compiler: a lock never outlives its process
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
