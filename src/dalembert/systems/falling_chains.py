"""Chains of flexible links that fall in a plane, onto the ground or inside a circle (IMPACT)."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar
from dalembert.model.beam import Beam
from dalembert.model.contacts import Contact, CylindricalSurface, HalfSpace, Surface
from dalembert.model.joint import Joint
from dalembert.model.machine import Machine
from dalembert.model.section import Section

__all__ = ["chain_in_circle", "chain_on_ground", "falling_chain"]

LENGTH, MASS, BENDING, ROTARY, GRAVITY = 1.0, 1.0, 1000.0, 2.94e-5, 9.81
"""Table 1: length [m], mass [kg/m], bending stiffness [N m2] and rotary inertia [kg m] per length, gravity [m/s2]."""


def falling_chain(
    links: int = 1,
    modes: int = 1,
    *,
    boundary: str = "clamped-free",
    rotary_inertia: bool | str = True,
) -> Machine:
    """Links in a vertical plane, each hinged to the tip of the one before, the first one free to move.

    Every link has the length, mass, stiffness and rotary inertia of IMPACT, Table 1, which are those of a round rod.
    The coordinates are the place of the first link's root and its angle, its modal coordinates, then for each link the
    angle of its hinge and its modal coordinates.

    Parameters
    ----------
    links
        Number of links.
    modes
        Number of bending modes of each link; 0: rigid links.
    boundary
        Boundary conditions of the modes. The document's case study I has ``"clamped-clamped"``, whose ends do not move
        in the frame of the link.
    rotary_inertia
        Whether the sections have inertia of rotation; the document's turn with the frame of the link only:
        ``"rigid"``.

    Examples
    --------
    >>> from dalembert.systems.falling_chains import falling_chain
    >>> falling_chain(2, 1).q_names
    ('base.x', 'base.y', 'base.angle', 'link1.delta1', 'hinge2', 'link2.delta1')
    """
    for what, value, least in (("links", links, 1), ("modes", modes, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise MachineError(f"{what} of a falling chain must be a whole number of at least {least}, got {value!r}")
    section = Section.tube(sqrt(4 * ROTARY / MASS))
    E, density = BENDING / section.I_z, MASS / section.area
    names = [f"link{i}" for i in range(1, links + 1)]
    bodies = tuple(
        Beam(
            name,
            LENGTH,
            section,
            E,
            E / 2.6,
            density,
            modes=(("y", modes),) if modes else (),
            boundary=boundary,
            rotary_inertia=rotary_inertia,
        )
        for name in names
    )
    up = (0.0, 0.0, 1.0)
    joints = [Joint("base", "planar", "world", names[0], axis=up)]
    joints += [Joint(f"hinge{i + 2}", "revolute", f"{names[i]}.tip", names[i + 1], axis=up) for i in range(links - 1)]
    return Machine("falling chain", bodies, tuple(joints), gravity=(0.0, -GRAVITY, 0.0))


def chain_on_ground(
    links: int = 10, modes: int = 2, *, restitution: Scalar = 0.5, friction: Scalar = 0.0, **options: Any
) -> Machine:
    """A `falling_chain` above the ground, which the ends of its links touch.

    Parameters
    ----------
    links, modes
        Number of links, and of bending modes of each.
    restitution, friction
        Restitution and friction of all ends.
    **options
        Those of `falling_chain`.
    """
    return _touching(
        falling_chain(links, modes, **options), HalfSpace((0.0, 1.0, 0.0)), restitution, friction, "chain on ground"
    )


def chain_in_circle(
    radius: float = 1.2, *, modes: int = 1, restitution: Scalar = 0.8, friction: Scalar = 0.0
) -> Machine:
    """Two links of a `falling_chain` inside a circle about the origin (IMPACT's second case, which gives no data).

    Examples
    --------
    >>> len(chain_in_circle().contacts)
    3
    """
    inside = CylindricalSurface(radius, (0.0, 0.0, 1.0), inside=True)
    return _touching(falling_chain(2, modes), inside, restitution, friction, "chain in circle")


def _touching(chain: Machine, surface: Surface, restitution: Scalar, friction: Scalar, name: str) -> Machine:
    """Contacts of the first link's start and of the tips of all links."""
    beams = [b.name for b in chain.bodies]
    contacts = [
        Contact(f"end{i}", frame, surface=surface, restitution=restitution, friction=friction)
        for i, frame in enumerate([f"{beams[0]}.start", *(f"{b}.tip" for b in beams)])
    ]
    first: Any = chain.bodies[0]
    started = replace(first, stations=(*first.stations, ("start", 0.0)))
    return chain.with_(name=name, bodies=(started, *chain.bodies[1:]), contacts=tuple(contacts))
