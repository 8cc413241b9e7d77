"""Colliders: bodies whose geometry touches everything, found by pairs at run time, and surfaces of the world."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dalembert.core.errors import MachineError, UnknownNameError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.validation import Bound, Vector, check_name, field_scalar, field_vector, unit_vector
from dalembert.model.axis_segments import MOST_SEGMENTS, axis_segments
from dalembert.model.body import Body
from dalembert.model.contacts import HalfSpace, Surface
from dalembert.model.contacts.surface import Number, SurfaceShape
from dalembert.model.elastic.contract import Elastic
from dalembert.model.joint import WORLD
from dalembert.model.soft_contact import SoftContact

if TYPE_CHECKING:
    from dalembert.model.machine import Machine

__all__ = ["Collider", "check_colliders", "world_shapes"]


@dataclass(frozen=True)
class Collider:
    """Bodies that touch with the geometry that they have for collision; or a half-space of the world.

    Everything in a collider touches everything in all colliders, whatever their number: pairs are found in every step.
    A pair has the geometric mean of both frictions and the smaller of both restitutions.

    Parameters
    ----------
    name
        Its name.
    bodies
        Bodies that belong to it; None: all bodies with geometry for collision that no other collider names. Beams and
        rods that it names are chains of capsules along their bent axes.
    surface
        A `HalfSpace` of the world in the place of bodies, such as the ground.
    friction, restitution
        Coefficients of its shapes.
    ignores
        Names of colliders whose shapes it does not touch, itself among them.
    rolling, spinning
        Resistance against rolling, and against spinning about the normal [m]: the largest moment by the normal force. A
        pair has the larger one of both.
    stiffness, damping
        Compliance of its contacts: with the depth ``d`` the normal force of each point is ``k d (1 + c d')``, not below
        zero, with the stiffness ``k`` [N/m] and the damping ``c`` [s/m] (Hunt and Crossley). None: rigid. Compliances
        of a pair add: ``1/k = 1/k1 + 1/k2``, and each side has its part of the depth.
    adhesion
        Force [N] with which two of its shapes that touch hold together: the normal force is at least ``-adhesion``, and
        limits of friction and of moments against rolling and spinning are those of the normal force plus ``adhesion``.
        A pair of shapes has the larger one of both, in equal parts at all its points that are closed.
    belt
        Velocity of its surface [m/s], as of a conveyor: what lies on it is carried along. In axes of the solids of its
        bodies; of a half-space in axes of the world.
    grain, across
        Direction, in the same axes, along which ``friction`` acts, and friction across it: a file, a skate, snake skin.
        Without a grain friction is the same in all directions.
    segments, radius
        Number of capsules of each of its beams and rods, 8 by default, and their radius [m], by default that of a round
        tube with the area and the second moments of the section.

    Examples
    --------
    >>> import dalembert as da
    >>> ball = da.Machine(
    ...     "ball",
    ...     bodies=[da.sphere("ball", 1.0, 0.1)],
    ...     joints=[da.Joint("base", "free", "world", "ball")],
    ...     colliders=[da.Collider("balls", friction=0.5), da.Collider("ground", surface=da.HalfSpace())],
    ... )
    >>> run = da.simulate(ball, duration=1.0, q0={"base.z": 0.5}, contact="time-stepping")
    >>> run.status, round(float(run["base.z"][-1]), 6)
    ('completed', 0.1)
    """

    name: str
    bodies: tuple[str, ...] | None = None
    surface: HalfSpace | None = None
    friction: Scalar = 0.5
    restitution: Scalar = 0.0
    ignores: tuple[str, ...] = ()
    rolling: Scalar = 0.0
    spinning: Scalar = 0.0
    belt: Vector = (0.0, 0.0, 0.0)
    grain: Vector | None = None
    across: Scalar | None = None
    stiffness: Scalar | None = None
    damping: Scalar = 0.0
    adhesion: Scalar = 0.0
    segments: int | None = None
    radius: float | None = None

    def __post_init__(self) -> None:
        what, set_ = f"collider '{check_name(self.name, 'collider')}'", object.__setattr__
        if self.surface is not None and not isinstance(self.surface, HalfSpace):
            raise MachineError(f"the surface of {what} must be a HalfSpace, got {self.surface!r}")
        if self.surface is not None and self.bodies is not None:
            raise MachineError(f"{what} has bodies and a surface: it takes one of them; declare another collider")
        for field in ("bodies", "ignores"):
            names = getattr(self, field)
            if names is None and field == "bodies":
                continue
            if isinstance(names, str) or not isinstance(names, Iterable):
                raise MachineError(f"{field} of {what} must be a list of names, got {names!r}")
            names = tuple(names)
            for name in names:
                if not isinstance(name, str):
                    raise MachineError(f"{field} of {what} must be a list of names, got the element {name!r}")
            if len(set(names)) < len(names):
                raise MachineError(f"{field} of {what} must have each name once, got {', '.join(names)}")
            set_(self, field, names)
        set_(self, "friction", field_scalar(self.friction, f"the friction of {what}", lower=0.0))
        restitution = field_scalar(self.restitution, f"the restitution of {what}", lower=0.0)
        if nominal(restitution) > 1.0:
            raise MachineError(f"the restitution of {what} must be from 0 to 1, got {nominal(restitution):g}")
        set_(self, "restitution", restitution)
        for field in ("rolling", "spinning"):
            set_(self, field, field_scalar(getattr(self, field), f"the {field} resistance of {what}", lower=0.0))
        self._check_compliance(what)
        set_(self, "adhesion", field_scalar(self.adhesion, f"the adhesion of {what}", lower=0.0))
        self._check_line(what)
        set_(self, "belt", field_vector(self.belt, f"the belt velocity of {what}", time=True))
        if (self.grain is None) != (self.across is None):
            got, lacks = ("a grain", "across") if self.across is None else ("friction across a grain", "grain")
            raise MachineError(f"{what} has {got} and no '{lacks}': it takes both or none of them")
        if self.grain is not None and self.across is not None:
            set_(self, "grain", unit_vector(self.grain, f"the grain of {what}"))
            set_(self, "across", field_scalar(self.across, f"the friction across the grain of {what}", lower=0.0))

    def _check_compliance(self, what: str) -> None:
        damping = field_scalar(self.damping, f"the damping of {what}", lower=0.0)
        object.__setattr__(self, "damping", damping)
        if self.stiffness is None:
            if not isinstance(damping, float) or damping:
                raise MachineError(f"{what} has damping and no 'stiffness': rigid contacts lose energy by restitution")
            return
        stiffness = field_scalar(self.stiffness, f"the stiffness of {what}", lower=0.0)
        if not nominal(stiffness) > 0.0:
            raise MachineError(f"the stiffness of {what} must be > 0, got {nominal(stiffness):g}; None is rigid")
        if not isinstance(self.restitution, float) or self.restitution:
            raise MachineError(
                f"{what} has a stiffness and restitution: compliant contacts lose energy by 'damping'; leave one of "
                "them out"
            )
        object.__setattr__(self, "stiffness", stiffness)

    def _check_line(self, what: str) -> None:
        k, radius = self.segments, self.radius
        if k is not None and (isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MOST_SEGMENTS):
            raise MachineError(f"segments of {what} must be a whole number from 1 to {MOST_SEGMENTS}, got {k!r}")
        if radius is None:
            return
        if isinstance(radius, bool) or not isinstance(radius, int | float) or not 0.0 < radius < math.inf:
            raise MachineError(f"the radius of {what} must be a number > 0 [m], got {radius!r}")
        object.__setattr__(self, "radius", float(radius))

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the collider."""
        return (
            self.friction,
            self.restitution,
            self.rolling,
            self.spinning,
            *(() if self.stiffness is None else (self.stiffness,)),
            self.damping,
            self.adhesion,
            *self.belt,
            *(() if self.across is None else (self.across,)),
            *(() if self.surface is None else self.surface.scalars),
        )

    @property
    def resists(self) -> bool:
        """Whether its contacts may have moments against rolling and spinning."""
        return any(not isinstance(x, float) or x > 0.0 for x in (self.rolling, self.spinning))

    @property
    def adheres(self) -> bool:
        """Whether its contacts may pull."""
        return not isinstance(self.adhesion, float) or self.adhesion > 0.0

    def bounds(self) -> Iterator[Bound]:
        """Ranges that must hold for any parameter values."""
        yield Bound(f"the restitution of collider '{self.name}'", self.restitution, upper=1.0)
        yield Bound(f"the friction of collider '{self.name}'", self.friction)
        yield Bound(f"the rolling resistance of collider '{self.name}'", self.rolling)
        yield Bound(f"the spinning resistance of collider '{self.name}'", self.spinning)
        if self.stiffness is not None:
            yield Bound(f"the stiffness of collider '{self.name}'", self.stiffness, strict=True)
        yield Bound(f"the damping of collider '{self.name}'", self.damping)
        yield Bound(f"the adhesion of collider '{self.name}'", self.adhesion)
        if self.across is not None:
            yield Bound(f"the friction across the grain of collider '{self.name}'", self.across)


def check_colliders(machine: Machine) -> None:
    """Raise an error that names a collider with unknown, repeated or shapeless bodies, or without any."""
    where = f"machine '{machine.name}'"
    known = {b.name: b for b in machine.bodies}
    owner: dict[str, str] = {}
    rest = [c.name for c in machine.colliders if c.bodies is None and c.surface is None]
    if len(rest) > 1:
        raise MachineError(f"{where}: the colliders {', '.join(rest)} both have all other bodies; name those of one")
    for c in machine.colliders:
        for name in c.bodies or ():
            if name in {r.name for r in machine.all_ropes}:
                raise MachineError(
                    f"collider '{c.name}' of {where} names the rope '{name}': its spans have no mass that an impact "
                    "could move, and no shape; it meets the obstacles of its path, or use a rod"
                )
            if name not in known:
                raise MachineError(f"collider '{c.name}': {UnknownNameError('body', name, known, where)}")
            _check_shape(c, known[name], where)
            if name in owner:
                raise MachineError(f"body '{name}' of {where} is in two colliders, '{owner[name]}' and '{c.name}'")
            owner[name] = c.name
        for name in c.ignores:
            names = [other.name for other in machine.colliders]
            if name not in names:
                raise MachineError(f"collider '{c.name}': {UnknownNameError('collider', name, names, where)}")
        if (c.segments, c.radius) != (None, None) and not any(isinstance(known[n], Elastic) for n in c.bodies or ()):
            raise MachineError(
                f"collider '{c.name}' of {where} has segments or a radius, which are those of beams and rods: it names "
                "none of them"
            )
    _check_laws(machine)
    solids = [
        b for b in known.values()
        if isinstance(b, Body) and b.name not in owner and any(g.collision for g in b.geometry)
    ]  # fmt: skip
    if rest and not solids:
        raise MachineError(f"collider '{rest[0]}' of {where} has no bodies: none is left with geometry for collision")


def _check_shape(collider: Collider, body: Body | Elastic, where: str) -> None:
    """Raise an error that names a body without a shape."""
    if isinstance(body, Elastic):
        axis_segments(body, collider, where)
    elif not any(g.collision for g in body.geometry):
        raise MachineError(f"body '{body.name}' of collider '{collider.name}' of {where} has no geometry for collision")


def world_shapes(machine: Machine, number: Number = nominal) -> list[SurfaceShape]:
    """Shapes of the surfaces of the world that a machine touches: of its contacts, soft contacts and colliders.

    Equal surfaces count once; ``number`` evaluates scalars.
    """
    surfaces: list[Surface] = [c.surface for c in machine.contacts if c.on == WORLD]
    surfaces += [f.surface for f in machine.fields if isinstance(f, SoftContact) and f.on == WORLD]
    surfaces += [c.surface for c in machine.colliders if c.surface is not None]
    return [shape for surface in dict.fromkeys(surfaces) for shape in surface.shapes(number)]


def _check_laws(machine: Machine) -> None:
    """Raise an error that names two colliders that may touch and whose laws have no rule for a pair."""
    flexible = {b.name for b in machine.bodies if isinstance(b, Elastic)}  # may touch themselves
    for i, one in enumerate(machine.colliders):
        for two in machine.colliders[i:]:
            single = one.bodies is not None and len(one.bodies) < 2 and not flexible & {*one.bodies}
            alone = one is two and (one.surface is not None or single)
            if alone or one.name in two.ignores or two.name in one.ignores:
                continue
            both = f"'{one.name}' and '{two.name}'" if one is not two else f"'{one.name}' among themselves"
            if one.grain is not None and two.grain is not None:
                raise MachineError(
                    f"machine '{machine.name}': colliders {both} may touch and both have a grain; let them ignore each "
                    "other, or give one of them friction that is the same in all directions"
                )
            if (one.adheres or two.adheres) and (one.stiffness is not None or two.stiffness is not None):
                raise MachineError(
                    f"machine '{machine.name}': colliders {both} may touch, with adhesion and stiffness: adhesion is "
                    "that of rigid contacts; let them ignore each other, or leave one of the two out"
                )
