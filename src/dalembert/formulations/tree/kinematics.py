"""Propagation of twists, accelerations, wrenches and inertias between the nodes of a tree.

Source: SPACE (4.28)-(4.38) for joints, (5.41)-(5.51) for the sections of beams. Twists and accelerations are those of a
node's frame origin in its own axes; the acceleration is the *inertial* derivative of the twist.
"""

from __future__ import annotations

from functools import cached_property

import casadi as ca

from dalembert.core.types import Expression
from dalembert.formulations.tree.model import TreeModel
from dalembert.formulations.variables import entries
from dalembert.spatial.inertia import Inertia

__all__ = ["TreeKinematics"]


class TreeKinematics:
    """Motion of the nodes of a tree, and its derivatives."""

    def __init__(self, model: TreeModel) -> None:
        self.model = model
        self.variables = model.variables
        self.nodes = model.tree.nodes
        self.sections = model.sections

    @cached_property
    def links(self) -> list[tuple[Expression, Expression]]:
        """Rotation and lever arm of each node in its parent, as the twist propagation has them."""
        poses = self.model.relative_poses
        return [(R, self.sections[i].lever) if i in self.sections else (R, p) for i, (R, p) in enumerate(poses)]

    @cached_property
    def subspaces(self) -> list[Expression]:
        """Joint-rate-propagation matrix ``P`` of each node; empty for sections."""
        q = self.variables.q
        return [joint.subspace(q[n.q]) for n, joint in zip(self.nodes, self.model.joints, strict=True)]

    def rates(self, v: Expression) -> list[Expression]:
        """Angular velocity of each node in its own axes."""
        rates: list[Expression] = []
        for i, (node, (R, _), P) in enumerate(zip(self.nodes, self.links, self.subspaces, strict=True)):
            if i in self.sections:
                rates.append(R.T @ (rates[node.parent] + self.sections[i].twist(entries(v, node.modal_v))[1]))
                continue
            relative = P[3:, :] @ entries(v, node.v)
            rates.append(relative if node.parent < 0 else R.T @ rates[node.parent] + relative)
        return rates

    def convective(self, v: Expression, rates: list[Expression]) -> list[Expression]:
        """Acceleration ``zeta`` of each node without joint and parent accelerations."""
        zetas = []
        for i, node in enumerate(self.nodes):
            (R, p), P = self.links[i], self.subspaces[i]
            if i in self.sections:
                linear, angular = self.sections[i].convective(rates[node.parent], entries(v, node.modal_v))
                zetas.append(ca.vertcat(R.T @ linear, R.T @ angular))
                continue
            x = entries(v, node.v)
            Pdot = self.model.joints[i].subspace_rate(self.variables.q[node.q], x)
            u, w_r = P[:3, :] @ x, P[3:, :] @ x
            linear, angular = Pdot[:3, :] @ x, Pdot[3:, :] @ x
            if node.parent < 0:
                linear = linear + ca.cross(rates[i], u)
            else:
                w_p = rates[node.parent]
                w_here = R.T @ w_p
                linear = linear + R.T @ ca.cross(w_p, ca.cross(w_p, p)) + ca.cross(rates[i] + w_here, u)
                angular = angular + ca.cross(w_here, w_r)
            zetas.append(ca.vertcat(linear, angular))
        return zetas

    def twists(self, v: Expression) -> list[Expression]:
        """Twist of each node at its origin in its own axes, SPACE (4.28)."""
        twists: list[Expression] = []
        for i, node in enumerate(self.nodes):
            t = self.relative(i, v)
            twists.append(t if node.parent < 0 else self.carry(i, twists[node.parent]) + t)
        return twists

    def carry(self, i: int, t: Expression) -> Expression:
        """Acceleration of a parent seen at node ``i``: ``A_{i,i-1} t``."""
        R, p = self.links[i]
        return ca.vertcat(R.T @ (t[:3] + ca.cross(t[3:], p)), R.T @ t[3:])

    def relative(self, i: int, v: Expression) -> Expression:
        """Twist of node ``i`` in its parent due to the tree's velocities ``v``; or the same of accelerations."""
        node = self.nodes[i]
        if i in self.sections:
            return self.carry_modal(i, entries(v, node.modal_v))
        return self.subspaces[i] @ entries(v, node.v)

    def carry_modal(self, i: int, rate: Expression) -> Expression:
        """Twist (or acceleration) of section ``i`` due to modal rates (or accelerations), in its own axes."""
        R, _ = self.links[i]
        linear, angular = self.sections[i].twist(rate)
        return ca.vertcat(R.T @ linear, R.T @ angular)

    def carry_back(self, i: int, w: Expression) -> Expression:
        """Wrench of node ``i`` at its parent: ``A_{i,i-1}^T w``."""
        R, p = self.links[i]
        f = R @ w[:3]
        return ca.vertcat(f, R @ w[3:] + ca.cross(p, f))

    def modal_force(self, i: int, w: Expression) -> Expression:
        """Modal force ``S^T R w`` of a wrench on section ``i``, given in its axes."""
        R, _ = self.links[i]
        section = self.sections[i]
        return section.mixed.T @ ca.vertcat(R @ w[:3], section.rates.T @ (R @ w[3:]))

    def velocities(self, i: int) -> slice:
        """Velocities that move node ``i`` in its parent."""
        return self.nodes[i].modal_v if i in self.sections else self.nodes[i].v

    def motion_matrix(self, i: int) -> Expression:
        """Matrix from those velocities to the twist of node ``i`` in its parent, in its own axes."""
        if i not in self.sections:
            return self.subspaces[i]
        R, _ = self.links[i]
        S = self.sections[i].S
        return ca.vertcat(R.T @ S[:3, :], R.T @ S[3:, :])

    def turned(self, i: int, M: Inertia) -> Inertia:
        """Inertia of node ``i`` at its own origin in its parent's axes."""
        turns = self.model.turns(i)
        if turns is None:
            return M.rotated(self.links[i][0])
        for turn in turns:
            M = M.turned(*turn)
        return M

    def inertia_in_parent(self, i: int, M: Inertia) -> Inertia:
        """Inertia of node ``i`` at its parent: ``A_{i,i-1}^T M A_{i,i-1}``."""
        return self.turned(i, M).shifted(self.links[i][1])
