"""The contract of a kind of joint, which each module of this package fulfils.

A joint holds a moving frame in a fixed one. With its coordinates ``q`` and velocities ``v`` a kind says, on CasADi
symbols or numbers,

======================  ===============================================================================================
``R(q), p(q)``          `motion`: pose of the moving frame in the fixed one; the identity at the neutral ``q``
``[v; w] = P(q) v``     `subspace`: relative twist in moving axes, SPACE (4.28); ``R' = R w^`` and ``p' = R v``
``P' = (dP/dq) B v``    `subspace_rate`: component by component; zero where `constant`
``R = R_1 R_2 ..``      `turns`: turns about fixed directions, where the rotation is made of such
``q' = B(q) v``         `rate`
``G(p) = -G(p)^T``      `structure`: ``G(p)_ij = p . B^+ [B_i, B_j]``, with the Lie brackets of the columns of ``B``;
                        ``G(p) v`` completes Lagrange's equations (Boltzmann-Hamel)
``q (+) d``             `integrate`: displacement by ``d`` in the tangent space, ``d/ds (q (+) s d) = B(q) d`` at s = 0
``q1 (-) q0``           `difference`: its inverse
``d'(d, v)``            `chart_rate`: rate of ``d`` in ``q0 (+) d``, to first order in ``d``
``flow(d)``             `flow`: where the constant velocity ``d`` leads in one unit of time, to third order in ``d``
``Phi(R, p) = 0``       `constraints`: 6 - nv conditions of a pose that the joint admits
``(q, v)``              `state`: of such a pose, of ``p'`` and of the rate ``w`` in moving axes
======================  ===============================================================================================

``tests/unit/test_joint_kinds.py`` checks these identities for every kind of the register.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import casadi as ca
import numpy as np

from dalembert.core.types import Array, Expression
from dalembert.spatial.rotations import numpy

__all__ = ["Coordinates", "JointKind", "Turn"]

Turn = tuple[Array, Expression]
"""A unit vector, and the angle of the turn about it."""


class Coordinates:
    """Coordinates whose velocities are their rates: the default of a kind of joint."""

    quaternion: ClassVar[int | None] = None
    """Where a unit quaternion starts in ``q``."""

    @classmethod
    def rate(cls, q: Expression, v: Expression) -> Expression:
        """Rate of the coordinates, ``B(q) v``."""
        return v

    @classmethod
    def structure(cls, p: Expression) -> Expression:
        """Skew matrix ``G(p)`` of the momenta ``p``."""
        return ca.SX(p.shape[0], p.shape[0])

    @classmethod
    def integrate(cls, q: Expression, d: Expression) -> Expression:
        """Configuration reached from ``q`` by the tangent displacement ``d``."""
        return q + d

    @classmethod
    def difference(cls, q0: Expression, q1: Expression) -> Expression:
        """Tangent displacement from ``q0`` to ``q1``."""
        return q1 - q0

    @classmethod
    def chart_rate(cls, d: Expression, v: Expression) -> Expression:
        """Rate of the tangent displacement ``d`` for the velocity ``v``, to first order in ``d``."""
        return v

    @classmethod
    def flow(cls, d: Expression) -> Expression:
        """Tangent displacement that the constant velocity ``d`` makes in one unit of time, to third order."""
        return d

    @classmethod
    def transported(cls, v: Expression, d: Expression) -> Expression:
        """Velocities after the tangent displacement ``d`` if the moving body keeps its velocity in fixed axes."""
        return v

    @classmethod
    def coasting(cls, v: Expression) -> Expression:
        """Rates of the velocities ``v`` at which the moving body keeps its velocity in fixed axes."""
        return ca.SX(v.shape[0], 1)


@dataclass(frozen=True)
class JointKind(Coordinates, ABC):
    """A joint of one kind; class attributes are common to all joints of the kind.

    Parameters
    ----------
    axis, second_axis
        Unit vectors in the fixed frame, where the kind has them.
    pitch
        Slide per angle of a screw [m/rad]: a number or an expression.
    """

    axis: Array
    second_axis: Array | None = None
    pitch: Expression | float | None = None

    name: ClassVar[str]
    """Name of the kind."""
    q: ClassVar[tuple[str, ...]]
    """Suffixes of the coordinates; an empty one stands for the joint's own name."""
    v: ClassVar[tuple[str, ...]]
    """Suffixes of the velocities."""
    neutral: ClassVar[tuple[float, ...]]
    """Coordinates of the neutral configuration."""
    angles: ClassVar[tuple[int, ...]] = ()
    """Places in ``q`` of angles [rad]; the other coordinates are lengths [m] or a quaternion."""
    wrapped: ClassVar[tuple[int, ...]] = ()
    """Places in ``q`` of the angles that `state` finds up to full turns."""
    constant: ClassVar[bool] = True
    """Whether ``P`` is constant in moving axes."""
    needs: ClassVar[tuple[str, ...]] = ()
    """Fields of a `Joint` that this kind asks for and most others refuse: ``second_axis``, ``pitch``."""

    nq: ClassVar[int]
    nv: ClassVar[int]

    def __init_subclass__(cls) -> None:
        cls.nq, cls.nv = len(cls.q), len(cls.v)

    @abstractmethod
    def motion(self, q: Expression) -> tuple[Expression, Expression]:
        """Rotation and position of the moving frame in the fixed one."""

    @abstractmethod
    def subspace(self, q: Expression) -> Expression:
        """Matrix ``P`` (6 x nv) that turns the velocities into the relative twist [v; w] in moving axes."""

    def subspace_rate(self, q: Expression, v: Expression) -> Expression:
        """Componentwise time derivative of ``P``."""
        return ca.SX(6, self.nv)

    def turns(self, q: Expression) -> Sequence[Turn] | None:
        """Turns whose product is the rotation, the first one first; None where it is not made of turns."""
        return None

    @abstractmethod
    def constraints(self, R: Expression, p: Expression) -> Expression:
        """Conditions on the pose (R, p) of the moving frame in the fixed one."""

    @abstractmethod
    def state(self, R: Expression, p: Expression, pdot: Expression, w: Expression) -> tuple[Expression, Expression]:
        """Coordinates and velocities from a pose (R, p), the rate of its position and its rate ``w`` in moving axes."""

    def posed(self, q: Array | Sequence[float]) -> tuple[Array, Array, Array]:
        """``R``, ``p`` and ``P`` in numbers, as read-only arrays: the checks of every machine ask at the same ``q``."""
        fields = (self.axis, self.second_axis, self.pitch)
        numbers = tuple(None if x is None else tuple(np.ravel(np.asarray(x, dtype=float)).tolist()) for x in fields)
        return _posed(type(self), numbers, tuple(np.ravel(np.asarray(q, dtype=float)).tolist()))


@functools.lru_cache(maxsize=2048)
def _posed(
    kind: type[JointKind], numbers: tuple[tuple[float, ...] | None, ...], q: tuple[float, ...]
) -> tuple[Array, Array, Array]:
    axis, second, pitch = numbers
    joint = kind(np.array(axis), None if second is None else np.array(second), None if pitch is None else pitch[0])
    x: Any = ca.DM(q)  # the formulas are those of symbols
    (R, p), P = joint.motion(x), joint.subspace(x)
    pose = np.array(ca.DM(R).full()), numpy(p), np.array(ca.DM(P).full())
    for array in pose:
        array.flags.writeable = False
    return pose
