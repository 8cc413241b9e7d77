"""A beam on CasADi symbols (SPACE 5.1): stiffness, damping and sections of a body that is linear in its modes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from dalembert.core.parameter import nominal
from dalembert.core.types import Array, Expression
from dalembert.model.beam_integrals import BeamIntegrals, mode_matrices, stretched_integrals
from dalembert.model.beam_shortening import ShorteningIntegrals, shortening
from dalembert.model.elastic.beam_fields import stretched_place, stretched_shapes
from dalembert.model.elastic.contract import Value
from dalembert.model.elastic.modal import ModalBody, ModalSection, Series

if TYPE_CHECKING:
    from dalembert.model.beam import Beam

__all__ = ["beam_body", "beam_section"]


def beam_body(beam: Beam, delta: Expression, value: Value, approximation: str) -> ModalBody:
    """Integrals of a beam on the symbols of its coordinates."""
    integrals, E, G = BeamIntegrals.of(beam), value(beam.E), value(beam.G)
    stretch = beam.stretch(value)
    # Stiffness matrix K_dd (n x n), (5.20).
    if isinstance(stretch, float):
        parts: Series = [(1.0, integrals)]
        stiffness = E * _sparse(integrals.K_E) + G * _sparse(integrals.K_G)
    else:
        graded = stretched_integrals(beam)
        parts = [(_power(stretch, k), part) for k, part in graded.items()]
        stiffness = ca.SX(beam.n_modes, beam.n_modes)
        for k, part in graded.items():
            stiffness = stiffness + _power(stretch, k) * (E * _sparse(part.K_E) + G * _sparse(part.K_G))
    return ModalBody(
        parts,
        delta,
        value(beam.density),
        stiffness,
        _damping(beam, integrals, value),
        loses=beam.damping != 0.0,
        shortening=ShorteningIntegrals.of(beam) if beam.stiffening else None,
        offset=beam.offset,
        constant=approximation != "flex",
    )


def _sparse(x: Array) -> Expression:
    return ca.SX(ca.sparsify(ca.DM(x)))


def _power(x: Expression, k: int) -> Expression:
    """A power of an expression, by products of it or of its inverse."""
    factor = x if k > 0 else 1 / x
    result = ca.SX(1.0)
    for _ in range(abs(k)):
        result = result * factor
    return result


def _damping(beam: Beam, i: BeamIntegrals, value: Value) -> Expression | ca.DM:
    """Structural damping per mode (n): ``2 zeta K_jj / w_j`` at the stiffness, density and length of the call."""
    E, G, rho, zeta = (value(x) for x in (beam.E, beam.G, beam.density, beam.damping))
    stretch = beam.stretch(value)
    if all(isinstance(x, float) for x in (E, G, rho, stretch)):
        return zeta * ca.DM(i.damping)
    stiffness = np.diag(nominal(beam.E) * i.K_E + nominal(beam.G) * i.K_G)
    density = nominal(beam.density)
    result = []
    for j, mode in enumerate(beam.basis):
        k = G / nominal(beam.G) if mode.direction == "torsion" else E / nominal(beam.E)
        K, held, mode_mass, carried = (float(x[j]) for x in (stiffness, i.held, i.modal_mass, i.carried))
        if not isinstance(stretch, float):
            result.append(i.damping[j] * _stretched_damping(beam, j, k, rho, K, stretch))
            continue
        # K_jj / w_j relative to its nominal value; w_j^2 = (K_jj + held) / (density mode_mass + carried)
        stiffer = ca.sqrt(k) if held == 0.0 else k * ca.sqrt((K + held) / (k * K + held))
        mass = 1.0 if isinstance(rho, float) else (rho * mode_mass + carried) / (density * mode_mass + carried)
        result.append(i.damping[j] * stiffer * ca.sqrt(mass))
    return zeta * ca.vertcat(*result)


def _stretched_damping(
    beam: Beam, j: int, k: Expression | float, rho: Expression | float, K: float, stretch: Expression
) -> Expression:
    """``K_jj / w_j`` relative to its nominal value, of a beam with another length and ``k`` times the modulus.

    For a stretch ``h``, free ends have ``K ~ h^-1, w ~ h^-2`` in bending, ``K ~ h, w ~ h^-1`` in traction, and ``K ~
    h^-1, w ~ h^-1`` in torsion.
    """
    mode, density = beam.basis[j], nominal(beam.density)
    stiff, heavy = {"x": (1, 3), "torsion": (-1, 1)}.get(mode.direction, (-1, 3))  # powers of the stretch
    own = {p: float(np.einsum("bb->", x.B[:, :, j, j])) for p, x in stretched_integrals(beam).items()}
    if mode.omega is not None:
        own = {heavy: float(BeamIntegrals.of(beam).modal_mass[j])}
    own = {p: x for p, x in own.items() if x != 0.0}
    alone: tuple[Expression | float, Expression | float] = (0.0, 0.0)  # given shapes: no load and no supports
    carried, held = alone if mode.omega is None else beam.end_parts(mode, stretch)
    carried_0, held_0 = (0.0, 0.0) if mode.omega is None else beam.end_parts(mode)
    if carried_0 == 0.0 and held_0 == 0.0 and list(own) == [heavy]:
        return ca.sqrt(k) * ca.sqrt(rho / density) * _power(stretch, (stiff + heavy) // 2)
    stiffer = k * _power(stretch, stiff)
    mass = rho * sum(_power(stretch, p) * x for p, x in own.items()) + carried
    relative = mass / (density * sum(own.values()) + carried_0)
    return stiffer * ca.sqrt((K + held_0) / (stiffer * K + held) * relative)


def beam_section(beam: Beam, s: float, delta: Expression, value: Value, approximation: str) -> ModalSection:
    """Motion of the section of a beam at an abscissa of its nominal length."""
    Phi, Delta = mode_matrices(beam, s)
    stretch = beam.stretch(value)
    origin, shapes = stretched_place(beam.offset, s, stretch), stretched_shapes(Phi, stretch)
    H = shortening(beam, s) if beam.stiffening else None
    return ModalSection(origin, shapes, Delta, delta, shortening=H, approximation=approximation)
