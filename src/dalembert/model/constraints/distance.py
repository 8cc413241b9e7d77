"""Distance: the origins of two frames keep a distance."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType

import casadi as ca

from dalembert.core.parameter import Scalar
from dalembert.core.validation import field_scalar
from dalembert.model.constraints.kind import FramePair, RowContext
from dalembert.model.context import MachineContext

__all__ = ["DistanceConstraint"]


@dataclass(frozen=True)
class DistanceConstraint(FramePair):
    """The origins of two frames keep a distance: a massless rod with ball ends. The length may depend on time.

    Examples
    --------
    >>> import dalembert as da
    >>> da.DistanceConstraint("rod", "load", "trolley", length=1.5).length
    1.5
    """

    length: Scalar = field(kw_only=True)

    key = "distance"
    units = MappingProxyType({"length": "m"})

    def __post_init__(self) -> None:
        super().__post_init__()
        field_scalar(self.length, f"length of constraint '{self.name}'", lower=0.0, strict=True, time=True)

    def rows(self, context: RowContext) -> ca.SX:
        """``|p_f - p_o| - length``."""
        return ca.norm_2(context.pose(self.frame)[1] - context.pose(self.other)[1]) - context.value(self.length)

    def rods(self, context: MachineContext) -> tuple[tuple[ca.SX, ca.SX], ...]:
        """The rod."""
        return ((context.pose(self.frame)[1], context.pose(self.other)[1]),)
