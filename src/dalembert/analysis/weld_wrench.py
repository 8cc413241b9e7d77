"""Force and torque in a weld that closes a loop: what two arms do to each other through what they hold."""

from __future__ import annotations

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion, MachineOrEquations, Parameters, derive
from dalembert.model.constraints import WeldConstraint
from dalembert.spatial.alignment import rotation_error
from dalembert.spatial.rotations import quaternion_exp, quaternion_matrix

__all__ = ["weld_wrench"]


def weld_wrench(
    machine: MachineOrEquations, name: str, q: ArrayLike, multipliers: ArrayLike, *, p: Parameters = None
) -> Array:
    """Force and torque on the frame of a weld, at its origin in world axes, (..., 6); the other side has the opposite.

    The rates of the rows of a closed weld are ``R_o^T (v - v_o)`` and ``E R^T (w - w_o)``, with the rotation ``R`` of
    the frame and a constant matrix ``E``; by their power the multipliers ``l`` are ``f = -R_o l_p``,
    ``n = -R E^T l_r``.

    Parameters
    ----------
    machine
        The machine, or its equations.
    name
        The weld.
    q
        Coordinates of the machine (..., nq), with the weld closed.
    multipliers
        Its six multipliers (..., 6): those that runs record as ``multiplier.NAME[0]`` and so on.
    p
        Parameter values.
    """
    derived = machine if isinstance(machine, EquationsOfMotion) else derive(machine)
    eom = derived if derived.formulation.machine_coordinates else derived.in_machine_coordinates()
    welds = {c.name: c for c in eom.machine.constraints if isinstance(c, WeldConstraint)}
    if name not in welds:
        raise UnknownNameError("weld", name, welds, f"machine '{eom.machine.name}'")
    try:
        l = as_numbers(multipliers)
    except (TypeError, ValueError):
        l = np.zeros(0)
    if l.shape[-1:] != (6,):
        raise InputError(f"multipliers of a weld must be 6 numbers, got shape {l.shape}")
    one = welds[name]
    R, other = (eom.pose(frame, q, p=p)[..., :3, :3] for frame in (one.frame, one.other))
    w = ca.SX.sym("w", 3)
    rows = ca.jacobian(rotation_error(quaternion_matrix(quaternion_exp(w))), w)
    E = np.array(ca.Function("E", [w], [ca.densify(rows)])(np.full(3, 1e-9)))
    f = np.einsum("...ij,...j->...i", other, l[..., :3])
    n = np.einsum("...ij,...j->...i", R @ E.T, l[..., 3:])
    return np.asarray(-np.concatenate([f, n], axis=-1))
