"""Motions that the constraints of a machine allow at a configuration, in independent displacements.

With ``J`` the Jacobian of the constraints that act, an allowed displacement is ``d = S y``: ``J S = 0``, and ``S`` is
the identity in the rows of the independent displacements ``y``. Reactions do no work on it, ``S^T J^T = 0``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.core.constraint_algebra import allowed_motions, independent_rows
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Array
from dalembert.formulations.constraints.projection import consistent_state

if TYPE_CHECKING:
    from dalembert.formulations.equations import EquationsOfMotion
    from dalembert.formulations.states import Parameters

__all__ = ["Reduction", "check_regular", "locked_rows", "present_rows", "reduce_motions"]

_NOTHING = 1e-13  # part of the longest row below which a row is one that rounding left
_STEP = 1e-4  # displacement at which the rank is checked again; its square stays below the rank tolerance


@dataclass(frozen=True, eq=False)
class Reduction:
    """Independent displacements, and all others from them.

    Parameters
    ----------
    S
        Displacements (or velocities) from the independent ones, nv x n.
    independent
        Indices of the independent ones.
    """

    S: Array
    independent: tuple[int, ...]

    @property
    def selection(self) -> Array:
        """Matrix that picks the independent displacements, n x nv."""
        return np.eye(len(self.S))[list(self.independent)]


def locked_rows(eom: EquationsOfMotion, locked: Sequence[str]) -> Array:
    """Rows that hold the velocities of joints at zero, such as those of winches with their brakes on."""
    if isinstance(locked, str):
        raise InputError(f"locked must be names of joints, got {locked!r}: write [{locked!r}]")
    blocks = {b.name: b.v for b in eom.layout.blocks}
    still: list[int] = []
    for name in locked:
        if name not in blocks:
            raise UnknownNameError("joint", name, blocks, f"machine '{eom.machine.name}'")
        still += range(blocks[name].start, blocks[name].stop)
    return np.eye(eom.nv)[still]


def reduce_motions(
    M: Array, J: Array, names: Sequence[str], where: str, independent: Sequence[str] | None = None
) -> Reduction:
    """Express all displacements by independent ones.

    Parameters
    ----------
    M, J
        Mass matrix, and Jacobian of the rows that act.
    names
        Names of the displacements.
    where
        The machine, in messages.
    independent
        Names to take; None: those that carry most of the inertia, found by QR with pivoting.
    """
    from scipy.linalg import qr

    N = allowed_motions(M, present_rows(J))
    n = N.shape[1]
    if n == 0:
        raise InputError(f"{where} cannot move there: its constraints leave no degree of freedom")
    if independent is None:
        weighted = N * np.sqrt(np.diag(M))[:, None]
        chosen = tuple(sorted(int(i) for i in qr(weighted.T, pivoting=True, mode="r")[1][:n]))
    else:
        for name in independent:
            if name not in names:
                raise UnknownNameError("displacement", name, names, where)
        chosen = tuple(list(names).index(name) for name in independent)
        if len(set(chosen)) != n:
            raise InputError(f"{where} has {n} degrees of freedom there, but 'independent' names {len(set(chosen))}")
    picked = N[list(chosen)]
    if independent_rows(picked) < n:
        taken = ", ".join(names[i] for i in chosen)
        raise InputError(f"the displacements {taken} of {where} depend on each other: they do not determine its motion")
    S = N @ np.linalg.inv(picked)
    S[list(chosen)] = np.eye(n)  # what rounding left of it
    return Reduction(S, chosen)


def present_rows(J: Array) -> Array:
    """Rows without those that vanish up to rounding, as they do where links are in one line."""
    lengths = np.linalg.norm(J, axis=-1)
    return J[lengths > _NOTHING * lengths.max(initial=0.0)]


def motions_beside(
    eom: EquationsOfMotion, q: Array, N: Array, latches: Array, *, t: float, p: Parameters, rows: Array
) -> int | None:
    """Return how many motions a position beside ``q``, along the allowed displacements ``N``, has; None: there is none.

    ``rows`` are further rows of zero velocity.
    """
    on = eom.constraint_system.activity(latches) != 0.0
    d = N @ np.random.default_rng(0).normal(size=N.shape[1])
    beside = eom.integrate(q, _STEP * d / max(float(np.abs(d).max(initial=0.0)), 1e-300))
    try:
        x = consistent_state(eom, beside, np.zeros(eom.nv), t=t, p=p, latches=latches).q
    except InputError:
        return None
    there = np.vstack([eom.constraint_jacobian(x, t=t, p=p, latches=latches)[on], rows])
    return int(allowed_motions(eom.mass_matrix(x, p=p), there).shape[1])


def check_regular(
    eom: EquationsOfMotion, q: Array, J: Array, latches: Array, *, t: float, p: Parameters, rows: Array
) -> None:
    """Refuse a singular position: one in which the constraints lose rank against positions beside it.

    Rows that are redundant everywhere are no matter. ``rows`` are further rows of zero velocity, part of ``J``.
    """
    N = allowed_motions(eom.mass_matrix(q, p=p), present_rows(J))
    beside = motions_beside(eom, q, N, latches, t=t, p=p, rows=rows)
    if beside is None or beside < N.shape[1]:
        raise InputError(
            f"machine '{eom.machine.name}' is in a singular position there: its constraints allow more displacements "
            "than motions, so it has no linear model; allow_singular=True treats the constraints as stiff instead of "
            "rigid"
        )
