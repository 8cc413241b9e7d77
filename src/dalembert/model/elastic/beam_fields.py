"""Moving points of a beam, for energies that are integrated from positions.

The energy density of a section is a quadratic form of the rates of its axis point ``r`` and of its directors ``d_y``,
``d_z`` (images of the section's axes, SPACE 5.7c):

    2 T = int rho ( S r'.r' + I_z d_y'.d_y' + I_y d_z'.d_z' + 2 I_yz d_y'.d_z' ) ds,
    r = r_o + R (p_a + (s + u_2) e_x + Phi delta),    d_y = R (e_y + psi x e_y),    d_z = R (e_z + psi x e_z),

with the shortening ``u_2 = -int_0^s (u_y'^2 + u_z'^2)/2`` of the bent axis if the beam keeps it, else without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from dalembert.core.errors import MachineError
from dalembert.core.types import Array, Expression
from dalembert.model.beam_integrals import mode_matrices, section_at
from dalembert.model.beam_shortening import shortening
from dalembert.model.elastic.contract import EnergyField, MaterialField, Value
from dalembert.model.shapes import gauss_points

if TYPE_CHECKING:
    from dalembert.model.beam import Beam

__all__ = ["beam_field", "bent_pairs", "material_fields", "stretched_place", "stretched_shapes"]

_E = np.eye(3)


def beam_field(beam: Beam, delta: Expression, R: Expression, p: Expression, value: Value) -> EnergyField:
    """Moving points of a beam whose root frame has the pose (R, p) in the world."""
    stretch = beam.stretch(value)
    density = value(beam.density) if isinstance(stretch, float) else value(beam.density) * stretch
    left, right, weights = [], [], []
    first, volume = ca.SX(3, 1), 0.0
    e_x, e_y, e_z = (ca.DM(e) for e in np.eye(3))
    bent, done = ca.SX(0), 0.0
    for s, w in zip(*_points(beam), strict=True):
        section = section_at(beam, s)
        Phi, Delta = mode_matrices(beam, s)
        psi = ca.DM(Delta) @ delta if beam.n_modes and beam.sections_turn else ca.SX(3, 1)
        axis = stretched_place(beam.offset, s, stretch)
        if beam.stiffening:
            bent, done = bent + _shortened(beam, delta, done, s), s
            axis = axis - e_x * bent
        r = p + R @ axis + (R @ (stretched_shapes(Phi, stretch) @ delta) if beam.n_modes else 0)
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
    return EnergyField(
        ca.horzcat(*left), ca.horzcat(*right), density * ca.SX(ca.DM(weights)), density * volume, density * first
    )


def stretched_place(offset: Sequence[float], s: float, stretch: Expression | float) -> Expression | ca.DM:
    """Undeformed place of an abscissa of the nominal length."""
    if isinstance(stretch, float):
        return ca.DM([offset[0] + s, offset[1], offset[2]])
    return ca.vertcat(offset[0] + s * stretch, offset[1], offset[2])


def stretched_shapes(Phi: Array, stretch: Expression | float) -> Expression | ca.DM:
    """Deflections of a section per modal coordinate (3 x n): they grow with the length."""
    return ca.DM(Phi) if isinstance(stretch, float) else ca.SX(ca.sparsify(ca.DM(Phi))) * stretch


def _points(beam: Beam) -> tuple[Array, Array]:
    """Gauss points that integrate products of two shapes and the abscissa exactly, or of two shortenings."""
    breaks = {0.0, beam.size, *(b for _, b, _ in beam.pieces)}
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


def bent_pairs(beam: Beam) -> list[tuple[int, int]]:
    """Pairs of modes whose product shortens the axis: bending in the same direction."""
    if not beam.stiffening:
        return []
    along = [mode.direction for mode in beam.basis]
    n = beam.n_modes
    return [(j, k) for j in range(n) for k in range(j, n) if along[j] == along[k] and along[j] in ("y", "z")]


def material_fields(beam: Beam) -> Iterator[MaterialField]:
    """Points of the axis and directors of the sections at Gauss points, per unit density."""
    if not isinstance(beam.length, float):
        raise MachineError(
            f"length of beam '{beam.name}' is '{beam.length}': the equations of Gibbs and Appell need a plain number; "
            "other formulations take a parameter"
        )
    pairs = bent_pairs(beam)
    for s, w in zip(*_points(beam), strict=True):
        section = section_at(beam, s)
        Phi, Delta = mode_matrices(beam, s)
        x, r = np.array(beam.offset) + s * _E[0], np.hstack([Phi, _shortened_shapes(beam, s, pairs)])
        yield MaterialField(w * section.area, 1.0, x, r, x, r)
        if beam.rotary_inertia:
            turned = Delta if beam.sections_turn else np.zeros_like(Delta)
            y, z = (np.hstack([np.cross(turned.T, e).T, np.zeros((3, len(pairs)))]) for e in _E[1:])
            yield MaterialField(w * section.I_z, 0.0, _E[1], y, _E[1], y)
            yield MaterialField(w * section.I_y, 0.0, _E[2], z, _E[2], z)
            yield MaterialField(w * section.I_yz, 0.0, _E[1], y, _E[2], z)
            yield MaterialField(w * section.I_yz, 0.0, _E[2], z, _E[1], y)


def _shortened_shapes(beam: Beam, s: float, pairs: list[tuple[int, int]]) -> Array:
    """Shapes of the shortening, ``-delta.H delta / 2`` along x, for the products of the pairs (3 x pairs)."""
    shapes = np.zeros((3, len(pairs)))
    if pairs:
        H = shortening(beam, s)
        shapes[0] = [-H[j, k] if j < k else -H[j, j] / 2 for j, k in pairs]
    return shapes
