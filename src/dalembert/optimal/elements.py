"""Sparse nonlinear programmes out of elements: small functions that are repeated over points, intervals and links.

An element is a function ``(cost, rows) = f(w, c)`` of some unknowns ``w`` of the programme and of constants ``c``. The
objective is the sum of all costs; the rows of all elements are the constraints. Gradient, Jacobian and Hessian of the
Lagrangian are assembled from exact derivatives of the elements, which are evaluated for all repetitions at once:
compiled, in SIMD lanes, or on CasADi's virtual machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from dalembert.compile import Kernel, compile_function
from dalembert.compile.backend import Backend
from dalembert.core.types import Array, Expression

__all__ = ["ElementGroup", "Programme", "ProgrammeElement"]

_WORTH = 400_000  # instructions of all repetitions of a derivative beyond which compiled code pays back its compilation

Index = NDArray[np.int64]
Evaluation = Callable[..., list[Array]]


class ProgrammeElement:
    """A function ``(cost, rows)`` of unknowns and constants, with its exact derivatives.

    Parameters
    ----------
    name
        Its name, for compiled code.
    w, c
        Symbols of the unknowns and of the constants.
    cost, rows
        Expressions: a number and a column.
    backend
        How derivatives are compiled; ``"auto"``: natively where that pays back.
    """

    def __init__(
        self, name: str, w: Expression, c: Expression, cost: Expression, rows: Expression, backend: Backend = "auto"
    ) -> None:
        self.name, self.w, self.c, self.backend = name, w, c, backend
        self.cost, self.rows = ca.SX(cost), ca.densify(ca.SX(rows))
        self.n, self.m = w.numel(), self.rows.numel()
        self._evaluations: dict[tuple[str, int], Evaluation] = {}
        self._functions: dict[str, ca.Function] = {}
        self._kernels: dict[str, Kernel] = {}

    @cached_property
    def _derivatives(self) -> dict[str, tuple[list[Expression], list[Expression]]]:
        w, c = self.w, self.c
        gradient = ca.densify(ca.gradient(self.cost, w))
        J = ca.jacobian(self.rows, w)
        sigma, y = ca.SX.sym("sigma"), ca.SX.sym("y", self.m)
        lagrangian = sigma * self.cost + (ca.dot(y, self.rows) if self.m else 0)
        H = ca.triu(ca.hessian(lagrangian, w)[0])
        self.jacobian_sparsity, self.hessian_sparsity = J.sparsity(), H.sparsity()
        return {
            "value": ([w, c], [self.cost, self.rows]),
            "slope": ([w, c], [gradient, _nonzeros(J)]),
            "bend": ([w, c, sigma, y], [_nonzeros(H)]),
        }

    def pattern(self, what: str) -> tuple[Index, Index]:
        """Rows and columns of the entries of the Jacobian (``"slope"``) or of the upper Hessian (``"bend"``)."""
        _ = self._derivatives
        rows, columns = (self.jacobian_sparsity if what == "slope" else self.hessian_sparsity).get_triplet()
        return np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64)

    def evaluate(self, what: str, *arguments: Array) -> list[Array]:
        """Outputs (N, n) of ``"value"``, ``"slope"`` or ``"bend"`` for arguments (N, n)."""
        count = len(arguments[0])
        key = (what, count)
        if key not in self._evaluations:
            function = self._function(what)
            worth = self.backend == "native" or (self.backend == "auto" and function.n_instructions() * count > _WORTH)
            self._evaluations[key] = self._compiled(what) if worth else _interpreted(function.map(count))
        return self._evaluations[key](*arguments)

    def _function(self, what: str) -> ca.Function:
        if what not in self._functions:
            inputs, outputs = self._derivatives[what]
            names, labels = ["w", "c", "sigma", "y"][: len(inputs)], [f"o{k}" for k in range(len(outputs))]
            self._functions[what] = ca.Function(f"{self.name}_{what}", inputs, ca.cse(outputs), names, labels)
        return self._functions[what]

    def _compiled(self, what: str) -> Evaluation:
        if what not in self._kernels:
            function = self._function(what)
            shapes = {function.name_in(k): (function.numel_in(k),) for k in range(function.n_in())}
            shapes |= {function.name_out(k): (function.numel_out(k),) for k in range(function.n_out())}
            self._kernels[what] = compile_function(function, shapes=shapes)
        kernel = self._kernels[what]

        def call(*arguments: Array) -> list[Array]:
            results = kernel(*arguments)
            return list(results) if isinstance(results, tuple) else [results]

        return call


def _interpreted(mapped: ca.Function) -> Evaluation:
    def call(*arguments: Array) -> list[Array]:
        results = mapped.call([ca.DM(a.T) for a in arguments])
        return [x.full().T for x in results]

    return call


def _nonzeros(matrix: Expression) -> Expression:
    entries: Any = matrix.nz[:]
    return ca.SX(entries) if matrix.nnz() else ca.SX(0, 1)


@dataclass(frozen=True, eq=False)
class ElementGroup:
    """Repetitions of an element.

    Parameters
    ----------
    element
        The element.
    places
        Unknowns (N, n) of the programme that each repetition takes.
    constants
        Its constants (N, nc).
    lower, upper
        Ranges of its rows (N, m).
    rows
        Rows (m) of the element that count, of each repetition (N, m) true or false.
    """

    element: ProgrammeElement
    places: Index
    constants: Array
    lower: Array
    upper: Array
    counted: NDArray[np.bool_]


class Programme:
    """A nonlinear programme: minimise the costs of all groups within the ranges of their rows.

    Parameters
    ----------
    n
        Number of unknowns.
    groups
        Repeated elements.
    """

    def __init__(self, n: int, groups: Sequence[ElementGroup]) -> None:
        self.n, self.groups = n, tuple(groups)
        self.row_of: list[Index] = []
        count = 0
        for group in self.groups:
            rows = np.full(group.counted.shape, -1, dtype=np.int64)
            chosen = int(group.counted.sum())
            rows[group.counted] = np.arange(count, count + chosen)
            self.row_of.append(rows)
            count += chosen
        self.m = count
        self.lower = np.concatenate([np.zeros(0), *(g.lower[g.counted] for g in self.groups)])
        self.upper = np.concatenate([np.zeros(0), *(g.upper[g.counted] for g in self.groups)])

    @cached_property
    def jacobian(self) -> _Assembly:
        """Pattern of the Jacobian of the rows."""
        parts = []
        for group, rows in zip(self.groups, self.row_of, strict=True):
            i, j = group.element.pattern("slope")
            parts.append((rows[:, i], group.places[:, j]))
        return _Assembly(parts, (self.m, self.n))

    @cached_property
    def hessian(self) -> _Assembly:
        """Pattern of the upper triangle of the Hessian of the Lagrangian."""
        parts = []
        for group in self.groups:
            i, j = group.element.pattern("bend")
            a, b = group.places[:, i], group.places[:, j]
            parts.append((np.minimum(a, b), np.maximum(a, b)))
        return _Assembly(parts, (self.n, self.n))

    @cached_property
    def _twice(self) -> list[Array]:
        """Factors of the entries of element Hessians: two where an entry off the diagonal falls on it."""
        factors = []
        for group in self.groups:
            i, j = group.element.pattern("bend")
            same = (group.places[:, i] == group.places[:, j]) & (i != j)
            factors.append(np.where(same, 2.0, 1.0))
        return factors

    def values(self, x: Array) -> tuple[float, Array]:
        """Objective and rows."""
        cost, g = 0.0, np.zeros(self.m)
        for group, rows in zip(self.groups, self.row_of, strict=True):
            costs, values = group.element.evaluate("value", x[group.places], group.constants)
            cost += float(costs.sum())
            g[rows[group.counted]] = values.reshape(rows.shape)[group.counted]
        return cost, g

    def slopes(self, x: Array) -> tuple[Array, Array]:
        """Gradient of the objective and entries of the Jacobian."""
        gradient, entries = np.zeros(self.n), []
        for group in self.groups:
            slope, jacobian = group.element.evaluate("slope", x[group.places], group.constants)
            np.add.at(gradient, group.places, slope.reshape(group.places.shape))
            entries.append(jacobian)
        return gradient, self.jacobian.assembled(entries)

    def bends(self, x: Array, sigma: float, multipliers: Array) -> Array:
        """Entries of the upper triangle of the Hessian of the Lagrangian."""
        entries = []
        for group, rows, factor in zip(self.groups, self.row_of, self._twice, strict=True):
            y = np.where(rows >= 0, np.concatenate([multipliers, [0.0]])[rows], 0.0)
            weight = np.full((len(rows), 1), sigma)
            (bend,) = group.element.evaluate("bend", x[group.places], group.constants, weight, y)
            entries.append(bend.reshape(factor.shape) * factor)
        return self.hessian.assembled(entries)


class _Assembly:
    """Entries of elements added up to the nonzeros of a sparse matrix; entries of row -1 are dropped."""

    def __init__(self, parts: Sequence[tuple[Index, Index]], shape: tuple[int, int]) -> None:
        rows = np.concatenate([np.zeros(0, dtype=np.int64), *(r.ravel() for r, _ in parts)])
        columns = np.concatenate([np.zeros(0, dtype=np.int64), *(c.ravel() for _, c in parts)])
        self._kept = rows >= 0
        keys = columns[self._kept] * max(1, shape[0]) + rows[self._kept]  # by columns, as CasADi stores them
        unique, self._place = np.unique(keys, return_inverse=True)
        self._count = len(unique)
        i, j = unique % max(1, shape[0]), unique // max(1, shape[0])
        self.sparsity = ca.Sparsity.triplet(shape[0], shape[1], i.tolist(), j.tolist())

    def assembled(self, entries: Sequence[Array]) -> Array:
        """Nonzeros, by columns."""
        flat = np.concatenate([np.zeros(0), *(np.ravel(e) for e in entries)])[self._kept]
        return np.asarray(np.bincount(self._place, weights=flat, minlength=self._count), dtype=float)
