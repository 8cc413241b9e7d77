"""Where members of a rollout stop: terminal events, such as a joint that reaches a hard stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from dalembert.core.types import Array
from dalembert.engine.problem.problem import EventSpec, Problem

__all__ = ["STOPPED", "Stops", "chosen_events", "terminal_events"]

STOPPED = -2
"""Status of a member that stopped at the first event; at the next one it is one less, and so on."""


@dataclass(frozen=True, eq=False)
class Stops:
    """Events at which members stop.

    Parameters
    ----------
    function
        (t, x, c, p) -> g, one number for each event.
    names
        Names of the events.
    directions
        ``+1`` for g rising through zero, ``-1`` for falling, ``0`` for both.
    """

    function: ca.Function
    names: tuple[str, ...]
    directions: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.names)

    def crossed(self, signs: Array, g: Array) -> NDArray[np.bool_]:
        """Which events have happened, of functions that had these signs."""
        return np.asarray((signs != 0.0) & (g * signs <= 0.0) & (self.directions * signs <= 0.0))


def terminal_events(problem: Problem) -> Stops | None:
    """Return the terminal events of a problem, None without any; the others change nothing, and are not looked at."""
    return chosen_events(problem, lambda spec: spec.terminal)


def chosen_events(problem: Problem, wanted: Callable[[EventSpec], bool]) -> Stops | None:
    """Return the requested events of a problem, None without any."""
    if problem.events is None:
        return None
    chosen = [k for k, spec in enumerate(problem.event_specs[: problem.events.numel_out(0)]) if wanted(spec)]
    if not chosen:
        return None
    arguments = [ca.SX.sym(name, problem.events.numel_in(k)) for k, name in enumerate(("t", "x", "c", "p"))]
    g = ca.cse(ca.densify(problem.events(*arguments)[chosen]))
    function = ca.Function("stops", arguments, [g], ["t", "x", "c", "p"], ["out"])
    specs = [problem.event_specs[k] for k in chosen]
    return Stops(function, tuple(s.name for s in specs), np.array([s.direction for s in specs], dtype=np.int64))
