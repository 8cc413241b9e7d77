"""Shape integrals of a beam: everything about its mode shapes that the equations of motion need.

A material point with section coordinates (y, z) at the abscissa s is, in the frame of the segment, at

    x = p_a + s e_x + Phi(s) delta + y (e_y + psi x e_y) + z (e_z + psi x e_z),    psi = Delta(s) delta   (5.4)-(5.7)

which is linear in the modal coordinates delta: ``x = x_0 + X delta``. With ``dm = rho dS ds`` the integrals are

    V = int X dm,    n_bc = int x_0b X_c dm,    B_bc = int X_b^T X_c dm,    G_bc = int x_0b x_0c dm

(b, c = x, y, z: components). In the terms of SPACE Appendix B: ``V = V_u``; n holds ``p_a, V_u, W_u`` and ``J_S
V_psi``; B holds ``Z_uu`` (B.21 ff.) and ``Y_psipsi`` weighted with the second moments of area (B.23)-(B.27), also where
the section varies. All are given per unit density, the stiffness per unit modulus. For a beam whose length is a
parameter they are polynomials in its stretch and in the inverse of that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import InitVar, dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.model.elastic.integrals import ModalIntegrals
from dalembert.model.section import Section
from dalembert.model.shapes import gauss_points

if TYPE_CHECKING:
    from dalembert.model.beam import Beam

__all__ = ["BeamIntegrals", "StretchedPart", "mode_matrices", "quadrature", "stretched_integrals"]

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


@dataclass(frozen=True)
class StretchedPart(ModalIntegrals):
    """Part of the integrals of a beam that a power of its stretch multiplies, with its stiffness per unit modulus."""

    K_E: Array
    K_G: Array


def quadrature(beam: Beam) -> tuple[Array, Array]:
    """Points and weights along the beam that integrate products of two of its shapes exactly."""
    breaks = {0.0, beam.size, *(b for _, b, _ in beam.pieces)}
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


@dataclass
class _Sums:
    """Sums of the products of fields over the beam."""

    modes: InitVar[int]
    volume: float = 0.0

    def __post_init__(self, k: int) -> None:
        self.first, self.second = np.zeros(3), np.zeros((3, 3))
        self.V, self.n, self.B = np.zeros((3, k)), np.zeros((3, 3, k)), np.zeros((3, 3, k, k))
        self.K_E, self.K_G = np.zeros((k, k)), np.zeros((k, k))

    @property
    def integrals(self) -> tuple[float, Array, Array, Array, Array, Array]:
        """Those of `ModalIntegrals`."""
        return self.volume, self.first, self.second, self.V, self.n, self.B


def _summed(beam: Beam, *, graded: bool) -> dict[int, _Sums]:
    """Sums by the power of the stretch of the beam that multiplies them; all at zero unless ``graded``.

    Beams of other lengths are similar: one that is ``h`` times as long has its points at ``h s``, and modal coordinates
    deflect it ``h`` times as far, with the same angles.
    """
    k, p_a = beam.n_modes, np.array(beam.offset)
    sums: dict[int, _Sums] = defaultdict(lambda: _Sums(k))

    def at(power: int) -> _Sums:
        return sums[power if graded else 0]

    for s, w in zip(*quadrature(beam), strict=True):
        section = section_at(beam, s)
        S, I_y, I_z, I_yz = _moments(beam, section)
        Phi, Delta = mode_matrices(beam, s)
        slope, curve = mode_matrices(beam, s, 1)
        # Centroid and the two directions in the section: fields with value f and modal derivative F, by powers.
        x = [(0, p_a), (1, s * _E[0])] if graded else [(0, p_a + s * _E[0])]
        turned = Delta if beam.sections_turn else np.zeros_like(Delta)
        D_y = [(0, np.array([-turned[2], np.zeros(k), turned[0]]))]
        D_z = [(0, np.array([turned[1], -turned[0], np.zeros(k)]))]
        deflected, e_y, e_z = [(1, Phi)], [(0, _E[1])], [(0, _E[2])]
        for weight, (f, F), (g, H) in (
            (S, (x, deflected), (x, deflected)),
            (I_z, (e_y, D_y), (e_y, D_y)),
            (I_y, (e_z, D_z), (e_z, D_z)),
            (I_yz, (e_y, D_y), (e_z, D_z)),
            (I_yz, (e_z, D_z), (e_y, D_y)),
        ):
            if weight == 0.0:
                continue
            for p, value in f:
                for q, other in g:
                    at(p + q + 1).second += w * weight * np.outer(value, other)
                for q, moved in H:
                    at(p + q + 1).n += w * weight * np.einsum("b,cj->bcj", value, moved)
            for p, left in F:
                for q, right in H:
                    at(p + q + 1).B += w * weight * np.einsum("bi,cj->bcij", left, right)
        at(1).volume += w * S
        for p, value in x:
            at(p + 1).first += w * S * value
        at(2).V += w * S * Phi
        at(1).K_E += w * S * np.outer(slope[0], slope[0])
        at(-1).K_E += w * (section.I_z * np.outer(curve[2], curve[2]) + section.I_y * np.outer(curve[1], curve[1]))
        at(-1).K_E -= w * section.I_yz * (np.outer(curve[2], curve[1]) + np.outer(curve[1], curve[2]))
        at(-1).K_G += w * (section.torsion or 0.0) * np.outer(curve[0], curve[0])
    size = np.sqrt(np.abs(sum(np.einsum("bbii->i", total.B) for total in sums.values())))
    for total in sums.values():
        total.B[np.abs(total.B) < 1e-13 * np.outer(size, size)] = 0.0
        total.K_E, total.K_G = _without_noise(total.K_E), _without_noise(total.K_G)
    return dict(sums)


def stretched_integrals(beam: Beam) -> dict[int, StretchedPart]:
    """Integrals of a beam by the powers of its stretch; their sum is that of the nominal length."""

    def made() -> dict[int, StretchedPart]:
        parts = _summed(beam, graded=True)
        return {p: StretchedPart(*x.integrals, x.K_E, x.K_G) for p, x in sorted(parts.items())}

    return beam.kept.once("stretched integrals", None, made)


def _integrate(beam: Beam) -> BeamIntegrals:
    k = beam.n_modes
    x = _summed(beam, graded=False)[0]
    K_E, K_G = x.K_E, x.K_G
    modal_mass, carried, held = (
        (np.array(y) for y in zip(*_modal_parts(beam, x.B), strict=True)) if k else (np.zeros(0),) * 3
    )
    K = np.diag(nominal(beam.E) * K_E + nominal(beam.G) * K_G)
    # Given shapes have no natural frequency: this is the Rayleigh quotient of the shape alone on its beam.
    alone = np.sqrt(K / (nominal(beam.density) * modal_mass))
    w = np.where(np.isnan(beam.omega), alone, beam.omega)
    damping = np.divide(2 * K, w, out=np.zeros(k), where=w > 0.0)  # a shape without strain has none
    return BeamIntegrals(*x.integrals, K_E, K_G, damping, modal_mass, carried, held)


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
