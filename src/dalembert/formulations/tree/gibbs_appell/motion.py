"""Motion from link to link: IMPACT (41)-(51) for any joint, for branches and for finite elastic rotations.

The document's link k+1 turns about ``x_3`` at the end of link k. Here a link moves by the joint of its node, which sits
on the root frame of the link before it or on a section of it, anywhere; a section turns by its 3-2-1 angles with their
exact rates instead of ``theta`` itself (which is the same in the plane). The *motions* of a link move its origin and
turn it, seen from the link before: columns ``(d, e)`` of linear and angular velocity per unit velocity, those of its
joint and those of the modes of the link before, ``r_jf(l)`` and ``theta_jf(l)`` of (47)-(51).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from dalembert.core.parameter import nominal
from dalembert.core.types import Expression
from dalembert.formulations.tree.model import TreeModel
from dalembert.formulations.variables import entries
from dalembert.model.elastic.contract import ElasticSection
from dalembert.model.joints import JointKind
from dalembert.model.tree import Node, place
from dalembert.spatial.rotations import cross_matrix, rotation_about

__all__ = ["Hop", "LinkMotion", "LinkState"]


@dataclass(frozen=True, eq=False)
class Hop:
    """From a link to one that hangs on it.

    Parameters
    ----------
    node
        Node of the link that hangs.
    parent
        Place of the other one among the links; -1 for the world.
    section
        Section of it that carries the joint; None: its root frame.
    R, p
        Rotation to the axes of the link before, and position of the origin in them.
    arm
        The part of ``p`` that turns with the section.
    joint
        Motions ``(d, e)`` of the joint (3 x nv each), in the axes of the link that hangs.
    passed
        Motions of the modes of the link before (3 x n each), in the axes of the link that hangs.
    modal
        Their velocities.
    """

    node: Node
    parent: int
    section: ElasticSection | None
    R: Expression
    p: Expression
    arm: Expression
    joint: tuple[Expression, Expression]
    passed: tuple[Expression, Expression]
    modal: slice

    @cached_property
    def motions(self) -> list[tuple[slice, Expression, Expression]]:
        """All motions ``(d, e)`` of the link that hangs, with the velocities that they belong to."""
        sets = [(self.node.v, *self.joint), (self.modal, *self.passed)]
        return [(v, d, e) for v, d, e in sets if v.stop > v.start]


@dataclass(frozen=True)
class LinkState:
    """Angular velocity, acceleration of the origin and angular acceleration of a link, in its axes."""

    w: Expression
    r: Expression
    turn: Expression


class LinkMotion:
    """The links of a tree in its order, and the motion that goes along them.

    A section with bodies fixed to it is a link too, whose joint is fixed.

    Parameters
    ----------
    model
        Kinematics of the machine.
    """

    def __init__(self, model: TreeModel) -> None:
        self.model = model
        self.nodes = [i for i, node in enumerate(model.tree.nodes) if i not in model.sections or node.bodies]
        self._place = {node: i for i, node in enumerate(self.nodes)}

    @cached_property
    def hops(self) -> list[Hop]:
        """The hop to each link."""
        return [self._hop(i) for i in self.nodes]

    @cached_property
    def children(self) -> list[list[int]]:
        """The links that hang on each link."""
        children: list[list[int]] = [[] for _ in self.nodes]
        for c, hop in enumerate(self.hops):
            if hop.parent >= 0:
                children[hop.parent].append(c)
        return children

    def path(self, c: int) -> list[int]:
        """Link ``c`` and those that it hangs on, itself first."""
        path = []
        while c >= 0:
            path.append(c)
            c = self.hops[c].parent
        return path

    def locate(self, node: int) -> tuple[int, ElasticSection | None]:
        """Link of a node, and the section of it that the node is."""
        if node < 0:
            return -1, None
        if node in self._place:
            return self._place[node], None
        return self._place[self.model.tree.nodes[node].parent], self.model.sections[node]

    def _hop(self, index: int) -> Hop:
        x, node, joint = self.model.variables, self.model.tree.nodes[index], self.model.joints[index]
        parent, section = self.locate(node.parent)
        if index in self.model.sections:
            section = self.model.sections[index]
        q = entries(x.q, node.q)
        R0, p0 = place(node.placement, x.value)
        R_j, p_j = joint.motion(q)
        arm = p0 + R0 @ p_j
        R, p, modal = R0 @ R_j, arm, slice(0, 0)
        passed = (ca.SX(3, 0), ca.SX(3, 0))
        if section is not None:
            angle = _one_angle(section, node, joint, q)
            R, arm = section.R @ R if angle is None else angle, section.R @ arm
            p, modal = section.p + arm, self.model.tree.nodes[self.nodes[parent]].modal_v
            e = section.S[3:, :]
            passed = R.T @ (section.S[:3, :] - cross_matrix(arm) @ e), R.T @ e
        P = joint.subspace(q)
        return Hop(
            node=node,
            parent=parent,
            section=section,
            R=_sparse(R),
            p=_sparse(p),
            arm=_sparse(arm),
            joint=(_sparse(P[:3, :]), _sparse(P[3:, :])),
            passed=(_sparse(passed[0]), _sparse(passed[1])),
            modal=modal,
        )

    def states(self, v: Expression, a: Expression, *, gravity: bool = True) -> list[LinkState]:
        """Rates and accelerations of the links, (41)-(46); gravity is an acceleration of the world."""
        g = self.model.gravity_vector if gravity else ca.SX(3, 1)
        world = LinkState(ca.SX(3, 1), -g, ca.SX(3, 1))
        states: list[LinkState] = []
        for hop, index in zip(self.hops, self.nodes, strict=True):
            here = world if hop.parent < 0 else states[hop.parent]
            w, r, turn = here.w, here.r, here.turn
            if hop.section is not None:
                rate, acceleration = entries(v, hop.modal), entries(a, hop.modal)
                linear, angular = hop.section.convective(w, rate)
                S = hop.section.S @ acceleration
                r = r + ca.cross(turn, hop.section.p) + linear + S[:3]
                turn = turn + angular + S[3:]
                w = w + hop.section.twist(rate)[1]
            if hop.arm.nnz():
                r = r + ca.cross(turn, hop.arm) + ca.cross(w, ca.cross(w, hop.arm))
            x, y = entries(v, hop.node.v), entries(a, hop.node.v)
            (d, e), w = hop.joint, hop.R.T @ w
            u, spin = d @ x, e @ x
            drift = self.model.joints[index].subspace_rate(entries(self.model.variables.q, hop.node.q), x) @ x
            states.append(
                LinkState(
                    w + spin,
                    hop.R.T @ r + drift[:3] + ca.cross(2 * w + spin, u) + d @ y,
                    hop.R.T @ turn + drift[3:] + ca.cross(w, spin) + e @ y,
                )
            )
        return states

    def twists(self, v: Expression) -> list[tuple[Expression, Expression]]:
        """Velocity of the origin and angular velocity of each link, in its axes."""
        twists: list[tuple[Expression, Expression]] = []
        for hop in self.hops:
            velocity, w = ca.SX(3, 1), ca.SX(3, 1)
            if hop.parent >= 0:
                velocity, w = twists[hop.parent]
                velocity, w = hop.R.T @ (velocity + ca.cross(w, hop.p)), hop.R.T @ w
            for columns, d, e in hop.motions:
                velocity, w = velocity + d @ v[columns], w + e @ v[columns]
            twists.append((velocity, w))
        return twists


def _sparse(x: Expression) -> Expression:
    return ca.sparsify(ca.SX(x))


def _one_angle(section: ElasticSection, node: Node, joint: JointKind, q: Expression) -> Expression | None:
    """Rotation of a joint on a section that both turn about the same coordinate axis, as in the plane; else None."""
    turns = joint.turns(q)
    if turns is None or len(turns) != 1 or not node.placement.is_constant:
        return None
    axis, angle = turns[0]
    straight = np.array([[nominal(x) for x in row] for row in node.placement.rotation])
    k = int(np.argmax(np.abs(axis)))
    turn = section.angle(k)
    if abs(axis[k]) != 1.0 or (straight != np.eye(3)).any() or turn is None:
        return None
    return rotation_about(ca.DM(np.eye(3)[k]), turn + float(axis[k]) * angle)
