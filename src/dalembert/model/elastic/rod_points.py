"""Points of a rod: where its strains, rotations and positions are computed, and the constants of these steps.

The strains of a rod are series of Legendre polynomials in pieces. A cell is a part of a piece in which the section and
the curvature without load do not jump. It has Gauss points, at which positions, velocities and inertia are known:
rotations go from point to point, positions are integrals of the polynomial through the tangents at the points.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.polynomial import legendre

from dalembert.core.types import Array
from dalembert.model.section import Section

if TYPE_CHECKING:
    from dalembert.model.elastic.rod import Rod

__all__ = ["STRAINS", "PieceInertia", "RodCell", "RodPiece", "RodPoints", "RodStep", "rod_points"]

STRAINS = ("torsion", "bending_z", "bending_y", "axial", "shear_y", "shear_z")
"""Strains by component: curvatures about x, y, z and strains along x, y, z of a section."""


@dataclass(frozen=True)
class RodColumn:
    """One coordinate: component 0 to 5 of the strains (see `STRAINS`), piece, and degree of its polynomial."""

    component: int
    piece: int
    degree: int


@dataclass(frozen=True, eq=False)
class RodStep:
    """Way from one abscissa to another within a cell.

    Parameters
    ----------
    rest
        Generators (3 x 3, columns ``a_1, a_2, a_3``) of the curvature without load, see `_generators`.
    shares
        Generators (columns x 3) per coordinate of the piece, along the axis of its component.
    """

    rest: Array
    shares: Array


@dataclass(frozen=True, eq=False)
class RodCell:
    """A part of a piece with its Gauss points.

    Parameters
    ----------
    start, end
        Abscissae.
    curvature
        Curvature without load (3).
    points, weights
        Gauss points and their weights (m).
    area, moments
        Area (m) and second moments ``I_y, I_z, I_yz`` (m x 3) of the sections there.
    steps
        Ways from the start to the first point, from point to point, and to the end (m + 1).
    integrals
        Integrals from the start to each point and the end of the polynomial through values at the points ((m+1) x m).
    strains
        Values of the polynomials of the piece at the points (m x columns).
    """

    start: float
    end: float
    curvature: Array
    points: Array
    weights: Array
    area: Array
    moments: Array
    steps: tuple[RodStep, ...]
    integrals: Array
    strains: Array


@dataclass(frozen=True, eq=False)
class PieceInertia:
    """Mass of a piece per unit density, as a quadratic form of the tangents ``d_k`` at its points.

    Points are ``x_l = x_0 + sum_k N_lk d_k`` from the start ``x_0`` of the piece, so that the masses ``m_l`` of the
    points enter through constants only: with ``c = N^T m`` and ``G = N^T diag(m) N``,

        sum m_l x_l = (sum m) x_0 + sum c_k d_k,     sum m_l |x_l - x_0|^2 = sum G_kk' d_k.d_k'.

    Sections have the moments of inertia ``J = j (1 - a a^T) + sum b b^T``, ``a`` their normal. Where tangents are the
    normals, ``|d'|^2`` has the moment ``1 - a a^T``, and ``j``, the smaller principal second moment, is added to ``G``.

    Parameters
    ----------
    mass
        Sum of the masses.
    c
        First moments per tangent (m).
    G, U
        Quadratic form (m x m), and its triangular factor: ``G = U^T U``.
    axes
        Vectors ``b`` (3) in the axes of the section at each point.
    """

    mass: float
    c: Array
    G: Array
    U: Array
    axes: tuple[tuple[Array, ...], ...]


@dataclass(frozen=True, eq=False)
class RodPiece:
    """Interval with its own polynomials.

    Parameters
    ----------
    start, end
        Abscissae.
    first, columns
        Place of its first coordinate, and its coordinates.
    cells
        Its cells.
    """

    start: float
    end: float
    first: int
    columns: tuple[RodColumn, ...]
    cells: tuple[RodCell, ...]

    @property
    def range(self) -> slice:
        """Places of its coordinates."""
        return slice(self.first, self.first + len(self.columns))

    @property
    def extends(self) -> bool:
        """Whether it has strains of stretch or shear, so that its tangents are not unit vectors."""
        return any(c.component >= 3 for c in self.columns)

    @cached_property
    def inertia(self) -> PieceInertia:
        """Its mass as a quadratic form of the tangents at its points."""
        return _piece_inertia(self)

    def shapes(self, s: Array | float) -> Array:
        """Values of its polynomials (... x columns): angles per piece for curvatures, plain strains for the others."""
        x = 2 * (np.asarray(s) - self.start) / (self.end - self.start) - 1
        return np.stack([self.scale(c) * legendre.legval(x, _unit(c.degree)) for c in self.columns], axis=-1)

    def scale(self, column: RodColumn) -> float:
        """Strain per coordinate: the coordinates of curvatures are angles."""
        return 1.0 / (self.end - self.start) if column.component < 3 else 1.0

    def step(self, a: float, b: float, curvature: Array) -> RodStep:
        """Way from ``a`` to ``b``."""
        order = max(c.degree for c in self.columns) // 2 + 3
        x, w = legendre.leggauss(order)
        values = self.shapes((a + b) / 2 + (b - a) / 2 * x)
        values = values * [c.component < 3 for c in self.columns]
        rest = _generators(np.tile(curvature, (order, 1)), x, w, b - a)
        return RodStep(rest.T, _generators(values, x, w, b - a).T)


@dataclass(frozen=True, eq=False)
class RodPoints:
    """All pieces of a rod.

    Parameters
    ----------
    pieces
        From root to tip.
    axis
        The only axis (0, 1, 2) about which sections turn; None: they turn in space.
    volume
        Integral of the area.
    stiffness_E, stiffness_G
        Stiffness matrix per unit modulus.
    """

    pieces: tuple[RodPiece, ...]
    axis: int | None
    volume: float
    stiffness_E: Array
    stiffness_G: Array

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return sum(len(piece.columns) for piece in self.pieces)

    @property
    def longest_steps(self) -> Array:
        """Longest way between two points of each piece, relative to its length."""
        ends = [[[c.start, *c.points, c.end] for c in p.cells] for p in self.pieces]
        longest = [max(np.diff(e).max() for e in cells) for cells in ends]
        return np.array([h / (p.end - p.start) for h, p in zip(longest, self.pieces, strict=True)])


def _unit(k: int) -> Array:
    return np.eye(k + 1)[k]


def _generators(values: Array, x: Array, w: Array, h: float) -> Array:
    """``a_1, a_2, a_3`` (3 x ...): the polynomial ``(a_1 + a_2 x/2 + a_3 x^2/4)/h`` of degree 2 next to the values.

    These are the generators of the Magnus expansion of order 6 from the exact moments of the values (S. Blanes,
    F. Casas, J. A. Oteo, J. Ros, "The Magnus expansion and some of its applications", Phys. Rep. 470 (2009), 5.1).
    """
    B = [h / 2 * np.einsum("i,i...->...", w * (x / 2) ** k, values) for k in range(3)]
    a = np.array([9 / 4 * B[0] - 15 * B[2], 12 * B[1], -15 * B[0] + 180 * B[2]])
    return np.where(np.abs(a) < 1e-13 * h * np.abs(values).max(initial=0.0), 0.0, a)  # zeros cost nothing


def rod_points(rod: Rod) -> RodPoints:
    """Return the points of a rod; kept with it."""
    return rod.kept.once("points", (), lambda: _points(rod))


def _points(rod: Rod) -> RodPoints:
    ends = rod.piece_ends
    columns = [
        RodColumn(STRAINS.index(name), piece, k)
        for piece in range(len(ends) - 1)
        for name, number in rod.strains
        for k in range(number)
    ]
    pieces, K = [], np.zeros((2, len(columns), len(columns)))
    first = 0
    for i, (a, b) in enumerate(pairwise(ends)):
        own = tuple(c for c in columns if c.piece == i)
        piece = RodPiece(a, b, first, own, ())
        inner = [s for s in rod.jumps if a + 1e-12 * rod.length < s < b - 1e-12 * rod.length]
        cells = tuple(_cell(rod, piece, *pair) for pair in pairwise([a, *inner, b]))
        for cell in cells:
            _add_stiffness(rod, piece, cell, K[:, piece.range, piece.range])
        pieces.append(RodPiece(a, b, first, own, cells))
        first += len(own)
    turning = {c.component for c in columns if c.component < 3}
    turning |= {k for _, kappa in rod.curvatures for k in range(3) if kappa[k] != 0.0}
    axis = None if len(turning) > 1 else next(iter(turning), 2)
    volume = sum(float(c.weights @ c.area) for p in pieces for c in p.cells)
    return RodPoints(tuple(pieces), axis, volume, K[0], K[1])


def _cell(rod: Rod, piece: RodPiece, a: float, b: float) -> RodCell:
    m = rod.points_per_cell
    x, w = legendre.leggauss(m)
    s = (a + b) / 2 + (b - a) / 2 * x
    sections = [rod.section_at(t) for t in s]
    curvature = rod.curvature_at((a + b) / 2)
    at = [a, *s, b]
    steps = tuple(piece.step(t, u, curvature) for t, u in pairwise(at))
    return RodCell(
        a,
        b,
        curvature,
        s,
        (b - a) / 2 * w,
        np.array([q.area for q in sections]),
        np.array([[q.I_y, q.I_z, q.I_yz] for q in sections]) * float(rod.rotary_inertia),
        steps,
        integration_rows(np.array([*x, 1.0]), m) * (b - a) / 2,
        piece.shapes(s),
    )


def _piece_inertia(piece: RodPiece) -> PieceInertia:
    total = sum(len(cell.points) for cell in piece.cells)
    N, m, j, axes, before, at = np.zeros((total, total)), np.zeros(total), np.zeros(total), [], np.zeros(total), 0
    for cell in piece.cells:
        own = slice(at, at + len(cell.points))
        N[own], N[own, own] = before, cell.integrals[:-1]
        before, at = before.copy(), own.stop
        before[own] = cell.integrals[-1]
        m[own] = cell.weights * cell.area
        for l, (weight, (I_y, I_z, I_yz)) in enumerate(zip(cell.weights, cell.moments, strict=True)):
            least, vectors = _section_axes(weight * I_y, weight * I_z, weight * I_yz, absorb=not piece.extends)
            j[own.start + l] = least
            axes.append(vectors)
    U = np.asarray(np.linalg.qr(np.vstack([np.sqrt(m)[:, None] * N, np.diag(np.sqrt(j))]), mode="r"))
    return PieceInertia(float(m.sum()), m @ N, N.T @ (m[:, None] * N) + np.diag(j), U, tuple(axes))


def _section_axes(I_y: float, I_z: float, I_yz: float, *, absorb: bool) -> tuple[float, tuple[Array, ...]]:
    """``j`` and the vectors ``b`` of `PieceInertia` for a section."""
    values, turned = np.linalg.eigh(np.array([[I_y, -I_yz], [-I_yz, I_z]])) if I_yz else ([I_y, I_z], np.eye(2))
    least = float(min(values)) if absorb else 0.0
    vectors = [np.sqrt(I_y + I_z) * np.array([1.0, 0.0, 0.0])]
    vectors += [np.sqrt(max(x - least, 0.0)) * np.array([0.0, *turned[:, k]]) for k, x in enumerate(values)]
    return least, tuple(b for b in vectors if b.any())


def integration_rows(ends: Array, m: int) -> Array:
    """Integrals from -1 to each end of the polynomial through values at m Gauss points (ends x m)."""
    x, _ = legendre.leggauss(m)
    primitives = [legendre.legval(ends, legendre.legint(_unit(k), lbnd=-1)) for k in range(m)]
    return np.asarray(np.column_stack(primitives) @ np.linalg.inv(legendre.legvander(x, m - 1)))


def _add_stiffness(rod: Rod, piece: RodPiece, cell: RodCell, K: Array) -> None:
    """Add ``int (E, G) c_ij e_i e_j ds`` of a cell, exact where the section is a polynomial of degree 4."""
    degree = max(c.degree for c in piece.columns)
    x, w = legendre.leggauss(degree + 3)
    s = (cell.start + cell.end) / 2 + (cell.end - cell.start) / 2 * x
    shapes = piece.shapes(s)
    kinds = [c.component for c in piece.columns]
    for t, weight, P in zip(s, (cell.end - cell.start) / 2 * w, shapes, strict=True):
        by_E, by_G = _moduli(rod.section_at(t), rod.shear_factor)
        products = weight * np.outer(P, P)
        K[0] += products * by_E[np.ix_(kinds, kinds)]
        K[1] += products * by_G[np.ix_(kinds, kinds)]


def _moduli(section: Section, shear_factor: float | None) -> tuple[Array, Array]:
    """Stiffness (6 x 6) of a section against its strains, per unit E and per unit G."""
    by_E = np.diag([0.0, section.I_y, section.I_z, section.area, 0.0, 0.0])
    by_E[1, 2] = by_E[2, 1] = -section.I_yz
    shear = (shear_factor or 0.0) * section.area
    return by_E, np.diag([section.torsion or 0.0, 0.0, 0.0, 0.0, shear, shear])
