"""What is being done right now, in words: what takes long says so, and whoever lets people wait may show it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["doing", "done_now"]

_STAGES: list[str] = []


@contextmanager
def doing(what: str) -> Iterator[None]:
    """Say what the work inside of the block is, such as ``"compiling 'bias'"``; nothing: nobody waits for it."""
    _STAGES.append(what)
    try:
        yield
    finally:
        _STAGES.remove(what)  # of several threads with the same words any will do


def done_now() -> str:
    """Return the innermost of what is being done; empty if nothing has said so, or nobody waits."""
    stages = list(_STAGES)  # a copy: other threads come and go
    return stages[-1] if stages and "" not in stages else ""
