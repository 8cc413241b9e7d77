"""Stresses of flexible bodies over a run, and the cycles that they go through.

Stresses are linear in the modal coordinates: ``sigma = Sigma delta``, with the six components xx, yy, zz, xy, yz, zx at
each point. Cycles are counted by the rainflow method (ASTM E1049-85, 5.4.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array
from dalembert.model.elastic.finite_elements import FlexibleBody
from dalembert.model.machine import Machine

__all__ = ["Cycles", "StressHistory", "rainflow", "stress_history", "von_mises"]


class RecordedMotion(Protocol):
    """A run: its times, its machine, and its signals as columns."""

    @property
    def t(self) -> Array: ...
    @property
    def machine(self) -> Machine | None: ...
    def array(self, names: Sequence[str]) -> Array: ...


def von_mises(sigma: ArrayLike) -> Array:
    """Equivalent stress after von Mises of components (..., 6): xx, yy, zz, xy, yz, zx.

    Examples
    --------
    >>> import dalembert as da
    >>> da.analysis.von_mises([[2.0, 0, 0, 0, 0, 0], [0, 0, 0, 1.0, 0, 0]]).round(3)
    array([2.   , 1.732])
    """
    s = np.asarray(sigma, dtype=float)
    if s.ndim < 1 or s.shape[-1] != 6:
        raise InputError(f"stresses must have 6 components (..., 6): xx, yy, zz, xy, yz, zx, got shape {s.shape}")
    normal = (s[..., 0] - s[..., 1]) ** 2 + (s[..., 1] - s[..., 2]) ** 2 + (s[..., 2] - s[..., 0]) ** 2
    return np.asarray(np.sqrt(normal / 2 + 3 * np.sum(s[..., 3:] ** 2, axis=-1)))


@dataclass(frozen=True, eq=False)
class Cycles:
    """Cycles of a history: range, mean and number (0.5 or 1) of each.

    Parameters
    ----------
    ranges, means
        Difference of the two ends of a cycle, and their mean.
    counts
        1 for a closed cycle, 0.5 for one that the history does not close.
    """

    ranges: Array
    means: Array
    counts: Array

    def damage(self, strength: float, exponent: float) -> float:
        """Sum after Palmgren and Miner for the cycles to failure ``(strength / (range / 2))^exponent``."""
        return float(np.sum(self.counts * (self.ranges / (2 * strength)) ** exponent))


def rainflow(history: ArrayLike) -> Cycles:
    """Count the cycles of a history by the rainflow method, ASTM E1049-85.

    Examples
    --------
    The example of the standard:

    >>> import dalembert as da
    >>> cycles = da.analysis.rainflow([-2, 1, -3, 5, -1, 3, -4, 4, -2])
    >>> [(float(r), float(n)) for r, n in zip(cycles.ranges, cycles.counts)]
    [(3.0, 0.5), (4.0, 0.5), (4.0, 1.0), (8.0, 0.5), (9.0, 0.5), (8.0, 0.5), (6.0, 0.5)]
    """
    x = as_numbers(history)
    if x.ndim != 1 or not np.isfinite(x).all():
        raise InputError(f"a history is a list of finite numbers, got shape {x.shape}")
    x = x[np.concatenate([[True], np.diff(x) != 0.0])] if x.size else x
    if x.size > 2:
        x = x[np.concatenate([[True], np.diff(x)[:-1] * np.diff(x)[1:] < 0.0, [True]])]
    found: list[tuple[float, float, float]] = []
    stack: list[float] = []

    def count(a: float, b: float, number: float) -> None:
        found.append((abs(a - b), (a + b) / 2, number))

    for point in x.tolist():
        stack.append(point)
        while len(stack) >= 3 and abs(stack[-1] - stack[-2]) >= abs(stack[-2] - stack[-3]):
            if len(stack) == 3:
                count(stack[0], stack[1], 0.5)
                del stack[0]
            else:
                count(stack[-3], stack[-2], 1.0)
                del stack[-3:-1]
    for a, b in pairwise(stack):
        count(a, b, 0.5)
    table = np.array(found).reshape(-1, 3)
    return Cycles(table[:, 0], table[:, 1], table[:, 2])


@dataclass(frozen=True, eq=False)
class StressHistory:
    """Stresses of a flexible body over a run.

    Parameters
    ----------
    t
        Times (T).
    sigma
        Components (T, P, 6) at each point.
    """

    t: Array
    sigma: Array

    @cached_property
    def von_mises(self) -> Array:
        """Equivalent stresses (T, P)."""
        return von_mises(self.sigma)

    @property
    def largest(self) -> Array:
        """Largest equivalent stress at each time (T)."""
        return np.asarray(self.von_mises.max(axis=1))

    @property
    def where(self) -> Array:
        """Point at which it is (T)."""
        return np.asarray(self.von_mises.argmax(axis=1))

    @property
    def critical(self) -> int:
        """Point with the largest equivalent stress of the run."""
        return int(self.von_mises.max(axis=0).argmax())

    def signed(self, point: int | None = None) -> Array:
        """Equivalent stress (T) of a point, with the sign of the mean normal stress; by default of the critical one."""
        k = self.critical if point is None else point
        return np.asarray(np.copysign(self.von_mises[:, k], self.sigma[:, k, :3].sum(axis=1)))

    def cycles(self, point: int | None = None) -> Cycles:
        """Cycles of the signed equivalent stress of a point; by default of the critical one."""
        return rainflow(self.signed(point))


def stress_history(run: RecordedMotion, body: str) -> StressHistory:
    """Return the stresses of a flexible body over a run of its machine.

    Parameters
    ----------
    run
        The run.
    body
        Name of a `dalembert.FlexibleBody` that was made with ``stress``.

    Raises
    ------
    InputError
        If the run has no machine, or the body no stress matrix.
    """
    if run.machine is None:
        raise InputError(
            "this run does not contain its machine: simulate it again, or load it together with its machine"
        )
    bodies = {b.name: b for b in run.machine.bodies if isinstance(b, FlexibleBody)}
    if body not in bodies:
        raise UnknownNameError("flexible body from finite elements", body, bodies, f"machine '{run.machine.name}'")
    modes = bodies[body].reduction.stress
    if modes is None:
        raise InputError(f"flexible body '{body}' has no stresses: give stress= to FlexibleBody.from_matrices")
    return StressHistory(run.t, np.einsum("pcj,tj->tpc", modes, run.array(list(bodies[body].q_names))))
