"""Contacts: which shapes of a machine push against which surfaces, and how they rebound and rub.

A contact joins a *solid*, fixed to a frame (of a body, of a beam's section, or free), and a *surface*, fixed to another
frame or to the world. Solids are points, spheres, capsules and the corners of boxes; surfaces are half-spaces, and the
inside or outside of spheres and cylinders. Each is a description without equations: ``formulations/contact.py`` turns
it into gaps, normals and rows, which the event-driven and the time-stepping way of integration share.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from dalembert.core.errors import MachineError, UnknownNameError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.validation import Bound, Vector, check_name, field_scalar, field_vector, unit_vector
from dalembert.model.body import Body
from dalembert.model.geometry import Box, Capsule, Cylinder, Mesh, Sphere
from dalembert.model.joint import WORLD
from dalembert.model.transform import IDENTITY, Transform, as_transform

if TYPE_CHECKING:
    from dalembert.model.machine import Machine

__all__ = [
    "RESTITUTION_LAWS",
    "Contact",
    "CylindricalSurface",
    "HalfSpace",
    "SphericalSurface",
    "Surface",
    "geometry_contacts",
]

RESTITUTION_LAWS = ("newton", "poisson")


@dataclass(frozen=True)
class HalfSpace:
    """All below a plane: the ground, an incline, a wall, the face of a moving body.

    Parameters
    ----------
    normal
        Direction out of it (normalised), in the frame that carries it.
    point
        A point of the plane.
    """

    normal: Vector = (0.0, 0.0, 1.0)
    point: Vector = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", unit_vector(self.normal, "the normal of a half-space"))
        object.__setattr__(self, "point", field_vector(self.point, "the point of a half-space"))

    @property
    def convex_side(self) -> bool:
        """Whether a segment touches with its ends, if it touches at all."""
        return True

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the surface."""
        return self.point


@dataclass(frozen=True)
class SphericalSurface:
    """A sphere that is touched from outside, or (``inside=True``) from within.

    Parameters
    ----------
    radius
        Radius [m].
    centre
        Its centre, in the frame that carries it.
    inside
        Whether what touches it is within.
    """

    radius: Scalar
    centre: Vector = (0.0, 0.0, 0.0)
    inside: bool = False

    def __post_init__(self) -> None:
        _check_round(self, "spherical surface")
        object.__setattr__(self, "centre", field_vector(self.centre, "the centre of a spherical surface"))

    @property
    def convex_side(self) -> bool:
        """Whether a segment touches with its ends, if it touches at all."""
        return self.inside

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the surface."""
        return (self.radius, *self.centre)


@dataclass(frozen=True)
class CylindricalSurface:
    """A cylinder without ends that is touched from outside, or (``inside=True``) from within.

    Parameters
    ----------
    radius
        Radius [m].
    axis
        Direction of its axis (normalised), in the frame that carries it.
    point
        A point of the axis.
    inside
        Whether what touches it is within.
    """

    radius: Scalar
    axis: Vector = (0.0, 0.0, 1.0)
    point: Vector = (0.0, 0.0, 0.0)
    inside: bool = False

    def __post_init__(self) -> None:
        _check_round(self, "cylindrical surface")
        object.__setattr__(self, "axis", unit_vector(self.axis, "the axis of a cylindrical surface"))
        object.__setattr__(self, "point", field_vector(self.point, "the point of a cylindrical surface"))

    @property
    def convex_side(self) -> bool:
        """Whether a segment touches with its ends, if it touches at all."""
        return self.inside

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the surface."""
        return (self.radius, *self.point)


Surface = HalfSpace | SphericalSurface | CylindricalSurface
"""What is touched."""

GROUND = HalfSpace()
"""All below z = 0."""


def _check_round(surface: Any, what: str) -> None:
    radius = field_scalar(surface.radius, f"the radius of a {what}", lower=0.0, strict=True)
    object.__setattr__(surface, "radius", radius)
    if not isinstance(surface.inside, bool):
        raise MachineError(f"'inside' of a {what} must be true or false, got {surface.inside!r}")


