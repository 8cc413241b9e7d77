"""Derivatives of the inverse dynamics of a tree of rigid bodies in closed form.

The spatial-vector algorithm of S. Singh, R. Russell and P. Wensing ("Efficient Analytical Derivatives of Rigid-Body
Dynamics using Spatial Vector Algebra", 2022), in world axes: with the joint axes ``S``, twists ``t``, composite
inertias ``I``, composite matrices ``B`` (``B t = t x* I t``) and composite wrenches ``f``, for a node ``j`` on the path
of node ``i``,

    psi' = t_parent x S,   psi'' = a_parent x S + t_parent x psi',   S' = t x S,
    d tau_i/d q_j = S_i^T (2 B_i psi'_j + I_i psi''_j),   d tau_i/d v_j = S_i^T (2 B_i S_j + I_i (psi'_j + S'_j)),
    d tau_j/d q_i = S_j^T (2 B_i psi'_i + I_i psi''_i + S_i x* f_i),
    d tau_j/d v_i = S_j^T (2 B_i S_i + I_i (psi'_i + S'_i)),   M_ij = S_i^T I_i S_j.

It needs rigid bodies and joint axes that are constant in moving axes (no planar and universal joints).

It runs in stages (``compile/rows.py``): a recursion outward makes poses, twists, and accelerations for joints
that do not accelerate; inertias, momenta and wrenches of all bodies follow by one formula; a recursion inward adds them
up; the vectors of all axes follow by one formula; the products of all pairs are rows of products of matrices. The
accelerations of the joints may depend on the mass matrix and on the bias forces, which are known half way. With
``da``, the sum of ``S a`` along a path, they add to the composite wrenches

    df_i = I_i da_i + sum of I_j S_j a_j over the joints j beyond i.

A column stands for each velocity; values of a body are the same in all columns of its joint.
"""

from __future__ import annotations

import casadi as ca

from dalembert.compile.rows import aligned
from dalembert.compile.rows_builder import RowsBuilder
from dalembert.core.types import Expression
from dalembert.formulations.base import BoardSolver
from dalembert.formulations.factorization import BoardFactors
from dalembert.formulations.tree.composite import (
    Cells,
    SparseRow,
    VelocityPairs,
    force_cross,
    inertia_times,
    inward_sums,
    is_large,
    is_rigid,
    momentum_matrix,
    motion_cross,
    moved_inertia,
    places_in_trees,
    row_product,
    six_numbers,
    velocities,
)
from dalembert.formulations.tree.model import TreeModel
from dalembert.formulations.tree.sweeps import BoardSweeps
from dalembert.model.tree import merged_inertia
from dalembert.spatial.rotations import cross_matrix

__all__ = ["TreeDerivatives", "is_plain"]


def is_plain(model: TreeModel) -> bool:
    """Whether all joint axes are constant in moving axes, all bodies rigid, and no body carries a rotor."""
    return is_rigid(model) and not model.rotors and all(node.joint.info.constant for node in model.tree.nodes)


class TreeDerivatives:
    """Stages on a board: first the terms that do not depend on the accelerations of the joints, then the rest.

    Parameters
    ----------
    board
        Gets the stages.
    model
        The tree.

    Attributes
    ----------
    mass
        How the mass matrix is computed.
    bias
        Where the forces ``C v + g`` are, a row; springs are left out.
    spring_force
        The forces of the springs.
    """

    def __init__(self, board: RowsBuilder, model: TreeModel) -> None:
        self._board, self._model = board, model
        self.spring_force = model.spring_force
        nv, x = model.tree.nv, model.variables
        self._pairs = VelocityPairs(model)
        springs = ca.jacobian(model.spring_force, x.q) @ ca.jacobian(model.coordinate_rates(), x.v)
        self._springs, armature = SparseRow(board, springs), SparseRow(board, ca.diag(model.armature))
        R, p, inertia, self._S, self._t_p, self._t, self._a_p, a = map(board.give, _outward(model))
        bodies = board.block(27, nv)
        board.map(_body, [R, p, inertia, self._t, a], [bodies])
        self._composite = board.give(inward_sums(model, board.read(inertia)[:1, :], board.read(bodies)))
        self._IS, self._row_B, self.bias = board.block(6, nv), board.block(3, nv), board.block(1, nv)
        board.map(_axis, [self._S, self._composite], [self._IS, self._row_B, self.bias])
        self.mass = self._pairs.mass(self._S, self._IS, armature)
        self._inertia = ca.vertcat(board.read(inertia)[:1, :], board.read(bodies)[:9, :])

    def factors(self) -> BoardSolver:
        """Append the stages that factorise the mass matrix: as it is, or along a large tree."""
        if is_large(self._model):
            return BoardSweeps(self._board, self._model, self._S, self._inertia)
        return BoardFactors(self._board, self.mass)

    def at(self, a: Expression) -> tuple[Cells, Cells]:
        """Append the stages at accelerations `a`; return how d tau/d q and d tau/d v are computed."""
        board, nv = self._board, self._model.tree.nv
        added = [board.give(x) for x in _accelerate(self._model, board.read(self._S), board.read(self._IS), a)]
        # The terms of d tau/d v lie next to those of d tau/d q, so that they can be computed together.
        step = aligned(nv)
        below, within, above = (board.block(rows, step + nv) for rows in (6, 6, 9))
        halves = [block.submatrix(0, first, block.rows, nv) for block in (below, within, above) for first in (0, step)]
        board.map(_rates, [self._S, self._t_p, self._t, self._a_p, self._composite, *added], halves)
        by_q: Cells = [{} for _ in range(nv)]
        by_v: Cells = [{} for _ in range(nv)]
        for r, c in self._pairs:
            if self._pairs.same(r, c) and self._pairs.width(r) > 1:
                terms = row_product(r, self._S, within)
            elif self._pairs.carries(r, c):
                terms = row_product(r, self._S, below)
            else:
                terms = row_product(r, self._row_B, above) + row_product(r, self._IS, above.submatrix(3, 0, 6, nv))
            by_q[r][c] = None, terms
            by_v[r][c] = None, tuple((f, x + step) for f, x in terms)
        for r, c in self._springs.entries:
            by_q[r][c] = self._springs.start(r, c), by_q[r].get(c, (None, ()))[1]
        return by_q, by_v


