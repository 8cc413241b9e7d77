"""References of cranes: the trolley's, and those of all coordinates while the payload moves smoothly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from dalembert.control.linearize import linearize
from dalembert.core.errors import InputError
from dalembert.core.parameter import nominal
from dalembert.model.machine import Machine
from dalembert.plan.flat import LoadReference
from dalembert.systems.cranes.coordinates import Columns, hanging

__all__ = ["PayloadTransport", "sway_frequencies"]


def sway_frequencies(machine: Machine, at: dict[str, float] | None = None) -> np.ndarray[Any, Any]:
    """Frequencies of the hanging crane with trolley, bridge and winch held [rad/s], ascending."""
    col = Columns(machine)
    state = hanging(machine) | (at or {})
    driven = [m.joint for m in machine.motors]
    held = {name: state[name] for name in (*driven, *(col.names[i] for i in col.cart)) if name in state}
    locked = machine.lock(held)
    plant = linearize(locked, {name: state[name] for name in locked.q_names})
    n = len(locked.v_names)
    A = np.asarray(plant.A)
    squares = -np.linalg.eigvals(A[n:, :n])  # losses do not count
    return np.sort(np.sqrt(np.maximum(squares.real, 0.0)))


@dataclass(frozen=True)
class PayloadTransport:
    """All coordinates of a planar crane while its payload follows a smooth horizontal reference.

    The trolley leads by ``y''/w^2`` and the cable leans as a whole by ``theta_1 = -y''/g``; lengths stay. It is exact
    for N = 1 and small angles. Use it where a law takes a reference for all coordinates, or ``.trolley`` where it takes
    one for the driven joints of a crane of fixed lengths.

    Parameters
    ----------
    machine
        A planar crane.
    load
        Horizontal reference of the payload.
    """

    machine: Machine
    load: Callable[[Any], Any]

    def __post_init__(self) -> None:
        if Columns(self.machine).spatial:
            raise InputError("PayloadTransport is for planar cranes; use one LoadReference per rail in 3-D")

    @property
    def trolley(self) -> LoadReference:
        """Reference of the trolley."""
        return LoadReference(self.load, float(sway_frequencies(self.machine)[0]))

    def __call__(self, t: Any) -> Any:
        """Coordinates at time ``t``."""
        reference = self.trolley
        q: dict[str, Any] = dict(hanging(self.machine))
        q["x"] = reference(t)
        q["theta1"] = reference.acceleration(t) / nominal(self.machine.gravity[2])
        return ca.vertcat(*[q[name] for name in self.machine.q_names])
