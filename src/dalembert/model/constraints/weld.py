"""Weld: two frames are joined rigidly."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from dalembert.model.constraints.kind import FramePair, RowContext
from dalembert.model.transform import Transform
from dalembert.model.tree import place
from dalembert.spatial.alignment import rotation_error

__all__ = ["WeldConstraint"]


@dataclass(frozen=True)
class WeldConstraint(FramePair):
    """Two frames are joined rigidly, CDPR (19), and (20) by crossed pairs (see the errata).

    Parameters
    ----------
    offset
        Pose of ``frame`` in ``other``; None: the pose that they have when the constraint becomes active, as of a
        gripper that holds what it has got.

    Examples
    --------
    >>> import dalembert as da
    >>> da.WeldConstraint("grip", "gripper", "box", switchable=True, active=False).active
    False
    """

    offset: Transform | None = None

    key = "weld"

    @property
    def holds_pose(self) -> bool:
        """Whether no pose is stated."""
        return self.offset is None

    def rows(self, context: RowContext) -> ca.SX:
        """``p - p_0`` and the three errors of the rotation ``R_0^T R``."""
        R, p = self.relative_pose(context)
        R_0, p_0 = place(self.offset, context.value) if self.offset is not None else context.held_pose()
        return ca.vertcat(p - p_0, rotation_error(R_0.T @ R))
