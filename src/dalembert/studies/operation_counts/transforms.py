"""Gibbs-Appell's equations with homogeneous transforms (4x4), as the predecessor of IMPACT has them.

With ``h = (x, 1)`` of a point in the frame of its link and the transform ``W`` of the link in the world, the point has
the acceleration ``W'' h + 2 W' h' + W h''``. The motion of a coordinate is the matrix ``Delta = [e^, d; 0, 0]`` in the
frame of the link j that it starts from, ``dW_i = W_j Delta jT_i``, so that

    I_jk = tr(Delta_j jT_k P_k kT_j),      P_k = Phi_k Delta_k^T,      Phi_k = J_k + sum T_c Phi_c T_c^T,
    dS/da_j = tr(Delta_j Q_j W_j),         Q_j = J_j W''^T + 2 sum delta' D W'^T + sum T_c Q_c

with the integrals ``J = int h h^T dm`` and ``D_f = int h (r_f, 0)^T dm`` of each link: two formulas instead of the 51
terms with rotations.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import casadi as ca
import numpy as np

from dalembert.core.parameter import Scalar
from dalembert.core.types import Array, Expression
from dalembert.formulations.tree.gibbs_appell.formulation import GibbsAppell
from dalembert.formulations.tree.gibbs_appell.integrals import ShapeIntegrals
from dalembert.formulations.tree.gibbs_appell.link import Link
from dalembert.formulations.variables import entries
from dalembert.spatial.rotations import cross_matrix

__all__ = ["Transforms"]


class Transforms:
    """Inertia matrix and right-hand side with 4x4 matrices.

    Parameters
    ----------
    equations
        The formulation with rotations, whose links and hops are used. Beams must not keep their shortening.
    """

    def __init__(self, equations: GibbsAppell) -> None:
        self.motion, self.variables, self.model = equations.motion, equations.variables, equations.model
        self.links = [_LinkMatrices(link, equations.variables.value) for link in equations.links]
        self.T = [_matrix(hop.R, hop.p, 1) for hop in self.motion.hops]

    @cached_property
    def _inverse(self) -> list[Expression]:
        return [_matrix(hop.R.T, -hop.R.T @ hop.p, 1) for hop in self.motion.hops]

    @cached_property
    def _joint(self) -> list[list[Expression]]:
        """Motions of each link's joint, in its frame."""
        hops = self.motion.hops
        return [[_delta(d[:, i], e[:, i]) for i in range(d.shape[1])] for d, e in (hop.joint for hop in hops)]

    @cached_property
    def _passed(self) -> list[list[Expression]]:
        """Motions of the modes of the link before that carry each link, in the frame of the link before."""
        passed = []
        for hop in self.motion.hops:
            S = hop.section.S if hop.section is not None else ca.SX(6, 0)
            place = hop.section.p if hop.section is not None else ca.SX(3, 1)
            passed.append([_delta(S[:3, i] - ca.cross(S[3:, i], place), S[3:, i]) for i in range(S.shape[1])])
        return passed

    def inertia_matrix(self) -> Expression:
        """Upper half of the inertia matrix."""
        hops, n = self.motion.hops, len(self.links)
        Phi: list[Expression] = [link.J for link in self.links]
        carried: list[Expression] = [ca.SX(0)] * n
        for c in range(n - 1, -1, -1):
            carried[c] = self.T[c] @ Phi[c] @ self.T[c].T
            if hops[c].parent >= 0:
                Phi[hops[c].parent] = Phi[hops[c].parent] + carried[c]
        M = ca.SX(self.model.tree.nv, self.model.tree.nv)
        for k, link in enumerate(self.links):
            node = hops[k].node
            columns = [(node.v.start + i, Phi[k] @ D.T) for i, D in enumerate(self._joint[k])]
            for t, D in enumerate(link.D):
                P = D
                for c in self.motion.children[k]:
                    if self._passed[c]:
                        P = P + carried[c] @ self._passed[c][t].T
                columns.append((link.modal.start + t, P))
            for column, P in columns:
                self._fill(M, k, column, P)
            for f in range(len(link.D)):
                for t in range(f, len(link.D)):
                    x = link.C3[f, t]
                    for c in self.motion.children[k]:
                        if self._passed[c]:
                            x = x + _trace(self._passed[c][f] @ carried[c], self._passed[c][t].T)
                    M[link.modal.start + f, link.modal.start + t] = x
        return ca.triu(M)

    def _fill(self, M: Expression, k: int, column: int, P: Expression) -> None:
        """Fill the rows of a column in and inboard of link ``k``, with ``P`` carried inwards as ``jT_k P kT_j``."""
        j = k
        while j >= 0:
            hop = self.motion.hops[j]
            for i, D in enumerate(self._joint[j]):
                M[hop.node.v.start + i, column] = _trace(D, P)
            P = self.T[j] @ P @ self._inverse[j]
            for f, D in enumerate(self._passed[j]):
                M[hop.modal.start + f, column] = _trace(D, P)
            j = hop.parent

    def right_side(self) -> Expression:
        """``dS/da + dV/dq`` without accelerations."""
        v, hops = self.variables.v, self.motion.hops
        tau = self.model.spring_force
        W, W1, W2 = self._world()
        Q: list[Expression] = []
        for c, link in enumerate(self.links):
            Q.append(link.J @ W2[c].T)
            rate = entries(v, link.modal)
            if link.D:
                moving = sum((rate[f] * D for f, D in enumerate(link.D)), ca.SX(4, 4))
                Q[c] = Q[c] + 2 * moving @ W1[c].T
            for f, D in enumerate(link.D):
                elastic = (
                    D.T @ W2[c].T + 2 * sum((rate[k] * link.H[f][k] for k in range(link.n)), ca.SX(4, 4)) @ W1[c].T
                )
                tau[link.modal.start + f] += _trace(W[c], elastic)
        for c in range(len(self.links) - 1, -1, -1):
            hop = hops[c]
            Y = Q[c] @ W[c]
            for i, D in enumerate(self._joint[c]):
                tau[hop.node.v.start + i] += _trace(D, Y)
            if hop.parent < 0:
                continue
            outer = self.T[c] @ Q[c]
            Q[hop.parent] = Q[hop.parent] + outer
            if self._passed[c]:
                Y = outer @ W[hop.parent]
                for f, D in enumerate(self._passed[c]):
                    tau[hop.modal.start + f] += _trace(D, Y)
        return tau

    def _world(self) -> tuple[list[Expression], list[Expression], list[Expression]]:
        """Transforms of the links in the world, and their derivatives for coordinates that do not accelerate."""
        W: list[Expression] = []
        W1: list[Expression] = []
        W2: list[Expression] = []
        still = ca.SX(4, 4)
        world = (ca.SX.eye(4), still, _matrix(ca.SX(3, 3), -self.model.gravity_vector, 0))
        for c, hop in enumerate(self.motion.hops):
            A, A1, A2 = world if hop.parent < 0 else (W[hop.parent], W1[hop.parent], W2[hop.parent])
            T, T1, T2 = self._hop(c)
            W.append(A @ T)
            W1.append(A1 @ T + A @ T1)
            W2.append(A2 @ T + 2 * A1 @ T1 + A @ T2)
        return W, W1, W2

    def _hop(self, c: int) -> tuple[Expression, Expression, Expression]:
        """``T``, ``T'`` and ``T''`` of a hop."""
        hop, x = self.motion.hops[c], self.variables
        rate = entries(x.v, hop.node.v)
        kind = self.model.joints[self.motion.nodes[c]]
        drift = kind.subspace_rate(entries(x.q, hop.node.q), rate) @ rate
        joint = sum((rate[i] * D for i, D in enumerate(self._joint[c])), ca.SX(4, 4))
        T = self.T[c]
        T1, T2 = T @ joint, T @ (_delta(drift[:3], drift[3:]) + joint @ joint)
        if hop.section is None or not self._passed[c]:
            return T, T1, T2
        modal = entries(x.v, hop.modal)
        elastic = sum((modal[f] * D for f, D in enumerate(self._passed[c])), ca.SX(4, 4))
        w = hop.section.twist(modal)[1]
        linear, angular = hop.section.convective(ca.SX(3, 1), modal)
        spin = cross_matrix(angular) + cross_matrix(w) @ cross_matrix(w)
        second = _matrix(spin, linear - spin @ hop.section.p, 0)
        return T, elastic @ T + T1, second @ T + 2 * elastic @ T1 + T2


