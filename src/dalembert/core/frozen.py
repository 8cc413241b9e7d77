"""A mapping that does not change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

__all__ = ["FrozenMapping"]

V = TypeVar("V")


class FrozenMapping(Mapping[str, V], Generic[V]):
    """Values by name, frozen: equal to a mapping with the same items, printed as one, and picklable.

    Examples
    --------
    >>> start = FrozenMapping({"theta": 0.3})
    >>> start, start == {"theta": 0.3}
    ({'theta': 0.3}, True)
    """

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[str, V] | None = None) -> None:
        self._items: dict[str, V] = dict(items or {})

    def __getitem__(self, name: str) -> V:
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return repr(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))
