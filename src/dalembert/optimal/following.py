"""Feedback along a plan: the time-varying linear-quadratic regulator.

Along the plan the deviations ``e`` (displacement in the tangent space, then velocity) obey ``e' = A(t) e + B(t) w``
with the inputs ``u = u_plan + w``. The regulator that minimises

    e(T)^T F e(T) + integral of e^T Q e + w^T R w

is ``w = -R^-1 B^T P e`` with ``-P' = A^T P + P A - P B R^-1 B^T P + Q`` and ``P(T) = F`` (Kwakernaak and Sivan, Linear
Optimal Control Systems, 3.3.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis.linearize import state_space_names
from dalembert.control.lqr import weight_matrix
from dalembert.core.errors import InputError
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.optimal.lobatto import lobatto
from dalembert.optimal.planned import OptimalPlan, check_inputs, plan_polynomials
from dalembert.plan.references import piecewise

__all__ = ["TrackingLQR", "deviation_matrices", "follow", "riccati_along"]

_POINTS = 6  # points in each interval of the plan through which the polynomials of the gains go

Weights = ArrayLike | Mapping[str, float]


def deviation_matrices(plan: OptimalPlan, t: ArrayLike) -> tuple[Array, Array]:
    """Matrices ``A`` (n, 2 nv, 2 nv) and ``B`` (n, 2 nv, nu) of deviations from a plan at times (n).

    Deviations of coordinates are displacements in the tangent space, deviations of velocities are differences.
    """
    times = np.atleast_1d(np.asarray(t, dtype=float))
    starts = np.array([p.start for p in plan.trajectory.pieces])
    place = np.clip(np.searchsorted(starts, times, side="right") - 1, 0, len(starts) - 1)
    phases = np.array([plan.trajectory.pieces[int(k)].phase for k in place])
    nv, nu = plan.eom.nv, plan.eom.nu
    A, B = np.zeros((len(times), 2 * nv, 2 * nv)), np.zeros((len(times), 2 * nv, nu))
    q, v, u = plan.coordinates(times), plan.velocities(times), plan.inputs(times)
    for index in np.unique(phases):
        f, p = _linear_model(plan, int(index))
        for i in np.flatnonzero(phases == index):
            A[i], B[i] = (np.array(x) for x in f(times[i], q[i], v[i], u[i], p))
    return A, B


def _linear_model(plan: OptimalPlan, index: int) -> tuple[ca.Function, Array]:
    """Matrices of deviations as a function of time, state, inputs and parameters, and the parameters of a phase."""
    phase = plan.problem.phases[index]
    model, s = phase.model, phase.model.eom.symbolic
    p = phase.p.copy()
    p[list(plan.problem.free)] = list(plan.parameters.values())

    def make() -> ca.Function:
        nv, rate, a = model.eom.nv, s.coordinate_rate, model.solved[0]
        B = ca.densify(ca.jacobian(rate, s.v))
        drift = ca.SX(nv, nv)
        if model.eom.layout.quaternions:
            # d = B^+ (q - q_plan) to first order, so that d' = (B^+)' B d + B^+ (d(B v)/dq) B d + change of velocity
            inverse = ca.densify(ca.solve(B.T @ B, B.T))
            turn = ca.reshape(ca.jtimes(ca.vec(inverse), s.q, rate), *inverse.shape)
            drift = turn @ B + inverse @ ca.jacobian(rate, s.q) @ B
        A = ca.vertcat(ca.horzcat(drift, ca.SX.eye(nv)), ca.horzcat(ca.jacobian(a, s.q) @ B, ca.jacobian(a, s.v)))
        inputs = ca.vertcat(ca.SX(nv, model.eom.nu), ca.jacobian(a, s.u))
        return ca.Function("deviations", [s.t, s.q, s.v, s.u, s.p], [ca.densify(A), ca.densify(inputs)])

    return model.eom.kept.once("deviations", model.rows, make), p


def riccati_along(plan: OptimalPlan, Q: Array, R: Array, F: Array, times: Array, *, rtol: float = 1e-11) -> Array:
    """Solutions ``P`` (n, 2 nv, 2 nv) of the Riccati equation along a plan at increasing times (n), ``P(T) = F``.

    Parameters
    ----------
    plan
        The plan.
    Q, R, F
        Weights of deviations, of inputs, and of deviations at the end.
    times
        Times within the plan.
    rtol
        Relative tolerance of the integration, by Dormand and Prince's method of order eight.
    """
    from scipy.integrate import solve_ivp

    n = Q.shape[0]
    inverse = np.linalg.inv(R)
    nodes = np.unique(np.concatenate([piece.nodes for piece in plan.trajectory.pieces]))
    stops = np.unique(np.concatenate([nodes, times]))  # the matrices are smooth between nodes
    result, P = np.zeros((len(times), n, n)), F.copy()
    result[times >= plan.end] = F
    for begin, end in list(pairwise(stops.tolist()))[::-1]:
        room = 1e-12 * (end - begin)

        def rate(t: float, y: Array, low: float = begin + room, high: float = end - room) -> Array:
            (A,), (B,) = deviation_matrices(plan, min(max(t, low), high))
            X = y.reshape(n, n)
            AX = A.T @ X
            return np.asarray(-(AX + AX.T - X @ B @ inverse @ B.T @ X + Q)).ravel()

        scale = max(1e-6, float(np.abs(P).max(initial=0.0)))
        solved = solve_ivp(rate, (end, begin), P.ravel(), method="DOP853", rtol=rtol, atol=rtol * scale)
        if not solved.success:
            raise InputError(f"the Riccati equation along the plan has no solution before {end:g} s: {solved.message}")
        P = solved.y[:, -1].reshape(n, n)
        P = 0.5 * (P + P.T)
        result[times == begin] = P
    return result


def follow(plan: OptimalPlan, *, Q: Weights = 1.0, R: Weights = 1.0, F: Weights | None = None) -> TrackingLQR:
    """Return the law that follows a plan: its inputs, and the time-varying regulator of deviations.

    Parameters
    ----------
    plan
        The plan, of `dalembert.optimise`.
    Q, R
        Weights of deviations and of inputs: one number, a diagonal, a matrix, or numbers by name (deviations that are
        not named have weight zero).
    F
        Weights of deviations at the end; None: ``Q``.

    Raises
    ------
    InputError
        If the plan failed, or its velocities jump between phases.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.optimal import follow
    >>> cart = da.Machine(
    ...     "cart", [da.point_mass("m", 2.0)], [da.Joint("x", "prismatic", "world", "m", axis="x")],
    ...     motors=[da.Motor("F", "x")], gravity=(0, 0, 0),
    ... )
    >>> plan = da.optimise(cart, end={"x": 1.0}, duration=2.0, intervals=4)
    >>> law = follow(plan, Q={"x": 100.0}, R=0.1)
    >>> run = da.simulate(cart, duration=2.0, q0={"x": 0.1}, control=law)
    >>> bool(abs(run["x"][-1] - 1.0) < 0.02)
    True
    """
    if plan.status not in ("optimal", "inaccurate"):  # feedback copes with errors of a grid
        raise InputError(f"only an optimal plan can be followed, this one is {plan.status}")
    for phase, (name, _, _) in zip(plan.problem.phases[:-1], plan.phases, strict=False):
        if phase.link.kind != "smooth":
            raise InputError(
                f"a regulator cannot follow a plan whose velocities jump, as after phase '{name}': plan the phases "
                "apart and follow each of them"
            )
    eom = plan.eom
    names = state_space_names(eom)
    q, r = weight_matrix(Q, names, "Q"), weight_matrix(R, eom.u_names, "R", strict=True)
    f = q if F is None else weight_matrix(F, names, "F")
    method = lobatto(_POINTS)
    tables = []
    times = []
    for piece in plan.trajectory.pieces:
        for begin, width in zip(piece.nodes[:-1], piece.duration * piece.widths, strict=True):
            times.append(begin + width * (1e-9 + (1.0 - 2e-9) * method.c))
    at = np.array(times)
    P = riccati_along(plan, q, r, f, at.ravel(), rtol=1e-9)
    _, B = deviation_matrices(plan, at.ravel())
    K = np.linalg.solve(r, np.swapaxes(B, 1, 2) @ P).reshape(*at.shape, -1)
    for width, values in zip(at[:, -1] - at[:, 0], K, strict=True):
        ascending = method.polynomials.T @ values / width ** np.arange(_POINTS)[:, None]
        tables.append(ascending[::-1])
    knots, inputs = plan_polynomials(plan.trajectory, "u")
    return TrackingLQR(
        eom.u_names, knots, inputs, plan_polynomials(plan.trajectory, "q")[1],
        plan_polynomials(plan.trajectory, "v")[1], tuple(x.tolist() for x in tables),
        tuple(start for _, start in eom.layout.quaternions),
    )  # fmt: skip


@dataclass(frozen=True)
class TrackingLQR:
    """Inputs of a plan and feedback of deviations from it, ``u = u_plan(t) - K(t) e`` (made by `follow`).

    After the end of the plan, reference and gains keep their last values.

    Parameters
    ----------
    names
        Names of the inputs.
    knots
        Times between the pieces.
    inputs, coordinates, velocities, gains
        Coefficients of each piece: powers of the time since its knot, the highest first, each with all components.
    quaternions
        Places of unit quaternions in the coordinates.
    """

    names: tuple[str, ...]
    knots: tuple[float, ...]
    inputs: tuple[Any, ...]
    coordinates: tuple[Any, ...]
    velocities: tuple[Any, ...]
    gains: tuple[Any, ...]
    quaternions: tuple[int, ...] = ()

    def state_names(self, eom: EquationsOfMotion) -> tuple[str, ...]:
        """No internal states."""
        return ()

    def initial_state(self, eom: EquationsOfMotion) -> Array:
        """No internal states."""
        return np.zeros(0)

    def gain(self, t: float) -> Array:
        """``K`` (nu, 2 nv) at a time."""
        flat = np.array(ca.DM(self._at(self.gains, t)))
        return flat.reshape(len(self.names), -1)

    def _at(self, table: tuple[Any, ...], t: Any) -> Any:
        return piecewise(t, np.asarray(self.knots), np.asarray(table))

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs as expressions."""
        check_inputs(eom, self.names)
        target = ca.SX(self._at(self.coordinates, t))
        for i in self.quaternions:
            target[i : i + 4] = target[i : i + 4] / ca.norm_2(target[i : i + 4])
        error = ca.vertcat(eom.layout.difference(target, q), v - self._at(self.velocities, t))
        K = ca.reshape(ca.SX(self._at(self.gains, t)), 2 * eom.nv, eom.nu).T
        return ca.SX(self._at(self.inputs, t)) - K @ error, ca.SX(0, 1)
