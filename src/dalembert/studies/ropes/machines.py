"""Machines with ropes whose motion has closed forms, or was integrated independently."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from dalembert.core.parameter import TIME, cos, sin, sqrt
from dalembert.model.body import Body, point_mass
from dalembert.model.constraints import MotionConstraint
from dalembert.model.friction import Friction
from dalembert.model.joint import Joint
from dalembert.model.machine import Machine
from dalembert.model.parts import Frame, Wrench
from dalembert.model.ropes import Anchor, Drum, Guide, PathElement, Rope, RopeObstacle, Sheave, SheaveLoss

__all__ = [
    "CRANE_START",
    "atwood",
    "belt",
    "belt_mass",
    "bollard",
    "capstan",
    "fixed_span",
    "heavy_tackle",
    "peg_pendulum",
    "rotor",
    "starting_belt",
    "tackle",
    "tower_crane",
    "trolley_guide",
]

G = 9.81
_ONE: Any = (1.0, 1.0, 1.0)

CRANE_START: Mapping[str, Mapping[str, float]] = {
    "q0": {"x": 15.0, "drum": 0.0, "hook_x": 15.0, "hook_z": 15.0},
    "v0": {"x_dot": 0.4, "drum_dot": 0.8 / 0.3, "hook_x_dot": 0.4, "hook_z_dot": -0.4},
}
"""Start of the tower crane: the hook hangs below the trolley and moves with it."""


def atwood(
    first: float, second: float, *, radius: float = 0.1, inertia: float | None = None, length: Any = None, **law: Any
) -> Machine:
    """Two masses that hang on a rope over a sheave; downwards is positive.

    Parameters
    ----------
    first, second
        The masses.
    radius
        Radius of the sheave.
    inertia
        Inertia of a sheave that turns with the joint ``wheel``; None: a guide that does not turn.
    length
        Length of the rope.
    **law
        Friction, teeth or loss of the sheave.
    """
    bodies, joints = [point_mass("m1", first), point_mass("m2", second)], []
    for k, (name, x) in enumerate((("x1", -radius), ("x2", radius))):
        joints.append(Joint(name, "prismatic", "world", f"m{k + 1}", axis="-z", origin=(x, 0, -0.5)))  # type: ignore[arg-type]
    over: PathElement
    if inertia is None:
        over = Guide("world", radius, "y", name="S", **law)
    else:
        bodies.append(Body("wheel", 1.0, inertia=(inertia,) * 3))  # type: ignore[arg-type]
        joints.append(Joint("wheel", "revolute", "world", "wheel", axis="y"))  # type: ignore[arg-type]
        over = Sheave("world", radius, "y", joint="wheel", name="S", **law)
    rope = Rope("r", (Anchor("m1"), over, Anchor("m2")), length=length)
    return Machine("atwood", tuple(bodies), tuple(joints), ropes=(rope,))


def peg_pendulum() -> Machine:
    """A point mass of 1 kg in the x-z plane on a rope of 1.2 m, which lays itself round a peg beside its rest."""
    peg = RopeObstacle("world", 0.15, "-y", at=(0.15, 0, -0.5), name="peg")
    joints = (
        Joint("x", "prismatic", "world", "rail", axis="x"),  # type: ignore[arg-type]
        Joint("z", "prismatic", "rail", "bob", axis="z", origin=(0, 0, -1.2)),  # type: ignore[arg-type]
    )
    rope = Rope("r", (Anchor("world"), peg, Anchor("bob")), length=1.2)
    return Machine("peg", (Body("rail"), point_mass("bob", 1.0)), joints, ropes=(rope,))


def tackle(parts: int, load: float, pull: float, *, loss: SheaveLoss | None = None, **rope: Any) -> Machine:
    """A block on ``parts`` parts of rope, the free end of which a mass pulls over a fixed sheave.

    Parameters
    ----------
    parts
        Parts of rope that carry the block; there are as many sheaves.
    load, pull
        Masses of the block and at the free end, which move upwards by ``z`` and ``h``.
    loss
        Losses of each sheave.
    **rope
        Stiffness and so on of the rope.
    """
    radius, path = 0.15, list[PathElement]()
    for k in range(parts):
        frame, axis = ("top", "y") if k % 2 == 0 else ("block", "-y")
        at = (2 * radius * k + radius, 0, 0)
        path.append(Sheave(frame, radius, axis, at=at, name=f"s{k + 1}", loss=loss))
    end = Anchor("block" if parts % 2 else "top", (2 * radius * parts, 0, 0))
    return Machine(
        "tackle",
        (point_mass("block", load), point_mass("pull", pull)),
        (
            Joint("z", "prismatic", "world", "block", axis="z", origin=(0, 0, -3)),  # type: ignore[arg-type]
            Joint("h", "prismatic", "world", "pull", axis="z", origin=(0, 0, -1)),  # type: ignore[arg-type]
        ),
        frames=(Frame("top", "world"),),
        ropes=(Rope("r", (Anchor("pull"), *path, end), **rope),),
    )


def heavy_tackle(parts: int, load: float, force: float, *, inertia: float, loss: SheaveLoss) -> Machine:
    """The same with a force at the free end, and sheaves with inertia on which the rope does not slip.

    Parameters
    ----------
    parts, load
        As in `tackle`.
    force
        Force at the free end, whose mass is 1e-9 kg.
    inertia, loss
        Moment of inertia and losses of each sheave.
    """
    plain = tackle(parts, load, 1e-9)
    bodies, joints, path = list(plain.bodies), list(plain.joints), list(plain.ropes[0].path)
    for k, sheave in enumerate(path[1:-1], start=1):
        assert isinstance(sheave, Sheave)
        frame = "world" if sheave.frame == "top" else sheave.frame
        bodies.append(Body(f"wheel{k}", 1e-9, inertia=(inertia,) * 3))  # type: ignore[arg-type]
        joints.append(Joint(f"turn{k}", "revolute", frame, f"wheel{k}", axis="y", origin=sheave.at))  # type: ignore[arg-type]
        path[k] = replace(sheave, joint=f"turn{k}", teeth=True, loss=loss)
    pull = Wrench("force", "pull", force=(0.0, 0.0, -force))
    return plain.with_(bodies=bodies, joints=joints, wrenches=[pull], ropes=[Rope("r", tuple(path))])


def tower_crane(losses: Sequence[SheaveLoss | None] = (None, None, None), **rope: Any) -> Machine:
    """Tower crane in a plane: drum, two sheaves on the trolley, the hook sheave between them, an anchor at the tip.

    Trolley and drum have prescribed motions; the hook is a point mass of 2000 kg.

    Parameters
    ----------
    losses
        Losses of the sheaves A (trolley), H (hook) and B (trolley).
    **rope
        Stiffness and so on of the rope.
    """
    bodies = (Body("trolley", 1.0), Body("winch", 1.0, inertia=_ONE), Body("rail"), point_mass("hook", 2000.0))
    joints = (
        Joint("x", "prismatic", "world", "trolley", axis="x", origin=(0, 0, 30)),  # type: ignore[arg-type]
        Joint("drum", "revolute", "world", "winch", axis="y", origin=(0, 0, 29.9)),  # type: ignore[arg-type]
        Joint("hook_x", "prismatic", "world", "rail", axis="x"),  # type: ignore[arg-type]
        Joint("hook_z", "prismatic", "rail", "hook", axis="z"),  # type: ignore[arg-type]
    )
    drives = (
        MotionConstraint("travel", joint="x", value=15 + 0.4 * TIME + (0.2 / 1.3) * (1 - cos(1.3 * TIME))),
        MotionConstraint("hoisting", joint="drum", value=0.8 / 0.3 * TIME),
    )
    path = (
        Drum("drum", 0.3, axis="y", zero="z"),
        Sheave("trolley", 0.2, "y", at=(-0.45, 0, 0), name="A", loss=losses[0], zero="z"),
        Sheave("hook", 0.25, "-y", name="H", loss=losses[1], zero="-z"),
        Sheave("trolley", 0.2, "y", at=(0.45, 0, 0), name="B", loss=losses[2], zero="z"),
        Anchor("world", (40, 0, 30.2)),
    )
    return Machine("crane", bodies, joints, constraints=drives, ropes=(Rope("hoist", path, **rope),))


def rotor(friction: Friction) -> Machine:
    """A rotor of 0.5 kg m2 under the torque ``10 sin(2 pi t)`` N m, with friction at its joint ``a``."""
    disc = Body("disc", 1.0, inertia=(0.5, 0.5, 0.5))  # type: ignore[arg-type]
    joint = Joint("a", "revolute", "world", "disc", axis="z", friction=friction)  # type: ignore[arg-type]
    load = Wrench("load", "disc", torque=(0.0, 0.0, 10.0 * sin(2 * math.pi * TIME)))
    return Machine("rotor", (disc,), (joint,), wrenches=(load,), gravity=(0.0, 0.0, 0.0))


def belt_mass() -> Machine:
    """A mass of 2 kg on a spring of 200 N/m that a belt of 0.1 m/s drags: 12 N hold it on the belt, 8 N drag it."""
    held = Friction(8.0, static=12.0)
    return Machine(
        "belt",
        (point_mass("mass", 2.0), point_mass("belt", 1.0)),
        (
            Joint("x", "prismatic", "world", "mass", axis="x", stiffness=200.0),  # type: ignore[arg-type]
            Joint("s", "prismatic", "mass", "belt", axis="x", friction=held),  # type: ignore[arg-type]
        ),
        constraints=(MotionConstraint("drive", frame="belt", component="x", value=0.1 * TIME),),
        gravity=(0.0, 0.0, 0.0),
    )


def belt(torque: float = 0.0, *, brake: float = 0.0, friction: float = 0.5) -> Machine:
    """A belt over two wheels of 0.10495 m, the first of which turns with 12 rad/s; T = 8000 N (stretch - 0.98).

    Parameters
    ----------
    torque, brake
        Constant torque and viscous damping that brake the second wheel, of 0.02 kg m2.
    friction
        Coefficient of friction on both wheels.
    """
    r, d = 0.10495, 0.1 * math.pi
    wheels = tuple(
        Sheave("world", r, "y", at=(x, 0, 0), joint=joint, friction=friction, name=joint.upper())
        for x, joint in ((0.0, "a"), (d, "b"))
    )
    return Machine(
        "belt",
        (Body("first", 1.0, inertia=_ONE), Body("second", 1.0, inertia=(0.02,) * 3)),  # type: ignore[arg-type]
        (
            Joint("a", "revolute", "world", "first", axis="y"),  # type: ignore[arg-type]
            Joint("b", "revolute", "world", "second", axis="y", origin=(d, 0, 0), damping=brake),  # type: ignore[arg-type]
        ),
        constraints=(MotionConstraint("drive", joint="a", value=12.0 * TIME),),
        wrenches=(Wrench("load", "second", torque=(0.0, -torque, 0.0)),) if torque else (),
        ropes=(Rope("belt", wheels, closed=True, stiffness=7840.0, length=0.98 * 2 * (d + math.pi * r)),),
        gravity=(0.0, 0.0, 0.0),
    )


def capstan(
    hand: Any, *, load: float = 150.0, friction: float = 0.25, turns: int = 3, speed: float = 0.5, rider: float = 1e-9
) -> Machine:
    """A capstan pulls a load up, whole turns of rope on it, while a hand pulls the other end upwards.

    Parameters
    ----------
    hand
        Force of the hand [N], which may depend on time.
    load
        Mass of the load [kg].
    friction, turns
        Coefficient of friction and turns of rope.
    speed
        Speed of the rim [m/s].
    rider
        Mass at the end that the hand pulls, whose weight is not a part of its force [kg].
    """
    r = 0.1
    drum = Sheave("world", r, "y", joint="drum", friction=friction, turns=turns, name="C")
    return Machine(
        "capstan",
        (point_mass("load", load), point_mass("hand", rider), Body("drum", 1.0, inertia=_ONE)),
        (
            Joint("x", "prismatic", "world", "load", axis="-z", origin=(-r, 0, -3)),  # type: ignore[arg-type]
            Joint("y", "prismatic", "world", "hand", axis="z", origin=(-r, 0, 0.5)),  # type: ignore[arg-type]
            Joint("drum", "revolute", "world", "drum", axis="y"),  # type: ignore[arg-type]
        ),
        constraints=(MotionConstraint("drive", joint="drum", value=speed / r * TIME),),
        wrenches=(Wrench("pull", "hand", force=(0.0, 0.0, G * rider + hand)),),
        ropes=(Rope("r", (Anchor("load"), drum, Anchor("hand")), length=3.5 + 2 * math.pi * turns * r),),
    )


def starting_belt(ramp: float = 0.25, *, brake: float = 0.42) -> Machine:
    """The belt from rest: its first wheel speeds up to 12 rad/s in the time ``ramp``.

    Parameters
    ----------
    ramp
        Time in which the wheel speeds up.
    brake
        Viscous damping of the second wheel.
    """
    end = ramp - 1e-12  # a step that begins at the end of the ramp has its acceleration
    past = TIME - end
    rising = (TIME + end - sqrt(past * past + 1e-40)) / 2  # time, but not beyond the end of the ramp
    drive = MotionConstraint("drive", joint="a", value=12.0 * (rising**2 / (2 * end) + TIME - rising))
    return belt(brake=brake).with_(constraints=(drive,))


def bollard(load: float, hold: float, *, friction: float, turns: int) -> Machine:
    """A rope with a load, and half a turn more than ``turns`` on a bollard, which a weight ``hold`` [N] holds.

    Parameters
    ----------
    load, hold
        Weights at the two ends [N].
    friction, turns
        Coefficient of friction, and full turns besides the half one.
    """
    return atwood(load / G, hold / G, friction=friction, turns=turns)


def trolley_guide(friction: float) -> Machine:
    """A guide on a trolley of 1 kg on a rail, between masses of 50 kg that 490.5 N each pull away from it.

    The rope leaves the guide along the rail on one side, and 60 degrees downwards on the other.

    Parameters
    ----------
    friction
        Coefficient of friction on the guide.
    """
    r, F, c, s = 0.1, 50.0 * G, math.cos(math.pi / 3), math.sin(math.pi / 3)
    guide = Guide("trolley", r, "y", friction=friction, name="S")
    return Machine(
        "trolley",
        (point_mass("trolley", 1.0), point_mass("m1", 50.0), point_mass("m2", 50.0)),
        (
            Joint("rail", "prismatic", "world", "trolley", axis="x"),  # type: ignore[arg-type]
            Joint("x1", "prismatic", "world", "m1", axis="-x", origin=(-1, 0, r)),  # type: ignore[arg-type]
            Joint("x2", "prismatic", "world", "m2", axis=(c, 0, -s), origin=(r * s + c, 0, r * c - s)),  # type: ignore[arg-type]
        ),
        wrenches=(Wrench("left", "m1", force=(-F, 0, 0)), Wrench("down", "m2", force=(F * c, 0, -F * s))),
        ropes=(Rope("r", (Anchor("m1"), guide, Anchor("m2"))),),
        gravity=(0.0, 0.0, 0.0),
    )


def fixed_span(pull: Any, *, kappa: float = 0.4, weight: float = 100.0) -> Machine:
    """Two weights on a rope over two fixed guides; the force ``pull`` is added to the first weight.

    Parameters
    ----------
    pull
        Force that is added [N], which may depend on time.
    kappa
        Friction times angle of wrap of each guide.
    weight
        Weight at either end [N].
    """
    r = 0.1
    guides = tuple(
        Guide("world", r, "y", at=(x, 0, 0), friction=2 * kappa / math.pi, name=name)
        for x, name in ((0, "A"), (1, "B"))
    )
    joints = tuple(
        Joint(name, "prismatic", "world", mass, axis="-z", origin=(x, 0, -0.5))  # type: ignore[arg-type]
        for name, mass, x in (("x1", "m1", -r), ("x2", "m2", 1 + r))
    )
    return Machine(
        "fixed span",
        (point_mass("m1", weight / G), point_mass("m2", weight / G)),
        joints,
        wrenches=(Wrench("pull", "m1", force=(0.0, 0.0, -pull)),),
        ropes=(Rope("r", (Anchor("m1"), *guides, Anchor("m2"))),),
    )
