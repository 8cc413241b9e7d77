"""Forces of the surroundings that depend on where a frame is and how it moves: a spacecraft in orbit (SPACE 6.1.3).

The world of a machine in orbit does not turn, and its origin falls freely along a reference `Orbit`: forces are those
that are left there, without the large numbers of a position from the centre of the Earth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import casadi as ca
import numpy as np

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.types import Expression
from dalembert.core.validation import Matrix, Vector, check_name, field_matrix, field_scalar, field_vector
from dalembert.model.celestial import J2000, sidereal_angle
from dalembert.model.harmonics import GravityModel
from dalembert.model.orbit import Orbit
from dalembert.model.surroundings import standard_density, sunlight

__all__ = ["Drag", "ForceField", "FrameMotion", "OrbitalGravity", "SolarPressure"]

SUN_PRESSURE = 4.56e-6  # N/m2, of sunlight that is absorbed one astronomical unit from the Sun
EARTH_TURN = 7.2921159e-5  # rad/s
_SUN_DISTANCE = 149597870700.0  # m


@dataclass(frozen=True)
class FrameMotion:
    """Expressions of a frame's motion in world axes, of time, and how scalars of the machine become expressions."""

    position: Expression
    rotation: Expression
    velocity: Expression
    rate: Expression
    t: Expression
    value: Callable[[Scalar], Expression | float]


