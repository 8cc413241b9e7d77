"""A cable robot from its platform, exits and anchors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca

from dalembert.core.errors import InputError, MachineError
from dalembert.core.parameter import Scalar, nominal
from dalembert.loop.events import Event
from dalembert.model.body import Body
from dalembert.model.cables import Cable, winch
from dalembert.model.joint import WORLD, Joint
from dalembert.model.machine import STANDARD_GRAVITY, Machine
from dalembert.model.transform import Transform

__all__ = ["cable_robot", "gimbal_lock", "platform_on"]

_MOUNTS = ("free", "planar", "point", "euler")


def cable_robot(
    name: str,
    platform: Body,
    exits: Sequence[Any],
    anchors: Sequence[Any],
    *,
    mount: str = "free",
    lengths: Sequence[Scalar] | None = None,
    winches: bool = True,
    drum: Scalar | Sequence[Scalar] = 0.03,
    rotor_inertia: Scalar = 1e-3,
    damping: Scalar = 0.0,
    friction: Scalar = 0.0,
    pulley: Scalar = 0.0,
    pulley_friction: Scalar = 0.0,
    lead: Scalar = 0.0,
    swivel_inertia: Any = None,
    stiffness: Scalar | None = None,
    cable_damping: Scalar = 0.0,
    weight: Scalar = 0.0,
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
        of a planar joint about the y axis. ``"point"``: a point mass with the coordinates x, y, z. ``"euler"``: six
        degrees of freedom as x, y, z and the Z-Y-X angles alpha, beta, gamma, which are singular at beta = +-90 degrees
        (CDPR 3.2); see `gimbal_lock`.
    lengths
        Lengths of the cables at zero winch angle; None: whatever makes them taut at the start.
    winches
        Whether the cables are coiled; without winches their lengths are fixed.
    drum
        Radius of all drums, or one per winch.
    rotor_inertia, damping, friction
        Rotor inertia, damping and friction of each winch.
    pulley
        Radius of the guiding pulleys; zero: exits are points.
    pulley_friction, lead
        Friction of heavy cables on their pulleys, and the length between each pulley and its winch.
    swivel_inertia
        Inertia of each pulley about its swivel axis, a body ``pulley1``.. of its own (CDPR 4.2.2); None: massless.
    stiffness, cable_damping
        Axial stiffness EA and damping of elastic cables; None: inextensible.
    weight
        Weight per length [N/m] of elastic cables, which then sag; give their lengths.
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
    drums = list(drum) if isinstance(drum, Sequence) else [drum] * len(exits)
    if len(drums) != len(exits):
        raise MachineError(f"cable robot '{name}' needs one drum, or one per cable ({len(exits)}), got {len(drums)}")
    if swivel_inertia is not None and nominal(pulley) == 0.0:
        raise MachineError(f"cable robot '{name}' has pulleys with swivel inertia but no radius: give 'pulley'")
    bodies, joints = platform_on(platform, mount)
    motors, cables = [], []
    for k, (d, b) in enumerate(zip(exits, anchors, strict=True)):
        coil: dict[str, Any] = {}
        if winches:
            body, joint, motor = winch(f"winch{k + 1}", rotor_inertia, damping=damping, friction=friction)
            bodies.append(body)
            joints.append(joint)
            motors.append(motor)
            coil = {"winch": joint.name, "drum": drums[k]}
        guide: dict[str, Any] = {"exit_at": d, "pulley": pulley, "friction": pulley_friction, "lead": lead}
        if swivel_inertia is not None:
            wheel = f"pulley{k + 1}"
            bodies.append(Body(wheel, inertia=(swivel_inertia, swivel_inertia, swivel_inertia)))
            joints.append(Joint(f"swivel{k + 1}", "revolute", WORLD, wheel, origin=Transform(tuple(d))))
            guide = guide | {"exit": wheel, "exit_at": (0.0, 0.0, 0.0), "swivel": "fixed"}
        cables.append(
            Cable(
                f"cable{k + 1}",
                platform.name,
                anchor_at=b,
                length=None if lengths is None else lengths[k],
                stiffness=stiffness,
                damping=cable_damping,
                weight=weight,
                bilateral=bilateral,
                **coil,
                **guide,
            )
        )
    fields: dict[str, tuple[Any, ...]] = {
        "bodies": tuple(bodies),
        "joints": tuple(joints),
        "motors": tuple(motors),
        "cables": tuple(cables),
    }
    for field, more in parts.items():
        fields[field] = (*fields.get(field, ()), *more)
    return Machine(name, gravity=gravity, **fields)


def platform_on(platform: Body, mount: str) -> tuple[list[Body], list[Joint]]:
    """Bodies and joints that give a platform its degrees of freedom; ``mount`` as in `cable_robot`."""
    if mount == "free":
        return [platform], [Joint("platform", "free", WORLD, platform.name)]
    if mount == "planar":
        return [platform], [Joint("platform", "planar", WORLD, platform.name, axis=(0.0, -1.0, 0.0))]
    ways = [(name, "prismatic", name) for name in "xyz"]
    if mount == "euler":
        ways += [("alpha", "revolute", "z"), ("beta", "revolute", "y"), ("gamma", "revolute", "x")]
    joints, carriers, parent = [], [], WORLD
    for name, kind, along in ways:
        last = name == ways[-1][0]
        body = platform if last else Body(f"slide_{name}" if kind == "prismatic" else f"turn_{name}")
        carriers.append(body)
        direction = tuple(float(along == k) for k in "xyz")
        joints.append(Joint(name, kind, parent, body.name, axis=direction))  # type: ignore[arg-type]
        parent = body.name
    return carriers, joints


def gimbal_lock(machine: Machine) -> Event:
    """Event that ends a run, by the name ``platform.gimbal-lock``, where the Z-Y-X angles of a platform are singular.

    At beta = +-90 degrees the axes of alpha and gamma are parallel: a rate of rotation is no longer a rate of angles,
    and the mass matrix is singular (CDPR 3.2). Fixed steps may jump over the place, with wrong numbers behind it.

    Parameters
    ----------
    machine
        A robot that was built with ``mount="euler"``.
    """
    names = list(machine.q_names)
    if not {"alpha", "beta", "gamma"} <= set(names):
        raise InputError(
            f"gimbal_lock: machine '{machine.name}' has no platform in Euler angles (mount=\"euler\"); "
            f"its coordinates: {', '.join(names)}"
        )
    beta = names.index("beta")
    return Event("platform.gimbal-lock", lambda t, q, v: ca.cos(q[beta]), terminal=True)
