"""SIGTERM as a reason to stop: results are saved as after Ctrl-C."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

__all__ = ["Terminated", "terminable", "terminate"]


class Terminated(KeyboardInterrupt):
    """The process was asked to end (SIGTERM), as by a service manager, a batch system or a container."""


def terminate(number: int, frame: FrameType | None) -> None:
    """Handle SIGTERM: raise `Terminated`."""
    raise Terminated


@contextlib.contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM raise `Terminated`, in the main thread, unless the program already handles it."""
    mine = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if mine:
        signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        if mine:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
