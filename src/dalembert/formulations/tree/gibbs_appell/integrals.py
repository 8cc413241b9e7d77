"""Integrals of the shapes of a beam, ``C_1`` to ``C_8`` of IMPACT (17)-(24), over its volume instead of its axis.

A point of the beam is at ``r = x + sum_j eps_j r_j`` (1). The document takes the points of the axis, so that sections
have no inertia of their own when the beam vibrates; its ``J'`` in (4) turns with the frame of the link. Here a point
of a section is

    x = p_a + s e_x + y e_y + z e_z,      r_j = phi_j + theta_j x (y e_y + z e_z),

and the integrals over the section hold the elastic rotary inertia. Without it (``rotary_inertia="rigid"``: ``theta_j``
is zero here) the integrals and ``J'`` are those of the document.

A beam that keeps the shortening of its bent axis has one more shape ``-e_x H_jk(s)`` for each product of two modal
coordinates: with the products among the amplitudes ``eps``, the motion is linear in them, and (1)-(26) hold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.core.types import Array
from dalembert.model.beam import Beam
from dalembert.model.beam_integrals import mode_matrices, section_at
from dalembert.model.beam_shortening import shortening
from dalembert.model.shapes import gauss_points

__all__ = ["ShapeIntegrals", "bent_pairs"]

_E = np.eye(3)


@dataclass(frozen=True)
class ShapeIntegrals:
    """Integrals of a beam with n shapes, per unit density.

    Parameters
    ----------
    volume, first
        ``int dV``, and ``int x dV`` (3), whose cross matrix is ``C_2``.
    C1
        ``int r_j dV`` (n x 3).
    C3
        ``int r_j . r_k dV`` (n x n).
    C4
        ``int r_j^ r_k dV`` (n x n x 3).
    C5
        ``int x^T^ x^ dV`` of the axis (3 x 3).
    C6
        ``int x^T^ r_j^ dV`` (n x 3 x 3).
    C7
        ``int x^ r_j dV`` (n x 3).
    C8
        ``int r_j^T^ r_k^ dV`` (n x n x 3 x 3).
    sections
        ``int J' dV`` of the undeformed sections (3 x 3), which makes ``B_10``.
    """

    volume: float
    first: Array
    C1: Array
    C3: Array
    C4: Array
    C5: Array
    C6: Array
    C7: Array
    C8: Array
    sections: Array

    @staticmethod
    def of(beam: Beam) -> ShapeIntegrals:
        """Integrate; made once per beam and kept with it."""
        return beam.kept.once("gibbs-appell", None, lambda: _integrate(beam))


def bent_pairs(beam: Beam) -> list[tuple[int, int]]:
    """Pairs of modes whose product shortens the axis: bending in the same direction."""
    if not beam.stiffening:
        return []
    along = [mode.direction for mode in beam.basis]
    n = beam.n_modes
    return [(j, k) for j in range(n) for k in range(j, n) if along[j] == along[k] and along[j] in ("y", "z")]


def _integrate(beam: Beam) -> ShapeIntegrals:
    pairs = bent_pairs(beam)
    n = beam.n_modes + len(pairs)
    # Products of two fields f and g over the volume: of f_b g_c, summed over points and the directions of a section.
    xx, axis = np.zeros((3, 3)), np.zeros((3, 3))
    xr, rr = np.zeros((3, 3, n)), np.zeros((3, 3, n, n))
    volume, first, C1 = 0.0, np.zeros(3), np.zeros((n, 3))
    for s, w in zip(*_points(beam), strict=True):
        section = section_at(beam, s)
        Phi, Delta = mode_matrices(beam, s)
        x, r = np.array(beam.offset) + s * _E[0], np.hstack([Phi, _shortened(beam, s, pairs)])
        volume += w * section.area
        first += w * section.area * x
        C1 += w * section.area * r.T
        fields = [(section.area, x, r, x, r)]
        if beam.rotary_inertia:
            turned = Delta if beam.sections_turn else np.zeros_like(Delta)
            y, z = (np.hstack([np.cross(turned.T, e).T, np.zeros((3, len(pairs)))]) for e in _E[1:])
            fields += [(section.I_z, _E[1], y, _E[1], y), (section.I_y, _E[2], z, _E[2], z)]
            fields += [(section.I_yz, _E[1], y, _E[2], z), (section.I_yz, _E[2], z, _E[1], y)]
        for k, (area, f, F, g, G) in enumerate(fields):
            (axis if k == 0 else xx)[:] += w * area * np.outer(f, g)
            xr += w * area * np.einsum("b,cj->bcj", f, G)
            rr += w * area * np.einsum("bj,ck->bcjk", F, G)
    size = np.sqrt(np.abs(np.einsum("bbjj->j", rr)))
    rr[np.abs(rr) < 1e-13 * np.outer(size, size)] = 0.0
    return ShapeIntegrals(
        volume=volume,
        first=first,
        C1=C1,
        C3=np.einsum("bbjk->jk", rr),
        C4=np.stack([rr[1, 2] - rr[2, 1], rr[2, 0] - rr[0, 2], rr[0, 1] - rr[1, 0]], axis=-1),
        C5=_turned(axis),
        C6=np.moveaxis(_turned(xr), -1, 0),
        C7=np.stack([xr[1, 2] - xr[2, 1], xr[2, 0] - xr[0, 2], xr[0, 1] - xr[1, 0]], axis=-1),
        C8=np.moveaxis(_turned(rr), (0, 1), (2, 3)),
        sections=_turned(xx),
    )


def _turned(products: Array) -> Array:
    """``int f^T^ g^ dV = int (f.g) 1 - g f^T dV`` from the products ``int f_b g_c dV``."""
    trace = np.einsum("bb...->...", products)
    return np.multiply.outer(_E, trace) - np.swapaxes(products, 0, 1)


def _points(beam: Beam) -> tuple[Array, Array]:
    """Gauss points that integrate products of two shapes and the abscissa exactly, or of two shortenings."""
    breaks = {0.0, beam.length, *(b for _, b, _ in beam.pieces), *(b for m in beam.basis for b in m.shape.breaks)}
    degree = max((mode.shape.degree for mode in beam.basis), default=1)
    return gauss_points(breaks, 4 * degree if beam.stiffening else 2 * degree + 2)


def _shortened(beam: Beam, s: float, pairs: list[tuple[int, int]]) -> Array:
    """Shapes of the shortening, ``-delta.H delta / 2`` along x, for the products of the pairs (3 x pairs)."""
    shapes = np.zeros((3, len(pairs)))
    if pairs:
        H = shortening(beam, s)
        shapes[0] = [-H[j, k] if j < k else -H[j, j] / 2 for j, k in pairs]
    return shapes
