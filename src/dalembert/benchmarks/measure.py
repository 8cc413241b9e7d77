"""Timing of contenders: interleaved repetitions, and ratios within each."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

__all__ = ["Record", "Timing", "interleave"]

Record = dict[str, Any]
"""Figures of a benchmark by name, as its JSON file holds them."""


class Timing(NamedTuple):
    """Seconds per evaluation, one number for each repetition."""

    samples: tuple[float, ...]

    @property
    def median(self) -> float:
        """Median of the repetitions."""
        return statistics.median(self.samples)

    @property
    def least(self) -> float:
        """Least of the repetitions."""
        return min(self.samples)

    def relative_to(self, other: Timing) -> float:
        """Median of the ratios within each repetition, where both met the same load."""
        return statistics.median(a / b for a, b in zip(self.samples, other.samples, strict=True))


def interleave(
    runs: Mapping[str, tuple[Callable[[], object], int]], *, repetitions: int, duration: float
) -> dict[str, Timing]:
    """Time functions in turns, so that a change of the machine's load meets all of them.

    Each turn begins with one call that is not timed, so that the state in which the function before it left the caches
    does not count.

    Parameters
    ----------
    runs
        The functions, each with the number of evaluations that a call of it makes.
    repetitions
        Number of turns.
    duration
        Least duration of one measurement [s]; a function is called as often as that takes.
    """
    counts = {}
    for name, (run, _) in runs.items():
        run()  # the first call may load or build something
        start = time.perf_counter()
        run()
        counts[name] = max(1, round(duration / max(time.perf_counter() - start, 1e-9)))
    times: dict[str, list[float]] = {name: [] for name in runs}
    enabled = gc.isenabled()
    gc.disable()
    try:
        for _ in range(repetitions):
            for name, (run, evaluations) in runs.items():
                calls = range(counts[name])
                run()
                start = time.perf_counter()
                for _ in calls:
                    run()
                times[name].append((time.perf_counter() - start) / (counts[name] * evaluations))
    finally:
        if enabled:
            gc.enable()
    return {name: Timing(tuple(t)) for name, t in times.items()}
