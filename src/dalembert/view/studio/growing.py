"""An unfinished run, for a live page: as many rows as a screen can show, packed as they arrive."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.core.types import Array
from dalembert.simulation.run import EventRecord, Run
from dalembert.view.page.curves import pack_more, pack_signals
from dalembert.view.page.packing import GrowingFilm

__all__ = ["Growing"]

_ROWS = ("t", "x", "y", "held")
_NUMBERS = 400_000  # of all signals
_FEWEST, _MOST = 200, 1000  # rows of each: no plot is wider
_LARGEST = 1e30  # beyond this, 32-bit floats and cameras give up


class Growing:
    """The part of a run so far. One thread may add to it while another one packs.

    Parameters
    ----------
    t0, duration
        When it starts, and how long it will be [s].
    """

    def __init__(self, t0: float = 0.0, duration: float = 0.0) -> None:
        self._t0, self._duration = t0, duration
        self._parts: list[Run] = []
        self._events: list[EventRecord] = []
        self._last = -np.inf
        self._film: GrowingFilm | None = None

    def __len__(self) -> int:
        return sum(len(chunk.t) for chunk in list(self._parts))

    def add(self, chunk: Run) -> None:
        """Add rows, of which those are kept that a screen can tell apart."""
        rows = int(np.clip(_NUMBERS // len(chunk.names), _FEWEST, _MOST))
        kept = self._firsts(chunk.t, self._last, rows)
        self._last = float(chunk.t[-1])
        self._events += chunk.events
        if len(kept):
            self._parts.append(_chosen(chunk, kept))

    def pack(self, since: int) -> dict[str, Any]:
        """Pack rows from one on as the page shows them; all of the film where the machine needs another place.

        Parameters
        ----------
        since
            How many rows the page has.
        """
        run = self._joined()
        new = _chosen(run, np.arange(min(since, len(run.t)), len(run.t)))
        answer: dict[str, Any] = {"since": since, "span": [self._t0, self._t0 + self._duration]}
        if not len(new.t):
            return answer | {"film": None, "signals": None}
        if since:
            return answer | {"film": self._frames(run, since), "signals": pack_more(new)}
        signals = pack_signals(new, numbers=len(new.t) * len(new.names), every=True, balance=False)
        return answer | {"film": self._frames(run, since), "signals": signals}

    def _frames(self, run: Run, since: int) -> dict[str, Any] | None:
        if self._film is None:
            self._film = GrowingFilm(run.machine, run.metadata.get("parameters"), self._duration)
        with np.errstate(invalid="ignore"):
            good = np.flatnonzero(np.all(np.abs(run.x) < _LARGEST, axis=1))
        frames = good[self._firsts(run.t[good], -np.inf, self._film.most)]
        if not len(frames):
            return None
        new = frames[frames >= since]
        if since and not len(new):
            return None
        more = self._film.more(_chosen(run, new)) if since else None
        return more or self._film.whole(_chosen(run, frames))

    def _joined(self) -> Run:
        parts = list(self._parts)
        rows: dict[str, Any] = {key: np.concatenate([getattr(x, key) for x in parts]) for key in _ROWS}
        return replace(parts[-1], **rows, events=tuple(self._events))

    def _firsts(self, t: Array, last: float, count: int) -> NDArray[np.int64]:
        """Rows that are the first ones in their part of the run, of which there are ``count``, after the last row."""
        parts = np.floor((np.concatenate([[last], t]) - self._t0) * (count / self._duration))
        return np.flatnonzero(np.diff(parts) > 0)


def _chosen(run: Run, rows: NDArray[np.int64]) -> Run:
    chosen: dict[str, Any] = {key: getattr(run, key)[rows] for key in _ROWS}
    return replace(run, **chosen)
