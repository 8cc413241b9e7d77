"""Progress of a command that takes minutes: a line that changes on a terminal, and lines in a log."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import ExitStack
from types import TracebackType

from rich.markup import escape

from dalembert.cli.output import console

__all__ = ["Told"]

_EVERY = 10.0  # seconds between lines in a log


class Told:
    """Show what a command does. Standard error gets a line every ten seconds if the output is not a terminal.

    Parameters
    ----------
    text
        The first activity.
    every
        Seconds between lines.
    """

    def __init__(self, text: str, every: float = _EVERY) -> None:
        self._text, self._every = text, every
        self._over = threading.Event()
        self._begun = time.monotonic()
        self._stack = ExitStack()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Told:
        screen = console()
        if screen.is_terminal:
            self._status = self._stack.enter_context(screen.status(escape(self._text)))
        else:
            self._thread = threading.Thread(target=self._tell, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()
        self._stack.close()

    def __call__(self, text: str) -> None:
        """Name the present activity."""
        self._text = text
        if self._thread is None:
            self._status.update(escape(text))

    def _tell(self) -> None:
        while not self._over.wait(self._every):
            sys.stderr.write(f"{time.monotonic() - self._begun:6.0f} s  {self._text}\n")
            sys.stderr.flush()
