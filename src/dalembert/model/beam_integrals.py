"""Shape integrals of a beam: everything about its mode shapes that the equations of motion need.

A material point with section coordinates (y, z) at the abscissa s is, in the frame of the segment, at

    x = p_a + s e_x + Phi(s) delta + y (e_y + psi x e_y) + z (e_z + psi x e_z),    psi = Delta(s) delta   (5.4)-(5.7)

which is linear in the modal coordinates delta: ``x = x_0 + X delta``. With ``dm = rho dS ds`` the integrals are

    V = int X dm,    n_bc = int x_0b X_c dm,    B_bc = int X_b^T X_c dm,    G_bc = int x_0b x_0c dm

(b, c = x, y, z: components). In the terms of SPACE Appendix B: ``V = V_u``; n holds ``p_a, V_u, W_u`` and ``J_S
V_psi``; B holds ``Z_uu`` (B.21 ff.) and ``Y_psipsi`` weighted with the second moments of area (B.23)-(B.27), also where
the section varies. All are given per unit density, the stiffness per unit modulus.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.model.beam import Beam
from dalembert.model.section import Section
from dalembert.model.shapes import gauss_points

__all__ = ["BeamIntegrals", "mode_matrices", "quadrature"]

_E = np.eye(3)


@dataclass(frozen=True)
class BeamIntegrals:
    """Shape integrals of a beam with n modes.

    Parameters
    ----------
    volume, first, second
        ``int dV``, ``int x_0 dV`` (3), ``int x_0 x_0^T dV`` (3 x 3).
    V
        ``int X dV`` (3 x n).
    n
        ``int x_0b X_c dV`` (3 x 3 x n).
    B
        ``int X_b^T X_c dV`` (3 x 3 x n x n).
    K_E, K_G
        Stiffness per unit Young's and shear modulus (n x n), SPACE (5.20).
    damping
        Damping matrix of a unit damping ratio (n), at nominal stiffness.
    H_c, H_w
        ``int H dV`` and ``int s H dV`` (n x n) of the shortening ``-delta^T H(s) delta / 2`` of the bent axis.
    """

    volume: float
    first: Array
    second: Array
    V: Array
    n: Array
    B: Array
    K_E: Array
    K_G: Array
    damping: Array
    H_c: Array
    H_w: Array

    @property
    def participation(self) -> Array:
        """Modal participation ``L^T = [M_vd; M_wd]`` (6 x n) of the undeformed beam, per unit density (5.19)."""
        n = self.n
        return np.vstack([self.V, n[1, 2] - n[2, 1], n[2, 0] - n[0, 2], n[0, 1] - n[1, 0]])

    @staticmethod
    def of(beam: Beam) -> BeamIntegrals:
        """Integrate; made once per beam and kept with it."""
        return beam.kept.once("integrals", None, lambda: _integrate(beam))


def quadrature(beam: Beam) -> tuple[Array, Array]:
    """Points and weights along the beam that integrate products of two of its shapes exactly."""
    breaks = {0.0, beam.length, *(b for _, b, _ in beam.pieces)}
    degree = 1
    for mode in beam.basis:
        breaks |= set(mode.shape.breaks)
        degree = max(degree, mode.shape.degree)
    return gauss_points(breaks, 2 * degree + 2)


def section_at(beam: Beam, s: float) -> Section:
    """Section at an abscissa."""
    return next(section for _, end, section in beam.pieces if s <= end)


def mode_matrices(beam: Beam, s: float, derivative: int = 0) -> tuple[Array, Array]:
    """Matrices ``Phi`` and ``Delta`` (3 x n) at an abscissa, (B.14), or their derivatives in ``s``."""
    Phi, Delta = np.zeros((3, beam.n_modes)), np.zeros((3, beam.n_modes))
    for j, mode in enumerate(beam.basis):
        value = float(mode.shape(s, derivative))
        match mode.direction:
            case "x":
                Phi[0, j] = value
            case "y":
                Phi[1, j], Delta[2, j] = value, float(mode.shape(s, derivative + 1))
            case "z":
                Phi[2, j], Delta[1, j] = value, -float(mode.shape(s, derivative + 1))
            case "torsion":
                Delta[0, j] = value
    return Phi, Delta


def shortening(beam: Beam, s: float) -> Array:
    """Matrix ``H(s) = int_0^s (phi_y' phi_y'^T + phi_z' phi_z'^T)`` of the shortening of the bent axis up to ``s``."""
    points, weights = quadrature(beam)
    H = np.zeros((beam.n_modes, beam.n_modes))
    if s <= 0.0:
        return H
    ends = sorted({0.0, s, *(float(b) for m in beam.basis for b in m.shape.breaks if b < s)})
    points, weights = gauss_points(ends, 2 * max((m.shape.degree for m in beam.basis), default=1))
    for x, w in zip(points, weights, strict=True):
        _, Delta = mode_matrices(beam, float(x))
        H += w * (np.outer(Delta[1], Delta[1]) + np.outer(Delta[2], Delta[2]))
    return H


def _integrate(beam: Beam) -> BeamIntegrals:
    k = beam.n_modes
    p_a = np.array(beam.offset)
    volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    V, n, B = np.zeros((3, k)), np.zeros((3, 3, k)), np.zeros((3, 3, k, k))
    K_E, K_G, H_c, H_w = (np.zeros((k, k)) for _ in range(4))
    for s, w in zip(*quadrature(beam), strict=True):
        section = section_at(beam, s)
        S, I_y, I_z, I_yz = _moments(beam, section)
        Phi, Delta = mode_matrices(beam, s)
        slope, curve = mode_matrices(beam, s, 1)
        x = p_a + s * _E[0]
        # Centroid and the two directions in the section: fields with value f and modal derivative F.
        D_y = np.array([-Delta[2], np.zeros(k), Delta[0]])
        D_z = np.array([Delta[1], -Delta[0], np.zeros(k)])
        for weight, (f, F), (g, H) in (
            (S, (x, Phi), (x, Phi)),
            (I_z, (_E[1], D_y), (_E[1], D_y)),
            (I_y, (_E[2], D_z), (_E[2], D_z)),
            (I_yz, (_E[1], D_y), (_E[2], D_z)),
            (I_yz, (_E[2], D_z), (_E[1], D_y)),
        ):
            if weight == 0.0:
                continue
            second += w * weight * np.outer(f, g)
            n += w * weight * np.einsum("b,cj->bcj", f, H)
            B += w * weight * np.einsum("bi,cj->bcij", F, H)
        volume += w * S
        first += w * S * x
        V += w * S * Phi
        K_E += w * S * np.outer(slope[0], slope[0])
        K_E += w * (section.I_z * np.outer(curve[2], curve[2]) + section.I_y * np.outer(curve[1], curve[1]))
        K_E -= w * section.I_yz * (np.outer(curve[2], curve[1]) + np.outer(curve[1], curve[2]))
        K_G += w * (section.torsion or 0.0) * np.outer(curve[0], curve[0])
        bent = np.outer(Delta[1], Delta[1]) + np.outer(Delta[2], Delta[2])
        out, moment = _outboard(beam, s)
        H_c += w * out * bent
        H_w += w * moment * bent
    size = np.sqrt(np.abs(np.einsum("bbii->i", B)))
    B[np.abs(B) < 1e-13 * np.outer(size, size)] = 0.0
    K_E, K_G = _without_noise(K_E), _without_noise(K_G)
    K = np.diag(nominal(beam.E) * K_E + nominal(beam.G) * K_G)
    # Given shapes have no frequency of their own: that of the shape alone on its beam, by Rayleigh.
    alone = np.sqrt(K / (nominal(beam.density) * np.einsum("bbii->i", B))) if k else np.zeros(0)
    w_j = np.where(np.isnan(beam.frequencies), alone, beam.frequencies) if k else alone
    return BeamIntegrals(volume, first, second, V, n, B, K_E, K_G, 2 * K / w_j if k else alone, H_c, H_w)


def _moments(beam: Beam, section: Section) -> tuple[float, float, float, float]:
    """Area and second moments that carry mass."""
    if not beam.rotary_inertia:
        return section.area, 0.0, 0.0, 0.0
    return section.area, section.I_y, section.I_z, section.I_yz


def _without_noise(K: Array) -> Array:
    size = np.sqrt(np.abs(np.diag(K)))
    return np.where(np.abs(K) < 1e-13 * np.outer(size, size), 0.0, K)


def _outboard(beam: Beam, s: float) -> tuple[float, float]:
    """Volume beyond ``s`` and its first moment along the beam."""
    volume = moment = 0.0
    for a, b, section in beam.pieces:
        a = max(a, s)
        if b > a:
            volume += section.area * (b - a)
            moment += section.area * (b**2 - a**2) / 2
    return volume, moment
