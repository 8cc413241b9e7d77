"""The expressions behind a set of equations, each made once on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar, cast

import casadi as ca

from dalembert.compile.rows_builder import RowExpressions
from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.parameter import Scalar
from dalembert.core.ports import Formulation
from dalembert.core.types import Expression
from dalembert.formulations.actuation import actuator_efforts
from dalembert.formulations.derivatives import forward_derivatives, inverse_derivatives
from dalembert.formulations.matrices import coriolis_rows, mass_rows
from dalembert.model.fields import ForceField, FrameMotion
from dalembert.model.joint import WORLD
from dalembert.model.parts import Thruster, Wrench
from dalembert.model.soft_contact import SoftContact, SoftForce

__all__ = ["Symbolic"]

T = TypeVar("T")


class Symbolic:
    """CasADi expressions of the contract, as attributes: ``q``, ``v``, ``mass_matrix``, ``forward_dynamics`` and so on.

    Expressions of a frame are methods: ``jacobian("tool")``, ``pose("tool")``.
    """

    def __init__(self, formulation: Formulation) -> None:
        self._formulation = formulation
        self._layout = formulation.layout
        self._cache: dict[str, object] = {}
        x = formulation.variables
        self.q, self.v, self.a, self.tau, self.u, self.t, self.p = x.q, x.v, x.a, x.tau, x.u, x.t, x.p

    def _once(self, key: str, make: Callable[[], T]) -> T:
        if key not in self._cache:
            self._cache[key] = make()
        return cast(T, self._cache[key])

    def __getattr__(self, name: str) -> Expression:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in EXPRESSIONS:
            raise UnknownNameError("expression", name, EXPRESSIONS)
        machine = self._formulation.machine
        if name == "forward_dynamics" and machine.constrained:
            raise InputError(f"machine '{machine.name}' has constraints: use constrained_dynamics")
        return self._once(name, lambda: getattr(self._formulation, name)())

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *EXPRESSIONS]

    @property
    def coordinate_rate(self) -> Expression:
        """Rates of the coordinates, ``B(q) v``."""
        return self._once("coordinate_rate", self._formulation.coordinate_rates)

    def moved(self, d: Expression) -> Expression:
        """Configuration reached from ``q`` by the tangent displacement ``d``."""
        return self._formulation.moved(d)

    @property
    def actuation(self) -> Expression:
        """Generalised forces of the motors and thrusters."""
        return self._once("actuation", lambda: self._formulation.actuation() + self._thrust())

    @property
    def losses(self) -> Expression:
        """Generalised forces of dampers, friction and motor losses."""
        return self._once("losses", self._formulation.losses)

    @property
    def wrenches(self) -> Expression:
        """Generalised forces of the applied wrenches."""
        return self._once("wrenches", self._wrenches)

    @property
    def applied(self) -> Expression:
        """All that has no potential: motors, thrusters, losses and wrenches."""
        return self.actuation + self.losses + self.wrenches

    @property
    def inverse_dynamics_derivatives(self) -> tuple[Expression, ...]:
        """Derivatives of the inverse dynamics by q (tangent space), v, a and p."""
        return self._written_out("inverse_dynamics_derivatives")

    @property
    def forward_dynamics_derivatives(self) -> tuple[Expression, ...]:
        """Derivatives of the forward dynamics by q (tangent space), v, tau and p."""
        return self._written_out("forward_dynamics_derivatives")

    def _written_out(self, name: str) -> tuple[Expression, ...]:
        rows = self.rows(name)
        assert rows is not None  # derivatives are always written in stages
        return self._once(name, lambda: tuple(rows.expressions()))

    def rows(self, name: str) -> RowExpressions | None:
        """Expressions of a name in `ROWS`, in stages; None where a tape is as good."""
        return self._once(f"rows:{name}", lambda: ROWS[name](self._formulation) if name in ROWS else None)

    @property
    def to_machine(self) -> tuple[Expression, Expression]:
        """Coordinates and velocities of the machine's own choice."""
        return self._once("to_machine", self._formulation.to_machine)

    def joint_coordinate(self, joint: str) -> Expression:
        """Coordinate of a joint that has one."""
        return self._once(f"joint_coordinate:{joint}", lambda: self._formulation.joint_coordinate(joint))

    def joint_rate(self, joint: str) -> Expression:
        """Rate of a joint that has one coordinate."""
        return self._once(f"joint_rate:{joint}", lambda: self._formulation.joint_rate(joint))

    def value(self, x: Scalar) -> Expression | float:
        """Return a scalar of the machine as a number or an expression of the parameter symbols and time."""
        return self._formulation.variables.value(x)

    @property
    def energy(self) -> tuple[Expression, Expression]:
        """Kinetic and potential energy."""
        return self.kinetic_energy, self.potential_energy

    def _wrenches(self) -> Expression:
        machine, total = self._formulation.machine, ca.SX(self._layout.nv, 1)
        total = sum(map(self._force_of, machine.wrenches), start=total)
        return sum(map(self._force_of_field, machine.fields), start=total)

    def _force_of_field(self, field: ForceField) -> Expression:
        """Generalised forces of fields that depend on the motion of a frame."""
        if isinstance(field, SoftContact):
            found, total = self.soft_contact(field), ca.SX(self._layout.nv, 1)
            for frame, f in ((field.frame, found.force), (field.on, -found.force)):
                motion = self._motion(frame)
                if frame != WORLD:
                    arm = found.point - motion.position
                    total = total + self.jacobian(frame, "world").T @ ca.vertcat(f, ca.cross(arm, f))
            return total
        return self.jacobian(field.frame, "world").T @ ca.vertcat(*field.wrench(self._motion(field.frame)))

    def soft_contact(self, contact: SoftContact) -> SoftForce:
        """Force, gap and slip of a soft contact."""
        return self._once(
            f"soft_contact:{contact.name}",
            lambda: contact.force(self._motion(contact.frame), self._motion(contact.on)),
        )

    def _motion(self, frame: str) -> FrameMotion:
        """Motion of a frame in world axes."""
        value = self._formulation.variables.value
        if frame == WORLD:
            zero = ca.SX.zeros(3)
            return FrameMotion(zero, ca.SX.eye(3), zero, zero, self.t, value)
        R, p = self._formulation.frame_pose(frame)
        twist = self.jacobian(frame, "world") @ self.v
        return FrameMotion(ca.SX(p), ca.SX(R), twist[:3], twist[3:], self.t, value)

    def _thrust(self) -> Expression:
        machine, total = self._formulation.machine, ca.SX(self._layout.nv, 1)
        if not machine.thrusters:
            return total
        efforts = actuator_efforts(machine, self.u, self.value, self.joint_rate)
        for k, thruster in enumerate(machine.thrusters, start=len(machine.motors)):
            total = total + self._force_of(thruster) * efforts[k]
        return total

    def _force_of(self, load: Wrench | Thruster) -> Expression:
        """Generalised forces of a wrench, or of a thruster at unit input."""
        x = self._formulation.variables
        f, n = (ca.vertcat(*[x.value(c) for c in vector]) for vector in (load.force, load.torque))
        if isinstance(load, Thruster) and load.toward is not None:
            f = self.pull(load)
        if load.axes == "world":
            R, _ = self._formulation.frame_pose(load.frame)
            f, n = R.T @ f, R.T @ n
        return self.jacobian(load.frame).T @ ca.vertcat(f, n)

    def pull(self, thruster: Thruster) -> Expression:
        """Unit vector in world axes from the frame of a thruster to the point toward which it pulls."""
        x = self._formulation.variables
        _, p = self._formulation.frame_pose(thruster.frame)
        way = ca.vertcat(*[x.value(c) for c in thruster.toward or ()]) - p
        return way / ca.norm_2(way)

    def pose(self, frame: str) -> Expression:
        """Homogeneous matrix (4 x 4) of a frame in the world."""

        def make() -> Expression:
            R, p = self._formulation.frame_pose(frame)
            return ca.vertcat(ca.horzcat(R, p), ca.horzcat(0, 0, 0, 1))

        return self._once(f"pose:{frame}", make)

    def jacobian(self, frame: str, axes: str = "frame") -> Expression:
        """Jacobian of a frame's twist [v; w] at its origin, in its own axes or in world axes."""
        if axes not in ("frame", "world"):
            raise InputError(f"axes of a Jacobian must be 'frame' or 'world', got {axes!r}")
        if axes == "frame":
            return self._once(f"jacobian:{frame}", lambda: self._formulation.jacobian(frame))
        R, _ = self._formulation.frame_pose(frame)
        return self._once(f"jacobian:{frame}:world", lambda: ca.diagcat(R, R) @ self.jacobian(frame))

    def jacobian_rate(self, frame: str, axes: str = "frame") -> Expression:
        """Time derivative of `jacobian`, entry by entry."""

        def make() -> Expression:
            J = ca.densify(self.jacobian(frame, axes))
            return ca.reshape(ca.jtimes(ca.vec(J), self.q, self.coordinate_rate), *J.shape)

        return self._once(f"jacobian_rate:{frame}:{axes}", make)

    @property
    def christoffel(self) -> list[Expression]:
        """Matrices ``C_k`` of the Christoffel symbols, ``c_k = v^T C_k v`` (ROBOTICS); for ``q' = v`` only."""
        if self._layout.quaternions:
            raise InputError("Christoffel symbols need coordinates whose rates are the velocities: no quaternions")

        def make() -> list[Expression]:
            B, q = self.mass_matrix, self.q
            result = []
            for k in range(self._layout.nv):
                db = ca.jacobian(B[:, k], q)
                dB = ca.reshape(ca.jacobian(ca.vec(B), q[k]), *B.shape)
                result.append((db + db.T - dB) / 2)
            return result

        return self._once("christoffel", make)


ROWS: Mapping[str, Callable[[Formulation], RowExpressions | None]] = {
    "mass_matrix": mass_rows,
    "coriolis_matrix": coriolis_rows,
    "inverse_dynamics_derivatives": inverse_derivatives,
    "forward_dynamics_derivatives": forward_derivatives,
}
"""Expressions that end in linear algebra, or in products of all pairs of bodies."""

EXPRESSIONS = (
    "mass_matrix",
    "coriolis_matrix",
    "gravity",
    "bias",
    "inverse_dynamics",
    "forward_dynamics",
    "kinetic_energy",
    "potential_energy",
    "momentum",
    "center_of_mass",
)
