"""A beam on CasADi symbols (SPACE 5.1): stiffness, damping and sections of a body that is linear in its modes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from dalembert.core.parameter import nominal
from dalembert.core.types import Expression
from dalembert.model.beam_integrals import BeamIntegrals, mode_matrices
from dalembert.model.beam_shortening import ShorteningIntegrals, shortening
from dalembert.model.elastic.contract import Value
from dalembert.model.elastic.modal import ModalBody, ModalSection

if TYPE_CHECKING:
    from dalembert.model.beam import Beam

__all__ = ["beam_body", "beam_section"]


def beam_body(beam: Beam, delta: Expression, value: Value, approximation: str) -> ModalBody:
    """Integrals of a beam on the symbols of its coordinates."""
    integrals, E, G = BeamIntegrals.of(beam), value(beam.E), value(beam.G)
    # Stiffness matrix K_dd (n x n), (5.20).
    stiffness = E * ca.SX(ca.sparsify(ca.DM(integrals.K_E))) + G * ca.SX(ca.sparsify(ca.DM(integrals.K_G)))
    return ModalBody(
        integrals,
        delta,
        value(beam.density),
        stiffness,
        _damping(beam, integrals, value),
        loses=beam.damping != 0.0,
        shortening=ShorteningIntegrals.of(beam) if beam.stiffening else None,
        offset=beam.offset,
        constant=approximation != "flex",
    )


def _damping(beam: Beam, i: BeamIntegrals, value: Value) -> Expression | ca.DM:
    """Structural damping per mode (n): ``2 zeta K_jj / w_j`` at the stiffness and density of the call."""
    E, G, rho, zeta = (value(x) for x in (beam.E, beam.G, beam.density, beam.damping))
    if all(isinstance(x, float) for x in (E, G, rho)):
        return zeta * ca.DM(i.damping)
    stiffness = np.diag(nominal(beam.E) * i.K_E + nominal(beam.G) * i.K_G)
    density = nominal(beam.density)
    result = []
    for j, mode in enumerate(beam.basis):
        k = G / nominal(beam.G) if mode.direction == "torsion" else E / nominal(beam.E)
        K, held, mode_mass, carried = (float(x[j]) for x in (stiffness, i.held, i.modal_mass, i.carried))
        # K_jj / w_j relative to its nominal value; w_j^2 = (K_jj + held) / (density mode_mass + carried)
        stiffer = ca.sqrt(k) if held == 0.0 else k * ca.sqrt((K + held) / (k * K + held))
        mass = 1.0 if isinstance(rho, float) else (rho * mode_mass + carried) / (density * mode_mass + carried)
        result.append(i.damping[j] * stiffer * ca.sqrt(mass))
    return zeta * ca.vertcat(*result)


def beam_section(beam: Beam, s: float, delta: Expression, approximation: str) -> ModalSection:
    """Motion of the section of a beam at an abscissa."""
    Phi, Delta = mode_matrices(beam, s)
    origin = np.array([beam.offset[0] + s, beam.offset[1], beam.offset[2]])
    H = shortening(beam, s) if beam.stiffening else None
    return ModalSection(origin, Phi, Delta, delta, shortening=H, approximation=approximation)
