"""Clearance of an arm on a free base: from the debris, from the bodies fixed to its base, and from itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.model.body import Body
from dalembert.model.geometry import Box, Geometry
from dalembert.model.machine import Machine
from dalembert.model.transform import Transform
from dalembert.plan.distance import box_distance, segment_box_distance, segment_distance
from dalembert.plan.held_base import HeldBase

__all__ = ["ArmShape", "Obstacle", "arm_shape", "least_clearance"]

_ATTACHED = 0.2  # part of a link next to the body that carries the arm, which is always near to it


@dataclass(frozen=True)
class Obstacle:
    """A box that is fixed to a body.

    Attributes
    ----------
    name
        The body that it belongs to.
    pose
        Homogeneous matrix of its centre in the axes of the body.
    size
        Its sides [m].
    """

    name: str
    pose: Array
    size: Array


@dataclass(frozen=True)
class ArmShape:
    """An arm as capsules from joint to joint, and the boxes that are fixed to its base.

    Attributes
    ----------
    frames
        Where the capsules begin and end, from the first joint to the tip.
    radius
        Radius of the capsules [m].
    boxes
        Boxes of the base and of parts fixed to it, in axes of the base.
    others
        The same as ``frames`` of each other arm.
    """

    frames: tuple[str, ...]
    radius: float
    boxes: tuple[Obstacle, ...]
    others: tuple[tuple[str, ...], ...] = ()


def arm_shape(robot: HeldBase, radius: float = 0.08) -> ArmShape:
    """Shape of a robot: capsules from joint to joint, boxes from the geometry of bodies that are fixed to its base."""
    machine = robot.eom.machine
    frames = _chain(machine, robot.frame, robot.base)
    if len(frames) < 2:
        raise InputError(f"frame '{robot.frame}' of machine '{machine.name}' is not at the end of an arm")
    carriers = {j.parent for j in machine.joints} | {j.parent.rpartition(".")[0] for j in machine.joints}
    ends = [b.name for b in machine.bodies if b.name not in carriers]
    hands = {f.body: f.name for f in machine.frames}
    chains = [_chain(machine, hands.get(end, end), robot.base) for end in ends]
    # arms that share no moving body with the first one
    others = [c for c in chains if len(c) > 1 and not set(c[:-1]) & set(frames)]
    return ArmShape(frames, float(radius), _boxes(robot.eom, robot.base), tuple(others))


def _chain(machine: Machine, frame: str, base: str) -> tuple[str, ...]:
    """Bodies on moving joints from the base on, and the frame at the end."""
    parents = {j.child: j for j in machine.joints}
    body = next((f.body for f in machine.frames if f.name == frame), frame)
    chain = [frame]
    while (body := body if body in parents else body.rpartition(".")[0]) in parents and parents[body].name != base:
        joint = parents[body]
        if joint.kind != "fixed":
            chain.append(body)
        body = joint.parent
    return tuple(reversed(chain))


def _boxes(eom: EquationsOfMotion, base: str) -> tuple[Obstacle, ...]:
    machine, q = eom.machine, eom.q_neutral
    root = machine.joint(base).child
    parents = {j.child: j for j in machine.joints}
    B = np.linalg.inv(eom.pose(root, q))
    obstacles = []
    for body in machine.bodies:
        at = body.name
        while at != root and at in parents and parents[at].kind == "fixed":
            at = parents[at].parent
        if at == root and isinstance(body, Body):
            X = B @ eom.pose(body.name, q)
            obstacles += [Obstacle(body.name, X @ o.pose, o.size) for o in boxes_of(body.name, body.geometry)]
    return tuple(obstacles)


def boxes_of(name: str, geometry: tuple[Geometry, ...]) -> list[Obstacle]:
    """The boxes among the solids of a body that are for collision."""
    return [
        Obstacle(name, _matrix(g.origin), np.array([nominal(x) for x in g.solid.size]))
        for g in geometry
        if g.collision and isinstance(g.solid, Box)
    ]


def _matrix(transform: Transform) -> Array:
    X = np.eye(4)
    X[:3, :3] = [[nominal(x) for x in row] for row in transform.rotation]
    X[:3, 3] = [nominal(x) for x in transform.translation]
    return X


def least_clearance(
    robot: HeldBase, shape: ArmShape, joints: Array, debris: Array, obstacles: tuple[Obstacle, ...]
) -> dict[str, float]:
    """Least distances between the parts of the scene along a motion, by name.

    The last link touches the debris and is left out there; so is the part of a link that is attached to the base, and
    links that follow each other.

    Parameters
    ----------
    robot, shape
        The robot.
    joints
        Joints (T, n).
    debris
        Homogeneous matrices of the debris (T, 4, 4) in axes of the base at the centre of mass.
    obstacles
        Boxes of the debris in its axes.
    """
    points = robot.points(shape.frames)(joints)
    place = np.broadcast_to(np.eye(4), (len(joints), 4, 4)).copy()
    place[:, :3, 3] = robot.place(joints)
    links = [(points[:, i], points[:, i + 1]) for i in range(len(shape.frames) - 1)]
    base_boxes = [(o.name, place @ o.pose, o.size) for o in shape.boxes]
    others = [(o.name, debris @ o.pose, o.size) for o in obstacles]
    result: dict[str, float] = {}

    def keep(name: str, distance: float) -> None:
        result[name] = min(result.get(name, np.inf), distance)

    carrier = shape.boxes[0].name if shape.boxes else ""
    for i, (a, b) in enumerate(links):
        for name, X, size in base_boxes:
            if i == 0 and name == carrier:
                continue
            start = a + _ATTACHED * (b - a) if i == 1 and name == carrier else a
            keep(f"arm from {name}", _nearest(segment_box_distance(start, b, X, size)) - shape.radius)
        if i < len(links) - 1:
            for name, X, size in others:
                keep(f"arm from {name}", _nearest(segment_box_distance(a, b, X, size)) - shape.radius)
    lengths = [float(np.median(np.linalg.norm(b - a, axis=-1))) for a, b in links]
    for i, (a, b) in enumerate(links):
        for j in range(i + 2, len(links)):
            if sum(lengths[i + 1 : j]) > 4.0 * shape.radius:
                keep("arm from itself", _nearest(segment_distance(a, b, *links[j])) - 2.0 * shape.radius)
    for chain in shape.others:
        places = robot.points(chain)(joints)
        for i in range(len(chain) - 1):
            a, b = places[:, i], places[:, i + 1]
            for name, X, size in others:
                keep(f"other arm from {name}", _nearest(segment_box_distance(a, b, X, size)) - shape.radius)
            for c, d in links:
                keep("arm from other arm", _nearest(segment_distance(a, b, c, d)) - 2.0 * shape.radius)
            for name, X, size in base_boxes:
                if i > 1 or name != carrier:
                    keep(f"other arm from {name}", _nearest(segment_box_distance(a, b, X, size)) - shape.radius)
    for name, X, size in others:
        for mine, Y, extent in base_boxes:
            keep(f"{mine} from {name}", _nearest(box_distance(X, size, Y, extent)))
    return result


def _nearest(distances: Array) -> float:
    return float(np.min(distances))
