"""The inertia matrix of IMPACT term by term, as (I) to (III) and the appendix write it.

The formulation of the library turns the motions of modes into the axes of the links that they move, and adds the
matrices of the appendix before it multiplies by motions. The document keeps ``theta_jf`` and ``r_jf`` in the axes of
their link: it has one more matrix ``j+`` or ``k+`` for each, and one product for each term. It does not say whether a
matrix that stands in several terms is formed once, so that both readings are counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import casadi as ca

from dalembert.core.types import Expression
from dalembert.formulations.tree.gibbs_appell.formulation import GibbsAppell
from dalembert.formulations.tree.gibbs_appell.inertia import OutboardSums
from dalembert.spatial.rotations import cross_matrix

__all__ = ["inertia_as_written"]


class _FormedAnew(OutboardSums):
    """Matrices formed wherever they stand; rotations, positions and the sums over hops are recursions, and kept."""

    def once(self, name: str, a: int, c: int, make: Callable[[], Expression]) -> Expression:
        return super().once(name, a, c, make) if name in ("R", "r", "U", "V", "lever") else make()


@dataclass(frozen=True, eq=False)
class _Motions:
    """Columns ``(d, e)`` that move link ``a``, in axes into which ``L`` turns those of the link."""

    mark: str
    a: int
    velocities: slice
    L: Expression
    d: Expression
    e: Expression


def inertia_as_written(equations: GibbsAppell, *, kept: bool) -> Expression:
    """Upper half of the inertia matrix of a planar chain on a planar base.

    Parameters
    ----------
    equations
        The formulation, whose links and hops are used.
    kept
        Whether a matrix of the appendix is formed once, or in each term in which it stands.
    """
    motion, links = equations.motion, equations.links
    sums = OutboardSums(motion, links) if kept else _FormedAnew(motion, links)
    sets = [_document_motions(equations, c) for c in range(len(links))]
    M = ca.SX(equations.layout.nv, equations.layout.nv)
    for c, link in enumerate(links):
        for row in (row for a in motion.path(c) for row in sets[a]):
            for column in sets[c]:
                if row.velocities.start <= column.velocities.start:
                    M[row.velocities, column.velocities] += _coupling(sums, row, column)
            if link.n:
                M[row.velocities, link.modal] += _of_link(sums, row, c, link.C1, link.alpha)
        if link.n:
            M[link.modal, link.modal] += link.C3
    return ca.triu(M)


def _coupling(sums: OutboardSums, row: _Motions, column: _Motions) -> Expression:
    """Terms 1-8, 11-12, 15-19, 22-26, 30-32, 37-39 and 44-50."""
    total = ca.SX(row.d.shape[1], column.d.shape[1])
    for left, name, right, sign in (
        (row.e, "sigma", column.e, 1),
        (row.e, "psi", column.e, -1),
        (row.e, "U", column.e, -1),
        (row.e, "xi", column.d, 1),
        (row.e, "gamma", column.d, 1),
        (row.d, "xi", column.e, -1),
        (row.d, "V", column.e, -1),
        (row.d, "lam", column.d, 1),
    ):
        if left.nnz() and right.nnz():
            total = total + sign * _entries(left, right, partial(_turned, sums, name, row, column))
    return total


def _turned(sums: OutboardSums, name: str, row: _Motions, column: _Motions) -> Expression:
    """A matrix of the appendix in the axes of two sets of motions."""
    a, c = row.a, column.a
    return sums.once(f"{name} {row.mark} {column.mark}", a, c, lambda: row.L @ getattr(sums, name)(a, c) @ column.L.T)


def _of_link(sums: OutboardSums, row: _Motions, c: int, C1: Expression, alpha: Expression) -> Expression:
    """Terms 9, 10, 34-36, 40 and 47."""
    R, r = row.L @ sums.R(row.a, c), cross_matrix(row.L @ sums.r(row.a, c))
    total = ca.SX(row.d.shape[1], C1.shape[1])
    for left, A, right in ((row.d, R, C1), (row.e, r @ R, C1), (row.e, R, alpha)):
        if left.nnz():
            total = total + _entries(left, right, partial(ca.SX, A))
    return total


def _entries(left: Expression, right: Expression, matrix: Callable[[], Expression]) -> Expression:
    """``left^T A right``, each entry by itself."""
    m, n = left.shape[1], right.shape[1]
    return ca.vertcat(*[ca.horzcat(*[left[:, f].T @ (matrix() @ right[:, t]) for t in range(n)]) for f in range(m)])


def _document_motions(equations: GibbsAppell, c: int) -> list[_Motions]:
    """``X`` in the axes of the world, ``x_3`` in those of the link, ``r`` and ``theta`` in those of the link before."""
    hop = equations.motion.hops[c]
    v, same = hop.node.v, ca.SX.eye(3)
    if hop.parent < 0:
        slides, turn = slice(v.start, v.start + 2), slice(v.start + 2, v.stop)
        plane = ca.SX(ca.sparsify(ca.DM.eye(3)[:, :2]))
        return [
            _Motions("ref", c, slides, hop.R, plane, ca.SX(3, 2)),
            _Motions("", c, turn, same, ca.SX(3, 1), hop.joint[1][:, 2]),
        ]
    motions = [_Motions("", c, v, same, *hop.joint)]
    if hop.section is None or hop.modal.stop == hop.modal.start:
        return motions
    S = ca.sparsify(hop.section.S)
    return [_Motions("+", c, hop.modal, hop.R, S[:3, :], S[3:, :]), *motions]
