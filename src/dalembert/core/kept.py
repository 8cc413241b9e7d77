"""Results derived from an immutable object: computed once and kept as long as the object lives."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

__all__ = ["Kept"]

T = TypeVar("T")


class Kept:
    """Made things by kind and key.

    An object that others derive costly things from owns one; with it these things end when the object ends, although
    they refer to it (a dictionary with weak keys would keep both forever).
    """

    def __init__(self) -> None:
        self._kinds: dict[str, dict[Hashable, Any]] = {}

    def once(self, kind: str, key: Hashable, make: Callable[[], T], *, at_most: int | None = None) -> T:
        """Return the thing of a kind and key; made if it is not there.

        Parameters
        ----------
        kind, key
            Kind of result, and its key.
        make
            Makes it.
        at_most
            How many of this kind are kept; the oldest one goes first.
        """
        things = self._kinds.setdefault(kind, {})
        if key not in things:
            thing = make()
            while at_most is not None and len(things) >= at_most:
                things.pop(next(iter(things)))
            things[key] = thing
        return cast(T, things[key])
