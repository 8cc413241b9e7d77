"""Solutions of ``M x = b`` for many right sides by sweeps along a large tree, in stages (``compile/rows.py``).

Elimination runs from the last velocity to the first, as in ``formulations/tree/articulation.py``, but in world axes and
one velocity at a time, so that nothing is turned and a joint of several axes is a chain of joints of one. With the
inertia ``A`` of the bodies that a joint carries, free beyond it, and the axis ``S`` of a velocity,

    U = A S,    D = S^T U + J,    K = U / D,    A becomes A - K U^T.

A right side ``b`` goes inward with the wrench ``f`` of the bodies beyond, ``x = b - S^T f``, ``f`` becomes ``f + K x``,
and the solution outward with the acceleration ``t`` of the carrier of the joint, ``a = x / D - K^T t``, ``t`` becomes
``t + S a``. That is 25 multiplications for each velocity and right side, where triangular factors have as many as there
are velocities on the path to the root and back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca

from dalembert.compile.rows import ALIGN, Block, aligned
from dalembert.compile.rows_builder import Cell, RowsBuilder
from dalembert.core.types import Expression
from dalembert.formulations.tree.composite import beside, full_matrix, velocities
from dalembert.formulations.tree.model import TreeModel
from dalembert.spatial.rotations import cross_matrix

__all__ = ["BoardSweeps"]


class BoardSweeps:
    """Articulated bodies of a tree on a board; it solves the same systems as `BoardFactors`.

    Parameters
    ----------
    board
        Gets the stages.
    model
        The tree.
    S, inertia
        Axes of the velocities, and of the body of each its mass, first moment and inertia, on the board, all about one
        point.
    """

    def __init__(self, board: RowsBuilder, model: TreeModel, S: Block, inertia: Expression) -> None:
        self._board, self._nodes, self._S = board, model.tree.nodes, S
        self._n = model.tree.nv
        gains, inverse = _articulated(model, board.read(S), inertia)
        self._K, self._D, self._one = map(board.give, (-gains, -inverse, ca.SX(1)))  # they hold -K and -1/D

    def solve_tape(self, b: Expression) -> Expression:
        """Solution of ``M x = b`` as expressions for the tape that is given next."""
        S, K, D = map(self._board.read, (self._S, self._K, self._D))
        x = ca.vertsplit(b)
        f = [ca.SX(6, 1) for _ in self._nodes]  # with the opposite sign
        t: list[Expression] = []
        for i, node in reversed(list(enumerate(self._nodes))):
            for c in reversed(velocities(node)):
                x[c] = x[c] + ca.dot(S[:, c], f[i])
                f[i] = f[i] + K[:, c] * x[c]
            if node.parent >= 0:
                f[node.parent] = f[node.parent] + f[i]
        for node in self._nodes:
            t.append(ca.SX(6, 1) if node.parent < 0 else t[node.parent])
            for c in velocities(node):
                x[c] = ca.dot(K[:, c], t[-1]) - D[c] * x[c]
                t[-1] = t[-1] + S[:, c] * x[c]
        return ca.vertcat(*x)

    def solve_rows(self, unit: Block, right: Sequence[Mapping[int, Cell]], columns: int) -> tuple[Block, Block]:
        """Append stages for ``X = -M^-1 B`` and ``M^-1``; return where they are. See `BoardFactors.solve_rows`."""
        n, step = self._n, aligned(self._n)
        both = self._board.block(n, step + columns)
        self._board.clear(both)
        sides: list[dict[int, Cell]] = [
            # Rows of the unit matrix are ranges of one row.
            {j: (unit.place(0, n - 1 - j), ()), **beside(right[j], step)}
            for j in range(n)
        ]
        self._inward(both, sides)
        self._outward(both)
        return both.submatrix(0, step, n, columns), both.submatrix(0, 0, n, n)

    def _inward(self, x: Block, sides: Sequence[Mapping[int, Cell]]) -> None:
        board, S, K = self._board, self._S, self._K
        wrench: dict[int, Block] = {}  # with the opposite sign
        filled: dict[int, set[int]] = {}  # its columns that are not zero
        for i, node in reversed(list(enumerate(self._nodes))):
            if i not in wrench:
                wrench[i], filled[i] = board.block(6, x.columns), set()
            f = wrench[i]
            for c in reversed(velocities(node)):
                passed = tuple((S.place(k, c), f.place(k)) for k in range(6))
                cells: dict[int, Cell] = {
                    j: (start, terms + passed if j in filled[i] else terms) for j, (start, terms) in sides[c].items()
                }
                board.row(x.place(c), cells | dict.fromkeys(filled[i] - cells.keys(), (None, passed)))
                for k in range(6):
                    self._add(f.place(k), {*cells, *filled[i]}, (K.place(k, c), x.place(c)), filled[i])
                filled[i] |= cells.keys()
            if node.parent < 0:
                continue
            if node.parent not in wrench:  # who comes first hands its memory on
                wrench[node.parent], filled[node.parent] = f, filled[i]
                continue
            there = filled[node.parent]
            for k in range(6):
                self._add(wrench[node.parent].place(k), filled[i], (self._one.place(0), f.place(k)), there)
            there |= filled[i]

    def _add(self, target: int, columns: set[int], term: tuple[int, int], filled: set[int]) -> None:
        """Add a multiple of a row to some columns of another, which has numbers in those that are filled."""
        self._board.add(target, columns & filled, (term,), target)
        self._board.add(target, columns - filled, (term,))

    def _outward(self, x: Block) -> None:
        board, S, K, D = self._board, self._S, self._K, self._D
        motion: dict[int, Block] = {}
        last = {node.parent: i for i, node in enumerate(self._nodes)}
        leaves = set(range(len(self._nodes))) - last.keys()
        for i, node in enumerate(self._nodes):
            before = motion.get(node.parent)
            # The last child may overwrite its inputs.
            t = before if before is not None and last[node.parent] == i else board.block(6, x.columns)
            motion[i] = t
            for c in velocities(node):
                columns = set(range(c // ALIGN * ALIGN, x.columns))
                carried = () if before is None else tuple((K.place(k, c), before.place(k)) for k in range(6))
                board.add(x.place(c), columns, ((D.place(0, c), x.place(c)), *carried))
                if i in leaves and c == node.v.stop - 1:
                    continue
                for k in range(6):
                    start = None if before is None else before.place(k)
                    board.add(t.place(k), columns, ((S.place(k, c), x.place(c)),), start)
                before = t


def _articulated(model: TreeModel, S: Expression, inertia: Expression) -> tuple[Expression, Expression]:
    """``K`` (6 x nv) and ``1 / D`` (1 x nv) of all velocities."""
    nodes, armature = model.tree.nodes, model.armature
    A = [_matrix(inertia[:, node.v.start]) for node in nodes]
    gains: list[Expression] = [ca.SX(6, 1)] * model.tree.nv
    inverse: list[Expression] = [ca.SX(1)] * model.tree.nv
    for i, node in reversed(list(enumerate(nodes))):
        for c in reversed(velocities(node)):
            U = A[i] @ S[:, c]
            inverse[c] = 1 / (ca.dot(S[:, c], U) + armature[c])
            gains[c] = U * inverse[c]
            A[i] = ca.triu2symm(ca.triu(A[i] - gains[c] @ U.T))
        if node.parent >= 0:
            A[node.parent] = A[node.parent] + A[i]
    return ca.horzcat(*gains), ca.horzcat(*inverse)


def _matrix(inertia: Expression) -> Expression:
    """Inertia (6 x 6) of a mass, a first moment and an inertia in six numbers."""
    m, c = inertia[0], cross_matrix(inertia[1:4])
    return ca.vertcat(ca.horzcat(m * ca.SX.eye(3), -c), ca.horzcat(c, full_matrix(inertia[4:10])))
