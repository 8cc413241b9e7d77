"""From machine, phases, limits and cost to the mathematical problem of a plan."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.parameter import nominal
from dalembert.core.types import Array, Expression
from dalembert.core.validation import check_number
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.model.checks import refuse_stick
from dalembert.optimal.cost import Cost
from dalembert.optimal.limits import QuantityBound, bounds_of
from dalembert.optimal.phase_model import PhaseModel, unsaturated
from dalembert.optimal.phases import Condition, Phase, duration_range
from dalembert.optimal.problem import PhaseLink, PhaseProblem, PlanProblem, SoftBound
from dalembert.optimal.quantities import INPUT, STATE, quantity
from dalembert.optimal.quasi_static import StaticCoordinates, static_coordinates

__all__ = ["PlanEnds", "plan_problem"]


@dataclass(frozen=True, eq=False)
class PlanEnds:
    """States at the ends of a plan, as places in ``(q, v)`` with their values, and times.

    Parameters
    ----------
    start
        Prescribed states at the start.
    end
        Prescribed states at the end.
    conditions
        Values of other quantities at the end, by name or text.
    periodic
        States that end as they start, with their advance.
    q_start, v_start, q_end
        States at the start and coordinates at the end, prescribed or not.
    t0
        Time of the start.
    inputs
        Prescribed inputs at the start, by place.
    """

    start: dict[int, float]
    end: dict[int, float]
    conditions: Mapping[str, float]
    periodic: dict[int, float]
    q_start: Array
    v_start: Array
    q_end: Array
    t0: float = 0.0
    inputs: Mapping[int, float] = field(default_factory=dict)


def plan_problem(
    eom: EquationsOfMotion,
    phases: Sequence[Phase],
    ends: PlanEnds,
    *,
    cost: Cost,
    limits: Mapping[str, Any] | None,
    keep: Condition | None,
    equal: Condition | None,
    p: Array,
    parameters: Mapping[str, tuple[float, float]],
    reference: Mapping[str, float],
    intervals: int,
    total: tuple[float, float] | None = None,
    static: float | Sequence[str] | None = None,
) -> PlanProblem:
    """Return the problem of a plan; see `dalembert.optimise`."""
    machine = eom.machine
    where = f"machine '{machine.name}'"
    refuse_stick(machine, "optimise", "its friction is not a function of the state; use friction_law='smooth'")
    if not machine.nu:
        raise InputError(f"{where} has neither motors nor thrusters: nothing can move it")
    limited, eom = eom, unsaturated(eom)
    free = _free_parameters(eom, parameters)
    values = [_phase_parameters(eom, phase, p) for phase in phases]
    models = [
        PhaseModel.of(eom, phase.active, ends.q_start, ends.t0, x, f"phase '{phase.name}'")
        for phase, x in zip(phases, values, strict=True)
    ]
    follows = static_coordinates(models[0], static, ends.t0, ends.q_start, values[0])
    for model, x in zip(models[1:], values[1:], strict=True):
        static_coordinates(model, [eom.q_names[k] for k in follows.q] or None, ends.t0, ends.q_start, x)
    ends = _without_static(eom, ends, follows, phases)
    if cost.terminal == "lqr":
        raise InputError("a plan has no regulator after its end: give terminal weights by name, or end conditions")
    problems = []
    for k, (phase, model, x) in enumerate(zip(phases, models, values, strict=True)):
        last = k == len(phases) - 1
        fixed, rows = _end_conditions(eom, phase.end, f"end of phase '{phase.name}'")
        if last:
            more_fixed, more = _end_conditions(eom, ends.conditions, "end")
            fixed, rows = {**fixed, **more_fixed, **ends.end}, [*rows, *more]
        link = PhaseLink() if last else _link(phase, model, models[k + 1])
        if follows and link.kind != "smooth":
            raise InputError(
                f"velocities jump after phase '{phase.name}', which makes fast deflections vibrate: they cannot follow "
                "their loads (static)"
            )
        if phase.impact is not None and last:
            raise InputError(f"phase '{phase.name}' ends with an impact, but no phase follows it")
        if phase.impact is not None:
            rows.append(_gap(model, phase.impact))
        problems.append(
            _Builder(limited, model, phase, cost, reference).built(
                [limits, phase.limits], [keep, phase.keep], [equal, phase.equal], x, fixed, rows, link,
                phase.intervals or intervals, follows,
            )
        )  # fmt: skip
    terminal = ca.SX(0)
    for name, weight in cast(Mapping[str, float], cost.terminal or {}).items():
        text = f"{STATE}{name}" if name in (*eom.q_names, *eom.v_names) else name
        y = quantity(eom, text, "terminal weight of the cost").expression
        terminal = terminal + weight * (y - reference.get(name, 0.0)) ** 2
    return PlanProblem(
        tuple(problems), ends.t0, ends.start, free, cost.time, terminal, ends.periodic, total, dict(ends.inputs)
    )


def _without_static(
    eom: EquationsOfMotion, ends: PlanEnds, static: StaticCoordinates, phases: Sequence[Phase]
) -> PlanEnds:
    """Return the ends without conditions of coordinates that follow their loads; refuse those that are prescribed."""
    if not static:
        return ends
    states, left = (*eom.q_names, *eom.v_names), static.states(eom.nq)
    for k in sorted(left):
        value = ends.end.get(k)
        if value is not None and (k < eom.nq or value):
            raise InputError(
                f"end: '{states[k]}' follows its load (static) and cannot be prescribed; leave it out, and end with "
                "inputs that do not load it"
            )
        for phase in phases:
            if states[k] in phase.end:
                raise InputError(f"end of phase '{phase.name}': '{states[k]}' follows its load (static)")
    kept = [{k: x for k, x in group.items() if k not in left} for group in (ends.start, ends.end, ends.periodic)]
    return replace(ends, start=kept[0], end=kept[1], periodic=kept[2])


def _free_parameters(eom: EquationsOfMotion, parameters: Mapping[str, tuple[float, float]]) -> dict[int, Any]:
    free = {}
    for name, limits in parameters.items():
        if name not in eom.p_names:
            raise UnknownNameError("parameter", name, eom.p_names, f"machine '{eom.machine.name}'")
        free[eom.p_names.index(name)] = duration_like(limits, f"range of parameter '{name}'")
    return free


def duration_like(limits: object, what: str) -> tuple[float, float]:
    """Return a range of two numbers."""
    if isinstance(limits, tuple | list) and len(limits) == 2:
        low, high = (check_number(what, x, positive=False) for x in limits)
        if low < high:
            return low, high
    raise InputError(f"{what} must be (lower, upper), got {limits!r}")


def _phase_parameters(eom: EquationsOfMotion, phase: Phase, p: Array) -> Array:
    values = p.copy()
    for name, value in phase.p.items():
        if name not in eom.p_names:
            raise UnknownNameError("parameter", name, eom.p_names, f"phase '{phase.name}'")
        values[eom.p_names.index(name)] = check_number(f"parameter '{name}'", value, positive=False)
    return values


def _end_conditions(
    eom: EquationsOfMotion, conditions: Mapping[str, float], owner: str
) -> tuple[dict[int, float], list[Expression]]:
    """Prescribed states (place in (q, v)), and expressions that vanish."""
    fixed: dict[int, float] = {}
    rows = []
    states = (*eom.q_names, *eom.v_names)
    for name, value in conditions.items():
        number = check_number(f"{owner}: '{name}'", value, positive=False)
        if name in states:
            fixed[states.index(name)] = number
        else:
            rows.append(quantity(eom, name, owner).expression - number)
    return fixed, rows


def _gap(model: PhaseModel, contact: str) -> Expression:
    return model.eom.constraint_system.phi[_contact_row(model, contact)]


def _contact_row(model: PhaseModel, contact: str) -> int:
    names = model.eom.constraint_system.contacts.names if model.latches is not None else ()
    if contact not in names:
        raise UnknownNameError("contact", contact, names, f"machine '{model.eom.machine.name}'")
    return model.eom.constraint_system.row_names.index(contact)


def _link(phase: Phase, model: PhaseModel, after: PhaseModel) -> PhaseLink:
    """Change of the velocities at the end of a phase."""
    eom = after.eom
    s = eom.symbolic
    v_before, v_after = ca.SX.sym("before", eom.nv), ca.SX.sym("after", eom.nv)
    if phase.jump is not None:
        reached = ca.SX(phase.jump(s.q, v_before))
        if reached.numel() != eom.nv:
            raise InputError(f"jump of phase '{phase.name}' must return {eom.nv} velocities, got {reached.numel()}")
        return PhaseLink("jump", None, v_after - reached, (), v_before, v_after)
    begins = [n for n in after.row_names if n not in model.row_names]
    if not begins and phase.impact is None:
        return PhaseLink()
    rows, pushes, conditions = after.jacobian, list(after.unilateral), ca.SX(0, 1)
    if phase.impact is not None and phase.impact not in after.row_names:
        system, k = eom.constraint_system, _contact_row(model, phase.impact)
        assert model.latches is not None
        pair = system.contacts.pairs[system.contacts.names.index(phase.impact)]
        speed = ca.substitute(system.velocity[k], system.latches, ca.DM(model.latches))
        before, later = (ca.substitute(speed, s.v, v) for v in (v_before, v_after))
        conditions = later + ca.SX(eom.symbolic.value(pair.restitution)) * before
        rows = ca.vertcat(rows, ca.substitute(system.jacobian[k, :], system.latches, ca.DM(model.latches)))
        pushes.append(True)
    return PhaseLink("impulse", rows, conditions, tuple(pushes), v_before, v_after)


class _Builder:
    """Limits, conditions and cost of a phase."""

    def __init__(
        self, limited: EquationsOfMotion, model: PhaseModel, phase: Phase, cost: Cost, reference: Mapping[str, float]
    ) -> None:
        self.limited, self.model, self.phase, self.cost, self.reference = limited, model, phase, cost, reference
        e = model.eom
        self.names = [*e.q_names, *e.v_names, *(f"u.{n}" for n in e.u_names), *(f"force.{n}" for n in model.row_names)]
        self.lower, self.upper = np.full(len(self.names), -np.inf), np.full(len(self.names), np.inf)
        self.paths: list[tuple[str, Expression, float, float]] = []
        self.soft: list[SoftBound] = []
        self.rates: dict[int, tuple[float, float]] = {}

    def built(
        self,
        limits: Sequence[Mapping[str, Any] | None],
        keeps: Sequence[Condition | None],
        equals: Sequence[Condition | None],
        p: Array,
        fixed: dict[int, float],
        rows: list[Expression],
        link: PhaseLink,
        intervals: int,
        static: StaticCoordinates,
    ) -> PhaseProblem:
        """Return the phase."""
        self._machine_limits()
        for group in limits:
            for bound in bounds_of(group):
                self._limit(bound)
        for keep in keeps:
            for i, row in enumerate(self._conditions(keep)):
                self.paths.append((f"keep[{i}]", row, -np.inf, 0.0))
        empty = ca.SX(0, 1)
        equal, servo, servo_names = self._sorted(equals)
        self._check_static(static, ca.vertcat(*servo))
        inputs = self.model.eom.u_names
        rate_weights = {inputs.index(n): w for n, w in self.cost.weights("rates", inputs).items()}
        return PhaseProblem(
            self.phase.name, self.model, duration_range(self.phase.duration), p, self.lower, self.upper,
            ca.vertcat(empty, *(x for _, x, _, _ in self.paths)), np.array([x for _, _, x, _ in self.paths]),
            np.array([x for _, _, _, x in self.paths]), tuple(n for n, *_ in self.paths), equal, servo,
            servo_names, tuple(self.soft),
            self._integrand(), self.rates, rate_weights, fixed, ca.vertcat(empty, *rows), link, intervals, static,
        )  # fmt: skip

    def _check_static(self, static: StaticCoordinates, servo: Expression) -> None:
        """Refuse limits of the velocities of coordinates that follow their loads, and conditions that move these."""
        e = self.model.eom
        for k in static.v:
            if np.isfinite(self.lower[e.nq + k]) or np.isfinite(self.upper[e.nq + k]):
                raise InputError(f"limit of '{e.v_names[k]}': its coordinate follows its load (static), without a rate")
        for k in static.q:
            if ca.depends_on(servo, e.symbolic.q[k]):
                raise InputError(f"equal: a condition depends on '{e.q_names[k]}', which follows its load (static)")

    def _bound(self, k: int, lower: float, upper: float) -> None:
        self.lower[k], self.upper[k] = max(self.lower[k], lower), min(self.upper[k], upper)

    def _machine_limits(self) -> None:
        machine, e = self.limited.machine, self.model.eom
        for joint in machine.joints:
            if joint.name in e.q_names:
                self._bound(self.names.index(joint.name), joint.limits.lower, joint.limits.upper)
        for actuator in machine.actuators:
            self._bound(self.names.index(f"u.{actuator.name}"), *actuator.range)
        for motor in machine.motors:
            if np.isfinite(motor.speed):
                rate = e.symbolic.joint_rate(motor.joint) * nominal(motor.ratio)
                self.paths.append((f"speed of {motor.name}", rate, -motor.speed, motor.speed))
        for name, pulls in zip(self.model.row_names, self.model.unilateral, strict=True):
            if pulls:
                self._bound(self.names.index(f"force.{name}"), 0.0, np.inf)
        for k, row in enumerate(self.model.open_rows):
            name = e.constraint_system.row_names[row]
            self.paths.append((f"gap of {name}", self.model.open_phi[k], -np.inf, 0.0))
        for normal, across, mu in self.model.cones:
            x = self.model.multipliers
            inside = (mu * x[normal]) ** 2 - ca.sumsqr(x[across])
            self.paths.append((f"friction of {self.model.row_names[normal]}", inside, 0.0, np.inf))

    def _limit(self, bound: QuantityBound) -> None:
        e, name = self.model.eom, bound.quantity
        machine = e.machine
        known = (*e.q_names, *e.v_names, *e.u_names)
        force = name.removeprefix("tension.").removeprefix("force.")
        if name.startswith(("tension.", "force.")) and force in self.model.row_names:
            k, expression = (
                self.names.index(f"force.{force}"),
                self.model.multipliers[self.model.row_names.index(force)],
            )
        elif name.startswith(("tension.", "force.")) and force in self._all_rows():
            return  # a rope that is slack and a constraint that does not act in this phase have no force
        elif name.startswith("u.") and name.removeprefix("u.") in e.u_names:
            k, expression = self.names.index(name), e.symbolic.u[e.u_names.index(name.removeprefix("u."))]
        elif name in (*e.q_names, *e.v_names):  # also where an input has the same name, which is then u.NAME
            k = self.names.index(name)
            expression = ca.vertcat(e.symbolic.q, e.symbolic.v)[k]
        else:
            y = quantity(e, name, f"limits of machine '{machine.name}'")
            if y.kind == "rate":
                if bound.soft:
                    raise InputError(
                        f"the limit of '{name}' must be hard: rates of inputs have no soft limits in plans"
                    )
                self.rates[y.index] = (bound.lower, bound.upper)
                return
            expression = y.expression
            k = -1 if name not in known else self.names.index(name if y.kind == "state" else f"u.{name}")
        if bound.soft:
            self.soft.append(
                SoftBound(expression, bound.lower, bound.upper, float(bound.linear or 0), float(bound.quadratic or 0))
            )
        elif k >= 0:
            self._bound(k, bound.lower, bound.upper)
        else:
            self.paths.append((name, expression, bound.lower, bound.upper))

    def _all_rows(self) -> tuple[str, ...]:
        return self.model.eom.constraint_system.row_names if self.model.latches is not None else ()

    def _conditions(self, condition: Condition | None) -> list[Expression]:
        if condition is None:
            return []
        s = self.model.eom.symbolic
        arguments = [s.t, s.q, s.v, s.u]
        if len(inspect.signature(condition).parameters) == 5:
            arguments.append(s.p)
        rows = condition(*arguments)
        listed = rows if isinstance(rows, list | tuple) else [cast(Expression, rows)]
        stacked = ca.SX(ca.vertcat(*(ca.SX(row) for row in listed)))
        return [stacked[k] for k in range(stacked.numel())]

    def _sorted(self, equals: Sequence[Condition | None]) -> tuple[Expression, Any, Any]:
        """Conditions with inputs; those of coordinates and of velocities alone, and names of these."""
        s, with_inputs = self.model.eom.symbolic, [ca.SX(0, 1)]
        servo: list[list[Expression]] = [[ca.SX(0, 1)], [ca.SX(0, 1)]]
        names: list[list[object]] = [[], []]
        for condition in equals:
            for i, row in enumerate(self._conditions(condition)):
                if ca.depends_on(row, s.u):
                    with_inputs.append(row)
                    continue
                level = int(ca.depends_on(row, s.v))
                servo[level].append(row)
                names[level].append((id(condition), i))
        stacked = (ca.vertcat(*servo[0]), ca.vertcat(*servo[1]))
        return ca.vertcat(*with_inputs), stacked, (tuple(names[0]), tuple(names[1]))

    def _integrand(self) -> Expression:
        e, cost = self.model.eom, self.cost
        total = cost.effort * ca.sumsqr(e.symbolic.u)
        inputs = cost.weights("inputs", e.u_names)
        for kind, names, group, prefix in (
            ("state", (*e.q_names, *e.v_names), cost.states, STATE), ("input", e.u_names, inputs, INPUT),
        ):  # fmt: skip
            for name, weight in group.items():
                plain = name.removeprefix(prefix)
                if plain not in names:
                    raise UnknownNameError(kind, name, names, "the cost")
                total = total + weight * (self._named(plain, prefix) - self._goal(plain, prefix)) ** 2
        for name, weight in cost.outputs.items():
            y = quantity(e, name, "weight of outputs in the cost")
            total = total + weight * (y.expression - self.reference.get(name, 0.0)) ** 2
        return ca.SX(total)

    def _named(self, name: str, prefix: str) -> Expression:
        return quantity(self.model.eom, f"{prefix}{name}", "the cost").expression

    def _goal(self, name: str, prefix: str) -> float:
        """Reference of a state or an input; a name that both have is that of the state."""
        e = self.model.eom
        both = prefix == INPUT and name in (*e.q_names, *e.v_names)
        return self.reference.get(f"{prefix}{name}", 0.0 if both else self.reference.get(name, 0.0))
