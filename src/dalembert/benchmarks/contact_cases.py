"""Machines with contacts for the measurements: a quadruped, a pile of balls, a chain of flexible links."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.benchmarks.robots import robot_file
from dalembert.control.laws import PD
from dalembert.core.errors import DalembertWarning
from dalembert.formulations.equations import derive
from dalembert.io.urdf import load_urdf
from dalembert.model.body import sphere
from dalembert.model.colliders import Collider
from dalembert.model.contacts import Contact, HalfSpace, SphericalSurface, geometry_contacts
from dalembert.model.geometry import Sphere
from dalembert.model.joint import WORLD, Joint
from dalembert.model.machine import Machine
from dalembert.systems.falling_chains import falling_chain

__all__ = [
    "FEET",
    "Gains",
    "bouncing_balls",
    "bouncing_chain",
    "driven_quadruped",
    "on_colliders",
    "pile",
    "pile_start",
    "quadruped",
    "standing",
]

FEET = ("LF_FOOT", "LH_FOOT", "RF_FOOT", "RH_FOOT")
_STANCE = {"HAA": (0.0, 0.0), "HFE": (0.4, -0.4), "KFE": (-0.8, 0.8)}
"""Angles of the joints of a front and of a hind leg."""

_STIFFNESS, _DAMPING = 300.0, 8.0
"""Gains of the joints [N m/rad, N m s/rad], which hold the stance."""

Gains = tuple[tuple[float, ...], tuple[float, ...]]
"""Gains of positions and of velocities, for each motor."""

_BALLS, _RADIUS, _MASS, _WALL = 20, 0.05, 0.5, 0.25


def _anymal(friction: float, *, motors: bool) -> Machine:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)
        machine = load_urdf(robot_file("anymal"), floating_base=True, motors=motors)
        return machine.with_(contacts=geometry_contacts(machine, FEET, friction=friction))


def quadruped(friction: float) -> Machine:
    """ANYmal on springs that hold its stance, with the spheres of its feet over the ground."""
    machine = _anymal(friction, motors=False)
    joints = [
        replace(joint, stiffness=_STIFFNESS, rest=_angle(joint.name), damping=_DAMPING)
        if joint.kind == "revolute"
        else joint
        for joint in machine.joints
    ]
    return machine.with_(joints=tuple(joints))


def driven_quadruped(friction: float) -> tuple[Machine, PD, Gains]:
    """ANYmal with its motors, the law that holds its stance, and its gains, which are those of the springs."""
    machine = _anymal(friction, motors=True)
    reference = np.array([_angle(motor.joint) for motor in machine.motors])
    kp, kd = ((gain,) * len(machine.motors) for gain in (_STIFFNESS, _DAMPING))
    return machine, PD(kp=kp, kd=kd, reference=reference), (kp, kd)


def on_colliders(machine: Machine, *bodies: str) -> Machine:
    """Return a machine whose contacts are found in every step: those of some of its bodies, or all, and its planes."""
    frictions, bounces = ({getattr(c, key) for c in machine.contacts} for key in ("friction", "restitution"))
    law: dict[str, Any] = {"friction": max(frictions), "restitution": max(bounces)}
    planes = dict.fromkeys(c.surface for c in machine.contacts if isinstance(c.surface, HalfSpace))
    colliders = [Collider(f"plane{k}", surface=plane, **law) for k, plane in enumerate(planes)]
    return machine.with_(contacts=(), colliders=(Collider("bodies", bodies or None, **law), *colliders))


def standing(machine: Machine, height: float = 0.0) -> dict[str, float]:
    """Coordinates of the stance with the lowest foot at a height over the ground."""
    q0 = {joint.name: _angle(joint.name) for joint in machine.joints if joint.kind == "revolute"}
    q = machine.q_neutral.copy()
    for name, angle in q0.items():
        q[machine.q_names.index(name)] = angle
    gaps = derive(machine, backend="vm").contact_gaps(q)
    return {**q0, machine.q_names[2]: height - float(np.min(gaps))}


def _angle(joint: str) -> float:
    leg, _, axis = joint.partition("_")
    return _STANCE[axis][leg.endswith("H")]


def bouncing_balls(balls: int = 4, restitution: float = 0.5) -> Machine:
    """Some balls between four walls on the ground."""
    names = [f"ball{i:02d}" for i in range(balls)]
    walls = {
        "floor": HalfSpace(),
        "left": HalfSpace((1.0, 0.0, 0.0), (-_WALL, 0.0, 0.0)),
        "right": HalfSpace((-1.0, 0.0, 0.0), (_WALL, 0.0, 0.0)),
        "front": HalfSpace((0.0, 1.0, 0.0), (0.0, -_WALL, 0.0)),
        "back": HalfSpace((0.0, -1.0, 0.0), (0.0, _WALL, 0.0)),
    }
    ball = Sphere(_RADIUS)
    law: dict[str, Any] = {"friction": 0.5, "restitution": restitution}
    contacts = [Contact(f"{n}.{w}", n, ball, surface=s, **law) for n in names for w, s in walls.items()]
    contacts += [
        Contact(f"{a}.{b}", a, ball, surface=SphericalSurface(_RADIUS), on=b, **law)
        for i, a in enumerate(names)
        for b in names[i + 1 :]
    ]
    return Machine(
        "pile",
        tuple(sphere(n, _MASS, _RADIUS) for n in names),
        tuple(Joint(n, "free", WORLD, n) for n in names),
        contacts=tuple(contacts),
    )


def pile() -> Machine:
    """Twenty balls between four walls on the ground, which do not bounce."""
    return bouncing_balls(_BALLS, 0.0)


def pile_start(seed: int = 0) -> dict[str, float]:
    """Places of the balls over the ground, in layers of four, none of which touches another."""
    rng = np.random.default_rng(seed)
    q0: dict[str, float] = {}
    for i in range(_BALLS):
        layer, k = divmod(i, 4)
        corner = 0.09 * np.array([1.0 if k % 2 else -1.0, 1.0 if k // 2 else -1.0])
        x, y = corner + rng.uniform(-0.03, 0.03, 2)
        q0 |= {f"ball{i:02d}.x": float(x), f"ball{i:02d}.y": float(y), f"ball{i:02d}.z": 0.06 + 0.11 * layer}
    return q0


def bouncing_chain(links: int = 10, modes: int = 2) -> Machine:
    """Chain of flexible links of IMPACT, Table 1, that falls on the ground with the ends of its links."""
    machine = falling_chain(links, modes)
    ground = HalfSpace((0.0, 1.0, 0.0))
    frames = ["link1", *(f"link{i}.tip" for i in range(1, links + 1))]
    contacts = [Contact(f.replace(".", "_"), f, surface=ground, restitution=0.5, friction=0.3) for f in frames]
    return machine.with_(contacts=tuple(contacts))
