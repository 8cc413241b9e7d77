"""A contact: a solid that pushes against a surface, how it rebounds and how it rubs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import NoneType
from typing import Any

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.validation import Bound, check_name, field_scalar
from dalembert.model.contacts.half_space import GROUND
from dalembert.model.contacts.solids import SOLID_KINDS, SolidKind
from dalembert.model.contacts.surface import Surface
from dalembert.model.contacts.surfaces import SURFACE_KINDS
from dalembert.model.geometry import Box, Capsule, Sphere
from dalembert.model.joint import WORLD
from dalembert.model.kind_fields import scalars_in
from dalembert.model.register import check_registered
from dalembert.model.transform import IDENTITY, Transform, as_transform

__all__ = ["RESTITUTION_LAWS", "Contact"]

RESTITUTION_LAWS = ("newton", "poisson")


@dataclass(frozen=True)
class Contact:
    """A unilateral contact between a solid and a surface.

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
        if type(self.solid) not in SOLID_KINDS:
            kinds = _listed(kind for kind in SOLID_KINDS if kind is not NoneType)
            raise MachineError(f"the solid of {what} must be a {kinds}, or None, got {self.solid!r}")
        if not isinstance(self.surface, Surface):
            kinds = _listed(SURFACE_KINDS.values())
            raise MachineError(f"the surface of {what} must be a {kinds}, got {self.surface!r}")
        check_registered(SURFACE_KINDS, type(self.surface), f"the surface of {what}", "surface", "register_surface")
        self.solid_kind.check(self.surface, what)
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
        return self.solid_kind.count(self.surface)

    @property
    def solid_kind(self) -> SolidKind[Any]:
        """Queries about the solid."""
        return SOLID_KINDS[type(self.solid)](self.solid)

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
        solid = () if self.solid is None else scalars_in(self.solid)
        return (*solid, *self.origin.scalars, *self.surface.scalars, self.restitution, self.friction)

    def bounds(self) -> Iterator[Bound]:
        """Ranges that must hold for any parameter values."""
        what = f"contact '{self.name}'"
        yield Bound(f"the restitution of {what}", self.restitution, upper=1.0)
        yield Bound(f"the friction of {what}", self.friction)
        yield from self.surface.bounds(what)
        yield from self.solid_kind.bounds(what)


def _listed(kinds: Iterable[type]) -> str:
    *first, last = (kind.__name__ for kind in kinds)
    return f"{', '.join(first)} or {last}" if first else last
