"""Loop: a joint that closes a loop of the tree."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType

import casadi as ca

from dalembert.core.errors import MachineError
from dalembert.core.parameter import Scalar, nominal
from dalembert.core.validation import field_scalar
from dalembert.model.constraints.kind import FramePair, RelativeRates, RowContext, Rubbing, axis_numbers
from dalembert.model.joints import JOINT_KINDS
from dalembert.model.joints.kind import JointKind
from dalembert.model.kind_fields import Axis

__all__ = ["LoopConstraint"]

_LOADS = {"revolute": 3, "prismatic": 2}
"""Rows of the reaction force of the kinds that can have friction: components of a force, across a guide two."""


@dataclass(frozen=True)
class LoopConstraint(FramePair):
    """A joint that closes a loop of the tree.

    Parameters
    ----------
    kind
        ``"ball"``, ``"revolute"``, ``"prismatic"``, ``"cylindrical"`` or ``"fixed"``.
    axis
        The joint's axis in both frames.
    friction
        Coefficient of friction of the bearing (``"revolute"``) or the guide (``"prismatic"``). The friction is
        proportional to the reaction force, and holds a load at rest: at most ``friction * radius * |force|`` about the
        axis, or ``friction * |force|`` along it.
    radius
        Radius of the pin [m] of a bearing with friction.

    Examples
    --------
    >>> import dalembert as da
    >>> da.LoopConstraint("hinge", "rod", "rocker", kind="revolute", axis="y").kind
    'revolute'
    """

    kind: str = "revolute"
    axis: Axis = (0.0, 0.0, 1.0)
    friction: Scalar | None = None
    radius: Scalar | None = None

    key = "loop"
    units = MappingProxyType({"radius": "m", "friction": "1"})

    def __post_init__(self) -> None:
        super().__post_init__()
        kinds = ("ball", "revolute", "prismatic", "cylindrical", "fixed")
        if self.kind not in kinds:
            raise MachineError(f"constraint '{self.name}' has the kind {self.kind!r}; known kinds: {', '.join(kinds)}")
        what = f"constraint '{self.name}'"
        if self.friction is None:
            if self.radius is not None:
                raise MachineError(f"{what} has the radius of a pin, but no friction: give friction=")
            return
        if self.kind not in _LOADS:
            raise MachineError(
                f"{what} has friction, which a bearing (kind='revolute') or a guide (kind='prismatic') has, got "
                f"kind={self.kind!r}"
            )
        if (self.radius is None) == (self.kind == "revolute"):
            how = (
                "needs the radius of its pin: give radius=" if self.radius is None else "is a guide: leave out radius="
            )
            raise MachineError(f"{what} has friction and {how}")
        for name, value in (("friction", self.friction), ("radius", self.radius)):
            if value is not None and not nominal(field_scalar(value, f"{name} of {what}")) > 0.0:
                raise MachineError(f"{name} of {what} must be above 0, got {nominal(value):g}")
        if self.switchable:
            raise MachineError(f"{what} has friction, so it cannot be switchable")

    @property
    def rubs(self) -> bool:
        """Whether its bearing or guide rubs."""
        return self.friction is not None

    def without_friction(self) -> LoopConstraint:
        """Return it without friction."""
        return replace(self, friction=None, radius=None)

    @property
    def _joint(self) -> JointKind:
        return JOINT_KINDS["spherical" if self.kind == "ball" else self.kind](axis_numbers(self.axis))

    def rows(self, context: RowContext) -> ca.SX:
        """Conditions of a pose that the joint admits (`JointKind.constraints`)."""
        return self._joint.constraints(*self.relative_pose(context))

    def rubbing(self, context: RowContext, rates: RelativeRates) -> Rubbing | None:
        """Friction of the bearing or guide: the load is the force of its first rows."""
        if self.friction is None:
            return None
        rate = self._joint.state(*self.relative_pose(context), *rates.between(self.frame, self.other))[1]
        lever = 1.0 if self.radius is None else context.value(self.radius)
        return Rubbing(ca.SX(rate), ca.SX(context.value(self.friction) * lever), (0, _LOADS[self.kind]))
