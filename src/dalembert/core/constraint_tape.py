"""The constrained equations ``M a + J^T lambda = f``, ``J a = gamma`` on CasADi symbols: a straight line of operations.

With ``M = L D L^T`` and ``Y = L^-1 J^T`` the multipliers solve ``S lambda = Y^T D^-1 w - gamma``, ``S = Y^T D^-1 Y``,
``w = L^-1 f``, and ``a = L^-T D^-1 (w - Y lambda)``. A tape has no branches, so that both matrices are factorised
without pivoting, in an order that keeps zeros (D. J. Rose, "A graph-theoretic study of the numerical solution of sparse
positive definite systems of linear equations", 1972), and a measure of accuracy comes with the result: the least share
of a diagonal element of ``S`` that its pivot keeps. Below `SHARE` rows depend on each other too nearly;
`constraint_algebra`, or the time loop's own routine, then has to solve again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, cast

import casadi as ca

from dalembert.core.ports import SweptFactors
from dalembert.core.types import Expression

__all__ = ["SHARE", "MassFactors", "SweptLists", "TapeFactors", "acting", "swept_cost", "tape_cost"]

SHARE = 1e-6
"""Part of a diagonal element that every pivot must keep for a result of the tape to count."""

_LEAST = 1e-8
"""Regularisation of the diagonal of ``S``, relative to its largest element, for multipliers of least norm."""

_ZERO = ca.SX(0)
_SWEPT = 15
"""Multiplications of a sweep along a tree for each velocity that it passes, about."""


class _Elimination:
    """Order of elimination of a symmetric matrix, and where the columns of its factor are not zero.

    Parameters
    ----------
    near
        For each row, the other rows that it shares an element with.
    """

    def __init__(self, near: Sequence[set[int]]) -> None:
        near = [set(others) for others in near]
        left = set(range(len(near)))
        self.order: list[int] = []
        self.below: list[list[int]] = [[] for _ in near]
        while left:
            k = min(left, key=lambda i: (len(near[i]), i))  # who has the fewest neighbours is next, and joins them
            left.remove(k)
            self.order.append(k)
            self.below[k] = sorted(near[k])
            for i in near[k]:
                near[i] |= near[k]
                near[i] -= {i, k}

    @property
    def cost(self) -> int:
        """Number of multiplications, about."""
        return sum(len(b) * (len(b) + 5) // 2 for b in self.below)

    def filled(self, rows: Iterable[int]) -> set[int]:
        """Where ``L^-1 b`` is not zero, if b is not zero in these rows."""
        result = set(rows)
        for k in self.order:
            if k in result:
                result.update(self.below[k])
        return result


def _pattern(M: Expression) -> _Elimination:
    n = M.shape[0]
    return _Elimination([{j for j in range(n) if j != i and not M[i, j].is_zero()} for i in range(n)])


def _shared(Y: Sequence[set[int]]) -> _Elimination:
    """Elimination of ``S``, whose rows are coupled where columns of Y have something in common."""
    m = len(Y)
    return _Elimination([{j for j in range(m) if j != i and Y[i] & Y[j]} for i in range(m)])


def _rows_of(Jt: Expression) -> list[set[int]]:
    """Where the columns of ``J^T`` are not zero."""
    return [{k for k in range(Jt.shape[0]) if not Jt[k, i].is_zero()} for i in range(Jt.shape[1])]


def tape_cost(M: Expression, Jt: Expression) -> int:
    """Number of multiplications, about, that a factorisation of ``M`` (nv x nv) and ``J^T`` (nv x m) takes."""
    mass = _pattern(M)
    Y = [mass.filled(rows) for rows in _rows_of(Jt)]
    lower = sum(len(mass.below[k]) for column in Y for k in column)
    return mass.cost + lower + _products(Y)


def swept_cost(Jt: Expression) -> int:
    """Cost, as in `tape_cost`, with a mass matrix that is factorised along its tree: sweeps in place of triangles."""
    Y = _rows_of(Jt)
    return _SWEPT * (2 * Jt.shape[0] + sum(map(len, Y))) + _products(Y)


def _products(Y: Sequence[set[int]]) -> int:
    return sum(len(Y[i] & Y[j]) for i in range(len(Y)) for j in range(i + 1)) + _shared(Y).cost


class MassFactors(Protocol):
    """``M = L D L^T`` of a mass matrix, on a tape."""

    @property
    def pivots(self) -> Sequence[Expression]:
        """Numbers that are positive where ``M`` is."""

    def lower(self, b: Sequence[Expression]) -> list[Expression]:
        """``L^-1 b``."""

    def scaled(self, b: Sequence[Expression]) -> list[Expression]:
        """``D^-1 b``."""

    def upper(self, b: Sequence[Expression]) -> list[Expression]:
        """``L^-T b``."""


class SweptLists:
    """Factors of a mass matrix by sweeps along its tree, as `MassFactors`.

    Parameters
    ----------
    sweeps
        The factors, for columns.
    """

    def __init__(self, sweeps: SweptFactors) -> None:
        self._sweeps = sweeps
        self.pivots = self._inverse = ca.vertsplit(sweeps.inverse)

    def lower(self, b: Sequence[Expression]) -> list[Expression]:
        """``L^-1 b``."""
        return list(ca.vertsplit(self._sweeps.lower(ca.vertcat(*b))))

    def upper(self, b: Sequence[Expression]) -> list[Expression]:
        """``L^-T b``."""
        return list(ca.vertsplit(self._sweeps.upper(ca.vertcat(*b))))

    def scaled(self, b: Sequence[Expression]) -> list[Expression]:
        """``D^-1 b``."""
        return [x * d for x, d in zip(b, self._inverse, strict=True)]


def _factorised(M: Expression) -> MassFactors:
    n = M.shape[0]
    elements = {(k, k): M[k, k] for k in range(n)}
    elements |= {(i, j): M[i, j] for i in range(n) for j in range(i) if not M[i, j].is_zero()}
    return _Symmetric(elements, _pattern(M))


class _Symmetric:
    """``A = L D L^T``, rows and columns under the names that they have in A.

    Parameters
    ----------
    A
        Elements by row and column; either triangle will do.
    plan
        Order of elimination.
    """

    def __init__(self, A: dict[tuple[int, int], Expression], plan: _Elimination) -> None:
        n = len(plan.order)
        self.plan = plan
        self.L: list[dict[int, Expression]] = [{} for _ in range(n)]
        self.pivots: list[Expression] = [_ZERO] * n
        self.inverse: list[Expression] = [_ZERO] * n
        W = {**A, **{(j, i): x for (i, j), x in A.items()}}
        for k in plan.order:
            self.pivots[k] = W[k, k]
            self.inverse[k] = 1 / W[k, k]
            below = plan.below[k]
            self.L[k] = {i: W[i, k] * self.inverse[k] for i in below}
            for a, i in enumerate(below):
                for j in below[: a + 1]:
                    W[i, j] = W[j, i] = W.get((i, j), _ZERO) - self.L[k][i] * W[j, k]

    def lower(self, b: Sequence[Expression]) -> list[Expression]:
        """``L^-1 b``."""
        x = list(b)
        for k in self.plan.order:
            if not x[k].is_zero():
                for i, factor in self.L[k].items():
                    x[i] = x[i] - factor * x[k]
        return x

    def upper(self, b: Sequence[Expression]) -> list[Expression]:
        """``L^-T b``."""
        x = list(b)
        for k in reversed(self.plan.order):
            for i, factor in self.L[k].items():
                x[k] = x[k] - factor * x[i]
        return x

    def scaled(self, b: Sequence[Expression]) -> list[Expression]:
        """``D^-1 b``."""
        return [x * d for x, d in zip(b, self.inverse, strict=True)]


def acting(switches: Sequence[Expression | None]) -> list[Expression]:
    """Say which rows act, 1 or 0 on the tape; a row without a switch (None) always does."""
    return [ca.SX(1) if switch is None else switch > 0.5 for switch in switches]


def _masked(on: Expression, value: Expression) -> Expression:
    """Return the value of a row that acts, else zero, even if it is not finite there."""
    return value if on.is_one() or value.is_zero() else ca.if_else(on, value, 0)


def _dot(a: Sequence[Expression], b: Sequence[Expression], where: Iterable[int]) -> Expression:
    total = _ZERO
    for k in sorted(where):
        total = total + a[k] * b[k]
    return total


class TapeFactors:
    """Factors of a mass matrix and of the rows that act.

    Parameters
    ----------
    M
        Mass matrix (nv x nv). With ``mass`` it is not looked at, and may be None.
    Jt
        Transposed rows (nv x m).
    on
        Which rows act, as in `acting`.
    mass
        Factors of the mass matrix, if they are known. It is else factorised here.
    """

    def __init__(
        self, M: Expression | None, Jt: Expression, on: Sequence[Expression], mass: MassFactors | None = None
    ) -> None:
        n, m = Jt.shape
        self._Jt, self._on = Jt, list(on)
        self._mass = _factorised(cast(Expression, M)) if mass is None else mass
        self._Y = [self._mass.lower([_masked(on[i], Jt[k, i]) for k in range(n)]) for i in range(m)]
        self._filled = filled = [{k for k, x in enumerate(column) if not x.is_zero()} for column in self._Y]
        schur = _shared(filled)
        self._scaled = [self._mass.scaled(column) for column in self._Y]
        S = {
            (i, j): _dot(self._Y[i], self._scaled[j], filled[i] & filled[j])
            for i in range(m)
            for j in range(i + 1)
            if i == j or filled[i] & filled[j]
        }
        for i in range(m):
            S[i, i] = S[i, i] if on[i].is_one() else S[i, i] + (1 - on[i])
        self._diagonal = [S[i, i] for i in range(m)]
        self._S, self._plan = S, schur
        self._schur = _Symmetric(S, schur)

    @property
    def share(self) -> Expression:
        """Lower bound of the least share that a pivot keeps; zero where the mass matrix is not positive.

        The reciprocal of a sum of reciprocals: a sum propagates NaN, where a minimum would lose it.
        """
        total = ca.SX(1)
        for d, inverse in zip(self._diagonal, self._schur.inverse, strict=True):
            total = total + ca.fabs(d * inverse)
        for pivot in self._mass.pivots:
            if not pivot.is_constant():
                total = total + ca.if_else(pivot > 0, 0, 1e300)
        return 1 / total

    def _multipliers(self, right: Sequence[Expression]) -> list[Expression]:
        return self._schur.upper(self._schur.scaled(self._schur.lower(right)))

    def _outward(self, w: Sequence[Expression]) -> Expression:
        """``L^-T D^-1 w``."""
        return ca.vertcat(*self._mass.upper(self._mass.scaled(w)))

    def _less(self, w: list[Expression], multipliers: Sequence[Expression]) -> list[Expression]:
        """``w - Y lambda``."""
        for column, x, where in zip(self._Y, multipliers, self._filled, strict=True):
            for k in sorted(where):
                w[k] = w[k] - column[k] * x
        return w

    def _solve(self, f: Expression, gamma: Expression) -> tuple[Expression, Expression]:
        w = self._mass.lower([f[k] for k in range(f.shape[0])])
        rows = range(len(self._Y))
        right = [_dot(self._scaled[i], w, self._filled[i]) - _masked(self._on[i], gamma[i]) for i in rows]
        multipliers = self._multipliers(right)
        return self._outward(self._less(w, multipliers)), ca.vertcat(*multipliers) if multipliers else ca.SX(0, 1)

    def dynamics(
        self, f: Expression, gamma: Expression, residual: Callable[[Expression], Expression] | None = None
    ) -> tuple[Expression, Expression]:
        """Accelerations and multipliers, of rows that do not act zero.

        With ``residual``, a function a -> ``f - M a``, one step of iterative refinement follows. It gives accelerations
        to the last digits for half as many operations again.
        """
        a, multipliers = self._solve(f, gamma)
        if residual is None:
            return a, multipliers
        left = ca.SX(residual(a))
        held = [gamma[i] for i in range(len(self._Y))]
        for i, on in enumerate(self._on):
            for k in range(left.shape[0]):
                element = _masked(on, self._Jt[k, i])
                left[k] = left[k] - element * multipliers[i]
                held[i] = held[i] - element * a[k]
        more = self._solve(left, ca.vertcat(*held) if held else ca.SX(0, 1))
        return a + more[0], multipliers + more[1]

    def least_multipliers(self, f: Expression, gamma: Expression) -> Expression:
        """Multipliers of least norm, also of rows that depend on each other, to about eight digits.

        ``(S + eps) x = b`` is solved in place of ``S x = b``, followed by two refinements with the residual (iterated
        Tikhonov regularisation): where b can be reached, x tends to the solution of least norm.
        """
        m = len(self._Y)
        if not m:
            return ca.SX(0, 1)
        w = self._mass.lower([f[k] for k in range(f.shape[0])])
        b = [_dot(self._scaled[i], w, self._filled[i]) - _masked(self._on[i], gamma[i]) for i in range(m)]
        most = _ZERO
        for d in self._diagonal:
            most = ca.fmax(most, d)
        shifted = _Symmetric(
            {(i, j): x + (_LEAST * most if i == j else 0) for (i, j), x in self._S.items()}, self._plan
        )
        x = [_ZERO] * m
        for _ in range(3):
            left = list(b)
            for (i, j), element in self._S.items():
                left[i] = left[i] - element * x[j]
                if i != j:
                    left[j] = left[j] - element * x[i]
            step = shifted.upper(shifted.scaled(shifted.lower(left)))
            x = [old + new for old, new in zip(x, step, strict=True)]
        return ca.vertcat(*x)

    def correction(self, error: Expression) -> Expression:
        """Least change ``-M^-1 J^T S^-1 error`` that takes an error of the rows away."""
        right = [_masked(on, error[i]) for i, on in enumerate(self._on)]
        return self._outward(self._less([_ZERO] * self._Jt.shape[0], self._multipliers(right)))
