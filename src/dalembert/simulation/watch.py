"""Progress of a long run, and Ctrl-C and SIGTERM that lose nothing."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from dalembert.core.termination import terminate

__all__ = ["Interrupt", "Progress", "interrupts"]

_PATIENCE = 1.5  # seconds after which a run shows that it is alive
_REFRESH = 0.1


class Interrupt:
    """Whether the user has asked to stop."""

    pressed = False


@contextmanager
def interrupts() -> Iterator[Interrupt]:
    """Turn the first Ctrl-C or SIGTERM into a flag; the second one has its usual effect.

    Only in the main thread, and unless the program already handles them; elsewhere nothing changes.
    """
    flag = Interrupt()
    usual = {signal.SIGINT: (signal.default_int_handler,), signal.SIGTERM: (signal.SIG_DFL, terminate)}
    before = {number: signal.getsignal(number) for number in usual}
    mine = [number for number, handlers in usual.items() if before[number] in handlers]
    if threading.current_thread() is not threading.main_thread():
        mine = []

    def handler(number: int, frame: FrameType | None) -> None:
        if flag.pressed:
            signal.signal(number, before[signal.Signals(number)])
            signal.raise_signal(number)
        flag.pressed = True

    for number in mine:
        signal.signal(number, handler)
    try:
        yield flag
    finally:
        for number in mine:
            signal.signal(number, before[number])


class Progress:
    """A progress bar on stderr, shown once a run takes long.

    Parameters
    ----------
    show
        None: if stderr is a terminal; True or False: in any case or never; a function is called with the
        fraction done instead, and asks the run to stop by returning False.
    t0, t_end
        Start and end of the run.
    """

    def __init__(self, show: bool | Callable[[float], object] | None, t0: float, t_end: float) -> None:
        self._callback = show if callable(show) else None
        self._wanted = sys.stderr is not None and sys.stderr.isatty() if show is None else bool(show)
        self._t0, self._t_end = t0, t_end
        self._next = time.monotonic() + (0.0 if self._callback else _PATIENCE)
        self._bar: Any = None
        self._task: Any = None

    def update(self, t: float) -> bool:
        """Show the progress of the run, if it is time to; return whether it may continue."""
        if not self._wanted or time.monotonic() < self._next:
            return True
        self._next = time.monotonic() + _REFRESH
        if self._callback:
            # Only False stops: a function that returns nothing, or a number, has no effect.
            return self._callback((t - self._t0) / (self._t_end - self._t0)) is not False
        if self._bar is None:
            self._open()
        self._bar.update(self._task, completed=t - self._t0, description=f"simulating, t = {t:.4g} s")
        return True

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
        console = Console(stderr=True)
        self._bar = Bar(*columns, console=console, transient=console.is_terminal)
        self._task = self._bar.add_task("simulating", total=self._t_end - self._t0)
        self._bar.start()
