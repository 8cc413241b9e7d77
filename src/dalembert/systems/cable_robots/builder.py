"""A cable robot from its platform, exits and anchors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.core.errors import MachineError
from dalembert.core.parameter import nominal
from dalembert.model.body import Body
from dalembert.model.cables import Cable, winch
from dalembert.model.joint import WORLD, Joint
from dalembert.model.machine import STANDARD_GRAVITY, Machine
from dalembert.model.transform import Transform

__all__ = ["cable_robot"]

_MOUNTS = ("free", "planar", "point")


def cable_robot(
    name: str,
    platform: Body,
    exits: Sequence[Any],
    anchors: Sequence[Any],
    *,
    mount: str = "free",
    lengths: Sequence[Any] | None = None,
    winches: bool = True,
    drum: Any = 0.03,
    rotor_inertia: Any = 1e-3,
    damping: Any = 0.0,
    friction: Any = 0.0,
    pulley: Any = 0.0,
    swivel_inertia: Any = None,
    stiffness: Any = None,
    cable_damping: Any = 0.0,
    bilateral: bool = False,
    gravity: Any = STANDARD_GRAVITY,
    **parts: Any,
) -> Machine:
    """Return the machine of a cable robot: the platform, and per cable a winch ``winch1``.. and a cable ``cable1``..

    Parameters
    ----------
    name
        Name of the machine.
    platform
        The end-effector.
    exits, anchors
        Exit points in the world (with pulleys: points D), and anchor points in the platform's frame, one per cable.
    mount
        ``"free"``: six degrees of freedom (joint ``platform``). ``"planar"``: in the x-z plane, with the coordinates
        of a planar joint about the y axis. ``"point"``: a point mass with the coordinates x, y, z.
    lengths
        Lengths of the cables at zero winch angle; None: whatever makes them taut at the start.
    winches
        Whether the cables are coiled; without winches their lengths are fixed.
    drum, rotor_inertia, damping, friction
        Of each winch.
    pulley
        Radius of the guiding pulleys; zero: exits are points.
    swivel_inertia
        Inertia of each pulley about its swivel axis, a body ``pulley1``.. of its own (CDPR 4.2.2); None: massless.
    stiffness, cable_damping
        Axial stiffness EA and damping of elastic cables; None: inextensible.
    bilateral
        Whether the cables could also push.
    gravity
        Acceleration of gravity.
    **parts
        Further fields of the machine (``bodies``, ``joints``, ``wrenches``, ``constraints`` ..), added to these.
    """
    if mount not in _MOUNTS:
        raise MachineError(f"mount of cable robot '{name}' must be one of {', '.join(_MOUNTS)}, got {mount!r}")
    if len(exits) != len(anchors) or not exits:
        raise MachineError(f"cable robot '{name}' needs as many exits as anchors, got {len(exits)} and {len(anchors)}")
    if lengths is not None and len(lengths) != len(exits):
        raise MachineError(f"cable robot '{name}' needs one length per cable ({len(exits)}), got {len(lengths)}")
    if swivel_inertia is not None and nominal(pulley) == 0.0:
        raise MachineError(f"cable robot '{name}' has pulleys with swivel inertia but no radius: give 'pulley'")
    bodies, joints = _platform(platform, mount)
    motors, cables = [], []
    for k, (d, b) in enumerate(zip(exits, anchors, strict=True)):
        coil: dict[str, Any] = {}
        if winches:
            body, joint, motor = winch(f"winch{k + 1}", rotor_inertia, damping=damping, friction=friction)
            bodies.append(body)
            joints.append(joint)
            motors.append(motor)
            coil = {"winch": joint.name, "drum": drum}
        guide: dict[str, Any] = {"exit_at": d, "pulley": pulley}
        if swivel_inertia is not None:
            wheel = f"pulley{k + 1}"
            bodies.append(Body(wheel, inertia=(swivel_inertia, swivel_inertia, swivel_inertia)))
            joints.append(Joint(f"swivel{k + 1}", "revolute", WORLD, wheel, origin=Transform(tuple(d))))
            guide = {"exit": wheel, "pulley": pulley, "swivel": "fixed"}
        cables.append(
            Cable(
                f"cable{k + 1}",
                platform.name,
                anchor_at=b,
                length=None if lengths is None else lengths[k],
                stiffness=stiffness,
                damping=cable_damping,
                bilateral=bilateral,
                **coil,
                **guide,
            )
        )
    own: dict[str, tuple[Any, ...]] = {
        "bodies": tuple(bodies),
        "joints": tuple(joints),
        "motors": tuple(motors),
        "cables": tuple(cables),
    }
    for field, more in parts.items():
        own[field] = (*own.get(field, ()), *more)
    return Machine(name, gravity=gravity, **own)


def _platform(platform: Body, mount: str) -> tuple[list[Body], list[Joint]]:
    if mount == "free":
        return [platform], [Joint("platform", "free", WORLD, platform.name)]
    if mount == "planar":
        return [platform], [Joint("platform", "planar", WORLD, platform.name, axis=(0.0, -1.0, 0.0))]
    slides = [Body("slide_x"), Body("slide_y"), platform]
    joints, parent = [], WORLD
    for axis, body in zip("xyz", slides, strict=True):
        direction = tuple(float(axis == k) for k in "xyz")
        joints.append(Joint(axis, "prismatic", parent, body.name, axis=direction))  # type: ignore[arg-type]
        parent = body.name
    return slides, joints
