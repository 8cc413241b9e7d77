"""Integrals of the shortening of a beam's bent axis, for beams that keep it (``stiffening=True``).

A section of a beam that bends without stretching comes closer to the root by

    u_2(s) = -delta^T H(s) delta / 2,      H(s) = int_0^s (phi_y' phi_y'^T + phi_z' phi_z'^T) ds,

so that the axis is at ``x_0 + X delta + e_x u_2``, of second degree in delta. The kinetic energy of that field holds,
beyond the integrals of ``model/beam_integrals.py``,

    H_c = int H dV,   H_w = int s H dV,   P_bijk = int X_bi H_jk dV,   Q_ijkl = int H_ij H_kl dV .

Shapes are piecewise polynomials, and so are these integrands: Gauss' rule is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.polynomial import legendre

from dalembert.core.types import Array
from dalembert.model.shapes import gauss_points

if TYPE_CHECKING:
    from dalembert.model.beam import Beam

__all__ = ["ShorteningIntegrals", "shortening"]

_AXES = {"x": 0, "y": 1, "z": 2}


@dataclass(frozen=True)
class ShorteningIntegrals:
    """Integrals of ``H(s)`` over the volume of a beam with n modes.

    Parameters
    ----------
    H_c, H_w
        ``int H dV`` and ``int s H dV`` (n x n).
    P
        ``int X_bi H_jk dV`` of the axis (3 x n x n x n).
    Q
        ``int H_ij H_kl dV`` (n x n x n x n).
    """

    H_c: Array
    H_w: Array
    P: Array
    Q: Array

    @staticmethod
    def of(beam: Beam) -> ShorteningIntegrals:
        """Integrate; made once per beam and kept with it."""
        return beam.kept.once("shortening", None, lambda: _integrate(beam))


def shortening(beam: Beam, s: float) -> Array:
    """Matrix ``H(s)`` of the shortening of the bent axis up to ``s``."""
    return _matrices(beam, [s])[0]


def _integrate(beam: Beam) -> ShorteningIntegrals:
    degree = max((mode.shape.degree for mode in beam.basis), default=1)
    points, weights = gauss_points({0.0, *(b for _, b, _ in beam.pieces), *_breaks(beam)}, 4 * degree)
    ends = np.array([b for _, b, _ in beam.pieces])
    areas = np.array([section.area for _, _, section in beam.pieces])
    weights = weights * areas[np.minimum(np.searchsorted(ends, points), len(ends) - 1)]
    H = _matrices(beam, points)
    X = np.zeros((3, beam.n_modes, len(points)))
    for j, mode in enumerate(beam.basis):
        if mode.direction in _AXES:
            X[_AXES[mode.direction], j] = mode.shape(points)
    weighted = weights[:, None, None] * H
    return ShorteningIntegrals(
        weighted.sum(axis=0),
        np.tensordot(points, weighted, 1),
        np.tensordot(X, weighted, 1),
        np.tensordot(H, weighted, (0, 0)),
    )


def _breaks(beam: Beam) -> set[float]:
    return {float(b) for mode in beam.basis for b in mode.shape.breaks}


def _matrices(beam: Beam, points: Sequence[float] | Array) -> Array:
    """``H`` at increasing abscissae (len x n x n): sums over the intervals between them."""
    points = np.asarray(points, dtype=float)
    ends = np.unique([0.0, *points, *(b for b in _breaks(beam) if b < points[-1])])
    degree = max((mode.shape.degree for mode in beam.basis), default=1)
    x, w = legendre.leggauss(max(degree, 1))
    half = np.diff(ends) / 2
    inside = (ends[:-1] + half)[:, None] + half[:, None] * x
    slopes = np.zeros((2, beam.n_modes, *inside.shape))
    for j, mode in enumerate(beam.basis):
        if mode.direction in ("y", "z"):
            slopes["yz".index(mode.direction), j] = mode.shape(inside, 1)
    parts = np.einsum("dikm,djkm,m,k->kij", slopes, slopes, w, half, optimize=True)
    H = np.concatenate([np.zeros((1, beam.n_modes, beam.n_modes)), np.cumsum(parts, axis=0)])
    return np.asarray(H[np.searchsorted(ends, points)])
