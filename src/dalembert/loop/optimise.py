"""Optimal plans of experiments."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict, Unpack

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.keywords import field_defaults, flat_keywords, grouped
from dalembert.core.types import Array, StateLike
from dalembert.formulations.equations import EquationsOfMotion, Parameters
from dalembert.loop.experiment import Experiment, Start
from dalembert.model.machine import Machine
from dalembert.optimal.cost import Cost
from dalembert.optimal.ipopt import Iterate
from dalembert.optimal.optimise import PlanConditions, PlanSettings, optimal_plan
from dalembert.optimal.phases import Condition, Phase
from dalembert.optimal.planned import OptimalPlan

__all__ = ["optimise"]

_PATIENCE = 1.5  # seconds after which iterations are shown
_REFRESH = 0.2


class _Keywords(TypedDict, total=False):
    """Short forms of `PlanConditions` and `PlanSettings`."""

    end: StateLike
    free: tuple[str, ...]
    free_start: tuple[str, ...]
    start_inputs: Mapping[str, float]
    limits: Mapping[str, Any] | None
    keep: Condition | None
    equal: Condition | None
    periodic: bool | Sequence[str] | Mapping[str, float]
    parameters: Mapping[str, tuple[float, float]]
    reference: Mapping[str, float]
    intervals: int
    points: int
    refinements: int
    tolerance: float
    solver_tolerance: float
    max_iterations: int
    guess: Callable[[Array], Array] | OptimalPlan | None
    static: float | Sequence[str] | None
    progress: bool | Callable[[int, Iterate], object] | None
    check: bool


@flat_keywords(_Keywords, defaults=field_defaults(PlanConditions, PlanSettings))
def optimise(
    machine: Machine | EquationsOfMotion | Experiment,
    *,
    start: StateLike | Start = None,
    duration: float | tuple[float, float] | None = None,
    phases: Sequence[Phase] = (),
    cost: Cost | None = None,
    conditions: PlanConditions | None = None,
    settings: PlanSettings | None = None,
    p: Parameters = None,
    **keywords: Unpack[_Keywords],
) -> OptimalPlan:
    """Plan the motion of least cost of a machine, within limits.

    The plan is found by direct collocation with IPOPT. Inputs keep the ``effort`` of their motors and thrusters,
    motors their ``speed``, coordinates the limits of their joints, ropes pull, open contacts stay open, and constraints
    of the machine hold. After the first grid, segments end where limits begin or cease to act, and limits of
    coordinates, velocities and inputs also hold between the points of the grid.

    Parameters
    ----------
    machine
        The machine, its equations, or an `Experiment`, whose start and parameters are used.
    start
        Coordinates at the start by name or in order, or a `Start` with velocities and time; None: those of the
        experiment. With constraints, coordinates that are not given follow.
    duration
        Seconds, or the range within which they are chosen. With ``phases`` it is that of all together.
    phases
        Phases in order, for motions with impacts, switches, or other conditions on parts of them.
    cost
        Weights of the cost; None: the integral of the squared inputs.
    conditions
        End state, limits and other conditions.
    settings
        Grid and solver.
    p
        Parameter values.
    **keywords
        Fields of `dalembert.optimal.PlanConditions` (``end``, ``free``, ``free_start``, ``start_inputs``, ``limits``,
        ``keep``, ``equal``, ``periodic``, ``parameters``, ``reference``) and of `dalembert.optimal.PlanSettings`
        (``intervals``, ``points``, ``refinements``, ``tolerance``, ``solver_tolerance``, ``max_iterations``,
        ``guess``, ``static``, ``progress``, ``check``).

    Returns
    -------
    OptimalPlan
        Coordinates, velocities and inputs as functions of time, cost, status and errors. A plan whose errors are above
        the tolerance is ``"inaccurate"`` and warned of.

    Raises
    ------
    PlanError
        If the solver finds no plan.

    Examples
    --------
    A mass of 2 kg moves by 1 m in least time with a force of at most 4 N: ``2 sqrt(d m / F)``.

    >>> import dalembert as da
    >>> cart = da.Machine(
    ...     "cart", [da.point_mass("m", 2.0)], [da.Joint("x", "prismatic", "world", "m", axis="x")],
    ...     motors=[da.Motor("F", "x", effort=4.0)], gravity=(0, 0, 0),
    ... )
    >>> plan = da.optimise(cart, end={"x": 1.0}, duration=(0.5, 5.0), cost=da.Cost(time=1.0))
    >>> round(plan.duration, 6), plan.status
    (1.414214, 'optimal')
    """
    experiment = machine if isinstance(machine, Experiment) else Experiment(machine)  # type: ignore[arg-type]
    if not isinstance(experiment.start, Start):
        raise InputError("optimise cannot continue a run: give its last state as start")
    begin = experiment.start
    if isinstance(start, Start):
        begin = start
    elif start is not None:
        begin = Start(q=start, t=begin.t)
    if not phases and duration is None:
        raise InputError("a plan needs a duration in seconds, a range (shortest, longest), or phases")
    chosen = tuple(phases) or (Phase("motion", duration),)  # type: ignore[arg-type]
    how = grouped(PlanSettings, settings, keywords)
    progress = how.progress
    with_progress = _Line(progress) if not callable(progress) else None
    try:
        return optimal_plan(
            experiment.equations, (begin.q, begin.v), chosen, t0=begin.t,
            total=duration if phases else None,
            cost=Cost(effort=1.0) if cost is None else cost,
            conditions=grouped(PlanConditions, conditions, keywords),
            settings=how, p=experiment.p if p is None else p,
            progress=progress if callable(progress) else with_progress, check=how.check,
        )  # fmt: skip
    finally:
        if with_progress is not None:
            with_progress.close()


class _Line:
    """Line on stderr with the state of the solver, once it takes long."""

    def __init__(self, show: bool | None) -> None:
        self._shown = sys.stderr is not None and sys.stderr.isatty() if show is None else bool(show)
        self._next = time.monotonic() + _PATIENCE
        self._width = 0

    def __call__(self, grid: int, iterate: Iterate) -> None:
        if not self._shown or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _REFRESH
        text = (
            f"grid {grid + 1}, iteration {iterate.number}: cost {iterate.cost:.6g}, "
            f"violation {np.float64(iterate.violation):.1e}"
        )
        self._width = max(self._width, len(text))
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()

    def close(self) -> None:
        """Clear the line."""
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
