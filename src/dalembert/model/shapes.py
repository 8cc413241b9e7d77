"""Shape functions of beams: piecewise polynomials, whatever they come from.

Modes are computed as polynomials on elements, polynomial shapes are given as such, and the nodal values of a
finite-element mode define cubic Hermite polynomials. All shape integrals are then integrals of polynomials, which
Gauss-Legendre quadrature gives exactly up to rounding.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.types import Array

__all__ = ["HERMITE", "Shape", "gauss_points"]


HERMITE: Array = np.array(
    [
        [1 / 2, 1 / 6, 1 / 2, -1 / 6],
        [-3 / 5, -1 / 10, 3 / 5, -1 / 10],
        [0, -1 / 6, 0, 1 / 6],
        [1 / 10, 1 / 10, -1 / 10, 1 / 10],
    ]
)
"""Legendre coefficients (columns) of the cubic Hermite polynomials on [-1, 1]: value and slope at each end."""


@dataclass(frozen=True)
class Shape:
    """A function of the abscissa ``s`` in [0, l], polynomial on each interval between its breaks.

    Parameters
    ----------
    breaks
        Ends of the intervals, from 0 to l.
    coefficients
        Per interval, the Legendre coefficients in the local coordinate from -1 to 1.

    Examples
    --------
    >>> import dalembert as da
    >>> parabola = da.Shape.polynomial(2.0, [0, 0, 1])
    >>> float(parabola(1.0))
    0.25
    """

    breaks: tuple[float, ...]
    coefficients: tuple[tuple[float, ...], ...]

    @staticmethod
    def polynomial(length: float, coefficients: Sequence[float]) -> Shape:
        """Polynomial ``c0 + c1 x + c2 x^2 + ..`` of the relative abscissa ``x = s / l``."""
        c = _finite(coefficients, "the coefficients of a polynomial shape")
        local = np.polynomial.Polynomial(c)(np.polynomial.Polynomial([0.5, 0.5])).coef if c.size else c
        return Shape((0.0, float(length)), (tuple(float(x) for x in legendre.poly2leg(local)),))

    @staticmethod
    def nodal(s: ArrayLike, values: ArrayLike, slopes: ArrayLike | None = None) -> Shape:
        """Shape with given nodal values, as of a finite-element model.

        Parameters
        ----------
        s
            Abscissae of the nodes, increasing from 0 to l.
        values
            Deflections at the nodes.
        slopes
            Derivatives at the nodes: cubic Hermite polynomials, as in beam elements. Without them the shape is linear
            between the nodes, which suits traction and torsion only.
        """
        x, w = _finite(s, "the nodes of a shape"), _finite(values, "the nodal values of a shape")
        if x.size < 2 or x[0] != 0.0 or (np.diff(x) <= 0).any():
            raise InputError(f"the nodes of a shape must increase from 0, got {x.tolist()}")
        if w.shape != x.shape:
            raise InputError(f"a shape with {x.size} nodes needs {x.size} values, got {w.size}")
        pieces = []
        if slopes is None:
            pieces = [((a + b) / 2, (b - a) / 2) for a, b in pairwise(w)]
        else:
            t = _finite(slopes, "the nodal slopes of a shape")
            if t.shape != x.shape:
                raise InputError(f"a shape with {x.size} nodes needs {x.size} slopes, got {t.size}")
            for i, h in enumerate(np.diff(x)):
                pieces.append(tuple(HERMITE @ np.array([w[i], t[i] * h / 2, w[i + 1], t[i + 1] * h / 2])))
        return Shape(tuple(map(float, x)), tuple(tuple(map(float, p)) for p in pieces))

    @property
    def length(self) -> float:
        """Length of the beam it belongs to."""
        return self.breaks[-1]

    @property
    def degree(self) -> int:
        """Largest degree of a piece."""
        return max(len(c) for c in self.coefficients) - 1

    def __call__(self, s: ArrayLike, derivative: int = 0) -> Array:
        """Value or derivative at the abscissae ``s``; at a break, that of the interval to its left."""
        x = np.asarray(s, dtype=float)
        index = np.clip(np.searchsorted(self.breaks, x, side="left") - 1, 0, len(self.coefficients) - 1)
        result = np.zeros(x.shape)
        for i, c in enumerate(self.coefficients):
            here = index == i
            if here.any():
                a, b = self.breaks[i], self.breaks[i + 1]
                local = (2 * x[here] - a - b) / (b - a)
                result[here] = legendre.legval(local, legendre.legder(c, derivative)) * (2 / (b - a)) ** derivative
        return result

    def scaled(self, factor: float) -> Shape:
        """The shape times a number."""
        return Shape(self.breaks, tuple(tuple(factor * x for x in c) for c in self.coefficients))


def gauss_points(breaks: Iterable[float], degree: int) -> tuple[Array, Array]:
    """Points and weights that integrate polynomials of the given degree exactly on each interval between breaks."""
    ends = sorted(set(breaks))
    x, w = legendre.leggauss(degree // 2 + 1)
    points = [(a + b) / 2 + (b - a) / 2 * x for a, b in pairwise(ends)]
    weights = [(b - a) / 2 * w for a, b in pairwise(ends)]
    return np.concatenate(points), np.concatenate(weights)


def _finite(values: object, what: str) -> Array:
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{what} must be numbers, got {values!r}") from None
    if array.ndim != 1 or not np.isfinite(array).all():
        raise InputError(f"{what} must be finite numbers in a row, got {values!r}")
    return array
