"""Constraints of a machine on CasADi symbols: ``Phi``, its Jacobian and its right side, for any formulation.

    Phi(q, t) = 0,    Phi' = J v + Phi_t = 0,    Phi'' = J v' - gamma = 0                           CDPR (25), (26)

The Jacobian belongs to the velocities (nv columns): ``J = dPhi/dq B`` with ``q' = B(q) v``. Rows are named after their
constraint. Multipliers follow CDPR (1), ``M v' + J^T lambda = f``; the rows of a cable are lengths (not their squares,
as in CDPR 2), so that the multiplier of a cable is its tension in newton, positive when it pulls.

Contacts are rows like those of cables, only that they push: ``Phi`` is the negative gap, which must not be positive,
and the multiplier the normal force, which must not be negative. The tangents of a pair with friction follow as rows
that act while it sticks; they have velocities only, and ``Phi = 0``. The row of a joint with friction that sticks has
one too, ``Phi' = -v``: its multiplier is the friction that acts on the joint. A section of a rope has one row that only
pulls, as a cable, and a row of each sheave with friction, which acts while that sticks (`RopeSection`).

Latches (`LatchTable`) tell which rows act, and keep the numbers that constraints measured when they began to act.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from dalembert.core.ports import Formulation
from dalembert.core.types import Array, Expression
from dalembert.formulations.actuation import actuator_efforts, gear_friction
from dalembert.formulations.constraints.latches import STICKING, LatchTable, latches_before_routes
from dalembert.formulations.constraints.ropes import RopeSection
from dalembert.formulations.constraints.row_context import FormulationContext, FormulationRates
from dalembert.formulations.contact.system import ContactSystem
from dalembert.model.cables import Cable, CablePath
from dalembert.model.constraints import Rubbing
from dalembert.model.context import MachineContext
from dalembert.model.machine import Machine
from dalembert.model.ropes import RopeBase, Route, RouteSection

__all__ = ["ConstraintRows", "ConstraintSystem", "sticking_names"]


@dataclass(frozen=True)
class ConstraintRows:
    """Rows of one constraint.

    Parameters
    ----------
    name
        Name of the constraint, cable or body.
    kind
        ``"constraint"``, ``"cable"``, ``"rope"`` (a section of one), ``"sheave"``, ``"contact"``, ``"friction"`` (of a
        contact), ``"stick"`` (of a joint) or ``"internal"`` (of the coordinates themselves).
    start, stop
        Range of its rows.
    flag
        Index in ``latches`` of its switch, -1 if it always acts.
    unilateral
        Whether its multiplier must not be negative.
    """

    name: str
    kind: str
    start: int
    stop: int
    flag: int = -1
    unilateral: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the rows."""
        count = self.stop - self.start
        name = f"{self.name}.friction" if self.kind in ("friction", "stick", "sheave") else self.name
        return (name,) if count == 1 else tuple(f"{name}[{k}]" for k in range(count))


