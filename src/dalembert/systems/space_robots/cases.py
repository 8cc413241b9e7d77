"""Start of a capture: one case, or one drawn at random."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from dalembert.core.types import Array
from dalembert.core.validation import check_number, check_seed
from dalembert.systems.space_robots.debris import INERTIA
from dalembert.systems.space_robots.start import CaptureStart

__all__ = ["CASE_DISTRIBUTIONS", "HOME", "JOINTS", "CaptureCase", "random_case"]

HOME = (0.0, -0.9, 1.7, -0.8, 0.0, 0.0)
JOINTS = tuple(f"theta{i}" for i in range(1, 7))
STAND_OFF = 7.4  # from which the debris is watched [m]
_FACTORS = ("base_mass", "hub_mass", "wrist_mass", "tool_mass", "boom_mass", "boom_stiffness", "array_mass",
            "array_stiffness")  # fmt: skip


@dataclass(frozen=True)
class CaptureCase:
    """Start of a capture; all of it unknown to the chaser but the joints.

    Attributes
    ----------
    seed
        Seed of the noise of sensors and pictures.
    rate, quaternion
        Motion of the debris when the chaser begins to watch it: rate in its axes [rad/s], attitude.
    joints
        Posture of the arm [rad].
    factors
        True masses, inertias and stiffnesses as parts of the nominal ones; the inertia of the debris is ``S I S`` with
        ``debris_x`` to ``debris_z`` on the diagonal of ``S``.
    turn, spin
        Attitude [rad] and rate [rad/s] of the base at the begin of the approach, which should be zero.
    """

    seed: int = 0
    rate: tuple[float, ...] = (0.0, 0.05, 0.02)
    quaternion: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)
    joints: tuple[float, ...] = HOME
    factors: Mapping[str, float] = field(default_factory=dict)
    turn: tuple[float, ...] = (0.0, 0.0, 0.0)
    spin: tuple[float, ...] = (0.0, 0.0, 0.0)

    @property
    def inertia(self) -> Array:
        """True inertia of the debris."""
        s = np.array([self.factors.get(f"debris_{axis}", 1.0) for axis in "xyz"])
        return np.asarray(np.array(INERTIA) * np.outer(s, s))

    @property
    def start(self) -> CaptureStart:
        """The case as the start of a capture by the `uncertain_chaser` of the debris with uncertain inertia."""
        return CaptureStart(
            rate=self.rate,
            quaternion=self.quaternion,
            joints=dict(zip(JOINTS, self.joints, strict=True)),
            distance=STAND_OFF,
            parameters=dict(self.factors),
            tuned_at=dict(zip(JOINTS, HOME, strict=True)),
            turn=self.turn,
            spin=self.spin,
            seed=self.seed,
        )


CASE_DISTRIBUTIONS = (
    ("attitude of the debris", "uniform over all rotations"),
    ("spin axis of the debris", "uniform over all directions"),
    ("posture of the arm", "uniform, 2 degrees to either side of home"),
    ("masses, inertias, stiffnesses of the chaser", "uniform, 10 % to either side, 8 factors"),
    ("inertia of the debris", "uniform, 10 % to either side, 3 factors; impossible ones drawn again"),
    ("attitude, rate of the base", "uniform, 0.02 degrees and 0.002 degrees per second to either side"),
    ("star tracker, gyro", "normal, 0.003 degrees, 0.001 degrees per second"),
    ("position, velocity of the base", "normal, 1 mm, 0.2 mm/s"),
    ("joints", "19 bits; rates normal, 5e-5 rad/s"),
    ("pictures", "normal, 0.2 pixels; every 0.1 s, 80 ms late"),
)
"""Values that `random_case` draws, and the noise of `SensorNoise` and `StereoCamera`."""


def random_case(seed: int, speed: float = 4.0, *, error: float = 0.1) -> CaptureCase:
    """A case drawn at random, see `CASE_DISTRIBUTIONS`.

    Parameters
    ----------
    seed
        Seed of the case.
    speed
        Speed of the tumbling [degrees per second].
    error
        Largest relative error of each mass, inertia and stiffness.
    """
    rng = np.random.default_rng((check_seed(seed), 2024))
    Q, axis = rng.normal(size=4), rng.normal(size=3)
    rate = axis / np.linalg.norm(axis) * np.radians(check_number("speed", speed))

    def uniform(half: float, n: int) -> Array:
        return np.asarray(half * rng.uniform(-1.0, 1.0, n))

    factors = dict(zip(_FACTORS, (1.0 + uniform(error, len(_FACTORS))).tolist(), strict=True))
    axes = np.sqrt(1.0 + uniform(error, 3))
    while not _possible(np.array(INERTIA) * np.outer(axes, axes)):
        axes = np.sqrt(1.0 + uniform(error, 3))
    factors.update({f"debris_{a}": float(x) for a, x in zip("xyz", axes, strict=True)})
    return CaptureCase(
        seed,
        tuple(rate.tolist()),
        tuple((Q / np.linalg.norm(Q)).tolist()),
        tuple((np.array(HOME) + uniform(float(np.radians(2.0)), 6)).tolist()),
        factors,
        tuple(uniform(float(np.radians(0.02)), 3).tolist()),
        tuple(uniform(float(np.radians(0.002)), 3).tolist()),
    )


def _possible(inertia: Array) -> bool:
    """Whether a body can have this inertia: no principal moment is larger than the sum of the others."""
    moments = np.linalg.eigvalsh(inertia)
    return bool(moments[2] <= moments[0] + moments[1])


def default_case() -> CaptureCase:
    """A debris of 4 degrees per second, without model errors."""
    return CaptureCase(rate=tuple(np.radians([2.4, -2.8, 1.6]).tolist()))
