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

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.model.elastic.integrals import ModalIntegrals
from dalembert.model.section import Section
from dalembert.model.shapes import gauss_points

if TYPE_CHECKING:
    from dalembert.model.beam import Beam

__all__ = ["BeamIntegrals", "mode_matrices", "quadrature"]

_E = np.eye(3)


@dataclass(frozen=True)
class BeamIntegrals(ModalIntegrals):
    """Shape integrals of a beam with n modes, beyond those of any body that is linear in its coordinates.

    Parameters
    ----------
    K_E, K_G
        Stiffness per unit Young's and shear modulus (n x n), SPACE (5.20).
    damping
        Damping of a unit damping ratio (n), at the nominal stiffness and density.
    modal_mass, carried
        Modal mass per unit density, and that of the load at the tip (n), as the frequencies of the modes count them.
    held
        Modal stiffness of the springs of the supports (n), likewise.
    """

    K_E: Array
    K_G: Array
    damping: Array
    modal_mass: Array
    carried: Array
    held: Array

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


def _integrate(beam: Beam) -> BeamIntegrals:
    k = beam.n_modes
    p_a = np.array(beam.offset)
    volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    V, n, B = np.zeros((3, k)), np.zeros((3, 3, k)), np.zeros((3, 3, k, k))
    K_E, K_G = np.zeros((k, k)), np.zeros((k, k))
    for s, w in zip(*quadrature(beam), strict=True):
        section = section_at(beam, s)
        S, I_y, I_z, I_yz = _moments(beam, section)
        Phi, Delta = mode_matrices(beam, s)
        slope, curve = mode_matrices(beam, s, 1)
        x = p_a + s * _E[0]
        # Centroid and the two directions in the section: fields with value f and modal derivative F.
        turned = Delta if beam.sections_turn else np.zeros_like(Delta)
        D_y = np.array([-turned[2], np.zeros(k), turned[0]])
        D_z = np.array([turned[1], -turned[0], np.zeros(k)])
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
    size = np.sqrt(np.abs(np.einsum("bbii->i", B)))
    B[np.abs(B) < 1e-13 * np.outer(size, size)] = 0.0
    K_E, K_G = _without_noise(K_E), _without_noise(K_G)
    modal_mass, carried, held = (
        (np.array(x) for x in zip(*_modal_parts(beam, B), strict=True)) if k else (np.zeros(0),) * 3
    )
    K = np.diag(nominal(beam.E) * K_E + nominal(beam.G) * K_G)
    # Given shapes have no natural frequency: this is the Rayleigh quotient of the shape alone on its beam.
    alone = np.sqrt(K / (nominal(beam.density) * modal_mass))
    w = np.where(np.isnan(beam.omega), alone, beam.omega)
    damping = np.divide(2 * K, w, out=np.zeros(k), where=w > 0.0)  # a shape without strain has none
    return BeamIntegrals(volume, first, second, V, n, B, K_E, K_G, damping, modal_mass, carried, held)


def _modal_parts(beam: Beam, B: Array) -> Iterator[tuple[float, float, float]]:
    """Own modal mass per density, mass of the load and stiffness of the supports in the frequency of each mode."""
    points, weights = quadrature(beam)
    sections = [section_at(beam, s) for s in points]
    for j, mode in enumerate(beam.basis):
        if mode.omega is None:
            yield float(np.einsum("bb->", B[:, :, j, j])), 0.0, 0.0
            continue
        measure = [(x.I_p or 0.0) if mode.direction == "torsion" else x.area for x in sections]
        modal_mass = float(weights * measure @ mode.shape(points) ** 2)
        yield modal_mass, *beam.end_parts(mode)


def _moments(beam: Beam, section: Section) -> tuple[float, float, float, float]:
    """Area and second moments that carry mass."""
    if not beam.rotary_inertia:
        return section.area, 0.0, 0.0, 0.0
    return section.area, section.I_y, section.I_z, section.I_yz


def _without_noise(K: Array) -> Array:
    size = np.sqrt(np.abs(np.diag(K)))
    return np.where(np.abs(K) < 1e-13 * np.outer(size, size), 0.0, K)
