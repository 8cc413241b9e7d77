"""Machines on legs."""

from __future__ import annotations

import math
from typing import Any

from dalembert.core.parameter import Scalar
from dalembert.model.body import Body, box
from dalembert.model.contacts import Contact
from dalembert.model.geometry import Box, Capsule, Cylinder, Geometry, Sphere, along
from dalembert.model.joint import WORLD, Joint
from dalembert.model.machine import Machine
from dalembert.model.parts import Frame, Motor
from dalembert.model.transform import Transform

__all__ = ["quadruped", "quadruped_stance", "trot"]

LEGS = {"LF": (1, 1), "LH": (-1, 1), "RF": (1, -1), "RH": (-1, -1)}
"""Names of the legs (left and right, fore and hind), with the sides along x and y on which they stand."""

_TRUNK, _LENGTH, _FOOT = (0.62, 0.24, 0.14), 0.28, 0.025
"""Size of the trunk, length of thigh and shank, radius of a foot [m]."""

_BEND = 0.7
"""Angle of the thighs in the stance [rad]; knees bend by twice of it, those of front and hind legs to each other."""

_ALONG, _ACROSS = (1.0, 0.0, 0.0), (0.0, -1.0, 0.0)
"""Axes of the joints that swing a leg sideways, and forward."""

_DARK, _LIGHT = "#3c4654", "#c8553d"


def quadruped(*, friction: Scalar = 0.7, effort: float = 60.0) -> Machine:
    """A trunk of 22 kg on four legs with three motors each, feet over the ground (own data).

    Its joints are named by leg and axis: ``LF_HAA`` (sideways), ``LF_HFE`` (thigh), ``LF_KFE`` (knee).
    `quadruped_stance` is its standing posture, `trot` a law that makes it go.

    Parameters
    ----------
    friction
        Friction of the feet.
    effort
        Limit of the motors [N m].

    Examples
    --------
    >>> quadruped().u_names[:3]
    ('LF_HAA', 'LF_HFE', 'LF_KFE')
    """
    trunk = box("trunk", 22.0, _TRUNK)
    head = Geometry(Capsule(0.05, 0.08), Transform((0.36, 0.0, 0.04)) @ along("x"), _LIGHT, collision=False)
    bodies = [Body(trunk.name, trunk.mass, trunk.com, trunk.inertia, (*trunk.geometry, head))]
    joints, frames, motors = [Joint("base", "free", WORLD, "trunk")], [], []
    contacts = [Contact("trunk", "trunk", Box(_TRUNK), friction=friction)]  # where it falls, it lies on the ground
    small: Any = (2e-3, 2e-3, 2e-3)
    for leg, (fore, left) in LEGS.items():
        hip = Geometry(Cylinder(0.05, 0.09), Transform((0.0, 0.03 * left, 0.0)) @ along("y"), _DARK)
        bodies += [
            Body(f"{leg}_hip", 1.2, (0.0, 0.03 * left, 0.0), small, (hip,)),
            _limb(f"{leg}_thigh", 1.0, 0.032, _LIGHT),
            _limb(f"{leg}_shank", 0.35, 0.02, _DARK, Geometry(Sphere(_FOOT), Transform((0.0, 0.0, -_LENGTH)), _DARK)),
        ]
        joints += [
            Joint(
                f"{leg}_HAA", "revolute", "trunk", f"{leg}_hip", Transform((0.26 * fore, 0.10 * left, 0.0)), axis=_ALONG
            ),
            Joint(
                f"{leg}_HFE", "revolute", f"{leg}_hip", f"{leg}_thigh", Transform((0.0, 0.08 * left, 0.0)), axis=_ACROSS
            ),
            Joint(
                f"{leg}_KFE", "revolute", f"{leg}_thigh", f"{leg}_shank", Transform((0.0, 0.0, -_LENGTH)), axis=_ACROSS
            ),
        ]
        frames.append(Frame(f"{leg}_foot", f"{leg}_shank", Transform((0.0, 0.0, -_LENGTH))))
        contacts.append(Contact(leg, f"{leg}_foot", Sphere(_FOOT), friction=friction))
        motors += [Motor(f"{leg}_{axis}", f"{leg}_{axis}", effort=effort) for axis in ("HAA", "HFE", "KFE")]
    return Machine(
        "quadruped", tuple(bodies), tuple(joints), frames=tuple(frames), contacts=tuple(contacts), motors=tuple(motors)
    )  # fmt: skip


def _limb(name: str, mass: float, radius: float, colour: str, *more: Geometry) -> Body:
    """A rod from its joint down."""
    middle = (0.0, 0.0, -_LENGTH / 2)
    across, about = mass * (_LENGTH**2 / 12 + radius**2 / 4), mass * radius**2 / 2
    inertia: Any = (across, across, about)
    shape = Geometry(Capsule(radius, _LENGTH), Transform(middle), colour, collision=False)
    return Body(name, mass, middle, inertia, (shape, *more))


def quadruped_stance(height: float = 0.0) -> dict[str, float]:
    """Coordinates in which a `quadruped` stands, its feet at a height over the ground.

    Examples
    --------
    >>> round(quadruped_stance()["base.z"], 4)
    0.4533
    """
    stance = {"base.z": 2 * _LENGTH * math.cos(_BEND) + _FOOT + height}
    for leg, (fore, _) in LEGS.items():
        stance |= {f"{leg}_HFE": -fore * _BEND, f"{leg}_KFE": 2 * fore * _BEND}
    return stance


def trot(*, frequency: float = 2.0, lift: float = 0.2, stride: float = 0.14) -> dict[str, Any]:
    """A trot of a `quadruped` as the block ``control`` of a machine file: joints follow sines, pairs of legs in turn.

    Diagonal legs move together. The knees lift a foot while its thigh swings forward.

    Parameters
    ----------
    frequency
        Steps of a leg per second.
    lift, stride
        Amplitudes of knees and thighs [rad].

    Examples
    --------
    >>> trot(frequency=2.5)["law"]
    'pd'
    """
    center, amplitude, phase = [], [], []
    for fore, left in LEGS.values():
        begin = 0.0 if fore * left > 0 else math.pi
        center += [0.0, -fore * _BEND, 2 * fore * _BEND]
        amplitude += [0.0, stride, fore * lift]
        phase += [0.0, begin, begin + math.pi / 2]
    reference = {"center": center, "amplitude": amplitude, "frequency": frequency, "phase": phase}
    return {"law": "pd", "kp": 250.0, "kd": 6.0, "reference": reference}
