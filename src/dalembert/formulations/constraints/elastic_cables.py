"""Elastic cables as forces: a formulation, wrapped, with their strain energy in its potential.

A cable of axial stiffness EA and natural length ``l`` that is stretched to ``L`` pulls with
``T = EA (L - l)/l + EA' (L' - l')/l`` as long as that is positive, and not at all when ``L < l`` (unless it is
bilateral). The elastic part has the potential ``EA (L - l)^2 / (2 l)``; a cable whose length or exit moves in time has
none, its force then counts as an input.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import casadi as ca

from dalembert.formulations.constraints.system import ConstraintSystem
from dalembert.model.cables import Cable
from dalembert.model.machine import Machine

__all__ = ["ElasticCables", "elastic_tension", "with_elastic_cables"]


def with_elastic_cables(formulation: Any, machine: Machine) -> Any:
    """Return the formulation with the forces of the machine's elastic cables, if it has any."""
    return ElasticCables(formulation, machine) if any(c.elastic for c in machine.cables) else formulation


def elastic_tension(cable: Cable, stretch: Any, length: Any, rate: Any, value: Any) -> tuple[Any, Any]:
    """Elastic tension, and the total one with damping, of a cable."""
    taut = stretch if cable.bilateral else ca.fmax(stretch, 0)
    elastic = value(cable.stiffness) * taut / length
    total = elastic + value(cable.damping) * rate / length
    if cable.bilateral:
        return elastic, total
    return elastic, ca.if_else(stretch > 0, ca.fmax(total, 0), 0)


class _Model:
    """The model of the wrapped formulation, with the forces of the cables that have no potential."""

    def __init__(self, owner: ElasticCables) -> None:
        self._owner = owner
        self._inner = owner.wrapped.model

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    @property
    def losses(self) -> Any:
        return self._inner.losses + self._owner.forces[1]

    @property
    def actuation(self) -> Any:
        return self._inner.actuation + self._owner.forces[2]


class ElasticCables:
    """A formulation with elastic cables; what it does not change is that of the wrapped one."""

    def __init__(self, formulation: Any, machine: Machine) -> None:
        self.wrapped = formulation
        self.name = formulation.name
        self.variables = formulation.variables
        self.system = ConstraintSystem(formulation, machine)
        self.cables = [c for c in machine.cables if c.elastic]
        self.model = _Model(self)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.wrapped, name)

    def stretch(self, cable: Cable) -> tuple[Any, Any]:
        """Stretch ``L - l`` of a cable and its natural length ``l``."""
        natural = self.system.natural_length(cable.name)
        return self.system.paths[cable.name].length - natural, natural

    @cached_property
    def _rate(self) -> Any:
        return self.wrapped.model.coordinate_rates()

    @cached_property
    def forces(self) -> tuple[Any, Any, Any]:
        """Generalised forces: gradient of the potential, losses, and of cables that move in time."""
        x = self.variables
        B = ca.jacobian(self._rate, x.v)
        gradient, losses, driven = (ca.SX(x.v.shape[0], 1) for _ in range(3))
        for cable in self.cables:
            stretch, natural = self.stretch(cable)
            J = ca.jacobian(stretch, x.q) @ B
            rate = ca.jtimes(stretch, x.q, self._rate) + ca.jacobian(stretch, x.t)
            elastic, total = elastic_tension(cable, stretch, natural, rate, x.value)
            if cable.rheonomous:
                driven = driven - J.T * total
            else:
                # the gradient of EA e^2 / (2 l) also sees the length that the winch pays out
                gradient = gradient + (ca.jacobian(self._potential(cable), x.q) @ B).T
                losses = losses - J.T * (total - elastic)
        return gradient, losses, driven

    def _potential(self, cable: Cable) -> Any:
        stretch, natural = self.stretch(cable)
        taut = stretch if cable.bilateral else ca.fmax(stretch, 0)
        return self.variables.value(cable.stiffness) * taut**2 / (2 * natural)

    def potential_energy(self) -> Any:
        """Potential energy with the strain energy of the cables."""
        return self.wrapped.potential_energy() + sum(
            (self._potential(c) for c in self.cables if not c.rheonomous), ca.SX(0)
        )

    def bias(self) -> Any:
        """``C v + dV/dq``."""
        return self.wrapped.bias() + self.forces[0]

    def inverse_dynamics(self) -> Any:
        """``M a + C v + dV/dq``."""
        return self.wrapped.inverse_dynamics() + self.forces[0]

    def forward_dynamics(self) -> Any:
        """Accelerations under ``tau``."""
        tau = self.variables.tau
        return ca.substitute(self.wrapped.forward_dynamics(), tau, tau - ca.densify(self.forces[0]))
