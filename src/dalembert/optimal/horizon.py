"""A machine over a horizon: tapes and tables of the optimisation problem that a predictive controller solves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import casadi as ca
import numpy as np

from dalembert.control.cascade import Known
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Array
from dalembert.engine.horizon.sources import table
from dalembert.optimal.attitudes import reference_state
from dalembert.optimal.cost import Cost
from dalembert.optimal.limits import QuantityBound
from dalembert.optimal.model import PredictionModel, check_rk4, midpoint_tape, padded, rk4_tape
from dalembert.optimal.quantities import NamedQuantity, quantity
from dalembert.optimal.references import Reference, reference_expressions
from dalembert.optimal.terminal import Regulator, TerminalSet, regulator_at, terminal_set_of

__all__ = ["Horizon", "Keep", "horizon_of", "with_path"]

_SMOOTH = 1e-12  # keeps the root differentiable where a gradient vanishes
_PATH_POINTS = 13  # of a predicted path

Keep = Callable[[Known], Any] | str
"""An expression that stays at zero or above: a function of `dalembert.control.Known`, or a text."""


@dataclass(frozen=True, eq=False)
class Horizon:
    """The optimisation problem of a predictive controller.

    Parameters
    ----------
    model
        How the machine is predicted.
    nx, nu
        Sizes of its state, with the inputs of the last interval where rates of inputs count, and of its inputs.
    rates
        Whether they do.
    reads
        Symbols of the loop that the references read.
    tapes
        Functions by macro.
    macros, tables
        Sizes and constants for the C text.
    goal
        References at the time 0 with nominal parameters: states, then inputs.
    bounds
        Bounds of rows, in their order.
    terminal_set
        Set of the states at the end, or None.
    """

    model: PredictionModel
    nx: int
    nu: int
    rates: bool
    reads: tuple[Any, ...]
    tapes: Mapping[str, ca.Function]
    macros: Mapping[str, object]
    tables: tuple[str, ...]
    goal: Array
    bounds: tuple[QuantityBound, ...]
    terminal_set: TerminalSet | None = None


@dataclass(frozen=True, eq=False)
class _Row:
    """A bounded row: an entry of (x, u), or an expression."""

    bound: QuantityBound
    entry: int
    expression: Any
    first: int
    last: int


def horizon_of(
    model: PredictionModel,
    h: float,
    n: int,
    cost: Cost,
    reference: Mapping[str, Reference] | None,
    bounds: Sequence[QuantityBound],
    keep: Mapping[str, Keep | tuple[Keep, QuantityBound]],
    *,
    margin: Mapping[str, float] | None = None,
    end_bound: QuantityBound | None = None,
    midpoint: bool,
    exact: bool = False,
    steps: int,
    owner: str,
) -> Horizon:
    """Write the problem of a controller.

    Parameters
    ----------
    model
        How the machine is predicted.
    h, n
        Length and number of the intervals.
    cost, reference, bounds, keep
        As in `dalembert.mpc`.
    margin
        Errors of states, by name, for which the expressions of `keep` hold too.
    end_bound
        Bound of the row of the terminal set, or None.
    midpoint, steps
        Whether steps are implicit, and how many explicit ones an interval has.
    exact
        Whether there are second derivatives.
    owner
        Whose it is, in messages.
    """
    eom = model.eom
    if cost.time:
        raise InputError(
            f"{owner}: the horizon has a fixed duration, so 'time' of the Cost has no effect; leave it out"
        )
    rates = bool(cost.weights("rates", eom.u_names)) or any(b.quantity.startswith("rate.") for b in bounds)
    x, u, par, t = model.symbols
    past = ca.SX.sym("past", eom.nu if rates else 0)
    state = ca.vertcat(x, past)
    nx, nu = state.numel(), eom.nu
    names = (*model.names, *eom.u_names)
    goals = reference_expressions(reference, (*names, *(f"u.{n}" for n in eom.u_names), *cost.outputs), t, owner)
    free = {str(s): s for e in goals.values() for s in ca.symvar(ca.SX(e)) if not _is(s, t)}
    reads = tuple(free.values())
    more = ca.vertcat(par, *reads)
    goal = _goal(model, goals, t, owner)
    goal = ca.vertcat(goal[: model.nx], goal[model.nx :] if rates else ca.SX(0, 1), goal[model.nx :])

    def function(name: str, inputs: Sequence[Any], outputs: Sequence[Any]) -> ca.Function:
        return ca.Function(name, list(inputs), [ca.SX(e) for e in outputs])

    everything = [state, u, more, t]
    start = np.array(function("goal", [more, t], [goal])(_nominal(model, more), 0.0)).ravel()
    u0, p0 = start[nx:], _nominal(model, par)
    if not np.isfinite(start).all():
        raise InputError(f"{owner}: the references are not finite at t = 0")
    tapes: dict[str, ca.Function] = {"GOAL_TAPE": function("goal", [more, t], [goal])}
    if midpoint:
        raw = midpoint_tape(model, h, rates=rates)
        a = ca.SX.sym("a", eom.nv)
        tapes["STEP_TAPE"] = function("step", [state, u, a, more, t], raw.call([state, u, a, par, t]))
    else:
        check_rk4(model, start[: model.nx], u0, p0, h / steps, owner)
        raw = rk4_tape(model.rate, h, steps, inputs=past if rates else None)
        tapes["STEP_TAPE"] = function("step", everything, raw.call([state, u, par, t]))
    weights, residuals = _weights(model, cost, goals, t, past, h, nx, owner)
    dense = exact or residuals.numel() > 0
    if dense:
        z = ca.vertcat(state, u)
        diagonal = [k for k, w in enumerate(weights) if w]
        both = ca.vertcat(residuals, *(np.sqrt(weights[k]) * (z[k] - goal[k]) for k in diagonal))
        tapes["COST_TAPE"] = function("cost", everything, [both, _padded_jacobian(both, z)])
        n_residuals = both.numel()
    end, regulator = _end_weight(model, cost, weights, start, p0, h, nx, owner, midpoint=midpoint)
    rows = _rows(model, bounds, keep, margin or {}, past, h, n, nx, owner)
    terminal = None
    if end_bound is not None:
        if ca.depends_on(goal, ca.vertcat(t, *reads)):
            raise InputError(f"{owner}: a terminal set needs a reference that is constant")
        terminal = _terminal_set(model, regulator, rows, nx, p0, h, owner, midpoint=midpoint)
        e = x - goal[: model.nx]
        rows.append(_Row(end_bound, -1, 1.0 - ca.bilin(ca.DM(terminal.P), e, e) / terminal.level, n, n))
    boxes, general = [r for r in rows if r.entry >= 0], [r for r in rows if r.entry < 0]
    ordered = (*boxes, *general)
    if general:
        expressions = ca.vertcat(*(r.expression for r in general))
        J = _padded_jacobian(expressions, ca.vertcat(state, u))
        tapes["ROWS_TAPE"] = function("rows", everything, [ca.densify(expressions), J])
    if exact:
        values = ca.vertcat(ca.SX(0, 1), *(ca.SX(0) if r.bound is end_bound else r.expression for r in general))
        tapes["CURVE_TAPE"] = _curve_tape(raw(state, u, par, t)[0], values, both, everything)
    low, high = np.full(nu, -np.inf), np.full(nu, np.inf)
    for row in boxes:
        if row.entry >= nx:
            low[row.entry - nx] = max(low[row.entry - nx], row.bound.lower)
            high[row.entry - nx] = min(high[row.entry - nx], row.bound.upper)
    soft = [r.bound.soft for r in ordered]
    macros = {
        "NX": nx, "NU": nu, "NV": eom.nv, "NN": n, "NB": len(boxes), "NG": len(general), "N_PAR": more.numel(),
        "DENSE_COST": int(dense), "N_RESIDUALS": n_residuals if dense else 0, "SOFT_ROWS": int(any(soft)),
        "N_ATTITUDES": len(eom.layout.quaternions), "FREE_START": 0, "N_PATH": 0,
        "MIDPOINT": int(midpoint), "EXACT": int(exact), "INTERVAL": repr(h),
        "END_ROW": next((k for k, r in enumerate(general) if r.bound is end_bound), -1) if terminal else -1,
        "END_LEVEL": repr(terminal.level if terminal else 1.0),
        "COST_FLOOR": repr(_floor(weights, low, high, start, nx)),
    }  # fmt: skip
    tables = (
        table("attitude_at", [i for _, i in eom.layout.quaternions], "int"),
        table("box_entry", [r.entry for r in boxes], "int"),
        table("row_from", [r.first for r in ordered], "int"),
        table("row_to", [r.last for r in ordered], "int"),
        table("row_low", np.array([r.bound.lower for r in ordered])),
        table("row_high", np.array([r.bound.upper for r in ordered])),
        table("row_soft", np.array([float(r.bound.soft) for r in ordered])),
        table("row_linear", np.array([h * (r.bound.linear or 0.0) for r in ordered])),
        table("row_square", np.array([2 * h * (r.bound.quadratic or 0.0) for r in ordered])),
        table("stage_weight", np.array(weights)),
        table("end_weight", end),
        table("input_low", low),
        table("input_high", high),
    )
    limits = tuple(r.bound for r in ordered)
    return Horizon(model, nx, nu, rates, reads, tapes, macros, tables, start, limits, terminal)


def with_path(problem: Horizon, frame: str, owner: str) -> Horizon:
    """Return a problem whose samples also give the predicted path of a frame.

    Parameters
    ----------
    problem
        The problem.
    frame
        The frame.
    owner
        Whose problem it is, in messages.
    """
    model, n = problem.model, int(str(problem.macros["NN"]))
    frames = model.eom.machine.tree.frames
    if frame not in frames:
        raise UnknownNameError("frame", frame, frames, f"path of {owner}")
    x, more, t = ca.SX.sym("x", problem.nx), ca.SX.sym("more", int(str(problem.macros["N_PAR"]))), ca.SX.sym("t")
    state, _, par, time = model.symbols
    position = model.at(model.eom.symbolic.pose(frame)[:3, 3])
    new = ca.vertcat(x[: model.nx], more[: par.numel()], t)
    position = ca.substitute(position, ca.vertcat(state, par, time), new)
    tape = ca.Function("path", [x, more, t], [ca.densify(position)])
    stages = np.unique(np.linspace(0, n, min(n + 1, _PATH_POINTS)).round().astype(int))
    return replace(
        problem, tapes={**problem.tapes, "PATH_TAPE": tape}, macros={**problem.macros, "N_PATH": len(stages)},
        tables=(*problem.tables, table("path_stage", stages, "int")),
    )  # fmt: skip


def _is(a: Any, b: Any) -> bool:
    return bool(a.element_hash() == b.element_hash())


def _nominal(model: PredictionModel, more: Any) -> Array:
    """Nominal parameters, and zeros for quantities that are read."""
    values = dict(zip(model.eom.p_names, model.eom.parameter_values(None).tolist(), strict=True))
    found = [values[name] for name in model.free]
    return np.array(found + [0.0] * (more.numel() - len(found)))


def _goal(model: PredictionModel, goals: Mapping[str, Any], t: Any, owner: str) -> Any:
    """References of all states and inputs."""
    eom, par = model.eom, model.symbols[2]
    x = reference_state(eom, goals, t, owner)
    hold = model.holding(x, par, t)
    inputs = [
        goals.get(f"u.{name}", hold[k] if name in model.names else goals.get(name, hold[k]))
        for k, name in enumerate(eom.u_names)
    ]
    return ca.densify(ca.vertcat(x, *inputs))


def _weights(
    model: PredictionModel, cost: Cost, goals: Mapping[str, Any], t: Any, past: Any, h: float, nx: int, owner: str
) -> tuple[list[float], Any]:
    """Weights of the entries of (x, u) over an interval, and the residuals of everything else."""
    eom, u = model.eom, model.symbols[1]
    weights = [0.0] * (nx + eom.nu)
    for name, w in cost.states.items():
        if name not in model.names:
            raise UnknownNameError("state", name, model.names, f"the Cost of {owner}")
        weights[model.names.index(name)] = 2 * h * w
    for kind in ("inputs", "rates"):
        for name in cost.weights(kind, eom.u_names):
            if name not in eom.u_names:
                raise InputError(
                    f"{owner}: {kind} of the Cost name '{name}', which is none of {', '.join(eom.u_names)}"
                )
    for name, w in cost.weights("inputs", eom.u_names).items():
        weights[nx + eom.u_names.index(name)] = 2 * h * w
    rest: list[Any] = []
    for text, w in cost.outputs.items():
        expression = model.at(quantity(eom, text, f"{owner}, outputs of the Cost").expression)
        rest.append(np.sqrt(2 * h * w) * (expression - goals.get(text, 0.0)))
    for name, w in cost.weights("rates", eom.u_names).items():
        k = eom.u_names.index(name)
        rest.append(np.sqrt(2 * h * w) * (u[k] - past[k]) / h)
    if cost.effort:
        rest += [np.sqrt(2 * h * cost.effort) * x for x in ca.vertsplit(u)]
    bare = [n for k, n in enumerate(eom.u_names) if not weights[nx + k] and not cost.effort]
    if bare:
        raise InputError(f"{owner}: every input needs a weight in the Cost, and there is none for {', '.join(bare)}")
    return weights, ca.vertcat(ca.SX(0, 1), *rest)


def _end_weight(
    model: PredictionModel,
    cost: Cost,
    weights: Sequence[float],
    start: Array,
    par: Array,
    h: float,
    nx: int,
    owner: str,
    *,
    midpoint: bool,
) -> tuple[Array, Regulator | None]:
    """Matrix of the cost at the end, and the regulator that it comes from."""
    P = np.zeros((nx, nx))
    if cost.terminal is None:
        return P, None
    if not isinstance(cost.terminal, str):
        for name, w in cost.terminal.items():
            if name not in model.names:
                raise UnknownNameError("state", name, model.names, f"the terminal weights of {owner}")
            P[model.names.index(name), model.names.index(name)] = 2 * w
        return P, None
    m = model.nx
    Q, R = np.diag(weights[:m]), np.diag(np.array(weights[nx:]) + 2 * h * cost.effort)
    regulator = regulator_at(model, start[:m], start[nx:], par, h, Q, R, owner, midpoint=midpoint)
    P[:m, :m] = regulator.P
    return P, regulator


def _terminal_set(
    model: PredictionModel,
    regulator: Regulator | None,
    rows: Sequence[_Row],
    nx: int,
    par: Array,
    h: float,
    owner: str,
    *,
    midpoint: bool,
) -> TerminalSet:
    """Set of the regulator within the limits of all rows."""
    if regulator is None:
        raise InputError(f"{owner}: terminal_set='lqr' needs a Cost with terminal='lqr', whose regulator it belongs to")
    rates = [row.bound.quantity for row in rows if row.bound.quantity.startswith("rate.")]
    if rates:
        raise InputError(
            f"{owner}: a terminal set does not support limits of rates, which its regulator does not keep; leave out "
            f"{', '.join(rates)}, or weigh rates in the Cost"
        )
    x, u = model.symbols[:2]
    limits = []
    for row in rows:
        entry = None if row.entry < 0 else x[row.entry] if row.entry < model.nx else u[row.entry - nx]
        limits.append((row.bound, row.expression if entry is None else entry))
    return terminal_set_of(model, regulator, limits, par, h, owner, midpoint=midpoint)


def _curve_tape(step: Any, rows: Any, residuals: Any, everything: Sequence[Any]) -> ca.Function:
    """``x, u, l, f, par, t -> C``: second derivatives of l' F + f' h, and r' d2r where the last f is 1."""
    state, u, more, t = everything
    z = ca.vertcat(state, u)
    costate, force, whole = ca.SX.sym("l", state.numel()), ca.SX.sym("f", rows.numel()), ca.SX.sym("w")
    rho = ca.SX.sym("rho", residuals.numel())
    C = ca.hessian(ca.dot(ca.vertcat(costate, force), ca.vertcat(step, rows)), z)[0]
    C += whole * ca.substitute(ca.hessian(ca.dot(rho, residuals), z)[0], rho, residuals)
    C = ca.horzcat(C, ca.SX(z.numel(), padded(z.numel()) - z.numel()))
    return ca.Function("curve", [state, u, costate, ca.vertcat(force, whole), more, t], [ca.SX(C)])


