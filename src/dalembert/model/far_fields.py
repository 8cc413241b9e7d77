"""Distant influences on a spacecraft: the Moon and the Sun (SPACE 6.7), and the magnetic field of the Earth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import casadi as ca

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar
from dalembert.core.types import Expression
from dalembert.core.validation import Vector, field_scalar, field_vector
from dalembert.model.celestial import (
    J2000,
    MOON_MU,
    SUN_MU,
    magnetic_field,
    moon_position,
    sidereal_angle,
    sun_position,
)
from dalembert.model.fields import ForceField, FrameMotion, _check_orbit, _number
from dalembert.model.orbit import Orbit

__all__ = ["MagneticTorque", "ThirdBody"]

_BODIES = {"moon": (MOON_MU, moon_position), "sun": (SUN_MU, sun_position)}


@dataclass(frozen=True)
class ThirdBody(ForceField):
    """Attraction by the Moon or the Sun, less that of the Earth, which falls with the axes.

    ``m mu (d / d^3 - s / s^3)`` with the body's place ``s`` from the centre of the Earth and ``d = s - r - x`` from the
    mass; SPACE (6.7), whose forces lack the direction and this second part (see the errata). The reference orbit is not
    subject to it. Its gravity gradient is a ten-millionth of the Earth's, and is left out.

    Parameters
    ----------
    orbit
        The reference orbit.
    body
        ``"moon"`` or ``"sun"``.
    mass
        On which it acts.
    epoch
        Julian date of time zero.

    Examples
    --------
    >>> moon = ThirdBody("moon", "base", Orbit(altitude=36e6), body="moon", mass=800.0)
    >>> moon.body
    'moon'
    """

    orbit: Orbit
    body: str = "moon"
    mass: Scalar = 0.0
    epoch: float = J2000
    key: ClassVar[str] = "third-body"

    def __post_init__(self) -> None:
        super().__post_init__()
        what = f"of force field '{self.name}'"
        _check_orbit(self.orbit, self.name)
        if not isinstance(self.body, str) or self.body not in _BODIES:
            raise MachineError(f"body {what} must be 'moon' or 'sun', got {self.body!r}")
        self._set(mass=field_scalar(self.mass, f"mass {what}", lower=0.0), epoch=_number(self.epoch, f"epoch {what}"))

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """The mass."""
        return (self.mass,)

    def wrench(self, at: FrameMotion) -> tuple[Expression, Expression]:
        """Force and torque in world axes."""
        mu, position = _BODIES[self.body]
        s = position(self.epoch, at.t)
        d = s - (self.orbit.motion(at.t)[0] + at.position)
        return at.value(self.mass) * mu * (d / ca.norm_2(d) ** 3 - s / ca.norm_2(s) ** 3), ca.SX.zeros(3)


@dataclass(frozen=True)
class MagneticTorque(ForceField):
    """Torque ``m x B`` on a magnetic dipole in the field of the Earth: of a spacecraft, or of a magnetorquer.

    Parameters
    ----------
    orbit
        The reference orbit.
    dipole
        Magnetic moment in the frame's axes [A m2]; its components may be parameters.
    epoch
        Julian date of time zero, from which the turn of the Earth follows.
    """

    orbit: Orbit
    dipole: Vector = (0.0, 0.0, 0.0)
    epoch: float = J2000
    key: ClassVar[str] = "magnetic-torque"

    def __post_init__(self) -> None:
        super().__post_init__()
        what = f"of force field '{self.name}'"
        _check_orbit(self.orbit, self.name)
        self._set(dipole=field_vector(self.dipole, f"dipole {what}"), epoch=_number(self.epoch, f"epoch {what}"))

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """The dipole."""
        return tuple(self.dipole)

    def wrench(self, at: FrameMotion) -> tuple[Expression, Expression]:
        """Force and torque in world axes."""
        B = magnetic_field(self.orbit.motion(at.t)[0] + at.position, sidereal_angle(self.epoch, at.t))
        m = at.rotation @ ca.vertcat(*(at.value(c) for c in self.dipole))
        return ca.SX.zeros(3), ca.cross(m, B)
