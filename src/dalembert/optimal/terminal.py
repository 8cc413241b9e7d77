"""Terminal sets: ellipsoids in which a linear-quadratic regulator takes over from a plan and keeps all limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.types import Array
from dalembert.optimal.attitudes import tangent_space
from dalembert.optimal.limits import QuantityBound
from dalembert.optimal.model import PredictionModel, midpoint_tape, rk4_tape

__all__ = ["Regulator", "TerminalSet", "regulator_at", "terminal_set_of"]

_DIRECTIONS = 64  # random points of the boundary per state
_PARTS = (1.0, 0.5, 0.1)  # of the level, at which the decrease is checked
_SHRINK = 0.8
_LEAST = 1e-6  # of the level that the limits allow
_STARTS = 4  # local searches for the distance of a curved limit


@dataclass(frozen=True, eq=False)
class Regulator:
    """A linear-quadratic regulator of a sampled machine at a reference: ``u = u_r - K (x - x_r)``.

    Parameters
    ----------
    x, u
        The reference.
    K
        Gain.
    P
        Matrix of its cost ``1/2 (x - x_r)' P (x - x_r)``.
    """

    x: Array
    u: Array
    K: Array
    P: Array


@dataclass(frozen=True, eq=False)
class TerminalSet:
    """Ellipsoid ``(x - centre)' P (x - centre) <= level`` of a linear-quadratic regulator.

    In it the regulator keeps all limits, and its cost falls from sample to sample (Chen and Allgoewer, Automatica 34,
    1998). Limits of inputs and states give the level in closed form; curved ones by a local search. The decrease is
    checked at points of the set with the equations of motion, not proven.

    Parameters
    ----------
    centre
        Reference of the states.
    P
        Matrix of the cost of the regulator.
    K
        Gain of the regulator.
    level
        Size of the set.
    """

    centre: Array
    P: Array
    K: Array
    level: float

    def contains(self, x: Array) -> bool:
        """Whether a state of the model is in the set."""
        e = np.asarray(x, dtype=float) - self.centre
        return bool(e @ self.P @ e <= self.level)


def regulator_at(
    model: PredictionModel, x: Array, u: Array, par: Array, h: float, Q: Array, R: Array, owner: str, *, midpoint: bool
) -> Regulator:
    """Return the regulator of a machine that is sampled with constant inputs over intervals.

    Parameters
    ----------
    model
        The model.
    x, u, par
        Reference and parameters.
    h
        Length of an interval.
    Q, R
        Weights of states and inputs over an interval.
    owner
        Whose it is, in messages.
    midpoint
        Whether steps are implicit.
    """
    from scipy.linalg import LinAlgError, solve_discrete_are

    m, s = model.nx, model.symbols
    if midpoint:
        slopes = ca.Function("J", list(s), [ca.jacobian(model.rate(*s), ca.vertcat(s[0], s[1]))])
        J = np.array(slopes(x, u, par, 0.0))
        left = np.eye(m) - h / 2 * J[:, :m]
        A, B = np.linalg.solve(left, np.eye(m) + h / 2 * J[:, :m]), np.linalg.solve(left, h * J[:, m:])
    else:
        BA = np.array(rk4_tape(model.rate, h, 1)(x, u, par, 0.0)[1])[:, : m + model.eom.nu]
        A, B = BA[:, :m], BA[:, m:]
    T, E = tangent_space(model.eom, x[: model.eom.nq])
    A, B = E @ A @ T, E @ B
    try:
        P = solve_discrete_are(A, B, T.T @ Q @ T, R)
    except (LinAlgError, ValueError) as error:
        raise InputError(
            f"{owner}: there is no linear-quadratic regulator at the reference ({error}); a mode is not "
            "controllable, or an undamped mode has no weight: weigh more states, or give terminal weights by name"
        ) from None
    P = (P + P.T) / 2
    K = np.asarray(np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A), dtype=float)
    return Regulator(x, u, K @ E, E.T @ P @ E)


def terminal_set_of(
    model: PredictionModel,
    regulator: Regulator,
    limits: Sequence[tuple[QuantityBound, Any]],
    par: Array,
    h: float,
    owner: str,
    *,
    midpoint: bool,
) -> TerminalSet:
    """Return the largest ellipsoid of a regulator within the limits in which its cost falls.

    Parameters
    ----------
    model
        The model.
    regulator
        The regulator.
    limits
        Bounds, each with its expression of the states and inputs of the model.
    par
        Parameters.
    h
        Length of an interval.
    owner
        Whose it is, in messages.
    midpoint
        Whether steps are implicit.
    """
    P, K = regulator.P, regulator.K
    values = np.linalg.eigvalsh(P)
    if not values[0] > 1e-12 * values[-1]:
        raise InputError(f"{owner}: the cost of the regulator is zero in some direction; weigh more states in the Cost")
    x, u, symbols, t = model.symbols
    e = ca.SX.sym("e", model.nx)
    level = np.inf
    for bound, expression in limits:
        law = ca.substitute(
            ca.SX(expression), ca.vertcat(x, u, symbols, t),
            ca.vertcat(ca.DM(regulator.x) + e, ca.DM(regulator.u) - ca.DM(K) @ e, ca.DM(par), 0.0),
        )  # fmt: skip
        for side, sign in ((bound.lower, 1.0), (bound.upper, -1.0)):
            if np.isfinite(side):
                level = min(level, _distance(sign * (law - side), e, P, bound.quantity, owner))
    if not np.isfinite(level):
        level = float(values[-1])  # no limit is near: an ellipsoid of about unit size
    return TerminalSet(regulator.x, P, K, _contracting(model, regulator, level, par, h, owner, midpoint=midpoint))


def _distance(g: Any, e: Any, P: Array, name: str, owner: str) -> float:
    """Smallest ``e' P e`` with ``g(e) <= 0``."""
    slope = ca.Function("g", [e], [g, ca.jacobian(g, e)])
    value, J = (np.array(y, dtype=float) for y in slope(np.zeros(P.shape[0])))
    if not value.item() > 0.0:
        raise InputError(f"{owner}: a terminal set needs a reference inside all limits, and '{name}' is violated there")
    a = J.ravel()
    towards = np.linalg.solve(P, a)
    room = float(a @ towards)
    if ca.jacobian(ca.jacobian(g, e), e).nnz() == 0:
        return value.item() ** 2 / room if room > 0.0 else np.inf
    options: Any = {"ipopt": {"print_level": 0, "sb": "yes", "tol": 1e-10}, "print_time": False}
    # of a state scaled by its distance, so that all numbers are about one
    scale = np.sqrt(value.item() ** 2 / room) if room > 0.0 else 1.0
    L = np.linalg.inv(np.linalg.cholesky(P)).T * scale
    w = ca.SX.sym("w", P.shape[0])
    nlp: Any = {"x": w, "f": ca.dot(w, w), "g": ca.substitute(g, e, ca.DM(L) @ w)}
    solver = ca.nlpsol("distance", "ipopt", nlp, options)
    rng = np.random.default_rng(0)
    first = -np.linalg.solve(L, towards * value.item() / room) if room > 0.0 else rng.normal(size=P.shape[0])
    best = np.inf
    for k in range(_STARTS):
        answer = solver(x0=first + (0.5 * rng.normal(size=P.shape[0]) if k else 0.0), ubg=0.0)
        if solver.stats()["success"]:
            best = min(best, float(answer["f"]) * scale**2)
    return best


