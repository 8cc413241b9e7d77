"""Machines whose mass matrix is singular wherever they are: some motion of their joints moves no inertia.

A body without mass between two joints is harmless if the joints move the bodies outboard in different ways, as in a
universal joint, and fatal if they do not, as two hinges on one axis. The elimination of the joints from the tips to the
root (articulated inertias, SPACE A.34) tells them apart.

With beams the same elimination is made on the whole mass matrix, the beams straight: a beam without rotary inertia has
none about its axis, and given shapes may be dependent, or cancel the motion of a joint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from dalembert.core.parameter import nominal
from dalembert.core.types import Array
from dalembert.core.validation import Matrix, Vector
from dalembert.model.elastic.contract import Elastic
from dalembert.model.joint import Joint
from dalembert.model.parts import Motor
from dalembert.model.tree import Node, nominal_inertia
from dalembert.spatial.rotations import numpy

if TYPE_CHECKING:
    from dalembert.model.machine import Machine

__all__ = ["carried_rotors", "joint_without_inertia", "motion_without_inertia", "random_coordinates", "rotor_inertias"]


# Smallest inertia about a joint with the joints outboard free, relative to that with these joints locked. A chain
# of 200 light links with a heavy load keeps 1e-10; where nothing is left, rounding leaves 1e-16.
_NOTHING = 1e-14
# The same in the mass matrix of a machine with beams, whose rounding grows with its size.
_NOTHING_BENT = 1e-13


def joint_without_inertia(machine: Machine) -> Joint | None:
    """Return a joint whose motion the joints outboard can undo without moving any inertia, or None.

    It must be so in two random configurations. For machines of rigid bodies without couplings and constraints.
    """
    rng = np.random.default_rng(0)
    idle_joint = None
    for _ in range(2):
        idle_joint = _idle_joint(machine, rng)
        if idle_joint is None:
            return None
    return idle_joint


def random_coordinates(joint: Joint, rng: np.random.Generator) -> Array:
    """Coordinates of a joint that are nowhere special."""
    if not joint.info.nv:
        return np.zeros(0)
    neutral: Any = ca.DM(joint.info.neutral)  # the formulas are those of symbols
    shift: Any = ca.DM(rng.normal(size=joint.info.nv))
    return np.atleast_1d(numpy(joint.info.integrate(neutral, shift)))


def motion_without_inertia(machine: Machine) -> Joint | Elastic | None:
    """Return a joint (or a beam, for its modes) whose motion the others can undo without moving any inertia, or None.

    For machines with beams and without constraints.
    """
    rng = np.random.default_rng(0)
    idle = None
    for _ in range(2):
        idle = _idle_motion(machine, rng)
        if idle is None:
            return None
    return idle


def _idle_motion(machine: Machine, rng: np.random.Generator) -> Joint | Elastic | None:
    M, scale = _straight_mass_matrix(machine, rng)
    nodes = machine.tree.nodes
    owner = [x for node in nodes for x in [node.joint] * len(node.joint.v_names) + _modal_owner(node)]
    first = {node.joint.name: node.v.start for node in nodes}
    for c in machine.couplings:
        i, j, ratio = first[c.joint], first[c.leader], nominal(c.ratio)
        scale[j] += ratio**2 * scale[i]
        M[j] += ratio * M[i]
        M[:, j] += ratio * M[:, i]
    free = np.setdiff1d(np.arange(len(M)), [first[c.joint] for c in machine.couplings])
    M, scale = M[np.ix_(free, free)], scale[free]
    for k in range(len(M) - 1, -1, -1):
        if not M[k, k] > _NOTHING_BENT * scale[k]:
            return owner[free[k]]
        M[:k, :k] -= np.outer(M[:k, k], M[:k, k]) / M[k, k]
    return None


def _modal_owner(node: Node) -> list[Joint | Elastic]:
    return [node.elastic] * node.elastic.n_modes if node.is_root and node.elastic else []


def _straight_mass_matrix(machine: Machine, rng: np.random.Generator) -> tuple[Array, Array]:
    """Mass matrix of the tree with straight beams and random joints; and the size that its diagonal could have."""
    nodes, nv = machine.tree.nodes, machine.tree.nv
    inertias = [
        _inertia(node) + (_elastic_inertia(node.elastic) if node.is_root and node.elastic else 0.0) for node in nodes
    ]
    M, J, links = np.zeros((nv, nv)), np.zeros((len(nodes), 6, nv)), []
    motors, carried = _motors_of_joints(machine), carried_rotors(machine)
    for i, node in enumerate(nodes):
        if node.elastic is not None and node.station is not None:
            R, p = node.elastic.section_pose(node.station)
            turn = np.kron(np.eye(2), R.T)
            X, S = turn @ _shift(p), np.zeros((6, 0))
            J[i][:, node.modal_v] = turn @ node.elastic.section_modes(node.station)
        else:
            S, R, p = _motion(node.joint, rng)
            X = _to_parent(node, R, p)
            J[i][:, node.v] = S
        if node.parent >= 0:
            J[i] += X @ J[node.parent]
        M += J[i].T @ inertias[i] @ J[i]
        if node.is_root and node.elastic is not None:
            modal, parts = node.modal_v, node.elastic.undeformed()
            coupling = parts.coupling.T @ J[i]
            M[modal] += coupling
            M[:, modal] += coupling.T
            M[modal, modal] += parts.modal
        links.append((X, S))
    for i, node in enumerate(nodes):
        M[node.v, node.v] += nominal(node.joint.armature) * np.eye(node.joint.info.nv)
        for motor in motors.get(node.joint.name, ()):
            n, I_m = nominal(motor.ratio), nominal(motor.rotor_inertia)
            G = np.zeros(nv)
            if motor.name in carried:
                G = node.joint.mechanism().axis @ J[i][3:]
            G[node.v] = n
            M += I_m * np.outer(G, G)
    # Whatever turns has at most the largest moment of all that is outboard, whatever shifts all of its mass.
    scale = np.diag(M).copy()
    for i in range(len(nodes) - 1, -1, -1):
        (X, S), node, whole = links[i], nodes[i], inertias[i]
        size = np.array([whole[0, 0]] * 3 + [np.trace(whole[3:, 3:])] * 3)
        scale[node.v] = np.maximum(scale[node.v], size @ S**2)
        if node.parent >= 0:
            inertias[node.parent] = inertias[node.parent] + X.T @ whole @ X
    return M, scale


def rotor_inertias(machine: Machine) -> dict[str, float]:
    """Inertia that moves with each velocity of a joint alone: its armature and ``n^2 I_m`` of its motors."""
    rotors = {joint.name: nominal(joint.armature) for joint in machine.joints}
    for motor in machine.motors:
        rotors[motor.joint] += nominal(motor.ratio) ** 2 * nominal(motor.rotor_inertia)
    return rotors


def _motors_of_joints(machine: Machine) -> dict[str, list[Motor]]:
    motors: dict[str, list[Motor]] = {}
    for motor in machine.motors:
        motors.setdefault(motor.joint, []).append(motor)
    return motors


def carried_rotors(machine: Machine) -> dict[str, int]:
    """Nodes of the joints that motors with rotors turn on a moving parent, by the name of the motor."""
    nodes = {n.joint.name: i for i, n in enumerate(machine.tree.nodes) if n.parent >= 0 and n.joint.info.angles}
    return {m.name: nodes[m.joint] for m in machine.motors if m.joint in nodes and m.rotor_inertia != 0.0}


def _elastic_inertia(body: Elastic) -> Array:
    """Mass matrix (6 x 6) of an undeformed flexible body at its root."""
    parts = body.undeformed()
    C = _cross(parts.first)
    return np.block([[parts.mass * np.eye(3), -C], [C, parts.inertia]])


def _shift(p: Array) -> Array:
    """Matrix that takes a twist to that of a point at ``p``."""
    return np.block([[np.eye(3), -_cross(p)], [np.zeros((3, 3)), np.eye(3)]])


def _idle_joint(machine: Machine, rng: np.random.Generator) -> Joint | None:
    nodes = machine.tree.nodes
    rigid = [_inertia(node) for node in nodes]
    articulated, composite = [I.copy() for I in rigid], [I.copy() for I in rigid]
    rotors, motors, carried = rotor_inertias(machine), _motors_of_joints(machine), carried_rotors(machine)
    for i in range(len(nodes) - 1, -1, -1):
        node = nodes[i]
        S, R, p = _motion(node.joint, rng)
        rotor = rotors.get(node.joint.name, 0.0) * np.eye(S.shape[1])
        alone, left, whole = (S.T @ I @ S + rotor for I in (rigid[i], articulated[i], composite[i]))
        if _least(alone, np.trace(alone) * np.eye(len(alone))) < _NOTHING and _least(left, whole) < _NOTHING:
            return node.joint
        if node.parent >= 0:
            B = articulated[i] @ S
            X = _to_parent(node, R, p)
            for motor in motors.get(node.joint.name, ()):
                if motor.name in carried:
                    # It turns with the parent, and n times as fast as the joint; its axis is the joint's in both.
                    e, n, I_m = node.joint.mechanism().axis, nominal(motor.ratio), nominal(motor.rotor_inertia)
                    B[3:, 0] += n * I_m * e
                    for inertia in (articulated, composite):
                        inertia[i][3:, 3:] += I_m * np.outer(e, e)
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
