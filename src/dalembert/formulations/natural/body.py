"""A rigid body in natural coordinates: two points and two unit vectors (CDPR, section 3.3).

    q = (r_i, r_j, v_i, v_j),    X = [r_j - r_i, v_i, v_j]                                     CDPR (6), (7)

All functions take CasADi or NumPy values and return CasADi matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.types import Array, Expression, ExpressionLike
from dalembert.spatial.rotations import cross_matrix

__all__ = [
    "ORTHONORMAL",
    "NaturalBasis",
    "angular_velocity",
    "coordinates_of",
    "euler_zyx",
    "mass_matrix",
    "point_matrix",
    "rigid_constraints",
    "rotation",
    "torque_force",
    "torque_force_pair",
    "vector_matrix",
]


@dataclass(frozen=True)
class NaturalBasis:
    """Points and unit vectors of a body, in its own frame.

    Parameters
    ----------
    r_i, r_j
        Basic points.
    v_i, v_j
        Unit vectors; with ``r_j - r_i`` they must not lie in a plane.
    """

    r_i: tuple[float, float, float] = (0.0, 0.0, 0.0)
    r_j: tuple[float, float, float] = (1.0, 0.0, 0.0)
    v_i: tuple[float, float, float] = (0.0, 1.0, 0.0)
    v_j: tuple[float, float, float] = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        for name in ("v_i", "v_j"):
            if abs(np.linalg.norm(getattr(self, name)) - 1.0) > 1e-9:
                raise InputError(f"{name} of a natural basis must be a unit vector, got {getattr(self, name)}")
        if abs(np.linalg.det(self.X)) < 1e-9:
            raise InputError("r_j - r_i, v_i and v_j of a natural basis must not lie in a plane")

    @property
    def X(self) -> Array:
        """``X`` in the body frame, CDPR (8)."""
        return np.column_stack([np.subtract(self.r_j, self.r_i), self.v_i, self.v_j])

    @property
    def inverse(self) -> ca.DM:
        """Inverse of `X`."""
        return ca.DM(np.linalg.inv(self.X))


ORTHONORMAL = NaturalBasis()
"""Origin and axes of the body frame."""


def _matrix(q: ExpressionLike) -> Any:
    """``X`` of CDPR (7)."""
    return ca.horzcat(q[3:6] - q[:3], q[6:9], q[9:12])


def mass_matrix(
    m: Expression | float, com: ExpressionLike, J_cm: ExpressionLike, basis: NaturalBasis = ORTHONORMAL
) -> Any:
    """Constant mass matrix, CDPR (9) to (13).

    Parameters
    ----------
    m, com, J_cm
        Mass, centre of mass and inertia about it, in the body frame.
    basis
        The natural coordinates.
    """
    d = ca.vertcat(*[com[k] for k in range(3)]) - ca.DM(basis.r_i)
    J_i = ca.trace(J_cm) / 2 * ca.DM.eye(3) - J_cm + m * (d @ d.T)  # (13)
    a = basis.inverse @ d  # (10)
    Z = basis.inverse @ J_i @ basis.inverse.T  # (11)
    blocks = [[m - 2 * m * a[0] + Z[0, 0], *(m * a[k] - Z[0, k] for k in range(3))]]
    blocks += [[m * a[k] - Z[k, 0], *(Z[k, j] for j in range(3))] for k in range(3)]
    scalars = ca.vertcat(*[ca.horzcat(*row) for row in blocks])
    return ca.kron(scalars, ca.DM.eye(3))  # (9)


def vector_matrix(vector: ExpressionLike, basis: NaturalBasis = ORTHONORMAL) -> Any:
    """Matrix that takes the coordinates to a vector fixed in the body: free-vector form of CDPR (16), used in (19)."""
    c = basis.inverse @ ca.vertcat(*[vector[k] for k in range(3)])
    return ca.kron(ca.horzcat(-c[0], c[0], c[1], c[2]), ca.DM.eye(3))


def point_matrix(point: ExpressionLike, basis: NaturalBasis = ORTHONORMAL) -> Any:
    """Matrix ``C_p`` that takes the coordinates to a point of the body, CDPR (16)."""
    arm = ca.vertcat(*[point[k] for k in range(3)]) - ca.DM(basis.r_i)
    first = ca.kron(ca.DM([[1.0, 0.0, 0.0, 0.0]]), ca.DM.eye(3))
    return first + vector_matrix(arm, basis)


def rigid_constraints(q: ExpressionLike, basis: NaturalBasis = ORTHONORMAL) -> Any:
    """The six conditions of a rigid body, CDPR (14)."""
    X, X_0 = _matrix(q), basis.X
    pairs = [(0, 0), (2, 2), (1, 1), (0, 2), (0, 1), (2, 1)]
    return ca.vertcat(*[ca.dot(X[:, i], X[:, j]) - float(X_0[:, i] @ X_0[:, j]) for i, j in pairs])


def rotation(q: ExpressionLike, basis: NaturalBasis = ORTHONORMAL) -> Any:
    """Rotation matrix of the body: global X times the inverse of the local one."""
    return _matrix(q) @ basis.inverse


def angular_velocity(q: ExpressionLike, qdot: ExpressionLike, basis: NaturalBasis = ORTHONORMAL) -> Any:
    """Angular velocity in world axes: ``S(w) = X' X^-1`` with the *global* X (CDPR prints the local one).

    For a rigid body only the skew part is left; taking it keeps the result smooth off the constraints.
    """
    R, Rdot = rotation(q, basis), rotation(qdot, basis)
    W = Rdot @ R.T
    return ca.vertcat(W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]) / 2


def torque_force(q: ExpressionLike, w: ExpressionLike) -> Any:
    """Force of a torque ``w`` (world axes) on the coordinates, by virtual work and without singularity.

    ``[f_1 f_2 f_3] = S(w) X^-T / 2``, ``f = (-f_1, f_1, f_2, f_3)``; replaces CDPR (17).
    """
    F = cross_matrix(w) @ ca.inv(_matrix(q)).T / 2
    return ca.vertcat(-F[:, 0], F[:, 0], F[:, 1], F[:, 2])


def torque_force_pair(q: ExpressionLike, w: ExpressionLike, basis: NaturalBasis = ORTHONORMAL) -> Any:
    """Force of a torque as a pair of forces, CDPR (17) corrected.

    The pair acts at the ends of the unit vector ``v = (r_j - r_i) x w / |..|``, which must not vanish. The force is
    ``w x v`` (printed is one parallel to its own arm): ``f = (C_{r_i + v} - C_{r_i})^T (w x v)``.
    """
    arm = ca.cross(q[3:6] - q[:3], w)
    v = arm / ca.norm_2(arm)
    local = rotation(q, basis).T @ v
    return vector_matrix(local, basis).T @ ca.cross(w, v)


def euler_zyx(R: ExpressionLike) -> Any:
    """Z-Y-X angles (alpha about z, beta about y, gamma about x) of a rotation matrix; beta in [-pi/2, pi/2]."""
    beta = ca.atan2(-R[2, 0], ca.sqrt(R[0, 0] ** 2 + R[1, 0] ** 2))
    return ca.vertcat(ca.atan2(R[1, 0], R[0, 0]), beta, ca.atan2(R[2, 1], R[2, 2]))


def coordinates_of(R: ExpressionLike, p: ExpressionLike, basis: NaturalBasis = ORTHONORMAL) -> Any:
    """Natural coordinates of a body with the rotation ``R`` and its frame's origin at ``p``."""
    points = [p + R @ ca.DM(x) for x in (basis.r_i, basis.r_j)]
    return ca.vertcat(*points, R @ ca.DM(basis.v_i), R @ ca.DM(basis.v_j))
