"""Contacts with a box: corners on faces, crossing edges, and capsules, each within the face or edge that it touches.

All vectors are in the axes of the touched box B, with half sides ``b``, whose centre is the origin. The box A that
touches it has its centre at ``c``, its axes as columns of ``Q``, and half sides ``a``. The normal ``n`` points from B
to A. There are three kinds of pairs:

* a corner ``x`` of A on the two faces of B across its axis k, ``g = |x_k| - b_k``, within ``|x_m| <= b_m``;
* a corner of B on the faces of A, likewise;
* an edge of A along ``u`` and one of B along ``e``: ``n = (u x e)/|u x e|`` with ``n . c > 0`` and
  ``g = n . (p_A - p_B)``, with points of both, while their nearest points lie within both edges.

The four edges of A along u are two diagonal pairs. Only the nearer edge of each can touch, and the choice between the
two changes far from contact.

Two bodies that do not overlap touch at a corner or edge only with a normal that separates them: the solid rises from
the point along n, and the carrier falls. This is part of the window: it tells which of two faces a corner touches that
lies on the edge between them.

Windows of corners reach beyond their faces by `MARGIN`, so that boxes whose sides are flush carry each other, but only
on sides from which an edge of the solid lies on the face: a box that leans against the side of another one does not
lie on its top, and a corner that slides over an edge does not touch the side. Windows of edges end half a margin before
the ends of the edges, where corners take over.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import casadi as ca

__all__ = [
    "BOX_PAIRS", "CAPSULE_PAIRS", "MARGIN", "POINT_PAIRS", "Facing", "box_on_box", "capsule_on_box", "point_on_box",
]  # fmt: skip

MARGIN = 5e-7
"""Length [m] by which windows are wider than said."""

POINT_PAIRS, BOX_PAIRS, CAPSULE_PAIRS = 3, 84, 14
"""Numbers of pairs: faces of a point; corners (48) and edges (36) of two boxes; edges (6) and corners of a capsule."""

_TILT = 1e-4  # sine by which a solid may fall from its point of contact along the normal
_FLAT = 1e-9  # and by which it may do so where it overlaps: beyond, what looks like an overlap is beside an edge
_FLUSH = 1e-3  # sine of the angle between an edge and a face on which it lies
_PARALLEL = 1e-12  # square of the sine below which edges are parallel: they touch with their ends
_AWAY = 1.0  # measure [m] of a window that is closed
_BESIDE = 1e-3  # length [m] that is added to that of a point beyond the end of its window
_CORNER = 1e-60  # square of a length that keeps directions finite
_SIGNS = (-1.0, 1.0)


class Facing(NamedTuple):
    """A point of a solid that faces a box.

    Parameters
    ----------
    gap
        Distance along the normal, negative where they overlap.
    axes
        Normal from the box to the solid, and two tangents, as columns (3 x 3).
    point
        Point of the solid.
    beside
        Length [m] by which the point is beside the face or edge; at most `MARGIN` within it.
    falls
        Sine by which the solid or the box crosses the tangent plane there, beyond what may be rounding; -1 where the
        normal separates them.
    depth
        Overlap [m] from which on the solid is on the other side.
    """

    gap: ca.SX
    axes: ca.SX
    point: ca.SX
    beside: ca.SX
    falls: ca.SX
    depth: ca.SX

    @property
    def window(self) -> ca.SX:
        """Not above `MARGIN` where the pair may touch."""
        return ca.fmax(self.beside, self.falls)


def point_on_box(x: ca.SX, b: ca.SX, inwards: list[ca.SX] | None = None) -> list[Facing]:
    """Pairs of a point with the faces of a box, one across each axis.

    Parameters
    ----------
    x
        The point.
    b
        Half sides of the box.
    inwards
        Directions of the edges of the solid that end there; None: the point is all there is of it.
    """
    pairs = []
    for k in range(3):
        one, two = (k + 1) % 3, (k + 2) % 3
        side = _sign(x[k])
        n, t = ca.SX(3, 1), ca.SX(3, 1)
        n[k], t[one] = side, 1.0
        beside = ca.fmax(*(_over(x[m], b[m], [(d[m], d[k]) for d in inwards or []]) for m in (one, two)))
        falls = _falls([ca.dot(n, d) for d in inwards or []])
        pairs.append(Facing(ca.fabs(x[k]) - b[k], _axes(n, t), x, beside, falls, b[k]))
    return pairs


def box_on_box(Q: ca.SX, c: ca.SX, a: ca.SX, b: ca.SX) -> list[Facing]:
    """Pairs of a box with a box: its corners, the corners of the other one, and their edges."""
    pairs: list[Facing] = []
    for signs in _corners():
        pairs += point_on_box(c + Q @ (signs * a), b, [-signs[m] * Q[:, m] for m in range(3)])
    for signs in _corners():
        inwards = [-signs[m] * Q[m, :].T for m in range(3)]
        for found in point_on_box(Q.T @ (signs * b - c), a, inwards):
            n, t1, t2 = ca.horzsplit(Q @ found.axes)
            point = c + Q @ found.point - found.gap * n
            pairs.append(found._replace(axes=ca.horzcat(-n, t1, -t2), point=point))
    for i, j in product(range(3), range(3)):
        n, parallel = _across(Q[:, i], j, c)
        for one in _edges(Q, i, a, -n):
            for two in _edges(ca.SX.eye(3), j, b, n):
                pairs.append(_crossing(c + one.centre, Q[:, i], a[i], one, j, b[j], two, n, parallel, 0.0))
    return pairs


def capsule_on_box(w: ca.SX, c: ca.SX, half: ca.SX, radius: ca.SX, b: ca.SX) -> list[Facing]:
    """Pairs of the side of a capsule, about ``c + s w``, ``|s| <= half``, with edges and corners of a box."""
    pairs = []
    for j in range(3):
        n, parallel = _across(w, j, c)
        for two in _edges(ca.SX.eye(3), j, b, n):
            line = _Edge(ca.SX(3, 1), ca.SX(0, 1), 2.0 * radius)
            pairs.append(_crossing(c, w, half, line, j, b[j], two, n, parallel, radius))
    for signs in _corners():
        corner = signs * b
        s = ca.dot(w, corner - c)
        out = c + s * w - corner
        away = ca.sqrt(ca.dot(out, out) + _CORNER)
        n = out / away
        beside = _ending(ca.fabs(s) - half, MARGIN / 2)
        pairs.append(Facing(away - radius, _axes(n, w), c + s * w - radius * n, beside, _falls([]), radius))
    return pairs


class _Edge(NamedTuple):
    """Middle of an edge, sines by which its faces turn away from a direction, and the extent of its box along that."""

    centre: ca.SX
    rises: ca.SX
    chord: ca.SX


def _edges(Q: ca.SX, i: int, a: ca.SX, n: ca.SX) -> Iterator[_Edge]:
    """Edges along axis i of a box that reach farthest along n: the farther one of each two that are opposite."""
    one, two = (i + 1) % 3, (i + 2) % 3
    n1, n2 = ca.dot(n, Q[:, one]), ca.dot(n, Q[:, two])
    chord = ca.fmin(2.0 * a[one] / (ca.fabs(n1) + _TILT), 2.0 * a[two] / (ca.fabs(n2) + _TILT))
    for label in _SIGNS:
        side = _sign(n1 * a[one] + label * n2 * a[two])
        centre = side * (a[one] * Q[:, one] + label * a[two] * Q[:, two])
        yield _Edge(centre, ca.vertcat(side * n1, side * label * n2), chord)


def _across(u: ca.SX, j: int, c: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Direction across u and axis j, towards c; and whether these are parallel."""
    e = ca.SX(3, 1)
    e[j] = 1.0
    m = ca.cross(u, e)
    parallel = ca.dot(m, m) < _PARALLEL
    other = ca.SX(3, 1)
    other[(j + 1) % 3] = 1.0
    m = ca.if_else(parallel, other, m)
    return _sign(ca.dot(c, m)) * m / ca.sqrt(ca.dot(m, m)), parallel