def _outward(model: TreeModel) -> tuple[Expression, ...]:
    """Poses, inertias and axes; twists of parent and body; accelerations of both, in a world that gravity lifts.

    Places of large trees are taken from their outermost nodes, see ``formulations/tree/composite.py``.
    """
    x = model.variables
    near = [p - tip for p, tip in places_in_trees(model)] if is_large(model) else [p for _, p in model.world_poses]
    still, world = ca.SX(6, 1), ca.vertcat(-model.gravity_vector, ca.SX(3, 1))
    t: list[Expression] = []
    a: list[Expression] = []
    columns: list[tuple[Expression, ...]] = []
    for i, node in enumerate(model.tree.nodes):
        R, p = model.world_poses[i][0], near[i]
        P = model.joints[i].subspace(x.q[node.q])
        S_w = R @ P[3:, :]
        S = ca.vertcat(R @ P[:3, :] + cross_matrix(p) @ S_w, S_w)
        t_p, a_p = (still, world) if node.parent < 0 else (t[node.parent], a[node.parent])
        t_r = S @ x.v[node.v]
        t.append(t_p + t_r)
        # The rate of S is t x S, of which t_r x S does not change S v.
        a.append(a_p + motion_cross(t_p, t_r))
        m, c, I_o = merged_inertia(node, x.value)
        inertia = ca.vertcat(m, c, six_numbers(I_o))
        columns += [(ca.vec(R), p, inertia, S[:, k], t_p, t[i], a_p, a[i]) for k in range(S.shape[1])]
    return tuple(ca.horzcat(*row) for row in zip(*columns, strict=True))


def _body(R: Expression, p: Expression, inertia: Expression, t: Expression, a: Expression) -> list[Expression]:
    """First moment, inertia, ``B = [0, -h^; 0, E]`` and wrench of a body about the world's origin, in world axes."""
    moved = moved_inertia(ca.reshape(R, 3, 3), p, inertia)
    momentum, E = momentum_matrix(moved, t)
    f = inertia_times(moved, a) + force_cross(t, momentum)
    return [ca.vertcat(moved[1:], momentum[:3], ca.vec(E), f)]


def _composite(x: Expression) -> tuple[Expression, ...]:
    """Inertia, h, E and f of a column of sums."""
    return x[:10], x[10:13], ca.reshape(x[13:22], 3, 3), x[22:]


def _axis(S: Expression, composite: Expression) -> list[Expression]:
    """``I S``; twice the row ``S^T B``, of which only the angular part is not zero; and the bias force."""
    inertia, h, E, f = _composite(composite)
    return [inertia_times(inertia, S), 2 * (ca.cross(h, S[:3]) + E.T @ S[3:]), ca.dot(S, f)]


def _accelerate(model: TreeModel, S: Expression, IS: Expression, a: Expression) -> tuple[Expression, ...]:
    """Contributions of joint accelerations: to those of parent and body, and to the wrench of the nodes beyond."""
    nodes = model.tree.nodes
    parent: list[Expression] = []
    body: list[Expression] = []
    beyond = [ca.SX(6, 1) for _ in nodes]
    for node in nodes:
        parent.append(ca.SX(6, 1) if node.parent < 0 else body[node.parent])
        body.append(parent[-1] + S[:, node.v] @ a[node.v])
    for i in range(len(nodes) - 1, -1, -1):
        if nodes[i].parent >= 0:
            beyond[nodes[i].parent] += beyond[i] + IS[:, nodes[i].v] @ a[nodes[i].v]
    spread = [i for i, node in enumerate(nodes) for _ in velocities(node)]
    return tuple(ca.horzcat(*(x[i] for i in spread)) for x in (parent, body, beyond))


def _rates(
    S: Expression,
    t_p: Expression,
    t: Expression,
    a_p: Expression,
    composite: Expression,
    da_p: Expression,
    da: Expression,
    beyond: Expression,
) -> list[Expression]:
    """Factors of ``S_j^T`` in rows above, within a joint, and of ``[2 S^T B, S^T I]`` in rows below; by q and by v."""
    inertia, h, E, f = _composite(composite)

    def B_times(w: Expression) -> Expression:
        return ca.vertcat(ca.cross(w, h), E @ w)

    psi = motion_cross(t_p, S)
    psi2 = motion_cross(a_p + da_p, S) + motion_cross(t_p, psi)
    slope = psi + motion_cross(t, S)
    within_q = 2 * B_times(psi[3:]) + inertia_times(inertia, psi2)
    # Within a joint the axes turn with the wrench, and this term drops out; for one axis S^T (S x* f) = 0 anyway.
    below_q = within_q + force_cross(S, f + beyond + inertia_times(inertia, da))
    by_v = 2 * B_times(S[3:]) + inertia_times(inertia, slope)
    return [below_q, by_v, within_q, by_v, ca.vertcat(psi[3:], psi2), ca.vertcat(S[3:], slope)]
