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

A column stands for each velocity; what belongs to a body is the same in all columns of its joint.
"""

from __future__ import annotations

import casadi as ca

from dalembert.compile.rows import Block, aligned
from dalembert.compile.rows_builder import Cell, RowsBuilder
from dalembert.core.types import Expression
from dalembert.formulations.tree.model import TreeModel
from dalembert.model.tree import Node, merged_inertia
from dalembert.spatial.rotations import cross_matrix

__all__ = ["Cells", "TreeDerivatives", "is_plain"]

Cells = list[dict[int, Cell]]
"""How the entries of a matrix that are not zero are computed, row by row."""


def is_plain(model: TreeModel) -> bool:
    """Whether all joint axes are constant in moving axes and all bodies rigid."""
    rigid = all(node.beam is None for node in model.tree.nodes)
    return rigid and all(node.joint.info.constant for node in model.tree.nodes)


class TreeDerivatives:
    """Stages on a board: first what does not depend on the accelerations of the joints, then the rest.

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
        nodes, nv, x = model.tree.nodes, model.tree.nv, model.variables
        self._node_of = [i for i, node in enumerate(nodes) for _ in _velocities(node)]
        self._paths = [set(model.tree.path(i)) for i in range(len(nodes))]
        springs = ca.jacobian(model.spring_force, x.q) @ ca.jacobian(model.coordinate_rates(), x.v)
        self._springs, armature = _Sparse(board, springs), _Sparse(board, ca.diag(model.armature))
        R, p, inertia, self._S, self._t_p, self._t, self._a_p, a = map(board.give, _outward(model))
        bodies = board.block(27, nv)
        board.map(_body, [R, p, inertia, self._t, a], [bodies])
        self._composite = board.give(_inward(model, board.read(inertia)[:1, :], board.read(bodies)))
        self._IS, self._row_B, self.bias = board.block(6, nv), board.block(3, nv), board.block(1, nv)
        board.map(_axis, [self._S, self._composite], [self._IS, self._row_B, self.bias])
        self.mass: Cells = [{} for _ in range(nv)]
        for r, c in self._pairs():
            left, right = (self._IS, self._S) if c <= r else (self._S, self._IS)
            self.mass[r][c] = armature.start(r, c), _product(r, left, right)

    def at(self, a: Expression) -> tuple[Cells, Cells]:
        """Append the stages at accelerations `a`; return how d tau/d q and d tau/d v are computed."""
        board, nv = self._board, self._model.tree.nv
        added = [board.give(x) for x in _accelerate(self._model, board.read(self._S), board.read(self._IS), a)]
        # What d tau/d v needs lies beside what d tau/d q needs, so that they can be computed together.
        step = aligned(nv)
        below, within, above = (board.block(rows, step + nv) for rows in (6, 6, 9))
        halves = [block.submatrix(0, first, block.rows, nv) for block in (below, within, above) for first in (0, step)]
        board.map(_rates, [self._S, self._t_p, self._t, self._a_p, self._composite, *added], halves)
        by_q: Cells = [{} for _ in range(nv)]
        by_v: Cells = [{} for _ in range(nv)]
        for r, c in self._pairs():
            here, there = self._node_of[r], self._node_of[c]
            if here == there and len(_velocities(self._model.tree.nodes[here])) > 1:
                terms = _product(r, self._S, within)
            elif here in self._paths[there]:
                terms = _product(r, self._S, below)
            else:
                terms = _product(r, self._row_B, above) + _product(r, self._IS, above.submatrix(3, 0, 6, nv))
            by_q[r][c] = None, terms
            by_v[r][c] = None, tuple((f, x + step) for f, x in terms)
        for r, c in self._springs.entries:
            by_q[r][c] = self._springs.start(r, c), by_q[r].get(c, (None, ()))[1]
        return by_q, by_v

    def _pairs(self) -> list[tuple[int, int]]:
        """Velocities of joints of which one carries the other."""
        paths, node_of = self._paths, self._node_of
        count = range(len(node_of))
        return [
            (r, c) for r in count for c in count if node_of[r] in paths[node_of[c]] or node_of[c] in paths[node_of[r]]
        ]


class _Sparse:
    """The entries of a matrix that are not zero, in one row of the board."""

    def __init__(self, board: RowsBuilder, matrix: Expression) -> None:
        rows, columns = map(range, matrix.shape)
        self.entries = [(i, j) for i in rows for j in columns if not ca.densify(matrix[i, j]).is_zero()]
        self._block = board.give(ca.horzcat(ca.SX(1, 0), *(matrix[i, j] for i, j in self.entries)))

    def start(self, i: int, j: int) -> int | None:
        """Where row i would start, were entry (i, j) in it; None if the entry is zero."""
        return self._block.place(0, self.entries.index((i, j))) - j if (i, j) in self.entries else None


def _product(r: int, left: Block, right: Block) -> tuple[tuple[int, int], ...]:
    """Terms of row r of the product of two matrices, the first one transposed."""
    return tuple((left.place(k, r), right.place(k)) for k in range(left.rows))


def _velocities(node: Node) -> range:
    return range(node.v.start, node.v.stop)