def _contracting(
    model: PredictionModel, regulator: Regulator, level: float, par: Array, h: float, owner: str, *, midpoint: bool
) -> float:
    """Largest level up to the given one at which the cost falls over an interval at all checked points."""
    n, P = model.nx, regulator.P
    root = np.linalg.inv(np.linalg.cholesky(P)).T
    rng = np.random.default_rng(0)
    w = np.vstack([rng.normal(size=(_DIRECTIONS * n, n)), np.eye(n), -np.eye(n)])
    w /= np.linalg.norm(w, axis=1)[:, None]
    points = np.vstack([np.sqrt(part) * w for part in _PARTS]) @ root.T
    after = _step(model, par, h, midpoint=midpoint)
    tried = level
    while tried > _LEAST * level:
        e = np.sqrt(tried) * points
        following = np.array(after((regulator.x + e).T, (regulator.u - e @ regulator.K.T).T)).T - regulator.x
        before, then = (np.einsum("ki,ij,kj->k", d, P, d) for d in (e, following))
        if np.isfinite(then).all() and (then < before).all():
            return float(tried)
        tried *= _SHRINK
    raise InputError(
        f"{owner}: the regulator at the reference does not bring the machine back even from a small terminal set; "
        "use shorter intervals or other weights"
    )


def _step(model: PredictionModel, par: Array, h: float, *, midpoint: bool) -> Any:
    """``x, u -> x+`` over an interval, on columns."""
    if not midpoint:
        f = rk4_tape(model.rate, h, 1)
        return lambda x, u: f.map(x.shape[1])(x, u, np.tile(par[:, None], x.shape[1]), 0.0)[0]
    n, nu = model.eom.nv, model.eom.nu
    x, u, a = ca.SX.sym("x", 2 * n), ca.SX.sym("u", nu), ca.SX.sym("a", n)
    residual = midpoint_tape(model, h)(x, u, a, ca.DM(par), 0.0)[:, -1]
    solve = ca.rootfinder("a", "newton", {"x": a, "p": ca.vertcat(x, u), "g": residual}, {"error_on_fail": False})

    def after(states: Array, inputs: Array) -> Array:
        m = states.shape[1]
        acceleration = np.array(solve.map(m)(np.zeros((n, m)), np.vstack([states, inputs]))[0])
        v = states[n:] + h * acceleration
        return np.vstack([states[:n] + h / 2 * (states[n:] + v), v])

    return after
