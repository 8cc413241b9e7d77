"""The way of a rope in one context: wheels and points, the lines between them, arcs, sections and obstacles."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.types import Array
from dalembert.model.context import MachineContext
from dalembert.model.ropes.axes import NeutralContext, carried_axis
from dalembert.model.ropes.conditions import conditions, doubts
from dalembert.model.ropes.elements import CLAMPS, Anchor, Drum, Guide, PathElement, RopeObstacle, Sheave
from dalembert.model.ropes.route import Arc, Bearing, Counted, Meeting, Route, RouteSection, Rub, WrappedWheel
from dalembert.model.ropes.tangents import Circle, Line, angle_between, line_between
from dalembert.model.tree import place

if TYPE_CHECKING:
    from dalembert.model.ropes.rope import Rope

__all__ = ["Routing"]

_LEAST = -math.pi / 2  # a wrap is found in the turn that begins here: a rope that leaves a sheave has one below zero


@dataclass(frozen=True)
class _Turning:
    """A wheel as it turns: what its rim has turned by about its axis, and the direction up to which arcs count."""

    angle: ca.SX
    zero: ca.SX


@dataclass(frozen=True)
class _Helix:
    """A rope on a cylinder: its free line before it, and the cosine of its slope on the unrolled surface."""

    first: ca.SX
    cosine: ca.SX


class Routing:
    """The way of a rope in one context."""

    def __init__(self, rope: Rope, context: MachineContext) -> None:
        self.rope, self.context, self.machine = rope, context, context.machine
        self.passed: dict[int, ca.SX] = {}  # by place of an obstacle, whether the rope lies on it
        self.sides: dict[int, ca.SX] = {}  # positive while the rope does not meet it from behind
        self.helices: dict[int, _Helix] = {}
        self.counted: dict[str, Counted] = {}
        self.wheels = [self._wheel(k, element) for k, element in enumerate(rope.path)]
        for k, element in enumerate(rope.path):
            if isinstance(element, RopeObstacle):
                if element.axis is None:
                    self.wheels[k] = self._sphere(k)
                else:
                    self._check_parallel(k)
        around = [*self.wheels, self.wheels[0]] if rope.closed else self.wheels
        self.lines: list[Line] = [line_between(a, b) for a, b in pairwise(around)]
        self.meetings = [self._pass(k) for k, element in enumerate(rope.path) if isinstance(element, RopeObstacle)]

    # -- elements ---------------------------------------------------------------------------------------------------

    def _wheel(self, k: int, element: PathElement) -> Circle:
        value = self.context.value
        frame = element.on
        if isinstance(element, Drum):
            frame = self._joint(element).child
        R, p = self.context.pose(frame)
        centre = p + R @ ca.vertcat(*[value(x) for x in element.at])
        if isinstance(element, Anchor) or (isinstance(element, Guide) and element.is_point):
            return Circle(centre)
        if isinstance(element, RopeObstacle) and element.axis is None:
            return Circle(centre, value(element.radius))
        axis = element.axis
        if axis is None:
            axis = self._joint(element).axis
        node, direction = carried_axis(self.machine, frame, _plain(axis))
        if element.joints:
            self._check_joint(element, node, direction)
        x, y, z = map(float, direction)
        radius = value(element.radius)
        if isinstance(element, Drum) and element.layers is not None:
            radius = element.layers.radius_at(radius, self.wound(k, node, direction), value)
        return Circle(centre, radius, self._turned(node, direction), node, (x, y, z))

    def wound(self, k: int, node: int, direction: Array) -> ca.SX:
        """Turns on a drum with layers: at the start of the path it pays out as it turns about its axis."""
        drum = self.rope.path[k]
        assert isinstance(drum, Drum) and drum.layers is not None
        way = self._sense(drum, node, direction) * (-1 if k == 0 else 1)
        return self.context.value(drum.layers.wound) + way * self.context.coordinate(drum.joint) / (2 * math.pi)

    def _paid(self, k: int, angle: ca.SX) -> ca.SX:
        """Rope that a wheel has moved on while its rim turned by an angle about its axis."""
        wheel, element, value = self.wheels[k], self.rope.path[k], self.context.value
        assert wheel.radius is not None
        if not isinstance(element, Drum) or element.layers is None:
            return wheel.radius * angle
        layers, radius = element.layers, value(element.radius)
        wound = layers.length_of(radius, self.wound(k, wheel.carrier, np.array(wheel.direction)), value)
        gained = wound - layers.length_of(radius, value(layers.wound), value)
        return -gained if k == 0 else gained

    def _turned(self, node: int, direction: Array) -> ca.SX:
        """A direction of a node in the world."""
        if node < 0:
            return ca.SX(direction)
        return self.context.pose(self.machine.tree.nodes[node].joint.child)[0] @ ca.SX(direction)

    def _joint(self, element: PathElement) -> Any:
        return next(j for j in self.machine.joints if j.name == element.joints[0])

    def _sense(self, element: PathElement, node: int, direction: Array) -> int:
        """1 or -1 if the joint of a wheel turns about its axis or against it, 0 if about another one."""
        joint = self._joint(element)
        if joint.kind != "revolute":
            return 0
        carrier, along = carried_axis(self.machine, joint.child, _plain(joint.axis))
        cosine = float(along @ direction)
        return round(cosine) if carrier == node and abs(abs(cosine) - 1.0) < 1e-9 else 0

    def _check_joint(self, element: PathElement, node: int, direction: Array) -> None:
        if not self._sense(element, node, direction):
            joint = self._joint(element)
            raise MachineError(
                f"{element.what} of rope '{self.rope.name}' must turn about its axis with a revolute joint, got the "
                f"{joint.kind} joint '{joint.name}' about another axis"
            )

    def _turning(self, k: int) -> _Turning:
        """How the rim of a wheel turns."""
        element, wheel = self.rope.path[k], self.wheels[k]
        assert wheel.axis is not None
        zero = getattr(element, "zero", None)
        if zero is None and element.cuts:
            zero = self._neutral_zero(k)
        elif zero is None:
            # of a wheel on which an inextensible rope rubs the rate alone counts, and any direction serves
            zero = self._neutral_middle(k) if self.rope.elastic else _across(self._own_axis(element))
        e = self._fixed_axes(element) @ ca.SX(_plain(zero))
        e = e - ca.dot(e, wheel.axis) * wheel.axis
        e = e / ca.norm_2(e)
        angle = ca.SX(0.0)
        if element.joints:
            sense = self._sense(element, wheel.carrier, np.array(wheel.direction))
            angle = sense * self.context.coordinate(element.joints[0])
        return _Turning(angle, e)

    def _own_axis(self, element: PathElement) -> Array:
        """Axis of a wheel in the axes that do not turn with it."""
        return _plain(self._joint(element).axis if element.joints else element.axis)

    def _fixed_axes(self, element: PathElement) -> ca.SX:
        """Axes that do not turn with a wheel: those of its joint's fixed frame, or of the frame that carries it."""
        if not element.joints:
            return self.context.pose(element.on)[0]
        joint = self._joint(element)
        R, _ = place(joint.origin, self.context.value)
        return self.context.pose(joint.parent)[0] @ R

    def _neutral_zero(self, k: int) -> Array:
        """Where a rope touches a wheel in the neutral configuration, in axes that do not turn with it."""
        neutral = Routing(self.rope, NeutralContext(self.machine))
        rho = neutral.touch(k)
        fixed = neutral._fixed_axes(self.rope.path[k])
        direction = np.array(ca.DM(ca.evalf(fixed.T @ rho)).full())[:, 0]
        if not np.isfinite(direction).all():
            element = self.rope.path[k]
            raise MachineError(
                f"rope '{self.rope.name}' does not touch {element.what} in the neutral configuration; give the "
                f"direction from its centre to where it touches it, as 'zero' of the {element.key}"
            )
        return direction

    def _neutral_middle(self, k: int) -> Array:
        """Middle of the arc on a wheel in the neutral configuration, in axes that do not turn with it."""
        neutral = Routing(self.rope, NeutralContext(self.machine))
        arc = neutral._wrap(k).arc
        half = (arc.angle - 2 * math.pi * int(self.rope.path[k].turns)) / 2
        middle = ca.cos(half) * arc.start + ca.sin(half) * ca.cross(arc.axis, arc.start)
        direction = np.array(ca.DM(ca.evalf(neutral._fixed_axes(self.rope.path[k]).T @ middle)).full())[:, 0]
        return direction if np.isfinite(direction).all() else _across(self._own_axis(self.rope.path[k]))

    def touch(self, k: int) -> ca.SX:
        """Direction in which a rope touches a wheel first: where it meets it, or where it leaves a drum."""
        rho = self.lines[k].out if k == 0 and not self.rope.closed else self.lines[k - 1].into
        assert rho is not None
        return rho

    # -- obstacles --------------------------------------------------------------------------------------------------

    def _sphere(self, k: int) -> Circle:
        """Great circle of a sphere in the plane of the rope."""
        ball, n = self.wheels[k], len(self.wheels)
        before, after = self.wheels[k - 1], self.wheels[(k + 1) % n]
        for beside, at in ((before, k - 1), (after, (k + 1) % n)):
            if beside.axis is not None or isinstance(self.rope.path[at], RopeObstacle):
                raise MachineError(
                    f"{self.rope.path[k].what} of rope '{self.rope.name}' is a sphere: it must be between anchors or "
                    f"eyelets, got {self.rope.path[at].what}"
                )
        normal = ca.cross(before.centre - ball.centre, after.centre - ball.centre)
        return Circle(ball.centre, ball.radius, normal / ca.sqrt(ca.sumsqr(normal) + 1e-200), -2)

    def _check_parallel(self, k: int) -> None:
        for beside in (k - 1, (k + 1) % len(self.wheels)):
            if self.wheels[beside].axis is not None and not self.wheels[k].sense_along(self.wheels[beside]):
                raise MachineError(
                    f"{self.rope.path[k].what} of rope '{self.rope.name}' must have the axis of its neighbour "
                    f"{self.rope.path[beside].what}, or one against it"
                )

    def _pass(self, k: int) -> Meeting:
        """Let the rope run straight past an obstacle where it does not lie on it.

        On a cylinder it is a helix, a straight line on the unrolled surface: with the lengths ``l`` of the lines across
        the axis and the distance ``h`` of their ends along it, ``L^2 = (l_1 + r phi + l_2)^2 + h^2``.
        """
        rope, circle = self.rope, self.wheels[k]
        before, after = self.lines[k - 1], self.lines[k]
        direct = line_between(self.wheels[k - 1], self.wheels[(k + 1) % len(self.wheels)])
        n, r, into, out = circle.axis, circle.radius, before.into, after.out
        assert n is not None and r is not None and into is not None and out is not None
        wrap = self._wrap_angle(k)
        l_1, l_2, h = ca.sqrt(before.clear), ca.sqrt(after.clear), ca.dot(n, direct.end - direct.start)
        flat = l_1 + r * wrap + l_2
        whole = flat if h.is_zero() else ca.sqrt(flat**2 + h**2)
        rise = h / flat
        low = ca.dot(n, direct.start - circle.centre) + rise * l_1  # where it meets the obstacle, along the axis
        meeting = circle.centre + r * into + low * n
        leaving = circle.centre + r * out + (low + rise * r * wrap) * n

        line, away = (x - ca.dot(x, n) * n for x in (direct.end - direct.start, circle.centre - direct.start))
        along = ca.dot(away, line) / ca.sumsqr(line)
        side = ca.dot(n, ca.cross(line, away)) / ca.norm_2(line)  # distance of the axis, positive on the rope's left
        within = ca.logic_and(along > 0, along < 1)
        touches = ca.logic_and(wrap > 0, ca.logic_and(within, side < r))
        nearest = ca.norm_2(away - ca.fmin(ca.fmax(along, 0), 1) * line) - r
        on = self.context.lies_on(f"{rope.name}.{rope.path[k].label}", ca.SX(touches)) > 0.5

        def either(lying: ca.SX, straight: ca.SX) -> ca.SX:
            return ca.if_else(on, lying, straight)

        def any_of(lying: ca.SX | None, straight: ca.SX | None) -> ca.SX | None:
            return None if lying is None or straight is None else either(lying, straight)

        first, one = l_1 * whole / flat, ca.SX(1)
        self.passed[k], self.helices[k] = on, _Helix(first, flat / whole)
        self.lines[k - 1] = Line(
            either(before.start, direct.start),
            either(meeting, direct.end),
            either(first, direct.length),
            any_of(before.out, direct.out),
            into,
            before.clear,  # also while it runs past: nothing on the path may enter the obstacle
        )
        self.lines[k] = Line(
            either(leaving, direct.end),
            either(after.end, direct.end),
            either(whole - r * wrap - first, ca.SX(0)),  # by which the helix is longer than its circle
            out,
            any_of(after.into, direct.into),
            after.clear,
        )
        self.sides[k] = either(one, ca.if_else(side < 0, nearest, 1))
        meets = either(one, ca.if_else(side < 0, 1, nearest))
        return Meeting(rope.path[k].label, ca.SX(touches), meets, either(wrap, one))

    # -- the route --------------------------------------------------------------------------------------------------

    def route(self) -> Route:
        """Return the whole route."""
        rope, n = self.rope, len(self.rope.path)
        inner = range(n) if rope.closed else range(1, n - 1)
        wraps = {k: self._wrap(k) for k in inner if self.wheels[k].axis is not None}
        sections = self._sections(wraps)
        return Route(
            sum((section.way for section in sections), ca.SX(0)),
            sections,
            self._course(wraps),
            tuple(wraps.values()),
            (*(wrap.arc for wrap in wraps.values()), *(self._coil(k) for k in (0, n - 1) if self._is_drum(k))),
            tuple(self.meetings),
            tuple(conditions(self, wraps)),
            tuple(line.error for line in self.lines if line.error is not None),
            tuple(self.counted.values()),
            tuple(self._layers()),
            bearings=tuple(self._bearings(wraps)),
            doubts=tuple(doubts(self)),
        )

    def _bearings(self, wraps: dict[int, WrappedWheel]) -> Iterator[Bearing]:
        """Bearings of turning sheaves with losses, which rub by the tensions beside them."""
        for k, element in enumerate(self.rope.path):
            if isinstance(element, Sheave) and element.has_bearing and element.joint is not None:
                assert element.loss is not None
                arc = wraps[k].arc
                lever = arc.radius * ca.tanh(element.loss.kappa(arc.angle, arc.radius, self.context) / 2)
                sense = self._sense(element, self.wheels[k].carrier, np.array(self.wheels[k].direction))
                yield Bearing(element.label, element.joint, sense, lever, ((k - 1) % len(self.lines), k))

    def _is_drum(self, k: int) -> bool:
        return isinstance(self.rope.path[k], Drum)

    def _wrap(self, k: int) -> WrappedWheel:
        """The arc on a wheel inside the path."""
        wheel, into, out = self.wheels[k], self.lines[k - 1].into, self.lines[k].out
        assert wheel.axis is not None and wheel.radius is not None and into is not None and out is not None
        angle = 2 * math.pi * int(self.rope.path[k].turns) + self._wrap_angle(k)
        if k in self.passed:
            angle = ca.if_else(self.passed[k], angle, 0)
        arc = Arc(wheel.centre, wheel.axis, into, wheel.radius, angle)
        return WrappedWheel(
            self.rope.path[k].label, arc, self._fleet(k) if isinstance(self.rope.path[k], Sheave) else None
        )

    def _wrap_angle(self, k: int) -> ca.SX:
        """Angle from where a rope meets a wheel to where it leaves it, counted over turns."""
        axis, into, out = self.wheels[k].axis, self.lines[k - 1].into, self.lines[k].out
        assert axis is not None and into is not None and out is not None
        return self._count(k, "", axis, into, out, _LEAST + math.pi)

    def _zero_angle(self, k: int) -> ca.SX:
        """Angle from the zero direction of a wheel to where a rope touches it first."""
        axis = self.wheels[k].axis
        assert axis is not None
        return self._count(k, ".zero", axis, self._turning(k).zero, self.touch(k), 0.0)

    def _count(self, k: int, what: str, axis: ca.SX, start: ca.SX, end: ca.SX, centre: float) -> ca.SX:
        name = f"{self.rope.name}.{self.rope.path[k].label}{what}"
        halves = self.context.counted(name)
        angle = angle_between(axis, start, end, centre, halves)
        on = self.passed.get(k, ca.SX(1))
        self.counted[name] = Counted(name, angle, centre + math.pi * halves, on)
        return angle

    def _layers(self) -> Iterator[tuple[str, ca.SX]]:
        """Drums with layers, and what vanishes where these change."""
        for k, element in enumerate(self.rope.path):
            if isinstance(element, Drum) and element.layers is not None and element.layers.count > 1:
                turns = self.wound(k, self.wheels[k].carrier, np.array(self.wheels[k].direction))
                yield (
                    f"{self.rope.name}.{element.label}",
                    ca.sin(math.pi * turns / self.context.value(element.layers.turns)),
                )

    def _fleet(self, k: int) -> ca.SX:
        """Fleet angle at a sheave."""
        axis = self.wheels[k].axis
        assert axis is not None
        lines = (self.lines[k - 1], self.lines[k])
        sines = [ca.fabs(ca.dot(axis, line.end - line.start)) / line.length for line in lines]
        return ca.asin(ca.fmin(ca.fmax(*sines), 1.0))

    def _sections(self, wraps: dict[int, WrappedWheel]) -> tuple[RouteSection, ...]:
        cuts, n = self.rope.cuts, len(self.rope.path)
        if self.rope.closed:
            if not cuts:
                return (self._section(0, n, wraps),)
            return tuple(self._section(a, b, wraps) for a, b in pairwise([*cuts, cuts[0] + n]))
        return tuple(self._section(a, b, wraps) for a, b in pairwise(cuts))

    def _section(self, first: int, last: int, wraps: dict[int, WrappedWheel]) -> RouteSection:
        """The section between two places in the path, the last one counted on past the end of a closed one."""
        n, path = len(self.rope.path), self.rope.path
        spans = [k % len(self.lines) for k in range(first, last)]
        way, payout = ca.SX(0), ca.SX(0)
        whole = self.rope.closed and not self.rope.cuts
        ring = None
        if whole:
            ring = self._rub(0, way, payout, wraps) if path[0].rubs else None
            way = wraps[0].arc.radius * wraps[0].arc.angle if 0 in wraps else way
        elif self.wheels[first].axis is not None:
            way, payout = self._beyond(first % n, wraps)
        start = payout
        rubs: list[tuple[int, Rub]] = []
        for count, k in enumerate(range(first, last), start=1):
            way = way + self.lines[k % len(self.lines)].length
            at = (k + 1) % n
            if k + 1 == last:
                break
            if path[at].rubs:
                rubs.append((count, self._rub(at, way, payout, wraps)))
            if at in wraps:
                way = way + wraps[at].arc.radius * wraps[at].arc.angle
        if not whole and self.wheels[last % n].axis is not None:
            before, turned = self._before(last % n)
            way, payout = way + before, payout - turned
        lengths = tuple(self.lines[k].length for k in spans)
        return RouteSection(way, payout, tuple(spans), lengths, tuple(rubs), start, ring)

    def _rub(self, k: int, way: ca.SX, payout: ca.SX, wraps: dict[int, WrappedWheel]) -> Rub:
        """A wheel at which the tension changes, after the way up to it; half of its full turns belong to each side."""
        before, turned = self._before(k)
        arc, angle = wraps[k].arc, wraps[k].arc.angle
        if k in self.helices:
            # a rope that runs past an obstacle has no friction there, whatever slips
            way = way - self.lines[k - 1].length + self.helices[k].first
            before, angle = before / self.helices[k].cosine, angle * self.helices[k].cosine
        up_to = way + before + math.pi * int(self.rope.path[k].turns) * arc.radius
        kappa = ca.fmin(self.rope.path[k].kappa(angle, self.context), CLAMPS)
        return Rub(self.rope.path[k].label, kappa, up_to - payout + turned, up_to, turned)

    def _before(self, k: int) -> tuple[ca.SX, ca.SX]:
        """Arc from where a rope meets a wheel to the zero direction, and what the rim has turned on from there."""
        radius = self.wheels[k].radius
        assert radius is not None
        return -radius * self._zero_angle(k), self._paid(k, self._turning(k).angle)

    def _beyond(self, k: int, wraps: dict[int, WrappedWheel]) -> tuple[ca.SX, ca.SX]:
        """Arc from the zero direction to where a rope leaves a wheel, and what the rim has turned on from there."""
        radius = self.wheels[k].radius
        assert radius is not None
        if k in wraps:
            before, turned = self._before(k)
            return radius * wraps[k].arc.angle - before, turned
        return radius * self._zero_angle(k), self._paid(k, self._turning(k).angle)

    def _course(self, wraps: dict[int, WrappedWheel]) -> tuple[ca.SX | Arc, ...]:
        n = len(self.rope.path)
        course: list[ca.SX | Arc] = []
        for k in range(n):
            if k in self.passed:
                arc, on = wraps[k].arc, self.passed[k]
                end = self.lines[k - 1].end
                centre, radius = ca.if_else(on, end - arc.radius * arc.start, end), ca.if_else(on, arc.radius, 0)
                course.append(Arc(centre, arc.axis, ca.if_else(on, arc.start, 0), radius, arc.angle))
            elif k in wraps:
                course.append(wraps[k].arc)
            elif self.wheels[k].axis is None:
                course.append(self.wheels[k].centre)
            else:
                course.append(self._coil(k))
        if self.rope.closed:
            course.append(self.lines[-1].end)
        return tuple(course)

    def _coil(self, k: int) -> Arc:
        """A quarter of a turn on the drum at an end, to be seen."""
        drum, rho, quarter = self.wheels[k], self.touch(k), ca.SX(math.pi / 2)
        assert drum.axis is not None and drum.radius is not None
        start = -ca.cross(drum.axis, rho) if k == 0 else rho
        return Arc(drum.centre, drum.axis, start, drum.radius, quarter)


def _across(axis: Array) -> Array:
    """A coordinate axis that is not along a direction."""
    return np.eye(3)[int(np.argmin(np.abs(axis)))]


def _plain(axis: Iterable[Scalar]) -> Array:
    return np.array([nominal(x) for x in axis])
