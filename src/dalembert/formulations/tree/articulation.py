"""Articulated inertias of a tree: its mass matrix factorised along the tree, in O(n).

Elimination runs from the leaves to the root, the modal coordinates of a beam first, then those of its joint (SPACE
Algorithm A.3). This is ``M = L D L^T`` with a unit triangular factor of which only the blocks along the tree are kept:
``L^-1`` is a sweep of wrenches from the leaves to the root, ``L^-T`` one of accelerations back (G. Rodriguez, A. Jain,
K. Kreutz-Delgado, "Spatial operator algebra for multibody system dynamics", J. Astronaut. Sci. 40 (1992) 27-50).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca

from dalembert.core.types import Expression
from dalembert.formulations.factorization import (
    UnitFactors,
    back_solve,
    half_solve,
    solve_factored,
    unit_factors,
)
from dalembert.formulations.tree.elimination import ModalElimination
from dalembert.formulations.tree.kinematics import TreeKinematics
from dalembert.model.elastic.contract import ElasticBody
from dalembert.spatial.inertia import Inertia, symmetric
from dalembert.spatial.rotations import cross_matrix

__all__ = ["Articulation", "section_inertia"]


class Articulation:
    """Inertias of the nodes of a tree with all joints and modes beyond them free.

    Parameters
    ----------
    tree
        Motion of the nodes.
    inertias
        Inertia of each node by itself.
    flexible
        The beams by their nodes.
    idle
        Nodes that carry no inertia and no other node.
    spins
        Wrenches (6 x nv) on nodes per acceleration of their joints of rotors that turn faster than they do. They are
        orthogonal to the accelerations that a joint adds, so that these need no terms of theirs.
    added
        Symmetric matrix (nv x nv) that is added to the mass matrix: its blocks of joints and of modes.

    Attributes
    ----------
    inertia
        Inertia of each node with its own modes free.
    eliminated
        The same with its joint free too, of nodes that have a parent.
    modes
        Modal blocks of the beams, factorised.
    pivots, gains
        The block ``Delta`` of each joint, factorised, and ``phi = phi_bar Delta^-1``.
    """

    def __init__(
        self,
        tree: TreeKinematics,
        inertias: Sequence[Inertia],
        flexible: Mapping[int, ElasticBody],
        idle: Sequence[bool],
        spins: Mapping[int, Expression],
        added: Expression | None = None,
    ) -> None:
        self._tree, self._nodes, self._idle, self._flexible = tree, tree.nodes, idle, flexible
        armature = tree.model.reflected
        inertia = list(inertias)
        coupling = {i: ca.vertcat(body.V, body.H) for i, body in flexible.items()}
        modal = {i: body.modal_mass for i, body in flexible.items()}
        if added is not None:
            modal = {i: M + added[(at := self._nodes[i].modal_v), at] for i, M in modal.items()}
        self.inertia = inertia
        self.eliminated: dict[int, Inertia] = {}
        self.modes: dict[int, ModalElimination] = {}
        self.pivots: dict[int, UnitFactors] = {}
        self.gains: list[Expression] = [ca.SX(6, 0)] * len(self._nodes)
        for i in self.inward:
            node, P = self._nodes[i], tree.subspaces[i]
            if i in flexible and modal[i].shape[0]:
                self.modes[i] = ModalElimination(modal[i], coupling[i].T)
                inertia[i] = self.modes[i].reduced(inertia[i])
            M, j = inertia[i], node.parent
            if i in tree.sections:
                turned, F, block = section_inertia(tree, i, M)
                inertia[j] = inertia[j] + turned.shifted(tree.links[i][1])
                coupling[j], modal[j] = coupling[j] + F, modal[j] + block
                continue
            phi_bar = ca.vertcat(*M.times(P[:3, :], P[3:, :]))
            if node.joint.info.nv:
                Delta = P.T @ phi_bar + ca.diag(armature[node.v])
                if added is not None:
                    Delta = Delta + added[node.v, node.v]
                if i in spins:
                    phi_bar = phi_bar + spins[i]
                    Delta = Delta + P.T @ spins[i] + spins[i].T @ P
                self.pivots[i] = unit_factors(Delta)
                self.gains[i] = solve_factored(self.pivots[i], phi_bar.T).T
            if j >= 0:
                free = armature[node.v].nnz() == 0 and (added is None or added[node.v, node.v].nnz() == 0)
                self.eliminated[i] = _eliminate(M, P, self.gains[i], phi_bar, free=free)
                inertia[j] = inertia[j] + tree.inertia_in_parent(i, self.eliminated[i])

    @property
    def inward(self) -> list[int]:
        """Nodes that carry something, from the leaves to the root."""
        return [i for i in range(len(self._nodes) - 1, -1, -1) if not self._idle[i]]

    @property
    def inverse(self) -> Expression:
        """Diagonal of ``D^-1`` (nv)."""
        reciprocals: list[Expression] = []
        for i, _ in enumerate(self._nodes):
            reciprocals += self.pivots[i].inverse if i in self.pivots else []
            reciprocals += self.modes[i].inverse if i in self.modes else []
        return ca.vertcat(*reciprocals)

    def lower(self, b: Expression) -> Expression:
        """``L^-1 b``: remainder of forces b (nv) once all joints beyond are free; zeros stay zeros."""
        tree = self._tree
        y = ca.SX(b)
        beta: list[Expression] = [ca.SX(6, 1)] * len(self._nodes)
        for i in self.inward:
            node, j = self._nodes[i], self._nodes[i].parent
            if i in self.modes:
                y[node.modal_v] = left = self.modes[i].lower(y[node.modal_v])
                beta[i] = beta[i] + self.modes[i].passed_on(left)
            wrench = beta[i]
            if i in tree.sections:
                y[node.modal_v] = y[node.modal_v] - tree.modal_force(i, wrench)
            elif i in self.pivots:
                X_hat = y[node.v] - tree.subspaces[i].T @ wrench
                y[node.v] = ca.vertcat(*half_solve(self.pivots[i], ca.vertsplit(X_hat)))
                wrench = wrench + self.gains[i] @ X_hat
            if j >= 0:
                beta[j] = beta[j] + tree.carry_back(i, wrench)
        return y

    def upper(self, b: Expression) -> Expression:
        """``L^-T b``: accelerations (nv) if b are those of each joint and mode with all before it at rest."""
        tree = self._tree
        accelerations: list[Expression] = []
        a = ca.SX(b)
        for i, node in enumerate(self._nodes):
            carried = ca.SX(6, 1) if node.parent < 0 else tree.carry(i, accelerations[node.parent])
            if i in tree.sections:
                accelerations.append(carried + tree.carry_modal(i, a[node.modal_v]))
                continue
            if i in self.pivots:
                alone = ca.vertcat(*back_solve(self.pivots[i], ca.vertsplit(a[node.v])))
                a[node.v] = alone - self.gains[i].T @ carried
                carried = carried + tree.subspaces[i] @ a[node.v]
            accelerations.append(carried)
            if i in self.modes:
                a[node.modal_v] = self.modes[i].accelerations(a[node.modal_v], carried)
        return a


def section_inertia(tree: TreeKinematics, i: int, M: Inertia) -> tuple[Inertia, Expression, Expression]:
    """Inertia of section ``i`` in root axes at its origin, and its contribution to the root's modal blocks.

    These are the blocks ``A^T M A`` of (A.22) for ``A = [X, S]``: coupling (6 x n) and modal (n x n).
    """
    section, (_, p) = tree.sections[i], tree.links[i]
    M = tree.turned(i, M)
    T, modes = section.rates, section.mixed
    # Times [1, R_psi] first: the modes are then sparse constants.
    A, B, D = M.A, M.B @ T, M.D @ T
    f = ca.horzcat(A, B) @ modes
    n = ca.horzcat(M.B.T, D) @ modes
    mixed = ca.vertcat(ca.horzcat(A, B), ca.horzcat(B.T, symmetric(T.T @ D)))
    return M, ca.vertcat(f, n + cross_matrix(p) @ f), modes.T @ (mixed @ modes)


def _eliminate(M: Inertia, P: Expression, phi: Expression, phi_bar: Expression, *, free: bool) -> Inertia:
    """Articulated inertia ``M - phi phi_bar^T``; exactly zero along the coordinate axis of a joint without rotor."""
    reduced = M.minus_outer(phi, phi_bar)
    if not free or P.shape[1] != 1 or not P.is_constant():
        return reduced
    axis = [float(x) for x in ca.DM(P).full()[:, 0]]
    if sorted(abs(x) for x in axis) != [0.0] * 5 + [1.0]:
        return reduced
    k = max(range(6), key=lambda i: abs(axis[i]))
    keep = ca.DM.eye(6)
    keep[k, k] = 0
    L, W = keep[:3, :3], keep[3:, 3:]
    return Inertia(L @ reduced.A @ L, L @ reduced.B @ W, W @ reduced.D @ W)
