"""Lagrange's equations from the energies by automatic differentiation: the oracle of the other formulations.

Only the poses of the bodies are taken from the tree. Velocities are time derivatives of positions and rotation
matrices, the
energies are summed body by body (König; ROBOTICS, robot kinetic energy), and everything else is differentiation:

    p = dT/dv = M v,   D = (dp/dq) B,   C = (M' + D - D^T)/2 + G(p),   q' = B(q) v,

with the skew matrix ``G`` of the quasi-velocities' structure constants (Boltzmann-Hamel). For ``q' = v`` this is the
matrix of the Christoffel symbols, ``c_kij = (db_kj/dq_i + db_ki/dq_j - db_ij/dq_k)/2``, and ``M' - 2 C`` is skew.

A beam is integrated over its length by Gauss' rule from the positions of its axis and of two directors of each section
(`Elastic.energy_field`), without any of the shape integrals of the recursive formulation.
"""

from __future__ import annotations

from functools import cached_property

import casadi as ca

from dalembert.core.types import Expression
from dalembert.formulations.factorization import solve_spd
from dalembert.formulations.tree.formulation import TreeFormulation
from dalembert.formulations.tree.model import CarriedRotor
from dalembert.formulations.variables import entries
from dalembert.model.elastic.contract import EnergyField

__all__ = ["Lagrange"]


