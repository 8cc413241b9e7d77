"""Predictive control: a law that plans over a horizon at each sample, compiled into the loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, TypedDict, Unpack

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.frozen import FrozenMapping
from dalembert.core.keywords import field_defaults, flat_keywords, grouped
from dalembert.core.ports import Law
from dalembert.core.types import Array
from dalembert.core.validation import check_names, check_number
from dalembert.core.warn import warn
from dalembert.engine.horizon.sources import horizon_text
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.model.machine import Machine
from dalembert.optimal.cost import Cost
from dalembert.optimal.guidance import PredictiveGuidance
from dalembert.optimal.horizon import Horizon, horizon_of, with_path
from dalembert.optimal.limits import QuantityBound, bounds_of
from dalembert.optimal.model import prediction_model
from dalembert.optimal.quantities import quantity
from dalembert.optimal.references import Reference
from dalembert.optimal.stage import StageCode, StageView
from dalembert.optimal.terminal import TerminalSet

__all__ = ["ACTIONS", "STATUSES", "PredictiveLaw", "PredictiveSettings", "mpc"]

STATUSES = ("solved", "capped", "infeasible", "not finite", "late")
"""Meaning of ``mpc.status``: converged; stopped at its number of iterations with dynamics and limits in place; limits
that cannot be met; numbers that are not finite; not ready at its deadline (in real time only)."""

ACTIONS = ("plan", "cold restart", "shifted plan", "fallback")
"""Meaning of ``mpc.action``: where the inputs come from."""

_SHOWN = ("status", "iterations", "violation", "slack", "action", "cost", "time", "hessian")
_COLD_ROUNDS = 8  # Gauss-Newton steps from a plan that stands still
_FEASIBLE = 1e-7  # residual of dynamics and rows of a solution
_CONVERGED = 1e-8  # step of the plan after which further rounds are left out
_ACCEPTED = 1e-3  # residual of dynamics and rows up to which a plan that is not converged is used


@dataclass(frozen=True)
class PredictiveSettings:
    """How a predictive controller computes.

    Parameters
    ----------
    period
        Seconds between samples, at most an interval; None: an interval.
    integrator
        Step over an interval: ``"rk4"``, or ``"midpoint"`` for stiff machines (implicit, with the accelerations as
        further unknowns).
    steps
        Steps of RK4 per interval.
    iterations
        Most iterations of the interior point method per quadratic programme.
    rounds
        Gauss-Newton steps per sample: 1 is a real-time iteration.
    tolerance
        Complementarity of a solved quadratic programme, relative to its cost.
    margin
        Errors of states by name, ``{"swing": 0.02}``, for which the expressions of ``keep`` hold too: such an
        expression h stays at ``sqrt(sum_i (dh/dx_i m_i)^2)`` or above. Three standard deviations of the estimates are a
        choice (`Estimator.stationary_deviation`).
    terminal_set
        ``"lqr"``: plans end in the largest ellipsoid in which the regulator of the terminal cost keeps all limits
        (`PredictiveLaw.terminal_set`); ``("lqr", soft(0, inf))``: softened. None: plans end anywhere.
    hessian
        ``"gauss-newton"``, or ``"exact"``: second derivatives of dynamics, limits and outputs too. Where they make the
        quadratic programme non-convex, their weight is halved until it is convex; runs record the weight as
        ``NAME.hessian``.
    budget
        Seconds of the clock after which a sample in real time is late; None: four fifths of the period of the loop.
        Has no effect elsewhere.
    state
        Quantities of the loop that stand for states of the model where their names differ: ``{state: text}``.
    known
        Parameters of the model whose true values the loop has; the others keep their nominal values.
    path
        Frame whose predicted path runs record, as ``NAME.path.0.x`` and so on, and films draw beside the machine.
    name
        Its name: runs record ``NAME.status`` and so on.
    """

    period: float | None = None
    integrator: str = "rk4"
    steps: int = 1
    iterations: int = 60
    rounds: int = 1
    tolerance: float = 1e-4
    margin: Mapping[str, float] = field(default_factory=dict)
    terminal_set: str | tuple[str, QuantityBound] | None = None
    hessian: str = "gauss-newton"
    budget: float | None = None
    state: Mapping[str, str] = field(default_factory=dict)
    known: Sequence[str] = ()
    path: str | None = None
    name: str = "mpc"

    def __post_init__(self) -> None:
        if self.integrator not in ("rk4", "midpoint"):
            raise InputError(f"integrator of mpc must be 'rk4' or 'midpoint', got {self.integrator!r}")
        for name in ("steps", "iterations", "rounds"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"{name} of mpc must be a whole number >= 1, got {value!r}")
        if self.steps > 1 and self.integrator == "midpoint":
            raise InputError("steps of mpc are those of RK4; with integrator='midpoint' give more intervals")
        if self.hessian not in ("gauss-newton", "exact"):
            raise InputError(f"hessian of mpc must be 'gauss-newton' or 'exact', got {self.hessian!r}")
        if self.hessian == "exact" and self.integrator == "midpoint":
            raise InputError(
                "hessian='exact' of mpc needs integrator='rk4': implicit steps have Gauss-Newton Hessians alone"
            )
        check_number("tolerance of mpc", self.tolerance)
        if self.budget is not None:
            check_number("budget of mpc", self.budget, unit="s")
        if not isinstance(self.margin, Mapping):
            raise InputError(f"margin of mpc must map states to errors, got {self.margin!r}")
        checked = {str(k): check_number(f"margin of '{k}' of mpc", v, positive=False) for k, v in self.margin.items()}
        for name, value in checked.items():
            if not value >= 0.0:
                raise InputError(f"margin of '{name}' of mpc must not be negative, got {value:g}")
        object.__setattr__(self, "margin", FrozenMapping(checked))
        object.__setattr__(self, "known", tuple(check_names(self.known, "known of mpc")))
        if not isinstance(self.state, Mapping):
            raise InputError(f"state of mpc must map states of the model to quantities of the loop, got {self.state!r}")
        object.__setattr__(self, "state", FrozenMapping({str(k): str(v) for k, v in self.state.items()}))


class PredictiveKeywords(TypedDict, total=False):
    """Keywords of `mpc` besides its own: the fields of `PredictiveSettings`."""

    period: float | None
    integrator: str
    steps: int
    iterations: int
    rounds: int
    tolerance: float
    margin: Mapping[str, float]
    terminal_set: str | tuple[str, QuantityBound] | None
    hessian: str
    budget: float | None
    state: Mapping[str, str]
    known: Sequence[str]
    path: str | None
    name: str


@dataclass(frozen=True, eq=False)
class PredictiveLaw:
    """A predictive controller (made by `mpc`): a law like any other, in every outlet that calls no virtual machine.

    It keeps its plan in held values of the loop, so that each member of a rollout and each instance of an FMU has its
    plan, and the same inputs give the same bits.

    Parameters
    ----------
    problem
        The optimisation problem.
    period
        Seconds between samples.
    fallback
        Law of samples without a plan; None: inputs of the reference.
    settings
        How it computes.
    block
        Block of the machine file that it comes from, or None.
    """

    problem: Horizon
    period: float
    fallback: Law | None
    settings: PredictiveSettings
    block: Mapping[str, Any] | None = None
    commands: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """Its name."""
        return self.settings.name

    @property
    def feedback(self) -> Mapping[str, str]:
        """None: it sets inputs."""
        return {}

    @property
    def shown(self) -> Mapping[str, float]:
        """Names of its recorded values and their first values."""
        points = range(int(str(self.problem.macros["N_PATH"])))
        return {f"{self.name}.{x}": 0.0 for x in (*_SHOWN, *(f"path.{k}.{axis}" for k in points for axis in "xyz"))}

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """Sizes of the parts of its memory: plan of states, of inputs, multipliers, accelerations."""
        m, n = self.problem.macros, int(str(self.problem.macros["NN"]))
        rows = int(str(m["NB"])) + int(str(m["NG"]))
        return {
            "x": (n + 1) * self.problem.nx, "u": n * self.problem.nu, "multipliers": (n + 1) * 2 * rows,
            "a": n * self.problem.model.eom.nv if m["MIDPOINT"] else 0,
        }  # fmt: skip

    @property
    def memory(self) -> Array:
        """First values of its memory: no plan."""
        return np.zeros(2 + sum(self.sizes.values()))

    @property
    def text(self) -> str:
        """C text of the controller, without its entry."""
        s, m = self.settings, self.problem.macros
        ratio = self.period * int(str(m["NN"])) / self.duration
        macros = {
            **m, "SHIFT": repr(1.0 if abs(ratio - 1.0) < 1e-9 else ratio), "ROUNDS": s.rounds,
            "COLD_ROUNDS": max(s.rounds, _COLD_ROUNDS), "MOST_ITERATIONS": s.iterations, "TOLERANCE": repr(s.tolerance),
            "TIMED": 1, "BUDGET": repr(s.budget or 0.0), "FEASIBLE": _FEASIBLE, "ACCEPTED": _ACCEPTED,
            "CONVERGED": _CONVERGED,
        }  # fmt: skip
        return horizon_text(("quadratic.h", "control.c"), macros, self.problem.tables)

    @property
    def terminal_set(self) -> TerminalSet | None:
        """Set in which its plans end, or None."""
        return self.problem.terminal_set

    @property
    def duration(self) -> float:
        """Length of the horizon [s]."""
        return float(str(self.problem.macros["INTERVAL"])) * int(str(self.problem.macros["NN"]))

    def compose(self, view: StageView) -> StageCode:
        """Return its code in a loop."""
        model, names = self.problem.model, self.problem.model.eom.u_names
        if set(view.inputs) != set(names):
            raise InputError(
                f"'{self.name}' was made for the inputs {', '.join(names)}, and the machine of the loop has "
                f"{', '.join(view.inputs)}"
            )
        if tuple(view.inputs) != tuple(names):
            raise InputError(
                f"'{self.name}' sets the inputs {', '.join(names)} in this order, and the machine of the loop "
                f"has them in "
                f"another: {', '.join(view.inputs)}"
            )
        owner = f"the law '{self.name}'"
        x = [view.quantity(self.settings.state.get(name, name), owner) for name in model.names]
        past = [view.command(name) for name in names] if self.problem.rates else []
        par = [view.quantity(f"parameter.{name}", owner) for name in model.free]
        reads = [view.bound(symbol, owner) for symbol in self.problem.reads]
        if self.fallback is None:
            goal = self.problem.tapes["GOAL_TAPE"](ca.vertcat(ca.SX(0, 1), *par, *reads), view.time)
            u = goal[self.problem.nx :]
        else:
            u = view.law(self.fallback, f"the fallback of '{self.name}'")
        entry = horizon_text(("control_entry.c",), {})
        return StageCode(ca.vertcat(*x, *past, *par, *reads, u), self.problem.tapes, self.text + entry)

    def check_start(self, values: Mapping[str, float]) -> None:
        """Refuse a start beyond hard limits of states.

        Parameters
        ----------
        values
            Coordinates and velocities at the start, by name.
        """
        for bound in self.problem.bounds:
            value = values.get(bound.quantity) if bound.quantity in self.problem.model.names else None
            if value is None or bound.soft or bound.quantity in self.settings.state:
                continue
            if not bound.lower <= value <= bound.upper:
                raise InputError(
                    f"the start violates a hard limit of '{self.name}': {bound.quantity} = {value:g}, expected "
                    f"{bound.lower:g} to {bound.upper:g}; start inside, or make the limit soft(...)"
                )

    @property
    def guidance(self) -> PredictiveGuidance:
        """The controller as an outer stage of a `dalembert.control.Cascade`: an inner law reads ``mpc.u.INPUT``."""
        return PredictiveGuidance(self, tuple(self.problem.model.eom.u_names))

    def plan(self, memory: Array) -> tuple[Array, Array]:
        """Return the states (N + 1, nx) and inputs (N, nu) of the plan in a memory."""
        n, nx, nu = int(str(self.problem.macros["NN"])), self.problem.nx, self.problem.nu
        x = memory[2 : 2 + (n + 1) * nx].reshape(n + 1, nx)
        u = memory[2 + (n + 1) * nx :][: n * nu].reshape(n, nu)
        return x[:, : self.problem.model.nx], u


@flat_keywords(PredictiveKeywords, defaults=field_defaults(PredictiveSettings))
def mpc(
    machine: Machine | EquationsOfMotion,
    /,
    *,
    horizon: float,
    intervals: int,
    cost: Cost,
    reference: Mapping[str, Reference] | None = None,
    limits: Mapping[str, Any] | None = None,
    keep: Mapping[str, Any] | None = None,
    fallback: Law | None = None,
    **keywords: Unpack[PredictiveKeywords],
) -> PredictiveLaw:
    """Return a predictive controller of a machine.

    At each sample it plans the inputs of the next seconds, so that their cost is least and all limits hold, and applies
    the first ones. Runs record ``mpc.status`` (`STATUSES`), ``mpc.iterations``, ``mpc.violation`` of hard limits and
    ``mpc.slack`` of soft ones in the plan, ``mpc.action`` (`ACTIONS`: where the inputs come from), ``mpc.cost``,
    ``mpc.time`` (seconds, in real time only; 0 elsewhere) and ``mpc.hessian`` (weight of second derivatives). A sample
    that fails is begun anew without the old plan, then uses the old plan, then the fallback. A sample that is late in
    real time uses the old plan, then the fallback.

    Parameters
    ----------
    machine
        The model of the prediction. The machine that is controlled may be another one with the same inputs.
    horizon, intervals
        Seconds that are planned, and how many intervals of constant inputs they have.
    cost
        The `Cost`. Every input needs a weight.
    reference
        Numbers or functions of time on CasADi symbols by name: of states, of inputs and of outputs of the cost. States
        without one go to zero, velocities follow the reference of their coordinate, inputs hold the machine at the
        reference. Functions of time are previewed. ``u.NAME`` is an input with the name of a coordinate.
    limits
        ``{quantity: (lower, upper)}`` or ``{quantity: soft(lower, upper)}`` of inputs, states, ``rate.INPUT``, and
        other quantities, as in `dalembert.Signal`.
    keep
        Expressions that stay at zero or above, by name: texts, or functions of `dalembert.control.Known`; with a
        `soft` bound as a pair ``(expression, soft(0, inf))``.
    fallback
        Expression law without states for samples without a plan. Hard limits of states need one.
    **keywords
        Fields of `PredictiveSettings`.

    Examples
    --------
    >>> import dalembert as da
    >>> cart = da.Machine(
    ...     "cart",
    ...     bodies=[da.point_mass("cart", 2.0)],
    ...     joints=[da.Joint("x", "prismatic", "world", "cart", axis="x")],
    ...     motors=[da.Motor("push", "x")],
    ... )
    >>> cost = da.Cost(states={"x": 1.0, "x_dot": 0.1}, inputs=1e-3, terminal="lqr")
    >>> law = da.mpc(cart, horizon=2.0, intervals=20, cost=cost, reference={"x": 1.0}, limits={"push": (-1.0, 1.0)})
    >>> run = da.simulate(cart, duration=5.0, control=law)
    >>> round(float(run["x"][-1]), 3), float(abs(run["u.push"]).max()) <= 1.0
    (1.0, True)
    """
    settings = grouped(PredictiveSettings, None, keywords)
    owner = f"mpc '{settings.name}'"
    check_number(f"horizon of {owner}", horizon, unit="s")
    if isinstance(intervals, bool) or not isinstance(intervals, int) or intervals < 2:
        raise InputError(f"intervals of {owner} must be a whole number >= 2, got {intervals!r}")
    h = horizon / intervals
    period = h if settings.period is None else check_number(f"period of {owner}", settings.period, unit="s")
    if period > h * (1.0 + 1e-9):
        raise InputError(f"period of {owner} must be at most an interval of {h:g} s, got {period:g} s")
    if not isinstance(cost, Cost):
        raise InputError(f"cost of {owner} must be a Cost, got {cost!r}")
    if fallback is not None and not isinstance(fallback, Law):
        raise InputError(f"fallback of {owner} must be an expression law, because it calls no Python, got {fallback!r}")
    bounds = bounds_of(limits)
    what = machine if isinstance(machine, Machine) else machine.machine
    states = (*what.q_names, *what.v_names)
    inputs = {b.quantity: (b.lower, b.upper) for b in bounds if not b.soft and b.quantity not in states}
    inputs |= {name.removeprefix("u."): both for name, both in inputs.items() if name.startswith("u.")}
    model = prediction_model(machine, _free(what, settings), inputs, owner, attitudes=True)
    attitudes = ", ".join(joint for joint, _ in model.eom.layout.quaternions)
    if attitudes and settings.integrator == "midpoint":
        raise InputError(
            f"{owner}: integrator='midpoint' does not support joints with quaternions ({attitudes}); use 'rk4'"
        )
    if attitudes and settings.terminal_set is not None:
        raise InputError(
            f"{owner}: terminal sets do not support joints with quaternions ({attitudes}); use terminal weights"
        )
    for name in settings.state:
        if name not in model.names:
            raise UnknownNameError("state", name, model.names, owner)
    hard = [b.quantity for b in bounds if not b.soft and not _of_inputs(model.eom, b.quantity)]
    hard += [name for name, item in (keep or {}).items() if not (isinstance(item, tuple) and item[1].soft)]
    end_bound = _end_bound(settings.terminal_set, owner)
    hard += ["the terminal set"] if end_bound is not None and not end_bound.soft else []
    if hard and fallback is None:
        raise InputError(
            f"{owner} has hard limits on {', '.join(hard)}, which a disturbance can make impossible: give a "
            f"fallback law, "
            "or make them soft(...)"
        )
    problem = horizon_of(
        model, h, intervals, cost, reference, bounds, _kept(keep), margin=settings.margin,
        end_bound=end_bound,
        midpoint=settings.integrator == "midpoint", exact=settings.hessian == "exact", steps=settings.steps,
        owner=owner,
    )  # fmt: skip
    if settings.path is not None:
        problem = with_path(problem, settings.path, owner)
    return PredictiveLaw(problem, period, fallback, settings)


def _free(machine: Machine, settings: PredictiveSettings) -> tuple[str, ...]:
    """Return the parameters that the loop provides, and warn of the others."""
    names = tuple(p.name for p in machine.parameters)
    unknown = [name for name in names if name not in settings.known]
    if unknown:
        warn(
            f"mpc '{settings.name}' takes the nominal values of {', '.join(unknown)} of machine '{machine.name}': they "
            "are neither known nor estimated; name them in known=..., where the loop or an estimator has them"
        )
    return tuple(settings.known)


def _of_inputs(eom: EquationsOfMotion, name: str) -> bool:
    return quantity(eom, name, "limits of mpc").kind in ("input", "rate")


def _kept(keep: Mapping[str, Any] | None) -> dict[str, Any]:
    if keep is None:
        return {}
    if not isinstance(keep, Mapping):
        raise InputError(f"keep must map names to expressions that stay at zero or above, got {keep!r}")
    kept: dict[str, Any] = {}
    for name, item in keep.items():
        pair = isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], QuantityBound)
        what = item[0] if pair else item
        if not isinstance(what, str) and not callable(what):
            raise InputError(
                f"keep['{name}'] must be a string, a function of the known quantities, or a pair, got {item!r}"
            )
        kept[str(name)] = (what, replace(item[1], quantity=str(name))) if pair else what
    return kept


def _end_bound(terminal_set: object, owner: str) -> QuantityBound | None:
    """Return the bound of the row of the terminal set."""
    if terminal_set is None:
        return None
    kind, bound = terminal_set, QuantityBound("terminal set", 0.0)
    if isinstance(terminal_set, tuple | list) and len(terminal_set) == 2:
        kind, bound = terminal_set
    if kind != "lqr" or not isinstance(bound, QuantityBound) or (bound.lower, bound.upper) != (0.0, np.inf):
        raise InputError(f"terminal_set of {owner} must be 'lqr' or ('lqr', soft(0, inf, ...)), got {terminal_set!r}")
    return replace(bound, quantity="terminal set")
