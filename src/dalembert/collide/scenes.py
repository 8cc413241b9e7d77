"""The colliders of a machine as a scene of free rigid bodies: principal frames, shapes, filters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalembert.collide.shapes import CollisionShape, shape_of
from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar
from dalembert.core.types import Array
from dalembert.engine.collide.native import SceneTable, ShapeKind
from dalembert.model.body import Body
from dalembert.model.colliders import Collider
from dalembert.model.machine import Machine
from dalembert.model.transform import Transform
from dalembert.model.tree import Node, merged_inertia
from dalembert.spatial import quaternion_from_matrix
from dalembert.spatial.rotations import numpy

__all__ = ["BodyScene", "scene_of"]

Number = Callable[[Scalar], float]

_ROOM = 16
"""Contacts of each shape, on average, for which there is room."""

_REFUSED = (
    "couplings", "constraints", "cables", "ropes", "contacts", "motors", "thrusters", "wrenches", "fields", "signals",
    "sensors",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class BodyScene:
    """Bodies that move, in the order of their joints, with their principal frames, and the table of all shapes.

    Parameters
    ----------
    machine
        The machine.
    names
        Bodies that move: the children of the free joints.
    com, principal
        Centre of mass (n x 3) and principal axes as columns (n x 3 x 3) in the frames of the bodies.
    owners
        Body or collider of each shape, for messages.
    table
        The bodies and shapes in numbers.
    """

    machine: Machine
    names: tuple[str, ...]
    com: Array
    principal: Array
    owners: tuple[str, ...]
    table: SceneTable

    def to_native(self, q: Array, v: Array) -> Array:
        """Return (q, v) of the principal frames, with velocities in axes of the world and rates in principal axes."""
        n = len(self.names)
        q, v = q.reshape(n, 7), v.reshape(n, 6)
        R = _rotations(q[:, 3:])
        turned = [quaternion_from_matrix(x) for x in R @ self.principal]
        places = np.hstack([q[:, :3] + np.einsum("nij,nj->ni", R, self.com), np.array(turned)])
        linear = np.einsum("nij,nj->ni", R, v[:, :3] + np.cross(v[:, 3:], self.com))
        angular = np.einsum("nji,nj->ni", self.principal, v[:, 3:])
        return np.concatenate([places.ravel(), np.hstack([linear, angular]).ravel()])

    def from_native(self, x: Array) -> Array:
        """Return rows of (q, v) in the coordinates of the machine, from rows of states (rows x more)."""
        n = len(self.names)
        q, v = x[:, : 7 * n].reshape(-1, n, 7), x[:, 7 * n : 13 * n].reshape(-1, n, 6)
        places, rates = np.empty(q.shape), np.empty(v.shape)
        for i in range(n):
            R = _rotations(q[:, i, 3:]) @ self.principal[i].T
            places[:, i, :3] = q[:, i, :3] - R @ self.com[i]
            places[:, i, 3:] = _times(q[:, i, 3:], quaternion_from_matrix(self.principal[i].T))
            rates[:, i, 3:] = v[:, i, 3:] @ self.principal[i].T
            rates[:, i, :3] = np.einsum("rji,rj->ri", R, v[:, i, :3]) - np.cross(rates[:, i, 3:], self.com[i])
        return np.hstack([places.reshape(len(x), -1), rates.reshape(len(x), -1)])

    def energies(self, x: Array) -> tuple[Array, Array]:
        """Kinetic and potential energy of rows of states."""
        n, table = len(self.names), self.table
        q, v = x[:, : 7 * n].reshape(-1, n, 7), x[:, 7 * n : 13 * n].reshape(-1, n, 6)
        linear, angular = np.sum(v[..., :3] ** 2, axis=-1), np.sum(v[..., 3:] ** 2 * table.inertia, axis=-1)
        return 0.5 * (linear @ table.mass + np.sum(angular, axis=-1)), -(q[..., :3] @ table.gravity) @ table.mass


def scene_of(machine: Machine, number: Number) -> BodyScene:
    """Return the scene of a machine with colliders; ``number`` evaluates its scalars.

    Raises
    ------
    MachineError
        If it has parts other than free and fixed rigid bodies; they are named.
    """
    label = f"machine '{machine.name}'"
    _refuse(machine, label)
    nodes = machine.tree.nodes
    frames = [_principal(node, number, label) for node in nodes]
    placed = [(i, body, pose) for i, node in enumerate(nodes) for body, pose in node.bodies]
    moving = {body.name for _, body, _ in placed}
    for body in machine.bodies:
        if isinstance(body, Body) and body.name not in moving:
            placed.append((-1, body, machine.tree.frames[body.name][1]))
    groups = _groups(machine)
    shapes = []
    for i, body, pose in placed:
        if body.name not in groups:
            continue
        for g in (g for g in body.geometry if g.collision):
            R, p = _pose(pose, number)
            inner = _pose(g.origin, number)
            shape = shape_of(g.solid, number, f"body '{body.name}' of {label}")
            p, R = p + R @ inner[1], R @ inner[0]
            p = p + R @ shape.centre
            if i >= 0:
                p, R = frames[i].axes.T @ (p - frames[i].com), frames[i].axes.T @ R
            shapes.append(_Placed(i, body.name, groups[body.name], shape, np.concatenate([p, R.ravel()])))
    for collider in machine.colliders:
        if collider.surface is not None:
            n = np.array([float(x) for x in collider.surface.normal])
            p = np.array([number(x) for x in collider.surface.point])
            plane = CollisionShape(ShapeKind.HALF_SPACE, np.zeros(3), np.inf, np.inf)
            shapes.append(_Placed(-1, collider.name, collider, plane, np.concatenate([p, _turned_to(n).ravel()])))
    m = len(shapes)
    table = SceneTable(
        mass=np.array([f.mass for f in frames]),
        inertia=np.array([f.moments for f in frames]),
        gravity=np.array([number(g) for g in machine.gravity]),
        kinds=np.array([int(s.shape.kind) for s in shapes], dtype=np.int64),
        bodies=np.array([s.body for s in shapes], dtype=np.int64),
        sizes=np.array([s.shape.size for s in shapes]).reshape(-1, 3),
        places=np.array([s.place for s in shapes]).reshape(-1, 12),
        reach=np.array([s.shape.reach for s in shapes]),
        inner=np.array([s.shape.inner for s in shapes]),
        friction=np.array([number(s.collider.friction) for s in shapes]),
        restitution=np.array([number(s.collider.restitution) for s in shapes]),
        excluded=_excluded(shapes),
        contacts=64 + _ROOM * m,
        hulls={k: s.shape.hull for k, s in enumerate(shapes) if s.shape.hull is not None},
    )
    names = tuple(node.joint.child for node in nodes)
    com, axes = np.array([f.com for f in frames]), np.array([f.axes for f in frames])
    return BodyScene(machine, names, com, axes, tuple(s.owner for s in shapes), table)


@dataclass(frozen=True, eq=False)
class _Placed:
    """A shape in the principal frame of a body, or in the world (-1)."""

    body: int
    owner: str
    collider: Collider
    shape: CollisionShape
    place: Array


def _refuse(machine: Machine, label: str) -> None:
    advice = "colliders support free and fixed rigid bodies; declare contacts (Contact) in their place"
    for what in _REFUSED:
        if getattr(machine, what):
            raise MachineError(f"{label} has colliders and {what}: {advice}")
    flexible = [b for b in machine.bodies if not isinstance(b, Body)]
    if flexible:
        raise MachineError(f"{flexible[0].kind} '{flexible[0].name}' of {label} is flexible: {advice}")
    for node in machine.tree.nodes:
        joint = node.joint
        if joint.kind != "free" or node.parent >= 0:
            raise MachineError(f"joint '{joint.name}' of {label} is {joint.kind} on '{joint.parent}': {advice}")
        if node.placement != Transform():
            raise MachineError(
                f"joint '{joint.name}' of {label} has an origin or hangs on a body that has one: with colliders, free "
                "joints start at the origin of the world; give the place as q0"
            )


def _groups(machine: Machine) -> dict[str, Collider]:
    """Return the collider of each body with geometry for collision."""
    groups = {name: c for c in machine.colliders for name in c.bodies or ()}
    rest = [c for c in machine.colliders if c.bodies is None and c.surface is None]
    for body in machine.bodies:
        if rest and isinstance(body, Body) and body.name not in groups and any(g.collision for g in body.geometry):
            groups[body.name] = rest[0]
    return groups


def _excluded(shapes: list[_Placed]) -> NDArray[np.int64]:
    """Return the pairs of shapes that ignore each other, by their colliders."""
    m = len(shapes)
    by_name: dict[str, list[int]] = {}
    for k, s in enumerate(shapes):
        by_name.setdefault(s.collider.name, []).append(k)
    pairs = {
        min(i, j) * m + max(i, j)
        for i, s in enumerate(shapes) for name in s.collider.ignores for j in by_name.get(name, ()) if i != j
    }  # fmt: skip
    return np.array(sorted(pairs), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class _Frame:
    mass: float
    com: Array
    moments: Array
    axes: Array


def _principal(node: Node, number: Number, label: str) -> _Frame:
    mass, moment, about = merged_inertia(node, number)
    mass = float(mass)
    if not mass > 0.0:
        raise MachineError(f"body '{node.joint.child}' of {label} must have a mass, got {mass:g} kg")
    c = numpy(moment).ravel() / mass
    inertia = numpy(about) - mass * (c @ c * np.eye(3) - np.outer(c, c))
    moments, axes = np.linalg.eigh(inertia)
    if not moments.min() > 0.0:
        shown = ", ".join(f"{x:g}" for x in moments)
        raise MachineError(
            f"body '{node.joint.child}' of {label} must have an inertia about all axes, got {shown} kg m2"
        )
    if np.allclose(inertia, np.diag(np.diag(inertia)), rtol=0.0, atol=1e-14 * moments.max()):
        moments, axes = np.diag(inertia), np.eye(3)
    elif np.linalg.det(axes) < 0.0:
        axes[:, 0] = -axes[:, 0]
    return _Frame(mass, c, moments, axes)


def _pose(pose: Transform, number: Number) -> tuple[Array, Array]:
    R = np.array([[number(x) for x in row] for row in pose.rotation])
    return R, np.array([number(x) for x in pose.translation])


def _turned_to(n: Array) -> Array:
    """Return a rotation whose z axis is n."""
    helper = np.eye(3)[int(np.argmin(np.abs(n)))]
    x = np.cross(helper, n) / np.linalg.norm(np.cross(helper, n))
    return np.column_stack([x, np.cross(n, x), n])


def _rotations(q: Array) -> Array:
    w, x, y, z = q.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def _times(q: Array, r: Array) -> Array:
    """Products of quaternions in rows with one on their right."""
    (w, x, y, z), (a, b, c, d) = q.T, r
    return np.column_stack([
        w * a - x * b - y * c - z * d, w * b + x * a + y * d - z * c, w * c - x * d + y * a + z * b,
        w * d + x * c - y * b + z * a,
    ])  # fmt: skip
