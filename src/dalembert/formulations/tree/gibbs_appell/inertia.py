"""The inertia matrix by sums over the links outboard: the appendix of IMPACT, for trees.

For a link ``a`` and a link ``c`` that it carries (or ``a`` itself), in the axes of ``a`` on the left and of ``c`` on
the right, with the sums over ``c`` and all links ``i`` that it carries, (A.1)-(A.33):

    sigma = sum aR_i (B_9 + B_10) iR_c        xi    = sum aR_i B_3 iR_c         lambda = sum B_0 aR_c
    psi   = sum r_ia^ aR_i B_3 iR_c           gamma = sum r_ia^ B_0 aR_c

and with the links ``t`` that hang on ``c``, ``U = sum ((gamma + xi)_t cR_t^T p_t^ + U_t tR_c)``, ``V`` likewise with
``lambda``. The inertia of motions ``(d, e)`` of ``a`` with motions ``(d', e')`` of ``c`` is

    e.(sigma - psi - U) e' + e.(xi + gamma) d' - d.(xi + V) e' + d.lambda d'

which are the terms 1-8, 11-12, 15-19, 22-26, 30-32, 37-39 and 44-50 of (I) to (III); the other terms couple the modes
of a link by ``C_1``, ``C_3`` and ``alpha``. The document's matrices marked ``j+`` are these in the axes of the link
before ``a``, those marked ``k+`` these in the axes of the link before ``c``; ``W`` is needed below the diagonal only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca

from dalembert.core.types import Expression
from dalembert.formulations.tree.gibbs_appell.link import Link
from dalembert.formulations.tree.gibbs_appell.motion import LinkMotion
from dalembert.spatial.rotations import cross_matrix

__all__ = ["OutboardSums", "inertia_matrix"]


class OutboardSums:
    """The sums of the appendix, each made once."""

    def __init__(self, motion: LinkMotion, links: Sequence[Link]) -> None:
        self.motion = motion
        self._sums: dict[tuple[str, int, int], Expression] = {}
        n = len(links)
        self._mass: list[Expression | float] = [link.mass for link in links]
        self._B: list[Expression] = [link.inertia for link in links]
        self._B3: list[Expression] = [link.B3 for link in links]
        self._arms: list[Expression] = [ca.SX(3, 3)] * n
        self._psi: list[Expression] = [ca.SX(3, 3)] * n
        for c in range(n - 1, -1, -1):
            hop = motion.hops[c]
            k = hop.parent
            if k < 0:
                continue
            B3, lever = _turned(hop.R, self._B3[c]), cross_matrix(hop.p)
            self._B[k] = self._B[k] + _turned(hop.R, self._B[c])
            self._B3[k] = self._B3[k] + B3
            self._psi[k] = self._psi[k] + lever @ B3 + _turned(hop.R, self._psi[c])
            self._arms[k] = self._arms[k] + lever * self._mass[c] + _turned(hop.R, self._arms[c])
            self._mass[k] = self._mass[k] + self._mass[c]
        # In an order in which each recursion finds the one before it made: long chains would be too deep otherwise.
        for c in range(n):
            for a in motion.path(c):
                self.R(a, c)
                self.r(a, c)
        moved = [_present(hop.motions) for hop in motion.hops]
        for c in range(n - 1, -1, -1):
            for a in motion.path(c):
                d, e = moved[a]
                if e:
                    self.U(a, c)
                if d:
                    self.V(a, c)

    def once(self, name: str, a: int, c: int, make: Callable[[], Expression]) -> Expression:
        """Make a matrix of the pair, or return the one that was made before."""
        key = (name, a, c)
        if key not in self._sums:
            self._sums[key] = make()
        return self._sums[key]

    def R(self, a: int, c: int) -> Expression:
        """Rotation from the axes of ``c`` to those of ``a``."""
        if a == c:
            return ca.SX.eye(3)
        hop = self.motion.hops[c]
        return hop.R if hop.parent == a else self.once("R", a, c, lambda: self.R(a, hop.parent) @ hop.R)

    def r(self, a: int, c: int) -> Expression:
        """Position of the origin of ``c`` from that of ``a``, in the axes of ``a``."""
        if a == c:
            return ca.SX(3, 1)
        hop = self.motion.hops[c]
        if hop.parent == a:
            return hop.p
        return self.once("r", a, c, lambda: self.r(a, hop.parent) + self.R(a, hop.parent) @ hop.p)

    def sigma(self, a: int, c: int) -> Expression:
        """``sum aR_i (B_9 + B_10) iR_c``."""
        return self.once("sigma", a, c, lambda: self.R(a, c) @ self._B[c])

    def xi(self, a: int, c: int) -> Expression:
        """``sum aR_i B_3 iR_c``."""
        return self.once("xi", a, c, lambda: self.R(a, c) @ self._B3[c])

    def lam(self, a: int, c: int) -> Expression:
        """``sum B_0 aR_c``."""
        return self.once("lambda", a, c, lambda: self._mass[c] * self.R(a, c))

    def psi(self, a: int, c: int) -> Expression:
        """``sum r_ia^ aR_i B_3 iR_c``."""
        return self.once("psi", a, c, lambda: cross_matrix(self.r(a, c)) @ self.xi(a, c) + self.R(a, c) @ self._psi[c])

    def gamma(self, a: int, c: int) -> Expression:
        """``sum r_ia^ B_0 aR_c``."""
        return self.once(
            "gamma", a, c, lambda: cross_matrix(self.r(a, c)) @ self.lam(a, c) + self.R(a, c) @ self._arms[c]
        )

    def U(self, a: int, c: int) -> Expression:
        """``sum (gamma_t + xi_t) t`` over the hops outboard of ``c``."""
        return self.once("U", a, c, lambda: self._over_hops(a, c, lambda t: self.gamma(a, t) + self.xi(a, t), self.U))

    def V(self, a: int, c: int) -> Expression:
        """``sum lambda_t t`` over the hops outboard of ``c``."""
        return self.once("V", a, c, lambda: self._over_hops(a, c, lambda t: self.lam(a, t), self.V))

    def _over_hops(
        self, a: int, c: int, here: Callable[[int], Expression], beyond: Callable[[int, int], Expression]
    ) -> Expression:
        total = ca.SX(3, 3)
        for t in self.motion.children[c]:
            total = total + here(t) @ self._lever(t) + beyond(a, t) @ self.motion.hops[t].R.T
        return total

    def _lever(self, t: int) -> Expression:
        hop = self.motion.hops[t]
        return self.once("lever", t, t, lambda: hop.R.T @ cross_matrix(hop.p))


def inertia_matrix(motion: LinkMotion, links: Sequence[Link], nv: int) -> Expression:
    """Inertia matrix ``I_f`` of (38), rotors left out."""
    sums = OutboardSums(motion, links)
    M = ca.SX(nv, nv)
    for c, link in enumerate(links):
        columns = motion.hops[c].motions
        for a in motion.path(c):
            kernels = _kernels(sums, a, c, _present(motion.hops[a].motions), _present(columns))
            R, r = sums.R(a, c), sums.r(a, c)
            for rows, d, e in motion.hops[a].motions:
                for others, d_c, e_c in columns:
                    M[rows, others] += (block := _coupling(kernels, (d, e), (d_c, e_c)))
                    if a != c:
                        M[others, rows] += block.T
                if link.n:
                    C1 = R @ link.C1
                    M[rows, link.modal] += (block := e.T @ (cross_matrix(r) @ C1 + R @ link.alpha) + d.T @ C1)
                    M[link.modal, rows] += block.T
        if link.n:
            M[link.modal, link.modal] += link.C3
    return M


def _present(motions: Sequence[tuple[slice, Expression, Expression]]) -> tuple[bool, bool]:
    """Whether some of the motions move the origin, and whether some turn."""
    return any(d.nnz() for _, d, _ in motions), any(e.nnz() for _, _, e in motions)


def _kernels(
    sums: OutboardSums, a: int, c: int, rows: tuple[bool, bool], columns: tuple[bool, bool]
) -> list[list[Expression]]:
    """Factors of the motions ``(d, e)`` of ``a`` and of ``c``, made on demand."""
    (d, e), (d_c, e_c), none = rows, columns, ca.SX(3, 3)
    return [
        [sums.lam(a, c) if d and d_c else none, -(sums.xi(a, c) + sums.V(a, c)) if d and e_c else none],
        [
            sums.xi(a, c) + sums.gamma(a, c) if e and d_c else none,
            sums.sigma(a, c) - sums.psi(a, c) - sums.U(a, c) if e and e_c else none,
        ],
    ]


def _coupling(
    kernels: list[list[Expression]], left: tuple[Expression, Expression], right: tuple[Expression, Expression]
) -> Expression:
    """Inertia of motions ``(d, e)`` with others."""
    block = ca.SX(left[0].shape[1], right[0].shape[1])
    for x, row in zip(left, kernels, strict=True):
        if x.nnz():
            force = [A @ y for A, y in zip(row, right, strict=True) if A.nnz() and y.nnz()]
            block = block + x.T @ sum(force[1:], force[0]) if force else block
    return block


def _turned(R: Expression, A: Expression) -> Expression:
    return R @ A @ R.T
