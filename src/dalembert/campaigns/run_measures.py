"""Measures of a single run: the same numbers that a rollout reduces while its members run, from the recorded rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import casadi as ca
import numpy as np

from dalembert.core.errors import UnknownNameError
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.signals import Measure
from dalembert.simulation.run import Run

__all__ = ["RunSignals", "measure_run"]


class RunSignals:
    """Histories of a run by name; the names are those of measures of rollouts."""

    def __init__(self, eom: EquationsOfMotion, run: Run) -> None:
        self._eom, self._run = eom, run

    def __getitem__(self, name: str) -> Array:
        eom, run = self._eom, self._run
        if name in run:
            return run[name]
        kind, _, rest = name.partition(".")
        if kind == "parameter" and rest in eom.p_names:
            return np.full(len(run.t), run.metadata["parameters"][rest])
        frame, _, axis = rest.rpartition(".")
        if kind in ("position", "velocity") and frame in eom.machine.tree.frames and axis in ("x", "y", "z"):
            p = run.metadata.get("parameters")
            q, v = run.x[:, : eom.nq], run.x[:, eom.nq : eom.nq + eom.nv]
            k = "xyz".index(axis)
            if kind == "position":
                return np.asarray(eom.pose(frame, q, p=p)[:, k, 3])
            return np.asarray(np.einsum("nj,nj->n", eom.jacobian(frame, q, axes="world", p=p)[:, k], v))
        raise UnknownNameError("signal", name, run.names, "this run")


def measure_run(eom: EquationsOfMotion, run: Run, measure: Mapping[str, Measure]) -> dict[str, float]:
    """Return the measures of a run; integrals by the trapezoidal rule over its rows."""
    signals = RunSignals(eom, run)
    return {name: _number(one, run.t, _history(one, signals, len(run.t))) for name, one in measure.items()}


def _history(one: Measure, signals: RunSignals, n: int) -> Array:
    if isinstance(one.of, str):
        return signals[one.of]
    value: Any = one.of(signals)  # type: ignore[arg-type]
    value = value.full() if isinstance(value, ca.DM) else value
    return np.broadcast_to(np.asarray(value, dtype=float).ravel(), (n,))


def _mean(t: Array, y: Array) -> float:
    return float(np.trapezoid(y, t) / (t[-1] - t[0])) if t[-1] > t[0] else np.nan


def _time(t: Array, y: Array, which: int) -> float:
    times = t[y > 0.0]
    return float(times[which]) if len(times) else np.nan


_WAYS: Mapping[str, Callable[[Array, Array], float]] = MappingProxyType(
    {
        "final": lambda t, y: float(y[-1]),
        "max": lambda t, y: float(y.max()),
        "min": lambda t, y: float(y.min()),
        "max abs": lambda t, y: float(np.abs(y).max()),
        "integral": lambda t, y: float(np.trapezoid(y, t)),
        "mean": _mean,
        "rms": lambda t, y: float(np.sqrt(_mean(t, y * y))),
        "first": lambda t, y: _time(t, y, 0),
        "last": lambda t, y: _time(t, y, -1),
    }
)


def _number(one: Measure, t: Array, y: Array) -> float:
    inside = (t >= one.since) & (t <= one.until)
    return _WAYS[one.by](t[inside], y[inside]) if inside.any() else np.nan
