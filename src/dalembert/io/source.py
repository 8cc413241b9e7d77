"""Reading a file or a text given in its place, and errors that say where they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from dalembert.core.errors import DalembertError, FileFormatError

__all__ = ["located", "locating", "read_bytes"]

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


def located(label: str, line: int | None, message: object) -> FileFormatError:
    """Return an error that begins with the file and the line."""
    return FileFormatError(f"{label}:{line}: {message}" if line else f"{label}: {message}")


@contextmanager
def locating(label: str, line: int | None, names: Mapping[str, int] | None = None, owner: str = "") -> Iterator[None]:
    """Give errors of the model the file and the line.

    Parameters
    ----------
    label
        File name.
    line
        Line of the element that is being built.
    names
        Lines of named elements: where the message quotes one of them, its line is used instead.
    owner
        The element, such as ``"joint 'theta'"``, put before a message that does not name it.
    """
    try:
        yield
    except FileFormatError:
        raise
    except DalembertError as error:
        message = str(error) if owner in str(error) else f"{owner}: {error}"
        quoted = re.findall(r"'([^']*)'", message)
        quoted_line = next((names[name] for name in quoted if name in names), line) if names else line
        raise located(label, quoted_line, message) from error
    except RecursionError:
        raise located(label, line, "an expression is nested too deeply") from None
