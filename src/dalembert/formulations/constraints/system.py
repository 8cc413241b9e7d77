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

The ``latches`` may change during a run without compiling anything, and keep their values between events: whether a
switchable constraint acts (1 or 0), the numbers that were measured when it began to act, and of contacts whether they
push (``active``) and stick, where they slip to (``toward``) and how far they may turn (``leeway``), and how they shared
indeterminate forces (``share``) when they last changed. Joints that stick have these but ``active``; sheaves of ropes
have them too, with the tension of the span before the sheave as their ``share``.
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

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.parameter import Scalar
from dalembert.core.ports import Formulation
from dalembert.core.types import Array, Expression
from dalembert.formulations.actuation import actuator_efforts, gear_friction
from dalembert.formulations.constraints.ropes import RopeSection
from dalembert.formulations.contact.system import ContactSystem
from dalembert.model.cables import Cable, CablePath
from dalembert.model.constraints import Rubbing
from dalembert.model.context import MachineContext
from dalembert.model.joint import WORLD
from dalembert.model.machine import Machine
from dalembert.model.ropes import RopeBase, RopeObstacle, Route, RouteSection
from dalembert.spatial.rotations import quaternion_from_matrix, quaternion_matrix, quaternion_of

__all__ = ["ConstraintRows", "ConstraintSystem", "sticking_names"]

_POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")


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


@dataclass(frozen=True)
class _Held:
    """Numbers that a constraint measures when it begins to act."""

    name: str
    where: slice
    measured: Expression  # a length, or a pose (position, then the rotation matrix by columns)
    once: bool = False  # at the start of a run only


@dataclass(frozen=True)
class _Context:
    """Context of the rows of a constraint (`RowContext`); ``held`` are the position and quaternion that it holds."""

    system: ConstraintSystem
    held: ca.SX | None

    @property
    def machine(self) -> Machine:
        return self.system.machine

    def pose(self, frame: str) -> tuple[ca.SX, ca.SX]:
        return self.system.pose(frame)

    def coordinate(self, joint: str) -> ca.SX:
        return ca.SX(self.system.formulation.joint_coordinate(joint))

    def lies_on(self, obstacle: str, otherwise: ca.SX) -> ca.SX:
        place = self.system.latch_index(f"on.{obstacle}")
        return otherwise if place < 0 else self.system.latches[place]

    def counted(self, angle: str) -> ca.SX:
        place = self.system.latch_index(f"halves.{angle}")
        return ca.SX(0.0) if place < 0 else self.system.latches[place]

    def value(self, scalar: Scalar) -> ca.SX:
        return ca.SX(self.system.variables.value(scalar))

    def held_pose(self) -> tuple[ca.SX, ca.SX]:
        if self.held is None:
            raise InputError("rows use the pose that the constraint holds, but its kind declares none")
        return quaternion_matrix(self.held[3:]), self.held[:3]


