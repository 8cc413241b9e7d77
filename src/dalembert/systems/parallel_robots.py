"""The Delta robot of R. Clavel: three arms, six rods in three parallelograms, a platform that keeps its orientation.

Arm ``k`` lies in a vertical plane at the angle ``2 pi k/3``. In the axes of this plane (radial, tangential, up), from
its motor axis, the elbow is at ``a (cos theta, 0, -sin theta)`` and the middle of the far ends of its rods at
``(X, Y, Z) = (p . radial + r - R, p . tangential, p . up)``. The rods have the length ``b``, so that

    2 a X cos(theta) - 2 a Z sin(theta) = X^2 + Y^2 + Z^2 + a^2 - b^2

which has two solutions: the elbows point outwards, or inwards.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError
from dalembert.core.parameter import Scalar
from dalembert.core.types import Array
from dalembert.model.body import Body, box, rod
from dalembert.model.constraints import BallConstraint
from dalembert.model.joint import WORLD, Joint
from dalembert.model.machine import Machine
from dalembert.model.parts import Frame, Motor
from dalembert.model.transform import Transform

__all__ = ["DeltaGeometry", "delta_angles", "delta_configuration", "delta_position", "delta_robot"]

_SIDES = (("a", 0.5), ("b", -0.5))


@dataclass(frozen=True)
class DeltaGeometry:
    """Dimensions of a Delta robot [m] (own data, of the size of a packaging robot).

    Parameters
    ----------
    base
        Radius ``R`` at which the motor axes lie.
    platform
        Radius ``r`` at which the rods are fixed to the platform.
    arm, rod
        Lengths ``a`` of the driven arms and ``b`` of the rods.
    width
        Distance of the two rods of an arm.
    """

    base: float = 0.20
    platform: float = 0.05
    arm: float = 0.30
    rod: float = 0.80
    width: float = 0.10

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (isinstance(value, int | float) and np.isfinite(value) and value > 0.0):
                raise InputError(f"{field.name} of a Delta robot must be a finite number > 0, got {value!r}")
        if not self.rod > self.arm + abs(self.base - self.platform):
            raise InputError(
                f"the rods of a Delta robot must be longer than its arms and the offset of their ends together, got "
                f"{self.rod:g} m and {self.arm:g} + {abs(self.base - self.platform):g} m"
            )


def _planes() -> list[tuple[Array, Array]]:
    """Radial and tangential direction of each arm."""
    angles = 2 * np.pi * np.arange(3) / 3
    return [(np.array([np.cos(f), np.sin(f), 0.0]), np.array([-np.sin(f), np.cos(f), 0.0])) for f in angles]


def delta_angles(geometry: DeltaGeometry, position: ArrayLike) -> Array:
    """Angles of the arms (positive downwards) that bring the platform to a position, elbows outwards.

    Parameters
    ----------
    geometry
        The robot.
    position
        Position of the platform's centre from the centre of the base; z is up.

    Raises
    ------
    InputError
        If an arm does not reach so far.
    """
    g, p = geometry, np.asarray(position, dtype=float)
    if p.shape != (3,) or not np.isfinite(p).all():
        raise InputError(f"the position of a Delta robot's platform must be 3 finite numbers, got {position!r}")
    angles = []
    for k, (radial, tangential) in enumerate(_planes()):
        X, Y, Z = p @ radial + g.platform - g.base, p @ tangential, p[2]
        A, B, C = 2 * g.arm * X, -2 * g.arm * Z, X**2 + Y**2 + Z**2 + g.arm**2 - g.rod**2
        reach = np.hypot(A, B)
        if not abs(C) <= reach:
            raise InputError(f"the Delta robot does not reach {p.tolist()}: arm {k + 1} is too short or too long")
        angles.append(np.arctan2(B, A) - np.arccos(C / reach))
    return np.array(angles)


def delta_position(geometry: DeltaGeometry, angles: ArrayLike) -> Array:
    """Position of the platform below the base for given angles of the arms: the lower point of three spheres.

    The elbows, moved inwards by the platform's radius, are the centres; the rods are the radius.

    Examples
    --------
    >>> round(float(delta_position(DeltaGeometry(), [0.2, 0.2, 0.2])[2]), 6)
    -0.725068
    """
    g, theta = geometry, np.asarray(angles, dtype=float)
    if theta.shape != (3,) or not np.isfinite(theta).all():
        raise InputError(f"the angles of a Delta robot must be 3 finite numbers, got {angles!r}")
    up = np.array([0.0, 0.0, 1.0])
    c = [
        (g.base - g.platform + g.arm * np.cos(t)) * radial - g.arm * np.sin(t) * up
        for t, (radial, _) in zip(theta, _planes(), strict=True)
    ]
    # the centre of their circle, and from there along the normal of their plane
    u, v = c[1] - c[0], c[2] - c[0]
    n = np.cross(u, v)
    centre = c[0] + (np.cross(n, u) * (v @ v) + np.cross(v, n) * (u @ u)) / (2 * (n @ n))
    square = g.rod**2 - (centre - c[0]) @ (centre - c[0])
    if not square >= 0.0:
        raise InputError(f"the rods of the Delta robot do not meet at the angles {theta.tolist()}")
    return np.asarray(centre - np.sqrt(square) * n / np.linalg.norm(n) * np.sign(n[2]))


def delta_configuration(geometry: DeltaGeometry, position: ArrayLike) -> dict[str, float]:
    """All coordinates of `delta_robot` with its platform at a position, in closed form: arms, rods, platform."""
    g, p, theta = geometry, np.asarray(position, dtype=float), delta_angles(geometry, position)
    q = {"platform.x": float(p[0]), "platform.y": float(p[1]), "platform.z": float(p[2])}
    for k, (radial, tangential) in enumerate(_planes()):
        X, Y, Z = p @ radial + g.platform - g.base, p @ tangential, p[2]
        d = np.array([X - g.arm * np.cos(theta[k]), Y, Z + g.arm * np.sin(theta[k])]) / g.rod
        q[f"arm{k + 1}"] = float(theta[k])
        for side, _ in _SIDES:
            q[f"swing{k + 1}{side}"] = float(np.arctan2(-d[2], d[0]) - theta[k])
            q[f"lean{k + 1}{side}"] = float(np.arcsin(d[1]))
    return q


def delta_robot(
    geometry: DeltaGeometry | None = None,
    *,
    arm_mass: Scalar = 0.6,
    rod_mass: Scalar = 0.12,
    platform_mass: Scalar = 0.8,
    rotor_inertia: Scalar = 0.02,
    damping: Scalar = 0.0,
    platform: str = "free",
) -> Machine:
    """Return a Delta robot with motors ``arm1``, ``arm2``, ``arm3``; it has three degrees of freedom.

    Every rod hangs on its elbow by a universal joint (``swing``, ``lean``) and is fixed to the platform by a ball, one
    constraint ``ball1a`` .. ``ball3b`` each.

    Parameters
    ----------
    geometry
        Dimensions; None: those of `DeltaGeometry`.
    arm_mass, rod_mass, platform_mass
        Masses of an arm, a rod (both slender) and the platform.
    rotor_inertia, damping
        Inertia of each motor, at the arm, and viscous friction there.
    platform
        ``"free"``: the platform has six degrees of freedom, and the parallelograms keep its orientation; the 18 rows of
        the balls are independent. ``"translating"``: the platform cannot turn in the first place, so that three of the
        rows are redundant. The motion is the same.
    """
    g = DeltaGeometry() if geometry is None else geometry
    if platform not in ("free", "translating"):
        raise InputError(f"platform of the Delta robot must be 'free' or 'translating', got {platform!r}")
    plate = _coloured(box("platform", platform_mass, (2 * g.platform, 2 * g.platform, 0.02)), "#ccbb44")
    bodies, joints = _platform(plate, platform)
    frames, motors, constraints = [], [], []
    for k, (radial, tangential) in enumerate(_planes()):
        arm = f"arm{k + 1}"
        shoulder = Transform.about((0.0, 0.0, 1.0), 2 * np.pi * k / 3, tuple(g.base * radial))
        bodies.append(_coloured(rod(arm, arm_mass, g.arm, axis="x", com=(g.arm / 2, 0.0, 0.0)), "#4477aa"))
        joints.append(Joint(arm, "revolute", WORLD, arm, shoulder, axis=(0.0, 1.0, 0.0), damping=damping))
        motors.append(Motor(arm, arm, rotor_inertia=rotor_inertia))
        for side, offset in _SIDES:
            name = f"{k + 1}{side}"
            elbow = Transform((g.arm, offset * g.width, 0.0))
            thin = rod(f"rod{name}", rod_mass, g.rod, axis="x", com=(g.rod / 2, 0.0, 0.0))
            bodies += [Body(f"cross{name}"), _coloured(thin, "#999999")]
            joints += [
                Joint(f"swing{name}", "revolute", arm, f"cross{name}", elbow, axis=(0.0, 1.0, 0.0)),
                Joint(f"lean{name}", "revolute", f"cross{name}", f"rod{name}", axis=(0.0, 0.0, 1.0)),
            ]
            at = g.platform * radial + offset * g.width * tangential
            frames += [
                Frame(f"end{name}", f"rod{name}", Transform((g.rod, 0.0, 0.0))),
                Frame(f"seat{name}", "platform", Transform((float(at[0]), float(at[1]), 0.0))),
            ]
            constraints.append(BallConstraint(f"ball{name}", f"end{name}", f"seat{name}"))
    return Machine(
        "delta-robot",
        bodies=tuple(bodies),
        joints=tuple(joints),
        frames=tuple(frames),
        motors=tuple(motors),
        constraints=tuple(constraints),
    )


def _coloured(body: Body, colour: str) -> Body:
    return replace(body, geometry=tuple(replace(shape, colour=colour) for shape in body.geometry))


def _platform(plate: Body, kind: str) -> tuple[list[Body], list[Joint]]:
    if kind == "free":
        return [plate], [Joint("platform", "free", WORLD, "platform")]
    bodies, joints, parent = [Body("slide_x"), Body("slide_y"), plate], [], WORLD
    for axis, body in zip("xyz", bodies, strict=True):
        direction = (float(axis == "x"), float(axis == "y"), float(axis == "z"))
        joints.append(Joint(f"platform.{axis}", "prismatic", parent, body.name, axis=direction))
        parent = body.name
    return bodies, joints
