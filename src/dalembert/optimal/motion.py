"""Optimal motions between two states of a machine: plans of one phase by Hermite-Simpson collocation on one grid."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypedDict, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError, PlanError, UnknownNameError
from dalembert.core.keywords import field_defaults, flat_keywords, grouped
from dalembert.core.labels import as_numbers
from dalembert.core.states import named_vector
from dalembert.core.types import Array, StateLike
from dalembert.formulations.equations import EquationsOfMotion, MachineOrEquations, Parameters, derive
from dalembert.model.checks import refuse_stick
from dalembert.optimal.cost import Cost
from dalembert.optimal.optimise import PlanConditions, PlanSettings, optimal_plan
from dalembert.optimal.phases import Condition, Phase

__all__ = ["MotionConditions", "MotionCost", "MotionSettings", "OptimalMotion", "optimal_motion"]


@dataclass(frozen=True)
class OptimalMotion:
    """A motion of least cost.

    Attributes
    ----------
    t
        Times of the nodes and of the middles between them (2 n + 1).
    q, v, a, u
        Coordinates, velocities, their rates and inputs there.
    duration
        Duration of the whole motion [s].
    cost
        The minimised cost.
    q_names, u_names
        Names of coordinates and inputs.
    iterations
        Iterations of the solver.
    error
        Error of the grid: integrated from a node with the inputs, the coordinates and velocities at the next one differ
        by at most this. It falls with the fifth power of the step: if it is too large, give more intervals.
    rates
        Rates of the coordinates, which are the velocities except for quaternions.
    quaternions
        Where unit quaternions begin in the coordinates.
    """

    t: Array
    q: Array
    v: Array
    a: Array
    u: Array
    duration: float
    cost: float
    q_names: tuple[str, ...]
    u_names: tuple[str, ...]
    iterations: int
    error: float
    rates: Array
    quaternions: tuple[int, ...] = ()

    def inputs(self, t: ArrayLike) -> Array:
        """Inputs at times (...): parabolas through node, middle and node; held before and after."""
        return _between(self.t, self.u, t)

    def coordinates(self, t: ArrayLike) -> Array:
        """Coordinates at times (...): cubics through the nodes with their rates, quaternions brought to unit norm."""
        s = np.clip(as_numbers(t), self.t[0], self.t[-1])
        nodes, q, v = self.t[::2], self.q[::2], self.rates[::2]
        k = np.clip(np.searchsorted(nodes, s, side="right") - 1, 0, len(nodes) - 2)
        h = (nodes[k + 1] - nodes[k])[..., None]
        x = (s - nodes[k])[..., None] / h
        up, down = x * x * (3.0 - 2.0 * x), 1.0 - x * x * (3.0 - 2.0 * x)
        y = np.asarray(down * q[k] + up * q[k + 1] + h * x * (1 - x) * ((1 - x) * v[k] - x * v[k + 1]))
        for i in self.quaternions:
            y[..., i : i + 4] /= np.linalg.norm(y[..., i : i + 4], axis=-1, keepdims=True)
        return y


def _between(t: Array, y: Array, at: ArrayLike) -> Array:
    s = np.clip(as_numbers(at), t[0], t[-1])
    nodes = t[::2]
    k = np.clip(np.searchsorted(nodes, s, side="right") - 1, 0, len(nodes) - 2)
    x = ((s - nodes[k]) / (nodes[k + 1] - nodes[k]))[..., None]
    a, b, c = y[2 * k], y[2 * k + 1], y[2 * k + 2]
    return np.asarray((1 - x) * (1 - 2 * x) * a + 4 * x * (1 - x) * b + x * (2 * x - 1) * c)


@dataclass(frozen=True)
class MotionConditions:
    """Conditions of a motion at its ends and on its way.

    Parameters
    ----------
    start_rate, end_rate
        Velocities at begin and end; None: at rest.
    free
        Coordinates and velocities that may end anywhere; the name of a joint with several stands for all of them.
    limits
        Ranges of coordinates, velocities and inputs by name, besides those of the machine; ``u.NAME`` is the input
        where a coordinate has its name.
    keep
        ``keep(t, q, v, u)`` returns CasADi expressions that must not be positive, at every node and middle.

    Examples
    --------
    >>> MotionConditions(limits={"x": (0.0, 6.0)}).free
    ()
    """

    start_rate: StateLike = None
    end_rate: StateLike = None
    free: tuple[str, ...] = ()
    limits: Mapping[str, tuple[float, float]] | None = None
    keep: Condition | None = None


@dataclass(frozen=True)
class MotionCost:
    """Criterion of a motion, ``integral of effort_weight |u|^2 + time_weight``.

    Parameters
    ----------
    time_weight, effort_weight
        Weights of the duration and of the squared inputs.

    Examples
    --------
    >>> MotionCost(time_weight=10.0).effort_weight
    1.0
    """

    time_weight: float = 0.0
    effort_weight: float = 1.0


@dataclass(frozen=True)
class MotionSettings:
    """Grid and solver of an optimal motion.

    Parameters
    ----------
    intervals
        Intervals of the grid.
    guess
        Coordinates (n, nq) at times (n) from which the solver starts; None: a smooth step from start to end.
    max_iterations
        After which the solver gives up.

    Examples
    --------
    >>> MotionSettings(intervals=40).max_iterations
    300
    """

    intervals: int = 20
    guess: Callable[[Array], Array] | None = None
    max_iterations: int = 300

    def __post_init__(self) -> None:
        for name, least in (("intervals", 2), ("max_iterations", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise InputError(f"{name} must be an integer >= {least}, got {value!r}")


class _Keywords(TypedDict, total=False):
    """Short forms of `MotionConditions`, `MotionCost` and `MotionSettings`."""

    start_rate: StateLike
    end_rate: StateLike
    free: tuple[str, ...]
    limits: Mapping[str, tuple[float, float]] | None
    keep: Condition | None
    time_weight: float
    effort_weight: float
    intervals: int
    guess: Callable[[Array], Array] | None
    max_iterations: int


@flat_keywords(_Keywords, defaults=field_defaults(MotionConditions, MotionCost, MotionSettings))
def optimal_motion(
    machine: MachineOrEquations,
    start: StateLike,
    end: StateLike,
    *,
    duration: float | tuple[float, float],
    conditions: MotionConditions | None = None,
    cost: MotionCost | None = None,
    settings: MotionSettings | None = None,
    p: Parameters = None,
    **keywords: Unpack[_Keywords],
) -> OptimalMotion:
    """Motion of least cost of a machine between two states, within limits.

    It minimises ``integral of effort_weight |u|^2 + time_weight`` over the motion, and over its duration where that is
    a range. Inputs keep the ``effort`` of their motors and thrusters, coordinates the limits of their joints. Free and
    spherical joints are turned by their rates; their quaternions keep unit norm, and ``-Q`` is the attitude of ``Q``.

    Parameters
    ----------
    machine
        A machine without constraints, or its equations.
    start, end
        Coordinates at begin and end: numbers, or a mapping of names to numbers (the others are neutral).
    duration
        Seconds, or the range within which it is chosen.
    conditions
        Velocities at the ends, coordinates that may end anywhere, and limits on the way.
    cost
        Weights of the criterion.
    settings
        Grid and solver.
    p
        Parameter values.
    **keywords
        Fields of `MotionConditions` (``start_rate``, ``end_rate``, ``free``, ``limits``, ``keep``), `MotionCost`
        (``time_weight``, ``effort_weight``) and `MotionSettings` (``intervals``, ``guess``, ``max_iterations``).

    Raises
    ------
    PlanError
        If the solver finds no motion; the message has its status.

    Examples
    --------
    A mass of 2 kg moves by 1 m in 1 s, from rest to rest: the integral of the squared force is ``12 m^2``.

    >>> import dalembert as da
    >>> from dalembert.plan import optimal_motion
    >>> cart = da.Machine(
    ...     "cart", [da.point_mass("m", 2.0)], [da.Joint("x", "prismatic", "world", "m", axis="x")],
    ...     motors=[da.Motor("F", "x")], gravity=(0, 0, 0),
    ... )
    >>> round(optimal_motion(cart, [0.0], [1.0], duration=1.0).cost, 6)
    48.0
    """
    eom: EquationsOfMotion = machine if isinstance(machine, EquationsOfMotion) else derive(machine)
    eom = eom if eom.formulation.machine_coordinates else eom.in_machine_coordinates()
    machine, where = eom.machine, f"machine '{eom.machine.name}'"
    if machine.constrained:
        raise InputError(
            f"optimal_motion needs a machine without constraints; {where} has some: use dalembert.optimise"
        )
    refuse_stick(machine, "optimal_motion", "its friction is not a function of the state; use friction_law='smooth'")
    conditions = grouped(MotionConditions, conditions, keywords)
    cost = grouped(MotionCost, cost, keywords)
    settings = grouped(MotionSettings, settings, keywords)
    q0, qf = (named_vector(x, machine.q_names, machine.q_neutral, n) for x, n in ((start, "start"), (end, "end")))
    v0, vf = (
        named_vector(x, machine.v_names, np.zeros(machine.nv), n)
        for x, n in ((conditions.start_rate, "start_rate"), (conditions.end_rate, "end_rate"))
    )
    ends = {**dict(zip(machine.q_names, qf, strict=True)), **dict(zip(machine.v_names, vf, strict=True))}
    plan = optimal_plan(
        eom, (q0, v0), [Phase("motion", duration)],
        cost=Cost(effort=cost.effort_weight, time=cost.time_weight),
        conditions=PlanConditions(
            end=ends, free=conditions.free, limits=_ranges(eom, conditions.limits), keep=conditions.keep
        ),
        settings=PlanSettings(
            settings.intervals, points=3, refinements=0, solver_tolerance=1e-8, guess=settings.guess,
            max_iterations=settings.max_iterations,
        ),
        p=p,
        check=False,
        balanced=False,
    )  # fmt: skip
    if plan.status not in ("optimal", "inaccurate"):  # one grid, whose error the motion reports
        raise PlanError(plan.message, plan)
    (piece,) = plan.trajectory.pieces
    return OptimalMotion(
        piece.t, piece.q, piece.v, piece.a, piece.u, plan.duration, plan.cost, plan.q_names, plan.u_names,
        plan.iterations, plan.error, piece.rates, tuple(start for _, start in eom.layout.quaternions),
    )  # fmt: skip


def _ranges(eom: EquationsOfMotion, limits: Mapping[str, tuple[float, float]] | None) -> dict[str, tuple[float, float]]:
    """Limits by name, checked."""
    machine = eom.machine
    known = (*machine.q_names, *machine.v_names, *machine.u_names, *(f"u.{n}" for n in machine.u_names))
    for name, limit in (limits or {}).items():
        if name not in known:
            raise UnknownNameError("coordinate, velocity or input", name, known, f"machine '{machine.name}'")
        if not _is_range(limit):
            raise InputError(f"limits of '{name}' must be a range (lower, upper), got {limit!r}")
    return dict(limits or {})


def _is_range(limit: object) -> bool:
    """Whether it is two numbers of which the first is smaller."""
    try:
        low, high = (float(x) for x in cast(Iterable[float], limit))
    except (TypeError, ValueError):
        return False
    return low < high
