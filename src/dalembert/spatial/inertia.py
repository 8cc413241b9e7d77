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
from typing import Any

import casadi as ca

from dalembert.spatial.rotations import cross_matrix

__all__ = ["Inertia", "symmetric"]


def symmetric(X: Any) -> Any:
    """Mirror the upper triangle of a 3x3 matrix, so that equal entries are one expression."""
    return ca.triu2symm(ca.triu(X))


@dataclass(frozen=True)
class Inertia:
    """Blocks of a symmetric 6x6 inertia at a frame."""

    A: Any
    B: Any
    D: Any

    @staticmethod
    def rigid(m: Any, c: Any, I_o: Any) -> Inertia:
        """Inertia of a rigid body with mass ``m``, first moment ``c`` and inertia ``I_o`` about the frame's origin."""
        return Inertia(m * ca.SX.eye(3), -cross_matrix(c), symmetric(I_o))

    @staticmethod
    def zero() -> Inertia:
        """Inertia of nothing."""
        return Inertia(ca.SX(3, 3), ca.SX(3, 3), ca.SX(3, 3))

    def __add__(self, other: Inertia) -> Inertia:
        return Inertia(self.A + other.A, self.B + other.B, self.D + other.D)

    def times(self, v: Any, w: Any) -> tuple[Any, Any]:
        """Linear and angular part of ``M [v; w]``."""
        return self.A @ v + self.B @ w, self.B.T @ v + self.D @ w

    def in_parent(self, R: Any, p: Any) -> Inertia:
        """Congruence ``X^T M X``: the same inertia seen from a frame in which this one has pose ``(R, p)``."""
        A = symmetric(R @ self.A @ R.T)
        B = R @ self.B @ R.T
        D = symmetric(R @ self.D @ R.T)
        P = cross_matrix(p)
        G = B - A @ P
        return Inertia(A, G, symmetric(D + P @ G + (P @ B).T))

    def minus_outer(self, phi: Any, phi_bar: Any) -> Inertia:
        """Elimination step ``M - phi phi_bar^T`` (symmetric by construction), SPACE (A.34)."""
        return Inertia(
            symmetric(self.A - phi[:3, :] @ phi_bar[:3, :].T),
            self.B - phi[:3, :] @ phi_bar[3:, :].T,
            symmetric(self.D - phi[3:, :] @ phi_bar[3:, :].T),
        )

    def matrix(self) -> Any:
        """The full 6x6 matrix."""
        return ca.vertcat(ca.horzcat(self.A, self.B), ca.horzcat(self.B.T, self.D))
