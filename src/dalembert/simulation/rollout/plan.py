"""The steps of a rollout: which instants are recorded, and the fixed steps between them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.core.quantile import quantile_macros
from dalembert.core.types import Array
from dalembert.engine.problem.problem import Problem
from dalembert.engine.sampling import Schedule, Update
from dalembert.engine.setup import Setup
from dalembert.simulation.methods import METHODS, TABLEAUS, check_outlet

__all__ = ["SEGMENT", "Plan", "make_plan", "rollout_macros"]

SEGMENT = np.dtype(
    [
        *((name, "f8") for name in ("anchor", "h", "rest")),
        *((name, "i8") for name in ("first", "count", "row", "begin", "sample")),
    ]
)
"""``struct segment`` of lanes_rollout.c."""

_SAME = 1e-9
"""Part of a period within which two instants are one, as a `Sampler` has it."""
_EPSILON = float(np.finfo(float).eps)
_LONGEST = 1 << 10
"""Steps of a segment; between segments an interrupt is seen."""


@dataclass(frozen=True, eq=False)
class Plan:
    """The plan of every member.

    Parameters
    ----------
    t
        Recorded instants; the first is the start.
    segments
        Steps, as in `SEGMENT`; row k of the record is the end of a segment with ``row`` k.
    steps
        Number of steps in all.
    instants
        Table of numbers of instants, a column for each update of held values, -1 where it is not due; a segment
        starts with its row ``sample``, unless that is negative.
    """

    t: Array
    segments: NDArray[Any]
    steps: int
    instants: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))


def make_plan(setup: Setup, schedule: Schedule | None = None) -> Plan:
    """Divide the time as `dalembert.simulation.integrate` does.

    Steps end at multiples of ``step`` from the last instant that was recorded or sampled, or from the start; the last
    one before such an instant is shortened where that is no multiple. With an adaptive method segments lead from
    instant to instant: ``anchor`` and ``h`` are their ends, ``rest`` is their length.

    Parameters
    ----------
    setup
        Steps, times and interval of the rows.
    schedule
        Sampled elements, from the start on.
    """
    h, t0, t_end = setup.step, setup.t0, setup.t_end
    adaptive = METHODS[setup.method].adaptive
    records = _instants(t0, t_end, setup.record, 1e-9 * h) if setup.record else np.array([t0, t_end])
    sampled, numbers = _samples(t0, t_end, () if schedule is None else schedule.updates)
    stops: list[tuple[float, bool, int]] = []  # time, whether recorded, row of the table of instants
    marks = [(float(t), True, -1) for t in records] + [(t, False, k) for k, t in enumerate(sampled)]
    for time, row, sample in sorted(marks, key=lambda mark: mark[0]):
        last = stops[-1] if stops else (math.nan, False, -1)
        if abs(time - last[0]) <= 16.0 * _EPSILON * max(abs(time), abs(last[0])):
            stops[-1] = (last[0], last[1] or row, max(last[2], sample))
        else:
            stops.append((time, row, sample))
    t: list[float] = [stops[0][0]]
    segments: list[tuple[float, float, float, int, int, int, int, int]] = []
    begin, longest = 0, _LONGEST if setup.record else 1
    for (a, _, sample), (b, recorded, _) in pairwise(stops):
        if adaptive:  # to an instant, with individual steps
            if recorded:
                t.append(b)
            last_row = len(t) - 1 if recorded else -1
            segments.append((a, b, b - a, 0, 0, last_row, begin, sample))
            begin = last_row
            continue
        count = math.floor((b - a) / h + 1e-9)
        rest = b - (a + count * h)
        rest = rest if rest > 1e-9 * h else 0.0
        for first in range(0, max(count, 1), longest):
            steps = min(longest, count - first)
            is_last = first + steps == count
            whole = not setup.record and steps and (rest or not is_last)  # a step of its own row before the end
            row_end = -1
            if whole or (is_last and (recorded or not setup.record)):
                t.append(a + (first + steps) * h if whole else b)
                row_end = len(t) - 1
            left = 0.0 if whole or not is_last else rest
            segments.append((a, h, left, first, steps, row_end, begin, -1 if first else sample))
            begin = row_end
            if whole and is_last:  # and the remainder, in a separate row
                t.append(b)
                segments.append((a, h, rest, count, 0, len(t) - 1, begin, -1))
                begin = len(t) - 1
    table = np.array(segments, dtype=SEGMENT)
    return Plan(np.array(t), table, int(table["count"].sum() + np.count_nonzero(table["rest"])), numbers)


def _samples(t0: float, t_end: float, updates: Sequence[Update]) -> tuple[list[float], NDArray[np.int64]]:
    """Instants at which something is sampled, and of each update the number of its own instant there, or -1."""
    times: list[float] = []
    rows: list[list[int]] = []
    counts = [0] * len(updates)
    while updates:
        due = [t0 + u.offset + k * u.period for u, k in zip(updates, counts, strict=True)]
        ahead = [t for t, u in zip(due, updates, strict=True) if t <= t_end - _SAME * u.period]
        if not ahead:
            break
        now = min(ahead)
        row = [k if t <= now + _SAME * u.period else -1 for t, u, k in zip(due, updates, counts, strict=True)]
        counts = [k + (number >= 0) for k, number in zip(counts, row, strict=True)]
        times.append(now)
        rows.append(row)
    return times, np.array(rows, dtype=np.int64).reshape(len(times), len(updates))


def _instants(t0: float, t_end: float, interval: float, slack: float) -> Array:
    """Multiples of an interval from the start, and the end."""
    n = math.floor((t_end - t0) / interval * (1.0 + 1e-12) + 1e-9)
    t: Array = np.asarray(t0 + interval * np.arange(n + 1), dtype=np.float64)
    if t_end - t[-1] > slack:
        t = np.append(t, t_end)
    t[-1] = t_end
    return t


def rollout_macros(
    problem: Problem, method: str, options: Mapping[str, float] | None = None, *, alone: bool = False
) -> dict[str, object]:
    """Describe a problem and a method to the generated time loops.

    Parameters
    ----------
    problem, method
        The problem and the name of the method.
    options
        Settings that the method alone has; implicit steps need them.
    alone
        Whether members take their steps outside of lanes, which do not depend on the method then.

    Raises
    ------
    InputError
        If the method is none of those that are written in lanes.
    """
    sizes: dict[str, object] = {
        "N_STATES": problem.n_states,
        "N_HELD": len(problem.held_names),
        "N_PARAMETERS": problem.n_parameters,
        "N_QUATERNIONS": len(problem.quaternions),
        "QUATERNIONS": ", ".join(map(str, [*problem.quaternions, 0])),
        **quantile_macros(),
    }
    sizes["IMPLICIT"] = int(METHODS[method].implicit)
    if problem.stepping is not None:
        return {"ADAPTIVE": 0, **sizes}
    check_outlet(METHODS[method], "rollout")
    if METHODS[method].implicit:
        settings = METHODS[method]().options | dict(options or {})
        return {
            "ADAPTIVE": 0,
            **sizes,
            "N_ITERATED": int(np.count_nonzero(problem.counted)),
            "MAX_ITERATIONS": int(settings["max_iterations"]),
            "ITERATION_TOLERANCE": repr(float(settings["tolerance"])),
            "NUMERICAL_DAMPING": repr(float(settings["numerical_damping"])),
        }
    tableau = TABLEAUS[method]
    if alone:
        return {"ADAPTIVE": int(tableau.adaptive), **sizes}
    steps = [*(float(tableau.a[s + 1, s]) for s in range(tableau.stages - 1)), 0.0]

    def listed(values: Iterable[float]) -> str:
        return ", ".join(repr(float(v)) for v in values)

    adaptive: dict[str, object] = {"ADAPTIVE": int(tableau.adaptive)}
    if tableau.b_hat is not None:
        adaptive |= {"MATRIX": listed(tableau.a.ravel()), "ERRORS": listed(tableau.b - tableau.b_hat)}
        adaptive |= {"COUNTED": listed(problem.counted), "N_COUNTED": float(np.count_nonzero(problem.counted))}
        adaptive |= {"LOW_ORDER": float(tableau.embedded_order), "HIGH_ORDER": float(tableau.order)}
    return {
        **adaptive,
        **sizes,
        "STAGES": tableau.stages,
        "NODES": listed(tableau.c),
        "STEPS": listed(steps),
        "WEIGHTS": listed(tableau.b),
    }
