"""Orthogonal: an axis of one frame keeps an angle with an axis of another."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType

import casadi as ca

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, nominal
from dalembert.model.constraints.kind import FramePair, RowContext, axis_numbers
from dalembert.model.kind_fields import Axis

__all__ = ["OrthogonalConstraint"]


@dataclass(frozen=True)
class OrthogonalConstraint(FramePair):
    """An axis of one frame keeps an angle with an axis of another (a right angle by default).

    Examples
    --------
    >>> import dalembert as da
    >>> da.OrthogonalConstraint("square", "shaft", "world", axis="x", other_axis="z").axis
    (1.0, 0.0, 0.0)
    """

    axis: Axis = (1.0, 0.0, 0.0)
    other_axis: Axis = (0.0, 0.0, 1.0)
    angle: Scalar = math.pi / 2

    key = "orthogonal"
    units = MappingProxyType({"angle": "rad"})

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1e-3 < nominal(self.angle) < math.pi - 1e-3:
            raise MachineError(
                f"angle of constraint '{self.name}' must lie between 0 and pi, got {nominal(self.angle):g}; "
                "for parallel axes use ParallelConstraint"
            )

    def rows(self, context: RowContext) -> ca.SX:
        """``w . R u - cos(angle)`` of the axes ``u`` and ``w``."""
        R, _ = self.relative_pose(context)
        u, w = ca.DM(axis_numbers(self.axis)), ca.DM(axis_numbers(self.other_axis))
        return ca.dot(w, R @ u) - ca.cos(context.value(self.angle))
