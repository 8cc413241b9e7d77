"""Derivatives of runs with respect to parameters and initial states.

Forward: the derivatives S of the state follow ``S' = f_x S + f_p`` beside the state. A Runge-Kutta method commutes with
differentiation, so that with fixed steps S is the derivative of the numbers that the simulation gives, to rounding.
Adjoint: the steps are gone through backwards, ``lambda_k = F_x^T lambda_{k+1}``, at a cost that does not grow with the
number of parameters (E. Hairer, S. Norsett, G. Wanner, Solving Ordinary Differential Equations I, I.14).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from dalembert.campaigns.quantities import place_of
from dalembert.compile import compile_function
from dalembert.core.errors import InputError, SimulationError, UnknownNameError
from dalembert.core.states import named_vector
from dalembert.core.types import Array, StateLike
from dalembert.formulations.equations import EquationsOfMotion, MachineOrEquations, derive
from dalembert.loop.closed_loop import ClosedLoop, close_loop
from dalembert.loop.signals import Signals
from dalembert.simulation.integrate import integrate
from dalembert.simulation.problem import Problem
from dalembert.simulation.settings import Settings

__all__ = ["Gradient", "Sensitivities", "gradient", "sensitivities"]

_SETTINGS = ("duration", "t0", "method", "step", "rtol", "atol", "max_step", "max_steps", "record")


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
        What they were differentiated with respect to.
    derivatives
        (n, signals, quantities).
    """

    t: Array
    names: tuple[str, ...]
    values: Array
    quantities: tuple[str, ...]
    derivatives: Array

    def __getitem__(self, name: str) -> Array:
        """Derivatives of one signal (n, quantities)."""
        if name not in self.names:
            raise UnknownNameError("signal", name, self.names, "these sensitivities")
        return np.asarray(self.derivatives[:, self.names.index(name)])


