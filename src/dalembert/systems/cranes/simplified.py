"""The simplified models of CRANE as equations that run: small angles of order 0 and 1, a large payload.

With ``a_k = theta_1 + .. + theta_k`` and ``(S_k, C_k)`` in place of ``(sin a_k, cos a_k)``, node ``i`` has

    x_i'' = x'' + sum_k (l_k a_k'' + 2 l_k' a_k') C_k + (l_k'' - l_k a_k'^2) S_k
    y_i'' =       sum_k (l_k a_k'' + 2 l_k' a_k') S_k - (l_k'' - l_k a_k'^2) C_k,       k = 1 .. i

and the equations are ``sum_i m_i J_i^T (x_i'', y_i'')`` and gravity. ``(a_k, 1)`` is the first order: (22), (48), (66),
(72), (77); ``(0, 1)`` the zeroth: (23), (49), (67), (73), (78), (148)-(153). A large payload leaves ``m_N`` alone:
(24), (44)-(47), (64), (65), (76), (143)-(147). Terms of the printed derivatives that are not here cancel between
``d/dt dT/dq'`` and ``dT/dq`` once misprints are corrected (``docs/errata.md``).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from dalembert.compile.kernel import Backend
from dalembert.core.errors import InputError
from dalembert.core.types import Expression
from dalembert.formulations.base import FormulationBase
from dalembert.formulations.equations import EquationsOfMotion, derive
from dalembert.formulations.factorization import solve_spd
from dalembert.model.machine import Machine
from dalembert.systems.cranes.coordinates import Columns, link_count, rod_masses

__all__ = ["simplified_crane"]

ANGLES = ("exact", "first", "zeroth")


def simplified_crane(
    machine: Machine, angles: str = "first", *, large_payload: bool = False, backend: Backend = "auto"
) -> EquationsOfMotion:
    """Equations of a planar crane under the simplifications of CRANE, for `dalembert.simulate` and the rest.

    Poses, motors and losses are those of the crane; only its equations are simplified. They are written as printed, so
    that they need not conserve energy: ``run.energy`` shows by how much they fail to. Gravity is that of the first
    order in both orders; as printed (after (83)) it would be zero, and nothing would swing.

    Parameters
    ----------
    machine
        A planar crane with masses at its nodes.
    angles
        ``"first"``: ``sin a = a``, ``cos a = 1``; ``"zeroth"``: ``sin a = 0``; ``"exact"``: no simplification.
    large_payload
        Leave out all masses of the cable but the payload. With two links and more the mass matrix is then singular in
        the hanging posture (remarks 9, 13 and 14): its equations can be evaluated, but not simulated. Simulate a crane
        with one link instead.
    backend
        How the functions are evaluated, as in `dalembert.equations`.

    Examples
    --------
    >>> from dalembert.systems.cranes import planar_crane, simplified_crane, uniform_cable
    >>> crane = planar_crane(uniform_cable(2, 6.0, payload=500.0, mass=20.0), lengths="hoisted")
    >>> simplified_crane(crane, "zeroth", backend="vm").mass_matrix([0, 0.1, 3.0, 0.2])[0].round(1)
    array([ 620., 3060.,    0., 1515.])
    """
    col = Columns(machine)
    if col.spatial:
        raise InputError(f"the simplified models apply to planar cranes; crane '{machine.name}' is spatial")
    if rod_masses(machine).any():
        raise InputError(f"the simplified models apply to point masses; links of crane '{machine.name}' are rods")
    if not isinstance(angles, str) or angles not in ANGLES:
        raise InputError(f"angles of a simplified crane must be one of {', '.join(ANGLES)}, got {angles!r}")
    if not isinstance(large_payload, bool):
        raise InputError(f"large_payload of a simplified crane must be true or false, got {large_payload!r}")
    return EquationsOfMotion(machine, _Simplified(machine, angles, large_payload), backend)


@dataclass(frozen=True)
class _Link:
    """Columns of a link in ``v``, its length with its rates, and the replacements of sine and cosine."""

    rate: Expression  # row that makes a_k' from v
    growth: Expression  # row that makes l_k' from v
    length: Expression | float
    angle: Expression
    S: Expression
    C: Expression


class _Simplified(FormulationBase):
    """Equations of nodes; everything else is that of the crane."""

    name = "simplified"

    def __init__(self, machine: Machine, angles: str, large_payload: bool) -> None:
        self._full = full = derive(machine).formulation
        self.machine, self.variables, self.layout = machine, full.variables, full.layout
        self._angles, self._large = angles, large_payload

    @cached_property
    def _links(self) -> list[_Link]:
        names, x = self.machine.q_names, self.variables
        row, angle, links = ca.SX(1, len(names)), ca.SX(0), []
        for k in range(1, link_count(self.machine) + 1):
            turn, joint = f"theta{k}", self.machine.joint(f"l{k}")
            if turn in names:  # an angle may be locked at another value, which a fixed joint does not record
                row = row + ca.SX.eye(len(names))[names.index(turn), :]
                angle = angle + x.q[names.index(turn)]
            else:
                raise InputError(f"a simplified crane needs all its angles; '{turn}' is locked")
            varies = joint.name in names
            growth = ca.SX.eye(len(names))[names.index(joint.name), :] if varies else ca.SX(1, len(names))
            length = x.q[names.index(joint.name)] if varies else -x.value(joint.origin.translation[2])
            one, none = ca.SX(1), ca.SX(0)
            S, C = {"exact": (ca.sin(angle), ca.cos(angle)), "first": (angle, one), "zeroth": (none, one)}[self._angles]
            links.append(_Link(row, growth, length, angle, S, C))
        return links

    @cached_property
    def _springs(self) -> Expression:
        """Energy of springs along the links and at their joints."""
        x = self.variables
        joints = [self.machine.joint(name) for name in self.machine.q_names]
        return sum((x.value(j.stiffness) * (x.q[i] - x.value(j.rest)) ** 2 / 2 for i, j in enumerate(joints)), ca.SX(0))

    @cached_property
    def _masses(self) -> list[Expression]:
        n = link_count(self.machine)
        masses = [ca.SX(self.variables.value(self.machine.body(f"node{i}").mass)) for i in range(1, n + 1)]
        return [ca.SX(0.0)] * (n - 1) + masses[-1:] if self._large else masses

    @cached_property
    def _nodes(self) -> list[tuple[Expression, Expression, Expression]]:
        """Mass, Jacobian (2, nv) and acceleration at constant velocities of each node."""
        names, v = self.machine.q_names, self.variables.v
        cart = ca.SX.eye(len(names))[names.index("x"), :] if "x" in names else ca.SX(1, len(names))
        J, drift, result = ca.vertcat(cart, ca.SX(1, len(names))), ca.SX(2, 1), []
        for m, link in zip(self._masses, self._links, strict=True):
            turn, grow = ca.vertcat(link.C, link.S), ca.vertcat(link.S, -link.C)
            J = J + link.length * (turn @ link.rate) + grow @ link.growth
            rate, growth = link.rate @ v, link.growth @ v
            drift = drift + 2 * growth * rate * turn - link.length * rate**2 * grow
            result.append((m, J, drift))
        return result

    def mass_matrix(self) -> Expression:
        """``sum_i m_i J_i^T J_i`` and the trolley."""
        M = ca.SX(self.layout.nv, self.layout.nv)
        if "x" in self.machine.q_names:
            i = self.machine.q_names.index("x")
            M[i, i] = self.variables.value(self.machine.body("trolley").mass)
        return M + sum((m * (J.T @ J) for m, J, _ in self._nodes), ca.SX(*M.shape))

    def _velocity_force(self) -> Expression:
        return sum((m * (J.T @ drift) for m, J, drift in self._nodes), ca.SX(self.layout.nv, 1))

    def coriolis_matrix(self) -> Expression:
        """Half the derivative of the velocity force; where it is simplified, ``M' - 2 C`` is not skew."""
        return ca.jacobian(self._velocity_force(), self.variables.v) / 2

    def _weights(self) -> list[tuple[Expression, _Link]]:
        """Weight below each joint and the link."""
        g = -self.variables.value(self.machine.gravity[2])
        below = [sum(self._masses[k:], ca.SX(0)) * g for k in range(len(self._links))]
        return list(zip(below, self._links, strict=True))

    def gravity(self) -> Expression:
        """(83), (84); the sine is that of the first order in both orders."""
        total = ca.SX(self.layout.nv, 1)
        for weight, link in self._weights():
            S = link.S if self._angles == "exact" else link.angle
            total = total + weight * (link.length * S * link.rate.T - link.C * link.growth.T)
        return total

    def bias(self) -> Expression:
        """Velocity force, gravity and springs."""
        return self._velocity_force() + self.gravity() + ca.gradient(self._springs, self.variables.q)

    def inverse_dynamics(self) -> Expression:
        """``M a + bias``."""
        return self.mass_matrix() @ self.variables.a + self.bias()

    def forward_dynamics(self) -> Expression:
        """Solution of ``M a = tau - bias``."""
        n = link_count(self.machine)
        if self._large and n >= 2:
            raise InputError(
                f"with a large payload the mass matrix of the {n} links of crane '{self.machine.name}' is singular in "
                "the hanging posture (CRANE, Lemma 1 item 8): expected a crane with one link, or large_payload=False"
            )
        return solve_spd(self.mass_matrix(), self.variables.tau - self.bias())

    def kinetic_energy(self) -> Expression:
        """``v^T M v/2``."""
        return ca.bilin(self.mass_matrix(), self.variables.v, self.variables.v) / 2

    def potential_energy(self) -> Expression:
        """Gravity, to second order in the angles unless they are exact, and springs."""
        cosine = (link.C if self._angles == "exact" else 1 - link.angle**2 / 2 for _, link in self._weights())
        V = sum((-w * link.length * c for (w, link), c in zip(self._weights(), cosine, strict=True)), ca.SX(0))
        return V + self._springs

    def momentum(self) -> Expression:
        """Momentum of the crane itself."""
        return self._full.momentum()

    def center_of_mass(self) -> Expression:
        """Centre of mass of the crane itself."""
        return self._full.center_of_mass()

    def actuation(self) -> Expression:
        """Generalised forces of the motors."""
        return self._full.actuation()

    def losses(self) -> Expression:
        """Generalised forces of the losses."""
        return self._full.losses()

    def coordinate_rates(self) -> Expression:
        """Rates of the coordinates."""
        return self._full.coordinate_rates()

    def frame_pose(self, frame: str) -> tuple[Expression, Expression]:
        """Pose of a frame of the crane itself."""
        return self._full.frame_pose(frame)

    def jacobian(self, frame: str) -> Expression:
        """Jacobian of a frame of the crane itself."""
        return self._full.jacobian(frame)

    def joint_coordinate(self, joint: str) -> Expression:
        """Coordinate of a joint that has one."""
        return self._full.joint_coordinate(joint)

    def joint_rate(self, joint: str) -> Expression:
        """Rate of a joint that has one coordinate."""
        return self._full.joint_rate(joint)
