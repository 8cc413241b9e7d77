"""Where a rope runs, as expressions: the contract of cables and ropes.

A rope is a chain of spans between the elements of its path. Teeth, clamps and drums cut it into sections; each section
has one length, which its spans share, and is slack or taut as a whole. A section satisfies

    way - payout <= natural length,

where ``way`` is the length of its free lines and arcs, an arc at its end counted to a direction fixed in what carries
the wheel, and ``payout`` is the rope that turning wheels at its ends feed into it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import casadi as ca

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar
from dalembert.core.validation import Bound
from dalembert.model.context import MachineContext
from dalembert.model.ropes.axes import NeutralContext
from dalembert.model.ropes.catenary import Hanging

if TYPE_CHECKING:
    from dalembert.model.machine import Machine
    from dalembert.model.ropes.elements import PathElement

__all__ = [
    "Arc",
    "Bearing",
    "Condition",
    "Counted",
    "Meeting",
    "RopeBase",
    "Route",
    "RouteSection",
    "Rub",
    "WrappedWheel",
]


@dataclass(frozen=True)
class Arc:
    """An arc of a rope on a wheel.

    Parameters
    ----------
    centre, axis
        Centre of the wheel, and the unit vector about which the rope runs counter-clockwise.
    start
        Unit vector from the centre to where the arc begins.
    radius, angle
        Radius, and the angle that the rope wraps.
    """

    centre: ca.SX
    axis: ca.SX
    start: ca.SX
    radius: ca.SX
    angle: ca.SX

    def points(self, pieces: int) -> list[ca.SX]:
        """Points along the arc, ends included."""
        across, angles = ca.cross(self.axis, self.start), [self.angle * k / pieces for k in range(pieces + 1)]
        return [self.centre + self.radius * (ca.cos(a) * self.start + ca.sin(a) * across) for a in angles]


@dataclass(frozen=True)
class WrappedWheel:
    """A wheel that a rope runs over: its name in the rope, the angle of wrap, full turns counted, and where it is.

    Parameters
    ----------
    name
        Name of the wheel in the rope.
    arc
        The arc; its ``angle`` is the angle of wrap.
    fleet
        Fleet angle: the larger one of the angles between its plane and the lines before and after it. None for guides
        and obstacles, which lead a rope sideways.
    """

    name: str
    arc: Arc
    fleet: ca.SX | None = None


@dataclass(frozen=True)
class Rub:
    """A wheel inside a section at which the tension changes.

    Parameters
    ----------
    name
        Name of the wheel in the rope.
    kappa
        Largest ``|ln(T2/T1)|``: a function of configuration and parameters.
    run
        Way less payout of the section up to a point fixed on the wheel's rim; its rate is that at which rope slips past
        the wheel, from the span after it to the span before.
    way
        Way of the section up to a direction fixed in what carries the wheel.
    rim
        Way by which the rim has turned about its axis [m].
    """

    name: str
    kappa: ca.SX
    run: ca.SX
    way: ca.SX
    rim: ca.SX


@dataclass(frozen=True)
class Bearing:
    """The bearing of a turning sheave, with friction in proportion to the tensions beside it.

    Parameters
    ----------
    name
        Name of the sheave in the rope.
    joint, sense
        Joint with which it turns, and 1 or -1 if this turns about the sheave's axis or against it.
    lever
        Largest moment of friction about the joint by the sum of the two tensions [m].
    spans
        Places in the path of the spans before and after the sheave.
    """

    name: str
    joint: str
    sense: int
    lever: ca.SX
    spans: tuple[int, int]


@dataclass(frozen=True)
class RouteSection:
    """A part of a rope with one length.

    Parameters
    ----------
    way, payout
        Length of free lines and arcs, and the length that wheels at the ends have fed into it.
    spans
        Places in the path of its spans.
    lengths
        Free lengths of these.
    rubs
        Wheels at which the tension changes, in order, each with the number of spans of the section before it.
    start
        The part of ``payout`` that is fed in at the start of the section; zero by default.
    ring
        The wheel at which a belt without teeth begins and ends, if the tension changes there.
    """

    way: ca.SX
    payout: ca.SX
    spans: tuple[int, ...]
    lengths: tuple[ca.SX, ...]
    rubs: tuple[tuple[int, Rub], ...] = ()
    start: ca.SX = field(default_factory=lambda: ca.SX(0))
    ring: Rub | None = None

    @property
    def wheels(self) -> tuple[Rub, ...]:
        """Wheels at which the tension changes, that at which a belt begins and ends first."""
        inner = tuple(rub for _, rub in self.rubs)
        return inner if self.ring is None else (self.ring, *inner)

    @property
    def ways(self) -> ca.SX:
        """Lengths of the spans between these wheels, each arc cut at a direction fixed in what carries the wheel."""
        ways = [wheel.way for wheel in self.wheels]
        if self.ring is None:
            return ca.vertcat(*(b - a for a, b in zip([ca.SX(0), *ways], [*ways, self.way], strict=True)))
        return ca.vertcat(*(b - a for a, b in zip(ways, [*ways[1:], self.way + ways[0]], strict=True)))


@dataclass(frozen=True)
class Condition:
    """An expression that stays positive while a route exists.

    Parameters
    ----------
    name
        Name of the event at which it ceases to.
    value
        The expression.
    message
        The fault where it is not positive.
    passes
        Whether it may vanish for an instant only: that of a line whose ends pass each other.
    """

    name: str
    value: ca.SX
    message: str
    passes: bool = False


@dataclass(frozen=True)
class Meeting:
    """An obstacle on the path of a rope.

    Parameters
    ----------
    name
        Name of the obstacle in the rope.
    touches
        Whether a straight line between its neighbours would run through it, or past it on the wrong side.
    meets, leaves
        Expressions that fall through zero where the rope meets the obstacle, and where it leaves it.
    """

    name: str
    touches: ca.SX
    meets: ca.SX
    leaves: ca.SX


@dataclass(frozen=True)
class Counted:
    """An angle of a rope on a wheel that is counted over turns.

    Parameters
    ----------
    name
        Its name in the machine: that of rope and wheel.
    angle
        The angle.
    centre
        Centre of the turn in which it is found; it moves on by half turns.
    on
        Whether the rope lies on the wheel.
    """

    name: str
    angle: ca.SX
    centre: ca.SX
    on: ca.SX


@dataclass(frozen=True)
class Route:
    """Where a rope runs.

    Parameters
    ----------
    length
        Length of all free lines and arcs.
    sections
        Its sections.
    course
        Points and arcs in order, with straight lines between them.
    wraps
        The wheels.
    rims
        Arcs whose centres and radii are those of the wheels, drums among them.
    meetings
        The obstacles.
    conditions
        Expressions that stay positive while it exists.
    errors
        Errors of iterations for points of contact [m].
    counted
        Angles that are counted over turns.
    layers
        Names of drums with layers, and expressions that vanish where the layer changes.
    sag
        Points along the curve of a heavy cable between its two anchors.
    bearings
        Bearings of turning sheaves with losses.
    doubts
        Expressions that are positive at the start of a run; else it warns.
    """

    length: ca.SX
    sections: tuple[RouteSection, ...]
    course: tuple[ca.SX | Arc, ...]
    wraps: tuple[WrappedWheel, ...] = ()
    rims: tuple[Arc, ...] = ()
    meetings: tuple[Meeting, ...] = ()
    conditions: tuple[Condition, ...] = ()
    errors: tuple[ca.SX, ...] = ()
    counted: tuple[Counted, ...] = ()
    layers: tuple[tuple[str, ca.SX], ...] = ()
    sag: tuple[ca.SX, ...] = ()
    bearings: tuple[Bearing, ...] = ()
    doubts: tuple[Condition, ...] = ()

    def points(self, pieces: int) -> tuple[list[ca.SX], list[int]]:
        """Points along the course, arcs in pieces, and the places of the first point of each free line among them."""
        points: list[ca.SX] = []
        starts: list[int] = []
        for piece in self.course:
            points += piece.points(pieces) if isinstance(piece, Arc) else [piece]
            starts.append(len(points) - 1)
        return [*points[:1], *self.sag, *points[1:]], starts[:-1]


class RopeBase(ABC):
    """The common part of cables and ropes: a name, a route, a natural length and an axial stiffness."""

    name: str
    length: Scalar | None
    stiffness: Scalar | None
    damping: Scalar
    bilateral: bool
    weight: Scalar

    @property
    def elastic(self) -> bool:
        """Whether it stretches."""
        return self.stiffness is not None

    @property
    def heavy(self) -> bool:
        """Whether it has weight: a catenary."""
        return not (isinstance(self.weight, float) and self.weight == 0.0)

    @property
    @abstractmethod
    def rubbing(self) -> tuple[PathElement, ...]:
        """Elements with friction or losses."""

    @abstractmethod
    def ends(self, context: MachineContext) -> tuple[ca.SX, ca.SX]:
        """Points at both ends, of a heavy one."""

    def hanging(self, context: MachineContext, length: ca.SX | None = None) -> Hanging:
        """How it hangs at rest between its ends, if it is heavy; with another length, if one is given."""
        assert self.length is not None
        material = self._material(context)
        if length is not None:
            return Hanging.between(*self._hung(context), (length, *material))
        return Hanging.between(*self._hung(context), (context.value(self.length), *material), self.payout(context))

    def payout(self, context: MachineContext) -> ca.SX:
        """Length that a winch has paid out."""
        return ca.SX(0)

    def tightened(self, context: MachineContext, tension: ca.SX, near: ca.SX | None = None) -> Hanging:
        """How it hangs with a tension along the line between its ends, if it is heavy; ``near`` as in `Hanging`."""
        return Hanging.tightened(*self._hung(context), (tension, *self._material(context)), near)

    def _hung(self, context: MachineContext) -> tuple[ca.SX, ca.SX, ca.SX]:
        return *self.ends(context), ca.vertcat(*[context.value(x) for x in context.machine.gravity])

    def _material(self, context: MachineContext) -> tuple[ca.SX, ca.SX]:
        assert self.stiffness is not None
        return context.value(self.weight), context.value(self.stiffness)

    def _with_sag(self, route: Route, context: MachineContext) -> Route:
        """A route with the curve of a heavy rope, and the conditions under which it has one."""
        if not self.heavy:
            return route
        shape = self.hanging(context)
        hangs: tuple[Condition, ...] = (
            Condition(
                f"{self.name}.vertical",
                shape.l - 1e-6 * shape.L,
                f"the anchors of rope '{self.name}', which has weight, lie above each other: it has no horizontal "
                "tension",
            ),
            Condition(
                f"{self.name}.catenary",
                1e-9 - shape.error,
                f"no catenary of rope '{self.name}' was found between its anchors",
            ),
        )
        if shape.entry is not None:
            message = f"cable '{self.name}' is too slack to lie on its pulley: its weight there exceeds its tension"
            hangs = (*hangs, Condition(f"{self.name}.slack", shape.entry, message))
        return replace(route, conditions=(*route.conditions, *hangs), sag=shape.points(15))

    def _check_heavy(self, what: str, others: Iterable[str]) -> None:
        """Refuse weight together with ``others``, or without stiffness and length."""
        what = f"{what} '{self.name}' has weight"
        for other in others:
            raise MachineError(f"{what}: it must hang between two anchors, got {other}")
        for field_ in ("stiffness", "length"):
            if getattr(self, field_) is None:
                raise MachineError(f"{what}: give its {field_}" + (" without load" if field_ == "length" else ""))
        if self.damping != 0.0:
            raise MachineError(f"{what}: it takes no damping, as it has no inertia; give damping to joints")

    @property
    def pretension(self) -> Scalar:
        """Tension of an elastic rope in the neutral configuration, where no length is given."""
        return 0.0

    @property
    @abstractmethod
    def section_names(self) -> tuple[str, ...]:
        """Names of its sections: its own, or numbered."""

    @property
    @abstractmethod
    def tension_names(self) -> tuple[str, ...]:
        """Names of the tensions of its spans, as runs record them after ``tension.``."""

    @abstractmethod
    def route(self, context: MachineContext) -> Route:
        """Where it runs."""

    def neutral_route(self, machine: Machine) -> Route:
        """Where it runs in the neutral configuration of its machine, in numbers."""
        route = self.route(NeutralContext(machine))
        if not all(math.isfinite(float(ca.DM(ca.evalf(section.way)))) for section in route.sections):
            raise MachineError(
                f"rope '{self.name}' has no length in the neutral configuration of machine '{machine.name}'; give its "
                "unstretched length"
            )
        return route

    @property
    @abstractmethod
    def frames(self) -> tuple[str, ...]:
        """Frames that it refers to."""

    @property
    @abstractmethod
    def joints(self) -> tuple[str, ...]:
        """Joints whose coordinate it refers to."""

    @property
    @abstractmethod
    def rheonomous(self) -> bool:
        """Whether its length or a position on its path depends on time."""

    @property
    @abstractmethod
    def scalars(self) -> tuple[Scalar, ...]:
        """All its scalars."""

    @abstractmethod
    def bounds(self) -> Iterator[Bound]:
        """Ranges that must hold for any parameter values."""
