"""Files on disk: written to a temporary file and renamed; remains of killed processes are removed.

A file is complete or it is not there: its bytes are made in memory, written to a file of this process in the same
folder (``.dalembert-OWNER-*.part``), brought to the disk, and renamed. The previous content stays until then.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import os
import platform
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from dalembert.core.errors import FileFormatError, InputError, WriteError

__all__ = [
    "LEFTOVER_AGE",
    "checked_path",
    "is_abandoned",
    "make_folder",
    "owner",
    "read_bytes",
    "remove_abandoned",
    "rescue_file",
    "target_file",
    "temporary_folder",
    "write_file",
    "write_files",
]

_PREFIX, _ENDING = ".dalembert-", ".part"
_TEMPORARY = "dalembert-"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
LEFTOVER_AGE = 86400.0
"""Seconds after which a temporary file counts as abandoned."""


def target_file(path: str | os.PathLike[str], endings: tuple[str, ...] = ()) -> Path:
    """Return the path of a file to write, or say why it cannot be one.

    Parameters
    ----------
    path
        The file; its folder must exist.
    endings
        Endings that it may have, such as ``".png"``; any if empty.
    """
    target = checked_path(path)
    try:
        if target.is_dir():
            raise InputError(f"cannot write {target}: it is a folder")
        if not target.parent.is_dir():
            raise InputError(f"cannot write {target}: no such folder: {target.parent}")
    except OSError as error:  # a folder that this user must not enter, a name too long
        raise WriteError(f"cannot write {target}: {error.strerror or error}") from error
    if endings and target.suffix.lower() not in endings:
        raise InputError(f"cannot write {target}: its name must end in {', '.join(endings)}")
    return target


def write_file(path: str | os.PathLike[str], data: bytes | str) -> Path:
    """Write a whole file, or raise `WriteError` and leave the old content; text is written as UTF-8."""
    target = target_file(path)
    write_files({target: data})
    return target


def write_files(contents: Mapping[Path, bytes | str]) -> None:
    """Write files that belong together: none takes its place before all are on the disk.

    A device or a pipe (``/dev/stdout``) has no place that a file could take, and is written to as it is.

    Raises
    ------
    WriteError
        With the path and the reason.
    """
    drafts: list[tuple[Path, Path]] = []
    target = Path()
    try:
        for folder in {path.resolve().parent for path in contents}:
            remove_abandoned(folder, _PREFIX, _ENDING)
        for target, data in contents.items():
            content = data.encode() if isinstance(data, str) else data
            place = target.resolve()  # a link stays a link
            if place.exists() and not place.is_file():
                with open(place, "wb", buffering=0) as file:
                    _put(file.fileno(), content)
                continue
            draft = place.with_name(f"{_PREFIX}{owner()}-{os.urandom(4).hex()}{_ENDING}")
            drafts.append((draft, place))
            with open(draft, "xb", buffering=0) as file:
                _put(file.fileno(), content)
                with contextlib.suppress(FileNotFoundError):
                    os.chmod(draft, stat.S_IMODE(place.stat().st_mode))
                os.fsync(file.fileno())
        for draft, place in drafts:
            target = place
            os.replace(draft, place)
    except OSError as error:
        raise WriteError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        for draft, _ in drafts:
            with contextlib.suppress(OSError):
                draft.unlink(missing_ok=True)


def _put(descriptor: int, content: bytes) -> None:
    """Write all bytes; the call below may take fewer than it is given, on a disk that is nearly full say."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def rescue_file(name: str, data: bytes | str) -> Path | None:
    """Write to a new folder elsewhere if the requested place failed; None if that fails too."""
    for root in (Path(tempfile.gettempdir()), Path.home(), Path.cwd()):
        with contextlib.suppress(OSError, WriteError):
            folder = Path(tempfile.mkdtemp(prefix=f"{_TEMPORARY}rescued-", dir=root))
            try:
                return write_file(folder / name, data)
            except WriteError:
                folder.rmdir()
    return None


def make_folder(path: str | os.PathLike[str]) -> Path:
    """Make a folder and those above it, or say why that is impossible."""
    folder = checked_path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(f"cannot create the folder {folder}: {error.strerror or error}") from error
    return folder


