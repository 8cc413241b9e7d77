"""Plans solved on grids that are refined until their errors are small enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import casadi as ca
import numpy as np

from dalembert.core.types import Array
from dalembert.optimal.errors import GridErrors, grid_errors
from dalembert.optimal.guess import Guess, first_columns, resampled_columns, vibration_intervals
from dalembert.optimal.ipopt import IpoptSolution, Iterate, solve_programme
from dalembert.optimal.problem import PlanProblem
from dalembert.optimal.quasi_static import StaticCoordinates
from dalembert.optimal.refinement import refined_mesh, unresolved_changes
from dalembert.optimal.trajectory import PlanPiece, PlanTrajectory
from dalembert.optimal.transcription import PlanMesh, Transcription, uniform_mesh

__all__ = ["Solved", "SolverSettings", "solve_plan"]

_BETTER = 1e-7  # part of the cost by which a finer grid may be worse and still counts as an improvement


@dataclass(frozen=True)
class SolverSettings:
    """Grid and solver of a plan.

    Parameters
    ----------
    points
        Points of an interval, of order ``2 points - 2``; 3 is Hermite-Simpson collocation.
    refinements
        Largest number of finer grids.
    grid_tolerance
        Errors of the motion between nodes, and relative violations of limits between points, that are small enough.
    solver_tolerance
        Tolerance of IPOPT.
    max_iterations
        Iterations of IPOPT on each grid.
    """

    points: int = 5
    refinements: int = 4
    grid_tolerance: float = 1e-7
    solver_tolerance: float = 1e-9
    max_iterations: int = 500


@dataclass(frozen=True, eq=False)
class Solved:
    """A solution on its last grid, with its errors and what it took."""

    problem: PlanProblem
    trajectory: PlanTrajectory
    parameters: Array
    solution: IpoptSolution
    mesh: PlanMesh
    errors: GridErrors | None
    iterations: int
    seconds: float
    derivative_seconds: float
    history: tuple[tuple[int, float, float, float], ...]
    acting: bool = False


def solve_plan(
    problem: PlanProblem,
    q_start: Array,
    q_end: Array,
    settings: SolverSettings,
    guess: Guess | None = None,
    watch: Callable[[int, Iterate], object] | None = None,
    *,
    balanced: bool = True,
) -> Solved:
    """Solve a plan on a first grid and on finer ones; the best solution is returned, whether it converged or not.

    Parameters
    ----------
    problem
        The problem.
    q_start, q_end
        Coordinates at its ends, prescribed or not.
    settings
        Grid and solver.
    guess
        Coordinates (n, nq) at times (n) to start from.
    watch
        Called with the number of the grid and the iterate; the solver stops where it returns False.
    balanced
        Whether the solver starts with inputs that balance the motion of the guess; otherwise with none.
    """
    needed = vibration_intervals(problem, settings.points, q_start) if settings.refinements else ()
    mesh = uniform_mesh(problem, settings.points, needed)
    transcription = Transcription(problem, mesh, q_start, q_end)
    columns, durations = first_columns(problem, mesh, q_start, q_end, guess, balanced)
    nominal = np.array([0.5 * (a + b) for a, b in problem.free.values()])
    start = problem.phases[0].p[list(problem.free)] if problem.free else nominal
    inside = np.array([min(max(x, a), b) for x, (a, b) in zip(start, problem.free.values(), strict=True)])
    _turn_ends(transcription, columns)
    best = _attempt(transcription, transcription.pack(columns, durations, inside), settings, watch, 0)
    history = [_entry(best)]
    for number in range(1, settings.refinements + 1):
        if best.solution.status != "optimal" or best.errors is None or _settled(history, best, settings):
            break
        new = _refined(problem, best, settings, q_start, q_end, watch, number, follow=True)
        if new.solution.status == "interrupted":
            best = replace(best, solution=replace(best.solution, status="interrupted", message="interrupted"))
            break
        if not _better(best, new, settings.grid_tolerance):
            again = _refined(problem, best, settings, q_start, q_end, watch, number, follow=False)
            new = _summed(new, again)
        if not _better(best, new, settings.grid_tolerance):
            best = _summed(new, best)
            break  # another attempt from the same solution would be the same
        best = _summed(best, new)
        history.append(_entry(best))
    return replace(best, history=tuple(history))


def _settled(history: list[tuple[int, float, float, float]], best: Solved, settings: SolverSettings) -> bool:
    """Whether errors are small enough, and the cost did not change with the last grid."""
    assert best.errors is not None
    if max(best.errors.error, best.errors.violation) > settings.grid_tolerance:
        return False
    if not best.mesh.hull and len(history) == 1:
        return not best.acting
    if best.mesh.hull and unresolved_changes(best.problem, best.trajectory, best.parameters):
        return False
    change = abs(history[-1][1] - history[-2][1]) if len(history) > 1 else 0.0
    return change <= 10.0 * settings.grid_tolerance * max(1e-3, abs(history[-1][1]))


def _refined(
    problem: PlanProblem, old: Solved, settings: SolverSettings, q_start: Array, q_end: Array,
    watch: Callable[[int, Iterate], object] | None, number: int, *, follow: bool,
) -> Solved:  # fmt: skip
    assert old.errors is not None
    finer = refined_mesh(
        problem, old.mesh, old.trajectory, old.errors, old.parameters, settings.grid_tolerance, follow=follow
    )
    transcription = Transcription(problem, finer, q_start, q_end)
    columns, durations = resampled_columns(problem, finer, old.trajectory)
    _turn_ends(transcription, columns)
    return _attempt(transcription, transcription.pack(columns, durations, old.parameters), settings, watch, number)


def _better(old: Solved, new: Solved, tolerance: float) -> bool:
    """Whether a solution is better: its errors are smaller where they count, otherwise it costs no more."""
    if new.solution.status != "optimal" or new.errors is None or old.errors is None:
        return False
    before, after = (max(x.errors.error, x.errors.violation) for x in (old, new) if x.errors is not None)
    cheaper = new.solution.cost <= old.solution.cost + _BETTER * max(1e-3, abs(old.solution.cost))
    if before > tolerance:
        return after < 0.7 * before or (after <= before and cheaper)
    return after <= tolerance and (cheaper or (new.mesh.hull and not old.mesh.hull))


def _summed(before: Solved, chosen: Solved) -> Solved:
    return replace(
        chosen, iterations=before.iterations + chosen.iterations, seconds=before.seconds + chosen.seconds,
        derivative_seconds=before.derivative_seconds + chosen.derivative_seconds,
    )  # fmt: skip


def _entry(solved: Solved) -> tuple[int, float, float, float]:
    errors = solved.errors
    both = (np.inf, np.inf) if errors is None else (errors.error, errors.violation)
    return (solved.mesh.intervals, solved.solution.cost, *both)


def _turn_ends(transcription: Transcription, columns: list[Array]) -> None:
    """Take ``Q`` or ``-Q`` of a prescribed attitude at the end, whichever the motion comes to."""
    phase = transcription.problem.phases[-1]
    for rows in phase.model.quaternions:
        places = transcription.columns[-1][-1][phase.columns.q][rows]
        value = transcription.lower[places]
        if np.array_equal(value, transcription.upper[places]) and columns[-1][-1, phase.columns.q][rows] @ value < 0:
            transcription.lower[places] = transcription.upper[places] = -value


def _attempt(
    transcription: Transcription, x0: Array, settings: SolverSettings,
    watch: Callable[[int, Iterate], object] | None, number: int,
) -> Solved:  # fmt: skip
    problem, mesh = transcription.problem, transcription.mesh
    solution = solve_programme(
        transcription.programme, x0, (transcription.lower, transcription.upper),
        tolerance=settings.solver_tolerance, max_iterations=settings.max_iterations, near=number > 0,
        watch=None if watch is None else lambda iterate: watch(number, iterate),
    )  # fmt: skip
    x = solution.x
    parameters = x[transcription.parameters]
    pieces = []
    at = problem.t0
    for k, segment in enumerate(mesh.segments):
        phase = problem.phases[segment.phase]
        values, c = x[transcription.columns[k]], phase.columns
        duration = float(x[transcription.durations[k]])
        rates = _coordinate_rates(phase.model.eom, values[:, c.q], values[:, c.v])
        piece = PlanPiece(
            segment.phase, at, duration, segment.widths, mesh.points, values[:, c.q], values[:, c.v], values[:, c.a],
            values[:, c.u], values[:, c.force], rates, values,
        )  # fmt: skip
        pieces.append(_with_static_rates(piece, phase.static))
        at += duration
    first = problem.phases[0]
    trajectory = PlanTrajectory(tuple(pieces), tuple(first.model.quaternions), (first.static.q, first.static.v))
    errors = grid_errors(problem, trajectory, parameters) if solution.status == "optimal" else None
    at_bound = np.minimum(x - transcription.lower, transcription.upper - x) < 1e-6
    acting = bool((at_bound & (transcription.lower < transcription.upper)).any())
    return Solved(
        problem, trajectory, parameters, solution, mesh, errors, solution.iterations, solution.seconds,
        solution.derivative_seconds, (), acting,
    )  # fmt: skip


def _with_static_rates(piece: PlanPiece, static: StaticCoordinates) -> PlanPiece:
    """Return the piece with the rates of the coordinates that follow their loads."""
    if not static:
        return piece
    v, rates, q = piece.v.copy(), piece.rates.copy(), piece.q[:, list(static.q)]
    v[:, list(static.v)] = rates[:, list(static.q)] = piece.slopes(q)
    return replace(piece, v=v, rates=rates)


def _coordinate_rates(eom: Any, q: Array, v: Array) -> Array:
    if not eom.layout.quaternions:
        return v
    s = eom.symbolic
    f = ca.Function("rates", [s.q, s.v], [ca.densify(s.coordinate_rate)])
    return np.array(f.map(len(q))(q.T, v.T)).T
