"""The nominal flexible arm on its base: how far its booms bend while it moves, and where the tip is then."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from dalembert.core.types import Expression
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["BentArm"]


@dataclass(frozen=True)
class BentArm:
    """The nominal flexible arm on its base: how far the booms bend while it moves, and where the tip is then.

    Attributes
    ----------
    eom
        Equations of the chaser with flexible booms and rigid arrays.
    frame, base
        The tip, and the free joint.
    joints
        The driven joints; none named: those of the motors.
    """

    eom: EquationsOfMotion
    frame: str = "tip"
    base: str = "base"
    joints: tuple[str, ...] = ()

    @cached_property
    def rows(self) -> tuple[list[int], list[int], list[int]]:
        """Rows of the base, the joints and the booms in the velocities."""
        names = list(self.eom.v_names)
        block = next(b for b in self.eom.layout.blocks if b.name == self.base)
        motors = self.joints or [m.joint for m in self.eom.machine.motors]
        joints = [names.index(f"{name}_dot") for name in motors]
        base = list(range(block.v.start, block.v.stop))
        return base, joints, [k for k in range(self.eom.nv) if k not in base and k not in joints]

    @cached_property
    def _q(self) -> tuple[Expression, Expression, Expression, Expression]:
        """Symbols: pose of the base (7), joints, deflections; and the whole configuration."""
        block = next(b for b in self.eom.layout.blocks if b.name == self.base)
        motors = self.joints or [m.joint for m in self.eom.machine.motors]
        at = [self.eom.q_names.index(name) for name in motors]
        rest = [k for k in range(self.eom.nq) if k not in at and not block.q.start <= k < block.q.stop]
        base, theta, delta = ca.SX.sym("base", 7), ca.SX.sym("theta", len(at)), ca.SX.sym("delta", len(rest))
        q = ca.SX(self.eom.nq, 1)
        q[block.q.start : block.q.stop], q[at], q[rest] = base, theta, delta
        return base, theta, delta, q

    def _at(self, expression: Expression, q: Expression) -> Expression:
        s = self.eom.symbolic
        return ca.Function("f", [s.q, s.p], [ca.densify(expression)])(q, self.eom.parameter_values())

    @cached_property
    def tip(self) -> ca.Function:
        """``base (7), theta, delta -> pose (4, 4), Jacobians (6, 6) of base and (6, n) of joints``, world axes."""
        base, theta, delta, q = self._q
        s = self.eom.symbolic
        J = self._at(s.jacobian(self.frame, "world"), q)
        outputs = [self._at(s.pose(self.frame), q), J[:, self.rows[0]], J[:, self.rows[1]]]
        return ca.Function("tip", [base, theta, delta], outputs, ["base", "theta", "delta"], ["pose", "Jb", "J"])

    @cached_property
    def deflection(self) -> ca.Function:
        """``theta, theta', theta'' -> delta``: how the booms bend, quasi-statically, while the base does not turn."""
        s, (base_rows, joints, booms) = self.eom.symbolic, self.rows
        base, theta, delta, q = self._q
        if not booms:
            nothing = [ca.SX.sym(name, theta.shape[0]) for name in ("theta", "rate", "second")]
            return ca.Function("bent", nothing, [ca.SX(0, 1)], ["theta", "rate", "second"], ["delta"])
        rate, second = ca.SX.sym("rate", theta.shape[0]), ca.SX.sym("second", theta.shape[0])
        straight = ca.substitute(
            q, ca.vertcat(base, delta), ca.vertcat(0, 0, 0, 1, 0, 0, 0, ca.SX.zeros(delta.shape[0]))
        )
        place = -self._at(s.center_of_mass, straight)
        speed = ca.jtimes(place, theta, rate)
        v, a = ca.SX(self.eom.nv, 1), ca.SX(self.eom.nv, 1)
        v[base_rows[:3]], v[joints] = speed, rate
        a[base_rows[:3]] = ca.jtimes(speed, theta, rate) + ca.jtimes(place, theta, second)
        a[joints] = second
        f = ca.Function("f", [s.q, s.v, s.a, s.p], [s.inverse_dynamics])
        force = f(straight, v, a, self.eom.parameter_values())[booms]
        bias = ca.Function("b", [s.q, s.v, s.p], [s.bias])(q, ca.SX(self.eom.nv, 1), self.eom.parameter_values())
        K = ca.substitute(ca.jacobian(bias[booms], delta), delta, ca.SX.zeros(delta.shape[0]))
        stiffness = ca.Function("K", [base, theta], [K])([0, 0, 0, 1, 0, 0, 0], ca.DM.zeros(theta.shape[0]))
        out = -ca.DM(np.linalg.inv(np.array(stiffness))) @ force
        return ca.Function("bent", [theta, rate, second], [ca.densify(out)], ["theta", "rate", "second"], ["delta"])
