"""Energy of machines with beams: how much is in their motion as if they were rigid, and how much in vibration.

The mass matrix is split into the rates ``r`` of joints and ``e`` of modes. With the momenta ``p_r = M_rr r + M_re e``
of the joints, ``T = p_r^T M_rr^-1 p_r / 2 + e^T (M_ee - M_er M_rr^-1 M_re) e / 2``: the first term is the energy of the
same machine with its beams kept in their shape and with the same momenta, which no impulse along modes can change; the
second is that of the vibration. Both are never negative, and there is no term between them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion, Parameters, derive

__all__ = ["EnergySplit", "energy_split"]


@dataclass(frozen=True, eq=False)
class EnergySplit:
    """Parts of the energy [J], each of shape (...).

    Parameters
    ----------
    motion
        Kinetic energy of the machine as if its beams kept their shapes.
    vibration
        Kinetic energy of the vibration.
    strain
        Energy stored in bending, torsion and stretching of beams, and in springs that move with them.
    potential
        The rest of the potential energy: weight, joint springs.
    """

    motion: Array
    vibration: Array
    strain: Array
    potential: Array

    @property
    def total(self) -> Array:
        """All of it."""
        return self.motion + self.vibration + self.strain + self.potential

    @property
    def flexible(self) -> Array:
        """Kinetic energy of the vibration and strain."""
        return self.vibration + self.strain


def energy_split(
    equations: EquationsOfMotion, q: ArrayLike, v: ArrayLike, *, t: float = 0.0, p: Parameters = None
) -> EnergySplit:
    """Split the energy of states into motion and vibration.

    Parameters
    ----------
    equations
        Equations of motion in the coordinates of the machine.
    q, v
        Coordinates and velocities (..., nq), (..., nv): of a run, ``run.array(equations.q_names)`` and so on.
    t, p
        Time and parameter values.

    Raises
    ------
    InputError
        If the machine has no beams with modes, or the equations are in other coordinates.
    """
    machine = equations.machine
    roots = [node for node in machine.tree.nodes if node.modal_v.stop > node.modal_v.start]
    if not roots:
        raise InputError(f"machine '{machine.name}' has no beams with modes: its energy has no vibration to split off")
    if not equations.formulation.machine_coordinates:
        raise InputError("energies are split in the coordinates of the machine: use by='newton-euler' or 'lagrange'")
    x, w = as_numbers(q).copy(), as_numbers(v).copy()
    modal = np.zeros(machine.nv, dtype=bool)
    straight = x.copy()
    for node in roots:
        modal[node.modal_v] = True
        straight[..., node.modal_q] = 0.0
    M = equations.mass_matrix(x, p=p)
    rigid = M[..., ~modal, :]
    momenta = (rigid @ w[..., None])[..., 0]
    locked = np.linalg.solve(rigid[..., ~modal], momenta[..., None])[..., 0]
    motion = np.sum(momenta * locked, axis=-1) / 2
    energy = equations.energy(x, w, t=t, p=p)
    floating = equations.kept.once("weightless", (), lambda: derive(machine.with_(gravity=(0.0, 0.0, 0.0))))
    rest = np.zeros_like(w)
    strain = floating.energy(x, rest, t=t, p=p).potential - floating.energy(straight, rest, t=t, p=p).potential
    return EnergySplit(motion, energy.kinetic - motion, strain, energy.potential - strain)
