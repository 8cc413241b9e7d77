"""Optimal motions of any machine by direct collocation (Hermite and Simpson), solved by IPOPT.

Coordinates, velocities, accelerations and inputs at the nodes of a grid and in the middle between them are unknowns.
Between nodes the motion is a cubic; the equations of motion ``M a + C v + dV/dq = B u + losses`` hold at nodes and
middles, in the form of the inverse dynamics, which needs no inverse of the mass matrix. The order is four.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError, PlanError
from dalembert.core.states import named_vector
from dalembert.core.types import Array, StateLike
from dalembert.core.validation import check_number
from dalembert.formulations.equations import EquationsOfMotion, MachineOrEquations, Parameters, derive

__all__ = ["OptimalMotion", "optimal_motion"]


@dataclass(frozen=True)
class OptimalMotion:
    """A motion that costs least.

    Attributes
    ----------
    t
        Times of the nodes and of the middles between them (2 n + 1).
    q, v, a, u
        Coordinates, velocities, accelerations and inputs there.
    duration
        Of the whole motion [s].
    cost
        What was minimised.
    q_names, u_names
        Names of coordinates and inputs.
    iterations
        Of the solver.
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

    def inputs(self, t: ArrayLike) -> Array:
        """Inputs at times (...): parabolas through node, middle and node; held before and after."""
        return _between(self.t, self.u, t)

    def coordinates(self, t: ArrayLike) -> Array:
        """Coordinates at times (...): cubics through the nodes with their velocities."""
        s = np.clip(np.asarray(t, dtype=float), self.t[0], self.t[-1])
        nodes, q, v = self.t[::2], self.q[::2], self.v[::2]
        k = np.clip(np.searchsorted(nodes, s, side="right") - 1, 0, len(nodes) - 2)
        h = (nodes[k + 1] - nodes[k])[..., None]
        x = (s - nodes[k])[..., None] / h
        up, down = x * x * (3.0 - 2.0 * x), 1.0 - x * x * (3.0 - 2.0 * x)
        return np.asarray(down * q[k] + up * q[k + 1] + h * x * (1 - x) * ((1 - x) * v[k] - x * v[k + 1]))


def _between(t: Array, y: Array, at: ArrayLike) -> Array:
    s = np.clip(np.asarray(at, dtype=float), t[0], t[-1])
    nodes = t[::2]
    k = np.clip(np.searchsorted(nodes, s, side="right") - 1, 0, len(nodes) - 2)
    x = ((s - nodes[k]) / (nodes[k + 1] - nodes[k]))[..., None]
    a, b, c = y[2 * k], y[2 * k + 1], y[2 * k + 2]
    return np.asarray((1 - x) * (1 - 2 * x) * a + 4 * x * (1 - x) * b + x * (2 * x - 1) * c)


