"""Natural coordinates: every moving body as two points and two unit vectors, with a constant mass matrix (CDPR, 3.3).

Coordinates are redundant: the conditions of rigid bodies (14) and of the joints are constraints, and the equations are
solved as constrained ones. No angle occurs, so that nothing is singular. A body that only turns or slides about an axis
fixed in the world and carries nothing (winches, swivelling pulleys) keeps its own coordinate, as in CDPR (18) and (42).
"""

from __future__ import annotations

from functools import cached_property

import casadi as ca
import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.types import Expression, ExpressionLike
from dalembert.formulations.base import FormulationBase
from dalembert.formulations.layout import Layout
from dalembert.formulations.natural.body import (
    coordinates_of,
    mass_matrix,
    rigid_constraints,
)
from dalembert.formulations.natural.model import NaturalModel
from dalembert.formulations.tree.model import TreeModel
from dalembert.model.machine import Machine

__all__ = ["Natural"]


class Natural(FormulationBase):
    """Expressions of a machine in natural coordinates."""

    name = "natural"
    minimal = False
    machine_coordinates = False

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.model = NaturalModel(machine)
        self.variables = self.model.variables
        n = self.model.n
        self.layout = Layout.plain(self.model.names[:n]) + Layout.carried(self.model.names[n:])

    @classmethod
    def refusal(cls, machine: Machine) -> str | None:
        """Flexible bodies, and bodies whose mass matrix is singular at the nominal parameter values."""
        beams = [n.elastic.name for n in machine.tree.nodes if n.is_root and n.elastic is not None]
        if beams:
            return (
                f"machine '{machine.name}' has flexible bodies ({', '.join(beams)}); natural coordinates describe "
                "rigid ones, use by='newton-euler'"
            )
        model = NaturalModel(machine)
        for index, (m, com, J) in model.inertias.items():
            if not model.blocks[index].natural:
                continue
            at = ca.Function("M", [model.variables.p], [ca.SX(mass_matrix(m, com, J))])
            numbers = np.linalg.eigvalsh(np.array(at(machine.p_nominal).full()))
            if not numbers[0] > 1e-12 * numbers[-1]:
                return (
                    f"body '{machine.tree.nodes[index].joint.child}' has no extent in some direction (a rod, a plane "
                    "figure or a point): its mass matrix in natural coordinates is singular; give it some thickness, "
                    "or use by='newton-euler'"
                )
        return None

    # -- the contract -----------------------------------------------------------------------------------------------

    def mass_matrix(self) -> Expression:
        """Mass matrix, CDPR (9), (18); constant unless rotors turn between moving bodies."""
        blocks = []
        for block in self.model.blocks:
            if block.natural:
                blocks.append(mass_matrix(*self.model.inertias[block.node]))
            else:
                blocks.append(ca.SX(self.model.scalar_inertia(block.node)))
        M = ca.diagcat(*[ca.SX(b) for b in blocks])
        for rotor in self.model.rotors:
            M = M + rotor.inertia * (rotor.row @ rotor.row.T)
        return M

    def coriolis_matrix(self) -> Expression:
        """``sum I (g (g')^T + (g v) A)`` of the rotors, of energy ``I (g v)^2 / 2``; nothing else has any.

        Lagrange's equations give ``I (g (g v' + g' v) + (g v) (g' - d(g v)/dq))``, and the last bracket is ``A v`` with
        the skew matrix ``A = dg/dq - (dg/dq)^T``. It vanishes where ``g`` is a gradient; so does the sum of these terms
        for the three rates of a spherical joint, whose ``w x (I w)`` vanishes.
        """
        n = self.model.n
        C = ca.SX(n, n)
        for rotor in self.model.rotors:
            g = rotor.row
            C = C + rotor.inertia * (g @ self.model.rate(g).T)
            if rotor.axis is not None:
                turning = ca.jacobian(g, self.model.points)
                C = C + rotor.inertia * ca.dot(g, self.variables.v) * (turning - turning.T)
        return C

    def gravity(self) -> Expression:
        """Gradient of the potential of gravity."""
        return ca.gradient(self._gravity_energy, self.model.points)

    @cached_property
    def _gravity_energy(self) -> Expression:
        g, V = self.model.gravity_vector, ca.SX(0)
        for block in self.model.blocks:
            m, com, _ = self.model.inertias[block.node]
            R, p = self.model.node_pose(block.node)
            V = V - ca.dot(g, m * p + R @ (m * com))
        return V

    def bias(self) -> Expression:
        """``C v + dV/dq``: except for rotors no velocities occur."""
        return self.gravity() + self.model.spring_force + self.coriolis_matrix() @ self.variables.v

    def inverse_dynamics(self) -> Expression:
        """``M a + C v + dV/dq``."""
        return self.mass_matrix() @ self.variables.a + self.bias()

    def forward_dynamics(self) -> Expression:
        """Solve for accelerations where there are no constraints, of bodies that only slide or turn about fixed axes.

        Refuse all others: without their constraints natural coordinates describe no rigid body.
        """
        if self.own_constraints():
            raise InputError("natural coordinates are redundant: use constrained_dynamics")
        return ca.solve(self.mass_matrix(), self.variables.tau - self.bias())

    def kinetic_energy(self) -> Expression:
        """Kinetic energy, rotors included."""
        v = self.variables.v
        return ca.dot(v, self.mass_matrix() @ v) / 2

    def potential_energy(self) -> Expression:
        """Potential energy of gravity and springs."""
        return self._gravity_energy + self.model.spring_energy

    def momentum(self) -> Expression:
        """Linear momentum and angular momentum about the world's origin, in world axes.

        Rotors that moving nodes carry are among the bodies, armatures and rotors on the world are not.
        """
        total = ca.SX(6, 1)
        for block in self.model.blocks:
            m, com, J = self.model.inertias[block.node]
            R, p = self.model.node_pose(block.node)
            c = p + R @ com
            cdot = self.model.rate(c)
            w = self.model.node_rate(block.node)
            total = total + ca.vertcat(m * cdot, R @ (J @ (R.T @ w)) + ca.cross(c, m * cdot))
        for rotor in self.model.rotors:
            if rotor.axis is not None:
                total[3:] += rotor.inertia * ca.dot(rotor.row, self.variables.v) * rotor.axis
        return total

    def center_of_mass(self) -> Expression:
        """Centre of mass of the moving bodies in the world."""
        mass, moment = ca.SX(0), ca.SX(3, 1)
        for block in self.model.blocks:
            m, com, _ = self.model.inertias[block.node]
            R, p = self.model.node_pose(block.node)
            mass, moment = mass + m, moment + m * (p + R @ com)
        return moment / mass

    def jacobian(self, frame: str) -> Expression:
        """Jacobian of a frame's twist [v; w] at its origin in its own axes."""
        x = self.variables
        R, p = self.model.frame_pose(frame)
        w = self.model.frame_rate(frame)
        linear = self.model.rate(p)
        return ca.jacobian(ca.vertcat(R.T @ linear, R.T @ w), x.v)

    # -- redundancy ---------------------------------------------------------------------------------------------------

    def own_constraints(self) -> list[tuple[str, Expression]]:
        """Conditions of rigid bodies (14), of joints, and of joints that follow others."""
        rows: list[tuple[str, Expression]] = []
        for block in self.model.blocks:
            if block.natural:
                joint = self.model.tree.nodes[block.node].joint
                rows.append((f"rigid.{joint.child}", rigid_constraints(self.variables.q[block.q])))
                expression = self.model.joints[block.node].constraints(*self.model.relative_pose(block.node))
                if expression.shape[0]:
                    rows.append((f"joint.{joint.name}", expression))
        value = self.variables.value
        for c in self.model.machine.couplings:
            follows = value(c.ratio) * self.joint_coordinate(c.leader) + value(c.offset)
            rows.append((f"coupling.{c.joint}", self.joint_coordinate(c.joint) - follows))
        return rows

    def joint_coordinate(self, joint: str) -> Expression:
        """Coordinate of a joint that has one."""
        return self.model.joint_coordinate(joint)

    def joint_rate(self, joint: str) -> Expression:
        """Rate of a joint that has one coordinate."""
        return self.model.joint_rate(joint)

    def coordinate_rates(self) -> Expression:
        """Rates of the coordinates: the velocities, and the rates of carried coordinates."""
        return ca.vertcat(self.variables.v, self.model.memory_rates)

    def moved(self, d: Expression) -> Expression:
        """Coordinates after a displacement."""
        return self.model.moved(d)

    def frame_pose(self, frame: str) -> tuple[Expression, Expression]:
        """Pose (R, p) of a frame in the world."""
        return self.model.frame_pose(frame)

    def actuation(self) -> Expression:
        """Generalised forces of the motors."""
        return self.model.actuation

    def losses(self) -> Expression:
        """Generalised forces of dampers, friction and motor losses."""
        return self.model.losses

    # -- states ------------------------------------------------------------------------------------------------------

    def to_machine(self) -> tuple[Expression, Expression]:
        """Coordinates and velocities of the machine's own choice."""
        names = {j.name for j in self.model.machine.coordinate_joints}
        nodes = self.model.tree.nodes
        states = [state for node, state in zip(nodes, self.model.joint_states, strict=True) if node.joint.name in names]
        return ca.vertcat(*[q for q, _ in states]), ca.vertcat(*[v for _, v in states])

    def from_machine(
        self, q: ExpressionLike, v: ExpressionLike, p: ExpressionLike
    ) -> tuple[ExpressionLike, ExpressionLike]:
        """Natural coordinates and velocities from the machine's own."""
        coordinates, velocities = self._from_machine(q, v, p)
        return coordinates, velocities

    @cached_property
    def _from_machine(self) -> ca.Function:
        """(q, v, p) of the machine -> natural coordinates and velocities."""
        tree = TreeModel(self.model.machine)
        parts = []
        for block in self.model.blocks:
            if block.natural:
                parts.append(coordinates_of(*tree.world_poses[block.node]))
            else:
                parts.append(tree.variables.q[tree.tree.nodes[block.node].q])
        q = ca.vertcat(*parts)
        full, rate = self._tree_state(tree)
        y = [ca.SX.sym("q", self.model.machine.nq), ca.SX.sym("v", self.model.machine.nv), tree.variables.p]
        f = ca.Function("f", [tree.variables.q, tree.variables.p], [q])
        memory = [tree.variables.q[tree.tree.nodes[m.node].q][list(m.places)] for m in self.model.memories]
        kept = ca.Function("kept", [tree.variables.q], [ca.vertcat(*memory) if memory else ca.SX(0, 1)])
        at = full(y[0], y[2])
        inner = ca.SX.sym("q", tree.variables.q.shape[0])
        moved = ca.Function("moved", [inner, y[2]], [ca.jacobian(f(inner, y[2]), inner)])
        velocity = moved(at, y[2]) @ rate(y[0], y[1], y[2])
        coordinates = ca.vertcat(f(at, y[2]), kept(at))
        return ca.Function("from_machine", y, [ca.densify(coordinates), ca.densify(velocity)])

    def _tree_state(self, tree: TreeModel) -> tuple[ca.Function, ca.Function]:
        """Coordinates of the tree, and their rates, from those of the machine (joints that follow others filled in)."""
        machine, value = self.model.machine, tree.variables.value
        q, v = ca.SX.sym("q", machine.nq), ca.SX.sym("v", machine.nv)
        layout = {b.name: b for b in Layout.of_joints(machine.coordinate_joints).blocks}
        rules = {c.joint: c for c in machine.couplings}
        q_full, v_full = [], []
        for node in tree.tree.nodes:
            rule = rules.get(node.joint.name)
            block = layout[node.joint.name if rule is None else rule.leader]
            if rule is None:
                q_full.append(q[block.q])
                v_full.append(v[block.v])
            else:
                q_full.append(value(rule.ratio) * q[block.q] + value(rule.offset))
                v_full.append(value(rule.ratio) * v[block.v])
        rates = ca.Function("rates", [tree.variables.q, tree.variables.v], [tree.coordinate_rates()])
        full = ca.vertcat(*q_full)
        p = tree.variables.p
        return (
            ca.Function("full", [q, p], [full]),
            ca.Function("rate", [q, v, p], [rates(full, ca.vertcat(*v_full))]),
        )
