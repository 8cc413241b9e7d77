"""Defaults of the contract `Formulation`, which formulations share unless they override them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from dalembert.compile.rows import Block
from dalembert.compile.rows_builder import Cell, RowsBuilder
from dalembert.core.ports import SweptFactors
from dalembert.core.types import Expression, ExpressionLike
from dalembert.formulations.layout import Layout
from dalembert.formulations.variables import Variables
from dalembert.model.machine import Machine
from dalembert.model.ropes import RopeBase

__all__ = ["BoardSolver", "ClosedDerivatives", "FormulationBase", "RopeTerms"]


@dataclass(frozen=True, eq=False)
class RopeTerms:
    """Expressions of a section of an elastic cable or rope.

    Parameters
    ----------
    rope
        The cable or rope.
    name
        Name of the section.
    spans
        Places in the path of its spans.
    stretch, rate
        ``L - l`` and its rate.
    length
        Natural length ``l``.
    elastic, tension
        Elastic tension, and the total one with damping.
    energy
        Its potential energy: of strain, and of its weight if it is heavy.
    gradient, loss, driven
        Its generalised forces: gradient of its strain energy, damping, and all of it where the rope moves in time.
    """

    rope: RopeBase
    name: str
    spans: tuple[int, ...]
    stretch: Expression
    rate: Expression
    length: Expression
    elastic: Expression
    tension: Expression
    energy: Expression
    gradient: Expression
    loss: Expression
    driven: Expression

    @property
    def force(self) -> Expression:
        """Its generalised force on the machine."""
        return self.loss + self.driven - self.gradient


class BoardSolver(Protocol):
    """Solutions of ``M x = b`` on a board; see `BoardFactors`."""

    def solve_tape(self, b: Expression) -> Expression:
        """Solution as expressions for the tape that is given next."""
        ...

    def solve_rows(self, unit: Block, right: Sequence[Mapping[int, Cell]], columns: int) -> tuple[Block, Block]:
        """Append stages for ``-M^-1 B`` and ``M^-1``; return where they are."""
        ...


class ClosedDerivatives(Protocol):
    """Derivatives of the inverse dynamics in closed form, as stages on a board.

    Attributes
    ----------
    mass
        How the mass matrix is computed.
    bias
        Where the forces ``C v + g`` are, a row; springs are left out.
    spring_force
        The forces of the springs.
    """

    mass: list[dict[int, Cell]]
    bias: Block
    spring_force: Expression

    def factors(self) -> BoardSolver:
        """Append the stages that factorise the mass matrix."""
        ...

    def at(self, a: Expression) -> tuple[list[dict[int, Cell]], list[dict[int, Cell]]]:
        """Append the stages at accelerations `a`; return how d tau/d q and d tau/d v are computed."""
        ...


class FormulationBase:
    """Coordinates of the machine, without additional constraints and without elastic ropes.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.formulations import FormulationBase
    >>> from dalembert.systems import load_system
    >>> eom = da.equations(load_system("double-pendulum"), backend="vm")
    >>> isinstance(eom.formulation, FormulationBase)
    True
    """

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

    def own_constraints(self) -> list[tuple[str, Expression]]:
        """None."""
        return []

    def singularities(self) -> list[tuple[str, Expression]]:
        """None."""
        return []

    def closed_derivatives(self, board: RowsBuilder) -> ClosedDerivatives | None:
        """None: the tape is differentiated."""
        return None

    def mass_cells(self, board: RowsBuilder) -> list[dict[int, Cell]] | None:
        """None: the mass matrix is an expression."""
        return None

    def coriolis_cells(self, board: RowsBuilder) -> list[dict[int, Cell]] | None:
        """None: the Coriolis matrix is an expression."""
        return None

    def point_rows(
        self, frame: str, point: Expression, forces: Expression, moments: Expression
    ) -> tuple[Expression, Expression, Expression] | None:
        """None: rows are those of the frame's Jacobian."""
        return None

    def mass_factors(self) -> SweptFactors | None:
        """None: the mass matrix is factorised as it is."""
        return None

    def enlarged_dynamics(self, added: Expression) -> Expression | None:
        """None: ``M + added`` is factorised as it is."""
        return None

    def to_machine(self) -> tuple[Expression, Expression]:
        """Return the coordinates and velocities themselves."""
        return self.variables.q, self.variables.v

    def from_machine(
        self, q: ExpressionLike, v: ExpressionLike, p: ExpressionLike
    ) -> tuple[ExpressionLike, ExpressionLike]:
        """Return the coordinates and velocities themselves."""
        return q, v

    def moved(self, d: Expression) -> Expression:
        """Configuration reached from ``q`` by the tangent displacement ``d``."""
        return self.layout.integrate(self.variables.q, d)

    def elastic_ropes(self) -> Sequence[RopeTerms]:
        """None."""
        return ()

    def without_ropes(self) -> Any:
        """Itself."""
        return self
