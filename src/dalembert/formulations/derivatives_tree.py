"""Derivatives of the inverse dynamics of a tree of rigid bodies in closed form.

The spatial-vector algorithm of S. Singh, R. Russell and P. Wensing ("Efficient Analytical Derivatives of Rigid-Body
Dynamics using Spatial Vector Algebra", 2022), in world axes: with the joint axes ``S``, twists ``t``, composite inertias
``I``, composite matrices ``B`` (``B t = t x* I t``) and composite wrenches ``f``, for a node ``j`` on the path of node
``i``,

    psi' = t_parent x S,   psi'' = a_parent x S + t_parent x psi',   S' = t x S,
    d tau_i/d q_j = S_i^T (2 B_i psi'_j + I_i psi''_j),   d tau_i/d v_j = S_i^T (2 B_i S_j + I_i (psi'_j + S'_j)),
    d tau_j/d q_i = S_j^T (2 B_i psi'_i + I_i psi''_i + S_i x* f_i),
    d tau_j/d v_i = S_j^T (2 B_i S_i + I_i (psi'_i + S'_i)),   M_ij = S_i^T I_i S_j.

A recursion makes the vectors, one for each velocity; the products of all pairs are rows of matrix products, with six
or nine terms. It needs rigid bodies and joint axes that are constant in moving axes (no planar joints).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import casadi as ca

from dalembert.compile.rows import Block, Cell, RowsBuilder
from dalembert.formulations.joint_kinematics import joint_subspace
from dalembert.formulations.tree_model import TreeModel
from dalembert.model.tree import merged_inertia
from dalembert.spatial.rotations import cross_matrix

__all__ = ["TreeCells", "is_plain", "tree_cells"]

Cells = list[dict[int, Cell]]


class TreeCells(NamedTuple):
    """How the entries of d tau/d q, d tau/d v and M are computed, row by row."""

    by_q: Cells
    by_v: Cells
    mass: Cells


def is_plain(model: TreeModel) -> bool:
    """Whether all joint axes are constant in moving axes and all bodies rigid."""
    rigid = all(node.beam is None for node in model.tree.nodes)
    return rigid and all(node.joint.kind != "planar" for node in model.tree.nodes)


def tree_cells(board: RowsBuilder, model: TreeModel, a: Any) -> TreeCells:
    """Put the vectors of a tree on the board, and say how the derivatives follow from them.

    Parameters
    ----------
    board
        Gets the vectors.
    model
        The tree.
    a
        Accelerations.
    """
    tree, nv = model.tree, model.tree.nv
    u = _vectors(model, a)
    node_of = [i for i, node in enumerate(tree.nodes) for _ in range(node.v.start, node.v.stop)]
    paths = [set(tree.path(i)) for i in range(len(tree.nodes))]
    S, IS, row_B = (_Given.on(board, x) for x in (u.S, u.inertia_S, u.row_B))
    psi_w, psi2, slope = (_Given.on(board, x) for x in (u.psi[3:, :], u.psi2, u.slope))
    own_q, rate_q, rate_v = (_Given.on(board, x) for x in (u.own_q, u.rate_q, u.rate_v))
    S_w = _Given(S.block.part(3, 0, 3, nv), S.matrix[3:, :])
    springs = ca.jacobian(model.spring_force, model.variables.q) @ ca.jacobian(
        model.coordinate_rates(), model.variables.v
    )
    spring, armature = board.give(springs), board.give(ca.SX(model.armature).T)
    by_q: Cells = [{} for _ in range(nv)]
    by_v: Cells = [{} for _ in range(nv)]
    mass: Cells = [{} for _ in range(nv)]
    for r in range(nv):
        inward_q = row_B.times(r, psi_w) + IS.times(r, psi2)
        inward_v = row_B.times(r, S_w) + IS.times(r, slope)
        here = node_of[r]
        for c in range(nv):
            there = node_of[c]
            start = spring.place(r) if not springs[r, c].is_zero() else None
            if there == here or here in paths[there]:
                by_q[r][c] = start, S.times(r, own_q if there == here else rate_q)
                by_v[r][c] = None, S.times(r, rate_v)
            elif there in paths[here]:
                by_q[r][c] = start, inward_q
                by_v[r][c] = None, inward_v
            elif start is not None:
                by_q[r][c] = start, ()
            if there in paths[here] or here in paths[there]:
                inertia = armature.place(0) if c == r and not model.armature[r].is_zero() else None
                mass[r][c] = inertia, IS.times(r, S) if c <= r else S.times(r, IS)
    return TreeCells(by_q, by_v, mass)


@dataclass(frozen=True)
class _Given:
    """A matrix, and where it is on the board."""

    block: Block
    matrix: Any

    @classmethod
    def on(cls, board: RowsBuilder, matrix: Any) -> _Given:
        return cls(board.give(matrix), matrix)

    def times(self, column: int, other: _Given) -> tuple[tuple[int, int], ...]:
        """Terms of the product of a column of this matrix, transposed, and another matrix."""
        return tuple(
            (self.block.place(k, column), other.block.place(k))
            for k in range(self.block.rows)
            if not self.matrix[k, column].is_zero()
        )


class _Vectors(NamedTuple):
    """Six numbers (three in ``row_B``) for each velocity; ``own_q`` stands for ``rate_q`` within a joint."""

    S: Any
    psi: Any
    psi2: Any
    slope: Any
    inertia_S: Any
    row_B: Any
    own_q: Any
    rate_q: Any
    rate_v: Any


class _Composite(NamedTuple):
    """Composite quantities in world axes: mass, first moment, inertia; B = [0, -h^; 0, E]; and the wrench."""

    m: Any
    c: Any
    D: Any
    h: Any
    E: Any
    f: Any

    def plus(self, other: _Composite) -> _Composite:
        return _Composite(*(a + b for a, b in zip(self, other, strict=True)))

    def inertia(self, S: Any) -> Any:
        """``I S``, column by column."""
        return ca.horzcat(*[_inertia_times(self.m, self.c, self.D, S[:, k]) for k in range(S.shape[1])])

    def coriolis(self, S: Any) -> Any:
        """``B S``; only the angular part counts."""
        return ca.vertcat(-cross_matrix(self.h) @ S[3:, :], self.E @ S[3:, :])


def _vectors(model: TreeModel, accelerations: Any) -> _Vectors:
    nodes, x = model.tree.nodes, model.variables
    still, world = ca.SX(6, 1), ca.vertcat(-model.gravity_vector, ca.SX(3, 1))
    outward: list[tuple[Any, Any, Any, Any]] = []
    t: list[Any] = []
    a: list[Any] = []
    composite: list[_Composite] = []
    for i, node in enumerate(nodes):
        R, p = model.world_poses[i]
        P = joint_subspace(node.joint, x.q[node.q])
        S_w = R @ P[3:, :]
        S = ca.vertcat(R @ P[:3, :] + cross_matrix(p) @ S_w, S_w)
        t_p, a_p = (still, world) if node.parent < 0 else (t[node.parent], a[node.parent])
        psi = _motion_cross(t_p, S)
        psi2 = _motion_cross(a_p, S) + _motion_cross(t_p, psi)
        v = x.v[node.v]
        t_i = t_p + S @ v
        # The rate of S is t_i x S; the part of it due to the joint's own twist does not change S v, so that psi v is left.
        a_i = a_p + psi @ v + S @ accelerations[node.v]
        m, c, D = _world_inertia(model, i)
        momentum = _inertia_times(m, c, D, t_i)
        f = _inertia_times(m, c, D, a_i) + _force_cross(t_i, momentum)
        composite.append(_Composite(m, c, D, momentum[:3], _rotary(t_i, c, D, momentum), f))
        outward.append((S, psi, psi2, psi + _motion_cross(t_i, S)))
        t.append(t_i)
        a.append(a_i)
    inward: list[tuple[Any, ...]] = [()] * len(nodes)
    for i in range(len(nodes) - 1, -1, -1):
        I_i, (S, psi, psi2, slope) = composite[i], outward[i]
        own_q = 2 * I_i.coriolis(psi) + I_i.inertia(psi2)
        # Within a joint the axes turn with the wrench, and the last term drops out; for one axis it is zero.
        rate_q = own_q + ca.horzcat(*[_force_cross(S[:, k], I_i.f) for k in range(S.shape[1])])
        rate_v = 2 * I_i.coriolis(S) + I_i.inertia(slope)
        # Twice the rows of S^T B, of which only the angular part counts.
        row_B = 2 * (cross_matrix(I_i.h) @ S[:3, :] + I_i.E.T @ S[3:, :])
        inward[i] = I_i.inertia(S), row_B, own_q if S.shape[1] > 1 else rate_q, rate_q, rate_v
        if nodes[i].parent >= 0:
            composite[nodes[i].parent] = composite[nodes[i].parent].plus(I_i)
    rows = [(*o, *w) for o, w in zip(outward, inward, strict=True)]
    return _Vectors(*(ca.horzcat(*column) for column in zip(*rows, strict=True)))


def _world_inertia(model: TreeModel, i: int) -> tuple[Any, Any, Any]:
    """Mass, first moment and inertia of a node about the world's origin, in world axes."""
    m, c, I_o = merged_inertia(model.tree.nodes[i], model.variables.value)
    R, p = model.world_poses[i]
    c_r = R @ c
    P = cross_matrix(p)
    mixed = P @ cross_matrix(c_r)
    D = R @ I_o @ R.T - mixed - mixed.T - m * (P @ P)
    return ca.SX(m), c_r + m * p, ca.triu2symm(ca.triu(D))


def _inertia_times(m: Any, c: Any, D: Any, t: Any) -> Any:
    return ca.vertcat(m * t[:3] + ca.cross(t[3:], c), ca.cross(c, t[:3]) + D @ t[3:])


def _rotary(t: Any, c: Any, D: Any, momentum: Any) -> Any:
    """Angular block of B: half of the rate of D minus the cross matrix of the angular momentum."""
    V, C, W = cross_matrix(t[:3]), cross_matrix(c), cross_matrix(t[3:])
    turn = W @ D
    slide = V @ C
    # D' = w^ D - D w^ - v^ c^ - c^ v^ for a body that turns with w and whose origin point moves with v.
    return (turn + turn.T - slide - slide.T - cross_matrix(momentum[3:])) / 2


def _motion_cross(t: Any, S: Any) -> Any:
    """``t x S``, column by column."""
    V, W = cross_matrix(t[:3]), cross_matrix(t[3:])
    return ca.vertcat(W @ S[:3, :] + V @ S[3:, :], W @ S[3:, :])


def _force_cross(t: Any, f: Any) -> Any:
    """``t x* f``."""
    return ca.vertcat(ca.cross(t[3:], f[:3]), ca.cross(t[3:], f[3:]) + ca.cross(t[:3], f[:3]))
