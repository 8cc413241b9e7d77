"""Plans: motions that cost least, as functions of time, with the status of the solver and the errors of their grid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.optimal.problem import PlanProblem
from dalembert.optimal.trajectory import PlanPiece, PlanTrajectory
from dalembert.plan.references import Positions, Time, piecewise

__all__ = ["GridRecord", "OptimalPlan", "PlanReference", "PlannedInputs", "check_inputs", "plan_polynomials"]


@dataclass(frozen=True)
class GridRecord:
    """A grid on which a plan was solved.

    Parameters
    ----------
    intervals
        Number of intervals.
    cost
        Cost on this grid.
    error, violation
        Error of the motion between nodes, and largest relative violation of a limit between points.
    """

    intervals: int
    cost: float
    error: float
    violation: float


@dataclass(frozen=True, eq=False)
class OptimalPlan:
    """A motion of least cost (made by `dalembert.optimise`).

    Attributes
    ----------
    status
        ``"optimal"``; ``"inaccurate"`` where an error of the last grid is above the tolerance; ``"infeasible"``, ``"not
        converged"`` or ``"interrupted"``.
    message
        The status in words; of a plan that failed, the violated equation and the cure.
    cost
        The minimised cost.
    duration
        Duration of the whole motion [s].
    phases
        Name, start and duration of each phase.
    parameters
        Values of the free parameters.
    t, q, v, a, u
        Times of all points of the grid, and coordinates, velocities, accelerations and inputs there; where phases or
        segments meet, a time occurs twice.
    q_names, v_names, u_names
        Names of coordinates, velocities and inputs.
    error
        Error of the motion: integrated from a node with the inputs of the plan, the states at the next node differ by
        at most this.
    violation
        Largest violation of a limit between the points of the grid, relative to the size of the limit (or 1).
    violations
        Violations by name, in the units of the quantity.
    grids
        The grids on which it was solved, the last one last.
    iterations, seconds, derivative_seconds
        Iterations of the solver on all grids, the time it took, and the part of it in derivatives.
    eom
        The equations, with inputs that do not saturate.
    """

    status: str
    message: str
    cost: float
    duration: float
    phases: tuple[tuple[str, float, float], ...]
    parameters: Mapping[str, float]
    q_names: tuple[str, ...]
    v_names: tuple[str, ...]
    u_names: tuple[str, ...]
    error: float
    violation: float
    violations: Mapping[str, float]
    grids: tuple[GridRecord, ...]
    iterations: int
    seconds: float
    derivative_seconds: float
    eom: EquationsOfMotion
    problem: PlanProblem
    trajectory: PlanTrajectory

    def __repr__(self) -> str:
        return (
            f"<OptimalPlan of '{self.eom.machine.name}': {self.status}, cost {self.cost:.10g}, "
            f"duration {self.duration:.6g} s, error {self.error:.2g}, violation {self.violation:.2g}, "
            f"{self.iterations} iterations>"
        )

    @property
    def start(self) -> float:
        """Time at which it starts [s]."""
        return self.trajectory.pieces[0].start

    @property
    def end(self) -> float:
        """Time at which it ends [s]."""
        return self.trajectory.pieces[-1].end

    def _stacked(self, what: str) -> Array:
        return np.concatenate([getattr(piece, what) for piece in self.trajectory.pieces])

    @cached_property
    def t(self) -> Array:
        """Times of all points."""
        return self._stacked("t")

    @cached_property
    def q(self) -> Array:
        """Coordinates at all points."""
        return self._stacked("q")

    @cached_property
    def v(self) -> Array:
        """Velocities at all points."""
        return self._stacked("v")

    @cached_property
    def a(self) -> Array:
        """Accelerations at all points."""
        return self._stacked("a")

    @cached_property
    def u(self) -> Array:
        """Inputs at all points."""
        return self._stacked("u")

    def coordinates(self, t: ArrayLike) -> Array:
        """Coordinates at times (...), quaternions of unit norm; held before the start and after the end."""
        return self.trajectory.evaluate("q", as_numbers(t))

    def velocities(self, t: ArrayLike) -> Array:
        """Velocities at times (...)."""
        return self.trajectory.evaluate("v", as_numbers(t))

    def accelerations(self, t: ArrayLike) -> Array:
        """Accelerations at times (...)."""
        return self.trajectory.evaluate("a", as_numbers(t))

    def inputs(self, t: ArrayLike) -> Array:
        """Inputs at times (...)."""
        return self.trajectory.evaluate("u", as_numbers(t))

    def forces(self, name: str) -> tuple[Array, Array]:
        """Times, and the force of a constraint, rope or contact at the points of the phases in which it acts.

        The force of a rope is its tension.
        """
        times, values = [], []
        for piece in self.trajectory.pieces:
            rows = self.problem.phases[piece.phase].model.row_names
            if name in rows:
                times.append(piece.t)
                values.append(piece.force[:, rows.index(name)])
        if not times:
            known = {n for p in self.problem.phases for n in p.model.row_names}
            raise UnknownNameError("constraint, rope or contact", name, sorted(known), "the plan")
        return np.concatenate(times), np.concatenate(values)

    @property
    def reference(self) -> PlanReference:
        """Coordinates as an expression of time: a reference for laws such as `dalembert.PD`."""
        return PlanReference(*plan_polynomials(self.trajectory, "q"))

    @property
    def references(self) -> dict[str, PlanReference]:
        """Coordinates and inputs by name as expressions of time: the ``reference`` of `dalembert.mpc`."""
        result: dict[str, PlanReference] = {}
        for names, what in ((self.q_names, "q"), (self.u_names, "u")):
            knots, coefficients = plan_polynomials(self.trajectory, what)
            table = np.asarray(coefficients)
            result |= {n: PlanReference(knots, tuple(table[:, :, k : k + 1].tolist())) for k, n in enumerate(names)}
        return result

    @property
    def feedforward(self) -> PlannedInputs:
        """The inputs of the plan as a law, without feedback."""
        return PlannedInputs(self.u_names, *plan_polynomials(self.trajectory, "u"))

    @property
    def table(self) -> tuple[tuple[str, ...], Array]:
        """Names of the columns and rows of all points: time, coordinates, velocities, inputs."""
        names = ("t", *self.q_names, *self.v_names, *(f"u.{n}" for n in self.u_names))
        return names, np.hstack([self.t[:, None], self.q, self.v, self.u])


def plan_polynomials(trajectory: PlanTrajectory, what: str) -> tuple[tuple[float, ...], tuple[Any, ...]]:
    """Knots, and coefficients (pieces, degree + 1, k) of the time since the knot before, highest power first."""
    knots: list[float] = []
    tables: list[Any] = []
    for piece in trajectory.pieces:
        knots += piece.nodes[:-1].tolist()
        tables += _piece_coefficients(piece, what).tolist()
    knots.append(trajectory.pieces[-1].end)
    return tuple(knots), tuple(tables)


def _piece_coefficients(piece: PlanPiece, what: str) -> Array:
    s, n = piece.points, len(piece.widths)
    rows = np.arange(n)[:, None] * (s - 1) + np.arange(s)
    h = (piece.duration * piece.widths)[:, None, None]
    basis = piece.method.polynomials  # row j: powers of the fraction, lowest first
    if what in ("q", "v"):
        slopes = (piece.rates if what == "q" else piece.a)[rows]
        powers = np.arange(1, s + 1)
        inside = np.einsum("nik,ij->njk", slopes, basis / powers)
        value = (piece.q if what == "q" else piece.v)[rows[:, 0]][:, None, :]
        ascending = np.concatenate([value, inside / h ** (powers[None, :, None] - 1)], axis=1)
    else:
        powers = np.arange(s)
        ascending = np.einsum("nik,ij->njk", getattr(piece, what)[rows], basis) / h ** powers[None, :, None]
    return ascending[:, ::-1, :]


@dataclass(frozen=True)
class PlanReference:
    """Coordinates of a plan as an expression of time (made by `OptimalPlan.reference`).

    Parameters
    ----------
    knots
        Times between the pieces.
    coefficients
        Coefficients of each piece: powers of the time since its knot, the highest first, each with all components.
    """

    knots: tuple[float, ...]
    coefficients: tuple[Any, ...]

    def __call__(self, t: Time) -> Positions:
        """Coordinates at time ``t``; held before and after."""
        return piecewise(t, np.asarray(self.knots), np.asarray(self.coefficients))


@dataclass(frozen=True)
class PlannedInputs:
    """Inputs of a plan as a law (made by `OptimalPlan.feedforward`); after the end they keep their last values.

    Parameters
    ----------
    names
        Names of the inputs.
    knots, coefficients
        As in a reference of a plan.
    """

    names: tuple[str, ...]
    knots: tuple[float, ...]
    coefficients: tuple[Any, ...]

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """No internal states."""
        return ()

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """No internal states."""
        return np.zeros(0)

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs as expressions."""
        check_inputs(eom, self.names)
        return ca.SX(piecewise(t, np.asarray(self.knots), np.asarray(self.coefficients))), ca.SX(0, 1)


def check_inputs(eom: EquationsOfMotion, names: tuple[str, ...]) -> None:
    """Raise an error if a machine has other inputs than a plan."""
    if eom.u_names != names:
        raise InputError(
            f"this plan has the inputs {', '.join(names)}; machine '{eom.machine.name}' has {', '.join(eom.u_names)}"
        )
