"""A progress line on the terminal: the current activity, and how long it has taken."""

from __future__ import annotations

import re
import shutil
import sys
import threading
import time
from collections.abc import Iterable
from types import TracebackType
from typing import Any, TextIO

from dalembert.core.doing import done_now

__all__ = ["Patience"]

_AFTER = 2.0  # seconds of silence after which the line appears
_EVERY = 0.2
_CLEAR = "\r\x1b[2K"
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")
_ERASES = re.compile(r"\r\x1b\[K|\x1b\[2K")  # the whole line
_WHEEL = "|/-\\"


class Patience:
    """Shows the current activity after two seconds without output, and clears it before the next output.

    Does nothing unless standard error is a terminal and a named activity is in progress. Bars of
    other work, which leave the cursor in their line, are not disturbed.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._began = self._last = time.monotonic()
        self._shown, self._clean = False, True
        self._streams: tuple[Any, Any] | None = None

    def __enter__(self) -> Patience:
        if sys.stderr is not None and sys.stderr.isatty():
            self._streams = sys.stdout, sys.stderr
            self._began = self._last = time.monotonic()
            sys.stdout, sys.stderr = (self._watched(stream) for stream in self._streams)
            threading.Thread(target=self._wait, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._streams is not None:
            self._over.set()
            self.clear()
            sys.stdout, sys.stderr = self._streams

    def _watched(self, stream: TextIO | None) -> Any:
        """Return the stream itself where it does not go to the terminal."""
        return _Watched(stream, self) if stream is not None and stream.isatty() else stream

    def _wait(self) -> None:
        while not self._over.wait(_EVERY):
            self.look(time.monotonic())

    def look(self, now: float) -> None:
        """Show the line, or a newer one, if it is time to."""
        with self._lock:
            if self._over.is_set() or not self._clean or now - self._last < _AFTER or self._streams is None:
                return
            if not (what := done_now()):
                self.clear()
                return
            wheel = _WHEEL[int(now / _EVERY) % len(_WHEEL)]
            line = f"{wheel} {what} ({now - self._began:.0f} s)"
            width = shutil.get_terminal_size().columns - 1
            self._streams[1].write(_CLEAR + (line if len(line) <= width else line[: width - 3] + "..."))
            self._streams[1].flush()
            self._shown = True

    def clear(self) -> None:
        """Take the line away."""
        with self._lock:
            if self._shown and self._streams is not None:
                self._streams[1].write(_CLEAR)
                self._streams[1].flush()
                self._shown = False

    def write(self, stream: TextIO, text: str) -> int:
        """Write to a stream that goes to the terminal, without the line in the way."""
        with self._lock:
            self.clear()
            self._last = time.monotonic()
            if _CONTROL.sub("", text):
                self._clean = text.endswith("\n")
            elif _ERASES.search(text):
                self._clean = True
            return stream.write(text)


class _Watched:
    """A stream whose texts go through a `Patience`."""

    def __init__(self, stream: TextIO, patience: Patience) -> None:
        self._stream, self._patience = stream, patience

    def write(self, text: str) -> int:
        return self._patience.write(self._stream, text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
