"""Recursive Newton-Euler formulation of rigid trees.

Source: SPACE chapter 4 and Appendix A.3, extended to any kind of joint and to branches.

Twists and accelerations are those of a node's frame origin in its own axes. As in the source, the acceleration is the
*inertial* derivative of the twist in body axes, so that the linear velocity never occurs:

    t'_i = A_{i,i-1} t'_{i-1} + zeta_i + P_i v'_i                              (4.36)
    W_i = M_i t'_i + gamma_i,   gamma_i = Omega_i M_i E_v t_i                  (4.39), (4.40)

with, for a joint that also translates (``u = P_v v`` its relative linear velocity, ``w_r = P_w v`` its relative rate),

    zeta_i = [ R^T (w_p x (w_p x p)) + (w_i + R^T w_p) x u + P_v' v ;  (R^T w_p) x w_r + P_w' v ].

Gravity enters as the acceleration ``-g`` of the world.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import casadi as ca

from dalembert.formulations.factorization import solve_spd
from dalembert.formulations.joint_kinematics import joint_subspace, joint_subspace_rate
from dalembert.formulations.tree_model import TreeModel
from dalembert.model.machine import Machine
from dalembert.model.tree import merged_inertia
from dalembert.spatial.inertia import Inertia
from dalembert.spatial.rotations import cross_matrix

__all__ = ["NewtonEuler"]


class NewtonEuler:
    """Expressions of a rigid tree by O(n) recursions."""

    name = "newton-euler"

    def __init__(self, machine: Machine) -> None:
        self.model = TreeModel(machine)
        self.variables = self.model.variables
        self.nodes = self.model.tree.nodes

    @cached_property
    def _subspaces(self) -> list[Any]:
        return [joint_subspace(n.joint, self.variables.q[n.q]) for n in self.nodes]

    @cached_property
    def _inertias(self) -> list[tuple[Inertia, Any]]:
        """Inertia and first moment of each node."""
        result = []
        for node in self.nodes:
            m, c, I_o = merged_inertia(node, self.variables.value)
            result.append((Inertia.rigid(m, c, I_o), c))
        return result

    def _rates(self, v: Any) -> list[Any]:
        """Angular velocity of each node in its own axes."""
        rates: list[Any] = []
        for node, (R, _), P in zip(self.nodes, self.model.relative_poses, self._subspaces, strict=True):
            relative = P[3:, :] @ v[node.v]
            rates.append(relative if node.parent < 0 else R.T @ rates[node.parent] + relative)
        return rates

    def _convective(self, v: Any, rates: list[Any]) -> list[Any]:
        """Acceleration ``zeta`` of each node that is there without joint and parent accelerations."""
        zetas = []
        for i, node in enumerate(self.nodes):
            (R, p), P = self.model.relative_poses[i], self._subspaces[i]
            x = v[node.v]
            Pdot = joint_subspace_rate(node.joint, self.variables.q[node.q], x)
            u, w_r = P[:3, :] @ x, P[3:, :] @ x
            linear, angular = Pdot[:3, :] @ x, Pdot[3:, :] @ x
            if node.parent < 0:
                linear = linear + ca.cross(rates[i], u)
            else:
                w_p = rates[node.parent]
                w_here = R.T @ w_p
                linear = linear + R.T @ ca.cross(w_p, ca.cross(w_p, p)) + ca.cross(rates[i] + w_here, u)
                angular = angular + ca.cross(w_here, w_r)
            zetas.append(ca.vertcat(linear, angular))
        return zetas

    def _body_bias(self, i: int, w: Any) -> Any:
        """Wrench ``gamma`` of a rotating body, SPACE (4.40)."""
        M, c = self._inertias[i]
        return ca.vertcat(ca.cross(w, ca.cross(w, c)), ca.cross(w, M.D @ w))

    def _carry(self, i: int, t: Any) -> Any:
        """Acceleration of a parent seen at node ``i``: ``A_{i,i-1} t``."""
        R, p = self.model.relative_poses[i]
        return ca.vertcat(R.T @ (t[:3] + ca.cross(t[3:], p)), R.T @ t[3:])

    def _carry_back(self, i: int, w: Any) -> Any:
        """Wrench of node ``i`` at its parent: ``A_{i,i-1}^T w``."""
        R, p = self.model.relative_poses[i]
        f = R @ w[:3]
        return ca.vertcat(f, R @ w[3:] + ca.cross(p, f))

    def _inertia_in_parent(self, i: int, M: Inertia) -> Inertia:
        """Inertia of node ``i`` at its parent: ``A_{i,i-1}^T M A_{i,i-1}``."""
        R, p = self.model.relative_poses[i]
        turns = self.model.turns(i)
        if turns is None:
            return M.in_parent(R, p)
        for turn in turns:
            M = M.turned(*turn)
        return M.shifted(p)

    def _world_acceleration(self, gravity: bool) -> Any:
        g = self.model.gravity_vector if gravity else ca.SX(3, 1)
        return ca.vertcat(-g, ca.SX(3, 1))

    def _recursion(self, v: Any, a: Any, *, gravity: bool = True) -> Any:
        """Recursive Newton-Euler inverse dynamics, SPACE Algorithm 4.1 (springs and rotors left out)."""
        rates = self._rates(v)
        zetas = self._convective(v, rates)
        world = self._world_acceleration(gravity)
        wrenches: list[Any] = []
        accelerations: list[Any] = []
        for i, node in enumerate(self.nodes):
            parent = world if node.parent < 0 else accelerations[node.parent]
            t = self._carry(i, parent) + zetas[i] + self._subspaces[i] @ a[node.v]
            M, _ = self._inertias[i]
            accelerations.append(t)
            wrenches.append(ca.vertcat(*M.times(t[:3], t[3:])) + self._body_bias(i, rates[i]))
        tau: list[Any] = [None] * len(self.nodes)
        for i in range(len(self.nodes) - 1, -1, -1):
            tau[i] = self._subspaces[i].T @ wrenches[i]
            parent = self.nodes[i].parent
            if parent >= 0:
                wrenches[parent] = wrenches[parent] + self._carry_back(i, wrenches[i])
        return ca.vertcat(*tau)

    def inverse_dynamics(self) -> Any:
        """``M a + C v + dV/dq``."""
        x = self.variables
        return self._recursion(x.v, x.a) + self.model.armature * x.a + self.model.spring_force

    def bias(self) -> Any:
        """``C v + dV/dq``."""
        return self._recursion(self.variables.v, ca.SX(self.model.tree.nv, 1)) + self.model.spring_force

    def gravity(self) -> Any:
        """Gravity part of ``dV/dq``."""
        zero = ca.SX(self.model.tree.nv, 1)
        return self._recursion(zero, zero)

    def mass_matrix(self) -> Any:
        """Mass matrix by composite bodies, SPACE Algorithm A.1."""
        nv = self.model.tree.nv
        composite = [M for M, _ in self._inertias]
        D = ca.SX(nv, nv)
        for i in range(len(self.nodes) - 1, -1, -1):
            node, P = self.nodes[i], self._subspaces[i]
            F = ca.vertcat(*composite[i].times(P[:3, :], P[3:, :]))
            D[node.v, node.v] = P.T @ F
            j = i
            while self.nodes[j].parent >= 0:
                R, p = self.model.relative_poses[j]
                f = R @ F[:3, :]
                F = ca.vertcat(f, R @ F[3:, :] + cross_matrix(p) @ f)
                j = self.nodes[j].parent
                block = self._subspaces[j].T @ F
                D[self.nodes[j].v, node.v] = block
                D[node.v, self.nodes[j].v] = block.T
            if node.parent >= 0:
                composite[node.parent] = composite[node.parent] + self._inertia_in_parent(i, composite[i])
        return D + ca.diag(self.model.armature)

    def forward_dynamics(self) -> Any:
        """Accelerations by recursive Gaussian elimination in O(n), SPACE Algorithm A.3.

        The bias wrench is carried along in the elimination sweep instead of being computed before it.
        """
        x = self.variables
        rates = self._rates(x.v)
        zetas = self._convective(x.v, rates)
        tau = x.tau - self.model.spring_force
        inertia = [M for M, _ in self._inertias]
        beta = [self._body_bias(i, rates[i]) for i in range(len(self.nodes))]
        phi: list[Any] = [None] * len(self.nodes)
        reduced: list[Any] = [None] * len(self.nodes)
        for i in range(len(self.nodes) - 1, -1, -1):
            node, P, M = self.nodes[i], self._subspaces[i], inertia[i]
            phi_bar = ca.vertcat(*M.times(P[:3, :], P[3:, :]))
            Delta = P.T @ phi_bar + ca.diag(self.model.armature[node.v])
            X_hat = tau[node.v] - P.T @ beta[i]
            solved = solve_spd(Delta, ca.horzcat(X_hat, phi_bar.T))
            reduced[i], phi[i] = solved[:, 0], solved[:, 1:].T
            if node.parent < 0:
                continue
            eliminated = _eliminate(M, P, phi[i], phi_bar, free=self.model.armature[node.v].nnz() == 0)
            inertia[node.parent] = inertia[node.parent] + self._inertia_in_parent(i, eliminated)
            convective = ca.vertcat(*eliminated.times(zetas[i][:3], zetas[i][3:]))
            beta[node.parent] = beta[node.parent] + self._carry_back(i, beta[i] + convective + phi[i] @ X_hat)
        world = self._world_acceleration(gravity=True)
        accelerations: list[Any] = []
        a: list[Any] = []
        for i, node in enumerate(self.nodes):
            carried = self._carry(i, world if node.parent < 0 else accelerations[node.parent])
            carried = carried + zetas[i]
            a.append(reduced[i] - phi[i].T @ carried)
            accelerations.append(carried + self._subspaces[i] @ a[i])
        return ca.vertcat(*a)

    def coriolis_matrix(self) -> Any:
        """Coriolis matrix with ``M' - 2 C`` skew-symmetric, on world-fixed axes.

        ``C = sum J^T (M J' + B J)``, where each body's matrix ``B = ((t x*) M - M (t x) + (M t) xbar)/2`` satisfies
        ``B t = t x* M t`` and ``B + B^T = M'`` in world axes. This is the Christoffel-consistent choice; the product of
        SPACE (4.56) gives the same ``C v`` but no skew symmetry.
        """
        n, nv = len(self.nodes), self.model.tree.nv
        columns: list[Any] = []
        rates: list[Any] = []
        twists: list[Any] = []
        composite_M: list[Any] = []
        composite_B: list[Any] = []
        for i, node in enumerate(self.nodes):
            X = _motion_to_world(*self.model.world_poses[i])
            q, v = self.variables.q[node.q], self.variables.v[node.v]
            S = X @ self._subspaces[i]
            t = S @ v + (twists[node.parent] if node.parent >= 0 else 0)
            columns.append(S)
            rates.append(_ad(t) @ S + X @ joint_subspace_rate(node.joint, q, v))
            twists.append(t)
            M = self._inertias[i][0].in_parent(*self.model.world_poses[i]).matrix()
            ad = _ad(t)
            composite_M.append(M)
            composite_B.append((-ad.T @ M - M @ ad + _ad_bar(M @ t)) / 2)
        C = ca.SX(nv, nv)
        for j in range(n - 1, -1, -1):
            M, B = composite_M[j], composite_B[j]
            S_j, v_j = columns[j], self.nodes[j].v
            F = B @ S_j + M @ rates[j]
            for i in self.model.tree.path(j):
                v_i = self.nodes[i].v
                C[v_i, v_j] = columns[i].T @ F
                if i != j:
                    C[v_j, v_i] = S_j.T @ B @ columns[i] + (M @ S_j).T @ rates[i]
            parent = self.nodes[j].parent
            if parent >= 0:
                composite_M[parent] = composite_M[parent] + M
                composite_B[parent] = composite_B[parent] + B
        return C

    def kinetic_energy(self) -> Any:
        """Kinetic energy, rotors included."""
        twists = self._twists()
        T = ca.SX(0)
        for i, t in enumerate(twists):
            M, _ = self._inertias[i]
            f, n = M.times(t[:3], t[3:])
            T = T + (ca.dot(t[:3], f) + ca.dot(t[3:], n)) / 2
        return T + ca.dot(self.model.armature, self.variables.v**2) / 2

    def potential_energy(self) -> Any:
        """Potential energy of gravity (zero with all bodies at the world's origin) and springs."""
        V = self.model.spring_energy
        g = self.model.gravity_vector
        for i, (R, p) in enumerate(self.model.world_poses):
            M, c = self._inertias[i]
            V = V - ca.dot(g, M.A[0, 0] * p + R @ c)
        return V

    def _twists(self) -> list[Any]:
        """Twist of each node at its origin in its own axes, SPACE (4.28)."""
        twists: list[Any] = []
        for i, node in enumerate(self.nodes):
            t = self._subspaces[i] @ self.variables.v[node.v]
            twists.append(t if node.parent < 0 else self._carry(i, twists[node.parent]) + t)
        return twists

    def momentum(self) -> Any:
        """Linear momentum and angular momentum about the world's origin, in world axes (rotors' spin left out)."""
        total = ca.SX(6, 1)
        for i, t in enumerate(self._twists()):
            M, _ = self._inertias[i]
            R, p = self.model.world_poses[i]
            f, n = M.times(t[:3], t[3:])
            linear = R @ f
            total = total + ca.vertcat(linear, R @ n + ca.cross(p, linear))
        return total

    def center_of_mass(self) -> Any:
        """Centre of mass of the moving bodies in the world."""
        mass, moment = ca.SX(0), ca.SX(3, 1)
        for (M, c), (R, p) in zip(self._inertias, self.model.world_poses, strict=True):
            mass = mass + M.A[0, 0]
            moment = moment + M.A[0, 0] * p + R @ c
        return moment / mass

    def jacobian(self, frame: str) -> Any:
        """Jacobian of a frame's twist [v; w] at its origin in its own axes, SPACE (4.33)."""
        node, R, p = self.model.frame(frame)
        J = ca.SX(6, self.model.tree.nv)
        i, R_f, p_f = node, R, p
        while i >= 0:
            P = self._subspaces[i]
            J[:3, self.nodes[i].v] = R_f.T @ (P[:3, :] - cross_matrix(p_f) @ P[3:, :])
            J[3:, self.nodes[i].v] = R_f.T @ P[3:, :]
            R_i, p_i = self.model.relative_poses[i]
            R_f, p_f = R_i @ R_f, p_i + R_i @ p_f
            i = self.nodes[i].parent
        return J


def _motion_to_world(R: Any, p: Any) -> Any:
    """Matrix that turns a twist in node axes at its origin into one in world axes at the world's origin."""
    return ca.vertcat(ca.horzcat(R, cross_matrix(p) @ R), ca.horzcat(ca.SX(3, 3), R))


def _ad(t: Any) -> Any:
    """Motion cross product ``t x`` for twists [v; w]."""
    v, w = cross_matrix(t[:3]), cross_matrix(t[3:])
    return ca.vertcat(ca.horzcat(w, v), ca.horzcat(ca.SX(3, 3), w))


def _ad_bar(h: Any) -> Any:
    """Matrix of ``t -> t x* h`` for a momentum ``h = [f; n]``."""
    f, n = cross_matrix(h[:3]), cross_matrix(h[3:])
    return ca.vertcat(ca.horzcat(ca.SX(3, 3), -f), ca.horzcat(-f, -n))


def _eliminate(M: Inertia, P: Any, phi: Any, phi_bar: Any, *, free: bool) -> Inertia:
    """Articulated inertia ``M - phi phi_bar^T``; exactly zero along the coordinate axis of a joint without rotor."""
    reduced = M.minus_outer(phi, phi_bar)
    if not free or P.shape[1] != 1 or not P.is_constant():
        return reduced
    axis = [float(x) for x in ca.DM(P).full()[:, 0]]
    if sorted(abs(x) for x in axis) != [0.0] * 5 + [1.0]:
        return reduced
    k = max(range(6), key=lambda i: abs(axis[i]))
    keep = ca.DM.eye(6)
    keep[k, k] = 0
    L, W = keep[:3, :3], keep[3:, 3:]
    return Inertia(L @ reduced.A @ L, L @ reduced.B @ W, W @ reduced.D @ W)
