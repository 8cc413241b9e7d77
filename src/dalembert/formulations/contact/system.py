"""Contacts of a machine on CasADi symbols: gaps, rows and their rates, for any formulation.

Every point in which a contact may touch is a *pair* with a gap ``g(q)``, a normal ``n`` from the surface to the solid
and two tangents. With the velocities of the two material points that face each other,

    u = (u_n, u_1, u_2) = J v,        u_n = g',        u' = J v' + b,        b = J' v

are the relative velocities along ``n`` and the tangents, their rows ``J`` (3 x nv for each pair), and their rates
without ``J v'``. A force ``f = (f_n, f_1, f_2)`` on the solid (and its opposite on the carrier of the surface) acts as
``J^T f`` on the machine: ``M v' + bias = tau + J^T f`` (IMPACT 60 has the impulses of the normals).

Limits of coordinates are pairs too, without tangents (zero rows).

Pairs with faces and edges of a box have a *window* ``w(q)`` [m] beside their distance ``d(q)``: they touch where
``w <= 0`` only. Their gap is ``max(d, w)``, which is continuous, and closed where bodies overlap. While the pair acts,
its row is that of ``d``, and it lets go where it leaves the window (`ContactSystem.leeway`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from dalembert.core.errors import InputError
from dalembert.core.parameter import Scalar
from dalembert.core.ports import Formulation
from dalembert.core.types import Expression
from dalembert.formulations.contact.tangents import tangents
from dalembert.model.contacts import BoxSurface, Contact
from dalembert.model.contacts.sharp import MARGIN, Facing
from dalembert.model.contacts.solids import Touching
from dalembert.model.machine import Machine
from dalembert.model.tree import place

__all__ = ["ContactPair", "ContactSystem"]

_LEAVES = 2e-8
"""Length [m] beyond its window at which a pair that acts lets go: then its gap is open."""


@dataclass(frozen=True)
class ContactPair:
    """One point in which a contact may touch, or one end of the range of a coordinate.

    Parameters
    ----------
    name
        Its name: that of the contact, with a number where it has several; ``joint.lower`` or ``joint.upper``.
    contact
        The contact; None for the limit of a joint.
    between
        Names of the two sides, in words.
    restitution, friction
        Coefficients.
    poisson
        Whether the restitution is Poisson's; otherwise it is Newton's.
    rubs
        Whether it may have friction, so that its tangential rows count.
    """

    name: str
    contact: Contact | None
    between: str
    restitution: Scalar
    friction: Scalar
    poisson: bool
    rubs: bool


@dataclass(frozen=True, eq=False)
class _Expressions:
    """Gap, rows (3 x nv), point and directions (3 x 3: normal and tangents as columns) in the world.

    ``smooth``: whether the gap may be differentiated, which the nearest point of a segment has a kink in. ``rates``:
    the products of the rows with the velocities, and their derivatives without the accelerations; None: not yet known.
    ``facing``: of pairs with a box.
    """

    gap: Expression
    rows: Expression
    point: Expression
    axes: Expression
    smooth: bool = True
    rates: tuple[Expression, Expression] | None = None
    facing: Facing | None = None


class ContactSystem:
    """All contacts of a set of equations.

    Parameters
    ----------
    formulation
        Delivers the poses and Jacobians of the frames.
    limits
        Whether the ranges of joints with one coordinate are contacts too.
    """

    def __init__(self, formulation: Formulation, *, limits: bool = False) -> None:
        self.machine: Machine = formulation.machine
        self.formulation = formulation
        self.variables = formulation.variables
        self._rates = formulation.coordinate_rates()
        pairs: list[ContactPair] = []
        expressions: list[_Expressions] = []
        for contact in self.machine.contacts:
            between = f"'{contact.frame}' and the surface on '{contact.on}'"
            found = [self._pair(contact, touching) for touching in self._touching(contact)]
            found += self._windowed(contact)
            for name, expression in zip(contact.pairs, found, strict=True):
                expressions.append(expression)
                e, mu = contact.restitution, contact.friction
                pairs.append(ContactPair(name, contact, between, e, mu, contact.law == "poisson", contact.rubs))
        if limits:
            for name, e, expression in self._limits():
                expressions.append(expression)
                pairs.append(ContactPair(name, None, f"joint '{name.rpartition('.')[0]}'", e, 0.0, False, False))
        self.pairs = tuple(pairs)
        self._expressions = tuple(expressions)

    # -- layout -------------------------------------------------------------------------------------------------------

    @property
    def k(self) -> int:
        """Number of pairs."""
        return len(self.pairs)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the pairs."""
        return tuple(pair.name for pair in self.pairs)

    @property
    def rubs(self) -> NDArray[np.bool_]:
        """Which pairs may have friction."""
        return np.array([pair.rubs for pair in self.pairs], dtype=bool)

    @property
    def poisson(self) -> NDArray[np.bool_]:
        """Which pairs have Poisson's restitution."""
        return np.array([pair.poisson for pair in self.pairs], dtype=bool)

    # -- expressions --------------------------------------------------------------------------------------------------

    @cached_property
    def gaps(self) -> Expression:
        """``g`` (k): distances of pairs without a window."""
        return ca.vertcat(*[_seen(e) for e in self._expressions]) if self._expressions else ca.SX(0, 1)

    @cached_property
    def distances(self) -> Expression:
        """``d`` (k): whose rates are those of the normals; of pairs within their windows the gaps."""
        return ca.vertcat(*[e.gap for e in self._expressions]) if self._expressions else ca.SX(0, 1)

    @cached_property
    def windowed(self) -> tuple[int, ...]:
        """Pairs that have a window."""
        return tuple(k for k, e in enumerate(self._expressions) if e.facing is not None)

    @property
    def _facing(self) -> list[Facing]:
        """Pairs `windowed`."""
        return [e.facing for e in self._expressions if e.facing is not None]

    @cached_property
    def leeway(self) -> Expression:
        """How far the pairs `windowed` are from leaving their windows [m]."""
        windows = [MARGIN + _LEAVES - facing.window for facing in self._facing]
        return ca.vertcat(*windows) if windows else ca.SX(0, 1)

    @cached_property
    def parting(self) -> Expression:
        """Rates of the gaps (k), so that their signs change where bodies are within each other that pass in a step.

        A pair with a window opens beside its face or through it: where bodies overlap, it parts as soon as it is
        nearer to the side and leaves there, or in the other half of the box.
        """
        u = ca.densify(self.velocity)
        rates = [u[3 * k] for k in range(self.k)]
        if self.windowed:
            beside = ca.densify(ca.vertcat(*[facing.beside - MARGIN for facing in self._facing]))
            changes = ca.jtimes(beside, self.variables.q, self._rates)
            for i, (k, facing) in enumerate(zip(self.windowed, self._facing, strict=True)):
                d, side, closing, leaving = facing.gap, beside[i], rates[k], changes[i]
                overlap = ca.logic_and(side < 0.0, d < 0.0)
                leaving = ca.if_else(overlap, ca.fmax(closing, leaving), leaving)
                rate = ca.if_else(d > side, closing, leaving)
                rates[k] = ca.if_else(ca.logic_and(overlap, d < -facing.depth / 2), 1.0, rate)
        return ca.vertcat(*rates)

    @cached_property
    def _differentiated(self) -> list[int]:
        """Pairs whose normal row is the gradient of the gap: a tenth of the operations that its rate takes from ``J``.

        Where velocities are not the rates of coordinates (quaternions), rows of Jacobians are the shorter ones.
        """
        x = self.variables
        if x.q.shape != x.v.shape or not ca.is_equal(ca.densify(self._rates), ca.densify(x.v)):
            return []
        return [i for i, e in enumerate(self._expressions) if e.smooth and e.rates is None]

    @cached_property
    def _opening(self) -> Expression:
        """Rates of the gaps of `_differentiated`."""
        return ca.jtimes(ca.densify(self.distances[self._differentiated]), self.variables.q, self._rates)

    def _with_normals(self, values: Expression, normals: Expression) -> Expression:
        """Put the terms of the normals of `_differentiated` into the rows of all pairs."""
        rows = ca.vertsplit(values)
        for i, row in zip(self._differentiated, ca.vertsplit(normals), strict=True):
            rows[3 * i] = row
        return ca.vertcat(*rows)

    @cached_property
    def jacobian(self) -> Expression:
        """``J`` (3k x nv): rows of the normal and the two tangents of each pair."""
        if not self._expressions:
            return ca.SX(0, self.formulation.layout.nv)
        rows = ca.vertcat(*[e.rows for e in self._expressions])
        if not self._differentiated:
            return rows
        return self._with_normals(rows, ca.jacobian(self._opening, self.variables.v))

    @cached_property
    def velocity(self) -> Expression:
        """``u = J v`` (3k)."""
        u = self.jacobian @ self.variables.v
        u = self._with_normals(u, self._opening) if self._differentiated else u
        return self._with_known(u[self._unknown], 0)

    @cached_property
    def bias(self) -> Expression:
        """``b = J' v`` (3k)."""
        rates = ca.densify(self.velocity[self._unknown])
        return self._with_known(ca.jtimes(rates, self.variables.q, self._rates), 1)

    @cached_property
    def _unknown(self) -> list[int]:
        """Rows of the pairs whose rates are not known by themselves."""
        return [3 * i + j for i, e in enumerate(self._expressions) if e.rates is None for j in range(3)]

    def _with_known(self, others: Expression, which: int) -> Expression:
        """Rows of all pairs: rates (0) or biases (1) that they have by themselves, and those of the others."""
        values = ca.SX.zeros(3 * self.k)
        values[self._unknown] = others
        for i, e in enumerate(self._expressions):
            if e.rates is not None:
                values[3 * i : 3 * i + 3] = e.rates[which]
        return values

    @cached_property
    def points(self) -> Expression:
        """Points of the solids that touch, in the world (3k)."""
        return ca.vertcat(*[e.point for e in self._expressions]) if self._expressions else ca.SX(0, 1)

    @cached_property
    def axes(self) -> Expression:
        """Normal and tangents in the world, as columns side by side (3 x 3k); zero for limits."""
        return ca.horzcat(*[e.axes for e in self._expressions]) if self._expressions else ca.SX(3, 0)

    @cached_property
    def restitution(self) -> Expression:
        """``e`` (k)."""
        return self._values([pair.restitution for pair in self.pairs])

    @cached_property
    def friction(self) -> Expression:
        """``mu`` (k)."""
        return self._values([pair.friction for pair in self.pairs])

    def _values(self, scalars: list[Scalar]) -> Expression:
        return ca.vertcat(*[ca.SX(self.variables.value(x)) for x in scalars]) if scalars else ca.SX(0, 1)

    @cached_property
    def terms(self) -> ca.Function:
        """``(q, v, p) -> (gap, J, u, b, e, mu)``: all that an impact or a sustained contact needs."""
        x = self.variables
        outputs = [self.gaps, self.jacobian, self.velocity, self.bias, self.restitution, self.friction]
        dense = ca.cse([ca.densify(ca.SX(y)) for y in outputs])
        return ca.Function("contact_terms", [x.q, x.v, x.p], dense, ["q", "v", "p"], ["gap", "J", "u", "b", "e", "mu"])

    # -- kinematics ---------------------------------------------------------------------------------------------------

    def _touching(self, contact: Contact) -> list[Touching]:
        """Points of the solid that may touch, for each pair."""
        value = self.variables.value
        return contact.solid_kind.touching(contact.surface, *place(contact.origin, value), value)

    def _windowed(self, contact: Contact) -> list[_Expressions]:
        """Pairs of the solid with faces and edges of a box; none on another surface."""
        if not isinstance(contact.surface, BoxSurface):
            return []
        value, box = self.variables.value, contact.surface
        (R_s, p_s), (R_b, p_b), (R_o, p_o) = place(contact.origin, value), box.placed(value), self._pose(contact.on)
        R, origin = self._relative(contact)
        found = []
        for pair in contact.solid_kind.facing(box, R_b.T @ R @ R_s, R_b.T @ (origin + R @ p_s - p_b), value):
            axes, point = R_b @ pair.axes, p_b + R_b @ pair.point
            rows = axes.T @ self._approach(contact, R, point - origin, point - pair.gap * axes[:, 0])
            found.append(_Expressions(pair.gap, rows, p_o + R_o @ point, R_o @ axes, smooth=False, facing=pair))
        return found

    def _relative(self, contact: Contact) -> tuple[Expression, Expression]:
        """Pose of the frame of the solid in that of the surface."""
        (R_a, p_a), (R_o, p_o) = (self._pose(frame) for frame in contact.frames)
        return R_o.T @ R_a, R_o.T @ (p_a - p_o)

    def _approach(self, contact: Contact, R: Expression, arm: Expression, facing: Expression) -> Expression:
        """Rows of the velocity of the solid at its arm less that of the surface at the point that faces it."""
        J_a, J_o = self._jacobian(contact.frame), self._jacobian(contact.on)
        return R @ J_a[:3, :] - ca.skew(arm) @ (R @ J_a[3:, :]) - (J_o[:3, :] - ca.skew(facing) @ J_o[3:, :])

    def _pair(self, contact: Contact, touching: Touching) -> _Expressions:
        value = self.variables.value
        x, radius, sweep = touching
        R_o, p_o = self._pose(contact.on)
        R, origin = self._relative(contact)  # in the axes of the surface, as all that follows
        if sweep is not None:
            d, reach = sweep
            x = x + contact.surface.nearest(origin + R @ x, R @ d, reach, value) * d
        arm = R @ x
        away, n = contact.surface.distance(origin + arm, value)
        t1, t2 = tangents(n)
        gap = away - radius
        arm = arm - radius * n
        facing = origin + arm - gap * n
        axes = ca.horzcat(n, t1, t2)
        point = p_o + R_o @ (origin + arm)
        directions = R_o @ axes
        if contact.surface.flat and self.machine.tree.frames[contact.on][0] < 0:
            moments = ca.horzcat(*(ca.cross(-radius * directions[:, 0], f) for f in ca.horzsplit(directions)))
            rows = self.formulation.point_rows(contact.frame, x, directions, moments)
            if rows is not None:
                return _Expressions(gap, rows[0], point, directions, rates=rows[1:])
        relative = self._approach(contact, R, arm, facing)
        return _Expressions(gap, axes.T @ relative, point, directions, sweep is None)

    def _pose(self, frame: str) -> tuple[Expression, Expression]:
        R, p = self.formulation.frame_pose(frame)
        return ca.SX(R), ca.SX(p)

    def _jacobian(self, frame: str) -> Expression:
        if self.machine.tree.frames[frame][0] < 0:
            return ca.SX(6, self.formulation.layout.nv)
        return ca.SX(self.formulation.jacobian(frame))

    def _limits(self) -> list[tuple[str, float, _Expressions]]:
        v, nv = self.variables.v, self.formulation.layout.nv
        limits: list[tuple[str, float, _Expressions]] = []
        for joint in self.machine.joints:
            lower, upper = joint.limits.lower, joint.limits.upper
            if joint.info.nv != 1 or (lower == -math.inf and upper == math.inf):
                continue
            if lower == upper:
                raise InputError(
                    f"joint '{joint.name}' of machine '{self.machine.name}' has the range {lower:g} to {upper:g}: it "
                    "cannot move between two stops; lock it"
                )
            q, row = self.formulation.joint_coordinate(joint.name), self.formulation.joint_rate(joint.name)
            row = ca.jacobian(ca.SX(row), v)
            for end, limit, sign in (("lower", lower, 1.0), ("upper", upper, -1.0)):
                if math.isfinite(limit):
                    rows = ca.vertcat(sign * row, ca.SX(2, nv))
                    expression = _Expressions(sign * (q - limit), rows, ca.SX(3, 1), ca.SX(3, 3))
                    limits.append((f"{joint.name}.{end}", joint.limits.restitution, expression))
        return limits


def _seen(pair: _Expressions) -> Expression:
    """Gap of a pair: its distance, or how far it is beside its face or edge, whatever is larger.

    It is open where the solid is on the other side of the box.
    """
    facing = pair.facing
    if facing is None:
        return pair.gap
    beside = facing.window - MARGIN
    through = ca.logic_and(beside < 0.0, pair.gap < -facing.depth)
    return ca.if_else(through, MARGIN, ca.fmax(pair.gap, beside))
