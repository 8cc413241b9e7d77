"""Elimination of a beam's modal coordinates from the articulated inertia: a step of the recursive Gaussian elimination.

With the modal block ``M_dd = L D L^T``, ``Y = L^-1 M_dr`` and ``y = L^-1 x`` (x the modal forces less their bias), the
inertia that is left is ``M_rr - Y^T D^-1 Y``, the force ``Y^T D^-1 y`` is passed on, and the modal accelerations are
``L^-T D^-1 (y - Y t')`` once the acceleration ``t'`` of the root is known (SPACE Algorithm A.3, blocks of size n_f).
"""

from __future__ import annotations

import casadi as ca

from dalembert.core.types import Expression
from dalembert.spatial.inertia import Inertia, symmetric

__all__ = ["ModalElimination"]


class ModalElimination:
    """Modal block of a beam, factorised.

    Parameters
    ----------
    M_dd
        Modal mass matrix (n x n), its lower triangle is read.
    M_dr
        Coupling to the root's twist (n x 6).
    """

    def __init__(self, M_dd: Expression, M_dr: Expression) -> None:
        n = M_dd.shape[0]
        L: list[list[Expression]] = [[ca.SX(0)] * n for _ in range(n)]
        self.inverse: list[Expression] = []
        d: list[Expression] = []
        for j in range(n):
            w = [L[j][k] * d[k] for k in range(j)]
            pivot = M_dd[j, j] - sum((L[j][k] * w[k] for k in range(j)), ca.SX(0))
            d.append(pivot)
            self.inverse.append(1 / pivot)
            for i in range(j + 1, n):
                L[i][j] = (M_dd[i, j] - sum((L[i][k] * w[k] for k in range(j)), ca.SX(0))) * self.inverse[j]
        self._L, self._n = L, n
        self._Y = self.lower(M_dr)
        self._Z = self.scaled(self._Y)

    def lower(self, b: Expression) -> Expression:
        """``L^-1 b`` (n x m)."""
        rows: list[Expression] = []
        for i in range(self._n):
            rows.append(b[i, :] - sum((self._L[i][k] * rows[k] for k in range(i)), ca.SX(1, b.shape[1])))
        return ca.vertcat(*rows)

    def scaled(self, b: Expression) -> Expression:
        """``D^-1 b`` (n x m)."""
        return ca.vertcat(*[b[i, :] * self.inverse[i] for i in range(self._n)])

    def reduced(self, M: Inertia) -> Inertia:
        """Inertia of the root with the modes free."""
        Y, Z = self._Y, self._Z
        a, b, c, d = Y[:, :3], Y[:, 3:], Z[:, :3], Z[:, 3:]
        return Inertia(symmetric(M.A - a.T @ c), M.B - a.T @ d, symmetric(M.D - b.T @ d))

    def passed_on(self, y: Expression) -> Expression:
        """Wrench that modal forces x put on the root (6); ``y = L^-1 x``."""
        return self._Y.T @ self.scaled(y)

    def accelerations(self, z: Expression, t: Expression) -> Expression:
        """Modal accelerations for the root's acceleration ``t`` and modal forces x; ``z = D^-1 L^-1 x``."""
        a = ca.vertsplit(z - self._Z @ t)
        for i in range(self._n - 1, -1, -1):
            a[i] = a[i] - sum((self._L[k][i] * a[k] for k in range(i + 1, self._n)), ca.SX(0))
        return ca.vertcat(*a)
