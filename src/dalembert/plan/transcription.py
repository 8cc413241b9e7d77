"""Direct collocation after Hermite and Simpson as a nonlinear programme, solved by IPOPT.

Coordinates, velocities, accelerations and inputs at the nodes of a grid and in the middle between them are unknowns.
Between nodes the motion is a cubic; the equations of motion ``M a + C v + dV/dq = B u + losses`` hold at nodes and
middles, in the form of the inverse dynamics, which needs no inverse of the mass matrix. The order is four.

A cubic leaves the sphere of unit quaternions by its own error. Each quaternion therefore has one more unknown per node
and middle, ``(1 + s) Q = what the cubic gives``, and one more equation, ``|Q| = 1``: the part off the sphere goes into
``s``, the three equations along it are those of the cubic.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError, PlanError
from dalembert.core.labels import as_numbers
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["Keep", "Programme"]

Keep = Callable[[Expression, Expression, Expression, Expression], Expression | Sequence[Expression]]
"""Conditions of a motion: expressions of time, coordinates, velocities and inputs that must not be positive."""


@dataclass(frozen=True)
class Programme:
    """The nonlinear programme; unknowns are columns (q, v, a, u) at nodes and middles, lengths ``s``, the duration."""

    eom: EquationsOfMotion
    n: int
    shortest: float
    longest: float
    limits: dict[str, tuple[float, float]]
    keep: Keep | None
    p: Array

    @property
    def _rows(self) -> tuple[slice, slice, slice, slice]:
        """Rows of coordinates, velocities, accelerations and inputs in a column."""
        nq, nv, nu = self.eom.nq, self.eom.nv, self.eom.nu
        ends = np.cumsum([0, nq, nv, nv, nu])
        q, v, a, u = (slice(int(i), int(j)) for i, j in pairwise(ends))
        return q, v, a, u

    @property
    def _turning(self) -> list[slice]:
        """Rows of the unit quaternions."""
        return [slice(i, i + 4) for _, i in self.eom.layout.quaternions]

    def solve(
        self,
        start: tuple[Array, Array],
        end: tuple[Array, Array],
        free: set[str],
        weights: tuple[float, float],
        guess: Callable[[Array], Array] | None,
        max_iterations: int,
    ) -> dict[str, Any]:
        """Solve it between two states (q, v), with weights of time and effort; returns fields of an `OptimalMotion`."""
        (q0, v0), (qf, vf), (time_weight, effort_weight) = start, end, weights
        n, points, turning = self.n, 2 * self.n + 1, self._turning
        in_q, in_v, in_a, in_u = self._rows
        X, T = ca.MX.sym("X", in_u.stop, points), ca.MX.sym("T")
        S = ca.MX.sym("S", len(turning), points - 1)
        h = T / n
        q, v, a, u = X[in_q, :], X[in_v, :], X[in_a, :], X[in_u, :]
        left, middle, right = slice(0, points - 1, 2), slice(1, points, 2), slice(2, points, 2)
        g = [self._balance().map(points)(self._times(T, points), X)]
        rates = self._rates().map(points)(q, v) if turning else v
        stretched = self._stretched(q[:, 1:], S)
        for y, z, rate in ((q, ca.horzcat(q[:, 0], stretched), rates), (v, v, a)):
            step = h / 6 * (rate[:, left] + 4 * rate[:, middle] + rate[:, right])
            g.append(z[:, right] - y[:, left] - step)
            g.append(z[:, middle] - (y[:, left] + y[:, right]) / 2 - h / 8 * (rate[:, left] - rate[:, right]))
        attitudes_end = [not set(self.eom.q_names[rows]) <= free for rows in turning]
        for rows, prescribed in zip(turning, attitudes_end, strict=True):
            g.append(ca.sum1(q[rows, 1 : points - 1 if prescribed else points] ** 2) - 1.0)
        equal = ca.vertcat(*[ca.vec(x) for x in g])
        kept = self._kept(T, X, points)
        simpson = np.ones(points)
        simpson[1::2], simpson[2:-1:2] = 4.0, 2.0
        effort = h / 6 * ca.sum2(ca.DM(simpson).T * ca.sum1(u**2))
        # an integral of the squared input is the criterion; the length of the motion only counts where it is free
        cost = effort_weight * effort + time_weight * T
        first = self._guess(q0, qf, guess, points)
        for rows in turning:  # Q and -Q are one attitude: the one that the guess comes to
            qf = qf.copy()
            qf[rows] *= 1.0 if float(first[-1, rows] @ qf[rows]) >= 0.0 else -1.0
        low, high = self._bounds(q0, qf, v0, vf, free, points)
        nlp = {"x": ca.vertcat(ca.vec(X), ca.vec(S), T), "f": cost, "g": ca.vertcat(equal, kept)}
        options: dict[str, Any] = {
            "ipopt.print_level": 0,
            "print_time": False,
            "ipopt.sb": "yes",
            "ipopt.max_iter": max_iterations,
        }
        solver = ca.nlpsol("motion", "ipopt", nlp, options)
        count, zeros = kept.shape[0], np.zeros(equal.shape[0])
        lengths = np.full(S.numel(), 0.5)
        solution = solver(
            x0=np.concatenate(
                [np.clip(first, low, high).ravel(), 0.0 * lengths, [0.5 * (self.shortest + self.longest)]]
            ),
            lbx=np.concatenate([low.ravel(), -lengths, [self.shortest]]),
            ubx=np.concatenate([high.ravel(), lengths, [self.longest]]),
            lbg=np.concatenate([zeros, np.full(count, -np.inf)]),
            ubg=np.concatenate([zeros, np.zeros(count)]),
        )
        stats = solver.stats()
        if not stats["success"]:
            status = str(stats["return_status"]).replace("_", " ").lower()
            worst = float(np.abs(np.array(solution["g"])[: equal.shape[0]]).max())
            raise PlanError(
                f"no motion of machine '{self.eom.machine.name}' within the limits was found: {status} after "
                f"{stats['iter_count']} iterations, equations of motion missed by {worst:.2g}; give more time, wider "
                "limits or a guess"
            )
        values = np.array(solution["x"])[:, 0]
        columns = values[: X.numel()].reshape(points, -1)
        signals = {k: columns[:, r] for k, r in zip("qvau", self._rows, strict=True)}
        speeds = np.array(self._rates().map(points)(signals["q"].T, signals["v"].T)).T
        return {
            "t": np.linspace(0.0, values[-1], points), **signals, "rates": speeds, "duration": float(values[-1]),
            "cost": float(solution["f"]), "iterations": int(stats["iter_count"]),
            "error": self._error(float(values[-1]), signals["q"], signals["v"], signals["u"]),
        }  # fmt: skip

    def _error(self, T: float, q: Array, v: Array, u: Array) -> float:
        """Largest distance from the next node of an integration from each node, inputs as they are held in between."""
        s, steps, h = self.eom.symbolic, 8, T / self.n
        driven = ca.substitute(s.forward_dynamics, s.tau, ca.densify(s.applied))
        rate = ca.Function("f", [s.t, s.q, s.v, s.u, s.p], [ca.densify(ca.vertcat(s.coordinate_rate, driven))])
        nq, width = self.eom.nq, self.eom.nq + self.eom.nv
        x0, t0, U = ca.SX.sym("x", width), ca.SX.sym("t"), ca.SX.sym("u", self.eom.nu, 3)

        def slope(r: Expression, x: Expression) -> Expression:
            at = U @ ca.vertcat((1 - r) * (1 - 2 * r), 4 * r * (1 - r), r * (2 * r - 1))
            return rate(t0 + r * h, x[:nq], x[nq:], at, ca.DM(self.p))

        k = ca.SX.sym("k")  # one step of Runge and Kutta from the part k of an interval, repeated
        d, hs = 1.0 / steps, h / steps
        a = slope(k, x0)
        b = slope(k + d / 2, x0 + hs / 2 * a)
        c = slope(k + d / 2, x0 + hs / 2 * b)
        last = slope(k + d, x0 + hs * c)
        step = ca.Function("step", [t0, k, x0, U], [x0 + hs / 6 * (a + 2 * b + 2 * c + last)]).map(self.n)
        x = np.hstack([q, v])
        held = np.hstack([np.stack([u[2 * i], u[2 * i + 1], u[2 * i + 2]], axis=-1) for i in range(self.n)])
        now, times = ca.DM(x[:-1:2].T), ca.DM(h * np.arange(self.n)).T
        for i in range(steps):
            now = step(times, i / steps, now, held)
        return float(np.abs(np.array(now).T - x[2::2]).max())

    @staticmethod
    def _times(T: ca.MX, points: int) -> ca.MX:
        return T * ca.DM(np.linspace(0.0, 1.0, points)).T

    def _stretched(self, q: ca.MX, S: ca.MX) -> ca.MX:
        """Coordinates with each quaternion longer by its ``s``."""
        if not self._turning:
            return q
        blocks, end = [], 0
        for k, rows in enumerate(self._turning):
            blocks += [q[end : rows.start, :], q[rows, :] * ca.repmat(1.0 + S[k, :], 4, 1)]
            end = rows.stop
        return ca.vertcat(*blocks, q[end:, :])

    def _balance(self) -> ca.Function:
        """Equations of motion of a column, in the order of the velocities."""
        s = self.eom.symbolic
        f = ca.Function("balance", [s.t, s.q, s.v, s.a, s.u, s.p], [s.inverse_dynamics - s.applied])
        column, t = ca.SX.sym("x", self._rows[-1].stop), ca.SX.sym("t")
        rest = f(t, *(column[rows] for rows in self._rows), ca.DM(self.p))
        return ca.Function("rows", [t, column], [ca.densify(rest)])

    def _rates(self) -> ca.Function:
        """Rates of the coordinates from coordinates and velocities."""
        s = self.eom.symbolic
        return ca.Function("rates", [s.q, s.v], [ca.densify(s.coordinate_rate)])

    def _kept(self, T: ca.MX, X: ca.MX, points: int) -> ca.MX:
        if self.keep is None:
            return ca.MX(0, 1)
        in_q, in_v, _, in_u = self._rows
        column, t = ca.SX.sym("x", X.shape[0]), ca.SX.sym("t")
        kept = self.keep(t, column[in_q], column[in_v], column[in_u])
        rows = ca.vertcat(*kept) if isinstance(kept, list | tuple) else ca.SX(cast(Expression, kept))
        return ca.vec(ca.Function("keep", [t, column], [rows]).map(points)(self._times(T, points), X))

    def _bounds(self, q0: Array, qf: Array, v0: Array, vf: Array, free: set[str], points: int) -> tuple[Array, Array]:
        eom, machine = self.eom, self.eom.machine
        in_a, in_u = self._rows[2:]
        low, high = np.full((points, in_u.stop), -np.inf), np.full((points, in_u.stop), np.inf)
        names = [*eom.q_names, *eom.v_names, *(f"\\0{k}" for k in range(eom.nv)), *eom.u_names]
        for joint in machine.joints:
            if joint.name in eom.q_names:
                k = eom.q_names.index(joint.name)
                low[:, k], high[:, k] = joint.limits.lower, joint.limits.upper
        for actuator in machine.actuators:
            k = names.index(actuator.name, in_u.start)
            low[:, k], high[:, k] = (
                (0.0 if getattr(actuator, "one_sided", False) else -actuator.effort),
                actuator.effort,
            )
        for name, (below, above) in self.limits.items():
            k = names.index(name) if name in names else names.index(name.removeprefix("u."), in_u.start)
            low[:, k], high[:, k] = np.maximum(low[:, k], below), np.minimum(high[:, k], above)
        low[0, : in_a.start] = high[0, : in_a.start] = np.concatenate([q0, v0])
        fixed = [k for k, name in enumerate((*eom.q_names, *eom.v_names)) if name not in free]
        last = np.concatenate([qf, vf])
        low[-1, fixed] = high[-1, fixed] = last[fixed]
        return low, high

    def _guess(self, q0: Array, qf: Array, guess: Callable[[Array], Array] | None, points: int) -> Array:
        """Columns to start from: along the shortest way, each attitude about one axis."""
        eom = self.eom
        T = 0.5 * (self.shortest + self.longest)
        t = np.linspace(0.0, T, points)
        s = t / T
        a, b, d, r = ca.SX.sym("a", eom.nq), ca.SX.sym("b", eom.nq), ca.SX.sym("d", eom.nv), ca.SX.sym("r")
        layout = eom.layout
        way = np.array(ca.Function("way", [a, b], [ca.densify(layout.difference(a, b))])(q0, qf))
        along = ca.Function("along", [a, d, r], [ca.densify(layout.integrate(a, r * d))])
        q = np.array(along.map(points)(q0, way, (s**3 * (10 - 15 * s + 6 * s * s))[None, :])).T
        if guess is not None:
            q = as_numbers(guess(t))
            if q.shape != (points, eom.nq) or not np.isfinite(q).all():
                what = f"shape {q.shape}" if q.shape != (points, eom.nq) else "some that are not finite"
                raise InputError(f"guess must return coordinates ({points}, {eom.nq}), got {what}")
        x = eom.symbolic
        B = ca.Function("B", [x.q], [ca.densify(ca.jacobian(x.coordinate_rate, x.v))])
        v = np.stack(
            [
                np.linalg.lstsq(np.array(B(y)), z, rcond=None)[0]
                for y, z in zip(q, np.gradient(q, t, axis=0), strict=True)
            ]
        )
        return np.hstack([q, v, np.gradient(v, t, axis=0), np.zeros((points, eom.nu))])
