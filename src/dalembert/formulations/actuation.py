"""What a motor makes of its input."""

from __future__ import annotations

from math import isfinite
from typing import Any

import casadi as ca

from dalembert.model.parts import Motor

__all__ = ["saturated"]


def saturated(motor: Motor, effort: Any) -> Any:
    """Effort of a motor for a commanded one: cut at its limit where it has one."""
    return ca.fmax(ca.fmin(effort, motor.effort), -motor.effort) if isfinite(motor.effort) else effort
