"""Mass matrix and Coriolis matrix of a tree of rigid bodies in stages, for trees whose matrices are large.

In world axes, with the joint axes ``S``, twists ``t``, composite inertias ``I`` and composite matrices ``B``
(``B t = t x* I t``, ``B + B^T = I'``), for a node ``j`` beyond node ``i`` or the same,

    M_ij = M_ji = S_i^T I_j S_j,    C_ij = S_i^T (B_j S_j + I_j S'_j),    C_ji = S_j^T B_j S_i + (I_j S_j)^T S'_i,

where ``S' = t x S + X P'`` for an axis ``P`` in the axes of its node, ``S = X P``. These are the matrices of
``formulations/tree/coriolis.py`` and of the composite bodies of ``formulations/tree/newton_euler.py``. Written out as
scalar operations, their pairs of nodes make a tape that grows with the square of the length of a chain. In stages
(``compile/rows.py``) only the recursions along the tree are tapes, which grow with its length and repeat themselves
link by link; operations on each node are a map, and operations on each pair are a row of a product of matrices.

All vectors are taken about one point of each tree, the origin of its outermost node. There ``I_j S_j`` is as large as
the motion of the bodies beyond ``j``, so that the products do not cancel as they would about a point that is far away.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import casadi as ca

from dalembert.compile.rows import Block
from dalembert.compile.rows_builder import Cell, RowsBuilder
from dalembert.core.types import Expression
from dalembert.formulations.tree.model import TreeModel
from dalembert.model.tree import Node, merged_inertia
from dalembert.spatial.rotations import cross_matrix

__all__ = [
    "LARGE",
    "Cells",
    "SparseRow",
    "VelocityPairs",
    "beside",
    "coriolis_cells",
    "force_cross",
    "full_matrix",
    "inertia_times",
    "inward_sums",
    "is_large",
    "is_rigid",
    "mass_cells",
    "momentum_matrix",
    "motion_cross",
    "moved_inertia",
    "places_in_trees",
    "row_product",
    "six_numbers",
    "velocities",
]

Cells = list[dict[int, Cell]]
"""How the entries of a matrix that are not zero are computed, row by row."""


LARGE = 2000
"""Entries of a mass matrix that are not zero from which on it is written in stages: a chain of 45 links. A shorter tape
is evaluated in less time, and built in a few seconds."""


def is_rigid(model: TreeModel) -> bool:
    """Whether all bodies are rigid."""
    return all(node.elastic is None for node in model.tree.nodes)


def is_large(model: TreeModel) -> bool:
    """Whether the matrices of a tree have so many entries that a tape of them would be too long."""
    return model.tree.nv**2 >= LARGE and sum(1 for _ in VelocityPairs(model)) >= LARGE


def mass_cells(board: RowsBuilder, model: TreeModel) -> Cells:
    """Append the stages of the mass matrix; return how its entries are computed."""
    armature = SparseRow(board, ca.diag(model.armature))
    bodies = _Bodies.of(board, model)
    composite = board.give(inward_sums(model, board.read(bodies.inertia)))
    IS = board.block(6, model.tree.nv)
    board.map(lambda S, inertia: [inertia_times(inertia, S)], [bodies.S, composite], [IS])
    return VelocityPairs(model).mass(bodies.S, IS, armature)


def coriolis_cells(board: RowsBuilder, model: TreeModel) -> Cells:
    """Append the stages of the Coriolis matrix; return how its entries are computed."""
    nv, pairs = model.tree.nv, VelocityPairs(model)
    bodies = _Bodies.of(board, model)
    turning = board.give(_axis_rates(model))
    t = board.give(_twists(model, board.read(bodies.S)))
    rates, motion = board.block(6, nv), board.block(12, nv)
    board.map(_moving, [bodies.pose, turning, bodies.S, bodies.inertia, t], [rates, motion])
    composite = board.give(inward_sums(model, board.read(bodies.inertia), board.read(motion)))
    IS, row_B, F = board.block(6, nv), board.block(3, nv), board.block(6, nv)
    board.map(_axis_products, [bodies.S, rates, composite], [IS, row_B, F])
    C: Cells = [{} for _ in range(nv)]
    turns = bodies.S.submatrix(3, 0, 3, nv)
    for r, c in pairs:
        beyond = row_product(r, bodies.S, F)
        C[r][c] = None, beyond if pairs.carries(r, c) else row_product(r, row_B, turns) + row_product(r, IS, rates)
    return C


class VelocityPairs:
    """Velocities of joints of which one carries the other, row by row.

    Parameters
    ----------
    model
        The tree.
    """

    def __init__(self, model: TreeModel) -> None:
        tree = model.tree
        paths = [frozenset(tree.path(i)) for i in range(len(tree.nodes))]
        self._node_of = [i for i, node in enumerate(tree.nodes) for _ in velocities(node)]
        self._path_of = [paths[i] for i in self._node_of]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Yield (row, column)."""
        n = range(len(self._node_of))
        return ((r, c) for r in n for c in n if self.carries(r, c) or self.carries(c, r))

    def carries(self, r: int, c: int) -> bool:
        """Whether the joint of velocity r carries that of velocity c, or is the same."""
        return self._node_of[r] in self._path_of[c]

    def same(self, r: int, c: int) -> bool:
        """Whether two velocities are of one joint."""
        return self._node_of[r] == self._node_of[c]

    def width(self, r: int) -> int:
        """Number of velocities of the joint that velocity r is of."""
        return self._node_of.count(self._node_of[r])

    def mass(self, S: Block, IS: Block, armature: SparseRow) -> Cells:
        """How the mass matrix is computed from the axes and ``I S``."""
        M: Cells = [{} for _ in self._node_of]
        for r, c in self:
            left, right = (IS, S) if c <= r else (S, IS)
            M[r][c] = armature.start(r, c), row_product(r, left, right)
        return M


