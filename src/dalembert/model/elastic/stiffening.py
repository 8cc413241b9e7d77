"""Geometric stiffening of a body from finite elements: displacements of second order in its coordinates.

A body that bends without stretching moves by ``x_2``, of second order in delta: a bent rod gets shorter. The work of a
load ``f`` on that motion is minus the energy of the geometric stiffness under the stresses of ``f``,

    int f.x_2 = -delta^T K_g(f) delta / 2,

because strains of second order vanish, ``eps(x_2) + (grad u)^T (grad u) / 2 = 0``. So the geometric stiffness matrices
of twelve loads give the moments of that motion with the fields ``f_a = 1, x_0, y_0, z_0``,

    int f_a x_2c dm = delta^T Q_ac delta / 2,    Q_ac = -K_g(m f_a e_c),

and those of unit forces on a section its motion of second order. Spin, accelerations, gravity and forces on sections
stiffen or soften the body through these moments; moments on sections do not. The field with these moments and the least
kinetic energy is a combination of the ``f_a``,

    x_2c = sum_a f_a delta^T C_ac delta / 2,    sum_b A_ab C_bc = Q_ac,    A_ab = int f_a f_b dm,

and its kinetic energy is kept as it stands: a sum of squares, so that the mass matrix stays positive definite. (With
terms of second order only it does not, as for beams: ``model/elastic/shortening.py``.) With ``g_ac = int f_a X_c dm``,
``u_ac = C_ac delta`` and ``w_ac = Q_ac delta`` all additions to the integrals of ``model/elastic/modal.py`` are sums of
products of these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from dalembert.core.types import Array, Expression
from dalembert.model.elastic.integrals import ModalIntegrals

__all__ = ["SecondOrder", "StiffeningIntegrals"]

_PAIRS = ((1, 2), (2, 0), (0, 1))
_FLAT = 1e-12
"""Part of the largest eigenvalue below which a body has no extent in a direction."""


@dataclass(frozen=True, eq=False)
class StiffeningIntegrals:
    """Integrals of the motion of second order, for n coordinates.

    Parameters
    ----------
    A
        ``int f_a f_b dm`` (4 x 4).
    g
        ``int f_a X_c dm`` (4 x 3 x n).
    C
        ``C_ac`` (4 x 3 x n x n).
    sections
        By name: ``Q_c`` (3 x n x n) of the position of a section.
    """

    A: Array
    g: Array
    C: Array
    sections: Mapping[str, Array]

    @staticmethod
    def of(i: ModalIntegrals, Q: Array, sections: Mapping[str, Array]) -> StiffeningIntegrals:
        """Integrals from the moments ``Q_ac`` (4 x 3 x n x n)."""
        A = np.block([[np.full((1, 1), i.volume), i.first[None]], [i.first[:, None], i.second]])
        scale = np.sqrt(np.where(np.diag(A) > 0.0, np.diag(A), 1.0))
        inverse = np.linalg.pinv(A / np.outer(scale, scale), rcond=_FLAT) / np.outer(scale, scale)
        return StiffeningIntegrals(
            A, np.concatenate([i.V[None], i.n]), np.einsum("ab,bcij->acij", inverse, Q), sections
        )

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return int(self.C.shape[-1])

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Pairs of coordinates whose products move points."""
        return [(j, k) for j in range(self.n) for k in range(j, self.n)]

    def products(self, shares: Array) -> Array:
        """Shapes (3 x pairs) of the products of a field that is the combination ``shares`` (4) of the ``f_a``."""
        j, k = np.array(self.pairs).T
        return np.asarray(np.einsum("a,acp->cp", shares, np.where(j == k, 0.5, 1.0) * self.C[:, :, j, k]))

    def size(self, delta: Array) -> float:
        """Largest motion of second order per modal rate, as a root of its mass, for coordinates (N, n)."""
        u = np.einsum("acij,tj->taci", self.C, delta)
        return float(np.sqrt(np.einsum("ab,taci,tbci->ti", self.A, u, u).max(initial=0.0)))


