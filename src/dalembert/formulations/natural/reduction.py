"""Natural coordinates seen from the machine's own: what `verify` compares with the other formulations.

With ``qdot_n = E(q) v`` the mass matrix becomes ``E^T M E``, gravity ``E^T g``, and the accelerations follow from
``a_n = E a + E' v``.
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca
import numpy as np

from dalembert.compile.kernel import Backend
from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.formulations.equations import derive
from dalembert.model.machine import Machine

__all__ = ["NaturalResults", "natural_results"]


class NaturalResults(NamedTuple):
    """Mass matrix, gravity and accelerations in machine coordinates."""

    mass_matrix: Array
    gravity: Array
    acceleration: Array


def natural_results(
    machine: Machine, q: Array, v: Array, tau: Array, *, backend: Backend = "vm"
) -> NaturalResults | None:
    """Results of the natural formulation at states (n, ..); None for machines that it does not take.

    Parameters
    ----------
    machine
        A tree without constraints.
    q, v, tau
        Coordinates, velocities and generalised forces of the machine.
    backend
        As of `equations`.
    """
    try:
        natural, tree = derive(machine, "natural", backend=backend), derive(machine, backend=backend)
        natural.symbolic.mass_matrix  # noqa: B018 -- refused here, if at all
    except InputError:
        return None
    s = tree.symbolic
    x, w = natural.formulation.from_machine(s.q, s.v, s.p)
    drift = ca.jtimes(w, s.q, s.coordinate_rate)
    f = ca.Function("map", [s.q, s.v, s.p], [ca.densify(e) for e in (x, w, ca.jacobian(w, s.v), drift)])
    made: list[tuple[Array, Array, Array]] = []
    for q_k, v_k, tau_k in zip(q, v, tau, strict=True):
        x_k, w_k, E, d = (np.array(e.full()) for e in f(q_k, v_k, machine.p_nominal))
        # Any forces on the redundant coordinates that do the work of tau will do.
        force = np.linalg.pinv(E).T @ tau_k
        a, _ = natural.constrained_dynamics(x_k[:, 0], w_k[:, 0], force)
        M, g = natural.mass_matrix(x_k[:, 0]), natural.gravity(x_k[:, 0])
        made.append((E.T @ M @ E, E.T @ g, np.linalg.lstsq(E, a - d[:, 0], rcond=None)[0]))
    M, g, a = (np.array(part) for part in zip(*made, strict=True))
    return NaturalResults(M, g, a)