def _outward(model: TreeModel) -> tuple[Expression, ...]:
    """Poses, inertias and axes; twists of parent and body; accelerations of both, in a world that gravity lifts."""
    x = model.variables
    still, world = ca.SX(6, 1), ca.vertcat(-model.gravity_vector, ca.SX(3, 1))
    t: list[Expression] = []
    a: list[Expression] = []
    columns: list[tuple[Expression, ...]] = []
    for i, node in enumerate(model.tree.nodes):
        R, p = model.world_poses[i]
        P = model.joints[i].subspace(x.q[node.q])
        S_w = R @ P[3:, :]
        S = ca.vertcat(R @ P[:3, :] + cross_matrix(p) @ S_w, S_w)
        t_p, a_p = (still, world) if node.parent < 0 else (t[node.parent], a[node.parent])
        t_r = S @ x.v[node.v]
        t.append(t_p + t_r)
        # The rate of S is t x S, of which t_r x S does not change S v.
        a.append(a_p + _motion_cross(t_p, t_r))
        m, c, I_o = merged_inertia(node, x.value)
        inertia = ca.vertcat(m, c, _six(I_o))
        columns += [(ca.vec(R), p, inertia, S[:, k], t_p, t[i], a_p, a[i]) for k in range(S.shape[1])]
    return tuple(ca.horzcat(*row) for row in zip(*columns, strict=True))


def _body(R: Expression, p: Expression, inertia: Expression, t: Expression, a: Expression) -> list[Expression]:
    """First moment, inertia, ``B = [0, -h^; 0, E]`` and wrench of a body about the world's origin, in world axes."""
    R = ca.reshape(R, 3, 3)
    m, c_r, P = inertia[0], R @ inertia[1:4], cross_matrix(p)
    mixed = P @ cross_matrix(c_r)
    c, D = c_r + m * p, _full(_six(R @ _full(inertia[4:]) @ R.T - mixed - mixed.T - m * (P @ P)))
    momentum = _inertia_times(m, c, D, t)
    # D' = w^ D - D w^ - v^ c^ - c^ v^ for a body that turns with w and whose origin point moves with v; E is half of
    # what is left of it without the cross matrix of the angular momentum.
    turn, slide = cross_matrix(t[3:]) @ D, cross_matrix(t[:3]) @ cross_matrix(c)
    E = (turn + turn.T - slide - slide.T - cross_matrix(momentum[3:])) / 2
    f = _inertia_times(m, c, D, a) + _force_cross(t, momentum)
    return [ca.vertcat(c, _six(D), momentum[:3], ca.vec(E), f)]


def _inward(model: TreeModel, m: Expression, bodies: Expression) -> Expression:
    """Sums over the bodies that a joint carries; masses come first."""
    nodes = model.tree.nodes
    total = [ca.vertcat(m[0, node.v.start], bodies[:, node.v.start]) for node in nodes]
    for i in range(len(nodes) - 1, -1, -1):
        if nodes[i].parent >= 0:
            total[nodes[i].parent] += total[i]
    return ca.horzcat(*(total[i] for i, node in enumerate(nodes) for _ in _velocities(node)))


def _composite(x: Expression) -> tuple[Expression, ...]:
    """m, c, D, h, E and f of a column of `_inward`."""
    return x[0], x[1:4], _full(x[4:10]), x[10:13], ca.reshape(x[13:22], 3, 3), x[22:]


def _axis(S: Expression, composite: Expression) -> list[Expression]:
    """``I S``; twice the row ``S^T B``, of which only the angular part is not zero; and the bias force."""
    m, c, D, h, E, f = _composite(composite)
    return [_inertia_times(m, c, D, S), 2 * (ca.cross(h, S[:3]) + E.T @ S[3:]), ca.dot(S, f)]


def _accelerate(model: TreeModel, S: Expression, IS: Expression, a: Expression) -> tuple[Expression, ...]:
    """What accelerations of the joints add: to those of parent and body, and to the wrench of what is beyond."""
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
    spread = [i for i, node in enumerate(nodes) for _ in _velocities(node)]
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
    m, c, D, h, E, f = _composite(composite)

    def B_times(w: Expression) -> Expression:
        return ca.vertcat(ca.cross(w, h), E @ w)

    psi = _motion_cross(t_p, S)
    psi2 = _motion_cross(a_p + da_p, S) + _motion_cross(t_p, psi)
    slope = psi + _motion_cross(t, S)
    within_q = 2 * B_times(psi[3:]) + _inertia_times(m, c, D, psi2)
    # Within a joint the axes turn with the wrench, and this term drops out; for one axis S^T (S x* f) = 0 anyway.
    below_q = within_q + _force_cross(S, f + beyond + _inertia_times(m, c, D, da))
    by_v = 2 * B_times(S[3:]) + _inertia_times(m, c, D, slope)
    return [below_q, by_v, within_q, by_v, ca.vertcat(psi[3:], psi2), ca.vertcat(S[3:], slope)]


def _six(D: Expression) -> Expression:
    """Numbers of a symmetric matrix."""
    return ca.vertcat(D[0, 0], D[0, 1], D[0, 2], D[1, 1], D[1, 2], D[2, 2])


def _full(d: Expression) -> Expression:
    """Symmetric matrix of six numbers."""
    return ca.vertcat(ca.horzcat(d[0], d[1], d[2]), ca.horzcat(d[1], d[3], d[4]), ca.horzcat(d[2], d[4], d[5]))


def _inertia_times(m: Expression, c: Expression, D: Expression, t: Expression) -> Expression:
    return ca.vertcat(m * t[:3] + ca.cross(t[3:], c), ca.cross(c, t[:3]) + D @ t[3:])


def _motion_cross(t: Expression, s: Expression) -> Expression:
    """``t x s``."""
    return ca.vertcat(ca.cross(t[3:], s[:3]) + ca.cross(t[:3], s[3:]), ca.cross(t[3:], s[3:]))


def _force_cross(t: Expression, f: Expression) -> Expression:
    """``t x* f``."""
    return ca.vertcat(ca.cross(t[3:], f[:3]), ca.cross(t[3:], f[3:]) + ca.cross(t[:3], f[:3]))
