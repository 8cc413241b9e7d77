"""Times that a study shows beside a document's: measured in turns, so that the load of the computer meets all alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

__all__ = ["least_times"]


def least_times(runs: Mapping[str, Callable[[], object]], *, duration: float = 0.5) -> dict[str, float]:
    """Return the least time of each function [s]: other work on the computer can only add to it.

    The first call of each, which may compile, does not count.

    Parameters
    ----------
    runs
        Functions to call in turns.
    duration
        How long to continue, on average per function [s]; each is called three times at least.
    """
    for run in runs.values():
        run()
    times = dict.fromkeys(runs, float("inf"))
    began, turns = time.perf_counter(), 0
    while turns < 3 or time.perf_counter() - began < duration * len(runs):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            times[name] = min(times[name], time.perf_counter() - start)
        turns += 1
    return times
