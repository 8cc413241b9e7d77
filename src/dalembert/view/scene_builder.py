"""Drawing of a machine: its parts, and the points and poses that they follow, as one kernel.

Bodies are drawn as their visual geometry. Where a body has none, lines run from its joint to the joints, frames and
cables that it carries, and a ball shows its mass. Beams are curves bent along their modes. A cable runs over its pulley
and sags when it is longer than its way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import casadi as ca
import numpy as np

from dalembert.compile import Kernel, compile_function
from dalembert.compile.kernel import Backend
from dalembert.core.errors import FileFormatError, InputError
from dalembert.core.parameter import Scalar, evaluate
from dalembert.core.types import Array, Expression
from dalembert.core.warn import warn
from dalembert.formulations.mapped import tree_coordinates
from dalembert.formulations.tree.model import TreeModel
from dalembert.model.body import Body
from dalembert.model.cables import Cable
from dalembert.model.elastic.contract import Elastic
from dalembert.model.elastic.finite_elements import FlexibleBody
from dalembert.model.geometry import Geometry, HeightField, Mesh, Solid
from dalembert.model.joint import WORLD, Joint
from dalembert.model.machine import Machine
from dalembert.model.meshes import TriangleMesh, load_mesh
from dalembert.model.ropes import RopeBase
from dalembert.model.tree import place
from dalembert.view.parts import (
    BallPart,
    BeamPart,
    CablePart,
    FramePart,
    JointPart,
    LinkPart,
    PulleyPart,
    RailPart,
    SkinPart,
    SolidPart,
)
from dalembert.view.scene import Scene
from dalembert.view.skins import skin_of
from dalembert.view.solids import faces_of

__all__ = ["build_scene"]

ARC = 12  # pieces of the arc of a cable on its pulley
_SLIDES = ("prismatic", "screw", "cylindrical")


def build_scene(machine: Machine, p: Mapping[str, float] | None = None, *, backend: Backend = "vm") -> Scene:
    """Describe the drawing of a machine.

    Parameters
    ----------
    machine
        The machine.
    p
        Parameter values for the dimensions of solids, where they differ from the nominal ones.
    backend
        How the kernel is compiled: the virtual machine is ready at once, native code is faster for long runs.
    """
    if not isinstance(machine, Machine):
        raise InputError(f"a scene needs a Machine, got {type(machine).__name__}")
    return _Builder(machine, p).scene(backend)


@dataclass(frozen=True)
class _Context:
    """Context of constraints and cables (`MachineContext`)."""

    model: TreeModel

    @property
    def machine(self) -> Machine:
        return self.model.machine

    def pose(self, frame: str) -> tuple[ca.SX, ca.SX]:
        R, p = self.model.frame_pose(frame)
        return ca.SX(R), ca.SX(p)

    def coordinate(self, joint: str) -> ca.SX:
        node = next(n for n in self.model.tree.nodes if n.joint.name == joint)
        return self.model.variables.q[node.q]

    def lies_on(self, obstacle: str, otherwise: ca.SX) -> ca.SX:
        return otherwise

    def counted(self, angle: str) -> ca.SX:
        return ca.SX(0.0)

    def value(self, scalar: Scalar) -> ca.SX:
        return ca.SX(self.model.variables.value(scalar))


class _Builder:
    """Collects parts, and the points and poses that they follow, in the coordinates of the tree."""

    def __init__(self, machine: Machine, p: Mapping[str, float] | None) -> None:
        self.machine = machine
        self.model = TreeModel(machine)
        self.x = self.model.variables
        self.values = {q.name: q.value for q in machine.parameters} | dict(p or {})
        self.points: list[Expression] = [ca.SX(3, 1)]
        self.poses: list[Expression] = []
        self.lengths: list[Expression] = []
        self.names: dict[str, int] = {WORLD: 0}
        self.drawn: dict[type, list[Any]] = {}
        self.joint_of = {j.child: j for j in machine.joints}

    def add(self, drawn: object) -> None:
        self.drawn.setdefault(type(drawn), []).append(drawn)

    def point(self, expression: Expression) -> int:
        self.points.append(expression)
        return len(self.points) - 1

    def pose(self, R: Expression, p: Expression) -> int:
        self.poses.append(ca.horzcat(R, p))
        return len(self.poses) - 1

    def number(self, x: Scalar) -> float:
        return float(evaluate(x, self.values))

    def number_of(self, x: Expression) -> float:
        """Value of an expression of the parameters."""
        p = ca.DM([self.values[q.name] for q in self.machine.parameters])
        return float(ca.DM(ca.evalf(ca.substitute(x, self.x.p, p))))

    def vector(self, v: Iterable[Scalar]) -> Expression:
        return ca.vertcat(*[self.x.value(x) for x in v])

    def at(self, frame: str, position: Iterable[Scalar] = (0.0, 0.0, 0.0)) -> Expression:
        """World position of a point of a frame."""
        R, p = self.model.frame_pose(frame)
        return p + R @ self.vector(position)

    def scene(self, backend: Backend) -> Scene:
        for joint in self.machine.joints:
            self.joint(joint)
        for body in self.machine.bodies:
            if isinstance(body, Elastic):
                self.elastic(body)
            else:
                self.body(body)
        for frame in self.machine.frames:
            self.names[frame.name] = self.point(self.at(frame.name))
            self.add(FramePart(frame.name, self.pose(*self.model.frame_pose(frame.name))))
        for rope in self.machine.all_ropes:
            self.rope(rope)
        for constraint in self.machine.constraints:
            for start, end in constraint.rods(_Context(self.model)):
                self.add(LinkPart(constraint.name, "rod", (self.point(start), self.point(end))))
        lists = {
            "solids": SolidPart,
            "links": LinkPart,
            "beams": BeamPart,
            "skins": SkinPart,
            "cables": CablePart,
            "pulleys": PulleyPart,
            "balls": BallPart,
            "joints": JointPart,
            "rails": RailPart,
            "frames": FramePart,
        }
        drawn: dict[str, Any] = {name: tuple(self.drawn.get(kind, ())) for name, kind in lists.items()}
        return Scene(self.machine, self.kernel(backend), points=self.names, **drawn)

    def kernel(self, backend: Backend) -> Kernel:
        """The kernel on the machine's own coordinates: joints that follow others filled in."""
        x, machine = self.x, self.machine
        rows = {
            "points": ca.horzcat(*self.points).T,
            "poses": ca.vertcat(*[ca.reshape(pose.T, 1, 12) for pose in self.poses]) if self.poses else ca.SX(0, 12),
            "lengths": ca.vertcat(*self.lengths) if self.lengths else ca.SX(0, 2),
        }
        inner = ca.Function("inner", [x.q, x.t, x.p], [ca.densify(e) for e in rows.values()])
        q = ca.SX.sym("q", machine.nq)
        inputs = [q, x.t, *([x.p] if machine.parameters else [])]
        outputs = [ca.cse(ca.SX(e)) for e in inner.call([tree_coordinates(machine, q, x.value), x.t, x.p])]
        names = ["q", "t", "p"][: len(inputs)]
        function = ca.Function("scene", inputs, outputs, names, list(rows))
        shapes = {name: (int(e.shape[0]), int(e.shape[1])) for name, e in zip(rows, outputs, strict=True)}
        return compile_function(function, backend=backend, shapes={**shapes, "t": ()})

    def joint(self, joint: Joint) -> None:
        child = self.machine.body(joint.child)
        seat = self.at(joint.parent, joint.origin.translation)
        self.names.setdefault(joint.name, self.point(self.at(joint.child)))
        if joint.kind == "prismatic" and self._is_carriage(joint):
            R, p = self.model.frame_pose(joint.parent)
            R0, p0 = place(joint.origin, self.x.value)
            limits = joint.limits
            axis = tuple(self.number(a) for a in joint.axis)
            index = self.machine.q_names.index(joint.name)
            pose = self.pose(R @ R0, p + R @ p0)
            self.add(RailPart(joint.name, pose, axis, index, limits.lower, limits.upper))  # type: ignore[arg-type]
        elif joint.kind in _SLIDES and joint.parent != WORLD and self._is_drawn(joint.child):
            self.add(LinkPart(joint.name, "slide", (self.point(seat), self.point(self.at(joint.child)))))
        if joint.kind not in ("fixed", "free", "planar", "prismatic") and self._is_drawn(child.name):
            self.add(JointPart(joint.name, joint.kind, self.names[joint.name], joint.parent == WORLD))

    def _is_carriage(self, joint: Joint) -> bool:
        """Whether a prismatic joint moves an existing body, on the world or on other such bodies."""
        body = self.machine.body(joint.child)
        there = isinstance(body, Body) and (bool(body.geometry) or self.number(body.mass) > 0)
        if not there or joint.name not in self.machine.q_names:
            return False
        if joint.parent == WORLD:
            return True
        above = self.joint_of.get(joint.parent)
        return above is not None and above.kind == "prismatic" and self._is_carriage(above)

    def _is_drawn(self, name: str) -> bool:
        """Whether there is something to see of a body or of the bodies that it carries."""
        body = self.machine.body(name)
        if isinstance(body, Elastic) or body.geometry or self.number(body.mass) > 0:
            return True
        return any(self._is_drawn(j.child) for j in self.machine.joints if j.parent == name)

    def body(self, body: Body) -> None:
        R, p = self.model.frame_pose(body.name)
        centre = self.point(p + R @ self.vector(body.com))
        self.names[body.name] = centre
        solids = self.solids(body)
        for shape, solid, mesh in solids:
            R0, p0 = place(shape.origin, self.x.value)
            self.add(SolidPart(body.name, solid, mesh, shape.colour, self.pose(R @ R0, p + R @ p0)))
        carried = [
            j.origin.translation
            for j in self.machine.joints
            if j.parent == body.name and j.kind not in ("free", "planar") and self._is_drawn(j.child)
        ]
        carried += [f.origin.translation for f in self.machine.frames if f.body == body.name]
        for cable in self.machine.cables:
            carried += [cable.anchor_at] if cable.anchor == body.name else []
            carried += [cable.exit_at] if cable.exit == body.name else []
        for rope in self.machine.ropes:
            carried += [element.at for element in rope.path if body.name in element.frames]
        root = np.zeros(3)
        extent = _extent(solids, self.number)
        meshed = any(mesh is not None for _, _, mesh in solids)  # such robots have many invisible frames
        ends = [(np.array([self.number(x) for x in v]), v) for v in carried]
        for end, at in ends:
            inside = extent is not None and bool(np.all(np.abs(end - extent[0]) <= extent[1]))
            if not inside and not meshed and np.any(end != root):
                self.add(LinkPart(body.name, "link", (self.point(p), self.point(p + R @ self.vector(at)))))
        mass = self.number(body.mass)
        if not solids and mass > 0:
            self.add(BallPart(body.name, centre, mass))
            com = np.array([self.number(x) for x in body.com])
            if not any(_lies_on(com, end) for end, _ in ends) and np.any(com != root):
                self.add(LinkPart(body.name, "link", (self.point(p), centre)))

    def solids(self, body: Body) -> list[tuple[Geometry, Solid, TriangleMesh | None]]:
        """Drawing of a body: its visual geometry, or its collision geometry if there is none."""
        seen = [g for g in body.geometry if g.visual]
        for chosen, last in ((seen, False), ([g for g in body.geometry if g.collision], True)):
            if not chosen:
                continue
            try:
                return [self.solid(g) for g in chosen]
            except FileFormatError as error:
                if last or not any(g.collision and not g.visual for g in body.geometry):
                    warn(f"body '{body.name}' is drawn without its mesh: {error}")
                    return [self.solid(g) for g in chosen if not isinstance(g.solid, Mesh)]
        return []

    def solid(self, shape: Geometry) -> tuple[Geometry, Solid, TriangleMesh | None]:
        numbers: dict[str, Any] = {}
        if isinstance(shape.solid, HeightField):
            return shape, shape.solid, None
        for field in fields(shape.solid):
            value = getattr(shape.solid, field.name)
            if isinstance(value, tuple):
                numbers[field.name] = tuple(self.number(x) for x in value)
            elif not isinstance(value, str):
                numbers[field.name] = self.number(value)
        mesh = None
        if isinstance(shape.solid, Mesh):
            read = load_mesh(shape.solid.file)
            mesh = replace(read, vertices=read.vertices * np.array(numbers["scale"]))
        return shape, replace(shape.solid, **numbers), mesh

    def elastic(self, body: Elastic) -> None:
        nodes = self.model.tree.nodes
        index = next(
            i for i, n in enumerate(nodes) if n.is_root and n.elastic is not None and n.elastic.name == body.name
        )
        R, p = self.model.world_poses[index]
        delta = self.x.q[nodes[index].modal_q] if body.n_modes else ca.SX(0, 1)
        lines, radius = body.outline(delta, self.x.value)
        for line in lines:
            self.add(BeamPart(body.name, tuple(self.point(p + R @ x) for x in line), radius))
        if isinstance(body, FlexibleBody) and set(body.q_names) <= set(self.machine.q_names):
            self.skin(body, R, p)
        self.names[body.name] = self.drawn[BeamPart][-len(lines)].points[0]
        for section in body.section_names:
            self.names[f"{body.name}.{section}"] = self.point(self.at(f"{body.name}.{section}"))

    def skin(self, body: FlexibleBody, R: Expression, p: Expression) -> None:
        """The surface of a body from finite elements, if it has one."""
        skin = skin_of(body, len(self.poses), tuple(map(self.machine.q_names.index, body.q_names)))
        if skin is not None:
            self.pose(R, p)
            self.add(skin)

    def rope(self, rope: RopeBase) -> None:
        route = rope.route(_Context(self.model))
        points, lines = route.points(ARC)
        for arc in route.rims:
            pose = self.pose(ca.horzcat(arc.start, arc.axis, ca.cross(arc.start, arc.axis)), arc.centre)
            self.add(PulleyPart(rope.name, pose, self.number_of(arc.radius)))
        natural = ca.SX(0) if rope.length is None else ca.SX(self.x.value(rope.length))
        paid_out = natural + sum((section.payout for section in route.sections), ca.SX(0))
        self.lengths.append(ca.horzcat(route.length, paid_out))
        indices = tuple(self.point(e) for e in points)
        grounded = isinstance(rope, Cable) and self.machine.tree.frames[rope.exit][0] < 0
        names = rope.tension_names if len(rope.tension_names) == len(lines) else rope.tension_names[:1]
        row, tensions = len(self.lengths) - 1, tuple(f"tension.{name}" for name in names)
        drawn = rope.bilateral or bool(route.sag)  # as it is: nothing hangs down besides
        self.add(CablePart(rope.name, row, indices, drawn, grounded, tuple(lines), tensions))


def _extent(
    solids: list[tuple[Geometry, Solid, TriangleMesh | None]], number: Callable[[Scalar], float]
) -> tuple[Array, Array] | None:
    """Centre and half sides of a box in the body frame about its solids, a little larger than they are."""
    corners = []
    for shape, solid, mesh in solids:
        vertices, _ = faces_of(solid, mesh)
        R = np.array([[number(x) for x in row] for row in shape.origin.rotation])
        corners.append(vertices @ R.T + np.array([number(x) for x in shape.origin.translation]))
    if not corners:
        return None
    X = np.concatenate(corners)
    low, high = X.min(axis=0), X.max(axis=0)
    return (low + high) / 2, (high - low) / 2 + 0.05 * float((high - low).max())


def _lies_on(point: Array, end: Array) -> bool:
    """Whether a point lies on the line from the origin to ``end``, to a fiftieth of its length."""
    length = float(np.linalg.norm(end))
    if length == 0.0:
        return bool(np.all(point == 0.0))
    s = min(max(float(point @ end) / length**2, 0.0), 1.0)
    return float(np.linalg.norm(point - s * end)) <= 0.02 * length
