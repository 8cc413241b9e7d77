"""A heavy cable that leaves a pulley: the elastic catenary begins where it is tangent to the pulley.

The plane of the pulley of radius ``r`` is the vertical plane of the cable; ``s`` and ``z`` are its horizontal and
vertical axes, as in ``model/cables/pulley.py``. The cable enters it at D, at the angle pi, and leaves it at the angle
psi, at

    A = D + r (s + n),   n = cos(psi) s + sin(psi) z,

where its pull (H, V - w L) is tangent, ``tan(psi) = H / (w L - V)``. On the arc without friction its stretch ``e``
follows from its weight, at the height ``z`` above D,

    (1 + e)^2 = (1 + T / EA)^2 + 2 w (z - z_A) / EA,

with the tension ``T`` at A, so that the tension at D is lower by about ``w (z_A - z_D)``: then forces are those of the
potential energy of strain and weight. Unstretched length and energy of the arc are integrals, by Gauss's rule. The
straight lead from D to the winch has the tension at D, or that which friction on the pulley leaves; its weight rests at
the height of D. The angle is found by Newton's method, with a catenary in each round: where it is tangent, H and V do
not change with psi to first order, so that the angle of the cable has the derivative ``-H w r / ((1 + T / EA) T^2)``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import casadi as ca
import numpy as np

from dalembert.model.ropes.catenary import ROUNDS, Hanging

__all__ = ["PulleyExit", "leave_pulley", "pulley_equations"]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(6)  # 5e-10 for the sine of half a turn


@dataclass(frozen=True, eq=False)
class PulleyExit:
    """The pulley at the start of a heavy cable, as expressions.

    Parameters
    ----------
    R, p
        Pose of the frame that carries it.
    entry
        Point D at which the cable enters it.
    along, up
        Its horizontal axis towards the anchor, and its vertical one.
    radius
        Its radius.
    psi
        Angle at which a straight cable would leave it.
    end
        The anchor of the cable.
    lead
        Length of the straight line between it and the winch.
    """

    R: ca.SX
    p: ca.SX
    entry: ca.SX
    along: ca.SX
    up: ca.SX
    radius: ca.SX
    psi: ca.SX
    end: ca.SX
    lead: ca.SX = field(default_factory=lambda: ca.SX(0))

    def point(self, psi: ca.SX) -> ca.SX:
        """Where the cable leaves it."""
        return self.entry + self.radius * ((1 + ca.cos(psi)) * self.along + ca.sin(psi) * self.up)

    def arc(self, psi: ca.SX, shape: Hanging) -> Wrapped:
        """The cable on it, from the angle ``psi`` on, where it leaves it in a shape."""
        half = (ca.pi - psi) / 2
        w, EA, above = shape.w, shape.EA, self.radius * ca.sin(psi)
        left = (1 + shape.tensions[0] / EA) ** 2
        length, energy = ca.SX(0), ca.SX(0)
        for node, weight in zip(_NODES, _WEIGHTS, strict=True):
            z = self.radius * ca.sin(psi + half * (1 + float(node)))
            stretch = ca.sqrt(left + 2 * w * (z - above) / EA)
            part = self.radius * half * float(weight) / stretch
            length, energy = length + part, energy + part * (EA * (stretch - 1) ** 2 / 2 + w * z)
        return Wrapped(length, EA * (ca.sqrt(left - 2 * w * above / EA) - 1), energy)

    def laid(self, psi: ca.SX, shape: Hanging) -> tuple[Wrapped, ca.SX, ca.SX]:
        """The same, and the unstretched lengths on it and between it and the winch, without friction."""
        arc = self.arc(psi, shape)
        return arc, arc.length, self.lead / (1 + arc.tension / shape.EA)


@dataclass(frozen=True, eq=False)
class Wrapped:
    """A cable on a pulley: its unstretched length, its tension at D, and its energy above D."""

    length: ca.SX
    tension: ca.SX
    energy: ca.SX


def leave_pulley(
    pulley: PulleyExit, solve: Callable[[ca.SX, ca.SX, Hanging | None], Hanging], rounds: int = ROUNDS
) -> Hanging:
    """Find where a heavy cable leaves a pulley.

    Parameters
    ----------
    pulley
        The pulley.
    solve
        Solves for the cable with its start, the length before it, stretched by the tension there, and a solution
        nearby.
    rounds
        Number of rounds.
    """
    psi, miss, turn = pulley.psi, ca.SX(0), ca.SX(1)
    shape: Hanging | None = None
    before = pulley.radius * (ca.pi - pulley.psi) + pulley.lead
    for _ in range(rounds):
        if shape is not None:
            psi = psi + miss / turn
            before = sum(pulley.laid(psi, shape)[1:]) * (1 + shape.tensions[0] / shape.EA)
        shape = solve(pulley.point(psi), before, shape)
        T = shape.tensions[0]
        miss = ca.atan2(shape.H, shape.w * shape.L - shape.V) - psi
        turn = 1 + shape.H * shape.w * pulley.radius / ((1 + T / shape.EA) * T**2)
    assert shape is not None
    arc, length, lead = pulley.laid(psi, shape)
    local = ca.SX.sym("local", 3)
    held = (pulley.p + pulley.R @ local, local, pulley.R.T @ (shape.origin - pulley.p), pulley.end)
    tilt = ca.norm_2(ca.cross(pulley.up, shape.up))  # then the plane of the pulley is not that of the cable
    stretched = (length + lead) * (1 + shape.tensions[0] / shape.EA)
    misses = ca.fmax(pulley.radius * ca.fabs(miss), ca.fabs(stretched - before)) / shape.L
    error = ca.fmax(ca.fmax(shape.error, tilt), misses)
    laid = (arc.energy, pulley.radius * ca.sin(psi))
    shape = replace(shape, arc=length, psi=psi, lead=lead, entry=arc.tension)
    return replace(shape, laid=laid, held=held, error=error)


def pulley_equations(
    pulley: PulleyExit, gravity: ca.SX, cable: tuple[ca.SX, ca.SX, ca.SX], solution: ca.SX
) -> tuple[Hanging, ca.SX]:
    """The equations that `leave_pulley` solves, for the derivatives of its solution.

    Parameters
    ----------
    pulley
        The pulley.
    gravity
        Gravity.
    cable
        Whole unstretched length, weight per length and stiffness.
    solution
        Angle at which the cable leaves the pulley, unstretched length beyond it, and the pull (H, V) at its end.

    Returns
    -------
    Hanging, SX
        How the cable hangs with these values, and by how much they miss the four equations.
    """
    psi, L, H, V = ca.vertsplit(solution)
    total, w, EA = cable
    shape, missed = Hanging.pulled(pulley.point(psi), pulley.end, gravity, (L, w, EA), H, V)
    arc, length, lead = pulley.laid(psi, shape)
    tangent = ca.atan2(H, w * L - V) - psi
    shape = replace(shape, arc=length, psi=psi, lead=lead, entry=arc.tension)
    return shape, ca.vertcat(missed, total - L - length - lead, tangent)
