"""Elastic cables and ropes as forces: a formulation, wrapped, with their strain energy in its potential.

A section of axial stiffness EA and natural length ``l`` that is stretched to ``L`` pulls with
``T = EA (L - l)/l + EA' (L' - l')/l`` as long as that is positive, and not at all when ``L < l`` (unless it is
bilateral). The elastic part has the potential ``EA (L - l)^2 / (2 l)``; a rope whose length or exit moves in time has
none, its force then counts as an input.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import casadi as ca

from dalembert.compile.rows_builder import Cell, RowsBuilder
from dalembert.core.parameter import Scalar
from dalembert.core.ports import Formulation
from dalembert.core.types import Expression, ExpressionLike
from dalembert.formulations.base import FormulationBase, RopeTerms
from dalembert.formulations.constraints.system import ConstraintSystem
from dalembert.model.ropes import Hanging, RopeBase

__all__ = ["with_elastic_ropes", "with_rope_terms"]


def with_elastic_ropes(formulation: Formulation) -> Formulation:
    """Return the formulation with the forces of the machine's elastic ropes, if it has any."""
    return ElasticRopes(formulation) if any(rope.elastic for rope in formulation.machine.all_ropes) else formulation


def with_rope_terms(formulation: Formulation, terms: tuple[RopeTerms, ...]) -> Formulation:
    """Return a formulation without elastic ropes, with the forces of these terms."""
    return ElasticRopes(formulation, terms)


def _tension(
    rope: RopeBase,
    stretch: Expression,
    length: Expression,
    rate: Expression,
    value: Callable[[Scalar], Expression | float],
) -> tuple[Expression, Expression]:
    """Elastic tension, and the total one with damping, of a rope."""
    assert rope.stiffness is not None
    taut = stretch if rope.bilateral else ca.fmax(stretch, 0)
    elastic = value(rope.stiffness) * taut / length
    total = elastic + value(rope.damping) * rate / length
    if rope.bilateral:
        return elastic, total
    return elastic, ca.if_else(stretch > 0, ca.fmax(total, 0), 0)


