"""Models that a chaser computes with, made from the machine that flies.

Its rigid twin has no bending and no turning wheels: the plan and the feedforward are made with it. Its bent twin keeps
what bends between base and tip. Both, and every gain, follow from the machine alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from dalembert.control.allocation import Allocation, allocate
from dalembert.control.gyro_steering import gyro_capacity
from dalembert.control.rotors import base_gyros, base_wheels, gyro_cluster
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.formulations.equations import derive
from dalembert.model.beam import Beam
from dalembert.model.body import Body
from dalembert.model.geometry import Box, Cylinder, Sphere
from dalembert.model.machine import Machine
from dalembert.model.parts import Frame
from dalembert.model.transform import Transform
from dalembert.plan.held_base import HeldBase, held_base, way_to
from dalembert.plan.tip_task import chosen_task
from dalembert.systems.space_robots.bent_arm import BentArm
from dalembert.systems.space_robots.guide_law import GuideLaw

__all__ = ["ChaserTwins", "chaser_twins", "with_spins"]

_TURNS = {
    "x": ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)),
    "y": ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)),
}
"""Rotations whose z axis is another axis."""


@dataclass(frozen=True)
class ChaserTwins:
    """A chaser, and the models that it computes with.

    Attributes
    ----------
    machine
        The chaser as it flies.
    frame
        The frame that grips, along its z axis.
    base
        Its free joint.
    task
        Task of the tip: ``"pose"``, ``"axis"`` or ``"position"``.
    joints
        The driven joints of all arms, in the order of the coordinates.
    wheels, gyros
        Motors of its reaction wheels, and of the gimbals of its control moment gyros.
    spins
        Rates of the rotors of the gyros, by the names of their velocities.
    """

    machine: Machine
    frame: str
    base: str
    task: str
    joints: tuple[str, ...]
    wheels: tuple[str, ...]
    gyros: tuple[str, ...] = ()
    spins: tuple[tuple[str, float], ...] = ()

    @property
    def body(self) -> str:
        """Body of the base."""
        return self.machine.joint(self.base).child

    def _twin(self, bending: tuple[str, ...], kept: tuple[str, ...]) -> Machine:
        """The machine with some beams flexible and some joints moving, everything else stiff and locked."""
        bodies = tuple(
            replace(b, modes=()) if isinstance(b, Beam) and b.name not in bending else b for b in self.machine.bodies
        )
        stiff = self.machine.with_(bodies=bodies, sensors=(), signals=())
        moving = {self.base, *self.joints, *kept}
        return stiff.lock([j.name for j in stiff.joints if j.info.nv and j.name not in moving])

    @cached_property
    def rigid(self) -> HeldBase:
        """The rigid twin."""
        return held_base(derive(self._twin((), ())), self.frame, task=self.task)

    @cached_property
    def bent(self) -> BentArm:
        """The twin that bends between base and tip."""
        way, bodies = way_to(self.machine, self.frame), self._carriers
        beams = tuple(b.name for b in self.machine.bodies if isinstance(b, Beam) and b.name in bodies)
        soft = tuple(n for n in way if n not in self.joints)
        return BentArm(derive(self._twin(beams, soft)), self.frame, self.base, self.joints)

    @property
    def _carriers(self) -> set[str]:
        """Bodies between base and tip."""
        by_child = {j.child: j for j in self.machine.joints}
        body = next((f.body for f in self.machine.frames if f.name == self.frame), self.frame)
        bodies: set[str] = set()
        while True:
            body = body if body in by_child else body.rpartition(".")[0]
            if body not in by_child:
                return bodies
            bodies.add(body)
            body = by_child[body].parent

    @cached_property
    def law(self) -> GuideLaw:
        """Computation of guidance at an instant."""
        return GuideLaw(self.rigid, self.bent)

    @cached_property
    def allocation(self) -> Allocation:
        """How torques of the base are shared out."""
        return allocate(derive(self.machine), self.base, need=("torque",))

    @cached_property
    def wheel_momentum(self) -> float:
        """Least momentum about an axis that wheels or gyros can hold together [N m s]; infinite without limits."""
        if self.allocation.gyros:
            return gyro_capacity(derive(self.machine), self.base, dict(self.spins))[1]
        names = self.allocation.wheels
        if not names:
            return np.inf
        motors, bodies = {m.name: m for m in self.machine.motors}, {b.name: b for b in self.machine.bodies}
        sizes, columns = [], []
        for name in names:
            joint, body = self.machine.joint(motors[name].joint), bodies[self.machine.joint(motors[name].joint).child]
            assert isinstance(body, Body)
            axis = np.array([nominal(x) for x in joint.axis])
            I = np.array([[nominal(x) for x in row] for row in body.inertia])
            sizes.append(float(axis @ I @ axis) * float(joint.limits.velocity))
            columns.append(self.allocation.effect[3:, self.machine.u_names.index(name)])
        # shares of a unit of momentum about each axis, as those of a torque
        shares = np.abs(np.linalg.pinv(np.array(columns).T))
        return float((np.array(sizes)[:, None] / np.maximum(shares, 1e-12)).min())

    @cached_property
    def torque_limits(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Largest torques of the base about its axes, and of the joints."""
        motors = {m.joint: m for m in self.machine.motors}
        joints = tuple(float(motors[n].effort * abs(nominal(motors[n].ratio))) for n in self.joints)
        if self.allocation.gyros:
            return gyro_capacity(derive(self.machine), self.base, dict(self.spins))[0], joints
        return tuple(float(x) for x in self.allocation.capacity[3:]), joints

    @cached_property
    def camera(self) -> Array:
        """Pose (4 x 4) in axes of the base of a camera at the edge of the face that carries the arm, looking outward.

        Raises
        ------
        InputError
            If nothing tells the size of the base.
        """
        out = self.outward
        up = np.array([0.0, 0.0, 1.0]) if abs(out[2]) < 0.9 else np.array([1.0, 0.0, 0.0])
        up = up - (up @ out) * out
        up = up / np.linalg.norm(up)
        X = np.eye(4)
        X[:3, 0], X[:3, 1], X[:3, 2] = np.cross(-up, out), -up, out
        X[:3, 3] = self._extent(out) * out + self._extent(up) * up
        return X

    def _extent(self, direction: Array) -> float:
        """How far the base reaches along a direction."""
        body = next(b for b in self.machine.bodies if b.name == self.body)
        sizes = []
        for g in body.geometry if isinstance(body, Body) else ():
            R = np.array([[nominal(x) for x in row] for row in g.origin.rotation])
            d, c = R.T @ direction, float(np.array([nominal(x) for x in g.origin.translation]) @ direction)
            match g.solid:
                case Box(size=size):
                    sizes.append(c + 0.5 * float(np.abs(d) @ [nominal(x) for x in size]))
                case Sphere(radius=radius):
                    sizes.append(c + float(nominal(radius)))
                case Cylinder(radius=radius, length=length):
                    r, h = float(nominal(radius)), float(nominal(length))
                    sizes.append(c + 0.5 * h * abs(float(d[2])) + r * float(np.hypot(d[0], d[1])))
        if not sizes:
            raise InputError(
                f"body '{self.body}' of machine '{self.machine.name}' has no box, cylinder or sphere as geometry that "
                "tells where its camera sits: give it one, or name a frame of the camera"
            )
        return max(sizes)

    @cached_property
    def outward(self) -> Array:
        """Direction in axes of the base in which the arm works: from the base to its first joint."""
        first = way_to(self.rigid.eom.machine, self.frame)[0]
        eom = self.rigid.eom
        root = np.linalg.inv(eom.pose(self.body, eom.q_neutral))
        away = (root @ eom.pose(eom.machine.joint(first).child, eom.q_neutral))[:3, 3]
        size = float(np.linalg.norm(away))
        if size < 1e-9:
            away = (root @ eom.pose(self.frame, eom.q_neutral))[:3, 3]
            size = float(np.linalg.norm(away))
        axis = np.eye(3)[int(np.argmax(np.abs(away)))] * np.sign(away[int(np.argmax(np.abs(away)))])
        return np.asarray(axis)


