"""A tower crane: a slewing jib, a trolley on it, and a hook block on two falls."""

from __future__ import annotations

from typing import Any

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.validation import VectorLike, field_vector
from dalembert.model.body import Body
from dalembert.model.friction import Friction
from dalembert.model.joint import WORLD, Joint, Limits
from dalembert.model.machine import Machine
from dalembert.model.parts import Motor
from dalembert.model.ropes import Anchor, DrumLayers, Rope, Sheave, SheaveLoss
from dalembert.model.transform import Transform
from dalembert.systems.hoists.parts import DARK, GREY, Parts, add_drum, add_hook, number, picture

__all__ = ["tower_crane"]


def tower_crane(
    *,
    mast: Scalar = 30.0,
    jib: Scalar = 40.0,
    reach: Scalar = 15.0,
    height: Scalar = 15.0,
    radius: float = 0.25,
    drum_radius: float = 0.3,
    drum_inertia: Scalar = 20.0,
    jib_inertia: Scalar = 8e5,
    trolley: Scalar = 400.0,
    block: Scalar = 200.0,
    payload: Scalar = 1800.0,
    size: VectorLike = (2.0, 1.5, 1.0),
    sling: Scalar = 3.0,
    loss: SheaveLoss | None = None,
    layers: DrumLayers | None = None,
    rail_friction: Scalar | Friction = 0.0,
    slew_friction: Scalar | Friction = 0.0,
    brake: Friction | None = None,
    slews: bool = True,
    gravity: float = 9.81,
    name: str = "tower_crane",
) -> Machine:
    """A tower crane whose hoist rope runs from the drum at the mast over the trolley and its hook block to the tip.

    Moving the trolley neither lifts nor lowers the load: the rope runs through. Coordinates: ``slew`` of the jib,
    ``x`` of the trolley along it, ``drum`` (positive: it lowers), those of the joint ``block`` relative to the
    trolley, ``swing``, and ``turn`` of the payload where the jib slews. All are zero where the block hangs
    ``height`` below a trolley at ``reach``. Motors: ``S`` slews, ``F`` moves the trolley, ``M`` turns the drum. The
    rope is ``fall``; its sheaves are ``A``, ``H`` and ``B``.

    Parameters
    ----------
    mast, jib
        Height of the jib above the ground and its length from the axis of the mast to the anchor of the rope.
    reach, height
        Distance of the trolley from the mast, and height of its sheaves above those of the block.
    radius, drum_radius, drum_inertia
        Radii of the sheaves and of the drum; inertia of drum and rotor.
    jib_inertia
        Moment of inertia of the jib with its counterweight about the mast.
    trolley, block, payload, size, sling
        Masses, edges of the payload, and the length of the slings, which are rigid.
    loss
        Losses of each sheave.
    layers
        Layers of the rope on its drum; None: one.
    rail_friction, slew_friction, brake
        Friction of the trolley's rail, of the slew ring, and on the drum.
    slews
        Whether the jib slews; False: the crane is planar.
    gravity, name
        Acceleration of gravity and name of the machine.

    Examples
    --------
    >>> from dalembert.systems.hoists import tower_crane
    >>> tower_crane(slews=False).q_names
    ('drum', 'x', 'block.x', 'block.y', 'block.angle', 'swing')
    """
    if not isinstance(slews, bool):
        raise MachineError(f"slews of tower crane '{name}' must be true or false, got {slews!r}")
    for what, value in (("mast", mast), ("jib", jib), ("reach", reach), ("height", height), ("sling", sling)):
        number(value, what, name)
    r, far = float(radius), nominal(jib)
    side = 1.8 * r  # of the trolley's sheaves from its middle
    if not 1.0 + side < nominal(reach) < far - side - r:
        raise MachineError(
            f"reach of tower crane '{name}' must be between 1 m and the jib's length, got {nominal(reach):g}"
        )
    made = Parts()
    carrier, up = WORLD, mast
    if slews:
        shape = picture((1.3 * far, 0.6, 0.8), (0.35 * far, 0.0, 0.9), GREY)
        inertia = number(jib_inertia, "inertia of the jib", name)
        small = 1e-3 * inertia
        tensor = ((small, 0.0, 0.0), (0.0, inertia, 0.0), (0.0, 0.0, inertia))
        tower = picture((1.2, 1.2, mast), (0.0, 0.0, -0.5 * nominal(mast)), GREY)
        ballast = picture((0.08 * far, 1.6, 0.06 * far), (-0.25 * far, 0.0, -0.02 * far), DARK)
        made.bodies.append(Body("jib", 1.0, inertia=tensor, geometry=(shape, tower, ballast)))
        slew = Joint("slew", "revolute", WORLD, "jib", Transform((0.0, 0.0, mast)), friction=slew_friction)
        made.joints.append(slew)
        made.motors.append(Motor("S", "slew"))
        carrier, up = "jib", 0.0
    mass = number(trolley, "mass of the trolley", name)
    inertia = mass * 0.5
    tensor = ((inertia, 0.0, 0.0), (0.0, inertia, 0.0), (0.0, 0.0, inertia))
    wheels = (picture((4.0 * side, 1.0, 0.3), (0.0, 0.0, 0.35)),)
    made.bodies.append(Body("trolley", mass, inertia=tensor, geometry=wheels))
    travel = Limits(lower=1.0 + side - nominal(reach), upper=far - side - r - nominal(reach))
    rail: dict[str, Any] = {"axis": "x", "limits": travel, "friction": rail_friction}
    made.joints.append(Joint("x", "prismatic", carrier, "trolley", Transform((reach, 0.0, up)), **rail))
    made.motors.append(Motor("F", "x"))
    drum = add_drum(
        made,
        "drum",
        carrier,
        (0.0, 0.0, up),
        drum_radius,
        drum_inertia,
        motor="M",
        friction=brake,
        zero="z",
        layers=layers,
    )
    add_hook(
        made,
        "trolley",
        (0.0, 0.0, -height),
        block=number(block, "mass of the block", name),
        payload=number(payload, "payload", name),
        size=field_vector(size, f"size of the payload of '{name}'"),
        sling=sling,
        radius=r,
        spatial=slews,
    )
    path = (
        drum,
        Sheave("trolley", radius, "y", at=(-side, 0.0, 0.0), name="A", loss=loss),
        Sheave("block", radius, "-y", name="H", loss=loss),
        Sheave("trolley", radius, "y", at=(side, 0.0, 0.0), name="B", loss=loss),
        Anchor(carrier, (jib, 0.0, up + radius)),
    )
    return made.machine(name, [Rope("fall", path)], gravity)
