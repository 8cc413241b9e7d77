"""How a capture begins: motion of the debris, posture of the arm, and what grips what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from dalembert.core.errors import InputError, UnknownNameError
from dalembert.core.types import Array
from dalembert.core.validation import check_number, check_seed
from dalembert.systems.space_robots.gripper import Gripper

__all__ = ["CaptureStart"]


@dataclass(frozen=True)
class CaptureStart:
    """Start of a capture, and the frames of its grip.

    Parameters
    ----------
    rate, quaternion
        Motion of the debris when the chaser begins to watch it: rate in its axes [rad/s], attitude (w, x, y, z).
    joints
        Posture of the arms by name of the joint [rad, m]; those that are not named are at zero.
    tip, approach
        Frame of the chaser that grips, and its axis that points at the debris then: ``"x"``, ``"y"`` or ``"z"``.
    target, axis
        Frame of the debris that is gripped, and the outward direction there in axes of the debris; None: along the
        radius from its centre of mass.
    task
        Task of the tip, as in `dalembert.plan.held_base`; None: the most that the number of its joints allows.
    distance
        Distance between the centre of the debris and the base's frame when the arm begins [m]; None: from the reach
        of the arm.
    eye
        Frame of the camera on the base, which looks along its z axis; None: at the edge of the face with the arm.
    parameters
        True values of the parameters of chaser and debris; the chaser computes with the nominal ones.
    tuned_at
        Posture for which the gains are computed; None: that at the start.
    gripper
        Fingers of the chaser that close on the debris; None: the grip closes at once, as a plastic impact.
    rotors
        Rates of the rotors of control moment gyros by the name of their velocity [rad/s], such as
        `dalembert.ControlMomentGyro.v0` has it.
    turn, spin
        Attitude [rad] and rate [rad/s] of the base at the begin of the approach, which should be zero.
    seed
        Seed of the noise of sensors and pictures.
    """

    rate: ArrayLike = (0.0, 0.0, 0.0)
    quaternion: ArrayLike = (1.0, 0.0, 0.0, 0.0)
    joints: Mapping[str, float] = field(default_factory=dict)
    tip: str = "tip"
    approach: str = "z"
    target: str = "target"
    axis: ArrayLike | None = None
    task: str | None = None
    distance: float | None = None
    eye: str | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    tuned_at: Mapping[str, float] | None = None
    gripper: Gripper | None = None
    rotors: Mapping[str, float] = field(default_factory=dict)
    turn: ArrayLike = (0.0, 0.0, 0.0)
    spin: ArrayLike = (0.0, 0.0, 0.0)
    seed: int = 0

    def __post_init__(self) -> None:
        for name, n in (("rate", 3), ("quaternion", 4), ("turn", 3), ("spin", 3)):
            object.__setattr__(self, name, _numbers(getattr(self, name), n, name))
        size = float(np.linalg.norm(self.quaternion))
        if not abs(size - 1.0) < 1e-6:
            raise InputError(f"quaternion of a CaptureStart must have unit norm, got norm {size:g}")
        if self.axis is not None:
            object.__setattr__(self, "axis", _numbers(self.axis, 3, "axis"))
        if self.distance is not None:
            object.__setattr__(self, "distance", check_number("distance", self.distance, unit="m"))
        for name in ("joints", "parameters", "rotors"):
            if not isinstance(getattr(self, name), Mapping):
                raise InputError(f"{name} of a CaptureStart must be numbers by name, got {getattr(self, name)!r}")
        if self.gripper is not None and not isinstance(self.gripper, Gripper):
            raise InputError(f"gripper of a CaptureStart must be a Gripper, got {self.gripper!r}")
        check_seed(self.seed)

    def posture(self, names: tuple[str, ...], where: str) -> Array:
        """Posture of joints, in their order."""
        for name in self.joints:
            if name not in names:
                raise UnknownNameError("driven joint", name, names, where)
        return np.array([float(self.joints.get(name, 0.0)) for name in names])


def _numbers(value: ArrayLike, n: int, name: str) -> tuple[float, ...]:
    try:
        x = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        x = np.zeros(0)
    if x.shape != (n,) or not np.isfinite(x).all():
        raise InputError(f"{name} of a CaptureStart must be {n} finite numbers, got {value!r}")
    return tuple(x.tolist())