@dataclass(frozen=True)
class _Rates:
    """Rates of joints and frames (`RelativeRates`)."""

    system: ConstraintSystem

    def of_joint(self, joint: str) -> ca.SX:
        return ca.SX(self.system.formulation.joint_rate(joint))

    def between(self, frame: str, other: str) -> tuple[ca.SX, ca.SX]:
        (v_f, w_f), (v_o, w_o) = self._twist(frame), self._twist(other)
        (_, p_f), (R_o, p_o) = self.system.pose(frame), self.system.pose(other)
        return R_o.T @ (v_f - v_o - ca.cross(w_o, p_f - p_o)), R_o.T @ (w_f - w_o)

    def _twist(self, frame: str) -> tuple[ca.SX, ca.SX]:
        """Velocity and angular velocity in the world."""
        if frame == WORLD:
            return ca.SX.zeros(3), ca.SX.zeros(3)
        R, _ = self.system.pose(frame)
        twist = ca.SX(self.system.formulation.jacobian(frame)) @ self.system.variables.v
        return R @ twist[:3], R @ twist[3:]


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
        self._measures: list[_Held] = []
        self.contacts = ContactSystem(formulation) if contacts is None else contacts
        self.tangents = _moving_tangents(self.contacts)
        names, values = self._latch_layout()
        self.latch_names: tuple[str, ...] = tuple(names)
        self.latch_nominal: Array = np.array(values, dtype=float)
        self.latches = ca.SX.sym("latches", len(names))
        self.routes: dict[str, Route] = {rope.name: rope.route(_Context(self, None)) for rope in self.machine.all_ropes}
        self._obstacles()
        self.sections = self._rope_sections()
        self._add_latches_of_ropes()
        self._add_latches_of_elastic_ropes()
        self.rows: tuple[ConstraintRows, ...] = ()
        self.phi = self._assemble()

    def _latch_layout(self) -> tuple[list[str], list[float]]:
        names: list[str] = []
        values: list[float] = []
        for c in self.machine.constraints:
            if c.switchable:
                names.append(f"active.{c.name}")
                values.append(float(c.active))
        for cable in self.machine.cables:
            if not cable.elastic and not cable.bilateral:
                names.append(f"active.{cable.name}")
                values.append(1.0)
        for c in self.machine.constraints:
            if c.holds_pose:
                names += [f"offset.{c.name}.{k}" for k in _POSE]
                values += [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
        for rope in self.machine.all_ropes:
            if not rope.elastic and (rope.length is None or len(rope.section_names) > 1):
                names += [f"length0.{section}" for section in rope.section_names]
                values += [0.0] * len(rope.section_names)
        for rope in self.machine.ropes:
            obstacles = [
                f"on.{rope.name}.{element.label}" for element in rope.path if isinstance(element, RopeObstacle)
            ]
            counted = [f"halves.{angle}" for angle in rope.counted]
            names, values = names + obstacles + counted, values + [0.0] * len(obstacles + counted)
        for pair, tangents in zip(self.contacts.pairs, self.tangents, strict=True):
            names.append(f"active.{pair.name}")
            if tangents:
                names.append(f"stick.{pair.name}")
                names += [f"toward.{pair.name}[{j}]" for j in range(2)]
                names += [f"share.{pair.name}[{j}]" for j in range(3)]
                names.append(f"leeway.{pair.name}")
        names += [f"{what}.{joint}" for joint in self.sticking for what in ("stick", "toward", "share", "leeway")]
        return names, values + [0.0] * (len(names) - len(values))

    def _obstacles(self) -> None:
        """Let runs begin with ropes on the obstacles that geometry says, and in the first turn of wheels."""
        counted = [self.latch_index(f"halves.{angle}") for rope in self.machine.ropes for angle in rope.counted]
        for place in counted:
            self._measures.append(_Held("", slice(place, place + 1), ca.SX.zeros(1), once=True))
        for name, route in self.routes.items():
            for meeting in route.meetings:
                place = self.latch_index(f"on.{name}.{meeting.name}")
                touches = self._at_start(meeting.touches)
                self._measures.append(_Held(name, slice(place, place + 1), touches, once=True))

    def _at_start(self, expression: Expression) -> Expression:
        """An expression with the ropes on their obstacles as they are at the start of a run."""
        held = [held for held in self._measures if held.once]
        old = ca.vertcat(ca.SX(0, 1), *(self.latches[one.where] for one in held))
        return ca.substitute(expression, old, ca.vertcat(ca.SX(0, 1), *(one.measured for one in held)))

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
        names = []
        for section in self.sections:
            names.append(f"active.{section.name}")
            if section.sheaves:
                names.append(f"share.{section.name}")
            for sheave in section.sheave_names:
                names += [f"{what}.{sheave}" for what in ("stick", "toward", "share", "leeway")]
        self.latch_names = (*self.latch_names, *names)
        acting = [float(name.startswith("active.")) for name in names]
        self.latch_nominal = np.concatenate([self.latch_nominal, acting])
        self.latches = ca.vertcat(self.latches, ca.SX.sym("rope", len(names)))

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
            self._hold_once(numbers)
        for name, cable in self.heavy_pulleys.items():
            shape = cable.hanging(self.context)
            self._hold_once({f"slips.{name}": ca.SX(0.0), f"material0.{name}": shape.L + shape.arc})

    def _hold_once(self, numbers: dict[str, Expression]) -> None:
        """Add latches that take values at the start of a run."""
        first = len(self.latch_names)
        self.latch_names = (*self.latch_names, *numbers)
        self.latch_nominal = np.concatenate([self.latch_nominal, np.zeros(len(numbers))])
        self.latches = ca.vertcat(self.latches, ca.SX.sym("elastic", len(numbers)))
        for place, number in enumerate(numbers.values(), first):
            self._measures.append(_Held("", slice(place, place + 1), ca.densify(number), once=True))

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
            rubbing = c.rubbing(_Context(self, None), _Rates(self))
            assert rubbing is not None
            found.append(rubbing)
        for rope in self.machine.ropes:
            for bearing in self.routes[rope.name].bearings:
                rate, spans = _Rates(self).of_joint(bearing.joint), tuple(rope.tension_names[k] for k in bearing.spans)
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
        """Rows at which the spans end whose tensions are the load of each of them."""
        rows = self.tension_rows
        loads = (tuple(rows[name] for name in one.tensions) for one in self.rubbing)
        return (*(() for _ in self.machine.sticking), *loads)

    @cached_property
    def joint_rates(self) -> Expression:
        """Rates of the joints with friction that sticks."""
        rates = [*(_Rates(self).of_joint(joint) for joint in self.machine.sticking), *(r.rate for r in self.rubbing)]
        return ca.densify(ca.vertcat(ca.SX(0, 1), *rates))

    @cached_property
    def joint_limits(self) -> Expression:
        """Largest friction of each of them at rest, of the parameters and the inputs of their motors.

        A constraint has the coefficient of its load here.
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

    def pose(self, frame: str) -> tuple[Expression, Expression]:
        """Rotation and position of a frame in the world."""
        R, p = self.formulation.frame_pose(frame)
        return ca.SX(R), ca.SX(p)

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
            context = _Context(self, None)
            if c.holds_pose:
                start = self.latch_index(f"offset.{c.name}.x")
                context = _Context(self, self.latches[start : start + 7])
                (R_f, p_f), (R_o, p_o) = map(self.pose, c.frames)
                measured = ca.vertcat(R_o.T @ (p_f - p_o), ca.vec(R_o.T @ R_f))
                self._measures.append(_Held(c.name, slice(start, start + 7), measured))
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
            add(pair.name, "contact", -self.contacts.gaps[k], True)
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
    def context(self) -> MachineContext:
        """Poses, coordinates and values on the symbols of the formulation."""
        return _Context(self, None)

    def latch_index(self, name: str) -> int:
        """Place of a name in the latches, -1 if it is not there."""
        return self.latch_names.index(name) if name in self.latch_names else -1

    @cached_property
    def paths(self) -> dict[str, CablePath]:
        """Exits and directions of the cables."""
        return {cable.name: cable.path(_Context(self, None)) for cable in self.machine.cables}

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
        index = self.latch_index(f"length0.{name}")
        if not any(h.name == name and not h.once for h in self._measures):
            measured = self._at_start(self._unloaded(rope, self.routes[rope.name], place))
            self._measures.append(_Held(name, slice(index, index + 1), measured))
        return self.latches[index]

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

    @cached_property
    def _conditions(self) -> ca.Function:
        x, routes = self.variables, self.routes.values()
        values = [self._at_start(condition.value) for route in routes for condition in route.conditions]
        return ca.Function("conditions", [x.q, x.t, x.p], [ca.densify(ca.vertcat(ca.SX(0, 1), *values))])

    def route_fault(self, q: Array, t: float, p: Array) -> tuple[int, str] | None:
        """First of many configurations (N, nq) in which a rope has no route, and the error there."""
        conditions = [condition for route in self.routes.values() for condition in route.conditions]
        if not conditions:
            return None
        arguments = [
            ca.DM(np.atleast_2d(a).T) for a in (q, np.full((len(q), 1), t), np.broadcast_to(p, (len(q), p.shape[-1])))
        ]
        values = np.array(ca.DM(self._conditions(*arguments)).full()).T
        for member, row in enumerate(values):
            for condition, value in zip(conditions, row, strict=True):
                if not value > 0.0:
                    return member, condition.message
        return None

    def fleet_angles(self, q: Array, t: float, p: Array) -> dict[str, Array]:
        """Fleet angles [rad] at the sheaves of ropes in many configurations (N, nq), by the names ``ROPE.SHEAVE``."""
        found = {f"{n}.{w.name}": w.fleet for n, r in self.routes.items() for w in r.wraps if w.fleet is not None}
        found = {name: angle for name, angle in found.items() if not ca.SX(angle).is_zero()}
        return self._at_starts(found, q, t, p)

    def rope_kappas(self, q: Array, t: float, p: Array) -> dict[str, Array]:
        """Largest ``|ln(T2/T1)|`` of sheaves and guides in many configurations (N, nq), by ``ROPE.SHEAVE``."""
        parts = [(name, part) for name, route in self.routes.items() for part in route.sections]
        return self._at_starts(
            {f"{name}.{rub.name}": rub.kappa for name, part in parts for rub in part.wheels}, q, t, p
        )

    def _at_starts(self, found: Mapping[str, Expression], q: Array, t: float, p: Array) -> dict[str, Array]:
        """Values of expressions in many configurations, with ropes on their obstacles as at the start of a run."""
        if not found:
            return {}
        x = self.variables
        values = [self._at_start(value) for value in found.values()]
        made = ca.Function("starts", [x.q, x.t, x.p], [ca.densify(ca.vertcat(*values))])
        arguments = [
            ca.DM(np.atleast_2d(a).T) for a in (q, np.full((len(q), 1), t), np.broadcast_to(p, (len(q), p.shape[-1])))
        ]
        return dict(zip(found, np.array(ca.DM(made(*arguments)).full()), strict=True))

    @property
    def measuring(self) -> tuple[str, ...]:
        """Names of the constraints that measure themselves when they begin to act."""
        return tuple(held.name for held in self._measures)

    @property
    def measures(self) -> list[tuple[str, slice, Expression]]:
        """Measurements of constraints: their names, their places in the latches, and their expressions.

        A pose is a position and a quaternion, whose sign may be the other one than that of `measured`.
        """
        return [
            (one.name, one.where, one.measured if one.measured.numel() == 1 else _as_pose(one.measured))
            for one in self._measures
            if not one.once
        ]

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

    @cached_property
    def measured_numbers(self) -> Expression:
        """Measurements of constraints where they begin to act, one below the other."""
        return ca.SX(ca.vertcat(ca.SX(0, 1), *(ca.densify(held.measured) for held in self._measures)))

    @cached_property
    def _measure(self) -> ca.Function:
        x = self.variables
        return ca.Function("measure", [x.q, x.t, x.p], [self.measured_numbers])

    def measured(
        self,
        latches: Array,
        q: Array,
        t: float,
        p: Array,
        names: set[str] | None = None,
        values: Array | None = None,
    ) -> Array:
        """Return ``latches`` with the numbers that the named constraints (None: all) measure at a configuration.

        Many configurations at once have shapes (N, n), (N, nq) and (N, np); ``values`` are their `measured_numbers`, if
        they have been evaluated already.
        """
        result = latches.copy()
        if not self._measures:
            return result
        many = np.atleast_2d(result)
        if values is None:
            arguments = [ca.DM(np.atleast_2d(a).T) for a in (q, np.full((len(many), 1), t), p)]
            values = np.array(ca.DM(self._measure(*arguments)).full()).T
        ends = np.cumsum([held.measured.numel() for held in self._measures])
        for held, numbers in zip(self._measures, np.split(values, ends[:-1], axis=1), strict=True):
            if names is not None and held.name not in names:
                continue
            if not np.isfinite(numbers).all():
                raise InputError(
                    f"'{held.name}' of machine '{self.machine.name}' has no length in this configuration: is its "
                    "pulley larger than the distance to its anchor?"
                )
            if numbers.shape[1] == 1:
                many[:, held.where] = numbers
            else:
                R = numbers[:, 3:].reshape(-1, 3, 3).transpose(0, 2, 1)
                many[:, held.where] = [[*r, *quaternion_from_matrix(A)] for r, A in zip(numbers[:, :3], R, strict=True)]
        return result

    def latch_vector(self, active: Mapping[str, bool] | None = None) -> Array:
        """Latches with some switchable constraints turned on or off by name."""
        latches = self.latch_nominal.copy()
        switches = [n.removeprefix("active.") for n in self.latch_names if n.startswith("active.")]
        for name, on in (active or {}).items():
            if name not in switches:
                raise UnknownNameError(
                    "switchable constraint or unilateral cable", name, switches, f"machine '{self.machine.name}'"
                )
            if not isinstance(on, bool | np.bool_):
                raise InputError(f"active['{name}'] must be true or false, got {on!r}")
            latches[self.latch_index(f"active.{name}")] = float(on)
        return latches


def sticking_names(machine: Machine) -> tuple[str, ...]:
    """Joints with friction that sticks, then constraints and bearings with friction proportional to a load."""
    return (*machine.sticking, *(c.name for c in machine.rubbing), *machine.sheave_bearings)


def _as_pose(measured: Expression) -> Expression:
    return ca.vertcat(measured[:3], quaternion_of(ca.reshape(measured[3:], 3, 3)))


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
