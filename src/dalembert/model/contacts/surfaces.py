"""The register of kinds of surface."""

from __future__ import annotations

from inspect import isabstract
from typing import TypeVar

from dalembert.core.errors import MachineError
from dalembert.model.contacts.box_surface import BoxSurface
from dalembert.model.contacts.cylindrical import CylindricalSurface
from dalembert.model.contacts.half_space import HalfSpace
from dalembert.model.contacts.solids import SOLID_KINDS
from dalembert.model.contacts.spherical import SphericalSurface
from dalembert.model.contacts.surface import Surface
from dalembert.model.kind_fields import kind_fields
from dalembert.model.register import add_kind

__all__ = ["SURFACE_KINDS", "register_surface"]

SURFACE_KINDS: dict[str, type[Surface]] = {
    kind.key: kind for kind in (HalfSpace, SphericalSurface, CylindricalSurface, BoxSurface)
}

_KEYS = ("frame", "on", "origin", "restitution", "friction", "law")

S = TypeVar("S", bound=type[Surface])


def register_surface(kind: S) -> S:
    """Register a kind of surface, so that contacts and machine files take it: a decorator of its class.

    Parameters
    ----------
    kind
        A frozen dataclass that inherits `Surface`, with a ``key``, a ``noun``, ``convex_side`` and ``distance``.

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.model import register_surface
    >>> register_surface(da.HalfSpace) is da.HalfSpace  # already in the table; your own kind needs a new key
    True
    """
    if not (isinstance(kind, type) and issubclass(kind, Surface)):
        raise MachineError(f"a kind of surface must inherit dalembert.model.Surface, got {kind!r}")
    if isabstract(kind) or not isinstance(getattr(kind, "noun", None), str):
        raise MachineError(f"{kind.__name__} must define noun, convex_side and distance(x, value)")
    if getattr(kind, "key", None) in (*_KEYS, *(solid.key for solid in SOLID_KINDS.values())):
        raise MachineError(f"{kind.__name__} has the key '{kind.key}', which contacts use already; choose another")
    kind_fields(kind)
    add_kind(SURFACE_KINDS, kind, "surface", shared=False)
    return kind
