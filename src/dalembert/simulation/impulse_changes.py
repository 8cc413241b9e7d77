"""Changes of the impulses of solved steps: linear equations that may depend on each other.

Impulses that the equations leave undetermined are those of the pseudo-inverse, unless the motion depends on them
(`ImpulseChoice`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalembert.core.types import Array
from dalembert.simulation.step_maps import Lack

__all__ = ["ImpulseChanges", "ImpulseChoice", "solve_changes"]

_RANK = 1e-10  # part of the largest singular value below which a direction of impulses has no effect
_ROUNDING = 1e-11  # part of the largest term of equations that is rounding
_SINGULAR = 1e9  # condition of the equations of a choice from which on they determine nothing
_TURNS = 1e-9  # part of its velocities that impulses along a free direction may leave


@dataclass(frozen=True, eq=False)
class ImpulseChoice:
    """Impulses of a step along which nothing is determined by its equations, but motion depends on them.

    Contacts that slip in different directions move a body by their shares of its load. The rule of equal compliance
    (``engine/stepping/unique.c``) selects the shares for which ``N^T x = 0`` holds for all combinations N of rows that
    do not move with ``N^T Y = 0``. With ``x = Y Y^T a`` the derivative of this condition is
    ``N^T dx = N^T d(Y Y^T) a``.
    """

    step: int
    N: Array
    free: Array
    firm: NDArray[np.bool_]

    @property
    def unique(self) -> bool:
        """Whether the rule determines the impulses."""
        return bool(np.linalg.cond(self.N.T @ self.free) < _SINGULAR)

    def share(self, x: Array, W: Array) -> Array:
        """Impulses a of the rows that do not move."""
        a, held = np.zeros(len(x)), np.flatnonzero(self.firm)
        a[held] = np.linalg.pinv(W[np.ix_(held, held)], rcond=_RANK, hermitian=True) @ x[held]
        return a

    def apply(self, change: Array, turned: Array) -> None:
        """Add what the choice needs to the changes of the impulses (D, rows), from the derivatives of ``Y Y^T a``."""
        lack = (change[self.step] - turned) @ self.N
        change[self.step] -= np.linalg.solve(self.N.T @ self.free, lack.T).T @ self.free.T


@dataclass(frozen=True, eq=False)
class ImpulseChanges:
    """Changes of unknowns along directions, (N, D, unknowns), with the singular vectors of their equations."""

    change: Array
    U: Array
    Vt: Array
    full: NDArray[np.bool_]
    weights: Array

    @property
    def some(self) -> NDArray[np.int64]:
        """Steps with equations that depend on each other."""
        return np.flatnonzero(~self.full.all(axis=1))

    def choices(self, firm: NDArray[np.bool_], W: Array) -> list[ImpulseChoice]:
        """Return the undetermined impulses on which the motion depends."""
        found = []
        for i in self.some:
            free = self.Vt[i][~self.full[i]].T / self.weights[i][:, None]
            if np.abs(W[i] @ free).max() <= _TURNS * (np.abs(W[i]) @ np.abs(free)).max():
                continue
            N = self.U[i][:, ~self.full[i]] / self.weights[i][:, None] * firm[i][:, None]
            found.append(ImpulseChoice(int(i), N, free, firm[i]))
        return found

    def apply(self, slope: Array, start: int, given: Array, names: Sequence[str]) -> list[Lack]:
        """Add the derivatives along the unknowns to those along the directions.

        Where equations depend on each other, they hold only along some directions: return by how much they fail.
        """
        D, count, some = given.shape[1], self.change.shape[2], self.some
        slope[:, :D] += self.change @ slope[:, start : start + count]
        U = self.U[some] * ~self.full[some, None, :]
        missing = given[some] @ U @ np.swapaxes(U, 1, 2)
        sizes = [np.abs(entry).max(axis=(1, 2), initial=0.0) for entry in (missing, given[some])]
        fails = sizes[0] > _ROUNDING * sizes[1]
        return [Lack(int(some[k]), missing[k], given[some[k]], tuple(names)) for k in np.flatnonzero(fails)]


def solve_changes(equations: Array, start: int, count: int, D: int, weights: Array) -> ImpulseChanges:
    """Solve for the unknowns along the first D directions, by the pseudo-inverse."""
    K = np.swapaxes(equations[:, start : start + count], 1, 2) / weights[:, None, :]
    U, s, Vt = np.linalg.svd(K)
    full = s > _RANK * s[:, :1]
    inverse = np.where(full, 1.0 / np.where(full, s, 1.0), 0.0)
    change = -((equations[:, :D] @ U * inverse[:, None, :]) @ Vt) / weights[:, None, :]
    return ImpulseChanges(change, U, Vt, full, weights)
