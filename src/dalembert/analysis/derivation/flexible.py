r"""Flexible bodies of a derivation: the assumed modes of beams."""

from __future__ import annotations

import math

from dalembert.analysis.derivation.formula import SheetStep
from dalembert.model.beam import Beam
from dalembert.model.machine import Machine

__all__ = ["flexible_step"]

_DIRECTIONS = {"x": "traction", "y": "bending along y", "z": "bending along z", "torsion": "torsion"}
_RULES = (
    r"r(s, t) = p + R \left( \begin{bmatrix} s \\ 0 \\ 0 \end{bmatrix} + \sum_j \phi_j(s) \delta_j(t) \right)",
    r"\left(E I \phi_j''\right)'' = \omega_j^{2} \rho A \phi_j",
    r"T = \frac{1}{2} \int_0^l \rho A\, \dot r^{T} \dot r\, ds",
    r"V = \frac{1}{2} \sum_j K_j \delta_j^{2}, \quad K_j = \int_0^l E I \left(\phi_j''\right)^{2} ds",
)


def flexible_step(machine: Machine) -> SheetStep | None:
    """Return the assumed modes of the beams of a machine; None for a machine without beams."""
    beams = [body for body in machine.bodies if isinstance(body, Beam) and body.n_modes]
    if not beams:
        return None
    rows = tuple(
        (
            beam.name,
            f"{beam.name}.delta{k}",
            _DIRECTIONS[mode.direction],
            "given shape" if mode.omega is None else f"{mode.omega:.6g}",
            "" if mode.omega is None else f"{mode.omega / (2 * math.pi):.6g}",
            f"{float(mode.shape(beam.size)):.6g}",
        )
        for beam in beams
        for k, mode in enumerate(beam.basis, start=1)
    )
    text = (
        "The axis of a beam is the x axis of its frame. Its deflection is a sum of assumed modes: eigenfunctions of "
        "the beam with its boundary conditions, times modal coordinates, which are coordinates of the machine. The "
        "formulas are those of bending; traction and torsion are alike."
    )
    head = ("beam", "coordinate", "direction", "omega [rad/s]", "frequency [Hz]", "shape at the tip")
    return SheetStep("Flexible bodies", text, tables=((head, rows),), rules=_RULES)