class SparseRow:
    """The entries of a matrix that are not zero, in one row of the board.

    Parameters
    ----------
    board
        Gets the row.
    matrix
        The matrix.
    """

    def __init__(self, board: RowsBuilder, matrix: Expression) -> None:
        matrix = ca.sparsify(matrix)
        self.entries = sorted(zip(*matrix.sparsity().get_triplet(), strict=True))
        self._places = {entry: k for k, entry in enumerate(self.entries)}
        self._block = board.give(ca.horzcat(ca.SX(1, 0), *(matrix[i, j] for i, j in self.entries)))

    def start(self, i: int, j: int) -> int | None:
        """Where row i would start, were entry (i, j) in it; None if the entry is zero."""
        return self._block.place(0, self._places[i, j]) - j if (i, j) in self._places else None


@dataclass(frozen=True)
class _Bodies:
    """Terms that do not depend on velocities, about the point of each tree; a column for each velocity.

    Parameters
    ----------
    pose
        Rotations, positions from the root of the tree, and the point that all is taken about.
    S
        Axes of the joints.
    inertia
        Mass, first moment, and inertia in six numbers of each body.
    """

    pose: Block
    S: Block
    inertia: Block

    @classmethod
    def of(cls, board: RowsBuilder, model: TreeModel) -> _Bodies:
        """Append the stages that compute it."""
        pose, data = map(board.give, _outward(model))
        S, inertia = board.block(6, model.tree.nv), board.block(10, model.tree.nv)
        board.map(_about_point, [pose, data], [S, inertia])
        return cls(pose, S, inertia)


def _outward(model: TreeModel) -> tuple[Expression, Expression]:
    """Poses and points of `_Bodies`; axes in their nodes and inertias about the origins of these."""
    nodes, x = model.tree.nodes, model.variables
    poses, data = [], []
    for i, (node, places) in enumerate(zip(nodes, places_in_trees(model), strict=True)):
        m, c, I_o = merged_inertia(node, x.value)
        pose = ca.vertcat(ca.vec(model.world_poses[i][0]), *places)
        P = model.joints[i].subspace(x.q[node.q])
        for k in range(P.shape[1]):
            poses.append(pose)
            data.append(ca.vertcat(P[:, k], m, c, six_numbers(I_o)))
    return ca.horzcat(*poses), ca.horzcat(*data)


def places_in_trees(model: TreeModel) -> list[tuple[Expression, Expression]]:
    """The place of each node, and that of the outermost node of its tree; both from the root of that tree."""
    nodes = model.tree.nodes
    root = list(range(len(nodes)))
    depth = [0] * len(nodes)
    places: list[Expression] = []
    for i, node in enumerate(nodes):
        if node.parent < 0:
            places.append(ca.SX(3, 1))
            continue
        root[i], depth[i] = root[node.parent], depth[node.parent] + 1
        places.append(places[node.parent] + model.world_poses[node.parent][0] @ model.relative_poses[i][1])
    tips = {root[i]: i for i in sorted(range(len(nodes)), key=depth.__getitem__)}
    return [(p, places[tips[r]]) for p, r in zip(places, root, strict=True)]


def _in_world(pose: Expression, P: Expression) -> Expression:
    """``X P``: an axis of a node in world axes, about the point."""
    R, p = ca.reshape(pose[:9], 3, 3), pose[9:12] - pose[12:]
    turn = R @ P[3:]
    return ca.vertcat(R @ P[:3] + ca.cross(p, turn), turn)


def _about_point(pose: Expression, data: Expression) -> list[Expression]:
    """Axis and inertia about the point, in world axes."""
    R, p = ca.reshape(pose[:9], 3, 3), pose[9:12] - pose[12:]
    return [_in_world(pose, data[:6]), moved_inertia(R, p, data[6:])]


def moved_inertia(R: Expression, p: Expression, inertia: Expression) -> Expression:
    """Mass, first moment and inertia of a body in axes in which its own are at (R, p)."""
    m, c_r, P = inertia[0], R @ inertia[1:4], cross_matrix(p)
    mixed = P @ cross_matrix(c_r)
    D = R @ full_matrix(inertia[4:]) @ R.T - mixed - mixed.T - m * (P @ P)
    return ca.vertcat(m, c_r + m * p, six_numbers(D))


