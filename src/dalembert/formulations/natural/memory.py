"""Quantities that the pose of two bodies leaves open: full turns of angles, and signs of quaternions.

Natural coordinates are points and vectors; they know in which direction a link points, but not how often it went round.
A spring, a gear, a winch and a limit do. The angles ``m`` (and the quaternion) of every joint between bodies are
therefore carried along as a state with the rate of the joint, from the start of the run, and the coordinate of the
joint is

    q = alpha + 2 pi floor((m - alpha) / 2 pi + 1/2),    Q = sign(m . Q_R) Q_R,

where ``alpha`` and ``Q_R`` are found from the pose. They are exact whatever the error of ``m``, as long as that is less
than half a turn, and their derivatives are those of ``alpha``: the memory exerts no force.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import casadi as ca

from dalembert.core.types import Expression
from dalembert.model.joints import JointKind

__all__ = ["Memory", "continued", "remembered"]


@dataclass(frozen=True)
class Memory:
    """Coordinates of one joint that are carried along.

    Parameters
    ----------
    node
        Node of the joint.
    places
        Their places in the coordinates of the joint.
    q
        Their range in the coordinates of the equations.
    """

    node: int
    places: tuple[int, ...]
    q: slice


def remembered(kind: type[JointKind]) -> tuple[int, ...]:
    """Places in ``q`` of the coordinates that a pose leaves open."""
    start = kind.quaternion
    return kind.wrapped if start is None else (*kind.wrapped, *range(start, start + 4))


def continued(kind: JointKind, q: Expression, memory: Expression) -> Expression:
    """Coordinates of a joint, found from a pose, on the turn and of the sign that the memory says."""
    entries = ca.vertsplit(ca.SX(q))
    for k, place in enumerate(kind.wrapped):
        alpha = entries[place]
        entries[place] = alpha + 2 * pi * ca.floor((memory[k] - alpha) / (2 * pi) + 0.5)
    if kind.quaternion is not None:
        here, Q = slice(kind.quaternion, kind.quaternion + 4), q[kind.quaternion : kind.quaternion + 4]
        entries[here] = ca.vertsplit(ca.if_else(ca.dot(Q, memory[len(kind.wrapped) :]) < 0, -Q, Q))
    return ca.vertcat(*entries)
