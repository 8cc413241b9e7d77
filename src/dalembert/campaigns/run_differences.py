"""Derivatives of runs by central differences, for machines whose runs have no exact ones: friction that holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dalembert.core.types import Array
from dalembert.loop.experiment import Experiment
from dalembert.loop.simulate import run_experiment
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run

__all__ = ["needs_differences", "values_and_differences"]

_STEP = 1e-4  # part of a quantity: errors of a run, 1e-10 and less, are below those of second order


def needs_differences(machine: Machine) -> bool:
    """Whether joints or bearings of sheaves stick, or ropes rub on their sheaves."""
    joints = machine.sticking or machine.bristled or machine.sheave_bearings
    return bool(joints or any(rope.rubbing for rope in machine.all_ropes))


def values_and_differences(
    experiment_at: Callable[[Array], Experiment], x: Array, signals: Sequence[str], t: Array
) -> tuple[Array, Array]:
    """Signals (times, signals) of a run at some instants, and their derivatives (times, signals, quantities).

    Parameters
    ----------
    experiment_at
        The experiment for values of the quantities.
    x
        Values of the quantities.
    signals
        Names of recorded signals.
    t
        Instants.
    """

    def response(values: Array) -> Array:
        return _sampled(run_experiment(experiment_at(values), progress=False), signals, t)

    derivatives = []
    for k, value in enumerate(x):
        step = np.zeros(len(x))
        step[k] = _STEP * (abs(value) if value != 0.0 else 1.0)
        derivatives.append((response(x + step) - response(x - step)) / (2.0 * step[k]))
    return response(x), np.stack(derivatives, axis=-1)


def _sampled(run: Run, signals: Sequence[str], t: Array) -> Array:
    """Signals of a run at instants; at an event those after it."""
    from scipy.interpolate import CubicSpline

    y = np.column_stack([run[name] for name in signals])
    near = np.searchsorted(run.t, t + 1e-12, side="right") - 1
    if np.abs(run.t[near] - t).max() <= 1e-9 * max(1.0, abs(float(t[-1]))):
        return np.asarray(y[near])
    rows = np.append(np.diff(run.t) > 0, True)
    return np.asarray(CubicSpline(run.t[rows], y[rows])(t))
