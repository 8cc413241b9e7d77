"""Steps per second of single runs: the reference for many runs at once, and for faster single ones.

The machines are those of ``dalembert bench rollouts``. `measure_single_runs` returns the figures; those of a day are in
``benchmarks/results``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.api import simulate
from dalembert.benchmarks.measure import Record
from dalembert.benchmarks.rows import describe
from dalembert.control.laws import PD
from dalembert.core.errors import UnknownNameError
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.systems.cable_robots import overturning_robot, pulley_robot
from dalembert.systems.cranes import planar_crane, uniform_cable
from dalembert.systems.flexible_arms import canadarm
from dalembert.systems.mechanisms import ANDREWS_START, andrews_squeezer, four_bars

__all__ = ["SINGLE_RUNS", "SingleRun", "measure_single_runs"]


@dataclass(frozen=True)
class SingleRun:
    """A machine and how it is simulated.

    Parameters
    ----------
    title
        Description.
    equations
        Derives its equations of motion.
    settings
        Arguments of `dalembert.simulate`: initial state, law, step.
    duration
        Seconds of simulated time.
    """

    title: str
    equations: Callable[[], EquationsOfMotion]
    settings: dict[str, Any] = field(default_factory=dict)
    duration: float = 2.0


_PUSHED = {"q0": {"platform.y": 0.25, "platform.z": 0.37}, "v0": {"platform.vx": 0.08}, "step": 1e-3}
_RESTING = (0.4103720245171186, 1.0, 0.6015053021164266, 0.9999892917677689, 0.0, 0.004627780223404874, 0.0)
_PD = PD(kp=(2e3,), kd=(3e3,), reference=np.array([1.0]))

SINGLE_RUNS: dict[str, SingleRun] = {
    "crane": SingleRun(
        "crane of two links under PD",
        lambda: derive(planar_crane(uniform_cable(2, 3.0, payload=100.0, mass=2.0))),
        {"q0": {"theta1": 0.1}, "control": _PD, "step": 1e-3},
        10.0,
    ),
    "canadarm": SingleRun("Canadarm, flexible", lambda: derive(canadarm()), {"step": 1e-3}),
    "pulleys": SingleRun("platform on four cables with pulleys", lambda: derive(pulley_robot(2)), _PUSHED, 4.0),
    "pulleys-natural": SingleRun(
        "the same in natural coordinates", lambda: derive(pulley_robot(2), "natural"), _PUSHED, 4.0
    ),
    "four-bar": SingleRun(
        "four-bar linkage", lambda: derive(four_bars(1)), {"v0": {"crank0_dot": 3.0}, "step": 1e-3}, 4.0
    ),
    "squeezer": SingleRun(
        "Andrews' squeezer", lambda: derive(andrews_squeezer()), {"q0": ANDREWS_START, "step": 1e-5}, 0.03
    ),
    "overturning": SingleRun(
        "platform whose cables go slack",
        lambda: derive(overturning_robot(bilateral=False), "natural"),
        {"q0": _RESTING, "step": 1e-3},
        14.0,
    ),
}
"""Measured runs, by name."""


def measure_single_runs(names: Sequence[str] | None = None, *, repetitions: int = 5) -> Record:
    """Measure steps per second of single runs with the classical Runge-Kutta method, on one core.

    Parameters
    ----------
    names
        Names in `SINGLE_RUNS`; all if not given.
    repetitions
        Runs of each machine, of which the fastest counts.

    Examples
    --------
    >>> from dalembert.benchmarks import measure_single_runs
    >>> figures = measure_single_runs(["four-bar"], repetitions=1)  # doctest: +SKIP
    >>> figures["results"][0]["title"]  # doctest: +SKIP
    'four-bar linkage'
    """
    rows = []
    for name in names or SINGLE_RUNS:
        if name not in SINGLE_RUNS:
            raise UnknownNameError("machine", name, SINGLE_RUNS, "the benchmark of single runs")
        case = SINGLE_RUNS[name]
        eom, best, steps = case.equations(), np.inf, 0
        for _ in range(repetitions + 1):  # the first one may compile
            run = simulate(eom, duration=case.duration, record=case.duration, limits="ignore", **case.settings)
            best, steps = min(best, float(run.metadata["wall_time"])), int(run.metadata["steps"])
        rows.append({"case": name, "title": case.title, "steps": steps, "steps_per_second": steps / best})
    about = describe("dalembert.benchmarks.measure_single_runs()", {"repetitions": repetitions})
    return {"topic": "single-runs", **about, "results": rows}