def checked_path(path: str | os.PathLike[str]) -> Path:
    """Return a path, or say why it cannot be one."""
    try:
        place = Path(path)
    except TypeError:
        raise InputError(f"a file must be given by its path, got {path!r}") from None
    if "\0" in str(place):
        raise InputError(f"the name of a file must not contain a null character, got {str(path)!r}")
    return place


def owner() -> str:
    """Name this process among all that may write to the same folder, also from other machines and containers."""
    return f"{_place()}-{os.getpid()}"


@functools.cache
def _place() -> str:
    """Digest of the scope of process numbers: the machine and its name space of processes."""
    namespace = ""
    with contextlib.suppress(OSError):
        namespace = os.readlink("/proc/self/ns/pid")
    return hashlib.sha256(f"{platform.node()}\0{namespace}".encode()).hexdigest()[:8]


def is_abandoned(path: Path, prefix: str = "") -> bool:
    """Whether a file or folder ``PREFIX OWNER-*`` belongs to a process that has ended, or is a day old.

    The process is checked only if it ran on this machine: a file of another machine is judged by its age alone. Other
    names are left untouched.
    """
    owned = re.match(r"([0-9a-f]{8})-(\d+)-", path.name.removeprefix(prefix))
    if owned is None:
        return False
    if owned[1] == _place():
        try:
            os.kill(int(owned[2]), 0)
        except ProcessLookupError:
            return True
        except (OSError, OverflowError):
            pass  # of another user, and alive
    try:
        return path.lstat().st_mtime < time.time() - LEFTOVER_AGE
    except OSError:
        return False


def remove_abandoned(folder: Path, prefix: str = "", ending: str = "") -> None:
    """Remove the remains of killed processes in a folder: names with this beginning and ending, of the same user."""
    with contextlib.suppress(OSError):
        for path in list(folder.iterdir()):
            if not (path.name.startswith(prefix) and path.name.endswith(ending)):
                continue
            with contextlib.suppress(OSError):  # another process may be doing the same
                if is_abandoned(path, prefix) and _is_ours(path):
                    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def _is_ours(path: Path) -> bool:
    return not hasattr(os, "getuid") or path.lstat().st_uid == os.getuid()


@contextlib.contextmanager
def temporary_folder(root: Path | None = None, prefix: str = _TEMPORARY) -> Iterator[Path]:
    """A folder of this process, removed at the end; those that killed processes left are removed at the start.

    Raises
    ------
    WriteError
        If there is no room for the file.
    """
    where = Path(tempfile.gettempdir()) if root is None else root
    remove_abandoned(where, prefix)
    try:
        with tempfile.TemporaryDirectory(prefix=f"{prefix}{owner()}-", dir=where) as name:
            yield Path(name)
    except OSError as error:
        if isinstance(error, WriteError) or error.errno not in _FULL:
            raise
        advice = "; TMPDIR names another folder" if root is None else ""
        raise WriteError(f"cannot write to a temporary folder in {where}: {error.strerror}{advice}") from error


_MIB = 2**20


def read_bytes(path: Path, kind: str, largest: int = 64 * _MIB) -> bytes:
    """Return the content of a file of at most ``largest`` bytes, or say why it cannot be read."""
    try:
        if path.is_dir():
            raise FileFormatError(f"{path}: is a folder, expected a {kind} file")
        if path.exists() and not path.is_file():  # /dev/zero never ends, a pipe may never begin
            raise FileFormatError(f"{path}: is a device or a pipe, expected a {kind} file")
        if path.stat().st_size > largest:
            raise FileFormatError(f"{path}: is too large for a {kind} file, more than {largest // _MIB} MiB")
        return path.read_bytes()
    except FileFormatError:
        raise
    except FileNotFoundError:
        raise FileFormatError(f"{path}: no such file, expected a {kind} file") from None
    except (OSError, ValueError) as error:  # no permission, a name too long, a null byte in the name
        reason = getattr(error, "strerror", None) or error
        raise FileFormatError(f"{str(path)!r}: cannot be read: {reason}") from None
