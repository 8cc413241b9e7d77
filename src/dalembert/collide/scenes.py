"""The colliders of a machine as a scene of free rigid bodies in their principal frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dalembert.collide.placed import placed_planes, placed_shapes, shape_table
from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, depends_on_time
from dalembert.core.types import Array
from dalembert.engine.collide.native import SceneTable, account_names
from dalembert.model.body import Body
from dalembert.model.machine import Machine
from dalembert.model.transform import Transform
from dalembert.model.tree import Node, merged_inertia
from dalembert.spatial import quaternion_from_matrix
from dalembert.spatial.rotations import numpy

__all__ = ["BodyScene", "is_scene", "scene_of"]

Number = Callable[[Scalar], float]

_CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])

_OTHER = (
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

    @property
    def account(self) -> tuple[str, ...]:
        """Names of the states behind coordinates and velocities."""
        return account_names(self.table.shapes.yields)

    @cached_property
    def _turns(self) -> Array:
        """Quaternions of the principal axes in the frames of the bodies."""
        return np.array([quaternion_from_matrix(axes) for axes in self.principal]).reshape(-1, 4)

    def to_native(self, q: Array, v: Array) -> Array:
        """Return (q, v) of the principal frames, with velocities in axes of the world and rates in principal axes."""
        n = len(self.names)
        q, v = q.reshape(n, 7), v.reshape(n, 6)
        R = _rotations(q[:, 3:])
        turned = np.vstack([_times(q[i : i + 1, 3:], turn) for i, turn in enumerate(self._turns)])
        places = np.hstack([q[:, :3] + np.einsum("nij,nj->ni", R, self.com), turned])
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
            places[:, i, 3:] = _times(q[:, i, 3:], self._turns[i] * _CONJUGATE)
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
    """Return the scene of a machine with colliders that `is_scene`; ``number`` evaluates its scalars."""
    label = f"machine '{machine.name}'"
    nodes = machine.tree.nodes
    frames = [_principal(node, number, label) for node in nodes]
    placed = [(i, body, pose) for i, node in enumerate(nodes) for body, pose in node.bodies]
    moving = {body.name for _, body, _ in placed}
    still = [b for b in machine.bodies if isinstance(b, Body) and b.name not in moving]
    placed += [(-1, body, machine.tree.frames[body.name][1]) for body in still]
    shapes = [
        shape.seen_from(frames[shape.body].axes, frames[shape.body].com) if shape.body >= 0 else shape
        for shape in placed_shapes(machine, placed, number)
    ] + placed_planes(machine, number)
    table = SceneTable(
        mass=np.array([f.mass for f in frames]),
        inertia=np.array([f.moments for f in frames]),
        gravity=np.array([number(g) for g in machine.gravity]),
        shapes=shape_table(shapes, number),
    )
    names = tuple(node.joint.child for node in nodes)
    com, axes = np.array([f.com for f in frames]), np.array([f.axes for f in frames])
    return BodyScene(machine, names, com, axes, tuple(s.owner for s in shapes), table)


def is_scene(machine: Machine) -> bool:
    """Whether a machine has free and fixed rigid bodies alone, free joints at the origin and steady belts."""
    if any(getattr(machine, what) for what in _OTHER) or not all(isinstance(b, Body) for b in machine.bodies):
        return False
    if any(depends_on_time(x) for c in machine.colliders for x in c.belt):
        return False
    return all(n.joint.kind == "free" and n.parent < 0 and n.placement == Transform() for n in machine.tree.nodes)


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