def sensitivities(
    machine: MachineOrEquations,
    *,
    of: Sequence[str],
    wrt: Sequence[str],
    q0: StateLike = None,
    v0: StateLike = None,
    p: Mapping[str, float] | None = None,
    control: Any = None,
    **settings: Any,
) -> Sensitivities:
    """Simulate, with the derivatives of signals with respect to parameters and initial values (forward).

    Parameters
    ----------
    machine
        The machine or its equations, in minimal coordinates.
    of
        Names of states or signals, as of `dalembert.Measure`.
    wrt
        Names of parameters, ``q0.NAME``, ``v0.NAME``.
    q0, v0, p, control
        As of `dalembert.simulate`; the law must be an expression that is not sampled.
    settings
        ``duration``, ``method``, ``step``, ``record`` and so on, as of `dalembert.simulate`.

    Examples
    --------
    A falling stone: after one second its height has changed by one second times the initial speed.

    >>> import dalembert as da
    >>> stone = da.Machine("stone", bodies=[da.point_mass("stone", 1.0)],
    ...                    joints=[da.Joint("z", "prismatic", "world", "stone", axis=(0, 0, 1))])
    >>> found = da.campaigns.sensitivities(stone, of=["z"], wrt=["v0.z_dot"], duration=1.0, record=1.0)
    >>> found["z"][-1].round(9)
    array([1.])
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine)
    loop = _smooth_loop(eom, control)
    problem = loop.problem
    wrt, of = _checked(eom, wrt), tuple([of] if isinstance(of, str) else of)
    n, m = problem.n_states, len(wrt)
    augmented, outputs = eom.kept.once(
        "sensitivity", (problem, wrt, of), lambda: _augment(eom, problem, wrt, of), at_most=8
    )
    x0 = np.concatenate([_start(eom, loop, q0, v0), _initial_derivatives(eom, wrt, n).ravel(order="F")])
    run = integrate(augmented, x0, eom.parameter_values(p), Settings(**settings), controller=loop.controller,
                    progress=False, backend=eom.backend)  # fmt: skip
    if not run.ok:
        raise SimulationError(f"the run with derivatives ended early: {run.message}", run)
    held = loop.constant if loop.constant is not None else np.zeros(0)
    kernel = compile_function(outputs, backend=eom.backend, shapes={"t": ()})
    rows = np.asarray(kernel(run.t, run.x, np.broadcast_to(held, (len(run.t), len(held))), eom.parameter_values(p)))
    values = rows.reshape(len(run.t), len(of), m + 1, order="C")
    return Sensitivities(run.t, of, values[:, :, 0].copy(), wrt, values[:, :, 1:].copy())


def _smooth_loop(eom: EquationsOfMotion, control: Any) -> ClosedLoop:
    """Close the loop; refuse what has no derivatives here."""
    name = eom.machine.name
    if not eom.formulation.machine_coordinates:
        raise InputError(f"derivatives of runs of machine '{name}' need minimal coordinates, not natural ones")
    if eom.constrained:
        raise InputError(f"machine '{name}' has constraints or cables: derivatives of its runs are not there yet")
    loop = close_loop(eom, control, limits="ignore")
    if loop.problem.held_names and loop.constant is None:
        raise InputError("derivatives of runs need a law that is an expression of time and state, not a sampled one")
    return loop


def _checked(eom: EquationsOfMotion, wrt: Sequence[str]) -> tuple[str, ...]:
    names = (wrt,) if isinstance(wrt, str) else tuple(wrt)
    own = eom.machine
    if not names:
        raise InputError(
            "there is nothing to differentiate with respect to: give names of parameters or initial values"
        )
    known = [*eom.p_names, *(f"q0.{n}" for n in own.q_names), *(f"v0.{n}" for n in own.v_names)]
    for name in names:
        if name not in known:
            raise UnknownNameError("parameter or initial value", name, known, f"machine '{own.name}'")
        if name.startswith("q0.") and _state(eom, name) in _quaternion_entries(eom):
            raise InputError(f"{name!r} is an entry of a unit quaternion: it cannot change alone")
    return names


def _quaternion_entries(eom: EquationsOfMotion) -> set[int]:
    return {start + k for _, start in eom.layout.quaternions for k in range(4)}


def _state(eom: EquationsOfMotion, name: str) -> int:
    kind, rest = place_of(name)
    return eom.machine.q_names.index(rest) if kind == "q0" else eom.nq + eom.machine.v_names.index(rest)


def _start(eom: EquationsOfMotion, loop: ClosedLoop, q0: StateLike, v0: StateLike) -> Array:
    own = eom.machine
    q, v = named_vector(q0, own.q_names, own.q_neutral, "q0"), named_vector(v0, own.v_names, np.zeros(own.nv), "v0")
    return np.concatenate([q, v, loop.z0, [0.0, 0.0]])


def _initial_derivatives(eom: EquationsOfMotion, wrt: tuple[str, ...], n: int) -> Array:
    S = np.zeros((n, len(wrt)))
    for k, name in enumerate(wrt):
        if name not in eom.p_names:
            S[_state(eom, name), k] = 1.0
    return S


def _directions(eom: EquationsOfMotion, wrt: tuple[str, ...]) -> Array:
    """Directions in the parameters, (parameters, quantities)."""
    D = np.zeros((len(eom.p_names), len(wrt)))
    for k, name in enumerate(wrt):
        if name in eom.p_names:
            D[eom.p_names.index(name), k] = 1.0
    return D


def _augment(
    eom: EquationsOfMotion, problem: Problem, wrt: tuple[str, ...], of: tuple[str, ...]
) -> tuple[Problem, ca.Function]:
    """Return the problem of state and derivatives, and the wanted signals with theirs (signal by signal)."""
    signals = Signals(eom, problem)
    t, x, c, p = signals.t, signals.x, signals.c, signals.p
    n, m = problem.n_states, len(wrt)
    S, D = ca.SX.sym("S", n, m), ca.DM(_directions(eom, wrt))

    def along(expression: Any) -> Any:
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


@dataclass(frozen=True, eq=False)
class Gradient:
    """A cost and its derivatives.

    Parameters
    ----------
    cost
        The cost.
    quantities, gradient
        What it was differentiated with respect to, and the derivatives.
    """

    cost: float
    quantities: tuple[str, ...]
    gradient: Array


def gradient(
    machine: MachineOrEquations,
    *,
    wrt: Sequence[str],
    final: Any = None,
    integral: Any = None,
    duration: float,
    q0: StateLike = None,
    v0: StateLike = None,
    p: Mapping[str, float] | None = None,
    control: Any = None,
    step: float = 1e-3,
    t0: float = 0.0,
) -> Gradient:
    """Return a cost of a run with its derivatives (adjoint): the cost of a few runs, however many derivatives.

    Parameters
    ----------
    machine
        The machine or its equations, in minimal coordinates.
    wrt
        Names of parameters, ``q0.NAME``, ``v0.NAME``.
    final, integral
        Cost at the end and cost per second: names of signals, or functions of named signals on CasADi symbols, as of
        `dalembert.Measure`.
    duration, step, t0
        Of the run, with RK4; the last step is shortened.
    q0, v0, p, control
        As of `dalembert.simulate`.
    """
    eom = machine if isinstance(machine, EquationsOfMotion) else derive(machine)
    loop = _smooth_loop(eom, control)
    wrt = _checked(eom, wrt)
    if final is None and integral is None:
        raise InputError("a gradient needs a cost: final=, integral= or both")
    if not (np.isfinite(duration) and duration > 0.0 and np.isfinite(step) and step > 0.0):
        raise InputError(f"duration and step must be positive, got {duration!r} and {step!r}")
    problem = loop.problem
    step_kernel, back_kernel, end_kernel = eom.kept.once(
        "adjoint", (problem, final, integral), lambda: _adjoint_kernels(eom, problem, final, integral), at_most=8
    )
    count = max(1, int(np.ceil(duration / step - 1e-9)))
    times = t0 + np.minimum(np.arange(count + 1) * step, duration)
    held = loop.constant if loop.constant is not None else np.zeros(0)
    parameters = eom.parameter_values(p)
    n = problem.n_states + 1
    x = np.empty((count + 1, n))
    x[0, :-1], x[0, -1] = _start(eom, loop, q0, v0), 0.0
    for k in range(count):
        x[k + 1] = step_kernel(times[k], x[k], held, parameters, times[k + 1] - times[k])
    if not np.isfinite(x[-1]).all():
        raise SimulationError(f"the run of machine '{eom.machine.name}' diverges; take shorter steps", None)
    cost, adjoint, total = end_kernel(times[-1], x[-1], held, parameters)
    adjoint, total = np.array(adjoint).ravel(), np.array(total).ravel()
    for k in range(count - 1, -1, -1):
        back = np.asarray(back_kernel(times[k], x[k], held, parameters, times[k + 1] - times[k], adjoint)).ravel()
        adjoint, total = back[:n], total + back[n:]
    of = {name: total[i] for i, name in enumerate(eom.p_names)}
    found = [of[name] if name in of else adjoint[_state(eom, name)] for name in wrt]
    return Gradient(float(np.asarray(cost).ravel()[0]), wrt, np.array(found))


def _adjoint_kernels(eom: EquationsOfMotion, problem: Problem, final: Any, integral: Any) -> tuple[Any, Any, Any]:
    """Return one RK4 step with the cost as a further state, its transposed derivative, and the cost at the end."""
    signals = Signals(eom, problem)
    t, x, c, p = signals.t, signals.x, signals.c, signals.p
    running = signals.expression(integral, "the cost per second") if integral is not None else ca.SX(0)
    closing = signals.expression(final, "the cost at the end") if final is not None else ca.SX(0)
    cost, h = ca.SX.sym("cost"), ca.SX.sym("h")
    state = ca.vertcat(x, cost)
    rate = ca.Function("rate", [t, x, c, p], [ca.vertcat(problem.ode(t, x, c, p), running)])
    n = problem.n_states

    def f(time: Any, at: Any) -> Any:
        return rate(time, at[:n], c, p)

    k1 = f(t, state)
    k2 = f(t + h / 2, state + h / 2 * k1)
    k3 = f(t + h / 2, state + h / 2 * k2)
    k4 = f(t + h, state + h * k3)
    after = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    for offset in problem.quaternions:
        quaternion = after[offset : offset + 4]
        after[offset : offset + 4] = quaternion / ca.norm_2(quaternion)
    weight = ca.SX.sym("weight", n + 1)
    back = ca.jtimes(after, ca.vertcat(state, p), weight, True)
    whole = closing + cost
    end = ca.gradient(whole, ca.vertcat(state, p))
    names, shapes = ["t", "x", "c", "p", "h", "weight"], {"t": (), "h": ()}
    made = []
    for label, inputs, outputs in (
        ("step", [t, state, c, p, h], [after]),
        ("back", [t, state, c, p, h, weight], [back]),
        ("end", [t, state, c, p], [whole, end[: n + 1], end[n + 1 :]]),
    ):
        function = ca.Function(
            label,
            inputs,
            [ca.cse(ca.densify(o)) for o in outputs],
            names[: len(inputs)],
            [f"o{k}" for k in range(len(outputs))],
        )
        used = {k: v for k, v in shapes.items() if k in names[: len(inputs)]}
        made.append(compile_function(function, backend=eom.backend, shapes=used))
    return made[0], made[1], made[2]
