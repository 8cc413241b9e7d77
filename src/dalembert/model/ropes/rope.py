"""A rope: its path, length and elasticity."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, depends_on_time, nominal
from dalembert.core.types import Array
from dalembert.core.validation import Bound, check_name, field_scalar
from dalembert.model.context import MachineContext
from dalembert.model.ropes.axes import NeutralContext, carried_axis
from dalembert.model.ropes.elements import Anchor, Drum, Guide, PathElement, Sheave
from dalembert.model.ropes.route import Arc, Condition, RopeBase, Route, RouteSection, Rub, WrappedWheel
from dalembert.model.ropes.tangents import Circle, Line, line_between
from dalembert.model.tree import place

if TYPE_CHECKING:
    from dalembert.model.machine import Machine

__all__ = ["Rope"]

_LEAST = -math.pi / 2  # a wrap is found in the turn that begins here: a rope that leaves a sheave has one below zero
_FARTHEST = 3.0  # angle from the zero direction up to which arcs are counted: beyond half a turn they jump
_CONVERGED = 1e-9  # error of a point of contact, as part of the distance, at which it is none any more


@dataclass(frozen=True)
class Rope(RopeBase):
    """A massless rope over sheaves, which pulls, or is slack.

    Its path begins and ends at an anchor or a drum, and leads over sheaves and guides. The rope runs counter-clockwise
    about the axis of each of them. Sheaves with teeth cut it into sections, each with a tension and a length of its
    own; over an ideal sheave the tension is the same on both sides.

    Parameters
    ----------
    name
        Unique name; it names the tensions.
    path
        `Anchor`, `Drum`, `Sheave` and `Guide` elements in the order in which the rope runs.
    length
        Length without load, when drums are at angle zero; without a drum it may depend on time. None: whatever makes
        the rope taut at the start of a run, or in the neutral configuration if it is elastic.
    stiffness
        Axial stiffness EA [N]; None: the rope is inextensible.
    damping
        Axial damping EA' [N s] of an elastic rope, on its rate of strain.
    pretension
        Tension of an elastic rope without given length in the neutral configuration.
    closed
        Whether the last element of the path is followed by the first: a belt. It has sheaves and guides only.

    Examples
    --------
    >>> import dalembert as da
    >>> fall = da.Rope("fall", [da.Drum("winch", 0.2), da.Sheave("block", 0.1, "y"), da.Anchor("beam")])
    >>> fall.tension_names
    ('fall[0]', 'fall[1]')
    """

    name: str
    path: tuple[PathElement, ...]
    length: Scalar | None = None
    stiffness: Scalar | None = None
    damping: Scalar = 0.0
    pretension: Scalar = 0.0
    closed: bool = False

    bilateral = False

    def __post_init__(self) -> None:
        name, set_ = check_name(self.name, "rope"), object.__setattr__
        if isinstance(self.path, str) or not isinstance(self.path, Iterable):
            raise MachineError(f"path of rope '{name}' must be a list of its elements, got {self.path!r}")
        set_(self, "path", tuple(self.path))
        for element in self.path:
            if not isinstance(element, PathElement):
                kinds = "Anchor, Drum, Sheave and Guide"
                raise MachineError(f"path of rope '{name}' must be a list of {kinds}, got {element!r}")
        if not isinstance(self.closed, bool):
            raise MachineError(f"'closed' of rope '{name}' must be true or false, got {self.closed!r}")
        self._check_path()
        has_drum = any(isinstance(element, Drum) for element in self.path)
        if self.length is not None:
            what = f"length of rope '{name}'"
            set_(self, "length", field_scalar(self.length, what, time=not has_drum))
            if not nominal(self.length) > 0.0 and not has_drum:
                raise MachineError(f"{what} must be > 0, got {nominal(self.length):g}")
        if self.stiffness is not None:
            what = f"axial stiffness of rope '{name}'"
            set_(self, "stiffness", field_scalar(self.stiffness, what, lower=0.0, strict=True))
        set_(self, "damping", field_scalar(self.damping, f"damping of rope '{name}'", lower=0.0))
        set_(self, "pretension", field_scalar(self.pretension, f"pretension of rope '{name}'", lower=0.0))
        if self.stiffness is None:
            for what in ("damping", "pretension"):
                if getattr(self, what) != 0.0:
                    raise MachineError(f"rope '{name}' is inextensible: it takes no {what}")
        elif self.pretension != 0.0 and self.length is not None:
            raise MachineError(f"rope '{name}' has a length: it takes no pretension, which would set it")
        self._check_indeterminate()

    def _check_path(self) -> None:
        name, path = self.name, self.path
        ends = () if self.closed else (path[0], path[-1]) if path else ()
        if len(path) < 2:
            raise MachineError(f"path of rope '{name}' must have two elements or more, got {len(path)}")
        for element in ends:
            if not isinstance(element, Anchor | Drum):
                raise MachineError(f"path of rope '{name}' must begin and end at an anchor or drum, got {element.what}")
        for element in path if self.closed else path[1:-1]:
            if not isinstance(element, Sheave | Guide):
                where = "has no ends" if self.closed else "has anchors and drums at its ends only"
                raise MachineError(f"rope '{name}' {where}, got {element.what} in its path")
        labels = [element.label for element in self.path if not isinstance(element, Anchor)]
        for label in labels:
            if labels.count(label) > 1:
                raise MachineError(
                    f"rope '{name}' has {labels.count(label)} elements named '{label}'; give each a name of its own"
                )

    def _check_indeterminate(self) -> None:
        if self.length is not None and depends_on_time(self.length) and len(self.section_names) > 1:
            raise MachineError(f"length of rope '{self.name}' must not depend on time: teeth cut it into sections")
        if self.length is not None and self.elastic and len(self.section_names) > 1:
            raise MachineError(
                f"rope '{self.name}' is elastic and cut by teeth: give its pretension, from which each section has its "
                "length, instead of the length of the whole"
            )
        if self.closed and self.length is None and self.stiffness is not None and self.pretension == 0.0:
            raise MachineError(f"rope '{self.name}' is closed: give its pretension, or its length without load")
        toothed = [element.what for element in self.path if isinstance(element, Sheave) and element.teeth]
        rubbing = [element.what for element in self.path if element.rubs]
        if self.closed and self.stiffness is None and len(toothed) + len(rubbing) > 1:
            first, second = (*toothed, *rubbing)[:2]
            raise MachineError(
                f"rope '{self.name}' is closed, inextensible and drives both {first} and {second}: its tensions are "
                "indeterminate; give its stiffness"
            )

    @property
    def frames(self) -> tuple[str, ...]:
        """Frames that it refers to."""
        return tuple(frame for element in self.path for frame in element.frames)

    @property
    def joints(self) -> tuple[str, ...]:
        """Joints whose coordinate it refers to."""
        return tuple(joint for element in self.path for joint in element.joints)

    @property
    def rheonomous(self) -> bool:
        """Whether its length or a position on its path depends on time."""
        lengths = () if self.length is None else (self.length,)
        return any(depends_on_time(x) for x in lengths) or any(element.rheonomous for element in self.path)

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the rope."""
        own = [x for x in (self.length, self.stiffness) if x is not None]
        return (*(x for element in self.path for x in element.scalars), self.damping, self.pretension, *own)

    def bounds(self) -> Iterator[Bound]:
        """Ranges that must hold for any parameter values."""
        for element in self.path:
            yield from element.bounds()
        yield Bound(f"damping of rope '{self.name}'", self.damping)
        yield Bound(f"pretension of rope '{self.name}'", self.pretension)
        if self.stiffness is not None:
            yield Bound(f"axial stiffness of rope '{self.name}'", self.stiffness, strict=True)

    @property
    def cuts(self) -> tuple[int, ...]:
        """Places in the path of what the rope is fixed to."""
        return tuple(k for k, element in enumerate(self.path) if element.cuts)

    @property
    def rubbing(self) -> tuple[PathElement, ...]:
        """Elements with friction or losses."""
        return tuple(element for element in self.path if element.rubs)

    @property
    def section_names(self) -> tuple[str, ...]:
        """Names of its sections: its own, or numbered."""
        count = max(len(self.cuts), 1) if self.closed else len(self.cuts) - 1
        return (self.name,) if count == 1 else tuple(f"{self.name}[{k}]" for k in range(count))

    @property
    def tension_names(self) -> tuple[str, ...]:
        """Names of the tensions of its spans."""
        return tuple(f"{self.name}[{k}]" for k in range(len(self.path) - (not self.closed)))

    def route(self, context: MachineContext) -> Route:
        """Where it runs."""
        return _Routing(self, context).route()

    def check_wheels(self, machine: Machine) -> None:
        """Refuse wheels that do not turn about their axes, and arcs on drums that begin nowhere."""
        self.route(NeutralContext(machine))


