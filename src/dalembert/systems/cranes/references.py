"""References of cranes: the trolley's, and those of all coordinates while the payload moves smoothly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert.analysis.linearize import linearize
from dalembert.core.errors import InputError
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.formulations.equations import derive
from dalembert.model.machine import Machine
from dalembert.plan.flat import LoadReference
from dalembert.plan.references import Positions, Time
from dalembert.plan.shaping import excitation
from dalembert.systems.cranes.coordinates import Columns, hanging

__all__ = ["PayloadTransport", "residual_sway", "sway_omega"]


def sway_omega(machine: Machine, at: dict[str, float] | None = None) -> Array:
    """Frequencies of the hanging crane with trolley, bridge and winch held [rad/s], ascending."""
    col = Columns(machine)
    state = hanging(machine, **(at or {}))
    driven = [m.joint for m in machine.motors]
    held = {name: state[name] for name in (*driven, *(col.names[i] for i in col.cart)) if name in state}
    locked = machine.lock(held)
    plant = linearize(locked, {name: state[name] for name in locked.q_names})
    n = len(locked.v_names)
    A = np.asarray(plant.A)
    squares = -np.linalg.eigvals(A[n:, :n])  # losses do not count
    return np.sort(np.sqrt(np.maximum(squares.real, 0.0)))


def residual_sway(machine: Machine, reference: Callable[[Time], Positions], end: float) -> Array:
    """Sway that a trolley leaves behind when it follows a reference exactly, mode by mode, by linear theory [rad].

    The mode ``phi`` with frequency ``w`` (mass-normalised) swings the line from trolley to payload by
    ``(s^T phi) (phi^T M_x) |int r'' exp(-i w t) dt| / w``, with the sway ``s^T q`` and the inertial coupling ``M_x`` of
    the hanging crane. For one link this is ``w |int ..|/g``.

    Parameters
    ----------
    machine
        A planar crane.
    reference
        Position of the trolley as a function of time.
    end
        Time at which it rests [s].

    Returns
    -------
    ndarray
        Amplitudes, in the order of `sway_omega`.
    """
    from scipy.linalg import eigh

    if Columns(machine).spatial:
        raise InputError("residual_sway is for planar cranes; in 3-D use the planar crane of each rail")
    eom = derive(machine, backend="vm")
    at = hanging(machine)
    q0 = np.array([at[name] for name in machine.q_names])
    driven = {"x", *(motor.joint for motor in machine.motors)}
    free = [i for i, name in enumerate(machine.q_names) if name not in driven]
    s = eom.symbolic
    force = ca.substitute(s.bias, s.v, ca.SX.zeros(eom.nv))
    stiffness = ca.Function("K", [s.q, s.p], [ca.jacobian(force, s.q)])(q0, eom.parameter_values(None))
    M, K = eom.mass_matrix(q0), np.array(stiffness.full())
    squares, modes = eigh(K[np.ix_(free, free)], M[np.ix_(free, free)])
    w = np.sqrt(squares)
    line = eom.jacobian("payload", q0, axes="world")[0, free] / -eom.pose("payload", q0)[2, 3]
    coupling = M[free, machine.q_names.index("x")]
    return np.abs((line @ modes) * (modes.T @ coupling)) * excitation(reference, w, end) / w


@dataclass(frozen=True)
class PayloadTransport:
    """All coordinates of a crane while its payload follows a smooth horizontal reference.

    The trolley leads by ``y''/w^2`` and the cable leans as a whole by ``theta_1 = -y''/g``; in 3-D the bridge and
    ``phi_1`` do the same. Lengths stay. It is exact for N = 1 and small angles. Use it where a law takes a reference
    for all coordinates, or ``.trolley`` where it takes one for the driven joints of a crane of fixed lengths.

    Parameters
    ----------
    machine
        A crane.
    load
        Horizontal reference of the payload: one component per rail, in the order of the machine's coordinates
        (``x``; ``y, x`` in 3-D).
    """

    machine: Machine
    load: Callable[[Time], Positions]

    def __post_init__(self) -> None:
        if not callable(self.load):
            raise InputError(f"PayloadTransport: the load must be a function of time, got {self.load!r}")
        rails = [self.machine.q_names[i] for i in Columns(self.machine).cart]
        sample = ca.SX(self.load(ca.SX.sym("t")))
        if sample.numel() != len(rails):
            raise InputError(
                f"PayloadTransport: the load of crane '{self.machine.name}' must have {len(rails)} "
                f"component{'s' if len(rails) > 1 else ''} ({', '.join(rails)}), got {sample.numel()}"
            )

    @property
    def trolley(self) -> LoadReference:
        """Reference of the trolley (and, before it, of the bridge)."""
        return LoadReference(self.load, float(sway_omega(self.machine)[0]))

    def __call__(self, t: Time) -> Positions:
        """Coordinates at time ``t``."""
        reference = self.trolley
        position, lean = reference(t), reference.acceleration(t) / nominal(self.machine.gravity[2])
        q: dict[str, Positions | float] = dict(hanging(self.machine))
        for k, i in enumerate(Columns(self.machine).cart):
            rail = self.machine.q_names[i]
            q[rail] = position[k]
            q["theta1" if rail == "x" else "phi1"] = lean[k]
        return ca.vertcat(*[q[name] for name in self.machine.q_names])