def optimal_motion(
    machine: MachineOrEquations,
    start: StateLike,
    end: StateLike,
    *,
    duration: float | tuple[float, float],
    intervals: int = 20,
    start_rate: StateLike = None,
    end_rate: StateLike = None,
    free: tuple[str, ...] = (),
    time_weight: float = 0.0,
    effort_weight: float = 1.0,
    limits: Mapping[str, tuple[float, float]] | None = None,
    keep: Callable[[Any, Any, Any, Any], Any] | None = None,
    guess: Callable[[Array], Array] | None = None,
    p: Parameters = None,
    max_iterations: int = 300,
) -> OptimalMotion:
    """Motion of a machine between two states that costs least, within limits.

    It minimises ``integral of effort_weight |u|^2 + time_weight`` over the motion, and over its duration where that is
    a range. Inputs keep the ``effort`` of their motors and thrusters, coordinates the limits of their joints.

    Parameters
    ----------
    machine
        A machine whose velocities are the rates of its coordinates, or its equations.
    start, end
        Coordinates at begin and end: numbers, or a mapping of names to numbers (the others are neutral).
    duration
        Seconds, or the range within which it is chosen.
    intervals
        Intervals of the grid.
    start_rate, end_rate
        Velocities at begin and end; None: at rest.
    free
        Coordinates that may end anywhere.
    time_weight, effort_weight
        Of the criterion.
    limits
        Ranges of coordinates, velocities and inputs by name, besides those of the machine.
    keep
        ``keep(t, q, v, u)`` returns CasADi expressions that must not be positive, at every node and middle.
    guess
        Coordinates (n, nq) at times (n) from which the solver starts; None: a smooth step from start to end.
    p
        Parameter values.
    max_iterations
        After which the solver gives up.

    Raises
    ------
    PlanError
        If the solver finds no motion; the message says what it says.

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
    own = eom.machine
    if eom.layout.quaternions or eom.nq != eom.nv or own.constrained:
        raise InputError(
            f"optimal_motion needs a machine whose velocities are the rates of its coordinates, without quaternions "
            f"and constraints; machine '{own.name}' is not"
        )
    if not own.nu:
        raise InputError(f"machine '{own.name}' has neither motors nor thrusters: nothing can move it")
    if isinstance(intervals, bool) or not isinstance(intervals, int) or intervals < 2:
        raise InputError(f"intervals must be an integer >= 2, got {intervals!r}")
    shortest, longest = _durations(duration)
    q0, qf = (named_vector(x, own.q_names, own.q_neutral, n) for x, n in ((start, "start"), (end, "end")))
    v0, vf = (
        named_vector(x, own.v_names, np.zeros(own.nv), n)
        for x, n in ((start_rate, "start_rate"), (end_rate, "end_rate"))
    )
    unknown = [n for n in (*free, *(limits or {})) if n not in (*own.q_names, *own.v_names, *own.u_names)]
    if unknown:
        raise InputError(f"machine '{own.name}' has no coordinate, velocity or input {', '.join(map(repr, unknown))}")
    problem = _Problem(eom, intervals, shortest, longest, dict(limits or {}), keep, eom.parameter_values(p))
    return problem.solve(q0, qf, v0, vf, set(free), time_weight, effort_weight, guess, max_iterations)


def _durations(duration: Any) -> tuple[float, float]:
    if isinstance(duration, tuple | list):
        if len(duration) != 2 or not 0.0 < duration[0] < duration[1] < np.inf:
            raise InputError(f"duration must be a time or a range 0 < shortest < longest, got {duration!r}")
        return float(duration[0]), float(duration[1])
    value = check_number("duration", duration, unit="s")
    return value, value


@dataclass(frozen=True)
class _Problem:
    """The nonlinear programme; unknowns are the columns (q, v, a, u) at nodes and middles, and the duration."""

    eom: EquationsOfMotion
    n: int
    shortest: float
    longest: float
    limits: dict[str, tuple[float, float]]
    keep: Callable[[Any, Any, Any, Any], Any] | None
    p: Array

    def solve(
        self, q0: Array, qf: Array, v0: Array, vf: Array, free: set[str], time_weight: float, effort_weight: float,
        guess: Callable[[Array], Array] | None, most: int,
    ) -> OptimalMotion:  # fmt: skip
        eom, n = self.eom, self.n
        nq, nu, points = eom.nq, eom.nu, 2 * n + 1
        X = ca.MX.sym("X", 3 * nq + nu, points)
        T = ca.MX.sym("T")
        h = T / n
        q, v, a, u = X[:nq, :], X[nq : 2 * nq, :], X[2 * nq : 3 * nq, :], X[3 * nq :, :]
        left, middle, right = slice(0, points - 1, 2), slice(1, points, 2), slice(2, points, 2)
        g = [self._balance().map(points)(self._times(T, points), X)]
        for y, rate in ((q, v), (v, a)):
            step = h / 6 * (rate[:, left] + 4 * rate[:, middle] + rate[:, right])
            g.append(y[:, right] - y[:, left] - step)
            g.append(y[:, middle] - (y[:, left] + y[:, right]) / 2 - h / 8 * (rate[:, left] - rate[:, right]))
        equal = ca.vertcat(*[ca.vec(x) for x in g])
        kept = self._kept(T, X, points)
        weights = np.ones(points)
        weights[1::2], weights[2:-1:2] = 4.0, 2.0
        effort = h / 6 * ca.sum2(ca.DM(weights).T * ca.sum1(u**2))
        # an integral of the squared input is the criterion; the length of the motion only counts where it is free
        cost = effort_weight * effort + time_weight * T
        low, high = self._bounds(q0, qf, v0, vf, free, points)
        x = ca.vertcat(ca.vec(X), T)
        nlp = {"x": x, "f": cost, "g": ca.vertcat(equal, kept)}
        options: Any = {"ipopt.print_level": 0, "print_time": False, "ipopt.sb": "yes", "ipopt.max_iter": most}
        solver = ca.nlpsol("motion", "ipopt", nlp, options)
        first = self._guess(q0, qf, guess, points)
        count = kept.shape[0]
        zeros = np.zeros(equal.shape[0])
        found = solver(
            x0=np.clip(first, low, high),
            lbx=low,
            ubx=high,
            lbg=np.concatenate([zeros, np.full(count, -np.inf)]),
            ubg=np.concatenate([zeros, np.zeros(count)]),
        )
        stats = solver.stats()
        if not stats["success"]:
            status = str(stats["return_status"]).replace("_", " ").lower()
            worst = float(np.abs(np.array(found["g"])[: equal.shape[0]]).max())
            raise PlanError(
                f"no motion of machine '{eom.machine.name}' within the limits was found: {status} after "
                f"{stats['iter_count']} iterations, equations of motion missed by {worst:.2g}; give more time, wider "
                "limits or a guess"
            )
        values = np.array(found["x"])[:, 0]
        columns = values[:-1].reshape(points, -1)
        return OptimalMotion(
            np.linspace(0.0, values[-1], points), columns[:, :nq], columns[:, nq : 2 * nq], columns[:, 2 * nq : 3 * nq],
            columns[:, 3 * nq :], float(values[-1]), float(found["f"]), tuple(eom.q_names), tuple(eom.u_names),
            int(stats["iter_count"]),
        )  # fmt: skip

    @staticmethod
    def _times(T: Any, points: int) -> Any:
        return T * ca.DM(np.linspace(0.0, 1.0, points)).T

    def _balance(self) -> Any:
        """Equations of motion of a column, in the order of the velocities."""
        s = self.eom.symbolic
        rest = s.inverse_dynamics - s.applied
        x = ca.vertcat(s.q, s.v, s.a, s.u)
        f = ca.Function("balance", [s.t, s.q, s.v, s.a, s.u, s.p], [rest])
        column = ca.SX.sym("x", x.shape[0])
        n = self.eom.nq
        parts = (column[:n], column[n : 2 * n], column[2 * n : 3 * n], column[3 * n :])
        t = ca.SX.sym("t")
        return ca.Function("rows", [t, column], [ca.densify(f(t, *parts, ca.DM(self.p)))])

    def _kept(self, T: Any, X: Any, points: int) -> Any:
        if self.keep is None:
            return ca.MX(0, 1)
        n = self.eom.nq
        column, t = ca.SX.sym("x", X.shape[0]), ca.SX.sym("t")
        made = self.keep(t, column[:n], column[n : 2 * n], column[3 * n :])
        rows = ca.vertcat(*made) if isinstance(made, list | tuple) else ca.SX(made)
        return ca.vec(ca.Function("keep", [t, column], [rows]).map(points)(self._times(T, points), X))

    def _bounds(self, q0: Array, qf: Array, v0: Array, vf: Array, free: set[str], points: int) -> tuple[Array, Array]:
        eom, own = self.eom, self.eom.machine
        n = eom.nq
        low, high = np.full((points, 3 * n + eom.nu), -np.inf), np.full((points, 3 * n + eom.nu), np.inf)
        names = [*eom.q_names, *eom.v_names, *(f"\\0{k}" for k in range(n)), *eom.u_names]
        for joint in own.joints:
            if joint.name in eom.q_names:
                k = eom.q_names.index(joint.name)
                low[:, k], high[:, k] = joint.limits.lower, joint.limits.upper
        for part in (*own.limited_motors, *own.thrusters):
            k = names.index(part.name, 3 * n)
            low[:, k], high[:, k] = (0.0 if getattr(part, "one_sided", False) else -part.effort), part.effort
        for name, (below, above) in self.limits.items():
            k = names.index(name)
            low[:, k], high[:, k] = np.maximum(low[:, k], below), np.minimum(high[:, k], above)
        low[0, : 2 * n] = high[0, : 2 * n] = np.concatenate([q0, v0])
        fixed = [k for k, name in enumerate((*eom.q_names, *eom.v_names)) if name not in free]
        last = np.concatenate([qf, vf])
        low[-1, fixed] = high[-1, fixed] = last[fixed]
        return np.append(low.ravel(), self.shortest), np.append(high.ravel(), self.longest)

    def _guess(self, q0: Array, qf: Array, guess: Callable[[Array], Array] | None, points: int) -> Array:
        n, nu = self.eom.nq, self.eom.nu
        T = 0.5 * (self.shortest + self.longest)
        t = np.linspace(0.0, T, points)
        s = (t / T)[:, None]
        q = q0 + (qf - q0) * s**3 * (10 - 15 * s + 6 * s * s)
        if guess is not None:
            q = np.asarray(guess(t), dtype=float)
            if q.shape != (points, n):
                raise InputError(f"guess must return coordinates ({points}, {n}), got shape {q.shape}")
        v = np.gradient(q, t, axis=0)
        columns = np.hstack([q, v, np.gradient(v, t, axis=0), np.zeros((points, nu))])
        return np.append(columns.ravel(), T)
