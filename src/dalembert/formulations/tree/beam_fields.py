"""Moving points of a beam, for energies that are integrated from positions.

The energy density of a section is a quadratic form of the rates of its axis point ``r`` and of its directors ``d_y``,
``d_z`` (images of the section's axes, SPACE 5.7c):

    2 T = int rho ( S r'.r' + I_z d_y'.d_y' + I_y d_z'.d_z' + 2 I_yz d_y'.d_z' ) ds,
    r = r_o + R (p_a + (s + u_2) e_x + Phi delta),    d_y = R (e_y + psi x e_y),    d_z = R (e_z + psi x e_z),

with the shortening ``u_2 = -int_0^s (u_y'^2 + u_z'^2)/2`` of the bent axis if the beam keeps it, else without.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert.core.types import Array, Expression
from dalembert.model.beam import Beam
from dalembert.model.beam_integrals import mode_matrices, section_at
from dalembert.model.shapes import gauss_points

__all__ = ["BeamField"]


@dataclass(frozen=True)
class BeamField:
    """Columns of moving vectors with ``2 T = sum weights (left'.right')``, mass and first moment in the world."""

    left: Expression
    right: Expression
    weights: Expression
    mass: Expression | float
    first_moment: Expression

    @staticmethod
    def of(beam: Beam, delta: Expression, R: Expression, p: Expression, density: Expression | float) -> BeamField:
        """Points of a beam whose root frame has the pose (R, p) in the world."""
        left, right, weights = [], [], []
        first, volume = ca.SX(3, 1), 0.0
        e_x, e_y, e_z = (ca.DM(e) for e in np.eye(3))
        bent, done = ca.SX(0), 0.0
        for s, w in zip(*_points(beam), strict=True):
            section = section_at(beam, s)
            Phi, Delta = mode_matrices(beam, s)
            psi = ca.DM(Delta) @ delta if beam.n_modes and beam.sections_turn else ca.SX(3, 1)
            axis: Expression | ca.DM = ca.DM([beam.offset[0] + s, beam.offset[1], beam.offset[2]])
            if beam.stiffening:
                bent, done = bent + _shortened(beam, delta, done, s), s
                axis = axis - e_x * bent
            r = p + R @ axis + (R @ (ca.DM(Phi) @ delta) if beam.n_modes else 0)
            d_y, d_z = R @ (e_y + ca.cross(psi, e_y)), R @ (e_z + ca.cross(psi, e_z))
            rows = [(section.area, r, r)]
            if beam.rotary_inertia:
                rows += [(section.I_z, d_y, d_y), (section.I_y, d_z, d_z), (2 * section.I_yz, d_y, d_z)]
            volume += w * section.area
            first = first + w * section.area * r
            for weight, x, y in rows:
                if weight:
                    left.append(x)
                    right.append(y)
                    weights.append(w * weight)
        return BeamField(
            ca.horzcat(*left), ca.horzcat(*right), density * ca.SX(ca.DM(weights)), density * volume, density * first
        )


def _points(beam: Beam) -> tuple[Array, Array]:
    """Gauss points that integrate products of two shapes and the abscissa exactly, or of two shortenings."""
    breaks = {0.0, beam.length, *(b for _, b, _ in beam.pieces)}
    for mode in beam.basis:
        breaks |= set(mode.shape.breaks)
    degree = max((mode.shape.degree for mode in beam.basis), default=1)
    return gauss_points(breaks, 4 * degree if beam.stiffening else 2 * degree + 2)


def _shortened(beam: Beam, delta: Expression, start: float, end: float) -> Expression:
    """``int (u_y'^2 + u_z'^2)/2`` between two abscissae."""
    ends = {start, end, *(b for m in beam.basis for b in m.shape.breaks if start < b < end)}
    total = ca.SX(0)
    for s, w in zip(*gauss_points(ends, 2 * max((m.shape.degree for m in beam.basis), default=1)), strict=True):
        _, Delta = mode_matrices(beam, s)
        slopes = ca.DM(Delta[1:]) @ delta
        total = total + w * ca.sumsqr(slopes) / 2
    return total
