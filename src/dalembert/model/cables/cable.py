"""A cable: anchor, exit, winch and elasticity."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import casadi as ca

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, depends_on_time, nominal
from dalembert.core.validation import Bound, Vector, check_name, field_scalar, field_vector
from dalembert.model.cables.exit import CableExit, CablePath
from dalembert.model.cables.exits import CABLE_EXITS, pulley_keys
from dalembert.model.cables.point import PointExit
from dalembert.model.context import MachineContext
from dalembert.model.joint import WORLD
from dalembert.model.kind_fields import FrameName, JointName
from dalembert.model.ropes.catenary import ROUNDS, Hanging
from dalembert.model.ropes.elements import Guide
from dalembert.model.ropes.pulley_catenary import PulleyExit, leave_pulley, pulley_equations
from dalembert.model.ropes.route import Arc, RopeBase, Route, RouteSection

__all__ = ["Cable"]


@dataclass(frozen=True)
class Cable(RopeBase):
    """A massless cable that pulls, or is slack: a rope of one span.

    Its length from the exit (with a pulley: from where it enters the pulley) to the anchor is ``length + drum theta``,
    CDPR (3), with the angle ``theta`` of the winch.

    Parameters
    ----------
    name
        Unique name; it names the tension.
    anchor, anchor_at
        Frame that the cable is fixed to, and the position in it.
    exit, exit_at
        Frame that carries the exit, and the position of the exit in it (point D of a pulley). The position may depend
        on time: a moving exit point, CDPR (25).
    length
        Length at zero winch angle; without a winch it may depend on time. None: whatever makes the cable taut at the
        start of a run.
    winch
        Joint that coils the cable (revolute, or prismatic with ``drum = 1``).
    drum
        Radius of the winch; positive angles pay out.
    pulley
        Radius of the guiding pulley; zero: the exit is a point.
    swivel
        ``"free"``: the pulley turns about the z axis of the exit frame into the plane of the cable, without inertia
        (CDPR 4.2.1). ``"fixed"``: its plane is the x-z plane of the exit frame (CDPR 4.2.2). Or the key of a kind of
        exit that was registered.
    stiffness
        Axial stiffness EA [N]; None: the cable is inextensible.
    damping
        Axial damping EA' [N s] of an elastic cable, on its rate of strain.
    bilateral
        Whether the cable could also push, as CDPR (2), an equation, lets it; otherwise it goes slack instead.
    weight
        Weight per unstretched length [N/m] of an elastic cable, which then sags: see `Rope`. It leaves a pulley that
        swivels about a vertical axis as a tangent. A winch coils it up at its exit; the mass of the body there includes
        the cable that the winch holds at the angle zero.
    friction
        Coefficient of friction of a heavy cable on its pulley, over which it then slides: the tensions at the winch and
        behind the pulley differ by a factor of ``exp(friction wrap)`` at most, and the cable sticks in between.
    lead
        Length of the straight line between the pulley and the winch of a heavy cable [m]; its unstretched ``length``
        then begins at the winch. Friction needs it: it stretches while the cable sticks.

    Examples
    --------
    >>> import dalembert as da
    >>> da.Cable("hoist", "hook", "trolley", length=6.0, stiffness=1.2e6).bilateral
    False
    """

    name: str
    anchor: FrameName
    exit: FrameName = WORLD
    anchor_at: Vector = (0.0, 0.0, 0.0)
    exit_at: Vector = (0.0, 0.0, 0.0)
    length: Scalar | None = None
    winch: JointName | None = None
    drum: Scalar = 0.0
    pulley: Scalar = 0.0
    swivel: str = "free"
    stiffness: Scalar | None = None
    damping: Scalar = 0.0
    bilateral: bool = False
    weight: Scalar = 0.0
    friction: Scalar = 0.0
    lead: Scalar = 0.0

    def __post_init__(self) -> None:
        name, set_ = check_name(self.name, "cable"), object.__setattr__
        check_name(self.anchor, f"anchor of cable '{name}'")
        check_name(self.exit, f"exit of cable '{name}'")
        set_(self, "anchor_at", field_vector(self.anchor_at, f"anchor position of cable '{name}'"))
        set_(self, "exit_at", field_vector(self.exit_at, f"exit position of cable '{name}'", time=True))
        if self.length is not None:
            what = f"length of cable '{name}'"
            set_(self, "length", field_scalar(self.length, what, time=self.winch is None))
            if self.winch is None and not nominal(self.length) > 0.0:
                raise MachineError(f"{what} must be > 0, got {nominal(self.length):g}")
        set_(self, "drum", field_scalar(self.drum, f"drum radius of cable '{name}'"))
        if self.winch is not None:
            check_name(self.winch, f"winch of cable '{name}'")
            if nominal(self.drum) == 0.0:
                raise MachineError(f"cable '{name}' has the winch '{self.winch}' but no drum radius")
        elif nominal(self.drum) != 0.0:
            raise MachineError(f"cable '{name}' has a drum radius but no winch")
        set_(self, "pulley", field_scalar(self.pulley, f"pulley radius of cable '{name}'", lower=0.0))
        if self.swivel not in pulley_keys():
            *first, last = map(repr, pulley_keys())
            raise MachineError(f"swivel of cable '{name}' must be {', '.join(first)} or {last}, got {self.swivel!r}")
        if self.stiffness is not None:
            what = f"axial stiffness of cable '{name}'"
            set_(self, "stiffness", field_scalar(self.stiffness, what, lower=0.0, strict=True))
            if self.length is None:
                raise MachineError(f"cable '{name}' is elastic: give its unstretched length")
        set_(self, "damping", field_scalar(self.damping, f"damping of cable '{name}'", lower=0.0))
        if self.stiffness is None and self.damping != 0.0:
            raise MachineError(f"cable '{name}' is inextensible: it takes no damping")
        if not isinstance(self.bilateral, bool):
            raise MachineError(f"'bilateral' of cable '{name}' must be true or false, got {self.bilateral!r}")
        set_(self, "weight", field_scalar(self.weight, f"weight of cable '{name}'", lower=0.0))
        if self.heavy:
            fixed = self.has_pulley and self.swivel != "free"
            given = {"a pulley that does not swivel": fixed, "'bilateral'": self.bilateral}
            self._check_heavy("cable", (what for what, is_given in given.items() if is_given))
        set_(self, "friction", field_scalar(self.friction, f"friction of cable '{name}'", lower=0.0))
        set_(self, "lead", field_scalar(self.lead, f"lead of cable '{name}'", lower=0.0))
        self._check_lead()

    def _check_lead(self) -> None:
        """Refuse friction, and a line to the winch, where they have no meaning."""
        name = self.name
        for field, given in (("friction", self._given(self.friction)), ("lead", self._given(self.lead))):
            if given and not self.heavy:
                instead = "lead a rope over a guide with friction" if field == "friction" else "add it to the length"
                raise MachineError(f"cable '{name}' has {field} but no weight: {instead} instead")
            if given and not self.has_pulley:
                raise MachineError(f"cable '{name}' has {field} but no pulley: give the radius of its pulley")
        if self._given(self.friction) and not self._given(self.lead):
            raise MachineError(
                f"cable '{name}' has friction: give its lead, the length between its pulley and its winch, which "
                "stretches while the cable sticks to the pulley"
            )

    @staticmethod
    def _given(value: Scalar) -> bool:
        return not (isinstance(value, float) and value == 0.0)

    @property
    def rubbing(self) -> tuple[Guide, ...]:
        """Its pulley as a guide, if it has friction."""
        if not self._given(self.friction):
            return ()
        return (Guide(self.exit, self.pulley, "y", friction=self.friction, name="pulley"),)

    @property
    def has_pulley(self) -> bool:
        """Whether its exit is a pulley."""
        return self._given(self.pulley)

    @property
    def exit_kind(self) -> type[CableExit]:
        """The kind of its exit."""
        return CABLE_EXITS[self.swivel] if self.has_pulley else PointExit

    def path(self, context: MachineContext) -> CablePath:
        """Its way from the exit to the anchor."""
        R_b, p_b = context.pose(self.anchor)
        R_d, p_d = context.pose(self.exit)
        b = p_b + R_b @ ca.vertcat(*[context.value(x) for x in self.anchor_at])
        d = p_d + R_d @ ca.vertcat(*[context.value(x) for x in self.exit_at])
        return self.exit_kind.path(b, d, R_d, context.value(self.pulley))

    def route(self, context: MachineContext) -> Route:
        """The way from the exit to the anchor as that of a rope of one section, which its winch pays out."""
        path = self.path(context)
        (R, p), (R_d, p_d) = context.pose(self.anchor), context.pose(self.exit)
        anchor = p + R @ ca.vertcat(*[context.value(x) for x in self.anchor_at])
        course: tuple[ca.SX | Arc, ...] = (path.exit, anchor)
        rims: tuple[Arc, ...] = ()
        if path.arc is not None:
            (psi, s), r, z = path.arc, context.value(self.pulley), R_d[:, 2]
            shape = self.hanging(context) if self.heavy else None
            psi = psi if shape is None or shape.psi is None else shape.psi
            centre = p_d + R_d @ ca.vertcat(*[context.value(x) for x in self.exit_at]) + r * s
            rims = (Arc(centre, ca.cross(z, s), -s, r, ca.pi - psi),)
            course = (*rims, anchor)
        section = RouteSection(path.length, self.payout(context), (0,), (path.length,))
        return self._with_sag(Route(path.length, (section,), course, rims=rims), context)

    def payout(self, context: MachineContext) -> ca.SX:
        """Length that its winch has paid out."""
        return ca.SX(0) if self.winch is None else context.value(self.drum) * context.coordinate(self.winch)

    def ends(self, context: MachineContext) -> tuple[ca.SX, ca.SX]:
        """Exit point and anchor of a heavy one."""
        (R_b, p_b), (R_d, p_d) = context.pose(self.anchor), context.pose(self.exit)
        exit_at, anchor_at = (ca.vertcat(*[context.value(x) for x in at]) for at in (self.exit_at, self.anchor_at))
        return p_d + R_d @ exit_at, p_b + R_b @ anchor_at

    def hanging(self, context: MachineContext, length: ca.SX | None = None) -> Hanging:
        """How it hangs at rest, if it is heavy, from its exit or from where it leaves its pulley."""
        if not self.has_pulley:
            return super().hanging(context, length)
        assert self.length is not None
        payout = self.payout(context) if length is None else ca.SX(0)
        total = context.value(self.length) if length is None else length
        return leave_pulley(self._pulley_exit(context), self._hangs(context, total, payout))

    def beyond(self, context: MachineContext, length: ca.SX) -> Hanging:
        """How it hangs with an unstretched length from where it enters its pulley, and the rest in its lead."""
        shape = leave_pulley(self._bare_exit(context), self._hangs(context, length, ca.SX(0)))
        return self._led(context, shape, length)

    def beyond_with(self, context: MachineContext, length: ca.SX, solution: ca.SX) -> tuple[Hanging, ca.SX]:
        """The same with a solution (psi, L, H, V), and by how much that misses the equations."""
        (_, _, gravity), material = self._hung(context), self._material(context)
        shape, missed = pulley_equations(self._bare_exit(context), gravity, (length, *material), solution)
        return self._led(context, shape, length), missed

    def _bare_exit(self, context: MachineContext) -> PulleyExit:
        """Its pulley, without the lead."""
        return replace(self._pulley_exit(context), lead=ca.SX(0))

    def _led(self, context: MachineContext, shape: Hanging, length: ca.SX) -> Hanging:
        """A shape beyond the pulley, with the lead."""
        assert self.length is not None
        payout, line = self.payout(context), context.value(self.lead)
        lead = context.value(self.length) + payout - length
        return replace(shape, payout=payout, lead=lead, wound=self._material(context)[1] * (line / lead - 1))

    def _hangs(self, context: MachineContext, total: ca.SX, payout: ca.SX) -> Callable[..., Hanging]:
        (_, end, gravity), material = self._hung(context), self._material(context)

        def solve(start: ca.SX, before: ca.SX, near: Hanging | None) -> Hanging:
            return Hanging.between(start, end, gravity, (total, *material), payout, near, before)

        return solve

    def tightened(self, context: MachineContext, tension: ca.SX, near: ca.SX | None = None) -> Hanging:
        """How it hangs with a tension along the line from its exit, or from where it leaves its pulley."""
        if not self.has_pulley:
            return super().tightened(context, tension, near)
        (_, end, gravity), material = self._hung(context), self._material(context)

        def solve(start: ca.SX, before: ca.SX, last: Hanging | None) -> Hanging:
            close = near if last is None else ca.vertcat(last.V, last.L)
            return Hanging.tightened(start, end, gravity, (tension, *material), close)

        return leave_pulley(self._pulley_exit(context), solve, ROUNDS if near is None else ROUNDS - 1)

    def _pulley_exit(self, context: MachineContext) -> PulleyExit:
        (R, p), path, (entry, end) = context.pose(self.exit), self.path(context), self.ends(context)
        assert path.arc is not None
        psi, along = path.arc
        radius, lead = context.value(self.pulley), context.value(self.lead)
        return PulleyExit(R, p, entry, along, R[:, 2], radius, psi, end, lead)

    @property
    def section_names(self) -> tuple[str, ...]:
        """Its name."""
        return (self.name,)

    @property
    def tension_names(self) -> tuple[str, ...]:
        """Its name."""
        return (self.name,)

    @property
    def frames(self) -> tuple[str, ...]:
        """Frames that it refers to."""
        return (self.anchor, self.exit)

    @property
    def joints(self) -> tuple[str, ...]:
        """Joints whose coordinate it refers to."""
        return () if self.winch is None else (self.winch,)

    @property
    def rheonomous(self) -> bool:
        """Whether its length or its exit depends on time."""
        lengths = () if self.length is None else (self.length,)
        return any(depends_on_time(x) for x in (*self.exit_at, *lengths))

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the cable."""
        optional = [x for x in (self.length, self.stiffness) if x is not None]
        pulley = (self.pulley, self.friction, self.lead)
        return (*self.anchor_at, *self.exit_at, self.drum, *pulley, self.damping, self.weight, *optional)

    def bounds(self) -> Iterator[Bound]:
        """Ranges that must hold for any parameter values."""
        yield Bound(f"pulley radius of cable '{self.name}'", self.pulley)
        yield Bound(f"damping of cable '{self.name}'", self.damping)
        if self.heavy:
            yield Bound(f"weight of cable '{self.name}'", self.weight, strict=True)
        yield Bound(f"friction of cable '{self.name}'", self.friction)
        yield Bound(f"lead of cable '{self.name}'", self.lead, strict=bool(self.rubbing))
        if self.stiffness is not None:
            yield Bound(f"axial stiffness of cable '{self.name}'", self.stiffness, strict=True)
