"""Generalised forces of a call, from forces and inputs that are given in order or by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.states import named_vector
from dalembert.core.types import Array
from dalembert.formulations.states import Parameters, plain_numbers

if TYPE_CHECKING:
    from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["forces_of"]


def forces_of(
    eom: EquationsOfMotion,
    state: tuple[ArrayLike, ArrayLike],
    tau: ArrayLike | Mapping[str, float] | None,
    u: ArrayLike | Mapping[str, float] | None,
    t: float,
    p: Parameters,
) -> Array:
    """Generalised forces (..., nv): ``tau``, plus the forces that inputs ``u`` cause in a state.

    Parameters
    ----------
    eom
        The equations.
    state
        Coordinates and velocities.
    tau
        Forces in the order of ``v_names``, or by these names.
    u
        Inputs in the order of ``u_names``, or by these names.
    t, p
        Time, and values of the parameters.
    """
    where = f"machine '{eom.machine.name}'"
    if tau is None and u is None:
        raise InputError(
            f"forward_dynamics of {where} needs forces 'tau' (order of v_names) or inputs 'u' (order of u_names)"
        )
    total = np.zeros(eom.nv)
    if isinstance(tau, Mapping):
        for name in tau:
            if name in eom.u_names and name not in eom.v_names:
                raise InputError(f"'{name}' is an input of {where}, not a velocity: give it as u={{'{name}': ...}}")
        total = named_vector(tau, eom.v_names, total, "tau")
    elif tau is not None:
        total = plain_numbers(tau, "tau")
    if u is None:
        return total
    inputs = named_vector(u, eom.u_names, np.zeros(eom.nu), "u") if isinstance(u, Mapping) else u
    return np.asarray(total + eom.applied(*state, inputs, t=t, p=p))