class ConstraintSystem:
    """All constraints of a set of equations.

    Parameters
    ----------
    formulation
        Delivers the poses of the frames and, for redundant coordinates, its own constraints.
    contacts
        The contacts; None: those of the machine.
    """

    def __init__(self, formulation: Formulation, contacts: ContactSystem | None = None) -> None:
        self.machine: Machine = formulation.machine
        self.formulation = formulation
        self.variables = formulation.variables
        self.contacts = ContactSystem(formulation) if contacts is None else contacts
        self.tangents = _moving_tangents(self.contacts)
        self.latch_table = LatchTable(self.machine, self.variables)
        known = latches_before_routes(self.machine, self.contacts, self.tangents, self.sticking)
        self.latch_table.add(known, "latches")
        self.context: MachineContext = FormulationContext(formulation, self.latch_table)
        self.rates = FormulationRates(formulation)
        self.routes: dict[str, Route] = {rope.name: rope.route(self.context) for rope in self.machine.all_ropes}
        self._obstacles()
        self.sections = self._rope_sections()
        self._add_latches_of_ropes()
        self._add_latches_of_elastic_ropes()
        self.rows: tuple[ConstraintRows, ...] = ()
        self.phi = self._assemble()

    def _obstacles(self) -> None:
        """Let runs begin with ropes on the obstacles that geometry says, and in the first turn of wheels."""
        for rope in self.machine.ropes:
            for angle in rope.counted:
                self.latch_table.hold("", f"halves.{angle}", ca.SX.zeros(1), once=True)
        for name, route in self.routes.items():
            for meeting in route.meetings:
                touches = self.latch_table.at_start(meeting.touches)
                self.latch_table.hold(name, f"on.{name}.{meeting.name}", touches, once=True)

    def _rope_sections(self) -> tuple[RopeSection, ...]:
        """Sections of the inextensible ropes of the machine."""
        sections, x, rates = list[RopeSection](), self.variables, self._coordinate_rate
        for rope in self.machine.ropes:
            for name, section in zip(rope.section_names, self.routes[rope.name].sections, strict=True):
                if rope.elastic:
                    continue
                opening = section.way - section.payout - self.natural_length(name)
                runs = ca.densify(ca.vertcat(*(rub.run for _, rub in section.rubs), opening))
                slips = ca.densify(ca.jtimes(runs, x.q, rates) + ca.jacobian(runs, x.t))
                ends = [*(count for count, _ in section.rubs), len(section.spans)]
                groups = [range(first, last) for first, last in pairwise([0, *ends])]
                lengths = [sum((section.lengths[k] for k in group), ca.SX(0)) for group in groups]
                sections.append(
                    RopeSection(
                        name,
                        rope.name,
                        opening,
                        ca.vertcat(slips[0], *(slips[k] - slips[k - 1] for k in range(1, len(groups)))),
                        ca.vertcat(*lengths),
                        tuple(rub.name for _, rub in section.rubs),
                        ca.vertcat(ca.SX(0, 1), *(rub.kappa for _, rub in section.rubs)),
                        tuple(i for i, group in enumerate(groups) for _ in group),
                        section.spans,
                    )
                )
        return tuple(sections)

    def _add_latches_of_ropes(self) -> None:
        numbers: dict[str, float] = {}
        for section in self.sections:
            numbers[f"active.{section.name}"] = 1.0
            if section.sheaves:
                numbers[f"share.{section.name}"] = 0.0
            numbers |= {f"{what}.{sheave}": 0.0 for sheave in section.sheave_names for what in STICKING}
        self.latch_table.add(numbers, "rope")

    @cached_property
    def elastic_sections(self) -> dict[str, tuple[str, ...]]:
        """Sections of elastic ropes with friction, and their sheaves, after their ropes."""
        return {name: tuple(f"{rope}.{w.name}" for w in part.wheels) for rope, name, part in self._elastic_parts()}

    def _elastic_parts(self) -> Iterator[tuple[str, str, RouteSection]]:
        for rope in self.machine.ropes:
            sections = self.routes[rope.name].sections if rope.elastic and rope.rubbing else ()
            for name, section in zip(rope.section_names, sections, strict=False):
                if section.rubs:
                    yield rope.name, name, section

    def _add_latches_of_elastic_ropes(self) -> None:
        """Let elastic ropes know whether they are taut, whether they slip, and the rope before sheaves at the start.

        A run starts with equal tensions on both sides of each sheave.
        """
        for rope, name, section in self._elastic_parts():
            L, total = section.ways, self.natural_length(name) + section.payout
            ends = ca.cumsum(L) - L if section.ring is not None else ca.cumsum(L)
            numbers = {f"taut.{name}": ca.SX(section.way > total)}
            for k, wheel in enumerate(section.wheels):
                before = total * ends[k] / ca.sum1(L) + wheel.rim - section.start
                numbers |= {f"slips.{rope}.{wheel.name}": ca.SX(0.0), f"material0.{rope}.{wheel.name}": before}
            self.latch_table.add(dict.fromkeys(numbers, 0.0), "elastic")
            for latch, number in numbers.items():
                self.latch_table.hold("", latch, ca.densify(number), once=True)
        for name, cable in self.heavy_pulleys.items():
            shape = cable.hanging(self.context)
            numbers = {f"slips.{name}": ca.SX(0.0), f"material0.{name}": shape.L + shape.arc}
            self.latch_table.add(dict.fromkeys(numbers, 0.0), "heavy")
            for latch, number in numbers.items():
                self.latch_table.hold("", latch, ca.densify(number), once=True)

    @property
    def heavy_pulleys(self) -> dict[str, Cable]:
        """Heavy cables with friction on their pulleys, by the names of these."""
        rubbing = (cable for cable in self.machine.cables if cable.rubbing)
        return {f"{cable.name}.{cable.rubbing[0].label}": cable for cable in rubbing}

    @property
    def sheaves(self) -> tuple[str, ...]:
        """Sheaves with friction, after their ropes."""
        return tuple(sheave for section in self.sections for sheave in section.sheave_names)

    @cached_property
    def sheave_rates(self) -> Expression:
        """``Phi'`` of the rows of these sheaves: the rope that runs past them from the span behind to that before."""
        return ca.densify(ca.vertcat(ca.SX(0, 1), *(s.slips for s in self.sections if s.sheaves)))

    @property
    def sticking(self) -> tuple[str, ...]:
        """Joints with friction that sticks, then constraints and bearings with friction proportional to a load."""
        return sticking_names(self.machine)

    @cached_property
    def rubbing(self) -> tuple[Rubbing, ...]:
        """Friction of the constraints among them, then of the bearings of turning sheaves."""
        found = []
        for c in self.machine.rubbing:
            rubbing = c.rubbing(FormulationContext(self.formulation, self.latch_table), self.rates)
            assert rubbing is not None
            found.append(rubbing)
        for rope in self.machine.ropes:
            for bearing in self.routes[rope.name].bearings:
                rate, spans = self.rates.of_joint(bearing.joint), tuple(rope.tension_names[k] for k in bearing.spans)
                found.append(Rubbing(rate, bearing.lever, (-1, 0), spans))
        return tuple(found)

    @property
    def tension_rows(self) -> dict[str, int]:
        """Rows at which the spans of inextensible ropes end, by tensions: the engine has these there."""
        starts = {r.name: r.start for r in self.rows if r.kind in ("rope", "sheave")}
        rows: dict[str, int] = {}
        for section in self.sections:
            ends = [starts[name] for name in (*section.sheave_names, section.name)]
            rows |= {name: ends[span] for name, span in section.tensions}
        return rows

    @property
    def loads(self) -> tuple[tuple[int, int], ...]:
        """First row and number of rows of the load of each of them; -1, 0: a joint, which has none."""
        starts = {r.name: r.start for r in self.rows if r.kind == "constraint"}
        rows = [
            (starts[c.name] + r.loads[0], r.loads[1]) for c, r in zip(self.machine.rubbing, self.rubbing, strict=False)
        ]
        none = (-1, 0)
        return (*(none for _ in self.machine.sticking), *rows, *(none for _ in self.machine.sheave_bearings))

    @property
    def tugs(self) -> tuple[tuple[int, ...], ...]:
        """Rows at which the spans end whose tensions are the load of each of them; elastic ropes have no rows."""
        rows = self.tension_rows
        loads = (tuple(rows[name] for name in one.tensions if name in rows) for one in self.rubbing)
        return (*(() for _ in self.machine.sticking), *loads)

    @property
    def of_state(self) -> tuple[bool, ...]:
        """Whether the limit of each of them is a function of the state: of joints, and of bearings on elastic ropes."""
        rows = self.tension_rows
        own = (bool(one.tensions) and not any(name in rows for name in one.tensions) for one in self.rubbing)
        return (*(True for _ in self.machine.sticking), *own)

    def joint_levels(self, inputs: Expression, pulls: Mapping[str, Expression]) -> tuple[Expression, Expression]:
        """Friction of each of them while it moves and the largest at rest, or their coefficients of a load.

        Parameters
        ----------
        inputs
            Inputs of the motors.
        pulls
            Tensions of elastic ropes by the names of spans, which load bearings of sheaves.
        """
        u, first = self.variables.u, len(self.machine.sticking)
        frictions, limits = ca.substitute([self.joint_frictions, self.joint_limits], [u], [ca.densify(inputs)])
        for k, one in enumerate(self.rubbing, first):
            if one.tensions and self.of_state[k]:
                load = sum((ca.fmax(pulls[name], 0) for name in one.tensions), ca.SX(0))
                frictions[k], limits[k] = frictions[k] * load, limits[k] * load
        return frictions, limits

    @cached_property
    def joint_rates(self) -> Expression:
        """Rates of the joints with friction that sticks."""
        rates = [*(self.rates.of_joint(joint) for joint in self.machine.sticking), *(r.rate for r in self.rubbing)]
        return ca.densify(ca.vertcat(ca.SX(0, 1), *rates))

    @cached_property
    def joint_limits(self) -> Expression:
        """Largest friction of each of them at rest, of the parameters and the inputs of their motors.

        A constraint or bearing has the coefficient of its load here.
        """
        value = self.variables.value
        limits = [self.machine.friction_of(name).holding(value) + self._geared(name) for name in self.machine.sticking]
        return ca.densify(ca.vertcat(ca.SX(0, 1), *limits, *(r.coefficient for r in self.rubbing)))

    def _geared(self, joint: str) -> Expression:
        """Friction of gears on a joint."""
        value = self.variables.value
        efforts = actuator_efforts(self.machine, self.variables.u, value, self.formulation.joint_rate)
        return gear_friction(self.machine, joint, efforts, value)

    @cached_property
    def joint_frictions(self) -> Expression:
        """Friction of each of them while it moves, of its rate, the parameters and the inputs of their motors."""
        value = self.variables.value
        frictions = [
            self.machine.friction_of(name).kinetic(self.joint_rates[k], value) + self._geared(name)
            for k, name in enumerate(self.machine.sticking)
        ]
        return ca.densify(ca.vertcat(ca.SX(0, 1), *frictions, *(r.coefficient for r in self.rubbing)))

    def _assemble(self) -> Expression:
        rows: list[ConstraintRows] = []
        phi: list[Expression] = []
        count = 0

        def add(name: str, kind: str, expression: Expression, unilateral: bool = False) -> None:
            nonlocal count
            flag = self.latch_index(f"active.{name}") if kind != "internal" else -1
            rows.append(ConstraintRows(name, kind, count, count + expression.shape[0], flag, unilateral))
            phi.append(expression)
            count += expression.shape[0]

        for name, expression in self.formulation.own_constraints():
            add(name, "internal", expression)
        for c in self.machine.constraints:
            held = None
            if c.holds_pose:
                start = self.latch_index(f"offset.{c.name}.x")
                held = self.latches[start : start + 7]
                (R_f, p_f), (R_o, p_o) = map(self.context.pose, c.frames)
                measured = ca.vertcat(R_o.T @ (p_f - p_o), ca.vec(R_o.T @ R_f))
                self.latch_table.hold(c.name, f"offset.{c.name}.x", measured)
            context = FormulationContext(self.formulation, self.latch_table, held)
            add(c.name, "constraint", ca.SX(c.rows(context)))
        for cable in self.machine.cables:
            if not cable.elastic:
                (span,) = self.routes[cable.name].sections
                opening = span.way - span.payout - self.natural_length(cable.name)
                add(cable.name, "cable", opening, not cable.bilateral)
        for part in self.sections:
            add(part.name, "rope", part.opening, True)
        self._holonomic = count
        for sheave in self.sheaves:
            rows.append(ConstraintRows(sheave, "sheave", count, count + 1, self.latch_index(f"stick.{sheave}")))
            phi.append(ca.SX(1, 1))
            count += 1
        for k, pair in enumerate(self.contacts.pairs):
            gap = self.contacts.gaps[k]
            if k in self.contacts.windowed:
                acts = self.latches[self.latch_index(f"active.{pair.name}")] > 0.5
                gap = ca.if_else(acts, self.contacts.distances[k], gap)
            add(pair.name, "contact", -gap, True)
        for pair, tangents in zip(self.contacts.pairs, self.tangents, strict=True):
            if tangents:
                flag = self.latch_index(f"stick.{pair.name}")
                rows.append(ConstraintRows(pair.name, "friction", count, count + len(tangents), flag))
                phi.append(ca.SX(len(tangents), 1))
                count += len(tangents)
        for joint in self.sticking:
            rows.append(ConstraintRows(joint, "stick", count, count + 1, self.latch_index(f"stick.{joint}")))
            phi.append(ca.SX(1, 1))
            count += 1
        self.rows = tuple(rows)
        return ca.vertcat(*phi) if phi else ca.SX(0, 1)

    @property
    def latch_names(self) -> tuple[str, ...]:
        """Names of the latches."""
        return self.latch_table.names

    @property
    def latch_nominal(self) -> Array:
        """Values of the latches that nothing measures."""
        return self.latch_table.nominal

    @property
    def latches(self) -> Expression:
        """Symbols of the latches."""
        return self.latch_table.symbols

    def latch_index(self, name: str) -> int:
        """Place of a name in the latches, -1 if it is not there."""
        return self.latch_table.index(name)

    @cached_property
    def paths(self) -> dict[str, CablePath]:
        """Exits and directions of the cables."""
        return {cable.name: cable.path(self.context) for cable in self.machine.cables}

    def natural_length(self, name: str) -> Expression:
        """Unstretched length of a section of a cable or rope, less the length that its drums pay out.

        Where it is not given it is that of the way, less for the pretension of an elastic rope. Several sections share
        a length that is given so that their strains are alike. Inextensible ropes measure it at the start of a run,
        elastic ones have it from the neutral configuration.
        """
        rope = next(rope for rope in self.machine.all_ropes if name in rope.section_names)
        if rope.length is not None and len(rope.section_names) == 1:
            return ca.SX(self.variables.value(rope.length))
        place = rope.section_names.index(name)
        if rope.elastic:
            return self._unloaded(rope, rope.neutral_route(self.machine), place)
        if not self.latch_table.is_held(name):
            measured = self.latch_table.at_start(self._unloaded(rope, self.routes[rope.name], place))
            self.latch_table.hold(name, f"length0.{name}", measured)
        return self.latches[self.latch_index(f"length0.{name}")]

    def _unloaded(self, rope: RopeBase, route: Route, place: int) -> Expression:
        """Unstretched length of a section, less the length that its drums pay out, from a route of its rope."""
        value, sections = self.variables.value, route.sections
        factor = ca.SX(1)
        if rope.length is not None:
            whole = value(rope.length) + sum((s.payout for s in sections), ca.SX(0))
            factor = whole / sum((s.way for s in sections), ca.SX(0))
        elif rope.stiffness is not None:
            factor = 1 / (1 + value(rope.pretension) / value(rope.stiffness))
        return sections[place].way * factor - sections[place].payout

    @property
    def m(self) -> int:
        """Number of rows."""
        return int(self.phi.shape[0])

    @property
    def row_names(self) -> tuple[str, ...]:
        """Names of the rows."""
        return tuple(n for r in self.rows for n in r.names)

    @property
    def row_flags(self) -> NDArray[np.int64]:
        """Index in ``latches`` of each row's switch, -1 if it always acts."""
        return np.array([r.flag for r in self.rows for _ in range(r.stop - r.start)], dtype=np.int64)

    def activity(self, latches: Array) -> Array:
        """Which rows act (1 or 0) under these latches, shape (..., m)."""
        always = np.ones(latches.shape[:-1] + (1,))
        return (np.concatenate([latches, always], axis=-1)[..., self.row_flags] > 0.5).astype(float)

    @cached_property
    def _coordinate_rate(self) -> Expression:
        return self.formulation.coordinate_rates()

    @property
    def _positions(self) -> Expression:
        """``Phi`` of the rows that have any, except for contacts."""
        return self.phi[: self._holonomic] if self._holonomic else ca.SX(0, 1)

    def _of_contacts(self, above: Expression, of_pairs: Expression, of_joints: Expression) -> Expression:
        """Rows of constraints and sheaves, below them of contacts, with the sign that they have here, and of joints."""
        chosen = [3 * k for k in range(self.contacts.k)]
        chosen += [3 * k + j for k, tangents in enumerate(self.tangents) for j in tangents]
        rows = ca.vertcat(above, of_pairs[chosen, :]) if chosen else above
        return ca.vertcat(rows, of_joints) if self.sticking else rows

    @cached_property
    def jacobian(self) -> Expression:
        """``J`` (m x nv): ``Phi' = J v + Phi_t``."""
        B = ca.jacobian(self._coordinate_rate, self.variables.v)
        of_joints = -ca.jacobian(self.joint_rates, self.variables.v)
        above = ca.jacobian(self._positions, self.variables.q) @ B
        if self.sheaves:
            above = ca.vertcat(above, ca.jacobian(self.sheave_rates, self.variables.v))
        return self._of_contacts(above, -self.contacts.jacobian, of_joints)

    @cached_property
    def time_rate(self) -> Expression:
        """``Phi_t``: partial derivative with respect to time; of sheaves the rope that is paid out to them."""
        rates = ca.SX(ca.jacobian(self.phi, self.variables.t))
        if self.sheaves:
            v, end = self.variables.v, self._holonomic + len(self.sheaves)
            rates[self._holonomic : end] = ca.substitute(self.sheave_rates, v, ca.SX.zeros(v.shape))
        return rates

    @cached_property
    def _velocity(self) -> Expression:
        x, phi = self.variables, self._positions
        return ca.jtimes(phi, x.q, self._coordinate_rate) + ca.jacobian(phi, x.t)

    @cached_property
    def velocity(self) -> Expression:
        """``Phi' = J v + Phi_t``."""
        above = ca.vertcat(self._velocity, self.sheave_rates)
        return self._of_contacts(above, -self.contacts.velocity, -self.joint_rates)

    @cached_property
    def rhs(self) -> Expression:
        """``gamma``: ``Phi'' = J v' - gamma``, CDPR (26)."""
        x = self.variables
        Phidot = ca.densify(ca.vertcat(self._velocity, self.sheave_rates))
        above = -(ca.jtimes(Phidot, x.q, self._coordinate_rate) + ca.jacobian(Phidot, x.t))
        rates = self.joint_rates
        of_joints = ca.jtimes(rates, x.q, self._coordinate_rate) + ca.jacobian(rates, x.t)
        return self._of_contacts(above, self.contacts.bias, of_joints)


