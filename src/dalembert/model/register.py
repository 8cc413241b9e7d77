"""Registers of kinds: which kinds there are by key, and how one from outside the package is added."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import TypeVar

from dalembert.core.errors import MachineError
from dalembert.model.kind_fields import kind_fields

__all__ = ["add_kind", "check_registered"]


K = TypeVar("K")


def add_kind(kinds: MutableMapping[str, type[K]], kind: type[K], noun: str, *, shared: bool = True) -> None:
    """Add a kind to a register.

    Parameters
    ----------
    kinds
        The register.
    kind
        The class, with a ``key``; it replaces an earlier definition of itself, as of a cell that ran twice.
    noun
        Name of the kinds in messages.
    shared
        Whether kinds share one entry of machine files: fields of one name must then hold the same in all of them.
    """
    key = getattr(kind, "key", None)
    if not isinstance(key, str) or not key or key != key.strip():
        raise MachineError(f"{kind.__name__} needs a 'key', the name of this kind of {noun}, got {key!r}")
    known = kinds.get(key)
    if known is not None and (known.__module__, known.__qualname__) != (kind.__module__, kind.__qualname__):
        raise MachineError(f"{kind.__name__} has the key '{key}', which belongs to {known.__name__}; choose another")
    for other in kinds.values() if shared else ():
        roles = {field.name: field.role for field in kind_fields(other)}
        for field in kind_fields(kind):
            declared = roles.get(field.name, field.role)
            if declared is not field.role and other is not known:
                raise MachineError(
                    f"field '{field.name}' of {kind.__name__} is a {field.role.value}, but a {declared.value} in "
                    f"{other.__name__}; a key of machine files means one thing: rename it"
                )
    kinds[key] = kind


def check_registered(kinds: Mapping[str, type[K]], kind: type, what: str, noun: str, decorator: str) -> None:
    """Refuse a kind that is not in a register.

    Parameters
    ----------
    kinds
        The register.
    kind
        The class.
    what
        The element that is of this kind.
    noun
        Name of the kinds in messages.
    decorator
        The registering function.
    """
    if kind in kinds.values():
        return
    known = ", ".join(one.__name__ for one in kinds.values())
    raise MachineError(
        f"{what} is of the class {kind.__name__}, which is not a registered kind of {noun}; put "
        f"@dalembert.model.{decorator} above the class, or use one of {known}"
    )