class SecondOrder:
    """The additions to the integrals of a body on the symbols of its coordinates.

    Parameters
    ----------
    i
        Integrals.
    delta
        Symbols of its modal coordinates.
    constant
        Makes a sparse constant.
    """

    def __init__(self, i: StiffeningIntegrals, delta: Expression, constant: Callable[[Array], ca.DM]) -> None:
        self._delta, self._n, self._A = delta, i.n, i.A
        self._C = [[constant(i.C[a, c]) for c in range(3)] for a in range(4)]
        self._g = [[constant(i.g[a, c]) for c in range(3)] for a in range(4)]

    def _times(self, x: Expression) -> list[list[Expression]]:
        """``C_ac x``."""
        return [[C @ x for C in row] for row in self._C]

    def _weighted(self, rows: list[list[Expression]]) -> list[list[Expression]]:
        """``sum_b A_ab rows_bc``."""
        return [
            [sum((self._A[a, b] * rows[b][c] for b in range(4) if self._A[a, b]), 0 * rows[0][c]) for c in range(3)]
            for a in range(4)
        ]

    @cached_property
    def _u(self) -> list[list[Expression]]:
        return self._times(self._delta)

    @cached_property
    def _w(self) -> list[list[Expression]]:
        return self._weighted(self._u)

    @cached_property
    def _phi(self) -> list[list[Expression]]:
        """Coefficients ``delta^T C_ac delta / 2`` of the field."""
        return [[ca.dot(self._delta, ca.densify(u)) / 2 for u in row] for row in self._u]

    @cached_property
    def _s(self) -> list[list[Expression]]:
        """``int f_a (X delta)_c dm``."""
        return [[ca.dot(ca.densify(g), self._delta) for g in row] for row in self._g]

    def _on(self, b: int, c: int, rows: list[list[Expression]]) -> Expression:
        """``int x_b y_c dm`` for the field ``y_c = sum_a f_a rows_ac``."""
        weighted = self._weighted(rows)
        total = weighted[1 + b][c]
        for a in range(4):
            total = total + self._s[a][b] * rows[a][c] + self._phi[a][b] * weighted[a][c]
        return total

    def moved(self, c: Expression) -> Expression:
        """First moment with the motion of second order."""
        return c + ca.vertcat(*[ca.dot(self._delta, ca.densify(w)) / 2 for w in self._w[0]])

    def coupled(self, V: Expression) -> Expression:
        """Coupling of translation and modes."""
        return V + ca.horzcat(*self._w[0]).T

    def N(self, b: int, c: int) -> Expression:
        """Contribution to ``N_bc = int x_b (dx_c)^T dm`` (n)."""
        return self._on(b, c, self._u) + sum((self._phi[a][b] * self._g[a][c] for a in range(4)), ca.SX(self._n, 1))

    def second(self, b: int, c: int) -> Expression:
        """Contribution to ``G_bc = int x_b x_c dm``."""
        phi, weighted = self._phi, self._weighted(self._phi)
        total = weighted[1 + b][c] + weighted[1 + c][b]
        for a in range(4):
            total = total + self._s[a][b] * phi[a][c] + self._s[a][c] * phi[a][b] + phi[a][b] * weighted[a][c]
        return total

    def _outer(self, b: int, c: int) -> Expression:
        """Contribution to ``int dx_b^T dx_c dm`` (n x n)."""
        total = ca.SX(self._n, self._n)
        for a in range(4):
            total = total + self._g[a][b] @ self._u[a][c].T + self._u[a][b] @ (self._g[a][c] + self._w[a][c]).T
        return total

    @property
    def modal_mass(self) -> Expression:
        """Contribution to ``M_dd = sum int dx_b^T dx_b dm`` (n x n)."""
        return self._outer(0, 0) + self._outer(1, 1) + self._outer(2, 2)

    def _moving(self, b: int, c: int, rate: Expression) -> Expression:
        """Contribution to ``int x'_b dx_c dm`` (n)."""
        total = ca.SX(self._n, 1)
        for a in range(4):
            along = ca.dot(ca.densify(self._u[a][b]), rate)
            total = (
                total
                + ca.dot(ca.densify(self._g[a][b]), rate) * self._u[a][c]
                + along * (self._g[a][c] + self._w[a][c])
            )
        return total

    def swing(self, rate: Expression) -> list[Expression]:
        """Contribution to ``int (x'_b dx_c - x'_c dx_b) dm`` (n) for the pairs yz, zx, xy."""
        return [self._moving(b, c, rate) - self._moving(c, b, rate) for b, c in _PAIRS]

    def turning(self, w: Expression) -> Expression:
        """Contribution to ``int dx^T (w x dx) dm`` (n x n)."""
        total = ca.SX(self._n, self._n)
        for a, (b, c) in enumerate(_PAIRS):
            total = total + w[a] * (self._outer(c, b) - self._outer(b, c))
        return total

    def convective(self, rate: Expression) -> tuple[Expression, Expression, Expression]:
        """Force, moment and modal force of the acceleration ``sum_a f_a delta'.C_ac delta'``."""
        psi = [[ca.dot(rate, ca.densify(z)) for z in row] for row in self._times(rate)]
        weighted = self._weighted(psi)
        force = ca.vertcat(*weighted[0])
        moment = ca.vertcat(*[self._on(b, c, psi) - self._on(c, b, psi) for b, c in _PAIRS])
        modal = ca.SX(self._n, 1)
        for a in range(4):
            for c in range(3):
                modal = modal + self._g[a][c] * psi[a][c] + self._u[a][c] * weighted[a][c]
        return force, moment, modal

    def convective_blocks(self, rate: Expression) -> tuple[Expression, Expression, Expression]:
        """Blocks vd, wd and dd of ``int E^T E' dm`` for the part of ``E'`` that is of second order."""
        z = self._times(rate)
        weighted = self._weighted(z)
        vd = ca.horzcat(*weighted[0]).T
        wd = ca.horzcat(*[self._on(b, c, z) - self._on(c, b, z) for b, c in _PAIRS]).T
        dd = ca.SX(self._n, self._n)
        for a in range(4):
            for c in range(3):
                dd = dd + self._g[a][c] @ z[a][c].T + self._u[a][c] @ weighted[a][c].T
        return vd, wd, dd