class Lagrange(TreeFormulation):
    """Expressions of a tree from its energies."""

    name = "lagrange"

    def _rate(self, x: Expression) -> Expression:
        """Total time derivative of an expression in ``q`` (or ``q`` and ``v`` held)."""
        column = ca.jtimes(ca.densify(ca.vec(x)), self.variables.q, self.model.coordinate_rates())
        return ca.reshape(column, *x.shape)

    def _twist(self, R: Expression, p: Expression) -> tuple[Expression, Expression]:
        """Velocity of a point in world axes and angular velocity in the axes of ``R``, by differentiation."""
        S = R.T @ self._rate(R)
        return self._rate(p), ca.vertcat(S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]) / 2

    @cached_property
    def _fields(self) -> list[EnergyField]:
        """Moving points of the flexible bodies."""
        model, value = self.model, self.variables.value
        return [
            node.elastic.energy_field(entries(self.variables.q, node.modal_q), *model.world_poses[i], value)
            for i, node in enumerate(model.tree.nodes)
            if node.is_root and node.elastic is not None
        ]

    @cached_property
    def _kinetic(self) -> Expression:
        T = ca.dot(self.model.armature, self.variables.v**2) / 2
        for field in self._fields:
            T = T + ca.dot(field.weights, ca.sum1(self._rate(field.left) * self._rate(field.right)).T) / 2
        for m, c, R, I_c in self.model.moving_bodies:
            velocity, w = self._twist(R, c)
            T = T + m * ca.sumsqr(velocity) / 2 + ca.dot(w, I_c @ w) / 2
        for rotor, s in self._rotor_rates:
            T = T + rotor.inertia * s**2 / 2
        return T

    @cached_property
    def _rotor_rates(self) -> list[tuple[CarriedRotor, Expression]]:
        """Rates of the rotors that moving nodes carry, about their axes."""
        model = self.model
        return [
            (rotor, model.rotor_rate(rotor, self._twist(*model.world_poses[rotor.node])[1], self.variables.v))
            for rotor in model.rotors
        ]

    @cached_property
    def _momenta(self) -> Expression:
        return ca.gradient(self._kinetic, self.variables.v)

    @cached_property
    def _mass_matrix(self) -> Expression:
        """Hessian of the kinetic energy in the velocities, body by body: ``m J_L^T J_L + J_A^T I_c J_A`` (ROBOTICS)."""
        v = self.variables.v
        M = ca.diag(self.model.armature)
        for m, c, R, I_c in self.model.moving_bodies:
            velocity, w = self._twist(R, c)
            J_L, J_A = ca.jacobian(velocity, v), ca.jacobian(w, v)
            M = M + m * (J_L.T @ J_L) + J_A.T @ (I_c @ J_A)
        for field in self._fields:
            weights = ca.diag(ca.repmat(field.weights.T, 3, 1)[:])
            J, K = (ca.jacobian(ca.vec(self._rate(x)), v) for x in (field.left, field.right))
            M = M + (J.T @ weights @ K + K.T @ weights @ J) / 2
        for rotor, s in self._rotor_rates:
            G = ca.jacobian(s, v)
            M = M + rotor.inertia * (G.T @ G)
        return ca.triu2symm(ca.triu(ca.cse(M)))

    def _gradient(self, V: Expression) -> Expression:
        """Gradient per velocity, ``B^T dV/dq``."""
        return ca.gradient(self._rate(V), self.variables.v)

    @cached_property
    def _gravity_energy(self) -> Expression:
        g = self.model.gravity_vector
        moments = [m * c for m, c, _, _ in self.model.moving_bodies] + [field.first_moment for field in self._fields]
        return -sum((ca.dot(g, moment) for moment in moments), ca.SX(0))

    def kinetic_energy(self) -> Expression:
        """Kinetic energy, rotors included."""
        return self._kinetic

    def potential_energy(self) -> Expression:
        """Potential energy of gravity and springs."""
        return self._gravity_energy + self.model.spring_energy

    def mass_matrix(self) -> Expression:
        """Hessian of the kinetic energy in the velocities."""
        return self._mass_matrix

    def gravity(self) -> Expression:
        """Gradient of the gravity energy."""
        return self._gradient(self._gravity_energy)

    def coriolis_matrix(self) -> Expression:
        """Christoffel matrix of the first kind, with the structure terms of quasi-velocities."""
        B = ca.jacobian(self.model.coordinate_rates(), self.variables.v)
        D = ca.jacobian(self._momenta, self.variables.q) @ B
        return (self._rate(self._mass_matrix) + D - D.T) / 2 + self.model.structure(self._momenta)

    def bias(self) -> Expression:
        """``C v + dV/dq``, from Lagrange's equations directly: ``M' v - B^T dT/dq + G v + B^T dV/dq``."""
        x = self.variables
        Mdot_v = self._rate(self._momenta)
        pull = self._gradient_at_fixed_velocity(self._kinetic)
        return Mdot_v - pull + self.model.structure(self._momenta) @ x.v + self._gradient(self.potential_energy())

    def _gradient_at_fixed_velocity(self, T: Expression) -> Expression:
        B = ca.jacobian(self.model.coordinate_rates(), self.variables.v)
        return B.T @ ca.gradient(T, self.variables.q)

    def inverse_dynamics(self) -> Expression:
        """``M a + C v + dV/dq``."""
        return self._mass_matrix @ self.variables.a + self.bias()

    def forward_dynamics(self) -> Expression:
        """Solution of ``M a = tau - bias`` by factorisation of the mass matrix."""
        return solve_spd(self._mass_matrix, self.variables.tau - self.bias())

    def momentum(self) -> Expression:
        """Linear momentum and angular momentum about the world's origin, in world axes.

        Rotors that moving nodes carry are among the bodies, armatures and rotors on the world are not.
        """
        total = ca.SX(6, 1)
        for m, c, R, I_c in self.model.moving_bodies:
            velocity, w = self._twist(R, c)
            total = total + ca.vertcat(m * velocity, R @ (I_c @ w) + ca.cross(c, m * velocity))
        for field in self._fields:
            x, y = field.left, field.right
            turning = (_cross_columns(x, self._rate(y)) + _cross_columns(y, self._rate(x))) / 2
            total = total + ca.vertcat(self._rate(field.first_moment), turning @ field.weights)
        for rotor, s in self._rotor_rates:
            total[3:] += self.model.world_poses[rotor.node][0] @ (rotor.inertia * s * rotor.axis)
        return total

    def center_of_mass(self) -> Expression:
        """Centre of mass of the moving bodies in the world."""
        mass = sum((m for m, *_ in self.model.moving_bodies), ca.SX(0)) + sum((f.mass for f in self._fields), ca.SX(0))
        moment = sum((m * c for m, c, *_ in self.model.moving_bodies), ca.SX(3, 1))
        return (moment + sum((f.first_moment for f in self._fields), ca.SX(3, 1))) / mass

    def jacobian(self, frame: str) -> Expression:
        """Jacobian of a frame's twist [v; w] at its origin in its own axes, by differentiation of its pose."""
        R, p = self.model.frame_pose(frame)
        velocity, w = self._twist(R, p)
        return ca.jacobian(ca.vertcat(R.T @ velocity, w), self.variables.v)


def _cross_columns(x: Expression, y: Expression) -> Expression:
    """Cross products of the columns of two matrices."""
    return ca.horzcat(*[ca.cross(x[:, k], y[:, k]) for k in range(x.shape[1])])
