"""Limits of a capture by a robot, and how much of each a plan uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dalembert.core.errors import InputError
from dalembert.core.validation import check_number

__all__ = ["RobotLimits", "Verdict", "at_least", "at_most"]


@dataclass(frozen=True)
class RobotLimits:
    """Limits of a plan.

    Parameters
    ----------
    base_torque, joint_torque
        Per axis of the base and per joint, one number or one each [N m]: 5 and 200 of SPACE Table 8.1.
    joint_range
        Largest angle of a joint to either side [rad].
    singularity
        Least singular value of the Jacobian of the tip [m, rad].
    clearance
        Least distance between arm, base and debris [m].
    reserve
        Part of the torques that is left to feedback.
    approach_angle
        Largest angle between the approach axis of the tip and the outward axis of the debris at the grip, where the
        task leaves it free [rad].
    """

    base_torque: float | tuple[float, ...] = 5.0
    joint_torque: float | tuple[float, ...] = 200.0
    joint_range: float = np.pi
    singularity: float = 0.2
    clearance: float = 0.05
    reserve: float = 0.25
    approach_angle: float = float(np.pi / 3)

    def __post_init__(self) -> None:
        for name in ("base_torque", "joint_torque"):
            object.__setattr__(self, name, _torques(name, getattr(self, name)))
        for name in ("joint_range", "approach_angle"):
            object.__setattr__(self, name, check_number(name, getattr(self, name)))
        for name in ("singularity", "clearance", "reserve"):
            value = check_number(name, getattr(self, name), positive=False)
            if value < 0.0 or (name == "reserve" and value >= 1.0):
                raise InputError(f"{name} must be {'within 0 and 1' if name == 'reserve' else '>= 0'}, got {value:g}")
            object.__setattr__(self, name, value)


def _torques(name: str, value: float | Sequence[float]) -> float | tuple[float, ...]:
    """A limit of torques, or several; infinite where nothing is known of it."""
    if not isinstance(value, list | tuple | np.ndarray):
        return check_number(name, value) if value != np.inf else np.inf
    values = tuple(float(x) for x in value)
    if not values or not all(x > 0.0 for x in values):
        raise InputError(f"{name} must be numbers > 0, got {value!r}")
    return values


@dataclass(frozen=True)
class Verdict:
    """Use of a limit by a candidate.

    Attributes
    ----------
    name, unit
        The limit.
    value, limit
        The value of the plan, and its limit; `slack` is the room between them as a part of the limit.
    """

    name: str
    unit: str
    value: float
    limit: float
    slack: float

    @property
    def ok(self) -> bool:
        """Whether the limit is kept."""
        return self.slack >= 0.0


def at_most(name: str, unit: str, value: float, limit: float) -> Verdict:
    """Verdict on a value that must not exceed its limit."""
    return Verdict(name, unit, value, limit, (limit - value) / limit if np.isfinite(limit) else 1.0)


def at_least(name: str, unit: str, value: float, limit: float) -> Verdict:
    """Verdict on a value that must not fall below its limit."""
    return Verdict(name, unit, value, limit, (value - limit) / max(limit, 1e-3))
