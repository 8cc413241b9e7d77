"""A trolley with a drum, a hook block on several parts of rope, and a rigid payload on it."""

from __future__ import annotations

import math
from typing import Any

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.validation import VectorLike, field_vector
from dalembert.model.body import Body
from dalembert.model.friction import Friction
from dalembert.model.joint import WORLD, Joint
from dalembert.model.machine import Machine
from dalembert.model.parts import Motor
from dalembert.model.ropes import DrumLayers, Rope, SheaveLoss
from dalembert.systems.hoists.parts import Parts, add_drum, add_hook, number, picture, reeving

__all__ = ["reeved_hoist"]


def reeved_hoist(
    parts: int = 4,
    *,
    height: Scalar = 8.0,
    radius: float = 0.25,
    drum_radius: float = 0.3,
    drum_inertia: Scalar = 5.0,
    block: Scalar = 100.0,
    payload: Scalar = 1000.0,
    size: VectorLike = (2.0, 1.0, 1.0),
    sling: Scalar = 1.5,
    trolley: Scalar = 500.0,
    loss: SheaveLoss | None = None,
    layers: DrumLayers | None = None,
    stiffness: Scalar | None = None,
    damping: Scalar = 0.0,
    rail_friction: Scalar | Friction = 0.0,
    brake: Friction | None = None,
    swivel: Scalar | Friction = 0.0,
    force: float = math.inf,
    torque: float = math.inf,
    spatial: bool = False,
    gravity: float = 9.81,
    name: str = "hoist",
) -> Machine:
    """A trolley on a rail with a drum, from which a hook block hangs on several parts of one rope.

    Coordinates: ``x`` of the trolley, the angle ``drum`` of the drum (positive: it lowers), those of the joint
    ``block`` relative to the trolley (planar, or free in space), which are zero where the block hangs ``height``
    below the upper sheaves, the angle ``swing`` of the payload about the hook, and in space its ``turn`` about the
    slings. Motors: ``F`` on the trolley, ``M`` at the drum. Frames: ``hook``, and ``load``, the centre of the
    payload. The rope is ``fall``.

    Parameters
    ----------
    parts
        Parts of rope that carry the block: 2, 4, 6, 8, ... The block moves by ``drum_radius / parts`` per angle.
    height
        Height of the upper sheaves above those of the block.
    radius, drum_radius, drum_inertia
        Radii of the sheaves and of the drum; inertia of drum and rotor.
    block, payload, size, sling
        Masses of the hook block and of the payload, its edges, and the length of the slings, which are rigid.
    trolley
        Mass of the trolley.
    loss
        Losses of each sheave, for inextensible ropes.
    layers
        Layers of the rope on its drum; None: one.
    stiffness, damping
        Axial stiffness ``E A`` [N] and damping [N s] of the rope; None: inextensible.
    rail_friction, brake, swivel
        Friction of the rail, on the drum (a brake holds the load), and of the swivel of the hook in space.
    force, torque
        Largest efforts of the motors.
    spatial
        In space: the block has six degrees of freedom, the payload three more.
    gravity, name
        Acceleration of gravity and name of the machine.

    Examples
    --------
    >>> from dalembert.systems.hoists import reeved_hoist
    >>> hoist = reeved_hoist(6)
    >>> hoist.q_names
    ('x', 'block.x', 'block.y', 'block.angle', 'swing', 'drum')
    >>> hoist.ropes[0].tension_names[-1]
    'fall[5]'
    """
    if not isinstance(spatial, bool):
        raise MachineError(f"spatial of hoist '{name}' must be true or false, got {spatial!r}")
    for what, value in (("height", height), ("radius", radius), ("drum radius", drum_radius), ("sling", sling)):
        number(value, what, name)
    r, top = float(radius), 1.2 * float(radius)
    edges = field_vector(size, f"size of the payload of '{name}'")
    made = Parts()
    width = 4.0 * (r + float(drum_radius))
    made.bodies.append(_carriage(trolley, width, top, name))
    made.joints.append(Joint("x", "prismatic", WORLD, "trolley", axis="x", friction=rail_friction))  # type: ignore[arg-type]
    made.motors.append(Motor("F", "x", effort=force))
    place = (-r - float(drum_radius), 0.0, top)
    drum = add_drum(
        made,
        "drum",
        "trolley",
        place,
        drum_radius,
        drum_inertia,
        motor="M",
        friction=brake,
        effort=torque,
        layers=layers,
    )
    below: Any = (0.0, 0.0, top - height)
    add_hook(
        made,
        "trolley",
        below,
        block=number(block, "mass of the block", name),
        payload=number(payload, "payload", name),
        size=edges,
        sling=sling,
        radius=r,
        spatial=spatial,
        swivel=swivel,
    )
    path = reeving(parts, "trolley", "block", radius, at=(0.0, 0.0, top), loss=loss)
    if nominal(height) < 3.0 * r:
        raise MachineError(
            f"height of hoist '{name}' must be at least three radii of a sheave, got {nominal(height):g} m"
        )
    rope = _rope(drum, path, stiffness, damping, (block + payload) * gravity / parts)
    return made.machine(name, [rope], gravity)


def _carriage(trolley: Scalar, width: float, top: float, name: str) -> Body:
    mass = number(trolley, "mass of the trolley", name)
    unit = mass * width**2 / 12.0
    inertia = ((unit, 0.0, 0.0), (0.0, unit, 0.0), (0.0, 0.0, unit))
    return Body("trolley", mass, inertia=inertia, geometry=(picture((width, width / 2, top / 3)),))


def _rope(drum: Any, path: Any, stiffness: Scalar | None, damping: Scalar, tension: Scalar) -> Rope:
    """The rope; an elastic one has the tension of the load at rest in the neutral configuration."""
    if stiffness is None:
        return Rope("fall", (drum, *path), damping=damping)
    return Rope("fall", (drum, *path), stiffness=stiffness, damping=damping, pretension=tension)