def sticking_names(machine: Machine) -> tuple[str, ...]:
    """Joints with friction that sticks, then constraints and bearings with friction proportional to a load."""
    return (*machine.sticking, *(c.name for c in machine.rubbing), *machine.sheave_bearings)


def _moving_tangents(contacts: ContactSystem) -> tuple[tuple[int, ...], ...]:
    """Which tangents (1, 2) of each pair count: those of pairs with friction along which anything can move.

    Nothing moves across the plane of a planar machine, except for the rounding of its axes.
    """
    if not contacts.rubs.any():
        return ((),) * contacts.k
    layout, rng = contacts.formulation.layout, np.random.default_rng(0)
    x = contacts.variables
    J = ca.Function("rows", [x.q, x.p], [ca.densify(contacts.jacobian)])
    p = contacts.machine.p_nominal
    sizes = np.zeros((contacts.k, 3))
    for _ in range(3):
        q = rng.uniform(0.1, 0.4, size=layout.nq)
        for _, start in layout.quaternions:
            q[start : start + 4] = rng.normal(size=4)
            q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
        rows: Any = J(q, p)
        values = np.abs(np.array(rows.full())).reshape(contacts.k, 3, -1)
        sizes = np.maximum(sizes, np.nan_to_num(values).max(axis=2, initial=0.0))
    return tuple(
        tuple(j for j in (1, 2) if pair.rubs and sizes[k, j] > 1e-12 * sizes[k].max())
        for k, pair in enumerate(contacts.pairs)
    )