def _rows(
    model: PredictionModel,
    bounds: Sequence[QuantityBound],
    keep: Mapping[str, Keep | tuple[Keep, QuantityBound]],
    margin: Mapping[str, float],
    past: Any,
    h: float,
    n: int,
    nx: int,
    owner: str,
) -> list[_Row]:
    """Rows of the bounds: states after the start, inputs before the end."""
    eom, u = model.eom, model.symbols[1]
    for name in margin:
        if name not in model.names:
            raise UnknownNameError("state", name, model.names, f"the margin of {owner}")
    rows = []
    for bound in bounds:
        named: NamedQuantity = quantity(eom, bound.quantity, f"limits of {owner}")
        if named.kind == "state":
            rows.append(_Row(bound, named.index, None, 1, n))
        elif named.kind == "input":
            rows.append(_Row(bound, nx + named.index, None, 0, n - 1))
        elif named.kind == "rate":
            rows.append(_Row(bound, -1, (u[named.index] - past[named.index]) / h, 0, n - 1))
        else:
            rows.append(_general(model, bound, model.at(named.expression), n, owner))
    s = eom.symbolic
    for name, item in keep.items():
        what, bound = item if isinstance(item, tuple) else (item, QuantityBound(name, 0.0))
        if isinstance(what, str):
            expression = quantity(eom, what, f"keep['{name}'] of {owner}").expression
        else:
            expression = ca.SX(what(Known(eom, s.t, s.q, s.v, s.p)))
            if expression.shape != (1, 1):
                raise InputError(f"keep['{name}'] of {owner} must return one expression, got {expression.shape}")
        rows += _tightened(model, _general(model, bound, model.at(expression), n, owner), margin)
    return rows


