"""Poses, rates and loads of a machine in natural coordinates: the counterpart of `TreeModel` for minimal ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Expression
from dalembert.formulations.actuation import actuator_efforts, gear_excess
from dalembert.formulations.natural.body import angular_velocity, rotation
from dalembert.formulations.natural.memory import Memory, continued, remembered
from dalembert.formulations.variables import Variables
from dalembert.model.body import Body
from dalembert.model.joints import JointKind
from dalembert.model.machine import Machine
from dalembert.model.mobility import carried_rotors
from dalembert.model.tree import merged_inertia, place

__all__ = ["NaturalBlock", "NaturalModel"]

_SUFFIXES = tuple(f"{vector}.{axis}" for vector in ("ri", "rj", "vi", "vj") for axis in "xyz")


@dataclass(frozen=True)
class NaturalBlock:
    """Coordinates of one node: twelve natural ones, or the one of a joint that turns or slides alone in the world."""

    node: int
    natural: bool
    q: slice


@dataclass(frozen=True, eq=False)
class Rotor:
    """An inertia ``I`` with the kinetic energy ``I (g v)^2 / 2``.

    Parameters
    ----------
    inertia, row
        ``I`` and ``g``.
    axis
        Axis in the world of a rotor that a moving body carries, whose ``g`` is no gradient; None for others.
    """

    inertia: Expression | float
    row: Expression
    axis: Expression | None = None


class NaturalModel:
    """Symbols, poses and loads of a machine in natural coordinates."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.tree = machine.tree
        self.blocks: list[NaturalBlock] = []
        self.names: list[str] = []
        carriers = {n.parent for n in self.tree.nodes}
        for index, node in enumerate(self.tree.nodes):
            for body, _ in node.bodies:
                if not isinstance(body, Body):
                    raise InputError(f"natural coordinates are for rigid bodies, but '{body.name}' is flexible")
            alone = node.parent < 0 and index not in carriers and node.joint.info.nv == 1
            names = node.joint.q_names if alone else [f"{node.joint.child}.{s}" for s in _SUFFIXES]
            start = len(self.names)
            self.blocks.append(NaturalBlock(index, not alone, slice(start, start + len(names))))
            self.names += names
        self.n = len(self.names)
        self.memories: list[Memory] = []
        for block in self.blocks:
            joint = self.tree.nodes[block.node].joint
            places = remembered(joint.info) if block.natural else ()
            if places:
                start = len(self.names)
                self.memories.append(Memory(block.node, places, slice(start, start + len(places))))
                self.names += [f"turned.{joint.q_names[k]}" for k in places]
        self.variables = Variables.of(machine, len(self.names), self.n)
        self.points = self.variables.q[: self.n]  # the natural coordinates, without the carried ones

    @property
    def gravity_vector(self) -> Expression:
        """Acceleration of gravity in world axes."""
        return ca.vertcat(*[self.variables.value(x) for x in self.machine.gravity])

    @cached_property
    def joints(self) -> list[JointKind]:
        """Joint of each node."""
        return [n.joint.mechanism(self.variables.value) for n in self.tree.nodes]

    @cached_property
    def inertias(self) -> dict[int, tuple[Any, Any, Any]]:
        """Mass, centre of mass and inertia about it of each node, in its frame."""
        result = {}
        for index, node in enumerate(self.tree.nodes):
            m, moment, I_o = merged_inertia(node, self.variables.value)
            massless = isinstance(m, float | int) and m == 0.0
            com = ca.DM.zeros(3) if massless else moment / m
            C = ca.skew(com)
            result[index] = (m, com, I_o + m * (C @ C))
        return result

    def scalar_inertia(self, index: int) -> Expression:
        """Inertia of a joint that turns or slides alone."""
        node = self.tree.nodes[index]
        m, c, I_o = merged_inertia(node, self.variables.value)
        P = self.joints[index].subspace(self.variables.q[self.blocks[index].q])
        v, w = P[:3], P[3:]
        return m * ca.dot(v, v) + 2 * ca.dot(v, ca.cross(w, c)) + w.T @ I_o @ w

    def node_pose(self, index: int) -> tuple[Expression, Expression]:
        """Rotation and position of a node's frame in the world."""
        if index < 0:
            return ca.SX.eye(3), ca.SX(3, 1)
        block, q = self.blocks[index], self.variables.q
        if block.natural:
            return rotation(q[block.q]), q[block.q][:3]
        node = self.tree.nodes[index]
        R_0, p_0 = place(node.placement, self.variables.value)
        R, p = self.joints[index].motion(q[block.q])
        return R_0 @ R, p_0 + R_0 @ p

    def node_rate(self, index: int) -> Expression:
        """Angular velocity of a node in world axes."""
        if index < 0:
            return ca.SX(3, 1)
        block, x = self.blocks[index], self.variables
        if block.natural:
            return angular_velocity(x.q[block.q], x.v[block.q])
        R, _ = self.node_pose(index)
        return R @ self.joints[index].subspace(x.q[block.q])[3:] * x.v[block.q]

    def relative_pose(self, index: int) -> tuple[Expression, Expression]:
        """Pose of a node's frame in the fixed frame of its joint."""
        node = self.tree.nodes[index]
        R_p, p_p = self.node_pose(node.parent)
        R_0, p_0 = place(node.placement, self.variables.value)
        R, p = self.node_pose(index)
        R_j = R_p @ R_0
        return R_j.T @ R, R_j.T @ (p - p_p - R_p @ p_0)

    def relative_rate(self, index: int) -> Expression:
        """Angular velocity of a node relative to its parent, in axes of the joint's fixed frame."""
        node = self.tree.nodes[index]
        R_p, _ = self.node_pose(node.parent)
        R_0, _ = place(node.placement, self.variables.value)
        return (R_p @ R_0).T @ (self.node_rate(index) - self.node_rate(node.parent))

    def frame_pose(self, name: str) -> tuple[Expression, Expression]:
        """Pose (R, p) of a frame in the world."""
        node, pose = self._frame(name)
        R_f, p_f = place(pose, self.variables.value)
        R, p = self.node_pose(node)
        return ca.SX(R @ R_f), ca.SX(p + R @ p_f)

    def frame_rate(self, name: str) -> Expression:
        """Angular velocity of a frame in world axes."""
        return self.node_rate(self._frame(name)[0])

    def _frame(self, name: str) -> tuple[int, Any]:
        if name not in self.tree.frames:
            raise UnknownNameError("frame", name, self.tree.frames, f"machine '{self.machine.name}'")
        return self.tree.frames[name]

    def rate(self, expression: Expression) -> Expression:
        """Rate of an expression of the natural coordinates."""
        return ca.jtimes(expression, self.points, self.variables.v)

    # -- joints -----------------------------------------------------------------------------------------------------

    @cached_property
    def joint_states(self) -> list[tuple[Expression, Expression]]:
        """Coordinates and velocities of the joint of each node, full turns counted."""
        x, memories = self.variables, {m.node: m for m in self.memories}
        states = []
        for block, kind in zip(self.blocks, self.joints, strict=True):
            if not block.natural:
                states.append((x.q[block.q], x.v[block.q]))
                continue
            R, p = self.relative_pose(block.node)
            q, v = kind.state(R, p, self.rate(p), R.T @ self.relative_rate(block.node))
            if block.node in memories:
                q = continued(kind, q, x.q[memories[block.node].q])
            states.append((q, v))
        return states

    @cached_property
    def memory_rates(self) -> Expression:
        """Rates of the carried coordinates: those of the joints' coordinates."""
        rates = []
        for memory in self.memories:
            q, v = self.joint_states[memory.node]
            q = ca.SX(q)
            q[list(memory.places)] = self.variables.q[memory.q]
            rates.append(self.joints[memory.node].rate(q, v)[list(memory.places)])
        return ca.vertcat(*rates) if rates else ca.SX(0, 1)

    def moved(self, d: Expression) -> Expression:
        """Coordinates after a displacement: carried coordinates follow the joints to where they are then."""
        x = self.variables
        points = self.points + d
        if not self.memories:
            return points
        follow = ca.Function("follow", [x.q, x.v, x.p], [self.memory_rates])
        coordinates = ca.vertcat(*[ca.SX(self.joint_states[m.node][0])[list(m.places)] for m in self.memories])
        settle = ca.Function("settle", [x.q, x.p], [coordinates])
        return ca.vertcat(points, settle(ca.vertcat(points, x.q[self.n :] + follow(x.q, d, x.p)), x.p))

    def _index(self, name: str) -> int:
        for index, node in enumerate(self.tree.nodes):
            if node.joint.name == name:
                return index
        raise UnknownNameError("moving joint", name, (n.joint.name for n in self.tree.nodes))

    def joint_coordinate(self, name: str) -> Expression:
        """Coordinate of a joint that has one."""
        return self.joint_states[self._index(name)][0]

    def joint_rate(self, name: str) -> Expression:
        """Rate of a joint that has one coordinate."""
        return ca.dot(self._direction(name), self.variables.v)

    def _direction(self, name: str) -> Expression:
        """Gradient of a joint's coordinate: it turns the joint's force into forces on the coordinates."""
        return ca.gradient(self.joint_coordinate(name), self.points)

    def _driven(self) -> list[tuple[int, Any]]:
        index = {n.joint.name: i for i, n in enumerate(self.tree.nodes)}
        return [(index[m.joint], m) for m in self.machine.limited_motors if m.joint in index]

    @cached_property
    def rotors(self) -> list[Rotor]:
        """Rotors of motors, and armatures.

        For an armature ``g`` is the gradient of the joint's coordinate, where it has one; else the rates are those of
        the joint's kind. The rotor of a motor turns ``n`` times as fast as its joint, and with the body that carries it
        about the axis of the joint.
        """
        value, rotors, carried = self.variables.value, [], carried_rotors(self.machine)
        for index, node in enumerate(self.tree.nodes):
            joint = node.joint
            if joint.armature == 0.0:
                continue
            if joint.info.nv == 1:
                rotors.append(Rotor(value(joint.armature), self._direction(joint.name)))
                continue
            W = ca.jacobian(self.joint_states[index][1], self.variables.v)
            rotors += [Rotor(value(joint.armature), W[k, :].T) for k in range(joint.info.nv)]
        for i, motor in self._driven():
            I_m = value(motor.rotor_inertia)
            if not (isinstance(I_m, float) and I_m == 0.0):
                g = value(motor.ratio) * self._direction(self.tree.nodes[i].joint.name)
                rotors.append(self._carried(i, I_m, g) if motor.name in carried else Rotor(I_m, g))
        return rotors

    def _carried(self, index: int, inertia: Expression | float, g: Expression) -> Rotor:
        """Rotor that turns with ``g v`` relative to the moving parent of a joint, about the axis of the joint."""
        node = self.tree.nodes[index]
        R_p, _ = self.node_pose(node.parent)
        R_0, _ = place(node.placement, self.variables.value)
        axis = R_p @ R_0 @ ca.DM(self.joints[index].axis)
        return Rotor(inertia, g + ca.gradient(ca.dot(axis, self.node_rate(node.parent)), self.variables.v), axis)

    @cached_property
    def spring_energy(self) -> Expression:
        """Potential energy of the joint springs."""
        V = ca.SX(0)
        for node in self.tree.nodes:
            if node.joint.stiffness != 0.0:
                d = self.joint_coordinate(node.joint.name) - self.variables.value(node.joint.rest)
                V = V + self.variables.value(node.joint.stiffness) * d**2 / 2
        return V

    @cached_property
    def spring_force(self) -> Expression:
        """Gradient of the springs' energy."""
        return ca.gradient(self.spring_energy, self.points)

    @cached_property
    def actuation(self) -> Expression:
        """Generalised forces of the motors, saturated inputs times gear ratio."""
        f = ca.SX(self.n, 1)
        efforts = actuator_efforts(self.machine, self.variables.u, self.variables.value, self.joint_rate)
        for k, (i, motor) in enumerate(self._driven()):
            name = self.tree.nodes[i].joint.name
            f = f + self._direction(name) * (self.variables.value(motor.ratio) * efforts[k])
        return f

    @cached_property
    def losses(self) -> Expression:
        """Generalised forces of dampers, friction and motor losses."""
        x, value = self.variables, self.variables.value
        f = ca.SX(self.n, 1)
        viscous: dict[str, Any] = {}
        for i, motor in self._driven():
            name = self.tree.nodes[i].joint.name
            viscous[name] = viscous.get(name, 0.0) + value(motor.ratio) ** 2 * value(motor.damping)
        for index, node in enumerate(self.tree.nodes):
            j = node.joint
            extra = viscous.get(j.name, 0.0)
            rate = self.joint_states[index][1]
            friction = self.machine.friction_of(j.name).smooth(rate, value)
            if j.damping == 0.0 and friction is None and isinstance(extra, float) and extra == 0.0:
                continue
            force = (value(j.damping) + extra) * rate + (0.0 if friction is None else friction)
            f = f - ca.jacobian(rate, x.v).T @ force
        efforts = actuator_efforts(self.machine, x.u, value, self.joint_rate)
        for k, (i, motor) in enumerate(self._driven()):
            if motor.lossy:
                f = f + self._direction(self.tree.nodes[i].joint.name) * gear_excess(motor, efforts[k], value)
        return f
