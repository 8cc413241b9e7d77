"""Sensors of the chaser for its own state, and the pose of its camera."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from dalembert.control.estimation import StereoCamera
from dalembert.core.errors import InputError
from dalembert.model.signals import Sensor

__all__ = ["BEHIND", "FAR_CAMERA", "CaptureSensors", "SensorNoise", "chaser_sensors"]

BEHIND = np.array([0.0, 0.0, 0.3])
"""Place of the tip as the camera in the hand sees it: far enough that the target point is seen until the end."""

FAR_CAMERA = StereoCamera(baseline=1.0, focal_length=5e-3)
"""A camera whose pictures from a hold point 30 m away determine the motion of debris of some metres."""


@dataclass(frozen=True)
class SensorNoise:
    """Standard deviations of the chaser's measurements of itself; white, normal, at each sample.

    Parameters
    ----------
    attitude, rate
        Attitude and rate of the base [rad, rad/s]: 0.003 degrees of a star tracker, 0.001 degrees per second of a gyro.
    position, velocity
        Position and velocity of the base [m, m/s].
    encoder, joint_rate
        Step of the joint encoders, of 19 bits, and noise of their rates [rad, rad/s].
    """

    attitude: float = float(np.radians(0.003))
    rate: float = float(np.radians(0.001))
    position: float = 1e-3
    velocity: float = 2e-4
    encoder: float = 2.0 * np.pi / 2**19
    joint_rate: float = 5e-5


@dataclass(frozen=True)
class CaptureSensors:
    """Sensors of the chaser for itself and the debris.

    Parameters
    ----------
    noise
        Noise of the sensors of its own state; None: it knows its state.
    camera
        With which it watches the debris; None: it knows the debris.
    hand_camera
        Camera in the hand, which looks at the target point from 0.3 m; None: one like ``camera``. A camera with a long
        baseline, such as `FAR_CAMERA`, does not see the target from there: the base's pictures lead the tip alone.
    hand_error
        How far beside its place the camera in the hand sees the target point, in axes of the tip [m]: an error of its
        mount, by which the tip misses the target.

    Examples
    --------
    >>> from dalembert.systems.space_robots import CaptureSensors
    >>> ideal = CaptureSensors(noise=None, camera=None)  # the chaser knows its state and the debris
    >>> CaptureSensors().camera is None
    False
    """

    noise: SensorNoise | None = field(default_factory=SensorNoise)
    camera: StereoCamera | None = field(default_factory=StereoCamera)
    hand_camera: StereoCamera | None = None
    hand_error: ArrayLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        try:
            x = np.asarray(self.hand_error, dtype=float)
        except (TypeError, ValueError):
            x = np.zeros(0)
        if x.shape != (3,) or not np.isfinite(x).all():
            raise InputError(f"hand_error of CaptureSensors must be 3 finite numbers, got {self.hand_error!r}")
        object.__setattr__(self, "hand_error", tuple(x.tolist()))
        camera = self.camera if self.hand_camera is None else self.hand_camera
        if x.any() and camera is not None and not camera.seen(BEHIND):
            raise InputError(
                f"hand_error of CaptureSensors has no effect: the camera in the hand does not see the target point "
                f"{BEHIND[2]:g} m in front of it (baseline {camera.baseline:g} m); give hand_camera=StereoCamera()"
            )


def chaser_sensors(noise: SensorNoise, period: float, base: str, joints: Sequence[str]) -> tuple[Sensor, ...]:
    """Sensors of the chaser, whose readings the laws see in place of the truth.

    Parameters
    ----------
    noise, period
        Noise, and seconds between samples.
    base, joints
        The free joint, and the joints with encoders.
    """
    of = [f"{base}.{x}" for x in ("position", "attitude", "velocity", "rate")]
    sizes = np.repeat([noise.position, noise.attitude, noise.velocity, noise.rate], 3)
    n = len(joints)
    return (
        Sensor("inertial", of, period, noise=tuple(map(float, sizes))),
        Sensor(
            "arm",
            [*joints, *(f"{x}_dot" for x in joints)],
            period,
            noise=(0.0,) * n + (noise.joint_rate,) * n,
            quantum=(noise.encoder,) * n + (0.0,) * n,
        ),
    )
