"""Kinematics and loads of a machine's tree on CasADi symbols: the start of every tree formulation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from dalembert.core.errors import UnknownNameError
from dalembert.core.parameter import nominal
from dalembert.core.types import Expression
from dalembert.formulations.actuation import actuator_efforts, gear_excess
from dalembert.formulations.variables import Variables, entries
from dalembert.model.elastic.contract import APPROXIMATIONS, ElasticBody, ElasticSection
from dalembert.model.joints import JointKind
from dalembert.model.machine import Machine
from dalembert.model.mobility import carried_rotors
from dalembert.model.parts import Motor
from dalembert.model.tree import place
from dalembert.spatial.rotations import rpy_from_matrix, snap

__all__ = ["CarriedRotor", "TreeModel"]


@dataclass(frozen=True, eq=False)
class CarriedRotor:
    """The rotor of a motor whose joint has a moving parent, which carries it; it turns about the axis of the joint.

    Relative to the parent the rotor turns with ``n v``, the child with ``v`` about the same axis ``e``. In the axes of
    the child, in which ``e`` is constant, the rate of the rotor about its axis, its kinetic energy and the rate of its
    angular momentum are therefore

        s = e.w + (n - 1) v,    T = I s^2 / 2,    (I s e)' = I (s' e + s w x e),    s' = e.w' + (n - 1) v'.

    Its mass, and its moments of inertia across the axis, are those of a body that is fixed to the parent.

    Parameters
    ----------
    node
        Index of the node whose joint is driven.
    index
        Velocity ``v`` of the joint.
    axis
        Unit vector ``e`` in the axes of the node.
    excess
        ``n - 1``: how much faster than the child the rotor turns.
    inertia
        Moment of inertia ``I`` of the rotor about its axis.
    """

    node: int
    index: int
    axis: ca.DM
    excess: Expression | float
    inertia: Expression | float

    @property
    def body_inertia(self) -> Expression:
        """Moments of inertia (3 x 3) of the rotor as of a part of the child."""
        return ca.SX(self.inertia * (self.axis @ self.axis.T))

    @property
    def spin(self) -> Expression:
        """Wrench (6) on the child per acceleration of the joint that the faster rotor adds, ``[0; (n - 1) I e]``."""
        return ca.vertcat(ca.SX(3, 1), self.excess * self.inertia * self.axis)


class TreeModel:
    """Symbols, poses and loads of a machine, in the coordinates of its tree (couplings not applied).

    Parameters
    ----------
    machine
        The machine.
    approximation
        Which terms of the elastic motion are kept, see `APPROXIMATIONS`.
    """

    def __init__(self, machine: Machine, approximation: str = "flex") -> None:
        if approximation not in APPROXIMATIONS:
            raise UnknownNameError("model of flexible bodies", approximation, APPROXIMATIONS)
        self.machine = machine
        self.approximation = approximation
        self.tree = machine.tree
        self.variables = Variables.of(machine)
        self.q_names = tuple(s for n in self.tree.nodes for s in n.q_names)
        self.v_names = tuple(s for n in self.tree.nodes for s in n.v_names)

    @cached_property
    def flexible(self) -> dict[int, ElasticBody]:
        """Flexible bodies by the index of their root node."""
        x = self.variables
        return {
            i: n.elastic.elastic_body(entries(x.q, n.modal_q), x.value, self.approximation)
            for i, n in enumerate(self.tree.nodes)
            if n.is_root and n.elastic is not None
        }

    @cached_property
    def sections(self) -> dict[int, ElasticSection]:
        """Motion of the sections of flexible bodies by the index of their node."""
        x = self.variables
        return {
            i: n.elastic.elastic_section(n.station, entries(x.q, n.modal_q), x.value, self.approximation)
            for i, n in enumerate(self.tree.nodes)
            if n.elastic is not None and n.station is not None
        }

    @cached_property
    def joints(self) -> list[JointKind]:
        """Joint of each node."""
        return [n.joint.mechanism(self.variables.value) for n in self.tree.nodes]

    @property
    def gravity_vector(self) -> Expression:
        """Acceleration of gravity in world axes."""
        return ca.vertcat(*[self.variables.value(x) for x in self.machine.gravity])

    @cached_property
    def relative_poses(self) -> list[tuple[Expression, Expression]]:
        """Pose (R, p) of each node's frame in its parent node's frame."""
        poses = []
        for i, node in enumerate(self.tree.nodes):
            if i in self.sections:
                poses.append((self.sections[i].R, self.sections[i].p))
                continue
            R0, p0 = place(node.placement, self.variables.value)
            R, p = self.joints[i].motion(self.variables.q[node.q])
            poses.append((R0 @ R, p0 + R0 @ p))
        return poses

    @cached_property
    def world_poses(self) -> list[tuple[Expression, Expression]]:
        """Pose (R, p) of each node's frame in the world."""
        poses: list[tuple[Expression, Expression]] = []
        for node, (R, p) in zip(self.tree.nodes, self.relative_poses, strict=True):
            if node.parent < 0:
                poses.append((R, p))
            else:
                R_p, p_p = poses[node.parent]
                poses.append((R_p @ R, p_p + R_p @ p))
        return poses

    @cached_property
    def moving_bodies(self) -> list[tuple[Expression | float, Expression, Expression, Expression]]:
        """Mass, position of the centre of mass, rotation and central inertia of each moving rigid body.

        Position and rotation are those in the world, the inertia is in the axes of the body.
        """
        value = self.variables.value
        bodies = []
        for (R, p), node in zip(self.world_poses, self.tree.nodes, strict=True):
            for body, pose in node.bodies:
                R_b, p_b = place(pose, value)
                com = ca.vertcat(*[value(x) for x in body.com])
                I_c = ca.vertcat(*[ca.horzcat(*[value(x) for x in row]) for row in body.inertia])
                bodies.append((value(body.mass), p + R @ (p_b + R_b @ com), R @ R_b, I_c))
        return bodies

    def turns(self, index: int) -> list[tuple[int, Expression | float, Expression | float]] | None:
        """Rotation of a node in its parent as turns (axis, cosine, sine) about coordinate axes, the last one first.

        None where that is no cheaper than the matrix: joints that do not turn about a coordinate axis.
        """
        node = self.tree.nodes[index]
        if index in self.sections:
            return self.sections[index].turns
        joint_turns = self.joints[index].turns(self.variables.q[node.q])
        if joint_turns is None or not node.placement.is_constant:
            return None
        turns: list[tuple[int, Expression | float, Expression | float]] = []
        for axis, angle in reversed(joint_turns):
            if sorted(map(abs, axis)) != [0.0, 0.0, 1.0]:
                return None
            k = int(np.argmax(np.abs(axis)))
            turns.append((k, ca.cos(angle), float(axis[k]) * ca.sin(angle)))
        angles = rpy_from_matrix(np.array([[nominal(x) for x in row] for row in node.placement.rotation]))
        for k, a in enumerate(angles):
            if a != 0.0:
                turns.append((k, snap(float(np.cos(a))), snap(float(np.sin(a)))))
        return turns

    def frame(self, name: str) -> tuple[int, Expression, Expression]:
        """Node of a frame (or body) and its pose (R, p) in the node's frame."""
        if name not in self.tree.frames:
            raise UnknownNameError("frame", name, self.tree.frames, f"machine '{self.machine.name}'")
        node, pose = self.tree.frames[name]
        return node, *place(pose, self.variables.value)

    def frame_pose(self, name: str) -> tuple[Expression, Expression]:
        """Pose (R, p) of a frame in the world."""
        node, R, p = self.frame(name)
        if node < 0:
            return ca.SX(R), ca.SX(p)
        R_w, p_w = self.world_poses[node]
        return R_w @ R, p_w + R_w @ p

    def coordinate_rates(self) -> Expression:
        """Rates of all coordinates, ``B(q) v``."""
        x = self.variables
        rates = []
        for node in self.tree.nodes:
            rates.append(node.joint.info.rate(entries(x.q, node.q), entries(x.v, node.v)))
            if node.is_root:
                rates.append(entries(x.v, node.modal_v))
        return ca.vertcat(*rates)

    def structure(self, momenta: Expression) -> Expression:
        """Block-diagonal skew matrix of the quasi-velocities' structure constants."""
        blocks = []
        for node in self.tree.nodes:
            blocks.append(node.joint.info.structure(entries(momenta, node.v)))
            if node.is_root and node.elastic is not None:
                blocks.append(ca.SX(node.elastic.n_modes, node.elastic.n_modes))
        return ca.diagcat(*blocks)

    @cached_property
    def armature(self) -> Expression:
        """Inertia that each velocity moves besides the bodies: armatures, and ``n^2 I_m`` of motors on the world.

        For rotors that moving nodes carry see `rotors`. The axis about which the rotor of a sliding joint turns is not
        known: it counts as one on the world.

        Its force has no part without accelerations: only joints whose velocities are rates of coordinates, and
        spherical ones, where ``w x (J w) = 0``, have any.
        """
        J = ca.SX(self.tree.nv, 1)
        for node in self.tree.nodes:
            if node.joint.armature != 0.0:
                J[node.v] = self.variables.value(node.joint.armature)
        carried = carried_rotors(self.machine)
        for i, motor in self._driven():
            n, I_m = self.variables.value(motor.ratio), self.variables.value(motor.rotor_inertia)
            if motor.name not in carried and not (isinstance(I_m, float) and I_m == 0.0):
                J[i] = J[i] + n**2 * I_m
        return J

    @cached_property
    def reflected(self) -> Expression:
        """`armature` with ``(n - 1)^2 I_m`` of the rotors that moving nodes carry."""
        J = ca.SX(self.armature)
        for rotor in self.rotors:
            J[rotor.index] = J[rotor.index] + rotor.excess**2 * rotor.inertia
        return J

    @cached_property
    def rotors(self) -> list[CarriedRotor]:
        """Rotors that moving nodes carry."""
        value, nodes = self.variables.value, carried_rotors(self.machine)
        return [
            CarriedRotor(
                nodes[m.name],
                i,
                ca.DM(self.joints[nodes[m.name]].axis),
                value(m.ratio) - 1.0,
                value(m.rotor_inertia),
            )
            for i, m in self._driven()
            if m.name in nodes
        ]

    def rotor_rate(self, rotor: CarriedRotor, w: Expression, v: Expression) -> Expression:
        """Rate ``s`` of a rotor about its axis, from the rate ``w`` of its node and the velocities ``v``."""
        return ca.dot(rotor.axis, w) + rotor.excess * v[rotor.index]

    def _driven(self) -> list[tuple[int, Motor]]:
        index = {n.joint.name: n.v.start for n in self.tree.nodes}
        return [(index[m.joint], m) for m in self.machine.limited_motors if m.joint in index]

    @cached_property
    def spring_energy(self) -> Expression:
        """Potential energy of the joint springs and of the strain of flexible bodies."""
        V = sum((k * d**2 / 2 for _, k, d in self._springs()), ca.SX(0))
        for i, body in self.flexible.items():
            delta = entries(self.variables.q, self.tree.nodes[i].modal_q)
            V = V + ca.dot(delta, body.stiffness @ delta) / 2
        return V

    @cached_property
    def spring_force(self) -> Expression:
        """Gradient of the energy of springs and strain, per velocity."""
        f = ca.SX(self.tree.nv, 1)
        for i, k, d in self._springs():
            f[i] = k * d
        for i, body in self.flexible.items():
            node = self.tree.nodes[i]
            f[node.modal_v] = body.stiffness @ entries(self.variables.q, node.modal_q)
        return f

    def _springs(self) -> list[tuple[int, Expression | float, Expression]]:
        x = self.variables
        return [
            (n.v.start, x.value(n.joint.stiffness), x.q[n.q][0] - x.value(n.joint.rest))
            for n in self.tree.nodes
            if n.joint.stiffness != 0.0
        ]

    @cached_property
    def actuation(self) -> Expression:
        """Generalised forces of the motors, saturated inputs times gear ratio."""
        x = self.variables
        f = ca.SX(self.tree.nv, 1)
        for k, (i, motor) in enumerate(self._driven()):
            f[i] = f[i] + x.value(motor.ratio) * self._efforts[k]
        return f

    @cached_property
    def losses(self) -> Expression:
        """Generalised forces of dampers, motor losses, smooth friction and structural damping."""
        x = self.variables
        f = ca.SX(self.tree.nv, 1)
        for node in self.tree.nodes:
            j = node.joint
            for i in range(node.v.start, node.v.stop):
                if j.damping != 0.0:
                    f[i] = f[i] - x.value(j.damping) * x.v[i]
                friction = self.machine.friction_of(j.name).smooth(x.v[i], x.value)
                if friction is not None:
                    f[i] = f[i] - friction
        for k, body in self.flexible.items():
            modal = self.tree.nodes[k].modal_v
            if body.loses:
                D, rate = body.damping, x.v[modal]
                f[modal] = f[modal] - (D * rate if D.shape[1] == 1 else D @ rate)
        for i, motor in self._driven():
            if motor.damping != 0.0:
                f[i] = f[i] - x.value(motor.ratio) ** 2 * x.value(motor.damping) * x.v[i]
        for k, (i, motor) in enumerate(self._driven()):
            if motor.lossy:
                f[i] = f[i] + gear_excess(motor, self._efforts[k], x.value)
        return f

    @cached_property
    def _efforts(self) -> list[Expression]:
        """Efforts of the motors and thrusters."""
        x, index = self.variables, {n.joint.name: n.v.start for n in self.tree.nodes}
        return actuator_efforts(self.machine, x.u, x.value, lambda joint: x.v[index[joint]])
