"""A plan as a mathematical problem: phases on CasADi symbols, with their limits, costs and conditions at their ends."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import casadi as ca
import numpy as np

from dalembert.core.types import Array, Expression
from dalembert.optimal.elements import ProgrammeElement
from dalembert.optimal.lobatto import lobatto
from dalembert.optimal.phase_model import PhaseModel
from dalembert.optimal.quasi_static import StaticCoordinates

__all__ = ["PhaseLink", "PhaseProblem", "PlanProblem", "PointColumns", "SoftBound"]


@dataclass(frozen=True, eq=False)
class SoftBound:
    """A bound that may be exceeded at a cost, on an expression."""

    expression: Expression
    lower: float
    upper: float
    linear: float
    quadratic: float


@dataclass(frozen=True, eq=False)
class PhaseLink:
    """How velocities change at the end of a phase.

    Parameters
    ----------
    kind
        ``"smooth"``: not at all; ``"impulse"``: by impulses along ``rows``; ``"jump"``: to ``after``.
    rows
        Rows (m, nv) along which impulses act, on the symbols of the next phase.
    conditions
        Rows that must vanish, on ``before`` and ``after`` and the symbols of the next phase.
    pushes
        Which impulses must not be negative.
    before, after
        Symbols of the velocities before and after.
    """

    kind: str = "smooth"
    rows: Expression | None = None
    conditions: Expression | None = None
    pushes: tuple[bool, ...] = ()
    before: Expression | None = None
    after: Expression | None = None


@dataclass(frozen=True)
class PointColumns:
    """Places of the unknowns at one point of the grid."""

    q: slice
    v: slice
    a: slice
    u: slice
    force: slice
    q_raw: slice
    v_raw: slice
    mu: slice
    nu: slice
    stretch: slice
    slack: slice

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return self.slack.stop


@dataclass(frozen=True, eq=False)
class PhaseProblem:
    """One phase.

    Parameters
    ----------
    name
        Its name.
    model
        Its machine.
    durations
        Shortest and longest duration.
    p
        Values of the parameters.
    lower, upper
        Bounds of coordinates, velocities, inputs and multipliers, one after the other.
    paths, path_lower, path_upper
        Bounded expressions of ``t, q, v, u, a, p`` and of the multipliers.
    path_names
        Their names.
    equal
        Expressions with inputs that vanish at every point.
    servo, servo_names
        Expressions of ``t, q, p`` and of ``t, q, v, p`` that vanish: constraints that the inputs keep. Their time
        derivatives vanish too, and states are projected onto them as onto constraints of the machine.
    soft
        Soft bounds.
    integrand
        Integrand of the cost.
    rate_bounds, rate_weights
        Bounds of the rates of inputs, and their weights in the cost.
    end_fixed
        Values of states (place in ``(q, v)``) at the end.
    end_rows
        Expressions that vanish at the end.
    link
        Change of the velocities at the end, on the way to the next phase.
    intervals
        Intervals of the first grid.
    static
        Coordinates that follow their loads.
    """

    name: str
    model: PhaseModel
    durations: tuple[float, float]
    p: Array
    lower: Array
    upper: Array
    paths: Expression
    path_lower: Array
    path_upper: Array
    path_names: tuple[str, ...]
    equal: Expression
    servo: tuple[Expression, Expression]
    servo_names: tuple[tuple[object, ...], tuple[object, ...]]
    soft: tuple[SoftBound, ...]
    integrand: Expression
    rate_bounds: dict[int, tuple[float, float]]
    rate_weights: dict[int, float]
    end_fixed: dict[int, float]
    end_rows: Expression
    link: PhaseLink
    intervals: int
    static: StaticCoordinates = field(default_factory=StaticCoordinates)

    @property
    def projected(self) -> bool:
        """Whether states are projected onto constraints."""
        return self.held_velocity.numel() > 0

    def _rate(self, g: Expression) -> Expression:
        """Time derivative of an expression."""
        s = self.model.eom.symbolic
        return ca.jtimes(g, s.q, s.coordinate_rate) + ca.jtimes(g, s.v, s.a) + ca.jacobian(g, s.t)

    @cached_property
    def held_position(self) -> Expression:
        """Expressions of the coordinates that vanish: constraints of the machine and servo constraints."""
        return ca.vertcat(self.model.phi, self.servo[0])

    @cached_property
    def held_velocity(self) -> Expression:
        """Expressions of the velocities that vanish."""
        return ca.vertcat(self.model.velocity, self._rate(self.servo[0]), self.servo[1])

    @cached_property
    def held_acceleration(self) -> Expression:
        """Expressions of the accelerations that vanish."""
        model, s = self.model, self.model.eom.symbolic
        own = model.jacobian @ s.a - model.rhs if model.m else ca.SX(0, 1)
        return ca.vertcat(own, self._rate(self._rate(self.servo[0])), self._rate(self.servo[1]))

    @property
    def held_names(self) -> tuple[list[object], list[object]]:
        """Names of the rows of `held_position` and of `held_velocity`."""
        rows = self.model.row_names
        positions: list[object] = [*(rows[i] for i in self.model.holonomic), *self.servo_names[0]]
        return positions, [*rows, *self.servo_names[0], *self.servo_names[1]]

    @cached_property
    def bounded(self) -> list[int]:
        """Places in (q, v, u) of bounded quantities; components of quaternions have no polynomials within bounds."""
        e = self.model.eom
        turning = {i for r in self.model.quaternions for i in range(r.start, r.stop)}
        finite = np.isfinite(self.lower) | np.isfinite(self.upper)
        return [k for k in np.flatnonzero(finite).tolist() if k < e.nq + e.nv + e.nu and k not in turning]

    @cached_property
    def columns(self) -> PointColumns:
        """Places of the unknowns of a point."""
        e, m = self.model.eom, self.model.m
        held = (self.held_position.numel(), self.held_velocity.numel())
        raw = (e.nq, e.nv, *held) if self.projected else (0, 0, 0, 0)
        sizes = [e.nq, e.nv, e.nv, e.nu, m, *raw, len(self.model.quaternions), len(self.soft)]
        ends = np.cumsum([0, *sizes])
        return PointColumns(*(slice(int(i), int(j)) for i, j in pairwise(ends)))


@dataclass(frozen=True, eq=False)
class PlanProblem:
    """All phases, the free parameters, and conditions that join them.

    Parameters
    ----------
    phases
        The phases in order.
    t0
        Time at which the plan starts.
    start_fixed
        Values of states (place in ``(q, v)``) at the start.
    free
        Free parameters: place in ``p``, lower and upper bound.
    time_weight
        Weight of the duration in the cost.
    terminal
        Cost at the end, an expression of the symbols of the last phase.
    periodic
        States (places in ``(q, v)``) that end as they start, and by how much they advance.
    total
        Shortest and longest duration of all phases together; None: as the phases allow.
    start_inputs
        Values of inputs (place in ``u``) at the start.
    elements
        Elements that were made already.
    """

    phases: tuple[PhaseProblem, ...]
    t0: float
    start_fixed: dict[int, float]
    free: dict[int, tuple[float, float]]
    time_weight: float
    terminal: Expression
    periodic: dict[int, float] = field(default_factory=dict)
    total: tuple[float, float] | None = None
    start_inputs: dict[int, float] = field(default_factory=dict)
    elements: dict[tuple[object, ...], ProgrammeElement] = field(default_factory=dict)

    @property
    def nx(self) -> int:
        """Number of states."""
        e = self.phases[0].model.eom
        return int(e.nq + e.nv)

    @property
    def smooth_inputs(self) -> bool:
        """Whether inputs must not jump, because their rates count."""
        return any(p.rate_bounds or p.rate_weights for p in self.phases)

    # -- elements ---------------------------------------------------------------------------------------------------

    def _parameters(self, phase: PhaseProblem, theta: Expression) -> Expression:
        p = ca.SX(ca.DM(phase.p))
        for k, place in enumerate(self.free):
            p[place] = theta[k]
        return p

    def _once(self, key: tuple[object, ...], make: object) -> ProgrammeElement:
        if key not in self.elements:
            self.elements[key] = make()  # type: ignore[operator]
        return self.elements[key]

    def point(self, index: int) -> ProgrammeElement:
        """Equations, conditions and cost at one point; unknowns: column, start and duration of the segment, parameters.

        Constants: fraction of the segment's time, and weight of the quadrature as a fraction of its duration.
        """
        return self._once(("point", index), lambda: self._point(index))

    def _point(self, index: int) -> ProgrammeElement:
        phase = self.phases[index]
        model, k = phase.model, phase.columns
        s = model.eom.symbolic
        z, start, D = ca.SX.sym("z", k.size), ca.SX.sym("start"), ca.SX.sym("D")
        theta, c = ca.SX.sym("theta", len(self.free)), ca.SX.sym("c", 2)
        rows = [model.balance, phase.held_acceleration, phase.held_velocity, phase.held_position]
        rows += [ca.vertcat(ca.SX(0, 1), *(ca.sumsqr(s.q[r]) - 1 for r in model.quaternions))]
        mu, nu = (ca.SX.sym(n, x.numel()) for n, x in (("mu", phase.held_position), ("nu", phase.held_velocity)))
        stretch = ca.SX.sym("stretch", len(model.quaternions))
        q_raw, v_raw = (ca.SX.sym("r", n) if phase.projected else ca.SX(0, 1) for n in (model.eom.nq, model.eom.nv))
        if phase.projected:
            along_q, along_v = ca.jacobian(phase.held_position, s.q).T, ca.jacobian(phase.held_velocity, s.v).T
            rows += [q_raw - model.stretched(s.q, stretch) - along_q @ mu, v_raw - s.v - along_v @ nu]
        rows += [phase.equal, phase.paths]
        slack = ca.SX.sym("slack", len(phase.soft))
        for i, bound in enumerate(phase.soft):
            rows += [ca.vertcat(bound.expression - slack[i], bound.expression + slack[i])]
        penalty = sum(
            (b.linear * slack[i] + b.quadratic * slack[i] ** 2 for i, b in enumerate(phase.soft)), start=ca.SX(0)
        )
        cost = phase.integrand + penalty
        old = [s.q, s.v, s.a, s.u, model.multipliers, q_raw, v_raw, mu, nu, stretch, slack]
        pairs = [(o, z[r]) for o, r in zip(old, vars(k).values(), strict=True) if o.numel()]
        pairs += [(s.t, start + c[0] * D)] + ([(s.p, self._parameters(phase, theta))] if s.p.numel() else [])
        expressions = ca.substitute(
            [ca.SX(cost), ca.vertcat(*(ca.densify(ca.SX(r)) for r in rows))],
            [o for o, _ in pairs], [ca.SX(n) for _, n in pairs],
        )  # fmt: skip
        w = ca.vertcat(z, start, D, theta)
        return ProgrammeElement(f"point{index}", w, c, expressions[0] * D * c[1], expressions[1], model.eom.backend)

    def point_classes(self, index: int) -> dict[str, slice]:
        """Places of the kinds of rows of `point`."""
        phase = self.phases[index]
        model = phase.model
        e, held, moving = model.eom, phase.held_position.numel(), phase.held_velocity.numel()
        raw = (e.nq, e.nv) if phase.projected else (0, 0)
        sizes = {
            "balance": e.nv, "acceleration": moving, "velocity": moving, "position": held,
            "norm": len(model.quaternions),
            "q_raw": raw[0], "v_raw": raw[1], "equal": phase.equal.numel(), "path": phase.paths.numel(),
            "soft": 2 * len(phase.soft),
        }  # fmt: skip
        ends = np.cumsum([0, *sizes.values()])
        return {name: slice(int(i), int(j)) for name, i, j in zip(sizes, ends[:-1], ends[1:], strict=True)}

    def interval(self, index: int, points: int, hull: bool) -> ProgrammeElement:
        """Collocation over one interval; unknowns: duration of the segment, columns. Constant: fraction of its width.

        With ``hull`` the Bernstein coefficients of bounded coordinates, velocities and inputs follow as rows.
        """
        return self._once(("interval", index, points, hull), lambda: self._interval(index, points, hull))

    def _interval(self, index: int, points: int, hull: bool) -> ProgrammeElement:
        phase, method = self.phases[index], lobatto(points)
        model, k = phase.model, phase.columns
        layout = model.eom.layout
        D, c = ca.SX.sym("D"), ca.SX.sym("c", 1)
        Z = [ca.SX.sym(f"z{i}", k.size) for i in range(points)]
        h = D * c
        rates = [ca.vertcat(layout.rates(z[k.q], z[k.v]), z[k.a]) for z in Z]
        rows = []
        for i in range(1, points):
            z = Z[i]
            if phase.projected:
                reached = ca.vertcat(z[k.q_raw], z[k.v_raw])
            else:
                reached = ca.vertcat(model.stretched(z[k.q], z[k.stretch]), z[k.v])
            step = sum((method.A[i, j] * rates[j] for j in range(points)), start=ca.SX(self.nx, 1))
            rows.append(reached - ca.vertcat(Z[0][k.q], Z[0][k.v]) - h * step)
        # inner points relative to the line between the ends: for three points the form of Hermite and Simpson
        rows = [row - c_i * rows[-1] for row, c_i in zip(rows[:-1], method.c[1:-1], strict=True)] + rows[-1:]
        cost = ca.SX(0)
        slopes = method.slopes
        used = sorted({*phase.rate_bounds, *phase.rate_weights})
        for place in used:
            u = ca.vertcat(*(z[k.u][place] for z in Z))
            rate = ca.DM(slopes) @ u / h
            if place in phase.rate_bounds:
                rows.append(ca.DM(method.hull) @ rate)
            cost += phase.rate_weights.get(place, 0.0) * h * ca.dot(ca.DM(method.b), rate**2)
        for place in phase.bounded if hull else ():
            if place < self.nx and place not in phase.static.q:
                first, slope = ca.vertcat(Z[0][k.q], Z[0][k.v])[place], ca.vertcat(*(r[place] for r in rates))
                rows.append((first + h * (ca.DM(method.integral_hull) @ slope))[1:-1])
            else:
                values = ca.vertcat(*(z[k.q][place] if place < self.nx else z[k.u][place - self.nx] for z in Z))
                rows.append((ca.DM(method.hull) @ values)[1:-1])
        return ProgrammeElement(f"interval{index}", ca.vertcat(D, *Z), c, cost, ca.vertcat(*rows), "vm")

    def end(self, index: int) -> ProgrammeElement:
        """Conditions at the end of a phase; unknowns: column, start and duration of the segment, parameters."""
        return self._once(("end", index), lambda: self._end(index))

    def _end(self, index: int) -> ProgrammeElement:
        phase = self.phases[index]
        s, k = phase.model.eom.symbolic, phase.columns
        z, start, D = ca.SX.sym("z", k.size), ca.SX.sym("start"), ca.SX.sym("D")
        theta = ca.SX.sym("theta", len(self.free))
        last = index == len(self.phases) - 1
        pairs = [(s.q, z[k.q]), (s.v, z[k.v]), (s.a, z[k.a]), (s.u, z[k.u]), (phase.model.multipliers, z[k.force])]
        pairs += [(s.t, start + D), (s.p, self._parameters(phase, theta))]
        pairs = [(o, n) for o, n in pairs if o.numel()]
        cost, rows = ca.substitute(
            [ca.SX(self.terminal) if last else ca.SX(0), ca.densify(phase.end_rows)],
            [o for o, _ in pairs], [ca.SX(n) for _, n in pairs],
        )  # fmt: skip
        return ProgrammeElement(f"end{index}", ca.vertcat(z, start, D, theta), ca.SX(0, 1), cost, rows, "vm")

    def transition(self, index: int) -> ProgrammeElement:
        """Change of the velocities after a phase; unknowns: q, v before, v after, impulses, time, parameters."""
        return self._once(("link", index), lambda: self._transition(index))

    def _transition(self, index: int) -> ProgrammeElement:
        link, phase = self.phases[index].link, self.phases[index + 1]
        eom = phase.model.eom
        s = eom.symbolic
        assert link.before is not None and link.after is not None
        q, before, after = (ca.SX.sym(n, k) for n, k in (("q", eom.nq), ("before", eom.nv), ("after", eom.nv)))
        impulses, t, theta = ca.SX.sym("impulse", len(link.pushes)), ca.SX.sym("t"), ca.SX.sym("theta", len(self.free))
        rows = [ca.SX(0, 1) if link.conditions is None else link.conditions]
        if link.kind == "impulse" and link.rows is not None:
            rows.append(ca.SX(s.mass_matrix) @ (link.after - link.before) + link.rows.T @ impulses)
        pairs = [(s.q, q), (link.before, before), (link.after, after), (s.t, t), (s.p, self._parameters(phase, theta))]
        pairs = [(o, n) for o, n in pairs if o.numel()]
        (expression,) = ca.substitute(
            [ca.vertcat(*(ca.densify(ca.SX(r)) for r in rows))], [o for o, _ in pairs], [ca.SX(n) for _, n in pairs]
        )
        w = ca.vertcat(q, before, after, impulses, t, theta)
        return ProgrammeElement(f"link{index}", w, ca.SX(0, 1), ca.SX(0), expression, "vm")

    def clock(self) -> ProgrammeElement:
        """Time after a segment, and the cost of its duration; unknowns: start, duration, start of the next one."""
        w = ca.SX.sym("w", 3)
        return self._once(
            ("clock",),
            lambda: ProgrammeElement("clock", w, ca.SX(0, 1), self.time_weight * w[1], w[2] - w[0] - w[1], "vm"),
        )

    def span(self, states: tuple[int, ...]) -> ProgrammeElement:
        """Differences of states at the end and at the start: for periodic motions."""

        def make() -> ProgrammeElement:
            w = ca.SX.sym("w", 2 * len(states))
            return ProgrammeElement("span", w, ca.SX(0, 1), ca.SX(0), w[len(states) :] - w[: len(states)], "vm")

        return self._once(("span", states), make)

    def whole(self) -> ProgrammeElement:
        """Duration of a phase of several segments; unknowns: its start and its end."""
        w = ca.SX.sym("w", 2)
        return self._once(("whole",), lambda: ProgrammeElement("whole", w, ca.SX(0, 1), ca.SX(0), w[1] - w[0], "vm"))