@dataclass(frozen=True)
class Contact:
    """A solid that pushes against a surface, and never pulls.

    Parameters
    ----------
    name
        Unique name; it names forces, gaps and events. A solid that touches in several points (the ends of a capsule,
        the corners of a box) has pairs ``name[0]``, ``name[1]`` and so on.
    frame
        Frame, body or section of a beam that carries the solid.
    solid
        `Sphere`, `Capsule` or `Box` (its corners); None: the point at ``origin``.
    origin
        Placement of the solid in the frame; three numbers are a translation.
    surface
        `HalfSpace` (the default: all below z = 0), `SphericalSurface` or `CylindricalSurface`.
    on
        Frame or body that carries the surface.
    restitution
        Coefficient of restitution, from 0 to 1.
    friction
        Coulomb's coefficient of friction.
    law
        ``"newton"``: the normal velocity after an impact is ``-e`` times that before it. ``"poisson"``: the normal
        impulse of expansion is ``e`` times that of compression.

    Examples
    --------
    >>> import dalembert as da
    >>> floor = da.Contact("floor", "ball", da.Sphere(0.1), restitution=0.8, friction=0.3)
    >>> floor.surface, floor.on, floor.pairs
    (HalfSpace(normal=(0.0, 0.0, 1.0), point=(0.0, 0.0, 0.0)), 'world', ('floor',))
    """

    name: str
    frame: str
    solid: Sphere | Capsule | Box | None = None
    origin: Transform = IDENTITY
    surface: Surface = GROUND
    on: str = WORLD
    restitution: Scalar = 0.0
    friction: Scalar = 0.0
    law: str = "newton"

    def __post_init__(self) -> None:
        name, set_ = check_name(self.name, "contact"), object.__setattr__
        what = f"contact '{name}'"
        check_name(self.frame, f"frame of {what}")
        check_name(self.on, f"carrier of the surface of {what}")
        if self.solid is not None and not isinstance(self.solid, Sphere | Capsule | Box):
            raise MachineError(f"the solid of {what} must be a Sphere, Capsule or Box, or None, got {self.solid!r}")
        if not isinstance(self.surface, Surface):
            kinds = "a HalfSpace, SphericalSurface or CylindricalSurface"
            raise MachineError(f"the surface of {what} must be {kinds}, got {self.surface!r}")
        if isinstance(self.solid, Box) and not self.surface.convex_side:
            raise MachineError(
                f"{what}: the corners of a box say nothing about its faces, which touch a round surface first; let the "
                "body with the surface carry a Sphere or a Capsule, and the box a HalfSpace for each of its faces"
            )
        set_(self, "origin", as_transform(self.origin, f"the origin of {what}"))
        restitution = field_scalar(self.restitution, f"the restitution of {what}")
        if not 0.0 <= nominal(restitution) <= 1.0:
            raise MachineError(f"the restitution of {what} must be from 0 to 1, got {nominal(restitution):g}")
        set_(self, "restitution", restitution)
        set_(self, "friction", field_scalar(self.friction, f"the friction of {what}", lower=0.0))
        if self.law not in RESTITUTION_LAWS:
            raise MachineError(
                f"the law of restitution of {what} must be one of {', '.join(RESTITUTION_LAWS)}, got {self.law!r}"
            )

    @property
    def count(self) -> int:
        """In how many points it may touch."""
        if isinstance(self.solid, Box):
            return 8
        return 2 if isinstance(self.solid, Capsule) and self.surface.convex_side else 1

    @property
    def pairs(self) -> tuple[str, ...]:
        """Names of the points in which it may touch."""
        return (self.name,) if self.count == 1 else tuple(f"{self.name}[{k}]" for k in range(self.count))

    @property
    def rubs(self) -> bool:
        """Whether it may have friction."""
        return not (isinstance(self.friction, float) and self.friction == 0.0)

    @property
    def frames(self) -> tuple[str, ...]:
        """Frames that it refers to."""
        return (self.frame, self.on)

    @property
    def joints(self) -> tuple[str, ...]:
        """Joints whose coordinate it refers to: none."""
        return ()

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the contact."""
        solid: list[Scalar] = []
        for f in fields(self.solid) if self.solid is not None else ():
            value = getattr(self.solid, f.name)
            solid += value if isinstance(value, tuple) else [value]
        return (*solid, *self.origin.scalars, *self.surface.scalars, self.restitution, self.friction)

    def bounds(self) -> Iterator[Bound]:
        """Ranges that must hold for any parameter values."""
        what = f"contact '{self.name}'"
        yield Bound(f"the restitution of {what}", self.restitution, upper=1.0)
        yield Bound(f"the friction of {what}", self.friction)
        if not isinstance(self.surface, HalfSpace):
            yield Bound(f"the radius of the surface of {what}", self.surface.radius, strict=True)
        match self.solid:
            case Sphere(radius=radius):
                yield Bound(f"the radius of {what}", radius, strict=True)
            case Capsule(radius=radius, length=length):
                yield Bound(f"the radius of {what}", radius)
                yield Bound(f"the length of {what}", length, strict=True)
            case Box(size=size):
                for side in size:
                    yield Bound(f"a side of the box of {what}", side, strict=True)


def geometry_contacts(
    machine: Machine,
    bodies: Iterable[str] | None = None,
    *,
    surface: Surface = GROUND,
    on: str = WORLD,
    restitution: Any = 0.0,
    friction: Any = 0.0,
    law: str = "newton",
) -> tuple[Contact, ...]:
    """Contacts of the geometry that bodies have for collision, as URDF files bring it, with one surface.

    Spheres stay spheres, boxes touch with their corners, and cylinders and capsules are capsules of the same length
    from end to end. Meshes, and cylinders that are wider than long, are refused by name.

    Parameters
    ----------
    machine
        The machine.
    bodies
        Whose geometry; None: of all bodies that have any, but ``on``.
    surface, on, restitution, friction, law
        As of `Contact`.

    Returns
    -------
    tuple of Contact
        One for each solid, of the name of its body (with a number where it has several).

    Examples
    --------
    >>> import dalembert as da
    >>> ball = da.Machine("ball", [da.sphere("ball", 1.0, 0.1)], [da.Joint("base", "free", "world", "ball")])
    >>> ball = ball.with_(contacts=da.geometry_contacts(ball, friction=0.5))
    >>> [c.name for c in ball.contacts]
    ['ball']
    """
    known = {b.name: b for b in machine.bodies if isinstance(b, Body)}
    chosen: Sequence[str] = list(known) if bodies is None else [bodies] if isinstance(bodies, str) else list(bodies)
    made = []
    for name in chosen:
        if name not in known:
            raise UnknownNameError("body", name, known, f"machine '{machine.name}'")
        if name == on:
            continue
        parts = [g for g in known[name].geometry if g.collision]
        if bodies is not None and not parts:
            raise MachineError(f"body '{name}' of machine '{machine.name}' has no geometry for collision")
        for k, part in enumerate(parts):
            label = name if len(parts) == 1 else f"{name}.{k}"
            solid = part.solid
            if isinstance(solid, Mesh):
                raise MachineError(
                    f"body '{name}' of machine '{machine.name}' has the mesh '{solid.file}' for collision: contacts "
                    "take spheres, boxes, cylinders and capsules; replace it, or name the bodies that touch"
                )
            if isinstance(solid, Cylinder):
                solid = _capsule(solid, f"body '{name}' of machine '{machine.name}'")
            made.append(Contact(label, name, solid, part.origin, surface, on, restitution, friction, law))
    return tuple(made)


def _capsule(solid: Cylinder, owner: str) -> Capsule:
    """Capsule within a cylinder, of its length from end to end."""
    straight = solid.length - 2.0 * solid.radius
    if not nominal(straight) > 0.0:
        raise MachineError(
            f"{owner} has a cylinder for collision that is no longer ({nominal(solid.length):g} m) than it is wide: a "
            "capsule cannot stand for it; give a Sphere, or contacts of your own"
        )
    return Capsule(solid.radius, straight)
