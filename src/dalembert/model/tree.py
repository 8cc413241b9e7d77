"""The tree of moving bodies behind a machine: fixed joints merged, joints in depth-first order by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import casadi as ca

from dalembert.core.errors import MachineError, UnknownNameError
from dalembert.core.parameter import Scalar
from dalembert.model.body import Body
from dalembert.model.joint import WORLD, Joint
from dalembert.model.transform import IDENTITY, Transform

if TYPE_CHECKING:
    from dalembert.model.machine import Machine

__all__ = ["Node", "Tree", "build_tree", "merged_inertia", "place"]


@dataclass(frozen=True)
class Node:
    """A moving joint with all bodies that move rigidly with its child.

    Parameters
    ----------
    joint
        The joint; the node's frame is the frame of its child body.
    parent
        Index of the parent node, -1 for the world.
    placement
        Pose of the joint's fixed frame in the parent node's frame.
    bodies
        Bodies of the node with their pose in the node's frame.
    q, v
        Ranges of the joint's coordinates and velocities.
    """

    joint: Joint
    parent: int
    placement: Transform
    bodies: tuple[tuple[Body, Transform], ...]
    q: slice
    v: slice


@dataclass(frozen=True)
class Tree:
    """Nodes in depth-first order (parents first), and the node and pose of every frame."""

    nodes: tuple[Node, ...]
    frames: dict[str, tuple[int, Transform]]

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return sum(n.joint.info.nq for n in self.nodes)

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return sum(n.joint.info.nv for n in self.nodes)

    def children(self, index: int) -> list[int]:
        """Indices of the nodes that hang on node ``index`` (-1: the world)."""
        return [i for i, n in enumerate(self.nodes) if n.parent == index]

    def path(self, index: int) -> list[int]:
        """Node ``index`` and its ancestors, itself first."""
        path = []
        while index >= 0:
            path.append(index)
            index = self.nodes[index].parent
        return path


def build_tree(machine: Machine) -> Tree:
    """Order the joints depth first, children by joint name, and merge fixed joints.

    Raises
    ------
    MachineError
        If a body has two parents, no path to the world, or an unknown parent.
    """
    bodies = {b.name: b for b in machine.bodies}
    children: dict[str, list[Joint]] = {}
    holder: dict[str, Joint] = {}
    for joint in machine.joints:
        for end in ("parent", "child"):
            name = getattr(joint, end)
            if name != WORLD and name not in bodies:
                known = [WORLD, *bodies] if end == "parent" else bodies
                error = UnknownNameError("body", name, known, f"machine '{machine.name}'")
                raise MachineError(f"{end} of joint '{joint.name}': {error}")
        if joint.child in holder:
            first = holder[joint.child].name
            raise MachineError(
                f"body '{joint.child}' is the child of two joints, '{first}' and '{joint.name}'; "
                "close loops by constraints"
            )
        holder[joint.child] = joint
        children.setdefault(joint.parent, []).append(joint)
    _check_reachable(machine, children, holder)

    nodes: list[Node] = []
    members: list[list[tuple[Body, Transform]]] = []
    frames: dict[str, tuple[int, Transform]] = {WORLD: (-1, IDENTITY)}
    nq = nv = 0
    # (body name, its node, its pose in the node's frame); the stack keeps the order depth first, by joint name.
    stack: list[tuple[Joint, int, Transform]] = [
        (j, -1, IDENTITY) for j in sorted(children.get(WORLD, ()), key=lambda j: j.name, reverse=True)
    ]
    while stack:
        joint, node, pose = stack.pop()
        placement = pose @ joint.origin
        if joint.kind == "fixed":
            here, at = node, placement
        else:
            here, at = len(nodes), IDENTITY
            info = joint.info
            nodes.append(Node(joint, node, placement, (), slice(nq, nq + info.nq), slice(nv, nv + info.nv)))
            members.append([])
            nq, nv = nq + info.nq, nv + info.nv
        frames[joint.child] = (here, at)
        if here >= 0:
            members[here].append((bodies[joint.child], at))
        below = sorted(children.get(joint.child, ()), key=lambda j: j.name, reverse=True)
        stack.extend((j, here, at) for j in below)
    for frame in machine.frames:
        if frame.body not in frames:
            unknown = UnknownNameError("body", frame.body, frames, f"machine '{machine.name}'")
            raise MachineError(f"frame '{frame.name}': {unknown}")
        node, pose = frames[frame.body]
        frames[frame.name] = (node, pose @ frame.origin)
    complete = tuple(
        Node(n.joint, n.parent, n.placement, tuple(m), n.q, n.v) for n, m in zip(nodes, members, strict=True)
    )
    return Tree(complete, frames)


def _check_reachable(machine: Machine, children: dict[str, list[Joint]], holder: dict[str, Joint]) -> None:
    reached, queue = {WORLD}, [WORLD]
    while queue:
        for joint in children.get(queue.pop(), ()):
            reached.add(joint.child)
            queue.append(joint.child)
    for body in machine.bodies:
        if body.name in reached:
            continue
        loop = [body.name]
        while loop[-1] in holder and holder[loop[-1]].parent not in loop:
            loop.append(holder[loop[-1]].parent)
        if loop[-1] in holder:
            start = loop.index(holder[loop[-1]].parent)
            raise MachineError(f"the joints form a cycle through the bodies {', '.join(sorted(loop[start:]))}")
        raise MachineError(
            f"body '{loop[-1]}' is not connected to the world; give it a joint (a free one if it floats)"
        )


def place(transform: Transform, value: Callable[[Scalar], Any]) -> tuple[Any, Any]:
    """Rotation matrix and position of a transform as CasADi matrices, with ``value`` applied to each scalar."""
    rows = [ca.horzcat(*[value(x) for x in row]) for row in transform.rotation]
    return ca.vertcat(*rows), ca.vertcat(*[value(x) for x in transform.translation])


def merged_inertia(node: Node, value: Callable[[Scalar], Any]) -> tuple[Any, Any, Any]:
    """Mass, first moment and inertia about the node's origin of all its bodies (Steiner: ROBOTICS, parallel axes)."""
    mass: Any = 0.0
    moment: Any = ca.DM.zeros(3)
    inertia: Any = ca.DM.zeros(3, 3)
    for body, pose in node.bodies:
        R, p = place(pose, value)
        m = value(body.mass)
        c = p + R @ ca.vertcat(*[value(x) for x in body.com])
        I_c = ca.vertcat(*[ca.horzcat(*[value(x) for x in row]) for row in body.inertia])
        C = ca.skew(c)
        mass = mass + m
        moment = moment + m * c
        inertia = inertia + R @ I_c @ R.T - m * (C @ C)
    return mass, moment, inertia
