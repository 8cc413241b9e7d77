"""Captures with the flexible chaser at random: 200 cases of 4 degrees per second, some of 6 and 8."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np

from dalembert.systems.space_robots import fly_capture, random_case

__all__ = ["Flown", "fly_cases", "mission_results"]


class Flown(NamedTuple):
    """One case: whether it kept every requirement, the reason of a failure, and the figure for each requirement."""

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
        Arguments of `dalembert.systems.space_robots.random_case`.
    rest
        Whether they continue after the grip, until the stack is at rest.
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
    """Yield the key of each expected value and our value."""
    flown = fly_cases(range(200))
    yield "mission.4.captured", sum(f.ok for f in flown) / len(flown)
    tip, turn, base, joint = np.array([f.values[:4] for f in flown if f.values]).T
    yield "mission.4.tip", float(np.median(tip))
    yield "mission.4.tip.largest", float(tip.max())
    yield "mission.4.attitude", float(turn.max())
    yield "mission.4.base", float(base.max())
    yield "mission.4.joint", float(joint.max())
    for speed in (6.0, 8.0):  # the torque that following takes grows with the square of the speed
        flown = fly_cases(range(40), speed)
        yield f"mission.{speed:g}.captured", sum(f.ok for f in flown) / len(flown)
    rested = fly_cases(range(4), rest=True)
    yield "mission.rest", max(f.values[4] for f in rested)
