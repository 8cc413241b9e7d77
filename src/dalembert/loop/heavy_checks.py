"""A warning of motions that are too fast for heavy cables, which have weight but no inertia."""

from __future__ import annotations

import numpy as np

from dalembert.core.types import Array
from dalembert.core.warn import warn
from dalembert.model.machine import Machine
from dalembert.simulation.run import Run

__all__ = ["warn_of_heavy_cables"]

_NEAR = 0.3  # part of its own frequency at which a cable no longer follows as at rest: its inertia adds a tenth
_MOVES = 1e-5  # part of its length by which the distance of its ends has to change


def warn_of_heavy_cables(machine: Machine, run: Run) -> None:
    """Warn where the ends of a heavy cable move at a frequency near the first one of the cable.

    The frequency is that at which the distance of its ends passes its mean in the run.
    """
    for rope in machine.all_ropes:
        if not rope.heavy or len(run.t) < 8:
            continue
        frequency, own = _crossings(run.t, run[f"length.{rope.name}"]), float(np.min(run[f"own_frequency.{rope.name}"]))
        if frequency > _NEAR * own:
            warn(
                f"the ends of rope '{rope.name}' of machine '{machine.name}' move at about {frequency:.3g} Hz, its own "
                f"first frequency is {own:.3g} Hz: a heavy cable is at rest at every instant here; replace it by a "
                "chain of links"
            )


def _crossings(t: Array, length: Array) -> float:
    """Frequency [Hz] at which a signal passes its mean; 0 where it hardly moves."""
    off = length - np.mean(length)
    if np.ptp(off) < _MOVES * np.mean(length):
        return 0.0
    passed = np.flatnonzero(np.signbit(off[1:]) != np.signbit(off[:-1]))
    return 0.0 if len(passed) < 3 else (len(passed) - 1) / (2.0 * float(t[passed[-1]] - t[passed[0]]))