class ElasticRopes(FormulationBase):
    """A formulation with elastic ropes; unchanged functions are those of the wrapped one.

    Parameters
    ----------
    inner
        The wrapped formulation.
    terms
        Sections of its elastic ropes, or spans of these; None: those of the machine's ropes without friction.
    """

    def __init__(self, inner: Formulation, terms: tuple[RopeTerms, ...] | None = None) -> None:
        self.inner, self._given = inner, terms
        self.name, self.minimal = inner.name, inner.minimal
        self.machine, self.variables, self.layout = inner.machine, inner.variables, inner.layout
        self.machine_coordinates = inner.machine_coordinates

    @cached_property
    def _ropes(self) -> tuple[RopeTerms, ...]:
        if self._given is not None:
            return self._given
        system, x, rates = ConstraintSystem(self.inner), self.variables, self.inner.coordinate_rates()
        terms = []
        for rope in self.machine.all_ropes:
            if rope.heavy:
                terms.append(self._hanging(rope, rope.hanging(system.context)))
                continue
            for name, section in zip(rope.section_names, system.routes[rope.name].sections, strict=True):
                if rope.elastic:
                    length = system.natural_length(name) + section.payout
                    stretch = section.way - length
                    rate = ca.jtimes(stretch, x.q, rates) + ca.jacobian(stretch, x.t)
                    tension = _tension(rope, stretch, length, rate, x.value)
                    energy = self._potential(rope, stretch, length)
                    parts = self._parts(rope, stretch, energy, *tension)
                    terms.append(RopeTerms(rope, name, section.spans, stretch, rate, length, *tension, energy, *parts))
        return tuple(terms)

    def _hanging(self, rope: RopeBase, shape: Hanging) -> RopeTerms:
        """A heavy cable between two anchors; its pull is the gradient of its energy."""
        x, rates = self.variables, self.inner.coordinate_rates()
        B, none = ca.jacobian(rates, x.v), ca.SX(x.v.shape[0], 1)
        gradient = (shape.gradient(x.q) @ B).T
        stretch = ca.sqrt(shape.l**2 + shape.h**2) - shape.L
        rate = ca.jtimes(stretch, x.q, rates) + ca.jacobian(stretch, x.t)
        tension = shape.tensions[1]
        parts = (none, none, -gradient) if rope.rheonomous else (gradient, none, none)
        energy = ca.SX(0) if rope.rheonomous else shape.potential
        return RopeTerms(rope, rope.name, (0,), stretch, rate, shape.L, tension, tension, energy, *parts)

    def singularities(self) -> list[tuple[str, Expression]]:
        """Those of the wrapped formulation."""
        return self.inner.singularities()

    def elastic_ropes(self) -> Sequence[RopeTerms]:
        """Stretch, length and tension of the ropes."""
        return self._ropes

    @cached_property
    def _forces(self) -> tuple[Expression, Expression, Expression]:
        """Generalised forces: gradient of the potential, losses, and of ropes that move in time."""
        none = ca.SX(self.variables.v.shape[0], 1)
        return (
            sum((c.gradient for c in self._ropes), none),
            sum((c.loss for c in self._ropes), none),
            sum((c.driven for c in self._ropes), none),
        )

    def _parts(
        self, rope: RopeBase, stretch: Expression, energy: Expression, elastic: Expression, tension: Expression
    ) -> tuple[Expression, Expression, Expression]:
        """The same of one section."""
        x = self.variables
        B, none = ca.jacobian(self.inner.coordinate_rates(), x.v), ca.SX(x.v.shape[0], 1)
        J = ca.jacobian(stretch, x.q) @ B
        if rope.rheonomous:
            return none, none, -J.T * tension
        # the gradient of EA e^2 / (2 l) also sees the length that the winch pays out
        gradient = (ca.jacobian(energy, x.q) @ B).T
        return gradient, -J.T * (tension - elastic), none

    def _potential(self, rope: RopeBase, stretch: Expression, length: Expression) -> Expression:
        taut = stretch if rope.bilateral else ca.fmax(stretch, 0)
        assert rope.stiffness is not None
        return self.variables.value(rope.stiffness) * taut**2 / (2 * length)

    def without_ropes(self) -> Formulation:
        """The wrapped formulation."""
        return self.inner

    def potential_energy(self) -> Expression:
        """Potential energy with the strain energy of the ropes."""
        return self.inner.potential_energy() + sum((c.energy for c in self._ropes if not c.rope.rheonomous), ca.SX(0))

    def bias(self) -> Expression:
        """``C v + dV/dq``."""
        return self.inner.bias() + self._forces[0]

    def inverse_dynamics(self) -> Expression:
        """``M a + C v + dV/dq``."""
        return self.inner.inverse_dynamics() + self._forces[0]

    def forward_dynamics(self) -> Expression:
        """Accelerations under ``tau``."""
        tau = self.variables.tau
        return ca.substitute(self.inner.forward_dynamics(), tau, tau - ca.densify(self._forces[0]))

    def losses(self) -> Expression:
        """Generalised forces of the losses, with the damping of the ropes."""
        return self.inner.losses() + self._forces[1]

    def actuation(self) -> Expression:
        """Generalised forces of the motors, and of the ropes that move in time."""
        return self.inner.actuation() + self._forces[2]

    # -- what elastic ropes do not change --------------------------------------------------------------------------

    def mass_matrix(self) -> Expression:
        """Mass matrix."""
        return self.inner.mass_matrix()

    def coriolis_matrix(self) -> Expression:
        """Coriolis matrix."""
        return self.inner.coriolis_matrix()

    def mass_cells(self, board: RowsBuilder) -> list[dict[int, Cell]] | None:
        """Mass matrix in stages."""
        return self.inner.mass_cells(board)

    def coriolis_cells(self, board: RowsBuilder) -> list[dict[int, Cell]] | None:
        """Coriolis matrix in stages."""
        return self.inner.coriolis_cells(board)

    def gravity(self) -> Expression:
        """Gravity force."""
        return self.inner.gravity()

    def kinetic_energy(self) -> Expression:
        """Kinetic energy."""
        return self.inner.kinetic_energy()

    def momentum(self) -> Expression:
        """Momentum in world axes."""
        return self.inner.momentum()

    def center_of_mass(self) -> Expression:
        """Centre of mass in the world."""
        return self.inner.center_of_mass()

    def own_constraints(self) -> list[tuple[str, Expression]]:
        """Constraints of the coordinates."""
        return self.inner.own_constraints()

    def coordinate_rates(self) -> Expression:
        """Rates of the coordinates."""
        return self.inner.coordinate_rates()

    def moved(self, d: Expression) -> Expression:
        """Configuration reached by a displacement."""
        return self.inner.moved(d)

    def frame_pose(self, frame: str) -> tuple[Expression, Expression]:
        """Pose (R, p) of a frame in the world."""
        return self.inner.frame_pose(frame)

    def jacobian(self, frame: str) -> Expression:
        """Jacobian of a frame's twist."""
        return self.inner.jacobian(frame)

    def point_rows(
        self, frame: str, point: Expression, forces: Expression, moments: Expression
    ) -> tuple[Expression, Expression, Expression] | None:
        """Rows of a point along fixed directions."""
        return self.inner.point_rows(frame, point, forces, moments)

    def joint_coordinate(self, joint: str) -> Expression:
        """Coordinate of a joint that has one."""
        return self.inner.joint_coordinate(joint)

    def joint_rate(self, joint: str) -> Expression:
        """Rate of a joint that has one coordinate."""
        return self.inner.joint_rate(joint)

    def to_machine(self) -> tuple[Expression, Expression]:
        """Coordinates and velocities of the machine's own choice."""
        return self.inner.to_machine()

    def from_machine(
        self, q: ExpressionLike, v: ExpressionLike, p: ExpressionLike
    ) -> tuple[ExpressionLike, ExpressionLike]:
        """Coordinates and velocities from the machine's own."""
        return self.inner.from_machine(q, v, p)
