"""The current activity, in words: long operations announce themselves, and a progress line may show them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["doing", "done_now"]

_STAGES: list[str] = []


@contextmanager
def doing(what: str) -> Iterator[None]:
    """Name the work inside of the block, such as ``"compiling 'bias'"``; an empty text hides it."""
    _STAGES.append(what)
    try:
        yield
    finally:
        _STAGES.remove(what)  # of several threads with the same words any will do


def done_now() -> str:
    """Return the innermost activity; empty if none is announced or it is hidden."""
    stages = list(_STAGES)  # a copy: other threads come and go
    return stages[-1] if stages and "" not in stages else ""
