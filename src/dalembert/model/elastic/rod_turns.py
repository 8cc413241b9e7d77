"""Rotations of the sections of an exact rod on CasADi symbols, step by step.

Where sections turn about one axis only, the angle is the integral of a polynomial, so that the rotation is exact.
In space each step is ``R_1 = R_0 exp(W^)``, ``W`` the Magnus expansion of order 6 of the curvature. With

    D = dexp(W) = 1 + b W^ + c W^ W^,    exp(W^) = 1 + D W^,    b = (1 - cos w)/w^2,   c = (w - sin w)/w^3,   w = |W|,

the derivatives follow step by step, exact for the discrete rotations:

    T_1 = T_0 + R_0 D dW/d(delta),   w_1 = w_0 + R_0 y,   w_1' = w_0' + w_0 x R_0 y + R_0 y',   y = D W',
    y' = D W'' + D' W',   D' W' = (c' W.W' + c W'.W') W - (c' w^2 + c W.W') W' + b' W x W',

``T`` being the angular velocity per rate of the coordinates, ``w`` that of a section; it begins with that of the frame.
"""

from __future__ import annotations

from functools import cached_property
from math import factorial

import casadi as ca
import numpy as np

from dalembert.core.types import Array, Expression
from dalembert.model.elastic.rod_points import RodPiece, RodStep
from dalembert.spatial.inertia import symmetric
from dalembert.spatial.rotations import cross_matrix

__all__ = ["AxisTurn", "Magnus", "SpatialTurn", "sparse"]

_TERMS = 9
"""Terms of the series of b and c: rounding for steps of 1 rad, 1e-12 for steps of 2 rad."""


def sparse(x: Array) -> ca.DM:
    """Constants without their zeros, which then cost nothing."""
    return ca.sparsify(ca.DM(x))


class _Coefficients:
    """``b`` and ``c`` with their derivatives by ``t = w^2``, from Stumpff's functions ``f_k``.

    ``f_k = sum (-t)^i / (2 i + k)!``, ``b = f_2``, ``c = f_3``; ``f_k = 1/k! - t f_(k+2)`` and
    ``2 df_k/dt = k f_(k+2) - f_(k+1)``.
    """

    def __init__(self, t: Expression) -> None:
        f_4, f_5 = ca.SX(0), ca.SX(0)
        for i in range(_TERMS - 2, -1, -1):
            f_4, f_5 = f_4 * t + (-1) ** i / factorial(2 * i + 4), f_5 * t + (-1) ** i / factorial(2 * i + 5)
        self.b, self.c = 1 / 2 - t * f_4, 1 / 6 - t * f_5
        self.db, self.dc = f_4 - self.c / 2, 3 / 2 * f_5 - f_4 / 2


class Magnus:
    """``W = a_1 + a_3/12 - X x Y/240`` and its derivatives, from the generators ``a`` of a step."""

    def __init__(self, a: tuple[Expression, Expression, Expression]) -> None:
        a1, a2, a3 = a
        self.a, self._sixtieth = a, a1 / 60
        C = ca.cross(a1, a2)
        self.Z = C - 2 * a3
        self.X = 20 * a1 + a3 + C
        self.Y = ca.cross(self._sixtieth, self.Z) - a2
        self.W = a1 + a3 / 12 - ca.cross(self.X, self.Y) / 240

    def jacobians(self, A: Expression) -> tuple[Expression, Expression, Expression]:
        """``A dW/da_1, A dW/da_2, A dW/da_3`` (3 x 3) times a matrix.

        With ``N = Y^ - X^ a_1^/60`` they are ``A + A (20 Y^ - N a_2^ + X^ Z^/60)/240``, ``A (N a_1^ + X^)/240`` and
        ``A/12 + A (3 Y^ - 2 N)/240``.
        """
        a1, a2, _ = self.a
        B = A / 240
        Q, X = B @ cross_matrix(self.Y), B @ cross_matrix(self.X)
        P = Q - X @ cross_matrix(self._sixtieth)
        first = A + 20 * Q - P @ cross_matrix(a2) + X @ cross_matrix(self.Z / 60)
        return first, P @ cross_matrix(a1) + X, A / 12 + 3 * Q - 2 * P

    def rates(self, d: tuple[Expression, Expression, Expression]) -> tuple[Expression, Expression]:
        """``W'`` and ``W''`` for constant rates of the generators."""
        (a1, a2, _), (d1, d2, d3) = self.a, d
        C1, C2 = ca.cross(d1, a2) + ca.cross(a1, d2), ca.cross(d1, d2)  # C2, Y2: halves of second derivatives
        Z1 = C1 - 2 * d3
        X1 = 20 * d1 + d3 + C1
        sixtieth = d1 / 60
        Y1 = ca.cross(sixtieth, self.Z) + ca.cross(self._sixtieth, Z1) - d2
        Y2 = ca.cross(sixtieth, Z1) + ca.cross(self._sixtieth, C2)
        W1 = d1 + d3 / 12 - (ca.cross(X1, self.Y) + ca.cross(self.X, Y1)) / 240
        W2 = (ca.cross(C2, self.Y) + ca.cross(X1, Y1) + ca.cross(self.X, Y2)) / -120
        return W1, W2


