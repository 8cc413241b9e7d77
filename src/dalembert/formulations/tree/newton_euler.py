"""Recursive Newton-Euler formulation of trees of rigid and flexible bodies.

Source: SPACE chapters 4 and 5 and Appendix A.3, extended to any kind of joint and to branches.

Twists and accelerations are those of a node's frame origin in its own axes. As in the source, the acceleration is the
*inertial* derivative of the twist in body axes, so that the linear velocity never occurs:

    t'_i = A_{i,i-1} t'_{i-1} + zeta_i + P_i v'_i                              (4.36)
    W_i = M_i t'_i + gamma_i,   gamma_i = Omega_i M_i E_v t_i                  (4.39), (4.40)

with, for a joint that also translates (``u = P_v v`` its relative linear velocity, ``w_r = P_w v`` its relative rate),

    zeta_i = [ R^T (w_p x (w_p x p)) + (w_i + R^T w_p) x u + P_v' v ;  (R^T w_p) x w_r + P_w' v ].

Gravity enters as the acceleration ``-g`` of the world.

A beam is a node for its root, with the mass matrix (5.16), and one node without coordinates for each named section. The
section moves in the root's frame with the twist ``S delta'`` (5.42), so that

    t'_e = A_{e,o} t'_o + R^T (S delta'' + zeta_e),     tau_delta = M_do t'_o + M_dd delta'' + gamma_d + sum S^T R w_e

and all recursions pass through it as through a joint whose coordinates are those of the beam. Forward dynamics
eliminates the modal coordinates of a beam first, then those of its joint: the result is an articulated inertia as of a
rigid body.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar

import casadi as ca

from dalembert.compile.rows_builder import RowsBuilder
from dalembert.core.types import Expression
from dalembert.formulations.factorization import solve_factored
from dalembert.formulations.tree.articulation import Articulation, section_inertia
from dalembert.formulations.tree.composite import Cells, coriolis_cells, is_large, is_rigid, mass_cells
from dalembert.formulations.tree.coriolis import coriolis_matrix
from dalembert.formulations.tree.derivatives import TreeDerivatives, is_plain
from dalembert.formulations.tree.formulation import TreeFormulation
from dalembert.formulations.tree.kinematics import TreeKinematics
from dalembert.formulations.tree.model import CarriedRotor, TreeModel
from dalembert.formulations.variables import entries
from dalembert.model.elastic.contract import APPROXIMATIONS
from dalembert.model.machine import Machine
from dalembert.model.tree import merged_inertia
from dalembert.spatial.inertia import Inertia
from dalembert.spatial.rotations import cross_matrix

__all__ = ["NewtonEuler"]


_Blocks = dict[tuple[int, int], Expression]
"""Blocks of a matrix by their first row and column."""


def _put(blocks: _Blocks, rows: slice, columns: slice, block: Expression) -> None:
    if block.numel():  # a beam without modes begins where its successor does
        blocks[rows.start, columns.start] = block


def _joined(blocks: _Blocks, n: int) -> Expression:
    """Square matrix of blocks, whose rows and columns are divided alike.

    To set the elements of a sparse matrix one after the other takes a time that grows with the number of those it has.
    """
    size = {i: block.shape[0] for (i, _), block in blocks.items()}
    zero = {(m, k): ca.SX(m, k) for m in set(size.values()) for k in set(size.values())}
    parts = sorted(size)
    rows = [ca.horzcat(*(blocks.get((i, j), zero[size[i], size[j]]) for j in parts)) for i in parts]
    return ca.vertcat(ca.SX(0, n), *rows)


class NewtonEuler(TreeFormulation):
    """Expressions of a tree by O(n) recursions.

    Parameters
    ----------
    machine
        The machine.
    approximation
        Which terms of the elastic motion of beams are kept: ``"flex"`` (all), ``"flex-M"``, ``"flex-MA"`` or
        ``"flex-MR"`` (SPACE 5.2.6.1).
    """

    name = "newton-euler"
    options: ClassVar[Mapping[str, tuple[str, ...]]] = {"approximation": APPROXIMATIONS}

    def __init__(self, machine: Machine, approximation: str = "flex") -> None:
        super().__init__(machine, TreeModel(machine, approximation))
        self.nodes = self.model.tree.nodes
        self.flexible, self.sections = self.model.flexible, self.model.sections
        self.tree = TreeKinematics(self.model)
        self.approximation = approximation

    @cached_property
    def _body_inertias(self) -> list[tuple[Inertia, Expression]]:
        """Inertia and first moment of each node, the beams in their deformed state."""
        result = []
        for i, node in enumerate(self.nodes):
            m, c, I_o = merged_inertia(node, self.variables.value)
            if i in self.flexible:
                body = self.flexible[i]
                m, c, I_o = m + body.mass, c + body.first_moment, I_o + body.inertia
            result.append((Inertia.rigid(m, c, I_o), c))
        return result

    @cached_property
    def _inertias(self) -> list[tuple[Inertia, Expression]]:
        """The same with the rotors that turn about the axis of the node's joint."""
        result = list(self._body_inertias)
        for i, rotors in self._rotors.items():
            M, c = result[i]
            result[i] = Inertia(M.A, M.B, sum((rotor.body_inertia for rotor in rotors), M.D)), c
        return result

    @cached_property
    def _rotors(self) -> dict[int, list[CarriedRotor]]:
        """Rotors that moving nodes carry, by the node that they drive.

        They are a part of its inertia; the remainder is the spin relative to the node, see `_spin`.
        """
        rotors: dict[int, list[CarriedRotor]] = {}
        for rotor in self.model.rotors:
            rotors.setdefault(rotor.node, []).append(rotor)
        return rotors

    def _spin(self, i: int) -> Expression:
        """Wrench (6 x nv) on node ``i`` per acceleration of its joint that faster rotors add."""
        spins = [rotor.spin for rotor in self._rotors.get(i, ())]
        return sum(spins, ca.SX(6, self.nodes[i].joint.info.nv))

    def _body_bias(self, i: int, w: Expression, v: Expression) -> Expression:
        """Wrench ``gamma`` of a rotating body, SPACE (4.40), and of the rotors that turn faster than it."""
        M, c = self._inertias[i]
        moment = ca.cross(w, M.D @ w)
        if i in self._rotors:
            moment = moment + ca.cross(w, self._spin(i)[3:, :] @ entries(v, self.nodes[i].v))
        return ca.vertcat(ca.cross(w, ca.cross(w, c)), moment)

    def _elastic_bias(self, v: Expression, rates: list[Expression]) -> dict[int, tuple[Expression, Expression]]:
        """Contribution of the elastic motion of each beam to ``gamma``: wrench and modal force, SPACE (5.53)."""
        result = {}
        twists = self.tree.twists(v) if self.approximation != "flex" and self.flexible else []
        for i, body in self.flexible.items():
            velocity = twists[i][:3] if twists else None
            force, moment, modal = body.coriolis(rates[i], entries(v, self.nodes[i].modal_v), velocity)
            result[i] = (ca.vertcat(force, moment), modal)
        return result

    def _sag_moment(self, i: int, gravity: bool = True) -> Expression:
        """Moment of gravity about the root that a constant mass matrix leaves out: that of ``V delta``."""
        body = self.flexible[i]
        if not body.constant or not gravity:
            return ca.SX(6, 1)
        R, _ = self.model.world_poses[i]
        shift = body.deformed_first_moment - body.first_moment
        return ca.vertcat(ca.SX(3, 1), -ca.cross(shift, R.T @ self.model.gravity_vector))

    def _world_acceleration(self, gravity: bool) -> Expression:
        g = self.model.gravity_vector if gravity else ca.SX(3, 1)
        return ca.vertcat(-g, ca.SX(3, 1))

    def _recursion(self, v: Expression, a: Expression, *, gravity: bool = True) -> Expression:
        """Recursive Newton-Euler inverse dynamics, SPACE Algorithm 4.1 (springs and rotors left out)."""
        rates = self.tree.rates(v)
        zetas = self.tree.convective(v, rates)
        elastic = self._elastic_bias(v, rates)
        world = self._world_acceleration(gravity)
        wrenches: list[Expression] = []
        accelerations: list[Expression] = []
        modal: dict[int, Expression] = {}
        for i, node in enumerate(self.nodes):
            parent = world if node.parent < 0 else accelerations[node.parent]
            t = self.tree.carry(i, parent) + zetas[i] + self.tree.relative(i, a)
            M, _ = self._inertias[i]
            accelerations.append(t)
            wrenches.append(ca.vertcat(*M.times(t[:3], t[3:])) + self._body_bias(i, rates[i], v))
            if i in self._rotors:
                wrenches[i] += self._spin(i) @ entries(a, node.v)
            if i in self.flexible:
                body, x = self.flexible[i], entries(a, node.modal_v)
                wrench, force = elastic[i]
                wrenches[i] += wrench + ca.vertcat(body.V @ x, body.H @ x) + self._sag_moment(i, gravity)
                modal[i] = force + body.V.T @ t[:3] + body.H.T @ t[3:] + body.modal_mass @ x
        tau: list[Expression] = [ca.SX(0, 1)] * len(self.nodes)
        for i in range(len(self.nodes) - 1, -1, -1):
            node = self.nodes[i]
            force = self.tree.subspaces[i].T @ wrenches[i] + self._spin(i).T @ accelerations[i]
            tau[i] = ca.vertcat(force, modal.get(i, ca.SX(0, 1)))
            if i in self.sections:
                modal[node.parent] = modal[node.parent] + self.tree.modal_force(i, wrenches[i])
            if node.parent >= 0:
                wrenches[node.parent] = wrenches[node.parent] + self.tree.carry_back(i, wrenches[i])
        return ca.vertcat(*tau)

    def closed_derivatives(self, board: RowsBuilder) -> TreeDerivatives | None:
        """Derivatives in closed form, of rigid trees whose joint axes are constant in moving axes."""
        return TreeDerivatives(board, self.model) if is_plain(self.model) else None

    def mass_cells(self, board: RowsBuilder) -> Cells | None:
        """Mass matrix in stages, of large rigid trees."""
        return mass_cells(board, self.model) if self._in_stages else None

    def coriolis_cells(self, board: RowsBuilder) -> Cells | None:
        """Coriolis matrix in stages, of large rigid trees."""
        return coriolis_cells(board, self.model) if self._in_stages else None

    @property
    def _in_stages(self) -> bool:
        return is_rigid(self.model) and not self.model.rotors and is_large(self.model)

    def inverse_dynamics(self) -> Expression:
        """``M a + C v + dV/dq``."""
        x = self.variables
        return self._recursion(x.v, x.a) + self.model.reflected * x.a + self.model.spring_force

    def bias(self) -> Expression:
        """``C v + dV/dq``."""
        return self._recursion(self.variables.v, ca.SX(self.model.tree.nv, 1)) + self.model.spring_force

    def gravity(self) -> Expression:
        """Gravity part of ``dV/dq``."""
        zero = ca.SX(self.model.tree.nv, 1)
        return self._recursion(zero, zero)

    def mass_matrix(self) -> Expression:
        """Mass matrix by composite bodies, SPACE Algorithm A.1."""
        composite = [M for M, _ in self._inertias]
        coupling = {i: ca.vertcat(body.V, body.H) for i, body in self.flexible.items()}
        modal = {i: body.modal_mass for i, body in self.flexible.items()}
        D: _Blocks = {}
        for i in range(len(self.nodes) - 1, -1, -1):
            node, P = self.nodes[i], self.tree.subspaces[i]
            if i in self.flexible:
                _put(D, node.modal_v, node.modal_v, modal[i])
                self._climb(D, i, node.modal_v, coupling[i])
            if node.joint.info.nv:
                self._climb(D, i, node.v, ca.vertcat(*composite[i].times(P[:3, :], P[3:, :])) + self._spin(i))
                if i in self._rotors:
                    D[node.v.start, node.v.start] += self._spin(i).T @ P
            if i in self.sections and not self._idle[i]:
                _, F, modal_part = section_inertia(self.tree, i, composite[i])
                coupling[node.parent] = coupling[node.parent] + F
                modal[node.parent] = modal[node.parent] + modal_part
            if node.parent >= 0:
                composite[node.parent] = composite[node.parent] + self.tree.inertia_in_parent(i, composite[i])
        return _joined(D, self.model.tree.nv) + ca.diag(self.model.reflected)

    def _climb(self, D: _Blocks, i: int, columns: slice, F: Expression) -> None:
        """Fill some columns in the rows of node ``i`` and its ancestors, from the wrenches ``F`` at the node."""
        while i >= 0:
            node = self.nodes[i]
            blocks = [(node.v, self.tree.subspaces[i].T @ F)] if node.joint.info.nv else []
            R, p = self.tree.links[i]
            f, n = R @ F[:3, :], R @ F[3:, :]
            if i in self.sections:
                section = self.sections[i]
                blocks.append((node.modal_v, section.mixed.T @ ca.vertcat(f, section.rates.T @ n)))
            for rows, block in blocks:
                _put(D, rows, columns, block)
                if rows != columns:
                    _put(D, columns, rows, block.T)
            F = ca.vertcat(f, n + cross_matrix(p) @ f)
            i = node.parent

    @cached_property
    def _idle(self) -> list[bool]:
        """Nodes that carry no inertia and no other node."""
        busy = [bool(n.bodies) or n.is_root for n in self.nodes]
        for i in range(len(self.nodes) - 1, -1, -1):
            if self.nodes[i].parent >= 0:
                busy[self.nodes[i].parent] |= busy[i]
        return [not b for b in busy]

    @cached_property
    def _articulation(self) -> Articulation:
        return self._articulated()

    def _articulated(self, added: Expression | None = None) -> Articulation:
        spins = {i: self._spin(i) for i in self._rotors}
        return Articulation(self.tree, [M for M, _ in self._inertias], self.flexible, self._idle, spins, added)

    def mass_factors(self) -> Articulation:
        """``M = L D L^T`` along the tree."""
        return self._articulation

    def forward_dynamics(self) -> Expression:
        """Accelerations by recursive Gaussian elimination in O(n), SPACE Algorithm A.3.

        The bias wrench is carried along in the elimination sweep instead of being computed before it.
        """
        return self._solved(self._articulation)

    def enlarged_dynamics(self, added: Expression) -> Expression | None:
        """Solution of ``(M + added) a = tau - bias`` by the same elimination; ``added`` is block-diagonal.

        Its blocks are those of the joints and of the modes of each flexible body; entries between them are left out.
        """
        return self._solved(self._articulated(added))

    def _solved(self, articulation: Articulation) -> Expression:
        x = self.variables
        rates = self.tree.rates(x.v)
        zetas = self.tree.convective(x.v, rates)
        tau = x.tau - self.model.spring_force
        beta = [self._body_bias(i, rates[i], x.v) for i in range(len(self.nodes))]
        force: dict[int, Expression] = {}
        for i, (wrench, bias) in self._elastic_bias(x.v, rates).items():
            beta[i] = beta[i] + wrench + self._sag_moment(i)
            force[i] = entries(tau, self.nodes[i].modal_v) - bias
        reduced: list[Expression] = [ca.SX(0, 1)] * len(self.nodes)
        for i in articulation.inward:
            node, j = self.nodes[i], self.nodes[i].parent
            zeta = zetas[i][:3], zetas[i][3:]
            if i in articulation.modes:
                force[i] = articulation.modes[i].lower(force[i])
                beta[i] = beta[i] + articulation.modes[i].passed_on(force[i])
            if i in self.sections:
                wrench = beta[i] + ca.vertcat(*articulation.inertia[i].times(*zeta))
                beta[j] = beta[j] + self.tree.carry_back(i, wrench)
                force[j] = force[j] - self.tree.modal_force(i, wrench)
                continue
            X_hat = entries(tau, node.v) - self.tree.subspaces[i].T @ beta[i]
            if i in articulation.pivots:
                reduced[i] = solve_factored(articulation.pivots[i], X_hat)
            if j >= 0:
                convective = ca.vertcat(*articulation.eliminated[i].times(*zeta))
                wrench = beta[i] + convective + articulation.gains[i] @ X_hat
                beta[j] = beta[j] + self.tree.carry_back(i, wrench)
        world = self._world_acceleration(gravity=True)
        accelerations: list[Expression] = []
        a: list[Expression] = []
        modal_a: dict[int, Expression] = {}
        for i, node in enumerate(self.nodes):
            carried = self.tree.carry(i, world if node.parent < 0 else accelerations[node.parent])
            carried = carried + zetas[i]
            if i in self.sections:
                accelerations.append(carried + self.tree.carry_modal(i, modal_a[node.parent]))
                continue
            a.append(reduced[i] - articulation.gains[i].T @ carried)
            accelerations.append(carried + self.tree.subspaces[i] @ a[-1])
            if i in self.flexible:
                modal_a[i] = ca.SX(0, 1)
                if i in articulation.modes:
                    modes = articulation.modes[i]
                    modal_a[i] = modes.accelerations(modes.scaled(force[i]), accelerations[i])
                a.append(modal_a[i])
        return ca.vertcat(*a)

    def coriolis_matrix(self) -> Expression:
        """Coriolis matrix with ``M' - 2 C`` skew-symmetric, see ``formulations/tree/coriolis.py``.

        The approximate models of beams have no energy whose matrix this would be: theirs is half the derivative of
        ``C v`` in the velocities.
        """
        if self.approximation != "flex" and self.flexible:
            force = self._recursion(self.variables.v, ca.SX(self.model.tree.nv, 1), gravity=False)
            return ca.jacobian(force, self.variables.v) / 2
        return coriolis_matrix(self.tree, [M for M, _ in self._body_inertias])

    def kinetic_energy(self) -> Expression:
        """Kinetic energy, rotors included."""
        twists = self.tree.twists(self.variables.v)
        T = ca.SX(0)
        for i, t in enumerate(twists):
            M, _ = self._inertias[i]
            f, n = M.times(t[:3], t[3:])
            T = T + (ca.dot(t[:3], f) + ca.dot(t[3:], n)) / 2
            if i in self.flexible:
                body, x = self.flexible[i], entries(self.variables.v, self.nodes[i].modal_v)
                T = T + ca.dot(t[:3], body.V @ x) + ca.dot(t[3:], body.H @ x) + ca.dot(x, body.modal_mass @ x) / 2
            if i in self._rotors:
                T = T + ca.dot(self._spin(i) @ entries(self.variables.v, self.nodes[i].v), t)
        return T + ca.dot(self.model.reflected, self.variables.v**2) / 2

    def potential_energy(self) -> Expression:
        """Potential energy of gravity (zero with all bodies at the world's origin) and springs."""
        V = self.model.spring_energy
        g = self.model.gravity_vector
        for i, (R, p) in enumerate(self.model.world_poses):
            M, c = self._inertias[i]
            if i in self.flexible:
                c = c + self.flexible[i].deformed_first_moment - self.flexible[i].first_moment
            V = V - ca.dot(g, M.A[0, 0] * p + R @ c)
        return V

    def momentum(self) -> Expression:
        """Linear momentum and angular momentum about the world's origin, in world axes.

        Rotors that moving nodes carry are among the bodies, armatures and rotors on the world are not.
        """
        total = ca.SX(6, 1)
        for i, t in enumerate(self.tree.twists(self.variables.v)):
            M, _ = self._inertias[i]
            R, p = self.model.world_poses[i]
            f, n = M.times(t[:3], t[3:])
            if i in self.flexible:
                x = entries(self.variables.v, self.nodes[i].modal_v)
                f, n = f + self.flexible[i].V @ x, n + self.flexible[i].H @ x
            if i in self._rotors:
                n = n + self._spin(i)[3:, :] @ entries(self.variables.v, self.nodes[i].v)
            linear = R @ f
            total = total + ca.vertcat(linear, R @ n + ca.cross(p, linear))
        return total

    def center_of_mass(self) -> Expression:
        """Centre of mass of the moving bodies in the world."""
        mass, moment = ca.SX(0), ca.SX(3, 1)
        for (M, c), (R, p) in zip(self._inertias, self.model.world_poses, strict=True):
            mass = mass + M.A[0, 0]
            moment = moment + M.A[0, 0] * p + R @ c
        return moment / mass

    def jacobian(self, frame: str) -> Expression:
        """Jacobian of a frame's twist [v; w] at its origin in its own axes, SPACE (4.33)."""
        node, R, p = self.model.frame(frame)
        J = ca.SX(6, self.model.tree.nv)
        i, R_f, p_f = node, R, p
        while i >= 0:
            P, columns = self.tree.motion_matrix(i), self.tree.velocities(i)
            J[:3, columns] = R_f.T @ (P[:3, :] - cross_matrix(p_f) @ P[3:, :])
            J[3:, columns] = R_f.T @ P[3:, :]
            R_i, p_i = self.tree.links[i]
            R_f, p_f = R_i @ R_f, p_i + R_i @ p_f
            i = self.nodes[i].parent
        return J

    def point_rows(
        self, frame: str, point: Expression, forces: Expression, moments: Expression
    ) -> tuple[Expression, Expression, Expression] | None:
        """Rows ``f^T J_v + m^T J_w`` of a point of a frame, from the columns of all joints in world axes.

        Parameters
        ----------
        frame, point
            The point, in the axes of the frame.
        forces, moments
            ``f`` and ``m`` (3 x k), constant in the world.

        Returns
        -------
        tuple or None The rows (k x nv), their rates ``f^T v + m^T w``, and the derivatives of these without terms of
        accelerations, which are known from the equations of motion. None where terms of beams are left out: the
            remaining terms are not the derivative of anything.
        """
        if self.approximation != "flex" and self.flexible:
            return None
        node, R, p = self.model.frame(frame)
        p = p + R @ point
        turn, origin = self.model.world_poses[node] if node >= 0 else (ca.SX.eye(3), ca.SX(3, 1))
        x = origin + turn @ p
        rows = ca.SX(forces.shape[1], self.model.tree.nv)
        i = node
        while i >= 0:
            R_i, p_i = self.model.world_poses[i]
            P, columns = self.tree.motion_matrix(i), self.tree.velocities(i)
            about = cross_matrix(x - p_i) @ forces + moments
            rows[:, columns] = forces.T @ (R_i @ P[:3, :]) + about.T @ (R_i @ P[3:, :])
            i = self.nodes[i].parent
        if node < 0:
            return rows, ca.SX(forces.shape[1], 1), ca.SX(forces.shape[1], 1)
        t, w = self._drift[node], self._velocity[node][3:]
        v = self._velocity[node][:3] + ca.cross(w, p)
        a = t[:3] + ca.cross(t[3:], p) + ca.cross(w, ca.cross(w, p))
        rates = forces.T @ (turn @ v) + moments.T @ (turn @ w)
        return rows, rates, forces.T @ (turn @ a + self.model.gravity_vector) + moments.T @ (turn @ t[3:])

    @cached_property
    def _velocity(self) -> list[Expression]:
        """Twists of all nodes."""
        return list(self.tree.twists(self.variables.v))

    @cached_property
    def _drift(self) -> list[Expression]:
        """Accelerations of all nodes, as in `_recursion`, where those of the coordinates are zero."""
        v = self.variables.v
        zetas = self.tree.convective(v, self.tree.rates(v))
        result: list[Expression] = []
        for i, node in enumerate(self.nodes):
            parent = self._world_acceleration(gravity=True) if node.parent < 0 else result[node.parent]
            result.append(self.tree.carry(i, parent) + zetas[i])
        return result
