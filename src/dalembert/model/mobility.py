"""Machines whose mass matrix is singular wherever they are: some motion of their joints moves no inertia.

A body without mass between two joints is harmless if the joints move what follows in different ways, as in a universal
joint, and fatal if they do not, as two hinges on one axis. The elimination of the joints from the tips to the root
(articulated inertias, SPACE A.34) tells them apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.core.validation import Matrix, Vector
from dalembert.model.joint import Joint
from dalembert.model.tree import Node, nominal_inertia
from dalembert.spatial.rotations import numpy

if TYPE_CHECKING:
    from dalembert.model.machine import Machine

__all__ = ["joint_without_inertia", "random_coordinates"]


# What the joints outboard leave of the inertia about a joint, as part of what it would be if they were locked. A chain
# of 200 light links with a heavy load keeps 1e-10; where nothing is left, rounding leaves 1e-16.
_NOTHING = 1e-14


def joint_without_inertia(machine: Machine) -> Joint | None:
    """Return a joint whose motion the joints outboard can undo without moving any inertia, or None.

    It must be so in two random configurations. For machines of rigid bodies without couplings and constraints.
    """
    rng = np.random.default_rng(0)
    found = None
    for _ in range(2):
        found = _idle_joint(machine, rng)
        if found is None:
            return None
    return found


def random_coordinates(joint: Joint, rng: np.random.Generator) -> Array:
    """Coordinates of a joint that are nowhere special."""
    if not joint.info.nv:
        return np.zeros(0)
    return np.atleast_1d(numpy(joint.info.integrate(ca.DM(joint.info.neutral), ca.DM(rng.normal(size=joint.info.nv)))))


def _idle_joint(machine: Machine, rng: np.random.Generator) -> Joint | None:
    nodes = machine.tree.nodes
    rigid = [_inertia(node) for node in nodes]
    articulated, composite = [I.copy() for I in rigid], [I.copy() for I in rigid]
    rotors = dict.fromkeys((node.joint.name for node in nodes), 0.0)
    for motor in machine.motors:
        rotors[motor.joint] += nominal(motor.ratio) ** 2 * nominal(motor.rotor_inertia)
    for i in range(len(nodes) - 1, -1, -1):
        node = nodes[i]
        S, R, p = _motion(node.joint, rng)
        rotor = rotors[node.joint.name] * np.eye(S.shape[1])
        own, left, whole = (S.T @ I @ S + rotor for I in (rigid[i], articulated[i], composite[i]))
        if _least(own, np.trace(own) * np.eye(len(own))) < _NOTHING and _least(left, whole) < _NOTHING:
            return node.joint
        if node.parent >= 0:
            B = articulated[i] @ S
            X = _to_parent(node, R, p)
            articulated[node.parent] += X.T @ (articulated[i] - B @ np.linalg.solve(left, B.T)) @ X
            composite[node.parent] += X.T @ composite[i] @ X
    return None


def _least(left: Array, whole: Array) -> float:
    """Smallest part of ``whole`` that ``left`` is, over all directions."""
    values, vectors = np.linalg.eigh(whole)
    if not values[0] > 0.0:
        return 0.0
    root = vectors / np.sqrt(values)
    return float(np.linalg.eigvalsh(root.T @ left @ root)[0])


def _inertia(node: Node) -> Array:
    """Mass matrix (6 x 6) of a node's bodies at its frame, for twists [v; w]."""
    mass, moment, inertia = nominal_inertia(node)
    C = _cross(moment)
    return np.block([[mass * np.eye(3), -C], [C, inertia]])


def _motion(joint: Joint, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Twists that a joint admits (6 x nv), and rotation and displacement of its moving frame, somewhere."""
    R, p, S = joint.mechanism().posed(random_coordinates(joint, rng))
    return S, R, p


def _to_parent(node: Node, R: Array, p: Array) -> Array:
    """Matrix that takes the twist of the parent to that of the node where the joint stands still."""
    placed = _numbers(node.placement.rotation)
    position = _numbers(node.placement.translation) + placed @ p
    Rt = (placed @ R).T
    return np.block([[Rt, -Rt @ _cross(position)], [np.zeros((3, 3)), Rt]])


def _numbers(scalars: Vector | Matrix) -> Array:
    return np.array([_numbers(x) if isinstance(x, tuple) else nominal(x) for x in scalars])


def _cross(x: Array) -> Array:
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])
