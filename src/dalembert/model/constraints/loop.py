"""Loop: a joint that closes a loop of the tree."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from dalembert.core.errors import MachineError
from dalembert.model.constraints.kind import FramePair, RowContext, axis_numbers
from dalembert.model.joints import JOINT_KINDS
from dalembert.model.kind_fields import Axis

__all__ = ["LoopConstraint"]


@dataclass(frozen=True)
class LoopConstraint(FramePair):
    """A joint that closes a loop of the tree.

    Parameters
    ----------
    kind
        ``"ball"``, ``"revolute"``, ``"prismatic"``, ``"cylindrical"`` or ``"fixed"``.
    axis
        The joint's axis in both frames.

    Examples
    --------
    >>> import dalembert as da
    >>> da.LoopConstraint("hinge", "rod", "rocker", kind="revolute", axis="y").kind
    'revolute'
    """

    kind: str = "revolute"
    axis: Axis = (0.0, 0.0, 1.0)

    key = "loop"

    def __post_init__(self) -> None:
        super().__post_init__()
        kinds = ("ball", "revolute", "prismatic", "cylindrical", "fixed")
        if self.kind not in kinds:
            raise MachineError(f"constraint '{self.name}' has the kind {self.kind!r}; known kinds: {', '.join(kinds)}")

    def rows(self, context: RowContext) -> ca.SX:
        """Conditions of a pose that the joint admits (`JointKind.constraints`)."""
        kind = JOINT_KINDS["spherical" if self.kind == "ball" else self.kind]
        return kind(axis_numbers(self.axis)).constraints(*self.relative_pose(context))
