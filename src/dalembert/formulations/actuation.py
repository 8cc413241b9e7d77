"""What a motor makes of its input."""

from __future__ import annotations

from math import isfinite
from typing import Any

import casadi as ca

from dalembert.model.parts import Motor

__all__ = ["saturated"]

_LARGEST = 1e300  # effort that still counts as a number


def saturated(motor: Motor, effort: Any) -> Any:
    """Effort of a motor for a commanded one: cut at its limit where it has one."""
    if not isfinite(motor.effort):
        return effort
    cut = ca.fmax(ca.fmin(effort, motor.effort), -motor.effort)
    # minimum and maximum take "not a number" for the limit: what is not finite must not look like full effort
    return ca.if_else(ca.fabs(effort) <= _LARGEST, cut, effort)