def _tightened(model: PredictionModel, row: _Row, margin: Mapping[str, float]) -> list[_Row]:
    """Return a row that holds for errors of the states too: ``h - |m dh/dx| >= lower``, ``h + |m dh/dx| <= upper``.

    ``|m dh/dx|`` is the root of the sum of squares: the deviation of the quantity h for independent errors of the
    states with the deviations m, to first order.
    """
    m = ca.DM([float(margin.get(name, 0.0)) for name in model.names])
    error = ca.jacobian(row.expression, model.symbols[0]).T * m
    if error.nnz() == 0 or not any(margin.values()):
        return [row]
    back_off = ca.sqrt(ca.sumsqr(error) + _SMOOTH * ca.sumsqr(m))
    sides = ((-1.0, replace(row.bound, upper=np.inf)), (1.0, replace(row.bound, lower=-np.inf)))
    return [
        replace(row, bound=bound, expression=row.expression + sign * back_off)
        for sign, bound in sides
        if np.isfinite(bound.lower) or np.isfinite(bound.upper)
    ]


def _general(model: PredictionModel, bound: QuantityBound, expression: Any, n: int, owner: str) -> _Row:
    x, u, par, t = model.symbols
    unknown = ca.Function("f", [x, u, par, t], [expression], {"allow_free": True}).free_sx()
    if unknown:
        raise InputError(
            f"limit '{bound.quantity}' of {owner} reads {', '.join(map(str, unknown))}, which the model does not have"
        )
    if not ca.depends_on(expression, ca.vertcat(x, u)):
        raise InputError(f"limit '{bound.quantity}' of {owner} depends on neither states nor inputs")
    driven = bool(ca.depends_on(expression, u))
    return _Row(bound, -1, expression, 0 if driven else 1, n - 1 if driven else n)


def _padded_jacobian(expression: Any, z: Any) -> Any:
    J = ca.jacobian(expression, z)
    return ca.horzcat(J, ca.SX(J.shape[0], padded(J.shape[1]) - J.shape[1]))


def _floor(weights: Sequence[float], low: Array, high: Array, start: Array, nx: int) -> float:
    """Smallest complementarity that matters: the cost of a step of an input over its range."""
    least = np.inf
    for k, w in enumerate(weights[nx:]):
        span = high[k] - low[k] if np.isfinite(high[k] - low[k]) else max(1.0, abs(start[nx + k]))
        if w:
            least = min(least, w * span**2)
    return float(least) * 1e-2 if np.isfinite(least) else 1e-6
