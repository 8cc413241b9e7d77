"""Lyapunov functions that are polynomials of the parameters on each cell of a grid, and continuous.

On a cell, ``V = x^T P(d) x`` has the Bernstein coefficients ``P_b`` of a polynomial of some degree in each parameter,
and neighbouring cells share those of their common face. ``A(d)`` is interpolated by a polynomial of degree one or two.
``V'``, which is linear in ``P`` and its derivatives, then is a polynomial again, and negative on the cell if all of its
Bernstein coefficients are negative definite: each value is a convex combination of them (G. Farin, *Curves and Surfaces
for CAGD*, 2002). The error of the interpolation is bounded by the next derivative of the linear fractional
transformation ``A(d) = A + B (1 - Delta D)^-1 Delta C``, entry by entry over the cell:

    |(1 - Delta D)^-1|  <=  (1 - |F| H |D|)^-1 |F|,   F = (1 - Delta_0 D)^-1

with the half widths ``H`` of the cell about ``Delta_0``. Rates are corners of their bounds, or numbers of other
parameters, which are polynomials, too. The states may be products of states (see `lifted`).
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import comb
from typing import Any

import numpy as np

from dalembert.control.norms import Matrices
from dalembert.control.uncertain.blocks import DeltaBlock, slices
from dalembert.control.varying.refinements import lifted_matrix
from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["GridFunction", "function_on_grid"]

_UNIT = 2.0**-53
_MOST = 40_000  # Bernstein coefficients of all cells and corners of rates
_REST = {1: 1.0 / 8.0, 2: 1.0 / (72.0 * np.sqrt(3.0))}  # of interpolation at equidistant nodes, per width^(q + 1)
_LEBESGUE = {1: 1.0, 2: 1.25}


@dataclass(frozen=True, eq=False)
class GridFunction:
    """A function on a grid of parameters, with what its inequalities leave for errors of the model.

    Parameters
    ----------
    names, knots
        The parameters it depends on, and for each the places of its Bernstein coefficients.
    P
        The coefficients, by their places in all parameters.
    falls, sizes, errors
        On each cell: the largest eigenvalue of the coefficients of ``V'`` with interpolation and rounding added, the
        norm of ``V'``, and what an error of the model of size one adds to ``V'``.
    input
        Bound of the input of the error, per state.
    positive
        Least eigenvalue of the coefficients of ``V``, less rounding.
    multiplier
        Multiplier of the error of the model.
    """

    names: tuple[str, ...]
    knots: tuple[Array, ...]
    P: Array
    falls: Array
    sizes: Array
    errors: Array
    input: float
    positive: float
    multiplier: float = 0.0

    @property
    def margin(self) -> float:
        """By how much the inequalities hold, relative; not positive: they do not."""
        if not self.falls.size:
            return -np.inf
        added = np.zeros(len(self.falls))
        if self.errors.any() and self.input:
            q = self.multiplier or float(self.errors.max()) / self.input
            added = q * self.input**2 + self.errors**2 / q
        least = float((-(self.falls + added) / self.sizes).min())
        return min(least, self.positive)

    @property
    def error_multiplier(self) -> float:
        """The multiplier of the error that costs least."""
        return float(self.errors.max()) / self.input if self.input and self.errors.size else 0.0

    def with_multiplier(self, q: float) -> GridFunction:
        """The function with another multiplier of the error."""
        return replace(self, multiplier=q)

    def matrices(self, scales: Array) -> dict[str, Array]:
        """Bernstein coefficients by their places, such as ``"length=0.5, length.rate=-1"``."""
        n = self.P.shape[-1]
        flat = self.P.reshape(-1, n, n) / np.outer(scales, scales)
        keys = [
            ", ".join(f"{name}={x:g}" for name, x in zip(self.names, place, strict=True))
            for place in product(*self.knots)
        ]
        return dict(zip(keys, flat, strict=True))


_NONE = GridFunction((), (), np.zeros((0, 0, 0)), np.zeros(0), np.zeros(0), np.zeros(0), 0.0, -np.inf)


@dataclass(frozen=True, eq=False)
class _Axis:
    """A parameter: its knots, rate, degrees of the function and of the interpolation of the system."""

    name: str
    knots: Array
    rate: float
    tie: tuple[str, float] | None
    p: int
    q: int

    @property
    def count(self) -> int:
        """Number of coefficients of the function."""
        return self.p * (len(self.knots) - 1) + 1

    def times(self, a: int) -> Array:
        """Coefficients of the function times a Bernstein polynomial of the system, of degree ``p + q``."""
        p, q = self.p, self.q
        return np.array(
            [
                [comb(q, a) * comb(p, b) / comb(p + q, k) if a + b == k else 0.0 for b in range(p + 1)]
                for k in range(p + q + 1)
            ]
        )

    @property
    def same(self) -> Array:
        """The function as a polynomial of degree ``p + q``."""
        return np.asarray(sum(self.times(a) for a in range(self.q + 1)))

    def slope(self, width: float) -> Array:
        """Its derivative as a polynomial of degree ``p + q``."""
        p = self.p
        if p == 0:
            return np.zeros((self.q + 1, 1))
        found = np.array([[float(p * ((b == k + 1) - (b == k))) for b in range(p + 1)] for k in range(p)]) / width
        for degree in range(p - 1, p + self.q):
            up = np.zeros((degree + 2, degree + 1))
            for k in range(degree + 1):
                up[k, k], up[k + 1, k] = 1.0 - k / (degree + 1), (k + 1) / (degree + 1)
            found = up @ found
        return np.asarray(found)

    def number(self, cell: int) -> Array:
        """The function times the parameter itself."""
        low, high = self.knots[cell], self.knots[cell + 1]
        return np.asarray(sum((low + (high - low) * a / self.q) * self.times(a) for a in range(self.q + 1)))


def function_on_grid(
    system: Matrices,
    blocks: Sequence[DeltaBlock],
    rates: Mapping[str, float],
    ties: Mapping[str, tuple[str, float]],
    pieces: Mapping[str, int],
    degree: int,
    order: int,
    error_input: float,
) -> GridFunction:
    """Find a function on a grid of parameters that falls, and by how much it does.

    Parameters
    ----------
    system, blocks, rates, ties
        The loop, as of `Inequalities`.
    pieces
        Numbers of pieces of the ranges of parameters; one where none is given.
    degree
        Degree of the function in each parameter of finite rate, on each piece.
    order
        Half the degree in the states.
    error_input
        Bound of the input of the error of the model, per state (see `error_bound`).
    """
    for b in blocks:
        if b.kind not in ("real", "error"):
            raise InputError(f"pieces need blocks that act at every instant, and block '{b.name}' may be a system")
    grid = _Grid(system, blocks, rates, ties, pieces, degree, order)
    coefficients = grid.solved()
    return _NONE if coefficients is None else grid.checked(coefficients, error_input)


class _Grid:
    """The inequalities on all cells."""

    def __init__(
        self,
        system: Matrices,
        blocks: Sequence[DeltaBlock],
        rates: Mapping[str, float],
        ties: Mapping[str, tuple[str, float]],
        pieces: Mapping[str, int],
        degree: int,
        order: int,
    ) -> None:
        A, B, C, D = system
        rows = [i for b, s in slices(blocks) if b.kind == "real" for i in range(s.start, s.stop)]
        errors = [i for b, s in slices(blocks) if b.kind == "error" for i in range(s.start, s.stop)]
        self.A, self.B, self.C, self.D = A, B[:, rows], C[rows], D[np.ix_(rows, rows)]
        self.B_error, self.D_error = B[:, errors], D[np.ix_(rows, errors)]
        self.order, self.n = order, len(lifted_matrix(A, order))
        self.triangle = [(i, j) for j in range(self.n) for i in range(j + 1)]
        real = [b for b in blocks if b.kind == "real"]
        self.owner = np.array([k for k, b in enumerate(real) for _ in range(b.size)], dtype=int)
        self.axes = tuple(
            _Axis(
                b.name,
                np.linspace(-1.0, 1.0, pieces.get(b.name, 1) + 1),
                rates[b.name],
                ties.get(b.name),
                degree if np.isfinite(rates[b.name]) else 0,
                2 if self._nonlinear(k) else 1,
            )
            for k, b in enumerate(real)
        )
        loose = [x for x in self.axes if x.tie is None and 0.0 < x.rate < np.inf]
        self.corners = [
            dict(zip([x.name for x in loose], c, strict=True)) for c in product((-1.0, 1.0), repeat=len(loose))
        ]
        self.cells = list(product(*(range(len(x.knots) - 1) for x in self.axes)))
        count = len(self.cells) * len(self.corners) * int(np.prod([x.p + x.q + 1 for x in self.axes]))
        if count > _MOST:
            told = ", ".join(f"{x.name}: {len(x.knots) - 1}" for x in self.axes)
            raise InputError(
                f"pieces ({told}) of degree {degree} have {count} inequalities, more than {_MOST}: "
                "take fewer pieces, or a lower degree"
            )

    def _nonlinear(self, k: int) -> bool:
        """Whether the system is more than affine in a parameter."""
        inner = np.abs(self.D) > 0.0
        mine = self.owner == k
        reach = np.linalg.matrix_power((np.eye(len(inner)) + inner > 0.0).astype(float), max(len(inner), 1)) > 0.0
        return bool((inner[mine] @ reach[:, mine]).any() or inner[np.ix_(mine, mine)].any())

    def at(self, d: Sequence[float]) -> Array:
        """The matrix of products of states at numbers of the parameters."""
        delta = np.asarray(d, dtype=float)[self.owner]
        inner = np.eye(len(delta)) - delta[:, None] * self.D
        return lifted_matrix(self.A + self.B @ np.linalg.solve(inner, delta[:, None] * self.C), self.order)

    def left_out(self, cell: Sequence[int]) -> tuple[float, float]:
        """Bounds on a cell: what interpolation and rounding leave out of ``A``, and the effect of an error of one."""
        low = np.array([x.knots[c] for x, c in zip(self.axes, cell, strict=True)])
        high = np.array([x.knots[c + 1] for x, c in zip(self.axes, cell, strict=True)])
        middle, half = (0.5 * (low + high))[self.owner], (0.5 * (high - low))[self.owner] * (1.0 + 1e-12)
        m = len(middle)
        inner = np.eye(m) - middle[:, None] * self.D
        F = np.abs(np.linalg.inv(inner))
        D = np.abs(self.D)
        spread = np.linalg.inv(np.eye(m) - F @ (half[:, None] * D))
        if m and (float(np.abs(np.linalg.eigvals(F @ (half[:, None] * D))).max()) >= 1.0 or (spread < -1e-12).any()):
            return np.inf, np.inf
        F = (1.0 + 1e-9) * np.abs(spread) @ F  # of 1/(1 - Delta D), and of 1/(1 - D Delta) = 1 + D F Delta
        B, C = np.abs(self.B) @ F, np.abs(self.C) + D @ F @ np.abs(self.C)
        total = np.zeros_like(self.A)
        for k, axis in enumerate(self.axes):
            mine = (self.owner == k).astype(float)
            chain = mine[:, None] * C
            for _ in range(axis.q):
                chain = mine[:, None] * (D @ (F @ chain))
            factorial = axis.q + 1.0 if axis.q == 1 else 6.0
            total += (high[k] - low[k]) ** (axis.q + 1) * _REST[axis.q] * factorial * (B @ chain)
        total *= float(np.prod([_LEBESGUE[x.q] for x in self.axes]))
        # the inverse, and sums of products
        total += 64.0 * (m + len(self.A)) * _UNIT * (np.abs(self.A) + B @ (np.eye(m) + np.abs(inner) @ F) @ C)
        into = np.abs(self.B_error) + B @ np.abs(self.D_error)
        return float(np.linalg.norm(total, 2)), float(np.linalg.norm(into, 2))

    def operators(self, cell: Sequence[int]) -> list[Array]:
        """Coefficients of ``V'`` as linear functions of those of ``V``, at each corner of the rates."""
        axes, s = self.axes, len(self.triangle)
        values = np.array(
            [
                self.at(
                    [
                        x.knots[c] + (x.knots[c + 1] - x.knots[c]) * a / x.q
                        for x, c, a in zip(axes, cell, at, strict=True)
                    ]
                )
                for at in product(*(range(x.q + 1) for x in axes))
            ]
        ).reshape(*(x.q + 1 for x in axes), self.n, self.n)
        for k, x in enumerate(axes):  # Bernstein coefficients of the interpolation
            if x.q == 2:
                change = np.array([[1.0, 0.0, 0.0], [-0.5, 2.0, -0.5], [0.0, 0.0, 1.0]])
                values = np.moveaxis(np.tensordot(change, values, axes=(1, k)), 0, k)
        base: Any = 0.0
        for at in product(*(range(x.q + 1) for x in axes)):
            base = base + _together(
                [*(x.times(a) for x, a in zip(axes, at, strict=True)), self._both_sides(values[at])]
            )
        one = np.eye(s)
        widths = [x.knots[c + 1] - x.knots[c] for x, c in zip(axes, cell, strict=True)]
        place = {x.name: k for k, x in enumerate(axes)}
        loose: dict[str, Array] = {}
        for k, x in enumerate(axes):
            parts = [y.same for y in axes]
            parts[k] = x.slope(widths[k])
            if x.tie is not None and x.p:
                other, factor = x.tie
                parts[place[other]] = axes[place[other]].number(cell[place[other]])
                base = base + factor * _together([*parts, one])
            elif x.p and x.rate:
                loose[x.name] = x.rate * _together([*parts, one])
        return [np.asarray(base + sum(sign * loose[n] for n, sign in corner.items())) for corner in self.corners]

    def _both_sides(self, A: Array) -> Array:
        """``A^T P + P A`` as a map of the scaled upper triangle of ``P``."""
        n, found = self.n, []
        for i, j in self.triangle:
            E = np.zeros((n, n))
            E[i, j] = E[j, i] = 1.0 if i == j else np.sqrt(0.5)
            found.append(self._vector(A.T @ E + E @ A))
        return np.array(found).T

    def _vector(self, M: Array) -> Array:
        return np.array([M[i, j] * (1.0 if i == j else np.sqrt(2.0)) for i, j in self.triangle])

    def matrices(self, x: Array) -> Array:
        """Symmetric matrices of scaled upper triangles, row by row."""
        found = np.zeros((len(x), self.n, self.n))
        for k, (i, j) in enumerate(self.triangle):
            found[:, i, j] = found[:, j, i] = x[:, k] * (1.0 if i == j else np.sqrt(0.5))
        return found

    def places(self, cell: Sequence[int]) -> Array:
        """Places of the coefficients of a cell among all."""
        shape = [x.count for x in self.axes]
        own = product(*(range(c * x.p, c * x.p + x.p + 1) for x, c in zip(self.axes, cell, strict=True)))
        return np.array([np.ravel_multi_index(i, shape) if shape else 0 for i in own], dtype=int)

    def each(self) -> Iterator[tuple[tuple[int, ...], Array, list[Array]]]:
        """Cells, places of their coefficients, and their operators."""
        for cell in self.cells:
            yield cell, self.places(cell), self.operators(cell)

    def solved(self) -> Array | None:
        """Coefficients by the solver, row by row; None if it fails."""
        try:
            clarabel: Any = importlib.import_module("clarabel")
        except ImportError:
            raise InputError("proofs with rates need cvxpy and clarabel: pip install 'dalembert[robust]'") from None
        from scipy.sparse import csc_matrix

        n, s = self.n, len(self.triangle)
        total = int(np.prod([x.count for x in self.axes]))
        unit = np.flatnonzero([i == j for i, j in self.triangle])
        rows, columns, values, start, cones = [], [], [], 0, 0

        def margin(count: int) -> None:
            """The variable by which all inequalities hold."""
            at = (np.arange(count)[:, None] * s + unit).ravel()
            rows.append(start + at)
            columns.append(np.full(len(at), total * s))
            values.append(np.ones(len(at)))

        for _, places, operators in self.each():
            own = (places[:, None] * s + np.arange(s)).ravel()
            for M in operators:
                i, j = np.nonzero(M)
                rows.append(start + i)
                columns.append(own[j])
                values.append(M[i, j])
                margin(len(M) // s)
                start, cones = start + len(M), cones + len(M) // s
        rows.append(start + np.arange(total * s))
        columns.append(np.arange(total * s))
        values.append(-np.ones(total * s))
        margin(total)
        start, cones = start + total * s, cones + total
        at = (np.arange(total)[:, None] * s + unit).ravel()
        rows.append(np.full(len(at), start))
        columns.append(at)
        values.append(np.ones(len(at)))
        shape = (start + 1, total * s + 1)
        matrix = csc_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=shape)
        right, cost = np.zeros(shape[0]), np.zeros(shape[1])
        right[-1], cost[-1] = total * n, -1.0
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        kinds = [clarabel.PSDTriangleConeT(n)] * cones + [clarabel.ZeroConeT(1)]
        quadratic = csc_matrix((shape[1], shape[1]))
        found = np.array(clarabel.DefaultSolver(quadratic, cost, matrix, right, kinds, settings).solve().x)
        return found[:-1].reshape(total, s) if np.isfinite(found).all() else None

    def checked(self, x: Array, error_input: float) -> GridFunction:
        """The function of these coefficients, with the eigenvalues of all inequalities."""
        falls, sizes, errors = [], [], []
        s, every = len(self.triangle), self.matrices(x)
        for cell, places, operators in self.each():
            rest, into = self.left_out(cell)
            largest = float(np.linalg.norm(every[places], 2, axis=(1, 2)).max())
            own = x[places].ravel()
            worst, size = -np.inf, 1e-300
            for M in operators:
                found = self.matrices((M @ own).reshape(-1, s))
                rounding = (
                    8.0
                    * (M.shape[1] + 32)
                    * _UNIT
                    * float(np.linalg.norm((np.abs(M) @ np.abs(own)).reshape(-1, s), axis=1).max())
                )
                size = max(size, float(np.linalg.norm(found, axis=(1, 2)).max()))
                worst = max(
                    worst, float(np.linalg.eigvalsh(found)[:, -1].max()) + 20 * self.n * _UNIT * size + rounding
                )
            falls.append(worst + 2.0 * self.order * rest * largest)
            sizes.append(size)
            errors.append(self.order * into * largest if error_input else 0.0)
        scale = np.linalg.norm(every, axis=(1, 2)).max()
        positive = float(np.linalg.eigvalsh(every)[:, 0].min()) / scale - 20 * self.n * _UNIT
        kept = [x for x in self.axes if x.p]
        shape = (*(x.count for x in kept), self.n, self.n)
        knots = tuple(np.linspace(-1.0, 1.0, x.count) for x in kept)
        names = tuple(x.name for x in kept)
        parts = np.array(falls), np.array(sizes), np.array(errors)
        return GridFunction(names, knots, every.reshape(shape), *parts, error_input, positive)


def _together(parts: Sequence[Array]) -> Array:
    """Kronecker product of all."""
    found: Array = np.ones((1, 1))
    for x in parts:
        found = np.asarray(np.kron(found, x))
    return found
