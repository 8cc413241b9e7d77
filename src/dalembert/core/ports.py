"""The ports between rooms: interfaces of a formulation, a kernel and a controller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol, runtime_checkable

from dalembert.core.types import Array, Expression, ExpressionLike

__all__ = ["Controller", "Formulation", "Law", "NativeStage", "SweptFactors"]


class SweptFactors(Protocol):
    """Factors ``M = L D L^T`` of a mass matrix by sweeps along its tree, in O(n)."""

    def lower(self, b: Expression) -> Expression:
        """``L^-1 b``."""
        ...

    def upper(self, b: Expression) -> Expression:
        """``L^-T b``."""
        ...

    @property
    def inverse(self) -> Expression:
        """The reciprocals of D."""
        ...


class Formulation(Protocol):
    """A formulation: the expressions of a machine's equations on CasADi symbols, and all that is asked of them.

    Every method returns a new or a cached expression. No code depends on anything behind this contract. Most
    formulations inherit common parts: ``formulations/base.py``, or `TreeFormulation` for those in the coordinates of
    the machine's tree.

    Attributes
    ----------
    name
        Its name in ``equations(machine, by=name)``.
    options
        Its options by name, each with the values that it may have; the first one is the default.
    minimal
        Whether its coordinates are those of the machine's tree, so that they can be mapped to others. Redundant
        coordinates add constraints.
    machine, variables, layout
        The machine, the symbols of the equations, and the names and kinds of the coordinates.
    machine_coordinates
        Whether ``q`` and ``v`` are the machine's own, so that conversions change nothing.
    """

    name: str
    options: ClassVar[Mapping[str, tuple[str, ...]]]
    minimal: bool

    @classmethod
    def refusal(cls, machine: Any) -> str | None:
        """Why the formulation cannot take a machine, naming the part; None: it can."""

    @property
    def machine(self) -> Any: ...  # noqa: D102
    @property
    def variables(self) -> Any: ...  # noqa: D102
    @property
    def layout(self) -> Any: ...  # noqa: D102
    @property
    def machine_coordinates(self) -> bool: ...  # noqa: D102

    # equations
    def mass_matrix(self) -> Expression: ...  # noqa: D102
    def coriolis_matrix(self) -> Expression: ...  # noqa: D102
    def gravity(self) -> Expression: ...  # noqa: D102
    def bias(self) -> Expression: ...  # noqa: D102
    def inverse_dynamics(self) -> Expression: ...  # noqa: D102
    def forward_dynamics(self) -> Expression: ...  # noqa: D102
    def kinetic_energy(self) -> Expression: ...  # noqa: D102
    def potential_energy(self) -> Expression: ...  # noqa: D102
    def momentum(self) -> Expression: ...  # noqa: D102
    def center_of_mass(self) -> Expression: ...  # noqa: D102

    def actuation(self) -> Expression:
        """Generalised forces of the motors."""

    def losses(self) -> Expression:
        """Generalised forces of dampers, friction and motor losses."""

    def own_constraints(self) -> list[tuple[str, Expression]]:
        """Constraints among redundant coordinates, by name."""

    def closed_derivatives(self, board: Any) -> Any | None:
        """Derivatives of the inverse dynamics in closed form, as stages on a board; None: there are none."""

    def mass_cells(self, board: Any) -> Any | None:
        """How the entries of the mass matrix are computed, with stages on a board; None: it is an expression."""

    def coriolis_cells(self, board: Any) -> Any | None:
        """How the entries of the Coriolis matrix are computed, with stages on a board; None: it is an expression."""

    def point_rows(
        self, frame: str, point: Expression, forces: Expression, moments: Expression
    ) -> tuple[Expression, Expression, Expression] | None:
        """Rows, rates and their biases of a point along fixed directions; None: the Jacobian of its frame has them."""

    def mass_factors(self) -> SweptFactors | None:
        """Factors of the mass matrix in O(n); None: it is factorised as it is."""

    def enlarged_dynamics(self, added: Expression) -> Expression | None:
        """Solution of ``(M + added) a = tau - bias``; None: ``M + added`` is factorised as it is."""

    # kinematics
    def coordinate_rates(self) -> Expression:
        """Rates of the coordinates, ``B(q) v``."""

    def moved(self, d: Expression) -> Expression:
        """Configuration reached from ``q`` by the tangent displacement ``d``."""

    def frame_pose(self, frame: str) -> tuple[Expression, Expression]:
        """Rotation and position of a frame in the world."""

    def jacobian(self, frame: str) -> Expression:
        """Jacobian of a frame's twist [v; w] at its origin, in its own axes."""

    def joint_coordinate(self, joint: str) -> Expression:
        """Coordinate of a joint that has one."""

    def joint_rate(self, joint: str) -> Expression:
        """Rate of a joint that has one coordinate."""

    def singularities(self) -> list[tuple[str, Expression]]:
        """Postures that the coordinates do not have, by name, with expressions that reach zero there from above."""

    # the machine's own coordinates
    def to_machine(self) -> tuple[Expression, Expression]:
        """Coordinates and velocities of the machine's own choice."""

    def from_machine(
        self, q: ExpressionLike, v: ExpressionLike, p: ExpressionLike
    ) -> tuple[ExpressionLike, ExpressionLike]:
        """Coordinates and velocities from the machine's own; CasADi symbols or numbers, these of many as columns."""

    # elastic cables and ropes
    def elastic_ropes(self) -> Sequence[Any]:
        """Stretch, length and tension of the elastic cables and ropes (`RopeTerms`)."""

    def without_ropes(self) -> Formulation:
        """The formulation without the forces and the energy of the elastic cables and ropes."""


@runtime_checkable
class Controller(Protocol):
    """A Python controller, called exactly once per sample."""

    period: float

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """Return the inputs to hold until the next sample."""
        ...


@runtime_checkable
class Law(Protocol):
    """A control law written as an expression; it is compiled into the time loop."""

    def state_names(self, eom: Any) -> tuple[str, ...]:
        """Names of the law's internal states ``z`` for these equations of motion (empty if it has none)."""
        ...

    def initial_state(self, eom: Any) -> Array:
        """Initial values of the internal states."""
        ...

    def expression(
        self, eom: Any, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs ``u`` and rates ``z'`` as CasADi expressions of the given symbols."""
        ...


@runtime_checkable
class NativeStage(Protocol):
    """A stage that is a routine.

    Attributes
    ----------
    name, period
        Its name, and seconds between two instants.
    commands
        Whether it sets the inputs, which are then its first values.
    feedback
        States and parameters whose place its recorded values take for laws, and the names of these values.
    """

    period: float
    commands: ClassVar[bool]

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def feedback(self) -> Mapping[str, str]: ...  # noqa: D102

    @property
    def shown(self) -> Mapping[str, float]:
        """Names of its recorded values and their first values."""

    @property
    def memory(self) -> Array:
        """First values of its memory."""

    def check_start(self, values: Mapping[str, float]) -> None:
        """Refuse a start, given by the names of coordinates and velocities."""

    def compose(self, view: Any) -> Any:
        """Return its code in a loop (``StageCode`` and ``StageView`` of ``optimal/stage.py``)."""
