"""Records of the events of a run."""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.core.types import Array

__all__ = ["EventRecord"]


@dataclass(frozen=True, eq=False)
class EventRecord:
    """An event that happened.

    Parameters
    ----------
    name
        The event.
    t
        When; simultaneous events have the same time.
    x
        State there, before any transition.
    direction
        ``+1`` if its function rose through zero, ``-1`` if it fell.
    """

    name: str
    t: float
    x: Array
    direction: int
