"""A container spreader on four ropes."""

from __future__ import annotations

from dalembert.core.parameter import Scalar
from dalembert.core.validation import VectorLike, field_vector
from dalembert.model.body import Body, box
from dalembert.model.friction import Friction
from dalembert.model.joint import WORLD, Joint
from dalembert.model.machine import Machine
from dalembert.model.parts import Motor
from dalembert.model.ropes import Anchor, Drum, Rope, Sheave
from dalembert.model.transform import Transform
from dalembert.systems.hoists.parts import GREY, YELLOW, Parts, number, picture, wheel

__all__ = ["container_spreader"]


def container_spreader(
    *,
    height: Scalar = 12.0,
    gauge: Scalar = 2.0,
    span: Scalar = 4.0,
    radius: float = 0.3,
    drum_radius: float = 0.4,
    drum_inertia: Scalar = 200.0,
    trolley: Scalar = 8000.0,
    spreader: Scalar = 5000.0,
    container: Scalar = 15000.0,
    size: VectorLike = (6.06, 2.44, 2.59),
    offset: VectorLike = (0.0, 0.0, 0.0),
    stiffness: Scalar = 2e7,
    damping: Scalar = 2e5,
    rail_friction: Scalar | Friction = 0.0,
    brake: Friction | None = None,
    gravity: float = 9.81,
    name: str = "container_spreader",
) -> Machine:
    """A trolley with one drum shaft, from which four elastic ropes carry a spreader with a container.

    Each rope runs from its drum over a sheave at a corner of the trolley, down to a sheave at a corner of the
    spreader and up to an anchor: eight falls. Coordinates: ``x`` of the trolley, ``drum`` of the shaft (positive: it
    lowers), those of the free joint ``load`` of the spreader relative to the trolley. Motors: ``F`` on the trolley,
    ``M`` at the shaft. The ropes are ``rope1`` (front left) to ``rope4``. The frame of the body ``container`` is its
    middle.

    Parameters
    ----------
    height
        Height of the trolley's sheaves above those of the spreader.
    gauge, span
        Distances of the ropes across (y) and along (x) the trolley.
    radius, drum_radius, drum_inertia
        Radii of sheaves and drums; inertia of the shaft with its drums and rotor.
    trolley, spreader, container
        Masses.
    size, offset
        Edges of the container, and the offset of its centre of mass from its middle.
    stiffness, damping
        Axial stiffness ``E A`` [N] and damping [N s] of each rope. Four inextensible ropes would be redundant.
    rail_friction, brake
        Friction of the rail and on the shaft.
    gravity, name
        Acceleration of gravity and name of the machine.

    Examples
    --------
    >>> from dalembert.systems.hoists import container_spreader
    >>> len(container_spreader().ropes)
    4
    """
    for what, value in (("height", height), ("gauge", gauge), ("span", span)):
        number(value, what, name)
    edges, shift = (
        field_vector(v, f"{w} of the container of '{name}'") for v, w in ((size, "size"), (offset, "offset"))
    )
    made, r, wide = Parts(), float(radius), gauge / 2.0
    mass = number(trolley, "mass of the trolley", name)
    tensor = ((mass, 0.0, 0.0), (0.0, mass, 0.0), (0.0, 0.0, mass))
    shape = picture((span + 8.0 * r, gauge, 0.3), (0.0, 0.0, 0.2 + float(drum_radius)))
    made.bodies.append(Body("trolley", mass, inertia=tensor, geometry=(shape,)))
    made.joints.append(Joint("x", "prismatic", WORLD, "trolley", axis="x", friction=rail_friction))  # type: ignore[arg-type]
    made.motors.append(Motor("F", "x"))
    made.bodies.append(Body("drum", geometry=(wheel(drum_radius, 1.2 * 2.0),)))
    made.joints.append(Joint("drum", "revolute", "trolley", "drum", axis="y"))  # type: ignore[arg-type]
    made.motors.append(Motor("M", "drum", rotor_inertia=drum_inertia, friction=brake))
    frame = box("spreader", number(spreader, "mass of the spreader", name), (span + 4.0 * r, gauge, 0.3))
    look = picture((span + 4.0 * r, gauge, 0.3), (0.0, 0.0, -0.15), GREY)
    made.bodies.append(Body("spreader", frame.mass, frame.com, frame.inertia, (look,)))
    made.joints.append(Joint("load", "free", "trolley", "spreader", Transform((0.0, 0.0, -height))))
    crate = box("container", number(container, "mass of the container", name), edges)
    middle = Transform((0.0, 0.0, -0.4 - edges[2] / 2.0))
    made.bodies.append(Body("container", crate.mass, shift, crate.inertia, (picture(edges, (0, 0, 0), YELLOW),)))
    made.joints.append(Joint("lock", "fixed", "spreader", "container", middle))
    tension = (spreader + container) * gravity / 8.0
    ropes = []
    for k, (along, across) in enumerate(((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)), start=1):
        corner, y = along * span / 2.0, across * wide
        turn, back = ("y", "-y") if along > 0 else ("-y", "y")
        path = (
            Drum("drum", drum_radius, axis="y", at=(0.0, y, 0.0)),
            Sheave("trolley", radius, turn, at=(corner, y, 0.0), name="top"),
            Sheave("spreader", radius, back, at=(corner + along * 2.0 * radius, y, 0.0), name="corner"),
            Anchor("trolley", (corner + along * 3.0 * radius, y, 0.0)),
        )
        ropes.append(Rope(f"rope{k}", path, stiffness=stiffness, damping=damping, pretension=tension))
    return made.machine(name, ropes, gravity)
