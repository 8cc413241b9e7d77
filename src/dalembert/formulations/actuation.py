"""What a motor or a thruster makes of its input."""

from __future__ import annotations

from math import isfinite

import casadi as ca

from dalembert.core.types import Expression
from dalembert.model.parts import Actuator

__all__ = ["saturated"]

_LARGEST = 1e300  # effort that still counts as a number


def saturated(actuator: Actuator, effort: Expression) -> Expression:
    """Effort of an actuator for a commanded one: cut at its limits where it has any."""
    lower, upper = actuator.range
    cut = effort
    if isfinite(upper):
        cut = ca.fmin(cut, upper)
    if isfinite(lower):
        cut = ca.fmax(cut, lower)
    if cut is effort:
        return effort
    # minimum and maximum take "not a number" for the limit: what is not finite must not look like full effort
    return ca.if_else(ca.fabs(effort) <= _LARGEST, cut, effort)