@dataclass(frozen=True)
class _Turning:
    """A wheel as it turns: what its rim has turned by about its axis, and the direction up to which arcs count."""

    angle: ca.SX
    zero: ca.SX


class _Routing:
    """The way of a rope in one context."""

    def __init__(self, rope: Rope, context: MachineContext) -> None:
        self.rope, self.context, self.machine = rope, context, context.machine
        self.wheels = [self._wheel(element) for element in rope.path]
        around = [*self.wheels, self.wheels[0]] if rope.closed else self.wheels
        self.lines: list[Line] = [line_between(a, b) for a, b in pairwise(around)]

    # -- elements ---------------------------------------------------------------------------------------------------

    def _wheel(self, element: PathElement) -> Circle:
        value = self.context.value
        frame = element.on
        if isinstance(element, Drum):
            frame = self._joint(element).child
        R, p = self.context.pose(frame)
        centre = p + R @ ca.vertcat(*[value(x) for x in element.at])
        if isinstance(element, Anchor) or (isinstance(element, Guide) and element.is_point):
            return Circle(centre)
        axis = element.axis
        if axis is None:
            axis = self._joint(element).axis
        node, direction = carried_axis(self.machine, frame, _plain(axis))
        if element.joints:
            self._check_joint(element, node, direction)
        x, y, z = map(float, direction)
        return Circle(centre, value(element.radius), self._turned(node, direction), node, (x, y, z))

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
        if zero is None:
            # of a wheel that rubs the rate alone counts, and any direction serves
            zero = self._neutral_zero(k) if element.cuts else _across(self._own_axis(element))
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
        neutral = _Routing(self.rope, NeutralContext(self.machine))
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

    def touch(self, k: int) -> ca.SX:
        """Direction in which a rope touches a wheel first: where it meets it, or where it leaves a drum."""
        rho = self.lines[k].out if k == 0 and not self.rope.closed else self.lines[k - 1].into
        assert rho is not None
        return rho

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
            tuple(self._conditions(wraps)),
            tuple(line.error for line in self.lines if line.error is not None),
        )

    def _wrap(self, k: int) -> WrappedWheel:
        """The arc on a wheel inside the path."""
        wheel, into, out = self.wheels[k], self.lines[k - 1].into, self.lines[k].out
        assert wheel.axis is not None and wheel.radius is not None and into is not None and out is not None
        turns = 2 * math.pi * int(self.rope.path[k].turns)
        angle = turns + _angle(wheel.axis, into, out, _LEAST + math.pi)
        return WrappedWheel(self.rope.path[k].label, Arc(wheel.centre, wheel.axis, into, wheel.radius, angle))

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
        if whole:
            way = wraps[0].arc.radius * wraps[0].arc.angle if 0 in wraps else way
        elif self.wheels[first].axis is not None:
            way, payout = self._beyond(first % n, wraps)
        rubs: list[tuple[int, Rub]] = []
        for count, k in enumerate(range(first, last), start=1):
            way = way + self.lines[k % len(self.lines)].length
            at = (k + 1) % n
            if k + 1 == last:
                break
            if path[at].rubs:
                before, turned = self._before(at)
                run = way - payout + before + turned
                rubs.append((count, Rub(path[at].label, path[at].kappa(wraps[at].arc.angle, self.context), run)))
            if at in wraps:
                way = way + wraps[at].arc.radius * wraps[at].arc.angle
        if not whole and self.wheels[last % n].axis is not None:
            before, turned = self._before(last % n)
            way, payout = way + before, payout - turned
        lengths = tuple(self.lines[k].length for k in spans)
        return RouteSection(way, payout, tuple(spans), lengths, tuple(rubs))

    def _before(self, k: int) -> tuple[ca.SX, ca.SX]:
        """Arc from where a rope meets a wheel to the zero direction, and what the rim has turned on from there."""
        wheel, into = self.wheels[k], self.lines[k - 1].into
        assert wheel.axis is not None and wheel.radius is not None and into is not None
        turning = self._turning(k)
        return -wheel.radius * _angle(wheel.axis, turning.zero, into, 0.0), wheel.radius * turning.angle

    def _beyond(self, k: int, wraps: dict[int, WrappedWheel]) -> tuple[ca.SX, ca.SX]:
        """Arc from the zero direction to where a rope leaves a wheel, and what the rim has turned on from there."""
        wheel, out = self.wheels[k], self.lines[k].out
        assert wheel.axis is not None and wheel.radius is not None and out is not None
        if k in wraps:
            before, turned = self._before(k)
            return wheel.radius * wraps[k].arc.angle - before, turned
        turning = self._turning(k)
        return wheel.radius * _angle(wheel.axis, turning.zero, out, 0.0), wheel.radius * turning.angle

    def _course(self, wraps: dict[int, WrappedWheel]) -> tuple[ca.SX | Arc, ...]:
        n = len(self.rope.path)
        course: list[ca.SX | Arc] = []
        for k in range(n):
            if k in wraps:
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

    def _conditions(self, wraps: dict[int, WrappedWheel]) -> Iterator[Condition]:
        rope, path, n = self.rope, self.rope.path, len(self.rope.path)
        for k, line in enumerate(self.lines):
            a, b = path[k], path[(k + 1) % n]
            if line.out is not None and line.into is not None:
                message = f"{a.what} and {b.what} of rope '{rope.name}' overlap: there is no tangent between them"
            else:
                wheel, point = (a, b) if line.out is not None else (b, a)
                message = f"{point.what} of rope '{rope.name}' is inside {wheel.what}"
            if line.out is not None or line.into is not None:
                yield Condition(f"{rope.name}.{a.label}.overlap", line.clear, message)
            if line.error is not None:
                message = f"no line from {a.what} to {b.what} of rope '{rope.name}' was found that touches both"
                yield Condition(f"{rope.name}.{a.label}.tangent", _CONVERGED * line.length - line.error, message)
        for k in rope.cuts:
            if self.wheels[k].axis is not None:
                angle = _angle(self.wheels[k].axis, self._turning(k).zero, self.touch(k), 0.0)
                yield Condition(
                    f"{rope.name}.{path[k].label}.lap",
                    _FARTHEST - ca.fabs(angle),
                    f"rope '{rope.name}' touches {path[k].what} almost opposite of its zero direction, up to which its "
                    "arc counts; give a 'zero' nearer to where the rope touches it",
                )
        for k, wrap in wraps.items():
            element = path[k]
            turns = int(element.turns)
            yield Condition(
                f"{rope.name}.{wrap.name}.leave",
                wrap.arc.angle,
                f"rope '{rope.name}' leaves {element.what}: it does not run counter-clockwise about its axis; turn the "
                f"axis round, or give turns: {turns + 1} if the rope goes round once more",
            )


def _angle(axis: ca.SX, start: ca.SX, end: ca.SX, centre: float) -> ca.SX:
    """Angle about an axis from one direction to another, within half a turn of ``centre``."""
    sine, cosine = ca.dot(axis, ca.cross(start, end)), ca.dot(start, end)
    s, c = math.sin(centre), math.cos(centre)
    if abs(s) == 1.0:
        c = 0.0
    return centre + ca.atan2(sine * c - cosine * s, cosine * c + sine * s)


def _across(axis: Array) -> Array:
    """A coordinate axis that is not along a direction."""
    return np.eye(3)[int(np.argmin(np.abs(axis)))]


def _plain(axis: Iterable[Scalar]) -> Array:
    return np.array([nominal(x) for x in axis])
