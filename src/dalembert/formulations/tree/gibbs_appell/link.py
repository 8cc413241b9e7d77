"""The acceleration energy of one link on CasADi symbols: ``B_0`` to ``B_10`` of IMPACT (6)-(16) and their consequences.

With the acceleration ``r_o''`` of the origin of the link, its rate ``w`` and ``w'``, in its own axes,

    S = B_0 r_o''.r_o''/2 + r_o''.B_1 - 2 r_o''.B_2 w - r_o''.B_3 w' - r_o''.w^ B_3 w + B_4/2 - 2 w.B_5 + w'.B_6
        - w.B_7 w + 2 w'.B_8 w + w'.(B_9 + B_10) w'/2 + w'.w^ (B_9 + B_10) w + terms without accelerations.       (5)

The gyroscopic term of ``B_10`` is missing in the document: in its plane it is zero.
"""

from __future__ import annotations

from functools import cached_property

import casadi as ca

from dalembert.core.types import Array, Expression
from dalembert.formulations.tree.gibbs_appell.integrals import ShapeIntegrals
from dalembert.formulations.variables import Variables, entries
from dalembert.model.tree import Node, merged_inertia
from dalembert.spatial.rotations import cross_matrix

__all__ = ["Link"]


class Link:
    """A link of the tree: the rigid bodies of a node, and the flexible body whose root it is.

    Parameters
    ----------
    node
        The node.
    variables
        Symbols of the equations.
    """

    def __init__(self, node: Node, variables: Variables) -> None:
        self.node, self.elastic = node, node.elastic if node.is_root else None
        self.n = 0 if self.elastic is None else self.elastic.n_modes
        self.modal = node.modal_v if self.n else slice(0, 0)
        self.delta = entries(variables.q, node.modal_q) if self.n else ca.SX(0, 1)
        mass, moment, inertia = merged_inertia(node, variables.value)
        self.mass: Expression | float = mass
        self._first, self._inertia = ca.sparsify(ca.SX(moment)), ca.sparsify(ca.SX(inertia))
        self._rho: Expression | float = 0.0
        self._C: ShapeIntegrals | None = None
        if self.elastic is not None:
            self._rho, self._C = variables.value(self.elastic.density), ShapeIntegrals.of(self.elastic)
            self.mass = mass + self._rho * self._C.volume
            self._first = self._first + self._constant(self._C.first)

    def _constant(self, x: Array) -> Expression:
        """Sparse matrix of an integral, times the density."""
        return self._rho * ca.SX(ca.sparsify(ca.DM(x)))

    # -- amplitudes of the shapes -----------------------------------------------------------------------------------

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Modes whose products are amplitudes too, see ``integrals.py``."""
        return [] if self.elastic is None else self.elastic.products

    @cached_property
    def eps(self) -> Expression:
        """Amplitudes of the shapes."""
        return ca.vertcat(self.delta, *[self.delta[j] * self.delta[k] for j, k in self.pairs])

    @cached_property
    def E(self) -> Expression:
        """Derivatives of the amplitudes by the modal coordinates."""
        E = ca.SX.eye(self.n)
        rows = []
        for j, k in self.pairs:
            row = ca.SX(1, self.n)
            row[j], row[k] = self.delta[k], self.delta[j]
            if j == k:
                row[j] = 2 * self.delta[j]
            rows.append(row)
        return ca.vertcat(E, *rows)

    def acceleration(self, rate: Expression, acceleration: Expression) -> Expression:
        """Second derivatives of the amplitudes."""
        return self.E @ acceleration + ca.vertcat(ca.SX(self.n, 1), *[2 * rate[j] * rate[k] for j, k in self.pairs])

    # -- the terms of the acceleration energy -------------------------------------------------------------------------

    @cached_property
    def first(self) -> Expression:
        """First moment of mass about the origin; its cross matrix is ``B_3``."""
        return self._first + self._C1 @ self.eps if self.n else self._first

    @cached_property
    def B3(self) -> Expression:
        """``C_2 + sum eps_j C_1j^`` (9)."""
        return cross_matrix(self.first)

    @cached_property
    def _C1(self) -> Expression:
        return self._constant(self._integrals.C1.T)

    @property
    def _integrals(self) -> ShapeIntegrals:
        assert self._C is not None  # asked of flexible links only
        return self._C

    @cached_property
    def _C3(self) -> Expression:
        return self._constant(self._integrals.C3)

    @cached_property
    def _alpha(self) -> Expression:
        """Columns ``alpha_j = C_7j + sum eps_k C_4kj`` (25)."""
        C = self._integrals
        moved = [self._constant(C.C4[:, j].T) @ self.eps for j in range(len(C.C1))]
        return self._constant(C.C7.T) + ca.horzcat(*moved)

    @cached_property
    def beta(self) -> list[Expression]:
        """``beta_j = C_6j + sum eps_k C_8kj`` (26)."""
        C = self._integrals
        flat = [self._constant(C.C8[:, j].transpose(2, 1, 0).reshape(9, -1)) @ self.eps for j in range(len(C.C1))]
        return [self._constant(C6) + ca.reshape(x, 3, 3) for C6, x in zip(C.C6, flat, strict=True)]

    @cached_property
    def inertia(self) -> Expression:
        """``B_9 + B_10`` (15), (16): inertia about the origin."""
        B10 = self._inertia
        if self._C is None:
            return B10
        B9 = self._constant(self._C.C5)
        for j in range(self.eps.shape[0]):
            B9 = B9 + self.eps[j] * (self._constant(self._C.C6[j].T) + self.beta[j])
        return B9 + B10 + self._constant(self._C.sections)

    # -- per modal coordinate -----------------------------------------------------------------------------------------

    @cached_property
    def C1(self) -> Expression:
        """``C_1`` per modal coordinate (3 x n)."""
        return self._C1 @ self.E

    @cached_property
    def alpha(self) -> Expression:
        """``alpha`` per modal coordinate (3 x n)."""
        return self._alpha @ self.E

    @cached_property
    def C3(self) -> Expression:
        """``C_3`` per pair of modal coordinates (n x n)."""
        return self.E.T @ self._C3 @ self.E

    def forces(
        self, w: Expression, rate: Expression, r: Expression, turn: Expression, acceleration: Expression
    ) -> tuple[Expression, Expression, Expression]:
        """Derivatives of ``S`` by ``r_o''``, ``w'`` and the modal accelerations: the brackets of (27) and (28).

        Parameters
        ----------
        w
            Angular velocity, in the axes of the link as all vectors here.
        rate
            Rates of the modal coordinates.
        r, turn
            Accelerations ``r_o''`` and ``w'``.
        acceleration
            Those of the modal coordinates.
        """
        J = self.inertia
        S = self.mass * r - self.B3 @ turn - ca.cross(w, self.B3 @ w)
        T = self.B3 @ r + J @ turn + ca.cross(w, J @ w)
        if not self.n:
            return S, T, ca.SX(0, 1)
        x, y = self.E @ rate, self.acceleration(rate, acceleration)
        S = S + self._C1 @ y - 2 * ca.cross(self._C1 @ x, w)
        B8 = sum((x[j] * self.beta[j] for j in range(x.shape[0])), ca.SX(3, 3))
        T = T + self._alpha @ y + 2 * (B8 @ w)
        C4 = self._integrals.C4
        rows = []
        for j in range(x.shape[0]):
            B5 = self._constant(C4[j].T) @ x
            rows.append(-2 * ca.dot(w, ca.densify(B5)) - ca.dot(w, self.beta[j] @ w))
        Q = self._C3 @ y + ca.vertcat(*rows) + self._C1.T @ r + self._alpha.T @ turn
        return S, T, self.E.T @ Q

    def kinetic_energy(self, velocity: Expression, w: Expression, rate: Expression) -> Expression:
        """Kinetic energy, from the velocity of the origin."""
        T = ca.dot(velocity, self.mass * velocity / 2 + ca.cross(w, self.first)) + ca.dot(w, self.inertia @ w) / 2
        if self.n:
            T = T + ca.dot(velocity, self.C1 @ rate) + ca.dot(w, self.alpha @ rate) + ca.dot(rate, self.C3 @ rate) / 2
        return T

    def momentum(self, velocity: Expression, w: Expression, rate: Expression) -> tuple[Expression, Expression]:
        """Linear momentum and angular momentum about the origin."""
        linear = self.mass * velocity + ca.cross(w, self.first)
        angular = self.B3 @ velocity + self.inertia @ w
        return (linear + self.C1 @ rate, angular + self.alpha @ rate) if self.n else (linear, angular)

    def acceleration_energy(
        self, w: Expression, rate: Expression, r: Expression, turn: Expression, acceleration: Expression
    ) -> Expression:
        """``S`` of (5), up to terms without accelerations."""
        J = self.inertia
        S = ca.dot(r, self.mass * r / 2 - self.B3 @ turn - ca.cross(w, self.B3 @ w))
        S = S + ca.dot(turn, J @ turn / 2 + ca.cross(w, J @ w))
        if not self.n:
            return S
        x, y = self.E @ rate, self.acceleration(rate, acceleration)
        B2 = cross_matrix(self._C1 @ x)
        B4 = ca.dot(y, self._C3 @ y)
        C4 = self._integrals.C4
        B5 = sum((y[j] * (self._constant(C4[j].T) @ x) for j in range(y.shape[0])), ca.SX(3, 1))
        B7 = sum((y[j] * self.beta[j] for j in range(y.shape[0])), ca.SX(3, 3))
        B8 = sum((x[j] * self.beta[j] for j in range(x.shape[0])), ca.SX(3, 3))
        S = S + ca.dot(r, self._C1 @ y - 2 * B2 @ w) + B4 / 2 - 2 * ca.dot(w, B5)
        return S + ca.dot(turn, self._alpha @ y + 2 * B8 @ w) - ca.dot(w, B7 @ w)