@dataclass(frozen=True)
class ForceField:
    """A force and torque at the origin of a frame that depend on its motion; the kinds say how.

    Parameters
    ----------
    name
        Unique name.
    frame
        The frame (or body) at whose origin it acts.
    """

    name: str
    frame: str
    key: ClassVar[str] = ""

    def __post_init__(self) -> None:
        check_name(self.name, "force field")
        check_name(self.frame, f"frame of force field '{self.name}'")

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All scalars of the field."""
        return ()

    def wrench(self, at: FrameMotion) -> tuple[Expression, Expression]:
        """Force and torque in world axes, as expressions."""
        raise NotImplementedError

    def _set(self, **values: object) -> None:
        for key, value in values.items():
            object.__setattr__(self, key, value)


@dataclass(frozen=True)
class OrbitalGravity(ForceField):
    """Residual gravity of the Earth on a rigid body in orbit: the tide, the gravity gradient, and the oblate Earth.

    The force is ``m (g(r + x) - g(r))`` with the reference orbit's position ``r`` and the body's place ``x``, the
    torque ``3 mu / r^3 u x (I u)`` of SPACE (6.2b). With ``J2`` the attraction includes the first zonal harmonic, which
    does not affect the reference orbit; its sign is minus (see the errata).

    Parameters
    ----------
    orbit
        The reference orbit.
    mass, inertia
        Mass properties of the body; the frame is at its centre of mass, the inertia in the frame's axes.
    J2
        First zonal harmonic; zero: a sphere.
    harmonics, epoch
        More harmonics, in place of J2, in axes that turn with the Earth, and the Julian date of time zero. The gravity
        gradient stays that of a sphere.

    Examples
    --------
    >>> tide = OrbitalGravity("tide", "base", Orbit(altitude=400e3), mass=800.0, J2=1.0826e-3)
    >>> tide.mass
    800.0
    """

    orbit: Orbit
    mass: Scalar = 0.0
    inertia: Matrix = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    J2: float = 0.0
    harmonics: GravityModel | None = None
    epoch: float = J2000
    key: ClassVar[str] = "orbital-gravity"

    def __post_init__(self) -> None:
        super().__post_init__()
        what = f"of force field '{self.name}'"
        _check_orbit(self.orbit, self.name)
        self._set(mass=field_scalar(self.mass, f"mass {what}", lower=0.0))
        self._set(inertia=field_matrix(self.inertia, f"inertia {what}"), J2=_number(self.J2, f"J2 {what}"))
        self._set(epoch=_number(self.epoch, f"epoch {what}"))
        if self.harmonics is not None and not isinstance(self.harmonics, GravityModel):
            raise MachineError(f"harmonics {what} must be a GravityModel, got {self.harmonics!r}")
        if self.harmonics is not None and self.J2 != 0.0:
            raise MachineError(f"harmonics {what} include the oblate Earth: leave J2 out")

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """Mass and inertia."""
        return (self.mass, *(x for row in self.inertia for x in row))

    def wrench(self, at: FrameMotion) -> tuple[Expression, Expression]:
        """Force and torque in world axes."""
        r, _ = self.orbit.motion(at.t)
        x = r + at.position
        pull = self._tide(r, at.position) + self._oblateness(x)
        if self.harmonics is not None:
            a = sidereal_angle(self.epoch, at.t)
            R = ca.vertcat(
                ca.horzcat(ca.cos(a), ca.sin(a), 0), ca.horzcat(-ca.sin(a), ca.cos(a), 0), ca.SX([[0, 0, 1]])
            )
            place = ca.SX.sym("place", 3)
            extra = ca.Function("g", [place], [self.harmonics.attraction(place)])
            pull = pull + R.T @ extra(R @ x)
        f = at.value(self.mass) * pull
        I = ca.vertcat(*(ca.horzcat(*(at.value(c) for c in row)) for row in self.inertia))
        u = at.rotation.T @ x
        return f, at.rotation @ (3.0 * self.orbit.mu / ca.norm_2(x) ** 5 * ca.cross(u, I @ u))

    def _tide(self, r: Expression, d: Expression) -> Expression:
        """Attraction in ``r + d`` less that in ``r``, without the digits that their difference would cost (Encke).

        ``(r/|r + d|)^3 - 1 = -u (3 + 3 u + u^2)/(s (s + 1))`` with ``|r + d|^2 = r^2 (1 + u)`` and ``s = (1 + u)^1.5``.
        R. H. Battin, "An Introduction to the Mathematics and Methods of Astrodynamics", 1999.
        """
        r2 = ca.dot(r, r)
        u = ca.dot(d, 2.0 * r + d) / r2
        s = (1.0 + u) * ca.sqrt(1.0 + u)
        return -self.orbit.mu / (r2 * ca.sqrt(r2)) * (d - u * (3.0 + 3.0 * u + u * u) / (s * (s + 1.0)) * (r + d))

    def _oblateness(self, x: Expression) -> Expression:
        """Attraction by ``J2``."""
        if self.J2 == 0.0:
            return ca.SX.zeros(3)
        r2 = ca.dot(x, x)
        s = x[2] ** 2 / r2
        k = 1.5 * self.J2 * self.orbit.mu * self.orbit.radius**2 / r2**2.5
        return -k * ca.vertcat((1 - 5 * s) * x[0], (1 - 5 * s) * x[1], (3 - 5 * s) * x[2])


@dataclass(frozen=True)
class Drag(ForceField):
    """Drag of a plane surface in the upper atmosphere: ``-1/2 rho S C_D v^2 (n . u) u`` on the side that it meets.

    The air turns with the Earth. Density falls off exponentially from that at the perigee of the orbit.

    Parameters
    ----------
    orbit
        The reference orbit.
    area, normal
        Area and outward normal of the surface; the normal in the frame's axes.
    density, scale_height
        Density of the air at the perigee [kg/m3], and the height in which it falls by ``e`` [m]; infinite: constant
        density.
    coefficient
        ``C_D``.
    atmosphere
        ``"exponential"``, or ``"standard"``: `standard_density`, without ``density`` and ``scale_height``.

    Examples
    --------
    >>> air = Drag("air", "base", Orbit(altitude=400e3), area=12.0, normal=(1, 0, 0), density=3e-12)
    >>> air.area, air.coefficient
    (12.0, 2.2)
    """

    orbit: Orbit
    area: Scalar = 1.0
    normal: Vector = (0.0, 0.0, 1.0)
    density: Scalar = 1e-12
    scale_height: float = float("inf")
    coefficient: Scalar = 2.2
    atmosphere: str = "exponential"
    key: ClassVar[str] = "drag"

    def __post_init__(self) -> None:
        super().__post_init__()
        what = f"of force field '{self.name}'"
        _check_orbit(self.orbit, self.name)
        for key in ("area", "density", "coefficient"):
            self._set(**{key: field_scalar(getattr(self, key), f"{key} {what}", lower=0.0)})
        self._set(normal=_unit(self.normal, f"normal {what}"))
        if not self.scale_height > 0.0:
            raise MachineError(f"scale height {what} must be > 0, got {self.scale_height!r}")
        if self.atmosphere not in ("exponential", "standard"):
            raise MachineError(f"atmosphere {what} must be 'exponential' or 'standard', got {self.atmosphere!r}")
        if self.atmosphere == "standard" and (self.density != 1e-12 or np.isfinite(self.scale_height)):
            raise MachineError(f"the standard atmosphere {what} takes no density and no scale height")

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """Area, normal, density and coefficient."""
        return (self.area, *self.normal, self.density, self.coefficient)

    def wrench(self, at: FrameMotion) -> tuple[Expression, Expression]:
        """Force and torque in world axes."""
        r, v = self.orbit.motion(at.t)
        x = r + at.position
        wind = v + at.velocity - EARTH_TURN * ca.vertcat(-x[1], x[0], 0.0)
        speed = ca.norm_2(wind)
        facing = ca.fmax(ca.dot(at.rotation @ ca.DM([nominal(c) for c in self.normal]), wind / speed), 0.0)
        rho = at.value(self.density)
        if self.atmosphere == "standard":
            rho = standard_density(ca.norm_2(x) - self.orbit.radius)
        elif np.isfinite(self.scale_height):
            rho = rho * ca.exp((self.orbit.radius + self.orbit.altitude - ca.norm_2(x)) / self.scale_height)
        f = -0.5 * rho * at.value(self.area) * at.value(self.coefficient) * speed * facing * wind
        return f, ca.SX.zeros(3)


@dataclass(frozen=True)
class SolarPressure(ForceField):
    """Pressure of sunlight on the lit side of a plane surface: absorbed, diffusely and specularly reflected.

    With the direction ``s`` to the Sun and the normal ``n`` it is
    ``-P S (n . s) ((a + d) s + (2/3 d + 2 c n . s) n)``, SPACE 6.1.3 with its area (see the errata).

    Parameters
    ----------
    area, normal
        Area and outward normal of the surface; the normal in the frame's axes.
    sun
        Direction to the Sun in world axes.
    absorbed, diffuse, specular
        Fractions ``a``, ``d``, ``c``, which add to one.
    pressure
        ``P`` [N/m2]; default 4.56e-6, at the distance of the Earth.
    orbit, shadow
        Whether the Earth casts its shadow (`sunlight`), and the reference orbit that tells where the craft is.

    Examples
    --------
    >>> light = SolarPressure("light", "panel", area=8.0, absorbed=0.7, diffuse=0.1, specular=0.2)
    >>> light.pressure
    4.56e-06
    """

    area: Scalar = 1.0
    normal: Vector = (0.0, 0.0, 1.0)
    sun: Vector = (1.0, 0.0, 0.0)
    absorbed: float = 1.0
    diffuse: float = 0.0
    specular: float = 0.0
    pressure: Scalar = SUN_PRESSURE
    orbit: Orbit | None = None
    shadow: bool = False
    key: ClassVar[str] = "solar-pressure"

    def __post_init__(self) -> None:
        super().__post_init__()
        what = f"of force field '{self.name}'"
        for key in ("area", "pressure"):
            self._set(**{key: field_scalar(getattr(self, key), f"{key} {what}", lower=0.0)})
        parts = [_number(getattr(self, key), f"{key} {what}") for key in ("absorbed", "diffuse", "specular")]
        if min(parts) < 0.0 or abs(sum(parts) - 1.0) > 1e-6:
            raise MachineError(f"the fractions absorbed, diffuse and specular {what} must add to 1, got {parts}")
        self._set(absorbed=parts[0], diffuse=parts[1], specular=parts[2])
        if self.orbit is not None:
            _check_orbit(self.orbit, self.name)
        if not isinstance(self.shadow, bool):
            raise MachineError(f"shadow {what} must be true or false, got {self.shadow!r}")
        if self.shadow != (self.orbit is not None):
            raise MachineError(f"the shadow {what} needs the orbit, and the orbit is for the shadow: give both or none")
        self._set(normal=_unit(self.normal, f"normal {what}"), sun=_unit(self.sun, f"direction of the Sun {what}"))

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """Area and pressure."""
        return (self.area, self.pressure)

    def wrench(self, at: FrameMotion) -> tuple[Expression, Expression]:
        """Force and torque in world axes."""
        n = at.rotation @ ca.DM([nominal(c) for c in self.normal])
        s = ca.DM([nominal(c) for c in self.sun])
        facing = ca.fmax(ca.dot(n, s), 0.0)
        along = (self.absorbed + self.diffuse) * s + (2.0 / 3.0 * self.diffuse + 2.0 * self.specular * facing) * n
        lit: Expression | float = 1.0
        if self.orbit is not None:
            lit = sunlight(self.orbit.motion(at.t)[0] + at.position, _SUN_DISTANCE * s, self.orbit.radius)
        return -lit * at.value(self.pressure) * at.value(self.area) * facing * along, ca.SX.zeros(3)


def _check_orbit(orbit: object, name: str) -> None:
    if not isinstance(orbit, Orbit):
        raise MachineError(f"orbit of force field '{name}' must be an Orbit, got {orbit!r}")


def _number(value: object, what: str) -> float:
    x = field_scalar(value, what)
    if not isinstance(x, float):
        raise MachineError(f"{what} must be a plain number, got '{x}'")
    return x


def _unit(value: object, what: str) -> Vector:
    v = [_number(x, what) for x in field_vector(value, what)]
    norm = float(np.linalg.norm(v))
    if norm == 0.0:
        raise MachineError(f"{what} must not be zero")
    return (v[0] / norm, v[1] / norm, v[2] / norm)
