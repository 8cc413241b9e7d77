"""Captures with the flexible chaser at random: 200 cases of 4 degrees per second, some of 6 and 8."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np

from dalembert.systems import fly_capture, random_case

__all__ = ["Flown", "fly_cases", "mission_results"]


class Flown(NamedTuple):
    """One case: whether it kept every requirement, why it ended if it did, and what it has of each requirement."""

    seed: int
    ok: bool
    reason: str
    values: tuple[float, ...]


def _fly(arguments: tuple[int, float, bool]) -> Flown:
    seed, speed, rest = arguments
    outcome = fly_capture(random_case(seed, speed), detumble=rest)
    return Flown(seed, outcome.ok, outcome.reason, tuple(r.value for r in outcome.requirements))


def fly_cases(
    seeds: Sequence[int], speed: float = 4.0, *, rest: bool = False, workers: int | None = None
) -> list[Flown]:
    """Fly the cases of these seeds, on all cores.

    Parameters
    ----------
    seeds, speed
        Of `dalembert.systems.random_case`.
    rest
        Whether they go on after the grip, until the stack is at rest.
    workers
        Processes; None: one per core.
    """
    jobs = [(seed, speed, rest) for seed in seeds]
    count = min(len(jobs), workers or os.cpu_count() or 1)
    if count <= 1:
        return [_fly(job) for job in jobs]
    with ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn")) as pool:
        return list(pool.map(_fly, jobs))


def mission_results() -> Iterator[tuple[str, float]]:
    """Yield the key of each expected value and what the library obtains."""
    for speed, count in ((4.0, 200), (6.0, 40), (8.0, 40)):
        flown = fly_cases(range(count), speed)
        yield f"mission.{speed:g}.captured", sum(f.ok for f in flown) / count
        tip, turn, base, joint = np.array([f.values[:4] for f in flown if f.values]).T
        yield f"mission.{speed:g}.tip", float(np.median(tip))
        yield f"mission.{speed:g}.tip.largest", float(tip.max())
        yield f"mission.{speed:g}.attitude", float(turn.max())
        yield f"mission.{speed:g}.base", float(base.max())
        yield f"mission.{speed:g}.joint", float(joint.max())
    rested = fly_cases(range(4), rest=True)
    yield "mission.rest", max(f.values[4] for f in rested)
