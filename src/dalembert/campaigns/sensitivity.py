"""Derivatives of runs with respect to parameters and initial states, forward and adjoint.

For smooth loops the derivatives S of the state follow ``S' = f_x S + f_p`` alongside the state, in native code. A
Runge-Kutta method commutes with differentiation, so that with fixed steps S is the derivative of the numbers that the
simulation gives, to rounding (E. Hairer, S. Norsett, G. Wanner, Solving Ordinary Differential Equations I, I.14). For
all other loops, and for the adjoint, the steps of a run are repeated (``simulation/derivatives.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import casadi as ca
import numpy as np

from dalembert.compile import compile_function
from dalembert.core.errors import InputError, SimulationError, UnknownNameError
from dalembert.core.states import place_of
from dalembert.core.types import Array, Expression
from dalembert.engine.methods.contacts import EventDriven
from dalembert.engine.problem.problem import Problem
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.loop.closed_loop import ClosedLoop
from dalembert.loop.derivatives import (
    LinearisedRun,
    check_quantities,
    differentiable,
    linearised_run,
    refuse_shared_forces,
)
from dalembert.loop.experiment import Experiment, Runnable, experiment_of
from dalembert.loop.experiment_keywords import ExperimentKeywords, experiment_verb
from dalembert.loop.outlets import without_log
from dalembert.loop.signals import Quantity, Signals
from dalembert.loop.simulate import compose, start_state
from dalembert.simulation.integrate import integrate
from dalembert.simulation.settings import Settings
from dalembert.simulation.step_maps import Along

__all__ = ["EventTime", "Gradient", "Sensitivities", "gradient", "sensitivities"]


@dataclass(frozen=True, eq=False)
class EventTime:
    """When an event happened, and how that changes.

    Parameters
    ----------
    name
        The event.
    t
        Its time.
    derivatives
        Derivatives of the time, with respect to the quantities.
    """

    name: str
    t: float
    derivatives: Array


@dataclass(frozen=True, eq=False)
class Sensitivities:
    """Histories of signals and their derivatives.

    Parameters
    ----------
    t
        Instants (n).
    names, values
        Signals and their histories (n, signals).
    quantities
        Quantities of the differentiation.
    derivatives
        (n, signals, quantities). Rows before and after an event, and at one that ends the run, are those of the event,
        whose time changes too.
    events
        Times of the events that change the run or end it.
    """

    t: Array
    names: tuple[str, ...]
    values: Array
    quantities: tuple[str, ...]
    derivatives: Array
    events: tuple[EventTime, ...] = ()

    def __getitem__(self, name: str) -> Array:
        """Derivatives of one signal (n, quantities)."""
        if name not in self.names:
            raise UnknownNameError("signal", name, self.names, "these sensitivities")
        return np.asarray(self.derivatives[:, self.names.index(name)])


@experiment_verb
def sensitivities(
    machine: Runnable, *, of: Sequence[str], wrt: Sequence[str], **keywords: Unpack[ExperimentKeywords]
) -> Sensitivities:
    """Simulate, with the derivatives of signals with respect to parameters and initial values (forward).

    Parameters
    ----------
    machine
        The machine or its equations, with the keywords of an experiment; or an `Experiment`.
    of
        Names of states or signals, as in `dalembert.Measure`.
    wrt
        Names of parameters, ``q0.NAME``, ``v0.NAME``.
    **keywords
        As in `dalembert.Experiment`; laws must be expressions, sampled or not, and the method an explicit one or
        ``contact=TimeStepping()``, with declared contacts or smooth pairs of colliders.

    Examples
    --------
    A falling stone: after one second its height has changed by one second times the initial speed.

    >>> import dalembert as da
    >>> stone = da.Machine("stone", bodies=[da.point_mass("stone", 1.0)],
    ...                    joints=[da.Joint("z", "prismatic", "world", "stone", axis=(0, 0, 1))])
    >>> found = da.campaigns.sensitivities(stone, of=["z"], wrt=["v0.z_dot"], duration=1.0, record=1.0)
    >>> found["z"][-1].round(9)
    array([1.])

    The time of its fall from one metre grows with the root of the height:

    >>> floor = da.Event("floor", lambda t, q, v: q[0], terminal=True, direction=-1)
    >>> fall = da.campaigns.sensitivities(stone, of=["z_dot"], wrt=["q0.z"], q0={"z": 1.0}, duration=1.0,
    ...                                   events=[floor])
    >>> bool(abs(fall.events[0].derivatives[0] - (1.0 / (2.0 * 9.81)) ** 0.5) < 1e-9)
    True
    """
    experiment = differentiable(without_log(experiment_of(machine, keywords)))
    eom = experiment.equations
    wrt, of = check_quantities(eom, wrt), tuple([of] if isinstance(of, str) else of)
    if experiment.on_event is None and isinstance(experiment.contact, EventDriven):
        loop = compose(experiment)
        if _is_smooth(eom, loop):
            return _beside_the_state(experiment, loop, of, wrt)
    return _along_the_steps(experiment, linearised_run(experiment, wrt), of, wrt)


def _is_smooth(eom: EquationsOfMotion, loop: ClosedLoop) -> bool:
    """Whether nothing but the rates makes a run: no constraints, no samples, no end before its time."""
    problem = loop.problem
    sampled = bool(problem.held_names) and loop.constant is None
    ends = any(spec.terminal for spec in problem.event_specs)
    return eom.formulation.machine_coordinates and problem.constrained is None and not sampled and not ends


def _beside_the_state(
    experiment: Experiment, loop: ClosedLoop, of: tuple[str, ...], wrt: tuple[str, ...]
) -> Sensitivities:
    problem, eom, p = loop.problem, experiment.equations, experiment.p
    n, m = problem.n_states, len(wrt)
    augmented, outputs = eom.kept.once(
        "sensitivity", (problem, wrt, of), lambda: _augment(eom, problem, wrt, of), at_most=8
    )
    x0 = np.concatenate([start_state(experiment, loop)[0], _initial_derivatives(eom, wrt, n).ravel(order="F")])
    run = integrate(augmented, x0, eom.parameter_values(p), experiment.settings, controller=loop.controller,
                    progress=False, backend=eom.backend)  # fmt: skip
    if not run.ok:
        raise SimulationError(f"the run with derivatives ended early: {run.message}", run)
    held = loop.constant if loop.constant is not None else np.zeros(0)
    kernel = compile_function(outputs, backend=eom.backend, shapes={"t": ()})
    rows = np.asarray(kernel(run.t, run.x, np.broadcast_to(held, (len(run.t), len(held))), eom.parameter_values(p)))
    values = rows.reshape(len(run.t), len(of), m + 1, order="C")
    return Sensitivities(run.t, of, values[:, :, 0].copy(), wrt, values[:, :, 1:].copy())


def _initial_derivatives(eom: EquationsOfMotion, wrt: tuple[str, ...], n: int) -> Array:
    S, machine = np.zeros((n, len(wrt))), eom.machine
    for k, name in enumerate(wrt):
        kind, rest = place_of(name)
        if kind != "p":
            S[machine.q_names.index(rest) if kind == "q0" else eom.nq + machine.v_names.index(rest), k] = 1.0
    return S


def _directions(eom: EquationsOfMotion, wrt: tuple[str, ...]) -> Array:
    """Directions in the parameters, (parameters, quantities)."""
    return np.array([[float(name == other) for other in wrt] for name in eom.p_names]).reshape(-1, len(wrt))


def _augment(
    eom: EquationsOfMotion, problem: Problem, wrt: tuple[str, ...], of: tuple[str, ...]
) -> tuple[Problem, ca.Function]:
    """Return the problem of state and derivatives, and the wanted signals with theirs (signal by signal)."""
    signals = Signals(eom, problem)
    t, x, c, p = signals.t, signals.x, signals.c, signals.p
    n, m = problem.n_states, len(wrt)
    S, D = ca.SX.sym("S", n, m), ca.DM(_directions(eom, wrt))

    def along(expression: Expression) -> Expression:
        both = ca.vertcat(x, p)
        columns = [ca.jtimes(expression, both, ca.vertcat(S[:, k], D[:, k])) for k in range(m)]
        return ca.horzcat(*columns)

    f = problem.ode(t, x, c, p)
    whole = ca.vertcat(x, ca.vec(S))
    ode = ca.cse(ca.densify(ca.vertcat(f, ca.vec(along(f)))))
    y = ca.vertcat(*(signals[name] for name in of))
    rows = ca.horzcat(y, along(y))  # (signals, 1 + m)
    names = ["t", "x", "c", "p"]
    outputs = ca.Function("outputs", [t, whole, c, p], [ca.densify(ca.vec(rows.T))], names, ["out"])
    nothing = ca.Function("signals", [t, whole, c, p], [ca.SX(0, 1)], names, ["out"])
    derivative_names = tuple(f"d{s}/d{q}" for q in wrt for s in problem.state_names)
    augmented = Problem(
        state_names=problem.state_names + derivative_names,
        ode=ca.Function("ode", [t, whole, c, p], [ode], names, ["out"]),
        signals=nothing,
        held_names=problem.held_names,
        quaternions=problem.quaternions,
        name=problem.name,
        n_counted=n * (m + 1),
    )
    return augmented, outputs


def _along_the_steps(
    experiment: Experiment, linearised: LinearisedRun, of: tuple[str, ...], wrt: tuple[str, ...]
) -> Sensitivities:
    run, passage, problem = linearised.run, linearised.passage, linearised.loop.problem
    eom = experiment.equations

    def make() -> Along:
        signals = Signals(eom, problem)
        arguments = [signals.t, signals.x, signals.c, signals.p]
        return Along("outputs", arguments, ca.vertcat(*(signals[name] for name in of)))

    signals = Signals(eom, problem)
    refuse_shared_forces(linearised, ca.vertcat(*(signals[name] for name in of)), signals.x)
    outputs = eom.kept.once("sensitivity outputs", (problem, of), make, at_most=8)
    rows = _recorded(run.t, experiment.settings)
    S, times = passage.forward(linearised.start, rows)
    at, m = passage.layout, len(wrt)
    seeds = np.swapaxes(S, 1, 2)
    dp = np.broadcast_to(passage.directions.T, (len(S), m, len(passage.p)))
    values, slopes = outputs(
        run.t[rows], run.x[rows], passage.c[rows], passage.p,
        along=(seeds[..., at.t], seeds[..., : at.n], seeds[..., at.n : at.t], dp),
    )  # fmt: skip
    events = tuple(EventTime(*one) for one in times)
    return Sensitivities(run.t[rows], of, np.array(values), wrt, np.swapaxes(slopes, 1, 2).copy(), events)


def _recorded(t: Array, how: Settings) -> Any:
    """Rows that a simulation would have recorded: all, or at multiples of an interval, at transitions and the end."""
    if how.record is None:
        return np.ones(len(t), dtype=bool)
    k = (t - how.t0) / how.record
    wanted = np.abs(k - np.round(k)) <= 1e-9 * np.maximum(1.0, np.abs(k))
    twice = np.flatnonzero(np.diff(t) == 0.0)
    wanted[twice], wanted[twice + 1], wanted[-1] = True, True, True
    return wanted


@dataclass(frozen=True, eq=False)
class Gradient:
    """A cost and its derivatives.

    Parameters
    ----------
    cost
        The cost.
    quantities, gradient
        Quantities of the differentiation, and the derivatives.
    """

    cost: float
    quantities: tuple[str, ...]
    gradient: Array


@experiment_verb
def gradient(
    machine: Runnable,
    *,
    wrt: Sequence[str],
    final: Quantity | None = None,
    integral: Quantity | None = None,
    **keywords: Unpack[ExperimentKeywords],
) -> Gradient:
    """Return a cost of a run with its derivatives (adjoint): one run, and once back through its steps.

    Parameters
    ----------
    machine
        The machine or its equations, with the keywords of an experiment; or an `Experiment`.
    wrt
        Names of parameters, ``q0.NAME``, ``v0.NAME``.
    final, integral
        Cost at the end and cost per second: names of signals, or functions of named signals on CasADi symbols, as of
        `dalembert.Measure`.
    **keywords
        As in `dalembert.Experiment`; laws must be expressions, sampled or not, and the method an explicit one or
        ``contact=TimeStepping()``, with declared contacts or smooth pairs of colliders.
    """
    experiment = differentiable(without_log(experiment_of(machine, keywords)))
    eom = experiment.equations
    wrt = check_quantities(eom, wrt)
    if final is None and integral is None:
        raise InputError("a gradient needs a cost: final=, integral= or both")

    def running(problem: Problem) -> ca.Function:
        assert integral is not None
        named = Signals(eom, problem)
        return named.function([named.expression(integral, "the cost per second")])

    linearised = linearised_run(experiment, wrt, running=(integral, None if integral is None else running))
    run, passage, problem = linearised.run, linearised.passage, linearised.loop.problem
    named = Signals(eom, problem)
    for quantity in (final, integral):
        if quantity is not None:
            refuse_shared_forces(linearised, named.expression(quantity, "the cost"), named.x)
    at, end = passage.layout, np.zeros(passage.layout.size)
    cost, direct = 0.0, np.zeros(len(wrt))
    if integral is not None:
        cost, end[at.cost] = passage.cost(), 1.0
    if final is not None:

        def make() -> Along:
            named = Signals(eom, problem)
            arguments = [named.t, named.x, named.c, named.p]
            return Along("end", arguments, named.expression(final, "the cost at the end"))

        closing = eom.kept.once("closing", (problem, final), make, at_most=8)
        seeds = np.vstack([np.eye(at.t + 1), np.zeros((len(wrt), at.t + 1))])
        dp = np.vstack([np.zeros((at.t + 1, len(passage.p))), passage.directions.T])
        value, slope = closing(
            run.t[-1], run.x[-1], passage.c[-1], passage.p,
            along=(seeds[:, at.t], seeds[:, : at.n], seeds[:, at.n : at.t], dp),
        )  # fmt: skip
        cost += float(value[0])
        end[: at.t + 1], direct = slope[: at.t + 1, 0], slope[at.t + 1 :, 0]
    return Gradient(cost, wrt, direct + linearised.backward(end))
