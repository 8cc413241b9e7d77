"""Names of signals: as python-control allows them, and their places among others."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.core.errors import UnknownNameError

__all__ = ["label", "place"]


def label(name: str) -> str:
    """A name as python-control allows it."""
    return name.replace(".", "_")


def place(name: str, names: Sequence[str], kind: str, where: str = "") -> int:
    """Index of a name; refused by name if it is not there."""
    if name not in names:
        raise UnknownNameError(kind, name, names, where)
    return list(names).index(name)