def _crossing(
    p: ca.SX,
    u: ca.SX,
    reach: ca.SX,
    one: _Edge,
    j: int,
    b_j: ca.SX,
    two: _Edge,
    n: ca.SX,
    parallel: ca.SX,
    radius: ca.SX | float,
) -> Facing:
    """An edge of the solid (or the axis of a capsule) about p along u, and an edge of the box along its axis j."""
    d, cosine = p - two.centre, u[j]
    along, across = ca.dot(u, d), d[j]
    s = (cosine * across - along) / ca.if_else(parallel, 1.0, 1.0 - cosine * cosine)
    r = across + cosine * s
    ends = _ending(ca.fmax(ca.fabs(s) - reach, ca.fabs(r) - b_j), MARGIN / 2)
    rises = ca.vertcat(one.rises, two.rises)
    falls, depth = _falls(ca.vertsplit(rises)), ca.if_else(ca.mmin(rises) < -_FLAT, MARGIN, one.chord + two.chord)
    gap, point = ca.dot(n, d) - radius, p + s * u - radius * n
    return Facing(gap, _axes(n, u), point, ca.if_else(parallel, _AWAY, ends), falls, depth)


def _over(x: ca.SX, b: ca.SX, inwards: list[tuple[ca.SX, ca.SX]]) -> ca.SX:
    """Length by which a corner is beside a face; without the margin where no edge of its solid lies on the face.

    ``inwards`` has the components of its edges across the side of the face and along the normal.
    """
    least = ca.SX(0)
    for along, up in inwards:
        least = ca.if_else(ca.fabs(up) < _FLUSH, ca.fmin(least, _sign(x) * along), least)
    away = ca.fabs(x) - b
    return ca.if_else(least < -0.5, away, _ending(away, MARGIN))


def _ending(away: ca.SX, before: ca.SX | float) -> ca.SX:
    """Length by which a point is beside a window that ends before zero."""
    return ca.if_else(away > -before, away + _BESIDE, away)


def _falls(sines: list[ca.SX]) -> ca.SX:
    """Largest fall of directions along the normal, given their sines."""
    falls = ca.SX(0)
    for sine in sines:
        falls = ca.fmax(falls, -sine - _TILT)
    return ca.if_else(falls > 0.0, falls, -1.0)


def _axes(n: ca.SX, t: ca.SX) -> ca.SX:
    return ca.horzcat(n, t, ca.cross(n, t))


def _corners() -> Iterator[ca.SX]:
    """Signs of the corners of a box."""
    for k, j, i in product(_SIGNS, repeat=3):
        yield ca.SX([i, j, k])


def _sign(x: ca.SX) -> ca.SX:
    return ca.if_else(x >= 0, 1.0, -1.0)
