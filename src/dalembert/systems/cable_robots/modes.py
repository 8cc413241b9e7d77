"""Linearised frequencies of a constrained machine at rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis.modal import machine_modes
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.model.machine import Machine

__all__ = ["frequencies"]


def frequencies(
    machine: Machine | EquationsOfMotion,
    q: ArrayLike,
    *,
    locked: Sequence[str] = (),
    u: ArrayLike | None = None,
    allow_singular: bool = False,
    t: float = 0.0,
    p: Any = None,
) -> Array:
    """Natural frequencies [Hz] about a rest position, ascending; imaginary ones (unstable) are returned as negative.

    On the motions that the constraints allow, ``N`` the null space of ``J``: ``N^T M N``, ``N^T (K + dJ^T lambda) N``.
    The shapes, and damping, are those of `dalembert.analysis.modal.machine_modes`; state-space models come from
    `dalembert.linearize`.

    Parameters
    ----------
    machine
        The machine, or its equations.
    q
        Configuration at rest.
    locked
        Joints that do not move, such as winches with their brakes on.
    u
        Torques of the winches that are not locked; default the least ones that hold the platform. They set the
        tensions of redundant robots, and so their stiffness.
    allow_singular
        Whether to accept a singular position, as of `dalembert.linearize`: a symmetric platform on four locked winches
        is in one.
    t, p
        Time and parameter values.
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine, backend="vm")
    return machine_modes(eom, q, locked=locked, u=u, allow_singular=allow_singular, t=t, p=p).frequencies / (2 * np.pi)
