"""Cost of the approximate models of SPACE 5.2.6, and their deviation from the full one.

The source shows both in figures (5.5, 5.9, 5.10) and prints time ratios (Table 5.1) of its own program. Times depend on
the computer and on the program: ours are shown beside them, with the operations of the compiled equations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from dalembert import EquationsOfMotion, Run, equations
from dalembert.model.machine import Machine
from dalembert.studies.flexible_arms.runs import free_vibration, pick_and_place
from dalembert.studies.timing import least_times
from dalembert.systems.flexible_arms import canadarm, planar_arm

__all__ = [
    "MODELS",
    "STEPS",
    "ArmCase",
    "Deviation",
    "case",
    "cost_over_step",
    "deviations",
    "operations",
    "time_ratios",
]

MODELS = ("flex", "flex-M", "flex-MA", "flex-MR")
STEPS = (0.5e-3, 1e-3, 2e-3)
"""Steps of the cost figure [s]; with 5 ms Runge-Kutta is unstable for the fastest modes of the assembled Canadarm."""


@dataclass(frozen=True)
class ArmCase:
    """An arm of the source, the frame at its tip, and its run: free vibration or pick and place."""

    arm: Machine
    tip: str
    manoeuvre: Callable[[EquationsOfMotion, str, float, float], Run]
    duration: float

    @cached_property
    def models(self) -> dict[str, EquationsOfMotion]:
        """Equations of the arm by model; derived once, so that the time of a run is that of the run."""
        return {m: equations(self.arm, approximation=m) for m in MODELS}

    def run(self, model: str, step: float = 1e-3) -> Run:
        """Run of the case with one of the models."""
        return self.manoeuvre(self.models[model], model, self.duration, step)


@dataclass(frozen=True)
class Deviation:
    """Errors of a model against the full one over the time of a run: joint angles [rad], position of the tip [m]."""

    t: NDArray[np.float64]
    joints: NDArray[np.float64]
    tip: NDArray[np.float64]


def case(name: str) -> ArmCase:
    """Return the planar arm (``"2dof"``) or the Canadarm (``"6dof"``)."""
    if name == "2dof":
        return ArmCase(planar_arm(), "link2.tip", free_vibration, 1.0)
    return ArmCase(canadarm(), "effector", pick_and_place, 10.0)


def deviations(chosen: ArmCase, runs: Mapping[str, Run]) -> dict[str, Deviation]:
    """Return the errors of every model but the first, which the others are compared with (Figs. 5.5, 5.9)."""
    eom = chosen.models["flex"]
    names = [joint.name for joint in chosen.arm.joints if joint.name in chosen.arm.q_names]

    def tip(run: Run) -> NDArray[np.float64]:
        return eom.pose(chosen.tip, run.array(chosen.arm.q_names))[:, :3, 3]

    full = runs["flex"]
    return {
        model: Deviation(
            full.t,
            np.abs(run.array(names) - full.array(names)).max(axis=1),
            np.linalg.norm(tip(run) - tip(full), axis=1),
        )
        for model, run in runs.items()
        if model != "flex"
    }


def operations(chosen: ArmCase) -> dict[str, float]:
    """Return the operations of forward dynamics of each model, as a share of those of the full one [%]."""
    count = {m: eom.kernel("forward_dynamics").function.n_instructions() for m, eom in chosen.models.items()}
    return {m: 100.0 * n / count["flex"] for m, n in count.items()}


def time_ratios(chosen: ArmCase) -> dict[str, float]:
    """Return the time of a run with each model, as a share of that with the full one [%] (Table 5.1)."""
    times = least_times({m: partial(chosen.run, m) for m in MODELS})
    return {m: 100.0 * t / times["flex"] for m, t in times.items()}


def cost_over_step(chosen: ArmCase, models: tuple[str, ...] = MODELS) -> dict[tuple[str, float], float]:
    """Return the time of a run by model and step, as a share of its simulated time [%] (Fig. 5.10)."""
    runs = {f"{m} {h}": partial(chosen.run, m, h) for m in models for h in STEPS}
    times = least_times(runs)
    return {(m, h): 100.0 * times[f"{m} {h}"] / chosen.duration for m in models for h in STEPS}
