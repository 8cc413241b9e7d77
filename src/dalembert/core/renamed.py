"""Old names of attributes, keywords and functions: they still work and warn, with the unit and the new name."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

__all__ = ["renamed", "renamed_function", "renamed_keys", "renamed_keywords"]

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T", bound=type)


def renamed(unit: str, **names: str) -> Callable[[T], T]:
    """Return a class decorator: old attributes and keywords of the class, such as ``frequency="omega"``, warn.

    Parameters
    ----------
    unit
        Unit of the value under both names.
    names
        New names by old ones.
    """

    def decorate(kind: T) -> T:
        made = kind.__init__  # type: ignore[misc]

        @functools.wraps(made)
        def init(self: object, *args: Any, **keywords: Any) -> None:
            made(self, *args, **renamed_keys(keywords, _public(kind), unit, names))

        kind.__init__ = init  # type: ignore[misc]
        for old, new in names.items():
            setattr(kind, old, property(_reader(f"{_public(kind)}.{old}", new, unit), doc=f"Old name of ``{new}``."))
        kind.__renamed__ = {**getattr(kind, "__renamed__", {}), **names}  # type: ignore[attr-defined]
        return kind

    return decorate


def renamed_keywords(unit: str, **names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator of functions: old keywords, such as ``frequency="omega"``, warn."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def call(*args: P.args, **keywords: P.kwargs) -> R:
            return function(*args, **renamed_keys(keywords, _public(function), unit, names))

        return call

    return decorate


def renamed_function(function: Callable[P, R], old: str, unit: str) -> Callable[P, R]:
    """Return a function under its old name, which warns."""

    @functools.wraps(function)
    def call(*args: P.args, **keywords: P.kwargs) -> R:
        _warn(f"{_public(function).rpartition('.')[0]}.{old}", function.__name__, unit, 3)
        return function(*args, **keywords)

    call.__name__ = old
    return call


def renamed_keys(keywords: Any, owner: str, unit: str, names: dict[str, str]) -> dict[str, Any]:
    """Return keywords under their new names; an old one warns."""
    found = {}
    for key, value in keywords.items():
        if key in names:
            _warn(f"{owner}({key}=...)", names[key], unit, 4)
        found[names.get(key, key)] = value
    return found


def _reader(old: str, new: str, unit: str) -> Callable[[Any], Any]:
    def read(self: Any) -> Any:
        _warn(old, new, unit, 3)
        return getattr(self, new)

    return read


def _warn(old: str, new: str, unit: str, level: int) -> None:
    """Warn at the line that uses the old name, ``level`` calls above."""
    message = f"{old} is deprecated: its value is in {unit}; the new name is {new}"
    warnings.warn(message, DeprecationWarning, stacklevel=level)


def _public(thing: Any) -> str:
    """Name with its room: modules below may move."""
    return f"{'.'.join(thing.__module__.split('.')[:2])}.{thing.__qualname__}"
