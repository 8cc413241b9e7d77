r"""Expressions of the steps of a derivation, on the tape of a machine: kinematics, energies, recursion.

Body i has the origin :math:`p_i` and the rotation :math:`R_i` in the world, and the twist
:math:`(v_i, \omega_i) = J_i v` in its own axes. With the centre of mass at :math:`c_i`

.. math:: v_{c,i} = v_i + \omega_i \times c_i, \qquad
          a_{c,i} = \dot v_i + \omega_i \times v_i + \dot\omega_i \times c_i
                    + \omega_i \times (\omega_i \times c_i) - R_i^T g

:math:`T_i = m_i v_{c,i}^2/2 + \omega_i^T I_i \omega_i/2` and :math:`V_i = -m_i g^T r_i` (Lagrange), and
:math:`F_i = m_i a_{c,i}`, :math:`N_i = I_i \dot\omega_i + \omega_i \times I_i \omega_i` (Newton and Euler, with gravity
as an acceleration of the base; Luh, Walker and Paul 1980).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca

from dalembert.core.types import Expression
from dalembert.formulations.equations import EquationsOfMotion
from dalembert.model.body import Body
from dalembert.model.joint import WORLD

__all__ = ["BodyTerms", "Terms"]


@dataclass(frozen=True, eq=False)
class BodyTerms:
    """Expressions of one rigid body; vectors are in its own axes unless they are called positions."""

    name: str
    placement: Expression
    position: Expression
    centre: Expression
    velocity: Expression
    angular: Expression
    kinetic: Expression
    potential: Expression
    angular_acceleration: Expression
    acceleration: Expression
    force: Expression
    moment: Expression


class Terms:
    """Expressions of all steps for a machine.

    Parameters
    ----------
    eom
        Its equations.
    a
        Symbols of the accelerations.
    """

    def __init__(self, eom: EquationsOfMotion, a: Expression) -> None:
        self.eom, self.a = eom, a
        self.s = eom.symbolic
        self.machine = eom.machine
        self.g = ca.vertcat(*[self._value(g) for g in self.machine.gravity])

    def _value(self, x: Any) -> Any:
        return self.s.value(x)

    def _vector(self, values: Any) -> Expression:
        return ca.vertcat(*[self._value(x) for x in values])

    @cached_property
    def bodies(self) -> list[BodyTerms]:
        """Terms of the bodies, from the base outwards."""
        return [self._body(body) for body in self._rigid_bodies]

    @property
    def _rigid_bodies(self) -> list[Body]:
        return [body for body in self.machine.bodies if isinstance(body, Body)]

    def _body(self, body: Body) -> BodyTerms:
        s, parent = self.s, self._joint(body.name).parent
        pose = s.pose(body.name)
        above = ca.SX.eye(4) if parent == WORLD else s.pose(parent)
        R_above = above[:3, :3]
        R, p = pose[:3, :3], pose[:3, 3]
        placement = ca.vertcat(ca.horzcat(R_above.T @ R, R_above.T @ (p - above[:3, 3])), ca.horzcat(0, 0, 0, 1))
        J, J_rate = s.jacobian(body.name), s.jacobian_rate(body.name)
        twist, twist_rate = J @ s.v, J @ self.a + J_rate @ s.v
        v, w, dv, dw = twist[:3], twist[3:], twist_rate[:3], twist_rate[3:]
        m, c = self._value(body.mass), self._vector(body.com)
        I = ca.vertcat(*[ca.horzcat(*[self._value(x) for x in row]) for row in body.inertia])
        v_c = v + ca.cross(w, c)
        centre = p + R @ c
        a_c = dv + ca.cross(w, v) + ca.cross(dw, c) + ca.cross(w, ca.cross(w, c)) - R.T @ self.g
        return BodyTerms(
            name=body.name,
            placement=placement,
            position=p,
            centre=centre,
            velocity=R @ v_c,
            angular=w,
            kinetic=m * ca.dot(v_c, v_c) / 2 + ca.dot(w, I @ w) / 2,
            potential=-m * ca.dot(self.g, centre),
            angular_acceleration=dw,
            acceleration=a_c,
            force=m * a_c,
            moment=I @ dw + ca.cross(w, I @ w),
        )

    def _joint(self, body: str) -> Any:
        return next(joint for joint in self.machine.joints if joint.child == body)

    def children(self, body: str) -> list[str]:
        """Bodies that joints attach to a body."""
        return [joint.child for joint in self.machine.joints if joint.parent == body]

    def wrench(self, name: str) -> tuple[Expression, Expression]:
        r"""Force and moment that the joint of a body transmits, at the body's origin and in its axes.

        :math:`f_i = F_i + \sum_j R_{ij} f_j` and
        :math:`n_i = N_i + c_i \times F_i + \sum_j (R_{ij} n_j + p_{ij} \times R_{ij} f_j)` over the attached bodies j.
        """
        terms = next(body for body in self.bodies if body.name == name)
        c = self._vector(next(body.com for body in self._rigid_bodies if body.name == name))
        f, n = terms.force, terms.moment + ca.cross(c, terms.force)
        for child in self.children(name):
            placement = next(body for body in self.bodies if body.name == child).placement
            R, p = placement[:3, :3], placement[:3, 3]
            f_child, n_child = self.wrench(child)
            f = f + R @ f_child
            n = n + R @ n_child + ca.cross(p, R @ f_child)
        return f, n

    @cached_property
    def projected(self) -> Expression:
        """Joint forces by recursion: the wrenches of all bodies, projected on their motions."""
        total = ca.SX.zeros(self.eom.nv)
        for terms, body in zip(self.bodies, self._rigid_bodies, strict=True):
            n = terms.moment + ca.cross(self._vector(body.com), terms.force)
            total = total + self.s.jacobian(terms.name).T @ ca.vertcat(terms.force, n)
        return total
