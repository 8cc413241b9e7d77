"""A heavy cable that leaves a pulley: the elastic catenary begins where it is tangent to the pulley.

The plane of the pulley of radius ``r`` is the vertical plane of the cable; ``s`` and ``z`` are its horizontal and
vertical axes, as in ``model/cables/pulley.py``. The cable enters it at D, at the angle pi, and leaves it at the angle
psi, at

    A = D + r (s + n),   n = cos(psi) s + sin(psi) z,

where its pull (H, V - w L) is tangent, ``tan(psi) = H / (w L - V)``. The arc has the unstretched length
``r (pi - psi) / (1 + T / EA)`` with the tension ``T`` at A; weight and friction on the arc are left out of it. Each
round of catenary and angle divides the error by about the distance of the ends over ``r``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import casadi as ca

from dalembert.model.ropes.catenary import ROUNDS, Hanging

__all__ = ["PulleyExit", "leave_pulley"]


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
    """

    R: ca.SX
    p: ca.SX
    entry: ca.SX
    along: ca.SX
    up: ca.SX
    radius: ca.SX
    psi: ca.SX
    end: ca.SX

    def point(self, psi: ca.SX) -> ca.SX:
        """Where the cable leaves it."""
        return self.entry + self.radius * ((1 + ca.cos(psi)) * self.along + ca.sin(psi) * self.up)


def leave_pulley(
    pulley: PulleyExit, solve: Callable[[ca.SX, ca.SX, ca.SX, Hanging | None], Hanging], rounds: int = ROUNDS
) -> Hanging:
    """Find where a heavy cable leaves a pulley.

    Parameters
    ----------
    pulley
        The pulley.
    solve
        Solves for the cable with its start, the arc on the pulley, the stretch of that arc, and a solution nearby.
    rounds
        Number of rounds.
    """
    psi, shape = pulley.psi, None
    for _ in range(rounds):
        stretch = ca.SX(1) if shape is None else 1 + shape.tensions[0] / shape.EA
        arc = pulley.radius * (ca.pi - psi)
        shape = solve(pulley.point(psi), arc, stretch, shape)
        last, psi = psi, ca.atan2(shape.H, shape.w * shape.L - shape.V)
    assert shape is not None
    local = ca.SX.sym("local", 3)
    held = (pulley.p + pulley.R @ local, local, pulley.R.T @ (shape.origin - pulley.p), pulley.end)
    tilt = ca.norm_2(ca.cross(pulley.up, shape.up))  # then the plane of the pulley is not that of the cable
    error = ca.fmax(ca.fmax(shape.error, tilt), pulley.radius * ca.fabs(psi - last) / shape.L)
    return replace(shape, arc=arc / stretch, psi=last, held=held, error=error)
