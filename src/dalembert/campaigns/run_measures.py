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
from dalembert.formulations.named import derived_quantity
from dalembert.loop.signals import Measure
from dalembert.model.signals import derived_names
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
        if name == "t":
            return run.t
        expression = derived_quantity(eom, name)
        if expression is not None:
            s, n = eom.symbolic, eom.nq + eom.nv
            function = ca.Function("derived", [s.t, s.q, s.v, s.p], [expression])
            p = eom.parameter_values(run.metadata.get("parameters"))
            values: Any = function.map(len(run.t))(run.t[None], run.x[:, : eom.nq].T, run.x[:, eom.nq : n].T, p)
            return np.array(values.full())[0]
        raise UnknownNameError("signal", name, [*run.names, *derived_names(eom.machine)], "this run")


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
