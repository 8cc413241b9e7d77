"""Modes of a beam in one direction: traction, torsion (wave equation, SPACE B.1, B.2) and bending (B.3).

The modes are found as stationary points of the Rayleigh quotient

    w^2 = ( int k (phi^(d))^2 ds + springs ) / ( int m phi^2 ds + load ),      d = 1 or 2,

in a space of polynomials of high degree on a few elements. A symmetric eigenvalue problem has all its roots, so that
none is missed as with a transcendental equation, and steps of the section, loads and springs need no special case. On
each element the internal polynomials have Legendre polynomials as d-th derivatives, which keeps the matrices well
conditioned. The problem is solved for ``1/w^2`` and each pair improved by Rayleigh quotient iteration: relative errors
of the first twenty frequencies are below 1e-12, also under loads of ten thousand times the beam's own mass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from dalembert.core.types import Array
from dalembert.model.shapes import HERMITE, Shape, gauss_points

__all__ = ["DEGREE", "BeamPiece", "EndLoad", "Support", "beam_modes"]

DEGREE = 20


@dataclass(frozen=True)
class BeamPiece:
    """A stretch of a beam with constant stiffness (ES, G I_p or EI) and inertia per length (rho S or rho I_p)."""

    start: float
    end: float
    stiffness: float
    inertia: float


@dataclass(frozen=True)
class Support:
    """Support of an end: deflection or slope blocked, or held by springs.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Support(deflection=True, slope_spring=300.0).slope
    False
    """

    deflection: bool = False
    slope: bool = False
    deflection_spring: float = 0.0
    slope_spring: float = 0.0


@dataclass(frozen=True)
class EndLoad:
    """Inertia at the tip: mass, first moment along the beam and moment of inertia about the tip.

    For traction and torsion only ``mass`` counts (the moment of inertia about the axis, in torsion).
    """

    mass: float = 0.0
    first_moment: float = 0.0
    inertia: float = 0.0


def beam_modes(
    pieces: Sequence[BeamPiece], order: int, supports: tuple[Support, Support], load: EndLoad, count: int
) -> tuple[Array, list[Shape]]:
    """Frequencies [rad/s] and shapes of the lowest modes that deform the beam, scaled to unit modal mass.

    Parameters
    ----------
    pieces
        Stretches of the beam, from the root to the tip.
    order
        1 for traction and torsion, 2 for bending.
    supports
        Supports of root and tip.
    load
        Load at the tip.
    count
        Number of modes; rigid motions are left out.

    Returns
    -------
    frequencies
        Angular frequencies, increasing.
    shapes
        Mode shapes with positive curvature (bending) or slope at the root, or positive tip where that vanishes.
    """
    length = pieces[-1].end
    elements = [e for p in pieces for e in _split(p, length, count)]
    K, M, local = _assemble(elements, order, length)
    stiff, heavy = _scales(pieces, order, length)
    K, M = K / stiff, M / heavy
    tip = order * len(elements)
    for node, end in ((0, supports[0]), (tip, supports[1])):
        K[node, node] += end.deflection_spring / stiff
        if order == 2:
            K[node + 1, node + 1] += end.slope_spring / stiff / length**2
    M[tip, tip] += load.mass / heavy
    if order == 2:
        M[tip + 1, tip + 1] += load.inertia / heavy / length**2
        M[tip, tip + 1] += load.first_moment / heavy / length
        M[tip + 1, tip] = M[tip, tip + 1]
    blocked = [n for n, e in ((0, supports[0]), (tip, supports[1])) if e.deflection]
    blocked += [n + 1 for n, e in ((0, supports[0]), (tip, supports[1])) if e.slope and order == 2]
    free = np.setdiff1d(np.arange(len(K)), blocked)
    values, vectors = _lowest(K[np.ix_(free, free)], M[np.ix_(free, free)], count)
    shapes = []
    for x in vectors.T:
        full = np.zeros(len(K))
        full[free] = x / np.sqrt(heavy)
        shapes.append(_shape(full, elements, local, order))
    return np.sqrt(values * stiff / heavy), shapes


def _split(piece: BeamPiece, length: float, count: int) -> list[BeamPiece]:
    """Elements of a piece, short enough for half a dozen half waves each."""
    n = max(1, int(np.ceil((count + 1) * (piece.end - piece.start) / length / 3)))
    ends = np.linspace(piece.start, piece.end, n + 1)
    return [BeamPiece(a, b, piece.stiffness, piece.inertia) for a, b in pairwise(ends)]


def _scales(pieces: Sequence[BeamPiece], order: int, length: float) -> tuple[float, float]:
    stiff = max(p.stiffness for p in pieces) / length ** (2 * order - 1)
    return stiff, max(p.inertia for p in pieces) * length


def _basis(order: int) -> Array:
    """Legendre coefficients (rows) of the element's functions on [-1, 1]: nodal ones, then internal ones.

    The d-th derivative of an internal function is a normalised Legendre polynomial.
    """
    rows = []
    if order == 1:
        rows += [[0.5, -0.5], [0.5, 0.5]]
        for k in range(1, DEGREE):
            c = np.zeros(k + 2)
            c[k + 1], c[k - 1] = 1 / (2 * k + 1), -1 / (2 * k + 1)
            rows.append(list(c * np.sqrt((2 * k + 1) / 2)))
    else:
        rows += HERMITE.T.tolist()
        for k in range(2, DEGREE - 1):
            c = np.zeros(k + 3)
            c[k + 2] = 1 / ((2 * k + 1) * (2 * k + 3))
            c[k] = -2 / ((2 * k - 1) * (2 * k + 3))
            c[k - 2] = 1 / ((2 * k + 1) * (2 * k - 1))
            rows.append(list(c * np.sqrt((2 * k + 1) / 2)))
    full = np.zeros((len(rows), DEGREE + 1))
    for i, row in enumerate(rows):
        full[i, : len(row)] = row
    return full


def _assemble(elements: Sequence[BeamPiece], order: int, length: float) -> tuple[Array, Array, Array]:
    """Stiffness and mass matrix; unknowns are nodal deflections (and slopes times length), then internal ones."""
    basis = _basis(order)
    x, w = gauss_points((-1.0, 1.0), 2 * DEGREE)
    value = np.array([legendre.legval(x, c) for c in basis])
    curve = np.array([legendre.legval(x, legendre.legder(c, order)) for c in basis])
    m, k = (value * w) @ value.T, (curve * w) @ curve.T
    nodal = order * (len(elements) + 1)
    inner = len(basis) - 2 * order
    size = nodal + inner * len(elements)
    K, M = np.zeros((size, size)), np.zeros((size, size))
    for e, element in enumerate(elements):
        h = element.end - element.start
        scale = _nodal_scale(order, h, length, inner)
        index = _index(e, order, nodal, inner)
        K[np.ix_(index, index)] += np.outer(scale, scale) * k * element.stiffness * (2 / h) ** (2 * order - 1)
        M[np.ix_(index, index)] += np.outer(scale, scale) * m * element.inertia * h / 2
    return K, M, basis


def _index(e: int, order: int, nodal: int, inner: int) -> NDArray[np.intp]:
    ends = np.arange(order * e, order * (e + 2))
    return np.concatenate([ends, nodal + inner * e + np.arange(inner)])


def _nodal_scale(order: int, h: float, length: float, inner: int) -> Array:
    ends = [1.0, 1.0] if order == 1 else [1.0, h / 2 / length, 1.0, h / 2 / length]
    return np.array(ends + [1.0] * inner)


def _lowest(K: Array, M: Array, count: int) -> tuple[Array, Array]:
    """Smallest positive eigenvalues of ``K x = lambda M x`` and their vectors with ``x^T M x = 1``."""
    # A shift makes K regular where the beam can move as a whole.
    shift = 0.0 if np.linalg.cond(K) < 1e14 else 1.0
    L = np.linalg.cholesky(K + shift * M)
    A = np.linalg.solve(L, np.linalg.solve(L, M).T)
    mu, Y = np.linalg.eigh((A + A.T) / 2)
    X = np.linalg.solve(L.T, Y[:, ::-1])
    values, vectors = [], []
    for i in range(len(mu)):
        x, value = X[:, i], 1 / mu[-1 - i] - shift
        if value > 1e-9:
            for _ in range(2):  # Rayleigh quotient iteration
                x = np.linalg.solve(K - value * (1 + 1e-13) * M, M @ x)
                x = x / np.sqrt(x @ M @ x)
                value = x @ K @ x
            values.append(value)
            vectors.append(x)
        if len(values) == count:
            break
    return np.array(values), np.array(vectors).T


def _shape(x: Array, elements: Sequence[BeamPiece], basis: Array, order: int) -> Shape:
    length = elements[-1].end
    nodal = order * (len(elements) + 1)
    inner = len(basis) - 2 * order
    pieces = []
    for e, element in enumerate(elements):
        scale = _nodal_scale(order, element.end - element.start, length, inner)
        pieces.append((x[_index(e, order, nodal, inner)] * scale) @ basis)
    largest = max(float(np.abs(c).max()) for c in pieces)
    trimmed = []
    for c in pieces:
        last = int(np.flatnonzero(np.abs(c) > 1e-15 * largest)[-1]) if c.any() else 0
        trimmed.append(tuple(float(v) for v in c[: last + 1]))
    shape = Shape(tuple([0.0] + [e.end for e in elements]), tuple(trimmed))
    lead = float(shape(0.0, order)) * length**order
    tip = float(shape(length))
    negative = lead < 0 if abs(lead) > 1e-6 * largest else tip < 0
    return shape.scaled(-1.0) if negative else shape
