"""A law about joints that move: the motion is its reference, and its forces are fed forward."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from dalembert.control.law_bases import Stateless
from dalembert.core.ports import Law
from dalembert.core.types import Array, Expression
from dalembert.formulations.equations import EquationsOfMotion

__all__ = ["MOTION_NUMBERS", "Following"]

MOTION_NUMBERS = ("middle", "reach", "omega", "phase")
"""Numbers of a motion ``middle + reach sin(omega t + phase)``."""


@dataclass(frozen=True, eq=False)
class Following(Stateless):
    """A law about joints that move, with the forces of that motion fed forward.

    Parameters
    ----------
    law
        The law that is proven.
    joints
        Joints that move, each with the parameters ``JOINT_middle``, ``reach``, ``omega`` and ``phase`` of its motion.
    at
        Configuration about which the law is written.
    """

    law: Law
    joints: tuple[str, ...]
    at: Array

    def expression(
        self, eom: EquationsOfMotion, t: Expression, q: Expression, v: Expression, z: Expression, p: Expression
    ) -> tuple[Expression, Expression]:
        """Inputs; there are no states."""
        s = eom.symbolic
        where, rate, push = ca.SX(ca.DM(self.at)), ca.SX(eom.nv, 1), ca.SX(eom.nv, 1)
        moved_q, moved_v = ca.SX(q), ca.SX(v)
        for name in self.joints:
            block = next(b for b in eom.layout.blocks if b.name == name)
            middle, reach, omega, phase = (p[eom.p_names.index(f"{name}_{x}")] for x in MOTION_NUMBERS)
            angle = omega * t + phase
            i, j = block.q.start, block.v.start
            where[i] = middle + reach * ca.sin(angle)
            rate[j] = reach * omega * ca.cos(angle)
            push[j] = -reach * omega**2 * ca.sin(angle)
            moved_q[i] = q[i] - where[i] + float(self.at[i])
            moved_v[j] = v[j] - rate[j]
        load = s.inverse_dynamics - s.losses - s.wrenches
        force = ca.Function("load", [s.q, s.v, s.a, s.t, s.p], [load])(where, rate, push, t, p)
        B = ca.Function("inputs", [s.q, s.v, s.u, s.t, s.p], [ca.jacobian(s.actuation, s.u)])
        numbers = np.array(
            ca.DM(B(self.at, np.zeros(eom.nv), np.zeros(eom.nu), 0.0, eom.parameter_values(None))).full()
        )
        u, _ = self.law.expression(eom, t, moved_q, moved_v, z, p)
        rest, _ = self.law.expression(eom, t, ca.SX(ca.DM(self.at)), ca.SX(eom.nv, 1), z, p)
        return u - rest + ca.DM(np.linalg.pinv(numbers)) @ force, ca.SX(0, 1)
