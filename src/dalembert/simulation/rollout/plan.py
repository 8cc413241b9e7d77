"""The steps of a rollout: which instants are recorded, and the fixed steps between them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.simulation.engines.engine import Setup
from dalembert.simulation.engines.tableaus import TABLEAUS
from dalembert.simulation.problem import Problem

__all__ = ["SEGMENT", "Plan", "make_plan", "rollout_macros"]

SEGMENT = np.dtype([("anchor", "f8"), ("h", "f8"), ("rest", "f8"), ("first", "i8"), ("count", "i8"), ("row", "i8")])
"""``struct segment`` of lanes_rollout.c."""

_LONGEST = 1 << 10
"""Steps of a segment; between segments an interrupt is seen."""


@dataclass(frozen=True, eq=False)
class Plan:
    """What every member does.

    Parameters
    ----------
    t
        Recorded instants; the first is the start.
    segments
        Steps, as of `SEGMENT`; row k of the record is the end of a segment with ``row`` k.
    steps
        Number of steps in all.
    """

    t: Array
    segments: NDArray[Any]
    steps: int


def make_plan(setup: Setup) -> Plan:
    """Divide the time as `dalembert.simulation.integrate` does.

    Steps end at multiples of ``step`` from the last recorded instant; the last one before a recorded instant is
    shortened where that is no multiple.
    """
    h, span = setup.step, setup.t_end - setup.t0
    interval = setup.record or h
    n_rows = math.floor(span / interval * (1.0 + 1e-12) + 1e-9)
    t: Array = np.asarray(setup.t0 + interval * np.arange(n_rows + 1), dtype=np.float64)
    if setup.t_end - t[-1] > 1e-9 * h:
        t = np.append(t, setup.t_end)
    t[-1] = setup.t_end
    segments: list[tuple[float, float, float, int, int, int]] = []
    if not setup.record:  # every step: one count from the start
        whole = len(t) - 1 if abs(t[-1] - t[0] - (len(t) - 1) * h) <= 1e-9 * h else len(t) - 2
        segments += [(setup.t0, h, 0.0, k, 1, k + 1) for k in range(whole)]
        if whole < len(t) - 1:
            segments.append((setup.t0, h, float(t[-1] - (setup.t0 + whole * h)), whole, 0, whole + 1))
    else:
        for row, (a, b) in enumerate(pairwise(t), start=1):
            count = math.floor((b - a) / h + 1e-9)
            rest = float(b - (a + count * h))
            rest = rest if rest > 1e-9 * h else 0.0
            for first in range(0, max(count, 1), _LONGEST):
                part = min(_LONGEST, count - first)
                last = first + part == count
                segments.append((float(a), h, rest if last else 0.0, first, part, row if last else -1))
    table = np.array(segments, dtype=SEGMENT)
    return Plan(t, table, int(table["count"].sum() + np.count_nonzero(table["rest"])))


def rollout_macros(problem: Problem, method: str) -> dict[str, object]:
    """Describe a problem and a method to the generated time loops.

    Raises
    ------
    InputError
        If the method is none of those whose stages each need only the one before.
    """
    able = {name: T for name, T in TABLEAUS.items() if not T.adaptive and _chained(T.a)}
    if method not in able:
        raise InputError(f"rollouts take fixed steps: method must be one of {', '.join(able)}, got {method!r}")
    tableau = able[method]
    steps = [*(float(tableau.a[s + 1, s]) for s in range(tableau.stages - 1)), 0.0]

    def listed(values: Any) -> str:
        return ", ".join(repr(float(v)) for v in values)

    return {
        "N_STATES": problem.n_states,
        "N_HELD": len(problem.held_names),
        "N_PARAMETERS": problem.n_parameters,
        "N_QUATERNIONS": len(problem.quaternions),
        "QUATERNIONS": ", ".join(map(str, [*problem.quaternions, 0])),
        "STAGES": tableau.stages,
        "NODES": listed(tableau.c),
        "STEPS": listed(steps),
        "WEIGHTS": listed(tableau.b),
    }


def _chained(a: Array) -> bool:
    return not np.any(a - np.diag(np.diag(a, -1), -1)) if len(a) > 1 else True
