"""Compliant contact of a ball with a surface: a force that grows with the depth, and friction that is continuous."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import casadi as ca

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.types import Expression
from dalembert.core.validation import check_name, field_scalar
from dalembert.model.contacts.half_space import GROUND
from dalembert.model.contacts.surface import Surface
from dalembert.model.fields import ForceField, FrameMotion

__all__ = ["SoftContact", "SoftForce"]


class SoftForce(NamedTuple):
    """Expressions of a soft contact at an instant, in world axes.

    Attributes
    ----------
    point
        The point of the ball that is deepest, at which the force acts on both sides.
    force
        Force on the ball.
    gap
        Distance of ball and surface; negative: the depth.
    normal
        Size of the normal force.
    slip
        Speed of the ball along the surface.
    """

    point: Expression
    force: Expression
    gap: Expression
    normal: Expression
    slip: Expression


@dataclass(frozen=True)
class SoftContact(ForceField):
    """A compliant contact of a ball with a surface: a rubber pad, a bumper, a fingertip.

    With the depth ``d`` and its rate the normal force is ``N = k d (1 + c d')``, not below zero (Hunt and Crossley).
    The friction is ``mu N v / sqrt(v^2 + s^2)`` against the slip velocity ``v``, with the small speed ``s``
    (``creep``). A contact that bears a part ``x < 1`` of its friction limit creeps at the speed ``s x / sqrt(1 -
    x^2)``. Both sides get opposite forces at one point, so that the contact conserves momentum.

    The force is continuous: any integrator takes it, without events. Steps must be short against the contact, as those
    of a spring of the stiffness ``k`` and of a damper of ``mu N / s`` at the masses that touch. Rigid contacts are
    `Contact` and `Collider`.

    Parameters
    ----------
    name
        Unique name.
    frame
        Frame or body that carries the ball, at its origin.
    radius
        Radius of the ball [m].
    surface
        `HalfSpace`, `CylindricalSurface`, `SphericalSurface` or another one.
    on
        Frame or body that carries the surface.
    stiffness, damping
        Stiffness ``k`` [N/m] and damping ``c`` [s/m].
    friction, creep
        Coefficient of friction ``mu``, and the speed ``s`` [m/s].

    Examples
    --------
    >>> import dalembert as da
    >>> from dalembert.model import SoftContact
    >>> bumper = SoftContact("bumper", "ball", radius=0.1, stiffness=1e4, damping=0.5)
    >>> base = da.Joint("b", "free", "world", "ball")
    >>> ball = da.Machine("ball", [da.sphere("ball", 1.0, 0.1)], [base], fields=[bumper])
    >>> run = da.simulate(ball, duration=3.0, q0={"b.z": 0.15}, step=5e-4)
    >>> round(0.1 - float(run["b.z"][-1]), 5)  # it sinks in by m g / k
    0.00098
    """

    radius: Scalar = 0.0
    surface: Surface = GROUND
    on: str = "world"
    stiffness: Scalar = 1e4
    damping: Scalar = 0.0
    friction: Scalar = 0.0
    creep: Scalar = 1e-3

    key: ClassVar[str] = "soft-contact"

    def __post_init__(self) -> None:
        super().__post_init__()
        what = f"soft contact '{self.name}'"
        check_name(self.on, f"carrier of the surface of {what}")
        if not isinstance(self.surface, Surface):
            raise MachineError(f"the surface of {what} must be a surface such as HalfSpace(), got {self.surface!r}")
        for field in ("radius", "damping", "friction"):
            self._set(**{field: field_scalar(getattr(self, field), f"the {field} of {what}", lower=0.0)})
        for field in ("stiffness", "creep"):
            value = field_scalar(getattr(self, field), f"the {field} of {what}", lower=0.0)
            if not nominal(value) > 0.0:
                raise MachineError(f"the {field} of {what} must be > 0, got {nominal(value):g}")
            self._set(**{field: value})

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the contact."""
        return (self.radius, self.stiffness, self.damping, self.friction, self.creep, *self.surface.scalars)

    def force(self, ball: FrameMotion, other: FrameMotion) -> SoftForce:
        """Force on the ball; ``other`` is the motion of the frame that carries the surface."""
        value = ball.value
        place = other.rotation.T @ (ball.position - other.position)
        d = self.surface.distance(ca.SX(place), lambda x: ca.SX(value(x)))
        n, gap = other.rotation @ d.normal, d.value - value(self.radius)
        point = ball.position - value(self.radius) * n
        speeds = [m.velocity + ca.cross(m.rate, point - m.position) for m in (ball, other)]
        v = speeds[0] - speeds[1]
        rate = ca.dot(n, v)
        slip = v - rate * n
        depth = ca.fmax(-gap, 0.0)
        normal = value(self.stiffness) * depth * ca.fmax(1.0 - value(self.damping) * rate, 0.0)
        size2 = ca.sumsqr(slip)
        force = normal * (n - value(self.friction) / ca.sqrt(size2 + value(self.creep) ** 2) * slip)
        return SoftForce(point, force, gap, normal, ca.sqrt(size2))
