"""Ball: the origins of two frames coincide."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from dalembert.core.errors import MachineError
from dalembert.model.constraints.kind import FramePair, RowContext

__all__ = ["BallConstraint"]


@dataclass(frozen=True)
class BallConstraint(FramePair):
    """The origins of two frames coincide: a ball joint.

    Parameters
    ----------
    frame, other
        The frames.
    components
        Which components, along the axes of ``other``, are held; ``"xz"`` closes a planar loop without redundancy.

    Examples
    --------
    >>> import dalembert as da
    >>> da.BallConstraint("pin", "rod", "crank", components="xz").multiplier_units
    ('N', 'N')
    """

    components: str = "xyz"

    key = "ball"

    def __post_init__(self) -> None:
        super().__post_init__()
        c = self.components
        if not isinstance(c, str) or not c or len(set(c)) != len(c) or not set(c) <= set("xyz"):
            raise MachineError(f"components of constraint '{self.name}' must be some of x, y, z, got {c!r}")

    def rows(self, context: RowContext) -> ca.SX:
        """Components of ``R_o^T (p_f - p_o)``."""
        _, p = self.relative_pose(context)
        return p[["xyz".index(k) for k in self.components]]

    @property
    def multiplier_units(self) -> tuple[str, ...]:
        """Forces."""
        return ("N",) * len(self.components)
