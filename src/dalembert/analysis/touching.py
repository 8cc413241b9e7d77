"""Closed contacts in a configuration, for analyses that do not support them."""

from __future__ import annotations

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["refuse_touching"]

_CLOSED = 1e-6
"""Gap [m] below which a contact is closed."""


def refuse_touching(eom: EquationsOfMotion, q: Array, p: Array, what: str) -> None:
    """Raise an error that names a contact that is closed at q, or the colliders of the machine.

    Parameters
    ----------
    eom
        The equations.
    q
        Coordinates of the formulation.
    p
        Values of the parameters.
    what
        The analysis, for the message.
    """
    machine = eom.machine
    if machine.colliders:
        raise InputError(
            f"machine '{machine.name}' has colliders: {what} does not support them; leave them out, or keep bodies in "
            "place by constraints"
        )
    if not machine.contacts or not eom.formulation.machine_coordinates:
        return
    gaps = np.atleast_1d(eom.contact_gaps(q, p=p))
    least = int(np.argmin(gaps))
    if gaps[least] < _CLOSED:
        raise InputError(
            f"contact '{eom.contact_names[least]}' of machine '{machine.name}' is closed there (gap {gaps[least]:.3g} "
            f"m): {what} does not support contact forces; lift the machine, or make contacts that stick constraints by "
            "analysis.with_sticking_contacts"
        )
