"""Optimal plans of machines: phases, limits and costs in, a plan out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.core.doing import doing
from dalembert.core.errors import InputError, PlanError, UnknownNameError
from dalembert.core.labels import by_name
from dalembert.core.states import named_vector
from dalembert.core.types import Array, StateLike
from dalembert.core.validation import check_names, check_number
from dalembert.core.warn import warn
from dalembert.formulations.constraints.assembly import assembled_start
from dalembert.formulations.constraints.projection import consistent_state
from dalembert.formulations.equations import EquationsOfMotion, Parameters
from dalembert.optimal.build import PlanEnds, plan_problem
from dalembert.optimal.cost import Cost
from dalembert.optimal.ipopt import Iterate
from dalembert.optimal.phases import Condition, Phase, check_count, duration_range
from dalembert.optimal.planned import GridRecord, OptimalPlan
from dalembert.optimal.solving import Solved, SolverSettings, solve_plan
from dalembert.simulation.watch import interrupts

__all__ = ["PlanConditions", "PlanSettings", "optimal_plan"]


@dataclass(frozen=True)
class PlanConditions:
    """Conditions of a plan at its ends and on its way.

    Parameters
    ----------
    end
        Numbers of coordinates, velocities and other quantities at the end, by name or text. Coordinates that are not
        named may end anywhere. Velocities that are not named end at rest, unless ``free`` has them.
    free
        Coordinates and velocities that may end anywhere; the name of a joint stands for all its coordinates.
    free_start
        Coordinates and velocities that may start anywhere.
    start_inputs
        Inputs at the start, by name; those that are not named are free.
    limits
        Ranges of coordinates, velocities, inputs, ``rate.INPUT``, ``tension.ROPE``, ``force.CONSTRAINT`` and other
        quantities, by name or text, besides those of the machine; ``soft`` ones may be exceeded at a cost.
    keep, equal
        Functions of ``(t, q, v, u)``, or of ``(t, q, v, u, p)``, on CasADi symbols whose results must not be positive,
        or must vanish, at every point of the grid.
    periodic
        Coordinates and velocities that end as they start; True: all of them. A mapping of names to numbers also has by
        how much they advance. They start anywhere.
    parameters
        Parameters of the machine that are free, with their ranges.
    reference
        Numbers from which the cost measures states, inputs and outputs, by name; zero for the others.

    Examples
    --------
    >>> PlanConditions(end={"x": 5.0}, free=("x_dot",)).periodic
    False
    """

    end: StateLike = None
    free: tuple[str, ...] = ()
    free_start: tuple[str, ...] = ()
    start_inputs: Mapping[str, float] = field(default_factory=dict)
    limits: Mapping[str, Any] | None = None
    keep: Condition | None = None
    equal: Condition | None = None
    periodic: bool | Sequence[str] | Mapping[str, float] = False
    parameters: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    reference: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class PlanSettings:
    """Grid and solver of a plan.

    Parameters
    ----------
    intervals
        Intervals of the first grid of each phase; more, up to 200, where vibrations of the machine need them and
        ``refinements`` are allowed.
    points
        Points of an interval, from 3 (Hermite-Simpson, order 4) to 9; the order is ``2 points - 2``.
    refinements
        Largest number of finer grids.
    tolerance
        Errors of the motion between nodes, and relative violations of limits between points, that are small enough.
    solver_tolerance
        Tolerance of IPOPT, whose bounds are not relaxed.
    max_iterations
        Iterations of the solver on each grid.
    guess
        Coordinates (n, nq) at times (n) from which the solver starts, or a plan; None: a smooth step through the ends
        of the phases.
    static
        Coordinates, by name, that follow their loads without inertia; or the angular frequency [rad/s] above which
        deflections of flexible bodies do. None: all have inertia. Vibrations that a grid cannot resolve need it.
    progress
        Show iterations; None: if the solver takes longer than a moment and stderr is a terminal. A function is called
        with the number of the grid and the `Iterate` instead; if it returns False, the solver stops.
    check
        Raise a `PlanError` if no plan is found, with the best iterate as ``plan``, and warn of a plan whose errors are
        above ``tolerance``; False: return it.

    Examples
    --------
    >>> PlanSettings(intervals=20, points=3).refinements
    4
    """

    intervals: int = 10
    points: int = 5
    refinements: int = 4
    tolerance: float = 1e-7
    solver_tolerance: float = 1e-10
    max_iterations: int = 500
    guess: Callable[[Array], Array] | OptimalPlan | None = None
    static: float | Sequence[str] | None = None
    progress: bool | Callable[[int, Iterate], object] | None = None
    check: bool = True

    def __post_init__(self) -> None:
        for name, least in (("intervals", 1), ("points", 3), ("refinements", 0), ("max_iterations", 1)):
            check_count(getattr(self, name), name, least)
        if self.points > 9:
            raise InputError(f"points must be at most 9, got {self.points}; give more intervals instead")
        for name in ("tolerance", "solver_tolerance"):
            check_number(name, getattr(self, name))
        if self.guess is not None and not isinstance(self.guess, OptimalPlan) and not callable(self.guess):
            raise InputError(f"guess must be a function of time or a plan, got {self.guess!r}")


def optimal_plan(
    eom: EquationsOfMotion,
    start: tuple[StateLike, StateLike],
    phases: Sequence[Phase],
    *,
    total: float | tuple[float, float] | None = None,
    t0: float = 0.0,
    cost: Cost,
    conditions: PlanConditions,
    settings: PlanSettings,
    p: Parameters = None,
    progress: Callable[[int, Iterate], object] | None = None,
    check: bool = True,
    balanced: bool = True,
) -> OptimalPlan:
    """Return the plan of least cost of a machine; see `dalembert.optimise`.

    Parameters
    ----------
    eom
        The equations.
    start
        Coordinates and velocities at the start.
    phases
        The phases in order.
    total
        Duration of all phases together, or its range; None: as the phases allow.
    t0
        Time at the start.
    cost, conditions, settings
        Cost, conditions, grid and solver.
    p
        Parameter values.
    progress
        Called with the number of the grid and the iterate; the solver stops where it returns False.
    check
        Raise an error if the solver finds no plan; otherwise return its best iterate.
    balanced
        Whether the solver starts with inputs that balance the motion of the guess; otherwise with none.
    """
    if not isinstance(cost, Cost):
        raise InputError(f"cost must be a Cost, got {cost!r}")
    if not phases or not all(isinstance(x, Phase) for x in phases):
        raise InputError(f"phases must be a sequence of Phase, got {phases!r}")
    eom = eom if eom.formulation.machine_coordinates else eom.in_machine_coordinates()
    values = eom.parameter_values(p)
    with doing(f"planning a motion of '{eom.machine.name}'"):
        ends = _ends(eom, start, conditions, t0, values)
        problem = plan_problem(
            eom, phases, ends, cost=cost, limits=conditions.limits, keep=conditions.keep, equal=conditions.equal,
            p=values, parameters=conditions.parameters, reference=conditions.reference, intervals=settings.intervals,
            total=None if total is None else duration_range(total), static=settings.static,
        )  # fmt: skip
        solver = SolverSettings(
            settings.points, settings.refinements, settings.tolerance, settings.solver_tolerance,
            settings.max_iterations,
        )  # fmt: skip
        guess = settings.guess.coordinates if isinstance(settings.guess, OptimalPlan) else settings.guess
        with interrupts() as flag:

            def watch(grid: int, iterate: Iterate) -> bool:
                told = progress(grid, iterate) if progress is not None else None
                return told is not False and not flag.pressed

            solved = solve_plan(problem, ends.q_start, ends.q_end, solver, guess, watch, balanced=balanced)
    plan = _plan(solved, eom, phases, settings)
    if check and plan.status == "inaccurate":
        warn(plan.message)
    elif check and plan.status != "optimal":
        raise PlanError(plan.message, plan)
    return plan


def _outcome(solved: Solved, eom: EquationsOfMotion, settings: PlanSettings) -> tuple[str, str]:
    """Status and message of a plan: a grid with errors above the tolerance has no optimum of the machine."""
    s, errors, where = solved.solution, solved.errors, f"machine '{eom.machine.name}'"
    if s.status != "optimal":
        return s.status, (
            f"no motion of {where} within the limits was found: {s.message} after "
            f"{solved.iterations} iterations, equations of motion or limits missed by {s.violation:.2g}; give more "
            "time, wider limits or a guess"
        )
    assert errors is not None
    if max(errors.error, errors.violation) <= settings.tolerance:
        return s.status, s.message
    passed = "".join(f", '{name}' passes its limit by {x:.2g}" for name, x in errors.worst.items())
    return "inaccurate", (
        f"the plan of {where} is optimal on its grid of {solved.mesh.intervals} intervals, but this grid is too "
        f"coarse: the error of the motion between nodes is {errors.error:.2g}{passed} (tolerance "
        f"{settings.tolerance:.2g}); give more intervals or refinements, or a tolerance that is enough"
    )


def _plan(solved: Solved, eom: EquationsOfMotion, phases: Sequence[Phase], settings: PlanSettings) -> OptimalPlan:
    problem, pieces = solved.trajectory, solved.trajectory.pieces
    spans = []
    for k, phase in enumerate(phases):
        mine = [x for x in pieces if x.phase == k]
        spans.append((phase.name or f"phase {k + 1}", mine[0].start, mine[-1].end - mine[0].start))
    s, errors = solved.solution, solved.errors
    status, message = _outcome(solved, eom, settings)
    free = solved.problem.free
    names = [eom.p_names[k] for k in free]
    return OptimalPlan(
        status, message, s.cost, pieces[-1].end - pieces[0].start, tuple(spans),
        dict(zip(names, solved.parameters.tolist(), strict=True)), tuple(eom.q_names), tuple(eom.v_names),
        tuple(eom.u_names), np.inf if errors is None else errors.error, np.inf if errors is None else errors.violation,
        {} if errors is None else errors.worst, tuple(GridRecord(*x) for x in solved.history), solved.iterations,
        solved.seconds, solved.derivative_seconds, solved.problem.phases[0].model.eom, solved.problem, problem,
    )  # fmt: skip


def _ends(
    eom: EquationsOfMotion, start: tuple[StateLike, StateLike], conditions: PlanConditions, t0: float, p: Array
) -> PlanEnds:
    """States at the ends."""
    machine = eom.machine
    q0, v0 = _state(eom, *start, t0, p)
    states = (*eom.q_names, *eom.v_names)
    nq = eom.nq
    loose = free_names(eom, conditions.free, "free")
    prescribed, others = _split_end(eom, conditions.end)
    q_end = q0.copy()
    for k, value in prescribed.items():
        if k < nq:
            q_end[k] = value
    if machine.constrained:
        named = {states[k]: x for k, x in prescribed.items() if k < nq}
        q_end, _ = assembled_start(eom, named or None, t=t0, p=p, what="end") if named else (q0.copy(), 0.0)
    eom.check_quaternions(q_end)
    end = {k: x for k, x in prescribed.items() if states[k] not in loose}
    resting = {nq + k: 0.0 for k, name in enumerate(eom.v_names) if name not in loose}
    end = {**resting, **end}
    periodic = _periodic(eom, conditions.periodic)
    for k in periodic:
        if k in prescribed:
            raise InputError(f"'{states[k]}' is periodic and prescribed at the end: give one of them")
        end.pop(k, None)
    anywhere = free_names(eom, conditions.free_start, "free_start") | {states[k] for k in periodic}
    fixed = {k: float(x) for k, x in enumerate(np.concatenate([q0, v0])) if states[k] not in anywhere}
    inputs = {}
    for name, value in conditions.start_inputs.items():
        if name not in eom.u_names:
            raise UnknownNameError("input", name, eom.u_names, "start_inputs")
        inputs[eom.u_names.index(name)] = check_number(f"start_inputs['{name}']", value, positive=False)
    return PlanEnds(fixed, end, others, periodic, q0, v0, q_end, t0, inputs)


def _state(eom: EquationsOfMotion, q: StateLike, v: StateLike, t: float, p: Array) -> tuple[Array, Array]:
    """Coordinates and velocities at the start, on the constraints."""
    machine = eom.machine
    q0, _ = assembled_start(eom, q, t=t, p=p)
    v0 = named_vector(v, machine.v_names, np.zeros(machine.nv), "v0")
    eom.check_quaternions(q0)
    if machine.constrained:
        system = eom.constraint_system
        latches = system.latch_table.measured(system.latch_nominal.copy(), q0, t, p)
        state = consistent_state(eom, q0, v0, t=t, p=p, latches=latches)
        return state.q, state.v
    return q0, v0


def _split_end(eom: EquationsOfMotion, end: StateLike) -> tuple[dict[int, float], dict[str, float]]:
    """Prescribed states by place, and values of other quantities by name."""
    states = (*eom.q_names, *eom.v_names)
    if end is None:
        return {}, {}
    end = by_name(end, "end")
    if not isinstance(end, Mapping):
        q = named_vector(end, eom.q_names, np.zeros(eom.nq), "end")
        return dict(enumerate(q.tolist())), {}
    fixed = {states.index(n): check_number(f"end['{n}']", x, positive=False) for n, x in end.items() if n in states}
    return fixed, {n: x for n, x in end.items() if n not in states}


def free_names(eom: EquationsOfMotion, free: Iterable[str], what: str) -> set[str]:
    """Names of coordinates and velocities that may be anywhere; a joint stands for all its coordinates."""
    names, where = set[str](), f"machine '{eom.machine.name}'"
    joints = {b.name: b for b in eom.layout.blocks if b.name not in eom.q_names}
    known = (*eom.q_names, *eom.v_names, *joints)
    for name in check_names(free, what):
        if name in joints:
            names |= {*eom.q_names[joints[name].q], *eom.v_names[joints[name].v]}
        elif name in known:
            names.add(name)
        else:
            raise UnknownNameError("coordinate, velocity or joint", name, known, where)
    for joint, i in eom.layout.quaternions:
        some = [n for n in eom.q_names[i : i + 4] if n in names]
        if some and len(some) < 4:
            raise InputError(
                f"the attitude of joint '{joint}' is prescribed or free as a whole: {what} has only {', '.join(some)}"
            )
    return names


def _periodic(eom: EquationsOfMotion, periodic: bool | Sequence[str] | Mapping[str, float]) -> dict[int, float]:
    states = (*eom.q_names, *eom.v_names)
    if isinstance(periodic, bool):
        return dict.fromkeys(range(len(states)), 0.0) if periodic else {}
    named = periodic if isinstance(periodic, Mapping) else dict.fromkeys(periodic, 0.0)
    for name in named:
        if name not in states:
            raise UnknownNameError("coordinate or velocity", name, states, "periodic")
    return {states.index(n): check_number(f"advance of '{n}'", x, positive=False) for n, x in named.items()}
