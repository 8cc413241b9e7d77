"""Signals of stresses: the largest equivalent stress of each body from finite elements that has a stress matrix."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dalembert.core.types import Array
from dalembert.model.elastic.finite_elements import FlexibleBody
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run

__all__ = ["with_stresses"]

_BLOCK = 2_000_000
"""Stress components that are computed at once."""


def with_stresses(machine: Machine, run: Run) -> Run:
    """Return the run with the signals ``stress.NAME`` [Pa] and ``stress_point.NAME``, the point of the largest stress.

    They are functions of the modal coordinates alone, computed after the run: `dalembert.analysis.stress_history` has
    all components at all points.
    """
    names, columns = list(run.signal_names), [run.y]
    for body in machine.bodies:
        if not isinstance(body, FlexibleBody) or body.reduction.stress is None or f"stress.{body.name}" in run:
            continue
        if all(name in run for name in body.q_names):
            names += [f"stress.{body.name}", f"stress_point.{body.name}"]
            columns.append(_largest(body.reduction.stress, run.array(list(body.q_names))))
    if len(columns) == 1:
        return run
    return replace(run, y=np.hstack(columns), signal_names=tuple(names))


def _largest(modes: Array, delta: Array) -> Array:
    """Largest equivalent stress and its point (T, 2), from stress modes (P, 6, n) and coordinates (T, n)."""
    from dalembert.analysis.stress import von_mises

    result = np.zeros((len(delta), 2))
    block = max(1, _BLOCK // (6 * len(modes)))
    for first in range(0, len(delta), block):
        some = slice(first, first + block)
        sizes = von_mises(np.einsum("pcj,tj->tpc", modes, delta[some]))
        result[some, 1] = sizes.argmax(axis=1)
        result[some, 0] = sizes.max(axis=1)
    return result
