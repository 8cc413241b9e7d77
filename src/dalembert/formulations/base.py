"""What formulations have in common unless they say otherwise: the defaults of the contract `Formulation`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import casadi as ca

from dalembert.formulations.layout import Layout
from dalembert.formulations.variables import Variables
from dalembert.model.cables import Cable
from dalembert.model.machine import Machine

__all__ = ["CableTerms", "FormulationBase"]


@dataclass(frozen=True, eq=False)
class CableTerms:
    """Expressions of an elastic cable.

    Parameters
    ----------
    cable
        The cable.
    stretch, rate
        ``L - l`` and its rate.
    length
        Natural length ``l``.
    elastic, tension
        Elastic tension, and the total one with damping.
    """

    cable: Cable
    stretch: Any
    rate: Any
    length: Any
    elastic: Any
    tension: Any


class FormulationBase:
    """Coordinates that are the machine's own, without constraints of their own and without elastic cables."""

    name: str = ""
    options: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    minimal: bool = True
    machine: Machine
    variables: Variables
    layout: Layout
    machine_coordinates: bool = True

    @classmethod
    def refusal(cls, machine: Machine) -> str | None:
        """Why the formulation cannot take a machine; None: it can."""
        return None

    def own_constraints(self) -> list[tuple[str, Any]]:
        """None."""
        return []

    def singularities(self) -> list[tuple[str, Any]]:
        """None."""
        return []

    def closed_derivatives(self, board: Any) -> Any | None:
        """None: the tape is differentiated."""
        return None

    def point_rows(self, frame: str, point: Any, forces: Any, moments: Any) -> tuple[Any, Any, Any] | None:
        """None: rows are those of the frame's Jacobian."""
        return None

    def mass_factors(self) -> Any | None:
        """None: the mass matrix is factorised as it is."""
        return None

    def to_machine(self) -> tuple[Any, Any]:
        """Return the coordinates and velocities themselves."""
        return self.variables.q, self.variables.v

    def from_machine(self, q: Any, v: Any, p: Any) -> tuple[Any, Any]:
        """Return the coordinates and velocities themselves."""
        return q, v

    def moved(self, d: Any) -> Any:
        """Configuration reached from ``q`` by the tangent displacement ``d``."""
        return self.layout.integrate(self.variables.q, d)

    def cables(self) -> Sequence[CableTerms]:
        """None."""
        return ()

    def strain_force(self) -> Any:
        """Zero."""
        return ca.SX(self.layout.nv, 1)
