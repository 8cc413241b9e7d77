"""Common base of constraint and contact methods: a name, settings, and the lookup by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeVar

from dalembert.core.errors import InputError, UnknownNameError, did_you_mean
from dalembert.core.keywords import changed_fields

__all__ = ["NamedMethod", "method_of"]


@dataclass(frozen=True)
class NamedMethod:
    """One of several methods, with settings as its fields.

    Attributes
    ----------
    name
        Its name in arguments and files.
    integrator
        The integrator that it requires, in place of the others; "" if it works with these.
    """

    name: ClassVar[str]
    integrator: ClassVar[str] = ""

    @property
    def plain(self) -> dict[str, Any]:
        """Name, and the settings that differ from their defaults, as plain data."""
        return {"name": self.name, **changed_fields(self)}

    def __str__(self) -> str:
        return self.name


M = TypeVar("M", bound=NamedMethod)


def method_of(known: Mapping[str, type[M]], name: str, settings: Mapping[str, Any], what: str) -> M:
    """Return the method of a name with these settings; refuse others by name. ``what`` is what it is called."""
    if name not in known:
        raise InputError(f"unknown {what} {name!r}{did_you_mean(name, known)}; known: {', '.join(known)}")
    own = [field.name for field in fields(known[name])]
    for setting in settings:
        if setting not in (*own, *getattr(known[name], "__renamed__", ())):
            raise UnknownNameError("setting", str(setting), own, f"the {what} '{name}'")
    return known[name](**settings)
