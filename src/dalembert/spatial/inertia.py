"""Inertia of rigid and articulated bodies as three 3x3 blocks.

With twists ordered linear then angular, ``t = [v; w]``, the mass matrix of a body at its frame is

    M = [ A    B ]      rigid body:  A = m 1,  B = -c^x,  D = I_o      SPACE (4.8)
        [ B^T  D ]

with the first moment ``c = m p_G`` and the inertia ``I_o`` about the frame's origin. An articulated inertia has the
same
symmetry with general blocks. The blocks are kept apart so that every product uses the structure and mirrors what is
symmetric.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from dalembert.core.types import Expression
from dalembert.spatial.rotations import cross_matrix

__all__ = ["Inertia", "symmetric"]


def symmetric(X: Expression) -> Expression:
    """Mirror the upper triangle of a 3x3 matrix, so that equal entries are one expression."""
    return ca.triu2symm(ca.triu(X))


@dataclass(frozen=True)
class Inertia:
    """Blocks of a symmetric 6x6 inertia at a frame."""

    A: Expression
    B: Expression
    D: Expression

    @staticmethod
    def rigid(m: Expression | float, c: Expression, I_o: Expression) -> Inertia:
        """Inertia of a rigid body with mass ``m``, first moment ``c`` and inertia ``I_o`` about the frame's origin."""
        return Inertia(m * ca.SX.eye(3), -cross_matrix(c), symmetric(I_o))

    @staticmethod
    def zero() -> Inertia:
        """Inertia of nothing."""
        return Inertia(ca.SX(3, 3), ca.SX(3, 3), ca.SX(3, 3))

    def __add__(self, other: Inertia) -> Inertia:
        return Inertia(self.A + other.A, self.B + other.B, self.D + other.D)

    def times(self, v: Expression, w: Expression) -> tuple[Expression, Expression]:
        """Linear and angular part of ``M [v; w]``."""
        return self.A @ v + self.B @ w, self.B.T @ v + self.D @ w

    def in_parent(self, R: Expression, p: Expression) -> Inertia:
        """Congruence ``X^T M X``: the same inertia seen from a frame in which this one has pose ``(R, p)``."""
        return self.rotated(R).shifted(p)

    def rotated(self, R: Expression) -> Inertia:
        """The same inertia in other axes, in which this one's have the rotation ``R``."""
        return Inertia(symmetric(R @ self.A @ R.T), R @ self.B @ R.T, symmetric(R @ self.D @ R.T))

    def shifted(self, p: Expression) -> Inertia:
        """The same inertia at a parallel frame in which this one's origin is at ``p``."""
        P = cross_matrix(p)
        G = self.B - self.A @ P
        return Inertia(self.A, G, symmetric(self.D + P @ G + (P @ self.B).T))

    def turned(self, k: int, c: Expression | float, s: Expression | float) -> Inertia:
        """Congruence with a rotation about coordinate axis ``k``, given its cosine and sine.

        Half the operations of two matrix products: with ``i, j`` the other axes and
        ``u = s (X_jj - X_ii) - c (X_ij + X_ji)`` the entries turn into ``X_ii + s u``, ``X_jj - s u``, ``-c u - X_ji``
        and ``-c u - X_ij``.
        """
        return Inertia(_turned(self.A, k, c, s, True), _turned(self.B, k, c, s, False), _turned(self.D, k, c, s, True))

    def minus_outer(self, phi: Expression, phi_bar: Expression) -> Inertia:
        """Elimination step ``M - phi phi_bar^T`` (symmetric by construction), SPACE (A.34)."""
        return Inertia(
            symmetric(self.A - phi[:3, :] @ phi_bar[:3, :].T),
            self.B - phi[:3, :] @ phi_bar[3:, :].T,
            symmetric(self.D - phi[3:, :] @ phi_bar[3:, :].T),
        )

    def matrix(self) -> Expression:
        """The full 6x6 matrix."""
        return ca.vertcat(ca.horzcat(self.A, self.B), ca.horzcat(self.B.T, self.D))


def _turned(X: Expression, k: int, c: Expression | float, s: Expression | float, mirror: bool) -> Expression:
    i, j = (k + 1) % 3, (k + 2) % 3
    u = s * (X[j, j] - X[i, i]) - c * (X[i, j] + X[j, i])
    Y = ca.SX(3, 3)
    Y[i, i], Y[j, j], Y[k, k] = X[i, i] + s * u, X[j, j] - s * u, X[k, k]
    Y[i, j] = -c * u - X[j, i]
    Y[i, k], Y[j, k] = c * X[i, k] - s * X[j, k], s * X[i, k] + c * X[j, k]
    if mirror:
        Y[j, i], Y[k, i], Y[k, j] = Y[i, j], Y[i, k], Y[j, k]
    else:
        Y[j, i] = -c * u - X[i, j]
        Y[k, i], Y[k, j] = c * X[k, i] - s * X[k, j], s * X[k, i] + c * X[k, j]
    return Y