class SpatialTurn:
    """A step of the rotation in space."""

    def __init__(self, step: RodStep, piece: RodPiece, delta: Expression, R: Expression) -> None:
        self._step, self._piece, self._R0 = step, piece, R
        self._magnus = Magnus(self._generators(delta, step.rest))
        W = self._W = self._magnus.W
        t = self._t = ca.dot(W, W)
        f = self._coefficients = _Coefficients(t)
        D = (1 - f.c * t) * ca.SX.eye(3) + cross_matrix(f.b * W) + symmetric((f.c * W) @ W.T)
        self._A = R @ D
        self.R = R + self._A @ cross_matrix(W)

    def _generators(self, x: Expression, rest: Array) -> tuple[Expression, Expression, Expression]:
        columns = self._piece.columns
        shares = np.zeros((3, 3, len(columns)))
        for j, c in enumerate(columns):
            if c.component < 3:
                shares[:, c.component, j] = self._step.shares[j]
        a1, a2, a3 = (sparse(rest[:, k]) + sparse(shares[k]) @ x for k in range(3))
        return a1, a2, a3

    @cached_property
    def columns(self) -> Expression:
        """``R_0 dexp(W) dW/d(delta)`` (3 x columns of the piece)."""
        by = self._magnus.jacobians(self._A)
        shares = self._step.shares
        columns = [
            sum((float(shares[j, k]) * by[k][:, c.component] for k in range(3) if shares[j, k]), ca.SX(3, 1))
            if c.component < 3
            else ca.SX(3, 1)
            for j, c in enumerate(self._piece.columns)
        ]
        return ca.horzcat(*columns)

    def rates(self, w: Expression, w_dot: Expression, rate: Expression) -> tuple[Expression, Expression]:
        """Angular velocity and acceleration behind the step."""
        W1, W2 = self._magnus.rates(self._generators(rate, np.zeros((3, 3))))
        W, f = self._W, self._coefficients
        along = ca.dot(W, W1)
        b1, c1 = 2 * along * f.db, 2 * along * f.dc
        moved = (c1 * along + f.c * ca.dot(W1, W1)) * W - (c1 * self._t + f.c * along) * W1 + b1 * ca.cross(W, W1)
        turned = self._A @ W1
        return w + turned, w_dot + ca.cross(w, turned) + self._A @ W2 + self._R0 @ moved


class AxisTurn:
    """A step of the rotation about one coordinate axis: the angle is linear in the coordinates."""

    def __init__(self, step: RodStep, piece: RodPiece, delta: Expression, angle: Expression, axis: int) -> None:
        self._axis = axis
        turned = step.shares[:, 0] + step.shares[:, 2] / 12
        self._shares = np.array([x if c.component == axis else 0.0 for x, c in zip(turned, piece.columns, strict=True)])
        rest = float(step.rest[axis, 0] + step.rest[axis, 2] / 12)
        self.angle = angle + rest + sparse(self._shares[None, :]) @ delta
        self.R = _rotation(axis, self.angle)

    @property
    def columns(self) -> Expression:
        """Constant angular velocities (3 x columns of the piece)."""
        rows = np.zeros((3, len(self._shares)))
        rows[self._axis] = self._shares
        return ca.SX(sparse(rows))

    def rates(self, w: Expression, w_dot: Expression, rate: Expression) -> tuple[Expression, Expression]:
        """Angular velocity and acceleration behind the step; the axis turns with the frame."""
        turned = self.columns @ rate
        return w + turned, w_dot + ca.cross(w, turned)


def _rotation(axis: int, angle: Expression) -> Expression:
    """Rotation about a coordinate axis, with its zeros left out."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = ca.SX(3, 3)
    R[axis, axis] = 1
    R[i, i] = R[j, j] = ca.cos(angle)
    R[j, i] = ca.sin(angle)
    R[i, j] = -R[j, i]
    return R
