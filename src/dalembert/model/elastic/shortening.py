"""The shortening of a beam's bent axis on CasADi symbols: its contributions to the inertia and the forces of the beam.

With ``h(s) = H(s) delta`` (see ``model/beam_shortening.py``) the points of the axis and their derivatives are

    x = x_0 + X delta - e_x (delta.h)/2,      dx/d delta = X - e_x h^T,      x'' = .. - e_x (delta'.H delta').

The kinetic energy of this field is integrated as it stands, and no term is left out: it is a sum of squares, so that
the mass matrix is positive definite at any deflection. (Kept to second order only it is not: the shortening then takes
more from the inertia of rotation than the modal block gives back.) With

    S_b = int X_b^T h^T dm,      M_4 = int h h^T dm

the additions are, as ``model/elastic/modal.py`` names the integrals,

    c                   -e_x (delta.H_c delta) / 2
    M_vd                -e_x (H_c delta)^T
    N_bc                -[c=x] (int x_0b h dm + S_b^T delta) - [b=x] S_c delta / 2 + [b=c=x] M_4 delta / 2
    int dx_b^T dx_c     -[c=x] S_b - [b=x] S_c^T + [b=c=x] M_4

and their consequences: the second moments ``G_bc`` are integrals of ``N_bc + N_cb`` along delta.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import casadi as ca
import numpy as np

from dalembert.core.types import Array, Expression
from dalembert.model.beam_shortening import ShorteningIntegrals

__all__ = ["Shortening"]

_X = ca.DM([1.0, 0.0, 0.0])


class Shortening:
    """Integrals of the shortened axis of a beam.

    Parameters
    ----------
    i, p
        Integrals of the shortening, and where the axis begins.
    delta
        Symbols of its modal coordinates.
    constant
        Makes a sparse constant of an integral over the volume, times the density if that is a number.
    """

    def __init__(
        self,
        i: ShorteningIntegrals,
        p: tuple[float, float, float],
        delta: Expression,
        constant: Callable[[Array], ca.DM],
    ) -> None:
        self.delta, self._offset, self._constant, self._n = delta, p, constant, len(i.H_c)
        self._P, self._Q, self._H_c = i.P, i.Q, constant(i.H_c)
        self._straight = [constant(A) for A in (p[0] * i.H_c + i.H_w, p[1] * i.H_c, p[2] * i.H_c)]
        self._pairs = [(j, k) for j in range(self._n) for k in range(j, self._n)]

    def _forms(self, matrices: Sequence[Array], x: Expression) -> Expression:
        """Quadratic forms ``x^T A x``, as a column; a product of two coordinates is made once for all."""
        rows = [[A[j, k] + A[k, j] if j < k else A[j, j] for j, k in self._pairs] for A in matrices]
        return self._constant(np.array(rows)) @ ca.vertcat(*[x[j] * x[k] for j, k in self._pairs])

    def _symmetric(self, entries: Expression) -> Expression:
        """Symmetric matrix from its entries for all pairs."""
        M = ca.SX(self._n, self._n)
        for entry, (i, k) in zip(ca.vertsplit(entries), self._pairs, strict=True):
            if entry.nnz():
                M[i, k] = M[k, i] = entry
        return M

    def _mixed(self, x: Expression) -> list[Expression]:
        """``int X_b^T (H x)^T dm`` (n x n) for b = x, y, z."""
        n = self._n
        return [ca.reshape(self._constant(P.reshape(n**2, n)) @ x, n, n).T for P in self._P]

    @cached_property
    def _S(self) -> list[Expression]:
        return self._mixed(self.delta)

    @cached_property
    def _M_4(self) -> Expression:
        return self._symmetric(self._forms([self._Q[i, :, k, :] for i, k in self._pairs], self.delta))

    @cached_property
    def first(self) -> Expression:
        """``int h dm`` (n)."""
        return self._H_c @ self.delta

    @cached_property
    def _moments(self) -> list[Expression]:
        """``int (x_0 + X delta)_b h dm`` (n) for b = x, y, z."""
        return [A @ self.delta + S.T @ self.delta for A, S in zip(self._straight, self._S, strict=True)]

    @cached_property
    def _squared(self) -> Expression:
        """``int (delta.h) h dm`` (n)."""
        return self._M_4 @ self.delta

    def moved(self, c: Expression) -> Expression:
        """First moment with the shortening."""
        return c - _X * (ca.dot(self.delta, self.first) / 2)

    def coupled(self, V: Expression) -> Expression:
        """Coupling of translation and modes."""
        return V - _X @ self.first.T

    def N(self, b: int, c: int) -> Expression:
        """Contribution to ``N_bc = int x_b (dx_c)^T dm`` (n)."""
        column = ca.SX(self._n, 1)
        if c == 0:
            column = column - self._moments[b]
        if b == 0:
            column = column - self._S[c] @ self.delta / 2
        return column + self._squared / 2 if b == c == 0 else column

    def second(self, b: int, c: int) -> Expression:
        """Contribution to ``G_bc = int x_b x_c dm``."""
        total = ca.SX(0)
        for one, other in ((b, c), (c, b)):
            if other == 0:
                total = total - ca.dot(self.delta, self._moments[one]) / 2
        return total + ca.dot(self.delta, self._squared) / 4 if b == c == 0 else total

    @property
    def modal_mass(self) -> Expression:
        """Contribution to ``M_dd = sum int dx_b^T dx_b dm`` (n x n)."""
        return self._M_4 - self._S[0] - self._S[0].T

    def swing(self, rate: Expression) -> list[Expression]:
        """Contribution to ``int (x'_b dx_c - x'_c dx_b) dm`` (n) for the pairs yz, zx, xy."""
        moved = [S @ rate - S.T @ rate for S in self._S]
        return [ca.SX(self._n, 1), moved[2], -moved[1]]

    def turning(self, w: Expression) -> Expression:
        """Contribution to ``int dx^T (w x dx) dm`` (n x n)."""
        _, y, z = self._S
        return w[1] * (z - z.T) + w[2] * (y.T - y)

    def convective(self, rate: Expression) -> tuple[Expression, Expression, Expression]:
        """Force, moment and modal force of the acceleration ``-e_x (delta'.H delta')``."""
        force = -ca.dot(rate, self._H_c @ rate)
        pull = [self._forms(P, rate) for P in self._P]
        y, z = (self._offset[b] * force - ca.dot(self.delta, pull[b]) for b in (1, 2))
        bent = self._symmetric(self._forms([self._Q[i, j] for i, j in self._pairs], rate)) @ self.delta
        return ca.vertcat(force, 0, 0), ca.vertcat(0, z, -y), bent - pull[0]

    def convective_blocks(self, rate: Expression) -> tuple[Expression, Expression, Expression]:
        """Blocks vd, wd and dd of ``int E^T E' dm`` for the part ``-e_x (H delta')^T`` of ``E'``."""
        n, none = self._n, ca.SX(1, self._n)
        pull, mixed = self._H_c @ rate, self._mixed(rate)
        y, z = (self._offset[b] * pull + mixed[b].T @ self.delta for b in (1, 2))
        products = ca.vec(rate @ self.delta.T)
        bent = self._constant(self._Q.transpose(0, 2, 1, 3).reshape(n**2, n**2)) @ products
        return ca.vertcat(-pull.T, none, none), ca.vertcat(none, -z.T, y.T), ca.reshape(bent, n, n).T - mixed[0]
