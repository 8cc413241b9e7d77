"""Parameters of a machine chosen so that its runs cost least: gradients by the adjoint, over one run or many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack, cast

import numpy as np

from dalembert.campaigns.sensitivity import gradient
from dalembert.core.errors import InputError, SimulationError
from dalembert.core.states import assigned
from dalembert.core.types import Array
from dalembert.loop.experiment import Runnable, experiment_of, values_by_name
from dalembert.loop.experiment_keywords import ExperimentKeywords, experiment_verb
from dalembert.loop.outlets import without_log
from dalembert.loop.signals import Quantity

__all__ = ["Design", "optimise"]


@dataclass(frozen=True, eq=False)
class Design:
    """The best values that were found.

    Parameters
    ----------
    values
        By name.
    cost
        Mean over the scenarios.
    limits
        The limited quantities, by name.
    ok
        Whether the search converged with all limits kept.
    message
        How it ended.
    history
        Costs of its iterations.
    """

    values: Mapping[str, float]
    cost: float
    limits: Mapping[str, float]
    ok: bool
    message: str
    history: tuple[float, ...]


@experiment_verb
def optimise(
    machine: Runnable,
    *,
    vary: Mapping[str, tuple[float, float]],
    final: Quantity | None = None,
    integral: Quantity | None = None,
    bounds: Mapping[str, tuple[Quantity, float]] | None = None,
    scenarios: Sequence[Mapping[str, Any]] = ({},),
    iterations: int = 100,
    **keywords: Unpack[ExperimentKeywords],
) -> Design:
    """Choose parameters and initial values that minimise a cost of runs.

    Parameters
    ----------
    machine
        The machine or its equations, with the keywords of an experiment; or an `Experiment`.
    vary
        Names of parameters, ``q0.NAME``, ``v0.NAME``, with their ranges; the search begins at the nominal values.
    final, integral
        Cost at the end and per second; see `dalembert.campaigns.gradient`.
    bounds
        By name: a quantity at the end of each run (as ``final``) and its upper limit, in every scenario. (A
        mapping as ``limits`` means the same.)
    scenarios
        Runs over which the cost is averaged: mappings with ``p``, ``q0``, ``v0`` of their own.
    iterations
        Largest number of iterations (SLSQP).
    **keywords
        As in `dalembert.Experiment`; laws must be expressions, and the method an explicit one.
    """
    from scipy.optimize import minimize

    if isinstance(keywords.get("limits"), Mapping):
        bounds = cast(Mapping[str, tuple[Quantity, float]], keywords.pop("limits"))
    experiment = without_log(experiment_of(machine, keywords))
    names = tuple(vary)
    if not names:
        raise InputError("there is nothing to choose: give parameters and their ranges in vary")
    ranges = np.array([[float(a), float(b)] for a, b in vary.values()])
    for name, (low, high) in zip(names, ranges, strict=True):
        if not (np.isfinite([low, high]).all() and low < high):
            raise InputError(f"the range of '{name}' must be finite with low < high, got ({low:g}, {high:g})")
    shared = values_by_name(experiment)
    width = ranges[:, 1] - ranges[:, 0]
    nominal = {q.name: q.value for q in experiment.machine.parameters} | shared["p"]
    nominal |= {f"{k}.{n}": x for k in ("q0", "v0") for n, x in shared[k].items()}
    begin = np.array([np.clip(nominal.get(n, 0.5 * (a + b)), a, b) for n, (a, b) in zip(names, ranges, strict=True)])

    def run(
        u: Array, scenario: Mapping[str, Any], final: Quantity | None, integral: Quantity | None
    ) -> tuple[float, Array]:
        values = {k: {**shared[k], **(scenario.get(k) or {})} for k in shared}
        chosen = assigned(values, zip(names, (ranges[:, 0] + u * width).tolist(), strict=True))
        slope = gradient(experiment.replace(**chosen), wrt=names, final=final, integral=integral)
        return slope.cost, slope.gradient * width

    def mean(u: Array) -> tuple[float, Array]:
        try:
            parts = [run(u, scenario, final, integral) for scenario in scenarios]
        except SimulationError:
            return 1e300, np.zeros(len(names))
        return float(np.mean([c for c, _ in parts])), np.mean([g for _, g in parts], axis=0)

    constraints: Any = [
        {
            "type": "ineq",
            "fun": lambda u, q=quantity, b=bound, s=scenario: b - run(u, s, q, None)[0],
            "jac": lambda u, q=quantity, s=scenario: -run(u, s, q, None)[1],
        }
        for quantity, bound in (bounds or {}).values()
        for scenario in scenarios
    ]
    history: list[float] = []
    u0 = (begin - ranges[:, 0]) / width
    scale = abs(mean(u0)[0]) or 1.0

    def scaled(u: Array) -> tuple[float, Array]:
        cost, slope = mean(u)
        return cost / scale, slope / scale

    result: Any = minimize(
        scaled, u0, jac=True, bounds=[(0.0, 1.0)] * len(names), method="SLSQP",
        constraints=constraints, callback=lambda u: history.append(mean(u)[0]),
        options={"maxiter": iterations, "ftol": 1e-10},
    )  # fmt: skip
    reached = {
        name: max(run(result.x, scenario, quantity, None)[0] for scenario in scenarios)
        for name, (quantity, _) in (bounds or {}).items()
    }
    kept = all(reached[n] <= b + 1e-6 * max(1.0, abs(b)) for n, (_, b) in (bounds or {}).items())
    values = dict(zip(names, (ranges[:, 0] + result.x * width).tolist(), strict=True))
    return Design(
        values, mean(result.x)[0], reached, bool(result.success and kept), str(result.message), tuple(history)
    )
