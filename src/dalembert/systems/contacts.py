"""Machines that touch, bounce, rub and come to rest: the closed forms of contact."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Parameter, Scalar
from dalembert.model.body import Body, box, sphere
from dalembert.model.contacts import Contact, HalfSpace, SphericalSurface
from dalembert.model.geometry import Box, Capsule, Geometry, Sphere, along
from dalembert.model.joint import WORLD, Joint
from dalembert.model.machine import Machine
from dalembert.model.parts import Wrench
from dalembert.model.transform import Transform

__all__ = [
    "bouncing_ball",
    "box_on_incline",
    "gripper",
    "newtons_cradle",
    "painleve_rod",
    "rocking_block",
    "rolling_sphere",
]


def _plane(inertia: float) -> Any:
    """Inertia of a body that turns about y alone."""
    return (1.0, inertia, 1.0)


def bouncing_ball(restitution: Scalar = 0.8, *, law: str = "newton") -> Machine:
    """A ball of 1 kg and 0.1 m radius above the ground; its coordinate is the height of its centre.

    From the height ``h`` above the floor it strikes at ``sqrt(2 h/g) (1 + 2 e + ... + 2 e^(k-1))``, and comes to rest
    at ``sqrt(2 h/g) (1 + e)/(1 - e)``.
    """
    contact = Contact("floor", "ball", Sphere(0.1), restitution=restitution, law=law)
    slide = Joint("z", "prismatic", WORLD, "ball", axis=(0.0, 0.0, 1.0))
    return Machine("bouncing ball", (sphere("ball", 1.0, 0.1),), (slide,), contacts=(contact,))


def rocking_block(width: float = 0.2, height: float = 0.4, *, friction: Scalar = 0.5) -> Machine:
    """A block of 1 kg in the x-z plane that rocks from corner to corner.

    At each impact without slip its rate drops to ``1 - 3/2 sin^2`` of the angle from a corner's edge to the diagonal
    (G. W. Housner, 1963).

    Examples
    --------
    >>> [contact.name for contact in rocking_block().contacts]
    ['left', 'right']
    """
    inertia = (width**2 + height**2) / 12
    picture = Geometry(Box((width, width, height)))
    body = Body("block", 1.0, inertia=_plane(inertia), geometry=(picture,))
    corners = (("left", -width / 2), ("right", width / 2))
    contacts = tuple(
        Contact(name, "block", origin=Transform((x, 0.0, -height / 2)), friction=friction) for name, x in corners
    )
    joint = Joint("base", "planar", WORLD, "block", axis=(0.0, -1.0, 0.0))
    return Machine("rocking block", (body,), (joint,), contacts=contacts)


def newtons_cradle(balls: int = 5, *, restitution: Scalar = 1.0) -> Machine:
    """Balls of 1 kg and 0.05 m radius that slide along x and strike each other; without gravity.

    Examples
    --------
    >>> newtons_cradle(3).q_names
    ('x1', 'x2', 'x3')
    """
    if isinstance(balls, bool) or not isinstance(balls, int) or balls < 2:
        raise MachineError(f"a cradle must have at least 2 balls, got {balls!r}")
    names = [f"ball{i + 1}" for i in range(balls)]
    return Machine(
        "newtons cradle",
        tuple(sphere(name, 1.0, 0.05) for name in names),
        tuple(Joint(f"x{i + 1}", "prismatic", WORLD, name, axis=(1.0, 0.0, 0.0)) for i, name in enumerate(names)),
        contacts=tuple(
            Contact(f"hit{i + 1}", a, Sphere(0.05), surface=SphericalSurface(0.05), on=b, restitution=restitution)
            for i, (a, b) in enumerate(pairwise(names))
        ),
        gravity=(0.0, 0.0, 0.0),
    )


def box_on_incline(angle: float = math.radians(20.0), *, friction: Scalar = 0.5) -> Machine:
    """A cube of 2 kg and 0.3 m on a plane that falls along x by ``angle``; friction beyond the slope holds it.

    Its frame is that of the plane: with ``base.z = 0.15`` and the neutral attitude it lies on it.
    """
    size = (0.3, 0.3, 0.3)
    down = (9.81 * math.sin(angle), 0.0, -9.81 * math.cos(angle))
    contact = Contact("plane", "box", Box(size), friction=friction)
    joint = Joint("base", "free", WORLD, "box")
    return Machine("box on incline", (box("box", 2.0, size),), (joint,), contacts=(contact,), gravity=down)


def gripper(friction: Scalar = 0.4) -> Machine:
    """A cube of 0.5 kg and 0.06 m between two guided fingers, which press along x with the force ``F`` (a parameter).

    Eight corners touch, more than are needed: its forces are not unique. It is held from ``F = m g / (2 friction)``
    on; below it falls straight, with ``g - 2 friction F / m``.
    """
    half, press = 0.03, Parameter("F", 10.0)
    bodies = (
        box("left", 0.2, (0.02, 0.1, 0.1)),
        box("right", 0.2, (0.02, 0.1, 0.1)),
        box("cube", 0.5, (2 * half,) * 3),
    )
    joints = (
        Joint("left", "prismatic", WORLD, "left", axis=(1.0, 0.0, 0.0)),
        Joint("right", "prismatic", WORLD, "right", axis=(1.0, 0.0, 0.0)),
        Joint("base", "free", WORLD, "cube"),
    )
    corners = [(side, y, z) for side in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    contacts = tuple(
        Contact(
            f"corner{k}",
            "cube",
            origin=Transform((side * half, y * half, z * half)),
            surface=HalfSpace((-side, 0.0, 0.0), (side * half, 0.0, 0.0)),
            on="left" if side < 0 else "right",
            friction=friction,
        )
        for k, (side, y, z) in enumerate(corners)
    )
    presses = (
        Wrench("press left", "left", force=(press, 0.0, 0.0)),
        Wrench("press right", "right", force=(-press, 0.0, 0.0)),
    )
    return Machine("gripper", bodies, joints, contacts=contacts, wrenches=presses)


def painleve_rod(friction: Scalar = 1.5) -> Machine:
    """A slender rod of 1 kg and 1 m in the x-z plane whose lower end slides on the ground.

    Sliding towards -x at the angle ``a`` no force of friction beyond ``(tan a + 4/tan a)/3`` is possible (P. Painleve,
    1895): a shock stops the end at once.

    Examples
    --------
    >>> painleve_rod().q_names
    ('base.x', 'base.y', 'base.angle')
    """
    picture = Geometry(Capsule(0.0, 1.0), along("x"))
    body = Body("rod", 1.0, inertia=_plane(1.0 / 12.0), geometry=(picture,))
    joint = Joint("base", "planar", WORLD, "rod", axis=(0.0, -1.0, 0.0))
    tip = Contact("tip", "rod", origin=Transform((-0.5, 0.0, 0.0)), friction=friction)
    return Machine("painleve rod", (body,), (joint,), contacts=(tip,))


def rolling_sphere(friction: Scalar = 0.3) -> Machine:
    """A sphere of 1 kg and 0.1 m radius that slides, and rolls at 5/7 of its speed from ``2 v/(7 mu g)`` on.

    Examples
    --------
    >>> [body.name for body in rolling_sphere().bodies]
    ['sphere']
    """
    contact = Contact("ground", "sphere", Sphere(0.1), friction=friction)
    return Machine(
        "rolling sphere",
        (sphere("sphere", 1.0, 0.1),),
        (Joint("base", "free", WORLD, "sphere"),),
        contacts=(contact,),
    )