class _LinkMatrices:
    """Integrals ``J``, ``D_f`` and ``int r_f r_k^T dm`` of a link, as 4x4 matrices."""

    def __init__(self, link: Link, value: Callable[[Scalar], Expression | float]) -> None:
        self.n, self.modal = link.n, link.modal
        if link.elastic is None or not link.n:
            self.J, self.D, self.H, self.C3 = _pseudo(link.mass, link.first, link.inertia), [], [], ca.SX(0, 0)
            return
        C, rho = ShapeIntegrals.of(link.elastic), value(link.elastic.density)
        self.C3 = link.C3
        first = [_embedded(_outer(C.C6[f]).T, C.C1[f]) for f in range(self.n)]
        H = [[_embedded(_outer(C.C8[f, k]).T) for k in range(self.n)] for f in range(self.n)]
        self.H = [[rho * ca.SX(ca.sparsify(ca.DM(x))) for x in row] for row in H]
        base = [rho * ca.SX(ca.sparsify(ca.DM(x))) for x in first]
        delta = link.delta
        self.D = [base[f] + sum((delta[k] * self.H[k][f] for k in range(self.n)), ca.SX(4, 4)) for f in range(self.n)]
        straight = np.zeros((4, 4))
        straight[:3, :3], straight[3, 3] = _outer(C.C5 + C.sections), C.volume
        straight[:3, 3] = straight[3, :3] = C.first
        J = rho * ca.SX(ca.sparsify(ca.DM(straight)))
        for f in range(self.n):
            J = J + delta[f] * (base[f].T + self.D[f])
        self.J = J


def _outer(turned: Array) -> Array:
    """``int g f^T`` from ``int f^T^ g^ = int (f.g) 1 - g f^T``."""
    return np.trace(turned) / 2 * np.eye(3) - turned


def _embedded(products: Array, first: Array | None = None) -> Array:
    """``int h (r, 0)^T`` from ``int x r^T`` and ``int r``."""
    matrix = np.zeros((4, 4))
    matrix[:3, :3] = products
    if first is not None:
        matrix[3, :3] = first
    return matrix


def _pseudo(mass: Expression | float, first: Expression, inertia: Expression) -> Expression:
    G = ca.trace(inertia) / 2 * ca.SX.eye(3) - inertia
    return ca.sparsify(ca.vertcat(ca.horzcat(G, first), ca.horzcat(first.T, mass)))


def _matrix(R: Expression, p: Expression, corner: int) -> Expression:
    return ca.sparsify(ca.vertcat(ca.horzcat(R, p), ca.horzcat(ca.SX(1, 3), corner)))


def _delta(d: Expression, e: Expression) -> Expression:
    return _matrix(cross_matrix(e), d, 0)


def _trace(A: Expression, B: Expression) -> Expression:
    """``tr(A B)`` without the rest of the product."""
    return ca.sum1(ca.sum2(A * B.T))
