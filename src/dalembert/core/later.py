"""Names of a package that load on first use, so that its import is quick (PEP 562)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module

__all__ = ["later"]


def later(package: str, homes: Mapping[str, str], rooms: Iterable[str] = ()) -> Callable[[str], object]:
    """Return the function ``__getattr__`` of a package.

    Parameters
    ----------
    package
        Its name.
    homes
        Names, and the modules that they come from.
    rooms
        Packages inside of it.
    """
    inside = frozenset(rooms)

    def load(name: str) -> object:
        if name in inside:
            return import_module(f"{package}.{name}")
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            module = import_module(homes[name])
        except AttributeError as error:  # which an import statement would take for a missing name
            raise ImportError(f"module {homes[name]!r} cannot be loaded: {error}") from error
        value: object = getattr(module, name)
        setattr(sys.modules[package], name, value)
        return value

    return load
