"""The tree of moving bodies behind a machine: fixed joints merged, joints in depth-first order by name.

A beam adds nodes: one for its root frame (also where it hangs on a fixed joint), which has the modal coordinates, and
one for each of its named sections, which moves in the root's frame as a function of the modal coordinates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from dalembert.core.errors import MachineError, UnknownNameError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.types import Array, Expression
from dalembert.model.body import Body
from dalembert.model.elastic.contract import Elastic
from dalembert.model.joint import WORLD, Joint
from dalembert.model.transform import IDENTITY, Transform
from dalembert.spatial.rotations import numpy

if TYPE_CHECKING:
    from dalembert.model.machine import Machine

__all__ = ["Node", "Tree", "build_tree", "central_inertia", "merged_inertia", "nominal_inertia", "place"]


@dataclass(frozen=True)
class Node:
    """A moving joint with all bodies that move rigidly with its child; or the section of a beam.

    Parameters
    ----------
    joint
        The joint; the node's frame is the frame of its child body. A section has a fixed one.
    parent
        Index of the parent node, -1 for the world.
    placement
        Pose of the joint's fixed frame in the parent node's frame.
    bodies
        Rigid bodies of the node with their pose in the node's frame.
    q, v
        Ranges of the joint's coordinates and velocities.
    elastic
        The flexible body whose root or section the node is.
    station
        Name of the section; None for a root.
    modal_q, modal_v
        Ranges of its modal coordinates and their rates.
    """

    joint: Joint
    parent: int
    placement: Transform
    bodies: tuple[tuple[Body, Transform], ...]
    q: slice
    v: slice
    elastic: Elastic | None = None
    station: str | None = None
    modal_q: slice = field(default_factory=lambda: slice(0, 0))
    modal_v: slice = field(default_factory=lambda: slice(0, 0))

    @property
    def is_root(self) -> bool:
        """Whether the node is the root of a flexible body: it has the modal coordinates and the mass."""
        return self.elastic is not None and self.station is None

    @property
    def q_names(self) -> tuple[str, ...]:
        """Names of the coordinates that the node adds."""
        return self.joint.q_names + (self.elastic.q_names if self.is_root and self.elastic else ())

    @property
    def v_names(self) -> tuple[str, ...]:
        """Names of the velocities that the node adds."""
        return self.joint.v_names + (self.elastic.v_names if self.is_root and self.elastic else ())

    @property
    def neutral(self) -> tuple[float, ...]:
        """Neutral values of the coordinates that the node adds."""
        return self.joint.info.neutral + (0.0,) * (self.elastic.n_modes if self.is_root and self.elastic else 0)


@dataclass(frozen=True)
class Tree:
    """Nodes in depth-first order (parents first), and the node and pose of every frame."""

    nodes: tuple[Node, ...]
    frames: dict[str, tuple[int, Transform]]

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return sum(len(n.q_names) for n in self.nodes)

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return sum(len(n.v_names) for n in self.nodes)

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
    sections = {f"{b.name}.{s}": b.name for b in machine.bodies if isinstance(b, Elastic) for s in b.section_names}
    children: dict[str, list[Joint]] = {}
    holder: dict[str, Joint] = {}
    for joint in machine.joints:
        for end in ("parent", "child"):
            name = getattr(joint, end)
            known = [*bodies] if end == "child" else [WORLD, *bodies, *sections]
            if name not in known:
                error = UnknownNameError("body", name, known, f"machine '{machine.name}'")
                raise MachineError(f"{end} of joint '{joint.name}': {error}")
        if joint.child in holder:
            first = holder[joint.child].name
            raise MachineError(
                f"body '{joint.child}' is the child of two joints, '{first}' and '{joint.name}'; "
                "close loops by constraints"
            )
        _check_on_root(f"joint '{joint.name}'", bodies.get(joint.parent), joint.origin)
        holder[joint.child] = joint
        children.setdefault(sections.get(joint.parent, joint.parent), []).append(joint)
    _check_reachable(machine, children, holder, sections)

    nodes: list[Node] = []
    members: list[list[tuple[Body, Transform]]] = []
    frames: dict[str, tuple[int, Transform]] = {WORLD: (-1, IDENTITY)}
    nq = nv = 0
    # The stack keeps the order depth first, by joint name.
    stack = sorted(children.get(WORLD, ()), key=lambda j: j.name, reverse=True)
    while stack:
        joint = stack.pop()
        node, pose = frames[joint.parent]
        placement = pose @ joint.origin
        body = bodies[joint.child]
        if not joint.info.nv and isinstance(body, Body):
            here, at = node, placement
        else:
            here, at = len(nodes), IDENTITY
            new = Node(joint, node, placement, (), *_ranges(nq, nv, joint.info.nq, joint.info.nv))
            nq, nv = new.q.stop, new.v.stop
            if isinstance(body, Elastic):
                modal_q, modal_v = _ranges(nq, nv, body.n_modes, body.n_modes)
                new = replace(new, elastic=body, modal_q=modal_q, modal_v=modal_v)
                nq, nv = modal_q.stop, modal_v.stop
            nodes.append(new)
            members.append([])
        frames[joint.child] = (here, at)
        if isinstance(body, Elastic):
            for section in body.section_names:
                frames[f"{body.name}.{section}"] = (len(nodes), IDENTITY)
                nodes.append(_section_node(nodes[here], here, body, section))
                members.append([])
        elif here >= 0:
            members[here].append((body, at))
        stack.extend(sorted(children.get(joint.child, ()), key=lambda j: j.name, reverse=True))
    for frame in machine.frames:
        if frame.body not in frames:
            unknown = UnknownNameError("body", frame.body, frames, f"machine '{machine.name}'")
            raise MachineError(f"frame '{frame.name}': {unknown}")
        _check_on_root(f"frame '{frame.name}'", bodies.get(frame.body), frame.origin)
        node, pose = frames[frame.body]
        frames[frame.name] = (node, pose @ frame.origin)
    return Tree(tuple(replace(n, bodies=tuple(m)) for n, m in zip(nodes, members, strict=True)), frames)


def _ranges(nq: int, nv: int, q: int, v: int) -> tuple[slice, slice]:
    return slice(nq, nq + q), slice(nv, nv + v)


def _section_node(root: Node, index: int, elastic: Elastic, section: str) -> Node:
    joint = Joint(f"{elastic.name}.{section}", "fixed", elastic.name, f"{elastic.name}.{section}")
    nothing = slice(root.modal_q.stop, root.modal_q.stop), slice(root.modal_v.stop, root.modal_v.stop)
    return Node(joint, index, IDENTITY, (), *nothing, elastic, section, root.modal_q, root.modal_v)


def _check_on_root(what: str, body: Body | Elastic | None, origin: Transform) -> None:
    """Refuse elements on the root frame of a flexible body at a point that bends: they would not follow it."""
    if not isinstance(body, Elastic):
        return
    where = body.off_root(np.array([nominal(t) for t in origin.translation]))
    if where is not None:
        names = " or ".join(f"'{body.name}.{section}'" for section in body.section_names)
        raise MachineError(
            f"{what} is fixed to the root frame of {body.kind} '{body.name}' at {where} and would not follow its "
            f"bending; attach it to {names}, or to another named section"
        )


def _check_reachable(
    machine: Machine, children: dict[str, list[Joint]], holder: dict[str, Joint], sections: dict[str, str]
) -> None:
    reached, queue = {WORLD}, [WORLD]
    while queue:
        for joint in children.get(queue.pop(), ()):
            reached.add(joint.child)
            queue.append(joint.child)

    def parent(name: str) -> str:
        return sections.get(holder[name].parent, holder[name].parent)

    for body in machine.bodies:
        if body.name in reached:
            continue
        loop = [body.name]
        while loop[-1] in holder and parent(loop[-1]) not in loop:
            loop.append(parent(loop[-1]))
        if loop[-1] in holder:
            start = loop.index(parent(loop[-1]))
            raise MachineError(f"the joints form a cycle through the bodies {', '.join(sorted(loop[start:]))}")
        raise MachineError(
            f"body '{loop[-1]}' is not connected to the world; give it a joint (a free one if it floats)"
        )


def place(transform: Transform, value: Callable[[Scalar], Expression | float]) -> tuple[Any, Any]:
    """Rotation matrix and position of a transform as CasADi matrices, with ``value`` applied to each scalar."""
    rows = [ca.horzcat(*[value(x) for x in row]) for row in transform.rotation]
    return ca.vertcat(*rows), ca.vertcat(*[value(x) for x in transform.translation])


def merged_inertia(node: Node, value: Callable[[Scalar], Expression | float]) -> tuple[Any, Any, Any]:
    """Mass, first moment and inertia about the node's origin of its rigid bodies (Steiner: ROBOTICS, parallel axes)."""
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


def nominal_inertia(node: Node) -> tuple[float, Array, Array]:
    """`merged_inertia` in numbers, at the nominal parameters."""
    mass, moment, inertia = merged_inertia(node, nominal)
    return float(mass), numpy(moment), numpy(inertia)


def central_inertia(node: Node) -> tuple[float, Array, Array]:
    """Mass, centre of mass and inertia about it, in numbers; without mass the centre is the node's origin."""
    mass, moment, inertia = nominal_inertia(node)
    c = moment / mass if mass > 0 else np.zeros(3)
    return mass, c, inertia - mass * (c @ c * np.eye(3) - np.outer(c, c))
