"""Times that a study shows beside a document's: measured in turns, so that the load of the computer meets all alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["median_times"]


def median_times(runs: Mapping[str, Callable[[], Any]], *, repetitions: int = 5) -> dict[str, float]:
    """Return the median time of each function [s]; the first call of each, which may compile, does not count.

    Parameters
    ----------
    runs
        Functions to call in turns.
    repetitions
        Number of turns.
    """
    for run in runs.values():
        run()
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repetitions):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(samples) for name, samples in times.items()}