@lru_cache(maxsize=16)
def chaser_twins(machine: Machine, tip: str = "tip", approach: str = "z", task: str | None = None) -> ChaserTwins:
    """The models of a chaser, made from its machine.

    Parameters
    ----------
    machine
        The chaser: a free base with driven joints of one coordinate, and anything that bends, wheels and thrusters.
    tip
        The frame that grips.
    approach
        Axis of that frame that points at the debris when it grips: ``"x"``, ``"y"`` or ``"z"``.
    task
        As in `dalembert.plan.held_base`.
    """
    if not isinstance(machine, Machine):
        raise InputError(f"a chaser must be a Machine, got {machine!r}")
    where = f"machine '{machine.name}'"
    others = [b.name for b in machine.bodies if not isinstance(b, Body | Beam)]
    if others:
        raise InputError(f"flexible bodies of a chaser must be beams or appendages; {where} has {', '.join(others)}")
    if machine.constrained:
        raise InputError(f"a chaser must have no closed loops, cables or contacts; {where} has some")
    free = [j.name for j in machine.joints if j.kind == "free"]
    if len(free) != 1 or machine.joint(free[0]).parent != "world":
        raise InputError(f"a chaser floats on one free joint; {where} has {', '.join(free) or 'none'}")
    if tip not in machine.tree.frames or tip == "world":
        raise UnknownNameError("frame", tip, [n for n in machine.tree.frames if n != "world"], where)
    if approach not in ("x", "y", "z"):
        raise InputError(
            f"approach must be 'x', 'y' or 'z', the axis of frame '{tip}' that points at the debris, got {approach!r}"
        )
    frame = tip
    if approach != "z":
        old = next((f for f in machine.frames if f.name == tip), Frame(tip, tip))
        frame, turn = f"{tip}.grip", Transform((0.0, 0.0, 0.0), _TURNS[approach])
        machine = machine.with_(frames=(*machine.frames, Frame(frame, old.body, old.origin @ turn)))
    wheels = base_wheels(machine, free[0])
    gyros = base_gyros(machine, free[0])
    spun = {m.joint for m in machine.motors if m.name in (*wheels, *gyros)}
    driven = [m.joint for m in machine.motors if m.joint not in spun]
    if len(set(driven)) != len(driven):
        raise InputError(f"two motors drive one joint of {where}; a chaser needs one each")
    joints = tuple(j.name for j in _ordered(machine) if j.name in driven)
    if not set(way_to(machine, frame)) & set(joints):
        raise InputError(
            f"no driven joint is between the base of {where} and its frame '{tip}'; driven are "
            f"{', '.join(joints) or 'none'}"
        )
    chosen = chosen_task(task, len(set(way_to(machine, frame)) & set(joints)), where)
    return ChaserTwins(machine, frame, free[0], chosen, joints, wheels, gyros)


def with_spins(twins: ChaserTwins, rotors: Mapping[str, float]) -> ChaserTwins:
    """The models of a chaser whose gyros spin.

    Raises
    ------
    InputError
        If a rotor of a gyro has no rate, or a rate belongs to none.
    """
    where = f"machine '{twins.machine.name}'"
    known = [f"{x.rotor}_dot" for x in gyro_cluster(derive(twins.machine), twins.base)]
    for name in rotors:
        if name not in known:
            raise UnknownNameError("rate of a gyro's rotor", name, known, where)
    still = [n for n in known if not abs(float(rotors.get(n, 0.0))) > 0.0]
    if still:
        raise InputError(
            f"the rotors of the control moment gyros of {where} must spin: give rotors={{'{still[0]}': ...}} in rad/s "
            f"(ControlMomentGyro.v0); {', '.join(still)} have no rate"
        )
    return replace(twins, spins=tuple((n, float(rotors[n])) for n in known)) if known else twins


def _ordered(machine: Machine) -> list[Any]:
    """Joints in the order of their coordinates."""
    return [node.joint for node in machine.coordinate_nodes if node.joint is not None]