def _axis_rates(model: TreeModel) -> Expression:
    """``P'`` of all axes; no rows where all are constant."""
    x, nodes = model.variables, model.tree.nodes
    if all(node.joint.info.constant for node in nodes):
        return ca.SX(0, model.tree.nv)
    rates = [joint.subspace_rate(x.q[n.q], x.v[n.v]) for n, joint in zip(nodes, model.joints, strict=True)]
    return ca.horzcat(*rates)


def _twists(model: TreeModel, S: Expression) -> Expression:
    """Twists of all bodies."""
    x, nodes = model.variables, model.tree.nodes
    t: list[Expression] = []
    for node in nodes:
        parent = ca.SX(6, 1) if node.parent < 0 else t[node.parent]
        t.append(parent + S[:, node.v] @ x.v[node.v])
    return ca.horzcat(*(t[i] for i, node in enumerate(nodes) for _ in velocities(node)))


def _moving(
    pose: Expression, turning: Expression, S: Expression, inertia: Expression, t: Expression
) -> list[Expression]:
    """``S'``; and of a body its linear momentum and ``E``, see `momentum_matrix`."""
    rate = motion_cross(t, S)
    if turning.numel():
        rate = rate + _in_world(pose, turning)
    h, E = momentum_matrix(inertia, t)
    return [rate, ca.vertcat(h[:3], ca.vec(E))]


def momentum_matrix(inertia: Expression, t: Expression) -> tuple[Expression, Expression]:
    """Momentum ``h`` of a body, and ``E`` of its matrix ``B = [0, -h^; 0, E]``."""
    c, D = inertia[1:4], full_matrix(inertia[4:])
    h = inertia_times(inertia, t)
    # D' = w^ D - D w^ - v^ c^ - c^ v^ for a body that turns with w and whose origin point moves with v; E is half of it
    # without the cross matrix of the angular momentum.
    turn, slide = cross_matrix(t[3:]) @ D, cross_matrix(t[:3]) @ cross_matrix(c)
    return h, (turn + turn.T - slide - slide.T - cross_matrix(h[3:])) / 2


def _axis_products(S: Expression, rate: Expression, composite: Expression) -> list[Expression]:
    """``I S``; the row ``S^T B``, of which only the angular part is not zero; and ``B S + I S'``."""
    inertia, h, E = composite[:10], composite[10:13], ca.reshape(composite[13:], 3, 3)
    F = ca.vertcat(ca.cross(S[3:], h), E @ S[3:]) + inertia_times(inertia, rate)
    return [inertia_times(inertia, S), ca.cross(h, S[:3]) + E.T @ S[3:], F]


def inward_sums(model: TreeModel, *bodies: Expression) -> Expression:
    """Sums over the bodies that a joint carries."""
    nodes = model.tree.nodes
    total = [ca.vertcat(*(rows[:, node.v.start] for rows in bodies)) for node in nodes]
    for i in range(len(nodes) - 1, -1, -1):
        if nodes[i].parent >= 0:
            total[nodes[i].parent] += total[i]
    return ca.horzcat(*(total[i] for i, node in enumerate(nodes) for _ in velocities(node)))


def row_product(r: int, left: Block, right: Block) -> tuple[tuple[int, int], ...]:
    """Terms of row r of the product of two matrices, the first one transposed."""
    return tuple((left.place(k, r), right.place(k)) for k in range(left.rows))


def beside(cells: Mapping[int, Cell], columns: int) -> dict[int, Cell]:
    """Cells of a row, moved to the right."""
    return {
        c + columns: (None if start is None else start - columns, tuple((f, x - columns) for f, x in terms))
        for c, (start, terms) in cells.items()
    }


def velocities(node: Node) -> range:
    """The velocities of a node's joint."""
    return range(node.v.start, node.v.stop)


def six_numbers(D: Expression) -> Expression:
    """Numbers of a symmetric matrix."""
    return ca.vertcat(D[0, 0], D[0, 1], D[0, 2], D[1, 1], D[1, 2], D[2, 2])


def full_matrix(d: Expression) -> Expression:
    """Symmetric matrix of six numbers."""
    return ca.vertcat(ca.horzcat(d[0], d[1], d[2]), ca.horzcat(d[1], d[3], d[4]), ca.horzcat(d[2], d[4], d[5]))


def inertia_times(inertia: Expression, t: Expression) -> Expression:
    """``I t`` of a mass, a first moment and an inertia in six numbers."""
    m, c, D = inertia[0], inertia[1:4], full_matrix(inertia[4:10])
    return ca.vertcat(m * t[:3] + ca.cross(t[3:], c), ca.cross(c, t[:3]) + D @ t[3:])


def motion_cross(t: Expression, s: Expression) -> Expression:
    """``t x s``."""
    return ca.vertcat(ca.cross(t[3:], s[:3]) + ca.cross(t[:3], s[3:]), ca.cross(t[3:], s[3:]))


def force_cross(t: Expression, f: Expression) -> Expression:
    """``t x* f``."""
    return ca.vertcat(ca.cross(t[3:], f[:3]), ca.cross(t[3:], f[3:]) + ca.cross(t[:3], f[:3]))
