"""Parallel: an axis of one frame stays parallel to an axis of another."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from dalembert.model.constraints.kind import FramePair, RowContext, axis_numbers
from dalembert.model.kind_fields import Axis
from dalembert.spatial.alignment import misalignment

__all__ = ["ParallelConstraint"]


@dataclass(frozen=True)
class ParallelConstraint(FramePair):
    """An axis of one frame stays parallel to an axis of another.

    Examples
    --------
    >>> import dalembert as da
    >>> da.ParallelConstraint("level", "plate", "world", axis="z", other_axis="z").other
    'world'
    """

    axis: Axis = (0.0, 0.0, 1.0)
    other_axis: Axis = (0.0, 0.0, 1.0)

    key = "parallel"

    def rows(self, context: RowContext) -> ca.SX:
        """Components of ``R axis`` along two directions across ``other_axis``."""
        R, _ = self.relative_pose(context)
        return misalignment(axis_numbers(self.axis), R, axis_numbers(self.other_axis))
