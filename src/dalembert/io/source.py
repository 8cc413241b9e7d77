"""Errors that name the file and the line of an element."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from dalembert.core.errors import DalembertError, FileFormatError

__all__ = ["located", "locating"]


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
