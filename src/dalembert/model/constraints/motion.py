"""Motion: a coordinate follows a function of time."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import casadi as ca

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, depends_on_time
from dalembert.model.constraints.kind import Constraint, RowContext
from dalembert.model.kind_fields import FrameName, JointName

__all__ = ["MotionConstraint"]


@dataclass(frozen=True)
class MotionConstraint(Constraint):
    """A coordinate follows a given function of time: a rheonomous constraint, CDPR (25).

    Parameters
    ----------
    joint
        Revolute or prismatic joint.
    frame, component
        Instead of a joint: component ``"x"``, ``"y"`` or ``"z"`` of the position of a frame in the world.
    value
        Expression of time, such as ``0.2 * sin(3 * TIME)``.

    Examples
    --------
    >>> import dalembert as da
    >>> da.MotionConstraint("shake", joint="slide", value=0.2 * da.sin(3.0 * da.TIME)).rheonomous
    True
    """

    joint: JointName | None = None
    frame: FrameName | None = None
    component: str = "x"
    value: Scalar = 0.0

    key = "motion"
    units = MappingProxyType({"value": "{q}"})

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.joint is None) == (self.frame is None):
            raise MachineError(f"constraint '{self.name}' must name either a joint or a frame")
        if self.component not in ("x", "y", "z"):
            raise MachineError(f"component of constraint '{self.name}' must be x, y or z, got {self.component!r}")

    def rows(self, context: RowContext) -> ca.SX:
        """The coordinate, or the component, less the value."""
        if self.joint is not None:
            return context.coordinate(self.joint) - context.value(self.value)
        return context.pose(str(self.frame))[1]["xyz".index(self.component)] - context.value(self.value)

    @property
    def rheonomous(self) -> bool:
        """Whether the value depends on time."""
        return depends_on_time(self.value)
