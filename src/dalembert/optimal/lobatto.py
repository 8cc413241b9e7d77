"""Collocation at Lobatto points: nodes, integration matrices and interpolation on the unit interval.

With the nodes ``0 = c_1 < ... < c_s = 1`` of Lobatto and the Lagrange polynomials ``L_j`` through them, the method

    x_i = x_1 + h sum_j A_ij x'_j,        A_ij = integral of L_j from 0 to c_i

is Lobatto IIIA of order ``2 s - 2`` (Hairer, Lubich, Wanner: Geometric Numerical Integration, II.1.4). Three points are
Hermite-Simpson collocation, of order four.

A polynomial lies within the range of its Bernstein coefficients, which are linear in its values at the nodes: limits of
the coefficients hold between the nodes too.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial import Polynomial, legendre

from dalembert.core.types import Array

__all__ = ["Lobatto", "lobatto"]


@dataclass(frozen=True, eq=False)
class Lobatto:
    """Nodes and matrices of collocation with ``s`` points.

    Attributes
    ----------
    c
        Nodes (s) on the unit interval, both ends included.
    A
        Integrals (s, s) of the Lagrange polynomials from 0 to each node; the last row has the weights.
    polynomials
        Coefficients (s, s) of the Lagrange polynomials: row j of ``L_j``, lowest power first.
    """

    c: Array
    A: Array
    polynomials: Array

    @property
    def s(self) -> int:
        """Number of points."""
        return len(self.c)

    @property
    def b(self) -> Array:
        """Weights of the quadrature."""
        return np.asarray(self.A[-1])

    @property
    def slopes(self) -> Array:
        """Derivatives (s, s) of the Lagrange polynomials: entry (i, j) is that of ``L_j`` at node i."""
        k = np.arange(1, self.s)
        return np.asarray((self.c[:, None] ** (k - 1)) @ (self.polynomials[:, 1:] * k).T)

    @cached_property
    def hull(self) -> Array:
        """Matrix (s, s) from values at the nodes to the Bernstein coefficients of the polynomial through them."""
        return np.asarray(_bernstein(self.s - 1) @ self.polynomials.T)

    @cached_property
    def integral_hull(self) -> Array:
        """Matrix (s + 1, s) from slopes at the nodes to the Bernstein coefficients of their integral from 0."""
        k = np.arange(1, self.s + 1)
        powers = np.vstack([np.zeros(self.s), (self.polynomials / k).T])
        return np.asarray(_bernstein(self.s) @ powers)

    def values(self, x: Array) -> Array:
        """Lagrange polynomials (..., s) at fractions ``x`` of the interval."""
        powers = np.asarray(x)[..., None] ** np.arange(self.s)
        return np.asarray(powers @ self.polynomials.T)

    def integrals(self, x: Array) -> Array:
        """Their integrals (..., s) from 0 to fractions ``x`` of the interval."""
        k = np.arange(1, self.s + 1)
        powers = np.asarray(x)[..., None] ** k
        return np.asarray(powers @ (self.polynomials / k).T)


def _bernstein(degree: int) -> Array:
    """Matrix from coefficients of powers, lowest first, to Bernstein coefficients of the same degree."""
    n = degree
    return np.array(
        [[math.comb(i, j) / math.comb(n, j) if j <= i else 0.0 for j in range(n + 1)] for i in range(n + 1)]
    )


@functools.lru_cache
def lobatto(s: int) -> Lobatto:
    """Collocation with ``s`` points."""
    inner = np.sort(legendre.Legendre.basis(s - 1).deriv().roots().real)
    c = np.concatenate([[0.0], (inner + 1.0) / 2.0, [1.0]])
    rows = []
    for j in range(s):
        others = np.delete(c, j)
        p = Polynomial.fromroots(others) / np.prod(c[j] - others)
        rows.append(np.pad(p.coef, (0, s - len(p.coef))))
    basis = np.array(rows)
    k = np.arange(1, s + 1)
    A = (c[:, None] ** k) @ (basis / k).T
    return Lobatto(c, A, basis)
