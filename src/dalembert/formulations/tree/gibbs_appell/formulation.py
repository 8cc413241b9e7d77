"""Gibbs-Appell's equations of a tree of rigid and flexible links.

Source: IMPACT, section 3 and appendix, extended to space, to any joint, to branches, to elastic rotary inertia and to
finite elastic rotations. The acceleration energy ``S`` is differentiated by the accelerations,

    dS/da + dV/dq = tau,      dS/da = I_f a - Re                                                        (35)-(38)

where the derivatives of the accelerations of each link by those of the coordinates are the motions of the links that
carry it (47)-(51). All is done with rotations (3 x 3) and vectors (3).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import casadi as ca

from dalembert.core.types import Expression
from dalembert.formulations.factorization import solve_spd
from dalembert.formulations.tree.formulation import TreeFormulation
from dalembert.formulations.tree.gibbs_appell.inertia import inertia_matrix
from dalembert.formulations.tree.gibbs_appell.link import Link
from dalembert.formulations.tree.gibbs_appell.motion import LinkMotion
from dalembert.formulations.tree.model import CarriedRotor
from dalembert.formulations.variables import entries
from dalembert.model.elastic.contract import Elastic
from dalembert.model.machine import Machine
from dalembert.spatial.rotations import cross_matrix

__all__ = ["GibbsAppell"]


class GibbsAppell(TreeFormulation):
    """Expressions of a tree from its acceleration energy.

    Parameters
    ----------
    machine
        The machine.
    """

    name = "gibbs-appell"

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine)
        self.motion = LinkMotion(self.model)
        nodes = self.model.tree.nodes
        self.links = [Link(nodes[i], self.variables) for i in self.motion.nodes]

    @classmethod
    def refusal(cls, machine: Machine) -> str | None:
        """Flexible bodies whose points are not linear in their coordinates."""
        for body in machine.bodies:
            if isinstance(body, Elastic) and not body.linear:
                return (
                    f"machine '{machine.name}' has the {body.kind} '{body.name}', whose points are not linear in its "
                    "coordinates; use by='newton-euler' or by='lagrange'"
                )
        return None

    def _derivatives(self, v: Expression, a: Expression, *, gravity: bool = True) -> Expression:
        """``dS/da`` by (27)-(29), from the outermost links inwards; terms 13, 14, 41-43 and 51 for ``a = 0``."""
        tau = ca.SX(self.model.tree.nv, 1)
        forces: list[tuple[Expression, Expression]] = []
        states = self.motion.states(v, a, gravity=gravity)
        for link, state in zip(self.links, states, strict=True):
            S, T, Q = link.forces(state.w, entries(v, link.modal), state.r, state.turn, entries(a, link.modal))
            forces.append((S, T))
            if link.n:
                tau[link.modal] += Q
        for rotor, c in self._rotors:
            s, change = (self.model.rotor_rate(rotor, x, y) for x, y in ((states[c].w, v), (states[c].turn, a)))
            S, T = forces[c]
            forces[c] = S, T + rotor.inertia * (change * rotor.axis + s * ca.cross(states[c].w, rotor.axis))
            tau[rotor.index] += rotor.inertia * rotor.excess * change
        for c in range(len(self.links) - 1, -1, -1):
            hop, (S, T) = self.motion.hops[c], forces[c]
            for rows, d, e in hop.motions:
                tau[rows] += d.T @ S + e.T @ T
            if hop.parent >= 0:
                f, n = forces[hop.parent]
                carried = hop.R @ S
                forces[hop.parent] = (f + carried, n + hop.R @ T + ca.cross(hop.p, carried))
        return tau

    @cached_property
    def _rotors(self) -> list[tuple[CarriedRotor, int]]:
        """Rotors that moving links carry, and the links that they drive."""
        return [(rotor, self.motion.nodes.index(rotor.node)) for rotor in self.model.rotors]

    def acceleration_energy(self) -> Expression:
        """Gibbs' function ``S`` (5) in an accelerated world, without terms that have no acceleration in them."""
        x = self.variables
        S = ca.dot(self.model.armature, x.a**2) / 2
        states = self.motion.states(x.v, x.a)
        for link, state in zip(self.links, states, strict=True):
            rate, acceleration = entries(x.v, link.modal), entries(x.a, link.modal)
            S = S + link.acceleration_energy(state.w, rate, state.r, state.turn, acceleration)
        for rotor, c in self._rotors:
            w, turn = states[c].w, states[c].turn
            s, change = self.model.rotor_rate(rotor, w, x.v), self.model.rotor_rate(rotor, turn, x.a)
            S = S + rotor.inertia * (change**2 / 2 + s * ca.dot(turn, ca.cross(w, rotor.axis)))
        return S

    @cached_property
    def _mass_matrix(self) -> Expression:
        M = inertia_matrix(self.motion, self.links, self.model.tree.nv) + ca.diag(self.model.armature)
        for rotor, c in self._rotors:
            G = ca.SX(1, self.model.tree.nv)
            R, e = ca.SX.eye(3), rotor.axis
            for b in self.motion.path(c):
                for columns, _, turn in self.motion.hops[b].motions:
                    G[columns] += (R @ e).T @ turn
                R = self.motion.hops[b].R @ R
            G[rotor.index] += rotor.excess
            M = M + rotor.inertia * (G.T @ G)
        return M

    def mass_matrix(self) -> Expression:
        """Inertia matrix by the sums of the appendix."""
        return self._mass_matrix

    def bias(self) -> Expression:
        """``-Re``, (52)-(57): ``dS/da + dV/dq`` without accelerations."""
        return self._derivatives(self.variables.v, ca.SX(self.model.tree.nv, 1)) + self.model.spring_force

    def gravity(self) -> Expression:
        """Gravity part of ``dV/dq``: the world accelerates, nothing else moves."""
        zero = ca.SX(self.model.tree.nv, 1)
        return self._derivatives(zero, zero)

    def inverse_dynamics(self) -> Expression:
        """``dS/da + dV/dq`` (35)-(37)."""
        x = self.variables
        return self._derivatives(x.v, x.a) + self.model.armature * x.a + self.model.spring_force

    def forward_dynamics(self) -> Expression:
        """Solution of (38) by factorisation of the inertia matrix."""
        return solve_spd(self._mass_matrix, self.variables.tau - self.bias())

    def coriolis_matrix(self) -> Expression:
        """Coriolis matrix of the inertia matrix, by differentiation, with ``M' - 2 C`` skew-symmetric.

        The acceleration energy gives the force ``C v`` only; the matrix is that of Lagrange's equations.
        """
        x, qdot = self.variables, self.model.coordinate_rates()
        M = ca.cse(self._mass_matrix)
        p = ca.densify(M @ x.v)
        D = ca.jacobian(p, x.q) @ ca.jacobian(qdot, x.v)
        rate = ca.reshape(ca.jtimes(ca.vec(ca.densify(M)), x.q, qdot), *M.shape)
        return (rate + D - D.T) / 2 + self.model.structure(p)

    def kinetic_energy(self) -> Expression:
        """Kinetic energy, rotors included."""
        x = self.variables
        T = ca.dot(self.model.armature, x.v**2) / 2
        for link, (velocity, w) in zip(self.links, self.motion.twists(x.v), strict=True):
            T = T + link.kinetic_energy(velocity, w, entries(x.v, link.modal))
        return T + sum((rotor.inertia * s**2 / 2 for rotor, _, s in self._rotor_rates()), ca.SX(0))

    def _rotor_rates(self) -> Iterator[tuple[CarriedRotor, int, Expression]]:
        """Rotors that moving links carry, the links that they drive, and their rates about their axes."""
        twists = self.motion.twists(self.variables.v)
        for rotor, c in self._rotors:
            yield rotor, c, self.model.rotor_rate(rotor, twists[c][1], self.variables.v)

    def potential_energy(self) -> Expression:
        """Potential energy of gravity (zero with all bodies at the world's origin) and springs."""
        return self.model.spring_energy - ca.dot(self.model.gravity_vector, self._moment)

    @property
    def _poses(self) -> list[tuple[Expression, Expression]]:
        return [self.model.world_poses[i] for i in self.motion.nodes]

    @property
    def _moment(self) -> Expression:
        """First moment of mass in the world."""
        terms = [link.mass * p + R @ link.first for link, (R, p) in zip(self.links, self._poses, strict=True)]
        return sum(terms, ca.SX(3, 1))

    def momentum(self) -> Expression:
        """Linear momentum and angular momentum about the world's origin, in world axes.

        Rotors that moving nodes carry are among the bodies, armatures and rotors on the world are not.
        """
        v, total = self.variables.v, ca.SX(6, 1)
        for link, (velocity, w), (R, p) in zip(self.links, self.motion.twists(v), self._poses, strict=True):
            linear, angular = link.momentum(velocity, w, entries(v, link.modal))
            linear = R @ linear
            total = total + ca.vertcat(linear, R @ angular + ca.cross(p, linear))
        for rotor, c, s in self._rotor_rates():
            total[3:] += self._poses[c][0] @ (rotor.inertia * s * rotor.axis)
        return total

    def center_of_mass(self) -> Expression:
        """Centre of mass of the moving bodies in the world."""
        return self._moment / sum((link.mass for link in self.links), ca.SX(0))

    def jacobian(self, frame: str) -> Expression:
        """Jacobian of a frame's twist [v; w] at its origin in its own axes, of (47)-(51) and (58)."""
        node, R, p = self.model.frame(frame)
        J = ca.SX(6, self.model.tree.nv)
        c, section = self.motion.locate(node)
        if section is not None and self.links[c].n:
            arm = section.R @ p
            d, e = section.S[:3, :] - cross_matrix(arm) @ section.S[3:, :], section.S[3:, :]
            J[:, self.links[c].modal] = ca.vertcat(R.T @ section.R.T @ d, R.T @ section.R.T @ e)
        if section is not None:
            R, p = section.R @ R, section.p + section.R @ p
        while c >= 0:
            hop = self.motion.hops[c]
            for columns, d, e in hop.motions:
                J[:, columns] = ca.vertcat(R.T @ (d - cross_matrix(p) @ e), R.T @ e)
            R, p, c = hop.R @ R, hop.p + hop.R @ p, hop.parent
        return J
